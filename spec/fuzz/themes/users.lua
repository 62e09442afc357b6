--- Operations of the user: Lua on arrays, with and without lengths and gradients, views and overwritten inputs, several
-- results, callbacks that compile, call, free and collect, graphs and texts as operations.
local session = require("spec.fuzz.session")

-- Bodies of one argument of one type: what a perform may do with its array x.
local bodies = { "return x * 2", "return x + 0", "return x", "collectgarbage() return x * 0.5",
  "local y = x * 1 y:free() return x * 1",
    "local p = T.dvector() local q = theano.compile({ p }, p * 2, { mode = mode }) "
  .. "q({ 1.0, 2.0 }) collectgarbage() return x * 2", "local big = nd.zeros({ 100 }) big:free() return -x",
  "pcall(function() error('inside') end) return x * 3", "if x.size > 12 then error('too many') end return x * 1",
  "local q = theano.compile({}, T.constant(1.5), { mode = mode }) local y = x * q() q:free() return y" }

local shapes = { "", ", infer_shape = function(_, _, s) return { s[1] } end" }
local slopes = { "", ", grad = function(_, _, gz) return { gz[1] * 2 } end",
  ", L_op = function(_, inputs, outputs, gz) return { gz[1] * 2 + 0 * inputs[1] } end" }

local function type_text(n) return ('T.TensorType("%s", %s)'):format(n.dtype, session.pattern_text(n.bcast)) end

local function operation(s, rng, x, body, more)
  local k = #s.nodes + 1
  return s:thing(("theano.Op{ name = \"U%d\", itypes = { %s }, otypes = { %s }, "
    .. "perform = function(_, _, inputs) local x = inputs[1] t.ran(%d) %s end%s%s }"):format(k, type_text(x),
      type_text(x), k,
      body, rng:pick(shapes), (more or "") .. rng:pick(slopes)), {})
end

