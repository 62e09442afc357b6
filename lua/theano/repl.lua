--- The session of `theano -i`: reads lines, runs them, shows what they give. Line numbers in messages count the lines
-- of the session, and the prompt shows them.
-- @module theano.repl
local theano = require("theano")
local core = require("theano.core")
local help = require("theano.help")
local hints = require("theano.hints")
local show = require("theano.show")
local util = require("theano.util")

local M = {}

--- The names of a session: Lua's own, `theano`, `T`, `nd`, and what the user makes. The last result is `_`.
function M.environment()
  local env = setmetatable({}, { __index = _G })
  env.theano, env.T, env.nd = theano, theano.tensor, theano.ndarray
  env.help = setmetatable({}, {
    __call = function(_, name) io.write(name == nil and M.hint or help.text(name), "\n") end,
    __tostring = function() return M.hint end,
  })
  return env
end

M.hint = [[
T, nd and theano are there: x = T.dmatrix("x")  T.grad((x ^ 2):sum(), x)  nd.arange(6):reshape(2, 3)
help("sum") explains a function, a method or a flag; Tab completes a name. _ is the last result.
A line that is not finished goes on; Ctrl-C gives it up, or stops what runs. Ctrl-D or exit() ends.]]

-- ---- one piece of text ---------------------------------------------------------------------------------------------
-- `local x = 1` would be gone with its line: in a session it makes x for the lines that follow.
local function unlocal(text)
  local bare = text:match("^%s*local%s+(.*)$")
  if not bare or bare:find("^[^=]*<%s*%a+%s*>") then return nil end
  return bare
end

local function pass(...) return ... end

-- As an expression whose values are shown, or as a statement. Returns the function; or nil, the message, unfinished?
local function compile(text, line, env)
  local pad = ("\n"):rep(line - 1)
  -- Not `return text`: a tail call would leave no line of the session on the stack for errors to name.
  local f = load(pad .. "local pass = ... return pass(" .. text .. "\n)", "=stdin", "t", env)
  if f then return f end
  local bare = unlocal(text)
  f = bare and load(pad .. bare, "=stdin", "t", env)
  if f then return f end
  local message
  f, message = load(pad .. text, "=stdin", "t", env)
  if f then return f end
  return nil, message, message:sub(-5) == "<eof>"
end

-- What an error says, without where it went through.
local function report(message)
  if type(message) ~= "string" then message = tostring(message) end
  return (message:gsub("\nstack traceback:.*$", ""))
end

