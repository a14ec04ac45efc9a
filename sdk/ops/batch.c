/* Collects libob's own registrations, so that each key's are one transaction. Called by the init
 * hooks of sdk/ops and sdk/cpu. */
#include "ops/batch.h"

#include <string.h>

#include "core/alloc.h"
#include "ob/schema.h"

typedef struct batch {
    ob_kernel_row *rows;
    size_t n, capacity;
} batch;

static batch batches[OB_KEY_LIMIT];
static bool out_of_memory;

void ob_batch_add(ob_key key, const char *name, const ob_kernel *kernel)
{
    batch *b = &batches[key];
    if (b->n == b->capacity) {
        const size_t capacity = b->capacity ? 2 * b->capacity : 64;
        ob_kernel_row *rows = ob_realloc(b->rows, capacity, sizeof *rows);
        if (!rows) {
            out_of_memory = true;
            return;
        }
        b->rows = rows;
        b->capacity = capacity;
    }
    b->rows[b->n++] = (ob_kernel_row){ .op = name, .kernel = *kernel };
}

void ob_batch_add_fn(ob_key key, const char *name, ob_kernel_fn fn, void *user)
{
    ob_batch_add(key, name, &(ob_kernel){ .fn = fn, .user = user });
}

bool ob_batch_has(ob_key key, const char *name)
{
    const batch *b = &batches[key];
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(b->rows[i].op, name) == 0) return true;
    return false;
}

/* Register one key's batch through a library of its own, which is never released. */
static ob_status commit(ob_key key, const batch *b)
{
    ob_library *lib = NULL;
    OB_TRY(ob_library_open(OB_LIBRARY_KIND_IMPL, "aten", key, __FILE__, __LINE__, &lib));
    return ob_library_impl_all(lib, b->rows, b->n);
}

ob_status ob_batch_commit(void)
{
    ob_status st = OB_OK;
    if (out_of_memory) st = OB_FAIL(OB_ERR_OOM, "no memory for the table of libob's own kernels");
    for (int key = 0; key < OB_KEY_LIMIT; key++) {
        batch *b = &batches[key];
        if (b->n > 0 && st == OB_OK) st = commit((ob_key)key, b);
        ob_free(b->rows);
        *b = (batch){ 0 };
    }
    out_of_memory = false;
    return st;
}
