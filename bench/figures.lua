-- Figures of one row: quartiles of each server's rounds, ratios to ours, ties; how they are printed.
local M = {}

local function sorted(values)
  local v = table.move(values, 1, #values, 1, {})
  table.sort(v)
  return v
end

-- Least, lower quartile, median, upper quartile of sorted values.
function M.quartiles(values)
  local v = sorted(values)
  local function at(q)
    local x = 1 + (#v - 1) * q
    local i = math.floor(x)
    return v[i] + (x - i) * ((v[i + 1] or v[i]) - v[i])
  end
  return v[1], at(0.25), at(0.5), at(0.75)
end

-- Ratio a to b round by round: its quartiles; whether 1 lies between them, so that neither is faster.
function M.paired(a, b)
  local r = {}
  for i = 1, math.min(#a, #b) do r[i] = a[i] / b[i] end
  if #r == 0 then return nil end
  local _, low, middle, high = M.quartiles(r)
  return low, middle, high, low <= 1 and high >= 1
end

local LIMITS = { c = true, ["c-nt"] = true, floor = true }
function M.is_peer(name) return not LIMITS[name] and name:sub(1, 3) ~= "lua" end

local function amount(t, unit)
  if unit ~= "s" then return ("%.1f %s"):format(t, unit) end
  if t < 1e-6 then return ("%.1f ns"):format(t * 1e9) end
  if t < 1e-3 then return ("%.2f us"):format(t * 1e6) end
  if t < 1 then return ("%.2f ms"):format(t * 1e3) end
  return ("%.2f s"):format(t)
end
M.amount = amount

-- The fastest peer by least time, or nil.
function M.fastest(row)
  local best, name
  for peer, seconds in pairs(row.seconds) do
    local least = M.is_peer(peer) and #seconds > 0 and (M.quartiles(seconds))
    if least and (not best or least < best or (least == best and peer < name)) then best, name = least, peer end
  end
  return name, best
end

local function names(row)
  local list = {}
  for name, seconds in pairs(row.seconds) do if #seconds > 0 then list[#list + 1] = name end end
  table.sort(list, function(a, b) return (M.quartiles(row.seconds[a])) < (M.quartiles(row.seconds[b])) end)
  return list
end

local function remark(row, name, least)
  local text = {}
  local ours = row.seconds.lua
  if name ~= "lua" and ours and #ours > 0 then
    local _, middle, _, tie = M.paired(ours, row.seconds[name])
    text[#text + 1] = ("lua/this %.2f, by rounds %.2f%s"):format((M.quartiles(ours)) / least, middle,
      tie and " (a tie)" or "")
  end
  if (name == "floor" or name == "lua") and row.flops and row.flops > 0 then
    text[#text + 1] = ("%.1f GFLOP/s"):format(row.flops / least * 1e-9)
  elseif (name == "floor" or name == "c" or name == "c-nt" or name == "lua") and row.bytes then
    text[#text + 1] = ("%.1f GB/s"):format(row.bytes / least * 1e-9)
  end
  if row.differs[name] then text[#text + 1] = ("DIFFERS: %.9g, ours %.9g"):format(table.unpack(row.differs[name])) end
  return table.concat(text, "; ")
end

function M.print(row)
  print(("\n%s"):format(row.case))
  for _, name in ipairs(names(row)) do
    local least, low, middle, high = M.quartiles(row.seconds[name])
    print(("  %-16s %11s   %11s %11s %11s   %s"):format(name, amount(least, row.unit), amount(low, row.unit),
      amount(middle, row.unit), amount(high, row.unit), remark(row, name, least)))
  end
  local skipped = {}
  for name, why in pairs(row.skipped) do skipped[#skipped + 1] = ("  %-16s skipped: %s"):format(name, why) end
  table.sort(skipped)
  if #skipped > 0 then print(table.concat(skipped, "\n")) end
end

-- The least ratio within a round: noise alone seldom puts it above 1.
local function least_paired(a, b)
  local least = math.huge
  for i = 1, math.min(#a, #b) do least = math.min(least, a[i] / b[i]) end
  return least
end

-- How many rows there are, and how many of them are above 1.05 and 1.5 by either ratio.
local function counts(lines)
  local text = { ("%d rows"):format(#lines) }
  for _, limit in ipairs({ 1.05, 1.5 }) do
    local by_rounds, by_times = 0, 0
    for _, line in ipairs(lines) do
      by_rounds = by_rounds + (line.within > limit and 1 or 0)
      by_times = by_times + (line.ratio > limit and 1 or 0)
    end
    text[#text + 1] = ("above %g: %d in every round, %d by least times"):format(limit, by_rounds, by_times)
  end
  return table.concat(text, "; ")
end

--- One line a row, the worst first: ours to the fastest peer by least times, the least ratio within a round, times.
function M.worst(rows)
  local lines = {}
  for _, row in ipairs(rows) do
    local ours, peer, theirs = row.seconds.lua or {}, M.fastest(row)
    local why = {}
    for name, reason in pairs(row.skipped) do why[#why + 1] = name .. ": " .. reason end
    for name, d in pairs(row.differs) do why[#why + 1] = ("%s: DIFFERS: %.9g, ours %.9g"):format(name, d[1], d[2]) end
    table.sort(why)
    local least = #ours > 0 and (M.quartiles(ours))
    local within = peer and least_paired(ours, row.seconds[peer]) or math.huge
    local ratio = least and peer and least / theirs or math.huge
    lines[#lines + 1] = { ratio = ratio, within = within, text = ("%-40s %11s %11s  %s"):format(
      row.case, least and amount(least, row.unit) or "-", peer and amount(theirs, row.unit) or "-",
      table.concat(why, "; ")) }
  end
  table.sort(lines, function(a, b) return a.ratio > b.ratio or a.ratio == b.ratio and a.text < b.text end)
  for _, line in ipairs(lines) do print(("%8.2f %6.2f  %s"):format(line.ratio, line.within, line.text)) end
  print(counts(lines))
end

return M
