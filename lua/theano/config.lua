--- Flags: `theano.config.floatX = "float32"`. Read from .theanorc, then THEANO_FLAGS, then set here; later wins.
-- @module theano.config
if not package.loaded["theano"] then require("theano") return require("theano.config") end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local config = {}
local M = {}

local function typed(text)
  if text == "True" or text == "true" then return true end
  if text == "False" or text == "false" then return false end
  return math.tointeger(text) or tonumber(text) or text
end

-- Sets a flag. While test values are wanted, what is built is looked at.
local function set(name, value)
  core.config_set(name, value)
  if name ~= "compute_test_value" then return end
  core.on_build(M.test_values() and function(...) require("theano.test_value").built(...) end or nil)
end

--- How test values are wanted: "ignore", "warn", "raise", or nil when off.
function M.test_values()
  local policy = core.config_get("compute_test_value")
  return policy ~= "off" and policy or nil
end

--- Reads ~/.theanorc (or the files of THEANORC, ":"-separated) and THEANO_FLAGS, unless the host says otherwise.
function M.load()
  if not core.environment() then return end
  local rc = os.getenv("THEANORC")
  if not rc and os.getenv("HOME") then rc = os.getenv("HOME") .. "/.theanorc" end
  for path in (rc or ""):gmatch("[^:]+") do core.config_read(path) end
  local flags = os.getenv("THEANO_FLAGS")
  if flags and flags ~= "" then core.config_parse(flags) end
  set("compute_test_value", core.config_get("compute_test_value"))
end

--- Sets flags for a scope: `local scope <close> = theano.config.change_flags{floatX = "float32"}`.
-- When one of them is wrong nothing is changed.
function M.change_flags(flags)
  util.expect("change_flags", "its argument", flags, "table")
  local names, old = {}, {}
  for name in pairs(flags) do names[#names + 1] = tostring(name) end
  table.sort(names)
  for _, name in ipairs(names) do old[name] = core.config_get(name) end
  local function restore()
    for name, value in pairs(old) do set(name, value) end
  end
  for _, name in ipairs(names) do
    local fine, message = pcall(set, name, flags[name])
    if not fine then
      restore()
      error(message, 0)
    end
  end
  return setmetatable({}, { __close = restore })
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
  __newindex = function(_, k, v) set(k, v) end,
  __tostring = function()
    local lines = {}
    for _, f in ipairs(core.config_flags()) do
      local allowed = f[4] ~= "" and (" {%s}"):format(f[4]:gsub(",", ", ")) or ""
      lines[#lines + 1] = ("%s = %s\n    %s%s"):format(f[1], core.config_get(f[1]), f[2], allowed)
    end
    return table.concat(lines, "\n")
  end,
})
