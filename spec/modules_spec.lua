-- Fields that a module does not have are never nil without a word.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local modules = require("theano.modules")
local raises = require("spec.support.raises")

local function missing(wanted, t, name)
  raises("AttributeError", wanted, function() return t[name], 1 end)
end

describe("a field that a module lacks", function()
  it("is met with the nearest name", function()
    missing("did you mean 'sigmoid'?", T, "sigmod")
    missing("did you mean 'nnet.softmax'?", T, "sofmax")
    missing("did you mean 'softmax'?", T.nnet, "sofmax")
    missing("did you mean 'dmatrix'?", T, "Dmatrix")
    missing("did you mean 'relu'?", T.nnet, "ReLU")
    missing("did you mean 'zeros'?", nd, "zeroes")
    missing("did you mean 'shared'?", theano, "shard")
    missing("did you mean 'NodeFinder'?", theano.gof.toolbox, "NodeFindr")
    missing("did you mean 'uniform'?", nd.random, "unifrom")
  end)

  it("is found where it is", function()
    missing("it is theano.config.floatX", T, "floatX")
    missing("it is theano.tensor.nnet.softmax", T, "softmax")
    missing("it is theano.tensor.dmatrix", theano, "dmatrix")
    missing("it is theano.cuda", theano.sandbox, "cuda")
    missing("it is theano.ndarray.random.RandomState", nd, "RandomState")
  end)

  it("may be Theano's or NumPy's", function()
    missing("Theano has it, this version does not", theano.sparse, "bsr_matrix")
    missing("Theano has it, this version does not", T, "inplace")
    missing("Theano has it, this version does not", theano.compile, "ProfileStats")
    missing("Theano has it, this version does not", theano.sandbox, "minimal")
    missing("NumPy has it: it is about NumPy's own Python", nd, "ctypeslib")
  end)

  it("may be SciPy's", function()
    missing("SciPy has it, this version does not", nd.optimize, "dual_annealing")
    missing("SciPy has it, this version does not", nd.special, "mathieu_a")
    missing("did you mean 'lfilter'?", nd.signal, "lfiltre")
  end)

  it("may be a dtype", function()
    missing('a dtype is a text, as in a:astype("float32")', nd, "float32")
    missing('a dtype is a text, as in a:astype("int64")', theano, "int64")
  end)

  it("may be nothing at all", function()
    missing("theano.tensor has no 'no_such_thing_anywhere'", T, "no_such_thing_anywhere")
  end)

  it("is not set either", function()
    raises("AttributeError", "it is theano.config.floatX", function() theano.floatX = "float32" end)
    raises("AttributeError", "theano.tensor.nnet has no 'my_relu' to be set", function()
      T.nnet.my_relu = T.nnet.relu
    end)
  end)

  it("can be asked for, replaced and added on purpose", function()
    assert.is_nil(rawget(T, "no_such_thing"))
    assert.is_nil(T.__name)
    local before = T.nnet.relu
    T.nnet.relu = nil
    assert.is_nil(rawget(T.nnet, "relu"))
    rawset(T.nnet, "relu", before)
    assert.equal(before, T.nnet.relu)
  end)

  it("is refused in every module that require gives", function()
    local seen = 0
    for name, module in pairs(package.loaded) do
      local public = name:find("^theano%.tensor") or name == "theano" or name == "theano.gradient"
        or name:find("^theano%.ndarray") or name == "theano.printing" or name == "theano.compile"
        or name == "theano.typed_list" or name == "theano.updates" or name == "theano.ifelse" or name == "theano.gof"
      if public and type(module) == "table" then
        seen = seen + 1
        assert.is_false(pcall(function() return module.no_such_field end), name)
        assert.is_false(pcall(function() module.no_such_field = 1 end), name)
      end
    end
    assert.is_true(seen > 15, seen .. " modules")
  end)
end)

describe("an attribute that an object lacks", function()
  local x, a = T.dvector("x"), nd.ones({ 2 })
  it("of a variable", function()
    missing("did you mean 'mean'?", x, "meen")
    missing("it is the function theano.tensor.nnet.softmax", x, "softmax")
    missing("Theano has it, this version does not", x, "get_parents")
    raises("AttributeError", "cannot be set", function() x.nmae = "y" end)
  end)
  it("of a shared variable is no value", function()
    raises("AttributeError", "x:set_value(v)", function() theano.shared(1.0).value = 2 end)
  end)
  it("of an array", function() missing("did you mean 'reshape'?", a, "reshap") end)
  it("of a function", function()
    local f = theano.compile({ x }, x * 2)
    missing("did you mean 'copy'?", f, "coppy")
    missing("Theano has it, this version does not", f, "input_storage")
  end)
  it("of a node's operation", function()
    local op = T.dvector():sum().owner.op
    missing("has no attribute 'kindd': did you mean 'kind'?", op, "kindd")
    missing("what else it is made with stands in its name", op, "axis")
    assert.is_nil(op.key)
    assert.equal("Sum", op.kind)
  end)
  it("of a typed list", function()
    missing("did you mean 'append'?", theano.typed_list.TypedListType(x.type)(), "apend")
  end)
end)

describe("require", function()
  local function wanting(text, name)
    raises("ImportError", text, function() require(name) end)
  end
  it("says which modules Theano has and this version does not", function()
    wanting("Theano has the module 'theano.sparse.sandbox', this version does not", "theano.sparse.sandbox")
    wanting("Theano has the module 'theano.misc.pkl_utils'", "theano.misc.pkl_utils")
    wanting("there is no module 'theano.tensr': did you mean 'theano.tensor'?", "theano.tensr")
    wanting("there is no module 'theano.no_such_thing_at_all'", "theano.no_such_thing_at_all")
  end)
  it("leaves modules that are not Theano's alone", function()
    local fine, e = pcall(require, "theanot.sparse")
    assert.is_false(fine)
    assert.truthy(e:find("module 'theanot.sparse' not found", 1, true))
  end)
end)

describe("help", function()
  it("says what Theano has and this version does not", function()
    raises("KeyError", "Theano has it in theano.sparse, this version does not", function()
      theano.help("bsr_matrix")
    end)
    raises("KeyError", "did you mean 'softmax'?", function() theano.help("sofmax") end)
  end)
  it("has a table of names for the modules that are sealed", function()
    assert.equal("theano.sparse", modules.original("bsr_matrix"))
  end)
end)
