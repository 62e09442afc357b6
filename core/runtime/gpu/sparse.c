/*
 * sparse.c -- operations on sparse matrices on a device: which kernels do a task, one after the other. In: matrices
 * whose heads the host has read. Out: queued launches. What has to be in order is sorted by keys (sort.c), how much a
 * result holds are running sums of flags (cumulate.c); sums are in the CPU's order, so nothing is added by atomics. A
 * product of two sparse matrices is all its products, sorted by place and added, for as many lines at once as there is
 * room for (PRODUCTS).
 */
#include "sparse.h"

#include <string.h>

typedef struct Task {
    HostCall *h;
    const SparseWork *w;
    SparseArgs a;
    int values; /* variant of the kernels of values */
} Task;

/* ---- small pieces ------------------------------------------------------------------------------------------------ */
static int places(Task *t, int kernel, int64_t n) {
    return gpu_launch(t->h, &gpu_sparse_places, 0, kernel, n == 1 ? 1 : gpu_blocks(n), &t->a);
}
static int choice(Task *t, int kernel, int64_t n) {
    return gpu_launch(t->h, &gpu_sparse_choices, 0, kernel, n == 1 ? 1 : gpu_blocks(n), &t->a);
}
static int values(Task *t, int kernel, int64_t n) {
    return gpu_launch(t->h, &gpu_sparse_values, t->values, kernel, gpu_blocks(n), &t->a);
}

/* Whole numbers wrap, so that signs do not matter. */
static int variant_of(ThDtype d) {
    switch (d) {
    case TH_BOOL:
    case TH_INT8: return TH_UINT8;
    case TH_INT16: return TH_UINT16;
    case TH_INT32: return TH_UINT32;
    case TH_INT64: return TH_UINT64;
    default: return d;
    }
}

static bool room(Task *t, int64_t n, size_t item, void *to) {
    char *at;
    bool ok = gpu_room(t->h, (size_t)(n + 1) * item, &at);
    memcpy(to, &at, sizeof at);
    return ok;
}
static bool words(Task *t, int64_t n, int64_t **to) { return room(t, n, sizeof **to, to); }

/* No bad element so far. */
static bool none_bad(Task *t) {
    return words(t, 0, &t->a.first) && !gpu_set(t->h, (char *)t->a.first, 0x7f, sizeof(i64));
}

static SparsePart part(const Sparse *s) { return (SparsePart){s->lines, s->places, s->nnz, s->ptr, s->idx, s->data}; }

static void dense(SparseArgs *a, const ThArray *x, bool rows) {
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)x->dtype);
    a->by_line = ARRAY_STRIDES(x)[rows ? 0 : 1] / item;
    a->by_place = ARRAY_STRIDES(x)[rows ? 1 : 0] / item;
}

static void numbers_a(SparseArgs *a, const ThArray *x) {
    a->a = x->data, a->step_a = x->ndim ? ARRAY_STRIDES(x)[0] : 0, a->kind_a = gpu_number((ThDtype)x->dtype);
}
static void numbers_b(SparseArgs *a, const ThArray *x) {
    a->b = x->data, a->step_b = x->ndim ? ARRAY_STRIDES(x)[0] : 0, a->kind_b = gpu_number((ThDtype)x->dtype);
}

static int copy(Task *t, void *to, const void *from, int64_t bytes) {
    DeviceQueue *q = t->h->gpu->q;
    return bytes ? gpu_status(t->h, q->device->op->copy(q, (DeviceAddress)(uintptr_t)to, (DeviceAddress)(uintptr_t)from,
                                                        (size_t)bytes))
                 : 0;
}

