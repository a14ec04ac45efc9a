/* Defining and implementing ops. PyTorch: torch/library.h.
 *
 *     OB_LIBRARY(myops, m)                       // runs when the .so is loaded
 *     {
 *         OB_TRY(ob_library_def(m, "twice(Tensor self) -> Tensor", 0));
 *         return ob_library_impl(m, "twice", OB_KEY_CompositeExplicitAutograd, &(ob_kernel){ .fn =
 * twice });
 *     }
 *
 * A library owns what was registered through it and undoes it when released, in any order: what was
 * under it is visible again. An op may be implemented before it is defined. Every function is one
 * transaction: it registers all it was asked to, or nothing. Differs from PyTorch on purpose: a
 * second kernel for the same (op, key) is an error that names both places, unless
 * OB_KERNEL_OVERRIDE is given; tables are always refreshed completely. */
#ifndef OB_LIBRARY_H
#define OB_LIBRARY_H

#include "ob/dispatch.h"

OB_BEGIN_DECLS

typedef struct ob_library ob_library;

typedef enum ob_library_kind {
    OB_LIBRARY_KIND_DEF,      /* owns a namespace: at most one alive */
    OB_LIBRARY_KIND_FRAGMENT, /* adds definitions to a namespace */
    OB_LIBRARY_KIND_IMPL      /* kernels only; may have a key */
} ob_library_kind;

/* clang-format off */
/* Tags of an op: X(enumerator, PyTorch's name, bit). The dispatcher ignores them. */
#define OB_TAG_LIST(X)                                                                                     \
    X(CORE, "core", 0) X(CUDAGRAPH_UNSAFE, "cudagraph_unsafe", 1)                                          \
    X(DATA_DEPENDENT_OUTPUT, "data_dependent_output", 2) X(DYNAMIC_OUTPUT_SHAPE, "dynamic_output_shape", 3)\
    X(FLEXIBLE_LAYOUT, "flexible_layout", 4) X(GENERATED, "generated", 5) X(INPLACE, "inplace", 6)         \
    X(INPLACE_VIEW, "inplace_view", 7) X(MAYBE_ALIASING_OR_MUTATING, "maybe_aliasing_or_mutating", 8)      \
    X(NEEDS_CONTIGUOUS_STRIDES, "needs_contiguous_strides", 9)                                             \
    X(NEEDS_EXACT_STRIDES, "needs_exact_strides", 10)                                                      \
    X(NEEDS_FIXED_STRIDE_ORDER, "needs_fixed_stride_order", 11)                                            \
    X(NONDETERMINISTIC_BITWISE, "nondeterministic_bitwise", 12)                                            \
    X(NONDETERMINISTIC_SEEDED, "nondeterministic_seeded", 13) X(OUT, "out", 14)                            \
    X(OUT_VARIANT, "out_variant", 15) X(POINTWISE, "pointwise", 16)                                        \
    X(PT2_COMPLIANT, "pt2_compliant_tag", 17) X(REDUCTION, "reduction", 18) X(VIEW_COPY, "view_copy", 19)
/* clang-format on */

enum {
#define OB_X(name, text, bit) OB_TAG_##name = 1 << (bit),
    OB_TAG_LIST(OB_X)
#undef OB_X
};

enum {
    OB_KERNEL_FALLTHROUGH = 1, /* no function: skipped at call time */
    OB_KERNEL_OVERRIDE = 2,    /* may stand on top of another kernel for the same op and key */
    OB_KERNEL_DENSE_ARGS = 4,  /* wants row-major inputs: others are copied for it */
    OB_KERNEL_DENSE_OUTS = 8   /* wants row-major outputs: others get a copy back */
};

/** A kernel as it is registered. Copied; strings are copied too. Zero = default. */
typedef struct ob_kernel {
    ob_kernel_fn fn;  /* NULL only with OB_KERNEL_FALLTHROUGH */
    void *user;       /* handed to fn in the frame */
    uint32_t flags;   /* OB_KERNEL_* */
    ob_dtypes dtypes; /* compute dtypes it serves; 0 = all. A call with others is declined for it */
    const char
        *signature;    /* schema it was written for, "(Tensor _0) -> Tensor _0"; checked if given */
    const char *debug; /* text for dumps; NULL = "registered at <file>:<line>" of the library */
} ob_kernel;

/** One row of a registration table. */
typedef struct ob_kernel_row {
    const char *op; /* "add.out", within the library's namespace */
    ob_kernel kernel;
} ob_kernel_row;

/**
 * Open a library.
 *
 * @param ns    Namespace, "_" for backend fallbacks.
 * @param key   OB_LIBRARY_KIND_IMPL: key of its kernels, or OB_KEY_Undefined. Other kinds: must be
 * Undefined.
 * @param file  Place named in errors; a literal.
 * @param out   [out, owned] ob_library_release().
 * @return OB_ERR_DUPLICATE: a second DEF of a live namespace, naming both places. OB_ERR_ARG.
 */
OB_API ob_status ob_library_open(ob_library_kind kind, const char *ns, ob_key key, const char *file,
                                 int line, ob_library **out) OB_MUST_USE;

