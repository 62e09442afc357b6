/*
 * ins.c -- one instruction as lines of a kernel. Values are v<id>, all scalars; most texts are backend_c's with one
 * lane. What can fail writes the launch's error record and leaves the kernel.
 */
#include "cuda.h"

#include <stdio.h>

/* The position in loops [from, to) of the stage, the last one fastest. */
static void position(Emit *e, Text *t, int from, int to) {
    if (from >= to) text_put(t, "0");
    for (int l = from; l < to - 1; l++) text_putc(t, '(');
    for (int l = from; l < to; l++) {
        int d = e->s->loop[l];
        if (l > from) text_printf(t, " * n%d + i%d)", d, d);
        else text_printf(t, "(i64)i%d", d);
    }
}

/* Where an instruction stands in the order of the CPU: the point of the outer loops, then the stage, then what is
 * inside. */
static void place(Emit *e, Text *t, int depth) {
    const Kernel *k = e->k;
    int outer = 0, stage = (int)(e->s->st - k->st.at);
    if (k->st.n > 1)
        while (outer < depth && outer < e->s->nloop && e->s->loop[outer] < k->nouter) outer++;
    if (depth > e->s->nloop) depth = e->s->nloop;
    if (k->st.n > 1) {
        text_putc(t, '(');
        position(e, t, 0, outer);
        text_printf(t, ") * %d + %d, ", k->st.n, stage);
        position(e, t, outer, depth);
    } else {
        position(e, t, 0, depth);
        text_put(t, ", 0");
    }
}

static void fails(Emit *e, const char *condition, int depth, ThError kind, int n, int v0, int v1) {
    char a[16] = "0", b[16] = "0";
    Text t;
    text_init(&t, e->c);
    place(e, &t, depth);
    if (n > 0) snprintf(a, sizeof a, "v%d", v0);
    if (n > 1) snprintf(b, sizeof b, "v%d", v1);
    emit_line(e, "if (%s) { record(a.err, a.step, %d, %d, %s, %s, %s); %s; }", condition, (int)kind, n, a, b,
              t.at ? t.at : "0, 0", e->leave ? e->leave : "return");
    text_free(&t);
}

static void guarded_load(Emit *e, int id, const Ins *i) {
    const Access *a = &e->k->acc.at[i->a];
    Text t;
    text_init(&t, e->c);
    emit_address(e, &t, i->a, i->depth);
    emit_line(e, dtype_is_complex((ThDtype)i->dtype) ? "%s v%d = {0, 0};" : "%s v%d = 0;",
              type_short((ThDtype)i->dtype), id);
    emit_line(e, "if (v%d) v%d = *(%s);", a->guard, id, t.at ? t.at : "0");
    text_free(&t);
}

/* A number for which other blocks look until it is there (schedule/told.c). */
static void told_store(Emit *e, const Ins *i) {
    Text t;
    text_init(&t, e->c);
    emit_address(e, &t, i->a, i->depth);
    emit_line(e, "tell_%s(%s, v%d);", type_short((ThDtype)e->k->acc.at[i->a].dtype), t.at ? t.at : "0", i->b);
    text_free(&t);
}

/* Integer division and modulo: a divisor of 0 is a failure. */
static bool division(Emit *e, int id, const Ins *i) {
    char names[4][16], zero[32];
    const int ids[4] = {i->a, i->b, i->c, i->d};
    const char *name[4];
    for (int j = 0; j < 4; j++) {
        snprintf(names[j], sizeof names[j], "v%d", ids[j]);
        name[j] = ids[j] >= 0 ? names[j] : "";
    }
    snprintf(zero, sizeof zero, "v%d == 0", i->b);
    if (e->k->can_fail) fails(e, zero, i->depth, TH_ZeroDivisionError, 0, 0, 0); /* else it is a literal */
    Text t;
    bool mask = false;
    text_init(&t, e->c);
    bool ok = emit_value(e, &t, i, 1, name, &mask);
    if (ok) emit_line(e, "%s v%d = %s;", type_short((ThDtype)i->dtype), id, t.at ? t.at : "0");
    text_free(&t);
    return ok;
}

