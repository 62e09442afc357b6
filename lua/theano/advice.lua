--- theano.printing.advice: what of a function costs time or memory that a small change of the program would save.
-- @module theano.advice
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local function dtype_of(type_text) return type_text and type_text:match("%((%w+),") end

local WIDE = { float64 = true, complex128 = true }
local NARROW = { float32 = true, complex64 = true }

local function place(places) return places and places ~= "" and " at " .. places or "" end

local function cut(s, most) return #s > most and s:sub(1, most - 3) .. "..." or s end

-- Of the graph as it was written: a node of float64 one of whose inputs is float32, and what made it so.
local function wide(out, g)
  local by_id, seen = {}, {}
  local order = g.passes[1].order or {}
  for _, r in ipairs(order) do by_id[g.records[r + 1].id] = g.records[r + 1] end
  for _, number in ipairs(order) do
    local r = g.records[number + 1]
    if WIDE[dtype_of(r.type)] and not r.op:find("^Elemwise{Cast") and not r.op:find("Cast{") then
      local narrow, culprit
      for _, ref in ipairs(r["in"]) do
        local leaf = type(ref) == "number" and g.leaves[ref + 1]
        local from = leaf or by_id[ref[1]]
        local dtype = from and dtype_of(from.type)
        if NARROW[dtype] then narrow = true end
        if dtype and not NARROW[dtype] and dtype ~= "bool" and not dtype:find("int8") and not dtype:find("int16") then
          -- a literal comes through a DimShuffle
          while from and not from.text and #from["in"] == 1 and from.op:find("DimShuffle") do
            local below = from["in"][1]
            from = type(below) == "number" and g.leaves[below + 1] or by_id[below[1]]
          end
          culprit = from
        end
      end
      local text = culprit and (culprit.text or culprit.op)
      local key = text and text .. r.places
      if narrow and culprit and not seen[key] then
        seen[key] = true
        local remedy = culprit.kind == "constant"
          and 'T.constant(.., {dtype = "float32"}), or floatX=float32, under which a literal is float32'
          or ':astype("float32")'
        out[#out + 1] = ("float64 comes into a float32 graph%s: %s takes %s (%s)%s; %s keeps it float32"):format(
          place(r.places), cut(r.op, 60), cut(text, 40), culprit.type or "?", culprit.kind ~= "constant"
          and place(culprit.places) or "", remedy)
      end
    end
  end
end

