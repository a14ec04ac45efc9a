/* See taps.h. */
#include "ops/composites/image/taps.h"

taps taps_make(ob_scope *s, int64_t n_in, int64_t n_out, int64_t n, bool weighted)
{
    taps t = { n_in, n_out, n, ob_scope_alloc(s, (size_t)(n + 1) * sizeof(tap)) };
    const size_t places = (size_t)(n_out + 1);
    for (int64_t k = 0; t.list && k < n; k++) {
        tap *p = &t.list[k];
        p->out = ob_scope_alloc(s, places * sizeof *p->out);
        p->in = ob_scope_alloc(s, places * sizeof *p->in);
        p->weight = weighted ? ob_scope_alloc(s, places * sizeof *p->weight) : NULL;
    }
    if (ob_scope_status(s) != OB_OK) t.list = NULL;
    return t;
}

void taps_add(taps *t, int64_t k, int64_t out, int64_t in, double weight)
{
    tap *p = &t->list[k];
    if (in < 0 || in >= t->n_in) return;
    p->out[p->n] = out;
    p->in[p->n] = in;
    if (p->weight) p->weight[p->n] = weight;
    p->n++;
}

ob_tensor *places_tensor(ob_scope *s, const ob_tensor *x, const int64_t *list, int64_t n)
{
    ob_tensor *made = NULL;
    if (!x || !list) return NULL;
    ob_status st = ob_tensor_create(OB_INTS(n), OB_I64, device_of(x), &made);
    if (st == OB_OK && n > 0 && !ob_tensor_is_meta(x))
        st = ob_tensor_write(made, list, (size_t)n * sizeof *list);
    made = ob_scope_own(s, made);
    return st == OB_OK ? made : ob_scope_fail(s, st);
}

ob_tensor *weights_tensor(ob_scope *s, const ob_tensor *x, int64_t dim, const double *list,
                          int64_t n)
{
    int64_t sizes[OB_MAX_RANK];
    ob_tensor *made = NULL;
    if (!x || !list) return NULL;
    for (int d = 0; d < rank_of(x); d++)
        sizes[d] = d == wrapped(x, dim) ? -1 : 1;
    ob_status st = ob_tensor_create(OB_INTS(n), OB_F64, OB_DEVICE_CPU, &made);
    if (st == OB_OK && n > 0) st = ob_tensor_write(made, list, (size_t)n * sizeof *list);
    made = ob_scope_own(s, made);
    if (st != OB_OK) return ob_scope_fail(s, st);
    made = ob_to_device(s, made, device_of(x), dtype_of(x));
    return ob_reshape(s, made, (ob_ints){ sizes, rank_of(x) });
}

ob_tensor *taps_read(ob_scope *s, ob_tensor *x, int64_t dim, const taps *t)
{
    ob_tensor *y = NULL;
    for (int64_t k = 0; t->list && k < t->n; k++) {
        const tap *p = &t->list[k];
        ob_tensor *part = ob_index_select(s, x, dim, places_tensor(s, x, p->in, p->n));
        if (p->weight) part = ob_mul(s, part, weights_tensor(s, x, dim, p->weight, p->n));
        y = y ? ob_add(s, y, part) : part;
    }
    return y;
}

ob_tensor *taps_read_back(ob_scope *s, ob_tensor *y, int64_t dim, const taps *t)
{
    int64_t *sizes = sizes_copy(s, y, 0);
    if (!sizes || !y || !t->list) return NULL;
    sizes[wrapped(y, dim)] = t->n_in;
    ob_tensor *x = ob_new_zeros(s, y, (ob_ints){ sizes, rank_of(y) });
    for (int64_t k = 0; k < t->n; k++) {
        const tap *p = &t->list[k];
        if (p->n == 0) continue;
        ob_tensor *part =
            p->n == t->n_out ? y : ob_index_select(s, y, dim, places_tensor(s, y, p->out, p->n));
        if (p->weight) part = ob_mul(s, part, weights_tensor(s, y, dim, p->weight, p->n));
        x = ob_index_add(s, x, dim, places_tensor(s, y, p->in, p->n), part);
    }
    return x;
}
