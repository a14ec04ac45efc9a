/* Pointwise rows in int64_t: every integer dtype. Arithmetic wraps: compiled with -fwrapv. */
#include "cpu/pointwise/pointwise.h"

#define T         int64_t
#define OB_ROWS   ob_pw_int_rows
#define OB_IF_NOW OB_IF_I
#define OB_IS_INT 1
#include "ops/math_int.inc"

#include "cpu/pointwise/rows.h"
