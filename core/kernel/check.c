/*
 * check.c -- is a Kernel well formed? Run after each pass of debug builds.
 * In: a Kernel. Out: true, or false with RuntimeError saying which part is wrong. Checked: every id in range, operands
 * before their users, depths (a value made inside a loop is used inside it; reductions carry values out), dtypes.
 */
#include "kernel.h"
#include "scalar_op.h"

static bool bad(const Kernel *k, const char *part, int i, const char *what) {
    return err(k->ctx, TH_RuntimeError, "kernel `%s`: %s %d: %s", k->title ? k->title : "?", part, i, what);
}

static bool size_ok(Size s) { return s.sym >= -1; }

static bool check_dims(const Kernel *k) {
    if (k->ndim < 0 || k->ndim > KDIM || k->nouter < 0 || k->nouter > k->ndim) {
        return bad(k, "dims", k->ndim, "bad number of dims or outer dims");
    }
    for (int d = 0; d < k->ndim; d++) {
        if (!size_ok(k->dim[d].n) || k->dim[d].kind > DIM_SEQ) { return bad(k, "dim", d, "bad length or kind"); }
    }
    return true;
}

static bool is_value(const Kernel *k, int v) { return v >= 0 && v < k->ins.n; }

static bool check_accesses(const Kernel *k) {
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        if (a->buf < 0 || a->buf >= k->nbuf || a->dtype >= TH_DTYPE_COUNT) {
            return bad(k, "access", i, "bad buffer or dtype");
        }
        if (!(a->flags & (ACC_READ | ACC_WRITE | ACC_ADD))) { return bad(k, "access", i, "neither read nor written"); }
        if (a->idx != -1 && (!is_value(k, a->idx) || k->ins.at[a->idx].dtype != TH_INT64)) {
            return bad(k, "access", i, "its index is not an int64 value");
        }
        if (a->guard != -1 && (!is_value(k, a->guard) || k->ins.at[a->guard].dtype != TH_BOOL)) {
            return bad(k, "access", i, "its guard is not a bool value");
        }
        for (int d = 0; d < KDIM; d++) {
            if (!size_ok(a->st[d]) || (d >= k->ndim && !size_is(a->st[d], 0))) {
                return bad(k, "access", i, "a stride along a dim that is not there");
            }
        }
    }
    return true;
}

static bool check_call(const Kernel *k, const Stage *s) {
    const int acc[] = {s->A, s->C, s->B}, n = s->cls == STAGE_POOL || (s->cls == STAGE_DRAW && s->B < 0) ? 2 : 3;
    for (int i = 0; i < n; i++)
        if (acc[i] < 0 || acc[i] >= k->acc.n) return false;
    if (s->cls == STAGE_GEMM) return s->nd == 3;
    if (s->feeds && (s->cls != STAGE_CONV || s == &k->st.at[k->st.n - 1] || s[1].cls != STAGE_POOL)) return false;
    return (s->nd >= 2 || s->cls == STAGE_DRAW) && s->num0 >= 0 && s->nnum > 0 && s->num0 + s->nnum <= k->size.n;
}

static bool check_stages(const Kernel *k) {
    int ins = 0, red = 0;
    for (int i = 0; i < k->st.n; i++) {
        const Stage *s = &k->st.at[i];
        if (s->d0 + s->nd > k->ndim || (s->nd && s->d0 < k->nouter)) {
            return bad(k, "stage", i, "its dims are not its own");
        }
        if (s->vec != -1 && (s->vec < s->d0 || s->vec >= s->d0 + s->nd)) {
            return bad(k, "stage", i, "its vector dim is not its own");
        }
        if (s->ins0 != ins || s->red0 != red || s->nins < 0 || s->nred < 0) {
            return bad(k, "stage", i, "its instructions do not follow those of the stage before");
        }
        ins += s->nins;
        red += s->nred;
        if (stage_calls(s) && !check_call(k, s)) {
            return bad(k, "stage", i, "a call of the library needs its dims, accesses A, B, C and numbers");
        }
    }
    return ins == k->ins.n && red == k->red.n ? true : bad(k, "stages", k->st.n, "instructions or reductions outside");
}

