/* The stock backend fallbacks: what happens at a layer for which an op has no kernel of its own.
 * PyTorch: aten/src/ATen/core/VariableFallbackKernel.cpp and its like for the other layers. */
#include "dispatch/call/fallbacks.h"

typedef enum stock_kind { FALLTHROUGH, BELOW_AUTOGRAD, NO_META, NO_LAYER } stock_kind;

/* clang-format off */
/* X(key, what its fallback does) */
#define STOCK_LIST(X)                                                                              \
    X(BackendSelect, FALLTHROUGH) X(ADInplaceOrView, FALLTHROUGH) X(AutocastCPU, FALLTHROUGH)      \
    X(AutocastMTIA, FALLTHROUGH) X(AutocastMAIA, FALLTHROUGH) X(AutocastXPU, FALLTHROUGH)          \
    X(AutocastMPS, FALLTHROUGH) X(AutocastCUDA, FALLTHROUGH) X(FuncTorchVmapMode, FALLTHROUGH)     \
    X(VmapMode, FALLTHROUGH)                                                                       \
    X(AutogradOther, BELOW_AUTOGRAD) X(AutogradCPU, BELOW_AUTOGRAD)                                \
    X(AutogradCUDA, BELOW_AUTOGRAD) X(AutogradXLA, BELOW_AUTOGRAD) X(AutogradMPS, BELOW_AUTOGRAD)  \
    X(AutogradXPU, BELOW_AUTOGRAD) X(AutogradHPU, BELOW_AUTOGRAD) X(AutogradLazy, BELOW_AUTOGRAD)  \
    X(AutogradMTIA, BELOW_AUTOGRAD) X(AutogradMAIA, BELOW_AUTOGRAD)                                \
    X(AutogradPrivateUse1, BELOW_AUTOGRAD) X(AutogradMeta, BELOW_AUTOGRAD)                         \
    X(Meta, NO_META)                                                                               \
    X(Python, NO_LAYER) X(FuncTorchDynamicLayerBackMode, NO_LAYER) X(Functionalize, NO_LAYER)      \
    X(Conjugate, NO_LAYER) X(Negative, NO_LAYER) X(ZeroTensor, NO_LAYER) X(Tracer, NO_LAYER)       \
    X(FuncTorchBatched, NO_LAYER) X(BatchedNestedTensor, NO_LAYER) X(Batched, NO_LAYER)            \
    X(FuncTorchGradWrapper, NO_LAYER) X(PythonTLSSnapshot, NO_LAYER)                               \
    X(FuncTorchDynamicLayerFrontMode, NO_LAYER) X(PreDispatch, NO_LAYER)                           \
    X(PythonDispatcher, NO_LAYER)
/* clang-format on */

static const struct {
    ob_key key;
    stock_kind kind;
} stock[] = {
#define OB_X(name, kind) { OB_KEY_##name, kind },
    STOCK_LIST(OB_X)
#undef OB_X
};

ob_status ob_run_below_autograd(ob_frame *frame)
{
    return ob_redispatch(frame->op, frame->keys & OB_AFTER_AUTOGRAD, frame->args, frame->results);
}

static ob_status fail_meta(ob_frame *frame)
{
    return OB_FAIL(OB_ERR_NO_KERNEL,
                   "%s: no kernel for key 'Meta': the op has no shape rule, so it cannot run on "
                   "meta tensors; register a Meta kernel, or a composite one",
                   ob_op_name(frame->op));
}

static ob_status fail_layer(ob_frame *frame)
{
    return OB_FAIL(OB_ERR_UNSUPPORTED,
                   "%s: the call reached the layer %s, which Outboard does not have; take the key "
                   "out of the call's set, or register a kernel for it",
                   ob_op_name(frame->op), ob_key_name(ob_keyset_highest(frame->keys)));
}

ob_status ob_fallbacks_install(void)
{
    static const ob_kernel_fn run[] = {
        [BELOW_AUTOGRAD] = ob_run_below_autograd, [NO_META] = fail_meta, [NO_LAYER] = fail_layer
    };
    ob_library *lib = NULL;
    OB_TRY(ob_library_open(OB_LIBRARY_KIND_IMPL, "_", OB_KEY_Undefined, __FILE__, __LINE__, &lib));
    for (size_t i = 0; i < OB_COUNT(stock); i++) {
        ob_kernel kernel = { .flags = OB_KERNEL_FALLTHROUGH };
        if (stock[i].kind != FALLTHROUGH) kernel = (ob_kernel){ .fn = run[stock[i].kind] };
        OB_TRY(ob_library_fallback(lib, stock[i].key, &kernel));
    }
    return OB_OK;
}
