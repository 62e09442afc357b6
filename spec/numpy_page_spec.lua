--- docs/numpy.md: as generated, with a row for each of NumPy's functions, of which each is there, spelled otherwise or
-- not wanted; and what is not wanted is said by errors and by help. (Their numbers: spec/matrix_spec.lua.)
local nd = require("theano.ndarray")
local ported = require("theano.ported")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local slurp = require("spec.support.slurp")
local theano = require("theano")
local T = theano.tensor

describe("docs/numpy.md", function()
  it("is what scripts/make-numpy-page writes", function()
    local text, status = runner.run({ "scripts/make-numpy-page", "--print" })
    assert.equal(0, status, text)
    assert.is_true(text == slurp("docs/numpy.md"),
      "docs/numpy.md is older than the functions: run `build/theano scripts/make-numpy-page` and commit what it writes")
  end)

  it("has a row for each of NumPy's functions, and what it names is there", function()
    local rows = {}
    for name, arrays, graphs in slurp("docs/numpy.md"):gmatch("\n| `([^`]+)` | ([^|]*) | ([^|]*) |") do
      rows[name] = arrays .. graphs
      for field in arrays:gmatch("`nd%.([%a_][%w_]*)") do assert(rawget(nd, field) ~= nil, "nd." .. field) end
      for field in graphs:gmatch("`T%.([%a_][%w_]*)") do assert(rawget(T, field) ~= nil, "T." .. field) end
    end
    local n, without = 0, {}
    for name in ported.functions:gmatch("%S+") do
      n = n + 1
      if not rows[name] or rows[name]:find("missing") then without[#without + 1] = name end
    end
    assert.is_true(n > 380)
    assert.same({}, without)
  end)
end)

describe("every other name of NumPy's", function()
  it("is there, a dtype's, or has a reason that errors give", function()
    local without = {}
    for name in require("theano.names").numpy:gmatch("%S+") do
      local fine, message = pcall(function() return nd[name] end)
      if not fine and not ported.unwanted[name] and not message:find("a dtype is a text", 1, true) then
        without[#without + 1] = name
      end
    end
    assert.equal("", table.concat(without, " "))
  end)
end)

describe("attributes and methods of NumPy's arrays", function()
  it("are there, or the error says what stands for them", function()
    local a = nd.ones({ 2, 2 })
    for name in require("theano.names").ndarray:gmatch("%S+") do
      local fine, message = pcall(function() return a[name] end)
      assert.is_true(not (fine and ported.attributes[name]), name)
      assert.is_true(fine or ported.attributes[name] ~= nil or rawget(nd, name) ~= nil, message)
    end
    for name, why in pairs(ported.attributes) do
      raises("AttributeError", why:sub(1, 30), function() return a[name] end)
    end
    for _, name in ipairs({ "put", "partition", "compress", "resize" }) do
      raises("AttributeError", "it is the function theano.ndarray." .. name, function() return a[name] end)
    end
  end)

  it("mT is every matrix turned", function()
    local a, x = nd.arange(6):reshape({ 1, 2, 3 }), T.dtensor3("x")
    assert.same({ 1, 3, 2 }, a.mT.shape)
    assert.is_true(nd.array_equal(a.mT[0], a[0].T))
    assert.is_true(nd.array_equal(a.mT, x.mT:eval({ [x] = a:astype("float64") })))
    raises("ValueError", "", function() return nd.ones(2).mT end)
  end)

  it("and NumPy's out= is answered by what to write", function()
    raises("TypeError", 'z[":"] = ..', function() nd.add({ 1, 2 }, { 3, 4 }, { out = nd.zeros(2) }) end)
    raises("TypeError", 'z[":"] = ..', function() nd.sum({ 1, 2 }, { out = nd.zeros(2) }) end)
    local a = nd.ones(2)
    for _, name in ipairs({ "vstack", "hstack", "dstack", "column_stack", "row_stack" }) do
      raises("TypeError", name .. "({ a, b })", function() nd[name](a, a) end)
      raises("TypeError", name .. "({ a, b })", function() theano.tensor[name](T.dvector(), T.dvector()) end)
    end
  end)
end)

describe("what is not wanted", function()
  it("is told by name in nd.help, beside what there is", function()
    assert.matches("nd%.sum", nd.help("sum"))
    assert.equal(nd.help("sum"), nd.help("nd.sum"))
    for _, ask in ipairs { theano.help, nd.help } do
      raises("KeyError", "count them in integers", function() ask("datetime64") end)
    end
    raises("TypeError", "name", function() nd.help() end)
  end)

  it("is not there, and errors and help say why", function()
    for name, why in pairs(ported.unwanted) do
      assert.is_nil(rawget(nd, name), name)
      raises("AttributeError", why:sub(1, 40), function() return nd[name] end)
      if rawget(theano, name) == nil then -- else help finds that
        raises("KeyError", why:sub(1, 40), function() theano.help("nd." .. name) end)
        raises("KeyError", why:sub(1, 40), function() nd.help(name) end)
      end
    end
  end)
end)
