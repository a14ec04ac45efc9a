/* The inside of tensors and storages, for libob's own folders. PyTorch: c10/core/TensorImpl.h,
 * StorageImpl.h. */
#ifndef OB_CORE_TENSOR_H
#define OB_CORE_TENSOR_H

#include <stdatomic.h>

#include "ob/backend.h"
#include "ob/tensor.h"

enum { OB_INLINE_RANK = 6 }; /* ranks up to this need no second allocation */

struct ob_storage {
    atomic_int refs;
    ob_device device; /* index >= 0 */
    size_t bytes;
    ob_buffer *buffer; /* NULL: meta, zero bytes, or foreign host memory */
    void *host;        /* first byte when the memory is host memory (device cpu), else NULL; never
                          NULL on the cpu, also for zero bytes */
    const ob_backend_api *api; /* NULL for meta, cpu and foreign memory */
    void *self;
    void (*release)(void *context); /* foreign memory: told when the storage dies; may be NULL */
    void *context;
    atomic_uint_fast64_t version; /* raised by every write through an op */
};

struct ob_tensor {
    atomic_int refs;
    uint8_t rank;
    bool wrapped_number, requires_grad;
    ob_dtype dtype;
    ob_keyset keys;
    ob_storage *storage; /* counted; never NULL */
    int64_t offset, numel;
    int64_t *dims; /* sizes, then strides: `inline_dims` or owned memory of 2 * rank */
    int64_t inline_dims[2 * OB_INLINE_RANK];
    void *autograd; /* record of the autograd layer; NULL when it has none */
};

/* New storage of `bytes` on a device [owned]; meta has no memory. Zero bytes need no buffer. */
ob_status ob_storage_create(ob_device device, size_t bytes, ob_storage **out) OB_MUST_USE;
ob_storage *ob_storage_retain(ob_storage *s);
void ob_storage_release(ob_storage *s);
/* Grow to `bytes`, keeping contents and all views; on failure nothing has changed. */
ob_status ob_storage_grow(ob_storage *s, size_t bytes) OB_MUST_USE;

/* New storage over foreign host memory [owned]; `release(context)` is called when it dies. */
ob_status ob_storage_from_memory(void *data, size_t bytes, void (*release)(void *context),
                                 void *context, ob_storage **out) OB_MUST_USE;

/* New tensor over a storage (retained) [owned]; keys are those of an ordinary tensor of its device,
 * or of an inference tensor when `inference`. The window is trusted. */
ob_status ob_tensor_wrap(ob_storage *s, ob_dtype dtype, ob_ints sizes, ob_ints strides,
                         int64_t offset, bool inference, ob_tensor **out) OB_MUST_USE;

/* A 0-d CPU tensor that promotes like the Python number it was made from [owned]. */
ob_status ob_tensor_wrap_number(ob_scalar value, ob_tensor **out) OB_MUST_USE;

/* Finds the backend of a device for storages; set once by sdk/dispatch (package.c), so that core
 * knows no packages. */
typedef ob_status (*ob_backend_finder)(ob_device device, const ob_backend_api **api, void **self);
void ob_core_set_backend_finder(ob_backend_finder find);

#endif
