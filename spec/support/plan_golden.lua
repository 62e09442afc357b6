--- Golden plans: each case builds a function; its plan's text is spec/golden/plan/NAME.txt.
local M = {}

local function modules()
  return require("theano"), require("theano.tensor"), require("theano.ndarray")
end

M.cases = {
  { name = "rows", about = "an elementwise producer, a row sum and its epilogue are one kernel", build = function()
    local theano, T = modules()
    local x, b = T.dmatrix("x"), T.dvector("b")
    return theano.compile { inputs = { x, b }, outputs = T.exp(T.tanh(x + b):sum { axis = 1 }) }
  end },
  { name = "outputs", about = "one value as two outputs is copied; an input as output too", build = function()
    local theano, T = modules()
    local x = T.dvector("x")
    local y = T.exp(x)
    return theano.compile { inputs = { x }, outputs = { y, y, x } }
  end },
  { name = "update", about = "a product's gradient step is written in place, nothing that can fail comes after",
    build = function()
      local theano, T, nd = modules()
      local x, w = T.dmatrix("x"), theano.shared(nd.zeros({ 3, 2 }), { name = "w" })
      local cost = T.sqr(T.dot(x, w)):sum()
      local g = T.grad(cost, w)
      return theano.compile { inputs = { x }, outputs = cost, updates = { { w, w - 0.1 * g } } }
    end },
  { name = "layer_norm", about = "reductions of rows and what reads them are stages over the same rows: one kernel",
    build = function()
      local theano, T = modules()
      local x = T.dmatrix("x")
      local y = x - x:mean { axis = 1, keepdims = true }
      return theano.compile { inputs = { x }, outputs = y / T.sqrt(T.sqr(y):mean { axis = 1, keepdims = true }) }
    end },
  { name = "row_kept", about = "what two stages read of a row is kept for that row alone; columns are no rows",
    build = function()
      local theano, T = modules()
      local x = T.dmatrix("x")
      local y = T.sinh(x)
      return theano.compile { inputs = { x }, outputs = { y / y:sum { axis = 1, keepdims = true },
        x - x:mean { axis = 0, keepdims = true } } }
    end },
  { name = "pairs", about = "sums of one array along either of its dims are kernels of their own", build = function()
    local theano, T = modules()
    local x, m = T.dmatrix("x"), T.dvector("m")
    local apart = x:dimshuffle(0, "x", 1) - x:dimshuffle("x", 0, 1)
    local near = 1 / T.sqrt(T.sqr(apart):sum { axis = 2 } + 1)
    return theano.compile { inputs = { x, m }, outputs = T.grad((near * m):sum(), x) / m:dimshuffle(0, "x") }
  end },
  { name = "views", about = "transposes cost nothing; reshaping one copies", build = function()
    local theano, T = modules()
    local x = T.dmatrix("x")
    return theano.compile { inputs = { x }, outputs = { x.T + 1, x.T:flatten() * 2 } }
  end },
  { name = "sizes", about = "a size that only a step tells makes a late buffer", build = function()
    local theano, T = modules()
    local x = T.lvector("x")
    return theano.compile { inputs = { x }, outputs = T.arange(x:max()) + 1 }
  end },
}

function M.path(case) return "spec/golden/plan/" .. case.name .. ".txt" end

function M.text(case)
  local _ <close> = require("theano").config.change_flags({ openmp = false })
  return "# " .. case.about .. "\n" .. require("theano").printing.plan(case.build(), "avx2")
end

function M.stored(case)
  local file = io.open(M.path(case))
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

function M.store(case, text)
  local file = assert(io.open(M.path(case), "w"))
  file:write(text)
  file:close()
end

return M
