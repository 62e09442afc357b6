--- Plays a session in one way and notes what it says; compares notes.
-- @module spec.fuzz.play
local theano = require("theano")
local core = require("theano.core")
local T, nd = theano.tensor, theano.ndarray
local fuzz = require("spec.support.fuzz")
local session = require("spec.fuzz.session")

local M = {}

local function mode(linker, optimizer) return theano.compile.Mode({ linker = linker, optimizer = optimizer }) end

-- name: as on the command line; text and flags: as in a printed program.
local threads = { openmp = true, openmp_elemwise_minsize = 2 }
M.ways = {
  none = { name = "none", mode = mode("interpreter", "None") },
  fast = { name = "fast", mode = mode("interpreter", "fast_run"),
    text = 'theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })' },
  compile = { name = "compile", mode = "FAST_COMPILE", text = '"FAST_COMPILE"' },
  c = { name = "c", mode = mode("c", "fast_run"), c = true,
    text = 'theano.compile.Mode({ linker = "c", optimizer = "fast_run" })' },
  threads = { name = "threads", mode = mode("c", "fast_run"), c = true, config = threads,
    flags = { "theano.config.openmp, theano.config.openmp_elemwise_minsize = true, 2" },
    text = 'theano.compile.Mode({ linker = "c", optimizer = "fast_run" })' },
}

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

local function perturbed(eps, seed)
  local rng = fuzz.rng(seed)
  return function(dtype, shape, list, layout)
    local x = session.A(dtype, shape, list, layout)
    if not dtype:find("^float") then return x end
    local scale = {}
    for i = 1, x.size do scale[i] = 1 + rng:real(-1, 1) * (dtype == "float32" and 3e-7 or eps) end
    if #scale == 0 then return x end
    local by = #shape == 0 and nd.array(scale[1], dtype) or nd.array(scale, dtype):reshape(shape)
    x["..."] = x * by
    return x
  end
end

