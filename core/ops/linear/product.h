/*
 * product.h -- kernels of matrix products, shared by Dot and the BLAS forms: out = beta * c + alpha * a . b.
 * a is (m, k) or (k), b is (k, n) or (k); float32 and float64 matrices of one dtype become a GEMM stage, everything
 * else (vectors, integers, complex, mixed dtypes) a loop with a sum.
 */
#ifndef TH_PRODUCT_H
#define TH_PRODUCT_H

#include "ops/table/ops.h"

typedef struct Product {
    int a, b;        /* node inputs */
    int c;           /* node input added to the product, or -1 */
    int alpha, beta; /* node inputs (0-d), or -1: one */
} Product;

bool product_lower(Lower *l, const Product *p);
/* Lengths that must agree: dim i of input x with dim j of input y. */
bool product_equal(ShapeQ *q, int x, int i, int y, int j, const char *why);
/* All inputs tensors of one float or complex dtype, ranks as in the text "2022" (a digit an input). TypeError
 * otherwise. */
bool product_types(Infer *q, const char *ranks);

#endif
