/* Recurrent layers as formulas over time steps. PyTorch: aten/src/ATen/native/RNN.cpp.
 * x: [T, N, I] (or [N, T, I])   state: [layers * directions, N, H]   gates stacked along the last
 * dim */
#include "ops/composites/look.h"

typedef enum cell_kind { CELL_LSTM, CELL_GRU, CELL_TANH, CELL_RELU } cell_kind;

/* Weights of one layer and direction; the biases and the projection may be NULL. */
typedef struct weights {
    ob_tensor *w_ih, *w_hh, *b_ih, *b_hh, *w_hr;
} weights;

typedef struct state {
    ob_tensor *h, *c; /* c: LSTM only */
} state;

/* The part of `gates` that belongs to gate i of n. */
static ob_tensor *gate(ob_scope *s, ob_tensor *gates, int64_t i, int64_t n)
{
    const int64_t width = extent(gates, -1) / n;
    return ob_narrow(s, gates, -1, i * width, width);
}

/* i, f, g, o = gates;  c = f c + i g;  h = o tanh(c) */
static state lstm_step(ob_scope *s, ob_tensor *gates, state old, const weights *w)
{
    ob_tensor *i = ob_sigmoid(s, gate(s, gates, 0, 4)), *f = ob_sigmoid(s, gate(s, gates, 1, 4));
    ob_tensor *g = ob_tanh(s, gate(s, gates, 2, 4)), *o = ob_sigmoid(s, gate(s, gates, 3, 4));
    ob_tensor *c = ob_add(s, ob_mul(s, f, old.c), ob_mul(s, i, g));
    ob_tensor *h = ob_mul(s, o, ob_tanh(s, c));
    return (state){ w->w_hr ? ob_linear(s, h, w->w_hr) : h, c };
}

/* r, z = sigmoid(x + h);  n = tanh(x_n + r h_n);  h = n + z (h - n) */
static state gru_step(ob_scope *s, ob_tensor *x, ob_tensor *hidden, state old)
{
    ob_tensor *r = ob_sigmoid(s, ob_add(s, gate(s, x, 0, 3), gate(s, hidden, 0, 3)));
    ob_tensor *z = ob_sigmoid(s, ob_add(s, gate(s, x, 1, 3), gate(s, hidden, 1, 3)));
    ob_tensor *n = ob_tanh(s, ob_add(s, gate(s, x, 2, 3), ob_mul(s, r, gate(s, hidden, 2, 3))));
    return (state){ ob_add(s, ob_mul(s, ob_sub(s, old.h, n), z), n), NULL };
}

/* One time step; x is the input times w_ih, with b_ih. */
static state step(ob_scope *s, cell_kind kind, ob_tensor *x, state old, const weights *w)
{
    ob_tensor *hidden = ob_linear(s, old.h, w->w_hh, w->b_hh);
    if (kind == CELL_GRU) return gru_step(s, x, hidden, old);
    ob_tensor *sum = ob_add(s, x, hidden);
    if (kind == CELL_LSTM) return lstm_step(s, sum, old, w);
    return (state){ kind == CELL_TANH ? ob_tanh(s, sum) : ob_relu(s, sum), NULL };
}

/* All steps of one direction. x: [T, N, I]; the result [T, N, H] is in the order of time. */
static ob_tensor *run_direction(ob_scope *s, cell_kind kind, ob_tensor *x, const weights *w,
                                state *now, bool backward)
{
    const int64_t n = extent(x, 0);
    ob_tensor *all = ob_linear(s, x, w->w_ih, w->b_ih);
    ob_tensor **steps = ob_scope_alloc(s, (size_t)(n + 1) * sizeof *steps);
    for (int64_t i = 0; steps && i < n && ob_scope_status(s) == OB_OK; i++) {
        const int64_t t = backward ? n - 1 - i : i;
        *now = step(s, kind, ob_select(s, all, 0, t), *now, w);
        steps[t] = now->h;
    }
    return ob_stack(s, (ob_tensors){ steps, steps ? n : 0 });
}

/* What a whole network is made of. */
typedef struct network {
    cell_kind kind;
    ob_tensor *h0, *c0; /* c0: LSTM only */
    ob_tensors params;
    bool has_biases, train, bidirectional, batch_first;
    int64_t n_layers;
    double dropout;
} network;

typedef struct network_result {
    ob_tensor *output, *h, *c;
} network_result;

/* Weights of entry k = layer * directions + direction. A projection adds one to each entry. */
static bool weights_of(ob_scope *s, const network *net, int64_t k, weights *w)
{
    const int64_t entries = net->n_layers * (net->bidirectional ? 2 : 1),
                  plain = net->has_biases ? 4 : 2;
    const int64_t each = entries > 0 ? net->params.n / entries : 0;
    if (each * entries != net->params.n ||
        (each != plain && !(net->kind == CELL_LSTM && each == plain + 1))) {
        ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG,
                       "rnn: %lld parameters, must be %lld for each of %lld layers and directions",
                       (long long)net->params.n, (long long)plain, (long long)entries));
        return false;
    }
    ob_tensor *const *p = net->params.data + k * each;
    *w = (weights){ p[0], p[1], net->has_biases ? p[2] : NULL, net->has_biases ? p[3] : NULL,
                    each == plain + 1 ? p[each - 1] : NULL };
    return true;
}

