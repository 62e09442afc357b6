--- Saved models of every version of the format, as they were written then: they load, and compute what they computed
-- (scripts/make-models; the numbers are those of another machine, so the last bits may differ).
local theano = require("theano")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local nd = theano.ndarray

local folder = "spec/data/models"
local files = {}
for name in assert(io.popen("ls " .. folder)):lines() do
  if name:find("%.thn$") then files[#files + 1] = name:gsub("%.thn$", "") end
end

local function near(want, got, what)
  got = nd.asarray(got)
  assert.same(want.shape, got.shape, what)
  assert.equal(want.dtype, got.dtype, what)
  local single = want.dtype == "float32"
  assert.is_true(nd.allclose(want, got, { rtol = single and 1e-5 or 1e-11, atol = single and 1e-6 or 1e-12,
    equal_nan = true }), what)
end

describe("a model that was saved by an older engine", function()
  for _, name in ipairs(files) do
    it("is loaded and computes what it did: " .. name, function()
      local kept, given = nd.load(("%s/%s.npz"):format(folder, name)), {}
      local f = theano.load(("%s/%s.thn"):format(folder, name))
      while kept["in" .. #given + 1] do given[#given + 1] = kept["in" .. #given + 1] end
      local looked = 0
      for call = 1, 2 do
        local results = { f(table.unpack(given)) }
        local list = type(results[1]) == "table" and results[1] or results
        for key, got in pairs(list) do
          near(kept[("call%d_%s"):format(call, key)], got, ("%s, call %d, %s"):format(name, call, key))
          looked = looked + 1
        end
      end
      assert.is_true(looked > 0)
    end)
  end

  it("is there of each version and class", function()
    local seen = {}
    for _, name in ipairs(files) do seen[name:match("^v(%d+)%-")] = (seen[name:match("^v(%d+)%-")] or 0) + 1 end
    assert.same({ ["1"] = 13 }, seen)
  end)

  it("is refused by its number when it is newer than the engine", function()
    local text = runner.read(folder .. "/v1-elements.thn")
    local dir = runner.folder()
    for _, version in ipairs { 2, 3, 0x7fffffff } do
      runner.write(dir .. "/new.thn", text:sub(1, 8) .. string.pack("<I4", version) .. text:sub(13))
      local says = ("a saved model of version %d; this engine reads versions up to 1"):format(version)
      raises("ValueError", says, function() theano.load(dir .. "/new.thn") end)
    end
    runner.remove(dir)
  end)
end)
