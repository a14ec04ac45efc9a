/* Dispatch keys, their names, sets of them, and which alias reaches which slot. Everything here
 * follows from OB_FUNCTIONALITY_LIST and is pure. PyTorch: c10/core/DispatchKey.cpp,
 * DispatchKeySet.cpp. */
#include "dispatch/keys/keyset.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK_SPAN = OB_BACKENDS + 1, FIRST_BLOCK = OB_KEY_StartOfBlock };

#define OB_BLOCK_NAMES(prefix)                                                                 \
#prefix "CPU", #prefix "CUDA", #prefix "HIP", #prefix "XLA", #prefix "MPS", #prefix "IPU", \
        #prefix "XPU", #prefix "HPU", #prefix "VE", #prefix "Lazy", #prefix "MTIA",            \
        #prefix "MAIA", #prefix "PrivateUse1", #prefix "PrivateUse2", #prefix "PrivateUse3",   \
        #prefix "Meta"

static const char *const key_names[OB_KEY_LIMIT] = { "Undefined",
#define OB_S(name)         #name,
#define OB_P(name, prefix) #name,
                                                     OB_FUNCTIONALITY_LIST(OB_S, OB_P)
#undef OB_S
#undef OB_P
                                                         "EndOfFunctionalityKeys",
#define OB_S(name)
#define OB_P(name, prefix) "StartOf" #name "Backends", OB_BLOCK_NAMES(prefix),
                                                     OB_FUNCTIONALITY_LIST(OB_S, OB_P)
#undef OB_S
#undef OB_P
#define OB_X(name) #name,
                                                         OB_ALIAS_KEY_LIST(OB_X)
#undef OB_X
};

/* PyTorch's older names. */
static const struct {
    const char *name;
    ob_key key;
} compatibility_names[] = {
    { "CatchAll", OB_KEY_Undefined },
    { "CPUTensorId", OB_KEY_CPU },
    { "CUDATensorId", OB_KEY_CUDA },
    { "DefaultBackend", OB_KEY_CompositeExplicitAutograd },
    { "Autocast", OB_KEY_AutocastCUDA },
    { "PrivateUse1_PreAutograd", OB_KEY_AutogradPrivateUse1 },
    { "PrivateUse2_PreAutograd", OB_KEY_AutogradPrivateUse2 },
    { "PrivateUse3_PreAutograd", OB_KEY_AutogradPrivateUse3 },
};

/* clang-format off */
const ob_slot_row ob_slot_rows[OB_KEY_FUNCTIONALITY_END] = {
    { 0, 0 },
#define OB_S(name)         { OB_SLOT_##name, 0 },
#define OB_P(name, prefix) { OB_SLOT_##name, OB_BACKEND_BITS },
    OB_FUNCTIONALITY_LIST(OB_S, OB_P)
#undef OB_S
#undef OB_P
};

#define ONE(slot) \
    slot, slot, slot, slot, slot, slot, slot, slot, slot, slot, slot, slot, slot, slot, slot, slot
#define EACH(s)                                                                            \
    s, s + 1, s + 2, s + 3, s + 4, s + 5, s + 6, s + 7, s + 8, s + 9, s + 10, s + 11, s + 12, \
        s + 13, s + 14, s + 15
const uint8_t ob_slot_map[(OB_FUNCTIONALITY_BIT + OB_KEY_FUNCTIONALITY_END) * OB_BACKENDS] = {
    [OB_FUNCTIONALITY_BIT * OB_BACKENDS] = ONE(0),
#define OB_S(name)         ONE(OB_SLOT_##name),
#define OB_P(name, prefix) EACH(OB_SLOT_##name),
    OB_FUNCTIONALITY_LIST(OB_S, OB_P)
#undef OB_S
#undef OB_P
};
#undef ONE
#undef EACH

/* The functionalities that exist per backend, in the order of their blocks of runtime keys. */
static const ob_key blocks[] = {
#define OB_S(name)
#define OB_P(name, prefix) OB_KEY_##name,
    OB_FUNCTIONALITY_LIST(OB_S, OB_P)
#undef OB_S
#undef OB_P
};
/* clang-format on */

