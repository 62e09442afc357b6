--- Conditions that a GPU computes: the host queues both arms of a branch, and turns of a loop ahead, without asking;
-- what is not to run leaves. Numbers, counted turns and errors are the CPU's.
local device = require("spec.support.device")
local emulated = require("spec.support.emulated")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local v, limit, n, i = T.dvector("v"), T.dscalar("limit"), T.lscalar("n"), T.lvector("i")

local function plan_of(f)
  local _ <close> = theano.config.change_flags(device.flags)
  return theano.printing.plan(f):match("transfers:\n.*")
end

-- What both say to the same arguments: results, or the error.
local function alike(want, got, args)
  local ok, message = pcall(want, table.unpack(args))
  if ok then return device.equal(want, got, args) end
  local fine, said = pcall(got, table.unpack(args))
  assert.is_false(fine)
  local kind = tostring(message):match("%u%w+Error: [^\n]*")
  assert.truthy(tostring(said):find(kind, 1, true), tostring(said))
end

describe("a loop that ends early", function()
  local function grown(x) return theano.scan { fn = function(s, l)
    local t = s * 1.5
    return { t }, theano.until_(T.sum(t):gt(l))
  end, outputs_info = { x }, non_sequences = { limit }, n_steps = n } end

  it("counts its turns and asks after some of them only", function()
    local out = grown(v)
    local want, got = device.both({ v, limit, n }, { out, out[-1], out.shape[0] })
    assert.matches("region %d+: turns are queued ahead", plan_of(got))
    local a = nd.array({ 1.0, 1.0 })
    for _, case in ipairs({ { 1e2, 50 }, { 0, 5 }, { 1e9, 50 }, { 1e30, 7 }, { 3, 1 }, { 1e6, 200 }, { 1e2, 50 } }) do
      device.equal(want, got, { a, case[1], case[2] })
    end
    local c = emulated.counted(function() got(a, 1e30, 64) end)
    assert.is_true(c.cuStreamSynchronize <= 7, c.cuStreamSynchronize .. " times")
  end)

  it("fails where the CPU fails, and not behind its end", function()
    local out = theano.scan { fn = function(k, x, l) return { x[k] * 2 }, theano.until_(x[k]:gt(l)) end,
      sequences = { i }, non_sequences = { v, limit } }
    local want, got = device.both({ i, v, limit }, out)
    local x = nd.array({ 1.0, 2.0, 3.0, 4.0 })
    for _, case in ipairs({ { { 0, 1, 2, 3 }, 9 }, { { 0, 1, 9, 3 }, 9 }, { { 0, 3, 9, 9 }, 3.5 }, { { 9 }, 0 },
      { { 3, 9, 9, 9, 9, 9, 9, 9, 9 }, 1 }, { { 0, 0, 0, 0, 0, 0, 0, 9 }, 5 }, { { 0, 1 }, 9 } }) do
      alike(want, got, { nd.array(case[1]):astype("int64"), x, case[2] })
    end
  end)

  it("keeps the last state it had, in memory that turns share", function()
    local s = theano.scan { fn = function(a, b, l) return { T.tanh(a + b), a }, theano.until_(T.sum(a):gt(l)) end,
      outputs_info = { v, v * 0 }, non_sequences = { limit }, n_steps = n }
    local want, got = device.both({ v, limit, n }, { s[1][-1], s[2][-1] })
    for _, case in ipairs({ { 1.2, 30 }, { 9, 30 }, { 0.1, 3 }, { 1.5, 40 } }) do
      device.equal(want, got, { nd.array({ 0.3, 0.1 }), case[1], case[2] })
    end
  end)
end)

describe("a branch whose condition is made there", function()
  it("is one graph, and nobody waits", function()
    local y = theano.ifelse(T.sum(v):gt(0), T.exp(v) + T.exp(v):sum(), T.tanh(v) * v)
    local want, got = device.both({ v }, y)
    assert.matches("region %d+: both arms are queued", plan_of(got))
    for turn = 1, 5 do device.equal(want, got, { nd.array({ turn % 2 == 0 and 1.0 or -1.0, 0.5 }) }) end
    local r
    local c = emulated.counted(function() r = got(nd.array({ 1.0, 0.5 })) end)
    assert.same({ 1, nil, nil }, { c.cuGraphLaunch, c.cuLaunchKernel, c.cuStreamSynchronize })
    assert.is_true(nd.allclose(want(nd.array({ 1.0, 0.5 })), r))
  end)

  it("fails in the arm that is taken alone", function()
    local y = theano.ifelse(T.sum(v):gt(0), v[i] * 2, T.exp(v[i + 1]))
    local want, got = device.both({ v, i }, T.sum(y))
    for _, case in ipairs({ { 1, 3 }, { -1, 3 }, { 1, 4 }, { -1, 1 }, { -1, 4 }, { 1, 3 } }) do
      alike(want, got, { nd.array({ case[1], 0.1, 0.2, 0.3 }), nd.array({ 0, case[2] }):astype("int64") })
    end
  end)

  it("stands in loops, and leaves what is updated alone", function()
    local w = theano.shared(nd.zeros({ 2 }), "w")
    local function make(flags)
      local _ <close> = theano.config.change_flags(flags)
      local s = theano.scan { fn = function(a) return theano.ifelse(T.sum(a):gt(1), a * 0.5, a + 0.7) end,
        outputs_info = { v }, n_steps = n }
      local own = theano.shared(w:get_value(), "own")
      return theano.compile { inputs = { v, n }, outputs = s, updates = { { own, own + s[-1] } } }, own
    end
    local want, a = make({})
    local got, b = make(device.flags)
    for turn = 1, 4 do device.equal(want, got, { nd.array({ 0.4, 0.2 }), 5 + turn }) end
    assert.is_true(nd.allclose(a:get_value(), b:get_value(), 1e-12))
  end)
end)
