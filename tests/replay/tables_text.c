/* Writing an op's state the way the recorder does: see tables.h. */
#include <stdio.h>
#include <string.h>

#include "ob/schema.h"
#include "tables.h"

/* Kernels of a sequence are labelled "r<step>"; anything else is a stock fallback. */
static bool is_label(const char *debug)
{
    return debug[0] == 'r' && debug[1] >= '0' && debug[1] <= '9';
}

/* The code of one table entry. */
static void write_entry(const ob_entry *e, char *buf, size_t bytes)
{
    static const char letters[] = {
        [OB_PROVENANCE_DIRECT] = 'k',   [OB_PROVENANCE_DEFAULT_BACKEND] = 'd',
        [OB_PROVENANCE_NESTED] = 't',   [OB_PROVENANCE_MATH] = 'm',
        [OB_PROVENANCE_AUTOGRAD] = 'a', [OB_PROVENANCE_BATCHED] = 'v',
        [OB_PROVENANCE_FALLBACK] = 'f'
    };
    const char *skip = e->flags & OB_KERNEL_FALLTHROUGH ? "~" : "";
    if (e->provenance == OB_PROVENANCE_MISSING)
        snprintf(buf, bytes, "-");
    else if (e->provenance == OB_PROVENANCE_AMBIGUOUS)
        snprintf(buf, bytes, "amb");
    else if (!is_label(e->debug))
        snprintf(buf, bytes, "%sB", skip);
    else
        snprintf(buf, bytes, "%s%s%c", skip, e->debug, letters[e->provenance]);
}

/* Add "code" or "code*n" to the run-length text. */
static size_t add_run(char *text, size_t used, const char *code, int n)
{
    char count[16] = "";
    if (n > 1) snprintf(count, sizeof count, "*%d", n);
    const size_t left = OBSERVATION_BYTES - used;
    return used + (size_t)snprintf(text + used, left, "%s%s%s", used ? " " : "", code, count);
}

static json_t *table_of(const ob_op *op)
{
    static char text[OBSERVATION_BYTES];
    char code[64], last[64] = "";
    size_t used = 0;
    int run = 0;
    for (int slot = 0; slot < OB_TABLE_SLOTS; slot++) {
        ob_entry entry;
        if (ob_inspect_entry(op, ob_key_at_slot(slot), &entry) != OB_OK) return NULL;
        write_entry(&entry, code, sizeof code);
        if (slot > 0 && strcmp(code, last) != 0) {
            used = add_run(text, used, last, run);
            run = 0;
        }
        memcpy(last, code, sizeof last);
        run++;
    }
    (void)add_run(text, used, last, run);
    return json_string(text);
}

static json_t *kernels_of(const ob_op *op)
{
    ob_registration rows[64];
    const int n = ob_inspect_registrations(op, rows, 64);
    json_t *kernels = json_object();
    for (int i = 0; i < n && i < 64; i++) {
        char text[64];
        const char *name = ob_key_name(rows[i].key);
        json_t *list = json_object_get(kernels, name);
        if (!list) {
            list = json_array();
            json_object_set_new(kernels, name, list);
        }
        snprintf(text, sizeof text, "%s:b%s%s", rows[i].debug, rows[i].signature ? "u" : "",
                 rows[i].flags & OB_KERNEL_FALLTHROUGH ? "f" : "");
        json_array_append_new(list, json_string(text));
    }
    return kernels;
}

static json_t *schema_of(const ob_op *op)
{
    const ob_schema *schema = ob_op_schema(op);
    char *text = schema ? ob_schema_format(schema) : NULL;
    if (!text) return json_null();
    const char *colons = strstr(text, "::");
    json_t *result = json_string(colons ? colons + 2 : text);
    ob_free(text);
    return result;
}

json_t *observe(const char *op_name)
{
    const ob_op *op = ob_op_peek(op_name);
    if (!op) return json_null();
    return json_pack("{s:o, s:o, s:o}", "schema", schema_of(op), "k", kernels_of(op), "t",
                     table_of(op));
}
