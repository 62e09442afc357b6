--- Marks a test as pending with a reason, so that a run lists what it did not try and why.
-- Call these inside `it`: the test ends there. scripts/test prints every reason.
-- @module spec.support.skip
local busted = require("busted")

local M = {}

-- busted gives the function that ends a test as pending to the environment of that test alone, where no module sees it;
-- the start of each test hands it over.
local pending
busted.subscribe({ "test", "start" }, function(element)
  if element.env then pending = element.env.pending end
  return nil, true
end)

--- End this test as skipped.
-- @tparam string reason what is missing and what would bring it
function M.now(reason)
  assert(type(reason) == "string" and reason ~= "", "a skip needs a reason")
  pending(reason)
end

--- Skip this test unless a condition holds.
-- @param condition anything; false and nil skip
-- @tparam string reason
-- @return condition
function M.unless(condition, reason)
  if not condition then M.now(reason) end
  return condition
end

--- Skip this test unless a program is found on PATH.
-- @tparam string name such as "gcc"
function M.without_program(name)
  local found = os.execute("command -v '" .. name:gsub("'", "") .. "' >/dev/null 2>&1")
  return M.unless(found, "the program " .. name .. " is not installed")
end

return M
