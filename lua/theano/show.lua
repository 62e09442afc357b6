--- How a session shows a value: variables with their types, arrays with dtype and shape, tables by their entries.
-- @module theano.show
local core = require("theano.core")
local theano = require("theano")
local util = require("theano.util")

local WIDTH, ENTRIES, DEPTH, TEXT = 100, 50, 4, 400

local function lengths(shape)
  local list = {}
  for i, n in ipairs(shape) do list[i] = tostring(n) end
  return "(" .. table.concat(list, ", ") .. (#list == 1 and "," or "") .. ")"
end

local function clipped(text)
  if #text <= TEXT then return text end
  return text:sub(1, TEXT) .. " .."
end

local function variable(v, brief)
  if brief then return tostring(v) end
  local text = v.owner and clipped(theano.pp(v)) or tostring(v)
  local kind = core.kind(v)
  if kind == "shared" then
    return ("%s  -- shared %s, now %s"):format(text, tostring(v.type), clipped(tostring(v:get_value({ array = true }))))
  end
  local name = v.owner and v.name and v.name .. " = " or ""
  if v.owner and v.name then text = theano.pp(v.owner.outputs[v.index + 1]) end
  return ("%s%s  -- %s"):format(name, text, tostring(v.type))
end

local function array(a, brief)
  local about = ("%s %s"):format(a.dtype, lengths(a.shape))
  if brief and a.size > 8 then return ("<ndarray %s>"):format(about) end
  local text = tostring(a)
  if brief then return text:find("\n") and ("<ndarray %s>"):format(about) or text end
  return ("%s%s-- %s"):format(text, text:find("\n") and "\n" or "  ", about)
end

local function compiled(f)
  local names, name = f.input_names, f.name
  for i = 1, #names do names[i] = names[i] and names[i] ~= "" and names[i] or "_" end
  return ("<function %s(%s)>"):format(name or "", table.concat(names, ", "))
end

local show

local function key_of(k)
  if type(k) == "string" and k:find("^[%a_][%w_]*$") then return k .. " = " end
  return "[" .. show(k, 1) .. "] = "
end

local function entries(t, depth)
  local list, n = {}, #t
  for i = 1, math.min(n, ENTRIES) do list[i] = show(t[i], depth + 1) end
  local keys = {}
  for k in pairs(t) do
    if not (math.type(k) == "integer" and k >= 1 and k <= n) then keys[#keys + 1] = k end
  end
  table.sort(keys, function(a, b)
    if type(a) == type(b) and (type(a) == "string" or type(a) == "number") then return a < b end
    return type(a) < type(b)
  end)
  for i, k in ipairs(keys) do
    if i > ENTRIES then break end
    list[#list + 1] = key_of(k) .. show(t[k], depth + 1)
  end
  if n > ENTRIES or #keys > ENTRIES then list[#list + 1] = ".." end
  return list
end

local function plain_table(t, depth)
  local meta = getmetatable(t)
  if type(meta) == "table" and meta.__tostring then return tostring(t) end
  if depth >= DEPTH then return "{..}" end
  local list = entries(t, depth)
  if #list == 0 then return "{}" end
  local line = "{ " .. table.concat(list, ", ") .. " }"
  if #line <= WIDTH and not line:find("\n") then return line end
  local indent = ("  "):rep(depth + 1)
  return "{\n" .. indent .. table.concat(list, ",\n" .. indent) .. "\n" .. ("  "):rep(depth) .. "}"
end

--- Text of any value as a session shows it; `depth` > 0: inside a table, in short.
function show(value, depth)
  depth = depth or 0
  local kind = type(value)
  if kind == "string" then return (("%q"):format(value):gsub("\\\n", "\\n")) end
  if kind == "table" then return plain_table(value, depth) end
  if util.is_var(value) then return variable(value, depth > 0) end
  if util.is_array(value) then return array(value, depth > 0) end
  if kind == "userdata" and core.kind(value) == "function" then return compiled(value) end
  return util.text(value)
end

return show
