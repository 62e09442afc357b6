--- Why a compiled function is as it is: what rewrites made of the user's expression, why steps stand apart, and what
-- would make it faster.
-- @module theano.why
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local function checked(what, f)
  local fn = util.function_of(f)
  if not fn then util.raise("TypeError", "%s takes a compiled function, got %s", what, util.kind_of(f)) end
  return fn
end

local function history_of(f) return require("theano.json").decode(core.function_rewrites(f)) end
local function description_of(f) return require("theano.json").decode(core.function_describe(f)) end

-- ---- the history, by node -------------------------------------------------------------------------------------------
-- The newest record of each node of a graph.
local function records_of(g)
  local by_id = {}
  for _, r in ipairs(g.records) do by_id[r.id] = r end
  return by_id
end

local function ref_text(g, by_id, ref)
  if type(ref) == "number" then return g.leaves[ref + 1].text end
  local r = by_id[ref[1]]
  if not r then return "?" end
  local name = r.names and r.names[ref[2] + 1]
  return name and ("%s (%s)"):format(name, r.op) or r.op
end

local function cut(s, most) return #s > most and s:sub(1, most - 3) .. "..." or s end

--- What each pass of the compiler did: a text with a line for each rewrite, "rule: old -> new", by pass. Loops and
-- branches follow with the passes over their bodies.
function M.rewrites(f)
  local history, out = history_of(checked("rewrites", f)), {}
  for i, g in ipairs(history.graphs) do
    local by_id = records_of(g)
    if i > 1 then
      local around = records_of(history.graphs[g.of + 1])[g.node]
      out[#out + 1] = ("\nbody of %s:"):format(around and around.op or "a loop")
    end
    for _, p in ipairs(g.passes) do
      if #p.events > 0 then
        out[#out + 1] = util.format("%s (%.0f us, %d rewrites)", p.name, p.seconds * 1e6, #p.events)
        for _, e in ipairs(p.events) do
          out[#out + 1] = ("  %s: %s -> %s"):format(e[1], cut(ref_text(g, by_id, e[2]), 70),
            cut(ref_text(g, by_id, e[3]), 70))
        end
      end
    end
  end
  return table.concat(out, "\n") .. "\n"
end

-- Which rewrites led to node `id`: { {pass, rule, what was replaced}, .. }, in order.
local function story_of(g, id)
  local by_id, wanted, found = records_of(g), { [id] = true }, {}
  for i = #g.passes, 1, -1 do
    local p = g.passes[i]
    for k = #p.events, 1, -1 do
      local e = p.events[k]
      local new, old = e[3], e[2]
      if type(new) == "table" and wanted[new[1]] then
        table.insert(found, 1, ("%s, %s: in place of %s"):format(p.name, e[1], cut(ref_text(g, by_id, old), 100)))
        if type(old) == "table" then wanted[old[1]] = true end
      end
    end
  end
  return found
end

-- ---- why steps stand apart ------------------------------------------------------------------------------------------
-- Why steps a and b, of which b reads what a writes, are two: what the planner noted when it kept them apart.
local function apart(d, a, b, number_a, number_b, buffer)
  local why = d.buffers[buffer + 1].kept
  local next_kernel
  for i = number_a + 1, #d.steps - 1 do
    if not next_kernel and d.steps[i + 1].kind ~= "sizes" then next_kernel = i end
  end
  if b.kind == "kernel" and next_kernel == number_b and a.rows ~= "" then
    why = why .. "; nor row by row: " .. a.rows
  end
  return why
end

local function writes(d, step)
  local text = step.kernel >= 0 and d.kernels[step.kernel + 1].text
  local out = {}
  for i, b in ipairs(step.buffers) do
    local written = text and text:find("\n  a%d+: b" .. i - 1 .. " %S+ [%a ]*write")
      or not text and i == #step.buffers
    if written then out[b] = true end
  end
  return out
end

local function buffer_text(d, b)
  local buf = d.buffers[b + 1]
  return buf.name and ("b%d (%s)"):format(b, buf.name) or "b" .. b
end

local function in_place_text(d, number)
  local out = {}
  local step = d.steps[number + 1]
  for b in pairs(writes(d, step)) do
    local buf = d.buffers[b + 1]
    if buf.kind == "temporary" and buf.in_place_of >= 0 then
      out[#out + 1] = ("writes %s in place of %s"):format(buffer_text(d, b), buffer_text(d, buf.in_place_of))
    elseif buf.kind == "temporary" and buf.apart ~= "" then
      out[#out + 1] = ("%s has memory of its own%s: %s"):format(buffer_text(d, b),
        buf.apart_of >= 0 and ", not that of " .. buffer_text(d, buf.apart_of) or "", buf.apart)
    elseif buf.kind == "input" or buf.kind == "shared" then
      out[#out + 1] = ("writes over %s"):format(buffer_text(d, b))
    end
  end
  table.sort(out)
  return out
end

local function rate_text(s)
  local parts = {}
  if s.flops and s.flops > 0 then parts[#parts + 1] = util.format("%.3g operations", s.flops) end
  if s.bytes and s.bytes > 0 then parts[#parts + 1] = util.format("%.3g bytes", s.bytes) end
  if s.calls and s.calls > 0 then parts[#parts + 1] = util.format("%.3g s a call", s.seconds / s.calls) end
  return table.concat(parts, ", ")
end

local STORED = util.set({ "temporary", "output" })

local function put_step(out, d, g, number)
  local step = d.steps[number + 1]
  out[#out + 1] = ("step %d: %s"):format(number, step.title or step.kind)
  local work = rate_text(step)
  if work ~= "" then out[#out + 1] = "  work: " .. work end
  for _, n in ipairs(step.nodes) do
    local node = d.nodes[n + 1]
    if node then
      out[#out + 1] = ("  node %d: %s"):format(n, node.op)
      if node.places ~= "" then out[#out + 1] = "    written at " .. node.places end
      for _, line in ipairs(story_of(g, g.final[n + 1])) do out[#out + 1] = "    " .. line end
    end
  end
  local mine = writes(d, step)
  for other, s in ipairs(d.steps) do
    if other - 1 ~= number then
      local theirs = writes(d, s)
      for _, b in ipairs(s.buffers) do
        local buf = d.buffers[b + 1]
        if STORED[buf.kind] and mine[b] and other - 1 > number and not theirs[b] then
          out[#out + 1] = ("  not one kernel with step %d, which reads b%d: %s"):format(other - 1, b,
            apart(d, step, s, number, other - 1, b))
          break
        end
      end
      for _, b in ipairs(step.buffers) do
        local buf = d.buffers[b + 1]
        if STORED[buf.kind] and theirs[b] and other - 1 < number and not mine[b] then
          out[#out + 1] = ("  not one kernel with step %d, whose b%d it reads: %s"):format(other - 1, b,
            apart(d, s, step, other - 1, number, b))
          break
        end
      end
    end
  end
  for _, line in ipairs(in_place_text(d, number)) do out[#out + 1] = "  " .. line end
end

--- How a kernel, step or node of a function came about: `why(f, "kernel 3")`, `"step 2"`, `"node 5"` (the place in the
-- toposort), or a name of yours: which rules made its nodes out of which of yours, why its neighbours are not fused
-- with it, and why it writes in place or not. Returns the text.
function M.why(f, what)
  f = checked("why", f)
  if type(what) ~= "string" then
    util.raise("TypeError", 'why(f, "kernel 3"): what is asked for is a text, got %s', util.kind_of(what))
  end
  local d, history = description_of(f), history_of(f)
  local g, out, wanted = history.graphs[1], {}, {}
  g.final = {}
  for i = #g.passes, 1, -1 do
    if g.passes[i].order then
      for k, r in ipairs(g.passes[i].order) do g.final[k] = g.records[r + 1].id end
      break
    end
  end
  local kind, number = what:match("^(%a+) (%d+)$")
  number = tonumber(number)
  for i, s in ipairs(d.steps) do
    local holds = kind == "step" and i - 1 == number or kind == "kernel" and s.kernel == number
    for _, n in ipairs(s.nodes) do
      local node = d.nodes[n + 1]
      if kind == "node" and n == number then holds = true end
      for _, v in ipairs(node and node.out or {}) do if v.name == what then holds = true end end
      if node and not kind and (" " .. node.places):find("(" .. what .. ")", 1, true) then holds = true end
    end
    if holds then wanted[#wanted + 1] = i - 1 end
  end
  if #wanted == 0 then
    util.raise("ValueError", 'why: the function has no %s; it has %d kernels, %d steps and %d nodes: '
      .. 'why(f, "kernel 0"), "step 0", "node 0" or the name of a variable', what, #d.kernels, #d.steps, #d.nodes)
  end
  for _, n in ipairs(wanted) do put_step(out, d, g, n) end
  return table.concat(out, "\n") .. "\n"
end

return M
