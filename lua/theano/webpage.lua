--- theano.printing.htmlprint: a function or a graph as one page for a browser.
-- @module theano.webpage
local core = require("theano.core")
local util = require("theano.util")

local M = {}

-- The lines of the user's files that a text of JSON names, by "file:line".
local function source_lines(...)
  local wanted, by_file = {}, {}
  for _, text in ipairs({ ... }) do
    for places in text:gmatch('"places": "([^"]*)"') do
      for file, line in places:gmatch("([^ ,]+):(%d+)") do
        by_file[file] = by_file[file] or {}
        by_file[file][tonumber(line)] = true
      end
    end
  end
  for file, lines in pairs(by_file) do
    local handle, last = io.open(file), 0
    for n in pairs(lines) do last = math.max(last, n) end
    local n = 0
    for text in handle and handle:lines() or function() return nil end do
      n = n + 1
      if lines[n] then wanted[file .. ":" .. n] = text:match("^%s*(.-)%s*$") end
      if n == last then break end
    end
    if handle then handle:close() end
  end
  return wanted
end

-- A graph that nothing has compiled, as th_function_rewrites tells one: a single pass, as written.
local function plain_history(obj)
  local json = require("theano.json")
  local graph = require("theano.pictures").graph_of("htmlprint", obj)
  local ids, leaves, leaf_of, records, order = {}, {}, {}, {}, {}
  for i, node in ipairs(graph.nodes) do
    for k, v in ipairs(node.outputs) do ids[v] = { i - 1, k - 1 } end
  end
  local function ref(v)
    if ids[v] then return ids[v] end
    if not leaf_of[v] then
      local kind = core.kind(v)
      leaves[#leaves + 1] = { text = tostring(v), kind = kind == "variable" and "input" or kind,
        type = tostring(v.type), places = core.places(v) }
      leaf_of[v] = #leaves - 1
    end
    return leaf_of[v]
  end
  for i, node in ipairs(graph.nodes) do
    local inputs, names = {}, {}
    for k, v in ipairs(node.inputs) do inputs[k] = ref(v) end
    for k, v in ipairs(node.outputs) do names[k] = v.name or false end
    order[i] = i - 1
    records[i] = { id = i - 1, op = tostring(node.op), kind = node.op.kind, ["in"] = inputs, names = names,
      type = tostring(node.outputs[1].type), places = core.places(node) }
  end
  local outputs = {}
  for i, v in ipairs(graph.outputs) do outputs[i] = ref(v) end
  local text = json.encode({ graphs = { { of = -1, node = -1, body = 0, results = #outputs, updates = {},
    leaves = leaves, records = records, rules = {},
    passes = { { name = "as written", position = 0, seconds = 0, events = {}, order = order, out = outputs } } } } })
  return text:gsub('"places":', '"places": ')
end

local function escaped(s) return (s:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" })) end

--- Writes the graph of a function, FunctionGraph, Apply, Variable or list of these as one page for a browser, which
-- needs nothing else: zoom, search, fold, what each pass of the compiler did, kernels and how they run, time and bytes
-- (of a function with profile = true), the plan of memory, the lines that made each node. Options: title.
function M.htmlprint(obj, path, options)
  options = options or {}
  util.check_type("htmlprint", "the file", path, "string")
  if not path then util.raise("TypeError", "htmlprint(f, \"graph.html\"): the file to write is missing") end
  util.check_keywords("htmlprint", options, { title = "string" })
  local f = util.function_of(obj)
  local history = f and core.function_rewrites(f) or plain_history(obj)
  local describe = f and core.function_describe(f) or "null"
  local parts = {
    TITLE = escaped(options.title or f and f.name or "graph"),
    HISTORY = history, DESCRIBE = describe,
    LINES = require("theano.json").encode(source_lines(history, describe)),
  }
  if parts.LINES == "[]" then parts.LINES = "{}" end
  local text = require("theano.page"):gsub("@@(%u+)@@", parts)
  util.write_file(path, text)
end

return M
