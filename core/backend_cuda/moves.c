/*
 * moves.c -- what lies side by side in memory goes to and from a thread's registers 16 bytes at a time: w<id>[] holds
 * what instruction id loads or stores for each of the thread's neighbouring points.
 */
#include "cuda.h"

#include <stdio.h>

/* (to, from, there): as many elements as are there; the others are zeros, which nobody stores. */
static const char *helper(Emit *e, ThDtype d, int lanes, bool load, char name[32]) {
    const char *ty = type_short(d);
    int bytes = lanes * (int)th_dtype_bytes(d), align = bytes > 16 ? 16 : bytes;
    char pack[24];
    snprintf(pack, sizeof pack, "%sq%d", ty, lanes);
    snprintf(name, 32, "%s%d_%s", load ? "load" : "store", lanes, ty);
    if (need(e, pack))
        text_printf(&e->helpers, "typedef struct ALIGNED(%d) { %s v[%d]; } %s;\n", align, ty, lanes, pack);
    if (!need(e, name)) return name;
    Text *h = &e->helpers;
    text_printf(h, "INLINE void %s(%s *to, const %s *from, int there) {\n", name, ty, ty);
    text_printf(h, "    if (there == %d && ((u64)%s & %d) == 0) {\n", lanes, load ? "from" : "to", align - 1);
    if (load) text_printf(h, "        const %s x = *(const %s *)from;\n", pack, pack);
    else text_printf(h, "        %s x;\n", pack);
    text_printf(h, "        UNROLL\n        for (int j = 0; j < %d; j++) %s;\n", lanes,
                load ? "to[j] = x.v[j]" : "x.v[j] = from[j]");
    if (!load) text_printf(h, "        *(%s *)to = x;\n", pack);
    text_printf(h, "        return;\n    }\n    UNROLL\n    for (int j = 0; j < %d; j++) ", lanes);
    if (load) text_printf(h, "{ to[j] = MK(%s, 0); if (j < there) to[j] = from[j]; }\n}\n", ty);
    else text_put(h, "if (j < there) to[j] = from[j];\n}\n");
    return name;
}

void cuda_move(Emit *e, const NestNode *n) {
    const Ins *i = &e->k->ins.at[n->first];
    ThDtype d = (ThDtype)e->k->acc.at[i->a].dtype;
    bool load = n->how == MOVE_LOAD;
    int lanes = grid_neighbours(e->nest) > 1 ? grid_neighbours(e->nest) : neighbours_inside(e->nest, n->stage);
    char name[32];
    Text t;
    text_init(&t, e->c);
    cuda_address(e, &t, i->a, i->depth);
    helper(e, d, lanes, load, name);
    if (load) emit_line(e, "%s w%d[%d]; %s(w%d, %s, there);", type_short(d), n->first, lanes, name, n->first, t.at);
    else emit_line(e, "%s(%s, w%d, there);", name, t.at ? t.at : "0", n->first);
    text_free(&t);
}

void cuda_stored(Emit *e, const NestNode *n, int lanes) {
    for (; n; n = n->next) {
        if (n->kind != NEST_MOVE || n->how != MOVE_STORE) continue;
        const Access *a = &e->k->acc.at[e->k->ins.at[n->first].a];
        emit_line(e, "%s w%d[%d];", type_short((ThDtype)a->dtype), n->first, lanes);
    }
}
