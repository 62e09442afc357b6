--- What tells of functions: debugprint with all options, texts of variables, pictures, pages, traces, profiles beside
-- the machine, why and advice.
local json = require("theano.json")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local slurp = require("spec.support.slurp")
local theano = require("theano")
local T = require("theano.tensor")
local printing = theano.printing

local INTERPRETED = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })

local function has(text, ...)
  for _, word in ipairs({ ... }) do assert.truthy(text:find(word, 1, true), word .. " in: " .. text) end
end

-- A step of a small network with a loop.
local function network(options)
  local x = T.dmatrix("x")
  local w, b = theano.shared(nd.ones({ 4, 3 }), "w"), theano.shared(nd.ones(3), "b")
  local h = T.tanh(T.dot(x, w) + b)
  h.name = "hidden"
  local loop = theano.scan({
    fn = function(row, s) return T.tanh(row * s) end, sequences = h, outputs_info = T.ones({ 3 }),
  })
  local cost = T.sum(loop[-1] ^ 2)
  cost.name = "cost"
  local o = { inputs = { x }, outputs = cost, updates = { { w, w - 0.1 * T.grad(cost, w) } }, mode = INTERPRETED }
  for k, v in pairs(options or {}) do o[k] = v end
  return theano.compile(o), cost
end

