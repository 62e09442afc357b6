/*
 * gemm.c -- products of matrices, whatever these are made of (schedule/contract.c), by tiles: a block computes one,
 * walking along the summed dims with a slice of both factors in shared memory while the threads fetch the next one;
 * each thread has some sums in registers. Then the sums go through shared memory, so that what follows each element
 * runs with neighbouring threads on neighbouring columns. Terms are added one by one in order, whatever the tile: the
 * bits depend on nothing else. Floats are multiplied and added in one step, as the CPU's products do (gemm/gemm.h).
 */
#include "tiles.h"

#include <stdio.h>

enum { SPREAD = 16 }; /* threads along a tile's rows, and along its columns */

typedef struct Tile {
    Emit *e;
    const Contract *c;
    const NestNode *call;
    ChooseTile shape;
    const char *type;
    int size[2], own[2], pitch[2]; /* of rows and columns: how many, of a thread, elements between two slices */
    bool folds;                    /* sums are those of quarters of their terms (GridKernel.quarters) */
    bool lines; /* a thread takes its terms by 16 bytes: a line for each row (column), `pitch` apart; its columns are
                 * SPREAD apart, and a warp's sums 4 by 8, so that what it reads is one wavefront each */
} Tile;

static const char side_name[2] = {'x', 'y'};

/* ---- lengths and places ------------------------------------------------------------------------------------------ */
void cuda_tiles_length(Emit *e, const char *name, const int8_t *dim, int n) {
    Text t;
    text_init(&t, e->c);
    for (int i = 0; i < n; i++) text_printf(&t, i ? " * n%d" : "n%d", dim[i]);
    emit_line(e, "const i64 %s = %s;", name, n ? t.at : "1");
    text_free(&t);
}

void cuda_tiles_decode(Emit *e, const char *name, const int8_t *dim, int n) {
    if (n == 1) emit_line(e, "const i64 i%d = %s; (void)i%d;", dim[0], name, dim[0]);
    if (n < 2) return;
    emit_line(e, "i64 rest_%s = %s;", name, name);
    for (int i = n - 1; i >= 0; i--) {
        if (i)
            emit_line(e, "const i64 i%d = rest_%s %% n%d; rest_%s /= n%d; (void)i%d;", dim[i], name, dim[i], name,
                      dim[i], dim[i]);
        else emit_line(e, "const i64 i%d = rest_%s; (void)i%d;", dim[0], name, dim[0]);
    }
}

/* Where a side's row (column) stands that is the j-th of the tile. In a loop's turns a tile may have columns of several
 * parts of the product (turns.c); behind the last one: as many as there are. */
static void place(const Tile *t, int side, const char *name, const char *j) {
    if (side && t->e->part) emit_line(t->e, "const i64 %s = spread_column(w, first_y, (int)(%s), many_y);", name, j);
    else emit_line(t->e, "const i64 %s = first_%c + %s;", name, side_name[side], j);
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */
void cuda_tiles_element(Emit *e, Text *t, int acc) {
    const Access *a = &e->k->acc.at[acc];
    text_printf(t, "p_%s[0", e->name[acc]);
    for (int d = 0; d < e->k->ndim; d++) {
        if (size_is(a->st[d], 0)) continue;
        text_printf(t, " + i%d * (", d);
        emit_size(t, a->st[d]);
        text_putc(t, ')');
    }
    text_putc(t, ']');
}

/* What a thread fetches of a slice. */
static int pieces(const Tile *t, int side) { return t->size[side] * t->shape.deep / CUDA_THREADS; }

/* In turns its rows may not be there yet (schedule/told.c). */
static bool looks(const Tile *t, int side) {
    const Emit *e = t->e;
    int a = t->c->side[side].access;
    return e->part && !side && a >= 0 && e->told >> a & 1;
}

/* One element of a factor, at row (column) `at` and depth `deep`. */
static bool value(const Tile *t, int side) {
    Emit *e = t->e;
    const ContractSide *s = &t->c->side[side];
    char to[16];
    bool ok = true;
    snprintf(to, sizeof to, "n%c[j]", side_name[side]);
    if (s->access < 0) {
        ok = cuda_code(e, s->ids, s->n, false);
        emit_line(e, "%s = v%d;", to, s->value);
        return ok;
    }
    Text x;
    text_init(&x, e->c);
    cuda_tiles_element(e, &x, s->access);
    if (looks(t, side)) emit_line(e, "%s = look_%s(&%s);", to, t->type, x.at ? x.at : "0");
    else emit_line(e, "%s = %s;", to, x.at ? x.at : "0");
    text_free(&x);
    return ok;
}

/* Fetches the slice from depth `from` on into the registers n<side>. Neighbouring threads take what lies side by side.
 */
static bool fetch(const Tile *t, int side) {
    Emit *e = t->e;
    const ContractSide *s = &t->c->side[side];
    const int8_t *own = t->c->side_dim[side];
    int nown = t->c->side_n[side], size = t->size[side], deep = t->shape.deep;
    char at[8], j[24];
    snprintf(at, sizeof at, "at_%c", side_name[side]);
    snprintf(j, sizeof j, "part / %d", deep);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++) {", size * deep / CUDA_THREADS);
    e->indent++;
    emit_line(e, "const int part = j * %d + t;", CUDA_THREADS);
    if (s->deep) place(t, side, at, j);
    if (s->deep) emit_line(e, "const i64 deep = from + part %% %d;", deep);
    else emit_line(e, "const i64 deep = from + part / %d;", size);
    emit_line(e, "n%c[j] = zero;", side_name[side]);
    emit_line(e, "if (%s < many_%c && deep < depth) {", at, side_name[side]);
    e->indent++;
    if (s->deep) cuda_tiles_decode(e, at, own, nown);
    cuda_tiles_decode(e, "deep", t->c->deep, t->c->ndeep);
    bool ok = value(t, side);
    e->indent--;
    emit_line(e, "}");
    e->indent--;
    emit_line(e, "}");
    return ok;
}

/* Whether one of the `n` pieces of `some` numbers that were loaded of rows is not there yet. */
static void missing(const Tile *t, int n, int some) {
    Emit *e = t->e;
    emit_line(e, "missing = 0;");
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++)", n);
    if (some > 1) emit_line(e, "    for (int i = 0; i < %d; i++) missing |= !is_%s(nx[j].v[i]);", some, t->type);
    else emit_line(e, "    missing |= !is_%s(nx[j]);", t->type);
}

