/* Losses as formulas. PyTorch: aten/src/ATen/native/Loss.cpp, LossNLL.cpp. reduction: 0 none, 1
 * mean, 2 sum */
#include "ops/composites/look.h"

enum { MEAN = 1, SUM = 2 };

static ob_tensor *reduced(ob_scope *s, ob_tensor *loss, int64_t reduction)
{
    if (reduction == MEAN) return ob_mean(s, loss);
    return reduction == SUM ? ob_sum(s, loss) : loss;
}

/* |x - y| */
ob_tensor *composite_l1_loss(ob_scope *s, ob_tensor *self, ob_tensor *target, int64_t reduction)
{
    return reduced(s, ob_abs(s, ob_sub(s, self, target)), reduction);
}

/* (x - y)^2 */
ob_tensor *composite_mse_loss(ob_scope *s, ob_tensor *self, ob_tensor *target, int64_t reduction)
{
    ob_tensor *d = ob_sub(s, self, target);
    return reduced(s, ob_mul(s, d, d), reduction);
}

/* d = |x - y|: d < beta ? d^2 / (2 beta) : d - beta / 2 */
ob_tensor *composite_smooth_l1_loss(ob_scope *s, ob_tensor *self, ob_tensor *target,
                                    int64_t reduction, double beta)
{
    if (beta < 0)
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG, "smooth_l1_loss: beta is %g, must be 0 or more", beta));
    if (beta == 0) return ob_l1_loss(s, self, target, reduction);
    ob_tensor *d = ob_abs(s, ob_sub(s, self, target));
    ob_tensor *near = ob_mul_scalar(s, ob_mul(s, d, d), ob_double(0.5 / beta));
    ob_tensor *far = ob_sub_scalar(s, d, ob_double(0.5 * beta));
    return reduced(s, ob_where(s, ob_lt_scalar(s, d, ob_double(beta)), near, far), reduction);
}

/* d = |x - y|: d <= delta ? d^2 / 2 : delta (d - delta / 2) */
ob_tensor *composite_huber_loss(ob_scope *s, ob_tensor *self, ob_tensor *target, int64_t reduction,
                                double delta)
{
    if (!(delta > 0))
        return ob_scope_fail(s,
                             OB_FAIL(OB_ERR_ARG, "huber_loss: delta is %g, must be over 0", delta));
    if (self && target && kind_of(self) < OB_KIND_FLOAT && kind_of(target) >= OB_KIND_FLOAT)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_DTYPE, "huber_loss: self is %s, target is %s",
                                        ob_dtype_name(dtype_of(self)),
                                        ob_dtype_name(dtype_of(target))));
    ob_tensor *far_from = ob_sub(s, self, target);
    const ob_dtype own = far_from ? dtype_of(far_from) : OB_F32;
    const bool half = own == OB_F16 || own == OB_BF16; /* rounded once, at the end */
    ob_tensor *d = ob_abs(s, half ? ob_to_dtype(s, far_from, OB_F32) : far_from);
    ob_tensor *near = ob_mul_scalar(s, ob_mul(s, d, d), ob_double(0.5));
    ob_tensor *far =
        ob_mul_scalar(s, ob_sub_scalar(s, d, ob_double(0.5 * delta)), ob_double(delta));
    ob_tensor *loss = ob_where(s, ob_le_scalar(s, d, ob_double(delta)), near, far);
    return reduced(s, half ? ob_to_dtype(s, loss, own) : loss, reduction);
}

/* -w_t x_t, where t is the target class; targets equal to ignore_index count for nothing.
 * x: [C], [N, C] or [N, C, ...]   target: the same without C */
struct ob_nll_loss_forward_result composite_nll_loss_forward(ob_scope *s, ob_tensor *self,
                                                             ob_tensor *target, ob_tensor *weight,
                                                             int64_t reduction,
                                                             int64_t ignore_index)
{
    const int64_t classes = rank_of(self) == 1 ? 0 : 1;
    ob_tensor *seen = ob_ne_scalar(s, target, ob_int(ignore_index));
    ob_tensor *safe = ob_where_scalarother(s, seen, target, ob_int(0));
    ob_tensor *picked =
        ob_squeeze_dim(s, ob_gather(s, self, classes, ob_unsqueeze(s, safe, classes)), classes);
    ob_tensor *w =
        weight ? ob_reshape(s, ob_index_select(s, weight, 0, ob_flatten(s, safe)), sizes_of(target))
               : ob_ones_like(s, picked);
    w = ob_mul(s, w, ob_to_dtype(s, seen, dtype_of(self)));
    ob_tensor *loss = ob_neg(s, ob_mul(s, picked, w));
    const bool summed = reduction == MEAN || reduction == SUM;
    ob_tensor *total = summed ? ob_sum(s, w) : ob_new_zeros(s, self, (ob_ints){ NULL, 0 });
    if (reduction == MEAN) loss = ob_div(s, ob_sum(s, loss), total);
    if (reduction == SUM) loss = ob_sum(s, loss);
    return (struct ob_nll_loss_forward_result){ loss, total };
}

