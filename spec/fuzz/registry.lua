--- What a session may contain: families of steps by theme, each with a weight.
-- A family's `make(s, rng)` adds steps to the session and returns the last one, or nil when nothing fits.
-- @module spec.fuzz.registry
local M = { entries = {}, total = 0, themes = {} }

local current

--- Adds a family of the theme that is being loaded.
-- @tparam string name for the counters
-- @tparam number weight how often, beside the others
-- @tparam function make (session, rng): the last step, or nil
function M.entry(name, weight, make)
  M.entries[#M.entries + 1] = { name = name, weight = weight, make = make, theme = current }
  M.total = M.total + weight
end

--- One family by weight.
function M.choose(rng)
  local at = rng:int(1, M.total)
  for _, e in ipairs(M.entries) do
    at = at - e.weight
    if at <= 0 then return e end
  end
end

--- Loads the themes in this order, which the seeds depend on.
for _, name in ipairs({ "classic", "odd", "views", "late", "loops", "branches", "users", "arithmetic",
  "halves" }) do
  current = name
  M.themes[#M.themes + 1] = name
  require("spec.fuzz.themes." .. name)(M)
end

return M
