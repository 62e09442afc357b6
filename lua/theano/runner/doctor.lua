--- `theano doctor`: what this machine has, what is missing, and what to do about it. It needs none of the modules that
-- it looks for: where they are missing it is wanted most.
-- @module theano.runner.doctor
local theano = require("theano")
local core = require("theano.core")
local runner = require("theano.runner")
local util = require("theano.util")
local T, nd = theano.tensor, theano.ndarray

local M = {}

-- The first line that `program --version` prints; nil where it does not run.
local function version_of(program)
  local pipe = io.popen(("'%s' --version 2>/dev/null"):format(program:gsub("'", "'\\''")))
  local line = pipe and pipe:read("l")
  return pipe and pipe:close() and line or nil
end

-- A file of the system's; "" where there is none.
local function system(path)
  local file <close> = io.open(path)
  return file and file:read("a") or ""
end

local function exists(path)
  local file <close> = io.open(path)
  return file ~= nil
end

-- How many processors there are, and what they are called.
local function processors()
  local text = system("/proc/cpuinfo")
  local _, n = text:gsub("processor%s*:", "")
  return n > 0 and n or "?", text:match("model name%s*:%s*([^\n]*)") or "?"
end

-- Each check: its name, then a function that gives what there is, whether that is well, and what to do if not.
local CHECKS = {
  { "engine", function() return ("theano %s, %s"):format(core.version, _VERSION), true end },
  { "processor", function() return ("%s x %s"):format(processors()), true end },
  { "memory", function()
    local text = system("/proc/meminfo")
    local total, free = text:match("MemTotal:%s*(%d+)"), text:match("MemAvailable:%s*(%d+)")
    if not free then return "?", true end
    total, free = total * 1024, free * 1024
    return util.format("%.1f GB, %.1f free", total / 1e9, free / 1e9), free > 5e8, "close something"
  end },
  { "C compiler", function()
    local cxx = theano.config.cxx
    if cxx == "" and version_of("gcc") then return "none is wanted (cxx is empty): functions are interpreted", true end
    if cxx == "" then
      return "none: functions are interpreted, large ones are slower", false, "apt-get install gcc libc6-dev"
    end
    local line = version_of(cxx)
    return line or cxx .. " is not found", line ~= nil, "apt-get install gcc, or cxx= for the interpreter"
  end },
  { "compiling", function()
    local began = core.monotonic()
    local x = T.dvector("x")
    local _ <close> = theano.config.change_flags { ["compile.tiers"] = false }
    local f = theano.compile { inputs = { x }, outputs = T.sum(T.exp(x)) }
    local right = math.abs(f(nd.zeros(1000)) - 1000) < 1e-9
    local took = (core.monotonic() - began) * 1e3
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
    return ("%s; %s processors, OMP_NUM_THREADS=%s"):format(on and "on" or "off (openmp=True turns them on)",
      (processors()), os.getenv("OMP_NUM_THREADS") or ""), true
  end },
  { "GPU", function()
    local ok, n = pcall(theano.cuda.count)
    if ok and n > 0 then return ("%d"):format(n), true end
    return "none that a driver knows (device=cuda-emulated runs its text on the CPU)", true
  end },
  { "modules", function()
    local missing, packages = {}, {}
    for _, module in ipairs(runner.needed) do
      if not runner.has(module) then missing[#missing + 1], packages[#packages + 1] = module, "lua-" .. module end
    end
    if #missing == 0 then return table.concat(runner.needed, ", ") .. " (theano run, sweep, ..)", true end
    return "no " .. table.concat(missing, ", ") .. ": theano run, sweep and the like need them", false,
      "apt-get install " .. table.concat(packages, " ")
  end },
  { "cache", function()
    local dir = theano.config.base_compiledir
    if not exists(dir) then return dir .. " (made when it is needed)", true end
    local probe = ("%s/.doctor-%d-%d"):format(dir, os.time(), math.random(0, 1 << 30))
    local file, why = io.open(probe, "w")
    if file then
      file:close()
      os.remove(probe)
    end
    return dir .. (file and "" or " cannot be written: " .. why), file ~= nil,
      "base_compiledir=/some/where, or mend its rights"
  end },
  { "flags", function()
    local flags = os.getenv("THEANO_FLAGS")
    return (flags and "THEANO_FLAGS=" .. flags or "no THEANO_FLAGS")
      .. (exists((os.getenv("HOME") or "") .. "/.theanorc") and ", ~/.theanorc" or ""), true
  end },
  { "processes", function()
    local line = version_of("mpirun")
    return line and line:find("Open MPI", 1, true) and line or "no mpirun of Open MPI (theano.mpi: apt-get install "
      .. "openmpi-bin)", true
  end },
  { "plots", function()
    local line = version_of("rsvg-convert")
    return line or "SVG alone", true
  end },
}

function M.main(...)
  if runner.has("argparse") then -- what to say to words: there are none
    local words = require("theano.runner.words")("theano doctor")
    words:description("Looks at what is there on this machine."):parse({ ... })
  end
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
