/* Reductions on the CPU and on the OpenCL device: values of PyTorch 2.13, or of mathematics; then
 * the device against the CPU over shapes, layouts and dtypes. */
#include "support/aten.h"

#include <cmath>

#include "ob/backend.h"

using namespace ob_test;

namespace
{

using Values = std::vector<double>;
const double NaN = std::nan(""), Inf = INFINITY;

/* Runs each case on a device, by its name, without fallbacks. */
class Reduce : public testing::TestWithParam<const char *>
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
    /* [2, 3, 4] of 0 1 2 3 4 5 6 0 1 ... */
    Tensor sevens() const
    {
        Values v;
        for (int i = 0; i < 24; i++)
            v.push_back(i % 7);
        return make({ 2, 3, 4 }, v);
    }

    ob_device device = {};
    ob_guard guard = {};
};

bool close(double want, double got, double tolerance)
{
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    return want == got || std::fabs(want - got) <= tolerance * (1 + std::fabs(want));
}

void expect(const Tensor &t, const Ints &sizes, const Values &want, double tolerance = 2e-6)
{
    ASSERT_TRUE(t);
    EXPECT_EQ(t.sizes(), sizes);
    const Values got = t.values();
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); i++)
        EXPECT_TRUE(close(want[i], got[i], tolerance))
            << "element " << i << " is " << got[i] << ", should be " << want[i];
}

TEST_P(Reduce, SumsAndMeansOverDims)
{
    const Tensor x = sevens();
    expect(
        run("mean.dim", x, Ints{ 1 }, false), { 2, 4 },
        { 1.66666663, 2.66666675, 3.66666675, 2.33333325, 4.33333349, 3, 1.66666663, 2.66666675 });
    expect(run("mean.dim", x, Ints{ 0, -1 }, true), { 1, 3, 1 }, { 2.25, 3.625, 2.375 });
    expect(run("sum.dim_IntList", run("transpose.int", x, 0, 2), Ints{ 0 }, false), { 3, 2 },
           { 6, 12, 15, 14, 10, 9 });
    expect(run("sum", x), {}, { 66 });
}

TEST_P(Reduce, FindsTheFirstOfTheLargest)
{
    const Tensor x = sevens();
    expect(run("amax", x, Ints{ 2 }, false), { 2, 3 }, { 3, 6, 4, 6, 5, 6 });
    expect(run("argmax", x, nullptr, false), {}, { 6 });
    expect(run("argmax", x, 0, false), { 3, 4 }, { 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0 });
    expect(run("argmax", run("transpose.int", x, 0, 2), nullptr, false), {}, { 5 });
    const Result r = call("max.dim", x, 1, false);
    expect(r.tensor(0), { 2, 4 }, { 4, 5, 6, 4, 6, 6, 4, 5 });
    expect(r.tensor(1), { 2, 4 }, { 1, 1, 1, 2, 2, 0, 1, 1 });
}

TEST_P(Reduce, ComputesStatisticsAndNorms)
{
    const Tensor x = sevens();
    const Result r = call("var_mean.correction", x, Ints{ 0, 2 }, 0, false);
    expect(r.tensor(0), { 3 }, { 4.4375, 3.234375, 3.234375 });
    expect(r.tensor(1), { 3 }, { 2.25, 3.625, 2.375 });
    expect(
        run("std.correction", x, Ints{ 1 }, 1, false), { 2, 4 },
        { 2.08166599, 2.08166599, 2.08166599, 2.08166599, 2.08166599, 3, 2.08166599, 2.08166599 });
    expect(run("linalg_vector_norm", x, 3, Ints{ 1 }, false), { 2, 4 },
           { 4.02072573, 5.11723042, 6.30799389, 4.49794149, 7.04058123, 6.24025202, 4.02072573,
             5.11723042 });
    expect(run("logsumexp", x, Ints{ 2 }, false), { 2, 3 },
           { 3.44018960, 6.40925360, 4.44018984, 6.31997681, 5.44018984, 6.02716017 });
}

TEST_P(Reduce, LetsTheFirstNanWin)
{
    const Tensor x = make({ 2, 3 }, { 1, NaN, NaN, -Inf, -Inf, -Inf });
    expect(run("amax", x, Ints{ 1 }, false), { 2 }, { NaN, -Inf });
    expect(run("argmax", x, 1, false), { 2 }, { 1, 0 });
    expect(run("argmin", x, 1, false), { 2 }, { 1, 0 });
    expect(run("nansum", x, Ints{ 1 }, false), { 2 }, { 1, -Inf });
    expect(run("logsumexp", x, Ints{ 1 }, false), { 2 }, { NaN, -Inf });
}

TEST_P(Reduce, GivesTheIdentityForNoElements)
{
    const Tensor x = make({ 2, 0 }, {});
    expect(run("sum.dim_IntList", x, Ints{ 1 }, false), { 2 }, { 0, 0 });
    expect(run("prod.dim_int", x, 1, false), { 2 }, { 1, 1 });
    expect(run("mean.dim", x, Ints{ 1 }, false), { 2 }, { NaN, NaN });
    expect(run("all.dim", x, 1, true), { 2, 1 }, { 1, 1 });
    expect(run("sum.dim_IntList", x, Ints{ 0 }, false), { 0 }, {});
    EXPECT_EQ(OB_ERR_SHAPE, call("amax", x, Ints{ 1 }, false).status);
}

