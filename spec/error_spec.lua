--- What users do wrong: each raises "file:line: Kind: message" at the user's own line, says what to do, and changes
-- nothing.
-- Allocation failures at every site are in spec/c, where the allocator is ours to break.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local slurp = require("spec.support.slurp")
local theano = require("theano")
local T = require("theano.tensor")
local compile = theano.compile

local HERE = debug.getinfo(1, "S").source:sub(2)
local MODES = {
  C = compile.Mode({ linker = "c", optimizer = "fast_run" }),
  interpreter = compile.Mode({ linker = "interpreter", optimizer = "fast_run" }),
  ["no optimizer"] = compile.Mode({ linker = "interpreter", optimizer = "None" }),
}

describe("inputs of a function", function()
  local x, y = T.dmatrix("x"), T.dmatrix("y")
  local w = theano.shared(nd.zeros(3), "w")

  it("are no constants and no shared variables", function()
    raises("TypeError", { "index 0", "TensorConstant{2}", "givens" }, function()
      compile({ inputs = { T.constant(2) }, outputs = x })
    end)
    raises("TypeError", { "shared variable", "w (made at " .. HERE, "givens" }, function()
      compile({ inputs = { w }, outputs = w * 2 })
    end)
  end)

  it("are no values and no single Variable", function()
    raises("TypeError", "inputs[1] is a number", function() compile({ inputs = { 3 }, outputs = x }) end)
    raises("TypeError", "write {x}", function() compile({ inputs = x, outputs = x }) end)
  end)

  it("stand there once", function()
    raises("UnusedInputError", { "x (made at " .. HERE, "index 0 and at index 1" }, function()
      compile({ inputs = { x, x }, outputs = x })
    end)
  end)

  it("are used, unless on_unused_input says otherwise", function()
    raises("UnusedInputError", { "index 1", "y (made at " .. HERE, "on_unused_input" }, function()
      compile({ inputs = { x, y }, outputs = x * 2 })
    end)
    local f = compile({ inputs = { x, y }, outputs = x * 2, on_unused_input = "ignore" })
    assert.equal(6.0, f({ { 3.0 } }, { { 1.0 } })[{ 0, 0 }])
  end)

  it("are all there", function()
    raises("MissingInputError", { "y (made at " .. HERE, "Elemwise{add,no_inplace}", "givens" }, function()
      compile({ inputs = { x }, outputs = x + y })
    end)
    raises("MissingInputError", "x (made at", function()
      local value = (x * 2):eval()
      return value
    end)
  end)
end)

describe("arguments of a call", function()
  local m, v = T.dmatrix("m"), T.dvector("v")
  local f = compile({ inputs = { m, v }, outputs = m + v, name = "adder" })
  local a, b = nd.ones({ 2, 3 }), nd.ones(3)

  it("are as many as the inputs", function()
    raises("TypeError", "Missing required input: v", function() f(a) end)
    raises("TypeError", { "adder", "3 given, 2 expected" }, function() f(a, b, b) end)
    raises("TypeError", "Missing required input", function() f({ m = a }) end)
  end)

  it("have the names of inputs", function()
    raises("TypeError", "Unknown input or state: q", function() f({ m = a, q = b }) end)
  end)

  it("have the rank of their input, and its line is named", function()
    raises("TypeError", { 'name "adder"', "index 0 (0-based)", "input m", HERE, "expected 2, got 1 with shape (3,)" },
      function() f(b, b) end)
  end)

  it("lose no precision", function()
    local x = T.fmatrix("x")
    local g = compile({ inputs = { x }, outputs = x * 2 })
    raises("TypeError", { "float64 in a float32", 'astype("float32")', "allow_input_downcast" }, function() g(a) end)
    local loose = compile({ inputs = { x }, outputs = x * 2, allow_input_downcast = true })
    assert.equal("float32", loose(a).dtype)
    local i = T.lvector("i")
    local h = compile({ inputs = { i }, outputs = i + 1 })
    raises("TypeError", "1.5 cannot be held exactly by int64", function() h({ 1.5 }) end)
    raises("TypeError", "float64 in a int64", function() h(nd.array({ 1.5 })) end)
    assert.same({ 2, 3 }, h({ 1, 2 }):tolist())
  end)

  it("have length 1 where the type says so", function()
    local r = T.drow("r")
    local g = compile({ inputs = { r }, outputs = r * 2 })
    raises("TypeError", { "broadcastable dimension", "(2, 3)" }, function() g(a) end)
  end)

  it("are no symbolic Variables", function()
    raises("TypeError", "found a Variable", function() f(m, b) end)
  end)

  it("are not freed", function()
    local gone = nd.ones(3)
    gone:free()
    raises("ValueError", "freed", function() f(a, gone) end)
  end)
end)

