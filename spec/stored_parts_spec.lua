--- Kernels that store different parts of one array (a Join's, slices that are set one after the other) are one kernel
-- where all compute something; what could meet the same element, and copies, stay apart.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local a, b, c = T.fmatrix("a"), T.fmatrix("b"), T.fmatrix("c")
local rng = nd.random.RandomState(3)
local function random(...) return rng:randn(...):astype("float32") end
local function part(from, to) return { T.slice(), T.slice(from, to) } end
local function set(x, y, from, to) return T.set_subtensor(x[part(from, to)], y) end

local function kernels(f)
  local steps = theano.printing.plan(f):match("\nsteps:\n(.-)\nresults:")
  return select(2, steps:gsub(": kernel ", "")), steps
end

--- The results with every linker are those without rewrites; returns the compiled function.
local function check(inputs, results, values)
  local plain = theano.compile({ inputs = inputs, outputs = results, mode = "None" })
  local want = { plain(table.unpack(values)) }
  local f
  for _, linker in ipairs({ "interpreter", "c" }) do
    f = theano.compile({ inputs = inputs, outputs = results, mode = theano.compile.Mode({ linker = linker }) })
    local got = { f(table.unpack(values)) }
    for i = 1, #want do assert.is_true(nd.allclose(want[i], got[i], 1e-5, 1e-6), linker) end
  end
  return f
end

describe("parts of one array that are stored by", function()
  local u = T.tanh(a) * b
  local function values(n) return { random(5, n), random(5, n), random(5, n) } end

  it("a Join are one kernel, and what they share has no memory", function()
    local f = check({ a, b, c }, { T.join(1, u, T.exp(u) * c, b * T.tanh(c)) }, values(7))
    local n, steps = kernels(f)
    assert.equal(1, n, steps)
    assert.is_nil(theano.printing.plan(f):match("\nbuffers:.-\n  b%d+ float32"))
    assert.is_truthy(theano.printing.plan(f):find("write part", 1, true))
    for _, k in ipairs({ 0, 1, 33 }) do check({ a, b, c }, { T.join(1, u, T.exp(u) * c, b * T.tanh(c)) }, values(k)) end
  end)

  it("a Join of copies stay rows that are copied", function()
    assert.equal(2, (kernels(check({ a, b }, { T.join(1, a, b) }, { random(5, 7), random(5, 7) }))))
  end)

  it("slices that are set one after the other are one kernel with what they share", function()
    local z = set(set(set(c, u, 0, 7), T.exp(u), 14, 21), T.tanh(u) * b, 7, 14)
    local f = check({ a, b, c }, { z }, { random(5, 7), random(5, 7), random(5, 30) })
    local n, steps = kernels(f)
    assert.equal(2, n, steps) -- c's copy, and all slices
  end)

  it("slices that meet, and a slice that is read in between, keep their order", function()
    local meets = set(set(set(c, u, 0, 7), T.exp(u), 6, 13), T.tanh(u) * b, 14, 21)
    local one = set(c, u, 0, 7)
    local between = set(one, T.exp(one[part(3, 10)]), 7, 14)
    local again = set(set(set(c, u, 0, 7), T.exp(u), 7, 14), T.tanh(u), 0, 7)
    local given = { random(5, 7), random(5, 7), random(5, 30) }
    for _, z in ipairs({ meets, between, again }) do
      local n, steps = kernels(check({ a, b, c }, { z }, given))
      assert.is_true(n > 2, steps)
    end
    check({ a, b, c }, { meets, between, again }, given)
  end)

  it("slices that are too long for the array are where they would be", function()
    local z = set(set(c, T.tanh(a), 0, 7), T.exp(b), 7, 14)
    check({ a, b, c }, { z }, { random(5, 7), random(5, 2), random(5, 9) })
  end)

  it("many parts stay kernels of one text, and threads share what few are", function()
    local all, inputs, given = {}, {}, {}
    for i = 1, 40 do
      inputs[i], given[i] = T.fmatrix("x" .. i), random(3, 4)
      all[i] = T.tanh(inputs[i]) * 2
    end
    assert.equal(40, (kernels(check(inputs, { T.join(0, table.unpack(all)) }, given))))
    local join = { T.join(1, u, T.exp(u) * c, b * T.tanh(c)) }
    local big = { random(600, 500), random(600, 500), random(600, 500) }
    local alone = theano.compile({ inputs = { a, b, c }, outputs = join })(table.unpack(big))
    local _ <close> = theano.config.change_flags({ openmp = true, openmp_elemwise_minsize = 0 })
    local f = theano.compile({ inputs = { a, b, c }, outputs = join })
    assert.equal(alone:tobytes(), f(table.unpack(big)):tobytes())
    assert.is_truthy(theano.printing.plan(f, "avx2"):find("pieces of", 1, true))
  end)
end)
