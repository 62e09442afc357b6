--- `nd.fft`: NumPy's transforms on arrays. All but two are functions of the engine's table; NumPy's rfft and irfft of
-- one axis give complex numbers where those of `T.fft` are Theano's.
-- @module theano.ndarray.fft
local core = require("theano.core")

return function(nd)
  local fft = {}
  for _, f in ipairs(core.functions()) do
    local name = f.name:match("^fft%.([^.]+)$")
    if name and not name:find("_op$") then fft[name] = f.eager end
  end
  -- Halves are transformed as float32; where the result is real it is of the same half.
  for name, transform in pairs(fft) do
    fft[name] = function(a, ...)
      local half = type(a) == "userdata" and core.kind(a) == "ndarray" and a.dtype:find("float16") and a.dtype
      if not half then return transform(a, ...) end
      local r = transform(a:astype("float32"), ...)
      return type(r) == "userdata" and r.dtype == "float32" and r:astype(half) or r
    end
  end
  local rfftn, irfftn = fft.rfftn, fft.irfftn

  --- The first n//2+1 elements of the Fourier transform of real numbers along an axis, complex; n: lines are cut to it
  -- or followed by zeros; norm "backward", "ortho" or "forward".
  function fft.rfft(a, n, axis, norm) return rfftn(nd.asarray(a), n and { n }, { axis or -1 }, norm) end

  --- What rfft undoes: n real numbers along an axis, 2 * (length - 1) unless n is given.
  function fft.irfft(a, n, axis, norm) return irfftn(nd.asarray(a), n and { n }, { axis or -1 }, norm) end

  return require("theano.alikecosines")(nd, require("theano.alikearrays")(nd), fft)
end