static network_result run(ob_scope *s, const network *net, ob_tensor *input)
{
    const int64_t directions = net->bidirectional ? 2 : 1, entries = net->n_layers * directions;
    ob_tensor **h = ob_scope_alloc(s, (size_t)(entries + 1) * sizeof *h);
    ob_tensor **c = ob_scope_alloc(s, (size_t)(entries + 1) * sizeof *c);
    ob_tensor *x = net->batch_first ? ob_transpose(s, input, 0, 1) : input;
    for (int64_t layer = 0; h && c && layer < net->n_layers; layer++) {
        ob_tensor *out[2] = { NULL, NULL };
        for (int64_t d = 0; d < directions; d++) {
            const int64_t k = layer * directions + d;
            weights w;
            if (!weights_of(s, net, k, &w)) return (network_result){ NULL, NULL, NULL };
            state now = { ob_select(s, net->h0, 0, k),
                          net->c0 ? ob_select(s, net->c0, 0, k) : NULL };
            out[d] = run_direction(s, net->kind, x, &w, &now, d == 1);
            h[k] = now.h;
            c[k] = now.c;
        }
        x = directions == 2 ? ob_cat(s, OB_TENSORS(out[0], out[1]), 2) : out[0];
        if (layer + 1 < net->n_layers) x = ob_dropout(s, x, net->dropout, net->train);
    }
    return (network_result){ net->batch_first ? ob_transpose(s, x, 0, 1) : x,
                             ob_stack(s, (ob_tensors){ h, entries }),
                             net->c0 ? ob_stack(s, (ob_tensors){ c, entries }) : NULL };
}

struct ob_lstm_input_result composite_lstm_input(ob_scope *s, ob_tensor *input, ob_tensors hx,
                                                 ob_tensors params, bool has_biases,
                                                 int64_t num_layers, double dropout, bool train,
                                                 bool bidirectional, bool batch_first)
{
    if (hx.n != 2) {
        ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG, "lstm: hx has %lld tensors, must have 2", (long long)hx.n));
        return (struct ob_lstm_input_result){ NULL, NULL, NULL };
    }
    const network net = { CELL_LSTM, hx.data[0],    hx.data[1],  params,     has_biases,
                          train,     bidirectional, batch_first, num_layers, dropout };
    const network_result r = run(s, &net, input);
    return (struct ob_lstm_input_result){ r.output, r.h, r.c };
}

#define OB_RNN(name, kind)                                                                       \
    struct ob_##name##_result composite_##name(                                                  \
        ob_scope *s, ob_tensor *input, ob_tensor *hx, ob_tensors params, bool has_biases,        \
        int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first)    \
    {                                                                                            \
        const network net = { kind,          hx,          NULL,       params, has_biases, train, \
                              bidirectional, batch_first, num_layers, dropout };                 \
        const network_result r = run(s, &net, input);                                            \
        return (struct ob_##name##_result){ r.output, r.h };                                     \
    }
OB_RNN(gru_input, CELL_GRU)
OB_RNN(rnn_tanh_input, CELL_TANH)
OB_RNN(rnn_relu_input, CELL_RELU)
#undef OB_RNN

struct ob_lstm_cell_result composite_lstm_cell(ob_scope *s, ob_tensor *input, ob_tensors hx,
                                               ob_tensor *w_ih, ob_tensor *w_hh, ob_tensor *b_ih,
                                               ob_tensor *b_hh)
{
    if (hx.n != 2) {
        ob_scope_fail(
            s, OB_FAIL(OB_ERR_ARG, "lstm_cell: hx has %lld tensors, must have 2", (long long)hx.n));
        return (struct ob_lstm_cell_result){ NULL, NULL };
    }
    const weights w = { w_ih, w_hh, b_ih, b_hh, NULL };
    const state now =
        step(s, CELL_LSTM, ob_linear(s, input, w_ih, b_ih), (state){ hx.data[0], hx.data[1] }, &w);
    return (struct ob_lstm_cell_result){ now.h, now.c };
}

#define OB_CELL(name, kind)                                                                    \
    ob_tensor *composite_##name(ob_scope *s, ob_tensor *input, ob_tensor *hx, ob_tensor *w_ih, \
                                ob_tensor *w_hh, ob_tensor *b_ih, ob_tensor *b_hh)             \
    {                                                                                          \
        const weights w = { w_ih, w_hh, b_ih, b_hh, NULL };                                    \
        return step(s, kind, ob_linear(s, input, w_ih, b_ih), (state){ hx, NULL }, &w).h;      \
    }
OB_CELL(gru_cell, CELL_GRU)
OB_CELL(rnn_tanh_cell, CELL_TANH)
OB_CELL(rnn_relu_cell, CELL_RELU)
#undef OB_CELL
