--- The text of a session: `play(mode, say)` builds the graph, compiles it and does what is to be done with it.
-- @module spec.fuzz.text
local session = require("spec.fuzz.session")

local M = {}

--- All nodes that some nodes are made of.
function session.Session:needed(ids)
  local need, todo = {}, { table.unpack(ids) }
  while #todo > 0 do
    local k = table.remove(todo)
    if not need[k] then
      need[k] = true
      for _, d in ipairs(self.nodes[k].deps) do todo[#todo + 1] = d end
    end
  end
  return need
end

--- What the function is made of: its results, updates, and what the calls speak of.
function M.wanted(s)
  local ids = { table.unpack(s.outputs) }
  for _, u in ipairs(s.updates) do
    ids[#ids + 1] = u[1]
    ids[#ids + 1] = u[2]
  end
  for _, id in ipairs(s.inputs) do
    if s.flags[id] == "state" then
      ids[#ids + 1] = id
      ids[#ids + 1] = s.flags[-id]
    end
  end
  for _, e in ipairs(s.events) do
    for _, id in ipairs(e.nodes or {}) do ids[#ids + 1] = id end
  end
  for _, g in ipairs(s.givens) do
    ids[#ids + 1] = g[1]
    ids[#ids + 1] = g[2]
  end
  return ids
end

--- The inputs that count, those with a state of their own last.
local function inputs_of(s, need)
  local plain, states = {}, {}
  for _, id in ipairs(s.inputs) do
    if need[id] then table.insert(s.flags[id] == "state" and states or plain, id) end
  end
  return plain, states
end

local function compile_lines(s, plain, states)
  local ins, outs, ups, names = {}, {}, {}, {}
  for _, id in ipairs(plain) do
    local flag = s.flags[id]
    ins[#ins + 1] = flag and ("theano.In(v[%d], { %s = true })"):format(id, flag) or ("v[%d]"):format(id)
  end
  for _, id in ipairs(states) do
    ins[#ins + 1] = ("theano.In(v[%d], { value = %s, update = v[%d] })"):format(id, s.nodes[id].text, s.flags[-id])
  end
  for i, id in ipairs(s.outputs) do
    local flag = s.out_flags[id]
    outs[i] = flag and ("theano.Out(v[%d], { %s = true })"):format(id, flag) or ("v[%d]"):format(id)
    names[i] = tostring(id)
  end
  local lines = {}
  for _, u in ipairs(s.updates) do
    local value = u.step and ("v[%d] - 0.1 * v[%d]"):format(u[1], u[2]) or ("v[%d]"):format(u[2])
    if u.default then lines[#lines + 1] = ("v[%d].default_update = %s"):format(u[1], value)
    else ups[#ups + 1] = ("{ v[%d], %s }"):format(u[1], value) end
  end
  lines[#lines + 1] = ("local f = theano.compile { inputs = { %s }, outputs = { %s },"):format(
    table.concat(ins, ", "), table.concat(outs, ", "))
  local given = {}
  for i, g in ipairs(s.givens) do given[i] = ("{ v[%d], v[%d] }"):format(g[1], g[2]) end
  lines[#lines + 1] = ('  updates = { %s }, mode = mode, on_unused_input = "ignore"%s }'):format(table.concat(ups,
    ", "),
    #given > 0 and (", givens = { %s }"):format(table.concat(given, ", ")) or "")
  lines[#lines + 1] = "t.made(f)"
  lines[#lines + 1] = ("local names = { %s }"):format(table.concat(names, ", "))
  for _, id in ipairs(states) do
    lines[#lines + 1] = ('t.shareds[#t.shareds + 1] = { "v%d", function() return f[v[%d]] end, '
      .. 'function(x) f[v[%d]] = x end }'):format(id, id, id)
  end
  return lines
end

local function argument_list(s, e, plain)
  local words, loose = {}, {}
  for i, id in ipairs(plain) do
    words[i] = e.replace and e.replace[id] or e.args[id] or s.nodes[id].text
    if s.flags[id] == "mutable" or (e.loose and e.loose[id]) then loose[#loose + 1] = ("[%d] = true"):format(i) end
  end
  return table.concat(words, ", "), table.concat(loose, ", ")
end

--- The same list before more entries.
local function listed(args) return args ~= "" and args .. ", " or "" end

local renders = {}

-- Whether a call moves a stream of random numbers on.
local function draws(s)
  local need = s:needed(M.wanted(s))
  for _, n in ipairs(s.nodes) do
    if need[n.id] and n.line:find("theano.random.", 1, true) then return true end
  end
end

local function call_options(s, loose, moves)
  local keep = {}
  for i, id in ipairs(s.outputs) do keep[i] = tostring(s.out_flags[id] ~= "borrow") end
  return ("{ keep = { %s }%s%s }"):format(table.concat(keep, ", "), loose ~= "" and (", mutable = { %s }"):format(loose)
    or "", moves and ", draws = true" or "")
end

function renders.call(s, e, key, plain)
  local args, loose = argument_list(s, e, plain)
  return ('%st.call("%s", f, { %sn = %d }, names, %s)'):format(e.before and e.before .. " " or "", key, listed(args),
    #plain,
    call_options(s, loose))
end
renders["do"] = function(_, e) return e.text end
function renders.bind(s, e, key, plain)
  local args, loose = argument_list(s, e, plain)
  local again = loose == "" and (' t.call("%s again", b, {}, names)'):format(key) or "" -- else they are overwritten
  return ('local b = f:bind(%s) t.call("%s", b, {}, names)%s'):format(args, key, again)
end
function renders.copy(s, e, key, plain)
  local args, loose = argument_list(s, e, plain)
  return ('local g = f:copy(%s) t.call("%s", g, { %sn = %d }, names, %s)'):format(e.options, key, listed(args), #plain,
    call_options(s, loose))
end
function renders.subset(s, e, key, plain)
  local args = argument_list(s, e, plain)
  local at = (e.at - 1) % math.max(1, #s.outputs) + 1
  return ('t.call("%s", function() return f(%s{ output_subset = { %s } }) end, {}, { names[%d] })'):format(key,
    listed(args),
    #s.outputs > 0 and at or "", at)
end
function renders.many(s, e, key, plain)
  local args, loose = argument_list(s, e, plain)
  return ('t.many("%s", f, function() return { %sn = %d } end, names, %d, %s)'):format(key, listed(args), #plain,
    e.times,
    call_options(s, loose, draws(s)))
end

--- The body: `local function play(mode, say) .. end`.
function M.body(s)
  local need = s:needed(M.wanted(s))
  local plain, states = inputs_of(s, need)
  local lines = { "local function play(mode, say)", "  local t, v = tools(say), {}" }
  local function add(text) lines[#lines + 1] = "  " .. text end
  for _, n in ipairs(s.nodes) do
    if need[n.id] then
      add(("v[%d] = %s"):format(n.id, n.line))
      if n.kind == "shared" then
        add(('t.shareds[#t.shareds + 1] = { "v%d", function() return v[%d]:get_value() end, '
          .. 'function(x) v[%d]:set_value(x) end }'):format(n.id, n.id, n.id))
      end
    end
  end
  for _, line in ipairs(compile_lines(s, plain, states)) do add(line) end
  for i, e in ipairs(s.events) do
    local ok = not e.needs or s.outputs[e.at] == e.needs
    if ok then
      add(('t.event("%d %s", function() %s end)'):format(i, e.name, renders[e.kind](s, e, ("%d %s"):format(i, e.name),
        plain)))
    end
  end
  add("t.finish()")
  lines[#lines + 1] = "end"
  return table.concat(lines, "\n")
end

--- A program that runs alone: the session in mode None and in another.
function M.program(s, way)
  local text = { session.prelude, M.body(s), "", "local function say(name, value) print(name, value) end" }
  for _, line in ipairs(way.flags or {}) do text[#text + 1] = line end
  text[#text + 1] = 'print("-- None") play(theano.compile.Mode({ linker = "interpreter", optimizer = "None" }), say)'
  text[#text + 1] = ('print("-- %s") play(%s, say)'):format(way.name, way.text)
  return table.concat(text, "\n") .. "\n"
end

return M
