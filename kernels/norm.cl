/* Layer norm over dense rows, and batch norm with given statistics: y = (x - mean) * rstd * weight + bias, rstd = 1 / sqrt(var + eps). Follows prelude.cl.
 *
 * Work-item x takes a part of the rows. The variance is of the differences from the mean, in a second pass over the
 * cached row: no cancellation. Eight sums at a time, which compilers make a vector of. */
#if OB_IS_FLOAT
#define SUMS 8

/* Sum of `term` over a row, where v is element j. */
#define ROW_SUM(result, term)                             \
    {                                                     \
        OB_T s[SUMS] = { 0 };                             \
        ob_i64 j = 0;                                     \
        for (; j + SUMS <= r.length; j += SUMS)           \
            for (int l = 0; l < SUMS; l++) {              \
                const OB_T v = OB_LOAD(row, j + l);       \
                s[l] += term;                             \
            }                                             \
        for (; j < r.length; j++) {                       \
            const OB_T v = OB_LOAD(row, j);               \
            s[0] += term;                                 \
        }                                                 \
        for (int l = 1; l < SUMS; l++) s[0] += s[l];      \
        result = s[0];                                    \
    }

static OB_T eps_of(const ob_rows r)
{
    union {
        ob_number bits;
        OB_T value;
    } u;
    u.bits = r.eps;
    return u.value;
}

/* means and rstds: one per row, from r.outer and r.inner on. */
OB_KERNEL(layer_norm)(global OB_S *out, global OB_S *means, global OB_S *rstds,
                      global const OB_S *in, global const OB_S *weight,
                      global const OB_S *bias, const ob_rows r)
{
    OB_PART_OF(r.rows)
    for (ob_i64 i = begin; i < end; i++) {
        global const OB_S *row = in + r.in_offset + i * r.length;
        const ob_i64 to = r.out_offset + i * r.length;
        OB_T sum, squares;
        ROW_SUM(sum, v)
        OB_T mean = sum / (OB_T)r.length;
        if (isinf(mean)) { /* too large a sum; infinities have NaN for a mean, as PyTorch's moves */
            ROW_SUM(mean, v / (OB_T)r.length)
            if (isinf(mean)) mean = NAN;
        }
        ROW_SUM(squares, (v - mean) * (v - mean))
        const OB_T rstd = 1 / sqrt(squares / (OB_T)r.length + eps_of(r));
        for (ob_i64 j = 0; j < r.length; j++) {
            OB_T y = (OB_LOAD(row, j) - mean) * rstd;
            if (r.has_weight) y *= OB_LOAD(weight, r.weight_offset + j);
            if (r.has_bias) y += OB_LOAD(bias, r.bias_offset + j);
            OB_STORE(out, to + j, y);
        }
        OB_STORE(means, r.outer + i, mean);
        OB_STORE(rstds, r.inner + i, rstd);
    }
}

/* Row i is an image's plane of channel i % channels; mean and variance are per channel. */
OB_KERNEL(batch_norm)(global OB_S *out, global const OB_S *in, global const OB_S *weight,
                      global const OB_S *bias, global const OB_S *mean,
                      global const OB_S *variance, const ob_rows r)
{
    OB_PART_OF(r.rows)
    for (ob_i64 i = begin; i < end; i++) {
        const ob_i64 c = i % r.channels, from = r.in_offset + i * r.length;
        OB_T scale = 1 / sqrt(OB_LOAD(variance, r.inner + c) + eps_of(r));
        if (r.has_weight) scale *= OB_LOAD(weight, r.weight_offset + c);
        OB_T shift = -OB_LOAD(mean, r.outer + c) * scale;
        if (r.has_bias) shift += OB_LOAD(bias, r.bias_offset + c);
        for (ob_i64 j = 0; j < r.length; j++)
            OB_STORE(out, r.out_offset + i * r.length + j, OB_LOAD(in, from + j) * scale + shift);
    }
}
#endif
