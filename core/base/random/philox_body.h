/*
 * philox_body.h -- Philox4x32-10 of many counters side by side (philox.h): the one source of all instruction sets. In:
 * KERNELS, the name of the record; V, a vector of LANES 64-bit numbers, and product(a, b) of the lower halves of each.
 * A word is the lower half of its number; what stands in the upper one harms nothing.
 */
static void rounds(PhiloxRun *c, const uint32_t *key) {
    const V by0 = (V){0} + 0xD2511F53u, by1 = (V){0} + 0xCD9E8D57u;
    for (int i = 0; i < PHILOX_WIDE; i += LANES) {
        V a, x;
        memcpy(&a, c->low + i, sizeof a);
        memcpy(&x, c->high + i, sizeof x);
        V b = a >> 32, y = x >> 32;
        uint32_t k0 = key[0], k1 = key[1];
        for (int r = 0; r < 10; r++) {
            V p = product(a, by0), q = product(x, by1);
            a = (q >> 32) ^ b ^ ((V){0} + k0);
            x = (p >> 32) ^ y ^ ((V){0} + k1);
            b = q;
            y = p;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        a = (a & 0xFFFFFFFFu) | b << 32;
        x = (x & 0xFFFFFFFFu) | y << 32;
        memcpy(c->low + i, &a, sizeof a);
        memcpy(c->high + i, &x, sizeof x);
    }
}

static void to_u64(const PhiloxRun *c, void *out) {
    uint64_t *restrict z = out;
    for (int i = 0; i < PHILOX_WIDE; i++) z[2 * i] = c->low[i], z[2 * i + 1] = c->high[i];
}

typedef union Words {
    uint64_t pair[2 * PHILOX_WIDE];
    uint32_t word[4 * PHILOX_WIDE];
} Words;

/* All of them in order. */
static void words_of(const PhiloxRun *c, Words *w) {
    to_u64(c, w->pair);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (int i = 0; i < 2 * PHILOX_WIDE; i++) w->pair[i] = w->pair[i] << 32 | w->pair[i] >> 32;
#endif
}

static void to_u32(const PhiloxRun *c, void *out) {
    Words w;
    words_of(c, &w);
    memcpy(out, w.word, sizeof w.word);
}

static void to_f32(const PhiloxRun *c, void *out) {
    Words w;
    float *restrict z = out;
    words_of(c, &w);
    for (int i = 0; i < 4 * PHILOX_WIDE; i++) z[i] = (float)(int32_t)(w.word[i] >> 8) * 0x1p-24f;
}

/* 27 and 26 bits, exact in a double. */
static void to_f64(const PhiloxRun *c, void *out) {
    uint64_t pairs[2 * PHILOX_WIDE];
    double *restrict z = out;
    to_u64(c, pairs);
    for (int i = 0; i < 2 * PHILOX_WIDE; i++)
        z[i] = ((double)(int32_t)((uint32_t)pairs[i] >> 5) * 0x1p26 + (double)(int32_t)(pairs[i] >> 38)) * 0x1p-53;
}

const PhiloxKernels KERNELS = {rounds, to_u32, to_f32, to_u64, to_f64};
