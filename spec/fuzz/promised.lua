--- Differences that docs/differences.md promises, which a comparison lets pass: what is lost with computations that
-- nobody needs, and of two faults either. Each is tried out on the session as far as it can be, so that what only
-- looks like one is still found.
-- @module spec.fuzz.promised
local theano = require("theano")
local session = require("spec.fuzz.session")
local text = require("spec.fuzz.text")

local M = {}

-- ---- what the value of a result needs -----------------------------------------------------------------------------
--- The nodes of a function whose values count: by position in the toposort, and by text. Asking for a shape computes
-- no value (and raises nothing of what computing would raise): as written the others run all the same.
function M.needed_by_value(f)
  local graph = f.maker.fgraph
  local found, todo, needed = {}, {}, {}
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
  for i, a in ipairs(graph:toposort()) do
    needed[i - 1] = found[a] or false
    needed[tostring(a)] = needed[tostring(a)] or found[a] or false
  end
  return needed
end

-- The same of a body whose branches lie open: each ifelse computes both.
local function needed_in_branches(body, play)
  local function both(condition, yes, no)
    if type(yes) ~= "table" then return theano.tensor.switch(condition, yes, no) end
    local list = {}
    for i, x in ipairs(yes) do list[i] = theano.tensor.switch(condition, x, no[i]) end
    return list
  end
  local needed
  pcall(function()
    local open = play.load(body, { theano = setmetatable({ ifelse = both }, { __index = theano }) })
    open(play.ways.none.mode, function(_, _, f)
      needed = M.needed_by_value(f)
      error("made", 0) -- nothing is called
    end)
  end)
  return needed or {}
end

-- Whether an error as written comes from a node whose value counts.
local function counts(c, message)
  if message:find("\nInside ", 1, true) then
    c.open = c.open or needed_in_branches(c.body, c.play)
    return c.open[message:match("\nApply node that caused the error: ([^\n]*)")] ~= false
  end
  local position = math.tointeger(tonumber(message:match("\nToposort index: (%d+)")))
  return not position or c.facts.needed[position] ~= false
end

-- ---- errors -------------------------------------------------------------------------------------------------------
-- Words of the message of a way that raises where the graph as written does not, or raises something else.
local documented = { "rows but %d+ class numbers", "y_i value out of bounds",
  "could not be broadcast together" } -- IndexError of positions; lengths known to be equal are asked of others, too

function M.is_documented(message)
  for _, words in ipairs(documented) do
    if message:find(words) then return true end
  end
  return false
end

-- What a call raises of its own; true: what only values tell, which may be lost with a node that nobody needs.
local by_value = { IndexError = true, AssertionError = true, RuntimeError = true, ZeroDivisionError = true,
  ValueError = false, ShapeError = false }

-- The operation that an error is of.
local function faulty_op(message) return message:match("caused the error: ([%w_]+)") end

-- Plays a session with other results and updates than its own.
local function play_with(c, outputs, updates, flags, way)
  local s = c.session
  local kept = { s.outputs, s.updates, s.flags }
  s.outputs, s.updates, s.flags = outputs, updates, flags
  local notes = c.play.play(text.body(s), way)
  s.outputs, s.updates, s.flags = kept[1], kept[2], kept[3]
  return notes or {}
end

