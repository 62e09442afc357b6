/*
 * cuda.c -- GPUs in a library that was built without them: device_open (runtime/device/open.c) says so, no buffer lives
 * on a device, and what is asked about kernels for one is refused.
 */
#include "opt/engine/rewrite.h"
#include "plan/parts.h"
#include "runtime/device/space.h"
#include "runtime/launch.h"
#include "schedule/nest.h"

#if !TH_CUDA
static bool refuse(ThContext *c) {
    return err(c, TH_NotImplementedError, "GPUs: this library was built without them (TH_CUDA=OFF)");
}

#include "without/backend.h"

const Backend backend_cuda = {.name = "cuda", .emit = no_text, .target = no_target, .build = no_unit};

/* The order of a GPU's launches. */
bool sink_all(Planner *p) { return (void)p, true; }
bool sink_rise(Planner *p) { return (void)p, true; }

/* Only a GPU's threads take neighbours. */
bool neighbours_may(const Nest *t) { return (void)t, false; }
bool neighbours_together(const Nest *t, int id) { return (void)t, (void)id, false; }
bool neighbours_apply(Nest *t, int lanes) { return (void)t, (void)lanes, false; }
bool neighbours_may_inside(const Nest *t, int stage) { return (void)t, (void)stage, false; }
bool neighbours_apply_inside(Nest *t, int stage, int lanes) { return (void)t, (void)stage, (void)lanes, false; }
int neighbours_inside(const Nest *t, int stage) { return (void)t, (void)stage, 1; }

bool rows_all(Planner *p) { return (void)p, true; }
bool fit_group(Planner *p, int w) { return (void)p, (void)w, false; }
bool fit_sum(Planner *p, int w) { return (void)p, (void)w, false; }

GridProgram *cuda_program(const Plan *p, const struct Device *d, char **source) {
    (void)p, (void)d;
    *source = NULL;
    return NULL;
}

Unit *launch_unit(ThContext *c, const Plan *p, GridProgram *g, char *source, Device *d) {
    (void)p, (void)g, (void)source, (void)d;
    refuse(c);
    return NULL;
}

void launch_free(struct Launches *l) { (void)l; }

int device_cuda_count(ThContext *c, const char *path) {
    (void)c, (void)path;
    return 0;
}

bool device_error(ThContext *c, const DeviceQueue *q, DeviceStatus s, const char *doing) {
    (void)q, (void)s, (void)doing;
    return refuse(c);
}

/* ---- what optimizing for a device makes: AttentionHeads ---------------------------------------------------------- */
bool pass_heads(Opt *o) { return (void)o, true; }

static bool infer_heads(Infer *q) { return refuse(q->ctx); }

#define HEADS_OP(var, title, outputs) \
    const Op op_##var = { \
        .name = title, \
        .flags = OP_MACHINE, \
        .nin = -1, \
        .nout = outputs, \
        .infer = infer_heads, \
        .doc = OP_DOC("only a device has it"), \
    }
HEADS_OP(attention_heads, "AttentionHeads", -1);
HEADS_OP(attention_heads_grad, "AttentionHeadsGrad", 3);
HEADS_OP(attention_heads_into, "AttentionHeadsInto", 1);

/* ---- sides of buffers: there are none ---------------------------------------------------------------------------- */
Device *space_of(const ThBuffer *b) {
    (void)b;
    return NULL;
}

DeviceAddress space_at(const ThBuffer *b) {
    (void)b;
    return 0;
}

ThArray *space_array(ThContext *c, Device *d, ThArray *a) {
    (void)d, (void)a;
    refuse(c);
    return NULL;
}

ThArray *space_adopt(ThContext *c, Device *d, ThDtype dtype, int64_t n, DeviceAddress at) {
    (void)d, (void)dtype, (void)n, (void)at;
    refuse(c);
    return NULL;
}

bool space_settled(ThContext *c, ThBuffer *b) {
    (void)c, (void)b;
    return true;
}

void space_owner(ThBuffer *b, void (*release)(void *user), void *user) { (void)b, (void)release, (void)user; }

SpaceUse space_use(DeviceSpace *s) {
    (void)s;
    return (SpaceUse){0};
}

/* ---- what a call does there -------------------------------------------------------------------------------------- */
char *th_function_launches(ThFunction *f) {
    if (f) refuse(th_function_context(f));
    return NULL;
}

char *th_function_cubin(ThFunction *f, const char *arch, size_t *bytes, char **log) {
    (void)arch;
    if (bytes) *bytes = 0;
    if (log) *log = NULL;
    if (f) refuse(th_function_context(f));
    return NULL;
}
#endif
