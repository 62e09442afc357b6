--- `theano.plot`: curves, points, bars and pictures as SVG or PNG files.
--     local fig = plot.figure { title = "training", xlabel = "epoch", ylabel = "loss" }
--     fig:line(epochs, losses, { label = "training" })
--     fig:save("loss.svg")
--     plot.images("filters.png", filters, { columns = 8 })
-- Values are sequences or arrays of one dimension. What is not finite is left out (a line has a gap there).
-- @module theano.plot
local theano = require("theano")
local core = require("theano.core")
local nd = theano.ndarray
local axes = require("theano.plot.axes")
local data = require("theano.data.files")
local util = require("theano.util")

local M = { ticks = axes.ticks }

local COLORS = { "#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#e377c2" }

-- ---- values --------------------------------------------------------------------------------------------------------
local function numbers(what, name, v)
  if util.is_array(v) then
    if v.ndim ~= 1 then util.raise("ShapeError", "%s: %s has %d dimensions, one is expected", what, name, v.ndim) end
    v = v:tolist()
  end
  util.expect(what, name, v, "table")
  for i, x in ipairs(v) do
    if type(x) ~= "number" then
      util.raise("TypeError", "%s: %s[%d] is %s, a number is expected", what, name, i, util.kind_of(x))
    end
  end
  return v
end

local function finite(x) return x == x and x ~= math.huge and x ~= -math.huge end

local function matrix(what, v, dims)
  local a = util.is_array(v) and v or nd.array(v)
  if not dims[a.ndim] then
    util.raise("ShapeError", "%s: the array has %d dimensions", what, a.ndim)
  end
  if a.dtype:find("^complex") then util.raise("TypeError", "%s: complex numbers have no order", what) end
  return a
end

-- An array as bytes: its least is 0 and its largest 255, or low and high are; NaN is 0.
local function bytes_of(a, low, high)
  if a.dtype == "uint8" and not low and not high then return a end
  a = a:astype("float64")
  local ok = nd.isfinite(a)
  local known = a[ok]
  low = low or known.size > 0 and nd.min(known) or 0
  high = high or known.size > 0 and nd.max(known) or 1
  local scaled = nd.clip(nd.where(ok, (a - low) / (high > low and high - low or 1), 0), 0, 1)
  return nd.floor(scaled * 255 + 0.5):astype("uint8"), low, high
end

-- ---- figures -------------------------------------------------------------------------------------------------------
local Figure = util.methods_of("figure")
local meta = { __name = "figure", __index = Figure }

--- An empty figure.
-- @tparam[opt] table o title, xlabel, ylabel, width (640), height (400), xlog, ylog (logarithmic axes), xlim, ylim
-- ({low, high}), grid (true)
function M.figure(o)
  o = o or {}
  util.check_keywords("figure", o, { title = "string", xlabel = "string", ylabel = "string", width = "integer",
    height = "integer", xlog = "boolean", ylog = "boolean", xlim = "table", ylim = "table", grid = "boolean" })
  for _, name in ipairs({ "width", "height" }) do
    if o[name] and (o[name] < 100 or o[name] > 20000) then
      util.raise("ValueError", "figure: %s is %d pixels: 100 to 20000", name, o[name])
    end
  end
  return setmetatable({ marks = {}, colors = 0, options = o, downwards = false }, meta)
end