local function with_output(c, output, way)
  local outputs = table.move(c.session.outputs, 1, #c.session.outputs, 1, {})
  outputs[#outputs + 1] = output
  return play_with(c, outputs, c.session.updates, c.session.flags, way)
end

local function note_of(notes, key)
  for _, x in ipairs(notes) do
    if x[1] == key then return x[2] end
  end
end

--- Whether an error of this kind comes from any node of the session by itself: of two errors in one call the first
-- one is raised, and which one is first is nobody's promise.
local function raised_by_one(c, key, kind)
  local s = c.session
  for id in pairs(s:needed(text.wanted(s))) do
    local n = s.nodes[id]
    if n.kind == "step" or n.kind == "grad" then
      local raised = note_of(play_with(c, { id }, {}, {}, c.play.ways.none), key)
      if raised and theano.error_kind(raised.plain) == kind then return true end
    end
  end
  return false
end

--- Whether a call may raise b where as written it raises a.
function M.either(c, key, a, b)
  if M.is_documented(a) or M.is_documented(b) or not counts(c, a) then return true end
  -- of two faults in a call either may be found first
  if faulty_op(a) ~= faulty_op(b) and by_value[theano.error_kind(a)] ~= nil
    and by_value[theano.error_kind(b)] ~= nil then return true end
  return raised_by_one(c, key, theano.error_kind(b))
end

-- ---- what is lost with what nobody needs --------------------------------------------------------------------------
local makes_lengths = { "nonzero", "unique", "T%.gt", "repeat_", "compress", "scan", "map", "arange", "Op", "as_op",
  "fold", "reduce", "slice", "%[" }

-- Whether only a call tells a length of a line: where nobody needs the line, nothing is compared with it.
local function late_length(line)
  return line:find("sum()", 1, true) or line:find("nonzero", 1, true) or line:find("unique", 1, true)
    or line:find("%[T%.gt") or line:find("theano.Op", 1, true) or line:find("as_op", 1, true)
end

-- The node that a line of the body makes, of "session:12" behind some words of a message.
local function made_by(c, message, words)
  local line = math.tointeger(tonumber(message:match(words .. "[^\n]*session:(%d+)")))
  local found, at = nil, 1 -- the chunk has a line more at its top
  for l in c.body:gmatch("[^\n]+") do
    at = at + 1
    if at == line then found = l end
  end
  local id = found and math.tointeger(tonumber(found:match("^  v%[(%d+)%]")))
  return id and c.session.nodes[id].kind ~= "thing" and id or nil
end

-- Tools that know `t.also(list, v, name)`: the list, and what v is made of by operations of that name.
local function searching(say)
  local t = session.tools(say)
  function t.also(list, v, name)
    local seen, todo = {}, { v }
    while #todo > 0 do
      local a = table.remove(todo).owner
      if a and not seen[a] then
        seen[a] = true
        for _, x in ipairs(a.inputs) do todo[#todo + 1] = x end
        if a.op.name == name then table.move(a.outputs, 1, #a.outputs, #list + 1, list) end
      end
    end
    return list
  end
  return t
end

-- Plays a session with what node `id` is made of by the operation of a message as more results.
local function with_parts(c, id, message, way)
  local op = message:match("\nApply node that caused the error: ([^%(]*)")
  local body = c.body:gsub("outputs = (%b{}),\n", function(list)
    return ("outputs = t.also(%s, v[%d], %q),\n"):format(list, id, op or "")
  end)
  return c.play.play(body, way, { tools = searching }) or {}
end

-- Whether a call raises where node `id` is a result, too.
local function raised_with(c, key, id, way)
  if note_of(with_output(c, id, way), key) then return true end
  if not key:find("subset", 1, true) then return false end
  local all = {} -- only some results are asked for: each of them is that node then
  for i = 1, #c.session.outputs do all[i] = id end
  return note_of(play_with(c, all, c.session.updates, c.session.flags, way), key) ~= nil
end

-- Whether an error is lost with its node: with that node as one more result it is raised. Where some elements of a
-- node are read and others are not, the node is a part of a line.
local function lost_with_its_node(c, key, message, way)
  local s = c.session
  local id = made_by(c, message, "node is created: ")
  if not id or not way then return false end
  local allowed = by_value[theano.error_kind(message)] or M.is_documented(message)
  for _, words in ipairs(makes_lengths) do
    for d in pairs(s:needed({ id })) do allowed = allowed or s.nodes[d].line:find(words) end
  end
  if not allowed then return false end
  for d in pairs(s:needed(s.nodes[id].deps)) do
    if late_length(s.nodes[d].line) then return true end
  end
  if raised_with(c, key, id, way) then return true end
  for d in pairs(by_value[theano.error_kind(message)] and s:needed({ id }) or {}) do -- computed in one kernel with it
    if s.nodes[d].kind == "step" and raised_with(c, key, d, way) then return true end
  end
  return by_value[theano.error_kind(message)] and note_of(with_parts(c, id, message, way), key) ~= nil
end

-- Whether an index failed before the first turn of a loop that has none: rewriting may have taken it out of the loop.
local function in_no_turn(c, key, message, way)
  if theano.error_kind(message) ~= "IndexError" or not message:find("\nInputs shapes: [^\n]*%(0,") then return false end
  local id = made_by(c, message, "\nBefore the first step of ")
  if not id or not way then return false end
  local loop = note_of(with_output(c, id, way), key:gsub("raised$", "v" .. id))
  return loop ~= nil and loop.shape ~= nil and loop.shape[1] == 0
end

--- Whether a way need not raise what is raised as written.
function M.lost(c, key, message, way)
  return not counts(c, message) or in_no_turn(c, key, message, way) or lost_with_its_node(c, key, message, way)
end

return M
