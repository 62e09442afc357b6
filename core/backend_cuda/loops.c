/*
 * loops.c -- a Nest as one CUDA function: the grid's loop over points, then each stage inside it, serially or over the
 * threads of a block.
 */
#include "cuda.h"

#include <stdio.h>

/* Indices have 32 bits where the launch says that they fit, and sizes with them. */
static void sizes(Emit *e) {
    bool narrow = e->nest->large != NULL;
    emit_line(e, "typedef %s ix; typedef %s uix;", narrow ? "i32" : "i64",
              narrow ? "u32" : "u64"); /* none is negative */
    emit_line(e, "char *const *const b = a.b; const Cell *const q = a.q; (void)b, (void)q;");
    if (!narrow) {
        emit_line(e, "const i64 *const s = a.s; (void)s;");
        return;
    }
    Text t;
    text_init(&t, e->c);
    for (int i = 0; i < e->nsym; i++) text_printf(&t, i ? ", (i32)a.s[%d]" : "(i32)a.s[%d]", i);
    emit_line(e, "const i32 s[%d] = {%s}; (void)s;", e->nsym, t.at ? t.at : "0");
    text_free(&t);
}

int cuda_group(const Emit *e) { return e->half ? TAIL_ROW : grid_group(e->nest); }

/* Where each private row lies: the block's in memory of the launch, or one after the other in shared memory, where each
 * warp has its own. */
static void private_rows(Emit *e) {
    const Kernel *k = e->k;
    int group = cuda_group(e), each = group > 1 ? CUDA_THREADS / group : 1;
    Text before;
    text_init(&before, e->c);
    for (int b = 0; b < k->nbuf; b++) {
        int item = (int)grid_row_item(k, b);
        if (!item) continue;
        if (group == 1) emit_line(e, "char *const row%d = b[%d] + blockIdx.x * a.row[%d] * %d;", b, b, b, item);
        else {
            if (!before.n) emit_line(e, "SHARED_ROWS;");
            emit_line(e,
                      "char *const row%d = b[%d] ? b[%d] + blockIdx.x * a.row[%d] * %d : rows%s + threadIdx.x / %d * "
                      "a.row[%d] * %d;",
                      b, b, b, b, item, before.n ? before.at : "", group, b, item);
        }
        text_printf(&before, " + a.row[%d] * %d", b, item * each);
    }
    text_free(&before);
}

void cuda_head(Emit *e) {
    const Kernel *k = e->k;
    Text t;
    sizes(e);
    for (int d = 0; d < k->ndim; d++) {
        text_init(&t, e->c);
        emit_size(&t, k->dim[d].n);
        emit_line(e, "const ix n%d = %s; (void)n%d;", d, t.at ? t.at : "0", d);
        text_free(&t);
    }
    private_rows(e);
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        const char *ty = type_short((ThDtype)a->dtype), *ro = a->flags & ACC_WRITE ? "" : "const ";
        text_init(&t, e->c);
        if (!size_is(a->off, 0)) {
            text_put(&t, " + ");
            emit_size(&t, a->off);
        }
        const char *row = a->flags & ACC_ROWTEMP ? "row" : "b[";
        emit_line(e, "%s%s *const p_%s = (%s%s *)%s%d%s%s; (void)p_%s;", ro, ty, e->name[i], ro, ty, row, a->buf,
                  *row == 'b' ? "]" : "", t.at ? t.at : "", e->name[i]);
        text_free(&t);
    }
}

/* The length of a loop of which some neighbours are one. */
static char wide(const NestNode *n) { return n->how == FOR_GRID ? 'w' : 'm'; }

/* i<dim> of some loops, from the position rest_<var>, which is used up. Of `last` some neighbours are one. */
static void indices(Emit *e, const LoopStage *s, const NestNode *n, const char *var, int last) {
    for (int l = n->loop + n->n - 1; l >= n->loop; l--) {
        int d = s->loop[l];
        char by[24] = "", of = d == last ? wide(n) : 'n';
        if (d == last) snprintf(by, sizeof by, " * %d", n->lanes);
        if (l > n->loop)
            emit_line(e,
                      "const ix i%d = (ix)((uix)rest_%s %% (uix)%c%d)%s; rest_%s = (ix)((uix)rest_%s / (uix)%c%d);"
                      " (void)i%d;",
                      d, var, of, d, by, var, var, of, d, d);
        else emit_line(e, "const ix i%d = rest_%s%s; (void)i%d;", d, var, by, d);
    }
}

