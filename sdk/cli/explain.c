/* `ob explain OP`: the op's schema, its registrations, and what each key of interest runs. */
#include <string.h>

#include "cli/cli.h"

typedef struct options {
    const char *op, *device;
    bool json, all;
} options;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case 'j':
        o->json = true;
        return 0;
    case 'a':
        o->all = true;
        return 0;
    case 'd':
        o->device = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->op) argp_usage(state);
        o->op = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option argp_rows[] = {
    { "device", 'd', "DEVICE", 0, "The device asked about (default: the first found)", 0 },
    { "all", 'a', NULL, 0, "Every key that has an entry, as PyTorch dumps the table", 0 },
    { "json", 'j', NULL, 0, "Print JSON", 0 },
    { 0 },
};

static const char *provenance_name(ob_provenance p)
{
    static const char *const names[] = {
#define OB_X(name, text) text,
        OB_PROVENANCE_LIST(OB_X)
#undef OB_X
    };
    return names[p];
}

static json_t *entry_json(const ob_op *op, ob_key key)
{
    ob_entry e;
    if (ob_inspect_entry(op, key, &e) != OB_OK) return json_null();
    return json_pack("{s:s, s:s, s:s, s:b, s:s}", "key", ob_key_name(key), "provenance",
                     provenance_name(e.provenance), "registered_to",
                     e.provenance == OB_PROVENANCE_MISSING ? "" : ob_key_name(e.source),
                     "generated", e.generated, "debug", e.debug);
}

static int print_entries(const ob_op *op, const ob_key *keys, size_t n, bool as_json)
{
    char *schema = ob_schema_format(ob_op_schema(op));
    json_t *entries = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(entries, entry_json(op, keys[i]));
    json_t *root = json_pack("{s:s, s:s, s:o}", "op", ob_op_name(op), "schema",
                             schema ? schema : "", "entries", entries);
    ob_free(schema);
    if (as_json) return ob_cli_json(root);
    size_t i;
    json_t *e;
    printf("%s\n", json_string_value(json_object_get(root, "schema")));
    json_array_foreach(entries, i, e)
    {
        const bool generated = json_is_true(json_object_get(e, "generated"));
        printf("  %-24s %s%s%s\n", json_string_value(json_object_get(e, "key")),
               json_string_value(json_object_get(e, "provenance")),
               generated ? " (form made from the op's kernel)" : "", "");
        if (*json_string_value(json_object_get(e, "debug")))
            printf("  %-24s   %s, for %s\n", "", json_string_value(json_object_get(e, "debug")),
                   json_string_value(json_object_get(e, "registered_to")));
    }
    json_decref(root);
    return OB_EXIT_OK;
}

int ob_cmd_explain(int argc, char **argv)
{
    const struct argp argp = {
        argp_rows,
        parse,
        "OP",
        "Show which kernel each key of an op runs, and why: ob explain aten::softmax.int",
        NULL,
        NULL,
        NULL
    };
    options o = { 0 };
    ob_device device;
    ob_op *op = NULL;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (ob_cli_device(o.device, &device) != OB_OK || ob_op_find(o.op, &op) != OB_OK)
        return ob_cli_error("ob explain");
    if (o.all) {
        char *text = ob_inspect_dump_table(o.op);
        fputs(text ? text : "", stdout);
        ob_free(text);
        return OB_EXIT_OK;
    }
    const ob_key keys[] = {
        OB_KEY_BackendSelect,
        ob_key_of(OB_KEY_AutogradFunctionality, (ob_backend)device.backend),
        ob_key_of(OB_KEY_Dense, (ob_backend)device.backend),
        OB_KEY_CPU,
        OB_KEY_Meta,
    };
    return print_entries(op, keys, OB_COUNT(keys), o.json);
}
