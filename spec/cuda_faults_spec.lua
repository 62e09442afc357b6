--- device=cuda when the driver refuses, call by call, and when the GPU is lost: an error or the right answer, nothing
-- half done, and the next call is right. And how many calls a step makes.
local emulated = require("spec.support.emulated")
local rotate = require("spec.support.rotate")
local nd = require("theano.ndarray")
local runner = require("spec.support.runner")
local theano = require("theano")
local T = require("theano.tensor")

local function numbers(...)
  local n = 1
  for _, k in ipairs({ ... }) do n = n * k end
  return nd.sin(nd.arange(n):astype("float64") * 0.7):reshape({ ... })
end

-- Each makes a function, the shareds that it changes, and what a call of it is given.
local cases = {}

function cases.step()
  local w, c = theano.shared(numbers(4, 3), "w"), theano.shared(nd.zeros({ 3 }), "c")
  local x, t = T.dmatrix("x"), T.lvector("t")
  local p = T.nnet.softmax(T.dot(x, w) + c)
  local cost = T.mean(T.nnet.categorical_crossentropy(p, t))
  local updates = {}
  for i, g in ipairs(T.grad(cost, { w, c })) do updates[i] = { ({ w, c })[i], ({ w, c })[i] - 0.1 * g } end
  return theano.compile({ inputs = { x, t }, outputs = cost, updates = updates }), { w, c },
    { numbers(5, 4), nd.array({ 0, 2, 1, 0, 2 }) }
end

function cases.scan()
  local x, h, n = T.dmatrix("x"), T.dvector("h"), theano.shared(nd.zeros({}), "n")
  local y = theano.scan { fn = function(v, s) return T.tanh(v * s + 0.5) end, sequences = { x }, outputs_info = { h } }
  local outputs = { y[-1], T.grad(y:sum(), h) }
  return theano.compile({ inputs = { x, h }, outputs = outputs, updates = { { n, n + y:sum() } } }), { n },
    { numbers(6, 3), numbers(3) }
end

function cases.ifelse()
  local x, n = T.dvector("x"), theano.shared(nd.zeros({}), "n")
  local y = require("theano.ifelse").ifelse(T.gt(x:sum(), 0), T.exp(x), T.sqr(x))
  return theano.compile({ inputs = { x }, outputs = y, updates = { { n, n + 1 } } }), { n }, { numbers(5) }
end

function cases.search()
  local x, n = T.dscalar("x"), theano.shared(nd.zeros({}), "n")
  local y = theano.scan { fn = function(v) return v * 0.5 + 1, theano.until_(T.gt(v, 1.98)) end,
    outputs_info = { x }, n_steps = 30 }
  return theano.compile({ inputs = { x }, outputs = y[-1], updates = { { n, n + y[-1] } } }), { n }, { 0.25 }
end

function cases.draw()
  local u = theano.random.MRG_RandomStreams(7):uniform({ 3, 4 }, { dtype = "float64" })
  local n = theano.shared(nd.zeros({}), "n")
  return theano.compile({ inputs = {}, outputs = u * 2, updates = { { n, n + u:sum() } } }), { n }, {}
end

function cases.pairs()
  local z = theano.random.MRG_RandomStreams(7):normal({ 30 }, { dtype = "float64", nstreams = 4 })
  local n = theano.shared(nd.zeros({}), "n")
  return theano.compile({ inputs = {}, outputs = z * 2, updates = { { n, n + z:sum() } } }), { n }, {}
end

-- What may fail comes after the new values: they are made aside.
function cases.aside()
  local x, w, v = T.dvector("x"), theano.shared(nd.zeros({ 2 }, "int64"), "w"), theano.shared(numbers(4), "v")
  local y = x[w + 1]
  return theano.compile({ inputs = { x }, outputs = y * 2, updates = { { w, w + 1 }, { v, v * 0.5 + y:sum() } } }),
    { w, v }, { numbers(9) }
end

-- One launch for all of them.
function cases.many()
  local x, list, updates = T.dvector("x"), {}, {}
  for i = 1, 4 do
    list[i] = theano.shared(numbers(2 * i), "w" .. i)
    updates[i] = { list[i], list[i] * 0.5 + x[0] }
  end
  return theano.compile({ inputs = { x }, outputs = x:sum(), updates = updates }), list, { numbers(5) }
end

local function same(a, b)
  if type(a) == "number" then return math.abs(a - b) < 1e-12 end
  return nd.allclose(a, b, 1e-12, 1e-12)
end

local function all_same(a, b)
  for i = 1, #a do if not same(a[i], b[i]) then return false end end
  return true
end

-- What calls 1 .. n give and leave.
local function answers(make, n)
  local f, shareds, args = make()
  local given, left = {}, { [0] = emulated.values(shareds) }
  for i = 1, n do
    given[i] = table.pack(f(table.unpack(args)))
    left[i] = emulated.values(shareds)
  end
  return given, left
end

