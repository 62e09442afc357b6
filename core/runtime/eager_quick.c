/*
 * eager_quick.c -- the second and later eager calls of a function on arrays of the same types: one compiled function
 * for the whole call instead of a graph built, walked and thrown away. In: a function's number and its arguments. Out:
 * results, or false: then the caller goes the long way, which also finds the words for what is wrong. Always holds: a
 * function is kept only where types, and the other arguments (axes, flags, lengths), decide everything about the graph:
 * operands are variables when it is built, and where an operand's value is needed for that nothing is kept.
 */
#include "eager.h"

#include "function.h"

#include "base/array/sparse.h"

#include <string.h>

enum { MOST_ARGS = 6, MOST_GIVEN = 8, MOST_LISTED = 8, MOST_OUT = 4, MOST_KEPT = 512, SLOTS = 1024 };
enum { SAID = 192, DEEPEST = 3, PAGE = 4096 };

typedef struct Quick {
    uint64_t key;
    struct Quick *next;
    ThFunction *fn;             /* NULL: the long way is the only one */
    const InterpDirect *direct; /* of fn's kernel, where it may run on arrays of one shape without a call; or NULL */
    uint64_t turn;              /* of the flags */
    int func, nargs, nout, nsaid;
    bool strided; /* its operands need not lie densely */
    bool spreads; /* direct may run on what is broadcast */
    ThType in[MOST_ARGS], out[MOST_OUT];
    char said[]; /* the other arguments */
} Quick;

typedef struct Kept {
    int pow, power, sqr, sqrt; /* numbers of these functions */
    int dot, matmul, mul;
    Quick *slot[SLOTS], *last[SLOTS]; /* by key; the last one by function */
    int n;
    char *room, *regs; /* regs: what direct kernels work in, at the beginning of a page, where no large buffer starts */
    size_t reg_bytes;
} Kept;

typedef struct Operands {                     /* of one call */
    ThArray *at[MOST_ARGS], *made[MOST_ARGS]; /* arrays; those made here of numbers, when they are wanted */
    ThComplex128 cell[MOST_ARGS];             /* numbers */
    ThType type[MOST_ARGS];
    int n, nsaid; /* nsaid: 0 where arrays are all there is */
    bool strided;
    bool alone; /* numbers are all there is */
    char said[SAID];
} Operands;

static void drop_all(ThContext *c, Kept *k) {
    for (int i = 0; i < SLOTS; i++)
        for (Quick *q = k->slot[i], *next; q; q = next) {
            next = q->next;
            th_function_release(q->fn);
            ctx_free(c, q, sizeof *q + (size_t)q->nsaid);
        }
    memset(k->slot, 0, sizeof k->slot);
    memset(k->last, 0, sizeof k->last);
    k->n = 0;
}

static void free_kept(ThContext *c, void *p) {
    Kept *k = p;
    drop_all(c, k);
    ctx_free(c, k->room, k->reg_bytes + PAGE);
    ctx_free(c, k, sizeof *k);
}

static Kept *kept(ThContext *c) {
    if (c->slot[CTX_EAGER]) return c->slot[CTX_EAGER];
    Kept *k = ctx_alloc0(c, sizeof *k);
    if (!k) return NULL;
    k->pow = th_func_find("pow"), k->power = th_func_find("power");
    k->sqr = th_func_find("sqr"), k->sqrt = th_func_find("sqrt");
    k->dot = th_func_find("dot"), k->matmul = th_func_find("matmul");
    k->mul = th_func_find("mul");
    c->slot[CTX_EAGER] = k;
    c->slot_free[CTX_EAGER] = free_kept;
    return k;
}

/* ---- operands ---- */
static bool is_number(const ThArg *a) {
    return a->kind == TH_ARG_INT || a->kind == TH_ARG_FLOAT || a->kind == TH_ARG_COMPLEX;
}

/* Numbers stand beside an array in operators only, and take the dtype that NumPy gives them there; elsewhere they are
 * axes, counts and sizes. */
static const ThDtype number_dtype[] = {
    [TH_ARG_INT] = TH_INT64, [TH_ARG_FLOAT] = TH_FLOAT64, [TH_ARG_COMPLEX] = TH_COMPLEX128};

