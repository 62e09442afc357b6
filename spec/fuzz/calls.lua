--- What is done with a session's function: which results and updates it has, what is borrowed, and the calls.
-- @module spec.fuzz.calls
local session = require("spec.fuzz.session")

local M = {}

local function same_type(x, y)
  if x.dtype ~= y.dtype or #x.bcast ~= #y.bcast then return false end
  for d = 1, #x.bcast do
    if x.bcast[d] ~= y.bcast[d] then return false end
  end
  return true
end

local function float(n) return session.is_float(n.dtype) or session.is_complex(n.dtype) end

--- The product of the lengths that are not 0: where states keep it, they do not grow from call to call.
local function volume(n)
  local product = 1
  for _, length in ipairs(n.shape or {}) do product = product * math.max(1, length) end
  return product
end

local function steps(s, accept)
  local list = {}
  for _, n in ipairs(s.nodes) do
    if n.kind == "step" and (not accept or accept(n)) then list[#list + 1] = n end
  end
  return list
end

-- ---- results ------------------------------------------------------------------------------------------------------
local function choose_outputs(s, rng)
  local used, outs = {}, {}
  for _, n in ipairs(s.nodes) do
    for _, d in ipairs(s:variables(n.deps)) do used[d] = true end
  end
  for _, n in ipairs(s.nodes) do
    if n.kind == "step" and (n.wanted or not used[n.id] or rng:chance(0.12)) then outs[#outs + 1] = n.id
    elseif n.kind == "input" and n.wanted then outs[#outs + 1] = n.id end
  end
  while #outs > 7 do table.remove(outs, rng:int(1, #outs)) end
  s.outputs = outs
end

--- Gradients of a smooth step by float64 leaves: lines without a value while the session grows.
local function add_gradient(s, rng)
  local smooth = steps(s, function(n) return n.smooth and n.scale < 50 end)
  if #smooth == 0 or not rng:chance(0.5) then return end
  local best = rng:chance(0.6) and smooth[#smooth] or rng:pick(smooth)
  local needed = s:needed({ best.id })
  local leaves = {}
  for _, n in ipairs(s.nodes) do
    if needed[n.id] and n.dtype == "float64" and n.kind ~= "step" and n.kind ~= "thing" then leaves[#leaves + 1] = n end
  end
  if #leaves == 0 then return end
  local x = rng:pick(leaves)
  local cost = rng:pick({ "T.sum(T.sin(v[%d]))", "T.sum(v[%d])", "T.sum(T.sqr(v[%d]) * 0.1)", "T.mean(v[%d] * 0.5)" })
  local line = ('theano.grad(%s, v[%d], { disconnected_inputs = "ignore" })'):format(cost:format(best.id), x.id)
  local bcast, kind = x.bcast, rng:int(1, 12)
  if kind <= 2 then
    line, bcast = ("T.sum(%s)"):format(line), {}
  elseif kind == 3 then -- twice
    line = ('theano.grad(T.sum(T.sqr(%s)), v[%d], { disconnected_inputs = "ignore" })'):format(line, x.id)
  elseif kind == 4 then
    line, bcast = ("T.Rop(v[%d], v[%d], v[%d])"):format(best.id, x.id, x.id), best.bcast
  elseif kind == 5 then
    line = ('T.Lop(v[%d], v[%d], T.ones_like(v[%d]), { disconnected_inputs = "ignore" })'):format(best.id, x.id,
      best.id)
  end
  local g = { id = #s.nodes + 1, kind = "grad", line = line, deps = { best.id, x.id }, dtype = "float64",
    bcast = bcast, scale = best.scale * 100, narrow = best.narrow, by = x.id }
  s.nodes[g.id] = g
  s.outputs[#s.outputs + 1] = g.id
end

local function add_updates(s, rng)
  for _, n in ipairs(s.nodes) do
    if n.kind == "shared" then
      local fits = {}
      for _, m in ipairs(s.nodes) do
        local fits_in = m.kind == "grad" or volume(m) == volume(n)
        if m.id ~= n.id and m.kind ~= "thing" and same_type(n, m) and fits_in then fits[#fits + 1] = m end
      end
      local m = #fits > 0 and rng:pick(fits)
      if m then
        s.updates[#s.updates + 1] = { n.id, m.id, default = rng:chance(0.3), step = m.kind == "grad" }
      end
    end
  end
end

--- Steps that are given instead of computed: inputs in the middle of the graph, or replaced by another variable.
local function choose_cuts(s, rng)
  s.givens = {}
  local list = steps(s, function(n) return n.exact and not session.is_complex(n.dtype) and n.size < 60 end)
  if #list == 0 or not rng:chance(0.12) then return end
  local n = rng:pick(list)
  if rng:chance(0.5) then
    n.dims, n.range = n.shape, { n.lo, n.hi }
    local data = {}
    for i, x in ipairs(n.list) do data[i] = x if n.dtype == "bool" then data[i] = x ~= 0 end end
    n.text = session.array_text(n.dtype, n.shape, data)
    s.inputs[#s.inputs + 1] = n.id
  else
    local fits = {}
    for _, m in ipairs(s.nodes) do
      if m.value and m.exact and m.id < n.id and same_type(n, m) then fits[#fits + 1] = m end
    end
    if #fits > 0 then s.givens[1] = { n.id, rng:pick(fits).id } end
  end
end

local function choose_flags(s, rng)
  s.flags, s.out_flags = {}, {}
  for _, id in ipairs(s.inputs) do
    local n = s.nodes[id]
    local p = rng:real(0, 1)
    if p < 0.15 then s.flags[id] = "borrow"
    elseif p < 0.27 then s.flags[id] = "mutable"
    elseif p < 0.35 then
      local fits = steps(s, function(m) return same_type(n, m) and volume(m) == volume(n) and (m.exact
        or not float(n)) end)
      if #fits > 0 then s.flags[id], s.flags[-id] = "state", rng:pick(fits).id end
    end
  end
  for _, id in ipairs(s.outputs) do
    s.out_flags[id] = rng:chance(0.25) and "borrow" or rng:chance(0.3) and "array" or nil
  end
end

-- ---- arguments ----------------------------------------------------------------------------------------------------
--- The text of an argument for a leaf under an assignment of lengths.
local function argument(s, rng, n, lengths, off)
  local shape = {}
  for d = 1, #n.dims do
    local k = n.dims[d]
    shape[d] = type(k) == "string" and lengths[k] or k
  end
  if off then shape[off[1]] = off[2] end
  local data = s:data(n.dtype, shape, n.range[1], n.range[2])
  local layout = #shape > 0 and rng:chance(0.25) and rng:pick({ "f", "strided", "reversed" }) or "c"
  return session.array_text(n.dtype, shape, data, layout), shape
end

local function arguments(s, rng, lengths)
  local args = {}
  for _, id in ipairs(s.inputs) do args[id] = (argument(s, rng, s.nodes[id], lengths)) end
  return args
end

local function first_arguments(s)
  local args = {}
  for _, id in ipairs(s.inputs) do args[id] = s.nodes[id].text end
  return args
end

--- Other lengths for the names: longer, shorter, one, none.
local function other_lengths(s, rng)
  local lengths = {}
  for _, name in ipairs(s.order) do
    local now = s.symbols[name]
    local p = rng:real(0, 1)
    lengths[name] = p < 0.35 and now or p < 0.75 and now + rng:int(1, 6) or p < 0.85 and math.max(1, now - 1)
      or p < 0.93 and 1 or 0
  end
  return lengths
end

--- Two inputs of one type, the second not a state.
local function pair(s, rng)
  local pairs_of = {}
  for i, x in ipairs(s.inputs) do
    for j, y in ipairs(s.inputs) do
      if i ~= j and same_type(s.nodes[x], s.nodes[y]) then pairs_of[#pairs_of + 1] = { x, y } end
    end
  end
  return #pairs_of > 0 and rng:pick(pairs_of) or nil
end

-- ---- events -------------------------------------------------------------------------------------------------------
local makers = {}

function makers.again(s, rng) return { kind = "call", args = arguments(s, rng, s.symbols) } end
function makers.longer(s, rng) return { kind = "call", args = arguments(s, rng, other_lengths(s, rng)) } end

function makers.misfit(s, rng)
  local with = {}
  for _, id in ipairs(s.inputs) do
    if #s.nodes[id].dims > 0 then with[#with + 1] = id end
  end
  if #with == 0 then return nil end
  local args, id = arguments(s, rng, s.symbols), rng:pick(with)
  local n = s.nodes[id]
  local d = rng:int(1, #n.dims)
  local now = n.shape[d]
  args[id] = argument(s, rng, n, s.symbols, { d, math.max(0, rng:pick({ now + 1, now - 1, 1, 0, now + 3 })) })
  return { kind = "call", args = args, misfit = true }
end

local function mutable(s, two) return s.flags[two[1]] == "mutable" or s.flags[two[2]] == "mutable" end

function makers.one_for_two(s, rng)
  local two = pair(s, rng)
  if not two then return nil end
  local args = arguments(s, rng, s.symbols)
  return { kind = "call", args = args, loose = { [two[1]] = mutable(s, two), [two[2]] = mutable(s, two) },
    before = ("local one = %s"):format(args[two[1]]),
    replace = { [two[1]] = "one", [two[2]] = "one" } }
end

function makers.overlapping(s, rng)
  local two = pair(s, rng)
  if not two or #s.nodes[two[1]].shape == 0 then return nil end
  local n = s.nodes[two[1]]
  if n.bcast[1] then return nil end
  local args = arguments(s, rng, s.symbols)
  local wide = argument(s, rng, n, s.symbols, { 1, n.shape[1] + 1 })
  return { kind = "call", args = args, loose = { [two[1]] = mutable(s, two), [two[2]] = mutable(s, two) },
    before = ("local wide = %s"):format(wide),
    replace = { [two[1]] = 'wide["1:"]', [two[2]] = 'wide[":-1"]' } }
end

function makers.shared_as_argument(s, rng)
  local changes = {}
  for _, u in ipairs(s.updates) do changes[u[1]] = true end
  for _, id in ipairs(s.inputs) do
    for _, n in ipairs(s.nodes) do
      -- operations with discrete answers take known values only
      if n.kind == "shared" and not (float(n) and changes[n.id]) and same_type(n, s.nodes[id]) and rng:chance(0.7) then
        return { kind = "call", args = arguments(s, rng, s.symbols), loose = { [id] = true },
          replace = { [id] = ("v[%d]:get_value({ borrow = true })"):format(n.id) } }
      end
    end
  end
end

function makers.result_as_argument(s, rng)
  for i, out in ipairs(s.outputs) do
    for _, id in ipairs(s.inputs) do
      if s.nodes[out].exact and same_type(s.nodes[out], s.nodes[id]) and s.flags[id] ~= "mutable"
        and rng:chance(0.7) then
        return { kind = "call", args = arguments(s, rng, s.symbols), loose = { [id] = true }, needs = out,
          before = ("local r = (t.last or {})[%d]"):format(i),
          replace = { [id] = ("r == nil and %s or r"):format(s.nodes[id].text) }, at = i }
      end
    end
  end
end

local function a_shared(s, rng)
  local list = {}
  for _, n in ipairs(s.nodes) do
    if n.kind == "shared" then list[#list + 1] = n end
  end
  return #list > 0 and rng:pick(list) or nil
end

function makers.set_value(s, rng)
  local n = a_shared(s, rng)
  if not n then return nil end
  local text = argument(s, rng, n, rng:chance(0.5) and s.symbols or other_lengths(s, rng))
  return { kind = "do", text = ("v[%d]:set_value(%s, { borrow = %s })"):format(n.id, text, tostring(rng:chance(0.5))),
    nodes = { n.id } }
end

function makers.alias(s, rng)
  local n, m = a_shared(s, rng), a_shared(s, rng)
  if not n or not same_type(n, m) then return nil end
  return { kind = "do", nodes = { n.id, m.id },
    text = ("v[%d]:set_value(v[%d]:get_value({ borrow = true }), { borrow = true })"):format(n.id, m.id) }
end

function makers.write_shared(s, rng)
  local n = a_shared(s, rng)
  if not n then return nil end
  return { kind = "do", nodes = { n.id }, text = ('v[%d]:get_value({ borrow = true })["..."] = 1'):format(n.id) }
end

function makers.zero(s, rng)
  local n = a_shared(s, rng)
  return n and { kind = "do", nodes = { n.id }, text = ("v[%d]:zero({ borrow = true })"):format(n.id) }
end

function makers.free() return { kind = "do", text = "f:free()" } end
function makers.collect() return { kind = "do", text = "collectgarbage()" } end
function makers.trust() return { kind = "do", text = "f.trust_input = true" } end
function makers.bind(s, rng) return { kind = "bind", args = first_arguments(s) } end
function makers.copy(s, rng)
  return { kind = "copy", args = arguments(s, rng, s.symbols), options = rng:pick({ "", "{ delete_updates = true }" }) }
end
function makers.swap(s, rng)
  local n = a_shared(s, rng)
  if not n then return nil end
  return { kind = "copy", args = arguments(s, rng, s.symbols), nodes = { n.id },
    options = ("{ swap = { [v[%d]] = theano.shared(%s, { broadcastable = %s }) } }"):format(n.id, n.text,
      session.pattern_text(n.bcast)) }
end
function makers.subset(s, rng) return { kind = "subset", args = arguments(s, rng, s.symbols), at = rng:int(1, 3) } end
function makers.many(s, rng) return { kind = "many", args = arguments(s, rng, s.symbols), times = rng:pick({ 3, 10,
  30 }) } end

local deck = {}
for name, n in pairs({ again = 8, longer = 14, misfit = 14, one_for_two = 5, overlapping = 4, shared_as_argument = 4,
  result_as_argument = 5, set_value = 5, alias = 3, write_shared = 2, zero = 1, free = 3, collect = 2, trust = 1,
    bind = 4,
  copy = 3, swap = 3, subset = 2, many = 3 }) do
  for _ = 1, n do deck[#deck + 1] = name end
end
table.sort(deck)

--- Completes a session: results, updates, flags, and a few calls.
function M.complete(s)
  local rng = s.rng
  choose_outputs(s, rng)
  add_gradient(s, rng)
  add_updates(s, rng)
  choose_cuts(s, rng)
  choose_flags(s, rng)
  s.events[1] = { kind = "call", args = first_arguments(s), name = "first" }
  local wanted = rng:int(2, 5)
  for _ = 1, wanted do
    local name = rng:pick(deck)
    local e = makers[name](s, rng)
    if e then
      e.name = name
      s.events[#s.events + 1] = e
    end
  end
end

return M
