--- Values at the corners of the stable forms, and what derivatives are made of: softmax, logistic losses, quotients.
local session = require("spec.fuzz.session")

local forms = { "T.nnet.softmax(%1)", "T.log(1 + T.exp(%1))", "T.nnet.sigmoid(%1) * %1",
  "%1 * T.log(1 + T.exp(%1)) * 0.5",
  "T.exp(%1) / T.sum(T.exp(%1), {axis = -1, keepdims = true})", "T.log(T.sum(T.exp(%1), {axis = -1, keepdims = true}))",
  "T.nnet.sigmoid(-%1) * T.exp(%1)", "1 - T.nnet.sigmoid(%1)", "T.sqrt(T.sqr(%1) + 1)", "T.mean(%1, {axis = 0})",
  "T.var(%1, {axis = -1})", "T.tanh(%1) ^ 2", "T.nnet.relu(%1)", "T.logsumexp(%1)", "T.sum(%1 ^ 2)",
    "T.std(%1 + T.arange(2)[1])",
  "(%1 - T.mean(%1)) / T.sqrt(T.var(%1) + 0.1)", "T.cumsum(%1)", "T.prod(%1 * 0.2 + 1)", "T.clip(%1, -1, 1)" }

-- Fourier transforms, small as their inputs are: of lines of any length, there and back, cut and followed by zeros.
local transforms = { "T.real(T.fft.fft(%1)) * 0.25", "T.imag(T.fft.ifft(%1, {norm = 'ortho'}))",
  "T.real(T.fft.fftn(%1, {norm = 'forward'}))", "T.fft.irfftn(T.fft.rfftn(%1), %1.shape)", "T.fft.fftshift(%1)",
  "T.real(T.fft.ifft(%1, {n = 5}))", "T.fft.irfft(T.fft.rfft(%1), {is_odd = true})",
  "T.fft.rfft(%1, {norm = 'ortho'})" }

-- Draws: the first ones of their streams in the first call, the next ones in each further call.
local draws = { "%1 + theano.random.MRG_RandomStreams(17):uniform(%1.shape)",
  "%1 * theano.random.MRG_RandomStreams(5):normal(%1.shape, 0.5, 0.25, {nstreams = 3})",
  "T.nnet.dropout(%1, 0.5, theano.random.MRG_RandomStreams(3))", "%1 + theano.random.Key(9):uniform(%1.shape, -1, 1)",
  "%1 - theano.random.RandomStreams(4):uniform(%1.shape)", "T.nnet.dropout(%1, 0.25, theano.random.RandomStreams(8))",
  "T.switch(theano.random.Key(2):bernoulli(%1.shape, 0.5), %1, -%1)" }

return function(registry)
  registry.entry("draw", 3, function(s, rng)
    local text = rng:pick(draws)
    local x = s:find(function(n) return session.is_float(n.dtype) and #n.shape > 0 and n.size > 0 and n.scale < 6 end)
    return x and s:step(text, { x.id }, {})
  end)

  registry.entry("transform", 3, function(s, rng)
    local text = rng:pick(transforms)
    local x = s:find(function(n) return session.is_float(n.dtype) and #n.shape > 0 and n.size > 0 and n.scale < 6 end)
    if not x or text:find("shape)", 1, true) and #x.shape > 1 then return nil end
    if text:find("fft%.i?rfft%(") and (#x.shape < 2 or x.shape[#x.shape] < 2) then return nil end
    return s:step(text, { x.id }, {})
  end)

  registry.entry("form", 6, function(s, rng)
    local text = rng:pick(forms)
    local x = s:find(function(n) return session.is_float(n.dtype) and #n.shape > 0 and n.size > 0 and n.scale < 6 end)
    if not x or (text:find("softmax", 1, true) and #x.shape ~= 2) then return nil end
    return s:step(text, { x.id }, {})
  end)

  registry.entry("product", 4, function(s, rng)
    local x = s:find(function(n) return session.is_float(n.dtype) and #n.shape == 2 and n.scale < 6 end)
    local y = x and s:find(function(n) return session.is_float(n.dtype) and n.scale < 6 and #n.shape > 0
      and #n.shape < 3 end)
    if not y then return nil end
    local text = "T.dot(%1, %2)"
    if #y.shape == 2 then
      if x.shape[2] == y.shape[2] then text = rng:pick({ "T.dot(%1, %2.T)", "T.dot(%2, %1.T) * 0.5" })
      elseif x.shape[1] == y.shape[1] then text = "T.dot(%1.T, %2)" end
    elseif x.shape[1] == y.shape[1] then text = "T.dot(%2, %1)" end
    return s:step(text, { x.id, y.id }, {})
  end)
end
