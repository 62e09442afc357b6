--- busted's output handler for scripts/test: failures in full, busted's own line of totals, the slowest files.
-- With TH_REPORT set it also writes one line a test to that file: status, name and reason, separated by tabs.
--     build/theano /usr/bin/busted -o spec/support/report.lua
return function()
  local busted = require("busted")
  local handler = require("busted.outputHandlers.base")()
  local report = os.getenv("TH_REPORT") and assert(io.open(os.getenv("TH_REPORT"), "w"))
  local seconds = {} -- file -> time spent in it
  local out = io.stdout -- specs may send what is printed elsewhere for a while

  local function text(message)
    if type(message) == "string" then return message end
    return message == nil and "no message" or require("pl.pretty").write(message)
  end

  local function line(status, name, reason)
    if not report then return end
    report:write(status, "\t", (name:gsub("%s+", " ")), "\t", (text(reason or ""):gsub("%s+", " ")), "\n")
  end

  local function show(kind, item)
    local at = item.element.trace or item.trace or {}
    out:write(("\n%s -> %s @ %s\n%s\n%s\n"):format(kind, at.short_src or "?", at.currentline or "?", item.name,
      text(item.message)))
    out:flush()
  end

  -- Failures and errors arrive before the end of their test and also from outside of tests (a file that does not load).
  local function on_bad(kind, list)
    return function()
      local item = list()[#list()]
      show(kind, item)
      line("failed", item.name, item.message)
      return nil, true
    end
  end

  local function on_test_end(element, _, status)
    local file = element.trace and element.trace.short_src or "?"
    seconds[file] = (seconds[file] or 0) + (element.duration or 0)
    if status == "success" then
      line("passed", handler.getFullName(element))
    elseif status == "pending" then
      local item = handler.pendings[#handler.pendings]
      local reason = text(item.message or "marked pending")
      line("skipped", item.name, (reason:gsub("^%S*skip%.lua:%d+: ", "")))
    end
    return nil, true
  end

  -- A file that leaves flags changed makes others run in surroundings that nobody chose.
  local flags
  local function on_file_start()
    flags = tostring(require("theano").config)
    return nil, true
  end

  local function on_file_end(element, parent)
    local now = tostring(require("theano").config)
    if now ~= flags then
      local old = {}
      for set in flags:gmatch("[^\n]+") do old[set] = true end
      local changed = "leaves flags changed:"
      for set in now:gmatch("[^\n]+") do changed = changed .. (old[set] and "" or "\n" .. set) end
      busted.publish({ "error", "file" }, element, parent, changed, {})
    end
    return nil, true
  end

  -- Names that os.tmpname gave are files already; they go at the end, with those that were called by them and more.
  local tmpname, temporary = os.tmpname, {}
  rawset(os, "tmpname", function()
    local name = tmpname()
    temporary[name:match("[^/]+$")] = name:match("^.*/")
    return name
  end)
  local function clear()
    local _, folder = next(temporary)
    for entry in require("lfs").dir(folder or "spec") do
      local own = temporary[entry] or temporary[entry:match("^[^.]+") or entry]
      if own and not os.remove(own .. entry) then require("pl.dir").rmtree(own .. entry) end
    end
  end

  local function on_suite_end()
    clear()
    local files = {}
    for file in pairs(seconds) do files[#files + 1] = file end
    table.sort(files, function(a, b) return seconds[a] > seconds[b] end)
    for i = 1, math.min(3, #files) do
      if seconds[files[i]] >= 1 then out:write(("%6.1f s in %s\n"):format(seconds[files[i]], files[i])) end
    end
    out:write(("%d successes / %d failures / %d errors / %d pending : %.3f seconds\n"):format(handler.successesCount,
      handler.failuresCount, handler.errorsCount, handler.pendingsCount, handler.getDuration()))
    out:flush() -- who dies behind this is told from who died before
    if report then report:close() end
    return nil, true
  end

  local subscribe = handler.subscribe
  function handler:subscribe(options)
    subscribe(self, options)
    local errors = on_bad("Error", function() return handler.errors end)
    local failures = on_bad("Failure", function() return handler.failures end)
    busted.subscribe({ "failure", "it" }, failures)
    busted.subscribe({ "error", "it" }, errors)
    local outside = function(element, ...)
      if element.descriptor == "it" then return nil, true end
      return errors(element, ...)
    end
    busted.subscribe({ "failure" }, outside)
    busted.subscribe({ "error" }, outside)
    busted.subscribe({ "test", "end" }, on_test_end)
    busted.subscribe({ "file", "start" }, on_file_start)
    busted.subscribe({ "file", "end" }, on_file_end)
    busted.subscribe({ "suite", "end" }, on_suite_end)
  end

  return handler
end
