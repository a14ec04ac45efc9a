/* Finding ops by name, and naming near ones when there is none. */
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "dispatch/table/optable.h"

enum { NEAR = 5, NEAR_DISTANCE = 2, MAX_WORD = 64 };

typedef struct search {
    const char *wanted;
    ob_line line;
    int n;
} search;

/* Length of a name without its overload. */
static size_t base_length(const char *name)
{
    return strcspn(name, ".");
}

/* Edit distance of two words, cut at MAX_WORD characters. */
static int distance(const char *a, size_t n, const char *b, size_t m)
{
    int row[MAX_WORD + 1];
    if (n > MAX_WORD || m > MAX_WORD) return MAX_WORD;
    for (size_t j = 0; j <= m; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            const int swap = diagonal + (a[i - 1] != b[j - 1]);
            const int step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = swap < step ? swap : step;
        }
    }
    return row[m];
}

static void consider(void *user, ob_op *op)
{
    search *s = user;
    const size_t n = base_length(op->name), m = base_length(s->wanted);
    if (s->n >= NEAR || distance(op->name, n, s->wanted, m) > NEAR_DISTANCE) return;
    ob_line_add(&s->line, "%s%s", s->n ? ", " : "; near: ", op->name);
    s->n++;
}

ob_op *ob_op_peek(const char *name)
{
    if (!name || ob_dispatch_init() != OB_OK) return NULL;
    ob_op *op = ob_op_lookup(name);
    return op && ob_op_exists(op) ? op : NULL;
}

ob_status ob_op_find(const char *name, ob_op **out)
{
    *out = NULL;
    if (!name) return OB_FAIL(OB_ERR_ARG, "find op: the name is NULL");
    OB_TRY(ob_dispatch_init());
    ob_op *op = ob_op_lookup(name);
    if (op && atomic_load_explicit(&op->defined, memory_order_acquire)) {
        *out = op;
        return OB_OK;
    }
    if (op && ob_op_exists(op))
        return OB_FAIL(OB_ERR_NOT_FOUND,
                       "%s: an implementation was found but no definition; did "
                       "you forget ob_library_def()?",
                       name);
    char near[512] = "";
    search s = { .wanted = name, .line = ob_line_in(near, sizeof near) };
    ob_optable_each(consider, &s);
    return OB_FAIL(OB_ERR_NOT_FOUND, "%s: no such op%s", name, near);
}
