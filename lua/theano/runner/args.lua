--- `theano.args`: a script's arguments, declared where they are used.
--     local o = theano.args { lr = 0.1, epochs = 20, kind = { "adam", choices = { "adam", "sgd" } }, quick = false }
--     -- theano script.lua --lr 0.01 --quick, or theano run script.lua --lr 0.01
-- An argument has its default's type: an integer, a number, a text, or a switch (`--quick`, `--no-quick`).
-- @module theano.args
local util = require("theano.util")

local M = {}

local READ = {
  integer = function(s) return math.tointeger(tonumber(s)), "an integer" end,
  float = function(s)
    local v = tonumber(s)
    return v and v + 0.0, "a number"
  end,
  string = function(s) return s, "a text" end,
}

local function declared(name, given)
  local d = type(given) == "table" and given or { given }
  util.check_keywords("args", d[1] ~= nil and { help = d.help, choices = d.choices } or d,
    { help = "string", choices = "table" })
  local kind = math.type(d[1]) or type(d[1])
  if kind ~= "boolean" and not READ[kind] then
    util.raise("TypeError", "args: the default of %s is %s: a number, a text or a boolean is expected", name,
      util.kind_of(d[1]))
  end
  if type(name) ~= "string" or not name:find("^%a[%w_]*$") or name == "help" then
    util.raise("ValueError", "args: '%s' is no name of an argument", tostring(name))
  end
  return { name = name, kind = kind, default = d[1], help = d.help, choices = d.choices }
end

--- What a script wants of its command line, in the order of names: {name =, kind =, default =, help =, choices =}.
function M.declare(spec)
  util.expect("args", "arguments", spec, "table")
  local list = {}
  for name, given in pairs(spec) do list[#list + 1] = declared(name, given) end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

local function show(v) return type(v) == "string" and v or util.text(v) end

-- From a word to a value of the declared kind, or nil and what is wrong.
local function reader(d, word)
  return function(s)
    local v, wanted = READ[d.kind](s)
    if v == nil then return nil, ("--%s: '%s' is not %s"):format(word, s, wanted) end
    local texts = {}
    for i, choice in ipairs(d.choices or {}) do
      if choice == v then return v end
      texts[i] = show(choice)
    end
    if d.choices then return nil, ("--%s: '%s' is none of %s"):format(word, s, table.concat(texts, ", ")) end
    return v
  end
end

-- The parser of a declaration.
local function parser_of(list, script)
  local parser = require("argparse")(script):help_description_margin(28):add_help(false)
  parser:flag("-h --help", "Show this help and end."):target("help") -- its own action would leave in the middle
  for _, d in ipairs(list) do
    local word = d.name:gsub("_", "-")
    local about = (d.help and d.help .. " " or "") .. ("(%s)"):format(show(d.default))
    if d.kind == "boolean" then
      parser:flag("--" .. word, about):target(d.name)
      parser:flag("--no-" .. word):target(d.name):action("store_false"):hidden(true)
    else
      local wanted = "<" .. (d.kind == "float" and "number" or d.kind) .. ">"
      parser:option("--" .. word, about):target(d.name):argname(wanted):convert(reader(d, word))
    end
  end
  return parser
end

--- The values of declared arguments on a command line: a table by name. What is wrong with the line, and `--help`, is
-- printed, and the program ends (2, 0).
-- @tparam table spec name -> default, or {default, help =, choices =}
-- @tparam[opt] table line words (the script's `arg`)
function M.parse(spec, line)
  local list = M.declare(spec)
  local given = line or _G.arg or {}
  local parser = parser_of(list, given[0] or "script.lua")
  local fine, values = parser:pparse(table.move(given, 1, #given, 1, {}))
  if not fine then
    require("theano.runner.current"):nothing()
    io.stderr:write(parser:get_usage(), "\n\nError: ", tostring(values), "\n")
    os.exit(2)
  end
  if values.help then
    require("theano.runner.current"):nothing()
    print(parser:get_help())
    os.exit(0)
  end
  for _, d in ipairs(list) do
    if values[d.name] == nil then values[d.name] = d.default end
  end
  local run = require("theano.runner.current")
  if run.declared then run:declared(values) end
  return values
end

return setmetatable(M, { __call = function(_, spec, line) return M.parse(spec, line) end })
