--- compile.jobs: a large function is compiled by several processes at once, and nobody can tell from the results, the
-- text or the cache.
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

--- Runs body(folder, calls) with a cache of its own; calls() are the compiler's argument lists so far.
local function with(flags, body)
  skip.unless(theano.config.cxx ~= "", "no C compiler")
  skip.unless(theano.config.device == "cpu", "another device's units stay whole")
  local before, folder = {}, os.tmpname() .. ".d"
  assert(os.execute("mkdir " .. folder))
  local script, log = folder .. "/compiler", folder .. "/log"
  local f = assert(io.open(script, "w"))
  f:write(("#!/bin/sh\necho \"$@\" >> %s\nexec %s \"$@\"\n"):format(log, theano.config.cxx))
  f:close()
  assert(os.execute("chmod 700 " .. script))
  local function calls()
    local list = {}
    for line in io.open(log) and io.lines(log) or function() end do list[#list + 1] = line end
    os.remove(log)
    return list
  end
  flags.cxx, flags.base_compiledir, flags["compile.tiers"] = script, folder, false
  for k, v in pairs(flags) do
    before[k] = theano.config[k]
    theano.config[k] = v
  end
  local ok, e = pcall(body, folder .. "/lua-units", calls)
  for k, v in pairs(before) do theano.config[k] = v end
  os.execute("rm -rf " .. folder)
  assert(ok, e)
end

local function names(folder)
  local p, list = assert(io.popen("ls -A " .. folder)), {}
  for name in p:lines() do list[#list + 1] = name end
  p:close()
  return list
end

-- Each result is a kernel of another text; the scalar loop's kernels have no loops and are taken into the steps.
local function large()
  local outputs, inputs, values = {}, {}, {}
  for i, g in ipairs({ T.tanh, T.exp, T.log1p, T.sin, T.expm1, T.sqrt }) do
    local m = T.dmatrix("m" .. i)
    inputs[i] = m
    values[i] = nd.random.RandomState(i):uniform(0.1, 0.9, { 5 + i, 30 + i })
    outputs[2 * i - 1] = g(m):sum { axis = 1 }
    outputs[2 * i] = (g(m) * m):max { axis = 1 }
  end
  local state = theano.scan {
    fn = function(s) return T.tanh(s * 0.5) end, outputs_info = T.sum(inputs[1]), n_steps = 5,
  }
  outputs[#outputs + 1] = state
  local f = theano.compile { inputs = inputs, outputs = outputs }
  local bits = {}
  for i, r in ipairs({ f(table.unpack(values)) }) do bits[i] = nd.asarray(r):tobytes() end
  return bits, theano.printing.ccode(f)
end

-- Another process compiles eight kernels and calls the function; what it says.
local function script(flags, before)
  local code = "local theano = require('theano') local T, o, i, v = theano.tensor, {}, {}, {} " ..
    "for k, g in ipairs({ T.tanh, T.exp, T.log1p, T.sin, T.expm1, T.sqrt, T.cos, T.log }) do " ..
    "i[k], v[k] = T.dmatrix(), { { 1 } } o[k] = g(i[k]):sum { axis = 1 } end " ..
    "print('done ' .. #{ theano.compile({ inputs = i, outputs = o })(table.unpack(v)) })"
  local env = "THEANO_FLAGS=cxx=%s,compile.tiers=False,base_compiledir=%s%s %s build/theano -e \"%s\" 2>&1"
  local p = assert(io.popen(env:format(theano.config.cxx, theano.config.base_compiledir, flags, before or "", code)))
  local said = p:read("a")
  assert(p:close(), said)
  return said
end

describe("compile.jobs", function()
  it("compiles the kernels of a large function in parts, with the same results, text and key", function()
    with({ ["compile.jobs"] = 1 }, function(folder, calls)
      local compiles, hits = theano.stat("compiles"), theano.stat("cache_hits")
      local bits, code = large()
      assert.equal(1, #calls())
      local whole = names(folder)
      assert.equal(1, #whole)
      theano.config["compile.jobs"] = 3
      local again = large()
      assert.equal(0, #calls()) -- the number is no part of the key
      assert.same(bits, again)
      assert.equal(hits + 1, theano.stat("cache_hits"))
      assert(os.execute("rm " .. folder .. "/*"))
      local parts, text = large()
      local run, objects = calls(), 0
      for _, words in ipairs(run) do if words:find(" -c ", 1, true) then objects = objects + 1 end end
      assert.equal(3, objects)
      assert.equal(4, #run) -- and the linker
      assert.same(bits, parts)
      assert.equal(code, text)
      assert.same(whole, names(folder)) -- one unit of that key, and nothing is left of its parts
      assert.equal(compiles + 2, theano.stat("compiles"))
    end)
  end)

  it("leaves a small function whole, and any where one processor is there", function()
    with({ ["compile.jobs"] = 8 }, function(_, calls)
      local x = T.dvector("x")
      theano.compile { inputs = { x }, outputs = T.tanh(x) * 3 }
      assert.equal(1, #calls())
    end)
    local one = "taskset -c $(taskset -cp $$ | sed 's/.*[ ,-]//') "
    skip.unless(os.execute("command -v taskset >/dev/null"), "taskset is not installed")
    with({}, function(folder, calls)
      script("", one)
      assert.equal(1, #calls())
      assert.equal(1, #names(folder))
    end)
  end)

  it("says what is wrong with a part as with the whole, and leaves nothing behind", function()
    with({}, function(folder, calls)
      local said = script(",compile.jobs=3,gcc.cxxflags=-Dkernel_3=3")
      assert.equal(3, #calls()) -- and nothing to link
      local _, lines = said:gsub("C compiler [^\n]* failed: ", "")
      assert.equal(1, lines)
      assert.is_truthy(said:find("kernel_3", 1, true) and said:find("done 8", 1, true), said)
      assert.same({}, names(folder))
      assert.is_truthy(script(",compile.jobs=3"):find("^done 8"))
      assert.equal(4, #calls())
    end)
  end)
end)
