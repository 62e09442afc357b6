--- theano.mpi: one rank alone, and jobs of several ranks where mpirun is there: what they get, gradients, what happens
-- when they do not agree, and the example that trains as one process does.
local jobs = require("spec.support.jobs")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local theano = require("theano")
local T, nd, mpi = theano.tensor, theano.ndarray, theano.mpi

local shell, ranks = jobs.shell, jobs.ranks

describe("one rank", function()
  it("has what it gives", function()
    assert.same({ 0, 1 }, { mpi.rank, mpi.size })
    assert.equal(3, mpi.allreduce(3))
    assert.equal("[1 2]", tostring(mpi.bcast(nd.array({ 1, 2 }))))
    assert.equal("[[1 2]]", tostring(mpi.gather(nd.array({ 1, 2 }))))
    assert.equal("[1 2]", tostring(mpi.reduce_scatter(nd.array({ { 1, 2 } }))))
    local x = T.dvector("x")
    assert.same({ 3, 2 }, mpi.gather(mpi.mean({ x })[1]).ndim == 2 and { 3, 2 })
    local f = theano.compile { inputs = { x }, outputs = T.grad(mpi.allreduce(x ^ 2):sum(), x) }
    assert.equal("[2. 4.]", tostring(f({ 1, 2 })))
  end)

  it("complains by name", function()
    raises("ValueError", "op is median", function() mpi.allreduce(1, "median") end)
    raises("ValueError", "there is no rank 3: ranks are 0 to 0", function() mpi.bcast(1, 3) end)
    raises("ShapeError", "an array of 1 row is wanted", function() mpi.reduce_scatter(nd.zeros({ 2 })) end)
  end)

  it("says so when another MPI started it", function()
    local text, code = shell("env PMI_SIZE=2 " .. runner.path .. " -e 'print(require(\"theano\").mpi.size)'")
    assert.equal(1, code)
    assert.truthy(text:find("an MPI that is not Open MPI", 1, true), text)
  end)
end)

