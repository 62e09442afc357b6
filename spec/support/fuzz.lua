--- Random typed graphs from a seed, and the comparison of everything that computes them.
-- A program is a list of lines of Lua over `v` (variables) and `a` (arrays), so that a failing one is printed as it is
-- and runs alone. Each line is evaluated by itself while the program grows: those values are the reference (one
-- operation a function, nothing fused or rewritten), and lines whose values leave the domain where rounding is tame are
-- dropped.
-- Compared: the whole program with optimizer None, fast_compile and fast_run in the interpreter, fast_run and None in C
-- (many programs in one function), gradients the same way and against finite differences.
-- @module spec.support.fuzz
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local ops = require("spec.support.fuzz_ops")

local M = {}

-- ---- random numbers of our own: the same everywhere, and busted's are left alone -----------------------------------
local Rng = {}
Rng.__index = Rng

function M.rng(seed)
  local start = setmetatable({ s = seed }, Rng)
  return setmetatable({ s = start:bits() ~ seed << 32 }, Rng) -- neighbouring seeds share nothing
end

function Rng:bits()
  self.s = self.s + 0x9E3779B97F4A7C15
  local z = self.s
  z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
  z = (z ~ (z >> 27)) * 0x94D049BB133111EB
  return z ~ (z >> 31)
end

