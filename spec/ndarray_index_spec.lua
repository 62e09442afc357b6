--- Index arrays between the brackets of an ndarray, on both sides of `=`.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")

local function list(a) return a:tolist() end

describe("an ndarray subscripted by index arrays", function()
  it("gives the chosen rows and elements", function()
    local a = nd.arange(6):reshape({ 3, 2 })
    assert.same({ { 4, 5 }, { 0, 1 }, { 4, 5 } }, list(a[nd.array({ 2, 0, -1 })]))
    assert.same({ 1, 4 }, list(a[{ nd.array({ 0, 2 }), nd.array({ 1, 0 }) }]))
    assert.same({ { 2, 3 } }, list(a:sub(nd.array({ 1 }))))
  end)

  it("is assigned to, with broadcasting and the array's own dtype", function()
    local a = nd.arange(4)
    a[nd.array({ 0, 3 })] = nd.array({ 7.9, 8.0 })
    assert.same({ 7, 1, 2, 8 }, list(a))
    a[nd.array({ 1, -2 })] = 0
    assert.same({ 7, 0, 0, 8 }, list(a))
    a[nd.array({ 2, 2 })] = { 5, 6 } -- the last one counts
    assert.same({ 7, 0, 6, 8 }, list(a))
  end)

  it("is assigned to through a view with strides", function()
    local a = nd.arange(6):reshape({ 2, 3 })
    a.T[nd.array({ 2, 0 })] = nd.array({ 50, 60 })
    assert.same({ { 50, 1, 50 }, { 60, 4, 60 } }, list(a))
    a[{ nd.array({ 0, 1 }), nd.array({ 1, 2 }) }] = -1
    assert.same({ { 50, -1, 50 }, { 60, 4, -1 } }, list(a))
  end)

  it("refuses positions outside and values that do not fit", function()
    local a = nd.arange(4)
    raises("IndexError", "index out of bounds", function() return a[nd.array({ 9 })] end)
    raises("IndexError", "index out of bounds", function() a[nd.array({ 9 })] = 1 end)
    raises("ValueError", "could not broadcast", function() a[nd.array({ 1, 2 })] = { 1, 2, 3 } end)
    assert.same({ 0, 1, 2, 3 }, list(a))
  end)
end)
