-- Megabytes that training steps add at their highest to a process that has imports, parameters, data and the compiled
-- function: MLP 784-2000-2000-10, tanh, batch 2000, float32 (each layer's values are 16 MB, a weight's gradient too).
local G = { title = "memory of a training step", unit = "MB", rounds = 3, peers = { "lua", "torch", "jax", "theano" },
  cases = { { "MLP 784-2000-2000-10, batch 2000" } } }

function G.prepare()
  return { measure = function()
    local p = assert(io.popen("build/theano bench/peak.lua"))
    local text = p:read("a")
    p:close()
    return tonumber(text) or error("no figure")
  end }
end

return G
