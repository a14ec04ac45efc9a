/* Replays programs on key sets, and calls: which kernels ran, with which sets, and how it ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/tensor.h"
#include "replay.h"

enum { MAX_KEYS = 160, MAX_REGS = 16, MAX_ARGS = 8, MAX_LIST = 8, TEXT = 4096 };

static ob_key key_of(const char *name)
{
    ob_key key;
    return ob_key_parse(name ? name : "", &key) == OB_OK ? key : OB_KEY_Undefined;
}

/* "CPU AutogradCPU" of a set, in PyTorch's order. */
static void write_keys(ob_keyset set, char *text, size_t bytes)
{
    ob_key keys[MAX_KEYS];
    const int n = ob_keyset_keys(set, keys, MAX_KEYS);
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < n && used < bytes; i++)
        used +=
            (size_t)snprintf(text + used, bytes - used, "%s%s", i ? " " : "", ob_key_name(keys[i]));
}

/* The set of "CPU AutogradCPU". */
static ob_keyset read_keys(const char *text)
{
    ob_keyset set = 0;
    while (text && *text) {
        char name[64];
        const size_t n = strcspn(text, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        set |= ob_keyset_of(key_of(name));
        text += n + (text[n] == ' ');
    }
    return set;
}

/* ---- programs on key sets ---- */

static bool run_instruction(const json_t *row, ob_keyset *set)
{
    const char *op = json_string_value(json_array_get(row, 0));
    const ob_key key = key_of(json_string_value(json_array_get(row, 1)));
    const ob_keyset other = ob_keyset_of(key);
    if (strcmp(op, "new") == 0)
        *set = other;
    else if (strcmp(op, "add") == 0 || strcmp(op, "or") == 0)
        *set |= other;
    else if (strcmp(op, "remove") == 0 || strcmp(op, "sub") == 0)
        *set = ob_keyset_minus(*set, other);
    else if (strcmp(op, "and_full_after") == 0)
        *set &= ob_keyset_full_after(key);
    else
        return ob_keyset_has(*set, key) == json_is_true(json_array_get(row, 2));
    return true;
}

static void run_program(replay *r, const json_t *line)
{
    const json_t *prog = json_object_get(line, "prog");
    ob_keyset set = 0;
    bool ok = true;
    for (size_t i = 0; i < json_array_size(prog); i++)
        ok = run_instruction(json_array_get(prog, i), &set) && ok;
    char keys[TEXT];
    write_keys(set, keys, sizeof keys);
    const int highest = (int)json_integer_value(json_object_get(line, "highest"));
    if (ok && strcmp(keys, replay_text(line, "keys")) == 0 &&
        highest == (int)ob_keyset_highest(set))
        replay_pass(r);
    else
        replay_fail(r, "%s\n  expected %s, highest %d\n  found    %s, highest %d",
                    ok ? "key set" : "has()", replay_text(line, "keys"), highest, keys,
                    (int)ob_keyset_highest(set));
}

/* ---- calls ---- */

/* A registered kernel and where it notes that it ran. */
typedef struct tracer {
    const char *label;
    ob_key key;
    bool down;
    json_t *trace; /* borrowed */
} tracer;

/* One call: its op, arguments and guards. */
typedef struct call {
    const json_t *header; /* tensor kinds */
    json_t *trace;
    tracer tracers[MAX_REGS];
    ob_value args[MAX_ARGS];
    ob_tensor *lists[MAX_ARGS][MAX_LIST];
    uint32_t n_args;
    ob_guard guards[MAX_REGS];
    int n_guards;
} call;

static ob_status run_tracer(ob_frame *frame)
{
    const tracer *t = frame->user;
    char keys[TEXT];
    write_keys(frame->keys, keys, sizeof keys);
    json_array_append_new(t->trace, json_pack("[s, s]", t->label, keys));
    if (!t->down) {
        frame->results[0] = ob_value_int(1);
        return OB_OK;
    }
    const bool autograd = strncmp(ob_key_name(t->key), "Autograd", 8) == 0;
    const ob_key own = autograd ? OB_KEY_AutogradOther : t->key;
    return ob_redispatch(frame->op, frame->keys & ob_keyset_full_after(own), frame->args,
                         frame->results);
}

/* A tensor that carries the keys of its kind. */
static ob_tensor *make_tensor(const call *c, const char *kind)
{
    static const int64_t sizes[] = { 2, 2 };
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(kind, "+"), kind);
    const ob_device device = strcmp(name, "meta") == 0 ? OB_DEVICE_META : OB_DEVICE_CPU;
    ob_tensor *t = NULL;
    if (strcmp(name, "none") == 0) return NULL;
    if (ob_tensor_create((ob_ints){ sizes, 2 }, OB_F32, device, &t) != OB_OK) return NULL;
    t->keys = read_keys(replay_text(json_object_get(c->header, "tensor_keys"), name));
    ob_tensor_set_requires_grad(t, strchr(kind, '+') != NULL);
    return t;
}

static void make_args(call *c, const json_t *args)
{
    c->n_args = (uint32_t)json_array_size(args);
    for (uint32_t i = 0; i < c->n_args; i++) {
        const json_t *a = json_array_get(args, i);
        ob_value *v = &c->args[i];
        if (json_is_integer(a)) {
            *v = ob_value_int(json_integer_value(a));
        } else if (json_is_array(a)) {
            const size_t n = json_array_size(a);
            for (size_t j = 0; j < n; j++)
                c->lists[i][j] = make_tensor(c, json_string_value(json_array_get(a, j)));
            *v = ob_value_tensors((ob_tensors){ c->lists[i], (int64_t)n });
        } else {
            c->lists[i][0] = make_tensor(c, json_string_value(a));
            *v = ob_value_tensor(c->lists[i][0]);
        }
    }
}