/* The slice of rows from depth `begun` on, which was on its way, is loaded again until all of it is there. */
static bool until_told(const Tile *t, const char *begun, int n, int some, bool (*get)(const Tile *, int)) {
    Emit *e = t->e;
    if (!looks(t, 0)) return true;
    emit_line(e, "for (int missing = told; missing;) {");
    e->indent++;
    missing(t, n, some);
    emit_line(e, "if (!missing) break;");
    emit_line(e, "grid_again();");
    emit_line(e, "const i64 begun = %s;", begun);
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "const i64 from = begun;");
    bool ok = get(t, 0);
    for (int i = 0; i < 2; i++) {
        e->indent--;
        emit_line(e, "}");
    }
    return ok;
}

/* A slice of rows that nothing is multiplied beside: the text of the first load is that of those after it. */
static bool fetch_told(const Tile *t) {
    Emit *e = t->e;
    emit_line(e, "for (int missing = 1; missing;) {");
    e->indent++;
    bool ok = fetch(t, 0);
    emit_line(e, "if (!told) break;");
    missing(t, pieces(t, 0), 1);
    emit_line(e, "if (missing) grid_again();");
    e->indent--;
    emit_line(e, "}");
    return ok;
}

/* The fetched slice goes to shared memory, a line for each depth, or for each row (column). */
static void put(const Tile *t, int side) {
    Emit *e = t->e;
    int size = t->size[side], deep = t->shape.deep;
    bool along = t->c->side[side].deep;
    char at[24], depth[24];
    snprintf(at, sizeof at, along ? "part / %d" : "part %% %d", along ? deep : size);
    snprintf(depth, sizeof depth, along ? "part %% %d" : "part / %d", along ? deep : size);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++) {", size * deep / CUDA_THREADS);
    emit_line(e, "    const int part = j * %d + t;", CUDA_THREADS);
    emit_line(e, "    s%c[(%s) * %d + %s] = n%c[j];", side_name[side], t->lines ? at : depth, t->pitch[side],
              t->lines ? depth : at, side_name[side]);
    emit_line(e, "}");
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */
/* Numbers of a thread side by side, as far as one load takes them. */
static const char *pack(Emit *e, const char *type, int n, size_t item, char name[24]) {
    int bytes = n * (int)item;
    snprintf(name, 24, "%sq%d", type, n);
    if (need(e, name))
        text_printf(&e->helpers, "typedef struct ALIGNED(%d) { %s v[%d]; } %s;\n", bytes > 16 ? 16 : bytes, type, n,
                    name);
    return name;
}

static const char *fma_of(ThDtype d) { return d == TH_FLOAT32 ? "fmaf" : "fma"; }

/* sum[to] and one more term, a.v[i] times b.v[j]. */
static void term(const Tile *t, const char *to, const char *i, const char *j) {
    Emit *e = t->e;
    ThDtype d = (ThDtype)t->c->dtype;
    if (dtype_is_complex(d)) {
        char mul[64], add[64];
        snprintf(mul, sizeof mul, "%s", need_math(e, "c_mul", d, 1));
        snprintf(add, sizeof add, "%s", need_math(e, "c_add", d, 1));
        emit_line(e, "        sum[%s] = %s(sum[%s], %s(a.v[%s], b.v[%s]));", to, add, to, mul, i, j);
    } else if (dtype_is_float(d))
        emit_line(e, "        sum[%s] = %s(a.v[%s], b.v[%s], sum[%s]);", to, fma_of(d), i, j, to);
    else emit_line(e, "        sum[%s] = (%s)(sum[%s] + (%s)(a.v[%s] * b.v[%s]));", to, t->type, to, t->type, i, j);
}

/* Terms of a line, some at a time, until `to`. */
static void along_lines(const Tile *t, const char *from, const char *to) {
    Emit *e = t->e;
    size_t item = th_dtype_bytes((ThDtype)t->c->dtype);
    int some = item < 4 ? 4 : item < 16 ? 16 / (int)item : 1;
    char x[24];
    emit_line(e, "UNROLL");
    emit_line(e, "for (int q = %s; q < %s; q += %d) {", from, to, some);
    e->indent++;
    pack(e, t->type, some, item, x);
    emit_line(e, "const %s a = *(const %s *)(sx + ty * %d + q);", x, x, t->pitch[0]);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++) {", t->own[1]);
    e->indent++;
    emit_line(e, "const %s b = *(const %s *)(sy + (tx + j * %d) * %d + q);", x, x, SPREAD, t->pitch[1]);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int i = 0; i < %d; i++)", some);
    term(t, "j", "i", "i");
    for (int i = 0; i < 2; i++) {
        e->indent--;
        emit_line(e, "}");
    }
}

