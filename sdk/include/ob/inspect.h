/* Asking the dispatcher what it holds: the tables, who registered what, what a call would do.
 * Source of `ob explain`, of the coverage matrix, and of error texts. Dumps have PyTorch's format
 * (torch._C._dispatch_dump). */
#ifndef OB_INSPECT_H
#define OB_INSPECT_H

#include "ob/schema.h"

OB_BEGIN_DECLS

/** How a table entry came about; ORDER: DISPATCHER rules of precedence. X(name, text in dumps) */
/* clang-format off */
#define OB_PROVENANCE_LIST(X)                                                          \
    X(MISSING, "missing")                                                              \
    X(DIRECT, "kernel")                                                                \
    X(DEFAULT_BACKEND, "default backend kernel")                                       \
    X(NESTED, "nested kernel")                                                         \
    X(MATH, "math kernel") X(AUTOGRAD, "autograd kernel") X(BATCHED, "batched kernel") \
        X(FALLBACK, "backend fallback") X(AMBIGUOUS, "ambiguous autogradother")
/* clang-format on */

typedef enum ob_provenance {
#define OB_X(name, text) OB_PROVENANCE_##name,
    OB_PROVENANCE_LIST(OB_X)
#undef OB_X
} ob_provenance;

/** What one slot of an op's table holds. Strings borrowed until the op's registrations change. */
typedef struct ob_entry {
    ob_provenance provenance;
    ob_key source;     /* key or alias it was registered to */
    uint32_t flags;    /* OB_KERNEL_* */
    ob_dtypes dtypes;  /* that it serves; 0 = all */
    const char *debug; /* "registered at file:line"; "" when missing */
    bool generated;    /* a sibling form made by libob from the op's primary kernel (see structured
                          ops) */
} ob_entry;

/** The computed entry for a runtime key; OB_ERR_ARG for an alias. */
OB_API ob_status ob_inspect_entry(const ob_op *op, ob_key key, ob_entry *out) OB_MUST_USE;

/* How a device serves an op. X(name, word in the matrix) */
/* clang-format off */
#define OB_SERVED_LIST(X) \
    X(MISSING, "missing") X(FALLBACK, "fallback") X(COMPOSITE, "composite") X(NATIVE, "native")
/* clang-format on */

typedef enum ob_served {
#define OB_X(name, text) OB_SERVED_##name,
    OB_SERVED_LIST(OB_X)
#undef OB_X
} ob_served;

/**
 * How a device serves an op: native (a kernel of the device, also through a sibling form; views,
 * which are metadata only), composite (a formula over other ops), fallback (the CPU has it and the
 * device may fall back), missing.
 */
OB_API ob_served ob_inspect_served(const ob_op *op, ob_device device);
OB_API const char *ob_served_name(ob_served served);

/** A kernel in an op's registrations: newest first within a key. */
typedef struct ob_registration {
    ob_key key;
    bool active; /* the newest of its key */
    uint32_t flags;
    const char *debug;
    const char *signature; /* NULL when none was given */
} ob_registration;

/** Kernels registered for an op, in PyTorch's enum order of keys; writes at most `limit`, returns
 * how many there are. */
OB_API int ob_inspect_registrations(const ob_op *op, ob_registration *out, int limit);

/** PyTorch's state dump (_dispatch_dump) [owned: ob_free()]; "" for an unknown op; NULL when memory
 * is out. */
OB_API char *ob_inspect_dump(const char *op_name);
/** PyTorch's computed-table dump (_dispatch_dump_table) [owned: ob_free()]. */
OB_API char *ob_inspect_dump_table(const char *op_name);

OB_API bool ob_inspect_has_kernel_for_key(const ob_op *op, ob_key key);
/** Live table valid for the key; OB_ERR_ARG for an alias. */
OB_API ob_status ob_inspect_has_computed_kernel(const ob_op *op, ob_key key, bool *out) OB_MUST_USE;
/** Whether the kernel registered to exactly `key` is a fallthrough; OB_ERR_NOT_FOUND when there is
 * none. */
