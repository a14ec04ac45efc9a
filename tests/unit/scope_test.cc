// Scopes: ownership, the sticky first error, calls.
#include "support/ob_gtest.h"

#include "ob/library.h"

namespace
{

using namespace ob_test;

ob_tensor *new_tensor()
{
    ob_tensor *t = nullptr;
    EXPECT_OB_OK(ob_tensor_create(ints({ 2 }), OB_F32, { OB_BACKEND_CPU, 0 }, &t));
    return t;
}

TEST(Scope, KeepsWhatIsAskedFor)
{
    ob_scope *s = ob_scope_open();
    ob_tensor *kept = nullptr;
    ob_tensor *t = ob_scope_own(s, new_tensor());
    ob_scope_own(s, new_tensor());
    ASSERT_OB_OK(ob_scope_close(s, t, &kept));
    EXPECT_EQ(t, kept);
    ob_tensor_release(kept);
}

TEST(Scope, HoldsMoreThanItsFirstBlock)
{
    ob_scope *s = ob_scope_open();
    std::vector<char *> memory;
    for (size_t i = 0; i < 300; i++) {
        auto *p = static_cast<char *>(ob_scope_alloc(s, i * 7));
        ASSERT_NE(nullptr, p);
        EXPECT_EQ(0U, reinterpret_cast<uintptr_t>(p) % alignof(std::max_align_t));
        for (size_t k = 0; k < i * 7; k++)
            ASSERT_EQ(0, p[k]);
        std::memset(p, static_cast<int>(i), i * 7);
        memory.push_back(p);
        ob_scope_own(s, new_tensor());
    }
    for (size_t i = 1; i < 300; i++)
        EXPECT_EQ(static_cast<char>(i), memory[i][i * 7 - 1]);
    ASSERT_OB_OK(ob_scope_close(s, nullptr, nullptr));
}

TEST(Scope, FailsWithItsFirstError)
{
    ob_scope *s = ob_scope_open();
    ob_tensor *kept[2] = { nullptr, nullptr };
    ob_tensor *t = ob_scope_own(s, new_tensor());
    ob_tensor *const keep[2] = { t, t };
    EXPECT_EQ(nullptr, ob_scope_fail(s, OB_FAIL(OB_ERR_SHAPE, "add: first")));
    EXPECT_EQ(nullptr, ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "mul: second")));
    EXPECT_EQ(OB_ERR_SHAPE, ob_scope_status(s));
    EXPECT_EQ(nullptr, ob_scope_own(s, new_tensor()));
    EXPECT_EQ(nullptr, ob_scalar_of(s, ob_int(1)));
    EXPECT_OB_ERR(OB_ERR_SHAPE, "add: first", ob_scope_close_all(s, 2, keep, kept));
    EXPECT_EQ(nullptr, kept[0]);
    EXPECT_EQ(nullptr, kept[1]);
}

TEST(Scope, FailsWhenMemoryForItsArenaIsOut)
{
    ob_scope *s = ob_scope_open();
    EXPECT_EQ(nullptr, ob_scope_alloc(s, SIZE_MAX));
    EXPECT_OB_ERR(OB_ERR_OOM, "scope: no memory for", ob_scope_close(s, nullptr, nullptr));
}

TEST(ScalarOf, IsAWrappedNumberOfTheWidestDtype)
{
    ob_scope *s = ob_scope_open();
    const ob_tensor *i = ob_scalar_of(s, ob_int(-7)), *d = ob_scalar_of(s, ob_double(0.1));
    const ob_tensor *b = ob_scalar_of(s, ob_bool(true)), *c = ob_scalar_of(s, ob_complex(1, 2));
    EXPECT_TRUE(ob_tensor_is_wrapped_number(i));
    EXPECT_EQ(0, ob_tensor_rank(i));
    EXPECT_EQ((std::vector<int64_t>{ -7 }), elements_of<int64_t>(i));
    EXPECT_EQ((std::vector<double>{ 0.1 }), elements_of<double>(d));
    EXPECT_EQ((std::vector<uint8_t>{ 1 }), elements_of<uint8_t>(b));
    EXPECT_EQ(OB_C64, ob_tensor_dtype(c));
    EXPECT_EQ(2.0F, elements_of<ob_complex64>(c)[0].im);
    ASSERT_OB_OK(ob_scope_close(s, nullptr, nullptr));
}

// Returns its argument and a list of it twice; fails for int64.
ob_status pair(ob_frame *frame)
{
    ob_tensor *t = frame->args[0].u.tensor;
    if (ob_tensor_dtype(t) == OB_I64) return OB_FAIL(OB_ERR_DTYPE, "pair: self is int64");
    ob_tensor *const both[] = { t, t };
    const ob_value list = ob_value_tensors(ob_tensors{ both, 2 });
    OB_TRY(ob_value_copy(&list, &frame->results[1]));
    return ob_value_copy(&frame->args[0], &frame->results[0]);
}

class ScopeCall : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        ob_kernel kernel = {};
        kernel.fn = pair;
        ASSERT_OB_OK(ob_library_open(OB_LIBRARY_KIND_DEF, "scopetest", OB_KEY_Undefined, __FILE__,
                                     __LINE__, &lib));
        ASSERT_OB_OK(ob_library_def_impl(lib, "pair(Tensor self) -> (Tensor, Tensor[])",
                                         OB_KEY_CompositeExplicitAutograd, &kernel));
        ASSERT_OB_OK(ob_op_find("scopetest::pair", &op));
    }
    void TearDown() override
    {
        ob_library_release(lib);
    }

    ob_library *lib = nullptr;
    ob_op *op = nullptr;
};

TEST_F(ScopeCall, OwnsAllResults)
{
    ob_scope *s = ob_scope_open();
    ob_value results[2];
    const ob_value arg = ob_value_tensor(ob_scope_own(s, new_tensor()));
    ASSERT_OB_OK(ob_scope_call(s, op, &arg, results));
    EXPECT_EQ(arg.u.tensor, results[0].u.tensor);
    EXPECT_EQ(arg.u.tensor, results[1].u.tensors[1]);
    ASSERT_OB_OK(ob_scope_close(s, nullptr, nullptr));
}

TEST_F(ScopeCall, IsANoOpAfterAnError)
{
    ob_scope *s = ob_scope_open();
    ob_value results[2];
    const ob_value wrong = ob_value_tensor(ob_scalar_of(s, ob_int(1)));
    const ob_value right = ob_value_tensor(ob_scope_own(s, new_tensor()));
    EXPECT_OB_ERR(OB_ERR_DTYPE, "self is int64", ob_scope_call(s, op, &wrong, results));
    EXPECT_EQ(static_cast<uint32_t>(OB_VALUE_ABSENT), results[0].tag);
    EXPECT_EQ(OB_ERR_DTYPE, ob_scope_call(s, op, &right, results));
    EXPECT_EQ(static_cast<uint32_t>(OB_VALUE_ABSENT), results[1].tag);
    EXPECT_OB_ERR(OB_ERR_DTYPE, "self is int64", ob_scope_close(s, nullptr, nullptr));
}

TEST_F(ScopeCall, NamesAMissingTensor)
{
    ob_scope *s = ob_scope_open();
    ob_value results[2];
    const ob_value none = ob_value_none();
    EXPECT_OB_ERR(OB_ERR_ARG, "scopetest::pair: the tensor 'self' is missing",
                  ob_scope_call(s, op, &none, results));
    EXPECT_OB_ERR(OB_ERR_ARG, "'self' is missing", ob_scope_close(s, nullptr, nullptr));
}

} // namespace
