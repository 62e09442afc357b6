--- Rewrites that hold for a whole class of operations, one fact for each member.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function ops(inputs, y)
  local mode = theano.compile.get_mode("FAST_RUN"):excluding("fusion", "inplace")
  local f = theano.compile(inputs, y, { mode = mode, on_unused_input = "ignore" })
  local list = {}
  for i, node in ipairs(f.maker.fgraph:toposort()) do
    list[i] = node.op.name:match("^Elemwise{(%w+)") or node.op.name
  end
  return list, f
end

local function count(list, name)
  local n = 0
  for _, op in ipairs(list) do n = n + (op == name and 1 or 0) end
  return n
end

describe("local_merge_switch_same_cond", function()
  local function check(op, inputs, values)
    local c, a, b, x, y = table.unpack(inputs)
    local z = T[op](T.switch(c, a, b), T.switch(c, x, y))
    local list, f = ops(inputs, z)
    local g = theano.compile(inputs, z, { mode = "None" })
    assert.equal(1, count(list, "switch"))
    assert.equal(tostring(g(table.unpack(values))), tostring(f(table.unpack(values))))
    return f
  end
  local condition = nd.array({ { 1, 0, 1, 0 } })

  for op in ("add sub mul true_div int_div mod minimum maximum gt lt ge le eq neq pow arctan2"):gmatch("%S+") do
    it("merges " .. op, function()
      local values = { condition }
      for i = 1, 4 do values[i + 1] = nd.array({ { i, 2, 0.5 * i, 3 } }) end
      check(op, { T.dmatrices("c", "a", "b", "x", "y") }, values)
    end)
  end

  for op in ("and_ or_ xor bitwise_and bitwise_or bitwise_xor eq lt add maximum"):gmatch("%S+") do
    it("merges " .. op .. " of integers", function()
      local values = { condition:astype("int32") }
      for i = 1, 4 do values[i + 1] = nd.array({ { i, 2, 5, 3 } }, { dtype = "int32" }) end
      check(op, { T.imatrices("c", "a", "b", "x", "y") }, values)
    end)
  end

  it("leaves quotients of integers, of which those not wanted may divide by zero", function()
    local c, a, b, x, y = T.lvectors("c", "a", "b", "x", "y")
    for _, op in ipairs({ "int_div", "mod" }) do
      local list, f = ops({ c, a, b, x, y }, T[op](T.switch(c, a, b), T.switch(c, x, y)))
      assert.equal(2, count(list, "switch"))
      assert.equal(op == "mod" and 1 or 2, f({ 1 }, { 5 }, { 7 }, { 2 }, { 0 })[0])
    end
  end)
end)

describe("local_useless_elemwise_comparison", function()
  local p, q = T.vector("p"), T.vector("q")
  local n, m = p.shape[0], q.shape[0]
  local facts = {
    { "n + m < 0", T.lt(n + m, 0), false }, { "n + m >= 0", T.ge(n + m, 0), true },
    { "0 > n + m", T.gt(0, n + m), false }, { "0 <= n + m", T.le(0, n + m), true },
    { "n + 1 < 0", T.lt(n + 1, 0), false }, { "n > -1", T.gt(n, -1), true },
    { "n + m <= -1", T.le(n + m, -1), false }, { "-2 < n", T.lt(-2, n), true },
    { "n + m == -1", T.eq(n + m, -1), false }, { "-1 == n", T.eq(-1, n), false }, { "n != -3", T.neq(n, -3), true },
  }
  for _, fact in ipairs(facts) do
    it("knows " .. fact[1], function()
      local list, f = ops({ p, q }, fact[2])
      assert.same({}, list)
      assert.equal(fact[3], f({ 1 }, { 2, 3 }) ~= 0 and f({ 1 }, { 2, 3 }) ~= false)
    end)
  end

  it("knows the larger of lengths and numbers that are not positive", function()
    assert.equal(0, count(ops({ p, q }, T.maximum(n + m, 0)), "maximum"))
    assert.same({}, (ops({ p, q }, T.minimum(n + m, -1))))
  end)

  it("leaves what the lengths decide", function()
    for _, y in ipairs({ T.gt(n + m, 0), T.eq(n, 0), T.lt(n - m, 0), T.lt(n + m, 1), T.le(n, 0), T.ge(n - 1, 0) }) do
      assert.truthy(#ops({ p, q }, y) > 1)
    end
  end)
end)

describe("local_useless_elemwise", function()
  it("drops conj(conj(x)) and conj of what is not complex", function()
    local z, x = T.cmatrix("z"), T.dmatrix("x")
    assert.same({}, (ops({ z }, T.conj(T.conj(z)))))
    assert.same({ "conj" }, (ops({ z }, T.conj(z))))
    assert.same({}, (ops({ x }, T.conj(x))))
  end)
end)

describe("local_useless_alloc", function()
  it("leaves nothing of tile by ones", function()
    local x, v = T.dmatrix("x"), T.dvector("v")
    for _, y in ipairs({ T.tile(x, { 1, 1 }), T.tile(x, 1), T.tile(v, { 1 }) }) do
      assert.same({}, (ops({ x, v }, y)))
    end
    local list, f = ops({ v }, T.tile(v, { 1, 1 }))
    assert.equal(0, count(list, "Alloc"))
    assert.equal("[[1. 2.]]", tostring(f({ 1, 2 })))
    assert.truthy(#ops({ v }, T.tile(v, { 2 })) > 0)
  end)
end)

describe("local_reduce_join", function()
  it("adds, multiplies and compares up to eight stacked tensors without the stack", function()
    local x, y, z = T.dmatrices("x", "y", "z")
    for _, name in ipairs({ "sum", "prod", "max", "min" }) do
      local list, f = ops({ x, y, z }, T[name](T.stack({ x, y, z }), { axis = 0 }))
      assert.equal(0, count(list, "Join"))
      local want = ({ sum = "[[6. 9.]]", prod = "[[ 6. 24.]]", max = "[[3. 4.]]", min = "[[1. 2.]]" })[name]
      assert.equal(want, tostring(f({ { 1, 2 } }, { { 2, 3 } }, { { 3, 4 } })))
    end
    local many = {}
    for i = 1, 9 do many[i] = x end
    assert.equal(1, count(ops({ x }, T.sum(T.stack(many), { axis = 0 })), "Join"))
  end)
end)

describe("local_zeros_beside_slices", function()
  it("gives the gradients of slices at every length, with no zeros below what they set", function()
    local x = T.dmatrix("x")
    local parts = { x[":, 3:5"], x[":, :3"], x[":, 6:8"], x[":, 5:6"] }
    local cost
    for i, part in ipairs(parts) do
      local term = T.sum(T.tanh(part * i) + T.sqr(part))
      cost = cost and cost + term or term
    end
    local g = T.grad(cost, x)
    local list, f = ops({ x }, g)
    local text = table.concat(list, " ")
    assert.same({ 1, 0 }, { select(2, text:gsub("AllocEmpty", "")), select(2, text:gsub("Alloc ", "")) })
    assert.equal(5, select(2, text:gsub("IncSubtensor{Set", ""))) -- the slices, and zeros behind them
    local plain = theano.compile({ inputs = { x }, outputs = g, mode = theano.compile.Mode({ optimizer = "None" }) })
    for n = 0, 10 do
      local v = nd.sin(nd.arange(3 * n):astype("float64")):reshape({ 3, n })
      local got, want = f(v), plain(v)
      assert.same({ 3, n }, got.shape)
      assert(nd.allclose(got, want), n .. " columns")
    end
  end)
end)
