/* Reductions of float elements in double: float32, and float16 and bfloat16 through it. */
#include <math.h>

#include "cpu/reduce/reduce.h"

#define T           float
#define A           double
#define ACC_OF(u)   ((u).d)
#define lowest      (-(double)INFINITY)
#define highest     ((double)INFINITY)
#define OB_ROWS     ob_red_float_rows
#define OB_IF_NOW   OB_IF_F
#define OB_IS_FLOAT 1
#include "ops/reduce_norm.inc"

#include "cpu/reduce/rows.h"
