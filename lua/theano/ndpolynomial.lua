--- `nd.polynomial`: NumPy's series of powers and of orthogonal polynomials, a module a family with functions whose
-- names begin as NumPy's do (`nd.polynomial.chebyshev.chebval`), and a class a family (`nd.polynomial.Chebyshev`).
-- @module theano.ndarray.polynomial
local bases = require("theano.ndbases")
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray
  local M, H = {}, {} -- H: what the classes are made of, too
  local raise = util.raise

  -- A vector of coefficients as a sequence, and its dtype.
  function H.series(what, c)
    if type(c) == "number" then c = { c } end
    c = arr(c)
    if c.ndim == 0 then c = c:reshape({ 1 }) end
    if c.ndim ~= 1 then
      raise("ValueError", "%s: coefficients are a vector, not an array of %d dimensions", what, c.ndim)
    end
    if c.size == 0 then raise("ValueError", "%s: there are no coefficients", what) end
    c = help.floats(c)
    return c:tolist(), c.dtype
  end
  function H.array(c, ...)
    local dtype = ...
    for i = 2, select("#", ...) do dtype = nd.result_type(dtype, (select(i, ...))) end
    return core.array(c, dtype)
  end
  local MOST = 100000 -- degrees; their columns and matrices are made here
  function H.order(what, name, m, least, most)
    if math.type(m) ~= "integer" then
      raise("TypeError", "%s: %s is an integer, not %s", what, name, util.kind_of(m))
    end
    if m < (least or 0) then raise("ValueError", "%s: %s is at least %d, not %d", what, name, least or 0, m) end
    if m > (most or MOST) then raise("ValueError", "%s: %s is at most %d, not %d", what, name, most or MOST, m) end
    return m
  end
  -- The places of a value: a number, an array, a Variable or another series stays what it is.
  local function places(what, x)
    if x == nil then raise("TypeError", "%s: argument 'x' is missing", what) end
    local series = type(x) == "table" and getmetatable(x) ~= nil
    if not (series or type(x) == "number" or core.kind(x) == "complex" or util.is_var(x)) then x = arr(x) end
    return util.is_array(x) and help.floats(x) or math.type(x) == "integer" and x + 0.0 or x
  end
  -- The coefficients along the first axis, each with one axis of length 1 for each of x's, where tensor says so.
  local function along(what, c, x, tensor)
    if type(c) == "number" then return { c + 0.0 } end
    c = arr(c)
    if c.ndim == 0 then c = c:reshape({ 1 }) end
    if c.shape[1] == 0 then raise("ValueError", "%s: there are no coefficients", what) end
    c = help.floats(c)
    if c.ndim == 1 then return c:tolist() end
    local parts, form = {}, {}
    for d = 2, c.ndim do form[d - 1] = c.shape[d] end
    for _ = 1, tensor and type(x) == "userdata" and x.ndim or 0 do form[#form + 1] = 1 end
    for i, part in c:rows() do parts[i + 1] = part:reshape(form) end
    return parts
  end
  function H.value(what, F, x, c, tensor)
    x = places(what, x)
    return help.result(bases.value(F, along(what, c, x, tensor ~= false), x))
  end

  -- Derivatives and integrals along an axis.
  local function calculus(what, c, axis, step)
    c = help.floats(arr(type(c) == "number" and { c } or c))
    if c.ndim == 0 then c = c:reshape({ 1 }) end
    axis = help.axis_of(what, c, axis or 0)
    if c.shape[axis + 1] == 0 then raise("ValueError", "%s: there are no coefficients", what) end
    if c.ndim == 1 then return core.array(step(c:tolist()), c.dtype) end
    local rows = {}
    for i, row in nd.moveaxis(c, axis, 0):rows() do rows[i + 1] = row end
    return nd.moveaxis(nd.stack(step(rows), 0), 0, axis)
  end

  -- Columns p_0 .. p_deg at x behind x's axes.
  function H.columns(what, F, x, deg)
    H.order(what, "deg", deg)
    x = help.floats(arr(x))
    if x.ndim == 0 then x = x:reshape({ 1 }) end
    local out = { x * 0 + 1.0 }
    for n = 0, deg - 1 do
      local v = F.b(n) == 0 and x or x - F.b(n)
      if n > 0 then v = v * out[n + 1] end -- p_0, which is NaN at infinity as NumPy's
      if n > 0 and F.c(n) ~= 0 then v = v - out[n] * F.c(n) end
      out[n + 2] = F.a(n) == 1 and v or v / F.a(n)
    end
    return nd.stack(out, -1)
  end

  -- ---- least squares ------------------------------------------------------------------------------------------------
  local function degrees(what, deg)
    if type(deg) == "number" then return H.order(what, "deg", deg) end
    local list, most = {}, -1
    for i, n in ipairs(nd.atleast_1d(arr(deg)):tolist()) do
      list[i] = H.order(what, "deg", n)
      most = math.max(most, n)
    end
    if most < 0 then raise("TypeError", "%s: deg is a degree, or a sequence of them, and this one is empty", what) end
    table.sort(list)
    return most, list
  end
  local FIT = { "x", "y", "deg", "rcond", "full", "w", rcond = "number", full = "boolean",
    deg = "integer|table|ndarray" }
  -- o: what is given, by the names of FIT.
  function H.fit(what, F, o)
    local x, y = help.floats(arr(o.x)), help.floats(arr(o.y))
    local most, list = degrees(what, o.deg)
    if x.ndim ~= 1 or x.size == 0 then raise("TypeError", "%s: x is a vector of at least one place", what) end
    if y.ndim ~= 1 and y.ndim ~= 2 then raise("TypeError", "%s: y is a vector or a matrix of columns", what) end
    if y.shape[1] ~= x.size then raise("TypeError", "%s: %d places, %d values", what, x.size, y.shape[1]) end
    local A = H.columns(what, F, x, most)
    if list then A = nd.take(A, list, 1) end
    if o.w ~= nil then
      local w = help.floats(arr(o.w))
      if w.ndim ~= 1 or w.size ~= x.size then raise("TypeError", "%s: %d places, %d weights", what, x.size, w.size) end
      local column = w:reshape({ -1, 1 })
      A, y = A * column, y.ndim == 1 and y * w or y * column
    end
    local sizes = nd.sqrt(nd.sum(nd.square(nd.abs(A)), { axis = 0 }))
    sizes = nd.where(nd.eq(sizes, 0), 1.0, sizes)
    local rcond = o.rcond or x.size * nd.finfo(x.dtype).eps
    local c, left, rank, s = nd.linalg.lstsq(A / sizes, y, rcond)
    c = c / (y.ndim == 1 and sizes or sizes:reshape({ -1, 1 }))
    if list then
      local all = nd.zeros(y.ndim == 1 and { most + 1 } or { most + 1, y.shape[2] }, c.dtype)
      all[arr(list)] = c
      c = all
    end
    if o.full then return c, { left, rank, s, rcond } end
    return c
  end

  -- ---- roots, quadrature --------------------------------------------------------------------------------------------
  function H.roots(what, F, c)
    local list, dtype = H.series(what, c)
    list = bases.trimmed(list)
    if #list == 1 then return nd.zeros({ 0 }, dtype) end
    local A = core.array(bases.companion(F, list), dtype)
    return nd.sort(nd.linalg.eigvals(A["::-1, ::-1"])) -- turned round: the large ones come out better
  end
  local function gauss(what, F, deg)
    H.order(what, "deg", deg, 1, 5000)
    local unit = {}
    for k = 1, deg do unit[k] = 0.0 end
    unit[deg + 1] = 1.0
    local x = nd.linalg.eigvalsh(core.array(bases.companion(F, unit), "float64"))
    local at, before, sum = bases.orthonormal(F, deg, x)
    x = x - nd.nan_to_num(at * before / sum, { nan = 0.0, posinf = 0.0, neginf = 0.0 })
    if F.even then x = (x - x["::-1"]) / 2 end
    local _, _, squares = bases.orthonormal(F, deg, x)
    local w = 1 / squares
    if F.even then w = (w + w["::-1"]) / 2 end
    return x, w * (F.total / w:sum())
  end

  -- ---- a module a family --------------------------------------------------------------------------------------------
  local function arithmetic(S, F, p)
    local function two(name, step)
      S[p .. name] = function(c1, c2)
        local a, d1 = H.series(p .. name, c1)
        local b, d2 = H.series(p .. name, c2)
        return H.array(bases.trimmed(step(a, b)), d1, d2)
      end
    end
    two("add", bases.plus)
    two("sub", function(a, b) return bases.plus(a, bases.times(b, -1.0)) end)
    two("mul", function(a, b) return bases.product(F, a, b) end)
    S[p .. "mulx"] = function(c)
      local a, dtype = H.series(p .. "mulx", c)
      return H.array(bases.trimmed(bases.by_x(F, a)), dtype)
    end
    S[p .. "div"] = function(c1, c2)
      local a, d1 = H.series(p .. "div", c1)
      local b, d2 = H.series(p .. "div", c2)
      a, b = bases.trimmed(a), bases.trimmed(b)
      if #b == 1 and b[1] == 0 then raise("ZeroDivisionError", "%sdiv: the divisor is zero", p) end
      local quotient, rest = bases.divided(F, a, b)
      return H.array(quotient, d1, d2), H.array(rest, d1, d2)
    end
    S[p .. "pow"] = function(c, pow, maxpower)
      local a, dtype = H.series(p .. "pow", c)
      maxpower = maxpower or p == "poly" and MOST // #a or 16
      H.order(p .. "pow", "pow", pow, 0, H.order(p .. "pow", "maxpower", maxpower))
      local r = pow == 0 and { 1.0 } or a
      for _ = 2, pow do r = bases.product(F, r, a) end
      return H.array(r, dtype)
    end
    S[p .. "line"] = function(off, scl)
      off, scl = H.series(p .. "line", off), H.series(p .. "line", scl)
      return core.array(bases.line(F, off[1], scl[1]))
    end
    S[p .. "fromroots"] = function(roots)
      roots = help.floats(nd.atleast_1d(arr(roots)))
      if roots.ndim ~= 1 then raise("ValueError", "%sfromroots: roots are a vector", p) end
      return core.array(bases.from_roots(F, nd.sort(roots):tolist()), roots.dtype)
    end
    S[p .. "trim"] = function(...) return M.polyutils.trimcoef(...) end
  end

  local DER = { "c", "m", "scl", "axis", m = "integer", scl = "number", axis = "integer" }
  local INT = { "c", "m", "k", "lbnd", "scl", "axis", m = "integer", lbnd = "number", scl = "number", axis = "integer" }
  local function changes(S, F, p)
    S[p .. "der"] = function(...)
      local o = util.bind(p .. "der", DER, ...)
      local m = H.order(p .. "der", "m", o.m or 1)
      return calculus(p .. "der", o.c, o.axis, function(c) return bases.derivative(F, c, m, o.scl or 1.0) end)
    end
    S[p .. "int"] = function(...)
      local o = util.bind(p .. "int", INT, ...)
      local m = H.order(p .. "int", "m", o.m or 1, 0, 1000)
      local k = o.k == nil and {} or nd.atleast_1d(arr(o.k)):tolist()
      if #k > m then raise("ValueError", "%sint: %d constants for %d integrals", p, #k, m) end
      return calculus(p .. "int", o.c, o.axis, function(c)
        return bases.integral(F, c, m, k, o.lbnd or 0.0, o.scl or 1.0)
      end)
    end
  end

  local VAL = { "x", "c", "tensor", tensor = "boolean" }
  local function values(S, F, p)
    S[p .. "val"] = function(...)
      local o = util.bind(p .. "val", VAL, ...)
      return H.value(p .. "val", F, o.x, o.c, o.tensor)
    end
    for n, letters in pairs({ [2] = "2d", [3] = "3d" }) do
      local function each(what, grid, ...)
        local at, c = { ... }, select(n + 1, ...)
        for k = 1, n do at[k] = help.floats(arr(at[k])) end
        for k = 2, grid and 0 or n do
          local first, this = tostring(at[1].shape), tostring(at[k].shape)
          if first ~= this then raise("ValueError", "%s: places of shapes %s and %s", what, first, this) end
        end
        for k = 1, n do c = H.value(what, F, at[k], c, grid or k == 1) end
        return c
      end
      S[p .. "val" .. letters] = function(...) return each(p .. "val" .. letters, false, ...) end
      S[p .. "grid" .. letters] = function(...) return each(p .. "grid" .. letters, true, ...) end
      S[p .. "vander" .. letters] = function(...)
        local deg, all = select(n + 1, ...), nil
        local what = p .. "vander" .. letters
        deg = nd.atleast_1d(arr(deg)):tolist()
        if #deg ~= n then raise("ValueError", "%s: deg is a sequence of %d degrees", what, n) end
        for k = 1, n do
          local v = H.columns(what, F, (select(k, ...)), deg[k])
          all = all and (all[{ "...", "None" }] * v["..., None, :"]) or v
          if k > 1 then
            local shape = {}
            for d = 1, all.ndim - 2 do shape[d] = all.shape[d] end
            shape[#shape + 1] = -1
            all = all:reshape(shape)
          end
        end
        return all
      end
    end
    S[p .. "vander"] = function(x, deg) return H.columns(p .. "vander", F, x, deg) end
    S[p .. "fit"] = function(...) return H.fit(p .. "fit", F, util.bind(p .. "fit", FIT, ...)) end
  end

  local function orthogonal(S, F, p)
    S[p .. "companion"] = function(c)
      local a, dtype = H.series(p .. "companion", c)
      a = bases.trimmed(a)
      if #a < 2 then raise("ValueError", "%scompanion: a series of degree 1 at least has one", p) end
      return core.array(bases.companion(F, a), dtype)
    end
    S[p .. "roots"] = function(c) return H.roots(p .. "roots", F, c) end
    if not F.total then return end
    S[p .. "weight"] = function(x) return help.result(F.weight(nd, places(p .. "weight", x))) end
    S[p .. "gauss"] = function(deg) return gauss(p .. "gauss", F, deg) end
    S["poly2" .. p] = function(pol)
      local a, dtype = H.series("poly2" .. p, pol)
      return H.array(bases.composed(bases.FAMILIES.polynomial, a, F, bases.line(F, 0.0, 1.0)), dtype)
    end
    S[p .. "2poly"] = function(c)
      local a, dtype = H.series(p .. "2poly", c)
      return H.array(bases.composed(F, a, bases.FAMILIES.polynomial, { 0.0, 1.0 }), dtype)
    end
  end

  M.polyutils = require("theano.ndpolyutils")(nd, H)
  for name, F in pairs(bases.FAMILIES) do
    local S, p = {}, F.prefix
    M[name] = S
    arithmetic(S, F, p)
    changes(S, F, p)
    values(S, F, p)
    orthogonal(S, F, p)
    S[p .. "domain"] = arr(F.domain)
    S[p .. "zero"], S[p .. "one"], S[p .. "x"] = arr { 0 }, arr { 1 }, arr(bases.line(F, 0, 1))
    S[F.class] = require("theano.ndseries")(nd, H, M, name, F)
    M[F.class] = S[F.class]
  end
  local cheb = M.chebyshev
  --- The roots of T_n, ascending.
  function cheb.chebpts1(npts)
    H.order("chebpts1", "npts", npts, 1, math.maxinteger)
    return nd.sin(0.5 * math.pi / npts * (nd.arange(npts) * 2 - (npts - 1)))
  end
  --- The extrema of T_(n-1), ascending, with both ends.
  function cheb.chebpts2(npts)
    H.order("chebpts2", "npts", npts, 2, math.maxinteger)
    return nd.cos(nd.linspace(-math.pi, 0, npts))
  end
  --- Nodes and weights are known for this family (A&S 25.4.38).
  function cheb.chebgauss(deg)
    H.order("chebgauss", "deg", deg, 1, math.maxinteger)
    return nd.cos((nd.arange(1, 2 * deg, 2) * math.pi) / (2.0 * deg)), nd.full({ deg }, math.pi / deg)
  end
  --- The series of degree deg that is func at the roots of T_(deg+1).
  function cheb.chebinterpolate(func, deg, args)
    H.order("chebinterpolate", "deg", deg)
    util.expect("chebinterpolate", "func", func, "function")
    args = args and util.list("chebinterpolate: args", args) or {}
    local x = cheb.chebpts1(deg + 1)
    local y = arr(func(x, table.unpack(args)))
    local c = nd.dot(H.columns("chebinterpolate", bases.FAMILIES.chebyshev, x, deg).T, y)
    c["0"] = c["0"] / (deg + 1)
    c["1:"] = c["1:"] / (0.5 * (deg + 1))
    return c
  end
  return M
end