/* Of a slice as far as there are terms: REST of them at a time in the last one. In turns, whose parts share the
 * registers, all of it. */
static void lines_left(const Tile *t, const char *begun) {
    enum { REST = 16 };
    Emit *e = t->e;
    char deep[24];
    number_format(deep, sizeof deep, "%d", t->shape.deep);
    if (!e->part && t->shape.deep > REST) {
        emit_line(e, "const int left = depth - (%s) < %s ? (int)(depth - (%s)) : %s;", begun, deep, begun, deep);
        emit_line(e, "if (left < %s) {", deep);
        e->indent++;
        emit_line(e, "ROLLED");
        emit_line(e, "for (int some = 0; some < left; some += %d) {", REST);
        e->indent++;
        along_lines(t, "some", "some + 16");
        for (int i = 0; i < 2; i++) {
            e->indent--;
            emit_line(e, i ? "} else {" : "}");
        }
        e->indent++;
    }
    along_lines(t, "0", deep);
    if (e->part || t->shape.deep <= REST) return;
    e->indent--;
    emit_line(e, "}");
}

/* begun: where the slice does. */
static void multiply_add(const Tile *t, const char *begun) {
    Emit *e = t->e;
    char x[24], y[24], to[32];
    size_t item = th_dtype_bytes((ThDtype)t->c->dtype);
    if (t->lines) {
        lines_left(t, begun);
        return;
    }
    emit_line(e, "UNROLL");
    emit_line(e, "for (int q = 0; q < %d; q++) {", t->shape.deep);
    e->indent++;
    pack(e, t->type, t->own[0], item, x);
    pack(e, t->type, t->own[1], item, y);
    emit_line(e, "const %s a = *(const %s *)(sx + q * %d + ty * %d);", x, x, t->pitch[0], t->own[0]);
    emit_line(e, "const %s b = *(const %s *)(sy + q * %d + tx * %d);", y, y, t->pitch[1], t->own[1]);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int i = 0; i < %d; i++)", t->own[0]);
    emit_line(e, "    UNROLL");
    emit_line(e, "    for (int j = 0; j < %d; j++)", t->own[1]);
    snprintf(to, sizeof to, "i * %d + j", t->own[1]);
    term(t, to, "i", "j");
    e->indent--;
    emit_line(e, "}");
}

/* Where a thread's rows (columns) stay the same from slice to slice, they are found once. */
static void begin(const Tile *t) {
    Emit *e = t->e;
    emit_line(e, "%s sum[%d];", t->type, t->own[0] * t->own[1]);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++) sum[j] = zero;", t->own[0] * t->own[1]);
    if (t->folds)
        emit_line(e, "const i64 quarter = (depth + %d) / %d * %d;", QUARTERS * QUARTER - 1, QUARTERS * QUARTER,
                  QUARTER);
    if (t->folds) {
        emit_line(e, "%s kept[%d];", t->type, t->own[0] * t->own[1]);
        emit_line(e, "UNROLL");
        emit_line(e, "for (int j = 0; j < %d; j++) kept[j] = zero;", t->own[0] * t->own[1]);
    }
    for (int i = 0; i < 2; i++) {
        char at[8], j[24];
        snprintf(at, sizeof at, "at_%c", side_name[i]);
        emit_line(e, "%s n%c[%d];", t->type, side_name[i], t->size[i] * t->shape.deep / CUDA_THREADS);
        if (t->c->side[i].deep) continue;
        snprintf(j, sizeof j, "t %% %d", t->size[i]);
        place(t, i, at, j);
        cuda_tiles_decode(e, at, t->c->side_dim[i], t->c->side_n[i]);
    }
}

