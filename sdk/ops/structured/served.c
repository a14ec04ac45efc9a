/* How a device serves an op: native, composite, fallback or missing, seen through the forms that
 * libob makes. */
#include "ops/structured/served.h"

#include "ob/schema.h"
#include "ops/native.h"

enum { MAX_STEPS = 8 }; /* an out form of a copy form of a view ... */

const char *ob_served_name(ob_served served)
{
    static const char *const names[] = {
#define OB_X(name, text) text,
        OB_SERVED_LIST(OB_X)
#undef OB_X
    };
    return names[served];
}

static ob_served on_backend(ob_op *op, ob_backend backend, int steps);

/* What is left for a device without a kernel: the CPU's, by fallback. */
static ob_served by_fallback(ob_op *op, ob_backend backend, int steps)
{
    if (backend == OB_BACKEND_CPU || backend == OB_BACKEND_Meta) return OB_SERVED_MISSING;
    return on_backend(op, OB_BACKEND_CPU, steps) == OB_SERVED_MISSING ? OB_SERVED_MISSING
                                                                      : OB_SERVED_FALLBACK;
}

/* A form whose kernel is the structured family's: see sibling() in structured.c. */
static ob_served by_family(ob_op *op, const ob_family *family, ob_backend backend, int steps)
{
    ob_op *functional = family->ops[OB_FORM_FUNCTIONAL];
    if (ob_native_kernel(family->primary, backend)) return OB_SERVED_NATIVE;
    return ob_has_composite(op) || ob_has_composite(functional) ? OB_SERVED_COMPOSITE
                                                                : by_fallback(op, backend, steps);
}

static ob_served on_backend(ob_op *op, ob_backend backend, int steps)
{
    const ob_table *table = NULL;
    const int slot = ob_key_slot(ob_key_of(OB_KEY_Dense, backend));
    if (steps == 0 || ob_op_resolve(op, &table) != OB_OK) return OB_SERVED_MISSING;
    const ob_record *r = table->slots[slot];
    const ob_schema *schema = ob_op_schema(op);
    const ob_family *family = ob_structured_family(op);
    ob_op *source = ob_derived_source(r);
    switch ((ob_provenance)table->provenance[slot]) {
    case OB_PROVENANCE_DIRECT:
        return OB_SERVED_NATIVE;
    case OB_PROVENANCE_DEFAULT_BACKEND:
    case OB_PROVENANCE_MATH:
        if (source) return on_backend(source, backend, steps - 1);
        if (family && r->kernel.flags & OB_KERNEL_GENERATED)
            return by_family(op, family, backend, steps - 1);
        return schema && ob_schema_is_view(schema) ? OB_SERVED_NATIVE : OB_SERVED_COMPOSITE;
    case OB_PROVENANCE_FALLBACK:
        return by_fallback(op, backend, steps - 1);
    default:
        return OB_SERVED_MISSING;
    }
}

ob_served ob_inspect_served(const ob_op *op, ob_device device)
{
    return on_backend((ob_op *)(uintptr_t)op, (ob_backend)device.backend, MAX_STEPS);
}
