--- What arrays and variables are called with: nothing loops without end, nothing fails without words.
local theano = require("theano")
local raises = require("spec.support.raises")
local refuses = require("spec.support.refuses")
local T, nd = theano.tensor, theano.ndarray

local holds_itself = {}
holds_itself[1] = holds_itself
local deep = {}
do
  local t = deep
  for _ = 1, 200 do t[1] = {} t = t[1] end
end

local a = nd.array({ { 1.0, 2.0, 3.0 }, { 4.0, 5.0, 6.0 } })
local nowhere = os.tmpname() .. "/x" -- below a file: what writes files by this name fails
local HOSTILE = {
  matrix = T.dmatrix("x"), integers = T.lvector("i"), itself = holds_itself, deep = deep, huge = 1 << 62,
  negative = -(1 << 62), least = math.mininteger, float = 2.0 ^ 62, nan = 0 / 0, infinity = math.huge, empty = {},
  text = nowhere, truth = true,
  call = print, lengths = { 1 << 62 }, mixed = { a, T.dmatrix() }, complex = nd.complex(1, 2),
  counts = nd.array({ 1, 2, 0 }), keyword = { nope = 1 }, none = nd.zeros({ 0, 3 }), number = nd.array(2),
}
local FILES = { save = 1, load = 1, loadtxt = 1, savetxt = 1, writer = 1, stream = 1, save_npy = 1, save_idx = 1,
  savez = 1, savez_compressed = 1, load_idx = 1, load_npy = 1, load_npz = 1, set_printoptions = 1, printoptions = 1 }

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

local function callable(f) -- types are called too
  return type(f) == "function" or type(f) == "userdata" and (debug.getmetatable(f) or {}).__call ~= nil
end

