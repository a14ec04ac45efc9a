/* Operators, their kernels and their computed tables, for the dispatcher and for the op library.
 *
 * Operators are interned by name and never freed. A writer holds the registration lock; a call
 * reads op->table, an immutable snapshot, and nothing else. A change publishes a new snapshot, or
 * ob_no_table when the op has not been called yet or memory is out: then the next call makes it,
 * under the lock. So a change never fails for want of a table. PyTorch:
 * ATen/core/dispatch/Dispatcher.h, OperatorEntry.h. */
#ifndef OB_DISPATCH_OPTABLE_H
#define OB_DISPATCH_OPTABLE_H

#include "dispatch/table/reclaim.h"
#include "ob/inspect.h"
#include "ob/library.h"

enum {
    /* Flags of ob_kernel that only libob sets. */
    OB_KERNEL_GENERATED = 1 << 16, /* a sibling form made by libob; never wrapped */
    OB_KERNEL_FLAGS_PUBLIC =
        OB_KERNEL_FALLTHROUGH | OB_KERNEL_OVERRIDE | OB_KERNEL_DENSE_ARGS | OB_KERNEL_DENSE_OUTS
};

/* A registered kernel. Immutable once a table holds it, but for the links, which the lock guards.
 */
typedef struct ob_record {
    ob_retired retired;
    ob_kernel_fn entry;   /* what a call runs: the kernel, a wrapper, or a gate */
    void *user;           /* frame->user of `entry`: the kernel's own, or this record */
    ob_kernel kernel;     /* as registered; debug and signature are owned here or by the library */
    ob_key key;           /* runtime or alias key */
    ob_op *op;            /* NULL: a backend fallback */
    ob_schema *signature; /* kernel.signature, parsed; NULL when none was given */
    char *own_debug, *own_signature;
    struct ob_record *next; /* of the op or fallback slot, newest first */
} ob_record;

enum { OB_MAX_ARGS = 64 };
enum { OB_NOT_ONE = UINT16_MAX };
enum { OB_ALTERNATIVES = 3 };
/* CEANF, CEA, CIA: whose kernels serve all backends, in the order in which they are asked when a
 * kernel declines. */
extern const ob_key ob_alternative_keys[OB_ALTERNATIVES];

/* What a call looks at. */
typedef struct ob_table {
    ob_retired retired;
    uint32_t n_args, n_results;
    uint32_t n_tensor_args;
    uint16_t only_tensor_arg;          /* tensor_args[0] when there is just one; else OB_NOT_ONE */
    uint16_t tensor_args[OB_MAX_ARGS]; /* where the Tensor, Tensor?, Tensor[] and Tensor?[]
                                          arguments are: bytes from the first argument */
    ob_keyset masks[OB_BACKENDS];      /* functionalities that are not fallthrough, per backend */
    const ob_record *slots[OB_TABLE_SLOTS]; /* never NULL: missing ones hold a kernel that fails */
    uint8_t provenance[OB_TABLE_SLOTS];     /* ob_provenance */
    const ob_record *alternatives[OB_ALTERNATIVES]; /* NULL where there is none */
    const ob_record
        *fallbacks[OB_TABLE_SLOTS]; /* of the key, whatever the slot holds; NULL: none */
} ob_table;

/* The table of an op that has none yet: empty, so that no call goes the fast way with it. */
extern const ob_table ob_no_table;

/* A definition. */
typedef struct ob_def {
    ob_retired retired;
    ob_schema *schema;
    const char *debug; /* "registered at file:line"; borrowed from the library */
    bool inferred;     /* the schema came from a kernel's signature */
} ob_def;

struct ob_op {
    _Atomic(const ob_table *) table;   /* never NULL: ob_no_table when there is none */
    _Atomic(const ob_schema *) schema; /* NULL: not defined, or not parsed yet */
    const char *name;                  /* "ns::name.overload"; process */
    const char *text; /* schema of a built-in op, parsed on first need; else NULL */
    atomic_uint_fast64_t tags;
    atomic_bool defined;
    atomic_uint n_kernels;
    atomic_uint_fast64_t fallbacks, declines; /* counts */
    ob_op *chain;                             /* next op of the hash bucket */
    /* under the lock: */
    ob_def *def;        /* NULL when not defined by a library */
    ob_record *kernels; /* newest first, all keys */
    ob_kernel_fn wrapper;
};

/* ---- the lock ---- */

