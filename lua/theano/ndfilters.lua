--- nd.signal's filters: designs (Butterworth, Chebyshev), responses, running them. Installed by theano.ndsignal.
-- @module theano.ndfilters
local core = require("theano.core")
local help = require("theano.ndhelp")
local objective = require("theano.ndobjective")
local util = require("theano.util")

return function(nd, M)
  local arr = core.asarray

  -- ---- lists of complex numbers -------------------------------------------------------------------------------------
  local function complex(v)
    if type(v) == "number" then return nd.complex(v, 0) end
    if core.kind(v) == "complex" then return v end
    return util.raise("TypeError", "zeros and poles are numbers, not %s", util.kind_of(v))
  end
  local function sections(what, sos)
    sos = arr(sos):astype("float64")
    if sos.ndim ~= 2 or sos.shape[2] ~= 6 then
      util.raise("ValueError", "%s: sections are rows of six coefficients", what)
    end
    return sos
  end
  local function each(list, fn)
    local out = {}
    for i, v in ipairs(list) do out[i] = fn(v) end
    return out
  end
  local function product(list)
    local p = nd.complex(1, 0)
    for _, v in ipairs(list) do p = p * v end
    return p
  end
  local function size(z) return math.sqrt(z.real * z.real + z.imag * z.imag) end
  local function root(z) -- the principal square root
    local m = size(z)
    local re = math.sqrt(math.max((m + z.real) / 2, 0))
    local im = math.sqrt(math.max((m - z.real) / 2, 0))
    return nd.complex(re, z.imag < 0 and -im or im)
  end
  local function as_array(list)
    local a = nd.zeros({ #list }, "complex128")
    for i, v in ipairs(list) do a[i - 1] = v end
    return a
  end
  local function as_list(a)
    if type(a) == "table" and getmetatable(a) == nil then return each(a, complex) end
    return each(nd.atleast_1d(arr(a)):tolist(), complex)
  end

  -- ---- forms of a filter --------------------------------------------------------------------------------------------
  -- Coefficients of the polynomial with these zeros: real where they come in conjugate pairs.
  local function polynomial(zeros)
    local c = { nd.complex(1, 0) }
    for _, z in ipairs(zeros) do
      local next_ = { c[1] }
      for i = 2, #c do next_[i] = c[i] - z * c[i - 1] end
      next_[#c + 1] = -z * c[#c]
      c = next_
    end
    local a = nd.zeros(#c)
    for i, v in ipairs(c) do a[i - 1] = v.real end
    return a
  end
  --- `zpk2tf(z, p, k)`: coefficients of the filter with these zeros, poles and gain.
  function M.zpk2tf(z, p, k) return polynomial(as_list(z)) * k, polynomial(as_list(p)) end
  --- `tf2zpk(b, a)`: zeros, poles and gain of a filter.
  function M.tf2zpk(b, a)
    b, a = nd.atleast_1d(arr(b)):astype("float64"), nd.atleast_1d(arr(a)):astype("float64")
    return nd.roots(b), nd.roots(a), b[0] / a[0]
  end

  -- Conjugate pairs (the one above the real line) and real numbers of a list.
  local function paired(list)
    local pairs_, reals = {}, {}
    for _, z in ipairs(list) do
      if math.abs(z.imag) <= 1e-14 * math.max(size(z), 1e-300) then reals[#reals + 1] = z.real
      elseif z.imag > 0 then pairs_[#pairs_ + 1] = z end
    end
    if #pairs_ * 2 + #reals ~= #list then
      util.raise("ValueError", "zpk2sos: complex zeros and poles come in conjugate pairs")
    end
    return pairs_, reals
  end
  -- The place of what is nearest to z in a list.
  local function nearest(list, z)
    local best, at = math.huge, nil
    for i, v in ipairs(list) do
      local d = size(complex(v) - z)
      if d < best then best, at = d, i end
    end
    return at, best
  end
  --- `zpk2sos(z, p, k)`: the filter as sections of the second order, a row of six coefficients each; poles nearest to
  -- the unit circle stand last, with the zeros nearest to them.
  function M.zpk2sos(z, p, k)
    z, p = as_list(z), as_list(p)
    while #z < #p do z[#z + 1] = nd.complex(0, 0) end
    while #p < #z do p[#p + 1] = nd.complex(0, 0) end
    if #p % 2 == 1 then z[#z + 1], p[#p + 1] = nd.complex(0, 0), nd.complex(0, 0) end
    local zc, zr = paired(z)
    local pc, pr = paired(p)
    local n = #p // 2
    local sos = nd.zeros({ math.max(n, 1), 6 })
    if n == 0 then
      sos[0] = nd.array({ k, 0, 0, 1, 0, 0 }):astype("float64")
      return sos
    end
    local function take(complexes, reals, near)
      local i, di = nearest(complexes, near)
      local j, dj = nearest(reals, near)
      if i and (not j or di <= dj or #reals < 2) then return { table.remove(complexes, i) } end
      local first = table.remove(reals, j)
      local other = nearest(reals, near)
      return { first, table.remove(reals, other) }
    end
    local function quadratic(r)
      if #r == 1 then return 1.0, -2 * r[1].real, size(r[1]) ^ 2 end
      return 1.0, -(r[1] + (r[2] or 0.0)), r[1] * (r[2] or 0.0)
    end
    for s = n - 1, 0, -1 do
      local worst, best = nil, math.huge
      for _, v in ipairs(pc) do
        if math.abs(1 - size(v)) < best then worst, best = v, math.abs(1 - size(v)) end
      end
      for _, v in ipairs(pr) do
        if math.abs(1 - math.abs(v)) < best then worst, best = complex(v), math.abs(1 - math.abs(v)) end
      end
      local poles = take(pc, pr, worst)
      local zeros = take(zc, zr, worst)
      local b0, b1, b2 = quadratic(zeros)
      local a0, a1, a2 = quadratic(poles)
      sos[s] = nd.array({ b0, b1, b2, a0, a1, a2 }):astype("float64")
    end
    sos["0, :3"] = sos["0, :3"] * k
    return sos
  end
  --- `sos2tf(sos)`: the coefficients of sections together.
  function M.sos2tf(sos)
    sos = sections("sos2tf", sos)
    local b, a = nd.ones(1), nd.ones(1)
    for i = 0, sos.shape[1] - 1 do
      b, a = nd.convolve(b, sos[{ i, nd.arange(3) }]), nd.convolve(a, sos[{ i, nd.arange(3, 6) }])
    end
    return b, a
  end
  --- `tf2sos(b, a)`: a filter as sections of the second order.
  function M.tf2sos(b, a) return M.zpk2sos(M.tf2zpk(b, a)) end

  -- ---- designs ------------------------------------------------------------------------------------------------------
  -- From the analog low pass of 1 rad/s to the band that is asked for.
  local function to_low(z, p, k, w)
    return each(z, function(v) return v * w end), each(p, function(v) return v * w end), k * w ^ (#p - #z)
  end
  local function to_high(z, p, k, w)
    local gain = (product(each(z, function(v) return -v end)) / product(each(p, function(v) return -v end))).real
    local zeros = each(z, function(v) return w / v end)
    for _ = 1, #p - #z do zeros[#zeros + 1] = nd.complex(0, 0) end
    return zeros, each(p, function(v) return w / v end), k * gain
  end
  local function both_roots(list, centre)
    local out = {}
    for _, v in ipairs(list) do out[#out + 1] = v + root(v * v - centre * centre) end
    for _, v in ipairs(list) do out[#out + 1] = v - root(v * v - centre * centre) end
    return out
  end
  local function to_band(z, p, k, w, width)
    local function half(v) return v * (width / 2) end
    local zeros = both_roots(each(z, half), w)
    for _ = 1, #p - #z do zeros[#zeros + 1] = nd.complex(0, 0) end
    return zeros, both_roots(each(p, half), w), k * width ^ (#p - #z)
  end
  local function to_stop(z, p, k, w, width)
    local gain = (product(each(z, function(v) return -v end)) / product(each(p, function(v) return -v end))).real
    local function half(v) return (width / 2) / v end
    local zeros = both_roots(each(z, half), w)
    for _ = 1, #p - #z do
      zeros[#zeros + 1] = nd.complex(0, w)
      zeros[#zeros + 1] = nd.complex(0, -w)
    end
    return zeros, both_roots(each(p, half), w), k * gain
  end
  -- The filter of samples: s = 2 fs (z - 1) / (z + 1).
  local function bilinear(z, p, k, fs)
    local f2 = 2.0 * fs
    local gain = (product(each(z, function(v) return f2 - v end)) / product(each(p, function(v)
      return f2 - v
    end))).real
    local zeros = each(z, function(v) return (f2 + v) / (f2 - v) end)
    for _ = 1, #p - #z do zeros[#zeros + 1] = nd.complex(-1, 0) end
    return zeros, each(p, function(v) return (f2 + v) / (f2 - v) end), k * gain
  end

  local BANDS = { low = "low", lowpass = "low", lp = "low", high = "high", highpass = "high", hp = "high",
    band = "band", bandpass = "band", bp = "band", stop = "stop", bandstop = "stop", bs = "stop" }

  -- What all designs share: prototype gives zeros, poles and gain of the analog low pass.
  local function design(what, z, p, k, o)
    local btype = BANDS[o.btype or "low"]
    if not btype then
      util.raise("ValueError", "%s: btype is 'low', 'high', 'band' or 'stop', not '%s'", what, tostring(o.btype))
    end
    local edges = each(nd.atleast_1d(arr(o.Wn)):astype("float64"):tolist(), function(w)
      return o.fs and 2 * w / o.fs or w
    end)
    local two = btype == "band" or btype == "stop"
    if #edges ~= (two and 2 or 1) then
      util.raise("ValueError", "%s: a filter of btype '%s' has %s, got %d", what, btype,
        two and "two edges" or "one edge",
        #edges)
    end
    for _, w in ipairs(edges) do
      if w <= 0 or not o.analog and w >= 1 then
        util.raise("ValueError", "%s: edges lie between 0 and %s, not at %s", what, o.analog and "infinity"
          or o.fs and "fs / 2" or "1", util.text(w))
      end
    end
    local warped = o.analog and edges or each(edges, function(w) return 4 * math.tan(math.pi * w / 2) end)
    if btype == "low" then z, p, k = to_low(z, p, k, warped[1])
    elseif btype == "high" then z, p, k = to_high(z, p, k, warped[1])
    else
      local width, centre = warped[2] - warped[1], math.sqrt(warped[1] * warped[2])
      z, p, k = (btype == "band" and to_band or to_stop)(z, p, k, centre, width)
    end
    if not o.analog then z, p, k = bilinear(z, p, k, 2.0) end
    local output = o.output or "ba"
    if output == "ba" then return M.zpk2tf(z, p, k) end
    if output == "zpk" then return as_array(z), as_array(p), k end
    if output == "sos" then return M.zpk2sos(z, p, k) end
    return util.raise("ValueError", "%s: output is 'ba', 'zpk' or 'sos', not '%s'", what, tostring(output))
  end
  local function order_of(what, N)
    if math.type(N) ~= "integer" or N < 0 or N > 500 then
      util.raise("ValueError", "%s: the order is an integer of 0 to 500, not %s", what, util.text(N))
    end
    return N
  end
  local TYPES = { analog = "boolean", fs = "number", btype = "string", output = "string" }
  local function read(what, names, ...)
    for k, v in pairs(TYPES) do names[k] = v end
    local o = util.bind(what, names, ...)
    order_of(what, o.N)
    if o.Wn == nil then util.raise("TypeError", "%s: argument 'Wn' is missing", what) end
    return o
  end

  --- `butter(N, Wn, btype, analog, output, fs)`: Butterworth's filter of order N, as b and a, or "zpk" or "sos".
  function M.butter(...)
    local o = read("butter", { "N", "Wn", "btype", "analog", "output", "fs" }, ...)
    local p = {}
    for m = -o.N + 1, o.N - 1, 2 do
      local angle = math.pi * m / (2 * o.N)
      p[#p + 1] = -nd.complex(math.cos(angle), math.sin(angle))
    end
    return design("butter", {}, p, 1.0, o)
  end
  --- `cheby1(N, rp, Wn, btype, analog, output, fs)`: Chebyshev's filter with ripples of rp decibels in the pass band.
  function M.cheby1(...)
    local o = read("cheby1", { "N", "rp", "Wn", "btype", "analog", "output", "fs", rp = "number" }, ...)
    if o.N == 0 then return design("cheby1", {}, {}, 10 ^ (-o.rp / 20), o) end
    local eps = math.sqrt(10 ^ (0.1 * o.rp) - 1)
    local mu = nd.arcsinh(1 / eps) / o.N
    local p = {}
    for m = -o.N + 1, o.N - 1, 2 do
      local angle = math.pi * m / (2 * o.N)
      p[#p + 1] = -nd.complex(nd.sinh(mu) * math.cos(angle), nd.cosh(mu) * math.sin(angle))
    end
    local k = product(each(p, function(v) return -v end)).real
    if o.N % 2 == 0 then k = k / math.sqrt(1 + eps * eps) end
    return design("cheby1", {}, p, k, o)
  end
  --- `cheby2(N, rs, Wn, btype, analog, output, fs)`: Chebyshev's filter with ripples rs decibels down in the stop band.
  function M.cheby2(...)
    local o = read("cheby2", { "N", "rs", "Wn", "btype", "analog", "output", "fs", rs = "number" }, ...)
    if o.N == 0 then return design("cheby2", {}, {}, 1.0, o) end
    local mu = nd.arcsinh(math.sqrt(10 ^ (0.1 * o.rs) - 1)) / o.N
    local z, p = {}, {}
    for m = -o.N + 1, o.N - 1, 2 do
      local angle = math.pi * m / (2 * o.N)
      if m ~= 0 then z[#z + 1] = nd.complex(0, 1 / math.sin(angle)) end
      p[#p + 1] = -1 / nd.complex(nd.sinh(mu) * math.cos(angle), nd.cosh(mu) * math.sin(angle))
    end
    local k = (product(each(p, function(v) return -v end)) / product(each(z, function(v) return -v end))).real
    return design("cheby2", z, p, k, o)
  end

  -- ---- responses ----------------------------------------------------------------------------------------------------
  local function frequencies(o)
    local n, fs = o.worN or 512, o.fs or 2 * math.pi
    if math.type(n) ~= "integer" then return arr(n):astype("float64") * (2 * math.pi / fs), fs end
    local most = o.whole and 2 * math.pi or math.pi
    return nd.linspace(0, most, n, o.include_nyquist == true and not o.whole), fs
  end
  local function response(c, w)
    local z, h = nd.exp(w * nd.complex(0, -1)), nil
    c = nd.atleast_1d(arr(c))
    for i = c.size - 1, 0, -1 do h = h and h * z + c[i] or z * 0.0 + c[i] end
    return h
  end
  local FREQZ = { "b", "a", "worN", "whole", "fs", "include_nyquist", whole = "boolean", fs = "number",
    include_nyquist = "boolean" }
  --- `freqz(b, a, {worN = 512, whole, fs, include_nyquist})`: frequencies, and what the filter makes of them.
  function M.freqz(...)
    local o = util.bind("freqz", FREQZ, ...)
    local w, fs = frequencies(o)
    return w * (fs / (2 * math.pi)), response(o.b, w) / response(o.a or 1.0, w)
  end
  --- `sosfreqz(sos, {worN, whole, fs})`: the same of sections of the second order.
  function M.sosfreqz(...)
    local o = util.bind("sosfreqz", { "sos", "worN", "whole", "fs", whole = "boolean", fs = "number" }, ...)
    local w, fs = frequencies(o)
    local sos, h = sections("sosfreqz", o.sos), nil
    for i = 0, sos.shape[1] - 1 do
      local one = response(sos[{ i, nd.arange(3) }], w) / response(sos[{ i, nd.arange(3, 6) }], w)
      h = h and h * one or one
    end
    return w * (fs / (2 * math.pi)), h
  end

  -- ---- running ------------------------------------------------------------------------------------------------------
  local BLOCK = 64

  local runs -- states before each block: z' = z F + u
  local function states(U, z, F)
    if not runs then
      local theano, T = objective.modules()
      local u, z0, f = T.dtensor3("u"), T.dmatrix("z"), T.dmatrix("F")
      local all = theano.scan { fn = function(step, now) return T.dot(now, f) + step end, sequences = u,
        outputs_info = z0, non_sequences = f, strict = false }
      runs = objective.compile { inputs = { u, z0, f }, outputs = T.concatenate({ z0:dimshuffle("x", 0, 1), all }, 0) }
    end
    return runs(U, z, F)
  end

  -- The filter over blocks of L samples: what they give by themselves, what a state gives, the state behind them.
  local function blocks(b, a, L)
    local n = #a - 1
    local A, B = {}, {}
    for i = 1, n do
      A[i], B[i] = -a[i + 1], b[i + 1] - a[i + 1] * b[1]
    end
    local function forward(v) -- one more sample of silence
      local out = {}
      for i = 1, n do out[i] = A[i] * v[1] + (v[i + 1] or 0.0) end
      return out
    end
    local kept, next_, F = nd.zeros({ n, L }), {}, {}
    local v, h = B, { b[1] }
    for k = L, 1, -1 do
      next_[k], h[L - k + 2] = v, v[1]
      v = forward(v)
    end
    h[L + 1] = nil
    for i = 1, n do
      v = {}
      for j = 1, n do v[j] = i == j and 1.0 or 0.0 end
      local line = {}
      for k = 1, L do
        line[k] = v[1]
        v = forward(v)
      end
      kept[i - 1], F[i] = nd.array(line):astype("float64"), v
    end
    local at = nd.arange(L) - nd.arange(L):reshape({ -1, 1 }) -- how long ago
    local own = nd.where(nd.lt(at, 0), 0.0, nd.array(h):astype("float64")[nd.maximum(at, 0)])
    return own, kept, nd.array(next_):astype("float64"), nd.array(F):astype("float64")
  end

  -- Rows of x (r, n) filtered from states z (r, order): the result, and the states behind.
  local function run(b, a, x, z)
    local r, n = x.shape[1], x.shape[2]
    local L = nd.all(nd.isfinite(x)) and math.min(BLOCK, math.max(n, 1)) or 1 -- what is not finite stays where it is
    local whole = n // L
    local parts = {}
    if whole > 0 then
      local own, kept, next_, F = blocks(b, a, L)
      local X = x[(":, :%d"):format(whole * L)]:reshape({ r, whole, L })
      local Z = states(nd.transpose(X:dot(next_), { 1, 0, 2 }), z, F)
      local y = X:dot(own) + nd.transpose(Z[":-1"], { 1, 0, 2 }):dot(kept)
      parts[1], z = y:reshape({ r, whole * L }), Z[-1]
    end
    local rest = n - whole * L
    if rest > 0 then
      local own, kept, next_, F = blocks(b, a, rest)
      local X = x[(":, %d:"):format(whole * L)]
      parts[#parts + 1] = X:dot(own) + z:dot(kept)
      z = z:dot(F) + X:dot(next_)
    end
    return #parts > 0 and nd.concatenate(parts, 1) or x, z
  end

  local function coefficients(what, b, a)
    b, a = nd.atleast_1d(arr(b)):astype("float64"):tolist(), nd.atleast_1d(arr(a)):astype("float64"):tolist()
    while #a > 1 and a[1] == 0 do table.remove(a, 1) end
    if #a == 0 or a[1] == 0 or #b == 0 then
      util.raise("ValueError", "%s: there are coefficients, and the first of a is not 0", what)
    end
    local first, n = a[1], math.max(#a, #b)
    for i = 1, n do a[i], b[i] = (a[i] or 0.0) / first, (b[i] or 0.0) / first end
    return b, a
  end

  --- `lfilter(b, a, x, {axis = -1, zi})`: x through the filter b / a along an axis; with zi from that state, and a
  -- second result, the state behind.
  function M.lfilter(...)
    local o = util.bind("lfilter", { "b", "a", "x", "axis", "zi", axis = "integer" }, ...)
    local x = arr(o.x)
    if x.dtype:find("^c") then
      local re, zr = M.lfilter(o.b, o.a, nd.real(x), { axis = o.axis or -1, zi = o.zi and nd.real(arr(o.zi)) })
      local im, zm = M.lfilter(o.b, o.a, nd.imag(x), { axis = o.axis or -1, zi = o.zi and nd.imag(arr(o.zi)) })
      local i = nd.complex(0, 1)
      return re + im * i, o.zi and zr + zm * i or nil
    end
    local single = x.dtype == "float32"
    x = x:astype("float64")
    local b, a = coefficients("lfilter", o.b, o.a)
    local axis, n = help.axis_of("lfilter", x, o.axis or -1), #a - 1
    local last = nd.moveaxis(x, axis, -1)
    local form = last.shape
    local N = form[#form]
    local rows = last:reshape({ x.size // math.max(N, 1), N })
    local R = rows.shape[1]
    local z = nd.zeros({ R, n })
    if o.zi ~= nil then
      local zi = nd.moveaxis(arr(o.zi):astype("float64"), axis, -1)
      if zi.shape[zi.ndim] ~= n then
        util.raise("ValueError", "lfilter: a state has %d numbers along the axis, zi has %d", n, zi.shape[zi.ndim])
      end
      local wanted = last.shape
      wanted[#wanted] = n
      z = nd.broadcast_to(zi, wanted):reshape({ R, n })
    end
    local y
    if n == 0 then y = rows * b[1] else y, z = run(b, a, rows, z) end
    y = nd.moveaxis(y:reshape(form), -1, axis)
    if single then y = y:astype("float32") end
    if o.zi == nil then return y end
    form[#form] = n
    return y, nd.moveaxis(z:reshape(form), -1, axis)
  end

  --- `lfilter_zi(b, a)`: the state of a filter that has always been given 1.
  function M.lfilter_zi(b, a)
    b, a = coefficients("lfilter_zi", b, a)
    local n = #a - 1
    local A, B = nd.eye(n), nd.zeros(n)
    for i = 1, n do
      A[{ i - 1, 0 }] = A[{ i - 1, 0 }] + a[i + 1]
      if i < n then A[{ i - 1, i }] = A[{ i - 1, i }] - 1 end
      B[i - 1] = b[i + 1] - a[i + 1] * b[1]
    end
    return nd.linalg.solve(A, B)
  end

  --- `sosfilt(sos, x, {axis = -1, zi})`: x through sections of the second order, one after the other.
  function M.sosfilt(...)
    local o = util.bind("sosfilt", { "sos", "x", "axis", "zi", axis = "integer" }, ...)
    local sos, y = sections("sosfilt", o.sos), arr(o.x)
    local behind = {}
    for i = 0, sos.shape[1] - 1 do
      local b, a = sos[{ i, nd.arange(3) }], sos[{ i, nd.arange(3, 6) }]
      y, behind[i + 1] = M.lfilter(b, a, y, { axis = o.axis or -1, zi = o.zi and arr(o.zi)[i] or nil })
    end
    if o.zi == nil then return y end
    return y, nd.stack(behind)
  end
  --- `sosfilt_zi(sos)`: the states of sections that have always been given 1.
  function M.sosfilt_zi(sos)
    sos = sections("sosfilt_zi", sos)
    local out, gain = {}, 1.0
    for i = 0, sos.shape[1] - 1 do
      local b, a = sos[{ i, nd.arange(3) }], sos[{ i, nd.arange(3, 6) }]
      out[i + 1] = M.lfilter_zi(b, a) * gain
      gain = gain * nd.sum(b) / nd.sum(a)
    end
    return nd.stack(out)
  end

  -- x with n more samples at both ends of the last axis, turned about the ends (odd), mirrored (even) or constant.
  local function extended(x, n, how)
    if how == nil or n == 0 then return x end
    local N = x.shape[x.ndim]
    if N <= n then util.raise("ValueError", "filtfilt: %d samples are too few for %d at both ends", N, n) end
    local first, last = x["..., 0:1"], x["..., -1:"]
    local front, back = x[("..., %d:0:-1"):format(n)], x[("..., -2:%d:-1"):format(-(n + 2))]
    if how == "odd" then front, back = 2 * first - front, 2 * last - back
    elseif how == "constant" then front, back = front * 0.0 + first, back * 0.0 + last
    elseif how ~= "even" then
      util.raise("ValueError", "filtfilt: padtype is 'odd', 'even', 'constant' or false, not '%s'", tostring(how))
    end
    return nd.concatenate({ front, x, back }, x.ndim - 1)
  end
  -- Forward and backward through `pass(x, scale)`, x's axis being the last.
  local function both_ways(x, n, how, pass)
    local y = extended(x, n, how)
    y = pass(y, y["..., 0:1"])["..., ::-1"]
    y = pass(y, y["..., 0:1"])["..., ::-1"]
    if how == nil or n == 0 then return y end
    return y[("..., %d:-%d"):format(n, n)]
  end
  local function padding(what, o, order)
    local how = o.padtype
    if how == nil then how = "odd" elseif how == false then how = nil end
    local n = o.padlen or (how and 3 * order or 0)
    if n < 0 then util.raise("ValueError", "%s: padlen is %d, less than 0", what, n) end
    return n, how
  end

  --- `filtfilt(b, a, x, {axis = -1, padtype = "odd", padlen})`: through the filter forward and backward: no delay.
  function M.filtfilt(...)
    local o = util.bind("filtfilt", { "b", "a", "x", "axis", "padtype", "padlen", axis = "integer",
      padtype = "string|boolean", padlen = "integer" }, ...)
    local x = arr(o.x)
    local b, a = coefficients("filtfilt", o.b, o.a)
    local axis = help.axis_of("filtfilt", x, o.axis or -1)
    local n, how = padding("filtfilt", o, #a)
    local zi = M.lfilter_zi(b, a)
    local y = both_ways(nd.moveaxis(x, axis, -1), n, how, function(v, first)
      return (M.lfilter(b, a, v, { zi = zi * first }))
    end)
    return nd.moveaxis(y, -1, axis)
  end
  --- `sosfiltfilt(sos, x, {axis = -1, padtype = "odd", padlen})`: the same of sections of the second order.
  function M.sosfiltfilt(...)
    local o = util.bind("sosfiltfilt", { "sos", "x", "axis", "padtype", "padlen", axis = "integer",
      padtype = "string|boolean", padlen = "integer" }, ...)
    local x, sos = arr(o.x), sections("sosfiltfilt", o.sos)
    local axis = help.axis_of("sosfiltfilt", x, o.axis or -1)
    local function zeros(column) return nd.sum(nd.eq(sos[{ ":", column }], 0)) end
    local order = 2 * sos.shape[1] + 1 - math.min(zeros(2), zeros(5))
    local n, how = padding("sosfiltfilt", o, order)
    local zi = M.sosfilt_zi(sos)
    local y = both_ways(nd.moveaxis(x, axis, -1), n, how, function(v, first)
      local form = { zi.shape[1] }
      for _ = 1, v.ndim - 1 do form[#form + 1] = 1 end
      form[#form + 1] = 2
      return (M.sosfilt(sos, v, { zi = zi:reshape(form) * first }))
    end)
    return nd.moveaxis(y, -1, axis)
  end
end
