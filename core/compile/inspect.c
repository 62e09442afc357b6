/*
 * inspect.c -- looking into compiled functions and at rewrites: nodes, prints, plan, C text. In: a ThFunction or a
 * graph text. Out: borrowed nodes, or texts owned by the caller (th_free); NULL with the error set.
 */
#include "compile.h"
#include "plan/place.h"
#include "schedule/nest.h"

#include <string.h>

/* The schedule; a function made without one (never by th_compile) has no nodes to show. */
int th_function_nnodes(const ThFunction *f) {
    if (!f) return 0;
    const FGraph *fg = function_fgraph((ThFunction *)f);
    return fg ? fg->norder : 0;
}

ThApply *th_function_node(const ThFunction *f, int i) {
    if (!f) return NULL;
    const FGraph *fg = function_fgraph((ThFunction *)f);
    return fg && i >= 0 && i < fg->norder ? fg->order[i] : NULL;
}

ThVar *th_function_output_var(const ThFunction *f, int i) {
    if (!f) return NULL;
    const FGraph *fg = function_fgraph((ThFunction *)f);
    return fg && i >= 0 && i < fg->nout ? fg->out[i] : NULL;
}

ThVar *th_function_graph_input(const ThFunction *f, int i) {
    if (!f) return NULL;
    const FGraph *fg = function_fgraph((ThFunction *)f);
    return fg && i >= 0 && i < fg->nin ? fg->in[i] : NULL;
}

static char *take(Text *t, bool ok) {
    if (ok && !failed(t->c)) return text_take(t);
    text_free(t);
    return NULL;
}

char *th_function_debugprint(ThFunction *f, const ThDebugPrint *options) {
    if (!f) return NULL;
    static const ThDebugPrint plain = {.depth = -1, .ids = 'C'};
    FGraph *fg = function_fgraph(f);
    ThDebugPrint own;
    Text t;
    if (options && !(options = options_of(th_function_context(f), options, &own))) return NULL;
    text_init(&t, th_function_context(f));
    CompilePlaces places = {.ctx = t.c};
    const PrintPlaces *there = compile_places(&places, f);
    PrintGraph g = {fg->order, fg->norder, fg->out, fg->nout, there};
    char *text = take(&t, !failed(t.c) && debugprint(&t, fg->out, fg->nout, options ? options : &plain, &g));
    compile_places_free(&places);
    return text;
}

char *th_function_graph_text(ThFunction *f) {
    if (!f) return NULL;
    FGraph *fg = function_fgraph(f);
    Text t;
    text_init(&t, th_function_context(f));
    return take(&t, graph_print(&t, fg->in, fg->nin, fg->out, fg->nout));
}

char *th_function_ccode(ThFunction *f) {
    if (!f) return NULL;
    Unit *u = function_unit(f);
    ThContext *c = th_function_context(f);
    if (u && u->source) return ctx_strdup(c, u->source);
    err(c, TH_ValueError,
        "this function has no C code: the interpreter runs it (linker or mode without C, or no compiler)");
    return NULL;
}

/* Values by slot, INT64_MIN where any will do; NULL with the error set. */
static int64_t *known_sizes(ThContext *c, const Plan *p, const int *size, const int64_t *value, int n) {
    int64_t *known = ctx_alloc(c, ((size_t)p->nsym + 1) * sizeof *known);
    for (int i = 0; known && i < p->nsym; i++) known[i] = INT64_MIN;
    for (int i = 0; known && i < n; i++) {
        if (size[i] >= 0 && size[i] < p->nsym && value[i] >= 0) {
            known[size[i]] = value[i];
            continue;
        }
        if (value[i] < 0) err(c, TH_ValueError, "no length is %lld", (long long)value[i]);
        else err(c, TH_ValueError, "the plan has no size s%d", size[i]);
        ctx_free(c, known, ((size_t)p->nsym + 1) * sizeof *known);
        return NULL;
    }
    return known;
}

/* Who writes for a target, and the processor to tell it. */
static const Backend *backend_for(const char *target, const char **processor) {
    bool cuda = !strcmp(target, "cuda") || !strcmp(target, "cuda-emulated"); /* one text serves both */
    *processor = cuda ? NULL : target;
    return cuda ? &backend_cuda : &backend_c;
}

/* Checks arguments; *known: the lengths that are told, for the caller to free, or NULL. */
static bool asked(ThFunction *f, const char *target, const int *size, const int64_t *value, int n, int64_t **known) {
    ThContext *c = th_function_context(f);
    *known = NULL;
    if (!target || n < 0 || (n && (!size || !value))) return err_missing(c, __func__);
    if (failed(c)) return false;
    const char *processor;
    if (n && backend_for(target, &processor) != &backend_c)
        return err(c, TH_ValueError, "the text for %s is the same for all lengths", target);
    *known = n ? known_sizes(c, function_plan(f), size, value, n) : NULL;
    return !failed(c);
}

static void known_free(ThContext *c, const Plan *p, int64_t *known) {
    ctx_free(c, known, ((size_t)p->nsym + 1) * sizeof *known);
}

