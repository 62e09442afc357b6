--- Lengths that only a call tells: positions of what holds, distinct values, ranges of values, repetitions, slices at
-- computed bounds, shapes made of values; and arithmetic where such lengths meet.
local session = require("spec.fuzz.session")

local function exact_vector(n) return n.exact and #n.shape == 1 and not session.is_complex(n.dtype) end

local from_vector = { '%1[T.gt(%1, 0):nonzero()]', "%1[T.gt(%1, 0)]", "T.unique(%1)", "T.nonzero_values(%1)",
  "T.flatnonzero(%1)", "(%1:nonzero())", "T.compress(T.gt(%1, 0), %1)", "T.sort(%1)", "T.argsort(%1)",
  "T.unique(%1)[\"::-1\"]", "T.join(0, T.unique(%1), %1)", "T.unique(T.concatenate({%1, %1}))",
  "T.sum(%1[T.gt(%1, 0)])", "%1[T.gt(%1, 0)].shape[0]", "T.arange(T.gt(%1, 0):sum())", "T.roll(%1, T.gt(%1, 0):sum())",
  "T.topk(%1, 1)", "T.argtopk(%1, 1)", "T.bincount(T.cast(T.abs_(%1), 'int64'))", "T.cumsum(%1)",
  "T.searchsorted(T.sort(%1), %1)", "T.to_one_hot(T.cast(T.clip(T.abs_(%1), 0, 2), 'int64'), 3)", "T.diff(%1)",
  "T.repeat_(%1, T.cast(T.clip(%1, 0, 2), 'int64'))", "T.repeat_(%1, T.gt(%1, 0):sum())",
  "T.zeros({T.gt(%1, 0):sum()}) + 1", "T.alloc(%1[0], T.gt(%1, 0):sum())", "T.argsort(T.argsort(%1))",
  "%1[{T.slice(nil, T.gt(%1, 0):sum())}]", "%1[{T.slice(T.gt(%1, 0):sum(), nil)}]", "T.zeros_like(T.unique(%1))",
  "T.eye(T.gt(%1, 0):sum())", "T.tile(%1, {T.gt(%1, 0):sum()}, {ndim = 1})", "T.max(%1) + T.unique(%1)",
  "T.inc_subtensor(%1[T.argsort(%1)], 1)", "T.set_subtensor(%1[T.gt(%1, 0):nonzero()], 2)",
  "T.arange(%1.shape[0]) + T.argsort(%1)", "T.stack({T.unique(%1), T.unique(%1)})" }

local from_matrix = { "%1[T.gt(%1, 0):nonzero()]", "%1[T.gt(%1, 0)]", "T.roll(%1, 1, 0)", "T.roll(%1, -2, 1)",
  "T.roll(%1, 3)",
  "%1:reshape({ %1.shape[1], %1.shape[0] })", "%1:reshape({ %1.size })", "%1:reshape({ %1.shape[0] * %1.shape[1] })",
  "%1:reshape(T.stack({ %1.shape[1], %1.shape[0] }), {ndim = 2})", "%1:reshape(%1.shape[\"::-1\"], {ndim = 2})",
  "T.roll(T.stack({%1, %1}, 1), -4, 0)", "T.sum(%1[T.gt(%1[':, 0'], 0):nonzero()], {axis = 0})", "T.unique(%1)",
  "%1[{T.slice(nil, T.cast(%1[0].size, 'int64') - 1)}]", "%1[T.argsort(%1[':, 0'])]", "T.sort(%1, {axis = 0})",
  "T.argsort(%1, {axis = -1})", "T.topk(%1, 1, {axis = 0})", "T.repeat_(%1, %1.shape[0], {axis = 0})",
  "%1:flatten()[T.argsort(%1:flatten())]", "T.arange(%1.size):reshape(%1.shape)", "T.cumsum(%1, {axis = 0})",
  "T.zeros({ %1.shape[1], %1.shape[0] }) + %1.T", "T.alloc(%1, %1.shape[0], %1.shape[0], %1.shape[1])",
  "T.max(%1, {axis = 1})[T.argsort(T.max(%1, {axis = 1}))]", "%1[':, ::-1'][T.gt(%1[':, 0'], 0):nonzero()]",
  "T.concatenate({ %1, %1 }, {axis = 1})[':, 1:']", "T.stack({%1, %1}):reshape({ -1, %1.shape[1] })" }