/* By a thread that has all terms of its sums: a quarter's is added to those before it. */
static void quarter_done(const Tile *t) {
    Emit *e = t->e;
    emit_line(e, "if (depth > %d && from %% quarter == 0) {", QUARTER);
    emit_line(e, "    UNROLL");
    emit_line(e, "    for (int j = 0; j < %d; j++) kept[j] += sum[j], sum[j] = zero;", t->own[0] * t->own[1]);
    emit_line(e, "}");
}

static void all_quarters(const Tile *t) {
    Emit *e = t->e;
    emit_line(e, "if (depth > %d) {", QUARTER);
    emit_line(e, "    UNROLL");
    emit_line(e, "    for (int j = 0; j < %d; j++) sum[j] = kept[j] + sum[j];", t->own[0] * t->own[1]);
    emit_line(e, "}");
}

/* In turns, the first two slices of columns, which may be on their way while the block waits for what rows are. */
static bool two_early(const Tile *t, const char *type, int deep, const char *end, bool (*get)(const Tile *, int)) {
    Emit *e = t->e;
    emit_line(e, "UNROLL");
    emit_line(e, "for (int two = 0; two < 2; two++) {");
    e->indent++;
    emit_line(e, "%s *const ny = my[two];", type);
    emit_line(e, "const i64 from = two * %d;", deep);
    emit_line(e, "if (from < %s) {", end);
    e->indent++;
    bool ok = get(t, 1);
    for (int i = 0; i < 2; i++) {
        e->indent--;
        emit_line(e, "}");
    }
    emit_line(e, "wait_once(&count, goal);");
    return ok;
}

/* Two slices are on their way, in registers of their own, while one is multiplied. */
static bool two_slices(const Tile *t) {
    Emit *e = t->e;
    int deep = t->shape.deep;
    char begun[32];
    number_format(begun, sizeof begun, "from - %d", 2 * deep);
    for (int i = 0; i < 2; i++) emit_line(e, "%s m%c[2][%d];", t->type, side_name[i], t->size[i] * deep / CUDA_THREADS);
    bool ok = !e->part || two_early(t, t->type, deep, "depth", fetch);
    emit_line(e, "for (i64 slice = -%d; slice < depth; slice += %d) {", 2 * deep, 2 * deep);
    e->indent++;
    emit_line(e, "UNROLL");
    emit_line(e, "for (int two = 0; two < 2; two++) {");
    e->indent++;
    emit_line(e, "%s *const nx = mx[two], *const ny = my[two];", t->type);
    emit_line(e, "const i64 from = slice + (two + 2) * %d;", deep);
    emit_line(e, "const int now = slice >= 0 && from - %d < depth;", 2 * deep);
    emit_line(e, "if (now) {");
    e->indent++;
    ok = ok && until_told(t, begun, pieces(t, 0), 1, fetch);
    emit_line(e, "__syncthreads();");
    put(t, 0), put(t, 1);
    emit_line(e, "__syncthreads();");
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "if (from < depth) {");
    e->indent++;
    ok = ok && fetch(t, 0);
    if (e->part) emit_line(e, "if (slice >= 0) {");
    e->indent += e->part;
    ok = ok && fetch(t, 1);
    e->indent -= e->part;
    if (e->part) emit_line(e, "}");
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "if (now) {");
    e->indent++;
    multiply_add(t, begun);
    for (int i = 0; i < 3; i++) {
        e->indent--;
        emit_line(e, "}");
    }
    emit_line(e, "__syncthreads();");
    return ok;
}

/* While one slice is multiplied the next one is on its way. */
static bool slices(const Tile *t) {
    Emit *e = t->e;
    char begun[32];
    number_format(begun, sizeof begun, "from - %d", t->shape.deep);
    if (e->part) emit_line(e, "wait_once(&count, goal);");
    emit_line(e, "for (i64 from = 0;; from += %d) {", t->shape.deep);
    e->indent++;
    emit_line(e, "if (from < depth) {");
    e->indent++;
    bool ok = looks(t, 0) ? fetch(t, 1) && fetch_told(t) : fetch(t, 0) && fetch(t, 1);
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "if (from > 0) {");
    e->indent++;
    multiply_add(t, begun);
    if (t->folds) quarter_done(t);
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "__syncthreads();");
    emit_line(e, "if (from >= depth) break;");
    put(t, 0), put(t, 1);
    emit_line(e, "__syncthreads();");
    e->indent--;
    emit_line(e, "}");
    if (t->folds) all_quarters(t);
    return ok;
}

