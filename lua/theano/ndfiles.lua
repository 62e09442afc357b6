--- Arrays in files: which format a path means, and the options of each. Reached as fields of `theano.ndarray`.
-- @module theano.ndarray.files
local core = require("theano.core")
local util = require("theano.util")

local M = {}

-- ---- what a path says ---------------------------------------------------------------------------------------------
local FOREIGN = {
  pkl = "Python's pickle", pickle = "Python's pickle", p = "Python's pickle", save = "Python's pickle",
  joblib = "Python's joblib", pt = "PyTorch", pth = "PyTorch", h5 = "HDF5", hdf5 = "HDF5", mat = "MATLAB",
  json = "JSON", zip = "zip archives",
}

local function kind_of(what, path)
  util.expect(what, "the path", path, "string")
  local plain = path:gsub("%.gz$", "")
  local other = plain:match("%.([%w]+)$")
  if other and other:lower() == "onnx" then
    util.raise("ValueError", "%s: an ONNX file holds an expression: theano.onnx.load and save have it", what)
  end
  if other and FOREIGN[other:lower()] then
    util.raise("ValueError", "%s: %s is a format of %s, which is neither written nor read here: take .npz (arrays by "
      .. "name), .npy, .safetensors, .csv or .txt", what, "." .. other, FOREIGN[other:lower()])
  end
  if plain:find("%.npz$") then return "npz" end
  if plain:find("%.safetensors$") then return "safetensors" end
  if plain:find("%.csv$") or plain:find("%.tsv$") or plain:find("%.txt$") then return "text" end
  local name = plain:match("[^/]*$")
  if name:find("idx%d") or name:find("%.idx$") or name:find("ubyte") then return "idx" end
  return "npy"
end

-- Commas in .csv, tabs in .tsv, blanks in .txt.
local function delimiter_of(path)
  local plain = path:gsub("%.gz$", "")
  return plain:find("%.csv$") and "," or plain:find("%.tsv$") and "\t" or nil
end

local function mode_of(options)
  local mode = options and options.mmap
  return mode == true and "r" or mode or nil
end

-- ---- text ---------------------------------------------------------------------------------------------------------
local TEXT = {
  delimiter = "string", comments = "string|boolean", skiprows = "integer", max_rows = "integer",
  usecols = "integer|table", dtype = "string", names = "boolean", ndmin = "integer", unpack = "boolean",
}

