/*
 * part.h -- what the files of ops/sparse share.
 */
#ifndef TH_OPS_SPARSE_PART_H
#define TH_OPS_SPARSE_PART_H

#include "ops/table/option.h"
#include "kernels.h"
#include "graph/services.h"
#include "ops/table/host.h"
#include "ops/table/index.h"
#include "ops/table/linear.h"
#include "ops/table/shape.h"
#include "ops/table/sparse.h"

extern const AttrField sparse_format_fields[1];

/* ---- types ------------------------------------------------------------------------------------------------------ */
static inline ThDtype sparse_dtype(const ThVar *v) { return type_sparse_dtype(v->type); }
static inline char sparse_format(const ThVar *v) { return type_sparse_format(v->type); }
static inline char sparse_other(char format) { return format == 'r' ? 'c' : 'r'; }
static inline const char *sparse_name(char format) { return format == 'r' ? "csr" : "csc"; }
static inline char sparse_letter(const char *name) { return name[2]; } /* "csr" -> 'r' */
bool sparse_wants(Infer *q, int i, const char *what);                  /* input i is sparse; else TypeError */
bool sparse_wants_dense(Infer *q, int i, int ndim, const char *what);
bool sparse_gives(Infer *q, ThType t); /* the only output */
SparseFormatAttrs sparse_format_attrs(Builder *b, char format);

/* ---- lengths ---------------------------------------------------------------------------------------------------- */
Sz sparse_head(const ShapeQ *q, int in, SparseWord w);
Sz sparse_rows(const ShapeQ *q, int in); /* of the matrix, not of the compressed form */
Sz sparse_cols(const ShapeQ *q, int in);
Sz sparse_vector(const ShapeQ *q, Sz lines, Sz room, ThDtype d); /* words of a result */
bool sparse_same(const ShapeQ *q, Sz a, Sz b, const char *why);

/* ---- calls ------------------------------------------------------------------------------------------------------ */
static inline Sparse sparse_in(const HostCall *h, int i) {
    const int64_t *words = (const int64_t *)(const void *)h->in[i]->data;
    return sparse_open_at(h->head ? h->head[i] : words, h->in[i]->data);
}
/* A device does it. */
static inline bool sparse_away(const HostCall *h) { return h->lib->sparse != NULL; }
enum { SPARSE_FIRST = DEVICE_FORM | DEVICE_HEAD(0), SPARSE_TWO = SPARSE_FIRST | DEVICE_HEAD(1) }; /* Op.device */
extern const OpFailure sparse_failures[];                                                         /* by SparseFault */
static inline int64_t *sparse_out(const HostCall *h) { return (int64_t *)(void *)h->out[0]->data; }
/* Operand i in order, or the call fails; returns nonzero then. */
int sparse_ordered(HostCall *h, int i, const Sparse *s);
/* fn on lines [from, to) in shares of about equal work (values and lines), as many as are worth it. */
typedef void (*SparseShare)(void *user, int64_t from, int64_t to);
void sparse_shares(HostCall *h, const Sparse *s, int64_t each, SparseShare fn, void *user);

/* ---- gradients -------------------------------------------------------------------------------------------------- */
ThVar *sparse_grad_values(Builder *b, ThVar *x, ThVar *g); /* g, sparse or dense, where x stores values */
ThVar *sparse_grad_dense(Builder *b, ThVar *g);
ThVar *sparse_grad_like(Builder *b, ThVar *x, ThVar *g);         /* in x's format, dense stays */
bool sparse_rop(Rop *r);                                         /* linear in each connected input */
bool sparse_connected_values(const ThApply *a, int in, int out); /* the first input only lends its structure */
bool sparse_connected_first(const ThApply *a, int in, int out);  /* the first alone */

#endif
