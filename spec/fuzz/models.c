/*
 * models.c -- libFuzzer over th_load: whatever the bytes are, a function or an error comes back, and what comes back
 * can be called, within limits. Length and hash of the head are put right first, so that what lies behind them is
 * reached. Built and run by scripts/fuzz-models.
 */
#include "theano.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), abort()))
enum { HEAD = 64, LIMIT = 64 << 20, MOST_IN = 8, MOST_OUT = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static uint64_t hash_of(const uint8_t *p, size_t n) {
    uint64_t h = 0xcbf29ce484222325ull, w;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * 0x100000001b3ull;
    }
    for (; n; p++, n--) h = (h ^ *p) * 0x100000001b3ull;
    return h;
}

static void seal(uint8_t *p, size_t n) {
    uint64_t all = n, hash = hash_of(p + HEAD, n - HEAD);
    memcpy(p, "\x93THEANO\n", 8);
    memcpy(p + 16, &all, 8);
    memcpy(p + 24, &hash, 8);
}

/* Zeros of three elements each way. */
static void call(ThContext *c, ThFunction *f) {
    const int nin = th_function_ninputs(f), nout = th_function_noutputs(f);
    int64_t shape[TH_MAX_NDIM];
    ThArray *in[MOST_IN] = {NULL}, *out[MOST_OUT] = {NULL};
    if (nin > MOST_IN || nout > MOST_OUT) return;
    for (int i = 0; i < nin; i++) {
        ThType t = th_var_type(th_function_input_var(f, i));
        for (int d = 0; d < t.ndim && d < TH_MAX_NDIM; d++) shape[d] = t.broadcastable >> d & 1 ? 1 : 3;
        in[i] = t.kind || t.ndim > 8 ? NULL : th_array_zeros(c, (ThDtype)t.dtype, t.ndim, shape);
    }
    th_error_clear(c);
    th_context_deadline(c, 0.1);
    bool bad = th_call(f, in, nin, out);
    MUST(bad == (th_error(c) != TH_OK));
    for (int i = 0; i < nout; i++) th_array_release(out[i]);
    for (int i = 0; i < nin; i++) th_array_release(in[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (n < HEAD) return 0;
    uint8_t *copy = malloc(n); /* to the byte, so that reading further shows */
    memcpy(copy, data, n);
    seal(copy, n);
    ThContext *c =
        th_context_new(&(ThHost){.environment = 'n', .limits = {.bytes = LIMIT, .nodes = 20000, .sealed = true}});
    th_context_deadline(c, 1);
    ThFunction *f = th_load(c, copy, n, NULL, NULL);
    MUST((f == NULL) == (th_error(c) != TH_OK));
    if (f) call(c, f);
    th_function_release(f);
    th_context_release(c);
    free(copy);
    return 0;
}
