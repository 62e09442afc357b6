/*
 * conv.c -- conv2d, conv3d, their gradients, conv2d_transpose.
 * In: tensors and keywords as Theano has them. Out: one of the three convolutions of conv.h. Parameters are found by
 * name, since every function has its own order of them.
 */
#include "ops/image/conv.h"
#include "util.h"

#include <stdio.h>
#include <string.h>

/* Position of a parameter of this name; -1: the function has none. */
static int param(const Front *f, const char *name) {
    const char *s = f->info->signature;
    size_t n = strlen(name);
    for (int i = 0; s; i++) {
        s += strspn(s, " *");
        if (strncmp(s, name, n) == 0 && (s[n] == ',' || s[n] == '=' || !s[n])) return i;
        s = strchr(s, ',');
        if (s) s++;
    }
    return -1;
}

static const ThArg *given(const Front *f, const char *name) {
    int i = param(f, name);
    return i < 0 || front_none(f, i) ? NULL : &f->arg[i];
}

static bool number_of(const ThArg *a, int64_t *v) {
    if (a->kind == TH_ARG_INT) *v = a->i;
    else if (a->kind == TH_ARG_VAR && a->var) return scalar_known(a->var, v);
    else return false;
    return true;
}

/* ---- border_mode ------------------------------------------------------------------------------------------------- */
static bool bad_border(Front *f, const char *what) {
    front_error(
        f, TH_ValueError,
        "invalid border_mode%s: it must be \"valid\", \"full\", \"half\", an integer, or a list with an integer "
        "or a pair of integers for each dimension, none of them negative",
        what);
    return false;
}

/* An integer for both sides, or a pair. */
static bool read_pad(Front *f, const ThArg *a, int64_t *pad) {
    char text[80];
    bool pair = a->kind == TH_ARG_LIST && a->list.n == 2;
    bool ok = pair ? number_of(&a->list.at[0], &pad[0]) && number_of(&a->list.at[1], &pad[1]) : number_of(a, &pad[0]);
    if (!pair) pad[1] = pad[0];
    if (!ok) return bad_border(f, "");
    if (pad[0] >= 0 && pad[1] >= 0) return true;
    snprintf(text, sizeof text, " (a padding of %lld)", (long long)(pad[0] < 0 ? pad[0] : pad[1]));
    return bad_border(f, text);
}

static bool read_border(Front *f, ConvAttrs *at) {
    const ThArg *a = given(f, "border_mode");
    at->border = CONV_VALID;
    if (!a) return true;
    if (a->kind == TH_ARG_STR) {
        char text[80];
        at->border = strcmp(a->s, "valid") == 0  ? CONV_VALID
                     : strcmp(a->s, "half") == 0 ? CONV_HALF
                     : strcmp(a->s, "full") == 0 ? CONV_FULL
                                                 : -1;
        snprintf(text, sizeof text, " \"%.40s\"", a->s);
        return at->border >= 0 || bad_border(f, text);
    }
    at->border = CONV_PADS;
    at->pad.n = 2 * at->ndim;
    if (a->kind == TH_ARG_LIST && a->list.n != at->ndim) return bad_border(f, " (a list of another length)");
    for (int d = 0; d < at->ndim; d++)
        if (!read_pad(f, a->kind == TH_ARG_LIST ? &a->list.at[d] : a, &at->pad.at[2 * d])) return false;
    return true;
}

/* ---- steps and hints --------------------------------------------------------------------------------------------- */
static bool read_steps(Front *f, const char *name, const char *other, AttrLongs *v, int64_t n) {
    const ThArg *a = given(f, name);
    if (!a && other) a = given(f, other), name = other;
    v->n = n;
    for (int d = 0; d < n; d++) {
        v->at[d] = 1;
        if (!a) continue;
        if (a->kind == TH_ARG_LIST && a->list.n != n)
            return front_error(f, TH_ValueError, "%s must be a list of %d integers, it has %d", name, (int)n,
                               a->list.n) > 0;
        if (!number_of(a->kind == TH_ARG_LIST ? &a->list.at[d] : a, &v->at[d]))
            return front_error(f, TH_TypeError, "%s must be a list of %d integers", name, (int)n) > 0;
        if (v->at[d] < 1)
            return front_error(f, TH_ValueError, "%s must be positive, it holds %lld", name, (long long)v->at[d]) > 0;
    }
    return true;
}

/* Lengths that the user says; unknown ones (nil, false) are -1, and symbolic ones where the name is that of lengths
 * that are computed (`computed`). */
static bool read_hint(Front *f, const char *name, const char *computed, AttrLongs *v, int64_t n) {
    const ThArg *a = given(f, name);
    bool symbolic = computed && strcmp(name, computed) == 0;
    if (!a || (a->kind == TH_ARG_LIST && !a->list.n)) return true; /* {}: no keywords */
    if (a->kind == TH_ARG_VAR)
        return symbolic || front_error(f, TH_TypeError,
                                       "%s is a list of %d lengths that are known while building "
                                       "(false: unknown), not a variable",
                                       name, (int)n) > 0;
    if (a->kind != TH_ARG_LIST || a->list.n != n)
        return front_error(f, TH_ValueError, "%s must be a list of %d lengths (false: unknown)", name, (int)n) > 0;
    v->n = n;
    bool any = false;
    for (int d = 0; d < n; d++) {
        const ThArg *e = &a->list.at[d];
        v->at[d] = -1;
        if (e->kind == TH_ARG_NONE || e->kind == TH_ARG_BOOL) continue;
        if (!number_of(e, &v->at[d])) {
            v->at[d] = -1;
            if (e->kind == TH_ARG_VAR && symbolic) continue;
            return front_error(f, TH_TypeError, "%s must hold integers that are known while building, or false", name) >
                   0;
        }
        if (v->at[d] < 0) return front_error(f, TH_ValueError, "%s holds a negative length", name) > 0;
        any = true;
    }
    if (!any) *v = (AttrLongs){0};
    return true;
}

