--- The Lua surface as docs/lua.md describes it: modules, constructors, operators, subscripts, keywords, attributes.
local core = require("theano.core")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local theano = require("theano")
local T = require("theano.tensor")

local function value(expression, given) return expression:eval(given) end
local function list(expression, given)
  local got = value(expression, given)
  return type(got) == "userdata" and got:tolist() or got
end

-- Compiling to C is what other specs are about.
local linker
setup(function() linker, theano.config.linker = theano.config.linker, "interpreter" end)
teardown(function() theano.config.linker = linker end)

describe("modules", function()
  it("are fields and loadable by their names", function()
    assert.equal(T, theano.tensor)
    assert.equal(nd, theano.ndarray)
    assert.equal(theano, require("theano"))
    for _, name in ipairs({ "config", "gradient", "printing", "compile", "updates", "tensor", "ndarray" }) do
      assert.equal(theano[name], require("theano." .. name))
    end
    assert.equal(T.nnet, require("theano.tensor.nnet"))
    assert.equal(theano.compile, theano["function"])
    assert.equal(theano.grad, T.grad)
    assert.is_string(theano._VERSION)
  end)

  it("may each be the first that is required", function()
    for _, name in ipairs({ "config", "gradient", "printing", "compile", "updates", "tensor", "ndarray", "shared" }) do
      local text, status = runner.run({ "-e", ([[
        local m = require("theano.%s")
        local T = require("theano.tensor")
        assert(m == require("theano").%s)
        print(select(2, pcall(T.sum)), select(2, pcall(T.sum, T.dvector(), 9)), rawget(_G, "theano"))
      ]]):format(name, name) })
      assert.equal(0, status, text)
      assert.is_truthy(text:find("^%(command line%):4: TypeError: .*%(command line%):4: ValueError: sum: axis 9"), text)
      assert.is_truthy(text:find("\tnil\n$"), text)
    end
  end)

  it("run under the plain Lua contract: dotted names are tables of functions", function()
    assert.is_function(T.nnet.softmax)
    assert.is_function(T.exp)
    assert.is_function(theano.shared)
    assert.is_table(theano.compile)
  end)
end)

describe("constructors", function()
  local LETTERS = { b = "int8", w = "int16", i = "int32", l = "int64", f = "float32", d = "float64", c = "complex64",
    z = "complex128" }
  local PATTERNS = {
    scalar = {}, vector = { false }, row = { true, false }, col = { false, true }, matrix = { false, false },
    tensor3 = { false, false, false }, tensor4 = { false, false, false, false },
  }

  it("exist for every letter and shape, and in the plural", function()
    for shape, pattern in pairs(PATTERNS) do
      assert.equal("float64", T[shape]("x").dtype)
      for letter, dtype in pairs(LETTERS) do
        local x = T[letter .. shape]("x")
        assert.equal(dtype, x.dtype)
        assert.same(pattern, x.broadcastable)
        assert.equal("x", x.name)
        local many = shape == "matrix" and "matrices" or shape .. "s"
        local a, b, c = T[letter .. many]("a", "b")
        assert.equal("a", a.name)
        assert.equal("b", b.name)
        assert.is_nil(c)
        assert.equal(3, select("#", T[letter .. many](3)))
      end
    end
  end)

  it("take names and dtypes", function()
    assert.equal("int32", T.matrix("x", { dtype = "int32" }).dtype)
    assert.equal("int32", T.matrix("x", "int32").dtype)
    assert.equal("uint8", T.matrix({ name = "y", dtype = "uint8" }).dtype)
    assert.is_nil(T.matrix().name)
    local t = T.tensor("float32", { false, true }, "t")
    assert.equal("TensorType(float32, col)", tostring(t.type))
    assert.equal("float32", T.TensorType("float32", { false })("v").dtype)
    assert.equal(T.fvector().type, T.fvector().type)
    assert.not_equal(T.fvector().type, T.dvector().type)
    raises("TypeError", { "'nam'", "dtype, name" }, function() T.matrix({ nam = "x" }) end)
  end)
end)

