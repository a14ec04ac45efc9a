/* Fuzzing of the schema parser: what parses must print, and its print must parse to the same print.
 * Built with -DOB_LIBFUZZER it is a libFuzzer target; else it has a main that mutates the schemas
 * of ATen for some seconds: schema_fuzz [SECONDS [SEED]]. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ob/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "schema_fuzz: %s: %s\n", what, text);
    abort();
}

/* Alias sets print in the order that they have, so a print is a fixed point. */
static void check_print(const ob_schema *schema)
{
    char *once = ob_schema_format(schema);
    if (!once) return;
    ob_schema *again = NULL;
    if (!strchr(once, '$') && ob_schema_parse(once, OB_SCHEMA_TYPE_VARIABLES, &again) == OB_OK) {
        char *twice = ob_schema_format(again);
        if (twice && strcmp(once, twice) != 0) fail("a print is no fixed point", once);
        ob_free(twice);
        ob_schema_free(again);
    }
    ob_free(once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    ob_schema *schema = NULL;
    const unsigned flags = size % 4;
    if (ob_schema_parse(text, flags, &schema) == OB_OK) {
        check_print(schema);
        ob_schema_free(schema);
    } else if (schema) {
        fail("a schema beside an error", text);
    }
    free(text);
    return 0;
}

#ifndef OB_LIBFUZZER

static const char *const corpus[] = {
#define OB_ATEN(c_name, schema, klass, family, tags) schema,
#include "ops/aten.inc"
#undef OB_ATEN
    "foo(Dict(str, Tensor[])(a!) d, Union(int, str)? u=None, ...) -> ...",
    "foo(str x=\"\\n\\001\", Device d='cuda:1', complex c=1j, float f=-1.5e-3) -> (Tensor(a|*), "
    "((int, t)[]))",
    "foo(__torch__.torch.classes.c10d.Work w, Future(RRef(int)) f, Tensor!? x) -> Tensor(a! -> "
    "b|c)[]",
};

static uint64_t state;

static size_t random_below(size_t n)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return n ? (size_t)(state >> 33) % n : 0;
}

enum { TEXT_BYTES = 4096 };

/* A schema with a few edits: a byte changed, a piece dropped, a piece of another schema put in. */
static size_t mutate(char *text)
{
    static const char bytes[] = "()[]{}<>,.:*!?|=->#\\'\" \n0a_$\x80";
    const char *base = corpus[random_below(sizeof corpus / sizeof corpus[0])];
    size_t n = strlen(base) < TEXT_BYTES / 2 ? strlen(base) : TEXT_BYTES / 2;
    memcpy(text, base, n);
    for (size_t edits = random_below(5); edits > 0 && n > 0; edits--) {
        const size_t at = random_below(n), length = random_below(n - at) % 40;
        const char *other = corpus[random_below(sizeof corpus / sizeof corpus[0])];
        const size_t from = random_below(strlen(other)), room = strlen(other) - from;
        const size_t piece = room < 40 ? room : random_below(40);
        switch (random_below(3)) {
        case 0:
            text[at] = bytes[random_below(sizeof bytes - 1)];
            break;
        case 1:
            memmove(text + at, text + at + length, n - at - length);
            n -= length;
            break;
        default:
            if (n + piece >= TEXT_BYTES) break;
            memmove(text + at + piece, text + at, n - at);
            memcpy(text + at, other + from, piece);
            n += piece;
            break;
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    const time_t seconds = argc > 1 ? (time_t)strtol(argv[1], NULL, 10) : 2;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const time_t end = time(NULL) + seconds;
    char *text = malloc(TEXT_BYTES);
    unsigned long n = 0;
    while (text && time(NULL) < end)
        for (int i = 0; i < 1000; i++, n++)
            (void)LLVMFuzzerTestOneInput((const uint8_t *)text, mutate(text));
    free(text);
    printf("schema_fuzz: %lu texts\n", n);
    return 0;
}
#endif
