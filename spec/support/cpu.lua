--- What a test says of the CPU alone: under THEANO_FLAGS=device=cuda.. the same test passes over it.
-- @module spec.support.cpu
local skip = require("spec.support.skip")
local theano = require("theano")

local M = {}

--- Ends this test as skipped where functions run on a GPU.
-- @tparam string what it asserts that is the CPU's own: its text, its plan, the order in which it adds
function M.only(what)
  local device = theano.config.device
  if device ~= "cpu" then skip.now(("under device=%s: the test asserts %s"):format(device, what)) end
end

--- Before somebody counts compiled units: those of functions that nobody holds any more are counted when these are
-- collected.
function M.settled()
  collectgarbage()
  collectgarbage()
end

return M
