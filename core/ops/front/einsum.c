/*
 * einsum.c -- einsum: sums of products over labelled dimensions.
 * In: "ij,jk->ik" and operands. Out: a graph. Labels that stand twice in one operand take its diagonal; labels that
 * nobody else needs are summed at once; then two operands at a time become one by a (batched) product of matrices, in
 * the order that needs the fewest multiplications: the best one for a few operands, else by always taking the pair that
 * leaves the least behind. Lengths count where they are known while the graph is built, others as UNKNOWN_LENGTH.
 */
#include "util.h"

#include <math.h>
#include <string.h>

typedef uint64_t Set; /* of labels */
enum { MOST_LABELS = 64, MOST_TERMS = 64, EXACT = 7, UNKNOWN_LENGTH = 32 };
typedef struct Term { /* a tensor whose dimensions have labels, each once */
    ThVar *x;
    int8_t label[TH_MAX_NDIM];
    Set set;
} Term;
typedef struct Einsum {
    Front *f;
    Builder *b;
    const char *text;
    char name[MOST_LABELS];                     /* letter, or '.' of an ellipsis */
    int64_t length[MOST_LABELS];                /* -1: not known */
    int count[MOST_LABELS];                     /* how often it stands in operands */
    int nlabel, nterm, nout, rank;              /* rank: dimensions of the ellipsis */
    int8_t out[TH_MAX_NDIM], dots[TH_MAX_NDIM]; /* dots: labels of the ellipsis, from the last dimension */
    Term term[2 * MOST_TERMS];
    Set out_set;
} Einsum;

#define BIT(l) ((Set)1 << (l))

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static int label_of(Einsum *e, char letter) {
    for (int i = 0; i < e->nlabel; i++)
        if (e->name[i] == letter && letter != '.') return i;
    if (e->nlabel == MOST_LABELS) return front_error(e->f, TH_ValueError, "more than %d labels", MOST_LABELS);
    e->name[e->nlabel] = letter;
    e->length[e->nlabel] = -1;
    return e->nlabel++;
}

static int malformed(Einsum *e, const char *why) {
    return front_error(e->f, TH_ValueError, "'%s' is not of the form 'ij,jk->ik': %s", e->text, why);
}

/* Labels of one part of the text, up to ',' or "->": their number, -1: an error. ndim: of its operand, or -1. */
static int read_part(Einsum *e, const char **text, int ndim, int8_t *label) {
    const char *s = *text;
    int letters = 0, n = 0;
    bool dots = false;
    for (const char *p = s; *p && *p != ',' && *p != '-'; p++) letters += char_is_letter(*p);
    for (; *s && *s != ',' && *s != '-'; s++) {
        if (*s == ' ') continue;
        if (*s == '.') {
            int more = ndim < 0 ? e->rank : ndim - letters;
            if (s[1] != '.' || s[2] != '.') return malformed(e, "an ellipsis is three dots");
            if (dots) return malformed(e, "two ellipses in one operand");
            s += 2, dots = true;
            if (more > e->rank) {
                for (int i = e->rank; i < more; i++)
                    if ((e->dots[i] = (int8_t)label_of(e, '.')) < 0) return -1;
                e->rank = more;
            }
            for (int i = more; i > 0; i--)
                if (n < TH_MAX_NDIM) label[n++] = e->dots[i - 1];
        } else if (char_is_letter(*s)) {
            int l = label_of(e, *s);
            if (l < 0) return -1;
            if (n < TH_MAX_NDIM) label[n] = (int8_t)l;
            n++;
        } else return malformed(e, "labels are letters");
    }
    *text = s;
    return n;
}

static int read_operands(Einsum *e, const char **text, const VarVec *v) {
    for (int i = 0;; i++) {
        if (i < v->n) {
            Term *t = &e->term[i];
            int nd = v->at[i]->type.ndim, n = read_part(e, text, nd, t->label);
            if (n < 0) return -1;
            if (n != nd)
                return front_error(e->f, TH_ValueError, "operand %d has %d dimension%s, '%s' names %d", i + 1, nd,
                                   nd == 1 ? "" : "s", e->text, n);
            t->x = v->at[i];
            for (int d = 0; d < nd; d++) e->count[t->label[d]]++, t->set |= BIT(t->label[d]);
        } else
            while (**text && **text != ',' && **text != '-') ++*text;
        if (**text != ',') {
            if (i + 1 != v->n)
                return front_error(e->f, TH_ValueError, "'%s' names %d operand%s, %d given", e->text, i + 1,
                                   i ? "s" : "", v->n);
            return 0;
        }
        ++*text;
    }
}

