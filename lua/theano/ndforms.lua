--- nd.signal: filters that notch, orders and designs by what is asked for, forms of filters, partial fractions.
-- Installed by theano.ndfilters.
-- @module theano.ndforms
local core = require("theano.core")
local util = require("theano.util")

-- `kit`: lists of complex numbers, transformations of zeros and poles of theano.ndfilters.
return function(nd, M, kit)
  local arr = core.asarray
  local function form(x) return "(" .. table.concat(x.shape, ", ") .. (x.ndim == 1 and ",)" or ")") end
  local function number(what, name, v)
    if v == nil then util.raise("TypeError", "%s: argument '%s' is missing", what, name) end
    util.expect(what, name, v, "number")
    return v + 0.0
  end
  local function floats(list) return nd.array(list):astype("float64") end

  -- ---- notches ------------------------------------------------------------------------------------------------------
  local function notch(what, w0, Q, fs)
    w0, Q, fs = number(what, "w0", w0), number(what, "Q", Q), number(what, "fs", fs or 2.0)
    w0 = 2 * w0 / fs
    if not (w0 >= 0 and w0 <= 1) then
      util.raise("ValueError", "%s: w0 lies between 0 and fs / 2, not at %s", what, util.text(w0 * fs / 2))
    end
    if Q <= 0 or Q ~= Q then util.raise("ValueError", "%s: Q is more than 0, not %s", what, util.text(Q)) end
    local gain = 1 / (1 + math.tan(w0 / Q * math.pi / 2))
    local c = math.cos(w0 * math.pi)
    return gain, c, floats { 1.0, -2 * gain * c, 2 * gain - 1 }
  end
  --- `iirnotch(w0, Q, fs)`: b and a of the filter of second order that takes away the frequency w0; Q: w0 by the width.
  function M.iirnotch(w0, Q, fs)
    local gain, c, a = notch("iirnotch", w0, Q, fs)
    return floats { 1.0, -2 * c, 1.0 } * gain, a
  end
  --- `iirpeak(w0, Q, fs)`: b and a of the filter of second order that leaves the frequency w0.
  function M.iirpeak(w0, Q, fs)
    local gain, _, a = notch("iirpeak", w0, Q, fs)
    return floats { 1.0, 0.0, -1.0 } * (1 - gain), a
  end

  -- ---- windows of Kaiser ----------------------------------------------------------------------------------------
  --- The beta of Kaiser's window for an attenuation in decibels.
  function M.kaiser_beta(a)
    a = number("kaiser_beta", "a", a)
    if a > 50 then return 0.1102 * (a - 8.7) end
    return a > 21 and 0.5842 * (a - 21) ^ 0.4 + 0.07886 * (a - 21) or 0.0
  end
  --- `kaiser_atten(numtaps, width)`: the attenuation in decibels of a filter of that length and width of the edge.
  function M.kaiser_atten(numtaps, width)
    return 2.285 * (number("kaiser_atten", "numtaps", numtaps) - 1) * math.pi * number("kaiser_atten", "width", width)
      + 7.95
  end
  --- `kaiserord(ripple, width)`: the length of the filter and the beta of Kaiser's window for ripples in decibels.
  function M.kaiserord(ripple, width)
    local A = math.abs(number("kaiserord", "ripple", ripple))
    if A < 8 then util.raise("ValueError", "kaiserord: the ripple is at least 8 decibels, not %s", util.text(A)) end
    local taps = (A - 7.95) / 2.285 / (math.pi * number("kaiserord", "width", width)) + 1
    if taps ~= taps or math.abs(taps) > 2 ^ 53 then
      util.raise("ValueError", "kaiserord: the width is more than 0, not %s", util.text(width))
    end
    return math.ceil(taps), M.kaiser_beta(A)
  end

  -- ---- orders -------------------------------------------------------------------------------------------------------
  local function decibels(gpass, gstop) return 10 ^ (0.1 * math.abs(gpass)), 10 ^ (0.1 * math.abs(gstop)) end
  local function ratio(gpass, gstop)
    local pass, stop = decibels(gpass, gstop)
    return (stop - 1) / (pass - 1)
  end
  -- How often the pass band of the low pass goes into the stop band.
  local function selectivity(pass, stop, kind)
    local least = math.huge
    for _, s in ipairs(stop) do
      local v = math.abs(s * (pass[1] - pass[2]) / (s * s - pass[1] * pass[2]))
      least = math.min(least, kind == 3 and v or 1 / v)
    end
    return least
  end
  local function elliptic_order(nat, gpass, gstop)
    local m1 = 1 / ratio(gpass, gstop)
    local m0 = 1 / (nat * nat)
    local K = nd.special.ellipk
    return K(m0) * K(1 - m1) / (K(1 - m0) * K(m1))
  end
  local ORDER = {
    butter = function(nat, gpass, gstop) return math.log(ratio(gpass, gstop), 10) / (2 * math.log(nat, 10)) end,
    cheby = function(nat, gpass, gstop) return nd.arccosh(math.sqrt(ratio(gpass, gstop))) / nd.arccosh(nat) end,
    ellip = elliptic_order,
  }
  local NAMES = { "wp", "ws", "gpass", "gstop", "analog", "fs", gpass = "number", gstop = "number", analog = "boolean",
    fs = "number" }
  local KINDS = { "low", "high", "stop", "band" }
  local function edges_of(what, name, w, o)
    w = nd.atleast_1d(arr(w)):astype("float64"):tolist()
    if #w ~= 1 and #w ~= 2 then util.raise("ValueError", "%s: %s has one or two edges, not %d", what, name, #w) end
    for i, v in ipairs(w) do
      if o.fs then v = 2 * v / o.fs end
      if v <= 0 or v ~= v or not o.analog and v >= 1 then
        util.raise("ValueError", "%s: edges lie between 0 and %s, not at %s", what, o.analog and "infinity"
          or o.fs and "fs / 2" or "1", util.text(w[i]))
      end
      w[i] = v
    end
    return w
  end
  -- What is asked for: edges of the analog filter, the kind (1 low, 2 high, 3 stop, 4 band), and the selectivity.
  local function asked(what, family, ...)
    local o = util.bind(what, NAMES, ...)
    util.present(what, o, { "wp", "ws", "gpass", "gstop" })
    if o.gpass ~= o.gpass or o.gpass <= 0 or o.gpass > o.gstop or o.gstop ~= o.gstop then
      util.raise("ValueError", "%s: gpass and gstop are more than 0, gpass no more than gstop", what)
    end
    if o.fs and o.analog then util.raise("ValueError", "%s: an analog filter has no fs", what) end
    local pass, stop = edges_of(what, "wp", o.wp, o), edges_of(what, "ws", o.ws, o)
    if #pass ~= #stop then
      util.raise("ValueError", "%s: wp and ws have as many edges, not %d and %d", what, #pass, #stop)
    end
    local kind = 2 * (#pass - 1) + 1 + (pass[1] >= stop[1] and 1 or 0)
    if #pass == 2 and (pass[1] >= stop[1]) ~= (pass[2] <= stop[2]) then
      util.raise("ValueError", "%s: one of the bands lies within the other", what)
    end
    if not o.analog then
      for i = 1, #pass do pass[i], stop[i] = math.tan(math.pi * pass[i] / 2), math.tan(math.pi * stop[i] / 2) end
    end
    local nat
    if kind == 1 then nat = stop[1] / pass[1]
    elseif kind == 2 then nat = pass[1] / stop[1]
    else
      if kind == 3 then -- the edges of the pass band for which the order is least
        local low, high = pass[1], pass[2]
        local function order(a, b) return ORDER[family](selectivity({ a, b }, stop, 3), o.gpass, o.gstop) end
        local bound = nd.optimize.fminbound
        local a = bound(function(w) return order(w, high) end, low, stop[1] - 1e-12)
        local b = bound(function(w) return order(low, w) end, stop[2] + 1e-12, high)
        pass = { a, b }
      end
      nat = selectivity(pass, stop, kind)
    end
    return o, pass, kind, nat
  end
  local function whole(what, n)
    if n ~= n or n > 1e6 then util.raise("ValueError", "%s: no filter does what is asked for", what) end
    return math.ceil(n)
  end
  local function given_back(w, o)
    table.sort(w)
    for i, v in ipairs(w) do
      if not o.analog then v = math.atan(v) * 2 / math.pi end
      w[i] = o.fs and v * o.fs / 2 or v
    end
    return #w == 1 and w[1] or floats(w)
  end
  --- `buttord(wp, ws, gpass, gstop, analog, fs)`: the least order of a Butterworth filter that loses gpass decibels at
  -- most in the pass band to wp, gstop at least from ws on, and the edges for butter.
  function M.buttord(...)
    local o, pass, kind, nat = asked("buttord", "butter", ...)
    local n = whole("buttord", ORDER.butter(nat, o.gpass, o.gstop))
    local W = (decibels(o.gpass, o.gstop) - 1) ^ (-1 / (2 * n))
    local w
    if kind == 1 then w = { W * pass[1] }
    elseif kind == 2 then w = { pass[1] / W }
    elseif kind == 3 then
      local d = pass[2] - pass[1]
      local root = math.sqrt(d * d + 4 * W * W * pass[1] * pass[2])
      w = { math.abs((d + root) / (2 * W)), math.abs((d - root) / (2 * W)) }
    else
      local half = W * (pass[2] - pass[1]) / 2
      local root = math.sqrt(half * half + pass[1] * pass[2])
      w = { math.abs(half + root), math.abs(-half + root) }
    end
    return n, given_back(w, o)
  end
  --- `cheb1ord(wp, ws, gpass, gstop, analog, fs)`: the same of Chebyshev's filters with ripples in the pass band.
  function M.cheb1ord(...)
    local o, pass, _, nat = asked("cheb1ord", "cheby", ...)
    return whole("cheb1ord", ORDER.cheby(nat, o.gpass, o.gstop)), given_back(pass, o)
  end
  --- `cheb2ord(wp, ws, gpass, gstop, analog, fs)`: the same of Chebyshev's filters with ripples in the stop band.
  function M.cheb2ord(...)
    local o, pass, kind, nat = asked("cheb2ord", "cheby", ...)
    local n = whole("cheb2ord", ORDER.cheby(nat, o.gpass, o.gstop))
    local f = 1 / nd.cosh(nd.arccosh(math.sqrt(ratio(o.gpass, o.gstop))) / n)
    local w
    if kind == 1 then w = { pass[1] / f }
    elseif kind == 2 then w = { pass[1] * f }
    else
      local d = (pass[1] - pass[2]) / 2
      d = kind == 3 and d * f or d / f
      local first = d + math.sqrt(d * d + pass[1] * pass[2])
      w = { first, pass[1] * pass[2] / first }
    end
    return n, given_back(w, o)
  end
  --- `ellipord(wp, ws, gpass, gstop, analog, fs)`: the same of Cauer's filters.
  function M.ellipord(...)
    local o, pass, _, nat = asked("ellipord", "ellip", ...)
    return whole("ellipord", ORDER.ellip(nat, o.gpass, o.gstop)), given_back(pass, o)
  end

  -- ---- designs by name ----------------------------------------------------------------------------------------------
  local FAMILIES = { butter = "butter", butterworth = "butter", cheby1 = "cheby1", chebyshev1 = "cheby1",
    chebyshevi = "cheby1", cheby2 = "cheby2", chebyshev2 = "cheby2", chebyshevii = "cheby2", ellip = "ellip",
    elliptic = "ellip", cauer = "ellip", bessel = "bessel", bessel_phase = "bessel", bessel_delay = "bessel",
    bessel_mag = "bessel" }
  local function family(what, ftype)
    return FAMILIES[ftype:lower()] or util.raise("ValueError", "%s: ftype is 'butter', 'cheby1', 'cheby2', 'ellip' or "
      .. "'bessel', not '%s'", what, ftype)
  end
  --- `iirfilter(N, Wn, {rp, rs, btype = "band", analog, ftype = "butter", output = "ba", fs})`: a filter of order N of
  -- one of the families "butter", "cheby1" (rp), "cheby2" (rs), "ellip" (both), "bessel".
  function M.iirfilter(...)
    local o = util.bind("iirfilter", { "N", "Wn", "rp", "rs", "btype", "analog", "ftype", "output", "fs", rp = "number",
      rs = "number", btype = "string", analog = "boolean", ftype = "string", output = "string", fs = "number" }, ...)
    util.present("iirfilter", o, { "N", "Wn" })
    local name = family("iirfilter", o.ftype or "butter")
    local how = { N = o.N, Wn = o.Wn, btype = o.btype or "band", analog = o.analog, output = o.output, fs = o.fs }
    if name == "cheby1" or name == "ellip" then how.rp = number("iirfilter", "rp", o.rp) end
    if name == "cheby2" or name == "ellip" then how.rs = number("iirfilter", "rs", o.rs) end
    if name == "bessel" then how.norm = (o.ftype:lower():match("_(%a+)$") or "phase") end
    return M[name](how)
  end
  --- `iirdesign(wp, ws, gpass, gstop, {analog, ftype = "ellip", output = "ba", fs})`: the filter of least order that
  -- loses gpass decibels at most in the pass band to wp and gstop at least from ws on.
  function M.iirdesign(...)
    local what = "iirdesign"
    local o = util.bind(what, { "wp", "ws", "gpass", "gstop", "analog", "ftype", "output", "fs", gpass = "number",
      gstop = "number", analog = "boolean", ftype = "string", output = "string", fs = "number" }, ...)
    util.present(what, o, { "wp", "ws", "gpass", "gstop" })
    local name = family(what, o.ftype or "ellip")
    local orders = { butter = M.buttord, cheby1 = M.cheb1ord, cheby2 = M.cheb2ord, ellip = M.ellipord }
    if not orders[name] then util.raise("ValueError", "%s: orders of '%s' cannot be chosen", what, name) end
    local wp, ws = nd.atleast_1d(arr(o.wp)):tolist(), nd.atleast_1d(arr(o.ws)):tolist()
    local N, Wn = orders[name](o.wp, o.ws, o.gpass, o.gstop, { analog = o.analog or false, fs = o.fs })
    return M.iirfilter(N, Wn, { rp = o.gpass, rs = o.gstop, analog = o.analog,
      btype = KINDS[2 * (#wp - 1) + 1 + (wp[1] >= ws[1] and 1 or 0)], ftype = name, output = o.output, fs = o.fs })
  end
  local function pairs_of(what, name, v)
    v = arr(v):reshape({ -1 }):astype("float64")
    if v.size % 2 == 1 or v.size == 0 then
      util.raise("ValueError", "%s: %s has pairs of numbers, not %d", what, name, v.size)
    end
    return v:reshape({ -1, 2 })
  end
  local function differences(v) return arr(v[":, 1"] - v[":, 0"]) end
  local function firls_input(o)
    local taps, nyquist = o.numtaps, (o.fs or 2.0) / 2
    if taps % 2 == 0 or taps < 1 then util.raise("ValueError", "firls: numtaps is odd, not %d", taps) end
    local bands, desired = pairs_of("firls", "bands", o.bands) / nyquist, pairs_of("firls", "desired", o.desired)
    if bands.size ~= desired.size then
      util.raise("ValueError", "firls: %d edges have as many gains, not %d", bands.size, desired.size)
    end
    local flat = bands:reshape({ -1 })
    if nd.any(nd.lt(flat, 0)) or nd.any(nd.gt(flat, 1)) then
      util.raise("ValueError", "firls: bands lie between 0 and half of fs")
    end
    if nd.any(nd.le(differences(bands), 0)) or nd.any(nd.lt(nd.diff(flat), 0)) then
      util.raise("ValueError", "firls: bands rise and do not overlap")
    end
    if nd.any(nd.lt(desired, 0)) then util.raise("ValueError", "firls: gains are at least 0") end
    local weight = o.weight == nil and nd.ones(bands.shape[1]) or arr(o.weight):reshape({ -1 }):astype("float64")
    if weight.size ~= bands.shape[1] or nd.any(nd.lt(weight, 0)) then
      util.raise("ValueError", "firls: there is a weight of at least 0 for each of %d bands", bands.shape[1])
    end
    return taps, bands, desired, weight
  end
  --- `firls(numtaps, bands, desired, {weight, fs})`: the filter without feedback that is nearest, by squares, to gains
  -- that go in lines from one edge of each band to the other.
  function M.firls(...)
    local o = util.bind("firls", { "numtaps", "bands", "desired", "weight", "fs", numtaps = "integer", fs = "number" },
      ...)
    util.present("firls", o, { "numtaps", "bands", "desired" })
    local taps, bands, desired, weight = firls_input(o)
    local half = (taps - 1) // 2
    local function summed(v) -- over bands: (n, bands, 2)
      return nd.dot(arr(v["..., 1"] - v["..., 0"]), weight)
    end
    local n = nd.arange(taps):reshape({ -1, 1, 1 }) * 1.0
    local q = summed(nd.sinc(bands * n) * bands)
    local i, j = nd.arange(half + 1):reshape({ -1, 1 }), nd.arange(half + 1)
    local Q = nd.take(q, nd.abs(i - j)) + nd.take(q, i + j)
    n = n[(":%d"):format(half + 1)]
    local m = (differences(desired) / differences(bands)):reshape({ -1, 1 })
    local b = bands * (m * bands + (desired[":, :1"] - bands[":, :1"] * m)) * nd.sinc(bands * n)
    b["0"] = b[0] - m * bands * bands / 2.0
    if half > 0 then
      local k = n["1:"]
      b["1:"] = b["1:"] + m * nd.cos(k * math.pi * bands) / (k * math.pi * (k * math.pi))
    end
    local right = summed(b)
    local fine, a = pcall(nd.linalg.solve, Q, right)
    if not fine then a = (nd.linalg.lstsq(Q, right)) end
    return nd.concatenate({ nd.flip(a["1:"]), a["0:1"] * 2.0, a["1:"] }, 0)
  end

  -- ---- forms --------------------------------------------------------------------------------------------------------
  --- `sos2zpk(sos)`: zeros, poles and gain of sections of the second order.
  function M.sos2zpk(sos)
    sos = kit.sections("sos2zpk", sos)
    local z, p, k = {}, {}, 1.0
    for i = 0, sos.shape[1] - 1 do
      local zs, ps, gain = M.tf2zpk(sos[i][":3"], sos[i]["3:"])
      for s, list in pairs({ [z] = zs, [p] = ps }) do
        for _, v in ipairs(kit.as_list(list)) do s[#s + 1] = v end
        while #s < 2 * (i + 1) do s[#s + 1] = nd.complex(0, 0) end
      end
      k = k * gain
    end
    return kit.as_array(z), kit.as_array(p), k
  end
  -- The transformations of zeros, poles and gain, and of coefficients.
  local function lists(what, z, p)
    z, p = kit.as_list(z), kit.as_list(p)
    if #p < #z then
      util.raise("ValueError", "%s: there are no more zeros than poles, not %d and %d", what, #z, #p)
    end
    return z, p
  end
  local function plain(list, real)
    local a = kit.as_array(list)
    return real and nd.all(nd.eq(nd.imag(a), 0)) and nd.real(a):copy() or a
  end
  local function is_real(v)
    if type(v) ~= "table" or getmetatable(v) ~= nil then return not arr(v).dtype:find("^c") end
    for _, x in ipairs(v) do if type(x) ~= "number" then return false end end
    return true
  end
  -- Of one parameter, or two: `first` and `second` are their names.
  local function changed(what, transform, first, second)
    local zpk = what .. "_zpk"
    M[zpk] = function(...)
      local o = util.bind(zpk, { "z", "p", "k", first, second }, ...)
      util.present(zpk, o, { "z", "p", "k" })
      local zs, ps = lists(zpk, o.z, o.p)
      number(zpk, "k", o.k)
      local to, at, gain = transform(zpk, zs, ps, o.k, o[first], o[second])
      local real = what ~= "lp2bp" and what ~= "lp2bs"
      return plain(to, real and is_real(o.z)), plain(at, real and is_real(o.p)), gain
    end
    M[what] = function(...)
      local o = util.bind(what, { "b", "a", first, second }, ...)
      util.present(what, o, { "b", "a" })
      local z, p, k = M.tf2zpk(o.b, o.a)
      local zs, ps = lists(what, z, p)
      local to, at, gain = transform(what, zs, ps, k, o[first], o[second])
      return M.zpk2tf(to, at, gain)
    end
  end
  local function positive(what, name, v)
    v = number(what, name, v)
    if v <= 0 or v ~= v then
      util.raise("ValueError", "%s: %s is more than 0, not %s", what, name, util.text(v))
    end
    return v
  end
  changed("lp2lp", function(what, z, p, k, wo)
    return kit.to_low(z, p, k, positive(what, "wo", wo or 1.0))
  end, "wo")
  changed("lp2hp", function(what, z, p, k, wo)
    return kit.to_high(z, p, k, positive(what, "wo", wo or 1.0))
  end, "wo")
  changed("lp2bp", function(what, z, p, k, wo, bw)
    return kit.to_band(z, p, k, positive(what, "wo", wo or 1.0), positive(what, "bw", bw or 1.0))
  end, "wo", "bw")
  changed("lp2bs", function(what, z, p, k, wo, bw)
    return kit.to_stop(z, p, k, positive(what, "wo", wo or 1.0), positive(what, "bw", bw or 1.0))
  end, "wo", "bw")
  changed("bilinear", function(what, z, p, k, fs)
    if fs == nil and what == "bilinear" then fs = 1.0 end
    return kit.bilinear(z, p, k, positive(what, "fs", fs))
  end, "fs")

  -- ---- responses ----------------------------------------------------------------------------------------------------
  M.freqz_sos = M.sosfreqz
  -- Frequencies in radians, and as they are given back.
  local function frequencies(what, o)
    local fs = o.fs or 2 * math.pi
    local w = o.w == nil and 512 or o.w
    if math.type(w) == "integer" then
      if w < 1 then util.raise("ValueError", "%s: %d frequencies, at least 1 is expected", what, w) end
      w = nd.arange(w) * ((o.whole and 2 * math.pi or math.pi) / w)
    else w = nd.atleast_1d(arr(w)):astype("float64") * (2 * math.pi / fs) end
    return w, w * (fs / (2 * math.pi))
  end
  --- `freqz_zpk(z, p, k, {worN = 512, whole = false, fs = 2 pi})`: frequencies, and the response of a filter at each.
  function M.freqz_zpk(...)
    local o = util.bind("freqz_zpk", { "z", "p", "k", "worN", "whole", "fs", whole = "boolean", fs = "number",
      k = "number" }, ...)
    util.present("freqz_zpk", o, { "z", "p", "k" })
    local w, shown = frequencies("freqz_zpk", { w = o.worN, whole = o.whole, fs = o.fs })
    local at = nd.exp(w * nd.complex(0, 1))
    local h = at * 0.0 + o.k
    for _, v in ipairs(kit.as_list(o.z)) do h = h * (at - v) end
    for _, v in ipairs(kit.as_list(o.p)) do h = h / (at - v) end
    return shown, h
  end
  --- `group_delay({b, a}, {w = 512, whole = false, fs = 2 pi})`: frequencies, and by how many samples a filter delays
  -- each; 0 where that has no value.
  function M.group_delay(...)
    local o = util.bind("group_delay", { "system", "w", "whole", "fs", whole = "boolean", fs = "number" }, ...)
    if type(o.system) ~= "table" or #o.system ~= 2 then
      util.raise("TypeError", "group_delay: the first argument is {b, a}")
    end
    local b, a = nd.atleast_1d(arr(o.system[1])), nd.atleast_1d(arr(o.system[2]))
    if b.ndim ~= 1 or a.ndim ~= 1 or b.size == 0 or a.size == 0 then
      util.raise("ValueError", "group_delay: b and a are vectors that are not empty, not of shape %s and %s", form(b),
        form(a))
    end
    local w, shown = frequencies("group_delay", o)
    local c = nd.convolve(b, nd.conj(nd.flip(a)))
    local z = nd.exp(w * nd.complex(0, -1))
    local above, below = nd.polyval(nd.flip(c * nd.arange(c.size)), z), nd.polyval(nd.flip(c), z)
    local delay = nd.real(above / below) - (a.size - 1)
    return shown, nd.where(nd.isfinite(delay), delay, 0.0)
  end

  -- ---- partial fractions --------------------------------------------------------------------------------------------
  local KEPT = {
    max = function(a, b) return (b.real > a.real or b.real == a.real and b.imag > a.imag) and b or a end,
    min = function(a, b) return (b.real < a.real or b.real == a.real and b.imag < a.imag) and b or a end,
  }
  KEPT.maximum, KEPT.minimum = KEPT.max, KEPT.min
  local function groups(what, p, tol, rtype)
    if rtype ~= "avg" and rtype ~= "mean" and not KEPT[rtype] then
      util.raise("ValueError", "%s: rtype is 'max', 'min' or 'avg', not '%s'", what, tostring(rtype))
    end
    local list, used, values, counts = kit.as_list(p), {}, {}, {}
    for i, z in ipairs(list) do
      if not used[i] then
        local sum, kept, n = nd.complex(0, 0), nil, 0
        for j = i, #list do
          if not used[j] and kit.size(list[j] - z) <= tol then
            used[j], n, sum = true, n + 1, sum + list[j]
            kept = kept and KEPT[rtype] and KEPT[rtype](kept, list[j]) or kept or list[j]
          end
        end
        values[#values + 1], counts[#counts + 1] = KEPT[rtype] and kept or sum / n, n
      end
    end
    return values, counts
  end
  --- `unique_roots(p, tol, rtype)`: numbers of which those within tol (1e-3) count as one, the "min", "max" or "avg" of
  -- them, and how many each stands for.
  function M.unique_roots(p, tol, rtype)
    if p == nil then util.raise("TypeError", "unique_roots: argument 'p' is missing") end
    util.check_type("unique_roots", "tol", tol, "number")
    local values, counts = groups("unique_roots", p, tol or 1e-3, rtype or "min")
    local real = type(p) == "table" and getmetatable(p) == nil and nd.array(p) or arr(p)
    local out = kit.as_array(values)
    if not real.dtype:find("^c") then out = nd.real(out):astype(real.dtype) end
    return out, #counts > 0 and nd.array(counts) or nd.zeros(0, "int64")
  end
  local function coefficients(what, name, v)
    if v == nil then util.raise("TypeError", "%s: argument '%s' is missing", what, name) end
    v = nd.atleast_1d(arr(v))
    if v.ndim ~= 1 then util.raise("ValueError", "%s: %s is a vector, not of shape %s", what, name, form(v)) end
    v = v:astype(v.dtype:find("^c") and "complex128" or "float64")
    return v.size > 0 and nd.trim_zeros(v, "f") or v
  end
  -- The product of (x - p) over all poles but those of one, `count` of which are left.
  local function factor(poles, counts, but, count)
    local c = nd.ones(1, "complex128")
    for i, p in ipairs(poles) do
      for _ = 1, i == but and count or counts[i] do
        c = nd.convolve(c, kit.as_array({ nd.complex(1, 0), -p }))
      end
    end
    return c
  end
  local function residues_of(poles, counts, numerator)
    local out = {}
    for i, pole in ipairs(poles) do
      local others = factor(poles, counts, i, 0)
      if counts[i] == 1 then out[#out + 1] = nd.polyval(numerator, pole) / nd.polyval(others, pole)
      else
        local one = kit.as_array({ nd.complex(1, 0), -pole })
        local quotient, d = nd.polydiv(others, one)
        local n, block = numerator, {}
        for k = 1, counts[i] do
          local rest
          n, rest = nd.polydiv(n, one)
          local r = rest[0] / d[0]
          n = nd.polysub(n, quotient * r)
          block[k] = r
        end
        for k = counts[i], 1, -1 do out[#out + 1] = block[k] end
      end
    end
    return out
  end
  --- `residue(b, a, tol, rtype)`: b(s) / a(s) as a sum of r / (s - p)^n: r, p (the powers 1, 2, .. of a pole one behind
  -- the other), and the polynomial k that is left. Poles within tol (1e-3) count as one, their "avg".
  function M.residue(b, a, tol, rtype)
    b, a = coefficients("residue", "b", b), coefficients("residue", "a", a)
    util.check_type("residue", "tol", tol, "number")
    if a.size == 0 or a.size == 1 and a[0] == 0 then util.raise("ValueError", "residue: a is zero") end
    local k = nd.zeros(0)
    if b.size >= a.size and b.size > 0 then k, b = nd.polydiv(b, a) end
    local real = not a.dtype:find("^c") and not b.dtype:find("^c")
    local poles, counts = groups("residue", nd.roots(a), tol or 1e-3, rtype or "avg")
    for _, p in ipairs(poles) do real = real and p.imag == 0 end
    local order, sorted, many, all = {}, {}, {}, {}
    for i = 1, #poles do order[i] = i end
    table.sort(order, function(i, j)
      local x, y = kit.size(poles[i]), kit.size(poles[j])
      if x ~= y then return x < y end
      return i < j
    end)
    for i, from in ipairs(order) do
      sorted[i], many[i] = poles[from], counts[from]
      for _ = 1, many[i] do all[#all + 1] = sorted[i] end
    end
    local r = b.size == 0 and kit.as_array({}) or kit.as_array(residues_of(sorted, many, b:astype("complex128")))
    if b.size == 0 then r = nd.zeros(#all, "complex128") end
    r, all = r / a[0], kit.as_array(all)
    if real then return nd.real(r):copy(), nd.real(all):copy(), k end
    return r, all, k
  end

  -- ---- gains at given frequencies -----------------------------------------------------------------------------------
  -- Frequencies and gains of firwin2, jumps drawn apart.
  local function gains_of(o, kind, half)
    local freq, gain = nd.atleast_1d(arr(o.freq)):astype("float64"), nd.atleast_1d(arr(o.gain)):astype("float64")
    if freq.ndim ~= 1 or gain.ndim ~= 1 or freq.size ~= gain.size or freq.size < 2 then
      util.raise("ValueError", "firwin2: freq and gain are vectors of one length, at least 2")
    end
    local f, g = freq:tolist(), gain:tolist()
    local n = #f
    if f[1] ~= 0 or f[n] ~= half then
      util.raise("ValueError", "firwin2: freq begins with 0 and ends with half of fs")
    end
    if (kind == 2 or kind == 3) and g[n] ~= 0 or kind >= 3 and g[1] ~= 0 then
      util.raise("ValueError", "firwin2: a filter of type %d has the gain 0 at %s", kind,
        kind == 2 and "half of fs" or kind == 3 and "0 and half of fs" or "0")
    end
    local eps = 2.0 ^ -52 * half
    for i = 1, n - 1 do
      if f[i + 1] < f[i] or f[i + 1] ~= f[i + 1] then util.raise("ValueError", "firwin2: freq does not fall") end
      if i < n - 1 and f[i] == f[i + 2] then
        util.raise("ValueError", "firwin2: a frequency stands at most twice")
      end
    end
    if f[2] == 0 or f[n - 1] == half then
      util.raise("ValueError", "firwin2: 0 and half of fs stand once")
    end
    for i = 1, n - 1 do
      if f[i] == f[i + 1] then f[i], f[i + 1] = f[i] - eps, f[i + 1] + eps end
    end
    return nd.array(f):astype("float64"), gain
  end
  --- `firwin2(numtaps, freq, gain, {nfreqs, window = "hamming", antisymmetric = false, fs})`: the filter without
  -- feedback whose gains go in lines from one frequency to the next, from 0 to half of fs (1),
  -- under a window (false: none).
  function M.firwin2(...)
    local o = util.bind("firwin2", { "numtaps", "freq", "gain", "nfreqs", "window", "antisymmetric", "fs",
      numtaps = "integer", nfreqs = "integer", antisymmetric = "boolean", fs = "number" }, ...)
    util.present("firwin2", o, { "numtaps", "freq", "gain" })
    local taps, half, odd = o.numtaps, (o.fs or 2.0) / 2, o.numtaps % 2 == 1
    if taps < 1 then util.raise("ValueError", "firwin2: numtaps is at least 1, not %d", taps) end
    local kind = o.antisymmetric and (odd and 3 or 4) or odd and 1 or 2
    local freq, gain = gains_of(o, kind, half)
    local count = o.nfreqs
    if count and count <= taps then
      util.raise("ValueError", "firwin2: nfreqs is more than numtaps, not %d of %d", count, taps)
    end
    if not count then
      count = 1
      while count < taps do count = count * 2 end
      count = count + 1
    end
    local x = nd.linspace(0.0, half, count)
    local turn = nd.exp(x * nd.complex(0, -(taps - 1) / 2 * math.pi / half))
    if kind > 2 then turn = turn * nd.complex(0, 1) end
    local h = nd.fft.irfft(nd.interp(x, freq, gain) * turn)[(":%d"):format(taps)]:copy()
    if o.window ~= false then h = h * M.get_window(o.window or "hamming", taps, false) end
    if kind == 3 then h[taps // 2] = 0.0 end
    return h
  end

  -- ---- responses of analog filters ----------------------------------------------------------------------------------
  -- Frequencies around zeros and poles.
  local function around(zeros, poles, count)
    local list = {}
    for _, v in ipairs(#poles > 0 and poles or { nd.complex(-1000, 0) }) do
      if v.imag >= 0 then list[#list + 1] = v end
    end
    for _, v in ipairs(zeros) do
      if math.sqrt(v.real * v.real + v.imag * v.imag) < 1e5 and v.imag >= 0 then list[#list + 1] = v end
    end
    local most, least = -math.huge, math.huge
    for _, v in ipairs(list) do
      local re = math.abs(v.real + (math.sqrt(v.real * v.real + v.imag * v.imag) < 1e-10 and 1 or 0))
      most, least = math.max(most, 3 * re + 1.5 * v.imag), math.min(least, re + 2 * v.imag)
    end
    if #list == 0 then most, least = 1.0, 1.0 end
    return nd.logspace(nd.rint(math.log(0.1 * least, 10) - 0.5), nd.rint(math.log(most, 10) + 0.5), count)
  end
  local function places(what, worN, zeros, poles)
    if worN == nil or math.type(worN) == "integer" then
      if worN and worN < 1 then util.raise("ValueError", "%s: worN is at least 1, not %d", what, worN) end
      return around(zeros, poles, worN or 200)
    end
    return nd.atleast_1d(arr(worN)):astype("float64")
  end
  --- `freqs(b, a, {worN = 200})`: frequencies in radians a second (worN of them around zeros and poles, or these), and
  -- what the analog filter makes of them.
  function M.freqs(...)
    local o = util.bind("freqs", { "b", "a", "worN" }, ...)
    util.present("freqs", o, { "b", "a" })
    local b, a = nd.atleast_1d(arr(o.b)):astype("float64"), nd.atleast_1d(arr(o.a)):astype("float64")
    if b.ndim ~= 1 or a.ndim ~= 1 or b.size == 0 or a.size == 0 then
      util.raise("ValueError", "freqs: b and a are vectors, not empty")
    end
    local w = places("freqs", o.worN, kit.as_list(nd.roots(b)), kit.as_list(nd.roots(a)))
    local s = w * nd.complex(0, 1)
    local function value(c)
      local h = s * 0.0
      for i = 0, c.size - 1 do h = h * s + c[i] end
      return h
    end
    return w, value(b) / value(a)
  end
  --- `freqs_zpk(z, p, k, {worN = 200})`: the same of zeros, poles and gain.
  function M.freqs_zpk(...)
    local o = util.bind("freqs_zpk", { "z", "p", "k", "worN", k = "number" }, ...)
    util.present("freqs_zpk", o, { "z", "p", "k" })
    local z, p = kit.as_list(o.z), kit.as_list(o.p)
    local w = places("freqs_zpk", o.worN, z, p)
    local s = w * nd.complex(0, 1)
    local h = s * 0.0 + o.k
    for _, v in ipairs(z) do h = h * (s - v) end
    for _, v in ipairs(p) do h = h / (s - v) end
    return w, h
  end
  require("theano.ndremez")(nd, M)
end
