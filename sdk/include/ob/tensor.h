/* Tensors: sizes and strides over a counted storage of device memory.
 *
 * A storage owns an opaque buffer of its device (or nothing: meta). Views share the storage and its
 * version counter, which every write through an op raises. Extents, strides and offsets are in
 * elements. Handles are counted: ob_tensor_retain/release; they may be used from any thread, but
 * the sizes of one tensor must not be changed by one thread while another uses it. PyTorch:
 * c10::TensorImpl, c10::StorageImpl. */
#ifndef OB_TENSOR_H
#define OB_TENSOR_H

#include "ob/value.h"

OB_BEGIN_DECLS

typedef uint64_t ob_keyset; /* see dispatch.h */
typedef struct ob_storage ob_storage;
/** Device memory; what it is, only its backend knows (cl_mem, a handle, host memory). */
typedef struct ob_buffer ob_buffer;

enum { OB_MAX_RANK = 64 };

/** Take one more reference; returns `t`. NULL gives NULL. */
OB_API ob_tensor *ob_tensor_retain(ob_tensor *t);
/** Give one reference back. NULL is fine. */
OB_API void ob_tensor_release(ob_tensor *t);

OB_API int ob_tensor_rank(const ob_tensor *t);
/** Extents [borrowed, until the tensor's sizes change]: ob_tensor_rank() of them. */
OB_API const int64_t *ob_tensor_sizes(const ob_tensor *t);
/** Strides in elements [borrowed, as above]. */
OB_API const int64_t *ob_tensor_strides(const ob_tensor *t);
/** Extent of `dim`, which may be negative (-1 is the last); 1 when out of range. */
OB_API int64_t ob_tensor_size(const ob_tensor *t, int64_t dim);
OB_API int64_t ob_tensor_numel(const ob_tensor *t);
/** Storage offset in elements. */
OB_API int64_t ob_tensor_offset(const ob_tensor *t);
OB_API ob_dtype ob_tensor_dtype(const ob_tensor *t);
OB_API ob_device ob_tensor_device(const ob_tensor *t);
OB_API ob_keyset ob_tensor_keys(const ob_tensor *t);
OB_API bool ob_tensor_is_meta(const ob_tensor *t);
/** True for a 0-d tensor made from a Python number: it promotes like the number (see
 * ob_scalar_of()). */
OB_API bool ob_tensor_is_wrapped_number(const ob_tensor *t);
OB_API bool ob_tensor_requires_grad(const ob_tensor *t);
OB_API void ob_tensor_set_requires_grad(ob_tensor *t, bool on);
/** True when the elements are dense and row-major (torch.Tensor.is_contiguous()). */
OB_API bool ob_tensor_is_contiguous(const ob_tensor *t);
/** True when the elements fill a block of memory without gap or overlap, in some order of dims. */
OB_API bool ob_tensor_is_dense(const ob_tensor *t);
/** Times the tensor's memory was written; shared by all views of a storage. */
OB_API uint64_t ob_tensor_version(const ob_tensor *t);
/** Raise the version: what a kernel that writes outside the dispatcher must do. */
OB_API void ob_tensor_bump_version(ob_tensor *t);

OB_API ob_storage *ob_tensor_storage(const ob_tensor *t); /* [borrowed] */
/** Device memory of the storage [borrowed]; NULL for meta and for a storage of zero bytes. */
OB_API ob_buffer *ob_tensor_buffer(const ob_tensor *t);
/** Bytes of the whole storage. */
OB_API size_t ob_tensor_storage_bytes(const ob_tensor *t);
/** Host address of the first element if the tensor is in host memory (device cpu), else NULL
 * [borrowed]. */
OB_API void *ob_tensor_data(const ob_tensor *t);

/**
 * Make an uninitialised dense row-major tensor.
 *
 * @param sizes   n extents, each >= 0.
 * @param device  Where; index -1 is device 0. OB_BACKEND_NONE is the CPU.
 * @param out     [out, owned]
 * @return OB_ERR_ARG (negative extent, rank over OB_MAX_RANK, overflow), OB_ERR_OOM,
 * OB_ERR_NOT_FOUND (no such device).
 */
