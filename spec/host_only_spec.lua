--- Which operations of the language run on the host under device=cuda: every function of the language is built on its
-- own, with its gradient where it has one, and its plan for "cuda" says what has no form there (no GPU is needed). The
-- list is exact: what gets a form leaves it.
local core = require("theano.core")
local device = require("spec.support.device")
local theano = require("theano")
local T = require("theano.tensor")
local variables = require("spec.support.variables")
local sparse = theano.sparse
local VARIABLE = getmetatable(T.dscalar())

local cases = loadfile("spec/grad_spec.lua", "t", setmetatable({ describe = false }, { __index = _G }))()

local HOST = {}

-- Arguments that a function is tried with, in this order.
local function tries()
  local m, n, i, j, v = T.dmatrix("m"), T.dmatrix("n"), T.lmatrix("i"), T.lmatrix("j"), T.dvector("v")
  local s, t, x, k = sparse.csr_matrix("s"), sparse.csr_matrix("t"), T.tensor4("x"), T.lscalar("k")
  local c, d = T.zmatrix("c"), T.dtensor3("d")
  return { { m }, { m, n }, { v }, { i }, { i, j }, { s }, { s, t }, { s, m }, { s, v }, { s, k, k }, { d }, { d, d },
    { c }, { k }, { v, v }, { m, v }, { i, k }, { x }, { x, x }, { s, s, m }, { m, n, s } }
end

-- What grad_spec has no points for, by functions: variables in, results.
local BY_HAND = {
  ["gradient.grad_clip"] = function(f) local x = T.dmatrix() return { x }, { f(x, -1, 1) } end,
  ["gradient.grad_scale"] = function(f) local x = T.dmatrix() return { x }, { f(x, 2) } end,
  to_one_hot = function(f) local i = T.ivector() return { i }, { f(i, 5) } end,
  ["slinalg.lu_solve"] = function(f)
    local m, p, b = T.dmatrix(), T.ivector(), T.dmatrix()
    return { m, p, b }, { f(m, p, b) }
  end,
  ["sparse.CSR"] = function(f)
    local v, i, p = T.dvector(), T.ivector(), T.ivector()
    return { v, i, p }, { f(v, i, p, { 3, 4 }) }
  end,
  ["sparse.from_triplets"] = function(f)
    local v, i, j = T.dvector(), T.lvector(), T.lvector()
    return { v, i, j }, { f(v, i, j, { 3, 4 }) }
  end,
  ["sparse.construct_sparse_from_list"] = function(f)
    local x, v, i = T.dmatrix(), T.dmatrix(), T.ivector()
    return { x, v, i }, { f(x, v, i) }
  end,
  ["sparse.cast"] = function(f) local s = sparse.csr_matrix() return { s }, { f(s, "float32") } end,
  ["sparse.structured_pow"] = function(f) local s = sparse.csr_matrix() return { s }, { f(s, 2) } end,
  ["sparse.usmm"] = function(f)
    local a, s, m, z = T.dscalar(), sparse.csr_matrix(), T.dmatrix(), T.dmatrix()
    return { a, s, m, z }, { f(a, s, m, z) }
  end,
  ["sparse.get_item_2d"] = function() local s = sparse.csr_matrix() return { s }, { s["1:, ::2"] } end,
  ["sparse.get_item_scalar"] = function(f) local s = sparse.csr_matrix() return { s }, { f(s, { 1, 2 }) } end,
  ["sparse.get_item_list"] = function(f)
    local s, i = sparse.csr_matrix(), T.ivector()
    return { s, i }, { f(s, i) }
  end,
  ["sparse.get_item_2lists"] = function(f)
    local s, i, j = sparse.csr_matrix(), T.ivector(), T.ivector()
    return { s, i, j }, { f(s, i, j) }
  end,
  ["sparse.rint"] = function() return {}, {} end, -- it cannot be built
  matmul = function(f)
    local i, j, c, d = T.imatrix(), T.imatrix(), T.zmatrix(), T.zmatrix()
    return { i, j, c, d }, { f(i, j), f(c, d) }
  end,
  searchsorted = function(f) local x, v = T.dvector(), T.dmatrix() return { x, v }, { f(x, v) } end,
  ["random.mrg_uniform"] = function()
    local srng, p = theano.random.MRG_RandomStreams(1), T.lscalar()
    return { p }, { srng:uniform({ p }), srng:normal({ p }) }
  end,
  ["random.philox"] = function()
    local p, srng = T.lscalar(), theano.random.RandomStreams(1)
    return { p }, { srng:uniform({ p }), srng:permutation({ p }, 7) }
  end,
  ["random.multinomial_from_uniform"] = function(f)
    local p, u = T.dmatrix(), T.dvector()
    return { p, u }, { f(p, u, 2) }
  end,
}

