-- Runs groups of workloads on several servers in turns and prints how they compare: `bench/run` starts it and says what
-- the words mean. Always holds: every figure of a row comes from the same rounds, each server once a round, the order
-- turned round every second one; what a server computes is compared with ours before anything is timed.
local json = require("dkjson")
local system = require("system")
local figures = dofile("bench/figures.lua")

local option = { rounds = 9, seconds = 0.03, clock = "wall", core = 0, row = 2 }
local groups, chosen = {}, nil
for i = 1, #arg do
  local name, value = arg[i]:match("^%-%-(%w+)=(.*)$")
  if name == "peers" then
    chosen = {}
    for peer in value:gmatch("[^,]+") do chosen[peer] = true end
  elseif name then
    option[name] = tonumber(value) or value
  else
    groups[#groups + 1] = arg[i]
  end
end

local function sh(command)
  local p = assert(io.popen(command))
  local text = p:read("a"):gsub("%s+$", "")
  p:close()
  return text
end

-- ---- servers ----
local OURS = "THEANO_FLAGS=openmp=%s,linker=%s,$THEANO_FLAGS OMP_NUM_THREADS=%d build/theano bench/server.lua"
local PYTHON = "OMP_NUM_THREADS=1 %s/peers/bin/python -W ignore bench/server.py %s"
local COMMAND = {
  lua = OURS:format("False", "c", 1),
  ["lua-interpreter"] = OURS:format("False", "interpreter", 1),
  ["lua-tiers"] = OURS:format("False", "cvm", 1),
  ["lua-fftw"] = "THEANO_FLAGS=fft.library=fftw,linker=c,openmp=False,$THEANO_FLAGS build/theano bench/server.lua",
  ["lua-2"] = OURS:format("True", "c", 2),
  ["lua-tuned"] = "THEANO_FLAGS=compile.autotune=8,linker=c,openmp=False,$THEANO_FLAGS build/theano bench/server.lua",
  c = "build/bench/limits c", ["c-nt"] = "build/bench/limits c-nt", floor = "build/bench/limits floor",
  theano = ("%s/theano/bin/python -W ignore bench/server.py theano"):format(option.venv or ""),
}
for _, peer in ipairs({ "numpy", "numpy-gemm", "numexpr", "numba", "torch", "torch-compile", "jax", "pytensor-c",
  "pytensor-numba", "scipy", "fftw" }) do
  COMMAND[peer] = PYTHON:format(option.venv or "", peer)
end
local BUILT_IN = { lua = true, ["lua-interpreter"] = true, ["lua-2"] = true, ["lua-tiers"] = true, ["lua-tuned"] = true,
  ["lua-fftw"] = true, c = true, ["c-nt"] = true, floor = true }

local folder = sh("mktemp -d")
local servers, absent = {}, {}

-- A server in a process of its own, at the other end of two pipes; nil where the peer is not installed.
local function start(name)
  if servers[name] or absent[name] then return servers[name] end
  if not BUILT_IN[name] then
    local program = COMMAND[name]:match("(%S+/bin/python)")
    if not option.venv or option.venv == "" or not os.rename(program, program) then
      absent[name] = true
      return nil
    end
  end
  local base = folder .. "/" .. name
  sh(("mkfifo %s.in %s.out"):format(base, base))
  local cores = name == "lua-2" and ("%d,%d"):format(option.core, option.core + 1) or tostring(option.core)
  local environment = ("BENCH_SECONDS=%g BENCH_CLOCK=%s"):format(option.seconds,
    name == "lua-2" and "wall" or option.clock)
  os.execute(("taskset -c %s env %s sh -c '%s' <%s.in >%s.out 2>%s.log &"):format(cores, environment,
    COMMAND[name], base, base, base))
  local s = { name = name, out = assert(io.open(base .. ".in", "w")), log = base .. ".log" }
  s.into = assert(io.open(base .. ".out", "r"))
  s.out:setvbuf("line")
  servers[name] = s
  return s
end

-- The answer's words; a server that died says `skip`.
local function ask(s, ...)
  if s.dead or not s.out:write(table.concat({ ... }, "\t"), "\n") then return { "skip", "it died" } end
  local line = s.into:read("l")
  if not line then
    s.dead = true
    return { "skip", "it died: " .. sh("tail -n 1 " .. s.log) }
  end
  local words = {}
  for word in line:gmatch("[^\t]+") do words[#words + 1] = word end
  return words
end

-- ---- one row ----
local function close_to(a, b, case, tolerance)
  local words = table.concat(case, " ")
  local single = words:find("float32", 1, true) or words:find("complex64", 1, true)
    or #case < 2 or not tonumber(case[2])
  return math.abs(a - b) <= (tolerance or single and 2e-3 or 1e-8) * (1 + math.abs(b))
end

local function prepared(group, G, case)
  local row = { group = group, case = table.concat(case, ", "), server = {}, skipped = {}, differs = {} }
  local ours
  for _, name in ipairs(G.peers) do
    local s = (not chosen or chosen[name] or BUILT_IN[name]) and start(name)
    if s then
      local words = { "prepare", group, table.unpack(case) }
      local w = name == "floor" and G.work(table.unpack(case))
      if w then
        words = { "prepare", ("%.17g"):format(w.flops), ("%.17g"):format(w.bytes), w.dtype }
        row.flops, row.bytes = w.flops, w.bytes
      end
      local answer = name == "floor" and not w and { "skip", "none" } or ask(s, table.unpack(words))
      local check = answer[1] == "ok" and tonumber(answer[2])
      if answer[1] ~= "ok" then row.skipped[name] = answer[2] or "no answer"
      else row.server[#row.server + 1] = s end
      if check and name == "lua" then ours = check end
      if check and ours and not close_to(check, ours, case, G.tolerance) then row.differs[name] = { check, ours } end
    end
  end
  return row
end

local function run(group, G, case)
  local row = prepared(group, G, case)
  local seconds, begun = {}, system.monotime()
  for _, s in ipairs(row.server) do seconds[s.name] = {} end
  for round = 1, math.min(option.rounds, G.rounds or math.huge) do
    if round > 2 and system.monotime() - begun > option.row * #row.server then break end
    for i = 1, #row.server do
      local s = row.server[round % 2 == 1 and i or #row.server + 1 - i]
      local answer = ask(s, "round")
      local t = tonumber(answer[1])
      if t then table.insert(seconds[s.name], t) else row.skipped[s.name] = answer[2] end
    end
  end
  for _, s in ipairs(row.server) do ask(s, "drop") end
  row.server, row.seconds = nil, seconds
  return row
end

-- ---- the machine ----
local function machine()
  local function count(pattern) return sh(pattern) end
  return {
    processor = count("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1"), cores = tonumber(sh("nproc")),
    caches = count("lscpu | sed -n 's/^\\(L[123][a-z]*\\).*: */\\1 /p' | tr '\\n' ';'"),
    kernel = count("uname -sr"), load = count("cut -d ' ' -f 1-3 /proc/loadavg"),
    compiler = count("${CC:-gcc} --version | head -n 1"), commit = count("git rev-parse --short HEAD 2>/dev/null"),
    peers = option.venv and option.venv ~= "" and count(option.venv .. "/peers/bin/pip list --format=freeze " ..
      "2>/dev/null | grep -iE '^(numpy|scipy|numexpr|numba|jax|jaxlib|pytensor|torch)=' | tr '\\n' ' '") or "",
  }
end

local shown = {}
for name, value in pairs(option) do if name ~= "venv" and name ~= "save" then shown[name] = value end end
local report = { machine = machine(), option = shown, date = os.date("!%Y-%m-%dT%H:%M:%SZ"), rows = {} }
print(report.machine.processor .. "; load " .. report.machine.load)
-- Whether --only=TEXT|TEXT.. names the case.
local function wanted(case)
  local name = table.concat(case, ", ") .. ","
  for text in (option.only or ","):gmatch("[^|]+") do
    if name:find(text, 1, true) then return true end
  end
  return false
end

for _, group in ipairs(groups) do
  local G = dofile("bench/groups/" .. group .. ".lua")
  local rows = {}
  print(("\n== %s: %s"):format(group, G.title))
  for _, case in ipairs(G.cases) do
    if wanted(case) then
      local row = run(group, G, case)
      row.unit = G.unit or "s"
      report.rows[#report.rows + 1] = row
      rows[#rows + 1] = row
      if not G.worst then figures.print(row) end
    end
  end
  if G.worst then figures.worst(rows) end
end
for name, s in pairs(servers) do
  if not s.dead then s.out:close() end
  servers[name] = nil
end
os.execute("rm -rf " .. folder)
local missing = {}
for name in pairs(absent) do missing[#missing + 1] = name end
table.sort(missing)
if #missing > 0 then print("\nnot installed: " .. table.concat(missing, ", ")) end
if option.save then
  local f = assert(io.open(option.save, "w"))
  f:write(json.encode(report, { indent = true }), "\n")
  f:close()
  print("\n" .. option.save)
end
