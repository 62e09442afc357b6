/*
 * inverse.c -- MatrixInverse, MatrixPinv, Det, SLogDet, Expm, Sqrtm, Logm: one matrix or number from a square matrix.
 * In: a batch of matrices. Out: what is made of each.
 */
#include "grads.h"
#include "spec.h"

static const AttrField nan_fields[] = {LINALG_FIELD(ATTR_BOOL, "nan", nan)};

static const LinalgSpec inverse_spec = {FACTOR_INVERSE, "nn>nn", "t", "t"};

LINALG_OP(matrix_inverse, "MatrixInverse", 1, 1, nan_fields, &inverse_spec, .grad = OP_IF(TH_LINALG, inverse_grad),
          .doc = OP_DOC("the inverse of a matrix"));

ThVar *matrix_inverse_make(Builder *b, ThVar *x, bool nan) {
    return linalg_apply(b, &op_matrix_inverse, &(LinalgAttrs){.nan = nan}, &x, 1);
}

static const AttrField pinv_fields[] = {LINALG_FIELD(ATTR_FLOAT, "rcond", rcond),
                                        LINALG_FIELD(ATTR_BOOL, "hermitian", hermitian)};
static const LinalgSpec pinv_specs[2] = {{FACTOR_PINV, "mn>nm", "t", "t"}, {FACTOR_PINV, "nn>nn", "t", "t"}};

static void str_pinv(Text *t, const ThApply *a) { text_put(t, a->op->name); }

LINALG_OP(pinv, "MatrixPinv", 1, 1, pinv_fields, &pinv_specs[at->hermitian != 0], .str = str_pinv,
          .grad = OP_IF(TH_LINALG, pinv_grad), .doc = OP_DOC("the pseudo-inverse of a matrix (Moore and Penrose)"));

ThVar *pinv_make(Builder *b, ThVar *x, double rcond, bool hermitian) {
    return linalg_apply(b, &op_pinv, &(LinalgAttrs){.rcond = rcond, .hermitian = hermitian}, &x, 1);
}

static const LinalgSpec det_spec = {FACTOR_DET, "nn>", "t", "t"};

LINALG_OP(det, "Det", 1, 1, nan_fields, &det_spec, .grad = OP_IF(TH_LINALG, det_grad),
          .doc = OP_DOC("the determinant of a matrix"));

ThVar *det_make(Builder *b, ThVar *x) { return linalg_apply(b, &op_det, &(LinalgAttrs){0}, &x, 1); }

static const LinalgSpec slogdet_spec = {FACTOR_SLOGDET, "nn>,", "tr", "t"};

LINALG_OP(slogdet, "SLogDet", 1, 2, nan_fields, &slogdet_spec, .grad = OP_IF(TH_LINALG, slogdet_grad),
          .doc = OP_DOC("sign of a determinant and the logarithm of its modulus"));

ThApply *slogdet_make(Builder *b, ThVar *x) { return linalg_node(b, &op_slogdet, &(LinalgAttrs){0}, &x, 1); }

#define FUNCTION_OP(var, title, kind, text) \
    static const LinalgSpec var##_spec = {kind, "nn>nn", "t", "t"}; \
    LINALG_OP(var, title, 1, 1, nan_fields, &var##_spec, .grad = OP_IF(TH_LINALG, function_grad), \
              .doc = OP_DOC(text)); \
    ThVar *var##_make(Builder *b, ThVar *x) { return linalg_apply(b, &op_##var, &(LinalgAttrs){0}, &x, 1); }
FUNCTION_OP(expm, "Expm", FACTOR_EXPM, "the exponential of a matrix")
FUNCTION_OP(sqrtm, "Sqrtm", FACTOR_SQRTM, "the principal square root of a matrix")
FUNCTION_OP(logm, "Logm", FACTOR_LOGM, "the principal logarithm of a matrix")
