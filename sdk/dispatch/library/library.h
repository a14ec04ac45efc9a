/* Libraries from the inside: what they hold, and how it is registered. */
#ifndef OB_DISPATCH_LIBRARY_H
#define OB_DISPATCH_LIBRARY_H

#include "dispatch/table/optable.h"

typedef enum ob_item_kind { OB_ITEM_DEF, OB_ITEM_KERNEL, OB_ITEM_FALLBACK } ob_item_kind;

/* One thing that a library registered. */
typedef struct ob_item {
    struct ob_item *next;
    ob_item_kind kind;
    ob_op *op; /* NULL for a fallback */
    ob_def *def;
    ob_record *record;
    int slot; /* of a fallback */
} ob_item;

struct ob_library {
    ob_retired retired;
    ob_library_kind kind;
    ob_key key;
    char *ns;
    char *debug;      /* "registered at file:line" */
    const char *file; /* a literal */
    int line;
    const void *owner; /* package whose code opened it while being loaded; NULL: none */
    ob_library **slot; /* of a static library: the pointer to it there; NULL: none */
    ob_item *items;    /* newest first */
    ob_library *next;  /* libraries alive */
};

/* Undo the items that were added after `until` (NULL: all), refresh their ops when `refresh`, and
 * free them when no call can see them. Registration lock held. */
void ob_library_undo(ob_library *lib, const ob_item *until, bool refresh);

/* "ns::name" of a name given with or without the library's namespace [owned: ob_free()]. OB_ERR_ARG
 * for another namespace, OB_ERR_OOM. */
ob_status ob_library_qualify(const ob_library *lib, const char *name, char **out) OB_MUST_USE;

/* Static libraries that this thread opens from now on belong to `owner` (NULL: nobody); release
 * those that do, which must happen before their code goes. */
void ob_library_set_owner(const void *owner);
void ob_library_release_owned(const void *owner);

/* Tell listeners of a def, or of an un-def that is about to happen. Registration lock held. */
void ob_listeners_tell(const ob_op *op, bool defined);

/* Check a kernel's signature against a definition. OB_ERR_MISMATCH names op, both texts, both
 * places and the difference. */
ob_status ob_signature_check(const ob_op *op, const ob_schema *schema, const char *where,
                             const ob_record *record) OB_MUST_USE;

#endif
