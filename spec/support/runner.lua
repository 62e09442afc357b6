--- Runs the runner that runs this spec, as a process of its own.
-- @module spec.support.runner
local M = {}

--- The path of the running `theano`.
M.path = arg[-1] or "build/theano"

local function quote(text) return "'" .. tostring(text):gsub("'", "'\\''") .. "'" end
M.quote = quote

--- Runs `theano words...` with extra environment ("NAME=value" texts) and optional standard input.
-- THEANO_FLAGS and THEANORC of this process are not passed on.
-- @tparam {string,...} words
-- @tparam[opt] {env={string,...},input=string} options
-- @treturn string standard output and error together
-- @treturn integer exit status
function M.run(words, options)
  options = options or {}
  local command = { "env -u THEANO_FLAGS THEANORC=/dev/null" }
  for _, setting in ipairs(options.env or {}) do command[#command + 1] = quote(setting) end
  command[#command + 1] = quote(M.path)
  for _, word in ipairs(words) do command[#command + 1] = quote(word) end
  local line = table.concat(command, " ") .. " 2>&1; echo \"status $?\""
  if options.input then line = "printf %s " .. quote(options.input) .. " | " .. line end
  local pipe = assert(io.popen(line))
  local text = pipe:read("a")
  pipe:close()
  local status = text:match("status (%d+)\n$")
  return (text:gsub("status %d+\n$", "")), tonumber(status)
end

--- Whether the runner was built with line editing.
function M.edits()
  local pipe = assert(io.popen("grep -c el_gets " .. quote(M.path)))
  local found = pipe:read("a")
  pipe:close()
  return (tonumber(found) or 0) > 0
end

--- A fresh directory; remove it with M.remove.
function M.folder()
  local pipe = assert(io.popen("mktemp -d"))
  local path = pipe:read("l")
  pipe:close()
  return path
end

function M.remove(path)
  assert(path:find("^/tmp/"), path)
  os.execute("rm -rf " .. quote(path))
end

--- All bytes of a file.
function M.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end

--- Writes a file.
function M.write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

return M
