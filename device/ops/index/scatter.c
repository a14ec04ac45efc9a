/* Placing elements by indices: scatter.*, scatter_add, scatter_reduce, index_put, index_add,
 * index_copy. The result starts
 * as self. Sums and the like run in one work-item, since indices may meet; kernels: index.cl,
 * scan.cl. PyTorch: native/TensorAdvancedIndexing.cpp, native/cpu/ScatterGatherKernel.cpp. */
#include <string.h>

#include "device/native.h"
#include "device/ops/copy.h"
#include "device/ops/element.h"
#include "device/ops/index/index.h"
#include "device/ops/index/scan.h"
#include "device/ops/matrix/gemm.h"

static ob_cl_site place = OB_CL_SITE(&ob_cl_index_program, "place");
static ob_cl_site accumulate = OB_CL_SITE(&ob_cl_scan_program, "accumulate");

/* OB_COMBINE_* by the names that scatter's `reduce` has; -1 for what has no kernel here. */
static ob_i64 combine_of(const char *reduce)
{
    static const struct {
        const char *name;
        ob_i64 how;
    } names[] = {
        { "add", OB_COMBINE_SUM },          { "sum", OB_COMBINE_SUM },
        { "multiply", OB_COMBINE_PRODUCT }, { "prod", OB_COMBINE_PRODUCT },
        { "amax", OB_COMBINE_MAX },         { "amin", OB_COMBINE_MIN },
    };
    for (size_t i = 0; i < OB_COUNT(names); i++)
        if (strcmp(reduce, names[i].name) == 0) return names[i].how;
    return -1;
}

/* The dim of args[1], of a tensor of `rank` dims. */
static int dim_of(const ob_frame *frame, int rank)
{
    const int64_t dim = frame->args[1].u.i;
    return (int)(dim < 0 ? dim + (rank ? rank : 1) : dim);
}

/* What all ops (self, dim, index, ...) begin with: a walk over the shape of `over`, in which the
 * index says where along dim. Returns the strides of the index, still 0. */
static int64_t *placing_begin(ob_cl_picks *c, const ob_frame *frame, const char *op,
                              const ob_tensor *over)
{
    const int rank = ob_tensor_rank(over), dim = dim_of(frame, rank);
    ob_cl_picks_begin(c, op, false);
    ob_cl_picks_shape(c, ob_tensor_sizes(over), rank);
    c->written = frame->results[0].u.tensor;
    for (int d = 0; d < rank && d < ob_tensor_rank(c->written); d++)
        c->written_strides[d] = d == dim ? 0 : ob_tensor_strides(c->written)[d];
    return ob_cl_picks_add(c, frame->args[2].u.tensor, c->written, dim);
}

/* scatter*(self, dim, index, src or value): all but how. */
static void scatter_read(ob_cl_picks *c, const ob_frame *frame, const char *op)
{
    const ob_tensor *index = frame->args[2].u.tensor;
    ob_cl_picks_strides(c, index, placing_begin(c, frame, op, index));
    if (frame->args[3].tag == OB_VALUE_TENSOR) {
        c->read = frame->args[3].u.tensor;
        for (int d = 0; d < c->rank && d < ob_tensor_rank(c->read); d++)
            c->read_strides[d] = ob_tensor_strides(c->read)[d];
        return;
    }
    c->p.what = OB_PLACE_VALUE;
    c->p.value =
        ob_cl_element_bits(ob_value_as_scalar(&frame->args[3]), ob_tensor_dtype(c->written));
}

/* out = self, unless they are the same memory: in-place. */
static ob_status start(const ob_frame *frame)
{
    ob_tensor *out = frame->results[0].u.tensor;
    const ob_tensor *self = frame->args[0].u.tensor;
    ob_cl_walk walk;
    if (ob_tensor_buffer(out) == ob_tensor_buffer(self) &&
        ob_tensor_offset(out) == ob_tensor_offset(self))
        return OB_OK;
    ob_cl_walk_begin(&walk, ob_tensor_sizes(out), ob_tensor_rank(out));
    ob_cl_walk_add(&walk, out);
    ob_cl_walk_add(&walk, self);
    return ob_cl_copy_walk(out, self, &walk);
}

