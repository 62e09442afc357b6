--- Small helpers of the Lua side. Errors look as those of the engine: "file:line: Kind: message".
-- @module theano.util
local core = require("theano.core")

local M = {}

local home = debug.getinfo(1, "S").source:gsub("util%.lua$", "")

--- "file:line" of the first frame outside our own files, or nil.
function M.where()
  for level = 2, 1000 do
    local info = debug.getinfo(level, "Sl")
    if not info then return nil end
    if info.currentline >= 0 and info.source:sub(1, #home) ~= home then
      return ("%s:%d"):format(info.source:match("^[@=](.*)$") or info.short_src, info.currentline)
    end
  end
end

-- What Lua writes for a float follows the locale; a point is a point here.
local function pointed(text) return (text:gsub("[^0-9A-Za-z+-]+", ".")) end

--- As Lua's tostring, but numbers look the same in every locale.
function M.text(v) return math.type(v) == "float" and pointed(tostring(v)) or tostring(v) end

--- As string.format, but numbers look the same in every locale.
function M.format(format, ...)
  local values, n = { ... }, 0
  local full = format:gsub("%%([-+ #0-9.]*)([%a%%])", function(flags, kind)
    if kind == "%" then return nil end
    n = n + 1
    if kind == "s" and math.type(values[n]) == "float" then
      values[n] = M.text(values[n])
    elseif kind:find("[aAeEfgG]") and type(values[n]) == "number" then
      local text = ("%" .. flags .. kind):format(values[n])
      local blanks, rest = text:match("^( *)(.*)$")
      local digits, behind = rest:match("^(.-)( *)$")
      values[n] = blanks .. pointed(digits) .. behind
      return "%s"
    end
  end)
  return full:format(table.unpack(values, 1, select("#", ...)))
end

--- Raises `Kind: message` at the first frame outside our own files.
function M.raise(kind, format, ...)
  local text = select("#", ...) > 0 and M.format(format, ...) or format
  for level = 2, 1000 do
    local info = debug.getinfo(level, "Sl")
    if not info then break end
    if info.currentline >= 0 and info.source:sub(1, #home) ~= home then
      local file = info.source:match("^[@=](.*)$") or info.short_src
      error(("%s:%d: %s: %s"):format(file, info.currentline, kind, text), 0)
    end
  end
  error(kind .. ": " .. text, 0)
end

--- True for a non-empty table all of whose keys are strings (and which is no class of ours).
function M.is_keywords(t)
  if type(t) ~= "table" or getmetatable(t) ~= nil then return false end
  for k in pairs(t) do
    if type(k) ~= "string" then return false end
  end
  return next(t) ~= nil
end

--- Checks the keys of a keyword table; unknown ones raise and list the known ones.
function M.check_keywords(what, t, known)
  for k in pairs(t) do
    if not known[k] then
      local names = {}
      for n in pairs(known) do names[#names + 1] = n end
      table.sort(names)
      M.raise("TypeError", "%s: unknown keyword '%s' (known: %s)", what, tostring(k), table.concat(names, ", "))
    end
  end
end

--- Positional values and one trailing table of keywords, as a table of all by name.
-- @tparam string what function's name, for messages
-- @tparam table names parameters in order
function M.bind(what, names, ...)
  local n = select("#", ...)
  local given, out = { ... }, {}
  if n > 0 and M.is_keywords(given[n]) then
    M.check_keywords(what, given[n], M.set(names))
    for k, v in pairs(given[n]) do out[k] = v end
    n = n - 1
  end
  if n > #names then M.raise("TypeError", "%s takes at most %d arguments, got %d", what, #names, n) end
  for i = 1, n do out[names[i]] = given[i] end
  return out
end

--- Arguments that must be there, made Variables in place.
-- @tparam string what function's name, for messages
-- @tparam table a arguments by name, as from bind
-- @tparam table names those that are needed
-- @tparam function as_variable T.as_tensor_variable
function M.need(what, a, names, as_variable)
  for _, name in ipairs(names) do
    if a[name] == nil then M.raise("TypeError", "%s: argument '%s' is missing", what, name) end
    a[name] = as_variable(a[name])
  end
end

--- True for a symbolic variable of any kind.
function M.is_var(v)
  if type(v) ~= "userdata" then return false end
  local k = core.kind(v)
  return k == "variable" or k == "constant" or k == "shared"
end

--- Checks one argument's Lua type ("number", "string", "table", "function", or "ndarray"); raises a TypeError.
function M.expect(what, name, value, wanted)
  local got = M.is_array(value) and "ndarray" or type(value)
  if got ~= wanted then M.raise("TypeError", "%s: %s should be a %s, not %s", what, name, wanted, got) end
end

function M.is_array(v)
  return type(v) == "userdata" and core.kind(v) == "ndarray"
end

--- A set from a list of names.
function M.set(names)
  local s = {}
  for _, n in ipairs(names) do s[n] = true end
  return s
end

--- Nearest of the names to s, for messages; nil when none is near.
function M.nearest(s, names)
  local best, least = nil, #s < 4 and 2 or 3 -- further away it is another word
  for _, n in ipairs(names) do
    local row = {}
    for j = 0, #n do row[j] = j end
    for i = 1, #s do
      local last = row[0]
      row[0] = i
      for j = 1, #n do
        local cost = s:byte(i) == n:byte(j) and last or last + 1
        last = row[j]
        row[j] = math.min(cost, row[j] + 1, row[j - 1] + 1)
      end
    end
    if row[#n] < least then best, least = n, row[#n] end
  end
  return best
end

--- Names in columns that fill lines of a width, read downwards.
function M.columns(names, width)
  local widest = 1
  for _, name in ipairs(names) do widest = math.max(widest, #name + 2) end
  local across = math.max(1, width // widest)
  local down = (#names + across - 1) // across
  local lines = {}
  for row = 1, down do
    local line = {}
    for at = row, #names, down do line[#line + 1] = names[at] .. (" "):rep(widest - #names[at]) end
    lines[row] = table.concat(line):gsub(" +$", "")
  end
  return table.concat(lines, "\n")
end

return M
