/* Dispatch keys, key sets, operators and calls. PyTorch: c10/core/DispatchKey.h, DispatchKeySet.h,
 * core/dispatch.
 *
 * A key set is 64 bits: bits 0..15 say whose memory (backend components), bits 16.. which layer
 * (functionalities). Six functionalities exist per backend; a set that holds several of them and
 * several backends reads as every combination. Minus and remove clear functionality bits only. The
 * highest bit wins. */
#ifndef OB_DISPATCH_H
#define OB_DISPATCH_H

#include "ob/tensor.h"

OB_BEGIN_DECLS

/* clang-format off */
/* Functionalities, low to high; ORDER: PyTorch 2.13's DispatchKey. P(name, prefix of its runtime keys): one per
 * backend. S(name): a single one. */
#define OB_FUNCTIONALITY_LIST(S, P)                                                                      \
    P(Dense, ) S(FPGA) S(Vulkan) S(Metal) P(Quantized, Quantized) S(CustomRNGKeyId) S(MkldnnCPU)         \
    P(Sparse, Sparse) P(SparseCsr, SparseCsr) P(NestedTensor, NestedTensor) S(BackendSelect) S(Fake)     \
    S(Python) S(FuncTorchDynamicLayerBackMode) S(Functionalize) S(Conjugate) S(Negative) S(ZeroTensor)   \
    S(ADInplaceOrView) S(AutogradOther) P(AutogradFunctionality, Autograd) S(AutogradNestedTensor)       \
    S(Tracer) S(AutocastCPU) S(AutocastMTIA) S(AutocastMAIA) S(AutocastXPU) S(AutocastIPU)               \
    S(AutocastHPU) S(AutocastXLA) S(AutocastMPS) S(AutocastCUDA) S(AutocastPrivateUse1)                  \
    S(FuncTorchBatched) S(BatchedNestedTensor) S(FuncTorchVmapMode) S(Batched) S(VmapMode)               \
    S(FuncTorchGradWrapper) S(DeferredInit) S(PythonTLSSnapshot) S(FuncTorchDynamicLayerFrontMode)       \
    S(TESTING_ONLY_GenericWrapper) S(TESTING_ONLY_GenericMode) S(PreDispatch) S(PythonDispatcher)

/* Alias keys: registered to, never in a set, never called. */
#define OB_ALIAS_KEY_LIST(X)                                                                             \
    X(Autograd) X(CompositeImplicitAutograd) X(FuncTorchBatchedDecomposition)                            \
    X(CompositeImplicitAutogradNestedTensor) X(CompositeExplicitAutograd)                                \
    X(CompositeExplicitAutogradNonFunctional)
/* clang-format on */

/** Every key, with PyTorch's enum values: functionalities 1..46, then per-backend blocks, then
 * aliases 150..155. */
typedef enum ob_key {
    OB_KEY_Undefined = 0, /* also CatchAll: no key */
#define OB_S(name)         OB_KEY_##name,
#define OB_P(name, prefix) OB_KEY_##name,
    OB_FUNCTIONALITY_LIST(OB_S, OB_P)
#undef OB_S
#undef OB_P
        OB_KEY_FUNCTIONALITY_END,
#define OB_BLOCK(prefix)                                                                        \
    OB_KEY_StartOf##prefix##Block, OB_KEY_##prefix##CPU, OB_KEY_##prefix##CUDA,                 \
        OB_KEY_##prefix##HIP, OB_KEY_##prefix##XLA, OB_KEY_##prefix##MPS, OB_KEY_##prefix##IPU, \
        OB_KEY_##prefix##XPU, OB_KEY_##prefix##HPU, OB_KEY_##prefix##VE, OB_KEY_##prefix##Lazy, \
        OB_KEY_##prefix##MTIA, OB_KEY_##prefix##MAIA, OB_KEY_##prefix##PrivateUse1,             \
        OB_KEY_##prefix##PrivateUse2, OB_KEY_##prefix##PrivateUse3, OB_KEY_##prefix##Meta
    OB_BLOCK(),
    OB_BLOCK(Quantized),
    OB_BLOCK(Sparse),
    OB_BLOCK(SparseCsr),
    OB_BLOCK(NestedTensor),
    OB_BLOCK(Autograd),
#undef OB_BLOCK
#define OB_X(name) OB_KEY_##name,
    OB_ALIAS_KEY_LIST(OB_X)
#undef OB_X
        OB_KEY_LIMIT
} ob_key;

enum { OB_TABLE_SLOTS = 137, OB_BACKENDS = 16 };

/* ---- keys
 * -------------------------------------------------------------------------------------------------
 */

