--- Compilation modes: `theano.compile.mode`.
-- @module theano.compile.mode
local core = require("theano.core")
local optdb = require("theano.optdb")
local opt = require("theano.rewriters")
local util = require("theano.util")

local M = { optdb = optdb.optdb }

local Mode = { __name = "Mode" }
Mode.__index = Mode

--- Names of the optimizers, linkers and modes there are.
M.predefined_optimizers = {}
for _, name in ipairs({ "o1", "o2", "o3", "o4", "fast_run", "fast_compile", "stabilize", "unsafe", "merge", "None" }) do
  M.predefined_optimizers[name] = name
end
M.predefined_linkers = {}
for _, name in ipairs({ "cvm", "c", "vm", "c|py", "cvm_nogc", "vm_nogc", "c|py_nogc", "py", "interpreter" }) do
  M.predefined_linkers[name] = name
end
M.predefined_modes = {}

local function names_of(t)
  local names = {}
  for k in pairs(t) do names[#names + 1] = k end
  table.sort(names)
  return names
end

local function unknown(what, name, t)
  local names = names_of(t)
  local near = util.nearest(name, names)
  util.raise("ValueError", "Invalid %s '%s'%s: the known ones are '%s'", what, name,
    near and " (nearest is '" .. near .. "')" or "", table.concat(names, "', '"))
end

-- A name, a Query, what optdb:query gave, or nil.
local function optimizer_of(v)
  if v == nil or optdb.is_query(v) then return v end
  if type(v) == "table" and type(v.text) == "string" and v.passes then
    local base = v.text:match("^[%w_]+") or "None"
    local q = { include = { base }, exclude = {}, require = {} }
    for sign, word in v.text:gmatch("([+&-])([^%s+&]+)") do
      table.insert(sign == "+" and q.include or sign == "-" and q.exclude or q.require, word)
    end
    return optdb.Query(q)
  end
  if type(v) ~= "string" then
    util.raise("TypeError", "Mode: the optimizer is a name, a Query or what optdb:query gives, got %s",
      opt.is_rewrite(v) and "a rewrite (register it in optdb and include its name)" or type(v))
  end
  local registered = M.predefined_optimizers[v]
  if registered == nil and not M.predefined_optimizers[v:lower()] then unknown("optimizer", v,
    M.predefined_optimizers) end
  return registered ~= nil and registered or v
end

--- A compilation mode: `Mode{linker = "interpreter", optimizer = "fast_run"}`, `Mode("c", "o2")`. The optimizer is a
-- name
-- or a `theano.gof.Query`. `m:including(tag, ..)`, `m:excluding(..)`, `m:requiring(..)` give refined copies.
function M.Mode(options, optimizer)
  if type(options) ~= "table" or options.include then options = { linker = options, optimizer = optimizer } end
  util.check_keywords("Mode", options, util.set({ "linker", "optimizer" }))
  if options.linker ~= nil and not M.predefined_linkers[options.linker] then
    if type(options.linker) ~= "string" then
      util.raise("TypeError", "Mode: the linker is a name, got %s", type(options.linker))
    end
    unknown("linker", options.linker, M.predefined_linkers)
  end
  local tags = { including = {}, excluding = {}, requiring = {} }
  local m = { linker = options.linker, optimizer = optimizer_of(options.optimizer), tags = tags }
  if optdb.is_query(m.optimizer) then
    m.query = m.optimizer
    local base, include, exclude, required = optdb.query_parts(m.query)
    m.optimizer = base
    tags.including, tags.excluding, tags.requiring = include, { table.unpack(exclude) }, { table.unpack(required) }
  end
  return setmetatable(m, Mode)
end

local function copy_of(m)
  local copy = { mode = m.mode, linker = m.linker, optimizer = m.optimizer, watch = m.watch, tags = {} }
  for k, v in pairs(m.tags) do copy.tags[k] = table.move(v, 1, #v, 1, {}) end
  return setmetatable(copy, Mode)
end

local function with_tags(field)
  return function(m, ...)
    if getmetatable(m) ~= Mode then util.raise("TypeError", "%s is called with a colon: mode:%s(..)", field, field) end
    local copy = copy_of(m)
    for i, tag in ipairs(util.list(("Mode:%s: the tags"):format(field), table.pack(...))) do
      if type(tag) ~= "string" then
        util.raise("TypeError", "Mode:%s: number %d is a %s, a name or a tag expected", field, i, type(tag))
      end
      table.insert(copy.tags[field], tag)
    end
    return copy
  end
end
Mode.including, Mode.excluding, Mode.requiring = with_tags("including"), with_tags("excluding"), with_tags("requiring")

local registered = 0

--- A copy of the mode that runs rewrites of its own as well: `mode:register({rewrite, position}, ..)`.
function Mode:register(...)
  local copy = copy_of(self)
  for i, pair in ipairs(util.list("Mode:register: the rewrites", table.pack(...))) do
    if type(pair) ~= "table" or not opt.is_rewrite(pair[1]) or type(pair[2]) ~= "number" then
      util.raise("TypeError", "mode:register takes {rewrite, position}; number %d is %s", i,
        opt.is_rewrite(pair) and "a rewrite without a position" or "a " .. type(pair))
    end
    registered = registered + 1
    local name = ("%s_of_mode_%d"):format(pair[1].name or "rewrite", registered)
    M.optdb:register(name, pair[1], pair[2])
    table.insert(copy.tags.including, name)
  end
  return copy
end

Mode.__tostring = function(m)
  local words = {}
  for _, k in ipairs({ "mode", "linker", "optimizer" }) do
    if m[k] then words[#words + 1] = ("%s = %s"):format(k == "mode" and "name" or k, m[k]) end
  end
  if m.watch then words[#words + 1] = "watch = yes" end
  for _, k in ipairs({ "including", "excluding", "requiring" }) do
    if #m.tags[k] > 0 then words[#words + 1] = ("%s = {%s}"):format(k, table.concat(m.tags[k], ", ")) end
  end
  return "Mode{" .. table.concat(words, ", ") .. "}"
end

function M.is_mode(m) return getmetatable(m) == Mode end

--- A predefined or registered mode by name, to be refined: `theano.compile.get_mode("FAST_RUN"):excluding("fusion")`. A
-- Mode is given back as it is; nil is the default mode.
function M.get_mode(name)
  if M.is_mode(name) then return name end
  if name == nil then return M.get_default_mode() end
  if type(name) ~= "string" then util.raise("TypeError", "get_mode takes a mode's name, got %s", type(name)) end
  if M.is_mode(M.predefined_modes[name]) then return M.predefined_modes[name] end
  return unknown("mode", name, M.predefined_modes)
end

for _, name in ipairs({ "Mode", "FAST_RUN", "FAST_COMPILE", "DebugMode", "DEBUG_MODE", "NanGuardMode", "None" }) do
  M.predefined_modes[name] = M.Mode({})
  M.predefined_modes[name].mode = name
end

--- The mode that `theano.compile` takes without one: that of the flag `mode`.
function M.get_default_mode() return M.get_mode(core.config_get("mode")) end

--- Gives a mode a name, for `get_mode` and `mode = "name"`.
function M.register_mode(name, mode)
  if type(name) ~= "string" then
    util.raise("TypeError", "register_mode(name, mode): name is a text, got %s", type(name))
  end
  if M.predefined_modes[name] then util.raise("ValueError", "Mode name already taken: %s", name) end
  if not M.is_mode(mode) then
    util.raise("TypeError", "register_mode(name, mode): mode is a theano.compile.Mode, got %s", type(mode))
  end
  M.predefined_modes[name] = mode
end

--- Gives a Query a name, for `Mode{optimizer = "name"}`.
function M.register_optimizer(name, query)
  if type(name) ~= "string" then
    util.raise("TypeError", "register_optimizer(name, query): name is a text, got %s", type(name))
  end
  if M.predefined_optimizers[name] then util.raise("ValueError", "Optimizer name already taken: %s", name) end
  if not optdb.is_query(query) then
    util.raise("TypeError", "register_optimizer(name, query): query is a theano.gof.Query, got %s", type(query))
  end
  M.predefined_optimizers[name] = query
end

--- Puts a mode into what the engine compiles.
function M.set(spec, mode)
  if mode == nil then return end
  if type(mode) == "string" then
    local known = M.predefined_modes[mode]
    if not known or known.mode == mode then spec.mode = mode return end
    mode = known
  end
  if not M.is_mode(mode) then
    util.raise("TypeError", "mode is a name or a theano.compile.Mode, got %s", type(mode))
  end
  spec.mode, spec.linker, spec.optimizer, spec.watch = mode.mode, mode.linker, mode.optimizer, mode.watch
  for field, tags in pairs(mode.tags) do
    if #tags > 0 then spec[field] = table.concat(tags, ":") end
  end
end

return M
