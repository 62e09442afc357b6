/*
 * call.c -- the record of a stage's call of the library (kernel/call_work.h), as C.
 */
#include "emit.h"

void emit_call_record(Emit *e, int stage, const char *const where[3], const char *then) {
    const Stage *st = &e->k->st.at[stage];
    Text t;
    text_init(&t, e->c);
    for (int n = st->num0; n < st->num0 + st->nnum; n++) {
        if (n > st->num0) text_put(&t, ", ");
        emit_size(&t, e->k->size.at[n]);
    }
    emit_line(e, "const i64 numbers%d[%d] = {%s};", stage, st->nnum, t.at ? t.at : "0");
    text_free(&t);
    emit_line(e, "const Call call%d = {%d, numbers%d, %s, %s, %s, %s};", stage, e->k->acc.at[st->C].dtype, stage,
              where[0], where[1], where[2], then);
}

void emit_call_run(Emit *e, int stage, const char *at, const char *then) {
    const Stage *st = &e->k->st.at[stage];
    if (st->cls == STAGE_DRAW) emit_line(e, "if (f->rt->draw(f, step, &call%d, %s)) return 1;", stage, then);
    else if (st->cls == STAGE_POOL) emit_line(e, "if (f->rt->pool(f, step, &call%d)) return 1;", stage);
    else if (!st->feeds) emit_line(e, "if (f->rt->conv(f, step, &call%d, 0, 0)) return 1;", stage);
    else emit_line(e, "if (f->rt->conv(f, step, &call%d, &call%d, %s)) return 1;", stage, stage + 1, at);
}
