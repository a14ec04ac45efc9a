/* Indexed accumulation and running sums: what index.cl does with arithmetic, for each dtype.
 *
 * Follows prelude.cl and index.cl, with INDEX_ARITHMETIC defined. */

#if OB_IS_COMPLEX
#define TIMES(a, b) ((OB_T)((a).x * (b).x - (a).y * (b).y, (a).x * (b).y + (a).y * (b).x))
#define LARGER(a, b) (a)
#define SMALLER(a, b) (a)
#define ONE ((OB_T)(1, 0))
#else
#define TIMES(a, b) ((a) * (b))
#define LARGER(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))
#define ONE ((OB_T)1)
#endif

static OB_T combined(ob_i64 how, OB_T a, OB_T b)
{
    switch (how) {
    case OB_COMBINE_SUM: return a + b;
    case OB_COMBINE_PRODUCT: return TIMES(a, b);
    case OB_COMBINE_MAX: return LARGER(a, b);
    default: return SMALLER(a, b);
    }
}

/* dst at the indices = dst combined with src, or p.value, or their product. One work-item, as indices
 * may meet. */
OB_KERNEL(accumulate)(global OB_S *dst, global const OB_S *src, global const uchar *i0,
                      global const uchar *i1, global const uchar *i2,
                      global const uchar *i3, global ob_watch *watch, const ob_picks p)
{
    index_set s = index_set_of(i0, i1, i2, i3);
    const OB_T value = OB_OF_BITS(p.value);
    OB_PART_OF(p.w.numel)
    FOR_RUNS(p.w)
    {
        const ob_i64 to = ob_walk_at(&p.w, 0, i), from = ob_walk_at(&p.w, 1, i);
        index_set_move(&s, &p, i);
        for (ob_i64 j = 0; j < n; j++) {
            ob_i64 offset;
            if (!index_offset(&s, &p, j, watch, &offset)) continue;
            const ob_i64 at = to + offset + j * p.w.stride[0][0];
            OB_T b = value;
            if (p.what != OB_PLACE_VALUE) b = OB_LOAD(src, from + j * p.w.stride[1][0]);
            if (p.what == OB_PLACE_PRODUCT) b = TIMES(b, value);
            OB_STORE(dst, at, combined(p.how, OB_LOAD(dst, at), b));
        }
    }
}

/* Operands of the walk: out, self; their elements begin the lines. Work-item x takes a part of the
 * lines. out may be self. */
OB_KERNEL(scan)(global OB_S *out, global const OB_S *self, const ob_scan s)
{
    OB_PART_OF(s.w.numel)
    for (ob_i64 i = begin; i < end; i++) {
        const ob_i64 to = ob_walk_at(&s.w, 0, i), from = ob_walk_at(&s.w, 1, i);
        OB_T value = s.product ? ONE : ONE - ONE;
        for (ob_i64 j = 0; j < s.n; j++) {
            const OB_T v = OB_LOAD(self, from + j * s.in_step);
            value = s.product ? TIMES(value, v) : value + v;
            OB_STORE(out, to + j * s.out_step, value);
        }
    }
}
