--- Errors in the user's words: every kind of failure at every kind of place names the lines and the names of what was
-- merged into the failing node, under rewriting and without.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local HERE = debug.getinfo(1, "S").short_src

local function vector_op(name, fn)
  local vector = T.dvector().type
  return theano.as_op({ itypes = { vector }, otypes = { vector }, name = name, fn = fn,
    grad = function(_, gz) return { gz[1] * 2 } end })
end
local loud = vector_op("Loud", function(x)
  if x[0] < 0 then error("my own words") end
  return x * 2
end)
local liar = vector_op("Liar", function(x) return x[0] < 0 and x:astype("float32") or x * 2 end)

-- A kind of failure: two variables and what goes wrong between them. `build(a, b)` gives a vector; `words` the names
-- that the message is to have; `bad` and `good` are values of b (a has length 3), `kind` the error.
local KINDS = {
  elementwise = { kind = "ValueError", bad = nd.ones(4), good = nd.ones(3), words = { "weights" },
    build = function(a, b) return a * b, debug.getinfo(1, "l").currentline end },
  product = { kind = "ValueError", bad = nd.ones({ 4, 3 }), good = nd.ones({ 3, 3 }), type = T.dmatrix,
    words = { "weights" }, build = function(a, b) return T.dot(a, b), debug.getinfo(1, "l").currentline end },
  index = { kind = "IndexError", bad = nd.array({ 0, 7, 1 }), good = nd.array({ 0, 2, 1 }), type = T.lvector,
    words = { "index 7", "weights" }, build = function(a, b) return a[b], debug.getinfo(1, "l").currentline end },
  reshape = { kind = "ValueError", bad = nd.ones(4), good = nd.ones(3), words = {},
    build = function(a, b) return (b * 2):reshape({ 3 }) + a, debug.getinfo(1, "l").currentline end },
  join = { kind = "ValueError", bad = nd.ones({ 2, 4 }), good = nd.ones({ 2, 3 }), type = T.dmatrix, words = {},
    build = function(a, b)
      return T.concatenate({ a:dimshuffle("x", 0), b }, { axis = 0 }):sum(0), debug.getinfo(1, "l").currentline
    end },
  division = { kind = "ZeroDivisionError", bad = nd.array({ 1, 0, 2 }), good = nd.array({ 1, 1, 2 }), type = T.lvector,
    words = {}, no_gradient = true,
    build = function(_, b) return 6 // b, debug.getinfo(1, "l").currentline end },
  nan = { kind = "NanGuardError", bad = nd.array({ 1.0, -1.0, 1.0 }), good = nd.ones(3), words = { "weights" },
    modes = { unoptimized = theano.compile.NanGuardMode({ optimizer = "None" }),
      optimized = theano.compile.NanGuardMode({}) },
    build = function(a, b) return T.log(b) * a, debug.getinfo(1, "l").currentline end },
  memory = { kind = "MemoryError", bad = 1 << 46, good = 2, type = T.lscalar,
    words = { "512.0 TB) for the result of Alloc, float64 of shape (70368744177664,)", "Planned for", "in use by",
      "T.remat", "memory = BYTES" },
    build = function(a, b) return T.sort(T.alloc(a[0], b))[0] * a, debug.getinfo(1, "l").currentline end },
  singular = { kind = "LinAlgError", bad = nd.zeros({ 3, 3 }), good = nd.eye(3), type = T.dmatrix,
    words = { "Singular matrix" },
    build = function(a, b) return T.slinalg.solve(b, a), debug.getinfo(1, "l").currentline end },
  factor = { kind = "LinAlgError", bad = nd.zeros({ 3, 3 }), good = nd.eye(3), type = T.dmatrix,
    words = { "not positive definite", "weights" },
    build = function(a, b) return T.dot(T.slinalg.cholesky(b), a), debug.getinfo(1, "l").currentline end },
  operation = { kind = "RuntimeError", bad = nd.array({ -1.0, 1, 1 }), good = nd.ones(3),
    words = { "my own words", "weights" },
    build = function(a, b) return loud(b) * a, debug.getinfo(1, "l").currentline end },
  result = { kind = "TypeError", bad = nd.array({ -1.0, 1, 1 }), good = nd.ones(3), words = { "float32", "weights" },
    build = function(a, b) return liar(b) * a, debug.getinfo(1, "l").currentline end },
  assertion = { kind = "AssertionError", bad = nd.array({ -1.0, 1, 1 }), good = nd.ones(3), words = { "positive" },
    build = function(a, b)
      return T.opt.Assert("weights are positive")(a, T.ge(b, 0):all()) * b, debug.getinfo(1, "l").currentline
    end },
}

-- A kind of place: what stands around it. Each gives a scalar or vector of build's result, and inputs besides a and b.
local PLACES = {
  plain = function(build, a, b) return build(a, b) end,
  fused = function(build, a, b)
    local y, line = build(T.tanh(a) * 2, b)
    return T.exp(-y) + 1, line
  end,
  loop = function(build, a, b)
    local line
    local out = theano.scan({
      fn = function(s)
        local y
        y, line = build(a, b)
        return s + y:sum():astype("float64")
      end,
      outputs_info = T.constant(0.0, { dtype = "float64" }), n_steps = 3,
    })
    return out, line
  end,
  branch = function(build, a, b)
    local y, line = build(a, b)
    return theano.ifelse(a[0]:gt(0), y:sum():astype("float64"), T.constant(0.0, { dtype = "float64" })), line
  end,
  gradient = function(build, a, b)
    local y, line = build(a, b)
    return T.grad((y ^ 2):sum(), a), line
  end,
}

-- In a loop whose state and sequence have no names.
PLACES.unnamed = function(build, a, b)
  local line
  local out = theano.scan({
    fn = function(row, s)
      local y
      y, line = build(a * row, b)
      return s + y:sum():astype("float64")
    end,
    sequences = T.arange(1, 4):astype("float64"), outputs_info = T.constant(0.0, { dtype = "float64" }),
  })
  return out, line
end

local function message_of(name, kind, place, mode)
  local a, b = T.dvector("features"), (kind.type or T.dvector)("weights")
  local out, line = PLACES[place](kind.build, a, b)
  local f = theano.compile({ inputs = { a, b }, outputs = out, mode = mode, on_unused_input = "ignore" })
  assert(pcall(f, nd.ones(3), kind.good), name .. " fails with good values")
  local fine, message = pcall(f, nd.ones(3), kind.bad)
  assert.is_false(fine, name)
  return message, line
end

local INTERPRETED = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })

