--- Functions of linear algebra that have specs of their own for values and gradients: name -> spec.
-- @module spec.support.linalg_names
local M = { matmul = "einsum_spec", einsum = "einsum_spec" }

for name in ([[slinalg.block_diag slinalg.cholesky slinalg.lu slinalg.lu_factor slinalg.eigvalsh slinalg.solve
  slinalg.solve_symmetric slinalg.solve_triangular slinalg.solve_lower_triangular slinalg.solve_upper_triangular
  slinalg.cho_solve slinalg.lu_solve slinalg.expm slinalg.sqrtm slinalg.logm nlinalg.multi_dot nlinalg.tensorinv
  nlinalg.tensorsolve nlinalg.cond
  nlinalg.matrix_rank nlinalg.qr nlinalg.svd nlinalg.eig nlinalg.eigvals nlinalg.eigh nlinalg.eigvalsh nlinalg.lstsq
  nlinalg.matrix_inverse slinalg.hint nlinalg.pinv nlinalg.det nlinalg.slogdet nlinalg.logdet]]):gmatch("%S+") do
  M[name] = "linalg_spec, linalg_grad_spec"
end

return M
