/* convolution: as a matrix product where there are enough channels, else direct. Kernels:
 * kernels/conv.cl. PyTorch: native/Convolution.cpp. */
#include "device/launch.h"
#include "device/native.h"
#include "device/ops/matrix/gemm.h"
#include "device/ops/nn/window.h"

enum {
    ROWS_CHUNK = 8,         /* output rows that are worth a work-item of conv_rows */
    TRANSPOSED_CHUNK = 256, /* outputs that are worth one of conv_transposed */
    STRIPS_PER_ITEM = 4,    /* strips that a work-item of conv_pack packs */
    GEMM_MIN_OUTS = 4       /* output channels of a group from which a matrix product pays */
};

/* Positions in the schema of convolution. */
enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS };

static const ob_cl_program program = { "conv", { "prelude.cl", "conv.cl" }, NULL, NULL };
static ob_cl_site conv_pack = OB_CL_SITE(&program, "conv_pack");
static ob_cl_site conv_rows = OB_CL_SITE(&program, "conv_rows");
static ob_cl_site conv_transposed = OB_CL_SITE(&program, "conv_transposed");

/* One convolution. Tensors are dense. */
typedef struct conv {
    const ob_tensor *out, *in, *weight, *bias; /* bias may be NULL */
    ob_window w;
    int64_t batch;
    ob_buffer *image; /* of the input */
} conv;

static conv conv_read(const ob_frame *frame)
{
    const ob_value *v = frame->args;
    conv c = { .out = frame->results[0].u.tensor,
               .in = v[INPUT].u.tensor,
               .weight = v[WEIGHT].u.tensor,
               .bias = v[BIAS].tag == OB_VALUE_TENSOR ? v[BIAS].u.tensor : NULL };
    ob_window *w = &c.w;
    const int spatial = ob_tensor_rank(c.in) - 2;
    c.image = ob_tensor_buffer(c.in);
    c.batch = ob_tensor_size(c.out, 0);
    w->numel = ob_tensor_numel(c.out);
    w->in_offset = ob_tensor_offset(c.in);
    w->weight_offset = ob_tensor_offset(c.weight);
    w->bias_offset = c.bias ? ob_tensor_offset(c.bias) : 0;
    w->out_offset = ob_tensor_offset(c.out);
    w->has_bias = c.bias != NULL;
    w->groups = v[GROUPS].u.i;
    w->in_channels = ob_tensor_size(c.in, 1);
    w->out_channels = ob_tensor_size(c.out, 1);
    ob_cl_window_extents(c.in, spatial, w->in);
    ob_cl_window_extents(c.out, spatial, w->out);
    ob_cl_window_extents(c.weight, spatial, w->window);
    ob_cl_window_list(&v[STRIDE], spatial, 1, w->stride);
    ob_cl_window_list(&v[PADDING], spatial, 0, w->padding);
    ob_cl_window_list(&v[DILATION], spatial, 1, w->dilation);
    return c;
}

static ob_status launch_direct(const conv *c, ob_cl_site *site, ob_cl_range range)
{
    ob_cl_kernel *k;
    OB_TRY(ob_cl_kernel_get(site, ob_tensor_dtype(c->out), &k));
    return OB_LAUNCH(k, range, BUF(c->out), MEM(c->image), BUF(c->weight),
                     BUF(c->bias ? c->bias : c->weight), VAL(c->w));
}

static int64_t volume(const ob_i64 *extents)
{
    return extents[0] * extents[1] * extents[2];
}

/* Packs the windows of a group's channels; `user` is the conv, whose in_offset points at the group.
 */
static ob_status windows_pack(void *user, ob_buffer *panel, const ob_gemm *g,
                              const ob_cl_piece *piece)
{
    const conv *c = user;
    const ob_conv_pack p = { .n = g->n,
                             .k = g->k,
                             .k_block = g->k_block,
                             .panel_batch = g->panel_batch,
                             .nr = piece->nr,
                             .strips_item = STRIPS_PER_ITEM,
                             .column = piece->column,
                             .batch = piece->batch };
    const int64_t strips = (g->n + piece->nr - 1) / piece->nr;
    ob_cl_kernel *k;
    OB_TRY(ob_cl_kernel_get(&conv_pack, ob_tensor_dtype(c->out), &k));
    return OB_LAUNCH(k,
                     ob_cl_range_items((strips + STRIPS_PER_ITEM - 1) / STRIPS_PER_ITEM,
                                       (g->k + g->k_block - 1) / g->k_block, piece->batches),
                     MEM(c->image), MEM(panel), VAL(c->w), VAL(p));
}

/* A 1x1 kernel that moves by 1: the image itself is the matrix. */
static bool is_pointwise(const ob_window *w)
{
    bool yes = volume(w->window) == 1;
    for (int d = 0; d < 3; d++)
        yes = yes && w->stride[d] == 1 && w->padding[d] == 0;
    return yes;
}

/* out[group] = weight[group] @ windows + bias, for every image. */
static ob_status run_group(const conv *c, int64_t group)
{
    const ob_window *w = &c->w;
    const int64_t ins = w->in_channels / w->groups, outs = w->out_channels / w->groups;
    const int64_t plane_in = volume(w->in), plane_out = volume(w->out);
    const ob_dtype dtype = ob_tensor_dtype(c->out);
    conv part = *c;
    part.w.in_offset += group * ins * plane_in;
    const ob_cl_packer packer = { windows_pack, &part };
    ob_cl_gemm call = { .dtype = dtype,
                        .out = ob_tensor_buffer(c->out),
                        .a = ob_tensor_buffer(c->weight),
                        .batch = c->batch };
    ob_gemm *g = &call.g;
    g->m = outs;
    g->n = plane_out;
    g->k = ins * volume(w->window);
    g->a = (ob_matrix){ w->weight_offset + group * outs * g->k, g->k, 1, 0 };
    g->out = (ob_matrix){ w->out_offset + group * outs * plane_out, plane_out, 1,
                          w->out_channels * plane_out };
    g->self = g->out;
    g->alpha = g->beta = ob_cl_number(ob_int(1), dtype);
    if (c->bias) {
        call.self = ob_tensor_buffer(c->bias);
        g->self = (ob_matrix){ w->bias_offset + group * outs, 1, 0, 0 };
        g->has_self = 1;
    }
    if (is_pointwise(w)) {
        call.b = c->image;
        g->b = (ob_matrix){ part.w.in_offset, plane_in, 1, w->in_channels * plane_in };
    } else {
        call.packer = &packer;
    }
    return ob_cl_gemm_run(&call);
}

/* convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
 */
ob_status ob_cl_op_convolution(ob_frame *frame)
{
    const conv c = conv_read(frame);
    const ob_window *w = &c.w;
    if (w->numel == 0) return OB_OK;
    if (frame->args[TRANSPOSED].u.b)
        return launch_direct(&c, &conv_transposed, ob_cl_range_chunks(w->numel, TRANSPOSED_CHUNK));
    if (w->out_channels / w->groups < GEMM_MIN_OUTS)
        return launch_direct(&c, &conv_rows, ob_cl_range_chunks(w->numel / w->out[2], ROWS_CHUNK));
    for (int64_t group = 0; group < w->groups; group++)
        OB_TRY(run_group(&c, group));
    return OB_OK;
}
