--- Functions as C programs of their own: the same results to the last bit, from standard C.
local cpu = require("spec.support.cpu")
local theano = require("theano")
local exported = require("spec.support.exported")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local T, nd = theano.tensor, theano.ndarray

local rng = nd.random.RandomState(3)
local function value(dtype, ...) return rng:randn(...):astype(dtype) end

local function loops(add)
  local x = T.dmatrix("x")
  local W, U = theano.shared(value("float64", 5, 4), "W"), theano.shared(value("float64", 4, 4), "U")
  local h = theano.scan {
    fn = function(now, before) return T.tanh(T.dot(now, W) + T.dot(before, U)) end,
    sequences = x, outputs_info = T.zeros { 4 },
  }
  local cost = h[-1]:sqr():sum()
  add("rnn", theano.compile { inputs = { x }, outputs = { cost }, updates = {
    { W, W - 0.1 * T.grad(cost, W) }, { U, U - 0.1 * T.grad(cost, U) } } }, { value("float64", 7, 5) })
  local most, n = T.dscalar("most"), T.lscalar("n")
  local powers = theano.scan {
    fn = function(p) return p * 2, theano.until_(T.gt(p * 2, most)) end,
    outputs_info = T.constant(1.0), n_steps = 100,
  }
  add("until", theano.compile { inputs = { most }, outputs = { powers, powers[-1] } }, { 50 })
  add("branch", theano.compile { inputs = { x, most }, outputs = {
    theano.ifelse(T.gt(most, 0), T.dot(x, x.T), x:sum(1, { keepdims = true }) + T.zeros { 1, 7 }) } },
    { value("float64", 7, 5), -1 })
  add("some_rows", theano.compile { inputs = { x, n }, outputs = { x[T.slice(0, n)]:sum(0) } },
    { value("float64", 7, 5), 3 })
end

local function images(add)
  local x = T.ftensor4("x")
  local w = theano.shared(value("float32", 4, 3, 3, 3), "w")
  local y = T.nnet.conv2d(x, w)
  local z = T.signal.pool.pool_2d(T.nnet.relu(y), { 2, 2 }, { ignore_border = true })
  local cost = z:sqr():mean()
  local args = { value("float32", 2, 3, 9, 8) }
  add("conv", theano.compile { inputs = { x }, outputs = { y, z } }, args)
  add("conv_step", theano.compile { inputs = { x }, outputs = { cost },
    updates = { { w, w - T.constant(0.1, { dtype = "float32" }) * T.grad(cost, w) } } }, args)
  local m = T.dmatrix("m")
  add("running", theano.compile { inputs = { m }, outputs = { T.cumsum(m, 0), T.cumsum(m, 1), T.cumprod(m) } },
    { value("float64", 4, 5) })
end

local function draws(add)
  local mrg = require("theano.sandbox.rng_mrg").MRG_RandomStreams(5)
  add("mrg", theano.compile { inputs = {},
    outputs = { mrg:uniform { size = { 30 } }, mrg:binomial { size = { 7 }, p = 0.4 } } }, {})
end

