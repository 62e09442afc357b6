-- Megabytes that three steps add at their highest to a process with imports, parameters, data and the compiled
-- function: an MLP 784-2000-2000-10, tanh, batch 2000, float32 (each layer's values are 16 MB, a weight's gradient
-- too), and the steps of modern.lua.
local G = { title = "memory of a training step", unit = "MB", rounds = 3, peers = { "lua", "torch", "jax", "theano" },
  cases = { { "MLP", "784-2000-2000-10", "2000" } } }
for _, case in ipairs(dofile("bench/groups/modern.lua").cases) do G.cases[#G.cases + 1] = case end

function G.prepare(...)
  local words = table.concat({ ... }, " ")
  return { measure = function()
    local p = assert(io.popen("build/theano bench/peak.lua " .. words))
    local text = p:read("a")
    p:close()
    return tonumber(text) or error("no figure")
  end }
end

return G
