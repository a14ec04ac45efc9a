/* Dispatch keys as bits and slots, for the dispatcher's own files. PyTorch:
 * c10/core/DispatchKeySet.h.
 *
 * Bit b of a set is backend component b (CPU = 0); bit 15 + n is functionality n. Slot 0 of the
 * table is Undefined; then functionalities ascend, one per backend taking 16 slots. */
#ifndef OB_DISPATCH_KEYSET_H
#define OB_DISPATCH_KEYSET_H

#include "ob/dispatch.h"

/* First slot of every functionality. */
enum {
    OB_SLOT_Undefined,
#define OB_S(name)         OB_SLOT_##name,
#define OB_P(name, prefix) OB_SLOT_##name, OB_SLOT_LAST_##name = OB_SLOT_##name + OB_BACKENDS - 1,
    OB_FUNCTIONALITY_LIST(OB_S, OB_P)
#undef OB_S
#undef OB_P
        OB_SLOT_LIMIT
};
OB_STATIC_ASSERT((int)OB_SLOT_LIMIT == (int)OB_TABLE_SLOTS, "the table has one slot per key");

enum { OB_FUNCTIONALITY_BIT = OB_BACKENDS - 1 }; /* bit of functionality 0, which is never set */
#define OB_BACKEND_BITS        ((UINT64_C(1) << OB_BACKENDS) - 1)
#define OB_FUNCTIONALITY(name) (UINT64_C(1) << (OB_FUNCTIONALITY_BIT + OB_KEY_##name))

/* Where the slots of a functionality start, and which backend bits choose among them (0: none). */
typedef struct ob_slot_row {
    uint16_t first, mask;
} ob_slot_row;
extern const ob_slot_row ob_slot_rows[OB_KEY_FUNCTIONALITY_END];

/* Position of the highest backend bit, CPU's (0) when there is none. */
static inline uint32_t ob_backend_index(ob_keyset keys)
{
    return (uint32_t)OB_CLZ32((uint32_t)(keys & OB_BACKEND_BITS) | 1) ^ 31U;
}

/* Slots by bit of the highest functionality and by backend: 16 columns a row, all alike where there
 * is one slot only. Rows below OB_FUNCTIONALITY_BIT are not reached. */
extern const uint8_t ob_slot_map[(OB_FUNCTIONALITY_BIT + OB_KEY_FUNCTIONALITY_END) * OB_BACKENDS];

/* Slot of a set whose ob_backend_index() is known: its highest functionality, then that backend. */
static inline uint32_t ob_slot_at(ob_keyset keys, uint32_t backend_index)
{
    const uint32_t top = (uint32_t)OB_CLZ64(keys | UINT64_C(1) << OB_FUNCTIONALITY_BIT) ^ 63U;
    return ob_slot_map[top * OB_BACKENDS + backend_index];
}

static inline uint32_t ob_slot_of(ob_keyset keys)
{
    return ob_slot_at(keys, ob_backend_index(keys));
}

/* FULL_AFTER(AutogradOther). */
#define OB_AFTER_AUTOGRAD \
    ((OB_FUNCTIONALITY(AutogradOther) - 1) | OB_FUNCTIONALITY(PythonDispatcher))

/* True for the keys of backends: members of CompositeExplicitAutograd. */
bool ob_key_is_backend(ob_key key);

/* True when a direct kernel of `backend_key` keeps a CompositeImplicitAutograd kernel out of the
 * autograd key's slot (see compute.c). */
bool ob_autograd_covers(ob_key autograd, ob_key backend_key);

#endif
