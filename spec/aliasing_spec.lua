--- "Understanding Memory Aliasing": a fact for each sentence of Theano's page, then random programs against its rules.
-- Where this library is stricter (an argument is overwritten only under mutable), the stricter line is the fact.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local compile, In, Out, shared = theano.compile, theano.In, theano.Out, theano.shared
local quick = compile.Mode({ linker = "interpreter" })

local function ones(n) return nd.ones(n or 2, "float32") end
local function storage(s) return s:get_value({ borrow = true }) end

describe("the memory model", function()
  it("Theano's memory does not overlap with the user's", function()
    local a = ones()
    local s = shared(a)
    local x = T.fvector("x")
    local out = compile({ inputs = { x }, outputs = { x, s, x + s }, mode = quick })
    for _, r in ipairs({ out(a) }) do
      assert.is_false(nd.shares_memory(r, a))
      assert.is_false(nd.shares_memory(r, storage(s)))
    end
    assert.is_false(nd.shares_memory(a, storage(s)))
  end)

  it("an operand is read before a result takes its place, in whole blocks and in parts of one", function()
    for _, n in ipairs({ 1, 16, 500, 512, 1024, 1100 }) do
      local rng = nd.random.RandomState(n)
      local a, b = rng:uniform(-1, 1, { n }), rng:uniform(-1, 1, { n })
      local x, y = T.dvector("x"), T.dvector("y")
      local s = shared(a, "s")
      local f = compile({ inputs = { In(x, { mutable = true }), y }, mode = quick, updates = { { s, s * 3 + x } },
        outputs = { Out(x * y, { borrow = true }), s - y, x + s, T.sum(s), T.max(x) } })
      local first = nd.array(b)
      local got, values = { f(first, a) }, { a * b, a - a, a + b, a:sum(), b:max() }
      for i, value in ipairs(values) do assert.is_true(nd.allclose(got[i], value, 1e-14), n .. ", " .. i) end
      assert.is_true(nd.array_equal(s:get_value(), b + a * 3))
    end
  end)

  it("functions only modify buffers in Theano's memory", function()
    local a, x, s = ones(), T.fvector("x"), shared(ones(), "s")
    local f = compile({ inputs = { x }, outputs = T.exp(x) * 2 + 1, updates = { { s, x * 3 } }, mode = quick })
    f(a)
    compile({ inputs = {}, updates = { { s, s * 2 } }, mode = quick })()
    assert.same({ 1.0, 1.0 }, a:tolist())
    assert.same({ 6.0, 6.0 }, s:get_value():tolist())
  end)

  it("temporaries are Theano's: they never come back to the user", function()
    local x = T.fvector("x")
    local f = compile({ inputs = { x }, outputs = { T.exp(x), T.exp(x) + 1, T.exp(x):sum() }, mode = quick })
    local p, q = f(ones())
    assert.is_false(nd.shares_memory(p, q))
    local want = p:tolist()
    f(nd.full(2, 5, "float32"))
    assert.same(want, p:tolist())
  end)

  it("a shared variable's memory is unique: never aliased to another shared variable", function()
    local a = ones()
    local s, t = shared(a, { borrow = true }), shared(a, { borrow = true })
    assert.is_false(nd.shares_memory(storage(s), storage(t)))
    local u = shared(storage(s), { borrow = true })
    assert.is_false(nd.shares_memory(storage(s), storage(u)))
    t:set_value(storage(u), { borrow = true })
    assert.is_false(nd.shares_memory(storage(t), storage(u)))
    compile({ inputs = {}, updates = { { s, t }, { t, s }, { u, s } }, mode = quick })()
    assert.is_false(nd.shares_memory(storage(s), storage(t)))
    assert.is_false(nd.shares_memory(storage(s), storage(u)))
    assert.is_false(nd.shares_memory(storage(t), storage(u)))
    compile({ inputs = {}, updates = { { s, s * 2 } }, mode = quick })()
    assert.same({ { 2.0, 2.0 }, { 1.0, 1.0 }, { 1.0, 1.0 } }, { s:get_value():tolist(), t:get_value():tolist(),
      u:get_value():tolist() })
  end)

  it("managed memory is constant while no function and no library code runs", function()
    local s, x = shared(ones(), "s"), T.fvector("x")
    local f = compile({ inputs = { x }, outputs = Out(x * s, { borrow = true }), mode = quick })
    local r = f(ones())
    local before, out = s:get_value():tolist(), r:tolist()
    collectgarbage()
    local junk = {}
    for i = 1, 100 do junk[i] = ones(2):fill(i) end
    assert.equal(100, #junk)
    assert.same(before, s:get_value():tolist())
    assert.same(out, r:tolist())
  end)

  it("by default a function returns user-space values and expects user-space values", function()
    local x = T.fvector("x")
    local f = compile({ inputs = { x }, outputs = { x, x["::-1"], x:reshape({ 1, -1 }) }, mode = quick })
    local a = ones()
    for _, r in ipairs({ f(a) }) do
      assert.is_false(nd.shares_memory(a, r))
      r:fill(9)
    end
    assert.same({ 1.0, 1.0 }, a:tolist())
  end)
end)

describe("borrowing when creating shared variables", function()
  it("is the page's example", function()
    local np_array = nd.ones(2, "float32")
    local s_default = shared(np_array)
    local s_false = shared(np_array, { borrow = false })
    local s_true = shared(np_array, { borrow = true })
    np_array:assign(np_array + 1)
    assert.same({ 1.0, 1.0 }, s_default:get_value():tolist())
    assert.same({ 1.0, 1.0 }, s_false:get_value():tolist())
    assert.same({ 2.0, 2.0 }, s_true:get_value():tolist())
  end)

  it("default and borrow = false make a deep copy", function()
    local a = ones()
    assert.is_false(nd.shares_memory(a, storage(shared(a))))
    assert.is_false(nd.shares_memory(a, storage(shared(a, { borrow = false }))))
  end)

  it("borrow = true uses the object as the internal buffer on the CPU", function()
    local a = ones()
    local s = shared(a, { borrow = true })
    assert.is_true(nd.shares_memory(a, storage(s)))
    a[0] = 7
    assert.same({ 7.0, 1.0 }, s:get_value():tolist())
    assert.equal(8.0, compile({ inputs = {}, outputs = s:sum(), mode = quick })())
  end)

  it("aliasing is not guaranteed: what is not C-contiguous is copied, and right", function()
    local a = nd.arange(6.0):reshape({ 2, 3 })
    local s = shared(a.T, { borrow = true })
    assert.is_false(nd.shares_memory(a, storage(s)))
    assert.same({ { 0.0, 3.0 }, { 1.0, 4.0 }, { 2.0, 5.0 } }, s:get_value():tolist())
    assert.same({ 3.0, 5.0, 7.0 }, compile({ inputs = {}, outputs = s:sum({ axis = 1 }), mode = quick })():tolist())
  end)

  it("aliasing may be kept or broken by an update; the values are right either way", function()
    local a, b = ones(), ones()
    local s, t = shared(a, { borrow = true }), shared(b, { borrow = true })
    compile({ inputs = {}, updates = { { s, s * 2 }, { t, T.concatenate({ t, t }) } }, mode = quick })()
    assert.same({ 2.0, 2.0 }, s:get_value():tolist())
    assert.same({ 1.0, 1.0, 1.0, 1.0 }, t:get_value():tolist())
    local seen = a:tolist()
    assert.truthy(seen[1] == 1.0 or seen[1] == 2.0)
    assert.equal(nd.shares_memory(a, storage(s)), seen[1] == 2.0)
    assert.is_false(nd.shares_memory(b, storage(t)))
    assert.same({ 1.0, 1.0 }, b:tolist())
  end)
end)

describe("retrieving a shared variable's value", function()
  it("borrow defaults to false and gives no alias of internal memory", function()
    local s = shared(ones())
    for _, v in ipairs({ s:get_value(), s:get_value({ borrow = false }) }) do
      assert.is_false(nd.shares_memory(v, storage(s)))
      v:fill(3)
    end
    assert.same({ 1.0, 1.0 }, s:get_value():tolist())
  end)

  it("borrow = true may give an alias, and does on the CPU", function()
    local s = shared(ones())
    assert.is_true(nd.shares_memory(storage(s), storage(s)))
  end)

  it("return_internal_type never casts or copies with borrow, and copies without", function()
    local s = shared(ones())
    local internal = s:get_value({ borrow = true, return_internal_type = true })
    assert.is_true(nd.shares_memory(internal, storage(s)))
    assert.is_false(nd.shares_memory(s:get_value({ return_internal_type = true }), storage(s)))
    assert.equal("float32", internal.dtype)
  end)

  it("get_value returns the type that the variable was made of", function()
    assert.equal("float32", shared(ones()):get_value().dtype)
    assert.same({ 2 }, shared(ones()):get_value().shape)
    assert.equal("int64", shared(3):get_value({ array = true }).dtype)
  end)

  it("reading from a borrowed value is safe until the next call", function()
    local s = shared(ones())
    local v = storage(s)
    local f = compile({ inputs = {}, updates = { { s, s + 1 } }, mode = quick })
    assert.same({ 1.0, 1.0 }, v:tolist())
    f()
    assert.same({ 2.0, 2.0 }, storage(s):tolist())
  end)

  it("unknown options are named", function()
    raises("TypeError", "unknown keyword 'borow'", function() shared(1):get_value({ borow = true }) end)
    raises("TypeError", "unknown keyword", function() shared(1):set_value(1, { strict = true }) end)
  end)
end)

describe("assigning to a shared variable", function()
  it("copies by default", function()
    local a, s = ones(), shared(nd.zeros(2, "float32"))
    s:set_value(a)
    a[0] = 5
    assert.same({ 1.0, 1.0 }, s:get_value():tolist())
    s:set_value(a, { borrow = false })
    assert.is_false(nd.shares_memory(a, storage(s)))
  end)

  it("borrow = true may take the buffer as internal storage, and does on the CPU", function()
    local a, s = ones(3), shared(nd.zeros(2, "float32"))
    s:set_value(a, { borrow = true })
    assert.is_true(nd.shares_memory(a, storage(s)))
    s:set_value(nd.arange(4.0):astype("float32")["::-2"], { borrow = true })
    assert.same({ 3.0, 1.0 }, s:get_value():tolist())
    assert.same({ 6.0, 2.0 }, compile({ inputs = {}, outputs = s * 2, mode = quick })():tolist())
  end)

  it("the standard pattern is an in-place update without a copy", function()
    local function some_inplace_fn(v) return v:assign(v * 3) end
    local s = shared(ones())
    local before = storage(s)
    s:set_value(some_inplace_fn(s:get_value({ borrow = true })), { borrow = true })
    assert.same({ 3.0, 3.0 }, s:get_value():tolist())
    assert.is_true(nd.shares_memory(before, storage(s)))
  end)

  it("zero is a new value by default and in place with borrow", function()
    local s = shared(ones())
    local old = storage(s)
    s:zero()
    assert.same({ 0.0, 0.0 }, s:get_value():tolist())
    assert.same({ 1.0, 1.0 }, old:tolist())
    s:set_value(ones())
    old = storage(s)
    s:zero({ borrow = true })
    assert.same({ 0.0, 0.0 }, old:tolist())
  end)

  it("a failed assignment changes nothing", function()
    local s = shared(ones(), "s")
    raises("TypeError", "risking loss of precision", function() s:set_value(nd.zeros(2)) end)
    raises("TypeError", "Wrong number of dimensions", function() s:set_value({ { 1 } }) end)
    raises("TypeError", "wrong number of dimensions", function() s:set_value(nd.zeros({ 1, 1 }, "float32")) end)
    raises("TypeError", "symbolic", function() s:set_value(T.fvector()) end)
    raises("TypeError", "strict", function() shared(ones(), { strict = true }):set_value(nd.ones(2, "int8")) end)
    assert.same({ 1.0, 1.0 }, s:get_value():tolist())
    local loose = shared(ones(), { allow_downcast = true })
    loose:set_value(nd.full(2, 0.5))
    assert.same({ 0.5, 0.5 }, loose:get_value():tolist())
  end)

  it("storage that the user freed is a clean error, and a new value heals it", function()
    local a = ones()
    local s = shared(a, { borrow = true })
    local f = compile({ inputs = {}, outputs = s * 2, updates = { { s, s + 1 } }, mode = quick })
    a:free()
    raises("ValueError", "", function() f() end)
    raises("ValueError", "", function() s:get_value() end)
    s:set_value(ones())
    assert.same({ 2.0, 2.0 }, f():tolist())
  end)
end)

describe("borrowing when constructing functions", function()
  it("is the page's example", function()
    local x = T.matrix("x", { dtype = "float64" })
    local f = compile({ x }, 2 * x)
    local g = compile({ In(x, { borrow = true }) }, Out(2 * x, { borrow = true }))
    local a = nd.ones({ 2, 2 })
    assert.same(f(a):tolist(), g(a):tolist())
  end)

  it("a borrowed input is overwritten only when it is mutable (stricter than the page)", function()
    local x = T.dvector("x")
    local a = nd.ones(1000)
    local f = compile({ inputs = { In(x, { borrow = true }) }, outputs = T.exp(x) * x + 1, mode = quick })
    f(a)
    assert.equal(1000.0, a:sum())
    local g = compile({ inputs = { In(x, { mutable = true }) }, outputs = T.inc_subtensor(x["1:3"], 1), mode = quick })
    assert.equal(1002.0, g(a):sum())
    assert.truthy(a:sum() == 1000.0 or a:sum() == 1002.0)
  end)

  it("an output is a borrowed input's memory only when both are borrowed", function()
    local x = T.dvector("x")
    local function alias(input, output)
      local a = nd.arange(4.0)
      return nd.shares_memory(a, compile({ inputs = { In(x, { borrow = input }) }, outputs = Out(x["1:"],
        { borrow = output }), mode = quick })(a))
    end
    assert.is_false(alias(false, false))
    assert.is_false(alias(true, false))
    assert.is_false(alias(false, true))
    assert.is_true(alias(true, true))
  end)

  it("without borrow a fresh output comes at every call", function()
    local x = T.dvector("x")
    local f = compile({ inputs = { x }, outputs = x * 2, mode = quick })
    local seen = {}
    for i = 1, 10 do seen[i] = f({ i }) end
    for i = 1, 10 do assert.same({ 2.0 * i }, seen[i]:tolist()) end
  end)

  it("a borrowed output may be the memory of the call before, and is where shapes agree", function()
    local x = T.dvector("x")
    local f = compile({ inputs = { x }, outputs = Out(x * 2, { borrow = true }), mode = quick })
    local first = f({ 1, 2 })
    local second = f({ 3, 4 })
    assert.is_true(nd.shares_memory(first, second))
    assert.is_true(rawequal(first, second)) -- no garbage either
    assert.same({ 6.0, 8.0 }, first:tolist())
    local third = f({ 1, 2, 3 })
    assert.same({ 2.0, 4.0, 6.0 }, third:tolist())
  end)

  it("a borrowed output that is the next argument, or a shared's storage, is not overwritten while it is read",
    function()
    local x, s = T.dvector("x"), shared({ 1.0, 2.0, 3.0 }, "s")
    local f = compile({ inputs = { x }, outputs = Out(x["::-1"] + x, { borrow = true }), mode = quick })
    local r = f({ 1, 2, 4 })
    assert.same({ 5.0, 4.0, 5.0 }, r:tolist())
    r[0] = 1
    assert.same({ 6.0, 8.0, 6.0 }, f(r):tolist())
    local g = compile({ inputs = {}, outputs = Out(s["::-1"] + s, { borrow = true }), mode = quick })
    local q = g()
    q[0] = 1
    s:set_value(q, { borrow = true })
    assert.same({ 5.0, 8.0, 5.0 }, g():tolist())
  end)

  it("a borrowed output may alias a shared variable, and another function then overwrites it", function()
    local s = shared({ 1.0, 2.0 }, "s")
    local f = compile({ inputs = {}, outputs = Out(s, { borrow = true }), mode = quick })
    local r = f()
    assert.is_true(nd.shares_memory(r, storage(s)))
    compile({ inputs = {}, updates = { { s, s * 10 } }, mode = quick })()
    local seen = r:tolist()[1]
    assert.truthy(seen == 1.0 or seen == 10.0)
    assert.same({ 10.0, 20.0 }, f():tolist())
  end)

  it("a borrowed output of a variable that the same call updates is its old value", function()
    local s = shared({ 1.0, 2.0 }, "s")
    local f = compile({ inputs = {}, outputs = Out(s, { borrow = true }), updates = { { s, s * 10 } }, mode = quick })
    assert.same({ 1.0, 2.0 }, f():tolist())
    assert.same({ 10.0, 20.0 }, f():tolist())
  end)

  it("the default is not to borrow internal results", function()
    local s = shared({ 1.0, 2.0 }, "s")
    local r = compile({ inputs = {}, outputs = s, mode = quick })()
    assert.is_false(nd.shares_memory(r, storage(s)))
  end)

  it("return_internal_type is accepted by Out", function()
    local s = shared({ 1.0 }, "s")
    assert.same({ 2.0 }, compile({ inputs = {}, outputs = Out(s * 2, { borrow = true, return_internal_type = true }),
      mode = quick })():tolist())
  end)
end)

describe("arguments that share memory", function()
  it("with each other are separate where one is overwritten", function()
    local x, y = T.dvector("x"), T.dvector("y")
    local f = compile({ inputs = { In(x, { mutable = true }), y }, outputs = { T.set_subtensor(x["0:2"], 9), y * 1 },
      mode = quick })
    local a = nd.arange(3.0)
    local p, q = f(a, a)
    assert.same({ 9.0, 9.0, 2.0 }, p:tolist())
    assert.same({ 0.0, 1.0, 2.0 }, q:tolist())
  end)

  it("with a shared variable that the call updates are read as they were", function()
    local s, x = shared({ 1.0, 2.0, 3.0 }, "s"), T.dvector("x")
    local f = compile({ inputs = { x }, outputs = x["::-1"] * 1, updates = { { s, s + x["::-1"] } }, mode = quick })
    local r = f(storage(s))
    assert.same({ 3.0, 2.0, 1.0 }, r:tolist())
    assert.same({ 4.0, 4.0, 4.0 }, s:get_value():tolist())
  end)

  it("mutable ones that are a shared variable's storage leave it alone", function()
    local s, x = shared({ 1.0, 2.0 }, "s"), T.dvector("x")
    local f = compile({ inputs = { In(x, { mutable = true }) }, outputs = T.set_subtensor(x[0], 9) + s, mode = quick })
    assert.same({ 10.0, 4.0 }, f(storage(s)):tolist())
    assert.same({ 1.0, 2.0 }, s:get_value():tolist())
  end)
end)

-- Random programs: what the user holds never changes, unless the page (and its stricter line) allows it; results and
-- shared values are those of a plain evaluation without any borrowing.
describe("random programs with random borrow flags", function()
  local function pick(rng, list) return list[rng(#list)] end

  local function expression(rng, leaves)
    local e = pick(rng, leaves)
    for _ = 1, rng(4) do
      local o = pick(rng, leaves)
      local k = rng(8)
      if k == 1 then e = e + o
      elseif k == 2 then e = e * 0.5 + o
      elseif k == 3 then e = e["::-1"]
      elseif k == 4 then e = T.set_subtensor(e["1:3"], o["0:2"])
      elseif k == 5 then e = T.inc_subtensor(e[0], 1)
      elseif k == 6 then e = T.tanh(e)
      elseif k == 7 then e = T.concatenate({ e["0:2"], o["2:"] })
      else e = T.maximum(e, o) end
    end
    return e
  end

  local function program(seed)
    local state = seed * 2654435761 % 2147483647 + 1
    local function rng(n)
      state = state * 48271 % 2147483647
      return state % n + 1
    end
    local function flag() return rng(2) == 1 end
    local vars, specs, leaves, shareds, twins = {}, {}, {}, {}, {}
    for i = 1, rng(3) do
      vars[i] = T.dvector("x" .. i)
      local mutable = rng(4) == 1
      specs[i] = In(vars[i], { mutable = mutable or nil, borrow = mutable or flag() })
      leaves[i] = vars[i]
    end
    for i = 1, rng(3) do
      local a = nd.arange(4.0) * i
      shareds[i], twins[i] = shared(a, { borrow = flag(), name = "s" .. i }), shared(a, "t" .. i)
      leaves[#leaves + 1] = shareds[i]
    end
    local outs, plain, updates, twin_updates, back = {}, {}, {}, {}, {}
    for i, s in ipairs(shareds) do back[i] = { s, twins[i] } end
    for i = 1, rng(3) do
      plain[i] = expression(rng, leaves)
      outs[i] = Out(plain[i], { borrow = flag() })
    end
    for i, s in ipairs(shareds) do
      if flag() then
        local e = expression(rng, leaves)
        updates[#updates + 1] = { s, e }
        twin_updates[#twin_updates + 1] = { twins[i], theano.clone(e, { replace = back }) }
      end
    end
    local mode = { mode = quick, on_unused_input = "ignore" }
    local f = compile({ inputs = specs, outputs = outs, updates = updates, mode = mode.mode,
      on_unused_input = "ignore" })
    local reference = compile({ inputs = vars, outputs = theano.clone(plain, { replace = back }),
      updates = twin_updates,
      mode = compile.Mode({ linker = "interpreter", optimizer = "None" }), on_unused_input = "ignore" })
    local held = {} -- { array, its contents, who }
    local function hold(a, who) held[#held + 1] = { a, a:tolist(), who } end
    for call = 1, 4 do
      local args, copies = {}, {}
      for i = 1, #vars do
        if #held > 0 and rng(3) == 1 and held[#held][1].shape[1] == 4 then args[i] = pick(rng, held)[1]
        elseif rng(4) == 1 then args[i] = shareds[1]:get_value({ borrow = true })
        else args[i] = nd.arange(4.0) + call end
        if args[i].shape[1] ~= 4 then args[i] = nd.ones(4) end
        copies[i] = args[i]:copy()
      end
      local got, want = { f(table.unpack(args)) }, { reference(table.unpack(copies)) }
      for i, r in ipairs(want) do
        assert.same(r:tolist(), got[i]:tolist(), ("seed %d, call %d, output %d"):format(seed, call, i))
      end
      for i, s in ipairs(shareds) do
        assert.same(twins[i]:get_value():tolist(), s:get_value():tolist(),
          ("seed %d, call %d, shared %d"):format(seed, call, i))
      end
      local touched = {} -- given as mutable, or a borrowed view of what the library may overwrite
      for i, spec in ipairs(specs) do
        if spec.mutable then touched[#touched + 1] = args[i] end
      end
      for k = #held, 1, -1 do
        local free = false
        for _, t in ipairs(touched) do free = free or nd.shares_memory(t, held[k][1]) end
        if free then table.remove(held, k)
        else assert.same(held[k][2], held[k][1]:tolist(), ("seed %d, call %d: %s changed"):format(seed, call,
          held[k][3])) end
      end
      for i, o in ipairs(outs) do
        if not o.borrow then hold(got[i], "output " .. i) end
      end
      for i, spec in ipairs(specs) do
        local ours = false
        for _, s in ipairs(shareds) do ours = ours or nd.shares_memory(args[i], storage(s)) end
        if not spec.mutable and not ours then
          local lent = false
          for k = 1, #outs do lent = lent or (outs[k].borrow and nd.shares_memory(args[i], got[k])) end
          if not lent then hold(args[i], "argument " .. i) end
        end
      end
      hold(shareds[1]:get_value(), "value of a shared")
    end
  end

  for first = 1, 181, 20 do
    it(("seeds %d to %d"):format(first, first + 19), function()
      for seed = first, first + 19 do program(seed) end
    end)
  end
end)
