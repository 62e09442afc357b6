--- Numbers look the same in every locale. Each fact runs in a process of its own, which first writes its texts in the
-- locale C and then sets one whose point is a comma.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local folder, places

local function sets(name, env)
  local text = runner.run({ "-e", ("print(os.setlocale(%q) and tostring(0.5))"):format(name) }, { env = env })
  return text ~= "nil\n" and text ~= "0.5\n"
end

setup(function()
  folder = runner.folder()
  -- one is made where the sources of locales are; else what the machine has will do
  for name, source in pairs({ ["de_DE.UTF-8"] = "de_DE UTF-8", ["tr_TR.ISO-8859-9"] = "tr_TR ISO-8859-9" }) do
    local from, charset = source:match("(%S+) (%S+)")
    os.execute(("localedef -i %s -f %s %s/%s >/dev/null 2>&1"):format(from, charset, folder, name))
  end
  local made = { "LOCPATH=" .. folder }
  places = sets("de_DE.UTF-8", made) and made or sets("de_DE.UTF-8", {}) and {} or nil
end)
teardown(function() runner.remove(folder) end)

local head = [[
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local folder = "FOLDER"
local function comma(name)
  assert(os.setlocale(name or "de_DE.UTF-8"), "the locale cannot be set")
  assert(tostring(0.5) == "0,5", "Lua does not write commas")
end
local function same(what) -- the text is the same before and after
  os.setlocale("C")
  local wanted = what()
  comma()
  local got = what()
  assert(wanted == got, "in C:\n" .. wanted .. "\nin de_DE:\n" .. got)
  return got
end
]]

local function run(body)
  skip.unless(places, "no locale with a comma is installed, and localedef makes none")
  local program = head:gsub("FOLDER", folder) .. body .. "\nprint('held')"
  local text, status = runner.run({ "-e", program }, { env = places })
  assert.equal("held\n", text)
  assert.equal(0, status)
end

describe("in a locale whose point is a comma", function()
  it("compiles and computes what the locale C does", function()
    run([[
      comma()
      for _, linker in ipairs({ "c", "interpreter" }) do
        theano.config.linker = linker
        local x = T.dvector("x")
        local y = T.exp(x) * 0.5 + T.nnet.hard_sigmoid(x) + T.nnet.softplus(x * 1e-3) - 1.5
        local got = theano.compile({ x }, y)({ 0.25 })[0]
        local wanted = math.exp(0.25) * 0.5 + 0.55 + math.log(1 + math.exp(0.25e-3)) - 1.5
        assert(math.abs(got - wanted) < 1e-12, got)
        local z = T.zvector("z")
        local product = theano.compile({ z }, z * nd.complex(0.5, -1.25))(nd.array({ nd.complex(2, 0) }))
        assert(product[0] == nd.complex(1, -2.5))
      end
    ]])
  end)

  it("writes the same C, graphs, plans and prints", function()
    run([[
      local function made()
        local x = T.dvector("x")
        local y = T.exp(x) * 0.5 + T.nnet.hard_sigmoid(x) - T.constant(1.25e-30)
        local f = theano.compile({ x }, { y, T.clip(x, -0.5, 0.5), T.mean(T.ge(x, 0.1)) })
        return f, y
      end
      same(function() return theano.printing.ccode((made())) end)
      same(function() return theano.printing.plan((made())) end)
      same(function() return theano.printing.graph_text((made())) end)
      same(function() return theano.pp(select(2, made())) end)
      local text = same(function() return theano.printing.graph_text({ select(2, made()) }) end)
      assert(text:find("0.5", 1, true) and not text:find("0,5", 1, true))
      local ins, outs = theano.printing.graph_read(text)
      assert(theano.printing.graph_text(outs or ins) == text)
      same(function() return require("theano.core").optdb_table() end)
    ]])
  end)

  it("prints arrays and numbers with points", function()
    run([[
      local a = nd.array({ { 0.5, -1e-30 }, { 1 / 3, 12345678.25 } })
      same(function() return tostring(a) end)
      same(function() return tostring(a:astype("float32")) end)
      same(function() return tostring(nd.array({ 0.5, 100.125 })) end)
      same(function() return tostring(nd.array(0.1)) end)
      same(function() return tostring(nd.complex(0.5, -1.5)) end)
      same(function() return tostring(nd.array({ nd.complex(0.5, -1.5) })) end)
      same(function() nd.set_printoptions({ precision = 2 }) return tostring(nd.array({ 1 / 3, 2 / 3 })) end)
    ]])
  end)

  it("writes and reads files with points", function()
    run([[
      local path = folder .. "/a.csv"
      local function text(...)
        nd.savetxt(path, nd.array({ { 0.5, 1e-7 }, { -3.25, 2 } }), ...)
        local file = assert(io.open(path))
        local all = file:read("a")
        file:close()
        return all
      end
      same(function() return text({ delimiter = "," }) end)
      same(function() return text({ fmt = "%.3f", delimiter = ";" }) end)
      same(function() return text({ fmt = false }) end)
      assert(nd.loadtxt(path):tolist()[2][1] == -3.25)
      nd.savetxt(path, nd.array({ nd.complex(0.5, -1.5) }))
      assert(nd.loadtxt(path, { dtype = "complex128" }):reshape({ 1 })[0] == nd.complex(0.5, -1.5))
    ]])
  end)

  it("reads texts of rewrites and sizes of memory", function()
    run([[
      comma()
      local x = T.dvector("x")
      local r = theano.gof.PatternSub({ "mul", "x", 0.5 }, { "true_div", "x", 2.0 })
      assert(tostring(r):find("0.5", 1, true), tostring(r))
      assert(theano.compile({ inputs = { x }, outputs = x * 0.5, memory = "64.5MB" })({ 3 })[0] == 1.5)
    ]])
  end)

  it("says numbers with points in errors", function()
    run([[
      same(function() return select(2, pcall(function() return nd.array({ 1, 2 })[0.5] end)) end)
      same(function()
        local x = T.lvector("x")
        return select(2, pcall(theano.compile({ x }, x), { 0.5 }))
      end)
      same(function() return select(2, pcall(nd.random.RandomState(1).binomial, nd.random.RandomState(1), 3, 1.5)) end)
      same(function() return select(2, pcall(nd.linspace, 0, 1, 2.5)) end)
    ]])
  end)
end)

describe("in a Turkish locale", function()
  it("knows small letters of capitals: dotless i is none of ours", function()
    run([[
      comma("tr_TR.ISO-8859-9")
      local path = folder .. "/b.csv"
      local file = assert(io.open(path, "w"))
      file:write("INF NaN -INFINITY\n")
      file:close()
      assert(nd.loadtxt(path)[0] == math.huge)
      file = assert(io.open(path, "w"))
      file:write("TRUE FALSE\n")
      file:close()
      local list = nd.loadtxt(path, { dtype = "bool" }):tolist()
      assert(list[1] == true and list[2] == false)
    ]])
  end)
end)
