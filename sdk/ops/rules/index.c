/* Shape rules of ops that pick or place elements by indices: index.Tensor, gather, index_select,
 * embedding, scatter, index_put ... Indices are checked for their dtype here and for their values
 * by the kernels. PyTorch: the meta functions of aten/src/ATen/native/TensorAdvancedIndexing.cpp.
 */
#include "core/tensor/shape.h"
#include "dispatch/table/optable.h"
#include "ops/rules/index_shape.h"
#include "ops/rules/rules.h"

static ob_status check_index(const ob_rule *rule, const ob_tensor *index)
{
    const ob_dtype dtype = ob_tensor_dtype(index);
    if (dtype == OB_I64 || dtype == OB_I32 || ob_tensor_numel(index) == 0) return OB_OK;
    return OB_FAIL(OB_ERR_DTYPE, "%s: the index is %s, it must be int64 or int32", rule->op,
                   ob_dtype_name(dtype));
}

/* Extent of dim d; a 0-d tensor counts as [1]. */
static int64_t extent(const ob_tensor *t, int d)
{
    return ob_tensor_rank(t) == 0 ? 1 : ob_tensor_sizes(t)[d];
}

static int rank1(const ob_tensor *t)
{
    return ob_tensor_rank(t) == 0 ? 1 : ob_tensor_rank(t);
}

/* index may not reach over `limit` in any dim but `dim`; -1: in any dim. */
static ob_status check_reach(const ob_rule *rule, const ob_tensor *index, const ob_tensor *limit,
                             int dim)
{
    if (ob_tensor_numel(index) == 0) return OB_OK;
    if (rank1(index) != rank1(limit))
        return OB_FAIL(OB_ERR_SHAPE,
                       "%s: the index has %d dims, the tensor it indexes %d; they "
                       "must be as many",
                       rule->op, ob_tensor_rank(index), ob_tensor_rank(limit));
    for (int d = 0; d < rank1(index); d++)
        if (d != dim && extent(index, d) > extent(limit, d))
            return OB_FAIL(OB_ERR_SHAPE,
                           "%s: dim %d of the index has %lld, over the %lld there are", rule->op, d,
                           (long long)extent(index, d), (long long)extent(limit, d));
    return OB_OK;
}

/* gather(self, dim, index, sparse_grad) */
static ob_status gather(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor, *index = rule->args[2].u.tensor;
    int dim = 0;
    OB_TRY(ob_shape_wrap_dim(rule->op, rule->args[1].u.i, ob_tensor_rank(self), &dim));
    OB_TRY(check_index(rule, index));
    OB_TRY(check_reach(rule, index, self, dim));
    ob_rule_out(rule, 0, ob_tensor_dtype(self), ob_tensor_sizes(index), ob_tensor_rank(index));
    return OB_OK;
}

/* index_select(self, dim, index) */
static ob_status index_select(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor, *index = rule->args[2].u.tensor;
    int dim = 0;
    OB_TRY(ob_shape_wrap_dim(rule->op, rule->args[1].u.i, ob_tensor_rank(self), &dim));
    OB_TRY(check_index(rule, index));
    if (ob_tensor_rank(index) > 1 || (ob_tensor_rank(self) == 0 && ob_tensor_numel(index) != 1))
        return OB_FAIL(OB_ERR_SHAPE, "%s: the index has %d dims, it must have at most one",
                       rule->op, ob_tensor_rank(index));
    ob_rule_out(rule, 0, ob_tensor_dtype(self), ob_tensor_sizes(self), ob_tensor_rank(self));
    if (ob_tensor_rank(self) > 0) rule->outs[0].sizes[dim] = ob_tensor_numel(index);
    return OB_OK;
}

/* embedding(weight, indices, ...) */
static ob_status embedding(ob_rule *rule)
{
    const ob_tensor *weight = rule->args[0].u.tensor, *index = rule->args[1].u.tensor;
    const int rank = ob_tensor_rank(index);
    OB_TRY(check_index(rule, index));
    if (ob_tensor_rank(weight) != 2 || rank + 1 > OB_MAX_RANK)
        return OB_FAIL(OB_ERR_SHAPE, "%s: weight has %d dims, it must have 2", rule->op,
                       ob_tensor_rank(weight));
    ob_rule_out(rule, 0, ob_tensor_dtype(weight), ob_tensor_sizes(index), rank);
    rule->outs[0].sizes[rank] = ob_tensor_sizes(weight)[1];
    rule->outs[0].rank = rank + 1;
    return OB_OK;
}

/* index.Tensor(self, indices). Masks are another kernel's: see sdk/ops/create/masks.c. */
static ob_status index_tensor(ob_rule *rule)
{
    ob_index_shape shape;
    const ob_tensor *self = rule->args[0].u.tensor;
    const ob_tensors indices = { rule->args[1].u.tensors, rule->args[1].count };
    if (ob_index_has_mask(indices)) return OB_ERR_DECLINED;
    OB_TRY(ob_index_shape_of(rule->op, self, indices, &shape));
    ob_rule_out(rule, 0, ob_tensor_dtype(self), shape.sizes, shape.rank);
    return OB_OK;
}

