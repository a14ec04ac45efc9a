/* Listeners: told of definitions as they come and go. PyTorch: OpRegistrationListener.h. */
#include "core/alloc.h"
#include "dispatch/library/library.h"
#include "ob/schema.h"

struct ob_listener {
    void (*on_def)(void *user, const ob_op *op);
    void (*on_undef)(void *user, const ob_op *op);
    void *user;
    ob_listener *next;
};

static ob_listener *listeners; /* under the registration lock */

void ob_listeners_tell(const ob_op *op, bool defined)
{
    for (ob_listener *l = listeners, *next; l; l = next) {
        next = l->next;
        if (defined && l->on_def) l->on_def(l->user, op);
        if (!defined && l->on_undef) l->on_undef(l->user, op);
    }
}

static void replay(void *user, ob_op *op)
{
    const ob_listener *l = user;
    if (l->on_def && atomic_load_explicit(&op->defined, memory_order_acquire))
        l->on_def(l->user, op);
}

ob_status ob_listener_add(void (*on_def)(void *user, const ob_op *op),
                          void (*on_undef)(void *user, const ob_op *op), void *user,
                          ob_listener **out)
{
    *out = NULL;
    OB_TRY(ob_dispatch_init());
    ob_listener *l = ob_alloc(1, sizeof *l);
    if (!l) return OB_FAIL(OB_ERR_OOM, "no memory for a listener");
    *l = (ob_listener){ .on_def = on_def, .on_undef = on_undef, .user = user };
    const ob_status st = ob_registry_begin("listener");
    if (st != OB_OK) {
        ob_free(l);
        return st;
    }
    l->next = listeners;
    listeners = l;
    ob_optable_each(replay, l);
    ob_registry_leave(true);
    *out = l;
    return OB_OK;
}

void ob_listener_release(ob_listener *listener)
{
    if (!listener) return;
    const bool entered = ob_registry_enter();
    ob_listener **at = &listeners;
    while (*at && *at != listener)
        at = &(*at)->next;
    if (*at) *at = listener->next;
    ob_registry_leave(entered);
    ob_free(listener);
}
