--- `nd`, of which every function that graphs have builds a graph of its arguments, compiles and runs it.
-- @module bench.array_api.graphs
local core = require("theano.core")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = theano.tensor
local INTERPRETER = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })

-- Functions that are asked of arrays: they make arrays of values, or of what Theano names otherwise.
local PLAIN = {}
local NAMES = "array complex broadcast_shapes result_type can_cast finfo iinfo isdtype asarray rfft irfft"
for name in NAMES:gmatch("%S+") do PLAIN[name] = true end

local function replaced(v, inputs, values)
  if core.kind(v) == "ndarray" then
    local pattern, shape = {}, v.shape
    for d, n in ipairs(shape) do pattern[d] = n == 1 end
    local x = T.TensorType(v.dtype, pattern)()
    inputs[#inputs + 1], values[#values + 1] = x, v
    return #shape > 0 and T.specify_shape(x, shape) or x
  end
  if type(v) ~= "table" or getmetatable(v) then return v end
  local list = {}
  for k, e in pairs(v) do list[k] = replaced(e, inputs, values) end
  return list
end

local function graph(f)
  return function(...)
    local args, inputs, values = table.pack(...), {}, {}
    for i = 1, args.n do args[i] = replaced(args[i], inputs, values) end
    local results = table.pack(f(table.unpack(args, 1, args.n)))
    local outputs = {}
    local function taken(v)
      if core.kind(v) == "variable" then
        outputs[#outputs + 1] = theano.Out(v, { array = true })
        local at = #outputs
        return function(got) return got[at] end
      end
      if type(v) ~= "table" or getmetatable(v) then return function() return v end end
      local list = {}
      for k, e in pairs(v) do list[k] = taken(e) end
      return function(got)
        local r = {}
        for k, e in pairs(list) do r[k] = e(got) end
        return r
      end
    end
    for i = 1, results.n do results[i] = taken(results[i]) end
    local got = {}
    if #outputs > 0 then
      got = { theano.compile({ inputs = inputs, outputs = outputs, mode = INTERPRETER, on_unused_input = "ignore" })(
        table.unpack(values)) }
    end
    for i = 1, results.n do results[i] = results[i](got) end
    return table.unpack(results, 1, results.n)
  end
end

local function module(arrays, graphs)
  return setmetatable({}, { __index = function(t, name)
    local fine, f = pcall(function() return graphs[name] end)
    local value = arrays[name]
    if fine and f ~= nil and not PLAIN[name] then
      if type(f) == "function" then value = graph(f) end
      if type(f) == "table" and type(value) == "table" and (name == "linalg" or name == "fft") then
        value = module(value, f)
      end
    end
    rawset(t, name, value)
    return value
  end })
end

return module(nd, T)
