--- A C program that calls every function of core/theano.h with arguments that are missing or out of range, one at a
-- time while the others are good, made from the prototypes: what is new in the header is called too.
-- @module spec.support.api_walk
local M = {}

-- By the type of a parameter: good value first, then bad ones.
local VALUES = {
  ["ThContext *"] = { "c", "NULL" },
  ["ThArray *"] = { "a", "NULL", "gone", "read_only", "text_like", "foreign_a" },
  ["ThVar *"] = { "x", "NULL", "shared", "constant", "matrix", "integer", "foreign_x" },
  ["ThApply *"] = { "node", "NULL" },
  ["ThFunction *"] = { "f", "NULL" },
  ["ThCall *"] = { "bound", "NULL" },
  ["ThRandom *"] = { "rng", "NULL" },
  ["ThStream *"] = { "stream", "NULL" },
  ["ThWatch *"] = { "NULL" },
  ["ThRewriteCall *"] = { "graph", "NULL" },
  ["char *"] = { '"x"', "NULL", '""', '"\\xff\\xfe%s%n"', "endless", '"/nowhere/x"', '"sum"', '"float64"' },
  ["void *"] = { "room", "NULL" },
  ["int64_t *"] = { "lengths", "NULL", "negative", "huge", "zeros" },
  ["int *"] = { "numbers", "NULL" },
  ["int32_t *"] = { "(int32_t[]){1, 1, 1, 1, 1, 1}", "NULL", "(int32_t[]){0, 0, 0, 0, 0, 0}",
    "(int32_t[]){-1, 1, 1, 1, 1, INT_MAX}" },
  ["unsigned *"] = { "(unsigned *)numbers", "NULL" },
  ["ThDtype *"] = { "(ThDtype *)numbers", "NULL" },
  ["ThType *"] = { "&vector", "NULL", "&(ThType){77, 99, 1000, 0}" },
  ["ThError"] = { "TH_OK", "(ThError)99", "(ThError)-1" },
  ["ThDtype"] = { "TH_FLOAT64", "TH_INT8", "(ThDtype)99", "TH_DTYPE_NONE", "TH_DTYPE_COUNT", "(ThDtype)-1" },
  ["ThType"] = { "vector", "((ThType){0, 99, 1, 0})", "((ThType){0, 10, 1000, 0})", "((ThType){77, 10, 1, 0})",
    "((ThType){0, 10, 1, ~0u})" },
  ["ThValue"] = { "((ThValue){.i = 1})", "((ThValue){.i = INT64_MIN})", "((ThValue){.f = NAN})" },
  ["ThArg *"] = { "args", "NULL", "args_null", "args_kind", "args_list", "args_key", "args_slice", "args_deep" },
  ["ThArray **"] = { "arrays", "NULL", "(ThArray **)nulls" },
  ["ThVar **"] = { "vars", "NULL", "(ThVar **)nulls" },
  ["ThVar ***"] = { "(ThVar ***)outs", "NULL" },
  ["ThApply **"] = { "(ThApply **)outs", "NULL" },
  ["ThApply ***"] = { "(ThApply ***)outs", "NULL" },
  ["char **"] = { "texts", "NULL", "(const char **)nulls" },
  ["int **"] = { "(int **)outs", "NULL" },
  ["bool"] = { "false", "true" },
  ["char"] = { "'n'", "'?'", "0", "'r'", "'d'", "'f'", "'i'", "'o'" },
  ["double"] = { "1.0", "NAN", "1e308", "-1.0" },
  ["size_t"] = { "8", "0" },
  ["int64_t"] = { "1", "-1", "INT64_MIN", "INT64_MAX" },
  ["uint64_t"] = { "1", "UINT64_MAX" },
  ["uint32_t"] = { "0", "~0u" },
  ["int8_t"] = { "-1", "7" },
  ["ThCompile *"] = { "&compile", "NULL", "&(ThCompile){0}", "&(ThCompile){.nin = 1}", "&(ThCompile){.nout = 1}",
    "&(ThCompile){.nin = -1}", "&(ThCompile){.nout = -5}", "&(ThCompile){.in = &no_in, .nin = 1}",
    "&(ThCompile){.out = &no_out, .nout = 1}", "&(ThCompile){.nupdates = 1}", "&(ThCompile){.ngivens = 2}",
    "&(ThCompile){.updates = &no_pair, .nupdates = 1}", "&(ThCompile){.givens = &no_pair, .ngivens = 1}",
    "&(ThCompile){.nno_default_update_of = 1}", '&(ThCompile){.mode = "nothing"}', '&(ThCompile){.linker = "?"}',
    "&(ThCompile){.memory = -1}", "&(ThCompile){.nupdates = -1}", "&(ThCompile){.ngivens = -1}" },
  ["ThScan *"] = { "&(ThScan){.steps = integer}", "NULL", "&(ThScan){0}", "&(ThScan){.steps = integer, .nseq = 1}",
    "&(ThScan){.steps = integer, .nstate = 1}", "&(ThScan){.steps = integer, .nshared = 1}",
    "&(ThScan){.steps = integer, .ncollect = 1}", "&(ThScan){.steps = integer, .nvalue = 1}",
    "&(ThScan){.steps = integer, .nseq = -1}", "&(ThScan){.steps = integer, .nseq = 1, .seq = none, .seq_in = none}" },
  ["ThCopy *"] = { "&(ThCopy){0}", "NULL", "&(ThCopy){.nswap = 1}", "&(ThCopy){.nswap = -1}",
    "&(ThCopy){.swap = &no_pair, .nswap = 1}" },
  ["ThExport *"] = { '&(ThExport){.name = "walk", .nexample = 1, .example = arrays}',
    '&(ThExport){.name = "walk", .nexample = 1, .example = &foreign_a}', "NULL", "&(ThExport){0}",
    '&(ThExport){.name = "walk", .nexample = 1, .example = (ThArray *const *)none}',
    '&(ThExport){.name = "walk", .nexample = 1}',
    '&(ThExport){.name = "walk", .nexample = -1}', '&(ThExport){.name = "walk", .nresult_names = 1}',
    '&(ThExport){.name = "walk", .dir = "/nowhere"}' },
  ["ThSave *"] = { '&(ThSave){.path = "walk.thn"}', "NULL", "&(ThSave){0}", '&(ThSave){.key = "k"}',
    "&(ThSave){.nnative = 1}", "&(ThSave){.nnative = -1}",
    '&(ThSave){.path = "/nowhere/x", .key = "k", .key_bytes = 1}',
    '&(ThSave){.native = (const char *const *)nulls, .nnative = 1, .key = "k", .key_bytes = 1}' },
  ["ThLoad *"] = { '&(ThLoad){.path = "walk.thn"}', "NULL", "&(ThLoad){0}", '&(ThLoad){.bytes = "x", .nbytes = 1}',
    '&(ThLoad){.bytes = "x", .path = "y"}', '&(ThLoad){.path = "walk.thn", .native = "k", .native_bytes = 1}',
    '&(ThLoad){.bytes = "x", .native = "k"}' },
  ["ThPair *"] = { "&pair", "NULL", "&no_pair" },
  ["ThGradOptions *"] = { "NULL", "&(ThGradOptions){0}", "&(ThGradOptions){.nconsider = 1}",
    "&(ThGradOptions){.nknown = 1}", "&(ThGradOptions){.nknown = -1}", "&(ThGradOptions){.nconsider = -1}",
    "&(ThGradOptions){.nknown = 1, .known = none, .known_grad = none}", "&(ThGradOptions){.disconnected = '?'}",
    "&(ThGradOptions){.disconnected_inputs = (ThPolicy)9}" },
  ["ThOpDef *"] = { '&(ThOpDef){.name = "op"}', "NULL", "&(ThOpDef){0}", '&(ThOpDef){.name = "op", .ngraph_out = 1}',
    '&(ThOpDef){.name = "op", .ngraph_in = -1}', '&(ThOpDef){.name = "op", .graph_in = none, .ngraph_in = 1}' },
  ["ThWatchSpec *"] = { "&(ThWatchSpec){.kind = 'n'}", "NULL", "&(ThWatchSpec){0}" },
  ["ThWatchNode *"] = { "NULL" },
  ["ThRewriteSpec *"] = { "&(ThRewriteSpec){0}", "NULL", '&(ThRewriteSpec){.name = "mine"}',
    '&(ThRewriteSpec){.name = "mine", .before = "exp("}', '&(ThRewriteSpec){.before = "exp(x)", .after = "x"}' },
  ["ThRewriteEvent **"] = { "(ThRewriteEvent **)outs", "NULL" },
  ["ThDebugPrint *"] = { "NULL", "&(ThDebugPrint){0}", "&(ThDebugPrint){.depth = -9, .ids = '?'}" },
  ["ThDLManaged *"] = { "&(ThDLManaged){.tensor = {room, {1, 0}, 0, {2, 64, 1}, NULL, NULL, 0}}", "NULL",
    "&(ThDLManaged){0}", "&(ThDLManaged){.tensor = {room, {2, 9}, 0, {2, 64, 1}, NULL, NULL, 0}}",
    "&(ThDLManaged){.tensor = {room, {1, 0}, 2, {2, 64, 1}, negative, huge, 3}}" },
  ["ThDLVersioned *"] = { "&(ThDLVersioned){.tensor = {room, {1, 0}, 0, {2, 64, 1}, NULL, NULL, 0}}", "NULL",
    "&(ThDLVersioned){.major = 77}", "&(ThDLVersioned){.tensor = {NULL, {1, 0}, 1, {2, 64, 1}, huge, NULL, 0}}" },
  ["ThRanks *"] = { "NULL", "&(ThRanks){0}", "&(ThRanks){.n = 1}" },
  ["ThRanksOp"] = { "TH_RANKS_SUM", "(ThRanksOp)9", "(ThRanksOp)-1" },
  ["ThDevice *"] = { "&(ThDevice){0}", "NULL" },
  ["ThPrintOptions *"] = { "&(ThPrintOptions){8, 3, false, 75, 1000}", "NULL",
    "&(ThPrintOptions){-1, -1, true, -1, -1}",
    "&(ThPrintOptions){1 << 30, 1 << 30, true, 1 << 30, INT64_MAX}" },
  ["ThTextOptions *"] = { "NULL", "&(ThTextOptions){0}", "&(ThTextOptions){.nusecols = 1}",
    "&(ThTextOptions){.nusecols = -1, .dtype = (ThDtype)99}" },
  ["ThSparse *"] = { "&(ThSparse){0}", "NULL" },
  ["uint32_t *"] = { "(uint32_t *)room", "NULL" },
  ["uint64_t *"] = { "(uint64_t *)lengths", "NULL" },
  ["ThPcg64 *"] = { "&(ThPcg64){.inc = {0, 1}}", "NULL", "&(ThPcg64){{0}}" },
  ["ThRandomState *"] = { "&state", "NULL", "&bad_state" },
  ["ThNpz *"] = { "&npz", "NULL" },
  ["ThLogFn"] = { "NULL" },
  ["ThLimits *"] = { "&(ThLimits){0}", "NULL" },
  ["void **"] = { "(void **)outs", "NULL" },
  ["size_t *"] = { "(size_t *)room", "NULL" },
  ["ThHost *"] = { "NULL", "&(ThHost){0}" },
  ["ThProfile *"] = { "(ThProfile *)room", "NULL" },
  ["ThProfileStep *"] = { "(ThProfileStep *)room", "NULL" },
  ["ThValue *"] = { "(ThValue *)room", "NULL" },
  ["ThClient **"] = { "(ThClient **)outs", "NULL" },
}
-- Numbers of things in a list (which holds 4), and places in one.
local COUNT = { "1", "0", "-1", "INT_MIN" }
local PLACE = { "0", "-1", "99", "INT_MIN", "INT_MAX" }
local counts = {}
for name in ("n nin nout nf nargs max nreplace nmeta nusecols"):gmatch("%S+") do counts[name] = true end

