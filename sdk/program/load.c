/* From archive to program: graph nodes, value numbers, last readers. Everything is checked before
 * anything runs. */
#include <stdarg.h>
#include <string.h>

#include "core/alloc.h"
#include "core/text.h"
#include "program/graph.h"

enum { MAX_NODES = 1 << 20 };

int ob_program_value(const ob_program *p, const char *name)
{
    const json_t *id = json_object_get(p->ids, name);
    return id ? (int)json_integer_value(id) : -1;
}

ob_status ob_program_new_value(ob_program *p, const ob_reader *r, const char *name, int *out)
{
    *out = -1;
    if (json_object_get(p->ids, name))
        return ob_reader_fail(r, OB_ERR_PARSE, "value '%s' is defined twice", name);
    if (json_object_set_new(p->ids, name, json_integer(p->n_values)) != 0)
        return ob_reader_fail(r, OB_ERR_OOM, "no memory for value '%s'", name);
    *out = p->n_values++;
    return OB_OK;
}

/* ---- nodes
 * -----------------------------------------------------------------------------------------------------
 */

static ob_status bind_one(ob_program *p, const ob_reader *r, const json_t *argument, ob_binding *b)
{
    const char *tag = NULL, *name = NULL;
    json_t *value = NULL;
    OB_TRY(ob_json_union(r, argument, &tag, &value));
    b->is_list = !strcmp(tag, "as_tensors");
    b->n = b->is_list ? (int)json_array_size(value) : 1;
    b->ids = ob_alloc((size_t)b->n + 1, sizeof *b->ids);
    if (!b->ids) return ob_reader_fail(r, OB_ERR_OOM, "no memory for %d results", b->n);
    for (int i = 0; i < b->n; i++) {
        b->ids[i] = -1;
        if (!strcmp(tag, "as_none")) continue;
        const json_t *one = b->is_list ? json_array_get(value, (size_t)i) : value;
        OB_TRY(ob_json_string(r, one, strncmp(tag, "as_sym", 6) ? "name" : "as_name", &name));
        OB_TRY(ob_program_new_value(p, r, name, &b->ids[i]));
    }
    return OB_OK;
}

static ob_status read_results(ob_program *p, const ob_reader *r, const json_t *node, ob_node *n)
{
    json_t *outputs = NULL;
    OB_TRY(ob_json_array(r, node, "outputs", &outputs));
    n->n_results = (int)json_array_size(outputs);
    const ob_schema *schema = n->op ? ob_op_schema(n->op) : NULL;
    if (schema && n->n_results > schema->n_returns)
        return ob_reader_fail(r, OB_ERR_PARSE, "%d outputs, the schema returns %d", n->n_results,
                              schema->n_returns);
    if (n->function && n->n_results != 1)
        return ob_reader_fail(r, OB_ERR_PARSE, "%d outputs, should be 1", n->n_results);
    n->results = ob_alloc((size_t)n->n_results + 1, sizeof *n->results);
    if (!n->results) return ob_reader_fail(r, OB_ERR_OOM, "no memory for %d outputs", n->n_results);
    for (int i = 0; i < n->n_results; i++)
        OB_TRY(bind_one(p, r, json_array_get(outputs, (size_t)i), &n->results[i]));
    return OB_OK;
}

/* A factory without tensors makes its result on the program's device, whatever was the exporter's
 * default. */
static void default_device(const ob_program *p, const ob_schema *schema, ob_node *n)
{
    const int device = ob_schema_arg(schema, "device");
    if (device < 0 || n->args[device].value.tag != OB_VALUE_ABSENT ||
        n->args[device].kind != OB_OPERAND_CONST)
        return;
    for (int i = 0; i < schema->n_args; i++)
        if (schema->args[i].type->kind == OB_TYPE_TENSOR) return;
    n->args[device].value = ob_value_device(p->device);
}

