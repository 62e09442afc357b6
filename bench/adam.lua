--- Adam over 100 parameters of 10,000 numbers each (and of 100) beside PyTorch's fused Adam, one thread each.
--     OMP_NUM_THREADS=1 build/theano bench/adam.lua [PYTHON]
-- PYTHON: one that has torch (default: that of bench/run's peers).
local theano = require("theano")
local nd = theano.ndarray
local util = require("theano.util")
theano.config.linker = "c" -- compiled from the first call on

local python = arg[1] or (os.getenv("HOME") or "") .. "/.cache/theano/bench/peers/bin/python"
local peer = [[
import sys, time, torch
torch.set_num_threads(1)
for n in (100, 10000):
    ps = [torch.nn.Parameter(torch.ones(n)) for _ in range(100)]
    for p in ps: p.grad = torch.full((n,), 0.01)
    opt = torch.optim.Adam(ps, lr=1e-3, fused=True)
    for _ in range(10): opt.step()
    best = 1e9
    for _ in range(%d):
        t = time.process_time(); opt.step(); best = min(best, time.process_time() - t)
    print(n, best)
]]
local rounds = tonumber(arg[2]) or 300

local function ours(n)
  local params, grads = {}, {}
  for i = 1, 100 do
    params[i] = theano.shared(nd.ones({ n }, "float32"))
    grads[i] = theano.shared(nd.full({ n }, 0.01, "float32"))
  end
  local step = theano.compile { inputs = {}, updates = theano.train.optimizers.adam(grads, params) }
  for _ = 1, 10 do step() end
  local best = math.huge
  for _ = 1, rounds do
    local from = os.clock()
    step()
    best = math.min(best, os.clock() - from)
  end
  return best
end

local path = os.tmpname()
local f = assert(io.open(path, "w"))
f:write((peer:format(rounds)))
f:close()
local pipe = assert(io.popen(("'%s' -W ignore %s 2>&1"):format(python, path)))
local theirs = {}
for line in pipe:lines() do
  local n, s = line:match("^(%d+) (%S+)$")
  if n then theirs[tonumber(n)] = tonumber(s) else print(line) end
end
pipe:close()
os.remove(path)
for _, n in ipairs({ 100, 10000 }) do
  local s = ours(n)
  print(util.format("100 parameters of %5d numbers: %7.1f us", n, 1e6 * s)
    .. (theirs[n] and util.format(", PyTorch's fused Adam %7.1f: %.2f", 1e6 * theirs[n], s / theirs[n]) or ""))
end
