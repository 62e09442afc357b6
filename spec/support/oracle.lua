--- Reads the reference answers of spec/data (the README there has the format), runs a case, says how it differs.
-- In a spec:
--     local mode = theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" }
--     for _, case in ipairs(oracle.cases("dot")) do
--       it(case.id, function() oracle.hold(case, mode) end)
--     end
-- @module spec.support.oracle
local json = require("dkjson")
local slurp = require("spec.support.slurp")

local M = { folder = "spec/data" }

--- Names of the files that hold cases.
M.files = {
  "conv", "dot", "dtype_rules", "elemwise_error_tables", "elemwise_grad_tables", "elemwise_tables", "extra_ops", "fft",
  "join_split", "linalg", "nnet", "pool", "reductions", "scan", "shape_ops", "sparse", "subtensor",
}

--- All cases of one file, in order.
-- @tparam string name such as "dot" for spec/data/dot.json
function M.cases(name)
  local list, _, problem = json.decode(slurp(("%s/%s.json"):format(M.folder, name)))
  return assert(list, problem)
end

-- ---- values -------------------------------------------------------------------------------------------------------
local SPECIAL = { nan = -(0 / 0), inf = math.huge, ["-inf"] = -math.huge } -- the NaN without a minus

-- A real number as JSON holds it; decimal strings are uint64 and give their 64 bits as a Lua integer.
local function real(v)
  if type(v) ~= "string" then return v end
  if SPECIAL[v] then return SPECIAL[v] end
  local bits = 0
  for digit in v:gmatch("%d") do bits = bits * 10 + math.tointeger(tonumber(digit)) end
  return bits
end

local function float(v)
  return math.type(v) == "integer" and v + 0.0 or v -- not for floats: -0.0 + 0.0 is 0.0
end

local function element(v, is_float)
  if type(v) == "table" then return require("theano.ndarray").complex(float(real(v[1])), float(real(v[2]))) end
  v = real(v)
  return is_float and float(v) or v
end

--- The ndarray of a case's input or output.
-- @tparam table t with dtype, shape and flat data
function M.array(t)
  local nd = require("theano.ndarray")
  if #t.data == 0 then return nd.zeros({ table.unpack(t.shape) }, t.dtype) end
  local flat, is_float = {}, t.dtype:find("float", 1, true) ~= nil
  for i, v in ipairs(t.data) do flat[i] = element(v, is_float) end
  return nd.array(flat, t.dtype):reshape({ table.unpack(t.shape) })
end

local function near(a, b, rtol, atol)
  if a == b then return true end
  if a ~= a or b ~= b then return a ~= a and b ~= b end
  if math.abs(a) == math.huge or math.abs(b) == math.huge then return false end
  return math.abs(a - b) <= atol + rtol * math.abs(b)
end

local function element_near(got, want, rtol, atol)
  if type(want) == "boolean" then return got == want end
  if type(want) == "table" then
    if type(got) == "number" or type(got) == "boolean" then return false end
    return near(got.real, real(want[1]), rtol, atol) and near(got.imag, real(want[2]), rtol, atol)
  end
  if type(got) ~= "number" then return false end
  return near(got, real(want), rtol, atol)
end

local function show(v)
  if type(v) == "table" then return ("%s%+gj"):format(v[1], real(v[2])) end
  return tostring(v)
end

--- How an array differs from the wanted answer: nil when it does not.
-- @tparam ndarray got
-- @tparam table want dtype, shape, data
-- @tparam number rtol
-- @tparam number atol
-- @tparam[opt] table other a second answer, of which each element may be taken instead
function M.differs(got, want, rtol, atol, other)
  if got.dtype ~= want.dtype then return ("dtype %s, wanted %s"):format(got.dtype, want.dtype) end
  local shape, wanted = table.concat(got.shape, ","), table.concat(want.shape, ",")
  if shape ~= wanted then return ("shape (%s), wanted (%s)"):format(shape, wanted) end
  if #want.data == 0 then return nil end
  local flat = got:reshape({ -1 }):tolist()
  for i, w in ipairs(want.data) do
    local fine = element_near(flat[i], w, rtol, atol) or other and element_near(flat[i], other.data[i], rtol, atol)
    if not fine then return ("element %d is %s, wanted %s"):format(i - 1, tostring(flat[i]), show(w)) end
  end
end

-- ---- running ------------------------------------------------------------------------------------------------------
local function environment(case)
  local theano, T = require("theano"), require("theano.tensor")
  local env = setmetatable({ theano = theano, T = T, nd = require("theano.ndarray") }, { __index = _G })
  local inputs = {}
  for i, input in ipairs(case.inputs) do
    local pattern = input.broadcastable
    if not pattern then
      pattern = {}
      for k, length in ipairs(input.shape) do pattern[k] = length == 1 end
    end
    inputs[i] = T.TensorType(input.dtype, pattern)(input.name)
    env[input.name] = inputs[i]
  end
  return env, inputs
end

