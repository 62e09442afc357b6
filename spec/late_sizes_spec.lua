--- Lengths that only computed values tell: buffers of such sizes, where two of them meet, in loops and branches, and
-- lengths that do not fit any memory. #asan
local raises = require("spec.support.raises")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local Mode = theano.compile.Mode

local plain = Mode { linker = "interpreter", optimizer = "None" }
local fast = Mode { linker = "interpreter", optimizer = "fast_run" }

--- Both with all rewrites, interpreted and as C, agree with the graph as written, at every call.
local function agree(inputs, outputs, ...)
  local want = table.pack(theano.compile { inputs = inputs, outputs = outputs, mode = plain }(...))
  for _, mode in ipairs { fast, false } do
    local f = theano.compile { inputs = inputs, outputs = outputs, mode = mode or nil }
    for _ = 1, 3 do
      local got = table.pack(f(...))
      assert.equal(want.n, got.n)
      for i = 1, want.n do
        if type(want[i]) == "number" then assert.equal(want[i], got[i])
        else
          assert.same(want[i].shape, got[i].shape)
          assert.is_true(nd.allclose(want[i], got[i]))
        end
      end
    end
  end
end

local function range(...)
  local n = 1
  for _, k in ipairs { ... } do n = n * k end
  return nd.arange(n):astype("float64"):reshape { ... } * 0.1
end

