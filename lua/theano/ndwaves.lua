--- Smoothing of samples, and waves: `nd.signal.savgol_filter`, `medfilt`; `sawtooth`, `chirp`, `gausspulse`,
-- `vectorstrength`. Installed by theano.ndsignal.
-- @module theano.ndwaves
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd, M)
  local arr, axis_of = core.asarray, help.axis_of

  -- ---- smoothing ----------------------------------------------------------------------------------------------------
  --- `savgol_coeffs(window_length, polyorder, {deriv = 0, delta = 1.0, pos, use = "conv"})`: the coefficients of
  -- savgol_filter, for the place pos in the window (its middle), for a convolution or a product (use = "dot").
  function M.savgol_coeffs(...)
    local o = util.bind("savgol_coeffs", { "window_length", "polyorder", "deriv", "delta", "pos", "use", pos = "number",
      window_length = "integer", polyorder = "integer", deriv = "integer", delta = "number", use = "string" }, ...)
    util.present("savgol_coeffs", o, { "window_length", "polyorder" })
    local n, order, deriv = o.window_length, o.polyorder, o.deriv or 0
    if order >= n then util.raise("ValueError", "savgol_coeffs: polyorder is less than window_length") end
    local pos, use = o.pos or (n - 1) / 2, o.use or "conv"
    if pos < 0 or pos >= n then util.raise("ValueError", "savgol_coeffs: pos is in [0, %d), not %s", n, pos) end
    if use ~= "conv" and use ~= "dot" then
      util.raise("ValueError", "savgol_coeffs: use is 'conv' or 'dot', not '%s'", use)
    end
    if deriv > order then return nd.zeros(n) end
    local at = nd.arange(n) - pos
    if use == "conv" then at = nd.flip(at) end
    local A, y = nd.power(at, nd.arange(order + 1):reshape({ -1, 1 })), nd.zeros(order + 1)
    y[deriv] = nd.special.gamma(deriv + 1.0) / (o.delta or 1.0) ^ deriv
    return (nd.linalg.lstsq(A, y))
  end
  -- The ends of the rows y, of polynomials fitted to the first and the last n elements of the rows x.
  local function fitted_ends(x, y, o)
    local n, long, deriv = o.window_length, x.shape[2], o.deriv or 0
    local half = n // 2
    local function ends(from, to, first)
      local p = nd.polyfit(nd.arange(n), x[(":, %d:%d"):format(first, first + n)].T:copy(), o.polyorder)
      for r = 0, x.shape[1] - 1 do
        y[("%d, %d:%d"):format(r, from, to)] = nd.polyval(nd.polyder(p[{ ":", r }]:copy(), deriv),
          nd.arange(from - first, to - first) * 1.0) / (o.delta or 1.0) ^ deriv
      end
    end
    if half > 0 then
      ends(0, half, 0)
      ends(long - half, long, long - n)
    end
  end
  local EXTENDED = { nearest = "edge", mirror = "reflect", wrap = "wrap", constant = "constant", interp = "constant" }
  --- `savgol_filter(x, window_length, polyorder, {deriv = 0, delta = 1.0, axis = -1, mode = "interp", cval = 0})`:
  -- polynomials fitted to the neighbours of each element; at the ends to the last ones ("interp"), or x goes on as
  -- "nearest", "mirror", "wrap", "constant" (cval) say. An even window lies half a sample beside.
  function M.savgol_filter(...)
    local what = "savgol_filter"
    local o = util.bind(what, { "x", "window_length", "polyorder", "deriv", "delta", "mode", "axis", "cval",
      window_length = "integer", polyorder = "integer", deriv = "integer", delta = "number", mode = "string",
      axis = "integer", cval = "number" }, ...)
    util.present(what, o, { "x", "window_length", "polyorder" })
    local given, n, mode = arr(o.x), o.window_length, o.mode or "interp"
    if given.dtype:find("^c") then util.raise("TypeError", "%s: x is real, not %s", what, given.dtype) end
    if not EXTENDED[mode] then
      util.raise("ValueError", "%s: mode is 'interp', 'nearest', 'mirror', 'wrap' or 'constant', not '%s'", what, mode)
    end
    local axis = axis_of(what, given, o.axis or -1)
    local x = nd.moveaxis(given:astype("float64"), axis, -1)
    local c, form = M.savgol_coeffs(n, o.polyorder, { deriv = o.deriv or 0, delta = o.delta }), x.shape
    local long = form[#form]
    if mode == "interp" and long < n then
      util.raise("ValueError", "%s: window_length is at most the length of x", what)
    end
    if x.size == 0 then return given:astype(given.dtype == "float32" and "float32" or "float64") end
    x = x:reshape({ x.size // long, long })
    local wide = nd.pad(x, { { 0, 0 }, { (n - 1) // 2, n // 2 } }, { mode = EXTENDED[mode],
      constant_values = mode == "constant" and o.cval or nil })
    local y = wide.shape[1] == 1 and nd.convolve(wide[0], c, "valid"):reshape({ 1, long })
      or M.convolve(wide, c:reshape({ 1, n }), "valid", "direct"):copy()
    if mode == "interp" then fitted_ends(x, y, o) end
    y = nd.moveaxis(y:reshape(form), -1, axis)
    return given.dtype == "float32" and y:astype("float32") or y
  end
  --- `medfilt(volume, kernel_size)`: the median of each element's neighbours (3 along each axis; an odd number, or one
  -- for each axis), zeros lying around.
  function M.medfilt(volume, kernel_size)
    local x, n = nd.atleast_1d(arr(volume)), kernel_size or 3
    if x.dtype:find("^c") then util.raise("TypeError", "medfilt: complex numbers have no order") end
    if util.is_array(n) then n = n:reshape({ -1 }):tolist() end
    local sizes, around, count, last = {}, {}, 1, x.shape
    for d = 1, x.ndim do
      local k = type(n) == "table" and (#n == 1 and n[1] or n[d]) or n
      if math.type(k) ~= "integer" or k % 2 == 0 or k < 1 or type(n) == "table" and #n > x.ndim then
        util.raise("ValueError", "medfilt: kernel_size is an odd number, or one for each of %d axes", x.ndim)
      end
      sizes[d], around[d], count = k, { k // 2, k // 2 }, count * k
    end
    if x.size == 0 then return x:copy() end
    last[#last + 1] = count
    local windows = nd.sliding_window_view(nd.pad(x, around), sizes):reshape(last)
    return nd.sort(windows, { axis = -1 })[("..., %d"):format(count // 2)]:copy()
  end

  -- ---- waves --------------------------------------------------------------------------------------------------------
  local function times(what, t)
    t = arr(t)
    if t.dtype:find("^c") then util.raise("TypeError", "%s: times are real, not %s", what, t.dtype) end
    return t:astype("float64")
  end
  --- `sawtooth(t, width)`: rises from -1 to 1 over the part width (1) of 2 pi, and falls over the rest.
  function M.sawtooth(...)
    local o = util.bind("sawtooth", { "t", "width", width = "number" }, ...)
    local t, width = o.t, o.width or 1.0
    if width < 0 or width > 1 then return arr(t):astype("float64") * nd.nan end -- as SciPy
    local x = nd.mod(times("sawtooth", t), 2 * math.pi) / (2 * math.pi)
    local up = x / (width > 0 and width or 1.0) * 2 - 1
    local down = 1 - (x - width) / (width < 1 and 1 - width or 1.0) * 2
    return nd.where(arr(nd.lt(x, width)), up, down)
  end
  --- `square(t, duty)`: 1 over the part duty (0.5) of 2 pi, -1 over the rest.
  function M.square(...)
    local o = util.bind("square", { "t", "duty", duty = "number" }, ...)
    local x, duty = nd.mod(times("square", o.t), 2 * math.pi), o.duty or 0.5
    if duty < 0 or duty > 1 then return x * nd.nan end
    return nd.where(arr(nd.lt(x, 2 * math.pi * duty)), 1.0, -1.0)
  end
  --- `chirp(t, f0, t1, f1, {method = "linear", phi = 0, vertex_zero = true, complex = false})`: a cosine whose
  -- frequency goes from f0 at 0 to f1 at t1: "linear", "quadratic" (its vertex at 0, or else at t1), "logarithmic" or
  -- "hyperbolic". phi in degrees; complex: exp(i phase).
  function M.chirp(...)
    local o = util.bind("chirp", { "t", "f0", "t1", "f1", "method", "phi", "vertex_zero", "complex", f0 = "number",
      t1 = "number", f1 = "number", method = "string", phi = "number", vertex_zero = "boolean", complex = "boolean" },
      ...)
    util.present("chirp", o, { "t", "f0", "t1", "f1" })
    local t, f0, t1, f1 = times("chirp", o.t), o.f0, o.t1, o.f1
    local method, phase = o.method or "linear", nil
    if method == "linear" then phase = t * f0 + t * t * (0.5 * (f1 - f0) / t1)
    elseif method == "quadratic" and o.vertex_zero == false then
      local rest, beta = t1 - t, (f1 - f0) / (t1 * t1)
      phase = t * f1 + (rest * rest * rest - t1 ^ 3) * (beta / 3)
    elseif method == "quadratic" then phase = t * f0 + t * t * t * ((f1 - f0) / (t1 * t1) / 3)
    elseif method == "logarithmic" then
      if f0 * f1 <= 0 then util.raise("ValueError", "chirp: frequencies of a logarithmic one have the same sign") end
      local beta = t1 / math.log(f1 / f0)
      phase = f0 == f1 and t * f0 or (nd.power(f1 / f0, t / t1) - 1.0) * (beta * f0)
    elseif method == "hyperbolic" then
      if f0 * f1 == 0 then util.raise("ValueError", "chirp: frequencies of a hyperbolic one are not 0") end
      local pole = f0 ~= f1 and f1 * t1 / (f1 - f0)
      phase = pole and nd.log(nd.abs(1.0 - t / pole)) * (-pole * f0) or t * f0
    else
      util.raise("ValueError", "chirp: method is 'linear', 'quadratic', 'logarithmic', 'hyperbolic', not '%s'", method)
    end
    phase = phase * (2 * math.pi) + math.rad(o.phi or 0)
    return o.complex and nd.exp(phase * nd.complex(0, 1)) or nd.cos(phase)
  end
  --- `gausspulse(t, {fc = 1000, bw = 0.5, bwr = -6, tpr = -60, retquad = false, retenv = false})`: a cosine of
  -- frequency fc under a Gaussian: bw: its band by fc, bwr decibels down; with retquad also the sine, with retenv the
  -- Gaussian.
  -- t "cutoff": the time at which the Gaussian is tpr decibels down.
  function M.gausspulse(...)
    local o = util.bind("gausspulse", { "t", "fc", "bw", "bwr", "tpr", "retquad", "retenv", fc = "number",
      bw = "number", bwr = "number", tpr = "number", retquad = "boolean", retenv = "boolean" }, ...)
    util.present("gausspulse", o, { "t" })
    local fc, bw, bwr, tpr = o.fc or 1000, o.bw or 0.5, o.bwr or -6, o.tpr or -60
    if fc < 0 then util.raise("ValueError", "gausspulse: fc is at least 0, not %s", util.text(fc)) end
    if bw <= 0 then util.raise("ValueError", "gausspulse: bw is more than 0, not %s", util.text(bw)) end
    if bwr >= 0 then util.raise("ValueError", "gausspulse: bwr is less than 0, not %s", util.text(bwr)) end
    local a = -(math.pi * fc * bw) ^ 2 / (4 * math.log(10 ^ (bwr / 20)))
    if type(o.t) == "string" then
      if o.t ~= "cutoff" then util.raise("ValueError", "gausspulse: t is 'cutoff' or times, not '%s'", o.t) end
      if tpr >= 0 then util.raise("ValueError", "gausspulse: tpr is less than 0, not %s", util.text(tpr)) end
      return math.sqrt(-math.log(10 ^ (tpr / 20)) / a)
    end
    local t = times("gausspulse", o.t)
    local envelope = nd.exp(t * t * -a)
    local out = { envelope * nd.cos(t * (2 * math.pi * fc)) }
    if o.retquad then out[#out + 1] = envelope * nd.sin(t * (2 * math.pi * fc)) end
    if o.retenv then out[#out + 1] = envelope end
    return table.unpack(out)
  end
  --- `vectorstrength(events, period)`: how well the times of events keep to a period, from 0 to 1, and at which angle
  -- of it they come; of a vector of periods vectors.
  function M.vectorstrength(events, period)
    util.present("vectorstrength", { events = events, period = period }, { "events", "period" })
    local at, p = times("vectorstrength", events), times("vectorstrength", period)
    if at.ndim > 1 or p.ndim > 1 then
      util.raise("ValueError", "vectorstrength: events and period have at most one dimension, not %d and %d", at.ndim,
        p.ndim)
    end
    if nd.any(arr(nd.le(p, 0))) then util.raise("ValueError", "vectorstrength: periods are more than 0") end
    local turns = (2 * math.pi) / p:reshape({ -1, 1 }) * at:reshape({ 1, -1 })
    local mean = arr(nd.mean(nd.exp(turns * nd.complex(0, 1)), { axis = 1 }))
    local strength, phase = nd.abs(mean), nd.angle(mean)
    if p.ndim == 0 then return strength[0], phase[0] end
    return strength, phase
  end
end
