/* Choosing and sizing the matmul kernels: few rows, register tiles with b packed or not, or any
 * strides. */
#include "device/ops/matrix/gemm.h"

#include <string.h>

#include "device/launch.h"
#include "device/ops/element.h"

#define PANEL_LIMIT   ((int64_t)64 << 20) /* bytes of packed b at a time */
#define SCRATCH_LIMIT ((int64_t)64 << 20)
#define UNPACKED_FLOP \
    ((int64_t)384 * 384 * 384) /* smaller products do not pay for a packing launch */

enum { FEW = 8, FEW_T_COLUMNS = 64, MIN_LENGTH = 16, STRIPS_PER_ITEM = 8 };

/* A register tile and the blocks around it, for a width of vector registers. */
typedef struct config {
    uint32_t floats; /* lanes of a native vector that it is for */
    int vw, nrv, mr; /* OB_VW for 32-bit types, OB_NRV, OB_MR */
    int64_t kc, mc;  /* depth and rows packed at a time */
    ob_cl_program program;
    ob_cl_site few, few_t, tiles, pack;
} config;

/* 64-bit types have half the lanes. */
#define DEFINES(vw, half, nrv, mr)                   \
    "#if OB_DTYPE == OB_F64 || OB_DTYPE == OB_I64\n" \
    "#define OB_VW " #half "\n"                      \
    "#else\n"                                        \
    "#define OB_VW " #vw "\n"                        \
    "#endif\n"                                       \
    "#define OB_NRV " #nrv "\n#define OB_MR " #mr "\n"

#define CONFIG(at, floats_, vw_, half, nrv_, mr_, kc_, mc_)                         \
    {                                                                               \
        .floats = floats_, .vw = vw_, .nrv = nrv_, .mr = mr_, .kc = kc_, .mc = mc_, \
        .program = { "matmul",                                                      \
                     { "prelude.cl", "matmul.cl", "matmul_few.cl" },                \
                     DEFINES(vw_, half, nrv_, mr_),                                 \
                     NULL },                                                        \
        .few = OB_CL_SITE(&configs[at].program, "matmul_few"),                      \
        .few_t = OB_CL_SITE(&configs[at].program, "matmul_few_t"),                  \
        .tiles = OB_CL_SITE(&configs[at].program, "matmul_tiles"),                  \
        .pack = OB_CL_SITE(&configs[at].program, "matmul_pack_b"),                  \
    }

/* Widest first. 12 x 2 x 16 floats fill 32 registers of 512 bits, 4 x 3 x 8 fill 16 of 256 bits, 8
 * x 2 x 4 fill 32 of 128 bits. */
static config configs[3] = {
    CONFIG(0, 16, 16, 8, 2, 12, 256, 480),
    CONFIG(1, 8, 8, 4, 3, 4, 256, 256),
    CONFIG(2, 1, 4, 4, 2, 8, 256, 128),
};

static const ob_cl_program any_program = {
    "matmul_any", { "prelude.cl", "matmul_any.cl" }, NULL, NULL
};
static ob_cl_site matmul_any = OB_CL_SITE(&any_program, "matmul_any");

