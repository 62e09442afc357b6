/* rules_linalg.h -- solutions, inverses and determinants. */
/* clang-format off */
REWRITE(inv_as_solve,             STAB,       "Dot",             2, rw_inverse_to_solve)
REWRITE(inv_as_solve,             STAB,       "BatchedDot",      2, rw_inverse_to_solve)
REWRITE(local_inverse_transposed, CANON|STAB, "MatrixInverse",   2, rw_inverse_transposed)
REWRITE(local_det_transposed,     CANON|STAB, "Det",             2, rw_det_transposed)
REWRITE(local_solve_transposed,   CANON|STAB, "Solve",           2, rw_solve_transposed)
REWRITE(local_solve_transposed,   CANON|STAB, "SolveTriangular", 2, rw_solve_transposed)
REWRITE(local_solve_structure,    STAB,       "Solve",           3, rw_solve_structure)
REWRITE(local_log_det,            STAB,       "log",             3, rw_log_det)
REWRITE(local_remove_hint,        UNCANON|FC, "Hint",            1, rw_hint)
