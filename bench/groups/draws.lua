-- Draws of random numbers. NumPy's Generator draws uniform numbers by PCG64, normal ones by tables; `legacy` beside its
-- RandomState. What is drawn differs from library to library, so means and deviations are what is checked. Then what
-- draws are for: a dropout layer (a draw, what is left of x, the gradient), and steps of the Deep Learning Tutorials'
-- restricted Boltzmann machine, 784 visible, 500 hidden units, 20 chains of 1 or 15 Gibbs steps.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function mrg(draw) return function(n) return draw(theano.random.MRG_RandomStreams(1), n) end end
local function key(draw) return function(n) return draw(theano.random.Key(1), n) end end
local function uniform(r, n) return r:uniform({ n }, { dtype = "float32" }) end
local function normal(r, n) return r:normal({ n }, { dtype = "float32" }) end

local CASES = {
  { "uniform", mrg(uniform) },
  { "uniform float64", mrg(function(r, n) return r:uniform({ n }, { dtype = "float64" }) end) },
  { "uniform legacy", mrg(function(r, n) return r:uniform({ n }, { dtype = "float64" }) end) },
  { "normal", mrg(normal) },
  { "normal float64", mrg(function(r, n) return r:normal({ n }, { dtype = "float64" }) end) },
  { "normal legacy", mrg(normal) },
  { "binomial int8", mrg(function(r, n) return r:binomial({ n }, { p = 0.5, dtype = "int8" }) end) },
  { "key uniform", key(uniform) },
  { "key normal", key(normal) },
}

-- ---- a layer, a model ---------------------------------------------------------------------------------------------
local function dropout(n)
  local x, g = T.fvector("x"), T.fvector("g")
  local y = T.nnet.dropout(x, 0.5, theano.random.MRG_RandomStreams(1))
  local f = theano.compile { inputs = { x, g }, outputs = { y, T.Lop(y, x, g) } }
  local one = nd.ones({ n }, "float32")
  local left = f(one, one)
  return { f = f, args = { one, one } }, math.floor(left:mean() * 10 + 0.5)
end

local VISIBLE, HIDDEN, BATCH = 784, 500, 20
local function rbm(k)
  theano.config.floatX = "float32" -- of the uniform numbers behind `binomial`
  local r, srng = nd.random.RandomState(0), theano.random.MRG_RandomStreams(1)
  local function shared(v) return theano.shared(v:astype("float32")) end
  local bound = 4 * math.sqrt(6 / (VISIBLE + HIDDEN))
  local W = shared(r:uniform(-bound, bound, { VISIBLE, HIDDEN }))
  local b, c, chain = shared(nd.zeros { HIDDEN }), shared(nd.zeros { VISIBLE }), shared(nd.zeros { BATCH, HIDDEN })
  local x = T.fmatrix("x")
  local function energy(v) return -T.dot(v, c) - T.sum(T.nnet.softplus(T.dot(v, W) + b), { axis = 1 }) end
  local function sample(mean) return srng:binomial(mean.shape, 1, mean, { ndim = 2, dtype = "float32" }) end
  local function gibbs(h)
    local v = sample(T.nnet.sigmoid(T.dot(h, W.T) + c))
    return v, sample(T.nnet.sigmoid(T.dot(v, W) + b))
  end
  local out, updates = theano.scan { fn = gibbs, outputs_info = { false, chain }, n_steps = k }
  local v = out[1][-1]
  local cost = energy(x):mean() - energy(v):mean()
  updates:set(chain, out[2][-1])
  for i, g in ipairs(theano.grad(cost, { W, b, c }, { consider_constant = { v } })) do
    local p = ({ W, b, c })[i]
    updates:set(p, p - T.constant(0.01, { dtype = "float32" }) * g)
  end
  local f = theano.compile { inputs = { x }, outputs = cost, updates = updates }
  local digits = r:randint(0, 2, { BATCH, VISIBLE }):astype("float32")
  for _ = 1, 3 do f(digits) end
  return { f = f, args = { digits } }, math.floor(chain:get_value():mean() * 5 + 0.5)
end

local WHOLE = { dropout = dropout, rbm = rbm }

local G = { title = "random numbers", peers = { "lua", "numpy", "torch" }, cases = {} }
local by_name = {}
for _, c in ipairs(CASES) do
  by_name[c[1]] = c[2]
  for _, n in ipairs({ "1000", "100000", "10000000" }) do G.cases[#G.cases + 1] = { c[1], n } end
end

for _, n in ipairs({ "30000", "1000000", "10000000" }) do G.cases[#G.cases + 1] = { "dropout", n } end
for _, k in ipairs({ "1", "15" }) do G.cases[#G.cases + 1] = { "rbm", k } end

-- Mean and deviation in tenths, which no draw of 1000 numbers misses by much.
function G.prepare(name, n)
  n = math.tointeger(tonumber(n))
  if WHOLE[name] then return WHOLE[name](n) end
  local key_in = T.vector("key", { dtype = "uint32" }) -- a key that is known would be no work
  local value = by_name[name](n)
  local f
  if name:find("^key") then
    local draw = name == "key uniform" and uniform or normal
    f = theano.compile { inputs = { key_in }, outputs = draw(theano.random.Key(key_in), n) }
    local key_of = nd.array({ 1, 2 }, "uint32")
    return { f = f, args = { key_of } }, math.floor(f(key_of):astype("float64"):std() * 10 + 0.5)
  end
  f = theano.compile { inputs = {}, outputs = value }
  return { f = f, args = {} }, math.floor(f():astype("float64"):std() * 10 + 0.5)
end

return G
