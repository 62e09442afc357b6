--- Random graphs of sparse matrices against the same graphs of dense ones: as written and rewritten in the
-- interpreter, and through C; on empty, one-row and full structures, with stored zeros, and with indices in no order.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local graphs = require("spec.support.sparse_graphs")

local Mode = theano.compile.Mode
local WAYS = { none = Mode({ linker = "interpreter", optimizer = "None" }),
  fast = Mode({ linker = "interpreter", optimizer = "fast_run" }), c = Mode({ linker = "c", optimizer = "fast_run" }) }
local ORDER = { "x", "y", "a", "b", "ka", "kb", "z", "u", "v" }

-- ---- values -------------------------------------------------------------------------------------------------------
-- A structure of m rows and n columns: each row's columns, ascending or in any order and more than once; rows may be
-- empty, and some stored values are 0. Returns the matrix, it as a dense one, and where it stores values.
local function structure(rng, format, m, n, density, loose)
  local lines, places = m, n
  if format == "csc" then lines, places = n, m end
  local data, at, from, full, kept = {}, {}, { 0 }, {}, {}
  for i = 1, lines do
    local row = {}
    local empty = rng:rand() < 0.2
    for j = 1, places do
      for _ = 1, loose and 2 or 1 do
        if not empty and rng:rand() < density then row[#row + 1] = j end
      end
    end
    for k = #row, 2, -1 do
      local other = math.floor(rng:rand() * k) + 1
      if loose then row[k], row[other] = row[other], row[k] end
    end
    for _, j in ipairs(row) do
      local value = rng:rand() < 0.15 and 0.0 or rng:randn()
      data[#data + 1], at[#at + 1] = value, j - 1
      local place = format == "csr" and (i - 1) * n + j or (j - 1) * n + i
      full[place], kept[place] = (full[place] or 0.0) + value, 1.0
    end
    from[#from + 1] = #at
  end
  local function whole(values)
    local list = {}
    for p = 1, m * n do list[p] = values[p] or 0.0 end
    return nd.array(list, "float64"):reshape({ m, n })
  end
  local s = nd.sparse[format .. "_matrix"]({ nd.array(data, "float64"), nd.array(at, "int32"),
    nd.array(from, "int32") }, { shape = { m, n } })
  return s, whole(full), whole(kept)
end

local function values(seed, m, n, density, loose)
  local rng = nd.random.RandomState(seed)
  local v = {}
  v.x, v.a, v.ka = structure(rng, "csr", m, n, density, loose)
  v.y, v.b, v.kb = structure(rng, "csc", m, n, density, loose)
  v.z, v.u, v.v = rng:randn(m, n), rng:randn(m), rng:randn(n)
  return v
end

local function in_order(v, change)
  local list = {}
  for k, name in ipairs(ORDER) do list[k] = change and change[name] or v[name] end
  return table.unpack(list)
end

-- ---- outputs ------------------------------------------------------------------------------------------------------
-- What is made in each step, and gradients of a sum of it: of x only where values are stored. Of places that stand
-- twice there is no one gradient.
local function outputs(g, i, loose)
  local got, want = {}, {}
  local cost, like = T.constant(0.0), T.constant(0.0)
  for k = g.given + 1, #g.pool do
    local e = g.pool[k]
    got[#got + 1], want[#want + 1] = e.s or e.v, e.d
    if not e.n and not e.s then cost, like = cost + T.sum(T.sin(e.v)), like + T.sum(T.sin(e.d)) end
    if e.s then
      local s = theano.sparse.dense_from_sparse(e.s)
      cost, like = cost + T.sum(T.sin(s)), like + T.sum(T.sin(e.d))
    end
  end
  for name, dense in pairs(loose and {} or { z = "z", v = "v", x = not g.forgets and "a" or nil }) do
    local p = T.grad(cost, i[name], { disconnected_inputs = "ignore" })
    local q = T.grad(like, i[dense], { disconnected_inputs = "ignore" })
    if name == "x" then
      p, q = theano.sparse.is_sparse(p) and p:toarray() * i.ka or p * i.ka, q * i.ka
    end
    got[#got + 1], want[#want + 1] = p, q
  end
  return got, want
end

local function compiled(i, results, mode)
  local inputs = {}
  for k, name in ipairs(ORDER) do inputs[k] = i[name] end
  return theano.compile(inputs, results, { mode = mode, on_unused_input = "ignore" })
end

local function differ(got, want)
  if nd.sparse.issparse(got) then got = got:toarray() end
  return not nd.allclose(got, want, 1e-9, 1e-9, true)
end

-- What differs, or nil.
local function compare(g, i, loose, seed, ways)
  local got, want = outputs(g, i, loose)
  local reference, functions = compiled(i, want, WAYS.none), {}
  for _, way in ipairs(ways) do functions[way] = compiled(i, got, WAYS[way]) end
  for k, shape in ipairs({ { 4, 5, 0.4 }, { 1, 3, 0.7 }, { 5, 1, 0.5 }, { 3, 4, 0 }, { 0, 3, 1 }, { 2, 0, 1 } }) do
    local m, n, density = table.unpack(shape)
    local v = values(seed * 10 + k, m, n, density, loose)
    local right = { reference(in_order(v)) }
    for way, f in pairs(functions) do
      for r, result in ipairs({ f(in_order(v)) }) do
        if differ(result, right[r]) then
          return ("%s, %d by %d, result %d of %d:\n%s\nis not\n%s"):format(way, m, n, r, #right, tostring(result),
            tostring(right[r]))
        end
      end
    end
  end
  -- what does not fit raises in every way, or in none
  local v = values(seed, 4, 5, 0.5, loose)
  for _, change in ipairs({ { z = nd.ones({ 4, 6 }) }, { u = nd.ones({ 3 }) }, { v = nd.ones({ 1 }) },
    { x = values(1, 5, 5, 0.5).x }, { y = values(1, 4, 4, 0.5).y } }) do
    local as_written
    for _, way in ipairs(ways) do
      local ok, why = pcall(functions[way], in_order(v, change))
      if as_written == nil then as_written = ok end
      if ok ~= as_written then return ("%s: %s for %s"):format(way, tostring(ok or why), next(change)) end
    end
  end
end

describe("random graphs of sparse matrices #asan", function()
  for _, loose in ipairs({ false, true }) do
    for seed = 1, 100 do
      local c = seed % 20 == 1
      it((loose and "in no order " or "in order ") .. seed .. (c and ", through C" or ""), function()
        local g, i = graphs.random(seed + (loose and 1000 or 0), loose)
        local why = compare(g, i, loose, seed, c and { "none", "fast", "c" } or { "none", "fast" })
        assert(not why, g.steps .. "\n" .. tostring(why))
      end)
    end
  end
end)
