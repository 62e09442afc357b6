--- Sparse matrices in graphs: `theano.sparse`, Theano's names. A variable is CSR or CSC (`Sparse[float64, csr]`); its
-- operators, `.T`, `.shape` and methods are those of this module. Values are `nd.sparse`'s.
-- @module theano.sparse
if not package.loaded["theano"] then require("theano") return require("theano.sparse") end -- it loads us
local core = require("theano.core")
local T = require("theano.tensor")
local util = require("theano.util")

local sparse = T.sparse -- the functions of the engine's table

local function check_format(format)
  if format ~= "csr" and format ~= "csc" then
    util.raise("ValueError", "the format is \"csr\" or \"csc\", not %s", util.text(format))
  end
  return format
end

--- The type of sparse variables: calling it makes one. A type has `format` and `dtype`.
function sparse.SparseType(format, dtype)
  return core.sparse_type(dtype or "floatX", check_format(format))
end

local function variable(format, name, options)
  local called, dtype = util.variable_options(format .. "_matrix", name, options)
  return core.sparse_type(dtype or "floatX", format)(called)
end

--- A variable that holds a sparse matrix by rows: `csr_matrix("x", {dtype = "float32"})`; floatX where dtype is absent.
function sparse.csr_matrix(name, options) return variable("csr", name, options) end
--- A variable that holds a sparse matrix by columns.
function sparse.csc_matrix(name, options) return variable("csc", name, options) end
--- `matrix("csr", "x", {dtype =})`: a variable of either format.
function sparse.matrix(format, name, options) return variable(check_format(format), name, options) end

for _, dtype in ipairs({ "float32", "float64" }) do
  for _, format in ipairs({ "csr", "csc" }) do
    sparse[(dtype == "float32" and "f" or "d") .. format .. "_matrix"] = function(name)
      return variable(format, name, { dtype = dtype })
    end
  end
end

--- `CSM("csr")(data, indices, indptr, shape)`: a sparse matrix of its parts.
function sparse.CSM(format) return check_format(format) == "csr" and sparse.CSR or sparse.CSC end

--- Whether a variable or a value is a sparse matrix.
function sparse.is_sparse(x) return core.kind(x) == "sparse" or (core.sparse_kind(x)) ~= nil end

--- A sparse variable as it is, a value of `nd.sparse` as a Constant, or a matrix by rows of what is not zero of x.
function sparse.as_sparse_variable(x)
  if sparse.is_sparse(x) then return core.as_var(x) end
  return sparse.csr_from_dense(x)
end
sparse.as_sparse = sparse.as_sparse_variable

--- "csr" or "csc": the format of a variable.
function sparse.format_of(x)
  return (core.sparse_kind(x)) or util.raise("TypeError", "%s is no sparse variable", tostring(x))
end

local own = T.variable_methods
--- A sparse variable as a dense matrix; a dense one stays.
function own.toarray(x) return sparse.is_sparse(x) and sparse.dense_from_sparse(x) or x end
own.todense = own.toarray
for _, name in ipairs({ "tocsr", "tocsc" }) do
  own[name] = function(x) return sparse[name](x) end
end

return sparse