/* ---- a sparse result --------------------------------------------------------------------------------------------- */
/* Words of zeros with a head; ordered: what it says until it is looked at. */
static int lay(Task *t, ThDtype d, bool ordered) {
    const SparseWork *w = t->w;
    int64_t lines = w->lines, at = SPARSE_HEAD + ((lines + 1) * 4 + 63) / 64 * SPARSE_ALIGN;
    int64_t data = at + (w->room * 4 + 63) / 64 * SPARSE_ALIGN;
    int64_t head[SPARSE_HEAD] = {[SPARSE_KIND] = SPARSE_MARK + d, [SPARSE_LINES] = lines, [SPARSE_PLACES] = w->places,
                                 [SPARSE_INDICES] = at,           [SPARSE_DATA] = data,   [SPARSE_ORDER] = ordered,
                                 [SPARSE_ROOM] = w->room};
    Sparse s = sparse_open_at(head, w->z->data);
    memcpy(t->a.head, head, sizeof head);
    t->a.s = part(&s);
    t->a.s.nnz = w->room;
    t->a.words = (i64 *)(void *)w->z->data;
    return gpu_set(t->h, w->z->data, 0, (size_t)w->z->size * sizeof(i64)) || places(t, PLACES_HEAD, 1);
}

/* Pointers, places and values are there: how many there are, and (looks) whether they are in order. */
static int close(Task *t, bool looks) {
    t->a.first = NULL;
    if (looks && t->w->room && places(t, PLACES_ORDER, t->w->room)) return 1;
    return places(t, PLACES_CLOSE, 1);
}

/* The call fails where operand number `which`, which no head says to be in order, is not; work: NULL, or a word that is
 * not 0 where it does not matter. */
static int ordered(Task *t, const Sparse *x, int which, i64 *work) {
    Task u = {.h = t->h, .w = t->w};
    if (x->order || !x->nnz) return 0;
    u.a.s = part(x), u.a.m = which, u.a.which = SPARSE_FAULT_ORDER, u.a.work = work;
    return !none_bad(&u) || places(&u, PLACES_ORDER, x->nnz) || places(&u, PLACES_TELL_ORDER, 1);
}

/* ---- entries in order -------------------------------------------------------------------------------------------- */
static int sorted(Task *t, int64_t n) {
    GpuOrder o = {0};
    if (!n) return 0;
    if (gpu_order_counts(t->h, (char *)t->a.key, n, &o)) return 1;
    t->a.key = (i64 *)(void *)o.key, t->a.pos = o.pos;
    return 0;
}

/* x by its places (lines of s), in the order of its lines; its values to s.data. */
static int turn(Task *t) {
    SparseArgs *a = &t->a;
    a->n = a->x.nnz, a->flag = 0, a->m = 1;
    if (!words(t, a->n, &a->key) || (a->n && places(t, PLACES_KEYS, a->n)) || sorted(t, a->n)) return 1;
    if (places(t, PLACES_PTR, a->s.lines + 1)) return 1;
    if (!a->n) return 0;
    a->m = 0, a->a = a->x.data, a->sum = NULL;
    return places(t, PLACES_TURNED, a->n) || values(t, SPARSE_FOLD, a->n);
}

/* The same in memory of the call: t->a.x becomes it. values: other ones than x's own. */
static int turn_over(Task *t, const void *own) {
    SparseArgs *a = &t->a;
    SparsePart s = {.lines = a->x.places, .places = a->x.lines, .nnz = a->x.nnz};
    size_t item = th_dtype_bytes((ThDtype)t->values);
    if (!room(t, s.lines + 1, 4, &s.ptr) || !room(t, s.nnz, 4, &s.idx) || !room(t, s.nnz, item, &s.data)) return 1;
    if (own) a->x.data = (char *)(uintptr_t)own;
    a->s = s;
    if (turn(t)) return 1;
    a->x = s;
    return 0;
}

/* Groups of n keys that are in order: running sums of their beginnings. */
static int groups(Task *t, int64_t n) {
    t->a.n = n;
    return !words(t, n, &t->a.sum) || (n && (places(t, PLACES_GROUPS, n) || gpu_running_sums(t->h, t->a.sum, n)));
}

