--- The parts of a profile's summary that go beyond times: operations a second, bytes a second and how near a step is to
-- what the machine can do, memory, rewriting.
-- @module theano.profile_text
local core = require("theano.core")
local util = require("theano.util")

local M = {}

-- ---- what the machine can do ----------------------------------------------------------------------------------------
local peaks -- { flops = by dtype, bytes = a second }, once they are measured

local function best(f, turns, ...)
  local least
  require("theano.profile").hush(f)
  f(...)
  for _ = 1, turns do
    local before = f.profile.steps
    f(...)
    local after, time = f.profile.steps, 0.0
    for i, s in ipairs(after) do time = time + s.time - before[i].time end
    least = math.min(least or time, time)
  end
  return least
end

--- Operations a second of large products (by dtype) and bytes a second of a long sum of two arrays, measured once, in a
-- tenth of a second.
function M.peaks()
  if peaks then return peaks end
  local theano = require("theano")
  local T, nd = theano.tensor, theano.ndarray
  local scope <close> = theano.config.change_flags({ compute_test_value = "off" })
  local options = { mode = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" }), profile = true,
    name = "machine" }
  local found = { flops = {} }
  for dtype, n in pairs({ float32 = 640, float64 = 512 }) do
    local a, b = T.matrix("a", { dtype = dtype }), T.matrix("b", { dtype = dtype })
    local f = theano.compile({ a, b }, T.dot(a, b), options)
    found.flops[dtype] = 2.0 * n ^ 3 / best(f, 3, nd.ones({ n, n }, dtype), nd.ones({ n, n }, dtype))
  end
  local v, n = T.fvector("v"), 8000000
  found.bytes = 8.0 * n / best(theano.compile({ v }, v + v, options), 3, nd.ones({ n }, "float32"))
  peaks = scope and found
  return peaks
end

