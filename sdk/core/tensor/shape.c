/* Arithmetic on sizes and strides. PyTorch: c10/core/Contiguity.h, ATen/MemoryOverlap.cpp,
 * ATen/TensorUtils.cpp, ATen/ExpandUtils.cpp. Sizes are hostile until checked. */
#include "core/tensor/shape.h"

#include <string.h>

#include "core/text.h"
#include "ob/tensor.h"

enum { SIZES_BYTES = 256 }; /* of printed sizes in messages */

/* a * b for non-negative a and b; false when it does not fit. */
static bool multiply(int64_t a, int64_t b, int64_t *out)
{
    if (b != 0 && a > INT64_MAX / b) return false;
    *out = a * b;
    return true;
}

ob_status ob_shape_numel(const int64_t *sizes, int rank, int64_t *out)
{
    char text[SIZES_BYTES];
    int64_t numel = 1,
            product = 1; /* product leaves out extents of 0: [0, huge, huge] is refused */
    *out = 0;
    for (int d = 0; d < rank; d++) {
        if (sizes[d] < 0)
            return OB_FAIL(OB_ERR_ARG, "sizes %s: extent %lld of dim %d should be 0 or more",
                           ob_sizes_format(sizes, rank, text, sizeof text), (long long)sizes[d], d);
        if (!multiply(product, sizes[d] ? sizes[d] : 1, &product))
            return OB_FAIL(OB_ERR_ARG, "sizes %s: the number of elements should be below 2^63",
                           ob_sizes_format(sizes, rank, text, sizeof text));
        numel = sizes[d] ? numel : 0;
    }
    *out = numel ? product : 0;
    return OB_OK;
}

void ob_shape_dense_strides(const int64_t *sizes, int rank, int64_t *strides)
{
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= sizes[d] > 1 ? sizes[d] : 1;
    }
}

ob_status ob_shape_span_bytes(const int64_t *sizes, const int64_t *strides, int rank,
                              int64_t offset, size_t element_bytes, size_t *out)
{
    *out = 0;
    if (offset < 0)
        return OB_FAIL(OB_ERR_ARG, "window: offset %lld should be 0 or more", (long long)offset);
    bool empty = false, fits = true;
    int64_t last = offset; /* highest element reached */
    for (int d = 0; d < rank; d++) {
        if (strides[d] < 0)
            return OB_FAIL(OB_ERR_ARG, "window: stride %lld of dim %d should be 0 or more",
                           (long long)strides[d], d);
        int64_t reach = 0;
        empty = empty || sizes[d] == 0;
        fits = fits && multiply(sizes[d] > 0 ? sizes[d] - 1 : 0, strides[d], &reach);
        fits = fits && reach <= INT64_MAX - last;
        last = fits ? last + reach : last;
    }
    if (empty) return OB_OK;
    int64_t bytes = 0;
    if (!fits || last == INT64_MAX || !multiply(last + 1, (int64_t)element_bytes, &bytes)) {
        char text[SIZES_BYTES], steps[SIZES_BYTES];
        return OB_FAIL(OB_ERR_ARG, "window: sizes %s with strides %s reach past 2^63 bytes",
                       ob_sizes_format(sizes, rank, text, sizeof text),
                       ob_sizes_format(strides, rank, steps, sizeof steps));
    }
    *out = (size_t)bytes;
    return OB_OK;
}

bool ob_shape_is_contiguous(const int64_t *sizes, const int64_t *strides, int rank)
{
    int64_t expected = 1;
    bool contiguous = true;
    for (int d = rank - 1; d >= 0; d--) {
        if (sizes[d] == 0) return true;
        if (sizes[d] == 1) continue;
        contiguous = contiguous && strides[d] == expected;
        expected *= sizes[d];
    }
    return contiguous;
}

bool ob_shape_is_dense(const int64_t *sizes, const int64_t *strides, int rank)
{
    int64_t expected = 1;
    int left = 0;
    for (int d = 0; d < rank; d++) {
        if (sizes[d] == 0) return true;
        if (sizes[d] > 1) left++;
    }
    /* each round finds the dim that lies just outside those found so far */
    for (; left > 0; left--) {
        int next = -1;
        for (int d = 0; d < rank && next < 0; d++)
            if (sizes[d] > 1 && strides[d] == expected) next = d;
        if (next < 0) return false;
        expected *= sizes[next];
    }
    return true;
}

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Two steps a * si and b * sj are equal first at a = sj / gcd, b = si / gcd. */
static bool dims_meet(int64_t ni, int64_t si, int64_t nj, int64_t sj)
{
    const int64_t gcd = greatest_common_divisor(si, sj);
    return sj / gcd < ni && si / gcd < nj;
}

