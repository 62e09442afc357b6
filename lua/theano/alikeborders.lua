--- Borders around tensors: NumPy's `pad`, for Variables and arrays alike (see theano.alike). Its gradient follows from
-- what it is made of; in graphs lengths and widths may be symbolic.
-- @module theano.alikeborders
local core = require("theano.core")
local util = require("theano.util")

return function(M, K)
  local as, order, len, part = K.as, K.order, K.len, K.part

  local function discrete(x) return not x.dtype:find("[fc]") end
  local function most(a, b)
    if type(a) == "number" and type(b) == "number" then return math.max(a, b) end
    return M.maximum(a, b)
  end
  -- A vector along one of the axes of x.
  local function along(v, x, axis)
    local pattern = {}
    for d = 1, x.ndim do pattern[d] = d == axis + 1 and 0 or "x" end
    return order(as(v), pattern)
  end
  -- The first (0) or the last (-1) of an axis, which stays, of length 1.
  local function edge_of(x, axis, i)
    local pattern, n = {}, 0
    for d = 1, x.ndim do
      pattern[d] = d == axis + 1 and "x" or n
      if d ~= axis + 1 then n = n + 1 end
    end
    return order(as(M.take(x, i, { axis = axis })), pattern)
  end
  local function length_of(x, axis, n)
    local shape = {}
    for d = 0, x.ndim - 1 do shape[d + 1] = d == axis and n or len(x, d) end
    return shape
  end

  -- ---- elements that come again -------------------------------------------------------------------------------------
  -- Positions in an axis of length n for the positions `at`, which may lie in front of it and behind it.
  local INSIDE = {
    edge = function(at, n) return M.clip(at, 0, n - 1) end,
    wrap = function(at, n) return M.mod(at, n) end,
    symmetric = function(at, n)
      local turn = M.mod(at, 2 * n)
      return M.minimum(turn, 2 * n - 1 - turn)
    end,
    reflect = function(at, n)
      local turn = M.mod(at, most(2 * (n - 1), 1))
      return M.minimum(turn, 2 * (n - 1) - turn)
    end,
  }
  local PERIOD = { -- after which a mirrored axis comes again
    symmetric = function(n) return 2 * n end,
    reflect = function(n) return most(2 * (n - 1), 1) end,
  }

  -- What is mirrored, turned about the values at the edges too: each period lies as much higher as the axis rises.
  local function odd(x, axis, at, n, mode, mirrored)
    local period = PERIOD[mode](n)
    local turn = as(M.mod(at, period))
    local times, back = along(M.int_div(at - turn, period), x, axis), along(M.gt(turn, n - 1), x, axis)
    local first, last = edge_of(x, axis, 0), edge_of(x, axis, -1)
    local function risen(m) -- by m periods; infinite edges do not rise by 0
      return M.switch(M.eq(m, 0), K.number(0, x.dtype), as(m):astype(x.dtype) * (2 * (last - first)))
    end
    local left = M.lt(times, 0)
    local turned = M.switch(left, 2 * first - mirrored + risen(times + 1), 2 * last - mirrored + risen(times))
    return K.to(as(M.switch(back, turned, mirrored + risen(times))), x.dtype)
  end
  local function by_positions(x, axis, w, g)
    local n = len(x, axis)
    local at = as(M.arange(-w[1], n + w[2], 1, "int64"))
    local r = as(M.take(x, INSIDE[g.mode](at, n), { axis = axis }))
    return g.reflect_type == "odd" and odd(x, axis, at, n, g.mode, r) or r
  end

  -- ---- values in front and behind -----------------------------------------------------------------------------------
  local function bordered(x, axis, w, before, after)
    local parts = { x }
    local function block(v, n)
      local shape = length_of(x, axis, n)
      if type(v) == "number" or core.kind(v) == "complex" then return K.filled(shape, v, x.dtype) end
      return K.spread(K.to(as(v), x.dtype), shape)
    end
    if w[1] ~= 0 then table.insert(parts, 1, block(before, w[1])) end
    if w[2] ~= 0 then parts[#parts + 1] = block(after, w[2]) end
    return #parts > 1 and M.concatenate(parts, axis) or x
  end

  local function rounded(x, m) return discrete(x) and M.round_half_to_even(as(m)) or as(m) end
  local STATISTIC = {
    maximum = function(x, axis) return M.max(x, { axis = axis, keepdims = true }) end,
    minimum = function(x, axis) return M.min(x, { axis = axis, keepdims = true }) end,
    mean = function(x, axis) return rounded(x, M.mean(x, { axis = axis, keepdims = true })) end,
    median = function(x, axis) return rounded(x, M.median(x, axis, true)) end,
  }
  local function by_statistic(x, axis, w, g, lengths)
    local of = STATISTIC[g.mode]
    if not lengths then
      local v = of(x, axis)
      return bordered(x, axis, w, v, v)
    end
    return bordered(x, axis, w, of(part(x, axis, 0, lengths[1]), axis), of(part(x, axis, -lengths[2]), axis))
  end

  -- From the end value to the edge, which is not reached.
  local function ramp(x, axis, w, values)
    local function side(v, n, edge)
      local span = most(n, 1)
      local wide = x.dtype:find("^c") and "complex128" or "float64"
      local step = (as(edge):astype(wide) - v) / (type(span) == "number" and span or as(span):astype("float64"))
      local line = along(M.arange(n), x, axis) * step + v
      return K.to(as(discrete(x) and M.floor(line) or line), x.dtype)
    end
    local behind = M.flip(side(values[2], w[2], edge_of(x, axis, -1)), axis)
    return M.concatenate({ side(values[1], w[1], edge_of(x, axis, 0)), x, behind }, axis)
  end

  -- ---- the function -------------------------------------------------------------------------------------------------
  local function width(v, place)
    if math.type(v) == "integer" and v >= 0 then return v end
    if not K.plain and util.is_var(v) and v.ndim == 0 and v.dtype:find("int") then return M.cast(v, "int64") end
    if math.type(v) == "integer" then util.raise("ValueError", "%s is %d: a width cannot be negative", place, v) end
    return util.raise("TypeError", "%s is %s, an integer%s is expected", place, util.kind_of(v),
      K.plain and "" or " or an integer scalar")
  end
  local function number(v, place)
    if type(v) == "number" or core.kind(v) == "complex" then return v end
    if K.plain or v == nil then
      util.raise("TypeError", "%s is %s, a number is expected", place, util.kind_of(v))
    end
    local c = as(v)
    if c.ndim ~= 0 then util.raise("ValueError", "%s has %d dimensions, a scalar is expected", place, c.ndim) end
    return c
  end
  local function positive(v, place)
    if math.type(v) == "integer" and v >= 1 then return v end
    return util.raise("ValueError", "%s is %s, at least 1 is expected", place, util.text(v))
  end

  local PAD = { "array", "pad_width", "mode", "constant_values", "end_values", "stat_length", "reflect_type",
    mode = "string", reflect_type = "string" }
  if K.plain then PAD.constant_values, PAD.end_values = "number|table|ndarray|complex", "number|table|ndarray" end
  local ONLY = { constant_values = { constant = true }, end_values = { linear_ramp = true }, stat_length = STATISTIC,
    reflect_type = PERIOD }
  local MODES = { "constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean",
    "median", "empty" }

  local function checked(g)
    if g.array == nil or g.pad_width == nil then
      util.raise("TypeError", "pad: argument '%s' is missing", g.array == nil and "array" or "pad_width")
    end
    if not util.set(MODES)[g.mode] then
      util.raise("ValueError", "pad: the mode is one of \"%s\", not \"%s\"", table.concat(MODES, "\", \""), g.mode)
    end
    for name, modes in pairs(ONLY) do
      if g[name] ~= nil and not modes[g.mode] then
        util.raise("ValueError", "pad: %s are for other modes than \"%s\"", name, g.mode)
      end
    end
    if g.reflect_type ~= nil and g.reflect_type ~= "even" and g.reflect_type ~= "odd" then
      util.raise("ValueError", "pad: reflect_type is \"even\" or \"odd\", not \"%s\"", g.reflect_type)
    end
  end

  --- `pad(array, pad_width, {mode = "constant", constant_values = 0, end_values = 0, stat_length, reflect_type})`: more
  -- elements before and behind each axis. pad_width, and the values: one for all, `{before, after}`, or
  -- `{{before, after}, ..}` for each axis. Modes: "constant", "edge" (the last one again), "reflect" and "symmetric"
  -- (mirrored, without and with the edge; with `reflect_type = "odd"` turned about its value), "wrap" (from the other
  -- side), "linear_ramp" (to the end values), "maximum", "minimum", "mean", "median" (of the axis, or of `stat_length`
  -- elements at its end), "empty" (zeros).
  function M.pad(...)
    local g = util.bind("pad", PAD, ...)
    g.mode = g.mode or "constant"
    checked(g)
    local x = as(g.array)
    local function pairs_of(name, otherwise, check)
      return util.pairs_by_axis("pad: " .. name, g[name] == nil and otherwise or g[name], x.ndim, check)
    end
    local widths, constants = pairs_of("pad_width", nil, width), pairs_of("constant_values", 0, number)
    local ends = pairs_of("end_values", 0, number)
    local lengths = g.stat_length ~= nil and pairs_of("stat_length", nil, positive)
    local out = K.plain and x:copy() or x
    for d = 0, x.ndim - 1 do
      local w, constant = widths[d + 1], g.mode == "constant" or g.mode == "empty"
      if w[1] ~= 0 or w[2] ~= 0 then
        local empty = ("pad: axis %d is empty: only the mode 'constant' can pad it, not \"%s\""):format(d, g.mode)
        if not constant and K.known(out, d) == 0 then util.raise("ValueError", "%s", empty) end
        -- the other modes take an element or a largest of it, which is not there
        if g.mode == "mean" and not K.known(out, d) then out = M.opt.Assert(empty)(out, M.gt(len(out, d), 0)) end
        if constant then out = bordered(out, d, w, table.unpack(constants[d + 1]))
        elseif INSIDE[g.mode] then out = by_positions(out, d, w, g)
        elseif g.mode == "linear_ramp" then out = ramp(out, d, w, ends[d + 1])
        else out = by_statistic(out, d, w, g, lengths and lengths[d + 1]) end
      end
    end
    return out
  end
end