--- Compile a case: the function and its graph's inputs. Raises what the engine raises.
-- @tparam table case
-- @param[opt] mode what theano.compile takes: a name or a Mode
function M.compile(case, mode)
  local theano, T = require("theano"), require("theano.tensor")
  local env, inputs = environment(case)
  local built = assert(load("return " .. case.expr, "=" .. case.id, "t", env))()
  if case.grad_wrt then
    local wrt = {}
    for i, name in ipairs(case.grad_wrt) do wrt[i] = env[name] end
    built = T.grad(built, wrt, { disconnected_inputs = "ignore" })
  end
  local outputs = type(built) == "table" and getmetatable(built) == nil and built or { built }
  for i, output in ipairs(outputs) do outputs[i] = theano.Out(T.as_tensor_variable(output), { array = true }) end
  return theano.compile {
    inputs = inputs, outputs = outputs, mode = mode, on_unused_input = "ignore", allow_input_downcast = false,
  }, inputs
end

--- Build, compile and call a case.
-- @treturn {ndarray,...} its outputs
function M.run(case, mode)
  local f = M.compile(case, mode)
  local values = {}
  for i, input in ipairs(case.inputs) do values[i] = M.array(input) end
  return { f(table.unpack(values, 1, #values)) }
end

--- The first name a case uses that does not exist, such as "T.batched_dot"; nil when all exist.
function M.missing(case)
  local env, inputs = environment(case)
  for root, path in case.expr:gmatch("%f[%w_](%a+)%.([%a_][%w_%.]*)") do
    local at = (root == "T" or root == "theano" or root == "nd") and env[root]
    for part in path:gmatch("[^.]+") do
      if not at then break end
      local fine, value = pcall(function() return at[part] end)
      if not fine or value == nil then return root .. "." .. path end
      at = type(value) == "table" and value
    end
  end
  for method in case.expr:gmatch("[%w_%)%]]:([%a_][%w_]*)%s*[%(%{]") do
    local fine, value = pcall(function() return inputs[1][method] end)
    if inputs[1] and (not fine or value == nil) then return ":" .. method end
  end
end

-- The optimizer may make an answer steadier than the graph as written: without it elements may be the naive ones.
local function naive(case, mode)
  local name = mode
  if type(mode) == "table" then name = mode.optimizer or mode.mode end
  local plain = name == "None" or name == "FAST_COMPILE" or name == "fast_compile"
  return plain and case.opt_dependent and case.outputs_noopt or nil
end

-- Kinds that say "these operands do not fit", in one engine or the other. What is missing or unknown is no such answer.
local REFUSALS = { ValueError = true, TypeError = true, IndexError = true, ShapeError = true, AssertionError = true }

local function wrong_error(case, mode, fine, result)
  if fine then return "nothing raised, wanted " .. case.error_type .. ": " .. case.error_text end
  local kind = tostring(result):match("^[^\n]-:%d+: (%a+): .")
  if not REFUSALS[kind] and kind ~= case.error_type then
    return "wanted " .. case.error_type .. ", raised " .. tostring(result)
  end
  -- The mode itself must work, or its refusal would count as the answer.
  local x = require("theano.tensor").dscalar("x")
  require("theano").compile { inputs = { x }, outputs = x + 1, mode = mode }
end

--- Why a case does not hold: nil when it does.
function M.failure(case, mode)
  local fine, result = pcall(M.run, case, mode)
  if case.expected_error then return wrong_error(case, mode, fine, result) end
  if not fine then return tostring(result) end
  if #result ~= #case.outputs then return ("%d outputs, wanted %d"):format(#result, #case.outputs) end
  local others = naive(case, mode) or {}
  for i, want in ipairs(case.outputs) do
    local why = M.differs(result[i], want, case.rtol or 0, case.atol or 0, others[i])
    if why then return ("output %d: %s"):format(i - 1, why) end
  end
end

--- Assert that a case holds.
-- @tparam table case
-- @param[opt] mode what theano.compile takes
function M.hold(case, mode)
  local why = M.failure(case, mode)
  if why then error(("%s: %s\n  %s"):format(case.id, case.expr, why), 0) end
end

-- ---- printed graphs -----------------------------------------------------------------------------------------------
--- A file of spec/data/debugprint: {inputs = text, lua = code, sections = {title = text}, order = {titles}}.
-- Trailing newlines of a section are dropped; its lines are kept as Theano printed them, trailing blanks and all.
function M.prints(name)
  local file = { sections = {}, order = {}, lua = "" }
  local title, in_lua
  for text in (slurp(("%s/debugprint/%s.txt"):format(M.folder, name)) .. "\n"):gmatch("(.-)\n") do
    local heading = text:match("^## (.*)$")
    if heading then
      title, in_lua = heading, false
      file.order[#file.order + 1], file.sections[heading] = heading, {}
    elseif title then
      table.insert(file.sections[title], text)
    elseif text:match("^%-%- inputs:") then
      file.inputs = text:match("^%-%- inputs:%s*(.*)$")
    elseif text:match("^%-%- Lua:") then
      in_lua = true
    elseif in_lua and text:match("^%-%-") then
      file.lua = file.lua .. text:gsub("^%-%-%s*", "") .. "\n"
    end
  end
  for heading, lines in pairs(file.sections) do
    file.sections[heading] = (table.concat(lines, "\n"):gsub("\n+$", ""))
  end
  return file
end

return M