/** PyTorch's name of a key [borrowed, static]; "?" for a number that is none. */
OB_API const char *ob_key_name(ob_key key);
/** Find a key by name (all 155, and PyTorch's compatibility names: CatchAll, CPUTensorId ...);
 * OB_ERR_NOT_FOUND. */
OB_API ob_status ob_key_parse(const char *name, ob_key *out) OB_MUST_USE;
OB_API bool ob_key_is_alias(ob_key key);
/** Slot of a runtime key in the 137-slot table; -1 for aliases, block markers and per-backend
 * functionalities. */
OB_API int ob_key_slot(ob_key key);
/** The key of a slot; OB_KEY_Undefined for slot 0. */
OB_API ob_key ob_key_at_slot(int slot);
/** The runtime key of a per-backend functionality and a backend, e.g. (AutogradFunctionality, CPU)
 * = AutogradCPU. */
OB_API ob_key ob_key_of(ob_key functionality, ob_backend backend);
/** The functionality of a runtime key: AutogradCPU gives AutogradFunctionality, Tracer gives
 * Tracer. */
OB_API ob_key ob_key_functionality(ob_key key);
/** The backend component of a runtime key; OB_BACKEND_NONE if it has none. */
OB_API ob_backend ob_key_backend(ob_key key);
/** True when slot `slot` is one that a kernel of alias `alias` can fill (Undefined included where
 * it applies). */
OB_API bool ob_alias_has_slot(ob_key alias, int slot);

/* ---- key sets
 * --------------------------------------------------------------------------------------------- */

/** Set of a runtime key (functionality and backend bit), of a functionality, or empty for aliases
 * and Undefined. */
OB_API ob_keyset ob_keyset_of(ob_key key);
/** Union of the sets of n keys. */
OB_API ob_keyset ob_keyset_of_all(const ob_key *keys, int n);
OB_API bool ob_keyset_has(ob_keyset set, ob_key key);
/** set minus the functionality bits of `other`; backend bits stay. */
OB_API ob_keyset ob_keyset_minus(ob_keyset set, ob_keyset other);
OB_API ob_keyset ob_keyset_remove_backend(ob_keyset set, ob_backend backend);
OB_API ob_keyset ob_keyset_full(void);
/** All bits below `key`'s functionality, plus PythonDispatcher. */
OB_API ob_keyset ob_keyset_full_after(ob_key key);
/** The highest key: the runtime key of the highest functionality and backend; Undefined for an
 * empty set. */
OB_API ob_key ob_keyset_highest(ob_keyset set);
OB_API ob_backend ob_keyset_highest_backend(ob_keyset set);
/** Slot that a call with this set reaches. */
OB_API int ob_keyset_slot(ob_keyset set);
/** The set's runtime keys in PyTorch's order; writes at most `limit`, returns how many there are.
 */
OB_API int ob_keyset_keys(ob_keyset set, ob_key *keys, int limit);
/** Print as "DispatchKeySet(CPU, AutogradCPU)"; returns `buf`. */
OB_API char *ob_keyset_format(ob_keyset set, char *buf, size_t bytes);

/** The autograd functionalities, without backend bits: what a kernel below autograd leaves out. */
OB_API ob_keyset ob_keyset_autograd(void);
/** FULL_AFTER(AutogradOther): what an autograd kernel passes on. */
OB_API ob_keyset ob_keyset_after_autograd(void);
/** FULL_AFTER(ADInplaceOrView). */
OB_API ob_keyset ob_keyset_after_adinplace(void);
/** Keys of an ordinary tensor of a backend: dense, ADInplaceOrView, its autograd key, its autocast
 * key if any. */
OB_API ob_keyset ob_keyset_of_tensor(ob_backend backend);

/* ---- thread-local state
 * ----------------------------------------------------------------------------------- */

/** Sets added to and taken from every call of a thread. Default: {BackendSelect, ADInplaceOrView},
 * {Autocast*}. */
typedef struct ob_dispatch_state {
    ob_keyset included, excluded;
    bool grad_mode;      /* torch.is_grad_enabled() */
    bool inference_mode; /* tensors made now carry neither Autograd* nor ADInplaceOrView */
    bool strict;         /* a CPU fallback is an error (OB_ERR_FALLBACK) */
} ob_dispatch_state;

OB_API ob_dispatch_state ob_dispatch_state_get(void);
OB_API void ob_dispatch_state_set(ob_dispatch_state state);

/* Guards: enter returns what ob_guard_leave() needs to restore. Leave in reverse order, on the same
 * thread. */
typedef struct ob_guard {
    ob_dispatch_state saved;
    uint32_t restores; /* which members leave puts back */
} ob_guard;

