-- No keyword of any public function is read and then ignored. The functions are found by walking the modules and the
-- engine's table; arguments that each takes are found by trying; its keywords are those that it lists itself when it
-- is called with one that nobody knows. Each is then given values that cannot be right.
local theano = require("theano")
local core = require("theano.core")
local util = require("theano.util")
local T, nd = theano.tensor, theano.ndarray

local x = T.dmatrix("x")
local vector_type = T.TensorType("float64", { false })
local POOL = {
  x, T.dvector("v"), T.dscalar("s"), T.dtensor3(), T.dtensor4(), T.dtensor5(), T.lvector(), T.lscalar(), 1, 2, 0.5,
  { 2, 3 }, "float64", { T.dvector(), T.dvector() }, T.lmatrix(), nd.arange(6):reshape({ 2, 3 }) + 0.5,
  nd.arange(3) + 0.5, nd.arange(3), nd.eye(3), { nd.ones({ 2 }), nd.ones({ 2 }) }, { { 1, 2 }, { 3, 4 } },
  theano.compile({ x }, x * 2), function(a) return a end, vector_type, T.constant(3),
  theano.typed_list.TypedListType(vector_type)(), theano.shared(1.0), { 3, 2 }, true, x["0:2"],
  function() return 1.0 end, "ij->ji",
}

-- Keywords that take any text, or any value, and what they mean.
local TEXTS = util.set({
  "name", "msg", "comment", "delimiter", "comments", "header", "footer", "only_if", -- shown or written
  "prefix", "suffix", "sep", "separator", "format", "missing_values",
  "message",                                                                         -- theano.error_kind's own
  "outfile", "title",
})
local ANY = util.set({
  "T.extract_constant v",                                                     -- gives back what is no constant
  "theano.gradient.grad_not_implemented op", "theano.gradient.grad_undefined op", -- shown by tostring
  "theano.error_kind message", "nd.isscalar x", "T.isscalar x", "nd.iterable y", -- asks of anything
  "theano.printing.Print global_fn",
  "theano.OpFromGraph grad_overrides", "theano.OpFromGraph lop_overrides", "theano.OpFromGraph rop_overrides",
})
-- Functions whose further arguments are values, names or tags of the user's.
local VALUES = util.set({
  "T.default", "theano.gof.Feature", "theano.gof.LocalOptimizer", "theano.gof.local_optimizer", "theano.stat",
  "theano.error_kind", "nd.savez", "nd.savez_compressed",
})
local function is_decorator(path) return path:find("%.register_") ~= nil end

local GRAPHVIZ = os.execute("command -v dot >/dev/null 2>&1")

