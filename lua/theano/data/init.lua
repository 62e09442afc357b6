--- `theano.data`: minibatches in an order that can be kept and gone on with, and files of numbers, pictures and sounds.
--     local batches = data.batches({ train_x, train_y }, { size = 60, shuffle = 1 })
--     for x, y in batches:epoch() do train(x, y) end
-- @module theano.data
local theano = require("theano")
local core = require("theano.core")
local T, nd = theano.tensor, theano.ndarray
local util = require("theano.util")

local M = {}

-- ---- minibatches ---------------------------------------------------------------------------------------------------
local Batches = {}
local meta = { __name = "batches", __index = Batches }

local function rows_of(arrays)
  local n
  for i, a in ipairs(arrays) do
    if not util.is_array(a) then
      util.raise("TypeError", "batches: item %d is %s, an ndarray is expected", i, util.kind_of(a))
    end
    if a.ndim == 0 then util.raise("ShapeError", "batches: item %d has no rows: it is a scalar", i) end
    n = n or a.shape[1]
    if a.shape[1] ~= n then
      util.raise("ShapeError", "batches: item %d has %d rows, item 1 has %d", i, a.shape[1], n)
    end
  end
  return n or util.raise("ValueError", "batches: there is no array")
end

--- Rows of arrays, a few at a time; all arrays have as many rows.
-- Arrays may be maps of files (`nd.load(path, {mmap = true})`): only the rows of a batch are read.
-- @tparam ndarray|table arrays one, or a sequence
-- @tparam table o size (rows of a batch); shuffle (an integer seed or a RandomState: another order each epoch; without
-- it rows come in their order, as views); drop_last (false: the last batch may be smaller); prefetch (0: so many
-- batches are copied ahead by a thread of its own, which waits for the disk where arrays are maps; the same batches)
function M.batches(arrays, o)
  if util.is_array(arrays) then arrays = { arrays } end
  util.expect("batches", "arrays", arrays, "table")
  util.check_keywords("batches", o or {}, { size = "integer", shuffle = true, drop_last = "boolean",
    prefetch = "integer" })
  local size, rng = o and o.size, o and o.shuffle
  if not size or size < 1 then util.raise("ValueError", "batches: size is %s: rows of a batch", tostring(size)) end
  if math.type(rng) == "integer" then rng = nd.random.RandomState(rng)
  elseif rng ~= nil and (type(rng) ~= "userdata" or require("theano.core").kind(rng) ~= "random") then
    util.raise("TypeError", "batches: shuffle is %s: a seed or a RandomState is expected", util.kind_of(rng))
  end
  local ahead = o.prefetch or 0
  if ahead < 0 then util.raise("ValueError", "batches: prefetch is %d: batches ahead", ahead) end
  return setmetatable({ arrays = arrays, rows = rows_of(arrays), size = size, rng = rng, drop_last = o.drop_last,
    at = 0, epochs = 0, ahead = ahead }, meta)
end

--- Batches of an epoch.
function Batches:count()
  return self.drop_last and self.rows // self.size or -(-self.rows // self.size)
end
meta.__len = Batches.count

local function begin(self)
  self.before = self.rng and self.rng:get_state()
  self.order = self.rng and self.rng:permutation(self.rows)
end

-- A function bound to the array: while there is one, the array cannot be freed.
local function held(a)
  local flags = {}
  for d = 1, a.ndim do flags[d] = false end
  local v = T.TensorType(a.dtype, flags)()
  return theano.compile { inputs = { v }, outputs = v.shape[0], mode = "FAST_COMPILE" }:bind(a)
end

-- What copies ahead, from batch `at` on; false where rows have gaps: then each batch is copied when its turn comes.
local function open_ahead(self)
  local ok, holds = true, {}
  for i, a in ipairs(self.arrays) do
    ok, holds[i] = pcall(held, a)
    if not ok then break end
  end
  self.thread = ok and core.prefetch_open(self.arrays) or false
  self.holds, self.asked = holds, self.at
