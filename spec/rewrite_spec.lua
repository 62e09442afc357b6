--- Rewrites of the user's: patterns, local and global functions, where they run, and what happens when they fail.
local read = require("spec.support.graphs")
local theano = require("theano")
local core = require("theano.core")
local T, gof, optdb = theano.tensor, theano.gof, theano.compile.optdb
local contains, ops = read.contains, read.ops

local function quiet(fn) -- runs fn, gives what was logged
  local lines = {}
  core.set_logger(function(text) lines[#lines + 1] = text end)
  local ok, message = pcall(fn)
  core.set_logger(function(text) io.stderr:write(text) end)
  return table.concat(lines), ok, message
end

describe("a rewrite of the user's", function()
  local registered = {}
  local function keep(name)
    registered[#registered + 1] = name
    return name
  end
  after_each(function()
    for _, name in ipairs(registered) do pcall(optdb.remove, optdb, name) end
    registered = {}
    theano.config.on_opt_error = "warn"
  end)

  local x = T.dvector("x")

  it("is a pattern in a phase", function()
    T.opt.register_specialize(gof.PatternSub("sin(x) / cos(x)", "tan(x)", { name = keep("sin_over_cos") }))
    local f = theano.compile({ x }, T.sin(x) / T.cos(x))
    assert.equal("Elemwise{tan,no_inplace}", ops(f))
    assert.near(math.tan(0.5), f({ 0.5 })[0], 1e-15)
  end)

  it("is left out by name and by tag", function()
    T.opt.register_specialize(gof.PatternSub("sin(x) / cos(x)", "tan(x)", { name = keep("sin_over_cos") }), "mine")
    for _, word in ipairs({ "sin_over_cos", "mine" }) do
      local mode = theano.compile.get_mode("FAST_RUN"):excluding(word)
      contains(ops(theano.compile({ x }, T.sin(x) / T.cos(x), { mode = mode })), "sin")
    end
  end)

  it("is a function on one node", function()
    local seen
    local rule = gof.local_optimizer({ T.sin }, function(node)
      local inner = node.inputs[1].owner
      seen = node.op.kind
      if inner and inner.op.kind == "arcsin" then return inner.inputs[1] end
    end, { name = keep("sin_of_arcsin") })
    T.opt.register_canonicalize(rule)
    assert.equal("", ops(theano.compile({ x }, T.sin(T.arcsin(x)))))
    assert.equal("sin", seen)
    contains(ops(theano.compile({ x }, T.sin(T.arccos(x)))), "Composite{sin(arccos(i0))}")
  end)

  it("builds with the whole tensor language, on inputs, shared variables and constants", function()
    local w = theano.shared(theano.ndarray.array({ 2, 3 }), "w")
    optdb:register(keep("cos_to_dot"), gof.local_optimizer({ "cos" }, function(node)
      return T.dot(node.inputs[1], w) * T.ones_like(node.inputs[1]) + 1
    end), 1.05, "fast_run")
    local f = theano.compile({ x }, T.cos(x) + w)
    local r = f({ 1, 1 })
    assert.equal(8, r[0])
    assert.equal(9, r[1])
  end)

  it("runs on the whole graph", function()
    optdb:register(keep("all_exp_to_log"), gof.optimizer(function(fgraph)
      for _, node in ipairs(fgraph:toposort()) do
        if node.op.kind == "exp" then fgraph:replace_validate(node.outputs[1], T.log(node.inputs[1])) end
      end
    end), 2.5, "fast_run")
    local f = theano.compile({ x }, T.exp(T.exp(x) + 1) * T.sin(T.exp(x)))
    assert.near(math.log(math.log(3) + 1) * math.sin(math.log(3)), f({ 3 })[0], 1e-15)
  end)

  it("asks for clients, inputs, outputs and shapes", function()
    local got = {}
    optdb:register(keep("asks"), gof.optimizer(function(fgraph)
      for _, node in ipairs(fgraph:toposort()) do
        if node.op.kind == "exp" then
          got.clients = #fgraph:clients(node.outputs[1])
          got.length = fgraph.shape_feature.shape_of[node.outputs[1]][1]
        end
      end
      got.inputs, got.outputs = #fgraph.inputs, #fgraph.outputs
      got.same = fgraph.inputs[1] == x
    end), 1.05, "fast_run")
    theano.compile({ x }, { T.sin(T.exp(x)), T.cos(T.exp(x)) })
    assert.equal(2, got.clients)
    assert.equal(1, got.inputs)
    assert.equal(2, got.outputs)
    assert.is_true(got.same)
    contains(tostring(got.length), "Shape_i{0}")
  end)

  it("shows up in the summary at its place", function()
    optdb:register(keep("asks"), gof.optimizer(function() end), 1.05, "fast_run")
    local text = optdb:query("fast_run").summary()
    contains(text, "1.00  canonicalize")
    assert.truthy(text:find("canonicalize.*1%.05  asks.*1%.20  merge1%.2"))
  end)

  it("is only warned about when it fails, with its name and the user's line", function()
    T.opt.register_canonicalize(gof.local_optimizer({ "exp" }, function() error("no luck") end,
      { name = keep("unlucky") }))
    local log, ok = quiet(function() assert.near(math.exp(1), theano.compile({ x }, T.exp(x))({ 1 })[0], 1e-15) end)
    assert.is_true(ok)
    contains(log, "unlucky")
    contains(log, "rewrite_spec.lua:")
    contains(log, "no luck")
  end)

  it("ends the compilation under on_opt_error = raise", function()
    theano.config.on_opt_error = "raise"
    T.opt.register_canonicalize(gof.local_optimizer({ "exp" }, function() error("no luck") end,
      { name = keep("unlucky") }))
    local ok, message = pcall(theano.compile, { x }, T.exp(x))
    assert.is_false(ok)
    contains(tostring(message), "rewrite unlucky failed")
    contains(tostring(message), "no luck")
  end)

  it("may not change a type, nor use what it replaces", function()
    theano.config.on_opt_error = "raise"
    local answer
    T.opt.register_canonicalize(gof.local_optimizer({ "exp" }, function(node) return answer(node) end,
      { name = keep("bad") }))
    answer = function(node) return node.inputs[1]:sum() end
    local ok, message = pcall(theano.compile, { x }, T.exp(x))
    assert.is_false(ok)
    contains(tostring(message), "the types differ")
    answer = function(node) return node.outputs[1] + 1 end
    ok, message = pcall(theano.compile, { x }, T.exp(x))
    assert.is_false(ok)
    contains(tostring(message), "computed from the old one")
    answer = function() return T.dvector("y") end
    ok, message = pcall(theano.compile, { x }, T.exp(x))
    assert.is_false(ok)
    contains(tostring(message), "no input of the function")
  end)

  it("may not use what it replaces from afar, nor make nodes without end: it is told by name and left out", function()
    local answer
    T.opt.register_canonicalize(gof.local_optimizer({ "exp" }, function(node) return answer(node) end,
      { name = keep("greedy") }))
    local function logged()
      local log, ok = quiet(function()
        assert.near(math.exp(1), theano.compile({ x }, T.exp(x))({ 1 })[0], 1e-15)
      end)
      assert.is_true(ok)
      contains(log, "rewrite greedy could not be applied: BadOptimization")
      return log
    end
    answer = function(node) return T.sin(T.cos(T.sqr(node.outputs[1]) + 1) * 2) end
    contains(logged(), "computed from the old one")
    answer = function(node)
      local y = node.inputs[1]
      for i = 1, 120000 do y = y + i end
      return y
    end
    contains(logged(), "node after node")
  end)

  it("cannot make a cycle on the whole graph, which stays as it was", function()
    optdb:register(keep("cycle"), gof.optimizer(function(fgraph)
      local order = fgraph:toposort()
      fgraph:replace_validate(order[1].outputs[1], order[#order].outputs[1] * 2)
    end), 1.05, "fast_run")
    local log, ok = quiet(function()
      assert.near(math.sin(math.exp(1)), theano.compile({ x }, T.sin(T.exp(x)))({ 1 })[0], 1e-15)
    end)
    assert.is_true(ok)
    contains(log, "computed from the old one")
  end)

  -- sin(exp(x)) * cos(exp(x)) with the list that `pairs_of` makes of the results of exp, sin and cos by name
  local function replaced(pairs_of)
    optdb:register(keep("many"), gof.optimizer(function(fgraph)
      local v = {}
      for _, node in ipairs(fgraph:toposort()) do v[node.op.kind] = node.outputs[1] end
      fgraph:replace_all_validate(pairs_of(v))
    end), 1.05, "fast_run")
    local value
    local log = quiet(function() value = theano.compile({ x }, T.sin(T.exp(x)) * T.cos(T.exp(x)))({ 0.5 })[0] end)
    optdb:remove("many")
    return value, log
  end
  local e = math.exp(0.5)
  local as_written = math.sin(e) * math.cos(e)

  it("makes all replacements of a list", function()
    local value, log = replaced(function(v) return { { v.sin, T.tanh(v.exp) }, { v.cos, T.sinh(v.sin) } } end)
    assert.equal("", log)
    local t = (math.exp(2 * e) - 1) / (math.exp(2 * e) + 1)
    assert.near(t * (math.exp(t) - math.exp(-t)) / 2, value, 1e-14)
  end)

  it("follows replacements of what a list puts in", function()
    local value, log = replaced(function(v) return { { v.sin, v.cos }, { v.cos, v.exp } } end)
    assert.equal("", log)
    assert.near(e * e, value, 1e-14)
  end)

  it("makes none of a list where one is refused", function()
    local refused = {
      ["the types differ"] = function(v) return { { v.sin, v.exp }, { v.cos, v.exp:sum() } } end,
      ["the replacements together make a cycle"] = function(v)
        return { { v.sin, T.tanh(v.cos) }, { v.cos, T.tanh(v.sin) } }
      end,
      ["is to be replaced twice"] = function(v) return { { v.sin, v.exp }, { v.sin, v.cos } } end,
      ["no input of the function"] = function(v) return { { v.sin, v.exp }, { v.cos, T.dvector("stranger") } } end,
      ["together make a cycle"] = function(v) return { { v.exp, T.exp(v.sin) }, { v.cos, v.sin } } end,
    }
    for why, pairs_of in pairs(refused) do
      local value, log = replaced(pairs_of)
      contains(log, why)
      assert.near(as_written, value, 1e-15, why)
    end
    local value, log = replaced(function(v) return { { v.sin, v.cos }, { v.cos, v.sin } } end)
    contains(log, "together make a cycle")
    assert.near(as_written, value, 1e-15)
  end)

  it("has a name of its own, a pattern that can be read and operations that exist", function()
    local one = gof.PatternSub("sin(x) / cos(x)", "tan(x)", { name = keep("one") })
    T.opt.register_specialize(one)
    assert.has_error(function() T.opt.register_specialize(one) end)
    for _, bad in ipairs({ gof.PatternSub("sin(x", "x", { name = "a" }), gof.PatternSub("sin(x)", "y", { name = "b" }),
      gof.PatternSub("sinn(x)", "x", { name = "c" }),
      gof.PatternSub("sin(x)", "x") }) do
      assert.has_error(function() T.opt.register_specialize(bad) end)
    end
    assert.has_error(function() optdb:remove("never_there") end)
    assert.has_error(function() gof.local_optimizer({ "sinn" }, function() end, { name = "d" }) end)
  end)

  it("is shown as deep as six levels, whatever the graph's size", function()
    local depth = 0
    T.opt.register_canonicalize(gof.local_optimizer({ "arctan" }, function(node)
      local v = node.inputs[1]
      while v.owner do
        depth = depth + 1
        v = v.owner.inputs[1]
      end
    end, { name = keep("looks_down") }))
    local y = x
    for _ = 1, 100 do y = T.sin(y) end
    theano.compile({ x }, T.arctan(y))
    assert.equal(6, depth)
  end)
end)

describe("words in optimizer_including and excluding", function()
  it("that nobody knows are warned about, with the nearest name", function()
    local x = T.dvector("x")
    local mode = theano.compile.get_mode("FAST_RUN"):excluding("local_log1pp")
    local log, ok = quiet(function() theano.compile({ x }, T.exp(x), { mode = mode }) end)
    assert.is_true(ok)
    contains(log, "local_log1pp")
    contains(log, "nearest is local_log1p")
  end)

  it("may be those of Theano's places that are empty here", function()
    local x = T.dvector("x")
    local mode = theano.compile.get_mode("FAST_RUN"):excluding("scan", "gpuarray_opt", "random_make_inplace", "inplace")
    local log, ok = quiet(function() theano.compile({ x }, T.exp(x), { mode = mode }) end)
    assert.is_true(ok)
    assert.equal("", log)
    contains(theano.compile.optdb:query("o4").summary(), "cond_make_inplace  (")
  end)
end)
