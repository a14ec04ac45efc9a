/* A trained model on real data: classify handwritten digits that it was not trained on; accuracy
 * and images per second.
 *
 *     build/bin/02_classify DEVICE IMAGES.npy LABELS.npy MODEL.pt2...
 *
 * images: [N, 1, 8, 8] float32, labels: [N] int64, the program's output: [B, 10] float32. */
#include <ob/ob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 60 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Number of rows of one batch whose largest output is at the label. */
static ob_status count_hits(ob_program *model, ob_tensor *images, const int64_t *labels,
                            int64_t first, int64_t n, int *hits)
{
    int64_t choice[BATCH];
    ob_value output = { 0 };
    ob_tensor *batch = NULL, *best = NULL;
    ob_scope *s = ob_scope_open();
    OB_TRY(ob_scope_close(s, ob_slice(s, images, 0, OB_SOME_INT(first), OB_SOME_INT(first + n), 1),
                          &batch));
    const ob_value input = ob_value_tensor(batch);
    ob_status st = ob_program_run(model, &input, 1, &output, 1);
    ob_tensor_release(batch);
    if (st != OB_OK) return st;
    s = ob_scope_open();
    st = ob_scope_close(s, ob_argmax(s, output.u.tensor, .dim = OB_SOME_INT(1)), &best);
    ob_value_reset(&output);
    if (st != OB_OK) return st;
    st = ob_tensor_read(best, choice, (size_t)n * sizeof *choice);
    ob_tensor_release(best);
    for (int64_t i = 0; i < n && st == OB_OK; i++)
        *hits += choice[i] == labels[first + i];
    return st;
}

static ob_status classify(ob_program *model, ob_tensor *images, const int64_t *labels, int *hits)
{
    const int64_t n = ob_tensor_size(images, 0);
    for (int64_t i = 0; i < n; i += BATCH)
        OB_TRY(count_hits(model, images, labels, i, n - i < BATCH ? n - i : BATCH, hits));
    return OB_OK;
}

/* The file's name without folders, up to its first dot. */
static void print_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    printf("%-20.*s ", (int)strcspn(name, "."), name);
    fflush(stdout);
}

/* Classify all images twice: the first pass builds kernels, which are cached. */
static ob_status measure(ob_program *model, ob_tensor *images, const ob_tensor *labels)
{
    const int64_t n = ob_tensor_numel(labels);
    int hits = 0, again = 0;
    const double start = now();
    OB_TRY(classify(model, images, ob_tensor_data(labels), &hits));
    const double warm = now();
    OB_TRY(classify(model, images, ob_tensor_data(labels), &again));
    const double end = now();
    printf("%lld images: %.1f %% right, %.0f images/s (first pass %.2f s)\n", (long long)n,
           100.0 * hits / (double)n, (double)n / (end - warm), warm - start);
    return hits == again
               ? OB_OK
               : OB_FAIL(OB_ERR_STATE, "the second pass got %d right, the first %d", again, hits);
}

static ob_status run(char **argv)
{
    ob_device device;
    ob_tensor *images = NULL, *labels = NULL;
    OB_TRY(ob_package_discover());
    OB_TRY(ob_device_parse(argv[1], &device));
    ob_status st = ob_tensor_load_npy(argv[2], device, &images);
    if (st == OB_OK) st = ob_tensor_load_npy(argv[3], OB_DEVICE_CPU, &labels);
    for (char **path = argv + 4; *path && st == OB_OK; path++) {
        ob_program *model = NULL;
        print_name(*path);
        st = ob_program_load(*path, device, &model);
        if (st == OB_OK) st = measure(model, images, labels);
        ob_program_release(model);
    }
    ob_tensor_release(labels);
    ob_tensor_release(images);
    return st;
}

int main(int argc, char **argv)
{
    char text[8192];
    if (argc < 5) {
        fprintf(stderr, "Usage: %s DEVICE IMAGES.npy LABELS.npy MODEL.pt2...\n", argv[0]);
        return 2;
    }
    if (run(argv) == OB_OK) return 0;
    fprintf(stderr, "%s\n", ob_error_format(ob_error_last(), text, sizeof text));
    return 1;
}