static int read_output(Einsum *e, const char *text) {
    if (text[0] == '-') {
        text += 2;
        int n = text[-1] == '>' ? read_part(e, &text, -1, e->out) : -1;
        if (failed(e->f->ctx)) return -1;
        if (n < 0 || *text) return malformed(e, "'->' stands once, before the labels of the output");
        e->nout = n;
    } else { /* dimensions of the ellipsis, then the labels that stand once, as their letters are ordered */
        for (int i = e->rank; i > 0; i--) e->out[e->nout++] = e->dots[i - 1];
        for (int c = 'A'; c <= 'z'; c++)
            for (int l = 0; l < e->nlabel; l++)
                if (e->name[l] == c && e->count[l] == 1) {
                    if (e->nout < TH_MAX_NDIM) e->out[e->nout] = (int8_t)l;
                    e->nout++;
                }
    }
    if (e->nout > TH_MAX_NDIM) return front_error(e->f, TH_ValueError, "%d dimensions are too many", e->nout);
    for (int i = 0; i < e->nout; i++) {
        if (e->count[e->out[i]] == 0 || (e->out_set & BIT(e->out[i])))
            return front_error(e->f, TH_ValueError, "the output label '%c' stands twice or in no operand",
                               e->name[e->out[i]]);
        e->out_set |= BIT(e->out[i]);
    }
    for (int i = 0; i < e->rank; i++)
        if (!(e->out_set & BIT(e->dots[i])))
            return front_error(e->f, TH_ValueError, "the output lacks the '...' that an operand has");
    return 0;
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */
static int mismatch(Einsum *e, int l, int64_t m, int64_t n) {
    if (e->name[l] == '.')
        return front_error(e->f, TH_ValueError, "a dimension of '...' has lengths %lld and %lld", (long long)m,
                           (long long)n);
    return front_error(e->f, TH_ValueError, "label '%c' stands for lengths %lld and %lld", e->name[l], (long long)m,
                       (long long)n);
}

/* Known lengths by label; those of 1 that a type promises give way to others. */
static int measure(Einsum *e) {
    Set longer = 0;
    for (int i = 0; i < e->nterm; i++)
        for (int d = 0; d < e->term[i].x->type.ndim; d++)
            if (!type_bcast(e->term[i].x->type, d)) longer |= BIT(e->term[i].label[d]);
    for (int i = 0; i < e->nterm; i++)
        for (int d = 0; d < e->term[i].x->type.ndim; d++) {
            int l = e->term[i].label[d];
            bool gives_way = type_bcast(e->term[i].x->type, d) && (longer & BIT(l));
            int64_t n = gives_way ? -1 : var_length(e->term[i].x, d);
            if (n < 0) continue;
            if (e->length[l] >= 0 && e->length[l] != n) return mismatch(e, l, e->length[l], n);
            e->length[l] = n;
        }
    for (int i = 0; i < e->nterm; i++) {
        Term *t = &e->term[i];
        int8_t order[TH_MAX_NDIM] = {0};
        int n = 0, nd = t->x->type.ndim;
        t->set = 0;
        for (int d = 0; d < nd; d++)
            if (!type_bcast(t->x->type, d) || !(longer & BIT(t->label[d]))) order[n++] = (int8_t)d;
        for (int k = 0; k < n; k++) t->label[k] = t->label[order[k]], t->set |= BIT(t->label[k]);
        if (!(t->x = dimshuffle_make(e->b, t->x, order, n))) return -1;
    }
    return 0;
}

static int rank_of(const Term *t) { return t->x ? t->x->type.ndim : 0; }

static int place(const Term *t, int l) {
    for (int d = 0; d < rank_of(t); d++)
        if (t->label[d] == l) return d;
    return -1;
}

/* ---- one operand ------------------------------------------------------------------------------------------------- */
static ThVar *same_length(Einsum *e, ThVar *x, int i, int j) {
    ThVar *n[TH_MAX_NDIM];
    if (var_length(x, i) >= 0 && var_length(x, j) >= 0) return x; /* measured */
    for (int d = 0; d < x->type.ndim; d++) n[d] = shape_length_make(e->b, x, d == j ? i : d);
    return specify_shape_make(e->b, x, front_shape_vector(e->b, n, x->type.ndim));
}

/* A label that stands twice: its diagonal, as the last dimension. */
static bool diagonals(Einsum *e, Term *t) {
    for (int i = 0; i < rank_of(t); i++)
        for (int j = i + 1; j < rank_of(t); j++) {
            if (t->label[i] != t->label[j]) continue;
            int8_t l = t->label[i];
            int nd = rank_of(t), n = 0;
            ThVar *x = same_length(e, t->x, i, j);
            t->x = x ? extract_diag_make(e->b, x, &(DiagAttrs){0, i, j}) : NULL;
            for (int d = 0; d < nd; d++)
                if (d != i && d != j) t->label[n++] = t->label[d];
            t->label[n] = l;
            i = -1;
            break;
        }
    return t->x != NULL;
}

/* Sums over what is not needed. */
static bool reduce(Einsum *e, Term *t, Set needed) {
    AttrInts axes = {.n = 0};
    int n = 0, nd = rank_of(t);
    if (!(t->set & ~needed)) return true;
    for (int d = 0; d < nd; d++) {
        if (needed & BIT(t->label[d])) t->label[n++] = t->label[d];
        else axes.at[axes.n++] = (int8_t)d;
    }
    ThDtype d = (ThDtype)t->x->type.dtype;
    t->set &= needed;
    if (d == TH_BOOL) t->x = reduce_make(e->b, &op_any, t->x, &axes, TH_DTYPE_NONE, TH_DTYPE_NONE, false);
    else t->x = reduce_make(e->b, &op_sum, t->x, &axes, d, TH_DTYPE_NONE, false);
    return t->x != NULL;
}

/* ---- two operands ------------------------------------------------------------------------------------------------ */
typedef struct Labels {
    int n;
    int8_t at[TH_MAX_NDIM];
} Labels;

static Labels listed(const Term *t, Set s) {
    Labels l = {0};
    for (int d = 0; d < rank_of(t); d++)
        if (s & BIT(t->label[d])) l.at[l.n++] = t->label[d];
    return l;
}

/* x's dimensions in the order of the lists, those of a list merged into one; an empty list has none. */
static ThVar *grouped(Einsum *e, const Term *t, const Labels *const *group, int n) {
    int8_t order[TH_MAX_NDIM] = {0};
    ThVar *length[TH_MAX_NDIM];
    int k = 0, left = 0;
    uint32_t ones = 0;
    for (int g = 0; g < n; g++)
        for (int i = 0; i < group[g]->n; i++) order[k++] = (int8_t)place(t, group[g]->at[i]);
    ThVar *x = dimshuffle_make(e->b, t->x, order, k);
    for (int g = 0, d = 0; x && g < n; g++) {
        if (!group[g]->n) continue;
        bool all = true;
        for (int i = 0; i < group[g]->n; i++, d++) {
            ThVar *of = shape_length_make(e->b, x, d);
            length[left] = i ? elemwise_2(e->b, S_mul, length[left], of) : of;
            all = all && type_bcast(x->type, d);
        }
        ones |= (uint32_t)all << left++;
    }
    if (!x || left == k) return x;
    return patternbroadcast_make(e->b, reshape_make(e->b, x, front_shape_vector(e->b, length, left), left), ones);
}

/* Labels that both have, several of them in one group: only their lengths' product would be compared. */
static bool compared(Einsum *e, Term *b, const Term *a, const Labels *group) {
    ThVar *n[TH_MAX_NDIM];
    bool known = true;
    if (group->n < 2) return true;
    for (int i = 0; i < group->n; i++)
        known = known && var_length(a->x, place(a, group->at[i])) >= 0 && var_length(b->x, place(b, group->at[i])) >= 0;
    if (known) return true; /* measured */
    for (int d = 0; d < rank_of(b); d++) n[d] = shape_length_make(e->b, b->x, d);
    for (int i = 0; i < group->n; i++)
        n[place(b, group->at[i])] = shape_length_make(e->b, a->x, place(a, group->at[i]));
    b->x = specify_shape_make(e->b, b->x, front_shape_vector(e->b, n, rank_of(b)));
    return b->x != NULL;
}

/* The product as a tensor with all labels of the lists. */
static bool ungroup(Einsum *e, Term *r, ThVar *x, const Term *a, const Term *b, const Labels *const *group, int n) {
    ThVar *length[TH_MAX_NDIM];
    int k = 0;
    uint32_t ones = 0;
    for (int g = 0; g < n; g++)
        for (int i = 0; i < group[g]->n; i++) {
            int l = group[g]->at[i], d = place(a, l);
            const Term *of = d >= 0 ? a : b;
            if (d < 0) d = place(b, l);
            if (k == TH_MAX_NDIM)
                return front_error(e->f, TH_ValueError, "a product of more than %d dimensions", TH_MAX_NDIM) >= 0;
            length[k] = shape_length_make(e->b, of->x, d);
            ones |= (uint32_t)type_bcast(of->x->type, d) << k;
            r->label[k++] = (int8_t)l;
        }
    if (x && x->type.ndim != k)
        x = patternbroadcast_make(e->b, reshape_make(e->b, x, front_shape_vector(e->b, length, k), k), ones);
    r->x = x;
    return x != NULL;
}

/* Every dimension beside the others: nothing is summed. */
static ThVar *beside(Einsum *e, const Term *t, const Labels *all) {
    int8_t order[TH_MAX_NDIM] = {0};
    for (int i = 0; i < all->n; i++) order[i] = (int8_t)place(t, all->at[i]);
    return dimshuffle_make(e->b, t->x, order, all->n);
}

static bool outer(Einsum *e, Term *r, const Term *a, const Term *b) {
    Labels all = listed(a, ~(Set)0), more = listed(b, ~a->set);
    if (all.n + more.n > TH_MAX_NDIM)
        return front_error(e->f, TH_ValueError, "a product of more than %d dimensions", TH_MAX_NDIM) >= 0;
    for (int i = 0; i < more.n; i++) all.at[all.n++] = more.at[i];
    ThVar *x = beside(e, a, &all), *y = beside(e, b, &all);
    memcpy(r->label, all.at, sizeof all.at);
    return (r->x = elemwise_2(e->b, x && x->type.dtype == TH_BOOL ? S_and_ : S_mul, x, y)) != NULL;
}

static bool contract(Einsum *e, Term *r, Term *a, Term *b, Set needed) {
    Set both = a->set & b->set;
    if (!reduce(e, a, needed | both) || !reduce(e, b, needed | both)) return false;
    r->set = (a->set | b->set) & needed;
    if (!(both & ~needed)) return outer(e, r, a, b);
    Labels batch = listed(a, both & needed), left = listed(a, ~both), sum = listed(a, both & ~needed),
           right = listed(b, ~both);
    const Labels *ga[] = {&batch, &left, &sum}, *gb[] = {&batch, &sum, &right}, *gr[] = {&batch, &left, &right};
    if (!left.n && !right.n && batch.n + sum.n > 1 && !e->b->arrays) { /* one kernel that reads both as they lie */
        r->set |= both;
        return outer(e, r, a, b) && reduce(e, r, needed);
    }
    if (!compared(e, b, a, &batch) || !compared(e, b, a, &sum)) return false;
    ThVar *x = grouped(e, a, ga, 3), *y = grouped(e, b, gb, 3);
    ThVar *z = batch.n ? batched_dot_make(e->b, x, y) : dot_make(e->b, x, y);
    return ungroup(e, r, z, a, b, gr, 3);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */
static double volume(const Einsum *e, Set s) {
    double v = 1;
    for (int l = 0; l < e->nlabel; l++)
        if (s >> l & 1) v *= e->length[l] >= 0 ? (double)e->length[l] : UNKNOWN_LENGTH;
    return v;
}

typedef struct Order {
    int n;
    struct {
        int a, b;
    } at[MOST_TERMS]; /* pairs of terms; the k-th makes term nterm + k */
} Order;

/* What of the labels inside remains when those terms are one. */
static Set remains(const Einsum *e, unsigned terms) {
    Set inside = 0, outside = e->out_set;
    for (int i = 0; i < e->nterm; i++)
        if (terms >> i & 1) inside |= e->term[i].set;
        else outside |= e->term[i].set;
    return inside & outside;
}

/* Dynamic programming over subsets of the operands. */
static void exact_order(const Einsum *e, Order *o) {
    enum { ALL = 1 << EXACT };
    Set set[ALL];
    double cost[ALL];
    unsigned split[ALL] = {0}, stack[2 * EXACT], all = (1u << e->nterm) - 1;
    int made[ALL], depth = 0;
    for (unsigned s = 1; s <= all; s++) {
        bool alone = !(s & (s - 1));
        set[s] = alone ? e->term[__builtin_ctz(s)].set : remains(e, s);
        cost[s] = alone ? 0 : INFINITY;
        made[s] = alone ? __builtin_ctz(s) : -1;
        for (unsigned a = (s - 1) & s; a > (s ^ a); a = (a - 1) & s) {
            double c = cost[a] + cost[s ^ a] + volume(e, set[a] | set[s ^ a]);
            if (c < cost[s]) cost[s] = c, split[s] = a;
        }
        if (!alone && !split[s]) split[s] = s & -s; /* costs past the largest number */
    }
    stack[depth++] = all;
    while (depth) { /* both parts before the whole */
        unsigned s = stack[depth - 1], a = split[s], b = s ^ a;
        if (made[s] >= 0) depth--;
        else if (made[b] < 0) stack[depth++] = b;
        else if (made[a] < 0) stack[depth++] = a;
        else {
            int x = made[a] < made[b] ? made[a] : made[b], y = made[a] ^ made[b] ^ x;
            o->at[o->n].a = x, o->at[o->n].b = y;
            made[s] = e->nterm + o->n++;
        }
    }
}

/* The pair whose product is the smallest beside what it takes the place of; the first of equal ones. */
static void greedy_order(const Einsum *e, Order *o) {
    Set set[2 * MOST_TERMS];
    int live[MOST_TERMS], n = e->nterm;
    for (int i = 0; i < n; i++) set[i] = e->term[i].set, live[i] = i;
    while (n > 1) {
        double best = INFINITY;
        int bi = 0, bj = 1;
        Set kept = 0;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                Set rest = e->out_set;
                for (int k = 0; k < n; k++)
                    if (k != i && k != j) rest |= set[live[k]];
                Set r = (set[live[i]] | set[live[j]]) & rest;
                double gain = volume(e, r) - volume(e, set[live[i]]) - volume(e, set[live[j]]);
                if (gain < best || (i == 0 && j == 1)) best = gain, bi = i, bj = j, kept = r;
            }
        set[e->nterm + o->n] = kept;
        o->at[o->n].a = live[bi], o->at[o->n].b = live[bj];
        live[bi] = e->nterm + o->n++;
        memmove(live + bj, live + bj + 1, sizeof *live * (size_t)(--n - bj));
    }
}

static Set others(const Einsum *e, const bool *used, int n) {
    Set s = e->out_set;
    for (int i = 0; i < n; i++)
        if (!used[i]) s |= e->term[i].set;
    return s;
}

static ThVar *evaluate(Einsum *e) {
    Order o = {0};
    bool used[2 * MOST_TERMS] = {false};
    for (int i = 0; i < e->nterm; i++) {
        if (!diagonals(e, &e->term[i])) return NULL;
        used[i] = true;
        Set needed = others(e, used, e->nterm);
        for (int k = 0; k < i; k++) needed |= e->term[k].set;
        if (!reduce(e, &e->term[i], needed)) return NULL;
        used[i] = false;
    }
    if (e->nterm <= EXACT) exact_order(e, &o);
    else greedy_order(e, &o);
    for (int k = 0; k < o.n; k++) {
        int a = o.at[k].a, b = o.at[k].b, to = e->nterm + k;
        used[a] = used[b] = true;
        if (!contract(e, &e->term[to], &e->term[a], &e->term[b], others(e, used, to))) return NULL;
    }
    Term *r = &e->term[e->nterm + o.n - (o.n ? 1 : 0)];
    if (!o.n) r = &e->term[0];
    int8_t order[TH_MAX_NDIM] = {0};
    for (int i = 0; i < e->nout; i++) order[i] = (int8_t)place(r, e->out[i]);
    return dimshuffle_make(e->b, r->x, order, e->nout);
}

/* All of one dtype, as the result has it. */
static bool promoted(Einsum *e) {
    ThDtype d = (ThDtype)e->term[0].x->type.dtype;
    for (int i = 1; i < e->nterm; i++) d = th_dtype_upcast(d, (ThDtype)e->term[i].x->type.dtype);
    for (int i = 0; i < e->nterm; i++)
        if (!(e->term[i].x = cast_make(e->b, e->term[i].x, d))) return false;
    return true;
}

/* ---- lists of numbers in place of letters: einsum(x, {0, 1}, y, {1, 2}, {0, 2}) -----------------------------------
 */
static bool put_labels(Front *f, Text *t, const ThArg *a, int n) {
    for (int i = 0; i < n; i++) {
        bool dots = a[i].kind == TH_ARG_STR && strcmp(a[i].s, "...") == 0;
        if (dots) text_put(t, "...");
        else if (a[i].kind != TH_ARG_INT || a[i].i < 0 || a[i].i > 51)
            return front_error(f, TH_ValueError, "a label is a number of 0 to 51, or \"...\"") > 0;
        else text_putc(t, (char)(a[i].i < 26 ? 'A' + a[i].i : 'a' + a[i].i - 26)); /* in the order of the numbers */
    }
    return true;
}

static const char *text_of_lists(Front *f, VarVec *v) {
    ThArg own = {.kind = TH_ARG_LIST, .list = {(ThArg *)f->rest, f->nrest}};
    bool spread = f->nrest && f->rest[0].kind != TH_ARG_LIST; /* the only list was taken for all arguments */
    const ThArg *rest = spread || !f->nrest ? &own : f->rest;
    int n = 1 + (spread || !f->nrest ? 1 : f->nrest);
    Text t;
    bool ok = true;
    text_init(&t, f->ctx);
    for (int i = 0; ok && i < n; i++) {
        const ThArg *a = i ? &rest[i - 1] : &f->arg[0];
        bool labels = i % 2 || (i == n - 1 && n > 1); /* the output's come last */
        if (labels && a->kind != TH_ARG_LIST)
            ok = front_error(f, TH_TypeError, "a list of labels follows each operand") > 0;
        if (labels && i % 2 == 0) text_put(&t, "->");
        if (!labels && i) text_putc(&t, ',');
        if (ok && labels) ok = put_labels(f, &t, a->list.at, a->list.n);
        if (ok && !labels) {
            ThVar *x = front_as_var(f, a, "operand");
            ok = x && vec_push(f->ctx, v, x);
        }
    }
    const char *text = ok ? intern(f->ctx, t.at ? t.at : "") : NULL;
    text_free(&t);
    return text;
}

int front_einsum(Front *f) {
    VarVec v = {0};
    ThVar *r = NULL;
    bool lists = f->arg[0].kind != TH_ARG_STR && f->arg[0].kind != TH_ARG_NONE;
    const char *text = lists ? text_of_lists(f, &v) : front_str(f, 0);
    Einsum *e = text ? ctx_alloc0(f->ctx, sizeof *e) : NULL;
    bool ok = e && (lists || front_list(f, -1, &v));
    if (ok && (v.n == 0 || v.n > MOST_TERMS))
        ok = front_error(f, TH_ValueError, "1 to %d operands are possible, %d given", MOST_TERMS, v.n) >= 0;
    if (ok) {
        e->f = f, e->b = f->b, e->nterm = v.n, e->text = text;
        ok = read_operands(e, &text, &v) >= 0 && read_output(e, text) >= 0 && measure(e) >= 0 && promoted(e);
    }
    if (ok) r = evaluate(e);
    vec_free(f->ctx, &v);
    if (e) ctx_free(f->ctx, e, sizeof *e);
    return front_return(f, r);
}
