--- Long elementwise formulas: kernels over the same elements run tile by tile (core/plan/chains.c).
local cpu = require("spec.support.cpu")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function mode(linker) return theano.compile.Mode({ linker = linker, optimizer = "fast_run" }) end

local LENGTHS = { 0, 1, 7, 1023, 1024, 1025, 5000 }

--- The same bits in C and in the interpreter, whose steps run one after the other, and in C again: at every length.
local function same(inputs, outputs, values, what)
  local f = theano.compile({ inputs = inputs, outputs = outputs, mode = mode("c") })
  local g = theano.compile({ inputs = inputs, outputs = outputs, mode = mode("interpreter") })
  for _, n in ipairs(LENGTHS) do
    local v = values(n)
    local want, got, again = { g(table.unpack(v)) }, { f(table.unpack(v)) }, { f(table.unpack(v)) }
    for i = 1, #outputs do
      local bytes = want[i]:tobytes()
      assert.is_true(bytes == got[i]:tobytes() and bytes == again[i]:tobytes(),
        ("%s, output %d of %d elements"):format(what or "", i, n))
    end
  end
  return f
end

local function vectors(n, dtype)
  local list = {}
  for i = 1, n do list[i] = T.vector("v" .. i, { dtype = dtype or "float64" }) end
  return list
end

local function random(list, n)
  local rng, values = nd.random.RandomState(n + 1), {}
  for i, v in ipairs(list) do values[i] = nd.asarray(rng:uniform(-1, 1, { n }), v.dtype) end
  return values
end

local function chained(f)
  skip.unless(theano.config.cxx ~= "", "no C compiler")
  return theano.printing.ccode(f):find("\n    chain(f, ", 1, true) ~= nil
end

describe("a chain of kernels over the same elements", function()
  it("is what a formula longer than a kernel becomes", function()
    cpu.only("chains of the C backend")
    local v = vectors(2)
    local y = v[1]
    for i = 1, 300 do y = y * (0.5 + i / 1024) + v[2] end
    local f = same(v, { y }, function(n) return random(v, n) end)
    assert.is_true(chained(f))
    local short = theano.compile({ inputs = v, outputs = v[1] * v[2] + 1, mode = mode("c") })
    assert.is_false(chained(short))
  end)

  it("keeps what is read later, results in between and what dies on the way apart", function()
    cpu.only("sums with the CPU's bits")
    local rng = nd.random.RandomState(3)
    local function pick(made, from) return made[rng:randint(math.max(1, from), #made + 1)] end
    for round = 1, 8 do
      local v = vectors(6, round % 3 == 0 and "float32" or "float64")
      local made, outputs = { table.unpack(v) }, {}
      for i = 1, 300 do
        local a, b = pick(made, #made - 40), pick(made, round % 2 == 0 and 1 or #made - 90)
        local c = i % 9 == 0 and T.tanh(a) or i % 2 == 0 and a * 0.5 + b or a - b * 0.25
        made[#made + 1] = round > 3 and i % 5 == 0 and T.cast(c, i % 2 == 0 and "float32" or "float64") or c
        if i % 70 == 0 then outputs[#outputs + 1] = made[#made] end
      end
      local last = made[#made]
      for _, x in ipairs(v) do last = last + x end
      for i = #made - 30, #made - 1 do last = last * 0.5 + made[i] end
      outputs[#outputs + 1] = last
      local f = same(v, outputs, function(n) return random(v, n) end, "round " .. round)
      assert.is_true(chained(f))
    end
  end)

  it("does not give the memory of small elements to large ones before its end", function()
    local v = vectors(1, "float32")
    local small = {}
    for i = 1, 20 do
      small[i] = v[1] * i
      for k = 1, 12 do small[i] = T.tanh(small[i]) * (i + k) - v[1] end
    end
    local parts = {}
    for i = 1, 20, 2 do -- each is dear, so that it is kept, and ends two small ones
      local y = T.cast(small[i], "float64") * T.cast(small[i + 1], "float64")
      for k = 1, 40 do y = T.tanh(y) * 0.5 + k end
      parts[#parts + 1] = y
    end
    local sum = parts[1]
    for i = 2, #parts do sum = sum * parts[i] end
    same(v, { sum }, function(n) return random(v, n) end)
  end)

  it("reads numbers that stand for all elements, parts of what is given, and vectors turned around", function()
    cpu.only("sums with the CPU's bits")
    local v = vectors(3)
    local y = v[1]
    local s = T.sum(v[3])
    for i = 1, 200 do
      y = T.tanh(y) * 0.5 + (i % 3 == 0 and v[2] or i % 3 == 1 and s or v[2][1])
      if i == 150 then y = y + v[2][{ T.slice(nil, nil, -1) }] end
    end
    same(v, { y }, function(n) return random(v, n + 2) end)
  end)

  it("sees through a temporary that is read at one element, or from another one on", function()
    local x = T.dvector("x")
    local y = x
    for i = 1, 150 do y = y * (0.5 + i / 1024) + x end
    local z = y
    for i = 1, 150 do z = z * (0.25 + i / 1024) + y[3] end
    local w = z
    for i = 1, 150 do w = w * (0.25 + i / 1024) + T.concatenate({ y[{ T.slice(1, nil) }], y[{ T.slice(0, 1) }] }) end
    local e = x * 2
    for i = 1, 150 do e = T.tanh(e) * (0.25 + i / 1024) + y[-1] end
    same({ x }, { w, y * 2, e }, function(n) return { nd.random.RandomState(n):uniform(-1, 1, { n + 8 }) } end)
  end)

  it("has the bits of one thread with several", function()
    local v = vectors(2)
    local y = v[1]
    for i = 1, 300 do y = y * (0.5 + i / 1024) + v[2] end
    local function results(shared)
      local _ <close> = theano.config.change_flags({ openmp = shared, openmp_elemwise_minsize = 100 })
      local f = theano.compile({ inputs = v, outputs = y, mode = mode("c") })
      local out = {}
      for _, n in ipairs({ 0, 1, 5000, 50001, 300000 }) do out[#out + 1] = f(table.unpack(random(v, n))):tobytes() end
      return out
    end
    assert.same(results(false), results(true))
  end)

  it("takes memory from what dies in it: a long formula needs what a short one does", function()
    local function bytes(links)
      local v = vectors(2)
      local y = v[1]
      for i = 1, links do y = y * (0.5 + i / 1024) + v[2] end
      local f = theano.compile({ inputs = v, outputs = T.sum(y), mode = mode("c") })
      f(table.unpack(random(v, 1000)))
      return f:memory()
    end
    assert.is_true(bytes(2000) <= bytes(300) + 16, bytes(2000))
  end)
end)
