/* Gradients of losses, and the losses that are rarer. PyTorch: aten/src/ATen/native/Loss.cpp,
 * LossNLL.cpp, LossMultiMargin.cpp. reduction: 0 none, 1 mean, 2 sum */
#include "ops/composites/look.h"

enum { MEAN = 1, SUM = 2 };

static ob_tensor *reduced(ob_scope *s, ob_tensor *loss, int64_t reduction)
{
    if (reduction == MEAN) return ob_mean(s, loss);
    return reduction == SUM ? ob_sum(s, loss) : loss;
}

/* slope * grad, and the mean's share */
static ob_tensor *chained(ob_scope *s, ob_tensor *slope, ob_tensor *grad, int64_t reduction)
{
    ob_tensor *r = ob_mul(s, slope, grad);
    const double n = (double)numel_of(slope);
    return reduction == MEAN ? ob_mul_scalar(s, r, ob_double(1 / n)) : r;
}

/* 2 (x - y) */
ob_tensor *composite_mse_loss_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self,
                                       ob_tensor *target, int64_t reduction)
{
    ob_tensor *slope = ob_mul_scalar(s, ob_sub(s, self, target), ob_int(2));
    return chained(s, slope, grad_output, reduction);
}

/* (x - y) / beta within beta of 0, else the sign */
ob_tensor *composite_smooth_l1_loss_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self,
                                             ob_tensor *target, int64_t reduction, double beta)
{
    ob_tensor *d = ob_sub(s, self, target), *slope = ob_sign(s, d);
    if (beta > 0)
        slope = ob_where(s, ob_lt_scalar(s, ob_abs(s, d), ob_double(beta)),
                         ob_div_scalar(s, d, ob_double(beta)), slope);
    return chained(s, slope, grad_output, reduction);
}

/* (x - y) clamped to [-delta, delta] */
ob_tensor *composite_huber_loss_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self,
                                         ob_tensor *target, int64_t reduction, double delta)
{
    ob_tensor *slope = ob_clamp(s, ob_sub(s, self, target), ob_double(-delta), ob_double(delta));
    return chained(s, slope, grad_output, reduction);
}

/* w (x - y) / max(x (1 - x), 1e-12) */
ob_tensor *composite_binary_cross_entropy_backward(ob_scope *s, ob_tensor *grad_output,
                                                   ob_tensor *self, ob_tensor *target,
                                                   ob_tensor *weight, int64_t reduction)
{
    ob_tensor *spread = ob_mul(s, ob_rsub_scalar(s, self, ob_int(1)), self);
    ob_tensor *slope = ob_div(s, ob_mul(s, grad_output, ob_sub(s, self, target)),
                              ob_clamp_min(s, spread, ob_double(1e-12)));
    if (weight) slope = ob_mul(s, slope, weight);
    const double n = (double)numel_of(self);
    return reduction == MEAN ? ob_div_scalar(s, slope, ob_double(n)) : slope;
}

/* log(1 + exp(-y x)) */
ob_tensor *composite_soft_margin_loss(ob_scope *s, ob_tensor *self, ob_tensor *target,
                                      int64_t reduction)
{
    ob_tensor *loss = ob_log1p(s, ob_exp(s, ob_mul(s, ob_neg(s, target), self)));
    return reduced(s, loss, reduction);
}

/* -y z / (1 + z), z = exp(-y x) */
ob_tensor *composite_soft_margin_loss_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self,
                                               ob_tensor *target, int64_t reduction)
{
    ob_tensor *z = ob_exp(s, ob_mul(s, ob_neg(s, target), self));
    ob_tensor *slope = ob_div(s, ob_mul(s, ob_neg(s, target), z), ob_add_scalar(s, z, ob_int(1)));
    return chained(s, slope, grad_output, reduction);
}

/* -w_t grad at the target class, 0 elsewhere; the mean is over the weights seen */
ob_tensor *composite_nll_loss_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self,
                                       ob_tensor *target, ob_tensor *weight, int64_t reduction,
                                       int64_t ignore_index, ob_tensor *total_weight)
{
    const int64_t classes = rank_of(self) == 1 ? 0 : 1;
    ob_tensor *seen = ob_ne_scalar(s, target, ob_int(ignore_index));
    ob_tensor *safe = ob_where_scalarother(s, seen, target, ob_int(0));
    ob_tensor *slope = ob_neg(s, grad_output);
    if (reduction == MEAN) slope = ob_div(s, slope, total_weight);
    if (weight)
        slope = ob_mul(
            s, slope,
            ob_reshape(s, ob_index_select(s, weight, 0, ob_flatten(s, safe)), sizes_of(target)));
    slope = ob_where_scalarother(s, seen, slope, ob_int(0));
    return ob_scatter(s, ob_zeros_like(s, self), classes, ob_unsqueeze(s, safe, classes),
                      as_dtype(s, ob_unsqueeze(s, slope, classes), dtype_of(self)));
}