for name, like in pairs({ ["extra_ops.searchsorted"] = "searchsorted", ["extra_ops.to_one_hot"] = "to_one_hot",
  ["sparse.CSC"] = "sparse.CSR", ["sparse.astype"] = "sparse.cast", ["sparse.subtensor"] = "sparse.get_item_list",
  ["sparse.structured_minimum"] = "sparse.structured_pow", ["sparse.structured_maximum"] = "sparse.structured_pow",
  ["sparse.structured_add"] = "sparse.structured_pow",
  ["random.choice_from_uniform"] = "random.multinomial_from_uniform" }) do
  BY_HAND[name] = BY_HAND[like]
end

-- Operations of a compiled function's plan that a GPU has no form of; there: lowered for one, which takes a compiler.
local function on_host(inputs, outputs, there)
  local _ <close> = theano.config.change_flags(there and device.flags or {})
  local mode = not there and theano.compile.Mode({ linker = "interpreter" }) or nil
  local f = theano.compile({ inputs = inputs, outputs = outputs, on_unused_input = "ignore", mode = mode })
  local list = theano.printing.plan(f, "cuda"):match("\non the host:\n(.*)$") or ""
  local names = {}
  for line in list:gmatch("  step %d+: ([^\n]*)") do
    local name = line:match("^[%w_]+") -- what else a kernel holds is no reason
    if name == "Elemwise" then name = line:gsub("%b{}", ""):match("([%w_]+)$") end
    names[name] = true
  end
  return names
end

local function built(inputs, ...)
  local outs = {}
  for _, y in ipairs({ ... }) do
    if getmetatable(y) == VARIABLE or sparse.is_sparse(y) then outs[#outs + 1] = y end
  end
  return #outs > 0 and inputs or nil, outs
end

-- A function's variables and results; nil: nothing builds it.
local function graph_of(name, f)
  local c
  if BY_HAND[name] then return BY_HAND[name](f) end
  if cases.unary[name] then c = { { cases.between(0.3, 0.7, 2, 3) }, f }
  elseif cases.binary[name] then c = { { cases.between(0.6, 0.9, 2, 3), cases.between(0.2, 0.5, 3) }, f }
  elseif cases.by_hand[name] then
    local points, fun = table.unpack(cases.by_hand[name])
    c = { points, function(...) return fun(f, ...) end }
  end
  if c then
    local v = variables(c[1])
    local all = table.pack(pcall(c[2], table.unpack(v)))
    if all[1] then return built(v, table.unpack(all, 2, all.n)) end
  end
  for _, args in ipairs(tries()) do
    local all = table.pack(pcall(f, table.unpack(args)))
    if all[1] then
      local ins, outs = built(args, table.unpack(all, 2, all.n))
      if ins then return ins, outs end
    end
  end
end

describe("device=cuda", function()
  it("runs every operation of the language on the device but for a known list", function()
    local found, none, known = {}, {}, {}
    local function look(name, inputs, outputs)
      local ok, names = pcall(on_host, inputs, outputs)
      if not ok then none[#none + 1] = name .. ": " .. tostring(names):match("[^\n]*") return end
      for op in pairs(names) do
        if known[op] == nil then -- the host's own lowering may be to what only the host has
          known[op] = on_host(inputs, outputs, true)[op] or false
          found[op] = known[op] and name or nil
        end
      end
    end
    for _, entry in ipairs(core.functions()) do
      local inputs, outputs = graph_of(entry.name, entry.symbolic)
      if inputs then
        look(entry.name, inputs, outputs)
        local ok, g = pcall(function()
          local sum = 0
          for _, y in ipairs(outputs) do sum = sum + T.sum(sparse.is_sparse(y) and sparse.dense_from_sparse(y) or y) end
          return T.grad(T.cast(sum, "float64"), inputs, { disconnected_inputs = "ignore" })
        end)
        if ok then look("gradient of " .. entry.name, inputs, type(g) == "table" and g or { g }) end
      else
        none[#none + 1] = entry.name
      end
    end
    assert.same({}, none)
    local more, gone = {}, {}
    for op, name in pairs(found) do
      if not HOST[op] then more[#more + 1] = op .. " of " .. name end
    end
    for op in pairs(HOST) do
      if not found[op] then gone[#gone + 1] = op end
    end
    table.sort(more)
    table.sort(gone)
    assert.same({}, more)
    assert.same({}, gone)
  end)
end)