--- Runs a finished text whose first line has the number `line`. Returns whether it went well, and what to show.
-- An unfinished text gives nil.
function M.run(text, line, env)
  if not text:find("%S") then return true, "" end
  local f, message, unfinished = compile(text, line, env)
  if unfinished then return nil end
  if not f then
    return false, report(hints.explain("SyntaxError: " .. message, ("\n"):rep(line - 1) .. text))
  end
  local results = table.pack(pcall(f, pass))
  if not results[1] then
    return false, hints.explain(report(results[2]), ("\n"):rep(line - 1) .. text)
  end
  if results.n > 1 then env._ = results[2] end
  local lines = {}
  for i = 2, results.n do lines[#lines + 1] = show(results[i]) end
  return true, table.concat(lines, "\n")
end

-- ---- completion ----------------------------------------------------------------------------------------------------
local function variable_names()
  local names = {}
  for _, f in ipairs(core.functions()) do
    if f.method then names[f.name] = true end
  end
  for name in ("ndim dtype broadcastable type name owner index tag T shape size sub eval"):gmatch("%S+") do
    names[name] = true
  end
  return names
end

local function array_names()
  local names = {}
  for name in pairs(core.array_methods) do names[name] = true end
  for name in ("shape strides dtype ndim size itemsize nbytes flags T"):gmatch("%S+") do names[name] = true end
  return names
end

-- Names inside a value: the keys of tables, methods of variables and arrays, flags.
local function inside(value)
  if value == theano.config then
    local names = {}
    for _, flag in ipairs(core.config_flags()) do names[flag[1]:match("^[^.]+")] = true end
    names.change_flags = true
    return names
  end
  if type(value) == "table" then return value end
  if type(value) == "string" then return string end
  if util.is_var(value) then return variable_names() end
  if util.is_array(value) then return array_names() end
  return {}
end

--- Completes the name at the end of a text: returns what to insert (or nil), and the names to choose from (or nil).
function M.complete(text, env)
  local path, part = text:match("([%a_][%w_.]*[.:])([%a_]?[%w_]*)$")
  if not path then path, part = "", text:match("%f[%w_]([%a_][%w_]*)$") end
  if not part then return nil end
  local sources = { env, _G }
  if path ~= "" then
    local value = env
    for name in path:gmatch("[^.:]+") do
      local fine, inner = pcall(function() return value[name] end)
      if not fine or inner == nil then return nil end
      value = inner
    end
    sources = { inside(value) }
  end
  local found, seen = {}, {}
  for _, source in ipairs(sources) do
    for name in pairs(source) do
      if type(name) == "string" and not seen[name] and name:sub(1, #part) == part and name:find("^[%a_][%w_]*$")
        and (part ~= "" or name:sub(1, 1) ~= "_") then
        found[#found + 1], seen[name] = name, true
      end
    end
  end
  table.sort(found)
  if #found == 0 then return nil end
  local common = found[1]
  for _, name in ipairs(found) do
    while name:sub(1, #common) ~= common do common = common:sub(1, -2) end
  end
  if #common > #part then return common:sub(#part + 1), nil end
  return nil, #found > 1 and util.columns(found, 100) or nil
end

-- ---- the loop ------------------------------------------------------------------------------------------------------
local function history_path()
  local home = os.getenv("HOME")
  return os.getenv("THEANO_HISTORY") or (home and home .. "/.theano_history")
end

-- Reads until a text is finished. Returns it and the number of its lines; nil at the end of input.
local function read(line, env)
  local text, lines = nil, 0
  while true do
    local prompt = text and ("%d| "):format(line + lines) or ("%d> "):format(line)
    local more = core.read_line(prompt)
    if more == nil then return text, lines end -- what is unfinished at the end of input says so
    if more == false then
      text, lines = nil, 0 -- given up
    else
      text, lines = text and text .. "\n" .. more or more, lines + 1
      local _, _, unfinished = compile(text, line, env)
      if not unfinished or not text:find("%S") then return text, lines end
    end
  end
end

local function step(line, env)
  local text, lines = read(line, env)
  if not text then return nil end
  if text:find("%S") then core.add_history(text) end
  theano.catch_interrupt(false) -- Ctrl-C stops what runs now
  local fine, said = M.run(text, line, env)
  if fine == nil then said = "stdin: SyntaxError: the input ends inside a statement" end
  io.stdout:flush()
  if said and said ~= "" then
    local out = fine and io.stdout or io.stderr
    out:write(said, "\n")
    out:flush()
  end
  return line + lines
end

-- Long compiles say so on the terminal, with the seconds.
local function tell_compiles()
  local plain = core.compile
  local function done(...)
    core.idle()
    return ...
  end
  core.compile = function(spec)
    core.busy("compiling " .. (type(spec.name) == "string" and spec.name or "a function"))
    local results = table.pack(done(pcall(plain, spec)))
    if not results[1] then error(results[2], 0) end
    return table.unpack(results, 2, results.n)
  end
end

--- Reads and runs lines until the end of input or `exit()`.
function M.start()
  if not core.read_line then util.raise("RuntimeError", "a session needs the runner: theano -i") end
  local env, going = M.environment(), true
  if core.isatty("stderr") then tell_compiles() end
  env.exit = function() going = false end
  env.quit = env.exit
  local tty = core.isatty("stdin")
  if tty then
    print(("Theano for Lua %s, %s. help() says what there is, Ctrl-D ends."):format(theano._VERSION, _VERSION))
    if history_path() then core.history(history_path()) end
    core.set_completer(function(text) return M.complete(text, env) end)
  end
  local line = 1
  while going and line do line = step(line, env) end
end

return M