ob_tensor *composite_nll_loss2d_backward(ob_scope *s, ob_tensor *grad_output, ob_tensor *self,
                                         ob_tensor *target, ob_tensor *weight, int64_t reduction,
                                         int64_t ignore_index, ob_tensor *total_weight)
{
    return composite_nll_loss_backward(s, grad_output, self, target, weight, reduction,
                                       ignore_index, total_weight);
}

/* ---- losses of pairs and triples */

/* max(0, -y (a - b) + margin) */
ob_tensor *composite_margin_ranking_loss(ob_scope *s, ob_tensor *input1, ob_tensor *input2,
                                         ob_tensor *target, double margin, int64_t reduction)
{
    ob_tensor *gap = ob_mul(s, ob_neg(s, target), ob_sub(s, input1, input2));
    return reduced(s, ob_clamp_min(s, ob_add_scalar(s, gap, ob_double(margin)), ob_int(0)),
                   reduction);
}

/* x where y is 1, max(0, margin - x) where it is -1 */
ob_tensor *composite_hinge_embedding_loss(ob_scope *s, ob_tensor *self, ob_tensor *target,
                                          double margin, int64_t reduction)
{
    ob_tensor *zero = ob_zeros_like(s, self);
    ob_tensor *far = ob_clamp_min(s, ob_rsub_scalar(s, self, ob_double(margin)), ob_int(0));
    ob_tensor *loss = ob_add(s, ob_where(s, ob_ne_scalar(s, target, ob_int(1)), far, zero),
                             ob_where(s, ob_ne_scalar(s, target, ob_int(-1)), self, zero));
    return reduced(s, loss, reduction);
}

/* 1 - cos(a, b) where y is 1, max(0, cos - margin) where it is -1 */
ob_tensor *composite_cosine_embedding_loss(ob_scope *s, ob_tensor *input1, ob_tensor *input2,
                                           ob_tensor *target, double margin, int64_t reduction)
{
    const int64_t dim = rank_of(target);
    const ob_opt_ints over = { &dim, 1, true };
    ob_tensor *dot = ob_sum_dim(s, ob_mul(s, input1, input2), over);
    ob_tensor *a =
        ob_add_scalar(s, ob_sum_dim(s, ob_mul(s, input1, input1), over), ob_double(1e-12));
    ob_tensor *b =
        ob_add_scalar(s, ob_sum_dim(s, ob_mul(s, input2, input2), over), ob_double(1e-12));
    ob_tensor *cosine = ob_div(s, dot, ob_sqrt(s, ob_mul(s, a, b)));
    ob_tensor *zero = ob_zeros_like(s, cosine), *near = ob_rsub_scalar(s, cosine, ob_int(1));
    ob_tensor *far = ob_clamp_min(s, ob_sub_scalar(s, cosine, ob_double(margin)), ob_int(0));
    ob_tensor *loss = ob_add(s, ob_where(s, ob_eq_scalar(s, target, ob_int(1)), near, zero),
                             ob_where(s, ob_eq_scalar(s, target, ob_int(-1)), far, zero));
    return reduced(s, loss, reduction);
}

/* max(0, d(a, p) - d(a, n) + margin) */
ob_tensor *composite_triplet_margin_loss(ob_scope *s, ob_tensor *anchor, ob_tensor *positive,
                                         ob_tensor *negative, double margin, double p, double eps,
                                         bool swap, int64_t reduction)
{
    ob_tensor *near = ob_pairwise_distance(s, anchor, positive, p, eps);
    ob_tensor *far = ob_pairwise_distance(s, anchor, negative, p, eps);
    if (swap) far = ob_minimum(s, far, ob_pairwise_distance(s, positive, negative, p, eps));
    ob_tensor *gap = ob_add_scalar(s, ob_sub(s, near, far), ob_double(margin));
    return reduced(s, ob_clamp_min(s, gap, ob_int(0)), reduction);
}

/* exp(x) - y x, or x - y log(x + eps); full adds Stirling's y log y - y + log(2 pi y) / 2 */
ob_tensor *composite_poisson_nll_loss(ob_scope *s, ob_tensor *input, ob_tensor *target,
                                      bool log_input, bool full, double eps, int64_t reduction)
{
    ob_tensor *loss =
        log_input ? ob_sub(s, ob_exp(s, input), ob_mul(s, target, input))
                  : ob_sub(s, input,
                           ob_mul(s, target, ob_log(s, ob_add_scalar(s, input, ob_double(eps)))));
    if (full) {
        ob_tensor *tail = ob_mul_scalar(
            s, ob_log(s, ob_mul_scalar(s, target, ob_double(6.283185307179586))), ob_double(0.5));
        ob_tensor *stirling =
            ob_add(s, ob_sub(s, ob_mul(s, target, ob_log(s, target)), target), tail);
        loss = ob_add(
            s, loss,
            ob_masked_fill_scalar(s, stirling, ob_le_scalar(s, target, ob_int(1)), ob_int(0)));
    }
    return reduced(s, loss, reduction);
}
