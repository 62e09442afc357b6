/*
 * winograd_micro.h -- the transforms of Winograd's convolution by filters of 3 x 3, a part of micro.h (its types and
 * macros, the same instruction sets). Lanes are channels or filters; a tile is a square of vectors whose rows are
 * transformed after its columns. With 4 x 4 results the points are 0, 3/4, -3/4, 3/2, -3/2 and infinity (results are
 * right to some 8 epsilon of their products, 1, 2 and halves lose five times that), with 2 x 2 they are 0, 1, -1 and
 * infinity.
 */
typedef struct FN(Six) {
    V v0, v1, v2, v3, v4, v5;
} FN(Six);

INLINE FN(Six) FN(six_from)(const T *p, int64_t step, int n) {
    FN(Six) s = {.v0 = *(const VU *)p, .v1 = *(const VU *)(p + step), .v2 = *(const VU *)(p + 2 * step)};
    s.v3 = s.v4 = s.v5 = s.v2;
    if (n > 3) s.v3 = *(const VU *)(p + 3 * step);
    if (n > 4) s.v4 = *(const VU *)(p + 4 * step), s.v5 = *(const VU *)(p + 5 * step);
    return s;
}

INLINE FN(Six) FN(two_from)(const T *p, int64_t step) {
    FN(Six) s = {.v0 = *(const VU *)p, .v1 = *(const VU *)(p + step)};
    return s;
}

INLINE void FN(six_to)(T *p, int64_t step, FN(Six) s, int n) {
    *(VU *)p = s.v0, *(VU *)(p + step) = s.v1;
    if (n > 2) *(VU *)(p + 2 * step) = s.v2;
    if (n > 3) *(VU *)(p + 3 * step) = s.v3;
    if (n > 4) *(VU *)(p + 4 * step) = s.v4, *(VU *)(p + 5 * step) = s.v5;
}

/* One line of a tile. Of 4 results: */
#define ONE ((T)0.75)
#define TWO ((T)1.5)
#define BY(a, s, b) VFMA(a, VSET(s), b)
INLINE FN(Six) FN(image_4)(FN(Six) d) { /* 6 to 6 */
    V even = BY(d.v2, -TWO * TWO, d.v4), odd = BY(d.v1, -TWO * TWO, d.v3) * VSET(ONE);
    V even2 = BY(d.v2, -ONE * ONE, d.v4), odd2 = BY(d.v1, -ONE * ONE, d.v3) * VSET(TWO);
    const T both = ONE * ONE + TWO * TWO, times = ONE * ONE * TWO * TWO;
    return (FN(Six)){BY(d.v0, times, BY(d.v2, -both, d.v4)), even + odd, even - odd, even2 + odd2, even2 - odd2,
                     BY(d.v1, times, BY(d.v3, -both, d.v5))};
}
INLINE FN(Six) FN(top_4)(FN(Six) m) { /* 6 to 4 */
    V s1 = m.v1 + m.v2, d1 = m.v1 - m.v2, s2 = m.v3 + m.v4, d2 = m.v3 - m.v4;
    return (FN(Six)){.v0 = m.v0 + s1 + s2,
                     .v1 = BY(d1, ONE, d2 * VSET(TWO)),
                     .v2 = BY(s1, ONE * ONE, s2 * VSET(TWO * TWO)),
                     .v3 = BY(d1, ONE * ONE * ONE, BY(d2, TWO * TWO * TWO, m.v5))};
}
INLINE FN(Six) FN(back_4)(FN(Six) y) { /* 4 to 6: top_4 turned */
    V even = BY(y.v2, ONE * ONE, y.v0), odd = BY(y.v3, ONE * ONE, y.v1) * VSET(ONE);
    V even2 = BY(y.v2, TWO * TWO, y.v0), odd2 = BY(y.v3, TWO * TWO, y.v1) * VSET(TWO);
    return (FN(Six)){y.v0, even + odd, even - odd, even2 + odd2, even2 - odd2, y.v3};
}
#define AT_ZERO ((T)(1 / 1.265625))
#define AT_ONE ((T)(-1 / 1.8984375)) /* 2 a^2 (a^2 - b^2) */
#define AT_TWO ((T)(1 / 7.59375))
INLINE FN(Six) FN(filter_4)(FN(Six) w) { /* 3 to 6 */
    V even = BY(w.v2, ONE * ONE, w.v0) * VSET(AT_ONE), odd = w.v1 * VSET(ONE * AT_ONE);
    V even2 = BY(w.v2, TWO * TWO, w.v0) * VSET(AT_TWO), odd2 = w.v1 * VSET(TWO * AT_TWO);
    return (FN(Six)){w.v0 * VSET(AT_ZERO), even + odd, even - odd, even2 + odd2, even2 - odd2, w.v2};
}
INLINE FN(Six) FN(sums_4)(FN(Six) u) { /* 6 to 3: filter_4 turned */
    V s1 = (u.v1 + u.v2) * VSET(AT_ONE), d1 = (u.v1 - u.v2) * VSET(AT_ONE);
    V s2 = (u.v3 + u.v4) * VSET(AT_TWO), d2 = (u.v3 - u.v4) * VSET(AT_TWO);
    return (FN(Six)){.v0 = BY(u.v0, AT_ZERO, s1 + s2),
                     .v1 = BY(d1, ONE, d2 * VSET(TWO)),
                     .v2 = BY(s1, ONE * ONE, BY(s2, TWO * TWO, u.v5))};
}
/* ..and of 2: */
INLINE FN(Six) FN(image_2)(FN(Six) d) {
    return (FN(Six)){.v0 = d.v0 - d.v2, .v1 = d.v1 + d.v2, .v2 = d.v2 - d.v1, .v3 = d.v3 - d.v1};
}
INLINE FN(Six) FN(top_2)(FN(Six) m) { return (FN(Six)){.v0 = m.v0 + m.v1 + m.v2, .v1 = m.v1 - m.v2 + m.v3}; }
INLINE FN(Six) FN(back_2)(FN(Six) y) { return (FN(Six)){.v0 = y.v0, .v1 = y.v0 + y.v1, .v2 = y.v0 - y.v1, .v3 = y.v1}; }
INLINE FN(Six) FN(filter_2)(FN(Six) w) {
    V half = VSET((T)0.5), even = (w.v0 + w.v2) * half, odd = w.v1 * half;
    return (FN(Six)){.v0 = w.v0, .v1 = even + odd, .v2 = even - odd, .v3 = w.v2};
}
INLINE FN(Six) FN(sums_2)(FN(Six) u) {
    V half = VSET((T)0.5), even = (u.v1 + u.v2) * half, odd = (u.v1 - u.v2) * half;
    return (FN(Six)){.v0 = u.v0 + even, .v1 = odd, .v2 = even + u.v3};
}