end

-- The next batch by the thread, which is asked for more.
local function batch_ahead(self)
  while self.asked < self:count() and self.asked < self.at + self.ahead do
    local from, to = self.asked * self.size, math.min((self.asked + 1) * self.size, self.rows)
    core.prefetch_push(self.thread, self.order and self.order[{ T.slice(from, to) }] or nd.arange(from, to))
    self.asked = self.asked + 1
  end
  return core.prefetch_pop(self.thread)
end

local function batch(self, k)
  if self.ahead > 0 then
    if self.thread == nil then open_ahead(self) end
    if self.thread then return batch_ahead(self) end
  end
  local rows = T.slice(k * self.size, math.min((k + 1) * self.size, self.rows))
  local list = {}
  for i, a in ipairs(self.arrays) do list[i] = self.order and a[self.order[{ rows }]] or a[{ rows }] end
  return table.unpack(list)
end

--- An iterator over the rest of this epoch's batches: all of them, but after `restore`.
-- An epoch that is left by `break` goes on where it was.
function Batches:epoch()
  local ended = false
  return function()
    if ended then return nil end
    if self.at == 0 and not (self.before and self.order) then begin(self) end
    if self.at >= self:count() then
      ended, self.at, self.order, self.before = true, 0, nil, nil
      self.epochs, self.asked = self.epochs + 1, 0
      return nil
    end
    local list = table.pack(batch(self, self.at))
    self.at = self.at + 1
    return table.unpack(list, 1, list.n)
  end
end

--- Where it is, for a checkpoint: plain values and the generator's state.
function Batches:state()
  local from = self.rng and (self.before or self.rng:get_state())
  return { epochs = self.epochs, at = self.at, rows = self.rows, size = self.size, rng = from }
end

--- Goes on from a state: the same batches follow, bit for bit.
function Batches:restore(state)
  util.expect("restore", "state", state, "table")
  if state.rows ~= self.rows or state.size ~= self.size or (state.rng == nil) ~= (self.rng == nil) then
    util.raise("ValueError", "restore: the state is of batches of %s of %s rows, these are of %d of %d",
      tostring(state.size), tostring(state.rows), self.size, self.rows)
  end
  if self.rng then self.rng:set_state(state.rng) end
  self.epochs, self.at, self.order, self.before = state.epochs, state.at, nil, nil
  self.thread, self.holds = nil, nil -- what it was asked for is of the past
  if self.at > 0 then begin(self) end
end

--- Parts of arrays by shares: `local train, test = data.split({x, y}, {0.8, 0.2}, 1)`, each a sequence as `arrays`.
-- @tparam ndarray|table arrays
-- @tparam table shares positive numbers; their sum is the whole
-- @tparam ?integer|RandomState shuffle
function M.split(arrays, shares, shuffle)
  if util.is_array(arrays) then arrays = { arrays } end
  local n, sum = rows_of(arrays), 0
  for i, s in ipairs(shares) do
    if type(s) ~= "number" or s ~= s or s <= 0 then
      util.raise("ValueError", "split: share %d is %s: a positive number is expected", i, tostring(s))
    end
    sum = sum + s
  end
  local rng = math.type(shuffle) == "integer" and nd.random.RandomState(shuffle) or shuffle
  local order = rng and rng:permutation(n)
  local parts, from, share = {}, 0, 0
  for i, s in ipairs(shares) do
    share = share + s
    local to = i == #shares and n or math.floor(n * share / sum + 0.5)
    local part, rows = {}, T.slice(from, to)
    for k, a in ipairs(arrays) do part[k] = order and a[order[{ rows }]] or a[{ rows }] end
    parts[i], from = part, to
  end
  return table.unpack(parts)
end

local files = require("theano.data.files")
M.load, M.save = files.load, files.save

return M
