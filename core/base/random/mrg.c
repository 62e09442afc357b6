/* mrg.c -- states of MRG31k3p: checks, jumps, and blocks of streams for the loops of mrg_body.h. */
#include "mrg.h"

#include <string.h>

static const MrgKernels *kernels(void) {
#if TH_WIDE
    int bytes = isa_vector_bytes();
    if (bytes >= 64) return &mrg_kernels_avx512;
    if (bytes >= 32) return &mrg_kernels_avx2;
#endif
    return &mrg_kernels_sse2;
}

bool mrg_valid(const int32_t *rows, int64_t n) { return kernels()->valid(rows, n); }

/* Powers of the recurrences' matrices. */
const uint32_t mrg_jumps[3][2][3][3] = {
    {{{1516919229, 758510237, 499121365}, {1884998244, 1516919229, 335398200}, {601897748, 1884998244, 358115744}},
     {{1228857673, 1496414766, 954677935}, {1133297478, 1407477216, 1496414766}, {2002613992, 1639496704, 1407477216}}},
    {{{44843381, 789025048, 94923239}, {1515627404, 44843381, 1272604102}, {292866869, 1515627404, 895715087}},
     {{2094140247, 1737489625, 933512842}, {1458276750, 471441576, 1737489625}, {1263470614, 984257739, 471441576}}},
    {{{1702500920, 1849582496, 1656874625}, {828554832, 1702500920, 1512419905}, {1143731069, 828554832, 102237247}},
     {{796789021, 1464208080, 607337906}, {1241679051, 1431130166, 1464208080}, {1401213391, 1178684362, 1431130166}}},
};

/* Three products below 2^62 and their sum of remainders fit in 64 bits without a sign. */
static inline void jump_half(int32_t *x, const uint32_t a[3][3], uint64_t m) {
    uint64_t y[3];
    for (int i = 0; i < 3; i++)
        y[i] = ((uint64_t)x[0] * a[i][0] + (uint64_t)x[1] * a[i][1] + (uint64_t)x[2] * a[i][2]) % m;
    for (int i = 0; i < 3; i++) x[i] = (int32_t)y[i];
}

void mrg_jump(int32_t *row, MrgJump by) {
    jump_half(row, mrg_jumps[by][0], MRG_M1);
    jump_half(row + 3, mrg_jumps[by][1], MRG_M2);
}

/* ---- for hosts --------------------------------------------------------------------------------------------------- */
static bool given(ThContext *c, const int32_t *state, const char *fn) {
    if (!state) return err_missing(c, fn);
    return mrg_valid(state, 1) || err(c, TH_ValueError, "%s: these six numbers are no state of MRG31k3p", fn);
}

ThArray *th_mrg_streams(ThContext *c, const int32_t state[6], int64_t n) {
    if (!c || failed(c) || !given(c, state, __func__)) return NULL;
    ThArray *a = th_array_empty(c, TH_INT32, 2, (int64_t[]){n, MRG_STATE});
    int32_t *row = a && n ? (int32_t *)(void *)a->data : NULL;
    if (row) memcpy(row, state, MRG_STATE * sizeof *row);
    for (int64_t i = 1; i < n && row; i++) {
        memcpy(row + MRG_STATE, row, MRG_STATE * sizeof *row);
        mrg_jump(row += MRG_STATE, MRG_JUMP_STREAM);
    }
    return a;
}

int th_mrg_skip(ThContext *c, int32_t state[6]) {
    if (!c || failed(c) || !given(c, state, __func__)) return -1;
    mrg_jump(state, MRG_JUMP_DRAW);
    return 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
int64_t mrg_blocks(const MrgDraw *w) {
    int64_t n = w->to && w->to != w->from ? w->streams : mrg_used(w); /* the others' states are copied */
    return (n + MRG_WIDE - 1) / MRG_WIDE;
}

enum { SOME = 1 << 14, SOME_ROWS = 2 }; /* bytes that stay in the nearest cache beside the states */

/* Samples [at, ..) of rows that are w->streams apart, and what reads them. */
static void give_rows(const MrgDraw *w, MrgRows draw, MrgBlock *b, int64_t at, int64_t rows) {
    char room[SOME] __attribute__((aligned(64)));
    int64_t item = (int64_t)th_dtype_bytes(w->d);
    bool dense = b->lanes == w->streams; /* rows follow each other */
    int64_t each = w->out && !w->done ? rows : dense ? SOME / item / b->lanes : SOME_ROWS;
    for (int64_t r = 0; r < rows; r += each) {
        int64_t first = at + r * w->streams, apart = w->out || dense ? w->streams : MRG_WIDE;
        char *out = w->out ? (char *)w->out + first * item : room;
        b->rows = rows - r < each ? rows - r : each;
        b->step = apart;
        b->out = out;
        draw(b);
        if (!w->done) continue;
        first += w->first;
        if (dense) w->done(w->user, out, first, first + b->rows * b->lanes);
        else
            for (int64_t j = 0; j < b->rows; j++)
                w->done(w->user, out + j * apart * item, first + j * w->streams, first + j * w->streams + b->lanes);
    }
}

bool mrg_block(const MrgDraw *w, int64_t block) {
    int32_t room[MRG_STATE][MRG_WIDE] __attribute__((aligned(64)));
    const MrgKernels *run = kernels();
    int64_t first = block * MRG_WIDE, lanes = w->streams - first < MRG_WIDE ? w->streams - first : MRG_WIDE;
    int64_t rows = w->n / w->streams, more = w->n % w->streams - first;
    const int32_t *from = w->from + first * MRG_STATE;
    int32_t *to = w->to ? w->to + first * MRG_STATE : NULL;
    MrgRows draw = w->d == TH_FLOAT32 ? run->f32 : run->f64;
    MrgBlock b = {.lanes = lanes};
    if (!rows && more < lanes) { /* the others give no sample */
        b.lanes = more > 0 ? more : 0;
        if (to && to != from)
            memcpy(to + b.lanes * MRG_STATE, from + b.lanes * MRG_STATE, (size_t)((lanes - b.lanes) * MRG_STATE) * 4);
        if (!b.lanes) return true;
    }
    for (int k = 0; k < MRG_STATE; k++) b.x[k] = room[k];
    run->load(&b, from);
    if (!w->valid && !run->loaded_valid(&b)) return false;
    if (rows) {
        give_rows(w, draw, &b, first, rows);
        if (to) run->store(&b, to, lanes);
    }
    if (more <= 0) return true;
    b.lanes = more < lanes ? more : lanes;
    give_rows(w, draw, &b, rows * w->streams + first, 1);
    if (to) run->store(&b, to, b.lanes);
    return true;
}
