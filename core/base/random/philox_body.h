/*
 * philox_body.h -- Philox4x32-10 of many counters side by side (philox.h): the one source of all instruction sets. In:
 * KERNELS, the name of the record. Loops are plain; the compiler makes vectors of them.
 */
static void rounds(PhiloxWords c, const uint32_t *key) {
    uint32_t *restrict c0 = c[0], *restrict c1 = c[1], *restrict c2 = c[2], *restrict c3 = c[3];
    for (int i = 0; i < PHILOX_WIDE; i++) {
        uint32_t a = c0[i], b = c1[i], x = c2[i], y = c3[i], k0 = key[0], k1 = key[1];
        for (int r = 0; r < 10; r++) {
            uint64_t p = (uint64_t)a * 0xD2511F53u, q = (uint64_t)x * 0xCD9E8D57u;
            a = (uint32_t)(q >> 32) ^ b ^ k0;
            x = (uint32_t)(p >> 32) ^ y ^ k1;
            b = (uint32_t)q;
            y = (uint32_t)p;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        c0[i] = a, c1[i] = b, c2[i] = x, c3[i] = y;
    }
}

static void to_u32(PhiloxWords c, void *out) {
    uint32_t *restrict z = out;
    for (int i = 0; i < PHILOX_WIDE; i++)
        for (int w = 0; w < 4; w++) z[4 * i + w] = c[w][i];
}

static void to_f32(PhiloxWords c, void *out) {
    float *restrict z = out;
    for (int i = 0; i < PHILOX_WIDE; i++)
        for (int w = 0; w < 4; w++) z[4 * i + w] = (float)(int32_t)(c[w][i] >> 8) * 0x1p-24f;
}

static void to_u64(PhiloxWords c, void *out) {
    uint64_t *restrict z = out;
    for (int i = 0; i < PHILOX_WIDE; i++)
        for (int w = 0; w < 2; w++) z[2 * i + w] = (uint64_t)c[2 * w + 1][i] << 32 | c[2 * w][i];
}

/* 27 and 26 bits, exact in a double. */
static void to_f64(PhiloxWords c, void *out) {
    double *restrict z = out;
    for (int i = 0; i < PHILOX_WIDE; i++)
        for (int w = 0; w < 2; w++)
            z[2 * i + w] =
                ((double)(int32_t)(c[2 * w][i] >> 5) * 0x1p26 + (double)(int32_t)(c[2 * w + 1][i] >> 6)) * 0x1p-53;
}

const PhiloxKernels KERNELS = {rounds, to_u32, to_f32, to_u64, to_f64};
