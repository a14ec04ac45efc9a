/* Copies, conversions and factories: values and strides by hand. */
#include "../support/aten.h"

using namespace ob_test;
using Values = std::vector<double>;

TEST(Copies, CopyBroadcastsAndConverts)
{
    const Tensor x = run("zeros", Ints{ 2, 3 }, OB_I32);
    const Tensor y = run("copy_", x, tensor({ 3 }, { 1.9, -1.9, 7 }));
    EXPECT_EQ(y.get(), x.get());
    EXPECT_EQ(x.values(), (Values{ 1, -1, 7, 1, -1, 7 }));
    EXPECT_EQ(call("copy_", x, iota({ 2 })).status, OB_ERR_SHAPE);
    EXPECT_EQ(call("copy_", run("expand", iota({ 1 }), Ints{ 3 }), iota({ 3 })).status, OB_ERR_ARG);
}

TEST(Copies, CopyIntoAPartlyOverlappingWindowIsRefused)
{
    const Tensor x = iota({ 5 });
    EXPECT_EQ(
        call("copy_", run("slice.Tensor", x, 0, 1, 5), run("slice.Tensor", x, 0, 0, 4)).status,
        OB_ERR_ARG);
    EXPECT_EQ(x.values(), (Values{ 0, 1, 2, 3, 4 }));
}

TEST(Copies, CopyOfAnOverlappingWindowWithGapsReadsTheOldValues)
{
    const Tensor x = iota({ 6 });
    run("copy_", run("slice.Tensor", x, 0, 2, 6, 2), run("slice.Tensor", x, 0, 0, 4, 2));
    EXPECT_EQ(x.values(), (Values{ 0, 1, 0, 3, 2, 5 }));
}

TEST(Copies, CopyRaisesTheVersion)
{
    const Tensor x = iota({ 2 });
    const uint64_t before = ob_tensor_version(x.get());
    run("copy_", x, iota({ 2 }));
    EXPECT_EQ(ob_tensor_version(x.get()), before + 1);
}

TEST(Copies, CloneKeepsDenseStridesAndTakesFormats)
{
    const Tensor x = run("permute", iota({ 2, 3, 4 }), Ints{ 2, 0, 1 });
    EXPECT_EQ(run("clone", x).strides(), (Ints{ 1, 12, 4 }));
    EXPECT_EQ(run("contiguous", x).strides(), (Ints{ 6, 3, 1 }));
    ob_value format = { OB_VALUE_MEMORY_FORMAT, 0, { OB_MEMORY_FORMAT_CHANNELS_LAST } };
    EXPECT_EQ(run("clone", iota({ 2, 3, 4, 5 }), format).strides(), (Ints{ 60, 1, 15, 3 }));
    const Tensor gaps = run("slice.Tensor", run("transpose.int", iota({ 4, 6 }), 0, 1), 0, 0, 6, 2);
    EXPECT_EQ(run("clone", gaps).strides(), (Ints{ 1, 3 }));
}

TEST(Copies, ToGivesSelfBackWhenNothingChanges)
{
    const Tensor x = iota({ 2 });
    EXPECT_EQ(run("to.dtype", x, OB_F32).get(), x.get());
    EXPECT_NE(run("to.dtype", x, OB_F32, false, true).get(), x.get());
    EXPECT_EQ(run("to.dtype", x, OB_I64).dtype(), OB_I64);
    EXPECT_EQ(run("contiguous", x).get(), x.get());
}

TEST(Copies, ItemReadsTheOneElement)
{
    EXPECT_EQ(call("item", tensor({}, { 2.5 })).values[0].u.d, 2.5);
    const Result i = call("item", tensor({ 1, 1 }, { 7 }, OB_I16));
    ASSERT_EQ(i.values[0].tag, (uint32_t)OB_VALUE_INT);
    EXPECT_EQ(i.values[0].u.i, 7);
    EXPECT_EQ(call("item", iota({ 2 })).status, OB_ERR_ARG);
}

TEST(Copies, MetaTensorsCarryNoValues)
{
    const Tensor m =
        run("empty.memory_format", Ints{ 2, 2 }, nullptr, nullptr, ob_value_device(OB_DEVICE_META));
    EXPECT_TRUE(ob_tensor_is_meta(m.get()));
    EXPECT_EQ(call("copy_", iota({ 2, 2 }), m).status, OB_ERR_ARG);
    EXPECT_EQ(run("clone", m).sizes(), (Ints{ 2, 2 }));
    EXPECT_EQ(run("copy_", m, iota({ 2, 2 })).get(), m.get());
}

