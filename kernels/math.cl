/* What C's <math.h> gives to the rows of sdk/ops/pointwise.inc, where OpenCL's builtins will not
 * do: in float, most of them are called one element at a time (PoCL), and these are straight lines
 * of arithmetic that a compiler makes vectors of. Errors stay below 2 ulp in the tests; NaN,
 * infinities and zeros come out as in C.
 *
 * After this text T is the type that values are computed in. */
#define T OB_T
