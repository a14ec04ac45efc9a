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

/* Slot of a set: its highest functionality, then its highest backend; CPU's when it has none. */
static inline uint32_t ob_slot_of(ob_keyset keys)
{
    const ob_keyset floor = UINT64_C(1) << OB_FUNCTIONALITY_BIT;
    const ob_slot_row *row =
        &ob_slot_rows[63 - OB_CLZ64((keys & ~OB_BACKEND_BITS) | floor) - OB_FUNCTIONALITY_BIT];
    return row->first + (uint32_t)(63 - OB_CLZ64((keys & row->mask) | 1));
}

/* Position of the highest backend bit, CPU's (0) when there is none. */
static inline uint32_t ob_backend_index(ob_keyset keys)
{
    return (uint32_t)(63 - OB_CLZ64((keys & OB_BACKEND_BITS) | 1));
}

/* True for the keys of backends: members of CompositeExplicitAutograd. */
bool ob_key_is_backend(ob_key key);

/* True when a direct kernel of `backend_key` keeps a CompositeImplicitAutograd kernel out of the
 * autograd key's slot (see compute.c). */
bool ob_autograd_covers(ob_key autograd, ob_key backend_key);

#endif
