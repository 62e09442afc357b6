/*
 * record.c -- what the program's functions take and hold: parameters, fields of the state; and what two calls of the
 * example give, for the test that is written beside it.
 */
#include "export.h"

#include <stdio.h>

/* Inputs whose new values after each call are results of the plan behind the plain ones. */
static int state_result(const ThFunction *f, int input) {
    for (int k = 0; k < f->nstate; k++)
        if (f->state_in[k] == input) return f->nout + k;
    return -1;
}

static bool field(Export *x, const char *name, const char *otherwise, ThArray *value, int buf) {
    Field *d = &x->field[x->nfield];
    *d = (Field){.value = th_array_copy(value), .buf = buf};
    if (!d->value) return false;
    x->nfield++;
    return export_name(x, name, otherwise, &d->name);
}

static bool fields(Export *x) {
    const Plan *p = x->p;
    char usual[24];
    bool ok = (x->field = arena_alloc0(x->arena, sizeof *x->field * (size_t)(p->nshared + x->f->nin + 1))) != NULL;
    for (int i = 0; ok && i < p->nshared; i++) {
        const ThVar *v = th_function_shared(x->f, i);
        snprintf(usual, sizeof usual, "shared%d", i);
        ok = field(x, v ? v->name : NULL, usual, p->shared[i]->value, x->f->shared_buf[i]);
    }
    for (int i = 0; ok && i < x->f->nin; i++) {
        if (state_result(x->f, i) < 0) continue;
        ThArray *value = th_function_default(x->f, i);
        snprintf(usual, sizeof usual, "state%d", i);
        ok = value && field(x, x->f->in[i].name, usual, value, x->f->in_buf[i]);
        th_array_release(value);
    }
    return ok;
}

/* The example of input i, or its default. */
static bool argument(Export *x, int i) {
    ThArray *given = i < x->how->nexample ? x->how->example[i] : NULL;
    ThArray *usual = given ? th_array_retain(given) : th_function_default(x->f, i);
    if (!usual) {
        const char *name = x->f->in[i].name;
        return err(x->c, TH_TypeError, "export: an example of input %d%s%s is needed, for its lengths", i,
                   name ? ", " : "", name ? name : "");
    }
    ThArray *fits = filter_array(x->f, i, usual);
    th_array_release(usual);
    x->arg[i] = fits ? th_array_copy(fits) : NULL;
    th_array_release(fits);
    return x->arg[i] != NULL;
}

static bool arguments(Export *x) {
    const ThFunction *f = x->f;
    char usual[24];
    if (x->how->nexample > f->nin)
        return err(x->c, TH_TypeError, "export: %d examples are given, and the function has %d inputs",
                   x->how->nexample, f->nin);
    for (int i = 0; i < f->nin; i++) {
        if (state_result(f, i) >= 0) continue;
        if (!argument(x, i)) return false;
        Param *d = &x->in[x->nin];
        *d = (Param){.dtype = (ThDtype)x->arg[i]->dtype,
                     .ndim = x->arg[i]->ndim,
                     .shape = ARRAY_SHAPE(x->arg[i]),
                     .buf = f->in_buf[i],
                     .input = i,
                     .written = f->in[i].mutable_,
                     .usual = th_function_default((ThFunction *)f, i)};
        x->nin++;
        snprintf(usual, sizeof usual, "in%d", i);
        if (failed(x->c) || !export_name(x, f->in[i].name, usual, &d->name)) return false;
    }
    return true;
}

static bool results(Export *x) {
    char usual[24];
    for (int i = 0; i < x->f->nout; i++) {
        const ThArray *a = x->recorded[i];
        Param *d = &x->out[i];
        *d = (Param){.dtype = (ThDtype)a->dtype, .ndim = a->ndim, .shape = ARRAY_SHAPE(a)};
        x->nout++;
        snprintf(usual, sizeof usual, x->f->nout > 1 ? "out%d" : "out", i);
        const char *name = i < x->how->nresult_names ? x->how->result_names[i] : x->p->output[i].name;
        if (!export_name(x, name, usual, &d->name)) return false;
    }
    return true;
}

/* The example's calls; a mutable argument is copied, so that both begin alike. */
static bool call(Export *x, int number) {
    const ThFunction *f = x->f;
    ThArray **arg = arena_alloc0(x->arena, sizeof *arg * (size_t)(f->nin + 1));
    if (!arg) return false;
    bool ok = true;
    for (int i = 0; ok && i < f->nin; i++)
        if (x->arg[i])
            ok = (arg[i] = f->in[i].mutable_ ? th_array_copy(x->arg[i]) : th_array_retain(x->arg[i])) != NULL;
    ok = ok && !th_call(x->f, arg, f->nin, x->recorded + number * f->nout);
    for (int i = 0; i < f->nin; i++) th_array_release(arg[i]);
    for (int i = 0; ok && i < f->nout; i++) { /* results may be views of what the next call writes */
        ThArray **r = &x->recorded[number * f->nout + i], *own = th_array_copy(*r);
        th_array_release(*r);
        ok = (*r = own) != NULL;
    }
    return ok;
}

bool export_record(Export *x) {
    const ThFunction *f = x->f;
    x->in = arena_alloc0(x->arena, sizeof *x->in * (size_t)(f->nin + 1));
    x->out = arena_alloc0(x->arena, sizeof *x->out * (size_t)(f->nout + 1));
    x->arg = arena_alloc0(x->arena, sizeof *x->arg * (size_t)(f->nin + 1));
    x->recorded = arena_alloc0(x->arena, sizeof *x->recorded * (size_t)(EXPORT_CALLS * f->nout + 1));
    if (!x->in || !x->out || !x->arg || !x->recorded) return false;
    if (!fields(x) || !arguments(x)) return false;
    for (int i = 0; i < EXPORT_CALLS; i++)
        if (!call(x, i)) return false;
    return results(x);
}
