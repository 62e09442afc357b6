--- A run's folder: config.json (what it is), metrics.jsonl (a line for each `log`), output.txt, status.json (how it
-- ended), checkpoint.npz. Every file but the growing ones is there whole or not at all.
-- @module theano.runner.record
local json = require("dkjson")
local uv = require("luv")
local util = require("theano.util")

local M = {}

-- ---- JSON with exact numbers ---------------------------------------------------------------------------------------
-- dkjson writes 14 digits; numbers that are none become texts, which JSON has not.
local exact = { __tojson = function(self)
  local v = self[1]
  if v ~= v then return '"NaN"' end
  if v == math.huge or v == -math.huge then return v > 0 and '"Infinity"' or '"-Infinity"' end
  return util.format("%.17g", v)
end }
local function prepared(v)
  if math.type(v) == "float" then return setmetatable({ v }, exact) end
  if type(v) ~= "table" then return v end
  local copy = {}
  for key, inner in pairs(v) do copy[key] = prepared(inner) end
  return setmetatable(copy, getmetatable(v))
end

function M.encode(v) return json.encode(prepared(v)) end

local SPECIAL = { NaN = 0 / 0, Infinity = math.huge, ["-Infinity"] = -math.huge }
--- The value of a text, or nil and why.
function M.decode(text)
  local v, _, why = json.decode(text, 1, nil, nil, nil)
  if why then return nil, why end
  return v
end

-- ---- files ---------------------------------------------------------------------------------------------------------
function M.read(path)
  local f = io.open(path, "rb")
  if not f then return nil end
  local text = f:read("a")
  f:close()
  return text
end

--- Writes a file whole or not at all.
function M.write(path, text) require("theano.data.files").write(path, text) end

function M.exists(path) return uv.fs_stat(path) ~= nil end

--- Makes a folder and those around it.
function M.mkdir(path)
  local made = ""
  for part in path:gmatch("/*[^/]+") do
    made = made .. part
    local ok, why, kind = uv.fs_mkdir(made, tonumber("755", 8))
    if not ok and kind ~= "EEXIST" then util.raise("IOError", "cannot make the folder %s: %s", made, why) end
  end
end

--- Takes away a run's folder, if nothing but the runner's own files is in it, and the folder around it where that is
-- empty.
function M.drop(path)
  for _, name in ipairs { "config.json", "metrics.jsonl", "output.txt", "status.json" } do
    uv.fs_unlink(path .. "/" .. name)
  end
  uv.fs_rmdir(path)
  uv.fs_rmdir(path:match("^(.*)/[^/]*$") or ".")
end

--- Names in a folder, sorted; empty where there is none.
function M.list(path)
  local names, scan = {}, uv.fs_scandir(path)
  while scan do
    local name = uv.fs_scandir_next(scan)
    if not name then break end
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

-- ---- what is known when it starts ----------------------------------------------------------------------------------
-- Whether a program is on the path: where a process does not start, luv crashes when Lua ends.
local function on_path(program)
  for folder in (os.getenv("PATH") or ""):gmatch("[^:]+") do
    if uv.fs_access(folder .. "/" .. program, "X") then return true end
  end
  return false
end

--- The lines that a program of the path prints, without a shell; nil where it does not run or fails.
function M.output_of(program, args)
  if not on_path(program) then return nil end
  local pipe, text, code = uv.new_pipe(false), {}, nil
  local handle = uv.spawn(program, { args = args, stdio = { nil, pipe, nil } }, function(status) code = status end)
  if not handle then
    pipe:close()
    uv.run("nowait") -- a process that did not start is only gone after a turn; ending without one crashes in luv
    return nil
  end
  local open = true
  pipe:read_start(function(_, chunk)
    if chunk then text[#text + 1] = chunk else open = false end
  end)
  while code == nil or open do uv.run("once") end
  pipe:close()
  handle:close()
  uv.run("nowait")
  return code == 0 and table.concat(text) or nil
end

-- The commit of the script's folder, and whether files that git knows were changed since: by one process.
local function git_commit(script)
  local folder = script:match("^(.*)/[^/]*$") or "."
  local text = M.output_of("git", { "-C", folder, "status", "--porcelain=v2", "--branch", "--untracked-files=no" })
  local commit = text and text:match("^# branch.oid (%x+)")
  if not commit then return nil end
  return commit, text:find("\n[^#\n]") ~= nil
end

--- The usual name of what a script is run as below `root`: NAME-DATE-TIME.
function M.name(root, script, kind)
  local name = (script:match("([^/]+)$") or script):gsub("%.lua$", "")
  return ("%s/%s%s-%s"):format(root, name, kind or "", os.date("%Y%m%d-%H%M%S"))
end

--- A new folder of that name, with a number where it is taken.
function M.new_folder(root, script, kind)
  M.mkdir(root)
  local base = M.name(root, script, kind)
  local path, n = base, 1
  while true do
    local ok, why, code = uv.fs_mkdir(path, tonumber("755", 8))
    if ok then return path end
    if code ~= "EEXIST" then util.raise("IOError", "cannot make the folder %s: %s", path, why) end
    n = n + 1
    path = base .. "-" .. n
  end
end

--- What config.json has.
function M.describe(script, words)
  local core = require("theano.core")
  local commit, changed = git_commit(script)
  local flags = {}
  for _, flag in ipairs(core.config_flags()) do
    local value = core.config_get(flag[1])
    if value ~= nil then flags[flag[1]] = tostring(value) end
  end
  return { script = script, words = setmetatable(words, { __jsontype = "array" }), version = core.version,
    lua = _VERSION, commit = commit, changed = changed, flags = flags, started = os.date("!%Y-%m-%dT%H:%M:%SZ"),
    host = uv.os_gethostname(), pid = uv.os_getpid(), cwd = uv.cwd() }
end

function M.save_json(folder, name, value) M.write(folder .. "/" .. name, M.encode(value) .. "\n") end

function M.load_json(folder, name)
  local text = M.read(folder .. "/" .. name)
  if not text then return nil end
  local v = M.decode(text)
  return type(v) == "table" and v or nil
end

--- The lines of a run's metrics, in order; a last line that is cut off is left out.
function M.metrics(folder)
  local list = {}
  for line in (M.read(folder .. "/metrics.jsonl") or ""):gmatch("([^\n]*)\n") do
    local values = M.decode(line)
    if type(values) == "table" then
      for name, v in pairs(values) do values[name] = SPECIAL[v] or v end
      list[#list + 1] = values
    end
  end
  return list
end

--- "running", "finished", "failed", "interrupted", or "killed" where the process is gone and has said nothing.
function M.state(folder)
  local status = M.load_json(folder, "status.json") or {}
  if status.state == "running" and status.host == uv.os_gethostname() and status.pid
    and uv.kill(status.pid, 0) ~= 0 then return "killed", status end
  return status.state or "killed", status
end

return M
