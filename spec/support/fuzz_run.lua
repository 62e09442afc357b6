--- The loop of the fuzzer: programs from consecutive seeds, each in the interpreter, batches of them in C.
-- @module spec.support.fuzz_run
local core = require("theano.core")
local fuzz = require("spec.support.fuzz")
local coverage = require("spec.fuzz.coverage")

local function text_of_coverage(seen)
  return ("operations: %s\ndtypes: %s\n%s"):format(coverage.kinds(seen.ops, require("spec.support.fuzz_ops").names()),
    (coverage.sorted(seen.dtypes)), coverage.rules(coverage.fired()))
end

-- Other ways through the optimizer, one a batch: what is opted into, and what other rules hide.
local variants = { "fast_run+local_1msigmoid+local_remove_all_assert+alloc_empty_to_zeros",
  "fast_run-local_func_inv-local_neg_to_mul-local_add_canonizer-local_mul_canonizer", "fast_run-canonicalize",
  "fast_run-fusion-inplace", "fast_run-stabilize-specialize", "unsafe", "stabilize" }

--- options: seed, graphs or seconds, batch, no-c, quick, keep-going, verbose. say(text) gets each failure with its
-- program.
-- @treturn table graphs, steps, gradients, failures (texts), coverage
return function(options, say)
  local start = os.time()
  local config = require("theano").config
  local policy = config.on_opt_error
  config.on_opt_error = "raise" -- a rewrite that fails is a failure, not a warning
  local result = { graphs = 0, in_c = 0, batches = 0, steps = 0, gradients = 0, failures = {} }
  local seen = { ops = {}, dtypes = {} }
  local batch, failed = {}, {}

  local function report(p, text)
    if failed[p.seed] then return end
    failed[p.seed] = true
    local source = fuzz.minimal(p, text)
    result.failures[#result.failures + 1] = ("seed %d: %s\n%s"):format(p.seed, text, source)
    say(result.failures[#result.failures])
  end

  -- What the engine logs of a unit that the C compiler refuses: the function then runs in the interpreter, and only
  -- the line tells that the emitted text is wrong.
  local function run_logged(programs, optimizer, linker)
    local refused
    core.set_logger(function(text)
      if text:find("C compiler", 1, true) and not text:find("Terminated", 1, true) then refused = text end
      io.stderr:write(text)
    end)
    local ok, message = pcall(fuzz.run, programs, optimizer, linker, report)
    core.set_logger(function(text) io.stderr:write(text) end)
    return ok and not refused, ok and refused or message
  end

  local function attempt(programs, optimizer, linker)
    local ok, message = run_logged(programs, optimizer, linker)
    if ok then return end
    if #programs > 1 then
      for _, p in ipairs(programs) do
        local alone, why = run_logged({ p }, optimizer, linker)
        if not alone then report(p, ("%s/%s raised: %s"):format(optimizer, linker, tostring(why))) end
        if not alone then return end
      end
    end
    report(programs[1], ("%s/%s raised: %s"):format(optimizer, linker, tostring(message)))
  end

  local function flush()
    if #batch == 0 then return end
    if not options["no-c"] then
      result.in_c = result.in_c + #batch
      attempt(batch, "fast_run", "c")
      if not options.quick then attempt(batch, "None", "c") end
    end
    attempt(batch, "fast_run", "interpreter")
    attempt(batch, variants[1 + result.batches % #variants], "interpreter")
    result.batches = result.batches + 1
    batch = {}
  end

  local seed = options.seed
  while (not options.graphs or result.graphs < options.graphs)
    and (not options.seconds or os.time() - start < options.seconds) do
    if options.verbose then io.stderr:write("seed ", seed, "\n") end
    local p, problem = fuzz.program(seed)
    result.graphs, seed = result.graphs + 1, seed + 1
    for _, name in ipairs(p.used) do seen.ops[name] = (seen.ops[name] or 0) + 1 end
    for _, n in ipairs(p.nodes) do seen.dtypes[n.dtype] = (seen.dtypes[n.dtype] or 0) + 1 end
    result.steps = result.steps + #p.used
    if problem then
      result.failures[#result.failures + 1] = ("seed %d: %s"):format(p.seed, problem)
      say(result.failures[#result.failures])
    else
      fuzz.ready(p)
      attempt({ p }, "None", "interpreter")
      attempt({ p }, "fast_compile", "interpreter")
      attempt({ p }, "fast_run", "interpreter")
      local ok, some = pcall(fuzz.gradients, p, report, true)
      if not ok then report(p, "gradient raised: " .. tostring(some)) end
      if ok and some then result.gradients = result.gradients + 1 end
      batch[#batch + 1] = p
      if #batch >= (options.batch or 12) then flush() end
    end
    if #result.failures > 0 and not options["keep-going"] then break end
  end
  flush()
  config.on_opt_error = policy
  result.coverage = text_of_coverage(seen)
  return result
end
