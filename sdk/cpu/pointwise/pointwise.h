/* CPU kernels of the pointwise rows: a function per row and wide type, over blocks. */
#ifndef OB_CPU_POINTWISE_POINTWISE_H
#define OB_CPU_POINTWISE_POINTWISE_H

#include "cpu/walk/elements.h"
#include "ops/rules/pointwise_table.h"

/* What a row may name beside its operands. Arrays are of the wide type. */
typedef struct ob_pw_constants {
    ob_wide_block params; /* a b c d, and at OB_PW_PARAMS: big */
    unsigned has;         /* bits OB_PW_HAS_*: this optional argument is there */
} ob_pw_constants;

enum { OB_PW_HAS_Y = 2, OB_PW_HAS_Z = 4, OB_PW_HAS_A = 8, OB_PW_HAS_B = 16, OB_PW_HAS_C = 32 };

/* out[0..n) = value of x[i], y[i], z[i]. All dense, of the wide type; operands that the row does
 * not name are not read. `out` overlaps no operand. */
typedef void (*ob_pw_row_fn)(int64_t n, void *out, const void *const in[OB_PW_OPERANDS],
                             const ob_pw_constants *constants);

/* By op; NULL where the kind has no value. Ints and bools compute in the same type, with values of
 * their own. */
extern const ob_pw_row_fn ob_pw_bool_rows[OB_PW_COUNT], ob_pw_int_rows[OB_PW_COUNT],
    ob_pw_float_rows[OB_PW_COUNT], ob_pw_double_rows[OB_PW_COUNT], ob_pw_complex_rows[OB_PW_COUNT];

#endif
