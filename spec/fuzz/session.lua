--- A session: a random graph, the function that is compiled of it, and what is done with the function.
-- Nodes are lines of Lua over `v`, evaluated one by one while the session grows, so that later steps know the lengths
-- and values they work on. Lengths of leaves have names: a later call gives a name another length, and all leaves
-- that have it change together; what was written as a number stays, and may not fit any more.
-- @module spec.fuzz.session
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local fuzz = require("spec.support.fuzz")

local M = {}

local function file_text(path)
  local file <close> = assert(io.open(path))
  return file:read("a")
end

local prelude = file_text("spec/fuzz/prelude.lua")
local _, _, array, tools = load(prelude, "=prelude")()
M.A, M.tools = array, tools
M.prelude = prelude:gsub("return [^\n]*\n$", "") -- as it stands before a printed session

local Session = setmetatable({}, { __index = fuzz.Program })
Session.__index = Session
M.Session = Session

local function is_float(dtype) return dtype == "float32" or dtype == "float64" end
local function is_complex(dtype) return dtype:find("^complex") ~= nil end
local function is_half(dtype) return dtype == "float16" or dtype == "bfloat16" end
M.is_float, M.is_complex, M.is_half = is_float, is_complex, is_half

--- By what a value of a dtype may be off where a sum before its rounding was in another order, of 1.
M.coarse = { float16 = 4e-3, bfloat16 = 3e-2 }

function M.new(seed)
  return setmetatable({ seed = seed, rng = fuzz.rng(seed), nodes = {}, a = {}, used = {}, symbols = {}, order = {},
    updates = {}, events = {}, inputs = {}, givens = {} }, Session)
end

-- ---- text ---------------------------------------------------------------------------------------------------------
local function word(x)
  if type(x) ~= "number" then return tostring(x) end
  if x ~= x then return "0/0" end
  if x == math.huge or x == -math.huge then return x > 0 and "1/0" or "-1/0" end
  return math.type(x) == "float" and ("%.17g"):format(x) or tostring(x)
end

local function pattern_text(bcast)
  local words = {}
  for i, b in ipairs(bcast) do words[i] = tostring(b) end
  return "{" .. table.concat(words, ", ") .. "}"
end
M.pattern_text = pattern_text

--- The text of an array.
function M.array_text(dtype, shape, data, layout)
  local words = {}
  for i, x in ipairs(data) do words[i] = word(x) end
  local size = #data
  local odd = size > 0 and #shape > 0 and layout and layout ~= "c" and (', "%s"'):format(layout) or ""
  return ('A("%s", {%s}, {%s}%s)'):format(dtype, table.concat(shape, ", "), table.concat(words, ", "), odd)
end

-- ---- evaluating a line --------------------------------------------------------------------------------------------
local names = "local theano, T, nd, v, A, t, mode = ...\n"
local env = { table = table, math = math, ipairs = ipairs, pairs = pairs, pcall = pcall, error = error, select = select,
  collectgarbage = collectgarbage, type = type, tostring = tostring, string = string, setmetatable = setmetatable }
M.env = env

local quiet = { ran = function() end, once = pcall }
local step_mode = theano.compile.Mode({ linker = "interpreter", optimizer = "None" })

function M.chunk(text, v)
  return assert(load(names .. text, "=session", "t", env))(theano, T, nd, v, M.A, quiet, step_mode)
end

