-- Fourier transforms: one line of 2^10 to 2^20 numbers and of a prime length, lines side by side, two dimensions.
-- `lua-fftw` is ours with the flag fft.library=fftw, `fftw` the library called by Python; both need libfftw3.so.3.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local G = { title = "Fourier transforms", peers = { "lua", "lua-fftw", "fftw", "scipy", "numpy", "torch", "jax" },
  cases = {} }
for _, dtype in ipairs({ "complex128", "complex64", "float64" }) do
  for power = 10, 20, 2 do table.insert(G.cases, { "1", ("%d"):format(1 << power), dtype }) end
end
local SHAPES = { { 1, 1000 }, { 1, 10007 }, { 1, 999983 }, { 64, 256 }, { 64, 1024 }, { 1000, 31 }, { 64, 8192 } }
for _, shape in ipairs(SHAPES) do
  table.insert(G.cases, { ("%d"):format(shape[1]), ("%d"):format(shape[2]), "complex128" })
end
table.insert(G.cases, { "2-d", "512", "complex128" })

function G.prepare(lines, n, dtype)
  n = math.tointeger(tonumber(n))
  local b = math.tointeger(tonumber(lines)) or n
  local part = (nd.arange(b * n) * 7919 + 13) % 1009 / 1009 - 0.5
  local a = (dtype == "float64" and part or part + nd.complex(0, 1) * part["::-1"]):reshape({ b, n }):astype(dtype)
  local x = T.TensorType(dtype, { false, false })("x")
  local y = lines == "2-d" and T.fft.fft2(x) or dtype == "float64" and T.fft.rfftn(x, { axes = { -1 } }) or T.fft.fft(x)
  local f = theano.compile({ inputs = { x }, outputs = theano.Out(y, { borrow = true }) })
  return { f = f, args = { a } }, nd.abs(f(a)):mean()
end

return G
