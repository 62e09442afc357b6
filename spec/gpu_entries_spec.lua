--- Kernels of a function on a GPU are compiled when a call takes them: of the ways of launching one those that a call's
-- lengths ask for, by one image; other lengths bring theirs; what cannot be compiled is an error that changes nothing.
local emulated = require("spec.support.emulated")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function numbers(seed, ...)
  local n, shape = 1, { ... }
  for _, d in ipairs(shape) do n = n * d end
  return (nd.sin(nd.arange(n):astype("float64") * 0.7 + seed) * 0.3):reshape(shape):astype("float32")
end

-- A product with points behind it, sums of its rows, and a shared variable that counts calls.
local function made(op)
  local x, w = T.fmatrix("x"), theano.shared(numbers(1, 40, 24), { name = "w" })
  local n = theano.shared(0, { name = "n" })
  local y = (op or T.tanh)(T.dot(x, w))
  return theano.compile({ inputs = { x }, outputs = { y, y:sum(1) }, updates = { { n, n + 1 } } }), n
end

local FRESH = { base_compiledir = "/dev/null" } -- nothing is found in a cache
for name, value in pairs(emulated.flags) do FRESH[name] = value end

local function compiled(run)
  local before, entries = emulated.calls("nvrtcCompileProgram"), emulated.calls("cuModuleGetFunction")
  run()
  return emulated.calls("nvrtcCompileProgram") - before, emulated.calls("cuModuleGetFunction") - entries
end

describe("kernels of a function on a GPU", function()
  it("are compiled by the first call, together, and none twice", function()
    local _ <close> = theano.config.change_flags(FRESH)
    local f
    assert.equal(0, (compiled(function() f = made() end)))
    local images, entries = compiled(function() f(numbers(2, 60, 40)) end)
    assert.equal(1, images)
    local all = select(2, theano.printing.ccode(f):gsub("\nKERNEL ", ""))
    assert(entries >= 1 and entries < all, ("%d of %d entries were loaded"):format(entries, all))
    for _ = 1, 4 do assert.equal(0, (compiled(function() f(numbers(3, 60, 40)) end))) end
  end)

  it("give the CPU's numbers at all lengths, which bring their own ways", function()
    local x = T.fmatrix("x")
    local function make() return theano.compile({ inputs = { x }, outputs = { T.exp(x):sum(1), x:max(0) } }) end
    local want, more = make(), 0
    local _ <close> = theano.config.change_flags(FRESH)
    local f = make()
    for _, shape in ipairs({ { 3, 5 }, { 2, 90000 }, { 0, 4 }, { 30000, 3 }, { 300, 300 }, { 3, 5 }, { 1, 1 } }) do
      local v = numbers(shape[1], table.unpack(shape))
      local empty = shape[1] == 0 -- of which there is no largest
      local a, b = table.unpack(empty and {} or { want(v) })
      local c, d
      more = more + compiled(function()
        local ok = pcall(function() c, d = f(v) end)
        assert.equal(not empty, ok)
      end)
      if not empty then
        assert(nd.allclose(a, c, { rtol = 1e-4, atol = 1e-4 }) and nd.allclose(b, d, { rtol = 1e-6 }), shape[1])
      end
    end
    assert(more >= 2, "one way served all lengths")
  end)

  it("with lengths that a call finds on its way are all there", function()
    local x = T.fvector("x")
    local y = T.nonzero_values(x)
    local function make() return theano.compile({ inputs = { x }, outputs = { T.exp(y), (y * y):sum() } }) end
    local want = make()
    local _ <close> = theano.config.change_flags(FRESH)
    local f = make()
    for _, n in ipairs({ 7, 400, 1, 30000 }) do
      local v = numbers(n, n) * (nd.arange(n) % 3):astype("float32")
      local a, b = want(v)
      local c, d = f(v)
      assert(nd.allclose(a, c, { rtol = 1e-5 }) and nd.allclose(b, d, { rtol = 1e-4, atol = 1e-6 }), n)
    end
  end)

  it("that cannot be compiled or loaded raise, change nothing, and are asked for again", function()
    local x, y = numbers(5, 60, 40), numbers(6, 2, 40)
    local _ <close> = theano.config.change_flags(FRESH)
    -- a text of its own each, which nobody has compiled
    local ops = { nvrtcCompileProgram = T.sin, cuModuleLoadData = T.cos, cuModuleGetFunction = T.sinh }
    for entry, op in pairs(ops) do
      local f, n = made(op)
      for calls, v in ipairs({ x, y }) do
        emulated.fail(entry, 1, 1)
        local ok, message = pcall(f, v)
        emulated.fail(entry, 0, 0)
        if not ok then
          assert.matches(entry == "nvrtcCompileProgram" and "CompileError" or "GpuError", tostring(message) .. entry)
          assert.equal(calls - 1, n:get_value())
          f(v)
        end
        assert(calls == 2 or not ok, entry)
        assert.equal(calls, n:get_value())
        local dot = nd.dot(v, numbers(1, 40, 24))
        assert(nd.allclose(nd[op == T.sin and "sin" or op == T.cos and "cos" or "sinh"](dot), (f(v)),
          { rtol = 1e-5, atol = 1e-6 }))
        n:set_value(calls)
      end
    end
  end)
end)
