-- One core beside two, where there is a millisecond of work.
local G = { title = "two cores", peers = { "lua", "lua-2" }, cases = {
  { "elemwise", "2*a+3*b", "10000000" },
  { "elemwise", "tanh(a)*exp(-b)+log1p(abs(a))", "1000000" },
  { "elemwise", "sum(tanh(a*b))", "10000000" },
  { "rows", "softmax", "1000x1000", "float32" },
  { "rows", "layer norm", "20000x64", "float32" },
  { "net", "mlp", "float32", "60" },
  { "net", "mlp", "float64", "60" },
  { "conv", "step", "LeNet", "60" },
  { "conv", "step", "256x256 net", "60" },
  { "conv", "conv", "wide", "forward" },
  { "conv", "conv", "3x3 64 to 64, 56x56", "forward" },
  { "conv", "conv", "3x3 64 to 64, 56x56", "for filters" },
  { "conv", "pool", "max", "60x6x250x250", "forward" },
} }

G.prepare = dofile("bench/groups/native.lua").prepare

return G
