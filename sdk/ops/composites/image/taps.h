/* Weighted sums along one dim, as lists of places: y[out] = sum over taps of weight x[in]. Resizing
 * reads them forwards; the gradients of resizing, padding and average pooling read them back. */
#ifndef OB_OPS_COMPOSITES_IMAGE_TAPS_H
#define OB_OPS_COMPOSITES_IMAGE_TAPS_H

#include "ops/composites/look.h"

/* n places; a place of y occurs once in `out`. */
typedef struct tap {
    int64_t n;
    int64_t *out, *in;
    double *weight; /* NULL: all 1 */
} tap;

/* What leads from a dim of n_in elements to one of n_out; lists in the scope's memory. */
typedef struct taps {
    int64_t n_in, n_out, n;
    tap *list;
} taps;

/* n taps with room for n_out places each, none set; list is NULL when memory is out (and the scope
 * has failed). */
taps taps_make(ob_scope *s, int64_t n_in, int64_t n_out, int64_t n, bool weighted);
/* Add a place to tap k, unless `in` is outside of the dim. */
void taps_add(taps *t, int64_t k, int64_t out, int64_t in, double weight);

/* y of x along dim; every tap must name all places of y, in order. */
ob_tensor *taps_read(ob_scope *s, ob_tensor *x, int64_t dim, const taps *t);
/* The gradient of x, of that of y. */
ob_tensor *taps_read_back(ob_scope *s, ob_tensor *y, int64_t dim, const taps *t);

/* int64 numbers as a tensor of one dim, on x's device. */
ob_tensor *places_tensor(ob_scope *s, const ob_tensor *x, const int64_t *list, int64_t n);
/* Numbers as a tensor of x's dtype (a float one) and device, which broadcasts along dim of x. */
ob_tensor *weights_tensor(ob_scope *s, const ob_tensor *x, int64_t dim, const double *list,
                          int64_t n);

#endif
