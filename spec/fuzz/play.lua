--- Plays a session in one way and notes what it says; compares notes.
-- @module spec.fuzz.play
local theano = require("theano")
local core = require("theano.core")
local T, nd = theano.tensor, theano.ndarray
local both = require("spec.support.both")
local fuzz = require("spec.support.fuzz")
local session = require("spec.fuzz.session")
local promised = require("spec.fuzz.promised")
local text = require("spec.fuzz.text")

local M = {}

local function mode(linker, optimizer) return theano.compile.Mode({ linker = linker, optimizer = optimizer }) end

-- name: as on the command line; text and flags: as in a printed program.
local threads = { openmp = true, openmp_elemwise_minsize = 2 }
M.ways = {
  none = { name = "none", mode = mode("interpreter", "None") },
  fast = { name = "fast", mode = mode("interpreter", "fast_run"), optimized = true,
    text = 'theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })' },
  compile = { name = "compile", mode = "FAST_COMPILE", text = '"FAST_COMPILE"' },
  c = { name = "c", mode = mode("c", "fast_run"), c = true,
    text = 'theano.compile.Mode({ linker = "c", optimizer = "fast_run" })' },
  threads = { name = "threads", mode = mode("c", "fast_run"), c = true, config = threads,
    flags = { "theano.config.openmp, theano.config.openmp_elemwise_minsize = true, 2" },
    text = 'theano.compile.Mode({ linker = "c", optimizer = "fast_run" })' },
  -- sums: a GPU folds long sums in an order of its own
  device = { name = "device", mode = mode("c", "fast_run"), c = true, sums = true,
    config = { device = "cuda-emulated", force_device = true },
    flags = { 'theano.config.device = "cuda-emulated"' },
    text = 'theano.compile.Mode({ linker = "c", optimizer = "fast_run" })' },
}

--- The device of the way `device`, the emulated one else.
function M.on_device(name)
  M.ways.device.config = { device = name, force_device = true }
  M.ways.device.flags = { ('theano.config.device = "%s"'):format(name) }
end

-- ---- notes --------------------------------------------------------------------------------------------------------
local function note(value)
  if type(value) == "userdata" and core.kind(value) == "ndarray" then
    return { dtype = value.dtype, shape = { table.unpack(value.shape) }, bytes = value:tostring(),
      array = value:copy() }
  end
  if type(value) == "userdata" then return { dtype = "complex", shape = {}, list = { value.real, value.imag } } end
  return { plain = value == nil and "nil" or value }
end

local function list_of(n)
  if not n.list then
    if n.plain ~= nil then
      local x = n.plain
      if type(x) == "boolean" then x = x and 1 or 0 end
      n.list = { x }
    else
      n.list = fuzz.flat(n.array)
    end
  end
  return n.list
end

-- Floats off by some units in the last place, in place.
local UNITS = { float32 = 3e-7, float16 = 1.5e-3, bfloat16 = 1.2e-2 }
local function disturb(rng, x)
  if not x.dtype:find("float") or x.size == 0 then return x end
  local scale = {}
  for i = 1, x.size do scale[i] = 1 + rng:real(-1, 1) * (UNITS[x.dtype] or 2e-15) end
  local by = x.ndim == 0 and nd.array(scale[1], x.dtype) or nd.array(scale, x.dtype):reshape(x.shape)
  x["..."] = x * by
  return x
end

