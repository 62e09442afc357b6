--- The methods that NumPy's elementwise functions have: `nd.ufunc(nd.add)` holds those of `np.add`. Functions are Lua
-- functions here and have no fields, so the methods stand in an object that is made of one.
-- @module theano.ndufunc
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

local M = {}
local PARTED, FEW = 128, 16 -- elements of a vector that goes by parts; columns
local arr = core.asarray
local options = help.options

-- What is known of a function of two by its name: `unit` what changes nothing; `way` the function that reduces at once,
-- `runs` the one that accumulates; `any`: it may take neighbours together in any order, with the same bits; `pairs`: it
-- does so, with bits of its own.
local KNOWN = {
  add = { unit = 0, way = "sum", runs = "cumsum" }, multiply = { unit = 1, way = "prod", runs = "cumprod" },
  maximum = { way = "max", any = true }, minimum = { way = "min", any = true },
  fmax = { any = true }, fmin = { any = true },
  logical_and = { unit = true, way = "all", any = true }, logical_or = { unit = false, way = "any", any = true },
  logical_xor = { unit = false, any = true }, bitwise_and = { unit = -1, any = true },
  bitwise_or = { unit = 0, any = true }, bitwise_xor = { unit = 0, any = true },
  gcd = { unit = 0, any = true }, lcm = { any = true }, hypot = { unit = 0, pairs = true },
  logaddexp = { unit = -math.huge, pairs = true }, logaddexp2 = { unit = -math.huge, pairs = true },
}

local function is_bool(name) return name and name:find("^logical_") ~= nil end

local function axis_of(what, a, axis)
  if a.ndim == 0 then util.raise("TypeError", "%s: an array without dimensions has nothing to go along", what) end
  return help.axis_of(what, a, axis == nil and 0 or axis)
end

local function front(nd, a, axis) return axis == 0 and a or nd.moveaxis(a, axis, 0) end

-- Elements [from, to) of the first axis, a view.
local function rows(a, from, to) return a[("%d:%d"):format(from, to)] end

-- What subtracts is what adds opposites, from the first to the last.
local SIGNED = { float64 = true, float32 = true, int64 = true, complex128 = true }
local function with_opposites(u, a)
  if u.name ~= "subtract" or not SIGNED[a.dtype] or a.shape[1] < 2 then return nil end
  local all = -a
  all[0] = a[0]
  return all
end

-- What u makes of ones of a's dtype, as many as a row has: quotients of a's own elements may fail.
local function of_ones(u, a)
  local one = u.nd.ones_like(rows(a, 0, 1))
  return arr(u.fn(one, one)).dtype
end

-- The dtype that u makes of a's elements: what it reduces them in, as NumPy does; truth values stand for themselves.
local function closed(u, a)
  if not u.name then return a end
  local dtype = of_ones(u, a)
  return dtype ~= a.dtype and dtype ~= "bool" and a:astype(dtype) or a
end

-- The same by the engine, row by row or pair by pair; nil where the function is not the engine's, or may fail.
local function along(u, a, each)
  return u.func and core.along(u.func, u.nd.ascontiguousarray(a), each)
end

