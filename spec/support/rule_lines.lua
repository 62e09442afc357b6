--- The text lines of the rewrite tables (RULE(name, levels, "before", "after", "guard") in opt/rules/rules_*.h), read
-- from the sources: what the optimizer makes of each left side, and where both sides differ. A new line is covered by
-- itself: `build/theano scripts/golden --update` writes its listings.
-- @module spec.support.rule_lines
local theano = require("theano")
local core = require("theano.core")
local T, nd = theano.tensor, theano.ndarray

local M = { becomes_path = "spec/golden/rules.lst", extremes_path = "spec/golden/extremes.lst" }

--- Lines over elementwise operations, in the order of the tables.
-- @treturn table sequence of {name=, before=, after=, guard=}
function M.read()
  local lines = {}
  local files = assert(io.popen("ls core/opt/rules/rules_*.h"))
  for path in files:lines() do
    for row in io.lines(path) do
      local name, before, after, guard = row:match('^RULE%(([%w_]+),[^"]*"([^"]*)",%s*"([^"]*)",%s*"([^"]*)"')
      if name and not before:find("%u%w+[%({]") then
        lines[#lines + 1] = { name = name, before = before, after = after, guard = guard }
      end
    end
  end
  files:close()
  return lines
end

--- The expression as Lua over x, y, z (variables) and c (a constant).
local function expression(text, v)
  local lua = text:gsub("%a:%(", "("):gsub("%-%-(%w+)", "-(-%1)")
  return assert(load("return " .. lua, "=" .. text, "t", setmetatable(v, { __index = T })))()
end

--- Variables of these dtypes (the second is y's) for the letters of a rule.
local function variables(dtype, other)
  return {
    x = T.TensorType(dtype, { false })("x"),
    y = T.TensorType(other or dtype, { false })("y"),
    z = T.TensorType(dtype, { false })("z"),
    c = T.constant(nd.array(3, dtype)),
  }
end

--- The part that the rule names f, as text; nil where there is none.
local function named_part(before)
  local part = before:match("f:(%b())")
  return part
end

local function one_line(text)
  local words = {}
  for row in text:gmatch("[^\n]+") do
    if not row:match("^%w+: ") then words[#words + 1] = row end
  end
  return table.concat(words, "; ")
end

local dtypes = { { "float64" }, { "float32" }, { "int8" }, { "bool" }, { "complex128" }, { "float32", "float64" },
  { "float64", "float32" } }

--- What the rules of this name make of the left side, for variables of several dtypes: a line of text for each.
function M.becomes(line)
  local rows = { line.name .. ": " .. line.before }
  for _, d in ipairs(dtypes) do
    local v = variables(d[1], d[2])
    local ok, out = pcall(expression, line.before, v)
    if ok and core.kind(out) == "variable" and (not d[2] or line.before:find("%f[%w]y%f[%W]")) then
      local got = core.optimize_text(core.graph_text({ out }), line.name)
      rows[#rows + 1] = "  " .. table.concat(d, ", ") .. ": " .. one_line(got)
    end
  end
  if named_part(line.before) then
    local v = variables("float64")
    local given = core.graph_text({ expression(line.before, v), expression(named_part(line.before), v) })
    rows[#rows + 1] = "  its part used elsewhere: " .. one_line(core.optimize_text(given, line.name))
  end
  return table.concat(rows, "\n")
end

-- ---- values of both sides ------------------------------------------------------------------------------------------
local mode = theano.compile.Mode({ linker = "interpreter", optimizer = "None" })

--- A function of x and y arrays that gives both sides' values.
local function both(line, dtype)
  local v = variables(dtype)
  local x, y = v.x, v.y
  local before, after = expression(line.before, v), expression(line.after, v)
  after = type(after) == "number" and T.zeros_like(x) + after or after
  return theano.compile({ inputs = { x, y }, outputs = { before, T.cast(after, before.dtype) }, mode = mode,
    on_unused_input = "ignore" })
end

--- Lines of integers only say nothing about floats; M.integer_difference has their values.
local function of_integers(line) return line.guard:find("int(", 1, true) ~= nil end

local function uses_y(line) return line.before:find("%f[%w]y%f[%W]") ~= nil end

--- Values of both sides on all pairs (or all values): rows {x, y, before, after}.
local function evaluate(line, dtype, list)
  local xs, ys = {}, {}
  for _, x in ipairs(list) do
    for _, y in ipairs(uses_y(line) and list or { 1 }) do
      xs[#xs + 1], ys[#ys + 1] = x, y
    end
  end
  local p, q = both(line, dtype)(nd.array(xs, dtype), nd.array(ys, dtype))
  local rows = {}
  for i = 1, #xs do rows[i] = { xs[i], ys[i], p[i - 1], q[i - 1] } end
  return rows
end

local function same_bits(p, q)
  return p ~= p and q ~= q or p == q and (p ~= 0 or 1 / p == 1 / q)
end

local function shown(x)
  if x ~= x then return "nan" end
  if x == 0 then return 1 / x < 0 and "-0" or "0" end
  return (("%.3g"):format(x):gsub("e([-+])0+", "e%1"))
end

local extremes = { 0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -3.0, 1e-9, -1e-9, 40.0, -40.0, 800.0, -800.0, 1e30, -1e30,
  math.huge, -math.huge, 0 / 0 }

--- Where both sides differ on extreme float64 values: by more than a relative 1e-7, in a zero's sign, or one is NaN.
-- @treturn string a line for the rule, and one for each difference
function M.differences(line)
  local rows = { line.name .. ": " .. line.before .. " -> " .. line.after }
  for _, r in ipairs(of_integers(line) and {} or evaluate(line, "float64", extremes)) do
    local p, q = r[3], r[4]
    local near = same_bits(p, q) or p ~= 0 and math.abs(p - q) <= 1e-7 * math.abs(p) and math.abs(p) < math.huge
    if not near then
      local at = "x = " .. shown(r[1]) .. (uses_y(line) and ", y = " .. shown(r[2]) or "")
      rows[#rows + 1] = ("  %s: %s -> %s"):format(at, shown(p), shown(q))
    end
  end
  return table.concat(rows, "\n")
end

--- nil, or how both sides differ on tame random values (where the left side is finite).
-- @param rng numbers, see spec.support.fuzz
function M.random_difference(line, dtype, rng)
  local list = {}
  for i = 1, uses_y(line) and 16 or 60 do
    local range = ({ { -3, 3 }, { 0.05, 0.95 }, { 1.05, 4 } })[i % 3 + 1]
    list[i] = string.unpack("f", string.pack("f", rng:real(range[1], range[2])))
  end
  local tolerance = dtype == "float32" and 2e-4 or 1e-11
  for _, r in ipairs(of_integers(line) and {} or evaluate(line, dtype, list)) do
    local p, q = r[3], r[4]
    if p == p and math.abs(p) < math.huge then
      local near = math.abs(p - q) <= tolerance * math.max(1, math.abs(p))
      if not near then return ("x = %.9g, y = %.9g: %.17g and %.17g"):format(r[1], r[2], p, q) end
    end
  end
end

--- nil, or how the left side's values under fast_run differ from its values as written, over extreme integers.
function M.integer_difference(line, dtype)
  local v = variables(dtype)
  local ok, out = pcall(expression, line.before, v)
  if not ok or core.kind(out) ~= "variable" then return nil end
  local unsigned = dtype:sub(1, 1) == "u"
  local list, xs, ys = unsigned and { 0, 1, 3, 100, 200, 255 } or { 0, 1, -1, 3, 100, -100, 127, -128 }, {}, {}
  for _, x in ipairs(list) do
    for _, y in ipairs(uses_y(line) and list or { 1 }) do xs[#xs + 1], ys[#ys + 1] = x, y end
  end
  local results = {}
  for i, optimizer in ipairs({ "None", "fast_run" }) do
    local f = theano.compile({ inputs = { v.x, v.y }, outputs = out, on_unused_input = "ignore",
      mode = theano.compile.Mode({ linker = "interpreter", optimizer = optimizer }) })
    results[i] = f(nd.array(xs, dtype), nd.array(ys, dtype))
  end
  for i = 1, #xs do
    local p, q = results[1][i - 1], results[2][i - 1]
    if type(p) == "number" and p == p and math.abs(p) < math.huge then
      local near = math.abs(p - q) <= 1e-5 * math.max(1, math.abs(p))
      if not near then return ("x = %d, y = %d: %s and %s"):format(xs[i], ys[i], p, q) end
    end
  end
end

--- The text of a listing: every line by `f`.
function M.listing(f)
  local parts = {}
  for i, line in ipairs(M.read()) do parts[i] = f(line) end
  return table.concat(parts, "\n") .. "\n"
end

--- The stored listing, as a map from a rule's head line to its whole entry.
function M.stored(path)
  local entries, head, file = {}, nil, io.open(path)
  if not file then return entries end
  for row in file:lines() do
    if row:sub(1, 1) ~= " " then
      head = row
      entries[head] = row
    else
      entries[head] = entries[head] .. "\n" .. row
    end
  end
  file:close()
  return entries
end

return M
