--- `nd.linalg`: NumPy's linear algebra on arrays. Most are functions of the engine's table (`T.nlinalg`, `T.slinalg`)
-- under NumPy's names; where NumPy's results or arguments differ a line of Lua stands between.
-- @module theano.ndarray.linalg
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

local SAME = { -- NumPy's name -> the table's
  inv = "nlinalg.matrix_inverse", det = "nlinalg.det", slogdet = "nlinalg.slogdet", qr = "nlinalg.qr",
  norm = "nlinalg.norm", cond = "nlinalg.cond", matrix_rank = "nlinalg.matrix_rank", multi_dot = "nlinalg.multi_dot",
  matrix_power = "nlinalg.matrix_power", tensorinv = "nlinalg.tensorinv", tensorsolve = "nlinalg.tensorsolve",
  eigh = "nlinalg.eigh", eigvalsh = "nlinalg.eigvalsh", matmul = "matmul", tensordot = "tensordot", outer = "outer",
}

return function(nd)
  local arr = core.asarray
  local by_name = {}
  for _, f in ipairs(core.functions()) do by_name[f.name] = f.eager end
  local linalg = {}
  for name, of in pairs(SAME) do linalg[name] = by_name[of] end

  -- Of no elements: norms without a least one are 0, and there is no rank.
  local function is_empty(x) return type(x) ~= "string" and not util.is_keywords(x) and arr(x).size == 0 end
  local function none(x, axis, keepdims) return nd.sum(help.floats(arr(x)), help.over(axis, keepdims)) end
  local norm, matrix_rank = linalg.norm, linalg.matrix_rank
  local NONE = util.set({ 1, 2, math.huge, "nuc", "fro" })
  --- `norm(x, ord, axis, keepdims)`: the norm of a vector, or of matrices: ord 2, 1, 0, math.huge, -math.huge, another
  -- power, of matrices "fro", "nuc", 1, -1, 2, -2, math.huge, -math.huge.
  function linalg.norm(x, ...)
    if not is_empty(x) then return norm(x, ...) end
    local o = help.options("norm", { "ord", "axis", "keepdims" }, ...)
    if not NONE[o.ord] or arr(x).ndim == 0 then return norm(x, ...) end
    return none(x, o.axis, o.keepdims)
  end
  --- How many singular values are above `tol` (the largest times `rtol`, or times max(m, n) times epsilon).
  function linalg.matrix_rank(x, ...)
    if not is_empty(x) or arr(x).ndim < 2 then return matrix_rank(x, ...) end
    return nd.sum(arr(x):astype("int64"), { axis = { -2, -1 } })
  end
  local power = linalg.matrix_power
  --- `matrix_power(a, n)`: the product of n times the same square matrix, of its inverse where n is below 0.
  function linalg.matrix_power(a, n)
    a = arr(a)
    local shape = a.shape
    if #shape > 1 and shape[#shape] ~= shape[#shape - 1] then
      util.raise("LinAlgError", "matrix_power: the last two dimensions of the array must be square")
    end
    return power(a, n)
  end

  for _, name in ipairs({ "vecdot", "cross", "matrix_transpose" }) do linalg[name] = nd[name] end

  --- The triangular factor of positive definite matrices: the lower one, or with upper the other.
  function linalg.cholesky(a, upper) return by_name["slinalg.cholesky"](arr(a), { lower = not upper }) end

  --- x with a x = b: b a vector, or matrices.
  function linalg.solve(a, b) return by_name["slinalg.solve"](arr(a), arr(b)) end

  --- u, s, vt with a = u diag(s) vt; without compute_uv s alone. hermitian: that a is changes nothing here.
  function linalg.svd(a, full_matrices, compute_uv, _hermitian)
    return by_name["nlinalg.svd"](arr(a), full_matrices ~= false, compute_uv ~= false)
  end

  --- The singular values, descending.
  function linalg.svdvals(x) return by_name["nlinalg.svd"](arr(x), true, false) end

  local function real_where_all_are(w, v)
    local all_real = w.size == 0 or nd.all(nd.eq(nd.imag(w), 0))
    if not all_real then return w, v end
    return nd.real(w), v and nd.real(v)
  end

  --- Eigenvalues and right eigenvectors in columns: complex, unless all of a real matrix's are real.
  function linalg.eig(a)
    a = arr(a)
    local w, v = by_name["nlinalg.eig"](a, true)
    if a.dtype:find("complex", 1, true) then return w, v end
    return real_where_all_are(w, v)
  end

  --- Eigenvalues: complex, unless all of a real matrix's are real.
  function linalg.eigvals(a)
    a = arr(a)
    local w = by_name["nlinalg.eigvals"](a, true)
    if a.dtype:find("complex", 1, true) then return w end
    return (real_where_all_are(w))
  end

  --- The pseudo-inverse; singular values up to rcond (1e-15) times the largest count as 0: a number, or one for each
  -- matrix.
  function linalg.pinv(a, rcond, hermitian, rtol)
    rcond = rcond == nil and rtol or rcond
    if util.is_array(rcond) and rcond.ndim > 0 then
      a = arr(a)
      local stack = table.move(a.shape, 1, a.ndim - 2, 1, {})
      local rows = a:reshape({ -1, a.shape[a.ndim - 1], a.shape[a.ndim] })
      local each, out = nd.broadcast_to(rcond, stack):reshape({ -1 }), {}
      for i = 0, each.size - 1 do out[i + 1] = linalg.pinv(rows[i], each[i], hermitian) end
      if #out == 0 then return by_name["nlinalg.pinv"](a, 1e-15, hermitian or false) end
      table.move(out[1].shape, 1, 2, #stack + 1, stack)
      return nd.stack(out):reshape(stack)
    end
    if util.is_array(rcond) then rcond = rcond:item() end
    return by_name["nlinalg.pinv"](arr(a), rcond or 1e-15, hermitian or false)
  end

  --- x for which a x is nearest to b, what is left squared and summed (empty unless the rank is full and a has more
  -- rows than columns), rank, singular values. rcond: epsilon times the larger length of a; -1: epsilon.
  function linalg.lstsq(a, b, rcond)
    a = arr(a)
    local x, left, rank, s = by_name["nlinalg.lstsq"](a, arr(b), rcond)
    if a.ndim == 2 and (a.shape[1] <= a.shape[2] or rank < a.shape[2]) then left = nd.zeros({ 0 }, s.dtype) end
    return x, left, rank, s
  end

  --- The norm of matrices in the last two axes: ord "fro", "nuc", 1, -1, 2, -2, math.huge, -math.huge.
  function linalg.matrix_norm(x, keepdims, ord)
    return linalg.norm(arr(x), ord or "fro", { -2, -1 }, keepdims or false)
  end

  --- The norm of vectors along an axis, a sequence of axes, or of all elements.
  function linalg.vector_norm(x, axis, keepdims, ord)
    x = arr(x)
    if axis == nil and x.ndim ~= 1 then
      local r = linalg.norm(x:reshape({ -1 }), ord or 2)
      local ones = {}
      for d = 1, x.ndim do ones[d] = 1 end
      return keepdims and arr(r):reshape(ones) or r
    end
    if type(axis) ~= "table" then return linalg.norm(x, ord or 2, axis or 0, keepdims or false) end
    local axes = help.axes_of("vector_norm", x, axis)
    local order, rest, shape = {}, {}, { -1 }
    local chosen = util.set(axes)
    for d = 0, x.ndim - 1 do
      if not chosen[d] then rest[#rest + 1], shape[#shape + 1] = d, x.shape[d + 1] end
    end
    table.move(axes, 1, #axes, 1, order)
    table.move(rest, 1, #rest, #order + 1, order)
    local r = linalg.norm(x:transpose(order):reshape(shape), ord or 2, 0)
    if not keepdims then return r end
    local kept = {}
    for d = 1, x.ndim do kept[d] = chosen[d - 1] and 1 or x.shape[d] end
    return arr(r):reshape(kept)
  end

  --- The diagonals of matrices in the last two axes.
  function linalg.diagonal(x, offset) return nd.diagonal(arr(x), offset or 0, -2, -1) end

  --- `trace(x, offset, dtype)`: sums of the diagonals of matrices in the last two axes.
  function linalg.trace(x, offset, dtype)
    return nd.sum(arr(nd.diagonal(arr(x), offset or 0, -2, -1)), { axis = -1, dtype = dtype })
  end

  return linalg
end
