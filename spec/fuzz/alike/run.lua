--- Valid calls of what arrays and Variables share, computed by arrays, by graphs as written, by optimized graphs in the
-- interpreter, and by generated C: all give the same, or refuse. Each call follows from the seed and its number.
-- @module spec.fuzz.alike.run
local calls = require("spec.fuzz.alike.calls")
local core = require("theano.core")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local M = {}

local Mode = theano.compile.Mode
local WRITTEN = Mode({ linker = "interpreter", optimizer = "None" })
local FAST = Mode({ linker = "interpreter", optimizer = "fast_run" })
local IN_C = Mode({ linker = "c", optimizer = "fast_run" })
local TOGETHER = 60 -- calls of one unit of C

local function set(text)
  local s = {}
  for word in text:gmatch("%S+") do s[word] = true end
  return s
end

local function is_variable(v) return type(v) == "userdata" and core.kind(v) == "variable" end

-- ---- what graphs have from Theano, or cannot know -------------------------------------------------------------------
local REFUSE = { "not known while building", "none of halves", "_shift works on integers or bool",
  "there are no elements" }
local OTHERWISE = {
  ["infinities times zeros, in another order"] = set("tril triu convolve correlate polymul polyval vander"),
  ["lengths and shapes that follow from values"] = set("polyadd polysub polymul trim_zeros cov corrcoef unique"),
  ["extrema of nothing, and its positions"] = set("max min amax amin nanmax nanmin flatnonzero argwhere nonzero "
    .. "histogram histogram_bin_edges linalg.norm linalg.vector_norm linalg.matrix_norm gradient"),
  ["running sums keep the dtype, numbers are cast to it"] = set("full_like cumsum cumprod nancumsum nancumprod "
    .. "cumulative_sum cumulative_prod"),
  ["positions that nothing is taken from"] = set("take"),
  ["an axis of none is all of them"] = set("ptp"),
}
-- An ulp of an edge moves what lies on it.
local ON_EDGES = set("histogram")

local function excused(call)
  if call.keywords and call.keywords.dtype then return true end -- a sum is cast, not its terms
  for _, names in pairs(OTHERWISE) do
    if names[call.name] then return true end
  end
end

local function cannot(message)
  for _, words in ipairs(REFUSE) do
    if message:find(words, 1, true) then return true end
  end
end

-- ---- comparison -----------------------------------------------------------------------------------------------------
-- How far results may be off, to their largest element: by the coarsest dtype that takes part.
local function precision(call)
  local eps = 2.0 ^ -44
  calls.each_array(call, function(a)
    if a.dtype:find("float16") then eps = 2.0 ^ -4 -- bfloat16, and sums of it
    elseif not a.dtype:find("64") and not a.dtype:find("128") or a.dtype == "complex64" then
      eps = math.max(eps, 2.0 ^ -16)
    end
  end)
  for _, dtype in pairs(call.keywords or {}) do
    if dtype == "float32" then eps = math.max(eps, 2.0 ^ -16) end
  end
  return eps
end

local function parts(v)
  if type(v) == "boolean" then return v and 1 or 0, 0 end
  if type(v) == "number" then return v, 0 end
  return v.real, v.imag
end

local function near(a, b, allowed)
  return a == b or a ~= a and b ~= b or math.abs(a - b) <= allowed
end

local function largest(list)
  local most = 0
  for _, v in ipairs(list) do
    for _, x in ipairs({ parts(v) }) do
      x = math.abs(x)
      if x < math.huge and x > most then most = x end
    end
  end
  return most
end

--- nil, or how two results differ; their dtypes are another spec's. edges: NaN of a may be a number of b, as 0 / 0 is 0
-- once it is rewritten.
local function differ(a, b, eps, edges)
  if type(a) == "string" or type(b) == "string" then return a ~= b and ("%s and %s"):format(a, b) or nil end
  local x, y = nd.asarray(a), nd.asarray(b)
  local form, other = table.concat(x.shape, ","), table.concat(y.shape, ",")
  if form ~= other then return ("shapes (%s) and (%s)"):format(form, other) end
  if x.dtype ~= y.dtype and x.dtype:find("int") and y.dtype:find("int") then return nil end -- one of them wraps
  local p, q = x:reshape({ -1 }):tolist(), y:reshape({ -1 }):tolist()
  local allowed = eps * math.max(largest(p), 0.125)
  for k, v in ipairs(p) do
    local re, im = parts(v)
    local re2, im2 = parts(q[k])
    local lost = edges and (re ~= re or im ~= im)
    if not lost and not (near(re, re2, allowed) and near(im, im2, allowed)) then
      return ("element %d is %s and %s"):format(k - 1, tostring(v), tostring(q[k]))
    end
  end
end

local function lists_differ(a, b, eps, edges)
  if #a ~= #b then return ("%d results and %d"):format(#a, #b) end
  for k, v in ipairs(a) do
    local why = differ(v, b[k], eps, edges)
    if why then return ("result %d: %s"):format(k, why) end
  end
