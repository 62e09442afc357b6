/*
 * direct.c -- an elementwise kernel run without a frame: on arrays of one shape, on what is broadcast to that
 * (spread.c), and on numbers. In: a plan of one such kernel, addresses of arguments and results. Always holds: the same
 * block kernels as in the loops of interp.c, hence the same bits; nothing fails, no memory is taken.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

struct InterpDirect {
    const IKernel *ik;
    const SimdTable *simd;
    int *code, ncode, once; /* value ids in order: the first `once` are uniform */
    bool straight;          /* one block kernel from memory to memory: it may run on all elements at once.. */
    bool numbers;           /* ..but for numbers among its operands, which fill a block */
    int16_t *at;            /* by access: number of the argument, -1 - number of the result, or FIXED */
    const char **fixed;     /* by access: address of a constant array's element */
    char **block;           /* by value: a block of the number that it is, or NULL */
    bool *each;             /* by value: it is one for each element of the result */
    int *load, nload;       /* by value: number of the load */
    size_t row_bytes;       /* of rows that loads may repeat */
    SimdFn past;            /* what runs on all elements at once, past the caches; or NULL */
    SimdFn exp, log1p;      /* those of logaddexp of float64; or NULL */
};
enum { FIXED = INT16_MAX, MOST_LOADS = 8 };

/* ---- which plans ---- */
static bool plain(const Access *a) { return a->idx < 0 && a->guard < 0 && !(a->flags & (ACC_ADD | ACC_ROWTEMP)); }

static bool suits(const Plan *p) {
    if (p->nstep != 1 || p->step[0].kind != STEP_KERNEL || p->nshared || p->nupdate) return false;
    const Kernel *k = p->kernel[p->step[0].kernel];
    if (k->st.n != 1 || k->st.at[0].cls != STAGE_LOOP || k->red.n || k->can_fail) return false;
    for (int i = 0; i < k->acc.n; i++)
        if (!plain(&k->acc.at[i])) return false;
    for (int i = 0; i < k->ins.n; i++) {
        int op = k->ins.at[i].op;
        if (op >= INS_LOAD && op != INS_LOAD && op != INS_STORE && op != INS_PARAM && op != INS_CONST && op != INS_CAST)
            return false;
    }
    return true;
}

/* Where an access leads: an argument, a result, a number of the plan's. */
static bool resolve(const Plan *p, const Step *s, const Kernel *k, int i, InterpDirect *d) {
    const PlanBuf *b = &p->buf[s->buf[k->acc.at[i].buf]];
    if (b->kind == BUF_INPUT) return d->at[i] = (int16_t)b->index, true;
    if (b->kind == BUF_CONST && p->constant[b->index]->size == 1) {
        d->at[i] = FIXED;
        d->fixed[i] = p->constant[b->index]->data;
        return true;
    }
    for (int r = 0; r < p->noutput && b->kind == BUF_OUTPUT; r++)
        if (p->result[r].buf == s->buf[k->acc.at[i].buf]) return d->at[i] = (int16_t)(-1 - r), true;
    return false;
}

/* Arrays have something for each element of the result, also those that the kernel's inner loop sees as a number, and
 * so has what is computed with them. */
static bool is_each(const Plan *p, const Step *s, const InterpDirect *d, int id) {
    const IIns *i = &d->ik->ins[id];
    int v[6];
    if (i->ins->op == INS_LOAD || i->ins->op == INS_STORE)
        return d->at[i->ins->a] != FIXED && p->buf[s->buf[d->ik->k->acc.at[i->ins->a].buf]].ndim > 0;
    const int n = ins_reads(d->ik->k, i->ins, v);
    for (int j = 0; j < n; j++)
        if (d->each[v[j]]) return true;
    return false;
}

