--- What a kernel's CUDA text costs a GPU, found without one: NVRTC compiles and assembles it (build/cuda-assemble), its
-- log says what each kernel takes, and nvdisasm shows the instructions. docs/testing.md says where the tools come from.
-- @module spec.gpu.proof
local json = require("dkjson")
local theano = require("theano")
local T = require("theano.tensor")
local units = require("spec.support.unit_golden")
local M = {}

M.archs = { "sm_80", "sm_90" }

-- ---- the tools -----------------------------------------------------------------------------------------------------
local function output(line)
  local pipe = assert(io.popen(line .. " 2>/dev/null"))
  local text = pipe:read("a")
  pipe:close()
  return text
end

-- Folders of the toolkit's programs: those of scripts/setup --gpu-tests first.
local HOME = (os.getenv("XDG_CACHE_HOME") or (os.getenv("HOME") or "") .. "/.cache") .. "/theano/gpu-tests"
local FETCHED = output("ls " .. HOME .. "/lib64/libnvrtc.so.1*") ~= ""

--- The path of a program of the toolkit, or nil.
function M.tool(name)
  local here = output("command -v " .. name):match("[^\n]+")
  if here then return here end
  for _, folder in ipairs({ os.getenv("CUDA_HOME") or "", HOME, "/usr/local/cuda" }) do
    local path = folder .. "/bin/" .. name
    if folder ~= "" and output("test -x " .. path .. " && echo yes") ~= "" then return path end
  end
end

-- ---- what is assembled ---------------------------------------------------------------------------------------------
-- Text of a function's kernels, or nil and why there is none.
local function text_of(f)
  local ok, text = pcall(theano.printing.ccode, f, "cuda")
  if ok then return text end
  if theano.error_kind(text) ~= "NotImplementedError" then error(text, 0) end
  return nil, tostring(text):match("NotImplementedError: ([^\n]*)")
end

