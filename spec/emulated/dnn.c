/*
 * dnn.c -- cuDNN without a GPU: the entry points that core/runtime/gpu/cudnn.c lists. A convolution and its two
 * gradients are loops over all points of the tops, in double; descriptions are looked at as the library does.
 */
#include "library.h"

#include <stdlib.h>
#include <string.h>

enum { NO_ROOM = 2, BAD = 3, UNSUPPORTED = 9, FAILED = 8, DIMS = 5, ROOM = 256 };

typedef struct Tensor { /* images, tops; filters: dense */
    int type, dims, len[DIMS], step[DIMS];
} Tensor;
typedef struct Conv {
    int dims, pad[3], step[3], dilation[3], mode, sum, math, groups;
} Conv;
typedef struct Handle {
    void *stream;
} Handle;
typedef enum { TOP, IMAGE, FILTER } Target;
typedef struct Call {
    Target target;
    Tensor x, w, y;
    Conv conv;
    char *at[3]; /* images, filters, tops */
} Call;

static int make(const char *name, void **to, size_t bytes) {
    if (entry_begin(name, true)) return end(FAILED);
    return end((*to = calloc(1, bytes)) ? 0 : NO_ROOM);
}
static int drop(void *p) {
    free(p);
    return 0;
}

EXPORT int cudnnGetProperty(int type, int *value) {
    *value = type == 0 ? 9 : 0;
    return 0;
}
EXPORT int cudnnCreate(void **handle) { return make(__func__, handle, sizeof(Handle)); }
EXPORT int cudnnDestroy(void *handle) { return drop(handle); }
EXPORT int cudnnSetStream(Handle *h, void *stream) {
    h->stream = stream;
    return stream_is(stream) ? 0 : BAD;
}
EXPORT int cudnnCreateTensorDescriptor(void **t) { return make(__func__, t, sizeof(Tensor)); }
EXPORT int cudnnDestroyTensorDescriptor(void *t) { return drop(t); }
EXPORT int cudnnCreateFilterDescriptor(void **w) { return make(__func__, w, sizeof(Tensor)); }
EXPORT int cudnnDestroyFilterDescriptor(void *w) { return drop(w); }
EXPORT int cudnnCreateConvolutionDescriptor(void **c) { return make(__func__, c, sizeof(Conv)); }
EXPORT int cudnnDestroyConvolutionDescriptor(void *c) { return drop(c); }

EXPORT int cudnnSetTensorNdDescriptor(Tensor *t, int type, int dims, const int *len, const int *step) {
    if (type < 0 || type > 1 || dims < 4 || dims > DIMS) return BAD;
    t->type = type, t->dims = dims;
    for (int d = 0; d < DIMS; d++) {
        t->len[d] = d < dims ? len[d] : 1, t->step[d] = d < dims ? step[d] : 0;
        if (d < dims && (len[d] < 1 || step[d] < 1)) return BAD;
    }
    return 0;
}
EXPORT int cudnnSetFilterNdDescriptor(Tensor *w, int type, int layout, int dims, const int *len) {
    int step[DIMS], all = 1;
    if (layout || dims < 4 || dims > DIMS) return BAD;
    for (int d = dims - 1; d >= 0; d--) step[d] = all, all *= len[d];
    return cudnnSetTensorNdDescriptor(w, type, dims, len, step);
}
EXPORT int cudnnSetConvolutionNdDescriptor(Conv *c, int dims, const int *pad, const int *step, const int *dilation,
                                           int mode, int sum) {
    if (dims < 2 || dims > 3 || mode < 0 || mode > 1 || sum < 0 || sum > 1) return BAD;
    *c = (Conv){.dims = dims, .mode = mode, .sum = sum, .groups = 1};
    for (int d = 0; d < 3; d++) {
        c->pad[d] = d < dims ? pad[d] : 0;
        c->step[d] = d < dims ? step[d] : 1, c->dilation[d] = d < dims ? dilation[d] : 1;
        if (c->pad[d] < 0 || c->step[d] < 1 || c->dilation[d] < 1) return BAD;
    }
    return 0;
}
EXPORT int cudnnSetConvolutionMathType(Conv *c, int math) {
    c->math = math;
    return math == 0 || math == 3 ? 0 : BAD;
}
EXPORT int cudnnSetConvolutionGroupCount(Conv *c, int groups) {
    c->groups = groups;
    return groups > 0 ? 0 : BAD;
}

