/* Rule of convolution: 1 to 3 spatial dims, strides, padding, dilation, groups, transposed.
 * Contract: conv.h. PyTorch: aten/src/ATen/native/Convolution.cpp (check_shape_forward,
 * conv_output_size). */
#include "ops/rules/conv.h"

#include <inttypes.h>

#include "dispatch/table/optable.h"
#include "ops/structured/structured.h"

/* Positions in the schema of convolution. */
enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS };

/* A list of one number, or one for each of `spatial` dims, to the end of `out`; the others become
 * `rest`. */
static ob_status list_read(const char *op, const char *name, const ob_value *v, int spatial,
                           int64_t rest, int64_t *out)
{
    if (v->tag != OB_VALUE_INTS || (v->count != 1 && v->count != (uint32_t)spatial))
        return OB_FAIL(OB_ERR_ARG, "%s: %s has %u numbers, should have 1 or %d", op, name, v->count,
                       spatial);
    for (int d = 0; d < OB_CONV_DIMS; d++) {
        const int at = d - (OB_CONV_DIMS - spatial);
        out[d] = at < 0 ? rest : v->u.ints[v->count == 1 ? 0 : at];
    }
    return OB_OK;
}

static ob_status numbers_check(const char *op, const ob_conv *c, const int64_t *output_padding)
{
    for (int d = 0; d < OB_CONV_DIMS; d++) {
        if (c->stride[d] < 1 || c->dilation[d] < 1)
            return OB_FAIL(OB_ERR_ARG,
                           "%s: stride %" PRId64 ", dilation %" PRId64 ", should be at least 1", op,
                           c->stride[d], c->dilation[d]);
        if (c->padding[d] < 0 || output_padding[d] < 0)
            return OB_FAIL(OB_ERR_ARG, "%s: negative padding is not supported", op);
    }
    if (c->groups < 1)
        return OB_FAIL(OB_ERR_ARG, "%s: groups is %" PRId64 ", should be at least 1", op,
                       c->groups);
    return OB_OK;
}

static ob_status channels_check(const char *op, const ob_conv *c, const ob_tensor *weight,
                                const ob_tensor *bias)
{
    const int64_t *w = ob_tensor_sizes(weight);
    char text[256];
    ob_sizes_format(w, ob_tensor_rank(weight), text, sizeof text);
    const int64_t want = c->transposed ? w[0] : w[1] * c->groups;
    if (w[0] < c->groups || w[0] % c->groups != 0)
        return OB_FAIL(
            OB_ERR_SHAPE,
            "%s: weight is %s, its first extent should be a multiple of groups, %" PRId64, op, text,
            c->groups);
    if (want != c->in_channels)
        return OB_FAIL(OB_ERR_SHAPE,
                       "%s: input has %" PRId64 " channels, weight of size %s and %" PRId64
                       " groups take %" PRId64,
                       op, c->in_channels, text, c->groups, want);
    if (bias && (ob_tensor_rank(bias) != 1 || ob_tensor_numel(bias) != c->out_channels))
        return OB_FAIL(OB_ERR_SHAPE, "%s: bias has %" PRId64 " elements, should be [%" PRId64 "]",
                       op, ob_tensor_numel(bias), c->out_channels);
    return OB_OK;
}

/* Output extents; the kernel must fit into the padded input. */
static ob_status extents_set(const char *op, ob_conv *c, const int64_t *output_padding)
{
    for (int d = 0; d < OB_CONV_DIMS; d++) {
        const int64_t reach = c->dilation[d] * (c->kernel[d] - 1) + 1;
        const int64_t padded = c->in[d] + 2 * c->padding[d];
        if (c->transposed) {
            c->out[d] =
                (c->in[d] - 1) * c->stride[d] - 2 * c->padding[d] + reach + output_padding[d];
            if (c->out[d] < 0)
                return OB_FAIL(OB_ERR_SHAPE, "%s: padding %" PRId64 " leaves no output", op,
                               c->padding[d]);
            continue;
        }
        if (padded < reach)
            return OB_FAIL(OB_ERR_SHAPE,
                           "%s: kernel reaches over %" PRId64 ", the padded input has %" PRId64, op,
                           reach, padded);
        c->out[d] = (padded - reach) / c->stride[d] + 1;
    }
    return OB_OK;
}

