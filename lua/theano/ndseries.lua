--- NumPy's functions of sequences: slopes and areas, polynomials, windows, order. Installed by theano.ndnumpy.
-- @module theano.ndseries
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd)
  local arr, axis_of, floats = core.asarray, help.axis_of, help.floats

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
  local function coefficients(what, p)
    p = nd.atleast_1d(p)
    if p.ndim ~= 1 then util.raise("ValueError", "%s: coefficients are a vector", what) end
    return p
  end
  local function summed(what, fn)
    return function(a1, a2)
      local a, b = coefficients(what, a1), coefficients(what, a2)
      local function longer(p, n) return nd.concatenate({ nd.zeros(math.max(n - p.size, 0), p.dtype), p }) end
      return fn(longer(a, b.size), longer(b, a.size))
    end
  end
  -- The sum of two polynomials.
  nd.polyadd = summed("polyadd", nd.add)
  -- The difference of two polynomials.
  nd.polysub = summed("polysub", nd.sub)
  --- The product of two polynomials.
  function nd.polymul(a1, a2)
    local r = nd.convolve(coefficients("polymul", a1), coefficients("polymul", a2))
    local first = nd.flatnonzero(r)
    return first.size > 0 and r[("%d:"):format(first[0])] or r["-1:"]
  end
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
  -- How many times.
  local MOST = 10000
  local function times(what, m)
    util.check_type(what, "m", m, "integer")
    if m and m < 0 then util.raise("ValueError", "%s: m is %d, less than 0", what, m) end
    return m or 1
  end
  --- The m-th derivative (the first) of a polynomial.
  function nd.polyder(p, m)
    p = coefficients("polyder", p)
    for _ = 1, math.min(times("polyder", m), p.size) do
      p = p.size > 1 and p[":-1"] * nd.arange(p.size - 1, 0, -1) or p["0:0"]
    end
    return p
  end
  --- `polyint(p, m, k)`: the m-th integral (the first) of a polynomial, with the constants k.
  function nd.polyint(...)
    local o = util.bind("polyint", { "p", "m", "k", m = "integer", k = "number|table" }, ...)
    local p, k, n = coefficients("polyint", o.p), o.k, times("polyint", o.m)
    if n > MOST then util.raise("ValueError", "polyint: m is %d, at most %d is expected", n, MOST) end
    for i = 1, n do
      local constant = type(k) == "table" and k[i] or type(k) == "number" and k or 0
      p = nd.concatenate({ p / nd.arange(p.size, 0, -1), nd.array({ constant + 0.0 }) })
    end
    return p
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

  --- `geomspace(start, stop, num, endpoint)`: values (50) with one ratio between neighbours, both ends included.
  function nd.geomspace(start, stop, num, endpoint)
    util.expect("geomspace", "start", start, "number")
    util.expect("geomspace", "stop", stop, "number")
    if start == 0 or stop == 0 or (start < 0) ~= (stop < 0) then
      util.raise("ValueError", "geomspace: from %s to %s: neither is 0, and both have one sign", util.text(start),
        util.text(stop))
    end
    num = num or 50
    local sign = start < 0 and -1.0 or 1.0
    local r = nd.pow(10.0, nd.linspace(math.log(start * sign, 10), math.log(stop * sign, 10), num, endpoint)) * sign
    if num > 0 then r[0] = start + 0.0 end
    if num > 1 and endpoint ~= false then r[num - 1] = stop + 0.0 end
    return r
  end

  -- ---- order --------------------------------------------------------------------------------------------------------
  local function kth_of(what, a, kth, axis)
    a = arr(a)
    local n = axis == nil and a.ndim > 0 and a.shape[a.ndim] or a.shape[axis_of(what, a, axis or -1) + 1]
    for _, k in ipairs(type(kth) == "table" and util.list(what .. ": kth", kth) or { kth }) do
      if math.type(k) ~= "integer" or k < -n or k >= n then
        util.raise("ValueError", "%s: kth = %s is out of range for %d elements", what, util.text(k), n)
      end
    end
    return a, axis or -1
  end
  --- Sorted along an axis (the last), which is one of the orders that a partition around position kth may have.
  function nd.partition(a, kth, axis)
    a, axis = kth_of("partition", a, kth, axis)
    return nd.sort(a, axis)
  end
  --- The positions that sort along an axis (the last): those of a partition around position kth.
  function nd.argpartition(a, kth, axis)
    a, axis = kth_of("argpartition", a, kth, axis)
    return nd.argsort(a, axis)
  end
  --- Positions that sort by several keys, the last one first of all.
  function nd.lexsort(keys)
    local list = help.list_of("lexsort", util.is_array(keys) and nd.unstack(keys) or keys)
    local order = nd.argsort(list[1])
    for i = 2, #list do order = order[nd.argsort(list[i][order])] end
    return order
  end
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
