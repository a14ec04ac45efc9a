/* Reductions of double elements: float64. */
#include <math.h>

#include "cpu/reduce/reduce.h"

#define T           double
#define A           double
#define ACC_OF(u)   ((u).d)
#define lowest      (-(double)INFINITY)
#define highest     ((double)INFINITY)
#define OB_ROWS     ob_red_double_rows
#define OB_IF_NOW   OB_IF_F
#define OB_IS_FLOAT 1
#include "ops/reduce_norm.inc"

#include "cpu/reduce/rows.h"
