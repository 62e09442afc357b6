-- theano.onnx: models of onnx.helper with onnxruntime's numbers, our own models written and read, damaged files.
local slurp = require("spec.support.slurp")
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")
local onnx = require("theano.onnx")
local models = require("spec.support.onnx_models")
local proto = require("theano.onnx.proto")
local raises = require("spec.support.raises")
local rotate = require("spec.support.rotate")

local folder = "spec/data/onnx/"

local function close(a, b, far)
  assert.same({ table.unpack(a.shape) }, { table.unpack(b.shape) })
  assert.is_true(nd.abs(a - b):max() <= (far or 1e-5), "differs by " .. nd.abs(a - b):max())
end

describe("onnx.load", function()
  for _, name in ipairs({ "mlp", "cnn", "lstm", "transformer", "shapes" }) do
    it("computes what onnxruntime does: " .. name, function()
      local model, numbers = onnx.load(folder .. name .. ".onnx"), nd.load(folder .. name .. ".npz")
      local f = theano.compile({ inputs = model.inputs, outputs = model.outputs, mode = "FAST_COMPILE" })
      local args = {}
      for i, x in ipairs(model.inputs) do args[i] = numbers["in_" .. x.name] end
      for i, y in ipairs({ f(table.unpack(args)) }) do close(numbers["out_" .. model.names[i]], y) end
    end)
  end

  it("gives weights as shared variables by name, or as constants", function()
    local model = onnx.load(folder .. "mlp.onnx")
    assert.same({ 6, 4 }, { table.unpack(model.params.W:get_value().shape) })
    local slope = T.grad(model.outputs[1]:sum(), model.params.V)
    assert.equal(2, slope.ndim)
    assert.is_nil(next(onnx.load(folder .. "mlp.onnx", { constants = true }).params))
  end)
end)

describe("onnx.save", function()
  local path
  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  for _, name in ipairs(models.names) do
    it("writes what onnx.load reads: " .. name, function()
      local x, y, data = models.make(name)
      onnx.save(path, { inputs = { x }, outputs = { y = y } })
      local back = onnx.load(path)
      assert.same({ "y" }, back.names)
      close(y:eval({ [x] = data }), back.outputs[1]:eval({ [back.inputs[1]] = data }), 1e-6)
      local before = slurp(path)
      onnx.save(path, { inputs = { x }, outputs = { y = y } })
      assert.is_true(before == slurp(path), "the same model has other bytes")
    end)
  end

  it("names what ONNX has not got, and leaves the file that was there", function()
    local x = T.fmatrix("x")
    onnx.save(path, { inputs = { x }, outputs = { x * 2 } })
    local before = slurp(path)
    raises("NotImplementedError", { "onnx", "Cholesky" }, function()
      onnx.save(path, { inputs = { x }, outputs = { T.slinalg.cholesky(x) } })
    end)
    raises("ValueError", { "x", "none of the inputs" }, function() onnx.save(path, { outputs = { x * 2 } }) end)
    raises("ValueError", "no outputs", function() onnx.save(path, { inputs = { x } }) end)
    raises("TypeError", "output 1", function() onnx.save(path, { inputs = { x }, outputs = { 7 } }) end)
    assert.is_true(before == slurp(path))
  end)
end)

describe("models from strangers #asan", function()
  local path
  setup(function() path = os.tmpname() end)
  teardown(function() os.remove(path) end)

  local function try(bytes)
    local f <close> = assert(io.open(path, "wb"))
    f:write(bytes)
    f:close()
    local ok, message = pcall(onnx.load, path)
    if ok then return true end
    local kind = theano.error_kind(message)
    assert.truthy(kind == "ValueError" or kind == "NotImplementedError", message)
  end

  it("are errors with words wherever they are cut or changed", function()
    local places, refused = {}, 0
    for _, name in ipairs({ "mlp", "cnn", "lstm", "transformer", "shapes" }) do
      local bytes = slurp(folder .. name .. ".onnx")
      for at = 1, #bytes do places[#places + 1] = { bytes, at } end
    end
    for _, place in ipairs(rotate.some(places, 150)) do
      local bytes, at = place[1], place[2]
      if not try(bytes:sub(1, at - 1)) then refused = refused + 1 end
      try(bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ 1 << at % 8) .. bytes:sub(at + 1))
    end
    assert.truthy(refused > 100, refused)
  end)

  it("are refused where a node's inputs are too few or of another kind", function()
    local function value(name, kind)
      local shape = { dim = { { param = "n" }, {}, {}, {} } }
      return { name = name, type = { tensor_type = { elem_type = kind, shape = shape } } }
    end
    local function refuses(op, inputs, kind, words)
      local graph = { name = "g", node = { { op_type = op, input = inputs, output = { "y" } } },
        input = { value("x", kind) }, output = { value("y", kind) } }
      local f <close> = assert(io.open(path, "wb"))
      local opset = { { domain = "", version = 17 } }
      f:write(proto.encode("Model", { ir_version = 8, graph = graph, opset_import = opset }))
      f:close()
      raises("ValueError", { "onnx: ", words }, function() onnx.load(path) end)
    end
    local FLOAT, BOOL = 1, 9
    refuses("Gather", { "x" }, FLOAT, "an operand is missing")
    refuses("Gather", { "", "x" }, FLOAT, "Gather has no input")
    refuses("MatMul", { "x" }, FLOAT, "")
    refuses("Conv", { "x", "x" }, BOOL, "Conv does not go with its inputs: ")
    refuses("Gather", { "x", "x" }, FLOAT, "Gather does not go with its inputs: ")
  end)

  it("are refused where they claim too much", function()
    local function refuses(bytes, words)
      local f <close> = assert(io.open(path, "wb"))
      f:write(bytes)
      f:close()
      raises("ValueError", words, function() onnx.load(path) end)
    end
    refuses("", "no graph")
    raises("ValueError", "theano.onnx.load", function() nd.load("model.onnx") end) -- who takes it for arrays is told
    refuses("\x3a\xff\xff\xff\xff\x0f", "past the end") -- a graph of 4 GB
    refuses("\x3a" .. ("\xff"):rep(10) .. "\1", "cut off") -- a length of 70 bits
    local deep = ""
    for _ = 1, 40 do -- graphs in attributes of nodes of graphs
      local function field(n, s) return string.char(n << 3 | 2) .. string.char(#s & 127 | 128, #s >> 7) .. s end
      deep = field(1, field(5, field(6, deep)))
    end
    refuses("\x3a" .. string.char(#deep & 127 | 128, #deep >> 7) .. deep, "too deep")
  end)
end)
