/* Index, join, scatter and sort ops: values by hand, and what structured calls
 * do with outs: resize, cast, refuse overlap. */
#include <cmath>

#include "../support/aten.h"

using namespace ob_test;
using Values = std::vector<double>;

namespace
{

/* An argument that is a list of tensors; lives to the end of the full expression. */
struct List {
    std::vector<Tensor> held;
    std::vector<ob_tensor *> raw;
    List(std::initializer_list<Tensor> tensors) : held(tensors)
    {
        for (const Tensor &t : held)
            raw.push_back(t.get());
    }
    operator ob_value() const
    {
        return ob_value_tensors({ raw.data(), (int64_t)raw.size() });
    }
};

Tensor index(const Values &values, const Ints &sizes = {})
{
    return tensor(sizes.empty() ? Ints{ (int64_t)values.size() } : sizes, values, OB_I64);
}

} // namespace

TEST(Cat, JoinsAndPromotes)
{
    const List list{ iota({ 2, 1 }, OB_I32), tensor({ 0 }, {}), tensor({ 2, 2 }, { 5, 6, 7, 8 }) };
    const Tensor y = run("cat", (ob_value)list, 1);
    EXPECT_EQ(y.dtype(), OB_F32);
    EXPECT_EQ(y.sizes(), (Ints{ 2, 3 }));
    EXPECT_EQ(y.values(), (Values{ 0, 5, 6, 1, 7, 8 }));
    const List bad{ iota({ 2, 1 }), iota({ 3, 1 }) };
    EXPECT_EQ(call("cat", (ob_value)bad, 1).status, OB_ERR_SHAPE);
}

TEST(Structured, OutIsResizedAndCast)
{
    const Tensor out = tensor({ 1 }, { 9 }, OB_F64);
    const List list{ iota({ 2 }), iota({ 1 }) };
    EXPECT_EQ(run("cat.out", (ob_value)list, 0, out).get(), out.get());
    EXPECT_EQ(out.values(), (Values{ 0, 1, 0 }));
    const Tensor whole = tensor({ 3 }, { 1, 2, 3 }, OB_I64);
    const Result r = call("cat.out", (ob_value)list, 0, whole);
    EXPECT_EQ(r.status, OB_ERR_DTYPE);
    EXPECT_NE(r.message.find("int64"), std::string::npos) << r.message;
    EXPECT_EQ(whole.values(), (Values{ 1, 2, 3 }));
}

TEST(Structured, AnOutThatIsAnInputReadsTheOldValues)
{
    const Tensor x = iota({ 3 });
    run("gather.out", x, 0, index({ 2, 2, 0 }), false, x);
    EXPECT_EQ(x.values(), (Values{ 2, 2, 0 }));
}

TEST(Structured, PartialOverlapIsRefused)
{
    const Tensor x = iota({ 4 });
    const Tensor low = run("slice.Tensor", x, 0, 0, 3), high = run("slice.Tensor", x, 0, 1, 4);
    EXPECT_EQ(call("cumsum.out", low, 0, nullptr, high).status, OB_ERR_ARG);
    EXPECT_EQ(x.values(), (Values{ 0, 1, 2, 3 }));
}

TEST(Structured, AnInPlaceFormWritesSelfAndRaisesItsVersion)
{
    const Tensor x = iota({ 2, 2 });
    const uint64_t before = ob_tensor_version(x.get());
    EXPECT_EQ(run("triu_", x).get(), x.get());
    EXPECT_EQ(x.values(), (Values{ 0, 1, 0, 3 }));
    EXPECT_EQ(ob_tensor_version(x.get()), before + 1);
    EXPECT_EQ(call("cumsum_", iota({ 2 }, OB_I32), 0, OB_F32).status, OB_ERR_DTYPE);
}

