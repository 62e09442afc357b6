--- Everything that a program can call: functions found by walking the module tables, and methods of every kind of
-- object.
-- @module spec.fuzz.api.targets
local M = {}

-- Never called: what ends or blocks the process, reads the terminal, or is about this process and not about values.
local LEFT_OUT = {
  ["theano.repl"] = true, ["theano.modules"] = true, ["theano.help"] = true, ["theano.core"] = true,
  ["theano.config"] = true, ["theano.reference"] = true, ["theano.names"] = true, ["theano.util"] = true,
  ["theano.spec"] = true,
}

-- "(x, axis=None, *, keepdims=False)" -> its names.
local function keywords_of(signature)
  local names = {}
  for name in (signature or ""):gmatch("([%a_][%w_]*)%s*=?") do names[#names + 1] = name end
  return names
end

local function signatures()
  local by = {}
  for _, f in ipairs(require("theano.core").functions()) do by[f.name:match("[^.]+$")] = keywords_of(f.signature) end
  return by
end

local function callable(v)
  local meta = (type(v) == "table" or type(v) == "userdata") and debug.getmetatable(v) -- a type is called, too
  return type(v) == "function" or type(meta) == "table" and rawget(meta, "__call") ~= nil
end

--- A list of {name =, call =, method = kind or nil, keywords = names}, always in one order.
-- @tparam table objects one object of each kind by name, for their methods
function M.list(objects)
  local theano = require("theano")
  local list, seen, known = {}, {}, signatures()
  local function add(name, f, method)
    local key = method and name or f
    if seen[key] then return end
    seen[key] = true
    list[#list + 1] = { name = name, call = f, method = method, keywords = known[name:match("[%w_]+$")] }
  end
  local function walk(t, prefix, depth)
    if seen[t] or LEFT_OUT[prefix] then return end
    seen[t] = true
    local names = {}
    for k in next, t do
      if type(k) == "string" and not k:find("^__") then names[#names + 1] = k end
    end
    table.sort(names)
    for _, k in ipairs(names) do
      local v, name = rawget(t, k), prefix .. "." .. k
      if not LEFT_OUT[name] then
        if callable(v) then add(name, v) end
        if type(v) == "table" and depth < 4 and not objects[v] then walk(v, name, depth + 1) end
      end
    end
  end
  walk(theano, "theano", 0)
  for _, kind in ipairs(objects.kinds) do
    for _, name in ipairs(objects.methods(kind)) do
      add(kind .. ":" .. name, function(self, ...) return self[name](self, ...) end, kind)
    end
    for _, what in ipairs({ "index", "assign", "length", "text", "concat", "equal", "less" }) do
      add(kind .. ":" .. what .. "()", objects.operators[what], kind)
    end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

return M