static void number(Operands *o, const ThArg *a, ThDtype beside) {
    ThDtype d = dtype_beside(th_dtype_kind(number_dtype[a->kind]), a->kind == TH_ARG_INT ? a->i : 0, beside);
    dtype_cast((char *)&o->cell[o->n], d, 0, (const char *)&a->i, number_dtype[a->kind], 0, 1);
    o->type[o->n] = type_tensor(d, 0, 0);
    o->at[o->n++] = NULL;
}

/* Arrays of the numbers too. */
static bool whole(ThContext *c, Operands *o) {
    for (int i = 0; i < o->n; i++)
        if (!o->at[i] && !(o->at[i] = o->made[i] = array_scalar(c, (ThDtype)o->type[i].dtype, &o->cell[i])))
            return false;
    return true;
}

static bool array(Operands *o, ThArray *a) {
    if (!a || buffer_is_freed(a->buf) || array_is_sparse(a)) return false;
    uint32_t one = 0;
    for (int d = 0; d < a->ndim; d++) one |= (uint32_t)(ARRAY_SHAPE(a)[d] == 1) << d;
    o->type[o->n] = type_tensor((ThDtype)a->dtype, a->ndim, one);
    o->at[o->n++] = a;
    return true;
}

/* ---- the other arguments, as bytes ---- */
static bool say(Operands *o, const void *p, size_t n) {
    if (n > SAID - (size_t)o->nsaid) return false;
    memcpy(o->said + o->nsaid, p, n);
    o->nsaid += (int)n;
    return true;
}

static bool say_text(Operands *o, const char *s) { return say(o, s, strlen(s) + 1); }

/* An argument by its kind, keyword and value; lists as deep as they go. Arrays by their kind: they are operands, alone
 * or in a list of a few. */
static bool say_arg(Operands *o, const ThArg *a, int depth) {
    const char kind = (char)a->kind, named = depth == 0 && a->key; /* elements of lists have none */
    if (!say(o, &kind, 1) || !say(o, &named, 1) || (named && !say_text(o, a->key))) return false;
    switch (a->kind) {
    case TH_ARG_NONE: return true;
    case TH_ARG_ARRAY: return depth <= 1 && o->n < MOST_ARGS && array(o, a->array);
    case TH_ARG_BOOL: return say(o, &a->b, sizeof a->b);
    case TH_ARG_INT: return say(o, &a->i, sizeof a->i);
    case TH_ARG_FLOAT: return say(o, &a->f, sizeof a->f);
    case TH_ARG_COMPLEX: return say(o, &a->c, sizeof a->c);
    case TH_ARG_STR: return a->s && say_text(o, a->s);
    case TH_ARG_LIST: break;
    default: return false;
    }
    if (depth == DEEPEST || !say(o, &a->list.n, sizeof a->list.n)) return false;
    const int before = o->n;
    for (int i = 0; i < a->list.n; i++)
        if (!say_arg(o, &a->list.at[i], depth + 1)) return false;
    return o->n == before || a->list.n <= MOST_LISTED;
}

/* Numbers alone: whether they are operands is seen when the function is there, one of elements then. An integer
 * behind the first may be a parameter, which has no say in the result's dtype. */
static bool numbers(const ThArg *args, int nargs, bool operator_, Operands *o) {
    for (int i = 0; i < nargs; i++)
        if (args[i].key || !is_number(&args[i]) || (nargs > 1 && !operator_ && args[i].kind != TH_ARG_FLOAT))
            return false;
    if (nargs > MOST_ARGS) return false;
    for (int i = 0; i < nargs; i++) number(o, &args[i], number_dtype[args[i].kind]);
    return o->alone = true;
}

/* Arrays alone, or an operator's array and number. */
static bool plain_operands(int func, const ThArg *args, int nargs, Operands *o) {
    ThDtype beside = TH_DTYPE_NONE; /* of the array; operators have two operands */
    for (int i = 0; i < nargs; i++)
        if (args[i].kind == TH_ARG_ARRAY) beside = (ThDtype)args[i].array->dtype;
    const char *sign = th_func_info(func)->metamethod;
    if (beside == TH_UINT64 && sign && !strcmp(sign, "__div")) beside = TH_FLOAT64; /* u / -2 < 0 */
    for (int i = 0; i < nargs; i++) {
        if (args[i].kind != TH_ARG_ARRAY) number(o, &args[i], beside);
        else if (!array(o, args[i].array)) return false;
    }
    return true;
}