OB_API ob_status ob_tensor_create(ob_ints sizes, ob_dtype dtype, ob_device device,
                                  ob_tensor **out) OB_MUST_USE;

/** As ob_tensor_create() with given strides (>= 0); the storage gets the bytes that they reach. */
OB_API ob_status ob_tensor_create_strided(ob_ints sizes, ob_ints strides, ob_dtype dtype,
                                          ob_device device, ob_tensor **out) OB_MUST_USE;

/**
 * Make a view: another window on the storage of `base`.
 *
 * @return OB_ERR_ARG when the window does not lie within the storage, naming both sizes.
 */
OB_API ob_status ob_tensor_view_of(ob_tensor *base, ob_ints sizes, ob_ints strides, int64_t offset,
                                   ob_tensor **out) OB_MUST_USE;

/** As ob_tensor_view_of(), reading the same bytes as another dtype of the same width (view.dtype);
 * offset in new elements. */
OB_API ob_status ob_tensor_view_dtype(ob_tensor *base, ob_dtype dtype, ob_ints sizes,
                                      ob_ints strides, int64_t offset, ob_tensor **out) OB_MUST_USE;

/**
 * Change the tensor's own window (resize_, set_, transpose_ ...); grows the storage when `grow` and
 * needed, keeping its contents. On failure nothing has changed.
 */
OB_API ob_status ob_tensor_set_window(ob_tensor *t, ob_ints sizes, ob_ints strides, int64_t offset,
                                      bool grow) OB_MUST_USE;

/** Make `t` use the storage of `source`, with source's window (set_.source_Tensor). */
OB_API ob_status ob_tensor_set_storage(ob_tensor *t, ob_tensor *source) OB_MUST_USE;

/**
 * Make a CPU tensor over foreign host memory, e.g. a mapped file.
 *
 * @param data     First byte of the storage; stays the caller's until `release(context)` is called.
 * @param bytes    Bytes of the storage.
 * @param release  Called once when the last tensor of the storage is gone; may be NULL.
 */
OB_API ob_status ob_tensor_from_memory(void *data, size_t bytes, ob_ints sizes, ob_ints strides,
                                       int64_t offset, ob_dtype dtype,
                                       void (*release)(void *context), void *context,
                                       ob_tensor **out) OB_MUST_USE;

/**
 * Copy host elements into a tensor, whatever its device and strides.
 *
 * @param data   numel elements of the tensor's dtype, row-major.
 * @param bytes  Must be numel * element size.
 */
OB_API ob_status ob_tensor_write(ob_tensor *t, const void *data, size_t bytes) OB_MUST_USE;

/** Copy a tensor's elements to the host, row-major, after all work queued on it; bytes as above. */
OB_API ob_status ob_tensor_read(const ob_tensor *t, void *data, size_t bytes) OB_MUST_USE;

/** Make a new dense copy of `t` on another device (same dtype); strided sources are gathered. */
OB_API ob_status ob_tensor_to_device(ob_tensor *t, ob_device device, ob_tensor **out) OB_MUST_USE;

/** Read a NumPy .npy file (versions 1 to 3, little-endian) [out, owned]. OB_ERR_IO, OB_ERR_PARSE,
 * OB_ERR_UNSUPPORTED. */
OB_API ob_status ob_tensor_load_npy(const char *path, ob_device device,
                                    ob_tensor **out) OB_MUST_USE;
/** Write a tensor as a NumPy .npy file, row-major. OB_ERR_DTYPE for one that NumPy lacks,
 * OB_ERR_IO. */
OB_API ob_status ob_tensor_save_npy(const ob_tensor *t, const char *path) OB_MUST_USE;

/** Print dtype, device, sizes and up to `bytes` of values for a human; returns `buf`. */
OB_API char *ob_tensor_format(const ob_tensor *t, char *buf, size_t bytes);

/** Print sizes as "[2, 3]"; returns `buf`. */
OB_API char *ob_sizes_format(const int64_t *sizes, int rank, char *buf, size_t bytes);

OB_END_DECLS
#endif
