--- A folder of kept texts: what goldens of many files are compared with.
-- @module spec.support.kept

--- What is kept in a folder, whose name ends with "/".
return function(folder)
  local M = {}

  function M.path(name) return folder .. name end

  --- What is kept of a file, or nil.
  function M.stored(name)
    local file = io.open(M.path(name))
    if not file then return nil end
    local text = file:read("a")
    file:close()
    return text
  end

  function M.store(name, text)
    local file = assert(io.open(M.path(name), "w"))
    file:write(text)
    file:close()
  end

  --- The files there are.
  function M.stored_names()
    local names, list = {}, assert(io.popen("ls " .. folder .. " 2>/dev/null"))
    for name in list:lines() do names[#names + 1] = name end
    list:close()
    return names
  end

  function M.remove(name) assert(os.remove(M.path(name))) end

  --- The first line in which two texts differ, with what each has there, for a reader.
  function M.difference(want, got)
    if not want then return "nothing is kept" end
    local a, b, n, section = want:gmatch("([^\n]*)\n?"), got:gmatch("([^\n]*)\n?"), 0, ""
    while true do
      local x, y = a(), b()
      n = n + 1
      if x ~= y then return ("line %d%s\n  kept: %s\n  now:  %s"):format(n, section, x or "(end)", y or "(end)") end
      if not x then return nil end
      if x:sub(1, 3) == "===" then section = " (" .. x:match("=+ (.*)") .. ")" end
    end
  end

  return M
end
