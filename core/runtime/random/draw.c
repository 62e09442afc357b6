/*
 * draw.c -- a stage of a kernel that draws random numbers (kernel/draw_work.h): by blocks of streams or of counters,
 * which threads may share, each told to what follows while it is in a near cache.
 */
#include "draw.h"
#include "base/random/mrg.h"
#include "base/random/philox.h"

#include <string.h>

enum { SHARED_OUT = 1 << 16 }; /* numbers for which it pays to wake threads */

/* ---- MRG31k3p ---------------------------------------------------------------------------------------------------- */
typedef struct Mrg {
    MrgDraw w;
    atomic_bool wrong; /* some states are none */
} Mrg;

static void run_block(int i, void *user) {
    Mrg *m = user;
    if (!mrg_block(&m->w, i)) atomic_store_explicit(&m->wrong, true, memory_order_relaxed);
}

/* Blocks [0, n) of a draw; false: states are none. */
static bool run_blocks(HostCall *h, Mrg *m, int64_t n) {
    if (n > 1 && m->w.n >= SHARED_OUT) h->parallel(h, (int)n, run_block, m); /* an int counts what memory holds */
    else
        for (int64_t i = 0; i < n; i++) run_block((int)i, m);
    return !atomic_load_explicit(&m->wrong, memory_order_relaxed);
}

/* What vmap added: the same for each further draw, from states that jump ahead each time. */
static bool run_lanes(HostCall *h, Mrg *m, int64_t lanes, int32_t *ahead) {
    int64_t used = mrg_used(&m->w), bytes = m->w.n * (int64_t)th_dtype_bytes(m->w.d);
    m->w.from = ahead, m->w.to = NULL;
    for (int64_t l = 1; l < lanes; l++) {
        if (m->w.out) m->w.out = (char *)m->w.out + bytes;
        m->w.first += m->w.n;
        for (int64_t i = 0; i < used; i++) mrg_jump(ahead + i * MRG_STATE, MRG_JUMP_LANE);
        if (!run_blocks(h, m, mrg_blocks(&m->w))) return false;
    }
    return true;
}

static int draw_mrg(HostCall *h, const CallWork *call, MrgDraw w) {
    const int64_t *at = call->numbers;
    int64_t lanes = at[DRAW_AT_DRAWS], used;
    int32_t *ahead = NULL;
    Mrg m = {.w = w};
    m.w.from = call->a, m.w.to = (int32_t *)call->b;
    m.w.streams = at[DRAW_AT_STREAMS], m.w.n = lanes ? at[DRAW_AT_EACH] : 0;
    used = mrg_used(&m.w);
    if (lanes > 1 && used > 0) {
        ahead = h->room(h, (uint64_t)(used * MRG_STATE) * sizeof *ahead + 64);
        if (!ahead) return 1;
        memcpy(ahead, m.w.from, (size_t)(used * MRG_STATE) * sizeof *ahead);
    }
    /* What several blocks overwrite is looked at before; one looks itself. */
    m.w.valid = m.w.to == m.w.from && used > MRG_WIDE && mrg_valid(m.w.from, used);
    bool good = m.w.valid || m.w.to != m.w.from || used <= MRG_WIDE;
    if (good && run_blocks(h, &m, mrg_blocks(&m.w)) && (!ahead || run_lanes(h, &m, lanes, ahead))) return 0;
    return h->fail(h, TH_ValueError, DRAW_NO_STATES);
}

/* ---- Philox ------------------------------------------------------------------------------------------------------ */
static void run_part(int i, void *user) { philox_part(user, i); }

static void draw_philox(HostCall *h, const CallWork *call, PhiloxDraw w) {
    const uint32_t *key = call->a, *counter = call->b;
    int64_t draws = call->numbers[DRAW_AT_DRAWS], item = (int64_t)th_dtype_bytes(w.d);
    char *out = w.out;
    w.n = call->numbers[DRAW_AT_EACH];
    int64_t parts = philox_parts(&w); /* an int counts them: 2^45 elements are more than there is memory */
    for (int64_t i = 0; i < draws; i++, key += 2, counter += 4) {
        w.first = i * w.n;
        w.out = out ? out + w.first * item : NULL;
        memcpy(w.key, key, sizeof w.key);
        memcpy(w.counter, counter, sizeof w.counter);
        if (parts > 1) h->parallel(h, (int)parts, run_part, &w);
        else if (parts) philox_part(&w, 0);
    }
}

int draw_call(HostCall *h, const CallWork *call, RandomDone done, void *user) {
    ThDtype d = (ThDtype)call->dtype;
    if (call->numbers[DRAW_AT_KIND] == DRAW_MRG)
        return draw_mrg(h, call, (MrgDraw){.d = d, .out = call->c, .done = done, .user = user});
    draw_philox(h, call, (PhiloxDraw){.d = d, .out = call->c, .done = done, .user = user});
    return 0;
}
