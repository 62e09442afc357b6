--- Test values (the flag compute_test_value): with a value in `x.tag.test_value` of each input, everything built
-- from them is computed at once, so that a wrong shape raises at the line that makes it.
-- @module theano.test_value
local config = require("theano.config")
local core = require("theano.core")
local util = require("theano.util")

local M = {}
local busy = false -- while values are computed nothing is looked at

-- Values as they are stored: of the variable's type.
local function own_value(v)
  local value = v.tag.test_value
  if value == nil then return nil end
  local fine, kept = pcall(v.type.filter, v.type, value)
  if not fine then
    util.raise(require("theano").error_kind(kept) or "TypeError", "the test value of %s does not fit: %s", tostring(v),
      (tostring(kept):gsub("^.-: %u%w*: ", "", 1)))
  end
  return kept
end

local function is_tensor(v) return tostring(v.type):find("^TensorType") ~= nil end

-- What has to be computed for `vars`, inputs first, and the variables whose values that starts from. Third: a leaf
-- without a value.
local function missing_values(vars)
  local order, from, values, seen = {}, {}, {}, {}
  local stack = {}
  for i = #vars, 1, -1 do stack[#stack + 1] = { vars[i] } end
  while #stack > 0 do
    local top = stack[#stack]
    local v = top[1]
    if top[2] then -- its inputs are done
      stack[#stack] = nil
      order[#order + 1] = v
    elseif seen[v] then
      stack[#stack] = nil
    else
      seen[v] = true
      local kind, value = core.kind(v), own_value(v)
      if value ~= nil then
        from[#from + 1], values[#values + 1] = v, value
        stack[#stack] = nil
      elseif kind ~= "variable" then
        stack[#stack] = nil
      elseif not v.owner then
        return nil, nil, nil, v
      else
        top[2] = true
        for _, input in ipairs(v.owner.inputs) do
          if not seen[input] then stack[#stack + 1] = { input } end
        end
      end
    end
  end
  return order, from, values
end

local function complain(policy, v)
  if policy == "ignore" then return end
  local text = ("%s has no test value: set %s.tag.test_value"):format(tostring(v), v.name or "its")
  if policy == "raise" then util.raise("AttributeError", "%s", text) end
  io.stderr:write("warning: ", util.where() or "?", ": ", text, "\n")
end

local function compute(vars, policy)
  local order, from, values, leaf = missing_values(vars)
  if leaf then return complain(policy, leaf) end
  local compile, outputs, wanted = require("theano.compile"), {}, {}
  for _, v in ipairs(order) do
    if is_tensor(v) then
      wanted[#wanted + 1] = v
      outputs[#outputs + 1] = compile.Out(v, { array = true })
    end
  end
  if #wanted == 0 then return end
  local f = compile({
    inputs = from, outputs = outputs, on_unused_input = "ignore",
    mode = compile.Mode({ linker = "interpreter", optimizer = "None" }),
  })
  local results = table.pack(f(table.unpack(values)))
  for i, v in ipairs(wanted) do v.tag.test_value = results[i] end
end

--- Computes the test values of variables that were just built; called by the engine's binding.
function M.built(...)
  local policy = config.test_values()
  if busy or not policy then return end
  busy = true
  local fine, message = pcall(compute, { ... }, policy)
  busy = false
  if not fine then error(message, 0) end
end

--- fn(...) with nothing computed: for graphs over stand-ins, which have no values of their own.
function M.without(fn, ...)
  if busy or not config.test_values() then return fn(...) end
  busy = true
  local r = table.pack(pcall(fn, ...))
  busy = false
  if not r[1] then error(r[2], 0) end
  return table.unpack(r, 2, r.n)
end

--- The test value of a variable, a constant or a shared variable, as an array; raises an AttributeError where there is
-- none.
function M.get_test_value(v)
  if not util.is_var(v) then util.raise("TypeError", "get_test_value takes a Variable, got %s", type(v)) end
  local value = own_value(v)
  if value == nil and core.kind(v) == "constant" then value = v.data end
  if value == nil and core.kind(v) == "shared" then value = v:get_value({ array = true }) end
  if value == nil then util.raise("AttributeError", "%s has no test value", tostring(v)) end
  return value
end

return M