--- Fresh inputs for the operands; lines that are no variables (operations, lists of results) are evaluated again.
function Session:operands(deps, v, inputs, values)
  for _, d in ipairs(deps) do
    local n = self.nodes[d]
    if not v[d] then
      if n.kind == "thing" then
        self:operands(n.deps, v, inputs, values)
        v[d] = M.chunk("return " .. n.line, v)
      elseif n.value then
        v[d] = T.TensorType(n.dtype, n.bcast)("v" .. d)
        inputs[#inputs + 1], values[#values + 1] = v[d], n.value:copy()
      else
        error("no value", 0)
      end
    end
  end
end

local function limit_of(facts) return facts.limit or 200 end

--- Adds a line over earlier nodes, unless it raises or its values are out of bounds.
function Session:step(text, deps, facts)
  facts = facts or {}
  local id = #self.nodes + 1
  local line = text:gsub("%%(%d)", function(k) return ("v[%d]"):format(deps[tonumber(k)]) end)
  local v, inputs, values = {}, {}, {}
  local ok, out, value = pcall(function()
    self:operands(deps, v, inputs, values)
    local out = M.chunk("return " .. line, v)
    local f = theano.compile({ inputs = inputs, outputs = theano.Out(out, { array = true }), mode = step_mode,
      on_unused_input = "ignore", no_default_updates = true })
    return out, f(table.unpack(values))
  end)
  if not ok then
    self.refused = (self.refused or 0) + 1
    self.why = line .. ": " .. tostring(out)
    return nil
  end
  local bcast = {}
  for d = 1, out.ndim do bcast[d] = out.broadcastable[d] end
  local dtype = out.dtype
  local n = { id = id, kind = "step", line = line, deps = deps, dtype = dtype, bcast = bcast,
    shape = { table.unpack(value.shape) }, value = value, name = facts.name,
    exact = facts.exact or not is_float(dtype) and not is_complex(dtype) and not is_half(dtype) }
  n.smooth = facts.smooth ~= false and dtype == "float64"
  for _, d in ipairs(self:variables(deps)) do
    local m = self.nodes[d]
    if is_float(m.dtype) and not m.smooth then n.smooth = false end
    if facts.exact and not m.exact and facts.exact ~= "always" then n.exact = false end
  end
  if value.size > 3000 or #n.shape > 5 then return nil end
  local list = fuzz.flat(value)
  for _, x in ipairs(list) do
    if x ~= x or math.abs(x) > limit_of(facts) then return nil end
  end
  self:finish(n)
  return n
end

--- The variables among nodes, and those that lists of results are made of.
function Session:variables(deps)
  local out, todo = {}, { table.unpack(deps) }
  while #todo > 0 do
    local d = table.remove(todo)
    local n = self.nodes[d]
    if n.kind == "thing" then
      for _, e in ipairs(n.deps) do todo[#todo + 1] = e end
    else
      out[#out + 1] = d
    end
  end
  return out
end

function Session:finish(n)
  n.list = fuzz.flat(n.value)
  n.lo, n.hi, n.size = 0, 0, n.value.size
  for i, x in ipairs(n.list) do
    if i == 1 or x < n.lo then n.lo = x end
    if i == 1 or x > n.hi then n.hi = x end
  end
  n.scale = math.max(math.abs(n.lo), math.abs(n.hi), 1)
  n.coarse = M.coarse[n.dtype]
  n.narrow = n.dtype == "float32" or n.dtype == "complex64" or n.coarse ~= nil
  for _, d in ipairs(self:variables(n.deps)) do
    local m = self.nodes[d]
    n.scale, n.narrow = math.max(n.scale, m.scale), n.narrow or m.narrow
    if m.coarse then n.coarse = 2 * math.max(n.coarse or 0, m.coarse) end
  end
  self.nodes[n.id] = n
end

--- A line that is no variable: an operation, a list of results. It is written again wherever it is used.
function Session:thing(line, deps)
  local n = { id = #self.nodes + 1, kind = "thing", line = line, deps = deps or {} }
  n.line = line:gsub("%%(%d)", function(k) return ("v[%d]"):format(n.deps[tonumber(k)]) end)
  self.nodes[n.id] = n
  return n
end

-- ---- leaves -------------------------------------------------------------------------------------------------------
--- A name for a length, so that later calls change it everywhere; or the number itself.
function Session:symbol(length)
  if length < 2 or self.rng:chance(0.1) then return length end
  local fits = {}
  for _, name in ipairs(self.order) do
    if self.symbols[name] == length then fits[#fits + 1] = name end
  end
  if #fits > 0 and self.rng:chance(0.85) then return self.rng:pick(fits) end
  if #self.order >= 6 then return length end
  local name = ("n%d"):format(#self.order + 1)
  self.order[#self.order + 1], self.symbols[name] = name, length
  return name
end

function Session:leaf(dtype, shape, bcast, data, kind, layout)
  local rng = self.rng
  local n = { id = #self.nodes + 1, kind = kind or "input", dtype = dtype, shape = shape, bcast = {}, deps = {},
    dims = {}, layout = layout }
  n.exact = n.kind ~= "shared" or not is_float(dtype)
  n.smooth = dtype == "float64" and kind ~= "shared"
  for d = 1, #shape do
    n.dims[d] = self:symbol(shape[d])
    n.bcast[d] = bcast[d] and not rng:chance(0.06)
  end
  if not is_float(dtype) and not is_complex(dtype) and dtype ~= "bool" then
    local lo, hi = 0, 0
    for _, x in ipairs(data) do lo, hi = math.min(lo, x), math.max(hi, x) end
    n.range = { lo, hi }
  else
    n.range = self.float_range or { -2, 2 }
  end
  n.text = M.array_text(dtype, shape, data, layout)
  n.value = M.chunk("return " .. n.text, {})
  if n.kind == "shared" then
    n.borrow = rng:chance(0.3)
    n.line = ('theano.shared(%s, { name = "v%d", broadcastable = %s%s })'):format(n.text, n.id, pattern_text(n.bcast),
      n.borrow and ", borrow = true" or "")
  else
    n.line = ('T.TensorType("%s", %s)("v%d")'):format(dtype, pattern_text(n.bcast), n.id)
    self.inputs[#self.inputs + 1] = n.id
  end
  self:finish(n)
  return n
end

--- Random elements; floats are often multiples of 1/4, whose sums and products are exact in any order.
function Session:data(dtype, shape, lo, hi)
  self.float_range = { lo, hi }
  local data = fuzz.Program.data(self, dtype, shape, lo, hi)
  if is_float(dtype) and self.grid then
    for i, x in ipairs(data) do
      local y = math.floor(x * 4 + 0.5) / 4
      data[i] = y >= lo and y <= hi and y or x
    end
  end
  return data
end

function Session:new_shape(ndim)
  local shape, bcast = fuzz.Program.new_shape(self, ndim)
  for d = 1, #shape do
    if self.rng:chance(0.03) then shape[d], bcast[d] = 0, false end
  end
  return shape, bcast
end

--- The text of a step over node n with its placeholders: %S are n's lengths, %A its axes.
function M.fill(text, n)
  local lengths, axes = {}, {}
  for d = 1, #n.shape do lengths[d], axes[d] = ("%%1.shape[%d]"):format(d - 1), tostring(d - 1) end
  local s, a = table.concat(lengths, ", "), table.concat(axes, ", ")
  text = text:gsub("%%S", function() return s end)
  return (text:gsub("%%A", function() return a end))
end

--- A leaf with the lengths of a node, or an input that exists.
function Session:like(n, lo, hi, dtype)
  return self:new_leaf(dtype or n.dtype, lo or -2, hi or 2, { table.unpack(n.shape) }, { table.unpack(n.bcast) })
end

function Session:operand(dtype_ok, lo, hi, accept)
  local fits = {}
  for _, n in ipairs(self.nodes) do
    if n.value and dtype_ok(n.dtype) and n.lo >= lo and n.hi <= hi and (not accept or accept(n)) then
      fits[#fits + 1] = n
    end
  end
  if #fits == 0 or self.rng:chance(0.1) then return nil end
  local late = self.rng:chance(0.6) and math.max(1, #fits - 2) or 1
  return fits[self.rng:int(late, #fits)]
end

--- A node that satisfies `accept`, later ones more often.
function Session:find(accept)
  local fits = {}
  for _, n in ipairs(self.nodes) do
    if n.value and accept(n) then fits[#fits + 1] = n end
  end
  if #fits == 0 then return nil end
  if self.rng:chance(0.6) then return fits[self.rng:int(math.max(1, #fits - 2), #fits)] end
  return self.rng:pick(fits)
end

--- A float node of a rank with moderate values; a new leaf where there is none.
function Session:some(ndim, accept)
  local n = self:find(function(x)
    return is_float(x.dtype) and (not ndim or #x.shape == ndim) and x.scale < 60 and (not accept or accept(x))
  end)
  if n and self.rng:chance(0.85) or accept then return n end
  local shape, bcast = self:new_shape(ndim)
  return self:new_leaf(self.rng:pick({ "float64", "float64", "float32" }), -2, 2, shape, bcast)
end

return M
