--- The calls of spec/data/matrix.npz (spec/matrix_spec.lua) on Variables: what T's functions compute once they are
-- compiled is what nd's give, but for what is Theano's, which is listed, and no error is one of Lua's. Other calls each
-- day, all 50,000 with TH_ALL=1 (22 s of processor time). Dtypes of results are spec/promotion_spec.lua's.
local core = require("theano.core")
local matrix = require("spec.support.matrix")
local ported = require("theano.ported")
local rotate = require("spec.support.rotate")
local theano = require("theano")
local T, nd, compile = theano.tensor, theano.ndarray, theano.compile

local INTERPRETER = compile.Mode({ linker = "interpreter" })
local TODAY = 5000

local function set(text)
  local s = {}
  for word in text:gmatch("%S+") do s[word] = true end
  return s
end

-- Modules of SciPy's that compute with numbers, and what is called otherwise in graphs.
local ARRAYS = set("signal interpolate integrate optimize")
local OTHERWISE = set([[array isscalar where split fft.rfft fft.irfft changed putmask put place copyto fill_diagonal
  put_along_axis apply_along_axis]])

-- What is Theano's: { reason, function(call, name, kind, dtype) }.
local SMALL = set("bool int8 int16 uint8 uint16 float16 float32 complex64")
local THEANO = {
  { "variances of complex numbers are complex", function(c) return c.dtype:find("^c") and set("var std")[c.name] end },
  { "running sums keep the dtype", function(c)
    return c.name:find("^nancum") or c.name:find("^cum") or c.name == "piecewise"
  end },
  { "literals of Lua's are of the smallest dtype, and widen uint64 to floats", function(c)
    return c.dtype:find("^u?int") and set("left_shift bitwise_and gcd add subtract where")[c.name]
  end },
  { "transforms of halves refuse", function(c) return c.dtype == "float16" and c.name:find("^fft%.") end },
  { "lengths that values decide are not cut", function(c)
    return set("polymul polyadd polysub polydiv trim_zeros")[c.name]
  end },
  { "a number over itself is 1", function(c) return c.name == "corrcoef" end },
  { "complex NaN spreads through transforms", function(c)
    return c.kind == "n" and set("correlate convolve linalg.eigvalsh linalg.eigh")[c.name]
  end },
  { "tril and triu multiply with zeros and ones", function(c) return c.kind == "n" and set("tril triu")[c.name] end },
  { "zero times x is zero", function(c) return c.kind == "n" and c.name == "polyval" end },
  { "complex infinities beside NaN are not close to themselves", function(c)
    return c.kind == "n" and c.dtype:find("^c") and c.name == "isclose"
  end },
  { "bools are not counted", function(c) return c.dtype == "bool" and c.name == "bincount" end },
  { "the first coefficient of a polynomial is not 0", function(c) return c.name == "roots" end },
  { "no positions of what has no dimensions", function(c) return c.kind == "z" end },
}

local calls, file = matrix.read()
local env, graphs = matrix.environment(file), matrix.environment(file)
graphs.nd = setmetatable({}, { __index = function(_, name)
  return set("nan inf complex")[name] and nd[name] or T[name]
end })
graphs.select = function(first, ...)
  if type(first) == "number" then return select(first, ...) end
  return T.select(first, ...)
end
graphs.abs_ = function(y)
  if y.dtype == "bool" or y.dtype:find("uint") then return y end
  return y.dtype:find("int") and T.cast(T.mod(T.abs(y), 70), y.dtype) or T.abs(y)
end
graphs.summed = function(a, axis) return T.sum(a, { axis = axis }) end
setmetatable(graphs, { __index = T })