struct ob_nll_loss2d_forward_result
composite_nll_loss2d_forward(ob_scope *s, ob_tensor *self, ob_tensor *target, ob_tensor *weight,
                             int64_t reduction, int64_t ignore_index)
{
    const struct ob_nll_loss_forward_result r =
        composite_nll_loss_forward(s, self, target, weight, reduction, ignore_index);
    return (struct ob_nll_loss2d_forward_result){ r.output, r.total_weight };
}

ob_tensor *composite_nll_loss(ob_scope *s, ob_tensor *self, ob_tensor *target, ob_tensor *weight,
                              int64_t reduction, int64_t ignore_index)
{
    return ob_nll_loss_forward(s, self, target, weight, reduction, ignore_index).output;
}

ob_tensor *composite_nll_loss2d(ob_scope *s, ob_tensor *self, ob_tensor *target, ob_tensor *weight,
                                int64_t reduction, int64_t ignore_index)
{
    return ob_nll_loss2d_forward(s, self, target, weight, reduction, ignore_index).output;
}

ob_tensor *composite_nll_loss_nd(ob_scope *s, ob_tensor *self, ob_tensor *target, ob_tensor *weight,
                                 int64_t reduction, int64_t ignore_index)
{
    if (rank_of(self) <= 2) return ob_nll_loss(s, self, target, weight, reduction, ignore_index);
    return ob_nll_loss2d(s, self, target, weight, reduction, ignore_index);
}

/* A weight per class along dim `classes` of x. */
static ob_tensor *per_class(ob_scope *s, ob_tensor *weight, const ob_tensor *x, int64_t classes)
{
    int64_t sizes[OB_MAX_RANK];
    for (int i = 0; i < rank_of(x); i++)
        sizes[i] = i == classes ? -1 : 1;
    return ob_reshape(s, weight, (ob_ints){ sizes, rank_of(x) });
}

/* The target is a distribution: -sum_c w_c y_c log p_c, with y smoothed towards 1 / C. */
static ob_tensor *cross_entropy_of_probabilities(ob_scope *s, ob_tensor *log_p, ob_tensor *target,
                                                 ob_tensor *weight, int64_t reduction,
                                                 double smoothing)
{
    const int64_t classes = rank_of(log_p) == 1 ? 0 : 1, n = extent(log_p, classes);
    if (smoothing > 0)
        target = ob_add_scalar(s, ob_mul_scalar(s, target, ob_double(1 - smoothing)),
                               ob_double(smoothing / (double)n));
    ob_tensor *terms = ob_mul(s, log_p, target);
    if (weight) terms = ob_mul(s, terms, per_class(s, weight, log_p, classes));
    ob_tensor *loss = ob_neg(s, ob_sum_dim(s, terms, OB_SOME_INTS(classes)));
    const double samples = (double)numel_of(log_p) / (double)(n > 0 ? n : 1);
    return reduction == MEAN ? ob_div_scalar(s, ob_sum(s, loss), ob_double(samples))
                             : reduced(s, loss, reduction);
}

/* The target is a class and smoothing > 0: (1 - e) nll + e / C times the sum over all classes. */
static ob_tensor *smoothed(ob_scope *s, ob_tensor *log_p, ob_tensor *target, ob_tensor *weight,
                           int64_t reduction, int64_t ignore_index, double smoothing)
{
    const int64_t classes = rank_of(log_p) == 1 ? 0 : 1;
    ob_tensor *nll = ob_nll_loss_nd(s, log_p, target, weight, reduction, ignore_index);
    ob_tensor *terms = weight ? ob_mul(s, log_p, per_class(s, weight, log_p, classes)) : log_p;
    ob_tensor *seen = ob_ne_scalar(s, target, ob_int(ignore_index));
    ob_tensor *sums = ob_neg(s, ob_sum_dim(s, terms, OB_SOME_INTS(classes)));
    sums = ob_mul(s, sums, ob_to_dtype(s, seen, dtype_of(log_p)));
    ob_tensor *total = reduced(s, sums, reduction == MEAN ? SUM : reduction);
    if (reduction == MEAN) {
        ob_tensor *weights =
            weight ? ob_nll_loss_forward(s, log_p, target, weight, reduction, ignore_index)
                         .total_weight
                   : ob_sum(s, seen);
        total = ob_div(s, total, weights);
    }
    const double share = smoothing / (double)extent(log_p, classes);
    return ob_add(s, ob_mul_scalar(s, nll, ob_double(1 - smoothing)),
                  ob_mul_scalar(s, total, ob_double(share)));
}

