--- Functions of sequences, windows and sets, for Variables and arrays alike (see theano.alike).
-- @module theano.alikeseries
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(M, K)
  local as, order, len, part, floats = K.as, K.order, K.len, K.part, K.floats
  local axis_of = help.axis_of

  M.amax, M.amin, M.product = M.max, M.min, M.prod

  local function flat(x) return as(x):reshape({ -1 }) end
  local function like(r, x)
    local shape = {}
    for d = 0, x.ndim - 1 do shape[d + 1] = len(x, d) end
    return K.result(r:reshape(shape))
  end
  local function most(a, b)
    if type(a) == "number" and type(b) == "number" then return math.max(a, b) end
    return M.maximum(a, b)
  end

  -- ---- elements -----------------------------------------------------------------------------------------------------
  local clip, angle = M.clip, M.angle
  local function bound(v) -- what is neither nil nor T.none
    if type(v) == "table" and rawget(v, "__arg") == "none" then return nil end
    return v
  end
  --- `clip(x, min, max)`: x within bounds, which may be left out; where they cross, an array's max, as in NumPy,
  -- in graphs the min of what is below it, as in Theano.
  function M.clip(x, min, max)
    min, max = bound(min), bound(max)
    if K.within then x, min, max = K.within(x, min, max) end
    if min ~= nil and max ~= nil then
      if not K.plain then return clip(x, min, max) end
      if type(min) ~= "number" or type(max) ~= "number" then min = M.minimum(min, max)
      elseif min > max then min = max end
      return clip(x, min, max)
    end
    if min ~= nil then return M.maximum(x, min) end
    if max ~= nil then return M.minimum(x, max) end
    return K.result(K.plain and as(x):copy() or as(x))
  end
  --- `angle(z, deg)`: the angle of a complex number, in (-pi, pi], or in degrees.
  function M.angle(z, deg)
    util.check_type("angle", "deg", deg, "boolean")
    local r = angle(z)
    return deg and r * (180 / math.pi) or r
  end

  local HALVES = { float16 = { 10, -14 }, bfloat16 = { 7, -126 } } -- digits, the least exponent
  local spacing = M.spacing
  --- How far the next float is, away from zero.
  function M.spacing(x)
    x = as(x)
    local half = HALVES[x.dtype]
    if not half then return spacing(x) end
    local single = x:astype("float32")
    local _, exponent = M.frexp(single)
    local step = M.ldexp(as(M.ones_like(single)), as(M.maximum(as(exponent) - 1, half[2])) - half[1])
    local size = as(M.switch(as(M.eq(single, 0)), 0.0, single))
    local r = M.switch(as(M.isfinite(single)), M.copysign(step, size), M.nan)
    return K.result(K.to(as(r), x.dtype))
  end

  local nextafter = M.nextafter
  --- The next float after x towards y.
  function M.nextafter(x, y)
    if K.plain then -- of arrays: what most calls are, without a word about dtypes before
      local r = nextafter(x, y)
      if type(r) == "userdata" and not HALVES[r.dtype] then return r end
    end
    x, y = as(x), as(y)
    local dtype = M.result_type(x, y)
    local half = HALVES[dtype]
    if not half then return nextafter(x, y) end
    local a, b = x:astype("float32"), y:astype("float32")
    local fraction, exponent = M.frexp(a)
    local up = as(M.eq(as(M.gt(b, a)), as(M.gt(a, 0)))) -- away from zero
    local edge = as(M.eq(M.abs(fraction), 0.5)) -- below a power of two floats lie closer
    exponent = as(exponent) - 1 - as(M.switch(as(M.logical_and(edge, as(M.logical_not(up)))), 1, 0))
    local step = M.copysign(as(M.ldexp(as(M.ones_like(a)), as(M.maximum(exponent, half[2])) - half[1])), a)
    local r = as(M.switch(up, a + step, M.copysign(as(a - step), a))) -- past the least one there is a zero of its sign
    r = as(M.switch(as(M.eq(a, 0)), M.copysign(2.0 ^ (half[2] - half[1]), b), r))
    local last = as(M.copysign(M.finfo(dtype).max, a)) -- below infinity
    r = as(M.switch(as(M.isfinite(a)), r, as(M.switch(as(M.isnan(a)), M.nan, last))))
    r = as(M.switch(as(M.eq(a, b)), b, as(M.switch(as(M.isnan(b)), M.nan, r))))
    return K.result(r:astype(dtype))
  end

  -- ---- ranges -------------------------------------------------------------------------------------------------------
  local LINSPACE = { "start", "stop", "num", "endpoint", "dtype", "retstep", "axis", endpoint = "boolean",
    dtype = "string", retstep = "boolean", axis = "integer" }
  --- `linspace(start, stop, num, {endpoint = true, dtype, retstep = false, axis = 0})`: num (50) evenly spaced values
  -- from start to stop, both included, or without stop for `endpoint = false`; with retstep also the step. Of tensors
  -- the values stand along a new axis. In graphs start, stop and num may be Variables, and of integers the result is
  -- floatX.
  function M.linspace(...)
    local what = "linspace"
    local o = util.bind(what, LINSPACE, ...)
    for _, name in ipairs({ "start", "stop" }) do
      if o[name] == nil then util.raise("TypeError", "%s: argument '%s' is missing", what, name) end
    end
    local num = K.count(what, o.num == nil and 50 or o.num)
    local start, stop = K.ends(what, o.start, o.stop)
    local last = o.endpoint == false and num or num - 1
    local span = most(last, 1)
    local numbers = type(start) == "number" and type(stop) == "number"
    if type(start) == "number" then span = span + 0.0
    elseif type(span) == "number" then span = K.number(span + 0.0, start.dtype)
    else span = span:astype(start.dtype) end
    local step = (stop - start) / span
    local y, at
    if numbers then y = K.ramp(num, start, step)
    else
      local pattern = { 0 }
      for d = 1, math.max(as(start).ndim, as(stop).ndim) do pattern[d + 1] = "x" end
      at = order(as(M.arange(num)), pattern)
      y = start + at:astype(as(start).dtype) * step
    end
    if last ~= num then y = K.ended(y, at, num, stop) end -- no rounding there
    if o.dtype and o.dtype ~= y.dtype then
      y = (o.dtype:find("int") and M.floor(y) or y):astype(o.dtype)
    end
    if o.axis and o.axis ~= 0 then y = M.moveaxis(y, 0, o.axis) end
    if o.retstep then return y, step end
    return y
  end

  -- ---- slopes -------------------------------------------------------------------------------------------------------
  -- Slopes along one axis: in the middle through both neighbours; h: a step, or where the elements lie.
  local function slopes(f, h, axis, edge)
    local n = K.known(f, axis)
    if n and n < edge + 1 then
      util.raise("ValueError", "gradient: axis %d has %d elements, at least %d are needed", axis, n, edge + 1)
    end
    local steps
    if type(h) ~= "number" and as(h).ndim > 0 then
      steps = M.diff(floats(as(h)))
      local k = K.known(steps, 0)
      if steps.ndim ~= 1 or n and k and k ~= n - 1 then
        util.raise("ValueError", "gradient: %s positions for the %s elements of axis %d", k and tostring(k + 1) or "..",
          tostring(n), axis)
      end
      local same = K.uniform(steps)
      if same then h, steps = same, nil end
    end
    local function step(i) return steps and K.first(part(steps, 0, i, i + 1 ~= 0 and i + 1 or nil)) or h end
    local function at(i) return part(f, axis, i, i + 1 ~= 0 and i + 1 or nil) end
    local function side(i, j, k, first, second) -- elements, and the steps between them
      if edge == 1 then return (at(j) - at(i)) / first end
      return -(2 * first + second) / (first * (first + second)) * at(i) + (first + second) / (first * second) * at(j)
        - first / (second * (first + second)) * at(k)
    end
    local parts = { side(0, 1, 2, step(0), edge == 2 and step(1)) }
    if n ~= 2 then
      local before, behind = part(f, axis, 0, -2), part(f, axis, 2)
      if not steps then parts[2] = (behind - before) / (2 * h)
      else
        local pattern = {}
        for d = 1, f.ndim do pattern[d] = d == axis + 1 and 0 or "x" end
        local a, b = part(steps, 0, 0, -1), part(steps, 0, 1)
        local function w(v) return order(v, pattern) end
        parts[2] = w(-b / (a * (a + b))) * before + w((b - a) / (a * b)) * part(f, axis, 1, -1)
          + w(a / (b * (a + b))) * behind
      end
    end
    parts[#parts + 1] = edge == 1 and (at(-1) - at(-2)) / step(-1) or side(-1, -2, -3, -step(-1), -step(-2))
    return K.to(as(M.concatenate(parts, axis)), f.dtype)
  end
  --- `gradient(f, step, .., {axis =, edge_order = 1})`: slopes along each axis (or the named ones), of the second order
  -- in the middle; a step for all or each axis, or the places of the elements. Of several axes one result for each.
  function K.gradient(f, ...)
    local given, o = table.pack(...), {}
    if util.is_keywords(given[given.n]) then
      o, given[given.n] = given[given.n], nil
      given.n = given.n - 1
      util.check_keywords("gradient", o, { axis = "integer|table", edge_order = "integer" })
    end
    local edge = o.edge_order or 1
    if edge ~= 1 and edge ~= 2 then util.raise("ValueError", "gradient: edge_order is 1 or 2, not %d", edge) end
    f = floats(as(f))
    local axes, out = help.axes_of("gradient", f, o.axis), {}
    if given.n > 1 and given.n ~= #axes then
      util.raise("TypeError", "gradient: %d steps for %d axes", given.n, #axes)
    end
    for i, d in ipairs(axes) do
      local h = given[given.n > 1 and i or 1]
      out[i] = slopes(f, h == nil and 1.0 or h, d, edge)
    end
    return table.unpack(out)
  end

  -- ---- areas, angles, points ----------------------------------------------------------------------------------------
  --- `trapezoid(y, x, dx, axis)`: the integral along an axis (the last) by trapezoids, between places x or steps dx.
  function M.trapezoid(y, x, dx, axis)
    y = floats(as(y))
    axis = axis_of("trapezoid", y, axis or -1)
    local d = dx or 1.0
    if x ~= nil then
      x = as(x)
      d = M.diff(x, { axis = x.ndim == 1 and 0 or axis })
      if x.ndim == 1 then
        local pattern = {}
        for k = 1, y.ndim do pattern[k] = k == axis + 1 and 0 or "x" end
        d = order(d, pattern)
      end
    end
    return M.sum((part(y, axis, 1) + part(y, axis, 0, -1)) / 2.0 * d, { axis = axis })
  end
  M.trapz = M.trapezoid

  --- Angles without jumps: neighbours along an axis (the last) differ by half a period at most.
  function M.unwrap(p, discont, axis, period)
    p, period = as(p), period or 2 * math.pi
    util.expect("unwrap", "period", period, "number")
    local whole = p.dtype:find("^int") and math.type(period) == "integer" -- these stay integers
    p = whole and p or floats(p)
    axis = axis_of("unwrap", p, axis or -1)
    local step, half = M.diff(p, { axis = axis }), whole and period // 2 or period / 2
    local by = M.mod(step + half, period) - half
    if not whole or period % 2 == 0 then by = M.switch(M.and_(M.eq(by, -half), M.gt(step, 0)), half, by) end
    by = K.to(M.switch(M.lt(M.abs(step), discont or period / 2), whole and 0 or 0.0, by - step), p.dtype)
    return M.concatenate({ part(p, axis, 0, 1), part(p, axis, 1) + M.cumsum(by, { axis = axis }) }, axis)
  end

  -- The points within one period in their order, and the last and the first of them again on the other side.
  local function turned_round(xp, fp, period)
    xp = M.mod(xp, period)
    local at = M.argsort(xp)
    xp, fp = xp[at], fp[at]
    return M.concatenate({ xp["-1:"] - period, xp, xp["0:1"] + period }), M.concatenate({ fp["-1:"], fp, fp["0:1"] })
  end
  local function double(x) -- NumPy interpolates in float64
    x = as(x)
    return x:astype(x.dtype:find("^c") and "complex128" or "float64")
  end
  --- `interp(x, xp, fp, left, right, period)`: linear interpolation through points with increasing xp; beyond them the
  -- end values, or what is given; with a period through points in any order that come again.
  function M.interp(x, xp, fp, ...)
    local o = util.bind("interp", { "left", "right", "period", left = "number", right = "number", period = "number" },
      ...)
    x, xp, fp = double(x), double(xp), double(fp)
    if fp.dtype == "complex128" then -- each part by itself, so that one does not spoil the other
      return K.result(K.complex(as(M.interp(x, xp, M.real(fp), o.left, o.right, o.period)),
        as(M.interp(x, xp, M.imag(fp), o.left and 0, o.right and 0, o.period))))
    end
    local n, m = xp.ndim == 1 and K.known(xp, 0), fp.ndim == 1 and K.known(fp, 0)
    if n == false or m == false or n == 0 or n and m and n ~= m then
      util.raise("ValueError", "interp: xp and fp are vectors of the same length, not empty")
    end
    local v = flat(x)
    if o.period then
      if o.period == 0 then util.raise("ValueError", "interp: a period is not 0") end
      local period = math.abs(o.period) + 0.0
      v, n, o.left, o.right = M.mod(v, period), n and n + 2, nil, nil
      xp, fp = turned_round(xp, fp, period)
    end
    n = n or len(xp, 0)
    local at = M.clip(M.searchsorted(xp, v, { side = "right" }) - 1, 0, most(n - 2, 0))
    local x0, y0, next_ = xp[at], fp[at], M.minimum(at + 1, n - 1)
    local way = xp[next_] - x0
    local there = M.gt(way, 0)
    local slope = (fp[next_] - y0) / M.switch(there, way, 1.0)
    local r = slope * (v - x0) + y0
    r = as(M.switch(M.isnan(r), slope * (v - xp[next_]) + fp[next_], r)) -- by an infinite value: from its other side
    r = M.switch(M.or_(M.eq(v, x0), M.and_(M.isnan(r), M.eq(y0, fp[next_]))), y0, r)
    local last = K.whole(n - 1)
    r = M.switch(M.ge(v, xp[last]), fp[last], M.switch(M.le(v, xp[0]), fp[0], r))
    if o.left then r = M.switch(M.lt(v, xp[0]), o.left, r) end
    if o.right then r = M.switch(M.gt(v, xp[last]), o.right, r) end
    return like(as(r), x)
  end

  --- `ediff1d(x, to_end, to_begin)`: differences of neighbours, of all elements in order, between what is given.
  function M.ediff1d(x, to_end, to_begin)
    local r = M.diff(flat(x))
    if to_end == nil and to_begin == nil then return r end
    local function kept(name, v)
      -- a literal has no dtype of its own
      if math.type(v) == "integer" then v = K.number(v, r.dtype) end
      local fits = M.result_type(r, v)
      v = flat(v)
      if fits ~= r.dtype and not M.can_cast(v.dtype, r.dtype, "same_kind") then
        util.raise("TypeError", "ediff1d: %s is %s, the differences are %s", name, v.dtype, r.dtype)
      end
      return v:astype(r.dtype)
    end
    local parts = { r }
    if to_begin ~= nil then table.insert(parts, 1, kept("to_begin", to_begin)) end
    if to_end ~= nil then parts[#parts + 1] = kept("to_end", to_end) end
    return M.concatenate(parts)
  end

  --- The value of a polynomial, highest power first. In graphs the number of coefficients is known.
  function M.polyval(p, x)
    p, x = M.atleast_1d(p), as(x)
    local n = K.known(p, 0)
    if not n then
      util.raise("ValueError", "polyval: the number of coefficients is not known while building: T.specify_shape tells "
        .. "it")
    end
    local dtype = M.result_type(p, x)
    if p.dtype ~= dtype then p = p:astype(dtype) end
    local y = M.zeros_like(x, dtype)
    for i = 0, n - 1 do y = as(y) * x + K.first(part(p, 0, i, i + 1)) end
    return K.result(as(y))
  end
  --- The powers x^(n-1) .. x^0 of a vector, as columns; in increasing order when asked.
  function M.vander(x, n, increasing)
    util.check_type("vander", "increasing", increasing, "boolean")
    x = as(x)
    if x.ndim ~= 1 then util.raise("ValueError", "vander: a vector is expected, not %d dimensions", x.ndim) end
    local columns = n == nil and len(x, 0) or n
    if K.plain and x.dtype == "float64" and math.type(columns) == "integer" and columns > 0 and len(x, 0) > 0 then
      local one = M.ones({ len(x, 0), 1 }, "float64") -- by running products, as NumPy has them
      local all = M.cumprod(M.concatenate({ one, M.repeat_(order(x, { 0, "x" }), columns - 1, 1) }, 1), 1)
      return increasing and all or all[":, ::-1"]:copy()
    end
    local powers = M.arange(columns)
    if not increasing then powers = powers["::-1"] end
    return M.power(order(x, { 0, "x" }), order(powers, { "x", 0 }))
  end
  --- A matrix with the elements in order on diagonal k.
  function M.diagflat(v, k) return M.diag(flat(v), k or 0) end
  --- `logspace(start, stop, num, endpoint, base, dtype, axis)`: powers of a base (10), evenly spaced in the exponent;
  -- start, stop and the base may be tensors, the values stand along a new axis then.
  function M.logspace(start, stop, num, endpoint, base, dtype, axis)
    util.check_type("logspace", "endpoint", endpoint, "boolean")
    util.check_type("logspace", "axis", axis, "integer")
    base = base == nil and 10.0 or base
    if type(base) ~= "number" and as(base).ndim > 0 then
      start = as(start) + M.zeros_like(as(base), "float64")
      base = M.expand_dims(as(base), axis or 0)
    end
    local y = M.power(base, M.linspace(start, stop, num or 50, endpoint, nil, nil, axis))
    return dtype and as(y):astype(dtype) or y
  end
  -- Integers and booleans as floats, those of 16 bits and fewer as float32.
  local function float_of(x)
    if x.dtype:find("[fc]") then return x end
    local small = x.dtype == "bool" or x.dtype:find("int8$") or x.dtype:find("int16$")
    return x:astype(small and "float32" or "float64")
  end
  --- Nearest whole number, halves to even: floats, also of integers.
  function M.rint(x) return M.round(float_of(as(x))) end

  --- `select(condlist, choicelist, otherwise)`: from the choice whose condition holds first; 0 where none does.
  function M.select(condlist, choicelist, otherwise)
    local conditions = util.list("select: condlist", condlist)
    local choices = util.each("select: choicelist", choicelist, function(c) return as(c) end)
    if #conditions ~= #choices or #choices == 0 then
      util.raise("ValueError", "select: %d conditions, %d choices", #conditions, #choices)
    end
    choices[#choices + 1] = otherwise == nil and 0 or otherwise
    local dtype = M.result_type(table.unpack(choices))
    local out = as(table.remove(choices)):astype(dtype)
    for i = #choices, 1, -1 do out = as(M.switch(as(conditions[i]), K.to(choices[i], dtype), out)) end
    return K.result(out)
  end

  -- ---- convolutions -------------------------------------------------------------------------------------------------
  local function least(a, b)
    if type(a) == "number" and type(b) == "number" then return math.min(a, b) end
    return M.minimum(a, b)
  end
  local function operands(what, a, v)
    a, v = as(a), as(v)
    if a.ndim ~= 1 or v.ndim ~= 1 or K.known(a, 0) == 0 or K.known(v, 0) == 0 then
      util.raise("ValueError", "%s takes two vectors, not empty", what)
    end
    return a, v
  end
  -- The part of the whole that a mode names; start: where "same" begins.
  local function mode_of(what, whole, n, m, mode, start)
    if mode == "full" then return whole end
    local short, long = least(n, m), most(n, m)
    if mode == "same" then return part(whole, 0, start, start + long) end
    if mode == "valid" then return part(whole, 0, short - 1, long) end
    return util.raise("ValueError", "%s: mode is 'full', 'same' or 'valid', not '%s'", what, tostring(mode))
  end
  --- `convolve(a, v, mode)`: sums of products of two vectors (or numbers), one turned round and moved over the other:
  -- "full", "same" or "valid". In graphs integers go through float64.
  function M.convolve(a, v, mode)
    a, v = operands("convolve", M.atleast_1d(a), M.atleast_1d(v))
    local n, m = len(a, 0), len(v, 0)
    return mode_of("convolve", K.convolved(a, v), n, m, mode or "full", (least(n, m) - 1) // 2)
  end
  --- `correlate(a, v, mode)`: sums of products with v moved along: "valid", "same" or "full".
  function M.correlate(a, v, mode)
    a, v = operands("correlate", a, v)
    local n, m = len(a, 0), len(v, 0)
    local start
    if type(n) == "number" and type(m) == "number" then start = m <= n and (m - 1) // 2 or n // 2
    else start = M.switch(M.le(m, n), (m - 1) // 2, n // 2) end
    return mode_of("correlate", K.convolved(a, M.conj(v["::-1"])), n, m, mode or "valid", start)
  end

  -- ---- windows ------------------------------------------------------------------------------------------------------
  -- n values of fn over -(n-1), -(n-3) .. n-1, which fn gets divided by n - 1.
  local function window(what, n, fn)
    if math.type(n) ~= "integer" and not util.is_var(n) then
      util.raise("TypeError", "%s: the number of points is an integer, not %s", what, util.kind_of(n))
    end
    if type(n) == "number" and n < 1 then return M.zeros({ 0 }, "float64") end
    local k = M.arange(n) * 2 - (n - 1)
    local last = most(n - 1, 1)
    return fn(k:astype("float64"), type(last) == "number" and last + 0.0 or last:astype("float64"))
  end
  local function turned(k, m, by) return M.cos(k * by / m) end
  --- The Blackman window of n points.
  function M.blackman(n)
    return window("blackman", n, function(k, m)
      return turned(k, m, math.pi) * 0.5 + turned(k, m, 2 * math.pi) * 0.08 + 0.42
    end)
  end
  --- The Hamming window of n points.
  function M.hamming(n)
    return window("hamming", n, function(k, m) return turned(k, m, math.pi) * 0.46 + 0.54 end)
  end
  --- The Hann window of n points.
  function M.hanning(n)
    return window("hanning", n, function(k, m) return turned(k, m, math.pi) * 0.5 + 0.5 end)
  end
  --- The Kaiser window of n points: beta is 0 for a rectangle, larger for a narrower one.
  function M.kaiser(n, beta)
    if type(beta) ~= "number" and not util.is_var(beta) then
      util.raise("TypeError", "kaiser: beta is a number, not %s", util.kind_of(beta))
    end
    if type(beta) == "number" then beta = K.number(beta, "float64") end
    return window("kaiser", n, function(k, m)
      local side = M.maximum(1 - (k / m) * (k / m), 0.0)
      return M.i0(M.sqrt(side) * beta) / M.i0(beta)
    end)
  end

  -- ---- sets ---------------------------------------------------------------------------------------------------------
  local function flag(what, name, v) util.check_type(what, name, v, "boolean") end
  --- `isin(x, set, assume_unique, invert, kind)`: whether each element of x is one of those of `set`, or (invert)
  -- is none.
  -- That elements occur once, and NumPy's ways to look for them, change nothing.
  function M.isin(x, set, assume_unique, invert, kind)
    flag("isin", "assume_unique", assume_unique)
    flag("isin", "invert", invert)
    if kind ~= nil and kind ~= "sort" and kind ~= "table" then
      util.raise("ValueError", "isin: kind is 'sort' or 'table', not %s", util.text(kind))
    end
    x = as(x)
    local sorted, v = M.sort(flat(set)), flat(x)
    local found = M.gt(M.searchsorted(sorted, v, { side = "right" }), M.searchsorted(sorted, v, { side = "left" }))
    if x.dtype:find("[fc]") then found = M.and_(found, M.eq(v, v)) end -- NaN is none
    return like(as(invert and M.logical_not(found) or found), x)
  end
  M.in1d = M.isin
  --- `intersect1d(x, y, assume_unique, return_indices)`: the sorted elements that are in both; with return_indices also
  -- their first positions in x and in y.
  function M.intersect1d(x, y, assume_unique, return_indices)
    flag("intersect1d", "assume_unique", assume_unique)
    flag("intersect1d", "return_indices", return_indices)
    if return_indices then
      local u, i = M.unique(flat(x), { return_index = true })
      local v, j = M.unique(flat(y), { return_index = true })
      local hit = M.isin(u, v)
      return as(u[hit]):astype(M.promote_types(u.dtype, v.dtype)), i[hit], j[M.isin(v, u)]
    end
    local u = M.unique(flat(x))
    local both = u[M.isin(u, y)]
    return as(both):astype(M.promote_types(u.dtype, as(y).dtype))
  end
  --- The sorted elements that are in either.
  function M.union1d(x, y)
    local all = M.append(x, y)
    if type(x) == "number" or type(y) == "number" then all = K.to(all, M.result_type(x, y)) end
    return M.unique(all)
  end
  --- `setdiff1d(x, y, assume_unique)`: the sorted elements of x that are not in y; in their order in x where
  -- assume_unique says that each occurs once.
  function M.setdiff1d(x, y, assume_unique)
    flag("setdiff1d", "assume_unique", assume_unique)
    local u = assume_unique and flat(x) or M.unique(flat(x))
    return u[M.isin(u, y, nil, true)]
  end
  --- `setxor1d(x, y, assume_unique)`: the sorted elements that are in one of the two only.
  function M.setxor1d(x, y, assume_unique)
    flag("setxor1d", "assume_unique", assume_unique)
    return M.union1d(M.setdiff1d(x, y), M.setdiff1d(y, x))
  end
end
