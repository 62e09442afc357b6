--- What somebody who wrote Python, or Torch's Lua 5.1, meant: a line behind a message of Lua's own about a text that is
-- not Lua, or about a name that is not there.
-- @module theano.hints
local M = {}

-- Patterns for a line without its strings and comments, the first that fits; a function gives the text, or nil for
-- another try. `above`: the line may stand above the one that Lua names.
local LINES = {
  { "%f[%w_]theano%s*[.:]%s*function%f[^%w_]",
    "theano.function([x], y) is theano.compile { inputs = { x }, outputs = y } here: `function` is a word of Lua's" },
  { "[.:]%s*(%l+)%s*%(", function(word)
    local kept = { ["and"] = "T.and_(x, y)", ["or"] = "T.or_(x, y)", ["not"] = "T.invert(x)",
      ["repeat"] = "T.repeat_(x, 2), x:repeat_(2)", ["in"] = "in_" }
    return kept[word] and ("`%s` is a word of Lua's: %s"):format(word, kept[word])
  end },
  { "^%s*import%s+([%w_.]+)", function(name) return M.module(name) end },
  { "^%s*from%s+([%w_.]+)%s+import%f[%W]", function(name) return M.module(name) end },
  { "%f[%w_]lambda%f[^%w_]", "lambda x: x + 1 is function(x) return x + 1 end" },
  { "!=", "x != y is x ~= y for Lua's values, T.neq(x, y) or x:neq(y) for variables and arrays" },
  { "[%w_)%]]%s*%[[^%]]*:", 'x[1:2] is x["1:2"], as text, or x[{ T.slice(1, 2) }]' },
  { "[%w_)%]]%s*%[[^%[%]{}()]*,", 'x[0, 1] is x[{ 0, 1 }], or x["0, 1"]' },
  { "^%s*def%s+[%w_]+%s*%(", "def f(x): is local function f(x) .. end", above = true },
  { "^%s*class%s+[%w_]+", "Lua has no classes: tables with a metatable; layers are in theano.layers" },
  { "^%s*for%s.-:%s*$", "for i in range(3): is for i = 0, 2 do .. end; lists: for i, x in ipairs(list) do .. end",
    above = true },
  { "^%s*for%s[^:]-%sin%s[^:]*%)%s*:%s*%S", "for i in range(3): f(i) is for i = 0, 2 do f(i) end", above = true },
  { "^%s*while%s.-:%s*$", "while x: is while x do .. end", above = true },
  { "^%s*el?i?f?%s*i?f?%s.-:%s*$", "if x: .. elif y: .. else: .. is if x then .. elseif y then .. else .. end",
    above = true },
  { "^%s*if%s.-:%s*$", "if x: .. elif y: .. else: .. is if x then .. elseif y then .. else .. end", above = true },
  { "^%s*else%s*:%s*$", "if x: .. else: .. is if x then .. else .. end", above = true },
  { "^%s*elif%f[%W]", "elif is elseif", above = true },
  { "^%s*try%s*:", "try: .. except: is local ok, message = pcall(function() .. end)", above = true },
  { "^%s*with%s.-:%s*$", "with a as b: is local b <close> = a, closed where its block ends", above = true },
  { "^%s*raise%f[%W]", 'raise ValueError("text") is error("text")' },
  { "^%s*assert%s+[^(]", 'assert x, "text" is assert(x, "text")' },
  { "^%s*print%s+[^(]", "print x is print(x)" },
  { "^%s*pass%s*$", "pass is nothing at all: a block may be empty" },
  { "^%s*del%s", "del x is x = nil" },
  { "^%s*global%s", "a name that was not made by `local` is global already" },
  { "%S%s+if%s.-%selse%s", "a if x else b is x and a or b for Lua's values (where a is not false), " ..
    "T.switch(x, a, b) for variables" },
  { "%?", "x ? a : b is x and a or b for Lua's values (where a is not false), T.switch(x, a, b) for variables" },
  { "[%w_)%]]%s*[-+*/%%]=", "x += 1 is x = x + 1" },
  { "[(,]%s*%*%*?%a", "f(*args) is f(table.unpack(args)); f(**options) is f(options), a table of names" },
  { "%*%*", "x ** 2 is x ^ 2" },
  { "&&", "x && y is x and y" },
  { "||", "x || y is x or y" },
  { "!%s*[%w_(]", "!x is not x" },
  { "^%s*@", "Lua has no decorators: f = decorate(f)" },
  { "[%w_)%]]%s*@%s*[%w_(]", "x @ w is T.dot(x, w)" },
  { "[=(,{]%s*%[%s*[^%[=]", "[1, 2] is { 1, 2 }" },
  { "[{,]%s*['\"%w_]+%s*:%s", '{"a": 1} is { a = 1 }' },
  { "%f[%w]%d[%d.]*[jJ]%f[%W]", "3j is nd.complex(0, 3)" },
  { "[(,]%s*([%a_][%w_]*)%s*=%s*[^=]", function(name)
    return ("f(x, %s=..) is f(x, { %s = .. }): names go in a table behind the rest"):format(name, name)
  end },
  { "=%s*%([^()]*,[^()]*%)", "a tuple is a table: { 1, 2 }; x, y = 1, 2 needs no brackets" },
  { "=%s*[%w_.]+%s*=%s*[^=]", "x = y = 1 is x = 1; y = x" },
  { "#", "a comment starts with --" },
}