/* Take the registration lock; false when this thread holds it already (a listener). Pass the answer
 * to ob_registry_leave(). */
bool ob_registry_enter(void);
void ob_registry_leave(bool entered);
/* As ob_registry_enter(), but OB_ERR_STATE for a listener, who must not register. */
ob_status ob_registry_begin(const char *what) OB_MUST_USE;

/* ---- operators; the lock is held unless said otherwise ---- */

/* Entry of a full name, NULL when there never was one. No lock needed. */
ob_op *ob_op_lookup(const char *name);
/* Entry of a full name, made when there is none; NULL when memory is out. */
ob_op *ob_op_intern(const char *name);
/* True when the op is defined or implemented. No lock needed. */
bool ob_op_exists(const ob_op *op);
/* Schema, parsed now if it was not yet. OB_ERR_OOM, OB_ERR_PARSE; OB_OK and NULL when not defined.
 */
ob_status ob_op_parsed_schema(ob_op *op, const ob_schema **out) OB_MUST_USE;
/* Call `each` for every entry that exists. */
void ob_optable_each(void (*each)(void *user, ob_op *op), void *user);

/* Put a record on the op's stack, or take it away again. Tables are not touched. */
void ob_op_push(ob_op *op, ob_record *record);
void ob_op_remove(ob_op *op, ob_record *record);
/* Newest record of exactly this key; NULL. */
const ob_record *ob_op_newest(const ob_op *op, ob_key key);
/* Make the table of one op, or of every op, follow its registrations. */
void ob_op_refresh(ob_op *op);
void ob_optable_refresh_all(void);
/* The live table, made now if need be. Takes the lock itself. OB_ERR_OOM ... */
ob_status ob_op_resolve(ob_op *op, const ob_table **out) OB_MUST_USE;
/* The same without the lock when there is one: for calls. */
static inline ob_status ob_op_table(ob_op *op, const ob_table **out)
{
    *out = atomic_load_explicit(&op->table, memory_order_acquire);
    return OB_LIKELY(*out != &ob_no_table) ? OB_OK : ob_op_resolve(op, out);
}

/* Backend fallbacks of a slot: newest record (NULL: none), push, remove. Tables are not touched. */
const ob_record *ob_fallback_newest(int slot);
void ob_fallback_push(int slot, ob_record *record);
void ob_fallback_remove(int slot, ob_record *record);

/* Free a record or a definition that no table has held, or late through ob_retire(). */
void ob_record_free(ob_retired *record);
void ob_def_free(ob_retired *def);

/* ---- for sdk/ops ---- */

/* One built-in op. Strings are static. */
typedef struct ob_builtin {
    const char *schema; /* "aten::add.Tensor(...) -> Tensor" */
    uint64_t tags;
} ob_builtin;

/**
 * Define n built-in ops at once; takes the lock. Their schemas are parsed when first needed.
 *
 * @param ops  [out, process] the handle of each row.
 * @return OB_ERR_OOM, OB_ERR_DUPLICATE; then nothing is defined.
 */
ob_status ob_optable_define_all(const ob_builtin *rows, size_t n, ob_op **ops) OB_MUST_USE;

/* From now on kernels registered to `op` for a backend key run inside `wrapper`, whose frame->user
 * is the record: see ob_record_kernel(). OB_ERR_STATE when such a kernel is there already. */
ob_status ob_op_set_wrapper(ob_op *op, ob_kernel_fn wrapper) OB_MUST_USE;

/* The kernel behind a wrapper's frame->user [borrowed, until the call ends]. */
const ob_kernel *ob_record_kernel(const void *record);

/* ---- start ---- */

typedef enum ob_init_stage {
    OB_INIT_ATEN,    /* the ATen table */
    OB_INIT_RULES,   /* structured families: wrappers and Meta kernels */
    OB_INIT_KERNELS, /* composites and CPU kernels */
    OB_INIT_DERIVED, /* forms made from ops that have kernels by now */
    OB_INIT_STAGES
} ob_init_stage;

/* Have `start` run once, before the first use of the dispatcher: stage by stage, in any order
 * within one. Called from OB_CONSTRUCTOR functions of libob. */
void ob_init_hook(ob_init_stage stage, ob_status (*start)(void));

/* Make the dispatcher ready: stock fallbacks, then the hooks. Cheap when done. An error stays. */
ob_status ob_dispatch_init(void) OB_MUST_USE;

#endif