/* ---- sums of quarters -------------------------------------------------------------------------------------------- */
/* Terms of a slice, of which a thread has those of its quarter, for two rows and two columns. */
static void multiply_quarter(const Tile *t) {
    Emit *e = t->e;
    ThDtype d = (ThDtype)t->c->dtype;
    int some = 16 / (int)th_dtype_bytes(d), each = t->shape.deep / QUARTERS;
    char x[24];
    pack(e, t->type, some, th_dtype_bytes(d), x);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int q = 0; q < %d; q += %d) {", each, some);
    e->indent++;
    for (int i = 0; i < 2; i++)
        emit_line(e, "const %s a%d = *(const %s *)(sx + (uy + %d) * %d + mine * %d + q);", x, i, x, i * SPREAD / 2,
                  t->pitch[0], each);
    for (int i = 0; i < 2; i++)
        emit_line(e, "const %s b%d = *(const %s *)(sy + (ux + %d) * %d + mine * %d + q);", x, i, x, i * SPREAD / 2,
                  t->pitch[1], each);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int i = 0; i < %d; i++) {", some);
    for (int i = 0; i < 4; i++)
        emit_line(e, "    four[%d] = %s(a%d.v[i], b%d.v[i], four[%d]);", i, fma_of(d), i / 2, i % 2, i);
    emit_line(e, "}");
    e->indent--;
    emit_line(e, "}");
}

/* What the threads of all quarters have becomes sum[0], by way of shared memory. */
static void join_quarters(const Tile *t) {
    Emit *e = t->e;
    int all = SPREAD * SPREAD;
    emit_line(e, "__syncthreads();");
    emit_line(e, "%s *const parts = (%s *)sh;", t->type, t->type);
    for (int i = 0; i < 4; i++)
        emit_line(e, "parts[mine * %d + (uy + %d) * %d + ux + %d] = four[%d];", all, i / 2 * SPREAD / 2, SPREAD,
                  i % 2 * SPREAD / 2, i);
    emit_line(e, "__syncthreads();");
    emit_line(e, "sum[0] = zero;");
    emit_line(e, "for (int i = 0; i < %d; i++) sum[0] += parts[i * %d + ty * %d + tx];", QUARTERS, all, SPREAD);
    emit_line(e, "__syncthreads();");
}

/* Of a factor, the elements side by side in one load, and how many such a slice has in a row. */
static const char *sixteen(const Tile *t, int *some, int *line, char name[24]) {
    size_t item = th_dtype_bytes((ThDtype)t->c->dtype);
    *some = 16 / (int)item, *line = t->shape.deep / *some;
    return pack(t->e, t->type, *some, item, name);
}

/* Numbers side by side that may not be there yet. */
static void need_look(const Tile *t, int some, const char *x) {
    char name[32];
    Text *h = &t->e->helpers;
    const char *type = t->type, *from = some == 4 ? "v4.f32 {%0, %1, %2, %3}, [%4]" : "v2.f64 {%0, %1}, [%2]";
    const char *to =
        some == 4 ? "\"=f\"(q.v[0]), \"=f\"(q.v[1]), \"=f\"(q.v[2]), \"=f\"(q.v[3])" : "\"=d\"(q.v[0]), \"=d\"(q.v[1])";
    snprintf(name, sizeof name, "look_%s", x);
    if (!need(t->e, name)) return;
    text_printf(h, "INLINE %s %s(const %s *p) {\n    %s q;\n", x, name, type, x);
    text_put(h, "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\n");
    text_printf(h, "    asm volatile(\"ld.relaxed.gpu.global.%s;\" : %s : \"l\"(p));\n#else\n", from, to);
    text_printf(h, "    for (int i = 0; i < %d; i++) q.v[i] = ((const volatile %s *)p)[i];\n", some, type);
    text_put(h, "#endif\n    return q;\n}\n");
}

/* Fetches a slice of each quarter into n<side>[], by 16 bytes, or puts it into shared memory. */
static void move_quarters(const Tile *t, int side, bool get) {
    Emit *e = t->e;
    const Contract *c = t->c;
    int some, line, acc = c->side[side].access;
    char x[24], at[8], j[24], one[40], to = side_name[side];
    sixteen(t, &some, &line, x);
    if (looks(t, side)) need_look(t, some, x);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++) {", SPREAD * line / CUDA_THREADS);
    e->indent++;
    emit_line(e, "const int part = j * %d + t;", CUDA_THREADS);
    if (get) {
        Text far;
        text_init(&far, e->c);
        emit_size(&far, e->k->acc.at[acc].st[c->side_dim[side][0]]);
        snprintf(at, sizeof at, "at_%c", to);
        snprintf(j, sizeof j, "part / %d", line);
        place(t, side, at, j);
        emit_line(e, "const i64 deep = from + part %% %d / %d * quarter + part %% %d * %d;", line, line / QUARTERS,
                  line / QUARTERS, some);
        emit_line(e, "n%c[j] = none;", to);
        snprintf(one, sizeof one, looks(t, side) ? "look_%s(" : "*(const %s *)(", x);
        emit_line(e, "if (%s < many_%c && deep < depth) n%c[j] = %sp_%s + %s * (%s) + deep);", at, to, to, one,
                  e->name[acc], at, far.at ? far.at : "0");
        text_free(&far);
    } else
        emit_line(e, "*(%s *)(s%c + part / %d * %d + part %% %d * %d) = n%c[j];", x, to, line, t->pitch[side], line,
                  some, to);
    e->indent--;
    emit_line(e, "}");
}

