--- NumPy's answers for every dtype (tensor.json, structure.json): a set of inputs in a memory layout through one
-- function that holds every expression.
-- @module spec.support.numpy_sets
local json = require("dkjson")
local oracle = require("spec.support.oracle")
local theano = require("theano")
local T = require("theano.tensor")
local M = {}

M.modes = {
  interpreter = theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" },
  plain = theano.compile.Mode { linker = "interpreter", optimizer = "None" },
  c = theano.compile.Mode { linker = "c", optimizer = "fast_run" },
}

function M.read(path)
  local file = assert(io.open(path))
  local data = assert(json.decode(file:read("a"), 1, false))
  file:close()
  return data
end

--- The inputs of a set as variables, arrays and an environment for expressions.
-- @tparam {string,...} names
-- @tparam {function,function} layout how an array is given, and how the graph sees the same elements again
-- @tparam {[string]=boolean} kept inputs that stay as they are
-- @tparam {[string]={boolean,...}} patterns broadcastable dimensions of inputs that have them
local function given(set, names, layout, kept, patterns)
  local env, inputs, values = setmetatable({ T = T }, { __index = _G }), {}, {}
  for _, name in ipairs(names) do
    local array, pattern = oracle.array(set.inputs[name]), {}
    if not kept[name] then array = layout[1](array) end
    for d = 1, array.ndim do pattern[d] = patterns[name] ~= nil and patterns[name][d] or false end
    local variable = T.TensorType(array.dtype, pattern)(name)
    inputs[#inputs + 1], values[#values + 1] = variable, array
    env[name] = kept[name] and variable or layout[2](variable)
  end
  return env, inputs, values
end

--- Raises with every difference between what a set's expressions give and NumPy's answers.
-- @tparam table data what read gave
-- @tparam table set one of data.sets
-- @tparam {names={string,...},kept=table,patterns=table} form the inputs
-- @tparam {function,function} layout
-- @param mode of the function
-- @tparam {single=number,double=number} tolerance
function M.check(data, set, form, layout, mode, tolerance)
  local env, inputs, values = given(set, form.names, layout, form.kept, form.patterns)
  local outputs, wants = {}, {}
  for e, expr in ipairs(data.exprs) do
    local want = set.wants[e]
    if want and want ~= json.null then
      local fine, list = pcall(assert(load("return " .. expr, "=" .. expr, "t", env)))
      assert(fine, ("%s on %s: %s"):format(expr, set.dtype, tostring(list)))
      assert(#want == #list, expr)
      for o, v in ipairs(list) do
        outputs[#outputs + 1] = theano.Out(v, { array = true })
        wants[#wants + 1] = { expr = expr, o = o, array = want[o] }
      end
    end
  end
  assert(#wants > 0, "no answers for this set")
  local f = theano.compile({ inputs = inputs, outputs = outputs, mode = mode, on_unused_input = "ignore" })
  local got, wrong = { f(table.unpack(values)) }, {}
  local near = (set.dtype == "float32" or set.dtype == "complex64") and tolerance.single or tolerance.double
  for k, w in ipairs(wants) do
    local why = oracle.differs(got[k], w.array, near, near)
    if why then wrong[#wrong + 1] = ("%s, result %d, on %s: %s"):format(w.expr, w.o, set.dtype, tostring(why)) end
  end
  assert(#wrong == 0, table.concat(wrong, "\n"))
end

return M
