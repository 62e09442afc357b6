--- Assertions about tensors for specs run by busted (or anything on luassert):
--
--     require("theano.spec")
--     assert.tensor_near({ { 1, 2 } }, f(x))              -- same shape, elements near; { rtol =, atol =, equal_nan = }
--     assert.same_shape({ 1, 2 }, f(x))                   -- lengths, or an array to compare with
--     assert.grad_ok(function(x) return x:sum() end, { x }) -- gradient against finite differences
--
-- Each has a negative form (`assert.is_not.tensor_near`). What fails says where and by how much.
-- @module theano.spec
local nd = require("theano.ndarray")
local gradient = require("theano.gradient")
local luassert = require("luassert")
local util = require("theano.util")

local M = {}

local SHOWN = 5 -- how many of the elements that differ are listed

-- ---- shapes ---------------------------------------------------------------------------------------------------------
local function text_of(shape)
  return "(" .. table.concat(shape, ", ") .. (#shape == 1 and "," or "") .. ")"
end

local function equal_shapes(a, b)
  if #a ~= #b then return false end
  for d = 1, #a do
    if a[d] ~= b[d] then return false end
  end
  return true
end

local function array_of(what, value)
  local fine, array = pcall(nd.asarray, value)
  if not fine then
    local said = util.is_var(value) and "is a symbolic Variable: compute it first (x:eval(), or a compiled function)"
      or "is no tensor: " .. tostring(array):gsub("^[^\n]-:%d+: ", "")
    util.raise("TypeError", "%s %s", what, said)
  end
  return array
end

--- Whether two arrays have one shape; the first may be a sequence of lengths. Returns the text of the difference too.
function M.same_shape(expected, actual)
  local wanted = expected
  if type(expected) ~= "table" then
    wanted = array_of("the expected value", expected).shape
  end
  for d = 1, #wanted do
    if math.type(wanted[d]) ~= "integer" then
      util.raise("TypeError", "a shape is a sequence of integers, entry %d is %s", d, tostring(wanted[d]))
    end
  end
  local got = array_of("the actual value", actual).shape
  if equal_shapes(wanted, got) then return true end
  return false, ("Shapes differ: expected %s, got %s"):format(text_of(wanted), text_of(got))
end

-- ---- elements -------------------------------------------------------------------------------------------------------
local KNOWN = util.set({ "rtol", "atol", "equal_nan", "dtype" })
local INEXACT = util.set({ "float64", "float32", "complex64", "complex128", "float16", "bfloat16" })

local function tolerances(a, b, options)
  local discrete = not INEXACT[a.dtype] and not INEXACT[b.dtype]
  local single = a.dtype == "float32" or b.dtype == "float32" or a.dtype == "complex64" or b.dtype == "complex64"
  local eps = ({ float16 = 1e-3, bfloat16 = 1e-2 }) -- a unit in the last place
  local half = math.max(eps[a.dtype] or 0, eps[b.dtype] or 0)
  local rtol = options.rtol or (discrete or options.atol) and 0 or math.max(half, 1e-5)
  return rtol, options.atol or (discrete or options.rtol) and 0 or (single and 1e-5 or 1e-8)
end

local function parts(v)
  if type(v) == "boolean" then return v and 1 or 0, 0 end
  if type(v) == "number" then return v, 0 end
  return v.real, v.imag
end

-- |actual - expected|, or nil when both are the same; NaN stands for "never near".
local function difference(expected, actual, equal_nan)
  local er, ei = parts(expected)
  local ar, ai = parts(actual)
  local both = er ~= er or ei ~= ei
  if both and (ar ~= ar or ai ~= ai) then return equal_nan and 0 or 0 / 0 end
  if er == ar and ei == ai then return 0 end
  local re, im = ar - er, ai - ei
  return im == 0 and math.abs(re) or math.sqrt(re * re + im * im)
end

local function magnitude(v)
  local re, im = parts(v)
  return im == 0 and math.abs(re) or math.sqrt(re * re + im * im)
end

local function said(v) return v ~= v and "nan" or util.text(v) end

-- Both in full where few digits would hide the difference.
local function both(u, v)
  local expected, got = said(u), said(v)
  if expected == got and type(u) == "number" and u == u then return util.format("%.17g", u), util.format("%.17g", v) end
  return expected, got
end

-- Position of the k-th element in row-major order, as a subscript.
local function position(k, shape)
  local at = {}
  for d = #shape, 1, -1 do
    at[d] = k % shape[d]
    k = k // shape[d]
  end
  return "[" .. table.concat(at, ", ") .. "]"
end

local function compare(a, b, rtol, atol, equal_nan)
  local x, y = a:reshape({ -1 }), b:reshape({ -1 })
  local wrong, worst, at = {}, -1, 0
  local many = 0
  for k = 0, x.size - 1 do
    local u, v = x[k], y[k]
    local by = difference(u, v, equal_nan)
    if not (by == 0 or by < math.huge and by <= atol + rtol * magnitude(u)) then
      many = many + 1
      if #wrong < SHOWN then
        wrong[#wrong + 1] = ("  %s: expected %s, got %s"):format(position(k, a.shape), both(u, v))
      end
      if by ~= by or by > worst then worst, at = by ~= by and math.huge or by, k end
    end
  end
  return many, wrong, worst, at
end

local function near_text(a, b, many, wrong, worst, at, rtol, atol)
  local lines = {
    util.format("Tensors differ in %d of %d elements (rtol = %g, atol = %g):", many, a.size, rtol, atol),
    table.concat(wrong, "\n"),
  }
  if many > #wrong then lines[#lines + 1] = ("  .. and %d more"):format(many - #wrong) end
  if worst < math.huge then
    lines[#lines + 1] = util.format("The largest difference is %g, at %s.", worst, position(at, a.shape))
  end
  if a.size <= 100 then lines[#lines + 1] = ("Expected:\n%s\nGot:\n%s"):format(tostring(a), tostring(b)) end
  return table.concat(lines, "\n")
end

--- Whether two tensors have one shape and |actual - expected| <= atol + rtol * |expected| everywhere; NaN equals NaN
-- unless `equal_nan = false`. Returns the text of the difference too. Integers are compared exactly; `dtype` asks for
-- the dtype of the actual value.
function M.tensor_near(expected, actual, options)
  options = options or {}
  if type(options) == "number" then options = { rtol = 0, atol = options } end
  util.check_keywords("tensor_near", options, KNOWN)
  local a, b = array_of("the expected value", expected), array_of("the actual value", actual)
  if not equal_shapes(a.shape, b.shape) then
    return false, ("Shapes differ: expected %s, got %s"):format(text_of(a.shape), text_of(b.shape))
  end
  if options.dtype and options.dtype ~= b.dtype then
    return false, ("Dtypes differ: expected %s, got %s"):format(options.dtype, b.dtype)
  end
  local rtol, atol = tolerances(a, b, options)
  local many, wrong, worst, at = compare(a, b, rtol, atol, options.equal_nan ~= false)
  if many == 0 then return true end
  return false, near_text(a, b, many, wrong, worst, at, rtol, atol)
end

--- Whether the gradient of `fun` at the points agrees with finite differences; options as `verify_grad`'s. Returns what
-- disagrees too.
function M.grad_ok(fun, points, options)
  util.expect("grad_ok", "its first argument", fun, "function")
  util.expect("grad_ok", "the points", points, "table")
  local fine, message = pcall(gradient.verify_grad, fun, points, options)
  if fine then return true end
  local text = tostring(message)
  if not text:find("GradientError: ", 1, true) then error(message, 0) end
  return false, "The gradient is wrong: " .. text:gsub("^.-GradientError: ", "")
end

-- ---- luassert -------------------------------------------------------------------------------------------------------
-- Our own errors name luassert's line, the first that is not ours: they get the line of the assertion.
local function guarded(test, level, ...)
  local results = table.pack(pcall(test, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local text, count = tostring(results[2]):gsub("^[^\n]-luassert/[%w_]+%.lua:%d+: ", "")
  error(text, count > 0 and level + 2 or 0)
end

-- The keys of the messages are never given to `say`: what is said is the test's own text alone.
local function assertion(name, least, test, negative)
  local function callback(state, arguments, level)
    local holds, text = guarded(function(...)
      if select("#", ...) < least then
        util.raise("TypeError", "assert.%s takes %d arguments or more, got %d", name, least, select("#", ...))
      end
      return test(...)
    end, level, table.unpack(arguments, 1, arguments.n))
    state.failure_message = holds and negative or text
    return holds
  end
  local key = "assertion." .. name
  luassert:register("assertion", name, callback, key .. ".positive", key .. ".negative")
end

assertion("tensor_near", 2, M.tensor_near, "The tensors are near each other, and should not be")
assertion("same_shape", 2, M.same_shape, "The shapes are the same, and should not be")
assertion("grad_ok", 2, M.grad_ok, "The gradient agrees with finite differences, and should not")

return M