-- Names that are not there, and what they are here.
local NAMES = {
  None = "nil", True = "true", False = "false",
  len = "#x", range = "for i = 0, n - 1 do", str = "tostring(x)", int = "x // 1 or math.tointeger(x)",
  float = "tonumber(x)", isinstance = "type(x)", np = 'nd: local nd = require "theano.ndarray"',
  numpy = 'nd: local nd = require "theano.ndarray"', T = 'local T = require "theano.tensor"',
  nd = 'local nd = require "theano.ndarray"', theano = 'local theano = require "theano"',
  tensor = 'local T = require "theano.tensor"', enumerate = "for i, x in ipairs(list) do", zip = "an index for both",
  xrange = "for i = 0, n - 1 do", unpack = "table.unpack(list)", loadstring = "load(text)",
  torch = 'nd: local nd = require "theano.ndarray" (docs/from-torch7.md)',
  nn = 'require "theano.layers" (docs/from-torch7.md)',
}

-- What stands before a dot and is no value.
local MODULES = {}
for name in ([[theano T nd math string table io os linalg nlinalg slinalg fft random special optimize integrate
  interpolate signal sparse nnet extra_ops gradient printing layers train]]):gmatch("%S+") do MODULES[name] = true end

--- What `import NAME` is.
function M.module(name)
  local root = name:match("^[%w_]+")
  if root == "theano" then
    local short = name == "theano.tensor" and "T" or name:match("[%w_]+$")
    return ('import %s is local %s = require "%s"'):format(name, short, name)
  end
  if root == "numpy" or root == "scipy" then
    return ('%s is theano.ndarray here: local nd = require "theano.ndarray"'):format(root)
  end
  return ('import %s is local %s = require "%s"'):format(name, root, name)
end

-- A line without the insides of its strings and without its comment.
local function bare(line)
  line = line:gsub("\\.", "  ")
  return (line:gsub("(['\"])(.-)%1", "%1%1"):gsub("%-%-.*$", ""))
end

local function of_line(line, above)
  if line:find("'''", 1, true) or line:find('"""', 1, true) then return "'''a long text''' is [[a long text]]" end
  line = bare(line)
  for _, row in ipairs(LINES) do
    local found, _, word = line:find(row[1])
    local text = found and (not above or row.above) and row[2]
    if type(text) == "function" then text = text(word) end
    if text then return text end
  end
end