static void product(Text *t, const LoopStage *s, const NestNode *n, int last) {
    for (int l = n->loop; l < n->loop + n->n; l++)
        text_printf(t, "%s%c%d", l > n->loop ? " * " : "", s->loop[l] == last ? wide(n) : 'n', s->loop[l]);
    if (!n->n) text_put(t, "1");
}

/* Where a point's neighbours begin, and how many of them there are. */
static void begun(Emit *e, int last, int lanes) {
    emit_line(e, "const ix at = i%d; const int there = n%d - at < %d ? (int)(n%d - at) : %d; (void)there;", last, last,
              lanes, last, lanes);
}

static int last_of(const LoopStage *s, const NestNode *n) { return n->lanes > 1 ? s->loop[n->loop + n->n - 1] : -1; }

static void width(Emit *e, const NestNode *n, int last) {
    if (last >= 0) emit_line(e, "const ix %c%d = (n%d + %d) / %d;", wide(n), last, last, n->lanes - 1, n->lanes);
}

/* ..of a loop of which there may be more in one block: the name is the loop's own. */
static void own_width(char out[64], int last, int lanes) {
    out[0] = 0;
    if (last >= 0) snprintf(out, 64, "m%d = (n%d + %d) / %d, ", last, last, lanes - 1, lanes);
}

/* `for` over the points of some loops, from `first` in steps of `step`; closes with line "}". Of the last loop some
 * neighbours are one point, which begins at i<dim>. */
static void points(Emit *e, const LoopStage *s, const NestNode *n, const char *var, const char *first,
                   const char *step) {
    Text t;
    int last = last_of(s, n);
    text_init(&t, e->c);
    product(&t, s, n, last);
    char own[64] = "";
    if (n->how == FOR_GRID) width(e, n, last);
    else own_width(own, last, n->lanes);
    if (e->part) emit_line(e, "ROLLED"); /* in turns it goes around seldom, and all parts share the registers */
    const char *all = t.at ? t.at : "1";
    if (e->nest->lone && n->how == FOR_THREAD) /* there are no more than threads */
        emit_line(e, "for (ix %s%s = %s; %s < %s; %s = %s) {", own, var, first, var, all, var, all);
    else emit_line(e, "for (ix %s%s = %s; %s < %s; %s += %s) {", own, var, first, var, all, var, step);
    text_free(&t);
    e->indent++;
    if (n->n) emit_line(e, "ix rest_%s = %s;", var, var);
    indices(e, s, n, var, last);
    if (last >= 0) begun(e, last, n->lanes);
}

/* ..in a loop's turns, as the launch shares them out: rows and columns of the last of the loops. Near a product a
 * thread has one at most. */
void cuda_spread(Emit *e, const LoopStage *s, const NestNode *n) {
    emit_line(e, "ROLLED");
    emit_line(e, "for (i32 u = 0, row, col; %sspread_point(w, u, &row, &col); u++) {", e->near ? "!u && " : "");
    e->indent++;
    emit_line(e, "if (row >= w.rows || col >= w.cols) continue;");
    if (e->near && !e->near->ask) {
        emit_line(e, "const int own = ((int)threadIdx.x >> w.bits) * %d + ((int)threadIdx.x & ((1 << w.bits) - 1));",
                  e->near->width);
        emit_line(e, "(void)own, (void)place;");
        if (e->near->n->ahead) emit_line(e, "late_all();");
    }
    const int *d = &s->loop[n->loop];
    if (n->n == 1) emit_line(e, "const ix i%d = (ix)row * w.cols + col; (void)i%d;", *d, *d);
    for (int l = 0; n->n == 2 && l < 2; l++)
        emit_line(e, "const ix i%d = %s; (void)i%d;", d[l], l ? "col" : "row", d[l]);
    if (n->n < 3) return;
    emit_line(e, "ix rest_g = (ix)row * w.cols + col;");
    indices(e, s, n, "g", -1);
}

