--- Flags for all tests of a block, where what they assert is so under these alone.
--     flags.during(setup, teardown, { openmp = false }) -- inside describe, or for a whole file
-- @module spec.support.flags
local theano = require("theano")

local M = {}

function M.during(setup, teardown, values)
  local scope
  setup(function() scope = theano.config.change_flags(values) end)
  teardown(function() getmetatable(scope).__close(scope) end)
end

return M
