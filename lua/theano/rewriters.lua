--- Rewrites as objects: on one node (PatternSub, OpSub, OpRemove, local_optimizer), on the whole graph (optimizer,
-- TopoOptimizer, EquilibriumOptimizer, SeqOptimizer, MergeOptimizer).
-- @module theano.gof.opt
local core = require("theano.core")
local fg = require("theano.fgraph")
local pattern = require("theano.pattern")
local util = require("theano.util")

local M = {}

--- The class of them all. Of a local one: ops (a list of kinds, nil: all), fn(node, fgraph); of a global one:
-- run(fgraph).
local Rewrite = { __name = "Rewrite" }
Rewrite.__index = Rewrite
M.Rewrite = Rewrite

function M.is_rewrite(r) return getmetatable(r) == Rewrite end

local function rewrite(kind, fields, options, known)
  util.check_keywords(kind, options or {}, known or { name = true })
  for k, v in pairs(options or {}) do fields[k] = v end
  if fields.name ~= nil and type(fields.name) ~= "string" then
    util.raise("TypeError", "%s: name is a text, got %s", kind, type(fields.name))
  end
  fields.made = kind
  return setmetatable(fields, Rewrite)
end

Rewrite.__tostring = function(r)
  local text = r.name and r.made .. " " .. r.name or r.made
  return r.about and text .. ": " .. r.about or text
end

-- ---- what a local one returns ---------------------------------------------------------------------------------------
-- As a list with one entry per output (false keeps it), or nil.
local function as_list(node, got)
  if not got then return nil end
  if util.is_var(got) then got = { got } end
  if type(got) ~= "table" then
    util.raise("TypeError", "a local rewrite returns nil, false, a Variable or a table of them, not a %s (%s)",
      type(got),
      util.text(got))
  end
  local outputs, list = node.outputs, {}
  if math.type(next(got)) == "integer" then
    util.list("what a local rewrite returned", got)
    if #got ~= #outputs then
      util.raise("ValueError", "a local rewrite returned %d Variables for the %d outputs of %s", #got, #outputs,
        tostring(node))
    end
    list = got
  else
    for i, v in ipairs(outputs) do list[i] = got[v] or false end
  end
  for i, v in ipairs(list) do
    if v and not util.is_var(v) then
      util.raise("TypeError", "a local rewrite returned a %s for output %d of %s, a Variable expected", type(v), i - 1,
        tostring(node))
    end
  end
  return list
end
M.as_list = as_list

--- What takes the place of a node's outputs: a list with a Variable or false for each, or nil where it does not apply.
function Rewrite:transform(node, fgraph)
  if not self.fn then
    util.raise("TypeError", "%s is no rewrite of single nodes: it has optimize(fgraph)", tostring(self))
  end
  return as_list(node, self.fn(node, fgraph))
end

--- The kinds of operations that it looks at; nil: all.
function Rewrite:tracks() return self.ops end

local function kinds_of(kind)
  if kind == "UserOp" then return { kind, "UserPerform" } end
  return kind ~= "*" and { kind } or nil
end

-- ---- patterns -------------------------------------------------------------------------------------------------------
local sub_options = {
  name = true, only_if = "string", allow_multiple_clients = "boolean", tracks = true, skip_identities_fn = true,
  get_nodes = true,
}

