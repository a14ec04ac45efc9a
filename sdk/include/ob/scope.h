/* Scopes: who owns the temporaries of a formula, and who remembers its first error.
 *
 * Ops take a scope. What an op returns belongs to the scope and dies with it. A failed op records
 * its error and returns NULL; every later op of that scope is a no-op that returns NULL. So a
 * composite is its formula, and one look at the end tells whether it worked:
 *
 *     ob_scope *s = ob_scope_open();
 *     ob_status st = ob_scope_close(s, ob_mul(s, x, ob_sigmoid(s, x)), &y);
 *
 * A scope belongs to one thread. */
#ifndef OB_SCOPE_H
#define OB_SCOPE_H

#include "ob/dispatch.h"

OB_BEGIN_DECLS

typedef struct ob_scope ob_scope;

/** Open a scope [owned: ob_scope_close()]. Never NULL: when memory is out, a static scope that has
 * failed already. */
OB_API ob_scope *ob_scope_open(void);

/**
 * Close a scope, keeping one of its tensors.
 *
 * @param s     Scope to close; invalid afterwards, whatever is returned.
 * @param keep  Tensor to keep (of `s` or not), or NULL.
 * @param out   [out, owned] Receives `keep`, or NULL on failure; may be NULL when keep is.
 * @return OB_OK, or the first error of any op that ran in `s`.
 */
OB_API ob_status ob_scope_close(ob_scope *s, ob_tensor *keep, ob_tensor **out) OB_MUST_USE;

/** As ob_scope_close(), keeping several; on failure all of out[0..n) are NULL. */
OB_API ob_status ob_scope_close_all(ob_scope *s, int64_t n, ob_tensor *const *keep,
                                    ob_tensor **out) OB_MUST_USE;

/** The scope's first error, OB_OK so far if none. */
OB_API ob_status ob_scope_status(const ob_scope *s);

/** Make the scope fail with this thread's current error, unless it has failed before; returns NULL.
 */
OB_API ob_tensor *ob_scope_fail(ob_scope *s, ob_status st);

/** Hand an owned reference to the scope; returns `t`, or NULL when the scope has failed or memory
 * is out. */
OB_API ob_tensor *ob_scope_own(ob_scope *s, ob_tensor *t);

/** Memory that lives as long as the scope, zeroed, aligned for any type; NULL (and the scope
 * failed) when out. */
OB_API void *ob_scope_alloc(ob_scope *s, size_t bytes);

/** A 0-d CPU tensor that counts as a Python number in promotion (wrapped number). Scope. */
OB_API ob_tensor *ob_scalar_of(ob_scope *s, ob_scalar value);

/**
 * Call an op in a scope: what generated prototypes do. A no-op when the scope has failed.
 *
 * @param args     As for ob_call_unchecked(), but a required tensor may be missing (NONE): that is
 * OB_ERR_ARG here.
 * @param results  [out, scope] one per return; all absent on failure.
 */
OB_API ob_status ob_scope_call(ob_scope *s, const ob_op *op, const ob_value *args,
                               ob_value *results);

OB_END_DECLS
#endif
