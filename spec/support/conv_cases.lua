--- Random convolutions and the plain loops they are compared with, for every way that the library can compute them.
-- @module spec.support.conv_cases
local compile = require("theano.compile")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")
local M = {}

--- What conv.algorithm may be.
M.algorithms = { "auto", "direct", "lanes", "spread", "fold", "gemm", "fft", "winograd", "winograd2" }

--- Where the numbers come from.
M.rng = nd.random.RandomState(12)

-- ---- the definition -----------------------------------------------------------------------------------------------
local function strides(shape)
  local st, n = {}, 1
  for d = #shape, 1, -1 do st[d], n = n, n * shape[d] end
  return st, n
end

-- Calls fn(point) for every point of a box of these lengths.
local function each(shape, fn)
  local p = {}
  local function go(d)
    if d > #shape then return fn(p) end
    for i = 0, shape[d] - 1 do
      p[d] = i
      go(d + 1)
    end
  end
  go(1)
end

-- Every product of the sum: fn(image position, filter position, result position, all flat from 0).
local function products(c, fn)
  local dims = #c.image - 2
  local si, sw, so = strides(c.image), strides(c.filter), strides(c.out)
  local per_o, per_c = c.filter[1] // c.groups, c.image[2] // c.groups
  local sizes = table.move(c.filter, #c.filter - dims + 1, #c.filter, 1, {})
  local spots = table.move(c.out, 3, #c.out, 1, {})
  for n = 0, c.image[1] - 1 do
    for o = 0, c.filter[1] - 1 do
      for k = 0, per_c - 1 do
        each(spots, function(q)
          each(sizes, function(r)
            local i = n * si[1] + (o // per_o * per_c + k) * si[2]
            local w = o * sw[1] + k * sw[#sw - dims]
            local z = n * so[1] + o * so[2]
            for d = 1, dims do
              local at = q[d] * c.step[d] + r[d] * c.dilation[d] - c.pad[d][1]
              if at < 0 or at >= c.image[d + 2] then return end
              i = i + at * si[d + 2]
              w = w + (c.flip and sizes[d] - 1 - r[d] or r[d]) * sw[#sw - dims + d]
              if c.unshared then w = w + q[d] * sw[d + 1] end
              z = z + q[d] * so[d + 2]
            end
            fn(i, w, z)
          end)
        end)
      end
    end
  end
end

local function flat(a) return a:reshape({ -1 }):tolist() end

-- Result, and the gradients for images and filters of its product with gz.
local function reference(c, x, w, gz)
  x, w, gz = flat(x), flat(w), flat(gz)
  local z, gx, gw = {}, {}, {}
  for i = 1, #gz do z[i] = 0 end
  for i = 1, #x do gx[i] = 0 end
  for i = 1, #w do gw[i] = 0 end
  products(c, function(i, k, o)
    i, k, o = i + 1, k + 1, o + 1
    z[o] = z[o] + x[i] * w[k]
    gx[i] = gx[i] + gz[o] * w[k]
    gw[k] = gw[k] + gz[o] * x[i]
  end)
  return z, gx, gw
end

-- ---- random cases -------------------------------------------------------------------------------------------------
--- Lengths, steps, paddings .. of a convolution; random(a, b): an integer from a to b.
-- large: images of some dozens of rows and columns, filters of up to a dozen.
function M.random_case(random, dims, large)
  local function pick(a, b) return random(a, b) end
  local c = { groups = pick(1, 3) == 1 and 2 or 1, flip = pick(0, 1) == 1, step = {}, dilation = {}, pad = {} }
  c.unshared = not large and dims == 2 and pick(1, 5) == 1
  local channels, filters = c.groups * pick(1, 3), c.groups * pick(1, pick(1, 4) == 1 and 8 or 3)
  c.image, c.filter, c.out = { pick(1, 3), channels }, { filters }, { 0, filters }
  local border = ({ "valid", "half", "full", "int", "list", "pairs" })[pick(1, dims == 2 and 6 or 5)]
  local sizes, given, n = {}, {}, pick(0, 2)
  for d = 1, dims do
    sizes[d], c.dilation[d], c.step[d] = pick(1, large and 12 or 4), pick(1, 2), pick(1, 3)
    local reach = (sizes[d] - 1) * c.dilation[d] + 1
    local pad = ({ valid = 0, half = reach // 2, full = reach - 1, int = n })[border] or pick(0, 2)
    c.pad[d] = { pad, border == "pairs" and pick(0, 2) or pad }
    given[d] = border == "pairs" and c.pad[d] or pad
    -- now and then rows of whole vectors
    local most = large and 60 or d == dims and pick(1, 3) == 1 and 40 or dims == 3 and 5 or 9
    c.image[d + 2] = math.max(pick(1, most), reach - c.pad[d][1] - c.pad[d][2])
    c.out[d + 2] = (c.image[d + 2] + c.pad[d][1] + c.pad[d][2] - reach) // c.step[d] + 1
  end
  c.out[1] = c.image[1]
  if c.unshared then for d = 1, dims do c.filter[#c.filter + 1] = c.out[d + 2] end end
  c.filter[#c.filter + 1] = channels // c.groups
  for d = 1, dims do c.filter[#c.filter + 1] = sizes[d] end
  c.border = border == "int" and n or (border == "list" or border == "pairs") and given or border
  c.dtype = pick(1, 2) == 1 and "float32" or "float64"
  return c
end

--- What conv2d and conv3d are told.
function M.keywords(c, with_shared)
  local k = { border_mode = c.border, subsample = c.step, filter_flip = c.flip, filter_dilation = c.dilation,
    num_groups = c.groups }
  if with_shared then k.unshared = c.unshared end
  return k
end

function M.show(c)
  return ("%s image (%s) filter (%s) pad %s step %s dilation %s groups %d%s%s"):format(c.dtype,
    table.concat(c.image, ","), table.concat(c.filter, ","), type(c.border) == "table" and "list" or c.border,
    table.concat(c.step, ","), table.concat(c.dilation, ","), c.groups, c.flip and " flip" or "",
    c.unshared and " unshared" or "")
end

--- The operand as the function sees it: as it is, or as a reversed view of what is given.
function M.operand(c, shape, turned)
  local kind = T.TensorType(c.dtype, { table.unpack((function()
    local p = {}
    for d = 1, #shape do p[d] = false end
    return p
  end)()) })
  local value = nd.asarray(M.rng:randn(table.unpack(shape)), c.dtype)
  local v, order = kind(), {}
  for d = 1, #shape do order[d] = #shape - d end
  if not turned then return v, v, value, value end
  return v, v:dimshuffle(table.unpack(order)), value:transpose(table.unpack(order)):copy(), value
end

local function close(c, got, want, what)
  local tol = c.dtype == "float32" and 2e-4 or 1e-10
  got = flat(got)
  assert(#want == #got)
  for i = 1, #want do
    local off = math.abs(got[i] - want[i])
    if off ~= off or off > tol * (1 + math.abs(want[i])) then
      error(("%s: %s, element %d is %.9g, wanted %.9g"):format(what, M.show(c), i - 1, got[i], want[i]))
    end
  end
end

local function with(algorithm, fn, ...)
  theano.config["conv.algorithm"] = algorithm
  local results = table.pack(pcall(fn, ...))
  theano.config["conv.algorithm"] = "auto"
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

--- Calls fn with a value of conv.algorithm, and sets it back.
M.with = with

--- A case's result and gradients in every way against the loops.
-- @tparam table c what random_case gave
-- @param mode to compile with
-- @tparam boolean turned operands are reversed views
-- @tparam {string,...} algorithms
function M.check(c, mode, turned, algorithms)
  local vx, x, ax, xv = M.operand(c, c.image, turned)
  local vw, w, aw, wv = M.operand(c, c.filter, turned)
  local vg, g, ag, gv = M.operand(c, c.out, turned)
  local conv = #c.image == 4 and T.nnet.conv2d or T.nnet.conv3d
  local z = conv(x, w, M.keywords(c, #c.image == 4))
  local gx, gw = table.unpack(T.grad(T.sum(z * g), { x, w }))
  local f = compile({ inputs = { vx, vw, vg }, outputs = { z, gx, gw }, mode = mode })
  local wz, wx, ww = reference(c, xv, wv, gv)
  for _, algorithm in ipairs(algorithms or { "auto" }) do
    local rz, rx, rw = with(algorithm, f, ax, aw, ag)
    assert(table.concat(c.out, ",") == table.concat({ table.unpack(rz.shape) }, ","), M.show(c))
    close(c, rz, wz, algorithm .. ": result")
    close(c, rx, wx, algorithm .. ": gradient for images")
    close(c, rw, ww, algorithm .. ": gradient for filters")
  end
end


-- A function of operands for a case: result and gradients; operands.
local function compiled(c, mode)
  local x, w, g = (M.operand(c, c.image)), (M.operand(c, c.filter)), (M.operand(c, c.out))
  local values = {}
  for i, shape in ipairs({ c.image, c.filter, c.out }) do
    values[i] = nd.asarray(M.rng:randn(table.unpack(shape)), c.dtype)
  end
  local z = (#c.image == 4 and T.nnet.conv2d or T.nnet.conv3d)(x, w, M.keywords(c, #c.image == 4))
  local gx, gw = table.unpack(T.grad(T.sum(z * g), { x, w }))
  return compile({ inputs = { x, w, g }, outputs = { z, gx, gw }, mode = mode }), values
end

--- Raises where several threads compute other bits than one.
-- @tparam table c what random_case gave
-- @param mode to compile with
function M.check_threads(c, mode)
  local f, values = compiled(c, mode)
  for _, algorithm in ipairs(M.algorithms) do
    local function results(shared)
      local _ <close> = theano.config.change_flags({ openmp = shared })
      return { with(algorithm, f, table.unpack(values)) }
    end
    local alone = results(false)
    for i, got in ipairs(results(true)) do
      if got:tobytes() ~= alone[i]:tobytes() then error(("%s, output %d: %s"):format(algorithm, i, M.show(c))) end
    end
  end
end

--- Every way's result and gradients against those of packed products, which the loops cover: by what they differ at
-- most, to the norms of the operands, in units of epsilon.
-- @tparam table c what random_case gave
-- @param mode to compile with
-- @treturn number the largest
function M.largest_difference(c, mode)
  local f, values = compiled(c, mode)
  local want, largest = { with("gemm", f, table.unpack(values)) }, 0
  local pairs_of, epsilon = { { 1, 2 }, { 3, 2 }, { 3, 1 } }, c.dtype == "float32" and 2^-23 or 2^-52
  local function norm(a) return math.sqrt((nd.sqr(a:astype("float64"))):sum()) end
  for _, algorithm in ipairs(M.algorithms) do
    local got = { with(algorithm, f, table.unpack(values)) }
    for i = 1, 3 do
      local scale = epsilon * norm(values[pairs_of[i][1]]) * norm(values[pairs_of[i][2]])
      local off = nd.abs(got[i]:astype("float64") - want[i]:astype("float64")):max() / scale
      if off ~= off then error(algorithm .. ": " .. M.show(c)) end
      largest = math.max(largest, off)
    end
  end
  return largest
end

return M
