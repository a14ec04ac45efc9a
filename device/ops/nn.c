/* See nn.h. */
#include "device/ops/nn.h"

const ob_cl_program ob_cl_nn_program = {
    "nn", { "prelude.cl", "conv.cl", "pool.cl", "norm.cl", "softmax.cl" }, NULL, NULL
};
