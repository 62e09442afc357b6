/*
 * graphs.c -- the few calls that a workspace remembers as graphs.
 */
#include "graphs.h"

static void drop(Graphs *g, GraphEntry *e, bool lost) {
    uint8_t *wrote = e->wrote;
    if (e->graph && !lost) g->q->device->op->graph_free(g->q, e->graph);
    *e = (GraphEntry){.wrote = wrote};
}

GraphEntry *graphs_see(Graphs *g, uint64_t key) {
    GraphEntry *oldest = &g->entry[0];
    for (int i = 0; i < GRAPHS; i++) {
        GraphEntry *e = &g->entry[i];
        if (e->used && e->key == key) {
            e->used = ++g->turn;
            e->sights++;
            return e;
        }
        if (e->used < oldest->used) oldest = e;
    }
    drop(g, oldest, false);
    oldest->key = key;
    oldest->sights = 1;
    oldest->used = ++g->turn;
    return oldest;
}

void graphs_drop(Graphs *g, bool lost) {
    for (int i = 0; i < GRAPHS; i++) drop(g, &g->entry[i], lost);
}
