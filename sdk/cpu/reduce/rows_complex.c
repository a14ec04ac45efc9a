/* Reductions of complex64 in double complex. */
#include <complex.h>
#undef I

#include "cpu/reduce/reduce.h"

#define T         float complex
#define A         double complex
#define ACC_OF(u) ((u).c)
#define OB_ROWS   ob_red_complex_rows
#define OB_IF_NOW OB_IF_C

#include "cpu/reduce/rows.h"
