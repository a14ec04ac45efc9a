/* Softmax and its logarithm along rows. Follows prelude.cl.
 *
 *   softmax      out = exp(x - max) / sum(exp(x - max))
 *   log_softmax  out = x - max - log(sum(exp(x - max)))
 *
 * Work-item x takes a part of the rows. A row is read three times; it stays in the cache meanwhile. Four sums at a
 * time, so that additions need not wait for each other. */
#if OB_IS_FLOAT

/* Element j of a row that starts at `at`. */
#define AT(at, j) ((at) + (j) * r.step)

/* Where row i starts. */
static ob_i64 row_start(const ob_rows *r, ob_i64 i)
{
    const ob_i64 outer = i / r->inners;
    return outer * r->outer + (i - outer * r->inners) * r->inner;
}

static OB_T row_max(global const OB_S *in, ob_i64 at, const ob_rows r)
{
    OB_T most = OB_LOAD(in, at);
    for (ob_i64 j = 1; j < r.length; j++) {
        const OB_T v = OB_LOAD(in, AT(at, j));
        most = v > most || v != v ? v : most;
    }
    return most;
}

/* Sum of exp(x - most); a row of only -inf has NaN, as in PyTorch. */
static OB_T row_sum(global const OB_S *in, ob_i64 at, OB_T most, const ob_rows r)
{
    OB_T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    ob_i64 j = 0;
    for (; j + 4 <= r.length; j += 4) {
        s0 += exp(OB_LOAD(in, AT(at, j)) - most);
        s1 += exp(OB_LOAD(in, AT(at, j + 1)) - most);
        s2 += exp(OB_LOAD(in, AT(at, j + 2)) - most);
        s3 += exp(OB_LOAD(in, AT(at, j + 3)) - most);
    }
    for (; j < r.length; j++)
        s0 += exp(OB_LOAD(in, AT(at, j)) - most);
    return (s0 + s1) + (s2 + s3);
}

OB_KERNEL(softmax)(global OB_S *out, global const OB_S *in, const ob_rows r)
{
    OB_PART_OF(r.rows)
    for (ob_i64 i = begin; i < end; i++) {
        const ob_i64 from = r.in_offset + row_start(&r, i), to = r.out_offset + row_start(&r, i);
        const OB_T most = row_max(in, from, r), scale = 1 / row_sum(in, from, most, r);
        for (ob_i64 j = 0; j < r.length; j++)
            OB_STORE(out, AT(to, j), exp(OB_LOAD(in, AT(from, j)) - most) * scale);
    }
}

OB_KERNEL(log_softmax)(global OB_S *out, global const OB_S *in, const ob_rows r)
{
    OB_PART_OF(r.rows)
    for (ob_i64 i = begin; i < end; i++) {
        const ob_i64 from = r.in_offset + row_start(&r, i), to = r.out_offset + row_start(&r, i);
        const OB_T most = row_max(in, from, r), less = log(row_sum(in, from, most, r));
        for (ob_i64 j = 0; j < r.length; j++)
            OB_STORE(out, AT(to, j), OB_LOAD(in, AT(from, j)) - most - less);
    }
}
#endif
