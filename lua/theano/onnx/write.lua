--- Expressions as ONNX graphs (operators of version 17). In: variables. Out: a Graph as theano.onnx.proto has it. An
-- operation without a counterpart is a NotImplementedError that names it, before anything is written.
-- @module theano.onnx.write
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local DTYPES = { float32 = 1, uint8 = 2, int8 = 3, uint16 = 4, int16 = 5, int32 = 6, int64 = 7, bool = 9, float64 = 11,
  uint32 = 12, uint64 = 13, float16 = 10, bfloat16 = 16 }
local PACK = { float32 = "<f", float64 = "<d", uint8 = "<B", int8 = "<b", bool = "<B", int16 = "<h", uint16 = "<H",
  int32 = "<i4", uint32 = "<I4", int64 = "<i8", uint64 = "<i8", float16 = "<H", bfloat16 = "<H" } -- halves: their bits
M.DTYPES, M.PACK = DTYPES, PACK

local function refuse(format, ...) util.raise("NotImplementedError", "onnx: " .. format, ...) end

-- ---- values --------------------------------------------------------------------------------------------------------
local function flat(v)
  if type(v) == "table" and not core.kind(v) then
    local out = {}
    for _, x in ipairs(v) do
      for _, y in ipairs(flat(x)) do out[#out + 1] = y end
    end
    return out
  end
  return { v }
end

local function raw(values, dtype)
  if dtype:find("float16") then return require("theano.ndarray").array(values, dtype):tobytes() end
  local format, parts = PACK[dtype], {}
  for i, x in ipairs(values) do
    if x == true then x = 1 elseif x == false then x = 0 end
    parts[i] = string.pack(format, x)
  end
  return table.concat(parts)
end

-- A Tensor of numbers.
local function tensor(name, dtype, dims, values)
  return { name = name, data_type = DTYPES[dtype], dims = dims, raw_data = raw(values, dtype) }
end

local function attribute(name, v)
  if math.type(v) == "integer" then return { name = name, type = 2, i = v } end
  if math.type(v) == "float" then return { name = name, type = 1, f = v } end
  if type(v) == "string" then return { name = name, type = 3, s = v } end
  if v.node then return { name = name, type = 5, g = v } end
  return { name = name, type = 7, ints = v }
end

-- ---- a graph in the making: nodes, names of variables, and the graph around it ------------------------------------
local Graph = {}
Graph.__index = Graph

local function new_graph(outer)
  return setmetatable({ nodes = {}, constants = {}, known = {}, names = {}, outer = outer,
    root = outer and (outer.root or outer) }, Graph)
end

-- A name that nothing else has, in graphs inside of each other either.
function Graph:fresh(want)
  local root = self.root or self
  root.taken = root.taken or {}
  want = want and want ~= "" and want or "v"
  local name, n = want, 1
  while root.taken[name] do name, n = want .. "_" .. n, n + 1 end
  root.taken[name] = true
  return name
end

function Graph:emit(op, inputs, attributes, name)
  local list, out = {}, self:fresh(name)
  for key, v in pairs(attributes or {}) do list[#list + 1] = attribute(key, v) end
  table.sort(list, function(a, b) return a.name < b.name end)
  self.nodes[#self.nodes + 1] = { op_type = op, input = inputs, output = { out }, attribute = list, name = out }
  return out
end

-- Constants belong to the whole, so that graphs inside see them.
function Graph:constant(dtype, dims, values, name)
  local root = self.root or self
  local made = tensor(nil, dtype, dims, values)
  local key = not name and dtype .. table.concat(dims, ",") .. ":" .. made.raw_data
  if key and root.known[key] then return root.known[key] end
  made.name = self:fresh(name or "c")
  root.constants[#root.constants + 1] = made
  if key then root.known[key] = made.name end
  return made.name
end

function Graph:ints(values) return self:constant("int64", { #values }, values) end

function Graph:named(v)
  local g = self
  while g do
    if g.names[v] then return g.names[v] end
    g = g.outer
  end
end

function Graph:cast(name, from, to)
  return from == to and name or self:emit("Cast", { name }, { to = DTYPES[to] })
end

-- The array of a constant or shared variable.
local function value_of(v)
  local kind = core.kind(v)
  if kind == "constant" then return v.data end
  if kind == "shared" then return v:get_value() end
end

local function array_parts(a)
  if type(a) ~= "userdata" then return {}, { a } end
  return a.shape, flat(a:tolist())
end

function Graph:leaf(v)
  local a = value_of(v)
  if a == nil then util.raise("ValueError", "onnx: %s is none of the inputs, and has no value", tostring(v)) end
  local shape, values = array_parts(a)
  local dims = {}
  for i = 1, #shape do dims[i] = shape[i] end
  local dtype = v.dtype or "int64"
  if not DTYPES[dtype] then refuse("%s: ONNX has no dtype %s here", tostring(v), dtype) end
  return self:constant(dtype, dims, values, v.name)
end

-- ---- operations by kind: function(graph, node, names of inputs) -> name of the result -----------------------------
local rules = {}

local function promoted(node)
  local v = node.inputs[1]
  for i = 2, #node.inputs do v = v + node.inputs[i] end
  return v.dtype
end

-- All inputs as the dtype.
local function alike(g, node, ins, dtype)
  local out = {}
  for i, name in ipairs(ins) do out[i] = g:cast(name, node.inputs[i].dtype, dtype) end
  return out
end

local function chain(op)
  return function(g, node, ins)
    local all = alike(g, node, ins, node.outputs[1].dtype)
    local name = all[1]
    if #all == 1 then return g:emit(op, all) end
    for i = 2, #all do name = g:emit(op, { name, all[i] }) end
    return name
  end
end

for kind, op in pairs({ add = "Add", mul = "Mul", sub = "Sub", true_div = "Div", pow = "Pow", maximum = "Max",
  minimum = "Min", neg = "Neg", abs_ = "Abs", exp = "Exp", log = "Log", tanh = "Tanh", sqrt = "Sqrt",
  sigmoid = "Sigmoid", scalar_sigmoid = "Sigmoid", softplus = "Softplus", erf = "Erf", ceil = "Ceil", floor = "Floor",
  sin = "Sin", cos = "Cos", sgn = "Sign", inv = "Reciprocal", and_ = "And", or_ = "Or", invert = "Not",
  identity = "Identity" }) do
  rules[kind] = chain(op)
end

for kind, op in pairs({ gt = "Greater", lt = "Less", ge = "GreaterOrEqual", le = "LessOrEqual", eq = "Equal" }) do
  rules[kind] = function(g, node, ins) return g:emit(op, alike(g, node, ins, promoted(node))) end
end

function rules.neq(g, node, ins) return g:emit("Not", { rules.eq(g, node, ins) }) end
function rules.cast(g, node, ins) return g:cast(ins[1], node.inputs[1].dtype, node.outputs[1].dtype) end

function rules.sqr(g, node, ins)
  local x = alike(g, node, ins, node.outputs[1].dtype)[1]
  return g:emit("Mul", { x, x })
end

function rules.log1p(g, node, ins)
  local dtype = node.outputs[1].dtype
  local x = alike(g, node, ins, dtype)[1]
  return g:emit("Log", { g:emit("Add", { x, g:constant(dtype, {}, { 1 }) }) })
end

function rules.expm1(g, node, ins)
  local dtype = node.outputs[1].dtype
  local x = g:emit("Exp", { alike(g, node, ins, dtype)[1] })
  return g:emit("Sub", { x, g:constant(dtype, {}, { 1 }) })
end

function rules.switch(g, node, ins)
  local dtype = node.outputs[1].dtype
  return g:emit("Where", { g:cast(ins[1], node.inputs[1].dtype, "bool"), g:cast(ins[2], node.inputs[2].dtype, dtype),
    g:cast(ins[3], node.inputs[3].dtype, dtype) })
end

function rules.clip(g, node, ins)
  local all = alike(g, node, ins, node.outputs[1].dtype)
  return g:emit("Min", { g:emit("Max", { all[1], all[2] }), all[3] })
end

function rules.second(g, node, ins)
  local x = g:cast(ins[2], node.inputs[2].dtype, node.outputs[1].dtype)
  return g:emit("Expand", { x, g:emit("Shape", { ins[1] }) })
end

for _, kind in ipairs({ "Rebroadcast", "SpecifyShape", "ScalarFromTensor", "TensorFromScalar", "Assert" }) do
  rules[kind] = function(_, _, ins) return ins[1] end
end

-- ---- products, rows ------------------------------------------------------------------------------------------------
local function product(g, node, ins) return g:emit("MatMul", alike(g, node, ins, node.outputs[1].dtype)) end
rules.Dot, rules.BatchedDot = product, product

function rules.Softmax(g, _, ins) return g:emit("Softmax", ins, { axis = -1 }) end
function rules.LogSoftmax(g, _, ins) return g:emit("LogSoftmax", ins, { axis = -1 }) end

local function axes_of(node)
  local text = node.op.name:match("axis=[%[(]([%d, ]*)[%])]")
  if not text then return nil end
  local axes = {}
  for n in text:gmatch("%d+") do axes[#axes + 1] = math.tointeger(n) end
  return axes
end

function rules.Sum(g, node, ins)
  local axes = axes_of(node)
  local x = g:cast(ins[1], node.inputs[1].dtype, node.outputs[1].dtype)
  return g:emit("ReduceSum", { x, axes and g:ints(axes) }, { keepdims = 0 })
end

function rules.Prod(g, node, ins)
  local x = g:cast(ins[1], node.inputs[1].dtype, node.outputs[1].dtype)
  return g:emit("ReduceProd", { x }, { axes = axes_of(node), keepdims = 0 })
end

function rules.MaxAndArgmax(g, node, ins)
  local axes = axes_of(node)
  local most = g:emit("ReduceMax", ins, { axes = axes, keepdims = 0 })
  if #axes ~= 1 then return most end
  return { most, g:emit("ArgMax", ins, { axis = axes[1], keepdims = 0 }) }
end

-- ---- shapes --------------------------------------------------------------------------------------------------------
function rules.Shape(g, _, ins) return g:emit("Shape", ins) end

local function as_vector(g, name) return g:emit("Unsqueeze", { name, g:ints({ 0 }) }) end

function rules.MakeVector(g, node, ins)
  local dtype, parts = node.outputs[1].dtype, {}
  for i, name in ipairs(ins) do parts[i] = as_vector(g, g:cast(name, node.inputs[i].dtype, dtype)) end
  return g:emit("Concat", parts, { axis = 0 })
end

function rules.Reshape(g, node, ins)
  return g:emit("Reshape", { ins[1], g:cast(ins[2], node.inputs[2].dtype, "int64") }, { allowzero = 1 })
end

function rules.Alloc(g, node, ins)
  local parts = {}
  for i = 2, #ins do parts[i - 1] = as_vector(g, g:cast(ins[i], node.inputs[i].dtype, "int64")) end
  return g:emit("Expand", { ins[1], g:emit("Concat", parts, { axis = 0 }) })
end

local function constant_int(v)
  local a = core.kind(v) == "constant" and v.data
  if a and type(a) == "userdata" and a.size == 1 then a = flat(a:tolist())[1] end
  return math.tointeger(a or nil)
end

function rules.Join(g, node, ins)
  local axis = constant_int(node.inputs[1])
  if not axis then refuse("the axis of a join is a constant there") end
  local parts = {}
  for i = 2, #ins do parts[i - 1] = g:cast(ins[i], node.inputs[i].dtype, node.outputs[1].dtype) end
  return g:emit("Concat", parts, { axis = axis })
end

function rules.DimShuffle(g, node, ins)
  local from, to, keep, added, seen = node.inputs[1].ndim, {}, {}, {}, {}
  for word in (node.op.name:match("{(.*)}") or ""):gmatch("[^,%s]+") do to[#to + 1] = word end
  for i, word in ipairs(to) do
    if word == "x" then added[#added + 1] = i - 1 else
      keep[#keep + 1] = math.tointeger(word)
      seen[keep[#keep]] = true
    end
  end
  local gone, rank, name = {}, {}, ins[1]
  for axis = 0, from - 1 do
    if seen[axis] then rank[axis] = axis - #gone else gone[#gone + 1] = axis end
  end
  local perm, moved = {}, false
  for i, axis in ipairs(keep) do
    perm[i] = rank[axis]
    moved = moved or perm[i] ~= i - 1
  end
  if #gone > 0 then name = g:emit("Squeeze", { name, g:ints(gone) }) end
  if moved then name = g:emit("Transpose", { name }, { perm = perm }) end
  return #added > 0 and g:emit("Unsqueeze", { name, g:ints(added) }) or name
end

-- ---- subscripts ----------------------------------------------------------------------------------------------------
function rules.AdvancedSubtensor1(g, _, ins) return g:emit("Gather", ins, { axis = 0 }) end

-- "int64:int64:, ::, int64" and the inputs that stand for its words, in turn.
local function entries_of(node)
  local at, list = 1, {}
  local function take(word)
    if word == "" then return nil end
    local number = math.tointeger(word)
    if number then return { value = number } end
    at = at + 1
    return { at = at, value = constant_int(node.inputs[at]) }
  end
  for text in ((node.op.name:match("{(.*)}") or "") .. ","):gmatch("%s*(.-)%s*,") do
    local start, stop, step = text:match("^(.-):(.-):(.*)$")
    if start then list[#list + 1] = { slice = true, start = take(start), stop = take(stop), step = take(step) }
    else list[#list + 1] = { index = take(text) } end
  end
  return list
end

-- The names of vectors that hold one number each.
local function bound(g, node, ins, what, otherwise)
  if not what then return g:ints({ otherwise }) end
  if what.value then return g:ints({ what.value }) end
  return as_vector(g, g:cast(ins[what.at], node.inputs[what.at].dtype or "int64", "int64"))
end

function rules.Subtensor(g, node, ins)
  local name, list = ins[1], entries_of(node)
  for axis, e in ipairs(list) do
    if e.slice and (e.start or e.stop or e.step) then
      if e.step and not e.step.value then refuse("the step of a slice is a constant there") end
      local back = e.step and e.step.value < 0
      name = g:emit("Slice", { name, bound(g, node, ins, e.start, back and math.maxinteger or 0),
        bound(g, node, ins, e.stop, back and math.mininteger or math.maxinteger), g:ints({ axis - 1 }),
        g:ints({ e.step and e.step.value or 1 }) })
    end
  end
  for axis = #list, 1, -1 do
    local index = list[axis].index
    if index then
      local at = index.value and g:constant("int64", {}, { index.value })
        or g:cast(ins[index.at], node.inputs[index.at].dtype or "int64", "int64")
      name = g:emit("Gather", { name, at }, { axis = axis - 1 })
    end
  end
  return name
end

-- ---- images --------------------------------------------------------------------------------------------------------
local function numbers(text)
  local out = {}
  for n in (text or ""):gmatch("%-?%d+") do out[#out + 1] = math.tointeger(n) end
  return out
end

local function pads_of(text, node, ndim)
  local mode = text:match("border_mode='(%a+)'")
  local given, pads = numbers(text:match("border_mode=(%b())")), {}
  if mode == "valid" then given = {} end
  local shape = core.kind(node.inputs[2]) ~= "variable" and array_parts(value_of(node.inputs[2]))
  for i = 1, ndim do
    local before, after = given[i] or 0, given[i] or 0
    if #given == 2 * ndim then before, after = given[2 * i - 1], given[2 * i] end
    if mode == "full" or mode == "half" then
      if not shape then refuse("border_mode='%s' needs filters whose shape is known", mode) end
      before = mode == "full" and shape[2 + i] - 1 or shape[2 + i] // 2
      after = before
    end
    pads[i], pads[ndim + i] = before, after
  end
  return pads
end

function rules.AbstractConv(g, node, ins)
  local text, ndim = node.op.name, node.inputs[1].ndim - 2
  if text:find("unshared=True", 1, true) then refuse("filters that differ from place to place") end
  local weights = ins[2]
  if text:find("filter_flip=True", 1, true) then -- theirs are not turned round
    local starts, stops, axes, steps = {}, {}, {}, {}
    for i = 1, ndim do starts[i], stops[i], axes[i], steps[i] = -1, math.mininteger, 1 + i, -1 end
    weights = g:emit("Slice", { weights, g:ints(starts), g:ints(stops), g:ints(axes), g:ints(steps) })
  end
  local groups = math.tointeger(text:match("num_groups=(%d+)") or 1)
  return g:emit("Conv", { ins[1], weights }, { strides = numbers(text:match("subsample=(%b())")),
    dilations = numbers(text:match("filter_dilation=(%b())")), group = groups, pads = pads_of(text, node, ndim) })
end

function rules.Pool(g, node, ins)
  local text, words = node.op.name, {}
  for i = 2, 4 do
    local a = value_of(node.inputs[i])
    if a == nil then refuse("the sizes of pooling are constants there") end
    words[i] = flat(a:tolist())
  end
  if not text:find("ignore_border=True", 1, true) then refuse("pooling with ignore_border=False") end
  local pads, mode = {}, text:match("mode='([%a_]+)'")
  for i, p in ipairs(words[4]) do pads[i], pads[#words[4] + i] = p, p end
  local how = { kernel_shape = words[2], strides = words[3], pads = pads }
  if mode == "max" then return g:emit("MaxPool", { ins[1] }, how) end
  if mode == "sum" then refuse("pooling by sums") end
  how.count_include_pad = mode == "average_inc_pad" and 1 or 0
  return g:emit("AveragePool", { ins[1] }, how)
end

-- ---- loops: the body is graph text, which becomes a graph inside --------------------------------------------------
local visit

-- The attributes of a loop's node: what the last node of its text says.
local function loop_of(node)
  local line
  for l in core.graph_text({ node.outputs[1] }):gmatch("[^\n]+") do line = l:find(" = Scan{", 1, true) and l or line end
  local body = line:match("{body='(.-[^\\])', taps=")
  local taps, nseq, nshared, ncollect = line:match("taps='([^']*)', nseq=(%d+), nshared=(%d+), ncollect=(%d+)")
  if not body or not taps then refuse("this form of loop") end
  local loop = { body = body:gsub("\\(.)", { n = "\n", ["'"] = "'", ["\\"] = "\\", ['"'] = '"' }), states = 0 }
  for tap in taps:gmatch("[^;]+") do
    if tap ~= "-1" then refuse("a loop that looks further back than one step") end
    loop.states = loop.states + 1
  end
  loop.nseq, loop.ncollect = math.tointeger(nseq), math.tointeger(ncollect)
  if nshared ~= "0" then refuse("a loop with updates of shared variables") end
  return loop
end

-- What a node reads: of a loop's states only what stands there at first.
local function reads(node)
  if node.op.kind ~= "Scan" then return node.inputs end
  local loop, list = loop_of(node), {}
  for i, v in ipairs(node.inputs) do
    local state = i > 1 + loop.nseq and i <= 1 + loop.nseq + loop.states
    local shape = i > 1 + loop.nseq + loop.states and i <= 1 + loop.nseq + loop.states + loop.ncollect
    if state then
      if not v.owner or v.owner.op.kind ~= "IncSubtensor" then refuse("this first state of a loop") end
      v = v.owner.inputs[2]
    end
    if not shape then list[#list + 1] = v end
  end
  return list
end

function rules.Scan(g, node, ins)
  local loop, given = loop_of(node), reads(node)
  local inside, results = core.graph_read(loop.body)
  local body, inner = new_graph(g), { name = g:fresh("body"), input = {}, output = {} }
  local first, n = 1 + loop.nseq, loop.states
  local function enter(v)
    local name = body:fresh("x")
    body.names[v] = name
    inner.input[#inner.input + 1] = { name = name, type = { tensor_type = { elem_type = DTYPES[v.dtype] } } }
  end
  for i = 1, n do enter(inside[loop.nseq + i]) end
  for i = 1, loop.nseq do enter(inside[i]) end
  for i = loop.nseq + n + 1, #inside do body.names[inside[i]] = ins[i + 1] end -- the same in every step
  local function leave(v, from)
    local name = body:emit("Identity", { from })
    inner.output[#inner.output + 1] = { name = name, type = { tensor_type = { elem_type = DTYPES[v.dtype] } } }
  end
  for i = 1, n do leave(results[i], visit(body, results[i])) end
  for _, v in ipairs(results) do leave(v, visit(body, v)) end
  inner.node, inner.initializer = body.nodes, {}

  local inputs, outputs = {}, {}
  for i = 1, n do inputs[i] = g:emit("Squeeze", { ins[first + i], g:ints({ 0 }) }) end
  local steps = as_vector(g, g:cast(ins[1], given[1].dtype or "int64", "int64"))
  for i = 1, loop.nseq do
    inputs[n + i] = g:emit("Slice", { ins[1 + i], g:ints({ 0 }), steps, g:ints({ 0 }), g:ints({ 1 }) })
  end
  for i = 1, n + #results do outputs[i] = g:fresh("loop") end
  g.nodes[#g.nodes + 1] = { op_type = "Scan", name = outputs[1], input = inputs, output = outputs,
    attribute = { attribute("body", inner), attribute("num_scan_inputs", loop.nseq) } }
  local all = {}
  for i = 1, #results do
    all[i] = outputs[n + i]
    if i <= n then all[i] = g:emit("Concat", { ins[first + i], all[i] }, { axis = 0 }) end -- with what was there before
  end
  return all
end

-- ---- the walk: no recursion over nodes ----------------------------------------------------------------------------
visit = function(g, root)
  local stack = { root }
  while #stack > 0 do
    local v = stack[#stack]
    local node = v.owner
    if g:named(v) then stack[#stack] = nil
    elseif not node then
      (g.root or g).names[v] = g:leaf(v)
      stack[#stack] = nil
    else
      local rule, ready = rules[node.op.kind], true
      if not rule then refuse("%s has no counterpart there", node.op.name) end
      local from = reads(node)
      for _, x in ipairs(from) do
        if not g:named(x) then stack[#stack + 1], ready = x, false end
      end
      if ready then
        local ins = {}
        for i, x in ipairs(from) do ins[i] = g:named(x) end
        local made = rule(g, node, ins)
        for i, out in ipairs(type(made) == "table" and made or { made }) do g.names[node.outputs[i]] = out end
        if not g.names[v] then refuse("a second result of %s", node.op.name) end
        stack[#stack] = nil
      end
    end
  end
  return g:named(root)
end

local function described(v, name)
  local dims = {}
  for i = 1, v.ndim do
    dims[i] = v.broadcastable[i] and { value = 1 } or { param = name .. "_" .. (i - 1) }
  end
  if not DTYPES[v.dtype] then refuse("%s: ONNX has no dtype %s here", name, v.dtype) end
  return { name = name, type = { tensor_type = { elem_type = DTYPES[v.dtype], shape = { dim = dims } } } }
end

--- A Graph that computes outputs (names and variables) from inputs.
function M.graph(inputs, outputs, names, title)
  local g = new_graph()
  local result = { name = title, input = {}, output = {} }
  for i, v in ipairs(inputs) do
    local name = g:fresh(v.name or ("input_" .. i))
    g.names[v] = name
    result.input[i] = described(v, name)
  end
  for i, v in ipairs(outputs) do
    local name = g:fresh(names[i])
    local from = visit(g, v)
    g.nodes[#g.nodes + 1] = { op_type = "Identity", input = { from }, output = { name }, attribute = {}, name = name }
    result.output[i] = described(v, name)
  end
  result.node, result.initializer = g.nodes, g.constants
  return result
end

return M
