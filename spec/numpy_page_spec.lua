--- docs/numpy.md: as generated, with a row for each of NumPy's functions, of which each is there, spelled otherwise or
-- not wanted; and what is not wanted is said by errors and by help. (Their numbers: spec/matrix_spec.lua.)
local nd = require("theano.ndarray")
local ported = require("theano.ported")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local theano = require("theano")
local T = theano.tensor

local function slurp(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

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
