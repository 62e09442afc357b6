/*
 * plain.c -- a C host without Lua: builds a graph through theano.h, asks for a gradient, compiles, and runs gradient
 * descent. build/examples/host/plain Fits y = a x + b to noise-free points and prints a and b (3 and -1).
 */
#include "theano.h"

#include <stdio.h>

static int fail(ThContext *c) {
    fprintf(stderr, "%s: %s\n", th_error_name(th_error(c)), th_error_text(c));
    return 1;
}

static ThArray *numbers(ThContext *c, const double *v, int64_t n) {
    ThArray *a = th_array_empty(c, TH_FLOAT64, n ? 1 : 0, &n);
    double *p = a ? th_array_data(a) : NULL;
    for (int64_t i = 0; p && i < (n ? n : 1); i++) p[i] = v[i];
    return a;
}

/* shared - rate * gradient */
static ThVar *descend(ThContext *c, ThVar *shared, ThVar *gradient, double rate) {
    ThVar *r = th_constant_float(c, rate), *step = th_op(c, "mul", 2, r, gradient),
          *next = th_op(c, "sub", 2, shared, step);
    th_var_release(r);
    th_var_release(step);
    return next;
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    if (!c) return 1;
    const ThType vector = {.dtype = TH_FLOAT64, .ndim = 1};
    const double zero = 0, xs[4] = {0, 1, 2, 3}, ys[4] = {-1, 2, 5, 8};
    ThArray *start = numbers(c, &zero, 0), *dx = numbers(c, xs, 4), *dy = numbers(c, ys, 4);
    ThVar *x = th_variable_new(c, vector, "x"), *y = th_variable_new(c, vector, "y");
    ThVar *a = th_shared_new(c, start, "a", false, 0), *b = th_shared_new(c, start, "b", false, 0);

    /* cost = mean((a x + b - y)^2); builders given NULL return NULL, so one check at the end is enough */
    ThVar *ax = th_op(c, "mul", 2, a, x), *line = th_op(c, "add", 2, ax, b), *error = th_op(c, "sub", 2, line, y);
    ThVar *square = th_op(c, "sqr", 1, error), *cost = th_op(c, "mean", 1, square);
    ThVar *wrt[2] = {a, b}, *gradient[2] = {NULL, NULL};
    if (!cost || th_grad(c, cost, wrt, 2, NULL, gradient)) return fail(c);

    const ThIn in[2] = {{.var = x, .allow_downcast = -1}, {.var = y, .allow_downcast = -1}};
    const ThOut out = {.var = cost};
    const ThPair updates[2] = {{a, descend(c, a, gradient[0], 0.1)}, {b, descend(c, b, gradient[1], 0.1)}};
    const ThCompile spec = {.in = in,
                            .nin = 2,
                            .out = &out,
                            .nout = 1,
                            .updates = updates,
                            .nupdates = 2,
                            .name = "train",
                            .allow_input_downcast = -1};
    ThFunction *train = th_compile(c, &spec);
    if (!train) return fail(c);

    ThArray *args[2] = {dx, dy}, *loss = NULL;
    for (int i = 0; i < 500; i++) {
        th_array_release(loss);
        loss = NULL;
        if (th_call(train, args, 2, &loss)) return fail(c);
    }
    ThArray *va = th_shared_get(a, false), *vb = th_shared_get(b, false);
    if (!va || !vb) return fail(c);
    printf("a = %.4f, b = %.4f, loss %.1e\n", *(double *)th_array_data(va), *(double *)th_array_data(vb),
           *(double *)th_array_data(loss));

    ThArray *arrays[] = {start, dx, dy, loss, va, vb};
    ThVar *vars[] = {
        x, y, a, b, ax, line, error, square, cost, gradient[0], gradient[1], updates[0].expr, updates[1].expr};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) th_array_release(arrays[i]);
    for (size_t i = 0; i < sizeof vars / sizeof *vars; i++) th_var_release(vars[i]);
    th_function_release(train);
    th_context_release(c);
    return 0;
}
