/*
 * cores.c -- products of two matrices of halves whose sums are float32, by tiles on tensor cores (cores_text.c). A
 * block of eight warps computes a tile: slices of both factors come to shared memory 16 bytes at a time while the
 * slices before them are multiplied; each warp has 16 by 8 pieces of the tile in registers. Then the sums go through
 * shared memory, some rows at a time, so that what follows each element runs with neighbouring threads on neighbouring
 * columns. Always holds: 16 terms are added at a time, from the first on; within them the instruction adds as it does
 * (a GPU's cores in an order of their own and with more digits than the sum keeps), so results are the CPU's but for
 * rounding.
 */
#include "tiles.h"

#include <stdio.h>

enum { WARP = 32, DEEP = 16, PIECE_ROWS = 16, PIECE_COLS = 8, UNIT = 8 /* elements of 16 bytes */, PAD = 8 };

typedef struct Cores {
    Emit *e;
    const Contract *c;
    const NestNode *call;
    int size[2], deep;
    int warps[2];  /* along rows and columns */
    int pieces[2]; /* of a warp */
    int pitch[2];  /* elements from line to line in shared memory */
    int room[2];   /* elements of a slice */
} Cores;

static const char side_name[2] = {'x', 'y'};

static void stride(Emit *e, const char *name, char side, int acc, int d) {
    Text t;
    text_init(&t, e->c);
    emit_size(&t, e->k->acc.at[acc].st[d]);
    emit_line(e, "const i64 %s_%c = %s;", name, side, t.at ? t.at : "0");
    text_free(&t);
}

/* Where a factor's first element lies, its two steps, and whether 16 bytes may be taken at once. */
static void factor(const Cores *x, int side) {
    Emit *e = x->e;
    int acc = x->c->side[side].access, own = x->c->side_dim[side][0], deep = x->c->deep[0];
    char name = side_name[side];
    Text t;
    text_init(&t, e->c);
    emit_line(e, "const u16 *base_%c;", name);
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "const i64 i%d = 0, i%d = 0; (void)i%d, (void)i%d;", own, deep, own, deep);
    cuda_tiles_element(e, &t, acc);
    emit_line(e, "base_%c = (const u16 *)&%s;", name, t.at ? t.at : "0");
    text_free(&t);
    e->indent--;
    emit_line(e, "}");
    stride(e, "own", name, acc, own);
    stride(e, "deep", name, acc, deep);
    const char *one = x->c->side[side].deep ? "deep" : "own", *lines = x->c->side[side].deep ? "own" : "deep";
    emit_line(e, "const int whole_%c = %s_%c == 1 && %s_%c %% %d == 0 && (u64)base_%c %% 16 == 0;", name, one, name,
              lines, name, UNIT, name);
}

/* What a thread fetches of each slice: where the first one's stands, and whether it may be taken 16 bytes at a time. */
typedef struct Part {
    bool along;
    int units, line; /* of 16 bytes: in a slice, in a line of it */
} Part;

static Part part_of(const Cores *x, int side) {
    bool along = x->c->side[side].deep;
    return (Part){along, x->size[side] * x->deep / UNIT, (along ? x->deep : x->size[side]) / UNIT};
}

static int turns(Part p) { return (p.units + CUDA_THREADS - 1) / CUDA_THREADS; }

static void begin(const Cores *x, int side) {
    Emit *e = x->e;
    Part p = part_of(x, side);
    char n = side_name[side];
    emit_line(e, "const u16 *at_%c[%d];", n, turns(p));
    emit_line(e, "int fits_%c[%d];", n, turns(p));
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++) {", turns(p));
    emit_line(e, "    const int part = j * %d + t;", CUDA_THREADS);
    emit_line(e, "    const i64 own = first_%c + part %s %d%s, deep = part %s %d%s;", n, p.along ? "/" : "%", p.line,
              p.along ? "" : " * 8", p.along ? "%" : "/", p.line, p.along ? " * 8" : "");
    emit_line(e, "    at_%c[j] = base_%c + own * own_%c + deep * deep_%c;", n, n, n, n);
    emit_line(e, "    fits_%c[j] = whole_%c && own + %d <= many_%c;", n, n, p.along ? 1 : UNIT, n);
    emit_line(e, "}");
}