/* One place in a million is another, so that every part of a split reduction counts. */
TEST_P(Reduce, SplitsLongOnes)
{
    const Tensor x = run("zero_", here(tensor({ 3 }, { 1, 2, 3 })));
    Values v(1000003, 1);
    v[777777] = 9;
    v[999999] = 9;
    const Tensor y = make({ 1000003 }, v);
    expect(run("sum", y), {}, { 1000019 });
    expect(run("argmax", y, nullptr, false), {}, { 777777 });
    expect(run("var.correction", y, nullptr, 0, false), {}, { 1.27998976e-4 }, 1e-9);
    expect(run("count_nonzero.dim_IntList", run("sub.Scalar", y, 1.0), Ints{ 0 }), {}, { 2 });
    expect(run("linalg_vector_norm", y, -Inf, nullptr, false), {}, { 1 });
    expect(run("linalg_vector_norm", y, Inf, nullptr, false), {}, { 9 });
    expect(run("any", x), {}, { 0 });
}

INSTANTIATE_TEST_SUITE_P(On, Reduce, testing::Values("cpu", "opencl"),
                         [](const auto &info) { return std::string(info.param); });

/* The CPU's results are the reference here. */
class ReduceAgainstCpu : public testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(OB_OK, ob_package_load(OB_PACKAGE_FILE, nullptr)) << ob_error_last()->message;
        if (ob_device_parse("opencl", &device) != OB_OK ||
            ob_device_count((ob_backend)device.backend) == 0)
            GTEST_SKIP() << "no OpenCL device";
        guard = ob_guard_strict(true);
    }
    void TearDown() override
    {
        ob_guard_leave(&guard);
    }
    Tensor there(const Tensor &t) const
    {
        ob_tensor *out = nullptr;
        EXPECT_EQ(OB_OK, ob_tensor_to_device(t.get(), device, &out)) << ob_error_last()->message;
        return Tensor(out);
    }
    /* The op on both devices, on layout `layout` of x. */
    void compare(const char *op, const Tensor &x, int layout, const std::vector<ob_value> &rest)
    {
        SCOPED_TRACE(std::string(op) + " " + ob_dtype_name(x.dtype()) + " layout " +
                     std::to_string(layout));
        const Tensor xs[] = { view(x, layout), view(there(x), layout) };
        std::vector<ob_value> args[] = { { val(xs[0]) }, { val(xs[1]) } };
        for (auto &list : args)
            list.insert(list.end(), rest.begin(), rest.end());
        const Result want = call_values(op, args[0]), got = call_values(op, args[1]);
        ASSERT_EQ(OB_OK, want.status) << want.message;
        ASSERT_EQ(OB_OK, got.status) << got.message;
        const double tolerance = x.dtype() == OB_BF16 ? 8e-3 : x.dtype() == OB_F16 ? 1e-3 : 1e-5;
        for (size_t i = 0; i < want.values.size(); i++) {
            EXPECT_EQ(want.tensor(i).dtype(), got.tensor(i).dtype());
            expect(got.tensor(i), want.tensor(i).sizes(), want.tensor(i).values(), tolerance);
        }
    }
    static Tensor view(const Tensor &x, int layout)
    {
        if (layout == 1) return run("transpose.int", x, 0, 2);
        if (layout == 2) return run("slice.Tensor", x, 2, 1, 1000, 2);
        if (layout == 3)
            return run("expand", run("slice.Tensor", x, 1, 0, 1, 1), Ints{ -1, 4, -1 });
        return x;
    }

    ob_device device = {};
    ob_guard guard = {};
};

Tensor noise(const Ints &sizes, ob_dtype dtype)
{
    Values v;
    uint32_t seed = 1;
    const bool natural = dtype == OB_U8 || dtype == OB_BOOL;
    for (int64_t i = 0; i < sizes[0] * sizes[1] * sizes[2]; i++) {
        seed = seed * 1664525u + 1013904223u;
        v.push_back(dtype == OB_BOOL ? seed >> 31 : ((int)(seed >> 27) - (natural ? 0 : 16)));
    }
    return tensor(sizes, v, dtype);
}

/* Few ops: a device compiles each one for each dtype. */
TEST_F(ReduceAgainstCpu, ByOneDimAndTwoInEveryLayout)
{
    for (const ob_dtype dtype : { OB_F32, OB_BF16, OB_I64, OB_BOOL })
        for (int layout = 0; layout < 4; layout++) {
            const Tensor x = noise({ 5, 7, 37 }, dtype);
            for (int dim = 0; dim < 3; dim++) {
                const Ints dims = { dim }, two = { (dim + 1) % 3, dim };
                compare("sum.dim_IntList", x, layout, { val(dims), val(false) });
                compare("sum.dim_IntList", x, layout, { val(two), val(true) });
                compare("max.dim", x, layout, { val(dim), val(false) });
            }
        }
}

TEST_F(ReduceAgainstCpu, WithAMeanFirst)
{
    const Tensor x = noise({ 5, 7, 37 }, OB_F32);
    for (int layout = 0; layout < 4; layout++)
        for (int dim = 0; dim < 3; dim++) {
            const Ints dims = { dim };
            compare("var_mean.correction", x, layout, { val(dims), val(0), val(false) });
        }
}

/* Sizes where rows, columns and all of it are split into parts. */
TEST_F(ReduceAgainstCpu, BigOnes)
{
    for (const Ints &sizes : { Ints{ 3, 2, 70001 }, Ints{ 1, 70001, 3 }, Ints{ 300, 5, 129 } }) {
        const Tensor x = noise(sizes, OB_F32);
        for (int layout = 0; layout < 3; layout++)
            for (int dim = 0; dim < 3; dim++) {
                const Ints dims = { dim };
                compare("sum.dim_IntList", x, layout, { val(dims), val(false) });
                compare("max.dim", x, layout, { val(dim), val(false) });
                compare("var_mean.correction", x, layout, { val(dims), val(1), val(false) });
            }
    }
}

} // namespace
