/*
 * cudnn.c -- convolutions by cuDNN. In: what two of images, filters and tops are, and where the third, dense, is to
 * lie. Out: it, queued; or GPU_NOT, and the kernel's own tiles have to do it: where there is no library, or it does not
 * take these arrays (filters with gaps; more room than ROOM). Only algorithms that are sums of products (no transforms)
 * and have the same bits at every run; float32 without TF32 (the flag allow_tf32).
 */
#include "gpu.h"
#include "kernel/conv_work.h"
#include "runtime/device/library.h"

#include <limits.h>

/* As the library's headers have them (spec/cuda_headers_spec.lua). */
enum {
    DN_REAL_32 = 0,
    DN_REAL_64 = 1,
    DN_PLAIN = 0, /* filters by number, channel, rows */
    DN_TURNED = 0,
    DN_STRAIGHT = 1,
    DN_TF32 = 0,
    DN_NO_TF32 = 3,
    DN_TO_TOP = 1,
    DN_TO_TOP_FEW = 0,
    DN_TO_IMAGE = 1,
    DN_TO_FILTER = 1,
};

/* clang-format off */
#define CUDNN(X)                                                                                                       \
    X(int, open, "cudnnCreate", (void **handle))                                                                       \
    X(int, close, "cudnnDestroy", (void *handle))                                                                      \
    X(int, stream, "cudnnSetStream", (void *handle, void *stream))                                                     \
    X(int, tensor_new, "cudnnCreateTensorDescriptor", (void **tensor))                                                 \
    X(int, tensor_free, "cudnnDestroyTensorDescriptor", (void *tensor))                                                \
    X(int, tensor_set, "cudnnSetTensorNdDescriptor",                                                                   \
      (void *tensor, int type, int dims, const int *len, const int *step))                                             \
    X(int, filter_new, "cudnnCreateFilterDescriptor", (void **filter))                                                 \
    X(int, filter_free, "cudnnDestroyFilterDescriptor", (void *filter))                                                \
    X(int, filter_set, "cudnnSetFilterNdDescriptor", (void *filter, int type, int layout, int dims, const int *len))   \
    X(int, conv_new, "cudnnCreateConvolutionDescriptor", (void **conv))                                                \
    X(int, conv_free, "cudnnDestroyConvolutionDescriptor", (void *conv))                                               \
    X(int, conv_set, "cudnnSetConvolutionNdDescriptor",                                                                \
      (void *conv, int dims, const int *pad, const int *step, const int *dilation, int mode, int sum))                 \
    X(int, conv_math, "cudnnSetConvolutionMathType", (void *conv, int math))                                           \
    X(int, conv_groups, "cudnnSetConvolutionGroupCount", (void *conv, int groups))                                     \
    X(int, top_bytes, "cudnnGetConvolutionForwardWorkspaceSize",                                                       \
      (void *handle, void *x, void *w, void *conv, void *y, int algorithm, size_t *bytes))                             \
    X(int, top, "cudnnConvolutionForward",                                                                             \
      (void *handle, const void *alpha, void *x_is, const void *x, void *w_is, const void *w, void *conv,              \
       int algorithm, void *room, size_t bytes, const void *beta, void *y_is, void *y))                                \
    X(int, image_bytes, "cudnnGetConvolutionBackwardDataWorkspaceSize",                                                \
      (void *handle, void *w, void *y, void *conv, void *x, int algorithm, size_t *bytes))                             \
    X(int, image, "cudnnConvolutionBackwardData",                                                                      \
      (void *handle, const void *alpha, void *w_is, const void *w, void *y_is, const void *y, void *conv,              \
       int algorithm, void *room, size_t bytes, const void *beta, void *x_is, void *x))                                \
    X(int, filter_bytes, "cudnnGetConvolutionBackwardFilterWorkspaceSize",                                             \
      (void *handle, void *x, void *y, void *conv, void *w, int algorithm, size_t *bytes))                             \
    X(int, filter, "cudnnConvolutionBackwardFilter",                                                                   \
      (void *handle, const void *alpha, void *x_is, const void *x, void *y_is, const void *y, void *conv,              \
       int algorithm, void *room, size_t bytes, const void *beta, void *w_is, void *w))
/* clang-format on */
LIBRARY_TABLE(Cudnn, cudnn_table, LIBRARY_CUDNN, CUDNN)

enum { DIMS = 2 + CONV_DIMS, ROOM = 64 << 20 };

