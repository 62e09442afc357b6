--- `theano runs`: lists, filters and compares runs. An index (SQLite) beside them says what each run's files say; it is
-- made anew whenever it is missing, of another version, or no database, and what has changed is read again.
-- @module theano.runner.runs
local progress = require("theano.progress")
local record = require("theano.runner.record")
local uv = require("luv")

local M = {}

local VERSION = 1

-- ---- what the folders say ------------------------------------------------------------------------------------------
-- Folders with a config.json below root, two levels deep (a sweep's runs lie in its folder).
local function folders(root)
  local list = {}
  for _, name in ipairs(record.list(root)) do
    local path = root .. "/" .. name
    if record.exists(path .. "/config.json") then list[#list + 1] = path
    else
      for _, inner in ipairs(record.list(path)) do
        if record.exists(path .. "/" .. inner .. "/config.json") then list[#list + 1] = path .. "/" .. inner end
      end
    end
  end
  return list
end

-- When a run's files were last changed: two numbers as one text.
local function stamp(path)
  local list = {}
  for i, name in ipairs({ "config.json", "metrics.jsonl", "status.json" }) do
    local s = uv.fs_stat(path .. "/" .. name)
    list[i] = s and ("%d.%09d.%d"):format(s.mtime.sec, s.mtime.nsec, s.size) or "-"
  end
  return table.concat(list, " ")
end

--- A run as it is: {path =, state =, started =, args =, metrics = (the last of each name)}.
function M.read(path)
  local config = record.load_json(path, "config.json") or {}
  local last = {}
  for _, values in ipairs(record.metrics(path)) do
    for name, v in pairs(values) do last[name] = v end
  end
  local args = type(config.args) == "table" and config.args or {}
  return { path = path, state = record.state(path), started = config.started or "", script = config.script or "",
    args = args, metrics = last }
end

-- ---- the index -----------------------------------------------------------------------------------------------------
local function open(path)
  local ok, sql = pcall(require, "luasql.sqlite3")
  if not ok then return nil end
  local env = sql.sqlite3()
  local function connect()
    local db = env:connect(path)
    if not db then return nil end
    local cursor = db:execute("SELECT version FROM about")
    local version = cursor and cursor:fetch()
    if cursor then cursor:close() end
    if tonumber(version) == VERSION then return db end
    local made = version == nil and db:execute("CREATE TABLE about (version INTEGER)")
      and db:execute("INSERT INTO about VALUES (" .. VERSION .. ")")
      and db:execute("CREATE TABLE runs (path TEXT PRIMARY KEY, stamp TEXT, text TEXT)")
    if made then return db end
    db:close()
  end
  local db = connect()
  if not db then -- of another version, or no database
    os.remove(path)
    db = connect()
  end
  return db, env
end

local function indexed(db)
  local known, cursor = {}, db:execute("SELECT path, stamp, text FROM runs")
  local row = cursor and cursor:fetch({}, "a")
  while row do
    known[row.path] = { row.stamp, row.text }
    row = cursor:fetch({}, "a")
  end
  if cursor then cursor:close() end
  return known
end

--- All runs below a folder, by the time at which they began.
function M.all(root)
  local path = root .. "/.index.sqlite"
  local db, env
  if record.exists(root) then db, env = open(path) end
  local known, list, fresh = db and indexed(db) or {}, {}, {}
  for _, folder in ipairs(folders(root)) do
    local now, kept = stamp(folder), known[folder]
    local run = kept and kept[1] == now and record.decode(kept[2])
    if type(run) ~= "table" or run.state == "running" then
      run = M.read(folder)
      fresh[#fresh + 1] = { folder, now, record.encode(run) }
    end
    known[folder] = nil
    list[#list + 1] = run
  end
  if db then
    db:setautocommit(false)
    for _, row in ipairs(fresh) do
      db:execute(("INSERT OR REPLACE INTO runs VALUES ('%s', '%s', '%s')"):format(db:escape(row[1]), row[2],
        db:escape(row[3])))
    end
    for gone in pairs(known) do db:execute(("DELETE FROM runs WHERE path = '%s'"):format(db:escape(gone))) end
    db:commit()
    db:close()
    env:close()
  end
  table.sort(list, function(a, b)
    if a.started ~= b.started then return a.started < b.started end
    return a.path < b.path
  end)
  return list
end

-- ---- showing -------------------------------------------------------------------------------------------------------
local function value_of(run, name)
  if name == "state" or name == "path" or name == "started" or name == "script" then return run[name] end
  local v = run.metrics[name]
  if v == nil then v = run.args[name] end
  return v
end
M.value_of = value_of

local OPS = {
  ["="] = function(a, b) return a == b end, ["!="] = function(a, b) return a ~= b end,
  ["<"] = function(a, b) return a < b end, [">"] = function(a, b) return a > b end,
  ["<="] = function(a, b) return a <= b end, [">="] = function(a, b) return a >= b end,
}

-- A test of runs from `lr=0.1`, `loss<0.2`, `state=failed`; nil when it is none.
local function test_of(text)
  local name, op, wanted = text:match("^([%a][%w_]*)([<>!]?=?)(.*)$")
  if not name or not OPS[op] then return nil end
  local number = tonumber(wanted)
  return function(run)
    local v = value_of(run, name)
    if v == nil then return op == "!=" end
    if number and type(v) == "number" then return OPS[op](v, number) end
    return OPS[op](tostring(v), wanted)
  end
end

-- Arguments and metrics that differ among the runs, or are asked for.
local function columns_of(list, all)
  local seen, first, differs = {}, {}, {}
  for _, run in ipairs(list) do
    for _, part in ipairs({ "args", "metrics" }) do
      for name, v in pairs(run[part]) do
        if not seen[name] then seen[name], first[name] = part, v
        elseif first[name] ~= v then differs[name] = true end
      end
    end
  end
  local names = {}
  for name, part in pairs(seen) do
    if name ~= "seconds" and (all or part == "metrics" or differs[name]) then names[#names + 1] = name end
  end
  table.sort(names, function(a, b)
    if seen[a] ~= seen[b] then return seen[a] < seen[b] end
    return a < b
  end)
  return names
end
M.columns_of = columns_of

--- Rows of texts in columns, numbers to the right.
function M.table_of(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do widths[i] = math.max(widths[i] or 0, utf8.len(cell) or #cell) end
  end
  local lines = {}
  for r, row in ipairs(rows) do
    local cells = {}
    for i, cell in ipairs(row) do
      local pad = (" "):rep(widths[i] - (utf8.len(cell) or #cell))
      cells[i] = tonumber(rows[2] and rows[2][i] or "") and pad .. cell or cell .. pad
    end
    lines[r] = table.concat(cells, "  "):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

local function parser()
  local p = require("theano.runner.words")("theano runs"):description("Lists runs.")
    :epilog("TESTS: lr=0.1  loss<0.2  optimizer!=sgd  state=failed")
  p:argument("test", "only runs for which all of these hold"):args("*")
  p:option("--runs", "where they are"):default("runs")
  p:option("--sort", "by this argument or metric, smallest first"):argname("<name>")
  p:flag("--down", "largest first")
  p:option("--most", "so many at most"):convert(math.tointeger)
  p:flag("--all", "all columns, also those in which runs are the same")
  p:flag("--json", "as JSON lines")
  return p
end

function M.main(...)
  local o = parser():parse({ ... })
  local tests = {}
  for i, text in ipairs(o.test) do
    tests[i] = test_of(text)
    if not tests[i] then
      io.stderr:write(("theano runs: '%s' is no test, as lr=0.1 is one\n"):format(text))
      return 2
    end
  end
  local list = {}
  for _, run in ipairs(M.all(o.runs)) do
    local fits = true
    for _, test in ipairs(tests) do fits = fits and test(run) end
    if fits then list[#list + 1] = run end
  end
  if o.sort then
    local function key(run)
      local v = value_of(run, o.sort)
      return type(v) == "number" and v == v and (o.down and -v or v) or math.huge
    end
    local place = {}
    for i, run in ipairs(list) do place[run] = i end
    table.sort(list, function(a, b)
      if key(a) ~= key(b) then return key(a) < key(b) end
      return place[a] < place[b]
    end)
  end
  if o.most then list = table.move(list, 1, math.min(o.most, #list), 1, {}) end
  if o.json then
    for _, run in ipairs(list) do print(record.encode(run)) end
    return 0
  end
  local names = columns_of(list, o.all)
  local rows = { table.move(names, 1, #names, 3, { "run", "state" }) }
  for _, run in ipairs(list) do
    local row = { run.path, run.state }
    for i, name in ipairs(names) do
      local v = value_of(run, name)
      row[i + 2] = v == nil and "" or progress.number(v)
    end
    rows[#rows + 1] = row
  end
  print(#list > 0 and M.table_of(rows) or "no runs in " .. o.runs)
  return 0
end

return M
