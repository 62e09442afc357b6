/*
 * factor.c -- Cholesky, LUFactor, QR, SVD, Eig, Eigh, Eigvalsh: matrices as products of simple ones.
 * In: a batch of matrices. Out: their factors.
 */
#include "grads.h"
#include "spec.h"

/* ---- Cholesky ---------------------------------------------------------------------------------------------------- */
static const AttrField cholesky_fields[] = {LINALG_FIELD(ATTR_BOOL, "lower", lower),
                                            LINALG_FIELD(ATTR_BOOL, "nan", nan)};
static const LinalgSpec cholesky_spec = {FACTOR_CHOLESKY, "nn>nn", "t", "t"};

static const char *truth(bool v) { return v ? "True" : "False"; }

static void str_cholesky(Text *t, const ThApply *a) {
    const LinalgAttrs *at = ATTRS(LinalgAttrs, a);
    text_printf(t, "Cholesky{lower=%s, destructive=False, on_error='%s'}", truth(at->lower), at->nan ? "nan" : "raise");
}

LINALG_OP(cholesky, "Cholesky", 1, 1, cholesky_fields, &cholesky_spec, .str = str_cholesky,
          .grad = OP_IF(TH_LINALG, cholesky_grad),
          .doc = OP_DOC("the triangular factor of a positive definite matrix"));

ThVar *cholesky_make(Builder *b, ThVar *x, bool lower, bool nan) {
    return linalg_apply(b, &op_cholesky, &(LinalgAttrs){.lower = lower, .nan = nan}, &x, 1);
}

/* ---- LU ---------------------------------------------------------------------------------------------------------- */
static const AttrField lu_fields[] = {LINALG_FIELD(ATTR_BOOL, "nan", nan)};
static const LinalgSpec lu_spec = {FACTOR_LU, "mn>mn,p", "ti", "t"};

LINALG_OP(lu_factor, "LUFactor", 1, 2, lu_fields, &lu_spec, .grad = OP_IF(TH_LINALG, lu_grad),
          .doc = OP_DOC(
              "both triangular factors of a matrix in one, with rows exchanged, and the positions of the exchange"));

ThApply *lu_make(Builder *b, ThVar *x) { return linalg_node(b, &op_lu_factor, &(LinalgAttrs){0}, &x, 1); }

/* ---- QR ---------------------------------------------------------------------------------------------------------- */
static const AttrField qr_fields[] = {LINALG_FIELD(ATTR_BYTE, "mode", mode)};
static const LinalgSpec qr_specs[4] = {[FACTOR_REDUCED] = {FACTOR_QR, "mn>mp,pn", "tt", "t"},
                                       [FACTOR_COMPLETE] = {FACTOR_QR, "mn>mm,mn", "tt", "t"},
                                       [FACTOR_R] = {FACTOR_QR, "mn>pn", "t", "t"},
                                       [FACTOR_RAW] = {FACTOR_QR, "mn>nm,p", "tt", "t"}};

static void str_qr(Text *t, const ThApply *a) {
    static const char *const names[] = {"reduced", "complete", "r", "raw"};
    int mode = ATTRS(LinalgAttrs, a)->mode;
    text_printf(t, "%s{mode='%s'}", mode == FACTOR_R ? "QRIncomplete" : "QRFull", names[mode]);
}

LINALG_OP(qr, "QR", 1, -1, qr_fields, &qr_specs[at->mode & 3], .str = str_qr, .grad = OP_IF(TH_LINALG, qr_grad),
          .doc = OP_DOC("a matrix as a unitary one times an upper triangular one"));

ThApply *qr_make(Builder *b, ThVar *x, int mode) {
    return linalg_node(b, &op_qr, &(LinalgAttrs){.mode = (int8_t)mode}, &x, 1);
}

/* ---- SVD --------------------------------------------------------------------------------------------------------- */
static const AttrField svd_fields[] = {LINALG_FIELD(ATTR_BOOL, "full_matrices", full),
                                       LINALG_FIELD(ATTR_BOOL, "compute_uv", vectors)};
static const LinalgSpec svd_specs[3] = {
    {FACTOR_SVD, "mn>p", "r", "t"}, {FACTOR_SVD, "mn>mp,p,pn", "trt", "t"}, {FACTOR_SVD, "mn>mm,p,nn", "trt", "t"}};

static void str_svd(Text *t, const ThApply *a) {
    const LinalgAttrs *at = ATTRS(LinalgAttrs, a);
    text_printf(t, "SVD{full_matrices=%s, compute_uv=%s}", truth(at->full), truth(at->vectors));
}