local OPERATIONS = [[
local theano = require("theano")
local T, nd, mpi = theano.tensor, theano.ndarray, theano.mpi
local r = mpi.rank
local function same(wanted, got, what)
  assert(tostring(nd.asarray(wanted)) == tostring(nd.asarray(got)), what .. ": " .. tostring(got))
end
-- arrays
same(3, mpi.allreduce(r + 1), "sum")
same(nd.array({ 1, 2 }), mpi.allreduce(nd.array({ r, 2 }), "max"), "max")
same(nd.array({ 0, 4 }), mpi.allreduce(nd.array({ r, 2 }), "prod"), "prod")
same(nd.array({ true }), mpi.allreduce(nd.array({ r == 1 }), "max"), "or")
same(nd.array({ { 0, 5 }, { 1, 5 } }), mpi.gather(nd.array({ r, 5 })), "gather")
same(nd.array({ 1 }), mpi.bcast(nd.array({ r }), 1), "bcast")
same(10 + 2 * r, mpi.reduce_scatter(nd.array({ 5, 6 })), "reduce_scatter")
assert(mpi.gather(nd.zeros({ 3 }), 0).shape[1] == (r == 0 and 2 or 0))
same(nd.zeros({ 0 }), mpi.allreduce(nd.zeros({ 0 })), "nothing")
same(nd.array({ { 2, 4 } }), mpi.allreduce(nd.array({ { 1, 9 }, { 2, 9 } }).T["0:1"]), "no C order")
assert(mpi.text(r == 0 and "a\0b" or "?") == "a\0b")
local a, b = nd.random.RandomState(0):normal(0, 1, { 70001 }), nd.random.RandomState(1):normal(0, 1, { 70001 })
assert(nd.array_equal(mpi.allreduce(r == 0 and a or b, "mean"), (a + b) / 2), "long arrays")
local w = theano.shared(nd.full({ 2 }, r + 1.0), "w")
mpi.share({ w })
same(nd.array({ 1.0, 1.0 }), w:get_value(), "share")
same(nd.array({ 2 * r, 2 * r + 1 }), mpi.part(nd.arange(4)), "part")
-- gradients: of the sum of all ranks' costs. Rank r's x is (r + 1, 2), its weights (1, 10 r)
local x, k = T.dmatrix("x"), nd.array({ { 1.0 }, { 10.0 * r } })
local function gradient(y, value)
  return theano.compile { inputs = { x }, outputs = T.grad((y * y):sum(), x) }(value)
end
local v = nd.array({ { r + 1.0 }, { 2.0 } })
same(nd.array({ { 12.0 }, { 16.0 } }), gradient(mpi.allreduce(x), v), "d sum")
same(nd.array({ { 3.0 }, { 4.0 } }), gradient(mpi.allreduce(x, "mean"), v), "d mean")
same(r == 1 and nd.array({ { 8.0 }, { 8.0 } }) or nd.array({ { 0.0 }, { 8.0 } }),
  gradient(mpi.allreduce(x, "max"), v), "d max")
same(r == 1 and nd.array({ { 8.0 }, { 8.0 } }) or nd.zeros({ 2, 1 }), gradient(mpi.bcast(x, 1), v), "d bcast")
same(nd.array({ { 4.0 * (r + 1) }, { 8.0 } }), gradient(mpi.gather(x), v), "d gather")
same(nd.array({ { 2.0 * (r + 1) }, { 4.0 } }), gradient(mpi.gather(x, 0), v), "d gather to a root")
same(nd.array({ { 6.0 }, { 8.0 } }), gradient(mpi.reduce_scatter(x), v), "d reduce_scatter")
same(r == 0 and nd.zeros({ 2, 1 }) + nd.array({ { 6.0 }, { 8.0 } }) or nd.array({ { 6.0 }, { 8.0 } }),
  gradient(mpi.reduce(x, 0), v), "d reduce")
-- gradients of layers set out in the order in which they come, and before any is waited for
local W1, W2 = theano.shared(nd.ones({ 2, 3 }), "W1"), theano.shared(nd.ones({ 3, 1 }), "W2")
local cost = (T.dot(T.tanh(T.dot(x, W1)), W2) ^ 2):sum()
local f = theano.compile { inputs = { x }, outputs = mpi.mean(theano.grad(cost, { W1, W2 })) }
local order = {}
for _, node in ipairs(f.maker.fgraph:toposort()) do
  local name = tostring(node.op):match("^Collective(%a+)") or node.inputs[2] == W1 and "W1" or
    tostring(node.op):find("Dot22") and "product" or nil
  order[#order + 1] = name
end
local text = table.concat(order, " ")
assert(text:find("Start.*product.*Start Wait Wait$"), text)
local g = theano.grad((mpi.mean({ x ^ 2 })[1] ^ 2):sum(), x)
same(nd.array({ { 10.0 * (r + 1) }, { 32.0 } }), theano.compile { inputs = { x }, outputs = g }(v), "d mean of several")
-- what differs is said by all ranks, and a rank that has ended makes no other one wait for ever
local ok, why = pcall(mpi.allreduce, nd.zeros({ 3 + r }))
assert(not ok and why:find("all ranks have to do the same", 1, true), why)
io.write("all is well ", r, "\n")
]]

describe("two ranks", function()
  it("reduce, copy and differentiate", function()
    local text, code = ranks(2, OPERATIONS)
    assert.equal(0, code, text)
    assert.truthy(text:find("all is well 0", 1, true) and text:find("all is well 1", 1, true), text)
  end)

  it("hear of one that has failed", function()
    local text, code = ranks(2, [[
      local mpi = require("theano").mpi
      if mpi.rank == 1 then error("its own mistake") end
      mpi.barrier()
    ]])
    assert.equal(1, code, text)
    assert.truthy(text:find("its own mistake", 1, true), text)
    assert.truthy(text:find("rank 1 has ended, rank 0 is at allreduce of", 1, true), text)
  end)

  it("train as one process that adds up gradients, bit for bit, and one goes on where two were", function()
    jobs.needs_mpirun()
    local folder = runner.folder()
    local few = " --digits 480 --hidden 16 --epochs 1"
    local theano_run = runner.quote(runner.path) .. " run "
    local text, code = shell("mpirun -n 2 " .. theano_run .. "--dir " .. folder .. "/two examples/mnist/mlp_mpi.lua"
      .. few)
    assert.equal(0, code, text)
    text, code = shell(theano_run .. "--dir " .. folder .. "/one examples/mnist/mlp_mpi.lua --parts 2" .. few)
    assert.equal(0, code, text)
    local function read(name) return runner.read(folder .. "/" .. name) end
    assert.equal(read("two/metrics.jsonl"):match('"loss":([%d.]+)'), read("one/metrics.jsonl"):match('"loss":([%d.]+)'))
    assert.is_true(read("two/checkpoint.npz") == read("one/checkpoint.npz"))
    local config = read("two/config.json"):gsub('"%-%-epochs","1"', '"--epochs","2"')
    runner.write(folder .. "/two/config.json", config)
    text, code = shell(theano_run .. "--resume " .. folder .. "/two")
    assert.equal(0, code, text)
    assert.truthy(read("two/metrics.jsonl"):find('"epoch":2', 1, true))
    runner.remove(folder)
  end)
end)
