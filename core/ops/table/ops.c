/* ops.c -- the table of operations and the per-context state of this folder. Both come from the lists in ops.h. */
#include "ops.h"

#include <string.h>

const Op *const op_table[] = {
#define X(name) &op_##name,
    OP_LIST(X)
#undef X
};
const int op_count = TH_LEN(op_table);

const Op *op_find(const char *name) {
    for (int i = 0; i < op_count; i++)
        if (strcmp(op_table[i]->name, name) == 0) return op_table[i];
    return NULL;
}

static void free_state(ThContext *c, void *p) {
    OpsState *s = p;
    user_free_all(c, s);
    vec_free(c, &s->bodies);
    vec_free(c, &s->body_next);
    map_free(c, &s->body_of);
    if (s->arena) arena_free(s->arena);
    ctx_free(c, s, sizeof *s);
}

OpsState *ops_state(ThContext *c) {
    if (c->slot[CTX_OPS]) return c->slot[CTX_OPS];
    OpsState *s = ctx_alloc0(c, sizeof *s);
    if (!s) return NULL;
    s->arena = arena_new(c);
    if (!s->arena) {
        ctx_free(c, s, sizeof *s);
        return NULL;
    }
    c->slot[CTX_OPS] = s;
    c->slot_free[CTX_OPS] = free_state;
    return s;
}

bool axes_normalize(ThContext *c, AttrInts *axes, int ndim, const char *what) {
    for (int i = 0; i < axes->n; i++) {
        int a = axes->at[i] < 0 ? axes->at[i] + ndim : axes->at[i];
        if (a < 0 || a >= ndim)
            return err(c, TH_ValueError, "%s: axis %d is out of range for a tensor with %d dimension%s", what,
                       axes->at[i], ndim, ndim == 1 ? "" : "s");
        axes->at[i] = (int8_t)a;
    }
    for (int i = 1; i < axes->n; i++) /* insertion sort: at most 32 entries */
        for (int j = i; j > 0 && axes->at[j - 1] > axes->at[j]; j--) {
            int8_t t = axes->at[j];
            axes->at[j] = axes->at[j - 1];
            axes->at[j - 1] = t;
        }
    for (int i = 1; i < axes->n; i++)
        if (axes->at[i] == axes->at[i - 1])
            return err(c, TH_ValueError, "%s: axis %d is given twice", what, axes->at[i]);
    for (int i = axes->n < 0 ? 0 : axes->n; i < TH_MAX_NDIM; i++) axes->at[i] = 0;
    return true;
}
