--- `theano.mpi`: the ranks of an Open MPI job (`mpirun -n 4 theano run script.lua`), each a process of the same script.
--     local grads = mpi.mean(theano.grad(cost, weights))      -- means over all ranks, on their way while others are
--     local updates = train.optimizers.sgd(grads, weights)    -- still computed
-- Started without mpirun there is one rank, no library is opened, and every function gives what one rank has.
-- Sums are made in the order of the ranks: the same bits in every run, and those of one process that adds up.
-- Every rank calls the same functions in the same order, with arrays of the same shape.
-- @module theano.mpi
local theano = require("theano")
local core = require("theano.core")
local T, nd = theano.tensor, theano.ndarray
local util = require("theano.util")

local M = {}

-- Who started this process says of how many it is one: Open MPI's mpirun, or Slurm's srun by PMIx.
local function announced()
  local n = tonumber(os.getenv("OMPI_COMM_WORLD_SIZE"))
  if n then return n end
  if os.getenv("PMIX_RANK") then return tonumber(os.getenv("SLURM_NTASKS")) or 2 end
  n = tonumber(os.getenv("PMI_SIZE"))
  if n and n > 1 then
    util.raise("NotImplementedError", "mpi: this process was started by an MPI that is not Open MPI")
  end
  return 1
end

--- rank (from 0) and size: which process this is, of how many.
M.rank, M.size = 0, 1
--- Which of the ranks of this machine it is, as far as who started it says: the GPU that is its own.
M.local_rank = tonumber(os.getenv("OMPI_COMM_WORLD_LOCAL_RANK") or os.getenv("SLURM_LOCALID")) or 0
if announced() > 1 then
  M.rank, M.size = core.mpi_open()
  local exit = os.exit
  os.exit = function(code) exit(code, true) end -- luacheck: ignore (the library wants to be closed)
end

-- ---- arrays ---------------------------------------------------------------------------------------------------------
local WHAT = { allreduce = 1, reduce_scatter = 2, bcast = 3, gather = 4, scatter = 5 }
local OPS = { sum = 0, mean = 1, max = 2, min = 3, prod = 4 }

local function start(what, op, root, a)
  local asked = core.interrupted ~= nil and core.interrupted()
  return core.mpi_start(WHAT[what], OPS[op or "sum"], root or -1, a, asked)
end

