--- Batches that a thread copies ahead: the same ones in the same order, from memory and from maps of files, also of
-- files larger than memory; states; arrays that cannot be freed meanwhile.
local raises = require("spec.support.raises")
local theano = require("theano")
local nd, data = theano.ndarray, theano.data

local here = os.tmpname()
os.remove(here)
os.execute("mkdir " .. here)
teardown(function() os.execute("rm -r " .. here) end)

local x = nd.random.RandomState(1):normal(0, 1, { 103, 3, 2 }):astype("float32")
local y = nd.arange(103)

local function all_of(batches, epochs)
  local list = {}
  for _ = 1, epochs or 1 do
    for a, b in batches:epoch() do list[#list + 1] = { a, b } end
  end
  return list
end
local function same(wanted, got)
  assert.equal(#wanted, #got)
  for i, pair in ipairs(wanted) do
    assert.is_true(nd.array_equal(pair[1], got[i][1]) and nd.array_equal(pair[2], got[i][2]), "batch " .. i)
    assert.equal(pair[1].dtype, got[i][1].dtype)
  end
end

describe("prefetch", function()
  it("gives the batches that there are without it, from memory and from files", function()
    nd.save(here .. "/x.npy", x)
    local map = nd.load(here .. "/x.npy", { mmap = true })
    for _, o in ipairs({ { size = 10, shuffle = 3 }, { size = 10 }, { size = 10, shuffle = 3, drop_last = true },
      { size = 200 }, { size = 1, shuffle = 1 } }) do
      local wanted = all_of(data.batches({ x, y }, o), 2)
      for _, ahead in ipairs({ 1, 3, 100 }) do
        o.prefetch = ahead
        same(wanted, all_of(data.batches({ x, y }, o), 2))
        same(wanted, all_of(data.batches({ map, y }, o), 2))
      end
    end
  end)

  it("keeps and restores where it is", function()
    local wanted = all_of(data.batches({ x, y }, { size = 10, shuffle = 3 }), 2)
    local first = data.batches({ x, y }, { size = 10, shuffle = 3, prefetch = 4 })
    local got = {}
    for a, b in first:epoch() do
      got[#got + 1] = { a, b }
      if #got == 5 then break end
    end
    local second = data.batches({ x, y }, { size = 10, shuffle = 99, prefetch = 2 })
    second:restore(first:state())
    for a, b in second:epoch() do got[#got + 1] = { a, b } end
    for a, b in second:epoch() do got[#got + 1] = { a, b } end
    same(wanted, got)
    first:restore(second:state()) -- with copies under way
    assert.equal(11, #all_of(first))
  end)

  it("copies rows with gaps between them, and takes others as they are", function()
    local o = { size = 7, shuffle = 5 }
    for _, a in ipairs({ x["::2"], x[":, 0:2"], x:transpose({ 2, 0, 1 }), nd.arange(10)["::-1"], x["0:0"] }) do
      o.prefetch = nil
      local rows = nd.arange(a.shape[1])
      local wanted = all_of(data.batches({ a, rows }, o))
      o.prefetch = 2
      same(wanted, all_of(data.batches({ a, rows }, o)))
    end
  end)

  it("reads a map of a file larger than memory", function()
    local head = nd.zeros({ 1, 1024 })
    nd.save(here .. "/big.npy", head)
    local f = assert(io.open(here .. "/big.npy", "rb"))
    local text = f:read(128)
    f:close()
    local rows = (1 << 36) // 8192 -- 64 GiB, of which the disk has none
    text = text:gsub("%(1, 1024%)(.-)\n", function(rest)
      local shape = ("(%d, 1024)"):format(rows)
      return shape .. rest:sub(1, #rest - #shape + 9) .. "\n"
    end)
    f = assert(io.open(here .. "/big.npy", "wb"))
    f:write(text)
    assert(f:seek("set", 128 + (1 << 36) - 8))
    f:write(string.pack("<d", 7))
    f:close()
    local map = nd.load(here .. "/big.npy", { mmap = true })
    assert.equal(rows, map.shape[1])
    local batches = data.batches({ map }, { size = 50, prefetch = 3 })
    batches.at = batches:count() - 3 -- the end
    local last
    for a in batches:epoch() do last = a end
    assert.equal(7, last["-1, -1"])
    os.remove(here .. "/big.npy")
  end)

  it("starts no thread in a sandbox, whose memory is counted", function()
    local box = theano.sandboxed({})
    assert.equal("[0 1 2][3 4]", box:run([[
      local text = ""
      for x in theano.data.batches(theano.ndarray.arange(5), { size = 3, prefetch = 2 }):epoch() do
        text = text .. tostring(x)
      end
      return text .. (theano.data.batches(theano.ndarray.arange(5), { size = 3, prefetch = 2 }).thread and "!" or "")
    ]]))
    box:close()
  end)

  it("does not let arrays be freed while it reads them, and ends with its script", function()
    local a = nd.ones({ 1000, 10 })
    local batches = data.batches({ a }, { size = 10, prefetch = 2 })
    batches:epoch()()
    raises("ValueError", "cannot be freed", function() a:free() end)
    batches = nil -- luacheck: ignore
    collectgarbage()
    raises("ValueError", "prefetch is -1", function() data.batches({ a }, { size = 10, prefetch = -1 }) end)
  end)
end)
