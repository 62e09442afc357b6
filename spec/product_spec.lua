--- Products whose readers run as their epilogue: one step, the right numbers in both executors, at every size.
local cpu = require("spec.support.cpu")
local theano = require("theano")
local T, nd, compile = theano.tensor, theano.ndarray, theano.compile

local executors = { c = compile.Mode({ linker = "c" }), interpreter = compile.Mode({ linker = "interpreter" }) }

local function kernels(f) -- how many steps run a kernel, and how many of these kernels are products
  local text = theano.printing.plan(f)
  local _, steps = text:gsub("\n  step %d+: kernel", "")
  local _, products = text:gsub("stage %d+: gemm", "")
  return steps, products
end

local function close(got, want, limit)
  assert.same(want.shape, got.shape)
  if want.size == 0 then return end
  local worst = nd.abs(got - want):max()
  assert.is_true(worst <= limit, "differs by " .. worst)
end

local rng = nd.random.RandomState(7)
local function random(shape, dtype) return rng:uniform(-1, 1, shape):astype(dtype) end

local sizes = { { 60, 50, 78 }, { 1, 70, 9 }, { 9, 1, 70 }, { 1, 1, 5 }, { 0, 4, 3 }, { 4, 0, 3 }, { 4, 5, 0 },
  { 7, 65, 33 }, { 130, 67, 5 },
  { 60, 10, 200 }, { 71, 3, 131 }, { 200, 10, 40 } }

describe("a product and what reads it point by point", function()
  for dtype, limit in pairs({ float32 = 2e-5, float64 = 1e-13 }) do
    for name, mode in pairs(executors) do
      it(("layers and their gradients: %s, %s"):format(dtype, name), function()
        local x, W = T.matrix("x", { dtype = dtype }), T.matrix("W", { dtype = dtype })
        local b, h = T.vector("b", { dtype = dtype }), T.matrix("h", { dtype = dtype })
        local z = T.dot(x, W)
        local layers = {
          { T.tanh(z + b), function(p, vb) return nd.tanh(p + vb) end },
          { T.maximum(z + b, 0), function(p, vb) return nd.maximum(p + vb, 0) end },
          { z * (1 - h ^ 2), function(p, _, vh) return p * (1 - vh * vh) end },
        }
        for _, layer in ipairs(layers) do
          local f = compile({ inputs = { x, W, b, h }, outputs = layer[1], mode = mode, on_unused_input = "ignore" })
          local steps, products = kernels(f)
          assert.equal(1, steps)
          assert.equal(1, products)
          for _, s in ipairs(sizes) do
            local vx, vW = random({ s[1], s[3] }, dtype), random({ s[3], s[2] }, dtype)
            local vb, vh = random({ s[2] }, dtype), random({ s[1], s[2] }, dtype)
            close(f(vx, vW, vb, vh), layer[2](nd.dot(vx, vW), vb, vh), limit * math.max(1, s[3]))
          end
        end
      end)

      it(("a product that others read too is stored: %s, %s"):format(dtype, name), function()
        local x, W = T.matrix("x", { dtype = dtype }), T.matrix("W", { dtype = dtype })
        local z = T.dot(x, W)
        local f = compile({ inputs = { x, W }, outputs = { T.exp(z), z, z:sum(), z.T:cumsum() }, mode = mode })
        for _, s in ipairs(sizes) do
          local vx, vW = random({ s[1], s[3] }, dtype) / 10, random({ s[3], s[2] }, dtype) / 10
          vx, vW = vx:astype(dtype), vW:astype(dtype)
          local e, p, sum = f(vx, vW)
          local want = nd.dot(vx, vW)
          close(p, want, limit)
          close(e, nd.exp(want), limit * 10)
          assert.near(want.size > 0 and want:sum() or 0, sum, 1e-3)
        end
      end)

      it(("rows and columns are read where they lie: %s, %s"):format(dtype, name), function()
        local x, W = T.matrix("x", { dtype = dtype }), T.matrix("W", { dtype = dtype })
        local r, c = T.row("r", { dtype = dtype }), T.col("c", { dtype = dtype })
        local f = compile({ inputs = { x, W, r, c }, outputs = (T.dot(x.T, W) * r - c).T, mode = mode })
        for _, s in ipairs(sizes) do
          local vx, vW = random({ s[3], s[1] }, dtype), random({ s[3], s[2] }, dtype)
          local vr, vc = random({ 1, s[2] }, dtype), random({ s[1], 1 }, dtype)
          close(f(vx, vW, vr, vc), (nd.dot(vx.T, vW) * vr - vc).T, limit * math.max(1, s[3]))
        end
      end)
    end
  end

  it("keeps it where the sum of its columns comes next: on the product's tiles, not down the columns", function()
    cpu.only("which loop of the CPU it is")
    local x, W, h = T.fmatrix("x"), T.fmatrix("W"), T.fmatrix("h")
    local y = T.dot(x, W) * T.exp(-T.sqr(h))
    local f = compile({ inputs = { x, W, h }, outputs = { y, y:sum({ axis = 0 }) } })
    local text = theano.printing.plan(f, "avx2")
    assert.truthy(text:find("product, and on its tiles", 1, true))
    local vx, vW, vh = random({ 60, 20 }, "float32"), random({ 20, 33 }, "float32"), random({ 60, 33 }, "float32")
    local all, columns = f(vx, vW, vh)
    local want = nd.dot(vx, vW) * nd.exp(-nd.square(vh))
    close(all, want, 1e-5)
    close(columns, want:astype("float64"):sum({ axis = 0 }):astype("float32"), 1e-4)
  end)

  it("keeps a step that fails on its own", function()
    local x, W, i = T.dmatrix("x"), T.dmatrix("W"), T.lmatrix("i")
    local z = T.dot(x, W)
    local f = compile({ inputs = { x, W, i }, outputs = z + T.cast(10 // i, "float64") })
    local one = nd.ones({ 2, 2 })
    assert.near(2 + 10, f(one, one, nd.ones({ 2, 2 }, "int64")):max(), 0)
    assert.has_error(function() f(one, one, nd.zeros({ 2, 2 }, "int64")) end)
  end)
end)
