--- Saved models: a compiled function as a file of data, and back.
-- @module theano.model
local core = require("theano.core")
local profile = require("theano.profile")
local util = require("theano.util")

local M = {}

-- What Lua knows beyond the function, as the file's note: `array 1 0` for the results, `names a b` of named ones.
local function escape(name)
  return (name:gsub("[^%w_]", function(ch) return ("%%%02x"):format(ch:byte()) end))
end

local function unescape(word)
  return (word:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

local function note_of(f)
  local lines, kept = {}, {}
  local names, arrays = core.function_results(f)
  for i, keep in ipairs(arrays) do kept[i] = keep and "1" or "0" end
  lines[1] = "array " .. table.concat(kept, " ")
  if names then
    local words = {}
    for i, name in ipairs(names) do words[i] = escape(name) end
    lines[2] = "names " .. table.concat(words, " ")
  end
  return table.concat(lines, "\n")
end

local function described(note)
  local t = { keep_array = {} }
  for key, rest in note:gmatch("(%l+) ([^\n]*)") do
    if key == "names" then t.output_names = {} end
    for word in rest:gmatch("%S+") do
      if key == "array" then table.insert(t.keep_array, word == "1") end
      if key == "names" then table.insert(t.output_names, unescape(word)) end
    end
  end
  return t
end

local function checked(what, options, known)
  options = options or {}
  util.expect(what, "options", options, "table")
  util.check_keywords(what, options, known)
  return options
end

--- Writes the function to a file: its optimized graph, constants, the values of its shared variables and of its
-- defaults, names and rules of its inputs. There is nothing in it that is executed; `theano.load` reads it anywhere.
-- `options`: `native`, levels of x86-64 (`{ "x86-64-v2", "x86-64-v3", "x86-64-v4" }`) whose machine code goes along,
-- and `key`, which signs the file. Operations written in Lua or C are refused (NotImplementedError).
function M.save(f, path, options)
  util.expect("save", "path", path, "string")
  options = checked("save", options, { native = "table", key = "string" })
  core.function_save(f, path, note_of(f), options.native, options.key)
end

--- The function of a file that `f:save` wrote, with inputs, defaults and shared variables of its own. Nothing is
-- rewritten and nothing in the file is executed: it may come from anywhere, a ValueError says what is wrong with it.
-- `options`: `native`, the key that the file must be signed with; its machine code is run then, where there is some.
function M.load(path, options)
  util.expect("load", "path", path, "string")
  options = checked("load", options, { native = "string" })
  local f = core.function_load(path, described, options.native)
  local states = {}
  for _, s in ipairs(core.function_shared(f)) do
    if s.name and not states[s.name] and not core.find_input(f, s.name) then states[s.name] = s end
  end
  if next(states) then debug.setuservalue(f, states, 2) end
  return profile.watch(f)
end

return M
