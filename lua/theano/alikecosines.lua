--- SciPy's cosine and sine transforms, `T.fft` and `nd.fft`: by Fourier transforms of real numbers of the same length
-- (types 2 and 3) or of twice it (1 and 4). The sine transforms are cosine ones of x turned round, or with every other
-- sign changed.
-- @module theano.alikecosines
local help = require("theano.ndhelp")
local util = require("theano.util")

local PI = math.pi
local INVERSE = { 1, 3, 2, 4 }
local TURNED = { backward = "forward", forward = "backward", ortho = "ortho" }

--- Puts them into `fft`; M is `T` or `nd`, K its kit (theano.alike).
return function(M, K, fft)
  local function last(x) return K.len(x, x.ndim - 1) end
  local function part(x, from, to) return K.part(x, x.ndim - 1, from, to) end
  local function turned(x) return M.flip(x, -1) end
  local function joined(a, b) return M.concatenate({ a, b }, a.ndim - 1) end
  local function places(n) return K.as(M.arange(n)) end
  -- Cosines and sines of (0, 1, .., count - 1 + shift) * step / n, in double precision before they are as x.
  local function circle(x, count, step, n, shift)
    local angles = (places(count):astype("float64") + (shift or 0.0)) * step / n
    return M.cos(angles):astype(x.dtype), M.sin(angles):astype(x.dtype)
  end
  local function spectrum(x, n)
    local z = fft.rfftn(x, n and { n }, { x.ndim - 1 })
    return M.real(z):astype(x.dtype), M.imag(z):astype(x.dtype)
  end
  local function complex(re, im)
    return K.complex(re, im):astype(re.dtype == "float32" and "complex64" or "complex128")
  end

  -- What `make` gives, of `size` elements, and what else was kept, while these are not many.
  local MOST = 1 << 19
  local plans, held = {}, 0
  local function kept(key, size, make, ...)
    local p = plans[key]
    if p then return p end
    p = make(...)
    if held + size > MOST then plans, held = {}, 0 end
    if size <= MOST then plans[key], held = p, held + size end
    return p
  end

  -- ---- cosines of the last axis, as they are --------------------------------------------------------------------
  local COSINE = {}
  COSINE[1] = function(x)
    return (spectrum(joined(x, turned(part(x, 1, last(x) - 1)))))
  end
  COSINE[2] = function(x)
    local n = last(x)
    local half = n // 2 + 1
    local re, im = spectrum(joined(x["..., ::2"], turned(x["..., 1::2"])))
    local c, s = circle(x, half, PI / 2, n)
    return joined(re * c + im * s, turned(part(re * s - im * c, 1, (n + 1) // 2))) * 2
  end
  COSINE[3] = function(x)
    local n = last(x)
    local half = n // 2 + 1
    local a = part(x, 0, half)
    local b = part(joined(part(x, 0, 1) * 0, turned(part(x, 1))), 0, half)
    local c, s = circle(x, half, PI / 2, n)
    local v = K.as(fft.irfftn(complex(a * c + b * s, a * s - b * c), { n }, { x.ndim - 1 })):astype(x.dtype) * n
    local k = places(n)
    local from = M.switch(M.eq(M.mod(k, 2), 0), k // 2, n - (k + 1) // 2)
    return M.take(v:astype(x.dtype), from, x.ndim - 1)
  end
  COSINE[4] = function(x)
    local n = last(x)
    local c, s = circle(x, n, PI / 2, n)
    local ar, ai = spectrum(x * c, n * 2)
    local br, bi = spectrum(x * s, n * 2)
    c, s = circle(x, n, PI / 2, n, 0.5)
    return (part(ar + bi, 0, n) * c + part(ai - br, 0, n) * s) * 2
  end

  local function every_other(n, dtype) return (1 - M.mod(places(n), 2) * 2):astype(dtype) end
  local function signs(x, of)
    local n, dtype = last(of), x.dtype
    return of * (K.plain and kept("signs" .. dtype .. n, n, every_other, n, dtype) or every_other(n, dtype))
  end
  local SINE = {}
  SINE[1] = function(x)
    local none = part(x, 0, 1) * 0
    local _, im = spectrum(joined(joined(none, x), joined(none, -turned(x))))
    return -part(im, 1, last(x) + 1)
  end
  SINE[2] = function(x) return turned(COSINE[2](signs(x, x))) end
  SINE[3] = function(x) return signs(x, COSINE[3](turned(x))) end
  SINE[4] = function(x) return signs(x, COSINE[4](turned(x))) end

  -- ---- arguments ------------------------------------------------------------------------------------------------
  -- What orthogonal transforms multiply before and behind: the first (last) element by the root of 2, or the half.
  local function edges(x, kind, type_)
    local function weighted(first, final, factor)
      local n = last(x)
      local k = places(n)
      local w = K.as(M.ones_like(k)):astype("float64")
      if first then w = M.switch(M.eq(k, 0), K.double(factor), w) end
      if final then w = M.switch(M.eq(k, n - 1), K.double(factor), w) end
      return K.as(w):astype(x.dtype)
    end
    local root = math.sqrt(2)
    local sine = kind == "dst"
    if type_ == 1 and not sine then return weighted(true, true, root), weighted(true, true, 1 / root) end
    if type_ == 2 then return nil, weighted(not sine, sine, 1 / root) end
    if type_ == 3 then return weighted(not sine, sine, root), nil end
  end
  local function scaled(y, norm, length)
    if norm == "backward" then return y end
    local factor = K.plain and length + 0.0 or K.as(length):astype(y.dtype)
    if norm == "ortho" then factor = K.plain and math.sqrt(factor) or M.sqrt(factor) end
    return y / factor
  end
  local function check_kind(what, type_, norm)
    if math.type(type_) ~= "integer" or type_ < 1 or type_ > 4 then
      util.raise("ValueError", "%s: type is 1, 2, 3 or 4, not %s", what, util.text(type_))
    end
    if not TURNED[norm] then
      util.raise("ValueError", "%s: norm is 'backward', 'ortho' or 'forward', not '%s'", what, tostring(norm))
    end
  end
  local function check_length(what, kind, x, type_)
    local n = K.known(x, x.ndim - 1)
    local least = type_ == 1 and kind == "dct" and 2 or 1
    if n and n < least then
      util.raise("ValueError", "%s: %d elements along the axis, at least %d are needed", what, n, least)
    end
  end
  -- ---- arrays: what depends on the length alone is kept -------------------------------------------------------------
  -- Up to MATRIX elements are multiplied by the transforms of the units; type 2 of more is elements 0, 1, 3, 5 .., 4, 2
  -- transformed as they lie, which is the conjugate of what they are in the order above, and type 3 goes back.
  local MATRIX = 128
  local transformed
  local function matrix(n, dtype, ...) return transformed(M.eye(n), ...):astype(dtype) end
  local function tables(n, dtype, type_)
    local half = n // 2 + 1
    local angle = M.arange(half) * (type_ == 2 and PI / 2 / n or -PI / 2 / n)
    local k = M.arange(n)
    local odd = M.eq(k % 2, 1)
    local p = { half = half, circle = complex(M.cos(angle), M.sin(angle)):astype(
      dtype == "float32" and "complex64" or "complex128") }
    if type_ == 2 then
      p.circle = p.circle * 2
      p.from = M.where(M.lt(k, half), 2 * k - 1, 2 * (n - k))
      p.from[0] = 0
    else
      p.from = (n - M.arange(half)) % n
      p.to = M.where(odd, (k + 1) // 2, (n - k // 2) % n)
    end
    return p
  end
  local function by_matrix(x, kind, type_, norm, orthogonal)
    local n, dtype = last(x), x.dtype
    local key = kind .. type_ .. norm .. (orthogonal and "o" or "") .. dtype .. n
    local p = plans[key] or kept(key, n * n, matrix, n, dtype, kind, type_, norm, orthogonal)
    return K.as(M.dot(x, p))
  end
  if K.plain then
    COSINE[2] = function(x)
      local n, dtype = last(x), x.dtype
      local p = kept("from" .. dtype .. n, 2 * n, tables, n, dtype, 2)
      local z = fft.rfftn(M.take(x, p.from, x.ndim - 1), nil, { x.ndim - 1 }) * p.circle
      return joined(M.real(z), turned(part(M.imag(z), 1, (n + 1) // 2)))
    end
    COSINE[3] = function(x)
      local n, dtype = last(x), x.dtype
      local p = kept("to" .. dtype .. n, 2 * n, tables, n, dtype, 3)
      local z = complex(part(x, 0, p.half), M.take(x, p.from, x.ndim - 1)) * p.circle
      return M.take(fft.irfftn(z, { n }, { x.ndim - 1 }, "forward"), p.to, x.ndim - 1)
    end
  end
  -- The transform of the last axis of floats.
  function transformed(x, kind, type_, norm, orthogonal)
    if x.dtype:find("^c") then
      return complex(transformed(M.real(x), kind, type_, norm, orthogonal),
        transformed(M.imag(x), kind, type_, norm, orthogonal)):astype(x.dtype)
    end
    local before, behind
    if orthogonal then before, behind = edges(x, kind, type_) end
    if before then x = x * before end
    local y = (kind == "dct" and COSINE or SINE)[type_](x)
    if behind then y = y * behind end
    local off = type_ == 1 and (kind == "dct" and -1 or 1) or 0
    return scaled(y, norm, (last(x) + off) * 2)
  end
  local FLOAT = { float32 = true, float64 = true }
  local function of_floats(x, ...)
    return (K.plain and last(x) <= MATRIX and by_matrix or transformed)(x, ...)
  end
  -- Along one axis, cut to n elements or followed by zeros.
  local function along(what, kind, x, type_, n, axis, norm, orthogonal)
    if x.ndim == 0 then util.raise("ValueError", "%s: x has no axis", what) end
    axis = help.axis_of(what, x, axis)
    if axis ~= x.ndim - 1 then x = M.moveaxis(x, axis, -1) end
    if n ~= nil then
      if math.type(n) ~= "integer" or n < 1 then
        util.raise("ValueError", "%s: n is an integer of at least 1, not %s", what, util.text(n))
      end
      local shape = {}
      for d = 1, x.ndim - 1 do shape[d] = K.len(x, d - 1) end
      shape[x.ndim] = n
      x = part(joined(x, K.as(M.zeros(shape, x.dtype))), 0, n)
    end
    check_length(what, kind, x, type_)
    local y = (FLOAT[x.dtype] and of_floats or transformed)(x, kind, type_, norm, orthogonal)
    return axis ~= x.ndim - 1 and M.moveaxis(y, -1, axis) or y
  end
  local function floats(what, x)
    if x == nil then util.raise("TypeError", "%s: argument 'x' is missing", what) end
    x = K.floats(K.as(x))
    return x.dtype:find("16") and x:astype("float32") or x
  end

  -- ---- the functions ----------------------------------------------------------------------------------------------
  local ONE = { "x", "type", "n", "axis", "norm", "orthogonalize", axis = "integer", orthogonalize = "boolean" }
  local MANY = { "x", "type", "s", "axes", "norm", "orthogonalize", orthogonalize = "boolean" }
  local function options(what, names, inverse, ...)
    local o = util.bind(what, names, ...)
    local x, type_, norm = floats(what, o.x), o.type or 2, o.norm or "backward"
    check_kind(what, type_, norm)
    local orthogonal = o.orthogonalize
    if orthogonal == nil then orthogonal = norm == "ortho" end
    if inverse then type_, norm = INVERSE[type_] or type_, TURNED[norm] or norm end
    return o, x, type_, norm, orthogonal
  end
  local function one(what, kind, inverse)
    return function(...)
      local given = K.plain and select("#", ...) == 1 and ...
      if given and util.is_array(given) and FLOAT[given.dtype] and given.ndim > 0 and last(given) > 0 then
        return of_floats(given, kind, inverse and 3 or 2, inverse and "forward" or "backward", false)
      end
      local o, x, type_, norm, orthogonal = options(what, ONE, inverse, ...)
      return along(what, kind, x, type_, o.n, o.axis or -1, norm, orthogonal)
    end
  end
  local function listed(what, name, v)
    if type(v) == "number" then v = { v } end
    if util.is_array(v) and v.ndim == 1 then v = v:tolist() end
    if v ~= nil and (type(v) ~= "table" or getmetatable(v) ~= nil) then
      util.raise("TypeError", "%s: %s is a list of integers, not %s", what, name, util.kind_of(v))
    end
    return v and util.list(what .. ": " .. name, v)
  end
  local function many(what, kind, inverse)
    return function(...)
      local o, x, type_, norm, orthogonal = options(what, MANY, inverse, ...)
      local lengths, axes = listed(what, "s", o.s) or {}, listed(what, "axes", o.axes)
      if axes == nil and o.s then
        axes = {}
        for i = 1, #lengths do axes[i] = i - 1 - #lengths end
      end
      if o.s and #axes ~= #lengths then
        util.raise("ValueError", "%s: s and axes are of one length, not %d and %d", what, #lengths, #axes)
      end
      if axes then help.axes_of(what, x, axes) else axes = help.axes_of(what, x) end
      for i, axis in ipairs(axes) do
        x = along(what, kind, x, type_, lengths[i], axis, norm, orthogonal)
      end
      return x
    end
  end

  -- `dct(x, {type = 2, n, axis = -1, norm = "backward", orthogonalize})`: the cosine transform of the types 1 to 4.
  fft.dct = one("dct", "dct", false)
  -- `idct(x, {type = 2, n, axis = -1, norm = "backward", orthogonalize})`: what dct undoes.
  fft.idct = one("idct", "dct", true)
  -- `dst(x, {type = 2, n, axis = -1, norm = "backward", orthogonalize})`: the sine transform of the types 1 to 4.
  fft.dst = one("dst", "dst", false)
  -- `idst(x, {type = 2, n, axis = -1, norm = "backward", orthogonalize})`: what dst undoes.
  fft.idst = one("idst", "dst", true)
  -- `dctn(x, {type = 2, s, axes, norm = "backward", orthogonalize})`: dct along several axes; dstn likewise, and back.
  fft.dctn = many("dctn", "dct", false)
  fft.idctn = many("idctn", "dct", true)
  fft.dstn = many("dstn", "dst", false)
  fft.idstn = many("idstn", "dst", true)

  local function smooth(n, primes)
    for _, p in ipairs(primes) do
      while n % p == 0 do n = n // p end
    end
    return n == 1
  end
  local function near(what, step)
    return function(target, real)
      if math.type(target) ~= "integer" or target < 1 or target > 1 << 40 then
        util.raise(type(target) == "number" and "ValueError" or "TypeError",
          "%s: target is an integer from 1 to 2^40, not %s", what, util.text(target))
      end
      util.check_type(what, "real", real, "boolean")
      local primes = real and { 2, 3, 5 } or { 2, 3, 5, 7, 11 }
      while not smooth(target, primes) do target = target + step end
      return target
    end
  end
  -- `next_fast_len(target, real)`: the least length from target on that is a product of 2, 3, 5, 7 and 11 (real: to 5).
  fft.next_fast_len = near("next_fast_len", 1)
  -- `prev_fast_len(target, real)`: the greatest one up to target.
  fft.prev_fast_len = near("prev_fast_len", -1)
  return fft
end
