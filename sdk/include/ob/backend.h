/* The vendor ABI, version 0.x: what a device package fills in.
 *
 * A package is one .so that exports one symbol, ob_package_open(), and uses libob's public
 * functions. Rules of the ABI:
 *   1. Every struct starts with its size as its maker compiled it; members are only appended within
 * a major version.
 *   2. A reader tests OB_HAS() before it uses a member that its own oldest supported version lacks,
 * or an optional one.
 *   3. Members are pointers, fixed-width integers, doubles, size_t; offsets are frozen by static
 * assertions.
 *   4. Major changes when a member moves, goes, or changes meaning; minor when one is appended.
 * While major is 0, minor counts as major. Memory is an opaque ob_buffer plus a byte or element
 * offset: there is no host pointer to it. Threads: every callback may be called from any thread,
 * several at once, with no lock of libob held, unless it says otherwise. `self` is ob_package.self.
 * A callback that fails has called OB_FAIL(). */
#ifndef OB_BACKEND_H
#define OB_BACKEND_H

#include "ob/library.h"

OB_BEGIN_DECLS

enum { OB_ABI_MAJOR = 0, OB_ABI_MINOR = 1 };

/** True when `api` was compiled with `member` and filled it in. */
#define OB_HAS(api, member)                                                            \
    (offsetof(ob_backend_api, member) + sizeof((api)->member) <= (api)->struct_size && \
     (api)->member)

typedef struct ob_stream ob_stream; /* an in-order queue of a device */
typedef struct ob_event ob_event;   /* a point in a stream */

/** What there is to know about a device. Strings are borrowed from the package. */
typedef struct ob_device_info {
    uint32_t struct_size;
    uint32_t compute_units;
    const char *name;   /* "cpu-haswell-AMD EPYC" */
    const char *vendor; /* "GenuineIntel" */
    const char *driver; /* platform and driver version, one line */
    uint64_t memory_bytes;
    uint64_t max_alloc_bytes;
    ob_dtypes dtypes; /* element types that its kernels can compute or store */
} ob_device_info;

/** Counters of an allocator, in bytes and calls since start. */
typedef struct ob_memory_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t in_use_bytes, in_use_peak_bytes; /* handed out */
    uint64_t held_bytes, held_peak_bytes;     /* taken from the device, cached blocks included */
    uint64_t n_allocs, n_device_allocs, n_frees, n_trims;
} ob_memory_stats;

typedef struct ob_backend_api {
    uint32_t struct_size;
    uint32_t reserved;

    /* devices: how many there are; 0 when none is usable (not an error) */
    int32_t (*device_count)(void *self);
    /* info: `out->struct_size` is set by the caller */
    ob_status (*device_info)(void *self, int32_t index, ob_device_info *out);

    /* alloc: `bytes` >= 1, uninitialised; *out is owned by libob and goes back through free().
     * OB_ERR_OOM */
    ob_status (*alloc)(void *self, int32_t index, size_t bytes, ob_buffer **out);
    /* free: work already queued on the buffer still finishes. Called from any thread, also within
     * other callbacks */
    void (*free)(void *self, ob_buffer *buffer);

    /* write: host to device; `host` may be reused when it returns */
    ob_status (*write)(void *self, ob_buffer *buffer, size_t offset, const void *host,
                       size_t bytes);
    /* read: device to host, after all work queued so far; raises what queued work has failed with
     */
    ob_status (*read)(void *self, ob_buffer *buffer, size_t offset, void *host, size_t bytes);
    /* copy: within a device or between two of the package; the ranges do not overlap; may return
     * before it is done */
    ob_status (*copy)(void *self, ob_buffer *dst, size_t dst_offset, ob_buffer *src,
                      size_t src_offset, size_t bytes);
    /* synchronize: wait for all work of the device; raises what it failed with, naming the launch
     */
    ob_status (*synchronize)(void *self, int32_t index);

    /* (optional) streams. Without them everything runs in the order of the calls. */
    ob_status (*stream_create)(void *self, int32_t index, ob_stream **out);
    void (*stream_destroy)(void *self, ob_stream *stream); /* waits for its work */
    /* stream_set: this thread's current stream of the device, NULL = the default one; *previous may
     * be NULL */
    ob_status (*stream_set)(void *self, int32_t index, ob_stream *stream, ob_stream **previous);
    ob_status (*stream_synchronize)(void *self, ob_stream *stream);
    /* (optional) events. record: completes after all work queued so far on the current stream */
    ob_status (*event_record)(void *self, int32_t index, ob_event **out);
    ob_status (*event_wait)(void *self, ob_event *event);                     /* the host waits */
    ob_status (*event_block)(void *self, ob_stream *stream, ob_event *event); /* a stream waits */
    ob_status (*event_query)(void *self, ob_event *event, int32_t *done);
    ob_status (*event_elapsed)(void *self, ob_event *from, ob_event *to, uint64_t *ns);
    void (*event_destroy)(void *self, ob_event *event);

    /* (optional) allocator: counters; give cached blocks back to the device */
    ob_status (*memory_stats)(void *self, int32_t index, ob_memory_stats *out);
    ob_status (*memory_trim)(void *self, int32_t index);

    /* (optional) profile: start or stop collecting one record per launch; report calls `row` once
     * per record, in order. Without it `--profile` has host times only. */
    ob_status (*profile_start)(void *self, int32_t index);
    ob_status (*profile_stop)(void *self, int32_t index,
                              void (*row)(void *user, const char *kernel, uint64_t start_ns,
                                          uint64_t end_ns),
                              void *user);
} ob_backend_api;