TEST(Factories, MakeWhatTheySay)
{
    EXPECT_EQ(run("zeros", Ints{ 3 }).values(), (Values{ 0, 0, 0 }));
    EXPECT_EQ(run("ones", Ints{ 2 }, OB_I64).values(), (Values{ 1, 1 }));
    EXPECT_EQ(run("full", Ints{ 2 }, 3).dtype(), OB_I64);
    EXPECT_EQ(run("full", Ints{ 2 }, 2.5).values(), (Values{ 2.5, 2.5 }));
    EXPECT_EQ(run("full", Ints{ 1 }, true).dtype(), OB_BOOL);
    EXPECT_EQ(run("scalar_tensor", 3).dtype(), OB_F32);
    EXPECT_EQ(run("full_like", iota({ 2 }, OB_I32), 7).values(), (Values{ 7, 7 }));
    EXPECT_EQ(run("new_full", iota({ 2 }, OB_I32), Ints{ 1 }, 7).dtype(), OB_I32);
    EXPECT_EQ(run("eye.m", 2, 3).values(), (Values{ 1, 0, 0, 0, 1, 0 }));
    EXPECT_EQ(call("zeros", Ints{ -1 }).status, OB_ERR_ARG);
}

TEST(Factories, LikeKeepsStridesOfADenseTensor)
{
    const Tensor x = run("transpose.int", iota({ 2, 3 }), 0, 1);
    EXPECT_EQ(run("zeros_like", x).strides(), (Ints{ 1, 3 }));
    EXPECT_EQ(run("empty_permuted", Ints{ 2, 3, 4 }, Ints{ 2, 0, 1 }).strides(), (Ints{ 3, 1, 6 }));
}

TEST(Factories, RangesCountAsPyTorchDoes)
{
    EXPECT_EQ(run("arange", 3).values(), (Values{ 0, 1, 2 }));
    EXPECT_EQ(run("arange", 3).dtype(), OB_I64);
    EXPECT_EQ(run("arange", 2.5).dtype(), OB_F32);
    EXPECT_EQ(run("arange.start_step", 5, 0, -2).values(), (Values{ 5, 3, 1 }));
    EXPECT_EQ(call("arange.start_step", 0, 5, -1).status, OB_ERR_ARG);
    EXPECT_EQ(run("linspace", 0, 1, 5).values(), (Values{ 0, 0.25, 0.5, 0.75, 1 }));
    const ob_value i = ob_value_scalar(ob_complex(0, 1));
    const ob_value end = ob_value_scalar(ob_complex(2, -1));
    const Tensor c = run("linspace", i, end, 5);
    EXPECT_EQ(run("view_as_real", c).values(), (Values{ 0, 1, 0.5, 0.5, 1, 0, 1.5, -0.5, 2, -1 }));
    EXPECT_EQ(OB_ERR_DTYPE, call("linspace", i, end, 5, OB_F32).status);
}

TEST(Factories, OutFormsResize)
{
    const Tensor out = iota({ 1 });
    EXPECT_EQ(run("full.out", Ints{ 2, 2 }, 4, out).get(), out.get());
    EXPECT_EQ(out.values(), (Values{ 4, 4, 4, 4 }));
    run("arange.out", 3, out);
    EXPECT_EQ(out.values(), (Values{ 0, 1, 2 }));
}

TEST(Factories, FillHasAllItsForms)
{
    const Tensor x = iota({ 2 });
    EXPECT_EQ(run("fill.Scalar", x, 5).values(), (Values{ 5, 5 }));
    EXPECT_EQ(x.values(), (Values{ 0, 1 }));
    EXPECT_EQ(run("fill_.Scalar", x, 5).get(), x.get());
    EXPECT_EQ(x.values(), (Values{ 5, 5 }));
    const Tensor spread = run("expand", iota({ 1 }), Ints{ 3 });
    EXPECT_EQ(run("fill_.Scalar", spread, 1).values(), (Values{ 1, 1, 1 }));
    EXPECT_EQ(run("fill_.Tensor", x, tensor({}, { 3 })).values(), (Values{ 3, 3 }));
    EXPECT_EQ(run("zero", x).values(), (Values{ 0, 0 }));
}

TEST(Metadata, QuestionsAboutATensor)
{
    const Tensor x = iota({ 2, 3 });
    EXPECT_EQ(call("sym_size.int", x, -1).values[0].u.i, 3);
    EXPECT_EQ(call("stride.int", x, 0).values[0].u.i, 3);
    EXPECT_EQ(call("sym_numel", x).values[0].u.i, 6);
    EXPECT_EQ(call("size.int", x, 2).status, OB_ERR_ARG);
    run("resize_", x, Ints{ 4 });
    EXPECT_EQ(x.values(), (Values{ 0, 1, 2, 3 }));
}
