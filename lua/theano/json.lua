--- JSON: what the engine tells of functions, read; what pages and traces hold, written. Numbers keep their kind: an
-- integer is an integer. null is nil in an object and false in a list.
-- @module theano.json
local util = require("theano.util")

local M = {}

local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function read_text(s, at)
  local stop = at + 1
  while true do
    stop = s:find('["\\]', stop)
    if not stop then util.raise("ValueError", "JSON: a text does not end") end
    if s:byte(stop) == 34 then break end
    stop = stop + 2
  end
  local text = s:sub(at + 1, stop - 1)
  if text:find("\\", 1, true) then
    text = text:gsub("\\(.)(%x?%x?%x?%x?)", function(letter, digits)
      if letter == "u" and #digits < 4 then util.raise("ValueError", "JSON: \\u%s is no character", digits) end
      if letter == "u" then return utf8.char(tonumber(digits, 16)) end
      return (ESCAPES[letter] or letter) .. digits
    end)
  end
  return text, stop + 1
end

local function blanks(s, at) return s:find("[^ \t\r\n]", at) or #s + 1 end

local WORDS = { ["true"] = true, ["false"] = false, null = false }

local function read_plain(s, at)
  local text = s:match("^[%w.+-]+", at)
  local value = WORDS[text]
  if value == nil then value = text and tonumber(text) end
  if value == nil then util.raise("ValueError", "JSON: no value at byte %d", at) end
  return value, at + #text, text == "null"
end

-- The value of a whole text: nothing stands behind it.
local function ended(s, at, value)
  if at <= #s then util.raise("ValueError", "JSON: more behind its value, at byte %d", at) end
  return value
end

--- The value of a JSON text. Nothing recurses: nesting is as deep as it likes.
function M.decode(s)
  local stack, top = {}, 0 -- open lists and objects
  local at, value, null = 1, nil, false
  while true do
    at = blanks(s, at)
    local c = s:sub(at, at)
    local open = c == "[" or c == "{"
    if open then
      top = top + 1
      stack[top] = { t = {}, list = c == "[", n = 0 }
      at = blanks(s, at + 1)
      local close = stack[top].list and "]" or "}"
      if s:sub(at, at) == close then value, null, open, top, at = stack[top].t, false, false, top - 1, at + 1 end
    elseif c == '"' then
      value, at = read_text(s, at)
      null = false
    else
      value, at, null = read_plain(s, at)
    end
    while not open do -- the value goes to what is around it, which may be complete with it
      local into = stack[top]
      if not into or top == 0 then return ended(s, blanks(s, at), value) end
      if into.list then
        into.n = into.n + 1
        into.t[into.n] = value
      elseif not null then
        into.t[into.key] = value
      end
      at = blanks(s, at)
      c = s:sub(at, at)
      at = at + 1
      if c == "," then break end
      if c ~= (into.list and "]" or "}") then util.raise("ValueError", "JSON: ',' or an end at byte %d", at - 1) end
      value, null = into.t, false
      top = top - 1
    end
    local into = stack[top]
    if into and not into.list then
      at = blanks(s, at)
      if s:sub(at, at) ~= '"' then util.raise("ValueError", "JSON: no name at byte %d", at) end
      into.key, at = read_text(s, at)
      at = blanks(s, at)
      if s:sub(at, at) ~= ":" then util.raise("ValueError", "JSON: no ':' at byte %d", at) end
      at = at + 1
    end
  end
end

local function quoted(s)
  return '"' .. s:gsub('[%c"\\<\127]', function(c)
    if c == '"' or c == "\\" then return "\\" .. c end
    return ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local function plain(v)
  if type(v) == "string" then return quoted(v) end
  if math.type(v) == "float" then
    if v ~= v or v == math.huge or v == -math.huge then return "null" end
    return util.format("%.9g", v)
  end
  return v == nil and "null" or tostring(v)
end

--- A value as JSON: tables with keys 1 .. n are lists, others objects whose keys are sorted. '<' is escaped, so that
-- the text may stand in a page.
function M.encode(value)
  local out = {}
  local function put(v)
    if type(v) ~= "table" then
      out[#out + 1] = plain(v)
    elseif #v > 0 or next(v) == nil then
      out[#out + 1] = "["
      for i = 1, #v do
        if i > 1 then out[#out + 1] = "," end
        put(v[i])
      end
      out[#out + 1] = "]"
    else
      local keys = {}
      for k in pairs(v) do keys[#keys + 1] = k end
      table.sort(keys)
      out[#out + 1] = "{"
      for i, k in ipairs(keys) do
        out[#out + 1] = (i > 1 and "," or "") .. quoted(tostring(k)) .. ":"
        put(v[k])
      end
      out[#out + 1] = "}"
    end
  end
  put(value)
  return table.concat(out)
end

return M