/* A slice from depth `next` on to shared memory, element by element where 16 bytes do not lie so. */
static void fetch(const Cores *x, int side) {
    Emit *e = x->e;
    Part p = part_of(x, side);
    char n = side_name[side];
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++) {", turns(p));
    e->indent++;
    emit_line(e, "const int part = j * %d + t;", CUDA_THREADS);
    if (p.units % CUDA_THREADS) emit_line(e, "if (part >= %d) break;", p.units);
    emit_line(e, "u16 *const to = slice + %d + part / %d * %d + part %% %d * %d;", side ? x->room[0] : 0, p.line,
              x->pitch[side], p.line, UNIT);
    emit_line(e, "const u16 *const at = at_%c[j] + next * deep_%c;", n, n);
    emit_line(e, "const i64 deep = next + part %s %d%s;", p.along ? "%" : "/", p.line, p.along ? " * 8" : "");
    emit_line(e, "if (fits_%c[j] && deep + %d <= depth) core_copy(to, at);", n, p.along ? UNIT : 1);
    emit_line(e, "else {");
    emit_line(e, "    const i64 own = first_%c + part %s %d%s;", n, p.along ? "/" : "%", p.line, p.along ? "" : " * 8");
    emit_line(e, "    for (int i = 0; i < %d; i++)", UNIT);
    if (p.along) emit_line(e, "        to[i] = own < many_%c && deep + i < depth ? at[i * deep_%c] : (u16)0;", n, n);
    else emit_line(e, "        to[i] = own + i < many_%c && deep < depth ? at[i * own_%c] : (u16)0;", n, n);
    emit_line(e, "}");
    e->indent--;
    emit_line(e, "}");
}

static void fetch_both(const Cores *x, const char *next, const char *which) {
    Emit *e = x->e;
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "const i64 next = %s;", next);
    emit_line(e, "u16 *const slice = slices + (%s) * %d;", which, x->room[0] + x->room[1]);
    fetch(x, 0);
    fetch(x, 1);
    e->indent--;
    emit_line(e, "}");
}

/* Where piece `i` of a warp stands in a slice, at depth q. */
static void fragment(const Cores *x, int side, const char *to, const char *i, int rows) {
    bool along = x->c->side[side].deep;
    int step = x->pieces[side] * (side ? PIECE_COLS : PIECE_ROWS);
    char own[64];
    snprintf(own, sizeof own, "(warp_%c * %d + %s * %d)", side_name[side], step, i, rows);
    if (along)
        emit_line(x->e, "core_%c_deep(%s, slice + %d + %s * %d + q, %d);", side_name[side], to, side ? x->room[0] : 0,
                  own, x->pitch[side], x->pitch[side]);
    else
        emit_line(x->e, "core_%c_own(%s, slice + %d + q * %d + %s, %d);", side_name[side], to, side ? x->room[0] : 0,
                  x->pitch[side], own, x->pitch[side]);
}

static void multiply(const Cores *x) {
    Emit *e = x->e;
    emit_line(e, "const u16 *const slice = slices + turn * %d;", x->room[0] + x->room[1]);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int q = 0; q < %d; q += %d) {", x->deep, DEEP);
    e->indent++;
    emit_line(e, "u32 a[%d][4], b[%d][4];", x->pieces[0], x->pieces[1] / 2);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int i = 0; i < %d; i++)", x->pieces[0]);
    e->indent++;
    fragment(x, 0, "a[i]", "i", PIECE_ROWS);
    e->indent--;
    emit_line(e, "UNROLL");
    emit_line(e, "for (int i = 0; i < %d; i++)", x->pieces[1] / 2);
    e->indent++;
    fragment(x, 1, "b[i]", "i", 2 * PIECE_COLS);
    e->indent--;
    emit_line(e, "UNROLL");
    emit_line(e, "for (int i = 0; i < %d; i++)", x->pieces[0]);
    emit_line(e, "    UNROLL");
    emit_line(e, "    for (int j = 0; j < %d; j++) core_%s(sum + (i * %d + j) * 4, a[i], b[j / 2] + j %% 2 * 2);",
              x->pieces[1], th_dtype_name((ThDtype)x->c->half), x->pieces[1]);
    e->indent--;
    emit_line(e, "}");
}

/* While one slice is multiplied the next one is on its way. */
static void slices(const Cores *x) {
    Emit *e = x->e;
    int sums = 4 * x->pieces[0] * x->pieces[1];
    char next[32];
    snprintf(next, sizeof next, "from + %d", x->deep);
    emit_line(e, "f32 sum[%d];", sums);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++) sum[j] = 0;", sums);
    fetch_both(x, "0", "0");
    emit_line(e, "core_group();");
    emit_line(e, "for (i64 from = 0, turn = 0; from < depth; from += %d, turn = 1 - turn) {", x->deep);
    e->indent++;
    emit_line(e, "if (from + %d < depth)", x->deep);
    fetch_both(x, next, "1 - turn");
    emit_line(e, "core_group();");
    emit_line(e, "core_wait(1);");
    emit_line(e, "__syncthreads();");
    multiply(x);
    emit_line(e, "__syncthreads();");
    e->indent--;
    emit_line(e, "}");
}

