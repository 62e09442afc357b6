--- Theano's operations of linear algebra as callables: `T.slinalg.Solve`, `T.slinalg.Cholesky` and their kin, made of
-- the functions of the engine's table. Installed by `require "theano"`; gives `theano.sandbox.linalg`.
-- @module theano.linalg
local util = require("theano.util")

return function(T)
  local s, n = T.slinalg, T.nlinalg
  local STRUCTURES = {
    general = "gen", symmetric = "sym", hermitian = "her", lower_triangular = "lower triangular",
    upper_triangular = "upper triangular", positive_definite = "pos",
  }

  local function one_of(what, name, value, texts)
    for _, text in ipairs(texts) do
      if value == text then return value end
    end
    util.raise("ValueError", "%s: %s should be one of '%s', not %s", what, name, table.concat(texts, "', '"),
      util.text(value))
  end

  local function flag(what, name, value, default)
    if value == nil then return default end
    util.check_type(what, name, value, "boolean")
    return value
  end

  --- `Solve { A_structure = "general", lower = false }`: a function of a and b that solves such systems.
  function s.Solve(options)
    options = options or {}
    util.check_keywords("Solve", options, {
      A_structure = "string", lower = "boolean", overwrite_A = "boolean", overwrite_b = "boolean",
    })
    local structure = options.A_structure or "general"
    local assume = STRUCTURES[structure]
    if not assume then util.raise("ValueError", "Invalid matrix structure argument: '%s'", structure) end
    return function(a, b) return s.solve(a, b, { assume_a = assume, lower = options.lower or false }) end
  end

  --- `Cholesky { lower = true, on_error = "raise" }`: a function of a matrix.
  function s.Cholesky(options)
    options = options or {}
    util.check_keywords("Cholesky", options, { lower = "boolean", destructive = "boolean", on_error = "string" })
    local on_error = one_of("Cholesky", "on_error", options.on_error or "raise", { "raise", "nan" })
    return function(x) return s.cholesky(x, options.lower ~= false, on_error) end
  end

  --- `Eigvalsh { lower = true }`: a function of a and b.
  function s.Eigvalsh(options)
    options = options or {}
    util.check_keywords("Eigvalsh", options, { lower = "boolean" })
    return function(a, b) return s.eigvalsh(a, b, options.lower ~= false) end
  end

  --- `Expm()`: the function expm.
  function s.Expm() return s.expm end

  --- `MatrixInverse()`: the function matrix_inverse.
  function n.MatrixInverse() return n.matrix_inverse end
  --- `MatrixPinv()`: the function pinv.
  function n.MatrixPinv() return n.pinv end
  --- `Det()`: the function det.
  function n.Det() return n.det end
  --- `Eig()`: the function eig.
  function n.Eig() return n.eig end

  --- `Eigh("L")`: a function of a matrix.
  function n.Eigh(UPLO)
    UPLO = one_of("Eigh", "UPLO", UPLO or "L", { "L", "U" })
    return function(x) return n.eigh(x, UPLO) end
  end

  --- `SVD(full_matrices, compute_uv)`: a function of a matrix.
  function n.SVD(full_matrices, compute_uv)
    full_matrices = flag("SVD", "full_matrices", full_matrices, true)
    compute_uv = flag("SVD", "compute_uv", compute_uv, true)
    return function(x) return n.svd(x, full_matrices, compute_uv) end
  end

  --- `QRFull(mode)`: a function of a matrix.
  function n.QRFull(mode)
    mode = one_of("QRFull", "mode", mode or "reduced", { "reduced", "complete", "r", "raw" })
    return function(x) return n.qr(x, mode) end
  end

  --- `TensorInv(ind)`: a function of a tensor.
  function n.TensorInv(ind)
    ind = ind or 2
    util.check_type("TensorInv", "ind", ind, "integer")
    return function(x) return n.tensorinv(x, ind) end
  end

  --- `TensorSolve(axes)`: a function of a and b.
  function n.TensorSolve(axes)
    if axes ~= nil then axes = util.list("TensorSolve: axes", axes) end
    return function(a, b) return n.tensorsolve(a, b, axes) end
  end

  local sandbox = { hint = s.hint, matrix_inverse = n.matrix_inverse, det = n.det, trace = n.trace, diag = n.diag }

  --- x, of which rewrites may take for granted that it is symmetric and positive definite; nothing is checked.
  function sandbox.psd(x) return s.hint(x, { psd = true }) end

  return sandbox
end
