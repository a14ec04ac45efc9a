/* Convolution over dense images [batch, channels, spatial], weights [out, in / groups, kernel] (transposed: [in, out /
 * groups, kernel]). Follows prelude.cl.
 *
 *   conv_pack        the windows of an image as columns, packed for matmul_tiles: implicit GEMM
 *   conv_rows        direct: rows of the output by adding up rows of the input; for groups with few channels
 *   conv_transposed  direct: every output gathers what reaches it */

#define OB_CONV_LANES 64   /* most columns of a strip */
#define OB_CONV_ROW   256  /* elements of an output row summed at a time */

/* Part of a strip that lies in one row of the output. */
typedef struct conv_run {
    int lane, n;
    ob_i64 x;          /* first column of the input for tap 0 */
    ob_i64 y, z;       /* row of the input for tap 0 */
} conv_run;

/* Cut `lanes` columns from `column` on into runs; returns how many. */
static int runs_cut(const ob_window *w, ob_i64 column, int lanes, conv_run *runs)
{
    int n = 0;
    for (int lane = 0; lane < lanes; n++) {
        const ob_i64 at = column + lane, row = at / w->out[2], x = at - row * w->out[2];
        const ob_i64 z = row / w->out[1], y = row - z * w->out[1];
        runs[n].lane = lane;
        runs[n].n = (int)min((ob_i64)(lanes - lane), w->out[2] - x);
        runs[n].x = x * w->stride[2] - w->padding[2];
        runs[n].y = y * w->stride[1] - w->padding[1];
        runs[n].z = z * w->stride[0] - w->padding[0];
        lane += runs[n].n;
    }
    return n;
}

/* One tap of a run: to[0..n) = the input under it, 0 in the padding. */
static void run_pack(const ob_window *w, const conv_run *r, global const OB_S *plane, ob_i64 kz,
                     ob_i64 ky, ob_i64 kx, global OB_T *to)
{
    const ob_i64 z = r->z + kz * w->dilation[0], y = r->y + ky * w->dilation[1];
    const ob_i64 x = r->x + kx * w->dilation[2], step = w->stride[2];
    const bool inside = z >= 0 && z < w->in[0] && y >= 0 && y < w->in[1];
    global const OB_S *row = plane + (z * w->in[1] + y) * w->in[2];
    if (inside && x >= 0 && x + (r->n - 1) * step < w->in[2]) {
        if (step == 1)
            for (int j = 0; j < r->n; j++) to[j] = OB_LOAD(row, x + j);
        else
            for (int j = 0; j < r->n; j++) to[j] = OB_LOAD(row, x + j * step);
        return;
    }
    for (int j = 0; j < r->n; j++) {
        const ob_i64 at = x + j * step;
        to[j] = inside && at >= 0 && at < w->in[2] ? OB_LOAD(row, at) : (OB_T)0;
    }
}

/* panel: [batch][k block][strip of nr columns][k][nr], k = (channel, kz, ky, kx); columns past n are 0.
 * Work-item (x, y, z): strips [x * strips_item, ...) of k block y of batch z. */
OB_KERNEL(conv_pack)(global const OB_S *in, global OB_T *panel, const ob_window w,
                     const ob_conv_pack p)
{
    const ob_i64 strips = (p.n + p.nr - 1) / p.nr, taps = w.window[0] * w.window[1] * w.window[2];
    const ob_i64 k0 = get_global_id(1) * p.k_block, k1 = min(k0 + p.k_block, p.k);
    const ob_i64 s0 = get_global_id(0) * p.strips_item, s1 = min(s0 + p.strips_item, strips);
    const ob_i64 plane = w.in[0] * w.in[1] * w.in[2];
    in += w.in_offset + (p.batch + get_global_id(2)) * w.in_channels * plane;
    panel += get_global_id(2) * p.panel_batch + k0 * strips * p.nr;
    for (ob_i64 s = s0; s < s1; s++) {
        conv_run runs[OB_CONV_LANES];
        const int lanes = (int)min((ob_i64)p.nr, p.n - s * p.nr);
        const int n_runs = runs_cut(&w, p.column + s * p.nr, lanes, runs);
        global OB_T *to = panel + s * p.nr * (k1 - k0);
        for (ob_i64 k = k0; k < k1; k++, to += p.nr) {
            const ob_i64 channel = k / taps, tap = k - channel * taps;
            const ob_i64 kx = tap % w.window[2], row = tap / w.window[2];
            const ob_i64 ky = row % w.window[1], kz = row / w.window[1];
            for (int r = 0; r < n_runs; r++)
                run_pack(&w, runs + r, in + channel * plane, kz, ky, kx, to + runs[r].lane);
            for (int j = lanes; j < p.nr; j++)
                to[j] = (OB_T)0;
        }
    }
}