describe("constants", function()
  it("take the smallest dtype that holds an integer", function()
    for dtype, v in pairs({ int8 = 100, int16 = 1000, int32 = 100000, int64 = 1 << 40 }) do
      assert.equal(dtype, T.constant(v).dtype)
    end
    assert.equal("int64", T.constant({ 1, 2 }).dtype)
    assert.equal("float32", T.constant(1, { dtype = "float32" }).dtype)
    assert.equal("c", T.constant(1, "c").name)
    assert.same({ { 1, 2 }, { 3, 4 } }, T.constant({ { 1, 2 }, { 3, 4 } }).data:tolist())
    assert.equal(2, T.constant(1, { ndim = 2 }).ndim)
    raises("TypeError", "symbolic", function() T.constant(T.dvector()) end)
  end)

  it("hold copies: arrays may change or be freed afterwards", function()
    local a, x = nd.array({ 1.0 }), T.dvector("x")
    local y, z = T.exp(a) * 0 + a, x + a
    a[0] = 7.0
    local b = T.constant(a) + 0
    a:free()
    collectgarbage()
    assert.same({ 1.0 }, list(y))
    assert.same({ 3.0 }, list(z, { [x] = { 2.0 } }))
    assert.same({ 7.0 }, list(b))
    raises("ValueError", "freed", function() local _ = x + a end)
    raises("ValueError", "freed", function() T.exp(a) end)
  end)

  it("come from lists of one shape", function()
    raises("ValueError", "ragged", function() T.exp({ { 1, 2 }, { 3 } }) end)
    raises("ValueError", "ragged", function() T.constant({ { 1, 2 }, 3 }) end)
    raises("TypeError", "'x'", function() T.exp({ { x = 1 } }) end)
    raises("TypeError", "'x'", function() T.constant({ x = 1 }) end)
    raises("TypeError", "'x'", function() nd.array({ { 1 }, { 2, x = 1 } }) end)
  end)

  it("are weak: a float literal does not widen float32", function()
    local f, d, i = T.fvector("f"), T.dvector("d"), T.ivector("i")
    assert.equal("float32", (f * 2.0).dtype)
    assert.equal("float32", (f * 2).dtype)
    assert.equal("float64", (d * 2.0).dtype)
    assert.equal("int32", (i * 2).dtype)
    assert.equal("float64", (i * 0.1).dtype)
    assert.equal("float64", (i / 2).dtype)
  end)

  it("come from as_tensor_variable, which stacks lists of variables", function()
    local x = T.dscalar("x")
    assert.equal(x, T.as_tensor_variable(x))
    assert.same({ 3.0, 1.0 }, list(T.as_tensor_variable({ x, 1 }), { [x] = 3.0 }))
    raises("TypeError", "T.eq", function() T.as_tensor_variable(x == x) end)
  end)
end)

