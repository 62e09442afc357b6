--- Every reference case of spec/data whose operations exist, in three configurations. The lists below say what does not hold
-- yet and why; a case that starts to hold, or a name that starts to exist, fails here until its line is taken out.
local oracle = require("spec.support.oracle")
local compile = require("theano.compile")

local CONFIGURATIONS = {
  { "FAST_RUN through C", compile.Mode({ linker = "c", optimizer = "fast_run" }) },
  { "FAST_RUN in the interpreter", compile.Mode({ linker = "interpreter", optimizer = "fast_run" }) },
  { "optimizer None in the interpreter", compile.Mode({ linker = "interpreter", optimizer = "None" }) },
}

-- Cases that hold, by file; with those listed below they are all.
local HOLD = {
  dot = 32, dtype_rules = 190, elemwise_error_tables = 8, elemwise_grad_tables = 39, elemwise_tables = 196, join_split = 18,
  nnet = 48, reductions = 135, shape_ops = 64, subtensor = 89,
}

-- Names that do not exist yet: the reason, and the names.
local LATER_NAMES = {}
for reason, names in pairs({
  ["batched products and linear algebra are a later issue"] = {
    "T.batched_dot", "T.batched_tensordot", "T.nlinalg.matrix_dot", "T.nlinalg.matrix_power", "T.nlinalg.trace",
    "T.slinalg.kron", "T.diag", "T.diagonal",
  },
  ["special functions are a later issue"] = {
    "T.gamma", "T.gammaln", "T.psi", "T.tri_gamma", "T.chi2sf", "T.erfinv", "T.erfcinv", "T.i0", "T.i1", "T.iv", "T.j0", "T.j1",
    "T.jv",
  },
  ["complex numbers have storage, casts, + - * /, neg, abs, conj and dot here"] = { "T.complex_from_polar" },
  ["batch normalization, images2neibs and the confusion matrix are a later issue"] = {
    "T.nnet.bn.batch_normalization", "T.nnet.bn.batch_normalization_test", "T.nnet.bn.batch_normalization_train",
    "T.nnet.confusion_matrix", "T.nnet.neighbours.images2neibs", "T.nnet.neighbours.neibs2images",
  },
  ["roll and norm are a later issue"] = { "T.roll", ":norm" },
  ["positions of nonzero elements have a length known only at run time: a later issue"] = { "T.nonzero", "T.flatnonzero" },
}) do
  for _, name in ipairs(names) do LATER_NAMES[name] = reason end
end

-- Cases whose names exist but whose form does not; `optimizing`: it only fails where the optimizer runs.
local COMPLEX = "functions of complex numbers beyond + - * / neg abs conj dot are a later issue"
local MASK = "boolean masks have a length known only at run time: a later issue"
local SOFTMAX = "the rewrite of exp(x)/sum(exp(x)) into softmax is in a later part of the rule table"
local LATER_CASES = {
  ["dtype_rules/complex_mixed"] = COMPLEX,
  ["shape_ops/repeat_vec"] = "repeat with one count for each element: a later issue",
  ["subtensor/advanced_bool_none"] = MASK,
  ["subtensor/set_subtensor_bool_expr"] = MASK,
  ["subtensor/grad_bool"] = MASK,
  ["nnet/softmax_graph"] = { SOFTMAX, optimizing = true },
  ["nnet/softmax_graph_f32"] = { SOFTMAX, optimizing = true },
}
for name in ([[Arccosh Arcsin Arcsinh Arctan Cos Cosh Exp Expm1 Inv Log10 Sin Tan Tanh]]):gmatch("%S+") do
  LATER_CASES["elemwise_tables/" .. name .. "Tester.complex"] = COMPLEX
end
for _, id in ipairs({ "MaximumTester.complex1", "MinimumTester.complex1", "PowTester.complex2" }) do
  LATER_CASES["elemwise_tables/" .. id] = COMPLEX
end

local function expected_reason(case, optimizing)
  local listed = LATER_CASES[case.id]
  if type(listed) == "table" then return optimizing and listed[1] or nil end
  return listed
end

-- Runs one file: how many hold, and the lines about what is not as listed.
local function check(cases, mode, optimizing, used)
  local hold, wrong = 0, {}
  for _, case in ipairs(cases) do
    local missing, reason = oracle.missing(case), expected_reason(case, optimizing)
    local why = oracle.failure(case, { mode = mode })
    if missing then used[missing] = true end
    if not why then hold = hold + 1 end
    if why and not reason and not LATER_NAMES[missing] then
      wrong[#wrong + 1] = ("%s: %s\n    %s"):format(case.id, case.expr, why)
    elseif not why and reason then
      wrong[#wrong + 1] = case.id .. " holds now: take it out of LATER_CASES"
    end
  end
  return hold, wrong
end

describe("the reference cases", function()
  local used = {}
  for file, count in pairs(HOLD) do
    local cases = oracle.cases(file)
    for _, configuration in ipairs(CONFIGURATIONS) do
      local name, mode = configuration[1], configuration[2]
      it(("of %s: %d hold with %s"):format(file, count, name), function()
        local optimizing = mode.optimizer ~= "None"
        local hold, wrong = check(cases, mode, optimizing, used)
        assert(#wrong == 0, table.concat(wrong, "\n"))
        local freed = not optimizing and file == "nnet" and 2 or 0 -- the two softmax_graph cases
        assert.equal(count + freed, hold)
      end)
    end
  end

  it("miss exactly the names that are listed as later", function()
    for file in pairs(HOLD) do
      for _, case in ipairs(oracle.cases(file)) do
        local missing = oracle.missing(case)
        if missing then used[missing] = true end
      end
    end
    for name in pairs(LATER_NAMES) do assert(used[name], name .. " exists now: take it out of LATER_NAMES") end
    for name in pairs(used) do assert(LATER_NAMES[name], name .. " is missing and not listed") end
  end)
end)