-- ---- units ----------------------------------------------------------------------------------------------------------
local function bytes_text(n)
  if not n then return "?" end
  for _, unit in ipairs({ { 1 << 30, "GB" }, { 1 << 20, "MB" }, { 1 << 10, "KB" } }) do
    if n >= 10 * unit[1] then return ("%d%s"):format(n // unit[1], unit[2]) end
  end
  return ("%dB"):format(n)
end

M.bytes_text = bytes_text

local function sorted_steps(d)
  local list, total = {}, 0.0
  for i, s in ipairs(d.steps) do
    if s.seconds and s.calls > 0 then
      list[#list + 1] = s
      s.number = i - 1
      total = total + s.seconds
    end
  end
  table.sort(list, function(a, b)
    if a.seconds ~= b.seconds then return a.seconds > b.seconds end
    return a.number < b.number
  end)
  return list, total
end

-- ---- parts ----------------------------------------------------------------------------------------------------------
--- Theano's table Ops: the same operation with the same attributes.
function M.ops(d, most)
  local by_op, list, total = {}, {}, 0.0
  for _, s in ipairs((sorted_steps(d))) do
    local last = s.nodes[#s.nodes]
    local node = last and d.nodes[last + 1]
    local name = node and node.op or s.title or s.kind
    local o = by_op[name]
    if not o then
      o = { name = name, time = 0.0, calls = 0, n = 0, kind = s.by }
      by_op[name], list[#list + 1] = o, o
    end
    o.time, o.calls, o.n, total = o.time + s.seconds, o.calls + s.calls, o.n + 1, total + s.seconds
  end
  table.sort(list, function(a, b)
    if a.time ~= b.time then return a.time > b.time end
    return a.name < b.name
  end)
  local out = { "Ops\n---\n<% time> <sum %> <apply time> <time per call> <type> <#call> <#apply> <Op name>\n" }
  local sum = 0.0
  for i, o in ipairs(list) do
    if i > most then
      out[#out + 1] = ("   ... (remaining %d Ops not shown)\n"):format(#list - most)
      break
    end
    sum = sum + o.time
    out[#out + 1] = util.format(" %5.1f%%  %5.1f%%  %9.3fs  %11.2es  %-6s %7d  %4d   %s\n", 100 * o.time / total,
      100 * sum / total, o.time, o.time / o.calls, o.kind, o.calls, o.n, o.name)
  end
  return table.concat(out) .. "\n"
end

local function dtype_of(d, step)
  local last = step.nodes[#step.nodes]
  local node = last and d.nodes[last + 1]
  return node and node.out[1].dtype
end

-- The time that the machine needs at least, and what for.
local function least_time(d, s, machine)
  local flops = s.flops and s.flops / (machine.flops[dtype_of(d, s)] or machine.flops.float64) or 0.0
  local bytes = s.bytes and s.bytes / machine.bytes or 0.0
  if flops == 0 and bytes == 0 then return nil end
  return math.max(flops, bytes), flops > bytes and "arithmetic" or "memory"
end

--- What each step reaches, beside what the machine can do; `machine`: of peaks(), or nil.
function M.kernels(d, most, machine)
  local list, total = sorted_steps(d)
  local out = { "Kernels (work at the lengths of the last call)\n-------\n" }
  out[#out + 1] = "<% time> <time per call> <GFLOP/s> <GB/s>" .. (machine and " <% of machine> <limit>     " or "")
    .. " <step> <kernel>  <nodes>\n"
  for i, s in ipairs(list) do
    if i > most then
      out[#out + 1] = ("   ... (remaining %d steps not shown)\n"):format(#list - most)
      break
    end
    local per = s.seconds / s.calls
    local function rate(n) return n and n > 0 and per > 0 and util.format("%9.2f", n / per * 1e-9) or "        -" end
    local line = util.format(" %5.1f%%   %11.2es  %s %s", 100 * s.seconds / total, per, rate(s.flops),
      rate(s.bytes):sub(3))
    if machine then
      local least, limit = least_time(d, s, machine)
      line = line .. (least and per > 0 and util.format("      %5.1f%%    %-10s", 100 * least / per, limit)
        or "          -    -         ")
    end
    out[#out + 1] = ("%s   %4d   %s  %s\n"):format(line, s.number,
      s.kernel >= 0 and ("k%-4d"):format(s.kernel) or "-    ", s.title or s.kind)
  end
  if machine then
    out[#out + 1] = util.format("The machine: %.1f GFLOP/s of float64, %.1f of float32 (products), %.1f GB/s; more "
      .. "than 100%% of memory's share comes from caches.\n", machine.flops.float64 * 1e-9,
      machine.flops.float32 * 1e-9, machine.bytes * 1e-9)
  end
  return table.concat(out) .. "\n"
end

local function overhead(d)
  if not d.calls or d.calls == 0 then return "" end
  return util.format("Overhead of a call: %.2es (arguments, results, memory; %d steps)\n\n",
    (d.call_time - d.step_time) / d.calls, #d.steps)
end
M.overhead = overhead

--- Theano's memory profile: the most that is in use, step by step, and the largest buffers.
function M.memory(d, most)
  local out = { "Memory Profile (at the lengths of the last call)\n---\n" }
  if not d.temporaries then return out[1] .. "    Known after the first call.\n\n" end
  local given, peak, at = 0, 0, 0
  for _, b in ipairs(d.buffers) do
    if b.bytes and (b.kind == "input" or b.kind == "shared" or b.kind == "constant") then given = given + b.bytes end
  end
  for s = 0, #d.steps - 1 do
    local live = 0
    for _, b in ipairs(d.buffers) do
      if b.kind == "temporary" and b.bytes and b.in_place_of < 0 and b.first <= s and b.last >= s then
        live = live + b.bytes
      end
    end
    if live > peak then peak, at = live, s end
  end
  out[#out + 1] = ("    Max peak memory with current setting\n        CPU: %s\n"):format(
    bytes_text(d.temporaries + d.results))
  out[#out + 1] = ("    Temporaries: %s (in use at once: %s, in step %d: %s), results: %s\n"):format(
    bytes_text(d.temporaries), bytes_text(peak), at, d.steps[at + 1] and d.steps[at + 1].title or "-",
    bytes_text(d.results))
  out[#out + 1] = ("    Arguments, shared variables and constants: %s\n\n"):format(bytes_text(given))
  local list = {}
  for i, b in ipairs(d.buffers) do
    if b.bytes and b.bytes > 0 then list[#list + 1], b.number = b, i - 1 end
  end
  table.sort(list, function(x, y)
    if x.bytes ~= y.bytes then return x.bytes > y.bytes end
    return x.number < y.number
  end)
  out[#out + 1] = "    <Bytes> <Shape> <kind> <steps> <Apply node>\n"
  for i, b in ipairs(list) do
    if i > most then
      out[#out + 1] = ("   ... (remaining %d buffers not shown)\n"):format(#list - most)
      break
    end
    local node = b.node >= 0 and d.nodes[b.node + 1]
    local shape = b.shape and ("(%s)"):format(table.concat(b.shape, ", ")) or "(?)"
    out[#out + 1] = ("    %10s  %s  %s%s  %s  %s\n"):format(bytes_text(b.bytes), shape, b.kind,
      b.in_place_of >= 0 and " in place" or "", b.first >= 0 and ("%d..%d"):format(b.first, b.last) or "",
      b.name or node and node.op or "")
  end
  return table.concat(out) .. "\n"
end

--- Where the time of rewriting goes, by pass and by rule: the function is rewritten once more for that.
function M.optimizer(f, most)
  local history = require("theano.json").decode(core.function_rewrites(f))
  local passes, rules, total = {}, {}, 0.0
  for _, g in ipairs(history.graphs) do
    for _, p in ipairs(g.passes) do
      local at = passes[p.name] or { name = p.name, seconds = 0.0, n = 0, position = p.position }
      at.seconds, at.n, total = at.seconds + p.seconds, at.n + #p.events, total + p.seconds
      if not passes[p.name] then
        passes[p.name] = at
        passes[#passes + 1] = at
      end
    end
    for _, r in ipairs(g.rules) do
      local at = rules[r.name] or { name = r.name, seconds = 0.0, tried = 0, fired = 0 }
      at.seconds, at.tried, at.fired = at.seconds + r.seconds, at.tried + r.tried, at.fired + r.fired
      if not rules[r.name] then
        rules[r.name] = at
        rules[#rules + 1] = at
      end
    end
  end
  local function by_time(a, b)
    if a.seconds ~= b.seconds then return a.seconds > b.seconds end
    return a.name < b.name
  end
  table.sort(passes, by_time)
  table.sort(rules, by_time)
  local out = { "Optimizer Profile\n-----------------\n", util.format("  Time in passes: %.3es\n", total),
    "<% time> <time> <#rewrites> <pass>\n" }
  for i = 1, math.min(most, #passes) do
    local p = passes[i]
    out[#out + 1] = util.format(" %5.1f%%  %9.2es  %6d  %s\n", total > 0 and 100 * p.seconds / total or 0.0,
      p.seconds, p.n, p.name)
  end
  out[#out + 1] = "<time> <#tried> <#fired> <rule>\n"
  for i = 1, math.min(most, #rules) do
    local r = rules[i]
    out[#out + 1] = util.format(" %9.2es  %7d  %6d  %s\n", r.seconds, r.tried, r.fired, r.name)
  end
  return table.concat(out) .. "\n"
end

return M
