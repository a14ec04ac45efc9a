/* Rules of normalisations: batch, layer and group norm. PyTorch:
 * aten/src/ATen/native/Normalization.cpp, layer_norm.cpp, group_norm.cpp.
 * Results are the output, like input; the mean; and 1 / sqrt(variance + eps). */
#include "dispatch/table/optable.h"
#include "ops/rules/rules.h"

enum { TEXT_BYTES = 256 };

static const ob_tensor *tensor_arg(const ob_rule *rule, const char *name)
{
    const int i = ob_schema_arg(rule->schema, name);
    const bool given = i >= 0 && rule->args[i].tag == OB_VALUE_TENSOR;
    return given ? rule->args[i].u.tensor : NULL;
}

/* The dtype of the statistics: that of the input, or of its parameters when they are wider. */
static ob_dtype statistics_dtype(const ob_rule *rule)
{
    const ob_tensor *input = rule->args[0].u.tensor;
    const ob_tensor *weight = tensor_arg(rule, "weight"), *bias = tensor_arg(rule, "bias");
    const ob_tensor *parameter = weight ? weight : bias ? bias : input;
    return ob_tensor_dtype(parameter);
}

/* A tensor argument that is given has this many elements. */
static ob_status check_numel(const ob_rule *rule, const char *name, int64_t numel)
{
    const ob_tensor *t = tensor_arg(rule, name);
    if (t && ob_tensor_numel(t) != numel)
        return OB_FAIL(OB_ERR_SHAPE, "%s: %s has %lld elements, should have %lld", rule->op, name,
                       (long long)ob_tensor_numel(t), (long long)numel);
    return OB_OK;
}

static ob_status check_float(const ob_rule *rule)
{
    const ob_dtype dtype = ob_tensor_dtype(rule->args[0].u.tensor);
    if (ob_dtype_kind(dtype) != OB_KIND_FLOAT)
        return OB_FAIL(OB_ERR_DTYPE, "%s: input is %s, should be a float dtype", rule->op,
                       ob_dtype_name(dtype));
    return OB_OK;
}

/* input: [N, C, ...]; statistics: [C], or [0] when they are not computed */
static ob_status batch_norm(ob_rule *rule)
{
    static const char *const per_channel[] = { "weight", "bias", "running_mean", "running_var" };
    const ob_tensor *input = rule->args[0].u.tensor;
    OB_TRY(check_float(rule));
    if (ob_tensor_rank(input) < 2)
        return OB_FAIL(OB_ERR_SHAPE, "%s: input has %d dims, should have 2 or more", rule->op,
                       ob_tensor_rank(input));
    for (size_t i = 0; i < OB_COUNT(per_channel); i++)
        OB_TRY(check_numel(rule, per_channel[i], ob_tensor_size(input, 1)));
    const int training = ob_schema_arg(rule->schema, "training");
    const bool computes = training >= 0 && rule->args[training].u.b;
    if (!computes && (!tensor_arg(rule, "running_mean") || !tensor_arg(rule, "running_var")))
        return OB_FAIL(OB_ERR_ARG, "%s: running_mean and running_var are needed when not training",
                       rule->op);
    const int64_t channels[1] = { computes ? ob_tensor_size(input, 1) : 0 };
    ob_rule_out_like(rule, 0, input, ob_tensor_dtype(input));
    ob_rule_out(rule, 1, statistics_dtype(rule), channels, 1);
    ob_rule_out(rule, 2, statistics_dtype(rule), channels, 1);
    return OB_OK;
}

/* (input, normalized_shape, weight, bias, eps); statistics: input's sizes, normalised dims 1 */
static ob_status layer_norm(ob_rule *rule)
{
    const ob_tensor *input = rule->args[0].u.tensor;
    const ob_value *shape = &rule->args[1];
    const int rank = ob_tensor_rank(input), outer = rank - (int)shape->count;
    const int64_t *sizes = ob_tensor_sizes(input);
    int64_t kept[OB_MAX_RANK], numel = 1;
    char have[TEXT_BYTES], want[TEXT_BYTES];
    OB_TRY(check_float(rule));
    bool fits = shape->count > 0 && outer >= 0;
    for (int d = outer; fits && d < rank; d++)
        fits = sizes[d] == shape->u.ints[d - outer];
    if (!fits)
        return OB_FAIL(OB_ERR_SHAPE, "%s: input is %s, should end in normalized_shape %s", rule->op,
                       ob_sizes_format(sizes, rank, have, sizeof have),
                       ob_sizes_format(shape->u.ints, (int)shape->count, want, sizeof want));
    for (int d = 0; d < rank; d++)
        kept[d] = d < outer ? sizes[d] : 1;
    for (int d = outer; d < rank; d++)
        numel *= sizes[d];
    OB_TRY(check_numel(rule, "weight", numel));
    OB_TRY(check_numel(rule, "bias", numel));
    ob_rule_out(rule, 0, ob_tensor_dtype(input), sizes, rank);
    ob_rule_out(rule, 1, statistics_dtype(rule), kept, rank);
    ob_rule_out(rule, 2, statistics_dtype(rule), kept, rank);
    return OB_OK;
}

/* (input, weight, bias, N, C, HxW, group, eps); statistics: [N, group] */
static ob_status group_norm(ob_rule *rule)
{
    const ob_tensor *input = rule->args[0].u.tensor;
    const int64_t n = rule->args[3].u.i, c = rule->args[4].u.i, area = rule->args[5].u.i;
    const int64_t groups = rule->args[6].u.i;
    OB_TRY(check_float(rule));
    if (n < 0 || groups < 1 || c < 0 || c % groups != 0)
        return OB_FAIL(OB_ERR_ARG, "%s: %lld channels should be a multiple of %lld groups",
                       rule->op, (long long)c, (long long)groups);
    const int rank = ob_tensor_rank(input);
    if (rank < 2 || ob_tensor_size(input, 0) != n || ob_tensor_size(input, 1) != c ||
        (n * c > 0 && ob_tensor_numel(input) / (n * c) != area))
        return OB_FAIL(OB_ERR_SHAPE,
                       "%s: input of %lld elements should be [N, C, ...] with N %lld, "
                       "C %lld, HxW %lld",
                       rule->op, (long long)ob_tensor_numel(input), (long long)n, (long long)c,
                       (long long)area);
    OB_TRY(check_numel(rule, "weight", c));
    OB_TRY(check_numel(rule, "bias", c));
    const int64_t statistics[2] = { n, groups };
    ob_rule_out(rule, 0, ob_tensor_dtype(input), ob_tensor_sizes(input), rank);
    ob_rule_out(rule, 1, statistics_dtype(rule), statistics, 2);
    ob_rule_out(rule, 2, statistics_dtype(rule), statistics, 2);
    return OB_OK;
}

static ob_status install(void)
{
    static const ob_structured_row rows[] = {
        { "native_batch_norm", batch_norm, 0 },
        { "_native_batch_norm_legit", batch_norm, 0 },
        { "_native_batch_norm_legit.no_stats", batch_norm, 0 },
        { "_native_batch_norm_legit_no_training", batch_norm, 0 },
        { "native_layer_norm", layer_norm, 0 },
        { "native_group_norm", group_norm, 0 },
    };
    return ob_structured_install(rows, OB_COUNT(rows));
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
