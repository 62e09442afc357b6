--- Ordered pairs (shared variable, new value).
-- @module theano.updates
if not package.loaded["theano"] then require("theano") return require("theano.updates") end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local M = {}
local Updates = {}
Updates.__index = function(u, key)
  if type(key) ~= "string" then return Updates.get(u, key) end
  return Updates[key]
end

local function check(key)
  if type(key) ~= "userdata" or core.kind(key) ~= "shared" then
    util.raise("TypeError", "OrderedUpdates keys must be SharedVariables, got %s", util.is_var(key) and tostring(key)
      or util.kind_of(key))
  end
end

--- An ordered map from shared variables to expressions; from a list of pairs, a map, or nothing.
function M.OrderedUpdates(from)
  local u = setmetatable({ pairs = {}, at = {} }, Updates)
  if from then u:update(from) end
  return u
end

function Updates:set(key, value)
  check(key)
  local i = self.at[key]
  if not i then
    i = #self.pairs + 1
    self.at[key] = i
  end
  self.pairs[i] = { key, value }
end

function Updates:get(key)
  local i = self.at[key]
  return i and self.pairs[i][2]
end

--- Adds another set of updates; a key with another expression is a KeyError.
function Updates:update(other)
  for _, p in ipairs(M.pairs_of(other, "updates")) do
    local i = self.at[p[1]]
    if i and self.pairs[i][2] ~= p[2] then
      util.raise("KeyError", "Collision: %s is updated twice", tostring(p[1]))
    end
    self:set(p[1], p[2])
  end
  return self
end

Updates.__newindex = function(u, key, value) u:set(key, value) end
Updates.__pairs = function(u)
  local i = 0
  return function()
    i = i + 1
    if u.pairs[i] then return u.pairs[i][1], u.pairs[i][2] end
  end
end
Updates.__add = function(a, b) return M.OrderedUpdates(a):update(b) end
Updates.__len = function(u) return #u.pairs end

-- {variable, value}, and nothing else.
local function pair(p, place)
  local entry = place:match("%[(%d+)%]$")
  if type(p) ~= "table" or getmetatable(p) ~= nil then
    util.raise("TypeError", "%s is %s: entry %s is no pair {variable, value}", place, util.kind_of(p), entry)
  end
  for i = 1, 2 do
    if p[i] == nil then
      util.raise("TypeError", "%s[%d] is nil: entry %s is no pair {%s, value}", place, i, entry,
        i == 1 and "variable" or util.is_var(p[1]) and tostring(p[1]) or util.kind_of(p[1]))
    end
  end
  local n = core.length(p, place)
  if n > 2 then util.raise("TypeError", "%s has %d entries: it is no pair {variable, value}", place, n) end
  return { p[1], p[2] }
end

--- A sequence of {key, value} from OrderedUpdates, a sequence of pairs, or a map (ordered by creation of its keys).
function M.pairs_of(t, what)
  if t == nil then return {} end
  if getmetatable(t) == Updates then return t.pairs end
  if type(t) ~= "table" then
    util.raise("TypeError", "%s is a sequence of pairs or a map, got %s", what, util.kind_of(t))
  end
  local list = {}
  if next(t) == nil then return list end
  if math.type(next(t)) == "integer" then return util.each(what, t, pair) end
  for k, v in pairs(t) do
    if not util.is_var(k) then
      util.raise("TypeError", "%s: keys are Variables, as in {[w] = value}, got %s", what,
        type(k) == "string" and "the text '" .. k .. "'" or tostring(k))
    end
    list[#list + 1] = { k, v }
  end
  table.sort(list, function(a, b) return core.serial(a[1]) < core.serial(b[1]) end)
  return list
end

return M
