--- What scripts/fuzz --device NAME runs: everything that knows right numbers, on a device. Specs and examples run as
-- they stand, in processes of their own, under THEANO_FLAGS=device=NAME.
-- @module spec.fuzz.device
local M = {}

--- Specs, and which of their parts: reference answers; operations by dtype, layout and special values; gradients;
-- loops, branches, convolutions and the rest of the language.
M.specs = {
  { "oracle", "generated C" }, { "ops", "through C" }, { "grad" }, { "scan" }, { "ifelse" }, { "conv" }, { "pool" },
  { "structural" }, { "structure" }, { "tensor" }, { "nnet" }, { "sorting" }, { "random" }, { "randomstreams" },
  { "linalg" }, { "fft" }, { "extra" }, { "einsum" }, { "rows" }, { "factor" }, { "layers" }, { "complex" },
  { "sparse" }, { "sparse_grad" },
}

--- Programs of examples/ with their arguments; {out} is a folder for what they write.
M.programs = {
  "gradients.lua", "indexing.lua", "linear_regression.lua", "logistic_regression.lua", "matrix_statistics.lua",
  "shared_state.lua", "softmax_regression.lua", "common_mistakes.lua", "mnist/mlp.lua 1 {out}",
  "rnn/char_lstm.lua 40", "linalg/pca.lua 1 {out}", "linalg/kalman.lua 1 {out}", "sparse/pagerank.lua",
  "sparse/bag_of_words.lua", "sim/pendulum_control.lua", "mnist/convolutional_mlp.lua 1 {out} 240",
}

local function output(line)
  local pipe = assert(io.popen(line .. " 2>&1"))
  local text = pipe:read("a")
  local _, _, status = pipe:close()
  return text, status
end

local function flags(device)
  local given = os.getenv("THEANO_FLAGS")
  return ("THEANO_FLAGS='device=%s%s'"):format(device, given and "," .. given or "")
end

--- Runs one spec on the device: what it says where something fails, or nil.
function M.spec(runner, device, spec)
  local filter = spec[2] and ("--filter='%s'"):format(spec[2]) or ""
  local line = ("%s %s /usr/bin/busted -o plainTerminal %s spec/%s_spec.lua"):format(flags(device), runner, filter,
    spec[1])
  local text = output(line)
  local totals = text:match("[^\n]* success%l* / [^\n]*")
  if totals and totals:find(" 0 failures / 0 errors", 1, true) then return nil, totals end
  return text, totals or "busted died"
end

-- Words of two texts: numbers nearly the same, all else the same. What took how long is passed over.
local function differs(want, got)
  local function words(text)
    local list = {}
    for line in text:gmatch("[^\n]+") do
      if not line:find("second") and not line:find("%d s%f[%A]") and not line:find("%d ms") then
        for w in line:gmatch("[^%s,%[%]()=]+") do list[#list + 1] = w end
      end
    end
    return list
  end
  local a, b = words(want), words(got)
  for i = 1, math.max(#a, #b) do
    local x, y = tonumber(a[i]), tonumber(b[i])
    local near = x and y and math.abs(x - y) <= 1e-3 * math.max(1, math.abs(x))
    if a[i] ~= b[i] and not near and not (x ~= x and y ~= y) then
      return ("'%s' where the CPU has '%s'"):format(b[i] or "nothing", a[i] or "nothing")
    end
  end
end

--- Runs a program of examples/ on the CPU and on the device: how what they print differs, or nil.
function M.program(runner, device, program)
  local folder = output("mktemp -d"):match("[^\n]+")
  local line = ("%s examples/%s"):format(runner, program:gsub("{out}", folder))
  local want, fine = output("THEANO_FLAGS= " .. line)
  local got, status = output(flags(device) .. " " .. line)
  os.execute("rm -rf " .. folder)
  if fine ~= 0 or status ~= 0 then return ("status %s, on the CPU %s\n%s"):format(status, fine, got) end
  return differs(want, got)
end

--- Runs all of it: how many failed.
-- @tparam table options runner and device
function M.run(options, say)
  local failed = 0
  local function note(name, why, words)
    failed = failed + (why and 1 or 0)
    say(("%s on %s: %s"):format(name, options.device, words or why or "as on the CPU"))
    if why and words then say(why) end
  end
  for _, spec in ipairs(M.specs) do
    note("spec/" .. spec[1] .. "_spec.lua", M.spec(options.runner, options.device, spec))
  end
  for _, program in ipairs(M.programs) do
    note("examples/" .. program, (M.program(options.runner, options.device, program)))
  end
  return failed
end

return M
