--- NumPy's kron on arrays. Installed by theano.ndnumpy.
-- @module theano.ndlinear
local core = require("theano.core")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray
  local function result(a) return util.is_array(a) and a.ndim == 0 and a:item() or a end

  -- ---- products -----------------------------------------------------------------------------------------------------
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
end
