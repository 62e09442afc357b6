--- Steps of one kernel behind each other are one launch: updates of all parameters by one formula. The CPU's bits, as
-- few launches as the roofline says; what one of them writes and another one reads keeps them apart.
local emulated = require("spec.support.emulated")
local rotate = require("spec.support.rotate")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

-- Launches and bytes are the schedule's: nothing is compiled for them.
local SCHEDULE = { compile = false }

local FUSES = os.getenv("THEANO_ISA") ~= "sse2" -- multiply-adds, as a GPU does: elsewhere the last bits are others

local function numbers(n) return nd.sin(nd.arange(n):astype("float64") * 0.7) end

-- make() gives a function and its shareds; both are called three times, on the CPU and on the emulated GPU.
local function alike(make)
  local left = {}
  local f, shareds = make()
  for _ = 1, 3 do f() end
  for i, s in ipairs(shareds) do left[i] = s:get_value({ array = true }) end
  local _ <close> = theano.config.change_flags(emulated.flags)
  f, shareds = make()
  local first
  for _ = 1, 3 do
    local counted = emulated.counted(f)
    first = first or counted.cuLaunchKernel
  end
  for i, s in ipairs(shareds) do
    local value = s:get_value({ array = true })
    assert.is_true(FUSES and nd.array_equal(left[i], value) or not FUSES and nd.allclose(left[i], value, 1e-13, 1e-14))
  end
  return f, first
end

describe("updates of several parameters by one formula", function()
  it("are one launch, of all lengths, and the same in a graph", function()
    for _, count in ipairs({ 5, 35 }) do
      local _, launches = alike(function()
        local list, updates = {}, {}
        for i = 1, count do
          list[i] = theano.shared(numbers((i * 37) % 300), "w" .. i)
          updates[i] = { list[i], list[i] * 0.75 - T.tanh(list[i]) }
        end
        return theano.compile({ inputs = {}, outputs = {}, updates = updates }), list
      end)
      assert.equal((count + 15) // 16, launches)
    end
  end)

  it("are apart where one needs what another one writes", function()
    alike(function()
      local a, b = theano.shared(numbers(40), "a"), theano.shared(numbers(40) + 1, "b")
      local c = theano.shared(numbers(40), "c")
      return theano.compile({ inputs = {}, outputs = {},
        updates = { { a, b * 2 + 1 }, { b, a * 2 + 1 }, { c, b * 2 + 1 } } }), { a, b, c }
    end)
    alike(function() -- each in place, by what the one before had
      local list, updates = {}, {}
      for i = 1, 6 do list[i] = theano.shared(numbers(64) + i, "s" .. i) end
      for i = 1, 6 do updates[i] = { list[i], list[i] * 0.5 + list[i % 6 + 1] } end
      return theano.compile({ inputs = {}, outputs = {}, updates = updates }), list
    end)
  end)

  it("come last, however early their gradients are known, and read what they should", function()
    local names = { "momentum", "nesterov", "adagrad", "rmsprop", "adadelta", "adam", "adamw" }
    for _, name in ipairs(rotate.some(names, 1)) do
      local f = alike(function()
        local _ <close> = theano.config.change_flags({ floatX = "float64" })
        local p = theano.layers.params({ seed = 3 })
        local x = theano.shared(numbers(30):reshape({ 5, 6 }), "x")
        local h = x
        for i = 1, 4 do h = T.tanh(theano.layers.dense(p, h, i == 1 and 6 or 4, 4)) end
        local updates = theano.train.optimizers[name](theano.grad(T.sqr(h):sum(), p.weights), p.weights)
        updates[x] = x * 0.5 + 1 -- what the gradients read changes too
        return theano.compile({ inputs = {}, outputs = {}, updates = updates }), p.weights
      end)
      local last, r = 0, theano.printing.roofline(f, nil, SCHEDULE)
      for i, k in ipairs(r.kernels) do
        if k.m then last = i end
      end
      local joined = 0
      for i = last + 1, #r.kernels do joined = joined + (r.kernels[i].joined and 1 or 0) end
      assert(joined >= 3, ("%s: %d of %d behind %d are joined"):format(name, joined, #r.kernels, last))
    end
  end)

  it("make Adam's step of a network fewer launches, as the roofline says", function()
    local f, first = alike(function()
      local _ <close> = theano.config.change_flags({ floatX = "float32" })
      local p = theano.layers.params({ seed = 1 })
      local x = T.constant(numbers(8 * 12):reshape({ 8, 12 }):astype("float32"))
      local h = x
      for _, width in ipairs({ 10, 9, 8 }) do
        h = T.tanh(theano.layers.dense(p, h, h == x and 12 or width + 1, width))
      end
      local updates = theano.train.optimizers.adam(theano.grad(T.sqr(h):sum(), p.weights), p.weights)
      return theano.compile({ inputs = {}, outputs = {}, updates = updates }), {}
    end)
    local r = theano.printing.roofline(f, nil, SCHEDULE)
    local joined = 0
    for _, k in ipairs(r.kernels) do joined = joined + (k.joined and 1 or 0) end
    assert.equal(5, joined) -- moments and weights of all six parameters are one launch
    assert.is_true(r.launches <= 14, r.launches .. " launches")
    assert.equal(#r.kernels - joined, r.launches)
    assert.equal(r.launches, first)
  end)

  it("are one launch behind the gradients, of arrays of all ranks and lengths", function()
    -- adam and adamw count their steps in a launch of a number; adadelta's are not joined yet
    for name, most in pairs({ sgd = 0, momentum = 2, rmsprop = 1, adagrad = 1, adam = 2, adamw = 2 }) do
      local _ <close> = theano.config.change_flags({ floatX = "float32", device = "cuda-emulated",
        force_device = true })
      local p = theano.layers.params({ seed = 1 })
      local x = T.constant(numbers(8 * 12):reshape({ 8, 12 }):astype("float32"))
      local h = x
      for _, width in ipairs({ 10, 9, 8, 7 }) do
        h = T.tanh(theano.layers.dense(p, h, h == x and 12 or width + 1, width))
      end
      local updates = theano.train.optimizers[name](theano.grad(T.sqr(h):sum(), p.weights), p.weights)
      local f = theano.compile({ inputs = {}, outputs = {}, updates = updates })
      f()
      local all, r = 0, theano.printing.roofline(f, nil, SCHEDULE)
      -- launches that write weights, but for those that make gradients
      for _, k in ipairs(r.kernels) do
        local own = k.kind == "threads" and not k.title:find("Sum", 1, true) and not k.title:find("**", 1, true)
        all = all + (own and not k.joined and 1 or 0)
      end
      assert(all <= most, ("%s: %d launches of updates"):format(name, all))
    end
  end)
end)
