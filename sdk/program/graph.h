/* A loaded program in memory. Values are numbered; a node reads operands and binds its results to
 * value ids. The order of the nodes is the order of execution. Built by load.c (graph), signature.c
 * (inputs, outputs), weights.c; run by run.c. */
#ifndef OB_PROGRAM_GRAPH_H
#define OB_PROGRAM_GRAPH_H

#include "ob/program.h"
#include "program/archive.h"
#include "program/expr/expr.h"
#include "program/expr/scalar_ops.h"
#include "program/json.h"

typedef enum ob_operand_kind {
    OB_OPERAND_CONST, /* `value` */
    OB_OPERAND_REF,   /* value number `ref` */
    OB_OPERAND_LIST   /* `items`, gathered into a list with tag `value.tag` */
} ob_operand_kind;

typedef struct ob_operand {
    ob_operand_kind kind;
    int ref;
    int n_items;
    struct ob_operand *items; /* owned */
    ob_value value;           /* owned */
    void *scratch;            /* owned: room for the gathered list of a run */
} ob_operand;

/* What one return of a node binds: one value, or for a list return its elements. -1: not kept. */
typedef struct ob_binding {
    bool is_list;
    int n;
    int *ids; /* owned */
} ob_binding;

typedef struct ob_node {
    char *target;                 /* "aten::add.Tensor", "_operator.add" [owned] */
    const ob_op *op;              /* NULL for a scalar function, and in a scan for an unknown op */
    const ob_scalar_op *function; /* on symbolic scalars; NULL for an op */
    ob_operand *args;             /* owned; schema order; ABSENT takes the default */
    int n_args;
    ob_binding *results; /* owned */
    int n_results;
    int *dead; /* owned: values that are read here for the last time */
    int n_dead;
} ob_node;

typedef struct ob_meta {
    ob_dtype dtype;
    int rank;
    ob_expr **sizes; /* owned */
} ob_meta;

typedef enum ob_input_kind {
    OB_INPUT_USER,    /* a tensor or number from the caller */
    OB_INPUT_CONSTANT /* a Python constant baked at export; the caller may repeat it */
} ob_input_kind;

typedef struct ob_input {
    ob_input_kind kind;
    int value;         /* id */
    ob_value constant; /* owned; of OB_INPUT_CONSTANT */
    ob_meta meta;      /* of a tensor */
    ob_program_slot slot;
    int64_t *bounds; /* owned: sizes, min, max of the slot */
} ob_input;

typedef enum ob_output_kind {
    OB_OUTPUT_USER,
    OB_OUTPUT_BUFFER,
    OB_OUTPUT_INPUT,
    OB_OUTPUT_IGNORED
} ob_output_kind;

typedef struct ob_output {
    ob_output_kind kind;
    ob_operand operand;
    int target; /* BUFFER: value id of the buffer; INPUT: index of the input */
    ob_program_slot slot;
    int64_t *bounds;
} ob_output;

/* Parameters, buffers, constants: alive between runs. */
typedef struct ob_state {
    int value; /* id */
    char *fqn; /* owned */
    bool is_constant;
    ob_tensor *tensor; /* owned; NULL in a scan */
} ob_state;

typedef struct ob_range {
    ob_expr *expr; /* owned */
    int64_t min, max;
} ob_range;

struct ob_program {
    char *path; /* owned */
    ob_device device;
    bool scan_only;
    ob_symbols symbols;
    json_t *ids; /* value name -> id; owned */
    int n_values;
    ob_node *nodes;
    int n_nodes;
    ob_input *inputs;
    int n_inputs;
    ob_output *outputs;
    int n_outputs, n_user_outputs;
    ob_output **user_outputs; /* owned array, borrowed elements */
    ob_state *states;
    int n_states;
    ob_range *ranges;
    int n_ranges;
    ob_program_op *ops; /* owned; summary for ob_program_op_at() */
    int n_ops;
    ob_value *env; /* owned: n_values, absent between runs but for states */
    ob_program_watch watch;
    void *watch_user;
};

/* Number of a value that is there already; -1. */
int ob_program_value(const ob_program *p, const char *name);
/* Give a new value its number; OB_ERR_PARSE when the name is taken. */
ob_status ob_program_new_value(ob_program *p, const ob_reader *r, const char *name,
                               int *out) OB_MUST_USE;

/* Read an Argument union into an operand [owned]; `type` is the schema's type for it, NULL if there
 * is none. */
ob_status ob_operand_read(ob_program *p, const ob_reader *r, const json_t *argument,
                          const ob_type *type, ob_operand *out) OB_MUST_USE;
void ob_operand_reset(ob_operand *operand);

/* Read a TensorMeta: dtype and sizes [owned]. */
ob_status ob_meta_read(ob_program *p, const ob_reader *r, const json_t *meta,
                       ob_meta *out) OB_MUST_USE;
void ob_meta_reset(ob_meta *meta);
/* A SymInt: {as_int} or {as_expr}. */
ob_status ob_symint_read(ob_program *p, const ob_reader *r, const json_t *symint,
                         ob_expr **out) OB_MUST_USE;

ob_status ob_program_read_nodes(ob_program *p, ob_reader *r, const json_t *graph) OB_MUST_USE;
ob_status ob_program_read_inputs(ob_program *p, ob_reader *r, const json_t *graph,
                                 const json_t *signature) OB_MUST_USE;
ob_status ob_program_read_outputs(ob_program *p, ob_reader *r, const json_t *graph,
                                  const json_t *signature) OB_MUST_USE;
ob_status ob_program_read_ranges(ob_program *p, ob_reader *r, const json_t *ranges) OB_MUST_USE;
/* Load the weights of all states to p->device. */
ob_status ob_program_read_states(ob_program *p, ob_archive *a) OB_MUST_USE;

#endif
