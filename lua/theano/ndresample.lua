--- Signals at other rates, and filters without feedback: `nd.signal.resample`, `resample_poly`, `upfirdn`, `decimate`,
-- `firwin`; impulses, extrema along an axis. For theano.ndsignal.
-- @module theano.ndresample
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd, M)
  local arr, axis_of = core.asarray, help.axis_of

  local function positive(what, name, n)
    if math.type(n) ~= "integer" or n < 1 then
      util.raise(math.type(n) == "integer" and "ValueError" or "TypeError",
        "%s: %s is a whole number above 0, not %s", what, name, util.text(n))
    end
    return n
  end

  --- `firwin(numtaps, cutoff, {window = "hamming", pass_zero = true, scale = true, fs = 2, width})`: the coefficients
  -- of a filter without feedback, by a window, or Kaiser's for edges of that width: pass_zero true or "lowpass",
  -- "bandstop": what is slow passes; false or "highpass", "bandpass": it does not.
  function M.firwin(...)
    local o = util.bind("firwin", { "numtaps", "cutoff", "window", "pass_zero", "scale", "fs", "width",
      numtaps = "integer", pass_zero = "boolean|string", scale = "boolean", fs = "number", width = "number" }, ...)
    util.present("firwin", o, { "numtaps", "cutoff" })
    local n, half = positive("firwin", "numtaps", o.numtaps), (o.fs or 2.0) / 2
    local edges = nd.atleast_1d(arr(o.cutoff)):astype("float64"):reshape({ -1 }):tolist()
    if #edges == 0 then util.raise("ValueError", "firwin: at least one cutoff is needed") end
    for i, e in ipairs(edges) do
      edges[i] = e / half
      if not (edges[i] > 0 and edges[i] < 1 and edges[i] > (edges[i - 1] or 0)) then
        util.raise("ValueError", "firwin: the cutoffs rise, above 0 and below fs / 2; cutoff %d is %s", i, util.text(e))
      end
    end
    local zero = o.pass_zero
    if zero == nil then zero = true end
    if type(zero) == "string" then
      local known = { lowpass = true, bandstop = true, highpass = false, bandpass = false }
      local many = (zero == "bandstop" or zero == "bandpass") and #edges >= 2 or
        (zero == "lowpass" or zero == "highpass") and #edges == 1
      if known[zero] == nil or not many then
        util.raise("ValueError", "firwin: pass_zero '%s' with %d cutoffs", zero, #edges)
      end
      zero = known[zero]
    end
    local last = (#edges % 2 == 1) ~= zero -- whether the fastest passes
    if last and n % 2 == 0 then
      util.raise("ValueError", "firwin: an even number of coefficients has no gain at fs / 2")
    end
    local bands = { table.unpack(edges) }
    if zero then table.insert(bands, 1, 0.0) end
    if last then bands[#bands + 1] = 1.0 end
    local at, h = nd.arange(n) - (n - 1) / 2, nd.zeros(n)
    for i = 1, #bands, 2 do
      h = h + bands[i + 1] * nd.sinc(bands[i + 1] * at) - bands[i] * nd.sinc(bands[i] * at)
    end
    local window = o.window or "hamming"
    if o.width then window = { "kaiser", M.kaiser_beta(M.kaiser_atten(n, o.width / half)) } end
    h = h * M.get_window(window, n, false)
    if o.scale == false then return h end
    local low, high = bands[1], bands[2]
    local middle = low == 0 and 0.0 or high == 1 and 1.0 or 0.5 * (low + high)
    return h / nd.sum(h * nd.cos(math.pi * at * middle))
  end

  -- ---- what lies around rows ------------------------------------------------------------------------------------
  local PADS = { constant = { "constant" }, edge = { "edge" }, wrap = { "wrap" }, symmetric = { "symmetric" },
    reflect = { "reflect" }, antireflect = { "reflect", "odd" } }
  -- How rows go on in lines: "line" from the first to the last element, "smooth" by the last two.
  local function in_lines(x, how, more)
    local n = x.shape[x.ndim]
    local before, behind = nd.arange(-more, 0), nd.arange(1, more + 1)
    local first, last = x["..., :1"], x["..., -1:"]
    local rise, fall = x["..., :1"] * 0.0, x["..., :1"] * 0.0
    if n > 1 and how == "line" then
      rise = (last - first) / (n - 1)
      fall = rise
    elseif n > 1 then rise, fall = x["..., 1:2"] - first, last - x["..., -2:-1"]
    end
    return nd.concatenate({ first + rise * before, x, last + fall * behind }, x.ndim - 1)
  end
  -- x with `more` elements at both ends of its last axis.
  local function around(what, x, how, cval, more)
    if how == "line" or how == "smooth" then return in_lines(x, how, more):astype(x.dtype) end
    local widths = {}
    for d = 1, x.ndim do widths[d] = d == x.ndim and { more, more } or { 0, 0 } end
    if how == "antisymmetric" then -- as in mirrors, with the sign of each
      local turns = nd.arange(-more, x.shape[x.ndim] + more) // x.shape[x.ndim]
      return nd.pad(x, widths, "symmetric") * (1.0 - 2.0 * (turns % 2)):astype(x.dtype)
    end
    local pad = PADS[how]
    if not pad then
      util.raise("ValueError", "%s: what goes on is 'constant', 'edge', 'wrap', 'symmetric', 'reflect', "
        .. "'antisymmetric', 'antireflect', 'smooth' or 'line', not '%s'", what, tostring(how))
    end
    return nd.pad(x, widths, { mode = pad[1], reflect_type = pad[2], constant_values = how == "constant" and cval
      or nil })
  end
  --- `upfirdn(h, x, {up = 1, down = 1, axis = -1, mode = "constant", cval = 0})`: x with up - 1 zeros behind each
  -- element, filtered by h, every down-th element of it. mode: what lies around x: cval, "edge", "wrap", "symmetric",
  -- "reflect", "antisymmetric", "antireflect", "smooth" or "line".
  function M.upfirdn(...)
    local what = "upfirdn"
    local o = util.bind(what, { "h", "x", "up", "down", "axis", "mode", "cval", axis = "integer", mode = "string",
      cval = "number" }, ...)
    util.present(what, o, { "h", "x" })
    local up, down = positive(what, "up", o.up or 1), positive(what, "down", o.down or 1)
    local dtype = nd.result_type(arr(o.h), arr(o.x), "float32")
    local h, x = arr(o.h):astype(dtype), arr(o.x):astype(dtype)
    if h.ndim ~= 1 or h.size == 0 then util.raise("ValueError", "upfirdn: h is a vector, not empty") end
    local axis = axis_of(what, x, o.axis or -1)
    x = nd.moveaxis(x, axis, -1)
    local shape = x.shape
    if shape[#shape] == 0 then util.raise("ValueError", "upfirdn: there is nothing along axis %d", axis) end
    local long, more = (shape[#shape] - 1) * up + h.size, 0
    if (o.mode or "constant") ~= "constant" or (o.cval or 0) ~= 0 then
      more = (h.size - 1) // up + 1
      x = around(what, x, o.mode or "constant", o.cval, more)
    end
    local n = shape[#shape] + 2 * more
    local rows = x:reshape({ x.size // n, n })
    local wide = nd.zeros({ rows.shape[1], n * up + h.size }, dtype)
    wide[(":, :%d:%d"):format(n * up, up)] = rows
    -- Element k of the result is the sum of h[j] * wide[k - j]: one step for each coefficient, all rows together.
    local out = nd.zeros({ rows.shape[1], n * up + h.size }, dtype)
    for j = 0, h.size - 1 do
      local part = out[(":, %d:"):format(j)]
      part:assign(part + wide[(":, :%d"):format(wide.shape[2] - j)] * h[("%d:%d"):format(j, j + 1)])
    end
    out = out[(":, %d:%d:%d"):format(more * up, more * up + long, down)]
    shape[#shape] = out.shape[2]
    return nd.moveaxis(out:copy():reshape(shape), -1, axis)
  end

  local function common(a, b)
    while b > 0 do a, b = b, a % b end
    return a
  end
  local BACKGROUND = { mean = nd.mean, median = nd.median, minimum = nd.min, maximum = nd.max }
  -- What x goes on as: what is taken away before and added behind, or how x is made longer at both ends of its axis by
  -- whole steps of `down`, and by how many elements.
  local function extended(x, axis, o, taps, up, down)
    local how = o.padtype or "constant"
    if o.cval and how ~= "constant" then
      util.raise("ValueError", "resample_poly: cval is for the padtype 'constant', not '%s'", how)
    end
    if BACKGROUND[how] then
      local level = BACKGROUND[how](x, { axis = axis, keepdims = true })
      return x - level, 0, level
    end
    if how == "constant" and (o.cval or 0) == 0 then return x, 0 end
    local more = (taps // up // down + 2) * down
    return nd.moveaxis(around("resample_poly: padtype", nd.moveaxis(x, axis, -1), how, o.cval, more), -1, axis), more
  end
  --- `resample_poly(x, up, down, {axis = 0, window = {"kaiser", 5.0}, padtype = "constant", cval = 0})`: x at up / down
  -- times its rate, by a filter that keeps what both rates hold; window may be the filter's coefficients. padtype: what
  -- lies around x: as for upfirdn, or its "mean", "median", "minimum", "maximum".
  function M.resample_poly(...)
    local o = util.bind("resample_poly", { "x", "up", "down", "axis", "window", "padtype", "cval",
      axis = "integer", padtype = "string", cval = "number" }, ...)
    util.present("resample_poly", o, { "x", "up", "down" })
    local up, down = positive("resample_poly", "up", o.up), positive("resample_poly", "down", o.down)
    local x = help.floats(arr(o.x))
    local axis = axis_of("resample_poly", x, o.axis or 0)
    local g = common(up, down)
    up, down = up // g, down // g
    if up == 1 and down == 1 then return arr(o.x):copy() end
    local n = x.shape[axis + 1]
    if n == 0 then util.raise("ValueError", "resample_poly: there is nothing along axis %d", axis) end
    local long = -(-n * up // down)
    local h, half = o.window
    if util.is_array(h) or type(h) == "table" and type(h[1]) == "number" then
      h = help.floats(arr(h))
      if h.ndim ~= 1 or h.size == 0 then
        util.raise("ValueError", "resample_poly: window is a vector that is not empty")
      end
      half = (h.size - 1) // 2
    else
      local most = math.max(up, down)
      half = 10 * most
      h = M.firwin(2 * half + 1, 1 / most, { window = h or { "kaiser", 5.0 } }):astype(x.dtype)
    end
    h = h * (up + 0.0)
    local before = down - half % down
    local cut, after = (half + before) // down, 0
    while ((n - 1) * up + h.size + before + after - 1) // down + 1 < long + cut do after = after + 1 end
    h = nd.concatenate({ nd.zeros(before, h.dtype), h, nd.zeros(after, h.dtype) })
    local wide, more, level = extended(x, axis, o, h.size, up, down)
    cut = cut + more * up // down
    local y = nd.moveaxis(M.upfirdn(h, wide, { up = up, down = down, axis = axis }), axis, -1)
    y = nd.moveaxis(y[("..., %d:%d"):format(cut, cut + long)], -1, axis)
    return level and y + level or y
  end

  -- What the frequencies of n samples are multiplied by: a function's values, an array, or a window by its name.
  local function weights(window, n)
    if type(window) == "function" then window = window(nd.fft.fftfreq(n))
    elseif type(window) ~= "table" and not util.is_array(window) or type(window) == "table"
      and type(window[1]) == "string" then
      return nd.fft.fftshift(M.get_window(window, n))
    end
    window = help.floats(arr(window))
    if window.ndim ~= 1 or window.size ~= n then
      util.raise("ValueError", "resample: window is a vector of %d frequencies", n)
    end
    return window
  end
  --- `resample(x, num, {axis = 0, window, domain = "time", t})`: num samples of a periodic signal, by its Fourier
  -- transform, which x is where domain is "freq", times window (a name, an array, or a function of the frequencies);
  -- with the times t of x also those of the samples.
  function M.resample(...)
    local o = util.bind("resample", { "x", "num", "axis", "window", "domain", "t", axis = "integer",
      domain = "string" }, ...)
    util.present("resample", o, { "x", "num" })
    local domain = o.domain or "time"
    if domain ~= "time" and domain ~= "freq" then
      util.raise("ValueError", "resample: domain is 'time' or 'freq', not '%s'", domain)
    end
    local num, x = positive("resample", "num", o.num), help.floats(arr(o.x))
    local axis = axis_of("resample", x, o.axis or 0)
    x = nd.moveaxis(x, axis, -1)
    local n = x.shape[x.ndim]
    if n == 0 then util.raise("ValueError", "resample: there is nothing along axis %d", axis) end
    local X, few = domain == "time" and nd.fft.fft(x) or x, math.min(num, n)
    if o.window ~= nil then
      local weighted = X * weights(o.window, n)
      X = X.dtype == "complex64" and weighted:astype("complex64") or weighted
    end
    local shape = X.shape
    shape[#shape] = num
    local Y = nd.zeros(shape, X.dtype)
    local low, high = few // 2 + 1, (few - 1) // 2
    Y[("..., :%d"):format(low)] = X[("..., :%d"):format(low)]
    if high > 0 then Y[("..., -%d:"):format(high)] = X[("..., -%d:"):format(high)] end
    if few % 2 == 0 and num ~= n then -- the fastest of the fewer stands for two
      local middle = ("..., %d:%d"):format(few // 2, few // 2 + 1)
      if num < n then
        Y[middle] = X[middle] + X[("..., %d:%d"):format(n - few // 2, n - few // 2 + 1)]
      else
        Y[middle] = X[middle] * 0.5
        Y[("..., %d:%d"):format(num - few // 2, num - few // 2 + 1)] = X[middle] * 0.5
      end
    end
    local y = nd.fft.ifft(Y) * (num / n)
    y = nd.moveaxis((x.dtype:find("^c") or domain == "freq") and y or nd.real(y):copy(), -1, axis)
    if o.t == nil then return y end
    local t = arr(o.t):reshape({ -1 }):astype("float64")
    if t.size < 2 then util.raise("ValueError", "resample: t has at least two times") end
    return y, nd.arange(num) * ((t[1] - t[0]) * n / num) + t[0]
  end

  --- `decimate(x, q, {n, ftype = "iir", axis = -1, zero_phase = true})`: every q-th element of x behind a filter for
  -- what the lower rate does not hold: Chebyshev's of order n (8), or for "fir" one of n + 1 coefficients (20 q).
  function M.decimate(...)
    local o = util.bind("decimate", { "x", "q", "n", "ftype", "axis", "zero_phase", n = "integer", ftype = "string",
      axis = "integer", zero_phase = "boolean" }, ...)
    util.present("decimate", o, { "x", "q" })
    local q, x, kind = positive("decimate", "q", o.q), help.floats(arr(o.x)), o.ftype or "iir"
    local axis = axis_of("decimate", x, o.axis or -1)
    local dtype = x.dtype:find("float16") and "float64" or x.dtype
    if kind == "iir" then
      local sos = M.cheby1(o.n or 8, 0.05, 0.8 / q, { output = "sos" })
      x = o.zero_phase == false and M.sosfilt(sos, x, axis) or M.sosfiltfilt(sos, x, { axis = axis })
    elseif kind == "fir" then
      local h = M.firwin((o.n or 20 * q) + 1, 1 / q, { window = "hamming" }):astype(dtype)
      if o.zero_phase ~= false then return M.resample_poly(x, 1, q, { axis = axis, window = h }):astype(dtype) end
      x = M.lfilter(h, { 1.0 }, x, axis)
    else
      util.raise("ValueError", "decimate: ftype is 'iir' or 'fir', not '%s'", kind)
    end
    x = nd.moveaxis(x, axis, -1)
    return nd.moveaxis(x[("..., ::%d"):format(q)]:astype(dtype):copy(), -1, axis)
  end

  --- `unit_impulse(shape, idx, dtype)`: zeros but for a 1 at idx (the first place; "mid": in the middle).
  function M.unit_impulse(shape, idx, dtype)
    local out = nd.zeros(shape, dtype)
    local at = {}
    for d, n in ipairs(out.shape) do
      at[d] = idx == nil and 0 or idx == "mid" and n // 2 or type(idx) == "table" and idx[d] or idx
    end
    out[at] = 1
    return out
  end

  -- Positions of elements that are compared as said with `order` neighbours on both sides.
  local function extrema(what, than)
    return function(data, ...)
      local o = util.bind(what, { "axis", "order", "mode", axis = "integer", order = "integer", mode = "string" }, ...)
      local x = arr(data)
      local axis, order = axis_of(what, x, o.axis or 0), positive(what, "order", o.order or 1)
      if o.mode ~= nil and o.mode ~= "clip" and o.mode ~= "wrap" then
        util.raise("ValueError", "%s: mode is 'clip' or 'wrap', not '%s'", what, o.mode)
      end
      local at, there = nd.arange(x.shape[axis + 1]), nd.ones(x.shape, "bool")
      for k = 1, order do
        for _, step in ipairs({ -k, k }) do
          there = nd.logical_and(there, than(x, nd.take(x, at + step, { axis = axis, mode = o.mode or "clip" })))
        end
      end
      return nd.nonzero(there)
    end
  end
  -- `argrelmax(data, {axis = 0, order = 1, mode = "clip"})`: where elements are above `order` neighbours on both sides.
  M.argrelmax = extrema("argrelmax", function(a, b) return nd.gt(a, b) end)
  -- `argrelmin(data, {axis = 0, order = 1, mode = "clip"})`: where elements are below `order` neighbours on both sides.
  M.argrelmin = extrema("argrelmin", function(a, b) return nd.lt(a, b) end)
end