static bool operands(int func, const ThArg *args, int nargs, Operands *o) {
    bool operator_ = th_func_info(func)->metamethod != NULL, plain = true;
    int arrays = 0;
    if (nargs < 1 || nargs > MOST_GIVEN) return false;
    if (numbers(args, nargs, operator_, o)) return true;
    for (int i = 0; i < nargs; i++) {
        if (args[i].kind == TH_ARG_ARRAY && !args[i].array) return false; /* said by the long way */
        arrays += args[i].kind == TH_ARG_ARRAY;
        plain &= !args[i].key && (args[i].kind == TH_ARG_ARRAY || (operator_ && is_number(&args[i])));
    }
    if ((plain ? nargs : arrays) > MOST_ARGS) return false;
    if (plain) return arrays && plain_operands(func, args, nargs, o);
    for (int i = 0; i < nargs; i++)
        if (!say_arg(o, &args[i], 0)) return false;
    return o->n > 0;
}

/* A matrix times its own transpose, of which the product computes one half where it sees both as they lie. */
static bool own_transpose(const Kept *k, int func, const Operands *o) {
    const ThArray *a = o->at[0], *b = o->at[1];
    if ((func != k->dot && func != k->matmul) || o->n != 2 || o->nsaid || !a || !b) return false;
    return a->ndim == 2 && b->ndim == 2 && a->data == b->data && dtype_is_float((ThDtype)a->dtype) &&
           (a->flags & ARRAY_CONTIGUOUS) != (b->flags & ARRAY_CONTIGUOUS);
}

/* Flags that decide dtypes are part of the key. */
static uint64_t key_of(uint64_t turn, int func, const Operands *o) {
    uint64_t h = hash_mix((uint64_t)func + (o->strided ? 1u << 16 : 0), turn);
    h = hash_bytes(o->type, sizeof *o->type * (size_t)o->n, h);
    return o->nsaid ? hash_bytes(o->said, (size_t)o->nsaid, h) : h;
}

static bool same(const Quick *q, uint64_t turn, int func, const Operands *o) {
    if (q->turn != turn || q->func != func || q->nargs != o->n || q->nsaid != o->nsaid || q->strided != o->strided)
        return false;
    if (o->nsaid && memcmp(q->said, o->said, (size_t)o->nsaid) != 0) return false;
    for (int i = 0; i < o->n; i++)
        if (!type_eq(q->in[i], o->type[i])) return false;
    return true;
}

/* ---- the function of a call ---- */
/* The context keeps these functions: their constants (an axis that was left out) must not keep the context. */
static bool own_constants(Plan *plan) {
    for (int k = 0; k < plan->nconstant; k++) {
        ThArray *a = th_array_copy(plan->constant[k]);
        if (!a) return false;
        th_array_release(plan->constant[k]);
        plan->constant[k] = a;
        buffer_own(a->buf);
    }
    return true;
}

static ThFunction *function_of(ThContext *c, ThVar *const *in, const Operands *o, ThVar *const *out, int nout) {
    ThIn ins[MOST_ARGS] = {{0}};
    ThOut outs[MOST_OUT] = {{0}};
    PlanIo io[MOST_ARGS], oo[MOST_OUT];
    memset(io, 0, sizeof io);
    memset(oo, 0, sizeof oo);
    for (int i = 0; i < o->n; i++) {
        io[i].type = o->type[i], io[i].strided = o->strided;
        ins[i].allow_downcast = -1;
    }
    for (int i = 0; i < nout; i++) oo[i].type = out[i]->type;
    FGraph *fg = fg_new(c, in, o->n, out, nout, NULL, NULL, 0, true);
    Plan *plan = fg ? plan_make(fg, io, o->n, oo, nout) : NULL;
    const FunctionSpec s = {
        .plan = plan, .in = ins, .nin = o->n, .out = outs, .nout = nout, .allow_input_downcast = -1, .internal = true};
    ThFunction *f = plan && own_constants(plan) ? function_new(c, &s) : NULL;
    plan_release(plan);
    if (fg) fg_free(fg);
    return f;
}

/* Every result is computed: one that is an operand itself would be a copy of it here. */
static bool computed(ThVar *const *out, int n) {
    for (int i = 0; i < n; i++)
        if (!out[i]->owner || out[i]->type.kind != TYPE_TENSOR) return false;
    return true;
}

