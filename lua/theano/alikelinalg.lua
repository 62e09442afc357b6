--- Linear algebra under NumPy's and SciPy's names, `T.linalg` and `nd.linalg`: the functions of the engine's table
-- (`T.nlinalg`, `T.slinalg`), and what is made of them.
-- @module theano.alikelinalg
local help = require("theano.ndhelp")
local util = require("theano.util")

local SAME = { -- NumPy's name -> the table's
  inv = "nlinalg.matrix_inverse", det = "nlinalg.det", slogdet = "nlinalg.slogdet", qr = "nlinalg.qr",
  norm = "nlinalg.norm", cond = "nlinalg.cond", matrix_rank = "nlinalg.matrix_rank", multi_dot = "nlinalg.multi_dot",
  matrix_power = "nlinalg.matrix_power", tensorinv = "nlinalg.tensorinv", tensorsolve = "nlinalg.tensorsolve",
  eig = "nlinalg.eig", eigvals = "nlinalg.eigvals", lstsq = "nlinalg.lstsq",
  eigh = "nlinalg.eigh", eigvalsh = "nlinalg.eigvalsh", matmul = "matmul", tensordot = "tensordot", outer = "outer",
}
-- SciPy's, under their names.
local SCIPY = { "expm", "sqrtm", "logm", "lu", "lu_factor", "cho_solve", "solve_triangular", "block_diag" }

--- Puts them into `linalg`; M is `T` or `nd`, K its kit (theano.alike), `engine(name)` a function of the table.
return function(M, K, engine, linalg)
  local as = K.as
  for name, of in pairs(SAME) do linalg[name] = engine(of) end
  for _, name in ipairs(SCIPY) do linalg[name] = engine("slinalg." .. name) end
  for _, name in ipairs({ "vecdot", "cross", "matrix_transpose" }) do linalg[name] = M[name] end

  --- `lu_solve({lu, piv}, b, trans)`: x with a x = b of the results of lu_factor(a), which may stand one by one too.
  function linalg.lu_solve(lu, ...)
    if type(lu) == "table" and getmetatable(lu) == nil and #lu == 2 and type(lu[2]) == "userdata" then
      return engine("slinalg.lu_solve")(lu[1], lu[2], ...)
    end
    return engine("slinalg.lu_solve")(lu, ...)
  end
  --- `matrix_power(a, n)`: the product of n times the same square matrix, of its inverse where n is below 0.
  function linalg.matrix_power(a, n)
    a = as(a)
    local rows, columns = a.ndim > 1 and K.known(a, a.ndim - 2), a.ndim > 1 and K.known(a, a.ndim - 1)
    if rows and columns and rows ~= columns then
      util.raise("LinAlgError", "matrix_power: the last two dimensions of the array must be square")
    end
    return engine("nlinalg.matrix_power")(a, n)
  end

  --- The triangular factor of positive definite matrices: the lower one, or with upper the other.
  function linalg.cholesky(a, upper) return engine("slinalg.cholesky")(as(a), { lower = not upper }) end

  --- x with a x = b: b a vector, or matrices.
  function linalg.solve(a, b) return engine("slinalg.solve")(as(a), as(b)) end

  --- The factors u, s and vt of a matrix, or its singular values alone.
  function linalg.svd(a, full_matrices, compute_uv, _hermitian)
    return engine("nlinalg.svd")(as(a), full_matrices ~= false, compute_uv ~= false)
  end

  --- The singular values, descending.
  function linalg.svdvals(x) return engine("nlinalg.svd")(as(x), true, false) end

  -- The pseudo-inverse with a bound of its own for each matrix.
  local function pinv_each(a, rcond)
    local u, s, v = linalg.svd(a, false)
    local bound = M.expand_dims(rcond, rcond.ndim) * M.max(s, { axis = -1, keepdims = true })
    local counts = M.gt(s, bound)
    local inverse = M.switch(counts, 1 / as(M.switch(counts, s, 1.0)), 0.0)
    return M.matmul(M.conj(M.matrix_transpose(v)) * M.expand_dims(as(inverse):astype(s.dtype), -2),
      M.conj(M.matrix_transpose(u)))
  end
  --- The pseudo-inverse; singular values up to rcond (1e-15) times the largest count as 0: a number, or one for each
  -- matrix.
  function linalg.pinv(a, rcond, hermitian, rtol)
    rcond, a = rcond == nil and rtol or rcond, as(a)
    local none = K.plain and a.size == 0 -- there nothing counts
    if rcond == nil or type(rcond) == "number" or none then
      return engine("nlinalg.pinv")(a, not none and rcond or 1e-15, hermitian or false)
    end
    rcond = as(rcond)
    if rcond.ndim == 0 and K.plain then return engine("nlinalg.pinv")(a, rcond:item(), hermitian or false) end
    return pinv_each(a, rcond)
  end

  --- The norm of matrices in the last two axes: ord "fro", "nuc", 1, -1, 2, -2, math.huge, -math.huge.
  function linalg.matrix_norm(x, keepdims, ord)
    return linalg.norm(as(x), ord or "fro", { -2, -1 }, keepdims or false)
  end

  -- A norm of elements of x in a form; a number of Lua's has none of its dtype.
  local function of_form(r, x, form)
    local dtype = x.dtype == "complex64" and "float32" or x.dtype
    return (dtype:find("float") and K.to(as(r), dtype) or as(r)):reshape(form)
  end
  --- The norm of vectors along an axis, a sequence of axes, or of all elements.
  function linalg.vector_norm(x, axis, keepdims, ord)
    x = as(x)
    if axis == nil and x.ndim ~= 1 then
      local r = linalg.norm(x:reshape({ -1 }), ord or 2)
      local ones = {}
      for d = 1, x.ndim do ones[d] = 1 end
      return keepdims and of_form(r, x, ones) or r
    end
    if type(axis) ~= "table" then return linalg.norm(x, ord or 2, axis or 0, keepdims or false) end
    local axes = help.axes_of("vector_norm", x, axis)
    local order, rest, shape = {}, {}, { 1 }
    local chosen = util.set(axes)
    for d = 0, x.ndim - 1 do
      if chosen[d] then shape[1] = shape[1] * K.len(x, d)
      else rest[#rest + 1], shape[#shape + 1] = d, K.len(x, d) end
    end
    table.move(axes, 1, #axes, 1, order)
    table.move(rest, 1, #rest, #order + 1, order)
    local r = linalg.norm(M.transpose(x, order):reshape(shape), ord or 2, 0)
    if not keepdims then return r end
    local kept = {}
    for d = 1, x.ndim do kept[d] = chosen[d - 1] and 1 or K.len(x, d - 1) end
    return of_form(r, x, kept)
  end

  --- The diagonals of matrices in the last two axes.
  function linalg.diagonal(x, offset) return M.diagonal(as(x), offset or 0, -2, -1) end

  --- `trace(x, offset, dtype)`: sums of the diagonals of matrices in the last two axes.
  function linalg.trace(x, offset, dtype)
    return M.sum(as(M.diagonal(as(x), offset or 0, -2, -1)), { axis = -1, dtype = dtype })
  end
  return linalg
end