-- Files to read and to write, so that no function writes where the specs run.
local FILES = {}
local function file(extension, save, value)
  local path = os.tmpname()
  FILES[#FILES + 1], FILES[#FILES + 2] = path, path .. extension
  save(path .. extension, value)
  return path .. extension
end

local function of_files()
  local two = nd.ones({ 2, 2 })
  local npy, npz = file(".npy", nd.save, two), file(".npz", nd.save, { a = two })
  local idx, text = file(".idx", nd.save_idx, two:astype("uint8")), file(".txt", nd.savetxt, two)
  local new = file(".npy", nd.save, two)
  local picture, page = file(".png", nd.save, two), file(".html", nd.save, two)
  return {
    ["theano.printing.pydotprint"] = GRAPHVIZ and { T.exp(T.dvector()), picture } or nil,
    ["theano.printing.htmlprint"] = { T.exp(T.dvector()), page },
    ["nd.load"] = { npy }, ["nd.load_npy"] = { npy }, ["nd.load_npz"] = { npz }, ["nd.load_idx"] = { idx },
    ["nd.loadtxt"] = { text }, ["nd.stream"] = { npy, 1 }, ["nd.save"] = { new, two }, ["nd.save_npy"] = { new, two },
    ["nd.save_idx"] = { idx, two:astype("uint8") }, ["nd.savetxt"] = { text, two },
    ["nd.genfromtxt"] = { text }, ["nd.fromfile"] = { npy }, ["nd.tofile"] = { two, new }, ["a.tofile"] = { two, new },
    ["nd.savez"] = { npz, two }, ["nd.savez_compressed"] = { npz, two }, ["nd.writer"] = { new, { 2 }, "float64" },
  }
end

-- Arguments of functions that want more than three, or others than those of the pool.
local function samples()
  local m, v, t4, five = T.dmatrix(), T.dvector(), T.dtensor4(), T.dtensor5()
  local merge = theano.gof.MergeOptimizer()
  local identity = theano.gof.local_optimizer(nil, function() end)
  local blocks = { t4, T.dtensor3(), T.lmatrix(), T.dmatrix(), T.lmatrix() }
  local separable = { t4, t4, t4, 3 }
  local list = {
    ["theano.subgraph_grad"] = { v, v, { cost = v:sum() } }, ["T.TensorType"] = { "float64", { false } },
    ["T.concatenate"] = { { v, v } }, ["T.hessian"] = { (v ^ 2):sum(), v }, ["T.patternbroadcast"] = { v, { true } },
    ["T.tensor"] = { "float64", { false } }, ["T.transfer"] = { v, "cpu" },
    ["T.verify_grad"] = { function(a) return a end, { nd.ones(2) } }, ["nd.dsplit"] = { nd.ones({ 2, 2, 2 }), 2 },
    ["nd.frombuffer"] = { "12345678" }, ["nd.fromfunction"] = { function(a) return a end, { 2 } },
    ["nd.iinfo"] = { "int8" }, ["nd.indices"] = { { 2, 3 } },
    ["nd.take_along_axis"] = { nd.ones({ 2, 2 }), nd.zeros({ 2, 2 }, "int64"), 0 },
    ["nd.piecewise"] = { nd.ones(2), { { true, false } }, { 2 } },
    ["nd.select"] = { { { true, false } }, { { 1, 2 } } },
    ["nd.unpackbits"] = { nd.ones(2, "uint8") },
    ["nd.concatenate"] = { { nd.ones(2), nd.ones(2) } },
    ["nd.put_along_axis"] = { nd.ones({ 2, 2 }), nd.zeros({ 2, 2 }, "int64"), 1.0, 0 },
    ["T.nnet.batch_normalization"] = { m, v, v, v, v }, ["T.nnet.batch_normalization_test"] = { m, v, v, v, v },
    ["T.nnet.causal_conv1d"] = { T.dtensor3(), T.dtensor3(), { 2, 2, 3 } },
    ["T.nnet.frac_bilinear_upsampling"] = { t4, { 3, 2 } },
    ["T.nnet.h_softmax"] = { m, 4, 5, 3, 2, m, v, T.dtensor3(), m }, ["T.nnet.separable_conv2d"] = separable,
    ["T.nnet.separable_conv3d"] = { five, five, five, 3 }, ["T.nnet.sparse_block_dot"] = blocks,
    ["T.nnet.sparse_block_gemv"] = { T.dtensor3(), t4, T.dtensor3(), T.lmatrix(), T.lmatrix() },
    ["T.nnet.sparse_block_outer"] = { t4, T.dtensor3(), T.dtensor3(), T.lmatrix(), T.lmatrix() },
    ["theano.gradient.sparse_grad"] = { m[T.lvector()] }, ["theano.typed_list.make_list"] = { { v, v } },
    ["theano.gof.EquilibriumOptimizer"] = { { merge } }, ["theano.gof.SeqOptimizer"] = { { merge } },
    ["theano.gof.OpSub"] = { T.add, T.mul }, ["theano.gof.OpRemove"] = { "Sum" },
    ["theano.gof.is_op"] = { (v + 1).owner, "Elemwise" }, ["theano.gof.TopoOptimizer"] = { identity },
  }
  local image, filter, step = { 2, 3, 9, 9 }, { 4, 3, 3, 3 }, { 1, 1 }
  for name, a in pairs({
    assert_conv_shape = { image }, check_conv_gradinputs_shape = { image, filter, { 2, 4, 7, 7 }, "valid", step },
    get_conv_output_shape = { image, filter, "valid", step },
    get_conv_gradinputs_shape = { filter, image, "valid", step },
    get_conv_gradweights_shape = { image, { 2, 4, 7, 7 }, "valid", step },
  }) do list["T.nnet.abstract_conv." .. name], list["T.nnet.conv." .. name] = a, a end
  for name, alias in pairs({
    ["T.nnet.bn.batch_normalization"] = "T.nnet.batch_normalization",
    ["T.nnet.bn.batch_normalization_test"] = "T.nnet.batch_normalization_test",
    ["T.nnet.blocksparse.sparse_block_dot"] = "T.nnet.sparse_block_dot",
    ["T.nnet.blocksparse.sparse_block_gemv"] = "T.nnet.sparse_block_gemv",
    ["T.nnet.blocksparse.sparse_block_outer"] = "T.nnet.sparse_block_outer",
    ["T.nnet.abstract_conv.causal_conv1d"] = "T.nnet.causal_conv1d",
    ["T.nnet.abstract_conv.frac_bilinear_upsampling"] = "T.nnet.frac_bilinear_upsampling",
    ["T.nnet.abstract_conv.separable_conv2d"] = "T.nnet.separable_conv2d",
    ["T.nnet.abstract_conv.separable_conv3d"] = "T.nnet.separable_conv3d",
    ["theano.gradient.hessian"] = "T.hessian", ["theano.gradient.verify_grad"] = "T.verify_grad",
    ["theano.gradient.subgraph_grad"] = "theano.subgraph_grad", ["theano.sparse_grad"] = "theano.gradient.sparse_grad",
    ["nd.frombytes"] = "nd.frombuffer", ["nd.patternbroadcast"] = "T.patternbroadcast",
  }) do list[name] = list[alias] end
  for name, arguments in pairs(of_files()) do list[name] = arguments end
  for name in ("vstack hstack dstack row_stack column_stack concat"):gmatch("%a+_?%a*") do
    list["T." .. name], list["nd." .. name] = { { v, v } }, { { nd.ones(2), nd.ones(2) } }
  end
  return list
end
local SAMPLES = samples()

-- pcall, and what lasts until it is closed is closed.
local function called(fn, ...)
  local fine, got = pcall(fn, ...)
  if fine and type(got) == "table" and rawget(got, "close") then got.close() end
  return fine, got
end

-- All choices of n values of the pool, until one of them is taken by fn; those values, or nil.
local function arguments_of(fn, n, self)
  local at = {}
  for i = 1, n do at[i] = 1 end
  while true do
    local a = {}
    for i = 1, n do a[i] = POOL[at[i]] end
    if self then table.insert(a, 1, self) end
    local count = n + (self and 1 or 0)
    if called(fn, table.unpack(a, 1, count)) then return a, count end
    local i = n
    while i > 0 do
      at[i] = at[i] + 1
      if at[i] <= #POOL then break end
      at[i], i = 1, i - 1
    end
    if i == 0 then return nil end
  end
end

local function parameters_of(fn)
  local info = debug.getinfo(util.written(fn), "Su")
  return (info.what == "C" or info.isvararg) and 3 or math.min(info.nparams, 3)
end

-- What is wrong with the function, as texts; and whether arguments for it were found.
local function faults_of(path, fn, self)
  local faults, args, n = {}, nil, nil
  local function fault(...) faults[#faults + 1] = table.concat({ path, ... }, " ") end
  local given = SAMPLES[path]
  if given then
    args, n = { table.unpack(given) }, #given
    if type(args[n]) == "table" and util.is_keywords(args[n]) then n = n - 1 end -- other keywords than those tried
    if not called(fn, table.unpack(given)) then return { path .. ": the sample is refused" }, false end
  end
  for count = 0, given and -1 or parameters_of(fn) - (self and 1 or 0) do
    args, n = arguments_of(fn, count, self)
    if args then break end
  end
  if not args then return faults, false end
  local function try(keyword, value)
    args[n + 1] = { [keyword] = value }
    local fine, message = called(fn, table.unpack(args, 1, n + 1))
    args[n + 1] = nil
    return fine, tostring(message)
  end
  if given and #given > n then -- the last one of the sample holds keywords that are needed
    function try(keyword, value)
      local all = { [keyword] = value }
      for k, v in pairs(given[#given]) do
        if all[k] == nil then all[k] = v end
      end
      args[n + 1] = all
      local fine, message = called(fn, table.unpack(args, 1, n + 1))
      return fine, tostring(message)
    end
  end
  local fine, message = try("no_such_keyword", 1)
  if fine then
    if not VALUES[path] and not is_decorator(path) then fault("takes the keyword no_such_keyword") end
    return faults, true
  end
  if not theano.error_kind(message) then fault("raises without a kind:", message) end
  local known = message:match("known: ([^)]*)%)") or message:match("it takes ([%w_, ]+)") or ""
  for keyword in known:gmatch("[%w_]+") do
    local wrong = { print, ANY[path .. " " .. keyword] and print or nil }
    if not TEXTS[keyword] then wrong = { print, "no such value" } end
    for _, value in ipairs(ANY[path .. " " .. keyword] and {} or wrong) do
      fine, message = try(keyword, value)
      if fine then fault("takes", keyword, "=", tostring(value)) end
      if not fine and not theano.error_kind(message) then fault(keyword, "raises without a kind:", message) end
    end
    if keyword == "axis" and path ~= "T.extra_ops.Unique" and try(keyword, 99) then fault("takes axis = 99") end
  end
  return faults, true
end

local SKIPPED = util.set({ "theano.catch_interrupt", "nd.protect", "a.free", "a.protect" })

-- Every function of the module, by name; path is what is shown.
local function walk(path, module, self)
  local names, faults, tried, without = {}, {}, 0, {}
  for name, fn in pairs(module) do
    if type(name) == "string" and type(fn) == "function" and name:find("^%a") then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local shown = path .. "." .. name
    if not SKIPPED[shown] then
      local found, asked = faults_of(shown, module[name], self)
      table.move(found, 1, #found, #faults + 1, faults)
      if asked then tried = tried + 1 else without[#without + 1] = shown end
    end
  end
  return faults, tried, without
end

local function modules()
  local list = { { "theano", theano }, { "T", T }, { "nd", nd } }
  for _, name in ipairs({ "nnet", "extra_ops", "opt", "slinalg", "nlinalg", "signal", "fft" }) do
    if type(rawget(T, name)) == "table" then list[#list + 1] = { "T." .. name, T[name] } end
  end
  for _, name in ipairs({ "bn", "blocksparse", "abstract_conv", "neighbours", "conv3d2d", "conv" }) do
    list[#list + 1] = { "T.nnet." .. name, T.nnet[name] }
  end
  for _, name in ipairs({ "pool", "conv", "downsample" }) do
    list[#list + 1] = { "T.signal." .. name, T.signal[name] }
  end
  list[#list + 1] = { "nd.fft", nd.fft }
  for _, name in ipairs({ "gradient", "printing", "typed_list", "gof", "compile" }) do
    list[#list + 1] = { "theano." .. name, theano[name] }
  end
  return list
end

describe("no keyword is read and then ignored", function()
  local write, stderr = io.stdout, io.stderr
  -- what functions print while they are tried is of no interest
  setup(function()
    local null = assert(io.open("/dev/null", "w"))
    rawset(io, "stdout", null)
    rawset(io, "stderr", null)
    io.output(null)
  end)
  teardown(function()
    io.output(write)
    rawset(io, "stdout", write)
    rawset(io, "stderr", stderr)
    for _, path in ipairs(FILES) do os.remove(path) end
  end)

  local total, left_out, left_out_names = 0, 0, {}
  for _, m in ipairs(modules()) do
    it("by the functions of " .. m[1], function()
      local faults, tried, without = walk(m[1], m[2])
      assert.same({}, faults)
      total, left_out = total + tried, left_out + #without
      table.move(without, 1, #without, #left_out_names + 1, left_out_names)
    end)
  end

  it("by the methods of arrays", function()
    local faults, tried = walk("a", core.array_methods, nd.arange(6):reshape({ 2, 3 }) + 0.5)
    assert.same({}, faults)
    assert.is_true(tried > 60)
  end)

  it("by any function for which arguments were found, and those are nearly all", function()
    assert.is_true(total > 500, total .. " functions were called")
    assert.is_true(left_out < 24, "none of the arguments tried: " .. table.concat(left_out_names, " "))
  end)
end)

describe("a keyword of a function that takes more than the pool has", function()
  local raises = require("spec.support.raises")
  it("is read", function()
    local image, v = T.dtensor4(), T.dvector()
    for _, k in ipairs({ "stride", "pad", "ignore_border", "mode" }) do
      local wrong = { [k] = "no such value", ws = { 2, 2 } }
      assert.has_error(function() T.signal.pool.pool_2d(image, wrong) end, nil, k)
    end
    raises("ValueError", "give one of each", function()
      T.signal.pool.pool_2d(image, { ws = { 2, 2 }, ds = { 2, 2 } })
    end)
    for _, name in ipairs({ "set_subtensor", "inc_subtensor" }) do
      for _, k in ipairs({ "inplace", "tolerate_inplace_aliasing" }) do
        raises("TypeError", "true or false", function() T[name](v["0:2"], 1, { [k] = "yes" }) end)
      end
    end
    raises("ValueError", "quicksort", function() T.sort(v, { kind = "bogosort" }) end)
    raises("ValueError", "ndim is 3", function() T.unravel_index(T.lvector(), { 2, 3 }, { ndim = 3 }) end)
    raises("TypeError", "minlength", function() T.bincount(T.lvector(), { minlength = 1.5 }) end)
    raises("TypeError", "true or false", function() T.zeros_like(v, { opt = "yes" }) end)
  end)

  it("of compile, In, Out, shared and scan is of its type", function()
    local s = theano.shared(1.0)
    for _, k in ipairs({ "accept_inplace", "rebuild_strict", "allow_input_downcast", "profile", "on_unused_input",
      "no_default_updates", "mode", "updates", "givens", "memory", "name" }) do
      assert.has_error(function() theano.compile({ inputs = { x }, outputs = x, [k] = print }) end, nil, k)
    end
    for _, k in ipairs({ "mutable", "borrow", "strict", "allow_downcast", "autoname", "implicit", "shared", "name",
      "update" }) do
      assert.has_error(function() theano.In(x, { [k] = print }) end, nil, k)
    end
    for _, k in ipairs({ "borrow", "array", "return_internal_type" }) do
      assert.has_error(function() theano.Out(x, { [k] = "yes" }) end, nil, k)
    end
    raises("TypeError", "strict is a string", function() theano.shared(1.0, { strict = "yes" }) end)
    raises("ValueError", 'no device "tpu"', function() theano.shared(1.0, { target = "tpu" }) end)
    raises("TypeError", "borrow is a string", function() s:get_value({ borrow = "yes" }) end)
    raises("TypeError", "borrow is a number", function() s:set_value(2, { borrow = 1 }) end)
    raises("ValueError", "FAST_RUM", function()
      theano.scan({ fn = function(a) return a end, sequences = x, mode = "FAST_RUM" })
    end)
  end)
end)