/* Points that blocks share: g goes over groups of them, one or as many as a warp has threads, times their parts. */
static void parted(Emit *e, const LoopStage *s, const NestNode *n) {
    Text t;
    bool across = e->nest->across;
    text_init(&t, e->c);
    product(&t, s, n, -1);
    emit_line(e, "const ix parts = a.row[%d] > 1 ? a.row[%d] : 1, all = %s;", e->nbuf - 1, e->nbuf - 1,
              t.at ? t.at : "1");
    text_free(&t);
    if (across) emit_line(e, "const ix groups = (all + %d) / %d;", CHOOSE_WARP - 1, CHOOSE_WARP);
    else emit_line(e, "const ix groups = all;");
    emit_line(e, "for (ix g = blockIdx.x; g < groups * parts; g += gridDim.x) {");
    e->indent++;
    emit_line(e, "const ix group = parts > 1 ? (ix)((u32)g / (u32)parts) : g, part = g - group * parts;"); /* few */
    if (across) {
        emit_line(e, "const ix column = group * %d + threadIdx.x %% %d; const int own = column < all;", CHOOSE_WARP,
                  CHOOSE_WARP);
        emit_line(e, "const ix point = own ? column : all - 1;");
    } else emit_line(e, "const ix point = group;");
    emit_line(e, "ix rest_g = point; (void)rest_g;");
    indices(e, s, n, "g", -1);
}

/* A part of what is inside a point, over its threads. */
static void part_of(Emit *e, const LoopStage *s, const NestNode *n) {
    Text t;
    int last = last_of(s, n);
    text_init(&t, e->c);
    product(&t, s, n, last);
    width(e, n, last);
    emit_line(e, "const ix inner = %s, each = (inner + parts - 1) / parts, first = part * each;", t.at ? t.at : "1");
    text_free(&t);
    emit_line(e, "const ix end = inner - first < each ? inner : first + each;");
    emit_line(e, "for (ix h = first + threadIdx.x%s; h < end; h += %d) {", e->nest->across ? " / 32" : "",
              grid_group(e->nest));
    e->indent++;
    emit_line(e, "ix rest_h = h; (void)rest_h;");
    indices(e, s, n, "h", last);
    if (last >= 0) begun(e, last, n->lanes);
}

/* ---- tiles of two loops ------------------------------------------------------------------------------------------ */
/* Where the tile's first point stands along both, from the number of the tile; the others' points. */
static void tiles(Emit *e, const LoopStage *s, const NestNode *n) {
    int row = s->loop[e->nest->turned], col = s->loop[s->nloop - 1];
    Text t;
    text_init(&t, e->c);
    for (int l = n->loop; l < n->loop + n->n; l++) {
        int d = s->loop[l];
        text_printf(&t, d == row || d == col ? "%st%d" : "%sn%d", l > n->loop ? " * " : "", d);
    }
    emit_line(e, "const ix t%d = (n%d + %d) / %d, t%d = (n%d + %d) / %d;", row, row, CHOOSE_TURN - 1, CHOOSE_TURN, col,
              col, CHOOSE_TURN - 1, CHOOSE_TURN);
    emit_line(e, "for (ix g = blockIdx.x; g < %s; g += gridDim.x) {", t.at ? t.at : "1");
    text_free(&t);
    e->indent++;
    emit_line(e, "ix rest_g = g; (void)rest_g;");
    for (int l = n->loop + n->n - 1; l >= n->loop; l--) {
        int d = s->loop[l];
        bool side = d == row || d == col;
        if (side) emit_line(e, "const ix at%d = rest_g %% t%d * %d; rest_g /= t%d;", d, d, CHOOSE_TURN, d);
        else emit_line(e, "const ix i%d = rest_g %% n%d; rest_g /= n%d; (void)i%d;", d, d, d, d);
    }
}

