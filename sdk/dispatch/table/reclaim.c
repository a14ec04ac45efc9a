/* Grace periods for lock-free calls (see reclaim.h), and ob_dispatch_quiesce(). PyTorch has no
 * counterpart: it declares registering during calls of the same op a race. */
#define _DEFAULT_SOURCE 1 /* syscall() */
#include "dispatch/table/reclaim.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "ob/library.h"
#include "ob/schema.h"

ob_reader ob_no_reader;

static _Atomic(ob_reader *) readers;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static bool have_barrier, have_key;

/* Under the registration lock: retired since the last batch, and the batch that waits. */
static ob_retired *pending, *waiting;

static void give_back_reader(void *reader)
{
    atomic_store_explicit(&((ob_reader *)reader)->taken, false, memory_order_release);
}

static void set_up(void)
{
    have_key = pthread_key_create(&thread_end, give_back_reader) == 0;
    have_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static bool barrier(void)
{
    (void)pthread_once(&once, set_up);
    return have_barrier && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static ob_reader *reuse_reader(void)
{
    for (ob_reader *r = atomic_load(&readers); r; r = r->next) {
        bool taken = false;
        if (atomic_compare_exchange_strong(&r->taken, &taken, true)) return r;
    }
    return NULL;
}

ob_status ob_reader_attach(ob_thread *thread)
{
    (void)pthread_once(&once, set_up);
    ob_reader *r = reuse_reader();
    if (!r) {
        r = ob_alloc(1, sizeof *r);
        if (!r) return OB_FAIL(OB_ERR_OOM, "no memory for a thread's call counter");
        atomic_store(&r->taken, true);
        ob_reader *head = atomic_load(&readers);
        do {
            r->next = head;
        } while (!atomic_compare_exchange_weak(&readers, &head, r));
    }
    if (have_key) (void)pthread_setspecific(thread_end, r);
    thread->reader = r;
    atomic_store(&r->watched, thread->watcher != NULL);
    ob_reader_set_limit(r);
    return OB_OK;
}

void ob_reader_set_limit(ob_reader *r)
{
    const bool slow = r == &ob_no_reader || atomic_load_explicit(&r->watched, memory_order_relaxed);
    atomic_store_explicit(&r->limit, slow ? 0 : OB_MAX_DEPTH, memory_order_relaxed);
}

/* Whether a thread that was inside a call when its count was `outermost` has left that call; if
 * not, make it count its next one. */
static bool has_left(ob_reader *r, uint64_t outermost)
{
    if (atomic_load_explicit(&r->depth, memory_order_acquire) == 0) return true;
    if (atomic_load_explicit(&r->outermost, memory_order_acquire) != outermost) return true;
    atomic_store_explicit(&r->limit, 0, memory_order_relaxed);
    return false;
}

void ob_retire(ob_retired *item, void (*free_item)(ob_retired *self))
{
    item->free = free_item;
    item->next = pending;
    pending = item;
}

/* Remember who is inside now. */
static void start_waiting(void)
{
    for (ob_reader *r = atomic_load(&readers); r; r = r->next) {
        r->awaited_outermost = atomic_load_explicit(&r->outermost, memory_order_acquire);
        r->awaited = atomic_load_explicit(&r->depth, memory_order_acquire) > 0;
    }
    waiting = pending;
    pending = NULL;
}

static bool everyone_left(void)
{
    for (ob_reader *r = atomic_load(&readers); r; r = r->next) {
        if (r->awaited && !has_left(r, r->awaited_outermost)) return false;
        r->awaited = false;
    }
    return true;
}

static void free_waiting(void)
{
    while (waiting) {
        ob_retired *item = waiting;
        waiting = item->next;
        item->free(item);
    }
}

void ob_reclaim(void)
{
    if (waiting && everyone_left()) free_waiting();
    if (waiting || !pending || !barrier()) return;
    start_waiting();
    if (everyone_left()) free_waiting();
}

ob_status ob_dispatch_quiesce(void)
{
    if (ob_reader_depth(ob_thread_now.reader) > 0)
        return OB_FAIL(OB_ERR_STATE, "quiesce: called from within a kernel, which would wait for "
                                     "itself; call it after the kernel has returned");
    if (!barrier())
        return OB_FAIL(OB_ERR_UNSUPPORTED, "quiesce: this system has no membarrier(2), so running "
                                           "calls cannot be waited for");
    for (ob_reader *r = atomic_load(&readers); r; r = r->next) {
        const uint64_t outermost = atomic_load_explicit(&r->outermost, memory_order_acquire);
        while (!has_left(r, outermost))
            (void)nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
    }
    return OB_OK;
}