/* The instructions of the blocks, or those before them. */
static bool append(const InterpUnit *u, const Step *s, InterpDirect *d, bool each) {
    for (int j = 0; j < d->ik->order.ncode; j++) {
        int id = d->ik->order.code[j];
        const IIns *i = &d->ik->ins[id];
        if (d->block[id]) continue;
        if (i->ins->op == INS_PARAM || i->ins->op == INS_CONST) {
            if (!(d->block[id] = arena_alloc(u->arena, (size_t)i->bytes * SIMD_BLOCK))) return false;
            interp_number(s, i->ins, d->block[id], SIMD_BLOCK);
            continue;
        }
        if (i->fails) return false;
        if (!each) d->each[id] = is_each(u->plan, s, d, id);
        if (d->each[id] != each) continue;
        d->code[d->ncode++] = id;
        if (!each || i->ins->op != INS_LOAD) continue;
        d->load[id] = d->nload++;
        d->row_bytes += (size_t)i->bytes * (SPREAD_ROW + SIMD_BLOCK);
    }
    return true;
}

/* Each block instruction reads arrays where they lie, or computes from such reads, and from numbers, in one step what
 * is stored next. */
static bool is_straight(const InterpDirect *d, const Plan *p, const Step *s, bool *numbers) {
    const IKernel *ik = d->ik;
    *numbers = false;
    for (int j = d->once; j < d->ncode; j++) {
        const IIns *i = &ik->ins[d->code[j]];
        if (i->ins->op == INS_STORE) continue;
        if (i->ins->op == INS_LOAD) {
            if (p->buf[s->buf[ik->k->acc.at[i->ins->a].buf]].ndim == 0) return false;
            continue;
        }
        if (i->nmicro != 1 || i->into < 0) return false;
        const IMicro *m = &ik->micro.at[i->micro];
        for (int o = 0; o < 3; o++) {
            if (m->in[o].value < 0 && m->in[o].base != NULL) return false;
            if (m->in[o].value < 0) continue;
            const IIns *v = &ik->ins[m->in[o].value];
            if (!d->each[m->in[o].value]) *numbers = true;
            else if (v->ins->op != INS_LOAD) return false;
        }
    }
    return true;
}

#ifdef __OPTIMIZE_SIZE__
static SimdFn past_of(const InterpUnit *u, const InterpDirect *d) { return (void)u, (void)d, NULL; }
#else
static SimdFn past_of(const InterpUnit *u, const InterpDirect *d) {
    SimdFn past = NULL;
    for (int j = d->once; j < d->ncode && d->straight && !d->numbers; j++) {
        const IIns *i = &d->ik->ins[d->code[j]];
        for (int p = 0; i->nmicro == 1 && p < SIMD_PRIMS; p++)
            if (u->simd->past[p] && d->ik->micro.at[i->micro].fn == simd_prim(u->simd, p, TH_FLOAT64))
                past = u->simd->past[p];
    }
    return past;
}
#endif

/* What logaddexp's block kernels go through, for those that go step by step. */
static void find_parts(const InterpUnit *u, InterpDirect *d) {
    const SimdFn exp = simd_prim(u->simd, P_exp, TH_FLOAT64), log1p = simd_prim(u->simd, P_log1p, TH_FLOAT64);
    for (int j = d->once; j < d->ncode; j++) {
        const IIns *i = &d->ik->ins[d->code[j]];
        if (i->ins->op != S_logaddexp || i->ins->dtype != TH_FLOAT64) continue;
        for (int k = 0; k < i->nmicro; k++) {
            const SimdFn fn = d->ik->micro.at[i->micro + k].fn;
            if (fn == exp) d->exp = fn;
            if (fn == log1p) d->log1p = fn;
        }
    }
}

