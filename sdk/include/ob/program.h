/* Programs: torch.export archives (.pt2, PyTorch >= 2.9), loaded and run without PyTorch.
 *
 * An archive is hostile until checked: zip structure, JSON, graph, arithmetic, run-time sizes.
 * Nothing in it is unpickled or written to disk. A program may be run by one thread at a time.
 * Format: the .pt2 archive of PyTorch 2.9 and later. */
#ifndef OB_PROGRAM_H
#define OB_PROGRAM_H

#include "ob/schema.h"

OB_BEGIN_DECLS

typedef struct ob_program ob_program;

/** An input or output as a caller sees it. Borrowed from the program. */
typedef struct ob_program_slot {
    const char *name;
    bool is_tensor; /* else a number or None */
    ob_dtype dtype; /* of a tensor */
    int32_t rank;
    const int64_t *sizes;                 /* -1 where the size is free */
    const int64_t *min_sizes, *max_sizes; /* bounds of free sizes; equal to sizes elsewhere */
} ob_program_slot;

/**
 * Load an archive and put its weights on a device.
 *
 * @param path    A .pt2 file of torch.export.save().
 * @param device  Where weights go and constants are made; device arguments in the graph are
 * rewritten to it.
 * @param out     [out, owned] ob_program_release().
 * @return OB_ERR_IO; OB_ERR_PARSE: what is wrong, where in the archive; OB_ERR_UNSUPPORTED: e.g.
 * saved by torch < 2.9, pickled weights, unknown op (all of them at once).
 */
OB_API ob_status ob_program_load(const char *path, ob_device device, ob_program **out) OB_MUST_USE;
OB_API void ob_program_release(ob_program *program);

OB_API int ob_program_n_inputs(const ob_program *program);
OB_API int ob_program_n_outputs(const ob_program *program);
OB_API const ob_program_slot *ob_program_input(const ob_program *program, int i);
OB_API const ob_program_slot *ob_program_output(const ob_program *program, int i);

/**
 * Run once. Buffers that the program mutates keep their new value for the next run.
 *
 * @param inputs   One per ob_program_n_inputs(), in order; tensors of other devices are moved.
 * Checked: number, dtype, rank, fixed sizes, ranges of free ones.
 * @param outputs  [out, owned] one per ob_program_n_outputs(); all absent on failure.
 */
OB_API ob_status ob_program_run(ob_program *program, const ob_value *inputs, int n_inputs,
                                ob_value *outputs, int n_outputs) OB_MUST_USE;

/** Ops of the program, each once with its count, in order of first use; NULL op name past the end.
 */
typedef struct ob_program_op {
    const char *name; /* "aten::add.Tensor"; borrowed */
    const ob_op *op;  /* NULL when libob does not know it */
    int64_t count;
} ob_program_op;
OB_API bool ob_program_op_at(const ob_program *program, int i, ob_program_op *out);

/** As ob_program_load() but without weights and without refusing unknown ops: for `ob preflight`.
 */
OB_API ob_status ob_program_scan(const char *path, ob_program **out) OB_MUST_USE;

/** Called before and after each node of a run, for profiles; NULL stops. */
typedef void (*ob_program_watch)(void *user, int node, const char *op, bool begin);
OB_API void ob_program_set_watch(ob_program *program, ob_program_watch watch, void *user);

OB_END_DECLS
#endif