describe("a failure", function()
  for kind_name, kind in pairs(KINDS) do
    for place in pairs(PLACES) do
      if not (place == "gradient" and kind.no_gradient) then
        for mode_name, mode in pairs(kind.modes or { unoptimized = "None", optimized = INTERPRETED }) do
          it(("of kind %s in place %s names line and variables, %s"):format(kind_name, place, mode_name), function()
            local message, line = message_of(kind_name, kind, place, mode)
            assert.equal(kind.kind, theano.error_kind(message), message)
            assert.truthy(message:find(("%s:%d"):format(HERE, line), 1, true), message)
            for _, word in ipairs(kind.words) do assert.truthy(message:find(word, 1, true), message) end
          end)
        end
      end
    end
  end
end)

describe("the lines of a node", function()
  local x, y = T.dmatrix("x"), T.dmatrix("y")

  it("have the names of what was made there, of all that was fused", function()
    local h = T.tanh(x)
    h.name = "hidden"
    local s = h + y
    s.name = "total"
    local f = theano.compile({ inputs = { x, y }, outputs = T.exp(s), mode = INTERPRETED })
    local _, message = pcall(f, nd.ones({ 2, 3 }), nd.ones({ 3, 3 }))
    assert.truthy(message:find("%(hidden%), [^,]*%(total%)"), message)
    assert.truthy(message:find("input[0] is x, input[1] is y", 1, true), message)
  end)

  it("of a gradient say so, with the name", function()
    local h = T.tanh(x)
    h.name = "hidden"
    local g = T.grad((h * 3):sum(), x)
    assert.truthy(require("theano.core").places(g.owner):find("^gradient of [^ ]*:%d+ %(hidden%)"),
      require("theano.core").places(g.owner))
  end)

  it("tell of equal nodes written twice", function()
    local a = T.exp(x)
    local b = T.exp(x)
    local f = theano.compile({ inputs = { x }, outputs = a - b * 2, mode = "FAST_COMPILE" })
    local found
    for _, node in ipairs(f.maker.fgraph.toposort()) do
      if tostring(node.op):find("exp", 1, true) then found = require("theano.core").places(node) end
    end
    assert.truthy(found:find(":%d+, [^,]*:%d+$"), found)
  end)

  it("of a function that a tail call made are found", function()
    local function make() return theano.compile({ x, y }, x + y, { mode = "None" }) end
    local line = debug.getinfo(1, "l").currentline + 1
    local f = make()
    local _, message = pcall(f, nd.ones({ 2, 3 }), nd.ones({ 3, 3 }))
    assert.truthy(message:find(HERE, 1, true), message)
    assert.truthy(f.name:find(HERE .. ":", 1, true) and line, f.name)
  end)
end)