-- The names between the delimiters of a line.
local function split(line, delimiter)
  local names = {}
  if not delimiter then
    for name in line:gmatch("%S+") do names[#names + 1] = name end
    return names
  end
  for name in (line .. delimiter):gmatch("(.-)%" .. delimiter) do names[#names + 1] = name:match("^%s*(.-)%s*$") end
  return names
end

--- Numbers of a text file, as NumPy's loadtxt: `{delimiter, comments, skiprows, max_rows, usecols, dtype, ndmin,
-- unpack}`. With `names = true` the first line holds the names of the columns, which come back second. One row or
-- column is a vector, one number 0-d, unless `ndmin` asks for more; `unpack` gives columns in the place of rows.
function M.loadtxt(path, options)
  options = options or {}
  util.check_keywords("loadtxt", options, TEXT)
  local a, line = core.load_text(path, options)
  local function give(result)
    if options.unpack then result = result.T end
    if line then return result, split(line, options.delimiter) end
    return result
  end
  local ndmin = options.ndmin or 0
  if ndmin > 2 or ndmin < 0 then util.raise("ValueError", "loadtxt: ndmin is 0, 1 or 2, not %s", tostring(ndmin)) end
  if a.size == 0 and ndmin < 2 then return give(a:reshape({ 0 })) end
  if ndmin == 2 then return give(a) end
  local shape = {}
  for _, n in ipairs(a.shape) do if n ~= 1 then shape[#shape + 1] = n end end
  if #shape < ndmin then shape = { 1 } end
  return give(a:reshape(shape))
end

--- Writes an array of one or two dimensions as text, as NumPy's savetxt: `{fmt, delimiter, header, footer, comments}`.
-- `fmt` is one conversion such as "%.18e" (the default) or "%d"; `fmt = false` writes the shortest digits that read
-- back.
function M.savetxt(path, a, options)
  options = options or {}
  util.check_keywords("savetxt", options, { fmt = "string|boolean", delimiter = "string", header = "string",
    footer = "string", comments = "string" })
  local fmt = options.fmt
  if fmt == nil then fmt = "%.18e" end
  core.save_text(path, core.asarray(a), fmt or nil, options.delimiter or " ", options.header, options.footer,
    options.comments or "# ")
end

-- ---- load and save ------------------------------------------------------------------------------------------------
--- Reads a file by its name: .npy (an array), .npz (a table by name, and the names in order), .safetensors (these and
-- the texts of its header), .csv .tsv .txt (numbers), IDX (`ubyte`, `idx3`, .idx); .gz where zlib reads it.
-- `mmap = true` (or "r", "r+", "c") gives .npy and .safetensors as the file's own pages. Text takes loadtxt's options.
function M.load(path, options)
  local kind = kind_of("load", path)
  if kind == "text" then
    local copy = { delimiter = delimiter_of(path) }
    for k, v in pairs(options or {}) do copy[k] = v end
    return M.loadtxt(path, copy)
  end
  if options then util.check_keywords("load", options, { mmap = "boolean|string" }) end
  local mode = mode_of(options)
  if kind == "npy" then return core.load_npy(path, mode) end
  if kind == "safetensors" then return core.load_safetensors(path, mode) end
  if mode then util.raise("ValueError", "%s: mmap works for .npy and .safetensors files", path) end
  if kind == "npz" then return core.load_npz(path) end
  return core.load_idx(path)
end

-- One of the arrays to be written; `name` says which.
local function written(name, value)
  if util.is_array(value) then return value end
  if util.is_var(value) then
    util.raise("TypeError", "save: %s is the %s %s, and a file holds values: save %s", name,
      core.kind(value) == "shared" and "shared variable" or "symbolic Variable", tostring(value),
      core.kind(value) == "shared" and "what v:get_value() gives" or "what a function or v:eval() computes")
  end
  local first = type(value) == "table" and next(value)
  if type(first) == "string" then
    util.raise("TypeError", "save: %s is a table with names of its own, and a file has one level of them: write "
      .. "[\"%s.%s\"] = array", name, name:gsub("^'(.*)'$", "%1"), first)
  end
  local number = type(value) == "number" or type(value) == "boolean" or core.kind(value) == "complex"
  if type(value) ~= "table" and not number then
    util.raise("TypeError", "save: %s is %s, an array or a nested table of numbers is expected", name,
      util.kind_of(value))
  end
  return core.asarray(value)
end

-- Whether a table is a nested list of numbers, and not of arrays or {name, array}.
local function is_numbers(v)
  local first = type(v) == "table" and v[1]
  while type(first) == "table" do first = first[1] end
  return type(first) == "number" or type(first) == "boolean" and first or core.kind(first) == "complex"
end

-- Names and arrays of {name = array} (sorted) or {{name, array}, ...} (as they stand).
local function named(value)
  local names, arrays = {}, {}
  if type(value) ~= "table" then
    util.raise("TypeError", "save: arrays by name expected, got %s", util.kind_of(value))
  end
  if math.type(next(value)) == "integer" then
    for i, p in ipairs(util.list("save: the list", value)) do
      if type(p) ~= "table" or type(p[1]) ~= "string" then
        util.raise("TypeError", "save: entry %d is %s: arrays in a file have names, {w = a, b = c} or {{\"w\", a}, "
          .. "{\"b\", c}}; numbers alone go to .npy", i, util.kind_of(p))
      end
      names[i], arrays[i] = p[1], written(("'%s'"):format(p[1]), p[2])
    end
    return names, arrays
  end
  for name in pairs(value) do
    if type(name) ~= "string" then
      util.raise("TypeError", "save: names of arrays are texts, got %s", util.kind_of(name))
    end
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do arrays[i] = written(("'%s'"):format(name), value[name]) end
  return names, arrays
end

--- Writes what `load` reads. A table of named arrays goes to .npz (or .safetensors, whose header takes the texts of
-- `metadata`), an array to .npy, IDX or text (the shortest digits that read back; savetxt has formats).
function M.save(path, value, options)
  local kind = kind_of("save", path)
  if options then util.check_keywords("save", options, { metadata = "table" }) end
  if options and options.metadata and kind ~= "safetensors" then
    util.raise("ValueError", "save: metadata stand in .safetensors files only")
  end
  if kind == "safetensors" then
    local texts, keys = {}, {}
    for k in pairs(options and options.metadata or {}) do keys[#keys + 1] = k end
    table.sort(keys)
    for i, k in ipairs(keys) do texts[2 * i - 1], texts[2 * i] = k, options.metadata[k] end
    local names, arrays = named(value)
    return core.save_safetensors(path, names, arrays, texts)
  end
  if is_numbers(value) and kind ~= "npz" and kind ~= "safetensors" then value = written("the value", value) end
  if type(value) == "table" and path:find("%.npy$") then
    util.raise("ValueError", "save: a .npy file holds one array: several by name go to .npz or .safetensors")
  end
  if kind == "npz" or type(value) == "table" and kind ~= "text" then return core.save_npz(path, named(value)) end
  if kind == "text" then
    return M.savetxt(path, written("the value", value), { fmt = false, delimiter = delimiter_of(path) })
  end
  if util.is_var(value) then written("the value", value) end
  if not util.is_array(value) then
    util.raise("TypeError", "save: an ndarray or a table of them, got %s", util.kind_of(value))
  end
  return (kind == "idx" and core.save_idx or core.save_npy)(path, value)
end

local function savez(what, compressed, path, ...)
  util.expect(what, "the path", path, "string")
  local list = table.pack(...)
  local by_name = list.n == 1 and util.is_keywords(list[1])
  local value = by_name and list[1] or {}
  if not by_name then
    for i, a in ipairs(util.list(what .. ": the arrays", list)) do value[i] = { ("arr_%d"):format(i - 1), a } end
  end
  if next(value) == nil then util.raise("TypeError", "%s: there is no array to be written", what) end
  local names, arrays = named(value)
  return core.save_npz(path:find("%.npz$") and path or path .. ".npz", names, arrays, compressed)
end
--- `savez(path, {name = array})`: the arrays by name as .npz, which is put behind a path that does not end so; or
-- `savez(path, a, b, ..)` under the names arr_0, arr_1 ...
function M.savez(path, ...) return savez("savez", false, path, ...) end
--- The same, with each array deflated.
function M.savez_compressed(path, ...) return savez("savez_compressed", true, path, ...) end

M.load_npy, M.save_npy, M.load_npz = core.load_npy, core.save_npy, core.load_npz
M.load_idx, M.save_idx = core.load_idx, core.save_idx

-- ---- a block at a time --------------------------------------------------------------------------------------------
--- Iterates over blocks of `rows` rows (1,024) of a .npy, IDX or text file that need not fit into memory:
-- `for block in nd.stream("big.npy", 4096) do ... end`. Text takes loadtxt's options.
function M.stream(path, rows, options)
  local kind = kind_of("stream", path)
  rows = rows or 1024
  if math.type(rows) ~= "integer" or rows < 1 then util.raise("ValueError", "stream: rows is a positive integer") end
  if kind == "npz" or kind == "safetensors" then util.raise("ValueError", "%s: streams are .npy, IDX or text", path) end
  local copy = { delimiter = delimiter_of(path) }
  for k, v in pairs(options or {}) do copy[k] = v end
  util.check_keywords("stream", copy, TEXT)
  local s = core.stream_open(path, kind, copy)
  return function() return s:read(rows) end, nil, nil, s
end

--- A .npy file that grows: `w:write(rows)` appends one row or several, `w:close()` (or `<close>`) ends the file, which
-- appears under its name only then. `row_shape` is the shape of one row ({} for a vector).
function M.writer(path, row_shape, dtype)
  return core.stream_create(path, row_shape or {}, dtype)
end

return M
