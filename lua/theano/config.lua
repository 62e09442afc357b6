--- Flags: `theano.config.floatX = "float32"`. Read from .theanorc, then THEANO_FLAGS, then set here; later wins.
-- @module theano.config
local core = require("theano.core")

local config = {}
local M = {}

local function typed(text)
  if text == "True" or text == "true" then return true end
  if text == "False" or text == "false" then return false end
  return math.tointeger(text) or tonumber(text) or text
end

--- Reads ~/.theanorc (or the files of THEANORC, ":"-separated) and THEANO_FLAGS.
function M.load()
  local rc = os.getenv("THEANORC")
  if not rc and os.getenv("HOME") then rc = os.getenv("HOME") .. "/.theanorc" end
  for path in (rc or ""):gmatch("[^:]+") do core.config_read(path) end
  local flags = os.getenv("THEANO_FLAGS")
  if flags and flags ~= "" then core.config_parse(flags) end
end

--- Sets flags for a scope: `local scope <close> = theano.config.change_flags{floatX = "float32"}`.
function M.change_flags(flags)
  local old = {}
  for k, v in pairs(flags) do
    old[k] = core.config_get(k)
    core.config_set(k, v)
  end
  return setmetatable({}, {
    __close = function()
      for k, v in pairs(old) do core.config_set(k, v) end
    end,
  })
end

-- Flags with a dot ("gcc.cxxflags") are reached as config.gcc.cxxflags or config["gcc.cxxflags"].
local function section(prefix)
  return setmetatable({}, {
    __index = function(_, k) return typed(core.config_get(prefix .. "." .. k)) end,
    __newindex = function(_, k, v) core.config_set(prefix .. "." .. k, v) end,
  })
end

local sections = {}
for _, f in ipairs(core.config_flags()) do
  local prefix = f[1]:match("^([^.]+)%.")
  if prefix then sections[prefix] = sections[prefix] or section(prefix) end
end

return setmetatable(config, {
  __index = function(_, k) return M[k] or sections[k] or typed(core.config_get(k)) end,
  __newindex = function(_, k, v) core.config_set(k, v) end,
  __tostring = function()
    local lines = {}
    for _, f in ipairs(core.config_flags()) do
      lines[#lines + 1] = ("%s = %s\n    %s"):format(f[1], core.config_get(f[1]), f[2])
    end
    return table.concat(lines, "\n")
  end,
})
