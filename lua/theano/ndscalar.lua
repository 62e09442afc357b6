--- NumPy's functions of single elements that the table of operations lacks: signs and last bits of floats, remainders,
-- roots, logarithms of sums, common divisors. Installed by theano.ndnumpy.
-- @module theano.ndscalar
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd)
  local arr, result, floats = core.asarray, help.result, help.floats
  local switch = nd.switch

  for name, other in pairs({
    acos = "arccos", acosh = "arccosh", asin = "arcsin", asinh = "arcsinh", atan = "arctan", atan2 = "arctan2",
    atanh = "arctanh", bitwise_invert = "invert", bitwise_left_shift = "left_shift",
    bitwise_right_shift = "right_shift",
  }) do
    nd[name] = nd[other]
  end

  -- ---- helpers ------------------------------------------------------------------------------------------------------
  local function is_complex(a) return a.dtype:find("^complex") ~= nil end
  local function is_float(a) return a.dtype:find("^float") ~= nil end

  -- Functions of one and of two operands, which fn meets with a dimension at least; a Lua number beside an array stays
  -- one: it is weak.
  local function dropped(r) return r and result(r:reshape({})) end
  local function one(fn)
    return function(x)
      x = arr(x)
      if x.ndim > 0 then return fn(x) end
      local first, second = fn(x:reshape({ 1 }))
      if second then return dropped(first), dropped(second) end
      return dropped(first)
    end
  end
  local function two(fn)
    return function(x1, x2)
      local x, y = arr(x1), arr(x2)
      if x.ndim == 0 and y.ndim == 0 then return dropped(fn(x:reshape({ 1 }), y:reshape({ 1 }))) end
      return fn(type(x1) == "number" and x1 or nd.atleast_1d(x), type(x2) == "number" and x2 or nd.atleast_1d(y))
    end
  end

  local function real_only(what, a)
    a = arr(a)
    if is_complex(a) then util.raise("TypeError", "%s: complex numbers (%s) are refused", what, a.dtype) end
    return a
  end

  -- The dtype that a function would give.
  local function dtype_of(fn, a, b)
    local function sample(x) return type(x) == "number" and x or core.zeros({ 0 }, x.dtype) end
    return fn(sample(a), sample(b)).dtype
  end

  -- Two operands as float64 (no digit of float32 is lost on the way), and the dtype that a result of both has.
  local function float_pair(what, a, b)
    real_only(what, a)
    real_only(what, b)
    local x, y = nd.atleast_1d(a), nd.atleast_1d(b)
    return x:astype("float64"), y:astype("float64"), dtype_of(nd.arctan2, a, b)
  end

  -- Two operands of the dtype and the shape that a function of them has.
  local function alike(fn, a, b)
    local dtype = dtype_of(fn, a, b)
    local x, y = arr(a), arr(b)
    local shape = nd.or_(nd.zeros(x.shape, "bool"), nd.zeros(y.shape, "bool")).shape
    return nd.broadcast_to(x:astype(dtype), shape), nd.broadcast_to(y:astype(dtype), shape)
  end

  -- The bits of floats as integers of the same width, and back.
  local WORDS = { float32 = "int32", float64 = "int64" }
  local function bits(a) return nd.frombuffer(a:copy():bytes(), WORDS[a.dtype]):reshape(a.shape) end
  local function from_bits(words, dtype) return nd.frombuffer(words:copy():bytes(), dtype):reshape(words.shape) end

  -- ---- signs and last bits ------------------------------------------------------------------------------------------
  local function signs(x) return nd.lt(is_float(x) and bits(x) or x, 0) end
  -- Whether the sign bit is set: that of -0.0 and of -NaN is.
  nd.signbit = one(function(x) return signs(real_only("signbit", x)) end)

  local function with_sign_of(x, y) return switch(nd.neq(signs(x), signs(y)), nd.neg(x), x) end
  -- The value of x1 with the sign of x2.
  nd.copysign = two(function(x1, x2)
    local x, y, dtype = float_pair("copysign", x1, x2)
    return with_sign_of(nd.abs(x), y):astype(dtype)
  end)

  -- The next float behind x1 on the way to x2.
  nd.nextafter = two(function(x1, x2)
    float_pair("nextafter", x1, x2)
    local x, y = alike(nd.arctan2, x1, x2)
    local words, one_more = bits(x), nd.ones(x.shape, WORDS[x.dtype])
    local near = from_bits(switch(nd.eq(nd.gt(y, x), nd.gt(x, 0)), words + one_more, words - one_more), x.dtype)
    near = switch(nd.eq(x, 0), with_sign_of(from_bits(one_more, x.dtype), y), near)
    local stays = nd.or_(nd.or_(nd.isnan(x), nd.isnan(y)), nd.eq(x, y))
    return switch(stays, switch(nd.isnan(x), x, y), near)
  end)
  -- How far the next float is, away from zero.
  nd.spacing = one(function(x)
    x = floats(real_only("spacing", x)) + 0.0 -- of -0.0 it is that of 0
    local far = with_sign_of(nd.full_like(x, math.huge), x)
    return nd.sub(nd.nextafter(x, far), x)
  end)

  --- Whether each element is positive infinity.
  function nd.isposinf(x) return nd.eq(real_only("isposinf", x), math.huge) end
  --- Whether each element is negative infinity.
  function nd.isneginf(x) return nd.eq(real_only("isneginf", x), -math.huge) end
  --- Whether each element has an imaginary part that is not 0.
  function nd.iscomplex(x)
    x = arr(x)
    return is_complex(x) and nd.neq(nd.imag(x), 0) or result(core.zeros(x.shape, "bool"))
  end
  --- Whether each element has no imaginary part.
  function nd.isreal(x) return nd.logical_not(nd.iscomplex(x)) end
  --- Whether the dtype is complex.
  function nd.iscomplexobj(x) return is_complex(arr(x)) end
  --- Whether the dtype is not complex.
  function nd.isrealobj(x) return not is_complex(arr(x)) end

  -- ---- of one number -----------------------------------------------------------------------------------------------
  -- A copy of the numbers as they are.
  nd.positive = one(function(x)
    if x.dtype == "bool" then util.raise("TypeError", "positive: bool has no sign") end
    return x:copy()
  end)

  -- 1 / x; of integers rounded towards 0.
  nd.reciprocal = one(function(x)
    if x.dtype == "bool" then x = x:astype("int8") end
    if is_float(x) or is_complex(x) then return nd.true_div(1, x) end
    if nd.any(nd.eq(x, 0)) then util.raise("ZeroDivisionError", "reciprocal: an integer is 0") end
    local one_or_less = x.dtype:find("^u") and nd.eq(x, 1) or nd.or_(nd.eq(x, 1), nd.eq(x, -1))
    return switch(one_or_less, x, nd.zeros_like(x))
  end)

  -- Absolute values as floats.
  nd.fabs = one(function(x) return nd.abs(floats(real_only("fabs", x))) end)

  -- The part behind the point, and the part before it, both with the sign of x.
  nd.modf = one(function(x)
    x = floats(real_only("modf", x))
    local whole = nd.trunc(x)
    return with_sign_of(switch(nd.isinf(x), nd.zeros_like(x), x - whole), x), whole
  end)

  -- The real cube root.
  nd.cbrt = one(function(x)
    x = real_only("cbrt", x)
    local dtype, a = dtype_of(nd.arctan2, x, x), x:astype("float64")
    local fine = nd.and_(nd.neq(a, 0), nd.lt(nd.abs(a), math.huge)) -- NaN is not
    local size = switch(fine, nd.abs(a), 1.0)
    local y = nd.pow(size, 1 / 3)
    y = y - (y - size / (y * y)) / 3 -- for the last digits
    return switch(fine, with_sign_of(y, a), a):astype(dtype)
  end)

  -- sin(pi x) / (pi x), and 1 at 0.
  nd.sinc = one(function(x)
    x = floats(x)
    local zero = nd.eq(x, 0)
    local y = switch(zero, nd.ones_like(x), x * math.pi)
    return switch(zero, nd.ones_like(x), nd.sin(y) / y)
  end)

  -- ---- of two numbers ----------------------------------------------------------------------------------------------
  -- sqrt(x1^2 + x2^2), which neither overflows nor vanishes on the way.
  nd.hypot = two(function(x1, x2)
    local x, y, dtype = float_pair("hypot", x1, x2)
    local long, short = nd.maximum(nd.abs(x), nd.abs(y)), nd.minimum(nd.abs(x), nd.abs(y))
    local plain = nd.and_(nd.gt(long, 0), nd.lt(long, math.huge)) -- NaN is not
    local ratio = switch(plain, short, 0.0) / switch(plain, long, 1.0)
    local r = switch(plain, long * nd.sqrt(ratio * ratio + 1), long)
    return switch(nd.or_(nd.isinf(x), nd.isinf(y)), math.huge, r):astype(dtype)
  end)

  local function log_of_sum(what, exp, log)
    return two(function(x1, x2)
      local x, y, dtype = float_pair(what, x1, x2)
      local by = switch(nd.eq(x, y), 0.0, -nd.abs(x - y)) -- of two infinities, too
      return (nd.maximum(x, y) + log(exp(by))):astype(dtype)
    end)
  end
  -- log(exp(x1) + exp(x2)).
  nd.logaddexp = log_of_sum("logaddexp", nd.exp, nd.log1p)
  -- log2(2^x1 + 2^x2).
  nd.logaddexp2 = log_of_sum("logaddexp2", nd.exp2, function(x) return nd.log1p(x) / math.log(2) end)

  local function of_numbers(choose)
    return two(function(x1, x2)
      local x, y = alike(choose, x1, x2)
      if not is_float(x) and not is_complex(x) then return choose(x, y) end
      return switch(nd.isnan(x), y, switch(nd.isnan(y), x, choose(x, y)))
    end)
  end
  -- The larger one; where one is NaN the other.
  nd.fmax = of_numbers(nd.maximum)
  -- The smaller one; where one is NaN the other.
  nd.fmin = of_numbers(nd.minimum)

  -- The remainder with the sign of x1, as in C; `mod` has the sign of x2.
  nd.fmod = two(function(x1, x2)
    real_only("fmod", x1)
    real_only("fmod", x2)
    local x, y = alike(nd.mod, x1, x2)
    if is_float(x) then return with_sign_of(nd.mod(nd.abs(x), nd.abs(y)), x) end
    local r = nd.mod(x, y)
    return switch(nd.and_(nd.neq(r, 0), nd.neq(nd.lt(r, 0), nd.lt(x, 0))), r - y, r)
  end)

  -- 0 below 0, 1 above, and x2 at 0.
  nd.heaviside = two(function(x1, x2)
    local x, y, dtype = float_pair("heaviside", x1, x2)
    local step = switch(nd.lt(x, 0), 0.0, switch(nd.gt(x, 0), 1.0, y))
    return switch(nd.isnan(x), x, step):astype(dtype)
  end)

  -- x1 to the power x2, in float64 at least; complex128 of complex numbers.
  nd.float_power = two(function(x1, x2)
    local function wide(x)
      x = arr(x)
      return x:astype(is_complex(x) and "complex128" or "float64")
    end
    return nd.pow(wide(x1), wide(x2))
  end)

  -- x1 * 2^x2.
  nd.ldexp = two(function(x1, x2)
    local x, e = floats(real_only("ldexp", nd.atleast_1d(x1))), nd.atleast_1d(x2)
    if not e.dtype:find("int") then util.raise("TypeError", "ldexp: exponents are integers, not %s", e.dtype) end
    e = nd.clip(e:astype("int64"), -2200, 2200) -- beyond there is 0 or infinity
    local third = nd.floor_div(e, 3)
    local part, rest = nd.exp2(third:astype("float64")), nd.exp2((e - third * 2):astype("float64"))
    return (x:astype("float64") * rest * part * part):astype(x.dtype)
  end)

  -- ---- whole numbers ------------------------------------------------------------------------------------------------
  local function whole_pair(what, a, b)
    local x, y = alike(nd.add, a, b)
    if not x.dtype:find("int") then util.raise("TypeError", "%s: integers are expected, not %s", what, x.dtype) end
    return x, y
  end
  local function divisor(x, y)
    local going = nd.neq(y, 0)
    while nd.any(going) do -- Euclid's way, all at once
      local rest = nd.mod(x, switch(going, y, nd.ones_like(y)))
      x, y = switch(going, y, x), switch(going, rest, y)
      going = nd.neq(y, 0)
    end
    return nd.abs(x)
  end
  -- The greatest common divisor.
  nd.gcd = two(function(x1, x2) return divisor(whole_pair("gcd", x1, x2)) end)
  -- The least common multiple.
  nd.lcm = two(function(x1, x2)
    local x, y = whole_pair("lcm", x1, x2)
    return nd.abs(nd.floor_div(x, nd.maximum(divisor(x, y), nd.ones_like(x))) * y)
  end)

  -- ---- dtypes -------------------------------------------------------------------------------------------------------
  --- The dtype that holds two dtypes.
  function nd.promote_types(type1, type2)
    return nd.concatenate({ core.zeros({ 0 }, type1), core.zeros({ 0 }, type2) }).dtype
  end
  --- `result_type(..)`: the dtype of arithmetic on arrays, dtypes and numbers; numbers yield to arrays of their kind.
  function nd.result_type(...)
    local list, strong, weak = table.pack(...), nil, nil
    if list.n == 0 then util.raise("TypeError", "result_type takes arrays, dtypes and numbers, at least one") end
    for i = 1, list.n do
      local x = list[i]
      if type(x) == "number" then
        weak = (weak or 0) + x
      else
        local dtype = type(x) == "string" and core.zeros({ 0 }, x).dtype or arr(x).dtype
        strong = strong and nd.promote_types(strong, dtype) or dtype
      end
    end
    if not strong then return arr(weak).dtype end
    return weak and nd.add(core.zeros({ 0 }, strong), weak).dtype or strong
  end
  --- Whether a value is no array but a number, a boolean or a text.
  function nd.isscalar(x)
    return type(x) == "number" or type(x) == "boolean" or type(x) == "string" or core.kind(x) == "complex"
  end
  --- How many dimensions.
  function nd.ndim(a) return arr(a).ndim end
end
