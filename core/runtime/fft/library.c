/*
 * library.c -- a stage by FFTW. In: a stage whose lines are whole. Out: its transforms, or false. Plans are
 * FFTW_ESTIMATE (measured ones would differ from run to run) and stay with the context, those used longest ago go
 * first. FFTW's planner is one for the process and not safe in several threads, so that one lock stands around it for
 * all contexts.
 */
#include "library.h"

#include <string.h>

enum { MOST_PLANS = 64, ESTIMATE = 1 << 6, KEEP_INPUT = 1 << 4 };

typedef struct GuruDim {
    ptrdiff_t n, is, os; /* fftw_iodim64: strides in numbers of the kind at hand */
} GuruDim;

typedef struct Functions { /* of one precision */
    bool there;
    void *(*complex)(int, const GuruDim *, int, const GuruDim *, void *, void *, int, unsigned);
    void *(*to_half)(int, const GuruDim *, int, const GuruDim *, void *, void *, unsigned);
    void *(*from_half)(int, const GuruDim *, int, const GuruDim *, void *, void *, unsigned);
    void (*run)(const void *, void *, void *);
    void (*run_to_half)(const void *, void *, void *);
    void (*run_from_half)(const void *, void *, void *);
    void (*destroy)(void *);
    int (*alignment)(void *);
} Functions;

typedef struct Key {                                                /* all of what a plan depends on; no holes */
    int64_t kind, dtype, back, in_place, from, to, ndim, n, fs, ts; /* from, to: how the addresses are aligned */
    FftDim dim[TH_MAX_NDIM];
} Key;

typedef struct Kept {
    Key key;
    void *plan;
    int64_t last, users;
} Kept;

struct FftLibrary {
    Functions of[2]; /* float32, float64 */
    Kept plan[MOST_PLANS];
    int n;
    int64_t clock;
};

static OsLock planner = OS_LOCK_INIT;

/* A function's address through memcpy: ISO C has no cast from an object pointer. */
static void find(void *handle, Functions *f, const char *prefix, const char *name, void *fn) {
    char full[64];
    size_t a = strlen(prefix), b = strlen(name);
    memcpy(full, prefix, a);
    memcpy(full + a, name, b + 1);
    void *p = os_library_symbol(handle, full);
    memcpy(fn, &p, sizeof p);
    f->there = f->there && p;
}

static void open_library(Functions *f, const char *file, const char *prefix) {
    void *h = os_library(file);
    if (!h) return;
    f->there = true;
    find(h, f, prefix, "plan_guru64_dft", &f->complex);
    find(h, f, prefix, "plan_guru64_dft_r2c", &f->to_half);
    find(h, f, prefix, "plan_guru64_dft_c2r", &f->from_half);
    find(h, f, prefix, "execute_dft", &f->run);
    find(h, f, prefix, "execute_dft_r2c", &f->run_to_half);
    find(h, f, prefix, "execute_dft_c2r", &f->run_from_half);
    find(h, f, prefix, "destroy_plan", &f->destroy);
    find(h, f, prefix, "alignment_of", &f->alignment);
}

/* Called with the keeper's lock. */
static struct FftLibrary *library_of(ThContext *c, FftKeeper *k) {
    if (k->library || !(k->library = ctx_alloc0(c, sizeof *k->library))) return k->library;
    open_library(&k->library->of[0], "libfftw3f.so.3", "fftwf_");
    open_library(&k->library->of[1], "libfftw3.so.3", "fftw_");
    return k->library;
}

static void destroy(const struct FftLibrary *l, Kept *p) {
    os_lock(&planner);
    l->of[p->key.dtype == TH_FLOAT64].destroy(p->plan);
    os_unlock(&planner);
}

void fft_library_free(ThContext *c, struct FftLibrary *l) {
    for (int i = 0; i < l->n; i++) destroy(l, &l->plan[i]);
    ctx_free(c, l, sizeof *l);
}

