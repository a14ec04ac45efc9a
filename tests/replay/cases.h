/* One recorded operator call: its tensors, its arguments, and what must have come of it.
 *
 * What a case makes lives in its scope. Functions that fail say why as libob does, with OB_FAIL. */
#ifndef OB_REPLAY_CASES_H
#define OB_REPLAY_CASES_H

#include "ob/scope.h"
#include "replay.h"

enum { CASE_STORES = 64 };

/* A whole storage of the case, as a flat tensor of all its elements. */
typedef struct case_store {
    char name[64];   /* the parameter, "name[i]" in a list, or the named storage */
    ob_tensor *flat; /* scope */
    const json_t *data;
} case_store;

typedef struct replay_case {
    const json_t *line;
    ob_device device; /* where its tensors live */
    ob_scope *scope;
    const ob_op *op;
    const ob_schema *schema;
    ob_value *args, *results; /* scope; as many as the schema has */
    case_store stores[CASE_STORES];
    int n_stores;
} replay_case;

/* ---- elements ---- */

/* An element of any dtype: an integer or a bool in `i`, any other in `re` and `im`. */
typedef struct element {
    bool whole;
    int64_t i;
    double re, im;
} element;

/* How close a found value must be; `signed_zero`: -0 is not 0. */
typedef struct closeness {
    double rtol, atol;
    bool signed_zero;
} closeness;

/* A JSON number, bool, word ("nan", "inf", "-inf") or pair [re, im]; false for anything else. */
bool element_parse(const json_t *json, element *out);
element element_load(ob_dtype dtype, const void *at);
void element_store(ob_dtype dtype, element e, void *at);
bool element_close(element expected, element found, const closeness *c);
/* The closeness of a dtype when the case gives none. */
closeness closeness_of(ob_dtype dtype);
/* Print for a human; returns `buf`. */
char *element_format(element e, char *buf, size_t bytes);

/* ---- arguments ---- */

/* Make the case's storages and arguments, absent where the case gives none. */
ob_status case_make_arguments(replay_case *c);

/* Make a tensor of the case; `name` names its storage, unless it lives in a named one [out, scope].
 */
ob_status case_make_tensor(replay_case *c, const json_t *json, const char *name, ob_tensor **out);

/* Make the case's named storages. */
ob_status case_make_storages(replay_case *c);

/* ---- checks: OB_ERR_MISMATCH with expected and found ---- */

ob_status case_check_outputs(const replay_case *c);
/* Every storage that the case lists. */
ob_status case_check_storages(const replay_case *c);
/* After a refusal: its class, what the message tells, and that no storage has changed. */
ob_status case_check_refusal(const replay_case *c, ob_status found);

#endif
