--- nd.signal's filters: designs (Butterworth, Chebyshev, Cauer, Bessel), responses, running them. Installed by
-- theano.ndsignal.
-- @module theano.ndfilters
local core = require("theano.core")
local help = require("theano.ndhelp")
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
  local function negative(v) return v < 0 or v == 0 and 1 / v < 0 end -- -0, too: it says which of two roots is meant
  local function root(z) -- the principal square root
    local m = size(z)
    local re = math.sqrt(math.max((m + z.real) / 2, 0))
    local im = math.sqrt(math.max((m - z.real) / 2, 0))
    return nd.complex(re, negative(z.imag) and -im or im)
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
    local a = as_array(c)
    local rounding = 1e-9 * nd.max(nd.abs(a)) -- what is left of imaginary parts of pairs
    return nd.max(nd.abs(nd.imag(a))) <= rounding and nd.real(a):copy() or a
  end
  --- `zpk2tf(z, p, k)`: coefficients of the filter with these zeros, poles and gain.
  function M.zpk2tf(z, p, k) return polynomial(as_list(z)) * k, polynomial(as_list(p)) end
  --- `tf2zpk(b, a)`: zeros, poles and gain of a filter.
  function M.tf2zpk(b, a)
    b, a = nd.atleast_1d(arr(b)):astype("float64"), nd.atleast_1d(arr(a)):astype("float64")
    return nd.roots(b), nd.roots(a), b[0] / a[0]
  end

  -- Numbers as poles and zeros are looked through: of each conjugate pair the one above the real line, by real parts,
  -- then by imaginary ones; behind them what is real, ascending.
  local function halved(list)
    local above, under, out = {}, 0, {}
    for _, z in ipairs(list) do
      if math.abs(z.imag) <= 100 * 2.0 ^ -52 * size(z) then out[#out + 1] = nd.complex(z.real, 0)
      elseif z.imag > 0 then above[#above + 1] = z
      else under = under + 1 end
    end
    if #above ~= under then
      util.raise("ValueError", "zpk2sos: complex zeros and poles come in conjugate pairs")
    end
    local function before(x, y)
      if x.real ~= y.real then return x.real < y.real end
      return x.imag < y.imag
    end
    table.sort(out, before)
    table.sort(above, before)
    table.move(out, 1, #out, #above + 1, above)
    return above
  end
  local function is_real(z) return z.imag == 0 end
  local function count_real(list)
    local n = 0
    for _, z in ipairs(list) do if is_real(z) then n = n + 1 end end
    return n
  end
  -- Takes from a list what `far` is least of, among those that `wanted` holds for; nil where there is none.
  local function taken(list, far, wanted)
    local best, at = math.huge, nil
    for i, z in ipairs(list) do
      if (not wanted or wanted(z)) and (at == nil or far(z) < best) then best, at = far(z), i end
    end
    return at and table.remove(list, at)
  end
  local function conjugate(z) return nd.complex(z.real, -z.imag) end
  -- The zeros of the section of one pole or two, out of z.
  local function zeros_for(z, p, first, single, minimal)
    local function far(v) return size(v - first) end
    if single then
      local one = taken(z, far, is_real)
      return { one, not minimal and one and nd.complex(0, 0) or nil }
    end
    local wanted
    if #p + 1 == #z and not is_real(first) and count_real(p) == 1 and count_real(z) == 1 then
      wanted = function(v) return not is_real(v) end
    end
    local one = taken(z, far, wanted)
    if not one then return {} end
    if not is_real(one) then return { one, conjugate(one) } end
    return { one, taken(z, far, is_real) }
  end
  local function same_length(z, p, even)
    while #z < #p do z[#z + 1] = nd.complex(0, 0) end
    while #p < #z do p[#p + 1] = nd.complex(0, 0) end
    if even and #p % 2 == 1 then z[#z + 1], p[#p + 1] = nd.complex(0, 0), nd.complex(0, 0) end
  end
  -- A section's coefficients of s (or 1 / z), those of the highest powers in front.
  local function section(zeros, poles)
    local row = nd.zeros(6)
    for first, list in pairs({ [0] = zeros, [3] = poles }) do
      local c = nd.real(polynomial(list))
      row[("%d:%d"):format(first + 3 - c.size, first + 3)] = c
    end
    return row
  end
  local PAIRINGS = util.set({ "nearest", "keep_odd", "minimal" })
  local function pairing_of(what, o)
    local pairing = o.pairing or (o.analog and "minimal" or "nearest")
    if not PAIRINGS[pairing] then
      util.raise("ValueError", "%s: pairing is 'nearest', 'keep_odd' or 'minimal', not '%s'", what, pairing)
    end
    if o.analog and pairing ~= "minimal" then
      util.raise("ValueError", "%s: pairing of analog filters is 'minimal', not '%s'", what, pairing)
    end
    return pairing
  end
  --- `zpk2sos(z, p, k, {pairing, analog = false})`: the filter as sections of the second order, a row of six
  -- coefficients each; poles nearest to the unit circle (analog: to the imaginary axis) stand last, with the zeros
  -- nearest to them. pairing: "nearest"; "keep_odd": an odd pole stays alone; "minimal" (analog): no more zeros.
  function M.zpk2sos(...)
    local o = util.bind("zpk2sos", { "z", "p", "k", "pairing", "analog", pairing = "string", analog = "boolean" }, ...)
    util.present("zpk2sos", o, { "z", "p", "k" })
    local pairing, z, p = pairing_of("zpk2sos", o), as_list(o.z), as_list(o.p)
    local minimal = pairing == "minimal"
    if minimal and #p < #z then
      util.raise("ValueError", "zpk2sos: there are no more zeros than poles, not %d and %d", #z, #p)
    end
    if not minimal and #z + #p > 0 then same_length(z, p, pairing == "nearest") end
    local n = (#p + 1) // 2
    z, p = halved(z), halved(p)
    local sos = nd.zeros({ math.max(n, 1), 6 })
    if n == 0 then sos[0] = o.analog and { 0, 0, 1, 0, 0, 1 } or { 1, 0, 0, 1, 0, 0 } end
    local far = o.analog and function(v) return math.abs(v.real) end or function(v) return math.abs(1 - size(v)) end
    for i = n - 1, 0, -1 do
      local first = taken(p, far)
      local single = is_real(first) and count_real(p) == 0
      local poles = { first, not minimal and single and nd.complex(0, 0) or nil }
      if not single then poles[2] = is_real(first) and taken(p, far, is_real) or conjugate(first) end
      sos[i] = section(zeros_for(z, p, first, single, minimal), poles)
    end
    sos["0, :3"] = sos["0, :3"] * o.k
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
  --- `tf2sos(b, a, {pairing, analog = false})`: a filter as sections of the second order, as zpk2sos pairs them.
  function M.tf2sos(...)
    local o = util.bind("tf2sos", { "b", "a", "pairing", "analog", pairing = "string", analog = "boolean" }, ...)
    util.present("tf2sos", o, { "b", "a" })
    local z, p, k = M.tf2zpk(o.b, o.a)
    return M.zpk2sos(z, p, k, { pairing = o.pairing, analog = o.analog or false })
  end

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
    local function half(v) -- v width / 2, with the zeros' signs of complex arithmetic, which choose among roots
      local re, im = v.real * width - v.imag * 0.0, v.real * 0.0 + v.imag * width
      return nd.complex((re + im * 0.0) / 2, (im - re * 0.0) / 2)
    end
    local zeros = both_roots(each(z, half), w)
    for _ = 1, #p - #z do zeros[#zeros + 1] = nd.complex(0, 0) end
    return zeros, both_roots(each(p, half), w), k * width ^ (#p - #z)
  end
  local function to_stop(z, p, k, w, width)
    local gain = (product(each(z, function(v) return -v end)) / product(each(p, function(v) return -v end))).real
    local function half(v) -- width / 2 / v (R. L. Smith, 1962), likewise
      local x = width / 2
      if math.abs(v.real) >= math.abs(v.imag) then
        local by = v.imag / v.real
        local scale = 1 / (v.real + v.imag * by)
        return nd.complex((x + 0.0 * by) * scale, (0.0 - x * by) * scale)
      end
      local by = v.real / v.imag
      local scale = 1 / (v.imag + v.real * by)
      return nd.complex((x * by + 0.0) * scale, (0.0 * by - x) * scale)
    end
    local zeros = both_roots(each(z, half), w)
    for sign = 1, -1, -2 do
      for _ = 1, #p - #z do zeros[#zeros + 1] = nd.complex(0, sign * w) end
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
    band = "band", bandpass = "band", pass = "band", bp = "band", stop = "stop", bandstop = "stop", bs = "stop",
    bands = "stop", l = "low", h = "high" }

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
    local real = #z == 0 and not two
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
    if output == "zpk" then return real and nd.real(as_array(z)):copy() or as_array(z), as_array(p), k end
    if output == "sos" then return M.zpk2sos(z, p, k, { analog = o.analog or false }) end
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

  -- ---- elliptic functions, for the next filter ---------------------------------------------------------------------
  -- The arithmetic-geometric mean; of what is on the way the numbers a and c, where they are asked for.
  local function mean_of(a, b, steps)
    while true do
      local c = (a - b) / 2
      a, b = (a + b) / 2, math.sqrt(a * b)
      if steps then steps[#steps + 1] = { a, c } end
      if math.abs(c) <= 1e-15 * a or c ~= c then return a end -- neighbours may change places for ever
    end
  end
  -- The quarter period of parameter m; given 1 - m, which keeps the digits of an m near 1.
  local function quarter(rest) return math.pi / 2 / mean_of(1.0, math.sqrt(rest)) end
  -- Jacobi's sn, cn and dn of u, of the parameter m.
  local function jacobi(u, m)
    local steps = {}
    local mean = mean_of(1.0, math.sqrt(1 - m), steps)
    local phi = mean * u * 2.0 ^ #steps
    for i = #steps, 1, -1 do
      phi = (phi + math.asin(math.max(-1, math.min(1, steps[i][2] / steps[i][1] * math.sin(phi))))) / 2
    end
    local sn = math.sin(phi)
    return sn, math.cos(phi), math.sqrt(1 - m * sn * sn)
  end
  -- The u whose sc is w, of the parameter 1 - rest: Legendre's integral of the first kind, by Carlson's.
  local function arc_sc(w, rest)
    local cc = 1 / (1 + w * w) -- cos^2 of the amplitude
    local x, y, z = cc, cc + rest * (1 - cc), 1.0
    local middle
    repeat
      local l = math.sqrt(x * y) + math.sqrt(y * z) + math.sqrt(z * x)
      x, y, z = (x + l) / 4, (y + l) / 4, (z + l) / 4
      middle = (x + y + z) / 3
    until math.max(math.abs(x - middle), math.abs(y - middle), math.abs(z - middle)) <= 1e-3 * middle
      or middle ~= middle
    local p, q = 1 - x / middle, 1 - y / middle
    local r = -p - q
    local e2, e3 = p * q - r * r, p * q * r
    local series = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 - 5 * e2 ^ 3 / 208 + 3 * e3 * e3 / 104
    return math.sqrt(1 - cc) * series / math.sqrt(middle)
  end
  -- The parameter whose ratio of quarter periods is n times smaller than that of m1, by its nome.
  local function degree(n, m1)
    local q = math.exp(-math.pi * quarter(m1) / quarter(1 - m1) / n)
    local above, below = 0.0, 0.5
    for i = 0, 12 do
      above, below = above + q ^ (i * (i + 1)), below + q ^ ((i + 1) * (i + 1))
    end
    return 16 * q * (above / (2 * below)) ^ 4
  end

  --- `ellip(N, rp, rs, Wn, btype, analog, output, fs)`: Cauer's filter with ripples of rp decibels in the pass band and
  -- rs decibels down in the stop band.
  function M.ellip(...)
    local o = read("ellip", { "N", "rp", "rs", "Wn", "btype", "analog", "output", "fs", rp = "number", rs = "number" },
      ...)
    local N, rp = o.N, o.rp or 0
    if N == 0 then return design("ellip", {}, {}, 10 ^ (-rp / 20), o) end
    local eps2, stop = 10 ^ (0.1 * rp) - 1, 10 ^ (0.1 * (o.rs or 0)) - 1
    local m1 = eps2 / stop
    if not (m1 > 0 and m1 < 1) then
      util.raise("ValueError", "ellip: ripples of %s decibels, a stop band %s down: 0 < rp < rs is expected",
        util.text(rp), util.text(o.rs))
    end
    if N == 1 then
      local p = 1 / math.sqrt(eps2)
      return design("ellip", {}, { nd.complex(-p, 0) }, p, o)
    end
    local m = degree(N, m1)
    local K = quarter(1 - m)
    local v = K * arc_sc(1 / math.sqrt(eps2), m1) / (N * quarter(1 - m1))
    local sv, cv, dv = jacobi(v, 1 - m)
    local z, p = {}, {}
    for j = 1 - N % 2, N - 1, 2 do
      local s, c, d = jacobi(j * K / N, m)
      if j > 0 then
        z[#z + 1] = nd.complex(0, 1 / (math.sqrt(m) * s))
      end
      local by = 1 - (d * sv) ^ 2
      local re, im = -c * d * sv * cv / by, s * dv / by
      p[#p + 1] = nd.complex(re, j > 0 and -im or -0.0)
    end
    local function with_images(list)
      for i = 1, #list do
        if list[i].imag ~= 0 then list[#list + 1] = conjugate(list[i]) end
      end
    end
    with_images(z)
    with_images(p)
    local k = (product(each(p, function(w) return -w end)) / product(each(z, function(w) return -w end))).real
    if N % 2 == 0 then k = k / math.sqrt(1 + eps2) end
    return design("ellip", z, p, k, o)
  end

  -- A reverse Bessel polynomial divided by its derivative at x + iy, by the recurrence of its orders; values are kept
  -- within the range of doubles.
  local function newton_step(N, x, y)
    local sr, si = x * x - y * y, 2 * x * y
    local ar, ai, br, bi = 1.0, 0.0, x + 1, y -- two neighbours
    local cr, ci, dr, di = 0.0, 0.0, 1.0, 0.0 -- their derivatives
    for n = 2, N do
      local k = 2 * n - 1
      local er, ei = k * br + sr * ar - si * ai, k * bi + sr * ai + si * ar
      local fr = k * dr + sr * cr - si * ci + 2 * (x * ar - y * ai)
      local fi = k * di + sr * ci + si * cr + 2 * (x * ai + y * ar)
      ar, ai, cr, ci, br, bi, dr, di = br, bi, dr, di, er, ei, fr, fi
      if math.abs(br) + math.abs(bi) > 1e100 then
        ar, ai, br, bi = ar * 1e-100, ai * 1e-100, br * 1e-100, bi * 1e-100
        cr, ci, dr, di = cr * 1e-100, ci * 1e-100, dr * 1e-100, di * 1e-100
      end
    end
    local size2 = dr * dr + di * di
    return (br * dr + bi * di) / size2, (bi * dr - br * di) / size2
  end
  -- The zeros of the reverse Bessel polynomial of order N that are not below the real line, by Aberth's method; their
  -- conjugates move with them.
  local function bessel_zeros(N)
    local re, im = {}, {}
    for j = 1, (N + 1) // 2 do
      local angle = math.pi * (1 - (2 * j - 1 - N % 2) / (2 * N))
      re[j], im[j] = N * math.cos(angle) * 0.9, N * math.sin(angle) * 0.9
      if N % 2 == 1 and j == 1 then im[j] = 0.0 end
    end
    for _ = 1, 200 do
      local far = 0
      for j = 1, #re do
        local qr, qi = newton_step(N, re[j], im[j])
        local sr, si = 0.0, 0.0
        local function away(x, y)
          local dx, dy = re[j] - x, im[j] - y
          local size2 = dx * dx + dy * dy
          sr, si = sr + dx / size2, si - dy / size2
        end
        for i = 1, #re do
          if i ~= j then away(re[i], im[i]) end
          if im[i] ~= 0 then away(re[i], -im[i]) end
        end
        local br, bi = 1 - (qr * sr - qi * si), -(qr * si + qi * sr)
        local size2 = br * br + bi * bi
        local mr, mi = (qr * br + qi * bi) / size2, (qi * br - qr * bi) / size2
        re[j], im[j] = re[j] - mr, im[j] ~= 0 and im[j] - mi or 0.0
        far = math.max(far, math.abs(mr) + math.abs(mi))
      end
      if far < 1e-15 * N then break end
    end
    return re, im
  end
  local MOST_BESSEL = 150
  -- Where the filter with these poles is 3 decibels down.
  local function half_power(p, k)
    local function down(w)
      local gain = k
      for _, z in ipairs(p) do gain = gain / size(nd.complex(-z.real, w - z.imag)) end
      return gain - math.sqrt(0.5)
    end
    local high = 1.0
    while down(high) > 0 do high = high * 2 end
    return nd.optimize.brentq(down, 0, high, { xtol = 1e-300, rtol = 4 * 2.0 ^ -52 })
  end
  --- `bessel(N, Wn, btype, analog, output, norm, fs)`: Bessel's filter, of the flattest delay. norm: where Wn lies:
  -- "phase" (half way of the phase), "delay" (a delay of 1 / Wn) or "mag" (3 decibels down).
  function M.bessel(...)
    local o = read("bessel", { "N", "Wn", "btype", "analog", "output", "norm", "fs", norm = "string" }, ...)
    local norm, N = o.norm or "phase", o.N
    if norm ~= "phase" and norm ~= "delay" and norm ~= "mag" then
      util.raise("ValueError", "bessel: norm is 'phase', 'delay' or 'mag', not '%s'", norm)
    end
    if N > MOST_BESSEL then util.raise("ValueError", "bessel: the order is at most %d, not %d", MOST_BESSEL, N) end
    if N == 0 then return design("bessel", {}, {}, 1.0, o) end
    local re, im = bessel_zeros(N)
    local log = 0.0 -- of the polynomial at 0
    for n = 1, N do log = log + math.log(2 * n - 1) end
    local p = {}
    local function poles(by)
      for j = 1, #re do
        p[#p + 1] = nd.complex(re[j] * by, im[j] * by)
        if im[j] ~= 0 then p[#p + 1] = nd.complex(re[j] * by, -im[j] * by) end
      end
    end
    if norm ~= "delay" then poles(math.exp(-log / N)) else poles(1.0) end
    local k = norm == "delay" and math.exp(log) or 1.0
    if norm == "mag" then
      local w = half_power(p, k)
      p, k = each(p, function(z) return nd.complex(z.real / w, z.imag / w) end), w ^ -N
    end
    return design("bessel", {}, p, k, o)
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
    if c.ndim ~= 1 or c.size == 0 then util.raise("ValueError", "freqz: b and a are vectors, not empty") end
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
  local function coefficients(what, b, a)
    if arr(b).ndim > 1 or arr(a).ndim > 1 then util.raise("ValueError", "%s: b and a are vectors", what) end
    b, a = nd.atleast_1d(arr(b)):astype("float64"):tolist(), nd.atleast_1d(arr(a)):astype("float64"):tolist()
    while #a > 1 and a[1] == 0 do table.remove(a, 1) end
    if #a == 0 or a[1] == 0 or #b == 0 then
      util.raise("ValueError", "%s: there are coefficients, and the first of a is not 0", what)
    end
    local first, n = a[1], math.max(#a, #b)
    for i = 1, n do a[i], b[i] = (a[i] or 0.0) / first, (b[i] or 0.0) / first end
    return b, a
  end

  -- x along an axis through filters, rows of b and a, one after the other, from the states zi, which have the filters
  -- in front, or from silence: what comes out, and with zi the states behind.
  local function filtered(what, b, a, x, axis, zi)
    axis = help.axis_of(what, x, axis or -1)
    if x.dtype:find("^c") then
      local re, zr = filtered(what, b, a, nd.real(x), axis, zi and nd.real(zi))
      local im, zm = filtered(what, b, a, nd.imag(x), axis, zi and nd.imag(zi))
      local i = nd.complex(0, 1)
      return re + im * i, zi and zr + zm * i or nil
    end
    local k, n = b.shape[1], b.shape[2] - 1
    local last = nd.moveaxis(x:astype("float64"), axis, -1)
    local form = last.shape
    local rows = nd.ascontiguousarray(last:reshape({ x.size // math.max(form[#form], 1), form[#form] }))
    local state = { k, table.unpack(form) }
    state[#state] = n
    local z
    if zi == nil then z = nd.zeros({ k, rows.shape[1], n })
    else
      zi = nd.moveaxis(zi:astype("float64"), axis - x.ndim, -1)
      if zi.shape[zi.ndim] ~= n or zi.ndim > #state then
        util.raise("ValueError", "%s: a state has %d numbers along the axis, zi has %d in %d dimensions", what, n,
          zi.shape[zi.ndim], zi.ndim)
      end
      z = nd.broadcast_to(zi, state):reshape({ k, rows.shape[1], n }):copy()
    end
    local y = nd.moveaxis(core.filtered(b, a, rows, z):reshape(form), -1, axis)
    if zi == nil then return y end
    return y, nd.moveaxis(z:reshape(state), -1, axis - x.ndim)
  end

  -- x through b / a, of which b may be complex: a sum of two filters, the second from silence.
  local function through(b, a, x, axis, zi)
    if arr(b).dtype:find("^c") then
      local y, z = through(nd.real(arr(b)), a, x, axis, zi)
      local v, w = through(nd.imag(arr(b)), a, x, axis, zi and zi * 0.0)
      return y + v * nd.complex(0, 1), z and z + w * nd.complex(0, 1)
    end
    b, a = coefficients("lfilter", b, a)
    b, a = nd.array({ b }):astype("float64"), nd.array({ a }):astype("float64")
    local y, z = filtered("lfilter", b, a, x, axis, zi and zi:reshape({ 1, table.unpack(zi.shape) }))
    return y, z and z[0]
  end
  --- `lfilter(b, a, x, {axis = -1, zi})`: x through the filter b / a along an axis; with zi from that state, and a
  -- second result, the state behind.
  function M.lfilter(...)
    local o = util.bind("lfilter", { "b", "a", "x", "axis", "zi", axis = "integer" }, ...)
    util.present("lfilter", o, { "b", "a", "x" })
    local b, a, x, zi = nd.atleast_1d(arr(o.b)), nd.atleast_1d(arr(o.a)), arr(o.x), o.zi ~= nil and arr(o.zi) or nil
    local dtype = nd.result_type(b, a, x, "float32")
    if zi and zi.dtype:find("^c") and not x.dtype:find("^c") then x = x:astype("complex128") end
    local single = dtype == "float32" or dtype == "complex64"
    if a.dtype:find("^c") then -- both by conj(a): real numbers below
      if a.ndim > 1 or b.ndim > 1 then util.raise("ValueError", "lfilter: b and a are vectors") end
      if zi then util.raise("NotImplementedError", "lfilter: zi where a is complex") end
      b, a = nd.convolve(b, nd.conj(a)), nd.real(nd.convolve(a, nd.conj(a)))
    end
    local y, z = through(b, a, x, o.axis, zi)
    if single then y = y:astype(dtype) end
    if zi == nil then return y end
    return y, z
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
    local sos, x, zi = sections("sosfilt", o.sos), arr(o.x), o.zi ~= nil and arr(o.zi) or nil
    if nd.any(nd.eq(sos[":, 3"], 0)) then
      util.raise("ValueError", "sosfilt: the fourth coefficient of a section is not 0")
    end
    sos = sos / sos[":, 3:4"]
    return filtered("sosfilt", sos[":, :3"]:copy(), sos[":, 3:"]:copy(), x, o.axis, zi)
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

  -- Through the filter forward and backward along the last axis, from the states at both ends with which backward and
  -- forward give the same (Gustafsson, IEEE Trans. Signal Processing 44, 1996), their effects being irlen samples long.
  local function from_best_states(b, a, x, irlen)
    local order, n = #a - 1, x.shape[x.ndim]
    if order == 0 then return x * (b[1] * b[1]) end
    local m = (irlen == nil or n <= 2 * irlen) and n or irlen
    local impulse, O = nd.zeros(order), nd.zeros({ m, order })
    impulse[0] = 1.0
    local tail = M.lfilter(b, a, nd.zeros(m), { zi = impulse })
    for k = 0, math.min(order, m) - 1 do O[("%d:, %d"):format(k, k)] = tail[(":%d"):format(m - k)] end
    local R = O["::-1"]:copy()
    local S = M.lfilter(b, a, R, { axis = 0 })
    local Q = S["::-1"]:copy()
    local function turned(v) return M.lfilter(b, a, v)["..., ::-1"]:copy() end
    local forth = turned(turned(x))
    local back = M.lfilter(b, a, turned(x["..., ::-1"]:copy()))
    local odds, y = (back - forth):reshape({ x.size // n, n }), forth:reshape({ x.size // n, n })
    local function ends(left, right) -- one below the other where the effects end before they meet
      if m == n then return nd.concatenate({ left, right }, 1) end
      local none = nd.zeros({ m, order })
      return nd.concatenate({ nd.concatenate({ left, none }, 1), nd.concatenate({ none, right }, 1) }, 0)
    end
    if m < n then odds = nd.concatenate({ odds[(":, :%d"):format(m)], odds[(":, -%d:"):format(m)] }, 1) end
    local states = nd.linalg.lstsq(ends(Q - O, R - S), odds.T:copy())
    local more = nd.dot(ends(Q, R), states).T
    if m == n then return (y + more):reshape(x.shape) end
    local head, last = y[(":, :%d"):format(m)], y[(":, -%d:"):format(m)]
    head:assign(head + more[(":, :%d"):format(m)])
    last:assign(last + more[(":, %d:"):format(m)])
    return y:reshape(x.shape)
  end
  --- `filtfilt(b, a, x, {axis = -1, padtype = "odd", padlen, method = "pad", irlen})`: through the filter forward and
  -- backward: no delay. method "gust": without padding, from the states at both ends that fit best, their effects being
  -- irlen samples long.
  function M.filtfilt(...)
    local o = util.bind("filtfilt", { "b", "a", "x", "axis", "padtype", "padlen", "method", "irlen",
      axis = "integer", padtype = "string|boolean", padlen = "integer", method = "string", irlen = "integer" }, ...)
    local x, method = arr(o.x), o.method or "pad"
    local b, a = coefficients("filtfilt", o.b, o.a)
    local axis = help.axis_of("filtfilt", x, o.axis or -1)
    if method == "gust" then
      if o.irlen and o.irlen < 1 or x.size == 0 then
        util.raise("ValueError", "filtfilt: irlen is at least 1, and there are samples")
      end
      return nd.moveaxis(from_best_states(b, a, help.floats(nd.moveaxis(x, axis, -1)), o.irlen), -1, axis)
    elseif method ~= "pad" then
      util.raise("ValueError", "filtfilt: method is 'pad' or 'gust', not '%s'", method)
    end
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
  require("theano.ndforms")(nd, M, { sections = sections, as_list = as_list, as_array = as_array, size = size,
    to_low = to_low, to_high = to_high, to_band = to_band, to_stop = to_stop, bilinear = bilinear })
end
