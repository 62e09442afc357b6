--- The examples after the Deep Learning Tutorials and others that train, with settings of a second or two; TH_ALL=1
-- runs them as they stand and expects what their heads say.
local runner = require("spec.support.runner")
local whole = os.getenv("TH_ALL") ~= nil

-- The last number that a pattern finds in what a program prints, run with short options unless all is wanted.
local function result(program, options, pattern)
  local words = { "examples/" .. program }
  for word in (whole and "" or options):gmatch("%S+") do words[#words + 1] = word end
  local text, status = runner.run(words, { env = { "OMP_NUM_THREADS=1" } })
  assert.equal(0, status, text)
  local value
  for v in text:gmatch(pattern) do value = tonumber(v) end
  return assert(value, text), text
end
local function wants(short, full) return whole and full or short end

local ACCURACY = "test accuracy: (%d+%.%d)"

describe("examples that train", function()
  it("logistic_sgd.lua stops when nothing becomes better", function()
    assert.is_true(result("mnist/logistic_sgd.lua", "--epochs 3", ACCURACY) > wants(86, 88.5))
  end)

  it("stacked_autoencoder.lua learns layer by layer, then classes", function()
    local got = result("mnist/stacked_autoencoder.lua", "--pretrain 1 --epochs 2 --digits 600 --labels 600", ACCURACY)
    assert.is_true(got > wants(20, 88.0), got)
  end)

  it("dbn.lua learns machine by machine, then classes", function()
    local got = result("mnist/dbn.lua", "--pretrain 1 --epochs 3 --digits 600 --labels 600", ACCURACY)
    assert.is_true(got > wants(20, 88.0), got)
  end)

  it("lstm_sentiment.lua reads sentences of all lengths", function()
    local got = result("rnn/lstm_sentiment.lua", "--sentences 200 --epochs 1", ACCURACY)
    assert.is_true(got > wants(20, 98))
  end)

  it("elman_tagger.lua tells where from and where to", function()
    local got, text = result("rnn/elman_tagger.lua", "--sentences 200 --epochs 4", "right: (%d+%.%d)")
    assert.is_true(got > wants(95, 99))
    assert.truthy(text:find("from/- boston/from to/- denver/to", 1, true), text)
  end)

  it("transformer.lua is less and less surprised", function()
    local got = result("rnn/transformer.lua", "--rounds 20 --batch 4 --time 32", "of the test (%d+%.%d+)")
    assert.is_true(got < wants(26, 10))
  end)

  it("cart_pole.lua keeps poles up", function()
    local got = result("sim/cart_pole.lua", "--rounds 10", "poles stand (%d+)")
    assert.is_true(got > wants(24, 180))
  end)
end)
