--- editor/jupyter/serve.lua: what the kernel asks, and what it is answered.
local json = require("theano.json")
local runner = require("spec.support.runner")

-- The answers to requests, and what was printed before each.
local function ask(requests)
  local input = {}
  for i, r in ipairs(requests) do input[i] = ("%s %d\n%s"):format(r[1], #r[2], r[2]) end
  local out, status = runner.run({ "editor/jupyter/serve.lua" }, { input = table.concat(input) })
  assert.equal(0, status, out)
  local answers = {}
  for said, answer in out:gmatch("([^\0]*)\0([^\n]*)\n") do
    answers[#answers + 1] = json.decode(answer)
    answers[#answers].said = said
  end
  return answers
end

describe("the kernel's requests", function()
  it("are run as the lines of a session, pictures and mistakes among them", function()
    local a = ask({
      { "run", "x = T.dscalar 'x'\nprint('hi')\n(x * 2):eval { [x] = 4 }" },
      { "run", "f = theano.function([x], x)" },
      { "run", "fig = theano.plot.figure { title = 'a' }\nfig:line { 1, 3 }\nfig" },
      { "run", "error 'oops'" },
      { "run", "for i = 1," },
      { "run", "" },
      { "complete", "T.nnet.softm" },
      { "help", "T.nnet.softmax" },
      { "help", "no such thing" },
      { "run", "'<svg></svg>'" },
    })
    assert.equal(10, #a)
    assert.same({ ok = true, text = "8.0", said = "hi\n" }, a[1])
    assert.is_false(a[2].ok)
    assert.truthy(a[2].text:find("theano.compile { inputs = { x }, outputs = y }", 1, true), a[2].text)
    assert.truthy(a[3].ok and a[3].data["image/svg+xml"]:find("<svg", 1, true))
    assert.truthy(a[4].text:find(":%d+: oops"), a[4].text)
    assert.same({ ok = false, text = "SyntaxError: the text is not finished", said = "" }, a[5])
    assert.is_true(a[6].ok)
    assert.equal("ax", a[7].rest)
    assert.truthy(a[8].ok and a[8].text:find("T.nnet.softmax(c, axis=None)", 1, true))
    assert.is_false(a[9].ok)
    assert.same({ ["image/svg+xml"] = "<svg></svg>" }, a[10].data)
  end)
end)
