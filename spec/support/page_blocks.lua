--- The blocks of pages: what stands between ``` and ```, in which language, and what is said to come out.
-- @module spec.support.page_blocks
local slurp = require("spec.support.slurp")

local M = {}

M.slurp = slurp

--- Every page of the tree.
function M.pages()
  local list, pipe = {}, assert(io.popen("ls *.md docs/*.md docs/tutorial/*.md */README.md */*/README.md"))
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

--- The blocks of a page: {path =, line =, language =, text =, of =}; `of` is the block above, with nothing but blank
-- lines between, whose output a `text` block then is.
function M.blocks(path)
  local list, open, number, fresh = {}, nil, 0, false
  for line in slurp(path):gmatch("([^\n]*)\n") do
    number = number + 1
    local language = line:match("^```(.*)$")
    if language and not open then
      local above = list[#list]
      open = { path = path, line = number, language = language, lines = {},
        of = language == "text" and fresh and above.language ~= "text" and above or nil }
    elseif line == "```" then
      open.text = table.concat(open.lines, "\n") .. "\n"
      list[#list + 1], open, fresh = open, nil, true
    elseif open then open.lines[#open.lines + 1] = line
    elseif line ~= "" then fresh = false end
  end
  assert(not open, path .. ": a block that does not end")
  return list
end

--- The commands of a shell block, without their comments: {text =, line =}. A line that ends in \ goes on in the next.
function M.commands(block)
  local list, begun = {}, nil
  for i, line in ipairs(block.lines) do
    local text = line:gsub("%s+#%s.*$", ""):gsub("^#%s.*$", "")
    begun = begun and begun .. "\n" .. text or text
    if begun:sub(-1) ~= "\\" then
      if begun:find("%S") then list[#list + 1] = { text = begun, line = block.line + i } end
      begun = nil
    end
  end
  return list
end

return M
