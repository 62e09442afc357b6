--- float16 and bfloat16: casts there and back, what is rounded after each operation, what moves elements as they are,
-- and sums in float32.
local session = require("spec.fuzz.session")

local function half(n) return session.is_half(n.dtype) and n.scale < 60 end

local pointwise = { "%1 + %1", "%1 * %1 * 0.25", "T.tanh(%1)", "T.exp(%1 * 0.125)", "T.nnet.sigmoid(%1)", "-%1",
  "T.abs_(%1)", "T.maximum(%1, 0)", "T.sqr(%1) * 0.125", "%1 / (T.abs_(%1) + 1)", "T.nnet.softplus(%1)",
  "T.clip(%1, -1, 1)",
  "T.switch(T.gt(%1, 100), %1 * 2, %1)", "T.sqrt(T.abs_(%1))" }
local moving = { "%1:flatten()", '%1["::-1"]', '%1["1:"]', "T.join(0, %1, %1)", "T.zeros_like(%1) + %1",
  "T.stack({%1, %1})",
  "T.set_subtensor(%1[':1'], 0)", "%1:dimshuffle('x', %A)", "T.repeat_(%1, 2, 0)" }
local reduced = { "T.sum(%1, {axis = 0})", "T.mean(%1)", "T.max(%1, {axis = -1})", "T.prod(%1 * 0.125 + 1, {axis = 0})",
  "T.min(%1)", "T.var(%1, {axis = 0})", "T.nnet.softmax(%1)", "T.logsumexp(%1)" }

return function(registry)
  local entry = registry.entry

  entry("to halves", 14, function(s, rng)
    local x = s:some()
    return x and s:step(("T.cast(%%1, '%s')"):format(rng:pick({ "float16", "bfloat16" })), { x.id }, { smooth = false })
  end)

  entry("half by half", 10, function(s, rng)
    local x = s:find(half)
    return x and s:step(rng:pick(pointwise), { x.id }, { smooth = false })
  end)

  entry("two halves", 6, function(s, rng)
    local x = s:find(half)
    local y = x and s:find(function(n) return n.scale < 60 and #n.shape == #x.shape and
      (session.is_half(n.dtype) or session.is_float(n.dtype)) end)
    local text = rng:pick({ "%1 + %2", "%1 * %2 * 0.125", "T.second(%1, %2)" })
    return y and s:step(text, { x.id, y.id }, { smooth = false })
  end)

  entry("halves that move", 8, function(s, rng)
    local x = s:find(function(n) return half(n) and #n.shape > 0 end)
    return x and s:step(session.fill(rng:pick(moving), x), { x.id }, { smooth = false })
  end)

  entry("sums of halves", 7, function(s, rng)
    local x = s:find(function(n) return half(n) and #n.shape > 0 and n.size > 0 end)
    local text = x and rng:pick(reduced)
    if not x or (text:find("softmax", 1, true) and #x.shape ~= 2) then return nil end
    return s:step(text, { x.id }, { smooth = false })
  end)

  entry("from halves", 4, function(s, rng)
    local x = s:find(half)
    local to = rng:pick({ "float32", "float64", "float16", "bfloat16" })
    return x and s:step(("T.cast(%%1, '%s')"):format(to), { x.id }, { smooth = false })
  end)
end