/* A tensor with dimensions in front, as broadcasting gives it. */
static bool is_broadcast(const ThApply *a) {
    if (a->op != &op_dimshuffle) return false;
    const int ndim = a->out[0]->type.ndim, before = ndim - a->in[0]->type.ndim;
    for (int d = before; d >= 0 && d < ndim; d++)
        if (dimshuffle_source(a->out[0], d) != d - before) return false;
    return before > 0;
}

/* Each element of the results is one of the operands' elements at that place, and of numbers; their shape is that which
 * the operands have together. all: every operand takes part in it. */
static bool elementwise(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int n, bool *all) {
    ApplyVec order = {0};
    bool fine = graph_toposort(c, out, n, NULL, 0, &order), used[MOST_ARGS] = {false};
    for (int i = 0; i < order.n; i++) {
        const ThApply *a = order.at[i];
        fine &= (a->op->flags & OP_ELEMWISE) || is_broadcast(a);
        for (int j = 0; j < a->nin; j++)
            for (int k = 0; k < nin; k++) used[k] |= a->in[j] == in[k];
    }
    int ndim = 0;
    *all = true;
    for (int k = 0; k < nin; k++) {
        *all &= used[k];
        if (in[k]->type.ndim > ndim) ndim = in[k]->type.ndim;
    }
    for (int i = 0; i < n; i++) fine &= out[i]->type.ndim == ndim;
    vec_free(c, &order);
    return fine;
}

/* A list of a few with Variables for the arrays in it, made in `room`; k: the operands before it. */
static int variables_in(ThArg *list, ThArg *room, ThVar *const *in, int k) {
    const ThArg *at = list->list.at;
    const int n = list->list.n, before = k;
    for (int i = 0; i < n && n <= MOST_LISTED; i++) {
        room[i] = at[i];
        if (at[i].kind == TH_ARG_ARRAY) room[i] = (ThArg){.kind = TH_ARG_VAR, .key = at[i].key, .var = in[k++]};
    }
    if (k > before) list->list.at = room;
    return k;
}

/* given: the call's arguments, of which the operands become variables. */
static void prepare(ThContext *c, int func, const Operands *o, const ThArg *given, int nargs, Quick *q) {
    ThVar *in[MOST_ARGS] = {0}, *out[MOST_OUT] = {0};
    ThArg args[MOST_GIVEN], listed[MOST_GIVEN][MOST_LISTED];
    bool ok = true;
    memcpy(args, given, sizeof *args * (size_t)nargs);
    for (int k = 0; ok && k < o->n; k++) ok = (in[k] = th_variable_new(c, o->type[k], NULL)) != NULL;
    for (int i = 0, k = 0; ok && i < nargs; i++) {
        if (given[i].kind == TH_ARG_LIST) k = variables_in(&args[i], listed[i], in, k);
        else if (!o->nsaid || given[i].kind == TH_ARG_ARRAY)
            args[i] = (ThArg){.kind = TH_ARG_VAR, .key = given[i].key, .var = in[k++]};
    }
    int n = ok ? ops_build(c, false, func, args, nargs, out, MOST_OUT) : -1;
    if (n > 0 && n <= MOST_OUT && computed(out, n)) q->fn = function_of(c, in, o, out, n);
    q->nout = n > 0 ? n : 0;
    for (int i = 0; i < n && i < MOST_OUT; i++) q->out[i] = out[i]->type;
    bool all;
    if (q->fn && elementwise(c, in, o->n, out, n, &all) && (q->direct = interp_direct(q->fn->interp)))
        q->spreads = all && n == 1 && interp_direct_spreads(q->direct);
    for (int i = 0; i < n && i < MOST_OUT; i++) th_var_release(out[i]);
    for (int i = 0; i < o->n; i++) th_var_release(in[i]);
    if (failed(c)) th_error_clear(c);
}

