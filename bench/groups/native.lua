-- Generated C beside the interpreter of the same plan, on large arrays.
local G = { title = "generated C and the interpreter", peers = { "lua", "lua-interpreter" }, cases = {
  { "elemwise", "2*a+3*b", "1000000" },
  { "elemwise", "tanh(a)*exp(-b)+log1p(abs(a))", "1000000" },
  { "elemwise", "sum(tanh(a*b))", "1000000" },
  { "elemwise", "standardize, tanh", "1000000" },
  { "rows", "softmax", "1000x1000", "float32" },
  { "rows", "layer norm", "1000x1000", "float32" },
  { "net", "mlp", "float32", "60" },
  { "net", "mlp", "float64", "60" },
  { "scan", "tanh RNN, training step" },
} }

function G.prepare(group, ...) return dofile("bench/groups/" .. group .. ".lua").prepare(...) end

return G
