--- What frequencies a sound has, moment by moment: frames of the sound, each faded in and out, Fourier transformed.
-- build/theano examples/images/spectrogram.lua [folder]
-- Makes a sound of two seconds (a rising tone, a trembling one, clicks), prints its strongest frequencies and writes
-- spectrogram.png: time from left to right, frequencies from the bottom up.
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local out_dir = arg[1] or "."

-- ---- the sound: 8000 samples a second -------------------------------------------------------------------------------
local rate, seconds = 8000, 2
local t = nd.arange(rate * seconds) / rate
local rising = nd.sin(2 * math.pi * (200 * t + 600 * t ^ 2)) -- 200 Hz and 1200 more each second
local trembling = nd.sin(2 * math.pi * 3000 * t + 8 * nd.sin(2 * math.pi * 5 * t)) -- 3000 Hz, 40 up and down
local clicks = nd.zeros({ rate * seconds })
clicks[4000], clicks[12000] = 20, 20
local sound = rising + 0.5 * trembling + clicks

-- ---- frames to levels -----------------------------------------------------------------------------------------------
local length, step = 256, 64
local x = T.dvector("sound")
local count = (x.shape[0] - length) // step + 1
local starts = T.arange(count):dimshuffle(0, "x") * step
local window = T.constant(0.5 - 0.5 * nd.cos(nd.arange(length) * (2 * math.pi / length)))
local frames = x[starts + T.arange(length)] * window
local parts = T.fft.rfft(frames) -- (frames, length // 2 + 1, 2): real and imaginary
local power = T.sum(T.sqr(parts), { axis = 2 })
local level = 10 * T.log10(power + 1e-10) -- decibel
local spectrogram = theano.compile { inputs = { x }, outputs = { level, T.argmax(power, { axis = 1 }) } }

local levels, loudest = spectrogram(sound)
local frequency = nd.fft.rfftfreq(length, 1 / rate)
print(("%d frames of %d samples, %d frequencies from %g to %g Hz"):format(levels.shape[1], length, levels.shape[2],
  frequency[0], frequency[levels.shape[2] - 1]))
for _, second in ipairs({ 0.25, 0.75, 1.25, 1.75 }) do
  local frame = (second * rate - length / 2) // step | 0
  print(("at %.2f s: %6.1f Hz is the strongest, the rising tone has %g"):format(second, frequency[loudest[frame]],
    200 + 1200 * second))
end

theano.plot.image(out_dir .. "/spectrogram.png", levels.T["::-1"], { low = -20, high = 40 })
print("picture: " .. out_dir .. "/spectrogram.png")
