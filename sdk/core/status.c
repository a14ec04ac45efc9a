/* The error record: one per thread, made at the thread's first error and freed when it ends.
 *
 * The record is reached through a thread-local pointer and not itself thread-local: libob's
 * thread-local block is in static TLS, where a dlopen() finds about 1 KB free and a record takes
 * four. A thread without memory for its record has the shared, constant `no_memory`. */
#include "ob/status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/text.h"
#include "ob/schema.h"

static const ob_error no_error = { .status = OB_OK };
static const ob_error no_memory = { .status = OB_ERR_OOM,
                                    .message = "no memory for the thread's error record" };

static _Thread_local OB_FAST_TLS ob_error *record;
static _Thread_local OB_FAST_TLS bool record_lost; /* the last error found no memory */

static pthread_key_t record_key; /* its destructor frees a thread's record */
static pthread_once_t record_once = PTHREAD_ONCE_INIT;
static bool record_key_made;

static void record_free(void *memory)
{
    record = NULL;
    ob_free(memory);
}

static void record_key_make(void)
{
    record_key_made = pthread_key_create(&record_key, record_free) == 0;
}

OB_DESTRUCTOR static void record_key_drop(void)
{
    if (!record_key_made) return;
    pthread_key_delete(record_key);
    record_free(record);
}

/* This thread's record, made if need be; NULL when memory is out. */
static ob_error *record_get(void)
{
    if (OB_LIKELY(record != NULL)) return record;
    (void)pthread_once(&record_once, record_key_make);
    ob_error *made = record_key_made ? ob_alloc(1, sizeof *made) : NULL;
    if (made && pthread_setspecific(record_key, made) != 0) {
        ob_free(made);
        made = NULL;
    }
    record = made;
    record_lost = made == NULL;
    return made;
}

ob_status ob_error_set(ob_status st, const char *file, int line, const char *fmt, ...)
{
    char text[OB_ERROR_MESSAGE_BYTES]; /* apart from the record: arguments may point into it */
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ob_error *e = record_get();
    if (!e) return st;
    record_lost = false;
    e->status = st;
    e->n_frames = 1;
    e->frames[0] = (ob_error_frame){ file, line };
    if (n < 0) text[0] = '\0';
    memcpy(e->message, text, strlen(text) + 1);
    return st;
}

ob_status ob_error_via(ob_status st, const char *file, int line)
{
    if (record && record->n_frames < OB_ERROR_FRAMES)
        record->frames[record->n_frames++] = (ob_error_frame){ file, line };
    return st;
}

ob_status ob_error_prefix(ob_status st, const char *fmt, ...)
{
    if (!record) return st;
    char text[OB_ERROR_MESSAGE_BYTES];
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0) text[0] = '\0';
    ob_line line = { .data = text, .bytes = sizeof text, .length = strlen(text) };
    ob_line_add(&line, ": %s", record->message);
    memcpy(record->message, text, strlen(text) + 1);
    return st;
}

const ob_error *ob_error_last(void)
{
    if (record_lost) return &no_memory;
    return record ? record : &no_error;
}

ob_status ob_error_restore(const ob_error *e)
{
    if (e == record) return e->status;
    ob_error *mine = record_get();
    if (!mine) return e->status;
    record_lost = false;
    *mine = *e;
    return e->status;
}

void ob_error_clear(void)
{
    record_lost = false;
    if (!record) return;
    record->status = OB_OK;
    record->n_frames = 0;
    record->message[0] = '\0';
}

static const struct {
    const char *name, *text;
} statuses[] = { [OB_OK] = { "OK", "no error" },
#define OB_X(id, sentence) [OB_ERR_##id] = { #id, sentence },
                 OB_STATUS_LIST(OB_X)
#undef OB_X
};

static bool is_status(ob_status st)
{
    return (unsigned)st < OB_STATUS_COUNT;
}

const char *ob_status_text(ob_status st)
{
    return is_status(st) ? statuses[st].text : "no status of Outboard";
}

const char *ob_status_name(ob_status st)
{
    return is_status(st) ? statuses[st].name : "?";
}

char *ob_error_format(const ob_error *e, char *buf, size_t bytes)
{
    ob_line line = ob_line_in(buf, bytes);
    ob_line_add(&line, "%s", ob_status_text(e->status));
    if (e->message[0]) ob_line_add(&line, "\n  %s", e->message);
    for (int i = 0; i < e->n_frames; i++)
        ob_line_add(&line, "\n  %s %s:%d", i ? "via" : "at", e->frames[i].file, e->frames[i].line);
    return buf;
}
