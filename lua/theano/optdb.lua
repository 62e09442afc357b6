--- The table of rewrites: registering, removing, asking what runs. `theano.compile.optdb`.
-- @module theano.optdb
local core = require("theano.core")
local opt = require("theano.rewriters")
local util = require("theano.util")

local M = {}

-- ---- what there is --------------------------------------------------------------------------------------------------
-- Passes in order: {name, position, tags, user, rules = {{name, tags, user}, ..}}; and all of them by name.
local function entries()
  local list, by = {}, {}
  for line in core.optdb_table():gmatch("[^\n]+") do
    local position, name, tags, who = line:match("^pass (%S+) (%S+) (%S*) (%a+)$")
    if name then
      list[#list + 1] = { name = name, position = tonumber(position), tags = tags, user = who == "user", rules = {} }
      by[name] = by[name] or list[#list]
    else
      name, tags, who = line:match("^rule (%S+) (%S*) (%a+)$")
      table.insert(list[#list].rules, { name = name, tags = tags, user = who == "user" })
    end
  end
  return list, by
end

local function nearest(name, list)
  local names = {}
  for _, p in ipairs(list) do
    names[#names + 1] = p.name
    for _, r in ipairs(p.rules) do names[#names + 1] = r.name end
  end
  return util.nearest(name, names)
end

-- ---- registering ----------------------------------------------------------------------------------------------------
local function tags_of(what, list)
  for i, tag in ipairs(util.list(what .. ": the tags", list)) do
    if type(tag) ~= "string" then util.raise("TypeError", "%s: tag %d is a %s, a text expected", what, i, type(tag)) end
    if tag == "" or tag:find("[:, +&-]") then
      util.raise("ValueError", "%s: a tag is one word without ':' ',' '+' '-' '&', not '%s'", what, tag)
    end
  end
  return table.concat(list, ":")
end

-- What the engine runs itself: a pattern, a function on one node; everything else is a function on the graph.
local function engine_fields(r, fields)
  if not r.run then
    fields.before, fields.after, fields.only_if = r.before, r.after, r.only_if
    fields.ops = r.ops and table.concat(r.ops, ":") or ""
    if r.fn then fields.fn = function(node, fgraph) return opt.as_list(node, r.fn(node, fgraph)) end end
    return
  end
  fields.global = true
  fields.fn = function(fgraph) r:optimize(fgraph) end
end

local function register(what, r, fields)
  if type(r) == "string" then
    util.raise("TypeError", "%s: the rewrite is a text; a pattern is PatternSub(\"log(1 + x)\", \"log1p(x)\")", what)
  end
  if not opt.is_rewrite(r) then
    util.raise("TypeError", "%s takes a rewrite (PatternSub, local_optimizer, optimizer, out2in, ..), got %s", what,
      type(r) == "function" and "a function: wrap it in local_optimizer or optimizer" or type(r))
  end
  engine_fields(r, fields)
  fields.name = fields.name or r.name
  if not fields.name then util.raise("ValueError", "%s: the rewrite has no name: give it {name = \"..\"}", what) end
  if type(fields.name) ~= "string" then
    util.raise("TypeError", "%s: the name is a text, got %s", what, type(fields.name))
  end
  core.rewrite_register(fields)
  return r
end

local function is_db(db, what)
  if getmetatable(db) ~= M.OptDB and getmetatable(db) ~= M.PhaseDB then
    util.raise("TypeError", "%s is called with a colon: optdb:%s(..)", what, what)
  end
end

local function register_pass(db, name, r, position, ...)
  is_db(db, "register")
  if type(name) ~= "string" then
    util.raise("TypeError", "optdb:register(name, rewrite, position, tags..): name is a text, got %s", type(name))
  end
  if type(position) ~= "number" or position ~= position then
    util.raise("TypeError", "optdb:register(name, rewrite, position, tags..): position is a number, got %s",
      position ~= nil and util.text(position) or type(position))
  end
  local tags = tags_of("optdb:register", table.pack(...))
  return register("optdb:register", r, { name = name, position = position, tags = tags })
end

local function remove(db, name)
  is_db(db, "remove")
  if type(name) ~= "string" then util.raise("TypeError", "optdb:remove takes a name, got %s", type(name)) end
  local list, by = entries()
  local own = by[name] and not by[name].user
  for _, p in ipairs(list) do
    for _, r in ipairs(p.rules) do own = own or r.name == name and not r.user end
  end
  if own then
    util.raise("KeyError", "%s is the engine's own and stays; leave it out with mode:excluding(\"%s\") or the flag "
      .. "optimizer_excluding", name, name)
  end
  core.rewrite_remove(name)
end

--- `T.opt.register_canonicalize(rewrite, tags..)` and so on: the rewrite runs with the rules of that phase, under
-- `fast_run` and the tags. With tags only: a decorator.
M.phases = {}
local phase_names = { "useless", "canonicalize", "stabilize", "specialize", "uncanonicalize", "specialize_device" }

local function register_in(what, phases, r, name, ...)
  local tags = table.pack("fast_run", ...)
  return register(what, r, { name = name, phases = phases, tags = tags_of(what, tags) })
end

for _, phase in ipairs(phase_names) do
  M.phases["register_" .. phase] = function(r, ...)
    local what = "register_" .. phase
    if type(r) == "string" then
      local tags = { r, ... }
      return function(later, ...)
        local all = table.move({ ... }, 1, select("#", ...), #tags + 1, { table.unpack(tags) })
        return register_in(what, phase, later, nil, table.unpack(all))
      end
    end
    return register_in(what, phase, r, nil, ...)
  end
end

--- `T.opt.register(name, rewrite, {"canonicalize", "specialize"}, tags..)`: in several phases.
function M.phases.register(name, r, phases, ...)
  if type(phases) == "string" then phases = { phases } end
  if type(phases) ~= "table" then
    util.raise("TypeError", "register(name, rewrite, phases, tags..): phases is a list of names, got %s", type(phases))
  end
  for i, phase in ipairs(util.list("register: phases", phases)) do
    util.check_type("register", ("phases[%d]"):format(i), phase, "string")
  end
  return register_in("register", table.concat(phases, ":"), r, name, ...)
end

--- The engine's rule or pass of that name as a rewrite of its own, or nil: `T.opt.local_log1p`.
function M.own(name)
  local list, by = entries()
  if by[name] then return opt.engine({ name }, "pass") end
  for _, p in ipairs(list) do
    for _, r in ipairs(p.rules) do
      if r.name == name and not r.user then return opt.engine({ name }, "rule") end
    end
  end
  return nil
end

--- As `T.opt`'s fields that are not there: a rule or a pass; nil, or an error where one is near.
function M.field(_, key)
  local found = M.own(key)
  if found then return found end
  local near = nearest(key, (entries()))
  if not near then return nil end
  util.raise("AttributeError", "theano.tensor.opt has no '%s': did you mean '%s'?", key, near)
end

-- ---- queries --------------------------------------------------------------------------------------------------------
local QueryMeta = { __name = "Query" }
QueryMeta.__index = QueryMeta
QueryMeta.__tostring = function(q)
  local function words(list) return "{" .. table.concat(list, ", ") .. "}" end
  return ("Query{include = %s, exclude = %s, require = %s}"):format(words(q.include), words(q.exclude),
    words(q.require))
end

local function words_of(what, v)
  if v == nil then return {} end
  local list = type(v) == "table" and { table.unpack(util.list(what, v)) } or { v }
  for i, w in ipairs(list) do
    if type(w) ~= "string" then
      util.raise("TypeError", "%s: number %d is a %s, a name or tag expected", what, i, type(w))
    end
  end
  return list
end

--- `Query{include = {"fast_run"}, exclude = {"inplace"}, require = {}}`. What is included is a predefined optimizer
-- first
-- (`fast_run`, `o4` ..), or tags and names only.
function M.Query(options, require_, exclude)
  if type(options) == "string" or type(options) == "table" and options[1] then
    options = { include = options, require = require_, exclude = exclude }
  end
  if type(options) ~= "table" then
    util.raise("TypeError", "Query takes a table: Query{include = {\"fast_run\"}}, got %s", type(options))
  end
  util.check_keywords("Query", options, util.set({ "include", "exclude", "require" }))
  return setmetatable({
    include = words_of("Query: include", options.include), exclude = words_of("Query: exclude", options.exclude),
    require = words_of("Query: require", options.require),
  }, QueryMeta)
end

local function with(field, name)
  return function(q, ...)
    if getmetatable(q) ~= QueryMeta then util.raise("TypeError", "%s is called with a colon: q:%s(..)", name, name) end
    local copy = M.Query({ include = q.include, exclude = q.exclude, require = q.require })
    for _, tag in ipairs(words_of("Query:" .. name, table.pack(...))) do table.insert(copy[field], tag) end
    return copy
  end
end
QueryMeta.including, QueryMeta.excluding = with("include", "including"), with("exclude", "excluding")
QueryMeta.requiring = with("require", "requiring")

local bases = util.set({ "o1", "o2", "o3", "o4", "fast_run", "fast_compile", "stabilize", "unsafe", "merge", "None" })

function M.is_query(q) return getmetatable(q) == QueryMeta end

--- A query as the parts of a mode: the optimizer it starts from, and what is included, excluded, required.
function M.query_parts(q)
  local include = { table.unpack(q.include) }
  local base = include[1] and bases[include[1]:lower()] and table.remove(include, 1) or "None"
  return base, include, q.exclude, q.require
end

--- The text that the engine reads: "fast_run +tag -tag &tag".
function M.query_text(...)
  local words = {}
  for i, q in ipairs(util.list("optdb:query: the query", table.pack(...))) do
    if M.is_query(q) then
      local base, include, exclude, required = M.query_parts(q)
      if i > 1 then include = q.include else words[1] = base end
      for _, w in ipairs(include) do words[#words + 1] = "+" .. w end
      for _, w in ipairs(exclude) do words[#words + 1] = "-" .. w end
      for _, w in ipairs(required) do words[#words + 1] = "&" .. w end
    elseif type(q) == "string" then
      words[#words + 1] = i > 1 and q:find("^[%w_]") and "+" .. q or q
    else
      util.raise("TypeError", "optdb:query takes names and Queries, got %s", type(q))
    end
  end
  return table.concat(words, " ")
end

-- ---- what a query gives ---------------------------------------------------------------------------------------------
local Result = { __name = "SeqOptimizer" }
Result.__index = Result

-- `summary()`: what runs, in order, a line each: position and pass; below it its rules, with more room in front.
-- `print_summary()` prints it. With a dot or a colon.
local function result(text)
  return setmetatable({
    text = text,
    summary = function() return core.optdb_summary(text) end,
    print_summary = function() io.write(core.optdb_summary(text)) end,
  }, Result)
end

--- Runs it on a `theano.gof.FunctionGraph`, but what works in place.
function Result.optimize(r, fgraph)
  if not require("theano.fgraph").is_graph(fgraph) then
    util.raise("TypeError", "optimize takes a theano.gof.FunctionGraph, got %s", util.is_var(fgraph) and "a Variable"
      or type(fgraph))
  end
  core.graph_optimize(fgraph, r.text)
  fgraph:execute_callbacks("on_optimized")
end
Result.apply = Result.optimize

--- Names of the passes that run, in order.
function Result.passes(r)
  local list, rules = {}, 0
  for line in r.summary():gmatch("[^\n]+") do
    local name, rest = line:match("^ +%-?[%d.]+  (%S+)(.*)$")
    if name and rest == "" then list[#list + 1] = name elseif not name then rules = rules + 1 end
  end
  return list, rules
end

Result.__tostring = function(r)
  local passes, rules = Result.passes(r)
  return ("SeqOptimizer %s: %d passes with %d rules: %s"):format(r.text, #passes, rules, table.concat(passes, ", "))
end

-- ---- the databases --------------------------------------------------------------------------------------------------
M.OptDB = { __name = "SequenceDB" }
M.PhaseDB = { __name = "EquilibriumDB" }

-- Whether a rewrite, a pass or a tag has this name.
local function is_word(word)
  local function has(e) return e.name == word or (":" .. e.tags .. ":"):find(":" .. word .. ":", 1, true) ~= nil end
  for _, p in ipairs((entries())) do
    if has(p) then return true end
    for _, r in ipairs(p.rules) do
      if has(r) then return true end
    end
  end
  return false
end

local function query(db, ...)
  is_db(db, "query")
  local text = M.query_text(...)
  if text == "" then
    util.raise("TypeError", "optdb:query takes an optimizer (\"fast_run\", \"o4\" ..), \"+tag\", \"-tag\", \"&tag\" "
      .. "or a Query")
  end
  local base = text:match("^[%w_]+")
  if base and not bases[base:lower()] then
    if is_word(base) then
      util.raise("ValueError", "optdb:query: '%s' is no optimizer but a tag or a rewrite: \"+%s\" adds what is called "
        .. "so to nothing, \"fast_run -%s\" leaves it out", base, base, base)
    end
    core.optdb_summary(text) -- says what is wrong
  end
  return result(text)
end

local methods = { register = register_pass, remove = remove, query = query }

--- Prints what `fast_run` runs, and what else is there.
function methods.print_summary(db)
  is_db(db, "print_summary")
  query(db, "fast_run"):print_summary()
end

local phase_methods = {}
local function phase_entry(db) return select(2, entries())[rawget(db, "phase")] end

--- `optdb.canonicalize:register(name, rewrite, tags..)`: with the rules of that phase. A number among the tags is
-- Theano's position, which has no meaning in a phase.
function phase_methods.register(db, name, r, ...)
  is_db(db, "register")
  local phase = rawget(db, "phase")
  return register("optdb." .. phase .. ":register", r,
    { name = name, phases = phase, tags = tags_of("optdb." .. phase .. ":register", table.pack(...)) })
end

function phase_methods.remove(_, name) remove(M.optdb, name) end

--- Names of its rules.
function phase_methods.names(db)
  local list = {}
  for _, r in ipairs(phase_entry(db).rules) do list[#list + 1] = r.name end
  return list
end

--- The phase alone, on a `theano.gof.FunctionGraph`.
function phase_methods.optimize(db, fgraph) opt.engine({ rawget(db, "phase") }):optimize(fgraph) end

--- The phase alone, with the rules that the query selects: `optdb.canonicalize:query("fast_run", "-local_fill_sink")`.
function phase_methods.query(db, ...)
  is_db(db, "query")
  local phase = rawget(db, "phase")
  local text = M.query_text(...)
  if not text:find("^%w") then text = "None " .. text end
  return result(text .. " @" .. phase)
end

--- Prints the rules of the phase, with their tags.
function phase_methods.print_summary(db)
  local p = phase_entry(db)
  io.write(util.format("%8.2f  %s\n", p.position, p.name))
  for _, r in ipairs(p.rules) do io.write(("           %s (%s)\n"):format(r.name, r.tags)) end
end

M.PhaseDB.__index = phase_methods
M.PhaseDB.__tostring = function(db)
  local p = phase_entry(db)
  return util.format("EquilibriumDB %s at %s: %d rules", p.name, p.position, #p.rules)
end

local Pass = { __name = "Pass" }
Pass.__index = Pass
--- Runs the pass alone on a `theano.gof.FunctionGraph`.
function Pass.optimize(p, fgraph) opt.engine({ p.name }):optimize(fgraph) end
Pass.apply = Pass.optimize
Pass.__tostring = function(p)
  return util.format("%s at %s (%s)", p.name, p.position, p.tags ~= "" and p.tags or "no tags")
end

local phases, views = util.set(phase_names), {}

M.OptDB.__index = function(_, key)
  if methods[key] then return methods[key] end
  if key == "name" then return "optdb" end
  if phases[key] then
    views[key] = views[key] or setmetatable({ phase = key }, M.PhaseDB)
    return views[key]
  end
  local list, by = entries()
  if key == "__position__" then
    local positions = {}
    for _, p in ipairs(list) do positions[p.name] = p.position end
    return positions
  end
  if by[key] then return setmetatable(by[key], Pass) end
  local near = type(key) == "string" and nearest(key, list)
  util.raise("KeyError", "nothing is registered in optdb as '%s'%s", tostring(key), near and "; nearest is " .. near
    or "")
end

M.OptDB.__newindex = function()
  util.raise("TypeError", "optdb is not assigned to: optdb:register(name, rewrite, position, tags..)")
end

M.OptDB.__tostring = function()
  local list = entries()
  local rules = 0
  for _, p in ipairs(list) do rules = rules + #p.rules end
  return ("SequenceDB optdb: %d passes, %d rules; optdb:query(\"fast_run\"):print_summary() lists what "
    .. "runs"):format(#list,
    rules)
end

M.optdb = setmetatable({}, M.OptDB)

return M