return function(registry)
  local entry = registry.entry

  local function vector(s, rng)
    local x = s:find(exact_vector)
    if x and rng:chance(0.8) then return x end
    local shape, bcast = s:new_shape(1)
    return s:new_leaf(rng:pick({ "float64", "int64", "int8", "float32" }), -3, 3, shape, bcast)
  end
  local function sum_is_exact(text) return not text:find("sum%(%%1%[") and not text:find("cumsum", 1, true) end

  entry("late vector", 12, function(s, rng)
    local x, text = vector(s, rng), rng:pick(from_vector)
    return s:step(text, { x.id }, { exact = sum_is_exact(text) and (x.exact or nil) or false })
  end)

  entry("late matrix", 8, function(s, rng)
    local x = s:find(function(n) return n.exact and #n.shape == 2 and session.is_float(n.dtype) end)
    if not x then
      local shape, bcast = s:new_shape(2)
      x = s:new_leaf("float64", -3, 3, shape, bcast)
    end
    local text = rng:pick(from_matrix)
    return s:step(text, { x.id }, { exact = not text:find("sum", 1, true) })
  end)

  entry("late meets late", 8, function(s, rng)
    local x = s:find(function(n) return #n.shape == 1 and session.is_float(n.dtype) and n.scale < 60 end)
    if not x then return nil end
    local y = s:find(function(n) return #n.shape == 1 and session.is_float(n.dtype) and n.shape[1] == x.shape[1]
      and n.scale < 60 and n.id ~= x.id end) or x
    return s:step(rng:pick({ "%1 + %2", "%1 * %2", "T.dot(%1, %2)", "T.stack({%1, %2})", "T.concatenate({%1, %2})",
      "T.switch(T.gt(%1.shape[0], 2), %1, %2)", "T.outer(%1, %2)", "T.set_subtensor(%1[':'], %2)",
      "%1[T.arange(%2.shape[0])]", "%1 - %2[\"::-1\"]", "%1:reshape(%2.shape)", "%1[{T.slice(nil, %2.shape[0])}]",
      "T.inc_subtensor(T.zeros_like(%1)[{T.slice(nil, %2.shape[0])}], %2)",
      "T.specify_shape(%1, %2.shape)", "T.alloc(%1, %2.shape[0], %1.shape[0])" }), { x.id, y.id }, {})
  end)

  entry("late number", 5, function(s, rng)
    local n = s:leaf("int64", {}, {}, { rng:int(0, 5) }, "input")
    local x = s:some(rng:int(1, 2))
    if not x then return nil end
    return s:step(session.fill(rng:pick({ "%1[{T.slice(nil, %2)}]", "%1[{T.slice(%2, nil)}]", "T.roll(%1, %2, 0)",
      "T.repeat_(%1, %2, {axis = 0})", "T.alloc(%1, %2, %S)", "T.zeros({%2}) + 1.5", "T.arange(%2)",
        "%1[{T.slice(nil, nil, -1)}][{T.slice(nil, %2)}]",
      "T.set_subtensor(%1[{T.slice(nil, %2)}], 0)", "T.inc_subtensor(%1[{T.slice(%2, nil)}], 1)", "T.eye(%2)",
      "T.arange(0, %2, 2)", "%1[T.arange(T.minimum(%2, %1.shape[0]))]", "T.zeros({%2, %1.shape[0]})",
      "T.sum(T.alloc(%1, %2, %S), {axis = 0})", "T.tile(%1, {%2" .. (", 1"):rep(#x.shape - 1) .. "}, {ndim = "
        .. #x.shape .. "})",
      "T.ones({%2, 2}):sum({axis = 0})", "T.mean(T.arange(%2 + 1))", "%1[{T.slice(%2, %2 + 2)}]" }), x),
      { x.id, n.id }, {})
  end)

  entry("row of late", 3, function(s, rng)
    local x = s:find(function(n) return #n.shape >= 1 and n.size > 0 and session.is_float(n.dtype) end)
    return x and s:step(rng:pick({ "%1[-1]", "%1[0] + 1", "T.exp(-T.sqr(%1))", "%1:sum({axis = 0})", "%1:mean()",
      "T.tanh(%1)[\"::-1\"]", "%1.shape[0] * 2", "%1[\"1:\"] - %1[\":-1\"]", "%1:max()", "%1 / (1 + T.abs_(%1))" }),
      { x.id }, {})
  end)
end
