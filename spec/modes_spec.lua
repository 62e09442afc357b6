-- DebugMode, NanGuardMode and MonitorMode find what is wrong on purpose, and nothing where all is right.
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd, gof = theano.tensor, theano.ndarray, theano.gof
local compile = theano.compile

-- An operation of one vector; fn gets and gives an array.
local function op_of(fn, more)
  local vector = T.dvector().type
  local fields = {
    name = "Mine", itypes = { vector }, otypes = { vector }, perform = function(_, _, inputs) return fn(inputs[1]) end,
    infer_shape = function(_, _, shapes) return { shapes[1] } end,
  }
  for k, v in pairs(more or {}) do fields[k] = v end
  return theano.Op(fields)
end

local function debugged(inputs, outputs, options)
  local mode = compile.DebugMode(options or { stability_patience = 2 })
  return compile({ inputs = inputs, outputs = outputs, mode = mode })
end

-- With a rewrite registered for the time of a call.
local function with_rule(name, rule, fn)
  T.opt.register_specialize(rule, name)
  local ok, e = pcall(fn)
  compile.optdb:remove(name)
  if not ok then error(e, 0) end
end

local function bad_tan() return gof.PatternSub("sin(x) / cos(x)", "tan(x + 1)", { name = "bad_tan" }) end

