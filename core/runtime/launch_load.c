/*
 * launch_load.c -- a function on a device: opened, opened again after a loss, given back.
 */
#include "launch.h"

#include "runtime/device/space.h"

static size_t unit_bytes(const GridProgram *g, int nstep) {
    size_t turns = (sizeof(atomic_ullong) + sizeof(int)) * (size_t)g->nturns + sizeof(atomic_ullong) * (size_t)g->ntail;
    return sizeof(LaunchUnit) + sizeof(void *) * (size_t)launch_entries(g) + turns +
           2 * sizeof(atomic_ullong) * (size_t)nstep;
}

static void release(Unit *unit) {
    LaunchUnit *u = unit->impl;
    ThContext *c = u->c;
    bool there = u->life == u->device->life;
    launch_unload(u);
    if (u->q.stream && there) u->device->op->close(&u->q);
    os_lock_end(&u->lock);
    size_t bytes = unit_bytes(u->program, u->nstep);
    th_free(c, u->unit.source);
    cuda_program_free(u->program);
    place_free(u->places);
    ctx_free(c, u, bytes);
}

static DeviceStatus opened(LaunchUnit *u) {
    unsigned life = u->device->life;
    DeviceStatus s = u->device->op->open(&u->q);
    if (!s) u->life = life;
    return s;
}

/* After a loss nothing that was loaded is there. */
DeviceStatus launch_reload(LaunchUnit *u) {
    DeviceStatus s = DEVICE_OK;
    os_lock(&u->lock);
    if (u->life != u->device->life) {
        launch_unload(u);
        u->q.stream = NULL;
        s = opened(u);
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
    u->waited = (atomic_ullong *)(void *)(u->entry + launch_entries(g));
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
    if (!s) s = opened(u);
    if (!s) return &u->unit;
    device_error(c, &u->q, s, "a function is made for it");
    release(&u->unit);
    return NULL;
}
