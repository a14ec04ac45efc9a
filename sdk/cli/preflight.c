/* `ob preflight MODEL.pt2`: every op the model needs and how the device would serve it, at once,
 * without running. */
#include <string.h>

#include "cli/cli.h"

typedef struct options {
    const char *model, *device;
    bool json;
} options;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case 'j':
        o->json = true;
        return 0;
    case 'd':
        o->device = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->model) argp_usage(state);
        o->model = arg;
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
    { "json", 'j', NULL, 0, "Print JSON", 0 },
    { 0 },
};

int ob_cmd_preflight(int argc, char **argv)
{
    const struct argp argp = {
        argp_rows, parse, "MODEL.pt2", "List every op a program needs and how a device serves it.",
        NULL,      NULL,  NULL
    };
    options o = { 0 };
    ob_device device;
    ob_program *program = NULL;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (ob_cli_device(o.device, &device) != OB_OK || ob_program_scan(o.model, &program) != OB_OK)
        return ob_cli_error("ob preflight");
    json_t *rows = json_array();
    ob_program_op op;
    int lacking = 0;
    for (int i = 0; ob_program_op_at(program, i, &op); i++) {
        const ob_served how = op.op ? ob_inspect_served(op.op, device) : OB_SERVED_MISSING;
        const char *served = op.op ? ob_served_name(how) : "unknown";
        lacking += how == OB_SERVED_MISSING;
        json_array_append_new(rows, json_pack("{s:s, s:I, s:s}", "op", op.name, "count",
                                              (json_int_t)op.count, "served", served));
        if (!o.json) printf("%-10s %4lld x  %s\n", served, (long long)op.count, op.name);
    }
    ob_program_release(program);
    if (o.json)
        ob_cli_json(json_pack("{s:i, s:O}", "lacking", lacking, "ops", rows));
    else
        printf("%d of %zu ops lack a kernel\n", lacking, json_array_size(rows));
    json_decref(rows);
    return lacking ? OB_EXIT_FAILED : OB_EXIT_OK;
}