static config *config_get(void)
{
    config *c = configs;
    while (c->floats > ob_cl_vector_floats())
        c++;
    return c;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t round_up(int64_t a, int64_t b)
{
    return ceil_div(a, b) * b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_half(ob_dtype dtype)
{
    return dtype == OB_F16 || dtype == OB_BF16;
}

/* The dtype of sums. */
static ob_dtype compute_of(ob_dtype dtype)
{
    return is_half(dtype) || dtype == OB_F8E4M3 ? OB_F32 : dtype;
}

static bool has_vectors(ob_dtype dtype)
{
    return dtype != OB_C64 && dtype != OB_F8E4M3 && dtype != OB_BOOL;
}

static int nr_of(const config *c, ob_dtype dtype)
{
    const bool wide = dtype == OB_F64 || dtype == OB_I64;
    return c->nrv * (wide && c->vw > 4 ? c->vw / 2 : c->vw);
}

ob_number ob_cl_number(ob_scalar s, ob_dtype dtype)
{
    return (ob_number){ { ob_cl_element_bits(s, compute_of(dtype)), 0 } };
}

static void swap_strides(ob_matrix *m)
{
    const ob_i64 row = m->row;
    m->row = m->col;
    m->col = row;
}

/* out^T = b^T @ a^T */
static ob_cl_gemm transposed(const ob_cl_gemm *call)
{
    ob_cl_gemm t = *call;
    t.a = call->b;
    t.b = call->a;
    t.g.a = call->g.b;
    t.g.b = call->g.a;
    t.g.m = call->g.n;
    t.g.n = call->g.m;
    swap_strides(&t.g.a);
    swap_strides(&t.g.b);
    swap_strides(&t.g.out);
    swap_strides(&t.g.self);
    return t;
}

static ob_buffer *self_of(const ob_cl_gemm *call)
{
    return call->self ? call->self : call->out;
}

/* ---- few rows ---- */

typedef enum few_kind { FEW_NONE, FEW_ROWS, FEW_DOTS } few_kind;

static few_kind few_fits(const ob_cl_gemm *call)
{
    const ob_gemm *g = &call->g;
    if (g->m > FEW || !has_vectors(call->dtype)) return FEW_NONE;
    if (g->b.row == 1 && g->a.col == 1 && g->k >= MIN_LENGTH) return FEW_DOTS;
    return g->b.col == 1 && g->n >= MIN_LENGTH ? FEW_ROWS : FEW_NONE;
}

static ob_status run_few(const ob_cl_gemm *call, few_kind kind)
{
    config *c = config_get();
    ob_cl_kernel *k;
    ob_gemm g = call->g;
    OB_TRY(ob_cl_kernel_get(kind == FEW_DOTS ? &c->few_t : &c->few, call->dtype, &k));
    g.n_item = FEW_T_COLUMNS;
    if (kind == FEW_ROWS) {
        g.n_item = g.m == 1 ? 4096 : g.m <= 4 ? 1024 : 512;
        while (g.n_item > 64 && ceil_div(g.n, g.n_item) * call->batch < ob_cl_units())
            g.n_item /= 2;
    }
    return OB_LAUNCH(k, ob_cl_range_items(ceil_div(g.n, g.n_item), 1, call->batch), MEM(call->out),
                     MEM(self_of(call)), MEM(call->a), MEM(call->b), VAL(g));
}

/* ---- any strides, any dtype ---- */

static ob_status run_any(const ob_cl_gemm *call)
{
    ob_cl_kernel *k;
    const ob_gemm g = call->g;
    OB_TRY(ob_cl_kernel_get(&matmul_any, call->dtype, &k));
    return OB_LAUNCH(k, ob_cl_range_3d(ceil_div(g.n, 8), ceil_div(g.m, 4), call->batch),
                     MEM(call->out), MEM(self_of(call)), MEM(call->a), MEM(call->b), VAL(g));
}

/* ---- register tiles ---- */

/* A piece of the product: a range of columns and batches. */
typedef struct tiles {
    const ob_cl_gemm *call;
    config *c;
    ob_gemm g;
    ob_cl_piece piece;
    int64_t nx, my; /* work-items */
    bool packed;
} tiles;

/* Blocks and shares, as kernels/matmul.cl reads them. */
static void tiles_plan(tiles *t)
{
    ob_gemm *g = &t->g;
    const int64_t units = ob_cl_units(), strips = ceil_div(g->n, t->piece.nr);
    const int64_t k_pieces = g->k > 0 ? ceil_div(g->k, t->c->kc) : 1;
    g->k_block = round_up(g->k > 0 ? ceil_div(g->k, k_pieces) : 1, 4);
    g->m_block = round_up(ceil_div(g->m, ceil_div(g->m, t->c->mc)), t->c->mr);
    g->m_item = g->m_block;
    t->my = ceil_div(g->m, g->m_item);
    t->nx = 1;
    g->n_item = strips * t->piece.nr;
    const int64_t want = units == 1 ? 1 : t->packed ? 2 * units : units;
    if (t->my * t->piece.batches < want) {
        t->nx = least(ceil_div(want, t->my * t->piece.batches), strips);
        g->n_item = ceil_div(strips, t->nx) * t->piece.nr;
        t->nx = ceil_div(g->n, g->n_item);
    }
    if (t->my * t->nx * t->piece.batches < units) {
        g->m_item = round_up(ceil_div(g->m, ceil_div(units, t->nx * t->piece.batches)), t->c->mr);
        t->my = ceil_div(g->m, g->m_item);
        g->m_block = least(g->m_block, g->m_item);
    }
    g->b_packed = t->packed;
    g->panel_batch = g->b.batch == 0 && !t->call->packer ? 0 : g->k * strips * t->piece.nr;
    g->scratch_item = round_up(g->k_block * (g->m_block + (t->packed ? 0 : t->piece.nr)), 16);
}

static ob_status pack(const tiles *t, ob_buffer *panel)
{
    const ob_cl_packer *p = t->call->packer;
    ob_cl_kernel *k;
    ob_gemm g = t->g;
    if (p) return p->pack(p->user, panel, &g, &t->piece);
    OB_TRY(ob_cl_kernel_get(&t->c->pack, t->call->dtype, &k));
    g.n_item = (int64_t)STRIPS_PER_ITEM * t->piece.nr;
    const int64_t batch = g.panel_batch == 0 ? 1 : t->piece.batches;
    return OB_LAUNCH(k, ob_cl_range_items(ceil_div(g.n, g.n_item), ceil_div(g.k, g.k_block), batch),
                     MEM(t->call->b), MEM(panel), VAL(g));
}

/* Memory of one piece; what is not needed is NULL. */
typedef struct workspace {
    ob_buffer *panel, *scratch, *partial;
} workspace;

static ob_status workspace_get(tiles *t, workspace *w)
{
    const int64_t width = (int64_t)ob_dtype_bytes(compute_of(t->call->dtype));
    const int64_t panels = t->g.panel_batch == 0 ? 1 : t->piece.batches;
    const int64_t panel = panels * t->g.k * round_up(t->g.n, t->piece.nr);
    const int64_t scratch = t->g.scratch_item * t->nx * t->my * t->piece.batches;
    OB_TRY(ob_cl_scratch((size_t)(scratch * width), &w->scratch));
    if (t->packed && panel > 0) OB_TRY(ob_cl_scratch((size_t)(panel * width), &w->panel));
    if (!is_half(t->call->dtype) || t->g.k <= t->g.k_block) return OB_OK;
    t->g.partial = (ob_matrix){ 0, t->g.n, 1, t->g.m * t->g.n };
    return ob_cl_scratch((size_t)(t->piece.batches * t->g.m * t->g.n * width), &w->partial);
}

static ob_status tiles_launch(const tiles *t, const workspace *w)
{
    const ob_cl_gemm *call = t->call;
    ob_cl_kernel *k;
    if (w->panel) OB_TRY(pack(t, w->panel));
    OB_TRY(ob_cl_kernel_get(&t->c->tiles, call->dtype, &k));
    ob_buffer *panel = w->panel ? w->panel : w->scratch;
    ob_buffer *partial = w->partial ? w->partial : is_half(call->dtype) ? w->scratch : call->out;
    return OB_LAUNCH(k, ob_cl_range_items(t->nx, t->my, t->piece.batches), MEM(call->out),
                     MEM(self_of(call)), MEM(call->a), MEM(call->b ? call->b : call->a), MEM(panel),
                     MEM(partial), MEM(w->scratch), VAL(t->g));
}

static ob_status run_piece(tiles *t)
{
    workspace w = { NULL, NULL, NULL };
    tiles_plan(t);
    t->g.partial = t->g.out;
    ob_status st = workspace_get(t, &w);
    if (st == OB_OK) st = tiles_launch(t, &w);
    ob_cl_scratch_free(w.panel);
    ob_cl_scratch_free(w.scratch);
    ob_cl_scratch_free(w.partial);
    return st;
}

/* The part of the product that a piece of n columns makes. */
static tiles part_of(const ob_cl_gemm *call, const ob_cl_piece *piece, int64_t n, bool packed)
{
    tiles t = { .call = call, .c = config_get(), .g = call->g, .piece = *piece, .packed = packed };
    const int64_t z = piece->batch, column = piece->column;
    t.g.n = n;
    t.g.a.offset += z * t.g.a.batch;
    t.g.b.offset += z * t.g.b.batch + column * t.g.b.col;
    t.g.out.offset += z * t.g.out.batch + column * t.g.out.col;
    t.g.self.offset += z * t.g.self.batch + column * t.g.self.col;
    return t;
}

/* Pieces small enough for the limits: `piece` is the largest. */
static int64_t piece_limits(const ob_cl_gemm *call, bool packed, ob_cl_piece *piece)
{
    const ob_gemm *g = &call->g;
    const config *c = config_get();
    const int64_t width = (int64_t)ob_dtype_bytes(compute_of(call->dtype));
    const int64_t column_bytes = (g->k > 0 ? g->k : 1) * width;
    const int64_t scratch = c->kc * (c->mc + piece->nr) * width * ceil_div(g->m, c->mc);
    const int64_t all = round_up(g->n, piece->nr);
    int64_t columns = packed ? PANEL_LIMIT / column_bytes / piece->nr * piece->nr : all;
    if (columns < piece->nr) columns = piece->nr;
    columns = least(columns, all);
    piece->batches = SCRATCH_LIMIT / scratch;
    if (packed) piece->batches = least(piece->batches, PANEL_LIMIT / (columns * column_bytes));
    if (piece->batches < 1) piece->batches = 1;
    return columns;
}

static ob_status run_tiles(const ob_cl_gemm *call)
{
    const ob_gemm *g = &call->g;
    const config *c = config_get();
    const bool packed = call->packer || g->m > c->mc || g->m * g->n * g->k > UNPACKED_FLOP;
    ob_cl_piece piece = { .nr = nr_of(c, call->dtype) };
    const int64_t columns = piece_limits(call, packed, &piece), batches = piece.batches;
    for (; piece.batch < call->batch; piece.batch += batches) {
        piece.batches = least(batches, call->batch - piece.batch);
        for (piece.column = 0; piece.column < g->n; piece.column += columns) {
            tiles t = part_of(call, &piece, least(columns, g->n - piece.column), packed);
            OB_TRY(run_piece(&t));
        }
    }
    return OB_OK;
}

ob_status ob_cl_gemm_run(const ob_cl_gemm *call)
{
    const ob_gemm *g = &call->g;
    if (g->m == 0 || g->n == 0 || call->batch == 0) return OB_OK;
    if (call->packer) return run_tiles(call);
    if (g->n <= FEW && g->m > FEW) {
        const ob_cl_gemm t = transposed(call);
        if (few_fits(&t) != FEW_NONE) return run_few(&t, few_fits(&t));
    }
    if (few_fits(call) != FEW_NONE) return run_few(call, few_fits(call));
    if (g->out.col != 1 || !has_vectors(call->dtype)) return run_any(call);
    return run_tiles(call);
}
