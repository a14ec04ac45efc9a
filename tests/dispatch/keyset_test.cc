// Keys and key sets: values measured on PyTorch 2.13.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "ob/dispatch.h"

TEST(Keys, HavePyTorchsNumbers)
{
    EXPECT_EQ(49, OB_KEY_CPU);
    EXPECT_EQ(64, OB_KEY_Meta);
    EXPECT_EQ(134, OB_KEY_AutogradCPU);
    EXPECT_EQ(150, OB_KEY_Autograd);
    EXPECT_EQ(155, OB_KEY_CompositeExplicitAutogradNonFunctional);
}

TEST(Keys, ParseToThemselves)
{
    for (int slot = 0; slot < OB_TABLE_SLOTS; slot++) {
        const ob_key key = ob_key_at_slot(slot);
        ob_key parsed;
        ASSERT_EQ(OB_OK, ob_key_parse(ob_key_name(key), &parsed));
        EXPECT_EQ(key, parsed);
        EXPECT_EQ(slot, ob_key_slot(key));
    }
}

TEST(Keys, CompatibilityNamesParse)
{
    ob_key key;
    ASSERT_EQ(OB_OK, ob_key_parse("DefaultBackend", &key));
    EXPECT_EQ(OB_KEY_CompositeExplicitAutograd, key);
    EXPECT_EQ(OB_ERR_NOT_FOUND, ob_key_parse("StartOfDenseBackends", &key));
    EXPECT_EQ(OB_ERR_NOT_FOUND, ob_key_parse("cpu", &key));
}

TEST(Keys, AliasesHavePyTorchsNumberOfMembers)
{
    const struct {
        ob_key alias;
        int members;
    } rows[] = { { OB_KEY_Autograd, 18 },
                 { OB_KEY_CompositeExplicitAutograd, 69 },
                 { OB_KEY_CompositeExplicitAutogradNonFunctional, 47 },
                 { OB_KEY_CompositeImplicitAutograd, 103 },
                 { OB_KEY_CompositeImplicitAutogradNestedTensor, 17 },
                 { OB_KEY_FuncTorchBatchedDecomposition, 1 } };
    for (const auto &row : rows) {
        int members = 0;
        for (int slot = 1; slot < OB_TABLE_SLOTS; slot++)
            members += ob_alias_has_slot(row.alias, slot);
        EXPECT_EQ(row.members, members) << ob_key_name(row.alias);
    }
}

TEST(KeySet, ReadsAsCrossProduct)
{
    const ob_keyset set = ob_keyset_of(OB_KEY_SparseCPU) | ob_keyset_of(OB_KEY_CUDA);
    char text[128];
    EXPECT_TRUE(ob_keyset_has(set, OB_KEY_SparseCUDA));
    EXPECT_STREQ("DispatchKeySet(CPU, CUDA, SparseCPU, SparseCUDA)",
                 ob_keyset_format(set, text, sizeof text));
}

TEST(KeySet, MinusKeepsBackends)
{
    const ob_keyset set = ob_keyset_of(OB_KEY_CPU) | ob_keyset_of(OB_KEY_CUDA);
    const ob_keyset rest = ob_keyset_minus(set, ob_keyset_of(OB_KEY_CPU));
    EXPECT_EQ(OB_KEY_Undefined, ob_keyset_highest(rest));
    EXPECT_EQ(OB_BACKEND_CUDA, ob_keyset_highest_backend(rest));
}

TEST(KeySet, FullAfterAutogradCPUHasAutogradOther)
{
    const ob_keyset set = ob_keyset_full_after(OB_KEY_AutogradCPU);
    EXPECT_TRUE(ob_keyset_has(set, OB_KEY_AutogradOther));
    EXPECT_TRUE(ob_keyset_has(set, OB_KEY_PythonDispatcher));
    EXPECT_FALSE(ob_keyset_has(set, OB_KEY_AutogradCPU));
}

TEST(KeySet, FormatCutsToTheBuffer)
{
    char text[8];
    EXPECT_EQ(7u, strlen(ob_keyset_format(ob_keyset_of_tensor(OB_BACKEND_CPU), text, sizeof text)));
}

TEST(ThreadState, GuardsRestoreWhatTheyFound)
{
    const ob_dispatch_state before = ob_dispatch_state_get();
    const ob_guard outer = ob_guard_include(ob_keyset_of(OB_KEY_Tracer));
    const ob_guard inner = ob_guard_inference_mode(true);
    EXPECT_FALSE(ob_dispatch_state_get().grad_mode);
    EXPECT_FALSE(ob_tls_is_included(OB_KEY_ADInplaceOrView));
    ob_guard_leave(&inner);
    EXPECT_TRUE(ob_tls_is_included(OB_KEY_Tracer));
    ob_guard_leave(&outer);
    EXPECT_EQ(before.included, ob_dispatch_state_get().included);
    EXPECT_EQ(before.excluded, ob_dispatch_state_get().excluded);
    EXPECT_TRUE(ob_dispatch_state_get().grad_mode);
}

TEST(ThreadState, AutocastIsExcludedByDefault)
{
    EXPECT_TRUE(ob_tls_is_excluded(OB_KEY_AutocastCPU));
    EXPECT_TRUE(ob_tls_is_included(OB_KEY_BackendSelect));
}
