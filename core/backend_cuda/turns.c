/*
 * turns.c -- all turns of a loop as one kernel (schedule/turns.c): each step's kernel is a function that all blocks go
 * through, and between steps they wait for each other where the record of the launch says so.
 */
#include "cuda.h"

static const char *const turns_words =
    "typedef struct { i64 at, step, ring; } Window;\n"
    "typedef struct { i16 bits, groups; i32 rows, cols; u32 by; } Spread;\n"
    "/* Column j of a tile whose columns begin at `first` of each part; behind the last one: as many as there are. */\n"
    "INLINE i64 spread_column(const Spread w, i64 first, int j, i64 many) {\n"
    "    const i64 part = j >> w.bits, at = first + (j & ((1 << w.bits) - 1));\n"
    "    return part < w.groups && at < w.cols ? part * w.cols + at : many;\n"
    "}\n"
    "/* The u-th point of a thread, which need not be there; whether there may be more of them. */\n"
    "INLINE int spread_point(const Spread w, i32 u, i32 *row, i32 *col) {\n"
    "    if (w.bits < 0) {\n"
    "        const u32 g = (blockIdx.x + (u32)u * gridDim.x) * 256 + threadIdx.x, q = (u32)((u64)g * w.by >> 31);\n"
    "        *row = (i32)q, *col = (i32)(g - q * (u32)w.cols);\n"
    "        return *row < w.rows;\n"
    "    }\n"
    "    const int more = w.bits > 4 ? w.bits - 4 : 0; /* turns for a tile of 16 rows */\n"
    "    const u32 g = blockIdx.x + (u32)(u >> more) * gridDim.x, q = (u32)((u64)g * w.by >> 31);\n"
    "    const u32 h = threadIdx.x + (u32)(u & ((1 << more) - 1)) * 256, in = h >> w.bits;\n"
    "    const u32 wide = ((u32)w.cols + (1u << w.bits) - 1) >> w.bits;\n"
    "    *row = (i32)(in < 16 ? q * 16 + in : (u32)w.rows);\n"
    "    *col = (i32)(((g - q * wide) << w.bits) + (h & ((1u << w.bits) - 1)));\n"
    "    return (i32)q * 16 < w.rows;\n"
    "}\n"
    "/* An element sets out for a thread's place in shared memory, where it is after late_all(). */\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n"
    "INLINE void late_4(char *to, const void *from) {\n"
    "    asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\"\n"
    "                 :: \"r\"((u32)__cvta_generic_to_shared(to)), \"l\"(from) : \"memory\");\n"
    "}\n"
    "INLINE void late_8(char *to, const void *from) {\n"
    "    asm volatile(\"cp.async.ca.shared.global [%0], [%1], 8;\"\n"
    "                 :: \"r\"((u32)__cvta_generic_to_shared(to)), \"l\"(from) : \"memory\");\n"
    "}\n"
    "INLINE void late_all(void) { asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); }\n"
    "#else\n"
    "INLINE void late_4(char *to, const void *from) { *(u32 *)to = *(const u32 *)from; }\n"
    "INLINE void late_8(char *to, const void *from) { *(u64 *)to = *(const u64 *)from; }\n"
    "INLINE void late_all(void) {}\n"
    "#endif\n"
    "/* A number that other blocks look for is no NaN of ones alone, which stands where there is none yet. */\n"
    "typedef union { f32 f; u32 u; } Bits4;\n"
    "typedef union { f64 f; u64 u; } Bits8;\n"
    "INLINE int is_f32(f32 v) { Bits4 b; b.f = v; return b.u != 0xffffffffu; }\n"
    "INLINE int is_f64(f64 v) { Bits8 b; b.f = v; return b.u != 0xffffffffffffffffu; }\n"
    "INLINE f32 some_f32(f32 v) { Bits4 b; b.u = 0x7fffffffu; return is_f32(v) ? v : b.f; }\n"
    "INLINE f64 some_f64(f64 v) { Bits8 b; b.u = 0x7fffffffffffffffu; return is_f64(v) ? v : b.f; }\n"
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\n"
    "INLINE f32 look_f32(const f32 *p) {\n"
    "    f32 v;\n"
    "    asm volatile(\"ld.relaxed.gpu.global.f32 %0, [%1];\" : \"=f\"(v) : \"l\"(p));\n"
    "    return v;\n"
    "}\n"
    "INLINE f64 look_f64(const f64 *p) {\n"
    "    f64 v;\n"
    "    asm volatile(\"ld.relaxed.gpu.global.f64 %0, [%1];\" : \"=d\"(v) : \"l\"(p));\n"
    "    return v;\n"
    "}\n"
    "INLINE void tell_f32(f32 *p, f32 v) {\n"
    "    asm volatile(\"st.relaxed.gpu.global.f32 [%0], %1;\" : : \"l\"(p), \"f\"(some_f32(v)));\n"
    "}\n"
    "INLINE void tell_f64(f64 *p, f64 v) {\n"
    "    asm volatile(\"st.relaxed.gpu.global.f64 [%0], %1;\" : : \"l\"(p), \"d\"(some_f64(v)));\n"
    "}\n"
    "#else\n"
    "INLINE void tell_f32(f32 *p, f32 v) { *(volatile f32 *)p = some_f32(v); }\n"
    "INLINE void tell_f64(f64 *p, f64 v) { *(volatile f64 *)p = some_f64(v); }\n"
    "INLINE f32 look_f32(const f32 *p) { return *(const volatile f32 *)p; }\n"
    "INLINE f64 look_f64(const f64 *p) { return *(const volatile f64 *)p; }\n"
    "#endif\n"
    "INLINE void wait_once(u32 **count, u32 goal) {\n"
    "    if (*count) grid_wait(*count, goal);\n"
    "    *count = 0;\n"
    "}\n"
    "typedef struct { char *to, *from; i64 bytes; } Copy;\n"
    "typedef struct ALIGNED(16) { u64 v[2]; } Sixteen;\n"
    "INLINE i64 moved(i64 at, i64 step, i64 ring) {\n"
    "    at += step;\n"
    "    return ring > 0 && at >= ring ? at - ring : ring > 0 && at < 0 ? at + ring : at;\n"
    "}\n"
    "INLINE void copied(const Copy a) {\n"
    "    const i64 first = blockIdx.x * (i64)blockDim.x + threadIdx.x, all = gridDim.x * (i64)blockDim.x;\n"
    "    const i64 wide = ((u64)a.to | (u64)a.from) % 16 ? 0 : a.bytes / 16;\n"
    "    for (i64 i = first; i < wide; i += all) ((Sixteen *)a.to)[i] = ((const Sixteen *)a.from)[i];\n"
    "    for (i64 i = 16 * wide + first; i < a.bytes; i += all) a.to[i] = a.from[i];\n"
    "}\n";

