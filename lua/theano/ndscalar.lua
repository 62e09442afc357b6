--- NumPy's functions about dtypes of arrays. Installed by theano.ndnumpy.
-- @module theano.ndscalar
local core = require("theano.core")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray

  local function is_complex(a) return a.dtype:find("^complex") ~= nil end
  --- Whether the dtype is complex.
  function nd.iscomplexobj(x) return is_complex(arr(x)) end
  --- Whether the dtype is not complex.
  function nd.isrealobj(x) return not is_complex(arr(x)) end

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
