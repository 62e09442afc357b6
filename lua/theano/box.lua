--- What scripts in a sandbox see. This module runs inside of it, in a Lua state and an engine of their own, before
-- anything of a script does: `prepare()` takes what reaches outside from the libraries, `open()` gives the environment
-- of scripts once the engine is loaded.
-- @module theano.box
local M = {}

local function closed(what)
  return function() error("RuntimeError: " .. what .. " is closed to a sandbox", 2) end
end

local LONGEST_CHUNK = 2e6

local function pick(from, names)
  local t = {}
  for name in names:gmatch("%S+") do t[name] = from[name] end
  return t
end

--- Before the engine is loaded: files, processes, the environment and the debugger's hooks go, for its modules too.
function M.prepare()
  local put = rawset
  local nothing = { write = function() return nil end, read = closed("input"), flush = function() end }
  for name in pairs(io) do put(io, name, closed("io." .. name)) end
  for _, name in ipairs { "stdout", "stderr", "stdin" } do put(io, name, nothing) end
  put(io, "write", nothing.write)
  put(io, "open", function(path) return nil, tostring(path) .. ": files are closed to a sandbox" end)
  local keep = { clock = true, time = true, date = true, difftime = true }
  for name in pairs(os) do
    if not keep[name] then put(os, name, closed("os." .. name)) end
  end
  put(os, "getenv", function() return nil end)
  local looks = { getinfo = true, getlocal = true, getupvalue = true, getuservalue = true, setuservalue = true,
    traceback = true }
  for name in pairs(debug) do
    if not looks[name] then put(debug, name, nil) end
  end
  for t, names in pairs { [string] = { "dump" }, [_G] = { "dofile", "loadfile" }, [package] = { "loadlib",
    "searchpath" } } do
    for _, name in ipairs(names) do put(t, name, nil) end
  end
end

local MODULES = { "theano", "theano.tensor", "theano.ndarray", "theano.gradient", "theano.printing", "theano.sandbox",
  "theano.ifelse", "theano.compile", "theano.config", "theano.gof", "theano.updates", "theano.typed_list",
  "theano.sparse", "theano.random" }

local function allowed(name)
  if type(name) ~= "string" then return false end
  for _, m in ipairs(MODULES) do
    if name == m or (name:find(m .. ".", 1, true) == 1 and m ~= "theano") then return package.loaded[name] ~= nil end
  end
  return false
end

-- Libraries without what hides or reaches out; that nothing in them hangs is lua/guard.c's.
local function libraries(env)
  env.string = pick(string, "byte char find format gmatch gsub len lower match pack packsize rep reverse sub unpack "
    .. "upper")
  env.table = pick(table, "concat insert move pack remove sort unpack")
  env.math = pick(math, "abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger modf pi "
    .. "rad random randomseed sin sqrt tan tointeger type ult")
  env.utf8 = pick(utf8, "char charpattern codepoint codes len offset")
  env.os = pick(os, "clock time difftime")
end

-- What ends a script is an error of Lua's hook. Handlers of xpcall, and what a coroutine that it ended has to close,
-- would run with hooks switched off: handlers run after it here, and such coroutines are left alone.
local function ended_by_a_hook(env)
  function env.xpcall(f, handler, ...)
    local r = table.pack(pcall(f, ...))
    if r[1] then return table.unpack(r, 1, r.n) end
    return false, select(2, pcall(handler, r[2]))
  end
  env.coroutine = pick(coroutine, "create isyieldable resume running status yield")
  function env.coroutine.close(co)
    if coroutine.status(co) == "dead" then return true end
    return coroutine.close(co)
  end
  function env.coroutine.wrap(f)
    local co = coroutine.create(f)
    return function(...)
      local r = table.pack(coroutine.resume(co, ...))
      if not r[1] then error(r[2], 0) end
      return table.unpack(r, 2, r.n)
    end
  end
end

-- What a function gives piece by piece, as one text: the parser is not interrupted.
local function gathered(reader)
  local pieces, n = {}, 0
  while true do
    local piece = reader()
    if piece == nil or piece == "" then return table.concat(pieces) end
    if type(piece) ~= "string" then error("reader function must return a string", 0) end
    n = n + #piece
    if n > LONGEST_CHUNK then return table.concat(pieces) .. piece end
    pieces[#pieces + 1] = piece
  end
end

local function basic(env, printed, in_time)
  local load, collect = load, collectgarbage
  function env.getmetatable(v)
    if type(v) == "table" then return getmetatable(v) end
  end
  function env.setmetatable(t, m)
    -- a finalizer would run where nothing counts its steps
    if type(m) == "table" and rawget(m, "__gc") ~= nil then error("RuntimeError: __gc is closed to a sandbox", 2) end
    return setmetatable(t, m)
  end
  function env.load(chunk, name, _, where)
    if type(chunk) == "function" then
      local fine, text = pcall(gathered, chunk)
      if not fine then return nil, text end
      chunk = text
    end
    if type(chunk) == "string" and #chunk > LONGEST_CHUNK then return nil, "MemoryError: a chunk of more than 2 MB" end
    return load(chunk, name or "=(load)", "t", where == nil and env or where)
  end
  function env.collectgarbage(what)
    if what ~= nil and what ~= "count" and what ~= "collect" then
      error("RuntimeError: collectgarbage: count and collect only", 2)
    end
    local r = collect(what)
    in_time()
    return r
  end
  function env.print(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    printed[#printed + 1] = table.concat(words, "\t") .. "\n"
  end
end

--- The environment of scripts, and the list that what they print goes to. `in_time()` raises once their time is over.
function M.open(in_time)
  local printed = {}
  local env = pick(_G, "assert error ipairs next pairs pcall rawequal rawget rawlen rawset select tonumber tostring "
    .. "type _VERSION")
  env._G = env
  libraries(env)
  ended_by_a_hook(env)
  basic(env, printed, in_time)
  local require = require
  env.theano = require("theano")
  require("theano.parts").complete() -- files are closed to what would be loaded later
  function env.require(name)
    if allowed(name) then return require(name) end
    error("RuntimeError: require: a sandbox has theano and its documented modules, not " .. tostring(name), 2)
  end
  -- ("x"):find goes to what scripts see, too, but not to what they put there: the engine's modules ask for it as well
  local methods = pick(env.string, "byte char find format gmatch gsub len lower match pack packsize rep reverse sub "
    .. "unpack upper")
  getmetatable("").__index = methods
  return env, printed
end

return M
