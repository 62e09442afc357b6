--- `nd.linalg`: NumPy's linear algebra on arrays. Most are functions of the engine's table (`T.nlinalg`, `T.slinalg`)
-- under NumPy's names; where NumPy's results or arguments differ a line of Lua stands between.
-- @module theano.ndarray.linalg
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray
  local by_name = {}
  for _, f in ipairs(core.functions()) do by_name[f.name] = f.eager end
  local linalg = require("theano.alikelinalg")(nd, require("theano.alikearrays")(nd),
    function(name) return by_name[name] end, {})

  -- Of no elements: norms without a least one are 0, and there is no rank.
  local function is_empty(x) return type(x) ~= "string" and not util.is_keywords(x) and arr(x).size == 0 end
  local function none(x, axis, keepdims) return nd.sum(nd.real(help.floats(arr(x))), help.over(axis, keepdims)) end
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
    return nd.sum(nd.zeros(arr(x).shape, "int64"), { axis = { -2, -1 } })
  end
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

  --- x for which a x is nearest to b, what is left squared and summed (empty unless the rank is full and a has more
  -- rows than columns), rank, singular values. rcond: epsilon times the larger length of a; -1: epsilon.
  function linalg.lstsq(a, b, rcond)
    a = arr(a)
    local x, left, rank, s = by_name["nlinalg.lstsq"](a, arr(b), rcond)
    if a.ndim == 2 and (a.shape[1] <= a.shape[2] or rank < a.shape[2]) then left = nd.zeros({ 0 }, s.dtype) end
    return x, left, rank, s
  end

  require("theano.alikematrices")(nd, require("theano.alikearrays")(nd), linalg)
  require("theano.ndmatrices")(nd, linalg)
  return require("theano.ndschur")(nd, linalg)
end
