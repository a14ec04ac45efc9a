/* An op's observable state as the recorder writes it. */
#ifndef OB_REPLAY_TABLES_H
#define OB_REPLAY_TABLES_H

#include "replay.h"

enum { OBSERVATION_BYTES = 1 << 14 };

/* {"schema":..., "k":{...}, "t":"..."} of an op as the recorder would see it, null when the op does
 * not exist [new reference]. */
json_t *observe(const char *op_name);

#endif
