--- Every function of linear algebra, with its gradient, on arrays of all kinds of shapes and values: what raises as
-- written raises when rewritten, with a kind and words, and nothing else happens. #asan
local nd = require("theano.ndarray")
local theano = require("theano")
local T = theano.tensor

local MODES = {
  theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" },
  theano.compile.Mode { linker = "interpreter", optimizer = "None" },
}
local VALUES = {
  nd.zeros({ 0, 0 }), nd.zeros({ 0, 3 }), nd.zeros({ 3, 0 }), nd.ones({ 1, 1 }), nd.ones({ 3 }), nd.ones({ 2, 3 }),
  nd.ones({ 3, 3 }) * (0 / 0), nd.zeros({ 3, 3 }), nd.eye(3), nd.ones({ 0, 3, 3 }), nd.ones({ 2, 3, 3 }),
  nd.eye(3):astype("float32"), nd.eye(3):astype("complex64"), nd.eye(3):astype("int8"), nd.eye(3) * math.huge,
  nd.eye(4)["::2, ::2"],
}
local SHORT = { 1, 5, 6, 8, 9, 11, 13 } -- of two arguments all pairs of these

local ONE, TWO = {}, {}
local two = {}
for name in ([[cho_solve eigvalsh kron lstsq solve solve_lower_triangular solve_upper_triangular solve_symmetric
  solve_triangular block_diag multi_dot matrix_dot tensorsolve]]):gmatch("%S+") do two[name] = true end
local function add(module)
  for name, f in pairs(module) do
    if type(f) == "function" and not name:find("^%u") and name ~= "lu_solve" then
      (two[name] and TWO or ONE)[name] = f
    end
  end
end
add(T.slinalg)
add(T.nlinalg)
ONE.matrix_power = function(x) return T.nlinalg.matrix_power(x, -2) end
TWO.matmul = T.matmul
TWO.einsum = function(x, y) return T.einsum("...ij,...jk", x, y) end
TWO.trace = function(x, y) return T.einsum("ij,ji", x, y) end

local function variable(a)
  local pattern = {}
  for d = 1, a.ndim do pattern[d] = false end
  return T.TensorType(a.dtype, pattern)()
end

local function attempt(f, arrays, mode)
  return pcall(function()
    local x = {}
    for i, a in ipairs(arrays) do x[i] = variable(a) end
    local out = { (f(table.unpack(x))) }
    local fine, g = pcall(function() return T.grad(T.sum(T.real(out[1])), x[1]) end)
    if fine then out[2] = g end
    theano.compile { inputs = x, outputs = out, mode = mode, on_unused_input = "ignore" }(table.unpack(arrays))
  end)
end

local function check(name, f, arrays)
  local fine = {}
  for i, mode in ipairs(MODES) do
    local problem
    fine[i], problem = attempt(f, arrays, mode)
    assert(fine[i] or tostring(problem):match("^[^\n]-:%d+: %u%w*: ."), name .. ": " .. tostring(problem))
  end
  assert(fine[1] == fine[2], name .. " raises in one mode alone")
end

describe("hostile arrays", function()
  it("of functions of one matrix raise alike in all modes", function()
    for name, f in pairs(ONE) do
      for i, a in ipairs(VALUES) do check(name .. " of array " .. i, f, { a }) end
    end
  end)

  it("of functions of two raise alike in all modes", function()
    for name, f in pairs(TWO) do
      for _, i in ipairs(SHORT) do
        for _, j in ipairs(SHORT) do check(("%s of arrays %d, %d"):format(name, i, j), f, { VALUES[i], VALUES[j] }) end
      end
    end
  end)
end)

describe("factors of a matrix of one column or row, but of nothing else", function()
  local function shapes(...)
    local text = {}
    for i, a in ipairs({ ... }) do text[i] = table.concat(nd.asarray(a).shape, "x") end
    return table.concat(text, " ")
  end
  it("have no lengths of 1 for what is 0, of arrays and in graphs", function()
    for _, form in ipairs({ { 0, 1 }, { 1, 0 }, { 3, 0, 1 }, { 3, 1, 0 } }) do
      local m, n, b = form[#form - 1], form[#form], #form == 3 and "3x" or ""
      local x = #form == 3 and T.TensorType("float64", { false, m == 1, n == 1 })() or m == 1 and T.drow() or T.dcol()
      local z = nd.zeros(form)
      for _, M in ipairs({ nd.linalg, false }) do
        local function of(f)
          if M then return shapes(f(M, z)) end
          return shapes(theano.compile({ inputs = { x }, outputs = { f(T.linalg, x) } })(z))
        end
        assert.equal(b .. "0", of(function(L, v) return L.svdvals(v) end))
        assert.equal(("%s%dx0 %s0 %s0x%d"):format(b, m, b, b, n), of(function(L, v)
          return L.svd(v, { full_matrices = false })
        end))
        assert.equal(("%s%dx0 %s0x%d"):format(b, m, b, n), of(function(L, v) return L.qr(v) end))
      end
    end
  end)
end)
