--- Profiles of functions compiled with `profile = true`, or under `theano.config.profile`: `print(f.profile)`.
-- @module theano.profile
local core = require("theano.core")
local util = require("theano.util")

local M = {}
local config -- theano.config, on first use: it is loaded after us

local function limits()
  config = config or require("theano.config")
  return config.profiling.n_ops, config.profiling.n_apply
end

local function write(text, file)
  if file then return file:write(text) end
  local where = (limits() and config.profiling.destination) or "stderr"
  if where == "stderr" then return core.log(text) or io.stderr:write(text) end
  if where == "stdout" then return io.stdout:write(text) end
  local out, why = io.open(where, "a")
  if not out then util.raise("IOError", "profiling.destination: %s", why) end
  local fine, reason = out:write(text)
  local closed, late = out:close() -- what is short is only written here
  if not (fine and closed) then util.raise("IOError", "profiling.destination: %s: %s", where, reason or late) end
end

local Profile = { __name = "ProfileStats" }

local function seconds(p, f, field)
  local t = {}
  local nodes = core.toposort(f)
  for _, s in ipairs(p.steps) do
    local node = nodes[(s.nodes[#s.nodes] or -1) + 1]
    if node then t[node] = (t[node] or 0) + s[field] end
  end
  return t
end

local read = {
  enabled = function() return true end,
  fct_callcount = function(p) return p.totals.calls end,
  fct_call_time = function(p) return p.totals.call_time end,
  vm_call_time = function(p) return p.totals.step_time end,
  compile_time = function(p) return p.totals.compile_time end,
  optimizer_time = function(p) return p.totals.optimizer_time end,
  linker_time = function(p) return p.totals.plan_time + p.totals.build_time end,
  apply_time = function(p, f) return seconds(p, f, "time") end,
  apply_callcount = function(p, f) return seconds(p, f, "calls") end,
  steps = function(p) return p.steps end,
}

local function now(f)
  local text, totals, steps = core.function_profile(f, limits())
  return { text = text, totals = totals, steps = steps }
end

-- Theano's summary and what goes beyond it; `machine`: beside what the machine can do.
local function full(f, machine)
  local n_ops, n_apply = limits()
  local text = core.function_profile(f, n_ops, n_apply)
  local parts = require("theano.profile_text")
  local d = require("theano.json").decode(core.function_describe(f))
  if d.calls == 0 then return text end
  local before, behind = text:match("^(.-\n)(Apply\n%-%-%-%-%-%-\n.*)$")
  if before then text = before .. parts.ops(d, n_ops) .. behind end
  text = text .. parts.overhead(d) .. parts.kernels(d, n_apply, machine and parts.peaks())
  if config.profile_memory then text = text .. parts.memory(d, n_apply) end
  if config.profile_optimizer then text = text .. parts.optimizer(f, n_apply) end
  return text
end

--- Writes the summary to the file, or to what `profiling.destination` says (standard error).
local function summary(p, file) write(tostring(p), file) end

Profile.__index = function(p, key)
  if key == "summary" then return summary end
  if not read[key] then
    local names = { "summary" }
    for name in pairs(read) do names[#names + 1] = name end
    table.sort(names)
    util.raise("AttributeError", "a profile has %s, not '%s'", table.concat(names, ", "), tostring(key))
  end
  return read[key](now(rawget(p, "fn")), rawget(p, "fn"))
end
Profile.__tostring = function(p) return full(rawget(p, "fn"), true) end
Profile.__call = function(p, _, file) -- f:profile() is f.profile:summary()
  summary(p, file)
end

-- What stands in the place of a profile where nothing is measured: whatever is asked of it says what to do.
local WHY = "%s measures nothing: compile it with profile = true, or with the flag profile on"
local function why(p) return WHY:format(tostring(rawget(p, "fn"))) end
local function refuse(p) util.raise("RuntimeError", "%s", why(p)) end
local None = { __name = "ProfileStats", __call = refuse, __newindex = refuse, __tostring = why }
None.__index = function(p, key)
  if key == "enabled" then return false end
  refuse(p)
end

--- The profile of a function; of one that measures nothing `enabled` is false, and the rest raises.
function M.of(f) return setmetatable({ fn = f }, core.function_profile(f) and Profile or None) end

-- Lives as long as its function does, and is finalized just before it: then the profile is printed.
local last_words = setmetatable({}, { __mode = "k" })

--- Prints the profile when the function dies or the program ends; a function without a profile is left alone.
function M.watch(f)
  if not core.function_profile(f) then return f end
  require("theano.trace").know(f)
  last_words[f] = setmetatable({ f }, {
    __gc = function(t)
      local p = now(t[1])
      if p.totals.calls == 0 or t.quiet then return end
      local fine, text = pcall(full, t[1], false) -- the program may be about to end: nothing is measured now
      local written, reason = pcall(write, fine and text or p.text)
      if not written then io.stderr:write("theano: ", tostring(reason), "\n") end -- errors of finalizers are not seen
    end,
  })
  return f
end

--- Nothing is printed when f dies.
function M.hush(f)
  if last_words[f] then last_words[f].quiet = true end
end

return M