--- The functions of the goldens: { name = .., text = function }.
function M.golden()
  local list = {}
  local all = units.cases()
  for _, case in ipairs(require("spec.support.schedule_edges")) do all[#all + 1] = case end
  for _, case in ipairs(all) do
    list[#list + 1] = { name = case[1], text = function()
      local text, why
      units.with(case, function(f) text, why = text_of(f) end)
      return text, why
    end }
  end
  return list
end

local FALSE = { false, false }

local function operation(name, dtype, count)
  return { name = name .. " of " .. dtype, elementwise = true, dtype = dtype, text = function()
    local _ <close> = theano.config.change_flags { linker = "interpreter" }
    local inputs = {}
    for i = 1, count do inputs[i] = T.TensorType(dtype, FALSE)("x" .. i) end
    return text_of(theano.compile { inputs = inputs, outputs = T[name](table.unpack(inputs)) })
  end }
end

local function reduction(name, dtype, axis)
  return { name = ("%s of %s along %s"):format(name, dtype, axis or "all"), text = function()
    local _ <close> = theano.config.change_flags { linker = "interpreter" }
    local x = T.TensorType(dtype, FALSE)("x")
    return text_of(theano.compile { inputs = { x }, outputs = (T[name](x, axis and { axis = axis } or {})) })
  end }
end

--- Every elementwise operation and reduction with each dtype that it takes.
function M.operations()
  local file <close> = assert(io.open("spec/data/ops.json"))
  local data, list = assert(json.decode(file:read("a"))), {}
  local function each(tables, fn)
    local names = {}
    for name in pairs(tables) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
      local dtypes = {}
      for dtype in pairs(tables[name]) do dtypes[#dtypes + 1] = dtype end
      table.sort(dtypes)
      for _, dtype in ipairs(dtypes) do fn(name, dtype) end
    end
  end
  each(data.unary, function(name, dtype) list[#list + 1] = operation(name, dtype, 1) end)
  each(data.binary, function(name, dtype) list[#list + 1] = operation(name, dtype, 2) end)
  each(data.reduce, function(name, dtype)
    for _, axis in ipairs({ 0, 1, false }) do list[#list + 1] = reduction(name, dtype, axis) end
  end)
  return list
end

-- ---- assembling ----------------------------------------------------------------------------------------------------
-- Of the assembler's log: what each kernel takes.
local function kernels_of(log, unit, arch, list)
  local k
  for line in log:gmatch("[^\n]+") do
    local name = line:match("Compiling entry function '([%w_]+)'")
    if name then
      k = { name = name, unit = unit.name, arch = arch, case = unit, registers = 0, shared = 0, stack = 0, spilled = 0 }
      list[#list + 1] = k
    end
    local bytes = "(%d+) bytes stack frame, (%d+) bytes spill stores, (%d+) bytes spill loads"
    local stack, stores, loads = line:match(bytes)
    if k and stack then k.stack, k.spilled = tonumber(stack), tonumber(stores) + tonumber(loads) end
    local registers = line:match("Used (%d+) registers")
    if k and registers then
      k.registers = tonumber(registers)
      k.shared = tonumber(line:match("(%d+) bytes smem")) or 0
    end
  end
end

--- Compiles and assembles cases. Images stay in `folder` where that is given.
-- @treturn table kernels: name, unit, arch, registers, shared, stack, spilled (bytes), image (path)
-- @treturn table texts that there are none of: name and why; nil and why not where there is no NVRTC
function M.assemble(cases, archs, folder)
  local kernels, none, lines, order = {}, {}, {}, {}
  local own = folder or output("mktemp -d"):match("[^\n]+")
  for i, case in ipairs(cases) do
    local text, why = case.text()
    if text then
      local path = ("%s/%d.cu"):format(own, i)
      local file <close> = assert(io.open(path, "w"))
      file:write(text)
      for _, arch in ipairs(archs) do
        lines[#lines + 1] = arch .. " " .. path .. "\n"
        order[#order + 1] = { case, arch, path .. "." .. arch .. ".cubin" }
      end
    else
      none[#none + 1] = { case.name, why }
    end
  end
  local list = own .. "/list"
  local file = assert(io.open(list, "w"))
  file:write(table.concat(lines))
  file:close()
  local home = FETCHED and not os.getenv("CUDA_HOME") and "CUDA_HOME=" .. HOME .. " " or ""
  local said = output(("%sbuild/cuda-assemble %s <%s"):format(home, folder and "images" or "", list))
  if not folder then os.execute("rm -rf " .. own) end
  local at = 0
  for result, log in said:gmatch("(%a+)\n(.-)\n==\n") do
    at = at + 1
    if result == "none" then return nil, "NVRTC is not found: scripts/setup --gpu-tests fetches it" end
    local case, arch, image = table.unpack(order[at])
    if result ~= "made" then error(("%s, %s: %s"):format(case.name, arch, log), 0) end
    local from = #kernels
    kernels_of(log, case, arch, kernels)
    for k = from + 1, #kernels do kernels[k].image = image end
  end
  assert(at == #order, "the assembler ended early")
  return kernels, none
end

-- ---- what follows from it ------------------------------------------------------------------------------------------
-- Of a multiprocessor: threads, registers, bytes of shared memory, blocks.
local MACHINE = {
  sm_80 = { threads = 2048, registers = 65536, shared = 164 << 10, blocks = 32 },
  sm_90 = { threads = 2048, registers = 65536, shared = 228 << 10, blocks = 32 },
}

--- The part of a multiprocessor's threads that a kernel's blocks of `threads` fill.
function M.occupancy(kernel, threads)
  local m = MACHINE[kernel.arch]
  local warp_registers = (kernel.registers * 32 + 255) // 256 * 256
  local warps = (threads + 31) // 32
  local blocks = math.min(m.blocks, m.threads // threads, m.registers // (warp_registers * warps),
    m.shared // (kernel.shared + 1024))
  return blocks * threads / m.threads
end

--- How many instructions of an image's kernel load and store, by width in bits: { load = { [128] = 2 }, store = .. }.
function M.moves(image, kernel)
  local tool = assert(M.tool("nvdisasm"))
  local moves, inside = { load = {}, store = {} }, false
  for line in output(("%s -c %s"):format(tool, image)):gmatch("[^\n]+") do
    local name = line:match("^%.text%.([%w_]+):")
    if name then inside = name == kernel end
    local op, words = line:match("%s([LS][DT]G)%.E([%.%w]*) ")
    if inside and op then
      local by = moves[op == "LDG" and "load" or "store"]
      local bits = tonumber(words:match("%.(%d+)$") or words:match("%.(%d+)%.")) or words:find("[US]8") and 8
        or words:find("[US]16") and 16 or 32
      by[bits] = (by[bits] or 0) + 1
    end
  end
  return moves
end

--- The widest load of a kernel, in bits.
function M.widest_load(image, kernel)
  local most = 0
  for bits in pairs(M.moves(image, kernel).load) do most = math.max(most, bits) end
  return most
end

return M
