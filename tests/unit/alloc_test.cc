// The allocator, and what core does when memory runs out: each allocation of a script fails in
// turn.
#include "core/alloc.h"

#include "ob/schema.h"
#include "support/ob_gtest.h"

namespace
{

using namespace ob_test;

TEST(Alloc, ZeroesAndChecksOverflow)
{
    auto *p = static_cast<char *>(ob_alloc(10, 10));
    ASSERT_NE(nullptr, p);
    for (int i = 0; i < 100; i++)
        EXPECT_EQ(0, p[i]);
    EXPECT_EQ(nullptr, ob_realloc(p, SIZE_MAX, 2));
    ob_free(p);
    EXPECT_EQ(nullptr, ob_alloc(SIZE_MAX / 2, 3));
    EXPECT_EQ(nullptr, ob_alloc_aligned(SIZE_MAX - 1));
    void *none = ob_alloc(0, 8);
    EXPECT_NE(nullptr, none);
    ob_free(none);
    ob_free(nullptr);
}

TEST(Alloc, FailsWhereATestSays)
{
    ob_alloc_fail_at(2, 0);
    void *first = ob_alloc(1, 1), *second = ob_alloc(1, 1), *third = ob_alloc(1, 1);
    EXPECT_EQ(3U, ob_alloc_count());
    ob_alloc_fail_at(1, 1);
    EXPECT_EQ(nullptr, ob_alloc(1, 1));
    EXPECT_EQ(nullptr, ob_strdup("x"));
    ob_alloc_fail_at(0, 0);
    EXPECT_NE(nullptr, first);
    EXPECT_EQ(nullptr, second);
    EXPECT_NE(nullptr, third);
    ob_free(first);
    ob_free(third);
}

// Tensors, views, windows, values and a scope: OB_OK, or the first error with everything given
// back.
ob_status script(ob_scope *s)
{
    ob_tensor *t = nullptr, *v = nullptr, *big = nullptr, *copy = nullptr;
    const std::vector<int64_t> deep(9, 1), two = { 2, 2 }, swapped = { 1, 2 };
    const ob_device cpu = { OB_BACKEND_CPU, 0 };
    OB_TRY(ob_tensor_create(ints(two), OB_F32, cpu, &t));
    if (!ob_scope_own(s, t)) return ob_scope_status(s);
    OB_TRY(ob_tensor_view_of(t, ints(two), ints(swapped), 0, &v));
    if (!ob_scope_own(s, v)) return ob_scope_status(s);
    OB_TRY(ob_tensor_create(ints({ 5000 }), OB_F64, cpu, &big));
    if (!ob_scope_own(s, big)) return ob_scope_status(s);
    OB_TRY(ob_tensor_set_window(t, ints(deep), ints(deep), 0, false));
    OB_TRY(ob_tensor_set_window(v, ints({ 1000 }), ints({ 1 }), 0, true));
    OB_TRY(ob_tensor_set_storage(v, t));
    OB_TRY(ob_tensor_to_device(t, cpu, &copy));
    if (!ob_scope_own(s, copy)) return ob_scope_status(s);
    if (!ob_scalar_of(s, ob_double(2))) return ob_scope_status(s);
    if (!ob_scope_alloc(s, 20000)) return ob_scope_status(s);
    ob_tensor *const list[] = { t, v };
    ob_value inner[2] = { ob_value_string("word"), ob_value_tensors(ob_tensors{ list, 2 }) };
    ob_value outer = { OB_VALUE_LIST, 2, { 0 } }, owned;
    outer.u.list = inner;
    OB_TRY(ob_value_copy(&outer, &owned));
    ob_value_reset(&owned);
    return OB_OK;
}

ob_status run_script()
{
    ob_scope *s = ob_scope_open();
    const ob_status st = script(s);
    if (st != OB_OK) ob_scope_fail(s, st);
    return ob_scope_close(s, nullptr, nullptr);
}

TEST(Alloc, EachFailureIsAnErrorAndLeaksNothing)
{
    ASSERT_OB_OK(run_script());
    for (int sticky = 0; sticky < 2; sticky++) {
        ob_status st = OB_ERR_OOM;
        uint64_t n = 0;
        while (st != OB_OK && n < 1000) {
            ob_alloc_fail_at(++n, sticky);
            st = run_script();
            ob_alloc_fail_at(0, 0);
            EXPECT_TRUE(st == OB_OK || st == OB_ERR_OOM) << "allocation " << n << last_error();
        }
        EXPECT_GT(n, 15U);
        EXPECT_LT(n, 1000U);
    }
}

TEST(Alloc, FailingFormatsSayWhatTheyCan)
{
    char text[100];
    const OwnedTensor t = tensor_of<float>(OB_F32, { 1 }, { 3 });
    ob_alloc_fail_at(1, 1);
    ob_tensor_format(t.get(), text, sizeof text);
    ob_alloc_fail_at(0, 0);
    EXPECT_STREQ("float32 [1] cpu: could not be read", text);
}

} // namespace
