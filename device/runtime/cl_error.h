/* OpenCL's error codes as Outboard's: the one place where a cl_int becomes an ob_status. */
#ifndef OB_DEVICE_CL_ERROR_H
#define OB_DEVICE_CL_ERROR_H

#include <CL/cl.h>

#include "ob/status.h"

/* "CL_INVALID_VALUE" for -30 [borrowed, static]; "unknown code" for others. */
const char *ob_cl_code_name(cl_int code);

/* OB_ERR_OOM for codes that mean memory, else OB_ERR_DEVICE. */
ob_status ob_cl_code_status(cl_int code);

/* Record "<call>: <code name> (<number>)" at a place; OB_OK for CL_SUCCESS. Use CL_TRY(). */
ob_status ob_cl_check(cl_int code, const char *call, const char *file, int line);

/* Return with an error when an OpenCL call does not succeed. */
#define CL_TRY(call) OB_TRY(ob_cl_check((call), #call, __FILE__, __LINE__))

#endif