local function wanted()
  local list = {}
  for _, this in ipairs(calls) do
    local module = this.name:match("^(%l+)%.")
    if this.form ~= "d" and not ARRAYS[module or ""] and not OTHERWISE[this.name] and not this.call:find("^changed")
      and not this.call:find("shape(", 1, true) and not ported.arrays_only[this.name] then
      for _, line in ipairs(this.lines) do
        for _, word in ipairs(line[2]) do
          if this.kinds == "P" or not word[1]:find("[eh]") then list[#list + 1] = { this, line[1], word[1] } end
        end
      end
    end
  end
  return list
end

local function variable(a, name)
  local pattern = {}
  for d = 1, a.ndim do pattern[d] = a.shape[d] == 1 end
  return T.TensorType(a.dtype, pattern)(name)
end

local results = matrix.results

local function differ(want, got, rough)
  if #want ~= #got then return ("%d results, of arrays %d"):format(#got, #want) end
  for i, w in ipairs(want) do
    local a, b = nd.asarray(w), nd.asarray(got[i])
    if table.concat(a.shape, ",") ~= table.concat(b.shape, ",") then
      return ("shape %s, of arrays %s"):format(tostring(b.shape), tostring(a.shape))
    end
    local wide = (a.dtype .. b.dtype):find("complex") and "complex128" or "float64"
    local eps = rough and 2e-3 or 1e-9
    if not nd.allclose(a:astype(wide), b:astype(wide), { rtol = eps, atol = eps, equal_nan = true }) then
      return ("%s, of arrays %s"):format(tostring(b), tostring(a))
    end
  end
end

-- Why a call of graphs differs; nil: it does not; false: it gives no Variables.
local function why(this, dtype, kind)
  local given = matrix.arguments(file, this, dtype, kind)
  local x, y = variable(given.x, "x"), variable(given.y, "y")
  env.x, env.y, env.D = given.x, given.y, given.D
  graphs.x, graphs.y, graphs.D = x, y, given.D
  local want = table.pack(pcall(assert(load("return " .. this.call, "=call", "t", env))))
  local r = table.pack(pcall(assert(load("return " .. this.call, "=call", "t", graphs))))
  if not r[1] then
    if not theano.error_kind(r[2]) then return "an error of Lua's: " .. tostring(r[2]) end
    local unknown = r[2]:find("known") or r[2]:find("specify_shape")
    return want[1] and not unknown and "raises " .. r[2] or nil
  end
  local outputs = results(r)
  for i, out in ipairs(outputs) do
    if type(out) ~= "userdata" or core.kind(out) ~= "variable" then return false end
    outputs[i] = compile.Out(out, { array = true })
  end
  if #outputs == 0 then return false end
  local f = compile({ inputs = { x, y }, outputs = outputs, mode = INTERPRETER, on_unused_input = "ignore" })
  local got = table.pack(pcall(f, given.x, given.y))
  if not got[1] and not theano.error_kind(got[2]) then return "an error of Lua's: " .. tostring(got[2]) end
  if not want[1] then return nil end
  if not got[1] then return "raises " .. got[2] end
  local other = this.kinds == "P" and given.y.dtype or dtype
  return differ(results(want), table.move(got, 2, got.n, 1, {}), SMALL[dtype] or SMALL[other])
end

describe("the matrix of functions in graphs", function()
  it("is that of arrays, but for what is Theano's", function()
    local wrong, compared, seen = {}, 0, {}
    for _, row in ipairs(rotate.some(wanted(), TODAY)) do
      local this, dtype, kind = table.unpack(row)
      local said = why(this, dtype, kind)
      if said == nil then compared = compared + 1 end
      local excused = false
      for _, rule in ipairs(said and THEANO or {}) do
        if not excused and rule[2]({ name = this.name, kind = this.kinds == "P" and "P" or kind, dtype = dtype }) then
          excused, seen[rule[1]] = true, true
        end
      end
      if said and not excused then
        wrong[#wrong + 1] = ("%s, %s, form %s, kind %s (TH_SEED=%d): %s"):format(this.call, dtype, this.form, kind,
          rotate.seed, said:gsub("%s+", " "):sub(1, 300))
      end
    end
    assert(#wrong == 0, #wrong .. " differ\n" .. table.concat(wrong, "\n", 1, math.min(#wrong, 12)))
    for _, rule in ipairs(os.getenv("TH_ALL") and THEANO or {}) do
      assert(seen[rule[1]], "is no difference: " .. rule[1])
    end
    assert.is_true(compared > TODAY * 3 // 4, compared)
  end)
end)
