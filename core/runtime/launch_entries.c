/*
 * launch_entries.c -- a function's entries on a device, compiled and loaded when the first of them is launched. In: one
 * that is missing, in a call whose lengths are known. Out: that one, and those that the steps take at these lengths, of
 * one image.
 *
 * Of the ways that a kernel can be launched a call takes one, and the compiler would spend most of its time on the
 * others. A kernel with lengths that are found on the way has all of its entries compiled. What is guessed wrong costs
 * time alone: it is compiled when it is launched.
 */
#include "launch_state.h"

#include "runtime/frame/backend.h"
#include "runtime/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

typedef struct Loaded {
    struct Loaded *next;
    void *module;
} Loaded;

void launch_unload(LaunchUnit *u) {
    bool there = u->life == u->device->life;
    while (u->loaded) {
        Loaded *gone = u->loaded;
        u->loaded = gone->next;
        if (there) u->device->op->module_free(&u->q, gone->module);
        ctx_free(u->c, gone, sizeof *gone);
    }
    for (int i = 0; i < launch_entries(u->program); i++) atomic_store(&u->entry[i], NULL);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
static void entry_name(const GridProgram *g, int i, char out[GRID_NAME]) {
    if (i >= launch_tail_entry(g, 0)) tail_name(out, i - launch_tail_entry(g, 0));
    else if (i >= launch_turns_entry(g, 0)) turns_name(out, i - launch_turns_entry(g, 0));
    else grid_name(out, i / GRID_FUNCTIONS, i % GRID_FUNCTIONS);
}

/* The entry that a line of the text begins; -1: none that a program launches. */
static int begun(const GridProgram *g, const char *line) {
    static const struct {
        const char *mark;
        int which;
    } kinds[] = {{"KERNEL kernel_", 0}, {"KERNEL turns_", 1}, {"KERNEL tail_", 2}};
    for (int k = 0; k < TH_LEN(kinds); k++) {
        size_t n = strlen(kinds[k].mark);
        char *end, name[GRID_NAME];
        if (strncmp(line, kinds[k].mark, n)) continue;
        int number = (int)strtol(line + n, &end, 10), first = number * GRID_FUNCTIONS;
        int of = kinds[k].which == 1 ? launch_turns_entry(g, number) : launch_tail_entry(g, number);
        if (kinds[k].which) return *end == '(' && of < launch_entries(g) ? of : -1;
        for (int j = 0; j < GRID_FUNCTIONS && number < g->nkernel; j++) {
            grid_name(name, number, j);
            size_t length = strlen(name);
            const char *at = line + strlen("KERNEL ");
            if (!strncmp(at, name, length) && at[length] == '(') return first + j;
        }
    }
    return -1;
}

/* The text without the entries that are not wanted (want NULL: not loaded); its lines keep their numbers. */
static char *chosen(const LaunchUnit *u, const char *source, const bool *want) {
    Text t;
    text_init(&t, u->c);
    bool out = false;
    for (const char *line = source, *next; *line && !t.failed; line = next) {
        const char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        int entry = begun(u->program, line);
        if (entry >= 0) out = want ? !want[entry] : !atomic_load(&u->entry[entry]);
        if (!out) text_put_n(&t, line, (size_t)(next - line));
        else if (end) text_putc(&t, '\n');
        if (*line == '}') out = false;
    }
    return text_take(&t);
}

char *launch_loaded(const LaunchUnit *u, const char *source) { return chosen(u, source, NULL); }

/* ---- what a call takes ------------------------------------------------------------------------------------------- */
typedef struct Guess {
    Launches *l;
    ThFrame *f;
    bool *want;
    int64_t *sizes; /* of a step, as many as the largest has */
    bool late;      /* a step before may fail on the device */
} Guess;

static bool sizes_known(Guess *q, const Step *s) {
    for (int i = 0; i < s->nsym; i++) {
        q->sizes[i] = q->f->sym[s->sym[i]];
        if (q->sizes[i] == SIZE_UNKNOWN) return false;
    }
    return true;
}

static const GridKernel *on_device(const Launches *l, int step) {
    const Step *s = &l->plan->step[step];
    if (s->kind != STEP_KERNEL || l->u->places->side[step] != PLACE_DEVICE) return NULL;
    const GridKernel *g = &l->u->program->kernel[s->kernel];
    return g->nest ? g : NULL;
}

static bool by_library(const Guess *q, const GridKernel *g, const Step *s) {
    return !(q->late && launch_library_shows(q->l, g, s, q->sizes)) &&
           launch_expects_library(q->l, q->f, g, s, q->sizes);
}

static void all_of(Guess *q, const GridKernel *g) {
    for (int j = 0; j < GRID_FUNCTIONS; j++)
        if (grid_has(g, j)) q->want[launch_entry_of(g, j)] = true;
}

static void of_kernel(Guess *q, const GridKernel *g, const Step *s) {
    GridLaunch way[GRID_WAYS];
    Launches *l = q->l;
    if (!sizes_known(q, s)) {
        all_of(q, g);
        return;
    }
    bool races = l->races.device && !g->many && !l->times.to;
    int n = races ? grid_ways(g, q->sizes, l->u->device->info.multiprocessors, way) : 1;
    if (!races) way[0] = grid_launch(g, q->sizes);
    if (way[0].nest < 0) return;
    bool library = by_library(q, g, s);
    for (int i = 0; i < n && !library; i++) q->want[launch_entry_of(g, way[i].nest)] = true;
    if (grid_has(g, GRID_LOOK)) q->want[launch_entry_of(g, GRID_LOOK)] = true;
    if (launch_sorts(g, s, q->f)) q->want[launch_entry_of(g, GRID_PLACES)] = q->want[launch_entry_of(g, 0)] = true;
    if (library && grid_has(g, GRID_BEHIND)) q->want[launch_entry_of(g, GRID_BEHIND)] = true;
    if (grid_has(g, GRID_MANY) && !l->times.to) q->want[launch_entry_of(g, GRID_MANY)] = true;
}

/* The steps of a loop by one launch: how many; 0: none such begins here. */
static int of_turns(Guess *q, int step) {
    const GridProgram *g = q->l->u->program;
    if (q->l->times.to) return 0;
    for (int i = 0; i < g->nturns; i++) {
        if (g->turns[i].first != step) continue;
        int entry = launch_turns_entry(g, i);
        bool refused = atomic_load(&q->l->u->entry[entry]) && !q->l->u->resident[i];
        q->want[entry] = true;
        return refused ? 0 : g->turns[i].nstep;
    }
    return 0;
}

/* A product and the rows behind it by one launch. */
static bool of_tail(Guess *q, int step) {
    Launches *l = q->l;
    const GridProgram *p = l->u->program;
    const Step *s = &l->plan->step[step];
    for (int i = 0; i < p->ntail && !l->times.to; i++) {
        if (p->tail[i].step != step) continue;
        const GridKernel *g = on_device(l, step), *r = on_device(l, step + 1);
        if (!g || !r || !sizes_known(q, s + 1)) return false;
        GridLaunch rows = grid_launch(r, q->sizes);
        int64_t *behind = ctx_alloc(l->u->c, sizeof *behind * ((size_t)s[1].nsym + 1));
        if (!behind) return false;
        memcpy(behind, q->sizes, sizeof *behind * (size_t)s[1].nsym);
        bool good = sizes_known(q, s) && !by_library(q, g, s);
        GridLaunch way = good ? grid_launch(g, q->sizes) : rows;
        good = good && grid_tail(g, &way, q->sizes, r, &rows, behind);
        ctx_free(l->u->c, behind, sizeof *behind * ((size_t)s[1].nsym + 1));
        if (good) q->want[launch_tail_entry(p, i)] = true;
        return good;
    }
    return false;
}

static void guess(Guess *q) {
    const Plan *p = q->l->plan;
    for (int i = 0; i < p->nstep; i++) {
        int turns = of_turns(q, i);
        const GridKernel *g = turns ? NULL : on_device(q->l, i);
        if (turns) i += turns - 1;
        else if (g && of_tail(q, i)) i++;
        else if (g) of_kernel(q, g, &p->step[i]);
        q->late |= q->l->u->places->side[i] == PLACE_DEVICE && plan_fails_late(p, &p->step[i]);
    }
    for (int i = 0; i < launch_entries(q->l->u->program); i++) q->want[i] &= !atomic_load(&q->l->u->entry[i]);
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */
static DeviceStatus take(LaunchUnit *u, void *module, const bool *want) {
    const DeviceOps *op = u->device->op;
    const GridProgram *g = u->program;
    DeviceStatus s = DEVICE_OK;
    for (int i = 0; i < launch_entries(g) && !s; i++) {
        char name[GRID_NAME];
        void *what;
        int turns = i - launch_turns_entry(g, 0);
        if (!want[i]) continue;
        entry_name(g, i, name);
        s = op->kernel(&u->q, module, name, &what);
        if (!s && turns >= 0 && turns < g->nturns) s = op->resident(&u->q, what, CHOOSE_THREADS, &u->resident[turns]);
        if (!s) atomic_store(&u->entry[i], what);
    }
    return s;
}

/* What is wanted, compiled and loaded; *error: it is set, and the status tells nothing. */
static DeviceStatus load(LaunchUnit *u, const Plan *p, const bool *want, bool *error) {
    size_t bytes;
    char *text = chosen(u, u->unit.source, want);
    char *image = text ? cuda_image_of(p, u->device, text, &bytes) : NULL;
    Loaded *m = image ? ctx_alloc0(u->c, sizeof *m) : NULL;
    th_free(u->c, text);
    *error = !m;
    DeviceStatus s = m ? u->device->op->module_load(&u->q, image, &m->module) : DEVICE_FAILED;
    ctx_free(u->c, image, bytes);
    if (!s) s = take(u, m->module, want);
    if (s && m && m->module) u->device->op->module_free(&u->q, m->module);
    for (int i = 0; i < launch_entries(u->program) && s; i++)
        if (want[i]) atomic_store(&u->entry[i], NULL);
    if (s) {
        ctx_free(u->c, m, sizeof *m);
        return s;
    }
    m->next = u->loaded;
    u->loaded = m;
    return DEVICE_OK;
}

static void *missing(Launches *l, ThFrame *f, int entry) {
    LaunchUnit *u = l->u;
    int most = 1;
    for (int i = 0; i < l->plan->nstep; i++) most = l->plan->step[i].nsym > most ? l->plan->step[i].nsym : most;
    size_t flags = (size_t)launch_entries(u->program) * sizeof(bool), sizes = sizeof(int64_t) * (size_t)most;
    Guess q = {l, f, ctx_alloc0(u->c, flags), ctx_alloc0(u->c, sizes), false};
    bool error = !q.want || !q.sizes;
    DeviceStatus s = DEVICE_OK;
    if (!error) {
        guess(&q);
        q.want[entry] = true;
        gpu_alone(u->device, true);
        s = load(u, l->plan, q.want, &error);
        gpu_alone(u->device, false);
    }
    ctx_free(u->c, q.want, flags);
    ctx_free(u->c, q.sizes, sizes);
    if (s && !error) {
        device_error(u->c, &u->q, s, "a function's kernels are loaded");
        sides_fail(&l->sides, f);
    }
    return s || error ? NULL : atomic_load(&u->entry[entry]);
}

void *launch_entry(Launches *l, ThFrame *f, int entry) {
    void *what = atomic_load(&l->u->entry[entry]);
    if (what || l->capturing) return what;
    os_lock(&l->u->lock);
    what = atomic_load(&l->u->entry[entry]);
    if (!what) what = missing(l, f, entry);
    os_unlock(&l->u->lock);
    return what;
}
