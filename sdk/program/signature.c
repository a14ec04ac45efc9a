/* Inputs and outputs of a program: which graph input is a weight, which the caller gives; where
 * results go. */
#include <string.h>

#include "core/alloc.h"
#include "program/graph.h"

/* ---- inputs
 * ----------------------------------------------------------------------------------------------------
 */

static ob_status fill_slot(ob_program *p, const ob_reader *r, const char *name, const ob_meta *meta,
                           bool is_tensor, ob_program_slot *slot, int64_t **bounds)
{
    slot->is_tensor = is_tensor;
    slot->dtype = is_tensor ? meta->dtype : OB_DTYPE_NONE;
    slot->rank = meta->rank;
    slot->name = ob_strdup(name);
    *bounds = ob_alloc(3 * (size_t)meta->rank + 1, sizeof **bounds);
    if (!slot->name || !*bounds)
        return ob_reader_fail(r, OB_ERR_OOM, "no memory for input '%s'", name);
    int64_t *sizes = *bounds, *min = sizes + meta->rank, *max = min + meta->rank;
    for (int i = 0; i < meta->rank; i++) {
        if (ob_expr_constant(meta->sizes[i], &sizes[i])) {
            if (sizes[i] < 0)
                return ob_reader_fail(r, OB_ERR_PARSE, "'%s' has size %lld", name,
                                      (long long)sizes[i]);
            min[i] = max[i] = sizes[i];
            continue;
        }
        sizes[i] = -1;
        max[i] = INT64_MAX;
        for (int k = 0; k < p->n_ranges; k++)
            if (ob_expr_symbol(meta->sizes[i]) >= 0 &&
                ob_expr_symbol(p->ranges[k].expr) == ob_expr_symbol(meta->sizes[i])) {
                min[i] = p->ranges[k].min;
                max[i] = p->ranges[k].max;
            }
    }
    slot->sizes = sizes;
    slot->min_sizes = min;
    slot->max_sizes = max;
    return OB_OK;
}

static ob_status read_user_input(ob_program *p, const ob_reader *r, const json_t *values,
                                 const json_t *argument)
{
    ob_input *in = &p->inputs[p->n_inputs];
    const char *tag = NULL, *name = NULL;
    json_t *value = NULL, *meta = NULL;
    OB_TRY(ob_json_union(r, argument, &tag, &value));
    const bool is_tensor = !strcmp(tag, "as_tensor");
    if (is_tensor)
        OB_TRY(ob_json_string(r, value, "name", &name));
    else if (!strcmp(tag, "as_sym_int") || !strcmp(tag, "as_sym_float") ||
             !strcmp(tag, "as_sym_bool"))
        OB_TRY(ob_json_string(r, value, "as_name", &name));
    else
        return ob_reader_fail(r, OB_ERR_UNSUPPORTED,
                              "a user input is %s, should be a tensor or a symbolic number", tag);
    p->n_inputs++;
    in->kind = OB_INPUT_USER;
    OB_TRY(ob_program_new_value(p, r, name, &in->value));
    if (is_tensor) {
        OB_TRY(ob_json_object(r, values, name, &meta));
        OB_TRY(ob_meta_read(p, r, meta, &in->meta));
    }
    return fill_slot(p, r, name, &in->meta, is_tensor, &in->slot, &in->bounds);
}

static ob_status read_constant_input(ob_program *p, const ob_reader *r, const json_t *body)
{
    ob_input *in = &p->inputs[p->n_inputs];
    ob_operand operand = { 0 };
    const char *name = NULL;
    OB_TRY(ob_json_string(r, body, "name", &name));
    p->n_inputs++;
    in->kind = OB_INPUT_CONSTANT;
    in->value = -1;
    const ob_status st = ob_operand_read(p, r, json_object_get(body, "value"), NULL, &operand);
    if (st == OB_OK) {
        in->constant = operand.value;
        operand.value = (ob_value){ 0 };
    }
    ob_operand_reset(&operand);
    return st == OB_OK ? fill_slot(p, r, name, &in->meta, false, &in->slot, &in->bounds) : st;
}