-- The lines of a text, or of the file that a message names: `path` is where it is when the message has cut its name.
local function lines_of(text, name, path)
  local list = {}
  if not text then
    local tail = name:match("^%.%.%.(.*)")
    local file = io.open(tail and path and path:sub(-#tail) == tail and path or name)
    if not file then return list end
    text = file:read("a")
    file:close()
  end
  for line in (text .. "\n"):gmatch("(.-)\r?\n") do list[#list + 1] = line end
  return list
end

local function of_syntax(name, number, text, path)
  local lines = lines_of(text, name, path)
  local hint = lines[number] and of_line(lines[number])
  local seen = 0
  while not hint and number > 1 and seen < 2 do -- Lua took what ends in ":" for the start of a call
    number = number - 1
    local line = lines[number] or ""
    if line:find("%S") then
      seen = seen + 1
      hint = of_line(line, true)
    end
  end
  return hint
end

local function of_names(message, name, number, text, path)
  local word = message:match("global '([%a_][%w_]*)'")
  if not word then -- a nil that Python's names were taken for
    local line = bare(lines_of(text, name, path)[number] or "")
    for _, candidate in ipairs({ "None", "True", "False" }) do
      local found = not word and line:find("%f[%w_]" .. candidate .. "%f[^%w_]")
      if found and rawget(_G, candidate) == nil then word = candidate end
    end
  end
  if word and NAMES[word] then return ("%s is %s"):format(word, NAMES[word]) end
end

-- A method that was called with a dot: its first argument is not there.
local function of_dots(said, name, number, text, path)
  local first = said:find("argument 1: [Vn]%a+ expected, got ") or said:find("argument '[%w_]+' is missing")
  if not first then return nil end
  local line = bare(lines_of(text, name, path)[number] or "")
  local behind
  for method in line:gmatch("[%])]%.([%a_][%w_]*)%s*[({]") do behind = method end
  if behind then return ("a method is called with a colon: x:%s(..)"):format(behind) end
  for whole, method in line:gmatch("([%a_][%w_.]*)%.([%a_][%w_]*)%s*[({]") do
    local owner = whole:match("[^.]*$")
    local call = ("%s.%s(..) is %s:%s(..): a colon hands %s over"):format(owner, method, owner, method, owner)
    if not MODULES[owner] and not MODULES[whole:match("^[^.]*")] then return call end
  end
end

-- A method of a function: NumPy's elementwise functions have some.
local function of_functions(said, name, number, text, path)
  local f = said:match("attempt to index a function value %(%w+ '([%a_][%w_]*)'%)")
  if not f then return nil end
  local line = bare(lines_of(text, name, path)[number] or "")
  local owner, method = line:match("([%w_.]-)%.?%f[%w_]" .. f .. "%s*%.%s*([%a_][%w_]*)")
  for _, m in ipairs(method and require("theano.ported").methods or {}) do
    if m[1] == method and owner == "T" then return ("T.%s has no methods: %s"):format(f, m[4]:gsub("`", "")) end
    local whole = owner == "" and f or owner .. "." .. f
    if m[1] == method then return ("%s.%s(..) is nd.ufunc(%s).%s(..)"):format(whole, method, whole, method) end
  end
end

--- A message with a line behind it that says what was meant, where that can be told; else the message as it is. Only
-- for a message's first line: what a traceback says is left alone.
-- @tparam string message Lua's, "name:line: text"
-- @tparam ?string text the program, where it is no file
-- @tparam ?string path the file's whole name, which a message may have shortened
function M.explain(message, text, path)
  local first, rest = message:match("^([^\n]*)(.*)$")
  if first:find("^error loading module") then first, rest = message:match("^(.-\n\t[^\n]*)(.*)$") end
  if not first then return message end
  local name, number, said = first:match("([^\n\t]*):(%d+): ([^\n]*)$")
  if not name then return message end
  name, number = name:gsub("^SyntaxError: ", ""), tonumber(number)
  local hint
  if said:find(" near ", 1, true) then hint = of_syntax(name, number, text, path)
  else hint = of_names(said, name, number, text, path) or of_dots(said, name, number, text, path)
    or of_functions(said, name, number, text, path) end
  return hint and ("%s\n  %s%s"):format(first, hint, rest) or message
end

return M