-- The shape of what a rank gets.
local function shape_of(what, root, shape)
  local out = table.move(shape, 1, #shape, 1, {})
  if what == "gather" then table.insert(out, 1, (not root or root == M.rank) and M.size or 0)
  elseif what == "reduce_scatter" or what == "scatter" then table.remove(out, 1)
  end
  return out
end

local function run(what, op, root, a)
  return core.mpi_wait(start(what, op, root, a), a.dtype, shape_of(what, root, a.shape))
end

-- What one rank alone gets.
local function alone(what, a)
  if what == "gather" then return a:reshape({ 1, table.unpack(a.shape) }) end
  if what ~= "reduce_scatter" and what ~= "scatter" then return a end
  if a.ndim == 0 or a.shape[1] ~= 1 then
    util.raise("ShapeError", "mpi: an array of 1 row is wanted, one for each rank, not of %s",
      a.ndim == 0 and "none" or a.shape[1])
  end
  return a:reshape({ table.unpack(a.shape, 2) })
end

-- ---- operations of graphs ------------------------------------------------------------------------------------------
local Collective, Start, Wait
local make

-- Of the sum of all ranks' costs, which is what each rank's gradient is of.
local GRADIENTS = {
  allreduce = function(self, x, z, g)
    if self.op == "sum" or self.op == "mean" then return make("allreduce", self.op, nil, g) end
    g = make("allreduce", "sum", nil, g)
    if self.op == "prod" then return g * z / x end
    return g * T.cast(T.eq(x, z), g.dtype)
  end,
  reduce = function(self, _, _, g) return make("bcast", "sum", self.root, g) end,
  bcast = function(self, _, _, g) return make("reduce", "sum", self.root, g) end,
  gather = function(self, _, _, g)
    return self.root and make("scatter", "sum", self.root, g) or make("reduce_scatter", "sum", nil, g)
  end,
  scatter = function(self, _, _, g) return make("gather", "sum", self.root, g) end,
  reduce_scatter = function(self, _, _, g)
    if self.op ~= "sum" and self.op ~= "mean" then
      return theano.gradient.grad_not_implemented(self, 0, g, "reduce_scatter has a gradient for sum and mean")
    end
    g = make("gather", "sum", nil, g)
    return self.op == "mean" and g / T.constant(M.size, { dtype = g.dtype }) or g
  end,
}

local function type_of(what, x)
  local broadcastable = table.move(x.broadcastable, 1, x.ndim, 1, {})
  if what == "gather" then table.insert(broadcastable, 1, false)
  elseif what == "reduce_scatter" or what == "scatter" then
    if x.ndim == 0 then util.raise("TypeError", "mpi: %s wants rows, one for each rank, not a scalar", what) end
    table.remove(broadcastable, 1)
  end
  return core.TensorType(x.dtype, broadcastable)
end

local function define()
  if Collective then return end
  Collective = theano.Op {
    name = "Collective", __props__ = { "what", "op", "root" },
    make_node = function(self, x)
      local out = type_of(self.what, x)()
      return theano.Apply(self, { x }, { out })
    end,
    perform = function(self, _, inputs)
      local a = inputs[1]
      if self.what ~= "reduce" then return run(self.what, self.op, self.root, a) end
      local sum = run("allreduce", "sum", nil, a)
      return self.root == M.rank and sum or nd.zeros(a.shape, a.dtype)
    end,
    infer_shape = function(self, _, shapes) return { shape_of(self.what, self.root, shapes[1]) } end,
    L_op = function(self, inputs, outputs, gz)
      return { GRADIENTS[self.what](self, inputs[1], outputs[1], gz[1]) }
    end,
    R_op = function(self, _, points)
      if self.op ~= "sum" and self.op ~= "mean" then
        util.raise("NotImplementedError", "mpi: forward mode knows sum and mean, not %s", self.op)
      end
      return { make(self.what, self.op, self.root, points[1]) }
    end,
  }
  -- x sets out, after the job before has: a number by which it is waited for.
  Start = theano.Op {
    name = "CollectiveStart", __props__ = { "op" },
    make_node = function(self, x, before) return theano.Apply(self, { x, before }, { T.lscalar() }) end,
    perform = function(self, _, inputs) return nd.array(start("allreduce", self.op, nil, inputs[1]), "int64") end,
    infer_shape = function() return { {} } end,
    grad = function() return { theano.gradient.DisconnectedType()(), theano.gradient.DisconnectedType()() } end,
    connection_pattern = function() return { { false }, { false } } end,
  }
  -- What came of x's job, when the last one of its list has set out.
  Wait = theano.Op {
    name = "CollectiveWait", __props__ = { "op" },
    make_node = function(self, x, job, last) return theano.Apply(self, { x, job, last }, { x.type() }) end,
    perform = function(_, _, inputs) return core.mpi_wait(inputs[2]:item(), inputs[1].dtype, inputs[1].shape) end,
    infer_shape = function(_, _, shapes) return { shapes[1] } end,
    grad = function(self, _, gz)
      return { make("allreduce", self.op, nil, gz[1]), theano.gradient.DisconnectedType()(),
        theano.gradient.DisconnectedType()() }
    end,
    connection_pattern = function() return { { true }, { false }, { false } } end,
  }
end

function make(what, op, root, x)
  define()
  return Collective:new { what = what, op = op or "sum", root = root or false }(x)
end

-- ---- what users call -----------------------------------------------------------------------------------------------
local function check(what, o, op, root)
  if op and not OPS[op] then
    util.raise("ValueError", "%s: op is %s: sum, mean, max, min or prod is expected", what, util.text(op))
  end
  if root ~= nil and (math.type(root) ~= "integer" or root < 0 or root >= M.size) then
    util.raise("ValueError", "%s: there is no rank %s: ranks are 0 to %d", what, util.text(root), M.size - 1)
  end
  return o
end

-- Of a Variable a Variable, of a number a number, of anything else an array.
local function apply(what, op, root, x)
  if util.is_var(x) then
    if M.size > 1 then return make(what, op, root, x) end
    if what == "gather" then return T.shape_padleft(x) end
    if what == "reduce_scatter" then return x[0] end
    return x
  end
  local a = nd.asarray(x)
  local whole = what == "reduce" and "allreduce" or what
  local out = M.size > 1 and run(whole, op, root, a) or alone(whole, a)
  if what == "reduce" and root ~= M.rank then out = nd.zeros(a.shape, a.dtype) end
  return type(x) == "number" and out.ndim == 0 and out:item() or out
end

--- All ranks' x, reduced element by element, for every rank.
-- @tparam Variable|ndarray|number x
-- @tparam[opt="sum"] string op sum, mean, max, min or prod
function M.allreduce(x, op)
  check("allreduce", nil, op)
  return apply("allreduce", op, nil, x)
end

--- The sum of all ranks' x for rank `root` (0), zeros for the others.
function M.reduce(x, root)
  check("reduce", nil, nil, root)
  return apply("reduce", "sum", root or 0, x)
end

--- Rank `root`'s (0) x for every rank.
function M.bcast(x, root)
  check("bcast", nil, nil, root)
  return apply("bcast", "sum", root or 0, x)
end

--- All ranks' x, one after the other along a new first axis: for every rank, or for `root` alone (no rows for others).
function M.gather(x, root)
  check("gather", nil, nil, root)
  return apply("gather", "sum", root, x)
end

--- Row r of all ranks' x, reduced, for rank r; x has `size` rows.
function M.reduce_scatter(x, op)
  check("reduce_scatter", nil, op)
  return apply("reduce_scatter", op, nil, x)
end

--- Returns when all ranks are here.
function M.barrier() M.allreduce(0) end

--- Several Variables reduced at once. Each sets out when it is computed, the last in the list first (gradients of the
-- last layers come first), and is waited for when all of them are on their way: messages and the rest of the backward
-- pass run side by side.
-- @tparam {Variable,...} list
-- @tparam[opt="sum"] string op
-- @treturn {Variable,...}
function M.allreduce_all(list, op)
  util.variables("allreduce_all", list)
  check("allreduce_all", nil, op)
  op = op or "sum"
  if M.size == 1 or #list == 0 then return table.move(list, 1, #list, 1, {}) end
  if tostring(theano.config.device):find("^cuda") then return core.mpi_reduce(list, OPS[op]) end -- by NCCL, on the GPU
  define()
  local jobs, last, out = {}, T.constant(0, { dtype = "int64" }), {}
  for i = #list, 1, -1 do
    last = Start:new { op = op }(list[i], last)
    jobs[i] = last
  end
  for i, v in ipairs(list) do out[i] = Wait:new { op = op }(v, jobs[i], last) end
  return out
end

--- Means over the ranks of gradients, as `allreduce_all`: what an optimizer is given.
function M.mean(list) return M.allreduce_all(list, "mean") end

--- Gives shared variables the values that they have on rank `root` (0).
function M.share(variables, root)
  util.variables("share", variables)
  check("share", nil, nil, root)
  if M.size == 1 then return end
  for _, v in ipairs(variables) do v:set_value(run("bcast", "sum", root or 0, nd.asarray(v:get_value()))) end
end

--- This rank's rows of arrays that all ranks have, such as a batch: as many for each rank, in the order of the ranks.
function M.part(...)
  local list = table.pack(...)
  for i = 1, list.n do
    local a = list[i]
    if not util.is_array(a) or a.ndim == 0 or a.shape[1] % M.size ~= 0 then
      util.raise("ShapeError", "part: item %d has %s rows: as many for each of %d ranks are wanted", i,
        util.is_array(a) and a.ndim > 0 and a.shape[1] or "no", M.size)
    end
    local rows = a.shape[1] // M.size
    list[i] = a[{ T.slice(M.rank * rows, (M.rank + 1) * rows) }]
  end
  return table.unpack(list, 1, list.n)
end

--- A text of rank `root` (0) for every rank.
function M.text(text, root)
  if M.size == 1 then return text end
  text = M.rank == (root or 0) and text or ""
  local n = run("bcast", "sum", root or 0, nd.array(#text, "int64")):item()
  local bytes = M.rank == (root or 0) and n > 0 and nd.frombuffer(text, "uint8") or nd.zeros({ n }, "uint8")
  return n > 0 and run("bcast", "sum", root or 0, bytes):tostring() or ""
end

--- Whether some rank was told to end, as all ranks know since the last collective operation: theano.interrupted().
function M.interrupted() return core.mpi_asked() end

return M
