/* OpenBLAS, loaded by the first matrix product: it starts its threads when it is loaded, which no
 * program should pay for that multiplies nothing. */
#ifndef OB_CPU_BLAS_H
#define OB_CPU_BLAS_H

#include <cblas.h>

#include "ob/status.h"

/** The products of CBLAS, with its names and parameters: c = beta c + alpha op(a) op(b). */
typedef struct ob_blas {
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(cblas_dgemm) *dgemm;
    __typeof__(cblas_cgemm) *cgemm;
} ob_blas;

/** *out: the library [static], loaded once for the process. From any thread.
 * OB_ERR_NOT_FOUND: it is not installed; tells which package has it. */
ob_status ob_blas_get(const ob_blas **out);

#endif
