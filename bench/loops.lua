-- Loops over elements and rows: nanoseconds an element into results that are lent, the minimum of several rounds,
-- beside loops of C (loops.c) and Python's (loops.numpy.py, loops.jax.py), which print the same lines.
--   build/theano bench/loops.lua [most elements] [part of a name]
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local most = tonumber(arg and arg[1]) or 1e7
local only = arg and arg[2] or ""

local a, b, m, g = T.dvector("a"), T.dvector("b"), T.dmatrix("m"), T.dvector("g")
local fa, fb, fm = T.fvector("a"), T.fvector("b"), T.fmatrix("m")
local function over(x, how) return x[how](x, { axis = 1, keepdims = true }) end
local function layer_norm(x)
  local y = x - over(x, "mean")
  return y / T.sqrt(over(T.sqr(y), "mean") + T.cast(1e-5, x.dtype))
end
local function centred(x)
  local y = T.tanh(x - x:mean())
  return T.exp(y * (1 / y:sum())) - y
end
local function log_sum_exp(x) return T.log(T.exp(x - over(x, "max")):sum { axis = 1 }) end

-- name, inputs, expression; matrices are rows of the length given, or square
local CASES = {
  { "a+1", { a }, a + 1 },
  { "2a+3b", { a, b }, 2 * a + 3 * b },
  { "a^2+b^2+2ab", { a, b }, a ^ 2 + b ^ 2 + 2 * a * b },
  { "2a+b^10", { a, b }, 2 * a + b ^ 10 },
  { "tanh(a)exp(-b)+log1p(|a|)", { a, b }, T.tanh(a) * T.exp(-b) + T.log1p(T.abs(a)) },
  { "tanh(a)exp(-b)+log1p(|a|) f32", { fa, fb }, T.tanh(fa) * T.exp(-fb) + T.log1p(T.abs(fa)) },
  { "sum(tanh(ab))", { a, b }, T.tanh(a * b):sum() },
  { "sum(tanh(ab)) f32", { fa, fb }, T.tanh(fa * fb):sum() },
  { "sigmoid(a)", { a }, T.nnet.sigmoid(a) },
  { "expm1(a)", { a }, T.expm1(a) },
  { "chain with two sums", { a }, centred(a) },
  { "softmax rows", { m }, T.nnet.softmax(m) },
  { "softmax rows f32", { fm }, T.nnet.softmax(fm) },
  { "logsoftmax rows", { m }, T.nnet.logsoftmax(m) },
  { "layer norm rows", { m }, layer_norm(m) },
  { "layer norm rows f32", { fm }, layer_norm(fm) },
  { "log-sum-exp rows", { m }, log_sum_exp(m) },
  { "argmax rows", { m }, T.argmax(m, { axis = 1 }) },
  { "grad of softmax rows", { m }, T.grad(T.sqr(T.nnet.softmax(m)):sum(), m) },
  { "grad of layer norm", { m }, T.grad(T.sin(layer_norm(m)):sum(), m) },
  { "m+g, rows of 10", { m, g }, m + g, 10 },
  { "tanh(m+g), rows of 10", { m, g }, T.tanh(m + g), 10 },
  { "m*sum of row, rows of 3", { m }, m * over(m, "sum"), 3 },
  { "softmax, rows of 10", { m }, T.nnet.softmax(m), 10 },
}

local rng = nd.random.RandomState(1)
local function data(v, n, columns)
  local shape = { n }
  if v.ndim == 2 then
    columns = columns or math.max(1, math.floor(n ^ 0.5))
    shape = { math.max(1, n // columns), columns }
  elseif v == g then shape = { columns }
  end
  return rng:uniform(-1, 1, shape):astype(v.dtype)
end

local function nanoseconds(f, n)
  local calls = math.max(1, math.min(20000, math.floor(2e6 / n)))
  local best = math.huge
  for _ = 1, n > 1e6 and 3 or 5 do
    local t = os.clock()
    for _ = 1, calls do f() end
    best = math.min(best, (os.clock() - t) / calls)
  end
  return best / n * 1e9
end

local sizes = {}
for _, n in ipairs({ 1000, 10000, 100000, 1000000, 10000000 }) do if n <= most then sizes[#sizes + 1] = n end end
for _, c in ipairs(CASES) do
  if c[1]:find(only, 1, true) then
    local line = ("%-32s"):format(c[1])
    for _, n in ipairs(sizes) do
      local f = theano.compile { inputs = c[2], outputs = theano.Out(c[3], { borrow = true }) }
      local args = {}
      for i, v in ipairs(c[2]) do args[i] = data(v, n, c[4]) end
      line = line .. ("%10.3f"):format(nanoseconds(f:bind(table.unpack(args)), n))
    end
    print(line)
    io.stdout:flush()
  end
end