--- By position in the toposort: the nodes whose values count. Asking for a shape computes no value (and raises nothing
-- of what computing would raise): as written the others run all the same.
local function needed_by_value(f)
  local graph = f.maker.fgraph
  local found, todo, by_position = {}, {}, {}
  local function need(v)
    local a = v.owner
    if a and not found[a] then
      found[a] = true
      todo[#todo + 1] = a
    end
  end
  for _, v in ipairs(graph.outputs) do need(v) end
  while #todo > 0 do
    local a = table.remove(todo)
    if a.op.name ~= "Shape" then
      for _, v in ipairs(a.inputs) do need(v) end
    end
  end
  for i, a in ipairs(graph:toposort()) do by_position[i - 1] = found[a] or false end
  return by_position
end

--- Plays a body in a way.
-- @treturn table notes {key, note}, or nil and a message when the function did not compile
function M.play(body, way, disturb)
  local notes, facts, refused = {}, { nodes = 0 }, nil
  local function say(key, value, f)
    if key == "nodes" then
      facts.nodes = value
      if way == M.ways.none then facts.needed = needed_by_value(f) end
      return
    end
    notes[#notes + 1] = { key, note(value) }
  end
  local play = assert(load("local theano, T, nd, A, tools = ...\n" .. body .. "\nreturn play", "=session", "t",
    session.env))(
    theano, T, nd, disturb and perturbed(disturb[1], disturb[2]) or session.A, session.tools)
  local scope
  if way.c then
    local flags = { ["gcc.cxxflags"] = way.cflags or "-O0" }
    for k, v in pairs(way.config or {}) do flags[k] = v end
    scope = theano.config.change_flags(flags)
    core.set_logger(function(text)
      if text:find("C compiler", 1, true) and not text:find("Terminated", 1, true) then refused = text end
      io.stderr:write(text)
    end)
  end
  local ok, message = pcall(play, way.mode, say)
  if way.c then
    core.set_logger(function(text) io.stderr:write(text) end)
    getmetatable(scope).__close(scope)
  end
  if refused then return nil, "the C compiler refused: " .. refused end
  if not ok then return nil, tostring(message) end
  return notes, facts
end

-- ---- comparing ----------------------------------------------------------------------------------------------------
local base = { float64 = 1e-10, float32 = 5e-5, complex128 = 1e-10, complex64 = 5e-5 }

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

--- How much each element of note `index` moves when the arguments move by some units in the last place.
local function conditions(body, ways, index, count)
  local first = ways.reference[index][2]
  local moved = {}
  for seed = 1, 4 do
    local other = M.play(body, M.ways.none, { 2e-15, seed })
    local n = other and #other == count and other[index][2]
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

--- Whether an error of this kind comes from any node of the session by itself: of two errors in one call the first
-- one is raised, and which one is first is nobody's promise.
local function raised_by_one(s, key, kind)
  local text = require("spec.fuzz.text")
  local outputs, updates, flags = s.outputs, s.updates, s.flags
  local found = false
  for id in pairs(s:needed(text.wanted(s))) do
    local n = s.nodes[id]
    if (n.kind == "step" or n.kind == "grad") and not found then
      s.outputs, s.updates, s.flags = { id }, {}, {}
      for _, x in ipairs(M.play(text.body(s), M.ways.none) or {}) do
        found = found or x[1] == key and theano.error_kind(x[2].plain) == kind
      end
    end
  end
  s.outputs, s.updates, s.flags = outputs, updates, flags
  return found
end

-- Differences that docs/differences.md promises: words of the message of a way that raises where the graph as written
-- does not, or raises something else.
local documented = { "rows but %d+ class numbers", "y_i value out of bounds",
  "could not be broadcast together" } -- IndexError of positions; lengths known to be equal are asked of others, too

local function is_documented(message)
  for _, words in ipairs(documented) do
    if message:find(words) then return true end
  end
  return false
end

-- Whether an error as written comes from a node whose value counts.
local function counts(message, facts)
  local position = math.tointeger(tonumber(message:match("\nToposort index: (%d+)")))
  return not position or facts.needed[position] ~= false
end

-- What a call raises of its own; true: what only values tell, which may be lost with a node that nobody needs.
local by_value = { IndexError = true, AssertionError = true, RuntimeError = true, ZeroDivisionError = true,
  ValueError = false, ShapeError = false }

-- The operation that an error is of.
local function faulty_op(message) return message:match("caused the error: ([%w_]+)") end

-- Whether float32 has its say in a node: by what it is made of, or by what new values of states are made of.
local function is_narrow(s, n)
  if n.narrow or n.kind ~= "shared" and s.flags[n.id] ~= "state" then return n.narrow end
  for _, m in ipairs(s.nodes) do
    if m.narrow then return true end
  end
  return false
end

local function compare_one(s, body, reference, index, b, facts)
  local key, a = reference[index][1], reference[index][2]
  if key:find(" raised$") then
    local why = differs(a, b)
    if not why or is_documented(a.plain) or is_documented(b.plain) or not counts(a.plain, facts) then return nil end
    -- of two faults in a call either may be found first
    if faulty_op(a.plain) ~= faulty_op(b.plain) and by_value[theano.error_kind(a.plain)] ~= nil
      and by_value[theano.error_kind(b.plain)] ~= nil then return nil end
    if raised_by_one(s, key, theano.error_kind(b.plain)) then return nil end
    return key .. ": " .. why
  end
  if key:find(" growth$") then
    if b.plain > 2000 and a.plain < 1000 then return ("%s: %d bytes more after more calls"):format(key, b.plain) end
    return nil
  end
  if key:find(" runs of ") then
    local recurses = body:find("t.f", 1, true) -- which updates leave open to it
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
  local tol = (is_narrow(s, n) and base.float32 or rough) * n.scale
  local function allow(k) -- values far above those met while the session grew have lost digits on the way
    local x = math.abs(list_of(a)[k])
    if x > 1e6 * n.scale then return math.huge end
    return x > 1e4 * n.scale and x * 1e-4 or tol * math.max(1, x)
  end
  local why, k = differs(a, b, allow)
  if not why then return nil end
  if k then
    local moved = conditions(body, { reference = reference }, index, #reference)
    if not moved then return nil end -- so ill conditioned that other things are said
    why = differs(a, b, function(i) return allow(i) + 100 * moved[i] end)
    if not why then return nil end
  end
  return key .. ": " .. why
end

local function exhausted(x)
  return x and type(x[2].plain) == "string" and theano.error_kind(x[2].plain) == "MemoryError"
end

local makes_lengths = { "nonzero", "unique", "T%.gt", "repeat_", "compress", "scan", "map", "arange", "Op", "as_op",
  "fold", "reduce", "slice", "%[" }

-- Whether only a call tells a length of a line: where nobody needs the line, nothing is compared with it.
local function late_length(line)
  return line:find("sum()", 1, true) or line:find("nonzero", 1, true) or line:find("unique", 1, true)
    or line:find("%[T%.gt") or line:find("theano.Op", 1, true) or line:find("as_op", 1, true)
end

-- Whether an error is lost with its node, as docs/differences.md says: with that node as one more result it is raised.
local function lost_with_its_node(s, body, key, message, way)
  local line = math.tointeger(tonumber(message:match("node is created: [^\n]*session:(%d+)")))
  local text, at = nil, 1 -- the chunk has a line more at its top
  for l in body:gmatch("[^\n]+") do
    at = at + 1
    if at == line then text = l end
  end
  local id = text and math.tointeger(tonumber(text:match("^  v%[(%d+)%]")))
  if not id or s.nodes[id].kind == "thing" or not way then return false end
  local allowed = by_value[theano.error_kind(message)] or is_documented(message)
  for _, words in ipairs(makes_lengths) do
    for d in pairs(s:needed({ id })) do allowed = allowed or s.nodes[d].line:find(words) end
  end
  if not allowed then return false end
  for d in pairs(s:needed(s.nodes[id].deps)) do
    if late_length(s.nodes[d].line) then return true end
  end
  local outputs = s.outputs
  s.outputs = table.move(outputs, 1, #outputs, 1, {})
  s.outputs[#outputs + 1] = id
  local found = false
  for _, x in ipairs(M.play(require("spec.fuzz.text").body(s), way) or {}) do found = found or x[1] == key end
  s.outputs = outputs
  return found
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

--- What differs between the notes of a way and the reference: nil, or a text. Too little memory is no difference.
function M.compare(s, body, reference, notes, facts, way)
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
      if other and other:find(" raised$") then
        if is_documented(b[2].plain) then return nil end
        return ("%s: %s; as written it does not"):format(other, b[2].plain)
      end
      if key and key:find(" raised$") and (not counts(a[2].plain, facts)
        or lost_with_its_node(s, body, key, a[2].plain, way)) then return nil end
      if key and key:find(" raised$") then return ("%s: does not raise; as written %s"):format(key, a[2].plain) end
      return ("says %s, as written %s"):format(tostring(other), tostring(key))
    else
      local why = compare_one(s, body, reference, i, b[2], facts)
      if why and not (wild and why:find("element", 1, true)) then return why end
      wild = wild or is_wild(s, key, a[2])
      i, j = i + 1, j + 1
    end
  end
end

--- The same bits everywhere: nil, or where not.
function M.same_bits(first, second)
  for i, a in ipairs(first) do
    local b = second[i]
    if not b or a[1] ~= b[1] then return ("says %s, expected %s"):format(b and b[1] or "nothing", a[1]) end
    local x, y = a[2], b[2]
    if not a[1]:find(" growth$") and not a[1]:find(" raised$") and (x.bytes ~= y.bytes or x.plain ~= y.plain
      and (x.plain == x.plain or y.plain == y.plain)) then
      return a[1] .. ": other bits"
    end
  end
end

return M
