--- Scans: several sequences of differing lengths, states with taps, numbers of steps that are values, ends by
-- condition, truncated gradients, and results whose lengths meet in arithmetic.
local session = require("spec.fuzz.session")

local function sequence(n) return session.is_float(n.dtype) and #n.shape >= 1 and #n.shape <= 2 and n.scale < 20 end

-- Bodies over one row a, and over rows a and b.
local one = { "a * 2", "T.tanh(a) + a", "a + 1, a * 2", "-a", "a:sum()", "T.sqr(a) * 0.1", "a * %1.shape[0]",
  "a + %1[0]", "T.exp(-T.sqr(a))", "T.switch(T.gt(a, 0), a, 0)" }
local two = { "a * b", "a + b", "a - b:sum()", "T.maximum(a, b)", "a:sum() * b", "T.tanh(a + b)" }
-- Steps of a state h and a row a.
local states = { "T.tanh(h + a)", "h * 0.5 + a", "T.maximum(h, a)", "T.sin(h) * a", "(h + a) * 0.3, h",
  "h + a:sum() * 0.1" }
local alone = { "h * 0.5", "T.tanh(h) + 0.1", "T.sin(h)", "h + 1", "h * 0.5 + %1 * 0.25", "T.sqr(h) * 0.1" }

local function extras(rng)
  local words = {}
  if rng:chance(0.15) then words[#words + 1] = "go_backwards = true" end
  if rng:chance(0.15) then words[#words + 1] = ("truncate_gradient = %d"):format(rng:pick({ 1, 2, 5, -1 })) end
  if rng:chance(0.15) then words[#words + 1] = ("n_steps = %d"):format(rng:int(0, 3)) end
  if rng:chance(0.05) then words[#words + 1] = "strict = false" end
  return #words > 0 and ", " .. table.concat(words, ", ") or ""
end

-- What is made of the first dimension of a loop's result.
local ends = { "", "", "", "[-1]", '["1:"]', '["::-1"]', '["-2:"]', '["0"]', ':sum({axis = 0})', ".shape[0]", " * 2" }

local function add(s, rng, text, deps, facts)
  local several = text:find("return [^\n]-, ") and not text:find("until_", 1, true)
  if several then
    local list = s:thing("(theano.scan" .. text .. ")", deps)
    local last
    for k = 1, 2 do
      local e = rng:pick(ends)
      last = s:step(("%%1[%d]%s"):format(k, e), { list.id }, facts) or last
    end
    return last
  end
  return s:step("(theano.scan" .. text .. ")" .. rng:pick(ends), deps, facts)
end

return function(registry)
  local entry = registry.entry

  entry("loop over one", 5, function(s, rng)
    local x = s:find(sequence)
    if not x then return nil end
    return add(s, rng, ("{ fn = function(a) return %s end, sequences = %%1%s }"):format(rng:pick(one), extras(rng)),
      { x.id },
      {})
  end)

  entry("loop over two", 5, function(s, rng)
    local x = s:find(sequence)
    local y = x and s:find(function(n) return sequence(n) and n.dtype == x.dtype and (#n.shape == 1 or #x.shape == 1
      or n.shape[2] == x.shape[2]) end)
    if not y then return nil end
    return add(s, rng, ("{ fn = function(a, b) return %s end, sequences = { %%1, %%2 }%s }"):format(rng:pick(two),
      extras(rng)), { x.id, y.id }, {})
  end)

  entry("loop with taps", 3, function(s, rng)
    local x = s:find(sequence)
    if not x then return nil end
    return add(s, rng,
      ("{ fn = function(a, b) return %s end, sequences = { { input = %%1, taps = { %s } } }%s }"):format(
      rng:pick(two), rng:pick({ "-1, 0", "0, 1", "0, 2", "-2, 0" }), extras(rng)), { x.id }, {})
  end)

  entry("loop with a state", 7, function(s, rng)
    local x = s:find(function(n) return sequence(n) and n.size > 0 end)
    if not x then return nil end
    local start = rng:pick({ "%1[0]", "T.zeros_like(%1[0])", "%1[-1] * 0.5", "T.ones_like(%1[0])" })
    return add(s, rng, ("{ fn = function(a, h) return %s end, sequences = %%1, outputs_info = { %s%s }%s }"):format(
      rng:pick(states):gsub(", h$", ", h"), start, "", extras(rng)), { x.id }, {})
  end)

  entry("loop with an older state", 3, function(s, rng)
    local x = s:find(function(n) return sequence(n) and n.shape[1] >= 2 end)
    if not x then return nil end
    return add(s, rng,
      ("{ fn = function(h, k) return %s end, outputs_info = { { initial = %%1, taps = { -2, -1 } } }, n_steps = %s }")
      :format(rng:pick({ "h + k * 0.5", "T.tanh(h * k)", "k - h", "h * 0.3" }), rng:pick({ "3", "%1.shape[0]", "1",
        "5" })),
      { x.id }, {})
  end)

  entry("loop of a number of steps", 5, function(s, rng)
    local x = s:find(function(n) return session.is_float(n.dtype) and #n.shape < 3 and n.scale < 20 end)
    if not x then return nil end
    local n = rng:chance(0.6) and s:leaf("int64", {}, {}, { rng:int(0, 6) }, "input") or nil
    local steps = n and rng:pick({ "%2", "%2 + 1", "%2 * 2" }) or rng:pick({ "1", "2", "4", "%1.size" })
    return add(s, rng,
      ("{ fn = function(h) return %s end, outputs_info = %%1, n_steps = %s%s }"):format(rng:pick(alone),
      steps, rng:chance(0.2) and ", truncate_gradient = 2" or ""), n and { x.id, n.id } or { x.id }, {})
  end)

  entry("loop that ends by condition", 4, function(s, rng)
    local x = s:find(function(n) return session.is_float(n.dtype) and #n.shape == 1 and n.exact and n.size > 0 end)
    if not x then return nil end
    local text = rng:pick({
      "{ fn = function(a) return a * 2, theano.until_(T.gt(a, 0)) end, sequences = %1 }",
      "{ fn = function(a, c) return { a + 1, c + 1 }, theano.until_(T.ge(c, 2)) end, sequences = %1, "
        .. "outputs_info = { false, T.constant(0, { dtype = 'int64' }) } }",
      "{ fn = function(h) return h * 2, theano.until_(T.gt(h.sum and h:sum() or h, 10)) end, "
        .. "outputs_info = %1, n_steps = 6 }",
      "{ fn = function(h) return h + 1, theano.until_(T.gt(h[0], 3)) end, outputs_info = %1, n_steps = %1.shape[0] }" })
    if text:find("{ a + 1", 1, true) then return s:step("(theano.scan" .. text .. ")[1]" .. rng:pick(ends), { x.id },
      {}) end
    return s:step("(theano.scan" .. text .. ")" .. rng:pick(ends), { x.id }, {})
  end)

  entry("loops that meet", 5, function(s, rng)
    local x = s:find(sequence)
    local y = x and s:find(function(n) return sequence(n) and #n.shape == #x.shape and n.shape[1] == x.shape[1]
      and (#x.shape == 1 or n.shape[2] == x.shape[2]) end)
    if not y then return nil end
    local first = ("(theano.map(function(a) return %s end, %%1))"):format(rng:pick({ "a * 2 + a", "T.tanh(a)",
      "a - 1" }))
    local second = ("(theano.scan{ fn = function(a) return %s end, sequences = %%2%s })"):format(rng:pick({ "a * 3",
      "T.sin(a)", "a + 1" }), extras(rng))
    return s:step(rng:pick({ "F + S", "F * S", "F - F", "F + %2", "S * %1", "T.concatenate({F, S})", "F[\"::-1\"] + S",
      "T.dot(F.T, S)", "T.stack({F, S})", "T.set_subtensor(F[\":\"], S)" }):gsub("[FS]", function(w)
        return w == "F" and first or second
      end):gsub("T%.%(theano", "T.(theano"), { x.id, y.id }, {})
  end)

  entry("nested loop", 2, function(s, rng)
    local x = s:find(function(n) return session.is_float(n.dtype) and #n.shape == 2 and n.scale < 20 end)
    if not x then return nil end
    return s:step(rng:pick({
      "(theano.map(function(a) return (theano.map(function(b) return b * 2 + a:sum() end, a)) end, %1))",
      "(theano.scan{ fn = function(a) return (theano.scan{ fn = function(b, h) return T.tanh(b + h) end, "
        .. "sequences = a, "
        .. "outputs_info = T.constant(0.0, { dtype = a.dtype }) })[-1] end, sequences = %1 })",
      "(theano.foldl(function(a, h) return h * 0.5 + a end, %1, T.zeros_like(%1[0])))",
      "(theano.reduce(function(a, h) return T.maximum(h, a) end, %1, %1[0]))" }), { x.id }, {})
  end)

  entry("loop with late rows", 2, function(s, rng)
    local x = s:find(function(n) return #n.shape == 1 and n.exact and session.is_float(n.dtype) end)
    if not x then return nil end
    return s:step(rng:pick({
      "(theano.map(function(a) return a * 2 end, %1[T.gt(%1, 0):nonzero()])) + %1[T.gt(%1, 0):nonzero()]",
      "(theano.map(function(i) return %1[i] * 2 end, T.argsort(%1)))",
      "(theano.map(function(i) return T.sum(%1[{T.slice(nil, i)}]) end, T.arange(%1.shape[0])))",
      "(theano.scan{ fn = function(h) return h + T.unique(%1):sum() end, "
        .. "outputs_info = %1, n_steps = T.unique(%1).shape[0] })[-1]" }),
      { x.id }, {})
  end)
end