static void tile_points(Emit *e, const LoopStage *s, const char *along, const char *step) {
    int row = s->loop[e->nest->turned], col = s->loop[s->nloop - 1];
    enum { ROWS = CUDA_THREADS / CHOOSE_TURN }; /* at a time */
    emit_line(e, "UNROLL");
    emit_line(e, "for (int u = 0; u < %d; u++) {", CHOOSE_TURN / ROWS);
    e->indent++;
    emit_line(e, "const int j = u * %d + (int)(threadIdx.x / 32);", ROWS);
    emit_line(e, "const ix i%d = at%d + (ix)%s, i%d = at%d + (ix)%s;", row, row, along, col, col, step);
    emit_line(e, "if (i%d < n%d && i%d < n%d) {", row, row, col, col);
    e->indent++;
}

static void tile_end(Emit *e) {
    for (int i = 0; i < 2; i++) {
        e->indent--;
        emit_line(e, "}");
    }
}

static void turn(Emit *e, int id) {
    const Ins *i = &e->k->ins.at[id];
    Text t;
    text_init(&t, e->c);
    emit_address(e, &t, i->a, i->depth);
    tile_points(e, e->s, "(threadIdx.x % 32)", "j");
    emit_line(e, "turn%d[j * %d + threadIdx.x %% 32] = *(%s);", id, CHOOSE_TURN + 1, t.at ? t.at : "0");
    tile_end(e);
    text_free(&t);
}

static bool tile(Emit *e, const NestNode *n) {
    tile_points(e, e->s, "j", "(threadIdx.x % 32)");
    bool ok = cuda_nodes(e, n->child);
    tile_end(e);
    return ok;
}

/* Shared memory of all loads that are turned. */
static void turned(Emit *e) {
    int at = 0;
    emit_line(e, "SHARED_BYTES(%d);", turn_bytes(e->nest));
    for (int pass = 16; pass; pass /= 2) /* the widest first, so that all are aligned */
        for (int id = 0; id < e->k->ins.n; id++) {
            if (!(e->way->value[id] & VALUE_TURNED)) continue;
            ThDtype d = (ThDtype)e->k->acc.at[e->k->ins.at[id].a].dtype;
            if ((int)th_dtype_bytes(d) != pass) continue;
            emit_line(e, "%s *const turn%d = (%s *)(sh + %d);", type_short(d), id, type_short(d), at);
            at += pass * CHOOSE_TURN * (CHOOSE_TURN + 1);
        }
}

/* Twice: of neighbours that are all there nobody asks which are, nor of each where it lies. */
static bool whole_or_each(Emit *e, const NestNode *n) {
    bool ok = true;
    cuda_if_whole(e, n);
    for (int each = 0; each < 2 && ok; each++) {
        if (each) emit_line(e, "} else {");
        e->indent++;
        e->moved = each ? MOVED_EACH : MOVED_WHOLE;
        ok = cuda_nodes(e, n->child);
        e->indent--;
    }
    e->moved = MOVED_ASKING;
    emit_line(e, "}");
    return ok;
}

