-- Draws of random numbers. NumPy's Generator draws uniform numbers by PCG64, normal ones by tables; `legacy` beside its
-- RandomState. What is drawn differs from library to library, so means and deviations are what is checked.
local theano = require("theano")
local T = theano.tensor

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

local G = { title = "random numbers", peers = { "lua", "numpy", "torch" }, cases = {} }
local by_name = {}
for _, c in ipairs(CASES) do
  by_name[c[1]] = c[2]
  for _, n in ipairs({ "1000", "100000", "10000000" }) do G.cases[#G.cases + 1] = { c[1], n } end
end

-- Mean and deviation in tenths, which no draw of 1000 numbers misses by much.
function G.prepare(name, n)
  n = math.tointeger(tonumber(n))
  local key_in = T.vector("key", { dtype = "uint32" }) -- a key that is known would be no work
  local value = by_name[name](n)
  local f
  if name:find("^key") then
    local draw = name == "key uniform" and uniform or normal
    f = theano.compile { inputs = { key_in }, outputs = draw(theano.random.Key(key_in), n) }
    local key_of = theano.ndarray.array({ 1, 2 }, "uint32")
    return { f = f, args = { key_of } }, math.floor(f(key_of):astype("float64"):std() * 10 + 0.5)
  end
  f = theano.compile { inputs = {}, outputs = value }
  return { f = f, args = {} }, math.floor(f():astype("float64"):std() * 10 + 0.5)
end

return G