OB_API ob_status ob_inspect_is_fallthrough(const ob_op *op, ob_key key, bool *out) OB_MUST_USE;

/** Names of all ops that are defined or implemented, sorted; call `each` for every one. */
OB_API void ob_inspect_each_op(void (*each)(void *user, const ob_op *op), void *user);
/** Ops that were implemented but never defined. */
OB_API void ob_inspect_each_dangling(void (*each)(void *user, const ob_op *op), void *user);
/** Recompute every table from the registrations and compare; OB_ERR_STATE naming the first op that
 * differs. */
OB_API ob_status ob_inspect_check_invariants(void) OB_MUST_USE;

/* ---- counters
 * -------------------------------------------------------------------------------------------------
 */

/** How often an op ran on the CPU fallback, or a kernel declined, since start or the last reset. */
typedef struct ob_op_counts {
    uint64_t fallbacks, declines;
} ob_op_counts;

OB_API ob_op_counts ob_inspect_counts(const ob_op *op);
OB_API void ob_inspect_reset_counts(void);

/** Watch every call of this thread that reaches a backend kernel, composite or fallback: for leaves
 * and profiles. `enter` and `leave` nest. NULL stops. Costs one test per call when off. */
typedef struct ob_call_watcher {
    void (*enter)(void *user, const ob_op *op, ob_key key, const ob_entry *entry);
    void (*leave)(void *user, const ob_op *op, ob_key key, ob_status status);
    void *user;
} ob_call_watcher;
OB_API void ob_inspect_watch(const ob_call_watcher *watcher);

/* ---- the ATen table
 * ------------------------------------------------------------------------------------------- */

/* clang-format off */
#define OB_ATEN_CLASS_LIST(X)                                                                       \
    X(NATIVE, "native") X(STRUCTURED, "structured") X(DELEGATE, "structured_delegate")              \
    X(CEA, "CompositeExplicitAutograd") X(CEANF, "CompositeExplicitAutogradNonFunctional")          \
    X(CIA, "CompositeImplicitAutograd")
#define OB_ATEN_FAMILY_LIST(X)                                                                      \
    X(DENSE) X(FOREACH) X(SPECIAL) X(LINALG) X(FFT) X(ATTENTION) X(FUSED_OPTIM) X(SYMBOLIC)         \
    X(SPARSE) X(QUANTIZED) X(NESTED) X(MKLDNN) X(VENDOR) X(MOBILE) X(TEST)
/* clang-format on */

typedef enum ob_aten_class {
#define OB_X(name, text) OB_ATEN_##name,
    OB_ATEN_CLASS_LIST(OB_X)
#undef OB_X
} ob_aten_class;

typedef enum ob_aten_family {
#define OB_X(name) OB_FAMILY_##name,
    OB_ATEN_FAMILY_LIST(OB_X)
#undef OB_X
} ob_aten_family;

/** One row of the ATen table; strings static. */
typedef struct ob_aten_row {
    const char *schema; /* "aten::add.Tensor(...) -> Tensor" */
    const char *c_name; /* "add": the prototype is ob_add() */
    ob_aten_class klass;
    ob_aten_family family;
    uint64_t tags;
} ob_aten_row;

/** Row i of the ATen table; NULL past the end. Row i belongs to op id i of ops.h. */
OB_API const ob_aten_row *ob_aten_row_at(int i);
/** The op of row i [borrowed, process]. */
OB_API ob_op *ob_aten_op(int i);
/** Row of the form that backends register for, in the family of the functional row i: the out form
 * where ATen is structured, else the native one, else the functional one. */
OB_API int ob_aten_primary(int i);
/** Families that Outboard covers; the others answer with OB_ERR_UNSUPPORTED. */
OB_API bool ob_aten_in_scope(ob_aten_family family);

OB_END_DECLS
#endif
