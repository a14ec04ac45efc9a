/* Whether a kernel was written for the schema it is registered to. Names, defaults, alias sets and
 * keyword-only marks are not compared. PyTorch: findSchemaDifferences(). */
#include "core/alloc.h"
#include "core/text.h"
#include "dispatch/library/library.h"
#include "ob/schema.h"

enum { TYPE_BYTES = 96, WHY_BYTES = 320 };

/* The first difference of two lists of arguments or returns, into `why`; true when there is one. */
static bool differ(const char *what, const ob_argument *a, int n_a, const ob_argument *b, int n_b,
                   ob_line *why)
{
    if (n_a != n_b) {
        ob_line_add(why, "the number of %ss is different, %d vs %d", what, n_a, n_b);
        return true;
    }
    for (int i = 0; i < n_a; i++) {
        if (ob_type_equal(a[i].type, b[i].type)) continue;
        char ta[TYPE_BYTES], tb[TYPE_BYTES];
        ob_line_add(why, "type mismatch in %s %d, %s vs %s", what, i + 1,
                    ob_type_format(a[i].real_type, ta, sizeof ta),
                    ob_type_format(b[i].real_type, tb, sizeof tb));
        return true;
    }
    return false;
}

ob_status ob_signature_check(const ob_op *op, const ob_schema *schema, const char *where,
                             const ob_record *record)
{
    char buf[WHY_BYTES];
    ob_line why = ob_line_in(buf, sizeof buf);
    const ob_schema *k = record->signature;
    if (!differ("argument", schema->args, schema->n_args, k->args, k->n_args, &why) &&
        !differ("return", schema->returns, schema->n_returns, k->returns, k->n_returns, &why))
        return OB_OK;
    char *text = ob_schema_format(schema);
    const ob_status st =
        OB_FAIL(OB_ERR_MISMATCH,
                "%s: its schema is %s (%s), but the kernel for %s was written for %s (%s): %s",
                op->name, text ? text : "?", where, ob_key_name(record->key),
                record->kernel.signature, record->kernel.debug, buf);
    ob_free(text);
    return st;
}
