--- Corners of types and lengths: operands that broadcast without a promise only where the lengths happen to fit, the
-- same node twice, dtypes that meet, arrays with no rows.
local session = require("spec.fuzz.session")

local function numeric(n) return n.dtype ~= "bool" and not session.is_complex(n.dtype) and n.scale < 60 end

return function(registry)
  local entry = registry.entry

  entry("two of one shape", 6, function(s, rng)
    local x = s:find(numeric)
    if not x then return nil end
    local y = s:find(function(n) return numeric(n) and #n.shape == #x.shape end)
    local text = rng:pick({ "%1 + %2", "%1 * %2", "T.maximum(%1, %2)", "T.second(%1, %2)",
      "T.switch(T.gt(%1, 0), %1, %2)" })
    if x.narrow ~= y.narrow or not (x.exact and y.exact) then text = rng:pick({ "%1 + %2", "%1 * %2" }) end
    return s:step(text, { x.id, y.id }, { smooth = false })
  end)

  entry("a leaf of the same lengths", 5, function(s, rng)
    local x = s:find(numeric)
    if not x or #x.shape == 0 then return nil end
    local y = s:like(x, -2, 2, rng:pick({ x.dtype, "float64", "int32" }))
    return s:step(rng:pick({ "%1 + %2", "%1 * %2", "%2 - T.cast(%1, 'float64')", "T.add(%1, %2, %1)" }),
      { x.id, y.id }, {})
  end)

  entry("no rows", 3, function(s, rng)
    local x = s:some(rng:int(1, 3))
    if not x then return nil end
    return s:step(rng:pick({ '%1[":0"]', '%1["5:2"]', 'T.join(0, %1[":0"], %1)', 'T.sum(%1[":0"], {axis = 0})',
      'T.prod(%1[":0"])', 'T.exp(%1[":0"])', 'T.concatenate({ %1[":0"], %1[":0"] })', '%1[":0"]:flatten()',
      'T.set_subtensor(%1[":0"], 3)', 'T.inc_subtensor(%1["3:1"], %1["3:1"])', "T.any(%1[':0'])",
      "T.all(T.gt(%1[':0'], 0), {axis = 0})", 'T.dot(%1[":0"].T, %1[":0"])', '%1[":0"]:reshape({ -1 })',
      'T.cumsum(%1[":0"])', 'T.sort(%1[":0"], {axis = 0})', 'T.zeros({0}) + 1', 'T.mean(%1) + T.sum(%1[":0"])' }),
      { x.id }, { smooth = false })
  end)

  entry("a promise that is checked", 3, function(s, rng)
    local x = s:some()
    if not x then return nil end
    local lengths = {}
    for d = 1, #x.shape do lengths[d] = rng:chance(0.5) and tostring(x.shape[d]) or ("%%1.shape[%d]"):format(d - 1) end
    local k = #x.shape > 0 and rng:int(0, #x.shape - 1) or 0
    local kinds = { ("T.specify_shape(%%1, {%s})"):format(table.concat(lengths, ", ")),
      "T.opt.assert_op(%1, T.ge(%1.size, 0))", "T.opt.assert_op(%1, T.gt(%1.size, 1))",
      "T.opt.assert_op(%1, T.lt(%1.size, 30), T.eq(%1.ndim, %1.ndim))",
      ("T.addbroadcast(%%1:dimshuffle(%s'x'), %d)"):format(#x.shape > 0 and session.fill("%A, ", x) or "", #x.shape) }
    if #x.shape > 0 and x.shape[k + 1] == 1 then kinds[#kinds + 1] = ("T.addbroadcast(%%1, %d)"):format(k) end
    if #x.shape > 0 then
      kinds[#kinds + 1] = ("T.specify_shape(%%1, {%s}).shape[%d] + %%1"):format(table.concat(lengths, ", "), k)
    end
    if #lengths == 0 then table.remove(kinds, 1) end
    return s:step(rng:pick(kinds), { x.id }, {})
  end)

  entry("dtypes that meet", 4, function(s, rng)
    local x = s:find(function(n) return n.exact and numeric(n) end)
    local y = x and s:find(function(n) return n.exact and numeric(n) and #n.shape == #x.shape end)
    if not y then return nil end
    return s:step(rng:pick({ "T.eq(%1, %2)", "T.lt(%1, %2)", "T.maximum(%1, %2)", "T.join(0, %1, %2)",
      "T.switch(T.ge(%1, %2), %1, %2)", "%1 - T.cast(%2, 'int64')", "T.stack({%1, %2})",
        "T.cast(%1, 'complex64') * %2" }),
      { x.id, y.id }, { exact = true, smooth = false })
  end)
end