-- Called with no argument but a good one: what they are given is gone afterwards.
local function ends(name) return name:find("_release$") or name:find("_free$") or name == "th_npz_free" end

--- The public headers as one text.
function M.headers()
  local text = {}
  for i, name in ipairs({ "theano", "theano_random", "theano_device", "theano_function", "theano_rewrite" }) do
    local file = assert(io.open("core/" .. name .. ".h"))
    text[i] = file:read("a")
    file:close()
  end
  return table.concat(text)
end

--- {name, {{type, name}, ..}, returns} of each prototype, in order.
function M.prototypes(header)
  local text = header:gsub("/%*.-%*/", " "):gsub("#[^\n]*\\\n[^\n]*", " ")
  local list = {}
  for declaration in text:gmatch("\nTH_API%s+(.-);") do
    local returns, name, inside = declaration:gsub("%s+", " "):match("^(.-)([%w_]+) ?%((.*)%)$")
    local parameters = {}
    for one in (inside == "void" and "" or inside):gsub("%(%*[%w_]+%)%b()", "callback"):gmatch("[^,]+") do
      local kind, what = one:gsub("const ", ""):gsub("%s*const%s*", ""):match("^%s*(.-)([%w_]*)%[?%d*%]?%s*$")
      if one:find("%[") then kind = kind .. "*" end
      parameters[#parameters + 1] = { kind:gsub("%s+$", ""), what }
    end
    list[#list + 1] = { name = name, parameters = parameters, returns = returns }
  end
  return list
end

local function values(p)
  if p[2] == "rules" then return { "(char *)room", "NULL" } end -- written, not read
  if p[2] == "seconds" then return { "0.0", "NAN", "-1.0", "1e308" } end -- what follows is to have time
  if p[2] == "callback" then return { "NULL" } end
  if p[2] == "ndim" then return { "1", "-1", "33", "INT_MIN", "INT_MAX" } end
  if p[1] == "int" then return counts[p[2]] and COUNT or PLACE end
  return VALUES[p[1]]
end

-- The calls of one function as C statements.
local function calls(f)
  local good, list = {}, {}
  for i, p in ipairs(f.parameters) do
    local v = values(p)
    if not v then error(("spec/support/api_walk.lua knows no values for '%s %s' of %s"):format(p[1], p[2], f.name)) end
    good[i] = v[1]
  end
  local function add(arguments)
    local text = table.concat(arguments, ", ")
    list[#list + 1] = ("%s%s(%s)"):format(f.returns:find("^void ?$") and "" or "(void)", f.name, text)
  end
  local nothing = {}
  for i, p in ipairs(f.parameters) do
    local null = false
    for _, v in ipairs(values(p)) do null = null or v == "NULL" end
    nothing[i] = null and "NULL" or good[i]
  end
  add(nothing)
  if ends(f.name) then
    if f.name == "th_free" or f.name == "th_npz_free" then add({ "c", "NULL" }) end
    return list
  end
  add(good)
  for i, p in ipairs(f.parameters) do
    for k = 2, #values(p) do
      local these = table.move(good, 1, #good, 1, {})
      these[i] = values(p)[k]
      add(these)
    end
  end
  return list
end

--- The text of the program; it prints a line for each call that ends its process, and at last how many calls it made.
function M.program(header)
  local out, n = {}, 0
  for _, f in ipairs(M.prototypes(header)) do
    if f.name ~= "th_op" and f.name ~= "th_interrupt" then
      for _, call in ipairs(calls(f)) do
        out[#out + 1] = ("    CALL(%d, %s)"):format(n, call)
        n = n + 1
      end
    end
  end
  return table.concat({
    '#include "api_walk.h"\n\nstatic const int ncalls = ' .. n .. ";",
    "static void walk(int from, int tell) {\n    const char *name;",
    table.concat(out, "\n"),
    "    (void)name;\n}\n",
  }, "\n")
end

-- ---- random calls ---------------------------------------------------------------------------------------------------
-- Kinds of handles: how one is taken, and which functions give none of the caller's own.
local POOLS = {
  ["ThArray *"] = "array", ["ThVar *"] = "var", ["ThApply *"] = "apply", ["ThFunction *"] = "function",
  ["ThCall *"] = "call", ["ThRandom *"] = "random", ["ThStream *"] = "stream", ["ThWatch *"] = "watch",
  ["ThRewriteCall *"] = "graph",
}
local BORROWED = {}
for name in ([[th_call_output th_apply_input th_apply_output th_var_owner th_function_input_var th_function_shared
  th_function_output_var th_function_graph_input th_function_node th_rewrite_shape th_array_context]])
  :gmatch("%S+") do BORROWED[name] = true end
-- Not by chance: what others hold, what takes pointers of its own kind, what writes files or takes callbacks.
local LEFT_OUT = {}
for name in ([[th_op th_interrupt th_free th_npz_free th_sparse_parts_free th_context_release th_context_limit
  th_context_new th_call_arena th_call_into th_array_wrap
  th_array_to_dlpack th_array_to_dlpack_versioned th_array_from_dlpack th_array_from_dlpack_versioned
  th_array_on_device th_ranks_set th_print_options th_print_style th_config_set th_config_parse
  th_config_read]]):gmatch("%S+") do
  LEFT_OUT[name] = true
end

-- A C expression that takes one of the values of a parameter: good ones more often.
local function chance(p)
  local v = values(p)
  if POOLS[p[1]] then
    local any = ("any_%s()"):format(POOLS[p[1]])
    if p[1] == "ThArray *" then v = { any, any, any, any, "NULL", "gone", "read_only", "foreign_a" }
    elseif p[1] == "ThVar *" then v = { any, any, any, any, "NULL", "foreign_x", "constant" }
    else v = { any, any, any, "NULL" } end
  end
  local text = v[#v]
  for k = #v - 1, 1, -1 do
    text = ("roll(%d) == 0 ? %s : %s"):format(k == 1 and 1 or #v + 4 - k, v[k], text)
    if k == 1 then text = ("roll(3) ? %s : (%s)"):format(v[1], text) end
  end
  return "(" .. text .. ")"
end

--- The text of a program of random calls: handles that calls give are handed to later ones, in any order.
function M.random_program(header)
  local out, n = {}, 0
  local function add(text)
    out[#out + 1] = ("    case %d: %s break;"):format(n, text)
    n = n + 1
  end
  for _, f in ipairs(M.prototypes(header)) do
    local arguments, own = {}, POOLS[f.returns:gsub("^const ", ""):gsub("%s+$", "")]
    local skipped = LEFT_OUT[f.name] or f.name:find("^th_save") or f.name:find("^th_load_") or ends(f.name)
    for i, p in ipairs(f.parameters) do arguments[i] = not skipped and chance(p) or "" end
    local call = ("%s(%s)"):format(f.name, table.concat(arguments, ", "))
    local say = ('if (loud) fprintf(stderr, "%s\\n"); '):format(f.name)
    if ends(f.name) then
      local pool = f.parameters[1] and POOLS[f.parameters[1][1]]
      if pool then add(say .. ("end_%s();"):format(pool)) end
    elseif not skipped then
      if own and not BORROWED[f.name] then add(say .. ("keep_%s(%s);"):format(own, call))
      elseif f.returns:find("^char %*") then add(say .. ("th_free(c, %s);"):format(call))
      else add(say .. ("%s%s;"):format(f.returns:find("^void ?$") and "" or "(void)", call)) end
    end
  end
  return table.concat({
    '#include "api_random.h"\n\nstatic bool loud;\nstatic const unsigned nplays = ' .. n .. ";",
    "static void play(unsigned which) {\n    loud = getenv(\"LOUD\");\n    switch (which) {",
    table.concat(out, "\n"),
    "    default: break;\n    }\n}\n",
  }, "\n")
end

return M
