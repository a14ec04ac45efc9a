/* Reference inputs and outputs of a program: a folder with manifest.txt and raw little-endian files
 * (see samples/models). */
#ifndef OB_CLI_REFERENCE_H
#define OB_CLI_REFERENCE_H

#include "ob/tensor.h"

enum { OB_REFERENCE_LIMIT = 256 };

typedef struct ob_reference {
    int n_cases;
    int n_tensors;
    struct {
        bool is_output;
        int case_number, index;
        ob_tensor *tensor; /* owned, on the CPU */
    } tensors[OB_REFERENCE_LIMIT];
    double noise[OB_REFERENCE_LIMIT]; /* per case: rounding that f32 cannot avoid; negative when
                                         unknown */
} ob_reference;

/* Read DIR/manifest.txt and its files [owned: ob_reference_reset()]. */
ob_status ob_reference_load(const char *dir, ob_reference *out) OB_MUST_USE;
void ob_reference_reset(ob_reference *r);
/* Tensor of a case [borrowed]; NULL when there is none. */
ob_tensor *ob_reference_tensor(const ob_reference *r, bool output, int case_number, int index);

/* What comparing one output gave. */
typedef struct ob_comparison {
    double worst, tolerance; /* largest |a - b|, and what was allowed */
    bool same_choice; /* without noise: the largest of each last-dim row is at the same place */
    bool ok;
} ob_comparison;

/* 10 x noise, at least 1e-5 of the largest value; unknown noise: 2e-2 and the same choices.
 * Integers must be equal. */
ob_status ob_reference_compare(ob_tensor *got, ob_tensor *want, double noise,
                               ob_comparison *out) OB_MUST_USE;

#endif
