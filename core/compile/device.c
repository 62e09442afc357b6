/*
 * device.c -- a function for a GPU (the flag device): the GPU, and the unit that launches the plan's kernels there.
 */
#include "runtime/device/device.h"
#include "runtime/launch.h"
#include "compile.h"

Device *compile_device(ThContext *c) {
    const char *why, *name = config_str(c, "device");
    Device *d = device_is_gpu(name) ? device_open(c, name, &why) : NULL;
    if (d || failed(c) || !device_is_gpu(name)) return d;
    if (config_bool(c, "force_device")) {
        err(c, TH_GpuError, "device=%s with force_device: %s", name, why);
    } else if (!c->told_device) {
        c->told_device = true;
        ctx_log(c, "theano: device=%s: %s; functions run on the CPU", name, why);
    }
    return NULL;
}

Unit *compile_for_device(ThContext *c, const Plan *plan) {
    Device *d = compile_device(c);
    char *source;
    GridProgram *g = d ? cuda_program(plan, d, &source) : NULL;
    return g ? launch_unit(c, plan, g, source, d) : NULL;
}