--- What a play is given for its arguments to be off by rounding, and so what each call finds in its states.
local function off_by_rounding(s, seed)
  local rng, states = fuzz.rng(seed), {}
  for _, u in ipairs(s.updates) do states["v" .. u[1]] = true end
  local found = {}
  local function shared(value, options)
    local x = theano.shared(value, options)
    if states[x.name] then found[#found + 1] = x end
    return x
  end
  local function tools(say)
    local t = session.tools(say)
    local call = t.call
    function t.call(...)
      for _, x in ipairs(found) do disturb(rng, x:get_value({ borrow = true })) end
      return call(...)
    end
    return t
  end
  return { theano = setmetatable({ shared = shared }, { __index = theano }), tools = tools,
    A = function(...) return disturb(rng, session.A(...)) end }
end

--- The function `play(mode, say)` of a body; with: other things than usual by name (theano, A, tools).
function M.load(body, with)
  with = with or {}
  local chunk = assert(load("local theano, T, nd, A, tools = ...\n" .. body .. "\nreturn play", "=session", "t",
    session.env))
  return chunk(with.theano or theano, T, nd, with.A or session.A, with.tools or session.tools)
end

--- Plays a body in a way.
-- @treturn table notes {key, note}, or nil and a message when the function did not compile
function M.play(body, way, with)
  local notes, facts, refused = {}, { nodes = 0 }, nil
  local function say(key, value, f)
    if key == "nodes" then
      facts.nodes = value
      if way == M.ways.none then facts.needed = promised.needed_by_value(f) end
      return
    end
    notes[#notes + 1] = { key, note(value) }
  end
  local play = M.load(body, with)
  local scope
  if way.c then
    local flags = { ["gcc.cxxflags"] = way.cflags or "-O0" }
    for k, v in pairs(way.config or {}) do flags[k] = v end
    scope = theano.config.change_flags(flags)
    core.set_logger(function(line)
      if line:find("C compiler", 1, true) and not line:find("Terminated", 1, true) then refused = line end
      io.stderr:write(line)
    end)
  end
  local ok, message = pcall(play, way.mode, say)
  if way.c then
    core.set_logger(function(line) io.stderr:write(line) end)
    getmetatable(scope).__close(scope)
  end
  if refused then return nil, "the C compiler refused: " .. refused end
  if not ok then return nil, tostring(message) end
  return notes, facts
end

-- ---- comparing ----------------------------------------------------------------------------------------------------
local base = { float64 = 1e-10, float32 = 5e-5, complex128 = 1e-10, complex64 = 5e-5, float16 = session.coarse.float16,
  bfloat16 = session.coarse.bfloat16 }

local function find_note(notes, key)
  for _, x in ipairs(notes) do
    if x[1] == key then return x[2] end
  end
end

--- nil, or how note b differs from note a. `allow(k)`: the difference that element k may have.
local function differs(a, b, allow)
  if (a.plain ~= nil) ~= (b.plain ~= nil) then return "one is a number, the other an array" end
  if a.plain ~= nil then
    if type(a.plain) == "string" or type(b.plain) == "string" then
      local x, y = theano.error_kind(tostring(a.plain)), theano.error_kind(tostring(b.plain))
      return x ~= y and ("%s, expected %s"):format(b.plain, a.plain) or nil
    end
    if math.type(a.plain) ~= math.type(b.plain) then return ("%s, expected %s"):format(b.plain, a.plain) end
  else
    if a.dtype ~= b.dtype then return ("dtype %s, expected %s"):format(b.dtype, a.dtype) end
    if a.bytes and a.bytes == b.bytes and #a.shape == #b.shape and #a.bytes > 0 then
      local same = true
      for d = 1, #a.shape do same = same and a.shape[d] == b.shape[d] end
      if same then return nil end
    end
    local x, y = table.concat(a.shape, ","), table.concat(b.shape, ",")
    if x ~= y then return ("shape (%s), expected (%s)"):format(y, x) end
  end
  local x, y = list_of(a), list_of(b)
  for k = 1, #x do
    local p, q = x[k], y[k]
    local same = p == q or (p ~= p or p - p ~= 0) -- where the reference is no number, a stable form may be one
    if not same and allow then
      local by = allow(k)
      same = math.abs(p - q) <= by or by ~= by
    end
    if not same then return ("element %d is %s, expected %s"):format(k - 1, tostring(q), tostring(p)), k end
  end
end

-- ---- rounding -----------------------------------------------------------------------------------------------------
-- The notes of four plays as written whose arguments are some units in the last place off.
local function disturbed(c)
  if not c.disturbed then
    c.disturbed = {}
    for seed = 1, 4 do c.disturbed[seed] = M.play(c.body, M.ways.none, off_by_rounding(c.session, seed)) or {} end
  end
  return c.disturbed
end

--- How much each element of note `index` moves then; nil: other things are said.
local function conditions(c, index)
  local first = c.reference[index][2]
  local moved = {}
  for _, other in ipairs(disturbed(c)) do
    local n = #other == #c.reference and other[index][2]
    if not n or differs(n, first, function() return math.huge end) then return nil end
    for k, x in ipairs(list_of(n)) do
      local by = math.abs(x - list_of(first)[k])
      if by ~= by then by = math.huge end
      moved[k] = math.max(moved[k] or 0, by)
    end
  end
  return moved
end

local function node_of(s, key)
  local id = math.tointeger(tonumber(key:match(" v(%d+)")))
  return id and s.nodes[id]
end

-- What answers by leaps: a last bit more or less, and another length, position or whole number comes out.
local leaps = { "unique", "nonzero", "argsort", "argtopk", "argmax", "argmin", "searchsorted", "compress", "repeat_",
  "bincount", "floor", "ceil", "round", "trunc", "sgn", "cast", "until_", "//", " %% ", "T%.[gl][te]", "T%.eq",
  "T%.neq" }

local function is_fractional(dtype) return session.is_float(dtype) or session.is_complex(dtype) end

-- Whether an operand of node n is rounded, and not the same in every way therefore. In the first call shared variables
-- and states are what they were made of.
local function takes_rounded(s, n, first)
  for d in pairs(s:needed(n.deps)) do
    local m = s.nodes[d]
    if m.dtype and is_fractional(m.dtype) then
      if (m.kind == "step" or m.kind == "grad") and not m.exact then return true end
      if not first and (m.kind == "shared" and #s.updates > 0 or s.flags[d] == "state") then return true end
    end
  end
  return false
end

local function answers_by_leaps(n)
  if n.kind == "step" and not is_fractional(n.dtype) then return true end
  for _, words in ipairs(leaps) do
    if n.line:find(words) then return true end
  end
  return false
end

--- Whether what is said under a key hangs on the last bit of something rounded: by what it is made of, and by plays as
-- written of arguments that are so much off.
local function is_unsettled(c, key)
  local s, n = c.session, node_of(c.session, key)
  local ids = n and n.kind == "step" and { n.id } or text.wanted(s) -- what is raised, and states
  local found = false
  for id in pairs(s:needed(ids)) do
    local m = s.nodes[id]
    found = found or m.line and answers_by_leaps(m) and takes_rounded(s, m, key:find("^1 ") ~= nil)
  end
  if not found then return false end
  local first = find_note(c.reference, key)
  for _, other in ipairs(disturbed(c)) do
    local b = find_note(other, key)
    if (b == nil) ~= (first == nil) then return true end
    if b and differs(first, b, n and is_fractional(n.dtype) and function() return math.huge end) then return true end
  end
  return false
end

-- Whether float32 has its say in a node: by what it is made of, or by what new values of states are made of.
local function is_narrow(s, n)
  if n.narrow or n.kind ~= "shared" and s.flags[n.id] ~= "state" then return n.narrow end
  for _, m in ipairs(s.nodes) do
    if m.narrow then return true end
  end
  return false
end

-- What halves have their say in, likewise.
local function coarse(s, n)
  local most = n.coarse or 0
  if n.kind ~= "shared" and s.flags[n.id] ~= "state" then return most end
  for _, m in ipairs(s.nodes) do most = math.max(most, m.coarse or 0) end
  return most
end

local function compare_one(c, index, b)
  local s, key, a = c.session, c.reference[index][1], c.reference[index][2]
  if key:find(" raised$") then
    local why = differs(a, b)
    return why and not promised.either(c, key, a.plain, b.plain) and key .. ": " .. why or nil
  end
  if key:find(" growth$") then
    if b.plain > 2000 and a.plain < 1000 then return ("%s: %d bytes more after more calls"):format(key, b.plain) end
    return nil
  end
  if key:find(" runs of ") then
    local recurses = c.body:find("t.f", 1, true) -- which updates leave open to it
    if b.plain > a.plain and not recurses then return ("%s: %d runs, as written %d"):format(key, b.plain, a.plain) end
    return nil
  end
  local n = node_of(s, key)
  local dtype = a.dtype or (n and n.dtype) or "float64"
  local rough = n and (not n.exact or n.kind == "shared" or s.flags[n.id] == "state") and base[dtype ~= "complex"
    and dtype
    or n.dtype]
  if not rough then
    local why = differs(a, b)
    return why and key .. ": " .. why
  end
  local tol = math.max(is_narrow(s, n) and base.float32 or 0, rough, coarse(s, n)) * n.scale
  local function allow(k) -- values far above those met while the session grew have lost digits on the way
    local x = math.abs(list_of(a)[k])
    if x > 1e6 * n.scale then return math.huge end
    return x > 1e4 * n.scale and x * 1e-4 or tol * math.max(1, x)
  end
  local why, k = differs(a, b, allow)
  if not why then return nil end
  if k then
    local moved = conditions(c, index)
    if not moved then return nil end -- so ill conditioned that other things are said
    why = differs(a, b, function(i) return allow(i) + 100 * moved[i] end)
    if not why then return nil end
  end
  return key .. ": " .. why
end

local function exhausted(x)
  return x and type(x[2].plain) == "string" and theano.error_kind(x[2].plain) == "MemoryError"
end

-- Whether a state has left the values that the session was made for: domains do not hold any more, digits are lost as
-- written that stable forms keep.
local function is_wild(s, key, got)
  local n = key:find(" after$") and node_of(s, key)
  if not n or type(got.plain) == "string" or not session.is_float(n.dtype) then return false end
  for _, x in ipairs(list_of(got)) do
    local inside = math.abs(x) <= 2 * math.max(2, math.abs(n.lo), math.abs(n.hi)) -- NaN is not
    if not inside then return true end
  end
  return false
end

-- What is wrong where one says a and the other b, of two keys; nil: only what may be.
local function compare_keys(c, a, b, way)
  local key, other = a and a[1], b and b[1]
  if other and other:find(" raised$") then
    if promised.is_documented(b[2].plain) or is_unsettled(c, other) then return nil end
    return ("%s: %s; as written it does not"):format(other, b[2].plain)
  end
  if key and key:find(" raised$") then
    if promised.lost(c, key, a[2].plain, way) or is_unsettled(c, key) then return nil end
    return ("%s: does not raise; as written %s"):format(key, a[2].plain)
  end
  return ("says %s, as written %s"):format(tostring(other), tostring(key))
end

--- What differs between the notes of a way and the reference: nil, or a text. Too little memory is no difference.
function M.compare(s, body, reference, notes, facts, way)
  local c = { session = s, body = body, reference = reference, facts = facts, play = M }
  local i, j, wild = 1, 1, false
  while i <= #reference or j <= #notes do
    local a, b = reference[i], notes[j]
    local key, other = a and a[1], b and b[1]
    if exhausted(a) or exhausted(b) then return nil end
    if key and key:find(" runs of ") and key ~= other then
      i = i + 1 -- equal applications run once, and what nobody needs never
    elseif other and other:find(" runs of ") and key ~= other then
      return other .. ": runs though it does not as written"
    elseif key ~= other then
      return compare_keys(c, a, b, way)
    else
      local why = compare_one(c, i, b[2])
      if why and not (wild and why:find("element", 1, true)) and not is_unsettled(c, key) then return why end
      wild = wild or is_wild(s, key, a[2])
      i, j = i + 1, j + 1
    end
  end
end

-- Numbers of the same bits; which pattern a NaN has is nobody's concern.
local function same_number(x, y) return x == y or (x ~= x and y ~= y) end
local function same_numbers(x, y)
  if x.bytes ~= y.bytes then return x.bytes and y.bytes and (both.same_bytes(x.bytes, y.bytes, x.dtype)) or false end
  if x.list and x.dtype == "complex" then
    return same_number(x.list[1], y.list[1]) and same_number(x.list[2], y.list[2])
  end
  return same_number(x.plain, y.plain)
end

--- The same bits everywhere: nil, or where not.
function M.same_bits(first, second)
  for i, a in ipairs(first) do
    local b = second[i]
    if not b or a[1] ~= b[1] then return ("says %s, expected %s"):format(b and b[1] or "nothing", a[1]) end
    local x, y = a[2], b[2]
    if not a[1]:find(" growth$") and not a[1]:find(" raised$") and not same_numbers(x, y) then
      return a[1] .. ": other bits"
    end
  end
end

return M
