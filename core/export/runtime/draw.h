/* Draws of random numbers: MRG31k3p, whose sample i is the next number of stream i modulo `streams`, and Philox4x32-10.
 */
enum { DRAW_STREAMS = 64 };

static u32 mrg_fix(u32 y, u32 m) { return y < y - m ? y : y - m; }

static u32 mrg_next(u32 *x) {
    const u32 m1 = 2147483647u, m2 = 2147462579u;
    u32 y = ((x[1] & 511) << 22) + (x[1] >> 9) + ((x[2] & 16777215) << 7) + (x[2] >> 24), less, p, q;
    y = mrg_fix(mrg_fix(y, m1) + x[2], m1);
    p = mrg_fix(((x[3] & 65535) << 15) + 21069 * (x[3] >> 16), m2);
    q = mrg_fix(((x[5] & 65535) << 15) + 21069 * (x[5] >> 16), m2);
    q = mrg_fix(mrg_fix(q + x[5], m2) + p, m2);
    x[2] = x[1], x[1] = x[0], x[0] = y;
    x[5] = x[4], x[4] = x[3], x[3] = q;
    less = y - q - 1;
    return (less < less + m1 ? less : less + m1) + 1;
}

static int mrg_valid(const u32 *x) {
    for (int k = 0; k < 6; k++)
        if (x[k] >= (k < 3 ? 2147483647u : 2147462579u)) return 0;
    return (x[0] | x[1] | x[2]) && (x[3] | x[4] | x[5]);
}

/* To the states of the next draw of several. */
static void mrg_jump(u32 *x) {
    static const u32 by[2][3][3] = {
        {{44843381, 789025048, 94923239}, {1515627404, 44843381, 1272604102}, {292866869, 1515627404, 895715087}},
        {{2094140247, 1737489625, 933512842}, {1458276750, 471441576, 1737489625}, {1263470614, 984257739, 471441576}}};
    for (int h = 0; h < 2; h++) {
        u64 y[3], m = h ? 2147462579u : 2147483647u;
        for (int i = 0; i < 3; i++)
            y[i] =
                ((u64)x[3 * h] * by[h][i][0] + (u64)x[3 * h + 1] * by[h][i][1] + (u64)x[3 * h + 2] * by[h][i][2]) % m;
        for (int i = 0; i < 3; i++) x[3 * h + i] = (u32)y[i];
    }
}

typedef struct {
    int single;
    char *out;
    void (*done)(void *, void *, i64, i64);
    void *user;
} Drawn;

/* Streams [s, s + n) of one draw of `each` numbers, the first of which is number `first` of all. */
static void mrg_rows(const Drawn *w, u32 (*x)[6], i64 streams, i64 s, i64 n, i64 each, i64 first) {
    union {
        f32 f[DRAW_STREAMS];
        f64 d[DRAW_STREAMS];
    } room;
    const i64 item = w->single ? 4 : 8;
    for (i64 at = s; at < each; at += streams) {
        const i64 m = each - at < n ? each - at : n;
        char *to = w->out ? w->out + (first + at) * item : (char *)&room;
        for (i64 i = 0; i < m; i++) {
            const f64 v = (f64)(i32)mrg_next(x[i]);
            if (w->single) ((f32 *)to)[i] = (f32)v * 4.6566126e-10f;
            else ((f64 *)to)[i] = v * 0x1p-31;
        }
        if (w->done) w->done(w->user, to, first + at, first + at + m);
    }
}

static int mrg_draw(const Drawn *w, const Call *c) {
    const i64 draws = c->numbers[1], streams = c->numbers[3], each = draws ? c->numbers[2] : 0;
    const u32 *from = c->a;
    u32 *to = c->b == 0 ? 0 : (u32 *)c->b, x[DRAW_STREAMS][6], next[DRAW_STREAMS][6];
    for (i64 s = 0; s < streams && s < each; s++)
        if (!mrg_valid(from + 6 * s)) return 1;
    for (i64 s = 0; s < streams; s += DRAW_STREAMS) {
        const i64 n = streams - s < DRAW_STREAMS ? streams - s : DRAW_STREAMS;
        memcpy(x, from + 6 * s, (size_t)n * sizeof *x);
        memcpy(next, x, sizeof next);
        for (i64 l = 0; l < draws; l++) {
            if (l) {
                for (i64 i = 0; i < n && s + i < each; i++) mrg_jump(next[i]);
                memcpy(x, next, sizeof x);
            }
            mrg_rows(w, x, streams, s, n, each, l * each);
            if (!l && to) memcpy(to + 6 * s, x, (size_t)n * sizeof *x);
        }
        if (!draws && to) memcpy(to + 6 * s, x, (size_t)n * sizeof *x);
    }
    return 0;
}

static void philox(const u32 *key, u64 low, u64 high, u32 *z) {
    u32 a = (u32)low, b = (u32)(low >> 32), x = (u32)high, y = (u32)(high >> 32), k0 = key[0], k1 = key[1];
    for (int r = 0; r < 10; r++) {
        const u64 p = (u64)a * 0xD2511F53u, q = (u64)x * 0xCD9E8D57u;
        a = (u32)(q >> 32) ^ b ^ k0;
        x = (u32)(p >> 32) ^ y ^ k1;
        b = (u32)q;
        y = (u32)p;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    z[0] = a, z[1] = b, z[2] = x, z[3] = y;
}

/* The numbers of one counter: four of 32 bits, two of 64. */
static void philox_give(const u32 *z, int dtype, char *to) {
    u64 pair[2];
    for (int i = 0; i < 2; i++) pair[i] = (u64)z[2 * i + 1] << 32 | z[2 * i];
    if (dtype == 7) memcpy(to, z, 16);
    else if (dtype == 8) memcpy(to, pair, 16);
    else if (dtype == 9)
        for (int i = 0; i < 4; i++) ((f32 *)to)[i] = (f32)(i32)(z[i] >> 8) * 0x1p-24f;
    else
        for (int i = 0; i < 2; i++)
            ((f64 *)to)[i] = ((f64)(i32)((u32)pair[i] >> 5) * 0x1p26 + (f64)(i32)(pair[i] >> 38)) * 0x1p-53;
}

static void philox_draw(const Drawn *w, const Call *c, i64 item) {
    const u32 *key = c->a, *counter = c->b;
    const i64 draws = c->numbers[1], n = c->numbers[2], run = 16 / item;
    for (i64 l = 0; l < draws; l++, key += 2, counter += 4) {
        const u64 low = (u64)counter[1] << 32 | counter[0], high = (u64)counter[3] << 32 | counter[2];
        for (i64 i = 0; i < n; i += run) {
            const u64 at = low + (u64)(i / run);
            const i64 m = n - i < run ? n - i : run, first = l * n + i;
            u32 z[4];
            f64 room[2];
            char *to = w->out ? w->out + first * item : (char *)room;
            philox(key, at, high + (at < low), z);
            philox_give(z, c->dtype, (char *)room);
            if (w->out) memcpy(to, room, (size_t)(m * item));
            if (w->done) w->done(w->user, to, first, first + m);
        }
    }
}

static int draw(Frame *f, int step, const Call *c, void (*done)(void *, void *, i64, i64), void *user) {
    const int single = c->dtype == 7 || c->dtype == 9;
    const Drawn w = {single, c->c, done, user};
    if (c->numbers[0] == 1) philox_draw(&w, c, single ? 4 : 8);
    else if (mrg_draw(&w, c)) return fail(f, step, VALUE_ERROR, 0, 0, 0, 0, 0);
    return 0;
}