static bool one(Emit *e, int id) {
    const Ins *i = &e->k->ins.at[id];
    char text[64];
    if (i->op == INS_FAIL_IF) {
        snprintf(text, sizeof text, "v%d", i->a);
        fails(e, text, i->depth, (ThError)i->b, 0, 0, 0);
    } else if (i->op == INS_CHECK_INDEX) {
        emit_line(e, "i64 v%d = v%d < 0 ? v%d + v%d : v%d;", id, i->a, i->a, i->b, i->a);
        snprintf(text, sizeof text, "v%d < 0 || v%d >= v%d", id, id, i->b);
        fails(e, text, i->depth, TH_IndexError, 2, i->a, i->b);
    } else if (e->s->st->cls == STAGE_DRAW && cuda_drawn(e, id)) {
        return !failed(e->c);
    } else if (e->near && cuda_near_load(e, id)) {
        return !failed(e->c);
    } else if (i->op == INS_STORE && e->told >> i->a & 1) {
        told_store(e, i);
    } else if (i->op == INS_EP && e->nest->grid == GRID_TILES) {
        emit_line(e, "const %s v%d = whole;", type_short((ThDtype)i->dtype), id);
    } else if (e->way->value[id] & VALUE_TURNED) {
        emit_line(e, "const %s v%d = turn%d[threadIdx.x %% 32 * %d + j];", type_short((ThDtype)i->dtype), id, id,
                  CHOOSE_TURN + 1);
    } else if (e->way->value[id] & VALUE_TOGETHER) {
        if (i->op == INS_LOAD) emit_line(e, "const %s v%d = w%d[lane];", type_short((ThDtype)i->dtype), id, id);
        else emit_line(e, "w%d[lane] = v%d;", id, i->b);
    } else if (i->op == INS_LOAD && e->k->acc.at[i->a].guard >= 0) guarded_load(e, id, i);
    else if (cuda_narrow(e, id)) return !failed(e->c);
    else if (i->op < INS_LOAD && (scalar_ops[i->op].flags & SF_FAILS) && dtype_is_discrete((ThDtype)i->in_dtype))
        return division(e, id, i);
    else return emit_ins(e, id);
    return !failed(e->c);
}

/* A store around points is the first one's. */
static void first_point(Emit *e, int depth) {
    Text t;
    text_init(&t, e->c);
    for (int l = depth; l < e->nest->depth; l++)
        text_printf(&t, l > depth ? " && i%d == 0" : "i%d == 0", e->s->loop[l]);
    if (e->nest->grid == GRID_BLOCK && e->nest->warp) text_printf(&t, " && threadIdx.x %% %d == 0", cuda_group(e));
    else if (e->nest->grid == GRID_BLOCK) text_put(&t, " && threadIdx.x == 0");
    emit_line(e, "if (%s)", t.at ? t.at : "1");
    text_free(&t);
}

/* A thread that has one point, in turns where it hides nobody's ways: all that it loads is on its way at once. */
static bool early(const Emit *e, int id) { return e->spread && neighbours_early(e->nest, id); }

bool cuda_code(Emit *e, const int *ids, int n, bool shared) {
    for (int j = 0; j < n; j++)
        if (early(e, ids[j]) && !one(e, ids[j])) return false;
    for (int j = 0; j < n; j++) {
        const Ins *i = &e->k->ins.at[ids[j]];
        if (early(e, ids[j])) continue;
        if (shared && i->op == INS_STORE && i->depth < e->nest->depth) first_point(e, i->depth);
        else if (shared && i->op == INS_STORE) {
            emit_line(e, e->nest->warp ? "__syncwarp();" : "__syncthreads();"); /* all have read what stood there */
            if (e->nest->warp) emit_line(e, "if (threadIdx.x %% %d == 0)", cuda_group(e));
            else emit_line(e, e->nest->across ? "if (threadIdx.x < 32 && own)" : "if (threadIdx.x == 0)");
        }
        if (!one(e, ids[j])) return false;
    }
    return true;
}