const InterpDirect *interp_direct(const InterpUnit *u) {
    const Plan *p = u->plan;
    if (!suits(p)) return NULL;
    const Step *s = &p->step[0];
    const IKernel *ik = &u->kernel[s->kernel];
    const Kernel *k = ik->k;
    InterpDirect *d = arena_alloc0(u->arena, sizeof *d);
    if (!d) return NULL;
    d->ik = ik, d->simd = u->simd;
    d->code = arena_alloc(u->arena, sizeof *d->code * (size_t)(ik->order.ncode + 1));
    d->at = arena_alloc0(u->arena, sizeof *d->at * (size_t)(k->acc.n + 1));
    d->fixed = arena_alloc0(u->arena, sizeof *d->fixed * (size_t)(k->acc.n + 1));
    d->block = arena_alloc0(u->arena, sizeof *d->block * (size_t)(k->ins.n + 1));
    d->each = arena_alloc0(u->arena, sizeof *d->each * (size_t)(k->ins.n + 1));
    d->load = arena_alloc0(u->arena, sizeof *d->load * (size_t)(k->ins.n + 1));
    if (!d->code || !d->at || !d->fixed || !d->block || !d->each || !d->load) return NULL;
    for (int i = 0; i < k->acc.n; i++)
        if (!resolve(p, s, k, i, d)) return NULL;
    if (!append(u, s, d, false)) return NULL;
    d->once = d->ncode;
    if (!append(u, s, d, true)) return NULL;
    d->straight = is_straight(d, p, s, &d->numbers);
    d->past = past_of(u, d);
    find_parts(u, d);
    return d;
}

static size_t row_offset(const InterpDirect *d) { return (d->ik->reg_bytes + 63) / 64 * 64; }

size_t interp_direct_room(const InterpDirect *d, bool spread) { return row_offset(d) + (spread ? d->row_bytes : 0); }

bool interp_direct_spreads(const InterpDirect *d) { return d->nload <= MOST_LOADS; }

/* ---- results past the caches ---- */
#if defined __SSE2__ && !defined __OPTIMIZE_SIZE__
enum { FAR = 64 << 20 }; /* bytes of a result, which no cache holds until somebody reads it */
typedef long long Part __attribute__((vector_size(16)));
#ifdef __clang__
#define STORE_PAST(to, v) __builtin_nontemporal_store(v, (Part *)(void *)(to))
#else
#define STORE_PAST(to, v) __builtin_ia32_movntdq((Part *)(void *)(to), v)
#endif
/* As memcpy, without reading what is overwritten. */
static void past_caches(char *to, const char *from, size_t bytes) {
    if ((uintptr_t)to % sizeof(Part)) bytes = (memcpy(to, from, bytes), 0);
    for (; bytes >= sizeof(Part); bytes -= sizeof(Part), to += sizeof(Part), from += sizeof(Part)) {
        Part v;
        memcpy(&v, from, sizeof v);
        STORE_PAST(to, v);
    }
    memcpy(to, from, bytes);
}
static void all_stored(void) { __builtin_ia32_sfence(); }
#else
enum { FAR = 0 }; /* never */
static void past_caches(char *to, const char *from, size_t bytes) { memcpy(to, from, bytes); }
static void all_stored(void) {}
#endif

/* ---- running ---- */
typedef struct Run {
    const InterpDirect *d;
    char *regs, **value; /* by value: where its block is */
    const DirectCall *c;
    int64_t pos, len, padded, room; /* of the block; room: of the longest one, in which uniform values are repeated */
    bool far;                       /* results go past the caches, a block at a time */
    SpreadWalk walk[MOST_LOADS];    /* by load, where the call has spreads */
} Run;

static bool goes_far(const Run *r) { return FAR && r->far; }

/* The access's elements, and whether they are one number. */
static char *base(const Run *r, int access, bool *number) {
    int at = r->d->at[access];
    *number = at == FIXED || (at >= 0 && r->c->number[at]);
    return at == FIXED ? (char *)r->d->fixed[access] : at >= 0 ? r->c->in[at] : r->c->out[-1 - at];
}

/* From one element of the access to the next, where they do not lie side by side. */
static int64_t spread_of(const Run *r, int access) {
    const int at = r->d->at[access];
    return r->c->step && at >= 0 && at != FIXED ? r->c->step[at] : 0;
}

