/* host.c -- lanes of arrays and errors of host calls (see host.h). */
#include "host.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int host_error(HostCall *h, ThError kind, const char *format, ...) {
    char text[256];
    va_list ap;
    va_start(ap, format);
    number_vformat(text, sizeof text, format, ap);
    va_end(ap);
    return h->fail(h, kind, text);
}

void host_failure_text(ThContext *c, char *to, size_t room, const Op *op, int which, const int64_t *v) {
    Text t;
    text_init(&t, c);
    for (const char *s = op->failures[which].text; *s; s++) {
        bool value = s[0] == '{' && s[1] >= '0' && s[1] <= '3', real = value && s[2] == 'g';
        double d;
        if (value) memcpy(&d, &v[s[1] - '0'], sizeof d);
        if (!value) text_putc(&t, *s);
        else if (real) text_printf(&t, "%g", d != d ? (double)NAN : d); /* not -nan */
        else text_printf(&t, "%lld", (long long)v[s[1] - '0']);
        if (value) s += 2 + real;
    }
    number_format(to, room, "%s", t.at ? t.at : "");
    text_free(&t);
}

int host_failed(HostCall *h, int which, int64_t v0, int64_t v1, int64_t v2, int64_t v3) {
    char text[256];
    host_failure_text(h->ctx, text, sizeof text, h->op, which, (const int64_t[]){v0, v1, v2, v3});
    return h->fail(h, h->op->failures[which].kind, text);
}

int64_t host_int(const HostCall *h, int i) { return array_item_int(h->in[i]); }

void host_lanes(Lanes *l, ThArray *const *arrays, int count, int axis) {
    *l = (Lanes){.count = count, .ndim = arrays[0]->ndim, .axis = axis};
    for (int d = 0; d < l->ndim; d++) {
        l->shape[d] = ARRAY_SHAPE(arrays[0])[d];
        if (d != axis && l->shape[d] == 0) l->done = true;
    }
    for (int k = 0; k < count; k++) {
        l->ptr[k] = arrays[k]->data;
        l->step[k] = ARRAY_STRIDES(arrays[k])[axis];
        l->n[k] = ARRAY_SHAPE(arrays[k])[axis];
        for (int d = 0; d < l->ndim; d++) l->stride[k][d] = ARRAY_STRIDES(arrays[k])[d];
    }
}

void host_next(Lanes *l) {
    for (int d = l->ndim - 1; d >= 0; d--) {
        if (d == l->axis) continue;
        bool wrap = ++l->at[d] == l->shape[d];
        for (int k = 0; k < l->count; k++) l->ptr[k] += wrap ? -(l->shape[d] - 1) * l->stride[k][d] : l->stride[k][d];
        if (!wrap) return;
        l->at[d] = 0;
    }
    l->done = true;
}

#define MOVE(bytes, type) \
    case bytes: \
        for (int64_t i = 0; i < n; i++) memcpy(to + i * ts, from + i * fs, sizeof(type)); \
        return

static void move(char *to, int64_t ts, const char *from, int64_t fs, int64_t n, size_t item) {
    if (ts == (int64_t)item && fs == ts) {
        memcpy(to, from, (size_t)n * item);
        return;
    }
    switch (item) {
        MOVE(1, uint8_t);
        MOVE(2, uint16_t);
        MOVE(4, uint32_t);
        MOVE(8, uint64_t);
        MOVE(16, ThComplex128);
    default: break;
    }
}

void host_get(void *line, const char *lane, int64_t step, int64_t n, size_t item) {
    move(line, (int64_t)item, lane, step, n, item);
}

void host_put(char *lane, int64_t step, const void *line, int64_t n, size_t item) {
    move(lane, step, line, (int64_t)item, n, item);
}
