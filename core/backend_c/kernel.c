/*
 * kernel.c -- a kernel as one C function, or as several where threads share it: what stands before its loops (extents,
 * base addresses), and what its Nest is.
 */
#include "c.h"

/* A version for certain lengths: these hide the frame's. In standard C all do: no store through a pointer can be meant
 * for them, as loops are made vectors only then. */
static void known_lengths(Emit *e) {
    int n = e->p->step[e->first[e->number]].nsym, some = 0;
    Text t;
    text_init(&t, e->c);
    for (int i = 0; i < n; i++) {
        int64_t v = e->length[i];
        some |= v != INT64_MIN;
        if (v != INT64_MIN) text_printf(&t, i ? ", %lldl" : "%lldl", (long long)v);
        else text_printf(&t, i ? ", s[%d]" : "s[%d]", i);
    }
    if (some || (e->portable && n)) {
        emit_line(e, "const i64 known[%d] = {%s};", n, t.at);
        emit_line(e, "s = known;");
    }
    text_free(&t);
}

void emit_head(Emit *e, const LoopStage *tile) {
    const Kernel *k = e->k;
    if (e->known && (!tile || e->portable) && e->first[e->number] >= 0) known_lengths(e);
    bool numbers = tile && tile->st->cls == STAGE_DRAW; /* of which some lie at c */
    int m = tile ? tile->st->d0 : -2, n = m + stage_parts(tile ? tile->st : &k->st.at[0]) - 1;
    Text t;
    for (int d = 0; d < k->ndim; d++) {
        text_init(&t, e->c);
        emit_size(&t, k->dim[d].n);
        const char *part = (tile && d == m) || (e->split && d == 0) ? "row1 - row0"
                           : tile && d == n && n > m                ? "col1 - col0"
                                                                    : NULL;
        emit_line(e, "const i64 n%d = %s;", d, part ? part : t.at ? t.at : "0");
        text_free(&t);
    }
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        const char *ty = type_short((ThDtype)a->dtype), *ro = a->flags & ACC_WRITE ? "" : "const ";
        if (numbers && i == tile->st->C) {
            emit_line(e, "%s *const p_%s = c;", ty, e->name[i]);
            continue;
        }
        text_init(&t, e->c);
        if (!size_is(a->off, 0)) {
            text_put(&t, " + ");
            emit_size(&t, a->off);
        }
        if (e->split && !size_is(a->st[0], 0)) {
            text_put(&t, " + row0 * (");
            emit_size(&t, a->st[0]);
            text_put(&t, ")");
        }
        for (int d = m; tile && d <= n; d++) {
            if (size_is(a->st[d], 0)) continue;
            text_put(&t, d == m ? " + row0 * (" : " + col0 * (");
            emit_size(&t, a->st[d]);
            text_put(&t, ")");
        }
        emit_line(e, "%s%s *const p_%s = (%s%s *)b[%d]%s;", ro, ty, e->name[i], ro, ty, a->buf, t.at ? t.at : "");
        text_free(&t);
    }
}

bool emit_begin(Emit *e, const Kernel *k, int number) {
    if (!e->first && !plan_kernel_users(e->p, e->arena, &e->first, &e->users)) return false;
    int step = e->first[number];
    e->k = k;
    e->vector = -1;
    e->number = number;
    e->mask = arena_alloc0(e->arena, (size_t)k->ins.n + 1);
    e->vec = arena_alloc0(e->arena, (size_t)k->ins.n + 1);
    e->name = plan_access_names(e->p, k, step, e->arena);
    if (!e->mask || !e->vec || !e->name) return false;
    e->words = plan_describe(e->p, k, step, e->users[number], e->name, e->arena);
    return e->words != NULL;
}

/* No loops at all: a few operations on single values. */
bool kernel_is_scalar(const Kernel *k) {
    for (int s = 0; s < k->st.n; s++)
        if (k->st.at[s].cls != STAGE_LOOP) return false;
    return k->ndim == 0;
}

/* The pieces or blocks that all of the kernel's loops are in, or NULL. */
static const NestNode *shares(const Nest *t) {
    for (const NestNode *n = t->root; n; n = n->next)
        if (n->kind == NEST_FOR && (n->how == FOR_PIECE || n->how == FOR_BLOCK)) return n;
    return NULL;
}

static bool body(Emit *e, const NestNode *n) {
    e->indent = 1;
    emit_line(e, "(void)f, (void)b, (void)s, (void)q, (void)step;");
    emit_head(e, NULL);
    bool ok = emit_nodes(e, n);
    emit_line(e, "return 0;");
    e->indent = 0;
    emit_line(e, "}\n");
    return ok;
}

bool emit_kernel(Emit *e, const Kernel *k, int number) {
    KernelOrder *o = arena_alloc(e->arena, sizeof *o);
    if (!o || !emit_begin(e, k, number) || !kernel_order(k, e->arena, o)) return false;
    NestAsk ask = {.threads = !e->portable && config_bool(e->c, "openmp"), .known = e->known != NULL};
    e->length = e->known ? arena_alloc(e->arena, sizeof *e->length * ((size_t)e->p->nsym + 1)) : NULL;
    if (e->known && !e->length) return false;
    if (e->length) nest_lengths(e->p, number, e->first[number], e->users[number], e->known, e->length);
    ask.length = e->first[number] >= 0 ? e->length : NULL;
    ask.candidate = e->candidate ? e->candidate[number] : e->known ? 0 : (int)config_int(e->c, "compile.candidate");
    const Nest *t = e->nest = nest_choose(k, o, e->target, ask, e->arena);
    if (!t) return false;
    e->way = t->way;
    if (k->title) emit_line(e, "/* %s */", k->title);
    if (!emit_tiles(e)) return false;
    const NestNode *shared = shares(t);
    if (shared && shared->how == FOR_BLOCK) return blocks_emit(e, number, shared) && !failed(e->c);
    emit_line(e, "%s int %s_%d(Frame *f, char *const *b, const i64 *s, const Cell *q, int step%s) {",
              kernel_is_scalar(k) ? "INLINE"
              : shared            ? "static"
                                  : "KERNEL",
              shared ? "part" : "kernel", number, shared ? ", i64 row0, i64 row1" : "");
    e->split = shared != NULL;
    bool ok = body(e, shared ? shared->child : t->root);
    e->split = false;
    if (shared && ok) ok = threads_emit(e, number, shared);
    return ok && !failed(e->c);
}