/* The last element again, up to the end of the padding: a few. */
static void pad(char *p, size_t bytes, int64_t n, int64_t padded) {
    uint64_t x;
    if (bytes != sizeof x) {
        interp_replicate(p, bytes, n, padded);
        return;
    }
    memcpy(&x, p + (size_t)(n - 1) * bytes, bytes);
    for (; n < padded; n++) memcpy(p + (size_t)n * bytes, &x, bytes);
}

/* How an argument is spread over the result, or NULL. */
static const DirectSpread *spread_over(const Run *r, int access) {
    const int at = r->d->at[access];
    return r->c->spread && at >= 0 && at != FIXED && r->c->spread[at].n ? &r->c->spread[at] : NULL;
}

static void load_spread(Run *r, int id, const IIns *i, const DirectSpread *w) {
    SpreadWalk *k = &r->walk[r->d->load[id]];
    const bool whole = r->len == r->padded;
    char *reg = r->regs + i->reg;
    if (k->row) r->value[id] = k->row + r->pos % w->len[0] * i->bytes;
    else r->value[id] = (char *)interp_spread(w, k, r->len, i->bytes, whole, reg);
    if (!whole && !k->row) pad(reg, i->bytes, r->len, r->padded);
}

static void load(Run *r, int id, const IIns *i) {
    bool number;
    char *p = base(r, i->ins->a, &number), *reg = r->regs + i->reg;
    if (number || !r->d->each[id]) {
        memcpy(reg, p, i->bytes);
        interp_replicate(reg, i->bytes, 1, r->room);
        return;
    }
    const DirectSpread *w = spread_over(r, i->ins->a);
    if (w) {
        load_spread(r, id, i, w);
        return;
    }
    const int64_t step = spread_of(r, i->ins->a);
    if (step) {
        interp_gather(r->d->simd, reg, p + r->pos * step, step, i->bytes, r->len);
        pad(reg, i->bytes, r->len, r->padded);
        return;
    }
    p += r->pos * i->bytes;
    r->value[id] = r->len == r->padded ? p : reg;
    if (r->len == r->padded) return;
    memcpy(reg, p, (size_t)r->len * i->bytes);
    pad(reg, i->bytes, r->len, r->padded);
}

/* All of a long block by its one kernel, a piece at a time: the numbers among the operands are as long as that. */
static void by_pieces(const Run *r, const IMicro *m, int64_t n, char *result, int64_t bytes) {
    const IIns *ins = r->d->ik->ins;
    const char *in[3];
    int64_t step[3];
    for (int j = 0; j < 3; j++) {
        const int v = m->in[j].value;
        in[j] = v >= 0 ? r->value[v] : r->regs + m->in[j].off;
        step[j] = v >= 0 && r->d->each[v] ? ins[v].bytes * (int64_t)SIMD_BLOCK : 0;
    }
    for (; n > 0; n -= SIMD_BLOCK, result += bytes * SIMD_BLOCK) {
        m->fn(n < SIMD_BLOCK ? n : SIMD_BLOCK, result, in[0], in[1], in[2]);
        for (int j = 0; j < 3; j++) in[j] += step[j];
    }
}

static void compute(Run *r, int id, const IIns *i) {
    bool number, straight = i->into >= 0 && r->len == r->padded && !goes_far(r);
    char *result = r->regs + i->reg;
    if (straight) result = base(r, r->d->ik->ins[i->into].ins->a, &number) + r->pos * i->bytes;
    const bool each = r->d->each[id];
    int64_t n = each ? r->padded : SIMD_PAD;
    const IMicro *m = r->d->ik->micro.at + i->micro, *end = m + i->nmicro;
    if (n > SIMD_BLOCK && r->d->numbers) {
        by_pieces(r, m, n, result, i->bytes);
        m = end;
    }
    for (; m < end; m++) {
        const char *in[3];
        for (int j = 0; j < 3; j++) {
            const IOpnd *o = &m->in[j];
            in[j] = o->value >= 0 ? r->value[o->value] : (o->base ? o->base : r->regs) + o->off;
        }
        const bool past = FAR && r->d->past && straight && n >= FAR / 8 && (uintptr_t)result % 64 == 0;
        (past ? r->d->past : m->fn)(n, m == end - 1 ? result : r->regs + m->out, in[0], in[1], in[2]);
    }
    r->value[id] = result;
    if (!each) interp_replicate(result, i->bytes, 1, r->room);
}

