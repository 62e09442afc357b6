--- Pictures of graphs through Graphviz's dot: pydotprint, as Theano draws them.
-- @module theano.pictures
local core = require("theano.core")
local util = require("theano.util")

local M = {}

-- By what an operation's name contains; the last that fits counts.
local COLORS = {
  { "GpuFromHost", "red" }, { "HostFromGpu", "red" }, { "Scan", "yellow" }, { "Shape", "brown" },
  { "IfElse", "magenta" }, { "Elemwise", "#FFAABB" }, { "Subtensor", "#FFAAFF" }, { "Alloc", "#FFAA22" },
  { "Output", "blue" },
}

local FORMATS = { "svg", "png", "pdf", "ps", "eps", "jpg", "gif", "dot" }

-- ---- running dot ----------------------------------------------------------------------------------------------------
-- Text for dot's quoted strings.
local function quoted(s) return '"' .. s:gsub('[\\"]', "\\%0"):gsub("\n", "\\n") .. '"' end

-- What dot makes of a text, in a file. No shell: names may hold anything.
local function run_dot(text, format, outfile)
  util.write_made(outfile, text, function(from, to) core.graphviz(format, from, to) end)
end

-- ---- what is drawn --------------------------------------------------------------------------------------------------
local Picture = {}
Picture.__index = Picture

local function cut(text, most) return #text > most and text:sub(1, most - 3) .. "..." or text end