/* The functions of its kernels, each once a text; the most shared memory that one has. */
static bool parts(Emit *e, const GridTurns *t, const CudaKernel *kernel, bool *written, int *shared) {
    *shared = 16;
    for (int i = 0; i < t->nstep; i++) {
        const Step *s = &e->p->step[t->first + i];
        if (s->kind != STEP_KERNEL) continue;
        const CudaKernel *k = &kernel[s->kernel];
        int bytes = k->nest->grid == GRID_TILES ? cuda_tile_bytes(k->nest->contract, k->tile) : 0;
        if (bytes > *shared) *shared = bytes;
        if (!written[s->kernel] && !cuda_kernel(e, k, GRID_PART)) return false;
        if (!written[s->kernel] && k->each && !cuda_kernel(e, k, GRID_EACH)) return false;
        written[s->kernel] = true;
    }
    return true;
}

static void record(Emit *e, const GridTurns *t, int number) {
    int windows = e->p->region[t->region].nwindow;
    emit_line(e, "typedef struct {");
    emit_line(e, "    i64 trip; u32 *count; i64 *err; u64 waits, each, among, early, near, told, later;");
    if (windows) emit_line(e, "    Window w[%d];", windows);
    emit_line(e, "    Spread p[%d];", t->nstep);
    emit_line(e, "    u64 place[%d];", t->nstep);
    for (int i = 0; i < t->nstep; i++) {
        const Step *s = &e->p->step[t->first + i];
        if (s->kind == STEP_KERNEL) emit_line(e, "    Args_%d s%d;", s->kernel, i);
        else emit_line(e, "    Copy s%d;", i);
    }
    emit_line(e, "} Turns_%d;", number);
}

/* Where the buffers of step i lie in this turn, or in the next one. */
static void moved_buffers(Emit *e, const GridTurns *t, int i, bool next) {
    const Step *s = &e->p->step[t->first + i];
    bool copy = s->kind != STEP_KERNEL;
    if (copy) emit_line(e, "Copy a = l.s%d;", i);
    else emit_line(e, "Args_%d a = l.s%d;", s->kernel, i);
    for (int b = 0; b < s->nbuf; b++) {
        int w = turns_window(e->p, t, s->buf[b]);
        if (w < 0) continue;
        if (copy) emit_line(e, "a.%s += w%d;", b ? "to" : "from", w);
        else if (next) emit_line(e, "a.b[%d] += moved(w%d, l.w[%d].step, l.w[%d].ring);", b, w, w, w);
        else emit_line(e, "a.b[%d] += w%d;", b, w);
    }
}

