--- Numbers of CUDA's libraries as our own prototypes have them, against the headers of a toolkit where there is one.
local skip = require("spec.support.skip")

local function include()
  for _, root in ipairs({ os.getenv("CUDA_ROOT") or "", os.getenv("CUDA_HOME") or "", "/usr/local/cuda" }) do
    local f = root ~= "" and io.open(root .. "/include/cublasLt.h")
    if f then
      f:close()
      return root .. "/include"
    end
  end
end

local NAMES = {
  LT_REAL_32 = "CUDA_R_32F", LT_REAL_64 = "CUDA_R_64F", LT_SUM_32 = "CUBLAS_COMPUTE_32F",
  LT_SUM_TF32 = "CUBLAS_COMPUTE_32F_FAST_TF32", LT_SUM_64 = "CUBLAS_COMPUTE_64F",
  LT_TURN_A = "CUBLASLT_MATMUL_DESC_TRANSA", LT_TURN_B = "CUBLASLT_MATMUL_DESC_TRANSB",
  LT_BATCH = "CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT", LT_BATCH_STEP = "CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET",
  LT_ROOM = "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES", LT_JOINS = "CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK",
  LT_JOINS_IN_ORDER = "(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE)",
}

describe("our prototypes of CUDA's libraries", function()
  it("have the numbers of cublasLt.h", function()
    local folder = include()
    if not folder then skip.now("there is no CUDA toolkit") end
    local file = assert(io.open("core/runtime/gpu/matmul.c"))
    local text = file:read("a")
    file:close()
    local lines = { "#include <cublasLt.h>" }
    for ours, theirs in pairs(NAMES) do
      local number = assert(text:match("\n    " .. ours .. " = (%d+),"), ours)
      lines[#lines + 1] = ('_Static_assert(%s == %s, "%s");'):format(theirs, number, ours)
    end
    lines[#lines + 1] = '_Static_assert(sizeof(cublasLtMatmulHeuristicResult_t) == 96, "LtChoice");'
    lines[#lines + 1] = '_Static_assert(sizeof(cublasLtMatmulAlgo_t) == 64, "LtChoice");'
    local path = os.tmpname()
    local c = assert(io.open(path, "w"))
    c:write(table.concat(lines, "\n"), "\n")
    c:close()
    local pipe = assert(io.popen(("cc -x c -fsyntax-only -I%s %s 2>&1"):format(folder, path)))
    local said = pipe:read("a")
    local ok = pipe:close()
    os.remove(path)
    assert.is_true(ok, said)
  end)
end)
