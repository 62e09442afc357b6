/*
 * device.c -- a function for device=cuda: the GPU, and the unit that launches the plan's kernels there.
 */
#include "runtime/device/device.h"
#include "runtime/launch.h"
#include "compile.h"

Device *compile_device(ThContext *c) {
    const char *why;
    Device *d = device_open(c, 0, &why);
    if (d || failed(c)) return d;
    if (config_bool(c, "force_device")) {
        err(c, TH_GpuError, "device=cuda with force_device: %s", why);
    } else if (!c->told_device) {
        c->told_device = true;
        ctx_log(c, "theano: device=cuda: %s; functions run on the CPU", why);
    }
    return NULL;
}

Unit *compile_for_device(ThContext *c, const Plan *plan) {
    Device *d = compile_device(c);
    char arch[16], *source;
    if (!d) return NULL;
    number_format(arch, sizeof arch, "sm_%d%d", d->info.major, d->info.minor);
    GridProgram *g = cuda_program(plan, d->info.emulated ? NULL : arch, &source);
    return g ? launch_unit(c, g, source, d) : NULL;
}
