--- NumPy's products on arrays: inner, vdot, kron, cross. Installed by theano.ndnumpy.
-- @module theano.ndlinear
local core = require("theano.core")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray
  local function result(a) return util.is_array(a) and a.ndim == 0 and a:item() or a end

  -- ---- products -----------------------------------------------------------------------------------------------------
  --- Sums of products over the last axes of both.
  function nd.inner(a, b)
    a, b = arr(a), arr(b)
    if a.ndim == 0 or b.ndim == 0 then return result(a * b) end
    return nd.tensordot(a, b, { { a.ndim - 1 }, { b.ndim - 1 } })
  end

  --- The sum of products of all elements, the first conjugated.
  function nd.vdot(a, b) return nd.dot(nd.conj(arr(a):reshape({ -1 })), arr(b):reshape({ -1 })) end

  --- The Kronecker product.
  function nd.kron(a, b)
    a, b = arr(a), arr(b)
    local n = math.max(a.ndim, b.ndim)
    local sa, sb, shape = {}, {}, {}
    for d = 1, n do
      local p = d > n - a.ndim and a.shape[d - (n - a.ndim)] or 1
      local q = d > n - b.ndim and b.shape[d - (n - b.ndim)] or 1
      sa[2 * d - 1], sa[2 * d], sb[2 * d - 1], sb[2 * d], shape[d] = p, 1, 1, q, p * q
    end
    return result(arr(a:reshape(sa) * b:reshape(sb)):reshape(shape))
  end

  --- The cross product of vectors of three along the last axis.
  function nd.cross(a, b)
    a, b = arr(a), arr(b)
    if a.shape[a.ndim] ~= 3 or b.shape[b.ndim] ~= 3 then
      util.raise("ValueError", "cross: the last axis of both has length 3")
    end
    local function part(v, i) return v["..., " .. i % 3 .. ":" .. i % 3 + 1] end
    local list = {}
    for i = 0, 2 do list[i + 1] = part(a, i + 1) * part(b, i + 2) - part(a, i + 2) * part(b, i + 1) end
    return nd.concatenate(list, -1)
  end
end
