/*
 * gemm_kernels.h -- what gemm.c asks of one instruction set: register tiles, packing and matrix-vector kernels.
 * runtime/gemm/micro.h implements this table for float and double; micro_<isa>.c compiles it. All sizes and strides are
 * in elements. Every kernel forms an element of a product as one chain of multiply-adds over ascending k (fused where
 * the instruction set has it), so the bits do not depend on tile, layout or alignment; matrix-vector kernels and
 * `pairs` form sums on lanes.
 */
#ifndef TH_GEMM_KERNELS_H
#define TH_GEMM_KERNELS_H

#include "base/base.h"

enum { GEMM_MR = 6, GEMM_MAX_NV = 4, GEMM_MAX_NR_BYTES = 256 };

/* One register tile: R <= 6 rows, or 12, x W vectors of c = alpha * a.b + beta * c over k (beta 0: c is not read). */
typedef struct GemmTile {
    int64_t k;
    const void *a;
    int64_t ars, acs, half; /* half: from row 0 to row 6 */
    const void *b;
    int64_t brs, edge; /* unit column stride; edge: lanes of the last vector that are b's, 0: all */
    void *pack;        /* fused kernels: b is also copied here, rows of W vectors */
    void *c;
    int64_t crs;  /* unit column stride */
    int64_t tail; /* lanes of the last vector that c has, 1..vl */
    double alpha, beta;
    const void *ahead;          /* quick kernels: rows of W vectors to have in cache soon, one every four steps of k */
    int64_t nahead, ahead_step; /* at most that many; bytes from one to the next */
} GemmTile;
typedef void (*GemmTileFn)(const GemmTile *t);

/* y[i] = alpha * sum_k a[i,k] x[k] + beta * y[i] */
typedef struct GemmVec {
    int64_t m, k;
    const void *a;
    int64_t ars, acs;
    const void *x;
    int64_t xs;
    void *y;
    int64_t ys;
    double alpha, beta;
    void *scratch; /* (up(m, VL) + VL) * 64 bytes, at most GEMV_BLOCK_BYTES */
} GemmVec;

/* ---- operands through general addresses ---- */
enum { GEMM_DIMS = 4, GEMM_BOUNDS = 3 };

/* The rows or the columns of a matrix as up to four nested dims, the last one fastest. Strides in elements, any sign.
 */
typedef struct GemmAxis {
    int nd; /* 1 .. GEMM_DIMS */
    int64_t len[GEMM_DIMS], st[GEMM_DIMS];
} GemmAxis;

/* An element counts as zero, and is not read, unless 0 <= off + sum i_d * row[d] + sum j_d * col[d] < len. */
typedef struct GemmBound {
    int64_t off, len, row[GEMM_DIMS], col[GEMM_DIMS];
} GemmBound;

/*
 * The element at row position i (i_0 .. of row.nd dims) and column position j: at + sum i_d * row.st[d] + sum j_d *
 * col.st[d], within all `nbound` bounds, else zero. So im2col windows of a padded image are an operand as they lie:
 * rows (channel, y of filter, x of filter), columns (image, y, x), one bound for y and one for x; `at` is where the
 * first element would be, outside the image when that is padding.
 */
typedef struct GemmOperand {
    const void *at;
    GemmAxis row, col;
    int nbound;
    GemmBound bound[GEMM_BOUNDS];
} GemmOperand;

/* Columns of a panel that step evenly: n of them from lane `to`. */
typedef struct GemmRun {
    int64_t to, n, at, pos[GEMM_BOUNDS];
} GemmRun;
enum { GEMM_MAX_RUNS = GEMM_MAX_NR_BYTES / 4 };
typedef struct GemmPanel { /* rows k0 .. k0 + k of some columns of an operand */
    const GemmOperand *o;
    int64_t k0, k, lanes, cols;
    int nrun;
    GemmRun run[GEMM_MAX_RUNS];
} GemmPanel;

/* A tile of convolution (conv_micro.h): R rows x W vectors, or for `dots` R x W sums. Offsets in elements. */
typedef struct ConvTile {
    int64_t segs, len;          /* the index summed over: segments of this length.. */
    const int64_t *aseg, *bseg; /* ..which start here in a and b */
    const void *a, *b;
    int64_t arow[GEMM_MR], acs, bvec[GEMM_MAX_NV], brs;
    void *c;
    int64_t crs, cvec[GEMM_MAX_NV];
    bool add;
} ConvTile;
typedef void (*ConvTileFn)(const ConvTile *t);

/* Up to 6 x nv sums over k of rows of a with rows of b, both with unit stride along k; any strides of c. */
typedef struct GemmPairs {
    int64_t k;
    const void *a;
    int64_t ars;
    const void *b;
    int64_t brs;
    void *c;
    int64_t crs, ccs;
    double alpha, beta;
    void *state; /* the lanes of the sums, 64-aligned, where k goes on from an earlier call or in a later one */
    bool resume, suspend;
} GemmPairs;
typedef void (*GemmPairsFn)(const GemmPairs *t);

