--- The runner behind a Jupyter kernel (theano_kernel.py): reads requests, runs them as `theano -i` runs lines, answers.
-- A request is a line "WORD BYTES" and so many bytes: run and code, or complete and the text before the cursor. What
-- code prints goes to standard output as it comes; then a line that begins with a zero byte has the answer as JSON.
local help, json, repl = require("theano.help"), require("theano.json"), require("theano.repl")

local env, line = repl.environment(), 1
io.stdout:setvbuf("line")

-- A cell's last line is shown where it is an expression, as the lines of a session are.
local function parts(code)
  local before, last = code:match("^(.*)\n%s*([^\n]-)%s*$")
  if before and load(before) and load("return " .. last) then return { before, last } end
  return { code }
end

-- A figure, or a text that is a picture or a page, as what a notebook shows.
local function shown(value)
  local ok, svg = pcall(function() return type(value) == "table" and value.svg and value:svg() end)
  if ok and svg then return { ["image/svg+xml"] = svg } end
  if type(value) == "string" and value:find("^%s*<svg") then return { ["image/svg+xml"] = value } end
  if type(value) == "string" and value:find("^%s*<!DOCTYPE html") then return { ["text/html"] = value } end
end

local requests = {}
function requests.run(code)
  local answer = { ok = true, text = "" }
  for _, part in ipairs(parts(code)) do
    env._ = nil
    local ok, text = repl.run(part, line, env)
    line = line + select(2, part:gsub("\n", "")) + 1
    if ok == nil then ok, text = false, "SyntaxError: the text is not finished" end
    answer.ok, answer.text = ok, text
    if not ok then break end
  end
  answer.data = answer.ok and shown(env._) or nil
  if answer.data then answer.text = "(a picture)" end
  return answer
end

function requests.complete(text)
  local rest, choices = repl.complete(text, env)
  return { rest = rest or "", choices = choices or "" }
end

function requests.help(name)
  local ok, text = pcall(help.text, name)
  return { ok = ok, text = ok and text or "" }
end

while true do
  local header = io.read("l")
  if not header then break end
  local word, bytes = header:match("^(%l+) (%d+)$")
  local body = tonumber(bytes) > 0 and io.read(tonumber(bytes)) or ""
  io.write("\0", json.encode(requests[word](body)), "\n")
  io.flush()
end