OB_STATIC_ASSERT(offsetof(ob_backend_api, device_count) == 8,
                 "ABI 0.1, 64-bit: device_count may not move");
OB_STATIC_ASSERT(offsetof(ob_backend_api, profile_stop) == 8 + 8 * 21,
                 "ABI 0.1, 64-bit: one pointer per member");

/** What the host offers to a package. */
typedef struct ob_host_info {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor;
    uint32_t reserved;
    const char *version; /* "0.1.0" */
    ob_key key;          /* the backend key this package gets: PrivateUse1 for the first */
    int32_t backend;     /* ob_backend of that key */
} ob_host_info;

/** What a package hands over. Filled by ob_package_open(); everything it points at lives until
 * close(). */
typedef struct ob_package {
    uint32_t
        struct_size; /* set by the host to what it knows; the package sets what it knows, if less */
    uint32_t abi_major, abi_minor; /* OB_ABI_MAJOR, OB_ABI_MINOR when the package was compiled */
    uint32_t reserved;
    const char *name; /* device name users type: letters, e.g. "opencl" */
    const char *version;
    const ob_backend_api *backend;
    void *self;
    /* Register kernels: `lib` is an IMPL library of namespace aten whose key is host->key. All or
     * nothing. No package can be loaded or unloaded meanwhile: OB_ERR_STATE. */
    ob_status (*register_kernels)(void *self, ob_library *lib);
    /* (optional) close: called once, after the last tensor and the last call are gone */
    void (*close)(void *self);
} ob_package;

/** The one symbol that a package exports. On failure it has called OB_FAIL() and holds nothing. */
typedef ob_status (*ob_package_open_fn)(const ob_host_info *host, ob_package *out);
#define OB_PACKAGE_SYMBOL "ob_package_open"

/* ---- for users of packages
 * ------------------------------------------------------------------------------------ */

typedef struct ob_loaded_package ob_loaded_package;

/**
 * Load a package from a .so.
 *
 * The same file again (also by a link) gives the package that is loaded already. Nothing stays
 * registered on failure.
 *
 * @param path  Path of the .so.
 * @param out   [out, borrowed] the package; may be NULL.
 * @return OB_ERR_IO (not there, missing symbol: named), OB_ERR_ABI (both versions),
 * OB_ERR_DUPLICATE (its name is taken by another file: both paths), OB_ERR_STATE (three packages
 * are live).
 */
OB_API ob_status ob_package_load(const char *path, ob_loaded_package **out) OB_MUST_USE;

/**
 * Load the packages found by the usual places: OB_PACKAGE_PATH (colon-separated files; not when
 * privileged), then the build's or the installed package directory. A package that fails is
 * reported by ob_package_failure() and breaks nothing.
 */
OB_API ob_status ob_package_discover(void) OB_MUST_USE;

/** Packages that failed to load in ob_package_discover(): "path: reason" [borrowed]; NULL past the
 * end. */
OB_API const char *ob_package_failure(int i);

/** Unload: kernels go first, then, when no call runs in it, close() and the code. OB_ERR_STATE
 * while tensors of it live. */
OB_API ob_status ob_package_unload(ob_loaded_package *package) OB_MUST_USE;

/** The i-th live package, NULL past the end [borrowed]. */
OB_API ob_loaded_package *ob_package_at(int i);
OB_API const char *ob_package_name(const ob_loaded_package *package);
OB_API const char *ob_package_path(const ob_loaded_package *package);
OB_API const char *ob_package_version(const ob_loaded_package *package);
OB_API ob_key ob_package_key(const ob_loaded_package *package);

/** The backend that owns a device's memory, and its `self`; OB_ERR_NOT_FOUND when no such package
 * is loaded. */
OB_API ob_status ob_backend_of(ob_device device, const ob_backend_api **api,
                               void **self) OB_MUST_USE;

/** Devices of a backend; 0 when it is not loaded. */
OB_API int32_t ob_device_count(ob_backend backend);
OB_API ob_status ob_device_get_info(ob_device device, ob_device_info *out) OB_MUST_USE;
/** Wait for all work of a device. */
OB_API ob_status ob_device_synchronize(ob_device device) OB_MUST_USE;

OB_END_DECLS
#endif
