--- theano.plot: round numbers, what figures hold, pictures side by side.
local raises = require("spec.support.raises")
local theano = require("theano")
local nd, plot, data = theano.ndarray, theano.plot, theano.data

local function count(text, what) return select(2, text:gsub(what, "")) end

describe("ticks", function()
  it("are round and around the range", function()
    for _, case in ipairs({ { 0, 1, { 0, 0.2, 0.4, 0.6, 0.8, 1 } }, { -3, 97, { -20, 0, 20, 40, 60, 80, 100 } },
      { 5, 5, { 2, 3, 4, 5, 6, 7, 8 } }, { 0, 0, { -1, -0.5, 0, 0.5, 1 } }, { 1e-9, 9e-9, nil } }) do
      local list, step = plot.ticks(case[1], case[2])
      if case[3] then
        assert.equal(#case[3], #list)
        for i, v in ipairs(case[3]) do assert.is_true(math.abs(v - list[i]) < 1e-12) end
      end
      assert.is_true(list[1] <= case[1] and list[#list] >= case[2] - step * 1e-6 and #list <= 12)
    end
  end)
end)

describe("a figure", function()
  it("has its lines, with a gap where a number is none", function()
    local svg = plot.figure { title = "a < b", xlabel = "x", ylabel = "y" }
      :line({ 1, 2, 3, 4, 5 }, { 1, 2, 0 / 0, 4, math.huge }, { label = "one & two" }):svg()
    assert.equal(1, count(svg, "<polyline"))
    assert.equal(1, count(svg, "<circle")) -- the point between two gaps
    assert.truthy(svg:find("a &lt; b", 1, true))
    assert.truthy(svg:find("one &amp; two", 1, true))
    assert.falsy(svg:find("nan") or svg:find("inf"))
    assert.equal(count(svg, "<text"), count(svg, "</text>"))
  end)

  it("counts where x is left out, and takes arrays", function()
    assert.equal(plot.figure():line({ 1, 2, 3 }, { 5, 6, 7 }):svg(), plot.figure():line(nd.array({ 5, 6, 7 })):svg())
  end)

  it("has powers of ten on logarithmic axes, and leaves out what has no logarithm", function()
    local svg = plot.figure { ylog = true }:scatter({ 1, 2, 3 }, { 0, 0.01, 1000 }):svg()
    assert.equal(2, count(svg, "<circle"))
    assert.truthy(svg:find(">0.01</text>", 1, true))
    assert.truthy(svg:find(">1000</text>", 1, true))
  end)

  it("has bars, and a picture with its scale", function()
    assert.equal(5, count(plot.figure():histogram({ 1, 2, 2, 3, 0 / 0 }, { bins = 5 }):svg(), "fill%-opacity=\"0.8\""))
    local ok, svg = pcall(function() return plot.figure():heatmap({ { 1, 2 }, { 3, 4 } }):svg() end)
    if ok then assert.truthy(svg:find("data:image/png;base64,iVBORw0KGgo", 1, true))
    else assert.truthy(svg:find("libpng", 1, true)) end
  end)

  it("is drawn of nothing, one point, equal points", function()
    for _, y in ipairs({ {}, { 3 }, { 5, 5, 5 }, { 0 / 0 } }) do
      assert.falsy(plot.figure():line(y):svg():find("nan"))
    end
  end)

  it("says what is wrong", function()
    raises("ValueError", "2 values of x, 1 of y", function() plot.figure():line({ 1, 2 }, { 1 }) end)
    raises("TypeError", "y[2] is a string", function() plot.figure():line({ 1, 2 }, { 1, "2" }) end)
    raises("ValueError", "neither .svg nor .png", function() plot.figure():save("a.jpg") end)
    raises("ShapeError", "the array has 1 dimensions", function() plot.figure():heatmap({ 1, 2 }) end)
    raises("AttributeError", "figure has no 'bar'", function() plot.figure():bar() end)
    raises("ValueError", "height is 9", function() plot.figure { height = 9 } end)
  end)

  it("is saved whole", function()
    local path = os.tmpname() .. ".svg"
    local fig = plot.figure():line({ 1, 2 })
    fig:save(path)
    local f = assert(io.open(path))
    assert.equal(fig:svg(), f:read("a"))
    f:close()
    os.remove(path)
    os.remove((path:gsub("%.svg$", "")))
  end)
end)

describe("pictures", function()
  it("are one alone, from black to white", function()
    local path = os.tmpname()
    os.remove(path)
    plot.image(path .. ".pgm", nd.array({ { 0.0, 0.5, 2.0 } }), { low = 0, high = 1 })
    assert.same({ { 0, 128, 255 } }, data.load(path .. ".pgm"):tolist())
    os.remove(path .. ".pgm")
  end)
end)

describe("pictures side by side", function()
  it("are grey from least to largest, with gaps", function()
    local path = os.tmpname()
    os.remove(path)
    plot.images(path .. ".pgm", nd.array({ { { 0.0, 1.0 } }, { { 5.0, 3.0 } }, { { 2.0, 2.0 } } }), { columns = 2 })
    local a = data.load(path .. ".pgm")
    assert.same({ { 128, 128, 128, 128, 128, 128, 128 }, { 128, 0, 255, 128, 255, 0, 128 },
      { 128, 128, 128, 128, 128, 128, 128 }, { 128, 0, 0, 128, 128, 128, 128 },
      { 128, 128, 128, 128, 128, 128, 128 } }, a:tolist())
    plot.images(path .. ".pgm", nd.zeros({ 1, 2, 2 }, "uint8"), { scale = 3, gap = 0 })
    assert.same({ 6, 6 }, { table.unpack(data.load(path .. ".pgm").shape) })
    os.remove(path .. ".pgm")
    raises("ShapeError", "there is no picture", function() plot.images("a.pgm", nd.zeros({ 0, 2, 2 })) end)
  end)
end)
