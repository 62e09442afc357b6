--- Graphs print as Theano prints them: spec/data/debugprint holds what Theano 1.0.5 wrote.
local cpu = require("spec.support.cpu")
local oracle = require("spec.support.oracle")
local skip = require("spec.support.skip")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")
local compile = theano.compile

-- Graphs that the files describe in Python's words: built here. Each gives inputs, outputs, updates.
local BUILT = {
  ["08_softmax_xent"] = function()
    local x, i = T.dmatrix("x"), T.ivector("i")
    local cost = T.mean((-T.log(T.nnet.softmax(x)):sub(T.arange(x.shape:sub(0)), i)))
    return { x, i }, { cost, T.grad(cost, x) }
  end,
  ["10_logreg_train"] = function()
    local x, y = T.dmatrix("x"), T.dvector("y")
    local w, b = theano.shared(nd.zeros(4), { name = "w" }), theano.shared(0.0, { name = "b" })
    local p1 = 1 / (1 + T.exp(-T.dot(x, w) - b))
    local xent = -y * T.log(p1) - (1 - y) * T.log(1 - p1)
    return { x, y }, { T.gt(p1, 0.5), xent }
  end,
}

local function graph(name)
  if BUILT[name] then return BUILT[name]() end
  local prints, inputs = oracle.prints(name), {}
  local env = setmetatable({ T = T }, { __index = _G })
  for names, constructor in (prints.inputs .. ","):gmatch("([%w,]-)=T%.(%w+)%s*,") do
    for variable in names:gmatch("%w+") do
      env[variable] = T[constructor](variable)
      inputs[#inputs + 1] = env[variable]
    end
  end
  return inputs, { assert(load(prints.lua, "=" .. name, "t", env))() }
end

local function text(object, options)
  options = options or {}
  options.file = "str"
  return (theano.printing.debugprint(object, options):gsub("\n+$", ""))
end

local MODES = {
  ["FAST_RUN (cvm)"] = compile.get_mode("FAST_RUN"),
  ["FAST_RUN without fusion"] = compile.get_mode("FAST_RUN"):excluding("fusion"),
  ["FAST_RUN without fusion and inplace"] = compile.get_mode("FAST_RUN"):excluding("fusion", "inplace"),
  FAST_COMPILE = compile.get_mode("FAST_COMPILE"),
}

-- Toposort numbers say in which order independent nodes run, which is not the peer's affair.
local function without_order(printed) return (printed:gsub("(%] [^\n]*'[^'\n]*'   )%d+", "%1")) end

describe("debugprint", function()
  it("says what it prints", function()
    local ones = require("theano.ndarray").ones({ 2 })
    for _, wrong in ipairs({ ones, 3, { 3 }, { ones } }) do
      local ok, message = pcall(theano.printing.debugprint, wrong)
      assert.is_false(ok)
      assert.is_truthy(message:find("TypeError: debugprint", 1, true), message)
    end
  end)
end)

describe("pp and debugprint before compiling", function()
  for _, name in ipairs({ "01_add", "02_mul_const", "03_merge", "05_grad_sum_sqr", "06_gemm", "08_softmax_xent",
    "10_logreg_train", "13_dimshuffle_broadcast", "18_doc_dimshuffle_owner" }) do
    local sections = oracle.prints(name).sections

    it("print " .. name .. " exactly", function()
      local _, outputs = graph(name)
      local lines = {}
      for i, output in ipairs(outputs) do lines[i] = theano.pp(output) end
      assert.equal(sections["pp (theano.pp)"], table.concat(lines, "\n"))
      assert.equal(sections["debugprint before compile"], text(outputs))
    end)

    it("print " .. name .. " with types exactly", function()
      local _, outputs = graph(name)
      assert.equal(sections["debugprint before compile, print_type=True"], text(outputs, { print_type = true }))
    end)
  end
end)

describe("debugprint of a compiled function", function()
  local function compiled(name, mode)
    local inputs, outputs = graph(name)
    return compile({ inputs = inputs, outputs = #outputs == 1 and outputs[1] or outputs, mode = MODES[mode] })
  end

  for _, name in ipairs({ "01_add", "02_mul_const", "03_merge", "05_grad_sum_sqr", "06_gemm", "13_dimshuffle_broadcast",
    "18_doc_dimshuffle_owner" }) do
    for mode in pairs(MODES) do
      it(("prints %s under %s"):format(name, mode), function()
        if mode ~= "FAST_COMPILE" then cpu.only("Theano's text of functions for the CPU") end
        local sections = oracle.prints(name).sections
        local f = compiled(name, mode)
        assert.equal(without_order(sections["debugprint after compile: " .. mode]), without_order(text(f)))
        local names, wanted = {}, {}
        for i, node in ipairs(f.maker.fgraph.toposort()) do names[i] = tostring(node.op) end
        for op in (sections["toposort op names: " .. mode] .. "\n"):gmatch("%d+ ([^\n]*)\n") do
          wanted[#wanted + 1] = op
        end
        table.sort(names)
        table.sort(wanted)
        assert.same(wanted, names)
      end)
    end
  end

  it("prints the softmax cross-entropy and its gradient under FAST_COMPILE", function()
    local sections = oracle.prints("08_softmax_xent").sections
    assert.equal(without_order(sections["debugprint after compile: FAST_COMPILE"]),
      without_order(text(compiled("08_softmax_xent", "FAST_COMPILE"))))
  end)
end)

describe("the documentation's page on graph structures", function()
  local x = T.dmatrix("x")
  local y = x * 2.0

  it("names operations, inputs and results as Theano", function()
    assert.equal("Elemwise{mul,no_inplace}", y.owner.op.name)
    assert.equal("Elemwise{mul,no_inplace}", tostring(y.owner.op))
    assert.equal(2, #y.owner.inputs)
    assert.equal("x", tostring(y.owner.inputs[1]))
    assert.equal(x, y.owner.inputs[1])
    assert.equal("InplaceDimShuffle{x,x}.0", tostring(y.owner.inputs[2]))
    assert.equal("TensorConstant{2.0}", tostring(y.owner.inputs[2].owner.inputs[1]))
    assert.equal("Elemwise{mul,no_inplace}.0", tostring(y))
    assert.equal(0, y.index)
    assert.is_nil(x.owner)
  end)

  it("prints types, constants and shared variables as Theano", function()
    assert.equal("TensorType(float64, matrix)", tostring(y.type))
    assert.equal("TensorType(int32, row)", tostring(T.irow().type))
    assert.equal("TensorType(float64, scalar)", tostring(T.dscalar().type))
    assert.equal("TensorType(float64, col)", tostring(T.dcol().type))
    assert.equal("TensorConstant{2}", tostring(T.constant(2)))
    assert.equal("TensorConstant{[1 2]}", tostring(T.constant({ 1, 2 })))
    assert.equal("TensorConstant{[ 0.  1.  ..\n 18. 19.]}", tostring(T.constant(nd.arange(20.0))))
    assert.equal("s", tostring(theano.shared(0.0, "s")))
    assert.equal("<TensorType(float64, matrix)>", tostring(T.dmatrix()))
  end)
end)

describe("debugprint", function()
  local x = T.dvector("x")
  local named = T.exp(x)
  named.name = "inner"
  local y = T.log(named + 1)

  it("stops at a depth", function()
    local wanted = "Elemwise{log,no_inplace} [id A] ''   \n |Elemwise{add,no_inplace} [id B] ''   "
    assert.equal(wanted, text(y, { depth = 2 }))
  end)

  it("stops at names", function()
    assert.truthy(text(y):find("|x [id", 1, true))
    local short = text(y, { stop_on_name = true })
    assert.truthy(short:find("inner", 1, true))
    assert.is_nil(short:find("|x [id", 1, true))
  end)

  it("numbers, or leaves out, the ids", function()
    assert.truthy(text(y, { ids = "int" }):find("Elemwise{log,no_inplace} [id 0] ''", 1, true))
    assert.is_nil(text(y, { ids = "" }):find("[id", 1, true))
  end)

  it("prints an Apply node as its output and repeats no subgraph", function()
    assert.equal(text(y), text(y.owner))
    local z = T.exp(x)
    local printed = text(z * z)
    local _, count = printed:gsub("|x %[id", "")
    assert.equal(1, count)
  end)

  it("refuses an option that nobody knows", function()
    local fine, message = pcall(theano.printing.debugprint, y, { dept = 2 })
    assert.is_false(fine)
    assert.equal("TypeError", theano.error_kind(message))
    assert.truthy(message:find("unknown keyword 'dept'", 1, true))
    assert.truthy(message:find("depth", 1, true))
  end)
end)

describe("graph text", function()
  it("is read back as the same graph", function()
    local x, y = T.fmatrix("x"), T.lvector("y")
    local out = { T.sum(T.exp(x) * 2, { axis = 1 }), T.grad(T.sum(T.sqr(x)), x), x:sub(0, "all"), y + 1 }
    local written = theano.printing.graph_text(out)
    local _, outputs = theano.printing.graph_read(written)
    assert.equal(written, theano.printing.graph_text(outputs))
    for i, variable in ipairs(outputs) do assert.equal(theano.pp(out[i]), theano.pp(variable)) end
  end)

  it("that is broken is refused with its line", function()
    local fine, message = pcall(theano.printing.graph_read, "nonsense here\n")
    assert.is_false(fine)
    assert.truthy(theano.error_kind(message), message)
  end)
end)

describe("plan and ccode", function()
  local x = T.dvector("x")

  it("show the kernels, and C named after the variables", function()
    local mode = compile.Mode({ linker = "c", optimizer = "fast_run" })
    local f = compile({ inputs = { x }, outputs = T.exp(x) + 1, mode = mode })
    assert.truthy(theano.printing.plan(f):find("kernel", 1, true))
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    assert.truthy(theano.printing.ccode(f):find("exp", 1, true))
    assert.truthy(theano.printing.ccode(f):find("x", 1, true))
  end)

  it("write the C for other processors, for CUDA and for known lengths, without any compiler", function()
    local m = T.fmatrix("m")
    local f = compile({ inputs = { m }, outputs = m:sum { axis = 1 }, mode = compile.Mode({ linker = "interpreter" }) })
    local ccode = theano.printing.ccode
    for target, word in pairs({ sse2 = "f32x4", avx2 = "f32x8", avx512 = "f32x16", cuda = "blockIdx" }) do
      assert.truthy(ccode(f, target):find(word, 1, true), target)
    end
    assert.falsy(ccode(f, "sse2"):find("f32x8", 1, true))
    assert.falsy(ccode(f, "avx2"):find("f32x16", 1, true))
    assert.equal(ccode(f, "cuda"), ccode(f, "cuda-emulated"))
    assert.falsy(ccode(f, "avx2"):find("known", 1, true))
    assert.truthy(ccode(f, "avx2", { s1 = 7 }):find("known[2] = {s[0], 7l}", 1, true))
    for _, case in ipairs({ { "ValueError", "'neon'", "neon" }, { "ValueError", "no size s9", "avx2", { s9 = 1 } },
      { "ValueError", "no length is -1", "avx2", { s1 = -1 } }, { "TypeError", "by their names", "avx2", { s1 = 0.5 } },
      { "TypeError", "by their names", "avx2", { 3 } }, { "TypeError", "table", "avx2", 3 },
      { "TypeError", "the target is", nil, { s1 = 1 } }, { "TypeError", "the target is", 3 },
      { "ValueError", "the same for all lengths", "cuda", { s1 = 1 } } }) do
      local fine, message = pcall(ccode, f, case[3], case[4])
      assert.is_false(fine)
      assert.equal(case[1], theano.error_kind(message), message)
      assert.truthy(tostring(message):find(case[2], 1, true), message)
    end
  end)

  it("say what will run: the text for this processor is one of those", function()
    skip.unless(theano.config.cxx ~= "" and theano.config.device == "cpu", "no C compiler")
    local f = compile({ inputs = { x }, outputs = T.sqrt(x) + 1, mode = compile.Mode({ linker = "c" }) })
    local here, found = theano.printing.ccode(f), false
    for _, target in ipairs({ "sse2", "avx2", "avx512" }) do
      found = found or here == theano.printing.ccode(f, target)
    end
    assert.is_true(found)
  end)

  it("say that an interpreted function has no C", function()
    local f = compile({ inputs = { x }, outputs = T.exp(x), mode = compile.Mode({ linker = "interpreter" }) })
    local fine, message = pcall(theano.printing.ccode, f)
    assert.is_false(fine)
    assert.equal("ValueError", theano.error_kind(message))
  end)
end)

describe("theano.printing.Print", function()
  local Print = theano.printing.Print
  local x = T.dvector("x")
  -- What a function prints in a call, and what it gives.
  local function said(f, ...)
    local lines, print_ = {}, print
    rawset(_G, "print", function(line) lines[#lines + 1] = line end)
    local result = table.pack(pcall(f, ...))
    rawset(_G, "print", print_)
    assert(result[1], result[2])
    return table.concat(lines, "\n"), tostring(result[2])
  end

  it("prints the value on its way, as Theano's", function()
    local lines, value = said(compile({ x }, Print("this is x")(x) * 5), { 1, 2 })
    assert.equal("this is x __str__ = [1. 2.]", lines)
    assert.equal("[ 5. 10.]", value)
  end)
  it("prints attributes, and what methods give", function()
    local p = Print("x", { attrs = { "shape", "mean", "dtype" } })(x)
    assert.equal("x shape = (2,)\nx mean = 1.5\nx dtype = float64", (said(compile({ x }, p), { 1, 2 })))
    local fine, e = pcall(compile({ x }, Print("x", { attrs = { "shap" } })(x)), { 1 })
    assert.is_false(fine)
    assert.truthy(e:find("AttributeError: an ndarray has no attribute 'shap': did you mean 'shape'", 1, true))
  end)
  it("lets gradients pass", function()
    local p = Print("p")(x)
    local lines, value = said(compile({ x }, T.grad((p ^ 2):sum(), x)), { 1, 2 })
    assert.equal("p __str__ = [1. 2.]|[2. 4.]", lines .. "|" .. value)
    assert.equal("[2. 4.]", select(2, said(compile({ x }, theano.Rop(p * 2, x, x)), { 1, 2 })))
  end)
  it("prints in every turn of a loop, once for equal ones, and not where only a shape is asked", function()
    local loop = theano.scan({ fn = function(a) return Print("step")(a) * 2 end, sequences = x })
    assert.equal("step __str__ = 1.0\nstep __str__ = 2.0", (said(compile({ x }, loop), { 1, 2 })))
    assert.equal("a __str__ = [1.]", (said(compile({ x }, Print("a")(x) + Print("a")(x)), { 1 })))
    assert.equal("", (said(compile({ x }, Print("a")(x).shape), { 1 })))
    local own = Print("own", { global_fn = function(op, value) print(op.message .. " " .. value.size) end })
    assert.equal("own 2", (said(compile({ x }, own(x)), { 1, 2 })))
  end)
  it("refuses other arguments", function()
    assert.has_error(function() Print(3) end)
    assert.has_error(function() Print("x", { attrs = { 3 } }) end)
  end)
end)
