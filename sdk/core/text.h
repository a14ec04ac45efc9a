/* A growing text for dumps and messages. An allocation that fails leaves it marked `failed`; later
 * adds are no-ops. */
#ifndef OB_CORE_TEXT_H
#define OB_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "ob/attributes.h"

typedef struct ob_text {
    char *data; /* NUL-terminated; NULL when nothing was added */
    size_t length, capacity;
    bool failed;
} ob_text;

void ob_text_add(ob_text *t, const char *fmt, ...) OB_PRINTF(2, 3);
void ob_text_add_bytes(ob_text *t, const char *bytes, size_t n);
/* Take the text [owned: ob_free()], "" when nothing was added; NULL if an allocation failed. The
 * builder is empty afterwards. */
char *ob_text_take(ob_text *t);
void ob_text_reset(ob_text *t);

#endif