local function library(add)
  for _, d in ipairs { "bool", "int8", "uint16", "int64", "uint64", "float32", "float64" } do
    local x, y = T.TensorType(d, { false, false })("x"), T.TensorType(d, { false })("y")
    local v = (rng:randn(9, 7) * 2):astype(d)
    if d:find("float") then
      v[{ 0, 0 }], v[{ 1, 0 }], v[{ 2, 0 }], v[{ 3, 0 }], v[{ 4, 0 }] = 0 / 0, -0.0, 0.0, 1 / 0, -0.0
    end
    add("order_" .. d, theano.compile { inputs = { x, y }, outputs = { T.sort(x, 0), T.sort(x.T, 0), T.argsort(x, 0),
      T.argsort(x, 1), T.sort(x, nil), T.searchsorted(T.sort(y), x), T.searchsorted(T.sort(y), y, { side = "right" }),
      T.topk_and_argtopk(x, 3, { axis = 0 }) } }, { v, (rng:randn(30) * 2):astype(d) })
  end
  for _, d in ipairs { "float32", "float64" } do
    local A, b = T.TensorType(d, { false, false })("A"), T.TensorType(d, { false, false })("b")
    local S = T.dot(A, A.T) + T.eye(5, { dtype = d }) * 3
    local L = T.slinalg.cholesky(S)
    add("algebra_" .. d, theano.compile { inputs = { A, b }, outputs = { L, T.slinalg.cholesky(S, { lower = false }),
      T.slinalg.solve(A, b), T.slinalg.solve(S, b, { assume_a = "pos" }), T.slinalg.solve(A.T, b),
      T.slinalg.solve_triangular(L, b, { lower = true }), T.nlinalg.matrix_inverse(A), T.nlinalg.det(A),
      T.grad(T.slinalg.solve(A, b):sum(), A), T.nlinalg.slogdet(A) } },
      { value(d, 5, 5), value(d, 5, 3) })
    add("larger_" .. d, theano.compile { inputs = { A, b }, outputs = { T.slinalg.solve(A, b),
      T.nlinalg.matrix_inverse(A.T) } }, { value(d, 60, 60), value(d, 60, 2) })
    local B = T.TensorType(d, { false, false, false })("B")
    add("batch_" .. d, theano.compile { inputs = { B }, outputs = { T.slinalg.solve(B, B[":, :, :2"]) } },
      { value(d, 3, 4, 4) })
    -- more than a vector has lanes, and what leaves its range there
    local many = value(d, 37, 5, 5)
    many[3] = many[3] * (d == "float32" and 1e-38 or 1e-308)
    local P = T.batched_dot(B, B:dimshuffle(0, 2, 1)) + T.eye(5, { dtype = d }) * 3
    add("batches_" .. d, theano.compile { inputs = { B }, outputs = { T.slinalg.solve(B, B[":, :, 1:3"]),
      T.slinalg.solve(B:dimshuffle(0, 2, 1), B), T.nlinalg.matrix_inverse(B), T.nlinalg.det(B), T.slinalg.cholesky(P),
      T.slinalg.solve(P, B, { assume_a = "pos" }), T.slinalg.solve_triangular(P, B, { lower = true }),
      T.slinalg.solve_triangular(P, B, { trans = 1 }) } }, { many })
    local z = T.TensorType(d == "float32" and "complex64" or "complex128", { false, false })("z")
    local pairs_ = (value("float64", 6, 10) * nd.complex(1, -0.5)):astype(z.dtype)
    add("fourier_" .. d, theano.compile { inputs = { B, z }, outputs = { T.fft.rfft(B), T.fft.irfft(T.fft.rfft(B)),
      T.fft.fft(z), T.fft.ifft(z, { axis = 0 }), T.fft.fft2(z) } }, { value(d, 2, 5, 12), pairs_ }, true)
  end
end

