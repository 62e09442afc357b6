--- The definitions for editors: up to date, valid Lua, and of every public name that exists and no other.
local core = require("theano.core")
local definitions = require("scripts.definitions")
local nd = require("theano.ndarray")
local runner = require("spec.support.runner")
local slurp = require("spec.support.slurp")
local theano = require("theano")
local T = require("theano.tensor")

describe("editor/", function()
  for _, page in ipairs(definitions.pages) do
    it(page .. ".lua is what scripts/make-reference writes", function()
      local text, status = runner.run({ "scripts/make-reference", "--print", page })
      assert.equal(0, status, text)
      assert.is_true(text == slurp("editor/" .. page .. ".lua"), "editor/" .. page
        .. ".lua is older than the tables: run `build/theano scripts/make-reference` and commit what it writes")
    end)

    it(page .. ".lua is a Lua module of empty functions", function()
      local module = assert(load(slurp("editor/" .. page .. ".lua")))()
      local names = 0
      for _ in pairs(module) do names = names + 1 end
      assert.is_true(names > 10)
      for _, value in pairs(module) do
        if type(value) == "function" then assert.is_nil(value()) end
      end
    end)

    it(page .. ".lua has well-formed annotations", function()
      local described = nil
      for line in slurp("editor/" .. page .. ".lua"):gmatch("([^\n]*)\n") do
        local tag, rest = line:match("^%-%-%-@(%l+) ?(.*)$")
        if tag == "param" then
          assert.truthy(rest:find("^%.%.%. %S") or rest:find("^[%a_][%w_]*%?? %S"), line)
          described[#described + 1] = rest:match("^[^ ?]+")
        elseif tag == "overload" then
          assert.truthy(rest:find("^fun%(.*%)"), line)
        elseif tag == "field" then
          assert.truthy(rest:find("^[%a_][%w_]*%?? %S") or rest:find("^%[[^%]]+%] %S"), line)
        elseif tag then
          assert.truthy(("meta class alias return operator"):find(tag, 1, true), line)
        elseif not line:find("^%-%-%-") then
          -- The parameters that are described are those of the function.
          local parameters = line:match("^function [%w_.:]+%((.*)%) end$")
          if parameters then assert.equal(table.concat(described, ", "), parameters, line) end
          described = {}
        end
        described = described or {}
      end
    end)
  end
end)

-- Every function named by a page, as text.
local function functions_of(page)
  local set = {}
  for name in slurp("editor/" .. page .. ".lua"):gmatch("\nfunction ([%w_.:]+)%(") do
    assert.is_nil(set[name], name .. " stands there twice")
    set[name] = true
  end
  return set
end

local function lookup(root, path)
  for part in path:gmatch("[%w_]+") do
    root = root and root[part]
  end
  return root
end

describe("the definitions", function()
  it("have every function of the table: in T, as a method, on arrays", function()
    local tensor, variables, arrays = functions_of("tensor"), functions_of("theano"), functions_of("ndarray")
    for _, f in ipairs(core.functions()) do
      assert.is_true(tensor["T." .. f.name], f.name)
      if f.method then
        assert.is_true(variables["Variable:" .. f.name], f.name)
        assert.is_true(arrays["ndarray:" .. f.name], f.name)
      end
    end
    assert.is_true(tensor["T.dmatrix"] and tensor["T.lvectors"] and tensor["T.constant"])
    assert.is_true(variables["theano.shared"] and variables["Variable:eval"] and variables["Function:bind"])
    assert.is_true(arrays["nd.zeros"] and arrays["ndarray:tolist"] and arrays["RandomState:normal"])
  end)

  it("have nothing that does not exist", function()
    local roots = {
      T = T, nd = nd, theano = theano, compile = theano.compile, gradient = theano.gradient,
      printing = theano.printing, updates = theano.updates,
    }
    local objects = {
      Variable = theano.shared(1.0), ndarray = nd.zeros({ 1 }), RandomState = nd.random.RandomState(1),
      Function = theano.compile({ inputs = {}, outputs = T.constant(1) }),
    }
    for _, page in ipairs(definitions.pages) do
      for name in pairs(functions_of(page)) do
        local root, path = name:match("^(%w+)%.(.*)$")
        if root then assert.is_not_nil(lookup(roots[root], path), name) end
        local class, method = name:match("^(%w+):(.*)$")
        if class then assert.is_not_nil(objects[class][method], name) end
      end
    end
  end)

  it("give the form with keywords", function()
    local text = slurp("editor/tensor.lua")
    assert.truthy(text:find("fun(input: theano.Operand, keywords: { axis?: theano.Axis, ", 1, true))
    text = slurp("editor/theano.lua")
    assert.truthy(text:find("fun(self: theano.Variable, keywords: { axis?: theano.Axis, ", 1, true))
  end)
end)
