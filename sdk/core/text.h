/* Texts: one that grows, for dumps and messages, and one that is cut to a caller's buffer. */
#ifndef OB_CORE_TEXT_H
#define OB_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "ob/attributes.h"

OB_BEGIN_DECLS

/* A growing text. An allocation that fails leaves it marked `failed`; later adds are no-ops. */
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

/* A text in a buffer of `bytes` bytes [borrowed], always NUL-terminated; what does not fit is cut.
 */
typedef struct ob_line {
    char *data;
    size_t bytes, length; /* length <= bytes - 1, or 0 when bytes is 0 */
    bool cut;
} ob_line;

/* Start with an empty text in `data`. */
ob_line ob_line_in(char *data, size_t bytes);
void ob_line_add(ob_line *line, const char *fmt, ...) OB_PRINTF(2, 3);

OB_END_DECLS
#endif
