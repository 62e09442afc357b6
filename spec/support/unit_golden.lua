--- Golden units: the plan and the whole generated text of functions of every kind, for each instruction set and CUDA.
-- A case is { name, about, build, flags = .., sizes = .., only = .. }: build returns inputs, outputs and further words
-- of theano.compile; sizes makes the version for calls of these lengths. spec/golden/units/NAME.txt holds its texts but
-- for what many units begin with, which stands once in spec/golden/units/TARGET.lst: its text by the name that it has.
-- @module spec.support.unit_golden
local theano = require("theano")
local M = require("spec.support.kept")("spec/golden/units/")

M.targets = { "sse2", "avx2", "avx512", "cuda" }
local FAMILIES = { "elementwise", "rows", "reduced", "moved", "products", "control", "draws", "large" }

--- Everything that a text may depend on, so that it is the same on any machine and under any flags.
local FLAGS = {
  linker = "interpreter", optimizer = "fast_run", mode = "Mode", device = "cpu", floatX = "float64", openmp = false,
  openmp_elemwise_minsize = 200000, ["compile.tiers"] = false, profile = false, optimizer_excluding = "",
  optimizer_including = "", ["gcc.cxxflags"] = "", allow_gc = false, cast_policy = "custom",
  ["tensor.local_elemwise_fusion"] = true, exception_verbosity = "low", ["conv.algorithm"] = "auto",
  on_unused_input = "ignore", optimizer_requiring = "", int_division = "int", warn_float64 = "ignore",
  compute_test_value = "off", ["conv.autotune"] = false, on_opt_error = "raise",
}

