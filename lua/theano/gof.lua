--- Rewrites of your own: text patterns, functions on a node, functions on the whole graph; and the table they go into.
-- @module theano.gof
if not package.loaded["theano"] then require("theano") return package.loaded["theano.gof"] end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local M = { graph = require("theano.gofgraph") }
local T -- theano.tensor, on first use

local Rewrite = { __name = "Rewrite" }
Rewrite.__index = Rewrite

local function rewrite(fields, options)
  util.check_keywords("a rewrite", options or {}, util.set({ "name", "only_if" }))
  for k, v in pairs(options or {}) do fields[k] = v end
  return setmetatable(fields, Rewrite)
end

-- ---- what a rewrite sees --------------------------------------------------------------------------------------------
local FGraph = { __name = "FunctionGraph" }

local function replace(_, old, new, reason)
  core.rewrite_replace(old, new, reason)
end

local shape_of = setmetatable({}, {
  __index = function(_, v)
    local t = {}
    for d = 1, v.ndim do t[d] = core.rewrite_shape(v, d - 1) end
    return t
  end,
})

local methods = {
  --- Nodes in an order of computing, as they are now.
  toposort = function() return core.rewrite_nodes() end,
  --- Users of a variable: `{{node, place}, ..}`, `{"output", place}` for outputs of the function.
  clients = function(_, v) return core.rewrite_clients(v) end,
  --- Every user of `old` uses `new` from now on. Types must be equal, `new` must not need `old`; else it raises and
  -- nothing has changed.
  replace = replace,
  replace_validate = replace,
  --- `{{old, new}, ..}` at once: where one cannot be, or they make a cycle together, it raises and none is made.
  replace_all_validate = function(_, list, reason) core.rewrite_replace_all(list, reason) end,
}

FGraph.__index = function(_, key)
  if methods[key] then return methods[key] end
  if key == "inputs" then return core.rewrite_vars("i") end
  if key == "outputs" then return core.rewrite_vars("o") end
  if key == "shape_feature" then return { shape_of = shape_of } end
  util.raise("AttributeError", "the graph of a rewrite has no attribute '%s'", tostring(key))
end
local graph = setmetatable({}, FGraph)

-- ---- kinds of rewrites ----------------------------------------------------------------------------------------------
--- A pattern and what takes its place: `PatternSub("log(1 + x)", "log1p(x)")`. Letters are any expression, `c` and `d`
-- constants; options: `name`, `only_if` ("float(x) one_client(f)").
function M.PatternSub(before, after, options)
  if type(before) ~= "string" or type(after) ~= "string" then
    util.raise("TypeError", "PatternSub takes two texts, as in PatternSub(\"log(1 + x)\", \"log1p(x)\")")
  end
  return rewrite({ before = before, after = after }, options)
end
M.PatternOptimizer = M.PatternSub

local names -- function of the tensor language -> its name

local function op_name(op)
  if type(op) == "string" then return op end
  if not names then
    T = T or require("theano.tensor")
    names = {}
    for _, space in ipairs({ T, T.nnet }) do
      for k, v in pairs(space) do
        if type(v) == "function" or type(v) == "table" then names[v] = k end
      end
    end
  end
  if not names[op] then util.raise("TypeError", "local_optimizer: an operation is a name (\"log\", \"Sum\"), not %s",
    tostring(op)) end
  return names[op]
end