static ob_status read_op_args(ob_program *p, const ob_reader *r, const json_t *inputs, ob_node *n)
{
    const ob_schema *schema = ob_op_schema(n->op);
    n->args = ob_alloc((size_t)schema->n_args + 1, sizeof *n->args);
    if (!n->args)
        return ob_reader_fail(r, OB_ERR_OOM, "no memory for %d arguments", schema->n_args);
    n->n_args = schema->n_args;
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        const char *name = NULL;
        OB_TRY(ob_json_string(r, input, "name", &name));
        const int at = ob_schema_arg(schema, name);
        if (at < 0)
            return ob_reader_fail(r, OB_ERR_PARSE, "argument '%s' is not in the schema of %s", name,
                                  n->target);
        if (n->args[at].kind != OB_OPERAND_CONST || n->args[at].value.tag != OB_VALUE_ABSENT)
            return ob_reader_fail(r, OB_ERR_PARSE, "argument '%s' is given twice", name);
        OB_TRY(ob_operand_read(p, r, json_object_get(input, "arg"), schema->args[at].real_type,
                               &n->args[at]));
    }
    for (int i = 0; i < schema->n_args; i++)
        if (n->args[i].kind == OB_OPERAND_CONST && n->args[i].value.tag == OB_VALUE_ABSENT &&
            !schema->args[i].has_default)
            return ob_reader_fail(r, OB_ERR_PARSE, "argument '%s' is missing and has no default",
                                  schema->args[i].name);
    default_device(p, schema, n);
    return OB_OK;
}

static ob_status read_plain_args(ob_program *p, const ob_reader *r, const json_t *inputs,
                                 ob_node *n)
{
    const int count = (int)json_array_size(inputs);
    if (n->function && count != n->function->n_args)
        return ob_reader_fail(r, OB_ERR_PARSE, "%d arguments, should be %d", count,
                              n->function->n_args);
    n->args = ob_alloc((size_t)count + 1, sizeof *n->args);
    if (!n->args) return ob_reader_fail(r, OB_ERR_OOM, "no memory for %d arguments", count);
    for (int i = 0; i < count; i++) {
        n->n_args = i + 1;
        OB_TRY(ob_operand_read(p, r, json_object_get(json_array_get(inputs, (size_t)i), "arg"),
                               NULL, &n->args[i]));
    }
    return OB_OK;
}

/* "torch.ops.aten.add.Tensor" -> "aten::add.Tensor"; ".default" is no overload name. Other targets
 * stay as they are. */
static char *op_name(const char *target)
{
    static const char prefix[] = "torch.ops.";
    if (strncmp(target, prefix, sizeof prefix - 1)) return ob_strdup(target);
    const char *ns = target + sizeof prefix - 1, *name = strchr(ns, '.'),
               *overload = strrchr(target, '.');
    if (!name) return ob_strdup(target);
    ob_text text = { 0 };
    ob_text_add(&text, "%.*s::", (int)(name - ns), ns);
    if (overload > name && !strcmp(overload, ".default"))
        ob_text_add_bytes(&text, name + 1, (size_t)(overload - name) - 1);
    else
        ob_text_add(&text, "%s", name + 1);
    return ob_text_take(&text);
}

static ob_status read_node(ob_program *p, ob_reader *r, const json_t *node, ob_node *n)
{
    const char *target = NULL;
    json_t *inputs = NULL;
    OB_TRY(ob_json_string(r, node, "target", &target));
    OB_TRY(ob_json_array(r, node, "inputs", &inputs));
    n->target = op_name(target);
    if (!n->target) return ob_reader_fail(r, OB_ERR_OOM, "no memory for '%s'", target);
    ob_reader_at(r, "node %d (%s)", (int)(n - p->nodes), n->target);
    n->function = ob_scalar_op_find(target);
    ob_op *op = n->function ? NULL : ob_op_peek(n->target);
    n->op = op && ob_op_schema(op) ? op : NULL;
    OB_TRY(n->op ? read_op_args(p, r, inputs, n) : read_plain_args(p, r, inputs, n));
    return read_results(p, r, node, n);
}

