// Loading and unloading device packages.
#include <cstdio>
#include <fstream>
#include <unistd.h>

#include "ob/backend.h"
#include "support.h"

using namespace dispatch_test;

namespace
{
std::string path(const char *name)
{
    return std::string(PACKAGES) + "/" + name + ".so";
}

/* A fresh path next to the packages. */
std::string temporary(const char *name)
{
    return std::string(PACKAGES) + "/" + name + "_" + std::to_string(getpid()) + ".so";
}
} // namespace

TEST(Package, LoadsServesAndUnloads)
{
    ob_loaded_package *p = nullptr;
    ASSERT_EQ(OB_OK, ob_package_load(path("test_package_good").c_str(), &p)) << message();
    EXPECT_STREQ("testdev", ob_package_name(p));
    EXPECT_EQ(OB_KEY_PrivateUse1, ob_package_key(p));
    ob_device device;
    ASSERT_EQ(OB_OK, ob_device_parse("testdev:0", &device)) << message();
    EXPECT_EQ(1, ob_device_count(static_cast<ob_backend>(device.backend)));
    Tensor t = tensor(device);
    EXPECT_EQ(OB_ERR_STATE, ob_package_unload(p));
    EXPECT_TRUE(tells("1 of its tensors' storages")) << message();
    t.reset();
    EXPECT_EQ(OB_OK, ob_package_unload(p)) << message();
    EXPECT_EQ(OB_ERR_NOT_FOUND, ob_device_parse("testdev:0", &device));
}

TEST(Package, ALinkIsTheSamePackageAndACopyIsNot)
{
    const std::string file = path("test_package_good"), link = temporary("link"),
                      copy = temporary("copy");
    ob_loaded_package *p = nullptr, *same = nullptr, *other = nullptr;
    ASSERT_EQ(OB_OK, ob_package_load(file.c_str(), &p)) << message();
    ASSERT_EQ(0, symlink(file.c_str(), link.c_str()));
    std::ofstream(copy, std::ios::binary) << std::ifstream(file, std::ios::binary).rdbuf();
    EXPECT_EQ(OB_OK, ob_package_load(link.c_str(), &same)) << message();
    EXPECT_EQ(p, same);
    EXPECT_EQ(OB_ERR_DUPLICATE, ob_package_load(copy.c_str(), &other));
    EXPECT_EQ(nullptr, other);
    EXPECT_TRUE(tells("copy_") && tells("test_package_good.so")) << message();
    EXPECT_EQ(OB_OK, ob_package_unload(p));
    std::remove(link.c_str());
    std::remove(copy.c_str());
}

TEST(Package, FailuresSayWhyAndLeaveNothing)
{
    ob_loaded_package *p = nullptr;
    EXPECT_EQ(OB_ERR_IO, ob_package_load("/nowhere/libob_x.so", &p));
    EXPECT_EQ(OB_ERR_IO, ob_package_load(path("test_package_no_symbol").c_str(), &p));
    EXPECT_TRUE(tells("ob_package_open")) << message();
    EXPECT_EQ(OB_ERR_ABI, ob_package_load(path("test_package_wrong_abi").c_str(), &p));
    EXPECT_TRUE(tells("0.2") && tells("0.1")) << message();
    EXPECT_EQ(OB_ERR_DEVICE, ob_package_load(path("test_package_refuses").c_str(), &p));
    EXPECT_TRUE(tells("on fire") && tells("test_package_refuses")) << message();
    EXPECT_EQ(OB_ERR_STATE, ob_package_load(path("test_package_nests").c_str(), &p));
    EXPECT_TRUE(tells("while") && tells("loaded")) << message();
    EXPECT_EQ(nullptr, p);
    EXPECT_EQ(nullptr, ob_package_at(0));
}

TEST(Package, OpsWithoutKernelRunOnTheCpuUnlessStrict)
{
    static int one = 1;
    ob_loaded_package *p = nullptr;
    ASSERT_EQ(OB_OK, ob_package_load(path("test_package_good").c_str(), &p)) << message();
    Library lib = open(OB_LIBRARY_KIND_DEF, "fallback");
    ASSERT_EQ(OB_OK, ob_library_def(lib.get(), "f(Tensor x) -> int", 0));
    ASSERT_EQ(OB_OK, ob_library_def(lib.get(), "same_(Tensor(a!) x) -> Tensor(a!)", 0));
    ASSERT_EQ(OB_OK, ob_library_def(lib.get(), "view(Tensor(a) x) -> Tensor(a)", 0));
    const ob_kernel k = kernel(answer, &one);
    const ob_kernel write = kernel([](ob_frame *f) -> ob_status {
        static_cast<float *>(ob_tensor_data(f->args[0].u.tensor))[1] = 5;
        f->results[0] = ob_value_tensor(ob_tensor_retain(f->args[0].u.tensor));
        return OB_OK;
    });
    ASSERT_EQ(OB_OK, ob_library_impl(lib.get(), "f", OB_KEY_CPU, &k));
    ASSERT_EQ(OB_OK, ob_library_impl(lib.get(), "same_", OB_KEY_CPU, &write));
    Tensor t = tensor({ OB_BACKEND_PrivateUse1, 0 });
    EXPECT_EQ(1, call("fallback::f", t.get())) << message();
    EXPECT_EQ(1u, ob_inspect_counts(ob_op_peek("fallback::f")).fallbacks);
    const ob_value arg = ob_value_tensor(t.get());
    ob_value result = {};
    ASSERT_EQ(OB_OK, ob_call_unchecked(ob_op_peek("fallback::same_"), &arg, &result)) << message();
    EXPECT_EQ(t.get(), result.u.tensor);
    ob_value_reset(&result);
    float values[2] = {};
    ASSERT_EQ(OB_OK, ob_tensor_read(t.get(), values, sizeof values));
    EXPECT_EQ(5, values[1]);
    EXPECT_EQ(OB_ERR_UNSUPPORTED, ob_call_unchecked(ob_op_peek("fallback::view"), &arg, &result));
    EXPECT_TRUE(tells("fallback::view") && tells("view op")) << message();
    const ob_guard strict = ob_guard_strict(true);
    EXPECT_EQ(-1, call("fallback::f", t.get()));
    EXPECT_EQ(OB_ERR_FALLBACK, ob_error_last()->status);
    EXPECT_TRUE(tells("fallback::f")) << message();
    ob_guard_leave(&strict);
    t.reset();
    EXPECT_EQ(OB_OK, ob_package_unload(p)) << message();
}