/* sums[0..n) += weight * the input under tap kx of n outputs from x0 on. */
static void row_add(const ob_window *w, global const OB_S *row, OB_T weight, ob_i64 kx, ob_i64 x0,
                    int n, OB_T *sums)
{
    const ob_i64 step = w->stride[2];
    const ob_i64 shift = kx * w->dilation[2] - w->padding[2]; /* input of output x: x * step + shift */
    ob_i64 lo = shift < 0 ? (-shift + step - 1) / step : 0;
    ob_i64 hi = w->in[2] - 1 - shift < 0 ? 0 : (w->in[2] - 1 - shift) / step + 1;
    lo = max(lo - x0, (ob_i64)0);
    hi = min(hi - x0, (ob_i64)n);
    global const OB_S *from = row + x0 * step + shift;
    if (step == 1)
        for (ob_i64 j = lo; j < hi; j++) sums[j] += weight * OB_LOAD(from, j);
    else
        for (ob_i64 j = lo; j < hi; j++) sums[j] += weight * OB_LOAD(from, j * step);
}

/* Work-item x takes a part of the output rows (batch, channel, z, y). */
OB_KERNEL(conv_rows)(global OB_S *out, global const OB_S *in, global const OB_S *weight,
                     global const OB_S *bias, const ob_window w)
{
    const ob_i64 ins = w.in_channels / w.groups, outs = w.out_channels / w.groups;
    const ob_i64 taps = w.window[0] * w.window[1] * w.window[2];
    OB_PART_OF(w.numel / w.out[2])
    for (ob_i64 i = begin; i < end; i++) {
        const ob_i64 y = i % w.out[1], z = i / w.out[1] % w.out[0], c = i / w.out[1] / w.out[0];
        const ob_i64 o = c % w.out_channels, b = c / w.out_channels;
        const ob_i64 c0 = b * w.in_channels + o / outs * ins;
        for (ob_i64 x0 = 0; x0 < w.out[2]; x0 += OB_CONV_ROW) {
            OB_T sums[OB_CONV_ROW];
            const int n = (int)min((ob_i64)OB_CONV_ROW, w.out[2] - x0);
            const OB_T first = w.has_bias ? OB_LOAD(bias, w.bias_offset + o) : (OB_T)0;
            for (int j = 0; j < n; j++) sums[j] = first;
            for (ob_i64 k = 0; k < ins * taps; k++) {
                const ob_i64 kx = k % w.window[2], ky = k / w.window[2] % w.window[1];
                const ob_i64 kz = k / (w.window[2] * w.window[1]) % w.window[0], channel = k / taps;
                const ob_i64 iz = z * w.stride[0] - w.padding[0] + kz * w.dilation[0];
                const ob_i64 iy = y * w.stride[1] - w.padding[1] + ky * w.dilation[1];
                if (iz < 0 || iz >= w.in[0] || iy < 0 || iy >= w.in[1]) continue;
                global const OB_S *row =
                    in + w.in_offset + (((c0 + channel) * w.in[0] + iz) * w.in[1] + iy) * w.in[2];
                row_add(&w, row, OB_LOAD(weight, w.weight_offset + o * ins * taps + k), kx, x0, n, sums);
            }
            for (int j = 0; j < n; j++)
                OB_STORE(out, w.out_offset + i * w.out[2] + x0 + j, sums[j]);
        }
    }
}

/* Input index along dim d that reaches output `at` through tap k, -1 if none. */
static ob_i64 reaching(const ob_window *w, int d, ob_i64 at, ob_i64 k)
{
    const ob_i64 from = at + w->padding[d] - k * w->dilation[d];
    if (from < 0 || from % w->stride[d] != 0) return -1;
    return from / w->stride[d] < w->in[d] ? from / w->stride[d] : -1;
}

/* Work-item x takes a part of the outputs. */
OB_KERNEL(conv_transposed)(global OB_S *out, global const OB_S *in,
                           global const OB_S *weight, global const OB_S *bias,
                           const ob_window w)
{
    const ob_i64 ins = w.in_channels / w.groups, outs = w.out_channels / w.groups;
    const ob_i64 taps = w.window[0] * w.window[1] * w.window[2];
    const ob_i64 plane = w.in[0] * w.in[1] * w.in[2];
    OB_PART_OF(w.numel)
    for (ob_i64 i = begin; i < end; i++) {
        const ob_i64 x = i % w.out[2], y = i / w.out[2] % w.out[1];
        const ob_i64 z = i / (w.out[2] * w.out[1]) % w.out[0], c = i / (w.out[2] * w.out[1] * w.out[0]);
        const ob_i64 o = c % w.out_channels, group = o / outs;
        const ob_i64 c0 = c / w.out_channels * w.in_channels + group * ins;
        OB_T sum = w.has_bias ? OB_LOAD(bias, w.bias_offset + o) : (OB_T)0;
        for (ob_i64 k = 0; k < taps; k++) {
            const ob_i64 iz = reaching(&w, 0, z, k / (w.window[2] * w.window[1]));
            const ob_i64 iy = reaching(&w, 1, y, k / w.window[2] % w.window[1]);
            const ob_i64 ix = reaching(&w, 2, x, k % w.window[2]);
            if (iz < 0 || iy < 0 || ix < 0) continue;
            const ob_i64 at = w.in_offset + c0 * plane + (iz * w.in[1] + iy) * w.in[2] + ix;
            const ob_i64 tap = w.weight_offset + (group * ins * outs + o % outs) * taps + k;
            for (ob_i64 channel = 0; channel < ins; channel++)
                sum += OB_LOAD(in, at + channel * plane) * OB_LOAD(weight, tap + channel * outs * taps);
        }
        OB_STORE(out, w.out_offset + i, sum);
    }
}