char *th_function_ccode_for(ThFunction *f, const char *target, const int *size, const int64_t *value, int n) {
    int64_t *known;
    const char *processor;
    if (!f || !asked(f, target, size, value, n, &known)) return NULL;
    const Backend *b = backend_for(target, &processor);
    Text t;
    text_init(&t, th_function_context(f));
    char *text = take(&t, b->emit(&t, function_plan(f), processor, known));
    known_free(th_function_context(f), function_plan(f), known);
    return text;
}

/* ---- the plan, and how its kernels run ---- */
typedef struct Show {
    const ThFunction *f; /* NULL: as if it was not tuned */
    const Target *target;
    NestAsk ask;
    const Plan *plan;
    const int64_t *known; /* lengths of a version, or NULL */
    int64_t *length;      /* room for nest_lengths */
} Show;

static bool show(Text *t, const Kernel *k, void *user) {
    const Show *s = user;
    NestAsk ask = s->ask;
    const Plan *p = s->f ? function_plan((ThFunction *)s->f) : NULL;
    for (int i = 0; p && i < p->nkernel; i++)
        if (p->kernel[i] == k && function_candidate(s->f, i)) ask.candidate = function_candidate(s->f, i);
    for (int i = 0; s->length && i < s->plan->nkernel; i++)
        if (s->plan->kernel[i] == k && nest_lengths(s->plan, i, 0, INT32_MAX, s->known, s->length))
            ask.length = s->length;
    return nest_show(t, k, s->target, ask);
}

/* Whether a GPU has a form of a step. */
static bool on_device(const Plan *p, int step) {
    const Step *s = &p->step[step];
    if (s->kind == STEP_KERNEL) return grid_can(p->kernel[s->kernel]);
    return s->kind == STEP_HOST ? p->host[s->host].op->device != 0 : s->kind == STEP_TRANSFER;
}

/* What has no form there, so that values go to the host and back. */
static bool put_on_host(Text *t, const Plan *p) {
    int n = 0;
    for (int i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        if ((s->kind == STEP_KERNEL || s->kind == STEP_HOST) && !on_device(p, i))
            text_printf(t, "%s  step %d: %s\n", n++ ? "" : "on the host:\n", i, s->title ? s->title : "");
    }
    return true;
}

static char *plan_for(ThFunction *f, const Backend *b, const char *processor, const int64_t *known) {
    ThContext *c = th_function_context(f);
    const Plan *p = function_plan(f);
    Show s = {.ask = {.threads = config_bool(c, "openmp"), .known = known != NULL}, .plan = p, .known = known};
    if (!known) s.ask.candidate = (int)config_int(c, "compile.candidate");
    if (!known && !processor) s.f = f;
    if (b && !(s.target = b->target(c, processor))) return NULL;
    Text t;
    text_init(&t, c);
    const size_t room = ((size_t)p->nsym + 1) * sizeof *s.length;
    s.length = known ? ctx_alloc(c, room) : NULL;
    bool ok = (s.length || !known) && plan_text(&t, p, b ? show : NULL, &s);
    ctx_free(c, s.length, room);
    bool gpu = s.target && !s.target->vector_bytes;
    const Unit *u = function_unit(f);
    if (ok && gpu && u && u->places) place_text(&t, function_plan(f), u->places);
    return take(&t, ok && (!gpu || put_on_host(&t, function_plan(f))));
}

/* The interpreter runs kernels block by block, whatever a Nest says. */
char *th_function_plan(ThFunction *f) {
    if (!f) return NULL;
    return plan_for(f, function_unit(f) ? compile_backend(th_function_context(f)) : NULL, NULL, NULL);
}

char *th_function_plan_for(ThFunction *f, const char *target, const int *size, const int64_t *value, int n) {
    int64_t *known;
    const char *processor;
    if (!f || !asked(f, target, size, value, n, &known)) return NULL;
    const Backend *b = backend_for(target, &processor);
    char *text = plan_for(f, b, processor, known);
    known_free(th_function_context(f), function_plan(f), known);
    return text;
}

/* A graph text, with its updates, through the named passes: what is left, in the order of the schedule. */
char *th_optimize_text(ThContext *c, const char *graph, const char *passes) {
    if (!c) return NULL;
    if (!graph) return err_missing(c, __func__), NULL;
    if (failed(c)) return NULL;
    FGraph *fg = graph_read_fg(c, graph, false);
    Text t;
    text_init(&t, c);
    char *r = take(&t, fg && opt_run_named(fg, passes ? passes : "", eager_apply) && graph_print_fg(&t, fg));
    fg_free(fg);
    return r;
}

int th_fgraph_optimize(ThRewriteCall *g, const char *query) {
    if (!g) return -1;
    ThContext *c = th_rewrite_context(g);
    if (failed(c)) return -1;
    return opt_run_own(g, query ? query : "", eager_apply) ? 0 : -1;
}

char *th_optdb_fired(ThContext *c) {
    if (!c) return NULL;
    Text t;
    text_init(&t, c);
    return take(&t, opt_fired(&t, c));
}

char *th_optdb_table(ThContext *c) {
    if (!c) return NULL;
    Text t;
    text_init(&t, c);
    return take(&t, opt_table(&t, c));
}

char *th_optdb_summary(ThContext *c, const char *query) {
    if (!c) return NULL;
    Text t;
    text_init(&t, c);
    return take(&t, opt_summary(&t, c, query ? query : ""));
}
