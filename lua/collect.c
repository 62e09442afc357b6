/*
 * collect.c -- Lua's collector and memory that it cannot see: an array is some fifty bytes to it, whatever its buffer
 * holds.
 *
 * In: what userdata hold, as they come and go. Out: steps of the collector, asked for before new results are made: a
 * result that lives until the next one is then young when it dies, which is when the generational mode finds it. Always
 * holds: whatever the mode, dead arrays keep at most as much as live ones, and ROOM.
 */
#include "binding.h"

#include <time.h>

enum {
    SMALL = 4096,
    OFTEN = 512 << 10,
    FIRST = 8 << 20,
    SELDOM = 16 << 20,
    MANY = 8192,
    ROOM = 64 << 20,
    HEAP_ROOM = 4,
    RESULTS = 8,
    WAIT = 384 /* of Lua's own kilobytes: 8,000 views */
};

void lt_collect_init(LtState *s) {
    s->batch = FIRST; /* parameters and the first arguments: nothing of them is garbage, and modules are the heap */
    s->most = s->room = ROOM;
    s->wait = WAIT;
}

static double microseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Young results are found at the price of the young: often. A step that made a whole cycle (incremental mode) looked at
 * everything there is: seldom. The generational mode waits for a fifth of the heap, which is added where results are
 * large: two that take turns do not fit the cache that one fits; and where small ones have become many, which would
 * have left all caches when a large heap's fifth is there. These are waited for longer as long as a collection takes
 * more than a microsecond for each kilobyte: it goes through all of a table that was written to since the last one. */
static void step(lua_State *L, LtState *s) {
    size_t kb = s->owed >> 10;
    const int heap = lua_gc(L, LUA_GCCOUNT), grown = heap - s->heap;
    const bool many = s->batch == OFTEN && grown >= s->wait;
    const double from = many ? microseconds() : 0;
    if (many || s->owed >> 14 >= (size_t)s->young) kb += (size_t)heap / 5;
    s->owed = s->young = 0;
    bool cycle = lua_gc(L, LUA_GCSTEP, (int)(kb < 1 << 20 ? kb + 1 : 1 << 20)) == 1;
    s->batch = cycle ? SELDOM : OFTEN;
    if (!many && grown >= 0) return;
    const int now = lua_gc(L, LUA_GCCOUNT);
    if (now < heap || grown < 0) s->heap = now; /* else Lua has more to wait for */
    if (many) s->wait = microseconds() - from > grown ? 2 * grown : WAIT;
}

static size_t held(const LtState *s) { return s->held + th_held_bytes(s->ctx); }

/* What died old is found by a full collection only. */
static void full(lua_State *L, LtState *s) {
    lua_gc(L, LUA_GCCOLLECT);
    size_t heap = (size_t)lua_gc(L, LUA_GCCOUNT) << 10;
    s->owed = s->young = 0;
    s->room = heap * HEAP_ROOM > ROOM ? heap * HEAP_ROOM : ROOM;
    s->most = 2 * held(s) + s->room;
}

static void collect(lua_State *L, LtState *s) {
    if (s->owed < s->batch && s->young < MANY) return;
    if (lua_gc(L, LUA_GCISRUNNING) != 1) return; /* the user stopped it, or it runs us */
    step(L, s);
    const size_t now = held(s), most = 2 * now + s->room;
    if (most < s->most) s->most = most; /* what was much when it was last counted is gone */
    if (now > s->most) full(L, s);
}

size_t lt_hold(LtState *s, size_t bytes, bool alone) {
    enum { AROUND = 256 }; /* headers, and what the allocator adds */
    bytes += AROUND;
    s->held += bytes;
    s->owed += alone ? bytes : AROUND; /* what others hold too goes with none of them in a hurry */
    s->young++;
    return bytes;
}

/* Of several results of one call the first would be no young one when it dies: what lives for two steps is old. */
void lt_collect(lua_State *L, LtState *s) {
    s->spare = RESULTS;
    collect(L, s);
}

void lt_collect_between(lua_State *L, LtState *s) {
    if (s->spare > 0) s->spare--;
    else collect(L, s);
}

/* A large buffer is counted once, whatever views of it there are, and until nobody has it. */
size_t lt_hold_array(LtState *s, ThArray *a) {
    const size_t bytes = th_array_held_bytes(a);
    const bool alone = th_array_alone(a);
    if (bytes < SMALL) return lt_hold(s, bytes, alone);
    th_array_count_held(a);
    s->owed += alone ? bytes : 0;
    return lt_hold(s, 0, true);
}

void lt_let_go(LtState *s, size_t bytes) { s->held -= bytes < s->held ? bytes : s->held; }
