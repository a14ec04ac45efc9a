/* Forms that libob makes from a sibling: out, in-place, functional and _copy. */
#include "../support/aten.h"

using namespace ob_test;
using Values = std::vector<double>;

TEST(Derived, OutFormsCallTheFunctionalOne)
{
    const Tensor out = tensor({ 1 }, { 0 });
    EXPECT_EQ(run("flip.out", iota({ 3 }), Ints{ 0 }, out).get(), out.get());
    EXPECT_EQ(out.values(), (Values{ 2, 1, 0 }));
    run("clone.out", iota({ 2 }), nullptr, out);
    EXPECT_EQ(out.values(), (Values{ 0, 1 }));
}

TEST(Derived, OutFormsDoNotCast)
{
    const Tensor wide = tensor({ 2 }, { 0, 0 }, OB_F64);
    EXPECT_EQ(call("clone.out", iota({ 2 }), nullptr, wide).status, OB_ERR_DTYPE);
    EXPECT_EQ(call("flip.out", iota({ 3 }), Ints{ 0 }, tensor({ 3 }, { 0, 0, 0 }, OB_I32)).status,
              OB_ERR_DTYPE);
}

TEST(Derived, OutOfAListWritesEachElement)
{
    const Tensor a = iota({ 1 }), b = iota({ 1 });
    ob_tensor *list[] = { a.get(), b.get() };
    const Result r =
        call("unbind_copy.int_out", iota({ 2, 2 }), 0, ob_value_tensors(ob_tensors{ list, 2 }));
    EXPECT_EQ(r.status, OB_OK) << r.message;
    EXPECT_EQ(b.values(), (Values{ 2, 3 }));
}

TEST(Derived, FunctionalFormsLeaveSelfAlone)
{
    const Tensor x = iota({ 2 });
    EXPECT_EQ(run("copy", x, tensor({}, { 7 })).values(), (Values{ 7, 7 }));
    EXPECT_EQ(run("resize", x, Ints{ 1 }).values(), (Values{ 0 }));
    EXPECT_EQ(x.values(), (Values{ 0, 1 }));
}

TEST(Derived, TheyAreMarkedAsGenerated)
{
    ob_op *op = nullptr;
    ob_entry entry = {};
    ASSERT_EQ(ob_op_find("aten::flip.out", &op), OB_OK);
    ASSERT_EQ(ob_inspect_entry(op, OB_KEY_CPU, &entry), OB_OK);
    EXPECT_TRUE(entry.generated);
    EXPECT_EQ(entry.source, OB_KEY_CompositeExplicitAutograd);
}