/* Is an operand as large as the result? */
static bool is_large(const Run *r, const IIns *i) {
    const DirectSpread *w = spread_over(r, i->ins->a);
    bool all = true;
    for (int d = 0; w && d < w->n; d++) all &= w->step[d] != 0;
    return all;
}

/* Large results of one array at most: blocks of two that come from memory in turns wait for each other. Nor where one
 * kernel reads and writes all of it at once: it is as fast. */
static bool is_far(const Run *r) {
    const bool pieces = !r->d->straight || r->d->numbers || r->c->step || r->c->spread;
    int large = 0;
    if (!FAR || r->c->n < FAR / (int)sizeof(ThComplex128)) return false;
    for (int j = r->d->once; j < r->d->ncode; j++) {
        const IIns *i = &r->d->ik->ins[r->d->code[j]];
        if (i->nmicro && !pieces) return false;
        if (i->ins->op == INS_LOAD) large += is_large(r, i);
        if (i->ins->op == INS_STORE && r->c->n * r->d->ik->ins[i->ins->b].bytes < FAR) return false;
    }
    return large <= 1;
}

static void store(Run *r, const IIns *i) {
    bool number;
    size_t bytes = th_dtype_bytes(r->d->ik->k->acc.at[i->ins->a].dtype);
    char *to = base(r, i->ins->a, &number) + r->pos * (int64_t)bytes;
    const char *v = r->value[i->ins->b];
    if (goes_far(r)) past_caches(to, v, (size_t)r->len * bytes);
    else if (v != to) memcpy(to, v, (size_t)r->len * bytes);
}

static void one(Run *r, int id) {
    const IIns *i = &r->d->ik->ins[id];
    if (i->ins->op == INS_LOAD) load(r, id, i);
    else if (i->ins->op == INS_STORE) store(r, i);
    else compute(r, id, i);
}

static int64_t padded(int64_t n) { return (n + SIMD_PAD - 1) / SIMD_PAD * SIMD_PAD; }

/* Elements of the next block. What goes from memory to memory is taken but for a last few, which are padded. */
static int64_t next(const Run *r) {
    const bool whole = r->d->straight && !r->c->step && !r->c->spread && !goes_far(r);
    const int64_t left = r->c->n - r->pos;
    if (!whole) return left < SIMD_BLOCK ? left : SIMD_BLOCK;
    return left > SIMD_PAD ? left / SIMD_PAD * SIMD_PAD : left;
}

/* At the first element of what is spread; rows that are repeated stand behind the registers. */
static void begin(Run *r) {
    const InterpDirect *d = r->d;
    char *row = r->regs + row_offset(d);
    bool number;
    for (int j = d->once; j < d->ncode; j++) {
        const IIns *i = &d->ik->ins[d->code[j]];
        const DirectSpread *w = i->ins->op == INS_LOAD ? spread_over(r, i->ins->a) : NULL;
        if (!w) continue;
        SpreadWalk *k = &r->walk[d->load[d->code[j]]];
        memset(k, 0, sizeof *k);
        k->p = base(r, i->ins->a, &number);
        k->simd = d->simd;
        const int64_t n = interp_spread_row(w, r->c->n, i->bytes);
        if (!n) continue;
        interp_spread(w, k, n, i->bytes, false, row);
        k->row = row;
        row += n * i->bytes;
    }
}

