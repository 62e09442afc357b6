--- Axes with round numbers, and what is drawn between them, as SVG.
-- @module theano.plot.axes
local progress = require("theano.progress")
local util = require("theano.util")

local M = {}

local f = util.format

-- ---- round numbers -------------------------------------------------------------------------------------------------
-- The round number at or above x: 1, 2 or 5 times a power of ten. Heckbert (1990).
local function round_up(x)
  local power = 10.0 ^ math.floor(math.log(x, 10))
  for _, m in ipairs({ 1, 2, 5 }) do
    if m * power >= x * (1 - 1e-9) then return m * power end
  end
  return 10 * power
end

--- Round numbers from below low to above high, about n of them, each a multiple of the step between them.
-- @tparam number low
-- @tparam number high
-- @tparam[opt=6] integer n
-- @treturn table
function M.ticks(low, high, n)
  if high <= low then
    local half = low ~= 0 and math.abs(low) / 2 or 1
    low, high = low - half, high + half
  end
  local step = round_up((high - low) / ((n or 6) - 1))
  local list, first = {}, math.floor(low / step + 1e-9)
  for k = first, first + 1000 do
    list[#list + 1] = k * step
    if k * step >= high - step * 1e-9 then break end
  end
  return list, step
end

-- Powers of ten around positive numbers.
local function log_ticks(low, high)
  local list = {}
  local from, to = math.floor(math.log(low, 10) + 1e-9), math.ceil(math.log(high, 10) - 1e-9)
  if from == to then to = to + 1 end
  local every = math.max(1, (to - from) // 8)
  for e = from, to + every - 1, every do list[#list + 1] = 10.0 ^ e end
  return list
end

local function tick_text(v, step)
  if v == 0 then return "0" end
  local size = math.abs(v)
  if size >= (step and 1e6 or 1e5) or size < 1e-4 then
    return (f("%.3g", v):gsub("e([+-])0*(%d)", "e%1%2"):gsub("e%+", "e"))
  end
  local digits = math.max(0, -math.floor(math.log(step or size, 10) + 1e-9))
  return f("%." .. math.min(digits, 8) .. "f", v)
end

-- ---- colours -------------------------------------------------------------------------------------------------------
local VIRIDIS = { { 68, 1, 84 }, { 71, 44, 122 }, { 59, 81, 139 }, { 44, 113, 142 }, { 33, 144, 141 }, { 39, 173, 129 },
  { 92, 200, 99 }, { 170, 220, 50 }, { 253, 231, 37 } }

local function color_of(share)
  local at = math.max(0, math.min(share, 1)) * (#VIRIDIS - 1)
  local i = math.min(math.floor(at), #VIRIDIS - 2)
  local a, b, t = VIRIDIS[i + 1], VIRIDIS[i + 2], at - i
  local c = {}
  for k = 1, 3 do c[k] = math.floor(a[k] + (b[k] - a[k]) * t + 0.5) end
  return c
end

--- 256 colours from dark to light that keep their order in grey, uint8 (256, 3).
function M.palette(nd)
  local list = {}
  for i = 0, 255 do list[i + 1] = color_of(i / 255) end
  return nd.array(list, "uint8")
end

-- ---- drawing -------------------------------------------------------------------------------------------------------
local function escape(s)
  return (s:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

-- Of numbers that can be shown: the least and the largest.
local function range(marks, axis, log, more)
  local low, high = math.huge, -math.huge
  for _, mark in ipairs(marks) do
    for _, list in ipairs({ mark[axis], more and mark[more] or {} }) do
      for _, v in ipairs(list) do
        if v == v and v < math.huge and v > -math.huge and (not log or v > 0) then
          low, high = math.min(low, v), math.max(high, v)
        end
      end
    end
  end
  if low > high then low, high = log and 1 or 0, log and 10 or 1 end
  return low, high
end

-- An axis: from a value to pixels between a and b, and its ticks. exact: the ends are the range's.
local function scale(low, high, log, a, b, exact)
  local ticks, step
  if log then ticks = log_ticks(low, high) else ticks, step = M.ticks(low, high) end
  if not exact then low, high = ticks[1], ticks[#ticks] end
  local function place(v)
    if log then
      if v ~= v or v <= 0 then return nil end
      return a + (b - a) * (math.log(v) - math.log(low)) / (math.log(high) - math.log(low))
    end
    if v ~= v or v == math.huge or v == -math.huge then return nil end
    return a + (b - a) * (v - low) / (high - low)
  end
  local shown = {}
  for _, t in ipairs(ticks) do
    if t >= low - (high - low) * 1e-9 and t <= high + (high - low) * 1e-9 then
      shown[#shown + 1] = { at = place(t), text = tick_text(t, step) }
    end
  end
  return place, shown
end

local DRAW = {}

function DRAW.line(out, mark, px, py)
  local run = {}
  local function flush()
    if #run > 1 then
      local dashes = mark.dashed and ' stroke-dasharray="6 4"' or ""
      out[#out + 1] = f('<polyline fill="none" stroke="%s" stroke-width="%.1f"%s stroke-linejoin="round" ', mark.color,
        mark.width or 1.8, dashes) .. 'points="' .. table.concat(run, " ") .. '"/>\n'
    elseif #run == 1 then
      local x, y = run[1]:match("([^,]*),(.*)")
      out[#out + 1] = f('<circle cx="%s" cy="%s" r="2" fill="%s"/>\n', x, y, mark.color)
    end
    run = {}
  end
  for i, v in ipairs(mark.x) do
    local x, y = px(v), py(mark.y[i])
    if x and y then run[#run + 1] = f("%.1f,%.1f", x, y) else flush() end
  end
  flush()
end

function DRAW.points(out, mark, px, py)
  for i, v in ipairs(mark.x) do
    local x, y = px(v), py(mark.y[i])
    if x and y then
      out[#out + 1] = f('<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" fill-opacity="0.7"/>\n', x, y, mark.size or 3,
        mark.color)
    end
  end
end

function DRAW.bars(out, mark, px, py)
  local ground = py(0) or py(1)
  for i, v in ipairs(mark.x) do
    local left, right, top = px(v), px(mark.right[i]), py(mark.y[i])
    if left and right and top and ground then
      out[#out + 1] = f('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity="0.8" ',
        left, math.min(top, ground), math.max(right - left - 0.5, 0.5), math.abs(ground - top), mark.color)
        .. 'stroke="white" stroke-width="0.5"/>\n'
    end
  end
end

local LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local function base64(s)
  return (s:gsub("..?.?", function(three)
    local a, b, c = three:byte(1, 3)
    local bits = a << 16 | (b or 0) << 8 | (c or 0)
    local out = {}
    for k = 1, 4 do
      local i = (bits >> 24 - 6 * k & 63) + 1
      out[k] = k > #three + 1 and "=" or LETTERS:sub(i, i)
    end
    return table.concat(out)
  end))
end

function DRAW.picture(out, mark, px, py)
  local left, right, top, bottom = px(mark.x[1]), px(mark.x[2]), py(mark.y[1]), py(mark.y[2])
  out[#out + 1] = f('<image x="%.1f" y="%.1f" width="%.1f" height="%.1f" preserveAspectRatio="none" ', left, top,
    right - left, bottom - top) .. 'style="image-rendering:pixelated" href="data:image/png;base64,'
    .. base64(mark.png) .. '"/>\n'
end

-- The colours' scale beside a picture.
local function colorbar(out, mark, right, top, bottom)
  for i = 0, 31 do
    local c = color_of((i + 0.5) / 32)
    out[#out + 1] = f('<rect x="%d" y="%.1f" width="12" height="%.1f" fill="#%02x%02x%02x"/>\n', right + 12,
      bottom - (bottom - top) * (i + 1) / 32, (bottom - top) / 32 + 0.5, c[1], c[2], c[3])
  end
  out[#out + 1] = f('<text x="%d" y="%.1f">%s</text>\n', right + 28, bottom, progress.number(mark.low))
  out[#out + 1] = f('<text x="%d" y="%.1f">%s</text>\n', right + 28, top + 10, progress.number(mark.high))
end

local function rule(out, x1, x2, y1, y2)
  out[#out + 1] = f('<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="#e4e4e4"/>\n', x1, x2, y1, y2)
end

local function frame(out, o, box, xs, ys)
  for _, t in ipairs(xs) do
    if o.grid ~= false then rule(out, t.at, t.at, box.top, box.bottom) end
    out[#out + 1] = f('<text x="%.1f" y="%d" text-anchor="middle">%s</text>\n', t.at, box.bottom + 16, t.text)
  end
  for _, t in ipairs(ys) do
    if o.grid ~= false then rule(out, box.left, box.right, t.at, t.at) end
    out[#out + 1] = f('<text x="%d" y="%.1f" text-anchor="end">%s</text>\n', box.left - 6, t.at + 4, t.text)
  end
end

local function titles(out, o, w, h, box)
  local middle = (box.left + box.right) / 2
  if o.title then
    out[#out + 1] = f('<text x="%.1f" y="20" text-anchor="middle" font-size="14">%s</text>\n', middle, escape(o.title))
  end
  if o.xlabel then
    out[#out + 1] = f('<text x="%.1f" y="%d" text-anchor="middle">%s</text>\n', middle, h - 8, escape(o.xlabel))
  end
  if o.ylabel then
    out[#out + 1] = f('<text transform="translate(14 %.1f) rotate(-90)" text-anchor="middle">%s</text>\n',
      (box.top + box.bottom) / 2, escape(o.ylabel))
  end
  return w
end

-- The corner whose rectangle of that size covers the fewest points: top right where it is as good as another one.
local function corner(marks, box, px, py, width, height)
  local best, fewest
  for _, at in ipairs({ { box.right - 6 - width, box.top + 6 }, { box.right - 6 - width, box.bottom - 6 - height },
    { box.left + 6, box.top + 6 }, { box.left + 6, box.bottom - 6 - height } }) do
    local covered = 0
    for _, mark in ipairs(marks) do
      for i = 1, mark.kind == "picture" and 0 or #mark.x do
        local x, y = px(mark.x[i]), py(mark.y[i])
        if x and y and x >= at[1] and x <= at[1] + width and y >= at[2] and y <= at[2] + height then
          covered = covered + 1
        end
      end
    end
    if not fewest or covered < fewest then best, fewest = at, covered end
  end
  return best[1], best[2]
end

local function legend(out, marks, box, px, py)
  local named, widest = {}, 0
  for _, mark in ipairs(marks) do
    if mark.label then
      named[#named + 1], widest = mark, math.max(widest, utf8.len(mark.label) or #mark.label)
    end
  end
  if #named == 0 then return end
  local width, height = 36 + 7 * widest, 18 * #named + 6
  local left, top = corner(marks, box, px, py, width, height)
  out[#out + 1] = f('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="white" fill-opacity="0.85" stroke="#ccc"/>\n',
    left, top, width, height)
  for i, mark in ipairs(named) do
    local y = top - 4 + 18 * i
    out[#out + 1] = f('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="%s" stroke-width="3"/>', left + 6, left + 22,
      y, y, mark.color)
    out[#out + 1] = f('<text x="%.1f" y="%d">%s</text>\n', left + 27, y + 4, escape(mark.label))
  end
end

--- SVG text of marks between axes.
function M.draw(o, marks, downwards)
  local w, h = o.width or 640, o.height or 400
  local picture
  for _, mark in ipairs(marks) do picture = mark.kind == "picture" and mark or picture end
  local box = { left = o.ylabel and 70 or 56, right = w - (picture and 76 or 24), top = o.title and 34 or 16,
    bottom = h - (o.xlabel and 46 or 30) }
  local xlim, ylim = o.xlim or { range(marks, "x", o.xlog, "right") }, o.ylim or { range(marks, "y", o.ylog) }
  local bars = false
  for _, mark in ipairs(marks) do bars = bars or mark.kind == "bars" end
  if bars and not o.ylim and not o.ylog then ylim[1] = math.min(ylim[1], 0) end
  local px, xs = scale(xlim[1], xlim[2], o.xlog, box.left, box.right, o.xlim or picture)
  local py, ys = scale(ylim[1], ylim[2], o.ylog, downwards and box.top or box.bottom,
    downwards and box.bottom or box.top, o.ylim or picture)
  local out = { f('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" ', w, h, w, h),
    'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n',
    f('<clipPath id="box"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath>\n', box.left, box.top,
      box.right - box.left, box.bottom - box.top) }
  frame(out, o, box, xs, ys)
  out[#out + 1] = '<g clip-path="url(#box)">\n'
  for _, mark in ipairs(marks) do DRAW[mark.kind](out, mark, px, py) end
  out[#out + 1] = f('</g>\n<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#888"/>\n', box.left, box.top,
    box.right - box.left, box.bottom - box.top)
  if picture then colorbar(out, picture, box.right, box.top, box.bottom) end
  titles(out, o, w, h, box)
  legend(out, marks, box, px, py)
  out[#out + 1] = "</svg>\n"
  return table.concat(out)
end

return M
