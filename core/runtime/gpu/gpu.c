/*
 * gpu.c -- the library of a device: modules of kernels, compiled when first launched and kept as long as the device is
 * open; memory of a call; lanes of arrays.
 */
#include "sparse.h"

#include "kernel/conv_work.h"
#include "runtime/device/library.h"

#include <string.h>

typedef struct Module {
    struct Module *next;
    const GpuFamily *family;
    int variant;
    void *module, *function[GPU_KERNELS];
} Module;

typedef struct Library {
    ThContext *c;
    OsLock lock; /* of the list: several threads may call functions of a context */
    Module *first;
    GpuHandle matmul, conv, sparse, solver;
    GpuFourier fourier;
    GpuRanks *ranks;
} Library;

const GpuFamily *const gpu_families[] = {
    &gpu_cum,    &gpu_sorts,         &gpu_searches,       &gpu_uniques,         &gpu_found,
    &gpu_moves,  &gpu_picks,         &gpu_ctcs,           &gpu_factors,         &gpu_spectrum,
    &gpu_ffts,   &gpu_sparse_places, &gpu_sparse_choices, &gpu_sparse_values,   &gpu_states,
    &gpu_steers, &gpu_folds,         &gpu_attentions,     &gpu_attention_cores, &gpu_windows};
const int gpu_family_count = TH_LEN(gpu_families);

const HostServices gpu_services = {
    .fft = gpu_fft,
    .factor = gpu_factor,
    .cumulate = gpu_cumulate,
    .sort = gpu_sort,
    .search = gpu_search,
    .unique = gpu_unique,
    .count = gpu_count,
    .nonzero = gpu_nonzero,
    .repeat = gpu_repeat,
    .assign = gpu_assign,
    .pick = gpu_pick,
    .ctc = gpu_ctc,
    .attention = gpu_attention,
    .sparse = gpu_sparse,
    .state = gpu_state,
    .ranks = gpu_ranks,
};

/* ---- modules ----------------------------------------------------------------------------------------------------- */
static void module_free(Device *d, ThContext *c, Module *m) {
    DeviceQueue q = {.device = d};
    d->op->module_free(&q, m->module);
    ctx_free(c, m, sizeof *m);
}

static void library_drop(Device *d, bool all) {
    Library *u = d->kernels;
    for (Module *m = u->first, *next; m; m = next) {
        next = m->next;
        module_free(d, u->c, m);
    }
    u->first = NULL;
    gpu_ranks_close(&u->ranks, !all);
    gpu_matmul_close(&u->matmul);
    gpu_cudnn_close(&u->conv);
    gpu_cufft_close(&u->fourier);
    gpu_cusparse_close(&u->sparse);
    gpu_cusolver_close(&u->solver);
    if (!all) return;
    os_lock_end(&u->lock);
    ctx_free(u->c, u, sizeof *u);
    d->kernels = NULL;
}

bool gpu_open(ThContext *c, Device *d) {
    if (d->kernels) return true;
    Library *u = ctx_alloc0(c, sizeof *u);
    if (!u) return false;
    u->c = c;
    os_lock_init(&u->lock);
    d->kernels = u;
    d->kernels_drop = library_drop;
    return true;
}

char *gpu_text(ThContext *c, const GpuFamily *f, int variant) {
    Text t;
    text_init(&t, c);
    f->head(&t, variant);
    for (const char *const *s = f->text; *s; s++) text_put(&t, *s);
    return text_take(&t);
}

static DeviceStatus load(ThContext *c, DeviceQueue *q, Module *m) {
    const DeviceOps *op = q->device->op;
    size_t bytes;
    char *text = gpu_text(c, m->family, m->variant);
    char *image =
        text ? cuda_library(c, q->device, m->family->name, text, m->family->kernel, m->family->n, &bytes) : NULL;
    th_free(c, text);
    if (!image) return DEVICE_FAILED;
    DeviceStatus s = op->module_load(q, image, &m->module);
    ctx_free(c, image, bytes);
    for (int k = 0; k < m->family->n && !s; k++)
        s = op->kernel(q, m->module, m->family->kernel[k].name, &m->function[k]);
    return s;
}

/* The module, loaded; NULL: the call fails. Its lock is held. */
static Module *find(HostCall *h, Library *u, const GpuFamily *f, int variant) {
    for (Module *m = u->first; m; m = m->next)
        if (m->family == f && m->variant == variant) return m;
    Module *m = ctx_alloc0(u->c, sizeof *m);
    if (!m) return NULL;
    m->family = f;
    m->variant = variant;
    DeviceStatus s = load(u->c, h->gpu->q, m);
    if (!s) {
        m->next = u->first;
        return u->first = m;
    }
    module_free(h->gpu->q->device, u->c, m);
    if (!failed(u->c) && h->gpu->q->call) gpu_status(h, s);
    else if (!failed(u->c)) err(u->c, TH_CompileError, "the kernels of %s were not compiled", f->name);
    return NULL;
}

void gpu_alone(Device *d, bool begins) {
    Library *u = d->kernels;
    if (begins) os_lock(&u->lock);
    else os_unlock(&u->lock);
}

/* ---- a call ------------------------------------------------------------------------------------------------------ */
int gpu_status(HostCall *h, DeviceStatus s) {
    if (s && !h->gpu->status) h->gpu->status = s;
    return s != DEVICE_OK;
}

