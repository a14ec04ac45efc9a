/* Ops that are other ops under a second name: the kernel passes the call on. Table: ../aliases.inc.
 */
#include "dispatch/table/optable.h"
#include "ob/ops.h"
#include "ops/batch.h"

static const struct {
    ob_op_id alias, target;
} rows[] = {
#define OB_ALIAS(alias, target) { OB_OP_##alias, OB_OP_##target },
#include "ops/aliases.inc"
#undef OB_ALIAS
};

static ob_status pass_on(ob_frame *frame)
{
    return ob_call_unchecked(ob_aten_op((int)(uintptr_t)frame->user), frame->args, frame->results);
}

static ob_status register_aliases(void)
{
    for (size_t i = 0; i < OB_COUNT(rows); i++) {
        ob_op *op = ob_aten_op((int)rows[i].alias);
        if (ob_inspect_has_kernel_for_key(op, OB_KEY_CompositeImplicitAutograd)) continue;
        ob_batch_add_fn(OB_KEY_CompositeImplicitAutograd, ob_op_name(op), pass_on,
                        (void *)(uintptr_t)rows[i].target);
    }
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, register_aliases);
}
