// Registering and undoing.
#include "support.h"

using namespace dispatch_test;

namespace
{
int one = 1, two = 2, three = 3;

ob_status impl(ob_library *lib, int *number, uint32_t flags = 0)
{
    const ob_kernel k = kernel(answer, number, flags);
    return ob_library_impl(lib, "f", OB_KEY_Undefined, &k);
}
} // namespace

TEST(Library, SecondDefOfANamespaceNamesBothPlaces)
{
    const Library first = open(OB_LIBRARY_KIND_DEF, "two_defs", OB_KEY_Undefined, 11);
    ob_library *second = nullptr;
    EXPECT_EQ(OB_ERR_DUPLICATE, ob_library_open(OB_LIBRARY_KIND_DEF, "two_defs", OB_KEY_Undefined,
                                                "other.cc", 22, &second));
    EXPECT_EQ(nullptr, second);
    EXPECT_TRUE(tells("test.cc:11")) << message();
    EXPECT_TRUE(tells("other.cc:22")) << message();
}

TEST(Library, SecondDefOfAnOpNamesBothPlaces)
{
    const Library a = open(OB_LIBRARY_KIND_FRAGMENT, "twice", OB_KEY_Undefined, 31);
    const Library b = open(OB_LIBRARY_KIND_FRAGMENT, "twice", OB_KEY_Undefined, 32);
    ASSERT_EQ(OB_OK, ob_library_def(a.get(), "f(Tensor x) -> int", 0));
    EXPECT_EQ(OB_ERR_DUPLICATE, ob_library_def(b.get(), "twice::f(Tensor x) -> int", 0));
    EXPECT_TRUE(tells("test.cc:31") && tells("test.cc:32")) << message();
}

TEST(Library, SecondKernelNeedsOverrideAndUndoesInAnyOrder)
{
    const Library def = open(OB_LIBRARY_KIND_DEF, "stack");
    Library a = open(OB_LIBRARY_KIND_IMPL, "stack", OB_KEY_CPU, 41);
    Library b = open(OB_LIBRARY_KIND_IMPL, "stack", OB_KEY_CPU, 42);
    Library c = open(OB_LIBRARY_KIND_IMPL, "stack", OB_KEY_CPU, 43);
    const Tensor t = cpu_tensor();
    ASSERT_EQ(OB_OK, ob_library_def(def.get(), "f(Tensor x) -> int", 0));
    ASSERT_EQ(OB_OK, impl(a.get(), &one));
    EXPECT_EQ(OB_ERR_DUPLICATE, impl(b.get(), &two));
    EXPECT_TRUE(tells("test.cc:41") && tells("test.cc:42") && tells("CPU")) << message();
    ASSERT_EQ(OB_OK, impl(b.get(), &two, OB_KERNEL_OVERRIDE));
    ASSERT_EQ(OB_OK, impl(c.get(), &three, OB_KERNEL_OVERRIDE));
    EXPECT_EQ(3, call("stack::f", t.get()));
    b.reset();
    EXPECT_EQ(3, call("stack::f", t.get()));
    c.reset();
    EXPECT_EQ(1, call("stack::f", t.get()));
    a.reset();
    EXPECT_EQ(-1, call("stack::f", t.get()));
}

TEST(Library, ImplBeforeDefIsFine)
{
    Library a = open(OB_LIBRARY_KIND_IMPL, "early", OB_KEY_CPU);
    const Tensor t = cpu_tensor();
    ASSERT_EQ(OB_OK, impl(a.get(), &one));
    ob_op *op = nullptr;
    EXPECT_EQ(OB_ERR_NOT_FOUND, ob_op_find("early::f", &op));
    EXPECT_TRUE(tells("ob_library_def")) << message();
    Library def = open(OB_LIBRARY_KIND_DEF, "early");
    ASSERT_EQ(OB_OK, ob_library_def(def.get(), "f(Tensor x) -> int", 0));
    EXPECT_EQ(1, call("early::f", t.get()));
    def.reset();
    EXPECT_EQ(-1, call("early::f", t.get()));
    def = open(OB_LIBRARY_KIND_DEF, "early");
    ASSERT_EQ(OB_OK, ob_library_def(def.get(), "f(Tensor x) -> int", 0));
    EXPECT_EQ(1, call("early::f", t.get()));
}

TEST(Library, TableOfKernelsIsAllOrNothing)
{
    const Library def = open(OB_LIBRARY_KIND_DEF, "rows");
    const Library a = open(OB_LIBRARY_KIND_IMPL, "rows", OB_KEY_CPU);
    ASSERT_EQ(OB_OK, ob_library_def(def.get(), "f(Tensor x) -> int", 0));
    const ob_kernel_row rows[] = { { "f", kernel(answer, &one) }, { "g", kernel(answer, &two) } };
    EXPECT_EQ(OB_ERR_NOT_FOUND, ob_library_impl_all(a.get(), rows, 2));
    EXPECT_TRUE(tells("rows::g")) << message();
    EXPECT_FALSE(ob_inspect_has_kernel_for_key(ob_op_peek("rows::f"), OB_KEY_CPU));
    EXPECT_EQ(OB_OK, ob_library_impl_all(a.get(), rows, 1));
    EXPECT_TRUE(ob_inspect_has_kernel_for_key(ob_op_peek("rows::f"), OB_KEY_CPU));
}

TEST(Library, SignatureIsCheckedInBothOrders)
{
    const Library def = open(OB_LIBRARY_KIND_DEF, "sig");
    const Library a = open(OB_LIBRARY_KIND_IMPL, "sig", OB_KEY_CPU);
    ob_kernel k = kernel(answer, &one);
    k.signature = "(Tensor _0) -> int";
    ASSERT_EQ(OB_OK, ob_library_def(def.get(), "f(Tensor x, Tensor y) -> int", 0));
    EXPECT_EQ(OB_ERR_MISMATCH, ob_library_impl(a.get(), "f", OB_KEY_Undefined, &k));
    EXPECT_TRUE(tells("number of arguments is different, 2 vs 1")) << message();
    ASSERT_EQ(OB_OK, ob_library_impl(a.get(), "g", OB_KEY_Undefined, &k));
    EXPECT_EQ(OB_ERR_MISMATCH, ob_library_def(def.get(), "g(Tensor x) -> float", 0));
    EXPECT_TRUE(tells("type mismatch in return 1")) << message();
    EXPECT_EQ(nullptr, ob_op_schema(ob_op_peek("sig::g")));
}

TEST(Library, ListenersHearDefsAndUndefs)
{
    struct Heard {
        int defs = 0, undefs = 0;
    } heard;
    ob_listener *listener = nullptr;
    ASSERT_EQ(OB_OK, ob_listener_add(
                         [](void *u, const ob_op *op) {
                             static_cast<Heard *>(u)->defs +=
                                 std::string(ob_op_name(op)) == "heard::f";
                         },
                         [](void *u, const ob_op *) { static_cast<Heard *>(u)->undefs++; }, &heard,
                         &listener));
    Library def = open(OB_LIBRARY_KIND_DEF, "heard");
    ASSERT_EQ(OB_OK, ob_library_def(def.get(), "f(Tensor x) -> int", 0));
    def.reset();
    EXPECT_EQ(1, heard.defs);
    EXPECT_EQ(1, heard.undefs);
    ob_listener_release(listener);
}