bool ob_shape_may_overlap(const int64_t *sizes, const int64_t *strides, int rank)
{
    for (int d = 0; d < rank; d++)
        if (sizes[d] == 0) return false;
    for (int i = 0; i < rank; i++) {
        if (sizes[i] <= 1) continue;
        if (strides[i] == 0) return true;
        for (int j = 0; j < i; j++)
            if (sizes[j] > 1 && dims_meet(sizes[i], strides[i], sizes[j], strides[j])) return true;
    }
    return false;
}

ob_status ob_shape_wrap_dim(const char *op, int64_t dim, int rank, int *out)
{
    const int n = rank > 0 ? rank : 1;
    *out = 0;
    if (dim < -n || dim >= n)
        return OB_FAIL(OB_ERR_ARG, "%s: dim is %lld, should be from %d to %d", op, (long long)dim,
                       -n, n - 1);
    *out = (int)(dim < 0 ? dim + n : dim);
    return OB_OK;
}

ob_status ob_shape_broadcast(const char *op, int64_t *sizes, int *rank, const int64_t *b,
                             int b_rank)
{
    /* all is checked before anything is written */
    const int shared = *rank < b_rank ? *rank : b_rank;
    for (int i = 1; i <= shared; i++) {
        const int64_t x = sizes[*rank - i], y = b[b_rank - i];
        if (x != y && x != 1 && y != 1)
            return OB_FAIL(OB_ERR_SHAPE,
                           "%s: extent %lld meets %lld at dim %d; they should be equal "
                           "or one of them 1",
                           op, (long long)x, (long long)y, -i);
    }
    if (b_rank > *rank) {
        const int more = b_rank - *rank;
        memmove(sizes + more, sizes, (size_t)*rank * sizeof *sizes);
        memcpy(sizes, b, (size_t)more * sizeof *sizes);
        *rank = b_rank;
    }
    for (int i = 1; i <= shared; i++)
        if (sizes[*rank - i] == 1) sizes[*rank - i] = b[b_rank - i];
    return OB_OK;
}

bool ob_shape_view_strides(const int64_t *sizes, const int64_t *strides, int rank,
                           const int64_t *new_sizes, int new_rank, int64_t *new_strides)
{
    bool empty = false;
    for (int d = 0; d < rank; d++)
        empty = empty || sizes[d] == 0;
    if (rank == 0 || (empty && (rank != new_rank ||
                                memcmp(sizes, new_sizes, (size_t)rank * sizeof *sizes) != 0))) {
        ob_shape_dense_strides(new_sizes, new_rank, new_strides);
        return true;
    }
    if (empty) {
        memcpy(new_strides, strides, (size_t)rank * sizeof *strides);
        return true;
    }
    /* from the right: each run of old dims that is one block of memory is cut into new dims */
    int v = new_rank - 1;
    int64_t base = strides[rank - 1]; /* stride of the run's innermost element */
    int64_t run = 1, taken = 1;       /* elements of the run, and of the new dims cut from it */
    for (int d = rank - 1; d >= 0; d--) {
        run *= sizes[d];
        const bool run_ends = d == 0 || (sizes[d - 1] != 1 && strides[d - 1] != run * base);
        if (!run_ends) continue;
        while (v >= 0 && (taken < run || new_sizes[v] == 1)) {
            new_strides[v] = taken * base;
            taken *= new_sizes[v];
            v--;
        }
        if (taken != run) return false;
        base = d > 0 ? strides[d - 1] : 0;
        run = taken = 1;
    }
    return v < 0;
}

ob_status ob_shape_infer(const char *op, int64_t *sizes, int rank, int64_t numel)
{
    char text[SIZES_BYTES];
    int64_t known = 1;
    int unknown = -1;
    for (int d = 0; d < rank; d++) {
        if (sizes[d] == -1 && unknown >= 0)
            return OB_FAIL(OB_ERR_SHAPE, "%s: sizes %s have more than one -1", op,
                           ob_sizes_format(sizes, rank, text, sizeof text));
        if (sizes[d] < -1)
            return OB_FAIL(OB_ERR_SHAPE, "%s: extent %lld of dim %d should be -1 or more", op,
                           (long long)sizes[d], d);
        if (sizes[d] == -1)
            unknown = d;
        else if (!multiply(known, sizes[d], &known))
            return OB_FAIL(OB_ERR_SHAPE, "%s: sizes %s have more than 2^63 elements", op,
                           ob_sizes_format(sizes, rank, text, sizeof text));
    }
    const bool fits = unknown < 0 ? known == numel : known > 0 && numel % known == 0;
    if (!fits)
        return OB_FAIL(OB_ERR_SHAPE, "%s: sizes %s do not fit %lld elements", op,
                       ob_sizes_format(sizes, rank, text, sizeof text), (long long)numel);
    if (unknown >= 0) sizes[unknown] = numel / known;
    return OB_OK;
}