#define FROM(p, step) (IN == 2 ? FN(two_from)(p, step) : FN(six_from)(p, step, IN))
#define FINITE(x) check = VFMA(x, VSET(0), check);
/* Tiles of IN x IN vectors to OUT x OUT by `line`; true: all that was written is finite. */
#define SQUARES(line, IN_, OUT_, TELL) \
    static bool FN(squares_##line)(const WinogradTiles *t) { \
        enum { IN = IN_, OUT = OUT_ }; \
        T aside[6 * 6 * VL] WINOGRAD_ALIGNED; \
        V check = {0}; \
        for (int64_t i = 0; i < t->tiles; i++) \
            for (int64_t j = 0; j < t->vectors; j++) { \
                const T *from = (const T *)t->from + i * t->from_tile + j * VL; \
                T *to = (T *)t->to + i * t->to_tile + j * VL; \
                for (int x = 0; x < IN; x++) \
                    FN(six_to)(aside + x * VL, 6 * VL, FN(line)(FROM(from + x * t->from_x, t->from_y)), OUT); \
                for (int y = 0; y < OUT; y++) { \
                    FN(Six) s = FN(line)(FROM(aside + y * 6 * VL, VL)); \
                    FN(six_to)(to + y * t->to_y, t->to_x, s, OUT); \
                    if (TELL) { FINITE(s.v0) FINITE(s.v1) if (OUT > 2) FINITE(s.v2) if (OUT > 3) FINITE(s.v3) } \
                } \
            } \
        T bad = 0; \
        for (int i = 0; i < VL; i++) bad += WINOGRAD_LANE(check, i); \
        return bad == 0; \
    }
SQUARES(image_4, 6, 6, false)
SQUARES(filter_4, 3, 6, false)
SQUARES(top_4, 6, 4, true)
SQUARES(back_4, 4, 6, false)
SQUARES(sums_4, 6, 3, true)
SQUARES(image_2, 4, 4, false)
SQUARES(filter_2, 3, 4, false)
SQUARES(top_2, 4, 2, true)
SQUARES(back_2, 2, 4, false)
SQUARES(sums_2, 4, 3, true)

#define SQUARES_OF(m) \
    { FN(squares_image_##m), FN(squares_filter_##m), FN(squares_top_##m), FN(squares_back_##m), FN(squares_sums_##m) }
static const WinogradKernels FN(winograd) = {{SQUARES_OF(2), SQUARES_OF(4)}};
#undef ONE
#undef TWO
#undef BY
#undef AT_ZERO
#undef AT_ONE
#undef AT_TWO
#undef FROM
#undef FINITE
#undef SQUARES
#undef SQUARES_OF
