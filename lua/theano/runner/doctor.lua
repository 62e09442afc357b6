--- `theano doctor`: what this machine has, what is missing, and what to do about it.
-- @module theano.runner.doctor
local theano = require("theano")
local core = require("theano.core")
local record = require("theano.runner.record")
local util = require("theano.util")
local uv = require("luv")
local T, nd = theano.tensor, theano.ndarray

local M = {}

local function first_line(program, args)
  local text = record.output_of(program, args)
  return text and text:match("^[^\n]*")
end

-- Each check: its name, then a function that gives what there is, whether that is well, and what to do if not.
local CHECKS = {
  { "engine", function() return ("theano %s, %s"):format(core.version, _VERSION), true end },
  { "processor", function()
    local info = uv.cpu_info() or {}
    return ("%d x %s"):format(#info, info[1] and info[1].model or "?"), true
  end },
  { "memory", function()
    local total, free = uv.get_total_memory(), uv.get_free_memory()
    return util.format("%.1f GB, %.1f free", total / 1e9, free / 1e9), free > 5e8, "close something"
  end },
  { "C compiler", function()
    local cxx = theano.config.cxx
    if cxx == "" then return "none is wanted (cxx is empty): functions are interpreted", true end
    local line = first_line(cxx, { "--version" })
    return line or cxx .. " is not found", line ~= nil, "apt-get install gcc, or cxx= for the interpreter"
  end },
  { "compiling", function()
    local began = uv.hrtime()
    local x = T.dvector("x")
    local f = theano.compile { inputs = { x }, outputs = T.sum(T.exp(x)) }
    local right = math.abs(f(nd.zeros(1000)) - 1000) < 1e-9
    local took = (uv.hrtime() - began) / 1e6
    return util.format("a small function in %.0f ms, result %s", took, right and "right" or "WRONG"), right,
      "please report this"
  end },
  { "BLAS", function()
    for _, name in ipairs({ "libopenblas.so.0", "libblas.so.3" }) do
      if package.loadlib(name, "*") or package.loadlib("/usr/lib/x86_64-linux-gnu/" .. name, "*") then
        return name .. " (large factorisations; products are our own)", true
      end
    end
    return "none", false, "apt-get install libopenblas0-openmp"
  end },
  { "threads", function()
    local on = theano.config.openmp
    return ("%s; %d processors, OMP_NUM_THREADS=%s"):format(on and "on" or "off (openmp=True turns them on)",
      #(uv.cpu_info() or {}), os.getenv("OMP_NUM_THREADS") or ""), true
  end },
  { "GPU", function()
    local ok, n = pcall(theano.cuda.count)
    if ok and n > 0 then return ("%d"):format(n), true end
    return "none that a driver knows (device=cuda-emulated runs its text on the CPU)", true
  end },
  { "cache", function()
    local dir = theano.config.base_compiledir
    local ok, why = uv.fs_access(dir, "W")
    if not record.exists(dir) then return dir .. " (made when it is needed)", true end
    return dir .. (ok and "" or " cannot be written: " .. tostring(why)), ok == true,
      "base_compiledir=/some/where, or mend its rights"
  end },
  { "flags", function()
    local flags = os.getenv("THEANO_FLAGS")
    return (flags and "THEANO_FLAGS=" .. flags or "no THEANO_FLAGS")
      .. (record.exists((os.getenv("HOME") or "") .. "/.theanorc") and ", ~/.theanorc" or ""), true
  end },
  { "processes", function()
    local line = first_line("mpirun", { "--version" })
    return line and line:find("Open MPI", 1, true) and line or "no mpirun of Open MPI (theano.mpi: apt-get install "
      .. "openmpi-bin)", true
  end },
  { "plots", function()
    local line = first_line("rsvg-convert", { "--version" })
    return line or "SVG alone", true
  end },
}

function M.main(...)
  require("theano.runner.words")("theano doctor"):description("Looks at what is there on this machine."):parse({ ... })
  local bad = 0
  for _, check in ipairs(CHECKS) do
    local ok, what, well, advice = pcall(check[2])
    if not ok then what, well, advice = tostring(what):match("^[^\n]*"), false, "" end
    if not well then bad = bad + 1 end
    print(("%-4s %-11s %s"):format(well and "ok" or "BAD", check[1], what))
    if not well and advice ~= "" then print((" "):rep(17) .. "-> " .. advice) end
  end
  return bad > 0 and 1 or 0
end

return M
