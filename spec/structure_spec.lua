--- Broadcasting, reductions over any axes, shapes, joins, creation, products and rows: NumPy's answers
-- (spec/data/structure.json, written by scripts/make-structure-data.py) for every dtype, with the inputs contiguous,
-- transposed, reversed and repeated by strides, in the interpreter and through generated C. One unit holds all cases of
-- a dtype.
local sets = require("spec.support.numpy_sets")
local oracle = require("spec.support.oracle")
local data = sets.read("spec/data/structure.json")

-- How an input is given and how the graph sees the same elements.
local LAYOUTS = {
  contiguous = { function(a) return a end, function(x) return x end },
  transposed = { function(a) return a.T:copy() end, function(x) return x.T end },
  ["views of transposed memory"] = { function(a) return a.T:copy().T end, function(x) return x end },
  reversed = { function(a) return a.ndim == 0 and a or a["::-1"]:copy() end,
    function(x) return x.ndim == 0 and x or x["::-1"] end },
}
local FORM = { names = { "t", "x", "y", "row", "v", "s" }, kept = { row = true }, patterns = { row = { true } } }

local function check(set, layout, mode)
  sets.check(data, set, FORM, LAYOUTS[layout], mode, { single = 2e-5, double = 1e-12 })
end

local modes = sets.modes

-- A C compiler takes seconds for a unit of all cases: one set of each kind.
local THROUGH_C = {}
for number, set in ipairs(data.sets) do
  local last = data.sets[number + 1] == nil or data.sets[number + 1].dtype ~= set.dtype
  if last and ("float64 int8 complex64"):find(set.dtype, 1, true) then THROUGH_C[number] = true end
end

describe("NumPy's answers", function()
  for number, set in ipairs(data.sets) do
    local what = ("%s, set %d"):format(set.dtype, number)
    it("of " .. what .. " #asan", function() check(set, "contiguous", modes.interpreter) end)
    it("of " .. what .. ", in transposed memory", function()
      check(set, "views of transposed memory", modes.interpreter)
    end)
    if ("float64 int8 complex64 bool float32"):find(set.dtype, 1, true) then
      it("of " .. what .. ", as written", function() check(set, "transposed", modes.plain) end)
      it("of " .. what .. ", reversed", function() check(set, "reversed", modes.interpreter) end)
    end
    if THROUGH_C[number] then
      it("of " .. what .. ", through C", function() check(set, "transposed", modes.c) end)
    end
  end
end)

-- Functions that have no numbers here, with the spec that has them.
local ELSEWHERE = {
  subtensor = "x[..]", remat = "memory_spec", ["nnet.ctc"] = "ctc_spec", ["opt.assert_op"] = "assertions_spec",
  transfer = "transfers_spec", ["gradient.disconnected_grad"] = "derive_spec",
  ["gradient.zero_grad"] = "derive_spec",
  ["gradient.undefined_grad"] = "derive_spec", ["gradient.grad_clip"] = "derive_spec",
  ["gradient.grad_scale"] = "derive_spec", ultra_fast_sigmoid = "approximate: rules_spec",
  ["nnet.ultra_fast_sigmoid"] = "approximate: rules_spec", ["xlogx.xlogy0"] = "nnet_spec",
  ["special.loggamma"] = "is gammaln",
  ["special.jn"] = "is jv",
  ["nnet.conv2d"] = "conv_spec", ["nnet.conv3d"] = "conv_spec", ["nnet.conv2d_transpose"] = "conv_spec",
  ["nnet.abstract_conv.conv2d_grad_wrt_inputs"] = "conv_spec",
  ["nnet.abstract_conv.conv3d_grad_wrt_inputs"] = "conv_spec",
  ["nnet.abstract_conv.conv2d_grad_wrt_weights"] = "conv_spec",
  ["nnet.abstract_conv.conv3d_grad_wrt_weights"] = "conv_spec",
  ["signal.pool.pool_2d"] = "pool_spec", ["signal.pool.pool_3d"] = "pool_spec",
  ["signal.pool.max_pool_2d_same_size"] = "pool_spec", ["nnet.neighbours.images2neibs"] = "pool_spec",
  ["random.mrg_uniform"] = "mrg_spec", ["random.multinomial_from_uniform"] = "mrg_spec",
  ["random.philox"] = "key_spec", ["random.choice_from_uniform"] = "mrg_spec",
}
for name in ([[rfft irfft rfft_op irfft_op fft ifft fft2 ifft2 fftn ifftn rfft2 irfft2 rfftn irfftn hfft ihfft fftfreq
  rfftfreq fftshift ifftshift]]):gmatch("%S+") do
  ELSEWHERE["fft." .. name] = "fft_spec"
end
for name, where in pairs(require("spec.support.linalg_names")) do ELSEWHERE[name] = where end

for _, f in ipairs(require("theano.core").functions()) do
  if f.name:find("^sparse%.") then ELSEWHERE[f.name] = "sparse_spec" end
end

it("every function of the table has NumPy's numbers for it", function()
  local texts = {}
  local function add(list) for _, expr in ipairs(list) do texts[#texts + 1] = expr end end
  add(data.exprs)
  add(oracle.cases("tensor").exprs)
  for _, case in ipairs(oracle.cases("scipy").cases) do texts[#texts + 1] = case.call end
  local ops = oracle.cases("ops")
  for _, part in ipairs({ "unary", "binary", "special", "reduce" }) do
    for name in pairs(ops[part]) do texts[#texts + 1] = name end
  end
  local all, without = table.concat(texts, "\n"), {}
  for _, f in ipairs(require("theano.core").functions()) do
    local name = f.name:match("[^.]+$")
    local covered = all:find("%f[%w_]" .. name .. "%f[^%w_]") ~= nil
    local where = ELSEWHERE[f.name]
    if where == "sparse_spec" or where == "fft_spec" then covered = false end -- names of others, too
    if covered == (ELSEWHERE[f.name] ~= nil) then without[#without + 1] = f.name end
  end
  assert.same({}, without) -- no data and no entry in the list above, or both
end)
