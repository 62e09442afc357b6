--- Tables of pages whose rows are code: their header is `| .. | here | gives |`, the second cell is Lua, the third what
-- it gives. The page's first Lua block is there before the rows, its locals too.
-- @module spec.support.tables
local slurp = require("spec.support.slurp")

local M = {}

-- The cells of a line of a table.
local function cells(line)
  local list = {}
  for cell in line:gsub("\\|", "\1"):gmatch("|([^|]*)") do
    list[#list + 1] = cell:match("^%s*(.-)%s*$"):gsub("\1", "|")
  end
  return list
end

local function code(cell) return cell:match("^`+%s?(.-)%s?`+$") end

--- The rows of a page: {line =, code =, gives =, cells =}.
function M.rows(path)
  local list, inside, number = {}, false, 0
  for line in slurp(path):gmatch("([^\n]*)\n") do
    number = number + 1
    if line:find("^|.*| here | gives |%s*$") then inside = true
    elseif not line:find("^|") then inside = false
    elseif inside and not line:find("^|%-") then
      local c = cells(line)
      list[#list + 1] = { line = number, code = code(c[2]), gives = code(c[3]), cells = c }
    end
  end
  return list
end

--- What the page's first block leaves.
function M.environment(path)
  local text = slurp(path):match("\n```lua\n(.-)\n```")
  local env = setmetatable({}, { __index = _G })
  if text then assert(load(("\n" .. text):gsub("\nlocal ", "\n"), "=" .. path, "t", env))() end
  return env
end

--- What a piece of code gives: its values, or those behind its last `;`, as text in one line.
function M.evaluate(text, env)
  local f = load("return " .. text, "=row", "t", env)
  local before, last = text:match("^(.*);%s*(.-)$")
  if not f and before then f = assert(load(before .. "; return " .. last, "=row", "t", env)) end
  local results = table.pack(assert(f, text)())
  for i = 1, results.n do results[i] = tostring(results[i]):gsub("%s+", " ") end
  return table.concat(results, ", ", 1, results.n)
end

return M