int gpu_launch(HostCall *h, const GpuFamily *f, int variant, int number, int64_t blocks, void *args) {
    GpuCall *g = h->gpu;
    Library *u = g->q->device->kernels;
    if (blocks <= 0) return 0;
    int64_t head[2] = {(int64_t)g->record, g->step};
    memcpy(args, head, sizeof head);
    os_lock(&u->lock);
    Module *m = find(h, u, f, variant);
    os_unlock(&u->lock);
    if (!m) return 1;
    DeviceGrid grid = {(unsigned)(blocks < GPU_BLOCKS ? blocks : GPU_BLOCKS), GPU_THREADS, 0};
    return gpu_status(h, g->q->device->op->launch(g->q, m->function[number], grid, args));
}

int gpu_set(HostCall *h, char *at, unsigned char byte, size_t bytes) {
    DeviceQueue *q = h->gpu->q;
    return gpu_status(h, q->device->op->set(q, (DeviceAddress)(uintptr_t)at, byte, bytes));
}

/* ---- CUDA's libraries ---------------------------------------------------------------------------------------------
 */
bool gpu_wants(const HostCall *h, int64_t work, int64_t least) {
    const char *flag = config_str(h->ctx, "cuda.libraries");
    return flag[0] == 'a' && (flag[1] == 'l' || work >= least);
}

const void *gpu_functions(HostCall *h, GpuHandle *u, const LibraryTable *t, const char *what) {
    const char *why = NULL;
    if (u->asked) return u->functions;
    u->asked = true;
    u->functions = device_library(h->ctx, h->gpu->q->device, t, &why);
    if (!u->functions && why) ctx_log(h->ctx, "theano: %s run by kernels of ours: %s", what, why);
    if (!u->functions && !why) th_error_clear(h->ctx); /* no memory to look: without it then */
    return u->functions;
}

/* Handles and plans are one thread's at a time. */
#define BY_LIBRARY(call) \
    Library *u = h->gpu->q->device->kernels; \
    os_lock(&u->lock); \
    GpuDone done = call; \
    os_unlock(&u->lock); \
    return done

GpuDone gpu_product(HostCall *h, GpuProduct *p) { BY_LIBRARY(gpu_matmul(h, &u->matmul, p)); }
GpuDone gpu_conv(HostCall *h, const ConvWork *w) { BY_LIBRARY(gpu_cudnn(h, &u->conv, w)); }
GpuDone gpu_fourier(HostCall *h, const GpuLines *l) { BY_LIBRARY(gpu_cufft(h, &u->fourier, l)); }
GpuDone gpu_sparse_product(HostCall *h, const GpuSparseProduct *p) { BY_LIBRARY(gpu_cusparse(h, &u->sparse, p)); }
GpuDone gpu_solver(HostCall *h, const GpuSolverWork *w) { BY_LIBRARY(gpu_cusolver(h, &u->solver, w)); }

int gpu_ranks(HostCall *h, const RanksWork *w) {
    Library *u = h->gpu->q->device->kernels;
    return gpu_ranks_do(h, &u->ranks, w);
}

bool gpu_ranks_good(ThContext *c, const Device *d) {
    const Library *u = d->kernels;
    return !u || !u->ranks || gpu_ranks_ok(c, u->ranks);
}

bool gpu_room(HostCall *h, size_t bytes, char **at) {
    GpuCall *g = h->gpu;
    size_t from = g->used, n = (bytes + 255) / 256 * 256;
    g->used += n;
    if (g->used > g->most) g->most = g->used;
    *at = NULL;
    if (g->used <= g->room->bytes) {
        *at = (char *)(uintptr_t)(g->room->at + from);
        return true;
    }
    DeviceAddress fresh = 0;
    if (g->nmore == GPU_MORE) return err(h->ctx, TH_RuntimeError, "a step on a device takes memory too often");
    if (gpu_status(h, g->q->device->op->alloc(g->q, n, &fresh))) return false;
    g->more[g->nmore++] = fresh;
    *at = (char *)(uintptr_t)fresh;
    return true;
}

GpuMark gpu_mark(const HostCall *h) { return (GpuMark){h->gpu->used, h->gpu->nmore}; }

void gpu_back(HostCall *h, GpuMark m) {
    GpuCall *g = h->gpu;
    while (g->nmore > m.nmore) g->q->device->op->free(g->q, g->more[--g->nmore]);
    g->used = m.used;
}

void gpu_end(GpuCall *g) {
    const DeviceOps *op = g->q->device->op;
    for (int i = 0; i < g->nmore; i++) op->free(g->q, g->more[i]);
    if (g->most <= g->room->bytes) return;
    op->free(g->q, g->room->at);
    *g->room = (GpuRoom){0};
    if (!g->status && !op->alloc(g->q, g->most, &g->room->at)) g->room->bytes = g->most; /* else the next call asks */
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */
/* Dimension d of the arrays goes on where the last one of l ends. */
static bool joins(const GpuLanes *l, const ThArray *const *arrays, int count, int d) {
    i64 last = l->nd - 1;
    if (last < 0) return false;
    for (int k = 0; k < count; k++)
        if (l->st[k][last] != ARRAY_STRIDES(arrays[k])[d] * ARRAY_SHAPE(arrays[0])[d]) return false;
    return true;
}

i64 gpu_lanes(GpuLanes *l, const ThArray *const *arrays, int count, int axis) {
    const ThArray *a = arrays[0];
    i64 n = 1;
    memset(l, 0, sizeof *l);
    for (int d = 0; d < a->ndim; d++) {
        i64 len = ARRAY_SHAPE(a)[d];
        if (d == axis) continue;
        n *= len;
        if (len == 1) continue;
        bool joined = joins(l, arrays, count, d);
        i64 at = joined ? l->nd - 1 : l->nd++;
        l->len[at] = joined ? l->len[at] * len : len;
        for (int k = 0; k < count; k++) l->st[k][at] = ARRAY_STRIDES(arrays[k])[d];
    }
    return n;
}
