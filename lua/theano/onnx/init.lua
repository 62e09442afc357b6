--- `theano.onnx`: expressions as ONNX models, and models as expressions.
--     onnx.save("policy.onnx", { inputs = { x }, outputs = { action = y } })
--     local model = onnx.load("policy.onnx")
--     local f = theano.compile { inputs = model.inputs, outputs = model.outputs[1] }
-- docs/interchange.md lists the operations. Files may come from strangers: what is wrong with one is a ValueError, what
-- is not known a NotImplementedError.
-- @module theano.onnx
local core = require("theano.core")
local files = require("theano.data.files")
local proto = require("theano.onnx.proto")
local util = require("theano.util")

local M = {}

local IR, OPSET = 8, 17

--- Writes an ONNX model that computes outputs from inputs. `inputs`: variables; `outputs`: variables, or variables by
-- name. Values of shared variables are written as they are now.
function M.save(path, graph)
  util.expect("onnx.save", "path", path, "string")
  util.expect("onnx.save", "graph", graph, "table")
  local function variable(v, what, name)
    if core.kind(v) then return v end
    util.raise("TypeError", "onnx.save: %s %s is %s, a variable is expected", what, tostring(name), util.kind_of(v))
  end
  local outputs, names = {}, {}
  if util.is_keywords(graph.outputs) then
    for name in pairs(graph.outputs) do names[#names + 1] = name end
    table.sort(names)
    for i, name in ipairs(names) do outputs[i] = variable(graph.outputs[name], "output", name) end
  else
    for i, v in ipairs(core.kind(graph.outputs) and { graph.outputs } or graph.outputs or {}) do
      outputs[i] = variable(v, "output", i)
      names[i] = v.name or ("output_" .. i)
    end
  end
  if #outputs == 0 then util.raise("ValueError", "onnx.save: there are no outputs") end
  for i, v in ipairs(graph.inputs or {}) do variable(v, "input", i) end
  local written = require("theano.onnx.write").graph(graph.inputs or {}, outputs, names, graph.name or "theano")
  local bytes = proto.encode("Model", { ir_version = IR, producer_name = "theano-lua", graph = written,
    opset_import = { { domain = "", version = OPSET } } })
  files.write(path, bytes)
end

--- Reads an ONNX model: `inputs` and `outputs` (sequences of variables with the model's names), `params` (shared
-- variables by name). constants: weights are constants, not shared variables.
function M.load(path, options)
  util.expect("onnx.load", "path", path, "string")
  local model = proto.decode("Model", files.read(path))
  if not model.graph then util.raise("ValueError", "onnx.load: %s is no ONNX model: it has no graph", path) end
  return require("theano.onnx.read").graph(model, options or {})
end

return M