/* Specs of weights: tag, key of its name, whether it is in the constants' config. */
static const struct {
    const char *tag, *key;
    bool is_constant;
} state_specs[] = {
    { "parameter", "parameter_name", false },
    { "buffer", "buffer_name", false },
    { "tensor_constant", "tensor_constant_name", true },
};

static ob_status read_state(ob_program *p, const ob_reader *r, const json_t *body, const char *key,
                            bool is_constant)
{
    ob_state *s = &p->states[p->n_states];
    const char *name = NULL, *fqn = NULL;
    json_t *arg = NULL;
    OB_TRY(ob_json_object(r, body, "arg", &arg));
    OB_TRY(ob_json_string(r, arg, "name", &name));
    OB_TRY(ob_json_string(r, body, key, &fqn));
    s->is_constant = is_constant || json_is_false(json_object_get(body, "persistent"));
    OB_TRY(ob_program_new_value(p, r, name, &s->value));
    s->fqn = ob_strdup(fqn);
    if (!s->fqn) return ob_reader_fail(r, OB_ERR_OOM, "no memory for '%s'", fqn);
    p->n_states++;
    return OB_OK;
}

static ob_status read_input(ob_program *p, const ob_reader *r, const json_t *values,
                            const json_t *spec)
{
    const char *tag = NULL;
    json_t *body = NULL;
    OB_TRY(ob_json_union(r, spec, &tag, &body));
    if (!strcmp(tag, "user_input"))
        return read_user_input(p, r, values, json_object_get(body, "arg"));
    if (!strcmp(tag, "constant_input")) return read_constant_input(p, r, body);
    for (size_t i = 0; i < OB_COUNT(state_specs); i++)
        if (!strcmp(tag, state_specs[i].tag))
            return read_state(p, r, body, state_specs[i].key, state_specs[i].is_constant);
    return ob_reader_fail(r, OB_ERR_UNSUPPORTED, "an input is a %s, which Outboard does not load",
                          tag);
}

ob_status ob_program_read_inputs(ob_program *p, ob_reader *r, const json_t *graph,
                                 const json_t *signature)
{
    json_t *specs = NULL, *inputs = NULL, *values = NULL;
    ob_reader_at(r, "inputs");
    OB_TRY(ob_json_array(r, signature, "input_specs", &specs));
    OB_TRY(ob_json_array(r, graph, "inputs", &inputs));
    OB_TRY(ob_json_object(r, graph, "tensor_values", &values));
    const size_t n = json_array_size(specs);
    if (n != json_array_size(inputs))
        return ob_reader_fail(r, OB_ERR_PARSE, "%zu input specs for %zu graph inputs", n,
                              json_array_size(inputs));
    p->inputs = ob_alloc(n + 1, sizeof *p->inputs);
    p->states = ob_alloc(n + 1, sizeof *p->states);
    if (!p->inputs || !p->states)
        return ob_reader_fail(r, OB_ERR_OOM, "no memory for %zu inputs", n);
    for (size_t i = 0; i < n; i++) {
        ob_reader_at(r, "input %zu", i);
        OB_TRY(read_input(p, r, values, json_array_get(specs, i)));
    }
    return OB_OK;
}

/* ---- outputs
 * ---------------------------------------------------------------------------------------------------
 */

static int state_value(const ob_program *p, const char *fqn)
{
    for (int i = 0; i < p->n_states; i++)
        if (!strcmp(p->states[i].fqn, fqn)) return p->states[i].value;
    return -1;
}

static int input_index(const ob_program *p, const char *name)
{
    for (int i = 0; i < p->n_inputs; i++)
        if (!strcmp(p->inputs[i].slot.name, name)) return i;
    return -1;
}

