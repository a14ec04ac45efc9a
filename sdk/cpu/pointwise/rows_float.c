/* Pointwise rows in float: float32, and float16 and bfloat16 through it. */
#include <math.h>
#include <tgmath.h>
#undef I

#include "cpu/pointwise/pointwise.h"

#define T           float
#define OB_ROWS     ob_pw_float_rows
#define OB_IF_NOW   OB_IF_F
#define OB_IS_FLOAT 1
#include "ops/math_float.inc"

#include "cpu/pointwise/rows.h"
