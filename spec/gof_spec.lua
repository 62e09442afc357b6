--- theano.gof: graphs in the user's hands, features, rewrites as objects, the table they go into, modes.
local raises = require("spec.support.raises")
local read = require("spec.support.graphs")
local theano = require("theano")
local core = require("theano.core")
local T, gof, nd = theano.tensor, theano.gof, theano.ndarray
local optdb, Mode, get_mode = theano.compile.optdb, theano.compile.Mode, theano.compile.get_mode
local contains, ops = read.contains, read.ops

local x, y, z = T.dscalars("x", "y", "z")
local v = T.dvector("v")

local function short(g) -- operations by their kind
  return (tostring(g):gsub("Elemwise{([%w_]+),no_inplace}", "%1"))
end

local function logged(fn)
  local lines = {}
  core.set_logger(function(text) lines[#lines + 1] = text end)
  local ok, message = pcall(fn)
  core.set_logger(function(text) io.stderr:write(text) end)
  assert.is_true(ok, message)
  return table.concat(lines)
end

describe("a FunctionGraph", function()
  it("prints as calls, and shows the user's own nodes", function()
    local s = x + y
    local g = gof.FunctionGraph({ x, y }, { s * T.exp(s) })
    assert.equal("[mul(*1 -> add(x, y), exp(*1))]", short(g))
    assert.equal(s.owner, g:toposort()[1])
    assert.equal(3, #g.apply_nodes)
    assert.equal(x, g.inputs[1])
    assert.equal(5, #g.variables)
  end)

  it("replaces, and leaves the user's graph as it was", function()
    local s = x + y
    local out = T.sin(s) * s
    local g = gof.FunctionGraph({ x, y }, { out })
    g:replace(s, x * y)
    assert.equal("[mul(sin(*1 -> mul(x, y)), *1)]", short(g))
    assert.equal(s, out.owner.inputs[2])
    g:check_integrity()
    local f = theano.compile(g.inputs, g.outputs)
    assert.near(math.sin(6) * 6, f(2, 3), 1e-15)
  end)

  it("tells who uses a variable, places counted from 0", function()
    local s = x + y
    local g = gof.FunctionGraph({ x, y }, { s * 2 - s, s })
    local users = g:clients(s)
    assert.equal(3, #users)
    local places = {}
    for _, c in ipairs(users) do
      places[#places + 1] = (c[1] == "output" and c[1] or c[1].op.kind) .. c[2]
      assert.equal(s, c[1] == "output" and g.outputs[c[2] + 1] or c[1].inputs[c[2] + 1])
    end
    table.sort(places)
    assert.same({ "mul0", "output1", "sub1" }, places)
  end)

  it("takes what promises more lengths of 1, in rewrites too", function()
    local m, r = T.dmatrix("m"), T.drow("r")
    local g = gof.FunctionGraph({ m, r }, { T.exp(m) + m })
    g:replace(g.outputs[1].owner.inputs[1], r * 3)
    g:change_input(g.outputs[1].owner, 1, r)
    g:check_integrity()
    assert.is_true(g.outputs[1].type == m.type)
    local f = theano.compile(g.inputs, g.outputs, { on_unused_input = "ignore" })
    assert.same({ { 4.0, 8.0 } }, f({ { 0.0 } }, { { 1.0, 2.0 } }):tolist())
    local rule = gof.local_optimizer({ T.exp }, function() return { T.addbroadcast(m, 0) * 5 } end)
    local h = gof.FunctionGraph({ m }, { T.exp(m) })
    gof.TopoOptimizer(rule):optimize(h)
    assert.same({ { 5.0, 10.0 } }, theano.compile(h.inputs, h.outputs)({ { 1.0, 2.0 } }):tolist())
    raises("BadOptimization", "the types differ", function() g:replace(r, m) end)
  end)

  it("refuses other types, cycles and strangers, and has not changed then", function()
    local s = T.exp(x)
    local g = gof.FunctionGraph({ x }, { T.sin(s) })
    local before = tostring(g)
    raises("BadOptimization", "the types differ", function() g:replace(s, x:dimshuffle("x")) end)
    raises("BadOptimization", "computed from the old one", function() g:replace(s, T.cos(T.sin(s))) end)
    raises("BadOptimization", "computed from the old one", function() g:replace(x, T.cos(T.sin(x))) end)
    raises("BadOptimization", "no input of the FunctionGraph", function() g:replace(s, z) end)
    raises("ValueError", "no longer in", function() g:replace(T.exp(z), x) end)
    assert.equal(before, tostring(g))
    g:check_integrity()
  end)

  it("changes one input of one node", function()
    local s = T.exp(x)
    local g = gof.FunctionGraph({ x, y }, { s + s })
    g:change_input(g.outputs[1].owner, 1, y)
    assert.equal("[add(exp(x), y)]", short(g))
    g:change_input("output", 0, y)
    assert.equal("[y]", short(g))
    raises("IndexError", "no output 1", function() g:change_input("output", 1, y) end)
  end)

  it("goes back to a checkpoint, also after an input was replaced", function()
    local g = gof.FunctionGraph({ x, y }, { T.sin(T.exp(x)) + y })
    local before, point = tostring(g), g:checkpoint()
    g:replace(g.outputs[1], x)
    g:replace(x, y)
    assert.equal("[y]", short(g))
    g:revert(point)
    assert.equal(before, tostring(g))
    g:check_integrity()
  end)

  it("knows which nodes are there and what they have become", function()
    local s = T.exp(x)
    local g = gof.FunctionGraph({ x }, { T.sin(s) })
    local node = g.outputs[1].owner
    g:replace(s, T.cos(x))
    assert.is_nil(g:current(s.owner))
    assert.is_false(g:contains(s))
    assert.equal("exp", node.inputs[1].owner.op.kind) -- what the user holds does not change
    assert.equal("cos", g:current(node).inputs[1].owner.op.kind)
  end)

  it("gives shapes without computing", function()
    local g = gof.FunctionGraph({ v }, { T.exp(v) * 2 })
    local length = g.shape_feature.shape_of[g.outputs[1]][1]
    assert.equal("Shape_i{0}(v)", tostring(length.owner))
    assert.equal(1, #g:clients(v)) -- what was asked for is not in the graph
  end)

  it("merges, clones, and runs what a query selects", function()
    local g = gof.FunctionGraph({ v }, { T.log(1 + v) + T.log(1 + v) })
    local copy = g:clone()
    gof.MergeOptimizer():optimize(g)
    contains(short(g), "add(*1 -> log(")
    optdb:query("fast_run", "-fusion"):optimize(g)
    contains(tostring(g), "log1p")
    assert.is_nil(tostring(copy):find("log1p"))
    g:replace(g.outputs[1], v)
    assert.equal("[v]", tostring(g))
    g:check_integrity()
  end)

  it("has shared variables among its inputs", function()
    local w = theano.shared(nd.array({ 1, 2 }), "w")
    local g = gof.FunctionGraph({ v }, { v * w })
    assert.equal(w, g.inputs[2])
  end)

  it("is refused with the line and the reason", function()
    raises("MissingInputError", "variable y", function() local _ = gof.FunctionGraph({ x }, { x + y }) end)
    raises("TypeError", "outputs is a list of Variables", function() local _ = gof.FunctionGraph({ x }, 3) end)
    raises("TypeError", "inputs is a list of Variables", function() local _ = gof.FunctionGraph() end)
    raises("ValueError", "constants need no place", function()
      local _ = gof.FunctionGraph({ T.constant(1) }, { x })
    end)
    local g = gof.FunctionGraph({ x }, { T.exp(x) })
    raises("AttributeError", "nearest is toposort", function() local _ = g.topsort end)
    raises("AttributeError", "cannot be set", function() g.inputs = {} end)
    raises("TypeError", "with a colon", function() g.toposort() end)
    raises("TypeError", "old is a number", function() g:replace(1, x) end)
    raises("TypeError", "unknown keyword 'why'", function() g:replace(g.outputs[1], x, { why = "" }) end)
  end)

  it("outlives what it was made of, and is collected #asan", function()
    local before = theano.stat("live_nodes")
    do
      local graphs = {}
      for i = 1, 50 do
        graphs[i] = gof.FunctionGraph({ x }, { T.sin(T.exp(x) * i) })
        collectgarbage()
        graphs[i]:replace(graphs[i].outputs[1], T.cos(x) * i)
      end
      contains(short(graphs[50]), "mul(cos(x)")
      graphs[25]:check_integrity()
    end
    for _ = 1, 4 do collectgarbage() end
    assert.truthy(theano.stat("live_nodes") <= before + 5)
  end)

  it("has 5,000 nodes replaced one by one in time that grows with them", function()
    local function seconds(n)
      local c = v
      for _ = 1, n do c = T.tanh(c) end
      local g = gof.FunctionGraph({ v }, { c })
      collectgarbage()
      local start = os.clock()
      gof.OpSub("tanh", "sin"):optimize(g)
      return os.clock() - start
    end
    seconds(500)
    local few, many = seconds(1000), seconds(8000)
    assert.truthy(many < 32 * few, ("%g s and %g s"):format(few, many))
  end)
end)

describe("a feature", function()
  local function listener(log)
    return gof.toolbox.Feature({
      name = "listener",
      on_attach = function() log[#log + 1] = "attach" end,
      on_detach = function() log[#log + 1] = "detach" end,
      on_import = function(_, _, node, reason) log[#log + 1] = ("+%s %s"):format(node.op.kind, reason) end,
      on_prune = function(_, _, node) log[#log + 1] = "-" .. node.op.kind end,
      on_change_input = function(_, _, node, i, old, new, reason)
        log[#log + 1] = ("%s[%d] %s %s %s"):format(node == "output" and node or node.op.kind, i, tostring(old),
          tostring(new), reason)
      end,
    })
  end

  it("is told what comes, changes and goes", function()
    local log = {}
    local g = gof.FunctionGraph({ x, y }, { T.sin(T.exp(x)) }, { features = { listener(log) } })
    g:replace(g.outputs[1].owner.inputs[1], T.cos(y), "why")
    g:change_input(g.outputs[1].owner, 0, x, "because")
    g:remove_feature(g.features[1])
    g:replace(g.outputs[1], y)
    assert.same({ "attach", "+cos why", "sin[0] Elemwise{exp,no_inplace}.0 Elemwise{cos,no_inplace}.0 why", "-exp",
      "sin[0] Elemwise{cos,no_inplace}.0 x because", "-cos", "detach" }, log)
  end)

  it("that objects undoes the replacement", function()
    local g = gof.FunctionGraph({ x }, { T.sin(x), T.cos(x) })
    g:attach_feature({
      validate = function(_, graph)
        for _, node in ipairs(graph:toposort()) do
          if gof.is_op(node, T.true_div) then error("no division here") end
        end
      end,
    })
    local before = tostring(g)
    local ok, message = pcall(g.replace_validate, g, g.outputs[2], x / 2)
    assert.is_false(ok)
    contains(message, "no division here")
    assert.is_false(pcall(g.replace_all_validate, g, { { g.outputs[1], T.exp(x) }, { g.outputs[2], x / 2 } }))
    assert.equal(before, tostring(g))
    g:check_integrity()
    g:replace(g.outputs[2], x / 2) -- is not asked
    assert.is_false(g:consistent())
    g:remove_feature(g.features[1])
    assert.is_true(g:consistent())
  end)

  it("that changes the graph itself is told about that too", function()
    local log = {}
    local g = gof.FunctionGraph({ x }, { T.sin(x) })
    g:attach_feature({
      on_import = function(_, graph, node)
        log[#log + 1] = node.op.kind
        if node.op.kind == "cos" then graph:replace(node.outputs[1], T.tanh(x)) end
      end,
    })
    g:replace(g.outputs[1], T.cos(x))
    assert.same({ "cos", "tanh" }, log)
    assert.equal("[tanh(x)]", short(g))
  end)

  it("finds nodes of an operation; prints what happens; keeps things with the graph", function()
    local g = gof.FunctionGraph({ x }, { T.sin(x) + T.sin(T.exp(x)) })
    g:attach_feature(gof.toolbox.NodeFinder())
    assert.equal(2, #g:get_nodes("sin"))
    local text = {}
    g:attach_feature(gof.toolbox.PrintListener(function(line) text[#text + 1] = line end))
    g:replace(g:get_nodes(T.sin)[1].outputs[1], T.cos(x))
    assert.equal(1, #g:get_nodes("sin"))
    assert.equal(1, #g:get_nodes("cos"))
    contains(table.concat(text), "-- importing Elemwise{cos,no_inplace}(x)")
    g.mine = 5
    assert.equal(5, g.mine)
  end)

  it("with a misspelled callback is refused", function()
    raises("AttributeError", "would never be called", function() gof.toolbox.Feature({ on_imported = print }) end)
    raises("TypeError", "table of callbacks", function() gof.FunctionGraph({ x }, { x }):attach_feature(3) end)
  end)
end)

describe("the documentation's simplify", function()
  local function expression() return z + (y * x) / y * (z / x) end

  it("as a function on the graph", function()
    local required
    local simplify = gof.optimizer({
      add_requirements = function(_, g)
        required = true
        g:attach_feature(gof.toolbox.ReplaceValidate())
      end,
      apply = function(_, g)
        for _, node in ipairs(g:toposort()) do
          if gof.is_op(node, T.true_div) then
            local a, b = table.unpack(node.inputs)
            if a.owner and gof.is_op(a.owner, T.mul) then
              local c, d = table.unpack(a.owner.inputs)
              if c == b then g:replace_validate(node.outputs[1], d)
              elseif d == b then g:replace_validate(node.outputs[1], c) end
            end
          end
        end
      end,
    })
    local e = gof.FunctionGraph({ x, y, z }, { expression() })
    assert.equal("[add(z, mul(true_div(mul(y, x), y), true_div(z, x)))]", short(e))
    simplify:optimize(e)
    assert.equal("[add(z, mul(x, true_div(z, x)))]", short(e))
    assert.is_true(required)
  end)

  it("as a function on a node, gone over the graph", function()
    local rule = gof.local_optimizer({ T.true_div }, function(node)
      local a, b = table.unpack(node.inputs)
      if not (a.owner and gof.is_op(a.owner, "mul")) then return false end
      local c, d = table.unpack(a.owner.inputs)
      return c == b and { d } or d == b and { c }
    end)
    for _, over in ipairs({ gof.TopoOptimizer(rule), gof.out2in(rule), gof.in2out(rule), gof.OpKeyOptimizer(rule),
      gof.EquilibriumOptimizer({ rule }), gof.SeqOptimizer({ gof.MergeOptimizer(), gof.in2out(rule) }), rule }) do
      local e = gof.FunctionGraph({ x, y, z }, { expression() })
      over:optimize(e)
      assert.equal("[add(z, mul(x, true_div(z, x)))]", short(e))
    end
  end)

  it("as patterns, in tables and as text", function()
    for _, rule in ipairs({ gof.PatternSub({ T.true_div, { T.mul, "x", "y" }, "x" }, "y"),
      gof.PatternSub({ "true_div", { "mul", "x", "y" }, "y" }, "x"), gof.PatternSub("x * y / y", "x") }) do
      local e = gof.FunctionGraph({ x, y, z }, { expression() })
      gof.TopoOptimizer(rule):optimize(e)
      assert.equal("[add(z, mul(x, true_div(z, x)))]", short(e))
    end
  end)

  it("and OpSub, OpRemove", function()
    local e = gof.FunctionGraph({ x, y, z }, { expression() })
    gof.OpSub(T.add, T.mul):optimize(e)
    assert.equal("[mul(z, mul(true_div(mul(y, x), y), true_div(z, x)))]", short(e))
    local identity = theano.Op({ name = "Identity", itypes = { x.type }, otypes = { x.type },
      perform = function(_, _, inputs, outputs) outputs[1] = inputs[1]:copy() end })
    local other = theano.Op({ name = "Other", itypes = { x.type }, otypes = { x.type },
      perform = function(_, _, inputs, outputs) outputs[1] = inputs[1]:copy() end })
    local g = gof.FunctionGraph({ x }, { T.exp(identity(x)) + other(x) })
    gof.OpRemove(identity):optimize(g)
    assert.equal("[add(exp(x), Other(x))]", short(g))
    raises("ValueError", "2 inputs and 1 outputs", function() gof.OpRemove("add"):optimize(g) end)
  end)
end)

describe("a table pattern", function()
  local function with(rule, inputs, outputs)
    local g = gof.FunctionGraph(inputs, outputs)
    rule:optimize(g)
    return short(g)
  end

  it("takes a number for a constant, also behind a DimShuffle", function()
    local rule = gof.PatternSub({ T.log, { T.add, 1, "x" } }, { T.log1p, "x" })
    assert.equal("[log1p(v)]", with(rule, { v }, { T.log(1 + v) }))
    assert.equal("[log1p(v)]", with(rule, { v }, { T.log(v + 1.0) }))
    contains(with(rule, { v }, { T.log(2 + v) }), "log(add(")
  end)

  it("asks its constraints", function()
    local rule = gof.PatternSub({ T.sin, { pattern = "x", constraint = function(a) return a.owner == nil end } },
      { T.cos, "x" })
    assert.equal("[cos(x), sin(exp(y))]", with(rule, { x, y }, { T.sin(x), T.sin(T.exp(y)) }))
    local of_node = gof.PatternSub({ T.sin, { pattern = { T.exp, "x" }, constraint = function(a)
      return a.owner.inputs[1] == x
    end } }, "x")
    assert.equal("[x, sin(exp(y))]", with(of_node, { x, y }, { T.sin(T.exp(x)), T.sin(T.exp(y)) }))
  end)

  it("binds a name once, over all orders of commutative operations", function()
    local rule = gof.PatternSub({ T.sub, { T.add, "a", "b" }, { T.mul, "b", "c" } }, { T.pow, "a", "c" })
    assert.equal("[pow(x, z)]", with(rule, { x, y, z }, { (y + x) - (z * y) }))
    contains(with(rule, { x, y, z }, { (x + x) - (z * y) }), "sub(")
  end)

  it("leaves alone what is used elsewhere, unless told", function()
    local s = T.exp(x)
    assert.equal("[log(*1 -> exp(x)), *1]", with(gof.PatternSub({ T.log, { T.exp, "x" } }, "x"), { x }, { T.log(s),
      s }))
    assert.equal("[x, exp(x)]", with(gof.PatternSub({ T.log, { T.exp, "x" } }, "x", { allow_multiple_clients = true }),
      { x }, { T.log(s), s }))
  end)

  it("goes through compilation, with functions that make other operations", function()
    T.opt.register_canonicalize(gof.PatternSub({ T.dot, "a", { T.tanh, "b" } }, { T.sum, { T.mul, "a", "b" } },
      { name = "dot_of_tanh" }))
    local w = T.dvector("w")
    local names = ops(theano.compile({ v, w }, T.dot(v, T.tanh(w))))
    optdb:remove("dot_of_tanh")
    contains(names, "Sum{")
    assert.is_nil(names:find("tanh"))
  end)

  it("says what is wrong with it", function()
    raises("TypeError", "takes two texts", function() gof.PatternSub(3, "x") end)
    raises("ValueError", "'z' stands on the right side only", function()
      gof.PatternSub({ T.sin, "x" }, { T.sin, "z" })
    end)
    raises("KeyError", "no operation 'sinn'", function() gof.PatternSub({ "sinn", "x" }, "x") end)
    raises("TypeError", "constraint is a function", function() gof.PatternSub({ T.sin, { pattern = "x" } }, "x") end)
    raises("TypeError", "unknown keyword 'nane'", function() gof.PatternSub("sin(x)", "x", { nane = "n" }) end)
    raises("NotImplementedError", "docs/differences.md", function()
      gof.PatternSub({ T.sin, "x" }, "x", { tracks = {} })
    end)
  end)
end)

describe("a rewrite that would go on for ever", function()
  local there = gof.local_optimizer({ T.sin }, function(node) return T.cos(node.inputs[1]) end, { name = "there" })
  local back = gof.local_optimizer({ T.cos }, function(node) return T.sin(node.inputs[1]) end, { name = "back" })
  local deeper = gof.local_optimizer({ T.sin }, function(node) return T.sin(T.exp(node.inputs[1])) end,
    { name = "deeper" })
  after_each(function()
    theano.config.on_opt_error = "warn"
    for _, name in ipairs({ "deeper", "both" }) do pcall(optdb.remove, optdb, name) end
  end)

  it("is stopped by the engine with its name", function()
    T.opt.register_canonicalize(deeper)
    local log = logged(function() theano.compile({ x }, T.sin(x)) end)
    contains(log, "rewrite deeper")
    contains(log, "would go on for ever")
    theano.config.on_opt_error = "raise"
    raises("BadOptimization", "would go on for ever", function() theano.compile({ x }, T.sin(x)) end)
  end)

  it("is stopped on a graph, which can be used further and has no features left", function()
    for _, r in ipairs({ gof.EquilibriumOptimizer({ there, back }), gof.in2out(there, back), gof.out2in(deeper) }) do
      local g = gof.FunctionGraph({ x }, { T.sin(x) })
      raises("BadOptimization", "would go on for ever", function() r:optimize(g) end)
      assert.equal(0, #g.features)
      g:check_integrity()
    end
  end)

  it("is only warned about within a compilation", function()
    optdb:register("both", gof.EquilibriumOptimizer({ there, back }), 1.5, "fast_run")
    local log = logged(function() theano.compile({ x }, T.sin(x)) end)
    contains(log, "rewrite both could not be applied")
    contains(log, "maxed out by local_optimizer there")
  end)

  it("goes on alone with its own results when they are left alone", function()
    local g = gof.FunctionGraph({ x }, { T.sin(x) })
    gof.TopoOptimizer(deeper, { ignore_newtrees = true }):optimize(g)
    assert.equal("[sin(exp(x))]", short(g))
  end)
end)

describe("the graph of a rewrite", function()
  after_each(function() pcall(optdb.remove, optdb, "mine") end)

  it("has features while the rewrite runs", function()
    local seen = {}
    optdb:register("mine", gof.optimizer(function(g)
      g:attach_feature({ on_import = function(_, _, node) seen[#seen + 1] = node.op.kind end })
      for _, node in ipairs(g:toposort()) do
        if gof.is_op(node, "exp") then g:replace_validate(node.outputs[1], T.cos(node.inputs[1])) end
      end
    end), 1.05, "fast_run")
    assert.near(math.cos(1), theano.compile({ x }, T.exp(x))(1), 1e-15)
    assert.same({ "cos" }, seen)
  end)

  it("cannot be asked when the rewrite has ended, also not by the next one #asan", function()
    local kept, node
    optdb:register("mine", gof.optimizer(function(g)
      if kept then assert.is_false(pcall(kept.toposort, kept)) end
      kept, node = g, g:toposort()[1]
    end), 1.05, "fast_run")
    for _ = 1, 2 do theano.compile({ x }, T.exp(x)) end
    raises("RuntimeError", "only while the rewrite runs", function() kept:toposort() end)
    raises("RuntimeError", "only while the rewrite runs", function() kept:replace(node.outputs[1], x) end)
    contains(tostring(kept), "has ended")
    collectgarbage()
    assert.equal("Elemwise{exp,no_inplace}(x)", tostring(node))
  end)

  it("is that of a loop's body too", function()
    local m = T.dmatrix("m")
    local sizes = {}
    optdb:register("mine", gof.optimizer(function(g)
      sizes[#sizes + 1] = #g:toposort()
      for _, n in ipairs(g:toposort()) do
        if gof.is_op(n, "tanh") then g:replace_validate(n.outputs[1], T.sin(n.inputs[1])) end
      end
    end), 1.05, "fast_run")
    local rows = theano.scan({ fn = function(row, acc) return T.tanh(row + acc) end, sequences = { m },
      outputs_info = { T.zeros_like(m[0]) } })
    local got = theano.compile({ m }, rows[-1])({ { 0.5 }, { 0.25 } })
    assert.near(math.sin(0.25 + math.sin(0.5)), got[0], 1e-15)
    assert.equal(2, #sizes)
  end)
end)

describe("optdb", function()
  after_each(function()
    for _, name in ipairs({ "mine", "yours" }) do pcall(optdb.remove, optdb, name) end
  end)
  local to_sin = gof.OpSub("exp", "sin")

  it("is asked by name: phases, passes, positions", function()
    assert.equal(1, optdb.__position__.canonicalize)
    assert.equal(49, optdb["elemwise_fusion"].position)
    contains(tostring(optdb.canonicalize), "EquilibriumDB canonicalize at 1")
    raises("KeyError", "nearest is merge1", function() local _ = optdb.merg1 end)
    optdb.canonicalize:register("mine", to_sin, "fast_run")
    assert.equal("Elemwise{sin,no_inplace}", ops(theano.compile({ x }, T.exp(x))))
    optdb.canonicalize:remove("mine")
    assert.equal("Elemwise{exp,no_inplace}", ops(theano.compile({ x }, T.exp(x))))
  end)

  it("runs what is registered at its position, and in order of registering at the same one", function()
    local order = {}
    local function note(name) return gof.optimizer(function() order[#order + 1] = name end) end
    optdb:register("yours", note("yours"), 1.55, "fast_run")
    optdb:register("mine", note("mine"), -1, "fast_run")
    theano.compile({ x }, T.exp(x))
    assert.same({ "mine", "yours" }, order)
    local text = optdb:query("fast_run"):summary()
    assert.truthy(text:find("%-1%.00  mine.*merge1.*stabilize.*1%.55  yours.*BlasOpt"))
  end)

  it("runs what has no tag of the optimizer only where it is included", function()
    optdb:register("mine", gof.out2in(to_sin), 1.9, "own")
    assert.equal("Elemwise{exp,no_inplace}", ops(theano.compile({ x }, T.exp(x))))
    for _, word in ipairs({ "own", "mine" }) do
      local mode = get_mode("FAST_RUN"):including(word)
      assert.equal("Elemwise{sin,no_inplace}", ops(theano.compile({ x }, T.exp(x), { mode = mode })))
      assert.equal("Elemwise{exp,no_inplace}", ops(theano.compile({ x }, T.exp(x), { mode = mode:excluding("mine") })))
    end
  end)

  it("refuses names twice, the engine's own, and what is no rewrite", function()
    optdb:register("mine", to_sin, 2)
    for _, name in ipairs({ "mine", "merge1", "local_log1p" }) do
      raises("ValueError", "registered already", function() optdb:register(name, to_sin, 2) end)
    end
    raises("KeyError", "the engine's own", function() optdb:remove("local_log1p") end)
    raises("KeyError", "no rewrite named", function() optdb:remove("not_there") end)
    raises("TypeError", "with a colon", function() optdb.register("a", to_sin, 2) end)
    raises("TypeError", "position is a number", function() optdb:register("a", to_sin, "2") end)
    raises("TypeError", "wrap it in local_optimizer", function() optdb:register("a", function() end, 2) end)
    raises("ValueError", "a tag is one word", function() optdb:register("a", to_sin, 2, "fast run") end)
    raises("ValueError", "a position, not a phase", function()
      T.opt.register_canonicalize(gof.optimizer(function() end, { name = "a" }))
    end)
  end)

  it("cannot be changed while a rewrite runs", function()
    local message
    optdb:register("mine", gof.optimizer(function()
      message = select(2, pcall(optdb.register, optdb, "yours", to_sin, 2))
    end), 1.5, "fast_run")
    theano.compile({ x }, T.exp(x))
    contains(message, "while one runs")
  end)

  it("warns about words that nobody knows", function()
    local log = logged(function() optdb:query("o4", "-fusionn", "+foo"):summary() end)
    contains(log, "excluding: there is no rewrite and no tag 'fusionn'")
    contains(log, "including: there is no rewrite and no tag 'foo'")
    raises("ValueError", "nearest is o4", function() optdb:query("o5") end)
    raises("TypeError", "takes an optimizer", function() optdb:query() end)
  end)

  it("decorates", function()
    local rule = T.opt.register_specialize("mytag")(gof.local_optimizer({ "exp" })(function(node)
      return T.sin(node.inputs[1])
    end, { name = "mine" }))
    assert.equal("local_optimizer mine: of exp", tostring(rule))
    local mode = get_mode("FAST_RUN"):excluding("mytag")
    assert.equal("Elemwise{exp,no_inplace}", ops(theano.compile({ x }, T.exp(x), { mode = mode })))
    assert.equal("Elemwise{sin,no_inplace}", ops(theano.compile({ x }, T.exp(x))))
  end)
end)

describe("the engine's rules by name", function()
  local function graph() return gof.FunctionGraph({ v }, { T.log(1 + v) * v / v }) end
  local function text(g) return (tostring(g):gsub(",no_inplace", "")) end

  it("a phase's name is a tag of its rules", function()
    local g = graph()
    optdb:query(gof.Query({ include = { "canonicalize" } })):optimize(g)
    assert.equal("[Elemwise{log}(Elemwise{add}(TensorConstant{(1,) of 1.0}, v))]", text(g))
    g = graph()
    optdb:query("None", "+canonicalize", "-local_mul_canonizer"):optimize(g)
    assert.is_truthy(text(g):find("true_div"))
    local summary = optdb:query(gof.Query({ include = { "specialize" } })).summary()
    assert.is_truthy(summary:find("local_mul_specialize") and not summary:find("local_fill_sink"))
    assert.is_nil(optdb:query("None", "+canonicalize").summary():find("local_remove_all_assert"))
  end)

  it("T.opt has each as a rewrite that runs alone", function()
    local g = graph()
    T.opt.local_log1p:optimize(g)
    assert.equal("[Elemwise{true_div}(Elemwise{mul}(Elemwise{log1p}(v), v), v)]", text(g))
    gof.out2in(T.opt.local_mul_canonizer, { name = "alone" }):optimize(g)
    assert.equal("[Elemwise{log1p}(v)]", text(g))
    g = graph()
    gof.EquilibriumOptimizer({ T.opt.local_mul_canonizer, gof.PatternSub({ T.log, "a" }, { T.exp, "a" }) }):optimize(g)
    assert.is_truthy(text(g):find("^%[Elemwise{exp}"))
    g = graph()
    gof.SeqOptimizer({ T.opt.canonicalize, optdb.stabilize }):optimize(g)
    assert.equal("[Elemwise{log1p}(v)]", text(g))
    raises("AttributeError", "did you mean 'local_log1p'", function() return T.opt.local_log1q end)
    raises("ValueError", "in place", function() optdb.inplace_elemwise_opt:optimize(g) end)
    raises("TypeError", "SeqOptimizer", function() gof.out2in(T.opt.local_log1p, gof.OpRemove(T.exp)) end)
  end)

  it("a phase can be queried and run", function()
    local g = graph()
    optdb.canonicalize:query("fast_run", "-local_mul_canonizer"):optimize(g)
    assert.is_truthy(text(g):find("true_div"))
    optdb.canonicalize:query("fast_run"):optimize(g)
    assert.equal("[Elemwise{log}(Elemwise{add}(TensorConstant{(1,) of 1.0}, v))]", text(g))
    g = graph()
    optdb.canonicalize:optimize(g)
    assert.is_nil(text(g):find("true_div"))
  end)

  it("operations of the user with one name are told apart", function()
    local function op()
      return theano.as_op({ itypes = { v.type }, otypes = { v.type }, fn = function(a) return a end })
    end
    local a, b = op(), op()
    local g = gof.FunctionGraph({ v }, { a(v) + b(v) + a(v * 2) })
    g:attach_feature(gof.toolbox.NodeFinder())
    assert.equal(2, #g.get_nodes(g, a))
    assert.equal(1, #g.get_nodes(g, b))
    assert.equal(2, #g.get_nodes(g, a(v).owner.op))
    assert.is_true(gof.is_op(a(v).owner, a))
    assert.is_false(gof.is_op(a(v).owner, b))
    assert.is_false(a(v).owner.op == b(v).owner.op)
    gof.out2in(gof.OpRemove(a)):optimize(g)
    assert.equal(1, #g.get_nodes(g, b))
    assert.equal(0, #g.get_nodes(g, a))
  end)
end)

describe("a mode", function()
  it("is known by name, may be registered, and takes a Query", function()
    assert.equal("Mode{name = FAST_RUN, excluding = {fusion}}", tostring(get_mode("FAST_RUN"):excluding("fusion")))
    raises("ValueError", "nearest is 'FAST_RUN'", function() local _ = get_mode("FAST_RUNN") end)
    local plain = get_mode("FAST_RUN"):excluding("fusion")
    assert.equal(plain, get_mode(plain))
    theano.compile.register_mode("gof_spec", plain)
    assert.equal(2, #theano.compile({ x }, T.exp(x) * 2, { mode = "gof_spec" }).maker.fgraph:toposort())
    raises("ValueError", "already taken", function() theano.compile.register_mode("gof_spec", plain) end)
    theano.compile.mode.predefined_modes.gof_spec = nil
    local q = gof.Query({ include = { "fast_run" }, exclude = { "fusion" } })
    for _, optimizer in ipairs({ q, optdb:query("fast_run", "-fusion"), optdb:query(q) }) do
      local mode = Mode({ linker = "c", optimizer = optimizer })
      assert.equal("Mode{linker = c, optimizer = fast_run, excluding = {fusion}}", tostring(mode))
      assert.equal(2, #theano.compile({ x }, T.exp(x) * 2, { mode = mode }).maker.fgraph:toposort())
    end
    assert.equal("Mode", get_mode(nil).mode)
  end)

  it("runs rewrites of its own", function()
    local mode = get_mode("FAST_RUN"):register({ gof.OpSub("exp", "sin"), 0.5 })
    assert.equal("Elemwise{sin,no_inplace}", ops(theano.compile({ x }, T.exp(x), { mode = mode })))
    assert.equal("Elemwise{exp,no_inplace}", ops(theano.compile({ x }, T.exp(x))))
    optdb:remove(mode.tags.including[1])
  end)

  it("names what it does not know", function()
    raises("ValueError", "nearest is 'fast_run'", function() local _ = Mode({ optimizer = "fast_runn" }) end)
    raises("ValueError", "Invalid linker 'foo'", function() local _ = Mode({ linker = "foo" }) end)
    raises("TypeError", "register it in optdb", function() local _ = Mode({ optimizer = gof.OpSub("exp", "sin") }) end)
    raises("TypeError", "with a colon", function() local _ = get_mode("FAST_RUN").including("a") end)
  end)
end)

describe("what is printed", function()
  it("says what it is", function()
    local texts = {
      ["SequenceDB optdb: "] = optdb, ["SeqOptimizer o4: "] = optdb:query("o4"),
        ["EquilibriumDB stabilize at 1.5"] = optdb.stabilize,
      ["Query{include = {a}, exclude = {}, require = {}}"] = gof.Query({ include = { "a" } }),
      ["PatternSub p: log(1 + x) -> log1p(x)"] = gof.PatternSub("log(1 + x)", "log1p(x)", { name = "p" }),
      ["PatternSub: log(add(1, x)) -> log1p(x)"] = gof.PatternSub({ T.log, { T.add, 1, "x" } }, { T.log1p, "x" }),
      ["OpSub: add -> mul"] = gof.OpSub(T.add, T.mul), ["OpRemove: exp(x) -> x"] = gof.OpRemove("exp"),
      ["MergeOptimizer"] = gof.MergeOptimizer(), ["optimizer mine"] = gof.optimizer(print, { name = "mine" }),
      ["out2in"] = gof.out2in(gof.OpRemove("exp")), ["EquilibriumOptimizer"] = gof.EquilibriumOptimizer({
        gof.OpRemove("exp") }),
      ["Elemwise{exp,no_inplace}"] = T.exp(x).owner.op, ["Elemwise{exp,no_inplace}(x)"] = T.exp(x).owner,
      ["<theano.gof.toolbox.NodeFinder>"] = gof.toolbox.NodeFinder(), ["merge1 at 0 ("] = optdb.merge1,
      ["theano.compile: "] = theano.compile,
    }
    for text, value in pairs(texts) do
      assert.equal(text, tostring(value):sub(1, #text))
      assert.is_nil(tostring(value):find("0x", 1, true), text)
    end
  end)
end)

describe("node.op", function()
  it("is compared and applied", function()
    local node = (x + y).owner
    assert.is_true(node.op == (y + z).owner.op)
    assert.is_false(node.op == (y * z).owner.op)
    assert.equal("Elemwise{add,no_inplace}(z, x)", tostring(node.op(z, x).owner))
    assert.equal("float64", node.op:make_node(v, v).outputs[1].dtype)
    assert.equal(1, node.op(v, v).ndim)
    raises("TypeError", "takes 2 inputs", function() node.op(x) end)
    local twice = theano.Op({ name = "Twice", itypes = { x.type }, otypes = { x.type },
      perform = function(_, _, inputs, outputs) outputs[1] = inputs[1] * 2 end })
    assert.is_true(twice(x).owner.op == twice)
    assert.is_true(gof.is_op(twice(x).owner, twice))
    assert.is_false(gof.is_op(node, twice))
    assert.is_true(gof.is_op(T.sum(v).owner, T.sum))
  end)
end)
