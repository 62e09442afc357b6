local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

-- An array of a dtype, lengths, elements row by row, and the way it lies in memory.
local function A(dtype, shape, list, layout)
  local x
  if #list == 0 then x = nd.zeros(shape, dtype)
  elseif #shape == 0 then x = nd.array(list[1], dtype)
  else x = nd.array(list, dtype):reshape(shape) end
  if layout == "f" then return x.T:copy().T end
  if layout == "reversed" then return x["::-1"]:copy()["::-1"] end
  if layout == "strided" then
    local wide = nd.zeros({ x.shape[1] * 2, table.unpack(x.shape, 2) }, dtype)
    local every = wide["::2"]
    every["..."] = x
    return every
  end
  return x
end

-- Arguments that a call has changed, but for those that it may overwrite (all, or a set of positions).
local function say_changed(say, name, args, before, free)
  for i, was in pairs(before) do
    if not (free and free[i]) and not nd.array_equal(was, args[i]) and nd.array_equal(was, was) then
      say(("%s argument %d was changed"):format(name, i), args[i])
    end
  end
end

local function copies(args)
  local out = {}
  for i = 1, args.n or #args do out[i] = type(args[i]) == "userdata" and args[i]:copy() or nil end
  return out
end

-- Bytes in use; what dies with a finalizer is gone after the second collection.
local function live()
  collectgarbage()
  collectgarbage()
  return theano.stat("live_bytes")
end

-- Whether a state has become long: one that each call makes twice as long would soon fill the memory.
local function large(shareds)
  for _, s in ipairs(shareds) do
    local value = s[2]()
    if type(value) == "userdata" and value.size > 1 << 16 then return true end
  end
end

-- Many calls, and what they leave behind: the least growth of two rows of them, of up to twelve where there is some
-- (what waits for a collector comes and goes; what is lost grows in each row). A state that each call makes longer
-- would soon fill the memory: a megabyte of it is enough. Where streams are drawn from, it is always as many rows:
-- what comes next depends on how many calls there were.
local function many(t, say, name, f, arguments, names, times, options)
  local args, before, growth, values = arguments(), nil, nil, {}
  for row = 1, 13 do
    if row == 4 then -- as many rows as it takes: what they store is undone, so that results do not tell their number
      for i, s in ipairs(t.shareds) do values[i] = table.pack(s[2]()) end
    end
    for _ = 1, times do
      if options.mutable then args = arguments() end
      pcall(f, table.unpack(args, 1, args.n))
      if large(t.shareds) then break end
    end
    if large(t.shareds) then
      growth = 0
      break
    end
    local now = live()
    local more = before and now - before
    growth = more and math.min(growth or math.huge, more)
    before = now
    if row >= 3 and not options.draws and (growth <= 0 or more > 1 << 20) then break end
  end
  for i, value in ipairs(values) do pcall(t.shareds[i][3], table.unpack(value, 1, value.n)) end
  say(name .. " growth", growth)
  t.call(name, f, arguments(), names, options)
end

-- What a play needs: each thing it says is a name and an array, a number or a text.
local function tools(say)
  local t = { shareds = {}, runs = {}, kept = {} }

  -- Counts a run of an operation written in Lua.
  function t.ran(k) t.runs[k] = (t.runs[k] or 0) + 1 end

  -- What a callback does with the function that runs, or what is like it: once, not again from inside.
  function t.once(body)
    if t.inside then return end
    t.inside = true
    pcall(body)
    t.inside = nil
  end

  -- The compiled function.
  function t.made(f)
    t.f, t.args = f, { n = 0 }
    say("nodes", #f.maker.fgraph:toposort(), f)
  end

  -- Part of the play: what it raises is said, and the shared variables after it.
  function t.event(name, body)
    t.runs = {}
    local ok, message = pcall(body)
    if not ok then say(name .. " raised", tostring(message)) end
    for _, s in ipairs(t.shareds) do say(("%s %s after"):format(name, s[1]), s[2]()) end
  end

  -- A call: its results, how often operations written in Lua ran, and arguments that are not what they were.
  function t.call(name, f, args, names, options)
    options = options or {}
    local before = copies(args)
    t.runs, t.args = {}, options.mutable and copies(args) or args
    local r = table.pack(pcall(f, table.unpack(args, 1, args.n or #args)))
    for i = 2, r[1] and r.n or 1 do
      local key = ("%s v%s"):format(name, names[i - 1])
      say(key, r[i])
      if options.keep and options.keep[i - 1] then t.kept[#t.kept + 1] = { key .. " later", r[i] } end
    end
    for k = 1, r[1] and 200 or 0 do
      if t.runs[k] then say(("%s runs of %d"):format(name, k), t.runs[k]) end
    end
    say_changed(say, name, args, before, options.mutable)
    if not r[1] then error(r[2], 0) end
    t.last = table.move(r, 2, r.n, 1, {})
  end

  function t.many(...) return many(t, say, ...) end

  -- Results that are nobody else's memory keep their values.
  function t.finish()
    for _, x in ipairs(t.kept) do say(x[1], x[2]) end
  end

  return t
end

return T, nd, A, tools
