--- Operations on sparse matrices run on a device with the CPU's bits, whatever the format, the dtype and the structure.
local device = require("spec.support.device")
local rotate = require("spec.support.rotate")
local theano = require("theano")
local T, nd, sparse = theano.tensor, theano.ndarray, theano.sparse

-- A matrix of m rows and n columns with some empty rows and stored zeros; loose: indices in no order, some twice.
local function matrix(format, dtype, m, n, seed, loose)
  local rng = nd.random.RandomState(seed)
  local lines, places = m, n
  if format == "csc" then lines, places = n, m end
  local data, at, from = {}, {}, { 0 }
  for _ = 1, lines do
    local row, empty = {}, rng:rand() < 0.2
    for j = 0, places - 1 do
      for _ = 1, loose and 2 or 1 do
        if not empty and rng:rand() < 0.4 then row[#row + 1] = j end
      end
    end
    for k = #row, 2, -1 do
      local other = rng:randint(k) + 1
      if loose then row[k], row[other] = row[other], row[k] end
    end
    for _, j in ipairs(row) do data[#data + 1], at[#at + 1] = rng:rand() < 0.15 and 0.0 or rng:randn() * 8, j end
    from[#from + 1] = #at
  end
  local v = nd.array(data, "float64")
  if dtype:sub(1, 7) == "complex" then v = v + nd.cos(v):astype("complex128") * nd.complex(0, 1) end
  return nd.sparse[format .. "_matrix"]({ v:astype(dtype), nd.array(at, "int32"),
    nd.array(from, "int32") }, { shape = { m, n } })
end

-- Results of a list of variables, sparse or dense: structures and values must be the CPU's.
local function parts(outs)
  local all = {}
  for _, y in ipairs(outs) do
    if sparse.is_sparse(y) then
      local d, i, p, s = sparse.csm_properties(y)
      all[#all + 1], all[#all + 2], all[#all + 3], all[#all + 4] = d, i, p, s
    else
      all[#all + 1] = y
    end
  end
  return all
end

local CASES = {
  { "products with dense ones", function(x, y, z, v)
    return { sparse.dot(x, T.transpose(z)), sparse.dot(y, T.transpose(z)), sparse.dot(z, sparse.transpose(x)),
      sparse.dot(x, v), sparse.dot(y, v), sparse.structured_dot(x, T.transpose(z)) }
  end },
  { "products of two", function(x, y)
    local t, u = sparse.transpose(x), sparse.transpose(y)
    return { sparse.dot(x, t), sparse.dot(y, u), sparse.true_dot(x, t), sparse.true_dot(y, u), sparse.true_dot(t, y) }
  end },
  { "sums and products by element", function(x, y, z)
    return { x + y, y + x, x * y, y * x, x + z, y + z, x * z, y * z }
  end, "in order" },
  { "conversions", function(x, y, z)
    return { x:tocsc(), y:tocsr(), x:toarray(), y:toarray(), sparse.csr_from_dense(z), sparse.csc_from_dense(z),
      sparse.ensure_sorted_indices(x), sparse.ensure_sorted_indices(y), sparse.clean(x), sparse.clean(y) }
  end },
  { "values of one place", function(x, y) return { sparse.sum_duplicates(x), sparse.sum_duplicates(y) } end },
  { "sums and scales", function(x, y, _, v)
    return { sparse.sp_sum(x), sparse.sp_sum(x, { axis = 0 }), sparse.sp_sum(x, { axis = 1 }), sparse.sp_sum(y),
      sparse.sp_sum(y, { axis = 0 }), sparse.sp_sum(y, { axis = 1 }), sparse.col_scale(x, v), sparse.col_scale(y, v),
      sparse.row_scale(sparse.transpose(x), v) }
  end },
  { "rows, columns and elements", function(x, y, _, _, i, j)
    return { x["1:"], y["::2, 1:"], x["::-1, ::-1"], x[i], sparse.get_item_2lists(x, i, j),
      sparse.get_item_2lists(y, i, j) }
  end },
  { "blocks", function(x, y)
    return { sparse.hstack({ x, y, x }), sparse.vstack({ x, y, x }), sparse.hstack({ x, x }, { format = "csc" }) }
  end },
  { "the diagonal", function(x, _, _, v)
    return { sparse.diag(sparse.true_dot(sparse.transpose(x), x)), sparse.square_diagonal(v) }
  end },
  { "matrices of parts", function(x, y, _, v, i, j)
    local d, k, p, s = sparse.csm_properties(x)
    local e, l, q, u = sparse.csm_properties(y)
    return { sparse.CSR(d, k, p, s), sparse.CSC(e * 2, l, q, u), sparse.from_triplets(v[i], i, j, { 9, 9 }),
      sparse.from_triplets(v[i], i, j, { 9, 9 }, { format = "csc" }) }
  end },
  { "gradients", function(x, y, z, v)
    local a = T.sum(sparse.dot(x, v) ^ 2) + T.sum(sparse.structured_dot(y, T.transpose(z)))
    local g = T.grad(a, { x, y, z, v })
    return { g[1], g[2], g[3], g[4] }
  end, "floats" },
}

local function both(case, dtype)
  local x, y = sparse.csr_matrix("x", { dtype = dtype }), sparse.csc_matrix("y", { dtype = dtype })
  local z, v = T.TensorType(dtype, { false, false })("z"), T.TensorType(dtype, { false })("v")
  local i, j = T.lvector("i"), T.ivector("j")
  return device.both({ x, y, z, v, i, j }, parts(case[2](x, y, z, v, i, j)))
end

local SIZES = { { 5, 4 }, { 1, 7 }, { 40, 33 } }
local OTHERS = { "float32", "complex128", "int32", "int64", "complex64", "int8", "uint16" }

local function try(case, dtype, seed)
  local want, got = both(case, dtype)
  for k, size in ipairs(SIZES) do
    for _, loose in ipairs(case[3] == "in order" and { false } or { false, true }) do
      local m, n = size[1], size[2]
      local args = { matrix("csr", dtype, m, n, seed + k, loose), matrix("csc", dtype, m, n, seed + 2 * k, loose),
        device.numbers(dtype, m, n), device.numbers(dtype, n), nd.array({ 0, 3 % m, 0 }, "int64"),
        nd.array({ 1, 2, 1 }, "int32") }
      device.equal(want, got, args, ("%s, %s, %d by %d%s"):format(case[1], dtype, m, n, loose and ", loose" or ""))
    end
  end
end

describe("sparse matrices on a device", function()
  local dtype = rotate.some(OTHERS, 1)[1]
  for n, case in ipairs(CASES) do
    it("have the CPU's " .. case[1], function() try(case, "float64", n) end)
  end
  for n, case in ipairs(rotate.some(CASES, 2)) do
    it("have them of another dtype: " .. case[1], function()
      try(case, case[3] == "floats" and "float32" or dtype, 70 + n)
    end)
  end

  it("name the first bad element as the CPU does", function()
    local x, y = sparse.csr_matrix("x"), sparse.csc_matrix("y")
    local i, j, v, p = T.lvector("i"), T.ivector("j"), T.dvector("v"), T.lvector("p")
    local a, b = matrix("csr", "float64", 5, 4, 1), matrix("csc", "float64", 5, 4, 2)
    local loose = matrix("csr", "float64", 5, 4, 3, true)
    local function says(what, out, args, inputs)
      local result = sparse.is_sparse(out) and sparse.csm_data(out) or out
      local said, too = device.failures(inputs or { x, y, i, j }, { result }, args)
      assert.matches(what, said, nil, true)
      assert.equal(said:match("^[^\n]*"), too:match("^[^\n]*"))
    end
    local function at(...) return nd.array({ ... }, "int64") end
    local function to(...) return nd.array({ ... }, "int32") end
    says("index 5 is out of bounds: the sparse matrix has 5 rows", sparse.get_item_2lists(x, i, j),
      { a, b, at(1, 5, 9), to(0, 9, 9) })
    says("index -5 is out of bounds: the sparse matrix has 4 columns", sparse.get_item_2lists(y, i, j),
      { a, b, at(1, 2, 3), to(0, -5, 9) })
    says("row 1 is chosen twice", y[i], { a, b, at(0, 1, 1), to(0) })
    says("operand 1, 5 by 4 in its format", x + y:tocsr(), { loose, b, at(0), to(0) })
    local four = { v, j, i, p }
    says("indices[1] is -1, which is out of range", sparse.CSR(v, j, i, p),
      { nd.array({ 1., 2 }), to(0, -1), at(0, 1, 2), at(2, 3) }, four)
    says("indptr[2] is -2, which is out of range", sparse.CSR(v, j, i, p),
      { nd.array({ 1., 2 }), to(0, -1), at(0, 1, -2), at(2, 3) }, four)
    says("the pointers must not descend", sparse.CSC(v, j, i, p),
      { nd.array({ 1., 2 }), to(0, 1), at(0, 3, 2), at(3, 2) }, four)
    says("an index is out of range", sparse.CSR(v, j, i, p),
      { nd.array({ 1., 2 }), to(0, 3), at(0, 1, 2), at(2, 3) }, four)
    says("entry 1 is at column 4 of a matrix of 3 columns", sparse.from_triplets(v, i, j, { 5, 3 }),
      { nd.array({ 1., 2 }), to(0, 4), at(0, 1), at(0) }, four)
  end)
end)
