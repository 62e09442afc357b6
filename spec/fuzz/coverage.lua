--- What random graphs have covered: counters of operations, dtypes, themes and rewrites, and their text.
-- @module spec.fuzz.coverage
local core = require("theano.core")

local M = {}

--- The words of counters, the largest first, and how many there are.
function M.sorted(counts)
  local names = {}
  for k in pairs(counts) do names[#names + 1] = k end
  table.sort(names, function(x, y) return counts[x] > counts[y] or (counts[x] == counts[y] and x < y) end)
  local words = {}
  for i, k in ipairs(names) do words[i] = ("%s %d"):format(k, counts[k]) end
  return table.concat(words, ", "), #names
end

-- Approximations, which differ; a Join of one, a Shape_i of a computed variable, a scalar made a tensor and a scalar
-- again are made by no front: only other rules and rewrites of the user leave them; safe
-- gradients are opted into and change values.
local apart = { local_hard_sigmoid = true, local_ultra_fast_sigmoid = true, local_join_1 = true,
  local_track_shape_i = true, local_scalar_tensor_scalar = true, local_tensor_scalar_tensor = true,
  local_grad_safe = true }

--- How often each rewrite rule of this process changed a graph so far.
function M.fired()
  local total = {}
  for name, count in core.optdb_fired():gmatch("(%S+) (%d+)") do
    total[name] = (total[name] or 0) + math.tointeger(tonumber(count))
  end
  return total
end

--- How often each rule changed a graph, and which never did.
function M.rules(total)
  local fired, silent = {}, {}
  for name, count in pairs(total) do
    if count > 0 then fired[name] = count elseif not apart[name] then silent[#silent + 1] = name end
  end
  table.sort(silent)
  local counts, n = M.sorted(fired)
  return ("rules: %d of %d fired: %s\nrules that never fired: %s"):format(n, n + #silent, counts,
    #silent > 0 and table.concat(silent, ", ") or "none")
end

local NAMED = 30 -- a short run misses hundreds: so many by name

--- What of the kinds of operations was met.
function M.kinds(seen, names)
  local missing, have, kinds, met = {}, {}, 0, 0
  for _, n in ipairs(names) do
    if not have[n] then
      have[n], kinds = true, kinds + 1
      if seen[n] then met = met + 1 else missing[#missing + 1] = n end
    end
  end
  local words = table.concat(missing, ", ", 1, math.min(#missing, NAMED))
  if #missing > NAMED then words = ("%s and %d more"):format(words, #missing - NAMED) end
  return ("%d of %d kinds%s"):format(met, kinds, #missing > 0 and "; without " .. words or "")
end

--- Adds counters to others.
function M.add(to, from)
  for k, n in pairs(from) do to[k] = (to[k] or 0) + n end
end

return M
