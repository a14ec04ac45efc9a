/* What the rules of sdk/ops/rules share. */
#ifndef OB_OPS_RULES_RULES_H
#define OB_OPS_RULES_RULES_H

#include "ops/structured/structured.h"

/* Output i like `t`: its sizes, its strides when it is dense, and a dtype. */
void ob_rule_out_like(ob_rule *rule, int i, const ob_tensor *t, ob_dtype dtype);

#endif