local function walk(module)
  local b = a:copy() -- some write to it
  for name, f in pairs(module) do
    if callable(f) and not FILES[name] then
      it(name, function()
        check(name, f)
        for what, v in pairs(HOSTILE) do
          check(name .. " " .. what, f, v)
          check(name .. " b, " .. what, f, b, v)
          check(name .. " " .. what .. ", b", f, v, b)
          check(name .. " b, 1, " .. what, f, b, 1, v)
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

describe("extremes of integers", function()
  local line = nd.arange(6)
  it("as steps of slices", function()
    local most, least = math.maxinteger, math.mininteger
    assert.same({ 0 }, line["::9223372036854775807"]:tolist())
    assert.same({ 5 }, line["::-9223372036854775808"]:tolist())
    assert.same({ 1 }, line["1:5:9223372036854775806"]:tolist())
    assert.same({ 0 }, line:sub({ 0, 6, most }):tolist())
    assert.same({ 5 }, line:sub({ 5, 0, least }):tolist())
    assert.same({ 0, 3 }, line["-9223372036854775808:9223372036854775807:3"]:tolist())
    raises("IndexError", "too large", function() return line["9223372036854775808:"] end)
    line:copy()["::9223372036854775807"] = 7
  end)
  it("as bounds of arange", function()
    local most, least = math.maxinteger, math.mininteger
    assert.same({ least, -(1 << 62), 0, 1 << 62 }, nd.arange(least, most, 1 << 62):tolist())
    assert.same({ most, 1, -most + 2 }, nd.arange(most, -most, -(most - 1)):tolist())
    assert.same({ most - 2, most - 1 }, nd.arange(most - 2, most):tolist())
    assert.same({ 5 }, nd.arange(5, 0, least):tolist())
    assert.same({}, nd.arange(0, 5, least):tolist())
    assert.same({ least, least + most }, nd.arange(least, 0, most):tolist())
    raises("ValueError", "more than 2^63", function() nd.arange(least, most) end)
  end)
end)

describe("a table of arrays", function()
  it("is stacked, in the dtype that holds all", function()
    local t = nd.array({ { a, a + 1 }, { a, a } })
    assert.same({ 2, 2, 2, 3 }, t.shape)
    assert.equal(7.0, t[{ 0, 1, 1, 2 }])
    assert.equal("float32", nd.array({ nd.ones(2, "float32"), nd.ones(2, "int8") }).dtype)
    assert.equal("complex128", nd.array({ nd.array(1), nd.complex(1, 2) }).dtype)
    assert.same({ 1, 2 }, nd.array({ nd.array(1), 2 }):tolist())
    assert.same({ 2, 0 }, nd.array({ nd.zeros({ 0 }), nd.zeros({ 0 }) }).shape)
    assert.same({ { 1.0, 4.0 }, { 2.0, 5.0 }, { 3.0, 6.0 } }, nd.array({ a.T, a.T })[0]:tolist())
  end)
  it("is refused where it is ragged or freed", function()
    raises("ValueError", "another shape", function() nd.array({ a, nd.ones(2) }) end)
    raises("ValueError", "beside an array", function() nd.array({ a, 1 }) end)
    raises("ValueError", "ragged", function() nd.array({ 1, a }) end)
    local gone = nd.ones(3)
    gone:free()
    raises("ValueError", "freed", function() nd.array({ gone, gone }) end)
  end)
end)

describe("a mask without dimensions", function()
  local yes, no = nd.array(true), nd.array(false)
  it("takes everything or nothing along a new axis", function()
    assert.same({ 1, 2, 3 }, a[yes].shape)
    assert.same({ 0, 2, 3 }, a[no].shape)
    assert.same({ 5 }, nd.array(5)[yes]:tolist())
    local b = a:copy()
    b[no] = 7
    assert.is_true(nd.array_equal(a, b))
    b[yes] = 7
    assert.equal(42.0, nd.sum(b))
  end)
end)

describe("arguments that cannot be read are refused:", function()
  local x, w = T.dtensor4("x"), T.dtensor4("w")
  it("shapes of convolutions", function()
    raises("TypeError", "not a variable", function() T.nnet.conv2d(x, w, { input_shape = x.shape }) end)
    raises("TypeError", "known while building", function()
      T.nnet.conv2d(x, w, { filter_shape = { T.lscalar(), 1, 2, 2 } })
    end)
  end)
  it("windows that are no integers", function()
    local pool = T.signal.pool.pool_2d
    raises("TypeError", "must hold integers", function() pool(x, { ws = nd.array({ 2.5, 2.5 }) }) end)
    raises("TypeError", "must hold integers", function() pool(x, { ws = T.dvector(), stride = { 1, 1 } }) end)
    raises("TypeError", "must hold integers", function() pool(x, { ws = { 2, 2 }, pad = nd.array({ 0.5, 0 }) }) end)
    raises("TypeError", "must hold integers", function() pool(x, { ws = 2.5 }) end)
  end)
end)

describe("compiled functions take complex numbers", function()
  it("in tables", function()
    local z = T.zmatrix("z")
    local f = theano.compile({ inputs = { z }, outputs = z * 2 })
    local got = f({ { nd.complex(1, 2), 3 }, { 0, nd.complex(0, -1) } })
    assert.is_true(nd.array_equal(nd.array({ { nd.complex(2, 4), 6 }, { 0, nd.complex(0, -2) } }), got))
  end)
  it("where the type holds them", function()
    local single, real = T.cvector("c"), T.dvector("d")
    local f = theano.compile({ inputs = { single }, outputs = single + 1 })
    assert.equal("complex64", f({ nd.complex(1, 0.5), 2 }).dtype)
    raises("TypeError", "cannot be held exactly by complex64", function() f({ nd.complex(0.1, 0), 2 }) end)
    raises("TypeError", "1+2j cannot be held exactly by float64", function()
      theano.compile({ inputs = { real }, outputs = real })({ 1, nd.complex(1, 2) })
    end)
  end)
end)

describe("Kronecker products of other ranks", function()
  it("are those of scipy.linalg.kron before 1.13", function()
    local x, y = T.dtensor3("x"), T.dmatrix("y")
    local f = theano.compile({ inputs = { x, y }, outputs = T.slinalg.kron(x, y) })
    local p, q = nd.arange(24.0):reshape({ 2, 3, 4 }), nd.arange(6.0):reshape({ 2, 3 })
    local outer = nd.outer(p, q):reshape({ 2, 3, 4, 2, 3 })
    local want = outer:transpose({ 0, 2, 1, 3, 4 }):reshape({ 2 * 4, 3 * 2, 3 })
    assert.is_true(nd.array_equal(want, f(p, q)))
    local v, m = T.dvector("v"), T.dmatrix("m")
    assert.same({ 18 }, theano.compile({ inputs = { v, m }, outputs = T.slinalg.kron(v, m) })(nd.ones(3), q).shape)
    raises("TypeError", "sum to 3 or more", function() T.slinalg.kron(v, v) end)
  end)
end)
