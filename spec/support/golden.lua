--- Golden cases of the optimizer: reading, running and rewriting spec/golden/*.txt.
-- A case is `case NAME`, `pass NAMES`, then `in` and `want`, each a graph text whose lines stand five columns in; `out`
-- lines start at the margin.
-- @module spec.support.golden
local core = require("theano.core")

local M = {}

--- The cases of one file.
-- @tparam string path
-- @treturn table sequence of {name=, pass=, given=, want=}
function M.read(path)
  local cases, block = {}, nil
  for line in assert(io.open(path)):lines() do
    local key, rest = line:sub(1, 5):match("^%a*"), line:sub(6)
    local case = cases[#cases]
    if key == "case" then
      cases[#cases + 1] = { name = rest, given = "", want = "" }
      block = nil
    elseif key == "pass" then
      case.pass = rest
    elseif key == "in" or key == "want" then
      block = key == "in" and "given" or "want"
      case[block] = rest .. "\n"
    elseif key == "out" then
      case[block] = case[block] .. "out " .. rest .. "\n"
    elseif block and line ~= "" and line:sub(1, 1) ~= "#" then
      case[block] = case[block] .. rest .. "\n"
    end
  end
  return cases
end

--- What the passes of a case make of its graph.
function M.run(case)
  return core.optimize_text(case.given, case.pass == "none" and "" or case.pass)
end

local function block(key, text)
  local lines = {}
  for line in text:gmatch("[^\n]+") do
    local out = line:match("^out (.*)")
    lines[#lines + 1] = out and "out  " .. out or ("%-5s%s"):format(#lines == 0 and key or "", line)
  end
  return table.concat(lines, "\n") .. "\n"
end

--- The cases as a file's text.
function M.text(cases)
  local parts = {}
  for i, case in ipairs(cases) do
    local head = ("case %s\npass %s\n"):format(case.name, case.pass)
    parts[i] = head .. block("in", case.given) .. block("want", case.want)
  end
  return table.concat(parts, "\n")
end

--- All golden files, in the order of their names.
function M.files()
  local files = {}
  local list = assert(io.popen("ls spec/golden/*.txt"))
  for path in list:lines() do files[#files + 1] = path end
  list:close()
  return files
end

return M
