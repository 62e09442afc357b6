--- Products with what follows each of their rows in one launch of a GPU: the bits of both steps launched one by one
-- (as a profiled function's are) and the interpreter's errors; what cannot be is two launches.
local emulated = require("spec.support.emulated")
local nd = require("theano.ndarray")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = theano.tensor

local function numbers(dtype, seed, ...)
  local n, shape = 1, { ... }
  for _, k in ipairs(shape) do n = n * k end
  return (nd.sin(nd.arange(n):astype("float64") * 0.7 + seed) * 3):astype(dtype):reshape(shape)
end

-- Of a product's rows, with y their classes.
local FORMS = {
  softmax = function(z) return T.nnet.softmax(z) end,
  entropy = function(z, y) return T.nnet.categorical_crossentropy(T.nnet.softmax(z), y) end,
  gradient = function(z, y)
    return T.grad(T.nnet.categorical_crossentropy(T.nnet.softmax(z), y):mean(), z)
  end,
  norm = function(z)
    local d = z - z:mean({ axis = 1, keepdims = true })
    return d / T.sqrt(T.sqr(d):mean({ axis = 1, keepdims = true }) + 1e-3)
  end,
  best = function(z) return T.argmax(z, 1):dimshuffle(0, "x") + z / z:max({ axis = 1, keepdims = true }) end,
  back = function(z) local e = T.exp(z[":, ::-1"]) return e / e:sum({ axis = 1, keepdims = true }) end,
  others = function(z) -- another row's
    local e = T.exp(z["::-1"] - z:max({ axis = 1, keepdims = true }))
    return e / e:sum({ axis = 1, keepdims = true })
  end,
}

local function made(form, dtype, flags, what)
  local _ <close> = theano.config.change_flags(flags)
  local matrix = T.TensorType(dtype, { false, false })
  local x, w, y = matrix("x"), matrix("w"), T.lvector("y")
  local z = T.dot(x, w)
  if what == "tanh" then z = T.tanh(z) end
  return theano.compile({ inputs = { x, w, y }, outputs = FORMS[form](z, y), on_unused_input = "ignore",
    profile = what == "profile" })
end

-- How many steps went with that before them.
local function joined(f)
  local n = 0
  for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do
    n = n + (k.kernel and k.kernel:match("^half_") and 1 or 0)
  end
  return n
end

describe("rows behind a product on a GPU", function()
  if theano.config.cxx == "" then
    it("needs a compiler", function() skip.now("there is no C compiler") end)
    return
  end
  local quiet = { device = emulated.flags.device, force_device = true, ["profiling.destination"] = "/dev/null" }

  it("are one launch with it, with the same bits", function()
    local found = 0
    for form in pairs(FORMS) do
      for _, dtype in ipairs({ "float32", "float64" }) do
        local f, g = made(form, dtype, quiet), made(form, dtype, quiet, "profile")
        for _, s in ipairs({ { 60, 30, 10 }, { 1, 5, 1 }, { 18, 300, 16 }, { 32, 4, 17 }, { 2, 1, 1 }, { 5, 0, 3 },
          { 0, 4, 3 }, { 250, 3, 2 } }) do
          local x, w = numbers(dtype, 1, s[1], s[2]), numbers(dtype, 2, s[2], s[3])
          if s[1] > 0 and s[2] > 2 then x[{ 0, 1 }] = 0 / 0 end
          local y = nd.arange(s[1]):astype("int64") % s[3]
          for _ = 1, 4 do
            local got, want = nd.asarray(f(x, w, y)), nd.asarray(g(x, w, y))
            assert(nd.array_equal(got, want, { equal_nan = true }), form .. " " .. dtype .. " " .. s[1])
          end
          local n = joined(f)
          if s[3] > 16 or s[1] % 2 == 1 or form == "others" then assert.equal(0, n, form .. s[3]) end
          found = found + n
        end
      end
    end
    assert(found >= 40, found .. " in one launch")
  end)

  it("raise what the steps would, and leave nothing changed", function()
    local f, g = made("entropy", "float32", quiet), made("entropy", "float32", { linker = "interpreter" })
    local x, w = numbers("float32", 1, 50, 20), numbers("float32", 2, 20, 10)
    for round = 1, 5 do
      local y = nd.arange(50):astype("int64") % 10
      assert(nd.allclose(f(x, w, y), g(x, w, y), 1e-4, 1e-5), round)
      assert.equal(1, joined(f))
      y[37], y[21] = 11, 10
      local ok, why = pcall(function() return nd.asarray(f(x, w, y)):item(0) end)
      local _, want = pcall(g, x, w, y)
      assert.is_false(ok)
      assert.equal(tostring(want):match("ValueError: [^\n]*"), tostring(why):match("ValueError: [^\n]*"))
    end
  end)
end)
