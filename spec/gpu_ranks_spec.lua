--- Reductions over the ranks of a job by NCCL, on the emulated GPU: the bits of one process that adds up in the order
-- of the ranks, for any number of ranks and elements; beside what else is computed; ranks that differ or go end it.
local jobs = require("spec.support.jobs")

local HEAD = [[
local theano = require("theano")
theano.config.device = "cuda-emulated"
theano.config.force_device = true
local T, nd, mpi = theano.tensor, theano.ndarray, theano.mpi
local rank = mpi.rank
]]

-- What each rank has of variable i, and the sum, mean and maximum in their order.
local REDUCE = HEAD .. [[
local function of(r, n, dtype) return nd.sin(nd.arange(n):astype("float64") * 0.37 + r):astype(dtype) end
local function folded(op, n, dtype)
  local z = of(0, n, dtype)
  for r = 1, mpi.size - 1 do
    local y = of(r, n, dtype)
    z = op == "max" and nd.maximum(z, y) or op == "prod" and z * y or z + y
  end
  return op == "mean" and z / nd.array(mpi.size, dtype) or z
end
for _, dtype in ipairs({ "float32", "float64" }) do
  for _, op in ipairs({ "sum", "mean", "max", "prod" }) do
    local inputs, values, lengths = {}, {}, { 1, 5, 0, 40001, 30000, 2 }
    for i, n in ipairs(lengths) do
      inputs[i] = T.vector("x" .. i, { dtype = dtype })
      values[i] = of(rank, n, dtype)
    end
    local outs = mpi.allreduce_all(inputs, op)
    local f = theano.compile { inputs = inputs, outputs = outs }
    for _ = 1, 3 do
      local got = { f(table.unpack(values)) }
      for i, n in ipairs(lengths) do
        assert(nd.array_equal(got[i], folded(op, n, dtype)), dtype .. " " .. op .. " " .. n)
      end
    end
  end
end
local k = T.lvector("k")
assert(theano.compile { inputs = { k }, outputs = mpi.allreduce_all({ k }, "min")[1] }({ rank, 5 })[0] == 0)
local h = T.TensorType("float16", { false })("h")
local ok, why = pcall(mpi.allreduce_all, { h })
assert(not ok and why:find("does not take float16", 1, true), why)
io.write("all is well ", rank, "\n")
]]

-- A network trained by ranks is the one that a process trains which adds up their gradients.
local TRAIN = HEAD .. [[
local parts = tonumber(os.getenv("PARTS")) or mpi.size
local rng = nd.random.RandomState(4)
local X, Y = rng:normal(0, 1, { 24, 30 }):astype("float32"), rng:randint(0, 3, { 24 })
local p = theano.layers.params { seed = 1, dtype = "float32" }
local x, y = T.fmatrix("x"), T.lvector("y")
local h = T.tanh(theano.layers.dense(p, x, 30, 40))
local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(theano.layers.dense(p, h, 40, 3)), y):mean()
local grads = theano.grad(cost, p.weights)
local rows = 24 // parts
local function part(a, r) return a[T.slice(r * rows, (r + 1) * rows)] end
local function finish(list) return theano.train.optimizers.adam(list, p.weights) end
if parts == mpi.size then
  local step = theano.compile { inputs = { x, y }, updates = finish(mpi.mean(grads)) }
  local _, text = pcall(tostring, theano.printing.plan(step))
  assert(mpi.size == 1 or text:find("CollectiveStart", 1, true), text)
  for _ = 1, 3 do step(part(X, rank), part(Y, rank)) end
else
  local each = theano.compile { inputs = { x, y }, outputs = grads }
  local given = {}
  for i, g in ipairs(grads) do given[i] = g.type() end
  local step = theano.compile { inputs = given, updates = finish(given) }
  for _ = 1, 3 do
    local sums
    for r = 0, parts - 1 do
      local got = { each(part(X, r), part(Y, r)) }
      for i = 1, #got do got[i] = sums and sums[i] + nd.array(got[i]) or nd.array(got[i]) end
      sums = got
    end
    for i = 1, #sums do sums[i] = sums[i] / nd.array(parts, "float32") end
    step(table.unpack(sums))
  end
end
local text = {}
for _, w in ipairs(p.weights) do text[#text + 1] = w:get_value():tobytes() end
io.write("weights ", rank, " ", require("theano.sha256")(table.concat(text)), "\n")
]]

describe("ranks on GPUs", function()
  it("reduce in their order, whatever the lengths", function()
    for _, n in ipairs({ 2, 3 }) do
      local text, code = jobs.ranks(n, REDUCE)
      assert.equal(0, code, text)
      for r = 0, n - 1 do assert.truthy(text:find("all is well " .. r, 1, true), text) end
    end
  end)

  it("train as one process that adds up their gradients, bit for bit", function()
    local text, code = jobs.ranks(4, TRAIN)
    assert.equal(0, code, text)
    local one = text:match("weights 0 (%x+)")
    for r = 1, 3 do assert.equal(one, text:match("weights " .. r .. " (%x+)"), text) end
    local alone = jobs.alone(TRAIN, { PARTS = 4 })
    assert.equal(one, alone:match("weights 0 (%x+)"), alone)
  end)

  it("hear of one that does something else, or has ended", function()
    local text, code = jobs.ranks(2, HEAD .. [[
      local x = T.fvector("x")
      local f = theano.compile { inputs = { x }, outputs = mpi.mean({ x })[1]:sum() }
      local ok, why = true, nil
      for _ = 1, 500 do -- what ranks do is compared beside the calls: it is heard of in a later one
        if ok then ok, why = pcall(f, nd.ones({ 5 + rank }, "float32")) end
      end
      io.write(tostring(ok), " ", why, "\n")
    ]])
    assert.equal(0, code, text)
    assert.truthy(text:find("allreduce on a GPU of 5 float32", 1, true), text)
    assert.truthy(text:find("all ranks have to do the same", 1, true), text)
    assert.falsy(text:find("true ", 1, true), text)
    text, code = jobs.ranks(2, HEAD .. [[
      local x = T.fvector("x")
      local f = theano.compile { inputs = { x }, outputs = mpi.mean({ x })[1]:sum() }
      f(nd.ones({ 5 }, "float32"))
      if rank == 1 then error("its own mistake") end
      for _ = 1, 3 do f(nd.ones({ 5 }, "float32")) end
    ]])
    assert.equal(1, code, text)
    assert.truthy(text:find("rank 1 has ended", 1, true), text)
  end)

  it("end with a message when one is killed in the middle of a job", function()
    local text, code = jobs.ranks(3, HEAD .. [[
      local x = T.fvector("x")
      local f = theano.compile { inputs = { x }, outputs = mpi.mean({ x })[1]:sum() }
      f(nd.ones({ 5 }, "float32"))
      if rank == 1 then os.execute("kill -9 " .. io.open("/proc/self/stat"):read("n")) end
      while true do f(nd.ones({ 5 }, "float32")) end
    ]])
    assert.truthy(code == 137 or code == 1, text)
    assert.truthy(text:find("rank 1 [^\n]*exited on signal 9") or text:find("rank 1 has ended", 1, true), text)
  end)
end)