--- All cases, in order.
function M.cases()
  local list, seen = {}, {}
  for _, family in ipairs(FAMILIES) do
    for _, case in ipairs(require("spec.support.units." .. family)) do
      assert(not seen[case[1]], case[1])
      seen[case[1]] = true
      list[#list + 1] = case
    end
  end
  return list
end

--- Calls fn with the function of a case, under its flags.
function M.with(case, fn)
  local flags = {}
  for k, v in pairs(FLAGS) do flags[k] = v end
  for k, v in pairs(case.flags or {}) do flags[k] = v end
  local _ <close> = theano.config.change_flags(flags)
  local inputs, outputs, more = case[3]()
  local spec = { inputs = inputs, outputs = outputs }
  for k, v in pairs(more or {}) do spec[k] = v end
  fn(theano.compile(spec))
end

local function texts_of(case, f)
  local texts = { plan = theano.printing.plan(f) }
  for _, target in ipairs(M.targets) do
    local cuda = target:find("cuda", 1, true)
    if not (cuda and case.sizes) then
      local ok, text = pcall(theano.printing.ccode, f, target, not cuda and case.sizes or nil)
      if not ok and theano.error_kind(text) ~= "NotImplementedError" then error(text, 0) end
      texts[target] = ok and text or "none: " .. tostring(text):match("NotImplementedError: ([^\n]*)") .. "\n"
    end
  end
  return texts
end

--- Plan and texts of a case: { plan = .., sse2 = .., .. }.
function M.texts(case)
  local texts
  M.with(case, function(f) texts = texts_of(case, f) end)
  return texts
end

-- ---- what many units begin with ------------------------------------------------------------------------------------
-- Pieces end where a line leaves no brace, no #if and no #define open; comments and empty lines go with what follows.
local function pieces(text)
  local list, from, braces, ifs, defines = {}, 1, 0, 0, 0
  for line, at in text:gmatch("([^\n]*\n)()") do
    local word = line:match("^#(%a+)")
    if word then
      if word:sub(1, 2) == "if" then ifs = ifs + 1 elseif word == "endif" then ifs = ifs - 1 end
      if word == "define" then defines = defines + 1 elseif word == "undef" then defines = defines - 1 end
    else
      local code = line:gsub("/%*.-%*/", "")
      braces = braces + select(2, code:gsub("{", "")) - select(2, code:gsub("}", ""))
    end
    if braces == 0 and ifs == 0 and defines == 0 and (at > #text or not line:find("^/%*.*%*/\n$") and line ~= "\n") then
      list[#list + 1] = text:sub(from, at - 1)
      from = at
    end
  end
  assert(from == #text + 1, "a piece without an end")
  return list
end

-- The name that a piece defines: of its first function, or its type.
local function name_of(piece)
  for line in piece:gmatch("[^\n]+") do
    line = line:gsub("__attribute__%b() ?", "")
    local name = line:match("^typedef.-([%w_]+) ?;[^;]*$") or line:match("^} ([%w_]+);")
      or line:match("^static .-%(%*const ([%w_]+)%[") or line:match("^static const .-([%w_]+)%[")
      or line:match("^const %w+ ([%w_]+) =") or line:match("^[%a].-([%w_]+)%(")
    if name then return name end
  end
  return (piece:match("[%w_]+")) or ""
end

-- Where the words that all texts of the target begin with are over, and where helpers are.
local HEADS = { ["cuda"] = "INLINE void record%b().-\n}\n()" }
local function cut(target, text)
  local head = text:match(HEADS[target] or "\n#define INLINE [^\n]*\n()")
  local body = text:find("\n", head, true) == head and head or assert(text:find("\n\n", head, true)) + 1
  local first = assert(text:find("\n", 1, true)) + 1 -- the first line names the version
  return text:sub(first, head - 1), text:sub(head, body - 1), text:sub(body + 1)
end

local Dictionary = {}
Dictionary.__index = Dictionary

--- The name under which a piece is kept: another one for another text.
function Dictionary:name(piece, name)
  local n, key = 1, name
  while self.text[key] and self.text[key] ~= piece do
    n = n + 1
    key = name .. "#" .. n
  end
  self.text[key] = piece
  return key
end

function Dictionary:listing()
  local names, out = {}, {}
  for name in pairs(self.text) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do out[#out + 1] = "== " .. name .. "\n" .. self.text[name] end
  return table.concat(out)
end

-- "uses: a b c", broken at 120 columns.
local function words(what, list)
  local out, line = {}, what
  for _, w in ipairs(list) do
    if #line + #w + 1 > 118 then
      out[#out + 1] = line
      line = "   "
    end
    line = line .. " " .. w
  end
  out[#out + 1] = line
  return table.concat(out, "\n") .. "\n"
end

-- What the body of a text for another target says too goes by its name alone. before: text by name, of that one.
local function body_of(text, before)
  local out, same, own = {}, {}, {}
  local function flush()
    if #same > 0 then out[#out + 1] = words("as above:", same) end
    same = {}
  end
  for _, piece in ipairs(pieces(text)) do
    local name = name_of(piece)
    own[name] = own[name] == nil and piece or false -- no name for two
    if before[name] == piece and own[name] then
      same[#same + 1] = name
    else
      flush()
      out[#out + 1] = piece
    end
  end
  flush()
  return table.concat(out), own
end

local function short(dictionary, target, text, before)
  if text:sub(1, 5) == "none:" then return text, before end
  local head, helpers, body = cut(target, text)
  local used = { dictionary:name(head, "head") }
  for _, piece in ipairs(pieces(helpers)) do used[#used + 1] = dictionary:name(piece, name_of(piece)) end
  local rest, own = body_of(body, before)
  return words("uses:", used) .. rest, own
end

--- All files by name: the text of each.
function M.files()
  local files, dictionaries = {}, {}
  for _, target in ipairs(M.targets) do dictionaries[target] = setmetatable({ text = {} }, Dictionary) end
  for _, case in ipairs(M.cases()) do
    local texts = M.texts(case)
    local out = { "# " .. case[2] .. "\n", "==== plan\n", texts.plan }
    local before = {}
    for _, target in ipairs(M.targets) do
      if texts[target] then
        out[#out + 1] = "==== " .. target .. "\n"
        out[#out + 1], before = short(dictionaries[target], target, texts[target], before)
      end
    end
    files[case[1] .. ".txt"] = table.concat(out)
  end
  for target, d in pairs(dictionaries) do files[target .. ".lst"] = d:listing() end
  return files
end

-- ---- reading them --------------------------------------------------------------------------------------------------
-- The words of a list that starts at a line, and where it ends.
local function list_at(text, at)
  local line, to = text:match("^[%l ]+:([^\n]*)\n()", at)
  local all = { line }
  while text:find("^    ", to) do
    line, to = text:match("^([^\n]*)\n()", to)
    all[#all + 1] = line
  end
  local list = {}
  for w in table.concat(all):gmatch("%S+") do list[#list + 1] = w end
  return list, to
end

-- The texts of a dictionary by name; the last one is remembered.
local last = {}
local function entries(text)
  if last.of == text then return last.list end
  local list, at = {}, 1
  while at <= #text do
    local name, from = text:match("^== ([^\n]*)\n()", at)
    local to = text:find("\n== ", from, true) or #text
    list[name] = text:sub(from, to)
    at = to + 1
  end
  last = { of = text, list = list }
  return list
end

--- The whole text of a case for a target, but for the first line, from what is kept (or from `files`); nil: none is.
function M.whole(name, target, files)
  local function get(file) return files and files[file] or M.stored(file) end
  local before = {}
  local text = (get(name .. ".txt") or ""):gsub("^.-\n(==== )", "%1", 1) .. "==== "
  local at = 1
  while true do
    local section, from = text:match("^==== ([%w-]+)\n()", at)
    if not section then return nil end
    local to = assert(text:find("\n==== ", from, true))
    local part = text:sub(from, to)
    at = to + 1
    if section ~= "plan" and part:sub(1, 5) == "uses:" then
      local items, out, own = entries(get(section .. ".lst")), {}, {}
      local list, body = list_at(part, 1)
      for _, w in ipairs(list) do out[#out + 1] = items[w] end
      out[#out + 1] = "\n"
      part = part:sub(body)
      while #part > 0 do
        local listed = part:find("^as above:") and 1 or part:find("\nas above:", 1, true)
        local plain = part:sub(1, listed == 1 and 0 or listed or #part)
        out[#out + 1] = plain
        for _, piece in ipairs(pieces(plain)) do own[name_of(piece)] = piece end
        part = part:sub(#plain + 1)
        if #part > 0 then
          list, body = list_at(part, 1)
          for _, w in ipairs(list) do
            out[#out + 1], own[w] = before[w], before[w]
          end
          part = part:sub(body)
        end
      end
      before = own
      if section == target then return table.concat(out) end
    end
  end
end

return M
