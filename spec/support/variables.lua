--- Variables for arrays, whose types promise length 1 where it is 1, so that these dimensions broadcast.
-- @module spec.support.variables
local T = require("theano.tensor")

return function(arrays)
  local list = {}
  for i, a in ipairs(arrays) do
    local ones = {}
    for d = 1, a.ndim do ones[d] = a.shape[d] == 1 end
    list[i] = T.TensorType(a.dtype, ones)("x" .. i)
  end
  return list
end
