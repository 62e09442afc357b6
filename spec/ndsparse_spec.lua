--- nd.sparse: making matrices, what they say of themselves, SciPy's printing and files, operators beside dense arrays,
--- random structures, words from outside.
local core = require("theano.core")
local theano = require("theano")
local raises = require("spec.support.raises")
local nd = theano.ndarray
local sp = nd.sparse

local function fails(kind, pattern, f, ...)
  local ok, why = pcall(f, ...)
  assert.is_false(ok)
  assert.equal(kind, theano.error_kind(why))
  assert(why:find(pattern), why)
end

local function same(got, want)
  if sp.issparse(got) then got = got:toarray() end
  assert.same(want.shape, got.shape)
  assert(nd.allclose(got, want, 1e-10, 1e-12), tostring(got) .. "\nis not\n" .. tostring(want))
end

local D = nd.array { { 0, 1.5, 0 }, { 2, 0, -3e-9 } }

describe("a sparse matrix", function()
  it("is made of dense ones, parts, triplets, shapes and others", function()
    same(sp.csr_matrix(D), D)
    same(sp.csc_matrix(D), D)
    same(sp.csr_matrix({ { 0, 1.5, 0 }, { 2, 0, -3e-9 } }), D)
    local parts = { nd.array { 1., 2., 3. }, nd.array { 0, 2, 2 }, nd.array { 0, 2, 3 } }
    same(sp.csr_matrix(parts, { shape = { 2, 3 } }), nd.array { { 1., 0, 2. }, { 0, 0, 3. } })
    same(sp.csc_matrix(parts, { shape = { 3, 2 } }), nd.array { { 1., 0 }, { 0, 0 }, { 2., 3. } })
    local t = { nd.array { 1., 2., 4. }, { nd.array { 1, 0, 1 }, nd.array { 2, 0, 2 } } }
    same(sp.csr_matrix(t, { shape = { 2, 3 } }), nd.array { { 2., 0, 0 }, { 0, 0, 5. } })
    same(sp.coo_matrix(t, { shape = { 2, 3 } }), nd.array { { 2., 0, 0 }, { 0, 0, 5. } })
    same(sp.csr_matrix({ 2, 3 }), nd.zeros { 2, 3 })
    same(sp.csr_matrix(sp.csc_matrix(D)), D)
    assert.equal("float32", sp.csr_matrix(D, { dtype = "float32" }).dtype)
    for _, dtype in ipairs { "bool", "int8", "uint16", "int32", "int64", "complex64", "complex128" } do
      local a = nd.array({ { 0, 1 }, { 1, 1 } }):astype(dtype)
      assert.equal(dtype, sp.csr_matrix(a).dtype)
      assert(nd.array_equal(sp.csr_matrix(a):tocsc():toarray(), a))
    end
  end)

  it("is made by SciPy's other functions", function()
    same(sp.eye(2, 3, 1), nd.array { { 0, 1., 0 }, { 0, 0, 1. } })
    same(sp.identity(3), nd.eye(3))
    same(sp.diags({ { 1., 2., 3. }, { 4., 5. } }, { 0, 1 }), nd.array { { 1., 4., 0 }, { 0, 2., 5. }, { 0, 0, 3. } })
    same(sp.diags(2., 0, { 2, 2 }), nd.eye(2) * 2)
    local r = sp.random(20, 30, 0.1, "csr", "float32", 7)
    assert.equal(60, r.nnz)
    assert.equal("float32", r.dtype)
    same(sp.hstack { sp.csr_matrix(D), sp.csc_matrix(D) }, nd.concatenate({ D, D }, 1))
    same(sp.vstack({ sp.csr_matrix(D), D }, "csc"), nd.concatenate({ D, D }, 0))
  end)

  it("has SciPy's attributes", function()
    local A = sp.csr_matrix(D)
    assert.equal("csr", A.format)
    assert.equal(3, A.nnz)
    assert.equal(2, A.ndim)
    assert.same({ 2, 3 }, { A.shape[1], A.shape[2] })
    assert.same({ 1, 0, 2 }, A.indices:tolist())
    assert.same({ 0, 1, 3 }, A.indptr:tolist())
    assert.equal("csc", A.T.format)
    assert.equal(2, #A)
    A.data[0] = 9.0
    assert.equal(9.0, A[{ 0, 1 }])
    fails("ValueError", "read%-only", function() A.indices[0] = 77 end)
    fails("TypeError", "cannot be set", function() A[{ 0, 0 }] = 1 end)
    fails("AttributeError", "no 'foo'", function() return A.foo end)
  end)

  it("prints as SciPy's", function()
    local A = sp.csr_matrix(D)
    assert.equal("<Compressed Sparse Row sparse matrix of dtype 'float64'\n\twith 3 stored elements and shape (2, 3)>",
      A:repr())
    assert.equal(A:repr() .. "\n  Coords\tValues\n  (0, 1)\t1.5\n  (1, 0)\t2.0\n  (1, 2)\t-3e-09", tostring(A))
    assert.equal("<COOrdinate sparse matrix of dtype 'float64'\n\twith 3 stored elements and shape (2, 3)>",
      A:tocoo():repr())
    local many = tostring(sp.csr_matrix(nd.ones { 8, 30 }))
    assert(many:find("(0, 24)\t1.0\n  :\t:\n  (7, 5)\t1.0", 1, true), many)
    assert.equal(sp.csr_matrix({ 3, 3 }):repr(), tostring(sp.csr_matrix({ 3, 3 })))
  end)

  it("calculates as dense ones do", function()
    local A, E = sp.csr_matrix(D), nd.array { { 1., 0, 2. }, { 0, 0, 4. } }
    local B = sp.csr_matrix(E)
    same(A + B, D + E)
    same(A - B, D - E)
    same(A * B, D * E)
    same(A * 2, D * 2)
    same(2 * A, D * 2)
    same(A / 2, D / 2)
    same(-A, -D)
    same(A + E, D + E)
    same(E - A, E - D)
    same(A:multiply(E), D * E)
    same(A:dot(E.T), D:dot(E.T))
    same(A:dot(B.T), D:dot(E.T))
    same(A:dot(nd.ones { 3 }), D:dot(nd.ones { 3 }))
    assert(math.abs(nd.sum(D) - A:sum()) < 1e-12)
    same(A:sum(0), D:sum(0))
    same(A:mean(1), D:mean(1))
    same(A:power(2):sqrt(), nd.abs(D))
    same(A:tocoo():tocsc(), D)
    same(sp.csr_matrix(nd.eye(3)):diagonal(), nd.ones { 3 })
    same(A[{ 1 }], D["1:2"])
    same(A["::-1, 1:"], D["::-1, 1:"])
    assert.equal(1.5, A[{ 0, 1 }])
    assert.equal(0, A[{ -2, -1 }])
    fails("IndexError", "out of bounds", function() return A[{ 2, 0 }] end)
    fails("TypeError", "boolean of every comparison", function() return A < B end)
  end)

  it("is refused where its structure is wrong #asan", function()
    local data, shape = nd.array { 1., 2. }, { shape = { 2, 2 } }
    fails("ValueError", "out of range", sp.csr_matrix, { data, nd.array { 0, 2 }, nd.array { 0, 1, 2 } }, shape)
    fails("ValueError", "out of range", sp.csr_matrix, { data, nd.array { 0, -1 }, nd.array { 0, 1, 2 } }, shape)
    fails("ValueError", "lengths", sp.csr_matrix, { data, nd.array { 0 }, nd.array { 0, 1, 2 } }, shape)
    fails("ValueError", "lengths", sp.csr_matrix, { data, nd.array { 0, 1 }, nd.array { 0, 2 } }, shape)
    fails("ValueError", "descend", sp.csr_matrix, { data, nd.array { 0, 1 }, nd.array { 0, 3, 2 } }, shape)
    fails("ValueError", "start with 0", sp.csr_matrix, { data, nd.array { 0, 1 }, nd.array { 1, 1, 2 } }, shape)
    fails("TypeError", "vector of integers", sp.csr_matrix, { data, nd.array { 0., 1. }, nd.array { 0, 1, 2 } }, shape)
    fails("IndexError", "row 5", sp.csr_matrix, { data, { nd.array { 0, 5 }, nd.array { 0, 0 } } }, shape)
    fails("TypeError", "matrix is needed", sp.csr_matrix, nd.ones { 2 })
  end)
end)

describe("files", function()
  it("are those of SciPy's save_npz, both ways", function()
    local path = os.tmpname() .. ".npz"
    for _, format in ipairs { "csr", "csc", "coo" } do
      sp.save_npz(path, sp.csr_matrix(D):asformat(format))
      local back = sp.load_npz(path)
      assert.equal(format, back.format)
      same(back, D)
      assert.equal(format, nd.load(path).format:tostring())
    end
    os.remove(path)
  end)
end)

describe("words from outside #asan", function()
  it("are looked at before they are a matrix", function()
    local good = core.sparse_words(sp.csr_matrix(D))
    same(core.sparse_read("csr", good), D)
    same(core.sparse_read("csc", good), D.T)
    fails("ValueError", "no sparse matrix", core.sparse_read, "csr", nd.zeros({ 40 }, "int64"))
    fails("ValueError", "cut off", core.sparse_read, "csr", nd.zeros({ 3 }, "int64"))
    fails("ValueError", "vector of int64", core.sparse_read, "csr", nd.zeros { 40 })
    local rng, refused = nd.random.RandomState(1), 0
    for _ = 1, 2000 do
      local w = good:copy()
      for _ = 1, rng:randint(1, 4) do
        local at, how = rng:randint(w.size), rng:randint(5)
        if how == 0 then w[at] = rng:randint(-3, 40)
        elseif how == 1 then w[at] = math.maxinteger - rng:randint(3)
        elseif how == 2 then w[at] = w[at] + (1 << rng:randint(63))
        elseif how == 3 then w[at] = -1
        else w = w[("0:%d"):format(rng:randint(w.size) + 1)]:copy() break end
      end
      local ok, m = pcall(core.sparse_read, rng:randint(2) == 0 and "csr" or "csc", w)
      if ok then
        m:toarray()
        assert(m:dot(nd.ones { m.shape[2] }).size == m.shape[1])
      else
        refused = refused + 1
        assert.equal("ValueError", theano.error_kind(m))
      end
    end
    assert(refused > 500)
  end)
end)

describe("values that stand twice or out of order #asan", function()
  local function index(t) return nd.array(t, "int32") end
  local function twice(format, columns)
    return sp[format .. "_matrix"]({ nd.array({ 1.0, 2, 3, 4 }), index(columns), index({ 0, 2, 3, 4 }) },
      { shape = { 3, 3 } })
  end
  it("are added up by all that is not linear", function()
    local other = nd.array({ { 1.0, 0, 2 }, { 0, 0, 3 }, { 4, 5, 0 } })
    for _, format in ipairs({ "csr", "csc" }) do
      for _, columns in ipairs({ { 0, 0, 2, 1 }, { 2, 0, 2, 1 } }) do
        local A, B = twice(format, columns), sp.csr_matrix(other)
        local a = A:toarray()
        same(A + B, a + other)
        same(B:tocsc() - A, other - a)
        same(A:multiply(B), a * other)
        same(A:multiply(A), a * a)
        same(A:power(2), a * a)
        same(A:sqrt(), nd.sqrt(a))
        same(A:abs(), a)
        same(A:dot(A), a:dot(a))
        same(A:max(0), a:max(0))
        same(A:min(1), a:min(1))
        same(A:sum(0), a:sum(0))
        assert.same({ a:max(), a:min(), nd.count_nonzero(a) }, { A:max(), A:min(), A:count_nonzero() })
        local row, col, data = sp.find(A)
        same(sp.csr_matrix({ data, { row, col } }, { shape = { 3, 3 } }), a)
      end
    end
    assert.equal(4, twice("csr", { 0, 0, 2, 1 }).nnz)
  end)
end)

describe("methods of SciPy's", function()
  local a = nd.array({ { 1.0, 0, 2 }, { 0, 0, 3 }, { 4, 5, 0 } })
  it("take their arguments", function()
    for _, format in ipairs({ "csr", "csc" }) do
      local A = sp[format .. "_matrix"](a)
      for k = -4, 4 do same(A:diagonal(k), math.abs(k) < 3 and nd.diagonal(a, k) or nd.zeros({ 0 })) end
      assert.equal(5, A:trace(1) + A:trace(0) + 1)
      assert.same({ 2, 1, 2 }, A:getnnz(1):tolist())
      assert.same({ 2, 1, 2 }, A:getnnz(0):tolist())
      same(A:multiply(nd.array({ { 1.0 }, { 2 }, { 3 } })), a * nd.array({ { 1.0, 1, 1 }, { 2, 2, 2 }, { 3, 3, 3 } }))
      same(A:maximum(3), nd.maximum(a, 3))
      same(A:minimum(-1), nd.minimum(a, -1))
      local b = nd.array({ { 0, -1.0, 3 }, { 0, 0, -4 }, { 4, 0, 0 } })
      for _, other in ipairs({ "csr", "csc" }) do
        local B = sp[other .. "_matrix"](b)
        same(A:maximum(B), nd.maximum(a, b))
        same(A:minimum(B), nd.minimum(a, b))
        assert.equal(format, A:minimum(B).format)
      end
      raises("ValueError", "", function() A:maximum(sp.csr_matrix({ 2, 3 })) end)
      same(A + 0, a)
      same(A - 0, a)
      raises("ValueError", "axis", function() A:sum(2) end)
      raises("ValueError", "axis", function() A:getnnz(3) end)
      raises("ValueError", "no elements", function() sp.csr_matrix({ 0, 3 }):max() end)
      raises("ValueError", "no elements", function() sp.csr_matrix({ 0, 3 }):max(0) end)
      assert.same({ 0 }, sp.csr_matrix({ 0, 3 }):max(1).shape)
      same(sp.csr_matrix({ 2, 3 }):min(0), nd.zeros({ 3 }))
      same((-A):max(1), (-a):max(1))
    end
  end)
  it("add whole numbers in 64 bits", function()
    local A = sp.csr_matrix(nd.array({ { 100, 100 } }, "int8"))
    assert.equal(200, A:sum())
    assert.equal("int64", A:sum(0).dtype)
    assert.equal(100, A:mean())
    assert.equal(300, sp.csr_matrix(nd.array({ { 200, 100 } }, "uint8")):sum())
    assert.equal(2, sp.csr_matrix(nd.array({ { true, true } })):sum())
  end)
end)

describe("random structures #asan", function()
  it("give what dense matrices give", function()
    local rng = nd.random.RandomState(11)
    for _ = 1, 60 do
      local m, k, n = rng:randint(0, 12), rng:randint(0, 12), rng:randint(1, 12)
      local density = rng:rand(1)[0]
      local function draw(rows, cols)
        return rng:randn(rows, cols) * nd.asarray(nd.lt(rng:rand(rows, cols), density))
      end
      local a, b, c = draw(m, k), draw(m, k), draw(k, n)
      local formats = { "csr", "csc" }
      local function sparse_of(x) return sp[formats[rng:randint(2) + 1] .. "_matrix"](x) end
      local A, B, C = sparse_of(a), sparse_of(b), sparse_of(c)
      same(A + B, a + b)
      same(A * B, a * b)
      same(A - b, a - b)
      same(A:multiply(b), a * b)
      same(A:dot(C), a:dot(c))
      same(A:dot(c), a:dot(c))
      same(A.T:tocsr(), a.T)
      same(A:sum(0), a:sum(0))
      same(A:sum(1), a:sum(1))
      same(sp.vstack { A, B }, nd.concatenate({ a, b }, 0))
      same(sp.hstack { A, B }, nd.concatenate({ a, b }, 1))
      same(A["::2, ::-1"], a["::2, ::-1"])
      same(sp.csr_matrix(A:tocoo()), a)
    end
  end)
end)

describe("SciPy's other functions of sparse matrices", function()
  local A, B = sp.csr_matrix(nd.array { { 1, 0, 2 }, { 0, 3, 0 } }), sp.csc_matrix(nd.array { { 0, 4 }, { 5, 0 } })
  local a, b = A:toarray(), B:toarray()
  it("put matrices together", function()
    for _, x in ipairs { A, A:tocoo(), a } do
      same(sp.kron(x, B), nd.kron(a, b))
      same(sp.block_diag({ x, 7, { { 8, 9 } } }), nd.array { { 1, 0, 2, 0, 0, 0 }, { 0, 3, 0, 0, 0, 0 },
        { 0, 0, 0, 7, 0, 0 }, { 0, 0, 0, 0, 8, 9 } })
      same(sp.block_array({ { x, B }, { false, b } }, "csr"), nd.block { { a, b }, { nd.zeros({ 2, 3 }), b } })
    end
    same(sp.kronsum(B, nd.eye(3)), nd.kron(nd.eye(3), b) + nd.kron(nd.eye(3), nd.eye(2)))
    assert.equal("csc", sp.kron(A, B, "csc").format)
    assert.equal("coo", sp.block_array({ { A } }).format)
    assert.equal("float32", sp.block_diag({ A }, "csr", "float32").dtype)
    assert.same({ 0, 0 }, sp.block_diag({}).shape)
    fails("ValueError", "square", sp.kronsum, A, B)
    fails("ValueError", "rows stand in line 0", sp.block_array, { { A, nd.eye(3) } })
    fails("ValueError", "zeros alone", sp.bmat, { { A, false }, { A, false } })
  end)
  it("take triangles and diagonals, and turn", function()
    for k = -3, 3 do
      for _, x in ipairs { A, A:tocoo(), a } do
        same(sp.tril(x, k), nd.tril(a, k))
        same(sp.triu(x, k, "csc"), nd.triu(a, k))
      end
    end
    local d = nd.array { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }
    same(sp.spdiags(d, { 0, 1 }, 4, 4), nd.array { { 1, 6, 0, 0 }, { 0, 2, 7, 0 }, { 0, 0, 3, 8 }, { 0, 0, 0, 4 } })
    same(sp.spdiags(d, { -1, 2 }, { 3, 5 }), nd.array { { 0, 0, 7, 0, 0 }, { 1, 0, 0, 8, 0 }, { 0, 2, 0, 0, 0 } })
    same(sp.eye_array(2, { n = 3, k = 1 }), sp.eye(2, 3, 1):toarray())
    same(sp.diags_array({ { 1., 2. }, { 3. } }, { offsets = { 0, 1 } }), nd.array { { 1., 3. }, { 0, 2. } })
    assert.equal(6, sp.random_array({ 3, 4 }, { density = 0.5, rng = 3 }).nnz)
    same(sp.permute_dims(A), a.T)
    same(sp.permute_dims(A, { 0, -1 }), a)
    same(sp.swapaxes(A, 0, 1), a.T)
    assert.is_true(sp.isspmatrix_csr(A) and sp.isspmatrix_csc(B))
    assert.is_false(sp.isspmatrix_coo(A) or sp.isspmatrix_dia(A))
  end)
  it("are all there, or say why not", function()
    local names = [[SparseEfficiencyWarning SparseWarning block_array block_diag bmat bsr_array bsr_matrix coo_array
      coo_matrix csc_array csc_matrix csr_array csr_matrix dia_array dia_matrix diags diags_array dok_array dok_matrix
      expand_dims eye eye_array find get_index_dtype hstack identity issparse isspmatrix isspmatrix_bsr isspmatrix_coo
      isspmatrix_csc isspmatrix_csr isspmatrix_dia isspmatrix_dok isspmatrix_lil kron kronsum lil_array lil_matrix
      load_npz permute_dims rand random random_array safely_cast_index_arrays save_npz sparray spdiags spmatrix swapaxes
      tril triu vstack]]
    local absent = require("theano.ported").sparse
    for name in names:gmatch("%S+") do
      if rawget(sp, name) == nil then
        raises("AttributeError", "SciPy has it: " .. assert(absent[name], name), function() return sp[name] end)
      end
    end
  end)
end)
