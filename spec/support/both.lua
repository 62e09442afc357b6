--- One function through the interpreter and through generated C: results of the same bits.
-- @module spec.support.both
local theano = require("theano")
local core = require("theano.core")
local nd = theano.ndarray

local M = {}

M.modes = {
  c = theano.compile.Mode({ linker = "c", optimizer = "fast_run" }),
  interpreter = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" }),
}

local UNPACK = { float32 = "<f", float64 = "<d", complex64 = "<f", complex128 = "<d", float16 = "<I2",
  bfloat16 = "<I2" }
local HALF_INFINITY = { float16 = 0x7c00, bfloat16 = 0x7f80 } -- what is above it, the sign apart, is NaN

--- Whether two texts of bytes are the same numbers bit for bit; which pattern a NaN has is nobody's concern.
function M.same_bytes(a, b, dtype)
  if a == b then return true end
  if #a ~= #b then return false, -1, #a, #b end
  if not UNPACK[dtype] then
    for at = 1, #a do
      if a:byte(at) ~= b:byte(at) then return false, at - 1, a:byte(at), b:byte(at) end
    end
  end
  local form, size, infinity = UNPACK[dtype], string.packsize(UNPACK[dtype]), HALF_INFINITY[dtype]
  local function nan(x)
    if infinity then return x & 0x7fff > infinity end
    return x ~= x
  end
  for at = 1, #a, size do
    if a:sub(at, at + size - 1) ~= b:sub(at, at + size - 1) then
      local p, q = form:unpack(a, at), form:unpack(b, at)
      if not (nan(p) and nan(q)) then return false, (at - 1) // size, p, q end
    end
  end
  return true
end

--- nil, or how result b differs from a.
function M.differs(a, b)
  if type(a) ~= type(b) then return ("a %s and a %s"):format(type(a), type(b)) end
  if type(a) == "table" then
    for k, v in pairs(a) do
      local why = M.differs(v, b[k])
      if why then return tostring(k) .. ": " .. why end
    end
    return nil
  end
  if type(a) ~= "userdata" then
    local same = a == b and math.type(a) == math.type(b) and (a ~= 0 or math.type(a) ~= "float" or 1 / a == 1 / b)
    if not same and not (a ~= a and b ~= b) then return ("%s and %s"):format(tostring(a), tostring(b)) end
    return nil
  end
  if core.kind(a) == "ndarray" then
    if a.dtype ~= b.dtype then return a.dtype .. " and " .. b.dtype end
    if table.concat(a.shape, ",") ~= table.concat(b.shape, ",") then return "other shapes" end
    local same, at, p, q = M.same_bytes(a:tostring(), b:tostring(), a.dtype)
    return not same and ("number %d of %s: %.17g and %.17g"):format(at, a.dtype, p, q) or nil
  end
  return tostring(a) ~= tostring(b) and ("%s and %s"):format(a, b) or nil
end

--- Whether what `build()` gives (inputs, outputs, further words of theano.compile) differs on the arguments that
-- `arguments(inputs)` makes: nil or why. What raises in one raises in the other.
function M.check(build, arguments)
  local results = {}
  for _, name in ipairs({ "interpreter", "c" }) do
    local inputs, outputs, more = build()
    local words = { inputs = inputs, outputs = outputs, on_unused_input = "ignore" }
    for k, v in pairs(more or {}) do words[k] = v end
    words.mode = M.modes[name]
    local f, given = theano.compile(words), arguments(inputs)
    results[name] = table.pack(pcall(f, table.unpack(given, 1, #inputs)))
  end
  local a, b = results.interpreter, results.c
  if a[1] ~= b[1] then return ("the interpreter %s, C %s"):format(tostring(a[2]), tostring(b[2])) end
  for i = 2, a[1] and a.n or 1 do
    local why = M.differs(a[i], b[i])
    if why then return ("result %d: interpreter and C: %s"):format(i - 1, why) end
  end
end

--- An array for an input: small lengths, all equal where nothing says 1; numbers of both signs, or small integers.
function M.argument(rng, x, n)
  if type(x) == "table" then x = x.variable end -- an In
  local shape, dtype = {}, x.dtype
  for d = 1, x.ndim do shape[d] = x.broadcastable[d] and 1 or n end
  local a
  if dtype:find("int") then a = rng:randint(0, math.min(n, 7), shape)
  elseif dtype == "bool" then a = nd.gt(rng:uniform(-1, 1, shape), 0)
  else a = rng:uniform(-1.5, 1.5, shape) end
  if type(a) == "number" or type(a) == "boolean" then a = nd.array(a) end
  return a:astype(dtype)
end

return M
