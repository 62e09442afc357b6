/*
 * simd_turn.h -- a matrix turned, and a line turned round, for each instruction set: a part of simd_body.h. Squares of
 * four by four elements go through registers; the last few rows and columns are turned again with those before them.
 */
/* clang-format off */
#if defined(__clang__)
#define MIX4(v, w, a, b, c, d) __builtin_shufflevector(v, w, a, b, c, d)
#else
#define MIX4(v, w, a, b, c, d) __builtin_shuffle(v, w, (__typeof__(v)){a, b, c, d})
#endif
#define DEF_TURN_PLAIN(T) \
    static void turn_plain_##T(int64_t rows, int64_t n, char *to, int64_t between, const char *from, int64_t step) { \
        const int64_t bytes = (int64_t)sizeof(T); \
        for (int64_t j = 0; j < n; j++) \
            for (int64_t i = 0; i < rows; i++) \
                memcpy(to + j * between + i * bytes, from + i * step + j * bytes, sizeof(T)); \
    }
DEF_TURN_PLAIN(uint8_t)
DEF_TURN_PLAIN(uint16_t)
DEF_TURN_PLAIN(uint32_t)
DEF_TURN_PLAIN(uint64_t)
DEF_TURN_PLAIN(ThComplex128)
#define DEF_TURNED(T) \
    static inline void turn_square_##T(char *to, int64_t between, const char *from, int64_t step) { \
        typedef T Four __attribute__((vector_size(4 * sizeof(T)))); \
        Four r[4], s[4]; \
        for (int i = 0; i < 4; i++) memcpy(&r[i], from + i * step, sizeof *r); \
        s[0] = MIX4(r[0], r[1], 0, 4, 2, 6), s[1] = MIX4(r[0], r[1], 1, 5, 3, 7); \
        s[2] = MIX4(r[2], r[3], 0, 4, 2, 6), s[3] = MIX4(r[2], r[3], 1, 5, 3, 7); \
        r[0] = MIX4(s[0], s[2], 0, 1, 4, 5), r[1] = MIX4(s[1], s[3], 0, 1, 4, 5); \
        r[2] = MIX4(s[0], s[2], 2, 3, 6, 7), r[3] = MIX4(s[1], s[3], 2, 3, 6, 7); \
        for (int i = 0; i < 4; i++) memcpy(to + i * between, &r[i], sizeof *r); \
    } \
    static void turn_##T(int64_t rows, int64_t n, char *to, int64_t between, const char *from, int64_t step) { \
        const int64_t bytes = (int64_t)sizeof(T); \
        if (rows < 4 || n < 4) { \
            turn_plain_##T(rows, n, to, between, from, step); \
            return; \
        } \
        for (int64_t line = 0, some; line < n; line += some) { \
            some = n - line < 64 / bytes + 4 ? n - line : 64 / bytes; \
            for (int64_t i = 0; i < rows; i = i + 4 < rows && i + 8 > rows ? rows - 4 : i + 4) \
                for (int64_t j = line; j < line + some; \
                     j = j + 4 < line + some && j + 8 > line + some ? line + some - 4 : j + 4) \
                    turn_square_##T(to + j * between + i * bytes, between, from + i * step + j * bytes, step); \
        } \
    }
DEF_TURNED(uint32_t) DEF_TURNED(uint64_t)
#define DEF_BACK(T) \
    static void back_##T(int64_t n, char *to, const char *from) { \
        typedef T Four __attribute__((vector_size(4 * sizeof(T)))); \
        const int64_t bytes = (int64_t)sizeof(T); \
        for (; n >= 8; n -= 8, to += 8 * bytes, from -= 8 * bytes) { \
            Four r, s; \
            memcpy(&r, from - 3 * bytes, sizeof r); \
            memcpy(&s, from - 7 * bytes, sizeof s); \
            r = MIX4(r, r, 3, 2, 1, 0), s = MIX4(s, s, 3, 2, 1, 0); \
            memcpy(to, &r, sizeof r); \
            memcpy(to + 4 * bytes, &s, sizeof s); \
        } \
        for (; n > 0; n--, to += bytes, from -= bytes) memcpy(to, from, sizeof(T)); \
    }
DEF_BACK(uint32_t) DEF_BACK(uint64_t)
