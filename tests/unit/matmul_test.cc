// Matrix products and softmax on the CPU. Values were recorded from PyTorch 2.13.0 or follow from
// the definition.
#include "../support/aten.h"

#include <cmath>

using namespace ob_test;

namespace
{

using Doubles = std::vector<double>;

TEST(Mm, MultipliesInEveryDtype)
{
    for (const ob_dtype dtype :
         { OB_F32, OB_F64, OB_C64, OB_F16, OB_BF16, OB_I64, OB_I32, OB_U8 }) {
        const Tensor a = tensor({ 2, 3 }, { 1, 2, 3, 4, 5, 6 }, dtype);
        const Tensor b = tensor({ 3, 2 }, { 1, 0, 2, 1, 0, 3 }, dtype);
        const Tensor c = run("mm", a, b);
        EXPECT_EQ((Ints{ 2, 2 }), c.sizes());
        EXPECT_EQ(dtype, c.dtype());
        EXPECT_EQ((Doubles{ 5, 11, 14, 23 }), c.values()) << ob_dtype_name(dtype);
    }
}

TEST(Mm, TakesAnyStrides)
{
    const Tensor wide = iota({ 3, 8 }), tall = iota({ 8, 3 });
    const Tensor columns = run("slice.Tensor", wide, 1, 0, 8, 3);           // [3, 3], strides 8, 3
    const Tensor flipped = run("t", run("slice.Tensor", tall, 0, 1, 8, 3)); // [3, 3], strides 1, 9
    // columns = [[0,3,6],[8,11,14],[16,19,22]], flipped = [[3,12,21],[4,13,22],[5,14,23]]
    EXPECT_EQ((Doubles{ 42, 123, 204, 138, 435, 732, 234, 747, 1260 }),
              run("mm", columns, flipped).values());
}

TEST(Mm, IsZeroWithoutInnerExtent)
{
    const Tensor a = tensor({ 2, 0 }, {}), b = tensor({ 0, 3 }, {});
    EXPECT_EQ(Doubles(6, 0), run("mm", a, b).values());
    EXPECT_EQ((Ints{ 0, 0 }), run("mm", b, tensor({ 3, 0 }, {})).sizes());
}

TEST(Mm, NamesExtentsThatDoNotFit)
{
    const Result r = call("mm", iota({ 2, 3 }), iota({ 2, 5 }));
    EXPECT_EQ(OB_ERR_SHAPE, r.status);
    EXPECT_NE(std::string::npos, r.message.find("mm: self is [2, 3] but mat2 is [2, 5]"))
        << r.message;
    EXPECT_EQ(OB_ERR_DTYPE, call("mm", iota({ 2, 2 }), iota({ 2, 2 }, OB_I64)).status);
    EXPECT_EQ(OB_ERR_SHAPE, call("mm", iota({ 2 }), iota({ 2, 2 })).status);
}

TEST(Addmm, IgnoresSelfWhenBetaIsZero)
{
    for (const ob_dtype dtype : { OB_F32, OB_F16 }) {
        const Tensor nan = tensor({ 2 }, { NAN, NAN }, dtype);
        const Tensor a = tensor({ 1, 2 }, { 1, 2 }, dtype),
                     b = tensor({ 2, 2 }, { 1, 2, 3, 4 }, dtype);
        EXPECT_EQ((Doubles{ 7, 10 }), run("addmm", nan, a, b, 0, 1).values());
        EXPECT_TRUE(std::isnan(run("addmm", nan, a, b, 1, 1).values()[0]));
    }
}

TEST(Addmm, ScalesAndBroadcasts)
{
    const Tensor a = iota({ 2, 0 }), b = iota({ 0, 2 }), row = tensor({ 2 }, { 1, 2 });
    EXPECT_EQ((Doubles{ 3, 6, 3, 6 }), run("addmm", row, a, b, 3, 1).values());
    const Tensor x = tensor({ 2, 1 }, { 1, 2 }), y = tensor({ 1, 2 }, { 10, 20 });
    EXPECT_EQ((Doubles{ 6, 12, 11, 22 }), run("addmm", row, x, y, 1, 0.5).values());
    EXPECT_EQ(OB_ERR_SHAPE, call("addmm", iota({ 3 }), x, y, 1, 1).status);
}

TEST(Baddbmm, MultipliesEachMatrixOfTheBatch)
{
    const Tensor a = iota({ 2, 1, 2 }), b = iota({ 2, 2, 2 });
    EXPECT_EQ((Doubles{ 2, 3, 26, 31 }), run("bmm", a, b).values());
    EXPECT_EQ((Doubles{ 3, 4, 27, 32 }), run("baddbmm", tensor({}, { 1 }), a, b, 1, 1).values());
}

TEST(Vectors, AreRowsOrColumns)
{
    const Tensor m = iota({ 2, 3 }), v = tensor({ 3 }, { 1, 2, 3 });
    EXPECT_EQ((Doubles{ 8, 26 }), run("mv", m, v).values());
    EXPECT_EQ((Doubles{ 108, 126 }),
              run("addmv", tensor({ 2 }, { 100, 100 }), m, v, 1, 1).values());
    EXPECT_EQ((Doubles{ 14 }), run("dot", v, v).values());
    EXPECT_EQ((Ints{}), run("dot", v, v).sizes());
}

void expect_close(const Doubles &want, const Doubles &got)
{
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); i++)
        EXPECT_NEAR(want[i], got[i], 1e-6) << i;
}

TEST(Softmax, SumsToOneAlongItsDim)
{
    const Tensor x = tensor({ 2, 2 }, { 1, 2, 3, 5 });
    expect_close({ 0.26894143, 0.73105860, 0.11920292, 0.88079703 },
                 run("_softmax", x, 1, false).values());
    expect_close({ 0.11920292, 0.04742587, 0.88079703, 0.95257413 },
                 run("_softmax", x, 0, false).values());
    expect_close({ -1.31326163, -0.31326166, -2.12692809, -0.12692805 },
                 run("_log_softmax", x, -1, false).values());
    EXPECT_EQ((Doubles{ 1 }), run("_softmax", tensor({}, { 7 }), 0, false).values());
}

TEST(Softmax, HandlesInfinitiesAndNan)
{
    const Doubles y = run("_softmax", tensor({ 3 }, { 1000, -INFINITY, 1000 }), 0, false).values();
    EXPECT_EQ((Doubles{ 0.5, 0, 0.5 }), y);
    EXPECT_TRUE(
        std::isnan(run("_softmax", tensor({ 2 }, { -INFINITY, -INFINITY }), 0, false).values()[0]));
    EXPECT_TRUE(std::isnan(run("_softmax", tensor({ 2 }, { NAN, 1 }), 0, false).values()[1]));
}

TEST(Softmax, HasBackwards)
{
    const Tensor g = tensor({ 2 }, { 1, 0 }), y = tensor({ 2 }, { 0.25, 0.75 });
    expect_close({ 0.1875, -0.1875 }, run("_softmax_backward_data", g, y, 0, OB_F32).values());
    const Tensor log_y = tensor({ 2 }, { std::log(0.25), std::log(0.75) });
    expect_close({ 0.75, -0.75 }, run("_log_softmax_backward_data", g, log_y, 0, OB_F32).values());
}

} // namespace