static bool inside(Emit *e, const NestNode *n) {
    bool both = n->how == FOR_THREAD && n->lanes > 1;
    bool ok = both ? whole_or_each(e, n) : cuda_nodes(e, n->child);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

/* Of a warp with two rows the other one may go on. */
static const char *leaves(const Emit *e) { return e->half ? "HALF_LEAVES; return" : NULL; }

static bool loop(Emit *e, const NestNode *n) {
    int dim = n->dim;
    const LoopStage *s = n->stage >= 0 ? &n->way->stage[n->stage] : NULL;
    static const char *const first[] = {"blockIdx.x * (ix)blockDim.x + (ix)threadIdx.x", "blockIdx.x",
                                        "(blockIdx.x * (ix)blockDim.x + (ix)threadIdx.x) / 32",
                                        "block * (ix)blockDim.x + (ix)threadIdx.x",
                                        "blockIdx.x * (ix)16 + (ix)threadIdx.x / 16"},
                             *const step[] = {"gridDim.x * (ix)blockDim.x", "gridDim.x",
                                              "gridDim.x * (ix)(blockDim.x / 32)", "blocks * (ix)blockDim.x",
                                              "gridDim.x * (ix)16"};
    int group = e->many ? 3 : e->half ? 4 : e->nest->grid != GRID_BLOCK ? 0 : e->nest->warp ? 2 : 1;
    if (n->how == FOR_TILE) return tile(e, n);
    if (n->how == FOR_GRID && e->nest->tiled) tiles(e, s, n);
    else if (n->how == FOR_GRID && e->nest->parts) parted(e, s, n);
    else if (n->how == FOR_THREAD && e->nest->parts) part_of(e, s, n);
    else if (n->how == FOR_GRID && e->spread) cuda_spread(e, s, n);
    else if (n->how == FOR_GRID) points(e, s, n, "g", first[group], step[group]);
    else if (n->how == FOR_THREAD)
        points(e, s, n, "h",
               group == 4   ? "threadIdx.x % 16"
               : group == 2 ? "threadIdx.x % 32"
                            : "threadIdx.x",
               group == 2 ? "32" : "blockDim.x");
    else if (n->how == FOR_LANES) {
        emit_line(e, "UNROLL");
        emit_line(e, "for (int lane = 0; lane < %d; lane++)%s {", n->lanes,
                  n->tail == TAIL_MASKED || e->moved == MOVED_WHOLE ? "" : " if (lane < there)");
        e->indent++;
        emit_line(e, "const ix i%d = at + lane; (void)i%d;", dim, dim);
    } else {
        emit_line(e, "for (ix i%d = 0; i%d < n%d; i%d++) {", dim, dim, dim, dim);
        e->indent++;
    }
    e->leave = n->how == FOR_THREAD ? "break" : e->leave; /* the others of the block wait behind the loop */
    e->some = n->how == FOR_LANES && n->tail == TAIL_MASKED && e->moved != MOVED_WHOLE;
    bool ok = inside(e, n);
    e->some = false;
    if (n->how == FOR_THREAD) e->leave = leaves(e);
    return ok;
}

static void accumulators(Emit *e, const NestNode *n) {
    if (n->how == ACC_JOIN) {
        cuda_join(e, n->first, n->n);
        return;
    }
    bool some = e->some && n->how == ACC_STEP;
    if (some) emit_line(e, "if (lane < there) {");
    e->indent += some;
    for (int r = n->first; r < n->first + n->n; r++)
        if (n->how == ACC_BEGIN) emit_red_init(e, r);
        else if (n->how == ACC_STEP) emit_red_step(e, r);
        else if (n->how == ACC_FOLD) cuda_fold(e, r);
        else emit_red_final(e, r);
    e->indent -= some;
    if (some) emit_line(e, "}");
}

static bool stage(Emit *e, const NestNode *n) {
    if (e->words[n->stage]) emit_line(e, "/* %s */", e->words[n->stage]);
    return cuda_nodes(e, n->child);
}

/* Loops nest as deep as a kernel has dims. */
bool cuda_nodes(Emit *e, const NestNode *n) {
    bool ok = true;
    for (; n && ok; n = n->next) {
        if (n->kind == NEST_FOR && n->how == FOR_LANES) cuda_stored(e, n->next, n->lanes);
        if (n->stage >= 0) e->s = &n->way->stage[n->stage];
        if (n->kind == NEST_STAGE) ok = stage(e, n);
        else if (n->kind == NEST_FOR) ok = loop(e, n);
        else if (n->kind == NEST_CODE) ok = cuda_code(e, n->ids, n->n, n->share);
        else if (n->kind == NEST_ACC) accumulators(e, n);
        else if (n->kind == NEST_CALL) ok = cuda_gemm(e, n);
        else if (n->kind == NEST_MOVE && n->how == MOVE_TURN) turn(e, n->first);
        else if (n->kind == NEST_MOVE) cuda_move(e, n);
        else if (n->kind == NEST_SYNC) emit_line(e, e->nest->warp ? "__syncwarp();" : "__syncthreads();");
    }
    return ok;
}

/* Of several steps, the one that a block is of, and which of its blocks it is. */
static void own_record(Emit *e, const CudaKernel *c) {
    emit_line(e, "int w = 0;");
    emit_line(e, "while (w < %d && (int)blockIdx.x >= many.end[w]) w++;", c->many - 1);
    emit_line(e, "const int before = w ? many.end[w - 1] : 0;");
    emit_line(
        e, "const unsigned block = (unsigned)((int)blockIdx.x - before), blocks = (unsigned)(many.end[w] - before);");
    emit_line(e, "const Args_%d a = many.a[w];", c->number);
}

/* The first line of its function. */
static void signature(Emit *e, const CudaKernel *c, int nest) {
    const CudaNear *near = e->near;
    bool behind = nest == GRID_HALF, product = e->part && e->nest->grid == GRID_TILES;
    char name[GRID_NAME];
    if (near) near_name(name, near->ask, near->turns, near->step);
    else if (e->part) snprintf(name, sizeof name, nest == GRID_EACH ? "each_%d" : "part_%d", c->number);
    else if (nest == GRID_FIRST || behind) snprintf(name, sizeof name, behind ? "rows_%d" : "first_%d", c->number);
    else grid_name(name, c->number, nest);
    emit_line(e,
              e->part || nest == GRID_FIRST || behind ? "INLINE void %s(const %s_%d a%s%s%s) {"
              : e->many                               ? "KERNEL %s(const %s_%d many%s%s%s) {"
                                                      : "KERNEL %s(const %s_%d a%s%s%s) {",
              name, e->many ? "Many" : "Args", c->number, e->part ? ", char *const sh" : "",
              product || e->spread ? ", const Spread w" : "",
              product              ? ", u32 *count, const u32 goal, const int told"
              : near && !near->ask ? ", const u64 place"
                                   : "");
}

bool cuda_kernel(Emit *e, const CudaKernel *c, int nest) {
    bool own = nest == GRID_MANY || nest == GRID_PART || nest == GRID_FIRST, behind = nest == GRID_HALF;
    bool each = nest == GRID_EACH || nest == GRID_NEAR;
    const Nest *t = each ? grid_each(c->nest) : own ? c->nest : grid_nest(c->nest, behind ? GRID_FEW : nest);
    if (!t) return false;
    if (!emit_begin(e, c->k, c->number)) return false;
    e->many = nest == GRID_MANY;
    e->part = nest == GRID_PART || each;
    e->lanes = 1;
    e->nsym = c->nsym;
    e->spread = each;
    e->half = behind;
    e->tile = e->part ? c->tile : nest == GRID_FIRST ? CHOOSE_SMALL : nest;
    e->quarters = c->quarters;
    e->kept = e->part ? c->kept : 0;
    e->told = each || (e->part && t->grid == GRID_TILES) ? c->told : 0;
    e->nbuf = c->nbuf;
    e->nest = t;
    e->way = t->way;
    e->range = cuda_ranges(e);
    if (t->grid == GRID_DRAW) return cuda_draw(e, t->root->child);
    if (t->grid == GRID_SCATTER) return cuda_scatter(e);
    if (c->k->title) emit_line(e, "/* %s */", c->k->title);
    signature(e, c, nest);
    e->indent = 1;
    if (e->many) own_record(e, c);
    if (e->part) emit_line(e, "(void)sh;");
    cuda_head(e);
    if (!e->part) cuda_leave(e, c->k->can_fail || nest == GRID_FIRST);
    if (t->grid == GRID_BLOCK && !t->warp) emit_line(e, "SHARED; (void)sh;");
    if (t->tiled) turned(e);
    e->leave = leaves(e);
    bool ok = e->near && e->near->ask ? cuda_near_ask(e, t->root) : cuda_nodes(e, t->root);
    e->leave = NULL;
    e->part = e->spread = e->half = false;
    e->near = NULL;
    e->indent = 0;
    emit_line(e, "}\n");
    return ok && !failed(e->c);
}
