--- The Markdown of these pages as HTML: headings, tables, fenced blocks, lists, paragraphs; `code`, **bold**, *italic*,
-- links. Links to pages become links to their HTML.
-- @module scripts.site.markdown
local M = {}

local ENTITY = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
function M.escape(text) return (text:gsub('[&<>"]', ENTITY)) end

--- A heading's anchor, as GitHub makes it.
function M.anchor(text)
  return (text:lower():gsub("`", ""):gsub("[^%w%s_-]", ""):gsub("%s", "-"))
end

local function inline(text, link)
  local kept = {}
  local function keep(html)
    kept[#kept + 1] = html
    return "\1" .. #kept .. "\2"
  end
  text = text:gsub("``%s?(.-)%s?``", function(code) return keep("<code>" .. M.escape(code) .. "</code>") end)
  text = text:gsub("`([^`]+)`", function(code) return keep("<code>" .. M.escape(code) .. "</code>") end)
  text = text:gsub("%[([^%]]*)%]%(([^)]+)%)", function(label, target)
    label = label:gsub("^([%w_-]+)%.md$", "%1")
    return keep(('<a href="%s">%s</a>'):format(M.escape(link(target)), inline(label, link)))
  end)
  text = M.escape(text)
  text = text:gsub("%*%*(.-)%*%*", "<strong>%1</strong>")
  text = text:gsub("%f[%w*]%*([^*%s][^*]-)%*%f[^%w*]", "<em>%1</em>")
  for _ = 1, 3 do text = text:gsub("\1(%d+)\2", function(i) return kept[tonumber(i)] end) end
  return text
end

local KEYWORDS = {}
for word in ([[and break do else elseif end for function goto if in local nil not or repeat return then true false
  until while]]):gmatch("%S+") do KEYWORDS[word] = true end

-- Lua with colours: comments, strings, words; what is printed in a colour of its own.
local function lua(code)
  local out, at = {}, 1
  local function span(class, text) return ('<span class="%s">%s</span>'):format(class, M.escape(text)) end
  while at <= #code do
    local comment = code:match("^%-%-[^\n]*", at)
    local piece, class
    if comment then piece, class = comment, comment:find("^%-%->") and "out" or "com"
    else
      piece = code:match("^%[%[.-%]%]", at) or code:match('^"[^"\n]*"', at) or code:match("^'[^'\n]*'", at)
      class = piece and "str"
    end
    if not piece then
      local text = code:match("^[%a_][%w_]*", at)
      if text then out[#out + 1] = KEYWORDS[text] and span("key", text) or M.escape(text)
      else
        text = code:sub(at, at)
        out[#out + 1] = M.escape(text)
      end
      at = at + #text
    else
      out[#out + 1] = span(class, piece)
      at = at + #piece
    end
  end
  return table.concat(out)
end

local function cells(line)
  local list, kept = {}, line:gsub("\\|", "\3")
  for cell in kept:gsub("^|", ""):gsub("|%s*$", "|"):gmatch("([^|]*)|") do
    list[#list + 1] = cell:match("^%s*(.-)%s*$"):gsub("\3", "|")
  end
  return list
end

local function rows(lines, link)
  local out = { '<div class="wide"><table>' }
  for i, line in ipairs(lines) do
    local tag = i == 1 and "th" or "td"
    if i ~= 2 then
      out[#out + 1] = "<tr>"
      for _, cell in ipairs(cells(line)) do
        out[#out + 1] = ("<%s>%s</%s>"):format(tag, inline(cell, link), tag)
      end
      out[#out + 1] = "</tr>"
    end
  end
  out[#out + 1] = "</table></div>"
  return table.concat(out, "\n")
end

-- Takes the lines from `at` on that belong together; returns the HTML and the next line's number.
local block = {}
function block.fence(lines, at, language)
  local code = {}
  at = at + 1
  while lines[at] and not lines[at]:find("^%s*```") do
    code[#code + 1] = lines[at]
    at = at + 1
  end
  local text = table.concat(code, "\n")
  return ("<pre><code>%s</code></pre>"):format(language == "lua" and lua(text) or M.escape(text)), at + 1
end

function block.table(lines, at, link)
  local list = {}
  while lines[at] and lines[at]:find("^|") do
    list[#list + 1] = lines[at]
    at = at + 1
  end
  return rows(list, link), at
end

function block.list(lines, at, link)
  local items, ordered = {}, lines[at]:find("^%d") ~= nil
  while lines[at] do
    local item = lines[at]:match("^[*-] (.*)") or lines[at]:match("^%d+%. (.*)")
    if item then items[#items + 1] = item
    elseif lines[at]:find("^  ") and not lines[at]:find("^%s*```") then
      items[#items] = items[#items] .. "\n" .. lines[at]:match("^%s*(.*)")
    else break end
    at = at + 1
  end
  for i, item in ipairs(items) do items[i] = "<li>" .. inline(item, link) .. "</li>" end
  local tag = ordered and "ol" or "ul"
  return ("<%s>\n%s\n</%s>"):format(tag, table.concat(items, "\n"), tag), at
end

function block.paragraph(lines, at, link)
  local text = {}
  repeat
    text[#text + 1] = lines[at]
    at = at + 1
  until not lines[at] or lines[at] == "" or lines[at]:find("^```") or lines[at]:find("^|") or lines[at]:find("^#+ ")
    or lines[at]:find("^[*-] ")
  return "<p>" .. inline(table.concat(text, "\n"), link) .. "</p>", at
end

--- A page: its HTML, its title, and its headings with the text below each ({level =, text =, anchor =, body =}).
-- @tparam function link what a link's target becomes
function M.page(text, link)
  local lines, out, heads = {}, {}, {}
  for line in (text .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
  local at = 1
  while lines[at] do
    local line = lines[at]
    local marks, title = line:match("^(#+) (.*)")
    local image, source = line:match("^!%[([^%]]*)%]%(([^)]+)%)$")
    local html
    if marks then
      local anchor = M.anchor(title)
      html = ('<h%d id="%s">%s</h%d>'):format(#marks, anchor, inline(title, link), #marks)
      heads[#heads + 1] = { level = #marks, text = title:gsub("`", ""), anchor = anchor, body = "" }
      at = at + 1
    elseif image then
      html, at = ('<p><img src="%s" alt="%s"></p>'):format(M.escape(link(source)), M.escape(image)), at + 1
    elseif line:find("^```") then html, at = block.fence(lines, at, line:match("^```(%w*)"))
    elseif line:find("^|") then html, at = block.table(lines, at, link)
    elseif line:find("^[*-] ") or line:find("^%d+%. ") then html, at = block.list(lines, at, link)
    elseif line:find("%S") then html, at = block.paragraph(lines, at, link)
    else at = at + 1 end
    if html then
      out[#out + 1] = html
      local head = heads[#heads]
      if head and not marks and #head.body < 600 then
        head.body = head.body .. " " .. html:gsub("<[^>]*>", " "):gsub("%s+", " ")
      end
    end
  end
  return table.concat(out, "\n"), heads[1] and heads[1].text or "", heads
end

return M
