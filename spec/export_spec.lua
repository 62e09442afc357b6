--- Functions as C programs of their own: the same results to the last bit, from standard C.
local theano = require("theano")
local exported = require("spec.support.exported")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local T, nd = theano.tensor, theano.ndarray

local rng = nd.random.RandomState(3)
local function value(dtype, ...) return rng:randn(...):astype(dtype) end

-- Name, function, options of export.
local function functions()
  local list = {}
  local function add(name, f, args) list[#list + 1] = { name, f, { args = args } } end

  for _, dtype in ipairs { "float32", "float64" } do
    local x = T.TensorType(dtype, { false, false })("x")
    local W1, b1 = theano.shared(value(dtype, 20, 33), "W1"), theano.shared(value(dtype, 33), "b1")
    local W2, b2 = theano.shared(value(dtype, 33, 4), "W2"), theano.shared(value(dtype, 4), "b2")
    local y = T.dot(T.tanh(T.dot(x, W1) + b1), W2) + b2
    local f = theano.compile { inputs = { x }, outputs = { y = y } }
    add("mlp_" .. dtype, f, { value(dtype, 1, 20) })
    add("mlp_many_" .. dtype, f, { value(dtype, 7, 20) })
    local cost = T.sqr(y):mean()
    local updates = {}
    for i, p in ipairs { W1, b1, W2, b2 } do
      updates[i] = { p, p - T.constant(0.1, { dtype = dtype }) * T.grad(cost, p) }
    end
    local step = theano.compile { inputs = { x }, outputs = { cost = cost }, updates = updates }
    add("train_" .. dtype, step, { value(dtype, 5, 20) })
  end
  return list
end

describe("an exported program", function()
  for _, compiler in ipairs { "gcc", "clang" } do
    it("gives the bits of the function, in standard C by " .. compiler, function()
      skip.unless(exported.has(compiler), compiler .. " is not here")
      local list = functions()
      local said = exported.run(compiler, exported.strict .. " -O1", list)
      for _, e in ipairs(list) do
        assert(said:find("\n" .. e[1] .. ": 0\n", 1, true), said)
      end
    end)
  end

  it("leaves the function's shared variables as they were", function()
    local x, s = T.dscalar("x"), theano.shared(1.0, "s")
    local f = theano.compile { inputs = { x }, outputs = s * x, updates = { { s, s + x } } }
    local dir = runner.folder()
    f:export("once", { dir = dir, args = { 2 } })
    runner.remove(dir)
    assert.equal(1, s:get_value())
  end)

  it("is refused for what it is not written for, by name and line, without a file", function()
    local x = T.dvector("x")
    local f = theano.compile { inputs = { x }, outputs = T.sort(x) }
    local dir = runner.folder()
    raises("NotImplementedError", { "Sort", "made at spec/export_spec.lua" }, function()
      f:export("sorted", { dir = dir, shapes = { { 3 } } })
    end)
    local pipe = io.popen("ls " .. dir)
    assert.equal("", pipe:read("a"))
    pipe:close()
    runner.remove(dir)
  end)

  it("needs a name for C, and lengths", function()
    local x = T.dvector("x")
    local f = theano.compile { inputs = { x }, outputs = x + 1 }
    raises("ValueError", "'my policy' is not a name", function() f:export("my policy", { shapes = { { 3 } } }) end)
    raises("TypeError", "an example of input 0, x is needed", function() f:export("p") end)
    raises("ValueError", "2 lengths are given for input 1, x, which has 1", function()
      f:export("p", { shapes = { x = { 2, 3 } } })
    end)
  end)
end)
