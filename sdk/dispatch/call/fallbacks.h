/* Backend fallbacks that libob brings along. */
#ifndef OB_DISPATCH_FALLBACKS_H
#define OB_DISPATCH_FALLBACKS_H

#include "dispatch/table/optable.h"

/* Register the stock fallbacks: those of PyTorch. Once. */
ob_status ob_fallbacks_install(void) OB_MUST_USE;

/* An autograd key's fallback: go on below autograd. */
ob_status ob_run_below_autograd(ob_frame *frame);

/* The boxed CPU fallback: move the arguments to the CPU, run the op there, move results back and
 * write mutated arguments through. Registered for the key of every loaded package. OB_ERR_FALLBACK
 * in strict mode, OB_ERR_NO_KERNEL when the CPU cannot run the op, OB_ERR_UNSUPPORTED for views. */
ob_status ob_run_on_cpu(ob_frame *frame);

#endif
