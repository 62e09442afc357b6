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

bool gpu_is_one(int variant) { return variant == 0; }

void gpu_head_none(Text *t, int variant) { (void)t, (void)variant; }

bool gpu_is_dtype(int variant) { return variant < TH_DTYPE_COUNT; }

/* bool 'b', signed 'i', unsigned 'u', float 'f', complex 'c' */
void gpu_head_dtype(Text *t, int dtype) {
    ThDtype d = (ThDtype)dtype;
    char kind = dtype_is_half(d) ? 'u' : th_dtype_kind(d); /* halves are only moved */
    int bits = 8 * (int)th_dtype_bytes(d);
    text_printf(t, "typedef %c%d T;\n#define T_KIND '%c'\n#define T_BITS %d\n", kind == 'b' ? 'u' : kind, bits, kind,
                bits);
    text_put(t, kind == 'c' ? complex_text : kind == 'b' ? bool_text : real_text);
}
/* clang-format off */
/* Whole numbers in memory of a dtype: bytes, negative for signed ones, 16 more for floats. */
int gpu_number(ThDtype d) {
    char kind = th_dtype_kind(d);
    int bytes = (int)th_dtype_bytes(d);
    return kind == 'i' ? -bytes : kind == 'f' ? 16 + bytes : bytes;
}

const char gpu_number_text[] = GPU_TEXT(
    INLINE void put_number(char *p, int kind, i64 v) {
        switch (kind) {
        case 1: case -1: *(i8 *)p = (i8)v; break;
        case 2: case -2: *(i16 *)p = (i16)v; break;
        case 4: case -4: *(i32 *)p = (i32)v; break;
        case 8: case -8: *(i64 *)p = v; break;
        case 20: *(f32 *)p = (f32)v; break;
        case 24: *(f64 *)p = (f64)v; break;
        default: break;
        }
    }
    INLINE void put_real(char *p, int kind, f64 v) {
        if (kind == 20) *(f32 *)p = (f32)v;
        else if (kind == 24) *(f64 *)p = v;
        else put_number(p, kind, (i64)v);
    }
    INLINE i64 get_number(const char *p, int kind) {
        switch (kind) {
        case 1: return *(const u8 *)p;
        case -1: return *(const i8 *)p;
        case 2: return *(const u16 *)p;
        case -2: return *(const i16 *)p;
        case 4: return *(const u32 *)p;
        case -4: return *(const i32 *)p;
        case 20: return (i64)*(const f32 *)p;
        case 24: return (i64)*(const f64 *)p;
        default: return *(const i64 *)p;
        }
    }
    INLINE f64 get_real(const char *p, int kind) {
        if (kind == 20) return *(const f32 *)p;
        if (kind == 24) return *(const f64 *)p;
        return kind == 8 ? (f64)*(const u64 *)p : (f64)get_number(p, kind);
    }
);

/* The first failure of a call, by one thread alone; and the smallest of the positions that many threads find. */
const char gpu_fail_text[] =
    GPU_TEXT(
    INLINE void fail(i64 *err, i64 step, i64 which, i64 v0, i64 v1, i64 v2, i64 v3) {
        if (atomicCAS((unsigned long long *)err, 0ull, 1ull) == 0ull)
            err[1] = step, err[2] = which, err[3] = 4, err[4] = v0, err[5] = v1, err[6] = v2, err[7] = v3;
    }
) "#ifdef __CUDACC__\n"
    "INLINE void first_at(i64 *first, i64 at) { atomicMin((unsigned long long *)first, (unsigned long long)at); }\n"
    "#else\n"
    "INLINE void first_at(i64 *first, i64 at) { if (at < *first) *first = at; }\n"
    "#endif\n";
/* clang-format on */
