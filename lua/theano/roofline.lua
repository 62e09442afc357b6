--- What a GPU would need for a call, without one: lower bounds and estimates of kernels and steps, from the schedule,
-- compiled code and the published limits of the GPU.
-- @module theano.roofline
local core = require("theano.core")
local util = require("theano.util")

local M = {}

-- ---- what NVIDIA publishes ------------------------------------------------------------------------------------------
-- memory: bytes/s; float32, float64: FLOP/s of ordinary arithmetic; tensor: of products on tensor cores (dense); clock:
-- the boost clock; per clock and multiprocessor: fp32, fp64, int, special (exp, sqrt, .. and conversions).
M.limits = {
  h100 = { name = "H100 SXM5 80 GB", arch = "sm_90", memory = 3.35e12,
    l2 = 50 << 20, multiprocessors = 132, clock = 1.98e9,
    float32 = 66.9e12, float64 = 33.5e12,
    tensor = { float64 = 66.9e12, tf32 = 494.7e12, float16 = 989.4e12, bfloat16 = 989.4e12 },
    fp32 = 128, fp64 = 64, int = 64, special = 16, threads = 2048, blocks = 32, shared = 228 << 10, link = 64e9,
    source = "NVIDIA H100 Tensor Core GPU Architecture (2022), table 3; CUDA C++ Programming Guide, arithmetic" },
  a100 = { name = "A100 SXM4 80 GB", arch = "sm_80", memory = 2.039e12,
    l2 = 40 << 20, multiprocessors = 108, clock = 1.41e9,
    float32 = 19.5e12, float64 = 9.7e12,
    tensor = { float64 = 19.5e12, tf32 = 156e12, float16 = 312e12, bfloat16 = 312e12 },
    fp32 = 64, fp64 = 32, int = 64, special = 16, threads = 2048, blocks = 32, shared = 164 << 10, link = 32e9,
    source = "NVIDIA A100 data sheet (2021), A100 Tensor Core GPU Architecture (2020), table 4" },
  rtx3090 = { name = "GeForce RTX 3090", arch = "sm_86", memory = 936e9,
    l2 = 6 << 20, multiprocessors = 82, clock = 1.695e9,
    float32 = 35.6e12, float64 = 0.556e12, tensor = { tf32 = 35.6e12, float16 = 71e12, bfloat16 = 71e12 },
    fp32 = 128, fp64 = 2, int = 64, special = 16, threads = 1536, blocks = 16, shared = 100 << 10, link = 32e9,
    source = "NVIDIA Ampere GA102 GPU Architecture (2020), table 2" },
  rtx4090 = { name = "GeForce RTX 4090", arch = "sm_89", memory = 1.008e12,
    l2 = 72 << 20, multiprocessors = 128, clock = 2.52e9,
    float32 = 82.6e12, float64 = 1.29e12, tensor = { tf32 = 82.6e12, float16 = 165.2e12, bfloat16 = 165.2e12 },
    fp32 = 128, fp64 = 2, int = 64, special = 16, threads = 1536, blocks = 24, shared = 100 << 10, link = 32e9,
    source = "NVIDIA Ada GPU Architecture (2022), table 2" },
  rtx5090 = { name = "GeForce RTX 5090", arch = "sm_120", memory = 1.792e12,
    l2 = 96 << 20, multiprocessors = 170, clock = 2.407e9,
    float32 = 104.8e12, float64 = 1.64e12, tensor = { tf32 = 104.8e12, float16 = 209.5e12, bfloat16 = 209.5e12 },
    fp32 = 128, fp64 = 2, int = 128, special = 16, threads = 1536, blocks = 24, shared = 100 << 10, link = 64e9,
    source = "NVIDIA RTX Blackwell GPU Architecture (2025), table 2" },
}

-- The H200 is an H100 with more memory, and faster.
M.limits.h200 = setmetatable({ name = "H200 SXM 141 GB", memory = 4.8e12,
  source = "NVIDIA H200 data sheet (2024); arithmetic as of H100" }, { __index = M.limits.h100 })

