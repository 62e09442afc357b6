-- theano.scan: values, gradients, errors. A loop is compared with the same steps written out one after the other.
local theano = require "theano"
local T, nd = theano.tensor, theano.ndarray

local function run(inputs, outs, values)
  return table.pack(theano.compile({ inputs = inputs, outputs = outs, on_unused_input = "ignore" })(
    table.unpack(values)))
end

local function close(a, b, tol, what)
  a, b = nd.array(a), nd.array(b)
  assert.same(a.shape, b.shape, what)
  local ok = nd.allclose(a, b, tol or 1e-9, tol or 1e-9)
  if not ok then error((what or "") .. ": " .. tostring(a) .. "\nwanted\n" .. tostring(b)) end
end

local function fails(kind, words, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.equal(kind, theano.error_kind(message), message)
  assert.truthy(message:find(words, 1, true), message)
  assert.truthy(message:find("scan_spec.lua:", 1, true), message)
end

-- ---- the same steps, one after the other
-- -----------------------------------------------------------------------------------
-- seqs: {{x, taps}}, states: {{initial, taps}} or false; the results are stacked.
local function unroll(fn, seqs, infos, values, n, backwards)
  local past, outs = {}, {}
  for i, o in ipairs(infos) do
    if o then
      past[i] = {}
      local back = 0
      for _, k in ipairs(o[2]) do back = math.max(back, -k) end
      o.back = back
      if #o[2] == 1 and o[2][1] == -1 then past[i][-1] = o[1]
      else for r = 0, back - 1 do past[i][r - back] = o[1]:sub(r) end end
    end
    outs[i] = {}
  end
  for t = 0, n - 1 do
    local args = {}
    for _, s in ipairs(seqs) do
      local low, high = 0, 0
      for _, k in ipairs(s[2]) do low, high = math.min(low, k), math.max(high, k) end
      for _, k in ipairs(s[2]) do
        local len = s[3] - (high - low)
        args[#args + 1] = s[1]:sub((backwards and len - 1 - t or t) + k - low)
      end
    end
    for i, o in ipairs(infos) do
      if o then for _, k in ipairs(o[2]) do args[#args + 1] = past[i][t + k] end end
    end
    for _, v in ipairs(values) do args[#args + 1] = v end
    local r = table.pack(fn(table.unpack(args)))
    for i, v in ipairs(r) do
      if infos[i] then past[i][t] = v end
      outs[i][t + 1] = v
    end
  end
  for i = 1, #outs do outs[i] = T.stack(outs[i]) end
  return outs
end

describe("scan against the steps written out", function()
  -- A random body over its arguments (all vectors of one length): sums of products through tanh.
  local function random_body(rng, nargs, nouts)
    local plan = {}
    for o = 1, nouts do
      plan[o] = {}
      for j = 1, 2 + rng:randint(0, 2) do
        plan[o][j] = { rng:randint(1, nargs + 1), rng:randint(1, nargs + 1), rng:randint(0, 4) }
      end
    end
    return function(...)
      local args, outs = table.pack(...), {}
      for o = 1, nouts do
        local sum
        for _, p in ipairs(plan[o]) do
          local a, b, term = args[p[1]], args[p[2]], nil
          if p[3] == 0 then term = a * b
          elseif p[3] == 1 then term = T.tanh(a) + 0.5 * b
          elseif p[3] == 2 then term = T.sin(a) * 0.3
          else term = a * b:sum() end
          sum = sum and sum + term or term
        end
        outs[o] = T.tanh(sum)
      end
      return table.unpack(outs)
    end
  end

  local function case(seed)
    local rng = nd.random.RandomState(seed)
    local n, inputs, values = rng:randint(2, 6), {}, {}
    local function input(ndim, rows)
      local x = ndim == 2 and T.dmatrix() or T.dvector()
      inputs[#inputs + 1] = x
      values[#values + 1] = ndim == 2 and rng:randn(rows, 3) or rng:randn(3)
      return x
    end
    local tap_choice = { { 0 }, { 0, 1 }, { -1, 0 }, { -2, 1 }, { 2 } }
    local out_choice = { { -1 }, { -2, -1 }, { -3, -1 }, { -2 }, { -1, -4 } }
    local seqs, infos, nonseq, nargs = {}, {}, {}, 0
    local scan_seqs, scan_infos = {}, {}
    for i = 1, rng:randint(0, 3) do
      local taps = tap_choice[rng:randint(1, #tap_choice + 1)]
      local low, high = 0, 0
      for _, k in ipairs(taps) do low, high = math.min(low, k), math.max(high, k) end
      local rows = n + high - low
      seqs[i] = { input(2, rows), taps, rows }
      scan_seqs[i] = { input = seqs[i][1], taps = taps }
      nargs = nargs + #taps
    end
    local nouts = rng:randint(1, 4)
    for o = 1, nouts do
      local kind = rng:randint(0, 3)
      if kind == 0 and nargs > 0 then
        infos[o], scan_infos[o] = false, false
      else
        local taps = kind == 1 and { -1 } or out_choice[rng:randint(1, #out_choice + 1)]
        local back = 0
        for _, k in ipairs(taps) do back = math.max(back, -k) end
        local one = #taps == 1 and taps[1] == -1
        local x = one and input(1) or input(2, back)
        infos[o] = { x, taps }
        scan_infos[o] = one and x or { initial = x, taps = taps }
        nargs = nargs + #taps
      end
    end
    for i = 1, rng:randint(0, 3) do nonseq[i] = input(1); nargs = nargs + 1 end
    if nargs == 0 then return end
    local fn, backwards = random_body(rng, nargs, nouts), rng:randint(0, 2) == 1
    local outs = theano.scan { fn = fn, sequences = scan_seqs, outputs_info = scan_infos, non_sequences = nonseq,
      n_steps = n, go_backwards = backwards, return_list = true }
    local flat = unroll(fn, seqs, infos, nonseq, n, backwards)
    local function all(list)
      local sum
      for i, v in ipairs(list) do
        local term = (v * (i + T.arange(n):dimshuffle(0, "x"))):sum()
        sum = sum and sum + term or term
      end
      return sum
    end
    local ignore = { disconnected_inputs = "ignore" }
    local ga, gb = theano.grad(all(outs), inputs, ignore), theano.grad(all(flat), inputs, ignore)
    local a, b = {}, {}
    for i = 1, #outs do a[#a + 1], b[#b + 1] = outs[i], flat[i] end
    for i = 1, #inputs do a[#a + 1], b[#b + 1] = ga[i], gb[i] end
    local ra, rb = run(inputs, a, values), run(inputs, b, values)
    for i = 1, #a do close(ra[i], rb[i], 1e-8, ("seed %d result %d of %d"):format(seed, i, #outs)) end
  end

  it("gives equal values and gradients on random bodies", function()
    for seed = 1, 60 do case(seed) end
  end)
end)