TEST(Structured, MetaTensorsGetTheShapeOnly)
{
    const ob_value meta = ob_value_device(OB_DEVICE_META);
    const Tensor x = run("empty.memory_format", Ints{ 3, 4 }, nullptr, nullptr, meta);
    const Tensor i = run("empty.memory_format", Ints{ 2, 4 }, OB_I64, nullptr, meta);
    const Tensor y = run("gather", x, 0, i);
    EXPECT_TRUE(ob_tensor_is_meta(y.get()));
    EXPECT_EQ(y.sizes(), (Ints{ 2, 4 }));
    EXPECT_EQ(call("gather", x, 0, index({ 0, 0, 0, 0 }, { 1, 4 })).status, OB_ERR_ARG);
}

TEST(Index, GatherAndSelectAndEmbedding)
{
    const Tensor x = iota({ 2, 3 });
    EXPECT_EQ(run("gather", x, 1, index({ 0, 2, 1, 1 }, { 2, 2 })).values(),
              (Values{ 0, 2, 4, 4 }));
    EXPECT_EQ(run("index_select", x, 1, index({ 2, 0 })).values(), (Values{ 2, 0, 5, 3 }));
    const Tensor rows = run("embedding", x, index({ 1, 0, 1 }, { 3, 1 }));
    EXPECT_EQ(rows.sizes(), (Ints{ 3, 1, 3 }));
    EXPECT_EQ(rows.values(), (Values{ 3, 4, 5, 0, 1, 2, 3, 4, 5 }));
    EXPECT_EQ(call("embedding", x, index({ 2 })).status, OB_ERR_ARG);
    EXPECT_EQ(call("gather", x, 1, index({ 3 }, { 1, 1 })).status, OB_ERR_ARG);
}

TEST(Index, TensorIndicesBroadcastAndStayInPlaceWhenNeighbours)
{
    const Tensor x = iota({ 2, 3, 4 });
    const List rows{ index({ 1, 0 }) };
    EXPECT_EQ(run("index.Tensor", x, (ob_value)rows).sizes(), (Ints{ 2, 3, 4 }));
    const List both{ index({ 1, 0 }, { 2, 1 }), index({ 0, -1 }) };
    const Tensor y = run("index.Tensor", x, (ob_value)both);
    EXPECT_EQ(y.sizes(), (Ints{ 2, 2, 4 }));
    EXPECT_EQ(y.values()[4], 20);
    const List apart{ index({ 1, 0, 1 }), Tensor(), index({ 3, 2, 0 }) };
    const Tensor z = run("index.Tensor", x, (ob_value)apart);
    EXPECT_EQ(z.sizes(), (Ints{ 3, 3 }));
    EXPECT_EQ(z.values(), (Values{ 15, 19, 23, 2, 6, 10, 12, 16, 20 }));
    const List last{ Tensor(), Tensor(), index({ 3 }) };
    EXPECT_EQ(run("index.Tensor", x, (ob_value)last).sizes(), (Ints{ 2, 3, 1 }));
    const List far{ index({ 2 }) };
    EXPECT_EQ(call("index.Tensor", x, (ob_value)far).status, OB_ERR_ARG);
}

TEST(Index, MasksPickTheirTrueElements)
{
    const Tensor x = iota({ 2, 3 });
    const List mask{ tensor({ 2, 3 }, { 1, 0, 0, 0, 1, 1 }, OB_BOOL) };
    EXPECT_EQ(run("index.Tensor", x, (ob_value)mask).values(), (Values{ 0, 4, 5 }));
    EXPECT_EQ(run("masked_select", x, tensor({ 3 }, { 0, 1, 0 }, OB_BOOL)).values(),
              (Values{ 1, 4 }));
    const List rows{ tensor({ 2 }, { 0, 1 }, OB_BOOL) };
    run("index_put_", x, (ob_value)rows, tensor({}, { 9 }));
    EXPECT_EQ(x.values(), (Values{ 0, 1, 2, 9, 9, 9 }));
}

TEST(Index, PutAccumulates)
{
    const List at{ index({ 1, 1, 0 }) };
    const Tensor y =
        run("index_put_", iota({ 2 }), (ob_value)at, tensor({ 3 }, { 10, 20, 5 }), true);
    EXPECT_EQ(y.values(), (Values{ 5, 31 }));
}