--- A pattern and what takes its place, as texts or as tables: `PatternSub("log(1 + x)", "log1p(x)")`,
-- `PatternSub({T.log, {T.add, 1, "x"}}, {T.log1p, "x"})`. In a text letters are any expression, `c` and `d`
-- constants; in
-- a table every string is a name, and `{pattern = "x", constraint = function(v) .. end}` a part with a condition.
-- Options: `name`, `only_if` ("float(x) one_client(f)", of texts), `allow_multiple_clients` (false, of tables): may
-- what
-- is between the operations of the left side have other users?
function M.PatternSub(before, after, options)
  options = options or {}
  local text = type(before) == "string"
  if text ~= (type(after) == "string") and not (not text and type(after) == "string") then
    util.raise("TypeError", "PatternSub takes two texts, as in PatternSub(\"log(1 + x)\", \"log1p(x)\"), or two tables")
  end
  for _, k in ipairs({ "tracks", "skip_identities_fn", "get_nodes" }) do
    if options[k] ~= nil then
      util.raise("NotImplementedError", "PatternSub: '%s' is Theano's and has no meaning here; see "
        .. "docs/differences.md", k)
    end
  end
  if not text and type(before) ~= "table" then
    util.raise("TypeError", "PatternSub takes two texts, as in PatternSub(\"log(1 + x)\", \"log1p(x)\"), or two "
      .. "tables, "
      .. "as in PatternSub({T.log, {T.add, 1, \"x\"}}, {T.log1p, \"x\"}); got %s", type(before))
  end
  local r = rewrite("PatternSub", {}, options, sub_options)
  if text then
    if r.allow_multiple_clients ~= nil then
      util.raise("TypeError", "PatternSub: of a text it is only_if = \"one_client(f)\", not allow_multiple_clients")
    end
    r.before, r.after, r.about = before, after, ("%s -> %s"):format(before, after)
    return r
  end
  if r.only_if then util.raise("TypeError", "PatternSub: only_if is for texts; of a table it is a constraint") end
  if type(after) == "string" and not after:find("^[%a_][%w_]*$") then
    local why
    after, why = pattern.from_text(after)
    if after == nil then util.raise("ValueError", "PatternSub: the right side cannot be read: %s", why) end
  end
  local kind
  r.fn, kind = pattern.substitute(before, after, options)
  r.ops = kinds_of(kind)
  r.about = ("%s -> %s"):format(pattern.text(before), pattern.text(after))
  return r
end
M.PatternOptimizer = M.PatternSub

-- A text rule that Lua runs on a graph: as tables.
local function text_transform(r)
  if r.only_if then
    util.raise("NotImplementedError", "%s: only_if is checked where the rewrite is registered", tostring(r))
  end
  local function side(text)
    local p, why = pattern.from_text(text)
    if p == nil then
      util.raise("ValueError", "%s: '%s' cannot be read: %s; registered in optdb it may be", tostring(r), text, why)
    end
    return p
  end
  local function constants(p) -- "c" and "d" are constants
    if p == "c" or p == "d" then
      return { pattern = p, constraint = function(v) return core.kind(v) == "constant" end }
    end
    if type(p) ~= "table" then return p end
    local q = { p[1] }
    for i = 2, #p do q[i] = constants(p[i]) end
    return q
  end
  local fn, kind = pattern.substitute(constants(side(r.before)), side(r.after), { allow_multiple_clients = true })
  return fn, kinds_of(kind)
end