/* Calls with other arguments than arrays are prepared when they come again: these may be different at each call. */
static Quick *find(ThContext *c, Kept *k, int func, const Operands *o, const ThArg *args, int nargs) {
    uint64_t turn = config_turn(c);
    Quick *q = k->last[func % SLOTS];
    if (q && q->nout >= 0 && same(q, turn, func, o)) return q;
    uint64_t key = key_of(turn, func, o);
    q = k->slot[key % SLOTS];
    while (q && (q->key != key || !same(q, turn, func, o))) q = q->next;
    if (q) {
        if (q->nout < 0) prepare(c, func, o, args, nargs, q);
        return k->last[func % SLOTS] = q;
    }
    if (k->n >= MOST_KEPT) drop_all(c, k);
    if (!(q = ctx_alloc0(c, sizeof *q + (size_t)o->nsaid))) return NULL;
    q->key = key, q->turn = turn, q->func = func, q->nargs = o->n, q->nsaid = o->nsaid, q->nout = -1;
    q->strided = o->strided;
    q->next = k->slot[key % SLOTS];
    memcpy(q->in, o->type, sizeof o->type);
    memcpy(q->said, o->said, (size_t)o->nsaid);
    k->slot[key % SLOTS] = q;
    k->n++;
    if (!o->nsaid) prepare(c, func, o, args, nargs, q);
    return q;
}

/* ---- without a call ---- */
/* Whether a's elements lie in order, each as far from the next: how far, or 0 where they lie densely. */
static bool is_line(const ThArray *a, int64_t *step) {
    const int64_t *shape = ARRAY_SHAPE(a), *stride = ARRAY_STRIDES(a);
    *step = 0;
    if (a->flags & ARRAY_CONTIGUOUS) return true;
    int64_t next = 0; /* from the end of what the later dims hold to its next element */
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (shape[d] == 1) continue;
        if (stride[d] == 0 || (next && stride[d] != next)) return false;
        if (!next) *step = stride[d];
        next = stride[d] * shape[d];
    }
    return *step != 0;
}

/* The array whose shape all others have but numbers; NULL: there is none, or they are no lines on the host. step: as
 * DirectCall has it; *any: one of them is not 0. */
static const ThArray *one_shape(const Operands *o, bool *number, int64_t *step, bool *any) {
    const ThArray *shape = NULL;
    *any = false;
    for (int i = 0; i < o->n; i++) {
        const ThArray *a = o->at[i];
        step[i] = 0;
        if (!a) continue;
        if (!is_line(a, &step[i]) || buffer_special(a->buf)) return NULL;
        *any |= step[i] != 0;
        if (!shape || a->ndim > shape->ndim) shape = a;
    }
    for (int i = 0; i < o->n; i++) {
        const ThArray *a = o->at[i];
        number[i] = !a || a->ndim == 0;
        if (!number[i] && (a->ndim != shape->ndim ||
                           memcmp(ARRAY_SHAPE(a), ARRAY_SHAPE(shape), sizeof(int64_t) * (size_t)a->ndim) != 0))
            return NULL;
    }
    return shape;
}

/* Rows of a lie as columns, and there are many of them. */
static bool is_turned(const ThArray *a) {
    enum { MUCH = 4096, LONG = 16 };
    const int64_t bytes = (int64_t)th_dtype_bytes((ThDtype)a->dtype), *shape = ARRAY_SHAPE(a), *step = ARRAY_STRIDES(a);
    const int last = a->ndim - 1;
    if (a->size < MUCH || (a->flags & ARRAY_CONTIGUOUS) || shape[last] < LONG) return false;
    if (step[last] == 0 || step[last] == bytes || step[last] == -bytes) return false;
    for (int i = 0; i < last; i++)
        if (step[i] == bytes && shape[i] >= LONG) return true;
    return false;
}

/* Such operands are laid out once, block by block: a kernel would fetch a line for each of their elements. */
static void lay_out(ThContext *c, Operands *o) {
    for (int i = 0; i < o->n; i++) {
        ThArray *a = o->at[i];
        if (!a || o->made[i] || buffer_special(a->buf) || !is_turned(a)) continue;
        if ((o->made[i] = th_array_copy(a))) o->at[i] = o->made[i];
        else th_error_clear(c);
    }
}

static bool registers(ThContext *c, Kept *k, size_t bytes) {
    if (bytes <= k->reg_bytes) return true;
    char *p = ctx_alloc_aligned(c, bytes + PAGE, 64);
    if (!p) return false;
    ctx_free(c, k->room, k->reg_bytes + PAGE);
    k->room = p, k->regs = p + (-(uintptr_t)p) % PAGE, k->reg_bytes = bytes;
    return true;
}

