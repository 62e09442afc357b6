--- float16 and bfloat16: every bit pattern, roundings, casts, arrays, files, graphs (each operation rounds float32's
-- result once, whatever runs it), gradients, what has no form of halves.
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")
local sha256 = require("theano.sha256")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local HALVES = { "float16", "bfloat16" }
local RUNS = { { "interpreter", "None" }, { "cvm", "FAST_RUN" } }

-- The array of a half with these bits, and back.
local function of_bits(bits, dtype) return nd.frombuffer(nd.array(bits, "uint16"):tobytes(), dtype) end
local function bits_of(a) return nd.frombuffer(a:tobytes(), "uint16"):tolist() end

local function every(dtype) return nd.frombuffer(nd.arange(65536, { dtype = "uint16" }):tobytes(), dtype) end

local function without_nan(a) return nd.where(nd.isnan(a), nd.zeros_like(a), a) end

-- The bits that graphs give, in the interpreter and as C: one function of all casts, for all tests.
local function casts(all)
  local inputs, outputs, given = {}, {}, {}
  for i, a in ipairs(all) do
    local v = T.TensorType(a.dtype, { false })("x" .. i)
    inputs[i], given[i] = v, a
    for _, dtype in ipairs({ "float16", "bfloat16", "float32", "float64" }) do
      outputs[#outputs + 1] = T.cast(v, dtype)
    end
    outputs[#outputs + 1] = T.cast(T.cast(T.cast(v, "float32"), "float16"), "float64") -- rounded in between
  end
  local found = {}
  for k, run in ipairs(RUNS) do
    local scope <close> = theano.config.change_flags { linker = run[1] }
    found[k] = { theano.compile(inputs, outputs, { mode = run[2] })(table.unpack(given)) }
    assert.is_not_nil(scope)
  end
  return found
end

describe("halves have NumPy's and ml_dtypes' bits:", function()
  local data = oracle.cases("half")
  local list = {}
  for i, case in ipairs(data.double) do
    list[i] = string.unpack(">d", (case[1]:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)))
  end
  local bits = (nd.arange(65536, { dtype = "uint64" }) * nd.array(65537, "uint64") + nd.array(1, "uint64"))
    :astype("uint32")
  local single, double = nd.frombuffer(bits:tobytes(), "float32"), nd.array(list, "float64")

  it("all 65,536 as float32 and back", function()
    for _, dtype in ipairs(HALVES) do
      local a = every(dtype)
      assert.equal(data.up[dtype], sha256(without_nan(a:astype("float32")):tobytes()))
      local back, there = bits_of(a:astype("float32"):astype(dtype)), bits_of(a)
      local nan = nd.isnan(a):tolist()
      for i = 1, 65536 do
        assert(nan[i] or back[i] == there[i], dtype)
      end
    end
  end)

  it("float32 of all kinds", function()
    for _, dtype in ipairs(HALVES) do
      local r = without_nan(single:astype(dtype))
      assert.equal(data.down[dtype], sha256(r:tobytes()))
      assert.is_true(nd.array_equal(nd.isnan(single:astype(dtype)), nd.isnan(single)))
    end
  end)

  it("float64, rounded once", function()
    for k, dtype in ipairs(HALVES) do
      local wanted = {}
      for i, case in ipairs(data.double) do wanted[i] = case[1 + k] end
      assert.same(wanted, bits_of(double:astype(dtype)))
      for i, v in ipairs(list) do assert.equal(wanted[i], bits_of(nd.array({ v }, dtype))[1]) end
    end
  end)

  it("in graphs as in arrays", function()
    local all = { every("float16"), every("bfloat16"), single, double }
    for k, found in ipairs(casts(all)) do
      local at = 0
      for i, a in ipairs(all) do
        local want = {}
        for _, dtype in ipairs({ "float16", "bfloat16", "float32", "float64" }) do want[#want + 1] = a:astype(dtype) end
        want[5] = a:astype("float32"):astype("float16"):astype("float64")
        for c, w in ipairs(want) do
          at = at + 1
          assert.equal(w.dtype, found[at].dtype)
          local same = nd.array_equal(without_nan(w), without_nan(found[at]))
          assert.is_true(same, ("%s, cast %d, %s"):format(a.dtype, c, table.concat(RUNS[k], " ")))
          assert.is_true(nd.array_equal(nd.isnan(w), nd.isnan(found[at])), i)
        end
      end
    end
  end)

  it("NaN stays NaN of its sign, what is too large is infinite", function()
    local words = nd.array({ 0x7fc00000, 0xffc00001, 0x7f800001, 0xff812345 }, "uint32")
    local nan = nd.frombuffer(words:tobytes(), "float32")
    for _, dtype in ipairs(HALVES) do
      for i, b in ipairs(bits_of(nan:astype(dtype))) do
        assert.equal(i % 2 == 0, b >> 15 == 1)
        assert.is_true(nd.isnan(of_bits({ b }, dtype))[0])
      end
      assert.same({ math.huge, -math.huge, 0.0 }, nd.array({ 1e39, -1e300, 1e-300 }, dtype):tolist())
    end
    assert.same({ 65504.0, math.huge }, nd.array({ 65519.9, 65520 }, "float16"):tolist())
  end)
end)

describe("arrays of halves", function()
  it("join other dtypes as NumPy says, bfloat16 likewise", function()
    local want = { bool = 1, int8 = 1, uint8 = 1, int16 = "float32", uint16 = "float32", int32 = "float64",
      int64 = "float64", float32 = "float32", float64 = "float64", complex64 = "complex64", complex128 = "complex128" }
    for _, dtype in ipairs(HALVES) do
      for other, r in pairs(want) do
        r = r == 1 and dtype or r
        assert.equal(r, nd.promote_types(dtype, other))
        assert.equal(r, (nd.ones({ 2 }, dtype) + nd.ones({ 2 }, other)).dtype)
      end
      assert.equal(dtype, (nd.ones({ 2 }, dtype) * 0.1).dtype)
    end
    assert.equal("float32", nd.promote_types("float16", "bfloat16"))
  end)

  it("are cast to every dtype and back, looked at, written, copied, compared, sorted", function()
    for _, dtype in ipairs(HALVES) do
      local a = nd.array({ { 3, -1.5, 0 }, { 100, 0.25, -8 } }, dtype)
      for _, other in ipairs({ "bool", "int8", "int16", "int32", "int64", "float32", "float64", "complex64",
        "complex128", "float16", "bfloat16" }) do
        local there = a:astype(other)
        assert.equal(other, there.dtype)
        local real, plain = there, a:astype("float64"):astype(other)
        if other:find("^complex") then real, plain = nd.real(there), nd.real(plain) end
        assert.is_true(nd.array_equal(real:astype(dtype), plain:astype(dtype)), other)
      end
      assert.equal(-1.5, a["0, 1"])
      a["0, 1"] = 2.5
      a["1"] = a["0"]
      assert.same({ { 3, 2.5, 0 }, { 3, 2.5, 0 } }, a:tolist())
      assert.same({ 0, 3 }, a.T:copy()["2"]:tolist()[1] == 0 and { 0, 3 } or {})
      assert.same({ 2.5, 2.5 }, a[{ T.slice(), 1 }]:tolist())
      assert.is_true(nd.array_equal(a, a:copy()) and nd.all(nd.eq(a, a:astype("float32"))))
      local nan = 0 / 0
      assert.equal("[-2.  0.  1. nan]", tostring(nd.sort(nd.array({ 1, nan, -2, 0 }, dtype))))
      assert.same({ 2, 3, 0, 1 }, nd.argsort(nd.array({ 1, nan, -2, 0 }, dtype)):tolist())
      assert.equal("array([1. , 0.1], dtype=" .. dtype .. ")", nd.array_repr(nd.array({ 1, 0.1 }, dtype)))
    end
    assert.equal("[0.3333 2.    ]", tostring(nd.array({ 1 / 3, 2 }, "float16")))
    assert.equal("[0.334 2.   ]", tostring(nd.array({ 1 / 3, 2 }, "bfloat16")))
  end)

  it("are added up in float32 and rounded once", function()
    for _, dtype in ipairs(HALVES) do
      local x = nd.ones({ 5000 }, dtype)
      assert.equal(nd.array({ 5000 }, dtype)[0], nd.sum(x))
      assert.equal(1.0, nd.mean(x))
      assert.equal(1.0, nd.mean(nd.full({ 3000 }, 1, dtype)))
      local m = nd.full({ 3, 700 }, 60000, dtype)
      assert.equal(nd.array({ 60000 }, dtype)[0], nd.mean(m, { axis = 1 })[0]) -- their sum is no float16
      assert.equal(dtype, nd.mean(m, { axis = 1 }).dtype)
      assert.equal(5000, nd.sum(x, { dtype = "float64" }))
    end
  end)

  it("are rounded once by functions of several operations, in arrays and in graphs", function()
    local rng = nd.random.RandomState(5)
    local CALLS = {
      convolve = function(M, a, b) return M.convolve(a, b) end, polymul = function(M, a, b) return M.polymul(a, b) end,
      correlate = function(M, a, b) return M.correlate(a, b, "full") end,
      vecdot = function(M, a, b) return M.vecdot(M.stack { a, b }, M.stack { b, b }) end,
    }
    for _, name in ipairs({ "softmax", "log_softmax", "zetac", "rgamma", "factorial", "exprel", "cosm1" }) do
      CALLS[name] = function(M, a) return M.special[name](a) end
    end
    CALLS.multigammaln = function(M, a) return M.special.multigammaln(a + 3, 4) end
    CALLS.huber = function(M, a, b) return M.special.huber(b, a) end
    for _, dtype in ipairs(HALVES) do
      local a = rng:uniform(0.1, 3, { 37 }):astype(dtype)
      local b = rng:uniform(0.1, 3, { 37 }):astype(dtype)
      local x, y = T.TensorType(dtype, { false })("x"), T.TensorType(dtype, { false })("y")
      for name, call in pairs(CALLS) do
        local wide = name == "multigammaln" and (a + 3):astype("float32") - 3 or a:astype("float32")
        local want = call(nd, wide, b:astype("float32")):astype(dtype)
        assert.same(bits_of(want), bits_of(call(nd, a, b)), name)
        local e = call(T, x, y)
        assert.equal(dtype, e.dtype, name)
        local got = theano.compile({ x, y }, e, { on_unused_input = "ignore" })(a, b)
        assert.is_true(nd.allclose(want:astype("float64"), got:astype("float64"),
          { rtol = dtype == "float16" and 1e-3 or 8e-3 }), name)
      end
    end
  end)

  it("are floats to what asks: signals, matrices, whatever the dtype's name begins with", function()
    for _, dtype in ipairs(HALVES) do
      local a = nd.array({ 1.5, 2.25, 0.75, 3.125 }, dtype)
      assert.equal("float64", nd.signal.detrend(a).dtype, dtype)
      assert.equal("complex64", nd.signal.hilbert(a).dtype, dtype)
      assert.equal("float32", select(2, nd.signal.welch(a, { nperseg = 4 })).dtype, dtype)
      local m = nd.array({ { 3, 1 }, { 1, 2 } }, dtype)
      for _, name in ipairs({ "hessenberg", "ldl", "signm" }) do assert.equal(dtype, nd.linalg[name](m).dtype, name) end
      local long = nd.ones({ 200 }, dtype)
      assert.equal(dtype, nd.signal.convolve(long, long).dtype) -- by transforms
      assert.equal(200, nd.signal.convolve(long, long)[199])
      assert.equal(dtype, nd.signal.convolve2d(m, m).dtype)
    end
  end)

  it("are what files hold: .npy, .npz as NumPy and ml_dtypes write them, .safetensors", function()
    local few = { { 0, 1, -2.5 }, { 1e-3, 1000, math.huge } }
    local z, s = nd.load("spec/data/files/half.npz"), nd.load("spec/data/files/half.safetensors")
    local path = os.tmpname()
    for _, dtype in ipairs(HALVES) do
      local want = nd.array(few, dtype)
      for _, found in ipairs({ z[dtype], s[dtype] }) do
        assert.equal(dtype, found.dtype)
        assert.is_true(nd.array_equal(want, found))
      end
      for _, ending in ipairs({ ".npy", ".npz", ".safetensors", ".txt" }) do
        if ending == ".npy" then nd.save(path .. ending, want)
        elseif ending == ".npz" then nd.savez(path .. ending, { a = want })
        elseif ending == ".safetensors" then nd.save(path .. ending, { a = want })
        else nd.savetxt(path .. ending, want) end
        local back = ending == ".txt" and nd.loadtxt(path .. ending, { dtype = dtype }) or nd.load(path .. ending)
        back = type(back) == "table" and back.a or back
        assert.equal(dtype, back.dtype)
        assert.same(bits_of(want), bits_of(back))
        os.remove(path .. ending)
      end
    end
    os.remove(path)
  end)
end)

-- Operations of one and of two operands with a range that suits them.
local UNARY = {
  "exp", "expm1", "log", "log1p", "sqrt", "sqr", "abs_", "neg", "sin", "cos", "tan", "tanh", "sigmoid", "softplus",
  "erf", "floor", "ceil", "trunc", "sgn", "inv", "arctan", "sinh", "cosh", "exp2", "deg2rad", "gamma", "isnan", "isinf",
}
local BINARY = { "add", "sub", "mul", "true_div", "int_div", "mod", "pow", "maximum", "minimum", "arctan2", "lt", "eq",
  "ge" }

describe("graphs of halves", function()
  it("round float32's result of each operation, in every mode alike", function()
    for _, dtype in ipairs(HALVES) do
      local a = nd.array({ 0.1, 0.5, 1, 1.7, 3, 7.3, 0, 2.2, 65000, 1e-7, 0.333, 9, 11.1, 13, 0.9, 5, 4.4 }, dtype)
      local b = nd.array({ 2, 0.3, 1, 4, 0.7, 3, 1, -2, 2, 0.1, 3, 0.01, 5, 2, 0.6, 7, 1.5 }, dtype)
      local x, y = T.TensorType(dtype, { false })("x"), T.TensorType(dtype, { false })("y")
      local outputs, names = {}, {}
      local function put(name, direct, up)
        local want = up.dtype == "float32" and T.cast(up, dtype) or up
        assert.equal(up.dtype == "float32" and dtype or up.dtype, direct.dtype, name)
        outputs[#outputs + 1], outputs[#outputs + 2], names[#names + 1] = direct, want, name
      end
      local fx, fy = T.cast(x, "float32"), T.cast(y, "float32")
      for _, name in ipairs(UNARY) do put(name, T[name](x), T[name](fx)) end
      for _, name in ipairs(BINARY) do put(name, T[name](x, y), T[name](fx, fy)) end
      local function through(v) return T.cast(T.cast(v, dtype), "float32") end
      put("chain", T.exp(x) * y + x, through(through(T.exp(fx)) * fy) + fx)
      put("switch", T.switch(T.gt(x, y), x, y), T.switch(T.gt(fx, fy), fx, fy))
      put("clip", T.clip(x, y, 5), T.clip(fx, fy, 5))
      local first
      for _, run in ipairs(RUNS) do
        local scope <close> = theano.config.change_flags { linker = run[1] }
        local r = { theano.compile({ x, y }, outputs, { mode = run[2] })(a, b) }
        for i, name in ipairs(names) do
          local direct, want = without_nan(r[2 * i - 1]), without_nan(r[2 * i])
          assert.is_true(nd.array_equal(direct, want), name .. " " .. run[1] .. run[2])
          if first then assert.is_true(nd.array_equal(direct, without_nan(first[2 * i - 1])), name) end
        end
        first = first or r
        assert.is_not_nil(scope)
      end
      for _, name in ipairs({ "exp", "tanh", "sqrt" }) do -- eager calls
        local want = nd[name](a:astype("float32")):astype(dtype)
        assert.is_true(nd.array_equal(without_nan(want), without_nan(nd[name](a))))
      end
    end
  end)

  it("take products, convolutions and rows through float32", function()
    for _, dtype in ipairs(HALVES) do
      local rng = nd.random.RandomState(3)
      local a, b = rng:normal(0, 1, { 5, 40 }):astype(dtype), rng:normal(0, 1, { 40, 7 }):astype(dtype)
      local images = rng:normal(0, 1, { 2, 3, 8, 8 }):astype(dtype)
      local filters = rng:normal(0, 1, { 4, 3, 3, 3 }):astype(dtype)
      local function up(x) return x:astype("float32") end
      local function near(want, got)
        assert.equal(dtype, got.dtype)
        assert.is_true(nd.array_equal(want:astype(dtype), got))
      end
      near(nd.dot(up(a), up(b)), nd.dot(a, b))
      local m, n = T.matrix("m", { dtype = dtype }), T.matrix("n", { dtype = dtype })
      local i, w = T.tensor4("i", { dtype = dtype }), T.tensor4("w", { dtype = dtype })
      local f32 = { T.fmatrix(), T.fmatrix(), T.ftensor4(), T.ftensor4() }
      local function graph(p, q, x, y)
        return { T.dot(p, q), T.nnet.softmax(p), T.nnet.conv2d(x, y), T.max(p, { axis = 0 }), T.sum(p),
          T.batched_dot(p:dimshuffle("x", 0, 1), q:dimshuffle("x", 0, 1)), T.argmax(p, { axis = 1 }) }
      end
      local halves = { theano.compile({ m, n, i, w }, graph(m, n, i, w))(a, b, images, filters) }
      local wide = { theano.compile(f32, graph(table.unpack(f32)))(up(a), up(b), up(images), up(filters)) }
      for k, got in ipairs(halves) do
        if type(got) == "number" then assert.equal(nd.array({ wide[k] }, dtype)[0], got)
        elseif got.dtype == "int64" then assert.is_true(nd.array_equal(wide[k], got))
        else near(wide[k], got) end
      end
    end
  end)

  it("have gradients of their own dtype", function()
    for _, dtype in ipairs(HALVES) do
      local x, w = T.matrix("x", { dtype = dtype }), T.vector("w", { dtype = dtype })
      local at = T.ivector("i")
      local cost = T.mean(T.sqr(T.tanh(T.dot(x, w)))) + x["0, 0"] + T.sum(w[at])
      local g = theano.grad(cost, { x, w })
      assert.same({ dtype, dtype }, { g[1].dtype, g[2].dtype })
      local fx, fw = T.fmatrix(), T.fvector()
      local f_cost = T.mean(T.sqr(T.tanh(T.dot(fx, fw)))) + fx["0, 0"] + T.sum(fw[at])
      local values = { nd.array({ { 0.5, -0.25 }, { 1, 2 } }, dtype), nd.array({ 0.5, 0.125 }, dtype),
        nd.array({ 1, 1, 0 }, "int32") }
      local got = { theano.compile({ x, w, at }, g)(table.unpack(values)) }
      local want = { theano.compile({ fx, fw, at }, theano.grad(f_cost, { fx, fw }))(values[1]:astype("float32"),
        values[2]:astype("float32"), values[3]) }
      for k = 1, 2 do
        assert.is_true(nd.allclose(got[k]:astype("float32"), want[k], dtype == "float16" and 5e-3 or 4e-2, 1e-2))
      end
    end
    T.verify_grad(function(v) return T.sum(T.tanh(v) * v) end, { nd.array({ 0.5, -1, 2 }, "float16") },
      { rng = nd.random.RandomState(1), eps = 0.125 })
  end)

  it("keep halves in shared variables, loops, branches and subscripts", function()
    for _, dtype in ipairs(HALVES) do
      local w = theano.shared(nd.array({ 1, 2, 3 }, dtype))
      local x = T.vector("x", { dtype = dtype })
      local f = theano.compile({ x }, {}, { updates = { { w, w - x * T.cast(0.5, dtype) } } })
      f(nd.array({ 1, 1, 1 }, dtype))
      assert.same({ 0.5, 1.5, 2.5 }, w:get_value():tolist())
      local sums = theano.scan(function(v, s) return s + v end,
        { sequences = x, outputs_info = T.cast(T.constant(0.0), dtype) })
      local c = T.iscalar("c")
      local r = { theano.compile({ x, c }, { sums, theano.ifelse(c, x, x * x), T.set_subtensor(x[{ T.slice(1, 2) }], 7),
        T.inc_subtensor(x[{ T.slice(1, 2) }], 7), T.concatenate({ x, x }), x["::-1"], x:reshape { 3, 1 },
        T.stack { x, x } })(nd.array({ 1, 2, 3 }, dtype), 0) }
      assert.same({ { 1, 3, 6 }, { 1, 4, 9 }, { 1, 7, 3 }, { 1, 9, 3 }, { 1, 2, 3, 1, 2, 3 }, { 3, 2, 1 },
        { { 1 }, { 2 }, { 3 } }, { { 1, 2, 3 }, { 1, 2, 3 } } }, (function()
        local lists = {}
        for i, v in ipairs(r) do
          assert.equal(dtype, v.dtype)
          lists[i] = v:tolist()
        end
        return lists
      end)())
    end
  end)

  it("are floatX", function()
    for _, dtype in ipairs(HALVES) do
      local scope <close> = theano.config.change_flags { floatX = dtype }
      assert.equal(dtype, T.matrix().dtype)
      assert.equal(dtype, (T.matrix() * 0.1).dtype)
      assert.equal(dtype, (T.imatrix() / T.imatrix()).dtype)
      assert.equal(dtype, T.zeros({ 2 }).dtype)
      assert.equal(1.5, theano.compile({}, T.true_div(T.constant(3), T.constant(2)))())
      assert.is_not_nil(scope)
    end
    assert.equal("float32", (T.vector("x", { dtype = "float16" }) * 0.5).dtype) -- Theano's rule of literals
  end)

  it("train layers as floatX, dropout among them, to float32's loss", function()
    local function train(floatX)
      local scope <close> = theano.config.change_flags { floatX = floatX, linker = "interpreter" }
      local p, x, y = theano.layers.params { seed = 1 }, T.matrix("x"), T.lvector("y")
      local h = theano.layers.dropout(p, theano.layers.dense(p, x, 2, 8, { activation = T.tanh }), 0.1)
      local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(theano.layers.dense(p, h, 8, 2)), y):mean()
      assert.equal(floatX, cost.dtype)
      local updates = theano.train.optimizers.sgd(cost, p.weights, { learning_rate = 0.5 })
      local step = theano.compile { inputs = { x, y }, outputs = cost, updates = updates }
      local points = nd.random.RandomState(2):normal(0, 1, { 64, 2 })
      local labels, loss = nd.gt(points[{ T.slice(), 0 }], points[{ T.slice(), 1 }]):astype("int64"), nil
      for _ = 1, 40 do loss = step(points:astype(floatX), labels) end
      assert.is_not_nil(scope)
      return loss
    end
    local want = train("float32")
    assert.is_true(want < 0.3)
    assert.near(want, train("float16"), 0.01)
    assert.near(want, train("bfloat16"), 0.05)
  end)

  it("are looked at by NanGuardMode and DebugMode", function()
    local x = T.vector("x", { dtype = "float16" })
    local f = theano.compile({ x }, T.exp(x) * x, { mode = "NanGuardMode" })
    assert.equal(0.0, f(nd.array({ 0 }, "float16"))[0])
    raises("NanGuardError", "exp", function() f(nd.array({ 12 }, "float16")) end)
    local g = theano.compile({ x }, T.sum(T.tanh(x) * x), { mode = "DebugMode" })
    assert.near(1.4, g(nd.array({ 1, -1, 0.0625 }, "float16")), 0.2)
  end)

  it("are drawn through float32", function()
    for _, dtype in ipairs(HALVES) do
      local rng = require("theano.sandbox.rng_mrg").MRG_RandomStreams(5)
      local streams = T.shared_randomstreams.RandomStreams(7)
      local of = { size = { 300 }, dtype = dtype }
      for _, v in ipairs({ rng:uniform(of), rng:normal(of), streams:uniform(of) }) do
        assert.equal(dtype, v.dtype)
        local a = theano.compile({}, v)()
        assert.equal(dtype, a.dtype)
        assert.is_true(nd.std(a:astype("float32")) > 0.2)
      end
      local u = theano.compile({}, rng:uniform({ size = { 20000 }, dtype = dtype }))()
      assert.is_true(nd.max(u) < 1 and nd.min(u) >= 0)
    end
  end)

  -- Elementwise, products, rows, gradients, subscripts, casts.
  local function mixed(dtype)
    local x, m = T.vector("x", { dtype = dtype }), T.matrix("m", { dtype = dtype })
    local i, d = T.lvector("i"), T.dvector("d")
    local f = theano.compile({ x, m, i, d }, {
      T.exp(x) * x + 1, T.dot(m, x), T.nnet.softmax(m), T.sum(m, { axis = 0 }),
      T.grad(T.sum(T.tanh(T.dot(m, x))), m), x[i], T.set_subtensor(x[i], 5), T.inc_subtensor(x[i], 5),
      T.concatenate { x, x }, x:astype("float64"), T.cast(d, dtype), T.sort(x), T.cast(i, dtype), T.gt(x, 1),
    })
    return { f(nd.array({ 1, 2, 3, 0.5 }, dtype), nd.array({ { 1, 2, 3, 4 }, { -1, 0.1, 0.2, 0.3 } }, dtype),
      nd.array({ 0, 2, 2 }, "int64"), nd.array { 1 + 2 ^ -11, 1e9, 2 ^ -25 * (1 + 2 ^ -40) }) }
  end

  it("have the same bits on a device", function()
    for _, dtype in ipairs(HALVES) do
      local want = mixed(dtype)
      local scope <close> = theano.config.change_flags(require("spec.support.emulated").flags)
      for k, v in ipairs(mixed(dtype)) do assert.equal(want[k]:tobytes(), v:tobytes(), k) end
      assert.is_not_nil(scope)
    end
  end)

  it("are C programs of their own", function()
    local exported, skip = require("spec.support.exported"), require("spec.support.skip")
    skip.unless(exported.has("gcc"), "gcc is not here")
    local list = {}
    for k, dtype in ipairs(HALVES) do
      local x = T.TensorType(dtype, { false })("x")
      local w = theano.shared(nd.array({ 0.5, 2, -1 }, dtype), "w")
      local f = theano.compile({ theano.In(x, { name = "x" }) }, T.exp(x) * w, { updates = { { w, w + x } } })
      list[k] = { "half" .. k, f, { args = { nd.array({ 1, 2, 0.3 }, dtype) } } }
    end
    local said = exported.run("gcc", exported.strict .. " -O1", list)
    assert.truthy(said:find("half1: 0\n", 1, true) and said:find("half2: 0\n", 1, true), said)
  end)

  it("are kept by saved functions and graph text, which may hold no other operation on them", function()
    for _, dtype in ipairs(HALVES) do
      local x = T.vector("x", { dtype = dtype })
      local f = theano.compile({ x }, T.exp(x) * T.constant(nd.array({ 0.1, 2 }, dtype)))
      local path = os.tmpname()
      f:save(path)
      local given = nd.array({ 1, 2 }, dtype)
      assert.equal(f(given):tobytes(), theano.load(path)(given):tobytes())
      os.remove(path)
      local onnx, w = require("theano.onnx"), theano.shared(nd.array({ 0.1, 3 }, dtype), "w")
      onnx.save(path, { inputs = { x }, outputs = { y = T.exp(x) * w } })
      local model = onnx.load(path)
      local again = theano.compile(model.inputs, model.outputs[1])
      assert.equal(theano.compile({ x }, T.exp(x) * w)(given):tobytes(), again(given):tobytes())
      os.remove(path)
    end
    for _, line in ipairs({
      "%0 = Sum{axis=[0], dtype=float32, acc_dtype=float16, no_zeros_in_input=False, or_least=False}(x)",
      "%0 = Elemwise{body=<i:float16 | | exp:float16(0) | 1>}(x)", "%0 = Elemwise{exp}(x)", "%0 = SortOp{}(x)",
    }) do
      raises("TypeError", nil, function() theano.printing.graph_read("x: float16[?]\n" .. line .. "\nout %0\n") end)
    end
  end)

  it("raise by name where there is no form of halves", function()
    local m = T.matrix("m", { dtype = "float16" })
    raises("TypeError", { "fft.fft", "float16" }, function() T.fft.fft(m) end)
    raises("TypeError", { "nlinalg.det", "float16" }, function() T.nlinalg.det(m) end)
    raises("TypeError", { "cholesky", "halves" }, function() T.slinalg.cholesky(m) end)
    raises("TypeError", "float16", function() require("theano.sparse").csr_matrix("s", { dtype = "float16" }) end)
    raises("TypeError", "float16", function() nd.linalg.inv(nd.ones({ 2, 2 }, "float16")) end)
  end)
end)
