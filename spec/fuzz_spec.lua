--- A slice of the fuzzer from a fixed seed: graphs and sessions in every way the engine computes, and that the
-- comparison bites.
local fuzz = require("spec.support.fuzz")
local run = require("spec.support.fuzz_run")
local body = require("spec.fuzz.text")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local theano = require("theano")
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
    skip.unless(theano.config.cxx ~= "", "no C compiler")
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

  -- The same of a line over one node of floats, an input or made of one in one step: nil, or what is wrong.
  local function verdict(of, right, wrong, data)
    local s = check.session(11)
    local x = s:leaf("float64", { #data }, { false }, data, "input")
    x = of == "x" and x or s:step((of:gsub("x", "%%1")), { x.id }, {})
    local y = s:step("T.sum(%1)", { x.id }, {})
    local line = ("mode == 'FAST_COMPILE' and (%s) or (%s)"):format(wrong, right)
    y.line = line:gsub("%f[%w]x%f[%W]", ("v[%d]"):format(x.id))
    y.dtype = line:find("argsort", 1, true) and "int64" or "float64"
    s.outputs, s.updates = { y.id }, {}
    local _, why = check.try(s, { "compile" })
    return why
  end
  local many = {}
  for i = 1, 40 do many[i] = i / 7 end

  it("may differ by where last bits put a length or a position, when rounding does so as written, too", function()
    local twice = "T.concatenate({x, T.nnet.sigmoid(T.log(x / (1 - x)))})"
    local by_hand = "T.nnet.sigmoid(x / 9)"
    assert.is_nil(verdict(by_hand, ("T.unique(%s)"):format(twice), "T.unique(T.concatenate({x, x}))", many))
    assert.is_nil(verdict(by_hand, ("T.argsort(%s)"):format(twice), "T.argsort(T.concatenate({x, x}))", many))
    assert.truthy(verdict(by_hand, "T.unique(x)", 'T.unique(x)["1:"]', many):find("shape", 1, true))
    assert.truthy(verdict(by_hand, "T.argsort(x)", "T.argsort(-x)", many):find("element", 1, true))
    -- an input is the same in every way, ties and all
    assert.truthy(verdict("x", "T.unique(x)", 'T.unique(x)["1:"]', { 1.5, 1.5, 2 }):find("shape", 1, true))
    assert.truthy(verdict("x", "T.argsort(x)", "T.argsort(-x)", { 1.5, 1.5, 2 }):find("element", 1, true))
  end)

  it("may lose what a branch asks for its shape only", function()
    local shape = "theano.ifelse(T.gt(T.sum(x), 1e9), x, x + T.specify_shape(x, {x.shape[0] + 1}).shape[0])"
    local value = "theano.ifelse(T.gt(T.sum(x), 1e9), x, T.specify_shape(x, {x.shape[0] + 1}))"
    assert.is_nil(verdict("x", shape, "x + 3", { 1.5, 2, 3 }))
    assert.truthy(verdict("x", value, "x", { 1.5, 2, 3 }):find("does not raise", 1, true))
  end)

  it("may lose an index in a loop of no turns", function()
    local loop = "theano.map(function(b) return theano.scan{ fn = function(a, h) return a + h end, "
      .. 'sequences = %s, outputs_info = T.constant(0.0, {dtype = "float64"}) }[-1] end, x)'
    assert.is_nil(verdict("x", "(" .. loop:format("x") .. ")", "x", {}))
    assert.truthy(verdict("x", "(" .. loop:format('x["9:"]') .. ")", "x", { 1, 2 }):find("does not raise", 1, true))
  end)

  it("may lose a fault of elements that nothing reads", function()
    local quotient = "T.cast(x, 'int64') // T.cast(x, 'int64')"
    assert.is_nil(verdict("x", ("(%s)['1:'] * 1.0"):format(quotient), ("(%s)['1:'] * 1.0"):format(quotient), { 0, 2 }))
    assert.truthy(verdict("x", ("(%s)['1:'] * 1.0"):format(quotient), "x['1:'] / x['1:']", { 2, 0 })
      :find("does not raise", 1, true))
  end)

  it("that kill the process or never end are findings, and the others are played", function()
    local said = {}
    local folder = os.tmpname()
    os.remove(folder)
    local dying = folder .. ".sh" -- dies at seed 3 and ends at once everywhere else
    local file <close> = assert(io.open(dying, "w"))
    file:write("#!/bin/sh\nprintf '%d fast \\n' $(( $5 < 3 ? 3 : $5 )) >$3/progress\n[ $5 -ge 3 ] || kill -SEGV $$\n",
      "printf 'counters{ graphs = %d }\\n' $7 >$3/results\n")
    file:close()
    os.execute("chmod +x " .. dying)
    local summary = jobs.run({ seed = 1, graphs = 10, ways = { "fast" }, runner = dying, folder = folder, batch = 5,
      ["keep-going"] = true }, function(text) said[#said + 1] = text end)
    os.execute(("rm -rf %s %s"):format(folder, dying))
    assert.equal(10, summary.graphs)
    assert.equal(1, summary.deaths)
    assert.truthy(said[1]:find("seed 3 fast: dies", 1, true), said[1])
    assert.truthy(said[2]:find("local function play", 1, true))
  end)
end)

describe("random graphs", function()
  it("agree in C", function()
    skip.unless(theano.config.cxx ~= "", "no C compiler")
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

describe("scripts/fuzz --device", function()
  local function fuzz_device(words)
    local pipe = assert(io.popen(runner.quote(runner.path) .. " scripts/fuzz --device " .. words .. " 2>&1"))
    local text = pipe:read("a")
    local _, _, code = pipe:close()
    return text, code
  end

  it("runs one part of it, from a name on", function()
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local text, code = fuzz_device("cuda-emulated --part examples --from shared")
    assert.equal(0, code, text)
    assert.truthy(text:find("^examples/shared_state.lua on cuda%-emulated: as on the CPU\n[^\n]*1 of 1 programs"),
      text)
    text, code = fuzz_device("cuda-emulated --part graphs --graphs 2")
    assert.equal(0, code, text)
    assert.falsy(text:find("safetensors", 1, true), "files are no device's")
    assert.truthy(text:find("\n2 graphs in device, ", 1, true), text)
    for _, words in ipairs({ "cuda-emulated --part nothing", "cuda-emulated --part" }) do
      text, code = fuzz_device(words)
      assert.equal(2, code, text)
    end
    for _, part in ipairs({ "specs", "examples" }) do
      text, code = fuzz_device(("cuda-emulated --part %s --from zzz"):format(part))
      assert.equal(1, code, text)
      assert.truthy(text:find("no name begins with 'zzz'", 1, true), text)
    end
  end)

  it("fails where there is no such device, and plays its graphs there", function()
    local text, code = fuzz_device("cuda7 --part graphs --graphs 1 --no-files")
    assert.equal(1, code, text)
    assert.truthy(text:find("GpuError", 1, true), text)
    local play = require("spec.fuzz.play")
    play.on_device("cuda7")
    local way, why = check.try(check.session(1), { "device" })
    play.on_device("cuda-emulated")
    assert.equal("device", way)
    assert.truthy(why:find("GpuError", 1, true), why)
  end)
end)
