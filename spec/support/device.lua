--- The same graph on the CPU and through device=cuda-emulated.
local assert = require("luassert")
local nd = require("theano.ndarray")
local theano = require("theano")

local M = {}

M.flags = { device = os.getenv("TH_DEVICE") or "cuda-emulated", force_device = true }

-- How far a long sum or product may be from the CPU's, relative to it.
M.rounding = { float32 = 1e-5, complex64 = 1e-5, float64 = 1e-13, complex128 = 1e-13 }

function M.compile(flags, inputs, outputs, updates)
  local _ <close> = theano.config.change_flags(flags)
  return theano.compile({ inputs = inputs, outputs = outputs, updates = updates, on_unused_input = "ignore" })
end

-- Functions of one graph on the CPU and on the device.
function M.both(inputs, outputs, updates)
  return M.compile({}, inputs, outputs, updates), M.compile(M.flags, inputs, outputs, updates)
end

-- Some numbers of a dtype, with ties: small ones, and for floats fractions of both signs.
function M.numbers(dtype, ...)
  local shape, n = { ... }, 1
  for _, k in ipairs(shape) do n = n * k end
  local a = nd.arange(n):astype("float64")
  local v = (a * a * 7 + a * 3) % 11 - 5
  if dtype == "bool" then v = nd.gt(v, 2)
  elseif dtype:sub(1, 4) == "uint" then v = v + 5
  elseif dtype:sub(1, 5) == "float" then v = v * 0.25
  elseif dtype:sub(1, 7) == "complex" then
    local c = v:astype("complex128")
    v = c * 0.25 + ((a * 5) % 7 - 3):astype("complex128") * nd.array(nd.complex(0, 0.5))
  end
  return v:astype(dtype):reshape(shape)
end

-- Both functions on the same arguments: equal results, or close ones (tolerance).
function M.equal(want, got, args, what, tolerance)
  local w, g = table.pack(want(table.unpack(args))), table.pack(got(table.unpack(args)))
  if w.n == 1 and type(w[1]) == "table" then w, g = w[1], g[1] end
  assert.equal(#w, #g, what)
  for i = 1, #w do
    local a, b = nd.array(w[i]), nd.array(g[i])
    assert.same(a.shape, b.shape, what)
    assert.equal(a.dtype, b.dtype, what)
    local close = tolerance or 0
    if not nd.allclose(b, a, close, close, { equal_nan = true }) then
      error(("%s, result %d:\n%s\n%s"):format(what or "", i, tostring(a), tostring(b)), 2)
    end
  end
end

function M.same(inputs, outputs, args, what, tolerance)
  local want, got = M.both(inputs, outputs)
  M.equal(want, got, args, what, tolerance)
end

-- What each of them says when it fails.
function M.failures(inputs, outputs, args)
  local said = {}
  for i, f in ipairs({ M.both(inputs, outputs) }) do
    local ok, e = pcall(f, table.unpack(args))
    assert.is_false(ok)
    said[i] = tostring(e)
  end
  return said[1], said[2]
end

return M
