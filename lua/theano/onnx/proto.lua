--- Protocol buffers, as far as ONNX needs them: messages to bytes and back, by the tables of fields below.
--
-- Data may come from strangers: each length is compared with the bytes there are, messages lie in each other DEPTH deep
-- at most, and an unknown field is passed over.
-- @module theano.onnx.proto
local util = require("theano.util")

local M = {}

local DEPTH = 24
local VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

-- A field: name, kind (int, float, double, bytes, or the name of a message), "many".
local schema = {
  Model = {
    [1] = { "ir_version", "int" }, [2] = { "producer_name", "bytes" }, [3] = { "producer_version", "bytes" },
    [7] = { "graph", "Graph" }, [8] = { "opset_import", "Opset", "many" },
  },
  Opset = { [1] = { "domain", "bytes" }, [2] = { "version", "int" } },
  Graph = {
    [1] = { "node", "Node", "many" }, [2] = { "name", "bytes" }, [5] = { "initializer", "Tensor", "many" },
    [11] = { "input", "Value", "many" }, [12] = { "output", "Value", "many" },
  },
  Node = {
    [1] = { "input", "bytes", "many" }, [2] = { "output", "bytes", "many" }, [3] = { "name", "bytes" },
    [4] = { "op_type", "bytes" }, [5] = { "attribute", "Attribute", "many" }, [7] = { "domain", "bytes" },
  },
  Attribute = {
    [1] = { "name", "bytes" }, [2] = { "f", "float" }, [3] = { "i", "int" }, [4] = { "s", "bytes" },
    [5] = { "t", "Tensor" }, [6] = { "g", "Graph" }, [7] = { "floats", "float", "many" },
    [8] = { "ints", "int", "many" }, [9] = { "strings", "bytes", "many" }, [20] = { "type", "int" },
  },
  Tensor = {
    [1] = { "dims", "int", "many" }, [2] = { "data_type", "int" }, [4] = { "float_data", "float", "many" },
    [5] = { "int32_data", "int", "many" }, [7] = { "int64_data", "int", "many" }, [8] = { "name", "bytes" },
    [9] = { "raw_data", "bytes" }, [10] = { "double_data", "double", "many" }, [11] = { "uint64_data", "int", "many" },
    [13] = { "external_data", "bytes", "many" }, [14] = { "data_location", "int" },
  },
  Value = { [1] = { "name", "bytes" }, [2] = { "type", "Type" } },
  Type = { [1] = { "tensor_type", "TensorType" } },
  TensorType = { [1] = { "elem_type", "int" }, [2] = { "shape", "Shape" } },
  Shape = { [1] = { "dim", "Dim", "many" } },
  Dim = { [1] = { "value", "int" }, [2] = { "param", "bytes" } },
}

-- ---- reading -------------------------------------------------------------------------------------------------------
local function bad(what) util.raise("ValueError", "onnx: %s", what) end

local function varint(s, at, stop)
  local v, shift = 0, 0
  repeat
    if at > stop or shift > 63 then bad("the file is cut off, or is no ONNX model") end
    local byte = s:byte(at)
    v = v | (byte & 127) << shift
    shift, at = shift + 7, at + 1
  until byte < 128
  return v, at
end

local sizes = { float = { "<f", 4 }, double = { "<d", 8 } }

local function need(at, n, stop)
  if n < 0 or n > stop - at + 1 then bad("a length reaches past the end of the file") end
end

-- One number at `at`.
local function number(s, at, stop, kind)
  if kind == "int" then return varint(s, at, stop) end
  local size = sizes[kind]
  need(at, size[2], stop)
  return string.unpack(size[1], s, at), at + size[2]
end

local function skip(s, at, stop, wire)
  local n
  if wire == VARINT then return select(2, varint(s, at, stop)) end
  if wire == BYTES then n, at = varint(s, at, stop)
  elseif wire == FIXED64 then n = 8
  elseif wire == FIXED32 then n = 4
  else bad("the file is no ONNX model") end
  need(at, n, stop)
  return at + n
end

local decode

-- What has a length: bytes, a message, or numbers one behind the other.
local function long(s, at, stop, field, message, depth)
  local n
  n, at = varint(s, at, stop)
  need(at, n, stop)
  local last, kind = at + n - 1, field[2]
  local list = message[field[1]]
  if kind == "int" or sizes[kind] then
    while at <= last do list[#list + 1], at = number(s, at, last, kind) end
  else
    local v = kind == "bytes" and s:sub(at, last) or schema[kind] and decode(kind, s, at, last, depth + 1)
    if field[3] then list[#list + 1] = v else message[field[1]] = v end
  end
  return last + 1
end

local wires = { int = VARINT, float = FIXED32, double = FIXED64 }

decode = function(name, s, at, stop, depth)
  if depth > DEPTH then bad("messages lie too deep in each other") end
  local message, fields = {}, schema[name]
  for _, field in pairs(fields) do
    if field[3] then message[field[1]] = {} end
  end
  while at <= stop do
    local key
    key, at = varint(s, at, stop)
    local field, wire = fields[key >> 3], key & 7
    if not field then at = skip(s, at, stop, wire)
    elseif wire == BYTES and (field[3] or not wires[field[2]]) then at = long(s, at, stop, field, message, depth)
    elseif wire == wires[field[2]] then
      local v
      v, at = number(s, at, stop, field[2])
      if field[3] then table.insert(message[field[1]], v) else message[field[1]] = v end
    else bad(("the field %s of %s has a wrong type"):format(field[1], name)) end
  end
  return message
end

--- A message of the bytes: a table by the names of fields, sequences where there may be many; ValueError.
function M.decode(name, bytes) return decode(name, bytes, 1, #bytes, 1) end

-- ---- writing -------------------------------------------------------------------------------------------------------
local function put_varint(out, v)
  while v & ~127 ~= 0 do
    out[#out + 1] = string.char(v & 127 | 128)
    v = v >> 7
  end
  out[#out + 1] = string.char(v)
end

local encode

local function put(out, number_of, kind, v)
  if kind == "int" then
    put_varint(out, number_of << 3 | VARINT)
    put_varint(out, v)
  elseif sizes[kind] then
    put_varint(out, number_of << 3 | wires[kind])
    out[#out + 1] = string.pack(sizes[kind][1], v)
  else
    local bytes = kind == "bytes" and v or encode(kind, v)
    put_varint(out, number_of << 3 | BYTES)
    put_varint(out, #bytes)
    out[#out + 1] = bytes
  end
end

local order = {} -- numbers of fields, ascending: the same message gives the same bytes
for name, fields in pairs(schema) do
  order[name] = {}
  for n in pairs(fields) do table.insert(order[name], n) end
  table.sort(order[name])
end

encode = function(name, message)
  local out = {}
  for _, n in ipairs(order[name]) do
    local field = schema[name][n]
    local v = message[field[1]]
    if field[3] then
      for _, x in ipairs(v or {}) do put(out, n, field[2], x) end
    elseif v ~= nil then put(out, n, field[2], v) end
  end
  return table.concat(out)
end

--- The bytes of a message.
function M.encode(name, message) return encode(name, message) end

return M
