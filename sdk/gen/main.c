/* ob_gen OUT_DIR N: writes include/ob/ops.h, gen/ops_0.c .. gen/ops_<N-1>.c, gen/composites_gen.c
 * and gen/ops/composites_gen.h under OUT_DIR, which must have these folders. A file whose text
 * would not change is left alone, so that nothing is compiled again for it. */
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "gen/gen.h"

static const struct {
    const char *c_name, *text;
    ob_aten_family family;
} rows[] = {
#define OB_ATEN(c_name, schema, klass, family, tags) { #c_name, schema, OB_FAMILY_##family },
#include "ops/aten.inc"
#undef OB_ATEN
};

/* The families that are only defined: nothing of them is served, so nothing has a prototype. */
static bool in_scope(ob_aten_family family)
{
    return family < OB_FAMILY_SPARSE;
}

static bool has_c_types(const ob_schema *schema)
{
    for (int32_t i = 0; i < schema->n_args; i++)
        if (!gen_field_of(schema->args[i].real_type)) return false;
    for (int32_t i = 0; i < schema->n_returns; i++)
        if (!gen_field_of(schema->returns[i].real_type)) return false;
    return true;
}

static bool read_table(gen_table *t)
{
    t->n = OB_COUNT(rows);
    t->ops = ob_alloc(t->n, sizeof *t->ops);
    if (!t->ops) return false;
    for (size_t i = 0; i < t->n; i++) {
        gen_op *op = &t->ops[i];
        *op = (gen_op){ rows[i].c_name, rows[i].text, rows[i].family, NULL, false };
        if (ob_schema_parse(op->text, 0, &op->schema) != OB_OK) {
            fprintf(stderr, "ob_gen: %s\n", ob_error_last()->message);
            return false;
        }
        op->typed = in_scope(op->family) && has_c_types(op->schema);
    }
    return true;
}

/* True when the file at `path` holds what is in `text`. */
static bool holds(const char *path, FILE *text)
{
    FILE *old = fopen(path, "rb");
    if (!old) return false;
    rewind(text);
    int a = 0, b = 0;
    do {
        a = getc(old);
        b = getc(text);
    } while (a == b && a != EOF);
    fclose(old);
    return a == b;
}

/* Write the text to `path`, unless it is there already; closes it. */
static bool save(const char *path, FILE *text)
{
    bool ok = holds(path, text);
    if (!ok) {
        FILE *f = fopen(path, "wb");
        rewind(text);
        if (f)
            for (int c = getc(text); c != EOF; c = getc(text))
                putc(c, f);
        ok = f && fclose(f) == 0;
        if (!ok) perror(path);
    }
    fclose(text);
    return ok;
}

static bool write_one(const char *dir, const char *name, void (*make)(FILE *, const gen_table *),
                      const gen_table *t)
{
    char path[4096];
    FILE *f = tmpfile();
    if (!f) return false;
    make(f, t);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return save(path, f);
}

static bool write_source(const char *dir, const gen_table *t, size_t i, size_t n)
{
    char path[4096];
    FILE *f = tmpfile();
    if (!f) return false;
    gen_source(f, t, i, n);
    snprintf(path, sizeof path, "%s/gen/ops_%zu.c", dir, i);
    return save(path, f);
}

int main(int argc, char **argv)
{
    gen_table t;
    if (argc != 3) {
        fprintf(stderr, "usage: ob_gen OUT_DIR N\n");
        return 2;
    }
    const size_t n = (size_t)strtoul(argv[2], NULL, 10);
    bool ok = read_table(&t) && gen_composites_check(&t) &&
              write_one(argv[1], "include/ob/ops.h", gen_header, &t) &&
              write_one(argv[1], "gen/ops/composites_gen.h", gen_composites_header, &t) &&
              write_one(argv[1], "gen/composites_gen.c", gen_composites_source, &t);
    for (size_t i = 0; ok && i < n; i++)
        ok = write_source(argv[1], &t, i, n);
    for (size_t i = 0; i < t.n; i++)
        ob_schema_free(t.ops[i].schema);
    ob_free(t.ops);
    return ok ? 0 : 1;
}
