--- Tensors of many dimensions, up to the 32 that an array may have: the same numbers as of a vector of their elements.
local compile = require("theano.compile")
local nd = require("theano.ndarray")
local T = require("theano.tensor")

local modes = {
  interpreter = compile.Mode { linker = "interpreter", optimizer = "fast_run" },
  c = compile.Mode { linker = "c", optimizer = "fast_run" },
}

-- A tensor of n dimensions, twelve of them 2 and the others 1 (which its type does not promise).
local function case(n)
  local pattern, shape = {}, {}
  for d = 1, n do
    pattern[d] = false
    shape[d] = d % (n // 12) == 0 and d <= 12 * (n // 12) and 2 or 1
  end
  local values = nd.arange(4096):astype("float64")
  return T.TensorType("float64", pattern)("x"), values:reshape(shape), values
end

describe("many dimensions #asan", function()
  for _, n in ipairs({ 12, 24, 32 }) do
    for name, mode in pairs(modes) do
      it(("%d, %s"):format(n, name), function()
        local x, value, flat = case(n)
        local last = n // 12 * 12 - 1
        local f = compile({ mode = mode, inputs = { x }, outputs = {
          (T.exp(x * 1e-3) + x):flatten(), x.T.T:flatten(), (x.T + 1).T:flatten(), x:sum(), x:sum(last):flatten(),
          T.max(x, n // 12 - 1):flatten(), T.argmax(x):flatten(), T.concatenate({ x, x }, 0):flatten(),
          T.set_subtensor(x["..., 0"], 7.0):flatten(), T.cumsum(x), (x.T:sum(0)).T:flatten(),
          T.grad((x * x):sum(), x):flatten(), x[{ "...", T.constant({ 0, 0 }) }]:flatten(),
        } })
        local got = { f(value) }
        assert.is_true(nd.allclose(got[1], nd.exp(flat * 1e-3) + flat))
        assert.same(flat:tolist(), got[2]:tolist())
        assert.same((flat + 1):tolist(), got[3]:tolist())
        assert.equal(4095.0 * 2048, got[4])
        assert.same((flat["::2"] + flat["1::2"]):tolist(), got[5]:tolist())
        assert.same(flat["2048:"]:tolist(), got[6]:tolist())
        assert.same(4095, got[7][0])
        if n ~= 12 then assert.same({ flat:tolist(), flat:tolist() }, got[8]:reshape(2, 4096):tolist()) end
        local set = flat:copy()
        if n == 32 then set:fill(7.0) else set["::2"] = nd.full({ 2048 }, 7.0) end
        assert.same(set:tolist(), got[9]:tolist())
        assert.equal(4095.0 * 2048, got[10][4095])
        assert.equal(4095.0 * 2048, nd.sum(got[11]))
        assert.same((flat * 2):tolist(), got[12]:tolist())
        assert.equal(n == 32 and 8192 or 4096, got[13].size)
      end)
    end
  end
end)