/* Ops that libob does not know, all in one message. */
static ob_status refuse_unknown(const ob_program *p)
{
    ob_text names = { 0 };
    int count = 0;
    for (int i = 0; i < p->n_nodes; i++) {
        if (p->nodes[i].op || p->nodes[i].function) continue;
        if (names.data && strstr(names.data, p->nodes[i].target)) continue;
        ob_text_add(&names, "%s%s", count++ ? ", " : "", p->nodes[i].target);
    }
    const ob_status st = count == 0 ? OB_OK
                                    : OB_FAIL(OB_ERR_UNSUPPORTED,
                                              "%s: %d op%s unknown: %s: load the library that "
                                              "defines them first",
                                              p->path, count, count > 1 ? "s are" : " is",
                                              names.data ? names.data : "");
    ob_text_reset(&names);
    return st;
}

ob_status ob_program_read_nodes(ob_program *p, ob_reader *r, const json_t *graph)
{
    json_t *nodes = NULL;
    ob_reader_at(r, "graph");
    OB_TRY(ob_json_array(r, graph, "nodes", &nodes));
    const size_t count = json_array_size(nodes);
    if (count > MAX_NODES)
        return ob_reader_fail(r, OB_ERR_PARSE, "%zu nodes, at most %d", count, MAX_NODES);
    p->nodes = ob_alloc(count + 1, sizeof *p->nodes);
    if (!p->nodes) return ob_reader_fail(r, OB_ERR_OOM, "no memory for %zu nodes", count);
    for (size_t i = 0; i < count; i++) {
        p->n_nodes = (int)i + 1;
        ob_reader_at(r, "node %zu", i);
        OB_TRY(read_node(p, r, json_array_get(nodes, i), &p->nodes[i]));
    }
    return p->scan_only ? OB_OK : refuse_unknown(p);
}

ob_status ob_program_read_ranges(ob_program *p, ob_reader *r, const json_t *ranges)
{
    p->ranges = ob_alloc(json_object_size(ranges) + 1, sizeof *p->ranges);
    if (!p->ranges) return ob_reader_fail(r, OB_ERR_OOM, "no memory for the range constraints");
    const char *key;
    json_t *range;
    json_object_foreach((json_t *)(uintptr_t)ranges, key, range)
    {
        ob_range *out = &p->ranges[p->n_ranges];
        const json_t *min = json_object_get(range, "min_val"),
                     *max = json_object_get(range, "max_val");
        ob_reader_at(r, "range_constraints '%.60s'", key);
        out->min = json_is_integer(min) ? json_integer_value(min) : 0;
        out->max = json_is_integer(max) ? json_integer_value(max) : INT64_MAX;
        if (out->min > out->max)
            return ob_reader_fail(r, OB_ERR_PARSE, "min %lld is over max %lld", (long long)out->min,
                                  (long long)out->max);
        OB_TRY(ob_expr_parse(key, &p->symbols, &out->expr));
        p->n_ranges++;
    }
    return OB_OK;
}

/* ---- last readers
 * ---------------------------------------------------------------------------------------------- */

static void note_readers(const ob_operand *o, int node, int *last)
{
    if (o->kind == OB_OPERAND_REF) last[o->ref] = node;
    for (int i = 0; i < o->n_items; i++)
        note_readers(&o->items[i], node, last);
}

/* Each value dies at its last reader, or where it is made if nobody reads it; states and outputs
 * live on. */