void interp_direct_run(const InterpDirect *d, const DirectCall *c, char *regs) {
    const IKernel *ik = d->ik;
    Run r;
    r.d = d, r.regs = regs, r.value = (char **)(void *)(regs + ik->at), r.c = c;
    r.pos = 0;
    r.far = is_far(&r);
    r.room = c->n < SIMD_BLOCK ? padded(c->n) : SIMD_BLOCK;
    r.len = 1, r.padded = SIMD_PAD;
    for (int i = 0; i < ik->k->ins.n; i++) r.value[i] = d->block[i] ? d->block[i] : regs + ik->ins[i].reg;
    for (int j = 0; j < d->once; j++) one(&r, d->code[j]);
    if (d->once == d->ncode) return;
    if (c->spread) begin(&r);
    for (; r.pos < c->n; r.pos += r.len) {
        r.len = next(&r);
        r.padded = padded(r.len);
        for (int j = d->once; j < d->ncode; j++) one(&r, d->code[j]);
    }
    if (goes_far(&r)) all_stored();
}

/* ---- a chain of numbers ---- */
enum { WIDE = 256 /* elements that are tried at once, most */, MOST_LINKS = 32 };
/* Elements that change a value of float64, each of them, up to the first that does not: how many. */
typedef int64_t Steps(int64_t n, void *value, const void *x, void *to);
#define STEPS(name, expr) \
    static int64_t name##_steps(int64_t n, void *value, const void *x, void *to) { \
        double a, b, then, *o = to; \
        int64_t i = 0; \
        for (memcpy(&a, value, sizeof a); i < n; i++, a = then) { \
            b = ((const double *)x)[i]; \
            then = expr; \
            if (memcmp(&then, &a, sizeof a) == 0) break; \
            if (o) o[i] = then; \
        } \
        memcpy(value, &a, sizeof a); \
        return i; \
    }
/* The block kernels' expressions. */
#define IN_REGISTERS(X) \
    X(true_div, a / b) \
    X(maximum, a >= b || a != a ? a : b) \
    X(minimum, a <= b || a != a ? a : b) X(fmax, a >= b || b != b ? a : b) X(fmin, a <= b || b != b ? a : b)
IN_REGISTERS(STEPS)

