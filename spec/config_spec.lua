--- Flags: .theanorc, then THEANO_FLAGS, then theano.config; later wins.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local theano = require("theano")
local T = require("theano.tensor")

local folder
setup(function() folder = runner.folder() end)
teardown(function() runner.remove(folder) end)

local SHOW = [[
  local config = require("theano").config
  print(config.floatX, config.mode, config["gcc.cxxflags"], require("theano.tensor").matrix().dtype)
]]

describe("where flags come from", function()
  it("nowhere: the defaults", function()
    assert.equal("float64\tMode\t\tfloat64\n", (runner.run({ "-e", SHOW })))
  end)

  it("THEANO_FLAGS", function()
    assert.equal("float32\tFAST_COMPILE\t\tfloat32\n",
      (runner.run({ "-e", SHOW }, { env = { "THEANO_FLAGS=floatX=float32, mode=FAST_COMPILE" } })))
  end)

  it("the file that THEANORC names, with its sections", function()
    local flags = "# comment\n[global]\nfloatX = float32\nmode=FAST_COMPILE\n\n[gcc]\ncxxflags = -O1 -g\n"
    runner.write(folder .. "/rc", flags)
    assert.equal("float32\tFAST_COMPILE\t-O1 -g\tfloat32\n",
      (runner.run({ "-e", SHOW }, { env = { "THEANORC=" .. folder .. "/rc" } })))
  end)

  it("~/.theanorc where THEANORC is not set", function()
    runner.write(folder .. "/.theanorc", "[global]\nfloatX = float32\n")
    local form = "env -u THEANORC -u THEANO_FLAGS HOME=%s %s -e %s"
    local pipe = assert(io.popen(form:format(folder, runner.quote(runner.path), runner.quote(SHOW))))
    assert.equal("float32\tMode\t\tfloat32\n", pipe:read("a"))
    pipe:close()
  end)

  it("THEANO_FLAGS win over the file, and the script over both", function()
    runner.write(folder .. "/rc2", "[global]\nfloatX = float32\nmode = FAST_COMPILE\n")
    local env = { "THEANORC=" .. folder .. "/rc2", "THEANO_FLAGS=floatX=float64" }
    local text = runner.run({ "-e", "require('theano').config.mode = 'FAST_RUN'\n" .. SHOW }, { env = env })
    assert.equal("float64\tFAST_RUN\t\tfloat64\n", text)
  end)
end)

describe("wrong flags", function()
  local function fails(env, ...)
    local text, status = runner.run({ "-e", "require('theano')" }, { env = { env } })
    assert.equal(1, status)
    for _, wanted in ipairs({ ... }) do assert.truthy(text:find(wanted, 1, true), text) end
  end

  it("in THEANO_FLAGS name the nearest", function()
    fails("THEANO_FLAGS=floatx=float32", "KeyError", "'floatx'", "'floatX'")
    fails("THEANO_FLAGS=floatX", "ValueError", "name=value")
    fails("THEANO_FLAGS=floatX=float31", "ValueError", "float31", "float64,float32")
  end)

  it("in a file name its line", function()
    runner.write(folder .. "/rc3", "[global]\nfloatX = float32\nnonsense\n")
    fails("THEANORC=" .. folder .. "/rc3", "rc3:3")
    runner.write(folder .. "/rc4", "[global]\nflaotX = float32\n")
    fails("THEANORC=" .. folder .. "/rc4", "KeyError", "'floatX'", "rc4:2")
  end)
end)

