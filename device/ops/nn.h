/* The program of the layers of networks: convolution, pooling, norms and softmax in one, since a
 * model has several of them and a program costs a start of the compiler, also when its kernels are
 * cached. */
#ifndef OB_DEVICE_NN_H
#define OB_DEVICE_NN_H

#include "device/program.h"

/* prelude.cl, conv.cl, pool.cl, norm.cl and softmax.cl */
extern const ob_cl_program ob_cl_nn_program;

#endif
