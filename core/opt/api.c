/*
 * api.c -- the optimizer behind the public header: passes over a graph text, and what a query runs.
 */
#include "rewrite.h"

static char *optimize(ThContext *c, FGraph *fg, const char *passes) {
    Text t;
    text_init(&t, c);
    bool ok = opt_run_named(fg, passes ? passes : "") && graph_print(&t, fg->in, fg->nin, fg->out, fg->nout);
    if (!ok || failed(c)) {
        text_free(&t);
        return NULL;
    }
    return text_take(&t);
}

char *th_optimize_text(ThContext *c, const char *graph, const char *passes) {
    Builder b;
    VarVec in = {0}, out = {0};
    char *text = NULL;
    builder_begin(&b, c);
    if (graph_read(&b, graph, &in, &out)) {
        FGraph *fg = fg_new(c, in.at, in.n, out.at, out.n, NULL, NULL, 0, false);
        if (fg) {
            text = optimize(c, fg, passes);
            fg_free(fg);
        }
    }
    vec_free(c, &in);
    vec_free(c, &out);
    builder_end(&b);
    return text;
}

char *th_optdb_summary(ThContext *c, const char *query) {
    Text t;
    OptSpec s = {.optimizer = query && *query ? query : "fast_run"};
    text_init(&t, c);
    if (!opt_summary(&t, c, &s) || failed(c)) {
        text_free(&t);
        return NULL;
    }
    return text_take(&t);
}