LINALG_OP(svd, "SVD", 1, -1, svd_fields, &svd_specs[at->vectors ? 1 + (at->full != 0) : 0], .str = str_svd,
          .grad = OP_IF(TH_LINALG, svd_grad),
          .doc = OP_DOC("singular values of a matrix, descending, and their vectors"));

ThApply *svd_make(Builder *b, ThVar *x, bool full, bool vectors) {
    return linalg_node(b, &op_svd, &(LinalgAttrs){.full = full, .vectors = vectors}, &x, 1);
}

/* ---- eigenvalues ------------------------------------------------------------------------------------------------- */
static const AttrField eig_fields[] = {LINALG_FIELD(ATTR_BOOL, "complex", complex),
                                       LINALG_FIELD(ATTR_BOOL, "vectors", vectors)};
static const LinalgSpec eig_specs[4] = {{FACTOR_EIG, "nn>n", "t", "t"},
                                        {FACTOR_EIG, "nn>n,nn", "tt", "t"},
                                        {FACTOR_EIG, "nn>n", "c", "t"},
                                        {FACTOR_EIG, "nn>n,nn", "cc", "t"}};

static void str_eig(Text *t, const ThApply *a) {
    const LinalgAttrs *at = ATTRS(LinalgAttrs, a);
    text_printf(t, "%s%s", at->vectors ? "Eig" : "Eigvals", at->complex ? "{complex=True}" : "");
}

LINALG_OP(eig, "Eig", 1, -1, eig_fields, &eig_specs[(at->vectors != 0) + 2 * (at->complex != 0)], .str = str_eig,
          .grad = OP_IF(TH_LINALG, eig_grad),
          .doc = OP_DOC("eigenvalues of a matrix, and right eigenvectors in columns"));

ThApply *eig_make(Builder *b, ThVar *x, bool complex, bool vectors) {
    return linalg_node(b, &op_eig, &(LinalgAttrs){.complex = complex, .vectors = vectors}, &x, 1);
}

static const AttrField eigh_fields[] = {LINALG_FIELD(ATTR_BOOL, "lower", lower),
                                        LINALG_FIELD(ATTR_BOOL, "vectors", vectors)};
static const LinalgSpec eigh_specs[2] = {{FACTOR_EIGH, "nn>n", "r", "t"}, {FACTOR_EIGH, "nn>n,nn", "rt", "t"}};

static void str_eigh(Text *t, const ThApply *a) {
    const LinalgAttrs *at = ATTRS(LinalgAttrs, a);
    if (at->vectors) text_printf(t, "Eigh{UPLO='%c'}", at->lower ? 'L' : 'U');
    else text_printf(t, "Eigvalsh{lower=%s}", truth(at->lower));
}

LINALG_OP(eigh, "Eigh", 1, -1, eigh_fields, &eigh_specs[at->vectors != 0], .str = str_eigh,
          .grad = OP_IF(TH_LINALG, eigh_grad),
          .doc = OP_DOC("real eigenvalues of a Hermitian matrix, ascending, and orthonormal eigenvectors in columns"));

ThApply *eigh_make(Builder *b, ThVar *x, bool lower, bool vectors) {
    return linalg_node(b, &op_eigh, &(LinalgAttrs){.lower = lower, .vectors = vectors}, &x, 1);
}

static const AttrField eigvalsh_fields[] = {LINALG_FIELD(ATTR_BOOL, "lower", lower)};
static const LinalgSpec eigvalsh_spec = {FACTOR_EIGH_OF, "nn,nn>n", "r", "tt"};

static void str_eigvalsh(Text *t, const ThApply *a) {
    text_printf(t, "Eigvalsh{lower=%s}", truth(ATTRS(LinalgAttrs, a)->lower));
}

LINALG_OP(eigvalsh, "Eigvalsh", 2, 1, eigvalsh_fields, &eigvalsh_spec, .str = str_eigvalsh,
          .grad = OP_IF(TH_LINALG, eigvalsh_grad),
          .doc = OP_DOC("eigenvalues of one Hermitian matrix relative to a positive definite one, ascending"));

ThVar *eigvalsh_make(Builder *b, ThVar *x, ThVar *y, bool lower) {
    if (y) return linalg_apply(b, &op_eigvalsh, &(LinalgAttrs){.lower = lower}, (ThVar *[]){x, y}, 2);
    ThApply *a = eigh_make(b, x, lower, false);
    return a ? a->out[0] : NULL;
}
