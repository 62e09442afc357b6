/* parts.h -- what the files of convolution share. */
#ifndef TH_CONV_PARTS_H
#define TH_CONV_PARTS_H

#include "conv.h"
#include "runtime/gemm/gemm.h"

enum { CONV_ALIGN = 64 };

typedef struct ConvRun {
    HostCall *h;
    ConvWay way;               /* CONV_AUTO: the first that applies and pays */
    const ConvWork *w, *whole; /* w may be a part of a whole: what pays is decided by that one's lengths */
    const GemmKernels *kern;
    int64_t item;
    bool alone;       /* other parts run at the same time */
    ConvOrder *order; /* is to be told, and nothing computed; or NULL */
} ConvRun;
/* 0, or 1 with the error set. */
typedef int (*ConvFn)(ConvRun *r, int64_t group);
typedef int (*ConvRunFn)(ConvRun *r); /* ..of all groups */

/* share.c: all groups, in parts where there are several threads. */
int conv_share(ConvRun *r, ConvFn run);
/* Sums for filters are made of so many parts, of so many images; 1: they are not cut. */
int64_t conv_parts(const ConvWork *w, int64_t *images);
/* A group's sums, dense, to the filters' own places. */
void conv_put_filters(const ConvWork *w, char *to, const char *from, int64_t item);

/* conv.c: filters of one element, steps of one, nothing but the image: a product of two matrices an image. */
bool conv_is_plain(const ConvWork *w);

/* Each is true when done, *status 0 or (with the error set) 1. */
bool conv_direct_top(ConvRun *r, int64_t group, int *status); /* direct.c */
bool conv_direct_filter(ConvRun *r, int64_t group, int *status);
bool conv_lanes_top(ConvRun *r, int64_t group, int *status); /* lanes.c */
bool conv_lanes_filter(ConvRun *r, int64_t group, int *status);
bool conv_fold_image(ConvRun *r, int64_t group, int *status);   /* fold.c */
bool conv_lines_image(ConvRun *r, int64_t group, int *status);  /* lines.c */
bool conv_spread_image(ConvRun *r, int64_t group, int *status); /* spread.c */
/* flat.c: of lanes that compute where places are one line, copies (and sums of lanes) counted; or 0. */
double conv_flat_share(const ConvRun *r);
double conv_flat_filter_share(const ConvRun *r);
bool conv_flat_filter(ConvRun *r, int64_t group, int *status); /* where that is not 0 */
/* tune.c: the way that was timed to be the fastest, timing them now if need be by `run` (which runs r->way).
 * False with *status for an error. */
bool conv_tuned(const ConvRun *r, ConvRunFn run, ConvWay *way, int *status);
/* pool.c: a convolution whose results are pooled, some images at a time by `run`. 0, or 1 with the error set. */
int conv_pooled(const ConvRun *r, ConvRunFn run);
/* choice.c: the flag conv.algorithm, or what costs least. */
ConvWay conv_way(const ConvRun *r);
ConvWay conv_way_named(const char *name);
double conv_tiles_ns(const ConvRun *r); /* predictions */
/* Gradients for images: as many places as a way takes for, the multiply-adds of each over all its lanes; INFINITY: it
 * does not apply. Windows over the padded gradient; spread.c; fold.c; lines.c. */
double conv_slide_cost(const ConvRun *r);
double conv_spread_cost(const ConvRun *r);
double conv_fold_cost(const ConvRun *r);
double conv_lines_cost(const ConvRun *r);
/* choice.c: the way that costs least; CONV_DIRECT: windows over the padded gradient, where that applies. */
ConvWay conv_image_way(const ConvRun *r, double *cost);
double conv_fft_ns(const ConvRun *r);
/* fft.c: false also where the result is not finite, the result being unfinished then. */
bool conv_fft(ConvRun *r, int64_t group, int *status);
bool conv_fft_applies(const ConvRun *r);
/* About how many vector operations it takes. */
double conv_fft_cost(const ConvRun *r);

/* winograd.c: 0, or 1 with the error set. */
bool conv_is_winograd(ConvWay way);
bool conv_winograd_applies(const ConvRun *r); /* to a whole; the others ask it no more */
int conv_winograd_top(ConvRun *r, int64_t group);
int conv_winograd_filter(ConvRun *r, int64_t group);
double conv_winograd_ns(const ConvRun *r, int64_t m); /* choice.c */

/* conv.c: with steps of one a gradient for images is a convolution of its own: windows slide over the padded gradient
 * of the result, filters reversed. False: there are steps. */
bool conv_dual(const ConvRun *r, int64_t group, ConvWork *v);
/* conv.c: result, and gradient for filters, by r->way. 0, or 1 with the error set. */
int conv_top(ConvRun *r, int64_t group);
int conv_filter(ConvRun *r, int64_t group);
int conv_image(ConvRun *r, int64_t group); /* ..for images */
/* conv.c: the group's results of one image are complete. */
void conv_done(const ConvRun *r, int64_t group, int64_t image);

/* ---- slide.c ------------------------------------------------------------------------------------------------ */
/* The operand that windows slide over: as it lies, or as a padded copy of one image. */
typedef struct ConvSlid {
    bool copied;
    int64_t len[CONV_DIMS], st[CONV_DIMS], channel; /* lengths with padding; strides */
    int64_t first;                                  /* of the first window's first element, from the image's start */
    int64_t elements;                               /* of the copy */
} ConvSlid;
ConvSlid conv_slid_of(const ConvWork *w);
/* first: of those that come to the same place. */
void conv_copy_image(const ConvRun *r, const ConvSlid *s, char *to, const char *image, bool first);
/* Of an image in one line (flat.c): (channel, tap along rows, y, x of the result). */
ConvSlid conv_flat_of(const ConvWork *w);
void conv_copy_flat(const ConvRun *r, const ConvSlid *slid, const ConvSlid *flat, char *to, const char *image);
/* The taps but for the last dimension: how many, their offsets into the slid image and into the filters. */
int64_t conv_tap_rows(const ConvWork *w);
void conv_list_taps(const ConvWork *w, const ConvSlid *s, int64_t *image, int64_t *filter);
/* Rows of one result: how many, their offsets into the slid image and into top. */
int64_t conv_out_rows(const ConvWork *w);
void conv_list_rows(const ConvWork *w, const ConvSlid *s, int64_t *image, int64_t *top);

/* ---- small things ------------------------------------------------------------------------------------------------ */
static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
/* Of lanes that compute where n elements lie in whole vectors. */
static inline double share_of(int64_t n, int64_t vl) { return (double)n / (double)up(n, vl); }

/* n rows in panels of at most GEMM_MR, as even as can be: how many, where panel p starts. */
static inline int64_t panels(int64_t n) { return (n + GEMM_MR - 1) / GEMM_MR; }
static inline int64_t panel_at(int64_t n, int64_t p) { return n * p / panels(n); }

/* Parts of one block of memory. */
typedef struct ConvRoom {
    char *next;
} ConvRoom;
static inline void *take(ConvRoom *r, int64_t bytes) {
    void *p = r->next;
    r->next += up(bytes, CONV_ALIGN);
    return p;
}

#endif
