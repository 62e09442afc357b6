--- Pages made of C's own tables and headers: the C interface by its sections, the rewrites that are texts.
-- @module scripts.site.tables
local M = {}

local function listed(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function slurp(path)
  local file <close> = assert(io.open(path))
  return file:read("a")
end

--- The public headers, a section a heading with its declarations and their comments as they stand; and each function's
-- name with its section, for the search.
function M.headers()
  local names, out = {}, { "# The C interface", "", "The headers as they are installed, by their sections. How a"
    .. " program uses them: [embedding](embedding.md), [own operations](own-operations.md)." }
  local function flush(title, lines)
    local text = table.concat(lines, "\n"):gsub("^%s*\n", ""):gsub("%s*$", "")
    if not text:find("%S") then return end
    out[#out + 1] = "\n### " .. title .. "\n\n```c\n" .. text .. "\n```"
    for name in text:gmatch("TH_API [^;\n]-%f[%w_](th_[%w_]+)%(") do names[#names + 1] = { name, title } end
  end
  for _, path in ipairs(listed("ls core/theano.h core/theano_*.h lua/theano_lua.h")) do
    local header = path:match("[^/]*$")
    out[#out + 1] = "\n## " .. header
    local title, lines = header .. ": what it is", {}
    for line in slurp(path):gmatch("([^\n]*)\n") do
      local head = line:match("^/%* %-%-%-%-+ (.-) %-+ ?%*/$") or line:match("^/%* %-%-%-%-+ (.-) %-+$")
      if head then
        flush(title, lines)
        title, lines = header .. ": " .. head, {}
      else lines[#lines + 1] = line end
    end
    flush(title, lines)
  end
  return table.concat(out, "\n") .. "\n", names
end

--- The rewrites whose two sides are texts: name, before, after, when.
function M.rules()
  local out = { "# Rewrites as texts", "", "Rewrites whose two sides have a fixed form, in the order in which they"
    .. " are tried in each file; those that are C functions are listed by"
    .. " `theano.compile.optdb` ([rewrites](rewrites.md))." }
  for _, path in ipairs(listed("ls core/opt/rules/rules_*.h")) do
    local rows, title = {}, slurp(path):match("^/%* [%w_.]+ %-%- ([^.\n]*)")
    for line in slurp(path):gmatch("\nRULE(%b())") do
      local name, levels = line:match("^%(([%w_]+),%s*([%w_|]+)")
      local texts = {}
      for text in line:gmatch('"([^"]*)"') do texts[#texts + 1] = text end
      if name and #texts >= 2 then
        for i = 1, 3 do texts[i] = texts[i] and texts[i] ~= "" and "`" .. texts[i]:gsub("|", "\\|") .. "`" or "" end
        rows[#rows + 1] = ("| `%s` | %s | %s | %s | %s |"):format(name, texts[1], texts[2], texts[3],
          levels:gsub("|", " "))
      end
    end
    if #rows > 0 then
      out[#out + 1] = ("\n## %s\n\n| rewrite | before | after | only if | levels |\n|---|---|---|---|---|"):format(
        title or path:match("rules_(%w+)"))
      out[#out + 1] = table.concat(rows, "\n")
    end
  end
  return table.concat(out, "\n") .. "\n"
end

return M
