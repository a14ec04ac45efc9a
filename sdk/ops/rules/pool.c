/* Rules of max, average and adaptive pooling over two and three dims. Contract: pool.h. PyTorch:
 * aten/src/ATen/native/Pool.h (pool2d_shape_check, pooling_output_shape),
 * AdaptiveAveragePooling.cpp. */
#include "ops/rules/pool.h"

#include <inttypes.h>

#include "dispatch/table/optable.h"
#include "ops/structured/structured.h"

/* One number for all dims, or one for each, to the end of `out`; the others become `rest`. */
static ob_status list_read(const char *op, const char *name, const ob_value *v, int spatial,
                           int64_t rest, int64_t *out)
{
    if (v->tag != OB_VALUE_INTS || (v->count != 1 && v->count != (uint32_t)spatial))
        return OB_FAIL(OB_ERR_ARG, "%s: %s has %u numbers, should have 1 or %d", op, name, v->count,
                       spatial);
    for (int d = 0; d < OB_POOL_DIMS; d++) {
        const int at = d - (OB_POOL_DIMS - spatial);
        out[d] = at < 0 ? rest : v->u.ints[v->count == 1 ? 0 : at];
    }
    return OB_OK;
}

static ob_status input_read(const char *op, const ob_tensor *t, ob_pool *p)
{
    const int rank = ob_tensor_rank(t), lead = rank - p->spatial;
    if (lead != 1 && lead != 2)
        return OB_FAIL(OB_ERR_SHAPE, "%s: input has %d dims, should have %d or %d", op, rank,
                       p->spatial + 1, p->spatial + 2);
    p->planes = 1;
    for (int d = 0; d < lead; d++)
        p->planes *= ob_tensor_sizes(t)[d];
    for (int d = 0; d < OB_POOL_DIMS; d++) {
        const int at = d - (OB_POOL_DIMS - p->spatial);
        p->in[d] = at < 0 ? 1 : ob_tensor_sizes(t)[lead + at];
    }
    for (int d = lead - 1; d < rank; d++)
        if (ob_tensor_sizes(t)[d] == 0)
            return OB_FAIL(OB_ERR_SHAPE, "%s: extent 0 of input at dim %d; only the batch may be 0",
                           op, d);
    return OB_OK;
}

static ob_status numbers_check(const char *op, const ob_pool *p)
{
    for (int d = OB_POOL_DIMS - p->spatial; d < OB_POOL_DIMS; d++) {
        if (p->kernel[d] < 1 || p->stride[d] < 1 || p->dilation[d] < 1)
            return OB_FAIL(OB_ERR_ARG,
                           "%s: kernel %" PRId64 ", stride %" PRId64 ", dilation %" PRId64
                           ", should be at least 1",
                           op, p->kernel[d], p->stride[d], p->dilation[d]);
        if (p->padding[d] < 0 || 2 * p->padding[d] > (p->kernel[d] - 1) * p->dilation[d] + 1)
            return OB_FAIL(OB_ERR_ARG,
                           "%s: padding %" PRId64 ", should be at most half of kernel %" PRId64, op,
                           p->padding[d], p->kernel[d]);
    }
    return OB_OK;
}

/* A last window that would start behind the input and its left padding is left out. */
static ob_status extents_set(const char *op, ob_pool *p, bool ceil_mode)
{
    for (int d = 0; d < OB_POOL_DIMS; d++) {
        const int64_t reach = p->dilation[d] * (p->kernel[d] - 1) + 1;
        const int64_t room = p->in[d] + 2 * p->padding[d] - reach;
        const int64_t up = room + (ceil_mode ? p->stride[d] - 1 : 0);
        if (up < 0)
            return OB_FAIL(OB_ERR_SHAPE,
                           "%s: kernel reaches over %" PRId64 ", the padded input has %" PRId64, op,
                           reach, p->in[d] + 2 * p->padding[d]);
        p->out[d] = up / p->stride[d] + 1;
        if (ceil_mode && (p->out[d] - 1) * p->stride[d] >= p->in[d] + p->padding[d]) p->out[d]--;
    }
    return OB_OK;
}

static ob_status windows_read(const char *op, ob_pool_kind kind, const ob_value *args, ob_pool *p)
{
    const bool is_max = kind == OB_POOL_MAX;
    const ob_value *stride = args[2].count ? &args[2] : &args[1];
    OB_TRY(list_read(op, "kernel_size", &args[1], p->spatial, 1, p->kernel));
    OB_TRY(list_read(op, "stride", stride, p->spatial, 1, p->stride));
    OB_TRY(list_read(op, "padding", &args[3], p->spatial, 0, p->padding));
    for (int d = 0; d < OB_POOL_DIMS; d++)
        p->dilation[d] = 1;
    if (is_max) OB_TRY(list_read(op, "dilation", &args[4], p->spatial, 1, p->dilation));
    OB_TRY(numbers_check(op, p));
    OB_TRY(extents_set(op, p, args[is_max ? 5 : 4].u.b));
    if (is_max) return OB_OK;
    p->count_padding = args[5].u.b;
    p->divisor = args[6].tag == OB_VALUE_INT ? args[6].u.i : 0;
    if (args[6].tag == OB_VALUE_INT && p->divisor == 0)
        return OB_FAIL(OB_ERR_ARG, "%s: divisor_override is 0", op);
    return OB_OK;
}

