/* See aten.h. */
#include "aten.h"

namespace ob_test
{

std::vector<double> Tensor::values() const
{
    const size_t n = (size_t)ob_tensor_numel(t_);
    const ob_dtype kind = dtype();
    std::vector<double> out(n);
    ob_value as_double = ob_value_none();
    ob_op *op = nullptr;
    if (kind == OB_F64) {
        EXPECT_EQ(ob_tensor_read(t_, out.data(), n * sizeof(double)), OB_OK);
        return out;
    }
    EXPECT_EQ(ob_op_find("aten::_to_copy", &op), OB_OK);
    const ob_value args[] = { ob_value_tensor(t_), ob_value_dtype(OB_F64) };
    EXPECT_EQ(ob_call(op, args, 2, &as_double, 1), OB_OK) << ob_error_last()->message;
    if (as_double.tag == OB_VALUE_TENSOR)
        EXPECT_EQ(ob_tensor_read(as_double.u.tensor, out.data(), n * sizeof(double)), OB_OK);
    ob_value_reset(&as_double);
    return out;
}

Tensor tensor(const Ints &sizes, const std::vector<double> &values, ob_dtype dtype)
{
    ob_tensor *made = nullptr;
    const ob_ints extents = { sizes.data(), (int64_t)sizes.size() };
    EXPECT_EQ(ob_tensor_create(extents, OB_F64, ob_device{ OB_BACKEND_CPU, 0 }, &made), OB_OK);
    Tensor doubles(made);
    EXPECT_EQ(ob_tensor_write(made, values.data(), values.size() * sizeof(double)), OB_OK);
    return dtype == OB_F64 ? doubles : run("_to_copy", doubles, dtype);
}

Tensor iota(const Ints &sizes, ob_dtype dtype)
{
    int64_t n = 1;
    for (int64_t extent : sizes)
        n *= extent;
    std::vector<double> values((size_t)n);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = (double)i;
    return tensor(sizes, values, dtype);
}

Tensor Result::tensor(size_t i) const
{
    EXPECT_EQ(status, OB_OK) << message;
    if (i >= values.size() || values[i].tag != OB_VALUE_TENSOR) {
        ADD_FAILURE() << "result " << i << " is not a tensor";
        return Tensor();
    }
    return Tensor(ob_tensor_retain(values[i].u.tensor));
}

Tensor Result::element(uint32_t i) const
{
    EXPECT_EQ(status, OB_OK) << message;
    if (values.empty() || values[0].tag != OB_VALUE_TENSORS || i >= values[0].count) {
        ADD_FAILURE() << "there is no element " << i;
        return Tensor();
    }
    return Tensor(ob_tensor_retain(values[0].u.tensors[i]));
}

Result call_values(const char *op, const std::vector<ob_value> &args)
{
    Result result;
    ob_op *handle = nullptr;
    result.status = ob_op_find(("aten::" + std::string(op)).c_str(), &handle);
    if (result.status == OB_OK) {
        result.values.resize((size_t)ob_op_schema(handle)->n_returns, ob_value{});
        result.status = ob_call(handle, args.data(), (uint32_t)args.size(), result.values.data(),
                                (uint32_t)result.values.size());
    }
    if (result.status != OB_OK) result.message = ob_error_last()->message;
    return result;
}

} // namespace ob_test
