--- Conditionals: `theano.ifelse(condition, then_branch, else_branch)` computes only the branch that is taken.
-- @module theano.ifelse
if not package.loaded["theano"] then require("theano") return require("theano.ifelse") end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local M = {}
local T -- theano.tensor, on first use
local raise = util.raise

local function is_value(v) return util.is_var(v) or util.is_array(v) or type(v) == "number" or type(v) == "boolean" end

-- A branch as a list of Variables, and whether it was a list.
local function values(branch, which)
  if is_value(branch) then return { T.as_tensor_variable(branch) }, false end
  local what = ("ifelse: the %s branch"):format(which)
  if type(branch) ~= "table" or core.length(branch, what) == 0 then
    raise("TypeError", "%s must be a value or a list of values, got %s", what, util.kind_of(branch))
  end
  return util.each(what, branch, function(v, place)
    if not is_value(v) then raise("TypeError", "%s is %s", place, util.kind_of(v)) end
    return T.as_tensor_variable(v)
  end), true
end

--- The value of one of two branches, chosen while the function runs: nonzero takes `then_branch`. What only the other
-- branch needs is not computed. Branches are values, or lists of as many values with pairwise equal types; a list comes
-- back as a list. `T.switch` chooses element by element and computes both.
-- @param condition a scalar
-- @param then_branch a value or a list
-- @param else_branch a value or a list
-- @param name shown in prints as `if{name}`; or a table {name = ..}
function M.ifelse(condition, then_branch, else_branch, name)
  T = T or require("theano.tensor")
  if type(name) == "table" then
    util.check_keywords("ifelse", name, { name = true })
    name = name.name
  end
  util.check_type("ifelse", "name", name, "string")
  if not is_value(condition) then raise("TypeError", "ifelse: the condition is a %s", type(condition)) end
  if then_branch == nil or else_branch == nil then
    raise("TypeError", "ifelse takes a condition and two branches: ifelse(condition, then_branch, else_branch)")
  end
  local cond = T.as_tensor_variable(condition)
  local yes, many = values(then_branch, "then")
  local no, also = values(else_branch, "else")
  if #yes ~= #no then
    raise("ValueError", "The number of values on the `then` branch should have the same number of variables as the "
      .. "`else` branch : (variables on `then` %d, variables on `else` %d)", #yes, #no)
  end
  local out = core.ifelse({ cond = { cond }, yes = yes, no = no, name = name })
  if many or also then return out end
  return out[1]
end

package.loaded["theano.ifelse"] = setmetatable(M, {
  __call = function(_, ...) return M.ifelse(...) end,
})
return M
