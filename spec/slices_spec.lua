--- Slices of slices, and indices into them: one Subtensor with the same elements, or the same error, at every length.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local merged = theano.compile.get_mode("FAST_RUN"):excluding("fusion", "inplace")
local written = theano.compile.get_mode("None")

local function result(f, ...)
  local ok, r = pcall(f, ...)
  return ok and tostring(r) or tostring(r):match("%w+Error")
end

local function subtensors(f)
  local n = 0
  for _, node in ipairs(f.maker.fgraph:toposort()) do n = n + (node.op.name:find("Subtensor", 1, true) and 1 or 0) end
  return n
end

-- y of inputs: one Subtensor at most, and as written for vectors of 0 to 6 elements and each list of values.
local function check(inputs, y, values, text)
  local options = { on_unused_input = "ignore" }
  options.mode = merged
  local f = theano.compile(inputs, y, options)
  options.mode = written
  local g = theano.compile(inputs, y, options)
  assert.truthy(subtensors(f) <= 1, text)
  for n = 0, 6 do
    local v = nd.arange(n, { dtype = "int64" })
    for _, list in ipairs(values) do
      local want = result(g, v, table.unpack(list))
      assert.equal(want, result(f, v, table.unpack(list)), ("%s of %d (%s)"):format(text, n, table.concat(list, ", ")))
    end
  end
end

