--- theano.help: every kind of name is found under the spellings a user would try, and every public name has its line.
local core = require("theano.core")
local help = require("theano.help")
local raises = require("spec.support.raises")
local theano = require("theano")

describe("theano.help", function()
  it("finds functions of the table, with their forms", function()
    local sum = "T.sum(input, axis=None, dtype=None, keepdims=False, acc_dtype=None, initial=None, where=None)\n" ..
      "    sum over axis (None: all) of what where holds for, and initial; integers in int64 or uint64\n" ..
      "    also x:sum(..), nd.sum(..) on arrays"
    for _, name in ipairs({ "sum", "T.sum", "x:sum", "x.sum", "theano.tensor.sum", "nd.sum", "sum()" }) do
      assert.equal(sum, theano.help(name), name)
    end
    assert.truthy(theano.help("add"):find("x + y", 1, true))
    assert.equal(theano.help("T.nnet.softmax"), theano.help("softmax"))
  end)

  it("finds Lua functions by their comments", function()
    assert.truthy(theano.help("shared"):find("^theano%.shared%(value, name, options%)"))
    assert.truthy(theano.help("theano.grad"):find("disconnected_inputs", 1, true))
    assert.truthy(theano.help("debugprint"):find("theano.printing.debugprint(obj, options)", 1, true))
    assert.truthy(theano.help("eval"):find("x:eval(inputs)", 1, true))
    assert.truthy(theano.help("a:rows"):find("a:rows()", 1, true))
    assert.truthy(theano.help("change_flags"):find("<close>", 1, true))
  end)

  it("finds attributes, methods of arrays, distributions and flags", function()
    assert.truthy(theano.help("owner"):find("x.owner\n", 1, true))
    assert.truthy(theano.help("a:tolist"):find("a:tolist()", 1, true))
    assert.truthy(theano.help("rng:normal"):find("rng:normal(loc, scale, size)", 1, true))
    assert.truthy(theano.help("floatX"):find('theano.config.floatX (default "float64")', 1, true))
    assert.truthy(theano.help("gcc.cxxflags"):find("C compiler", 1, true))
  end)

  it("gives everything of one name", function()
    local text = theano.help("fill")
    assert.truthy(text:find("T.fill(a, b)", 1, true))
    assert.truthy(text:find("a:fill(value)", 1, true))
  end)

  it("names the nearest where there is nothing", function()
    raises("KeyError", { "'summ'", "'sum'" }, function() theano.help("summ") end)
    raises("KeyError", { "'T.nnet.sofmax'", "'softmax'" }, function() theano.help("T.nnet.sofmax") end)
    raises("KeyError", "'qqqqqqqqq'", function() theano.help("qqqqqqqqq") end)
    raises("TypeError", "string", function() theano.help(3) end)
  end)

  it("knows everything that the modules have, and says of nothing there that this version lacks it", function()
    for _, path in ipairs({ "tensor.nnet", "tensor.nlinalg", "gof", "typed_list" }) do
      local module = theano
      for part in path:gmatch("[^.]+") do module = module[part] end
      for name in pairs(module) do
        if name:find("^%a") then assert.truthy(#theano.help(name) > #name, path .. "." .. name) end
      end
    end
    assert.equal("T.dvector(name)\n    a variable of dtype float64, one dimension", theano.help("T.dvector"))
    assert.truthy(theano.help("lmatrices"):find('T.lmatrices("x", "y", ..)', 1, true))
    assert.truthy(theano.help("nlinalg"):find("^theano%.tensor%.nlinalg\n    a module: .*matrix_dot"))
    assert.truthy(theano.help("theano.gof.FunctionGraph"):find("^theano%.gof%.FunctionGraph%("))
    raises("KeyError", "Theano has it in theano.sparse", function() theano.help("SparseConstant") end)
    for _, nothing in ipairs({ "", "x.y.z" }) do
      local _, message = pcall(theano.help, nothing)
      assert.truthy(message:find(("no help on '%s'$"):format(nothing)), message)
    end
  end)

  it("has every function of the table and every flag, each once", function()
    local seen = {}
    for _, entry in ipairs(help.entries()) do
      assert.is_nil(seen[entry.key], entry.key)
      seen[entry.key] = true
      assert.truthy(entry.doc and entry.doc ~= "", entry.key)
      assert.is_nil(entry.doc:find("](", 1, true), entry.key .. " has a link")
    end
    for _, f in ipairs(core.functions()) do assert.is_true(seen["T." .. f.name], f.name) end
    for _, flag in ipairs(core.config_flags()) do assert.is_true(seen["theano.config." .. flag[1]], flag[1]) end
  end)
end)