/* Squares of vectors of one tile after the other to squares of vectors (winograd_micro.h). Steps in elements. */
typedef struct WinogradTiles {
    int64_t tiles, vectors;
    const void *from;
    int64_t from_tile, from_y, from_x;
    void *to;
    int64_t to_tile, to_y, to_x;
} WinogradTiles;
typedef enum {
    WINOGRAD_IMAGE,  /* what windows slide over, m + 2 squared, to factors */
    WINOGRAD_FILTER, /* 3 x 3 to factors */
    WINOGRAD_TOP,    /* sums of products to results, m squared */
    WINOGRAD_BACK,   /* gradients of results to factors.. */
    WINOGRAD_SUMS,   /* ..sums of whose products with the images' are gradients of filters */
    WINOGRAD_KINDS
} WinogradKind;
/* True: results (of WINOGRAD_TOP and WINOGRAD_SUMS) are finite. */
typedef bool (*WinogradFn)(const WinogradTiles *t);
typedef struct WinogradKernels {
    WinogradFn squares[2][WINOGRAD_KINDS]; /* results of 2 x 2, of 4 x 4 */
} WinogradKernels;

typedef struct GemmKernels {
    const char *name;
    int item, vl, nv;                      /* bytes of an element; lanes of a vector; vectors of the widest tile */
    GemmTileFn tile[GEMM_MR][GEMM_MAX_NV]; /* [rows - 1][vectors - 1] */
    GemmTileFn fused[GEMM_MAX_NV];         /* 6 rows, copying b to pack on the way */
    GemmTileFn tall[GEMM_MAX_NV];          /* 12 rows of few vectors, or NULL */
    GemmTileFn quick[3];                   /* 6 x nv where b has rows of nv vectors: a packed, acs 1, ars 1 */
    bool part;                             /* tiles read `edge` lanes of b's last vector; without, whole vectors */
    /* k of 1: rows of c one after the other; t: a, ars, b, c, crs, alpha, beta; n at least 2 vl, or see `few` */
    void (*rank1)(const GemmTile *t, int64_t m, int64_t n);
    /* dst[k][lanes] = src[k][0..n), zero beyond n */
    void (*pack_b)(void *dst, int64_t lanes, const void *src, int64_t rs, int64_t cs, int64_t k, int64_t n);
    /* dst[i][k][6] = src[6 i + 0..6][k], one block of rows after the other, the last one of what is left */
    void (*pack_a)(void *dst, const void *src, int64_t rs, int64_t cs, int64_t m, int64_t k);
    /* dst[k][lanes] = the panel, zero beyond its columns */
    void (*gather)(void *dst, const GemmPanel *p);
    /* c[i,j] = alpha * t[i,j] + beta * c[i,j] for a dense tile t with rows of `trs` */
    void (*scatter)(const void *t, int64_t trs, int64_t m, int64_t n, void *c, int64_t crs, int64_t ccs, double alpha,
                    double beta);
    /* On 64 bytes of lanes (element k goes to lane k mod lanes; one dot product alone has four times as many), summed
     * by halving: the same bits for every layout of a. */
    void (*gemv)(const GemmVec *v);
    ConvTileFn window[GEMM_MR][GEMM_MAX_NV], dots[GEMM_MR][GEMM_MAX_NV]; /* [rows - 1][vectors - 1] */
    /* d[i][j] += s[i][j]: row strides, rows, columns */
    void (*add_rows)(void *d, int64_t ds, const void *s, int64_t ss, int64_t n, int64_t m);
    /* d[j] = s[0][j] + s[1][j] + .. : row stride, rows (at least one), columns */
    void (*sum_rows)(void *d, const void *s, int64_t ss, int64_t n, int64_t m);
    /* d[j][i] = s[i][j] for n rows i of m elements */
    void (*turn)(void *d, int64_t ds, const void *s, int64_t ss, int64_t n, int64_t m);
    GemmPairsFn pairs[GEMM_MR][GEMM_MAX_NV]; /* [rows of a - 1][rows of b - 1] */
    GemmTileFn ahead[GEMM_MR];               /* tiles of nv vectors that ask for the next vectors of each row of b */
    /* c[i,j] = alpha * t[j,i] + beta * c[i,j] for m x n with unit column stride */
    void (*put_turned)(const void *t, int64_t trs, int64_t m, int64_t n, void *c, int64_t crs, double alpha,
                       double beta);
    void (*turn_narrow)(void *d, int64_t ds, const void *s, int64_t ss, int64_t n, int64_t m); /* turn for small m */
    int few; /* rank1 takes rows of at most so few columns without gaps too: a contiguous, beta not 0; or 0 */
    const WinogradKernels *winograd; /* float32; else NULL */
} GemmKernels;

enum { GEMV_BLOCK_BYTES = 131072, GEMM_FEW = 12 };

/* [0] float32, [1] float64 */
extern const GemmKernels *const gemm_kernels_sse2[2];
#if TH_WIDE
extern const GemmKernels *const gemm_kernels_avx2[2];
extern const GemmKernels *const gemm_kernels_avx512[2];
#endif

#endif
