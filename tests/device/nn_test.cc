/* Convolution, pooling and indexing on the CPU and on the OpenCL device: values of PyTorch 2.13. */
#include "support/aten.h"

#include <cmath>

#include "ob/backend.h"

using namespace ob_test;

namespace
{

using Values = std::vector<double>;

/* Runs each case on a device, by its name. */
class Nn : public testing::TestWithParam<const char *>
{
  protected:
    void SetUp() override
    {
        if (std::string(GetParam()) != "cpu") {
            ASSERT_EQ(OB_OK, ob_package_load(OB_PACKAGE_FILE, nullptr)) << ob_error_last()->message;
        }
        if (ob_device_parse(GetParam(), &device) != OB_OK ||
            ob_device_count((ob_backend)device.backend) == 0)
            GTEST_SKIP() << "no device " << GetParam();
        guard = ob_guard_strict(true);
    }
    void TearDown() override
    {
        ob_guard_leave(&guard);
    }
    Tensor here(const Tensor &t) const
    {
        ob_tensor *out = nullptr;
        EXPECT_EQ(OB_OK, ob_tensor_to_device(t.get(), device, &out)) << ob_error_last()->message;
        return Tensor(out);
    }
    Tensor make(const Ints &sizes, const Values &values, ob_dtype dtype = OB_F32) const
    {
        return here(tensor(sizes, values, dtype));
    }
    Tensor count(const Ints &sizes) const
    {
        return here(iota(sizes));
    }

