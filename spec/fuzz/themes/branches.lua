--- ifelse: lazy branches, of one length or of two, lists of them, conditions that share.
local session = require("spec.fuzz.session")

local conditions = { "T.gt(%1, 0)", "T.eq(%1, 1)", "%1", "T.lt(%1 * 2, 3)" }

return function(registry)
  registry.entry("ifelse", 6, function(s, rng)
    local x = s:find(function(n) return session.is_float(n.dtype) and n.scale < 60 end)
    if not x then return nil end
    local y = s:find(function(n) return n.dtype == x.dtype and #n.shape == #x.shape and n.scale < 60 end)
    for d = 1, #x.shape do
      if x.bcast[d] ~= y.bcast[d] then y = x end
    end
    local c = s:find(function(n) return #n.shape == 0 and n.dtype == "int64" end)
      or s:leaf("int64", {}, {}, { rng:int(0, 1) }, "input")
    local left = rng:pick({ "%2", "T.exp(-T.sqr(%2))", "%2 * 2", "T.tanh(%2)" })
    local right = rng:pick({ "%3", "%3 + 1", "%3 * %3", "T.sin(%3)" })
    if rng:chance(0.2) and #x.shape > 0 then left = "%2[\"1:\"]" end
    return s:step(("theano.ifelse(%s, %s, %s)%s"):format(rng:pick(conditions), left, right,
      rng:pick({ "", "", " + 1", ":sum()" })), { c.id, x.id, y.id }, {})
  end)

  registry.entry("ifelse of lists", 2, function(s, rng)
    local x = s:find(function(n) return session.is_float(n.dtype) and n.scale < 60 end)
    if not x then return nil end
    local c = s:leaf("int64", {}, {}, { rng:int(0, 1) }, "input")
    local list = s:thing("theano.ifelse(T.gt(%1, 0), { %2, %2 * 2 }, { T.sin(%2), %2 })", { c.id, x.id })
    s:step("%1[1]", { list.id }, {})
    return s:step("%1[2]", { list.id }, {})
  end)

  registry.entry("ifelse that guards", 3, function(s, rng)
    local x = s:find(function(n) return session.is_float(n.dtype) and #n.shape == 1 and n.scale < 60 end)
    if not x then return nil end
    return s:step(rng:pick({ "theano.ifelse(T.gt(%1.shape[0], 2), %1[2], T.sum(%1))",
      "theano.ifelse(T.gt(%1.shape[0], 0), T.max(T.concatenate({%1, T.zeros_like(%1[\"0:1\"])})), T.sum(%1))",
      "theano.ifelse(T.gt(%1.shape[0], 4), T.stack({%1, %1[{T.slice(nil, %1.shape[0])}]}):sum(), "
        .. "%1.shape[0] * 1.5 + T.sum(%1) * 0)",
      "(theano.map(function(a) return theano.ifelse(T.gt(a * 0 + %1.shape[0], 2), a * 2, a + 1) end, %1))" }),
        { x.id }, {})
  end)
end
