--- What theano.compile and compiled functions refuse, with Theano's kinds and facts (inventory of errors users rely
-- on).
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local compile, In, Out, shared = theano.compile, theano.In, theano.Out, theano.shared
local quick = compile.Mode({ linker = "interpreter" })

describe("inputs that are refused", function()
  local x, y = T.dvector("x"), T.dvector("y")

  it("no list", function()
    raises("TypeError", "write {x}", function() compile({ inputs = x, outputs = x }) end)
    raises("TypeError", "inputs is a table", function() compile({ inputs = 3, outputs = x }) end)
    raises("TypeError", "has the key 'x'", function() compile({ inputs = { x = x }, outputs = x }) end)
    raises("TypeError", "inputs[1] is a number", function() compile({ inputs = { 3 }, outputs = x }) end)
    raises("TypeError", "inputs[1] is an ndarray", function() compile({ inputs = { nd.zeros(1) }, outputs = x }) end)
  end)

  it("a constant, a shared variable, one twice", function()
    raises("TypeError", "constant", function() compile({ inputs = { T.constant(1.0) }, outputs = x }) end)
    raises("TypeError", { "shared variable", "givens" }, function() compile({ inputs = { shared(1.0) },
      outputs = x }) end)
    raises("UnusedInputError", { "index 0", "index 2" }, function() compile({ inputs = { x, y, x },
      outputs = x + y }) end)
  end)

  it("one that nothing uses, unless told otherwise; nobody warns about a state", function()
    raises("UnusedInputError", { "index 1", "y", "on_unused_input" }, function() compile({ inputs = { x, y },
      outputs = x }) end)
    assert.same({ 1.0 }, compile({ inputs = { x, y }, outputs = x, on_unused_input = "ignore", mode = quick })({ 1 },
      {}):tolist())
    raises("ValueError", "'raise', 'warn', and 'ignore'", function()
      compile({ inputs = { x, y }, outputs = x, on_unused_input = "shout" })
    end)
    local n = T.dscalar("n")
    compile({ inputs = { x, In(n, { value = 0, update = x:sum() }) }, outputs = x, mode = quick })({ 1 })
  end)

  it("one that is missing: the node and the line are named", function()
    raises("MissingInputError", { "Elemwise{add,no_inplace}", "variable y", "function_errors_spec.lua" }, function()
      compile({ inputs = { x }, outputs = x + y })
    end)
    raises("MissingInputError", "Output 0", function() compile({ inputs = {}, outputs = y }) end)
  end)

  it("In and Out with wrong options", function()
    raises("TypeError", "In takes a Variable", function() In(3) end)
    raises("TypeError", "unknown keyword 'mutabel'", function() In(x, { mutabel = true }) end)
    raises("ValueError", "borrow = false contradicts", function() In(x, { mutable = true, borrow = false }) end)
    raises("TypeError", "update is an expression", function() In(x, { update = "x" }) end)
    raises("TypeError", "symbolic Variable", function() In(x, { value = y }) end)
    raises("TypeError", "Out takes a Variable", function() Out("y") end)
    raises("TypeError", "unknown keyword", function() Out(x, { mutable = true }) end)
  end)
end)

describe("outputs that are refused", function()
  local x = T.dvector("x")
  it("what is no Variable", function()
    raises("TypeError", "outputs[2] is a string", function() compile({ inputs = { x }, outputs = { x, "y" } }) end)
    raises("TypeError", "output 'a' is a boolean", function() compile({ inputs = { x }, outputs = { a = true } }) end)
    raises("TypeError", "string keys", function() compile({ inputs = { x }, outputs = { a = x, [x] = x } }) end)
    raises("TypeError", "unknown keyword 'output'", function() compile({ inputs = { x }, output = x }) end)
  end)
end)

describe("updates that are refused", function()
  local x, w = T.fvector("x"), shared(nd.zeros(2, "float32"), "w")

  it("of what is not shared, or of one thing twice", function()
    raises("TypeError", { "must be a shared variable, not x", "made at" }, function() compile({ inputs = { x },
      updates = { { x, x } } }) end)
    raises("ValueError", "already has an update", function() compile({ inputs = {}, updates = { { w, w }, { w,
      w * 2 } } }) end)
    raises("TypeError", "entry 1 is no pair", function() compile({ inputs = {}, updates = { w } }) end)
    raises("TypeError", "keys are Variables", function() compile({ inputs = {}, updates = { w = w } }) end)
    raises("TypeError", "sequence of pairs or a map", function() compile({ inputs = {}, updates = 3 }) end)
  end)

  it("of another dtype, rank or pattern: both types and the way out are named", function()
    raises("TypeError", { "shared_var=w", "TensorType(float32, vector)", "TensorType(float64, vector)", "astype" },
      function()
      compile({ inputs = {}, updates = { { w, w:astype("float64") * 2 } } })
    end)
    raises("TypeError", "TensorType(float32, scalar)", function() compile({ inputs = {}, updates = { { w,
      w:sum() } } }) end)
    raises("TypeError", "unbroadcast", function()
      compile({ inputs = {}, updates = { { w, T.addbroadcast(w, 0) } } })
    end)
  end)

  it("by what is no expression, or a value that does not fit", function()
    raises("TypeError", "an expression expected", function() compile({ inputs = {}, updates = { { w, "w" } } }) end)
    raises("TypeError", "Wrong number of dimensions", function() compile({ inputs = {}, updates = { { w, 1 } } }) end)
    raises("TypeError", "held exactly", function() compile({ inputs = {}, updates = { { shared(1), 0.5 } } }) end)
  end)
end)

