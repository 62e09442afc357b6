--- What a test says of the CPU alone: under THEANO_FLAGS=device=cuda.. the same test passes over it.
-- @module spec.support.cpu
local skip = require("spec.support.skip")
local theano = require("theano")
local system = require("system")

local M = {}

--- Ends this test as skipped where functions run on a GPU.
-- @tparam string what it asserts that is the CPU's own: its text, its plan, the order in which it adds
function M.only(what)
  local device = theano.config.device
  if device ~= "cpu" then skip.now(("under device=%s: the test asserts %s"):format(device, what)) end
end

--- Waits until the compilers that earlier functions of this process have started have come to their end, before
-- somebody counts. Where compile.tiers is off there are none.
function M.settled()
  if not theano.config["compile.tiers"] then return end
  local seen, since = theano.stat("compiles"), system.monotime()
  local stop = since + 60
  while system.monotime() < math.min(since + 3, stop) do
    system.sleep(0.05)
    if theano.stat("compiles") ~= seen then seen, since = theano.stat("compiles"), system.monotime() end
  end
end

return M