ob_tensor *composite_cross_entropy_loss(ob_scope *s, ob_tensor *self, ob_tensor *target,
                                        ob_tensor *weight, int64_t reduction, int64_t ignore_index,
                                        double label_smoothing)
{
    ob_tensor *log_p = ob_log_softmax(s, self, rank_of(self) == 1 ? 0 : 1, dtype_of(self));
    const bool probabilities = self && target && rank_of(self) == rank_of(target) &&
                               memcmp(ob_tensor_sizes(self), ob_tensor_sizes(target),
                                      (size_t)rank_of(self) * sizeof(int64_t)) == 0;
    if (probabilities)
        return cross_entropy_of_probabilities(s, log_p, target, weight, reduction, label_smoothing);
    if (label_smoothing > 0)
        return smoothed(s, log_p, target, weight, reduction, ignore_index, label_smoothing);
    return ob_nll_loss_nd(s, log_p, target, weight, reduction, ignore_index);
}

/* -w (y log p + (1 - y) log(1 - p)), logarithms no lower than -100 */
ob_tensor *composite_binary_cross_entropy(ob_scope *s, ob_tensor *self, ob_tensor *target,
                                          ob_tensor *weight, int64_t reduction)
{
    if (self && target && dtype_of(self) != dtype_of(target))
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_DTYPE, "binary_cross_entropy: self is %s, target is %s",
                       ob_dtype_name(dtype_of(self)), ob_dtype_name(dtype_of(target))));
    ob_tensor *fits =
        ob_logical_and(s, ob_ge_scalar(s, self, ob_int(0)), ob_le_scalar(s, self, ob_int(1)));
    if (self && !ob_tensor_is_meta(self) && ob_scalar_int(ob_item(s, ob_all(s, fits))) == 0)
        return ob_scope_fail(s, OB_FAIL(OB_ERR_ARG, "binary_cross_entropy: all elements of the "
                                                    "input must be between 0 and 1"));
    ob_tensor *one_less = ob_clamp_min(s, ob_log1p(s, ob_neg(s, self)), ob_int(-100));
    ob_tensor *log_p = ob_clamp_min(s, ob_log(s, self), ob_int(-100));
    ob_tensor *a = ob_mul(s, ob_sub_scalar(s, target, ob_int(1)), one_less);
    ob_tensor *loss = ob_sub(s, a, ob_mul(s, target, log_p));
    return reduced(s, weight ? ob_mul(s, loss, weight) : loss, reduction);
}

/* (1 - y) x - (1 + (pos - 1) y) log sigmoid(x) */
ob_tensor *composite_binary_cross_entropy_with_logits(ob_scope *s, ob_tensor *self,
                                                      ob_tensor *target, ob_tensor *weight,
                                                      ob_tensor *pos_weight, int64_t reduction)
{
    self = ob_expand(s, self, target ? sizes_of(target) : sizes_of(self));
    ob_tensor *tail = ob_log_sigmoid(s, self);
    if (pos_weight)
        tail = ob_mul(s, tail,
                      ob_add_scalar(s, ob_mul(s, ob_sub_scalar(s, pos_weight, ob_int(1)), target),
                                    ob_int(1)));
    ob_tensor *loss = ob_sub(s, ob_mul(s, ob_rsub_scalar(s, target, ob_int(1)), self), tail);
    return reduced(s, weight ? ob_mul(s, loss, weight) : loss, reduction);
}

/* y (log y - x), or exp(y) (y - x) for log targets */
ob_tensor *composite_kl_div(ob_scope *s, ob_tensor *self, ob_tensor *target, int64_t reduction,
                            bool log_target)
{
    if (self && target && (kind_of(self) < OB_KIND_FLOAT || kind_of(target) < OB_KIND_FLOAT))
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_DTYPE, "kl_div: self is %s, target is %s; not floats",
                       ob_dtype_name(dtype_of(self)), ob_dtype_name(dtype_of(target))));
    ob_tensor *loss = log_target ? ob_mul(s, ob_exp(s, target), ob_sub(s, target, self))
                                 : ob_sub(s, ob_xlogy(s, target, target), ob_mul(s, target, self));
    return reduced(s, loss, reduction);
}