#define BACKEND_BIT(name) (UINT64_C(1) << (OB_BACKEND_##name - 1))
#define AUTOGRAD_SET                                                            \
    (OB_FUNCTIONALITY(AutogradOther) | OB_FUNCTIONALITY(AutogradNestedTensor) | \
     OB_FUNCTIONALITY(AutogradFunctionality))
/* Backends without a bit of their own, and layouts that share AutogradOther. */
#define OTHER_SET                                                                  \
    (OB_FUNCTIONALITY(FPGA) | OB_FUNCTIONALITY(Vulkan) | OB_FUNCTIONALITY(Metal) | \
     OB_FUNCTIONALITY(CustomRNGKeyId) | OB_FUNCTIONALITY(MkldnnCPU) |              \
     OB_FUNCTIONALITY(Quantized) | OB_FUNCTIONALITY(Sparse) | OB_FUNCTIONALITY(SparseCsr))
#define BACKEND_SET (OTHER_SET | OB_FUNCTIONALITY(Dense))

/* What an alias stands for: all runtime keys of `functionalities`, but for `without` backends. */
typedef struct alias_row {
    ob_keyset functionalities, without;
    bool undefined; /* slot 0 takes the alias's kernel too */
} alias_row;

static const alias_row aliases[OB_KEY_LIMIT - OB_KEY_Autograd] = {
    [OB_KEY_Autograd - OB_KEY_Autograd] = { AUTOGRAD_SET, 0, false },
    [OB_KEY_CompositeImplicitAutograd -
        OB_KEY_Autograd] = { BACKEND_SET | OB_FUNCTIONALITY(NestedTensor) | AUTOGRAD_SET, 0, true },
    [OB_KEY_FuncTorchBatchedDecomposition -
        OB_KEY_Autograd] = { OB_FUNCTIONALITY(FuncTorchBatched), 0, false },
    [OB_KEY_CompositeImplicitAutogradNestedTensor -
        OB_KEY_Autograd] = { OB_FUNCTIONALITY(NestedTensor) |
                                 OB_FUNCTIONALITY(AutogradNestedTensor),
                             0, false },
    [OB_KEY_CompositeExplicitAutograd - OB_KEY_Autograd] = { BACKEND_SET, 0, true },
    [OB_KEY_CompositeExplicitAutogradNonFunctional -
        OB_KEY_Autograd] = { BACKEND_SET & ~OB_FUNCTIONALITY(Sparse),
                             BACKEND_BIT(XLA) | BACKEND_BIT(Lazy), true },
};

static bool is_runtime_block(ob_key key)
{
    return key > OB_KEY_StartOfBlock && key < OB_KEY_Autograd &&
           (key - FIRST_BLOCK) % BLOCK_SPAN != 0;
}

const char *ob_key_name(ob_key key)
{
    return (int)key >= 0 && key < OB_KEY_LIMIT ? key_names[key] : "?";
}

ob_status ob_key_parse(const char *name, ob_key *out)
{
    *out = OB_KEY_Undefined;
    for (int key = 0; name && key < OB_KEY_LIMIT; key++) {
        const bool marker = key >= OB_KEY_FUNCTIONALITY_END && key < OB_KEY_Autograd &&
                            !is_runtime_block((ob_key)key);
        if (!marker && strcmp(key_names[key], name) == 0) {
            *out = (ob_key)key;
            return OB_OK;
        }
    }
    for (size_t i = 0; name && i < OB_COUNT(compatibility_names); i++) {
        if (strcmp(compatibility_names[i].name, name) == 0) {
            *out = compatibility_names[i].key;
            return OB_OK;
        }
    }
    return OB_FAIL(OB_ERR_NOT_FOUND, "could not parse dispatch key: \"%s\"", name ? name : "");
}

bool ob_key_is_alias(ob_key key)
{
    return key >= OB_KEY_Autograd && key < OB_KEY_LIMIT;
}

ob_key ob_key_functionality(ob_key key)
{
    if ((int)key < 0 || key >= OB_KEY_Autograd) return OB_KEY_Undefined;
    if (key < OB_KEY_FUNCTIONALITY_END) return key;
    return is_runtime_block(key) ? blocks[(key - FIRST_BLOCK) / BLOCK_SPAN] : OB_KEY_Undefined;
}

ob_backend ob_key_backend(ob_key key)
{
    if (!is_runtime_block(key)) return OB_BACKEND_NONE;
    return (ob_backend)((key - FIRST_BLOCK) % BLOCK_SPAN);
}

