/*
 * sparse.h -- a sparse matrix as one vector of int64 words: a head, then row pointers and column numbers (int32) and
 * values, each 64-byte aligned. The head tells rows ("lines") and columns ("places") of the compressed form: CSR has
 * the matrix's rows as lines, CSC its columns, so one vector is a CSR matrix and, read as CSC, its transpose. The
 * format is not in the words; arrays carry it in their flags, variables in their types.
 */
#ifndef TH_SPARSE_H
#define TH_SPARSE_H

#include "base/base.h"

typedef enum {
    SPARSE_KIND, /* SPARSE_MARK + dtype of the values */
    SPARSE_LINES,
    SPARSE_PLACES,
    SPARSE_NNZ,     /* stored values */
    SPARSE_INDICES, /* words before the numbers.. */
    SPARSE_DATA,    /* ..and before the values */
    SPARSE_ORDER,   /* 1: places ascend within each line, each at most once; 0: nobody knows */
    SPARSE_ROOM,    /* values that there is room for */
    SPARSE_HEAD     /* words of the head; the pointers follow */
} SparseWord;
enum { SPARSE_MARK = 0x53700000, SPARSE_MOST = INT32_MAX, SPARSE_ALIGN = 8 /* words */ };

/* One matrix in the compressed form, taken apart. */
typedef struct Sparse {
    ThDtype dtype;
    bool order;
    int64_t lines, places, nnz, room;
    int32_t *ptr, *idx;
    char *data;
    size_t item;
} Sparse;

int64_t sparse_words(int64_t lines, int64_t room, size_t item); /* length of the vector; lines, room <= SPARSE_MOST */
/* Writes the head (no values yet, pointers 0) into words that are there, and takes them apart. */
Sparse sparse_lay(int64_t *words, ThDtype d, int64_t lines, int64_t places, int64_t room);
void sparse_close(int64_t *words, const Sparse *s); /* nnz and order, once they are known */
Sparse sparse_open(const int64_t *words);           /* of words that hold a matrix */
/* The same where the words lie at `base`, and a copy of their head here. */
Sparse sparse_open_at(const int64_t *head, char *base);
/* NULL, or what is wrong with words that may hold anything. */
const char *sparse_wrong(const int64_t *words, int64_t n);
/* What is wrong with pointers and numbers, or NULL; *order as SPARSE_ORDER. */
const char *sparse_structure_wrong(const int32_t *ptr, const int32_t *idx, int64_t lines, int64_t places, int64_t nnz,
                                   bool *order);
bool sparse_order(const Sparse *s);

static inline bool array_is_sparse(const ThArray *a) { return (a->flags & (ARRAY_CSR | ARRAY_CSC)) != 0; }

#endif