/** Undo everything registered through it, and free it. NULL is fine. Waits for no call; code may be
 * unmapped only after ob_dispatch_quiesce(). */
OB_API void ob_library_release(ob_library *lib);

/** Undo everything but keep the library usable. */
OB_API void ob_library_reset(ob_library *lib);

/** Wait until no other thread is inside a kernel that was registered before now; OB_ERR_STATE from
 * within a kernel. */
OB_API ob_status ob_dispatch_quiesce(void) OB_MUST_USE;

/**
 * Define an op.
 *
 * @param schema  With or without the library's namespace.
 * @return OB_ERR_DUPLICATE (both places), OB_ERR_PARSE, OB_ERR_MISMATCH (a kernel already there was
 * written for another schema), OB_ERR_ARG (IMPL library, another namespace, more than 64 positional
 * arguments).
 */
OB_API ob_status ob_library_def(ob_library *lib, const char *schema, uint64_t tags) OB_MUST_USE;

/**
 * Implement an op for a key.
 *
 * @param name  "op.overload", with or without the library's namespace.
 * @param key   OB_KEY_Undefined takes the library's key, else CompositeImplicitAutograd.
 * @return OB_ERR_DUPLICATE (both places), OB_ERR_MISMATCH (signature), OB_ERR_ARG (two keys, other
 * namespace).
 */
OB_API ob_status ob_library_impl(ob_library *lib, const char *name, ob_key key,
                                 const ob_kernel *kernel) OB_MUST_USE;

/** Implement n ops for the library's key: all or none. Names must be defined ops; an unknown one is
 * an error. */
OB_API ob_status ob_library_impl_all(ob_library *lib, const ob_kernel_row *rows,
                                     size_t n) OB_MUST_USE;

/** def, then impl to `key` (if not Undefined), library's key, or CompositeImplicitAutograd.
 * `schema` may be a bare name: then the kernel's signature is the schema. As in PyTorch, the def
 * half stays if the impl half fails. */
OB_API ob_status ob_library_def_impl(ob_library *lib, const char *schema, ob_key key,
                                     const ob_kernel *kernel) OB_MUST_USE;

/** Register a backend fallback for `key` (an alias: for each member); library "_", kind IMPL.
 * OB_ERR_DUPLICATE. */
OB_API ob_status ob_library_fallback(ob_library *lib, ob_key key,
                                     const ob_kernel *kernel) OB_MUST_USE;

/** Libraries whose body runs when the .so that holds them is loaded. A body that fails registers
 * nothing, and the error is kept for ob_library_load_errors(). */
typedef ob_status (*ob_library_body)(ob_library *lib);
OB_API void ob_library_static(ob_library_kind kind, const char *ns, ob_key key, const char *file,
                              int line, ob_library_body body, ob_library **slot);

/** Errors of bodies that failed while loading, newest last, one text each [borrowed]; NULL past the
 * end. */
OB_API const char *ob_library_load_error(int i);

#define OB_LIBRARY_BLOCK_(kind, ns, key, id, m)                                          \
    static ob_status ob_library_body_##id(ob_library *m);                                \
    static ob_library *ob_library_slot_##id;                                             \
    OB_CONSTRUCTOR static void ob_library_load_##id(void)                                \
    {                                                                                    \
        ob_library_static((kind), (ns), (key), __FILE__, __LINE__, ob_library_body_##id, \
                          &ob_library_slot_##id);                                        \
    }                                                                                    \
    OB_DESTRUCTOR static void ob_library_unload_##id(void)                               \
    {                                                                                    \
        ob_library_release(ob_library_slot_##id);                                        \
    }                                                                                    \
    static ob_status ob_library_body_##id(ob_library *m)

/* Define ops of a namespace: OB_LIBRARY(myops, m) { ... return OB_OK; } */
#define OB_LIBRARY(ns, m) OB_LIBRARY_BLOCK_(OB_LIBRARY_KIND_DEF, #ns, OB_KEY_Undefined, ns, m)
#define OB_LIBRARY_FRAGMENT(ns, m) \
    OB_LIBRARY_BLOCK_(OB_LIBRARY_KIND_FRAGMENT, #ns, OB_KEY_Undefined, ns##_fragment, m)
/* Implement ops for a key: OB_LIBRARY_IMPL(aten, PrivateUse1, m) { ... } */
#define OB_LIBRARY_IMPL(ns, key, m) \
    OB_LIBRARY_BLOCK_(OB_LIBRARY_KIND_IMPL, #ns, OB_KEY_##key, ns##_##key, m)

/* ---- listeners
 * ------------------------------------------------------------------------------------------------
 */

typedef struct ob_listener ob_listener;

/**
 * Be told of defs and of the last un-def of an op. Replays all ops that are defined now.
 * Called with the registration lock held: must not register. [out, owned: ob_listener_release()]
 */
OB_API ob_status ob_listener_add(void (*on_def)(void *user, const ob_op *op),
                                 void (*on_undef)(void *user, const ob_op *op), void *user,
                                 ob_listener **out) OB_MUST_USE;
OB_API void ob_listener_release(ob_listener *listener);

OB_END_DECLS
#endif
