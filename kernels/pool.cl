/* Max, average and adaptive pooling over dense planes. Follows prelude.cl.
 *
 * Work-item x of n takes the x-th part of the outputs, element by element: a window has few elements, and they are
 * near each other. Sums are in OB_T; a maximum is NaN when there is one in the window. */

/* First index and one past the last of the window of output `at` along dim d, clipped to the input; *padded is its extent
 * with the padding. */
static void window_of(const ob_window *w, int d, ob_i64 at, ob_i64 *first, ob_i64 *last, ob_i64 *padded)
{
    if (w->adaptive) {
        *first = at * w->in[d] / w->out[d];
        *last = ((at + 1) * w->in[d] + w->out[d] - 1) / w->out[d];
        *padded = *last - *first;
        return;
    }
    ob_i64 begin = at * w->stride[d] - w->padding[d];
    const ob_i64 end = begin + (w->window[d] - 1) * w->dilation[d] + 1;
    *padded = min(end, w->in[d] + w->padding[d]) - begin;
    while (begin < 0)
        begin += w->dilation[d];
    *first = begin;
    *last = min(end, w->in[d]);
}

/* The window of output i: bounds of three dims; returns the start of its plane in the input. */
static ob_i64 window_at(const ob_window *w, ob_i64 i, ob_i64 *first, ob_i64 *last, ob_i64 *padded)
{
    *padded = 1;
    for (int d = 2; d >= 0; d--) {
        ob_i64 extent;
        const ob_i64 rest = i / w->out[d];
        window_of(w, d, i - rest * w->out[d], first + d, last + d, &extent);
        *padded *= extent;
        i = rest;
    }
    return w->in_offset + i * w->in[0] * w->in[1] * w->in[2];
}

OB_KERNEL(pool_max)(global OB_S *out, global long *indices, global const OB_S *in,
                    const ob_window w)
{
    OB_PART_OF(w.numel)
    for (ob_i64 i = begin; i < end; i++) {
        ob_i64 first[3], last[3], padded;
        global const OB_S *plane = in + window_at(&w, i, first, last, &padded);
        ob_i64 best = (first[0] * w.in[1] + first[1]) * w.in[2] + first[2];
        OB_T most = OB_LOAD(plane, best);
        for (ob_i64 z = first[0]; z < last[0]; z += w.dilation[0])
            for (ob_i64 y = first[1]; y < last[1]; y += w.dilation[1])
                for (ob_i64 x = first[2]; x < last[2]; x += w.dilation[2]) {
                    const ob_i64 at = (z * w.in[1] + y) * w.in[2] + x;
                    const OB_T v = OB_LOAD(plane, at);
                    if (!(v > most || v != v)) continue;
                    most = v;
                    best = at;
                }
        OB_STORE(out, w.out_offset + i, most);
        indices[w.indices_offset + i] = best;
    }
}

OB_KERNEL(pool_average)(global OB_S *out, global const OB_S *in, const ob_window w)
{
    OB_PART_OF(w.numel)
    for (ob_i64 i = begin; i < end; i++) {
        ob_i64 first[3], last[3], padded, n = 0;
        global const OB_S *plane = in + window_at(&w, i, first, last, &padded);
        OB_T sum = 0;
        for (ob_i64 z = first[0]; z < last[0]; z++)
            for (ob_i64 y = first[1]; y < last[1]; y++)
                for (ob_i64 x = first[2]; x < last[2]; x++, n++)
                    sum += OB_LOAD(plane, (z * w.in[1] + y) * w.in[2] + x);
        const ob_i64 by = w.divisor ? w.divisor : w.count_padding ? padded : n;
        OB_STORE(out, w.out_offset + i, n > 0 ? sum / (OB_T)by : (OB_T)0);
    }
}