-- What nobody publishes, and estimates (never bounds) take: shares of the limits that good kernels reach, and times.
M.assumed = {
  memory = 0.92,   -- of the memory's bandwidth that a copy reaches
  issue = 0.8,     -- of the instructions
  warps = 16,      -- of a multiprocessor that keep it busy: four schedulers, four cycles from one to the next
  product = 0.85,  -- of a library's products, where all multiprocessors have a tile of the first kind..
  tiles = { { 128, 128, 1 }, { 128, 64, 0.9 }, { 64, 128, 0.9 }, { 64, 64, 0.8 }, { 128, 32, 0.7 }, { 32, 128, 0.7 },
    { 32, 32, 0.5 } },
  terms = 128,      -- ..whose sums it cuts in parts of so many terms at least, a tile of each for a multiprocessor..
  parts = 32 << 20, -- ..with so much memory for them
  tile = 0.5,      -- of ours
  attention = 0.35, -- of halves by attention in one kernel, ours or a peer's (docs/cuda.md has the source)
  place = 16,      -- instructions of a window's place, of gradients that are their sums: 23 of a row inside
  l2 = 2.5, -- times the memory's bandwidth, what the second cache gives
  latency = 0.7e-6, -- seconds from a load to its value, under load
  kernel = 1.3e-6, -- from one kernel of a graph to the next..
  join = 1.7e-6,   -- ..that waits for another one than that before it, or for several
  launch = 2.6e-6, -- of one that is launched alone
  -- until blocks of a launch that wait for each other have seen that all are there: three ways to the second cache (of
  -- what they wrote, of their count, of a look at it), and for each of them its part of..
  crowd = 0.3e-6, -- ..what as many as an H100's multiprocessors take to count: 1.2 us then
  asking = 0.05e-6, -- ..more where its look stands behind what its block asked for: 100 cycles
  chain = 4, -- cycles from a term of a sum to the next
  near = 0.3e-6, -- seconds from a load to its value in the second cache
  late = 30, -- cycles until shared memory, constants and the units for special functions answer (Luo and others,
             -- Dissecting the NVIDIA Hopper Architecture through Microbenchmarking, 2024: 29 of shared memory)
  call = 6e-6,     -- of a call: its graph's launch, the argument's copy begun, the cost awaited
}

-- ---- compiled code --------------------------------------------------------------------------------------------------
-- Opcodes of sm_70 and later (the low nine bits of an instruction of 16 bytes), by what they keep busy.
local PIPE, CLASS = {}, {
  fp64 = { 0x28, 0x29, 0x2a, 0x2b },
  special = { 0x105, 0x106, 0x108, 0x110, 0x111, 0x112 },
  fp32 = { 0x20, 0x21, 0x23 }, imad = { 0x24, 0x25, 0x27, 0x35 }, -- both by the units for fused multiply-adds
  load = { 0x180, 0x181 }, store = { 0x185, 0x186 }, shared = { 0x184, 0x188 }, shuffle = { 0x189 },
  tensor = { 0x3c }, barrier = { 0x11d }, fence = { 0x192 }, branch = { 0x147 }, nothing = { 0x118 }, exit = { 0x14d },
  -- constants, special registers, where threads of a warp part and meet, calls: no unit for whole numbers
  other = { 0x182, 0x119, 0x1c2, 0x1c3, 0x140, 0x141, 0x142, 0x143, 0x144, 0x145, 0x146, 0x148, 0x149, 0x150 },
}
for class, codes in pairs(CLASS) do
  for _, code in ipairs(codes) do PIPE[code] = class end
end
for code = 0x80, 0xbf do PIPE[code] = "uniform" end -- what a warp computes once, beside the others

local function u64(image, at) return (string.unpack("<I8", image, at + 1)) end
local function u32(image, at) return (string.unpack("<I4", image, at + 1)) end

--- Of an image, the code of each kernel by its name.
function M.code_of(image)
  local table_at, size, n, names = u64(image, 0x28), string.unpack("<I2I2I2", image, 0x3a + 1)
  local names_at, code = u64(image, table_at + names * size + 0x18), {}
  for i = 0, n - 1 do
    local head = table_at + i * size
    local name = string.unpack("z", image, names_at + u32(image, head) + 1):match("^%.text%.(.+)$")
    local from, bytes = u64(image, head + 0x18), u64(image, head + 0x20)
    if name then code[name] = image:sub(from + 1, from + bytes) end
  end
  return code
end

