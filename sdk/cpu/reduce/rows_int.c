/* Reductions of ints and bools in int64_t. Sums and products wrap: compiled with -fwrapv. */
#include "cpu/reduce/reduce.h"

#define T         int64_t
#define A         int64_t
#define ACC_OF(u) ((u).i)
#define lowest    INT64_MIN
#define highest   INT64_MAX
#define OB_ROWS   ob_red_int_rows
#define OB_IF_NOW OB_IF_I

#include "cpu/reduce/rows.h"