-- ---- functions on one node ------------------------------------------------------------------------------------------
--- A function on one node: `local_optimizer({"log"}, function(node, fgraph) .. return replacement end)`. It returns nil
-- or false where it does not apply, else a Variable, one for each output, or `{[output] = replacement}`. Operations are
-- names, functions as T.log, or a theano.Op; nil: all nodes. Without the function: a decorator that takes it.
function M.local_optimizer(ops, fn, options)
  if fn == nil then
    return function(f, o) return M.local_optimizer(ops, f, o) end
  end
  if type(fn) ~= "function" then
    util.raise("TypeError", "local_optimizer takes a function of a node, got %s", type(fn))
  end
  if ops ~= nil and (type(ops) ~= "table" or ops.perform or ops.node) then
    util.raise("TypeError", "local_optimizer takes a list of operations, as in local_optimizer({\"log\"}, ..), got %s",
      type(ops) == "table" and "one operation" or type(ops))
  end
  local kinds, own = ops and {}, nil
  for i, op in ipairs(util.list("local_optimizer: the operations", ops or {})) do
    kinds[i] = pattern.op_name("local_optimizer", op)
    if kinds[i] == "UserOp" and type(op) == "table" then own = own or {} own[#own + 1] = op end
  end
  if own then kinds[#kinds + 1] = "UserPerform" end
  if ops and #ops == 0 then util.raise("ValueError", "local_optimizer: no operation is named; nil is all of them") end
  local r = rewrite("local_optimizer", { ops = kinds }, options)
  r.fn = function(node, fgraph)
    if own and pattern.is_user(node) then
      local one = false
      for _, op in ipairs(own) do one = one or pattern.is_op(node, op) end
      if not one then return nil end
    end
    return fn(node, fgraph)
  end
  r.about = "of " .. (kinds and table.concat(kinds, ", ") or "all operations")
  return r
end
M.LocalOptimizer = M.local_optimizer

local function inputs_of(what, op1, op2)
  local kind, maker = pattern.op_name(what, op1), pattern.maker(what, op2)
  return kind, maker
end

--- Replaces one operation by another of the same inputs: `OpSub(T.add, T.mul)`. Options: name, `transfer_tags` is
-- taken.
function M.OpSub(op1, op2, options)
  local kind, maker = inputs_of("OpSub", op1, op2)
  local r = rewrite("OpSub", { ops = kinds_of(kind) }, options)
  r.about = ("%s -> %s"):format(kind, type(op2) == "string" and op2 or pattern.op_name("OpSub", op2))
  r.fn = function(node)
    if not pattern.is_op(node, op1) then return nil end
    return { maker(table.unpack(node.inputs)) }
  end
  return r
end

--- Takes an operation out whose results are its inputs: `OpRemove(identity)`.
function M.OpRemove(op, options)
  local kind = pattern.op_name("OpRemove", op)
  local r = rewrite("OpRemove", { ops = kinds_of(kind), about = kind .. "(x) -> x" }, options)
  r.fn = function(node)
    if not pattern.is_op(node, op) then return nil end
    local inputs, outputs = node.inputs, node.outputs
    if node.op.kind == "UserPerform" then inputs = { table.unpack(inputs, 1, #outputs) } end
    if #inputs ~= #outputs then
      util.raise("ValueError", "OpRemove: %s has %d inputs and %d outputs; each output becomes its input",
        tostring(node),
        #inputs, #outputs)
    end
    return inputs
  end
  return r
end

local function locals_of(what, list)
  for i, r in ipairs(util.list(what .. ": the rewrites", list)) do
    if type(r) == "function" then r = M.local_optimizer(nil, r) list[i] = r end
    if not M.is_rewrite(r) or r.run then
      util.raise("TypeError", "%s takes rewrites of single nodes (PatternSub, local_optimizer, OpSub, OpRemove); "
        .. "number %d "
        .. "is %s", what, i, M.is_rewrite(r) and tostring(r) or "a " .. type(r))
    end
  end
  return list
end

local function merged_ops(list)
  local ops, met = {}, {}
  for _, r in ipairs(list) do
    local kinds = r.ops
    if r.before then kinds = select(2, text_transform(r)) end
    if not kinds then return nil end
    for _, k in ipairs(kinds) do
      if not met[k] then met[k], ops[#ops + 1] = true, k end
    end
  end
  return ops
end

local function transform_of(r)
  local fn, kinds = r.fn, r.ops
  if r.before then fn, kinds = text_transform(r) end
  local set = kinds and util.set(kinds)
  return function(node, fgraph)
    if set and not set[node.op.kind] then return nil end
    return as_list(node, fn(node, fgraph))
  end
end

-- ---- the engine's own -----------------------------------------------------------------------------------------------
--- Rules or passes of the engine, by name, as one rewrite of the whole graph: wherever they apply, until they no longer
-- do.
function M.engine(names, what)
  return rewrite("engine", {
    name = names[1], engine = names, about = table.concat(names, ", "), what = what,
    run = function(fgraph) core.graph_optimize(fgraph, "=" .. table.concat(names, ":")) end,
  })
end

-- All of them the engine's: one rewrite of the graph; none: nil; some: an error, since they work in different ways.
local function all_engine(what, list)
  local names, n = {}, 0
  for _, r in ipairs(list) do
    if M.is_rewrite(r) and r.engine then
      n = n + 1
      table.move(r.engine, 1, #r.engine, #names + 1, names)
    end
  end
  if n == 0 then return nil end
  if n < #list then
    util.raise("TypeError", "%s takes rules of the engine or rewrites of yours; both together go into a SeqOptimizer "
      .. "or an EquilibriumOptimizer", what)
  end
  return M.engine(names)
end

-- ---- several -------------------------------------------------------------------------------------------------------
--- Several rewrites of single nodes as one: the first that applies is taken.
function M.LocalOptGroup(...)
  local own = all_engine("LocalOptGroup", { ... })
  if own then return own end
  local list = locals_of("LocalOptGroup", table.pack(...))
  local fns = {}
  for i, r in ipairs(list) do fns[i] = transform_of(r) end
  local names = {}
  for i, r in ipairs(list) do names[i] = r.name or tostring(r) end
  return rewrite("LocalOptGroup", {
    ops = merged_ops(list), about = table.concat(names, ", "), members = list,
    fn = function(node, fgraph)
      for _, fn in ipairs(fns) do
        local got = fn(node, fgraph)
        if got then return got end
      end
    end,
  })
end

-- ---- functions on the whole graph -----------------------------------------------------------------------------------
local function check_graph(what, fgraph)
  if not fg.is_graph(fgraph) then
    util.raise("TypeError", "%s takes a theano.gof.FunctionGraph, got %s", what, util.is_var(fgraph) and "a Variable"
      or type(fgraph))
  end
end

--- Rewrites a graph: `r:optimize(fgraph)`. A rewrite of single nodes goes over all of them, inputs first.
function Rewrite:optimize(fgraph)
  check_graph("optimize", fgraph)
  if not self.run then return M.TopoOptimizer(self):optimize(fgraph) end
  if self.add_requirements then self:add_requirements(fgraph) end
  self.run(fgraph, self)
end

--- The same, without `add_requirements`.
function Rewrite:apply(fgraph)
  check_graph("apply", fgraph)
  if not self.run then return M.TopoOptimizer(self):apply(fgraph) end
  self.run(fgraph, self)
end

local function lines_of(r, depth, lines)
  lines[#lines + 1] = ("  "):rep(depth) .. tostring(r)
  for _, m in ipairs(r.members or {}) do lines_of(m, depth + 1, lines) end
  return lines
end

--- A line for it and for each of its parts.
function Rewrite:summary() return table.concat(lines_of(self, 0, {}), "\n") .. "\n" end

--- Prints `summary()`.
function Rewrite:print_summary() io.write(self:summary()) end

--- A function on the whole graph: `optimizer(function(fgraph) .. fgraph:replace_validate(old, new) .. end)`, or a
-- table of
-- `apply(self, fgraph)` and `add_requirements(self, fgraph)`.
function M.optimizer(fn, options)
  if type(fn) == "table" and type(fn.apply) == "function" then
    local t = fn
    util.check_keywords("optimizer", t, util.set({ "apply", "add_requirements", "name" }))
    local r = rewrite("optimizer", { name = t.name, run = function(fgraph) t:apply(fgraph) end }, options)
    if t.add_requirements then r.add_requirements = function(_, fgraph) t:add_requirements(fgraph) end end
    return r
  end
  if type(fn) ~= "function" then
    util.raise("TypeError", "optimizer takes a function of a FunctionGraph, got %s", type(fn))
  end
  return rewrite("optimizer", { run = function(fgraph) fn(fgraph) end }, options)
end
M.Optimizer = M.optimizer
M.inplace_optimizer = M.optimizer

--- Merges equal nodes and equal constants.
function M.MergeOptimizer(options)
  return rewrite("MergeOptimizer", { run = function(fgraph) fgraph:merge() end }, options)
end

--- Several one after the other, each over the whole graph.
function M.SeqOptimizer(list, options)
  if type(list) ~= "table" or M.is_rewrite(list) then
    util.raise("TypeError", "SeqOptimizer takes a list: SeqOptimizer({first, second})")
  end
  local members = {}
  for i, r in ipairs(util.list("SeqOptimizer: the rewrites", list)) do
    if type(r) ~= "table" or type(r.optimize) ~= "function" then
      util.raise("TypeError", "SeqOptimizer takes rewrites; number %d is a %s", i, type(r))
    end
    members[i] = r
  end
  local r = rewrite("SeqOptimizer", { members = members }, options)
  r.run = function(fgraph)
    for _, m in ipairs(members) do m:optimize(fgraph) end
  end
  r.about = ("%d rewrites"):format(#members)
  return r
end

-- ---- going over the nodes -------------------------------------------------------------------------------------------
-- What is left of a graph's nodes to be looked at, and the nodes that come while it goes on.
local function worklist(fgraph, backward, new_too)
  local list, queued, first = fgraph:toposort(), {}, 1
  local last = #list
  if backward then
    for i = 1, #list // 2 do list[i], list[#list + 1 - i] = list[#list + 1 - i], list[i] end
  end
  for _, node in ipairs(list) do queued[node] = true end
  local feature = {}
  local function add(node)
    if node == "output" or queued[node] then return end
    last = last + 1
    queued[node], list[last] = true, node
  end
  if new_too then
    function feature.on_import(_, _, node) add(node) end
    function feature.on_change_input(_, _, node) feature.changed = true add(node) end
  else
    function feature.on_change_input() feature.changed = true end
  end
  fgraph:attach_feature(feature)
  return feature, function()
    while first <= last do
      local node = list[first]
      list[first], first = nil, first + 1
      queued[node] = nil
      local now = fgraph:current(node)
      if now then return now end
    end
    fgraph:remove_feature(feature)
    return nil
  end
end

local function replace_outputs(fgraph, node, got, reason)
  local list = {}
  for i, v in ipairs(node.outputs) do
    if got[i] and got[i] ~= v then list[#list + 1] = { v, got[i] } end
  end
  if #list == 1 then fgraph:replace_validate(list[1][1], list[1][2], reason) end
  if #list > 1 then fgraph:replace_all_validate(list, reason) end
  return #list > 0
end

-- An error in the user's rewrite or of what it returned, with its name; the feature goes.
local function guarded(fgraph, feature, r, fn, ...)
  local result = table.pack(pcall(fn, ...))
  if result[1] then return table.unpack(result, 2, result.n) end
  fgraph:remove_feature(feature)
  local message = tostring(result[2])
  local where, kind, rest = message:match("^([^\n]-:%d+): (%u%w*): (.*)$")
  if where then error(("%s: %s: rewrite %s: %s"):format(where, kind, r.name or tostring(r), rest), 0) end
  error(result[2], 0)
end

--- Goes over the nodes once, inputs first ("in_to_out", the default) or outputs first, and over the nodes that come
-- meanwhile. Options: order, `ignore_newtrees` (false): leave what comes alone; `max_use_ratio` (10): how often on
-- average
-- a node may be replaced before it counts as endless, which raises; name.
function M.TopoOptimizer(local_opt, options)
  if type(options) == "string" then options = { order = options } end
  options = options or {}
  if all_engine("TopoOptimizer", { local_opt }) then return local_opt end
  local one = locals_of("TopoOptimizer", { local_opt })[1]
  if not one then util.raise("TypeError", "TopoOptimizer takes a rewrite of single nodes, got nil") end
  local r = rewrite("TopoOptimizer", { members = { one }, about = options.order or "in_to_out" }, options,
    { name = true, order = true, ignore_newtrees = "boolean", max_use_ratio = "number" })
  if r.order and r.order ~= "in_to_out" and r.order ~= "out_to_in" then
    util.raise("ValueError", "TopoOptimizer: order is \"in_to_out\" or \"out_to_in\", not %s", util.text(r.order))
  end
  r.name = r.name or one.name
  r.run = function(fgraph)
    local fn = transform_of(one)
    local feature, next_node = worklist(fgraph, r.order == "out_to_in", not r.ignore_newtrees)
    local left = (r.max_use_ratio or 10) * (#fgraph:toposort() + 10)
    for node in next_node do
      local got = guarded(fgraph, feature, one, fn, node, fgraph)
      if got and guarded(fgraph, feature, one, replace_outputs, fgraph, node, got, one.name) then
        left = left - 1
        if left < 0 then
          fgraph:remove_feature(feature)
          util.raise("BadOptimization", "%s replaces what it has just made and would go on for ever: let it return "
            .. "nil for "
            .. "its own results, or give {ignore_newtrees = true}", tostring(one))
        end
      end
    end
  end
  return r
end
M.NavigatorOptimizer = M.TopoOptimizer

local function navigator(what, order)
  return function(...)
    local list, options = table.pack(...), nil
    local last = list[list.n]
    if list.n > 1 and type(last) == "table" and not M.is_rewrite(last) and util.is_keywords(last) then
      options, list[list.n], list.n = last, nil, list.n - 1
    end
    local copy = { order = order }
    for k, v in pairs(options or {}) do copy[k] = v end
    local own = all_engine(what, list)
    if own then
      own.name, own.made = copy.name or own.name, what
      return own
    end
    locals_of(what, list)
    if #list == 0 then util.raise("TypeError", "%s takes rewrites of single nodes", what) end
    local r = M.TopoOptimizer(#list == 1 and list[1] or M.LocalOptGroup(table.unpack(list)), copy)
    r.made = what
    return r
  end
end

--- `out2in(rule, .., {name = ..})`: the first rule that applies at each node, from the outputs to the inputs.
M.out2in = navigator("out2in", "out_to_in")
--- The same from the inputs to the outputs.
M.in2out = navigator("in2out", "in_to_out")

--- Looks only at the nodes of the operation that the rewrite is for.
function M.OpKeyOptimizer(local_opt, options)
  if M.is_rewrite(local_opt) and not local_opt.ops then
    util.raise("TypeError", "OpKeyOptimizer takes a rewrite of one operation, %s looks at all", tostring(local_opt))
  end
  local r = M.TopoOptimizer(local_opt, options)
  r.made = "OpKeyOptimizer"
  return r
end

local function endless(m, r)
  util.raise("BadOptimization", "EquilibriumOptimizer maxed out by %s: it still changes the graph after %s times as "
    .. "many uses as there were nodes, and would go on for ever; two rewrites may undo each other (max_use_ratio = .. "
    .. "sets the bound)", util.text(m), util.text(r.max_use_ratio or 10))
end

-- One more use of m by the run; too many are an error.
local function count_use(run, m)
  run.used[m] = (run.used[m] or 0) + 1
  if run.used[m] > run.most then endless(m, run.of) end
end

-- Goes over the nodes with the local ones until no node is left to look at. Did it change anything?
local function local_round(fgraph, run)
  local feature, next_node = worklist(fgraph, false, true)
  for node in next_node do
    for i, m in ipairs(run.locals) do
      local got = guarded(fgraph, feature, m, run.fns[i], node, fgraph)
      if got and guarded(fgraph, feature, m, replace_outputs, fgraph, node, got, m.name) then
        guarded(fgraph, feature, m, count_use, run, m)
        break
      end
    end
  end
  return feature.changed
end

-- Every global one once. Did one of them change anything?
local function global_round(fgraph, run, watch)
  local any = false
  for _, m in ipairs(run.globals) do
    watch.changed = false
    m:optimize(fgraph)
    if watch.changed then count_use(run, m) end
    any = any or watch.changed
  end
  return any
end

local function equilibrium(fgraph, run)
  local watch = { on_change_input = function(self) self.changed = true end }
  fgraph:attach_feature(watch)
  local ok, message = pcall(function()
    local again
    repeat
      again = global_round(fgraph, run, watch)
      if #run.locals > 0 and local_round(fgraph, run) then again = true end
    until not again or #run.globals == 0
  end)
  fgraph:remove_feature(watch)
  if not ok then error(message, 0) end
end

--- Rewrites of single nodes and of whole graphs, again and again until none of them changes anything. Options:
-- `max_use_ratio` (10): how often, for each node there was, a rewrite may apply before it counts as endless, which
-- raises; `final_optimizers`, `cleanup_optimizers`: after each round; name.
function M.EquilibriumOptimizer(list, options)
  options = options or {}
  local r = rewrite("EquilibriumOptimizer", { members = list }, options,
    { name = true, max_use_ratio = "number", final_optimizers = "table", cleanup_optimizers = "table" })
  local locals, globals = {}, {}
  for i, m in ipairs(type(list) == "table" and util.list("EquilibriumOptimizer: the rewrites", list) or {}) do
    if not M.is_rewrite(m) then
      util.raise("TypeError", "EquilibriumOptimizer takes rewrites; number %d is a %s", i, type(m))
    end
    table.insert(m.run and globals or locals, m)
  end
  if #locals + #globals == 0 then
    util.raise("TypeError", "EquilibriumOptimizer takes a list of rewrites, which is empty")
  end
  for _, key in ipairs({ "final_optimizers", "cleanup_optimizers" }) do
    for i, m in ipairs(util.list("EquilibriumOptimizer: " .. key, r[key] or {})) do
      if not M.is_rewrite(m) then
        util.raise("TypeError", "EquilibriumOptimizer: %s[%d] is %s, a rewrite is expected", key, i, util.kind_of(m))
      end
      table.insert(globals, m)
    end
  end
  r.about = ("%d rewrites"):format(#list)

  r.run = function(fgraph)
    local fns = {}
    for i, m in ipairs(locals) do fns[i] = transform_of(m) end
    local most = (r.max_use_ratio or 10) * (#fgraph:toposort() + 10)
    equilibrium(fgraph, { of = r, locals = locals, globals = globals, fns = fns, used = {}, most = most })
  end
  return r
end

return M
