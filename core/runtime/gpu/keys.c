/*
 * keys.c -- the order of elements in kernels, as core/ops/order/keys.c has it: real numbers by unsigned keys of their
 * width, complex numbers and rows by comparing.
 */
#include "gpu.h"

/* clang-format off */
/* lost: NaN. W: a key. key_exact: -0.0 before 0.0, NaN last and all one; key_wide: -0.0 equals 0.0. */
static const char float_text[] =
    "typedef union { T v; W w; } Bits;\n"
    GPU_TEXT(
    INLINE W key_exact(T v) {
        Bits b;
        b.v = v;
        return v != v ? (W)-1 : (W)(b.w ^ ((W)0 - (b.w >> (T_BITS - 1)) | (W)1 << (T_BITS - 1)));
    }
    INLINE W key_wide(T v) { return key_exact(v + (T)0); }
    INLINE T key_value(W w) {
        Bits b;
        b.w = w ^ ((w >> (T_BITS - 1)) - 1 | (W)1 << (T_BITS - 1));
        return w == (W)-1 ? (T)__builtin_nan("") : b.v;
    }
    INLINE int key_same(W a, W b) {
        const W zero = (W)1 << (T_BITS - 1);
        return (a == zero - 1 ? zero : a) == (b == zero - 1 ? zero : b);
    }
    INLINE int before(T a, T b) { return a < b || (b != b && a == a); }
    INLINE int lost(T a) { return a != a; }
);
static const char integer_text[] = GPU_TEXT(
    INLINE W key_exact(T v) { return (W)((W)v ^ (W)((W)T_SIGNED << (T_BITS - 1))); }
    INLINE W key_wide(T v) { return key_exact(v); }
    INLINE T key_value(W w) { return (T)(w ^ (W)((W)T_SIGNED << (T_BITS - 1))); }
    INLINE int key_same(W a, W b) { return a == b; }
    INLINE int before(T a, T b) { return a < b; }
    INLINE int lost(T a) { return 0; }
);
/* By which part is NaN: none, imaginary, real, both; then by real part, then imaginary. */
static const char complex_text[] = GPU_TEXT(
    INLINE int before(T a, T b) {
        const int an = (a.re != a.re) * 2 + (a.im != a.im);
        const int bn = (b.re != b.re) * 2 + (b.im != b.im);
        if (an != bn) return an < bn;
        if (a.re == a.re && a.re != b.re) return a.re < b.re;
        return a.im == a.im && a.im < b.im;
    }
    INLINE int lost(T a) { return a.re != a.re || a.im != a.im; }
);
/* clang-format on */

void gpu_head_keys(Text *t, int dtype) {
    char kind = th_dtype_kind((ThDtype)dtype);
    int bits = 8 * (int)th_dtype_bytes((ThDtype)dtype);
    gpu_head_dtype(t, dtype);
    text_printf(t, "#define T_SIGNED %d\n", kind == 'i');
    if (kind == 'c') text_put(t, complex_text);
    else text_printf(t, "typedef u%d W;\n%s", bits, kind == 'f' ? float_text : integer_text);
}
