/*
 * moves.c -- what lies side by side in memory goes to and from a thread's registers 16 bytes at a time: w<id>[] holds
 * what instruction id loads or stores for each of the thread's neighbouring points.
 */
#include "cuda.h"

#include <stdio.h>

/* How many elements move together, and at what multiples of bytes an address is then good for it. */
static int together(const Emit *e, const NestNode *n, ThDtype *d, int *align) {
    int lanes = grid_neighbours(e->nest) > 1 ? grid_neighbours(e->nest) : neighbours_inside(e->nest, n->stage);
    *d = (ThDtype)e->k->acc.at[e->k->ins.at[n->first].a].dtype;
    int bytes = lanes * (int)th_dtype_bytes(*d);
    *align = bytes > 16 ? 16 : bytes;
    return lanes;
}

/* The words of a helper that moves all at once. */
static void at_once(Text *h, const char *indent, const char *pack, int lanes, bool load) {
    if (load) text_printf(h, "%sconst %s x = *(const %s *)from;\n", indent, pack, pack);
    else text_printf(h, "%s%s x;\n", indent, pack);
    text_printf(h, "%sUNROLL\n%sfor (int j = 0; j < %d; j++) %s;\n", indent, indent, lanes,
                load ? "to[j] = x.v[j]" : "x.v[j] = from[j]");
    if (!load) text_printf(h, "%s*(%s *)to = x;\n", indent, pack);
}

/* (to, from, there): as many elements as are there; the others are zeros, which nobody stores. (to, from) where all are
 * known to be, at a good address. */
static const char *helper(Emit *e, ThDtype d, int lanes, int align, bool load, char name[32]) {
    static const char *const how[] = {"", "all_", "each_"};
    const char *ty = type_short(d);
    bool all = e->moved == MOVED_WHOLE;
    char pack[24];
    Text *h = &e->helpers;
    snprintf(pack, sizeof pack, "%sq%d", ty, lanes);
    snprintf(name, 32, "%s%s%d_%s", how[e->moved], load ? "load" : "store", lanes, ty);
    if (need(e, pack)) text_printf(h, "typedef struct ALIGNED(%d) { %s v[%d]; } %s;\n", align, ty, lanes, pack);
    if (!need(e, name)) return name;
    text_printf(h, "INLINE void %s(%s *to, const %s *from%s) {\n", name, ty, ty, all ? "" : ", int there");
    if (all) at_once(h, "    ", pack, lanes, load);
    if (e->moved == MOVED_ASKING) {
        text_printf(h, "    if (there == %d && ((u64)%s & %d) == 0) {\n", lanes, load ? "from" : "to", align - 1);
        at_once(h, "        ", pack, lanes, load);
        text_put(h, "        return;\n    }\n");
    }
    if (!all) {
        text_printf(h, "    UNROLL\n    for (int j = 0; j < %d; j++) ", lanes);
        if (load) text_printf(h, "{ to[j] = MK(%s, 0); if (j < there) to[j] = from[j]; }\n", ty);
        else text_put(h, "if (j < there) to[j] = from[j];\n");
    }
    text_put(h, "}\n");
    return name;
}

void cuda_move(Emit *e, const NestNode *n) {
    const Ins *i = &e->k->ins.at[n->first];
    ThDtype d;
    bool load = n->how == MOVE_LOAD;
    int align, lanes = together(e, n, &d, &align);
    const char *there = e->moved == MOVED_WHOLE ? "" : ", there";
    char name[32];
    Text t;
    text_init(&t, e->c);
    emit_address(e, &t, i->a, i->depth);
    helper(e, d, lanes, align, load, name);
    if (load)
        emit_line(e, "%s w%d[%d]; %s(w%d, %s%s);", type_short(d), n->first, lanes, name, n->first, t.at ? t.at : "0",
                  there);
    else emit_line(e, "%s(%s, w%d%s);", name, t.at ? t.at : "0", n->first, there);
    text_free(&t);
}

void cuda_if_whole(Emit *e, const NestNode *loop) {
    Text t;
    int moves = 0;
    text_init(&t, e->c);
    for (const NestNode *n = loop->child; n; n = n->next) {
        if (n->kind != NEST_MOVE || (n->how != MOVE_LOAD && n->how != MOVE_STORE)) continue;
        const Ins *i = &e->k->ins.at[n->first];
        ThDtype d;
        int align;
        together(e, n, &d, &align);
        text_put(&t, moves++ ? " | ((u64)(" : " && (((u64)(");
        emit_address(e, &t, i->a, i->depth);
        text_printf(&t, ") & %d)", align - 1);
    }
    if (moves) text_put(&t, ") == 0");
    emit_line(e, "if (there == %d%s) {", loop->lanes, t.at ? t.at : "");
    text_free(&t);
}

void cuda_stored(Emit *e, const NestNode *n, int lanes) {
    for (; n; n = n->next) {
        if (n->kind != NEST_MOVE || n->how != MOVE_STORE) continue;
        const Access *a = &e->k->acc.at[e->k->ins.at[n->first].a];
        emit_line(e, "%s w%d[%d];", type_short((ThDtype)a->dtype), n->first, lanes);
    }
}
