--- What compositions of special functions choose by (see theano.alike): through a condition no gradient goes.
-- @module theano.alikechoice
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
  return C
end
