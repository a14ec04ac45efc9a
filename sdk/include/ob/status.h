/* Status codes and the error record.
 *
 * A function that can fail returns an ob_status, or takes an ob_scope that keeps the first error.
 * The words of an error live in one record per thread: message, place, and the places it passed on
 * its way up. On failure out-parameters are NULL or zero and nothing has changed, unless a
 * declaration says otherwise. */
#ifndef OB_STATUS_H
#define OB_STATUS_H

#include <stddef.h>

#include "ob/attributes.h"

OB_BEGIN_DECLS

/* clang-format off */
#define OB_STATUS_LIST(X)                                                                  \
    X(ARG,         "an argument is outside its documented domain")                         \
    X(SHAPE,       "shapes break the op's shape rule")                                     \
    X(DTYPE,       "dtypes break the op's promotion rule")                                 \
    X(MISMATCH,    "a kernel and a schema, or two declarations, disagree")                 \
    X(DUPLICATE,   "it is registered already")                                             \
    X(NOT_FOUND,   "no such name")                                                         \
    X(NO_KERNEL,   "nothing is registered for this op and key")                            \
    X(AMBIGUOUS,   "more than one kernel could serve this op and key")                     \
    X(DECLINED,    "a kernel declined this call")                                          \
    X(FALLBACK,    "strict mode refused a CPU fallback")                                   \
    X(PARSE,       "a text or an archive does not follow its format")                      \
    X(ABI,         "a package was built for another interface")                            \
    X(IO,          "a file could not be read or written")                                  \
    X(OOM,         "an allocation failed")                                                 \
    X(DEVICE,      "the device runtime reported an error")                                 \
    X(STATE,       "the object is not in a state that allows this")                        \
    X(UNSUPPORTED, "this is outside what Outboard does")
/* clang-format on */

typedef enum ob_status {
    OB_OK = 0,
#define OB_X(name, text) OB_ERR_##name,
    OB_STATUS_LIST(OB_X)
#undef OB_X
        OB_STATUS_COUNT
} ob_status;

enum { OB_ERROR_MESSAGE_BYTES = 4096, OB_ERROR_FRAMES = 16 };

/** A place an error was made at or passed. `file` is a __FILE__ literal. */
typedef struct ob_error_frame {
    const char *file;
    int line;
} ob_error_frame;

/** What went wrong last on a thread. Plain data: copy it to keep it. */
typedef struct ob_error {
    ob_status status;
    int n_frames; /* frames[0] is where it was made; at most OB_ERROR_FRAMES are kept */
    ob_error_frame frames[OB_ERROR_FRAMES];
    char message[OB_ERROR_MESSAGE_BYTES]; /* NUL-terminated, cut when longer */
} ob_error;

/**
 * Record an error for this thread; use OB_FAIL().
 *
 * @return `st`, so that it can be returned at once.
 */
OB_API ob_status ob_error_set(ob_status st, const char *file, int line, const char *fmt, ...)
    OB_PRINTF(4, 5);

/** Note that the current error passed `file`:`line`; returns `st`. Use OB_TRY(). */
OB_API ob_status ob_error_via(ob_status st, const char *file, int line);

/** Put `what: ` in front of the current error's message, for instance the op's name; returns `st`.
 */
OB_API ob_status ob_error_prefix(ob_status st, const char *fmt, ...) OB_PRINTF(2, 3);

/** Version of libob, "0.1.0" [borrowed, static]. */
OB_API const char *ob_version(void);

/** The last error of this thread [borrowed, until the thread's next error]; status OB_OK if none
 * yet. */
OB_API const ob_error *ob_error_last(void);

/** Make `e` this thread's last error again, e.g. one copied from a queue; returns its status. */
OB_API ob_status ob_error_restore(const ob_error *e);

/** Forget this thread's error: after a failure that was expected and answered. */
OB_API void ob_error_clear(void);

/** The sentence that explains a code [borrowed, static]. */
OB_API const char *ob_status_text(ob_status st);

/** The code's identifier without OB_ERR_, e.g. "SHAPE"; "OK" for OB_OK [borrowed, static]. */
OB_API const char *ob_status_name(ob_status st);

/**
 * Print the record as the user should see it: sentence, message, place and way.
 *
 * @param buf  Receives at most `bytes` bytes, NUL-terminated.
 * @return `buf`.
 */
OB_API char *ob_error_format(const ob_error *e, char *buf, size_t bytes);

/* An expression, so that the return stays visible: return OB_FAIL(OB_ERR_SHAPE, "...", a, b); */
#define OB_FAIL(st, ...) ob_error_set((st), __FILE__, __LINE__, __VA_ARGS__)

/* The only macro with a hidden return. Passes an error on and notes the place. */
#define OB_TRY(expr)                                                          \
    do {                                                                      \
        const ob_status ob_st_ = (expr);                                      \
        if (ob_st_ != OB_OK) return ob_error_via(ob_st_, __FILE__, __LINE__); \
    } while (0)

OB_END_DECLS
#endif