ob_status ob_pool_read(const char *op, ob_pool_kind kind, int spatial, const ob_value *args,
                       ob_pool *p)
{
    *p = (ob_pool){ .spatial = spatial, .adaptive = kind == OB_POOL_ADAPTIVE };
    OB_TRY(input_read(op, args[0].u.tensor, p));
    if (!p->adaptive) return windows_read(op, kind, args, p);
    OB_TRY(list_read(op, "output_size", &args[1], spatial, 1, p->out));
    for (int d = 0; d < OB_POOL_DIMS; d++)
        if (p->out[d] < 0)
            return OB_FAIL(OB_ERR_ARG, "%s: output_size is %" PRId64 ", should not be negative", op,
                           p->out[d]);
    return OB_OK;
}

void ob_pool_window(const ob_pool *p, int d, int64_t at, int64_t *begin, int64_t *end,
                    int64_t *padded_extent)
{
    if (p->adaptive) {
        *begin = at * p->in[d] / p->out[d];
        *end = ((at + 1) * p->in[d] + p->out[d] - 1) / p->out[d];
        *padded_extent = *end - *begin;
        return;
    }
    int64_t first = at * p->stride[d] - p->padding[d];
    int64_t last = first + (p->kernel[d] - 1) * p->dilation[d] + 1;
    const int64_t limit = p->in[d] + p->padding[d];
    *padded_extent = (last < limit ? last : limit) - first;
    while (first < 0)
        first += p->dilation[d];
    *begin = first;
    *end = last < p->in[d] ? last : p->in[d];
}

/* ---- rules ---- */

static void out_set(ob_rule *rule, int i, ob_dtype dtype, const ob_pool *p)
{
    const ob_tensor *self = rule->args[0].u.tensor;
    const int rank = ob_tensor_rank(self);
    int64_t sizes[OB_MAX_RANK];
    for (int d = 0; d < rank; d++)
        sizes[d] =
            d < rank - p->spatial ? ob_tensor_sizes(self)[d] : p->out[OB_POOL_DIMS - rank + d];
    ob_rule_out(rule, i, dtype, sizes, rank);
}

static ob_status dtype_check(const ob_rule *rule, bool ints)
{
    const ob_dtype dtype = ob_tensor_dtype(rule->args[0].u.tensor);
    const ob_kind kind = ob_dtype_kind(dtype);
    if (dtype == OB_F8E4M3 || !(kind == OB_KIND_FLOAT || (ints && kind == OB_KIND_INT)))
        return OB_FAIL(OB_ERR_DTYPE, "%s: not implemented for %s", rule->op, ob_dtype_name(dtype));
    return OB_OK;
}

static ob_status rule_max(ob_rule *rule, ob_pool_kind kind, int spatial)
{
    ob_pool p;
    OB_TRY(dtype_check(rule, true));
    OB_TRY(ob_pool_read(rule->op, kind, spatial, rule->args, &p));
    out_set(rule, 0, ob_tensor_dtype(rule->args[0].u.tensor), &p);
    out_set(rule, 1, OB_I64, &p);
    return OB_OK;
}

static ob_status rule_average(ob_rule *rule, ob_pool_kind kind, int spatial)
{
    ob_pool p;
    OB_TRY(dtype_check(rule, ob_tensor_dtype(rule->args[0].u.tensor) == OB_I64));
    OB_TRY(ob_pool_read(rule->op, kind, spatial, rule->args, &p));
    out_set(rule, 0, ob_tensor_dtype(rule->args[0].u.tensor), &p);
    return OB_OK;
}

/* clang-format off */
#define POOLS(X)                                                        \
    X(max2,          "max_pool2d_with_indices", max,     MAX,      2)   \
    X(max3,          "max_pool3d_with_indices", max,     MAX,      3)   \
    X(avg2,          "avg_pool2d",              average, AVG,      2)   \
    X(avg3,          "avg_pool3d",              average, AVG,      3)   \
    X(adaptive_max2, "adaptive_max_pool2d",     max,     ADAPTIVE, 2)   \
    X(adaptive_max3, "adaptive_max_pool3d",     max,     ADAPTIVE, 3)   \
    X(adaptive_avg2, "_adaptive_avg_pool2d",    average, ADAPTIVE, 2)   \
    X(adaptive_avg3, "_adaptive_avg_pool3d",    average, ADAPTIVE, 3)
/* clang-format on */

#define OB_X(name, op, value, kind, spatial)                \
    static ob_status rule_##name(ob_rule *rule)             \
    {                                                       \
        return rule_##value(rule, OB_POOL_##kind, spatial); \
    }
POOLS(OB_X)
#undef OB_X

static ob_status install(void)
{
    static const ob_structured_row rows[] = {
#define OB_X(name, op, value, kind, spatial) { op, rule_##name, 0 },
        POOLS(OB_X)
#undef OB_X
    };
    return ob_structured_install(rows, OB_COUNT(rows));
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