return function(registry)
  local entry = registry.entry
  local function operand(s) return s:find(function(n) return session.is_float(n.dtype) and n.scale < 60 end) end

  entry("operation", 6, function(s, rng)
    local x = operand(s)
    if not x then return nil end
    local op = operation(s, rng, x, rng:pick(bodies))
    return s:step("%1(%2)", { op.id, x.id }, { exact = true })
  end)

  entry("operation applied twice", 5, function(s, rng)
    local x = operand(s)
    local y = x and s:find(function(n)
      local same = n.dtype == x.dtype and #n.shape == #x.shape and n.scale < 60
      for d = 1, #x.shape do same = same and n.bcast[d] == x.bcast[d] end
      return same
    end)
    if not y then return nil end
    local op = operation(s, rng, x, rng:pick(bodies))
    if rng:chance(0.3) and #x.shape > 0 then
      return s:step("%1(%2 * %1(%3).shape[0]) + %1(%3)", { op.id, x.id, y.id }, {})
    end
    s:step("%1(%2)", { op.id, y.id }, { exact = true })
    return s:step(rng:pick({ "%1(%2)", "%1(%1(%2))", "%1(%2 + 1)", "%1(%2) * %1(%2)" }), { op.id, x.id }, {})
  end)

  entry("operation with a late length", 4, function(s, rng)
    local x = s:find(function(n) return n.dtype == "float64" and #n.shape == 1 and n.exact end)
    if not x then return nil end
    local k = #s.nodes + 1
    local body = rng:pick({ 'return x[":2"]', "return nd.sort(x)", "return nd.concatenate({ x, x })",
      "local l = {} for i = 0, x.shape[1] - 1 do if x[i] > 0 then l[#l + 1] = x[i] end end "
        .. "return nd.array(l, 'float64')",
      "return nd.zeros({ 3 }) + #x", 'return x["::-1"]' })
    local op = s:thing(("theano.as_op{ itypes = { T.dvector().type }, otypes = { T.dvector().type }, "
      .. "fn = function(x) t.ran(%d) %s end }"):format(k, body), {})
    return s:step("%1(%2)" .. rng:pick({ "", "", ".shape[0] + 0", " * 2", "[\"::-1\"]" }), { op.id, x.id },
      { exact = true })
  end)

  entry("operation with views", 4, function(s, rng)
    local x = operand(s)
    if not x then return nil end
    local view = rng:pick({ "x", 'x["..."]' })
    local op = operation(s, rng, x, "return " .. view, ", view_map = { { 1 } }")
    local y = s:step("%1(%2)", { op.id, x.id }, { exact = true })
    if y and rng:chance(0.5) then y.wanted = true end
    return y and s:step(rng:pick({ "%1 + %2", "T.set_subtensor(%1['...'], 3)", "T.exp(-T.sqr(%1))", "%1 * 2" }),
      { y.id, x.id }, {})
  end)

  entry("operation that overwrites", 4, function(s, rng)
    local x = operand(s)
    if not x then return nil end
    local op = operation(s, rng, x, 'x["..."] = 5.0 return x', ", destroy_map = { { 1 } }")
    local y = s:step("%1(%2)", { op.id, x.id }, { exact = "always" })
    return y and s:step(rng:pick({ "%1 + %2", "%2 * 2", "%1 * %2" }), { y.id, x.id }, {})
  end)

  entry("operation with two results", 4, function(s, rng)
    local x = operand(s)
    if not x then return nil end
    local k = #s.nodes + 1
    local pattern = type_text(x)
    local op = s:thing(("theano.Op{ name = 'Two%d', itypes = { %s }, otypes = { %s, T.lscalar().type }, "
      .. "perform = function(_, _, inputs, outputs) t.ran(%d) %s end%s }"):format(k, pattern, pattern, k,
        rng:pick({ "outputs[1] = inputs[1] * 2 outputs[2] = inputs[1].size", "return inputs[1] * 2, 7",
          "outputs[2] = 3 outputs[1] = inputs[1] collectgarbage()" }),
        rng:pick({ "", ", infer_shape = function(_, _, s) return { s[1], {} } end" })), {})
    local list = s:thing("table.pack(%1(%2))", { op.id, x.id })
    local second = rng:chance(0.7) and s:step("%1[2]", { list.id }, { exact = true })
    local first = rng:chance(0.7) and s:step("%1[1]", { list.id }, { exact = true })
    return first or second or nil
  end)

  -- What is forbidden while a function runs is an error or works, and ends; the operation goes on either way.
  entry("operation that meddles", 4, function(s, rng)
    local x = operand(s)
    if not x then return nil end
    local shareds = {}
    for _, n in ipairs(s.nodes) do
      if n.kind == "shared" then shareds[#shareds + 1] = ("v[%d]"):format(n.id) end
    end
    local w = #shareds > 0 and rng:pick(shareds) or "v[0]"
    local meddling = rng:pick({ "W:get_value()", "W:get_value({ borrow = true })", "W:set_value(W:get_value())",
      "t.f:free()", "t.f(table.unpack(t.args))", "t.f:copy():free()", "t.args[1]:free()",
        "t.f:bind(table.unpack(t.args))()",
      "inputs[1]:free()", "theano.compile({}, W + 1, { mode = mode })()", "collectgarbage('step') t.last = nil",
      "theano.compile({}, W.shape, { updates = { { W, W * 2 } }, mode = mode })" }):gsub("W", function() return w end)
    local op = operation(s, rng, x, ("t.once(function() %s end) return x * 1"):format(meddling))
    local y = s:step("%1(%2)", { op.id, x.id }, { exact = true })
    if y and #shareds > 0 and rng:chance(0.7) then
      local id = math.tointeger(tonumber(w:match("%d+")))
      return s:step(rng:pick({ "%1.sum and %1 * 1", "%1 + %2.size", "%1 * %2.ndim" }), { y.id, id }, {}) or y
    end
    return y
  end)

  entry("operation of a text", 3, function(s, rng)
    local x = operand(s)
    if not x or x.scale > 5 then return nil end
    local op = s:thing(('theano.Op{ name = "K%d", kernel = "%s" }'):format(#s.nodes + 1,
      rng:pick({ "x * exp(-y^2) + 1", "x + y * 2", "x - y" })), {})
    return s:step("%1(%2, %2)", { op.id, x.id }, {})
  end)

  entry("graph as an operation", 4, function(s, rng)
    local x = operand(s)
    if not x or x.scale > 20 then return nil end
    local op = s:thing(("(function() local a = %s('a') "
      .. "return theano.OpFromGraph({ a }, { %s }, { name = 'G%d' }) end)()")
      :format(type_text(x), rng:pick({ "a * 2", "T.tanh(a)", "a + a", "T.sin(a) * 0.5" }), #s.nodes + 1), {})
    return s:step(rng:pick({ "%1(%2)", "%1(%1(%2))", "%1(%2) + %1(%2 * 2)" }), { op.id, x.id }, {})
  end)

  entry("operation in a loop", 3, function(s, rng)
    local x = s:find(function(n) return session.is_float(n.dtype) and #n.shape == 1 and n.scale < 60 end)
    if not x then return nil end
    local k = #s.nodes + 1
    local op = s:thing(("theano.as_op{ itypes = { T.TensorType('%s', {})().type }, "
      .. "otypes = { T.TensorType('%s', {})().type }, "
      .. "fn = function(x) t.ran(%d) return x * 2 end%s }"):format(x.dtype, x.dtype, k,
        rng:pick({ "", ", infer_shape = function(_, _, s) return { s[1] } end" })), {})
    return s:step(rng:pick({ "(theano.map(function(a) return %1(a) + 1 end, %2))",
      "(theano.scan{ fn = function(h) return %1(h) * 0.3 end, outputs_info = T.sum(%2), n_steps = 3 })",
      "(theano.map(function(a) return %1(a) * %1(%2[0]) end, %2))" }), { op.id, x.id }, {})
  end)
end
