--- What compositions of special functions share (see theano.alike): choices, through whose conditions no gradient goes,
-- and orders.
-- @module theano.alikechoice
local util = require("theano.util")

local MOST = 1000 -- orders that recurrences climb to

return function(M, K)
  local as = K.as
  local C = {}
  function C.call(f, ...) return as(f(...)) end
  function C.stop(x) return K.plain and x or require("theano.gradient").disconnected_grad(x) end
  function C.pick(c, a, b) return C.call(M.switch, C.stop(as(c)), a, b) end
  function C.both(a, b) return C.call(M.and_, as(a), as(b)) end
  function C.either(a, b) return C.call(M.or_, as(a), as(b)) end
  -- x within a piece, where another one is meant. Bounds are float64 whatever floatX is: float32 has no 1e-320.
  function C.kept(x, a, b) return C.call(M.clip, x, K.double(a), K.double(b)) end
  -- n, the argument `name` of special[what], as a whole number from `least` on.
  function C.order(what, name, n, least)
    local k = type(n) == "number" and math.tointeger(n)
    if k and k >= least and k <= MOST then return k end
    return util.raise("ValueError", "special.%s: %s is a whole number from %d to %d, not %s", what, name, least, MOST,
      type(n) == "number" and tostring(n) or util.kind_of(n))
  end
  C.MOST, C.EULER, C.MAX = MOST, 0.57721566490153286061, 0x1.fffffffffffffp1023
  return C
end
