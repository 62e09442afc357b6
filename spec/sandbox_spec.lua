--- Scripts of others, in a Lua state and an engine of their own.
local theano = require("theano")
local raises = require("spec.support.raises")
local nd = theano.ndarray

local function refused(box, kind, text, script)
  local fine, e = pcall(box.run, box, script)
  assert.is_false(fine, script)
  assert.equal(kind, theano.error_kind(e), script .. " -> " .. tostring(e))
  assert.is_truthy(e:find(text, 1, true), script .. " -> " .. e)
end

describe("a sandbox", function()
  local box = theano.sandboxed { seconds = 0.3, memory = 48e6, nodes = 50000 }
  teardown(function() box:close() end)

  it("runs scripts on copies of values", function()
    local a = nd.array { { 1, 2 }, { 3, 4 } }
    local n, t, b = box:run([[
      local n, t, a = ...
      t.x[1], a[0] = "changed", 7
      print("n is", n)
      return n + 1, t, a.T
    ]], 41, { x = { "y", true } }, a)
    assert.equal(42, n)
    assert.same({ x = { "changed", true } }, t)
    assert.is_true(nd.array_equal(nd.array { { 7, 3 }, { 7, 4 } }, b))
    assert.equal(1, a[{ 0, 0 }])
    assert.equal("n is\t41\n", box:printed())
    assert.equal("", box:printed())
  end)

  it("has the engine, interpreted, and keeps what a script leaves", function()
    box:run [[
      local T = theano.tensor
      local x = T.dvector("x")
      W = theano.shared({ 1.0, 2.0 }, "W")
      local y = (W * x):sum()
      step = theano.compile { inputs = { x }, outputs = y, updates = { { W, W - T.grad(y, W) } } }
    ]]
    assert.equal(3, box:run("return step({ 1, 1 })"))
    assert.equal(1, box:run("return step({ 1, 1 })"))
    assert.is_true(nd.array_equal(nd.array { -1.0, 0 }, box:run("return W:get_value()")))
  end)

  it("reaches no files, processes, flags, modules or debugger", function()
    local path = os.tmpname()
    os.remove(path)
    for _, s in ipairs { 'theano.ndarray.save(%q, theano.ndarray.ones { 2 })', "return theano.ndarray.load(%q)",
      "theano.ndarray.savez(%q, { a = theano.ndarray.ones { 2 } })", "return theano.load(%q)",
      "theano.ndarray.tofile(theano.ndarray.ones { 2 }, %q)", "theano.ndarray.savetxt(%q, theano.ndarray.ones { 2 })",
      "return theano.ndarray.loadtxt(%q)", "return theano.ndarray.fromfile(%q)",
      "theano.compile({}, {}):save(%q)" } do
      refused(box, "IOError", "closed", s:format(path))
    end
    assert.is_nil(io.open(path))
    require("theano.util").write_file(path, "12345678") -- one that is there is no more open
    for _, s in ipairs { "load(%q)", "loadtxt(%q)", "genfromtxt(%q)", "fromfile(%q)",
      "fromfile(%q, { dtype = 'uint8' })", "fromfile(%q, { sep = ' ' })", "fromfile(%q, { offset = 1 })",
      "load_npy(%q)" } do
      refused(box, "IOError", "closed", ("return theano.ndarray." .. s):format(path))
    end
    os.remove(path)
    for _, s in ipairs { 'theano.config.cxx = "sh"', 'theano.config.gcc.cxxflags = "-x"',
      'theano.config.base_compiledir = "/tmp"', 'theano.config["cuda.driver"] = "./evil.so"',
      "local s <close> = theano.config.change_flags { device = 'cuda' }" } do
      refused(box, "RuntimeError", "flags are closed", s)
    end
    for _, s in ipairs { "theano.core", "theano.util", "theano.box", "os", "io", "debug", "package" } do
      refused(box, "RuntimeError", "require", ("return require(%q)"):format(s))
    end
    assert.is_nil(box:run("return io or debug or package or dofile or loadfile or string.dump"))
    assert.is_nil(box:run("return ('').dump or os.execute or os.getenv"))
    assert.is_nil(box:run("return (load('\\27Lua'))"))
    refused(box, "RuntimeError", "no sandboxes", "theano.sandboxed {}")
    refused(box, "RuntimeError", "__gc", "setmetatable({}, { __gc = function() while true do end end })")
  end)

  it("ends loops of every kind", function()
    for _, s in ipairs {
      "while true do end", "while true do pcall(function() while true do end end) end",
      "coroutine.wrap(function() while true do end end)()", "local function f() return f() end f()",
      "xpcall(function() while true do end end, function() while true do end end)",
      [[local m = {}
        m.__close = function() while true do end end
        local t = setmetatable({}, m)
        coroutine.wrap(function() local x <close> = t while true do end end)()]],
      [[local t = setmetatable({}, { __close = function() while true do end end })
        local co = coroutine.create(function() for _ in next, {}, nil, t do end while true do end end)
        pcall(coroutine.resume, co)
        coroutine.close(co)]],
      [[local t <close> = setmetatable({}, { __close = function() while true do end end })]],
      [[local T = theano.tensor
        local n = T.lscalar()
        local r = theano.scan { fn = function(s) return s * 0.5 end, n_steps = n,
          outputs_info = { T.constant(1.0, { dtype = "float64" }) } }
        theano.compile { inputs = { n }, outputs = r[-1] }(1 << 40)]],
      [[local T = theano.tensor
        local x, n = theano.shared({ 1.0 }), T.lscalar()
        local _, u = theano.scan { fn = function() return {}, { { x, x + 1 } } end, n_steps = n }
        theano.compile { inputs = { n }, updates = u, outputs = {} }(1 << 40)]],
    } do
      refused(box, "Interrupted", "the time", s)
    end
    refused(box, "ValueError", "table.move", "table.move({}, 1, 1 << 50, 2)")
    local few <close> = theano.sandboxed { steps = 100000 }
    refused(few, "Interrupted", "more steps", "for _ = 1, 1e9 do end")
    assert.equal(3, few:run("return 3"))
  end)

  it("ends what libraries do in one call, however long that is", function()
    local long = "local s = ('a'):rep(1000000) "
    for _, s in ipairs { "return s:find('.-b')", "return s:find('.-.-.-.-b')", "return s:match('(.*)%1b')",
      "return s:find(('a'):rep(500000) .. 'b', 1, true)", "return s:find(('a'):rep(500000) .. 'b')",
      "for _ in s:gmatch('a-b') do end", "return s:gsub('a-b', '')", "return ('('):rep(1000000):find('%b()')",
      "while true do s:upper() end", "while true do tonumber(s) end", "while true do utf8.len(s) end",
      "local t = {} for i = 1, 200000 do t[i] = {} end while true do collectgarbage() end",
      "local T = theano.tensor return theano.compile({}, T.arange(1 << 50):sum())()",
      "local a = theano.ndarray.ones { 500000 } return theano.ndarray.convolve(a, a)",
      "return theano.ndarray.random.RandomState(1):zipf(1.0001, 1000000)",
      [[theano.ndarray.set_printoptions { threshold = 1e9 }
        return tostring(theano.ndarray.random.rand(1000000, 1))]],
      [[local a = theano.ndarray.ones { 4000 }
        return theano.ndarray.signal.lfilter(a, a, theano.ndarray.ones { 1000000 })]],
      [[local x = theano.tensor.dtensor4()
        local f = theano.compile({ x }, theano.tensor.signal.pool.pool_2d(x, { 700, 700 }, { ignore_border = true,
          stride = { 1, 1 } }))
        return f(theano.ndarray.ones { 1, 1, 1400, 1400 })]] } do
      refused(box, "Interrupted", "the time", long .. s)
    end
    local brief <close> = theano.sandboxed { seconds = 0.05, memory = 48e6 } -- more numbers would not fit its memory
    local draws = "local r = theano.ndarray.random.RandomState(1) "
    for _, s in ipairs { draws .. "return r:dirichlet(theano.ndarray.ones(5), { 1000000 })",
      draws .. "return r:multinomial(99, theano.ndarray.ones(20) / 20, { 200000 })",
      [[local s = theano.tensor.shared_randomstreams.RandomStreams(1)
        return theano.compile({}, s:poisson { size = { 5000000 }, lam = 1000 })()]] } do
      refused(brief, "Interrupted", "the time", s)
    end
    local orders <close> = theano.sandboxed { seconds = 0.02, memory = 500e6 } -- each is half a second's work and more
    for _, s in ipairs { "r:permutation(20000000)", "r:shuffle(nd.ones(20000000))",
      "r:shuffle(nd.ones { 2, 3000000 }.T)", "r:choice(20000000, 10, false)",
      "r:choice(20000000, 20000000)", "g:choice(20000000, 9000000, false)",
      "g:permutation(20000000)", "r:choice(3000000, 1000000, false, nd.ones(3000000) / 3000000)",
      "r:choice(3000000, 9000000, true, nd.ones(3000000) / 3000000)" } do
      refused(orders, "Interrupted", "the time", [[
        local nd = theano.ndarray
        local r, g = nd.random.RandomState(1), nd.random.default_rng(1)
        return ]] .. s)
    end
    assert.equal("", box:run("return (''):rep(1 << 62)"))
    local claims = "local t = setmetatable({}, { __len = function() return 1 << 60 end, __index = rawlen, "
      .. "__newindex = rawlen }) "
    local sparse = [[
      local t = "return { "
      for i = 0, 62 do t = t .. ("[%d] = 1, "):format(1 << i) end
      t = load(t .. "}")() ]]
    for _, s in ipairs { "table.sort(t)", "table.insert(t, 1, 1)", "table.remove(t, 1)", "return table.concat(t)" } do
      refused(box, "RuntimeError", "__len", claims .. s)
    end
    refused(box, "ValueError", "elements", sparse .. "table.insert(t, 1, 1)")
    refused(box, "ValueError", "at most", [[
      return table.concat(setmetatable({}, { __index = table.concat }), "", 1, 1 << 60)]])
    local roomy <close> = theano.sandboxed { seconds = 60 }
    assert.is_nil(roomy:run("return (load(function() return (' '):rep(10000) end)) or nil"))
    assert.is_nil(roomy:run("return (load(('x = 1 '):rep(1000000)))"))
    assert.equal(7, roomy:run("local i = 0 return load(function() i = i + 1 return ({ 'return ', '7' })[i] end)()"))
  end)

  it("ends products, convolutions and attention between their parts", function()
    local large <close> = theano.sandboxed { seconds = 0.15, memory = 500e6 } -- each takes a second and more
    for name, s in pairs {
      product = "local a = nd.ones { 3900, 3900 } return nd.dot(a, a)",
      integers = "local a = nd.ones({ 2500, 2500 }, 'int64') return nd.dot(a, a)",
      complex = "local a = nd.ones({ 1, 2500, 2500 }, 'complex64') return nd.einsum('bij,bkj->bik', a, a)",
      convolution = [[local x, w = T.dtensor4(), T.dtensor4()
        local f = theano.compile({ x, w }, T.nnet.conv2d(x, w))
        return f(nd.ones { 1, 64, 150, 150 }, nd.ones { 64, 64, 60, 60 })]],
      filters = [[local x, y = T.dtensor4(), T.dtensor4()
        local w = theano.shared(nd.ones { 64, 32, 11, 11 })
        local f = theano.compile({ x }, T.grad(T.sqr(T.nnet.conv2d(x, w)):sum(), w))
        return f(nd.ones { 8, 32, 90, 90 })]],
      attention = [[local q = T.dtensor3()
        local k = T.specify_shape(q, { 1, 40000, 64 })
        local p = T.nnet.softmax(T.batched_dot(k, k:dimshuffle(0, 2, 1)), { axis = -1 })
        local f = theano.compile({ q }, T.batched_dot(p, k))
        return f(nd.ones { 1, 40000, 64 })]] } do
      local start = os.clock()
      refused(large, "Interrupted", "the time", "local T, nd = theano.tensor, theano.ndarray " .. s)
      assert.is_true(os.clock() - start < 1.5, name .. " took " .. os.clock() - start)
    end
  end)

  it("ends transforms and sorts of many lines between two of them", function()
    local quick <close> = theano.sandboxed { seconds = 0.05, memory = 900e6 } -- each takes four times as long and more
    local zeros = nd.zeros({ 1200, 10007 }, "complex64")
    for _, s in ipairs { "fft.fft2(a)", "argsort(a, 1)", "sort(a, 1)" } do
      quick:run("a = ...", zeros)
      local start = os.clock()
      refused(quick, "Interrupted", "the time", "return theano.ndarray." .. s)
      assert.is_true(os.clock() - start < 1, s .. " took " .. os.clock() - start)
    end
  end)

  it("ends the sort of one line, and of what has no keys", function()
    local quick <close> = theano.sandboxed { seconds = 0.05, memory = 900e6 } -- each takes four times as long and more
    local line = (nd.arange(6000000) * 7919) % 6000011 + (nd.arange(6000000) % 2) * 1e-9 + 1e12
    local some = nd.arange(2000000) * 7919 % 2000003
    for _, call in ipairs { { line, "argsort(a)" }, { line, "unique(a, {return_index = true})" },
      { some:astype("complex128"), "sort(a)" }, { some:reshape(1000000, 2), "unique(a, {axis = 0})" } } do
      quick:run("a = ...", call[1])
      local start = os.clock()
      refused(quick, "Interrupted", "the time", "return theano.ndarray." .. call[2])
      assert.is_true(os.clock() - start < 0.5, call[2] .. " took " .. os.clock() - start)
    end
  end)

  it("ends the factors of one matrix, and complex products", function()
    local large <close> = theano.sandboxed { seconds = 0.25, memory = 900e6 } -- each takes three times as long and more
    local calls = { "L.svd(a)", "L.eig(a)", "L.eigh(a)", "L.lstsq(a, a)", "L.pinv(a)", "L.eig(c)", "L.svd(c)",
      "L.inv(c)", "L.matrix_rank(a)",
      "nd.dot(nd.concatenate { c, c }, nd.concatenate({ c, c }, 1))" }
    local a = nd.eye(1200) * 3 + nd.arange(1200 * 1200):reshape(1200, 1200) % 997 / 99700
    local c = a:astype("complex128")
    for _, name in ipairs { "expm", "sqrtm", "logm" } do
      calls[#calls + 1] = ("f('%s', a)"):format(name)
    end
    for _, s in ipairs(calls) do
      large:run([[
        a, c = ...
        function f(name, a)
          local x = theano.tensor.dmatrix()
          return theano.compile({ x }, theano.tensor.slinalg[name](x))(a)
        end]], a, c)
      local start = os.clock()
      refused(large, "Interrupted", "the time", "local nd, L = theano.ndarray, theano.ndarray.linalg return " .. s)
      assert.is_true(os.clock() - start < 1.5, s .. " took " .. os.clock() - start)
    end
    local small = "local nd = theano.ndarray local a = nd.eye(60) return select(2, nd.linalg.svd(a)):sum()"
    assert.equal(60, box:run(small)) -- what the library does within the time it does
  end)

  it("copies out no more than its memory, however often it stands in the result", function()
    local roomy <close> = theano.sandboxed { seconds = 60, memory = 48e6 }
    for _, s in ipairs { "theano.ndarray.zeros { 1000000 }", "('x'):rep(8000000)" } do
      refused(roomy, "MemoryError", "the sandbox's memory",
        ("local a, t = %s, {} for i = 1, 100 do t[i] = a end return t"):format(s))
    end
  end)

  it("leaves the methods of texts to the engine's modules", function()
    assert.equal("Elemwise{add,no_inplace}.0", box:run [[
      for name in pairs(string) do string[name] = function() return {} end end
      return tostring(theano.tensor.dvector("x") + 1)
    ]])
    box:run("string = nil")
    assert.equal("AB", box:run("return ('ab'):upper()"))
  end)

  it("minimizes and integrates, though flags are closed", function()
    local own <close> = theano.sandboxed { seconds = 60 }
    local x = own:run [[
      local nd = theano.ndarray
      return nd.optimize.minimize(function(x) return ((x - 3) ^ 2):sum() end, nd.ones { 2 }).x
    ]]
    assert.is_true(nd.allclose(x, nd.array { 3, 3 }, 1e-5))
  end)

  it("matches patterns as Lua does", function()
    local items = { "a", "b", ".", "%a", "%d", "%W", "[ab]", "[^a]", "[%a_]", "[a-", "]", "(", ")", "()", "*", "+", "-",
      "?", "%1", "%2", "%b()", "%f[b]", "^", "$", "%", "[]]", "[^]%]]", "\0", "1", "x*", "(a*)", "(.-)" }
    local letters = { "a", "b", "1", "(", ")", "_", " ", "]", "\0", "a", "b" }
    local replacements = { "<%0>", "%1", "%%", "x", "%2", "%" }
    local cases, rng = {}, nd.random.RandomState(11)
    local function some(list, most)
      local t = {}
      for i = 1, rng:randint(0, most + 1) do t[i] = list[rng:randint(1, #list + 1)] end
      return table.concat(t)
    end
    for i = 1, 4000 do
      local by = replacements[rng:randint(1, #replacements + 1)]
      cases[i] = { some(letters, 9), some(items, 5), rng:randint(-4, 8), by }
    end
    local script = [[
      local out = {}
      local function say(...)
        local t = { ... }
        for i = 1, select("#", ...) do t[i] = tostring(t[i]) end
        return table.concat(t, "\1")
      end
      for i, c in ipairs((...)) do
        local found = {}
        local function every() for a, b in c[1]:gmatch(c[2], c[3]) do found[#found + 1] = say(a, b) end end
        out[i] = table.concat({ say(pcall(string.find, c[1], c[2], c[3])), say(pcall(string.match, c[1], c[2], c[3])),
          say(pcall(string.gsub, c[1], c[2], c[4])), say(pcall(string.gsub, c[1], c[2], c[4], c[3])),
          say(pcall(string.gsub, c[1], c[2], { a = "A", b = false })), say(pcall(every)), table.concat(found, ","),
          say(pcall(string.find, c[1], c[2], c[3], true)) }, "\2")
        out[i] = out[i]:gsub("[%w/._]+:%d+: ", ""):gsub("%[string [^\n]-%]:%d+: ", "")
      end
      return out
    ]]
    local roomy <close> = theano.sandboxed { seconds = 60 }
    local mine, real = roomy:run(script, cases), load(script)(cases)
    for i, c in ipairs(cases) do assert.equal(real[i], mine[i], ("%q %q %d %q"):format(c[1], c[2], c[3], c[4])) end
  end)

  it("takes no more memory and graph than it was given, and goes on after that", function()
    refused(box, "MemoryError", "array of shape", "return theano.ndarray.zeros { 1 << 20, 1 << 20 }")
    for _, s in ipairs { "return ('x'):rep(1e9)", "local t = {} for i = 1, 1e9 do t[i] = i end" } do
      local roomy <close> = theano.sandboxed { seconds = 20, memory = 48e6 }
      local fine, e = pcall(roomy.run, roomy, s)
      assert.is_false(fine)
      assert.equal("not enough memory", e)
    end
    local narrow <close> = theano.sandboxed { seconds = 20, nodes = 50000 }
    refused(narrow, "MemoryError", "the limit of", "local x = theano.tensor.dvector() for _ = 1, 1e8 do x = -x end")
    local wide <close> = theano.sandboxed { seconds = 5, memory = 16e6, nodes = 0 }
    refused(wide, "MemoryError", "within the limit", "local x = theano.tensor.dvector() for _ = 1, 1e8 do x = -x end")
    assert.equal(2, wide:run("return theano.compile({}, theano.tensor.constant(1.0) + 1)()"))
  end)

  it("passes no functions and no tables that hold themselves", function()
    refused(box, "TypeError", "not function", "return print")
    refused(box, "TypeError", "16 levels", "local t = {} t.t = t return t")
    for what, v in pairs { ["function"] = print, userdata = nd.sparse.csr_matrix(nd.ones { 2, 2 }) } do
      local fine, e = pcall(box.run, box, "return 1", v)
      assert.is_false(fine)
      assert.matches("TypeError: .*" .. what, e)
    end
    assert.same({ false, "script: an error that is a table" }, { pcall(box.run, box, "error({})") })
  end)

  it("is closed once, and refuses wrong limits", function()
    local b = theano.sandboxed()
    b:close()
    b:close()
    raises("RuntimeError", "closed", function() b:run("return 1") end)
    raises("ValueError", "seconds", function() theano.sandboxed { seconds = -1 } end)
    raises("TypeError", "", function() theano.sandboxed { second = 1 } end)
  end)
end)
