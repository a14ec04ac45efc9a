/* Pointwise rows in double: float64. */
#include <math.h>
#include <tgmath.h>
#undef I

#include "cpu/pointwise/pointwise.h"

#define T           double
#define OB_ROWS     ob_pw_double_rows
#define OB_IF_NOW   OB_IF_F
#define OB_IS_FLOAT 1
#include "ops/math_float.inc"

#include "cpu/pointwise/rows.h"
