/*
 * text.c -- what the texts of all families begin with: a dtype as T and as what is done with it, lanes, the first
 * failure.
 */
#include "gpu.h"

const char gpu_lanes_text[] = GPU_TEXT(INLINE i64 lane_at(const GpuLanes *l, int k, i64 lane) {
    i64 at = 0;
    for (int d = (int)l->nd - 1; d >= 0; d--) {
        const i64 n = l->len[d], q = lane / n;
        at += (lane - q * n) * l->st[k][d];
        lane = q;
    }
    return at;
});

/* add and mul as the CPU's loops have them. */
static const char real_text[] = GPU_TEXT(
    INLINE T add(T a, T b) { return (T)(a + b); } INLINE T mul(T a, T b) { return (T)(a * b); });
static const char bool_text[] = GPU_TEXT(
    INLINE T add(T a, T b) { return (T)(a | b); } INLINE T mul(T a, T b) { return (T)(a & b); });
static const char complex_text[] = GPU_TEXT(
    INLINE T add(T a, T b) {
        T z;
        z.re = a.re + b.re;
        z.im = a.im + b.im;
        return z;
    } INLINE T mul(T a, T b) {
        T z;
        z.re = a.re * b.re - a.im * b.im;
        z.im = a.re * b.im + a.im * b.re;
        return z;
    });

bool gpu_is_dtype(int variant) { return variant < TH_DTYPE_COUNT; }

/* bool 'b', signed 'i', unsigned 'u', float 'f', complex 'c' */
void gpu_head_dtype(Text *t, int dtype) {
    ThDtype d = (ThDtype)dtype;
    char kind = th_dtype_kind(d);
    int bits = 8 * (int)th_dtype_bytes(d);
    text_printf(t, "typedef %c%d T;\n#define T_KIND '%c'\n#define T_BITS %d\n", kind == 'b' ? 'u' : kind, bits, kind,
                bits);
    text_put(t, kind == 'c' ? complex_text : kind == 'b' ? bool_text : real_text);
}
