/* View ops: sizes, strides and offsets by hand, and what they refuse. */
#include "../support/aten.h"

using namespace ob_test;

namespace
{

void expect_window(const Tensor &t, const Ints &sizes, const Ints &strides, int64_t offset)
{
    ASSERT_TRUE(t);
    EXPECT_EQ(t.sizes(), sizes);
    EXPECT_EQ(t.strides(), strides);
    EXPECT_EQ(t.offset(), offset);
}

} // namespace

TEST(Views, SelectDropsTheDimAndMovesTheOffset)
{
    const Tensor x = iota({ 2, 3, 4 });
    expect_window(run("select.int", x, 1, -1), { 2, 4 }, { 12, 1 }, 8);
    expect_window(run("select.int", x, -3, 1), { 3, 4 }, { 4, 1 }, 12);
}

TEST(Views, SelectRefusesAnIndexOutOfRange)
{
    const Result r = call("select.int", iota({ 2, 3 }), 1, 3);
    EXPECT_EQ(r.status, OB_ERR_ARG);
    EXPECT_NE(r.message.find("index 3"), std::string::npos) << r.message;
}

TEST(Views, SliceCutsAsPythonDoes)
{
    const Tensor x = iota({ 5, 4 });
    expect_window(run("slice.Tensor", x, 0, 1, 100, 2), { 2, 4 }, { 8, 1 }, 4);
    expect_window(run("slice.Tensor", x, 1, -3, -1), { 5, 2 }, { 4, 1 }, 1);
    expect_window(run("slice.Tensor", x, 0, 4, 2), { 0, 4 }, { 4, 1 }, 16);
    expect_window(run("slice.Tensor", x), { 5, 4 }, { 4, 1 }, 0);
    EXPECT_EQ(call("slice.Tensor", x, 0, 0, 5, 0).status, OB_ERR_ARG);
}

TEST(Views, ExpandGivesZeroStrides)
{
    expect_window(run("expand", iota({ 1, 4 }), Ints{ 3, -1 }), { 3, 4 }, { 0, 1 }, 0);
    expect_window(run("expand", iota({ 3, 4 }), Ints{ 1, 2, 3, 4 }), { 1, 2, 3, 4 }, { 0, 0, 4, 1 },
                  0);
    expect_window(run("expand", iota({ 4 }), Ints{ 1, 1, 4 }), { 1, 1, 4 }, { 4, 4, 1 }, 0);
    EXPECT_EQ(call("expand", iota({ 2, 3 }), Ints{ -1, 2, 3 }).status, OB_ERR_SHAPE);
    EXPECT_EQ(call("expand", iota({ 2, 3 }), Ints{ 2, 4 }).status, OB_ERR_SHAPE);
}

TEST(Views, PermuteTransposeAndTReorder)
{
    const Tensor x = iota({ 2, 3, 4 });
    expect_window(run("permute", x, Ints{ 2, 0, -2 }), { 4, 2, 3 }, { 1, 12, 4 }, 0);
    expect_window(run("transpose.int", x, 0, -1), { 4, 3, 2 }, { 1, 4, 12 }, 0);
    expect_window(run("t", iota({ 2, 3 })), { 3, 2 }, { 1, 3 }, 0);
    EXPECT_EQ(call("t", x).status, OB_ERR_SHAPE);
    EXPECT_EQ(call("permute", x, Ints{ 0, 1 }).status, OB_ERR_ARG);
    EXPECT_EQ(call("permute", x, Ints{ 0, 1, 1 }).status, OB_ERR_ARG);
}

TEST(Views, SqueezeAndUnsqueezeUndoEachOther)
{
    const Tensor x = iota({ 1, 3, 1, 4 });
    expect_window(run("squeeze", x), { 3, 4 }, { 4, 1 }, 0);
    expect_window(run("squeeze.dim", x, 2), { 1, 3, 4 }, { 12, 4, 1 }, 0);
    expect_window(run("squeeze.dim", x, 1), { 1, 3, 1, 4 }, { 12, 4, 4, 1 }, 0);
    expect_window(run("squeeze.dims", x, Ints{ 0, -2 }), { 3, 4 }, { 4, 1 }, 0);
    expect_window(run("unsqueeze", iota({ 3, 4 }), 1), { 3, 1, 4 }, { 4, 4, 1 }, 0);
    expect_window(run("unsqueeze", iota({ 3, 4 }), -1), { 3, 4, 1 }, { 4, 1, 1 }, 0);
    EXPECT_EQ(call("unsqueeze", iota({ 3, 4 }), 3).status, OB_ERR_ARG);
}

