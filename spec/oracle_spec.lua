--- Every reference answer of spec/data, under the interpreter with and without rewriting, and through generated C (half
-- of them a day: a compiler each).
local oracle = require("spec.support.oracle")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local theano = require("theano")

local FILES = oracle.files

-- Names that do not exist on purpose so far, and where they will come from. A case that uses one is skipped; one whose
-- names exist after all runs, whatever stands here.
local LATER = {}
local LATER_CASES = {}

-- Why a case is not tried, or nil.
local function reason(case)
  if LATER_CASES[case.id] then return LATER_CASES[case.id] end
  local name = oracle.missing(case)
  return name and LATER[name] and name .. " " .. LATER[name]
end

local function all_hold(linker, optimizer, share)
  local mode = theano.compile.Mode { linker = linker, optimizer = optimizer }
  for _, file in ipairs(FILES) do
    local cases = oracle.cases(file)
    for _, case in ipairs(rotate.some(cases, math.ceil(#cases * (share or 1)))) do
      if not reason(case) then it(case.id, function() oracle.hold(case, mode) end) end
    end
  end
end

describe("interpreter, rewritten #asan", function() all_hold("interpreter", "fast_run") end)
describe("interpreter, as written", function() all_hold("interpreter", "None") end)
describe("generated C", function() all_hold("c", "fast_run", 0.5) end)

-- A case that is left out must still fail, and a name that is listed must still be missing: what starts to hold is
-- noticed.
describe("not tried", function()
  local mode = theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" }
  for _, file in ipairs(FILES) do
    for _, case in ipairs(oracle.cases(file)) do
      local why = reason(case)
      if why then
        it(case.id, function()
          assert(case.expected_error or oracle.failure(case, mode), case.id .. " holds now: take it off the list")
          skip.now(why)
        end)
      end
    end
  end

  it("lists only names that are missing and cases that exist", function()
    local missing, known = {}, {}
    for _, file in ipairs(FILES) do
      for _, case in ipairs(oracle.cases(file)) do
        known[case.id] = true
        missing[oracle.missing(case) or ""] = true
      end
    end
    for name in pairs(LATER) do assert(missing[name], name .. " exists now: take it off the list") end
    for id in pairs(LATER_CASES) do assert(known[id], id .. " is no case") end
  end)
end)

-- How many cases of each file are tried in each configuration: fewer would be a hole that nobody sees.
local TRIED = {
  conv = 42, dot = 42, dtype_rules = 191, elemwise_error_tables = 9, elemwise_grad_tables = 52, elemwise_tables = 258,
  extra_ops = 55, fft = 15, join_split = 18, linalg = 33, nnet = 59, pool = 33, reductions = 136, scan = 29,
  shape_ops = 71, sparse = 47, subtensor = 94,
}

describe("tried", function()
  for _, file in ipairs(FILES) do
    it(("%d cases of %s"):format(TRIED[file], file), function()
      local count = 0
      for _, case in ipairs(oracle.cases(file)) do
        if not reason(case) then count = count + 1 end
      end
      assert.equal(TRIED[file], count)
    end)
  end
end)
