/* Scaled dot product attention as a formula. PyTorch:
 * aten/src/ATen/native/transformers/attention.cpp, _scaled_dot_product_attention_math. */
#include <math.h>

#include "ops/composites/look.h"

/* A mask of booleans as what is added to the scores: 0 where it is true, -inf where not. */
static ob_tensor *additive(ob_scope *s, ob_tensor *mask, ob_dtype dtype)
{
    if (!mask || dtype_of(mask) != OB_BOOL) return mask;
    ob_tensor *zero = ob_scalar_tensor(s, ob_double(0), .dtype = dtype, .device = device_of(mask));
    ob_tensor *hidden =
        ob_scalar_tensor(s, ob_double(-INFINITY), .dtype = dtype, .device = device_of(mask));
    return ob_where(s, mask, zero, hidden);
}

/* Query i sees the keys 0..i. [L, S] */
static ob_tensor *causal_mask(ob_scope *s, const ob_tensor *query, const ob_tensor *key)
{
    const ob_device device = device_of(query);
    ob_tensor *row = ob_arange(s, ob_int(extent(query, -2)), .dtype = OB_I64, .device = device);
    ob_tensor *column = ob_arange(s, ob_int(extent(key, -2)), .dtype = OB_I64, .device = device);
    return ob_le(s, column, ob_unsqueeze(s, row, 1));
}

/* Heads of keys and values repeated so that each group of query heads has its own. */
static ob_tensor *grouped(ob_scope *s, ob_tensor *kv, const ob_tensor *query)
{
    const int64_t heads = extent(kv, -3), n = heads > 0 ? extent(query, -3) / heads : 1;
    return n == 1 ? kv : ob_repeat_interleave_self_int(s, kv, n, OB_SOME_INT(-3));
}

/* softmax(Q K^T scale + mask) V.  Q: [..., L, E]   K: [..., S, E]   V: [..., S, Ev]   result: [...,
 * L, Ev] Q and K each get sqrt(scale), which keeps half precision in range. */
struct ob_scaled_dot_product_attention_math_result composite_scaled_dot_product_attention_math(
    ob_scope *s, ob_tensor *query, ob_tensor *key, ob_tensor *value, ob_tensor *attn_mask,
    double dropout_p, bool is_causal, ob_tensor *dropout_mask, ob_opt_double scale, bool enable_gqa)
{
    struct ob_scaled_dot_product_attention_math_result none = { NULL, NULL };
    if (is_causal && attn_mask) {
        ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG,
                       "scaled_dot_product_attention: attn_mask and is_causal exclude each other"));
        return none;
    }
    const ob_dtype dtype = dtype_of(query);
    ob_tensor *q = widened(s, query), *k = widened(s, key), *v = widened(s, value);
    if (enable_gqa) {
        k = grouped(s, k, q);
        v = grouped(s, v, q);
    }
    const double factor = scale.has ? scale.value : 1 / sqrt((double)extent(query, -1)),
                 root = sqrt(fabs(factor));
    q = ob_mul_scalar(s, q, ob_double(factor < 0 ? -root : root));
    k = ob_mul_scalar(s, ob_transpose(s, k, -2, -1), ob_double(root));
    ob_tensor *mask = additive(s, is_causal ? causal_mask(s, query, key) : attn_mask, dtype_of(q));
    ob_tensor *scores = ob_matmul(s, q, k); /* [..., L, S] */
    if (mask) scores = ob_add(s, scores, as_dtype(s, mask, dtype_of(scores)));
    ob_tensor *p = mask ? ob_safe_softmax(s, scores, -1) : ob_softmax(s, scores, -1);
    if (dropout_mask)
        p = ob_mul_scalar(
            s, ob_masked_fill_scalar(s, p, ob_logical_not(s, dropout_mask), ob_double(0)),
            ob_double(1 / (1 - dropout_p)));
    else
        p = ob_dropout(s, p, dropout_p, true);
    return (struct ob_scaled_dot_product_attention_math_result){
        as_dtype(s, ob_matmul(s, p, v), dtype), as_dtype(s, p, dtype)
    };
}

ob_tensor *composite_scaled_dot_product_attention(ob_scope *s, ob_tensor *query, ob_tensor *key,
                                                  ob_tensor *value, ob_tensor *attn_mask,
                                                  double dropout_p, bool is_causal,
                                                  ob_opt_double scale, bool enable_gqa)
{
    if (query && (rank_of(query) < 2 || rank_of(key) < 2 || rank_of(value) < 2))
        return ob_scope_fail(
            s, OB_FAIL(OB_ERR_SHAPE,
                       "scaled_dot_product_attention: ranks are %d, %d and %d, must be 2 "
                       "or more",
                       rank_of(query), rank_of(key), rank_of(value)));
    return ob_scaled_dot_product_attention_math(s, query, key, value, attn_mask, dropout_p,
                                                is_causal, NULL, .scale = scale,
                                                .enable_gqa = enable_gqa)
        .out0;
}
