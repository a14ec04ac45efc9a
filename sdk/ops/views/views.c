/* Makes kernels from the rows of views.inc: the view op, its in-place form (squeeze_) and its _copy
 * form (squeeze_copy), each for all backends. Runs in the dispatcher's init stage for kernels.
 * Contract: view.h. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "dispatch/table/optable.h"
#include "ops/aten.h"
#include "ops/batch.h"
#include "ops/create/copy.h"
#include "ops/structured/families.h"
#include "ops/views/view.h"

/* `user` of the kernels of a row. */
typedef struct view_row {
    int row; /* of the ATen table */
    ob_view_fn fn;
} view_row;

static const view_row rows[] = {
#define OB_VIEW(c_name, fn) { OB_ROW_##c_name, fn },
#include "ops/views/views.inc"
#undef OB_VIEW
};

void ob_window_of(const ob_tensor *t, ob_window *window)
{
    window->rank = ob_tensor_rank(t);
    window->offset = ob_tensor_offset(t);
    memcpy(window->sizes, ob_tensor_sizes(t), (size_t)window->rank * sizeof(int64_t));
    memcpy(window->strides, ob_tensor_strides(t), (size_t)window->rank * sizeof(int64_t));
}

ob_status ob_window_view(ob_tensor *self, const ob_window *window, ob_tensor **out)
{
    return ob_tensor_view_of(self, (ob_ints){ window->sizes, window->rank },
                             (ob_ints){ window->strides, window->rank }, window->offset, out);
}

/* Name for messages: the op's without namespace. */
static const char *short_name(const ob_frame *frame)
{
    const char *colons = strstr(ob_op_name(frame->op), "::");
    return colons ? colons + 2 : ob_op_name(frame->op);
}

static ob_status window_of_call(const ob_frame *frame, ob_window *window)
{
    const view_row *row = frame->user;
    ob_window_of(frame->args[0].u.tensor, window);
    return row->fn(short_name(frame), frame->args, window);
}

static ob_status view(ob_frame *frame)
{
    ob_window window;
    ob_tensor *made = NULL;
    OB_TRY(window_of_call(frame, &window));
    OB_TRY(ob_window_view(frame->args[0].u.tensor, &window, &made));
    frame->results[0] = ob_value_tensor(made);
    return OB_OK;
}

static ob_status view_inplace(ob_frame *frame)
{
    ob_window window;
    ob_tensor *self = frame->args[0].u.tensor;
    OB_TRY(window_of_call(frame, &window));
    OB_TRY(ob_tensor_set_window(self, (ob_ints){ window.sizes, window.rank },
                                (ob_ints){ window.strides, window.rank }, window.offset, false));
    frame->results[0] = ob_value_tensor(ob_tensor_retain(self));
    return OB_OK;
}

/* view_copy of a tensor whose strides allow no view of those sizes copies it first */
static ob_status dense_view(ob_frame *frame)
{
    const view_row *row = frame->user;
    ob_tensor *self = frame->args[0].u.tensor, *dense = NULL;
    if (row->row != OB_ROW_view || ob_tensor_is_contiguous(self)) return view(frame);
    const ob_copy_to to = { ob_tensor_dtype(self), ob_tensor_device(self),
                            OB_MEMORY_FORMAT_CONTIGUOUS };
    OB_TRY(ob_copy_of(self, to, &dense));
    const ob_value args[] = { ob_value_tensor(dense), frame->args[1] };
    ob_frame inner = *frame;
    inner.args = args;
    const ob_status st = view(&inner);
    ob_tensor_release(dense);
    return st;
}

static ob_status view_copy(ob_frame *frame)
{
    OB_TRY(dense_view(frame));
    ob_tensor *window = frame->results[0].u.tensor, *made = NULL;
    frame->results[0] = ob_value_none();
    const ob_copy_to to = { ob_tensor_dtype(window), ob_tensor_device(window),
                            OB_MEMORY_FORMAT_CONTIGUOUS };
    const ob_status st = ob_copy_of(window, to, &made);
    ob_tensor_release(window);
    frame->results[0] = ob_value_tensor(made);
    return st;
}

/* Row of "squeeze_copy.dim" for "squeeze.dim"; -1. */
static int copy_row_of(int row)
{
    char name[160];
    const char *full = ob_op_name(ob_aten_op(row)) + strlen("aten::");
    const size_t base = strcspn(full, ".");
    const int n = snprintf(name, sizeof name, "%.*s_copy%s", (int)base, full, full + base);
    return n > 0 && (size_t)n < sizeof name ? ob_aten_index(name) : -1;
}

static void add(ob_key key, int row, ob_kernel_fn fn, const view_row *user)
{
    ob_batch_add_fn(key, ob_op_name(ob_aten_op(row)), fn, (void *)(uintptr_t)user);
}

static ob_status install(void)
{
    for (size_t i = 0; i < OB_COUNT(rows); i++) {
        ob_family family;
        ob_family_find(rows[i].row, &family);
        const bool implicit = ob_aten_row_at(rows[i].row)->klass == OB_ATEN_CIA;
        add(implicit ? OB_KEY_CompositeImplicitAutograd : OB_KEY_CompositeExplicitAutograd,
            rows[i].row, view, &rows[i]);
        const int inplace = family.rows[OB_FORM_INPLACE], copy = copy_row_of(rows[i].row);
        if (inplace >= 0) add(OB_KEY_CompositeExplicitAutograd, inplace, view_inplace, &rows[i]);
        if (copy >= 0)
            add(OB_KEY_CompositeExplicitAutogradNonFunctional, copy, view_copy, &rows[i]);
    }
    return ob_batch_commit();
}

OB_CONSTRUCTOR static void hook(void)
{
    ob_init_hook(OB_INIT_KERNELS, install);
}
