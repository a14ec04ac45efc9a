/* What the dispatcher keeps per thread: the sets every call adds and takes away, modes, and how
 * deep the thread is inside calls. */
#ifndef OB_DISPATCH_THREAD_H
#define OB_DISPATCH_THREAD_H

#include "dispatch/keys/keyset.h"
#include "ob/inspect.h"

struct ob_reader;

typedef struct ob_thread {
    ob_keyset included;
    ob_keyset kept;           /* what a call keeps: all but `excluded`, backend bits always */
    struct ob_reader *reader; /* how deep the thread is in calls; a stand-in before its first one */
    bool no_grad, inference, strict;
    bool registering; /* holds the registration lock: listeners run like this */
    ob_keyset excluded;
    const ob_call_watcher *watcher; /* NULL: nobody watches */
} ob_thread;

extern _Thread_local ob_thread ob_thread_now OB_FAST_TLS;

#define OB_DEFAULT_INCLUDED (OB_FUNCTIONALITY(BackendSelect) | OB_FUNCTIONALITY(ADInplaceOrView))
#define OB_DEFAULT_EXCLUDED                                           \
    (OB_FUNCTIONALITY(AutocastCPU) | OB_FUNCTIONALITY(AutocastMTIA) | \
     OB_FUNCTIONALITY(AutocastMAIA) | OB_FUNCTIONALITY(AutocastXPU) | \
     OB_FUNCTIONALITY(AutocastIPU) | OB_FUNCTIONALITY(AutocastHPU) |  \
     OB_FUNCTIONALITY(AutocastXLA) | OB_FUNCTIONALITY(AutocastMPS) |  \
     OB_FUNCTIONALITY(AutocastCUDA) | OB_FUNCTIONALITY(AutocastPrivateUse1))

#endif