void gpu_cudnn_close(GpuHandle *u) {
    const Cudnn *f = u->functions;
    if (u->handle) f->close(u->handle);
    *u = (GpuHandle){0};
}

static bool ready(HostCall *h, GpuHandle *u) {
    bool asked = u->asked;
    const Cudnn *f = gpu_functions(h, u, &cudnn_table, "convolutions");
    if (f && !asked && f->open(&u->handle)) u->handle = NULL;
    return u->handle != NULL;
}

bool gpu_conv_wanted(const HostCall *h, const ConvWork *w) {
    enum { TERMS = 1 << 22 };
    double terms = (double)w->images * (double)w->filters * (double)w->groups * (double)w->channels;
    for (int d = 0; d < w->ndim; d++) terms *= (double)w->out[d] * (double)w->size[d];
    return gpu_wants(h, terms < TERMS ? 0 : 1, 1);
}

/* ---- what it is told --------------------------------------------------------------------------------------------- */
typedef struct Told { /* of one dimension as of two */
    int nd;
    int image[DIMS], filter[DIMS], top[DIMS], image_st[DIMS], top_st[DIMS];
    int pad[CONV_DIMS], step[CONV_DIMS], dilation[CONV_DIMS];
    bool turned;    /* filters lie the other way round.. */
    int64_t begins; /* ..from here, in elements */
} Told;

static bool fits(int64_t v) { return v >= 0 && v <= INT_MAX; }

/* Lengths and strides of images or tops. */
static bool tensor(int *len, int *st, int64_t n, int64_t c, const int64_t *own, const int64_t *own_st, int nd,
                   int add) {
    int64_t all = 1;
    for (int d = DIMS - 1; d >= 0; d--) len[d] = st[d] = 1;
    len[0] = (int)n, len[1] = (int)c;
    bool ok = fits(n) && fits(c);
    for (int d = 0; d < nd; d++) ok = ok && fits(own[d]), len[2 + add + d] = (int)own[d];
    for (int d = 2 + nd + add - 1; d >= 0; d--) {
        int from = d < 2 ? d : d - add;
        bool one = len[d] == 1 || (d >= 2 && d < 2 + add);
        int64_t v = one ? all : own_st[from];
        ok = ok && v > 0 && fits(v) && fits(v * len[d]);
        if (!ok) return false;
        st[d] = (int)v;
        if (v * len[d] > all) all = v * len[d];
    }
    return true;
}

/* Dense, or dense but for their rows' order. */
static bool filters(Told *t, const ConvWork *w, int add) {
    int64_t all = 1, len[DIMS] = {w->filters * w->groups, w->channels};
    bool straight = false;
    for (int d = 0; d < w->ndim; d++) len[2 + d] = w->size[d];
    for (int d = 2 + w->ndim - 1; d >= 0; d--) {
        int64_t st = w->filter_st[d];
        if (!fits(len[d])) return false;
        if (len[d] == 1) continue;
        if (d >= 2 && st == -all) t->turned = true, t->begins += (len[d] - 1) * st;
        else if (st != all) return false;
        else if (d >= 2) straight = true;
        all *= len[d];
    }
    for (int d = 0; d < DIMS; d++) t->filter[d] = 1;
    for (int d = 0; d < 2 + w->ndim; d++) t->filter[d < 2 ? d : d + add] = (int)len[d];
    return fits(all) && !(t->turned && straight);
}

static bool tell(Told *t, const ConvWork *w) {
    int add = w->ndim == 1;
    *t = (Told){.nd = w->ndim + add, .step = {1, 1, 1}, .dilation = {1, 1, 1}};
    if (!filters(t, w, add)) return false;
    for (int d = 0; d < w->ndim; d++) {
        int64_t reach = (w->size[d] - 1) * w->dilation[d] + 1, rest = w->in[d] + 2 * w->pad[d] - reach;
        /* as much padding behind as before */
        if (rest < 0 || rest / w->step[d] + 1 != w->out[d] || !fits(w->pad[d]) || !fits(w->step[d])) return false;
        t->pad[d + add] = (int)w->pad[d], t->step[d + add] = (int)w->step[d];
        t->dilation[d + add] = (int)w->dilation[d];
    }
    return tensor(t->image, t->image_st, w->images, w->channels * w->groups, w->in, w->image_st, w->ndim, add) &&
           tensor(t->top, t->top_st, w->images, w->filters * w->groups, w->out, w->top_st, w->ndim, add);
}

typedef struct Made { /* what is destroyed behind the call */
    void *x, *w, *y, *conv;
} Made;

