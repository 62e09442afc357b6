--- What the optimizer costs a node, from 1,000 to 200,000 nodes: nanoseconds per node of the graph given, at every
-- level, on graphs of the kinds that make a rewriter superlinear. Flat columns are the aim (within 1.5 times).
--   build/theano bench/rewrites.lua [largest] [kind] [optimizer]
local theano = require("theano")
local T = theano.tensor

local largest = tonumber(arg and arg[1]) or 200000
local only_kind, only_level = arg and arg[2], arg and arg[3]

local kinds = {}

--- tanh(x) * c_i + x, one link after the other: 3 nodes a link.
function kinds.chain(n)
  local x = T.dvector("x")
  local y = x
  for i = 1, n // 3 do y = T.tanh(y) * (1 + i % 7 / 8) + x end
  return { x }, y
end

--- A sum of many different terms.
function kinds.sum(n)
  local x = T.dvector("x")
  local y
  for i = 1, n // 3 do
    local term = T.exp(x * (i / 1024))
    y = y and y + term or term
  end
  return { x }, y
end

--- The gradient of an unrolled recurrent network.
function kinds.rnn(n)
  local x, w, u = T.dmatrix("x"), T.dmatrix("w"), T.dmatrix("u")
  local h = x
  for _ = 1, n // 14 do h = T.tanh(T.dot(h, w) + T.dot(x, u)) end
  local g = theano.grad(h:sum(), { w, u })
  return { x, w, u }, { g[1], g[2] }
end

--- The gradient of a deep network, every layer its own weights.
function kinds.mlp(n)
  local x = T.dmatrix("x")
  local inputs, wrt, h = { x }, {}, x
  for i = 1, n // 16 do
    local w, b = T.dmatrix("w" .. i), T.dvector("b" .. i)
    inputs[#inputs + 1], inputs[#inputs + 2] = w, b
    wrt[#wrt + 1], wrt[#wrt + 2] = w, b
    h = T.tanh(T.dot(h, w) + b)
  end
  return inputs, theano.grad(h:sum(), wrt)
end

--- The same expression written again and again: merging leaves little.
kinds["repeat"] = function(n)
  local x, y = T.dvector("x"), T.dvector("y")
  local outs = {}
  for i = 1, n // 4 do outs[i] = (x + y) * (x + y) / (2 + i % 5) end
  return { x, y }, outs
end

--- Increments of slices, added up.
function kinds.increments(n)
  local x = T.dvector("x")
  local y
  for i = 1, n // 3 do
    local z = T.inc_subtensor(T.zeros_like(x)[{ T.slice(i - 1, i) }], 1.5)
    y = y and y + z or z
  end
  return { x }, y
end

--- Joins of joins.
function kinds.joins(n)
  local x = T.dvector("x")
  local parts = {}
  for i = 1, n // 2 do parts[i] = x * i end
  return { x }, T.join(0, table.unpack(parts, 1, math.min(#parts, 60000)))
end

--- Transposes between computing nodes.
function kinds.views(n)
  local x = T.dmatrix("x")
  local y = x
  for _ = 1, n // 3 do y = T.tanh(y.T) + x end
  return { x }, y
end

local order = { "chain", "sum", "rnn", "mlp", "repeat", "increments", "joins", "views" }
local levels = { "o4", "o3", "o2", "o1", "fast_compile", "stabilize", "unsafe", "merge", "None" }

--- Least ns of some runs, and the nodes of the graph as given.
local function measure(inputs, outputs, n, level)
  local best
  for _ = 1, n <= 5000 and 10 or 3 do
    theano.compile({
      inputs = inputs, outputs = outputs, mode = theano.compile.Mode({ linker = "interpreter", optimizer = level }),
      on_unused_input = "ignore",
    })
    local ns = theano.stat("opt_ns")
    if not best or ns < best then best = ns end
  end
  return best, theano.stat("opt_nodes")
end

local sizes = {}
for _, n in ipairs({ 1000, 5000, 20000, 200000 }) do
  if n <= largest then sizes[#sizes + 1] = n end
end
io.write(("%-11s %-12s"):format("graph", "optimizer"))
for _, n in ipairs(sizes) do io.write(("%16d"):format(n)) end
print("   worst/first   (us a node, ms in all)")
for _, kind in ipairs(order) do
  if not only_kind or only_kind == "all" or only_kind == kind then
    local rows = {}
    for _, n in ipairs(sizes) do -- each graph is built once for all optimizers
      collectgarbage()
      local inputs, outputs = kinds[kind](n)
      for _, level in ipairs(levels) do
        if not only_level or only_level == level then
          local row = rows[level] or { text = "", worst = 0 }
          local ns, nodes = measure(inputs, outputs, n, level)
          local each = ns / nodes
          row.first = row.first or each
          row.worst = math.max(row.worst, each)
          row.text = row.text .. (" %6.2f %8.1f"):format(each / 1e3, ns / 1e6)
          rows[level] = row
        end
      end
    end
    for _, level in ipairs(levels) do
      local row = rows[level]
      if row then print(("%-11s %-12s%s   %.2f"):format(kind, level, row.text, row.worst / row.first)) end
    end
    io.flush()
  end
end
