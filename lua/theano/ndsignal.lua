--- `nd.signal`: SciPy's signal processing on arrays: windows, spectra, peaks; filters are in theano.ndfilters,
-- convolutions in theano.ndconvolve, smoothing and waves in theano.ndwaves.
-- @module theano.ndarray.signal
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd)
  local arr, axis_of = core.asarray, help.axis_of
  local M = {}
  require("theano.ndfilters")(nd, M)
  require("theano.ndresample")(nd, M)

  require("theano.ndconvolve")(nd, M)

  -- ---- windows ------------------------------------------------------------------------------------------------------
  local W = {}
  M.windows = W
  -- n points of fn, which gets places -1 .. 1 and their number; not symmetric: the first n of n + 1.
  local function window(name, fn)
    W[name] = function(n, ...)
      local args = table.pack(...)
      local sym = true
      if util.is_keywords(args[args.n]) then
        util.check_keywords(name, args[args.n], { sym = "boolean" })
        sym, args.n = args[args.n].sym, args.n - 1
      elseif type(args[args.n]) == "boolean" then sym, args.n = args[args.n], args.n - 1 end
      if math.type(n) ~= "integer" or n < 0 then
        util.raise("ValueError", "windows.%s: the number of points is an integer of at least 0, not %s", name,
          util.text(n))
      end
      if n <= 1 then return nd.ones(n) end
      local m = sym == false and n + 1 or n
      local w = fn((nd.arange(m) * 2.0 - (m - 1)) / (m - 1), m, table.unpack(args, 1, args.n))
      return sym == false and w[":-1"] or w
    end
  end
  local function cosines(...)
    local c = { ... }
    return function(x)
      local w = c[1]
      for k = 2, #c do w = w + c[k] * nd.cos(x * (math.pi * (k - 1))) end
      return w + 0.0 * x
    end
  end
  window("boxcar", function(x) return 0.0 * x + 1 end)
  window("hann", cosines(0.5, 0.5))
  window("hamming", cosines(0.54, 0.46))
  window("blackman", cosines(0.42, 0.5, 0.08))
  window("nuttall", cosines(0.3635819, 0.4891775, 0.1365995, 0.0106411))
  window("blackmanharris", cosines(0.35875, 0.48829, 0.14128, 0.01168))
  window("flattop", cosines(0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368))
  window("bartlett", function(x) return 1 - nd.abs(x) end)
  window("triang", function(x, m)
    local k = nd.arange(m) * 1.0
    local from = nd.minimum(k, (m - 1) - k) + 1
    return m % 2 == 0 and (2 * from - 1) / m or 2 * from / (m + 1.0)
  end)
  window("cosine", function(_, m) return nd.sin((nd.arange(m) + 0.5) * (math.pi / m)) end)
  window("parzen", function(_, m)
    local n = nd.abs(nd.arange(m) - (m - 1) / 2.0)
    local u = n / (m / 2.0)
    local v = 1 - u
    return nd.where(nd.le(n, (m - 1) / 4.0), 1 - 6 * u * u + 6 * u * u * u, 2 * v * v * v)
  end)
  window("bohman", function(x, m)
    local f = nd.abs(x)
    local w = (1 - f) * nd.cos(f * math.pi) + nd.sin(f * math.pi) / math.pi
    w[0], w[m - 1] = 0.0, 0.0
    return w
  end)
  window("kaiser", function(x, _, beta)
    util.expect("windows.kaiser", "beta", beta, "number")
    return nd.special.i0(nd.sqrt(nd.maximum(1 - x * x, 0.0)) * beta) / nd.special.i0(beta + 0.0)
  end)
  window("gaussian", function(x, m, std)
    util.expect("windows.gaussian", "std", std, "number")
    local n = x * ((m - 1) / 2)
    return nd.exp(n * n * (-0.5 / (std * std)))
  end)
  window("general_hamming", function(x, _, alpha)
    util.expect("windows.general_hamming", "alpha", alpha, "number")
    return cosines(alpha, 1 - alpha)(x)
  end)
  window("exponential", function(x, m, center, tau) -- as SciPy's, with the middle in front, or tau alone
    if tau == nil and center then center, tau = nil, center end
    tau = tau or 1.0
    util.expect("windows.exponential", "tau", tau, "number")
    local from = (m - 1) / 2
    return nd.exp(nd.abs(x * from + (from - (center or from))) * (-1 / tau))
  end)
  window("tukey", function(x, m, alpha)
    alpha = alpha or 0.5
    util.expect("windows.tukey", "alpha", alpha, "number")
    if alpha <= 0 then return 0.0 * x + 1 end
    if alpha >= 1 then return W.hann(m) end
    local edge = nd.abs(x) - (1 - alpha)
    return nd.where(nd.gt(edge, 0), 0.5 * (1 + nd.cos(edge * (math.pi / alpha))), 1.0)
  end)
  window("barthann", function(x)
    local f = nd.abs(x) * 0.5
    return 0.62 - 0.48 * f + 0.38 * nd.cos(f * (2 * math.pi))
  end)
  window("lanczos", function(x) return nd.sinc(x) end)
  window("general_gaussian", function(x, m, p, sig)
    util.expect("windows.general_gaussian", "p", p, "number")
    util.expect("windows.general_gaussian", "sig", sig, "number")
    return nd.exp(nd.power(nd.abs(x * ((m - 1) / 2) / sig), 2.0 * p) * -0.5)
  end)
  window("general_cosine", function(x, _, a)
    util.present("windows.general_cosine", { a = a }, { "a" })
    return cosines(table.unpack(arr(a):reshape({ -1 }):tolist()))(x)
  end)
  window("taylor", function(x, m, nbar, sll, norm) -- Taylor (IRE Trans. Antennas 3, 1955)
    nbar, sll = nbar or 4, sll or 30
    util.check_type("windows.taylor", "nbar", nbar, "integer")
    util.check_type("windows.taylor", "sll", sll, "number")
    local A = nd.arccosh(10 ^ (sll / 20)) / math.pi
    local s2 = nbar ^ 2 / (A ^ 2 + (nbar - 0.5) ^ 2)
    local function sum_at(turns)
      local w = 1.0 + 0.0 * turns
      for k = 1, nbar - 1 do
        local above, below = (-1) ^ (k + 1), 2.0
        for i = 1, nbar - 1 do
          above = above * (1 - k ^ 2 / s2 / (A ^ 2 + (i - 0.5) ^ 2))
          if i ~= k then below = below * (1 - k ^ 2 / i ^ 2) end
        end
        w = w + 2 * above / below * nd.cos(turns * (2 * math.pi * k))
      end
      return w
    end
    local w = sum_at(x * ((m - 1) / (2.0 * m)))
    return norm == false and w or w / sum_at(0.0)
  end)
  -- Halves are sums of Kaiser's window, whose squares with those of the other half are 1.
  W.kaiser_bessel_derived = function(n, beta, ...)
    local o = util.bind("windows.kaiser_bessel_derived", { "sym", sym = "boolean" }, ...)
    if math.type(n) ~= "integer" or n < 0 or n % 2 == 1 or o.sym == false then
      util.raise("ValueError", "windows.kaiser_bessel_derived: a symmetric window of an even number of points")
    end
    if n < 1 then return nd.ones(n) end
    local sums = nd.cumsum(W.kaiser(n // 2 + 1, beta))
    local half = nd.sqrt(sums[":-1"] / sums[-1])
    return nd.concatenate({ half, nd.flip(half) })
  end
  window("chebwin", function(_, m, at) -- Dolph's: the transform of Chebyshev's polynomial of degree m - 1
    util.expect("windows.chebwin", "at", at, "number")
    local order, turn, odd = m - 1.0, nd.arange(m) * (math.pi / m), m % 2
    local x = nd.cos(turn) * nd.cosh(nd.arccosh(10 ^ (math.abs(at) / 20)) / order)
    local size = nd.abs(x)
    local out = nd.cosh(nd.arccosh(nd.maximum(size, 1.0)) * order)
    local values = nd.where(nd.gt(size, 1.0), nd.where(nd.gt(x, 0.0), out, out * (2.0 * odd - 1)),
      nd.cos(nd.arccos(nd.clip(x, -1.0, 1.0)) * order))
    local half
    if odd == 1 then half = nd.real(nd.fft.rfft(values))
    else half = nd.real(nd.fft.rfft(values * nd.cos(turn))) - nd.imag(nd.fft.rfft(values * nd.sin(turn))) end
    local w = nd.concatenate({ half["::-1"][":-1"], half[odd == 1 and "0:" or "1:"] })
    return w / nd.max(w)
  end)
  -- How much of the sums of squares lies in the band: rows of windows with themselves, beside those of a band's sinc.
  local function in_band(rows, W_)
    local m = rows.shape[2]
    local k = nd.arange(m) * 1.0
    local kernel = nd.sinc(k * (2 * W_)) * (4 * W_)
    kernel[0] = 2 * W_
    local long = 2 * m
    local f = nd.fft.rfft(rows, long)
    local with_itself = nd.fft.irfft(f * nd.conj(f), long)[{ ":", (":%d"):format(m) }]
    return nd.dot(with_itself, kernel)
  end
  local NORMS = util.set({ "2", "approximate", "subsample" })
  -- As SciPy's, largest 1; of an even number of points the middle between two is what is 1.
  local function scaled(rows, norm, NW)
    local m = rows.shape[2]
    if norm == "2" then return rows end
    rows = rows / nd.max(rows)
    if m % 2 == 1 then return rows end
    if norm == "approximate" then return rows * (m ^ 2 / (m ^ 2 + NW)) end
    local s, half = nd.fft.rfft(rows[0]), m // 2
    local turn = nd.arange(1, half + 1) * (math.pi * (1 - 1 / m))
    local parts = nd.real(s)["1:"] * nd.cos(turn) - nd.imag(s)["1:"] * nd.sin(turn)
    return rows * (m / (nd.real(s):tolist()[1] + 2 * nd.sum(parts)))
  end
  -- `windows.dpss(M, NW, {Kmax, sym = true, norm, return_ratios})`: discrete prolate spheroidal sequences (Slepian's),
  -- the windows with the most of their squares in a band of half width NW / M: the first, or the first Kmax as rows.
  -- With return_ratios how much of them lies in the band comes back second.
  W.dpss = function(...)
    local o = util.bind("windows.dpss", { "M", "NW", "Kmax", "sym", "norm", "return_ratios", M = "integer",
      NW = "number", Kmax = "integer", sym = "boolean", norm = "string|integer", return_ratios = "boolean" }, ...)
    util.present("windows.dpss", o, { "M", "NW" })
    local n, norm = o.M, tostring(o.norm or (o.Kmax and "2" or "approximate"))
    if n < 0 then util.raise("ValueError", "windows.dpss: the number of points is at least 0, not %d", n) end
    if not NORMS[norm] then
      util.raise("ValueError", "windows.dpss: norm is '2', 'approximate' or 'subsample', not '%s'", norm)
    end
    if n <= 1 then return nd.ones(n) end
    local m, count = o.sym == false and n + 1 or n, o.Kmax or 1
    if count < 1 or count > m then
      util.raise("ValueError", "windows.dpss: Kmax is 1 to the number of points, not %d", count)
    end
    if o.NW <= 0 or o.NW >= m / 2 then
      util.raise("ValueError", "windows.dpss: NW is above 0 and below half the number of points, not %g", o.NW)
    end
    local band, k = o.NW / m, nd.arange(m) * 1.0
    local d = nd.square((m - 1 - 2 * k) / 2) * math.cos(2 * math.pi * band)
    local e = (k * (m - k) / 2)["1:"]
    local _, vectors = nd.linalg.eigh_tridiagonal(d, e)
    local rows = vectors.T["::-1"][(":%d"):format(count)]:copy()
    for i = 0, count - 1 do -- the even ones have a positive mean, the odd ones begin upwards
      local row = rows[i]
      local sign = i % 2 == 0 and nd.sum(row) or nil
      if not sign then
        local big = row[nd.gt(row * row, math.max(1e-7, 1 / m))]
        sign = big.size > 0 and big:tolist()[1] or 1
      end
      if sign < 0 then rows[i] = row * -1.0 end
    end
    local ratios = o.return_ratios and in_band(rows, band) or nil
    rows = scaled(rows, norm, o.NW)
    if o.sym == false then rows = rows[{ ":", ":-1" }] end
    local r = o.Kmax and rows or rows[0]
    if not ratios then return r end
    return r, o.Kmax and ratios or ratios:tolist()[1]
  end
  local ALSO = { rectangular = "boxcar", ones = "boxcar", hanning = "hann", flat = "flattop", tri = "triang",
    blackmanharris4 = "blackmanharris", box = "boxcar", rect = "boxcar", ham = "hamming", han = "hann",
    black = "blackman",
    blk = "blackman", bart = "bartlett", brt = "bartlett", triangle = "triang", flt = "flattop", par = "parzen",
    parz = "parzen", bmn = "bohman", bman = "bohman", nutt = "nuttall", nut = "nuttall",
    bharris = "blackmanharris", bkh = "blackmanharris", bth = "barthann", brthan = "barthann", halfcosine = "cosine",
    poisson = "exponential", tuk = "tukey", sinc = "lanczos", ksr = "kaiser", gauss = "gaussian", gss = "gaussian",
    cheb = "chebwin" }
  --- `get_window(window, Nx, fftbins)`: a window by its name, `{name, parameter}`, or a number (Kaiser's beta); for
  -- transforms unless fftbins is false.
  function M.get_window(...)
    local o = util.bind("get_window", { "window", "Nx", "fftbins", fftbins = "boolean" }, ...)
    local name, args = o.window, {}
    if type(name) == "table" then name, args = name[1], { table.unpack(name, 2) }
    elseif type(name) == "number" then name, args = "kaiser", { name } end
    local fn = rawget(W, ALSO[name] or name)
    if not fn then util.raise("ValueError", "get_window: there is no window '%s'", tostring(name)) end
    args[#args + 1] = { sym = o.fftbins == false }
    return fn(o.Nx, table.unpack(args))
  end
  W.get_window = M.get_window

  -- ---- spectra ------------------------------------------------------------------------------------------------------
  -- Names of arguments in SciPy's order: what all spectra take, behind the signals, and then these.
  local TYPES = { fs = "number", nperseg = "integer", noverlap = "integer", nfft = "integer",
    detrend = "string|boolean", return_onesided = "boolean", boundary = "string|boolean", padded = "boolean",
    axis = "integer", scaling = "string", average = "string", mode = "string" }
  local function names(signals, ...)
    local list = { table.unpack(signals) }
    for _, name in ipairs({ "fs", "window", "nperseg", "noverlap", "nfft", "detrend", ... }) do
      list[#list + 1] = name
      list[name] = TYPES[name]
    end
    return list
  end
  -- v in single precision where SciPy's arithmetic on these signals is: those that are no wider than complex64 holds.
  local function narrowed(v, ...)
    if nd.result_type("complex64", ...) ~= "complex64" then return v end
    return v:astype(v.dtype:find("^c") and "complex64" or "float32")
  end

  local function settings(what, o, n, density)
    density = density or "density"
    if o.scaling ~= nil and o.scaling ~= "spectrum" and o.scaling ~= density then
      util.raise("ValueError", "%s: scaling is '%s' or 'spectrum', not '%s'", what, density, o.scaling)
    end
    o.fs = o.fs or 1.0
    local w = o.window or "hann"
    if util.is_array(w) or type(w) == "table" and type(w[1]) == "number" then
      w = arr(w):astype("float64")
      o.nperseg = w.size
    else
      o.nperseg = math.min(o.nperseg or 256, n)
      w = M.get_window(w, o.nperseg)
    end
    o.noverlap = o.noverlap or o.nperseg // 2
    o.nfft = o.nfft or o.nperseg
    if o.noverlap >= o.nperseg then util.raise("ValueError", "%s: noverlap is less than nperseg", what) end
    if o.nfft < o.nperseg then util.raise("ValueError", "%s: nfft is at least nperseg", what) end
    o.window = w
    return o
  end
  --- `detrend(data, {axis = -1, type = "linear", bp})`: without its line, or its mean ("constant"); bp: one of the
  -- places, or a list, where another line begins.
  function M.detrend(...)
    local o = util.bind("detrend", { "data", "axis", "type", "bp", axis = "integer", type = "string",
      bp = "integer|table|ndarray" }, ...)
    local x = help.floats(arr(o.data))
    local dtype = x.dtype:find("float16") and "float64" or x.dtype
    local axis = axis_of("detrend", x, o.axis or -1)
    local kind = o.type or "linear"
    if kind == "constant" then
      return x - nd.mean(x, { axis = axis, keepdims = true })
    end
    if kind ~= "linear" then
      util.raise("ValueError", "detrend: type is 'linear' or 'constant', not '%s'", kind)
    end
    local last = nd.moveaxis(x, axis, -1)
    local cuts, pieces = nd.unique(nd.append({ 0, last.shape[last.ndim] }, o.bp or 0)):tolist(), {}
    if cuts[1] < 0 or cuts[#cuts] > last.shape[last.ndim] then
      util.raise("ValueError", "detrend: bp are places along the axis")
    end
    for i = 1, #cuts - 1 do
      local one, n = last[("..., %d:%d"):format(cuts[i], cuts[i + 1])], cuts[i + 1] - cuts[i]
      local t = nd.arange(n) - (n - 1) / 2
      local slope = n > 1 and nd.sum(one * t, { axis = -1, keepdims = true }) / nd.sum(t * t) or 0.0
      pieces[i] = one - nd.mean(one, { axis = -1, keepdims = true }) - slope * t
    end
    local out = #pieces > 0 and nd.concatenate(pieces, -1) or last:copy()
    return nd.moveaxis(out:astype(dtype), -1, axis)
  end

  -- Segments along a new axis before the last: (.., segments, nperseg).
  local function segments(x, length, step)
    local n = x.shape[x.ndim]
    local count = (n - length) // step + 1
    local at = nd.arange(count):reshape({ -1, 1 }) * step + nd.arange(length)
    return nd.take(x, at, x.ndim - 1)
  end
  -- Transforms of the windowed segments: frequencies, times, (.., frequencies, times).
  local function transformed(x, o)
    local parts = segments(x, o.nperseg, o.nperseg - o.noverlap)
    if o.detrend then
      parts = M.detrend(parts, { type = o.detrend == true and "constant" or o.detrend })
    end
    parts = parts * o.window
    local onesided = o.return_onesided ~= false and not x.dtype:find("^c")
    local Z = onesided and nd.fft.rfft(parts, o.nfft) or nd.fft.fft(parts, o.nfft)
    local f = onesided and nd.fft.rfftfreq(o.nfft, 1 / o.fs) or nd.fft.fftfreq(o.nfft, 1 / o.fs)
    local n = x.shape[x.ndim]
    local step = o.nperseg - o.noverlap
    local t = (nd.arange((n - o.nperseg) // step + 1) * step + o.nperseg / 2) / o.fs
    return f, t, nd.swapaxes(Z, -1, -2), onesided
  end
  -- The axis of the input in front of the last, times last.
  local function placed(Z, axis) return axis == Z.ndim - 2 and Z or nd.moveaxis(Z, -2, axis) end

  local STFT = names({ "x" }, "return_onesided", "boundary", "padded", "axis", "scaling")
  --- `stft(x, {fs, window = "hann", nperseg = 256, noverlap, nfft, detrend, return_onesided, boundary = "zeros",
  -- padded, axis, scaling = "spectrum"})`: frequencies, times, and the Fourier transforms of windowed segments.
  function M.stft(...)
    local o = util.bind("stft", STFT, ...)
    local given = arr(o.x)
    local x = help.floats(given)
    local axis = axis_of("stft", x, o.axis or -1)
    x = nd.moveaxis(x, axis, -1)
    o = settings("stft", o, x.shape[x.ndim], "psd")
    local boundary = o.boundary
    if boundary == nil then boundary = "zeros" end
    local half, none = o.nperseg // 2, {}
    for d = 1, x.ndim do none[d] = { 0, 0 } end
    local function widened(before, after, mode, kind)
      none[x.ndim] = { before, after }
      return nd.pad(x, none, { mode = mode, reflect_type = kind })
    end
    local MODES = { zeros = "constant", even = "reflect", odd = "reflect", constant = "edge" }
    if boundary then
      if not MODES[boundary] then
        util.raise("ValueError", "stft: boundary is 'zeros', 'even', 'odd', 'constant' or false, not '%s'",
          tostring(boundary))
      end
      x = widened(half, half, MODES[boundary], boundary == "odd" and "odd" or nil)
    end
    if o.padded ~= false then
      local step = o.nperseg - o.noverlap
      x = widened(0, -(x.shape[x.ndim] - o.nperseg) % step % o.nperseg, "constant")
    end
    local f, t, Z = transformed(x, o)
    local scale = o.scaling == "psd" and math.sqrt(o.fs * nd.sum(o.window * o.window)) or nd.sum(o.window)
    if boundary then t = t - o.nperseg / 2 / o.fs end
    return f, t, placed(narrowed(Z / scale, given), axis)
  end

  --- `istft(Zxx, {fs, window, nperseg, noverlap, nfft, input_onesided, boundary, time_axis, freq_axis, scaling})`:
  -- times, and what stft came from.
  function M.istft(...)
    local o = util.bind("istft", { "Zxx", "fs", "window", "nperseg", "noverlap", "nfft", "input_onesided", "boundary",
      "time_axis", "freq_axis", "scaling", fs = "number", nperseg = "integer", noverlap = "integer", nfft = "integer",
      input_onesided = "boolean", boundary = "boolean", time_axis = "integer", freq_axis = "integer",
      scaling = "string" }, ...)
    local Z = arr(o.Zxx)
    if Z.ndim < 2 then util.raise("ValueError", "istft: Zxx has an axis of frequencies and one of times") end
    local ta, fa = axis_of("istft", Z, o.time_axis or -1), axis_of("istft", Z, o.freq_axis or -2)
    if ta ~= Z.ndim - 1 or fa ~= Z.ndim - 2 then
      Z = nd.moveaxis(Z, fa, -1) -- frequencies behind, then times behind them
      Z = nd.moveaxis(Z, ta > fa and ta - 1 or ta, -1)
    end
    local onesided = o.input_onesided ~= false
    local bins, count = Z.shape[Z.ndim - 1], Z.shape[Z.ndim]
    local length = onesided and 2 * (bins - 1) or bins
    o.nperseg = o.nperseg or length
    o.nfft = o.nfft or (onesided and o.nperseg == length + 1 and o.nperseg or length)
    local given = o.nperseg
    o = settings("istft", o, given, "psd")
    local step = o.nperseg - o.noverlap
    local parts = nd.swapaxes(Z, -1, -2)
    parts = onesided and nd.fft.irfft(parts, o.nfft) or nd.fft.ifft(parts, o.nfft)
    parts = parts[("..., :%d"):format(o.nperseg)]
    local total = o.nperseg + (count - 1) * step
    local shape = parts.shape
    table.remove(shape)
    shape[#shape] = total
    local x, norm = core.zeros(shape, parts.dtype), nd.zeros(total)
    local w = o.window
    parts = parts * (o.scaling == "psd" and math.sqrt(o.fs * nd.sum(w * w)) or nd.sum(w))
    for k = 0, count - 1 do
      local range = ("%d:%d"):format(k * step, k * step + o.nperseg)
      local here = x["..., " .. range]
      here:assign(here + parts[("..., %d, :"):format(k)] * w)
      local weight = norm[range]
      weight:assign(weight + w * w)
    end
    if o.boundary ~= false then
      local half = o.nperseg // 2
      local inner = ("%d:%d"):format(half, total - half)
      x, norm = x["..., " .. inner], norm[inner]
    end
    x = x / nd.where(nd.gt(norm, 1e-10), norm, 1.0)
    local n = x.shape[x.ndim]
    if x.ndim > 1 and ta ~= Z.ndim - 1 then x = nd.moveaxis(x, -1, fa < ta and ta - 1 or ta) end
    return nd.arange(n) / o.fs, narrowed(x, arr(o.Zxx))
  end

  -- Powers of segments: frequencies, times, powers.
  local function powers(what, o, x)
    o = settings(what, o, x.shape[x.ndim])
    if o.detrend == nil then o.detrend = "constant" end
    local f, t, Z, onesided = transformed(x, o)
    local w = o.window
    local scale = o.scaling == "spectrum" and 1 / nd.sum(w) ^ 2 or 1 / (o.fs * nd.sum(w * w))
    local P = nd.real(Z * nd.conj(Z)) * scale
    if onesided then
      local last = o.nfft % 2 == 0 and -1 or P.shape[P.ndim - 1]
      local inner = P[("..., 1:%d, :"):format(last)]
      inner:assign(inner * 2)
    end
    return f, t, P
  end
  -- The mean of segments, or their median, by what it lies below the mean of noise (Allen and others, 2012).
  local function averaged(what, P, average)
    average = average or "mean"
    if average == "mean" then return arr(nd.mean(P, { axis = -1 })) end
    if average ~= "median" then
      util.raise("ValueError", "%s: average is 'mean' or 'median', not '%s'", what, average)
    end
    local bias = 1.0
    for k = 1, (P.shape[P.ndim] - 1) // 2 do bias = bias + 1 / (2 * k + 1) - 1 / (2 * k) end
    local function middle(v) return arr(nd.median(v, { axis = -1 })) end
    if P.dtype:find("^c") then return (middle(nd.real(P)) + middle(nd.imag(P)) * nd.complex(0, 1)) / bias end
    return middle(P) / bias
  end
  local WELCH = names({ "x" }, "return_onesided", "scaling", "axis", "average")
  --- `welch(x, {fs, window, nperseg, noverlap, nfft, detrend = "constant", return_onesided, scaling = "density", axis,
  -- average = "mean"})`: frequencies, and the power at each, the mean or "median" of segments.
  function M.welch(...)
    local o = util.bind("welch", WELCH, ...)
    local given = arr(o.x)
    local x = help.floats(given)
    local axis = axis_of("welch", x, o.axis or -1)
    local f, _, P = powers("welch", o, nd.moveaxis(x, axis, -1))
    return f, nd.moveaxis(narrowed(averaged("welch", P, o.average), given), -1, axis)
  end
  --- `periodogram(x, {fs, window = "boxcar", nfft, detrend = "constant", scaling = "density", axis})`: frequencies, and
  -- the power of x at each.
  function M.periodogram(...)
    local o = util.bind("periodogram", { "x", "fs", "window", "nfft", "detrend", "return_onesided", "scaling", "axis",
      fs = "number", nfft = "integer", detrend = "string|boolean", return_onesided = "boolean", scaling = "string",
      axis = "integer" }, ...)
    local given = arr(o.x)
    local x = help.floats(given)
    local axis = axis_of("periodogram", x, o.axis or -1)
    o.window, o.nperseg, o.noverlap = o.window or "boxcar", math.min(x.shape[axis + 1], o.nfft or math.huge), 0
    local f, _, P = powers("periodogram", o, nd.moveaxis(x, axis, -1)[("..., :%d"):format(o.nperseg)])
    return f, nd.moveaxis(narrowed(P["..., 0"], given), -1, axis)
  end
  local SPECTROGRAM = names({ "x" }, "return_onesided", "scaling", "axis", "mode")
  local SHOWN = util.set({ "psd", "complex", "magnitude", "angle", "phase" })
  --- `spectrogram(x, {fs, window = {"tukey", 0.25}, nperseg, noverlap, nfft, detrend = "constant", scaling, axis,
  -- mode = "psd"})`: frequencies, times, and the power at each; or the Fourier transform, "complex", its "magnitude",
  -- its "angle", or that without jumps, "phase".
  function M.spectrogram(...)
    local o = util.bind("spectrogram", SPECTROGRAM, ...)
    local mode = o.mode or "psd"
    if not SHOWN[mode] then
      util.raise("ValueError", "spectrogram: mode is 'psd', 'complex', 'magnitude', 'angle' or 'phase', not '%s'", mode)
    end
    local given = arr(o.x)
    local x = help.floats(given)
    local axis = axis_of("spectrogram", x, o.axis or -1)
    x = nd.moveaxis(x, axis, -1)
    o.window = o.window or { "tukey", 0.25 }
    o.nperseg = math.min(o.nperseg or 256, x.shape[x.ndim])
    o.noverlap = o.noverlap or o.nperseg // 8
    if mode == "psd" then
      local f, t, P = powers("spectrogram", o, x)
      return f, t, placed(narrowed(P, given), axis)
    end
    o = settings("spectrogram", o, x.shape[x.ndim])
    if o.detrend == nil then o.detrend = "constant" end
    local f, t, Z = transformed(x, o)
    local w = o.window
    Z = Z / (o.scaling == "spectrum" and nd.sum(w) or math.sqrt(o.fs * nd.sum(w * w)))
    Z = placed(narrowed(Z, given), axis)
    if mode == "complex" then return f, t, Z end
    if mode == "magnitude" then return f, t, nd.abs(Z) end
    local angle = nd.angle(Z)
    return f, t, mode == "angle" and angle or nd.unwrap(angle, { axis = axis })
  end
  local single = { float16 = "float32", bfloat16 = "float32", float32 = "float32" }
  --- `hilbert(x, {N, axis = -1})`: the analytic signal: x and i times its Hilbert transform.
  function M.hilbert(...)
    local o = util.bind("hilbert", { "x", "N", "axis", N = "integer", axis = "integer" }, ...)
    local x = arr(o.x)
    if x.dtype:find("^c") then util.raise("ValueError", "hilbert: x is real, not %s", x.dtype) end
    local axis = axis_of("hilbert", x, o.axis or -1)
    x = nd.moveaxis(x, axis, -1)
    local n = o.N or x.shape[x.ndim]
    local h = nd.zeros(n)
    h[0] = 1.0
    h[("1:%d"):format((n + 1) // 2)] = 2.0
    if n % 2 == 0 then h[n // 2] = 1.0 end
    return nd.moveaxis(nd.fft.ifft(nd.fft.fft(x, n) * h:astype(single[x.dtype] or "float64")), -1, axis)
  end

  -- ---- peaks --------------------------------------------------------------------------------------------------------
  -- Places of peaks in a sequence: middles of what is higher than both sides, and its edges.
  local function maxima(v)
    local middle, left, right = {}, {}, {}
    local i, n = 2, #v
    while i < n do
      if v[i - 1] < v[i] then
        local ahead = i + 1
        while ahead < n and v[ahead] == v[i] do ahead = ahead + 1 end
        if v[ahead] < v[i] then
          left[#left + 1], right[#right + 1] = i, ahead - 1
          middle[#middle + 1] = (i + ahead - 1) // 2
          i = ahead
        end
      end
      i = i + 1
    end
    return middle, left, right
  end
  -- How far each peak stands out, and the places of its bases.
  local function prominences(v, peaks, wlen)
    local out, left, right = {}, {}, {}
    for k, p in ipairs(peaks) do
      local low, high = 1, #v
      if wlen then low, high = math.max(p - wlen // 2, 1), math.min(p + wlen // 2, #v) end
      local lmin, i = v[p], p
      left[k], right[k] = p, p
      while i >= low and v[i] <= v[p] do
        if v[i] < lmin then lmin, left[k] = v[i], i end
        i = i - 1
      end
      local rmin
      rmin, i = v[p], p
      while i <= high and v[i] <= v[p] do
        if v[i] < rmin then rmin, right[k] = v[i], i end
        i = i + 1
      end
      out[k] = v[p] - math.max(lmin, rmin)
    end
    return out, left, right
  end
  -- How wide each peak is at a part of its prominence: widths, heights, both places.
  local function widths(v, peaks, rel, prominence, left, right)
    local w, h, l, r = {}, {}, {}, {}
    for k, p in ipairs(peaks) do
      local height = v[p] - prominence[k] * rel
      local i = p
      while left[k] < i and height < v[i] do i = i - 1 end
      l[k] = i - 1.0
      if v[i] < height then l[k] = l[k] + (height - v[i]) / (v[i + 1] - v[i]) end
      i = p
      while i < right[k] and height < v[i] do i = i + 1 end
      r[k] = i - 1.0
      if v[i] < height then r[k] = r[k] - (height - v[i]) / (v[i - 1] - v[i]) end
      w[k], h[k] = r[k] - l[k], height
    end
    return w, h, l, r
  end
  -- Those peaks that are no nearer than distance to a higher one.
  local function spaced(v, peaks, distance)
    local order, keep = {}, {}
    for k = 1, #peaks do order[k], keep[k] = k, true end
    table.sort(order, function(a, b)
      if v[peaks[a]] ~= v[peaks[b]] then return v[peaks[a]] > v[peaks[b]] end
      return a > b
    end)
    distance = math.ceil(distance)
    for _, k in ipairs(order) do
      if keep[k] then
        local i = k - 1
        while i >= 1 and peaks[k] - peaks[i] < distance do
          keep[i] = false
          i = i - 1
        end
        i = k + 1
        while i <= #peaks and peaks[i] - peaks[k] < distance do
          keep[i] = false
          i = i + 1
        end
      end
    end
    return keep
  end

  -- A limit: a number, or {least, most}, either of which may be false.
  local function limits(what, limit)
    if type(limit) == "number" then return limit, nil end
    util.check_type("find_peaks", what, limit, "table")
    return limit[1] or nil, limit[2] or nil
  end
  local function whole(list) return nd.array(list):astype("int64") end
  local function floats(list) return nd.array(list):astype("float64") end
  local function less_one(list)
    local out = {}
    for i, v in ipairs(list) do out[i] = v - 1 end
    return whole(out)
  end
  local function sequence(what, x)
    x = arr(x)
    if x.dtype:find("^c") then util.raise("TypeError", "%s: x is real, not %s", what, x.dtype) end
    if x.ndim ~= 1 then util.raise("ValueError", "%s: x is a vector, not of %d dimensions", what, x.ndim) end
    return x:astype("float64"):tolist()
  end

  local PEAKS = { "x", "height", "threshold", "distance", "prominence", "width", "wlen", "rel_height", "plateau_size",
    height = "number|table", threshold = "number|table", distance = "number", prominence = "number|table",
    width = "number|table", wlen = "number", rel_height = "number", plateau_size = "number|table" }
  --- `find_peaks(x, {height, threshold, distance, prominence, width, wlen, rel_height = 0.5, plateau_size})`: positions
  -- of the peaks that meet the limits (a number, or `{least, most}`), and a table of what was measured on the way.
  function M.find_peaks(...)
    local o = util.bind("find_peaks", PEAKS, ...)
    local v = sequence("find_peaks", o.x)
    if o.distance and o.distance < 1 then util.raise("ValueError", "find_peaks: distance is at least 1") end
    local peaks, left, right = maxima(v)
    local found = {}
    local function keep_where(good)
      local function kept(list)
        local out = {}
        for k, p in ipairs(list) do if good[k] then out[#out + 1] = p end end
        return out
      end
      for name, list in pairs(found) do found[name] = kept(list) end
      peaks = kept(peaks)
    end
    local function within(name, values, limit)
      local low, high = limits(name, limit)
      local good = {}
      for k, value in ipairs(values) do good[k] = not (low and value < low) and not (high and value > high) end
      return good
    end
    if o.plateau_size then
      local size = {}
      for k = 1, #peaks do size[k] = right[k] - left[k] + 1 end
      found.plateau_sizes, found.left_edges, found.right_edges = size, left, right
      keep_where(within("plateau_size", size, o.plateau_size))
    end
    if o.height then
      local h = {}
      for k, p in ipairs(peaks) do h[k] = v[p] end
      found.peak_heights = h
      keep_where(within("height", h, o.height))
    end
    if o.threshold then
      local l, r, least, most = {}, {}, {}, {}
      for k, p in ipairs(peaks) do
        l[k], r[k] = v[p] - v[p - 1], v[p] - v[p + 1]
        least[k], most[k] = math.min(l[k], r[k]), math.max(l[k], r[k])
      end
      found.left_thresholds, found.right_thresholds = l, r
      local low, high = limits("threshold", o.threshold)
      local good = {}
      for k = 1, #peaks do good[k] = not (low and least[k] < low) and not (high and most[k] > high) end
      keep_where(good)
    end
    if o.distance then keep_where(spaced(v, peaks, o.distance)) end
    if o.prominence or o.width then
      local wlen = o.wlen and math.ceil(o.wlen) | 1
      found.prominences, found.left_bases, found.right_bases = prominences(v, peaks, wlen)
    end
    if o.prominence then keep_where(within("prominence", found.prominences, o.prominence)) end
    if o.width then
      found.widths, found.width_heights, found.left_ips, found.right_ips = widths(v, peaks, o.rel_height or 0.5,
        found.prominences, found.left_bases, found.right_bases)
      keep_where(within("width", found.widths, o.width))
    end
    local from_one = util.set({ "left_edges", "right_edges", "left_bases", "right_bases" })
    for name, list in pairs(found) do
      found[name] = from_one[name] and less_one(list) or name == "plateau_sizes" and whole(list) or floats(list)
    end
    return less_one(peaks), found
  end
  -- Positions among n samples, counted from 1.
  local function places(what, peaks, n)
    local out = {}
    for i, p in ipairs(arr(peaks):reshape({ -1 }):tolist()) do
      if math.type(p) ~= "integer" or p < 0 or p >= n then
        util.raise(math.type(p) == "integer" and "ValueError" or "TypeError",
          "%s: peaks are positions in x, from 0 to %d, not %s", what, n - 1, util.text(p))
      end
      out[i] = p + 1
    end
    return out
  end
  -- The odd number of samples around a peak that are looked at.
  local function window_of(what, wlen)
    if wlen == nil then return nil end
    if wlen <= 1 or wlen ~= wlen then util.raise("ValueError", "%s: wlen is more than 1, not %s", what, wlen) end
    return wlen < 2 ^ 53 and math.ceil(wlen) | 1 or nil
  end
  --- `peak_prominences(x, peaks, wlen)`: how far peaks stand out, and the places of their left and right bases.
  function M.peak_prominences(x, peaks, wlen)
    util.check_type("peak_prominences", "wlen", wlen, "number")
    local length = window_of("peak_prominences", wlen)
    local v = sequence("peak_prominences", x)
    local p, l, r = prominences(v, places("peak_prominences", peaks, #v), length)
    return floats(p), less_one(l), less_one(r)
  end
  --- `peak_widths(x, peaks, rel_height, prominence_data, wlen)`: how wide peaks are, at which height, from where to
  -- where; prominence_data: what peak_prominences gives, in a table, wlen: how far it is to look.
  function M.peak_widths(...)
    local what = "peak_widths"
    local o = util.bind(what, { "x", "peaks", "rel_height", "prominence_data", "wlen", rel_height = "number",
      prominence_data = "table", wlen = "number" }, ...)
    util.present(what, o, { "x", "peaks" })
    local v, rel = sequence(what, o.x), o.rel_height or 0.5
    if rel < 0 then util.raise("ValueError", "%s: rel_height is at least 0, not %s", what, rel) end
    local at = places(what, o.peaks, #v)
    local p, left, right
    if o.prominence_data then
      local data = o.prominence_data
      for i = 1, 3 do
        if data[i] == nil or arr(data[i]).size ~= #at then
          util.raise("ValueError", "%s: prominence_data is {prominences, left bases, right bases} of %d peaks", what,
            #at)
        end
      end
      p, left, right = arr(data[1]):reshape({ -1 }):tolist(), places(what, data[2], #v), places(what, data[3], #v)
    else
      p, left, right = prominences(v, at, window_of(what, o.wlen))
    end
    local w, h, l, r = widths(v, at, rel, p, left, right)
    return floats(w), floats(h), floats(l), floats(r)
  end

  require("theano.ndwaves")(nd, M)
  require("theano.ndspectra")(nd, M, { names = names, settings = settings, transformed = transformed,
    averaged = averaged, narrowed = narrowed, single = single })
  return M
end