-- u of all of the first axis, which is not empty; operands keep their order.
local function folded(u, a)
  local added = with_opposites(u, a)
  local n = a.shape[1]
  if added then return rows(u.nd.cumsum(added, { axis = 0 }), n - 1, n) end
  a = closed(u, a)
  local r = along(u, a, false)
  if type(r) == "number" then return core.asarray(r, a.dtype) end -- of a vector, as a value of Lua's
  if r then return arr(r) end
  while (u.known.any or u.known.pairs) and n > 1 do -- halves by neighbours: few calls of many elements
    local even = arr(u.fn(a[("0:%d:2"):format(n // 2 * 2)], a[("1:%d:2"):format(n // 2 * 2)]))
    a = n % 2 == 1 and u.nd.concatenate({ even, rows(a, n - 1, n):astype(even.dtype) }) or even
    n = a.shape[1]
  end
  if a.ndim == 1 then a = a:reshape({ n, 1 }) end
  r = a[0]
  for i = 1, n - 1 do r = u.fn(r, a[i]) end
  return arr(r)
end

local function unit_of(u, what, a)
  if u.known.unit == nil then
    util.raise("ValueError", "%s: of no element there is none, and %s has no identity: initial", what, u.name or "this")
  end
  return arr(u.known.unit):astype(a.dtype)
end

-- a as the method takes it: of a dtype, truth values for what is logical, widened as sums and products are.
local function taken(u, a, dtype)
  a = arr(a)
  if u.truth and a.dtype ~= "bool" then a = arr(u.nd.neq(a, 0)) end
  return dtype and a:astype(dtype) or a
end

local function reduce_along(u, what, a, axis, o)
  local all = front(u.nd, a, axis)
  local r
  if all.shape[1] == 0 then
    local shape = { table.unpack(all.shape, 2) }
    r = o.initial ~= nil and arr(o.initial) or unit_of(u, what, a)
    return u.nd.broadcast_to(r:astype(a.dtype), shape):copy()
  end
  r = folded(u, all)
  return o.initial ~= nil and arr(u.fn(arr(o.initial):astype(a.dtype), r)) or r
end

-- The axes of a reduction: the first one, unless something else is said; `nd.none` is all of them.
local function reduced_axes(nd, what, a, axis)
  if axis == nd.none then return help.axes_of(what, a, nil) end
  if axis == nil then return { axis_of(what, a, nil) } end
  return help.axes_of(what, a, axis)
end

-- A vector of what the engine does under another name, and nothing said; nil: the long way.
local function at_once(u, a, way)
  return way and util.is_array(a) and a.ndim == 1 and a.size > 0 and u.nd[way](a) or nil
end

-- The method with that of the engine in front, where nothing is said: of vectors, and few rows. each: all on the way.
local function along_first(u, each, method)
  if not u.func or u.known[each and "runs" or "way"] then return method end
  local parted = u.name == "subtract" or each and u.known.pairs
  return core.along_first(u.func, each, parted and PARTED or math.maxinteger, method)
end

local function reduce(u, a, ...)
  local whole = select("#", ...) == 0 and at_once(u, a, u.known.way)
  if whole then return whole end
  local nd, what = u.nd, u.called .. ".reduce"
  local o = options(what, { "axis", "dtype", "keepdims", "initial", "where" }, ...)
  a = taken(u, a, o.dtype)
  local axes = reduced_axes(nd, what, a, o.axis)
  if o.where ~= nil then
    a = arr(nd.where(o.where, a, o.initial ~= nil and arr(o.initial):astype(a.dtype) or unit_of(u, what, a)))
  end
  local simple = o.initial == nil or u.known.unit ~= nil
  if u.known.way and simple and (a.size > 0 or u.known.unit ~= nil) then
    local r = nd[u.known.way](a, { axis = axes, keepdims = o.keepdims })
    return o.initial ~= nil and u.fn(o.initial, r) or r
  end
  for i = #axes, 1, -1 do
    local shape = a.shape
    table.remove(shape, axes[i] + 1)
    if o.keepdims then table.insert(shape, axes[i] + 1, 1) end
    a = reduce_along(u, what, a, axes[i], i == 1 and o or {}):reshape(shape)
  end
  return help.result(a)
end

-- Of associative functions: every element meets the one 1, 2, 4, .. before it, which has met as many.
local function doubled(u, r)
  local n, step = r.shape[1], 1
  while step < n do
    r[("%d:"):format(step)] = u.fn(rows(r, 0, n - step), rows(r, step, n))
    step = 2 * step
  end
end

-- Of long ones of few columns: parts side by side, each by itself, then each with the last of all that is before it.
local function by_parts(u, a)
  local nd, n = u.nd, a.shape[1]
  local columns = a.size // n
  if not (u.known.any and columns > 1 or u.known.pairs) or n < PARTED or columns > FEW then return nil end
  local each = math.floor(n ^ 0.5)
  local parts = n // each
  local whole = each * parts
  local s = along(u, nd.swapaxes(rows(a, 0, whole):reshape({ parts, each, columns }), 0, 1), true)
  if not s then return nil end
  local before = along(u, s[each - 1], true)
  s[":, 1:"] = u.fn(before["None, :-1"], s[":, 1:"])
  s = nd.ascontiguousarray(nd.swapaxes(s, 0, 1)):reshape({ whole, columns })
  local rest = along(u, nd.concatenate({ rows(s, whole - 1, whole), rows(a, whole, n):reshape({ -1, columns }) }), true)
  return nd.concatenate({ s, rows(rest, 1, n - whole + 1) }):reshape(a.shape)
end

local function accumulate(u, a, ...)
  local whole = select("#", ...) == 0 and at_once(u, a, u.known.runs)
  if whole then return whole end
  local nd, what = u.nd, u.called .. ".accumulate"
  local o = options(what, { "axis", "dtype" }, ...)
  a = taken(u, a, o.dtype)
  local axis = axis_of(what, a, o.axis)
  if u.known.runs then return nd[u.known.runs](a, { axis = axis }) end
  if a.size == 0 then return a:copy() end
  local all = front(nd, a, axis)
  local r = all:astype(of_ones(u, all))
  local added = with_opposites(u, all)
  local quick = added and nd.cumsum(added, { axis = 0 }) or by_parts(u, r) or along(u, r, true)
  if quick then return nd.ascontiguousarray(axis == 0 and quick or nd.moveaxis(quick, 0, axis)) end
  if nd.shares_memory(r, a) then r = r:copy() end
  if u.known.any then doubled(u, r) else
    for i = 1, r.shape[1] - 1 do r[("%d:%d"):format(i, i + 1)] = u.fn(rows(r, i - 1, i), rows(all, i, i + 1)) end
  end
  return nd.ascontiguousarray(axis == 0 and r or nd.moveaxis(r, 0, axis))
end

-- Parts of a vector as rows of matrices, for what reduces rows at once: parts of up to `most` elements, and of more
-- than half as many, filled up with what changes nothing.
local FILL = { sum = 0, prod = 1, max = "first", min = "first" }
local function by_rows(u, a, starts, lengths)
  local nd, fill = u.nd, FILL[u.known.way]
  local longest, r = nd.max(lengths), nil
  local most = 1
  while most // 2 < longest do
    local which = nd.flatnonzero(nd.logical_and(nd.gt(lengths, most // 2), nd.le(lengths, most)))
    if which.size > 0 then
      local from, len = starts[which]:reshape({ -1, 1 }), lengths[which]:reshape({ -1, 1 })
      local place = nd.arange(nd.max(len))
      local inside = nd.lt(place, len)
      local m = a[nd.where(inside, from + place, from)]
      if fill ~= "first" then m = nd.where(inside, m, nd.array(fill):astype(a.dtype)) end
      local parts = arr(nd[u.known.way](m, { axis = 1 }))
      r = r or nd.zeros({ starts.size }, parts.dtype)
      r[which] = parts
    end
    most = most * 2
  end
  return r
end

-- What the engine does not: all parts take their second element, then those that have one their third; the longest come
-- first.
local function side_by_side(u, a, starts, lengths)
  local nd = u.nd
  if not u.name or of_ones(u, a) ~= a.dtype then return nil end
  local order = nd.argsort(-lengths, { kind = "stable" })
  local from, count = starts[order], nd.bincount(lengths):tolist()
  local r, longer = a[from], starts.size
  for j = 1, #count - 2 do
    longer = longer - count[j + 1]
    local some = ("0:%d"):format(longer)
    r[some] = u.fn(r[some], a[from[some] + j])
  end
  local result = nd.zeros({ starts.size }, a.dtype)
  result[order] = r
  return result
end

-- Each place once, and what fn makes of all its values in their order, where neighbours may be taken together: every
-- second one meets the next, until each is alone.
local function gathered(u, places, values)
  local nd = u.nd
  local order = nd.argsort(places, { kind = "stable" })
  local p, v = places[order], values[order]
  while true do
    local n = p.size
    local first = nd.concatenate({ { true }, nd.neq(rows(p, 1, n), rows(p, 0, n - 1)) })
    local starts = nd.flatnonzero(first)
    if starts.size == n then return p, v end
    local rank = nd.arange(n) - nd.repeat_(starts, nd.diff(nd.concatenate({ starts, { n } })))
    local at = nd.flatnonzero(nd.eq(rank % 2, 0))
    local next_ = nd.minimum(at + 1, n - 1)
    local alone = nd.logical_or(first[next_], nd.eq(at, n - 1))
    local both = arr(u.fn(v[at], v[next_]))
    p, v = p[at], nd.where(alone, v[at]:astype(both.dtype), both)
  end
end

-- By the engine where it is one of its functions that reduces or goes along rows; the same in Lua where that pays: many
-- parts, of bounds that are good.
local function quick_parts(u, a, indices)
  local MANY, LONG = 8, 4096
  local n = a.size
  if a.ndim ~= 1 or indices.ndim ~= 1 or indices.dtype ~= "int64" or indices.size == 0 then return nil end
  local r = u.parts and core.parts(u.nd.ascontiguousarray(a), u.nd.ascontiguousarray(indices), u.parts, u.joined)
  if r then return r end
  if indices.size < MANY or u.known.pairs or u.known.way and not FILL[u.known.way] then return nil end
  if a.dtype == "bool" or a.dtype:find("^complex") then return nil end
  if u.nd.min(indices) < 0 or u.nd.max(indices) >= n then return nil end
  local ends = u.nd.concatenate({ rows(indices, 1, indices.size), { n } })
  local lengths = u.nd.maximum(ends - indices, 1)
  if u.nd.max(lengths) > LONG then return nil end
  return (u.known.way and by_rows or side_by_side)(u, a, indices, lengths)
end

local function reduceat(u, a, indices, ...)
  local nd, what = u.nd, u.called .. ".reduceat"
  local o = options(what, { "axis", "dtype" }, ...)
  a, indices = taken(u, a, o.dtype), arr(indices)
  local axis = axis_of(what, a, o.axis)
  local quick = quick_parts(u, a, indices)
  if quick then return quick end
  indices = indices:tolist()
  if type(indices) ~= "table" then util.raise("TypeError", "%s: indices are a vector of positions", what) end
  local all, parts = front(nd, a, axis), {}
  local n = all.shape[1]
  for i, from in ipairs(indices) do
    local to = indices[i + 1] or n
    if math.type(from) ~= "integer" or from < 0 or from >= n then
      util.raise("IndexError", "%s: position %s is out of bounds for %d elements", what, util.text(from), n)
    end
    parts[i] = arr(reduce(u, rows(all, from, from < to and to or from + 1), { axis = 0, keepdims = true }))
  end
  local r = #parts > 0 and nd.concatenate(parts) or rows(all, 0, 0):copy()
  return nd.ascontiguousarray(axis == 0 and r or nd.moveaxis(r, 0, axis))
end

local function outer(u, a, b)
  a, b = arr(a), arr(b)
  local shape = a.shape
  for _ = 1, b.ndim do shape[#shape + 1] = 1 end
  return u.fn(a:reshape(shape), b)
end

-- ---- writing at positions ------------------------------------------------------------------------------------------
-- A table of numbers is a list of positions along the first axis; with arrays, texts or slices in it, a subscript.
local function subscript(at)
  if type(at) ~= "table" or getmetatable(at) ~= nil then return at end
  for _, each in ipairs(at) do
    if type(each) ~= "number" and (type(each) ~= "table" or getmetatable(each) ~= nil) then return at end
  end
  return arr(at)
end

-- Which time each position comes, from 0.
local function times(nd, places)
  local n = places.size
  local order = nd.argsort(places, { kind = "stable" })
  local sorted = places[order]
  local first = nd.concatenate({ { true }, nd.neq(rows(sorted, 1, n), rows(sorted, 0, n - 1)) })
  local starts = nd.flatnonzero(first)
  local lengths = nd.diff(nd.concatenate({ starts, { n } }))
  local turn = nd.zeros({ n }, "int64")
  turn[order] = nd.arange(n) - nd.repeat_(starts, lengths)
  return turn
end

local function is_whole(a) return a.dtype:find("^u?int") ~= nil end

-- Elements of the vector at places become fn of themselves and of values (nil: of themselves), one after the other
-- where a place comes again.
local function write(u, vector, places, values)
  local nd = u.nd
  local sums = u.name == "add" or u.name == "multiply"
  if values and (u.known.any or sums and is_whole(vector) and is_whole(values)) then
    places, values = gathered(u, places % vector.size, values)
    vector[places] = arr(u.fn(vector[places], values)):astype(vector.dtype)
    return
  end
  local turn = times(nd, places)
  local order, counts = nd.argsort(turn, { kind = "stable" }), nd.bincount(turn):tolist()
  local from = 0
  for _, count in ipairs(counts) do
    local now = rows(order, from, from + count)
    local at = places[now]
    local r = values and u.fn(vector[at], values[now]) or u.fn(vector[at])
    vector[at] = arr(r):astype(vector.dtype)
    from = from + count
  end
end

local function check_kind(u, what, a, values)
  local r = values and u.fn(rows(a, 0, 1), rows(values, 0, 1)) or u.fn(rows(a, 0, 1))
  if not u.nd.can_cast(arr(r).dtype, a.dtype, "same_kind") then
    util.raise("TypeError", "%s: the result is %s, which does not go into an array of %s", what, arr(r).dtype, a.dtype)
  end
end

-- What goes to its places in one loop: whether the short way took it.
local AT_ONCE = { add = "add", subtract = "add", multiply = "multiply", maximum = "maximum", minimum = "minimum" }
local function written(u, vector, places, values)
  local way = AT_ONCE[u.name]
  if not way or values == nil or vector.dtype:find("^u") then return false end
  if not u.nd.can_cast(values.dtype, vector.dtype, "safe") then return false end
  if values.dtype ~= vector.dtype then values = values:astype(vector.dtype) end
  return core.fold_at(vector, places, u.name == "subtract" and -values or values, way)
end

local function at(u, a, indices, values)
  local nd, what = u.nd, u.called .. ".at"
  util.expect(what, "a", a, "ndarray")
  if not a.flags.writeable then util.raise("ValueError", "%s: the array is read-only", what) end
  if values ~= nil then -- as they were before
    values = arr(values)
    if nd.shares_memory(values, a) then values = values:copy() end
  end
  local function spread(places)
    return values and nd.broadcast_to(values, places.shape):reshape({ -1 })
  end
  local picked = subscript(indices)
  if a.ndim == 1 and a.size > 0 and util.is_array(picked) and picked.dtype == "int64" and picked.ndim > 0 then
    local each = spread(picked)
    check_kind(u, what, a, each)
    if written(u, a, picked:reshape({ -1 }), each) then return end
  end
  local places = arr(nd.arange(a.size):reshape(a.shape)[picked])
  local each = spread(places)
  places = places:reshape({ -1 })
  if places.size == 0 then return end
  local vector = a:reshape({ -1 }) -- a view of what lies densely, else a copy
  check_kind(u, what, vector, each)
  if not written(u, vector, places, each) then write(u, vector, places, each) end
  if not nd.shares_memory(vector, a) then a:assign(vector:reshape(a.shape)) end
end

local METHODS = { reduce = reduce, accumulate = accumulate, reduceat = reduceat, outer = outer, at = at }

local Meta = { __name = "ufunc" }
Meta.__call = function(u, ...) return u.fn(...) end
Meta.__tostring = function(u) return ("<ufunc '%s'>"):format(u.name or "of a Lua function") end
Meta.__index = function(u, key)
  util.raise("AttributeError", "%s has no '%s' (known: accumulate, at, outer, reduce, reduceat)", tostring(u),
    tostring(key))
end

-- The name of a function of nd, that NumPy has: the one that says most.
local OTHERS = { "subtract", "divide", "power", "float_power", "floor_divide", "mod", "fmod", "arctan2", "copysign",
  "nextafter", "heaviside", "left_shift", "right_shift" }
local function name_of(nd, fn)
  for name in pairs(KNOWN) do
    if rawget(nd, name) == fn then return name end
  end
  for _, name in ipairs(OTHERS) do
    if rawget(nd, name) == fn then return name end
  end
end

--- The ufunc of a function, or of the name of one of nd's.
function M.of(nd, fn)
  local name = type(fn) == "string" and fn
  if name then fn = nd[name] end
  if getmetatable(fn) == Meta then return fn end
  if type(fn) ~= "function" then
    util.raise("TypeError", "ufunc: a function of one or two arrays is expected, or the name of one, not %s",
      util.kind_of(fn))
  end
  name = name_of(nd, fn) or name
  local u = { nd = nd, fn = fn, name = name, known = name and KNOWN[name] or {}, called = name or "ufunc" }
  u.func = name and core.function_number(name)
  u.parts = (not u.known.way or FILL[u.known.way]) and u.func or false
  u.joined = u.known.way and core.function_number(u.known.way) or u.known.pairs or false
  u.truth = is_bool(name) or false
  for key, method in pairs(METHODS) do
    u[key] = function(a, ...)
      if a == u then util.raise("TypeError", "%s.%s is called with a dot: no object comes first", u.called, key) end
      return method(u, a, ...)
    end
  end
  u.reduce, u.accumulate = along_first(u, false, u.reduce), along_first(u, true, u.accumulate)
  if u.parts and not u.truth then u.reduceat = core.parts_first(u.parts, u.joined, u.reduceat) end
  return setmetatable(u, Meta)
end

return M
