--- Numbers of CUDA's libraries as our own prototypes have them, against the headers of a toolkit where there is one.
local skip = require("spec.support.skip")

local function include(header)
  for _, root in ipairs({ os.getenv("CUDA_ROOT") or "", os.getenv("CUDA_HOME") or "", "/usr/local/cuda" }) do
    local f = root ~= "" and io.open(root .. "/include/" .. header)
    if f then
      f:close()
      return root .. "/include"
    end
  end
end

-- Of each header: our file, our names of its numbers, what else must hold.
local HEADERS = {
  ["cublasLt.h"] = { "matmul.c", {
    LT_REAL_32 = "CUDA_R_32F", LT_REAL_64 = "CUDA_R_64F", LT_REAL_16 = "CUDA_R_16F",
    LT_BRAIN_16 = "CUDA_R_16BF", LT_SUM_32 = "CUBLAS_COMPUTE_32F",
    LT_SUM_TF32 = "CUBLAS_COMPUTE_32F_FAST_TF32", LT_SUM_64 = "CUBLAS_COMPUTE_64F",
    LT_TURN_A = "CUBLASLT_MATMUL_DESC_TRANSA", LT_TURN_B = "CUBLASLT_MATMUL_DESC_TRANSB",
    LT_BEHIND = "CUBLASLT_MATMUL_DESC_EPILOGUE", LT_BIAS_AT = "CUBLASLT_MATMUL_DESC_BIAS_POINTER",
    LT_BIAS = "CUBLASLT_EPILOGUE_BIAS", LT_BATCH = "CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT",
    LT_BATCH_STEP = "CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET",
    LT_ROOM = "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES", LT_JOINS = "CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK",
    LT_JOINS_IN_ORDER = "(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE)",
    LT_JOINS_WHOLE = "CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE",
  }, { "sizeof(cublasLtMatmulHeuristicResult_t) == 96", "sizeof(cublasLtMatmulAlgo_t) == 64" } },
  ["cudnn.h"] = { "cudnn.c", {
    DN_REAL_32 = "CUDNN_DATA_FLOAT", DN_REAL_64 = "CUDNN_DATA_DOUBLE", DN_PLAIN = "CUDNN_TENSOR_NCHW",
    DN_TURNED = "CUDNN_CONVOLUTION", DN_STRAIGHT = "CUDNN_CROSS_CORRELATION", DN_TF32 = "CUDNN_DEFAULT_MATH",
    DN_NO_TF32 = "CUDNN_FMA_MATH", DN_TO_TOP = "CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM",
    DN_TO_TOP_FEW = "CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM", DN_TO_IMAGE = "CUDNN_CONVOLUTION_BWD_DATA_ALGO_1",
    DN_TO_FILTER = "CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1",
  }, {} },
  ["cufft.h"] = { "cufft.c", { FFT_PAIRS_32 = "CUFFT_C2C", FFT_PAIRS_64 = "CUFFT_Z2Z" },
    { "CUFFT_FORWARD == -1 && CUFFT_INVERSE == 1", "sizeof(cufftHandle) == sizeof(int)" } },
  ["cusparse.h"] = { "cusparse.c", {
    SP_STRAIGHT = "CUSPARSE_OPERATION_NON_TRANSPOSE", SP_INDEX_32 = "CUSPARSE_INDEX_32I",
    SP_FROM_0 = "CUSPARSE_INDEX_BASE_ZERO", SP_COLUMNS = "CUSPARSE_ORDER_COL", SP_ROWS = "CUSPARSE_ORDER_ROW",
    SP_SAME_BITS = "CUSPARSE_SPMM_CSR_ALG3", SP_REAL_32 = "CUDA_R_32F", SP_REAL_64 = "CUDA_R_64F",
    SP_PAIR_32 = "CUDA_C_32F", SP_PAIR_64 = "CUDA_C_64F",
  }, {} },
  ["cusolverDn.h"] = { "cusolver.c", {
    SO_N = "CUBLAS_OP_N", SO_T = "CUBLAS_OP_T", SO_C = "CUBLAS_OP_C",
    SO_SAME_BITS = "CUSOLVER_DETERMINISTIC_RESULTS", SO_UPPER = "CUBLAS_FILL_MODE_UPPER",
    SO_VALUES = "CUSOLVER_EIG_MODE_NOVECTOR", SO_VECTORS = "CUSOLVER_EIG_MODE_VECTOR", SO_REAL_32 = "CUDA_R_32F",
    SO_REAL_64 = "CUDA_R_64F", SO_PAIR_32 = "CUDA_C_32F", SO_PAIR_64 = "CUDA_C_64F",
  }, {} },
}

local function checked(header, ours, names, others)
  local folder = include(header)
  if not folder then skip.now("there is no CUDA toolkit") end
  local file = assert(io.open("core/runtime/gpu/" .. ours))
  local text = file:read("a")
  file:close()
  local lines = { ("#include <%s>"):format(header) }
  for own, theirs in pairs(names) do
    local number = assert(text:match("%f[%w_]" .. own .. " = (%d+)"), own)
    lines[#lines + 1] = ('_Static_assert((int)%s == %s, "%s");'):format(theirs, number, own)
  end
  for _, what in ipairs(others) do lines[#lines + 1] = ('_Static_assert(%s, "%s");'):format(what, ours) end
  local path = os.tmpname()
  local c = assert(io.open(path, "w"))
  c:write(table.concat(lines, "\n"), "\n")
  c:close()
  local pipe = assert(io.popen(("cc -x c -fsyntax-only -I%s %s 2>&1"):format(folder, path)))
  local said = pipe:read("a")
  local ok = pipe:close()
  os.remove(path)
  assert.is_true(ok, said)
end

describe("our prototypes of CUDA's libraries", function()
  for header, what in pairs(HEADERS) do
    it("have the numbers of " .. header, function() checked(header, table.unpack(what)) end)
  end
end)
