--- NumPy's functions of sequences: slopes and areas, polynomials, windows, order. Installed by theano.ndnumpy.
-- @module theano.ndseries
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd, kit)
  local arr, floats = core.asarray, help.floats

  -- A part of an axis: "1:" of axis 2 is a[":, :, 1:"].
  local function part(a, axis, slice) return a[(":,"):rep(axis) .. slice] end
  -- A vector along an axis of a.
  local function along(v, a, axis)
    local form = {}
    for d = 1, a.ndim do form[d] = d == axis + 1 and v.size or 1 end
    return v:reshape(form)
  end

  -- ---- slopes and areas ---------------------------------------------------------------------------------------------
  -- Slopes along one axis: in the middle through both neighbours; h: a step, or where the elements lie.
  local function slopes(f, h, axis, order)
    local n = f.shape[axis + 1]
    if n < order + 1 then
      util.raise("ValueError", "gradient: axis %d has %d elements, at least %d are needed", axis, n, order + 1)
    end
    local steps = type(h) == "number" and nd.full({ n - 1 }, h + 0.0) or nd.diff(floats(arr(h)))
    if steps.size ~= n - 1 then
      util.raise("ValueError", "gradient: %d positions for the %d elements of axis %d", steps.size + 1, n, axis)
    end
    local function at(i) return part(f, axis, ("%d:%d"):format(i, i + 1)) end
    local function ends(i, j, k, first, second) -- elements, and the steps between them
      if order == 1 then return (at(j) - at(i)) / first end
      return -(2 * first + second) / (first * (first + second)) * at(i) + (first + second) / (first * second) * at(j)
        - first / (second * (first + second)) * at(k)
    end
    local parts = { ends(0, 1, 2, steps[0], n > 2 and steps[1] or 0) }
    if n > 2 then
      local a, b = steps[":-1"], steps["1:"]
      local function w(v) return along(v, f, axis) end
      if nd.all(nd.eq(steps, steps[0])) then
        parts[2] = (part(f, axis, "2:") - part(f, axis, ":-2")) / (2 * steps[0])
      else
        parts[2] = w(-b / (a * (a + b))) * part(f, axis, ":-2") + w((b - a) / (a * b)) * part(f, axis, "1:-1")
          + w(a / (b * (a + b))) * part(f, axis, "2:")
      end
    end
    local last = ends(n - 1, n - 2, n - 3, -steps[n - 2], n > 2 and -steps[n - 3] or 0)
    parts[#parts + 1] = last
    return nd.concatenate(parts, axis):astype(f.dtype)
  end
  --- `gradient(f, step, .., {axis =, edge_order = 1})`: slopes along each axis (or the named ones), of the second order
  -- in the middle; a step for all or each axis, or the places of the elements. Of several axes one result for each.
  function nd.gradient(f, ...)
    local given, o = table.pack(...), {}
    if util.is_keywords(given[given.n]) then
      o, given[given.n] = given[given.n], nil
      given.n = given.n - 1
      util.check_keywords("gradient", o, { axis = "integer|table", edge_order = "integer" })
    end
    local order = o.edge_order or 1
    if order ~= 1 and order ~= 2 then util.raise("ValueError", "gradient: edge_order is 1 or 2, not %d", order) end
    f = floats(arr(f))
    local axes, out = help.axes_of("gradient", f, o.axis), {}
    if given.n > 1 and given.n ~= #axes then
      util.raise("TypeError", "gradient: %d steps for %d axes", given.n, #axes)
    end
    for i, d in ipairs(axes) do
      local h = given[given.n > 1 and i or 1]
      out[i] = slopes(f, h == nil and 1.0 or h, d, order)
    end
    return table.unpack(out)
  end

  -- ---- polynomials, the highest power first -------------------------------------------------------------------------
  local coefficients = kit.coefficients
  --- `polydiv(u, v)`: quotient and remainder of two polynomials.
  function nd.polydiv(u, v)
    u, v = floats(coefficients("polydiv", u)) + 0.0, floats(coefficients("polydiv", v)) + 0.0
    local n, m = u.size, v.size
    if m == 0 or v[0] == 0 then
      util.raise("ZeroDivisionError", "polydiv: the first coefficient of the divisor is 0")
    end
    local dtype = nd.promote_types(u.dtype, v.dtype)
    local q, r = nd.zeros(math.max(n - m + 1, 1), dtype), u:astype(dtype)
    for k = 0, n - m do
      local by = r[k] / v[0]
      q[k] = by
      local rest = r[("%d:%d"):format(k, k + m)]
      rest:assign(rest - v * by)
    end
    while r.size > 1 and nd.abs(r[0]) <= 1e-8 do r = r["1:"] end
    return q, r
  end
  --- The zeros of a polynomial with these coefficients, the highest power first: eigenvalues of its companion matrix.
  function nd.roots(p)
    p = coefficients("roots", p)
    local at = nd.flatnonzero(p)
    if at.size == 0 then return nd.zeros(0) end
    local first, last, n = at[0], at[at.size - 1], p.size
    p = floats(p[("%d:%d"):format(first, last + 1)])
    local degree, zeros = p.size - 1, nd.zeros(n - 1 - last)
    if degree == 0 then return zeros end
    local companion = nd.eye(degree, degree, -1, p.dtype)
    companion[0] = -p["1:"] / p[0]
    local r = nd.linalg.eigvals(companion)
    local real = r.dtype:find("^complex") and not p.dtype:find("^complex") and nd.all(nd.eq(nd.imag(r), 0))
    if real then r = nd.real(r) end
    return nd.concatenate({ r, zeros:astype(r.dtype) })
  end
  -- Columns of a matrix made orthogonal, each one twice so that no digits are lost, and how they are made of these.
  local function orthogonal(what, A)
    local q, r = {}, {}
    for j = 0, A.shape[2] - 1 do
      local v, c = A[{ ":", j }], {}
      local size = nd.sqrt(nd.sum(v * v))
      for i = 1, j do c[i] = 0.0 end
      for _ = 1, 2 do
        for i = 1, j do
          local by = nd.sum(q[i] * v)
          c[i], v = c[i] + by, v - q[i] * by
        end
      end
      local length = nd.sqrt(nd.sum(v * v))
      if length ~= length or length <= size * 1e-14 then
        util.raise("ValueError", "%s: the values of x do not tell so many coefficients apart", what)
      end
      c[j + 1] = length
      q[j + 1], r[j + 1] = v / length, c
    end
    return q, r
  end
  --- `polyfit(x, y, deg, w)`: the polynomial of that degree with the least squared distance from the points (weighted).
  function nd.polyfit(x, y, deg, w)
    x, y = floats(coefficients("polyfit", x)), floats(coefficients("polyfit", y))
    deg = deg == nil and 0 or deg
    if math.type(deg) ~= "integer" or deg < 0 or deg >= math.max(x.size, 1) then
      util.raise("ValueError", "polyfit: a degree from 0 to %d fits %d points, not %s", math.max(x.size - 1, 0), x.size,
        util.text(deg))
    end
    if y.size ~= x.size then util.raise("TypeError", "polyfit: %d values of x, %d of y", x.size, y.size) end
    local A = nd.vander(x:astype("float64"), deg + 1)
    y = y:astype("float64")
    if w ~= nil then
      w = floats(coefficients("polyfit", w))
      if w.size ~= x.size then util.raise("TypeError", "polyfit: %d weights for %d points", w.size, x.size) end
      A, y = A * w:reshape({ -1, 1 }), y * w
    end
    local q, r = orthogonal("polyfit", A)
    local out = nd.zeros(deg + 1)
    for j = deg + 1, 1, -1 do
      local rest = nd.sum(q[j] * y)
      for k = j + 1, deg + 1 do rest = rest - r[k][j] * out[k - 1] end
      out[j - 1] = rest / r[j][j]
    end
    return out
  end
  --- The polynomial with these zeros.
  function nd.poly(zeros)
    zeros = coefficients("poly", zeros)
    local p = nd.ones(1, nd.promote_types(zeros.dtype, "float32") == "float32" and zeros.dtype or floats(zeros).dtype)
    for i = 0, zeros.size - 1 do
      p = nd.convolve(p, nd.concatenate({ nd.ones(1, zeros.dtype), -zeros[("%d:%d"):format(i, i + 1)] }))
    end
    return p
  end

  -- ---- order --------------------------------------------------------------------------------------------------------
  --- Sorted by the real parts and then the imaginary ones, as complex numbers.
  function nd.sort_complex(a)
    a = arr(a)
    local z = a.dtype:find("^complex") and a
      or a:astype((a.dtype:find("int8") or a.dtype:find("int16")) and "complex64" or "complex128")
    if z.size == 0 then return z:copy() end
    local rows, out = z:reshape({ -1, z.shape[z.ndim] }), {}
    for i = 1, rows.shape[1] do
      local row = rows[i - 1]
      out[i] = row[nd.lexsort({ nd.imag(row), nd.real(row) })]
    end
    return nd.stack(out):reshape(z.shape)
  end
  --- `real_if_close(a, tol)`: the real parts, where all imaginary ones are at most tol (100) times the spacing at 1.
  function nd.real_if_close(a, tol)
    a, tol = arr(a), tol or 100
    util.expect("real_if_close", "tol", tol, "number")
    if not a.dtype:find("^complex") then return a end
    local least = tol > 1 and tol * nd.finfo(a.dtype).eps or tol
    return nd.all(nd.lt(nd.abs(nd.imag(a)), least)) and nd.real(a) or a
  end
end