describe("DebugMode", function()
  local x = T.dvector("x")

  it("gives what the function gives, with updates, states and by a call by name", function()
    local w = theano.shared(nd.ones({ 3, 2 }), "w")
    local m = T.dmatrix("m")
    local y = T.tanh(T.dot(m, w)):sum()
    local function step(mode)
      w:set_value(nd.ones({ 3, 2 }))
      local updates = { { w, w - 0.1 * T.grad(y, w) } }
      local f = compile({ inputs = { m }, outputs = { y = y }, updates = updates, mode = mode })
      local first, second = f({ m = nd.ones({ 2, 3 }) }).y, f({ m = nd.ones({ 2, 3 }) }).y
      return { first, second, w:get_value():tolist() }
    end
    assert.same(step("FAST_RUN"), step("DebugMode"))
    assert.same(step("FAST_RUN"), step("DEBUG_MODE"))
    local c = T.dscalar("c")
    local f = compile({ compile.In(c, { value = 1.0, update = c + 1.0 }) }, c * 2, { mode = "DebugMode" })
    assert.same({ 2.0, 4.0, 6.0 }, { f(), f(), f() })
    assert.equal(8.0, f:copy()())
  end)

  it("an operation that writes its input is a BadDestroyMap, unless destroy_map says so", function()
    local function double(a)
      a[0] = 5.0
      return a * 2
    end
    raises("BadDestroyMap", { "Mine: perform changed its input 1", "modes_spec.lua:" }, function()
      local f = debugged({ x }, op_of(double)(x + 1))
      f({ 1.0, 2.0 })
    end)
    local said = debugged({ x }, op_of(double, { name = "Said", destroy_map = { { 1 } } })(x + 1))
    assert.same({ 10.0, 6.0 }, said({ 1.0, 2.0 }):tolist())
  end)

  it("what an operation's perform calls is checked by its own mode, and leaves the operation's checks alone", function()
    local function writes(a)
      a[0] = 5.0
      return a * 2
    end
    local quick = compile({ x }, op_of(writes, { name = "Quick" })(x + 1), { mode = "FAST_RUN" })
    local calls = debugged({ x }, op_of(function(a) return quick(a) end, { name = "Calls" })(x + 1))
    assert.same({ 10.0, 8.0 }, calls({ 1.0, 2.0 }):tolist())
    local inner = debugged({ x }, op_of(function(a) return a * 3 end, { name = "Inner" })(x + 1))
    raises("BadDestroyMap", { "Outer: perform changed its input 1" }, function()
      local f = debugged({ x }, op_of(function(a)
        inner(a)
        return writes(a)
      end, { name = "Outer" })(x + 1))
      f({ 1.0, 2.0 })
    end)
  end)

  it("an operation that gives its input is a BadViewMap, unless view_map says so", function()
    raises("BadViewMap", { "result 1 of perform shares memory with its input 1" }, function()
      local f = debugged({ x }, op_of(function(a) return a["::-1"] end)(x + 1))
      f({ 1.0, 2.0 })
    end)
    local turned = op_of(function(a) return a["::-1"] end, { name = "Said", view_map = { { 1 } } })
    local said = debugged({ x }, turned(x + 1))
    assert.same({ 3.0, 2.0 }, said({ 1.0, 2.0 }):tolist())
  end)

  it("an operation with a memory is a BadThunkOutput", function()
    local turn = 0
    local op = op_of(function(a)
      turn = turn + 1
      return a * turn
    end)
    raises("BadThunkOutput", { "ran a second time", "first: float64 (2)", "second:", "made at spec/modes_spec.lua:" },
      function()
        local f = debugged({ x }, op(x + 1))
        f({ 1.0, 2.0 })
      end)
  end)

  it("generated C and the interpreter are compared, node by node", function()
    if not pcall(theano.printing.ccode, compile({ x }, x * 2)) then return pending("no C compiler here") end
    local turn = 0
    local op = op_of(function(a) -- as written and as rewritten the same, another value when the C calls it
      turn = turn + 1
      return a * (turn > 2 and 3.0 or 2.0)
    end)
    raises("BadThunkOutput", { "the interpreter and generated C", "interpreter:", "generated C:" }, function()
      local f = debugged({ x }, op(x + 1), { check_py_code = false })
      f({ 1.0, 2.0 })
    end)
    turn = 0
    local quiet = debugged({ x }, op(x + 1), { check_c_code = false, stability_patience = 1 })
    assert.same({ 4.0, 6.0 }, (function() turn = -5 return quiet({ 1.0, 2.0 }):tolist() end)())
  end)

  it("generated C that computes something else, or writes what it only reads, is found out", function()
    skip.unless(theano.config.cxx ~= "" and theano.config.device == "cpu", "no C compiler")
    local folder = runner.folder()
    runner.write(folder .. "/a.lua", [[
      local theano = require("theano")
      local T, mode = theano.tensor, theano.compile.DebugMode({ stability_patience = 1 })
      local x, y = T.dvector("features"), T.dvector("y")
      local f = theano.compile({ x, y }, T.exp(x) * y, { mode = mode })
      f({ 1, 2 }, { 3, 4 })
    ]])
    -- A compiler that damages the text: what the kernel did gets another line.
    local function said(fault)
      local script = folder .. "/cc"
      runner.write(script, ('#!/bin/sh\nfor a in "$@"; do case "$a" in *.c) sed -i "s/return kernel_0(f, b, s, 0, 0);/'
        .. 'int r = kernel_0(f, b, s, 0, 0); %s; return r;/" "$a";; esac; done\nexec %s "$@"\n'):format(fault,
        theano.config.cxx))
      os.execute("chmod 700 " .. script)
      return runner.run({ folder .. "/a.lua" }, { env = {
        ("THEANO_FLAGS=cxx=%s,base_compiledir=%s/c,linker=c"):format(script, folder) } })
    end
    local wrong = said("((double *)b[2])[0] += 1")
    local writes = said("((double *)b[0])[0] = 7")
    runner.remove(folder)
    for _, word in ipairs({ "BadThunkOutput: the interpreter and generated C", "exp(i0)", "(features, y)", "a.lua:4",
      "largest difference: 1" }) do
      assert.truthy(wrong:find(word, 1, true), wrong)
    end
    for _, word in ipairs({ "BadDestroyMap: generated C changed input 0", "(features, y)", "a.lua:4",
      "before: float64 (2) array([1., 2.])", "after: float64 (2) array([7., 2.])" }) do
      assert.truthy(writes:find(word, 1, true), writes)
    end
  end)

  it("an operation's perform and its kernel are compared, inside a loop too", function()
    local cube = theano.Op({ name = "Cube", kernel = "x*x*x", perform = function(_, _, i) return i[1] * i[1] end })
    local same = theano.Op({ name = "Square", kernel = "x*x", perform = function(_, _, i) return i[1] * i[1] end })
    assert.same({ 4.0, 9.0 }, debugged({ x }, same(x + 1))({ 1.0, 2.0 }):tolist())
    assert.same({ 8.0, 27.0 }, compile({ x }, cube(x + 1))({ 1.0, 2.0 }):tolist()) -- the kernel runs
    raises("BadThunkOutput", { "perform and its kernel", "perform: float64 (2) array([4., 9.])" }, function()
      local f = debugged({ x }, cube(x + 1))
      f({ 1.0, 2.0 })
    end)
    local h = theano.scan({ fn = function(h) return cube(h) * 0.5 + 1 end, outputs_info = x, n_steps = 4 })
    raises("BadThunkOutput", { "perform and its kernel", "In step 1 of for" }, function()
      local f = debugged({ x }, h[-1])
      f({ 1.0, 1.0 })
    end)
  end)

  it("a rewrite that changes values is a BadOptimization with its name, both graphs and values", function()
    with_rule("bad_tan", bad_tan(), function()
      raises("BadOptimization", { "rewrite bad_tan", "old: float64 (2)", "new: float64 (2)", "Old graph:\n",
        "Elemwise{sin,no_inplace}", "New graph:\nElemwise{tan,no_inplace}", "Made at spec/modes_spec.lua:" }, function()
        local f = debugged({ x }, T.sin(x) / T.cos(x) + 2)
        f({ 1.0, 2.0 })
      end)
    end)
  end)

  it("rewrites of bodies are checked at every step and in the branch taken", function()
    with_rule("bad_tan", bad_tan(), function()
      local function half(h) return T.switch(h:gt(3), T.sin(h) / T.cos(h), h * 2) end
      local h = theano.scan({ fn = half, outputs_info = x, n_steps = 6 })
      raises("BadOptimization", { "rewrite bad_tan", "In step 0 of for", "modes_spec.lua" }, function()
        local f = debugged({ x }, h[-1])
        f({ 1.0, 1.5 })
      end)
      local c = T.iscalar("c")
      local z = theano.ifelse(c, T.sin(x) / T.cos(x), x * 2)
      local f = debugged({ c, x }, z)
      assert.same({ 2.0, 4.0 }, f(0, { 1.0, 2.0 }):tolist())
      raises("BadOptimization", { "rewrite bad_tan", "Inside if{}" }, function() f(1, { 1.0, 2.0 }) end)
    end)
  end)

  it("a rewrite of the graph as a whole is checked", function()
    local wrong = gof.optimizer(function(fgraph)
      for _, node in ipairs(fgraph:toposort()) do
        if node.op.kind == "cosh" then fgraph:replace_validate(node.outputs[1], T.sinh(node.inputs[1])) end
      end
    end)
    compile.optdb:register("wrong_cosh", wrong, 1.05, "fast_run")
    local ok, e = pcall(function() debugged({ x }, T.cosh(x) + 1)({ 1.0 }) end)
    compile.optdb:remove("wrong_cosh")
    assert.is_false(ok)
    assert.equal("BadOptimization", theano.error_kind(e))
    assert.truthy(e:find("rewrite wrong_cosh", 1, true), e)
  end)

  it("rewriting that goes another way the next time is a StochasticOrder", function()
    local n = 0
    local sometimes = gof.local_optimizer({ "sinh" }, function(node)
      n = n + 1
      if n % 2 == 0 then return (T.exp(node.inputs[1]) - T.exp(-node.inputs[1])) / 2 end
    end)
    compile.optdb:register("sometimes", sometimes, 1.05, "fast_run")
    local ok, e = pcall(debugged, { x }, T.sinh(x), { stability_patience = 10 })
    local calm = pcall(debugged, { x }, T.sinh(x), { stability_patience = 1 })
    compile.optdb:remove("sometimes")
    assert.is_false(ok)
    assert.is_true(calm)
    assert.equal("StochasticOrder", theano.error_kind(e))
    assert.truthy(e:find("sometimes: Elemwise{sinh,no_inplace}", 1, true), e)
  end)

  it("values that a type does not allow, or that are not finite, are an InvalidValueError", function()
    raises("InvalidValueError", { "perform gave output 0 as float32, declared is float64" }, function()
      local f = debugged({ x }, op_of(function(a) return a:astype("float32") end)(x))
      f({ 1.0 })
    end)
    local f = debugged({ x }, T.log(x))
    raises("InvalidValueError", { "NaN (check_finite)", "Elemwise{log,no_inplace}" }, function() f({ -1.0 }) end)
    raises("InvalidValueError", { "infinity", "the input x" }, function() f({ 1 / 0 }) end)
    assert.same({ 0.0 }, f({ 1.0 }):tolist())
    local lax = debugged({ x }, T.log(x), { check_isfinite = false })
    assert.equal(-1 / 0, lax({ 0.0 })[0])
  end)

  it("an error of the user's own stays what it is", function()
    local f = debugged({ x }, x[5])
    raises("IndexError", { "index out of bounds: 5", "Apply node that caused the error" }, function() f({ 1.0 }) end)
    assert.equal(6.0, f({ 1.0, 2.0, 3.0, 4.0, 5.0, 6.0 }))
  end)

  it("state is untouched by a call that it refuses", function()
    local w = theano.shared(nd.ones({ 2 }), "w")
    local f = compile({ inputs = { x }, outputs = T.log(x), updates = { { w, w + x } }, mode = "DebugMode" })
    assert.is_false((pcall(f, { -1.0, 1.0 })))
    assert.same({ 1.0, 1.0 }, w:get_value():tolist())
    f({ 1.0, 2.0 })
    assert.same({ 2.0, 3.0 }, w:get_value():tolist())
  end)

  it("goes through loops with taps, conditions, loops inside and their gradients", function()
    local function body(a, b, w)
      local inner = theano.scan({ fn = function(h, v) return T.tanh(h * v) end, outputs_info = a, non_sequences = w,
        n_steps = 3 })
      return { inner[-1] + 0.5 * b }, theano.until_(inner[-1]:sum():gt(50))
    end
    local w = T.dvector("w")
    local first = T.dmatrix("first")
    local out = theano.scan({ fn = body, outputs_info = { { initial = first, taps = { -2, -1 } } }, non_sequences = w,
      n_steps = 6 })
    local outs = { out, T.grad(out:sum(), w), T.grad(out[-1]:sum(), first) }
    local value = { nd.ones({ 2, 3 }) * 0.3, nd.array({ 0.5, -0.2, 0.9 }) }
    local plain = compile({ inputs = { first, w }, outputs = outs })
    local a, b = table.pack(plain(table.unpack(value))), table.pack(debugged({ first, w }, outs)(table.unpack(value)))
    for i = 1, 3 do assert.is_true(nd.allclose(a[i], b[i])) end
  end)

  it("obeys its flags, and refuses to check nothing", function()
    local function flag(name, value, fn)
      local was = theano.config[name]
      theano.config[name] = value
      local ok, e = pcall(fn)
      theano.config[name] = was
      if not ok then error(e, 0) end
    end
    flag("DebugMode.check_finite", false, function()
      assert.equal(-1 / 0, compile({ inputs = { x }, outputs = T.log(x), mode = "DebugMode" })({ 0.0 })[0])
    end)
    flag("mode", "DebugMode", function() assert.is_false((pcall(compile({ x }, T.log(x)), { -1.0 }))) end)
    assert.equal(10, theano.config["DebugMode.patience"])
    raises("ValueError", { "at least one of c and py" }, function()
      local m = compile.DebugMode({ check_c_code = false, check_py_code = false })
      return m
    end)
    raises("TypeError", { "unknown keyword 'patience'", "stability_patience" }, function()
      local m = compile.DebugMode({ patience = 3 })
      return m
    end)
  end)
end)

