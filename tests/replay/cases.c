/* Replays recorded operator calls (one JSON object a line) on a device: the call ends as recorded,
 * with the same results, and leaves behind the same memory. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "ob/backend.h"

/* "aten::add.Tensor" of "aten.add.Tensor", "aten::relu" of "aten.relu.default". */
static void op_name_of(const char *recorded, char *name, size_t bytes)
{
    const size_t space = strcspn(recorded, ".");
    const char *op = recorded + space + (recorded[space] == '.');
    const char *overload = strchr(op, '.');
    const int n =
        (int)(overload && strcmp(overload, ".default") == 0 ? (size_t)(overload - op) : strlen(op));
    snprintf(name, bytes, "%.*s::%.*s", (int)space, recorded, n, op);
}

/* The op, when there is a kernel or a composite for it on the device. */
static bool find_op(replay_case *c)
{
    char name[256];
    op_name_of(replay_text(c->line, "op"), name, sizeof name);
    c->op = ob_op_peek(name);
    c->schema = c->op ? ob_op_schema(c->op) : NULL;
    return c->schema && ob_inspect_served(c->op, c->device) != OB_SERVED_MISSING;
}

static ob_status make_frame(replay_case *c)
{
    c->args = ob_scope_alloc(c->scope, (size_t)(c->schema->n_args + 1) * sizeof *c->args);
    c->results = ob_scope_alloc(c->scope, (size_t)(c->schema->n_returns + 1) * sizeof *c->results);
    if (!c->args || !c->results) return ob_scope_status(c->scope);
    return case_make_arguments(c);
}

static ob_status check_call(replay_case *c)
{
    const uint32_t n_args = (uint32_t)c->schema->n_args, n = (uint32_t)c->schema->n_returns;
    ob_status st = ob_call(c->op, c->args, n_args, c->results, n);
    if (st == OB_OK) st = ob_device_synchronize(c->device); /* may refuse what it sees only then */
    const bool refusal = json_object_get(json_object_get(c->line, "expect"), "error") != NULL;
    if (refusal) return case_check_refusal(c, st);
    OB_TRY(st);
    OB_TRY(case_check_outputs(c));
    return case_check_storages(c);
}

static ob_status run_case(replay_case *c)
{
    OB_TRY(make_frame(c));
    const ob_status st = check_call(c);
    for (int32_t i = 0; i < c->schema->n_returns; i++)
        ob_value_reset(&c->results[i]);
    return st;
}

static void each(replay *r, void *user, const json_t *line)
{
    (void)user;
    replay_case c = { .line = line, .device = r->device };
    if (!find_op(&c)) {
        r->skipped++;
        printf("line %zu: skipped %s\n", r->line, replay_text(line, "op"));
        return;
    }
    c.scope = ob_scope_open();
    ob_status st = run_case(&c);
    if (st == OB_OK)
        replay_pass(r);
    else
        replay_fail(r, "%s %s: %s", replay_text(line, "id"), replay_text(line, "op"),
                    ob_error_last()->message);
    st = ob_scope_close(c.scope, NULL, NULL);
    (void)st; /* told above */
}

bool replay_cases(replay *r, const char *path)
{
    return replay_each_line(r, path, each, NULL);
}
