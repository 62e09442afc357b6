--- One session in several ways: what is wrong with it, and the smallest session found with the same fault.
-- @module spec.fuzz.check
local session = require("spec.fuzz.session")
local registry = require("spec.fuzz.registry")
local calls = require("spec.fuzz.calls")
local text = require("spec.fuzz.text")
local play = require("spec.fuzz.play")

local M = {}

--- A session from a seed.
function M.session(seed)
  local s = session.new(seed)
  local rng = s.rng
  s.grid, s.smooth_only = rng:chance(0.6), rng:chance(0.3)
  for _ = 1, rng:int(1, 3) do
    s:new_leaf(rng:pick({ "float64", "float64", "float64", "float32", "int64", "int8", "uint8", "bool",
      "int16", "int32", "uint16", "uint32", "uint64" }), -2, 2)
  end
  local wanted, steps, tries = rng:int(2, 9), 0, 0
  while steps < wanted and tries < wanted * 6 do
    tries = tries + 1
    local family = registry.choose(rng)
    local made, name = family.make(s, rng)
    if made then
      steps = steps + 1
      s.used[#s.used + 1] = name or family.name
    end
  end
  calls.complete(s)
  return s
end

local kinds = { "does not raise", "as written it does not", "raised", "runs", "growth", "argument", "after", "later",
  "dtype", "shape", "element", "other bits", "nodes" }

--- The class of a fault: the way and what kind of thing differs.
local function class(way, why)
  for _, k in ipairs(kinds) do
    if why:find(k, 1, true) then return way .. " " .. k end
  end
  return way .. " else"
end

--- nil, or way, message: the first fault in these ways.
function M.fault(s, ways)
  local body = text.body(s)
  if M.before then M.before(s, "none") end
  local reference, facts = play.play(body, play.ways.none)
  if not reference then return "refused", facts end
  local bits
  for _, name in ipairs(ways) do
    local way = play.ways[name]
    if M.before then M.before(s, name) end
    local notes, more = play.play(body, way)
    if not notes then return name, "compile raised: " .. more end
    local why = play.compare(s, body, reference, notes, facts, way)
    if not why and more.nodes > 8 * facts.nodes + 60 then
      why = ("nodes: %d, as written %d"):format(more.nodes, facts.nodes)
    end
    if not why and (way.c or way.optimized) and not way.sums then
      if bits then why = play.same_bits(bits, notes) end
      bits = bits or notes
    end
    if why then return name, why end
  end
end

--- The same, without what does not compile as written: gradients that are not defined, updates that do not fit.
function M.try(s, ways)
  local way, why = M.fault(s, ways)
  if way == "refused" and #s.outputs > 0 then
    local kept = {}
    for _, id in ipairs(s.outputs) do
      if s.nodes[id].kind ~= "grad" then kept[#kept + 1] = id end
    end
    s.outputs, s.updates = kept, {}
    way, why = M.fault(s, ways)
  end
  return way, why
end

-- ---- smaller ------------------------------------------------------------------------------------------------------
local function drop(list, least, holds)
  for k = #list, 1, -1 do
    if #list > least then
      local gone = table.remove(list, k)
      if not holds() then table.insert(list, k, gone) end
    end
  end
end

--- Turns steps into inputs that hold their values.
local function cut(s, holds)
  for k = #s.nodes, 1, -1 do
    local n = s.nodes[k]
    if n.kind == "step" and not session.is_complex(n.dtype) then
      local kind, line, deps = n.kind, n.line, n.deps
      local data = {}
      for i, x in ipairs(n.list) do data[i] = x if n.dtype == "bool" then data[i] = x ~= 0 end end
      n.kind, n.deps = "input", {}
      n.line = ('T.TensorType("%s", %s)("v%d")'):format(n.dtype, session.pattern_text(n.bcast), n.id)
      n.text = session.array_text(n.dtype, n.shape, data)
      s.inputs[#s.inputs + 1] = n.id
      if not holds() then
        n.kind, n.line, n.deps, n.text = kind, line, deps, nil
        table.remove(s.inputs)
      end
    end
  end
end

local function forget(t, holds)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys)
  for _, k in ipairs(keys) do
    local was = t[k]
    t[k] = nil
    if not holds() then t[k] = was end
  end
end

--- Makes the session smaller as long as it has a fault of the same class.
function M.shrink(s, way, why)
  local wanted = class(way, why)
  local ways = { way }
  if why:find("other bits", 1, true) then ways = { way == "threads" and "c" or "fast", way } end
  local start = os.clock()
  local function holds()
    if os.clock() - start > (M.patience or 20) then return false end
    local ok, w, y = pcall(M.fault, s, ways)
    return ok and w == way and class(w, y) == wanted
  end
  if not holds() then return why end
  for _ = 1, 2 do
    drop(s.events, 1, holds)
    drop(s.updates, 0, holds)
    drop(s.givens, 0, holds)
    drop(s.outputs, 0, holds)
    forget(s.flags, holds)
    forget(s.out_flags, holds)
    cut(s, holds)
  end
  local _, last = M.fault(s, ways)
  return last or why
end

--- The program of a fault, with what is wrong.
function M.report(s, way, why)
  local rest = {}
  for line in why:gmatch("[^\n]+") do rest[#rest + 1] = "-- " .. line if #rest > 6 then break end end
  return ("-- seed %d, %s\n%s\n%s"):format(s.seed, way, table.concat(rest, "\n"), text.program(s, play.ways[way] or
    play.ways.fast))
end

return M
