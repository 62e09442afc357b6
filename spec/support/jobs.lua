--- Scripts run by several ranks of Open MPI, or by one process in the same environment.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local M = {}

local SETTINGS = "env -u THEANO_FLAGS THEANORC=/dev/null OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 "
  .. "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 "
  .. "ASAN_OPTIONS=detect_leaks=0 " -- Open MPI keeps memory to the end

--- A shell line in the environment of jobs; its text and code.
function M.shell(line)
  local pipe = assert(io.popen(SETTINGS .. "timeout 240 " .. line .. " 2>&1; echo \"code $?\""))
  local text = pipe:read("a")
  pipe:close()
  return text, tonumber(text:match("code (%d+)\n$"))
end

function M.needs_mpirun()
  local found = os.execute("command -v mpirun >/dev/null 2>&1 && mpirun --version | grep -q 'Open MPI'")
  skip.unless(found, "no mpirun of Open MPI: apt-get install openmpi-bin")
end

local function with_script(script, run)
  local path = os.tmpname()
  runner.write(path, script)
  local text, code = run(path)
  os.remove(path)
  return text, code
end

--- A script run by n ranks.
function M.ranks(n, script)
  M.needs_mpirun()
  return with_script(script, function(path)
    return M.shell(("mpirun -n %d %s %s"):format(n, runner.quote(runner.path), path))
  end)
end

--- A script run by one process, with further variables of the environment.
function M.alone(script, variables)
  local words = {}
  for name, value in pairs(variables or {}) do words[#words + 1] = ("%s=%s "):format(name, value) end
  table.sort(words)
  return with_script(script, function(path)
    return M.shell("env " .. table.concat(words) .. runner.quote(runner.path) .. " " .. path)
  end)
end

return M
