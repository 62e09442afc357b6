--- Functions and shared variables by name, for scripts that are loaded again while their program runs.
-- @module theano.keep
local core = require("theano.core")
local util = require("theano.util")

local kept = core.kept -- the engine's own: it outlives package.loaded
local M = {}

--- What is kept under the name; at first `make()` makes it, or `make` is it where it is no function of Lua.
function M.keep(name, make)
  util.expect("keep", "name", name, "string")
  if kept[name] ~= nil then return kept[name] end
  local value = make
  if type(make) == "function" then value = make() end
  if value == nil then util.raise("ValueError", "keep: nothing is kept under '%s', and nothing was given", name) end
  kept[name] = value
  return value
end

--- What is kept under the name, or nil; without a name a table of all names.
function M.kept(name)
  if name ~= nil then
    util.expect("kept", "name", name, "string")
    return kept[name]
  end
  local all = {}
  for k, v in pairs(kept) do all[k] = v end
  return all
end

--- Keeps it no longer; gives it.
function M.forget(name)
  util.expect("forget", "name", name, "string")
  local value = kept[name]
  kept[name] = nil
  return value
end

return M
