// Normalisations on the CPU. Values were recorded from PyTorch 2.13.0.
#include "../support/aten.h"

#include <cmath>

using namespace ob_test;

namespace
{

using Doubles = std::vector<double>;

void expect_close(const Doubles &want, const Tensor &t)
{
    const Doubles got = t.values();
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); i++)
        EXPECT_NEAR(want[i], got[i], 2e-6 * (1 + std::fabs(want[i]))) << "at element " << i;
}

// 0, 1, 2^1.5, 3^1.5 ...
Tensor powers(const Ints &sizes, int n)
{
    Doubles values;
    for (int i = 0; i < n; i++)
        values.push_back(std::pow(i, 1.5));
    return tensor(sizes, values);
}

TEST(LayerNorm, NormalisesTheLastDims)
{
    const Tensor x = tensor({ 2, 3 }, { 1, 2, 4, 3, 5, 8 });
    const Tensor w = tensor({ 3 }, { 1, 2, 3 }), b = tensor({ 3 }, { 0, 1, -1 });
    const Result r = call("native_layer_norm", x, Ints{ 3 }, w, b, 1e-5);
    ASSERT_EQ(OB_OK, r.status) << r.message;
    expect_close({ -1.06904137, 0.46547943, 3.00890541, -1.13554883, 0.67555737, 2.89330959 },
                 r.tensor(0));
    expect_close({ 2.33333325, 5.33333349 }, r.tensor(1));
    expect_close({ 0.80178106, 0.48666373 }, r.tensor(2));
    EXPECT_EQ((Ints{ 2, 1 }), r.tensor(1).sizes());
}

TEST(LayerNorm, KeepsStatisticsInTheDtypeOfItsParameters)
{
    const Tensor x = iota({ 2, 3 }, OB_BF16), w = tensor({ 3 }, { 1, 2, 3 });
    EXPECT_EQ(OB_F32, call("native_layer_norm", x, Ints{ 3 }, w, nullptr, 1e-5).tensor(1).dtype());
    EXPECT_EQ(OB_BF16,
              call("native_layer_norm", x, Ints{ 3 }, nullptr, nullptr, 1e-5).tensor(1).dtype());
}

TEST(LayerNorm, NamesAShapeThatDoesNotFit)
{
    const Result r = call("native_layer_norm", iota({ 2, 3 }), Ints{ 2 }, nullptr, nullptr, 1e-5);
    EXPECT_EQ(OB_ERR_SHAPE, r.status);
    EXPECT_NE(std::string::npos, r.message.find("[2, 3], should end in normalized_shape [2]"))
        << r.message;
}

TEST(GroupNorm, NormalisesGroupsOfChannels)
{
    const Tensor w = tensor({ 4 }, { 1, 2, 1, 1 }), b = tensor({ 4 }, { 0, 0, 1, 0 });
    const Result r = call("native_group_norm", powers({ 1, 4, 2 }, 8), w, b, 1, 4, 2, 2, 1e-5);
    ASSERT_EQ(OB_OK, r.status) << r.message;
    expect_close({ -1.14100766, -0.63527429, 0.57884461, 2.97371984, -0.29918456, 0.51107955,
                   0.40701330, 1.38109159 },
                 r.tensor(0));
    expect_close({ 2.25614476, 13.0993843 }, r.tensor(1));
    expect_close({ 0.50573337, 0.25477281 }, r.tensor(2));
}

class BatchNorm : public ::testing::Test
{
  protected:
    Tensor x = powers({ 2, 2, 3 }, 12), w = tensor({ 2 }, { 1, 2 }), b = tensor({ 2 }, { 0, 1 });
    Tensor mean = tensor({ 2 }, { 1, 2 }), var = tensor({ 2 }, { 3, 4 });
};

TEST_F(BatchNorm, TakesAndKeepsTheBatchesStatistics)
{
    for (const char *op : { "native_batch_norm", "_native_batch_norm_legit" }) {
        mean = tensor({ 2 }, { 1, 2 });
        var = tensor({ 2 }, { 3, 4 });
        const Result r = call(op, x, w, b, mean, var, true, 0.1, 1e-5);
        ASSERT_EQ(OB_OK, r.status) << r.message;
        expect_close({ -1.10446405, -0.99341249, -0.79036283, -1.40782309, -0.94910717, -0.42879629,
                       0.52765387, 0.95223969, 1.40834582, 2.15933633, 2.91563320, 3.71075606 },
                     r.tensor(0));
        expect_close({ 9.94550705, 19.9136906 }, r.tensor(1));
        expect_close({ 0.11105155, 0.08180115 }, r.tensor(2));
        expect_close({ 1.89455068, 3.79136896 }, mean);
        expect_close({ 12.4304266, 21.5333920 }, var);
    }
}

TEST_F(BatchNorm, UsesRunningStatisticsWhenNotTraining)
{
    const Doubles want = {
        -0.57734931, 0.0,        1.05564106, 4.19614840, 6.99999285, 10.1803293,
        7.90791798,  10.1153093, 12.4865742, 25.9999695, 30.6227398, 35.4828300
    };
    const Result r = call("native_batch_norm", x, w, b, mean, var, false, 0.1, 1e-5);
    ASSERT_EQ(OB_OK, r.status) << r.message;
    expect_close(want, r.tensor(0));
    EXPECT_EQ((Ints{ 0 }), r.tensor(1).sizes());
    expect_close({ 1, 2 }, mean);
    const Result legit =
        call("_native_batch_norm_legit_no_training", x, w, b, mean, var, 0.1, 1e-5);
    ASSERT_EQ(OB_OK, legit.status) << legit.message;
    expect_close(want, legit.tensor(0));
    EXPECT_EQ(OB_ERR_ARG,
              call("native_batch_norm", x, w, b, nullptr, var, false, 0.1, 1e-5).status);
}

} // namespace
