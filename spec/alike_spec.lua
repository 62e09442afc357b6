--- Functions that are one text for Variables and arrays: both give the same, and gradients, forward mode and vmap of
-- the graphs hold. The numbers of the arrays are NumPy's in spec/numpy_spec.lua. And every name of the array API
-- standard.
local core = require("theano.core")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local rotate = require("spec.support.rotate")
local theano = require("theano")
local T = require("theano.tensor")
local variables = require("spec.support.variables")
local standard = require("spec.support.array_api")
local compile, G = theano.compile, theano.gradient

local rng = nd.random.RandomState(12)
local function mat() return rng:uniform(0.2, 0.8, { 3, 4 }) end
local function vec(n) return rng:uniform(0.2, 0.8, { n or 4 }) end
local function cube() return rng:uniform(0.2, 0.8, { 2, 3, 4 }) end

describe("the array API standard", function()
  local T_, nd_ = T, nd
  for heading, names in pairs(standard) do
    if heading ~= "version" and heading ~= "absent" then
      it("has its names in T and nd: " .. heading, function()
        local missing = {}
        for name in names:gmatch("%S+") do
          for module, m in pairs({ T = T_, nd = nd_ }) do
            if heading == "fft" or heading == "linalg" then m = m[heading] end
            local there = rawget(m, name) ~= nil
            if there == (standard.absent[name] ~= nil) then missing[#missing + 1] = module .. "." .. name end
          end
        end
        assert.same({}, missing)
      end)
    end
  end

  it("says what it asks a module for about itself", function()
    for _, M in ipairs({ T, nd }) do
      local info = M.__array_namespace_info__()
      assert.is_true(info.capabilities()["boolean indexing"])
      assert.equal("float64", info.default_dtypes()["real floating"])
      assert.same({ "cpu" }, info.devices())
      assert.equal("cpu", info.default_device())
      assert.same({ float32 = "float32", float64 = "float64" }, info.dtypes({ kind = "real floating" }))
      assert.equal("uint8", info.dtypes().uint8)
    end
  end)
end)

-- Points, and what is done with them; integers have no gradient.
local I = nd.array({ { 1, 0, 3, 2 }, { 0, 0, 1, 1 }, { 3, 3, 2, 0 } })
local SOME = nd.array({ true, false, true, true })
-- What arrays are written into, graphs give.
local function written(M, put, x, ...)
  if M == T then return put(x, ...) end
  x = x:copy()
  put(x, ...)
  return x
end
local CASES = {
  { "put", { mat(), vec(3) }, function(M, x, v) return written(M, M.put, x, { 7, 0, 11, -2 }, v) end },
  { "put, wrapped and clipped", { mat() }, function(M, x)
    return written(M, M.put, x, { 25, -13 }, 0.5, "wrap") * written(M, M.put, x, { 99, 1 }, { 0.25, 2 }, "clip")
  end },
  { "place", { mat(), vec(2) }, function(M, x, v) return written(M, M.place, x, nd.gt(I, 0), v) end },
  { "putmask", { mat(), vec(5) }, function(M, x, v) return written(M, M.putmask, x, nd.gt(I, 0), v) end },
  { "putmask by a number", { mat() }, function(M, x) return written(M, M.putmask, x, nd.gt(I, 1), 3) end },
  { "put_along_axis", { mat(), rng:uniform(0, 1, { 1, 4 }) },
    function(M, x, v) return written(M, M.put_along_axis, x, { { 2, 0, 1, 1 } }, v, 0) end },
  { "frexp, ldexp, modf", { mat() }, function(M, x)
    local m, e = M.frexp(x * 9)
    local a, b = M.modf(x * 9)
    return M.ldexp(m, e + 1) * a + b
  end },
  { "heaviside, cbrt", { mat(), mat() }, function(M, x, y) return M.heaviside(x - 2, y) + M.cbrt(x) end },
  { "atleast_1d", { nd.array(0.5) }, function(M, x) return M.atleast_1d(x) end },
  { "atleast_2d", { vec() }, function(M, x) return M.atleast_2d(x) end },
  { "atleast_3d of a number", { nd.array(0.5) }, function(M, x) return M.atleast_3d(x) end },
  { "atleast_3d of a vector", { vec() }, function(M, x) return M.atleast_3d(x) end },
  { "atleast_3d of a matrix", { mat() }, function(M, x) return M.atleast_3d(x) end },
  { "expand_dims", { mat() }, function(M, x) return M.expand_dims(x, { 0, -1 }) end },
  { "flip", { mat() }, function(M, x) return M.flip(x) end },
  { "flip of an axis", { cube() }, function(M, x) return M.flip(x, { 0, -1 }) end },
  { "fliplr", { mat() }, function(M, x) return M.fliplr(x) end },
  { "flipud", { mat() }, function(M, x) return M.flipud(x) end },
  { "rot90", { mat() }, function(M, x) return M.rot90(x) end },
  { "rot90 three times in another plane", { cube() }, function(M, x) return M.rot90(x, 3, { 2, 0 }) end },
  { "rot90 twice", { mat() }, function(M, x) return M.rot90(x, -2) end },
  { "matrix_transpose", { cube() }, function(M, x) return M.matrix_transpose(x) end },
  { "permute_dims", { cube() }, function(M, x) return M.permute_dims(x, { 2, 0, 1 }) end },
  { "rollaxis", { cube() }, function(M, x) return M.rollaxis(x, 2) end },
  { "rollaxis to the end", { cube() }, function(M, x) return M.rollaxis(x, 0, 3) end },
  { "broadcast_to", { vec() }, function(M, x) return M.broadcast_to(x, { 2, 3, 4 }) end },
  { "broadcast_arrays", { mat(), vec(4) }, function(M, x, y)
    local a, b = M.broadcast_arrays(x, y)
    return a * b
  end },
  { "meshgrid", { vec(3), vec(2) }, function(M, x, y)
    local a, b = M.meshgrid(x, y)
    return a * a * b
  end },
  { "meshgrid by rows, sparse", { vec(3), vec(2) }, function(M, x, y)
    local a, b = M.meshgrid(x, y, { indexing = "ij", sparse = true })
    return a + b * b
  end },
  { "sliding_window_view", { mat() }, function(M, x) return M.sliding_window_view(x, { 2, 3 }) end },
  { "sliding_window_view along an axis", { mat() }, function(M, x) return M.sliding_window_view(x, 2, -1) end },
  { "vstack", { mat(), vec(4) }, function(M, x, y) return M.vstack({ x, y }) end },
  { "row_stack", { vec(4), vec(4) }, function(M, x, y) return M.row_stack({ x, y }) end },
  { "hstack", { mat(), mat() }, function(M, x, y) return M.hstack({ x, y }) end },
  { "hstack of vectors", { vec(3), vec(2) }, function(M, x, y) return M.hstack({ x, y }) end },
  { "dstack", { mat(), mat() }, function(M, x, y) return M.dstack({ x, y }) end },
  { "column_stack", { vec(3), mat() }, function(M, x, y) return M.column_stack({ x, y }) end },
  { "append", { mat(), vec(2) }, function(M, x, y) return M.append(x, y) end },
  { "append along an axis", { mat(), mat() }, function(M, x, y) return M.append(x, y, -1) end },
  { "take_along_axis", { mat(), I }, function(M, x, i) return M.take_along_axis(x, i) end },
  { "take_along_axis of a broadcast row", { rng:uniform(0, 1, { 1, 4 }), I },
    function(M, x, i) return M.take_along_axis(x, i, 1) end },
  { "take_along_axis of one row of indices", { mat(), nd.array({ { 2, 0, 1, 1 } }) },
    function(M, x, i) return M.take_along_axis(x, i, 0) end },
  { "cumulative_sum", { mat() }, function(M, x) return M.cumulative_sum(x, 1, nil, true) end },
  { "cumulative_prod", { vec() }, function(M, x) return M.cumulative_prod(x) end },
  { "cumulative_prod from one on", { mat() },
    function(M, x) return M.cumulative_prod(x, { axis = 0, include_initial = true }) end },
  { "vecdot", { mat(), vec(4) }, function(M, x, y) return M.vecdot(x, y) end },
  { "vecdot along the first axis", { mat(), mat() }, function(M, x, y) return M.vecdot(x, y, 0) end },
  { "matvec", { cube(), vec(4) }, function(M, x, y) return M.matvec(x, y) end },
  { "vecmat", { vec(3), cube() }, function(M, x, y) return M.vecmat(x, y) end },
  { "vecdot along the first axis of each", { vec(3), mat() }, function(M, x, y) return M.vecdot(x, y, 0) end },
  { "tril and triu of a vector", { vec(3) }, function(M, x) return M.tril(x) * M.triu(x, -1) end },
  { "linalg.vector_norm", { cube() }, function(M, x) return M.linalg.vector_norm(x, { 0, 2 }, true) end },
  { "linalg.matrix_norm, trace, diagonal", { cube() }, function(M, x)
    return M.linalg.matrix_norm(x) + M.linalg.trace(x) * M.linalg.diagonal(x, 1)[":, 0"]
  end },
  { "linalg.pinv with a bound for each", { cube(), nd.array({ 0.01, 0.3 }) },
    function(M, x, r) return M.linalg.pinv(x + nd.eye(3, 4) * 2, M == T and T.consider_constant(r) or r) end },
  { "linalg.cholesky, solve, pinv", { mat() }, function(M, x)
    local a = M.dot(x, x.T) + M.eye(3)
    local roots = M.linalg.solve(a, M.linalg.cholesky(a, true))
    return M.dot(roots, M.linalg.pinv(x + nd.eye(3, 4) * 2).T) * M.sum(M.linalg.svdvals(x))
  end },
  { "inner", { cube(), vec(4) }, function(M, x, y) return M.inner(x, y) end },
  { "vdot", { mat(), mat() }, function(M, x, y) return M.vdot(x, y) end },
  { "cross", { rng:uniform(0, 1, { 2, 3 }), vec(3) }, function(M, x, y) return M.cross(x, y) end },
  { "array_split", { vec(7) }, function(M, x)
    local parts = M.array_split(x, { 2, 4 })
    return parts[1] * parts[2] + parts[3]["1:"]
  end },
  { "hsplit", { mat() }, function(M, x) return M.hsplit(x, { 2 })[1] * M.hsplit(x, { 2 })[2] end },
  { "vsplit", { cube() }, function(M, x) return M.vsplit(x, { 1 })[1] - M.vsplit(x, { 1 })[2] end },
  { "dsplit", { cube() }, function(M, x) return M.dsplit(x, { 1 })[2] end },
  { "pad", { mat() }, function(M, x) return M.pad(x, 2) end },
  { "pad by reflections", { vec(5) }, function(M, x) return M.pad(x, 2, "reflect") end },
  -- statistics
  { "median", { mat() }, function(M, x) return M.median(x, 1) end },
  { "median of all", { mat() }, function(M, x) return M.median(x, nil, true) end },
  { "quantile", { cube() }, function(M, x) return M.quantile(x, 0.3, { axis = { 0, 2 }, keepdims = true }) end },
  { "quantile of all", { vec(7) }, function(M, x) return M.quantile(x, 0.9) end },
  { "percentile, several", { mat() }, function(M, x) return M.percentile(x, { 10, 50, 75 }, 0) end },
  { "average", { mat(), vec(4) }, function(M, x, w) return M.average(x, 1, w) end },
  { "average of all", { mat(), mat() }, function(M, x, w) return M.average(x, { weights = w }) end },
  { "corrcoef", { rng:uniform(0, 1, { 2, 5 }) }, function(M, x) return M.corrcoef(x)[0] * x["0, 0"] end },
  { "nansum", { mat() }, function(M, x) return M.nansum(x, 0) end },
  { "nanprod", { mat() }, function(M, x) return M.nanprod(x) end },
  { "nanmean", { mat() }, function(M, x) return M.nanmean(x, 1, true) end },
  { "nanvar", { mat() }, function(M, x) return M.nanvar(x, 0, 1) end },
  { "nanstd", { mat() }, function(M, x) return M.nanstd(x) end },
  { "nanmax", { mat() }, function(M, x) return M.nanmax(x, 0) end },
  { "nanmin", { mat() }, function(M, x) return M.nanmin(x) end },
  { "nancumsum", { mat() }, function(M, x) return M.nancumsum(x, 1) end },
  { "nancumprod", { mat() }, function(M, x) return M.nancumprod(x, 1) end },
  { "nanquantile", { mat() }, function(M, x) return M.nanquantile(x, 0.4, 1) end },
  { "nanmedian", { mat() }, function(M, x) return M.nanmedian(x, 0) end },
  { "nan_to_num", { mat() }, function(M, x) return M.nan_to_num(x) end },
  -- sequences
  { "trapezoid", { mat() }, function(M, x) return M.trapezoid(x) end },
  { "trapezoid between places", { mat(), vec(3) }, function(M, y, x) return M.trapezoid(y, x, nil, 0) end },
  { "unwrap", { rng:uniform(-9, 9, { 3, 5 }) }, function(M, x) return M.unwrap(x, nil, 1) end },
  { "interp", { mat(), nd.array({ 1.0, 3.0, 2.0 }) },
    function(M, x, y) return M.interp(x, { 0.1, 0.45, 0.9 }, y) end },
  { "interp beyond the ends", { vec(6), nd.array({ 1.0, 3.0 }) },
    function(M, x, y) return M.interp(x, { 0.35, 0.6 }, y, -7.0, 9.0) end },
  { "ediff1d", { mat() }, function(M, x) return M.ediff1d(x) end },
  { "polyval", { mat() }, function(M, x) return M.polyval({ 1.5, -2.0, 0.5 }, x) end },
  { "vander", { vec(3) }, function(M, x) return M.vander(x) end },
  { "vander, increasing", { vec(3) }, function(M, x) return M.vander(x, 4, true) end },
  { "diagflat", { mat() }, function(M, x) return M.diagflat(x, 1) end },
  { "select", { vec(), vec() }, function(M, x, y) return M.select({ M.gt(x, 0.6), M.gt(y, 0.4) }, { x, y }, 0.25) end },
  { "var with a correction", { mat() }, function(M, x) return M.var(x, { axis = 1, correction = 1 }) end },
  { "std with half a correction", { mat() },
    function(M, x) return M.std(x, { correction = 0.5, keepdims = true }) end },
  { "roll along several axes", { cube() }, function(M, x) return M.roll(x, { 1, -2 }, { 0, 2 }) end },
  { "roll by one shift along two axes", { mat() }, function(M, x) return M.roll(x, 1, { 0, 1 }) end },
  { "diff with more at both ends", { mat(), vec(3) }, function(M, x, y)
    return M.diff(x, { axis = 1, prepend = 0.5, append = M.expand_dims(y, 1) })
  end },
  { "sort, descending", { mat() }, function(M, x) return M.sort(x, { axis = 0, descending = true }) end },
  { "convolve", { vec(5), vec(3) }, function(M, x, y) return M.convolve(x, y) end },
  { "convolve, same", { vec(3), vec(6) }, function(M, x, y) return M.convolve(x, y, "same") end },
  { "convolve, valid", { vec(3), vec(6) }, function(M, x, y) return M.convolve(x, y, "valid") end },
  { "correlate", { vec(5), vec(3) }, function(M, x, y) return M.correlate(x, y) end },
  { "correlate, same", { vec(4), vec(7) }, function(M, x, y) return M.correlate(x, y, "same") end },
  { "correlate, full", { vec(4), vec(3) }, function(M, x, y) return M.correlate(x, y, "full") end },
  -- positions, pieces, polynomials
  { "resize", { vec(5) }, function(M, x) return M.resize(x, { 2, 4 }) end },
  { "kron", { mat(), vec(3) }, function(M, x, y) return M.kron(x, y) end },
  { "kron of cubes", { cube(), mat() }, function(M, x, y) return M.kron(x, y) end },
  { "polyadd", { vec(3), vec(5) }, function(M, x, y) return M.polyadd(x, y) end },
  { "polysub", { vec(4), vec(2) }, function(M, x, y) return M.polysub(x, y) end },
  { "polymul", { vec(3), vec(4) }, function(M, x, y) return M.polymul(x, y) end },
  { "polyder", { vec(5) }, function(M, x) return M.polyder(x, 2) end },
  { "polyint", { vec(4) }, function(M, x) return M.polyint(x, { m = 2, k = { 3, 0.5 } }) end },
  { "partition", { mat() }, function(M, x) -- nothing is said about the order of the parts
    local p = M.partition(x, 2)
    return M.concatenate({ M.sort(p[":, :2"], 1), p[":, 2:"] }, 1)
  end },
  { "delete", { vec(5) }, function(M, x) return M.delete(x, { 0, -2 }) end },
  { "delete along an axis", { mat() }, function(M, x) return M.delete(x, 1, 1) end },
  { "delete a slice", { mat() }, function(M, x) return M.delete(x, "::2", 0) end },
  { "insert", { vec(5), vec(2) }, function(M, x, v) return M.insert(x, 2, v) end },
  { "insert along an axis", { mat(), vec(3) }, function(M, x, v) return M.insert(x, -1, v, 1) end },
  { "insert at several places", { vec(4), vec(3) }, function(M, x, v) return M.insert(x, { 3, 0, 3 }, v) end },
  { "insert at a slice", { vec(5), vec(2) }, function(M, x, v) return M.insert(x, "3:0:-2", v) end },
  { "insert at one place of a slice", { mat(), rng:uniform(0, 1, { 1, 4 }) }, function(M, x, v)
    return M.insert(x, T.slice(1, 2), v, 0) end },
  { "insert where a mask is", { vec(4), vec(3) }, function(M, x, v) return M.insert(x, SOME, v) end },
  { "delete and insert of booleans", { vec(3), vec(2) }, function(M, x, v)
    return M.insert(M.delete(x, { true, false, false }), { false, true, true }, v) end },
  { "insert rows", { mat(), rng:uniform(0, 1, { 2, 4 }) }, function(M, x, v) return M.insert(x, { 2, 0 }, v, 0) end },
  { "piecewise", { vec(6) }, function(M, x)
    return M.piecewise(x, { M.lt(x, 0.4), M.gt(x, 0.6) }, { function(y) return y * y end, function(y) return -y end,
      7.0 })
  end },
  { "block", { mat(), vec(4) },
    function(M, x, v) return M.block({ { x, M.ones({ 3, 2 }) }, { v, M.zeros({ 2 }) } }) end },
  { "apply_along_axis", { cube() },
    function(M, x) return M.apply_along_axis(function(v) return M.cumsum(v) * v[0] end, 1, x) end },
  { "apply_along_axis to a number", { cube() }, function(M, x) return M.apply_along_axis(M.sum, 2, x) end },
  { "apply_over_axes", { cube() }, function(M, x) return M.apply_over_axes(M.sum, x, { 0, -1 }) end },
  { "fromfunction", { vec(3) },
    function(M, x) return M.fromfunction(function(i, j) return i + j * x end, { 2, 3 }) end },
  { "linspace of tensors", { vec(3), vec(3) }, function(M, x, y)
    local r, step = M.linspace(x, y + 1, 4, { axis = -1, retstep = true })
    return r * M.expand_dims(step, 1)
  end },
  { "linspace without its end", { vec(2) }, function(M, x) return M.linspace(x[0], x[1], 3, { endpoint = false }) end },
  { "poly", { vec(3) }, function(M, x) return M.poly(M == nd and x or T.specify_shape(x, { 3 })) end },
  { "polydiv", { vec(5), vec(3) }, function(M, x, y)
    if M == T then x, y = T.specify_shape(x, { 5 }), T.specify_shape(y, { 3 }) end
    local q, r = M.polydiv(x, y)
    return M.concatenate({ q, r })
  end },
  { "polyfit", { vec(6) },
    function(M, y) return M.polyfit(nd.arange(6) * 0.5, y, 2, { w = { 1, 2, 1, 1, 0.5, 1 } }) end },
  { "polyfit of columns", { mat() }, function(M, y) return M.polyfit({ 0.0, 1, 3 }, y, 1) end },
  { "polyfit of columns, covariances", { mat() },
    function(M, y) return select(2, M.polyfit({ 0.0, 1, 3 }, y, 1, { cov = "unscaled" })) + 0 * M.sum(y) end },
  { "sum where, from an initial value", { mat() },
    function(M, x) return M.sum(x, { axis = 0, where = SOME, initial = 2 }) end },
  { "prod where", { mat() }, function(M, x) return M.prod(x, { axis = 1, where = SOME }) end },
  { "mean and var where", { mat() }, function(M, x)
    return M.concatenate({ M.mean(x, { axis = 1, where = SOME }), M.var(x, { axis = 1, where = SOME, ddof = 1 }) })
  end },
  { "var about a mean", { mat(), vec(4) }, function(M, x, m) return M.var(x, { axis = 0, mean = m }) end },
  { "max and min where, from an initial value", { mat() }, function(M, x)
    return M.max(x, { axis = 0, where = SOME, initial = 0.1 }) + M.min(x, { axis = 0, initial = 0.2 })
  end },
  { "cross along other axes", { vec(3), mat() }, function(M, x, y) return M.cross(x, y, { axisb = 0 }) end },
  { "pad reflected about its edges", { vec(4) },
    function(M, x) return M.pad(x, 5, { mode = "reflect", reflect_type = "odd" }) end },
  { "pad mirrored about its edges", { mat() },
    function(M, x) return M.pad(x, 2, { mode = "symmetric", reflect_type = "odd" }) end },
  { "pad by a ramp", { vec(4) },
    function(M, x) return M.pad(x, { 2, 3 }, { mode = "linear_ramp", end_values = { 1, -1 } }) end },
  { "pad by means of what is near", { vec(4) },
    function(M, x) return M.pad(x, 2, { mode = "mean", stat_length = 2 }) end },
  { "a weighted quantile", { vec(5) },
    function(M, x) return M.quantile(x, 0.4, { weights = { 1, 2, 0, 1, 1 }, method = "inverted_cdf" }) * x end },
  { "corrcoef of two", { vec(5), vec(5) }, function(M, x, y) return M.corrcoef(x, y) end },
  { "geomspace of tensors", { vec(2) }, function(M, x) return M.geomspace(M.abs(x) + 1, M.abs(x) + 3, 4) end },
  { "interp within a period", { vec(3), vec(3) },
    function(M, x, y) return M.interp(x, { 0.0, 1.0, 2.0 }, y, { period = 3 }) end },
  { "clip at one side", { vec(5) }, function(M, x) return M.clip(x, nil, 0.3) + M.clip(x, { min = 0.2 }) end },
  { "gradient", { vec(5) }, function(M, x) return M.gradient(x, 0.5) end },
  { "gradient between places, of an axis", { mat() },
    function(M, x) return M.gradient(x, { 0.0, 1.0, 1.5, 3.0 }, { axis = 1, edge_order = 2 }) end },
  { "a histogram's weights", { vec(4) },
    function(M, w) return (M.histogram({ 0.1, 0.7, 0.8, 0.2 }, 3, { 0, 1 }, w)) end },
  -- special functions
  { "special.multigammaln", { vec() }, function(M, x) return M.special.multigammaln(x + 1, 3) end },
  { "special.poch and rgamma", { vec(), vec() }, function(M, x, y)
    return M.special.poch(x, y) + M.special.rgamma(x) * M.special.gammasgn(x - 1)
  end },
  { "special.comb and perm", { vec() }, function(M, x) return M.special.comb(x + 5, 2) + M.special.perm(x + 5, 2) end },
  { "special.factorial", { vec() }, function(M, x) return M.special.factorial(x) end },
  { "special.logsumexp", { mat() }, function(M, x) return M.special.logsumexp(x, 1) end },
  { "special.logsumexp with weights", { mat(), vec(4) }, function(M, x, b)
    return M.special.logsumexp(x, { axis = 1, b = b, keepdims = true })
  end },
  { "special.softmax", { cube() }, function(M, x) return M.special.softmax(x, { 0, 2 }) end },
  { "special.log_softmax", { mat() }, function(M, x) return M.special.log_softmax(x) end },
  { "special.log_expit, exp10", { mat() }, function(M, x) return M.special.log_expit(x) * M.special.exp10(x) end },
  { "special.exprel, cosm1", { mat() }, function(M, x) return M.special.exprel(x) + M.special.cosm1(x) end },
  { "special.huber", { mat() }, function(M, x) return M.special.huber(0.5, x) end },
  -- and functions of the engine's table under NumPy's names
  { "logaddexp", { mat(), vec(4) }, function(M, x, y) return M.logaddexp(x, y) end },
  { "hypot", { mat(), vec(4) }, function(M, x, y) return M.hypot(x, y) end },
  { "sinc", { mat() }, function(M, x) return M.sinc(x) end },
}
for method in ([[lower higher nearest midpoint inverted_cdf averaged_inverted_cdf closest_observation hazen weibull
  interpolated_inverted_cdf median_unbiased normal_unbiased]]):gmatch("%S+") do
  CASES[#CASES + 1] = { "quantile, " .. method, { mat() },
    function(M, x) return M.quantile(x, 0.6, { axis = 1, method = method }) end }
end
-- What has no gradient.
local HOLES = nd.array({ { 1.0, nd.nan, 3.0, -2.0 }, { nd.nan, nd.nan, nd.nan, 5.0 }, { 2.0, 4.0, nd.nan, 8.0 } })
local FLAT = {
  { "gcd, lcm, bitwise_count, spacing", { nd.array({ 12, -18, 7 }), nd.array({ 0.5, 3.0, 1e9 }) }, function(M, k, x)
    return M.gcd(k, 8), M.lcm(k, 8), M.bitwise_count(k), M.spacing(x)
  end },
  { "more indices of triangles, a window, a histogram of points", { nd.ones({ 3, 4 }) }, function(M, x)
    local i, j = M.triu_indices(3, 1)
    local k, l = M.tril_indices_from(x, -1)
    local counts, edges = M.histogramdd(nd.ones({ 3, 4 }) * 2, 2, { { 0, 3 }, { 0, 3 }, { 0, 3 }, { 0, 3 } })
    return M.stack({ i, j }), M.stack({ k, l }), M.bartlett(5) + x[0][0], counts, edges[1]
  end },
  { "argsort, descending, keeps the order of equal elements", { nd.array({ { 3, 1, 3, 2 }, { 0, 0, 5, 0 } }) },
    function(M, x) return M.argsort(x, { descending = true }), M.sort(x, { axis = T.none, descending = true }) end },
  { "histograms", { nd.array({ 0.5, 2, 2, 7.25, -1 }), nd.array({ 1, 0, 1, 1, 3.0 }) }, function(M, x, y)
    local counts, edges = M.histogram(x, 4)
    local dense, own = M.histogram(x, { bins = { -1.0, 2, 3, 8 }, density = true })
    local pairs_, first, second = M.histogram2d(x, y, { 2, 3 })
    return counts, edges, dense, own, pairs_, first, second, M.histogram_bin_edges(y, 2, { 0, 2 })
  end },
  { "trim_zeros", { nd.array({ 0, 0, 3, 0, 1.0, 0 }) }, function(M, x)
    return M.trim_zeros(x), M.trim_zeros(x, "f"), M.trim_zeros(x * 0), M.trim_zeros(M.outer(x, x), "b")
  end },
  { "histogram of nothing", { nd.zeros(0) }, function(M, x)
    local counts, edges = M.histogram(x, 4)
    return M.histogram(x, 3, { 0, 1 }), counts, edges
  end },
  { "bits", { nd.array({ 1, 0, 3, 0, 0, 0, 1, 1, 1 }), nd.array({ 5, 255 }, "uint8") }, function(M, x, b)
    return M.packbits(x), M.packbits(x, 0, "little"), M.unpackbits(b), M.unpackbits(b, nil, 20), M.unpackbits(b, 0, -3)
  end },
  { "complex numbers in order", { nd.array({ 3.0, nd.nan, -1, 2 }) }, function(M, x) return M.sort_complex(x) end },
  { "zeros of a polynomial", { nd.array({ 1.0, 2, 5 }) }, function(M, p) return M.roots(p) end },
  { "array_equal", { nd.array({ 1.0, 2 }), nd.array({ 1.0, nd.nan }) }, function(M, x, y)
    return M.array_equal(x, x), M.array_equal(x, y), M.array_equal(y, y, true), M.array_equal(x, { 1.0, 2, 3 }),
      M.array_equal(x, 1.0)
  end },
  { "indices of masks and diagonals", { nd.ones({ 3, 3 }) }, function(M, x)
    local i, j = M.mask_indices(3, M.triu, 1)
    local k, l = M.diag_indices_from(x)
    return i, j, k, l
  end },
  { "windows", { nd.array({ 1.0 }) }, function(M, x)
    return x + M.blackman(7), x + M.hamming(6), x + M.hanning(1), x + M.kaiser(5, 8.6)
  end },
  { "isin", { nd.array({ 1.0, nd.nan, 3.0 }), nd.array({ 3.0, nd.nan, 5.0 }) },
    function(M, x, y) return M.isin(x, y), M.intersect1d(x, { 1.0, 7.0, 3.0 }), M.isin(x, nd.zeros(0)) end },
  { "convolutions of integers and complex numbers", { nd.array({ 1, -2, 3 }), nd.array({ nd.complex(1, 2), 3 }) },
    function(M, x, z) return M.convolve(x, { 2, 5 }, "same"), M.convolve(x, z), M.correlate(z, x, "full") end },
  { "digitize", { nd.array({ 0.5, 2.5, 7.0, -1.0 }) }, function(M, x)
    return M.digitize(x, { 0.0, 2.5, 4.0 }), M.digitize(x, { 0.0, 2.5, 4.0 }, true), M.digitize(x, { 4.0, 2.5, 0.0 }),
      M.digitize(x, { 4.0, 2.5, 0.0 }, true), M.digitize(x, nd.zeros(0))
  end },
  { "triangles and diagonals", { nd.ones({ 3, 4 }) }, function(M, x)
    local i, j = M.tril_indices(3)
    local k, l = M.triu_indices_from(x, 1)
    local a, b = M.diag_indices(3)
    return M.stack({ i, j }), M.stack({ k, l }), M.stack({ a, b }), x + 1
  end },
  { "ix_", { nd.arange(12):reshape({ 3, 4 }) }, function(M, x) return x[{ M.ix_({ 2, 0 }, { 1, 3 }) }] end },
  { "lexsort, argpartition", { nd.array({ 3, 1, 1, 2 }), nd.array({ 1, 2, 1, 0 }) },
    function(M, x, y) return M.lexsort({ y, x }), x[M.argpartition(x, 1)]["1:2"] end },
  { "identity, indices, geomspace", { nd.array({ 1.0 }) },
    function(M, x) return x + M.identity(3), x + M.indices({ 2, 3 }), x + M.geomspace(-8, -1, 4, false),
      x + M.geomspace(1, 1000, 4) end },
  { "sets", { nd.array({ 5, 1, 2, 1 }), nd.array({ 2, 9 }) }, function(M, x, y)
    return M.union1d(x, y), M.setdiff1d(x, y), M.setxor1d(x, y), M.intersect1d(x, y)
  end },
  { "rounding to decimals", { nd.array({ 1.25, -27.35, 1e9 }), nd.array({ 15, -26 }) }, function(M, x, n)
    return M.round(x, 1), M.round(x, -1), M.round(n), M.round(n, -1), M.round(n, 2), M.around(M.exp(x * 0) * 2.5)
  end },
  { "closeness of booleans and unsigned integers", { nd.array({ true, false }), nd.array({ 1, 9 }, "uint8") },
    function(M, p, u) return M.isclose(p, u), M.isclose(u, 2, 0, 1.5), M.isclose(p, p) end },
  { "rint and logspace", { nd.array({ 0.5, 1.5, -2.5 }) },
    function(M, x) return M.rint(x), x[0] + M.logspace(0, 2, 4) end },
  { "nansum of NaN", { HOLES }, function(M, x) return M.nansum(x, 1) end },
  { "nanmean of NaN", { HOLES }, function(M, x) return M.nanmean(x, 0) end },
  { "nanvar of NaN", { HOLES }, function(M, x) return M.nanvar(x, 1) end },
  { "nanmax of NaN", { HOLES }, function(M, x) return M.nanmax(x["1, :3"]) end },
  { "nanmedian of NaN", { HOLES }, function(M, x) return M.nanmedian(x, 1) end },
  { "nanpercentile of NaN", { HOLES }, function(M, x) return M.nanpercentile(x, { 20, 75 }, 0) end },
  { "nanargmax", { HOLES }, function(M, x) return M.nanargmax(x, 1) end },
  { "nanargmin of all", { HOLES }, function(M, x) return M.nanargmin(x) end },
  { "nan_to_num of all kinds", { nd.array({ nd.nan, nd.inf, -nd.inf, 2.0 }, "float32") },
    function(M, x) return M.nan_to_num(x), M.nan_to_num(x, { nan = 7.0, posinf = 1.0, neginf = -1.0 }) end },
  { "median of integers", { nd.array({ 4, 1, 3, 2 }) }, function(M, x) return M.median(x) end },
  { "median with NaN", { HOLES }, function(M, x) return M.median(x, 0) end },
  { "quantile of float32", { nd.array({ 4, 1, 3, 2 }, "float32") }, function(M, x) return M.quantile(x, 0.2) end },
  { "count_nonzero", { nd.array({ { 0.0, 1.0, 2.0 }, { 0.0, 0.0, 3.0 } }) },
    function(M, x) return M.count_nonzero(x, 0, true) end },
  { "count_nonzero of all", { nd.array({ { 0, 1 }, { 5, 0 } }) }, function(M, x) return M.count_nonzero(x) end },
  { "argwhere", { nd.array({ { 0.0, 1.0, 2.0 }, { 0.0, 0.0, 3.0 } }) }, function(M, x) return M.argwhere(x) end },
  { "extract", { nd.array({ { 0, 1, 2 }, { 0, 0, 3 } }) }, function(M, x) return M.extract(x, x * 2) end },
  { "unique_values", { I }, function(M, x) return M.unique_values(x) end },
  { "unique_counts", { I }, function(M, x) return M.unique_counts(x) end },
  { "unique_inverse", { I }, function(M, x) return M.unique_inverse(x) end },
  { "unique_all", { I }, function(M, x) return M.unique_all(x) end },
  { "cross of integers", { nd.array({ 1, 2, 3 }), nd.array({ 4, 5, 7 }) }, function(M, x, y) return M.cross(x, y) end },
  { "vecdot of booleans", { nd.array({ { true, false }, { true, true } }), nd.array({ false, true }) },
    function(M, x, y) return M.vecdot(x, y) end },
  { "vdot of complex numbers", { nd.array({ nd.complex(1, 2), nd.complex(0, 1) }), nd.array({ 2.0, 3.0 }) },
    function(M, x, y) return M.vdot(x, y) end },
}

local function same(want, got, what)
  if type(want) == "number" then got = nd.asarray(got):astype(math.type(want) == "integer" and "int64" or "float64") end
  want, got = nd.asarray(want), nd.asarray(got)
  assert.same(want.dtype, got.dtype, what)
  assert.same({ table.unpack(want.shape) }, { table.unpack(got.shape) }, what)
  assert(nd.allclose(want, got, 1e-13, 1e-13, true), ("%s: %s and %s"):format(what, tostring(want), tostring(got)))
end

-- Through C either as written or rewritten, the other one tomorrow: a compiler each.
local function agree(case, k)
  local name, points, f = table.unpack(case)
  local left_out = not os.getenv("TH_ALL") and ({ "None", "fast_run" })[(k + rotate.seed) % 2 + 1]
  local vars, want = variables(points), table.pack(f(nd, table.unpack(points)))
  local outs = { f(T, table.unpack(vars)) }
  for i, y in ipairs(outs) do outs[i] = compile.Out(y, { array = true }) end
  for _, linker in ipairs({ "interpreter", "c" }) do
    for _, optimizer in ipairs({ "None", "fast_run" }) do
      if linker ~= "c" or optimizer ~= left_out then
        local mode = compile.Mode({ linker = linker, optimizer = optimizer })
        local got = table.pack(compile({ inputs = vars, outputs = outs, mode = mode })(table.unpack(points)))
        assert.equal(want.n, got.n)
        for i = 1, want.n do same(want[i], got[i], name .. " " .. linker .. " " .. optimizer) end
      end
    end
  end
end

describe("graphs give what arrays give:", function()
  for k, case in ipairs(CASES) do it(case[1], function() agree(case, k) end) end
  for k, case in ipairs(FLAT) do it(case[1], function() agree(case, k) end) end
end)

-- The points that have gradients, and the function of them alone.
local function smooth(case)
  local points, rest = {}, {}
  for i, p in ipairs(case[2]) do
    if p.dtype == "float64" then points[#points + 1] = p else rest[i] = T.constant(p) end
  end
  return points, function(...)
    local args, given, at = {}, { ... }, 0
    for i = 1, #case[2] do
      if rest[i] then args[i] = rest[i] else
        at = at + 1
        args[i] = given[at]
      end
    end
    return case[3](T, table.unpack(args))
  end
end

describe("the gradient, forward mode and vmap of", function()
  local interpreter = compile.Mode({ linker = "interpreter" })
  for _, case in ipairs(CASES) do
    it(case[1], function()
      local points, f = smooth(case)
      G.verify_grad(function(...) return T.sqr(f(...)) end, points, { mode = interpreter })
      local x, u, steps = variables(points), variables(points), {}
      for i, p in ipairs(points) do steps[i] = rng:rand(p.shape) end
      local y = f(table.unpack(x))
      local forward, back = T.sum(G.Rop(y, x, u)), 0
      for i, g in ipairs(G.Lop(y, x, T.ones_like(y))) do back = back + T.sum(g * u[i]) end
      local inputs, values = { table.unpack(x) }, { table.unpack(points) }
      for i, v in ipairs(u) do inputs[#inputs + 1], values[#values + 1] = v, nd.asarray(steps[i]) end
      local a, b = compile({ inputs = inputs, outputs = { forward, back }, mode = interpreter,
        on_unused_input = "ignore" })(table.unpack(values))
      assert(math.abs(a - b) <= 1e-9 * (1 + math.abs(a)), case[1])

      local stacks, mapped, want = {}, {}, {}
      for i, p in ipairs(points) do
        local rows = {}
        for k = 1, 3 do rows[k] = p * k end
        stacks[i] = nd.stack(rows)
        local pattern = { false }
        for d = 1, p.ndim do pattern[d + 1] = p.shape[d] == 1 end
        mapped[i] = T.TensorType("float64", pattern)()
      end
      local h = compile({ inputs = mapped, outputs = T.vmap(f)(table.unpack(mapped)), mode = interpreter })
      local single = compile({ inputs = x, outputs = compile.Out(y, { array = true }), mode = interpreter })
      for k = 1, 3 do
        local row = {}
        for i, p in ipairs(points) do row[i] = p * k end
        want[k] = single(table.unpack(row))
      end
      same(nd.stack(want), h(table.unpack(stacks)), "vmap of " .. case[1])
    end)
  end
end)

describe("what only graphs or only arrays have:", function()
  it("lengths that only a call tells", function()
    local x, y, n = T.dmatrix("x"), T.dvector("y"), T.lscalar("n")
    local a, b = T.broadcast_arrays(x, y)
    local f = compile({ inputs = { x, y, n }, outputs = { a + b, T.full({ n, 2 }, 3.0), T.meshgrid(y, y) } })
    local s, filled, grid = f({ { 1.0 }, { 2.0 } }, { 7.0 }, 2)
    assert.same({ { 8.0 }, { 9.0 } }, s:tolist())
    assert.same({ { 3.0, 3.0 }, { 3.0, 3.0 } }, filled:tolist())
    assert.same({ { 7.0 } }, grid:tolist())
    raises("ValueError", "", function() f({ { 1.0, 2.0 } }, { 1.0, 2.0, 3.0 }, 1) end)
  end)

  it("var and sort take the standard's keywords", function()
    assert.same({ 0, 2, 3, 1 }, nd.argsort({ 3, 1, 3, 2 }, { descending = true, stable = true }):tolist())
    assert.equal(nd.var({ 1.0, 2.0, 4.0 }, { ddof = 1 }), nd.var({ 1.0, 2.0, 4.0 }, { correction = 1 }))
    assert.is_true(nd.allclose(nd.var({ 1.0, 2.0, 4.0 }, { correction = 0.5 }), 4.666666666666666 / 2.5))
    raises("ValueError", "two names of one number", function() nd.var({ 1.0 }, { ddof = 1, correction = 1 }) end)
    raises("ValueError", "two names of one number", function() T.var(T.dvector(), { ddof = 1, correction = 1 }) end)
    assert.same({ 1, 1, 2, 96 }, nd.diff({ 1, 2, 4 }, { prepend = 0, append = { 100 } }):tolist())
    raises("ValueError", "2 shifts along 3 axes", function() T.roll(T.dtensor3(), { 1, 2 }, { 0, 1, 2 }) end)
    raises("ValueError", "as many axes", function() T.roll(T.dmatrix(), { 1, 2 }) end)
    raises("ValueError", "axis 3", function() T.sort(T.dvector(), { axis = 3, descending = true }) end)
  end)

  it("integers are close as floats are: their differences do not wrap", function()
    local a, b = nd.array({ -128, 64, 127 }, "int8"), nd.array({ -128, -64, -128 }, "int8")
    local x, y = T.bvector("x"), T.bvector("y")
    local f = theano.compile({ inputs = { x, y }, outputs = { T.isclose(x, y), T.allclose(x, x) } })
    assert.same({ true, false, false }, nd.isclose(a, b):tolist())
    local close, all = f(a, b)
    assert.same({ true, false, false }, close:tolist())
    assert.is_true(all)
  end)
  it("windows slide over whole axes of enough elements", function()
    local view = nd.sliding_window_view
    raises("ValueError", { "windows of 9", "5" }, function() view(nd.arange(5), 9) end)
    raises("ValueError", "2 lengths of windows for 1 axes", function() view(nd.arange(5), { 1, 2 }) end)
    raises("ValueError", "axis 4 is out of range", function() view(nd.arange(5), 2, 4) end)
    raises("TypeError", "an axis is an integer", function() view(nd.arange(5), 2, "a") end)
    raises("ValueError", "a window's length", function() view(nd.arange(5), 1.5) end)
  end)
  it("unstack needs a length that is known while building", function()
    local x = T.dmatrix("x")
    raises("ValueError", "specify_shape", function() T.unstack(x) end)
    local parts = T.unstack(T.specify_shape(x, { 2, 3 }), 1)
    assert.equal(3, #parts)
    assert.same({ 3.0, 6.0 }, parts[3]:eval({ [x] = { { 1, 2, 3 }, { 4, 5, 6 } } }):tolist())
    assert.equal(2, #nd.unstack(nd.ones({ 2, 3 })))
  end)

  it("full, full_like, empty, asarray and constants", function()
    local x = T.fmatrix("x")
    assert.equal("float32", T.full_like(x, 2).dtype)
    assert.same({ true, true }, T.full({ 2 }, true):eval():tolist())
    assert.equal("float32", T.full_like(x, true).dtype)
    assert.equal("float64", T.linspace(0.0, 0.5, 3).dtype)
    for _, dtype in ipairs({ "bool", "int8", "uint8", "float16", "bfloat16", "float32" }) do
      local v, of = T.TensorType(dtype, { false })("v"), nd.array({ 1, 0 }, dtype)
      local r = T.linspace(v, v * 0 + (dtype:find("float") and 1 or 1.5), 301)
      assert.equal(dtype:find("float") and dtype or "float32", r.dtype)
      local want = nd.linspace(of, dtype:find("float") and 1.0 or 1.5, 301)
      assert.is_true(nd.allclose(want:astype("float64"), r:eval({ [v] = of }):astype("float64"), 1e-2), dtype)
    end
    assert.equal("int32", T.full({ 2 }, 2, "int32").dtype)
    assert.equal("int8", T.asarray({ 1, 2 }, "int8").dtype)
    assert.equal("float32", T.empty_like(x).dtype)
    assert.equal(2, T.empty({ 2, 3 }).ndim)
    assert.equal(math.pi, T.pi)
    assert.is_true(T.nan ~= T.nan)
  end)

  it("quantiles that a call tells, and positions of nothing but NaN", function()
    local x, q = T.dvector("x"), T.dscalar("q")
    local f = compile({ inputs = { x, q }, outputs = { T.quantile(x, q), T.nanargmax(x) } })
    assert.equal(2.5, (f({ 4.0, 1.0, 3.0, 2.0 }, 0.5)))
    raises("ValueError", "nothing but NaN", function() f({ nd.nan }, 0.5) end)
    raises("ValueError", "not in [0, 1]", function() T.quantile(x, 1.5) end)
    raises("ValueError", "the method is one of NumPy's", function() nd.quantile({ 1.0 }, 0.5, { method = "odd" }) end)
  end)

  it("windows of lengths that a call tells", function()
    local n = T.lscalar("n")
    local f = compile({ inputs = { n }, outputs = { T.hanning(n), T.blackman(n), T.kaiser(n, 2.0) } })
    for _, k in ipairs({ 0, 1, 6 }) do
      local a, b, c = f(k)
      for name, r in pairs({ hanning = a, blackman = b }) do same(nd[name](k), r, name) end
      same(nd.kaiser(k, 2.0), c, "kaiser")
    end
    raises("ValueError", "coefficients", function() T.polyval(T.dvector(), T.dvector()) end)
  end)

  it("views of arrays share memory", function()
    local a = nd.arange(6):reshape({ 2, 3 })
    for _, v in ipairs({ nd.expand_dims(a, 1), nd.flip(a), nd.matrix_transpose(a), nd.rot90(a), nd.rollaxis(a, 1),
      nd.atleast_3d(a), nd.unstack(a)[2] }) do
      assert.is_true(nd.shares_memory(v, a))
    end
  end)

  it("wrong arguments are refused while the graph is built, as arrays refuse them", function()
    local x, v, m = T.dmatrix("x"), T.dvector("v"), nd.ones({ 2, 3 })
    for _, pair in ipairs({ { T, x, v }, { nd, m, nd.ones(4) } }) do
      local M, a, b = table.unpack(pair)
      for words, f in pairs({
        ["axis 3 does not fit"] = function() M.expand_dims(a, 3) end,
        ["axis 2 is out of range"] = function() M.flip(a, 2) end,
        ["at least 2 dimensions"] = function() M.matrix_transpose(b) end,
        ["two different axes"] = function() M.rot90(a, 1, { 0, 0 }) end,
        ["start 4"] = function() M.rollaxis(a, 0, 4) end,
        ["indices have 1"] = function() M.take_along_axis(a, { 0, 1 }) end,
        ["one is to be named"] = function() M.cumulative_sum(a) end,
        ["'xy' or 'ij'"] = function() M.meshgrid(b, { indexing = "yx" }) end,
        ["numbers"] = function() M.vecdot(1.0, b) end,
        ["lengths 3 and 4 of the axis"] = function() M.vecdot(M.ones({ 2, 3 }), M.ones({ 2, 4 })) end,
        ["lengths 1 and 4 of the axis"] = function() M.vecdot(M.ones({ 2, 1 }), M.ones({ 2, 4 })) end,
        ["axis 1"] = function() M.vecdot(M.ones({ 3 }), M.ones({ 2, 3 }), 1) end,
        ["has length 3"] = function() M.cross(M.zeros({ 2 }), { 1.0, 2.0, 3.0 }) end,
        ["both has length 3"] = function() M.cross(M.ones({ 2, 4 }), M.ones({ 2, 4 })) end,
        ["axis 1 has length 4"] = function() M.squeeze(M.zeros({ 1, 4 }), { 0, -1 }) end,
        ["axis 0 has length 0"] = function() M.squeeze(M.zeros({ 0, 1 }), 0) end,
      }) do raises("ValueError", words, f) end
      raises("TypeError", "at least one", function() M.vstack({}) end)
      raises("TypeError", "an axis is an integer", function() M.flip(a, 0.5) end)
      raises("TypeError", "", function() M.flip(nil) end)
    end
    assert.equal(2, T.squeeze(x, 0).ndim) -- as Theano's: what may be 1 is no dimension that broadcasts
  end)

  it("what is 1 only when run does not stretch along the axis of vecdot", function()
    local x, y = T.drow("x"), T.dmatrix("y")
    local f = compile({ inputs = { x, y }, outputs = T.vecdot(x, y) })
    assert.same({ 6.0 }, f({ { 2.0 } }, { { 3.0 } }):tolist())
    raises("ValueError", "", function() f({ { 2.0 } }, { { 3.0, 4.0 } }) end)
  end)

  it("norms of no complex numbers are real", function()
    for _, ord in ipairs({ "fro", "nuc", 1, 2, math.huge }) do
      assert.equal("float32", nd.linalg.matrix_norm(nd.zeros({ 2, 0, 3 }, "complex64"), true, ord).dtype, ord)
    end
  end)

  it("vectors of four that are known when run have no cross product", function()
    for _, n in ipairs({ 2, 4 }) do
      local four = theano.shared(nd.ones(n))
      raises("ValueError", "mis-match", function() T.cross(four, four):eval() end)
    end
  end)

  it("booleans divide as int8, in graphs as in arrays, and False divides nothing", function()
    local p, q = T.vector("p", "bool"), T.vector("q", "bool")
    local a, b, no = nd.array({ true, false }), nd.array({ true, true }), nd.array({ true, false })
    for name, values in pairs({ floor_divide = { 1, 0 }, int_div = { 1, 0 }, mod = { 0, 0 }, remainder = { 0, 0 },
      fmod = { 0, 0 } }) do
      local f = theano.compile { inputs = { p, q }, outputs = T[name](p, q) }
      local r = f(a, b)
      assert.equal("int8", T[name](p, q).dtype, name)
      assert.same({ "int8", values }, { r.dtype, r:tolist() }, name)
      assert.equal("int8", nd[name](a, b).dtype, name)
      raises("ZeroDivisionError", "division", function() f(a, no) end)
    end
    assert.same({ "int8", "int8" }, { (p // q).dtype, (p % q).dtype })
    assert.equal("int64", (p // T.lscalar()).dtype)
  end)
end)

describe("dtypes", function()
  for name, M in pairs({ T = T, nd = nd }) do
    it("are told apart by " .. name, function()
      assert.is_true(M.isdtype("int8", "signed integer"))
      assert.is_true(M.isdtype("uint8", { "bool", "integral" }))
      assert.is_false(M.isdtype("bool", "numeric"))
      assert.is_true(M.isdtype("complex64", "complex floating"))
      assert.is_true(M.isdtype("float32", "float32"))
      assert.is_true(M.issubdtype("float32", "floating"))
      assert.is_false(M.issubdtype("int64", "inexact"))
      raises("TypeError", "", function() M.isdtype("int8", "odd") end)
      raises("TypeError", "a kind is a text", function() M.isdtype("int8", 3) end)
    end)

    it("promote, and cast where nothing is lost, in " .. name, function()
      assert.equal("float64", M.promote_types("int64", "float32"))
      assert.equal("int16", M.promote_types("int8", "uint8"))
      assert.equal("float32", M.result_type("float32", 1.5))
      assert.equal("float32", M.result_type(nd.ones(2, "float32"), "int16"))
      assert.equal("complex64", M.result_type("float32", "complex64"))
      assert.equal("float32", M.result_type("int16", "uint16", "float32"))
      assert.equal("float64", M.result_type("uint32", "float32", "int32"))
      assert.equal("complex64", M.result_type(nd.ones(2, "uint16"), "int16", "complex64"))
      if M == nd then -- of what joins, too; graphs have Theano's rule, one after the other
        local i, u, f = nd.ones(2, "int16"), nd.ones(2, "uint16"), nd.ones(2, "float32")
        local halves = { nd.ones(2, "int8"), nd.ones(2, "uint8"), nd.ones(2, "float16") }
        for join in ("concatenate concat stack vstack hstack dstack column_stack block"):gmatch("%S+") do
          assert.equal("float32", nd[join]({ i, u, f }).dtype)
          assert.equal("float16", nd[join](halves).dtype)
        end
        assert.equal("float64", nd.concatenate({ i, u, f }, { dtype = "float64" }).dtype)
        assert.equal("float64", nd.stack({ i, u, f }, 0, "float64").dtype)
        assert.equal("float32", nd.concatenate({ i, u, f }, { axis = 0 }).dtype)
        assert.equal("float32", nd.stack({ i, u, f }, { axis = -1 }).dtype)
        assert.equal("float32", nd.einsum("i,i,i->i", i, u, f).dtype)
        assert.equal("float32", nd.choose({ 0, 1 }, { i, u, f }).dtype)
        assert.equal("int32", nd.concatenate({ i, u, i }).dtype)
      end
      assert.is_true(M.can_cast("int8", "int16"))
      assert.is_false(M.can_cast("int16", "int8"))
      assert.is_true(M.can_cast("int16", "int8", "same_kind"))
      assert.is_false(M.can_cast("float32", "int64", "same_kind"))
      assert.is_true(M.can_cast("float32", "int64", "unsafe"))
      assert.is_false(M.can_cast("int64", "float32"))
      assert.is_true(M.can_cast("bool", "int8"))
      raises("ValueError", "same_kind", function() M.can_cast("int8", "int16", "maybe") end)
      raises("TypeError", "at least one", function() M.result_type() end)
    end)

    it("say what they hold, in " .. name, function()
      assert.equal(2.0 ^ -52, M.finfo("float64").eps)
      assert.equal("float32", M.finfo("complex64").dtype)
      assert.equal(127, M.iinfo("int8").max)
      assert.equal(-1, M.iinfo("uint64").max)
      raises("ValueError", "no float dtype", function() M.finfo("int8") end)
      raises("ValueError", "no integer dtype", function() M.iinfo("float32") end)
    end)
  end

  it("are those of Variables, too", function()
    local x = T.fmatrix("x")
    assert.equal("float32", T.finfo(x).dtype)
    assert.is_true(T.isdtype(x, "real floating"))
    assert.equal("float64", T.result_type(x, T.lvector()))
    assert.equal("float64", core.kind(x) and T.promote_types(x.dtype, "int64"))
    assert.is_true(T.isrealobj(x))
  end)
end)

describe("every function of T", function()
  -- Other names, and what has no gradient: makers of Variables, questions about them, places and counts.
  local OTHER = "amax amin around in1d product repeat trapz as_tensor as_tensor_variable asanyarray autocast_float_as "
    .. "consider_constant default div_proxy extract_constant get_scalar_constant_value get_vector_length is_flat "
    .. "makeKeepDims mod_check matrix_dot broadcast_shapes common_type histogramdd iscomplexobj isscalar "
    .. "min_scalar_type tril_indices_from triu_indices"
  local MAKERS = "^[bcdfilwz]?(%a+)$"
  local MADE = { scalar = true, vector = true, matrix = true, matrice = true, row = true, col = true, tensor = true }

  it("is the table's, whose gradients spec/grad_spec.lua names, or has a case", function()
    local known, text = {}, ""
    for _, f in ipairs(core.functions()) do known[f.name] = true end
    for name in OTHER:gmatch("%S+") do known[name] = true end
    for _, file in ipairs({ "alike", "grad", "structure", "derive" }) do
      local f = assert(io.open("spec/" .. file .. "_spec.lua"))
      text = text .. f:read("a")
      f:close()
    end
    local lacking = {}
    for name, f in pairs(T) do
      local maker = type(name) == "string" and name:gsub("%d", ""):gsub("s$", ""):match(MAKERS)
      local made = maker and (MADE[maker] or MADE[name:gsub("%d", ""):gsub("s$", "")])
      if type(f) == "function" and type(name) == "string" and not known[name] and not made
        and not text:find("%." .. name .. "%f[^%w_]") then
        lacking[#lacking + 1] = name
      end
    end
    table.sort(lacking)
    assert.same({}, lacking)
  end)
end)