/* Before the blocks wait for product i: what points near it load is asked for. */
static void ask(Emit *e, const GridTurns *t, int number, int i) {
    for (int j = 0; j < t->nstep; j++) {
        const GridNear *n = &t->near[j];
        char name[GRID_NAME];
        if (n->product != i || !n->ahead) continue;
        near_name(name, true, number, j);
        emit_line(e, "if (l.near >> %d & 1%s) {", j, n->next ? " && t + 1 < l.trip" : "");
        e->indent++;
        moved_buffers(e, t, j, n->next);
        emit_line(e, "%s(a, sh, l.p[%d]);", name, j);
        e->indent--;
        emit_line(e, "}");
    }
}

/* A kernel of threads that may have a point each. */
static void each(Emit *e, const GridTurns *t, int number, int i) {
    int kernel = e->p->step[t->first + i].kernel;
    if (t->near[i].product >= 0) {
        char name[GRID_NAME];
        near_name(name, false, number, i);
        emit_line(e, "if (l.near >> %d & 1%s) %s(a, sh, l.p[%d], l.place[%d]); else", i, t->near[i].next ? " && t" : "",
                  name, i, i);
    }
    emit_line(e, "if (l.each >> %d & 1) each_%d(a, sh, l.p[%d]); else part_%d(a, sh);", i, kernel, i, kernel);
}

static void step(Emit *e, const GridTurns *t, int number, int i, const CudaKernel *kernel) {
    const Step *s = &e->p->step[t->first + i];
    bool copy = s->kind != STEP_KERNEL;
    bool product = !copy && kernel[s->kernel].nest->grid == GRID_TILES;
    emit_line(e, "if (l.waits >> %d & 1) grid_come(count), goal += (u32)l.among;", i);
    /* what its threads wrote has been written, and what they read has been read */
    if (i == t->told) emit_line(e, "if (l.told >> %d & 1) __syncthreads();", i);
    if (product) ask(e, t, number, i);
    emit_line(e,
              product ? "if ((l.waits & ~l.early) >> %d & 1) grid_wait(count, goal);"
                      : "if (l.waits >> %d & 1) grid_wait(count, goal);",
              i);
    emit_line(e, "{");
    e->indent++;
    moved_buffers(e, t, i, false);
    if (!copy && kernel[s->kernel].each) each(e, t, number, i);
    else if (copy) emit_line(e, "copied(a);");
    else if (product)
        emit_line(e,
                  i == t->told ? "part_%d(a, sh, l.p[%d], (l.waits & l.early) >> %d & 1 ? count : 0, goal, "
                                 "l.told >> %d & 1 && (t || !(l.later >> %d & 1)));"
                               : "part_%d(a, sh, l.p[%d], (l.waits & l.early) >> %d & 1 ? count : 0, goal, 0);",
                  s->kernel, i, i, i, i);
    else emit_line(e, "part_%d(a, sh);", s->kernel);
    e->indent--;
    emit_line(e, "}");
}

static void all_turns(Emit *e, const GridTurns *t, int number, int shared, const CudaKernel *kernel) {
    int windows = e->p->region[t->region].nwindow;
    char name[GRID_NAME];
    turns_name(name, number);
    record(e, t, number);
    emit_line(e, "KERNEL %s(const Turns_%d l) {", name, number);
    e->indent = 1;
    emit_line(e, "SHARED_BYTES(%d);", shared + t->room);
    emit_line(e, "(void)sh;");
    emit_line(e, "if (l.err[0]) return;");
    emit_line(e, "u32 *const count = l.count + blockIdx.x / (u32)l.among * %d;", TURNS_COUNT / 4);
    emit_line(e, "u32 goal = 0;");
    for (int i = 0; i < windows; i++) emit_line(e, "i64 w%d = l.w[%d].at;", i, i);
    emit_line(e, "for (i64 t = 0; t < l.trip; t++) {");
    e->indent = 2;
    for (int i = 0; i < t->nstep; i++) step(e, t, number, i, kernel);
    for (int i = 0; i < windows; i++) emit_line(e, "w%d = moved(w%d, l.w[%d].step, l.w[%d].ring);", i, i, i, i);
    e->indent = 1;
    emit_line(e, "}");
    e->indent = 0;
    emit_line(e, "}\n");
}

bool cuda_turns(Emit *e, const GridTurns *t, int n, const CudaKernel *kernel) {
    bool *written = arena_alloc0(e->arena, sizeof *written * (size_t)(e->p->nkernel + 1));
    if (!written) return false;
    if (n) text_put(&e->helpers, turns_words);
    for (int i = 0; i < n; i++) {
        int shared;
        if (!parts(e, &t[i], kernel, written, &shared)) return false;
        for (int j = 0; j < t[i].nstep; j++)
            if (!cuda_near(e, &t[i], i, j, shared, kernel)) return false;
        all_turns(e, &t[i], i, shared, kernel);
    }
    return !failed(e->c);
}
