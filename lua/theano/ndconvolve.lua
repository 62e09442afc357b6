--- Convolutions and correlations of arrays: `nd.signal.convolve`, `correlate`, `fftconvolve`, `convolve2d`. Installed
-- by theano.ndsignal.
-- @module theano.ndconvolve
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd, M)
  local arr = core.asarray

  local function sizes(a, b)
    local full = {}
    for d = 1, a.ndim do full[d] = a.shape[d] + b.shape[d] - 1 end
    return full
  end
  local function cut(full, start, shape)
    local index = {}
    for d, n in ipairs(shape) do index[d] = ("%d:%d"):format(start[d], start[d] + n) end
    return full[table.concat(index, ", ")]
  end
  -- The part of a full convolution that a mode names.
  local function part(what, full, a, b, mode)
    if mode == nil or mode == "full" then return full end
    local start, shape = {}, {}
    if mode == "same" then
      for d = 1, a.ndim do start[d], shape[d] = (b.shape[d] - 1) // 2, a.shape[d] end
    elseif mode == "valid" then
      for d = 1, a.ndim do
        start[d], shape[d] = b.shape[d] - 1, a.shape[d] - b.shape[d] + 1
        if shape[d] < 1 then
          util.raise("ValueError",
            "%s: for the mode 'valid' one array is at least as long as the other along every axis",
            what)
        end
      end
    else
      util.raise("ValueError", "%s: mode is 'full', 'same' or 'valid', not '%s'", what, tostring(mode))
    end
    return cut(full, start, shape)
  end
  -- Element i as an array of one element for each axis, so that its dtype counts.
  local function element(flat, i, ndim)
    local form = {}
    for d = 1, ndim do form[d] = 1 end
    return flat[("%d:%d"):format(i, i + 1)]:reshape(form)
  end
  local function directly(a, b) -- halves in float32, rounded once
    local dtype = nd.result_type(a, b)
    if dtype:find("float16") then return directly(a:astype("float32"), b:astype("float32")):astype(dtype) end
    local out = core.zeros(sizes(a, b), dtype)
    local flat = b:reshape({ -1 })
    local at = {}
    for d = 1, a.ndim do at[d] = 0 end
    for i = 0, flat.size - 1 do
      local place = cut(out, at, a.shape)
      place:assign(place + a * element(flat, i, a.ndim))
      for d = a.ndim, 1, -1 do
        at[d] = at[d] + 1
        if at[d] < b.shape[d] then break end
        at[d] = 0
      end
    end
    return out
  end
  -- By Fourier transforms of these lengths along axes; whole: of integers integers, else floats.
  local function by_transforms(a, b, whole, full, axes)
    local dtype = nd.result_type(a, b)
    local complex = dtype:find("^c")
    local r
    if complex then r = nd.fft.ifftn(nd.fft.fftn(a, full, axes) * nd.fft.fftn(b, full, axes), full, axes)
    else r = nd.fft.irfftn(nd.fft.rfftn(a, full, axes) * nd.fft.rfftn(b, full, axes), full, axes) end
    if not whole then return a.dtype:find("float16") and b.dtype:find("float16") and r:astype("float32") or r end
    return (dtype:find("f") or complex) and r:astype(dtype) or nd.rint(r):astype(dtype)
  end
  local function operands(what, a, b)
    a, b = arr(a), arr(b)
    if a.ndim ~= b.ndim then
      util.raise("ValueError", "%s: both arrays have as many dimensions, not %d and %d", what, a.ndim, b.ndim)
    end
    if a.ndim == 0 then a, b = a:reshape({ 1 }), b:reshape({ 1 }) end
    return a, b
  end
  local function longer(a, b)
    for d = 1, a.ndim do if b.shape[d] > a.shape[d] then return b end end
    return a
  end

  --- `convolve(in1, in2, mode, method)`: sums of products with in2 turned round and moved over in1, in any dimensions.
  -- Modes: "full", "same", "valid"; methods "direct", "fft", "auto".
  function M.convolve(in1, in2, mode, method)
    local a, b = operands("convolve", in1, in2)
    if mode == "valid" and longer(a, b) ~= a then a, b = b, a end
    if a.size == 0 or b.size == 0 then return nd.zeros(0, nd.result_type(a, b)) end
    method = method or "auto"
    if method ~= "auto" and method ~= "direct" and method ~= "fft" then
      util.raise("ValueError", "convolve: method is 'auto', 'direct' or 'fft', not '%s'", tostring(method))
    end
    local x, y = a, b
    if y.size > x.size then x, y = y, x end
    local exact = not nd.result_type(a, b):find("[fc]")
    local few = y.size <= 64 or exact or not (nd.all(nd.isfinite(a)) and nd.all(nd.isfinite(b)))
    local full
    if method == "direct" or method == "auto" and few then full = directly(x, y)
    else
      local axes = {}
      for d = 1, x.ndim do axes[d] = d - 1 end
      full = by_transforms(x, y, true, sizes(x, y), axes)
    end
    return part("convolve", full, a, b, mode)
  end
  -- The axes that are convolved, counted from 1; those along which one array has one element are broadcast.
  local function convolved_axes(a, b, axes)
    if util.is_array(axes) then axes = axes:reshape({ -1 }):tolist() end
    if type(axes) == "table" and #axes == 0 then
      util.raise("ValueError", "fftconvolve: axes has at least one axis")
    end
    local long, along = {}, {}
    for _, d in ipairs(help.axes_of("fftconvolve", a, axes)) do
      if a.shape[d + 1] ~= 1 and b.shape[d + 1] ~= 1 then long[#long + 1], along[d + 1] = d, true end
    end
    for d = 1, a.ndim do
      if not along[d] and a.shape[d] ~= b.shape[d] and a.shape[d] ~= 1 and b.shape[d] ~= 1 then
        util.raise("ValueError", "fftconvolve: along axis %d, which is not convolved, there are %d and %d elements",
          d - 1, a.shape[d], b.shape[d])
      end
    end
    return long, along
  end
  local function swapped(a, b, along)
    local first, second = true, true
    for d in pairs(along) do
      first, second = first and a.shape[d] >= b.shape[d], second and b.shape[d] >= a.shape[d]
    end
    if not (first or second) then
      util.raise("ValueError", "fftconvolve: for the mode 'valid' one array is at least as long as the other along "
        .. "every axis")
    end
    return not first
  end
  --- `fftconvolve(in1, in2, mode, axes)`: the same by Fourier transforms, of integers in floats; along axes, an integer
  -- or a list (all of them). Along the others, and where one array has one element, the arrays are broadcast.
  function M.fftconvolve(...)
    local o = util.bind("fftconvolve", { "in1", "in2", "mode", "axes", mode = "string",
      axes = "integer|table|ndarray" }, ...)
    util.present("fftconvolve", o, { "in1", "in2" })
    local mode, axes = o.mode or "full", o.axes
    local a, b = operands("fftconvolve", o.in1, o.in2)
    if mode ~= "full" and mode ~= "same" and mode ~= "valid" then
      util.raise("ValueError", "fftconvolve: mode is 'full', 'same' or 'valid', not '%s'", tostring(mode))
    end
    if a.size == 0 or b.size == 0 then return nd.zeros(0) end
    local long, along = convolved_axes(a, b, axes)
    if mode == "valid" and swapped(a, b, along) then a, b = b, a end
    local lengths, start, shape = {}, {}, {}
    for i, d in ipairs(long) do lengths[i] = a.shape[d + 1] + b.shape[d + 1] - 1 end
    local full = #long == 0 and a * b or by_transforms(a, b, false, lengths, long)
    if mode == "full" then return full end
    for d = 1, a.ndim do
      local n = full.shape[d]
      shape[d] = mode == "same" and a.shape[d] or along[d] and a.shape[d] - b.shape[d] + 1 or n
      start[d] = (n - shape[d]) // 2
    end
    return cut(full, start, shape)
  end
  M.oaconvolve = M.fftconvolve
  local function turned(b)
    local index = {}
    for d = 1, b.ndim do index[d] = "::-1" end
    return nd.conj(b[table.concat(index, ", ")])
  end
  --- `correlate(in1, in2, mode, method)`: sums of products with conj(in2) moved over in1.
  function M.correlate(in1, in2, mode, method)
    local a, b = operands("correlate", in1, in2)
    if mode == "valid" and longer(a, b) ~= a then
      return turned(arr(M.convolve(b, turned(a), mode, method)))
    end
    return M.convolve(a, turned(b), mode, method)
  end
  local AROUND = { fill = "constant", wrap = "wrap", symm = "symmetric" }
  --- `convolve2d(in1, in2, {mode = "full", boundary = "fill", fillvalue = 0})`: convolve of matrices; around in1 are
  -- the fillvalue, in1 again ("wrap"), or in1 as in mirrors ("symm").
  function M.convolve2d(...)
    local o = util.bind("convolve2d", { "in1", "in2", "mode", "boundary", "fillvalue", mode = "string",
      boundary = "string", fillvalue = "number" }, ...)
    util.present("convolve2d", o, { "in1", "in2" })
    local a, b = operands("convolve2d", o.in1, o.in2)
    if a.ndim ~= 2 then util.raise("ValueError", "convolve2d: matrices are expected, not %d dimensions", a.ndim) end
    local around = AROUND[o.boundary or "fill"]
    if not around then
      util.raise("ValueError", "convolve2d: boundary is 'fill', 'wrap' or 'symm', not '%s'", o.boundary)
    end
    local plain = around == "constant" and (o.fillvalue or 0) == 0
    if plain or o.mode == "valid" or a.size == 0 or b.size == 0 then return M.convolve(a, b, o.mode, "direct") end
    local more = { { b.shape[1] - 1, b.shape[1] - 1 }, { b.shape[2] - 1, b.shape[2] - 1 } }
    local wide = nd.pad(a, more, { mode = around, constant_values = around == "constant" and o.fillvalue or nil })
    return part("convolve2d", arr(M.convolve(wide, b, "valid", "direct")), a, b, o.mode)
  end
  --- `correlation_lags(in1_len, in2_len, mode)`: how far in2 is moved for each element of correlate.
  function M.correlation_lags(in1_len, in2_len, mode)
    util.expect("correlation_lags", "in1_len", in1_len, "number")
    util.expect("correlation_lags", "in2_len", in2_len, "number")
    local lags = nd.arange(-in2_len + 1, in1_len)
    if mode == nil or mode == "full" then return lags end
    if mode == "same" then
      local from = lags.size // 2 - in1_len // 2
      return lags[("%d:%d"):format(from, from + in1_len)]
    end
    local n = in1_len - in2_len
    return n >= 0 and nd.arange(n + 1) or nd.arange(n, 1)
  end
end