TEST(Views, ViewInfersOneExtentAndRefusesGaps)
{
    const Tensor x = iota({ 2, 3, 4 });
    expect_window(run("view", x, Ints{ -1, 6 }), { 4, 6 }, { 6, 1 }, 0);
    const Tensor turned = run("transpose.int", x, 0, 1);
    expect_window(run("view", turned, Ints{ 3, 2, 2, 2 }), { 3, 2, 2, 2 }, { 4, 12, 2, 1 }, 0);
    EXPECT_EQ(call("view", turned, Ints{ 24 }).status, OB_ERR_SHAPE);
    EXPECT_EQ(call("view", x, Ints{ 5, -1 }).status, OB_ERR_SHAPE);
}

TEST(Views, DiagonalUnfoldAndAsStrided)
{
    const Tensor x = iota({ 3, 4 });
    expect_window(run("diagonal", x), { 3 }, { 5 }, 0);
    expect_window(run("diagonal", x, 1), { 3 }, { 5 }, 1);
    expect_window(run("diagonal", x, -1), { 2 }, { 5 }, 4);
    expect_window(run("diagonal", x, 10), { 0 }, { 5 }, 0);
    expect_window(run("unfold", x, 1, 2, 2), { 3, 2, 2 }, { 4, 2, 1 }, 0);
    EXPECT_EQ(call("unfold", x, 1, 5, 1).status, OB_ERR_ARG);
    expect_window(run("as_strided", x, Ints{ 2, 2 }, Ints{ 1, 2 }, 3), { 2, 2 }, { 1, 2 }, 3);
    EXPECT_EQ(call("as_strided", x, Ints{ 4, 4 }, Ints{ 4, 1 }).status, OB_ERR_ARG);
}

TEST(Views, ListsShareTheStorage)
{
    const Tensor x = iota({ 5, 2 });
    const Result split = call("split.Tensor", x, 2);
    ASSERT_EQ(split.values[0].count, 3U);
    expect_window(split.element(2), { 1, 2 }, { 2, 1 }, 8);
    EXPECT_EQ(ob_tensor_storage(split.element(0).get()), ob_tensor_storage(x.get()));
    const Result unbind = call("unbind.int", x, 1);
    expect_window(unbind.element(1), { 5 }, { 2 }, 1);
    expect_window(call("split_with_sizes", x, Ints{ 1, 4 }).element(1), { 4, 2 }, { 2, 1 }, 2);
    EXPECT_EQ(call("split_with_sizes", x, Ints{ 1, 3 }).status, OB_ERR_ARG);
}

TEST(Views, InPlaceFormsChangeSelf)
{
    const Tensor x = iota({ 2, 3 });
    const Tensor same = run("transpose_", x, 0, 1);
    EXPECT_EQ(same.get(), x.get());
    expect_window(x, { 3, 2 }, { 1, 3 }, 0);
    run("unsqueeze_", x, 0);
    expect_window(x, { 1, 3, 2 }, { 3, 1, 3 }, 0);
}

TEST(Views, CopyFormsOwnTheirMemory)
{
    const Tensor x = iota({ 2, 3 });
    const Tensor y = run("transpose_copy.int", x, 0, 1);
    expect_window(y, { 3, 2 }, { 2, 1 }, 0);
    EXPECT_NE(ob_tensor_storage(y.get()), ob_tensor_storage(x.get()));
    EXPECT_EQ(y.values(), (std::vector<double>{ 0, 3, 1, 4, 2, 5 }));
}

TEST(Views, BytesReadAsAnotherDtype)
{
    const Tensor x = iota({ 2, 4 });
    expect_window(run("view.dtype", x, OB_I16), { 2, 8 }, { 8, 1 }, 0);
    expect_window(run("view.dtype", x, OB_I64), { 2, 2 }, { 2, 1 }, 0);
    EXPECT_EQ(call("view.dtype", run("transpose.int", x, 0, 1), OB_I16).status, OB_ERR_ARG);
    const Tensor c = run("view_as_complex", iota({ 3, 2 }));
    EXPECT_EQ(c.dtype(), OB_C64);
    expect_window(c, { 3 }, { 1 }, 0);
    expect_window(run("view_as_real", c), { 3, 2 }, { 2, 1 }, 0);
}
