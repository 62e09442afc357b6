--- Arrays against NumPy 2 (spec/data/numpy.json, numpy_names.json and numpy_options.json, written by
-- scripts/make-numpy-data.py, make-numpy-names.py and make-numpy-options.py): value, dtype and shape of the functions
-- of nd, over dtypes, empty, strided and special inputs, and keywords. Zeros count their sign where a case allows no
-- rounding. All of it again under floatX = float32: arrays follow no flag.
local core = require("theano.core")
local json = require("dkjson")
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local theano = require("theano")

local function read(path)
  local file = assert(io.open(path, "rb"))
  local list = assert(json.decode(file:read("a")))
  file:close()
  local env = { nd = nd, T = theano.tensor, select = select, math = math, table = table }
  for name, v in pairs(table.remove(list, 1)) do
    env[name] = oracle.array({ dtype = v[1], shape = v[2], data = v[3] })
    if name:sub(1, 2) == "m_" then env[name .. "_s"] = env[name][":, ::-2, ::3"] end
  end
  return list, env
end

local SPECIAL = { nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge }
local function is_float(v) return math.type(v) == "float" end

-- w as JSON has it; units: how far they may be apart, relative to `size`.
local function near(got, w, units, size)
  local want = SPECIAL[w] or w
  if type(got) ~= "number" or type(want) ~= "number" then return got == want end
  if want ~= want then return got ~= got end
  if got == want then
    return got ~= 0 or units > 0 or not (is_float(got) and is_float(want)) or 1 / got == 1 / want
  end
  return math.abs(want) < math.huge and math.abs(got - want) <= units * math.max(math.abs(want), size or 0)
end

local function size_of(w)
  local v = SPECIAL[w] or w
  return math.abs(v) < math.huge and math.abs(v) or 0
end

local function element_differs(got, w, units)
  if type(w) ~= "table" then return not near(got, w, units) end
  local size = math.max(size_of(w[1]), size_of(w[2]))
  return not (near(got.real, w[1], units, size) and near(got.imag, w[2], units, size))
end

-- What a result without dimensions, a Lua value, can show of its dtype.
local function kind_of(v)
  return math.type(v) == "integer" and "int" or math.type(v) == "float" and "float" or type(v) == "boolean" and "bool"
    or "complex"
end

local function elements(got, case)
  if type(got) == "userdata" and core.kind(got) == "ndarray" then
    local shape, wanted = table.concat(got.shape, ","), table.concat(case[3], ",")
    if got.dtype ~= case[2] then return nil, ("dtype %s, wanted %s"):format(got.dtype, case[2]) end
    if shape ~= wanted then return nil, ("shape (%s), wanted (%s)"):format(shape, wanted) end
    return got:reshape(-1):tolist()
  end
  if #case[3] > 0 or not case[2]:find(kind_of(got)) then
    return nil, ("%s, wanted %s (%s)"):format(tostring(got), case[2], table.concat(case[3], ","))
  end
  return { got }
end

-- NumPy's numbers of float32 are written with few digits: those of the float32 next to them are meant.
local function wanted(case)
  if case[2] ~= "float32" and case[2] ~= "complex64" or #case[4] == 0 then return case[4] end
  local out = {}
  local function single(v) return SPECIAL[v] and v or nd.array({ v }, "float32")[0] end
  for i, v in ipairs(case[4]) do out[i] = type(v) == "table" and { single(v[1]), single(v[2]) } or single(v) end
  return out
end

-- NumPy's classes of errors that stand for others here, and functions whose errors differ in kind.
local CLASSES = { AxisError = "ValueError", LinAlgError = "LinAlgError", DTypePromotionError = "TypeError",
  UFuncTypeError = "TypeError" }
local OTHERS = {
  column_stack = true, -- of an array: it is taken as the sequence of its rows
}
-- Why an error is not of NumPy's class.
local function of_other_class(message, case)
  local class_wanted = CLASSES[case[4][1]:gsub("^_?(UFunc).*", "%1TypeError")] or case[4][1]
  local class = theano.error_kind(message)
  if class == class_wanted or case[4][1] == "AxisError" and class == "IndexError" then return nil end
  if OTHERS[case[1]:match("^nd%.([%w_]+)")] then return nil end
  return ("a %s, NumPy raises %s: %s"):format(tostring(class), case[4][1], tostring(message):match("[^\n]*"))
end

local function difference(case, env)
  local fine, got = pcall(function() return (load("return " .. case[1], "=case", "t", env)()) end)
  if case[2] == "raises" then
    return fine and "no error, NumPy raises " .. case[4][1] or not fine and of_other_class(got, case) or nil
  end
  if not fine then return tostring(got) end
  local flat, why = elements(got, case)
  if not flat then return why end
  local units = (case[5] or 0) * ((case[2] == "float32" or case[2] == "complex64") and 2.0 ^ -23 or 2.0 ^ -52)
  for i, w in ipairs(wanted(case)) do
    if type(w) == "string" and not SPECIAL[w] then
      w = oracle.array({ dtype = "uint64", shape = { 1 }, data = { w } })[0]
    end
    if element_differs(flat[i], w, units) then
      return ("element %d is %s, wanted %s"):format(i - 1, tostring(flat[i]),
        type(w) == "table" and w[1] .. ", " .. w[2] or tostring(w))
    end
  end
end

local function compare(path, flags)
  local list, env = read(path)
  local names, cases = {}, {}
  for _, case in ipairs(list) do
    local name = case[1]:match("nd%.([%w_]+)") or "indexing and methods"
    if not cases[name] then
      cases[name] = {}
      names[#names + 1] = name
    end
    table.insert(cases[name], case)
  end
  table.sort(names)
  for _, name in ipairs(names) do
    for _, floatX in ipairs(flags) do
      it(("%s, floatX = %s"):format(name, floatX), function()
        local before, bad = theano.config.floatX, {}
        theano.config.floatX = floatX
        for _, case in ipairs(cases[name]) do
          local why = difference(case, env)
          if why then bad[#bad + 1] = case[1] .. ": " .. why end
        end
        theano.config.floatX = before
        local few = table.concat(bad, "\n", 1, math.min(#bad, 5))
        assert(#bad == 0, ("%d of %d differ\n%s"):format(#bad, #cases[name], few))
      end)
    end
  end
  return cases
end

describe("as NumPy:", function() compare("spec/data/numpy.json", { "float64", "float32" }) end)
describe("as NumPy, of lists and numbers:", function() compare("spec/data/numpy_names.json", { "float32" }) end)
describe("as NumPy, by keywords:", function() compare("spec/data/numpy_options.json", { "float64" }) end)
