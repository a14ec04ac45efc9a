/* Calls of ops by row of the ATen table, for kernels that are written on values. */
#ifndef OB_OPS_CREATE_CALL_H
#define OB_OPS_CREATE_CALL_H

#include "ops/aten.h"

/* Call the op of a row with all its arguments; results as ob_call_unchecked(). */
static inline ob_status ob_row_call(int row, const ob_value *args, ob_value *results)
{
    return ob_call_unchecked(ob_aten_op(row), args, results);
}

/* Call an op that returns one of its arguments, and drop that. */
static inline ob_status ob_row_apply(int row, const ob_value *args)
{
    ob_value result = { 0 };
    OB_TRY(ob_call_unchecked(ob_aten_op(row), args, &result));
    ob_value_reset(&result);
    return OB_OK;
}

#endif