static void free_args(call *c)
{
    for (int i = 0; i < MAX_ARGS; i++)
        for (int j = 0; j < MAX_LIST; j++)
            ob_tensor_release(c->lists[i][j]);
}

static void enter_guards(call *c, const json_t *line)
{
    const char *guard = replay_text(line, "guard");
    const json_t *inc = json_object_get(line, "inc"), *exc = json_object_get(line, "exc");
    if (strcmp(guard, "below_autograd") == 0) c->guards[c->n_guards++] = ob_guard_below_autograd();
    if (strcmp(guard, "below_adinplace") == 0)
        c->guards[c->n_guards++] = ob_guard_below_adinplace();
    if (strcmp(guard, "inference") == 0) c->guards[c->n_guards++] = ob_guard_inference_mode(true);
    for (size_t i = 0; i < json_array_size(inc); i++)
        c->guards[c->n_guards++] =
            ob_guard_include(ob_keyset_of(key_of(json_string_value(json_array_get(inc, i)))));
    for (size_t i = 0; i < json_array_size(exc); i++)
        c->guards[c->n_guards++] =
            ob_guard_exclude(ob_keyset_of(key_of(json_string_value(json_array_get(exc, i)))));
}

/* Define the op and register its kernels. */
static ob_status set_up(call *c, ob_library *lib, const json_t *line)
{
    char text[256];
    const json_t *regs = json_object_get(line, "regs");
    snprintf(text, sizeof text, "op%s", replay_text(line, "schema"));
    OB_TRY(ob_library_def(lib, text, 0));
    for (size_t i = 0; i < json_array_size(regs); i++) {
        const json_t *row = json_array_get(regs, i);
        const char *mode = json_string_value(json_array_get(row, 2));
        tracer *t = &c->tracers[i];
        *t = (tracer){ .label = json_string_value(json_array_get(row, 1)),
                       .key = key_of(json_string_value(json_array_get(row, 0))),
                       .down = strcmp(mode, "down") == 0,
                       .trace = c->trace };
        ob_kernel kernel = { .fn = run_tracer, .user = t, .flags = OB_KERNEL_OVERRIDE };
        if (strcmp(mode, "ft") == 0) kernel = (ob_kernel){ .flags = OB_KERNEL_FALLTHROUGH };
        OB_TRY(ob_library_impl(lib, "op", t->key, &kernel));
    }
    return OB_OK;
}

/* How the call ended, as the recorder words it. */
static void write_end(ob_status st, char *text, size_t bytes)
{
    const char *message = st == OB_OK ? "" : ob_error_last()->message;
    const char *key = strstr(message, "no kernel for key '");
    if (st == OB_OK) {
        snprintf(text, bytes, "ok");
    } else if (st == OB_ERR_AMBIGUOUS) {
        snprintf(text, bytes, "ambiguous");
    } else if (st == OB_ERR_NO_KERNEL && key) {
        key += strlen("no kernel for key '");
        snprintf(text, bytes, "missing:%.*s", (int)strcspn(key, "'"), key);
    } else {
        snprintf(text, bytes, "%s: %.2000s", ob_status_name(st), message);
    }
}

static void check_call(replay *r, call *c, const json_t *line, ob_status st)
{
    char end[TEXT];
    write_end(st, end, sizeof end);
    const json_t *trace = json_object_get(line, "trace");
    if (strcmp(end, replay_text(line, "end")) == 0 && json_equal(trace, c->trace)) {
        replay_pass(r);
        return;
    }
    char *e = json_dumps(trace, 0), *f = json_dumps(c->trace, 0);
    replay_fail(r, "call\n  expected %s %s\n  found    %s %s", replay_text(line, "end"),
                e ? e : "?", end, f ? f : "?");
    free(e);
    free(f);
}

static void run_call(replay *r, const json_t *header, const json_t *line)
{
    call c = { .header = header, .trace = json_array() };
    ob_library *lib = NULL;
    ob_op *op = NULL;
    ob_value result = { .tag = OB_VALUE_ABSENT };
    ob_status st = ob_library_open(OB_LIBRARY_KIND_FRAGMENT, "replay", OB_KEY_Undefined, __FILE__,
                                   __LINE__, &lib);
    if (st == OB_OK) st = set_up(&c, lib, line);
    if (st == OB_OK) st = ob_op_find("replay::op", &op);
    if (st == OB_OK) {
        make_args(&c, json_object_get(line, "args"));
        enter_guards(&c, line);
        st = ob_call_unchecked(op, c.args, &result);
        while (c.n_guards > 0)
            ob_guard_leave(&c.guards[--c.n_guards]);
        free_args(&c);
    }
    check_call(r, &c, line, st);
    ob_library_release(lib);
    json_decref(c.trace);
}

static void each(replay *r, void *user, const json_t *line)
{
    json_t **header = user;
    const char *kind = replay_text(line, "kind");
    if (strcmp(kind, "header") == 0)
        *header = json_deep_copy(line);
    else if (strcmp(kind, "keyset") == 0)
        run_program(r, line);
    else
        run_call(r, *header, line);
}

bool replay_calls(replay *r, const char *path)
{
    json_t *header = NULL;
    const bool ok = replay_each_line(r, path, each, &header);
    json_decref(header);
    return ok;
}