describe("a product of operands without names", function()
  it("tells what computed them and where", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local line = debug.getinfo(1, "l").currentline + 1
    local f = theano.compile({ x, y }, T.dot(T.exp(x), y), { mode = "None" })
    local _, message = pcall(f, nd.ones({ 2, 3 }), nd.ones({ 4, 3 }))
    assert.truthy(message:find(("Shape mismatch: Elemwise{exp,no_inplace}.0 (%s:%d) has 3 cols but y has 4 rows")
      :format(HERE, line), 1, true), message)
  end)
end)

describe("an operand in a loop", function()
  local x, w = T.dmatrix("features"), T.dmatrix("weights")
  for name, mode in pairs({ unoptimized = "None", optimized = INTERPRETED }) do
    it("has the user's name, states and rows without one are called so, " .. name, function()
      local function message(fn, sequences, start)
        local out = theano.scan({ fn = fn, sequences = sequences, outputs_info = start })
        local f = theano.compile({ inputs = { x, w }, outputs = out, mode = mode, on_unused_input = "ignore" })
        local _, text = pcall(f, nd.ones({ 2, 3 }), nd.ones({ 3, 4 }))
        return text
      end
      local product = message(function(row, s) return T.tanh(T.dot(w, s) + row) end, x, T.zeros({ 3 }))
      local words = "Shape mismatch: weights has 4 cols but a state of the loop has 3 rows"
      assert.truthy(product:find(words, 1, true), product)
      local line = debug.getinfo(1, "l").currentline + 1
      local sum = message(function(row, s) return T.exp(row * s) end, T.sqrt(x), T.zeros({ 4 }))
      assert.truthy(sum:find("input[1] is a state of the loop", 1, true), sum)
      assert.truthy(sum:find(("input[0] is a row of Elemwise{sqrt,no_inplace}.0 (%s:%d)"):format(HERE, line), 1, true),
        sum)
    end)
  end

  it("leaves the loop's own line alone when parts of its body move out", function()
    local v = T.dvector("v")
    local line = debug.getinfo(1, "l").currentline + 1
    local out = theano.scan({ fn = function(s) return s + T.slinalg.solve(
      w, v):sum() end,
      outputs_info = T.constant(0.0, { dtype = "float64" }), n_steps = 2 })
    local f = theano.compile({ inputs = { w, v }, outputs = out, mode = INTERPRETED })
    local _, text = pcall(f, nd.zeros({ 3, 3 }), nd.ones(3))
    assert.truthy(text:find(("_fn}, made at %s:%d"):format(HERE, line), 1, true) or not text:find("In step", 1, true),
      text)
  end)
end)

describe("an argument", function()
  it("that does not fit is named, with the line that made the variable", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local x, y = T.dvector("features"), T.fvector()
    local f = theano.compile({ x, y }, x * y, { mode = "None" })
    for _, bad in ipairs({ { nd.ones({ 2, 3 }), nd.ones({ 3 }, "float32"), "input features", "expected 1, got 2" },
      { nd.ones(3), nd.ones(3), "at index 1", "float64 in a float32" } }) do
      local fine, message = pcall(f, bad[1], bad[2])
      assert.is_false(fine)
      assert.equal("TypeError", theano.error_kind(message))
      for _, word in ipairs({ bad[3], bad[4], ("created at %s:%d"):format(HERE, line) }) do
        assert.truthy(message:find(word, 1, true), message)
      end
    end
  end)
end)

describe("a MemoryError", function()
  it("says what was asked for, planned and in use, and what takes less", function()
    local x = T.dscalar("x")
    local f = theano.compile({ x }, T.alloc(x, 1000000, 100000, 1000) * 2, { mode = "None" })
    local _, message = pcall(f, 1.0)
    assert.equal("MemoryError", theano.error_kind(message))
    for _, word in ipairs({ "800000000000000 bytes", "shape (1000000, 100000, 1000)", "Planned", "in use", "T.remat",
      "memory = ", HERE }) do
      assert.truthy(message:find(word, 1, true), message)
    end
  end)
end)
