/* The growing text doubles its capacity, and a failed allocation sticks. */
#include "core/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "ob/schema.h"

enum { FIRST_CAPACITY = 128 };

/* Make room for n more bytes and a NUL; false when the text has failed. */
static bool reserve(ob_text *t, size_t n)
{
    if (t->failed) return false;
    if (n < t->capacity - t->length) return true;
    size_t capacity = t->capacity ? t->capacity : FIRST_CAPACITY;
    while (capacity - t->length <= n) {
        if (capacity > SIZE_MAX / 2) {
            t->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char *data = ob_realloc(t->data, capacity, 1);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void ob_text_add_bytes(ob_text *t, const char *bytes, size_t n)
{
    if (!reserve(t, n)) return;
    if (n) memcpy(t->data + t->length, bytes, n);
    t->length += n;
    t->data[t->length] = '\0';
}

void ob_text_add(ob_text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0) t->failed = true;
    if (n < 0 || !reserve(t, (size_t)n)) return;
    va_start(args, fmt);
    vsnprintf(t->data + t->length, t->capacity - t->length, fmt, args);
    va_end(args);
    t->length += (size_t)n;
}

char *ob_text_take(ob_text *t)
{
    ob_text_add_bytes(t, "", 0);
    char *taken = t->failed ? NULL : t->data;
    if (t->failed) ob_free(t->data);
    *t = (ob_text){ 0 };
    return taken;
}

void ob_text_reset(ob_text *t)
{
    ob_free(t->data);
    *t = (ob_text){ 0 };
}

ob_line ob_line_in(char *data, size_t bytes)
{
    if (bytes) data[0] = '\0';
    return (ob_line){ .data = data, .bytes = bytes };
}

void ob_line_add(ob_line *line, const char *fmt, ...)
{
    if (line->bytes == 0 || line->cut) return;
    const size_t room = line->bytes - line->length;
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(line->data + line->length, room, fmt, args);
    va_end(args);
    if (n < 0) return;
    line->cut = (size_t)n >= room;
    line->length += line->cut ? room - 1 : (size_t)n;
}