static void *plan(const Functions *f, const FftStage *s) {
    int64_t item = s->dtype == TH_FLOAT64 ? 8 : 4;
    int64_t in = s->kind == FFT_TO_HALF ? item : 2 * item, out = s->kind == FFT_FROM_HALF ? item : 2 * item;
    GuruDim line = {s->n, s->fs / in, s->ts / out}, dim[TH_MAX_NDIM];
    void *from = (void *)s->from, *p;
    for (int d = 0; d < s->ndim; d++) dim[d] = (GuruDim){s->dim[d].n, s->dim[d].from / in, s->dim[d].to / out};
    unsigned flags = ESTIMATE | KEEP_INPUT;
    os_lock(&planner);
    if (s->kind == FFT_COMPLEX) p = f->complex(1, &line, s->ndim, dim, from, s->to, s->back ? 1 : -1, flags);
    else p = (s->kind == FFT_TO_HALF ? f->to_half : f->from_half)(1, &line, s->ndim, dim, from, s->to, flags);
    os_unlock(&planner);
    return p;
}

static Key key_of(const Functions *f, const FftStage *s) {
    Key k;
    memset(&k, 0, sizeof k);
    k.kind = s->kind, k.dtype = s->dtype, k.back = s->back, k.in_place = s->from == s->to, k.ndim = s->ndim;
    k.from = f->alignment((void *)s->from), k.to = f->alignment(s->to);
    k.n = s->n, k.fs = s->fs, k.ts = s->ts;
    memcpy(k.dim, s->dim, sizeof *k.dim * (size_t)s->ndim);
    return k;
}

/* The plan, counted as in use, or NULL. Called with the keeper's lock. */
static Kept *plan_of(struct FftLibrary *l, const FftStage *s) {
    const Functions *f = &l->of[s->dtype == TH_FLOAT64];
    Key key = key_of(f, s);
    int at = -1;
    for (int i = 0; i < l->n; i++)
        if (!memcmp(&l->plan[i].key, &key, sizeof key)) return &l->plan[i];
    if (l->n < MOST_PLANS) at = l->n;
    for (int i = 0; i < l->n && l->n == MOST_PLANS; i++)
        if (!l->plan[i].users && (at < 0 || l->plan[i].last < l->plan[at].last)) at = i;
    void *made = at < 0 ? NULL : plan(f, s);
    if (!made) return NULL;
    if (at < l->n) destroy(l, &l->plan[at]);
    else l->n++;
    l->plan[at] = (Kept){.key = key, .plan = made};
    return &l->plan[at];
}

/* Whole lines, of positive strides where these matter to FFTW's in-place plans; auto: only where our vectors are short.
 */
static bool suits(ThContext *c, const FftStage *s) {
    const char *want = config_str(c, "fft.library");
    if (!strcmp(want, "own") || (strcmp(want, "fftw") && isa_vector_bytes() > 16)) return false;
    return s->lines > 0 && s->twice == 1 && s->have == fft_stage_units(s, true);
}

static void scale_lines(const FftStage *s) {
    int64_t numbers = s->kind == FFT_FROM_HALF ? s->n : 2 * fft_stage_units(s, false);
    for (int d = 0; d < s->ndim; d++) numbers *= s->dim[d].n;
    fft_kernels(s->dtype)->scale(s->to, numbers, s->by); /* the result is dense */
}

bool fft_library_run(ThContext *c, const FftStage *s) {
    if (!suits(c, s)) return false;
    FftKeeper *k = fft_keeper(c);
    if (!k) return false;
    os_lock(&k->lock);
    struct FftLibrary *l = library_of(c, k);
    Kept *p = l && l->of[s->dtype == TH_FLOAT64].there ? plan_of(l, s) : NULL;
    if (p) p->users++, p->last = ++l->clock;
    os_unlock(&k->lock);
    if (!p) return false;
    const Functions *f = &l->of[s->dtype == TH_FLOAT64];
    void *from = (void *)s->from;
    (s->kind == FFT_COMPLEX   ? f->run
     : s->kind == FFT_TO_HALF ? f->run_to_half
                              : f->run_from_half)(p->plan, from, s->to);
    if (s->by != 1) scale_lines(s);
    os_lock(&k->lock);
    p->users--;
    os_unlock(&k->lock);
    return true;
}