describe("operators", function()
  local x, y = T.dvector("x"), T.dvector("y")
  local a, b = { 7.0, -7.0, 2.5 }, { 2.0, 2.0, -1.0 }

  it("of numbers are elementwise", function()
    local given = { [x] = a, [y] = b }
    assert.same({ 9.0, -5.0, 1.5 }, list(x + y, given))
    assert.same({ 5.0, -9.0, 3.5 }, list(x - y, given))
    assert.same({ 14.0, -14.0, -2.5 }, list(x * y, given))
    assert.same({ 3.5, -3.5, -2.5 }, list(x / y, given))
    assert.same({ 3.0, -4.0, -3.0 }, list(x // y, given))
    assert.same({ 1.0, 1.0, -0.5 }, list(x % y, given))
    assert.same({ 49.0, 49.0, 0.4 }, list(x ^ y, given))
    assert.same({ -7.0, 7.0, -2.5 }, list(-x, { [x] = a }))
  end)

  it("take numbers, arrays and tables on either side", function()
    local given = { [x] = { 1.0, 2.0 } }
    assert.same({ 2.0, 3.0 }, list(1 + x, given))
    assert.same({ 0.5, 0.0 }, list(1.5 - x + 0 * x - { 0, -0.5 }, given))
    assert.same({ 1.0, 4.0 }, list(nd.array({ 1.0, 2.0 }) * x, given))
    assert.same({ 1.0, 4.0 }, list({ 1.0, 2.0 } * x, given))
    assert.same({ 2.0, 4.0 }, list(2 ^ x, given))
  end)

  it("of bits and truth", function()
    local i, j = T.lvector("i"), T.lvector("j")
    local given = { [i] = { 12, 5 }, [j] = { 10, 1 } }
    assert.same({ 8, 1 }, list(i & j, given))
    assert.same({ 14, 5 }, list(i | j, given))
    assert.same({ 6, 4 }, list(i ~ j, given))
    assert.same({ -13, -6 }, list(~i, { [i] = { 12, 5 } }))
    assert.same({ false, true }, list(~T.gt(x, 0), { [x] = { 1.0, -1.0 } }))
    assert.same({ true, false }, list(T.gt(x, 0) & T.lt(x, 2), { [x] = { 1.0, 3.0 } }))
  end)

  it("that compare are functions and methods", function()
    local given = { [x] = { 1.0, 2.0, 3.0 } }
    assert.same({ true, false, false }, list(T.lt(x, 2), given))
    assert.same({ true, true, false }, list(x:le(2), given))
    assert.same({ false, false, true }, list(x:gt(2), given))
    assert.same({ false, true, true }, list(T.ge(x, 2), given))
    assert.same({ false, true, false }, list(x:eq(2), given))
    assert.same({ true, false, true }, list(T.neq(x, 2), given))
  end)

  it("== is identity, and variables are keys of tables", function()
    assert.is_true(x == x)
    assert.is_false(x == y)
    assert.is_true(x == (x + y).owner.inputs[1])
    local t = { [x] = "x", [y] = "y" }
    assert.equal("x", t[(x + y).owner.inputs[1]])
    assert.equal("y", t[(x + y).owner.inputs[2]])
  end)

  it("# is the symbolic first length", function()
    assert.equal(3, value(#x, { [x] = { 1.0, 2.0, 3.0 } }))
    assert.equal("int64", (#x).dtype)
  end)
end)

describe("subscripts of variables", function()
  local x = T.lmatrix("x")
  local i, j, v = T.lscalar("i"), T.lscalar("j"), T.lvector("v")
  local A = { { 0, 1, 2, 3 }, { 4, 5, 6, 7 }, { 8, 9, 10, 11 } }
  local function check(want, expression, more)
    local given = { [x] = A }
    for key, element in pairs(more or {}) do given[key] = element end
    assert.same(want, list(expression, given))
  end

  it("are numbers, symbolic scalars and vectors", function()
    check(A[2], x[1])
    check(A[3], x[-1])
    check(A[2], x[i], { [i] = 1 })
    check({ A[3], A[1] }, x[v], { [v] = { 2, 0 } })
    check({ A[3], A[1] }, x[nd.array({ 2, 0 })])
    check(6, x[{ 1, 2 }])
  end)

  it("are literal texts as in NumPy", function()
    check({ { 4, 5 }, { 8, 9 } }, x["1:3, :2"])
    check({ { 3, 2, 1, 0 }, { 7, 6, 5, 4 }, { 11, 10, 9, 8 } }, x[":, ::-1"])
    check({ { 2 }, { 6 }, { 10 } }, x["..., None, 2"])
    check({ 1, 5, 9 }, x["..., 1"])
    check({ A[1], A[3] }, x["::2"])
    check({ A[1], A[2] }, x[":-1"])
  end)

  it("are tables of slices with symbolic bounds", function()
    check({ 4, 8 }, x[{ T.slice(i, j), 0 }], { [i] = 1, [j] = 3 })
    check({ { 3, 2, 1, 0 } }, x[{ T.slice(nil, 1), T.slice(nil, nil, -1) }])
    check(A, x[{ T.slice() }])
    check({ 5, 9 }, x[{ { start = 1, stop = 3 }, 1 }])
    check({ { A[1] } }, x[{ T.newaxis, T.slice(0, 1) }])
    check({ 2, 6, 10 }, x[{ "...", 2 }])
    check({ 1, 6, 8 }, x[{ T.arange(3), v }], { [v] = { 1, 2, 0 } })
  end)

  it("are arguments of sub", function()
    check({ 2, 6, 10 }, x:sub("all", 2))
    check({ { 4, 6 }, { 8, 10 } }, x:sub({ 1, 3 }, { 0, 4, 2 }))
    check({ A[2], A[3] }, x:sub({ start = 1 }))
    check({ A[1] }, x:sub({ stop = 1 }))
    check({ A[3], A[2], A[1] }, x:sub({ step = -1 }))
    check({ { { 0, 1, 2, 3 } } }, x:sub(T.newaxis, { 0, 1 }))
    check({ 3, 7, 11 }, x:sub("...", -1))
  end)

  it("that set and add give new variables", function()
    check({ { 0, 0, 0, 0 }, A[2], A[3] }, T.set_subtensor(x[0], 0))
    check({ { 10, 11, 2, 3 }, { 14, 15, 6, 7 }, A[3] }, T.inc_subtensor(x[":2, :2"], 10))
    check({ { 2, 3, 4, 5 }, A[2], A[3] }, T.inc_subtensor(x[v], 1), { [v] = { 0, 0 } })
  end)

  it("that make no sense raise", function()
    raises("IndexError", "too many", function() return x[{ 0, 0, 0 }], 0 end)
    raises("IndexError", "1:x", function() return x["1:x"], 0 end)
    raises("TypeError", "integer", function() return x[1.5], 0 end)
    raises("IndexError", "boolean", function() return x[true], 0 end)
    raises("TypeError", "integer", function() return x[T.dscalar()], 0 end)
    raises("IndexError", "...", function() return x["..., ..."], 0 end)
  end)
end)

describe("attributes", function()
  local x = T.fmatrix("x")

  it("of a variable are Theano's", function()
    assert.equal(2, x.ndim)
    assert.equal("float32", x.dtype)
    assert.same({ false, false }, x.broadcastable)
    assert.equal("TensorType(float32, matrix)", tostring(x.type))
    assert.equal("x", x.name)
    assert.is_nil(x.owner)
    assert.equal("int64", x.shape.dtype)
    assert.equal(1, x.shape.ndim)
    assert.same({ 2, 3 }, list(x.shape, { [x] = nd.zeros({ 2, 3 }, "float32") }))
    assert.equal(3, value(x.shape[1], { [x] = nd.zeros({ 2, 3 }, "float32") }))
    assert.equal(6, value(x.size, { [x] = nd.zeros({ 2, 3 }, "float32") }))
    assert.same({ { 1.0 }, { 2.0 } }, list(x.T, { [x] = nd.array({ { 1, 2 } }, "float32") }))
  end)

  it("name and tag are kept on the variable", function()
    local y = x + 1
    y.name = "y"
    assert.equal("y", y.name)
    assert.equal("y", tostring(y))
    y.tag.note = "kept"
    assert.equal("kept", (y * 2).owner.inputs[1].tag.note)
    y.name = nil
    assert.is_nil(y.name)
  end)

  it("of an Apply are op, inputs and outputs", function()
    local node = (x + 1).owner
    assert.equal(2, #node.inputs)
    assert.equal(1, #node.outputs)
    assert.equal(node, node.outputs[1].owner)
    raises("AttributeError", "op, inputs and outputs", function() return node.input, 0 end)
  end)

  it("that do not exist name the nearest", function()
    raises("AttributeError", { "'dtyp'", "'dtype'" }, function() return x.dtyp, 0 end)
    raises("AttributeError", { "'summ'", "'sum'" }, function() return x:summ() end)
    raises("AttributeError", "'floop'", function() return x.floop, 0 end)
  end)
end)

describe("methods", function()
  it("are the functions of the table", function()
    local x = T.dmatrix("x")
    local given = { [x] = { { 1.0, 2.0 }, { 3.0, 4.0 } } }
    assert.equal(10.0, value(x:sum(), given))
    assert.same({ 2.0, 3.0 }, list(x:mean({ axis = 0 }), given))
    assert.same({ { 7.0, 10.0 }, { 15.0, 22.0 } }, list(x:dot(x), given))
    assert.same({ 1.0, 2.0, 3.0, 4.0 }, list(x:reshape({ -1 }), given))
    assert.same({ { { 1.0, 3.0 } }, { { 2.0, 4.0 } } }, list(x:dimshuffle(1, "x", 0), given))
    assert.equal("float32", x:astype("float32").dtype)
    assert.same({ 1, 1 }, list(x:argmax({ axis = 1 }), given))
    assert.same({ { 1.5, 2.0 }, { 2.5, 2.5 } }, list(x:clip(1.5, 2.5), given))
    assert.same({ 1.0, 2.0, 3.0, 4.0 }, list(x:flatten(), given))
    assert.same({ { 1.0, 3.0 }, { 2.0, 4.0 } }, list(x:transpose(), given))
    for _, f in ipairs(core.functions()) do
      if f.method then assert.equal(f.symbolic == nil, x[f.name] == nil, f.name) end
    end
  end)

  it("with several results return them all", function()
    local x = T.dvector("x")
    local top, at = T.max_and_argmax(x, 0)
    assert.equal(3.0, value(top, { [x] = { 1.0, 3.0, 2.0 } }))
    assert.equal(1, value(at, { [x] = { 1.0, 3.0, 2.0 } }))
    local a, b = T.split(x, { 1, 2 }, 2)
    assert.same({ 1.0 }, list(a, { [x] = { 1.0, 2.0, 3.0 } }))
    assert.same({ 2.0, 3.0 }, list(b, { [x] = { 1.0, 2.0, 3.0 } }))
  end)
end)

describe("keywords", function()
  local x = T.dmatrix("x")

  it("are a trailing table with string keys; positions are Theano's", function()
    assert.same({ true, false }, T.sum(x, { axis = 0, keepdims = true }).broadcastable)
    assert.same({ true, false }, T.sum(x, 0, nil, true).broadcastable)
    assert.equal(0, T.sum(x, T.none).ndim)
    assert.equal(0, T.sum(x, { axis = { 0, 1 } }).ndim)
  end)

  it("that nobody knows list the known ones", function()
    raises("TypeError", { "'axs'", "axis, dtype, keepdims", "'axis'" }, function() T.sum(x, { axs = 1 }) end)
    raises("TypeError", { "'foo'", "axis, dtype" }, function() T.sum(x, { foo = "bar" }) end)
  end)

  it("of wrong types are named", function()
    raises("TypeError", "axis", function() T.sum(x, { axis = "rows" }) end)
    raises("ValueError", "axis 2", function() T.sum(x, { axis = 2 }) end)
    raises("TypeError", "dtype", function() T.sum(x, { dtype = 3 }) end)
  end)
end)

describe("provenance", function()
  it("is the line of the script that built the node, through our own files", function()
    local x = T.dvector("x")
    local y = x:sum() -- this line
    local here = debug.getinfo(1, "l").currentline - 1
    local file, line = core.line(y)
    assert.equal(here, line)
    assert.equal(debug.getinfo(1, "S").source:sub(2), file)
  end)
end)

describe("arguments of the wrong kind", function()
  local x = T.dvector("x")
  local a = nd.arange(6)
  local f = theano.compile({ inputs = { x }, outputs = x + 1, mode = theano.compile.Mode({ linker = "interpreter" }) })

  -- Not tail calls: the line must stand on the stack.
  local CALLS = {
    ["TensorType of a rank"] = function() local _ = T.TensorType("float64", 2) end,
    ["TensorType of no dtype"] = function() local _ = T.TensorType(5, {}) end,
    ["TensorType of another dtype"] = function() local _ = T.TensorType("float65", {}) end,
    ["a variable with a table as its name"] = function() local _ = T.dvector({}) end,
    ["a type called with a number"] = function() local _ = T.dvector().type({}) end,
    ["a name that is a table"] = function() x.name = {} end,
    ["an attribute set"] = function() x.dtype = "int8" end,
    ["as_tensor_variable of a function"] = function() local _ = T.as_tensor_variable(print) end,
    ["as_tensor_variable of a text"] = function() local _ = T.as_tensor_variable("x") end,
    ["constant of nothing"] = function() local _ = T.constant() end,
    ["constant of a text"] = function() local _ = T.constant("x") end,
    ["constant of a rank too many"] = function() local _ = T.constant(1, { ndims = 3 }) end,
    ["shared of nothing"] = function() local _ = theano.shared() end,
    ["shared of a text"] = function() local _ = theano.shared("x") end,
    ["shared of a variable"] = function() local _ = theano.shared(x) end,
    ["shared with an unknown keyword"] = function() local _ = theano.shared(1, { nam = "x" }) end,
    ["set_value of nothing"] = function() theano.shared(1.0):set_value() end,
    ["get_value of a plain variable"] = function() local _ = x:get_value() end,
    ["grad of nothing"] = function() local _ = T.grad() end,
    ["grad of a number"] = function() local _ = T.grad(1, x) end,
    ["grad with respect to a number"] = function() local _ = T.grad(x:sum(), 1) end,
    ["grad with respect to an array"] = function() local _ = T.grad(x:sum(), a) end,
    ["grad with an unknown keyword"] = function() local _ = T.grad(x:sum(), x, { wrt = x }) end,
    ["verify_grad of integers"] = function() theano.gradient.verify_grad(T.sqr, { nd.arange(3) }) end,
    ["compile of a variable"] = function() local _ = theano.compile(x) end,
    ["compile of an unknown mode"] = function() local _ = theano.compile({ inputs = {}, outputs = x, mode = 3 }) end,
    ["compile with a number as its name"] = function()
      local _ = theano.compile({ inputs = { x }, outputs = x, name = {} })
    end,
    ["an unknown attribute of a function"] = function() local _ = f.nam end,
    ["an unknown attribute of a function graph"] = function() local _ = f.maker.fgraph.nam end,
    ["In of nothing"] = function() local _ = theano.In() end,
    ["In with an unknown keyword"] = function() local _ = theano.In(x, { nam = "x" }) end,
    ["Out of a number"] = function() local _ = theano.Out(1) end,
    ["OrderedUpdates of plain variables"] = function() local _ = theano.OrderedUpdates({ { x, x } }) end,
    ["eval with a value for nothing"] = function() local _ = x:eval({ [x] = "text" }) end,
    ["eval with names"] = function() local _ = x:eval({ x = 1 }) end,
    ["pp of a number"] = function() local _ = theano.pp(1) end,
    ["debugprint of nothing"] = function() theano.printing.debugprint() end,
    ["debugprint of a text"] = function() theano.printing.debugprint("x") end,
    ["debugprint with a text as its depth"] = function() theano.printing.debugprint(x, { depth = "x" }) end,
    ["plan of a variable"] = function() local _ = theano.printing.plan(x) end,
    ["ccode of nothing"] = function() local _ = theano.printing.ccode() end,
    ["graph_text of nothing"] = function() local _ = theano.printing.graph_text() end,
    ["graph_read of nothing"] = function() local _ = theano.printing.graph_read() end,
    ["graph_read of nonsense"] = function() local _ = theano.printing.graph_read("nonsense") end,
    ["help on a number"] = function() local _ = theano.help(5) end,
    ["help on nothing"] = function() local _ = theano.help() end,
    ["help on what is not there"] = function() local _ = theano.help("sume") end,
    ["a flag that is not there"] = function() local _ = theano.config.floatY end,
    ["a flag's value that is not there"] = function() theano.config.floatX = "float65" end,
    ["change_flags of nothing"] = function() local _ = theano.config.change_flags() end,
    ["stat of nothing"] = function() local _ = theano.stat() end,
    ["array of nothing"] = function() local _ = nd.array() end,
    ["array of a text"] = function() local _ = nd.array("x") end,
    ["array of an unknown dtype"] = function() local _ = nd.array({ 1 }, "float65") end,
    ["array with a number as its dtype"] = function() local _ = nd.array({ 1 }, 5) end,
    ["zeros of a text"] = function() local _ = nd.zeros("x") end,
    ["zeros of a negative length"] = function() local _ = nd.zeros({ -1 }) end,
    ["full of nothing"] = function() local _ = nd.full({ 2 }) end,
    ["arange of a text"] = function() local _ = nd.arange("x") end,
    ["arange of nothing"] = function() local _ = nd.arange() end,
    ["linspace of nothing"] = function() local _ = nd.linspace() end,
    ["eye of a text"] = function() local _ = nd.eye("x") end,
    ["zeros_like of nothing"] = function() local _ = nd.zeros_like() end,
    ["allclose of shapes that differ"] = function() local _ = nd.allclose(nd.ones({ 2 }), nd.ones({ 3 })) end,
    ["reshape to a text"] = function() local _ = a:reshape("x") end,
    ["reshape to another size"] = function() local _ = a:reshape({ 4 }) end,
    ["reshape with two lengths left open"] = function() local _ = a:reshape({ -1, -1 }) end,
    ["transpose with texts"] = function() local _ = a:transpose("x") end,
    ["transpose with an axis out of range"] = function() local _ = a:transpose(1) end,
    ["swapaxes out of range"] = function() local _ = a:swapaxes(0, 5) end,
    ["swapaxes of one axis"] = function() local _ = a:swapaxes(0) end,
    ["swapaxes with nothing first"] = function() local _ = a:swapaxes(nil, 1) end,
    ["an array joined to a table"] = function() local _ = a .. {} end,
    ["nothing joined to an array"] = function() local _ = nil .. a end,
    ["a variable joined to a boolean"] = function() local _ = T.dvector("v") .. true end,
    ["astype of nothing"] = function() local _ = a:astype() end,
    ["item of many"] = function() local _ = a:item() end,
    ["item out of range"] = function() local _ = a:item(6) end,
    ["fill with a text"] = function() a:fill("x") end,
    ["a length of no dimensions"] = function() local _ = #nd.array(1) end,
    ["a method of nothing"] = function() local _ = a.sum() end,
    ["an unknown attribute of an array"] = function() local _ = a.nam end,
    ["frombuffer of nothing"] = function() local _ = nd.frombuffer() end,
    ["frombuffer of a part of an element"] = function() local _ = nd.frombuffer("abc", "float64") end,
    ["complex of texts"] = function() local _ = nd.complex("x") end,
    ["an unknown attribute of a complex value"] = function() local _ = nd.complex(1, 2).abs end,
    ["load of nothing"] = function() local _ = nd.load() end,
    ["load of a missing file"] = function() local _ = nd.load("no/such/file.npy") end,
    ["save of a text"] = function() nd.save("x.npy", "x") end,
    ["save to nothing"] = function() nd.save(nil, a) end,
    ["a seed that is a text"] = function() local _ = nd.random.RandomState("x") end,
    ["uniform with texts"] = function() local _ = nd.random.RandomState(1):uniform("x") end,
    ["a size that is a text"] = function() local _ = nd.random.RandomState(1):rand("x") end,
    ["permutation of a text"] = function() local _ = nd.random.RandomState(1):permutation("x") end,
  }

  local names = {}
  for what in pairs(CALLS) do names[#names + 1] = what end
  table.sort(names)
  for _, what in ipairs(names) do
    it("raise at the user's line: " .. what, function()
      local call = CALLS[what]
      local fine, message = pcall(call)
      assert.is_false(fine)
      assert.is_string(message)
      local where, line, kind = message:match("^([^\n]-):(%d+): (%u%w+): ")
      local own = debug.getinfo(call, "S")
      assert.equal(own.source:sub(2), where, message)
      assert(tonumber(line) >= own.linedefined and tonumber(line) <= own.lastlinedefined, message)
      assert.equal(kind, theano.error_kind(message))
      assert.is_nil(message:find("bad argument", 1, true), message)
    end)
  end
end)
