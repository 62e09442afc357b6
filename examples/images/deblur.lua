--- Sharpens a blurred picture: gradient descent on the picture itself, through conv2d, until its blur is the one given.
-- build/theano examples/images/deblur.lua [steps] [folder]
-- Draws a test picture, blurs it with a Gaussian of 9x9, restores it, prints the errors, and writes blurred.png and
-- restored.png.
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local steps, out_dir = tonumber(arg[1]) or 300, arg[2] or "."

-- ---- a picture: rings, a disc and bars, 128 x 128, in [0, 1] -------------------------------------------------------
local side = 128
local picture = nd.zeros({ side, side })
for r = 0, side - 1 do
  for c = 0, side - 1 do
    local far = math.sqrt((r - 44) ^ 2 + (c - 48) ^ 2)
    local v = far < 38 and (math.floor(far / 5) % 2 == 0 and 0.9 or 0.2) or 0.05
    if (r - 92) ^ 2 + (c - 98) ^ 2 < 20 ^ 2 then v = 0.7 end
    if r > 96 and c < 72 and c % 8 < 4 then v = 1 end
    picture[{ r, c }] = v
  end
end

-- ---- its blur, as a graph ------------------------------------------------------------------------------------------
local size, sigma = 9, 1.8
local kernel = nd.zeros({ 1, 1, size, size })
for r = 0, size - 1 do
  for c = 0, size - 1 do
    local d = (r - size // 2) ^ 2 + (c - size // 2) ^ 2
    kernel[{ 0, 0, r, c }] = math.exp(-d / (2 * sigma ^ 2))
  end
end
kernel = kernel / nd.sum(kernel)
local function blur(image) return T.nnet.conv2d(image, T.constant(kernel), { border_mode = "half" }) end

local x = T.dtensor4("x")
local blurred = theano.compile({ x }, blur(x))(picture:reshape({ 1, 1, side, side }))

-- ---- restoring: the picture is the parameter, with momentum, kept in [0, 1] ----------------------------------------
local guess = theano.shared(blurred:copy(), "guess")
local speed = theano.shared(nd.zeros(blurred.shape), "speed")
local cost = T.sqr(blur(guess) - T.constant(blurred)):sum()
local moved = 0.9 * speed - 0.2 * T.grad(cost, guess)
local step = theano.compile({ inputs = {}, outputs = cost,
  updates = { { speed, moved }, { guess, T.clip(guess + moved, 0, 1) } } })

local function off(image) return math.sqrt(nd.mean((image:reshape({ side, side }) - picture) ^ 2)) end

print(("blurred: off by %.4f (root of the mean square)"):format(off(blurred)))
for k = 1, steps do
  local now = step()
  if k % (steps // 5) == 0 then print(("step %4d: cost %.6f, off by %.4f"):format(k, now, off(guess:get_value()))) end
end
theano.plot.image(out_dir .. "/blurred.png", blurred:reshape({ side, side }), { low = 0, high = 1 })
theano.plot.image(out_dir .. "/restored.png", guess:get_value():reshape({ side, side }), { low = 0, high = 1 })
print("pictures: " .. out_dir .. "/blurred.png and restored.png")