/* The shape to which all operands are broadcast; false: they do not fit, or are not on the host. */
static bool broadcast(const Operands *o, int *ndim, int64_t *shape) {
    *ndim = 0;
    for (int i = 0; i < o->n; i++) {
        if (o->at[i] && buffer_special(o->at[i]->buf)) return false;
        if (o->at[i] && o->at[i]->ndim > *ndim) *ndim = o->at[i]->ndim;
    }
    for (int d = 0; d < *ndim; d++) shape[d] = 1;
    for (int i = 0; i < o->n; i++) {
        const ThArray *a = o->at[i];
        for (int d = 0; a && d < a->ndim; d++) {
            const int64_t n = ARRAY_SHAPE(a)[d];
            int64_t *all = &shape[*ndim - a->ndim + d];
            if (*all != 1 && n != 1 && n != *all) return false;
            if (n != 1) *all = n;
        }
    }
    return true;
}

/* How a is read in the order of r's elements. */
static DirectSpread spread_of(const ThArray *a, const ThArray *r) {
    DirectSpread w;
    w.n = 0;
    for (int d = r->ndim - 1, own = a->ndim - 1; d >= 0; d--, own--) {
        const int64_t n = ARRAY_SHAPE(r)[d];
        const int64_t step = own < 0 || ARRAY_SHAPE(a)[own] == 1 ? 0 : ARRAY_STRIDES(a)[own];
        if (n == 1) continue;
        if (w.n && step == w.step[w.n - 1] * w.len[w.n - 1]) w.len[w.n - 1] *= n;
        else w.len[w.n] = n, w.step[w.n++] = step;
    }
    if (w.n == 0) w.len[0] = 1, w.step[0] = 0, w.n = 1;
    return w;
}

/* The same for operands that are broadcast, or lie in no line. */
static bool run_spread(ThContext *c, Kept *k, const Quick *q, const Operands *o, ThArray **out) {
    int ndim;
    int64_t shape[TH_MAX_NDIM], step[MOST_ARGS];
    bool number[MOST_ARGS];
    char *in[MOST_ARGS];
    DirectSpread spread[MOST_ARGS];
    if (!q->spreads || !broadcast(o, &ndim, shape) || !registers(c, k, interp_direct_room(q->direct, true)))
        return false;
    ThArray *r = th_array_empty(c, (ThDtype)q->out[0].dtype, ndim, shape);
    if (!r) return false;
    for (int i = 0; i < o->n && r->size; i++) {
        const ThArray *a = o->at[i];
        in[i] = a ? a->data : (char *)&o->cell[i];
        number[i] = !a || a->ndim == 0;
        step[i] = spread[i].n = 0;
        if (number[i]) continue;
        spread[i] = spread_of(a, r);
        if (spread[i].n == 1 && spread[i].step[0]) { /* a line */
            spread[i].n = 0;
            step[i] = spread[i].step[0] == (int64_t)th_dtype_bytes((ThDtype)a->dtype) ? 0 : spread[i].step[0];
        }
    }
    char *to = r->data;
    const DirectCall call = {.n = r->size, .in = in, .number = number, .step = step, .spread = spread, .out = &to};
    if (r->size) interp_direct_run(q->direct, &call, k->regs);
    out[0] = r;
    return true;
}

/* false: that is not possible with these arrays, or memory is out. */
static bool run_direct(ThContext *c, Kept *k, const Quick *q, Operands *o, ThArray **out) {
    bool number[MOST_ARGS], any;
    int64_t step[MOST_ARGS];
    char *in[MOST_ARGS], *to[MOST_OUT];
    lay_out(c, o);
    const ThArray *shape = one_shape(o, number, step, &any);
    if (!shape) return run_spread(c, k, q, o, out);
    if (!registers(c, k, interp_direct_room(q->direct, false))) return false;
    for (int i = 0; i < o->n; i++) in[i] = o->at[i] ? o->at[i]->data : (char *)&o->cell[i];
    for (int i = 0; i < q->nout; i++) {
        out[i] = th_array_empty(c, (ThDtype)q->out[i].dtype, shape->ndim, ARRAY_SHAPE(shape));
        if (!out[i]) {
            while (i > 0) th_array_release(out[--i]);
            return false;
        }
        to[i] = out[i]->data;
    }
    const DirectCall call = {.n = shape->size, .in = in, .number = number, .step = any ? step : NULL, .out = to};
    interp_direct_run(q->direct, &call, k->regs);
    return true;
}

