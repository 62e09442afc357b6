--- NumPy's functions that look at an array otherwise: views, wherever NumPy gives views. `install(nd, methods)` puts
-- them into the module and its arrays.
-- @module theano.ndviews
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd, methods)
  local arr = core.asarray
  local transposed = methods.transpose

  -- Axes as a sequence of numbers from 0 on, each once.
  local function places(what, a, axes)
    local out, seen = {}, {}
    for i, d in ipairs(type(axes) == "table" and util.list(what .. ": the axes", axes) or { axes }) do
      d = help.axis_of(what, a, d)
      if seen[d] then util.raise("ValueError", "%s: axis %d stands twice", what, d) end
      out[i], seen[d] = d, true
    end
    return out
  end

  --- `transpose(a, axes)`: the dimensions reversed, or in the order of axes (a sequence, or one behind the other).
  function nd.transpose(a, ...)
    local first = ...
    if util.is_keywords(first) then
      util.check_keywords("transpose", first, { axes = "table" })
      return transposed(arr(a), first.axes)
    end
    return transposed(arr(a), ...)
  end
  --- The axes `source` (one, or a sequence) moved to the places `destination`.
  function nd.moveaxis(a, source, destination)
    a = arr(a)
    local from = places("moveaxis", a, util.needed("moveaxis", "source", source))
    local to = places("moveaxis", a, util.needed("moveaxis", "destination", destination))
    if #from ~= #to then util.raise("ValueError", "moveaxis: %d axes to move to %d places", #from, #to) end
    local order, taken = {}, util.set(from)
    for i, d in ipairs(to) do order[d + 1] = from[i] end
    local at = 1
    for d = 0, a.ndim - 1 do
      if not taken[d] then
        while order[at] do at = at + 1 end
        order[at] = d
      end
    end
    return transposed(a, order)
  end
  --- Two axes exchanged.
  function nd.swapaxes(a, axis1, axis2)
    a = arr(a)
    axis1, axis2 = help.axis_of("swapaxes", a, axis1), help.axis_of("swapaxes", a, axis2)
    local order = {}
    for d = 1, a.ndim do order[d] = d - 1 end
    order[axis1 + 1], order[axis2 + 1] = axis2, axis1
    return transposed(a, order)
  end
  methods.swapaxes = nd.swapaxes

  local diagonal_of, diag_of = nd.diagonal, nd.diag
  -- The axes of a diagonal where they are good.
  local function axes(a, axis1, axis2)
    local function good(d) return math.type(d) == "integer" and d >= -a.ndim and d < a.ndim and d % a.ndim end
    axis1, axis2 = good(axis1), good(axis2)
    if axis1 and axis2 and axis1 ~= axis2 then return axis1, axis2 end
  end
  --- `diagonal(a, offset, axis1, axis2)`: a diagonal of two axes, as the last axis: a view that is read alone.
  function nd.diagonal(...)
    local o = util.bind("diagonal", { "a", "offset", "axis1", "axis2" }, ...)
    if o.a ~= nil and not util.is_var(o.a) and (o.offset == nil or math.type(o.offset) == "integer") then
      local a = arr(o.a)
      local first, second = axes(a, o.axis1 or 0, o.axis2 or 1)
      if a.ndim >= 2 and first then return nd.diagonal(a, o.offset or 0, first, second) end -- the short way
    end
    return diagonal_of(...)
  end
  methods.diagonal = function(a, ...) return nd.diagonal(a, ...) end
  --- `diag(v, k)`: diagonal k of a matrix, a view that is read alone; the matrix with the vector v there.
  function nd.diag(...)
    local o = util.bind("diag", { "v", "k" }, ...)
    if o.v ~= nil and not util.is_var(o.v) and (o.k == nil or math.type(o.k) == "integer") then
      local v = arr(o.v)
      if v.ndim >= 2 then return nd.diagonal(v, o.k or 0, 0, 1) end
    end
    return diag_of(...)
  end

  --- Without the axes of length 1, or without those that are named.
  function nd.squeeze(a, axis)
    a = arr(a)
    if a.ndim == 0 and (axis == 0 or axis == -1) then axis = nil end -- which NumPy lets pass
    local shape, out = {}, {}
    for _, d in ipairs(type(axis) == "table" and util.list("squeeze: axis", axis) or { axis }) do
      if math.type(d) ~= "integer" or d < -a.ndim or d >= a.ndim or out[d % a.ndim] then
        util.raise("ValueError", "squeeze: axis %s does not fit an array of %d dimensions", util.text(d), a.ndim)
      end
      local length = a.shape[d % a.ndim + 1]
      if length ~= 1 then
        util.raise("ValueError", "squeeze: axis %d has length %d, and 1 alone can be left out", d % a.ndim, length)
      end
      out[d % a.ndim] = true
    end
    for d, n in ipairs(a.shape) do if not out[d - 1] and (axis or n ~= 1) then shape[#shape + 1] = n end end
    return a:reshape(shape)
  end
  methods.squeeze = nd.squeeze
  -- The axes in the opposite order, for NumPy's order = "F": elements are then walked with the first one fastest.
  local function turned(what, a, order)
    if order ~= "F" then util.raise("ValueError", "%s: order is 'C' or 'F', not %s", what, util.text(order)) end
    return a.ndim > 1 and a:transpose() or a
  end
  local function in_columns(a, shape)
    local back = {}
    for _, n in ipairs(type(shape) == "table" and util.list("reshape: shape", shape) or { shape }) do
      table.insert(back, 1, n)
    end
    local r = a:reshape(back)
    return r.ndim > 1 and r:transpose() or r
  end
  --- `ravel(a, order)`: the elements in order as a vector; "F": the first axis fastest.
  function nd.ravel(a, order)
    a = arr(a)
    if order == nil or order == "C" then return a:reshape({ -1 }) end
    return turned("ravel", a, order):reshape({ -1 })
  end
  methods.ravel = nd.ravel
  --- The elements in order in another shape, in which one length may be -1.
  function nd.reshape(a, shape, ...)
    a = arr(a)
    if util.is_keywords(shape) then
      util.check_keywords("reshape", shape, { shape = "integer|table|ndarray", newshape = "integer|table|ndarray" })
      shape = shape.shape or shape.newshape
    end
    local last = select("#", ...) > 0 and select(-1, ...)
    if util.is_keywords(last) then
      util.check_keywords("reshape", last, { order = "string" })
      if last.order ~= "C" then return in_columns(turned("reshape", a, last.order), shape) end
      return nd.reshape(a, shape)
    end
    if util.is_array(shape) then shape = nd.atleast_1d(shape):tolist() end
    return a:reshape(shape, ...)
  end
end
