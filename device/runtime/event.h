/* Events of streams: the callbacks of ob_backend_api, without `self`. */
#ifndef OB_DEVICE_EVENT_H
#define OB_DEVICE_EVENT_H

#include "ob/backend.h"

ob_status ob_cl_event_record(ob_event **out) OB_MUST_USE;
ob_status ob_cl_event_wait(ob_event *event) OB_MUST_USE;
ob_status ob_cl_event_block(ob_stream *stream, ob_event *event) OB_MUST_USE;
ob_status ob_cl_event_query(ob_event *event, int32_t *done) OB_MUST_USE;
/* Waits for both. 0 when `to` came first. */
ob_status ob_cl_event_elapsed(ob_event *from, ob_event *to, uint64_t *ns) OB_MUST_USE;
void ob_cl_event_destroy(ob_event *event);

#endif