static int fits(const Tensor *x, const Tensor *w, const Tensor *y, const Conv *c) {
    if (x->dims != c->dims + 2 || w->dims != x->dims || y->dims != x->dims) return BAD;
    if (x->type != c->sum || w->type != c->sum || y->type != c->sum) return BAD;
    if (x->len[0] != y->len[0] || y->len[1] != w->len[0] || x->len[1] != w->len[1] * c->groups) return BAD;
    if (w->len[0] % c->groups) return BAD;
    for (int d = 0; d < c->dims; d++) {
        int rest = x->len[2 + d] + 2 * c->pad[d] - ((w->len[2 + d] - 1) * c->dilation[d] + 1);
        if (rest < 0 || rest / c->step[d] + 1 != y->len[2 + d]) return BAD;
    }
    return 0;
}

/* ---- numbers ---- */
static double *all_of(const char *at, int type, size_t n) {
    double *v = calloc(n, sizeof *v);
    for (size_t i = 0; v && at && i < n; i++)
        v[i] = type ? ((const double *)(const void *)at)[i] : (double)((const float *)(const void *)at)[i];
    return v;
}
static size_t extent(const Tensor *t) {
    size_t n = 1;
    for (int d = 0; d < t->dims; d++) n += (size_t)(t->len[d] - 1) * (size_t)t->step[d];
    return n;
}

typedef struct Point {
    int n, g, o, c, q[3], r[3];
} Point;

/* Where a term's image, filter and top lie; false: outside of the image. */
static bool term(const Call *k, const Point *p, size_t at[3]) {
    const Tensor *x = &k->x, *w = &k->w, *y = &k->y;
    int per = w->len[0] / k->conv.groups;
    at[0] = (size_t)p->n * (size_t)x->step[0] + (size_t)(p->g * w->len[1] + p->c) * (size_t)x->step[1];
    at[1] = (size_t)(p->g * per + p->o) * (size_t)w->step[0] + (size_t)p->c * (size_t)w->step[1];
    at[2] = (size_t)p->n * (size_t)y->step[0] + (size_t)(p->g * per + p->o) * (size_t)y->step[1];
    for (int d = 0; d < k->conv.dims; d++) {
        int i = p->q[d] * k->conv.step[d] + p->r[d] * k->conv.dilation[d] - k->conv.pad[d];
        int r = k->conv.mode ? p->r[d] : w->len[2 + d] - 1 - p->r[d];
        if (i < 0 || i >= x->len[2 + d]) return false;
        at[0] += (size_t)i * (size_t)x->step[2 + d];
        at[1] += (size_t)r * (size_t)w->step[2 + d];
        at[2] += (size_t)p->q[d] * (size_t)y->step[2 + d];
    }
    return true;
}

/* The next point of all; false: that was the last. */
static bool next(const Call *k, Point *p) {
    int *const at[10] = {&p->r[2], &p->r[1], &p->r[0], &p->c, &p->q[2], &p->q[1], &p->q[0], &p->o, &p->g, &p->n};
    const Tensor *w = &k->w, *y = &k->y;
    const int len[10] = {w->len[4],      w->len[3], w->len[2], w->len[1],
                         y->len[4],      y->len[3], y->len[2], w->len[0] / k->conv.groups,
                         k->conv.groups, y->len[0]};
    for (int i = 0; i < 10; i++) {
        if (++*at[i] < len[i]) return true;
        *at[i] = 0;
    }
    return false;
}

static void run(const void *args) {
    const Call *k = args;
    const Tensor *const t[3] = {&k->x, &k->w, &k->y};
    static const int result[] = {[TOP] = 2, [IMAGE] = 0, [FILTER] = 1};
    int to = result[k->target], a = to == 0 ? 1 : 0, b = to == 2 ? 1 : 2;
    double *v[3];
    for (int i = 0; i < 3; i++) v[i] = all_of(i == to ? NULL : k->at[i], t[i]->type, extent(t[i]));
    Point p = {0};
    size_t at[3];
    if (v[0] && v[1] && v[2]) do
            if (term(k, &p, at)) v[to][at[to]] += v[a][at[a]] * v[b][at[b]];
        while (next(k, &p));
    for (size_t i = 0; v[to] && i < extent(t[to]); i++) {
        if (t[to]->type) ((double *)(void *)k->at[to])[i] = v[to][i];
        else ((float *)(void *)k->at[to])[i] = (float)v[to][i];
    }
    for (int i = 0; i < 3; i++) free(v[i]);
}

