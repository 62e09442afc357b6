--- A seeded sample of many cases: scripts/test tries some, other ones every day; TH_SEED asks for those of a day.
-- @module spec.support.rotate
local M = {}

--- The seed: TH_SEED, or the day.
M.seed = math.tointeger(tonumber(os.getenv("TH_SEED"))) or os.time() // 86400

--- n of a list, spread over it and in its order; all of it where TH_ALL is set.
function M.some(list, n)
  if os.getenv("TH_ALL") or n >= #list then return list end
  local step, out = #list / n, {}
  local from = M.seed * 0.6180339887498949 % 1
  for i = 0, n - 1 do
    local shift = (from + i * 0.7548776662466927) % 1 -- within its part of the list
    out[#out + 1] = list[math.floor((i + shift) * step) + 1]
  end
  return out
end

return M