/* x^2 and the root of floats are functions of their own, as in NumPy: one product, one root. */
static int simpler(const Kept *k, int func, const ThArg *args, int *nargs) {
    if ((func != k->pow && func != k->power) || *nargs != 2 || args[0].key || args[1].key) return func;
    if (args[0].kind != TH_ARG_ARRAY || !args[0].array) return func;
    const ThArg *n = &args[1];
    const double power = n->kind == TH_ARG_INT ? (double)n->i : n->kind == TH_ARG_FLOAT ? n->f : 0;
    const char kind = th_dtype_kind((ThDtype)args[0].array->dtype);
    const bool real = kind == 'f' || kind == 'c', whole = (kind == 'i' || kind == 'u') && n->kind == TH_ARG_INT;
    if (power == 2 && (real || whole)) return *nargs = 1, k->sqr;
    if (power == 0.5 && real) return *nargs = 1, k->sqrt;
    return func;
}

/* x^3 and x^4 of floats as a compiled graph has them: sqr(x) * x, sqr(sqr(x)). false: it is no such call. */
static bool products(ThContext *c, const Kept *k, int func, const ThArg *args, int nargs, ThArray **out, int *nout) {
    if ((func != k->pow && func != k->power) || nargs != 2 || args[0].key || args[1].key) return false;
    if (args[0].kind != TH_ARG_ARRAY || !args[0].array) return false;
    const ThDtype d = (ThDtype)args[0].array->dtype;
    const ThArg *n = &args[1];
    const double power = n->kind == TH_ARG_INT ? (double)n->i : n->kind == TH_ARG_FLOAT ? n->f : 0;
    ThArray *square;
    int one;
    if ((d != TH_FLOAT32 && d != TH_FLOAT64) || (power != 3 && power != 4)) return false;
    if (!eager_quick(c, k->sqr, args, 1, &square, 1, &one)) return false;
    if (one != 1) return *nout = one, true; /* interrupted */
    const ThArg by[2] = {{.kind = TH_ARG_ARRAY, .array = square}, args[0]};
    const int cube = power == 3;
    const bool done = eager_quick(c, cube ? k->mul : k->sqr, by, 1 + cube, out, 1, nout);
    th_array_release(square);
    return done;
}

bool eager_quick(ThContext *c, int func, const ThArg *args, int nargs, ThArray **out, int max, int *nout) {
    Operands o;
    o.n = o.nsaid = 0;
    o.alone = false;
    memset(o.made, 0, sizeof o.made);
    Kept *k = kept(c);
    bool done = false;
    if (k && products(c, k, func, args, nargs, out, nout)) return true;
    if (k) func = simpler(k, func, args, &nargs);
    if (k && operands(func, args, nargs, &o)) {
        o.strided = own_transpose(k, func, &o);
        Quick *q = find(c, k, func, &o, args, nargs);
        if (q && q->fn && q->nout <= max)
            done = (q->direct && run_direct(c, k, q, &o, out)) ||
                   (!failed(c) && !o.alone && whole(c, &o) && th_call(q->fn, o.at, o.n, out) == 0);
        if (done) *nout = q->nout;
    }
    for (int i = 0; i < o.n; i++) th_array_release(o.made[i]);
    if (error_kind(c) == TH_Interrupted) return *nout = -1, true;
    if (failed(c)) th_error_clear(c); /* the long way says it better, or finds memory gone again */
    return done;
}

const InterpDirect *eager_pair(ThContext *c, int func, ThArray *row, char **regs) {
    const ThArg args[2] = {{.kind = TH_ARG_ARRAY, .array = row}, {.kind = TH_ARG_ARRAY, .array = row}};
    Kept *k = kept(c);
    Operands o;
    memset(&o, 0, sizeof o);
    const Quick *q = k && operands(func, args, 2, &o) ? find(c, k, func, &o, args, 2) : NULL;
    if (!q || !q->direct || q->nout != 1 || q->out[0].dtype != row->dtype || q->out[0].ndim != row->ndim) return NULL;
    if (!registers(c, k, interp_direct_room(q->direct, false))) return NULL;
    *regs = k->regs;
    return q->direct;
}