/* Sums of some rows in shared memory, from the registers that have them: two side by side, and two eight rows below. */
static void spread(const Cores *x, int pitch) {
    Emit *e = x->e;
    emit_line(e, "UNROLL");
    emit_line(e, "for (int i = 0; i < %d; i++)", x->pieces[0]);
    emit_line(e, "    if (i == pass) {");
    emit_line(e, "        UNROLL");
    emit_line(e, "        for (int j = 0; j < %d; j++) {", 4 * x->pieces[1]);
    emit_line(e, "            const int r = warp_x * %d + lane / 4 + j %% 4 / 2 * 8;", PIECE_ROWS);
    emit_line(e, "            all[r * %d + warp_y * %d + j / 4 * %d + lane %% 4 * 2 + j %% 2] = sum[i * %d + j];",
              pitch, x->pieces[1] * PIECE_COLS, PIECE_COLS, 4 * x->pieces[1]);
    emit_line(e, "        }");
    emit_line(e, "    }");
}

static bool results(const Cores *x, int pitch) {
    Emit *e = x->e;
    const Contract *c = x->c;
    int rows = x->warps[0] * PIECE_ROWS, high = x->pieces[0] * PIECE_ROWS;
    emit_line(e, "f32 *const all = (f32 *)sh;");
    emit_line(e, "for (int pass = 0; pass < %d; pass++) {", x->pieces[0]);
    e->indent++;
    spread(x, pitch);
    emit_line(e, "__syncthreads();");
    emit_line(e, "for (int part = t; part < %d; part += %d) {", rows * x->size[1], CUDA_THREADS);
    e->indent++;
    emit_line(e, "const int r = part / %d;", x->size[1]);
    emit_line(e, "const i64 row = first_x + r / %d * %d + pass * %d + r %% %d, col = first_y + part %% %d;", PIECE_ROWS,
              high, PIECE_ROWS, PIECE_ROWS, x->size[1]);
    emit_line(e, "if (row < many_x && col < many_y) {");
    e->indent++;
    cuda_tiles_decode(e, "row", c->side_dim[0], c->side_n[0]);
    cuda_tiles_decode(e, "col", c->side_dim[1], c->side_n[1]);
    char sum[48];
    snprintf(sum, sizeof sum, "all[r * %d + part %% %d]", pitch, x->size[1]);
    cuda_tiles_store(e, x->call->way->stage[x->call->stage].st, (ThDtype)c->dtype, sum);
    bool ok = cuda_nodes(e, x->call->child);
    for (int i = 0; i < 2; i++) {
        e->indent--;
        emit_line(e, "}");
    }
    emit_line(e, "__syncthreads();");
    e->indent--;
    emit_line(e, "}");
    return ok;
}

bool cuda_cores(Emit *e, const NestNode *call) {
    const Contract *c = e->nest->contract;
    ChooseTile shape = choose_tile_shape(e->tile, contract_item(c));
    Cores x = {.e = e, .c = c, .call = call, .size = {shape.rows, shape.cols}, .deep = shape.deep};
    int all = CUDA_THREADS / WARP;
    x.warps[0] = shape.rows > 2 * PIECE_ROWS ? 2 : 1;
    x.warps[1] = all / x.warps[0];
    for (int i = 0; i < 2; i++) {
        bool along = c->side[i].deep;
        x.pieces[i] = x.size[i] / x.warps[i] / (i ? PIECE_COLS : PIECE_ROWS);
        x.pitch[i] = (along ? x.deep : x.size[i]) + PAD; /* lines that begin in other banks */
        x.room[i] = (along ? x.size[i] : x.deep) * x.pitch[i];
    }
    int pitch = x.size[1] + PAD, bytes = 2 * 2 * (x.room[0] + x.room[1]);
    int kept = 4 * x.warps[0] * PIECE_ROWS * pitch;
    if (need(e, "tensor cores")) text_put(&e->helpers, cuda_cores_text);
    emit_line(e, "SHARED_BYTES(%d);", kept > bytes ? kept : bytes);
    emit_line(e, "u16 *const slices = (u16 *)sh;");
    emit_line(e, "const int t = (int)threadIdx.x, lane = t %% 32, warp_x = t / 32 / %d, warp_y = t / 32 %% %d;",
              x.warps[1], x.warps[1]);
    cuda_tiles_places(e, c, x.size);
    for (int i = 0; i < 2; i++) factor(&x, i), begin(&x, i);
    slices(&x);
    bool ok = results(&x, pitch);
    e->indent--;
    emit_line(e, "}");
    return ok;
}
