--- The rest of theano.tensor's names: constants and lengths as Lua values, dtypes of literals, places of values, and
-- Theano's second names for functions.
-- @module theano.extra
local T = require("theano.tensor")
local config = require("theano.config")
local core = require("theano.core")
local util = require("theano.util")

local nnet, extra_ops = T.nnet, T.extra_ops
local methods = T.variable_methods
T.variable_methods = nil

local function nd() return require("theano.ndarray") end

-- ---- values while building ------------------------------------------------------------------------------------------
-- Whether v follows from constants alone.
local function is_fixed(v)
  local todo, seen = { v }, {}
  while #todo > 0 do
    local x = table.remove(todo)
    if not seen[x] then
      seen[x] = true
      local kind = core.kind(x)
      if kind == "shared" or (kind == "variable" and not x.owner) then return false end
      if x.owner then for _, i in ipairs(x.owner.inputs) do todo[#todo + 1] = i end end
    end
  end
  return true
end

-- The one value of an array, or nil where it has none or several.
local function only_value(data)
  if not util.is_array(data) then return data end
  local n = data.size
  if n == 0 then return nil end
  local flat = data:reshape({ n })
  local first = flat[0]
  if n > 1 and not nd().array_equal(flat, nd().full({ n }, first, data.dtype)) then return nil end
  return first
end

-- Nodes whose result holds the values of one input and no others: that input's place.
local holds = { Alloc = 1, DimShuffle = 1, Rebroadcast = 1, SpecifyShape = 1, second = 2, identity = 1, Reshape = 1,
  Subtensor = 1, copy = 1 }

local spread_value, settled_value

-- Where `node` takes one number out of joined vectors: the vector it is of, and its place there.
local function joined_part(node)
  local join = node.op.kind == "Subtensor" and node.outputs[1].ndim == 0 and node.inputs[1].owner
  if not join or join.op.kind ~= "Join" or node.inputs[1].ndim ~= 1 or #node.inputs ~= 2 then return nil end
  local place, vectors = spread_value(node.inputs[2]), { table.unpack(join.inputs, 2) }
  if type(place) ~= "number" then return nil end
  for _, vector in ipairs(vectors) do
    local known, length = pcall(T.get_vector_length, vector)
    if not known or place < 0 then return nil end
    if place < length then return vector, place end
    place = place - length
  end
end

-- The value that all of v's elements have, as far as nodes that only spread values lead to it.
function spread_value(v)
  while true do
    if core.kind(v) == "constant" then return only_value(v.data) end
    local owner = v.owner
    if not owner then return nil end
    local place, kind = holds[owner.op.kind], owner.op.kind
    if kind == "Assert" then
      for i = 2, #owner.inputs do
        local truth = spread_value(owner.inputs[i])
        if truth == nil or truth == false or truth == 0 then return nil end
      end
      place = 1
    end
    if not place then return is_fixed(v) and only_value(v:eval()) or nil end
    if is_fixed(v) then return only_value(v:eval()) end
    v = owner.inputs[place]
  end
end

-- The same after the engine has looked at v: lengths, parts of stacks and joins become what they are made of.
function settled_value(v)
  local value = spread_value(v)
  if value ~= nil or not v.owner then return value end
  local gof, inputs = require("theano.gof"), {}
  for _, i in ipairs(gof.graph.inputs({ v })) do
    if core.kind(i) ~= "constant" then inputs[#inputs + 1] = i end
  end
  local graph = gof.FunctionGraph(inputs, { v })
  core.graph_optimize(graph, "stabilize")
  local out = graph.outputs[1]
  value = spread_value(out)
  if value ~= nil or not out.owner then return value end
  local vector, place = joined_part(out.owner)
  if vector then return settled_value(vector[place]) end
end

--- The one value that all elements of v have whatever the inputs are, as a Lua number: of constants, of what `fill`,
-- `alloc`, `dimshuffle` and checks made of them, of lengths that are known, of parts of stacks and joins. Of other
-- variables a ValueError.
function T.get_scalar_constant_value(v)
  if type(v) == "number" or type(v) == "boolean" then return v end
  v = T.as_tensor_variable(v)
  local value = settled_value(v)
  if value ~= nil then return value end
  if is_fixed(v) then
    util.raise("ValueError", "get_scalar_constant_value: %s has no values or several", tostring(v))
  end
  util.raise("ValueError", "get_scalar_constant_value: %s is not a constant: it depends on an input", tostring(v))
end

--- The value of v as a Lua number where it is a constant scalar, else v.
function T.extract_constant(v)
  local fine, value = pcall(T.get_scalar_constant_value, v)
  if fine then return value end
  return v
end

--- The length of a vector as a Lua integer, where it is known while building, as of stacks, shapes, joins and parts of
-- them; else a ValueError.
function T.get_vector_length(v)
  v = T.as_tensor_variable(v)
  if v.ndim ~= 1 then util.raise("TypeError", "get_vector_length: %s is no vector", tostring(v)) end
  if v.broadcastable[1] then return 1 end
  if core.kind(v) == "constant" then return v.data.shape[1] end
  local length = settled_value(v.shape[0])
  if length then return length end
  util.raise("ValueError", "get_vector_length: the length of %s is not known while building", tostring(v))
end

--- x, or the other value where x is nil.
function T.default(x, default)
  if x == nil then return default end
  return x
end

-- ---- dtypes of literals ---------------------------------------------------------------------------------------------
local floats -- the dtypes that autocast_float_as has set

local function autocaster(name, dtypes)
  return setmetatable({}, {
    __name = name,
    __index = function(_, key) return key == "dtypes" and dtypes() or nil end,
    __call = function(_, value) return core.constant(value).data end,
  })
end

--- What an integer literal becomes: `T.autocast_int(3)` is its array, `T.autocast_int.dtypes` are tried in order.
T.autocast_int = autocaster("autocast_int", function() return { "int8", "int16", "int32", "int64" } end)
--- The same of float literals.
T.autocast_float = autocaster("autocast_float", function()
  if floats then return { table.unpack(floats) } end
  return config.floatX == "float64" and { "float32", "float64" } or { config.floatX }
end)

--- Float literals become the first of these dtypes that holds them, or the last: `local s <close> =
-- T.autocast_float_as("float32")` until the block ends, or `s:close()`.
function T.autocast_float_as(...)
  local dtypes, before = { ... }, floats
  if #dtypes == 0 then util.raise("TypeError", "autocast_float_as: a dtype is expected") end
  core.autocast_floats(...)
  floats = dtypes
  local open = true
  local function close()
    if not open then return end
    open, floats = false, before
    core.autocast_floats(table.unpack(before or {}))
  end
  return setmetatable({ close = close }, { __close = close, __name = "autocast_float_as" })
end

-- ---- division -------------------------------------------------------------------------------------------------------
--- x / y as config.int_division says of two integers: "int" rounds down, "raise" refuses, "floatX" divides.
function T.div_proxy(x, y)
  x, y = T.as_tensor_variable(x), T.as_tensor_variable(y)
  local function discrete(v) return v.dtype == "bool" or v.dtype:find("int", 1, true) end
  if not (discrete(x) and discrete(y)) or config.int_division == "floatX" then return T.true_div(x, y) end
  if config.int_division == "raise" then
    util.raise("TypeError", "With `config.int_division` set to 'raise', dividing two integer types with '/' is "
      .. "forbidden to avoid confusion between integer and floating point divisions. Use // for an integer division, "
      .. "or cast one of the operands to a floating point type.")
  end
  return T.int_div(x, y)
end
T.mod_check = T.mod

methods.get_scalar_constant_value = T.get_scalar_constant_value
methods.conjugate = T.conj
--- Theano's method: x is the condition, `a` what is chosen from.
methods.compress = T.compress

--- A variable whose memory is contiguous: every kernel takes strides, so it is x.
function extra_ops.cpu_contiguous(x)
  return T.as_tensor_variable(x)
end
extra_ops.squeeze, extra_ops.repeat_ = T.squeeze, T.repeat_

--- `Unique(return_index, return_inverse, return_counts, axis)(x)`: Theano's class for what `T.unique` does.
function extra_ops.Unique(return_index, return_inverse, return_counts, axis)
  local o = { return_index = return_index, return_inverse = return_inverse, return_counts = return_counts, axis = axis }
  if util.is_keywords(return_index) then
    o = return_index
  end
  util.check_keywords("Unique", o, { return_index = "boolean", return_inverse = "boolean", return_counts = "boolean",
    axis = "integer" })
  return function(x) return T.unique(x, next(o) and o or { return_index = false }) end
end

-- ---- nnet -----------------------------------------------------------------------------------------------------------
--- A matrix with a column of `value` before the others.
function nnet.prepend_scalar_to_each_row(value, matrix)
  matrix = T.as_tensor_variable(matrix)
  if matrix.ndim ~= 2 then
    util.raise("TypeError", "prepend_scalar_to_each_row: a matrix is expected, not %s", tostring(matrix.type))
  end
  value = T.cast(value, matrix.dtype)
  if value.ndim ~= 0 then util.raise("TypeError", "prepend_scalar_to_each_row: the value must be a scalar") end
  return T.join(1, T.alloc(value, matrix.shape[0], 1), matrix)
end

--- A matrix with a column of ones before the others.
function nnet.prepend_1_to_each_row(matrix)
  return nnet.prepend_scalar_to_each_row(1, matrix)
end

--- A matrix with a column of zeros before the others.
function nnet.prepend_0_to_each_row(matrix)
  return nnet.prepend_scalar_to_each_row(0, matrix)
end

for _, name in ipairs({ "batch_normalization_train", "batch_normalization_test", "batch_normalization" }) do
  nnet[name] = nnet.bn[name]
end
-- ---- ranks, dtypes, second names ------------------------------------------------------------------------------------
--- Whether var has ndim (1) dimensions.
function T.is_flat(var, ndim, outdim)
  ndim = ndim or outdim -- Theano's older name
  util.check_type("is_flat", "ndim", ndim, "integer")
  return T.as_tensor_variable(var).ndim == (ndim or 1)
end

--- y, which is x reduced over `axis`, with the reduced dimensions of length 1 again.
function T.makeKeepDims(x, y, axis)
  x, y = T.as_tensor_variable(x), T.as_tensor_variable(y)
  if type(axis) == "table" and axis.axis ~= nil then axis = axis.axis end
  local reduced, order, n = {}, {}, 0
  for i, d in ipairs(type(axis) == "table" and axis or { axis }) do
    if math.type(d) ~= "integer" or d < -x.ndim or d >= x.ndim then
      util.raise("ValueError", "makeKeepDims: axis[%d] = %s is out of bounds for %d dimensions", i - 1, util.text(d),
        x.ndim)
    end
    reduced[d % x.ndim] = true
  end
  for d = 0, x.ndim - 1 do
    if axis == nil or reduced[d] then
      order[d + 1] = "x"
    else
      order[d + 1], n = n, n + 1
    end
  end
  return y:dimshuffle(table.unpack(order))
end

--- Names of dtypes by kind.
T.int_dtypes = { "int8", "int16", "int32", "int64" }
T.uint_dtypes = { "uint8", "uint16", "uint32", "uint64" }
T.float_dtypes = { "float16", "float32", "float64" }
T.complex_dtypes = { "complex64", "complex128" }
local function joined(...)
  local all = {}
  for _, list in ipairs({ ... }) do table.move(list, 1, #list, #all + 1, all) end
  return all
end
T.integer_dtypes = joined(T.int_dtypes, T.uint_dtypes)
T.discrete_dtypes = joined({ "bool" }, T.integer_dtypes)
T.continuous_dtypes = joined(T.float_dtypes, T.complex_dtypes)
T.all_dtypes = joined(T.discrete_dtypes, T.continuous_dtypes)

T.as_tensor, T.basic = T.as_tensor_variable, T
if T.nlinalg then T.matrix_dot = T.nlinalg.matrix_dot end

-- theano.tensor.nnet.nnet and .sigm are the files that Theano's functions come from.
nnet.nnet, nnet.sigm = nnet.nnet or {}, nnet.sigm or {}
for name, f in pairs(nnet) do
  if type(f) == "function" then nnet.nnet[name] = nnet.nnet[name] or f end
end
for _, name in ipairs({ "sigmoid", "ultra_fast_sigmoid", "hard_sigmoid", "softplus" }) do
  nnet.sigm[name] = nnet[name]
end
package.loaded["theano.tensor.nnet.nnet"], package.loaded["theano.tensor.nnet.sigm"] = nnet.nnet, nnet.sigm

return T