describe("a slice of a slice", function()
  local x = T.lvector("x")
  local firsts = { "2:", "-3:", ":4", ":-2", "1:-1", "-4:3", "::2", "::-1", "4:0:-2", "1:6:3", "-2:0:-1", ":0" }
  local seconds = { "1:", "-2:", ":2", ":-1", "-3:-1", "1::2", "::-1", "-1::-2", "2::-1", ":1:-1" }

  for _, first in ipairs(firsts) do
    it(("x[%s][..] is one Subtensor"):format(first), function()
      for _, second in ipairs(seconds) do check({ x }, x[first][second], { {} }, ("[%s][%s]"):format(first, second)) end
      for _, i in ipairs({ 0, 2, -1, -3 }) do check({ x }, x[first][i], { {} }, ("[%s][%d]"):format(first, i)) end
    end)
  end

  local function numbers(...)
    local list = {}
    for i = 1, select("#", ...) do list[i] = T.iscalar("n" .. i) end
    return table.unpack(list)
  end

  it("is one where bounds and steps are variables", function()
    local b, e, s, c, g, t = numbers(1, 2, 3, 4, 5, 6)
    local values = {
      { 0, 9, 1, 0, 9, 1 }, { 1, -1, 2, -2, 9, 1 }, { 9, -9, -1, 0, 2, 1 }, { -1, 0, -2, 9, -9, -1 },
      { 0, 9, 3, 5, 0, -2 }, { 0, 9, 0, 0, 9, 1 }, { 0, 9, 1, 0, 9, 0 }, { 2, 2, 1, 0, 1, -1 }, { 3, -9, -3, -9, 9, 2 },
    }
    check({ x, b, e, s, c, g, t }, x[{ T.slice(b, e, s) }][{ T.slice(c, g, t) }], values, "[b:e:s][c:g:t]")
  end)

  it("is one where one part is a variable", function()
    local i = T.lscalar("i")
    local values = { { 0 }, { 1 }, { 3 }, { 9 }, { -1 }, { -2 }, { -9 } }
    check({ x, i }, x[{ T.slice(i) }][{ T.slice(1) }], values, "[i:][1:]")
    check({ x, i }, x[{ T.slice(i) }][-1], values, "[i:][-1]")
    check({ x, i }, x["1:-1"][i], values, "[1:-1][i]")
    check({ x, i }, x["::-1"][i], values, "[::-1][i]")
    check({ x, i }, x["::-2"][i], values, "[::-2][i]")
    check({ x, i }, x["::-1"][{ T.slice(nil, i) }], values, "[::-1][:i]")
    check({ x, i }, x["1:"][{ T.slice(nil, i, 2) }], values, "[1:][:i:2]")
  end)

  it("keeps steps far beyond the length, and the error of a step of 0", function()
    local s, t = T.lscalar("s"), T.lscalar("t")
    local far = 1 << 29
    local values = { { far, far }, { -far, far }, { far, -far }, { 2, far }, { far, 2 }, { 0, 1 }, { 1, 0 } }
    check({ x, s, t }, x[{ T.slice(nil, nil, s) }][{ T.slice(nil, nil, t) }], values, "[::s][::t]")
    check({ x, t }, x["1::3"][{ T.slice(nil, nil, t) }], { { far }, { -far }, { 0 } }, "[1::3][::t]")
  end)

  it("takes steps of every integer, between arrays too, as NumPy does", function()
    local a, k, i = nd.arange(24):reshape { 2, 3, 4 }, T.lscalar("k"), T.lvector("i")
    local y, S, functions = T.ltensor3("y"), T.slice, {}
    local STEPS = { 1 << 62, -(1 << 62), math.maxinteger, math.mininteger, 1 << 40, 1 << 30, -(1 << 30) }
    local FROM = { false, 1, -1 }
    for l, linker in ipairs({ "interpreter", "c" }) do
      local outputs = {}
      for _, from in ipairs(FROM) do
        local part = S(from or nil, nil, k)
        for _, e in ipairs({ y[{ S(), part }], y[{ i, part }], T.set_subtensor(y[{ i, part }], -7) }) do
          outputs[#outputs + 1] = e
        end
        for _, step in ipairs(l == 1 and STEPS or {}) do
          outputs[#outputs + 1] = y[{ S(), S(from or nil, nil, step) }]
        end
      end
      functions[l] = theano.compile({ y, k, i }, outputs, { mode = theano.compile.Mode({ linker = linker }) })
    end
    for n, step in ipairs(STEPS) do
      local got = { { functions[1](a, step, { 0, 1 }) }, { functions[2](a, step, { 0, 1 }) } }
      for f, from in ipairs(FROM) do
        local s = S(from or nil, nil, step)
        local first, b = a[{ S(), from or (step > 0 and 0 or -1) }]:reshape { 2, 1, 4 }, a:copy()
        b[{ nd.array { 0, 1 }, s }] = -7
        assert.equal(-7 * 8, nd.sum(b[nd.lt(b, 0)]))
        assert.is_true(nd.array_equal(first, a[{ S(), s }]) and nd.array_equal(first, a[{ nd.array { 0, 1 }, s }]))
        for l = 1, 2 do
          local at = (f - 1) * (l == 1 and 3 + #STEPS or 3)
          for o = 1, 2 do assert.same(first:tolist(), got[l][at + o]:tolist()) end
          assert.same(b:tolist(), got[l][at + 3]:tolist())
          if l == 1 then assert.same(first:tolist(), got[l][at + 3 + n]:tolist()) end
        end
      end
    end
  end)

  it("stays two where the lengths decide and others use the first", function()
    local u = x["-3:"]
    assert.equal(2, subtensors(theano.compile({ x }, { u, u["1:"] }, { mode = merged })))
    assert.equal(2, subtensors(theano.compile({ x }, { x["1:"], x["1:"]["1:"] }, { mode = merged })))
  end)
end)

it("a slice of a dimension of length 1 is promised to be 1 only where its step cannot miss it", function()
  local r, k = T.drow("r"), T.lscalar("k")
  local one = nd.ones({ 1, 3 })
  for _, linker in ipairs({ "interpreter", "c" }) do
    local mode = theano.compile.Mode({ linker = linker })
    for _, text in ipairs({ "0:4:-1", ":4:-2", ":1:-1", ":4:2", "0::-1", "::-1", ":0", ":-1:-1", "5:0:-1", "-1:" }) do
      assert.same(one[text].shape, theano.compile({ r }, r[text], { mode = mode })(one).shape, text)
    end
    local f = theano.compile({ r, k }, r[T.slice(nil, 4, k)], { mode = mode })
    for _, step in ipairs({ 1, -1, 3, -3 }) do assert.equal(step > 0 and 1 or 0, f(one, step).shape[1]) end
  end
  assert.is_true(r["0:4:2"].broadcastable[1])
  assert.is_false(r["0:4:-2"].broadcastable[1])
end)