static bool fetch_quarters(const Tile *t, int side) {
    move_quarters(t, side, true);
    return true;
}

/* The launch may take all of both factors by 16 bytes. */
static void if_even(const Tile *t) {
    Emit *e = t->e;
    Text x;
    text_init(&x, e->c);
    for (int i = 0; i < 2; i++) {
        int acc = t->c->side[i].access;
        text_printf(&x, " | (u64)p_%s | (u64)(%d * (", e->name[acc], (int)th_dtype_bytes((ThDtype)t->c->dtype));
        emit_size(&x, e->k->acc.at[acc].st[t->c->side_dim[i][0]]);
        text_put(&x, "))");
    }
    emit_line(e, "if (depth > %d && (((u64)(%d * depth)%s) & 15) == 0) {", QUARTER,
              (int)th_dtype_bytes((ThDtype)t->c->dtype), x.at ? x.at : "");
    text_free(&x);
}

/* A tile that is square, by four groups of threads, each of which has a quarter of the terms: while a slice of all
 * quarters is multiplied the next two are on their way. */
static bool by_quarters(const Tile *t) {
    Emit *e = t->e;
    int each = t->shape.deep / QUARTERS, some, line;
    char x[24], begun[32];
    sixteen(t, &some, &line, x);
    if_even(t);
    e->indent++;
    emit_line(e, "const int mine = t / %d, ux = t %% 8, uy = t / 8 %% 8;", CUDA_THREADS / QUARTERS);
    emit_line(e, "%s four[4] = {zero, zero, zero, zero};", t->type);
    emit_line(e, "const %s none = {{0}};", x);
    for (int i = 0; i < 2; i++) emit_line(e, "%s m%c[2][%d];", x, side_name[i], SPREAD * line / CUDA_THREADS);
    two_early(t, x, each, "quarter", fetch_quarters);
    emit_line(e, "for (i64 slice = -%d; slice < quarter; slice += %d) {", 2 * each, 2 * each);
    e->indent++;
    emit_line(e, "UNROLL");
    emit_line(e, "for (int two = 0; two < 2; two++) {");
    e->indent++;
    emit_line(e, "%s *const nx = mx[two], *const ny = my[two];", x);
    emit_line(e, "const i64 from = slice + (two + 2) * %d;", each);
    emit_line(e, "if (slice >= 0) {");
    e->indent++;
    number_format(begun, sizeof begun, "from - %d", 2 * each);
    until_told(t, begun, SPREAD * line / CUDA_THREADS, some, fetch_quarters);
    emit_line(e, "__syncthreads();");
    for (int i = 0; i < 2; i++) move_quarters(t, i, false);
    emit_line(e, "__syncthreads();");
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "if (from < quarter) {");
    e->indent++;
    move_quarters(t, 0, true);
    emit_line(e, "if (slice >= 0) {");
    e->indent++;
    move_quarters(t, 1, true);
    for (int i = 0; i < 2; i++) {
        e->indent--;
        emit_line(e, "}");
    }
    emit_line(e, "if (slice >= 0) {");
    e->indent++;
    multiply_quarter(t);
    for (int i = 0; i < 3; i++) {
        e->indent--;
        emit_line(e, "}");
    }
    join_quarters(t);
    e->indent--;
    emit_line(e, "} else {");
    e->indent++;
    bool ok = slices(t);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */
void cuda_tiles_store(Emit *e, const Stage *st, ThDtype d, const char *sum) {
    const char *type = type_short(d);
    Text z;
    text_init(&z, e->c);
    cuda_tiles_element(e, &z, st->C);
    bool fused = st->alpha >= 0 && st->beta >= 0 && dtype_is_float(d);
    emit_line(e, "%s whole = %s;", type, sum);
    if (fused)
        emit_line(e, "whole = v%d != 0 ? %s((%s)v%d, whole, (%s)v%d * %s) : (%s)v%d * whole;", st->beta, fma_of(d),
                  type, st->alpha, type, st->beta, z.at, type, st->alpha);
    if (st->alpha >= 0 && !fused) emit_line(e, "whole *= (%s)v%d;", type, st->alpha);
    if (st->beta >= 0 && !fused) emit_line(e, "if (v%d != 0) whole += (%s)v%d * %s;", st->beta, type, st->beta, z.at);
    if (!st->sole) emit_line(e, "%s = whole;", z.at ? z.at : "whole");
    text_free(&z);
}