describe("givens that are refused", function()
  local x, y, f = T.dvector("x"), T.dvector("y"), T.fvector("f")

  it("for an input, twice, of another type, standing on each other", function()
    raises("RuntimeError", "is an input of the function", function() compile({ inputs = { x }, outputs = x,
      givens = { { x,
      y } } }) end)
    raises("ValueError", "replaced twice", function() compile({ inputs = { y }, outputs = x, givens = { { x, y },
      { x, y } } }) end)
    raises("TypeError", { "float32", "float64" }, function() compile({ inputs = { f }, outputs = x, givens = { { x,
      f } } }) end)
    local z = T.dvector("z")
    raises("RuntimeError", "another replacement", function()
      compile({ inputs = { z }, outputs = x + y, givens = { { x, y * 2 }, { y, z } } })
    end)
    raises("RuntimeError", "replaces another variable", function()
      compile({ inputs = { z }, outputs = x + y, givens = { { x, y }, { y, z } } })
    end)
    local w, v = theano.shared(1.0, "w"), theano.shared(2.0, "v")
    local pairs_of = { { { w, w + v }, { v, v * 2 } }, { { v, v * 2 }, { w, w + v } }, { { w, v }, { v, w } } }
    for _, givens in ipairs(pairs_of) do
      raises("RuntimeError", "another", function() compile({ inputs = {}, outputs = w + v, givens = givens }) end)
    end
    raises("TypeError", "a Variable expected", function() compile({ inputs = {}, outputs = x, givens = { { 1,
      2 } } }) end)
  end)
end)

describe("calls that are refused", function()
  local x, n, r = T.dmatrix("x"), T.lscalar("n"), T.drow("r")
  local f = compile({ inputs = { x, n, r }, outputs = { x * n, r }, name = "the_function", mode = quick })
  local a, row = nd.zeros({ 2, 2 }), nd.zeros({ 1, 2 })

  it("too many and too few arguments", function()
    raises("TypeError", { "Too many parameter passed", "the_function", "4 given, 3 expected" }, function() f(a, 1,
      row, 4) end)
    raises("TypeError", "Missing required input: r", function() f(a, 1) end)
    raises("TypeError", "Missing required input: x", function() f() end)
    raises("TypeError", "Missing required input: n", function() f(a, nil, row) end)
    raises("TypeError", "Unknown input or state: m", function() f({ m = 1 }) end)
    raises("TypeError", "Multiple values for input: x", function() f(a, { x = a }) end)
  end)

  it("say the function, the position and the variable's line", function()
    raises("TypeError", { 'theano function with name "the_function" at index 0 (0-based)',
      "created at spec/function_errors_spec.lua",
      "Wrong number of dimensions: expected 2, got 1 with shape (3,)" }, function() f(nd.zeros(3), 1, row) end)
    raises("TypeError", { "index 2", "broadcastable dimension", "(2, 2)" }, function() f(a, 1, a) end)
  end)

  it("dtypes that would lose something", function()
    local g = compile({ inputs = { n }, outputs = n, mode = quick })
    raises("TypeError", { "float64", "int64", "risking loss of precision" }, function() g(nd.array(1.0)) end)
    raises("TypeError", "cannot be held exactly by int64", function() g(1.5) end)
    raises("TypeError", "cannot be held exactly by int64", function() g(1e300) end)
    local b = compile({ inputs = { T.bscalar("b") }, outputs = T.constant(1), on_unused_input = "ignore",
      mode = quick })
    raises("TypeError", "int8", function() b(128) end)
    assert.equal(1, b(127))
    local loose = compile({ inputs = { n }, outputs = n, allow_input_downcast = true, mode = quick })
    assert.equal(1, loose(1.5))
    local u = compile({ inputs = { T.scalar("u", { dtype = "uint8" }) }, outputs = T.constant(1),
      on_unused_input = "ignore", mode = quick })
    raises("TypeError", "uint8", function() u(-1) end)
  end)

  it("what is no value", function()
    raises("TypeError", "found a Variable", function() f(x, 1, row) end)
    raises("TypeError", "found a Variable", function() f({ { n } }, 1, row) end)
    raises("TypeError", "neither a number, an ndarray nor a nested table", function() f("a", 1, row) end)
    raises("TypeError", "cannot be an argument", function() f(print, 1, row) end)
    raises("TypeError", "ragged", function() f({ { 1, 2 }, { 3 } }, 1, row) end)
    raises("TypeError", "ragged", function() f({ 1, { 3 } }, 1, row) end)
    raises("TypeError", "ragged", function() f({ 1, {} }, 1, row) end)
    raises("TypeError", "ragged", function() f({ { 1 }, 3 }, 1, row) end)
    raises("TypeError", "", function() f(f, 1, row) end)
  end)

  it("arrays that were freed", function()
    local gone = nd.zeros({ 2, 2 })
    gone:free()
    raises("ValueError", "", function() f(gone, 1, row) end)
  end)

  it("tables that hold themselves", function()
    local cycle = {}
    cycle[1] = cycle
    raises("TypeError", "", function() f(cycle, 1, row) end)
  end)

  it("leave the function as it was", function()
    assert.same({ { 2.0, 4.0 } }, f({ { 1, 2 } }, 2, { { 0, 0 } }):tolist())
  end)
end)

