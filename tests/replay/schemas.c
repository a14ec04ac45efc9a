/* Replays schema texts: accepted or not, what they parse to, how they print. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ob/schema.h"
#include "replay.h"

static json_t *strings(const char *const *texts, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_string(texts[i]));
    return list;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A set of names, sorted as the recorder does. */
static json_t *set_of(const char *const *names, int n)
{
    const char *sorted[16];
    if (n > 16) return strings(names, n);
    for (int i = 0; i < n; i++)
        sorted[i] = names[i];
    if (n > 1) qsort(sorted, (size_t)n, sizeof *sorted, by_text);
    return strings(sorted, n);
}

static json_t *number(double d)
{
    return json_pack("{s:f}", "float", d);
}

static json_t *plain_default(const ob_value *v)
{
    char text[64];
    switch (v->tag) {
    case OB_VALUE_NONE:
        return json_null();
    case OB_VALUE_DOUBLE:
        return number(v->u.d);
    case OB_VALUE_BOOL:
        return json_boolean(v->u.b);
    case OB_VALUE_STRING:
        return json_stringn(v->u.string, v->count);
    case OB_VALUE_COMPLEX:
        return json_pack("{s:[f,f]}", "complex", v->u.c[0], v->u.c[1]);
    case OB_VALUE_DEVICE:
        return json_pack("{s:s}", "device", ob_device_format(v->u.device, text, sizeof text));
    default:
        return json_integer(v->u.i);
    }
}

static json_t *default_of(const ob_value *v)
{
    const bool list = v->tag == OB_VALUE_INTS || v->tag == OB_VALUE_DOUBLES ||
                      v->tag == OB_VALUE_BOOLS || v->tag == OB_VALUE_LIST;
    if (!list) return plain_default(v);
    json_t *items = json_array();
    for (uint32_t i = 0; i < v->count; i++) {
        json_t *item = v->tag == OB_VALUE_INTS      ? json_integer(v->u.ints[i])
                       : v->tag == OB_VALUE_DOUBLES ? number(v->u.doubles[i])
                       : v->tag == OB_VALUE_BOOLS   ? json_boolean(v->u.bools[i])
                                                    : plain_default(&v->u.list[i]);
        json_array_append_new(items, item);
    }
    return items;
}

static json_t *type_of(const ob_type *type)
{
    char text[512];
    (void)ob_type_format(type, text, sizeof text);
    return json_string(text);
}

static json_t *argument_of(const ob_argument *arg)
{
    json_t *o = json_pack("{s:s, s:o}", "n", arg->name, "t", type_of(arg->type));
    json_t *real = type_of(arg->real_type);
    if (!json_equal(real, json_object_get(o, "t"))) json_object_set(o, "rt", real);
    json_decref(real);
    if (arg->has_size) json_object_set_new(o, "N", json_integer(arg->size));
    if (arg->kwarg_only) json_object_set_new(o, "kw", json_true());
    if (arg->has_default) json_object_set_new(o, "d", default_of(&arg->value));
    if (ob_argument_is_out(arg)) json_object_set_new(o, "out", json_true());
    const ob_alias *alias = arg->alias;
    if (alias)
        json_object_set_new(o, "al",
                            json_pack("{s:b, s:o, s:o}", "w", alias->write, "b",
                                      set_of(alias->before, alias->n_before), "a",
                                      set_of(alias->after, alias->n_after)));
    return o;
}

static json_t *arguments_of(const ob_argument *args, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, argument_of(&args[i]));
    return list;
}

static json_t *parsed(const ob_schema *s)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:b, s:b, s:b}", "name", s->name, "ov", s->overload,
                     "args", arguments_of(s->args, s->n_args), "rets",
                     arguments_of(s->returns, s->n_returns), "vararg", s->is_vararg, "varret",
                     s->is_varret, "mutable", s->is_mutable);
}

/* Recorded types are Python's texts, "Future[int]"; a schema has "Future(int)". In place. */
static void use_parentheses(char *type)
{
    static const char *const words[] = { "Future[", "RRef[", "Await[" };
    for (size_t i = 0; i < OB_COUNT(words); i++) {
        for (char *at = type; (at = strstr(at, words[i])) != NULL;) {
            int depth = 1;
            at += strlen(words[i]);
            at[-1] = '(';
            for (char *end = at; *end && depth > 0; end++) {
                depth += (*end == '[') - (*end == ']');
                if (depth == 0) *end = ')';
            }
        }
    }
}

static void normalise_type(json_t *argument, const char *member)
{
    char text[512];
    json_t *type = json_object_get(argument, member);
    if (!json_is_string(type)) return;
    snprintf(text, sizeof text, "%s", json_string_value(type));
    use_parentheses(text);
    json_string_set(type, text);
}

/* Recorded floats are texts, and types are Python's: rewrite both in place. */
static void normalise(json_t *value)
{
    size_t i;
    const char *name;
    json_t *item;
    if (json_is_array(value)) {
        json_array_foreach(value, i, item) normalise(item);
        return;
    }
    if (!json_is_object(value)) return;
    normalise_type(value, "t");
    normalise_type(value, "rt");
    const char *text = json_string_value(json_object_get(value, "float"));
    if (text) json_object_set_new(value, "float", json_real(strtod(text, NULL)));
    json_object_foreach(value, name, item) normalise(item);
}

static void check_text(replay *r, const char *what, const char *expected, const char *found)
{
    if (found && strcmp(expected, found) == 0)
        replay_pass(r);
    else
        replay_fail(r, "%s\n  expected %s\n  found    %s", what, expected, found ? found : "?");
}

static void check_parsed(replay *r, const json_t *line, const ob_schema *schema)
{
    json_t *expected = json_deep_copy(json_object_get(line, "p"));
    json_t *found = parsed(schema);
    normalise(expected);
    if (json_equal(expected, found)) {
        replay_pass(r);
    } else {
        char *e = json_dumps(expected, JSON_SORT_KEYS), *f = json_dumps(found, JSON_SORT_KEYS);
        replay_fail(r, "%s\n  expected %s\n  found    %s", replay_text(line, "s"), e ? e : "?",
                    f ? f : "?");
        free(e);
        free(f);
    }
    json_decref(expected);
    json_decref(found);
}

static void check_verdict(replay *r, const json_t *line, unsigned flags, bool accepted)
{
    ob_schema *schema = NULL;
    const ob_status st = ob_schema_parse(replay_text(line, "s"), flags, &schema);
    if ((st == OB_OK) == accepted)
        replay_pass(r);
    else
        replay_fail(r, "%s: expected %s, found %s", replay_text(line, "s"),
                    accepted ? "accepted" : replay_text(line, "err"),
                    st == OB_OK ? "accepted" : ob_error_last()->message);
    if (st == OB_OK && accepted && flags) {
        check_parsed(r, line, schema);
        char *text = ob_schema_format(schema);
        if (json_object_get(line, "c")) check_text(r, "printed", replay_text(line, "c"), text);
        ob_free(text);
    }
    ob_schema_free(schema);
}

static void each(replay *r, void *user, const json_t *line)
{
    (void)user;
    if (strcmp(replay_text(line, "kind"), "header") == 0) return;
    const bool accepted = json_is_true(json_object_get(line, "ok"));
    const json_t *without = json_object_get(line, "notv");
    check_verdict(r, line, OB_SCHEMA_TYPE_VARIABLES, accepted);
    check_verdict(r, line, 0, without ? json_is_null(without) : accepted);
}

bool replay_schemas(replay *r, const char *path)
{
    return replay_each_line(r, path, each, NULL);
}
