--- Printing of graphs, plans and generated code.
-- @module theano.printing
if not package.loaded["theano"] then require("theano") return require("theano.printing") end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local M = {}
local known = {
  depth = "integer", print_type = "boolean", file = "string|userdata|object", ids = "string", stop_on_name = "boolean",
  done = "table", print_storage = "boolean", print_clients = "boolean", used_ids = "table", order = "table",
  print_destroy_map = "boolean", print_view_map = "boolean",
}

local IDS = util.set({ "CHAR", "int", "id", "" })

local function_of = util.function_of

local function variables(what, obj)
  if util.is_var(obj) then return { obj } end
  if type(obj) == "userdata" and core.kind(obj) == "fgraph" then return obj.outputs end
  if type(obj) == "userdata" and core.kind(obj) == "apply" then return { obj.outputs[1] } end
  if type(obj) ~= "table" then
    util.raise("TypeError", "%s takes a Variable, an Apply, a compiled function or a list, got %s", what,
      util.is_array(obj) and "an ndarray" or type(obj))
  end
  local list = {}
  if obj.variable then return { obj.variable } end
  for i, v in ipairs(util.list(what .. ": the list", obj)) do
    list[i] = type(v) == "table" and v.variable or v
    if not util.is_var(list[i]) then
      util.raise("TypeError", "%s: entry %d of the list is no Variable, but %s", what, i, type(v))
    end
  end
  return list
end

