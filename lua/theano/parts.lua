--- What `require "theano"` puts off: each part of the library is put together when one of its fields is first asked
-- for, so that a program that only loads a saved model pays for no tensor language.
-- @module theano.parts
local core = require("theano.core")
local modules = require("theano.modules")
local require = require -- a host may take it away from its scripts

local M = {}

local theano -- the module whose fields these are
local state = {} -- by part: "loading", then "here"
local make = {} -- by part: a function that gives its fields
local FIELDS = {
  arrays = { "ndarray" },
  functions = { "compile", "function", "In", "Out", "load", "gof", "updates", "OrderedUpdates", "cuda" },
  printing = { "printing", "why", "pp" },
  language = {
    "tensor", "gradient", "sparse", "get_test_value", "typed_list", "shared", "clone", "grad", "Lop", "Rop",
    "subgraph_grad", "sparse_grad", "dot", "get_scalar_constant_value", "Op", "Apply", "as_op", "OpFromGraph", "scan",
    "map", "reduce", "foldl", "foldr", "until_", "scan_module", "scan_checkpoints", "ifelse", "sandbox", "random",
  },
}
local ORDER = { "arrays", "functions", "printing", "language" }
-- Files that stand on the tensor language, under names that are no fields.
local FILES = {
  "nnet", "images", "types", "test_value", "extra", "linalg", "op", "rng_mrg", "rng_sizes", "raw_random",
  "shared_randomstreams", "dropout", "key",
}

local part_of, whose_file = {}, {}
for part, names in pairs(FIELDS) do for _, name in ipairs(names) do part_of[name] = part end end
for _, name in ipairs(FILES) do whose_file[name] = "language" end

--- Puts a part together, once.
function M.need(part)
  if state[part] then return end
  state[part] = "loading"
  local fine, fields = pcall(make[part])
  if not fine then
    state[part] = nil
    error(fields, 0)
  end
  for name, value in pairs(fields) do rawset(theano, name, value) end
  modules.seal_part(theano, part)
  state[part] = "here"
end

--- Everything that was put off. Before a host takes `require` and files away from its scripts, and before all names are
-- looked through.
function M.complete()
  for _, part in ipairs(ORDER) do M.need(part) end
  pairs(theano.ndarray) -- loads what stands in it
end

function make.arrays()
  return { ndarray = require("theano.ndarray") }
end

-- Variables of a loaded function's graph are looked at without the tensor language being there.
local EVENTS = "add sub mul div mod pow unm idiv band bor bxor shl shr bnot concat len index newindex"
local function wake(meta)
  for name in EVENTS:gmatch("%a+") do
    local event = "__" .. name
    meta[event] = meta[event] or function(...)
      M.need("language")
      return meta[event](...)
    end
  end
end

function make.functions()
  M.need("arrays") -- the results
  wake(core.variable_meta)
  local updates, fn = require("theano.updates"), require("theano.compile")
  return {
    updates = updates, OrderedUpdates = updates.OrderedUpdates, compile = fn, ["function"] = fn, In = fn.In,
    Out = fn.Out, load = require("theano.model").load, gof = require("theano.gof"), cuda = require("theano.cuda"),
  }
end

function make.printing()
  local printing = require("theano.printing")
  return { printing = printing, pp = printing.pp, why = require("theano.why").why }
end

function make.language()
  M.need("functions")
  local T, gradient = require("theano.tensor"), require("theano.gradient")
  local new = { tensor = T, gradient = gradient, sparse = require("theano.sparse") }
  require("theano.nnet")
  require("theano.images")
  require("theano.types")
  new.get_test_value = require("theano.test_value").get_test_value
  require("theano.extra")
  local linalg = require("theano.linalg")(T)
  require("theano.alike").variables(T)
  new.typed_list = require("theano.typed_list")
  T.opt = T.opt or {}
  for k, v in pairs(theano.gof.phases) do T.opt[k] = v end
  setmetatable(T.opt, { __index = require("theano.optdb").field })
  new.shared = require("theano.shared")
  new.clone = require("theano.clone")
  for _, name in ipairs({ "grad", "Lop", "Rop", "jacobian", "hessian", "vmap", "verify_grad", "consider_constant" }) do
    T[name] = gradient[name]
  end
  for _, name in ipairs({ "grad", "Lop", "Rop", "subgraph_grad", "sparse_grad" }) do new[name] = gradient[name] end
  new.dot, new.get_scalar_constant_value = T.dot, T.get_scalar_constant_value
  local op, scan = require("theano.op"), require("theano.scan")
  for _, name in ipairs({ "Op", "Apply", "as_op", "OpFromGraph" }) do new[name] = op[name] end
  for _, name in ipairs({ "scan", "map", "reduce", "foldl", "foldr", "until_", "scan_checkpoints" }) do
    new[name] = scan[name]
  end
  new.scan_module = scan
  new.ifelse = require("theano.ifelse")
  new.sandbox = { rng_mrg = require("theano.rng_mrg"), linalg = linalg }
  package.loaded["theano.sandbox"] = new.sandbox
  package.loaded["theano.sandbox.linalg"] = linalg
  T.raw_random = require("theano.raw_random")
  T.shared_randomstreams = require("theano.shared_randomstreams")
  new.random = require("theano.random")
  require("theano.dropout")
  return new
end

-- require's searcher for what parts give: of the library that is loaded now, not of one that was.
local function searcher(name)
  local field = type(name) == "string" and name:match("^theano%.([^.]+)")
  local now = field and package.loaded["theano.parts"]
  return now and now.found(name, field) or nil
end

--- For `searcher`: a loader of the module, or nil where its file is to be looked for.
function M.found(name, field)
  local part = part_of[field] or whose_file[field]
  if not part or state[part] == "loading" then return nil end
  M.need(part)
  local module = theano
  for inner in name:gmatch("%.([^.]+)") do module = type(module) == "table" and modules.field(module, inner) end
  local here = package.loaded[name]
  return here ~= nil and function() return here end or nil
end

--- The module whose fields these are.
function M.library() return theano end

--- The fields into the module, there to be asked for; `later` has more of them: by name, a module that is not sealed.
function M.install(into, later)
  theano = into
  table.insert(package.searchers, 2, searcher)
  local names = {}
  for name in pairs(later) do names[name] = false end
  for name in pairs(part_of) do names[name] = true end
  modules.later(into, names, function(name)
    if names[name] then M.need(part_of[name]) else rawset(into, name, require("theano." .. later[name])) end
  end)
end

return M
