--- Printing of graphs, plans and generated code.
-- @module theano.printing
if not package.loaded["theano"] then require("theano") return package.loaded["theano.printing"] end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local M = {}
local known = {
  depth = "integer", print_type = "boolean", file = "string|userdata|object", ids = "string", stop_on_name = "boolean",
  done = "table", print_storage = "boolean", print_clients = "boolean", used_ids = "table",
}

local IDS = util.set({ "CHAR", "int", "id", "" })

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

--- Prints the graph of a Variable, a list of them, an Apply or a compiled function, as Theano does.
-- Options: depth, print_type, ids ("CHAR", "int", "id", ""), stop_on_name, file ("str" returns the text).
function M.debugprint(obj, options)
  options = options or {}
  util.check_keywords("debugprint", options, known)
  if options.ids and not IDS[options.ids] then
    util.raise("ValueError", "debugprint: ids is \"CHAR\", \"int\", \"id\" or \"\", not \"%s\"", options.ids)
  end
  if type(options.file) == "string" and options.file ~= "str" then
    util.raise("ValueError", "debugprint: file is \"str\" (the text is returned) or an open file, not \"%s\"",
      options.file)
  end
  for _, key in ipairs({ "print_storage", "print_clients", "done", "used_ids" }) do
    if options[key] then
      util.raise("NotImplementedError", "debugprint: %s is not available; values of a call are shown by MonitorMode, "
        .. "clients of a node by variable.clients", key)
    end
  end
  local is_function = type(obj) == "userdata" and core.kind(obj) == "function"
  local text = core.debugprint(is_function and obj or variables("debugprint", obj), options)
  if options.file == "str" then return text end
  local out = options.file or io.stdout
  out:write(text)
  if text:sub(-1) ~= "\n" then out:write("\n") end
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
  if target == nil and sizes == nil then return core.function_text(f, "plan") end
  return core.function_plan_for(f, target, sizes_of("plan", target, sizes))
end

--- The generated C source of a compiled function; with a target ("sse2", "avx2", "avx512", "cuda", "cuda-emulated")
-- the text that it would get there, whether or not this machine is one and has a compiler; with sizes of its plan
-- (`ccode(f, "avx2", { s1 = 4 })`) the version for calls of these lengths.
function M.ccode(f, target, sizes)
  if target == nil and sizes == nil then return core.function_text(f, "ccode") end
  return core.function_ccode_for(f, target, sizes_of("ccode", target, sizes))
end

--- One line a node; `theano.printing.graph_read` reads it back.
function M.graph_text(obj)
  if type(obj) == "userdata" and core.kind(obj) == "function" then return core.function_text(obj, "graph") end
  return core.graph_text(variables("graph_text", obj))
end

function M.graph_read(text) return core.graph_read(text) end

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