/* Lines [from, to) of the result: values at `v` of n keys, those of one key added, from 0 on (zero). */
static int fold(Task *t, const void *v, int64_t n, int64_t from, int64_t to, bool zero) {
    SparseArgs *a = &t->a;
    if (groups(t, n)) return 1;
    a->n = from, a->m = to, a->by_line = a->s.places, a->by_place = n;
    if (to > from && places(t, PLACES_FOLD_PTR, to - from)) return 1;
    a->n = n, a->m = a->s.places, a->a = v, a->flag = zero, a->which = from;
    return n ? values(t, SPARSE_FOLD, n) : 0;
}

/* ---- matrices made of others ------------------------------------------------------------------------------------- */
static int with(Task *t) {
    const SparseWork *w = t->w;
    ThDtype d = (ThDtype)w->a->dtype;
    if (lay(t, d, w->x.order)) return 1;
    t->a.flag = 1;
    return places(t, PLACES_COPY, w->x.nnz > w->lines ? w->x.nnz : w->lines + 1) ||
           copy(t, t->a.s.data, w->a->data, w->x.nnz * (int64_t)th_dtype_bytes(d)) || close(t, false);
}

static int whole(Task *t) { /* x itself */
    const SparseWork *w = t->w;
    t->a.flag = 1;
    return lay(t, w->x.dtype, true) || places(t, PLACES_COPY, w->x.nnz > w->lines ? w->x.nnz : w->lines + 1) ||
           copy(t, t->a.s.data, w->x.data, w->x.nnz * (int64_t)w->x.item) || close(t, false);
}

static int sort(Task *t) {
    const SparseWork *w = t->w;
    SparseArgs *a = &t->a;
    bool adds = w->task == SPARSE_TASK_FOLD;
    int64_t n = w->x.nnz;
    if (w->x.order) return whole(t);
    if (lay(t, w->x.dtype, true) || !words(t, n, &a->key)) return 1;
    a->flag = 1;
    if ((n && places(t, PLACES_KEYS, n)) || sorted(t, n)) return 1;
    if (adds) return fold(t, w->x.data, n, 0, w->lines, false) || close(t, false);
    a->flag = 0;
    if (places(t, PLACES_COPY, w->lines + 1)) return 1;
    a->n = n, a->m = w->places, a->a = w->x.data, a->sum = NULL;
    return (n && values(t, SPARSE_FOLD, n)) || close(t, true);
}

static int turned(Task *t) { return lay(t, t->w->x.dtype, true) || turn(t) || close(t, !t->w->x.order); }

/* Values that are flagged, of x or of a dense matrix. */
static int flagged(Task *t, int64_t n, int64_t per_line, bool looks) {
    SparseArgs *a = &t->a;
    a->n = n, a->m = per_line;
    if (!words(t, n, &a->sum)) return 1;
    if (n && (values(t, SPARSE_FLAGS, n) || gpu_running_sums(t->h, a->sum, n))) return 1;
    int64_t by_line = a->by_line;
    a->by_line = per_line;
    if (places(t, PLACES_FLAGS_PTR, a->s.lines + 1)) return 1;
    a->by_line = by_line;
    return (n && values(t, SPARSE_PUT, n)) || close(t, looks);
}

static int remove0(Task *t) { return lay(t, t->w->x.dtype, t->w->x.order) || flagged(t, t->w->x.nnz, 0, false); }

static int from_dense(Task *t) {
    const SparseWork *w = t->w;
    if (lay(t, (ThDtype)w->a->dtype, true)) return 1;
    t->a.a = w->a->data;
    dense(&t->a, w->a, w->rows);
    if (!w->a->size) return close(t, false);
    return flagged(t, w->a->size, w->places, false);
}

static int csm(Task *t) {
    const SparseWork *w = t->w;
    SparseArgs *a = &t->a;
    int64_t n = w->room > w->lines ? w->room : w->lines + 1;
    if (lay(t, (ThDtype)w->a->dtype, true) || !none_bad(t)) return 1;
    numbers_a(a, w->b);
    numbers_b(a, w->c);
    a->flag = w->rows, a->which = SPARSE_FAULT_POINTER;
    return choice(t, CHOICE_CSM, n) || choice(t, CHOICE_CSM_CHECK, n) || choice(t, CHOICE_CSM_TELL, 1) ||
           copy(t, a->s.data, w->a->data, w->room * (int64_t)th_dtype_bytes((ThDtype)w->a->dtype)) || close(t, true);
}

