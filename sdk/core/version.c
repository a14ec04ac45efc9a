/* The version of libob, from the build. */
#include "ob/status.h"

const char *ob_version(void)
{
    return OB_VERSION;
}