static Steps *steps_of(int op, ThDtype d) {
#define ONE(name, expr) \
    if (op == S_##name && d == TH_FLOAT64) return name##_steps;
    IN_REGISTERS(ONE)
#undef ONE
    return NULL;
}

typedef struct Chain {
    int compute, arg[2]; /* value ids: the one operation, and what it is of */
    size_t bytes;
    int64_t wide;     /* so many elements of a block are the value so far.. */
    char *now, *next; /* ..this one; what comes of it.. */
    const char *with; /* ..and of these elements */
    const IMicro *micro;
    int last;
    Steps *steps;                            /* the operation in registers, or NULL.. */
    SimdFn exp, log1p;                       /* ..or logaddexp's parts */
    const char *const *where[MOST_LINKS][3]; /* the operands of each of the operation's block kernels.. */
    const char *fixed[MOST_LINKS][3];        /* ..which are these, where they stay.. */
    char *out[MOST_LINKS];                   /* ..and its result; the last one's is `next` */
} Chain;

/* Loads of two arguments, an operation, a store. */
static bool is_chain(const InterpDirect *d, Chain *h) {
    h->compute = h->arg[0] = h->arg[1] = -1;
    h->wide = 1, h->steps = NULL, h->exp = d->exp, h->log1p = d->log1p;
    for (int j = d->once; j < d->ncode; j++) {
        const int id = d->code[j];
        const IIns *i = &d->ik->ins[id];
        if (i->ins->op == INS_STORE) continue;
        if (i->ins->op == INS_LOAD) {
            const int at = d->at[i->ins->a];
            if (at < 0 || at > 1 || h->arg[at] >= 0) return false;
            h->arg[at] = id;
        } else {
            if (h->compute >= 0 || !i->nmicro || i->nmicro > MOST_LINKS) return false;
            h->compute = id, h->bytes = i->bytes;
            h->steps = steps_of(i->ins->op, (ThDtype)i->ins->dtype);
        }
    }
    return d->once == 0 && h->compute >= 0 && h->arg[0] >= 0 && h->arg[1] >= 0;
}

/* Where an operand is found: the value so far, the elements, or what stays at its place. */
static const char *const *found(const InterpDirect *d, Chain *h, const IOpnd *o, const char **fixed, char *regs) {
    if (o->value >= 0 && o->value == h->arg[0]) return (const char *const *)&h->now;
    if (o->value >= 0 && o->value == h->arg[1]) return &h->with;
    *fixed = o->value >= 0 ? d->block[o->value] : (o->base ? o->base : regs) + o->off;
    return fixed;
}

static void hold(const InterpDirect *d, Chain *h, char *regs) {
    const IIns *i = &d->ik->ins[h->compute];
    h->micro = d->ik->micro.at + i->micro, h->last = i->nmicro - 1;
    for (int k = 0; k <= h->last; k++) {
        h->out[k] = regs + h->micro[k].out;
        for (int j = 0; j < 3; j++) h->where[k][j] = found(d, h, &h->micro[k].in[j], &h->fixed[k][j], regs);
    }
}

/* n elements of the operation. */
static void link(const Chain *h, int64_t n) {
    int k = 0;
    for (; k < h->last; k++) h->micro[k].fn(n, h->out[k], *h->where[k][0], *h->where[k][1], *h->where[k][2]);
    h->micro[k].fn(n, h->next, *h->where[k][0], *h->where[k][1], *h->where[k][2]);
}

static void turn(Chain *h) {
    char *const then = h->now;
    h->now = h->next, h->next = then;
}

/* How many of n elements at v come before the first that is not the one at x, of which n stand there. */
static int64_t alike(const char *v, const char *x, size_t bytes, int64_t n) {
    int64_t k = 0;
    for (int64_t step = n; step > 0; step = (step + (step > 1)) / 2)
        if (k + step <= n && memcmp(v + (size_t)k * bytes, x, (size_t)step * bytes) == 0) k += step;
    return k;
}

/* The same of logaddexp, up to the first NaN too, whose sign the block kernels know. */
static int64_t adding(Chain *h, int64_t n, const char *x, char *to) {
    _Alignas(64) double lane[SIMD_PAD] = {0};
    double a, b, then, *o = (double *)(void *)to;
    int64_t i = 0;
    for (memcpy(&a, h->now, sizeof a); i < n; i++, a = then) {
        memcpy(&b, x + i * (int64_t)sizeof b, sizeof b);
        lane[0] = -fabs(a - b);
        h->exp(1, lane, lane, NULL, NULL);
        h->log1p(1, lane, lane, NULL, NULL);
        then = a == b ? a + 0.6931471805599453 : (a >= b ? a : b) + lane[0];
        if (then != then || memcmp(&then, &a, sizeof a) == 0) break;
        if (o) memcpy(o + i, &then, sizeof then);
    }
    memcpy(h->now, &a, sizeof a);
    return i;
}

/* Elements that change the value, each of them, up to the first that does not: how many go step by step. */
static int64_t stepping(Chain *h, int64_t n, const char *x, char *to) {
    if (h->steps) return h->steps(n, h->now, x, to);
    return h->exp && h->log1p ? adding(h, n, x, to) : 0;
}

/* The same one by one: how many. */
static int64_t changing(Chain *h, int64_t n, const char *x, char *to) {
    const bool wide = h->bytes == 8, single = h->bytes == 4;
    int64_t i = 0;
    if (h->steps || (h->exp && h->log1p)) return stepping(h, n, x, to);
    for (; i < n && (wide || single); i++, x += h->bytes) {
        h->with = x;
        link(h, 1);
        if (wide ? memcmp(h->next, h->now, 8) == 0 : memcmp(h->next, h->now, 4) == 0) break;
        if (to && wide) memcpy(to + i * 8, h->next, 8);
        else if (to) memcpy(to + i * 4, h->next, 4);
        turn(h);
    }
    return i;
}

/* Most chains keep a value for long: several elements are tried with it at once, more where none of them changed it,
 * and what comes behind the first change is thrown away. As much as is padded can be read behind the n. */
static void chain(Chain *h, int64_t n, const char *x, char *to) {
    const size_t bytes = h->bytes;
    for (int64_t i = 0; i < n;) {
        const size_t at = (size_t)i * bytes;
        if (h->wide == 1) i += changing(h, n - i, x + at, to ? to + at : NULL);
        const int64_t w = h->wide < n - i ? h->wide : n - i;
        if (w == 0) return;
        h->with = x + (size_t)i * bytes;
        link(h, w == 1 ? 1 : padded(w));
        const int64_t k = alike(h->next, h->now, bytes, w), taken = k < w ? k + 1 : w;
        if (to) memcpy(to + (size_t)i * bytes, h->next, (size_t)taken * bytes);
        i += taken;
        if (k == 0) { /* it changes at once */
            turn(h);
            h->wide = 1;
        } else if (k == w) {
            const int64_t more = h->wide < SIMD_PAD ? SIMD_PAD : h->wide < WIDE ? 2 * h->wide : WIDE;
            interp_replicate(h->now, bytes, h->wide, more);
            h->wide = more;
        } else {
            memcpy(h->now, h->next + (size_t)k * bytes, bytes);
            interp_replicate(h->now, bytes, 1, h->wide = SIMD_PAD);
        }
    }
}

bool interp_direct_chain(const InterpDirect *d, int64_t n, char *value, const char *x, char *to, char *regs) {
    _Alignas(64) char room[2][WIDE * 16], last[2 * SIMD_PAD * 16];
    Chain h;
    if (!is_chain(d, &h)) return false;
    h.now = room[0], h.next = room[1];
    memcpy(h.now, value, h.bytes);
    const int64_t taken = stepping(&h, n, x, to);
    if ((n -= taken) == 0) return memcpy(value, h.now, h.bytes), true;
    x += (size_t)taken * h.bytes;
    if (to) to += (size_t)taken * h.bytes;
    hold(d, &h, regs);
    interp_replicate(h.now, h.bytes, 1, SIMD_PAD);
    const int64_t rest = n < SIMD_PAD ? n : SIMD_PAD - 1;
    const size_t at = (size_t)(n - rest) * h.bytes;
    chain(&h, n - rest, x, to);
    memcpy(last, x + at, (size_t)rest * h.bytes);
    interp_replicate(last, h.bytes, rest, rest + SIMD_PAD);
    chain(&h, rest, last, to ? to + at : NULL);
    memcpy(value, h.now, h.bytes);
    return true;
}

/* Every second element, padded. */
static void each_second(const SimdTable *simd, char *to, const char *from, size_t bytes, int64_t pairs) {
    interp_gather(simd, to, from, 2 * (int64_t)bytes, bytes, pairs);
    pad(to, bytes, pairs, padded(pairs));
}

bool interp_direct_pairs(const InterpDirect *d, int64_t n, const char *x, char *value, char *regs) {
    _Alignas(64) char left[WIDE / 2 * 16], right[WIDE / 2 * 16], both[(WIDE / 2 + 1) * 16];
    char odd[16];
    Chain h;
    if (n > WIDE || !is_chain(d, &h)) return false;
    h.now = left, h.next = both, h.with = right;
    hold(d, &h, regs);
    for (; n > 1; n = (n + 1) / 2, x = both) {
        const int64_t pairs = n / 2;
        each_second(d->simd, left, x, h.bytes, pairs);
        each_second(d->simd, right, x + h.bytes, h.bytes, pairs);
        memcpy(odd, x + (size_t)(n - 1) * h.bytes, h.bytes);
        link(&h, pairs <= SIMD_PAD / 2 ? SIMD_PAD / 2 : padded(pairs));
        if (n % 2) memcpy(both + (size_t)pairs * h.bytes, odd, h.bytes);
    }
    memcpy(value, x, h.bytes);
    return true;
}