TEST(Scatter, WritesAndReduces)
{
    const Tensor x = run("zeros", Ints{ 2, 3 }), i = index({ 0, 1, 1 }, { 1, 3 });
    EXPECT_EQ(run("scatter.src", x, 0, i, tensor({ 1, 3 }, { 7, 8, 9 })).values(),
              (Values{ 7, 0, 0, 0, 8, 9 }));
    EXPECT_EQ(run("scatter.value", x, 0, i, 2).values(), (Values{ 2, 0, 0, 0, 2, 2 }));
    EXPECT_EQ(run("scatter_add", iota({ 2 }), 0, index({ 1, 1 }), tensor({ 2 }, { 3, 4 })).values(),
              (Values{ 0, 8 }));
    EXPECT_EQ(run("scatter_reduce.two", tensor({ 2 }, { 1, 10 }), 0, index({ 1, 1 }),
                  tensor({ 2 }, { 2, 6 }), ob_value_string("mean"))
                  .values(),
              (Values{ 1, 6 }));
    EXPECT_EQ(run("scatter_reduce.two", tensor({ 2 }, { 1, 10 }), 0, index({ 1, 1 }),
                  tensor({ 2 }, { 2, 6 }), ob_value_string("amax"), false)
                  .values(),
              (Values{ 1, 6 }));
}

TEST(Scatter, SlicesAreAddedOrCopied)
{
    const Tensor x = run("ones", Ints{ 2, 2 }), source = iota({ 2, 2 });
    EXPECT_EQ(run("index_add", x, 0, index({ 1, 1 }), source, 2).values(), (Values{ 1, 1, 5, 9 }));
    EXPECT_EQ(run("index_copy", x, 1, index({ 1, 0 }), source).values(), (Values{ 1, 0, 3, 2 }));
    EXPECT_EQ(call("index_copy", x, 1, index({ 0 }), source).status, OB_ERR_SHAPE);
}

TEST(Arrange, PadFlipRollAndTriangles)
{
    const Tensor x = iota({ 2, 2 });
    EXPECT_EQ(run("constant_pad_nd", x, Ints{ 1, -1, 0, 1 }, 5).values(),
              (Values{ 5, 0, 5, 2, 5, 5 }));
    EXPECT_EQ(run("flip", x, Ints{ 0, -1 }).values(), (Values{ 3, 2, 1, 0 }));
    EXPECT_EQ(run("roll", iota({ 2, 3 }), Ints{ 1 }, Ints{ 1 }).values(),
              (Values{ 2, 0, 1, 5, 3, 4 }));
    EXPECT_EQ(run("roll", iota({ 2, 3 }), Ints{ -2 }).values(), (Values{ 2, 3, 4, 5, 0, 1 }));
    EXPECT_EQ(run("tril", iota({ 2, 3 }), 1).values(), (Values{ 0, 1, 0, 3, 4, 5 }));
}

TEST(Lines, ScanAndSort)
{
    EXPECT_EQ(run("cumsum", tensor({ 2, 2 }, { 1, 2, 3, 4 }, OB_U8), 0).dtype(), OB_I64);
    EXPECT_EQ(run("cumsum", iota({ 2, 3 }), 1).values(), (Values{ 0, 1, 3, 3, 7, 12 }));
    EXPECT_EQ(run("cumprod", tensor({ 3 }, { 2, 3, 4 }), 0).values(), (Values{ 2, 6, 24 }));
    const Result sorted = call("sort", tensor({ 4 }, { 3, NAN, 1, 3 }));
    EXPECT_EQ(sorted.tensor(1).values(), (Values{ 2, 0, 3, 1 }));
    const Result top = call("topk", tensor({ 4 }, { 3, 9, 1, 3 }), 2);
    EXPECT_EQ(top.tensor(0).values(), (Values{ 9, 3 }));
    EXPECT_EQ(top.tensor(1).values()[0], 1);
    EXPECT_EQ(run("nonzero", tensor({ 2, 2 }, { 0, 1, 1, 0 })).values(), (Values{ 0, 1, 1, 0 }));
}
