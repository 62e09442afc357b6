/*
 * lapack.h -- types of the functions of LAPACK and BLAS that are used: the same for all dtypes, numbers by address. The
 * last arguments are the lengths of the texts, as Fortran passes them.
 */
#ifndef TH_FACTOR_LAPACK_H
#define TH_FACTOR_LAPACK_H

#include "factor.h"

typedef void (*Potrf)(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t);
typedef void (*Getrf)(const int *m, const int *n, void *a, const int *lda, int *ipiv, int *info);
typedef void (*Getrs)(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda, const int *ipiv,
                      void *b, const int *ldb, int *info, size_t);
typedef void (*Getri)(const int *n, void *a, const int *lda, const int *ipiv, void *work, const int *lwork, int *info);
typedef void (*Trsm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                     const int *n, const void *alpha, const void *a, const int *lda, void *b, const int *ldb, size_t,
                     size_t, size_t, size_t);
typedef void (*Trsv)(const char *uplo, const char *trans, const char *diag, const int *n, const void *a, const int *lda,
                     void *x, const int *incx, size_t, size_t, size_t);
typedef void (*Geqrf)(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork,
                      int *info);
typedef void (*Orgqr)(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work,
                      const int *lwork, int *info);
typedef void (*GesddReal)(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                          const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *iwork,
                          int *info, size_t);
typedef void (*GesddComplex)(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                             const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, void *rwork,
                             int *iwork, int *info, size_t);
typedef void (*GeevReal)(const char *left, const char *right, const int *n, void *a, const int *lda, void *wr, void *wi,
                         void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork, int *info,
                         size_t, size_t);
typedef void (*GeevComplex)(const char *left, const char *right, const int *n, void *a, const int *lda, void *w,
                            void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork,
                            void *rwork, int *info, size_t, size_t);
typedef void (*GeesComplex)(const char *job, const char *sort, void *select, const int *n, void *a, const int *lda,
                            int *sdim, void *w, void *vs, const int *ldvs, void *work, const int *lwork, void *rwork,
                            int *bwork, int *info, size_t, size_t);
typedef void (*EighReal)(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                         const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
typedef void (*EighComplex)(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w,
                            void *work, const int *lwork, void *rwork, const int *lrwork, int *iwork, const int *liwork,
                            int *info, size_t, size_t);
typedef void (*EighOfReal)(const int *type, const char *job, const char *uplo, const int *n, void *a, const int *lda,
                           void *b, const int *ldb, void *w, void *work, const int *lwork, int *iwork,
                           const int *liwork, int *info, size_t, size_t);
typedef void (*EighOfComplex)(const int *type, const char *job, const char *uplo, const int *n, void *a, const int *lda,
                              void *b, const int *ldb, void *w, void *work, const int *lwork, void *rwork,
                              const int *lrwork, int *iwork, const int *liwork, int *info, size_t, size_t);
typedef void (*GelsdReal)(const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b, const int *ldb,
                          void *s, const void *rcond, int *rank, void *work, const int *lwork, int *iwork, int *info);
typedef void (*GelsdComplex)(const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b,
                             const int *ldb, void *s, const void *rcond, int *rank, void *work, const int *lwork,
                             void *rwork, int *iwork, int *info);

/* Function number `slot` of the job; false: there is none. */
bool lapack_need(FactorJob *j, int slot, LapackName name);
/* A length of a working array as the library's query leaves it. */
int lapack_length(const FactorJob *j, const void *first, int least);

/* lapack_solve.c: in rows (C order), where LAPACK sees the transposed matrices. */
void lapack_triangular(FactorJob *j, int slot, const void *a, bool lower, int trans, bool unit, void *b, int n, int k);

bool lapack_plan_cholesky(FactorJob *j), lapack_run_cholesky(FactorJob *j, char *const *at);
bool lapack_plan_lu(FactorJob *j), lapack_run_lu(FactorJob *j, char *const *at);
bool lapack_plan_lu_solve(FactorJob *j), lapack_run_lu_solve(FactorJob *j, char *const *at);
bool lapack_plan_triangular(FactorJob *j), lapack_run_triangular(FactorJob *j, char *const *at);
bool lapack_plan_cho_solve(FactorJob *j), lapack_run_cho_solve(FactorJob *j, char *const *at);
bool lapack_plan_solve(FactorJob *j), lapack_run_solve(FactorJob *j, char *const *at);
bool lapack_plan_inverse(FactorJob *j), lapack_run_inverse(FactorJob *j, char *const *at);
bool lapack_plan_det(FactorJob *j), lapack_run_det(FactorJob *j, char *const *at);
bool lapack_plan_qr(FactorJob *j), lapack_run_qr(FactorJob *j, char *const *at);
bool lapack_plan_svd(FactorJob *j), lapack_run_svd(FactorJob *j, char *const *at);
bool lapack_plan_eig(FactorJob *j), lapack_run_eig(FactorJob *j, char *const *at);
bool lapack_plan_eigh(FactorJob *j), lapack_run_eigh(FactorJob *j, char *const *at);
bool lapack_plan_eigh_of(FactorJob *j), lapack_run_eigh_of(FactorJob *j, char *const *at);
bool lapack_plan_lstsq(FactorJob *j), lapack_run_lstsq(FactorJob *j, char *const *at);

#endif