end

-- ---- one call -------------------------------------------------------------------------------------------------------
local function named(module, name)
  local at = module
  for part in name:gmatch("[^.]+") do
    local ok, v = pcall(function() return at[part] end)
    if not ok or v == nil then return nil end
    at = v
  end
  return at
end

local function flat(list, v)
  if type(v) == "table" and not getmetatable(v) then
    for _, x in ipairs(v) do flat(list, x) end
  else list[#list + 1] = v end
  return list
end

local function protected(fn, ...)
  local got = table.pack(pcall(fn, ...))
  if not got[1] then return nil, tostring(got[2]) end
  local list = {}
  for k = 2, got.n do flat(list, got[k]) end
  return list
end

-- The graph of a call: inputs, their values, outputs (nil and a message: it is refused). known: lengths are told.
local function graph(call, fn, known)
  local inputs, values = {}, {}
  local arguments = calls.arguments(call, function(a)
    local pattern = {}
    for d = 1, a.ndim do pattern[d] = a.shape[d] == 1 end
    local x = T.TensorType(a.dtype, pattern)()
    inputs[#inputs + 1], values[#values + 1] = x, a
    return known and T.specify_shape(x, { table.unpack(a.shape) }) or x
  end)
  local outputs, why = protected(fn, table.unpack(arguments))
  for k, out in ipairs(outputs or {}) do outputs[k] = is_variable(out) and out or T.constant(out) end
  return { inputs = inputs, values = values, outputs = outputs, why = why, call = call }
end

local function computed(g, mode)
  return protected(function()
    return theano.compile({ inputs = g.inputs, outputs = g.outputs, mode = mode,
      on_unused_input = "ignore" })(table.unpack(g.values))
  end)
end

-- Compares arrays with a graph, and the graph with itself rewritten; the graph, where it has values.
local function one(call, state, known)
  local eager, symbolic = named(nd, call.name), named(T, call.name)
  assert(symbolic, call.name .. " is none of T's")
  local g, eps = graph(call, symbolic, known), precision(call)
  local want, refused = nil, g.why
  if g.outputs then want, refused = computed(g, WRITTEN) end
  local got, why = want, refused
  if eager then got, why = protected(eager, table.unpack(calls.arguments(call))) end
  if (got == nil) ~= (want == nil) then
    local said = why or refused
    if not cannot(said) and not excused(call) then
      state.finding(call, (got and "graphs refuse: " or "arrays refuse: ") .. said)
    end
  elseif got and not excused(call) then
    local off = lists_differ(got, want, eps)
    if off then state.finding(call, "arrays and graphs, " .. off) end
  end
  if not want then
    state.refused = state.refused + 1
    return nil
  end
  state.values = state.values + 1
  g.want, why = computed(g, FAST)
  local off = g.want and lists_differ(want, g.want, eps, true) or why
  if off and not ON_EDGES[call.name] then state.finding(call, "as written and optimized, " .. off) end
  return g.want and g or nil
end

-- Graphs through one unit of C; what it gives is what the interpreter gives.
local function in_c(graphs, state)
  local all = { inputs = {}, values = {}, outputs = {} }
  for _, g in ipairs(graphs) do
    for key, list in pairs(all) do table.move(g[key], 1, #g[key], #list + 1, list) end
  end
  local got, why = computed(all, IN_C)
  if not got then return state.finding(graphs[1].call, "one of a unit fails in C: " .. why) end
  local at = 0
  for _, g in ipairs(graphs) do
    local off = lists_differ(g.want, table.move(got, at + 1, at + #g.outputs, 1, {}), precision(g.call))
    if off then state.finding(g.call, "interpreter and C, " .. off) end
    at = at + #g.outputs
    state.in_c = state.in_c + #g.outputs
  end
end

--- Makes the calls first .. first + count - 1 of a seed; c: in generated C too. Gives how many there were (calls), how
-- many had values (values), were refused by all (refused), results in C (in_c), and what differs (findings, texts).
function M.run(options)
  local state = { calls = 0, values = 0, refused = 0, in_c = 0, findings = {} }
  local rows, waiting = calls.rows(), {}
  for number = options.first, options.first + options.count - 1 do
    local random = calls.stream(options.seed, number)
    local call = calls.call(rows[random(#rows)], random)
    function state.finding(c, text)
      table.insert(state.findings, ("call %d, %s: %s"):format(number, calls.shown(c), text:match("^[^\n]*")))
    end
    state.calls = state.calls + 1
    local g = one(call, state, random(3) == 1)
    if options.c and g then waiting[#waiting + 1] = g end
    if #waiting == TOGETHER then
      in_c(waiting, state)
      waiting = {}
    end
    if number % 200 == 0 then collectgarbage() end
  end
  if #waiting > 0 then in_c(waiting, state) end
  return state
end

return M
