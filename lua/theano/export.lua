--- Compiled functions as C programs of their own.
-- @module theano.export
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local known = {
  dir = "string", args = "table", shapes = "table", names = "table", bounded = "boolean", lua = "boolean",
  weights = "string", overwrite = "boolean",
}

-- Numbers of any kind to call with, the same every time; rows of them depend on each other in no simple way.
local function filled(dtype, shape)
  local n = 1
  for _, len in ipairs(shape) do n = n * len end
  local values = {}
  local float = dtype:find("float") or dtype:find("complex")
  for i = 1, n do values[i] = float and ((i * i * 37 + i) % 101 - 50) / 40 or i % 2 end
  if #shape == 0 then return core.asarray(values[1], dtype) end
  return core.asarray(values, dtype):reshape(shape)
end

local function of_input(t, i, input)
  if t == nil then return nil end
  local v = t[i]
  if v == nil and input.name then v = t[input.name] end
  return v
end

-- An array for input i, or false for its default.
local function example(options, i, input)
  local given = of_input(options.args, i, input)
  if given ~= nil then return core.asarray(given, not util.is_array(given) and input.dtype or nil) end
  local shape = of_input(options.shapes, i, input)
  if shape ~= nil then
    if #shape ~= #input.broadcastable then
      util.raise("ValueError", "export: %d lengths are given for input %d%s, which has %d dimensions", #shape, i,
        input.name and ", " .. input.name or "", #input.broadcastable)
    end
    return filled(input.dtype, shape)
  end
  return #input.broadcastable == 0 and not input.default and filled(input.dtype, {}) or false
end

--- Writes the function as C99 that needs nothing but libm: `NAME.c`, `NAME.h`, `NAME_test.c` and `CMakeLists.txt`.
-- Options: `dir`, where (default: here); `args`, arguments as for a call, by position or name: the program has their
-- lengths, and its test their results; or `shapes`, lengths alone; `names` of the results in C; `bounded = true`:
-- these lengths are the largest, each call tells its own; `lua = true`: `NAME_lua.c` too, a module of Lua;
-- `weights = "file"`: constants and shared variables stand in `NAME.weights`, which the program reads;
-- `overwrite = true`: files that no export wrote are replaced too (else an IOError, before there is a file).
function M.export(f, name, options)
  util.expect("export", "name", name, "string")
  options = options or {}
  util.expect("export", "options", options, "table")
  util.check_keywords("export", options, known)
  if options.weights ~= nil and options.weights ~= "file" and options.weights ~= "inside" then
    util.raise("ValueError", "export: weights is 'file' or 'inside', not '%s'", options.weights)
  end
  local examples, names = {}, options.names
  for i, input in ipairs(core.function_inputs(f)) do examples[i] = example(options, i, input) end
  names = names or core.function_results(f) or nil
  core.function_export(f, { name = name, dir = options.dir or ".", examples = examples, names = names,
    bounded = options.bounded, lua = options.lua, weights = options.weights == "file",
    overwrite = options.overwrite })
end

return M
