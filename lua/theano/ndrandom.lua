--- `nd.random`: NumPy's legacy RandomState bit for bit. What the engine's table does not hold is written here.
-- @module theano.ndarray.random
local core = require("theano.core")
local util = require("theano.util")

local M = { RandomState = core.RandomState }
local methods = core.random_methods

methods.random, methods.ranf, methods.sample = methods.random_sample, methods.random_sample, methods.random_sample

-- A sequence or array as an array; an integer stays.
local function population(a, what)
  if math.type(a) == "integer" then return nil, a end
  local array = core.asarray(a)
  if array.ndim == 0 then util.raise("ValueError", "%s: an array or an integer is needed", what) end
  return array, array.shape[1]
end

--- `permutation(n)` or `permutation(a)`: a copy of `a` whose first axis is in random order.
function methods.permutation(r, a)
  local array, n = population(a, "permutation")
  if not array then return core.random_order(r, n) end
  local copy = array:copy()
  r:shuffle(copy)
  return copy
end

--- `choice(a, size, replace, p)`: elements of a vector, or of 0 .. a - 1.
function methods.choice(r, a, ...)
  local size, replace, p = ...
  if util.is_keywords(size) then
    util.check_keywords("choice", size, util.set({ "size", "replace", "p" }))
    size, replace, p = size.size, size.replace, size.p
  elseif util.is_keywords(replace) then
    util.check_keywords("choice", replace, util.set({ "replace", "p" }))
    replace, p = replace.replace, replace.p
  end
  local array, n = population(a, "choice")
  if array and array.ndim ~= 1 then util.raise("ValueError", "choice: a must be 1-dimensional or an integer") end
  local at = core.random_pick(r, n, size, replace, p)
  if not array then return at end
  return array[at]
end

--- Refused: NumPy's numbers depend on the singular vectors of the LAPACK behind it.
function methods.multivariate_normal()
  util.raise("NotImplementedError", "multivariate_normal: NumPy's bits are those of its LAPACK; draw from the same "
    .. "distribution with mean + r:standard_normal({n, k}):dot(L.T), L a Cholesky factor of the covariance")
end

--- Writes the state as .npz, which `nd.random.load` and `np.load` read.
function methods.save(r, path)
  local state = r:get_state()
  require("theano.ndarray").save(path, {
    { "MT19937", state[2] }, { "pos", core.array(state[3]) }, { "has_gauss", core.array(state[4]) },
    { "cached_gaussian", core.array(state[5], "float64") },
  })
end

--- The state written by `save`, as a new RandomState.
function M.load(path)
  local at = require("theano.ndarray").load(path)
  if not (at.MT19937 and at.pos and at.has_gauss and at.cached_gaussian) then
    util.raise("ValueError", "%s holds no state of a RandomState", path)
  end
  local r = core.RandomState(0)
  r:set_state({ "MT19937", at.MT19937, at.pos:item(), at.has_gauss:item(), at.cached_gaussian:item() })
  return r
end

-- `nd.random.normal(...)` and so on draw from one RandomState, seeded by the system until `nd.random.seed(n)`.
local common
for name in pairs(methods) do
  if M[name] == nil and name ~= "save" then
    M[name] = function(...)
      common = common or core.RandomState()
      return methods[name](common, ...)
    end
  end
end

for name, value in pairs(require("theano.ndgenerator")) do M[name] = value end

return M