describe("NanGuardMode", function()
  local x = T.dvector("x")
  local function guarded(outs, options)
    return compile({ inputs = { x }, outputs = outs, mode = compile.NanGuardMode(options or {}) })
  end

  it("names the first node with NaN, infinity or a big value, and the line that made it", function()
    local f = guarded(T.sqrt(T.log(x)):sum())
    raises("NanGuardError", { "NaN detected in output 0 of", "made at spec/modes_spec.lua:" }, function()
      f({ -1.0 })
    end)
    raises("NanGuardError", { "NaN detected in the input x" }, function() f({ 0 / 0 }) end)
    raises("NanGuardError", { "Inf detected in the input x" }, function() f({ 1 / 0 }) end)
    raises("NanGuardError", { "Big value detected in output 0 of" }, function() guarded(T.exp(x))({ 50.0 }) end)
    assert.equal(1.0, f({ math.exp(1) }))
  end)

  it("minds only what it is told, by options, flags and positions", function()
    assert.equal(-1 / 0, guarded(T.log(x), { inf_is_error = false })({ 0.0 })[0])
    assert.truthy(guarded(T.exp(x), { big_is_error = false })({ 50.0 })[0] > 1e20)
    local m = compile.NanGuardMode(false, true, true)
    local v = compile({ inputs = { x }, outputs = T.log(x), mode = m })({ -1.0 })[0]
    assert.is_true(v ~= v)
    assert.is_false((pcall(compile({ inputs = { x }, outputs = T.log(x), mode = "NanGuardMode" }), { -1.0 })))
    raises("ValueError", { "action is 'raise' or 'warn'" }, function()
      local bad = compile.NanGuardMode({ action = "pdb" })
      return bad
    end)
  end)

  it("looks into loops at every step", function()
    local h = theano.scan({ fn = function(h) return T.sqrt(h - 1) end, outputs_info = x, n_steps = 6 })
    local f = guarded(h[-1])
    raises("NanGuardError", { "NaN detected", "In step 3 of for", "modes_spec.lua:" }, function() f({ 10.0 }) end)
  end)
end)

