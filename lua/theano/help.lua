--- Text about functions and flags, from the engine's tables.
-- @module theano.help
local core = require("theano.core")
local util = require("theano.util")

local M = {}

--- Signature and one line about a function or flag; KeyError with the nearest name when there is none.
function M.text(name)
  util.expect("help", "the name", name, "string")
  local plain = name:gsub("^theano%.tensor%.", ""):gsub("^T%.", "")
  local names = {}
  for _, f in ipairs(core.functions()) do
    if f.name == plain then return ("T.%s(%s)\n    %s"):format(f.name, f.signature, f.doc) end
    names[#names + 1] = f.name
  end
  for _, f in ipairs(core.config_flags()) do
    if f[1] == plain then return ("theano.config.%s (default %s)\n    %s"):format(f[1], f[3], f[2]) end
    names[#names + 1] = f[1]
  end
  local near = util.nearest(plain, names)
  util.raise("KeyError", "no help on '%s'%s", name, near and (": did you mean '" .. near .. "'?") or "")
end

return M
