--- Copies of expressions with other variables in the places of some.
-- @module theano.clone
local core = require("theano.core")
local updates = require("theano.updates")
local util = require("theano.util")

local known = { replace = true, strict = "boolean", share_inputs = "boolean" }

--- `theano.clone(output, {replace = {{x, y}, ..} or {[x] = y}, strict = true, share_inputs = true})`: a copy of one
-- Variable or of a sequence of them. With strict, a replacement must have the type of what it replaces; with
-- `share_inputs = false` inputs and shared variables are new variables, too; new shared variables have the old
-- ones' storage.
local function clone(output, replace, options)
  if util.is_keywords(replace) then replace, options = nil, replace end
  options = options or {}
  util.check_keywords("clone", options, known)
  replace = replace or options.replace
  local list, single = util.variables("clone: the output", output)
  local replacements, T = {}, require("theano.tensor")
  for i, p in ipairs(updates.pairs_of(replace, "replace")) do
    if not util.is_var(p[1]) then util.raise("TypeError", "clone: entry %d of replace is for a %s", i, type(p[1])) end
    replacements[i] = { p[1], T.as_tensor_variable(p[2]) }
  end
  local copies = core.clone(list, replacements, options.strict ~= false, options.share_inputs == false)
  if single then return copies[1] end
  return copies
end

return util.by_position("clone", clone, 2, { "strict", "share_inputs" })
