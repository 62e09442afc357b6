--- Indexing, ordering, searching, positions, running sums, diagonals: NumPy's answers (spec/data/tensor.json) for every
-- dtype, with x contiguous, transposed and reversed, in the interpreter and through generated C.
local sets = require("spec.support.numpy_sets")
local theano = require("theano")
local T = require("theano.tensor")
local data = sets.read("spec/data/tensor.json")

-- x as the graph sees it, made from another layout of the same elements.
local LAYOUTS = {
  contiguous = { function(a) return a end, function(x) return x end },
  transposed = { function(a) return a.T:copy() end, function(x) return x.T end },
  reversed = { function(a) return a["::-1, ::-1"]:copy() end, function(x) return x["::-1, ::-1"] end },
}

local FORM = { names = { "x", "y", "v", "s", "i", "j", "k", "n", "r" }, kept = {}, patterns = {} }
for _, name in ipairs(FORM.names) do FORM.kept[name] = name ~= "x" end

local function check(set, layout, mode)
  sets.check(data, set, FORM, LAYOUTS[layout], mode, { single = 1e-5, double = 1e-12 })
end

local modes = sets.modes

describe("NumPy's answers", function()
  for number, set in ipairs(data.sets) do
    local what = ("%s, set %d"):format(set.dtype, number)
    it("of " .. what .. " #asan", function() check(set, "contiguous", modes.interpreter) end)
    if ("float64 int8 complex64 bool"):find(set.dtype, 1, true) then
      it("of " .. what .. ", as written", function() check(set, "transposed", modes.plain) end)
      it("of " .. what .. ", reversed", function() check(set, "reversed", modes.interpreter) end)
      it("of " .. what .. ", through C", function() check(set, "transposed", modes.c) end)
    end
  end
end)

describe("reductions by vectors #asan", function()
  -- Rows and columns shorter and longer than vectors, ties, NaN and infinities: C and the interpreter agree to the bit.
  local rng = theano.ndarray.random.RandomState(3)
  for _, dtype in ipairs({ "float64", "float32", "int64", "int32", "int8", "uint64" }) do
    it("of " .. dtype .. " are the same in C and in the interpreter", function()
      local nd = theano.ndarray
      local x = T.TensorType(dtype, { false, false })("x")
      local outputs = { T.argmax(x, 1), T.argmin(x, 1), T.argmax(x, 0), T.argmin(x, 0), T.argmax(x), T.max(x, 1),
        T.min(x, 0), x:sum(1), x:sum(0), x:sum(), x:prod(1), T.argmax(x.T, 0), T.argmax(x.T), T.any(x, 1) }
      local f = theano.compile({ inputs = { x }, outputs = outputs, mode = modes.interpreter })
      local g = theano.compile({ inputs = { x }, outputs = outputs, mode = modes.c })
      local shapes = { { 3, 1 }, { 2, 5 }, { 1, 8 }, { 4, 9 }, { 3, 33 }, { 7, 100 }, { 2, 300 }, { 40, 150 } }
      for _, shape in ipairs(shapes) do
        for kind = 1, dtype:find("float", 1, true) and 4 or 1 do
          local a = nd.floor(rng:rand(shape) * 5)
          if dtype:find("^int") then a = a - 2 end
          if kind == 2 then a["::2, ::3"] = nd.full(a["::2, ::3"].shape, 0 / 0) end
          if kind == 3 then a:fill(-math.huge) end
          if kind == 4 then a[{ 0, shape[2] - 1 }] = math.huge end
          a = a:astype(dtype)
          local want, got = { f(a) }, { g(a) }
          for i in ipairs(want) do assert.equal(tostring(want[i]), tostring(got[i])) end
        end
      end
    end)
  end
end)

describe("rows taken by index #asan", function()
  -- Shorter than a vector, vectors with a rest, and long enough to be copied whole.
  for _, dtype in ipairs({ "float64", "float32", "int8", "complex128" }) do
    it("of " .. dtype .. " are the same in C and in the interpreter", function()
      local nd = theano.ndarray
      local x, i = T.TensorType(dtype, { false, false })("x"), T.lvector("i")
      local f = theano.compile({ inputs = { x, i }, outputs = { x[i], x[i] + x[i] }, mode = modes.interpreter })
      local g = theano.compile({ inputs = { x, i }, outputs = { x[i], x[i] + x[i] }, mode = modes.c })
      local at = nd.array({ 3, 0, -1, 3, 1 }, { dtype = "int64" })
      for _, n in ipairs({ 1, 7, 8, 31, 63, 64, 65, 127, 128, 511, 512, 700 }) do
        local a = nd.arange(4 * n):reshape({ 4, n }):astype(dtype)
        local want, sum = f(a, at)
        local got, both = g(a, at)
        assert.same(a[-1]:tolist(), got[0]:tolist())
        assert.same(want:tolist(), got:tolist())
        assert.same(sum:tolist(), both:tolist())
        assert.has_error(function() g(a, nd.array({ 0, 4 }, { dtype = "int64" })) end)
      end
    end)
  end
end)

describe("topk of long lanes #asan", function()
  -- Most values are turned away in groups: ties, NaN and -0.0 among them, and lanes with steps, beside a whole sort.
  for _, dtype in ipairs({ "float64", "float32", "int64", "int16", "uint64" }) do
    it("of " .. dtype .. " is the end of the stable order", function()
      local nd, n = theano.ndarray, 1003
      local rng = nd.random.RandomState(5)
      local x, k = T.TensorType(dtype, { false })("x"), T.lscalar("k")
      local f = theano.compile({ inputs = { x, k }, outputs = { T.topk_and_argtopk(x, k) } })
      for kind = 1, dtype:find("float", 1, true) and 3 or 2 do
        local a = nd.floor(rng:rand({ n }) * (kind == 1 and 1e6 or 3))
        if kind == 3 then
          a = a * -0.0
          a["::5"] = nd.full(a["::5"].shape, 0.0)
          a["400:1000:200"] = nd.full({ 3 }, 0 / 0)
        end
        a = a:astype(dtype)
        local v = a:tolist()
        for _, most in ipairs({ 1, 2, 10, 60, -1, -2, -10, -60 }) do
          local order = {}
          for j = 1, n do order[j] = j end
          local function before(p, q)
            local s, t = v[p], v[q]
            if (s ~= s) ~= (t ~= t) then return (s ~= s) == (most > 0) end
            if s == t or s ~= s then return p < q end
            if most > 0 then return s > t end
            return s < t
          end
          table.sort(order, before)
          local values, at = f(a, most)
          for j = 1, math.abs(most) do
            assert.equal(order[j] - 1, at[j - 1])
            assert.equal(tostring(v[order[j]]), tostring(values:tolist()[j]))
          end
          local _, stepped = f(nd.repeat_(a, 2)["::2"], most)
          assert.same(at:tolist(), stepped:tolist())
        end
      end
    end)
  end
end)