describe("late sizes #asan", function()
  local x, v, b = T.dmatrix("x"), T.dvector("v"), T.lvector("b")

  it("know a length at the first step that tells it, not at a later one that tells an equal one", function()
    local e = T.exp(T.roll(T.stack({ x, x }, 1), -4, 0))
    local function grad(n) return T.grad(T.sum(e * T.arange(n):reshape(e.shape)), x) end
    agree({ x }, { e, grad(24) }, range(3, 4))
    agree({ x }, { e, grad(3000) }, range(30, 50))
  end)

  it("meet in arithmetic: picks, ranges, repeats, masks, unique", function()
    local picked = v[T.gt(v, 0.35)]
    local count = T.sum(T.cast(T.gt(v, 0.35), "int64"))
    agree({ v }, { picked + T.arange(count), T.exp(picked) * T.arange(picked.shape[0]) }, range(9))
    agree({ v, b }, { T.repeat_(v, b) + T.arange(T.sum(b)) }, range(4), { 1, 0, 3, 2 })
    local u, at = T.unique(b), T.flatnonzero(v)
    agree({ b }, { u + T.arange(u.shape[0]), T.arange(T.max(b)):sum() }, { 3, 1, 3, 7, 1 })
    agree({ v }, { T.stack { at, at + 1 }, at * T.arange(at.shape[0]) }, range(5))
    agree({ v }, { T.tile(picked, 2) * T.concatenate { picked, picked } }, range(6))
    agree({ v }, { T.alloc(1.5, count, 2) + T.stack({ picked, picked }, 1) }, range(8))
  end)

  it("come out of branches and loops", function()
    local c = T.lscalar("c")
    local picked = v[T.gt(v, 0.35)]
    local twice = T.concatenate { picked, picked }
    local either = theano.ifelse(c, twice, v)
    for k = 0, 1 do agree({ c, v }, { either, either * 2 }, k, nd.arange(8):astype("float64") * 0.1) end
    agree({ c, v }, { theano.ifelse(T.eq(c, 1), twice + T.arange(twice.shape[0]), T.zeros_like(twice)) }, 1, range(7))
    local sums = theano.scan { fn = function(a, s) return s + a end, sequences = picked,
      outputs_info = T.constant(0.0, { dtype = "float64" }) }
    local rows = theano.map(function(a) return T.exp(a * picked) end, picked)
    agree({ v }, { sums + T.arange(sums.shape[0]), rows:sum(), rows[-1] * picked, T.grad(sums[-1] + rows:sum(), v) },
      range(9))
    local z = rows - rows
    agree({ v }, { z * T.arange(z.size):reshape(z.shape), T.roll(z, 2, 0) + z }, range(9))
    local nested = theano.map(function(k)
      local part = v:sub({ 0, k })
      return theano.map(function(a) return a * 2 end, part):sum() + T.roll(part, 1):sum()
    end, T.arange(1, 5))
    agree({ v }, { nested, T.grad(nested:sum(), v) }, range(6))
  end)

  it("are known from what is left of the graph when rewrites ask for them", function()
    local m = theano.map(function(t) return t * 2 + t end, v)
    local z = m - m
    agree({ v }, { T.grad(T.sum(z * T.arange(3):reshape(z.shape)), v) }, range(3))
    local w = T.zeros_like(v["1:"])
    agree({ v }, { T.grad(T.sum(T.sqr(T.concatenate { w, m }) * T.arange(5):reshape({ -1 })), v) }, range(3))
    agree({ x }, { T.dot(T.zeros_like(x:sub({ 1, T.cast(T.sum(x), "int64") })), x.T), T.alloc(x[0], 3, 4)["1:"] },
      range(3, 4))
  end)

  it("are no such lengths where fused integers make them of lengths", function()
    local a, y = T.dvector("a"), T.dvector("y")
    local n = T.maximum((a.shape[0] + 3 - y.shape[0]) // 2 + 1, 0)
    local m = T.minimum(T.switch(T.lt(n, 2), n * 3 - 1, n + y.shape[0]), 40)
    local outs = { T.zeros({ n }) + 1, T.alloc(2.5, T.maximum(m, 0)), T.arange(n * 2) }
    agree({ a, y }, outs, range(5), range(3))
    agree({ a, y }, outs, range(3), range(7))
    local w = theano.shared(nd.zeros({ 4 }), "w")
    local pooled = T.maximum((a.shape[0] - 3) // 2 + 1, 0)
    local f = theano.compile { inputs = { a }, outputs = T.zeros({ pooled }), updates = { { w, w + pooled } } }
    local plan = theano.printing.plan(f)
    assert.is_nil(plan:match("step %d+: sizes"), plan) -- nothing computes them
    f(range(9))
    assert.same({ 4, 4, 4, 4 }, w:get_value():tolist())
  end)

  it("meet behind an operation that asks for its integers early", function()
    local n = T.cast(T.sum(v), "int64")
    local y = T.set_subtensor(T.zeros_like(x):sub({ 0, n }), 2.0)
    agree({ v, x }, { y, x:sub({ 0, n }), T.arange(n), T.alloc(1, n, n + 1) }, { 0.8, 1.8 }, range(3, 2))
  end)

  it("are read within vectors that are too short for what asks for them", function()
    local n, w = T.lvector("n"), T.dvector("w")
    local draws = T.shared_randomstreams.RandomStreams(1)
    for _, linker in ipairs { "interpreter", "c" } do
      local mode = theano.compile.Mode { linker = linker }
      local function short(y, kind, what)
        local f = theano.compile { inputs = { n, w }, outputs = y, mode = mode, on_unused_input = "ignore" }
        for _, lengths in ipairs { {}, { 6 } } do
          raises(kind, what, function() f(nd.array(lengths, "int64"), nd.ones({ 6 })) end)
        end
      end
      short(draws:uniform { size = n, ndim = 3 }, "ValueError", "3 dimensions")
      short(T.zeros({ n[0], n[1], n[2] }), "IndexError", "out of bounds")
      short(w:reshape(n, { ndim = 2 }), "IndexError", "too short")
      short(w:reshape(n * 2, { ndim = 3 }), "IndexError", "too short")
      short(T.zeros({ (n * 2)[4] }), "IndexError", "out of bounds")
    end
  end)

  it("are read in rows, columns and views of arguments with more than one dimension", function()
    local s, s3 = T.lmatrix("s"), T.ltensor3("s3")
    local shapes = { s[0], s[1], s[":, 1"], s[-1]["::-1"], s3["0, 1"], s3["0"]:flatten()[":2"], s3["0, :, 0"] }
    local m = nd.array({ { 2, 3, 4 }, { 5, 1, 3 }, { 3, 4, 2 } }, "int64")
    local m3 = nd.arange(1, 28):reshape { 3, 3, 3 } % 5 + 1
    local matrices = { m[":2, :2"]:copy(), m[":2, :2"], m[":2, :2"].T, m["::2, ::2"], m["1::-1, 2::-2"], m["0:1, 0:2"] }
    for _, a in ipairs(matrices) do
      for _, cube in ipairs { m3[":2, :2, :2"]:copy(), m3[":2, :2, :2"]:transpose(2, 0, 1), m3["::2, ::2, ::2"] } do
        for k, shape in ipairs(shapes) do
          local given = k <= 4 and a or cube
          if a.shape[1] == 2 or k == 1 then
            local want = theano.compile({ k <= 4 and s or s3 }, shape, { mode = plain })(given):tolist()
            local numbers = nd.ones({ want[1] * want[2] })
            agree({ v, k <= 4 and s or s3 }, v:reshape(shape, { ndim = 2 }), numbers, given)
            local f = theano.compile({ v, k <= 4 and s or s3 }, v:reshape(shape, { ndim = 2 }), { mode = plain })
            assert.same(want, { table.unpack(f(numbers, given).shape) })
          end
        end
      end
    end
    local rows = theano.shared(nd.array({ { 2, 3 }, { 9, 9 } }, "int64"))
    assert.same({ 2, 3 }, { table.unpack(v:reshape(rows[0], { ndim = 2 }):eval({ [v] = nd.ones({ 6 }) }).shape) })
  end)
end)