describe("debugprint", function()
  local x = T.dvector("x")
  local y = T.exp(x)

  it("prints a compiled function's graph as the function, and lists of both", function()
    local f = theano.compile({ x }, y * 2, { mode = INTERPRETED })
    local text = printing.debugprint(f, { file = "str" })
    assert.equal(text, printing.debugprint(f.maker.fgraph, { file = "str" }))
    local both = printing.debugprint({ f.maker.fgraph, y }, { file = "str" })
    assert.equal(text, both:sub(1, #text))
    has(both:sub(#text), "Elemwise{exp,no_inplace} [id ")
    assert.equal(printing.debugprint(y, { file = "str" }), printing.debugprint(theano.Out(y), { file = "str" }))
  end)

  it("tells what is overwritten and what is a view, as Theano", function()
    local f = network()
    local text = printing.debugprint(f, { file = "str", print_destroy_map = true, print_view_map = true })
    has(text, "'' d={0: [0]}  ", "''  v={0: [0]} ")
    assert.falsy(printing.debugprint(f, { file = "str" }):find("d={", 1, true))
  end)

  it("tells clients, and what is stored", function()
    local s = theano.shared(nd.array({ 1.0, 2.0 }), "s")
    local e = T.exp(s)
    local f = theano.compile({}, { e, e:sum() }, { mode = "FAST_COMPILE" })
    local text = printing.debugprint(f, { file = "str", print_clients = true, print_storage = true })
    has(text, "[array([1., 2.])]", " [None]", "clients:[(")
    has(text, "('output', '')")
  end)

  it("carries ids from one print to the next", function()
    local done = {}
    printing.debugprint(y, { file = "str", done = done })
    assert.equal("[id A]", done[y.owner])
    assert.equal("[id B]", done[x])
    assert.equal("Elemwise{sqrt,no_inplace} [id C] ''   \n |Elemwise{exp,no_inplace} [id A] ''   \n",
      printing.debugprint(T.sqrt(y), { file = "str", done = done }))
    local used = {}
    printing.debugprint(y, { file = "str", used_ids = used })
    assert.equal("Elemwise{exp,no_inplace} [id A] ''   \n |x [id B]\n",
      printing.debugprint(y, { file = "str", used_ids = used }))
  end)

  it("prints places in an order that is given", function()
    local z = T.sqrt(y)
    has(printing.debugprint(z, { file = "str", order = { y.owner, z.owner } }), "sqrt,no_inplace} [id A] ''   1\n",
      "exp,no_inplace} [id B] ''   0\n")
    raises("TypeError", "order", function() printing.debugprint(z, { file = "str", order = { z } }) end)
  end)

  it("has times behind the lines of a profiled function", function()
    local f = network({ profile = true })
    require("theano.profile").hush(f)
    f(nd.ones({ 5, 4 }))
    has(printing.debugprint(f, { file = "str" }), "Timing Info", "''   0 --> ", "e-0")
  end)
end)

describe("exception_verbosity=high", function()
  -- Theano 1.0.5, gof/link.py, raise_with_op: the largest first; shared variables, arguments, then what has an owner.
  it("ends with Theano's storage map, line by line", function()
    local scope <close> = theano.config.change_flags({ exception_verbosity = "high" })
    local x, y = T.dmatrix("x"), T.dvector()
    local w = theano.shared(nd.ones({ 4, 5 }), "w")
    local f = theano.compile({ x, y }, T.dot(T.exp(x), w)[y:astype("int64")], { mode = "None" })
    local _, text = pcall(f, nd.ones({ 3, 4 }), nd.array({ 0.0, 7.0 }))
    has(text, "IndexError", "\nInputs type_num: [12, 7]\nOutputs clients: ", "\nDebugprint of the apply node: \n")
    assert.equal(table.concat({ "",
      "Storage map footprint:",
      " - w, Shared Input, Shape: (4, 5), ElemSize: 8 Byte(s), TotalSize: 160 Byte(s)",
      " - dot.0, Shape: (3, 5), ElemSize: 8 Byte(s), TotalSize: 120 Byte(s)",
      " - x, Input, Shape: (3, 4), ElemSize: 8 Byte(s), TotalSize: 96 Byte(s)",
      " - <TensorType(float64, vector)>, Input, Shape: (2,), ElemSize: 8 Byte(s), TotalSize: 16 Byte(s)",
      " TotalSize: 392 Byte(s) 0.000 GB", " TotalSize inputs: 272 Byte(s) 0.000 GB" }, "\n"),
      text:match("\nStorage map footprint.*$"))
    local loop = theano.scan({ fn = function(row, s) return T.tanh(row * s) end, sequences = x,
      outputs_info = T.zeros({ 3 }) })
    _, text = pcall(theano.compile({ x }, loop, { mode = INTERPRETED }), nd.ones({ 2, 4 }))
    has(text, "Storage map footprint:\n - x, Input, Shape: (2, 4), ElemSize: 8 Byte(s), TotalSize: 64 Byte(s)\n")
    assert.truthy(scope)
  end)
end)

describe("texts of variables", function()
  local a, b = T.dvector("a"), T.dvector("b")
  it("are Theano's", function()
    local sum = a + b
    local both = T.exp(sum) * T.log(sum)
    assert.equal("A. Elemwise{mul,no_inplace}\n B. Elemwise{exp,no_inplace}\n  C. Elemwise{add,no_inplace}\n   D. a\n"
      .. "   E. b\n F. Elemwise{log,no_inplace}\n  <C>", printing.min_informative_str(both))
    sum.name = "sum"
    assert.equal("A. Elemwise{mul,no_inplace}\n B. Elemwise{exp,no_inplace}\n  C. sum\n"
      .. " D. Elemwise{log,no_inplace}\n  <C>", printing.min_informative_str(both))
    assert.equal("A=Elemwise{mul,no_inplace}(B=Elemwise{exp,no_inplace}(C=Elemwise{add,no_inplace}(D=a,E=b)),"
      .. "F=Elemwise{log,no_inplace}(<C>))", printing.var_descriptor(both))
  end)
  it("of arrays are digests", function()
    -- hashlib.sha256(numpy.arange(3.0).tobytes()).hexdigest()
    assert.equal("b0c45303f7f11848cb5e6e5b2af2fb2aecd0b72c28748b88b583ab6bb76df174|strides=[8]|shape=[3]",
      printing.hex_digest(nd.arange(3.0)))
    raises("TypeError", "hex_digest", function() printing.hex_digest(a) end)
  end)
  it("of deep graphs do not recurse", function()
    local v = a
    for _ = 1, 5000 do v = -v end
    assert.is_true(#printing.var_descriptor(v) > 5000)
  end)
end)

describe("pp, debugprint and the texts of variables", function()
  it("know the operations of every golden graph", function()
    local golden = require("spec.support.golden")
    local n = 0
    for _, path in ipairs(golden.files()) do
      for _, case in ipairs(golden.read(path)) do
        local fine, graph = pcall(printing.graph_read, case.given)
        for _, v in ipairs(fine and (type(graph) == "table" and graph or { graph }) or {}) do
          n = n + 1
          assert.is_true(#theano.pp(v) > 0 and #printing.min_informative_str(v) > 0)
          assert.is_true(#printing.debugprint(v, { file = "str", print_type = true }) > 0)
          assert.is_true(#printing.var_descriptor(v) > 0)
        end
      end
    end
    assert.is_true(n > 800, n)
  end)
end)

describe("JSON", function()
  it("is read back as it was written", function()
    local value = { a = { 1, 2.5, "x\"\n<\\é", { b = true } }, c = { {}, { 7 } }, d = false }
    assert.same(value, json.decode(json.encode(value)))
    assert.falsy(json.encode(value):find("<", 1, true))
    raises("ValueError", "JSON", function() json.decode("[1 2]") end)
    raises("ValueError", "JSON", function() json.decode("{\"a\": nope}") end)
  end)
end)

describe("pydotprint", function()
  local f, cost = network()

  it("writes what dot reads: Theano's shapes, colours and edges", function()
    local path = runner.folder() .. "/graph"
    printing.pydotprint(f, path, { format = "dot", print_output_file = false, scan_graphs = true })
    local text = slurp(path .. ".dot")
    has(text, 'shape="ellipse"', 'fillcolor="cyan"', 'fillcolor="green"', 'fillcolor="yellow"', 'label="UPDATE"',
      "name=x TensorType(float64, matrix)")
    for i, node in ipairs(f.maker.fgraph.toposort()) do
      if tostring(node.op):find(",scan_fn}", 1, true) then
        has(slurp(("%s_scan_fn_%d.dot"):format(path, i - 1)), "digraph", "Elemwise{")
      end
    end
    printing.pydotprint(cost, path, { format = "dot", print_output_file = false, var_with_name_simple = true,
      high_contrast = false, compact = false, with_ids = true })
    has(slurp(path .. ".dot"), 'label="x"', 'color="green"', " id=0")
  end)

  it("refuses what it does not know", function()
    raises("TypeError", "unknown keyword 'formt'", function() printing.pydotprint(f, "x", { formt = "png" }) end)
    raises("ValueError", "format is one of", function() printing.pydotprint(f, "x", { format = "$(ls)" }) end)
    raises("TypeError", "pydotprint", function() printing.pydotprint(3, "x") end)
  end)

  it("draws with Graphviz, whatever the file is called", function()
    skip.unless(os.execute("command -v dot > /dev/null 2>&1"), "no Graphviz")
    local path = runner.folder() .. "/a picture; $(x)"
    printing.pydotprint(f, path .. ".svg", { format = "svg", print_output_file = false })
    has(slurp(path .. ".svg"), "<svg", "Gemm")
    printing.pydotprint(f, path, { print_output_file = false })
    assert.equal("\137PNG", slurp(path .. ".png"):sub(1, 4))
    assert.equal("%PDF", printing.pydotprint(cost, { format = "pdf", return_image = true }):sub(1, 4))
  end)
end)

-- The title that a script gives to a page in Chromium, run behind the page's own; "": Chromium does not run here.
local function in_chromium(path, script, width)
  local page = slurp(path)
  runner.write(path, page .. "<script>(async () => { try { " .. script
    .. " } catch (e) { document.title = 'bad ' + e; } })();</script>")
  local pipe = io.popen(("timeout 100 chromium --headless=new --no-sandbox --disable-gpu --window-size=%s "
    .. "--virtual-time-budget=5000 --dump-dom 'file://%s' 2> /dev/null"):format(width or "1400,900", path))
  local dom = pipe:read("a")
  pipe:close()
  return dom:match("<title>(.-)</title>") or ""
end

local function has_chromium() return os.execute("command -v chromium > /dev/null 2>&1") end

-- What a user does: words into the search field, the slider, a double click on a loop, the tabs.
local HANDS = [[
  const $ = id => document.getElementById(id), fire = (e, n, o) => e.dispatchEvent(new (o && o.clientX ? MouseEvent :
    Event)(n, { bubbles: true, ...o }));
  const type = text => { $("search").value = text; fire($("search"), "input"); return app.state.hits.length; };
  const slide = n => { $("pass").value = n; fire($("pass"), "input"); return app.view.boxes.length; };
  const open = b => { const r = $("canvas").getBoundingClientRect(), s = app.state;
    fire($("canvas"), "dblclick", { clientX: r.left + s.x + (b.x + 8) * s.k, clientY: r.top + s.y + (b.y + 8) * s.k });
    return app.view.boxes.find(q => q.r && q.r.id === b.r.id); };
  const said = [], last = app.ROOT.passes.length - 1;
]]

describe("htmlprint", function()
  local path = runner.folder() .. "/graph.html"

  it("writes one page that loads, searches, unfolds and goes through the passes", function()
    local f = network({ profile = true })
    require("theano.profile").hush(f)
    f(nd.ones({ 5, 4 }))
    printing.htmlprint(f, path)
    local page = slurp(path)
    has(page, '"hidden"', "debugging_spec.lua:", "elemwise_fusion", "local h = T.tanh(T.dot(x, w) + b)")
    assert.falsy(page:find("https?://"), "the page needs the network")
    skip.unless(has_chromium(), "no Chromium")
    local title = in_chromium(path, HANDS .. [[
      const all = app.view.boxes.length;
      said.push(all > 20, type("tanh") > 0, type("hidden") > 0, type("no such thing") === 0, type("") === 0);
      said.push(slide(0) > all, $("where").textContent.includes("as written"), slide(last) === all);
      $("before").checked = true; fire($("before"), "change"); $("before").checked = false; fire($("before"), "change");
      app.fit(true);
      const loop = open(app.view.boxes.find(b => b.r && /^for/.test(b.r.op)));
      said.push(loop.inner.length === 1 && loop.inner[0].boxes.length > 3);
      const joined = open(app.view.boxes.find(b => b.r && /Composite/.test(b.r.op)));
      said.push(joined.lines.length > 0);
      for (const t of ["passes", "steps", "memory", "kernels", "node"]) {
        document.querySelector(`[data-tab=${t}]`).click(); said.push($("panel").textContent.length > 40); }
      app.pickId(app.view.boxes.find(b => b.name === "hidden").r.id);
      said.push($("panel").textContent.includes("local h = T.tanh(T.dot(x, w) + b)"));
      document.title = said.join(" ");
    ]])
    skip.unless(title ~= "", "Chromium does not run here")
    assert.equal(("true "):rep(15) .. "true", title)
  end)

  it("lets nothing of the user's be read as the page's own", function()
    local x = T.dvector("</script><script>document.title='bad'</script>")
    local y = T.exp(x) * 2
    y.name = "<img src=x onerror=\"document.title='bad'\">&amp;"
    local f = theano.compile({ inputs = { x }, outputs = y, name = "<b>@@HISTORY@@ %1", mode = INTERPRETED })
    printing.htmlprint(f, path)
    assert.equal(select(2, slurp(path):gsub("</script>", "")), 4)
    skip.unless(has_chromium(), "no Chromium")
    local title = in_chromium(path, HANDS .. [[
      for (const b of app.view.boxes) { if (b.r) app.pickId(b.r.id); for (const t of ["passes", "steps", "memory",
        "kernels", "node"]) app.tab(t); }
      await new Promise(r => setTimeout(r, 100));
      if (document.title !== "bad") document.title = document.images.length + " " + $("title").textContent;
    ]], "390,844")
    skip.unless(title ~= "", "Chromium does not run here")
    assert.equal("0 &lt;b&gt;@@HISTORY@@ %1", title)
  end)

  it("is quick with 5,000 nodes", function()
    skip.unless(os.getenv("TH_ALL") and has_chromium(), "TH_ALL=1 and Chromium: seconds")
    local x, w = T.dmatrix("x"), {}
    local h = x
    for i = 1, 715 do
      w[i] = theano.shared(nd.ones({ 4, 4 }), "w" .. i)
      h = T.tanh(T.dot(h, w[i]) + i * 0.01)
    end
    local updates = {}
    local cost = (h ^ 2):sum()
    for i, g in ipairs(T.grad(cost, w)) do updates[i] = { w[i], w[i] - 0.1 * g } end
    local f = theano.compile({ inputs = { x }, outputs = cost, updates = updates, mode = INTERPRETED })
    assert.is_true(#f.maker.fgraph.toposort() >= 5000)
    f(nd.ones({ 4, 4 }))
    printing.htmlprint(f, path)
    assert.is_true(#slurp(path) < 14e6, #slurp(path))
    local title = in_chromium(path, "const t0 = performance.now();" .. HANDS .. [[
      const slow = [], time = (n, f) => { const a = performance.now(); f(); $("panel").offsetHeight;
        const ms = performance.now() - a; if (ms > 1000) slow.push(n + " " + ms); };
      time("search", () => type("tanh")); for (const p of [0, 10, last]) time("pass " + p, () => slide(p));
      time("unfold", () => app.unfoldAll()); time("fit", () => app.fit(true));
      for (const t of ["passes", "steps", "memory", "kernels", "node"]) time(t, () => app.tab(t));
      document.title = t0 < 8000 && !slow.length ? "quick" : "slow " + t0 + slow.join();
    ]])
    assert.equal("quick", title)
  end)

  it("shows graphs that nothing has compiled", function()
    local _, cost = network()
    printing.htmlprint(cost, path, { title = "a < b" })
    has(slurp(path), "as written", "<title>a &lt; b</title>", '"cost"')
    raises("IOError", "nowhere", function() printing.htmlprint(cost, "/nowhere/x.html") end)
    raises("TypeError", "is missing", function() printing.htmlprint(cost) end)
  end)
end)

describe("trace", function()
  it("writes calls and steps with lines and bytes", function()
    local path = runner.folder() .. "/run.json"
    local f = network({ profile = true, name = "train" })
    require("theano.profile").hush(f)
    do
      local t <close> = printing.trace(path)
      f(nd.ones({ 5, 4 }))
      f(nd.ones({ 5, 4 }))
      raises("RuntimeError", "a trace is at work", function() printing.trace(path) end)
      assert.truthy(t)
    end
    local calls, steps, counters, lines = 0, 0, 0, 0
    for _, e in ipairs(json.decode(slurp(path)).traceEvents) do
      calls = calls + (e.cat == "call" and e.name == "train" and 1 or 0)
      steps = steps + (e.cat == "step" and 1 or 0)
      counters = counters + (e.ph == "C" and 1 or 0)
      lines = lines + (e.args.lua and e.args.lua:find("debugging_spec.lua:", 1, true) and 1 or 0)
    end
    assert.equal(2, calls)
    assert.is_true(steps > 10 and counters == steps and lines > 5)
    local t = printing.trace(path, { most = 3 })
    f(nd.ones({ 5, 4 }))
    local stderr = io.stderr
    t:stop()
    assert.truthy(stderr)
    raises("RuntimeError", "has ended", function() t:stop() end)
  end)
end)

describe("a profile", function()
  it("tells operations and bytes a second, memory and passes", function()
    local f = network({ profile = true })
    require("theano.profile").hush(f)
    f(nd.ones({ 5, 4 }))
    local scope <close> = theano.config.change_flags({ profile_memory = true, profile_optimizer = true })
    local text = tostring(f.profile)
    has(text, "Ops\n---\n", "Kernels (work", "<% of machine>", "The machine: ", "Memory Profile", "Max peak memory",
      "Optimizer Profile", "canonicalize", "local_", "Overhead of a call", "GFLOP/s")
    assert.truthy(scope)
  end)

  it("counts the work of a product exactly", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local f = theano.compile({ x, y }, T.dot(x, y), { mode = INTERPRETED })
    f(nd.ones({ 7, 5 }), nd.ones({ 5, 3 }))
    local step = json.decode(require("theano.core").function_describe(f)).steps[1]
    assert.equal(2 * 7 * 5 * 3, step.flops)
    assert.equal(8 * (35 + 15 + 21), step.bytes)
    local g = theano.compile({ x }, T.exp(x) + 1, { mode = INTERPRETED })
    g(nd.ones({ 10, 10 }))
    step = json.decode(require("theano.core").function_describe(g)).steps[1]
    assert.equal(200, step.flops)
    assert.equal(1600, step.bytes)
  end)
end)

describe("files that cannot be written", function()
  it("are an IOError of every tool, a full disk too", function()
    local f = network({ profile = true })
    require("theano.profile").hush(f)
    f(nd.ones({ 5, 4 }))
    local function each(path)
      raises("IOError", path, function() printing.htmlprint(f, path) end)
      raises("IOError", path, function()
        local t = printing.trace(path)
        f(nd.ones({ 5, 4 }))
        t:stop()
      end)
    end
    each("/nowhere/file")
    if io.open("/dev/full") then each("/dev/full") end
    raises("IOError", "nowhere", function() printing.pydotprint(f, "/nowhere/x", { format = "dot" }) end)
    for _, name in ipairs({ "", "/", "/tmp/" }) do
      raises("ValueError", "names no file", function() printing.pydotprint(f, name) end)
    end
  end)
end)

describe("why, rewrites and advice", function()
  local f = network()
  f(nd.ones({ 5, 4 }))

  it("tell which rules made a step of what", function()
    local text = theano.why(f, "hidden")
    has(text, "step ", "node ", "written at spec/debugging_spec.lua:", "(hidden)")
    has(theano.why(f, "node 3"), "node 3: ")
    has(theano.why(f, "kernel 1"), "not one kernel with step")
    raises("ValueError", "the function has no kernel 999", function() theano.why(f, "kernel 999") end)
    raises("TypeError", "a compiled function", function() theano.why(3, "kernel 0") end)
    has(printing.rewrites(f), "canonicalize (", "elemwise_fusion", "BlasOpt", " -> ", "body of for")
  end)

  it("give the planner's own reasons: why neighbours are two, why memory is not shared", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local function told(outputs, what)
      local g = theano.compile({ inputs = { x, y }, outputs = outputs, mode = INTERPRETED, on_unused_input = "ignore" })
      g(nd.ones({ 4, 4 }), nd.ones({ 4, 4 }))
      return theano.why(g, what)
    end
    local e = T.exp(x)
    has(told({ e:sum(0), (e + 1):sum(1) }, "step 0"),
      "not one kernel with step 1, which reads b2: several kernels read it, and to compute it in each costs more",
      "nor row by row: their rows differ in number", "b2 has memory of its own, not that of b0 (x): it is an argument")
    has(told((x / x:sum(1, { keepdims = true })):sum(0), "step 0"), "it adds up, and so does what reads it")
    has(told(T.sort(e) * 2, "step 0"), "what reads it wants the whole array")
    has(told(T.sort(e) * 2, "step 1"), "it is a call of the library, a loop or a branch")
    has(told(T.dot(e, y) + e.T, "step 0"), "not one kernel with step 1")
    has(told({ e, T.dot(e, y) }, "step 0"), "which reads b2: what reads it wants the whole array")
    has(told(T.sort(T.exp(T.sort(x, 0)), 1), "step 1"), " in place of b")
  end)

  it("find float64 in a float32 graph, with line and culprit", function()
    local x, w = T.fmatrix("x"), theano.shared(nd.ones(3), "wide")
    local line = debug.getinfo(1, "l").currentline + 1
    local g = theano.compile({ x }, T.tanh(x * w), { mode = INTERPRETED })
    g(nd.ones({ 2, 3 }, "float32"))
    has(printing.advice(g), ("float64 comes into a float32 graph at spec/debugging_spec.lua:%d"):format(line),
      "takes wide", "largest buffers:")
    local h = theano.compile({ x }, T.tanh(x * x), { mode = INTERPRETED })
    h(nd.ones({ 2, 3 }, "float32"))
    has(printing.advice(h), "nothing found")
  end)
end)

describe("advice", function()
  it("tells of copies that arguments force, and of lengths that change", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local f = theano.compile({ inputs = { x, theano.In(y, { mutable = true }) }, outputs = x + 1, mode = INTERPRETED,
      updates = {}, on_unused_input = "ignore" })
    f(nd.ones({ 3, 4 }).T, nd.ones({ 2, 2 }))
    f(nd.ones({ 3, 4 }).T, nd.ones({ 2, 2 }))
    has(printing.advice(f), "2 times an argument was copied since it is no array in row order (x)")
    local same = nd.ones({ 3, 4 })
    f(same, same)
    has(printing.advice(f), "1 times an argument was copied since it shares memory with what the call writes")
    local g = theano.compile({ inputs = { x }, outputs = x + 1, mode = INTERPRETED })
    for n = 1, 5 do g(nd.ones({ n, 2 })) end
    assert.falsy(printing.advice(g):find("lengths changed", 1, true))
    for n = 1, 15 do g(nd.ones({ n, 2 })) end
    has(printing.advice(g), "lengths changed from one call to the next 19 times")
  end)

  it("tells of products in a loop that one before it would do", function()
    local x, w = T.dmatrix("x"), T.dmatrix("w")
    local loop = theano.scan({ fn = function(row, s) return T.tanh(T.dot(row, w) + s) end, sequences = x,
      outputs_info = T.zeros({ 3 }) })
    local slow = theano.compile({ inputs = { x, w }, outputs = loop, mode = theano.compile.get_mode("FAST_COMPILE") })
    has(printing.advice(slow), "a product of a row of x with w in every turn of a loop at spec/debugging_spec.lua:")
    local fine = theano.compile({ inputs = { x, w }, outputs = loop, mode = INTERPRETED })
    assert.falsy(printing.advice(fine):find("a product of a row", 1, true))
  end)
end)

describe("examples/broken", function()
  -- Each program: the line that is wrong, and what its output has.
  local programs = {
    shape = { "Shape mismatch: hidden has 4 cols but w2 has 5 rows", "shape.lua:11" },
    dtype = { "float64 comes into a float32 graph at examples/broken/dtype.lua:9", "takes scale", "dtype.lua:8" },
    nan = { "NaN detected", "gradient of examples/broken/nan.lua:8 (norm)" },
    gradient = { "GradientError: verify_grad: input 0, element 0", "gradient.lua:10" },
    slow = { "SortOp{quicksort, None} at examples/broken/slow.lua:10", "2 products of one operand", "slow.lua:11" },
  }
  for name, words in pairs(programs) do
    it(name .. ".lua is led back to its line", function()
      has(runner.run({ "examples/broken/" .. name .. ".lua" }, { env = { "THEANO_FLAGS=cxx=" } }), table.unpack(words))
    end)
  end
end)
