/*
 * mrg_body.h -- rows of MRG31k3p draws (mrg.h): the one source of all instruction sets. In: KERNELS, the name of the
 * record. Loops are plain, over lanes that do not meet; the compiler makes vectors of them. Sums of two numbers below
 * 2^31 fit in 32 bits without a sign, and are reduced by whichever of y and y - m is smaller.
 */
static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t fix(uint32_t y, uint32_t m) { return least(y, y - m); }

/* Eight rows are three vectors of 16 numbers; that of three numbers in a row none is 0 is asked of each first one. */
static bool valid(const int32_t *rows, int64_t n) {
    enum { ROWS = 8, WIDE = 16, RUN = ROWS * MRG_STATE };
    typedef uint32_t V __attribute__((vector_size(4 * WIDE), aligned(4), may_alias));
    const uint32_t *x = (const uint32_t *)rows;
    uint32_t limit[RUN], first[RUN], any = 0;
    int64_t r = 0;
    for (int i = 0; i < RUN; i++) limit[i] = i % MRG_STATE < 3 ? MRG_M1 : MRG_M2, first[i] = i % 3 ? 0 : UINT32_MAX;
    V wrong = {0}, most[3], at[3];
    for (int v = 0; v < 3; v++) most[v] = *(const V *)(limit + WIDE * v), at[v] = *(const V *)(first + WIDE * v);
    for (; r + ROWS < n; r += ROWS, x += RUN) /* the last vectors read two numbers of the next row */
        for (int v = 0; v < 3; v++) {
            const uint32_t *p = x + WIDE * v;
            V a = *(const V *)p, all = a | *(const V *)(p + 1) | *(const V *)(p + 2);
            wrong |= (V)(a >= most[v]) | ((V)(all == 0) & at[v]);
        }
    for (int i = 0; i < WIDE; i++) any |= wrong[i];
    for (; r < n; r++, x += MRG_STATE) {
        for (int i = 0; i < MRG_STATE; i++) any |= (uint32_t)(x[i] >= limit[i]);
        any |= (uint32_t)((x[0] | x[1] | x[2]) == 0) | (uint32_t)((x[3] | x[4] | x[5]) == 0);
    }
    return !any;
}

/* Lanes as whole vectors: lines have room for MRG_WIDE. */
static inline int64_t whole(const MrgBlock *b) {
    enum { PAD = 16 };
    return (b->lanes + PAD - 1) / PAD * PAD;
}

/* A line for each of the six numbers; lanes past the last have a state that does no harm. */
static void load(MrgBlock *b, const int32_t *restrict rows) {
    int32_t third[3][2 * MRG_WIDE]; /* by three, then by two: what vectors can do */
    const int64_t lanes = b->lanes, n = whole(b);
    int32_t *restrict p = third[0], *restrict q = third[1], *restrict r = third[2];
    for (int64_t i = 0; i < 2 * lanes; i++) p[i] = rows[3 * i], q[i] = rows[3 * i + 1], r[i] = rows[3 * i + 2];
    for (int k = 0; k < 3; k++) {
        int32_t *restrict x = b->x[k], *restrict y = b->x[3 + k];
        for (int64_t i = 0; i < lanes; i++) x[i] = third[k][2 * i], y[i] = third[k][2 * i + 1];
        for (int64_t i = lanes; i < n; i++) x[i] = y[i] = 1;
    }
}

static bool loaded_valid(const MrgBlock *b) {
    const int64_t n = whole(b);
    uint32_t wrong = 0;
    for (int h = 0; h < MRG_STATE; h += 3) {
        const uint32_t *x = (const uint32_t *)b->x[h], *y = (const uint32_t *)b->x[h + 1];
        const uint32_t *z = (const uint32_t *)b->x[h + 2];
        const uint32_t m = h ? MRG_M2 : MRG_M1;
        for (int64_t i = 0; i < n; i++)
            wrong |= (uint32_t)(x[i] >= m) | (uint32_t)(y[i] >= m) | (uint32_t)(z[i] >= m) |
                     (uint32_t)((x[i] | y[i] | z[i]) == 0);
    }
    return !wrong;
}

static void store(const MrgBlock *b, int32_t *restrict rows, int64_t lanes) {
    int32_t third[3][2 * MRG_WIDE];
    const int32_t *restrict p = third[0], *restrict q = third[1], *restrict r = third[2];
    for (int k = 0; k < 3; k++) {
        const int32_t *restrict x = b->x[k], *restrict y = b->x[3 + k];
        for (int64_t i = 0; i < lanes; i++) third[k][2 * i] = x[i], third[k][2 * i + 1] = y[i];
    }
    for (int64_t i = 0; i < 2 * lanes; i++) rows[3 * i] = p[i], rows[3 * i + 1] = q[i], rows[3 * i + 2] = r[i];
}

/* The next number of each lane; the oldest of both recurrences gives its place to the newest. */
static inline void next_row(MrgBlock *b, int32_t *restrict d) {
    const uint32_t m1 = MRG_M1, m2 = MRG_M2;
    const uint32_t *restrict x11 = (const uint32_t *)b->x[0], *restrict x12 = (const uint32_t *)b->x[1];
    const uint32_t *restrict x21 = (const uint32_t *)b->x[3], *restrict x22 = (const uint32_t *)b->x[4];
    uint32_t *restrict x13 = (uint32_t *)b->x[2], *restrict x23 = (uint32_t *)b->x[5];
    int64_t n = whole(b);
    (void)x22, (void)x11;
    for (int64_t i = 0; i < n; i++) {
        uint32_t y = ((x12[i] & 511) << 22) + (x12[i] >> 9) + ((x13[i] & 16777215) << 7) + (x13[i] >> 24);
        y = fix(fix(y, m1) + x13[i], m1);
        uint32_t p = fix(((x21[i] & 65535) << 15) + 21069 * (x21[i] >> 16), m2);
        uint32_t q = fix(((x23[i] & 65535) << 15) + 21069 * (x23[i] >> 16), m2);
        q = fix(fix(q + x23[i], m2) + p, m2);
        x13[i] = y;
        x23[i] = q;
        uint32_t less = y - q - 1; /* the difference less 1, so that 0 counts as below */
        d[i] = (int32_t)(least(less, less + m1) + 1);
    }
    int32_t *a = b->x[2], *c = b->x[5];
    b->x[2] = b->x[1], b->x[1] = b->x[0], b->x[0] = a;
    b->x[5] = b->x[4], b->x[4] = b->x[3], b->x[3] = c;
}

#define ROWS(name, type, norm) \
    static void name(MrgBlock *b) { \
        int32_t d[MRG_WIDE] __attribute__((aligned(64))); \
        type *restrict out = b->out; \
        const int64_t lanes = b->lanes, rows = b->rows, step = b->step; /* what is stored might be these */ \
        for (int64_t r = 0; r < rows; r++, out += step) { \
            next_row(b, d); \
            for (int64_t i = 0; i < lanes; i++) out[i] = (type)d[i] * norm; \
        } \
    }
ROWS(rows_f32, float, 4.6566126e-10f) /* one unit below 2^-31, so that no sample rounds to 1 */
ROWS(rows_f64, double, 0x1p-31)

const MrgKernels KERNELS = {valid, load, loaded_valid, store, rows_f32, rows_f64};
