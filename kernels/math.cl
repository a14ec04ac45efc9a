/* The type that the rows of sdk/ops/pointwise.inc compute in. Their functions are OpenCL's builtins and those of
 * math_float.inc and math_int.inc, which follow this text. */
#define T OB_T