local function elements(add)
  for _, d in ipairs { "bool", "int8", "int64", "uint16", "uint64", "float32", "float64" } do
    local x, y = T.TensorType(d, { false })("x"), T.TensorType(d, { false })("y")
    local out = { x + y, x * y, T.switch(T.lt(x, y), x, y), T.maximum(x, y), x:astype("float64"), x:astype("int16"),
      x:astype("uint64"), x:sum(), x:max(), x:argmax() }
    local function more(list) for _, v in ipairs(list) do out[#out + 1] = v end end
    if d ~= "bool" then more { x - y, x // y, x % y, T.abs(x), T.sqr(x) } end
    if d:find("float") then
      more { T.exp(x), T.log(y), T.log1p(y), T.expm1(x), T.tanh(x), T.sqrt(x), T.nnet.sigmoid(x), T.nnet.softplus(x),
        T.round(x), T.isinf(x / 0), T.sin(x), T.cos(x), T.tan(x), T.arctan(x), T.arcsin(x / 9), T.arccos(x / 9),
        T.sinh(x), T.cosh(x), T.arcsinh(x), T.arccosh(y), T.arctanh(x / 9), T.exp2(x), T.log2(y), T.log10(y) }
    end
    add("elements_" .. d, theano.compile { inputs = { x, y }, outputs = out },
      { (rng:randn(70) * 3):astype(d), (rng:randn(70) * 3 + 30):astype(d) })
  end
  local x, i = T.fmatrix("x"), T.lvector("i")
  add("rows", theano.compile { inputs = { x, i }, outputs = { x[i], T.inc_subtensor(x[i], 1), T.nnet.softmax(x),
    x:sum(),    x:mean(0), x:max(1), x:argmax(1), x.T, T.concatenate({ x, x }, 1), x["::-1"] } },
    { value("float32", 5, 90), nd.array({ 1, 2, -1, 1 }, { dtype = "int64" }) })
end

local function functions(add)
  for _, dtype in ipairs { "float32", "float64" } do
    local x = T.TensorType(dtype, { false, false })("x")
    local W1, b1 = theano.shared(value(dtype, 20, 33), "W1"), theano.shared(value(dtype, 33), "b1")
    local W2, b2 = theano.shared(value(dtype, 33, 4), "W2"), theano.shared(value(dtype, 4), "b2")
    local y = T.dot(T.tanh(T.dot(x, W1) + b1), W2) + b2
    local f = theano.compile { inputs = { x }, outputs = { y = y } }
    add("mlp_" .. dtype, f, { value(dtype, 1, 20) })
    add("mlp_many_" .. dtype, f, { value(dtype, 7, 20) })
    local cost = T.sqr(y):mean()
    local updates = {}
    for i, p in ipairs { W1, b1, W2, b2 } do
      updates[i] = { p, p - T.constant(0.1, { dtype = dtype }) * T.grad(cost, p) }
    end
    local step = theano.compile { inputs = { x }, outputs = { cost = cost }, updates = updates }
    add("train_" .. dtype, step, { value(dtype, 5, 20) })
  end
  loops(add)
  elements(add)
  draws(add)
  images(add)
  library(add)
end

describe("an exported program", function()
  -- all of them by gcc, others every day by the rest
  for _, by in ipairs(exported.compilers(100, 12, 8)) do
    it("gives the bits of the function, in standard C by " .. by.name, function() by:has_bits(functions) end)
  end

  it("runs through several columns inside the loop over rows, for any number of columns, with the same bits", function()
    cpu.only("the bits of the CPU")
    skip.unless(exported.has("gcc"), "gcc is not here")
    local list = {}
    for columns, together in pairs { [64] = 32, [33] = 32, [95] = 32, [4] = 4, [10] = false, [1] = false } do
      for _, dtype in ipairs { "float32", "float64", "int64", "complex128" } do
        local x = T.TensorType(dtype, { true, false })("x")
        local w = theano.shared((value("float64", 7, columns) * 9):astype(dtype))
        local f = theano.compile { inputs = { x }, outputs = { T.dot(x, w) * 2, w:sum(0), w:prod(0) } }
        local args = { (value("float64", 1, 7) * 9):astype(dtype) }
        list[#list + 1] = { dtype .. "_" .. columns, f, { args = args } }
        local dir = runner.folder()
        f:export("x", { dir = dir, args = args })
        local file <close> = assert(io.open(dir .. "/x.c"))
        local written = file:read("a"):match("acc0%[(%d+)%];")
        runner.remove(dir)
        if dtype:find("float") then assert.equal(together or nil, tonumber(written), dtype .. " " .. columns) end
      end
    end
    for _, level in ipairs { "-O1", "-O3" } do
      local said = exported.run("gcc", exported.strict .. " -fwrapv -ffp-contract=off " .. level, list)
      for _, e in ipairs(list) do assert(said:find("\n" .. e[1] .. ": 0\n", 1, true), said) end
    end
  end)

  it("has loops after sums of columns that clang makes vectors of", function()
    cpu.only("a plan of the CPU")
    skip.unless(exported.has("clang") and io.popen("clang -dumpmachine"):read("a"):find("^x86_64"), "no clang")
    local x, w, b = T.frow("x"), theano.shared(value("float32", 64, 64)), theano.shared(value("float32", 64))
    local f = theano.compile { inputs = { x }, outputs = T.tanh(T.dot(x, w) + b) }
    local dir = runner.folder()
    f:export("layer", { dir = dir, args = { value("float32", 1, 64) } })
    local compile <close> = assert(io.popen(("cd %s && clang -std=c99 -O3 -mavx2 -mfma -ffp-contract=off "
      .. "-fno-math-errno -fno-trapping-math -Rpass=loop-vectorize -c layer.c 2>&1"):format(dir)))
    local said, line, at = compile:read("a"), 0, nil
    for text in io.lines(dir .. "/layer.c") do
      line = line + 1
      if text:find("SETTLE%(acc0%);") then at = line + 1 end
    end
    runner.remove(dir)
    assert.truthy(at and said:find(("layer.c:%d:%%d+: remark: vectorized loop"):format(at)), said)
  end)

  it("takes arguments up to the example's lengths where it is bounded", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    local x = T.dmatrix("x")
    local f = theano.compile { inputs = { x }, outputs = { y = T.dot(x, x.T) } }
    local dir = runner.folder()
    f:export("gram", { dir = dir, shapes = { { 3, 4 } }, bounded = true })
    runner.write(dir .. "/main.c", [[
#include "gram.h"
#include <stdio.h>
int main(void) {
    static gram_state s;
    double x[4] = {1, 2, 3, 4}, y[9];
    int64_t few[2] = {2, 2}, many[2] = {4, 1}, got[2];
    gram_init(&s);
    printf("%d", gram_call(&s, x, few, y, got));
    printf(" %g %g %g %g, %d %d", y[0], y[1], y[2], y[3], (int)got[0], (int)got[1]);
    printf(", %d", gram_call(&s, x, many, y, got) != 0);
    printf(" %s\n", gram_error(&s));
    return 0;
}
]])
    local build = ("cd %s && gcc %s gram.c main.c -lm -o gram 2>&1 && ./gram"):format(dir, exported.strict)
    local pipe = io.popen(build)
    local said = pipe:read("l")
    pipe:close()
    runner.remove(dir)
    assert.equal("0 5 11 11 25, 2 2, 1 a length is larger than this program was written for", said)
  end)

  it("says the lengths of the call that did not fit", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    local x, i = T.fmatrix("x"), T.ivector("i")
    local f = theano.compile { inputs = { x, i },
      outputs = { y = T.nnet.categorical_crossentropy(T.nnet.softmax(x), i):mean(), z = T.dot(x.T, x) } }
    local dir = runner.folder()
    f:export("cost", { dir = dir, shapes = { { 9, 4 }, { 9 } }, bounded = true })
    runner.write(dir .. "/main.c", [[
#include "cost.h"
#include <stdio.h>
#include <string.h>
int main(void) {
    static cost_state s;
    float x[36] = {0}, y, z[36];
    int32_t i[9] = {0};
    int64_t nx[2] = {5, 4}, ni[1] = {7}, got[2];
    cost_init(&s);
    printf("%d ", cost_call(&s, x, nx, i, ni, &y, z, got));
    printf("%s; ", strtok((char *)cost_error(&s), ":"));
    nx[0] = ni[0] = 10;
    printf("%d ", cost_call(&s, x, nx, i, ni, &y, z, got));
    printf("%s\n", cost_error(&s));
    return 0;
}
]])
    local pipe = io.popen(("cd %s && gcc %s cost.c main.c -lm -o cost 2>&1 && ./cost"):format(dir, exported.strict))
    local said = pipe:read("a")
    pipe:close()
    runner.remove(dir)
    assert.equal("2 there are 5 rows but 7 class numbers; 2 a length is larger than this program was written for\n",
      said)
  end)

  it("names what is written for lengths that do not move where it is bounded", function()
    local m = T.fmatrix("m")
    for name, y in pairs { SortOp = T.sort(m, 0), CumOp = T.cumsum(m, 0), RFFTOp = T.fft.rfft(m) } do
      raises("NotImplementedError", { name, "lengths that are the same in each call" }, function()
        theano.compile { inputs = { m }, outputs = y }:export("q", { shapes = { { 4, 3 } }, bounded = true })
      end)
    end
  end)

  it("is a module of Lua that needs no engine", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    skip.without_program("lua5.4")
    local x, z, u = T.fmatrix("x"), T.zvector("z"), T.TensorType("uint64", {})("u")
    local W = theano.shared(nd.array { { 1, 2 }, { 3, 4 } }, "W")
    local y = T.dot(x, W)
    local f = theano.compile { inputs = { x, theano.In(u, { value = nd.array(7, { dtype = "uint64" }) }), z },
      outputs = { y, T.gt(y:sum(), 0), T.maximum(u, u), z * 2, T.lt(z.real, 2) }, updates = { { W, W + 1 } } }
    local dir = runner.folder()
    f:export("part", { dir = dir, lua = true, bounded = true, names = { "y", "up", "next", "twice", "low" },
      shapes = { { 3, 2 }, {}, { 4 } } })
    runner.write(dir .. "/main.lua", [[
package.cpath = "./?.so"
local part = require("part")
local p = part.new()
local q = part.copy(p)
local y, up, next_, twice, low = p({ { 1, 1 } }, nil, { 1, { 2, -3 } })
print(#y, y[1][1], y[1][2], up, next_, twice[1][1], twice[2][1], twice[2][2], low[1], low[2])
print(p.W[1][1], q.W[1][1], #(p({}, 8, {})), (select(3, p({}, -1 >> 1, {}))))
part.reset(p)
q.W = { { 9, 9 }, { 9, 9 } }
print(p.W[2][2], q.W[2][2])
for _, wrong in ipairs { { { 1, 2 } }, { {}, 3.5, {} }, { {}, 1, {}, 4, n = 4 }, { { { 1, 2, 3 } }, nil, {} },
  { { { 1, 2 }, { 1, "b" } }, nil, {} }, { {}, nil }, { { {}, {}, {}, {} }, nil, {} } } do
  print((select(2, pcall(p, table.unpack(wrong, 1, wrong.n or 3))):gsub("^.-: part", "part")))
end
print(p.W[2][2], (select(2, pcall(function() q.W = { { 1, 2 }, { 3 } } end)):gsub("^.-: part", "part")), q.W[1][1])
]])
    local build = ("cd %s && gcc %s -fPIC -shared -I/usr/include/lua5.4 part.c part_lua.c -lm -o part.so 2>&1 && "
      .. "lua5.4 main.lua 2>&1"):format(dir, exported.strict)
    local pipe = io.popen(build)
    local said = pipe:read("a")
    pipe:close()
    runner.remove(dir)
    assert.equal([[
1	4.0	6.0	true	7	2.0	4.0	-6.0	true	false
2	1	0	9223372036854775807
4	9
part: x: a list is wanted in each of its dimensions
part: u: an integer of its type is wanted
part: 4 arguments, it has 3
part: x: 3 elements in dimension 2, 2 at most are wanted
part: x: a number is wanted
part: z: it is missing
part: x: 4 elements in dimension 1, 3 at most are wanted
4	part: W: 1 elements in dimension 2, 2 are wanted	9
]], said)
  end)

  it("says in C which operation failed, and where", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    local x, i = T.dvector("x"), T.lscalar("i")
    local s = theano.shared(1.0, "s")
    local f = theano.compile { inputs = { x, i }, outputs = { y = x[i] }, updates = { { s, s + x[i] } } }
    local dir = runner.folder()
    f:export("pick", { dir = dir, shapes = { { 3 }, {} } })
    runner.write(dir .. "/main.c", [[
#include "pick.h"
#include <stdio.h>
int main(void) {
    static pick_state s;
    double x[3] = {1, 2, 4}, y;
    int64_t good = 2, bad = 3;
    pick_init(&s);
    printf("%d %g", pick_call(&s, x, &good, &y), 0.0);
    printf(" %g %g, %d", y, s.s[0], pick_call(&s, x, &bad, &y) != 0);
    printf(" %g %s\n", s.s[0], pick_error(&s));
    return 0;
}
]])
    local pipe = io.popen(("cd %s && gcc %s pick.c main.c -lm -o pick 2>&1 && ./pick"):format(dir, exported.strict))
    local said = pipe:read("l")
    pipe:close()
    runner.remove(dir)
    assert.truthy(said:find("^0 0 4 5, 1 5 .*Subtensor.*spec/export_spec.lua"), said)
  end)

  it("leaves the function's shared variables as they were", function()
    local x, s = T.dscalar("x"), theano.shared(1.0, "s")
    local f = theano.compile { inputs = { x }, outputs = s * x, updates = { { s, s + x } } }
    local dir = runner.folder()
    f:export("once", { dir = dir, args = { 2 } })
    runner.remove(dir)
    assert.equal(1, s:get_value())
  end)

  it("fails where a matrix has no answer, and says which", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    local A, s = T.dmatrix("A"), theano.shared(1.0, "s")
    local f = theano.compile { inputs = { A }, outputs = { X = T.nlinalg.matrix_inverse(A) },
      updates = { { s, s * 2 } } }
    local dir = runner.folder()
    f:export("inv", { dir = dir, args = { { { 1, 2 }, { 3, 5 } } } })
    runner.write(dir .. "/main.c", [[
#include "inv.h"
#include <stdio.h>
int main(void) {
    static inv_state s;
    double a[4] = {1, 2, 3, 5}, none[4] = {1, 2, 2, 4}, x[4];
    int code;
    inv_init(&s);
    code = inv_call(&s, none, x);
    printf("%d %s %g\n", code, inv_error(&s), s.s[0]);
    code = inv_call(&s, a, x);
    printf("%d %g %g\n", code, x[0], s.s[0]);
    return 0;
}
]])
    local pipe = io.popen(("cd %s && gcc %s inv.c main.c -lm -o m && ./m"):format(dir, exported.strict))
    local said = pipe:read("a")
    pipe:close()
    runner.remove(dir)
    assert.matches("^%d+ MatrixInverse.*spec/export_spec.lua:%d+ 1\n0 %-5 2\n$", said)
  end)

  it("is refused for what it is not written for, by name and line, without a file", function()
    local m = T.dmatrix("m") -- larger than one block of rows
    local dir = runner.folder()
    raises("NotImplementedError", { "MatrixInverse", "made at spec/export_spec.lua" }, function()
      theano.compile({ inputs = { m }, outputs = T.nlinalg.matrix_inverse(m) }):export("wide", { dir = dir,
        args = { rng:randn(97, 97) } })
    end)
    local pipe = io.popen("ls " .. dir)
    assert.equal("", pipe:read("a"))
    pipe:close()
    runner.remove(dir)
  end)

  it("replaces what an export wrote, and nothing else unless it is told to", function()
    local x = T.dvector("x")
    local f = theano.compile { inputs = { x }, outputs = x + 1 }
    local dir = runner.folder()
    f:export("plus", { dir = dir, shapes = { { 3 } } })
    f:export("plus", { dir = dir, shapes = { { 4 } }, weights = "file" })
    f:export("plus", { dir = dir, shapes = { { 4 } }, weights = "file" })
    for _, name in ipairs { "CMakeLists.txt", "plus.c", "plus.h", "plus_test.c", "plus.weights" } do
      local kept = runner.read(dir .. "/" .. name)
      runner.write(dir .. "/" .. name, "# mine\n")
      raises("IOError", name .. " is there, and no export wrote it", function()
        f:export("plus", { dir = dir, shapes = { { 3 } }, weights = "file" })
      end)
      assert.equal("# mine\n", runner.read(dir .. "/" .. name))
      assert.is_nil(runner.read(dir .. "/plus.h"):find("SIZE 3", 1, true)) -- nor was any other one written
      runner.write(dir .. "/" .. name, kept)
    end
    runner.write(dir .. "/plus.h", "")
    f:export("plus", { dir = dir, shapes = { { 3 } }, overwrite = true })
    assert.is_truthy(runner.read(dir .. "/plus.h"):find("SIZE 3", 1, true))
    runner.remove(dir)
  end)

  it("leaves all files as they were where one of them cannot be written", function()
    local dir = runner.folder()
    runner.write(dir .. "/net.lua", [[
      local theano = require("theano")
      local x, n = theano.tensor.dvector("x"), tonumber(arg[2])
      local W = theano.shared(theano.ndarray.ones({ n, 3 }), "W")
      local f = theano.compile { inputs = { x }, outputs = theano.tensor.dot(x, W),
        mode = theano.compile.Mode({ linker = "interpreter" }) }
      print(pcall(f.export, f, "net", { dir = arg[1], shapes = { { n } }, weights = "file" }))
    ]])
    local function run(n, before)
      local pipe = io.popen(("%s %s %s/net.lua %s %d 2>&1"):format(before, runner.path, dir, dir, n))
      local text = pipe:read("a")
      pipe:close()
      return text
    end
    local names, kept = { "CMakeLists.txt", "net.c", "net.h", "net_test.c", "net.weights" }, {}
    assert.matches("^true", run(4, ""))
    for _, name in ipairs(names) do kept[name] = assert(runner.read(dir .. "/" .. name)) end
    local said = run(100000, "trap '' XFSZ; ulimit -f 2000;") -- weights and the test take more
    assert.matches("IOError: cannot write .*/net", said)
    for _, name in ipairs(names) do assert.equal(kept[name], runner.read(dir .. "/" .. name), name) end
    local pipe = io.popen("ls -A " .. dir .. " | wc -l")
    assert.equal(6, pipe:read("n"))
    pipe:close()
    runner.remove(dir)
  end)

  it("reads its weights from a file beside it, and no other file", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    local x, k = T.dmatrix("x"), T.dscalar("k")
    local W = theano.shared(value("float64", 4, 3), "W")
    local f = theano.compile { inputs = { x, theano.In(k, { value = 2.5 }) },
      outputs = { y = T.dot(x, W) * k + T.constant(value("float64", 3)) }, updates = { { W, W * 0.5 } } }
    local dir = runner.folder()
    f:export("net", { dir = dir, args = { value("float64", 2, 4) }, weights = "file" })
    runner.write(dir .. "/main.c", [[
#include "net.h"
#include <stdio.h>
#include <string.h>
static union { double wide; unsigned char at[NET_WEIGHTS_BYTES + 8]; } good, bad;
int main(void) {
    static net_state state;
    int wrong = 0, i;
    if (net_load_file(&state, "net.weights", good.at)) return 1;
    for (i = 0; i < NET_WEIGHTS_BYTES; i += 5) {
        memcpy(&bad, &good, sizeof bad);
        bad.at[i] ^= 1;
        wrong += !net_load(&state, bad.at, NET_WEIGHTS_BYTES) && i / 32 != 1; /* the zeros of its head */
    }
    for (i = 0; i < NET_WEIGHTS_BYTES; i++) wrong += !net_load(&state, good.at, (size_t)i);
    wrong += !net_load(&state, good.at, NET_WEIGHTS_BYTES + 1) + !net_load(&state, 0, NET_WEIGHTS_BYTES);
    memmove(bad.at + 1, good.at, NET_WEIGHTS_BYTES);
    wrong += !net_load(&state, bad.at + 1, NET_WEIGHTS_BYTES);
    wrong += !net_load_file(&state, "none", bad.at) + !net_load_file(&state, "net.c", bad.at);
    printf("%d %s\n", wrong, net_error(&state));
    return 0;
}
]])
    local pipe = io.popen(("cd %s && gcc %s -c -DNET_NO_FILES net.c && gcc %s net.c net_test.c -lm -o t && " ..
      "./t bits && gcc -std=c99 -Wall -Werror net.c main.c -lm -o m && ./m"):format(dir, exported.strict,
      exported.strict))
    local said = pipe:read("a")
    pipe:close()
    runner.remove(dir)
    assert.equal("as recorded, 0 of the results with other bits\n0 these are no weights of this function, or they " ..
      "are damaged\n", said)
    raises("ValueError", "has its weights in itself", function()
      f:export("net", { args = { value("float64", 2, 4) }, weights = "file", lua = true })
    end)
    raises("ValueError", "weights is 'file' or 'inside'", function()
      f:export("net", { args = { value("float64", 2, 4) }, weights = "beside" })
    end)
  end)

  it("hands large products to BLAS where it is built so", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    local x, y = T.fmatrix("x"), T.dmatrix("y")
    local W, V = theano.shared(value("float32", 40, 30), "W"), theano.shared(value("float64", 30, 20), "V")
    local f = theano.compile { inputs = { x, y }, outputs = { T.dot(x, W), T.dot(V, y.T), T.dot(V.T, y) } }
    local dir = runner.folder()
    f:export("net", { dir = dir, args = { value("float32", 9, 40), value("float64", 30, 20) } })
    runner.write(dir .. "/cblas.h", [[
#include <stdio.h>
enum { CblasRowMajor = 101, CblasNoTrans = 111, CblasTrans = 112 };
#define GEMM_OF(T, name) static void name(int order, int ta, int tb, int m, int n, int k, T alpha, const T *a, int la, \
                                          const T *b, int lb, T beta, T *c, int lc) { \
    int i, j, q; \
    for (i = 0; i < m; i++) for (j = 0; j < n; j++) { \
        double sum = 0; \
        for (q = 0; q < k; q++) \
            sum += (double)a[ta == 112 ? q * la + i : i * la + q] * b[tb == 112 ? j * lb + q : q * lb + j]; \
        c[i * lc + j] = (T)(alpha * (T)sum + (beta != 0 ? beta * c[i * lc + j] : 0)); \
    } \
    printf("%d %s ", order, #name); \
}
GEMM_OF(float, cblas_sgemm)
GEMM_OF(double, cblas_dgemm)
]])
    local pipe = io.popen(("cd %s && gcc -std=c99 -O1 -Wall -Werror -DTHEANO_CBLAS -I. net.c net_test.c -lm -o t " ..
      "&& ./t"):format(dir))
    local said = pipe:read("a")
    pipe:close()
    runner.remove(dir)
    local _, calls = said:gsub("101 cblas_[sd]gemm ", "")
    assert.equal(6, calls, said)
    assert.is_truthy(said:find("as recorded", 1, true), said)
  end)

  it("needs a name for C, and lengths", function()
    local x = T.dvector("x")
    local f = theano.compile { inputs = { x }, outputs = x + 1 }
    raises("ValueError", "'my policy' is not a name", function() f:export("my policy", { shapes = { { 3 } } }) end)
    raises("TypeError", "an example of input 0, x is needed", function() f:export("p") end)
    raises("ValueError", "2 lengths are given for input 1, x, which has 1", function()
      f:export("p", { shapes = { x = { 2, 3 } } })
    end)
  end)
end)
