/* Outboard: PyTorch's operator world in C, for people who bring a new accelerator. Include this.
 *
 * Conventions that hold everywhere:
 *
 * - Ownership. Three words. owned: you release it. borrowed: valid as long as its stated owner.
 *   scope: dies when the scope closes, unless kept. release(NULL) is a no-op. Kernels borrow their
 *   arguments; results belong to the caller.
 *
 * - Errors. Functions that can fail return ob_status or take an ob_scope; the words are in
 *   ob_error_last(). On failure out-parameters are NULL or absent and nothing has changed. No input
 *   ends the process.
 *
 * - Threads. Any function from any thread; an object from one thread at a time unless it says
 *   otherwise. Calls take no lock; registering, loading and unloading packages may happen while
 *   other threads call.
 *
 * - Units. Extents, strides and tensor offsets in elements; memory in bytes (names end in bytes);
 *   times in ns.
 *
 * - Versions. Source API: semantic. Binary ABI of packages: backend.h. */
#ifndef OB_OB_H
#define OB_OB_H

#include "ob/attributes.h"
#include "ob/backend.h"
#include "ob/dispatch.h"
#include "ob/dtype.h"
#include "ob/inspect.h"
#include "ob/library.h"
#include "ob/ops.h"
#include "ob/program.h"
#include "ob/schema.h"
#include "ob/scope.h"
#include "ob/status.h"
#include "ob/tensor.h"
#include "ob/value.h"
#endif