local function attributes(list)
  local out = {}
  for i = 1, #list, 2 do
    if list[i + 1] then out[#out + 1] = list[i] .. "=" .. quoted(tostring(list[i + 1])) end
  end
  return "[" .. table.concat(out, ", ") .. "]"
end

local function add(p, text) p.lines[#p.lines + 1] = "  " .. text .. ";" end

local function filled(p, color) return p.o.high_contrast and "fillcolor" or "color", color end

function Picture.id(p, thing)
  if not p.ids[thing] then
    p.n = p.n + 1
    p.ids[thing] = "n" .. p.n
  end
  return p.ids[thing]
end

-- A variable's text, as Theano has it.
function Picture.var_text(p, v)
  if p.var_texts[v] then return p.var_texts[v] end
  local text
  local input = p.update_of[v]
  if v.name then
    text = p.o.var_with_name_simple and v.name or ("name=%s %s"):format(v.name, tostring(v.type))
  elseif core.kind(v) == "constant" then
    text = ("val=%s %s"):format((tostring(v.data):match("^[^\n]*")), tostring(v.type))
  elseif input and input.name then
    text = p.o.var_with_name_simple and input.name or input.name .. tostring(v.type)
  else
    text = tostring(v.type)
  end
  text = cut(text, p.o.max_label_size)
  p.var_texts[v], p.used[text] = text, true
  return text
end

function Picture.apply_text(p, node, index)
  if p.apply_texts[node] then return p.apply_texts[node] end
  local most = p.o.max_label_size
  local text = tostring(node.op):gsub(":", "_")
  if p.time then
    local time = p.time[node] or 0.0
    text = util.format("%s   (%.3fs,%.3f%%)", text, time, p.all > 0 and 100 * time / p.all or 0.0)
  end
  if p.used[text] or p.o.with_ids then
    local behind = " id=" .. index
    text = #text + #behind > most and text:sub(1, most - 3 - #behind) .. behind .. "..." or text .. behind
  elseif #text > most then
    text = cut(text, most)
    local n, whole = 1, text
    while p.used[text] do
      n = n + 1
      local behind = " id=" .. n
      text = whole:sub(1, most - 3 - #behind) .. "..." .. behind
    end
  end
  p.apply_texts[node], p.used[text] = text, true
  return text
end

function Picture.box(p, v, color)
  if p.drawn[v] then return end
  p.drawn[v] = true
  local key, value = filled(p, color)
  add(p, p:id(v) .. attributes({ "label", p:var_text(v), "shape", "box", "style", color and p.o.high_contrast
    and "filled" or nil, key, value, "fontcolor", p.o.high_contrast and color == "blue" and "white" or nil }))
end

local function color_of(p, node)
  local color
  local name = tostring(node.op)
  local kind = node.op.kind
  for _, pair in ipairs(p.o.colorCodes) do
    if name:find(pair[1], 1, true) or kind:find(pair[1], 1, true) or pair[1] == "Scan" and name:find("^for")
      or pair[1] == "Scan" and name:find("^do_while") or pair[1] == "IfElse" and name:find("^if{") then
      color = pair[2]
    end
  end
  return color
end

function Picture.inputs(p, node, id)
  local inputs = node.inputs
  local _, destroys, views = core.apply_facts(node)
  for i, v in ipairs(inputs) do
    local label = #inputs > 1 and tostring(i - 1) or ""
    local color = views == i - 1 and p.blue or destroys == i - 1 and "red" or nil
    local from
    if not v.owner then
      p:box(v, core.kind(v) == "shared" and "cyan" or "green")
      from = p:id(v)
    elseif v.name or not p.o.compact or p.outputs[v] then
      from = p:id(v)
    else -- no box of its own: an edge from who computes it
      from = p:id(v.owner)
      label = cut((label ~= "" and label .. " " or "") .. tostring(v.type), p.o.max_label_size)
    end
    add(p, from .. " -> " .. id .. attributes({ "label", label ~= "" and label or nil, "color", color }))
  end
end

function Picture.results(p, node, id)
  local outputs = node.outputs
  for i, v in ipairs(outputs) do
    local label = #outputs > 1 and tostring(i - 1) or nil
    local used = p.clients[v]
    if p.outputs[v] or p.update_of[v] then
      p:box(v, p.blue)
    elseif not used then
      p:box(v, "grey")
    elseif v.name or not p.o.compact then
      p:box(v)
      if p.o.compact then label = cut((label and label .. " " or "") .. tostring(v.type), p.o.max_label_size) end
    else
      goto continue
    end
    add(p, id .. " -> " .. p:id(v) .. attributes({ "label", label }))
    ::continue::
  end
end

function Picture.node(p, node, index)
  local id, color = p:id(node), color_of(p, node)
  local key, value = filled(p, color)
  for _, v in ipairs(node.inputs) do p:var_text(v) end
  add(p, id .. attributes({ "label", p:apply_text(node, index), "shape", "ellipse", "style", color and p.o.high_contrast
    and "filled" or nil, key, value }))
  p:inputs(node, id)
  p:results(node, id)
end

-- The nodes of a conditional's branches, and of both, in frames of their own.
function Picture.highlight(p, nodes)
  local name, cond = p.o.cond_highlight, nil
  for _, node in ipairs(nodes) do
    if tostring(node.op):find("^if{") and (name == true or tostring(node.op):find(name, 1, true)) then cond = node end
  end
  if not cond then
    return util.raise("ValueError", "pydotprint: cond_highlight = %s, but the graph has no such conditional",
      util.text(name))
  end
  local function above(v)
    local found, list = {}, { v.owner }
    while #list > 0 do
      local node = table.remove(list)
      if not found[node] then
        found[node] = true
        for _, x in ipairs(node.inputs) do list[#list + 1] = x.owner end
      end
    end
    return found
  end
  local sides = { above(cond.inputs[2]), cond.inputs[3] and above(cond.inputs[3]) or {} }
  local parts = { Left = {}, Right = {}, Middle = {} }
  for _, node in ipairs(nodes) do
    local l, r = sides[1][node], sides[2][node]
    local part = l and r and parts.Middle or l and parts.Left or r and parts.Right
    if part then part[#part + 1] = p:id(node) end
  end
  for _, side in ipairs({ "Left", "Right", "Middle" }) do
    add(p, ("subgraph cluster_%s { label=%s; %s }"):format(side, quoted(side), table.concat(parts[side], "; ")))
  end
end

-- inputs -> outputs that are their new values
local function updates_of(f)
  local map = {}
  if type(f) ~= "userdata" or core.kind(f) ~= "function" then return map end
  local description = require("theano.json").decode(core.function_describe(f))
  local inputs, outputs = core.graph_variables(f)
  local first = #description.outputs
  for i, pair in ipairs(description.updates) do
    local leaf = description.leaves[pair[1] + 1]
    for _, v in ipairs(inputs) do
      if leaf and tostring(v) == leaf.text then map[outputs[first + i]] = v end
    end
  end
  return map
end

-- The text for dot of one graph.
local function draw(graph, o)
  local p = setmetatable({ o = o, lines = {}, ids = {}, n = 0, var_texts = {}, apply_texts = {}, used = {}, drawn = {},
    outputs = {}, clients = {}, update_of = updates_of(graph.fn), blue = "blue" }, Picture)
  for _, pair in ipairs(o.colorCodes) do if pair[1] == "Output" then p.blue = pair[2] end end
  local profile = graph.fn and graph.fn.profile
  if profile and profile.enabled then p.time, p.all = profile.apply_time, profile.fct_call_time end
  for _, v in ipairs(graph.outputs) do
    p.outputs[v] = not p.update_of[v] or nil
    p.clients[v] = true
  end
  for _, node in ipairs(graph.nodes) do
    for _, v in ipairs(node.inputs) do p.clients[v] = true end
  end
  for i, node in ipairs(graph.nodes) do p:node(node, i - 1) end
  for new, input in pairs(p.update_of) do
    p:box(input, "cyan")
    if not new.owner then p:box(new, p.blue) end
    add(p, p:id(input) .. " -> " .. p:id(new) .. attributes({ "label", "UPDATE", "color", p.blue }))
  end
  if o.cond_highlight then p:highlight(graph.nodes) end
  return "digraph G {\n" .. table.concat(p.lines, "\n") .. "\n}\n"
end

local known = {
  outfile = "string", compact = "boolean", format = "string", with_ids = "boolean", high_contrast = "boolean",
  cond_highlight = "string|boolean", colorCodes = "table", max_label_size = "integer", scan_graphs = "boolean",
  var_with_name_simple = "boolean", print_output_file = "boolean", return_image = "boolean",
}

local function options_of(options)
  util.check_keywords("pydotprint", options, known)
  local o = { compact = true, format = "png", high_contrast = true, max_label_size = 70, print_output_file = true }
  for k, v in pairs(options) do o[k] = v end
  if not util.set(FORMATS)[o.format] then
    util.raise("ValueError", "pydotprint: format is one of %s, not \"%s\"", table.concat(FORMATS, ", "), o.format)
  end
  if o.max_label_size < 10 then util.raise("ValueError", "pydotprint: max_label_size is at least 10") end
  local colors = COLORS
  if o.colorCodes then
    colors = {}
    for name, color in pairs(o.colorCodes) do colors[#colors + 1] = { name, color } end
    table.sort(colors, function(a, b) return a[1] < b[1] end)
  end
  o.colorCodes = colors
  return o
end

local function slurp(path)
  local file, why = io.open(path, "rb")
  if not file then util.raise("IOError", "%s", why) end
  local bytes = file:read("a")
  file:close()
  return bytes
end

local function write(text, o, path)
  if o.format ~= "dot" then return run_dot(text, o.format, path) end
  util.write_file(path, text)
end

-- One picture; the bodies of loops beside it.
local function picture(graph, o, path)
  write(draw(graph, o), o, path)
  if not o.scan_graphs then return end
  local base, ext = path:match("^(.*)(%.[^./]*)$")
  for i, node in ipairs(graph.nodes) do
    local outputs = core.body_outputs(node)
    if outputs then
      local name = tostring(node.op):match(",([^,}]*)}$") or "scan"
      local inner = M.graph_of("pydotprint", outputs)
      picture(inner, o, ("%s_%s_%d%s"):format(base, name, i - 1, ext))
    end
  end
end

--- What is drawn: nodes in order and outputs, of a function, a FunctionGraph, an Apply, a Variable or a list of these.
function M.graph_of(what, obj)
  local fn = util.function_of(obj)
  if fn then
    local _, outputs = core.graph_variables(fn)
    return { fn = fn, nodes = core.toposort(fn), outputs = outputs }
  end
  if type(obj) == "userdata" and core.kind(obj) == "fgraph" then
    return { nodes = obj:toposort(), outputs = obj.outputs }
  end
  if type(obj) == "userdata" and core.kind(obj) == "apply" then obj = obj.outputs end
  local outputs = util.variables(what, obj)
  local walks = require("theano.gofgraph")
  return { nodes = walks.io_toposort(walks.inputs(outputs), outputs), outputs = outputs }
end

--- Draws the graph of a function, FunctionGraph, Apply, Variable or list of these with Graphviz's dot, as Theano's
-- pydotprint does: ellipses are nodes, boxes variables, blue edges views, red ones what is overwritten. Options:
-- outfile, format ("png", "svg", "pdf", "dot", ..), compact, with_ids, high_contrast, cond_highlight, colorCodes,
-- max_label_size, scan_graphs, var_with_name_simple, print_output_file, return_image.
function M.pydotprint(obj, outfile, options)
  if type(outfile) == "table" then outfile, options = nil, outfile end
  local o = options_of(options or {})
  local graph = M.graph_of("pydotprint", obj)
  local path = outfile or o.outfile
  util.check_type("pydotprint", "outfile", path, "string")
  if o.return_image then
    local name = os.tmpname()
    write(draw(graph, o), o, name)
    local bytes = slurp(name)
    os.remove(name)
    return bytes
  end
  if path and (path == "" or path:sub(-1) == "/") then
    util.raise("ValueError", "pydotprint: \"%s\" names no file", path)
  end
  path = path or ("theano.pydotprint.%s.%s"):format(require("theano.config").device, o.format)
  if path:sub(-#o.format - 1) ~= "." .. o.format then path = path .. "." .. o.format end
  picture(graph, o, path)
  if o.print_output_file then print("The output file is available at " .. path) end
  return nil
end

return M