-- What is printed after one another: functions, and lists of Variables.
local function parts_of(obj)
  local f = function_of(obj)
  if f then return { f } end
  if type(obj) ~= "table" or obj.variable then return { variables("debugprint", obj) } end
  local parts = {}
  for i, v in ipairs(util.list("debugprint: the list", obj)) do
    local fn = function_of(v)
    local last = parts[#parts]
    if fn then
      parts[#parts + 1] = fn
    else
      if type(last) ~= "table" then parts[#parts + 1] = {} end
      last = parts[#parts]
      local fine = util.is_var(v) or type(v) == "userdata" and (core.kind(v) == "apply" or core.kind(v) == "fgraph")
        or type(v) == "table" and v.variable
      if not fine then
        util.raise("TypeError", "debugprint: entry %d of the list is no Variable, but %s", i, type(v))
      end
      for _, x in ipairs(variables("debugprint", v)) do last[#last + 1] = x end
    end
  end
  return #parts > 0 and parts or { {} }
end

-- ---- ids that go from one print to the next -------------------------------------------------------------------------
local ordered = setmetatable({}, { __mode = "k" }) -- the user's `done` or `used_ids` -> its nodes in the order of ids

local function id_text(ids, n, node)
  if ids == "" then return "" end
  if ids == "int" then return ("[id %d]"):format(n) end
  if ids == "id" then return ("[id %s]"):format(tostring(node):match("0x%x+") or n) end
  local text = ""
  repeat
    text = string.char(65 + n % 26) .. text
    n = n // 26
  until n == 0
  return ("[id %s]"):format(text)
end

-- Options as the engine takes them, with the ids of earlier prints: those in carry.done and carry.used_ids.
local function with_ids(options, carry)
  local o, seen, printed = {}, {}, {}
  for k, v in pairs(options) do o[k] = v end
  for _, key in ipairs({ "done", "used_ids" }) do
    for _, node in ipairs(carry[key] and ordered[carry[key]] or {}) do
      if key == "done" or not carry.done[node] then
        seen[#seen + 1], printed[#printed + 1] = node, key == "done"
      end
    end
  end
  o.seen, o.printed, o.done, o.used_ids = seen, printed, nil, nil
  return o
end

local function keep_ids(carry, ids, met)
  for _, key in ipairs({ "done", "used_ids" }) do
    local t = carry[key]
    if t then
      ordered[t] = met
      for i, node in ipairs(met) do t[node] = id_text(ids or "CHAR", i - 1, node) end
    end
  end
end

-- ---- times of a profiled function behind its lines ------------------------------------------------------------------
local TIMING = [[

Timing Info
-----------
--> <time> <% time> - <total time> <% total time>'

<time>         computation time for this node
<% time>       fraction of total computation time for this node
<total time>   time for this node + total times for this node's ancestors
<% total time> total time for this node over total computation time

N.B.:
* Times include the node time and the function overhead.
* A step that computes several nodes counts for the last of them.
* <total time> and <% total time> may over-count computation times
  if inputs to a node share a common ancestor and should be viewed as a
  loose upper bound. Their intended use is to help rule out potential nodes
  to remove when optimizing a graph because their <total time> is very low.

]]

local function timed(f, text)
  local profile = f.profile
  if not profile.enabled or profile.fct_callcount == 0 then return text end
  local own, all, total = profile.apply_time, profile.fct_call_time, {}
  local suffix = {}
  for i, node in ipairs(core.toposort(f)) do
    local time = own[node] or 0.0
    total[node] = time
    for _, v in ipairs(node.inputs) do
      if v.owner then total[node] = total[node] + (total[v.owner] or 0.0) end
    end
    suffix[i - 1] = util.format(" --> %8.2es %4.1f%% %8.2es %4.1f%%", time, 100 * time / all, total[node],
      100 * total[node] / all)
  end
  local lines = text:gsub("[^\n]+", function(line)
    local index = line:match("%[id [^%]]*%].- '[^']*' (.*)$")
    index = index and index:gsub("[dv]={%d+: %[%d+%]}", ""):match("^ *(%d+)")
    local behind = index and suffix[tonumber(index)]
    return behind and line .. behind or nil
  end)
  return TIMING .. lines
end

local function check_options(options)
  util.check_keywords("debugprint", options, known)
  if options.ids and not IDS[options.ids] then
    util.raise("ValueError", "debugprint: ids is \"CHAR\", \"int\", \"id\" or \"\", not \"%s\"", options.ids)
  end
  if type(options.file) == "string" and options.file ~= "str" then
    util.raise("ValueError", "debugprint: file is \"str\" (the text is returned) or an open file, not \"%s\"",
      options.file)
  end
end

--- Prints the graph of a Variable, a list of them, an Apply, a FunctionGraph or a compiled function, as Theano does.
-- Options: depth, print_type, ids ("CHAR", "int", "id", ""), stop_on_name, file ("str" returns the text);
-- print_destroy_map, print_view_map; print_clients and print_storage of functions; order, a list of nodes whose places
-- are printed; done and used_ids, tables that carry ids from one print to the next.
function M.debugprint(obj, options)
  options = options or {}
  check_options(options)
  local texts, carry = {}, { done = options.done or {}, used_ids = options.used_ids }
  for i, part in ipairs(parts_of(obj)) do
    local text, met = core.debugprint(part, with_ids(options, carry))
    texts[i] = type(part) == "userdata" and timed(part, text) or text
    keep_ids(carry, options.ids, met)
  end
  local text = table.concat(texts)
  if options.file == "str" then return text end
  local out = options.file or io.stdout
  out:write(text)
  if text:sub(-1) ~= "\n" then out:write("\n") end
end

M.debugprint = util.by_position("debugprint", M.debugprint, 1, {
  "depth", "print_type", "file", "ids", "stop_on_name", "done", "print_storage", "print_clients", "used_ids",
})

-- ---- texts of one variable ------------------------------------------------------------------------------------------
-- Walks what v is made of, inputs behind their node: enter(v, tag, depth) says whether v's inputs follow, again(tag,
-- depth) comes for what was met before, leave() behind a node's inputs. Nothing recurses.
local function walk(v, enter, again, leave)
  local tags, n = {}, 0
  local stack = { { v, 0 } }
  while #stack > 0 do
    local at = table.remove(stack)
    local x, depth = at[1], at[2]
    if x == leave then
      leave()
    elseif tags[x] then
      again(tags[x], depth)
    else
      tags[x] = id_text("CHAR", n):match("^%[id (.*)%]$")
      n = n + 1
      if enter(x, tags[x], depth) then
        stack[#stack + 1] = { leave, depth }
        local inputs = x.owner.inputs
        for i = #inputs, 1, -1 do stack[#stack + 1] = { inputs[i], depth + 1 } end
      end
    end
  end
end

local function one(what, v)
  if not util.is_var(v) and not util.is_array(v) then
    util.raise("TypeError", "%s takes a Variable or an ndarray, got %s", what, util.kind_of(v))
  end
  return v
end

--- What a Variable is, in as many lines as it takes to come down to named variables and constants. Theano's.
function M.min_informative_str(v)
  if util.is_array(one("min_informative_str", v)) then return "A. <ndarray>" end
  local lines = {}
  walk(v, function(x, tag, depth)
    local inside = x.name == nil and x.owner ~= nil
    local text = x.name or inside and tostring(x.owner.op) or tostring(x)
    lines[#lines + 1] = (" "):rep(depth) .. tag .. ". " .. text
    return inside
  end, function(tag, depth) lines[#lines + 1] = (" "):rep(depth) .. "<" .. tag .. ">" end, function() end)
  return table.concat(lines, "\n")
end

local function listed(list) return table.concat(list, ",") end

--- How a Variable is computed, in one line without ids or addresses: equal texts, equal computations. Theano's.
function M.var_descriptor(v)
  if util.is_array(one("var_descriptor", v)) then
    return ("A=<ndarray:strides=[%s],digest=%s>"):format(listed(v.strides), require("theano.sha256")(v:tostring()))
  end
  local out, first = {}, true
  local function comma()
    if not first then out[#out + 1] = "," end
    first = false
  end
  walk(v, function(x, tag)
    comma()
    local text = x.owner and tostring(x.owner.op) .. "(" or x.name or tostring(x)
    out[#out + 1] = tag .. "=" .. text
    first = x.owner ~= nil
    return first
  end, function(tag)
    comma()
    out[#out + 1] = "<" .. tag .. ">"
  end, function()
    out[#out + 1] = ")"
    first = false
  end)
  return table.concat(out)
end

--- SHA-256 of an array's bytes, with strides and shape, which the bytes do not tell. Theano's.
function M.hex_digest(a)
  if not util.is_array(a) then util.raise("TypeError", "hex_digest takes an ndarray, got %s", util.kind_of(a)) end
  return ("%s|strides=[%s]|shape=[%s]"):format(require("theano.sha256")(a:tostring()), listed(a.strides),
    listed(a.shape))
end

--- Mathematical text of a Variable.
function M.pp(v)
  if not util.is_var(v) then util.raise("TypeError", "pp prints a Variable, got %s", type(v)) end
  return core.pp(v)
end

-- Numbers and values of sizes by their names in a plan: { s0 = 4 }.
local function sizes_of(what, target, sizes)
  if type(target) ~= "string" then
    util.raise("TypeError", "%s: the target is \"sse2\", \"avx2\", \"avx512\", \"cuda\" or \"cuda-emulated\"", what)
  end
  util.check_type(what, "sizes", sizes, "table")
  local names, numbers, values = {}, {}, {}
  for name in pairs(sizes or {}) do names[#names + 1] = name end
  for i, name in ipairs(names) do
    numbers[i] = tonumber(type(name) == "string" and name:match("^s(%d%d?%d?%d?%d?%d?)$"))
    values[i] = math.tointeger(sizes[name])
    if not numbers[i] or not values[i] then
      util.raise("TypeError", "%s: sizes are integers by their names in the plan: { s0 = 4 }", what)
    end
  end
  return numbers, values
end

--- The loops of a compiled function: sizes, buffers, steps, and kernels with how each runs here; with a target ("sse2",
-- "avx2", "avx512", "cuda", "cuda-emulated") how it would run there; with sizes of the plan
-- (`plan(f, "avx2", { s1 = 4 })`) in the version for calls of these lengths.
function M.plan(f, target, sizes)
  f = function_of(f) or f
  if target == nil and sizes == nil then return core.function_text(f, "plan") end
  return core.function_plan_for(f, target, sizes_of("plan", target, sizes))
end

--- The generated C source of a compiled function; with a target ("sse2", "avx2", "avx512", "cuda", "cuda-emulated")
-- the text that it would get there, whether or not this machine is one and has a compiler; with sizes of its plan
-- (`ccode(f, "avx2", { s1 = 4 })`) the version for calls of these lengths.
function M.ccode(f, target, sizes)
  f = function_of(f) or f
  if target == nil and sizes == nil then return core.function_text(f, "ccode") end
  return core.function_ccode_for(f, target, sizes_of("ccode", target, sizes))
end

--- One line a node; `theano.printing.graph_read` reads it back.
function M.graph_text(obj)
  local f = function_of(obj)
  if f then return core.function_text(f, "graph") end
  return core.graph_text(variables("graph_text", obj))
end

function M.graph_read(text) return core.graph_read(text) end

M.pydotprint = require("theano.pictures").pydotprint
M.htmlprint = require("theano.webpage").htmlprint
M.trace = require("theano.trace").trace
M.rewrites = require("theano.why").rewrites
M.advice = require("theano.advice").advice

--- What a GPU would need for a call of f with the lengths of its last call, without one: a table whose text is a table
-- of kernels. `kernels`: each with its `kernel`, `title`, `line`, grid (`blocks`, `threads`), `registers`, `occupancy`,
-- `bytes` that memory must give or take, `moved` by its threads, `coalesced` (bytes / moved), `flops`, `issued`
-- instructions of a thread, `runs` in a call, `lower` bound and `estimate` in seconds, the `limit` that it meets; of
-- products m, n, k and `library`; `joined`: it goes with the launch before. Of the call: `launches`, `graph`, `bytes`,
-- `flops`, `over`, `back`, `lower`, `estimate`.
-- @param f a compiled function that was called before, on whatever device
-- @tparam[opt="h100"] string gpu "h100", "h200", "a100", "rtx3090", "rtx4090", "rtx5090"
-- @tparam[opt] table options `compile` = false: from the schedule alone, though NVRTC is there; much faster
-- @treturn table
function M.roofline(f, gpu, options) return require("theano.roofline").roofline(f, gpu, options) end

-- ---- values while a function runs -----------------------------------------------------------------------------------
-- "message attribute = value" for each attribute; of a method what it gives.
local function print_attributes(op, value)
  for _, name in ipairs(op.attrs) do
    local v = name == "__str__" and tostring(value) or name ~= "__str__" and value[name]
    if type(v) == "function" then v = v(value) end
    print(("%s %s = %s"):format(op.message, name, tostring(v)))
  end
end

local PRINT = { "message", "attrs", "global_fn", message = "string", attrs = "table", global_fn = "function" }
local class -- of the operations that print, on first use

local function print_class()
  class = class or require("theano.op").Op({
    name = "Print", __props__ = { "message", "names", "global_fn" },
    make_node = function(self, x)
      x = require("theano.tensor").as_tensor_variable(x)
      return require("theano.op").Apply(self, { x }, { x.type() })
    end,
    perform = function(self, _, inputs)
      self.global_fn(self, inputs[1])
      return inputs[1]
    end,
    infer_shape = function(_, _, shapes) return shapes end,
    grad = function(_, _, gz) return gz end,
    R_op = function(_, _, points) return points end,
    __str__ = function(self) return ("Print{message='%s'}"):format(self.message) end,
  })
  return class
end

--- `Print(message, {attrs = {"__str__"}, global_fn =})(x)`: x, whose value is printed whenever it is computed: a line
-- "message __str__ = value". Other attributes by name: fields ("shape", "dtype") and methods ("min", "mean");
-- `global_fn(op, value)` does something else than print them. Gradients pass; rewriting leaves x where it is.
function M.Print(...)
  local o = util.bind("Print", PRINT, ...)
  local attrs = util.each("attrs", o.attrs or { "__str__" }, function(name, place)
    util.check_type("Print", place, name, "string")
    return name
  end)
  return print_class():new({ message = o.message or "", attrs = attrs, names = table.concat(attrs, " "),
    global_fn = o.global_fn or print_attributes })
end

return M
