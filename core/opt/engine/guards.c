/*
 * guards.c -- predicates that a rule's last column names: "one_client(f) float(x)". All must hold.
 * In: variables bound by the pattern and the node's output (named out). Out: yes or no; the graph is only looked at.
 */
#include "rewrite.h"

#include <string.h>

enum { SLOT_OUT = -1 };

static bool one_client(const ThVar *v, const ThVar *out) {
    (void)out;
    return v->nclients <= 1;
}
static bool scalar(const ThVar *v, const ThVar *out) {
    (void)out;
    return ask_all_bcast(v->type);
}
static bool floating(const ThVar *v, const ThVar *out) {
    (void)out;
    return dtype_is_float(v->type.dtype) || dtype_is_complex(v->type.dtype);
}
static bool discrete(const ThVar *v, const ThVar *out) {
    (void)out;
    return dtype_is_discrete(v->type.dtype);
}
static bool real_float(const ThVar *v, const ThVar *out) {
    (void)out;
    return dtype_is_float(v->type.dtype);
}
static bool no_length(const ThVar *v, const ThVar *out) {
    (void)out;
    return !ask_length(v);
}
static bool same_dtype(const ThVar *v, const ThVar *out) { return v->type.dtype == out->type.dtype; }
static bool same_type(const ThVar *v, const ThVar *out) { return type_eq(v->type, out->type); }

static const struct {
    const char *name;
    bool (*holds)(const ThVar *v, const ThVar *out);
} guards[] = {
    {"one_client", one_client}, {"scalar", scalar},         {"float", floating},      {"int", discrete},
    {"real", real_float},       {"same_dtype", same_dtype}, {"same_type", same_type}, {"no_length", no_length},
};

static int find_slot(const char *const *slot_name, int nslot, const char *at, size_t n) {
    if (n == 3 && memcmp(at, "out", 3) == 0) return SLOT_OUT;
    for (int i = 0; i < nslot; i++)
        if (strlen(slot_name[i]) == n && memcmp(slot_name[i], at, n) == 0) return i;
    return -2;
}

bool guard_parse(ThContext *c, Rule *r, const char *const *slot_name, int nslot) {
    for (const char *p = r->guard_text; *p;) {
        const char *open = strchr(p, '('), *close = open ? strchr(open, ')') : NULL;
        int kind = -1, slot = close ? find_slot(slot_name, nslot, open + 1, (size_t)(close - open - 1)) : -2;
        for (int i = 0; open && i < TH_LEN(guards); i++)
            if (strlen(guards[i].name) == (size_t)(open - p) && memcmp(guards[i].name, p, (size_t)(open - p)) == 0)
                kind = i;
        if (kind < 0 || slot < SLOT_OUT || r->nguard == RULE_GUARDS)
            return err(c, TH_RuntimeError, "rule %s: guard '%s' is not understood", r->name, r->guard_text);
        r->guard[r->nguard++] = (Guard){(uint8_t)kind, (int8_t)slot};
        for (p = close + 1; *p == ' ' || *p == ','; p++) continue;
    }
    return true;
}

bool guards_hold(const Rule *r, ThVar *const *slot, const ThVar *out) {
    for (int i = 0; i < r->nguard; i++) {
        const ThVar *v = r->guard[i].slot == SLOT_OUT ? out : slot[r->guard[i].slot];
        if (!guards[r->guard[i].kind].holds(v, out)) return false;
    }
    return true;
}
