/* What core/runtime/gemm/winograd_micro.h is written in, with numbers in the place of vectors. */
typedef struct {
    i64 tiles, vectors;
    const void *from;
    i64 from_tile, from_y, from_x;
    void *to;
    i64 to_tile, to_y, to_x;
} WinogradTiles;
enum { WINOGRAD_IMAGE, WINOGRAD_FILTER, WINOGRAD_TOP, WINOGRAD_BACK, WINOGRAD_SUMS };
typedef struct {
    bool (*squares[2][5])(const WinogradTiles *t);
} WinogradKernels;
#define V T
#define VU T
#define VL 1
#define VSET(x) ((T)(x))
#define VFMA(a, b, c) FMA(a, b, c)
#define WINOGRAD_ALIGNED
#define WINOGRAD_LANE(v, i) (v)
