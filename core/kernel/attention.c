/*
 * attention.c -- how a device computes attention's gradient, by lengths alone, for its kernels and for what tells how
 * long they take. In: lengths. Out: an AttentionSplit.
 *
 * A block goes through key after key and keeps dk and dv of some, so dq, a sum over keys, is made by many blocks.
 * Either one block goes through all keys of a matrix, tile after tile, and adds to dq in memory; or keys are cut into
 * segments, each of which has a dq of its own that is summed behind: more blocks, more memory; or dq is another
 * kernel's, which computes the scores and their gradient again: seven products for five.
 */
#include "kernel/attention_work.h"

/* Of a large GPU: multiprocessors, which have one block each, bytes and FLOPs in a second, and a launch in seconds. */
static const double BLOCKS = 128, BYTES = 3e12, CORES = 3.4e14, TILES = 3.3e13, LAUNCH = 1.3e-6;
enum { MOST_SEGMENTS = 16 };

static int64_t up(int64_t n, int64_t by) { return (n + by - 1) / by; }

AttentionTile attention_tile(ThDtype d) {
    if (dtype_is_half(d)) return (AttentionTile){128, 64};
    return d == TH_FLOAT64 ? (AttentionTile){32, 64} : (AttentionTile){64, 128};
}

/* Blocks one behind the other. */
static double rounds(double blocks) {
    int64_t n = (int64_t)blocks;
    return (double)up(n, (int64_t)BLOCKS);
}

typedef struct Cost {
    double rows, keys, lines; /* of a tile; of both sides; queries of all matrices */
    double deep, wide, again; /* again: FLOPs of a score and its gradient's product */
    double item, sum;         /* bytes of operands, and of all others */
    double cols, parts;       /* of a result's columns: of dk and dv, .. */
    double dq_parts, dq;      /* ..of dq, where it is alone; bytes of dq */
    double rate;              /* FLOPs that a block has in a second */
} Cost;

static Cost cost_of(ThDtype d, const AttentionLengths *n) {
    const AttentionTile t = attention_tile(d);
    Cost c = {.rows = (double)t.rows, .keys = (double)n->keys, .deep = (double)n->deep, .wide = (double)n->wide};
    c.lines = (double)(n->batch * n->queries);
    c.again = 2 * (c.deep + c.wide), c.cols = (double)t.cols;
    c.item = (double)th_dtype_bytes(d), c.sum = d == TH_FLOAT64 ? 8 : 4;
    const int64_t most = n->deep > n->wide ? n->deep : n->wide;
    c.parts = most > 0 ? (double)up(most, t.cols) : 1, c.dq_parts = n->deep > 0 ? (double)up(n->deep, t.cols) : 1;
    c.dq = c.lines * c.deep * c.sum;
    c.rate = (dtype_is_half(d) ? CORES : TILES) / BLOCKS;
    return c;
}

/* Segments of keys, 0 where dq is better alone. */
static int64_t segments_of(const Cost *c, const AttentionLengths *n) {
    const double batch = (double)n->batch, queries = (double)n->queries;
    const int64_t tiles = up(n->keys, (int64_t)c->rows), most = tiles < MOST_SEGMENTS ? tiles : MOST_SEGMENTS;
    const double tile = c->rows * queries / c->rate; /* seconds of a tile of keys by a FLOP of a score */
    const double alone = c->rows * c->keys / c->rate * (c->again + 2 * c->deep / c->dq_parts);
    double best = rounds(batch * c->parts * (double)tiles) * tile * (c->again + c->again / c->parts) + LAUNCH +
                  rounds(batch * c->dq_parts * (double)up(n->queries, (int64_t)c->rows)) * alone;
    int64_t segments = 0;
    for (int64_t k = 1; k <= most; k++) {
        const int64_t each = up(tiles, k);
        if (up(tiles, each) != k) continue; /* a segment has a tile */
        double took = rounds(batch * c->parts * (double)k) * (double)each * tile *
                      (c->again + (c->again + 2 * c->deep) / c->parts);
        if (k > 1) took += 2 * (double)k * c->dq / BYTES + LAUNCH;
        if (took < best) best = took, segments = k;
    }
    return segments;
}

AttentionSplit attention_result(ThDtype d, const AttentionLengths *n) {
    const Cost c = cost_of(d, n);
    const double parts = c.wide > c.cols ? (double)up(n->wide, (int64_t)c.cols) : 1;
    AttentionSplit s = {.parts = (int64_t)parts, .launches = 1};
    s.products = 2 * c.lines * c.keys * (parts * c.deep + c.wide);
    s.moved = (double)up(n->queries, (int64_t)c.rows) * (double)n->batch * c.keys * (parts * c.deep + c.wide) * c.item;
    return s;
}

AttentionSplit attention_split(ThDtype d, const AttentionLengths *n) {
    const Cost c = cost_of(d, n);
    const double all = c.lines * c.keys, tiles = (double)up(n->keys, (int64_t)c.rows), dz = c.deep + c.wide;
    AttentionSplit s = {.parts = (int64_t)c.parts, .segments = segments_of(&c, n)};
    const double segments = (double)s.segments;
    const bool summed = s.segments && s.segments + n->narrow > 1;
    s.launches = s.segments && !summed ? 2 : 3;
    s.products = all * (c.parts * c.again + c.again + 2 * c.deep + (s.segments ? 0 : c.dq_parts * c.again));
    s.aside = c.lines * (c.wide * (c.item + c.sum) + 4 * c.sum);
    if (summed && n->narrow) s.aside += segments * c.dq + c.lines * c.deep * c.item, s.extra = segments * c.dq;
    else if (summed) s.aside += (segments + 1) * c.dq, s.extra = (segments - 1) * c.dq;
    s.extra += s.aside - c.lines * c.wide * c.sum; /* the result is an operand */
    /* for each tile of keys all queries and gradients are read, and dq there and back */
    s.moved = tiles * (c.parts * c.lines * dz * c.item + (s.segments ? 2 * c.dq : 0));
    if (!s.segments)
        s.moved += (double)up(n->queries, (int64_t)c.rows) * (double)n->batch * c.keys * dz * c.item * c.dq_parts;
    return s;
}
