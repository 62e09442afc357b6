--- `theano.data.load` and `theano.data.save`: what nd.load and nd.save read and write, and pictures (PGM, PPM, PNG) and
-- sounds (WAV). Files are data from strangers: their lengths are checked before anything is made of them.
-- @module theano.data.files
local theano = require("theano")
local core = require("theano.core")
local nd = theano.ndarray
local util = require("theano.util")

local M = {}

--- The bytes of a file.
function M.read(path)
  local f, why = io.open(path, "rb")
  if not f then util.raise("IOError", "load: %s", why) end
  local text = f:read("a")
  f:close()
  if not text then util.raise("IOError", "load: %s cannot be read", path) end
  return text
end

local function bad(path, why) util.raise("ValueError", "load: %s: %s", path, why) end

M.write = util.write_file

-- ---- PGM and PPM, binary: Netpbm's P5 and P6 -----------------------------------------------------------------------
local function load_pnm(path)
  local text = M.read(path)
  local at, words = 1, {}
  while #words < 4 do
    local word, to = text:match("^%s*([^%s#]+)()", at)
    if word then words[#words + 1], at = word, to
    else
      to = text:match("^%s*#[^\n]*\n()", at)
      if not to then bad(path, "its head is cut off") end
      at = to
    end
  end
  local channels = words[1] == "P5" and 1 or words[1] == "P6" and 3 or bad(path, "it is not binary PGM or PPM")
  local width, height, most = math.tointeger(words[2]), math.tointeger(words[3]), math.tointeger(words[4])
  if not (width and height and most) or width < 1 or height < 1 or width > 1 << 24 or height > 1 << 24 or most < 1
    or most > 65535 then bad(path, "its head has no lengths that can be") end
  local bytes = most > 255 and 2 or 1
  local n = width * height * channels * bytes
  if #text < at + n then bad(path, ("it has %d bytes of pixels of %d"):format(math.max(#text - at, 0), n)) end
  local a = nd.frombuffer(text:sub(at + 1, at + n), "uint8")
  if bytes == 2 then
    a = a:reshape({ -1, 2 }):astype("uint16")
    a = a[":, 0"] * nd.array(256, "uint16") + a[":, 1"]
  end
  return a:reshape(channels == 1 and { height, width } or { height, width, channels })
end

-- A picture as uint8 (height, width, channels), its height, width and channels.
local function pixels(what, a, allowed)
  if a.ndim ~= 2 and a.ndim ~= 3 then
    util.raise("ShapeError", "%s: a picture is (height, width) or (height, width, channels), not of %d dimensions",
      what, a.ndim)
  end
  if a.dtype ~= "uint8" then
    util.raise("TypeError", "%s: pixels are uint8, not %s: nd.clip(255 * a, 0, 255):astype(\"uint8\")", what, a.dtype)
  end
  local channels = a.ndim == 3 and a.shape[3] or 1
  if not allowed[channels] then util.raise("ShapeError", "%s: a picture has no %d channels", what, channels) end
  return a:reshape({ -1 }):tostring(), a.shape[1], a.shape[2], channels
end

local function save_pnm(path, a)
  local bytes, height, width, channels = pixels("save", a, { true, false, true })
  M.write(path, ("P%d\n%d %d\n255\n"):format(channels == 1 and 5 or 6, width, height) .. bytes)
end

-- ---- WAV: RIFF with PCM or floats ----------------------------------------------------------------------------------
local function samples(path, bytes, format, bits)
  if format == 1 and bits == 8 then return nd.frombuffer(bytes, "uint8"):astype("float32") / 128 - 1 end
  if format == 1 and bits == 16 then return nd.frombuffer(bytes, "int16"):astype("float32") / 32768 end
  if format == 1 and bits == 24 then
    local b = nd.frombuffer(bytes, "uint8"):reshape({ -1, 3 }):astype("int32")
    local v = b[":, 0"] + b[":, 1"] * 256 + b[":, 2"] * 65536
    v = nd.where(nd.ge(v, 1 << 23), v - (1 << 24), v)
    return v:astype("float32") / (1 << 23)
  end
  if format == 1 and bits == 32 then return nd.frombuffer(bytes, "int32"):astype("float64") / (1 << 31) end
  if format == 3 and bits == 32 then return nd.frombuffer(bytes, "float32") end
  if format == 3 and bits == 64 then return nd.frombuffer(bytes, "float64") end
  return bad(path, ("samples of format %d with %d bits are not known"):format(format, bits))
end

local function load_wav(path)
  local text = M.read(path)
  if #text < 12 or text:sub(1, 4) ~= "RIFF" or text:sub(9, 12) ~= "WAVE" then bad(path, "it is no WAV file") end
  local at, format, channels, rate, bits = 13, nil, nil, nil, nil
  while at + 7 <= #text do
    local id, n = ("<c4I4"):unpack(text, at)
    at = at + 8
    if id == "fmt " then
      if n < 16 or at + n - 1 > #text then bad(path, "its format is cut off") end
      format, channels, rate, bits = ("<I2I2I4xxxxxxI2"):unpack(text, at)
      if format == 0xFFFE and n >= 26 then format = ("<I2"):unpack(text, at + 24) end
    elseif id == "data" then
      if not format then bad(path, "samples stand before their format") end
      if channels < 1 or bits % 8 ~= 0 or bits == 0 then bad(path, "its format cannot be") end
      local frame = channels * bits // 8
      local n_frames = math.min(n, #text - at + 1) // frame
      local a = samples(path, text:sub(at, at + n_frames * frame - 1), format, bits)
      return channels == 1 and a or a:reshape({ n_frames, channels }), rate
    end
    at = at + n + n % 2
  end
  return bad(path, "it has no samples")
end

-- Floats in [-1, 1] as 16-bit PCM; int16 as it is.
local function save_wav(path, a, rate)
  if math.type(rate) ~= "integer" or rate < 1 then
    util.raise("TypeError", "save: a WAV file needs its rate, samples a second: data.save(path, a, {rate = 44100})")
  end
  if a.ndim ~= 1 and a.ndim ~= 2 then
    util.raise("ShapeError", "save: sounds are (samples) or (samples, channels), not of %d dimensions", a.ndim)
  end
  if a.dtype ~= "int16" then a = nd.clip(nd.round(a * 32767), -32768, 32767):astype("int16") end
  local channels, bytes = a.ndim == 2 and a.shape[2] or 1, a:reshape({ -1 }):tostring()
  M.write(path, ("<c4I4c4c4I4I2I2I4I4I2I2c4I4"):pack("RIFF", 36 + #bytes, "WAVE", "fmt ", 16, 1, channels, rate,
    rate * channels * 2, channels * 2, 16, "data", #bytes) .. bytes)
end

-- ---- PNG, by libpng -------------------------------------------------------------------------------------------------
local function load_png(path)
  local text = M.read(path)
  local fine, bytes, height, width, channels = pcall(core.png_decode, text)
  if not fine then bad(path, (tostring(bytes):gsub("^.-%u%w*Error: ", ""))) end
  local a = nd.frombuffer(bytes, "uint8")
  return a:reshape(channels == 1 and { height, width } or { height, width, channels })
end

local function save_png(path, a)
  M.write(path, core.png_encode(pixels("save", a, { true, true, true, true })))
end

-- ---- by the end of the name ----------------------------------------------------------------------------------------
local LOAD = { pgm = load_pnm, ppm = load_pnm, pnm = load_pnm, png = load_png, wav = load_wav }

--- An array, or what else the file has, by the end of its name: .pgm .ppm (uint8 or uint16, (height, width) or (height,
-- width, 3)); .png (uint8, 1 to 4 channels); .wav (floats in [-1, 1], (samples) or (samples, channels), and the rate);
-- all others as nd.load.
-- @tparam string path
-- @tparam ?table o options of nd.load
function M.load(path, o)
  util.expect("load", "path", path, "string")
  local of = LOAD[(path:match("%.(%w+)$") or ""):lower()]
  if of then return of(path) end
  return nd.load(path, o)
end

--- Writes an array (or for .npz a table) by the end of the name: .pgm .ppm .png (uint8 pictures), .wav (o.rate; floats
-- become 16 bits), all others as nd.save. The file is there whole or not at all.
-- @tparam string path
-- @param value
-- @tparam ?table o rate
function M.save(path, value, o)
  util.expect("save", "path", path, "string")
  util.check_keywords("save", o or {}, { rate = "integer" })
  local kind = (path:match("%.(%w+)$") or ""):lower()
  if kind == "pgm" or kind == "ppm" or kind == "pnm" then return save_pnm(path, nd.asarray(value)) end
  if kind == "png" then return save_png(path, nd.asarray(value)) end
  if kind == "wav" then return save_wav(path, nd.asarray(value), o and o.rate) end
  return nd.save(path, value)
end

return M