-- A function is made and called while the n-th call of an entry point from then on is refused, for n = 1, 1 + step, ..
local function refused(name, make, entries, step)
  local CALLS = 4
  local want, left = answers(make, CALLS + 1)
  local _ <close> = theano.config.change_flags(emulated.flags)
  for _, entry in ipairs(entries) do
    for n = 1, 40, step do
      local what = ("%s, %s call %d"):format(name, entry, n)
      local before, done = emulated.calls(entry), 0
      emulated.fail(entry, n, 2)
      local ok, f, shareds, args = pcall(make)
      for _ = 1, ok and CALLS or 0 do
        local r = table.pack(pcall(f, table.unpack(args)))
        if r[1] then
          done = done + 1
          local good, equal = pcall(all_same, want[done], { table.unpack(r, 2, r.n) }) -- reading may be what fails
          assert.is_true(not good or equal, what)
        else
          local kind = theano.error_kind(r[2])
          assert.is_true(kind == "GpuError" or kind == "MemoryError", what)
        end
      end
      local reached = emulated.calls(entry) - before >= n
      emulated.fail(entry, 0, 0)
      if ok then
        assert.is_true(all_same(left[done], emulated.values(shareds)), what)
        assert.is_true(all_same(want[done + 1], { f(table.unpack(args)) }), what)
      end
      if not reached then break end
    end
  end
end

describe("a driver that refuses", function()
  for name, make in pairs(cases) do
    it("once, at any call of any entry point: " .. name, function()
      refused(name, make, rotate.some(emulated.entries, 10), 4)
    end)
  end
  for _, name in ipairs({ "ifelse", "search" }) do
    it("once, at each launch of what the device steers itself: " .. name, function()
      refused(name, cases[name], { "cuCtxSetCurrent", "cuLaunchKernel" }, 1)
    end)
  end
end)

describe("a step", function()
  local function counts(make)
    local _ <close> = theano.config.change_flags(emulated.flags)
    local f, _, args = make()
    for _ = 1, 3 do f(table.unpack(args)) end
    return emulated.counted(function() f(table.unpack(args)) end)
  end

  it("with a loop of known length is one graph", function()
    local c = counts(function()
      local h = T.dvector("h")
      local y = theano.scan { fn = function(s) return T.tanh(s * 0.5 + 0.1) end, outputs_info = { h }, n_steps = 6 }
      return theano.compile({ inputs = { h }, outputs = y }), {}, { numbers(3) }
    end)
    assert.equal(1, c.cuGraphLaunch)
    assert.is_nil(c.cuLaunchKernel)
    assert.is_nil(c.cuLaunchCooperativeKernel)
  end)

  it("with a loop and its gradient is one graph, new lengths another one", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local function make()
      local x, h, w = T.dmatrix("x"), T.dvector("h"), theano.shared(numbers(3, 3), "w")
      local y = theano.scan { fn = function(v, s, u) return T.tanh(T.dot(s, u) + v) end, sequences = { x },
        outputs_info = { h }, non_sequences = { w } }
      local cost = y:sum()
      return theano.compile({ inputs = { x, h }, outputs = cost, updates = { { w, w - 0.01 * T.grad(cost, w) } } }), w
    end
    local f, w = make()
    local g, v
    do
      local _ <close> = theano.config.change_flags { device = "cpu" }
      g, v = make()
    end
    for _, rows in ipairs({ 5, 5, 5, 5, 7, 7, 7, 5, 0, 0, 0, 7 }) do
      local x, h = numbers(rows, 3), numbers(3)
      assert.near(g(x, h), f(x, h), 1e-12)
    end
    assert.is_true(nd.allclose(v:get_value(), w:get_value(), 1e-12, 1e-12))
    local c = emulated.counted(function() f(numbers(7, 3), numbers(3)) end)
    assert.equal(1, c.cuGraphLaunch)
    assert.is_nil(c.cuLaunchKernel)
  end)
end)

describe("a GPU that is lost", function()
  it("is had anew: values of the host survive, others say that they are gone", function()
    local text, status = runner.run({ "-e", [[
      package.path = "./?.lua;" .. package.path
      local emulated = require "spec.support.emulated"
      local theano = require "theano"
      local T, nd = require "theano.tensor", require "theano.ndarray"
      local x = T.dvector("x")
      local w, v = theano.shared(nd.ones({ 3 }), "w"), theano.shared(nd.ones({ 3 }), "v")
      local f = theano.compile({ inputs = { x }, outputs = x * w + v, updates = { { w, w + x } } })
      for _ = 1, 3 do print(f(nd.ones({ 3 }))) end
      emulated.fail("cuGraphLaunch", 1, 700)
      print(pcall(function() return tostring(f(nd.ones({ 3 }))) end))
      emulated.fail("cuGraphLaunch", 0, 0)
      print(pcall(function() return tostring(f(nd.ones({ 3 }))) end))
      print(pcall(w.get_value, w))
      w:set_value(nd.ones({ 3 }) * 5)
      for _ = 1, 4 do print(f(nd.ones({ 3 }))) end
      print(w:get_value(), v:get_value())
    ]] }, { env = { "THEANO_FLAGS=device=cuda-emulated,force_device=True", "EMULATED_DRIVER=" .. emulated.library } })
    assert.equal(0, status, text)
    assert.matches("what lay in the GPU's memory is lost", text, nil, true)
    assert.matches("was lost after a fault: set it again", text, nil, true)
    local rows = {}
    for k = 6, 9 do rows[#rows + 1] = ("[%d. %d. %d.]\n"):format(k, k, k) end
    assert.matches(table.concat(rows) .. "[9. 9. 9.]\t[1. 1. 1.]", text, nil, true)
  end)
end)
