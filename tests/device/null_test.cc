/* The null package: memory and copies, no kernel. Ops run on the CPU fallback, counted, or are
 * refused in strict mode. */
#include <atomic>
#include <thread>

#include "ob/backend.h"
#include "support/aten.h"

using namespace ob_test;

namespace
{

using Values = std::vector<double>;

class Null : public testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(OB_OK, ob_package_load(OB_NULL_FILE, &package)) << ob_error_last()->message;
        ASSERT_EQ(OB_OK, ob_device_parse("null:0", &device)) << ob_error_last()->message;
    }
    void TearDown() override
    {
        EXPECT_EQ(OB_OK, ob_package_unload(package)) << ob_error_last()->message;
    }
    Tensor here(const Tensor &t) const
    {
        ob_tensor *out = nullptr;
        EXPECT_EQ(OB_OK, ob_tensor_to_device(t.get(), device, &out)) << ob_error_last()->message;
        return Tensor(out);
    }

    ob_loaded_package *package = nullptr;
    ob_device device = {};
};

} // namespace

TEST_F(Null, KeepsTheElementsOfEveryDtype)
{
    for (ob_dtype dtype : { OB_BOOL, OB_U8, OB_I8, OB_I16, OB_I32, OB_I64, OB_F16, OB_BF16, OB_F32,
                            OB_F64, OB_F8E4M3 })
        EXPECT_EQ(Values({ 0, 1, 1, 0 }), here(tensor({ 2, 2 }, { 0, 1, 1, 0 }, dtype)).values())
            << ob_dtype_name(dtype);
}

TEST_F(Null, CopiesViewsByTheirStrides)
{
    const Tensor x = here(iota({ 2, 3 }));
    EXPECT_EQ(Values({ 0, 3, 1, 4, 2, 5 }), run("t", x).values());
    EXPECT_EQ(Values({ 1, 2, 4, 5 }), run("slice.Tensor", x, 1, 1, 3, 1).values());
}

/* The running moments are written without the schema saying so, which a fallback cannot know. */
TEST_F(Null, OutFormsOfCompositesAreComposites)
{
    ob_op *op = nullptr;
    ASSERT_EQ(OB_OK, ob_op_find("aten::native_batch_norm.out", &op));
    const uint64_t before = ob_inspect_counts(op).fallbacks;
    const Tensor x = here(tensor({ 2, 1, 2 }, { 1, 2, 3, 4 }));
    const Tensor mean = here(tensor({ 1 }, { 0 })), var = here(tensor({ 1 }, { 1 }));
    const Tensor out = here(tensor({ 1 }, { 0 })), saved = here(tensor({ 1 }, { 0 })),
                 rstd = here(tensor({ 1 }, { 0 }));
    run("native_batch_norm.out", x, nullptr, nullptr, mean, var, true, 0.1, 0.0, out, saved, rstd);
    EXPECT_EQ(before, ob_inspect_counts(op).fallbacks);
    EXPECT_FLOAT_EQ(0.1 * 2.5, mean.values()[0]);
    EXPECT_FLOAT_EQ(0.9 + 0.1 * 5 / 3, var.values()[0]);
    EXPECT_FLOAT_EQ(2.5, saved.values()[0]);
    EXPECT_EQ(Ints({ 2, 1, 2 }), out.sizes());
}

TEST_F(Null, RunsOpsOnTheFallbackAndCountsThem)
{
    ob_op *op = nullptr;
    ASSERT_EQ(OB_OK, ob_op_find("aten::add.Tensor", &op));
    const uint64_t before = ob_inspect_counts(op).fallbacks;
    const Tensor x = here(tensor({ 3 }, { 1, 2, 3 })), sum = run("add.Tensor", x, x, 2);
    EXPECT_EQ(Values({ 3, 6, 9 }), sum.values());
    EXPECT_EQ(device.backend, ob_tensor_device(sum.get()).backend);
    EXPECT_EQ(before + 1, ob_inspect_counts(op).fallbacks);
}

TEST_F(Null, WritesThroughAnAliasOnTheFallback)
{
    const Tensor x = here(iota({ 2, 3 })), column = run("select.int", x, 1, 1);
    EXPECT_EQ(OB_OK, call("add_.Scalar", column, 10, 1).status);
    EXPECT_EQ(Values({ 0, 11, 2, 3, 14, 5 }), x.values());
}

TEST_F(Null, StrictRefusesTheFallbackAndNamesTheOp)
{
    const Tensor x = here(tensor({ 2 }, { 1, 2 }));
    const ob_guard strict = ob_guard_strict(true);
    const Result r = call("add.Tensor", x, x, 1);
    ob_guard_leave(&strict);
    EXPECT_EQ(OB_ERR_FALLBACK, r.status);
    EXPECT_NE(std::string::npos, r.message.find("aten::add.Tensor")) << r.message;
}

TEST_F(Null, ServesSeveralThreadsAtOnce)
{
    std::atomic<int> wrong{ 0 };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([this, i, &wrong] {
            for (int k = 0; k < 50; k++) {
                const Tensor x = here(tensor({ 2 }, { double(i), double(k) }));
                if (run("mul.Tensor", x, x).values() != Values({ double(i * i), double(k * k) }))
                    wrong++;
            }
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(0, wrong);
}

TEST_F(Null, RefusesToUnloadWhileATensorLives)
{
    const Tensor x = here(iota({ 4 }));
    EXPECT_EQ(OB_ERR_STATE, ob_package_unload(package));
}
