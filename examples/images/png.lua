--- Pictures as PNG files, grey, without a library: `local png = dofile("examples/images/png.lua")`.
local M = {}

local crc_of = {}
for n = 0, 255 do
  local c = n
  for _ = 1, 8 do c = (c & 1) == 1 and (0xEDB88320 ~ (c >> 1)) or (c >> 1) end
  crc_of[n] = c
end

local function crc32(s)
  local c = 0xFFFFFFFF
  for i = 1, #s do c = crc_of[(c ~ s:byte(i)) & 255] ~ (c >> 8) end
  return c ~ 0xFFFFFFFF
end

local function adler32(s)
  local a, b = 1, 0
  for i = 1, #s do
    a = (a + s:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b << 16 | a
end

local function chunk(kind, data)
  return string.pack(">I4", #data) .. kind .. data .. string.pack(">I4", crc32(kind .. data))
end

-- Deflate with stored blocks only: larger files, no compressor needed.
local function stored(s)
  local out = { "\x78\x01" }
  for from = 1, #s, 65535 do
    local part = s:sub(from, from + 65534)
    out[#out + 1] = string.pack("<BI2I2", from + 65535 > #s and 1 or 0, #part, #part ~ 0xFFFF) .. part
  end
  return table.concat(out) .. string.pack(">I4", adler32(s))
end

--- Writes a matrix (rows, columns) of numbers; `low` is black, `high` white (the matrix's own least and largest by
-- default).
-- @tparam string path file to write
-- @tparam ndarray image the matrix
function M.write(path, image, low, high)
  local nd = require("theano.ndarray")
  low, high = low or nd.min(image), high or nd.max(image)
  local scale = high > low and 255 / (high - low) or 0
  local lines = {}
  for r, row in ipairs(image:tolist()) do
    local bytes = {}
    for c, v in ipairs(row) do
      bytes[c] = string.char(math.max(0, math.min(255, math.floor((v - low) * scale + 0.5))))
    end
    lines[r] = "\0" .. table.concat(bytes)
  end
  local head = string.pack(">I4I4BBBBB", image.shape[2], image.shape[1], 8, 0, 0, 0, 0)
  local f = assert(io.open(path, "wb"))
  f:write("\x89PNG\r\n\x1a\n", chunk("IHDR", head), chunk("IDAT", stored(table.concat(lines))), chunk("IEND", ""))
  f:close()
end

--- One matrix of many of equal size: `across` of them in a row, a line between them, each enlarged `zoom` times and
-- stretched to [0, 1] of its own.
function M.tiles(images, across, zoom)
  local nd = require("theano.ndarray")
  local n, h, w = images.shape[1], images.shape[2] * zoom, images.shape[3] * zoom
  local down = (n + across - 1) // across
  local out = nd.ones({ down * (h + 1) + 1, across * (w + 1) + 1 }, "float64")
  for k = 0, n - 1 do
    local one = images[k]:astype("float64")
    local low, high = nd.min(one), nd.max(one)
    one = (one - low) / math.max(high - low, 1e-12)
    local top, left = k // across * (h + 1) + 1, k % across * (w + 1) + 1
    for r = 0, h - 1 do
      for c = 0, w - 1 do out[{ top + r, left + c }] = one[{ r // zoom, c // zoom }] end
    end
  end
  return out
end

return M