function Rng:int(lo, hi) return lo + (self:bits() >> 1) % (hi - lo + 1) end
function Rng:real(lo, hi) return lo + (hi - lo) * ((self:bits() >> 11) / 9007199254740992.0) end
function Rng:pick(list) return list[self:int(1, #list)] end
function Rng:chance(p) return self:real(0, 1) < p end

-- ---- values -------------------------------------------------------------------------------------------------------
local function is_float(dtype) return dtype == "float32" or dtype == "float64" end
local function is_complex(dtype) return dtype == "complex64" or dtype == "complex128" end

--- Elements of an array in row-major order as numbers; complex ones give two each.
local function flat(array)
  local list = {}
  if array.ndim == 0 then
    list[1] = array:item()
  else
    local r = array:copy():reshape({ -1 })
    for k = 0, array.size - 1 do list[k + 1] = r[k] end
  end
  local kind = list[1]
  if type(kind) == "boolean" then
    for i, b in ipairs(list) do list[i] = b and 1 or 0 end
  elseif type(kind) == "userdata" then
    local parts = {}
    for i, c in ipairs(list) do parts[2 * i - 1], parts[2 * i] = c.real, c.imag end
    list = parts
  end
  return list
end
M.flat = flat

local function measure(list)
  local lo, hi, finite = math.huge, -math.huge, true
  for _, x in ipairs(list) do
    if x ~= x or x == math.huge or x == -math.huge then finite = false end
    if x < lo then lo = x end
    if x > hi then hi = x end
  end
  if #list == 0 then lo, hi = 0, 0 end
  return lo, hi, finite
end

-- ---- a program ----------------------------------------------------------------------------------------------------
local Program = {}
Program.__index = Program
M.Program = Program

local function pattern_text(bcast)
  local words = {}
  for i, b in ipairs(bcast) do words[i] = tostring(b) end
  return "{" .. table.concat(words, ", ") .. "}"
end

local function number_text(x)
  if type(x) ~= "number" then return tostring(x) end
  return math.type(x) == "float" and ("%.17g"):format(x) or tostring(x)
end

--- How the array lies in memory: the same elements, other strides.
local layouts = {
  c = function(t) return t end,
  f = function(t) return ("(function(x) return x.T:copy().T end)(%s)"):format(t) end,
  reversed = function(t) return ('(function(x) return x["::-1"]:copy()["::-1"] end)(%s)'):format(t) end,
  strided = function(t)
    return ("(function(x) local b = nd.zeros({ x.shape[1] * 2, table.unpack(x.shape, 2) }, x.dtype) "
      .. 'local w = b["::2"] w["..."] = x return w end)(%s)'):format(t)
  end,
}

local function array_text(data, dtype, shape, layout)
  if #data == 0 then return ('nd.zeros({%s}, "%s")'):format(table.concat(shape, ", "), dtype) end
  local words = {}
  for i, x in ipairs(data) do words[i] = number_text(x) end
  if #shape == 0 then return ('nd.array(%s, "%s")'):format(words[1], dtype) end
  return layouts[layout](('nd.array({%s}, "%s"):reshape({%s})'):format(table.concat(words, ", "), dtype,
    table.concat(shape, ", ")))
end

local function chunk(text, v, a)
  return assert(load("local theano, T, nd, v, a = ...\n" .. text, "=program", "t", {
    table = table, math = math, ipairs = ipairs,
  }))(theano, T, nd, v, a)
end

local function fresh(n) return T.TensorType(n.dtype, n.bcast)("v" .. n.id) end

local function new_program(seed)
  return setmetatable({ seed = seed, rng = M.rng(seed), nodes = {}, a = {}, updates = {}, used = {} }, Program)
end

--- Adds a leaf: an input, or a shared variable. Its data are known, so what is derived from it is too.
function Program:leaf(dtype, shape, bcast, data, kind, layout)
  local n = { id = #self.nodes + 1, kind = kind or "input", dtype = dtype, shape = shape, bcast = bcast, exact = true,
    smooth = dtype == "float64" and kind ~= "shared", deps = {} }
  n.array_text = array_text(data, dtype, shape, layout or "c")
  n.value = chunk("return " .. n.array_text, {}, {})
  self:finish(n)
  if kind == "shared" then
    n.line = ("theano.shared(a[%d], { name = \"v%d\", broadcastable = %s })"):format(n.id, n.id, pattern_text(bcast))
  else
    n.line = ('T.TensorType("%s", %s)("v%d")'):format(dtype, pattern_text(bcast), n.id)
  end
  self.a[n.id] = n.value
  return n
end

function Program:finish(n)
  n.list = flat(n.value)
  n.lo, n.hi, n.finite = measure(n.list)
  n.size = n.value.size
  n.scale = math.max(math.abs(n.lo), math.abs(n.hi), 1)
  for _, d in ipairs(n.deps) do n.scale = math.max(n.scale, self.nodes[d].scale) end
  self.nodes[n.id] = n
end

local step_mode = theano.compile.Mode({ linker = "interpreter", optimizer = "None" })

--- Adds a line over earlier nodes, unless its values are out of bounds. Errors are the caller's to report.
-- @tparam string text with %1, %2 .. for the operands
-- @tparam table deps ids of the operands
-- @tparam table facts exact, smooth, name
function Program:step(text, deps, facts)
  local id = #self.nodes + 1
  local line = text:gsub("%%(%d)", function(k) return ("v[%d]"):format(deps[tonumber(k)]) end)
  local v, values, inputs = {}, {}, {}
  for i, d in ipairs(deps) do
    if not v[d] then
      v[d] = fresh(self.nodes[d])
      inputs[#inputs + 1], values[#values + 1] = v[d], self.nodes[d].value:copy()
    end
    inputs[i] = inputs[i]
  end
  self.trying = line
  local out = chunk("return " .. line, v, {})
  local f = theano.compile({ inputs = inputs, outputs = theano.Out(out, { array = true }), mode = step_mode,
    on_unused_input = "ignore" })
  local value = f(table.unpack(values))
  self.trying = nil
  local bcast = {}
  for d = 1, out.ndim do
    bcast[d] = out.broadcastable[d]
    if bcast[d] and value.shape[d] ~= 1 then
      error(("%s: dimension %d is broadcastable but %d long"):format(line, d, value.shape[d]), 0)
    end
  end
  if value.dtype ~= out.dtype then
    error(("%s: has dtype %s, its type says %s"):format(line, value.dtype, out.dtype), 0)
  end
  local n = { id = id, kind = "step", line = line, deps = deps, dtype = out.dtype, bcast = bcast,
    shape = { table.unpack(value.shape) },
    value = value, exact = facts.exact or not is_float(out.dtype) and not is_complex(out.dtype), name = facts.name }
  n.smooth = facts.smooth ~= false and out.dtype == "float64"
  for _, d in ipairs(deps) do
    if is_float(self.nodes[d].dtype) and not self.nodes[d].smooth then n.smooth = false end
  end
  if value.size > 4000 or #n.shape > 5 then return nil end
  local list = flat(value)
  local lo, hi, finite = measure(list)
  if not finite or math.max(math.abs(lo), math.abs(hi)) > (facts.limit or 200) then return nil end
  self:finish(n)
  return n
end

-- ---- leaves that fit ----------------------------------------------------------------------------------------------
local lengths = { 1, 2, 2, 3, 3, 4, 5, 7, 9, 17 }

function Program:data(dtype, shape, lo, hi)
  local size, rng, list = 1, self.rng, {}
  for _, n in ipairs(shape) do size = size * n end
  for i = 1, size do
    if dtype == "bool" then
      list[i] = rng:chance(0.5)
    elseif is_float(dtype) then
      local x = rng:real(lo, hi)
      list[i] = dtype == "float32" and string.unpack("f", string.pack("f", x)) or x
    else
      local from = dtype:sub(1, 1) == "u" and math.max(lo, 0) or lo
      list[i] = rng:int(math.ceil(from), math.max(math.ceil(from), math.floor(hi)))
    end
  end
  return list
end

function Program:new_shape(ndim)
  local shape, bcast = {}, {}
  for d = 1, ndim or self.rng:pick({ 0, 1, 1, 2, 2, 2, 3, 3, 4 }) do
    shape[d] = self.rng:pick(lengths)
    if shape[d] > 5 and d > 1 and shape[d - 1] > 2 then shape[d] = 3 end
    bcast[d] = shape[d] == 1
  end
  return shape, bcast
end

function Program:new_leaf(dtype, lo, hi, shape, bcast)
  if not shape then shape, bcast = self:new_shape() end
  local kind = is_float(dtype) and #self.nodes > 0 and self.rng:chance(0.2) and "shared" or "input"
  local layout = #shape > 0 and self.rng:pick({ "c", "c", "f", "strided", "reversed" }) or "c"
  return self:leaf(dtype, shape, bcast, self:data(dtype, shape, lo, hi), kind, layout)
end

--- A node with values in [lo, hi] and of one of the dtypes (a function of the dtype); a new leaf where there is none.
function Program:operand(dtype_ok, lo, hi, accept)
  local fits = {}
  for _, n in ipairs(self.nodes) do
    if dtype_ok(n.dtype) and n.lo >= lo and n.hi <= hi and (not accept or accept(n)) then fits[#fits + 1] = n end
  end
  if #fits > 0 and self.rng:chance(0.9) then
    local late = self.rng:chance(0.6) and math.max(1, #fits - 2) or 1
    return fits[self.rng:int(late, #fits)]
  end
  return nil
end

--- Whether two nodes broadcast together: equal lengths, or 1 by promise.
function M.compatible(x, y)
  for k = 1, math.min(#x.shape, #y.shape) do
    local i, j = #x.shape - k + 1, #y.shape - k + 1
    if x.shape[i] ~= y.shape[j] and not x.bcast[i] and not y.bcast[j] then return false end
  end
  return true
end

--- A shape that broadcasts with that of x: some leading dimensions dropped, some made 1.
function Program:partner_shape(x)
  local shape, bcast = {}, {}
  local from = self.rng:chance(0.3) and self.rng:int(1, #x.shape + 1) or 1
  for d = from, #x.shape do
    local one = self.rng:chance(0.25)
    shape[#shape + 1] = one and 1 or x.shape[d]
    bcast[#bcast + 1] = one or x.bcast[d]
  end
  return shape, bcast
end

-- ---- making one ---------------------------------------------------------------------------------------------------
local leaf_ranges = { { -2, 2 }, { -2, 2 }, { 0.1, 0.9 }, { 1.1, 3 } }
local leaf_dtypes = { "float64", "float64", "float64", "float32", "float32", "int8", "int16", "int32", "int64",
  "uint8", "uint16",
  "uint32", "bool" }

local function add_updates(p)
  local shareds = {}
  for _, n in ipairs(p.nodes) do
    if n.kind == "shared" then shareds[#shareds + 1] = n end
  end
  for _, s in ipairs(shareds) do
    local fits = {}
    for _, n in ipairs(p.nodes) do
      local same = n.id ~= s.id and n.dtype == s.dtype and #n.shape == #s.shape
      for d = 1, #s.shape do same = same and n.bcast[d] == s.bcast[d] and (n.shape[d] == s.shape[d]) end
      if same then fits[#fits + 1] = n end
    end
    if #fits > 0 then p.updates[#p.updates + 1] = { s.id, p.rng:pick(fits).id } end
  end
end

local function choose_outputs(p)
  local used, outs = {}, {}
  for _, n in ipairs(p.nodes) do
    for _, d in ipairs(n.deps) do used[d] = true end
  end
  for _, n in ipairs(p.nodes) do
    if n.kind == "step" and (not used[n.id] or p.rng:chance(0.15)) then outs[#outs + 1] = n.id end
  end
  if #outs == 0 then outs[1] = #p.nodes end
  return outs
end

--- A program of about `size` lines. Its own problems (a line that raises) come back as the second value.
function M.program(seed, size)
  local p = new_program(seed)
  local rng = p.rng
  for _ = 1, rng:int(1, 3) do
    local range = rng:pick(leaf_ranges)
    p:new_leaf(rng:pick(leaf_dtypes), range[1], range[2])
  end
  local wanted = size or rng:int(3, 14)
  local steps, tries = 0, 0
  local smooth_only = rng:chance(0.35) -- such programs stay differentiable
  while steps < wanted and tries < wanted * 6 do
    tries = tries + 1
    local entry = ops.choose(rng, smooth_only)
    local ok, made = pcall(entry.make, p, rng)
    if not ok then
      return p, ("%s: %s%s"):format(entry.name, p.trying and p.trying .. ": " or "", tostring(made))
    end
    if made then
      steps = steps + 1
      p.used[#p.used + 1] = entry.name
      made.name = made.name or entry.name
    end
  end
  p.outputs = choose_outputs(p)
  add_updates(p)
  return p
end

-- ---- building and running -----------------------------------------------------------------------------------------
--- Builds the whole graph: v, the input variables and their arrays, outputs, updates.
-- With `wanted` (a list of ids) these are the outputs and nothing else is built.
function M.build(p, wanted)
  local need = {}
  local outs = wanted or p.outputs
  local function mark(id)
    local todo = { id }
    while #todo > 0 do
      local k = table.remove(todo)
      if not need[k] then
        need[k] = true
        for _, d in ipairs(p.nodes[k].deps) do todo[#todo + 1] = d end
      end
    end
  end
  for _, id in ipairs(outs) do mark(id) end
  if not wanted then
    for _, u in ipairs(p.updates) do mark(u[1]) mark(u[2]) end
  end
  local g = { v = {}, inputs = {}, values = {}, outputs = {}, updates = {}, shareds = {}, need = need }
  for _, n in ipairs(p.nodes) do
    if need[n.id] then
      g.v[n.id] = chunk("return " .. n.line, g.v, p.a)
      if n.kind == "input" then
        g.inputs[#g.inputs + 1], g.values[#g.values + 1] = g.v[n.id], n.value
      elseif n.kind == "shared" then
        g.shareds[#g.shareds + 1] = n.id
      end
    end
  end
  for i, id in ipairs(outs) do g.outputs[i] = g.v[id] end
  if not wanted then
    for i, u in ipairs(p.updates) do g.updates[i] = { g.v[u[1]], g.v[u[2]] } end
  end
  return g
end

local tolerance = { float64 = 2e-11, float32 = 3e-5, complex128 = 2e-11, complex64 = 3e-5 }

--- nil, or how the array differs from the node's own value.
function M.differs(n, got, factor)
  if got.dtype ~= n.dtype then return ("dtype %s, expected %s"):format(got.dtype, n.dtype) end
  if #got.shape ~= #n.shape then return ("%d dimensions, expected %d"):format(#got.shape, #n.shape) end
  for d = 1, #n.shape do
    if got.shape[d] ~= n.shape[d] then
      return ("length %d of dimension %d, expected %d"):format(got.shape[d], d - 1, n.shape[d])
    end
  end
  local tol = (tolerance[n.dtype] or 0) * n.scale * (factor or 1)
  if n.narrow then tol = math.max(tol, tolerance.float32 * n.scale) end
  local list = flat(got)
  for k, want in ipairs(n.list) do
    local x = list[k]
    local same = x == want or (x ~= x and want ~= want)
      or (tol > 0 and math.abs(x - want) <= tol * math.max(1, math.abs(want) * 0.1))
    if not same then return ("element %d is %s, expected %s"):format(k - 1, number_text(x), number_text(want)) end
  end
end

--- Marks nodes that stand on float32 anywhere: float64 made from float32 has float32's rounding.
local function mark_narrow(p)
  for _, n in ipairs(p.nodes) do
    n.narrow = n.dtype == "float32" or n.dtype == "complex64"
    for _, d in ipairs(n.deps) do n.narrow = n.narrow or p.nodes[d].narrow end
  end
end

--- A mode from "fast_run+name-name".
local function mode_of(optimizer, linker)
  local mode = theano.compile.Mode({ linker = linker, optimizer = optimizer:match("^[%w_]+") })
  for sign, name in optimizer:gmatch("([+-])([%w_]+)") do
    if sign == "+" then mode = mode:including(name) else mode = mode:excluding(name) end
  end
  return mode
end

local function compile(parts, optimizer, linker)
  local all = { inputs = {}, outputs = {}, updates = {} }
  for _, g in ipairs(parts) do
    for _, x in ipairs(g.inputs) do table.insert(all.inputs, x) end
    for _, x in ipairs(g.outputs) do table.insert(all.outputs, theano.Out(x, { array = true })) end
    for _, x in ipairs(g.updates) do table.insert(all.updates, x) end
  end
  all.mode = mode_of(optimizer, linker)
  all.on_unused_input = "ignore"
  return theano.compile(all)
end

local function arguments(parts)
  local list = {}
  for _, g in ipairs(parts) do
    for _, x in ipairs(g.values) do list[#list + 1] = x end
  end
  return list
end

--- Compares one call's results with the reference of each program; calls `report(program, text)`.
local function compare(programs, parts, results, where, report)
  local k = 0
  for i, p in ipairs(programs) do
    local g = parts[i]
    for _, id in ipairs(g.wanted or p.outputs) do
      k = k + 1
      local why = M.differs(p.nodes[id], results[k])
      if why then report(p, ("%s: v[%d] (%s): %s"):format(where, id, p.nodes[id].name or "leaf", why), id) end
    end
  end
end

--- Runs programs as one function in one way: outputs, updates of shareds, the arguments unchanged, a second call.
function M.run(programs, optimizer, linker, report)
  local parts = {}
  for i, p in ipairs(programs) do parts[i] = M.build(p) end
  local where = optimizer .. "/" .. linker
  local f = compile(parts, optimizer, linker)
  local args = arguments(parts)
  compare(programs, parts, table.pack(f(table.unpack(args))), where, report)
  for i, p in ipairs(programs) do
    local updated = {}
    for _, u in ipairs(p.updates) do updated[u[1]] = u[2] end
    for _, id in ipairs(parts[i].shareds) do
      local from = updated[id] or id
      local why = M.differs(p.nodes[from], parts[i].v[id]:get_value({ array = true }))
      if why then
        report(p, ("%s: shared v[%d] after its update to v[%d]: %s"):format(where, id, from, why), from, true)
      end
      parts[i].v[id]:set_value(p.a[id])
    end
    for _, n in ipairs(p.nodes) do
      if n.kind == "input" then
        local why = M.differs(n, n.value)
        if why then report(p, ("%s: the argument v[%d] was changed: %s"):format(where, n.id, why), n.id, true) end
      end
    end
  end
  compare(programs, parts, table.pack(f(table.unpack(args))), where .. ", second call", report)
end

-- ---- gradients ----------------------------------------------------------------------------------------------------
local function gradient_parts(p)
  local best
  for _, id in ipairs(p.outputs) do
    if p.nodes[id].smooth and p.nodes[id].kind == "step" then best = id end
  end
  if not best then return nil end
  local g = M.build(p, { best })
  local wrt, ids = {}, {}
  for _, n in ipairs(p.nodes) do
    if g.need[n.id] and n.kind == "input" and n.dtype == "float64" then
      wrt[#wrt + 1], ids[#ids + 1] = g.v[n.id], n.id
    end
  end
  if #wrt == 0 then return nil end
  return g, best, wrt, ids
end

local function gradient_values(g, best, wrt, optimizer, linker)
  local grads = theano.grad(T.sum(T.sin(g.v[best])), wrt, { disconnected_inputs = "ignore" })
  local outs = {}
  for i, x in ipairs(grads) do outs[i] = theano.Out(x, { array = true }) end
  local f = theano.compile({ inputs = g.inputs, outputs = outs, on_unused_input = "ignore",
    mode = theano.compile.Mode({ linker = linker, optimizer = optimizer }) })
  return table.pack(f(table.unpack(g.values)))
end

--- The gradients of one smooth output by the float64 inputs: optimizers against each other, and finite differences.
-- @treturn boolean whether the program had any
function M.gradients(p, report, numeric)
  local g, best, wrt, ids = gradient_parts(p)
  if not g then return false end
  local first
  for _, optimizer in ipairs({ "None", "fast_run" }) do
    local got = gradient_values(g, best, wrt, optimizer, "interpreter")
    if not first then
      first = got
    else
      for i, id in ipairs(ids) do
        local list = flat(first[i])
        local lo, hi, finite = measure(list)
        if finite and math.max(math.abs(lo), math.abs(hi)) < 1e6 then
          local n = { dtype = first[i].dtype, shape = { table.unpack(first[i].shape) }, list = list,
            scale = math.max(1, math.abs(lo), math.abs(hi)) * p.nodes[best].scale * 10 }
          local why = M.differs(n, got[i])
          if why then report(p, ("%s: gradient of v[%d] by v[%d]: %s"):format(optimizer, best, id, why), best, true) end
        end
      end
    end
  end
  if numeric and p.nodes[best].scale < 60 then M.numeric(p, g, best, ids, report) end
  return true
end

function M.numeric(p, g, best, ids, report)
  local points, size = {}, 0
  for i, id in ipairs(ids) do points[i], size = p.nodes[id].value:copy(), size + p.nodes[id].size end
  if size == 0 or size > 60 or p.nodes[best].size == 0 then return end
  local function fun(...)
    local v = {}
    for i, id in ipairs(ids) do v[id] = (select(i, ...)) end
    for _, n in ipairs(p.nodes) do
      if g.need[n.id] and not v[n.id] then
        if n.kind == "step" then v[n.id] = chunk("return " .. n.line, v, p.a)
        else v[n.id] = T.patternbroadcast and #n.shape > 0 and T.patternbroadcast(T.constant(n.value), n.bcast)
          or T.constant(n.value) end
      end
    end
    return T.sin(v[best] * 0.5)
  end
  local ok, message = pcall(theano.gradient.verify_grad, fun, points, { n_tests = 1, abs_tol = 2e-4, rel_tol = 3e-3,
    mode = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" }) })
  if not ok then report(p, ("numeric gradient of v[%d]: %s"):format(best, tostring(message)), best, true) end
end

-- ---- a program that shows the failure alone -----------------------------------------------------------------------
--- Lua text that builds, runs and prints one output in every way.
function M.source(p, ids, updates)
  local need, lines = {}, { 'local theano = require "theano"', "local T, nd = theano.tensor, theano.ndarray",
    "local v, a = {}, {}" }
  local todo = { table.unpack(ids) }
  for _, u in ipairs(updates or {}) do todo[#todo + 1] = u[1] todo[#todo + 1] = u[2] end
  while #todo > 0 do
    local k = table.remove(todo)
    if not need[k] then
      need[k] = true
      for _, d in ipairs(p.nodes[k].deps) do todo[#todo + 1] = d end
    end
  end
  local inputs, values = {}, {}
  for _, n in ipairs(p.nodes) do
    if need[n.id] then
      if n.array_text then lines[#lines + 1] = ("a[%d] = %s"):format(n.id, n.array_text) end
      lines[#lines + 1] = ("v[%d] = %s"):format(n.id, n.line)
      if n.kind == "input" then
        inputs[#inputs + 1], values[#values + 1] = ("v[%d]"):format(n.id), ("a[%d]"):format(n.id)
      end
    end
  end
  local outs, ups = {}, {}
  for i, id in ipairs(ids) do outs[i] = ("theano.Out(v[%d], { array = true })"):format(id) end
  for i, u in ipairs(updates or {}) do ups[i] = ("{ v[%d], v[%d] }"):format(u[1], u[2]) end
  lines[#lines + 1] = 'for _, way in ipairs({ "None interpreter", "fast_run interpreter", "None c", "fast_run c" }) do'
  lines[#lines + 1] = '  local optimizer, linker = way:match("(%S+) (%S+)")'
  lines[#lines + 1] = ("  local f = theano.compile({ inputs = { %s }, outputs = { %s }, updates = { %s },"
    .. ' on_unused_input = "ignore",'):format(table.concat(inputs, ", "), table.concat(outs, ", "),
      table.concat(ups, ", "))
  lines[#lines + 1] = "    mode = theano.compile.Mode({ linker = linker, optimizer = optimizer }) })"
  lines[#lines + 1] = ("  print(way, f(%s))"):format(table.concat(values, ", "))
  for _, u in ipairs(updates or {}) do
    lines[#lines + 1] = ("  print(v[%d]:get_value()) v[%d]:set_value(a[%d])"):format(u[1], u[1], u[1])
  end
  lines[#lines + 1] = "end"
  for _, id in ipairs(ids) do
    local n = p.nodes[id]
    if n.size <= 200 then lines[#lines + 1] = "-- expected, a line at a time: " .. tostring(n.value):gsub("\n", " ") end
  end
  return table.concat(lines, "\n") .. "\n"
end

--- Whether the program as it stands fails in this way.
local function fails(p, where)
  local optimizer, linker = where:match("^([%w_+-]+)/(%a+)")
  if not optimizer then return false end
  local seen = false
  local ok = pcall(M.run, { p }, optimizer, linker, function() seen = true end)
  return seen or not ok
end

--- Drops entries of a list of the program, last first, as long as the failure stays.
local function drop(p, field, where, least)
  for k = #p[field], 1, -1 do
    if #p[field] > least then
      local gone = table.remove(p[field], k)
      if not fails(p, where) then table.insert(p[field], k, gone) end
    end
  end
end

--- Turns nodes into inputs that hold their values as long as the failure stays.
local function cut(p, where)
  for k = #p.nodes, 1, -1 do
    local n = p.nodes[k]
    if n.kind == "step" and not is_complex(n.dtype) then
      local was = { n.kind, n.line, n.deps }
      n.kind, n.deps = "input", {}
      n.line = ('T.TensorType("%s", %s)("v%d")'):format(n.dtype, pattern_text(n.bcast), n.id)
      local data = {}
      for i, x in ipairs(n.list) do
        if n.dtype == "bool" then data[i] = x ~= 0 else data[i] = x end
      end
      n.array_text = array_text(data, n.dtype, n.shape, "c")
      p.a[k] = n.value
      if not fails(p, where) then n.kind, n.line, n.deps, n.array_text, p.a[k] = was[1], was[2], was[3], nil, nil end
    end
  end
end

--- Smallest program found that still fails: fewer outputs and updates, operands cut to inputs.
function M.minimal(p, where)
  if fails(p, where) then
    local outputs, updates = p.outputs, p.updates
    p.outputs, p.updates = { table.unpack(outputs) }, { table.unpack(updates) }
    drop(p, "updates", where, 0)
    drop(p, "outputs", where, #p.updates > 0 and 0 or 1)
    for _, id in ipairs(#p.outputs == 1 and p.nodes[p.outputs[1]].deps or {}) do
      if p.nodes[id].kind == "step" then
        local was = p.outputs
        p.outputs = { id }
        if not fails(p, where) then p.outputs = was end
      end
    end
    cut(p, where)
  end
  return M.source(p, p.outputs, p.updates)
end

--- Prepares a program for comparison.
function M.ready(p) mark_narrow(p) end

return M