OB_API ob_guard ob_guard_include(ob_keyset set);
OB_API ob_guard ob_guard_exclude(ob_keyset set);
/** Replace both sets (ForceDispatchKeyGuard). */
OB_API ob_guard ob_guard_force(ob_keyset included, ob_keyset excluded);
OB_API ob_guard ob_guard_below_autograd(void);
OB_API ob_guard ob_guard_below_adinplace(void);
OB_API ob_guard ob_guard_skip_functionalize(void);
OB_API ob_guard ob_guard_inference_mode(bool on);
OB_API ob_guard ob_guard_grad_mode(bool on);
OB_API ob_guard ob_guard_strict(bool on);
OB_API void ob_guard_leave(const ob_guard *guard);

/* Setters of one key (c10::impl::tls_set_dispatch_key_included ...). */
OB_API void ob_tls_set_included(ob_key key, bool on);
OB_API void ob_tls_set_excluded(ob_key key, bool on);
OB_API bool ob_tls_is_included(ob_key key);
OB_API bool ob_tls_is_excluded(ob_key key);

/* ---- operators and calls
 * ---------------------------------------------------------------------------------- */

/**
 * An operator: name, schema, kernels, table. A handle stays valid for the life of the process;
 * after the op was dropped and defined again it reaches the new definition.
 */
typedef struct ob_op ob_op;
typedef struct ob_schema ob_schema; /* see schema.h */

/** Find a defined op by "ns::name.overload" ("ns::name" when it has none). OB_ERR_NOT_FOUND, naming
 * near ones. */
OB_API ob_status ob_op_find(const char *name, ob_op **out) OB_MUST_USE;
/** Find an op defined or only implemented; NULL when there is none. Sets no error. */
OB_API ob_op *ob_op_peek(const char *name);
/** Full name, "aten::add.Tensor" [borrowed, process]. */
OB_API const char *ob_op_name(const ob_op *op);
/** Schema [borrowed, until the op is dropped]; NULL when it was implemented but not defined. */
OB_API const ob_schema *ob_op_schema(const ob_op *op);
/** Tags given at def: OB_TAG_* bits. */
OB_API uint64_t ob_op_tags(const ob_op *op);

/**
 * What a kernel gets. Arguments are borrowed. Results are absent on entry, unless the op has a
 * shape rule (see library.h): then they hold the outputs to write to. A kernel stores owned values
 * into results; on failure the dispatcher resets them.
 */
typedef struct ob_frame {
    const ob_op *op;
    void *user;           /* as given at registration */
    ob_keyset keys;       /* set of this call; strip your own key before ob_redispatch() */
    const ob_value *args; /* n_args, in schema order, defaults filled in */
    ob_value *results;    /* n_results */
    uint32_t n_args, n_results;
} ob_frame;

/**
 * A kernel. Called on the caller's thread, with no lock held; may call ops, register and unload.
 *
 * @return OB_OK; OB_ERR_DECLINED to have the dispatcher take the next best kernel (composite, then
 * CPU fallback), with nothing written; or any other code after OB_FAIL().
 */
typedef ob_status (*ob_kernel_fn)(ob_frame *frame);

/**
 * Call an op with checked arguments: the number and tags must fit the schema; absent ones and
 * missing trailing ones take their defaults; an int serves where a float is wanted, as in PyTorch.
 *
 * @param results  [out, owned] n_results values, one per return of the schema; all absent on
 * failure.
 */
OB_API ob_status ob_call(const ob_op *op, const ob_value *args, uint32_t n_args, ob_value *results,
                         uint32_t n_results) OB_MUST_USE;

/**
 * Call an op whose arguments are known to fit: all of them, with the schema's tags. The way of
 * generated code. `results` must be absent (zero) on entry.
 */
OB_API ob_status ob_call_unchecked(const ob_op *op, const ob_value *args,
                                   ob_value *results) OB_MUST_USE;

/** Call the kernel of `keys`' highest key: no thread-local sets, no argument scan, no fallthrough
 * mask. */
OB_API ob_status ob_redispatch(const ob_op *op, ob_keyset keys, const ob_value *args,
                               ob_value *results) OB_MUST_USE;

/** Call the kernel registered to exactly `key`, else `key`'s backend fallback; OB_ERR_NO_KERNEL. */
OB_API ob_status ob_call_for_key(const ob_op *op, ob_key key, const ob_value *args,
                                 ob_value *results) OB_MUST_USE;

/** The set that ob_call_unchecked() would dispatch on: ((arguments | included) - excluded) & not
 * fallthrough. */
OB_API ob_keyset ob_call_keys(const ob_op *op, const ob_value *args);

OB_END_DECLS
#endif
