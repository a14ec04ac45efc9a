// Arithmetic on sizes and strides. Values were recorded from PyTorch 2.13.0.
#include "core/tensor/shape.h"

#include "support/ob_gtest.h"

namespace
{

using Ints = std::vector<int64_t>;

int rank_of(const Ints &v)
{
    return static_cast<int>(v.size());
}

TEST(Numel, IsTheProductOfExtents)
{
    int64_t n = -1;
    ASSERT_OB_OK(ob_shape_numel(nullptr, 0, &n));
    EXPECT_EQ(1, n);
    const Ints sizes = { 2, 0, 3 };
    ASSERT_OB_OK(ob_shape_numel(sizes.data(), 3, &n));
    EXPECT_EQ(0, n);
}

TEST(Numel, RefusesHostileExtents)
{
    int64_t n = -1;
    const Ints negative = { 2, -1 }, large = { INT64_MAX, 2 }, hidden = { 0, INT64_MAX, 3 };
    EXPECT_OB_ERR(OB_ERR_ARG, "extent -1 of dim 1", ob_shape_numel(negative.data(), 2, &n));
    EXPECT_OB_ERR(OB_ERR_ARG, "below 2^63", ob_shape_numel(large.data(), 2, &n));
    EXPECT_OB_ERR(OB_ERR_ARG, "below 2^63", ob_shape_numel(hidden.data(), 3, &n));
    EXPECT_EQ(0, n);
}

TEST(SpanBytes, ReachesTheLastElement)
{
    size_t bytes = 0;
    const Ints sizes = { 2, 3 }, strides = { 10, 2 }, none = { 2, 0 };
    ASSERT_OB_OK(ob_shape_span_bytes(sizes.data(), strides.data(), 2, 5, 4, &bytes));
    EXPECT_EQ(4U * (5 + 10 + 4 + 1), bytes);
    ASSERT_OB_OK(ob_shape_span_bytes(none.data(), strides.data(), 2, 5, 4, &bytes));
    EXPECT_EQ(0U, bytes);
}

TEST(SpanBytes, RefusesWhatDoesNotFit)
{
    size_t bytes = 0;
    const Ints sizes = { 3 }, far = { INT64_MAX / 2 }, back = { -1 }, wide = { INT64_MAX / 4 };
    EXPECT_OB_ERR(OB_ERR_ARG, "2^63",
                  ob_shape_span_bytes(sizes.data(), far.data(), 1, 5, 1, &bytes));
    EXPECT_OB_ERR(OB_ERR_ARG, "2^63",
                  ob_shape_span_bytes(sizes.data(), wide.data(), 1, 0, 8, &bytes));
    EXPECT_OB_ERR(OB_ERR_ARG, "stride -1",
                  ob_shape_span_bytes(sizes.data(), back.data(), 1, 0, 1, &bytes));
    EXPECT_OB_ERR(OB_ERR_ARG, "offset -2",
                  ob_shape_span_bytes(sizes.data(), sizes.data(), 1, -2, 1, &bytes));
}

struct Layout {
    Ints sizes, strides;
    bool contiguous, dense, overlaps;
};

TEST(Layout, IsJudgedLikeInPyTorch)
{
    const Layout layouts[] = {
        { {}, {}, true, true, false },
        { { 2, 3 }, { 3, 1 }, true, true, false },
        { { 2, 3 }, { 1, 2 }, false, true, false },
        { { 2, 1, 3 }, { 3, 77, 1 }, true, true, false },
        { { 2, 0 }, { 9, 9 }, true, true, false },
        { { 2, 3 }, { 4, 1 }, false, false, false },
        { { 4 }, { 2 }, false, false, false },
        { { 1 }, { 5 }, true, true, false },
        { { 2, 3, 4, 5 }, { 60, 1, 15, 3 }, false, true, false }, // channels last
        { { 3, 4 }, { 0, 1 }, false, false, true },               // expanded
        { { 3, 3 }, { 1, 1 }, false, false, true },
        { { 3, 2 }, { 2, 3 }, false, false, false },
        { { 4, 2 }, { 2, 3 }, false, false, false },
        { { 4, 3 }, { 2, 3 }, false, false, true }, // 3 * 2 = 2 * 3
    };
    for (const Layout &l : layouts) {
        const int rank = rank_of(l.sizes);
        const std::string name =
            ::testing::PrintToString(l.sizes) + ::testing::PrintToString(l.strides);
        EXPECT_EQ(l.contiguous, ob_shape_is_contiguous(l.sizes.data(), l.strides.data(), rank))
            << name;
        EXPECT_EQ(l.dense, ob_shape_is_dense(l.sizes.data(), l.strides.data(), rank)) << name;
        EXPECT_EQ(l.overlaps, ob_shape_may_overlap(l.sizes.data(), l.strides.data(), rank)) << name;
    }
}

TEST(DenseStrides, CountEmptyExtentsAsOne)
{
    const Ints sizes = { 2, 0, 3 };
    Ints strides(3);
    ob_shape_dense_strides(sizes.data(), 3, strides.data());
    EXPECT_EQ((Ints{ 3, 3, 1 }), strides);
}

TEST(WrapDim, CountsFromTheEnd)
{
    int dim = 9;
    ASSERT_OB_OK(ob_shape_wrap_dim("sum", -1, 3, &dim));
    EXPECT_EQ(2, dim);
    ASSERT_OB_OK(ob_shape_wrap_dim("sum", -1, 0, &dim));
    EXPECT_EQ(0, dim);
    EXPECT_OB_ERR(OB_ERR_ARG, "sum: dim is 3, should be from -3 to 2",
                  ob_shape_wrap_dim("sum", 3, 3, &dim));
    EXPECT_OB_ERR(OB_ERR_ARG, "sum: dim is -2, should be from -1 to 0",
                  ob_shape_wrap_dim("sum", -2, 0, &dim));
}

TEST(Broadcast, TakesTheLargerOfOneAndAnyExtent)
{
    int64_t sizes[OB_MAX_RANK] = { 3, 1 };
    int rank = 2;
    const Ints other = { 2, 1, 5 };
    ASSERT_OB_OK(ob_shape_broadcast("add", sizes, &rank, other.data(), 3));
    EXPECT_EQ((Ints{ 2, 3, 5 }), Ints(sizes, sizes + rank));
    const Ints none = { 0 }, one = { 1 };
    int64_t empty[OB_MAX_RANK] = { 1 };
    rank = 1;
    ASSERT_OB_OK(ob_shape_broadcast("add", empty, &rank, none.data(), 1));
    EXPECT_EQ(0, empty[0]);
    ASSERT_OB_OK(ob_shape_broadcast("add", empty, &rank, one.data(), 1));
    EXPECT_EQ(0, empty[0]);
}

TEST(Broadcast, RejectsUnequalExtentsAndChangesNothing)
{
    int64_t sizes[OB_MAX_RANK] = { 1, 3 };
    int rank = 2;
    const Ints other = { 7, 4, 2 };
    EXPECT_OB_ERR(OB_ERR_SHAPE, "add: extent 3 meets 2 at dim -1",
                  ob_shape_broadcast("add", sizes, &rank, other.data(), 3));
    EXPECT_EQ(2, rank);
    EXPECT_EQ((Ints{ 1, 3 }), Ints(sizes, sizes + 2));
}

struct ViewCase {
    Ints sizes, strides, wanted;
    bool possible;
    Ints strides_then;
};

TEST(ViewStrides, MatchPyTorch)
{
    const ViewCase cases[] = {
        { { 2, 3 }, { 3, 1 }, { 6 }, true, { 1 } },
        { { 2, 3 }, { 1, 2 }, { 6 }, false, {} },
        { { 2, 3 }, { 1, 2 }, { 2, 3, 1 }, true, { 1, 2, 2 } },
        { { 2, 3 }, { 1, 2 }, { 2, 1, 3 }, true, { 1, 6, 2 } },
        { { 4, 6 }, { 12, 2 }, { 2, 2, 3, 2 }, true, { 24, 12, 4, 2 } },
        { { 4, 6 }, { 12, 2 }, { 24 }, true, { 2 } },
        { { 4, 6 }, { 13, 2 }, { 24 }, false, {} },
        { { 4, 6 }, { 13, 2 }, { 2, 2, 6 }, true, { 26, 13, 2 } },
        { {}, {}, { 1, 1 }, true, { 1, 1 } },
        { { 1 }, { 5 }, {}, true, {} },
        { { 3, 4 }, { 0, 1 }, { 3, 2, 2 }, true, { 0, 2, 1 } },
        { { 3, 4 }, { 0, 1 }, { 12 }, false, {} },
        { { 2, 0 }, { 7, 9 }, { 2, 0 }, true, { 7, 9 } },
        { { 2, 0 }, { 7, 9 }, { 0, 5 }, true, { 5, 1 } },
        { { 2, 1, 3 }, { 3, 100, 1 }, { 6 }, true, { 1 } },
    };
    for (const ViewCase &c : cases) {
        Ints got(c.wanted.size());
        const std::string name =
            ::testing::PrintToString(c.sizes) + ::testing::PrintToString(c.wanted);
        ASSERT_EQ(c.possible,
                  ob_shape_view_strides(c.sizes.data(), c.strides.data(), rank_of(c.sizes),
                                        c.wanted.data(), rank_of(c.wanted), got.data()))
            << name;
        if (!c.possible) continue;
        EXPECT_EQ(c.strides_then, got) << name;
    }
}

TEST(Infer, FillsInOneUnknownExtent)
{
    Ints sizes = { 2, -1, 3 };
    ASSERT_OB_OK(ob_shape_infer("view", sizes.data(), 3, 12));
    EXPECT_EQ((Ints{ 2, 2, 3 }), sizes);
    Ints two = { -1, -1 }, odd = { -1, 5 }, wrong = { 3 }, negative = { -2 }, empty = { 0, -1 };
    EXPECT_OB_ERR(OB_ERR_SHAPE, "more than one -1", ob_shape_infer("view", two.data(), 2, 12));
    EXPECT_OB_ERR(OB_ERR_SHAPE, "do not fit 12", ob_shape_infer("view", odd.data(), 2, 12));
    EXPECT_OB_ERR(OB_ERR_SHAPE, "do not fit 12", ob_shape_infer("view", wrong.data(), 1, 12));
    EXPECT_OB_ERR(OB_ERR_SHAPE, "extent -2", ob_shape_infer("view", negative.data(), 1, 12));
    EXPECT_OB_ERR(OB_ERR_SHAPE, "do not fit 0", ob_shape_infer("view", empty.data(), 2, 0));
}

} // namespace