static bool flag(Front *f, const char *name, bool otherwise) {
    const ThArg *a = given(f, name);
    return a ? front_bool(f, param(f, name)) : otherwise;
}

/* All keywords. image, filter: the parameters that hold shapes of images and filters; computed: the one of them, if
 * any, that says the lengths of the result, also symbolic ones. */
static bool read_attrs(Front *f, ConvAttrs *at, const char *image, const char *filter, const char *computed) {
    *at = (ConvAttrs){.ndim = strstr(f->info->name, "conv3d") ? 3 : 2, .groups = 1};
    at->unshared = flag(f, "unshared", false);
    at->flip = flag(f, "filter_flip", true);
    if (given(f, "num_groups")) at->groups = front_int(f, param(f, "num_groups"));
    if (failed(f->ctx)) return false;
    if (at->groups < 1)
        return front_error(f, TH_ValueError, "num_groups must be at least 1, it is %lld", (long long)at->groups) > 0;
    if (given(f, "image_shape") && !given(f, "input_shape")) image = "image_shape";
    return read_border(f, at) && read_steps(f, "subsample", "input_dilation", &at->subsample, at->ndim) &&
           read_steps(f, "filter_dilation", NULL, &at->dilation, at->ndim) &&
           read_hint(f, image, computed, &at->imshp, 2 + at->ndim) &&
           read_hint(f, filter, computed, &at->kshp, 2 + at->ndim * (at->unshared ? 2 : 1));
}

int front_conv(Front *f) {
    ConvAttrs at;
    ThVar *x = front_var(f, 0), *w = front_var(f, 1);
    if (!x || !w || !read_attrs(f, &at, "input_shape", "filter_shape", NULL)) return -1;
    return front_return(f, conv_make(f->b, CONV_FORWARD, &at, x, w, NULL));
}

/* The last n lengths of parameter i: of a list of numbers and scalars, or of a vector. */
static ThVar *last_lengths(Front *f, int i, const char *name, int64_t ndim, int64_t all) {
    const ThArg *a = &f->arg[i];
    ThVar *v[CONV_MAX];
    if (a->kind == TH_ARG_LIST && a->list.n != all) {
        front_error(f, TH_ValueError, "%s must have %d lengths, it has %d", name, (int)all, a->list.n);
        return NULL;
    }
    ThVar *whole = a->kind == TH_ARG_LIST ? NULL : front_var(f, i);
    if (a->kind != TH_ARG_LIST && (!whole || whole->type.ndim != 1)) {
        front_error(f, TH_ValueError, "%s must be a list of %d lengths or a vector", name, (int)all);
        return NULL;
    }
    for (int d = 0; d < ndim; d++) {
        const ThArg *e = whole ? NULL : &a->list.at[all - ndim + d];
        if (e && (e->kind == TH_ARG_NONE || e->kind == TH_ARG_BOOL)) {
            front_error(f, TH_ValueError, "%s: its last %d lengths must be given", name, (int)ndim);
            return NULL;
        }
        v[d] = whole ? subtensor_int_make(f->b, whole, all - ndim + d) : front_as_var(f, e, name);
        if (!v[d]) return NULL;
        if (v[d]->type.ndim != 0 || !dtype_is_int((ThDtype)v[d]->type.dtype)) {
            front_error(f, TH_TypeError, "%s must hold integers", name);
            return NULL;
        }
        int64_t n;
        if (scalar_known(v[d], &n)) v[d] = const_int(f->b, n, TH_INT64);
        if (v[d] && v[d]->type.kind == TYPE_SCALAR) v[d] = tensor_from_scalar_make(f->b, v[d]);
        v[d] = v[d] ? cast_make(f->b, v[d], TH_INT64) : NULL;
    }
    return front_shape_vector(f->b, v, (int)ndim);
}

int front_conv_grad_inputs(Front *f) {
    ConvAttrs at;
    bool transpose = front_is(f, "nnet.conv2d_transpose");
    const char *name = transpose ? "output_shape" : "input_shape";
    ThVar *top = front_var(f, 0), *w = front_var(f, 1);
    if (!top || !w || !read_attrs(f, &at, name, "filter_shape", name)) return -1;
    ThVar *lengths = last_lengths(f, 2, name, at.ndim, at.ndim + 2);
    return front_return(f, lengths ? conv_make(f->b, CONV_INPUTS, &at, w, top, lengths) : NULL);
}

int front_conv_grad_weights(Front *f) {
    ConvAttrs at;
    ThVar *x = front_var(f, 0), *top = front_var(f, 1);
    if (!x || !top || !read_attrs(f, &at, "input_shape", "filter_shape", "filter_shape")) return -1;
    ThVar *lengths = last_lengths(f, 2, "filter_shape", at.ndim, 2 + at.ndim * (at.unshared ? 2 : 1));
    return front_return(f, lengths ? conv_make(f->b, CONV_WEIGHTS, &at, x, top, lengths) : NULL);
}
