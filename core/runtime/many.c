/*
 * many.c -- launches of one kernel on several arrays as one.
 */
#include "many.h"

#include <string.h>

bool many_bytes(const PlanBuf *p, const ThFrame *f, int64_t *bytes) {
    int64_t n;
    if (p->kind == BUF_WINDOW) return false;
    if (p->kind == BUF_TEMP || p->kind == BUF_OUTPUT) return size_bytes(p->size, f->sym, (ThDtype)p->dtype, bytes);
    *bytes = (int64_t)th_dtype_bytes((ThDtype)p->dtype);
    for (int d = 0; d < p->ndim; d++)
        if (!size_get(p->shape[d], f->sym, &n) || __builtin_mul_overflow(*bytes, n, bytes)) return false;
    return true;
}

static bool is_written(const Kernel *k, int buf) {
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == buf && k->acc.at[a].flags & (ACC_WRITE | ACC_ADD)) return true;
    return false;
}

bool many_spans(const Plan *p, const Step *s, const GridKernel *g, const ThFrame *f, const DeviceAddress *b,
                ManySpan *out) {
    if (s->nbuf > MANY_BUFFERS) return false;
    for (int i = 0; i < s->nbuf; i++) {
        int64_t bytes;
        if (!many_bytes(&p->buf[s->buf[i]], f, &bytes)) return false;
        out[i] = (ManySpan){b[i], (size_t)bytes, is_written(g->k, i)};
    }
    return true;
}

bool many_meet(const ManySpan *a, const ManySpan *b) {
    if (!a->write && !b->write) return false;
    return a->at == b->at || (a->at < b->at + b->bytes && b->at < a->at + a->bytes);
}

static int *ends(const Many *m) {
    return (int *)(void *)((char *)m->args + grid_record_bytes(m->g) * (size_t)m->g->many);
}

bool many_add(Many *m, const GridKernel *g, int step, const void *record, int64_t blocks, const ManySpan *span, int n) {
    if (m->g && (m->g != g || m->n == g->many)) return false;
    for (int i = 0; m->g && i < m->spans; i++)
        for (int j = 0; j < n; j++)
            if (many_meet(&m->span[i], &span[j])) return false;
    if (!m->g) m->n = m->spans = 0, m->blocks = 0, m->own = blocks;
    m->g = g;
    memcpy(m->args + grid_record_bytes(g) * (size_t)m->n, record, grid_record_bytes(g));
    memcpy(m->span + m->spans, span, (size_t)n * sizeof *span);
    m->spans += n;
    m->blocks += blocks;
    m->step[m->n] = step;
    ends(m)[m->n++] = (int)m->blocks;
    return true;
}

DeviceStatus many_launch(Many *m, DeviceQueue *q, void *what) {
    DeviceGrid grid = {(unsigned)m->blocks, CHOOSE_THREADS, 0};
    m->g = NULL;
    return q->device->op->launch(q, what, grid, m->args);
}
