-- Parameters saved as .npz, which NumPy reads too, and loaded into another model.
-- Run it with: build/theano examples/save_and_load.lua
local theano = require("theano")
local nd = require("theano.ndarray")

local function model(seed)
  local rng = nd.random.RandomState(seed)
  return {
    W = theano.shared(rng:randn(3, 2):astype("float32"), "W"),
    b = theano.shared(nd.zeros({ 2 }, "float32"), "b"),
  }
end

local first, second = model(1), model(2)
local path = os.tmpname() .. ".npz"

local values = {}
for name, param in pairs(first) do
  values[name] = param:get_value({ borrow = true }) -- no copy, and an array whatever its rank
end
nd.save(path, values)

local loaded = nd.load(path)
for _, name in ipairs({ "W", "b" }) do
  local value = loaded[name]
  print(name, value.dtype, table.concat(value.shape, " x "))
  second[name]:set_value(value)
end
print("equal after loading:", nd.array_equal(first.W:get_value(), second.W:get_value()))
os.remove(path)
