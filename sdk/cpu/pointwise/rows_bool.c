/* Pointwise rows in int64_t for bool: values are 0 and 1, a result counts as true when it is not 0.
 */
#include "cpu/pointwise/pointwise.h"

#define T          int64_t
#define OB_ROWS    ob_pw_bool_rows
#define OB_IF_NOW  OB_IF_B
#define OB_IS_BOOL 1
#include "ops/math_int.inc"

#include "cpu/pointwise/rows.h"
