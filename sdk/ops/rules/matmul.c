/* Rules of matrix products: mm, bmm, addmm, baddbmm, mv, addmv, dot. PyTorch:
 * aten/src/ATen/native/LinearAlgebra.cpp, Blas.cpp. All tensors have one dtype; self of the add...
 * forms is broadcast to the product. */
#include <string.h>

#include "core/tensor/shape.h"
#include "dispatch/table/optable.h"
#include "ops/rules/rules.h"

enum { TEXT_BYTES = 256 };

static ob_status check_rank(const ob_rule *rule, int arg, int rank)
{
    const ob_tensor *t = rule->args[arg].u.tensor;
    if (ob_tensor_rank(t) != rank)
        return OB_FAIL(OB_ERR_SHAPE, "%s: %s has %d dims, should have %d", rule->op,
                       rule->schema->args[arg].name, ob_tensor_rank(t), rank);
    return OB_OK;
}

static ob_status check_dtype(const ob_rule *rule, int arg, ob_dtype dtype)
{
    const ob_dtype found = ob_tensor_dtype(rule->args[arg].u.tensor);
    if (found != dtype)
        return OB_FAIL(OB_ERR_DTYPE, "%s: %s is %s, should be %s like the others", rule->op,
                       rule->schema->args[arg].name, ob_dtype_name(found), ob_dtype_name(dtype));
    return OB_OK;
}

/* The product of argument a and the one after it, of these ranks; both may have a leading batch
 * dim. Gives its sizes: batch, rows and columns, those that there are. */
static ob_status product(ob_rule *rule, int a, int a_rank, int b_rank, int64_t *sizes, int *rank)
{
    char left[TEXT_BYTES], right[TEXT_BYTES];
    OB_TRY(check_rank(rule, a, a_rank));
    OB_TRY(check_rank(rule, a + 1, b_rank));
    const ob_tensor *x = rule->args[a].u.tensor, *y = rule->args[a + 1].u.tensor;
    OB_TRY(check_dtype(rule, a + 1, ob_tensor_dtype(x)));
    const int64_t *n = ob_tensor_sizes(x), *m = ob_tensor_sizes(y);
    const bool batched = a_rank == 3;
    if (n[a_rank - 1] != m[batched ? 1 : 0] || (batched && n[0] != m[0]))
        return OB_FAIL(OB_ERR_SHAPE, "%s: %s is %s but %s is %s", rule->op,
                       rule->schema->args[a].name, ob_sizes_format(n, a_rank, left, sizeof left),
                       rule->schema->args[a + 1].name,
                       ob_sizes_format(m, b_rank, right, sizeof right));
    *rank = 0;
    for (int d = 0; d < a_rank - 1; d++)
        sizes[(*rank)++] = n[d];
    if (b_rank > 1) sizes[(*rank)++] = m[b_rank - 1];
    return OB_OK;
}

/* The product alone: arguments 0 and 1. */
static ob_status plain(ob_rule *rule, int a_rank, int b_rank)
{
    int64_t sizes[3];
    int rank = 0;
    OB_TRY(product(rule, 0, a_rank, b_rank, sizes, &rank));
    ob_rule_out(rule, 0, ob_tensor_dtype(rule->args[0].u.tensor), sizes, rank);
    return OB_OK;
}

/* Argument 0 plus the product of arguments 1 and 2. */
static ob_status added(ob_rule *rule, int a_rank, int b_rank)
{
    int64_t sizes[3], full[OB_MAX_RANK];
    char text[TEXT_BYTES], want[TEXT_BYTES];
    int rank = 0;
    OB_TRY(product(rule, 1, a_rank, b_rank, sizes, &rank));
    const ob_tensor *self = rule->args[0].u.tensor;
    OB_TRY(check_dtype(rule, 0, ob_tensor_dtype(rule->args[1].u.tensor)));
    int full_rank = rank;
    memcpy(full, sizes, (size_t)rank * sizeof *sizes);
    OB_TRY(ob_shape_broadcast(rule->op, full, &full_rank, ob_tensor_sizes(self),
                              ob_tensor_rank(self)));
    if (full_rank != rank || memcmp(full, sizes, (size_t)rank * sizeof *sizes) != 0)
        return OB_FAIL(
            OB_ERR_SHAPE, "%s: self is %s, should broadcast to the product's %s", rule->op,
            ob_sizes_format(ob_tensor_sizes(self), ob_tensor_rank(self), text, sizeof text),
            ob_sizes_format(sizes, rank, want, sizeof want));
    ob_rule_out(rule, 0, ob_tensor_dtype(self), sizes, rank);
    return OB_OK;
}

static ob_status mm(ob_rule *rule)
{
    return plain(rule, 2, 2);
}
static ob_status bmm(ob_rule *rule)
{
    return plain(rule, 3, 3);
}
static ob_status mv(ob_rule *rule)
{
    return plain(rule, 2, 1);
}
static ob_status dot(ob_rule *rule)
{
    return plain(rule, 1, 1);
}
static ob_status addmm(ob_rule *rule)
{
    return added(rule, 2, 2);
}
static ob_status baddbmm(ob_rule *rule)
{
    return added(rule, 3, 3);
}
static ob_status addmv(ob_rule *rule)
{
    return added(rule, 2, 1);
}

static ob_status install(void)
{
    static const ob_structured_row rows[] = {
        { "mm", mm, 0 },       { "bmm", bmm, 0 },         { "mv", mv, 0 },       { "dot", dot, 0 },
        { "addmm", addmm, 0 }, { "baddbmm", baddbmm, 0 }, { "addmv", addmv, 0 },
    };
    return ob_structured_install(rows, OB_COUNT(rows));
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_RULES, install);
}
