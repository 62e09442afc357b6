--- nd.signal: spectra of two signals and of uneven samples, transforms along spirals, filters of pictures, quotients.
-- Installed by theano.ndsignal.
-- @module theano.ndspectra
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

-- `kit`: names (of arguments), settings, transformed, averaged, narrowed, single of theano.ndsignal.
return function(nd, M, kit)
  local arr, axis_of = core.asarray, help.axis_of
  local function form(x) return "(" .. table.concat(x.shape, ", ") .. (x.ndim == 1 and ",)" or ")") end
  local function turned(b)
    local index = {}
    for d = 1, b.ndim do index[d] = "::-1" end
    return nd.conj(b[table.concat(index, ", ")])
  end
  local function matrix(what, name, x)
    if x == nil then util.raise("TypeError", "%s: argument '%s' is missing", what, name) end
    x = arr(x)
    if x.ndim ~= 2 then util.raise("ValueError", "%s: %s is a matrix, not of shape %s", what, name, form(x)) end
    return x
  end

  -- ---- two signals --------------------------------------------------------------------------------------------------
  local CSD = kit.names({ "x", "y" }, "return_onesided", "scaling", "axis", "average")
  local COHERENCE = kit.names({ "x", "y" }, "axis")
  -- Both with their axis behind, the shorter one followed by zeros.
  local function both(what, o)
    util.present(what, o, { "x", "y" })
    local x, y = help.floats(arr(o.x)), help.floats(arr(o.y))
    local axis = axis_of(what, x, o.axis or -1)
    x, y = nd.moveaxis(x, axis, -1), nd.moveaxis(y, axis_of(what, y, o.axis or -1), -1)
    local function longer(v, n)
      local shape = v.shape
      shape[#shape] = n - shape[#shape]
      if shape[#shape] <= 0 then return v end
      return nd.concatenate({ v, core.zeros(shape, v.dtype) }, v.ndim - 1)
    end
    local n = math.max(x.shape[x.ndim], y.shape[y.ndim])
    if x.size == 0 or y.size == 0 then
      util.raise("ValueError", "%s: signals of shape %s and %s have no spectrum", what, form(x), form(y))
    end
    return longer(x, n), longer(y, n), axis
  end
  local function crossed(what, o)
    local x, y, axis = both(what, o)
    if x.dtype:find("^c") or y.dtype:find("^c") then o.return_onesided = false end
    o = kit.settings(what, o, x.shape[x.ndim])
    if o.detrend == nil then o.detrend = "constant" end
    local f, _, X, onesided = kit.transformed(x, o)
    local _, _, Y = kit.transformed(y, o)
    local w = o.window
    local scale = o.scaling == "spectrum" and 1 / nd.sum(w) ^ 2 or 1 / (o.fs * nd.sum(w * w))
    local P = nd.conj(X) * Y * scale
    if onesided then
      local last = o.nfft % 2 == 0 and -1 or P.shape[P.ndim - 1]
      local inner = P[("..., 1:%d, :"):format(last)]
      inner:assign(inner * 2)
    end
    if rawequal(o.x, o.y) then P = nd.real(P) end -- as SciPy's
    return f, kit.narrowed(nd.moveaxis(kit.averaged(what, P, o.average), -1, axis), arr(o.x), arr(o.y))
  end
  --- `csd(x, y, {fs, window, nperseg, noverlap, nfft, detrend = "constant", return_onesided, scaling = "density",
  -- axis, average = "mean"})`: frequencies, and the cross power of two signals at each, the mean or "median" of
  -- segments.
  function M.csd(...) return crossed("csd", util.bind("csd", CSD, ...)) end
  --- `coherence(x, y, {fs, window, nperseg, noverlap, nfft, detrend = "constant", axis})`: frequencies, and how far
  -- each of them in one signal follows from the other, from 0 to 1.
  function M.coherence(...)
    local o = util.bind("coherence", COHERENCE, ...)
    util.present("coherence", o, { "x", "y" })
    local wide = nd.result_type(arr(o.x), arr(o.y), "float64")
    local function power(x, y)
      local given = util.copied(o)
      given.x, given.y = help.floats(arr(x)):astype(wide), help.floats(arr(y)):astype(wide)
      return crossed("coherence", given)
    end
    both("coherence", o)
    local f, xy = power(o.x, o.y)
    local _, xx = power(o.x, o.x)
    local _, yy = power(o.y, o.y)
    local size = nd.abs(xy)
    return f, kit.narrowed(size * size / nd.real(xx) / nd.real(yy), arr(o.x), arr(o.y))
  end

  local function line(what, name, v)
    v = arr(v)
    if v.dtype:find("^c") then util.raise("TypeError", "%s: %s is real, not %s", what, name, v.dtype) end
    if v.ndim ~= 1 or v.size == 0 then
      util.raise("ValueError", "%s: %s is a vector that is not empty, not of shape %s", what, name, form(v))
    end
    return v:astype("float64")
  end
  --- `lombscargle(x, y, freqs, {normalize = false, weights, floating_mean = false})`: the power of samples y at uneven
  -- times x at angular frequencies; normalize: as a part of the whole; "amplitude": size and phase, complex.
  function M.lombscargle(...)
    local what = "lombscargle"
    local o = util.bind(what, { "x", "y", "freqs", "normalize", "weights", "floating_mean",
      normalize = "boolean|string", floating_mean = "boolean" }, ...)
    util.present(what, o, { "x", "y", "freqs" })
    local x, y, f = line(what, "x", o.x), line(what, "y", o.y), line(what, "freqs", o.freqs)
    local w = o.weights == nil and nd.ones(x.size) or line(what, "weights", o.weights)
    if x.size ~= y.size or w.size ~= x.size then
      util.raise("ValueError", "%s: x, y and weights are of one length, not %d, %d and %d", what, x.size, y.size,
        w.size)
    end
    local norm = o.normalize or "power"
    if norm == true then norm = "normalize" end
    if norm ~= "power" and norm ~= "normalize" and norm ~= "amplitude" then
      util.raise("ValueError", "%s: normalize is 'power', 'normalize' or 'amplitude', not '%s'", what, tostring(norm))
    end
    w = w / nd.sum(w)
    local angles = f:reshape({ -1, 1 }) * x
    local c, s, wy = nd.cos(angles), nd.sin(angles), w * y
    local YC, YS, CC, CS, YY = c:dot(wy), s:dot(wy), (c * c):dot(w), (c * s):dot(w), y:dot(wy)
    local SS = 1.0 - CC
    if o.floating_mean then
      local Y, C, S = nd.sum(wy), c:dot(w), s:dot(w)
      YC, YS, CC, SS, CS, YY = YC - Y * C, YS - Y * S, CC - C * C, SS - S * S, CS - C * S, YY - Y * Y
    end
    local tau = nd.arctan2(2.0 * CS, CC - SS) * 0.5
    local ct, st = nd.cos(tau), nd.sin(tau)
    local a, b = YC * ct + YS * st, YS * ct - YC * st
    local mixed = 2.0 * CS * ct * st
    local least = 2.0 ^ -53
    local cc = nd.maximum(CC * ct * ct + mixed + SS * st * st, least)
    local ss = nd.maximum(CC * st * st - mixed + SS * ct * ct, least)
    if norm == "amplitude" then
      local i = nd.complex(0, 1)
      return (a / cc + b / ss * i) * nd.exp(tau * i)
    end
    local power = (a * a / cc + b * b / ss) * 2.0
    return norm == "power" and power * (x.size / 4.0) or power * (0.5 / YY)
  end

  -- ---- transforms ---------------------------------------------------------------------------------------------------
  -- Sums of x[n] times fore[n] over points whose chirps are wk2, by convolution.
  local function spiral(x, n, m, fore, wk2)
    local length = nd.fft.next_fast_len(n + m - 1)
    local chirp = nd.concatenate({ nd.flip(wk2[("1:%d"):format(n)]), wk2[(":%d"):format(m)] }, 0)
    local y = nd.fft.ifft(nd.fft.fft(1.0 / chirp, length) * nd.fft.fft(x * fore, length))
    return y[("..., %d:%d"):format(n - 1, n + m - 1)] * wk2[(":%d"):format(m)]
  end
  local function along(what, x, axis, m)
    if x == nil then util.raise("TypeError", "%s: argument 'x' is missing", what) end
    x = help.floats(arr(x))
    axis = axis_of(what, x, axis or -1)
    x = nd.moveaxis(x, axis, -1)
    local n = x.shape[x.ndim]
    m = m or n
    if n < 1 or m < 1 then util.raise("ValueError", "%s: %d samples, %d results: at least 1 of each", what, n, m) end
    return x, axis, n, m
  end
  local function turning(angles) return nd.exp(angles * nd.complex(0, 1)) end
  --- `czt(x, {m, w, a = 1, axis = -1})`: the sums of x[n] z^-n at the points z = a w^-k of a spiral: m (as many as x
  -- has) points, w (exp(-2 pi i / m)) from one to the next.
  function M.czt(...)
    local o = util.bind("czt", { "x", "m", "w", "a", "axis", m = "integer", axis = "integer" }, ...)
    local x, axis, n, m = along("czt", o.x, o.axis, o.m)
    local k = nd.arange(math.max(m, n))
    local function power(v, e) -- v^e of numbers by logarithms, which keep the way round
      local z = arr(v)
      if z.ndim ~= 0 then util.raise("TypeError", "czt: w and a are numbers, not of shape %s", form(z)) end
      return nd.exp(e * nd.log(z:astype("complex128")))
    end
    local wk2 = o.w == nil and turning(nd.mod(k * k, 2 * m) * (-math.pi / m)) or power(o.w, k * k * 0.5)
    local fore = wk2[(":%d"):format(n)]
    if o.a ~= nil then fore = fore * power(o.a, nd.arange(n) * -1.0) end
    return nd.moveaxis(spiral(x, n, m, fore, wk2), -1, axis)
  end
  --- `zoom_fft(x, fn, {m, fs = 2, endpoint = false, axis = -1})`: the Fourier transform at m frequencies between fn[1]
  -- and fn[2], or 0 and fn.
  function M.zoom_fft(...)
    local o = util.bind("zoom_fft", { "x", "fn", "m", "fs", "endpoint", "axis", m = "integer", fs = "number",
      endpoint = "boolean", axis = "integer" }, ...)
    local x, axis, n, m = along("zoom_fft", o.x, o.axis, o.m)
    util.present("zoom_fft", o, { "fn" })
    local edges, fs = arr(o.fn):reshape({ -1 }):astype("float64"):tolist(), o.fs or 2.0
    if #edges ~= 1 and #edges ~= 2 then
      util.raise("ValueError", "zoom_fft: fn is a frequency or two of them, not %d", #edges)
    end
    local from, to = #edges == 2 and edges[1] or 0.0, edges[#edges]
    local scale = (to - from) / fs
    if o.endpoint then scale = scale * m / math.max(m - 1, 1) end
    local k = nd.arange(math.max(m, n))
    local wk2 = turning(k * k * (-math.pi * scale / m))
    local fore = turning(nd.arange(n) * (-2 * math.pi * from / fs)) * wk2[(":%d"):format(n)]
    return nd.moveaxis(spiral(x, n, m, fore, wk2), -1, axis)
  end
  --- `hilbert2(x, {N, axes = {-2, -1}})`: the analytic signal of pictures along two axes.
  function M.hilbert2(...)
    local o = util.bind("hilbert2", { "x", "N", "axes", N = "integer|table", axes = "table" }, ...)
    util.present("hilbert2", o, { "x" })
    local x = arr(o.x)
    if x.dtype:find("^c") then util.raise("ValueError", "hilbert2: x is real, not %s", x.dtype) end
    local axes = o.axes or { -2, -1 }
    if #axes ~= 2 or x.ndim < 2 then util.raise("ValueError", "hilbert2: x has two axes, which axes names") end
    local a, b = axis_of("hilbert2", x, axes[1]), axis_of("hilbert2", x, axes[2])
    if a == b then util.raise("ValueError", "hilbert2: axes are two different ones") end
    local n = type(o.N) == "number" and { o.N, o.N } or o.N or { x.shape[a + 1], x.shape[b + 1] }
    if #n ~= 2 or math.type(n[1]) ~= "integer" or math.type(n[2]) ~= "integer" or n[1] < 1 or n[2] < 1 then
      util.raise("ValueError", "hilbert2: N is a length or two of them, at least 1")
    end
    local function half(length)
      local h = nd.zeros(length)
      h[("1:%d"):format((length + 1) // 2)] = 2.0
      h[0] = 1.0
      return h:astype(kit.single[x.dtype] or "float64")
    end
    local X = nd.moveaxis(nd.fft.fft2(x, n, { a, b }), { a, b }, { -2, -1 })
    X = X * half(n[1]):reshape({ -1, 1 }) * half(n[2])
    return nd.fft.ifft2(nd.moveaxis(X, { -2, -1 }, { a, b }), nil, { a, b })
  end

  -- ---- pictures -----------------------------------------------------------------------------------------------------
  --- `correlate2d(in1, in2, {mode = "full", boundary = "fill", fillvalue = 0})`: correlate of matrices, with what
  -- convolve2d puts around in1.
  function M.correlate2d(...)
    local o = util.bind("correlate2d", { "in1", "in2", "mode", "boundary", "fillvalue", mode = "string",
      boundary = "string", fillvalue = "number" }, ...)
    local a, b = matrix("correlate2d", "in1", o.in1), matrix("correlate2d", "in2", o.in2)
    local how = { mode = o.mode, boundary = o.boundary, fillvalue = o.fillvalue }
    if next(how) == nil then how = { mode = "full" } end
    if o.mode == "valid" and (b.shape[1] > a.shape[1] or b.shape[2] > a.shape[2]) then
      return turned(arr(M.convolve2d(b, turned(a), how)))
    end
    if o.mode ~= "same" then return M.convolve2d(a, turned(b), how) end
    how.mode = "full"
    local i, j = b.shape[1] // 2, b.shape[2] // 2
    local full = M.convolve2d(a, turned(b), how)
    return full[("%d:%d, %d:%d"):format(i, i + a.shape[1], j, j + a.shape[2])]:copy()
  end
  --- `medfilt2d(input, kernel_size)`: the median of each element's neighbours in a matrix (3 by 3; one odd number or
  -- two).
  function M.medfilt2d(input, kernel_size)
    local x = matrix("medfilt2d", "input", input)
    if x.dtype:find("^c") then util.raise("TypeError", "medfilt2d: complex numbers have no order") end
    local n = kernel_size or 3
    n = type(n) == "number" and { n, n } or util.is_array(n) and n:reshape({ -1 }):tolist() or n
    for i = 1, 2 do
      if type(n) ~= "table" or #n ~= 2 or math.type(n[i]) ~= "integer" or n[i] % 2 == 0 or n[i] < 1 then
        util.raise("ValueError", "medfilt2d: kernel_size is an odd number, or two of them")
      end
    end
    if x.size == 0 then return x:copy() end
    local wide = nd.pad(x, { { n[1] // 2, n[1] // 2 }, { n[2] // 2, n[2] // 2 } })
    local windows = nd.sliding_window_view(wide, n):reshape({ x.shape[1], x.shape[2], n[1] * n[2] })
    return nd.sort(windows, { axis = -1 })[("..., %d"):format(n[1] * n[2] // 2)]
  end
  --- `wiener(im, {mysize = 3, noise})`: without noise of that variance (the mean of the neighbourhoods'), which is
  -- judged by each element's neighbours.
  function M.wiener(...)
    local o = util.bind("wiener", { "im", "mysize", "noise", noise = "number" }, ...)
    util.present("wiener", o, { "im" })
    local x = help.floats(arr(o.im))
    local size = o.mysize or 3
    if util.is_array(size) then size = size:reshape({ -1 }):tolist() end
    local window, count = {}, 1
    for d = 1, x.ndim do
      local n = type(size) == "table" and size[d] or size
      if math.type(n) ~= "integer" or n < 1 then
        util.raise("ValueError", "wiener: mysize is a length of at least 1, or one for each axis")
      end
      window[d], count = n, count * n
    end
    if x.size == 0 then return x:copy() end
    local ones = nd.ones(window)
    local function local_mean(v) return M.correlate(v, ones, "same") / (count + 0.0) end
    local mean = local_mean(x)
    local spread = local_mean(x * x) - mean * mean
    local noise = o.noise or nd.mean(spread)
    return nd.where(nd.lt(spread, noise), mean, (x - mean) * (1 - noise / spread) + mean)
  end

  -- ---- quotients ----------------------------------------------------------------------------------------------------
  --- `deconvolve(signal, divisor)`: the quotient and the rest: signal = convolve(divisor, quotient) + rest.
  function M.deconvolve(signal, divisor)
    local function vector(name, v)
      if v == nil then util.raise("TypeError", "deconvolve: argument '%s' is missing", name) end
      v = help.floats(nd.atleast_1d(arr(v)))
      if v.ndim ~= 1 or v.size == 0 then
        util.raise("ValueError", "deconvolve: %s is a vector that is not empty, not of shape %s", name, form(v))
      end
      return v
    end
    local a, b = vector("signal", signal), vector("divisor", divisor)
    if b.size > a.size then return nd.zeros(0), a:copy() end
    local impulse = nd.zeros(a.size - b.size + 1)
    impulse[0] = 1.0
    local quotient = M.lfilter(a, b, impulse)
    return quotient, a - M.convolve(b, quotient)
  end
end