static bool dense(const Tensor *t) {
    size_t n = 1;
    for (int d = 0; d < t->dims; d++) n *= (size_t)t->len[d];
    return extent(t) == n;
}

static int queue(const Handle *h, Call c, double alpha, double beta, void *room, size_t bytes) {
    const Tensor *const t[3] = {&c.x, &c.w, &c.y};
    if (!h || !stream_is(h->stream) || fits(&c.x, &c.w, &c.y, &c.conv) || alpha != 1 || beta != 0) return BAD;
    if (bytes && !memory_holds((uintptr_t)room, bytes)) return BAD;
    for (int i = 0; i < 3; i++)
        if (!memory_holds((uintptr_t)c.at[i], extent(t[i]) * (t[i]->type ? 8 : 4))) return BAD;
    if (!dense(c.target == TOP ? &c.y : c.target == IMAGE ? &c.x : &c.w)) return UNSUPPORTED; /* as run writes all */
    Work *w = work_new(WORK_CALL, sizeof c);
    if (!w) return NO_ROOM;
    *(Call *)(void *)w->args = c;
    w->call = run;
    return stream_add(h->stream, w) ? FAILED : 0;
}

static double scale(const void *v, const Conv *c) { return c->sum ? *(const double *)v : (double)*(const float *)v; }
static char *address(const void *p) { return (char *)(uintptr_t)p; }

/* ---- the entry points ---- */
EXPORT int cudnnGetConvolutionForwardWorkspaceSize(Handle *h, Tensor *x, Tensor *w, Conv *c, Tensor *y, int algorithm,
                                                   size_t *bytes) {
    BEGIN;
    *bytes = algorithm ? ROOM : 0;
    return end(!h || algorithm < 0 || algorithm > 1 ? UNSUPPORTED : fits(x, w, y, c));
}
EXPORT int cudnnConvolutionForward(Handle *h, const void *alpha, Tensor *x, const void *px, Tensor *w, const void *pw,
                                   Conv *c, int algorithm, void *room, size_t bytes, const void *beta, Tensor *y,
                                   void *py) {
    BEGIN;
    if (bytes < (algorithm ? ROOM : 0)) return end(BAD);
    Call k = {TOP, *x, *w, *y, *c, {address(px), address(pw), py}};
    return end(queue(h, k, scale(alpha, c), scale(beta, c), room, bytes));
}
EXPORT int cudnnGetConvolutionBackwardDataWorkspaceSize(Handle *h, Tensor *w, Tensor *y, Conv *c, Tensor *x,
                                                        int algorithm, size_t *bytes) {
    BEGIN;
    *bytes = ROOM;
    return end(!h || algorithm != 1 ? UNSUPPORTED : fits(x, w, y, c)); /* 0 has other bits at every run */
}
EXPORT int cudnnConvolutionBackwardData(Handle *h, const void *alpha, Tensor *w, const void *pw, Tensor *y,
                                        const void *py, Conv *c, int algorithm, void *room, size_t bytes,
                                        const void *beta, Tensor *x, void *px) {
    BEGIN;
    if (bytes < ROOM || algorithm != 1) return end(BAD);
    Call k = {IMAGE, *x, *w, *y, *c, {px, address(pw), address(py)}};
    return end(queue(h, k, scale(alpha, c), scale(beta, c), room, bytes));
}
EXPORT int cudnnGetConvolutionBackwardFilterWorkspaceSize(Handle *h, Tensor *x, Tensor *y, Conv *c, Tensor *w,
                                                          int algorithm, size_t *bytes) {
    BEGIN;
    *bytes = ROOM;
    return end(!h || algorithm != 1 ? UNSUPPORTED : fits(x, w, y, c));
}
EXPORT int cudnnConvolutionBackwardFilter(Handle *h, const void *alpha, Tensor *x, const void *px, Tensor *y,
                                          const void *py, Conv *c, int algorithm, void *room, size_t bytes,
                                          const void *beta, Tensor *w, void *pw) {
    BEGIN;
    if (bytes < ROOM || algorithm != 1) return end(BAD);
    Call k = {FILTER, *x, *w, *y, *c, {address(px), pw, address(py)}};
    return end(queue(h, k, scale(alpha, c), scale(beta, c), room, bytes));
}
