-- Seconds from a graph's first line to the first result, imports not counted: a process of its own each time
-- (once.lua), with an empty cache (cold), with a kept one (warm), and once more in the same process (again).
-- `small script` is a whole process: start, require, a small graph, its result.
local system = require("system")

local G = {
  title = "compiling: seconds to the first result",
  peers = { "lua", "lua-tiers", "torch-compile", "jax", "pytensor-c", "pytensor-numba", "theano" },
  rounds = 5, -- each is a process; cold ones take seconds
  cases = {},
}
for _, what in ipairs({ "mlp", "chain of 1000", "chain of 5000", "rnn of 300" }) do
  for _, state in ipairs({ "cold", "warm", "again" }) do G.cases[#G.cases + 1] = { what, state } end
end
G.cases[#G.cases + 1] = { "small script", "warm" }

local function sh(command)
  local p = assert(io.popen(command))
  local text = p:read("a")
  assert(p:close(), "failed: " .. command)
  return text
end

local function seconds(what, state, cache)
  if state == "cold" then sh("rm -rf " .. cache) end
  if what == "small script" then
    local start = system.monotime()
    sh(("THEANO_FLAGS=$THEANO_FLAGS,base_compiledir=%s build/theano bench/once.lua 'small script'"):format(cache))
    return system.monotime() - start
  end
  local command = "THEANO_FLAGS=$THEANO_FLAGS,base_compiledir=%s build/theano bench/once.lua '%s' '%s'"
  return tonumber(sh(command:format(cache, what, state))) or error("no figure")
end

function G.prepare(what, state)
  local cache = sh("mktemp -d"):gsub("%s+$", "") .. "/units"
  if state ~= "cold" then seconds(what, state, cache) end
  return { measure = function() return seconds(what, state, cache) end }
end

return G
