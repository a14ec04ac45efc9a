/* Elements picked and placed by indices, or cut to a triangle: moved unread, so that one integer
 * dtype serves all dtypes of its width. Follows prelude.cl; the arithmetic forms are in scan.cl.
 *
 *   pick         dst = src at the indices: gather, index_select, embedding, index
 *   place        dst at the indices = src, or a value: scatter, index_put
 *   triangle     dst = src below or above a diagonal, else 0
 *
 * Work-item x takes a part of the walk, in runs along its dim 0. An index out of range is not followed: the
 * first one is noted in `watch`, for the next synchronize or read to report. */

#define FOR_RUNS(w) \
    for (ob_i64 i = begin, n; i < end && (n = min((w).size[0] - i % (w).size[0], end - i)); i += n)

/* The indices of a call. */
typedef struct index_set {
    global const uchar *data[OB_PICKS];
    ob_i64 at[OB_PICKS];
} index_set;

static index_set index_set_of(global const uchar *i0, global const uchar *i1, global const uchar *i2,
                              global const uchar *i3)
{
    const index_set s = { { i0, i1, i2, i3 }, { 0, 0, 0, 0 } };
    return s;
}

/* Go to element i of the walk. */
static void index_set_move(index_set *s, const ob_picks *p, ob_i64 i)
{
    for (int k = 0; k < p->n; k++) s->at[k] = ob_walk_at(&p->w, 2 + k, i);
}

/* 1 when a whole run has the same indices. */
static int index_set_steady(const ob_picks *p)
{
    int steady = 1;
    for (int k = 0; k < p->n; k++) steady &= p->w.stride[2 + k][0] == 0;
    return steady;
}

static void index_refuse(const ob_picks *p, int k, ob_i64 index, global ob_watch *watch)
{
    if (atomic_xchg((volatile global int *)&watch->taken, 1) != 0) return;
    watch->name = p->name;
    watch->index = index;
    watch->extent = p->extent[k];
}

/* *to: elements from the start of the indexed operand, for step j of the run; 0 when an index is out of
 * range. */
static int index_offset(const index_set *s, const ob_picks *p, ob_i64 j, global ob_watch *watch,
                        ob_i64 *to)
{
    *to = 0;
    for (int k = 0; k < p->n; k++) {
        const ob_i64 at = s->at[k] + j * p->w.stride[2 + k][0];
        ob_i64 index = p->wide >> k & 1 ? ((global const long *)s->data[k])[at]
                                        : (ob_i64)((global const int *)s->data[k])[at];
        if (index < (p->wraps ? -p->extent[k] : 0) || index >= p->extent[k]) {
            index_refuse(p, k, index, watch);
            return 0;
        }
        if (index < 0) index += p->extent[k];
        *to += index * p->step[k];
    }
    return 1;
}

#ifndef INDEX_ARITHMETIC

OB_KERNEL(pick)(global OB_S *dst, global const OB_S *src, global const uchar *i0,
                global const uchar *i1, global const uchar *i2,
                global const uchar *i3, global ob_watch *watch, const ob_picks p)
{
    index_set s = index_set_of(i0, i1, i2, i3);
    const int steady = index_set_steady(&p);
    const ob_i64 ds = p.w.stride[0][0], ss = p.w.stride[1][0];
    OB_PART_OF(p.w.numel)
    FOR_RUNS(p.w)
    {
        global OB_S *to = dst + ob_walk_at(&p.w, 0, i);
        global const OB_S *from = src + ob_walk_at(&p.w, 1, i);
        ob_i64 offset;
        index_set_move(&s, &p, i);
        if (!steady)
            for (ob_i64 j = 0; j < n; j++)
                to[j * ds] = index_offset(&s, &p, j, watch, &offset) ? from[offset + j * ss] : (OB_S)0;
        else if (!index_offset(&s, &p, 0, watch, &offset))
            for (ob_i64 j = 0; j < n; j++) to[j * ds] = (OB_S)0;
        else if (ds == 1 && ss == 1)
            for (ob_i64 j = 0; j < n; j++) to[j] = from[offset + j];
        else
            for (ob_i64 j = 0; j < n; j++) to[j * ds] = from[offset + j * ss];
    }
}

/* src is not read when a value is placed. */
OB_KERNEL(place)(global OB_S *dst, global const OB_S *src, global const uchar *i0,
                 global const uchar *i1, global const uchar *i2,
                 global const uchar *i3, global ob_watch *watch, const ob_picks p)
{
    index_set s = index_set_of(i0, i1, i2, i3);
    union {
        ob_i64 bits;
        OB_S value;
    } u;
    u.bits = p.value;
    OB_PART_OF(p.w.numel)
    FOR_RUNS(p.w)
    {
        global OB_S *to = dst + ob_walk_at(&p.w, 0, i);
        global const OB_S *from = src + ob_walk_at(&p.w, 1, i);
        index_set_move(&s, &p, i);
        for (ob_i64 j = 0; j < n; j++) {
            ob_i64 offset;
            if (index_offset(&s, &p, j, watch, &offset))
                to[offset + j * p.w.stride[0][0]] =
                    p.what == OB_PLACE_VALUE ? u.value : from[j * p.w.stride[1][0]];
        }
    }
}

/* Row-major matrices; work-item x takes a part of their rows. dst may be src. */
OB_KERNEL(triangle)(global OB_S *dst, global const OB_S *src, const ob_triangle t)
{
    OB_PART_OF(t.batch * t.rows)
    for (ob_i64 row = begin; row < end; row++) {
        global OB_S *to = dst + t.out_offset + row * t.cols;
        global const OB_S *from = src + t.in_offset + row * t.cols;
        const ob_i64 edge = clamp(row % t.rows + t.diagonal + (t.upper ? 0 : 1), (ob_i64)0, t.cols);
        const ob_i64 kept = t.upper ? edge : 0, stop = t.upper ? t.cols : edge;
        for (ob_i64 j = 0; j < kept; j++) to[j] = (OB_S)0;
        for (ob_i64 j = kept; j < stop; j++) to[j] = from[j];
        for (ob_i64 j = stop; j < t.cols; j++) to[j] = (OB_S)0;
    }
}

#endif
