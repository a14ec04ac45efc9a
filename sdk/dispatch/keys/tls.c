/* Thread-local dispatch state: the included and excluded sets, grad and inference mode, strictness,
 * and the guards that change them for a while. PyTorch: c10/core/impl/LocalDispatchKeySet.cpp,
 * c10/core/InferenceMode.h, ATen/core/LegacyTypeDispatch.h. */
#include "dispatch/table/reclaim.h"

_Thread_local ob_thread ob_thread_now OB_FAST_TLS = { .included = OB_DEFAULT_INCLUDED,
                                                      .kept = ~OB_DEFAULT_EXCLUDED,
                                                      .excluded = OB_DEFAULT_EXCLUDED,
                                                      .reader = &ob_no_reader };

enum {
    RESTORES_INCLUDED = 1,
    RESTORES_EXCLUDED = 2,
    RESTORES_GRAD = 4,
    RESTORES_INFERENCE = 8,
    RESTORES_STRICT = 16
};

ob_dispatch_state ob_dispatch_state_get(void)
{
    const ob_thread *t = &ob_thread_now;
    return (ob_dispatch_state){ .included = t->included,
                                .excluded = t->excluded,
                                .grad_mode = !t->no_grad,
                                .inference_mode = t->inference,
                                .strict = t->strict };
}

void ob_dispatch_state_set(ob_dispatch_state state)
{
    ob_thread *t = &ob_thread_now;
    t->included = state.included;
    t->excluded = state.excluded;
    t->kept = ~state.excluded | OB_BACKEND_BITS;
    t->no_grad = !state.grad_mode;
    t->inference = state.inference_mode;
    t->strict = state.strict;
}

/* Enter `wanted`, remembering the state before and which parts of it leave puts back. */
static ob_guard enter(ob_dispatch_state wanted, uint32_t restores)
{
    const ob_guard guard = { .saved = ob_dispatch_state_get(), .restores = restores };
    ob_dispatch_state_set(wanted);
    return guard;
}

ob_guard ob_guard_include(ob_keyset set)
{
    ob_dispatch_state s = ob_dispatch_state_get();
    s.included |= set;
    return enter(s, RESTORES_INCLUDED);
}

ob_guard ob_guard_exclude(ob_keyset set)
{
    ob_dispatch_state s = ob_dispatch_state_get();
    s.excluded |= set;
    return enter(s, RESTORES_EXCLUDED);
}

ob_guard ob_guard_force(ob_keyset included, ob_keyset excluded)
{
    ob_dispatch_state s = ob_dispatch_state_get();
    s.included = included;
    s.excluded = excluded;
    return enter(s, RESTORES_INCLUDED | RESTORES_EXCLUDED);
}

ob_guard ob_guard_below_autograd(void)
{
    return ob_guard_exclude(ob_keyset_autograd());
}

ob_guard ob_guard_below_adinplace(void)
{
    return ob_guard_exclude(ob_keyset_autograd() | OB_FUNCTIONALITY(ADInplaceOrView));
}

ob_guard ob_guard_skip_functionalize(void)
{
    return ob_guard_exclude(OB_FUNCTIONALITY(Functionalize));
}

ob_guard ob_guard_inference_mode(bool on)
{
    ob_dispatch_state s = ob_dispatch_state_get();
    s.inference_mode = on;
    s.grad_mode = !on;
    if (on) {
        s.included = ob_keyset_minus(s.included, OB_FUNCTIONALITY(ADInplaceOrView));
        s.excluded |= ob_keyset_autograd();
    } else {
        s.included |= OB_FUNCTIONALITY(ADInplaceOrView);
        s.excluded = ob_keyset_minus(s.excluded, ob_keyset_autograd());
    }
    return enter(s, RESTORES_INCLUDED | RESTORES_EXCLUDED | RESTORES_GRAD | RESTORES_INFERENCE);
}

ob_guard ob_guard_grad_mode(bool on)
{
    ob_dispatch_state s = ob_dispatch_state_get();
    s.grad_mode = on;
    return enter(s, RESTORES_GRAD);
}

ob_guard ob_guard_strict(bool on)
{
    ob_dispatch_state s = ob_dispatch_state_get();
    s.strict = on;
    return enter(s, RESTORES_STRICT);
}

void ob_guard_leave(const ob_guard *guard)
{
    ob_dispatch_state s = ob_dispatch_state_get();
    if (guard->restores & RESTORES_INCLUDED) s.included = guard->saved.included;
    if (guard->restores & RESTORES_EXCLUDED) s.excluded = guard->saved.excluded;
    if (guard->restores & RESTORES_GRAD) s.grad_mode = guard->saved.grad_mode;
    if (guard->restores & RESTORES_INFERENCE) s.inference_mode = guard->saved.inference_mode;
    if (guard->restores & RESTORES_STRICT) s.strict = guard->saved.strict;
    ob_dispatch_state_set(s);
}

static ob_keyset with_key(ob_keyset set, ob_key key, bool on)
{
    return on ? set | ob_keyset_of(key) : ob_keyset_minus(set, ob_keyset_of(key));
}

void ob_tls_set_included(ob_key key, bool on)
{
    ob_dispatch_state s = ob_dispatch_state_get();
    s.included = with_key(s.included, key, on);
    ob_dispatch_state_set(s);
}

void ob_tls_set_excluded(ob_key key, bool on)
{
    ob_dispatch_state s = ob_dispatch_state_get();
    s.excluded = with_key(s.excluded, key, on);
    ob_dispatch_state_set(s);
}

bool ob_tls_is_included(ob_key key)
{
    return ob_keyset_has(ob_dispatch_state_get().included, key);
}

bool ob_tls_is_excluded(ob_key key)
{
    return ob_keyset_has(ob_dispatch_state_get().excluded, key);
}
