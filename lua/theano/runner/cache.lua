--- `theano cache info|clear`: compiled code that is kept.
-- @module theano.runner.cache
local theano = require("theano")
local record = require("theano.runner.record")
local util = require("theano.util")
local uv = require("luv")

local M = {}

-- Files below a folder, without following links: {path, bytes, time of the last use}.
local function files(folder, into)
  local stack = { folder }
  while #stack > 0 do
    local at = table.remove(stack)
    for _, name in ipairs(record.list(at)) do
      local path = at .. "/" .. name
      local s = uv.fs_lstat(path)
      if s and s.type == "directory" then stack[#stack + 1] = path
      elseif s and s.type == "file" then into[#into + 1] = { path, s.size, s.atime.sec } end
    end
  end
  return into
end

-- Files of records of what timing found (core/runtime/machine/tuned.c).
local RECORD = 24
local TUNED = {
  ["lua-kernels.tuned"] = "schedules (compile.autotune)", ["lua-grids.tuned"] = "launches on a GPU (cuda.autotune)",
  ["lua-conv.tuned"] = "convolutions (conv.autotune)",
}

local function folder_of() return theano.config.base_compiledir end

local function info()
  local list, bytes, kinds = files(folder_of(), {}), 0, {}
  for _, f in ipairs(list) do
    bytes = bytes + f[2]
    local kind = f[1]:match("%.(%w+)$") or "other"
    kinds[kind] = (kinds[kind] or 0) + 1
  end
  print(folder_of())
  print(util.format("%d files, %.1f MB of at most %d MB", #list, bytes / 1e6, theano.config["compile.cache_mb"]))
  local names = {}
  for kind in pairs(kinds) do names[#names + 1] = kind end
  table.sort(names)
  for _, kind in ipairs(names) do print(("  .%-6s %d"):format(kind, kinds[kind])) end
  for _, f in ipairs(list) do
    local what = TUNED[f[1]:match("[^/]*$")]
    if what then print(("  %d timed choices of %s"):format(f[2] // RECORD, what)) end
  end
  return 0
end

-- Only what the engine puts there is removed.
local function ours(path)
  return path:find("/lua%-units/[^/]+$") or path:sub(1, -1 - #(path:match("[^/]*$") or "")) == folder_of() .. "/"
    and path:find("%.tuned$")
end
local function clear()
  local n, left = 0, 0
  for _, f in ipairs(files(folder_of(), {})) do
    if ours(f[1]) and os.remove(f[1]) then n = n + 1 else left = left + 1 end
  end
  print(("%d files removed%s"):format(n, left > 0 and (", %d left alone that are not ours"):format(left) or ""))
  return 0
end

function M.main(...)
  local p = require("theano.runner.words")("theano cache"):description("Compiled code that is kept between runs.")
  p:argument("what", "info or clear"):choices({ "info", "clear" })
  return p:parse({ ... }).what == "info" and info() or clear()
end

return M
