/* PyTorch's two dumps of an op: its registrations, and its computed table. */
#include "core/alloc.h"
#include "core/text.h"
#include "dispatch/call/call.h"
#include "dispatch/table/compute.h"
#include "ob/schema.h"

static const char *const provenance_texts[] = {
#define OB_X(name, text) text,
    OB_PROVENANCE_LIST(OB_X)
#undef OB_X
};

void ob_dump_table(const ob_op *op, ob_text *out)
{
    ob_inputs inputs;
    ob_inputs_collect(op, &inputs);
    for (int slot = 0; slot < OB_TABLE_SLOTS; slot++) {
        ob_provenance how;
        const ob_record *r = ob_compute_slot(&inputs, slot, &how);
        if (how == OB_PROVENANCE_MISSING) continue;
        ob_text_add(out, "%s: %s%s [%s]\n", ob_key_name(ob_key_at_slot(slot)),
                    r->kernel.flags & OB_KERNEL_FALLTHROUGH ? "fallthrough " : "", r->kernel.debug,
                    provenance_texts[how]);
    }
}

static void dump_definition(ob_op *op, const ob_schema *schema, ob_text *out)
{
    ob_text_add(out, "name: %s\n", op->name);
    if (!schema) {
        ob_text_add(out, "schema: (none)\n");
        return;
    }
    char *text = ob_schema_format(schema);
    const bool inferred = op->def && op->def->inferred;
    ob_text_add(out, "schema: %s\n", text ? text : "");
    if (!text) out->failed = true;
    ob_text_add(out, "debug: %s\n", op->def ? op->def->debug : "built into libob");
    ob_text_add(out, "alias analysis kind: %s\n", inferred ? "CONSERVATIVE" : "FROM_SCHEMA");
    ob_free(text);
}

static void dump_kernels(const ob_op *op, ob_key key, ob_text *out)
{
    const ob_record *newest = ob_op_newest(op, key);
    for (const ob_record *r = newest; r; r = r->next) {
        if (r->key != key) continue;
        ob_text_add(out, "%s%s%s: %s :: %s [ %s%s]\n", ob_key_name(key),
                    ob_key_is_alias(key) ? "[alias]" : "", r == newest ? "" : " (inactive)",
                    r->kernel.debug, r->kernel.signature ? r->kernel.signature : "(none)",
                    r->kernel.flags & OB_KERNEL_FALLTHROUGH ? "fallthrough " : "", "boxed ");
    }
}

/* Run `dump` on the op called `name`, if there is one, and hand over the text. */
static char *dump_with(const char *name, void (*dump)(ob_op *op, ob_text *out))
{
    ob_text text = { 0 };
    ob_op *op = ob_op_peek(name);
    if (op) {
        const bool entered = ob_registry_enter();
        dump(op, &text);
        ob_registry_leave(entered);
    }
    return ob_text_take(&text);
}

static void dump_state(ob_op *op, ob_text *out)
{
    const ob_schema *schema = NULL;
    if (ob_op_parsed_schema(op, &schema) != OB_OK) out->failed = true;
    dump_definition(op, schema, out);
    for (int key = 0; key < OB_KEY_LIMIT; key++)
        dump_kernels(op, (ob_key)key, out);
}

static void dump_table(ob_op *op, ob_text *out)
{
    ob_dump_table(op, out);
}

char *ob_inspect_dump(const char *op_name)
{
    return dump_with(op_name, dump_state);
}

char *ob_inspect_dump_table(const char *op_name)
{
    return dump_with(op_name, dump_table);
}
