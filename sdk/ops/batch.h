/* Registrations that libob itself makes at start, collected and made in one batch per key.
 * Single-threaded: only inside init hooks. */
#ifndef OB_OPS_BATCH_H
#define OB_OPS_BATCH_H

#include "ob/library.h"

/* Note a kernel of op `name` ("add.Tensor", namespace aten; static text) for `key`. A note that
 * does not fit in memory makes ob_batch_commit() fail. */
void ob_batch_add(ob_key key, const char *name, const ob_kernel *kernel);
/* The same for a plain kernel. */
void ob_batch_add_fn(ob_key key, const char *name, ob_kernel_fn fn, void *user);
/* True when `name` has a kernel noted for `key` since the last commit. */
bool ob_batch_has(ob_key key, const char *name);
/* Register all notes, and forget them. The libraries live as long as the process. */
ob_status ob_batch_commit(void) OB_MUST_USE;

#endif