static ob_status find_last_readers(ob_program *p)
{
    int *last = ob_alloc((size_t)p->n_values + 1, sizeof *last);
    if (!last) return OB_FAIL(OB_ERR_OOM, "%s: no memory for %d values", p->path, p->n_values);
    for (int i = 0; i < p->n_values; i++)
        last[i] = -1;
    for (int i = 0; i < p->n_nodes; i++) {
        for (int k = 0; k < p->nodes[i].n_results; k++)
            for (int j = 0; j < p->nodes[i].results[k].n; j++)
                if (p->nodes[i].results[k].ids[j] >= 0) last[p->nodes[i].results[k].ids[j]] = i;
        for (int k = 0; k < p->nodes[i].n_args; k++)
            note_readers(&p->nodes[i].args[k], i, last);
    }
    for (int i = 0; i < p->n_outputs; i++)
        note_readers(&p->outputs[i].operand, -1, last);
    for (int i = 0; i < p->n_states; i++)
        last[p->states[i].value] = -1;
    ob_status st = OB_OK;
    for (int i = 0; i < p->n_values; i++)
        if (last[i] >= 0) p->nodes[last[i]].n_dead++;
    for (int i = 0; i < p->n_nodes && st == OB_OK; i++) {
        p->nodes[i].dead = ob_alloc((size_t)p->nodes[i].n_dead + 1, sizeof(int));
        p->nodes[i].n_dead = 0;
        if (!p->nodes[i].dead)
            st = OB_FAIL(OB_ERR_OOM, "%s: no memory for %d nodes", p->path, p->n_nodes);
    }
    for (int i = 0; i < p->n_values && st == OB_OK; i++)
        if (last[i] >= 0) p->nodes[last[i]].dead[p->nodes[last[i]].n_dead++] = i;
    ob_free(last);
    return st;
}

static ob_status summarise_ops(ob_program *p)
{
    p->ops = ob_alloc((size_t)p->n_nodes + 1, sizeof *p->ops);
    if (!p->ops) return OB_FAIL(OB_ERR_OOM, "%s: no memory for %d ops", p->path, p->n_nodes);
    for (int i = 0; i < p->n_nodes; i++) {
        if (p->nodes[i].function) continue;
        int k = 0;
        while (k < p->n_ops && strcmp(p->ops[k].name, p->nodes[i].target))
            k++;
        if (k == p->n_ops)
            p->ops[p->n_ops++] = (ob_program_op){ p->nodes[i].target, p->nodes[i].op, 0 };
        p->ops[k].count++;
    }
    return OB_OK;
}

/* ---- the whole
 * -------------------------------------------------------------------------------------------------
 */

static ob_status read_model(ob_program *p, ob_reader *r, const json_t *root)
{
    json_t *version = NULL, *module = NULL, *graph = NULL, *signature = NULL, *ranges = NULL;
    int64_t major = 0;
    OB_TRY(ob_json_object(r, root, "schema_version", &version));
    OB_TRY(ob_json_int(r, version, "major", &major));
    if (major != 8)
        return ob_reader_fail(r, OB_ERR_UNSUPPORTED,
                              "export schema %lld, should be 8 (torch 2.9 and later)",
                              (long long)major);
    OB_TRY(ob_json_object(r, root, "graph_module", &module));
    OB_TRY(ob_json_object(r, module, "graph", &graph));
    OB_TRY(ob_json_object(r, module, "signature", &signature));
    OB_TRY(ob_json_object(r, root, "range_constraints", &ranges));
    OB_TRY(ob_program_read_ranges(p, r, ranges));
    OB_TRY(ob_program_read_inputs(p, r, graph, signature));
    OB_TRY(ob_program_read_nodes(p, r, graph));
    OB_TRY(ob_program_read_outputs(p, r, graph, signature));
    OB_TRY(find_last_readers(p));
    return summarise_ops(p);
}

static ob_status read_archive(ob_program *p, ob_archive *a)
{
    const char *entry = NULL;
    void *text = NULL;
    size_t bytes = 0;
    json_t *root = NULL;
    OB_TRY(ob_archive_model(a, &entry));
    OB_TRY(ob_archive_read(a, entry, &text, &bytes));
    ob_reader r = { .path = p->path, .entry = entry };
    ob_status st = ob_json_parse(&r, text, bytes, &root);
    ob_free(text);
    if (st == OB_OK) st = read_model(p, &r, root);
    json_decref(root);
    if (st != OB_OK) return st;
    p->env = ob_alloc((size_t)p->n_values + 1, sizeof *p->env);
    if (!p->env) return OB_FAIL(OB_ERR_OOM, "%s: no memory for %d values", p->path, p->n_values);
    return p->scan_only ? OB_OK : ob_program_read_states(p, a);
}

