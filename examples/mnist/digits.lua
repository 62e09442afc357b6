--- The digits of examples/mnist/data as rows of 784 pixels in [0, 1], float32: `local digits = dofile(here ..
-- "/digits.lua")(here)`.
local nd = require("theano.ndarray")

return function(here)
  local function images(name)
    local a = nd.load(here .. "/data/" .. name)
    return a:reshape({ a.shape[1], 784 }):astype("float32") / 255
  end
  local function labels(name) return nd.load(here .. "/data/" .. name):astype("int32") end
  return {
    train_x = images("mnist8k-train-images-idx3-ubyte.gz"), train_y = labels("mnist8k-train-labels-idx1-ubyte.gz"),
    test_x = images("mnist2k-test-images-idx3-ubyte.gz"), test_y = labels("mnist2k-test-labels-idx1-ubyte.gz"),
  }
end
