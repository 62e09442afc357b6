--- Principal components of handwritten digits: the eigenvectors of their covariance, in which digits differ most.
-- build/theano examples/linalg/pca.lua [components] [folder]
-- Prints how much of the variance the components hold, and how well digits that were not looked at are put together
-- from them; writes pca-components.png, and pca-digits.png with digits above what is left of them.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/../mnist/digits.lua")(here .. "/../mnist")
local count, out_dir = tonumber(arg[1]) or 50, arg[2] or "."

local x = T.dmatrix("x")
local mean = x:mean(0)
local centred = x - mean
local covariance = T.dot(centred.T, centred) / x.shape[0]
local values, vectors = T.nlinalg.eigh(covariance) -- ascending
local best = vectors[{ T.slice(), T.slice(nil, -count - 1, -1) }]
local share = T.cumsum(values["::-1"]) / T.sum(values)
local analyse = theano.compile { inputs = { x }, outputs = { mean, best, share } }
local centre, components, shares = analyse(digits.train_x:astype("float64"))

for _, k in ipairs({ 1, 10, count }) do
  print(("%3d of 784 components hold %.1f %% of the variance"):format(k, 100 * shares[k - 1]))
end

local test = digits.test_x:astype("float64")
local code = (test - centre):dot(components) -- `count` numbers a digit
local again = centre + code:dot(components.T)
local left = ((again - test) ^ 2):sum() / ((test - centre) ^ 2):sum()
print(("unseen digits from %d numbers each: %.1f %% of their variance"):format(count, 100 * (1 - left)))
local gram = components.T:dot(components)
print("components are at right angles: " .. tostring(nd.allclose(gram, nd.eye(count), 1e-8, 1e-8)))

local first = components[{ T.slice(), T.slice(nil, math.min(count, 40)) }].T:copy()
local rows = first:reshape({ first.shape[1], 28, 28 })
theano.plot.images(out_dir .. "/pca-components.png", rows, { columns = 10, scale = 2 })
local shown = nd.concatenate({ test["0:10"], again["0:10"]:clip(0, 1) })
theano.plot.images(out_dir .. "/pca-digits.png", shown:reshape({ 20, 28, 28 }), { columns = 10, scale = 2 })
print("pictures: " .. out_dir .. "/pca-components.png, pca-digits.png")
