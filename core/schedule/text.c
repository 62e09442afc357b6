/*
 * text.c -- a Nest as readable text: one line a node, what is inside it below. docs/schedule.md says how to read it.
 */
#include "nest.h"

static void list(Text *out, const char *sign, const int *ids, int first, int n) {
    for (int i = 0; i < n; i++) text_printf(out, i ? " %s%d" : "%s%d", sign, ids ? ids[i] : first + i);
}

static void put_for(Text *out, const NestNode *n) {
    bool tiles = n->child && n->child->kind == NEST_MOVE && n->child->how == MOVE_TURN;
    static const char *const how[] = {"for",     "for",        "for flat", "pieces of",   "blocks of",
                                      "grid of", "threads of", "each of",  "a tile along"};
    text_put(out, how[n->how]);
    if (n->how == FOR_GRID || n->how == FOR_THREAD) {
        for (int l = n->loop; l < n->loop + n->n; l++) text_printf(out, " i%d", n->way->stage[n->stage].loop[l]);
        if (!n->n) text_put(out, " one point");
        if (n->lanes > 1) text_printf(out, ", by %d", n->lanes);
        if (n->share) text_put(out, ", in parts");
        if (tiles) text_put(out, ", by tiles");
        return;
    }
    text_printf(out, " i%d", n->dim);
    if (n->how == FOR_LANES) text_put(out, n->tail == TAIL_MASKED ? "'s neighbours" : "'s neighbours that are there");
    if (n->how == FOR_FLAT) text_put(out, " and i1");
    if (n->how == FOR_VECTOR || n->how == FOR_FLAT) text_printf(out, " by %d", n->lanes);
    if (n->vectors > 1) text_printf(out, ", %d %s", n->vectors, n->jam ? "together" : "vectors");
    if (n->far) text_printf(out, ", %d where rows are far", n->far);
    if (n->how == FOR_VECTOR && n->lanes > 1 && n->tail == TAIL_MASKED)
        text_put(out, n->vectors > 1 ? ", the rest masked" : ", all masked");
    if (n->copy) text_printf(out, ", copied from %d on", n->copy);
    if (n->seek) text_printf(out, ", sought from %d on", n->seek);
    if (n->how == FOR_PIECE && n->n > 1) text_printf(out, ", %d at least", n->n);
    if (n->how == FOR_BLOCK && n->share) text_put(out, ", for threads");
}

static void put_way(Text *out, const NestNode *n) {
    text_put(out, "if ");
    for (int i = 0; i < n->n; i++)
        text_printf(out, i ? " and n%d %s %d" : "n%d %s %d", n->test[i].dim, n->test[i].is, n->test[i].n);
    text_put(out, n->way->kind == WAY_SIDE ? ": rows side by side" : ": rows as one run");
}

static void put_move(Text *out, const NestNode *n) {
    static const char *const how[] = {"array of a",   "get %",  "put %",   "repeat a", "fetch ahead ",
                                      "fetch next %", "load %", "store %", "turn %"};
    text_put(out, n->how == MOVE_NEXT && n->n > 1 ? "fetch ahead %" : how[n->how]);
    if (n->how == MOVE_AHEAD) list(out, "%", n->ids, 0, n->n);
    else text_printf(out, "%d", n->first);
}

static void put_code(Text *out, const NestNode *n) {
    list(out, "%", n->ids, 0, n->n);
    for (int i = 0; i < n->n; i++) {
        int v = n->way->value[n->ids[i]];
        if (v & VALUE_HALVES) text_printf(out, ", %%%d by halves", n->ids[i]);
        if (v & VALUE_QUOTIENT) text_printf(out, ", %%%d by reciprocal", n->ids[i]);
        if (v & VALUE_STREAM) text_printf(out, ", %%%d may stream", n->ids[i]);
    }
    if (n->share) text_put(out, ", once");
}

static void put(Text *out, const NestNode *n) {
    static const char *const acc[] = {"begin ", "step ", "end ", "join ", "fold "};
    switch ((NestKind)n->kind) {
    case NEST_STAGE: text_printf(out, "stage %d", n->stage); break;
    case NEST_FOR: put_for(out, n); break;
    case NEST_CODE: put_code(out, n); break;
    case NEST_ACC:
        text_put(out, acc[n->how]);
        list(out, "r", NULL, n->first, n->n);
        break;
    case NEST_MOVE: put_move(out, n); break;
    case NEST_WAY: put_way(out, n); break;
    case NEST_SYNC: text_put(out, "sync"); break;
    case NEST_CALL:
        text_put(out, stage_call_name(n->way->stage[n->stage].st));
        text_put(out, n->way->stage[n->stage].st->feeds ? " of some images at a time" : "");
        if (n->n) text_put(out, " by tiles");
        if (n->share) text_put(out, " of each turn of the outer loops");
        text_put(out, n->child ? ", and on its tiles" : "");
        break;
    }
}

static void lines(Text *out, const NestNode *n, int depth) {
    for (; n; n = n->next) {
        text_printf(out, "%*s", 4 + 2 * depth, "");
        put(out, n);
        text_putc(out, '\n');
        lines(out, n->child, depth + 1);
    }
}

void nest_text(Text *out, const Nest *t) {
    text_printf(out, t->other ? "  nest for %s, the other way: %s\n" : "  nest for %s\n", t->target->name, t->other);
    lines(out, t->root, 0);
    if (t->twin && t->twin->across) text_put(out, "  or, by blocks of columns\n");
    else if (t->twin && t->twin->tiled) text_put(out, "  or, where tiles are full enough\n");
    else if (t->twin) text_put(out, "  or, where few points have long loops inside\n");
    if (t->twin) lines(out, t->twin->root, 0);
    if (t->warps) text_put(out, "  or, by warps, the same\n");
    if (t->few) text_put(out, "  or, by warps, an element a thread\n");
    if (t->none) text_put(out, "  or, where there are no points\n"), lines(out, t->none->root, 0);
    if (t->large) text_put(out, "  or, with indices of 64 bits, the same\n");
}

bool nest_show(Text *out, const Kernel *k, const Target *target, NestAsk ask) {
    bool gpu = !target->vector_bytes;
    if (gpu && !grid_can(k)) return text_printf(out, "  no nest for %s yet\n", target->name), true;
    Arena *a = arena_new(k->ctx);
    KernelOrder o;
    const Nest *t = NULL;
    if (a && kernel_order(k, a, &o)) t = gpu ? nest_choose_grid(k, &o, target, a) : nest_choose(k, &o, target, ask, a);
    if (t) nest_text(out, t);
    arena_free(a);
    return t != NULL;
}