for name, mode in pairs(MODES) do
  describe("run-time errors with " .. name, function()
    local x, y, v = T.dmatrix("x"), T.dmatrix("y"), T.dvector("v")
    local i = T.lvector("i")
    local a = nd.ones({ 2, 3 })

    it("name both lengths, the node, its inputs and the line that made it", function()
      local line = debug.getinfo(1, "l").currentline + 1
      local f = compile({ inputs = { x, y }, outputs = x + y, mode = mode })
      local wanted = {
        "Input dimension mis-match", "input[0].shape[0] = 2", "input[1].shape[0] = 3",
        "Apply node that caused the error: Elemwise{add,no_inplace}(x, y)",
        "Inputs types: [TensorType(float64, matrix), TensorType(float64, matrix)]",
        "Inputs shapes: [(2, 3), (3, 3)]", "Inputs strides: [(24, 8), (24, 8)]",
      }
      local message = raises("ValueError", wanted, function() f(a, nd.ones({ 3, 3 })) end)
      assert.truthy(message:find(HERE .. ":" .. line, 1, true), message)
    end)

    it("show values of at most five elements, where they still are, and what the results were for", function()
      local f = compile({ inputs = { x, v, i }, outputs = { (T.sort(v) + x)[i] * 2, v }, mode = mode })
      raises("IndexError", "Inputs values: ['not shown', array([7])]", function() f(a, { 3, 1, 2 }, { 7 }) end)
      local g = compile({ inputs = { v, i }, outputs = T.sort(v)[i] * 2, mode = mode })
      raises("IndexError", { "Inputs values: [array([1., 2., 3.]), array([7])]", "Outputs clients: [[Elemwise{" },
        function() g({ 3, 1, 2 }, { 7 }) end)
      raises("IndexError", "Inputs values: [array([1., 2., 3., 4., 5.]), array([-9])]",
        function() g({ 5, 3, 1, 2, 4 }, { -9 }) end)
      raises("IndexError", "Inputs values: ['not shown', array([7])]", function() g({ 1, 2, 3, 4, 5, 6 }, { 7 }) end)
      local s = compile({ inputs = { v, i }, outputs = v[i], mode = mode })
      raises("IndexError", { "Inputs values: [array([2., 1.]), array([7])]", "Outputs clients: [['output']]" },
        function() s(nd.array({ 1.0, 0.0, 2.0 })["::-2"], { 7 }) end)
    end)

    it("name every line of operations that were fused", function()
      local line = debug.getinfo(1, "l").currentline + 1
      local z = x + y
      local f = compile({ inputs = { x, y }, outputs = T.exp(z), mode = mode })
      local ok, message = pcall(f, a, nd.ones({ 3, 3 }))
      assert.is_false(ok)
      assert.truthy(tostring(message):find(HERE .. ":" .. line, 1, true), tostring(message))
    end)

    it("tell how to promise a length of 1", function()
      local f = compile({ inputs = { x, y }, outputs = x + y, mode = mode })
      raises("ValueError", { "T.row", "T.addbroadcast", "broadcastable" }, function() f(a, nd.ones({ 1, 3 })) end)
    end)

    it("come from dot", function()
      local f = compile({ inputs = { x, y }, outputs = T.dot(x, y), mode = mode })
      raises("ValueError", { "mismatch", "3", "2", "Apply node", HERE }, function() f(a, a) end)
      local g = compile({ inputs = { x, v }, outputs = T.dot(x, v), mode = mode })
      raises("ValueError", { "mismatch", "Apply node", HERE }, function() g(a, nd.ones(2)) end)
    end)

    it("come from positions out of range", function()
      local f = compile({ inputs = { v }, outputs = v[5], mode = mode })
      raises("IndexError", { "index out of bounds", "5", HERE }, function() f(nd.ones(3)) end)
      local g = compile({ inputs = { v, i }, outputs = v[i], mode = mode })
      raises("IndexError", "index 7 for a dimension of length 3 (axis 0, position 1)",
        function() g(nd.ones(3), { 1, 7 }) end)
      local m = compile({ inputs = { x, i }, outputs = x[{ T.slice(), i }], mode = mode })
      raises("IndexError", "index -4 for a dimension of length 3 (axis 1, position 0)",
        function() m(nd.ones({ 4, 3 }), { -4, 0 }) end)
      local inc = compile({ inputs = { x, i }, outputs = T.inc_subtensor(x[{ i, 0 }], 1), mode = mode })
      raises("IndexError", "index 4 for a dimension of length 4 (axis 0, position 2)",
        function() inc(nd.ones({ 4, 3 }), { 0, 3, 4 }) end)
      local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(x), i)
      local h = compile({ inputs = { x, i }, outputs = cost, mode = mode })
      local classes = "y_i value out of bounds: class %d, position 1, but there are 3 classes"
      raises("ValueError", classes:format(9), function() h(a, { 0, 9 }) end)
      raises("ValueError", classes:format(-1), function() h(a, { 0, -1 }) end)
    end)

    it("come from reshape, join and an integer division by zero", function()
      local f = compile({ inputs = { v }, outputs = v:reshape({ 2, 2 }), mode = mode })
      raises("ValueError", "reshape", function() f(nd.ones(3)) end)
      local g = compile({ inputs = { x, y }, outputs = T.concatenate({ x, y }, { axis = 0 }), mode = mode })
      raises("ValueError", "Join", function() g(a, nd.ones({ 2, 2 })) end)
      local h = compile({ inputs = { i }, outputs = i // 0, mode = mode })
      raises("ZeroDivisionError", "zero", function() h({ 1 }) end)
    end)

    it("leave shared variables as they were, and the next call works", function()
      local w, n = theano.shared(nd.ones(3), "w"), theano.shared(0, "n")
      local updates = { { n, n + 1 }, { w, w + v } }
      local step = compile({ inputs = { v }, outputs = (w * v):sum(), updates = updates, mode = mode })
      step({ 1.0, 2.0, 3.0 })
      raises("ValueError", "mis-match", function() step({ 1.0, 2.0 }) end)
      assert.same({ 2.0, 3.0, 4.0 }, w:get_value():tolist())
      assert.equal(1, n:get_value())
      assert.equal(2.0 + 6.0 + 12.0, step({ 1.0, 2.0, 3.0 }))
      assert.equal(2, n:get_value())
    end)

    it("found late leave shared variables as they were too", function()
      local w = theano.shared(nd.arange(4.0), "w")
      local step = compile({ inputs = { i }, outputs = w[i], updates = { { w, w * 2 } }, mode = mode })
      raises("IndexError", "99", function() step({ 0, 99 }) end)
      assert.same({ 0.0, 1.0, 2.0, 3.0 }, w:get_value():tolist())
      assert.same({ 3.0 }, step({ 3 }):tolist())
      assert.same({ 0.0, 2.0, 4.0, 6.0 }, w:get_value():tolist())
    end)
  end)
end

describe("updates", function()
  local x, w = T.dvector("x"), theano.shared(nd.zeros(3), "w")

  it("are for shared variables", function()
    raises("TypeError", { "shared variable", "x (made at " .. HERE }, function()
      compile({ inputs = { x }, outputs = x, updates = { { x, x * 2 } } })
    end)
  end)

  it("keep the type", function()
    raises("TypeError", { "same type", "shared_var=w", "TensorType(float64, vector)", "TensorType(float64, scalar)" },
      function() compile({ inputs = {}, updates = { { w, w:sum() } } }) end)
    local s = theano.shared(nd.zeros(3, "float32"), "s")
    raises("TypeError", { "shared_var=s", 'astype("float32")' }, function()
      compile({ inputs = {}, updates = { { s, w } } })
    end)
  end)

  it("name each shared variable once", function()
    raises("ValueError", "already has an update", function()
      compile({ inputs = {}, updates = { { w, w + 1 }, { w, w + 2 } } })
    end)
  end)

  it("are pairs", function()
    raises("TypeError", "no pair", function() compile({ inputs = {}, updates = { { w } } }) end)
    raises("TypeError", "pairs", function() compile({ inputs = {}, updates = 3 }) end)
  end)

  it("of givens keep the type as well", function()
    raises("TypeError", { "givens", "cannot replace w" }, function()
      compile({ inputs = { x }, outputs = w * 2, givens = { { w, x:sum() } } })
    end)
  end)
end)

describe("gradients", function()
  local x, v = T.dmatrix("x"), T.dvector("v")

  it("are of scalars", function()
    raises("TypeError", { "cost must be a scalar", "TensorType(float64, vector)" }, function() theano.grad(v, v) end)
    raises("TypeError", "symbolic Variable", function() theano.grad(3, v) end)
  end)

  it("are with respect to what the cost depends on", function()
    raises("DisconnectedInputError", { "x (made at " .. HERE, 'disconnected_inputs = "ignore"' }, function()
      theano.grad(v:sum(), x)
    end)
    local g = theano.grad(v:sum(), x, { disconnected_inputs = "ignore" })
    assert.same({ { 0.0, 0.0 } }, g:eval({ [x] = { { 5.0, 6.0 } } }):tolist())
  end)

  it("are with respect to Variables", function()
    raises("TypeError", "wrt[2]", function() theano.grad(v:sum(), { v, 3 }) end)
  end)

  it("that the check finds wrong are named", function()
    raises("GradientError", { "symbolic", "numeric" }, function()
      theano.gradient.verify_grad(function(a) return T.floor(a) + a end, { nd.array({ 0.99999999999 }) })
    end)
  end)
end)

describe("operators", function()
  local x = T.dvector("x")

  it("< <= > >= raise and name the function", function()
    raises("TypeError", { "T.lt(x, y)", "x:lt(y)" }, function() return x < x, 0 end)
    raises("TypeError", "T.le(x, y)", function() return x <= 1, 0 end)
    raises("TypeError", "T.", function() return x > 1, 0 end)
    raises("TypeError", "T.", function() return 1 >= x, 0 end)
  end)

  it("take neither nil, text, nor a boolean", function()
    raises("TypeError", "nil", function() return x + nil, 0 end)
    raises("TypeError", "string", function() return x + "a", 0 end)
    raises("TypeError", "T.eq", function() return T.switch(x == x, x, x), 0 end)
  end)

  it("do not assign", function()
    raises("TypeError", "T.set_subtensor", function() x[0] = 1 end)
  end)
end)

describe("lengths known while the graph is built", function()
  it("are listed when they do not fit", function()
    local a = T.constant(nd.ones({ 2, 3 }))
    raises("ValueError", { "x has 3 cols but y has 2 rows", "[(2, 3), (2, 3)]" }, function() return T.dot(a, a) end)
    raises("ValueError", { "6 elements to a shape of 4", "[(2, 3), (1,)]" }, function() return a:reshape({ 4 }) end)
    raises("ValueError", { "mis-match", "[(2, 3), (2, 3), (3, 2)]" }, function() return T.add(a, a, a.T) end)
  end)

  it("of an array stand in one table", function()
    raises("TypeError", { "not 3", "{2, 3}" }, function() return nd.ones(2, 3), 0 end)
  end)
end)

describe("names that nobody knows", function()
  it("get no far-fetched hint", function()
    local _, message = pcall(function() return T.dvector("x").foo, 0 end)
    assert.truthy(message:find("no attribute 'foo'$"), message)
  end)

  local x = T.dmatrix("x")

  it("are keywords: the known ones are listed", function()
    raises("TypeError", { "'axs'", "axis", "keepdims" }, function() T.sum(x, { axs = 0 }) end)
    raises("TypeError", { "'output'", "outputs", "updates" }, function() compile({ inputs = { x }, output = x }) end)
    raises("TypeError", { "'nam'", "borrow" }, function() theano.shared(1.0, { nam = "w" }) end)
    raises("TypeError", { "'known_grad'", "known_grads" }, function() theano.grad(x:sum(), x, { known_grad = {} }) end)
  end)

  it("are flags: the nearest is named", function()
    raises("KeyError", { "'floatx'", "'floatX'" }, function() theano.config.floatx = "float32" end)
    raises("KeyError", { "'modee'", "'mode'" }, function() return theano.config.modee, 0 end)
    raises("ValueError", { "float31", "float32" }, function() theano.config.floatX = "float31" end)
    assert.equal("float64", theano.config.floatX)
  end)

  it("are attributes: the nearest is named", function()
    raises("AttributeError", { "'shap'", "'shape'" }, function() return x.shap, 0 end)
    raises("AttributeError", { "'shap'", "'shape'" }, function() return nd.zeros(2).shap, 0 end)
    raises("AttributeError", "'nothing'", function() return x.owner == nil and x.type.nothing, 0 end)
  end)

  it("are modes, linkers, optimizers and dtypes", function()
    raises("ValueError", { "FAST_RUNN", "FAST_RUN" }, function()
      compile({ inputs = { x }, outputs = x, mode = "FAST_RUNN" })
    end)
    raises("ValueError", "interpretr", function()
      compile({ inputs = { x }, outputs = x, mode = compile.Mode({ linker = "interpretr" }) })
    end)
    raises("ValueError", "fastrun", function()
      compile({ inputs = { x }, outputs = x, mode = compile.Mode({ optimizer = "fastrun" }) })
    end)
    raises("TypeError", { "float61", "float16" }, function() T.matrix("x", { dtype = "float61" }) end)
    raises("TypeError", { "flaot32", "float32" }, function() T.matrix("x", { dtype = "flaot32" }) end)
  end)
end)

describe("values of shared variables", function()
  local w = theano.shared(nd.zeros(3), "w")

  it("keep rank and dtype", function()
    raises("TypeError", { "w", "expected 1, got 2" }, function() w:set_value(nd.zeros({ 3, 3 })) end)
    local s = theano.shared(nd.zeros(3, "float32"), "s")
    raises("TypeError", "float64", function() s:set_value(nd.zeros(3)) end)
    raises("TypeError", "symbolic", function() w:set_value(T.dvector()) end)
    raises("TypeError", "string", function() w:set_value("abc") end)
    assert.same({ 0.0, 0.0, 0.0 }, w:get_value():tolist())
  end)

  it("are values", function()
    raises("TypeError", "symbolic Variable", function() theano.shared(T.dvector("v")) end)
    raises("TypeError", "nil", function() theano.shared(nil) end)
    raises("TypeError", "only a SharedVariable", function() T.dvector():get_value() end)
  end)
end)

describe("files", function()
  local path = os.tmpname()
  local function write(name, bytes)
    local file = assert(io.open(name, "wb"))
    file:write(bytes)
    file:close()
  end
  teardown(function()
    for _, suffix in ipairs({ "", ".npy", ".npz", ".idx" }) do os.remove(path .. suffix) end
  end)

  it("that are missing name their path", function()
    raises("IOError", "/nowhere/x.npy", function() nd.load("/nowhere/x.npy") end)
    raises("IOError", "/nowhere/x.npz", function() nd.load("/nowhere/x.npz") end)
    raises("IOError", "/nowhere/x.idx", function() nd.load("/nowhere/x.idx") end)
    raises("IOError", "/nowhere/x.npy", function() nd.save("/nowhere/x.npy", nd.zeros(2)) end)
  end)

  it("cut anywhere are refused: .npy", function()
    nd.save(path .. ".npy", nd.arange(6.0):reshape({ 2, 3 }))
    local bytes = slurp(path .. ".npy")
    for cut = 0, #bytes - 1 do
      write(path .. ".npy", bytes:sub(1, cut))
      local fine, message = pcall(nd.load, path .. ".npy")
      assert.is_false(fine, "cut at " .. cut)
      assert(theano.error_kind(message) == "IOError" or theano.error_kind(message) == "ValueError", message)
    end
  end)

  it("cut anywhere are refused: .npz", function()
    nd.save(path .. ".npz", { a = nd.arange(6.0), b = nd.ones({ 2, 2 }, "int32") })
    local bytes = slurp(path .. ".npz")
    for cut = 0, #bytes - 1, 7 do
      write(path .. ".npz", bytes:sub(1, cut))
      local fine, message = pcall(nd.load, path .. ".npz")
      assert.is_false(fine, "cut at " .. cut)
      assert(theano.error_kind(message) == "IOError" or theano.error_kind(message) == "ValueError", message)
    end
  end)

  it("cut anywhere are refused: IDX", function()
    local bytes = "\0\0\8\2\0\0\0\2\0\0\0\3abcdef"
    write(path .. ".idx", bytes)
    assert.same({ { 97, 98, 99 }, { 100, 101, 102 } }, nd.load(path .. ".idx"):tolist())
    for cut = 0, #bytes - 1 do
      write(path .. ".idx", bytes:sub(1, cut))
      local fine, message = pcall(nd.load, path .. ".idx")
      assert.is_false(fine, "cut at " .. cut)
      assert(theano.error_kind(message) == "IOError" or theano.error_kind(message) == "ValueError", message)
    end
  end)

  it("with another magic number, dtype or size are refused", function()
    write(path .. ".npy", ("x"):rep(200))
    raises("IOError", path, function() nd.load(path .. ".npy") end)
    nd.save(path .. ".npy", nd.arange(6.0))
    local bytes = slurp(path .. ".npy")
    write(path .. ".npy", (bytes:gsub("<f8", "|O8")))
    raises("TypeError", { path, "object" }, function() nd.load(path .. ".npy") end)
    write(path .. ".npy", (bytes:gsub("%(6,%)", "(9,)")))
    raises("IOError", path, function() nd.load(path .. ".npy") end)
    write(path .. ".idx", "\0\0\99\1\0\0\0\2ab")
    raises("IOError", path, function() nd.load(path .. ".idx") end)
    write(path .. ".idx", "\0\0\8\3\255\255\255\255\255\255\255\255\255\255\255\255ab")
    local fine = pcall(nd.load, path .. ".idx")
    assert.is_false(fine)
  end)
end)
