--- Forms that lose their value far out as they stand, tried under views, sides, signs and weights: value, gradient and
-- second gradient against the numbers of spec/data/stable_forms.json.
-- @module spec.support.stable_forms
local theano = require("theano")
local json = require("dkjson")
local T, nd = theano.tensor, theano.ndarray

local M = {}

local function read()
  local file = assert(io.open("spec/data/stable_forms.json"))
  local data = assert(json.decode(file:read("a")))
  file:close()
  return data
end

--- The reference numbers.
M.data = read()

local special = { inf = math.huge, ["-inf"] = -math.huge }
local function number(v) return special[v] or v end

-- ---- views of the points ----------------------------------------------------------------------------------------
-- `rank`: of the input, `of`: the view, of the input as of what functions make of it.
M.views = {
  { name = "as it is", rank = 1, of = function(v) return v end },
  { name = "scalar", rank = 0, of = function(v) return v end },
  { name = "transposed", rank = 2, of = function(v) return v.T end },
  { name = "as a column", rank = 1, of = function(v) return v:dimshuffle(0, "x") end },
  { name = "as a row", rank = 1, of = function(v) return v:dimshuffle("x", 0) end },
  { name = "reshaped", rank = 2, of = function(v) return v:reshape({ 3, 5 }) end },
  { name = "flat", rank = 2, of = function(v) return v:flatten() end },
  { name = "3-tensor", rank = 3, of = function(v) return v:dimshuffle(2, 0, 1) end },
}

local shapes = { [0] = {}, { 15 }, { 5, 3 }, { 5, 1, 3 } }

--- Functions that put the view before themselves, then behind, in turns.
local function functions(view, x)
  local turn = 0
  local F = { x = view.of(x) }
  for _, name in ipairs({ "exp", "erf", "erfc", "sigmoid", "softplus", "log", "log1p", "expm1" }) do
    local f = name == "sigmoid" and T.nnet.sigmoid or name == "softplus" and T.nnet.softplus or T[name]
    F[name] = function(k)
      turn = turn + 1
      local v = k and k * x or x
      if turn % 2 == 1 then return view.of(f(v)) end
      return f(view.of(v))
    end
  end
  return F
end

-- ---- comparing --------------------------------------------------------------------------------------------------
local function close(got, want, relative, absolute)
  if want ~= want then return got ~= got end
  if math.abs(want) == math.huge or got == want then return got == want end
  return math.abs(got - want) <= relative * math.abs(want) + absolute
end

-- Relative and absolute errors of value, gradient and second gradient.
local digits = {
  float64 = { { 1e-12, 1e-307 }, { 1e-10, 1e-16 }, { 1e-8, 1e-15 } },
  float32 = { { 2e-5, 1e-37 }, { 1e-4, 1e-7 }, { 1e-3, 1e-6 } },
}
local orders = { "value", "gradient", "second gradient" }
local coarser = { float64 = 1, float32 = 5e8 }
local largest = { float64 = math.huge, float32 = 3.4e38 }

local interpreter = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })

--- Compiles a form: its value, the gradient of its sum and the gradient of that one's, in one function.
function M.compile(inputs, y, x, mode)
  local g = T.grad(y:sum(), x)
  local h = T.grad(g:sum(), x, { disconnected_inputs = "ignore" })
  return theano.compile({ inputs = inputs, outputs = { y, g, h }, mode = mode or interpreter,
    on_unused_input = "ignore" })
end

--- Weights: the factor they are, and where they stand. w is an array of threes.
M.weights = {
  { name = "none", k = 1 },
  { name = "negated", k = -1, outside = function(e) return -e end },
  { name = "number inside", k = 3, inside = function(e) return 3 * e end },
  { name = "number outside", k = -2, outside = function(e) return e * -2 end },
  { name = "array inside", k = 3, inside = function(e, w) return w * e end },
  { name = "array outside", k = 3, outside = function(e, w) return e * w end },
  { name = "divided", k = 1 / 3, outside = function(e, w) return e / w end },
}

-- What the case should give at point i in derivative `order`, times k.
local function wanted(case, i, order, k)
  local truth, sign = M.data.scalar[case.truth], case.sign or 1
  local v = number(truth[sign < 0 and #truth + 1 - i or i][order])
  return v * k * (case.scale or 1) * sign ^ (order - 1)
end

local function compare(case, got, i, k, dtype, out)
  for order = 1, case.orders or 3 do
    local want, d, have = wanted(case, i, order, k), digits[dtype][order], got[order]
    if math.abs(want) > largest[dtype] then want = want > 0 and math.huge or -math.huge end
    local absolute = math.max(d[2], (case.absolute and case.absolute[order] or 0) * coarser[dtype])
    -- a sum of two large parts: their digits, in single precision
    local lost = case.steep and order == 3 and dtype == "float32" and math.abs(M.data.points[i]) > 50
    if not lost and not close(have, want, d[1], absolute * math.max(1, math.abs(k))) then
      out[#out + 1] = ("%s at %g is %.17g, not %.17g"):format(orders[order], M.data.points[i], have, want)
    end
  end
end

-- Where the points lie in a result that the view made: its elements in the order of the points.
local function in_order(view, value, x, shape, dtype)
  local order = theano.compile({ inputs = { x }, outputs = view.of(x), mode = interpreter })
  local where, back = order(nd.arange(#M.data.points):astype(dtype):reshape(shape)):flatten(), {}
  value = value:flatten()
  for i = 0, #M.data.points - 1 do back[math.tointeger(where:item(i)) + 1] = value:item(i) end
  return back
end

local function plain(array)
  local list = {}
  array = array:flatten()
  for i = 1, #M.data.points do list[i] = array:item(i - 1) end
  return list
end

local function item(v) return type(v) == "number" and v or v:item() end

--- Differences of one form from its truth: texts, none where all holds.
function M.differences(case, view, weight, dtype, mode)
  local pattern, out, points = {}, {}, M.data.points
  for i = 1, view.rank do pattern[i] = false end
  local x, w = T.TensorType(dtype, pattern)("x"), T.TensorType(dtype, pattern)("w")
  local function put(f) return function(e) return f and f(e, view.of(w)) or e end end
  local y = put(weight.outside)(case.of(functions(view, x), put(weight.inside)))
  local f = M.compile({ x, w }, y, x, mode)
  if view.rank == 0 then
    for i, p in ipairs(points) do
      local a, b, c = f(p, 3)
      compare(case, { item(a), item(b), item(c) }, i, weight.k, dtype, out)
    end
    return out
  end
  local shape = shapes[view.rank]
  local a, b, c = f(nd.array(points, dtype):reshape(shape), nd.full(shape, 3, dtype))
  a, b, c = in_order(view, a, x, shape, dtype), plain(b), plain(c)
  for i = 1, #points do compare(case, { a[i], b[i], c[i] }, i, weight.k, dtype, out) end
  return out
end

return M
