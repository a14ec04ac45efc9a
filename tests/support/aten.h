/* Calling ATen ops on values from tests, and looking at tensors. */
#ifndef OB_TESTS_SUPPORT_ATEN_H
#define OB_TESTS_SUPPORT_ATEN_H

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ob/inspect.h"
#include "ob/library.h"
#include "ob/scope.h"
#include "ob/tensor.h"

namespace ob_test
{

using Ints = std::vector<int64_t>;

/* An owned tensor. */
class Tensor
{
  public:
    Tensor() = default;
    explicit Tensor(ob_tensor *owned) : t_(owned) {}
    Tensor(const Tensor &other) : t_(ob_tensor_retain(other.t_)) {}
    Tensor &operator=(Tensor other)
    {
        std::swap(t_, other.t_);
        return *this;
    }
    ~Tensor()
    {
        ob_tensor_release(t_);
    }
    ob_tensor *get() const
    {
        return t_;
    }
    explicit operator bool() const
    {
        return t_ != nullptr;
    }
    Ints sizes() const
    {
        return { ob_tensor_sizes(t_), ob_tensor_sizes(t_) + ob_tensor_rank(t_) };
    }
    Ints strides() const
    {
        return { ob_tensor_strides(t_), ob_tensor_strides(t_) + ob_tensor_rank(t_) };
    }
    int64_t offset() const
    {
        return ob_tensor_offset(t_);
    }
    ob_dtype dtype() const
    {
        return ob_tensor_dtype(t_);
    }
    /* Elements as doubles, row-major. */
    std::vector<double> values() const;

  private:
    ob_tensor *t_ = nullptr;
};

/* A CPU tensor of `dtype` with these elements, converted. */
Tensor tensor(const Ints &sizes, const std::vector<double> &values, ob_dtype dtype = OB_F32);
/* 0, 1, 2 ... */
Tensor iota(const Ints &sizes, ob_dtype dtype = OB_F32);

/* Makers of arguments. */
inline ob_value val(const Tensor &t)
{
    return ob_value_tensor(t.get());
}
inline ob_value val(int i)
{
    return ob_value_int(i);
}
inline ob_value val(int64_t i)
{
    return ob_value_int(i);
}
inline ob_value val(double d)
{
    return ob_value_double(d);
}
inline ob_value val(bool b)
{
    return ob_value_bool(b);
}
inline ob_value val(ob_dtype d)
{
    return ob_value_dtype(d);
}
inline ob_value val(std::nullptr_t)
{
    return ob_value_none();
}
inline ob_value val(const Ints &list)
{
    return ob_value_ints({ list.data(), (int64_t)list.size() });
}
inline ob_value val(const ob_value &v)
{
    return v;
}

/* What a call gave: its status, and results owned here. */
class Result
{
  public:
    ob_status status = OB_OK;
    std::string message; /* of the error, "" when there is none */
    std::vector<ob_value> values;

    Result() = default;
    Result(const Result &) = delete;
    Result(Result &&other) noexcept
        : status(other.status), message(std::move(other.message)), values(std::move(other.values))
    {
        other.values.clear();
    }
    ~Result()
    {
        for (ob_value &v : values)
            ob_value_reset(&v);
    }
    /* Result i as a tensor; an empty one, and a test failure, when it is none. */
    Tensor tensor(size_t i = 0) const;
    /* Element i of a list result. */
    Tensor element(uint32_t i) const;
};

Result call_values(const char *op, const std::vector<ob_value> &args);

/* call("view", x, Ints{2, 3}): the op aten::view. */
template <class... Args> Result call(const char *op, const Args &...args)
{
    return call_values(op, { val(args)... });
}

/* The tensor that a call gives; the test fails when the call does. */
template <class... Args> Tensor run(const char *op, const Args &...args)
{
    return call(op, args...).tensor();
}

} // namespace ob_test

#endif