static int triplets(Task *t) {
    const SparseWork *w = t->w;
    SparseArgs *a = &t->a;
    int64_t n = w->room;
    if (lay(t, (ThDtype)w->a->dtype, true) || !none_bad(t) || !words(t, n, &a->key)) return 1;
    numbers_a(a, w->b);
    numbers_b(a, w->c);
    a->n = n, a->flag = w->rows, a->which = SPARSE_FAULT_ENTRY_ROW;
    if (n && (choice(t, CHOICE_TRIPLETS, n) || choice(t, CHOICE_TRIPLETS_TELL, 1) || sorted(t, n))) return 1;
    return fold(t, w->a->data, n, 0, w->lines, false) || close(t, false);
}

static int merge(Task *t) {
    const SparseWork *w = t->w;
    SparseArgs *a = &t->a;
    int64_t flags = w->flag ? w->y.nnz : w->x.nnz, all = w->x.nnz + (w->flag ? w->y.nnz : 0);
    if (ordered(t, &w->x, 1, NULL) || ordered(t, &w->y, 2, NULL) || lay(t, w->x.dtype, true)) return 1;
    a->flag = w->flag;
    if (!words(t, flags, &a->sum)) return 1;
    if (flags && (places(t, PLACES_MERGE_FLAGS, flags) || gpu_running_sums(t->h, a->sum, flags))) return 1;
    return places(t, PLACES_MERGE_PTR, w->lines + 1) || (all && values(t, SPARSE_MERGE, all)) || close(t, false);
}