int ob_key_slot(ob_key key)
{
    if (key == OB_KEY_Undefined) return 0;
    const ob_slot_row *row = &ob_slot_rows[ob_key_functionality(key)];
    if (row->first == 0) return -1;
    if (row->mask == 0) return row->first;
    return is_runtime_block(key) ? row->first + (int)ob_key_backend(key) - 1 : -1;
}

ob_key ob_key_of(ob_key functionality, ob_backend backend)
{
    for (size_t i = 0; i < OB_COUNT(blocks); i++) {
        if (blocks[i] == functionality)
            return (ob_key)(FIRST_BLOCK + (int)i * BLOCK_SPAN + (int)backend);
    }
    return functionality;
}

ob_key ob_key_at_slot(int slot)
{
    if (slot <= 0 || slot >= OB_TABLE_SLOTS) return OB_KEY_Undefined;
    int f = OB_KEY_FUNCTIONALITY_END - 1;
    while (ob_slot_rows[f].first > slot)
        f--;
    if (ob_slot_rows[f].mask == 0) return (ob_key)f;
    return ob_key_of((ob_key)f, (ob_backend)(slot - ob_slot_rows[f].first + 1));
}

bool ob_alias_has_slot(ob_key alias, int slot)
{
    if (!ob_key_is_alias(alias) || slot < 0 || slot >= OB_TABLE_SLOTS) return false;
    const alias_row *row = &aliases[alias - OB_KEY_Autograd];
    if (slot == 0) return row->undefined;
    const ob_keyset set = ob_keyset_of(ob_key_at_slot(slot));
    return (set & row->functionalities) != 0 && (set & row->without) == 0;
}

bool ob_key_is_backend(ob_key key)
{
    return (ob_keyset_of(key) & BACKEND_SET) != 0 && ob_key_slot(key) > 0;
}

bool ob_autograd_covers(ob_key autograd, ob_key backend_key)
{
    const ob_keyset set = ob_keyset_of(backend_key);
    if (autograd == OB_KEY_AutogradOther) return (set & OTHER_SET) != 0;
    if (autograd == OB_KEY_AutogradNestedTensor) return (set & OB_FUNCTIONALITY(NestedTensor)) != 0;
    const ob_keyset skipped = BACKEND_BIT(HIP) | BACKEND_BIT(VE) | BACKEND_BIT(MTIA);
    return ob_key_functionality(autograd) == OB_KEY_AutogradFunctionality &&
           (set & OB_FUNCTIONALITY(Dense)) != 0 && (set & skipped) == 0 &&
           ob_key_backend(autograd) == ob_key_backend(backend_key);
}

/* ---- sets ---- */

ob_keyset ob_keyset_of(ob_key key)
{
    const ob_key f = ob_key_functionality(key);
    if (f == OB_KEY_Undefined) return 0;
    const ob_keyset set = UINT64_C(1) << (OB_FUNCTIONALITY_BIT + (int)f);
    const ob_backend backend = ob_key_backend(key);
    return backend == OB_BACKEND_NONE ? set : set | UINT64_C(1) << (backend - 1);
}

ob_keyset ob_keyset_of_all(const ob_key *keys, int n)
{
    ob_keyset set = 0;
    for (int i = 0; i < n; i++)
        set |= ob_keyset_of(keys[i]);
    return set;
}

bool ob_keyset_has(ob_keyset set, ob_key key)
{
    const ob_keyset wanted = ob_keyset_of(key);
    return (set & wanted) == wanted;
}

ob_keyset ob_keyset_minus(ob_keyset set, ob_keyset other)
{
    return set & (~other | OB_BACKEND_BITS);
}

ob_keyset ob_keyset_remove_backend(ob_keyset set, ob_backend backend)
{
    if (backend <= OB_BACKEND_NONE || backend >= OB_BACKEND_LIMIT) return set;
    return set & ~(UINT64_C(1) << (backend - 1));
}

ob_keyset ob_keyset_full(void)
{
    return (OB_FUNCTIONALITY(PythonDispatcher) << 1) - 1;
}