    ob_device device = {};
    ob_guard guard = {};
};

void expect(const Tensor &t, const Ints &sizes, const Values &values)
{
    ASSERT_TRUE(t);
    EXPECT_EQ(t.sizes(), sizes);
    const Values got = t.values();
    ASSERT_EQ(got.size(), values.size());
    for (size_t i = 0; i < got.size(); i++) {
        const bool same = got[i] == values[i] || (std::isnan(values[i]) && std::isnan(got[i]));
        EXPECT_TRUE(same || std::abs(got[i] - values[i]) < 1e-5)
            << "element " << i << " is " << got[i] << ", should be " << values[i];
    }
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, Nn, testing::Values("cpu", "opencl:0"));

TEST_P(Nn, GroupedConvolutionAddsTheBias)
{
    const Tensor w = make({ 4, 1, 2 }, { 1, 0, 0, 1, 1, 0, 0, 1 });
    expect(run("convolution", count({ 1, 2, 3 }), w, make({ 4 }, { 1, 2, 3, 4 }), Ints{ 1 },
               Ints{ 0 }, Ints{ 1 }, false, Ints{ 0 }, 2),
           { 1, 4, 2 }, { 1, 2, 3, 4, 6, 7, 8, 9 });
}

TEST_P(Nn, ConvolutionTakesStridesPaddingAndDilationPerDim)
{
    expect(run("convolution", count({ 1, 1, 3, 3 }), make({ 1, 1, 2, 2 }, { 1, 2, 3, 4 }), nullptr,
               Ints{ 2, 1 }, Ints{ 1, 2 }, Ints{ 2, 1 }, false, Ints{ 0, 0 }, 1),
           { 1, 1, 2, 6 }, { 0, 12, 25, 32, 15, 0, 0, 6, 11, 14, 5, 0 });
}

TEST_P(Nn, DepthwiseConvolutionKeepsChannelsApart)
{
    expect(run("convolution", count({ 1, 4, 2, 2 }), make({ 4, 1, 1, 1 }, { 1, 10, 100, 1000 }),
               nullptr, Ints{ 1, 1 }, Ints{ 0, 0 }, Ints{ 1, 1 }, false, Ints{ 0, 0 }, 4),
           { 1, 4, 2, 2 },
           { 0, 1, 2, 3, 40, 50, 60, 70, 800, 900, 1000, 1100, 12000, 13000, 14000, 15000 });
}

TEST_P(Nn, TransposedConvolutionCropsAndPads)
{
    expect(run("convolution", make({ 1, 2, 2 }, { 1, 2, 3, 4 }),
               make({ 2, 1, 3 }, { 1, 2, 3, 4, 5, 6 }), nullptr, Ints{ 2 }, Ints{ 1 }, Ints{ 1 },
               true, Ints{ 1 }, 2),
           { 1, 2, 4 }, { 2, 5, 4, 6, 15, 34, 20, 24 });
    expect(run("convolution", make({ 1, 1, 2 }, { 1, 2 }), make({ 1, 1, 2 }, { 1, 1 }), nullptr,
               Ints{ 3 }, Ints{ 0 }, Ints{ 1 }, true, Ints{ 2 }, 1),
           { 1, 1, 7 }, { 1, 1, 0, 2, 2, 0, 0 });
}

TEST_P(Nn, ConvolutionReadsStridedInputs)
{
    const Tensor x = run("transpose.int", count({ 1, 4, 2 }), 1, 2);
    expect(run("convolution", x, make({ 1, 2, 1 }, { 1, 10 }), make({ 1 }, { 0.5 }), Ints{ 1 },
               Ints{ 0 }, Ints{ 1 }, false, Ints{ 0 }, 1),
           { 1, 1, 4 }, { 10.5, 32.5, 54.5, 76.5 });
}

TEST_P(Nn, ConvolutionOfManyChannelsFillsTiles)
{
    const Tensor w = run("ones_like", count({ 9, 2, 3, 3 }));
    const Tensor y = run("convolution", count({ 1, 2, 4, 4 }), w, nullptr, Ints{ 1, 1 },
                         Ints{ 1, 1 }, Ints{ 1, 1 }, false, Ints{ 0, 0 }, 1);
    ASSERT_TRUE(y);
    EXPECT_EQ(y.sizes(), (Ints{ 1, 9, 4, 4 }));
    const Values plane = { 84,  132, 144, 100, 150, 234, 252, 174,
                           198, 306, 324, 222, 148, 228, 240, 164 };
    const Values got = y.values();
    for (size_t i = 0; i < got.size(); i++)
        EXPECT_EQ(got[i], plane[i % 16]) << "element " << i;
}

TEST_P(Nn, ConvolutionRefusesShapesThatDoNotFit)
{
    const Result channels = call("convolution", count({ 1, 3, 2 }), count({ 2, 2, 1 }), nullptr,
                                 Ints{ 1 }, Ints{ 0 }, Ints{ 1 }, false, Ints{ 0 }, 1);
    EXPECT_EQ(channels.status, OB_ERR_SHAPE);
    EXPECT_NE(channels.message.find("[2, 2, 1]"), std::string::npos) << channels.message;
    const Result wide = call("convolution", count({ 1, 1, 2 }), count({ 1, 1, 3 }), nullptr,
                             Ints{ 1 }, Ints{ 0 }, Ints{ 1 }, false, Ints{ 0 }, 1);
    EXPECT_EQ(wide.status, OB_ERR_SHAPE);
}

TEST_P(Nn, MaxPoolLetsNanWinAndPaddingLose)
{
    const Result nan =
        call("max_pool2d_with_indices", make({ 1, 1, 2, 2 }, { 1, NAN, 3, 4 }), Ints{ 2, 2 });
    expect(nan.tensor(0), { 1, 1, 1, 1 }, { NAN });
    expect(nan.tensor(1), { 1, 1, 1, 1 }, { 1 });
    const Result pad = call("max_pool2d_with_indices", make({ 1, 1, 2, 2 }, { -5, -3, -7, -9 }),
                            Ints{ 2, 2 }, Ints{ 2, 2 }, Ints{ 1, 1 });
    expect(pad.tensor(0), { 1, 1, 2, 2 }, { -5, -3, -7, -9 });
    expect(pad.tensor(1), { 1, 1, 2, 2 }, { 0, 1, 2, 3 });
}

TEST_P(Nn, AveragePoolCountsThePadding)
{
    expect(run("avg_pool2d", count({ 1, 1, 3, 3 }), Ints{ 2, 2 }, Ints{ 2, 2 }, Ints{ 1, 1 }),
           { 1, 1, 2, 2 }, { 0, 0.75, 2.25, 6 });
    expect(run("_adaptive_avg_pool2d", count({ 1, 3, 3 }), Ints{ 2, 2 }), { 1, 2, 2 },
           { 2, 3, 5, 6 });
}

TEST_P(Nn, IndicesPickAndPlace)
{
    const Tensor x = count({ 2, 3 });
    expect(run("gather", x, 1, make({ 2, 2 }, { 2, 0, 1, 1 }, OB_I64)), { 2, 2 }, { 2, 0, 4, 4 });
    expect(run("index_select", x, 1, make({ 2 }, { 2, 0 }, OB_I64)), { 2, 2 }, { 2, 0, 5, 3 });
    expect(run("embedding", x, make({ 3 }, { 1, 0, 1 }, OB_I64)), { 3, 3 },
           { 3, 4, 5, 0, 1, 2, 3, 4, 5 });
    expect(run("scatter.value", x, 1, make({ 2, 1 }, { 2, 0 }, OB_I64), 9.0), { 2, 3 },
           { 0, 1, 9, 9, 4, 5 });
    expect(
        run("scatter_add", x, 1, make({ 1, 3 }, { 0, 0, 0 }, OB_I64), make({ 1, 3 }, { 1, 2, 3 })),
        { 2, 3 }, { 6, 1, 2, 3, 4, 5 });
}

TEST_P(Nn, SortingKeepsTheOrderOfEqualsAndPutsNanLast)
{
    const double NaN = std::nan("");
    const Tensor x = make({ 2, 5 }, { 3, NaN, -1, 3, 0, 1, 1, 0, -INFINITY, INFINITY });
    const Result up = call("sort.stable", x, true, 1, false);
    expect(up.tensor(0), { 2, 5 }, { -1, 0, 3, 3, NaN, -INFINITY, 0, 1, 1, INFINITY });
    expect(up.tensor(1), { 2, 5 }, { 2, 4, 0, 3, 1, 3, 2, 0, 1, 4 });
    const Result down = call("sort.stable", x, true, -1, true);
    expect(down.tensor(1), { 2, 5 }, { 1, 0, 3, 4, 2, 4, 0, 1, 2, 3 });
    const Result columns = call("topk", x, 1, 0, true, true);
    expect(columns.tensor(0), { 1, 5 }, { 3, NaN, 0, 3, INFINITY });
    expect(columns.tensor(1), { 1, 5 }, { 0, 0, 1, 0, 1 });
    const Result number = call("topk", make({}, { 1.5 }), 0, 0, true, true);
    expect(number.tensor(0), {}, { 1.5 });
    expect(number.tensor(1), {}, { 0 });
}

TEST_P(Nn, SortingALongLineOfAViewOrdersIt)
{
    /* (7 i) mod 1009 for i < 1009 is every number once: 7 is prime to 1009. */
    Values v, sorted, from(1009);
    for (int i = 0; i < 1009; i++) {
        v.push_back(7 * i % 1009);
        v.push_back(-1);
        sorted.push_back(i);
        from[size_t(7 * i % 1009)] = i;
    }
    const Tensor line = run("select.int", make({ 1009, 2 }, v), 1, 0);
    const Result r = call("sort", line, 0, false);
    expect(r.tensor(0), { 1009 }, sorted);
    expect(r.tensor(1), { 1009 }, from);
}

TEST_P(Nn, IndicesOutOfRangeAreReported)
{
    const Result r = call("embedding", count({ 2, 3 }), make({ 1 }, { 2 }, OB_I64));
    if (r.status == OB_OK) {
        double row[3];
        EXPECT_EQ(OB_ERR_ARG, ob_tensor_read(r.tensor().get(), row, 12));
        EXPECT_NE(std::string(ob_error_last()->message).find("index 2"), std::string::npos)
            << ob_error_last()->message;
    } else {
        EXPECT_EQ(OB_ERR_ARG, r.status);
    }
}

TEST_P(Nn, ArrangingMovesElements)
{
    const Tensor x = count({ 2, 3 });
    expect(run("flip", x, Ints{ 1 }), { 2, 3 }, { 2, 1, 0, 5, 4, 3 });
    expect(run("roll", x, Ints{ 1, 1 }, Ints{ 0, 1 }), { 2, 3 }, { 5, 3, 4, 2, 0, 1 });
    expect(run("roll", x, Ints{ 2 }, Ints{}), { 2, 3 }, { 4, 5, 0, 1, 2, 3 });
    expect(run("tril", x), { 2, 3 }, { 0, 0, 0, 3, 4, 0 });
    expect(run("triu", x, 1), { 2, 3 }, { 0, 1, 2, 0, 0, 5 });
    expect(run("constant_pad_nd", x, Ints{ -1, 1 }, 7.0), { 2, 3 }, { 1, 2, 7, 4, 5, 7 });
    expect(run("cumsum", x, 1), { 2, 3 }, { 0, 1, 3, 3, 7, 12 });
    expect(run("masked_fill.Scalar", x, make({ 3 }, { 1, 0, 1 }, OB_BOOL), -1.0), { 2, 3 },
           { -1, 1, -1, -1, 4, -1 });
}