describe("a failing call", function()
  -- every place where a step can fail, before and after updates in the schedule
  local ways = {
    { "an index", function(x, i) return x[i] end },
    { "a vector of indices", function(x, i) return x[T.stack({ i, i })] end },
    { "a written index", function(x, i) return T.set_subtensor(x[i], 1) end },
    { "a division of integers", function(_, i) return 7 // (i - 9) end },
    { "a length", function(x, i) return x + T.arange(i):astype("float64") end },
    { "a reshape", function(x, i) return x:reshape({ i, 2 }) end },
  }
  for _, way in ipairs(ways) do
    for _, order in ipairs({ "first", "last" }) do
      for _, linker in ipairs({ "interpreter", "c" }) do
        it(("with %s (%s, %s) changes no shared variable, whatever was updated in place"):format(way[1], order,
          linker), function()
          local a, b, c = shared({ 1.0, 2.0, 3.0 }, "a"), shared({ 4.0, 5.0, 6.0 }, "b"), shared(0, "c")
          local i, s = T.lscalar("i"), T.dscalar("s")
          local updates = { { a, a * 2 }, { b, b + a }, { c, c + 1 } }
          local value = way[2](order == "first" and a or a * 2 + b, i)
          if value.ndim < 2 and value.dtype == "float64" then table.insert(updates, 1,
            { shared(0.0), value:sum() }) end
          local f = compile({ inputs = { i, In(s, { value = 1, update = s + 1 }) }, outputs = { value, s },
            updates = updates,
            mode = compile.Mode({ linker = linker, optimizer = "fast_run" }) })
          local ok = pcall(f, 9)
          assert.is_false(ok)
          assert.same({ 1.0, 2.0, 3.0 }, a:get_value():tolist())
          assert.same({ 4.0, 5.0, 6.0 }, b:get_value():tolist())
          assert.equal(0, c:get_value())
          assert.equal(1.0, f[s])
        end)
      end
    end
  end

  it("does not touch a mutable argument", function()
    local x, i = T.dvector("x"), T.lscalar("i")
    local f = compile({ inputs = { In(x, { mutable = true }), i }, outputs = { T.exp(x) + 1, x[i] }, mode = quick })
    local a = nd.array({ 1.0, 2.0 })
    raises("IndexError", "", function() f(a, 5) end)
    assert.same({ 1.0, 2.0 }, a:tolist())
  end)
end)

describe("attributes that a function has not", function()
  local x = T.dscalar("x")
  local f = compile({ inputs = { x }, outputs = x, mode = quick })
  it("are named", function()
    raises("AttributeError", "'y'", function() return f.y end)
    raises("AttributeError", "cannot be set", function() f.name = "g" end)
    raises("TypeError", "Unknown input or state", function() return f[T.dscalar("z")] end)
    raises("TypeError", "Unknown input or state", function() return f[2] end)
    raises("TypeError", "Unknown input or state", function() f.value.z = 1 end)
    raises("TypeError", "Unknown input or state", function() return f.container.z end)
    raises("AttributeError", "has a value", function() return f.container.x.size end)
    raises("TypeError", "not assigned to", function() f.container.x = 1 end)
    raises("AttributeError", "FunctionGraph", function() return f.maker.fgraph.nodes end)
  end)
end)