local function add(self, what, kind, x, y, o)
  o = o or {}
  util.check_keywords(what, o, { label = "string", color = "string", size = "number", width = "number",
    dashed = "boolean" })
  x, y = numbers(what, "x", x), numbers(what, "y", y)
  if #x ~= #y then util.raise("ValueError", "%s: %d values of x, %d of y", what, #x, #y) end
  if not o.color then self.colors = self.colors + 1 end
  self.marks[#self.marks + 1] = { kind = kind, x = x, y = y, label = o.label, size = o.size, width = o.width,
    dashed = o.dashed, color = o.color or COLORS[(self.colors - 1) % #COLORS + 1] }
  return self
end

-- line(y) counts from 1.
local function counted(x, y, o)
  if y == nil or util.is_keywords(y) then
    local n = {}
    for i = 1, #x do n[i] = i end
    return n, x, y or o
  end
  return x, y, o
end

--- A line through points; x may be left out: 1, 2, ... o: label, color ("#d62728"), width (1.8), dashed.
function Figure:line(x, y, o)
  if util.is_array(x) then x = numbers("line", "x", x) end
  x, y, o = counted(x, y, o)
  return add(self, "line", "line", x, y, o)
end

--- Points. o: label, color, size (3).
function Figure:scatter(x, y, o) return add(self, "scatter", "points", x, y, o) end

--- How often values lie in equal ranges. o: bins (20), label, color.
function Figure:histogram(values, o)
  o = o or {}
  util.check_keywords("histogram", o, { bins = "integer", label = "string", color = "string" })
  local known = {}
  for _, v in ipairs(numbers("histogram", "values", values)) do
    if finite(v) then known[#known + 1] = v end
  end
  local counts, edges = nd.histogram(nd.array(#known > 0 and known or { 0.0 }, "float64"), o.bins or 20)
  add(self, "histogram", "bars", edges["0:-1"], (#known > 0 and counts or counts * 0):astype("float64"),
    { label = o.label, color = o.color })
  self.marks[#self.marks].right = edges["1:"]:tolist()
  return self
end

--- A matrix as colours, its first row on top, with a scale. o: low, high (of the scale).
function Figure:heatmap(m, o)
  o = o or {}
  util.check_keywords("heatmap", o, { low = "number", high = "number" })
  local a = matrix("heatmap", m, { [2] = true })
  if a.size == 0 then util.raise("ShapeError", "heatmap: the matrix has no elements") end
  local level, low, high = bytes_of(a:astype("float64"), o.low, o.high)
  local rows, cols = a.shape[1], a.shape[2]
  local png = core.png_encode(nd.take(axes.palette(nd), level:astype("int64"), 0):tostring(), rows, cols, 3)
  self.marks[#self.marks + 1] = { kind = "picture", x = { -0.5, cols - 0.5 }, y = { -0.5, rows - 0.5 }, png = png,
    low = low, high = high, color = "#000000" }
  self.downwards = true
  return self
end

--- The figure as SVG text: one file, without anything outside it.
function Figure:svg() return axes.draw(self.options, self.marks, self.downwards) end

-- PNG by librsvg's program, without a shell.
local function converted(svg, path)
  local ok, uv = pcall(require, "luv")
  if not ok then util.raise("NotImplementedError", "plot: PNG figures need lua-luv (or save as .svg)") end
  util.write_made(path, svg, function(from, to)
    local code, why
    local handle = uv.spawn("rsvg-convert", { args = { "-o", to, from }, stdio = { nil, nil, nil } },
      function(status) code = status end)
    if not handle then why = "rsvg-convert is not installed (librsvg2-bin)" end
    while handle and code == nil do uv.run("once") end
    if handle then handle:close() end
    uv.run("nowait") -- what is closed, or did not start, is only gone after a turn; ending without one crashes in luv
    if why or code ~= 0 then
      util.raise(why and "NotImplementedError" or "IOError", "plot: %s cannot be made: %s (.svg needs nothing)", path,
        why or "rsvg-convert failed")
    end
  end)
end

--- Writes the figure by the end of the name: .svg, or .png by librsvg.
function Figure:save(path)
  util.expect("save", "path", path, "string")
  if path:find("%.svg$") then return data.write(path, self:svg()) end
  if path:find("%.png$") then return converted(self:svg(), path) end
  return util.raise("ValueError", "save: %s is neither .svg nor .png", path)
end

-- ---- pictures ------------------------------------------------------------------------------------------------------
--- A matrix as a grey picture: .png, or .pgm.
-- @tparam string path
-- @tparam ndarray picture (height, width), or (height, width, 3)
-- @tparam[opt] table o low, high (black and white; of itself the least and the largest)
function M.image(path, picture, o)
  o = o or {}
  util.check_keywords("image", o, { low = "number", high = "number" })
  local a = matrix("image", picture, { [2] = true, [3] = true })
  if a.size == 0 then util.raise("ShapeError", "image: the picture has no pixels") end
  data.save(path, (bytes_of(a, o.low, o.high)))
end

--- Pictures beside one another as one PNG, or .pgm/.ppm: filters, digits, samples.
-- @tparam string path
-- @tparam ndarray arrays (n, height, width) or (n, height, width, 3); uint8 as it is, other dtypes with the least of
-- each picture black and its largest white
-- @tparam[opt] table o columns (as many as rows), scale (1: pixels of a pixel), gap (1), low, high (black and white)
function M.images(path, arrays, o)
  o = o or {}
  util.check_keywords("images", o, { columns = "integer", scale = "integer", gap = "integer", low = "number",
    high = "number" })
  local a = matrix("images", arrays, { [3] = true, [4] = true })
  local n, height, width = a.shape[1], a.shape[2], a.shape[3]
  if a.size == 0 then util.raise("ShapeError", "images: there is no picture") end
  if a.ndim == 4 and a.shape[4] ~= 3 then util.raise("ShapeError", "images: %d colours", a.shape[4]) end
  local columns, scale, gap = o.columns or math.ceil(math.sqrt(n)), o.scale or 1, o.gap or 1
  if columns < 1 or scale < 1 or scale > 64 or gap < 0 then
    util.raise("ValueError", "images: columns %d, scale %d, gap %d", columns, scale, gap)
  end
  local rows = -(-n // columns)
  local size = { rows * (height + gap) + gap, columns * (width + gap) + gap, a.ndim == 4 and 3 or nil }
  local sheet = nd.full(size, 128, "uint8")
  for i = 0, n - 1 do
    local top, left = i // columns * (height + gap) + gap, i % columns * (width + gap) + gap
    sheet[{ theano.tensor.slice(top, top + height), theano.tensor.slice(left, left + width) }] =
      bytes_of(a[i], o.low, o.high)
  end
  if scale > 1 then sheet = nd.repeat_(nd.repeat_(sheet, scale, 0), scale, 1) end
  data.save(path, sheet)
end

return M
