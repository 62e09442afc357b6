--- The order in which a reduction's elements meet is the kernel's: generated C and the interpreter have the same bits
-- whichever dimension lies along the vectors, and for complex numbers too.
local cpu = require("spec.support.cpu")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local C = theano.compile.Mode({ linker = "c", optimizer = "fast_run" })
local INTERPRETER = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })

local function bits(a) return a:tostring() end
local function same(input, output, value)
  local as = { inputs = { input }, outputs = { theano.Out(output, { array = true }) } }
  as.mode = C
  local c = theano.compile(as)
  as.mode = INTERPRETER
  assert.are.equal(bits(c(value)), bits(theano.compile(as)(value)))
end

describe("the order of a reduction", function()
  local rng = nd.random.RandomState(5)
  for _, dtype in ipairs({ "float32", "float64" }) do
    it("is that of its loops where others lie inside the vectors', " .. dtype, function()
      cpu.only("the order in which the CPU adds")
      local x = T.matrix("x", { dtype = dtype })
      for _, n in ipairs({ 31, 33, 64, 65, 131, 513, 1100 }) do
        local value = rng:randn(15, n):astype(dtype)
        same(x, T.sum(x.T, { acc_dtype = dtype, dtype = dtype }), value)
        same(x, T.prod(x.T * x.T, { acc_dtype = dtype, dtype = dtype }), nd.exp(value * nd.array(0.01, dtype)))
      end
    end)
  end

  -- The processor has its own way with NaN and zeros of either sign in the larger and the smaller of two.
  for _, dtype in ipairs({ "float32", "float64" }) do
    it("decides which zero and which NaN is the largest or least, " .. dtype, function()
      local x = T.matrix("x", { dtype = dtype })
      local outputs = {}
      for _, f in ipairs({ T.max, T.min }) do
        for _, axis in ipairs({ 0, 1 }) do
          local r = f(x, { axis = axis })
          outputs[#outputs + 1], outputs[#outputs + 2] = r, 1 / r -- the sign of a zero
        end
      end
      local c = theano.compile({ inputs = { x }, outputs = outputs, mode = C })
      local i = theano.compile({ inputs = { x }, outputs = outputs, mode = INTERPRETER })
      local function both(value)
        local got, want = table.pack(c(value)), table.pack(i(value))
        for k = 1, #outputs do assert.are.equal(bits(want[k]), bits(got[k])) end
        return got
      end
      for _, n in ipairs({ 1, 3, 16, 17, 48, 64, 65, 130 }) do
        local zeros = nd.where(nd.lt(rng:rand(20, n), 0.5), nd.array(-0.0), nd.array(0.0)):astype(dtype)
        both(zeros)
        local value = rng:randn(20, n):astype(dtype)
        for row = 0, 19 do value[{ row, rng:randint(0, n) }] = 0 / 0 end
        local got = both(value)
        for row = 0, 19 do
          assert(got[3][row] ~= got[3][row] and got[7][row] ~= got[7][row], "row " .. row .. " of " .. n)
        end
        for row = 0, 19 do value[{ row, row % 2 == 0 and 0 or n - 1 }] = 0 / 0 end
        both(value)
      end
    end)
  end

  for _, dtype in ipairs({ "complex64", "complex128" }) do
    it("and of products of complex numbers, " .. dtype, function()
      cpu.only("the order in which the CPU adds")
      local x = T.matrix("x", { dtype = dtype })
      for _, n in ipairs({ 1, 2, 9, 16, 17, 32, 79, 128 }) do
        local angle = rng:uniform(-3, 3, { 4, n })
        local re, im = nd.cos(angle), nd.sin(angle)
        local value = theano.compile({ inputs = {}, outputs = T.complex(T.constant(re), T.constant(im)) })()
        same(x, T.prod(x, { axis = 1 }), value:astype(dtype))
      end
    end)
  end
end)
