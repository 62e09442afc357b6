/*
 * solve.c -- Solve, SolveTriangular, CholeskySolve, LUSolve, lstsq: systems of linear equations.
 * In: batches of matrices and right sides (n, k). Out: solutions.
 */
#include "grads.h"
#include "spec.h"

static const AttrField solve_fields[] = {LINALG_FIELD(ATTR_BYTE, "assume_a", assume),
                                         LINALG_FIELD(ATTR_BOOL, "lower", lower),
                                         LINALG_FIELD(ATTR_BYTE, "trans", trans), LINALG_FIELD(ATTR_BOOL, "nan", nan)};
static const LinalgSpec solve_spec = {FACTOR_SOLVE, "nn,nk>nk", "t", "tt"};

static void put_rest(Text *t, const LinalgAttrs *at) {
    static const char letters[] = "NTC";
    if (at->trans) text_printf(t, ", trans='%c'", letters[at->trans]);
    if (at->unit) text_put(t, ", unit_diagonal=True");
    if (at->nan) text_put(t, ", on_error='nan'");
    text_put(t, "}");
}

static void str_solve(Text *t, const ThApply *a) {
    static const char *const names[] = {"general", "symmetric", "hermitian", "positive_definite"};
    const LinalgAttrs *at = ATTRS(LinalgAttrs, a);
    text_printf(t, "Solve{A_structure='%s', lower=%s, overwrite_A=False, overwrite_b=False", names[at->assume],
                at->lower ? "True" : "False");
    put_rest(t, at);
}

LINALG_OP(solve, "Solve", 2, 1, solve_fields, &solve_spec, .str = str_solve, .grad = OP_IF(TH_LINALG, solve_grad),
          .doc = OP_DOC("solution of a system of linear equations for each column of the right side"));

ThVar *solve_make(Builder *b, ThVar *x, ThVar *y, const LinalgAttrs *at) {
    LinalgAttrs own = {.assume = at->assume, .lower = at->lower, .trans = at->trans, .nan = at->nan};
    return linalg_apply(b, &op_solve, &own, (ThVar *[]){x, y}, 2);
}

static const AttrField triangular_fields[] = {
    LINALG_FIELD(ATTR_BOOL, "lower", lower), LINALG_FIELD(ATTR_BYTE, "trans", trans),
    LINALG_FIELD(ATTR_BOOL, "unit_diagonal", unit), LINALG_FIELD(ATTR_BOOL, "nan", nan)};
static const LinalgSpec triangular_spec = {FACTOR_TRIANGULAR, "nn,nk>nk", "t", "tt"};

static void str_triangular(Text *t, const ThApply *a) {
    const LinalgAttrs *at = ATTRS(LinalgAttrs, a);
    text_printf(t, "Solve{A_structure='%s_triangular', lower=%s, overwrite_A=False, overwrite_b=False",
                at->lower ? "lower" : "upper", at->lower ? "True" : "False");
    put_rest(t, at);
}

LINALG_OP(solve_triangular, "SolveTriangular", 2, 1, triangular_fields, &triangular_spec, .str = str_triangular,
          .grad = OP_IF(TH_LINALG, triangular_grad),
          .doc = OP_DOC("solution of a triangular system of linear equations for each column of the right side"));

ThVar *solve_triangular_make(Builder *b, ThVar *x, ThVar *y, const LinalgAttrs *at) {
    LinalgAttrs own = {.lower = at->lower, .trans = at->trans, .unit = at->unit, .nan = at->nan};
    return linalg_apply(b, &op_solve_triangular, &own, (ThVar *[]){x, y}, 2);
}

static const AttrField cho_fields[] = {LINALG_FIELD(ATTR_BOOL, "lower", lower)};
static const LinalgSpec cho_spec = {FACTOR_CHO_SOLVE, "nn,nk>nk", "t", "tt"};

LINALG_OP(cholesky_solve, "CholeskySolve", 2, 1, cho_fields, &cho_spec, .grad = OP_IF(TH_LINALG, cholesky_solve_grad),
          .doc = OP_DOC("solution of a positive definite system, given the factor of Cholesky"));

ThVar *cholesky_solve_make(Builder *b, ThVar *l, ThVar *y, bool lower) {
    return linalg_apply(b, &op_cholesky_solve, &(LinalgAttrs){.lower = lower}, (ThVar *[]){l, y}, 2);
}

static const AttrField lu_solve_fields[] = {LINALG_FIELD(ATTR_BYTE, "trans", trans),
                                            LINALG_FIELD(ATTR_BOOL, "nan", nan)};
static const LinalgSpec lu_solve_spec = {FACTOR_LU_SOLVE, "nn,n,nk>nk", "t", "tit"};

LINALG_OP(lu_solve, "LUSolve", 3, 1, lu_solve_fields, &lu_solve_spec, .grad = OP_IF(TH_LINALG, lu_solve_grad),
          .doc = OP_DOC("solution of a system of linear equations, given what LUFactor made of the matrix"));

ThVar *lu_solve_make(Builder *b, ThVar *lu, ThVar *at, ThVar *y, int trans, bool nan) {
    ThVar *in[] = {lu, y};
    if (!at || !linalg_settle(b, in, 2)) return NULL;
    at = padleft_make(b, cast_make(b, at, TH_INT32), in[0]->type.ndim - 1);
    return apply1(b, &op_lu_solve, &(LinalgAttrs){.trans = (int8_t)trans, .nan = nan}, (ThVar *[]){in[0], at, in[1]},
                  3);
}

/* ---- least squares ----------------------------------------------------------------------------------------------- */
static const AttrField lstsq_fields[] = {LINALG_FIELD(ATTR_BOOL, "nan", nan)};
static const LinalgSpec lstsq_spec = {FACTOR_LSTSQ, "mn,mk>nk,k,,p", "trlr", "tts"};

LINALG_OP_READS(lstsq, "lstsq", 3, 4, lstsq_fields, &lstsq_spec, DEVICE_READS(2), .grad = OP_IF(TH_LINALG, lstsq_grad),
                .doc = OP_DOC("the shortest solution that leaves least squares, what is left, rank, singular values"));

ThApply *lstsq_make(Builder *b, ThVar *x, ThVar *y, ThVar *rcond) {
    ThVar *in[] = {x, y};
    if (!rcond || !linalg_settle(b, in, 2)) return NULL;
    return apply_make(b, &op_lstsq, &(LinalgAttrs){0}, (ThVar *[]){in[0], in[1], cast_make(b, rcond, TH_FLOAT64)}, 3);
}