/* how: OB_COMBINE_*; -1 assigns. */
static ob_status run(ob_cl_picks *c, ob_i64 how)
{
    const ob_dtype dtype = ob_tensor_dtype(c->written);
    if (how < 0) return ob_cl_picks_run(c, &place, ob_cl_mover_of(dtype), false);
    c->p.how = how;
    return ob_cl_picks_run(c, &accumulate, dtype, true);
}

/* scatter.src, scatter.value */
ob_status ob_cl_op_scatter(ob_frame *frame)
{
    ob_cl_picks c;
    OB_TRY(start(frame));
    scatter_read(&c, frame, "scatter");
    return run(&c, -1);
}

/* scatter_add; scatter.reduce and scatter.value_reduce; scatter_reduce.two with its self included.
 * Means and fresh starts are left to the CPU. */
static ob_status scatter_combine(ob_frame *frame, const char *op, const char *reduce)
{
    ob_cl_picks c;
    const ob_i64 how = combine_of(reduce);
    const ob_dtype dtype = ob_tensor_dtype(frame->results[0].u.tensor);
    if (how < 0) return OB_ERR_DECLINED;
    if (dtype == OB_C64 && (how == OB_COMBINE_MAX || how == OB_COMBINE_MIN)) return OB_ERR_DECLINED;
    OB_TRY(start(frame));
    scatter_read(&c, frame, op);
    if (c.p.what == OB_PLACE_VALUE)
        c.p.value = ob_cl_number(ob_value_as_scalar(&frame->args[3]), dtype).bits[0];
    return run(&c, how);
}

ob_status ob_cl_op_scatter_add(ob_frame *frame)
{
    return scatter_combine(frame, "scatter_add", "add");
}

ob_status ob_cl_op_scatter_reduce(ob_frame *frame)
{
    const bool fresh = frame->n_args > 5 && !frame->args[5].u.b;
    return fresh ? OB_ERR_DECLINED
                 : scatter_combine(frame, "scatter_reduce", frame->args[4].u.string);
}

/* index_add, index_copy(self, dim, index, source): slice i of source goes to slice index[i] */
static void slices_read(ob_cl_picks *c, const ob_frame *frame, const char *op)
{
    const ob_tensor *index = frame->args[2].u.tensor, *source = frame->args[3].u.tensor;
    int64_t *strides = placing_begin(c, frame, op, source);
    c->read = source;
    ob_cl_picks_strides(c, source, c->read_strides);
    if (c->rank > 0 && ob_tensor_rank(index) > 0)
        strides[dim_of(frame, c->rank)] = ob_tensor_strides(index)[0];
}

/* index_add(self, dim, index, source, alpha) */
ob_status ob_cl_op_index_add(ob_frame *frame)
{
    ob_cl_picks c;
    const ob_scalar alpha = ob_value_as_scalar(&frame->args[4]);
    OB_TRY(start(frame));
    slices_read(&c, frame, "index_add");
    if (alpha.tag == OB_SCALAR_COMPLEX || ob_scalar_double(alpha) != 1) {
        c.p.what = OB_PLACE_PRODUCT;
        c.p.value = ob_cl_number(alpha, ob_tensor_dtype(c.written)).bits[0];
    }
    return run(&c, OB_COMBINE_SUM);
}

/* index_copy(self, dim, index, source); of equal indices any may win */
ob_status ob_cl_op_index_copy(ob_frame *frame)
{
    ob_cl_picks c;
    OB_TRY(start(frame));
    slices_read(&c, frame, "index_copy");
    return run(&c, -1);
}

/* _index_put_impl_(self, indices, values, accumulate, unsafe) */
ob_status ob_cl_op_index_put(ob_frame *frame)
{
    ob_cl_picks c;
    const ob_dtype dtype = ob_tensor_dtype(frame->results[0].u.tensor);
    if (frame->args[3].u.b && (dtype == OB_BOOL || dtype == OB_F8E4M3)) return OB_ERR_DECLINED;
    ob_cl_picks_begin(&c, "index_put_", true);
    c.written = frame->results[0].u.tensor;
    c.read = frame->args[2].u.tensor;
    OB_TRY(ob_cl_picks_of_list(&c, c.written, &frame->args[1], c.written_strides));
    ob_cl_picks_strides(&c, c.read, c.read_strides);
    OB_TRY(start(frame));
    if (c.p.n == 0 && ob_tensor_numel(c.written) == 0) return OB_OK;
    return run(&c, frame->args[3].u.b ? OB_COMBINE_SUM : -1);
}