static ob_status load(const char *path, ob_device device, bool scan_only, ob_program **out)
{
    *out = NULL;
    ob_archive *a = NULL;
    OB_TRY(ob_archive_open(path, &a));
    ob_program *p = ob_alloc(1, sizeof *p);
    if (p) {
        p->path = ob_strdup(path);
        p->ids = json_object();
        p->device = device;
        p->scan_only = scan_only;
    }
    const ob_status st =
        p && p->path && p->ids ? read_archive(p, a) : OB_FAIL(OB_ERR_OOM, "%s: no memory", path);
    ob_archive_close(a);
    if (st == OB_OK)
        *out = p;
    else
        ob_program_release(p);
    return st;
}

ob_status ob_program_load(const char *path, ob_device device, ob_program **out)
{
    return load(path, device, false, out);
}

ob_status ob_program_scan(const char *path, ob_program **out)
{
    return load(path, OB_DEVICE_CPU, true, out);
}

static void reset_node(ob_node *n)
{
    for (int i = 0; i < n->n_args; i++)
        ob_operand_reset(&n->args[i]);
    for (int i = 0; i < n->n_results && n->results; i++)
        ob_free(n->results[i].ids);
    ob_free(n->args);
    ob_free(n->results);
    ob_free(n->dead);
    ob_free(n->target);
}

void ob_program_release(ob_program *p)
{
    if (!p) return;
    for (int i = 0; i < p->n_nodes; i++)
        reset_node(&p->nodes[i]);
    for (int i = 0; i < p->n_inputs; i++) {
        ob_meta_reset(&p->inputs[i].meta);
        ob_value_reset(&p->inputs[i].constant);
        ob_free(p->inputs[i].bounds);
        ob_free((void *)(uintptr_t)p->inputs[i].slot.name);
    }
    for (int i = 0; i < p->n_outputs; i++) {
        ob_operand_reset(&p->outputs[i].operand);
        ob_free(p->outputs[i].bounds);
        ob_free((void *)(uintptr_t)p->outputs[i].slot.name);
    }
    for (int i = 0; i < p->n_states; i++) {
        ob_free(p->states[i].fqn);
        ob_tensor_release(p->states[i].tensor);
    }
    for (int i = 0; i < p->n_ranges; i++)
        ob_expr_free(p->ranges[i].expr);
    ob_free(p->nodes);
    ob_free(p->inputs);
    ob_free(p->outputs);
    ob_free(p->user_outputs);
    ob_free(p->states);
    ob_free(p->ranges);
    ob_free(p->ops);
    ob_free(p->env);
    json_decref(p->ids);
    ob_symbols_reset(&p->symbols);
    ob_free(p->path);
    ob_free(p);
}

int ob_program_n_inputs(const ob_program *p)
{
    return p->n_inputs;
}

int ob_program_n_outputs(const ob_program *p)
{
    return p->n_user_outputs;
}

const ob_program_slot *ob_program_input(const ob_program *p, int i)
{
    return i >= 0 && i < p->n_inputs ? &p->inputs[i].slot : NULL;
}

const ob_program_slot *ob_program_output(const ob_program *p, int i)
{
    return i >= 0 && i < p->n_user_outputs ? &p->user_outputs[i]->slot : NULL;
}

bool ob_program_op_at(const ob_program *p, int i, ob_program_op *out)
{
    if (i < 0 || i >= p->n_ops) return false;
    *out = p->ops[i];
    return true;
}

void ob_program_set_watch(ob_program *p, ob_program_watch watch, void *user)
{
    p->watch = watch;
    p->watch_user = user;
}
