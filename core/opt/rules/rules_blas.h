/* rules_blas.h -- products become the calls of a BLAS. */
/* clang-format off */
REWRITE(local_dot_to_dot22,         BLAS0|FC, "Dot",    1, rw_dot_to_dot22)
REWRITE(local_dot22_to_dot22scalar, BLASV,    "mul",    2, rw_dot22_to_dot22scalar)
REWRITE(local_gemm_to_gemv,         BLASV,    "Gemm",   1, rw_gemm_to_gemv)
REWRITE(local_gemm_to_ger,          BLASV,    "Gemm",   1, rw_gemm_to_ger)
REWRITE(local_dot22_to_ger_or_gemv, BLASV,    "Dot22",  1, rw_dot22_to_ger_or_gemv)
