--- A slice of the fuzzer from a fixed seed: sixty graphs in every way the engine computes, and that the comparison
-- bites.
local fuzz = require("spec.support.fuzz")
local run = require("spec.support.fuzz_run")

describe("random graphs #asan", function()
  it("agree in the interpreter under every optimizer, with their gradients and with finite differences", function()
    local result = run({ seed = 1, graphs = 400, batch = 40, ["no-c"] = true }, print)
    assert.same({}, result.failures)
    assert.equal(400, result.graphs)
    assert.truthy(result.gradients > 200)
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
