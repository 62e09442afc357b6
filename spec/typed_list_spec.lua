--- Typed lists: every operation in every mode, lists of lists, gradients, and what is refused.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local L, compile = require("theano.typed_list"), theano.compile

local MODES = {
  interpreter = compile.Mode({ linker = "interpreter" }), c = compile.Mode({ linker = "c" }),
  plain = compile.Mode({ linker = "interpreter", optimizer = "None" }),
}
local VALUE = { { 1.0, 2.0 }, { 3.0 }, {}, { 1.0, 2.0 }, { 4.0, 5.0, 6.0 } }

-- Arrays and lists of them as nested tables.
local function plain(v)
  if type(v) == "userdata" then return v:tolist() end
  if type(v) ~= "table" then return v end
  local out = {}
  for i, e in ipairs(v) do out[i] = plain(e) end
  return out
end

describe("a typed list of vectors", function()
  local vectors = L.TypedListType(T.dvector().type)
  local l, x, i = vectors("l"), T.dvector("x"), T.lscalar("i")
  -- want of expression(l, x) for a list and a vector, in every mode
  local function gives(want, expression, list, vector)
    for name, mode in pairs({ interpreter = MODES.interpreter, plain = MODES.plain }) do
      local f = compile({ inputs = { l, x }, outputs = expression, mode = mode })
      assert.same(want, plain(f(list or VALUE, vector or { 9.0, 8.0 })), name)
    end
  end
  local a, b, c, d = VALUE[1], VALUE[2], VALUE[3], VALUE[5]

  it("has a length and elements, counted from either end", function()
    gives(5, L.length(l))
    gives(0, #l, {})
    for k = 0, 4 do
      gives(VALUE[k + 1], l[k])
      gives(VALUE[k + 1], L.getitem(l, k - 5))
    end
    local f = compile({ inputs = { l, i }, outputs = l[i] })
    assert.same(d, f(VALUE, 4):tolist())
    raises("IndexError", "index out of bounds: 7", function() f(VALUE, 7) end)
    raises("IndexError", "out of bounds", function() f(VALUE, -6) end)
    raises("TypeError", "an integer expected", function() local _ = l[1.5] end)
  end)

  it("has slices", function()
    gives({ b, c }, l["1:3"])
    gives({ d, c, a }, l["::-2"])
    gives({}, l["4:2"])
    gives({ c, a, d }, l[T.slice(2)])
  end)

  it("grows, and turns around", function()
    gives({ a, b, c, a, d, { 9.0, 8.0 } }, l:append(x))
    gives({ { 9.0, 8.0 } }, l:append(x), {})
    gives({ a, { 9.0, 8.0 }, b, c, a, d }, l:insert(1, x))
    gives({ a, b, c, a, { 9.0, 8.0 }, d }, l:insert(-1, x))
    gives({ { 9.0, 8.0 } }, l:insert(99, x), {})
    gives({ d, a, c, b, a }, l:reverse())
    gives({ b, b }, l:extend(l), { b })
    gives({ a, b, c, a, d, { 1.5 } }, l:append({ 1.5 }))
  end)

  it("finds, counts and removes what is equal, shape included", function()
    gives({ b, c, a, d }, l:remove(x), nil, a)
    gives({ a, b, a, d }, l:remove(x), nil, {})
    gives({ a, b, c, a, d }, l:remove(x), nil, { 1.0 })
    gives({}, l:remove(x), {})
    gives(2, l:count(x), nil, a)
    gives(1, l:count(x), nil, {})
    gives(0, l:count(x), nil, { 1.0, 2.0, 3.0 })
    gives(0, l:count(x), {}, {})
    gives(4, l:ind(x), nil, d)
    gives(2, L.index(l, x), nil, {})
    local f = compile({ inputs = { l, x }, outputs = L.index_(l, x) })
    raises("AssertionError", "not in the list", function() f(VALUE, { 3.0, 3.0 }) end)
  end)

  it("does the same through generated C", function()
    local f = compile({
      inputs = { l, x }, mode = MODES.c,
      outputs = { #l, l[-1], l["::-2"], l:append(x), l:insert(1, x), l:reverse(), l:extend(l), l:remove(x), l:count(x),
        l:ind(x) },
    })
    local r = { f(VALUE, a) }
    assert.same({ 5, d, { d, c, a }, { a, b, c, a, d, a }, { a, a, b, c, a, d }, { d, a, c, b, a },
      { a, b, c, a, d, a, b, c, a, d }, { b, c, a, d }, 2, 0 }, plain(r))
  end)

  it("is made of variables, and gradients pass through", function()
    local made = L.make_list({ T.sqr(x), x * 2, x["1:"] })
    assert.same({ { 1.0, 4.0, 9.0 }, { 2.0, 4.0, 6.0 }, { 2.0, 3.0 } }, plain(made:eval({ [x] = { 1.0, 2.0, 3.0 } })))
    local g = T.grad(made:reverse()[1]:sum() + T.sqr(made:append(x)[0]):sum(), x)
    assert.same({ 6.0, 34.0 }, g:eval({ [x] = { 1.0, 2.0 } }):tolist())
    theano.gradient.verify_grad(function(v)
      local list = L.make_list({ v, T.exp(v), v["1:"] })
      return T.sqr(list:insert(1, v)["::-1"][2]) + list[0]
    end, { nd.array({ 0.3, 0.6 }) })
  end)

  it("has a type that prints and compares", function()
    assert.equal("TypedList <TensorType(float64, vector)>", tostring(vectors))
    assert.equal("l", tostring(l))
    assert.equal("<TypedList <TensorType(float64, vector)>>", tostring(l:reverse()))
    assert.is_true(vectors == L.TypedListType(x.type))
    assert.is_false(vectors == L.TypedListType(x.type, 1))
    assert.is_true(l.ttype == x.type)
  end)

  it("says what is wrong", function()
    raises("TypeError", "append: a TensorType(float64, vector) expected, got TensorType(float64, matrix)",
      function() l:append(T.dmatrix()) end)
    raises("TypeError", "append takes a typed list, got TensorType", function() L.append(x, x) end)
    raises("TypeError", "extend: a TypedList", function() l:extend(L.TypedListType(T.fvector().type)("k")) end)
    raises("TypeError", "element 2 is a TensorType(float64, matrix)", function() L.make_list({ x, T.dmatrix() }) end)
    raises("TypeError", "at least one", function() L.make_list({}) end)
    raises("ValueError", "depth", function() L.TypedListType(x.type, -1) end)
    raises("TypeError", "a type expected", function() L.TypedListType("float64") end)
    local f = compile({ inputs = { l }, outputs = l[0] })
    raises("TypeError", "takes 1 arguments, got 0", function() f() end)
    raises("TypeError", "l takes a sequence of values, got number", function() f(3) end)
    raises("TypeError", "expected 1, got 2", function() f({ nd.ones({ 2, 2 }) }) end)
  end)
end)

describe("a typed list of lists", function()
  it("does the same one level up", function()
    local n = L.TypedListType(T.dmatrix().type, 1)("n")
    local function full(rows, columns, v) return nd.full({ rows, columns }, v) end
    local value = { { full(1, 2, 1.0), full(2, 1, 2.0) }, { full(1, 1, 3.0) }, {} }
    local a, b, c = table.unpack(plain(value))
    for name, mode in pairs(MODES) do
      local r = { compile({
        inputs = { n }, mode = mode,
        outputs = { n, n:reverse(), n[1], #n, n[-3][1], n["::2"], n:append(n[0]), n:insert(1, n[1]), n:extend(n[{
          T.slice(1, 2) }]) },
      })(value) }
      assert.same({ { a, b, c }, { c, b, a }, b, 3, a[2], { a, c }, { a, b, c, a }, { a, b, b, c }, { a, b, c, b } },
        plain(r), name)
    end
    raises("NotImplementedError", "not compared", function() n:count(n[0]) end)
  end)

  it("goes as deep as one likes, down to scalars", function()
    local q = L.TypedListType(L.TypedListType(T.dscalar().type, 1))("q")
    assert.equal(2, q.type.depth)
    local f = compile({ inputs = { q }, outputs = { q:reverse(), q[0][1], q[-1] } })
    local r = { f({ { { 1.0, 2.0 }, { 3.0 } }, {}, { {}, { 4.0, 5.0, 6.0 } } }) }
    assert.same({ { { {}, { 4.0, 5.0, 6.0 } }, {}, { { 1.0, 2.0 }, { 3.0 } } }, { 3.0 }, { {}, { 4.0, 5.0, 6.0 } } },
      plain(r))
  end)
end)

it("a function of typed lists is printed as others are, and takes elements of any lengths in turn", function()
  local l = L.TypedListType(T.dmatrix().type)("l")
  for name, mode in pairs(MODES) do
    local f = compile({ inputs = { l }, outputs = l[0], mode = mode })
    assert.is_truthy(theano.printing.debugprint(f, { file = "str" }):find("Reshape{2}", 1, true), name)
    assert.is_truthy(theano.printing.plan(f):find("steps:", 1, true), name)
    for _, first in ipairs({ nd.ones({ 2, 2 }), nd.ones({ 3, 2 }), nd.ones({ 1, 4 }) }) do
      assert.same(first:tolist(), f({ first, nd.zeros({ 3, 3 }) }):tolist(), name)
    end
  end
end)
