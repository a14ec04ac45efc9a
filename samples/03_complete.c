/* A language model of characters completes a sentence, one greedy step after the other.
 *
 *     build/bin/03_complete DEVICE charlm.aten.pt2 "seven plus eight is "
 *
 * The program maps tokens [1, T] int64 to logits [1, T, 29] float32; a character's token is its
 * place in ALPHABET. */
#include <ob/ob.h>
#include <stdio.h>
#include <string.h>

static const char ALPHABET[] = "\n abcdefghijklmnopqrstuvwxyz.";
enum { LENGTH = 64, NEW_CHARACTERS = 16 };

/* The likeliest next token after tokens[0..n). */
static ob_status next_token(ob_program *model, const int64_t *tokens, int64_t n, int64_t *next)
{
    ob_tensor *input = NULL, *best = NULL;
    ob_value output = { 0 };
    OB_TRY(ob_tensor_create(OB_INTS(1, n), OB_I64, OB_DEVICE_CPU, &input));
    OB_TRY(ob_tensor_write(input, tokens, (size_t)n * sizeof *tokens));
    const ob_value value = ob_value_tensor(input);
    const ob_status st = ob_program_run(model, &value, 1, &output, 1);
    ob_tensor_release(input);
    if (st != OB_OK) return st;
    ob_scope *s = ob_scope_open();
    const ob_status kept = ob_scope_close(
        s, ob_argmax(s, ob_select(s, ob_select(s, output.u.tensor, 0, 0), 0, n - 1)), &best);
    ob_value_reset(&output);
    if (kept != OB_OK) return kept;
    const ob_status read = ob_tensor_read(best, next, sizeof *next);
    ob_tensor_release(best);
    return read;
}

static ob_status run(char **argv)
{
    ob_device device;
    ob_program *model = NULL;
    int64_t tokens[LENGTH] = { strchr(ALPHABET, '\n') -
                               ALPHABET }; /* sentences start on a new line */
    int64_t n = 1;
    OB_TRY(ob_package_discover());
    OB_TRY(ob_device_parse(argv[1], &device));
    OB_TRY(ob_program_load(argv[2], device, &model));
    for (const char *c = argv[3]; *c && n < LENGTH - NEW_CHARACTERS; c++) {
        const char *at = strchr(ALPHABET, *c);
        if (!at)
            return OB_FAIL(OB_ERR_ARG, "'%c' is not in the model's alphabet of small letters", *c);
        tokens[n++] = at - ALPHABET;
    }
    printf("%s", argv[3]);
    for (int i = 0; i < NEW_CHARACTERS; i++) {
        OB_TRY(next_token(model, tokens, n, &tokens[n]));
        const char c = ALPHABET[tokens[n++]];
        putchar(c);
        if (c == '.') break;
    }
    putchar('\n');
    ob_program_release(model);
    return OB_OK;
}

int main(int argc, char **argv)
{
    char text[8192];
    if (argc != 4) {
        fprintf(stderr, "Usage: %s DEVICE MODEL.pt2 TEXT\n", argv[0]);
        return 2;
    }
    if (run(argv) == OB_OK) return 0;
    fprintf(stderr, "%s\n", ob_error_format(ob_error_last(), text, sizeof text));
    return 1;
}
