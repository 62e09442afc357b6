--- A run of hostile calls in this process: what `scripts/fuzz --api` starts as a child. Each call depends on its number
-- alone, so that any of them can be made again; where it is stands in a file of progress.
-- @module spec.fuzz.api.batch
local M = {}

-- A stream of random numbers of one call: xorshift of 64 bits, 1..n.
local function stream(seed, call)
  local x = (seed * 0x9E3779B97F4A7C15) ~ (call * 0xD1B54A32D192ED03) ~ 0x632BE59BD9B4E019
  if x == 0 then x = 1 end
  local function next_bits()
    x = x ~ (x << 13)
    x = x ~ (x >> 7)
    x = x ~ (x << 17)
    return x
  end
  for _ = 1, 3 do next_bits() end
  return function(n) return (next_bits() >> 11) % n + 1 end
end

-- An argument as a few words, for a finding.
local function words(v)
  local ok, text = pcall(function()
    if type(v) == "string" then return ("%q"):format(v:sub(1, 30)) end
    if type(v) == "table" then
      if getmetatable(v) then return "{with a metatable}" end
      local list, n = {}, 0
      for k, x in next, v do
        n = n + 1
        if n > 4 then break end
        list[n] = ("[%s] = %s"):format(tostring(k), type(x) == "table" and "{..}" or tostring(x):sub(1, 40))
      end
      return "{" .. table.concat(list, ", ") .. "}"
    end
    if type(v) ~= "userdata" then return tostring(v) end
    local kind = require("theano.core").kind(v)
    if kind == "array" then return ("%s{%s}"):format(v.dtype, table.concat(v.shape, ",")) end
    return tostring(kind) .. " " .. tostring(v):sub(1, 40)
  end)
  return ok and text or type(v)
end

-- Looks at what came back, so that wrong memory is met here.
local function touch(v, depth)
  if type(v) == "userdata" then
    local text = tostring(v)
    if require("theano.core").kind(v) == "array" and v.size < 2000 then v:tolist() end
    return text
  end
  if type(v) == "table" and depth < 2 and not getmetatable(v) then
    local n = 0
    for _, x in next, v do
      n = n + 1
      if n > 8 then break end
      touch(x, depth + 1)
    end
  end
end

local function arguments(values, target)
  local a = values.arguments(target)
  if target.method then
    table.insert(a, 1, false)
    a[1], a.n = values.object(target.method), a.n + 1
  end
  return a
end

local function shown(target, args)
  local list = {}
  for i = 1, args.n do list[i] = words(args[i]) end
  return ("%s(%s)"):format(target.name, table.concat(list, ", "))
end

--- options: seed, first, count, progress, results (paths), show (prints each call).
function M.run(options)
  local values = require("spec.fuzz.api.values")
  values.use(function() return 1 end) -- the same list for every seed
  local targets = require("spec.fuzz.api.targets").list(values.objects)
  local progress = assert(io.open(options.progress, "w"))
  local results = assert(io.open(options.results, "w"))
  local calls, raised, raw, names = 0, 0, 0, {}
  for number = options.first, options.first + options.count - 1 do
    local rng = stream(options.seed, number)
    values.use(rng)
    local target = targets[rng(#targets)]
    local at = ("%d %s"):format(number, target.name)
    progress:seek("set")
    progress:write(("%-96s\n"):format(at))
    progress:flush()
    local made, args = pcall(arguments, values, target)
    if made then
      if options.show then io.stderr:write(shown(target, args), "\n") end
      calls = calls + 1
      local got = table.pack(pcall(target.call, table.unpack(args, 1, args.n)))
      if got[1] then
        for i = 2, math.min(got.n, 4) do pcall(touch, got[i], 0) end
      else
        raised = raised + 1
        local message = got[2]
        -- Lua's own words for what nobody looked at: counted, shown with options.show.
        if type(message) == "string" and message:find("lua/theano/[%w_]+%.lua:%d+: attempt to") then
          raw = raw + 1
          if options.show then io.stderr:write("raw: ", message, "\n") end
        end
        if type(message) ~= "string" or message == "" or message:find("without a message", 1, true)
          or message:find("stack overflow", 1, true) then
          local text = ("call %d %s: %s"):format(number, shown(target, args),
            type(message) == "string" and ("%q"):format(message) or type(message))
          results:write((("finding(%q)"):format(text):gsub("\\\n", "\\n")), "\n")
          results:flush()
        end
      end
      names[target.name] = true
    end
    if number % 64 == 0 then collectgarbage() end
  end
  local met = {}
  for name in pairs(names) do met[#met + 1] = name end
  table.sort(met)
  collectgarbage()
  results:write(("counters(%d, %d, %d, %q, %d)\n"):format(calls, raised, raw, table.concat(met, " "), #targets))
  results:close()
  progress:close()
end

return M