static ob_status read_mutation(ob_program *p, const ob_reader *r, const json_t *body,
                               const char *key, bool of_input, ob_output *o)
{
    const char *name = NULL;
    OB_TRY(ob_json_string(r, body, key, &name));
    o->kind = of_input ? OB_OUTPUT_INPUT : OB_OUTPUT_BUFFER;
    o->target = of_input ? input_index(p, name) : state_value(p, name);
    if (o->target < 0)
        return ob_reader_fail(r, OB_ERR_PARSE, "'%s' is written but is no %s", name, key);
    return OB_OK;
}

static ob_status name_output(ob_program *p, const ob_reader *r, const json_t *argument,
                             const json_t *values, ob_output *o)
{
    const char *tag = NULL;
    json_t *value = NULL;
    ob_meta meta = { 0 };
    char number[32];
    OB_TRY(ob_json_union(r, argument, &tag, &value));
    const char *name = json_string_value(json_object_get(value, "name"));
    const bool is_tensor = !strcmp(tag, "as_tensor") && name;
    ob_status st = OB_OK;
    if (is_tensor && json_is_object(json_object_get(values, name)))
        st = ob_meta_read(p, r, json_object_get(values, name), &meta);
    snprintf(number, sizeof number, "output%d", p->n_user_outputs);
    if (st == OB_OK)
        st = fill_slot(p, r, name ? name : number, &meta, is_tensor, &o->slot, &o->bounds);
    ob_meta_reset(&meta);
    return st;
}

static ob_status read_output(ob_program *p, const ob_reader *r, const json_t *spec,
                             const json_t *argument, const json_t *values, ob_output *o)
{
    const char *tag = NULL;
    json_t *body = NULL;
    OB_TRY(ob_json_union(r, spec, &tag, &body));
    OB_TRY(ob_operand_read(p, r, argument, NULL, &o->operand));
    if (!strcmp(tag, "user_output") || !strcmp(tag, "loss_output")) {
        o->kind = OB_OUTPUT_USER;
        OB_TRY(name_output(p, r, argument, values, o));
        p->user_outputs[p->n_user_outputs++] = o;
        return OB_OK;
    }
    if (!strcmp(tag, "buffer_mutation")) return read_mutation(p, r, body, "buffer_name", false, o);
    if (!strcmp(tag, "parameter_mutation"))
        return read_mutation(p, r, body, "parameter_name", false, o);
    if (!strcmp(tag, "user_input_mutation"))
        return read_mutation(p, r, body, "user_input_name", true, o);
    o->kind = OB_OUTPUT_IGNORED; /* gradients and tokens: nothing for a caller of forward */
    return OB_OK;
}

ob_status ob_program_read_outputs(ob_program *p, ob_reader *r, const json_t *graph,
                                  const json_t *signature)
{
    json_t *specs = NULL, *outputs = NULL, *values = NULL;
    ob_reader_at(r, "outputs");
    OB_TRY(ob_json_array(r, signature, "output_specs", &specs));
    OB_TRY(ob_json_array(r, graph, "outputs", &outputs));
    OB_TRY(ob_json_object(r, graph, "tensor_values", &values));
    const size_t n = json_array_size(specs);
    if (n != json_array_size(outputs))
        return ob_reader_fail(r, OB_ERR_PARSE, "%zu output specs for %zu graph outputs", n,
                              json_array_size(outputs));
    p->outputs = ob_alloc(n + 1, sizeof *p->outputs);
    p->user_outputs = ob_alloc(n + 1, sizeof(ob_output *));
    if (!p->outputs || !p->user_outputs)
        return ob_reader_fail(r, OB_ERR_OOM, "no memory for %zu outputs", n);
    for (size_t i = 0; i < n; i++) {
        p->n_outputs = (int)i + 1;
        ob_reader_at(r, "output %zu", i);
        OB_TRY(read_output(p, r, json_array_get(specs, i), json_array_get(outputs, i), values,
                           &p->outputs[i]));
    }
    return OB_OK;
}
