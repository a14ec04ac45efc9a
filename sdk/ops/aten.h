/* The ATen table inside libob: finding rows and ops by name. The public half is in ob/inspect.h. */
#ifndef OB_OPS_ATEN_H
#define OB_OPS_ATEN_H

#include "ob/inspect.h"

/* Row numbers by C name: OB_ROW_add is add.Tensor. */
enum {
#define OB_ATEN(c_name, schema, klass, family, tags) OB_ROW_##c_name,
#include "ops/aten.inc"
#undef OB_ATEN
    OB_ROW_COUNT
};

/* Row of "add.Tensor" (no namespace); -1 when there is none. */
int ob_aten_index(const char *name);
/* Rows [*first, *first + count) of all overloads of the op called `base` ("add", `n` bytes);
 * returns count. */
int ob_aten_overloads(const char *base, size_t n, int *first);

#endif
