/*
 * front.c -- the table of public functions, and the binding of arguments to a function's parameters.
 * In: a function number and ThArgs as a user gave them. Out: a Front whose arg[] stands in the order of the signature,
 * defaults filled in; unknown, repeated and missing arguments are TypeErrors that say what is possible.
 */
#include "front.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table: functions, then scalar operations, then their aliases -------------------------------------------- */
#if TH_HELP
#define HELP(doc) doc
#else
#define HELP(doc) ""
#endif
static const ThFuncInfo infos[] = {
#define FRONT(name, sig, meta, method, fn, doc) {name, sig, meta, method, HELP(doc)},
    FRONT_TABLE(FRONT)
#undef FRONT
#define X(name, cls, infix, str, opname, arity, flags, result, value, cvalue, grad, meta, params, doc) \
    {#name, params, meta, ((flags)&SF_METHOD) != 0, HELP(doc)},
        SCALAR_PUBLIC(X)
#undef X
#define ALIAS(name, scalar, method, sig, doc) {name, sig, NULL, method, HELP(doc)},
            FRONT_ALIAS(ALIAS)
#undef ALIAS
};

/* What CMake's options left out is refused here: nothing refers to its functions then. */
static int no_fft(Front *f) {
    err(f->ctx, TH_NotImplementedError, "%s: this library was built without Fourier transforms (TH_FFT=OFF)",
        f->info->name);
    return -1;
}
static int no_linalg(Front *f) {
    err(f->ctx, TH_NotImplementedError, "%s: this library was built without linear algebra (TH_LINALG=OFF)",
        f->info->name);
    return -1;
}
static int no_sparse(Front *f) {
    err(f->ctx, TH_NotImplementedError, "%s: this library was built without sparse matrices (TH_SPARSE=OFF)",
        f->info->name);
    return -1;
}

static const FrontFn fronts[] = {
#define FRONT(name, sig, meta, method, fn, doc) fn,
    FRONT_ELEMWISE(FRONT) FRONT_REDUCE(FRONT) FRONT_NUMPY(FRONT) FRONT_SHAPE(FRONT) FRONT_CREATE(FRONT)
        FRONT_INDEX(FRONT) FRONT_JOIN(FRONT) FRONT_NNET(FRONT) FRONT_GRAD(FRONT)
#undef FRONT
#define FRONT(name, sig, meta, method, fn, doc) TH_FFT ? fn : no_fft,
            FRONT_FFT(FRONT)
#undef FRONT
#define FRONT(name, sig, meta, method, fn, doc) fn,
                FRONT_DIAG(FRONT) FRONT_EINSUM(FRONT) FRONT_ORDER(FRONT) FRONT_POSITION(FRONT) FRONT_LINEAR(FRONT)
                    FRONT_NORM(FRONT)
#undef FRONT
#define FRONT(name, sig, meta, method, fn, doc) TH_LINALG ? fn : no_linalg,
                        FRONT_FACTORS(FRONT) FRONT_HINTS(FRONT) FRONT_SOLVES(FRONT)
#undef FRONT
#define FRONT(name, sig, meta, method, fn, doc) fn,
                            FRONT_IMAGE(FRONT)
#undef FRONT
#define FRONT(name, sig, meta, method, fn, doc) TH_SPARSE ? fn : no_sparse,
                                FRONT_SPARSE(FRONT)
#undef FRONT
#define FRONT(name, sig, meta, method, fn, doc) fn,
                                    FRONT_RANDOM(FRONT) NULL
#undef FRONT
};
#define FRONT(...) +1
_Static_assert(TH_LEN(fronts) == 1 FRONT_TABLE(FRONT), "in the order of the table");
#undef FRONT
enum { NFRONT = TH_LEN(fronts) - 1 };

/*
 * What a function does with halves: computes with float32 and gives halves, which integers beside them widen
 * (products), or do not (axes, places), moves them as they are, or has no form for them.
 */
typedef enum { HALVES_SINGLE, HALVES_PRODUCT, HALVES_MOVE, HALVES_REFUSE } Halves;
static const uint8_t halves_by_group[] = {
#define FRONT(...) HALVES_SINGLE,
    FRONT_ELEMWISE(FRONT) FRONT_REDUCE(FRONT) FRONT_NUMPY(FRONT)
#undef FRONT
#define FRONT(...) HALVES_MOVE,
        FRONT_SHAPE(FRONT) FRONT_CREATE(FRONT) FRONT_INDEX(FRONT) FRONT_JOIN(FRONT)
#undef FRONT
#define FRONT(...) HALVES_SINGLE,
            FRONT_NNET(FRONT)
#undef FRONT
#define FRONT(...) HALVES_MOVE,
                FRONT_GRAD(FRONT)
#undef FRONT
#define FRONT(...) HALVES_REFUSE,
                    FRONT_FFT(FRONT)
#undef FRONT
#define FRONT(...) HALVES_SINGLE,
                        FRONT_DIAG(FRONT) FRONT_EINSUM(FRONT) FRONT_ORDER(FRONT) FRONT_POSITION(FRONT)
                            FRONT_LINEAR(FRONT)
#undef FRONT
#define FRONT(...) HALVES_REFUSE,
                                FRONT_NORM(FRONT) FRONT_FACTORS(FRONT) FRONT_HINTS(FRONT) FRONT_SOLVES(FRONT)
#undef FRONT
#define FRONT(...) HALVES_SINGLE,
                                    FRONT_IMAGE(FRONT)
#undef FRONT
#define FRONT(...) HALVES_REFUSE,
                                        FRONT_SPARSE(FRONT)
#undef FRONT
#define FRONT(...) HALVES_SINGLE,
                                            FRONT_RANDOM(FRONT)
#undef FRONT
};
_Static_assert(TH_LEN(halves_by_group) == NFRONT, "each function has its way with halves");

static Halves halves_of(int func) {
    static const struct {
        FrontFn fn;
        Halves how;
    } own[] = {{front_cast, HALVES_MOVE},
               {front_copy, HALVES_MOVE},
               {front_dimshuffle, HALVES_MOVE},
               {front_sum, HALVES_MOVE},
               {front_prod, HALVES_MOVE},
               {front_dot, HALVES_PRODUCT},
               {front_tensordot, HALVES_PRODUCT},
               {front_outer, HALVES_PRODUCT},
               {front_matmul, HALVES_PRODUCT},
               {front_batched_dot, HALVES_PRODUCT},
               {front_einsum, HALVES_PRODUCT},
               {front_fmod, HALVES_MOVE},
               {front_divmod, HALVES_MOVE},
               {front_matrix_norm, HALVES_SINGLE},
               {TH_LINALG ? front_tensorinv : NULL, HALVES_REFUSE},
               {TH_LINALG ? front_tensorsolve : NULL, HALVES_REFUSE}};
    if (func >= NFRONT) return HALVES_MOVE; /* elemwise_raw knows */
    for (int i = 0; i < TH_LEN(own); i++)
        if (fronts[func] == own[i].fn) return own[i].how;
    return (Halves)halves_by_group[func];
}

/* Joins the floats among the arguments, and of products all others; whether there is a half. */
static bool any_half(const ThArg *a, int n, Halves how, ThDtype *all, int depth) {
    bool any = false;
    for (int i = 0; i < n; i++) {
        ThDtype d = TH_DTYPE_NONE;
        if (a[i].kind == TH_ARG_LIST && depth < TH_MAX_NDIM)
            any |= any_half(a[i].list.at, a[i].list.n, how, all, depth + 1);
        else if (a[i].kind == TH_ARG_ARRAY) d = th_array_dtype(a[i].array);
        else if (a[i].kind == TH_ARG_VAR && a[i].var->type.kind == TYPE_TENSOR) d = a[i].var->type.dtype;
        if (d == TH_DTYPE_NONE || (how != HALVES_PRODUCT && dtype_is_discrete(d))) continue;
        any |= dtype_is_half(d);
        *all = *all == TH_DTYPE_NONE ? d : th_dtype_upcast(*all, d);
    }
    return any;
}

/* Scalar operations of the entries past the functions. */
static const uint16_t scalars[] = {
#define X(name, ...) S_##name,
    SCALAR_PUBLIC(X)
#undef X
#define ALIAS(name, scalar, method, sig, doc) S_##scalar,
        FRONT_ALIAS(ALIAS)
#undef ALIAS
};

int th_func_count(void) { return TH_LEN(infos); }

const ThFuncInfo *th_func_info(int i) { return i >= 0 && i < TH_LEN(infos) ? &infos[i] : NULL; }

int th_func_find(const char *name) {
    for (int i = 0; name && i < TH_LEN(infos); i++)
        if (*infos[i].name == *name && strcmp(infos[i].name, name) == 0) return i;
    return -1;
}

/* ---- signatures -------------------------------------------------------------------------------------------------- */
typedef struct Param {
    const char *name, *deflt; /* deflt NULL: required */
    int nname, ndeflt;
    bool star;
} Param;
typedef struct Sig {
    Param at[FRONT_MAX_PARAMS];
    int n;
} Sig;

static const char *skip_spaces(const char *s) {
    while (*s == ' ') s++;
    return s;
}

/* "x, axis=None, *xs": names, defaults, one star. Table texts, so malformed ones are caught by the tests. */
static void read_signature(const char *s, Sig *sig) {
    sig->n = 0;
    for (s = skip_spaces(s); *s && sig->n < FRONT_MAX_PARAMS; s = skip_spaces(s)) {
        Param *p = &sig->at[sig->n++];
        *p = (Param){.star = *s == '*'};
        p->name = s += p->star;
        p->nname = (int)strcspn(s, "=,");
        s += p->nname;
        if (*s == '=') {
            p->deflt = ++s;
            p->ndeflt = (int)strcspn(s, ",");
            s += p->ndeflt;
        }
        if (*s == ',') s++;
    }
}

static bool text_is(const char *s, int n, const char *word) {
    return (int)strlen(word) == n && strncmp(s, word, (size_t)n) == 0;
}

/* A default as an argument; strings are interned without their quotes. */
static ThArg default_arg(ThContext *c, const Param *p) {
    const char *s = p->deflt;
    int n = p->ndeflt;
    if (!s || text_is(s, n, "None")) return (ThArg){.kind = TH_ARG_NONE};
    if (text_is(s, n, "True") || text_is(s, n, "False")) return (ThArg){.kind = TH_ARG_BOOL, .b = s[0] == 'T'};
    if (*s == '"' || *s == '\'') return (ThArg){.kind = TH_ARG_STR, .s = intern_n(c, s + 1, (size_t)(n - 2))};
    for (int i = 0; i < n; i++)
        if (strchr(".eE", s[i])) return (ThArg){.kind = TH_ARG_FLOAT, .f = number_read(s, NULL)};
    return (ThArg){.kind = TH_ARG_INT, .i = strtoll(s, NULL, 10)};
}

/* ---- binding ----------------------------------------------------------------------------------------------------- */
static int find_param(const Sig *sig, const char *key) {
    for (int i = 0; i < sig->n; i++)
        if (!sig->at[i].star && text_is(sig->at[i].name, sig->at[i].nname, key)) return i;
    return -1;
}

static bool unknown_keyword(Front *f, const Sig *sig, const char *key) {
    const char *names[FRONT_MAX_PARAMS];
    Text known;
    int n = 0;
    text_init(&known, f->ctx);
    for (int i = 0; i < sig->n; i++) {
        if (sig->at[i].star) continue;
        names[n] = intern_n(f->ctx, sig->at[i].name, (size_t)sig->at[i].nname);
        if (!names[n]) break;
        text_printf(&known, n ? ", %s" : "%s", names[n]);
        n++;
    }
    const char *near = text_nearest(key, names, n);
    const char *instead = !strcmp(key, "out") ? ": results are new, z[\":\"] = .. writes them into an array" : "";
    err(f->ctx, TH_TypeError, "%s got an unknown keyword '%s'; it takes %s%s%s%s%s", f->info->name, key,
        known.at ? known.at : "none", near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", instead);
    text_free(&known);
    return false;
}

static bool bind_positional(Front *f, const Sig *sig, const ThArg *args, int n) {
    int i = 0;
    for (int p = 0; p < sig->n && i < n; p++) {
        if (sig->at[p].star) {
            f->rest = args + i;
            f->nrest = n - i;
            return true;
        }
        f->arg[p] = args[i++];
        f->given |= 1u << p;
    }
    if (i == n) return true;
    return err(f->ctx, TH_TypeError, "%s takes at most %d argument%s (%s), %d given", f->info->name, sig->n,
               sig->n == 1 ? "" : "s", f->info->signature, n);
}

static bool bind_keywords(Front *f, const Sig *sig, const ThArg *args, int n) {
    for (int i = 0; i < n; i++) {
        if (!args[i].key)
            return err(f->ctx, TH_TypeError, "%s: a positional argument stands after a keyword", f->info->name);
        int p = find_param(sig, args[i].key);
        if (p < 0) return unknown_keyword(f, sig, args[i].key);
        if ((f->given >> p) & 1) return err(f->ctx, TH_TypeError, "%s got '%s' twice", f->info->name, args[i].key);
        f->arg[p] = args[i];
        f->given |= 1u << p;
    }
    return true;
}

static bool fill_defaults(Front *f, const Sig *sig) {
    for (int p = 0; p < sig->n; p++) {
        if (((f->given >> p) & 1) || sig->at[p].star) continue;
        if (!sig->at[p].deflt)
            return err(f->ctx, TH_TypeError, "%s: argument '%.*s' is missing: %s(%s)", f->info->name, sig->at[p].nname,
                       sig->at[p].name, f->info->name, f->info->signature);
        f->arg[p] = default_arg(f->ctx, &sig->at[p]);
        if (failed(f->ctx)) return false;
    }
    return true;
}

enum { DEEPEST = 64 };

/* Whether what the arguments point to is there: a host may have forgotten it, a user may have freed an array. */
static bool sound(Front *f, const ThArg *a, int n, int depth) {
    for (int i = 0; i < n; i++) {
        bool list = a[i].kind == TH_ARG_LIST || a[i].kind == TH_ARG_SLICE;
        if ((a[i].kind == TH_ARG_VAR && !a[i].var) || (a[i].kind == TH_ARG_ARRAY && !a[i].array) ||
            (a[i].kind == TH_ARG_STR && !a[i].s) || (unsigned)a[i].kind > TH_ARG_COMPLEX)
            return front_error(f, TH_TypeError, "argument %d is NULL, or of no kind", i + 1) >= 0;
        if (a[i].kind == TH_ARG_ARRAY && !array_usable(f->ctx, a[i].array)) return false;
        if (!list) continue;
        if (a[i].list.n < 0 || (a[i].list.n && !a[i].list.at) || depth == DEEPEST ||
            (a[i].kind == TH_ARG_SLICE && a[i].list.n != 3))
            return front_error(f, TH_TypeError, "argument %d is no proper list", i + 1) >= 0;
        if (!sound(f, a[i].list.at, a[i].list.n, depth + 1)) return false;
    }
    return true;
}

static bool bind(Front *f, const ThArg *args, int n) {
    Sig sig;
    int npos = 0;
    if (!sound(f, args, n, 0)) return false;
    read_signature(f->info->signature, &sig);
    while (npos < n && !args[npos].key) npos++;
    f->nparam = sig.n;
    if (!bind_positional(f, &sig, args, npos) || !bind_keywords(f, &sig, args + npos, n - npos)) return false;
    if (f->nrest == 1 && f->rest[0].kind == TH_ARG_LIST) {
        f->nrest = f->rest[0].list.n;
        f->rest = f->rest[0].list.at;
    }
    int dtype = find_param(&sig, "dtype");
    f->wanted = TH_DTYPE_NONE;
    if (!fill_defaults(f, &sig)) return false;
    if (dtype >= 0 && f->arg[dtype].kind == TH_ARG_STR) f->wanted = th_dtype_from_name(f->arg[dtype].s);
    return true;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */
/* Every public scalar operation: its operands are its parameters. */
static int call_scalar(Front *f) {
    VarVec v = {0};
    bool ok;
    if (scalar_ops[f->op].flags & SF_NARY) {
        ok = front_list(f, -1, &v);
        if (ok && v.n == 0) ok = front_error(f, TH_TypeError, "needs at least one argument") >= 0;
    } else {
        ok = vec_reserve(f->ctx, &v, f->nparam);
        for (int i = 0; ok && i < f->nparam; i++) ok = (v.at[v.n++] = front_var(f, i)) != NULL;
    }
    ThVar *r = ok ? elemwise_make(f->b, f->op, v.at, v.n) : NULL;
    vec_free(f->ctx, &v);
    return front_return(f, r);
}

static bool take_halves(Front *f, Halves how, const ThArg *args, int nargs) {
    ThDtype all = TH_DTYPE_NONE;
    if (how == HALVES_MOVE || !any_half(args, nargs, how, &all, 0)) return true;
    if (how == HALVES_REFUSE)
        return front_error(f, TH_TypeError,
                           "there is none of halves (float16, bfloat16): cast them, "
                           "x:astype(\"float32\")") > 0;
    f->half = f->wanted != TH_DTYPE_NONE || all == TH_FLOAT64 ? TH_FLOAT32 : all;
    if (dtype_is_half(f->wanted)) f->half = f->wanted;
    return true;
}

int front_build(Builder *b, int func, const ThArg *args, int nargs, ThVar **out, int max) {
    const ThFuncInfo *info = th_func_info(func);
    if (!info) {
        err(b->ctx, TH_ValueError, "there is no function number %d", func);
        return -1;
    }
    if ((func = front_for_sparse(b->ctx, func, args, nargs)) < 0) return -1;
    info = th_func_info(func);
    Front f = {
        .ctx = b->ctx, .b = b, .info = info, .op = func < NFRONT ? -1 : scalars[func - NFRONT], .out = out, .max = max};
    f.half = TH_DTYPE_NONE;
    if (!bind(&f, args, nargs) || !take_halves(&f, halves_of(func), args, nargs)) return -1;
    int n = f.op >= 0 ? call_scalar(&f) : fronts[func](&f);
    return failed(b->ctx) ? -1 : n;
}

ThVar *front_call(Builder *b, const char *name, const ThArg *args, int nargs) {
    ThVar *out[FRONT_MAX_OUT];
    int func = th_func_find(name);
    if (func < 0) {
        err(b->ctx, TH_NotImplementedError, "the function %s is not available", name);
        return NULL;
    }
    for (int i = 0; i < nargs; i++)
        if (args[i].kind == TH_ARG_VAR && !args[i].var) return NULL;
    return front_build(b, func, args, nargs, out, FRONT_MAX_OUT) >= 1 ? out[0] : NULL;
}