/* In turns, what is stored stays in the tile for points near it (near.c). */
static void keep(const Tile *t) {
    Emit *e = t->e;
    const Stage *st = t->call->way->stage[t->call->stage].st;
    int to = e->kept - 1, value = -1;
    for (int i = 0; i < e->k->ins.n && to >= 0; i++)
        if (e->k->ins.at[i].op == INS_STORE && e->k->ins.at[i].a == to) value = e->k->ins.at[i].b;
    if (value >= 0) emit_line(e, "all[part] = v%d;", value);
    else if (to >= 0 && (st->alpha >= 0 || st->beta >= 0)) emit_line(e, "all[part] = whole;");
}

static bool results(const Tile *t) {
    Emit *e = t->e;
    const Contract *c = t->c;
    emit_line(e, "%s *const all = (%s *)sh;", t->type, t->type);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int j = 0; j < %d; j++)", t->own[0] * t->own[1]);
    emit_line(e, "    all[(ty * %d + j / %d) * %d + tx * %d + j %% %d * %d] = sum[j];", t->own[0], t->own[1],
              t->size[1], t->lines ? 1 : t->own[1], t->own[1], t->lines ? SPREAD : 1);
    emit_line(e, "__syncthreads();");
    emit_line(e, "for (int part = t; part < %d; part += %d) {", t->size[0] * t->size[1], CUDA_THREADS);
    e->indent++;
    for (int i = 0; i < 2; i++) {
        char j[24];
        snprintf(j, sizeof j, i ? "part %% %d" : "part / %d", t->size[1]);
        place(t, i, i ? "col" : "row", j);
    }
    emit_line(e, "if (row < many_x && col < many_y) {");
    e->indent++;
    cuda_tiles_decode(e, "row", c->side_dim[0], c->side_n[0]);
    cuda_tiles_decode(e, "col", c->side_dim[1], c->side_n[1]);
    if (c->red < 0) cuda_tiles_store(e, t->call->way->stage[t->call->stage].st, (ThDtype)c->dtype, "all[part]");
    else emit_line(e, "const %s r%d = all[part];", t->type, c->red);
    bool ok = cuda_nodes(e, t->call->child);
    keep(t);
    e->indent--;
    emit_line(e, "}");
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "__syncthreads();");
    return ok;
}

/* ---- a tile ------------------------------------------------------------------------------------------------------ */
static void shape_of(const Contract *c, int which, Tile *t) {
    size_t item = contract_item(c);
    t->shape = choose_tile_shape(which, item);
    t->lines = which == CHOOSE_THIN || which == CHOOSE_SMALL || which == CHOOSE_SQUARE;
    t->size[0] = t->shape.rows, t->size[1] = t->shape.cols;
    for (int i = 0; i < 2; i++) {
        t->own[i] = t->size[i] / SPREAD;
        /* lines that begin in other banks */
        t->pitch[i] = (t->lines ? t->shape.deep : t->size[i]) + (item < 16 ? 16 / (int)item : 1);
    }
}

static int bytes_of(const Tile *t) {
    int slices = 0, all = t->size[0] * t->size[1];
    for (int i = 0; i < 2; i++) slices += t->pitch[i] * (t->lines ? t->size[i] : t->shape.deep);
    return (slices > all ? slices : all) * (int)th_dtype_bytes((ThDtype)t->c->dtype);
}

int cuda_tile_bytes(const Contract *c, int which) {
    Tile t = {.c = c};
    shape_of(c, which, &t);
    return bytes_of(&t);
}

static void room(const Tile *t) {
    if (!t->e->part) emit_line(t->e, "SHARED_BYTES(%d);", bytes_of(t));
    emit_line(t->e, "%s *const sx = (%s *)sh, *const sy = sx + %d;", t->type, t->type,
              t->pitch[0] * (t->lines ? t->size[0] : t->shape.deep));
    emit_line(t->e, "const %s zero = {0};", t->type);
}

void cuda_tiles_places(Emit *e, const Contract *c, const int size[2]) {
    cuda_tiles_length(e, "many_x", c->side_dim[0], c->side_n[0]);
    cuda_tiles_length(e, "many_y", c->side_dim[1], c->side_n[1]);
    cuda_tiles_length(e, "depth", c->deep, c->ndeep);
    cuda_tiles_length(e, "matrices", c->batch, c->nbatch);
    if (e->part) emit_line(e, "const i64 wide = (w.cols + (1 << w.bits) - 1) >> w.bits;");
    else emit_line(e, "const i64 wide = (many_y + %d) / %d;", size[1] - 1, size[1]);
    emit_line(e, "const i64 high = (many_x + %d) / %d;", size[0] - 1, size[0]);
    emit_line(e, "for (i64 g = blockIdx.x; g < wide * high * matrices; g += gridDim.x) {");
    e->indent++;
    if (e->part) emit_line(e, "const i64 first_y = g %% wide << w.bits;");
    else emit_line(e, "const i64 first_y = g %% wide * %d;", size[1]);
    emit_line(e, "const i64 first_x = g / wide %% high * %d;", size[0]);
    if (!c->nbatch) return;
    emit_line(e, "const i64 matrix = g / wide / high;");
    cuda_tiles_decode(e, "matrix", c->batch, c->nbatch);
}

