/*
 * launch_load.c -- a function's kernels on a device: loaded, loaded again after a loss, given back.
 */
#include "launch.h"

#include "runtime/device/space.h"

static size_t unit_bytes(const GridProgram *g, int nstep) {
    size_t functions = GRID_FUNCTIONS * (size_t)g->nkernel + (size_t)g->nturns + (size_t)g->ntail;
    size_t turns = (sizeof(atomic_ullong) + sizeof(int)) * (size_t)g->nturns + sizeof(atomic_ullong) * (size_t)g->ntail;
    return sizeof(LaunchUnit) + sizeof(void *) * functions + turns + 2 * sizeof(atomic_ullong) * (size_t)nstep;
}

static void release(Unit *unit) {
    LaunchUnit *u = unit->impl;
    ThContext *c = u->c;
    bool there = u->life == u->device->life;
    if (u->module && there) u->device->op->module_free(&u->q, u->module);
    if (u->q.stream && there) u->device->op->close(&u->q);
    os_lock_end(&u->lock);
    size_t bytes = unit_bytes(u->program, u->nstep);
    th_free(c, u->unit.source);
    cuda_program_free(u->program);
    place_free(u->places);
    ctx_free(c, u, bytes);
}

static DeviceStatus load_turns(LaunchUnit *u, int i) {
    const DeviceOps *op = u->device->op;
    char name[GRID_NAME];
    turns_name(name, i);
    DeviceStatus s = op->kernel(&u->q, u->module, name, &u->turns[i]);
    return s ? s : op->resident(&u->q, u->turns[i], CHOOSE_THREADS, &u->resident[i]);
}

static DeviceStatus load(LaunchUnit *u) {
    const DeviceOps *op = u->device->op;
    unsigned life = u->device->life;
    DeviceStatus s = op->open(&u->q);
    if (!s) s = op->module_load(&u->q, u->program->image, &u->module);
    for (int i = 0; i < u->program->nkernel && !s; i++)
        for (int j = 0; j < GRID_FUNCTIONS && !s; j++) {
            const GridKernel *g = &u->program->kernel[i];
            char name[GRID_NAME];
            grid_name(name, i, j);
            if (g->nest && grid_has(g, j)) s = op->kernel(&u->q, u->module, name, &u->function[GRID_FUNCTIONS * i + j]);
        }
    for (int i = 0; i < u->program->nturns && !s; i++) s = load_turns(u, i);
    for (int i = 0; i < u->program->ntail && !s; i++) {
        char name[GRID_NAME];
        tail_name(name, i);
        s = op->kernel(&u->q, u->module, name, &u->tail[i]);
    }
    if (!s) u->life = life;
    return s;
}

/* After a loss nothing that was loaded is there. */
DeviceStatus launch_reload(LaunchUnit *u) {
    DeviceStatus s = DEVICE_OK;
    os_lock(&u->lock);
    if (u->life != u->device->life) {
        u->q.stream = NULL;
        u->module = NULL;
        s = load(u);
    }
    os_unlock(&u->lock);
    return s;
}

static bool has_form(const Plan *p, int step, void *user) {
    const GridProgram *g = user;
    const Step *s = &p->step[step];
    if (s->kind == STEP_KERNEL) return g->kernel[s->kernel].nest != NULL;
    return s->kind == STEP_TRANSFER || (s->kind == STEP_HOST && p->host[s->host].op->device);
}

Unit *launch_unit(ThContext *c, const Plan *p, GridProgram *g, char *source, Device *d) {
    LaunchUnit *u = ctx_alloc0(c, unit_bytes(g, p->nstep));
    if (!u) {
        cuda_program_free(g);
        th_free(c, source);
        return NULL;
    }
    u->c = c;
    u->program = g;
    u->turns = u->function + GRID_FUNCTIONS * g->nkernel;
    u->tail = u->turns + g->nturns;
    u->waited = (atomic_ullong *)(void *)(u->tail + g->ntail);
    u->tailed = u->waited + g->nturns;
    u->after = u->tailed + g->ntail;
    u->nstep = p->nstep;
    u->beside = u->after + p->nstep;
    u->resident = (int *)(void *)(u->beside + p->nstep);
    u->device = d;
    u->q.device = d;
    u->life = d->life;
    os_lock_init(&u->lock);
    u->places = place_make(p, has_form, g);
    u->unit =
        (Unit){.run = launch_run, .device = d, .places = u->places, .release = release, .source = source, .impl = u};
    if (!u->places || !gpu_open(c, d)) {
        release(&u->unit);
        return NULL;
    }
    DeviceStatus s = space_mend(&u->q);
    if (!s) s = load(u);
    if (!s) return &u->unit;
    device_error(c, &u->q, s, "a function's kernels are loaded");
    release(&u->unit);
    return NULL;
}