-- What the user's function returns, as a list with one entry per output (false keeps it), or nil.
local function as_list(node, got)
  if not got then return nil end
  if util.is_var(got) then return { got } end
  if type(got) ~= "table" then
    util.raise("TypeError", "a local rewrite returns nil, a Variable or a table, not a %s", type(got))
  end
  local outputs, list = node.outputs, {}
  if #got > 0 then
    if #got ~= #outputs then
      util.raise("ValueError", "a local rewrite returned %d Variables for %d outputs", #got, #outputs)
    end
    return got
  end
  for i, v in ipairs(outputs) do list[i] = got[v] or false end
  return list
end

--- A function on one node: `local_optimizer({"log"}, function(node, fgraph) .. return replacement end)`. It returns nil
-- where it does not apply, else a Variable, one for each output, or `{[output] = replacement}`. Without the function:
-- a decorator that takes it.
function M.local_optimizer(ops, fn, options)
  if fn == nil then
    return function(f, o) return M.local_optimizer(ops, f, o) end
  end
  local list = {}
  for i, op in ipairs(ops or {}) do list[i] = op_name(op) end
  return rewrite({
    ops = table.concat(list, ":"),
    fn = function(node) return as_list(node, fn(node, graph)) end,
  }, options)
end

--- A function on the whole graph: `optimizer(function(fgraph) .. fgraph:replace_validate(old, new) .. end)`.
function M.optimizer(fn, options)
  if type(fn) ~= "function" then util.raise("TypeError", "optimizer takes a function, got %s", type(fn)) end
  return rewrite({ global = true, fn = function() fn(graph) end }, options)
end

-- ---- registering ----------------------------------------------------------------------------------------------------
local function register(r, fields)
  if getmetatable(r) ~= Rewrite then
    util.raise("TypeError", "a rewrite is made by PatternSub, local_optimizer or optimizer, got %s", type(r))
  end
  for _, k in ipairs({ "before", "after", "only_if", "ops", "fn", "global" }) do fields[k] = r[k] end
  fields.name = fields.name or r.name
  if not fields.name then util.raise("ValueError", "the rewrite has no name: give it {name = \"..\"}") end
  core.rewrite_register(fields)
  return r
end

--- `optdb:register(name, rewrite, position, tags..)`: a pass of its own.
function M.register(_, name, r, position, ...)
  if type(position) ~= "number" then
    util.raise("TypeError", "optdb:register(name, rewrite, position, tags..): position is a number, got %s",
      type(position))
  end
  register(r, { name = name, position = position, tags = table.concat({ ... }, ":") })
end

--- `optdb:remove(name)` takes out what was registered.
function M.remove(_, name)
  core.rewrite_remove(name)
end

--- `T.opt.register_canonicalize(rewrite, tags..)` and so on: the rewrite runs with the rules of that phase, under
-- `fast_run` and the tags.
M.phases = {}
for _, phase in ipairs({ "useless", "canonicalize", "stabilize", "specialize", "uncanonicalize",
  "specialize_device" }) do
  M.phases["register_" .. phase] = function(r, ...)
    return register(r, { phases = phase, tags = table.concat({ "fast_run", ... }, ":") })
  end
end

--- `T.opt.register(name, rewrite, {"canonicalize", "specialize"}, tags..)`: in several phases.
function M.phases.register(name, r, phases, ...)
  return register(r, { name = name, phases = table.concat(phases, ":"), tags = table.concat({ "fast_run", ... }, ":") })
end

-- ---- queries --------------------------------------------------------------------------------------------------------
local QueryMeta = { __name = "Query" }
QueryMeta.__index = QueryMeta

local function list_of(v)
  return type(v) == "table" and v or { v }
end

--- `Query{include = {"fast_run"}, exclude = {"inplace"}, require = {}}`.
function M.Query(options)
  util.check_keywords("Query", options, util.set({ "include", "exclude", "require" }))
  return setmetatable({
    include = list_of(options.include), exclude = list_of(options.exclude), require = list_of(options.require),
  }, QueryMeta)
end

local function with(field)
  return function(q, ...)
    local copy = M.Query({ include = { table.unpack(q.include) }, exclude = { table.unpack(q.exclude) },
      require = { table.unpack(q.require) } })
    for _, tag in ipairs({ ... }) do table.insert(copy[field], tag) end
    return copy
  end
end
QueryMeta.including, QueryMeta.excluding, QueryMeta.requiring = with("include"), with("exclude"), with("require")

--- The text that the engine reads: "fast_run +tag -tag &tag".
function M.query_text(...)
  local words = {}
  for _, q in ipairs({ ... }) do
    if getmetatable(q) == QueryMeta then
      for i, w in ipairs(q.include) do words[#words + 1] = (#words == 0 and i == 1 and "" or "+") .. w end
      for _, w in ipairs(q.exclude) do words[#words + 1] = "-" .. w end
      for _, w in ipairs(q.require) do words[#words + 1] = "&" .. w end
    elseif type(q) == "string" then
      words[#words + 1] = q
    else
      util.raise("TypeError", "optdb:query takes names and Queries, got %s", type(q))
    end
  end
  return table.concat(words, " ")
end

return M
