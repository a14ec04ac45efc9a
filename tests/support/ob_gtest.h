// Teaches GoogleTest about Outboard: statuses with their record, tensors by value, scopes.
#ifndef OB_TESTS_SUPPORT_OB_GTEST_H
#define OB_TESTS_SUPPORT_OB_GTEST_H

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ob/scope.h"

namespace ob_test
{

// What the thread's error record says, as a user sees it.
inline std::string last_error()
{
    std::vector<char> text(OB_ERROR_MESSAGE_BYTES + 4096);
    return ob_error_format(ob_error_last(), text.data(), text.size());
}

inline ::testing::AssertionResult is_ok(const char *expr, ob_status st)
{
    if (st == OB_OK) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << expr << " gave " << ob_status_name(st) << ": " << last_error();
}

inline ::testing::AssertionResult is_error(const char *, const char *, const char *expr,
                                           ob_status want, const char *words, ob_status st)
{
    if (st == want && std::strstr(ob_error_last()->message, words))
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << expr << " gave " << ob_status_name(st) << ", should be " << ob_status_name(want)
           << " with \"" << words << "\" in: " << last_error();
}

#define ASSERT_OB_OK(expr)             ASSERT_PRED_FORMAT1(::ob_test::is_ok, expr)
#define EXPECT_OB_OK(expr)             EXPECT_PRED_FORMAT1(::ob_test::is_ok, expr)
#define EXPECT_OB_ERR(st, words, expr) EXPECT_PRED_FORMAT3(::ob_test::is_error, st, words, expr)

struct Release {
    void operator()(ob_tensor *t) const
    {
        ob_tensor_release(t);
    }
};
using OwnedTensor = std::unique_ptr<ob_tensor, Release>;

inline ob_ints ints(const std::vector<int64_t> &v)
{
    return ob_ints{ v.data(), static_cast<int64_t>(v.size()) };
}

// A dense tensor with the given elements; T must be the storage type of `dtype`.
template <typename T>
OwnedTensor tensor_of(ob_dtype dtype, const std::vector<int64_t> &sizes,
                      const std::vector<T> &elements,
                      ob_device device = ob_device{ OB_BACKEND_CPU, 0 })
{
    ob_tensor *t = nullptr;
    EXPECT_OB_OK(ob_tensor_create(ints(sizes), dtype, device, &t));
    if (!t) return nullptr;
    EXPECT_OB_OK(ob_tensor_write(t, elements.data(), elements.size() * sizeof(T)));
    return OwnedTensor(t);
}

// All elements, row-major; T must be the storage type of the tensor's dtype.
template <typename T> std::vector<T> elements_of(const ob_tensor *t)
{
    std::vector<T> elements(static_cast<size_t>(ob_tensor_numel(t)));
    EXPECT_OB_OK(ob_tensor_read(t, elements.data(), elements.size() * sizeof(T)));
    return elements;
}

// float32 elements against values from elsewhere: |got - want| <= atol + rtol |want|, NaN meets
// NaN.
inline void expect_near(const ob_tensor *t, const std::vector<float> &want, float rtol, float atol)
{
    const std::vector<float> got = elements_of<float>(t);
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < got.size(); i++) {
        if (std::isnan(want[i]) ? std::isnan(got[i]) : got[i] == want[i]) continue;
        EXPECT_NEAR(want[i], got[i], atol + rtol * std::fabs(want[i])) << "at element " << i;
    }
}

// A test whose ops run in the scope `s`.
class Scoped : public ::testing::Test
{
  protected:
    ob_scope *s = ob_scope_open();
    ~Scoped() override
    {
        EXPECT_OB_OK(ob_scope_close(s, nullptr, nullptr));
    }
};

} // namespace ob_test

#endif
