/* The start of the dispatcher: on first use, once. */
#include <pthread.h>

#include "dispatch/call/fallbacks.h"
#include "dispatch/table/optable.h"

enum { MAX_HOOKS = 64, NOT_STARTED = 0, READY, FAILED };

typedef struct hook {
    ob_init_stage stage;
    ob_status (*start)(void);
} hook;

static hook hooks[MAX_HOOKS];
static int n_hooks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int state;
static ob_error failure;
static _Thread_local bool starting; /* hooks register, which asks for a ready dispatcher */

void ob_init_hook(ob_init_stage stage, ob_status (*start)(void))
{
    if (n_hooks < MAX_HOOKS) hooks[n_hooks++] = (hook){ stage, start };
}

static ob_status start_all(void)
{
    OB_TRY(ob_fallbacks_install());
    for (int stage = 0; stage < OB_INIT_STAGES; stage++) {
        for (int i = 0; i < n_hooks; i++) {
            if ((int)hooks[i].stage == stage) OB_TRY(hooks[i].start());
        }
    }
    return OB_OK;
}

ob_status ob_dispatch_init(void)
{
    if (OB_LIKELY(atomic_load_explicit(&state, memory_order_acquire) == READY) || starting)
        return OB_OK;
    (void)pthread_mutex_lock(&lock);
    if (atomic_load_explicit(&state, memory_order_relaxed) == NOT_STARTED) {
        starting = true;
        const ob_status st = start_all();
        starting = false;
        if (st != OB_OK) failure = *ob_error_last();
        atomic_store_explicit(&state, st == OB_OK ? READY : FAILED, memory_order_release);
    }
    (void)pthread_mutex_unlock(&lock);
    if (atomic_load_explicit(&state, memory_order_acquire) == READY) return OB_OK;
    return ob_error_restore(&failure);
}