ob_keyset ob_keyset_full_after(ob_key key)
{
    const ob_key f = ob_key_functionality(key);
    if (f == OB_KEY_Undefined) return OB_FUNCTIONALITY(PythonDispatcher);
    return ((UINT64_C(1) << (OB_FUNCTIONALITY_BIT + (int)f)) - 1) |
           OB_FUNCTIONALITY(PythonDispatcher);
}

/* Number of the highest functionality; 0 when there is none. */
static int highest_functionality(ob_keyset set)
{
    const ob_keyset bits = set & ~OB_BACKEND_BITS;
    return bits ? 63 - OB_CLZ64(bits) - OB_FUNCTIONALITY_BIT : 0;
}

ob_backend ob_keyset_highest_backend(ob_keyset set)
{
    const ob_keyset bits = set & OB_BACKEND_BITS;
    return bits ? (ob_backend)(64 - OB_CLZ64(bits)) : OB_BACKEND_NONE;
}

ob_key ob_keyset_highest(ob_keyset set)
{
    return ob_key_of((ob_key)highest_functionality(set), ob_keyset_highest_backend(set));
}

int ob_keyset_slot(ob_keyset set)
{
    return (int)ob_slot_of(set);
}

int ob_keyset_keys(ob_keyset set, ob_key *keys, int limit)
{
    int n = 0;
    for (int f = 1; f < OB_KEY_FUNCTIONALITY_END; f++) {
        if ((set >> (OB_FUNCTIONALITY_BIT + f) & 1) == 0) continue;
        const ob_slot_row *row = &ob_slot_rows[f];
        for (int b = 0; b < (row->mask ? OB_BACKENDS : 1); b++) {
            if (row->mask && (set >> b & 1) == 0) continue;
            if (n < limit) keys[n] = ob_key_at_slot(row->first + b);
            n++;
        }
    }
    return n;
}

char *ob_keyset_format(ob_keyset set, char *buf, size_t bytes)
{
    ob_key keys[OB_TABLE_SLOTS];
    const int n = ob_keyset_keys(set, keys, OB_TABLE_SLOTS);
    size_t used = 0;
    for (int i = -1; i <= n && used < bytes; i++) {
        const char *before = i < 0 ? "DispatchKeySet(" : i == n ? ")" : i > 0 ? ", " : "";
        const char *name = i < 0 || i == n ? "" : ob_key_name(keys[i]);
        used += (size_t)snprintf(buf + used, bytes - used, "%s%s", before, name);
    }
    return buf;
}

ob_keyset ob_keyset_autograd(void)
{
    return AUTOGRAD_SET;
}

ob_keyset ob_keyset_after_autograd(void)
{
    return OB_AFTER_AUTOGRAD;
}

ob_keyset ob_keyset_after_adinplace(void)
{
    return ob_keyset_full_after(OB_KEY_ADInplaceOrView);
}

static const ob_key autocast_keys[OB_BACKEND_LIMIT] = {
    [OB_BACKEND_CPU] = OB_KEY_AutocastCPU,   [OB_BACKEND_MTIA] = OB_KEY_AutocastMTIA,
    [OB_BACKEND_MAIA] = OB_KEY_AutocastMAIA, [OB_BACKEND_XPU] = OB_KEY_AutocastXPU,
    [OB_BACKEND_IPU] = OB_KEY_AutocastIPU,   [OB_BACKEND_HPU] = OB_KEY_AutocastHPU,
    [OB_BACKEND_CUDA] = OB_KEY_AutocastCUDA, [OB_BACKEND_XLA] = OB_KEY_AutocastXLA,
    [OB_BACKEND_MPS] = OB_KEY_AutocastMPS,   [OB_BACKEND_PrivateUse1] = OB_KEY_AutocastPrivateUse1,
};

ob_keyset ob_keyset_of_tensor(ob_backend backend)
{
    if (backend <= OB_BACKEND_NONE || backend >= OB_BACKEND_LIMIT) return 0;
    const bool other = backend == OB_BACKEND_HIP || backend == OB_BACKEND_VE;
    const ob_key autograd =
        other ? OB_KEY_AutogradOther : ob_key_of(OB_KEY_AutogradFunctionality, backend);
    return ob_keyset_of(ob_key_of(OB_KEY_Dense, backend)) | OB_FUNCTIONALITY(ADInplaceOrView) |
           ob_keyset_of(autograd) | ob_keyset_of(autocast_keys[backend]);
}
