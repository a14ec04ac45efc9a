/* Steps of vector norms: of order 0 the number of elements that are not 0, of order p the p-th root
 * of the sum of |x|^p, of order inf and -inf the largest and least |x|. */
#ifndef OB_CPU_REDUCE_NORM_H
#define OB_CPU_REDUCE_NORM_H

#include <math.h>

static inline double ob_norm_start(double order)
{
    return isinf(order) && order < 0 ? (double)INFINITY : 0;
}

static inline double ob_norm_step(double acc, double x, double order)
{
    const double size = fabs(x);
    if (order == 2) return acc + x * x;
    if (order == 1) return acc + size;
    if (order == 0) return acc + (x != 0);
    if (isinf(order)) return (order > 0 ? size > acc : size < acc) || size != size ? size : acc;
    return acc + pow(size, order);
}

static inline double ob_norm_finish(double acc, double order)
{
    if (order == 2) return sqrt(acc);
    if (order == 1 || order == 0 || isinf(order)) return acc;
    return pow(acc, 1 / order);
}

#endif
