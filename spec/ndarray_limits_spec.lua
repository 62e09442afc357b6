--- What arrays and variables are called with: nothing loops without end, nothing fails without words.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = theano.tensor

local holds_itself = {}
holds_itself[1] = holds_itself
local deep = {}
do
  local t = deep
  for _ = 1, 200 do t[1] = {} t = t[1] end
end

local a = nd.array({ { 1.0, 2.0, 3.0 }, { 4.0, 5.0, 6.0 } })
local HOSTILE = {
  matrix = T.dmatrix("x"), integers = T.lvector("i"), itself = holds_itself, deep = deep, huge = 1 << 62,
  negative = -(1 << 62), least = math.mininteger, float = 2.0 ^ 62, nan = 0 / 0, infinity = math.huge, empty = {},
  text = "x", truth = true, call = print, lengths = { 1 << 62 }, mixed = { a, T.dmatrix() }, complex = nd.complex(1, 2),
  counts = nd.array({ 1, 2, 0 }), keyword = { nope = 1 }, none = nd.zeros({ 0, 3 }), number = nd.array(2),
}
local FILES = { save = 1, load = 1, loadtxt = 1, savetxt = 1, writer = 1, stream = 1, save_npy = 1, save_idx = 1,
  load_idx = 1, load_npy = 1, load_npz = 1, set_printoptions = 1, printoptions = 1 }

-- An error must have a kind and words, and be none of Lua's own about our code.
local function check(what, f, ...)
  debug.sethook(function() error("it never ends", 0) end, "", 20000000)
  local fine, e = pcall(f, ...)
  debug.sethook()
  if fine then return end
  e = tostring(e)
  local ours = e:find(": %u%a+: .") and not (e:find("attempt to") or e:find("stack overflow") or e:find("bad argument")
    or e:find("without a message"))
  assert(ours, what .. ": " .. e)
end

local function refuses(kind, text, f, ...)
  local args = table.pack(...)
  raises(kind, text, function() f(table.unpack(args, 1, args.n)) end)
end

local function walk(module)
  for name, f in pairs(module) do
    if type(f) == "function" and not FILES[name] then
      it(name, function()
        check(name, f)
        for what, v in pairs(HOSTILE) do
          check(name .. " " .. what, f, v)
          check(name .. " a, " .. what, f, a, v)
          check(name .. " " .. what .. ", a", f, v, a)
          check(name .. " a, 1, " .. what, f, a, 1, v)
          check(name .. " twice " .. what, f, v, v)
        end
      end)
    end
  end
end

describe("functions on arrays end, with words where they refuse:", function() walk(nd) end)
describe("functions on variables end, with words where they refuse:", function() walk(T) end)
describe("functions of linear algebra end, with words where they refuse:", function() walk(T.nlinalg) end)

describe("a variable", function()
  local x = T.dvector("x")
  it("is no sequence for ipairs", function()
    raises("TypeError", "no sequence", function() for _ in ipairs(x) do end end)
    assert.equal("TensorType(float64, scalar)", tostring(x[1].type))
  end)
  it("is refused where an array is wanted", function()
    for _, f in ipairs({ nd.split, nd.dsplit, nd.array_split, nd.vsplit }) do
      refuses("TypeError", "symbolic Variable", f, x, 2)
      refuses("TypeError", "Variable", f, nd.zeros({ 2, 2, 2 }), x)
    end
  end)
end)

describe("counts", function()
  it("of variables, differences and factors have ends", function()
    refuses("ValueError", "integer of 0 to", T.fscalars, 2 ^ 62)
    refuses("ValueError", "integer of 0 to", T.fscalars, 1 << 62)
    refuses("ValueError", "integer of 0 to", T.dmatrices, -1)
    assert.equal(3, select("#", T.fscalars(3)))
    refuses("ValueError", "number of 0 to 1000", nd.diff, a, 1 << 62)
    refuses("ValueError", "too many", T.nlinalg.matrix_power, T.dmatrix(), 1 << 62)
    refuses("ValueError", "number of 0 to", T.shape_padleft, T.dvector(), (1 << 32) + 1)
    refuses("ValueError", "number of 0 to", T.reshape, T.dvector(), T.lvector(), (1 << 32) + 1)
    refuses("ValueError", "parts", nd.array_split, a, 1 << 62)
  end)

  it("of operands have none: 300 and more arrays", function()
    local many, column = {}, {}
    for i = 1, 300 do many[i], column[i] = nd.full({ 2 }, i), i end
    assert.same({ 600 }, nd.concatenate(many).shape)
    assert.same({ 300, 2 }, nd.stack(many).shape)
    assert.same({ 2, 300 }, nd.stack(many, 1).shape)
    assert.same({ 300, 2 }, nd.vstack(many).shape)
    assert.same({ 600 }, nd.hstack(many).shape)
    assert.same({ 2, 300 }, nd.column_stack(many).shape)
    assert.same({ 300 }, nd.stack(column).shape)
    assert.equal(300 * 301 // 2, nd.add(table.unpack(many))[0])
    assert.same({ 300, 300 }, nd.largest(table.unpack(many)):tolist())
    local parts = { T.split(T.dvector(), nd.ones({ 100 }, "int64"), 100) }
    assert.equal(100, #parts)
    refuses("ValueError", "number of 0 to 256", T.split, T.dvector(), nd.ones({ 300 }, "int64"), 300)
  end)
end)

describe("tables that hold themselves", function()
  for name, f in pairs({
    as_tensor_variable = T.as_tensor_variable, constant = T.constant, shared = theano.shared, array = nd.array,
    stack = T.stack, sum = nd.sum,
    called = function(t) theano.compile({ inputs = { T.dvector() }, outputs = {} })(t) end,
    pattern = function(t) theano.gof.PatternSub({ T.exp, t }, "x") end,
  }) do
    it("end with words: " .. name, function() check(name, f, holds_itself) end)
  end
end)

describe("random numbers end", function()
  local EXTREME = { 1e-320, 1e-300, 1e-9, 0.5, 1.0, 30.5, 1e15, 9.2e18, 1e300, math.huge, 0 / 0, 0.0, -1.0 }
  for _, d in ipairs(require("theano.core").distributions()) do
    it(d.name .. " with extreme parameters", function()
      local r = nd.random.RandomState(1)
      local function draw(...) check(d.name, r[d.name], r, ...) end
      for _, x in ipairs(EXTREME) do
        for _, y in ipairs(#d > 1 and EXTREME or { 1.0 }) do
          if #d == 0 then draw(2)
          elseif #d == 1 then draw(x, 2)
          elseif #d == 2 then draw(x, y, 2)
          else draw(x, y, x, 2) end
        end
      end
    end)
  end
  it("vonmises is normal where it is narrow", function()
    local r = nd.random.RandomState(3)
    local v = r:vonmises(1.0, 1e18, 1000)
    assert.is_true(math.abs(nd.mean(v) - 1) < 2e-10)
    assert.is_true(math.abs(nd.std(v) / 1e-9 - 1) < 0.1)
    assert.equal(1.0, r:vonmises(1.0, math.huge))
    assert.is_true(math.abs(r:vonmises(1e300, 9.2e18)) <= math.pi)
  end)
end)
