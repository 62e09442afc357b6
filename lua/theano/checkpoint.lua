--- `theano.checkpoint`: the state of a training run as one file, and back, bit for bit.
--     checkpoint.save("run.npz", { weights = p, adam = state, data = batches, rng = rng, epoch = 3 })
--     local at = checkpoint.restore("run.npz", { weights = p, adam = state, data = batches, rng = rng })
--     print(at.epoch)
-- The file is an .npz; it is there whole or not at all, and nothing in it is ever executed.
-- @module theano.checkpoint
local theano = require("theano")
local core = require("theano.core")
local nd = theano.ndarray
local util = require("theano.util")

local M = {}

local PLAIN = "theano.checkpoint" -- the array with all that is no array, as text
local LEVELS = 50

-- ---- names and plain values as text --------------------------------------------------------------------------------
local function escape(s)
  return (s:gsub("[^%w_.%-]", function(ch) return ("%%%02X"):format(ch:byte()) end))
end
local function unescape(s)
  return (s:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

-- A key as a part of a name: `#3` is the integer, `three` the text.
local function part(key)
  if math.type(key) == "integer" then return "#" .. key end
  if type(key) == "string" then return escape(key) end
  return util.raise("TypeError", "checkpoint: keys are texts and integers, not %s", util.kind_of(key))
end
local function unpart(word)
  if word:sub(1, 1) == "#" then return math.tointeger(word:sub(2)) end
  return unescape(word)
end

-- Floats in hexadecimal: exact, in every locale.
local function plain(v)
  if math.type(v) == "integer" then return "i " .. v end
  if type(v) == "number" then
    if v ~= v then return "f nan" end
    if v == math.huge or v == -math.huge then return v > 0 and "f inf" or "f -inf" end
    return "f " .. ("%016x"):format(string.unpack("<i8", string.pack("<d", v)))
  end
  if type(v) == "boolean" then return "b " .. tostring(v) end
  return "s " .. escape(v)
end
local SPECIAL = { nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge }
local function unplain(kind, text)
  if kind == "i" then return math.tointeger(text) end
  if kind == "b" then return text == "true" end
  if kind == "s" then return unescape(text) end
  if SPECIAL[text] then return SPECIAL[text] end
  return #text == 16 and text:find("^%x+$") and string.unpack("<d", string.pack("<i8", tonumber(text, 16))) or nil
end

-- ---- what has a state ----------------------------------------------------------------------------------------------
-- Each kind: `get` its state as plain values, arrays and tables of them, `set` it again. `get` is also the way back.
local function is_random(v) return type(v) == "userdata" and core.kind(v) == "random" end

local function kind_of(v)
  if type(v) == "userdata" and core.kind(v) == "shared" then
    local function value(borrow) return nd.asarray(v:get_value({ borrow = borrow }), v.dtype) end
    return { get = function() return value(true) end, set = function(a)
      local now = value(true)
      if not util.is_array(a) or a.dtype ~= now.dtype or a.ndim ~= now.ndim then
        util.raise("TypeError", "checkpoint: %s is %s of %d dimensions, the file has %s", v.name or tostring(v),
          now.dtype, now.ndim, util.is_array(a) and ("%s of %d"):format(a.dtype, a.ndim) or util.kind_of(a))
      end
      local same = nd.array_equal(nd.array(now.shape), nd.array(a.shape))
      if not same then
        util.raise("ShapeError", "checkpoint: %s has the shape (%s), the file's value (%s)", v.name or tostring(v),
          table.concat(now.shape, ", "), table.concat(a.shape, ", "))
      end
      v:set_value(a)
    end, copy = function() return value(false):copy() end }
  end
  if is_random(v) then
    return { get = function() return v:get_state() end, set = function(s) v:set_state(s) end }
  end
  if type(v) ~= "table" or getmetatable(v) == nil then return nil end
  local has, state, restore = pcall(function() return v.state, v.restore end)
  if has and type(state) == "function" and type(restore) == "function" then
    return { get = function() return state(v) end, set = function(s) restore(v, s) end }
  end
end

-- ---- saving --------------------------------------------------------------------------------------------------------
local function gather(value, name, into, depth)
  if depth > LEVELS then util.raise("ValueError", "checkpoint: tables in tables, %d deep", LEVELS) end
  local kind = kind_of(value)
  if kind then return gather(kind.get(), name, into, depth + 1) end
  if util.is_array(value) then
    into.arrays[#into.arrays + 1] = { name, value }
  elseif type(value) == "number" or type(value) == "string" or type(value) == "boolean" then
    into.lines[#into.lines + 1] = name .. " " .. plain(value)
  elseif type(value) == "table" then
    local keys = {}
    for key in pairs(value) do keys[#keys + 1] = { part(key), key } end
    table.sort(keys, function(a, b) return a[1] < b[1] end)
    into.lines[#into.lines + 1] = name .. " t"
    for _, key in ipairs(keys) do
      gather(value[key[2]], name == "" and key[1] or name .. "/" .. key[1], into, depth + 1)
    end
  else
    util.raise("TypeError", "checkpoint: %s is %s, which is not kept", name, util.kind_of(value))
  end
end

--- Writes what `tree`, a table of names, holds: shared variables, arrays, generators of random numbers, streams,
-- batches, `params` of layers, other objects with methods `state` and `restore`, numbers, texts, booleans, and tables
-- of these. A file of that name is replaced when the new one is complete.
-- @tparam string path ends in .npz
-- @tparam table tree
function M.save(path, tree)
  util.expect("save", "path", path, "string")
  util.expect("save", "tree", tree, "table")
  if not path:find("%.npz$") then util.raise("ValueError", "save: a checkpoint is an .npz file: %s", path) end
  local into = { arrays = {}, lines = {} }
  gather(tree, "", into, 0)
  local text = table.concat(into.lines, "\n")
  table.insert(into.arrays, 1, { PLAIN, nd.frombuffer(text, "uint8") })
  nd.save(path, into.arrays)
end

-- ---- and back ------------------------------------------------------------------------------------------------------
local function bad(path, why) util.raise("ValueError", "checkpoint: %s: %s", path, why) end

-- Puts a value under a name of parts into the tree.
local function plant(path, tree, name, value)
  local at, depth = tree, 0
  local front, last = name:match("^(.*)/([^/]*)$")
  for word in (front or ""):gmatch("[^/]+") do
    at, depth = at[unpart(word)], depth + 1
    if type(at) ~= "table" or depth > LEVELS then bad(path, "its names do not fit together") end
  end
  local key = unpart(last or name)
  if key == nil or rawget(at, key) ~= nil then bad(path, "its names do not fit together") end
  at[key] = value
end

--- The file's tree: tables, plain values and arrays.
-- @tparam string path
-- @treturn table
function M.load(path)
  util.expect("load", "path", path, "string")
  local arrays = nd.load(path)
  local text = type(arrays) == "table" and arrays[PLAIN]
  if not text or text.dtype ~= "uint8" then bad(path, "it is no checkpoint") end
  local tree = {}
  for line in text:tostring():gmatch("[^\n]+") do
    local name, kind, value = line:match("^(%S*) (%l) ?(.*)$")
    if not name then bad(path, "it is no checkpoint") end
    if kind ~= "t" then
      value = unplain(kind, value)
      if value == nil then bad(path, "it is no checkpoint") end
    else value = {} end
    if name ~= "" then plant(path, tree, name, value) end
  end
  for name, a in pairs(arrays) do
    if name ~= PLAIN then plant(path, tree, name, a) end
  end
  return tree
end

-- What is to be set, in order: {kind, value}.
local function match(path, tree, saved, name, into)
  for key, value in pairs(tree) do
    local kind, from = kind_of(value), saved[key]
    local inner = name == "" and tostring(key) or name .. "." .. tostring(key)
    if from == nil then
      if kind or util.is_array(value) then util.raise("KeyError", "checkpoint: %s has no %s", path, inner) end
    elseif kind then into[#into + 1] = { kind, from }
    elseif type(value) == "table" then
      if type(from) ~= "table" then util.raise("KeyError", "checkpoint: %s has no %s", path, inner) end
      match(path, value, from, inner, into)
    end
  end
  return into
end

--- Sets everything in `tree` that has a state to what the file has of that name; all or, with an error, nothing.
-- @tparam string path
-- @tparam table tree as for save; plain values in it do not matter
-- @treturn table the file's tree, with the plain values
function M.restore(path, tree)
  util.expect("restore", "tree", tree, "table")
  local saved = M.load(path)
  local steps, done = match(path, tree, saved, "", {}), {}
  local ok, why = pcall(function()
    for i, step in ipairs(steps) do
      local before = (step[1].copy or step[1].get)()
      done[i] = { step[1], before }
      step[1].set(step[2])
    end
  end)
  if not ok then
    for i = #done, 1, -1 do pcall(done[i][1].set, done[i][2]) end
    error(why, 0)
  end
  return saved
end

return M
