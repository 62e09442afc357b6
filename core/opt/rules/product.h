/*
 * product.h -- a product or quotient as factors with powers, whatever stands between: nested products and quotients,
 * signs, squares, parts that other nodes use too, views of all that. Rewrites that look for a form under weights look
 * for it here.
 */
#ifndef TH_OPT_PRODUCT_H
#define TH_OPT_PRODUCT_H

#include "opt/engine/rewrite.h"

enum { FACTORS = 24, FACTOR_VIEWS = 4 };
typedef struct Factor {
    ThVar *v;                    /* below the views */
    ThApply *view[FACTOR_VIEWS]; /* outermost first */
    int nview, power;
    int part; /* of which it came, or -1 */
    bool used;
} Factor;
/* A product that is kept as one where nothing in it is used: others read it, or its value is seen through a view. */
typedef struct FactorPart {
    Factor whole;
    bool negative; /* signs found in it, odd */
} FactorPart;
typedef struct Product {
    Factor at[FACTORS];
    FactorPart part[FACTORS];
    int n, npart;
    bool negative;
    ThDtype dtype;
} Product;

/* v as factors. false: too many of them, or memory is out. */
bool product_open(Opt *o, ThVar *v, Product *p);
/* Parts without a used factor become one factor again. */
void product_fold(Product *p);
/* x, an operand of what f->v computes, under f's views; NULL: a view cannot pass. */
ThVar *product_view(Opt *o, const Factor *f, ThVar *x);
/* The factor itself, without its power. */
static inline ThVar *product_var(Opt *o, const Factor *f) { return product_view(o, f, f->v); }
/* What a factor's value is computed by, if it is Elemwise of this operation in the product's dtype. */
ThApply *product_is(const Product *p, const Factor *f, int scalar);
/* v's node below views, if it is Elemwise of this operation; operands through product_view(o, f, ..). */
ThApply *product_behind(ThVar *v, int scalar, Factor *f);
/* x of v = -x, or -1 * x, below views; NULL: it is neither. */
ThVar *product_minus(ThVar *v, Factor *f);
/* Multiplies by v ^ power, in front where `first`. */
bool product_push(Product *p, ThVar *v, int power);
/* The product of the factors that are not used, in their order. */
ThVar *product_close(Opt *o, const Product *p);

#endif