-- The steps of a region and of those behind it and inside it: number -> true. A worklist: nothing recurses.
local function steps_below(d, region)
  local found, list = {}, { region }
  while #list > 0 do
    local r = d.regions[table.remove(list) + 1]
    if r then
      if r.kind == "straight" then
        for s = r.first, r.first + r.n - 1 do found[s] = true end
      end
      for _, key in ipairs({ "child", "other", "next" }) do
        if r[key] >= 0 then list[#list + 1] = r[key] end
      end
    end
  end
  return found
end

local function in_loops(out, d)
  local told = {}
  for _, r in ipairs(d.regions) do
    if r.kind == "loop" then
      local found = steps_below(d, r.child)
      for i, s in ipairs(d.steps) do
        if found[i - 1] and s.kind == "host" and not told[i] then
          told[i] = true
          local last = s.nodes[#s.nodes]
          local places
          for _, w in ipairs(d.within) do if w.node == last then places = w.places end end
          out[#out + 1] = ("a call of the library in every turn of the loop %s: %s%s; over all turns at once (before "
            .. "or behind the loop) it may be much faster"):format(r.title or "", s.title or "?", place(places))
        end
      end
    end
  end
end

local function copies(out, d)
  for _, node in ipairs(d.nodes) do
    if node.kind == "DeepCopyOp" then
      local ref = node["in"][1]
      local leaf = type(ref) == "number" and d.leaves[ref + 1]
      out[#out + 1] = ("a copy since memory may not be shared: %s%s; theano.Out(y, {borrow = true}) lets a result "
        .. "alias it"):format(leaf and leaf.text or node.op, place(node.places))
    end
  end
end

-- How it was called: arguments that had to be copied, lengths that changed from call to call.
local function habits(out, d)
  local names = {}
  for i, name in ipairs(d.copied_arguments) do names[i] = name or "an argument" end
  local text = table.concat(names, ", ")
  if d.strided_copies > 0 then
    out[#out + 1] = ("%d times an argument was copied since it is no array in row order (%s): make it one once, with "
      .. "a:copy()"):format(d.strided_copies, text)
  end
  if d.aliased_copies > 0 then
    out[#out + 1] = ("%d times an argument was copied since it shares memory with what the call writes (%s)"):format(
      d.aliased_copies, text)
  end
  if d.length_changes >= 10 then
    out[#out + 1] = ("lengths changed from one call to the next %d times: each time memory is laid out anew, and units "
      .. "for certain lengths are built and not used; sort examples by length, or fill them up to few lengths"):format(
      d.length_changes)
  end
end

-- The leaf that a reference is, under views that only turn it.
local function leaf_of(g, by_id, ref)
  while type(ref) == "table" do
    local r = by_id[ref[1]]
    if not r or not r.op:find("DimShuffle", 1, true) then return nil end
    ref = r["in"][1]
  end
  return g.leaves[ref + 1]
end

-- A product with a row of a sequence, in a loop: all rows at once are one product before the loop.
local function rows(out, history)
  for i = 2, #history.graphs do
    local g, by_id, order = history.graphs[i], {}, nil
    for k = #g.passes, 1, -1 do order = order or g.passes[k].order end
    for _, number in ipairs(order or {}) do by_id[g.records[number + 1].id] = g.records[number + 1] end
    for _, number in ipairs(order or {}) do
      local r = g.records[number + 1]
      local first = r.op:find("^C?Gem[mv]") and 3 or (r.op:find("^Dot22") or r.op == "dot") and 1
      for k = first or 1, first and first + 1 or 0 do
        local row, with = leaf_of(g, by_id, r["in"][k]), leaf_of(g, by_id, r["in"][2 * first + 1 - k])
        local name = row and row.text:match("^(.*)%[t%]$")
        if name and with and with.kind ~= "constant" and not with.text:find("%[t[-%d]*%]$") then
          out[#out + 1] = ("a product of a row of %s with %s in every turn of a loop%s: one product of all rows "
            .. "before the loop, whose rows are then the sequence"):format(name, (with.text:gsub("_copy$", "")),
            place(r.places))
        end
      end
    end
  end
end

-- Products in the bodies of loops: several with one operand are one product with their weights joined.
local function products(out, history)
  for i = 2, #history.graphs do
    local g = history.graphs[i]
    local order
    for k = #g.passes, 1, -1 do
      order = order or g.passes[k].order
    end
    local by_left = {}
    for _, number in ipairs(order or {}) do
      local r = g.records[number + 1]
      if r.op:find("^Dot22") or r.op == "dot" or r.op:find("^C?Gem[mv]") then
        local left = r.op:find("^C?Gem[mv]") and r["in"][4] or r["in"][1]
        local key = type(left) == "table" and left[1] .. "/" .. left[2] or tostring(left)
        by_left[key] = by_left[key] or {}
        table.insert(by_left[key], r)
      end
    end
    for _, list in pairs(by_left) do
      if #list > 1 then
        local places = {}
        local seen = {}
        for _, r in ipairs(list) do
          if not seen[r.places] then places[#places + 1] = r.places end
          seen[r.places] = true
        end
        table.sort(places)
        out[#out + 1] = ("%d products of one operand in every turn of a loop%s: one product with the weights joined "
          .. "(T.concatenate before the loop), then parts of its result"):format(#list,
          place(table.concat(places, ", ")))
      end
    end
  end
end

local function overheads(out, f, d)
  if not f.profile.enabled or (d.calls or 0) < 10 then return end
  local rest = d.call_time - d.step_time
  if rest > 0.5 * d.call_time then
    out[#out + 1] = util.format("%.0f %% of the time of %d calls is not in steps: give each call more to do, or "
      .. "f:bind(..)", 100 * rest / d.call_time, d.calls)
  end
end

local function buffers(out, d)
  local list = {}
  for i, b in ipairs(d.buffers) do
    if b.bytes and b.bytes > 0 then list[#list + 1], b.number = b, i - 1 end
  end
  if #list == 0 then
    out[#out + 1] = "buffers are known after the first call"
    return
  end
  table.sort(list, function(x, y)
    if x.bytes ~= y.bytes then return x.bytes > y.bytes end
    return x.number < y.number
  end)
  out[#out + 1] = "largest buffers:"
  local text = require("theano.profile_text").bytes_text
  for i = 1, math.min(10, #list) do
    local b = list[i]
    local node = b.node >= 0 and d.nodes[b.node + 1]
    out[#out + 1] = ("  %8s  %s %s (%s)  %s%s"):format(text(b.bytes), b.kind, b.dtype,
      table.concat(b.shape or {}, ", "), b.name or node and cut(node.op, 60) or "", node and place(node.places) or "")
  end
end

--- What would make a function faster or smaller: float64 that came into a float32 graph and where, calls of the library
-- inside loops, products that one could do, copies, calls that do too little, the ten largest buffers. A text.
function M.advice(f)
  local fn = util.function_of(f)
  if not fn then util.raise("TypeError", "advice takes a compiled function, got %s", util.kind_of(f)) end
  local json = require("theano.json")
  local d, history = json.decode(core.function_describe(fn)), json.decode(core.function_rewrites(fn))
  local out = {}
  wide(out, history.graphs[1])
  in_loops(out, d)
  copies(out, d)
  products(out, history)
  rows(out, history)
  habits(out, d)
  overheads(out, fn, d)
  if #out == 0 then out[1] = "nothing found that a small change would make faster" end
  buffers(out, d)
  return table.concat(out, "\n") .. "\n"
end

return M