/* Operand v of instruction i: made before, at a depth that encloses the user's. */
static bool operand(const Kernel *k, int i, int v) {
    if (v < 0 || v >= i) { return bad(k, "instruction", i, "an operand is not an earlier value"); }
    const Ins *x = &k->ins.at[i], *o = &k->ins.at[v];
    if (o->op == INS_STORE || o->op == INS_FAIL_IF) { return bad(k, "instruction", i, "an operand is not a value"); }
    if (o->depth > x->depth) { return bad(k, "instruction", i, "an operand lives in a deeper loop"); }
    return o->stage == x->stage || o->depth <= k->nouter
               ? true
               : bad(k, "instruction", i, "an operand lives in another stage's loops");
}

static bool check_scalar(const Kernel *k, int i) {
    const Ins *x = &k->ins.at[i];
    const int arg[] = {x->a, x->b, x->c, x->d};
    if (x->op >= scalar_count) { return bad(k, "instruction", i, "no such operation"); }
    bool ended = false;
    for (int n = 0; n < 4; n++) {
        ended = ended || arg[n] < 0;
        if (ended ? arg[n] >= 0 || n == 0 : !operand(k, i, arg[n])) {
            return failed(k->ctx) ? false : bad(k, "instruction", i, "a gap in its operands");
        }
    }
    return true;
}

static bool check_store(const Kernel *k, int i) {
    const Ins *x = &k->ins.at[i];
    const Access *a = &k->acc.at[x->a];
    return operand(k, i, x->b) &&
           (k->ins.at[x->b].dtype == a->dtype ? true : bad(k, "instruction", i, "stores another dtype"));
}

static bool check_red(const Kernel *k, int i) {
    const Ins *x = &k->ins.at[i];
    const Red *r = &k->red.at[x->a];
    if (r->v < 0 || r->v >= i || k->ins.at[r->v].dtype != r->acc_dtype) {
        return bad(k, "instruction", i, "reduces a later value or one of another dtype");
    }
    return x->depth >= r->depth && k->ins.at[r->v].depth > r->depth
               ? true
               : bad(k, "instruction", i, "the reduced value is not inside the reduction's loops");
}

/* Instructions past the scalar table: the range of `a`, then what each needs. */
static bool check_ins(const Kernel *k, int i) {
    const Ins *x = &k->ins.at[i];
    const Stage *s = &k->st.at[x->stage];
    if (x->depth > k->nouter + s->nd || x->dtype >= TH_DTYPE_COUNT || i < s->ins0 || i >= s->ins0 + s->nins) {
        return bad(k, "instruction", i, "bad depth, dtype or stage");
    }
    if (x->op < INS_LOAD) { return check_scalar(k, i); }
    int room = x->op == INS_LOAD || x->op == INS_STORE ? k->acc.n
               : x->op == INS_PARAM                    ? k->param.n
               : x->op == INS_INDEX                    ? k->ndim
               : x->op == INS_SIZE                     ? k->size.n
               : x->op == INS_RED                      ? k->red.n
                                                       : INT32_MAX;
    if (x->op != INS_CONST && x->op != INS_EP && (x->a < 0 || x->a >= room)) {
        return bad(k, "instruction", i, "an id is out of range");
    }
    switch (x->op) {
    case INS_LOAD: return k->acc.at[x->a].dtype == x->dtype ? true : bad(k, "instruction", i, "loads another dtype");
    case INS_STORE: return check_store(k, i);
    case INS_CAST: return operand(k, i, x->a);
    case INS_CHECK_INDEX: return operand(k, i, x->a) && operand(k, i, x->b);
    case INS_FAIL_IF: return operand(k, i, x->a);
    case INS_RED: return check_red(k, i);
    case INS_EP:
        if (!stage_calls(s)) return bad(k, "instruction", i, "an epilogue value outside a call");
        return x->a < 0 || (s->paired && x->a < k->acc.n && k->acc.at[x->a].buf == k->acc.at[s->C].buf)
                   ? true
                   : bad(k, "instruction", i, "a number that is not its draw's");
    default: return x->op <= INS_EP ? true : bad(k, "instruction", i, "no such operation");
    }
}

bool kernel_check(const Kernel *k) {
    if (!check_dims(k) || !check_accesses(k) || !check_stages(k)) { return false; }
    for (int i = 0; i < k->ins.n; i++) {
        if (k->ins.at[i].stage >= k->st.n || !check_ins(k, i)) {
            return failed(k->ctx) ? false : bad(k, "instruction", i, "bad stage");
        }
    }
    return true;
}
