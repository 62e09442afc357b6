--- A slice of the fuzzer from a fixed seed: graphs and sessions in every way the engine computes, and that the
-- comparison bites.
local fuzz = require("spec.support.fuzz")
local run = require("spec.support.fuzz_run")
local body = require("spec.fuzz.text")
local check = require("spec.fuzz.check")
local jobs = require("spec.fuzz.jobs")

describe("random graphs #asan", function()
  it("agree in the interpreter under every optimizer, with their gradients and with finite differences", function()
    local result = run({ seed = 1, graphs = 400, batch = 40, ["no-c"] = true }, print)
    assert.same({}, result.failures)
    assert.equal(400, result.graphs)
    assert.truthy(result.gradients > 200)
  end)
end)

describe("random sessions #asan", function()
  it("do the same under every optimizer: results, errors, shared variables, arguments", function()
    for seed = 1, 60 do
      local s = check.session(seed)
      local way, why = check.try(s, { "fast", "compile" })
      assert(not way or way == "refused", ("seed %d %s: %s"):format(seed, way, why))
    end
  end)
end)

describe("random sessions", function()
  it("do the same in C, with the same bits with two threads", function()
    for seed = 1, 12 do
      local way, why = check.try(check.session(seed), { "c", "threads" })
      assert(not way or way == "refused", ("seed %d %s: %s"):format(seed, way, why))
    end
  end)

  it("are the same from the same seed", function()
    for seed = 1, 5 do assert.equal(body.body(check.session(seed)), body.body(check.session(seed))) end
  end)

  -- A session whose one line does as `wrong` says under FAST_COMPILE.
  local function faulty(right, wrong)
    local s = check.session(11)
    local x = s:leaf("float64", { 3 }, { false }, { 1.0, -2.0, 3.0 }, "input")
    local y = s:step("%1 * 2", { x.id }, {})
    y.line = ("mode == 'FAST_COMPILE' and (%s) or (%s)"):format(wrong, right):gsub("x", ("v[%d]"):format(x.id))
    s.outputs = { y.id }
    return s
  end

  it("that differ are seen, made smaller and printed as a program that runs", function()
    for words, lines in pairs({
      ["expected"] = { "x * 2", "x * 3" }, ["dtype"] = { "x * 2", 'T.cast(x, "float32")' },
      ["shape"] = { "x * 2", 'x["1:"]' }, ["does not raise"] = { "x[7]", "T.sum(x)" },
      ["as written it does not"] = { "T.sum(x)", "x[7]" } }) do
      local s = faulty(lines[1], lines[2])
      local way, why = check.try(s, { "fast", "compile" })
      assert.equal("compile", way, words)
      assert.truthy(why:find(words, 1, true), why)
      why = check.shrink(s, way, why)
      assert.truthy(why:find(words, 1, true), why)
      assert.equal(1, #s.outputs)
      assert.equal(1, #s.events)
      assert(load(check.report(s, way, why)))
    end
  end)

  it("that kill the process or never end are findings, and the others are played", function()
    local said = {}
    local folder = os.tmpname()
    os.remove(folder)
    local runner = folder .. ".sh" -- dies at seed 3 and ends at once everywhere else
    local file <close> = assert(io.open(runner, "w"))
    file:write("#!/bin/sh\nprintf '%d fast \\n' $(( $5 < 3 ? 3 : $5 )) >$3/progress\n[ $5 -ge 3 ] || kill -SEGV $$\n",
      "printf 'counters{ graphs = %d }\\n' $7 >$3/results\n")
    file:close()
    os.execute("chmod +x " .. runner)
    local summary = jobs.run({ seed = 1, graphs = 10, ways = { "fast" }, runner = runner, folder = folder, batch = 5,
      ["keep-going"] = true }, function(text) said[#said + 1] = text end)
    os.execute(("rm -rf %s %s"):format(folder, runner))
    assert.equal(10, summary.graphs)
    assert.equal(1, summary.deaths)
    assert.truthy(said[1]:find("seed 3 fast: dies", 1, true), said[1])
    assert.truthy(said[2]:find("local function play", 1, true))
  end)
end)

describe("random graphs", function()
  it("agree in C", function()
    local result = run({ seed = 1, graphs = 60, batch = 20, quick = true }, print)
    assert.same({}, result.failures)
  end)
  it("are the same from the same seed", function()
    local x, y = fuzz.program(7), fuzz.program(7)
    assert.equal(fuzz.source(x, x.outputs, x.updates), fuzz.source(y, y.outputs, y.updates))
  end)
  it("that differ are seen, cut down and printed as a program that runs", function()
    local p = fuzz.program(7)
    fuzz.ready(p)
    local id = p.outputs[1]
    p.nodes[id].list[1] = p.nodes[id].list[1] + 1
    local seen
    fuzz.run({ p }, "fast_run", "interpreter", function(_, text) seen = seen or text end)
    assert.truthy(seen:find(("v[%d]"):format(id), 1, true))
    local source = fuzz.minimal(p, seen)
    assert.truthy(source:find("theano.compile", 1, true))
    assert.truthy(load(source:gsub("print", "tostring")))
  end)
end)