describe("theano.config", function()
  it("has every flag under its name: none is a section too", function()
    local n = 0
    for name in tostring(theano.config):gmatch("([%w_.]+) = ") do
      n = n + 1
      assert.not_equal("table", type(theano.config[name]), name)
    end
    assert.is_true(n > 30)
  end)

  it("gives numbers, booleans and texts", function()
    assert.equal("float64", theano.config.floatX)
    assert.is_false(theano.config.allow_gc)
    assert.equal("integer", math.type(theano.config.openmp_elemwise_minsize))
  end)

  it("changes what constructors, numbers and functions do", function()
    local scope <close> = theano.config.change_flags({ floatX = "float32" })
    assert.equal("float32", T.matrix().dtype)
    assert.equal("float32", (T.fvector() * 0.1).dtype)
    assert.is_not_nil(scope)
  end)

  it("change_flags restores at the end of the scope, after an error too", function()
    pcall(function()
      local scope <close> = theano.config.change_flags({ floatX = "float32", on_unused_input = "ignore" })
      error(scope)
    end)
    assert.equal("float64", theano.config.floatX)
    assert.equal("raise", theano.config.on_unused_input)
  end)

  it("change_flags changes nothing when one flag is wrong", function()
    local flags = { floatX = "float32", floatY = "float32" }
    raises("KeyError", "'floatY'", function() theano.config.change_flags(flags) end)
    assert.equal("float64", theano.config.floatX)
  end)

  it("reaches sections by name and by dots", function()
    local scope <close> = theano.config.change_flags({ ["gcc.cxxflags"] = "-O1" })
    assert.equal("-O1", theano.config.gcc.cxxflags)
    theano.config.gcc.cxxflags = "-O0"
    assert.equal("-O0", theano.config["gcc.cxxflags"])
    assert.is_not_nil(scope)
  end)

  it("lists every flag with its text", function()
    local text = tostring(theano.config)
    for _, name in ipairs({ "floatX", "mode", "optimizer", "optimizer_including", "optimizer_excluding", "linker",
      "base_compiledir", "cxx", "gcc.cxxflags", "on_unused_input", "exception_verbosity" }) do
      assert.truthy(("\n" .. text):find("\n" .. name .. " = ", 1, true), name)
    end
  end)

  it("on_unused_input serves functions that do not say it", function()
    local x, y = T.dscalar("x"), T.dscalar("y")
    local scope <close> = theano.config.change_flags({ on_unused_input = "ignore" })
    assert.equal(3.0, theano.compile({ inputs = { x, y }, outputs = x + 1 })(2.0, 5.0))
    assert.is_not_nil(scope)
  end)

  it("optimizer_excluding takes a pass out", function()
    local x = T.dvector("x")
    local function nodes()
      return #theano.compile({ inputs = { x }, outputs = T.log(1 + x) }).maker.fgraph.toposort()
    end
    assert.equal(1, nodes())
    local scope <close> = theano.config.change_flags({ optimizer_excluding = "local_log1p:fusion" })
    assert.equal(2, nodes())
    assert.is_not_nil(scope)
  end)

  it("int_division=raise forbids / between integers, and nothing else", function()
    local i, j = T.ivector("i"), T.lscalar("j")
    assert.equal("float64", (i / j).dtype)
    local scope <close> = theano.config.change_flags({ int_division = "raise" })
    raises("TypeError", { "int_division", "x // y", "T.true_div" }, function() return (i / j).dtype end)
    raises("TypeError", "int_division", function() return (i / 2).dtype end)
    raises("TypeError", "int_division", function() return (2 / i).dtype end)
    assert.same({ "float64", "float64", "int64", "float64" },
      { (i / 2.0).dtype, T.true_div(i, j).dtype, (i // j).dtype, (T.dvector() / j).dtype })
    assert.same({ 0.5 }, (nd.array({ 1 }) / 2):tolist())
    assert.is_not_nil(scope)
  end)

  it("tensor.local_elemwise_fusion=False keeps elementwise operations apart", function()
    local x = T.dvector("x")
    local function nodes() return #theano.compile({ x }, T.exp(x) + 1).maker.fgraph.toposort() end
    assert.equal(1, nodes())
    local scope <close> = theano.config.change_flags({ ["tensor.local_elemwise_fusion"] = false })
    assert.equal(2, nodes())
    assert.is_not_nil(scope)
  end)

  it("traceback.limit is how many lines a report names for a node", function()
    local x = T.dvector("x")
    local y = T.exp(x)
    y = y + 1
    y = T.tanh(y)
    local z = T.int_div(T.cast(y * 0, "int32"), 0)
    local function lines(limit)
      local scope <close> = theano.config.change_flags({ ["traceback.limit"] = limit })
      local _, message = pcall(theano.compile({ x }, z), { 1 })
      assert.is_not_nil(scope)
      return select(2, message:match("created: ([^\n]*)"):gsub("config_spec.lua:%d+", ""))
    end
    assert.same({ 1, 1 }, { lines(1), math.min(lines(8), 1) })
    assert.same(lines(8), lines(-1))
    assert.truthy(lines(2) <= 2)
  end)

  it("says which flags have no effect", function()
    local command = "THEANO_FLAGS=blas.ldflags=-lx build/theano -e 'require([[theano]])' 2>&1"
    local pipe = assert(io.popen(command))
    local text = pipe:read("a")
    pipe:close()
    assert.equal("WARNING: the flag blas.ldflags has no effect in this version\n", text)
  end)

  it("exception_verbosity=high adds the graph to a report", function()
    local x, y = T.dvector("x"), T.dvector("y")
    local f = theano.compile({ inputs = { x, y }, outputs = x + y })
    local _, low = pcall(f, { 1.0 }, { 1.0, 2.0 })
    local scope <close> = theano.config.change_flags({ exception_verbosity = "high" })
    local _, high = pcall(theano.compile({ inputs = { x, y }, outputs = x + y }), { 1.0 }, { 1.0, 2.0 })
    assert.truthy(#high > #low, high)
    assert.truthy(high:find("[id A]", 1, true), high)
    assert.falsy(low:find("Storage map", 1, true), low)
    assert.truthy(high:find(" - y, Input, Shape: (2,), ElemSize: 8 Byte(s), TotalSize: 16 Byte(s)\n - ", 1, true), high)
    assert.truthy(high:find(" TotalSize inputs: 24 Byte(s)", 1, true), high)
    assert.is_not_nil(scope)
  end)

  it("lists the values that are allowed", function()
    local text = tostring(theano.config)
    assert.truthy(text:find("{float64, float32, float16, bfloat16}", 1, true), text)
    assert.truthy(text:find("{true, false}", 1, true) and text:find("{an integer}", 1, true), text)
    assert.truthy(theano.help("on_unused_input"):find("allowed: raise, warn, ignore", 1, true))
    local _, message = pcall(function() theano.config.on_unused_input = "maybe" end)
    assert.truthy(message:find("allowed: raise,warn,ignore", 1, true), message)
  end)

  it("scopes nest, and each ends with what was there before", function()
    local outer <close> = theano.config.change_flags({ floatX = "float32" })
    do
      local inner <close> = theano.config.change_flags({ floatX = "float64", on_unused_input = "warn" })
      assert.equal("float64", theano.config.floatX)
      assert.is_not_nil(inner)
    end
    assert.equal("float32", theano.config.floatX)
    assert.equal("raise", theano.config.on_unused_input)
    assert.is_not_nil(outer)
  end)

  it("warn_float64 finds float64 variables that are made", function()
    local f, i = T.fvector("f"), T.ivector("i")
    do
      local scope <close> = theano.config.change_flags({ warn_float64 = "raise" })
      raises("TypeError", "warn_float64", function() T.dvector() end)
      raises("TypeError", "warn_float64", function() return f * i, 0 end)
      raises("TypeError", "warn_float64", function() return f * 0.1, 0 end)
      raises("TypeError", "warn_float64", function() theano.shared(1.0) end)
      assert.equal("float32", (f * 2.5).dtype)
      assert.equal("float32", theano.shared(1.0, { dtype = "float32" }).dtype)
      assert.is_not_nil(scope)
    end
    local text, status = runner.run({ "-e", "local T = require('theano.tensor')\nlocal x = T.fvector('x') * 0.1" },
      { env = { "THEANO_FLAGS=warn_float64=warn" } })
    assert.equal(0, status)
    assert.equal("(command line):2: warning: a float64 variable is made here (warn_float64=warn)\n", text)
    assert.equal("", (runner.run({ "-e", "local x = require('theano.tensor').dvector()" })))
  end)

  it("cast_policy=numpy+floatX keeps float32 beside integers and literals", function()
    local scope <close> = theano.config.change_flags({ cast_policy = "numpy+floatX", floatX = "float32" })
    local f, i = T.fvector("f"), T.ivector("i")
    assert.equal("float32", (f * 0.1).dtype)
    assert.equal("float32", (f * i).dtype)
    assert.equal("float32", (i * 0.1).dtype)
    assert.equal("int64", (i * 2).dtype)
    assert.equal("int64", T.constant(1).dtype)
    assert.equal("float64", (f * T.dvector()).dtype)
    local product = theano.compile({ inputs = { f, i }, outputs = f * i * 0.5 + T.grad((f ^ 2):sum(), f) })
    assert.same({ 3.5, 8.0 }, product({ 1, 2 }, { 3, 4 }):tolist())
    theano.config.floatX = "float64"
    assert.equal("float64", (f * i).dtype)
    assert.equal("float64", (f * 2).dtype)
    assert.is_not_nil(scope)
  end)
end)
