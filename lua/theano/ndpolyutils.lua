--- `nd.polynomial.polyutils`: domains of series, and zeros at their ends.
-- @module theano.ndarray.polynomial.polyutils
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd, H)
  local U = {}

  --- The smallest interval around x; of complex places the rectangle's corners.
  function U.getdomain(x)
    x = help.floats(core.asarray(x))
    if x.ndim ~= 1 or x.size == 0 then
      util.raise("ValueError", "getdomain: x is a vector of at least one place")
    end
    if x.dtype:find("c") then
      local re, im = nd.real(x), nd.imag(x)
      return core.array { nd.complex(re:min(), im:min()), nd.complex(re:max(), im:max()) }
    end
    return core.array({ x:min(), x:max() }, x.dtype)
  end
  -- Two ends as numbers.
  local function ends(what, v)
    local list = H.series(what, v)
    if #list ~= 2 then util.raise("ValueError", "%s: an interval is two numbers, not %d", what, #list) end
    return list[1], list[2]
  end
  --- `off, scale` of the line that takes one interval to the other.
  function U.mapparms(old, new)
    local a, b = ends("mapparms", old)
    local c, d = ends("mapparms", new)
    return (b * c - a * d) / (b - a), (d - c) / (b - a)
  end
  --- The places x of the interval `old` in the interval `new`; x may be a number, an array, a Variable or a series.
  function U.mapdomain(x, old, new)
    if type(x) == "table" and getmetatable(x) == nil then x = core.asarray(x) end
    local off, scale = U.mapparms(old, new)
    if off == 0 and scale == 1 then return x end
    return x * scale + off
  end
  --- Coefficients without those at the end that are no larger than tol.
  function U.trimcoef(...)
    local o = util.bind("trimcoef", { "c", "tol", tol = "number" }, ...)
    local list, dtype = H.series("trimcoef", o.c)
    local tol = o.tol or 0
    if tol < 0 then util.raise("ValueError", "trimcoef: tol is not negative") end
    local n = #list
    while n > 0 and nd.abs(list[n]) <= tol do n = n - 1 end
    if n == 0 then return core.array({ list[1] * 0 }, dtype) end
    return core.array(table.move(list, 1, n, 1, {}), dtype)
  end
  --- A series without the zeros at its end.
  function U.trimseq(c) return U.trimcoef(c, 0) end
  --- Vectors of one dtype, without the zeros at their ends unless trim is false.
  function U.as_series(alist, trim)
    local out, dtype = {}, nil
    for i, c in ipairs(util.list("as_series: the vectors", alist)) do
      local list, d = H.series("as_series", c)
      dtype = dtype and nd.result_type(dtype, d) or d
      out[i] = trim == false and core.array(list, d) or U.trimseq(c)
    end
    for i, c in ipairs(out) do out[i] = c:astype(dtype) end
    return out
  end
  return U
end
