/* The program of scan.cl, for scan.c and scatter.c. */
#ifndef OB_DEVICE_SCAN_H
#define OB_DEVICE_SCAN_H

#include "device/program.h"

/* prelude.cl, index.cl and scan.cl */
extern const ob_cl_program ob_cl_scan_program;

#endif
