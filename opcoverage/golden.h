/* A corpus of golden cases: calls of ops with the values that PyTorch gave, read from cases.tsv and
 * blob.bin (or their .zst) of a folder. A corpus may come from anyone, so every number in it is
 * checked before it is used. Format: one case a line, ten tab-separated columns; see the head of
 * record.py. */
#ifndef OB_COVERAGE_GOLDEN_H
#define OB_COVERAGE_GOLDEN_H

#include "ob/backend.h"
#include "ob/inspect.h"
#include "ob/program.h"
#include "ob/scope.h"

typedef struct ob_corpus ob_corpus;

/* Columns of one case [borrowed from the corpus]; "-" where a column is empty. */
typedef struct ob_golden {
    const char *id, *op, *bucket, *kind, *attributes, *storages, *args, *outputs, *after, *grads;
} ob_golden;

/* Open [owned: ob_corpus_close()]. OB_ERR_IO, OB_ERR_PARSE. */
ob_status ob_corpus_open(const char *dir, ob_corpus **out) OB_MUST_USE;
void ob_corpus_close(ob_corpus *c);
int ob_corpus_size(const ob_corpus *c);
const ob_golden *ob_corpus_case(const ob_corpus *c, int i);
/* Bytes of blob.bin [borrowed]. */
const uint8_t *ob_corpus_blob(const ob_corpus *c, size_t *bytes);

/* Name of the case's op, "aten::add.Tensor": overload "default" is none. Returns `buf`. */
const char *ob_golden_op_name(const ob_golden *g, char *buf, size_t bytes);
/* Value of attribute `key` copied to `buf`; `otherwise` when it is not there. Returns `buf`. */
const char *ob_golden_attribute(const ob_golden *g, const char *key, const char *otherwise,
                                char *buf, size_t bytes);
double ob_golden_number(const ob_golden *g, const char *key, double otherwise);

enum { OB_CASE_STORAGES = 64, OB_CASE_VALUES = 64 };

/* A tensor as a case writes it. */
typedef struct ob_golden_tensor {
    int storage;
    ob_dtype dtype;
    int rank;
    int64_t offset, sizes[OB_MAX_RANK], strides[OB_MAX_RANK];
} ob_golden_tensor;

/* Values of a case in memory: tensors are made on a device, over one base tensor per storage. */
typedef struct ob_golden_values {
    ob_device device;
    int n_storages;
    size_t offsets[OB_CASE_STORAGES], lengths[OB_CASE_STORAGES]; /* into the blob */
    ob_tensor *bases[OB_CASE_STORAGES]; /* owned: one-dimensional, whole storage */
    void *arena[1024];                  /* owned memory behind the values */
    int n_arena;
    ob_tensor *tensors[256]; /* owned */
    int n_tensors;
} ob_golden_values;

/* Read the storage table; nothing is made yet. */
ob_status ob_golden_storages(const ob_corpus *c, const ob_golden *g, ob_device device,
                             ob_golden_values *out) OB_MUST_USE;
void ob_golden_values_reset(ob_golden_values *v);

/* Read one value at *at, move *at behind it. `type` decides the tag of lists and numbers; NULL: by
 * the token. */
ob_status ob_golden_value(const ob_corpus *c, ob_golden_values *v, const char **at,
                          const ob_type *type, ob_value *out) OB_MUST_USE;
/* Read "T<s>:<dtype>:<offset>:<sizes>:<strides>". */
ob_status ob_golden_tensor_token(const char *token, ob_golden_tensor *out) OB_MUST_USE;
/* Read column 7: arguments by the schema's names; missing ones stay absent. */
ob_status ob_golden_args(const ob_corpus *c, const ob_golden *g, const ob_schema *schema,
                         ob_golden_values *v, ob_value *args) OB_MUST_USE;

#endif
