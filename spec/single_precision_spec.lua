--- A float32 training step computes in float32: the only float64 arithmetic in its code adds up sums whose accumulators
-- are float64 (a float32 sum's acc_dtype), with the conversions that this takes.
local cpu = require("spec.support.cpu")
local skip = require("spec.support.skip")
local theano = require("theano")

-- Names of the float64 instructions of a unit, with their counts.
local function doubles(path)
  local p = assert(io.popen("objdump -d --no-show-raw-insn " .. path))
  local found = {}
  for line in p:lines() do
    local name = line:match("\t(v?%a[%w]*[ps]d)%s")
    if name then found[name] = (found[name] or 0) + 1 end
  end
  p:close()
  return found
end

describe("a float32 step of the MLP", function()
  it("has float64 additions for its sums and no other float64 arithmetic", function()
    cpu.only("machine code of the CPU")
    skip.unless(io.popen("uname -m"):read("l") == "x86_64", "instructions are looked at by their x86 names")
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local folder = os.tmpname() .. ".d"
    local ok, found = pcall(function()
      -- all of its code in units, now
      local _ <close> = theano.config.change_flags({ base_compiledir = folder, ["compile.tiers"] = false,
        ["compile.common"] = false })
      local spec, x, y = dofile("bench/groups/net.lua").network("mlp", "float32", 60)
      theano.compile(spec)(x, y)
      return doubles(folder .. "/lua-units/*.so")
    end)
    os.execute("rm -rf " .. folder)
    assert(ok, found)
    local wrong = {}
    for name, n in pairs(found) do
      if name:find("mul") or name:find("div") or name:find("sqrt") or name:find("sub") or name:find("^v?fn?m") then
        wrong[#wrong + 1] = name .. " " .. n
      end
    end
    assert.same({}, wrong)
    assert.is_true((found.vaddpd or found.addpd or found.vaddsd or found.addsd or 0) > 0, "nothing was disassembled")
  end)
end)
