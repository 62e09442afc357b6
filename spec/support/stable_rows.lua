--- Softmaxes and their logarithms written out, of the rows of spec/data/stable_forms.json, lying along any axes of
-- tensors of any rank: value, gradient of the weighted sum, and that gradient's derivative along a direction.
-- @module spec.support.stable_rows
local theano = require("theano")
local forms = require("spec.support.stable_forms")
local T, nd = theano.tensor, theano.ndarray

local M = {}
local data, count = forms.data, #forms.data.rows

-- Where the rows lie: rank of the input, how a matrix of rows becomes it, axes they lie along, and a view that the
-- form is written in (of a variable of the same rank).
M.places = {
  { name = "rows", rank = 2, put = function(a) return a end, axes = { 1 } },
  { name = "rows, as axis -1", rank = 2, put = function(a) return a end, axes = { 1 }, say = -1 },
  { name = "columns", rank = 2, put = function(a) return a.T end, axes = { 0 } },
  { name = "rows of the transposed", rank = 2, put = function(a) return a.T end, axes = { 1 },
    view = function(v) return v.T end },
  { name = "columns of the transposed", rank = 2, put = function(a) return a end, axes = { 0 },
    view = function(v) return v.T end },
  { name = "last axis of three", rank = 3, put = function(a) return a:reshape({ 2, count // 2, 3 }) end, axes = { 2 } },
  { name = "middle axis of three", rank = 3, axes = { 1 },
    put = function(a) return a:reshape({ 2, count // 2, 3 }):transpose({ 0, 2, 1 }) end },
  { name = "first axis of three", rank = 3, axes = { 0 },
    put = function(a) return a:reshape({ 2, count // 2, 3 }):transpose({ 2, 0, 1 }) end },
  { name = "two axes of three", rank = 3, axes = { 1, 2 }, put = function(a) return a:reshape({ count, 3, 1 }) end },
  { name = "last axis of four", rank = 4, axes = { 3 },
    put = function(a) return a:reshape({ 2, 2, count // 4, 3 }) end },
}
M.vector = { name = "a vector", rank = 1, axes = { 0 }, single = true }
M.all = { name = "a vector, all of it", rank = 1, axes = { 0 }, single = true, say = "all" }

-- What a form is written with: x, exp of it, the sum and the maximum along the axes, kept as dimensions of length 1.
local function tools(place, x, keep)
  local view = place.view or function(v) return v end
  local turn = 0
  local axis = place.say or (#place.axes == 1 and place.axes[1] or place.axes)
  local function kept(f, v)
    if keep == "keepdims" and axis ~= "all" then return f(v, { axis = axis, keepdims = true }) end
    local r = axis == "all" and f(v) or f(v, { axis = axis })
    local order, next = {}, 0
    for d = 0, v.ndim - 1 do
      local gone = false
      for _, a in ipairs(place.axes) do gone = gone or a == d end
      order[d + 1] = gone and "x" or next
      if not gone then next = next + 1 end
    end
    return r:dimshuffle(order)
  end
  return {
    x = view(x), axes = place.axes,
    exp = function()
      turn = turn + 1
      if turn % 2 == 1 then return view(T.exp(x)) end
      return T.exp(view(x))
    end,
    sum = function(v) return kept(T.sum, v) end,
    max = function(v) return kept(T.max, v) end,
    total = function(v) return axis == "all" and T.sum(v) or T.sum(v, { axis = axis }) end,
  }
end

local function close(got, want, absolute)
  return got == want or math.abs(got - want) <= 1e-9 * math.abs(want) + absolute
end

local function number(v) return v == "inf" and math.huge or v == "-inf" and -math.huge or v end

-- An array of the rows lying as the place says.
local function lying(place, rows, dtype)
  local a = nd.array(rows, dtype)
  return place.put(a):copy()
end

local function tensor(rank, dtype, name)
  local pattern = {}
  for i = 1, rank do pattern[i] = false end
  return T.TensorType(dtype, pattern)(name)
end

local function repeated(row)
  local list = {}
  for i = 1, count do list[i] = row end
  return list
end

-- Value, gradient of the weighted sum and its derivative along v, in one function; and whether the value is one for
-- each element.
local function compiled(case, place, keep, weight, dtype)
  local x, w, v = tensor(place.rank, dtype, "x"), tensor(place.rank, dtype, "w"), tensor(place.rank, dtype, "v")
  local view = place.view or function(e) return e end
  local y = case.of(tools(place, x, keep), function(e) return weight == "inside" and view(w) * e or e end)
  local cost
  if case.reduced then cost = 2 * y:sum()
  elseif weight == "inside" then cost = y:sum()
  else cost = (view(w) * y):sum() end
  local g = T.grad(cost, x)
  local h = T.grad((g * v):sum(), x, { disconnected_inputs = "ignore" })
  return theano.compile({ inputs = { x, w, v }, outputs = { y, g, h }, on_unused_input = "ignore",
    mode = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" }) })
end

local function compare(out, name, row, values, at, wanted, slack, rough)
  for c, want in ipairs(wanted) do
    want = number(want)
    local have = values:item(at + c - 1)
    if not close(have, want, slack * (rough and math.max(1, math.abs(want)) or 1)) then
      out[#out + 1] = ("%s of row %d, place %d is %.17g, not %.17g"):format(name, row, c, have, want)
    end
  end
end

-- The elements of `array` in the order of the rows, `where` telling whose each is.
local function back(array, where)
  local list = {}
  where, array = where:flatten(), array:flatten()
  for i = 0, 3 * count - 1 do list[math.tointeger(where:item(i)) + 1] = array:item(i) end
  return nd.array(list, "float64")
end

local function times(values, weights)
  local list = {}
  for c, v in ipairs(values) do list[c] = number(v) * weights[c] end
  return list
end

--- Differences of a form from its truth; keep: "keepdims" or "dimshuffle"; weight: "inside" or "outside".
function M.differences(case, place, keep, weight, dtype)
  local f, out, truth = compiled(case, place, keep, weight, dtype), {}, data.vector[case.truth]
  local rough = dtype == "float32"
  local slack = rough and (case.rough or 1e-5) or 1e-13
  local function row(r, a, at, b, c, from)
    local value = truth[r].value
    if weight == "inside" and not case.reduced then value = times(value, data.weights) end
    compare(out, "value", r, a, at, value, slack, rough)
    compare(out, "gradient", r, b, from, truth[r].grad, slack, rough)
    compare(out, "second gradient", r, c, from, truth[r].hess, slack, rough)
  end
  if place.single then
    for r = 1, count do
      local a, b, c = f(nd.array(data.rows[r], dtype), nd.array(data.weights, dtype), nd.array(data.direction, dtype))
      row(r, type(a) == "number" and nd.array({ a }) or a:flatten(), 0, b, c, 0)
    end
    return out
  end
  local a, b, c = f(lying(place, data.rows, dtype), lying(place, repeated(data.weights), dtype),
    lying(place, repeated(data.direction), dtype))
  local ids = {}
  for r = 1, count do ids[r] = { 3 * r - 3, 3 * r - 2, 3 * r - 1 } end
  local where = lying(place, ids, "float64")
  a = case.reduced and a:flatten() or back(a, place.view and where.T or where)
  b, c = back(b, where), back(c, where)
  for r = 1, count do row(r, a, case.reduced and r - 1 or 3 * r - 3, b, c, 3 * r - 3) end
  return out
end

local function case(name, truth, of, more)
  more = more or {}
  more.name, more.truth, more.of = name, truth, of
  return more
end

M.cases = {
  case("exp(x)/sum(exp(x))", "softmax", function(F, k) return k(F.exp()) / F.sum(F.exp()) end),
  case("exp(x)*(1/sum(exp(x)))", "softmax", function(F, k) return k(F.exp()) * (1 / F.sum(F.exp())) end),
  case("exp(x-max)/sum(exp(x-max))", "softmax", function(F, k)
    local e = T.exp(F.x - F.max(F.x))
    return k(e) / F.sum(e)
  end),
  case("exp(x-log(sum(exp(x))))", "softmax", function(F, k) return k(T.exp(F.x - T.log(F.sum(F.exp())))) end,
    { rough = 2e-4 }), -- digits of 1000 in single precision
  case("log(exp(x)/sum(exp(x)))", "log_softmax", function(F, k) return k(T.log(F.exp() / F.sum(F.exp()))) end),
  case("x-log(sum(exp(x)))", "log_softmax", function(F, k) return k(F.x - T.log(F.sum(F.exp()))) end,
    { rough = 1e-3 }),
  case("log of softmax, maximum subtracted", "log_softmax", function(F, k)
    local e = T.exp(F.x - F.max(F.x))
    return k(T.log(e / F.sum(e)))
  end),
  case("log(sum(exp(x)))", "logsumexp", function(F) return T.log(F.total(F.exp())) end, { reduced = true }),
  case("log(sum(exp(x))), kept", "logsumexp", function(F) return T.log(F.sum(F.exp())) end, { reduced = true }),
  case("m+log(sum(exp(x-m)))", "logsumexp", function(F)
    local m = F.max(F.x)
    return m + T.log(F.sum(T.exp(F.x - m)))
  end, { reduced = true }),
  case("-sum(p*log(p))", "softmax_entropy", function(F)
    local p = F.exp() / F.sum(F.exp())
    return -F.total(p * T.log(p))
  end, { reduced = true }),
  case("softmax", "softmax", function(F, k) return k(T.nnet.softmax(F.x, F.axes[1])) end, { one = true }),
  case("log(softmax)", "log_softmax", function(F, k) return k(T.log(T.nnet.softmax(F.x, F.axes[1]))) end,
    { one = true }),
  case("logsoftmax", "log_softmax", function(F, k) return k(T.nnet.logsoftmax(F.x, F.axes[1])) end, { one = true }),
}

return M