ob_status ob_conv_read(const char *op, const ob_value *args, ob_conv *c)
{
    const ob_tensor *input = args[INPUT].u.tensor, *weight = args[WEIGHT].u.tensor;
    const ob_tensor *bias = args[BIAS].tag == OB_VALUE_TENSOR ? args[BIAS].u.tensor : NULL;
    const int rank = ob_tensor_rank(input), spatial = rank - 2, lead = OB_CONV_DIMS - spatial;
    int64_t output_padding[OB_CONV_DIMS];
    if (rank < 3 || rank > 5 || ob_tensor_rank(weight) != rank)
        return OB_FAIL(OB_ERR_SHAPE, "%s: input has %d dims, weight %d, should both have 3, 4 or 5",
                       op, rank, ob_tensor_rank(weight));
    c->transposed = args[TRANSPOSED].u.b;
    c->groups = args[GROUPS].u.i;
    OB_TRY(list_read(op, "stride", &args[STRIDE], spatial, 1, c->stride));
    OB_TRY(list_read(op, "padding", &args[PADDING], spatial, 0, c->padding));
    OB_TRY(list_read(op, "dilation", &args[DILATION], spatial, 1, c->dilation));
    OB_TRY(list_read(op, "output_padding", &args[OUTPUT_PADDING], spatial, 0, output_padding));
    OB_TRY(numbers_check(op, c, output_padding));
    c->batch = ob_tensor_sizes(input)[0];
    c->in_channels = ob_tensor_sizes(input)[1];
    c->out_channels =
        c->transposed ? ob_tensor_sizes(weight)[1] * c->groups : ob_tensor_sizes(weight)[0];
    for (int d = 0; d < OB_CONV_DIMS; d++) {
        c->in[d] = d < lead ? 1 : ob_tensor_sizes(input)[2 + d - lead];
        c->kernel[d] = d < lead ? 1 : ob_tensor_sizes(weight)[2 + d - lead];
    }
    OB_TRY(channels_check(op, c, weight, bias));
    return extents_set(op, c, output_padding);
}

/* Input, weight and bias are of one dtype. */
static ob_status dtypes_check(const ob_rule *rule)
{
    const ob_dtype dtype = ob_tensor_dtype(rule->args[INPUT].u.tensor);
    for (int i = WEIGHT; i <= BIAS; i++)
        if (rule->args[i].tag == OB_VALUE_TENSOR &&
            ob_tensor_dtype(rule->args[i].u.tensor) != dtype)
            return OB_FAIL(OB_ERR_DTYPE, "%s: input is %s, %s is %s; they should be the same",
                           rule->op, ob_dtype_name(dtype), i == WEIGHT ? "weight" : "bias",
                           ob_dtype_name(ob_tensor_dtype(rule->args[i].u.tensor)));
    if (dtype == OB_BOOL || dtype == OB_F8E4M3)
        return OB_FAIL(OB_ERR_DTYPE, "%s: not implemented for %s", rule->op, ob_dtype_name(dtype));
    return OB_OK;
}

/* True for a tensor whose channels lie innermost, and which is not also row-major. */
static bool is_channels_last(const ob_tensor *t)
{
    const int rank = ob_tensor_rank(t);
    int64_t next = 1;
    if (rank < 4 || ob_tensor_is_contiguous(t)) return false;
    for (int i = 0; i < rank; i++) {
        const int d = i == 0 ? 1 : i == rank - 1 ? 0 : rank - i;
        const int64_t size = ob_tensor_sizes(t)[d];
        if (size != 1 && ob_tensor_strides(t)[d] != next) return false;
        next *= size;
    }
    return true;
}

static void make_channels_last(ob_out_spec *o)
{
    int64_t next = 1;
    for (int i = 0; i < o->rank; i++) {
        const int d = i == 0 ? 1 : i == o->rank - 1 ? 0 : o->rank - i;
        o->strides[d] = next;
        next *= o->sizes[d] > 1 ? o->sizes[d] : 1;
    }
    o->has_strides = true;
}

static ob_status rule_convolution(ob_rule *rule)
{
    const ob_tensor *input = rule->args[INPUT].u.tensor, *weight = rule->args[WEIGHT].u.tensor;
    const int rank = ob_tensor_rank(input);
    int64_t sizes[OB_CONV_DIMS + 2];
    ob_conv c;
    OB_TRY(dtypes_check(rule));
    OB_TRY(ob_conv_read(rule->op, rule->args, &c));
    sizes[0] = c.batch;
    sizes[1] = c.out_channels;
    for (int d = 2; d < rank; d++)
        sizes[d] = c.out[OB_CONV_DIMS - rank + d];
    ob_rule_out(rule, 0, ob_tensor_dtype(input), sizes, rank);
    if (is_channels_last(input) || is_channels_last(weight)) make_channels_last(&rule->outs[0]);
    return OB_OK;
}

static ob_status install(void)
{
    static const ob_structured_row rows[] = {
        { "convolution", rule_convolution, 0 },
        { "convolution_overrideable", rule_convolution, 0 },
    };
    return ob_structured_install(rows, OB_COUNT(rows));
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
