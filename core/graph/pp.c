/*
 * pp.c -- Theano's pp: a variable as one parenthesised expression.
 * In: a variable. Out: text such as ((x ** TensorConstant{2}) * y). An operation writes its template with a mark where
 * an argument goes; a stack of templates being expanded stands for recursion. Shared parts print again each time, so
 * the text stops at a cap with a note that says so.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

enum { CUT = 8 << 20, MARK = 1, MARK_END = 2 }; /* control characters that no template contains */

typedef struct Frame {
    const ThApply *a;
    char *text; /* template, th_free */
    size_t at;  /* how far it is expanded */
} Frame;
typedef VEC(Frame) FrameVec;

static void put_mark(Text *t, const ThApply *a, int i) {
    (void)a;
    text_printf(t, "%c%d%c", MARK, i, MARK_END);
}

static void put_template(Text *t, const ThApply *a) {
    if (a->op->pp) {
        a->op->pp(t, a, put_mark);
        return;
    }
    apply_op_str(t, a);
    text_putc(t, '(');
    for (int i = 0; i < a->nin; i++) {
        text_put(t, i ? ", " : "");
        put_mark(t, a, i);
    }
    text_putc(t, ')');
}

static void put_leaf(Text *t, const ThVar *v) {
    static const char *const greek[] = {"alpha", "beta", "gamma", "delta", "epsilon"};
    for (int i = 0; v->name && i < TH_LEN(greek); i++) {
        if (strcmp(v->name, greek[i]) == 0) { text_putc(t, '\\'); }
    }
    var_str(t, v);
}

/* A leaf is written at once; a computed variable becomes a frame. */
static bool enter(Text *t, FrameVec *stack, const ThVar *v) {
    if (!v->owner) {
        put_leaf(t, v);
        return true;
    }
    Text part;
    text_init(&part, t->c);
    put_template(&part, v->owner);
    char *text = text_take(&part);
    if (!text || !vec_push(t->c, stack, ((Frame){v->owner, text, 0}))) {
        th_free(t->c, text);
        return false;
    }
    return true;
}

/* Writes the template up to its next mark and enters that argument; at the end drops the frame. */
static bool step(Text *t, FrameVec *stack) {
    Frame *f = &stack->at[stack->n - 1];
    const char *from = f->text + f->at, *mark = strchr(from, MARK);
    if (!mark) {
        text_put(t, from);
        th_free(t->c, f->text);
        stack->n--;
        return true;
    }
    text_put_n(t, from, (size_t)(mark - from));
    int i = atoi(mark + 1);
    f->at = (size_t)(strchr(mark, MARK_END) + 1 - f->text);
    return enter(t, stack, f->a->in[i]);
}

bool pp(Text *t, ThVar *v) {
    FrameVec stack = {0};
    size_t limit = t->n + CUT;
    bool ok = enter(t, &stack, v);
    while (ok && stack.n && t->n <= limit) { ok = step(t, &stack); }
    if (ok && stack.n) {
        text_printf(t, "\n... cut after %d bytes: debugprint shows shared parts once, the graph text has no limit",
                    CUT);
    }
    for (int i = 0; i < stack.n; i++) { th_free(t->c, stack.at[i].text); }
    vec_free(t->c, &stack);
    return ok && !failed(t->c);
}

char *th_pp(ThVar *v) {
    if (!v) { return NULL; }
    Text t;
    text_init(&t, v->ctx);
    if (!pp(&t, v)) {
        text_free(&t);
        return NULL;
    }
    return text_take(&t);
}
