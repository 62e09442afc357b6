/* Lengths that only a call tells: the shape program of core/plan, with its numbers. c of VALUE: bytes of an integer,
 * negative where it has a sign; of a check: its error's code, negative where it is an index's. */
enum { CONST, DIM, STRIDE, VALUE, ADD, SUB, MUL, FLOORDIV, CEILDIV, MIN, MAX, LT, SELECT, CHECK_EQ, CHECK_GE0 };

static i64 whole(const char *at, int c) {
    switch (c) {
    case 1: return *(const u8 *)at;
    case 2: return *(const u16 *)at;
    case 4: return *(const u32 *)at;
    case -1: return *(const i8 *)at;
    case -2: return *(const i16 *)at;
    case -4: return *(const i32 *)at;
    default: return *(const i64 *)at;
    }
}

static i64 floor_div(i64 a, i64 b) {
    if (b == 0 || (b == -1 && a == INT64_MIN)) return 0;
    i64 q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/* Far below what an int64 holds, and above what memory does. */
static int sane(i64 a) { return a > -((i64)1 << 61) && a < (i64)1 << 61; }

static int times(i64 a, i64 b, i64 *r) {
    if (a && b && (b > 0 ? b : -b) > (((i64)1 << 61) / (a > 0 ? a : -a))) return 0;
    *r = a * b;
    return 1;
}

static int size_one(Frame *f, const Length *s) {
    i64 *r = &f->sym[s->dst], a = s->op >= ADD ? f->sym[s->a] : 0, b = s->op >= ADD && s->b >= 0 ? f->sym[s->b] : 0;
    if (s->op >= ADD && !(sane(a) && sane(b))) return 0;
    switch (s->op) {
    case CONST: *r = s->k; break;
    case DIM: *r = f->dims[s->a][s->b]; break;
    case STRIDE:
        *r = 1;
        for (int d = s->b + 1; d < s->c; d++) *r *= f->dims[s->a][d];
        break;
    case VALUE: *r = whole(f->buf[s->a] + s->b * (s->c < 0 ? -s->c : s->c), s->c); break;
    case ADD: *r = a + b; break;
    case SUB: *r = a - b; break;
    case MUL: return times(a, b, r);
    case FLOORDIV: *r = floor_div(a, b); break;
    case CEILDIV: *r = -floor_div(-a, b); break;
    case MIN: *r = a < b ? a : b; break;
    case MAX: *r = a > b ? a : b; break;
    case LT: *r = a < b; break;
    default: *r = f->sym[s->c] ? a : b; break;
    }
    return 1;
}

static int misfits(const Frame *f, const Length *s) {
    i64 a = f->sym[s->a];
    return s->op == CHECK_EQ ? a != f->sym[s->b] : a < 0;
}

/* Of two checks that fail in one call lengths that do not fit come before an index, as where the function runs. */
static const Length *told(Frame *f, const Length *at, const Length *end) {
    for (const Length *s = at; at->c < 0 && s < end; s++) {
        if (s->op >= CHECK_EQ) {
            if (s->c == LENGTHS_CODE && misfits(f, s)) at = s;
        } else if (s->op == VALUE || !size_one(f, s)) return at;
    }
    return at;
}

static int sizes(Frame *f, const Length *s, int n) {
    for (const Length *end = s + n; s < end; s++) {
        if (s->op >= CHECK_EQ) {
            if (!misfits(f, s)) continue;
            s = told(f, s, end);
            return fail(f, -2 - (int)s->k, s->c < 0 ? -s->c : s->c, 2, f->sym[s->a],
                        s->op == CHECK_EQ ? f->sym[s->b] : 0, 0, 0);
        }
        i64 a = s->op >= ADD ? f->sym[s->a] : 0;
        if (!size_one(f, s)) return fail(f, -2, OVERFLOW_CODE, 2, a, 0, 0, 0);
    }
    return 0;
}