static int square(Task *t) {
    const SparseWork *w = t->w;
    t->a.n = w->lines;
    return lay(t, (ThDtype)w->a->dtype, true) || choice(t, CHOICE_SQUARE, w->lines + 1) ||
           copy(t, t->a.s.data, w->a->data, w->lines * (int64_t)th_dtype_bytes((ThDtype)w->a->dtype)) ||
           close(t, false);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
/* All operands of the call, along the compressed way (`flag`) or the other. */
static Sparse operand(const HostCall *h, int i) { return sparse_open_at(h->head[i], h->in[i]->data); }

static int stack_lines(Task *t) {
    SparseArgs *a = &t->a;
    int64_t line = 0, n = 0;
    for (int i = 0; i < t->h->nin; i++) {
        Sparse x = operand(t->h, i);
        a->x = part(&x), a->flag = 1, a->n = line, a->m = n;
        if (x.lines && choice(t, CHOICE_STACK_PTR, x.lines)) return 1;
        if (copy(t, a->s.idx + n, x.idx, x.nnz * 4) ||
            copy(t, a->s.data + n * (int64_t)x.item, x.data, x.nnz * (int64_t)x.item))
            return 1;
        line += x.lines, n += x.nnz;
    }
    return 0;
}

/* Values of each line behind those of the blocks before: work says where. */
static int stack_values(Task *t) {
    SparseArgs *a = &t->a;
    int64_t before = 0;
    a->flag = 0;
    for (int i = 0; i < t->h->nin; i++) {
        Sparse x = operand(t->h, i);
        a->x = part(&x);
        if (choice(t, CHOICE_STACK_PTR, x.lines)) return 1;
    }
    if (!words(t, a->s.lines, &a->work)) return 1;
    a->flag = 1;
    if (choice(t, CHOICE_STACK_NEXT, a->s.lines)) return 1;
    a->flag = 0;
    for (int i = 0; i < t->h->nin; i++) {
        Sparse x = operand(t->h, i);
        a->x = part(&x), a->m = before;
        if (x.nnz && values(t, SPARSE_STACK, x.nnz)) return 1;
        if (choice(t, CHOICE_STACK_NEXT, x.lines)) return 1;
        before += x.places;
    }
    return 0;
}

static int stack(Task *t) {
    bool in_order = true;
    for (int i = 0; i < t->h->nin; i++) in_order = in_order && operand(t->h, i).order;
    if (lay(t, t->w->x.dtype, in_order)) return 1;
    if (t->w->flag ? stack_lines(t) : t->w->lines && stack_values(t)) return 1;
    return close(t, false);
}

/* ---- choices ----------------------------------------------------------------------------------------------------- */
/* Numbers of `list`, of n there are, as positions from the start. */
static int positions(Task *t, const ThArray *list, int64_t n, bool rows, i64 **to) {
    SparseArgs *a = &t->a;
    numbers_a(a, list);
    a->n = list->size, a->m = n, a->which = rows ? SPARSE_FAULT_ROW : SPARSE_FAULT_COLUMN;
    if (!words(t, a->n, &a->key) || !none_bad(t)) return 1;
    *to = a->key;
    return a->n && (choice(t, CHOICE_POSITIONS, a->n) || choice(t, CHOICE_POSITIONS_TELL, 1));
}

/* work: lines, m of them; key, pos: places in order and their new numbers, n; sum: values up to each line. */
static int chosen(Task *t) {
    const SparseWork *w = t->w;
    SparseArgs *a = &t->a;
    i64 *line, *place;
    if (positions(t, w->b, w->x.lines, w->rows, &line) || positions(t, w->c, w->x.places, !w->rows, &place)) return 1;
    a->n = w->c->size, a->m = w->b->size, a->work = place;
    a->which = w->rows ? SPARSE_FAULT_COLUMN_TWICE : SPARSE_FAULT_ROW_TWICE;
    if (sorted(t, a->n) || !none_bad(t)) return 1;
    if (a->n && (choice(t, CHOICE_TWICE, a->n) || choice(t, CHOICE_TWICE_TELL, 1))) return 1;
    t->a.words = place; /* as they stand, for who asks whether they descend */
    a->work = line;
    if (!words(t, a->m, &a->sum)) return 1;
    return a->m && (choice(t, CHOICE_COUNTS, a->m) || gpu_running_sums(t->h, a->sum, a->m));
}

static int choice_count(Task *t) {
    if (chosen(t)) return 1;
    t->a.n = t->a.m, t->a.m = 0, t->a.flag = 0, t->a.z = t->w->z->data;
    return choice(t, CHOICE_TOTAL, 1);
}

static int choose(Task *t) {
    if (chosen(t)) return 1;
    i64 *place = t->a.words;
    int64_t n = t->a.n, m = t->a.m;
    if (lay(t, t->w->x.dtype, true)) return 1;
    t->a.n = n, t->a.m = m, t->a.first = place; /* which tell whether they descend */
    if (choice(t, CHOICE_PTR, m + 1)) return 1;
    if (m && n && values(t, SPARSE_CHOOSE, m)) return 1;
    return close(t, true);
}

static int at(Task *t) {
    const SparseWork *w = t->w;
    i64 *line, *place;
    if (positions(t, w->b, w->x.lines, w->rows, &line) || positions(t, w->c, w->x.places, !w->rows, &place)) return 1;
    t->a.key = line, t->a.pos = place, t->a.flag = w->x.order, t->a.z = w->z->data;
    return t->a.n ? values(t, SPARSE_AT, t->a.n) : 0;
}

/* ---- dense results ----------------------------------------------------------------------------------------------- */
static int zeros(Task *t) {
    const ThArray *z = t->w->z;
    t->a.z = z->data;
    return z->size ? gpu_set(t->h, z->data, 0, (size_t)z->size * th_dtype_bytes((ThDtype)z->dtype)) : 0;
}

static int add_dense(Task *t) {
    const SparseWork *w = t->w;
    if (w->flag && zeros(t)) return 1;
    t->a.z = w->z->data;
    dense(&t->a, w->z, w->rows);
    t->a.flag = !w->x.order;
    return w->x.nnz ? values(t, SPARSE_TO_DENSE, w->x.order ? w->x.nnz : w->x.lines) : 0;
}

/* Numbers b by line, each times what stands at its place of a, or alone. */
static int lines_sum(Task *t, int64_t lines) {
    t->a.n = lines;
    return lines ? gpu_launch(t->h, &gpu_sparse_values, t->values, SPARSE_LINES_SUM, (lines + 63) / 64, &t->a) : 0;
}

/* By cuSPARSE, once a's places ascend in each line. */
static GpuDone dot_by_library(Task *t, int64_t n) {
    enum { WORTH = 1 << 18 };
    const SparseArgs *a = &t->a;
    const SparsePart *x = &a->x;
    GpuSparseProduct p = {.dtype = t->w->x.dtype, .lines = x->lines, .places = x->places, .nnz = x->nnz, .n = n};
    if (!t->w->x.order || !gpu_wants(t->h, x->nnz * n, WORTH)) return GPU_NOT;
    p.ptr = x->ptr, p.idx = x->idx, p.values = x->data, p.y = a->a, p.z = a->z;
    p.by_row = a->step_a, p.by_col = a->step_b;
    return gpu_sparse_product(t->h, &p);
}

static int dot(Task *t) {
    const SparseWork *w = t->w;
    SparseArgs *a = &t->a;
    int64_t item = (int64_t)w->x.item, n = w->z->ndim == 2 ? ARRAY_SHAPE(w->z)[1] : 1;
    if (!w->z->size) return 0;
    if (!w->rows && turn_over(t, NULL)) return 1;
    a->m = 0, a->n = n, a->a = w->a->data, a->b = a->x.data, a->z = w->z->data;
    a->step_a = ARRAY_STRIDES(w->a)[0] / item, a->step_b = w->a->ndim == 2 ? ARRAY_STRIDES(w->a)[1] / item : 0;
    GpuDone done = dot_by_library(t, n);
    if (done != GPU_NOT) return done == GPU_FAILED;
    if (n == 1 && w->rows) return lines_sum(t, a->x.lines);
    return values(t, SPARSE_GATHER, a->x.lines * n);
}

static int dot_both(Task *t) {
    const SparseWork *w = t->w;
    if (!w->z->size || zeros(t)) return !w->z->size ? 0 : 1;
    dense(&t->a, w->z, w->rows);
    t->a.flag = w->y.order;
    return gpu_launch(t->h, &gpu_sparse_values, t->values, SPARSE_BOTH, w->x.lines, &t->a);
}

static int rows_dot(Task *t) {
    const SparseWork *w = t->w;
    t->a.a = w->a->data, t->a.b = w->b->data, t->a.z = w->z->data, t->a.n = ARRAY_SHAPE(w->a)[1];
    return gpu_launch(t->h, &gpu_sparse_values, t->values, SPARSE_ROWS_DOT, (w->x.nnz + 31) / 32, &t->a);
}

static int take_dense(Task *t) {
    const SparseWork *w = t->w;
    t->a.a = w->a->data, t->a.z = w->z->data;
    dense(&t->a, w->a, w->rows);
    return w->x.nnz ? values(t, SPARSE_TAKE_DENSE, w->x.nnz) : 0;
}

static int take(Task *t) {
    const SparseWork *w = t->w;
    i64 *same;
    int64_t n = w->x.nnz > w->x.lines ? w->x.nnz : w->x.lines + 1;
    t->a.z = w->z->data;
    if (!w->x.nnz) return 0;
    if (!words(t, 0, &same) || gpu_set(t->h, (char *)same, w->x.nnz == w->y.nnz, sizeof *same)) return 1;
    t->a.work = same;
    if (w->x.nnz == w->y.nnz && places(t, PLACES_DIFFER, n)) return 1;
    if (ordered(t, &w->x, 1, same) || ordered(t, &w->y, 2, same)) return 1;
    return values(t, SPARSE_TAKE, w->x.nnz);
}

static int spread(Task *t) {
    t->a.a = t->w->a->data, t->a.z = t->w->z->data;
    t->a.by_line = t->w->flag, t->a.by_place = !t->w->flag;
    return t->w->x.nnz ? values(t, SPARSE_TAKE_DENSE, t->w->x.nnz) : 0;
}

static int sum(Task *t) {
    const SparseWork *w = t->w;
    if (!w->flag && turn_over(t, w->a->data)) return 1;
    t->a.m = 0, t->a.a = NULL, t->a.b = w->flag ? w->a->data : t->a.x.data, t->a.z = w->z->data;
    if (w->flag) return lines_sum(t, t->a.x.lines);
    t->a.n = 1, t->a.step_a = t->a.step_b = 0;
    return t->a.x.lines ? values(t, SPARSE_GATHER, t->a.x.lines) : 0;
}

/* Of all values: sums of chunks, then of these, until there is one. */
static int total(Task *t) {
    enum { CHUNK = 1024 };
    const SparseWork *w = t->w;
    SparseArgs *a = &t->a;
    size_t item = w->x.item;
    a->a = NULL, a->b = w->x.data;
    for (int64_t n = w->x.nnz;; n = (n + CHUNK - 1) / CHUNK) {
        bool last = n <= CHUNK;
        a->x.nnz = n, a->m = CHUNK;
        if (last) a->z = w->z->data;
        else if (!room(t, (n + CHUNK - 1) / CHUNK, item, &a->z)) return 1;
        if (lines_sum(t, last ? 1 : (n + CHUNK - 1) / CHUNK)) return 1;
        if (last) return 0;
        a->b = a->z;
    }
}

static int diagonal(Task *t) {
    t->a.z = t->w->z->data;
    return t->w->x.lines ? values(t, SPARSE_DIAGONAL, t->w->x.lines) : 0;
}

/* ---- products of two --------------------------------------------------------------------------------------------- */
enum { PRODUCTS = 1 << 24, FEW_PRODUCTS = 1 << 7 };

/* How many at once: an emulated GPU is slow and small, and tries the slices. */
static int64_t most_products(const Task *t) { return t->h->gpu->q->device->info.emulated ? FEW_PRODUCTS : PRODUCTS; }

/* How many products there are: work, up to each value of x; per_line (on the host), up to each line. The host waits. */
static int products(Task *t, const int64_t **per_line) {
    SparseArgs *a = &t->a;
    DeviceQueue *q = t->h->gpu->q;
    size_t bytes = (size_t)(a->x.lines + 1) * sizeof(i64);
    if (!words(t, a->x.nnz, &a->work) || !words(t, a->x.lines + 1, &a->sum)) return 1;
    if (a->x.nnz && (places(t, PLACES_WORK, a->x.nnz) || gpu_running_sums(t->h, a->work, a->x.nnz))) return 1;
    if (gpu_set(t->h, (char *)a->sum, 0, bytes) || places(t, PLACES_LINE_WORK, a->x.lines + 1)) return 1;
    int64_t *to = t->h->room(t->h, bytes);
    if (!to) return 1;
    *per_line = to;
    return gpu_status(t->h, q->device->op->copy_out(q, to, (DeviceAddress)(uintptr_t)a->sum, bytes)) ||
           gpu_status(t->h, q->device->op->wait(q));
}

/* The line behind those from `from` on that are done at once. */
static int64_t slice(const Task *t, const int64_t *per_line, int64_t lines, int64_t from) {
    int64_t to = from + 1;
    while (to < lines && per_line[to + 1] - per_line[from] <= most_products(t)) to++;
    return to;
}

/* Keys of products [first, first + n) in order; their values where these are wanted. */
static int expand(Task *t, int64_t first, int64_t n, char **v) {
    SparseArgs *a = &t->a;
    if (!words(t, n, &a->key) || (v && !room(t, n, th_dtype_bytes((ThDtype)t->values), v))) return 1;
    a->n = n, a->m = first;
    if (v) a->z = *v;
    if (n && ((v && values(t, SPARSE_PRODUCTS, n)) || choice(t, CHOICE_PRODUCTS, n))) return 1;
    return sorted(t, n);
}

static int true_dot(Task *t) {
    const int64_t *to;
    const SparseWork *w = t->w;
    if (lay(t, w->x.dtype, true) || products(t, &to)) return 1;
    GpuMark mark = gpu_mark(t->h);
    for (int64_t from = 0, end; from < w->lines; from = end) {
        char *v;
        end = slice(t, to, w->lines, from);
        if (expand(t, to[from], to[end] - to[from], &v) || fold(t, v, to[end] - to[from], from, end, true)) return 1;
        gpu_back(t->h, mark);
    }
    return close(t, false);
}

/* All products, where these are not too many; else the places that they fall on. */
static int dot_count(Task *t) {
    const int64_t *to;
    SparseArgs *a = &t->a;
    int64_t lines = t->w->x.lines;
    if (products(t, &to)) return 1;
    bool few = to[lines] <= most_products(t);
    a->z = t->w->z->data, a->flag = 0, a->n = 0, a->m = few ? to[lines] : 0;
    if (choice(t, CHOICE_TOTAL, 1)) return 1;
    GpuMark mark = gpu_mark(t->h);
    for (int64_t from = 0, end; from < lines && !few; from = end) {
        end = slice(t, to, lines, from);
        int64_t n = to[end] - to[from];
        if (expand(t, to[from], n, NULL) || groups(t, n)) return 1;
        a->z = t->w->z->data, a->flag = 1, a->n = n, a->m = 0;
        if (choice(t, CHOICE_TOTAL, 1)) return 1;
        gpu_back(t->h, mark);
    }
    return 0;
}

/* ---- the service ------------------------------------------------------------------------------------------------- */
static int (*const tasks[SPARSE_TASKS])(Task *t) = {
    [SPARSE_TASK_CSM] = csm,
    [SPARSE_TASK_WITH] = with,
    [SPARSE_TASK_SORT] = sort,
    [SPARSE_TASK_FOLD] = sort,
    [SPARSE_TASK_REMOVE0] = remove0,
    [SPARSE_TASK_TURN] = turned,
    [SPARSE_TASK_TRIPLETS] = triplets,
    [SPARSE_TASK_FROM_DENSE] = from_dense,
    [SPARSE_TASK_ADD_DENSE] = add_dense,
    [SPARSE_TASK_DOT] = dot,
    [SPARSE_TASK_DOT_BOTH] = dot_both,
    [SPARSE_TASK_DOT_COUNT] = dot_count,
    [SPARSE_TASK_TRUE_DOT] = true_dot,
    [SPARSE_TASK_ROWS_DOT] = rows_dot,
    [SPARSE_TASK_TAKE_DENSE] = take_dense,
    [SPARSE_TASK_TAKE] = take,
    [SPARSE_TASK_SPREAD] = spread,
    [SPARSE_TASK_SUM] = sum,
    [SPARSE_TASK_TOTAL] = total,
    [SPARSE_TASK_MERGE] = merge,
    [SPARSE_TASK_STACK] = stack,
    [SPARSE_TASK_DIAGONAL] = diagonal,
    [SPARSE_TASK_SQUARE] = square,
    [SPARSE_TASK_AT] = at,
    [SPARSE_TASK_CHOICE] = choice_count,
    [SPARSE_TASK_CHOOSE] = choose,
};

int gpu_sparse(HostCall *h, const SparseWork *w) {
    ThDtype d = w->a ? (ThDtype)w->a->dtype : w->task == SPARSE_TASK_TAKE ? w->y.dtype : w->x.dtype;
    Task t = {.h = h, .w = w, .values = variant_of(d)};
    t.a.x = part(&w->x), t.a.y = part(&w->y);
    return tasks[w->task](&t);
}
