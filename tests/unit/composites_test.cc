/* Composites whose parts are kernels that copy and choose: values worked out by hand. */
#include "../support/aten.h"

using namespace ob_test;
using Values = std::vector<double>;

TEST(Reshape, IsAViewWhereStridesAllowAndACopyWhereNot)
{
    const Tensor x = iota({ 2, 3 });
    EXPECT_EQ(ob_tensor_storage(run("reshape", x, Ints{ 3, -1 }).get()),
              ob_tensor_storage(x.get()));
    const Tensor t = run("transpose.int", x, 0, 1);
    const Tensor y = run("reshape", t, Ints{ -1 });
    EXPECT_NE(ob_tensor_storage(y.get()), ob_tensor_storage(x.get()));
    EXPECT_EQ(y.values(), (Values{ 0, 3, 1, 4, 2, 5 }));
    EXPECT_EQ(call("reshape", x, Ints{ 4, 2 }).status, OB_ERR_SHAPE);
}

TEST(Flatten, JoinsARangeOfDims)
{
    EXPECT_EQ(run("flatten.using_ints", iota({ 2, 3, 4, 5 }), 1, -2).sizes(), (Ints{ 2, 12, 5 }));
    EXPECT_EQ(run("flatten.using_ints", iota({}), 0, -1).sizes(), (Ints{ 1 }));
    EXPECT_EQ(call("flatten.using_ints", iota({ 2, 3 }), 1, 0).status, OB_ERR_ARG);
}

TEST(Unflatten, InfersOneExtent)
{
    EXPECT_EQ(run("unflatten.int", iota({ 2, 12, 5 }), 1, Ints{ 3, -1 }).sizes(),
              (Ints{ 2, 3, 4, 5 }));
}

TEST(Movedim, KeepsTheOrderOfTheOthers)
{
    EXPECT_EQ(run("movedim.int", iota({ 2, 3, 4 }), 0, -1).sizes(), (Ints{ 3, 4, 2 }));
    EXPECT_EQ(run("moveaxis.intlist", iota({ 2, 3, 4 }), Ints{ 0, 1 }, Ints{ 2, 0 }).sizes(),
              (Ints{ 3, 4, 2 }));
}

TEST(Chunk, GivesPiecesOfTheCeiling)
{
    const Result r = call("chunk", iota({ 5 }), 3, 0);
    ASSERT_EQ(r.status, OB_OK) << r.message;
    ASSERT_EQ(r.values[0].count, 3u);
    EXPECT_EQ(r.element(2).values(), (Values{ 4 }));
    const Result t = call("tensor_split.sections", iota({ 5 }), 3, 0);
    ASSERT_EQ(t.status, OB_OK) << t.message;
    EXPECT_EQ(t.element(0).values(), (Values{ 0, 1 }));
    EXPECT_EQ(t.element(2).values(), (Values{ 4 }));
    EXPECT_EQ(call("chunk", iota({ 5 }), 0, 0).status, OB_ERR_ARG);
}

TEST(Stack, PutsANewDim)
{
    const Tensor a = iota({ 2 }), b = tensor({ 2 }, { 5, 6 });
    ob_tensor *list[] = { a.get(), b.get() };
    const ob_value both = ob_value_tensors({ list, 2 });
    const Tensor y = run("stack", both, -1);
    EXPECT_EQ(y.sizes(), (Ints{ 2, 2 }));
    EXPECT_EQ(y.values(), (Values{ 0, 5, 1, 6 }));
    EXPECT_EQ(run("concatenate", both, 0).values(), (Values{ 0, 1, 5, 6 })); /* an alias of cat */
}

TEST(Repeat, TilesEveryDim)
{
    EXPECT_EQ(run("repeat", iota({ 2 }), Ints{ 2, 2 }).values(),
              (Values{ 0, 1, 0, 1, 0, 1, 0, 1 }));
    EXPECT_EQ(run("repeat_interleave.self_int", iota({ 2 }), 2, 0).values(),
              (Values{ 0, 0, 1, 1 }));
}

TEST(Pad, KnowsFourModes)
{
    const Tensor x = iota({ 1, 1, 4 });
    const Ints two{ 2, 1 };
    EXPECT_EQ(run("pad", x, two, ob_value_string("reflect")).values(),
              (Values{ 2, 1, 0, 1, 2, 3, 2 }));
    EXPECT_EQ(run("pad", x, two, ob_value_string("replicate")).values(),
              (Values{ 0, 0, 0, 1, 2, 3, 3 }));
    EXPECT_EQ(run("pad", x, two, ob_value_string("circular")).values(),
              (Values{ 2, 3, 0, 1, 2, 3, 0 }));
    EXPECT_EQ(run("pad", x, Ints{ -1, 2 }, ob_value_string("constant"), 7.0).values(),
              (Values{ 1, 2, 3, 7, 7 }));
    const Result r = call("pad", x, Ints{ 4, 0 }, ob_value_string("reflect"));
    EXPECT_EQ(r.status, OB_ERR_SHAPE);
    EXPECT_NE(r.message.find("4 elements"), std::string::npos) << r.message;
}

TEST(Embedding, TakesRows)
{
    const Tensor y = run("embedding", iota({ 3, 2 }), tensor({ 2, 1 }, { 2, 0 }, OB_I64));
    EXPECT_EQ(y.sizes(), (Ints{ 2, 1, 2 }));
    EXPECT_EQ(y.values(), (Values{ 4, 5, 0, 1 }));
}

TEST(AssertTensorMetadata, ComparesWhatIsGiven)
{
    EXPECT_EQ(call("_assert_tensor_metadata", iota({ 2, 3 }), Ints{ 2, 3 }, nullptr, OB_F32).status,
              OB_OK);
    EXPECT_EQ(call("_assert_tensor_metadata", iota({ 2, 3 }), Ints{ 3, 2 }).status, OB_ERR_SHAPE);
    EXPECT_EQ(call("_assert_tensor_metadata", iota({ 2, 3 }), nullptr, nullptr, OB_I64).status,
              OB_ERR_DTYPE);
}
