--- Short rows run side by side, a row a lane: their bits are those of rows one after the other (the interpreter's), for
-- every number of rows and columns around the limits, at every vector width, and for what is no ordinary number.
local cpu = require("spec.support.cpu")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function over(how, x) return x[how](x, { axis = 1, keepdims = true }) end
local function normalized(x)
  local y = x - over("mean", x)
  return y / T.sqrt(over("mean", y * y) + T.cast(0.5, x.dtype))
end
-- Functions of one float matrix and one row.
local WORKS = {
  softmax = function(x) return T.nnet.softmax(x) end,
  ["log of a softmax"] = function(x) return T.nnet.logsoftmax(x) end,
  ["layer norm"] = function(x, b) return normalized(x) * b end,
  ["its gradient"] = function(x, b) return T.grad(T.sum(normalized(x) * T.tanh(x * b)), x) end,
  ["a kept row and its sum"] = function(x) return T.exp(x), over("sum", T.exp(x)) end,
  ["sums and products"] = function(x, b) return x:sum { axis = 1 }, (x + b):prod { axis = 1 } end,
  ["extrema"] = function(x, b) return x:max { axis = 1 }, (x * b):min { axis = 1 } end,
  ["where they are"] = function(x) return T.argmax(x, { axis = 1 }), T.argmin(T.abs_(x), { axis = 1 }) end,
  ["any and all"] = function(x) return T.any(x, { axis = 1 }), T.all(T.gt(x, -1), { axis = 1 }) end,
  ["of a transpose"] = function(x) return T.nnet.softmax(x.T), x.T:max { axis = 1 } end,
  ["of every second column"] = function(x) return T.nnet.softmax(x[{ "::", "::2" }] * 2) end,
  ["of whole numbers"] = function(x)
    local i = T.cast(x * 7, "int32")
    return i:sum { axis = 1 }, i:max { axis = 1 }, T.argmax(i, { axis = 1 }), T.cast(i, "int8"):min { axis = 1 }
  end,
  ["with a position"] = function(x)
    return (x - over("max", x)) * T.cast(T.arange(x.shape[0]), x.dtype):dimshuffle(0, "x")
  end,
}
-- Rows for each pair of rows: loops around what runs side by side.
local PAIRS = {
  ["distances"] = function(x) return T.sqr(x:dimshuffle(0, "x", 1) - x:dimshuffle("x", 0, 1)):sum { axis = 2 } end,
  ["extrema of pairs, and where"] = function(x, b)
    local apart = T.abs_(x:dimshuffle(0, "x", 1) - x:dimshuffle("x", 0, 1) * b)
    return apart:max { axis = 2 }, T.argmin(apart, { axis = 2 })
  end,
  ["with a number for each pair"] = function(x)
    local apart = x:dimshuffle(0, "x", 1) - x:dimshuffle("x", 0, 1)
    return (apart * T.dot(x, x.T):dimshuffle(0, 1, "x")):mean { axis = 2 } + T.cast(T.arange(x.shape[0]), x.dtype)
  end,
}
-- Works of a function each: together they would be parts of rows that are reduced.
local RUNS = {
  ["a sum"] = function(x, b) return x + b end,
  ["several"] = function(x, b) return T.tanh(x * b) - b * 2, T.switch(T.gt(x, b), x, b), T.cast(x, "float64") * b end,
  ["a number from memory"] = function(x, b) return x * b + theano.shared(nd.array(0.75):astype(x.dtype)) end,
  ["small numbers"] = function(x, b) return T.cast(x * 3, "int8") + T.cast(b, "int8") end,
}
local ROWS = { 1, 2, 5, 6, 15, 16, 17, 130 }
local COLUMNS = { 1, 2, 3, 4, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 48, 49, 64, 65 }

-- Without fused products exp has other bits than the interpreter's.
local EXACT = { ["layer norm"] = true, ["sums and products"] = true, extrema = true, ["where they are"] = true,
  ["any and all"] = true, ["of whole numbers"] = true, ["with a position"] = true }

local function build(dtype, works, exact)
  local x, b = T.TensorType(dtype, { false, false })("x"), T.TensorType(dtype, { false })("b")
  local names, outputs, of = {}, {}, {}
  for name in pairs(works) do if not exact or EXACT[name] then names[#names + 1] = name end end
  table.sort(names)
  for _, name in ipairs(names) do
    for _, y in ipairs({ works[name](x, b) }) do outputs[#outputs + 1], of[#of + 1] = y, name end
  end
  return theano.compile({ inputs = { x, b }, outputs = outputs, on_unused_input = "ignore" }), of
end

local rng = nd.random.RandomState(11)
local function numbers(shape, dtype, odd)
  local a = rng:normal(0, 1, shape):astype(dtype)
  local strange = { -0.0, 0 / 0, 1 / 0, -1 / 0, 0.0, 1e-42 }
  for _ = 1, odd and a.size // 4 or 0 do
    a[{ math.random(0, shape[1] - 1), math.random(0, shape[2] - 1) }] = strange[math.random(#strange)]
  end
  return a
end

-- A NaN's own bits are the compiler's choice.
local function bits(a)
  a = nd.asarray(a)
  if not a.dtype:find("float", 1, true) then return a:tostring() end
  return nd.where(nd.isnan(a), nd.array(0 / 0):astype(a.dtype), a):tostring()
end

-- The unit under these flags, which goes the short way, gives the interpreter's bits.
local function same_as_interpreter(way, dtype, flags, works, exact)
  cpu.only("rows on lanes of the CPU")
  skip.unless(theano.config.cxx ~= "", "no C compiler")
  math.randomseed(3)
  local interpreted, built, of
  do
    local _ <close> = theano.config.change_flags({ linker = "interpreter" })
    interpreted = build(dtype, works, exact)
  end
  do
    local _ <close> = theano.config.change_flags({ ["gcc.cxxflags"] = flags })
    built, of = build(dtype, works, exact)
  end
  assert.truthy(theano.printing.ccode(built):find(way, 1, true), "no short way of " .. of[1])
  for _, rows in ipairs(ROWS) do
    for _, columns in ipairs(COLUMNS) do
      for turn = 1, 2 do
        local x, b = numbers({ rows, columns }, dtype, turn == 2), numbers({ columns }, dtype)
        local want, got = { interpreted(x, b) }, { built(x, b) }
        for i = 1, #want do
          if bits(want[i]) ~= bits(got[i]) then
            error(("%s of %d x %d %s: %s, not %s"):format(of[i], rows, columns, dtype, got[i], want[i]))
          end
        end
      end
    end
  end
end

describe("short rows", function()
  local function reduced(...) same_as_interpreter("short rows, one a lane", ...) end
  it("of float32", function() reduced("float32", "", WORKS) end)
  it("of float64", function() reduced("float64", "", WORKS) end)
  it("of float32 in vectors of 32 bytes", function() reduced("float32", "-march=x86-64-v3", WORKS) end)
  it("of each work alone, whose lanes and limits are its own", function()
    local names = {}
    for name in pairs(WORKS) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(rotate.some(names, (#names + 1) // 2)) do
      local work = WORKS[name]
      for _, dtype in ipairs({ "float32", "float64" }) do
        local flags = dtype == "float32" and { "", "-march=x86-64-v3" } or { "" }
        for _, flag in ipairs(name == "of a transpose" and {} or flags) do
          reduced(dtype, flag, { [name] = work })
        end
      end
    end
  end)
  it("of float64 in vectors of 16 bytes", function() reduced("float64", "-march=x86-64", WORKS, true) end)

  it("of each pair of rows", function()
    for name, work in pairs(PAIRS) do
      for _, dtype in ipairs({ "float32", "float64" }) do
        for _, march in ipairs({ "", "-march=x86-64-v3", "-march=x86-64" }) do
          reduced(dtype, march, { [name] = work })
        end
      end
    end
  end)

  it("run on where a row is for all of them", function()
    for name, work in pairs(RUNS) do
      for _, dtype in ipairs({ "float32", "float64" }) do
        for _, flags in ipairs({ "", "-march=x86-64-v3" }) do
          same_as_interpreter("short rows in one run", dtype, flags, { [name] = work })
        end
      end
    end
  end)

  -- What each row reads at a position of its own is gathered, lane by lane.
  describe("that read at indices of their own", function()
    -- Their length has to be known: what this way costs the compiler is not worth it otherwise.
    local function losses(dtype, flags, columns)
      local _ <close> = theano.config.change_flags(flags)
      local x, b = T.TensorType(dtype, { false })("x"), T.TensorType(dtype, { false })("b")
      local y = T.lvector("y")
      local rows = columns and x:reshape({ -1, columns }) or x:reshape({ y.shape[0], -1 })
      return theano.compile({ x, b, y }, { (T.nnet.crossentropy_softmax_1hot_with_bias(rows, b, y)) })
    end
    it("only where they are known to be short", function()
      cpu.only("the CPU's text")
      skip.unless(theano.config.cxx ~= "", "no C compiler")
      local function side(f) return theano.printing.ccode(f):find("short rows, one a lane", 1, true) ~= nil end
      assert.is_true(side(losses("float32", {}, 10)))
      assert.is_false(side(losses("float32", {})))
    end)
    for _, dtype in ipairs({ "float32", "float64" }) do
      for _, march in ipairs({ "", "-march=x86-64-v3", "-march=x86-64" }) do
        it(("%s %s"):format(dtype, march), function()
          cpu.only("the bits of the CPU's two executors")
          skip.unless(theano.config.cxx ~= "", "no C compiler")
          for _, columns in ipairs({ 2, 10, 15, 30 }) do
            local built = losses(dtype, { ["gcc.cxxflags"] = march }, columns)
            local interpreted = losses(dtype, { linker = "interpreter" }, columns)
            assert.truthy(theano.printing.ccode(built):find("short rows, one a lane", 1, true))
            for _, rows in ipairs({ 1, 6, 7, 16, 21, 40 }) do
              local x, b = numbers({ rows * columns }, dtype), numbers({ columns }, dtype)
              local y = rng:randint(0, columns, { rows })
              local want, got = interpreted(x, b, y), built(x, b, y)
              if march == "-march=x86-64" then assert.truthy(nd.allclose(want, got))
              else assert.equal(bits(want), bits(got)) end
              for row = 0, rows - 1 do
                for _, wrong in ipairs({ columns, -1 }) do
                  local bad = y:copy()
                  bad[row] = wrong
                  local _, one = pcall(interpreted, x, b, bad)
                  local ok, two = pcall(built, x, b, bad)
                  assert.falsy(ok)
                  assert.equal(tostring(one):match("Error: [^\n]*"), tostring(two):match("Error: [^\n]*"))
                end
              end
            end
          end
        end)
      end
    end
  end)
end)
