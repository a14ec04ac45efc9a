/* One call of a family with a shape rule, while it runs: what structured.c, structured_in.c and
 * structured_out.c pass to each other. */
#ifndef OB_OPS_STRUCTURED_CALL_H
#define OB_OPS_STRUCTURED_CALL_H

#include "ops/structured/families.h"

enum { OB_CALL_ARGS = 64 }; /* a schema has no more */

/* What happens to one output after the kernel has run. */
typedef struct ob_call_out {
    ob_tensor *target; /* [borrowed] the caller's tensor; NULL in the functional form */
    ob_tensor *made;   /* [owned] new output or temporary; NULL when the kernel writes to target */
} ob_call_out;

typedef struct ob_call_state {
    const ob_family *family;
    int form; /* OB_FORM_* */
    const ob_frame *frame;
    ob_backend backend; /* whose kernel runs */
    uint32_t kernel_flags;
    ob_device device;     /* of the call: where outputs are made */
    const ob_value *args; /* what the kernel gets: frame->args, or `changed` */
    uint32_t n_temps;
    uint32_t n_outs_ready; /* outs[0..n) are prepared */
    ob_rule rule;
    ob_call_out outs[OB_RULE_OUTS];
    ob_value values[OB_RULE_OUTS]; /* what the kernel gets as results [borrowed] */
    ob_value changed[OB_CALL_ARGS];
    ob_value temps[OB_CALL_ARGS]; /* [owned] what `changed` points at */
} ob_call_state;

/* Find the device of the call, and make the inputs what the kernel may expect: moved, cast, dense.
 * Errors name both devices. Temporaries belong to the call. */
ob_status ob_call_inputs(ob_call_state *call) OB_MUST_USE;
/* Release the temporaries of ob_call_inputs(). */
void ob_call_inputs_reset(ob_call_state *call);

/* Make or check the outputs: created, resized, replaced by temporaries; refuses overlap. */
ob_status ob_call_outputs(ob_call_state *call) OB_MUST_USE;
/* After the kernel: copy temporaries back, raise versions, store results (owned) into the frame. */
ob_status ob_call_finish(ob_call_state *call) OB_MUST_USE;
/* Release what ob_call_outputs() made. */
void ob_call_outputs_reset(ob_call_state *call);

#endif
