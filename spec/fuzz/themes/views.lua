--- Parts, transposes and reshapes of one array, several of them at once, and writes into them: what may be a view and
-- what must be a copy.
local session = require("spec.fuzz.session")

local parts = { '%1["1:"]', '%1[":-1"]', '%1["::2"]', '%1["::-1"]', "%1.T", "%1:reshape({ -1 })", '%1["..., 0"]',
  '%1["None"]', '%1["-1"]', "%1:flatten()", '%1["::-2"]', "%1:dimshuffle('x', %A)", "%1:copy()", '%1["0"]',
  "T.shape_padright(%1)", '%1["2:0:-1"]', "T.unbroadcast(%1, 0)", "T.tensor_copy(%1)", "T.as_tensor_variable(%1)",
  "T.roll(%1, 0)", "%1:reshape(%1.shape)", '%1[{T.slice(nil, %1.shape[0])}]' }

local function floats(n) return session.is_float(n.dtype) and #n.shape > 0 and n.scale < 60 end

return function(registry)
  local entry = registry.entry
  entry("view", 12, function(s, rng)
    local x = s:find(function(n) return #n.shape > 0 end)
    return x and s:step(session.fill(rng:pick(parts), x), { x.id }, { exact = x.exact })
  end)

  entry("views of one, as outputs", 5, function(s, rng)
    local x = s:find(function(n) return #n.shape > 0 end)
    if not x then return nil end
    local last
    for _ = 1, rng:int(2, 3) do
      local n = s:step(session.fill(rng:pick(parts), x), { x.id }, { exact = x.exact })
      if n then
        n.wanted = true
        last = n
      end
    end
    if rng:chance(0.3) then x.wanted = true end
    return last
  end)

  entry("written part", 8, function(s, rng)
    local x = s:find(floats)
    if not x then return nil end
    local part = rng:pick({ '%1["1:"]', '%1["0"]', '%1["::2"]', '%1["::-1"]', '%1[":"]', '%1["..., 0"]', '%1["-1"]',
      '%1[":2"]' })
    local kinds = { "T.set_subtensor(P, 0)", "T.set_subtensor(P, T.sqr(P) * 0.5)", "T.inc_subtensor(P, 1)",
      "T.inc_subtensor(P, P)", "T.set_subtensor(P, P:copy() + 1)", "T.set_subtensor(P, P * 2)[\"0\"]",
      "T.inc_subtensor(T.zeros_like(%1)[\"1:\"], %1[\"1:\"])", "T.set_subtensor(P, T.exp(-T.sqr(P)))" }
    return s:step((rng:pick(kinds):gsub("P", function() return part end)), { x.id }, {})
  end)

  entry("part written with another", 6, function(s, rng)
    local x = s:find(floats)
    local y = x and s:find(function(n) return n.dtype == x.dtype and n.scale < 60 and #n.shape <= #x.shape end)
    if not y then return nil end
    local part = rng:pick({ '%1["1:"]', '%1[":"]', '%1[":2"]', '%1["::-1"]', '%1["0"]' })
    local function same(k) return k > 0 and x.shape[k] == y.shape[k] end
    if same(1) and #x.shape == #y.shape then
      local cut = rng:pick({ { '%1[":"]', "%2" }, { '%1["1:"]', '%2["1:"]' }, { '%1["::-1"]', "%2" }, { '%1["0"]',
        '%2["0"]' },
        { '%1[":2"]', '%2["-2:"]' }, { "%1", "%2[\"::-1\"]" } })
      return s:step(("T.%s_subtensor(%s, %s)"):format(rng:pick({ "set", "inc" }), cut[1] == "%1" and '%1[":"]'
        or cut[1],
        cut[2]), { x.id, y.id }, {})
    end
    return s:step(("T.%s_subtensor(%s, %%2)"):format(rng:pick({ "set", "inc" }), part), { x.id, y.id }, {})
  end)

  entry("diagonal and others", 4, function(s, rng)
    local x = s:find(function(n) return floats(n) and #n.shape == 2 end)
    if not x then return nil end
    return s:step(rng:pick({ "%1:diagonal()", "T.diag(%1)", "T.fill_diagonal(%1, 2)",
      "T.fill_diagonal_offset(%1, 3, 1)",
      "%1:swapaxes(0, 1)", "T.moveaxis(%1, 0, 1)", "T.tril(%1)", "T.tile(%1, {2, 1})", "%1:diagonal() * 2",
      "T.stack({ %1.T, %1.T })", "T.diag(%1:diagonal())", "T.batched_dot(T.stack({%1, %1}), T.stack({%1.T, %1.T}))",
      "T.trace(%1)", "T.eye(%1.shape[0], %1.shape[1]) * %1", "T.triu(%1, 1)", "T.nlinalg.alloc_diag(%1[0])" }),
      { x.id }, {})
  end)

  entry("blown up", 5, function(s, rng)
    local x = s:find(function(n) return floats(n) and n.size < 40 and #n.shape <= 2 end)
    if not x then return nil end
    return s:step(session.fill(rng:pick({ "T.alloc(%1, 2, %S)", "T.alloc(%1, %S)", "T.alloc(%1, 2, %S) + %1",
      "T.alloc(%1, 2, %S)[0]",
      "T.second(T.zeros({2, %S}), %1)", "T.zeros_like(%1) + 2", "T.ones_like(%1) * %1", "T.fill(%1, %1)",
      "T.alloc(0.0, %S) + %1", "T.dot(T.zeros_like(%1), %1.T)", "T.alloc(%1, 2, %S):reshape({ -1 })",
      "T.repeat_(%1, 2, {axis = 0})", "T.tile(%1, 2, {ndim = " .. #x.shape .. "})",
      "T.alloc(1.0, 3, %S) * %1", "T.zeros({2, %S})[1] + %1" }), x), { x.id }, {})
  end)
end