describe("MonitorMode", function()
  local x = T.dvector("x")

  it("calls before and after every node with its place, the node and its values", function()
    local told = {}
    local mode = compile.MonitorMode({
      pre_func = function(i, node, fn) told[#told + 1] = { "pre", i, node.op.kind, #fn.inputs, #fn.outputs } end,
      post_func = function(i, _, fn) told[#told + 1] = { "post", i, fn.outputs[1][1] } end,
    })
    local f = compile({ inputs = { x }, outputs = T.exp(x):sum(), mode = mode })
    f({ 0.0, 0.0 })
    assert.equal(4, #told)
    assert.same({ "pre", 0, "exp", 1, 0 }, told[1])
    assert.same({ 1.0, 1.0 }, told[2][3]:tolist())
    assert.same({ "pre", 1, "Sum", 1, 0 }, told[3])
    assert.equal(2.0, told[4][3]:item())
  end)

  it("tells the loop and the step, and passes errors on", function()
    local steps = {}
    local h = theano.scan({ fn = function(h) return h * 2 end, outputs_info = x, n_steps = 3 })
    local f = compile({ inputs = { x }, outputs = h[-1], mode = compile.MonitorMode({
      post_func = function(_, _, fn) if fn.within then steps[#steps + 1] = fn.step end end }) })
    assert.same({ 8.0 }, f({ 1.0 }):tolist())
    assert.same({ 0, 1, 2 }, steps)
    local g = compile({ inputs = { x }, outputs = x * 2, mode = compile.MonitorMode(function()
      error("ValueError: enough")
    end) })
    raises("ValueError", { "enough" }, function() g({ 1.0 }) end)
  end)

  it("detect_nan prints the node", function()
    local mode = compile.MonitorMode({ post_func = compile.monitormode.detect_nan })
    local f = compile({ inputs = { x }, outputs = T.log(x), mode = mode })
    local said, was = {}, _G.print
    _G.print = function(...) said[#said + 1] = table.concat({ ... }, " ") end -- luacheck: ignore
    f({ 1.0 })
    local before = #said
    f({ -1.0 })
    _G.print = was -- luacheck: ignore
    assert.equal(0, before)
    assert.equal("*** NaN detected ***", said[1])
  end)
end)