bool cuda_gemm(Emit *e, const NestNode *call) {
    const Contract *c = e->nest->contract;
    ThDtype d = (ThDtype)c->dtype;
    if (c->half) return cuda_cores(e, call);
    Tile t = {.e = e, .c = c, .call = call, .type = type_short(d)};
    shape_of(c, e->tile, &t);
    t.folds = e->quarters;
    room(&t);
    if (t.lines)
        emit_line(e, "const int t = (int)threadIdx.x, tx = t %% 8 + t / 32 %% 2 * 8, ty = t / 8 %% 4 + t / 64 * 4;");
    else emit_line(e, "const int t = (int)threadIdx.x, tx = t %% %d, ty = t / %d;", SPREAD, SPREAD);
    cuda_tiles_places(e, c, t.size);
    begin(&t);
    /* Those of square tiles would take too many registers. */
    bool ahead = e->part ? e->tile == CHOOSE_THIN : e->tile == CHOOSE_SMALL && !t.folds;
    bool ok = (t.folds && e->part ? by_quarters(&t) : ahead ? two_slices(&t) : slices(&t)) && results(&t);
    e->indent--;
    emit_line(e, "}");
    if (e->part) emit_line(e, "wait_once(&count, goal);"); /* a block without a tile */
    return ok;
}

/* The sum at a point, which a library left: element by element of C, or one behind the other. */
static void whole(Emit *e, const Nest *t, const NestNode *n) {
    const Contract *c = t->contract;
    const char *type = type_short((ThDtype)c->dtype);
    Text z;
    text_init(&z, e->c);
    if (c->red < 0) {
        cuda_tiles_element(e, &z, t->way->stage[n ? n->stage : 0].st->C);
        emit_line(e, "const %s whole = %s;", type, z.at ? z.at : "0");
    } else {
        bool first = true;
        for (int d = 0; d < e->k->ndim; d++) {
            if (e->k->dim[d].kind != DIM_PAR) continue;
            Text was = z;
            text_init(&z, e->c);
            if (first) text_printf(&z, "i%d", d);
            else text_printf(&z, "(%s) * n%d + i%d", was.at ? was.at : "0", d, d);
            text_free(&was);
            first = false;
        }
        emit_line(e, "const %s r%d = ((const %s *)a.whole)[%s];", type, c->red, type, z.at ? z.at : "0");
    }
    text_free(&z);
}

bool cuda_behind(Emit *e, const CudaKernel *k) {
    const Nest *t = k->nest;
    const Contract *c = t->contract;
    const NestNode *n = t->root;
    char name[GRID_NAME];
    bool ok = true;
    if (!emit_begin(e, k->k, k->number)) return false;
    grid_name(name, k->number, GRID_BEHIND);
    e->lanes = 1;
    e->nsym = k->nsym;
    e->nest = t, e->way = t->way, e->range = NULL;
    emit_line(e, "KERNEL %s(const Args_%d a) {", name, k->number);
    e->indent = 1;
    cuda_head(e);
    cuda_leave(e, k->k->can_fail);
    for (; ok && n && n->kind == NEST_CODE; n = n->next) { /* factors */
        e->s = &n->way->stage[n->stage];
        ok = cuda_code(e, n->ids, n->n, false);
    }
    cuda_tiles_length(e, "cols", c->side_dim[1], c->side_n[1]);
    cuda_tiles_length(e, "rows", c->side_dim[0], c->side_n[0]);
    cuda_tiles_length(e, "matrices", c->batch, c->nbatch);
    emit_line(e, "for (i64 g = blockIdx.x * (i64)blockDim.x + threadIdx.x; g < matrices * rows * cols;");
    emit_line(e, "     g += gridDim.x * (i64)blockDim.x) {");
    e->indent = 2;
    emit_line(e, "const i64 col = g %% cols, row = g / cols %% rows, matrix = g / cols / rows; (void)matrix;");
    cuda_tiles_decode(e, "row", c->side_dim[0], c->side_n[0]);
    cuda_tiles_decode(e, "col", c->side_dim[1], c->side_n[1]);
    cuda_tiles_decode(e, "matrix", c->batch, c->nbatch);
    whole(e, t, n);
    ok = ok && n && cuda_nodes(e, n->child);
    emit_line(e, "}");
    e->indent = 0;
    emit_line(e, "}\n");
    return ok && !failed(e->c);
}
