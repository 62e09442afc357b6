/*
 * calls.c -- kernels that are calls of the library (convolutions, poolings): what follows each is a kernel of its own,
 * for a finished part of the result.
 */
#include "cuda.h"

static const NestNode *call_of(const NestNode *stage) { return stage->child; }

bool cuda_tiles(Emit *e) {
    bool ok = true;
    for (const NestNode *n = e->nest->root; n && ok; n = n->next) {
        if (!call_of(n)->child) continue;
        if (e->words[n->stage]) emit_line(e, "/* %s */", e->words[n->stage]);
        emit_line(e, "KERNEL kernel_%d_%d(const Args_%d a) {", e->number, n->stage, e->number);
        e->indent = 1;
        cuda_head(e, &e->k->st.at[n->stage]);
        ok = cuda_nodes(e, call_of(n)->child);
        e->indent = 0;
        emit_line(e, "}\n");
    }
    return ok && !failed(e->c);
}