-- Instructions of a kernel in order: what each keeps busy, how wide it loads, where it jumps.
-- leaves: what stands behind where a thread ends for certain is another way, not one that ours take now and then.
local function instructions(code, leaves)
  local list = {}
  for at = 0, #code - 16, 16 do
    local low, high = string.unpack("<I8I8", code, at + 1)
    local class = PIPE[low & 0x1ff] or "int"
    local one = { class = class }
    if class == "load" or class == "store" then one.bits = ({ [4] = 32, [5] = 64, [6] = 128 })[high >> 9 & 7] or 8 end
    one.always = low >> 12 & 15 == 7
    -- what the compiler wrote beside it: cycles to the next one, the counter it raises, those that must be down before
    one.stall, one.raises, one.awaits = high >> 41 & 15, high >> 46 & 7, high >> 52 & 63
    one.ends = leaves and class == "exit" and one.always
    if class == "branch" then
      local far = low >> 34
      if far >> 29 & 1 == 1 then far = far - (1 << 30) end
      one.to = at // 16 + 1 + ((far << 8 | low >> 16 & 0xff) * 4) // 16
    end
    list[#list + 1] = one
  end
  while #list > 0 and list[#list].class == "nothing" do list[#list] = nil end
  return list
end

-- The way from one instruction to another that a thread takes where all goes well: of those that a branch forward
-- parts, that which moves most by 16 bytes; of equals, the longest. alone: blocks share nothing, and no fence is on it.
local function way(list, from, to, skip)
  local wide, length, on = { [to + 1] = 0 }, { [to + 1] = 0 }, {}
  for i = to, from, -1 do
    local one = list[i]
    local target = one.to and one.to + 1
    local jumps = target and target > i and target <= to + 1
    local best = one.ends and to + 1 or not (jumps and one.always) and i + 1 or target
    if jumps and (wide[target] > wide[best] or (wide[target] == wide[best] and length[target] > length[best])) then
      best = target
    end
    local own = not (skip and skip[i])
    wide[i], length[i] = wide[best] + (own and one.bits == 128 and 1 or 0), length[best] + (own and 1 or 0)
    if list.alone and one.class == "fence" then wide[i] = wide[i] - #list end
    on[i] = best
  end
  return on
end

-- Cycles of one warp that is alone, from a kernel's first instruction to its last, each loop gone through once: what
-- stands between two instructions by the code itself, and the time until what comes late is there (counters).
local function alone(list, clock)
  local a, on, t, there, i = M.assumed, way(list, 1, #list), 0, {}, 1
  while i <= #list do
    local one = list[i]
    for c = 0, 5 do
      if one.awaits >> c & 1 == 1 then t = math.max(t, there[c] or 0) end
    end
    local late = one.class == "load" and a.near * clock or a.late
    if one.raises < 6 then there[one.raises] = math.max(there[one.raises] or 0, t + late) end
    t = t + math.max(1, one.stall)
    i = on[i]
  end
  return t
end

-- How many of each class stand on the way through a loop, or outside of loops, and in each loop that has none inside. A
-- backward jump is a loop; what jumps to itself behind the end is none.
local function count(list, from, to, skip)
  local n, on, i = { all = 0 }, way(list, from, to, skip), from
  while i <= to do
    if not (skip and skip[i]) then
      local class = list[i].class
      n[class], n.all = (n[class] or 0) + 1, n.all + 1
      if class == "load" then
        n.wide = (n.wide or 0) + (list[i].bits == 128 and 1 or 0)
        n.widest, n.flight = math.max(n.widest or 0, list[i].bits), (n.flight or 0) + list[i].bits / 8
      end
    end
    i = on[i]
  end
  return n
end

local function count_all(list) return count(list, 1, #list) end

local function loops_of(list)
  local loops, covered = {}, {}
  for i, one in ipairs(list) do
    if one.to and one.to >= 0 and one.to + 1 < i then loops[#loops + 1] = { one.to + 1, i } end
  end
  local outer, inner = {}, {}
  for _, l in ipairs(loops) do
    local has, within = false, false
    for _, o in ipairs(loops) do
      if o ~= l and o[1] >= l[1] and o[2] <= l[2] then has = true end
      if o ~= l and o[1] <= l[1] and o[2] >= l[2] then within = true end
    end
    if not within then outer[#outer + 1] = l end
    if not has then inner[#inner + 1] = l end
  end
  for _, l in ipairs(outer) do for i = l[1], l[2] do covered[i] = true end end
  return outer, inner, covered
end

-- How often a loop was written out: so many loads as it has for one element's, or for some neighbours'.
local function written_out(n, launch)
  local loads = launch.kind == "draw" and (n.store or 0)
    or launch.wide > 0 and n.wide and n.wide > 0 and n.wide / launch.wide or (n.load or 0) / launch.loads
  return math.max(1, (launch.loads > 0 or launch.kind == "draw") and loads or 1)
end

-- What one thread issues: outside of loops once, the loop over its points `turns` times, each innermost one `inside`
-- times in each. Behind a loop that was written out several times the same again is what it leaves over. A draw's
-- numbers come from the loop that stores them.
local NOT_COUNTS = { widest = true, flight = true, wide = true }
local function issued(list, launch)
  list.alone = launch.parts == 1
  local outer, inner, covered = loops_of(list)
  local whole, sum, main = count(list, 1, #list), count(list, 1, #list, covered), nil
  local function add(n, times)
    for class, k in pairs(n) do
      if not NOT_COUNTS[class] then sum[class] = (sum[class] or 0) + k * times end
    end
  end
  for _, l in ipairs(outer) do
    if not main or l[2] - l[1] > main[2] - main[1] then main = l end
  end
  sum.widest, sum.flight = whole.widest, whole.flight
  if not main then return sum end
  sum.flight = count(list, main[1], main[2]).flight
  local deep, most, before = {}, nil, nil
  for _, l in ipairs(inner) do
    if l ~= main and l[1] >= main[1] and l[2] <= main[2] then
      for i = l[1], l[2] do deep[i] = true end
      local n = count(list, l[1], l[2])
      local times = written_out(n, launch)
      local less = times == 1 or launch.kind == "draw" -- pairs store twice
      local rest = before and before.times > times and less and n.all < 2 * before.n.all * times / before.times
      local wanted = launch.kind ~= "draw" or n.store
      if not rest and wanted then
        add(n, launch.turns * launch.inside / times)
        if (n.flight or 0) > (most or 0) then most = n.flight end
      end
      before = { n = n, times = times }
    end
  end
  add(count(list, main[1], main[2], deep), launch.turns)
  sum.flight = most or sum.flight
  return sum
end

local function registers_of(log)
  local all, name = {}, nil
  for line in log:gmatch("[^\n]+") do
    name = line:match("Compiling entry function '([%w_]+)'") or name
    if name then
      local one = all[name] or { registers = 0, shared = 0, spilled = 0 }
      all[name] = one
      local stores, loads = line:match("(%d+) bytes spill stores, (%d+) bytes spill loads")
      if stores then one.spilled = tonumber(stores) + tonumber(loads) end
      local registers = line:match("Used (%d+) registers")
      if registers then
        one.registers = math.tointeger(registers)
        one.shared = math.tointeger(line:match("(%d+) bytes smem") or 0)
      end
    end
  end
  return all
end

--- The part of a multiprocessor's threads that blocks fill.
function M.occupancy(limits, registers, shared, threads)
  local warps = (threads + 31) // 32
  local own = (math.max(registers, 16) * 32 + 255) // 256 * 256
  local blocks = math.min(limits.blocks, limits.threads // (warps * 32), 65536 // (own * warps),
    limits.shared // (shared + 1024))
  return blocks * warps * 32 / limits.threads
end

-- ---- one launch -----------------------------------------------------------------------------------------------------
local function ceil(x) return math.ceil(x - 1e-9) end
local function rows(n, by) return ceil(n / by) end

-- FLOP/s of a product of this dtype.
local function product_limit(limits, dtype, library)
  local cores = library or dtype:find("float16")
  if library and dtype == "float32" then
    return require("theano.config").allow_tf32 and limits.tensor.tf32 or limits.float32
  end
  return cores and limits.tensor[dtype] or dtype:find("64$") and limits.float64 or limits.float32
end

-- Seconds that its instructions take, all multiprocessors at work: their issue; the units of which most is asked.
-- Whole numbers are multiplied where floats are, at the rate of the other ones (Nsight Compute, Pipelines).
local function issue_times(limits, k)
  local n, every = k.issued, limits.multiprocessors * limits.clock
  local threads = k.blocks * k.threads
  local imad = n.imad or 0
  return threads / every * n.all / 128, threads / every * math.max((n.fp64 or 0) / limits.fp64,
    (n.special or 0) / limits.special, ((n.fp32 or 0) + imad) / limits.fp32, imad / limits.int,
    (n.int or 0) / limits.int)
end

-- The part of the GPU that its blocks use: the multiprocessor that has most of them runs so many at once, and at its
-- end a rest. few: warps may be too few to issue an instruction at each clock.
local function filled(limits, k, few)
  local at_once = math.max(1, math.floor(k.occupancy * limits.threads / math.max(32, k.threads) + 1e-9))
  local each, most = k.blocks / limits.multiprocessors, ceil(k.blocks / limits.multiprocessors)
  local function took(blocks)
    return few and blocks / math.min(1, blocks * rows(k.threads, 32) / M.assumed.warps) or blocks
  end
  return each / (most // at_once * took(at_once) + (most % at_once > 0 and took(most % at_once) or 0))
end

-- At least; as the blocks share the multiprocessors, where few warps issue slowly, whatever units they keep busy.
local function issue_time(limits, k)
  local issue, units = issue_times(limits, k)
  local share = M.assumed.issue
  return math.max(issue, units), math.max(issue / filled(limits, k, true), units / filled(limits, k)) / share
end

-- Bytes a second that come while so many threads wait for so much (Little's law): all loads of the loop that has most.
local function in_flight(limits, k)
  local most = 64
  local threads = math.min(k.blocks * k.threads, limits.multiprocessors * k.occupancy * limits.threads)
  return threads * math.min(most, k.issued and k.issued.flight or 16) / M.assumed.latency
end

-- Waits before a step of such a loop. Where its rows say themselves that they are there, the look that finds them loads
-- them too, so that is no wait beside the first slice's way: what was written is on its way, and half a look came too
-- early.
local function waits(k)
  local a = M.assumed
  if k.told then return 1.5 * a.near end
  return k.waits * (3 * a.near + a.crowd * k.among / M.limits.h100.multiprocessors)
end

-- Slices of a product, each multiplied so long, the last one not longer, that move so long, the first two as long as
-- that: two are on their way while one is multiplied.
local function two_ahead(slices, each, moves, first, last)
  local arrives, start, before = 0, -each, 0
  for i = 1, slices do
    local moving = i > 2 and moves or first
    -- it was asked for when the one before that before it began
    arrives = math.max(arrives + moving, before + M.assumed.near + moving)
    start, before = math.max(start + each, arrives), math.max(start, 0)
  end
  return start + (last or each)
end

-- ..of which the columns of the first two are on their way while the block waits: what the wait does not hide comes on
-- top, and so does what asking for them keeps its own look at the count back.
local function two_early(k, moves, high, across, slices, took)
  if not k.early or (k.waits == 0 and not k.told) then return took(moves) end
  local cols = moves * across / (high + across)
  local beside = math.min(2, slices) * cols
  local until_rows = waits(k) + (k.told and M.assumed.near or 0) -- the look that finds them is on its way beside them
  return took(moves - cols) + math.max(0, M.assumed.near + beside - until_rows) + M.assumed.asking
end

-- A product by thin tiles: each slice comes from the second cache while that before it is multiplied, whose operands
-- come by 16 bytes from shared memory: for four terms of a warp's threads a wavefront for rows and one for each of
-- their columns, eight warps; and terms of a sum wait for each other. Several blocks of a multiprocessor share its
-- shared memory, and hide each other's ways. ahead: two slices are on their way, in the turns of a loop to tiles of 16
-- by 32, elsewhere to those of 16 by 16. All of a slice is multiplied, but outside of turns what the last one has, 16
-- terms at a time, whose operands nothing hides the way of: half as long again.
local function thin(limits, k)
  local a, together = M.assumed, math.max(1, math.floor(k.occupancy * limits.threads / k.threads + 1e-9))
  local wide, high, across, deep = k.dtype:find("64") and 2 or 1, table.unpack(k.tile)
  local all = k.tiles or k.matrices * rows(k.m, high) * rows(k.n, across)
  local blocks, slices, terms = rows(all, limits.multiprocessors), rows(k.k, deep), math.min(k.k, deep)
  local term = wide * math.max(a.chain, 8 * (1 + across / 16) / 4) / limits.clock
  local each, rest = deep * term, k.k - (slices - 1) * deep
  local last = (k.turns_of or rest == deep) and each or math.min(each, 1.5 * 16 * rows(rest, 16) * term)
  local function wave(n)
    local bytes = math.min(all, n * limits.multiprocessors) * (high + across) * terms * 4 * wide
    local near = a.near + bytes / limits.memory / a.l2
    if n == 0 then return 0 end
    if k.ahead or k.turns_of and across == 32 then
      local moves = bytes / limits.memory / a.l2
      return two_early(k, moves, high, across, slices, function(first)
        return two_ahead(slices, n * each, moves, first, n * last)
      end)
    end
    -- rows that say themselves that they are there are looked at before anything is multiplied beside
    return near + (slices - 1) * (k.told and near + n * each or math.max(near, n * each)) + n * last
  end
  return blocks // together * wave(together) + wave(blocks % together)
end

-- A product of a library, ours or a peer's: the best of its tiles, as whole waves of them, and of the parts into which
-- it cuts sums that give few tiles. Each part of a sum is written and read once more, by one more kernel. And how much
-- of it nothing else can run beside: multiprocessors that a last wave leaves idle have room for
-- others; no other product, but for what parts move.
local function by_library(limits, k, limit)
  local a, best, busy, computes = M.assumed, math.huge, nil, nil
  local sums = k.matrices * k.m * k.n * (k.dtype:find("64") and 8 or 4)
  for _, tile in ipairs(a.tiles) do
    local tiles = k.matrices * rows(k.m, tile[1]) * rows(k.n, tile[2])
    for parts = 1, math.max(1, limits.multiprocessors // tiles) do
      local fit = parts == 1 or (k.k / parts >= a.terms and parts * sums <= a.parts)
      local waves = rows(tiles * parts, limits.multiprocessors)
      local one = 2 * tile[1] * tile[2] * rows(k.k, parts) * limits.multiprocessors / limit / a.product / tile[3]
      local more = parts > 1 and 2 * parts * sums / limits.memory / a.memory + a.kernel or 0
      if fit and waves * one + more < best then
        best, computes = waves * one + more, tiles * parts / limits.multiprocessors * one
        busy = computes + more
      end
    end
  end
  return best, busy, computes
end

-- ..whose sums are those of quarters: four groups of two warps, each with its quarter of the terms, a thread with two
-- rows and two columns, so that four terms of a warp's threads are four wavefronts and 16 instructions. Two slices are
-- on their way while one is multiplied.
local function by_quarters(limits, k)
  local a, wide, deep = M.assumed, k.dtype:find("64") and 2 or 1, k.tile[3] // 4
  local all = k.tiles or k.matrices * rows(k.m, k.tile[1]) * rows(k.n, k.tile[2])
  local quarter = rows(k.k, 4 * k.quarter) * k.quarter
  local busy, slices, most = rows(k.k, quarter), quarter // deep, rows(all, limits.multiprocessors)
  local each = most * deep * wide * math.max(a.chain, 2 * busy) / limits.clock
  local bytes = math.min(all, most * limits.multiprocessors) * (k.tile[1] + k.tile[2]) * deep * busy * 4 * wide
  local moves = bytes / limits.memory / a.l2
  return two_early(k, moves, k.tile[1], k.tile[2], slices, function(first)
    return two_ahead(slices, each, moves, first)
  end)
end

local function product(limits, k)
  local a, flops = M.assumed, 2 * k.matrices * k.m * k.n * k.k
  local limit = product_limit(limits, k.dtype, k.library)
  k.flops = math.max(k.flops, flops)
  k.lower = math.max(k.lower, flops / limit)
  local waste = math.min(8, ceil(k.blocks / limits.multiprocessors) * limits.multiprocessors / k.blocks)
  local took, busy, computes = flops / limit / a.tile * waste, flops / limit / a.tile, nil
  if k.library then took, busy, computes = by_library(limits, k, limit) end
  k.busy, k.computes = math.max(k.busy, busy), computes or busy
  k.estimate = math.max(k.bytes / limits.memory / a.memory, took)
  if k.tile then
    local quarters = k.quarter and k.k > k.quarter and k.k * (k.dtype:find("64") and 8 or 4) % 16 == 0
    k.estimate = math.max(k.bytes / limits.memory / a.memory, (quarters and by_quarters or thin)(limits, k))
  end
  k.by = k.library and "library" or "tiles"
  if k.windows then -- a kernel that sums them stands behind the product, which writes them
    local bytes = k.windows * (k.dtype:find("64") and 8 or 4)
    local write = bytes / limits.memory / a.memory
    local issue = k.places * a.place / 128 / limits.multiprocessors / limits.clock / a.issue
    k.launches, k.bytes = k.behind and 3 or 2, k.bytes + 2 * bytes
    k.estimate = math.max(k.estimate, write) + a.kernel + math.max(write + k.written / limits.memory / a.memory, issue)
    k.busy, k.computes = k.busy + issue, k.computes + issue
  end
  if k.behind then k.estimate = k.estimate + a.kernel + 2 * k.written / limits.memory / a.memory end
end

local function attention_share(dtype) return dtype:find("float16") and M.assumed.attention or M.assumed.tile end

-- By tiles of ours; kernels before and behind the products, which wait for each other, move bytes `aside`.
local function attention(limits, k)
  local a, limit = M.assumed, product_limit(limits, k.dtype)
  k.flops, k.limit, k.by = k.products, "arithmetic", "tiles"
  k.bytes = k.bytes + k.extra
  k.lower = math.max(k.bytes / limits.memory, k.products / limit)
  local near = math.max(k.bytes - k.aside, k.moved / a.l2) / limits.memory / a.memory
  k.estimate = math.max(near, k.products / limit / attention_share(k.dtype))
    + k.aside / limits.memory / a.memory + (k.launches - 1) * a.kernel
  k.busy, k.computes = k.estimate, k.estimate
end

-- In a loop that is one launch there are as many blocks as run at once: where a step has more, they go around.
local function go_around(limits, k)
  local most = limits.multiprocessors * math.max(1, math.floor(k.occupancy * limits.threads / k.threads + 1e-9))
  if k.blocks > most then k.blocks, k.turns = most, rows(k.blocks * k.turns, most) end
end

-- Lower bound and estimate of one turn of a step, without the way to the next one.
local function judge(limits, k, image)
  local a = M.assumed
  k.lower = (k.bytes or 0) / limits.memory
  k.estimate = k.lower / a.memory
  -- what it keeps from others, however few blocks it has: of all, of the units that compute, of memory
  k.limit, k.busy, k.computes, k.moves = "memory", k.estimate, 0, k.estimate
  if not k.kernel then
    k.by = "bytes"
    if k.kind == "copy" and k.bytes then -- a thread for 16 bytes, which are on their way at once
      local waiting = math.min(k.bytes / 2, limits.multiprocessors * limits.threads * 16)
      k.estimate = math.max(k.estimate, k.bytes / waiting * a.latency)
    end
    if k.products then attention(limits, k) end
    return
  end
  local own = image and image.registers[k.turns_of and "turns_" .. k.turns_of or k.kernel]
  k.registers, k.spilled = own and own.registers, own and own.spilled
  k.occupancy = M.occupancy(limits, own and own.registers or 32, k.shared + (own and own.shared or 0), k.threads)
  k.coalesced = k.moved > 0 and math.min(1, k.bytes / k.moved) or 1
  local code = image and image.code[k.part or k.kernel]
  if k.turns_of and not k.m then go_around(limits, k) end
  if k.m then
    k.tensor = code and not k.library and (count_all(instructions(code)).tensor or 0) or nil
    product(limits, k)
    k.limit = k.lower > k.bytes / limits.memory and "arithmetic" or "memory"
    return
  end
  local memory = math.max(k.estimate, k.moved / limits.memory / a.memory / a.l2)
  local issue, shared
  if code then
    k.issued, k.by = issued(instructions(code), k), "sass"
    issue, shared = issue_time(limits, k)
  else
    issue, k.by = k.flops / limits.float32, "schedule"
    shared = issue / a.issue / filled(limits, k, true)
  end
  k.lower = math.max(k.lower, issue)
  -- what was asked for before the blocks waited has had that long to come
  local asked = k.part and k.part:find("near")
  if not asked then memory = math.max(memory, (k.bytes - (k.part and k.written or 0)) / in_flight(limits, k)) end
  k.busy, k.computes = math.max(k.estimate, issue / a.issue), issue / a.issue
  issue = shared
  if k.part and code then -- a warp of each scheduler at most, so nobody hides its ways
    k.alone = alone(instructions(code), limits.clock)
    local asks = k.asks and image.code[k.asks] -- ..after all blocks were told that this one has come
    if asks then k.alone = k.alone + alone(instructions(asks), limits.clock) end
    issue = math.max(issue_times(limits, k), k.alone / limits.clock)
  end
  if k.kind == "serial" then issue = (k.flops + k.bytes / 4) * 20 / limits.clock end
  k.estimate = math.max(memory, issue)
  k.limit = issue > memory and "instructions" or "memory"
end

--- Another's kernel by the same reckoning, from its code: { blocks =, threads =, turns = of its largest loop, bytes =
-- that it must move }, all multiprocessors full. Gives { issued =, memory = seconds, estimate = seconds }.
function M.foreign(gpu, code, launch)
  local limits, a = M.limits[gpu], M.assumed
  local k = { kind = "draw", inside = 1, wide = 0, loads = 1, occupancy = 1, blocks = launch.blocks,
    threads = launch.threads, turns = launch.turns }
  k.issued = issued(instructions(code, true), k)
  local memory = launch.bytes / limits.memory / a.memory
  local _, issue = issue_time(limits, k)
  return { issued = k.issued, memory = memory, estimate = math.max(memory, issue) }
end

--- A peer's operations by the same reckoning, as `bench/gpu/peers.py --count` tells them, launched one behind the
-- other: seconds.
function M.peer(gpu, ops)
  local limits, a, all = M.limits[gpu], M.assumed, 0
  for _, op in ipairs(ops) do
    local took, rest = op.bytes / limits.memory / a.memory, op.flops
    local products = 0
    for _, p in ipairs(op.products) do
      local k = { dtype = op.dtype, matrices = p[1], m = p[2], n = p[3], k = p[4] }
      products = products + (by_library(limits, k, product_limit(limits, op.dtype, true)))
      rest = rest - 2 * p[1] * p[2] * p[3] * p[4]
    end
    local limit = op.flops > 0 and product_limit(limits, op.dtype, true)
    local share = op.op and op.op:find("attention") and attention_share(op.dtype) or a.product
    all = all + math.max(took, products + (limit and rest / limit / share or 0)) + a.kernel
  end
  return all
end

-- ---- a function -----------------------------------------------------------------------------------------------------
local function image_of(f, arch)
  local image, log = core.function_cubin(f, arch)
  return image and { code = M.code_of(image), registers = registers_of(log) }
end

-- When all launches of a graph are done: each begins when those that it waits for are, and all together do not move
-- bytes and issue instructions faster than the GPU can, nor all that begin from one on either of both. Steps that are
-- one launch are one here.
local function side_by_side(launched)
  local a, done, latest, begun, before = M.assumed, {}, 0, {}, nil
  local most = {} -- by step: when all up to it are done
  for _, k in ipairs(launched) do
    local start = 0
    if k.joined and before then
      done[before] = done[before] + k.took
      done[k.step] = done[before]
      start = begun[#begun].start
    else
      local straight = true
      for _, step in ipairs(k.after) do
        if done[step] then start, straight = math.max(start, done[step]), straight and step == before end
      end
      for step = k.behind_all, 0, -1 do
        if most[step] then
          start, straight = math.max(start, most[step]), false
          break
        end
      end
      if #k.after > 1 then straight = false end
      start = start + (straight and a.kernel or a.join)
      done[k.step], before = start + k.took, k.step
    end
    local times = k.turns_of and k.runs or 1
    local computes = k.computes * times
    begun[#begun + 1] = { start = start, k.busy * times, computes, k.moves * times,
      math.max(0, k.took - computes) }
    latest = math.max(latest, done[before])
    most[k.step] = latest
  end
  table.sort(begun, function(x, y) return x.start > y.start end)
  local busy, computes, moves, rest = 0, 0, 0, math.huge -- rest: what the last one is beside computing, at least
  for _, one in ipairs(begun) do
    busy, computes, moves = busy + one[1], computes + one[2], moves + one[3]
    rest = math.min(rest, one[4])
    latest = math.max(latest, one.start + math.max(computes + rest, moves))
  end
  return math.max(latest, busy)
end

local function compute(d, limits, image)
  local a = M.assumed
  local out = { gpu = limits.name, arch = limits.arch, source = limits.source, compiled = image ~= nil, kernels = {},
    graph = d.graph, launches = 0, bytes = 0, flops = 0, lower = 0, estimate = a.call, host = 0, over = 0, back = 0 }
  for _, t in ipairs(d.transfers) do
    local to = t.to == "device" and "over" or "back"
    out[to] = out[to] + (t.bytes or 0)
  end
  local gap, launched, loops, first = d.graph and a.kernel or a.launch, {}, false, {}
  for _, k in ipairs(d.steps) do
    -- a loop's launch is that of its first step, which may have nothing to do itself
    if k.turns_of and not k.joined then first[k.turns_of] = { k.step, k.after, k.behind_all } end
    if k.side == "device" and (k.blocks or 1) > 0 and (k.runs or 1) > 0 then
      local runs, loop = k.runs or 1, k.turns_of
      k.line = k.places
      if loop and first[loop] then
        k.joined, k.step, k.after, k.behind_all = nil, table.unpack(first[loop], 1, 3)
        first[loop] = nil
      end
      judge(limits, k, image)
      out.kernels[#out.kernels + 1] = k
      -- of a loop that is one launch: each of its steps in each turn, waits between them, and the launch, and its count
      -- of blocks set to 0 before
      local launches = k.joined and 0 or loop and 2 * (k.loops or 1) or runs * (k.launches or k.behind and 2 or 1)
      out.launches = out.launches + launches
      out.bytes, out.flops = out.bytes + runs * (k.bytes or 0), out.flops + runs * (k.flops or 0)
      out.lower = out.lower + runs * k.lower
      loops = loops or (runs ~= 1 and not loop) or not k.after
      -- what says that it is there is none before the launch: bytes set like the count
      local set = k.told and runs * k.m * k.k * (k.dtype:find("64") and 8 or 4) or 0
      out.bytes, out.lower = out.bytes + set, out.lower + set / limits.memory
      set = set / limits.memory / a.memory
      k.took = loop and set + runs * (k.estimate + waits(k)) + (launches > 0 and gap or 0) or k.estimate
      launched[#launched + 1] = k
      if loop then out.estimate = out.estimate + set + runs * (k.estimate + waits(k)) + launches * gap
      else out.estimate = out.estimate + runs * (k.estimate + (k.joined and 0 or gap)) end
    elseif k.side == "host" then
      out.host = out.host + 1
      out.kernels[#out.kernels + 1] = k
    end
  end
  out.parallel = not loops and out.graph and #launched > 0
  if out.parallel then out.estimate = a.call + math.min(out.estimate - a.call, side_by_side(launched)) end
  out.estimate = out.estimate + (out.over + out.back) / limits.link
  return out
end

-- ---- as a text ------------------------------------------------------------------------------------------------------
local function unit(x, units, by)
  local i = 1
  while x >= by and i < #units do x, i = x / by, i + 1 end
  return util.format(x >= 100 and "%.0f %s" or x >= 10 and "%.1f %s" or "%.2f %s", x, units[i])
end
local function bytes_text(n)
  return n < 1000 and ("%d B"):format(n) or unit(n / 1000, { "KB", "MB", "GB", "TB" }, 1000)
end
local function time_text(s)
  return s < 1e-3 and util.format("%.2f us", s * 1e6) or util.format("%.3f ms", s * 1e3)
end

local function line_of(k)
  local where = k.line and k.line ~= "" and "  " .. k.line or ""
  local what = (k.kernel or k.kind) .. (k.library and " (" .. k.library .. ")" or "")
  local runs = k.joined and "+ " or k.runs == 1 and "" or k.runs and ("%d x "):format(k.runs) or "? x "
  if k.side == "host" then return ("  %-34s on the host: %s%s"):format(runs .. what, k.title or "", where) end
  local grid = k.blocks and ("%d x %d"):format(k.blocks, k.threads) or "-"
  return ("  %-22s %-8s %12s %4s %5s %9s %5s %11s %11s %-12s %s%s"):format(runs .. what, k.kind, grid,
    k.registers or "-", k.occupancy and util.format("%.0f %%", 100 * k.occupancy) or "-", bytes_text(k.bytes or 0),
    k.coalesced and util.format("%.0f %%", 100 * k.coalesced) or "-", time_text(k.lower), time_text(k.estimate),
    k.limit, k.title or "", where)
end

local function text(r)
  local out = { ("roofline on %s (%s): %s"):format(r.gpu, r.arch,
    r.compiled and "registers and instructions of the compiled code"
      or (r.asked and "no NVRTC here: " or "") .. "from the schedule alone") }
  out[2] = ("  %-22s %-8s %12s %4s %5s %9s %5s %11s %11s %s"):format("kernel", "kind", "grid", "regs", "full",
    "bytes", "used", "at least", "estimate", "limit")
  for _, k in ipairs(r.kernels) do out[#out + 1] = line_of(k) end
  local how = (r.parallel and " side by side" or "") .. (r.graph and " as one graph" or "")
  out[#out + 1] = ("a call: %d launches%s, %s, %s; %s over, %s back%s"):format(r.launches,
    how, bytes_text(r.bytes), unit(r.flops / 1e6, { "MFLOP", "GFLOP", "TFLOP" }, 1000),
    bytes_text(r.over), bytes_text(r.back), r.host > 0 and (", %d steps on the host"):format(r.host) or "")
  out[#out + 1] = ("at least %s, estimate %s"):format(time_text(r.lower), time_text(r.estimate))
  return table.concat(out, "\n") .. "\n"
end

local META = { __tostring = text }

--- theano.printing.roofline.
function M.roofline(f, gpu, options)
  local fn = util.function_of(f)
  if not fn then util.raise("TypeError", "roofline takes a compiled function, got %s", util.kind_of(f)) end
  util.check_type("roofline", "the GPU", gpu, "string")
  if options ~= nil then util.check_keywords("roofline", options, { compile = "boolean" }) end
  local limits = M.limits[(gpu or "h100"):lower():gsub("[ _-]", "")]
  if not limits then
    local names = {}
    for name in pairs(M.limits) do names[#names + 1] = name end
    table.sort(names)
    util.raise("ValueError", "roofline: there is no GPU \"%s\" here: %s", gpu, table.concat(names, ", "))
  end
  local d = require("theano.json").decode(core.function_launches(fn))
  local asked = not options or options.compile ~= false
  local image = asked and image_of(fn, limits.arch) or nil
  local r = compute(d, limits, image)
  r.asked = asked
  return setmetatable(r, META)
end

return M
