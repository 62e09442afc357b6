--- Functions about dtypes, for Variables and arrays alike (see theano.alike).
-- @module theano.alikedtypes
local core = require("theano.core")
local util = require("theano.util")

return function(M, K)
  local as = K.as

  local KINDS = {
    bool = "bool", ["signed integer"] = "int8 int16 int32 int64", ["unsigned integer"] = "uint8 uint16 uint32 uint64",
    ["real floating"] = "float32 float64", ["complex floating"] = "complex64 complex128",
  }
  KINDS.integral = KINDS["signed integer"] .. " " .. KINDS["unsigned integer"]
  KINDS.numeric = KINDS.integral .. " " .. KINDS["real floating"] .. " " .. KINDS["complex floating"]
  local FLOATS = "float16 bfloat16 " .. KINDS["real floating"] -- the standard of arrays knows no halves
  -- NumPy's classes of dtypes.
  local CLASSES = {
    generic = "bool float16 bfloat16 " .. KINDS.numeric, number = "float16 bfloat16 " .. KINDS.numeric,
    integer = KINDS.integral,
    signedinteger = KINDS["signed integer"], unsignedinteger = KINDS["unsigned integer"],
    inexact = FLOATS .. " " .. KINDS["complex floating"], floating = FLOATS,
    complexfloating = KINDS["complex floating"], bool = "bool", bool_ = "bool",
  }

  local named = {} -- dtypes by their names
  for name in CLASSES.generic:gmatch("%S+") do named[name] = true end

  -- The dtype of an array, a Variable, or by its name.
  local function dtype_of(x)
    if type(x) == "string" then return named[x] and x or core.zeros({ 0 }, x).dtype end
    if util.is_var(x) or util.is_array(x) then return x.dtype end
    return as(x).dtype
  end
  local promoted = {} -- by the names of two
  local function promote(a, b)
    local both = a .. b
    local r = promoted[both]
    if not r then
      r = require("theano.ndarray").concatenate({ core.zeros({ 1 }, a), core.zeros({ 1 }, b) }).dtype
      promoted[both] = r
    end
    return r
  end
  -- Something that has a dtype, for functions to promote.
  local function sample(x) return as(core.zeros({ 1 }, dtype_of(x))) end
  local sums = {} -- of arrays, by the names of two: no flag decides them
  local function sum_of(a, b)
    local both = a .. b
    local r = sums[both] or M.add(sample(a), sample(b)).dtype
    if K.plain then sums[both] = r end
    return r
  end
  local function among(dtype, names) return (" " .. names .. " "):find(" " .. dtype .. " ", 1, true) ~= nil end

  --- Whether a dtype is of a kind: a dtype, "bool", "signed integer", "unsigned integer", "integral", "real floating",
  -- "complex floating", "numeric", or a sequence of such.
  function M.isdtype(dtype, kind)
    dtype = dtype_of(dtype)
    util.needed("isdtype", "kind", kind)
    for _, k in ipairs(type(kind) == "table" and util.list("isdtype: kind", kind) or { kind }) do
      if type(k) ~= "string" then util.raise("TypeError", "isdtype: a kind is a text, not %s", util.kind_of(k)) end
      local names = KINDS[k] or dtype_of(k)
      if among(dtype, names) then return true end
    end
    return false
  end
  --- Whether a dtype is another, or of a class of NumPy's: "integer", "floating", "inexact", "number", "generic", ..
  function M.issubdtype(arg1, arg2)
    return among(dtype_of(arg1), type(arg2) == "string" and CLASSES[arg2] or dtype_of(arg2))
  end

  --- The dtype that holds two dtypes.
  function M.promote_types(type1, type2) return promote(dtype_of(type1), dtype_of(type2)) end
  --- `result_type(..)`: the dtype of arithmetic on arrays, dtypes and numbers; numbers yield to arrays of their kind.
  function M.result_type(...)
    local list, given, strong, weak = table.pack(...), {}, nil, nil
    if list.n == 0 then util.raise("TypeError", "result_type takes arrays, dtypes and numbers, at least one") end
    for i = 1, list.n do
      local x = list[i]
      if type(x) == "number" then weak = (weak or 0) + x else given[#given + 1] = dtype_of(x) end
    end
    -- As NumPy: floats first, then each integer meets what they are, not what integers are together.
    for turn = 1, 2 do
      for _, dtype in ipairs(given) do
        local first = #given < 3 or among(dtype, CLASSES.inexact)
        if first == (turn == 1) then strong = strong and sum_of(strong, dtype) or dtype end
      end
    end
    if not strong then return as(weak).dtype end
    return weak and M.add(sample(strong), weak).dtype or strong
  end
  --- The smallest dtype that holds a number; the dtype of an array.
  function M.min_scalar_type(x)
    if type(x) ~= "number" or math.type(x) == "float" then
      local plain = type(x) == "number"
      if not plain then return dtype_of(x) end
      return (x ~= x or math.abs(x) == math.huge or math.abs(x) <= M.finfo("float32").max) and "float32" or "float64"
    end
    if x < 0 then return x >= -128 and "int8" or x >= -32768 and "int16" or x >= -2147483648 and "int32" or "int64" end
    return x < 256 and "uint8" or x < 65536 and "uint16" or x < 4294967296 and "uint32" or "uint64"
  end
  --- The float (or complex) dtype that holds the elements of all arrays; integers count as float64.
  function M.common_type(...)
    local list, r = table.pack(...), nil
    if list.n == 0 then util.raise("TypeError", "common_type: at least one array is expected") end
    for i = 1, list.n do
      local dtype = dtype_of(list[i])
      if dtype == "bool" then util.raise("TypeError", "common_type: bool has no common type with floats") end
      if among(dtype, KINDS.integral) then dtype = "float64" end
      r = r and M.promote_types(r, dtype) or dtype
    end
    return r
  end
  local function rank(dtype)
    return dtype == "bool" and 0 or among(dtype, KINDS["unsigned integer"]) and 1
      or among(dtype, KINDS["signed integer"]) and 2 or among(dtype, FLOATS) and 3 or 4
  end
  --- Whether a dtype may become another: casting "safe" (no value changes), "same_kind", "no", "equiv" or "unsafe".
  function M.can_cast(from_, to, casting)
    local a, b = dtype_of(from_), dtype_of(to)
    casting = casting or "safe"
    if casting == "unsafe" then return true end
    if casting == "no" or casting == "equiv" then return a == b end
    local safe = M.promote_types(a, b) == b
    if casting == "safe" then return safe end
    if casting ~= "same_kind" then
      util.raise("ValueError", "can_cast: casting is 'no', 'equiv', 'safe', 'same_kind' or 'unsafe', not '%s'",
        tostring(casting))
    end
    return safe or rank(a) <= rank(b) and rank(b) > 0
  end

  local HELD = { -- binary digits behind the point, the largest exponent, bits
    float16 = { digits = 10, top = 15, bits = 16 }, bfloat16 = { digits = 7, top = 127, bits = 16 },
    float32 = { digits = 23, top = 127, bits = 32 }, float64 = { digits = 52, top = 1023, bits = 64 },
  }
  --- What a float dtype holds: `eps`, `max`, `min`, `tiny` (`smallest_normal`), `bits`, `dtype`; of complex dtypes
  -- what their parts hold.
  function M.finfo(dtype)
    dtype = dtype_of(dtype)
    local part = ({ complex64 = "float32", complex128 = "float64" })[dtype] or dtype
    local held = HELD[part]
    if not held then
      util.raise("ValueError", "finfo: '%s' is no float dtype (float16, bfloat16, float32, float64)", tostring(dtype))
    end
    local digits, top = held.digits, held.top
    local most, tiny = (2 - 2.0 ^ -digits) * 2.0 ^ top, 2.0 ^ (1 - top)
    return { eps = 2.0 ^ -digits, max = most, min = -most, tiny = tiny, smallest_normal = tiny,
      bits = held.bits, dtype = part }
  end
  --- What an integer dtype holds: `min`, `max` (of uint64 the bit pattern, as everywhere), `bits`, `dtype`.
  function M.iinfo(dtype)
    dtype = dtype_of(dtype)
    local sign, bits = dtype:match("^(u?)int(%d+)$")
    bits = math.tointeger(tonumber(bits))
    if not bits then util.raise("ValueError", "iinfo: '%s' is no integer dtype", dtype) end
    if sign == "u" then return { min = 0, max = bits == 64 and -1 or (1 << bits) - 1, bits = bits, dtype = dtype } end
    return { min = -(1 << (bits - 1)), max = (1 << (bits - 1)) - 1, bits = bits, dtype = dtype }
  end

  --- Whether the dtype is complex.
  function M.iscomplexobj(x) return among(dtype_of(x), KINDS["complex floating"]) end
  --- Whether the dtype is not complex.
  function M.isrealobj(x) return not M.iscomplexobj(x) end
  --- Whether a value is no array but a number, a boolean or a text.
  function M.isscalar(x)
    return type(x) == "number" or type(x) == "boolean" or type(x) == "string" or core.kind(x) == "complex"
  end

  local function by_kind(kind)
    local out = {}
    for name in ("bool " .. KINDS.numeric):gmatch("%S+") do
      if kind == nil or M.isdtype(name, kind) then out[name] = name end
    end
    return out
  end
  --- What the array API standard asks a module for about itself: a table of functions, `dtypes`, `default_dtypes`,
  -- `capabilities`, `devices`, `default_device`.
  function M.__array_namespace_info__()
    return {
      capabilities = function()
        return { ["boolean indexing"] = true, ["data-dependent shapes"] = true, ["max dimensions"] = 32 }
      end,
      default_device = function() return "cpu" end,
      devices = function() return { "cpu" } end,
      dtypes = function(o) return by_kind(type(o) == "table" and o.kind or o) end,
      default_dtypes = function()
        return { ["real floating"] = "float64", ["complex floating"] = "complex128", integral = "int64",
          indexing = "int64" }
      end,
    }
  end
end