/* _index_put_impl_(self, indices, values, accumulate, unsafe) */
static ob_status index_put(ob_rule *rule)
{
    ob_index_shape shape;
    const ob_tensor *self = rule->args[0].u.tensor, *values = rule->args[2].u.tensor;
    const ob_tensors indices = { rule->args[1].u.tensors, rule->args[1].count };
    if (ob_index_has_mask(indices)) return OB_ERR_DECLINED;
    OB_TRY(ob_index_shape_of(rule->op, self, indices, &shape));
    if (ob_tensor_dtype(values) != ob_tensor_dtype(self))
        return OB_FAIL(OB_ERR_DTYPE, "%s: self is %s and values %s; they must be the same",
                       rule->op, ob_dtype_name(ob_tensor_dtype(self)),
                       ob_dtype_name(ob_tensor_dtype(values)));
    int64_t sizes[OB_MAX_RANK];
    int rank = shape.rank;
    for (int d = 0; d < rank; d++)
        sizes[d] = shape.sizes[d];
    OB_TRY(ob_shape_broadcast(rule->op, sizes, &rank, ob_tensor_sizes(values),
                              ob_tensor_rank(values)));
    for (int d = 0; d < rank; d++)
        if (rank != shape.rank || sizes[d] != shape.sizes[d])
            return OB_FAIL(OB_ERR_SHAPE,
                           "%s: values of %d dims do not broadcast to the %d dims "
                           "that the indices pick",
                           rule->op, ob_tensor_rank(values), shape.rank);
    ob_rule_out_like(rule, 0, self, ob_tensor_dtype(self));
    return OB_OK;
}

/* scatter*(self, dim, index, src or value, ...) */
static ob_status scatter(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor, *index = rule->args[2].u.tensor;
    int dim = 0;
    OB_TRY(ob_shape_wrap_dim(rule->op, rule->args[1].u.i, ob_tensor_rank(self), &dim));
    OB_TRY(check_index(rule, index));
    OB_TRY(check_reach(rule, index, self, dim));
    if (rule->args[3].tag == OB_VALUE_TENSOR) {
        const ob_tensor *src = rule->args[3].u.tensor;
        OB_TRY(check_reach(rule, index, src, -1));
        if (ob_tensor_dtype(src) != ob_tensor_dtype(self))
            return OB_FAIL(OB_ERR_DTYPE, "%s: self is %s and src %s; they must be the same",
                           rule->op, ob_dtype_name(ob_tensor_dtype(self)),
                           ob_dtype_name(ob_tensor_dtype(src)));
    }
    ob_rule_out_like(rule, 0, self, ob_tensor_dtype(self));
    return OB_OK;
}

/* index_add(self, dim, index, source, alpha), index_copy(self, dim, index, source) */
static ob_status index_slices(ob_rule *rule)
{
    const ob_tensor *self = rule->args[0].u.tensor, *index = rule->args[2].u.tensor;
    const ob_tensor *source = rule->args[3].u.tensor;
    int dim = 0;
    OB_TRY(ob_shape_wrap_dim(rule->op, rule->args[1].u.i, ob_tensor_rank(self), &dim));
    OB_TRY(check_index(rule, index));
    bool fits = ob_tensor_rank(index) <= 1 && rank1(source) == rank1(self);
    for (int d = 0; fits && d < rank1(self); d++)
        fits = extent(source, d) == (d == dim ? ob_tensor_numel(index) : extent(self, d));
    if (!fits)
        return OB_FAIL(OB_ERR_SHAPE,
                       "%s: source must have self's sizes, and %lld in dim %d, one "
                       "per index",
                       rule->op, (long long)ob_tensor_numel(index), dim);
    if (ob_tensor_dtype(source) != ob_tensor_dtype(self))
        return OB_FAIL(OB_ERR_DTYPE, "%s: self is %s and source %s; they must be the same",
                       rule->op, ob_dtype_name(ob_tensor_dtype(self)),
                       ob_dtype_name(ob_tensor_dtype(source)));
    ob_rule_out_like(rule, 0, self, ob_tensor_dtype(self));
    return OB_OK;
}

static ob_status install(void)
{
    static const ob_structured_row rows[] = {
        { "gather", gather, 0 },
        { "index_select", index_select, 0 },
        { "embedding", embedding, 0 },
        { "index.Tensor", index_tensor, 0 },
        { "_index_put_impl", index_put, OB_STRUCTURED_ALIAS_OK },
        { "index_add", index_slices, OB_STRUCTURED_ALIAS_OK },
        { "index_copy", index_slices, OB_STRUCTURED_ALIAS_OK },
        { "scatter.src", scatter, OB_STRUCTURED_ALIAS_OK },
        { "scatter.value", scatter, OB_STRUCTURED_ALIAS_OK },
        { "scatter.reduce", scatter, OB_STRUCTURED_ALIAS_OK },
        { "scatter.value_reduce", scatter, OB_STRUCTURED_ALIAS_OK },
        { "scatter_add", scatter, OB_STRUCTURED_ALIAS_OK },
        { "scatter_reduce.two", scatter, OB_STRUCTURED_ALIAS_OK },
    };
    return ob_structured_install(rows, OB_COUNT(rows));
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