static void unmake(const Cudnn *f, const Made *m) {
    if (m->x) f->tensor_free(m->x);
    if (m->y) f->tensor_free(m->y);
    if (m->w) f->filter_free(m->w);
    if (m->conv) f->conv_free(m->conv);
}

static int describe(const Cudnn *f, const Told *t, const ConvWork *w, bool tf32, Made *m) {
    int type = w->dtype == TH_FLOAT64 ? DN_REAL_64 : DN_REAL_32, mode = t->turned ? DN_TURNED : DN_STRAIGHT;
    int bad = f->tensor_new(&m->x) || f->tensor_new(&m->y) || f->filter_new(&m->w) || f->conv_new(&m->conv);
    if (!bad) bad = f->tensor_set(m->x, type, 2 + t->nd, t->image, t->image_st);
    if (!bad) bad = f->tensor_set(m->y, type, 2 + t->nd, t->top, t->top_st);
    if (!bad) bad = f->filter_set(m->w, type, DN_PLAIN, 2 + t->nd, t->filter);
    if (!bad) bad = f->conv_set(m->conv, t->nd, t->pad, t->step, t->dilation, mode, type);
    if (!bad) bad = f->conv_math(m->conv, tf32 ? DN_TF32 : DN_NO_TF32);
    return bad ? bad : f->conv_groups(m->conv, (int)w->groups);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */
static int bytes_of(const Cudnn *f, void *handle, const Made *m, const ConvWork *w, int algorithm, size_t *bytes) {
    int bad = w->target == CONV_TO_TOP     ? f->top_bytes(handle, m->x, m->w, m->conv, m->y, algorithm, bytes)
              : w->target == CONV_TO_IMAGE ? f->image_bytes(handle, m->w, m->y, m->conv, m->x, algorithm, bytes)
                                           : f->filter_bytes(handle, m->x, m->y, m->conv, m->w, algorithm, bytes);
    return bad || *bytes > ROOM;
}

static int queue(const Cudnn *f, void *handle, const Made *m, const ConvWork *w, char *filter, int algorithm,
                 char *room, size_t bytes) {
    const double wide[2] = {1, 0};
    const float narrow[2] = {1, 0};
    bool is_wide = w->dtype == TH_FLOAT64;
    const void *one = is_wide ? (const void *)wide : narrow, *none = is_wide ? (const void *)(wide + 1) : narrow + 1;
    if (w->target == CONV_TO_TOP)
        return f->top(handle, one, m->x, w->image, m->w, filter, m->conv, algorithm, room, bytes, none, m->y, w->top);
    if (w->target == CONV_TO_IMAGE)
        return f->image(handle, one, m->w, filter, m->y, w->top, m->conv, algorithm, room, bytes, none, m->x, w->image);
    return f->filter(handle, one, m->x, w->image, m->y, w->top, m->conv, algorithm, room, bytes, none, m->w, filter);
}

static GpuDone run(HostCall *h, const GpuHandle *u, const Made *m, const ConvWork *w, char *filter) {
    static const int best[] = {
        [CONV_TO_TOP] = DN_TO_TOP, [CONV_TO_IMAGE] = DN_TO_IMAGE, [CONV_TO_FILTER] = DN_TO_FILTER};
    const Cudnn *f = u->functions;
    int algorithm = best[w->target];
    size_t bytes = 0;
    char *room;
    bool has = !bytes_of(f, u->handle, m, w, algorithm, &bytes);
    if (!has && w->target == CONV_TO_TOP) has = !bytes_of(f, u->handle, m, w, algorithm = DN_TO_TOP_FEW, &bytes);
    if (!has) return GPU_NOT;
    if (!gpu_room(h, bytes + 1, &room)) return GPU_FAILED;
    return queue(f, u->handle, m, w, filter, algorithm, room, bytes) ? GPU_NOT : GPU_DONE;
}

GpuDone gpu_cudnn(HostCall *h, GpuHandle *u, const ConvWork *w) {
    Told t;
    Made m = {NULL, NULL, NULL, NULL};
    GpuDone done = GPU_NOT;
    if (!tell(&t, w) || !ready(h, u)) return GPU_NOT;
    const Cudnn *f = u->functions;
    char *filter = w->filter + t.begins * (int64_t)th_dtype_bytes(w->dtype);
    int bad = f->stream(u->handle, h->gpu->q->stream);
    if (!bad) bad = describe(f, &t, w, config_bool(h->ctx, "allow_tf32"), &m);
    if (!bad) done = run(h, u, &m, w, filter);
    unmake(f, &m);
    return done;
}
