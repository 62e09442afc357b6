--- Products of vectors and matrices, for Variables and arrays alike (see theano.alike).
-- @module theano.alikeproducts
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(M, K)
  local as, order, result = K.as, K.order, K.result

  -- Sums of products along an axis, in their own dtype; whether any holds of booleans.
  local function summed(products, axis)
    if products.dtype == "bool" then return M.any(products, { axis = axis }) end
    return M.sum(products, { axis = axis, dtype = products.dtype })
  end
  --- Sums of conj(x1) * x2 along an axis, the last: of each operand's own, which has one length in both.
  function M.vecdot(x1, x2, axis)
    local a, b = as(x1), as(x2)
    if a.ndim == 0 or b.ndim == 0 then util.raise("ValueError", "vecdot: vectors are expected, not numbers") end
    local at, other = a.ndim - 1, b.ndim - 1
    if axis ~= nil and axis ~= -1 then
      at, other = help.axis_of("vecdot", a, axis), help.axis_of("vecdot", b, axis)
      if at - a.ndim ~= other - b.ndim then
        a, b = M.moveaxis(a, at, -1), M.moveaxis(b, other, -1)
        at, other = a.ndim - 1, b.ndim - 1
      end
    end
    local n, m = K.known(a, at), K.known(b, other)
    if n and m and n ~= m then
      util.raise("ValueError", "vecdot: lengths %d and %d of the axis differ", n, m)
    end
    if not K.plain and K.one(a, at) ~= K.one(b, other) then -- what is 1 does not stretch here
      a, b = M.unbroadcast(a, at), M.unbroadcast(b, other)
    end
    local dtype = M.promote_types(a.dtype, b.dtype)
    if not dtype:find("float16") then return summed(as(M.mul(M.conj(a), b)), at - a.ndim) end
    local r = summed(as(M.mul(K.to(a, "float32"), K.to(b, "float32"))), at - a.ndim) -- rounded once
    return result(K.to(as(r), dtype))
  end

  local function vectors(what, x)
    x = as(x)
    if x.ndim == 0 then util.raise("ValueError", "%s: a vector is expected, not a number", what) end
    return x
  end
  local function matrices(what, x)
    x = as(x)
    if x.ndim < 2 then util.raise("ValueError", "%s: matrices are expected, not %d dimensions", what, x.ndim) end
    return x
  end
  -- x with an axis of length 1 before the last one, or behind it.
  local function widened(x, behind)
    local pattern = {}
    for d = 1, x.ndim do pattern[d] = d - 1 end
    table.insert(pattern, behind and x.ndim + 1 or x.ndim, "x")
    return order(x, pattern)
  end
  -- x without an axis of length 1, the last one or that before it.
  local function narrowed(x, behind)
    x = as(x)
    return x["..., 0" .. (behind and "" or ", :")]
  end
  --- Matrices by vectors, over all axes in front.
  function M.matvec(x1, x2)
    x1 = matrices("matvec", x1)
    return narrowed(M.matmul(x1, widened(vectors("matvec", x2), true)), true)
  end
  --- Vectors (their conjugates) by matrices, over all axes in front.
  function M.vecmat(x1, x2)
    return narrowed(M.matmul(widened(vectors("vecmat", M.conj(as(x1)))), matrices("vecmat", x2)))
  end

  --- Sums of products over the last axes of both.
  function M.inner(a, b)
    a, b = as(a), as(b)
    if a.ndim == 0 or b.ndim == 0 then return result(a * b) end
    return M.tensordot(a, b, { { a.ndim - 1 }, { b.ndim - 1 } })
  end
  --- The sum of products of all elements, the first conjugated.
  function M.vdot(a, b) return M.dot(M.conj(as(a):reshape({ -1 })), as(b):reshape({ -1 })) end

  --- The cross product of vectors of three along the last axis.
  function M.cross(a, b, axisa, axisb, axisc, axis)
    a, b = vectors("cross", a), vectors("cross", b)
    axisa, axisb, axisc = axis or axisa, axis or axisb, axis or axisc
    if axisa ~= nil then a = M.moveaxis(a, help.axis_of("cross", a, axisa), -1) end
    if axisb ~= nil then b = M.moveaxis(b, help.axis_of("cross", b, axisb), -1) end
    local n, m = K.known(a, a.ndim - 1), K.known(b, b.ndim - 1)
    if (n or 3) ~= 3 or (m or 3) ~= 3 then util.raise("ValueError", "cross: the last axis of both has length 3") end
    -- The third part reaches to the end: other lengths than 3, not known before, do not fit when run.
    local PARTS = { [0] = "..., 0:1", "..., 1:2", "..., 2:" }
    local function part(v, i) return v[PARTS[i % 3]] end
    local list = {}
    for i = 0, 2 do list[i + 1] = part(a, i + 1) * part(b, i + 2) - part(a, i + 2) * part(b, i + 1) end
    local r = M.concatenate(list, list[1].ndim - 1)
    return axisc ~= nil and M.moveaxis(r, -1, help.axis_of("cross", r, axisc)) or r
  end
end
