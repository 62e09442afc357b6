--- Small programs on arrays whose lengths often do not fit: what raises as written raises however it is rewritten.
-- @module spec.support.lengths
local theano = require("theano")
local T, nd, Mode = theano.tensor, theano.ndarray, require("theano.compile").Mode

local M = {}

-- What a step does with variables it takes from the pool: name, kinds of operands, function, kind of the result.
-- s: number, v: vector, m: matrix, i: vector of small integers; V, M, I: an input (of which the shape is asked for:
-- asking for the shape of what is computed computes nothing when rewritten, but does as written)
local steps = {}
local function step(name, takes, gives, fn)
  steps[#steps + 1] = { name = name, takes = takes, gives = gives, fn = fn }
end

for _, k in ipairs({ "v", "m" }) do
  local two, three, like = k .. k, k .. k .. k, k .. k:upper()
  step("add", two, k, function(x, y) return x + y end)
  step("sub", two, k, function(x, y) return x - y end)
  step("mul", two, k, function(x, y) return x * y end)
  step("div", two, k, function(x, y) return x / y end)
  step("pow", two, k, function(x, y) return T.abs(x) ^ y end)
  step("maximum", two, k, T.maximum)
  step("add3", three, k, function(x, y, z) return x + y + z end)
  step("fill", two, k, T.fill)
  step("fill0", two, k, function(x, y) return T.fill(x, 0) * y end)
  step("zeros_like", two, k, function(x, y) return T.zeros_like(x) + y end)
  step("zeros_times", two, k, function(x, y) return T.zeros_like(x) * y end)
  step("times0", two, k, function(x, y) return x * 0 * y end)
  step("0/", two, k, function(x, y) return 0 / (x + y) end)
  step("x-x", two, k, function(x, y) return (x + y) - (x + y) end)
  step("x-y-x", two, k, function(x, y) return x - y - x end)
  step("x*y/x", two, k, function(x, y) return x * y / x end)
  step("x/x", two, k, function(x, y) return (x * y) / (y * x) end)
  step("^0", two, k, function(x, y) return (x + y) ^ 0 end)
  step("pow0", two, k, function(x, y) return x ^ T.zeros_like(y) end)
  step("switch", three, k, T.switch)
  step("switch1", two, k, function(x, y) return T.switch(1, x, y) end)
  step("switch_mul", three, k, function(c, x, y) return T.switch(c, x, 0) * y end)
  step("switch_div", three, k, function(c, x, y) return T.switch(c, 0, x) / y end)
  step("switch_same", three, k, function(c, x, y) return T.switch(c, x, y) + T.switch(c, y, x) end)
  step("switch_like", two, k, function(x, y) return T.switch(T.ones_like(x), y, 0) end)
  step("switch_aa", two, k, function(c, x) return T.switch(c, x, x) end)
  step("lt", two, k, function(x, y) return T.lt(x, y) * x end)
  step("x<x", two, k, function(x, y) return T.lt(x * y, x * y) * 1.0 end)
  step("and0", two, k, function(x, y) return T.cast(T.and_(T.gt(x, y), T.zeros_like(T.gt(y, x))), "float64") end)
  step("log_exp", two, k, function(x, y) return T.log(T.exp(x) * T.exp(y)) end)
  step("log_add", two, k, function(x, y) return T.log(T.exp(x) + T.exp(y)) end)
  step("sigm_exp", two, k, function(x, y) return T.exp(x) * T.nnet.sigmoid(-x) + y end)
  step("abs", two, k, function(x, y) return T.abs(x * y) end)
  step("exp_over", two, k, function(x, y) return y * T.exp(x) / (1 + T.exp(x)) end)
  step("set_all", two, k, function(x, y) return T.set_subtensor(x[":"], y) end)
  step("inc_all", two, k, function(x, y) return T.inc_subtensor(x[":"], y) end)
  step("set_tail", two, k, function(x, y) return T.set_subtensor(x["1:"], y) end)
  step("inc_zeros", two, k, function(x, y) return T.inc_subtensor(T.zeros_like(x)[":"], y) end)
  step("inc_zeros_tail", two, k, function(x, y) return T.inc_subtensor(T.zeros_like(x)["1:"], y) end)
  step("inc_0", two, k, function(x, y) return T.inc_subtensor(x["1:"], T.zeros_like(y)) end)
  step("inc_alloc", like, k, function(x, y) return T.inc_subtensor(x[":"], T.alloc(1.0, table.unpack((function()
    local n = {}
    for d = 0, y.ndim - 1 do n[d + 1] = y.shape[d] end
    return n
  end)()))) end)
  step("set_get", two, k, function(x, y) return T.set_subtensor(x["1:"], y)["1:"] end)
  step("inc_inc", three, k, function(x, y, z) return T.inc_subtensor(x["1:"], y) + T.inc_subtensor(x[":-1"], z) end)
  step("tail", k, k, function(x) return x["1:"] end)
  step("head2", k, k, function(x) return x[":2"] end)
  step("reverse", k, k, function(x) return x["::-1"] end)
  step("sub_add", two, k, function(x, y) return (x + y)["1:"] end)
  step("join0", two, k, function(x, y) return T.join(0, x, y) end)
  step("unbroadcast", k, k, function(x) return T.unbroadcast(T.addbroadcast(x, 0), 0) end)
  step("addbroadcast", two, k, function(x, y) return T.addbroadcast(x, 0) + y end)
  step("specify", like, k, function(x, y) return T.specify_shape(x, y.shape) end)
  step("specify_0", like, k, function(x, y) return T.specify_shape(x, y.shape) * 0 + y end)
  step("sum", k, "s", function(x) return x:sum() end)
  step("sum_fill", two, "s", function(x, y) return T.fill(x, y):sum() end)
  step("sum_prod", two, "s", function(x, y) return (x * y):sum() end)
  step("prod", two, "s", function(x, y) return (x + y):prod() end)
  step("max_stack", two, k, function(x, y) return T.stack({ x, y }):max(0) end)
  step("sum_stack", two, k, function(x, y) return T.stack({ x, y }):sum(0) end)
  step("stack_0", two, k, function(x, y) return T.stack({ x, y })[0] end)
  step("sum_join", two, "s", function(x, y) return T.join(0, x, y):sum() end)
  step("join_get", two, k, function(x, y) return T.join(0, x, y)["0:1"] end)
  step("*s", k .. "s", k, function(x, s) return x * s end)
  step("fill_s", k .. "s", k, function(x, s) return T.fill(x, s) end)
  step("second_s", two, k, function(x, y) return T.fill(x + y, 1.5) end)
  step("grad", two, k, function(x, y) return T.grad((T.exp(x) * y):sum(), x) end)
  step("grad_0", two, k, function(x, y) return T.grad((x + y * 0):sum(), y) end)
  step("grad_set", two, k, function(x, y) return T.grad(T.set_subtensor(x["1:"], y):sum(), x) end)
  step("clip", three, k, T.clip)
  step("softplus", two, k, function(x, y) return T.log(1 + T.exp(x)) * y end)
  step("reshape_like", like, k, function(x, y) return x:reshape(y.shape, y.ndim) end)
  step("reshape_0", like, k, function(x, y) return (x:reshape(y.shape, y.ndim) * 0) + 1 end)
  step("sqr_sum", two, "s", function(x, y) return T.sqr(x - y):mean() end)
end
step("dot", "vv", "s", T.dot)
step("dot_mv", "mv", "v", T.dot)
step("dot_vm", "vm", "v", T.dot)
step("dot_mm", "mm", "m", T.dot)
step("dot_0v", "vv", "s", function(x, y) return T.dot(T.zeros_like(x), y) end)
step("dot_0m", "mv", "v", function(x, y) return T.dot(T.zeros_like(x), y) end)
step("dot_m0", "mm", "m", function(x, y) return T.dot(x, T.zeros_like(y)) end)
step("dot_T", "mm", "m", function(x, y) return T.dot(x, y).T end)
step("dot_sub", "mm", "v", function(x, y) return T.dot(x, y)[0] end)
step("dot_row", "mm", "m", function(x, y) return T.dot(x, y)["0:1"] end)
step("gemm", "mmm", "m", function(z, x, y) return z - 0.5 * T.dot(x, y) end)
step("gemv", "vmv", "v", function(z, x, y) return z + T.dot(x, y) end)
step("ger", "mvv", "m", function(z, x, y) return z + 2 * T.outer(x, y) end)
step("outer", "vv", "m", T.outer)
step("bias", "mv", "m", function(x, b) return x + b end)
step("bias_0", "mv", "m", function(x, b) return (x + b) * 0 end)
step("softmax_bias", "mv", "m", function(x, b) return T.nnet.softmax(x + b) end)
step("logsoftmax", "mv", "m", function(x, b) return T.log(T.nnet.softmax(x + b)) end)
step("alloc_v", "v", "v", function(x) return T.alloc(x, 2) end)
step("alloc_m", "v", "m", function(x) return T.alloc(x, 2, 2) end)
step("alloc_mm", "vm", "m", function(x, y) return T.alloc(x, 2, 2) + y end)
step("alloc_s", "Vm", "m", function(x, y) return T.alloc(1.0, 2, x.shape[0]) * y end)
step("alloc_exp", "v", "m", function(x) return T.exp(T.alloc(x, 2, 2)) end)
step("alloc_sum", "v", "s", function(x) return T.alloc(x, 3, 2):sum() end)
step("alloc_sum0", "v", "v", function(x) return T.alloc(x, 3, 2):sum(0) end)
step("alloc_sub", "v", "v", function(x) return T.alloc(x, 3, 2)[1] end)
step("alloc_sub1", "v", "m", function(x) return T.alloc(x, 3, 2)["1:"] end)
step("alloc_alloc", "v", "m", function(x) return T.alloc(T.alloc(x, 2), 3, 2) end)
step("alloc_max", "v", "v", function(x) return T.alloc(x, 3, 2):max(0) end)
step("col", "vm", "m", function(x, y) return x:dimshuffle(0, "x") * y end)
step("col_0", "vm", "m", function(x, y) return x:dimshuffle(0, "x") * y * 0 end)
step("col_sum", "vm", "v", function(x, y) return (y / x:dimshuffle(0, "x")):sum(1) end)
step("row_sum", "vm", "v", function(x, y) return (y / x:dimshuffle("x", 0)):sum(0) end)
step("sum_sum", "mm", "s", function(x, y) return (x + y):sum(0):sum() end)
step("sum0", "m", "v", function(x) return x:sum(0) end)
step("max1", "m", "v", function(x) return x:max(1) end)
step("argmax", "mm", "i", function(x, y) return T.argmax(T.exp(x + y), 1) end)
step("at", "v", "s", function(x) return x[1] end)
step("at_0", "vv", "v", function(x, y) return x[1] * 0 + y end)
step("row", "m", "v", function(x) return x[1] end)
step("row_0", "mv", "v", function(x, y) return x[1] * 0 + y end)
step("row_set", "mv", "m", function(x, y) return T.set_subtensor(x[1], y) end)
step("row_inc0", "mv", "m", function(x, y) return T.inc_subtensor(T.zeros_like(x)[1], y) end)
step("col_get", "m", "v", function(x) return x[":,1"] end)
step("lift", "mm", "v", function(x, y) return T.exp(x + y)[0] end)
step("T", "m", "m", function(x) return x.T end)
step("join1", "mm", "m", function(x, y) return T.join(1, x, y) end)
step("join1_0", "mm", "m", function(x, y) return T.join(1, x, y)[":,0:1"] end)
step("join1_sum", "mm", "m", function(x, y) return T.join(1, x, y)["0:0"] end)
step("split", "v", "v", function(x) return (select(2, T.split(x, { 1, 1 }, 2))) end)
step("split1", "v", "v", function(x) return (T.split(x, { 2 }, 1)) end)
step("flat", "m", "v", function(x) return x:flatten() end)
step("reshape22", "v", "m", function(x) return x:reshape({ 2, -1 }) end)
step("reshape_chain", "mV", "v", function(x, y) return x:reshape({ 2, 2 }):reshape(y.shape, 1) end)
step("reshape_row", "v", "m", function(x) return x:reshape({ 1, 2 }) end)
step("reshape_exp", "m", "v", function(x) return T.exp(x):reshape({ 4 }) end)
step("reshape_T", "v", "m", function(x) return x:dimshuffle(0, "x"):reshape({ 2, 1 }) end)
step("diag", "m", "v", T.diag)
step("take", "vi", "v", function(x, i) return x[i] end)
step("take_rows", "mi", "m", function(x, i) return x[i] end)
step("pick", "mii", "v", function(x, i, j) return x[{ i, j }] end)
step("inc_take", "viv", "v", function(x, i, y) return T.inc_subtensor(x[i], y) end)
step("inc_take_0", "viv", "v", function(x, i, y) return T.inc_subtensor(T.zeros_like(x)[i], y) end)
step("set_take", "viv", "v", function(x, i, y) return T.set_subtensor(x[i], y)[i] end)
step("inc_rows", "mim", "m", function(x, i, y) return T.inc_subtensor(x[i], y) end)
step("set_rows", "mim", "m", function(x, i, y) return T.set_subtensor(x[i], y)[i] end)
step("inc_pick", "miiv", "m", function(x, i, j, y) return T.inc_subtensor(x[{ i, j }], y) end)
step("xent", "mI", "v", function(x, i) return -T.log(T.nnet.softmax(x))[{ T.arange(i.shape[0]), i }] end)
step("xent_c", "mi", "s", function(x, i) return T.nnet.categorical_crossentropy(T.nnet.softmax(x), i):mean() end)
step("xent_d", "mm", "v", function(x, y) return T.nnet.categorical_crossentropy(T.nnet.softmax(x), y) end)
step("xent_g", "mi", "m", function(x, i)
  return T.grad(T.nnet.categorical_crossentropy(T.nnet.softmax(x), i):mean(), x)
end)
step("i+i", "ii", "i", function(x, y) return x + y * 0 end)
step("i//1", "ii", "i", function(x, y) return (x + y) // 1 end)
step("arange", "V", "i", function(x) return T.arange(x.shape[0]) end)
step("scan", "vm", "m", function(x, y)
  return (theano.scan(function(row, was) return was + row * 0 end, { sequences = y, outputs_info = x }))
end)
step("scan_seqs", "vv", "v", function(x, y)
  return (theano.scan(function(a, b) return a * b end, { sequences = { x, y }, n_steps = 2 }))
end)
step("scan_0", "mv", "v", function(x, y)
  return (theano.scan(function(row, b) return (row + b):sum() * 0 end, { sequences = x, non_sequences = y }))
end)
M.steps = steps

local names = { v = T.dvector, m = T.dmatrix, i = T.lvector, s = T.dscalar }

--- A random program. random(n) is a number from 1 to n; only: name of a step, which then comes last.
-- @treturn table inputs, outputs (variables), kinds, text
function M.program(random, only)
  local pool, p = {}, { inputs = {}, kinds = {}, text = {} }
  for _, k in ipairs({ "v", "v", "v", "m", "m", "m", "i", "i", "s" }) do
    local x = names[k](("%s%d"):format(k, #p.inputs + 1))
    p.inputs[#p.inputs + 1], p.kinds[#p.kinds + 1] = x, k
    pool[#pool + 1] = { k, x, x.name }
  end
  local function take(k)
    local fit, input = {}, k ~= k:lower()
    for i, e in ipairs(pool) do if e[1] == k:lower() and (not input or i <= #p.inputs) then fit[#fit + 1] = e end end
    -- what was made last is preferred
    local i = random(3) == 1 and #fit or random(#fit)
    return fit[i]
  end
  local function apply(s)
    local args, words = {}, {}
    for k in s.takes:gmatch(".") do
      local e = take(k)
      args[#args + 1], words[#words + 1] = e[2], e[3]
    end
    local ok, r = pcall(s.fn, table.unpack(args))
    if not ok then return false end -- what cannot fit is refused while it is built
    local text = ("%s(%s)"):format(s.name, table.concat(words, ", "))
    if r.type.ndim ~= ({ s = 0, v = 1, m = 2, i = 1 })[s.gives] then return false end
    if s.gives ~= "i" and r.dtype ~= "float64" then r = T.cast(r, "float64") end
    pool[#pool + 1] = { s.gives, r, text }
    return true
  end
  for _ = 1, random(3) - 1 do apply(steps[random(#steps)]) end
  if only then
    for _ = 1, 5 do if apply(only) then break end end
  end
  for _ = 1, random(3) - 1 do apply(steps[random(#steps)]) end
  local last = pool[#pool]
  p.output, p.text, p.steps = last[2], last[3], #pool - #p.inputs
  return p
end

--- Arguments: lengths around `base`, one in `odd` another from 0 to 3.
function M.arguments(p, random)
  local base, odd, args = random(4) > 1 and 2 or random(3), random(6) + 1, {}
  local function length() return random(odd) == 1 and random(4) - 1 or base end
  for i, k in ipairs(p.kinds) do
    if k == "s" then args[i] = random(3) - 1.5
    elseif k == "i" then
      local n = length()
      local a = nd.zeros({ n }, "int64")
      for j = 0, n - 1 do a[j] = random(base) - 1 end
      args[i] = a
    else
      local shape = { length(), k == "m" and length() or nil }
      local a = nd.zeros(shape, "float64")
      local flat = a:reshape({ -1 })
      if a.size > 0 then for j = 0, flat.shape[1] - 1 do flat[j] = random(9) / 4 - 1 end end
      args[i] = a
    end
  end
  return args
end

M.modes = {
  { "None", "interpreter" }, { "fast_run", "interpreter" }, { "fast_compile", "interpreter" }, { "fast_run", "c" },
}

function M.compile(p, mode)
  return theano.compile(p.inputs, p.output,
    { mode = Mode({ optimizer = mode[1], linker = mode[2] }), on_unused_input = "ignore" })
end

--- What a call comes to: "value", or the kind of the error; and the result or the error.
function M.outcome(f, args)
  local ok, r = pcall(f, table.unpack(args))
  if ok then return "value", r end
  return theano.error_kind(tostring(r)), tostring(r)
end

--- Is it an error that only values tell, or the body of a loop: then it is gone with what nobody needs
-- (docs/differences.md)?
function M.by_value(e)
  return e:find("index out of bounds: index", 1, true) or e:find("y_i value out of bounds", 1, true)
    or e:find("step of for{cpu", 1, true)
end

function M.shape(x) return type(x) == "number" and {} or x.shape end

return M
