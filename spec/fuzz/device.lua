--- What scripts/fuzz --device NAME runs: everything that knows right numbers, on a device. Specs and examples run as
-- they stand, in processes of their own, under THEANO_FLAGS=device=NAME.
-- @module spec.fuzz.device
local M = {}

--- Specs that are not run on the device: what they look at is not computed there (texts, tools, the tree, arrays of
-- the host alone), or is the CPU's own.
M.elsewhere = {}
for name in ([[api_walk autotune bench check_api config cost cuda_headers cuda_oracle docs editor fuzz golden gpu_bundle
  guards help hosts kernel_classes key locale measures memory modules mutants ndarray_print ndtext numpy_page
  optimizations oracle_support packages page_blocks pages plot readme reduced_lines repl report rules runner same_bits
  sandbox schedule short_rows spread_rows tables tiers top winograd]]):gmatch("%S+") do
  M.elsewhere[name] = true
end

--- Those that choose their devices themselves run as they stand, with all that they have: kernels, libraries, failures
-- of every entry point.
local CHOOSE = { device_space = true, transfers = true }
local function chooses(name) return name:find("^cuda_") or name:find("^gpu_") or CHOOSE[name] end

--- Parts of specs that are enough: the others run the same through the CPU's executors.
M.parts = { oracle = "generated C", ops = "through C" }

--- Programs of examples/ with their arguments; {out} is a folder for what they write.
M.programs = {
  "gradients.lua", "indexing.lua", "linear_regression.lua", "logistic_regression.lua", "matrix_statistics.lua",
  "softmax_regression.lua", "common_mistakes.lua", "mnist/mlp.lua 1 {out}",
  "rnn/char_lstm.lua 40", "linalg/pca.lua 1 {out}", "linalg/kalman.lua 1 {out}", "sparse/pagerank.lua",
  "sparse/bag_of_words.lua", "sim/pendulum_control.lua", "mnist/convolutional_mlp.lua 1 {out} 240",
  "linalg/gaussian_process.lua 10 {out}", "linalg/robot_arm.lua 5 {out}", "sim/hmc.lua 40 {out}", "sim/rope.lua {out}",
  "images/deblur.lua 20 {out}", "images/spectrogram.lua {out}", "game/train.lua {out}/m.thn 20",
  "service/model.lua {out}/m.thn", "save_and_load.lua", "mnist/dropout_mlp.lua 1 {out}",
  "mnist/denoising_autoencoder.lua 1 {out}", "mnist/vae.lua 1 {out}", "mnist/rbm.lua 1 {out}",
  "shared_state.lua",
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

-- A list from the first name that begins with `from` on, all of it without; an error where there is none.
local function rest(names, from)
  if not from then return names end
  for i, name in ipairs(names) do
    if name:sub(1, #from) == from then return { table.unpack(names, i) } end
  end
  error(("no name begins with '%s'"):format(from), 0)
end

-- The names of all specs that are run.
local function specs(from)
  local names = {}
  for path in output("ls spec/*_spec.lua"):gmatch("[^\n]+") do
    local name = path:match("spec/(.*)_spec%.lua")
    if name and not M.elsewhere[name] then names[#names + 1] = name end
  end
  return rest(names, from)
end

-- Runs one of them: a line of the shell.
local function spec_line(options, name, part)
  local filter = part and ("--filter='%s'"):format(part) or ""
  local settings = chooses(name) and ("TH_ALL=1 TH_DEVICE=" .. options.device) or flags(options.device)
  return ("%s timeout 1800 %s /usr/bin/busted -o plainTerminal %s spec/%s_spec.lua"):format(settings, options.runner,
    filter, name)
end

--- Runs parts of one spec on the device: what it says where something fails, or nil.
function M.spec(runner, device, spec)
  local text = output(spec_line({ runner = runner, device = device }, spec[1], spec[2]))
  local totals = text:match("[^\n]* success%l* / [^\n]*")
  if not totals or not totals:find(" 0 failures / 0 errors", 1, true) then return text end
end

-- Lines of the shell, some at once, each with its name: what each of them said, by name, and whether it ended well.
local function all_at_once(lines, jobs, done)
  local folder = output("mktemp -d"):match("[^\n]+")
  for i, line in ipairs(lines) do
    local file <close> = assert(io.open(folder .. "/" .. i, "w"))
    file:write(("%s >%s/%d.out 2>&1\necho %d $?\n"):format(line, folder, i, i))
  end
  local pipe <close> = assert(io.popen(("seq -f '%s/%%.0f' %d | xargs -n 1 -P %d sh"):format(folder, #lines, jobs)))
  for said in pipe:lines() do
    local i, status = said:match("^(%d+) (%d+)")
    local file <close> = assert(io.open(("%s/%d.out"):format(folder, i)))
    done(math.tointeger(i), file:read("a"), tonumber(status))
  end
  os.execute("rm -rf " .. folder)
end

--- Runs the specs: how many tests passed, were skipped as the CPU's or for want of something, and failed.
function M.specs(options, note)
  local names, lines, total = specs(options.from), {}, { passed = 0, skipped = 0, failed = 0, files = 0 }
  for i, name in ipairs(names) do lines[i] = spec_line(options, name, M.parts[name]) end
  all_at_once(lines, options.jobs or 2, function(i, text, status)
    local totals = text:match("[^\n]* success%l* / [^\n]*")
    local passed, failures, errors, skipped = (totals or ""):match("(%d+) %l+ / (%d+) %l+ / (%d+) %l+ / (%d+)")
    local wrong = not passed and 1 or math.tointeger(failures) + math.tointeger(errors)
    total.files = total.files + 1
    total.passed = total.passed + (math.tointeger(passed) or 0)
    total.skipped, total.failed = total.skipped + (math.tointeger(skipped) or 0), total.failed + wrong
    note("spec/" .. names[i] .. "_spec.lua", wrong > 0 and text or nil,
      totals or ("busted ended with %d"):format(status))
  end)
  return total
end

-- Words of two texts: numbers the same to `by`, all else the same. What took how long is passed over.
local function differs(want, got, by)
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
    local near = x and y and math.abs(x - y) <= by * math.max(1, math.abs(x))
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
  return differs(want, got, program:find("^mnist/") and 1e-2 or 1e-3) -- a picture more or less is named rightly
end

--- Runs the examples: how many of them print what they print on the CPU.
function M.examples(options, note)
  local fine, programs = 0, rest(M.programs, options.part and options.from)
  for _, program in ipairs(programs) do
    local why = M.program(options.runner, options.device, program)
    fine = fine + (why and 0 or 1)
    note("examples/" .. program, why)
  end
  return fine, #programs
end

--- Runs specs, then examples, or one of the two: how many failed.
-- @tparam table options runner, device, jobs, part ("specs" or "examples"), from (where that part goes on)
function M.run(options, say)
  local failed = 0
  local function note(name, why, words)
    failed = failed + (why and 1 or 0)
    say(("%s on %s: %s"):format(name, options.device, words or why or "as on the CPU"))
    if why and words then say(why) end
  end
  if options.part ~= "examples" then
    local total = M.specs(options, note)
    say(("on %s: %d specs, %d of their tests passed, %d skipped, %d failed"):format(options.device, total.files,
      total.passed, total.skipped, total.failed))
  end
  if options.part ~= "specs" then
    say(("on %s: %d of %d programs print what they print on the CPU"):format(options.device,
      M.examples(options, note)))
  end
  return failed
end

return M
