--- theano.json: texts are read whole, or refused with what is wrong.
local json = require("theano.json")
local theano = require("theano")

describe("theano.json", function()
  it("reads what it writes", function()
    local text = json.encode({ a = { 1, 2.5, "x\"\\\n<", true, {} }, b = false, c = -1 })
    assert.equal(text, json.encode(json.decode(text)))
    assert.same({ "é\t/", 1 << 62, false }, json.decode(' [ "\\u00e9\\t\\/" , 4611686018427387904, null ] '))
    assert.equal(7, json.decode("7"))
    local deep = 100000
    assert.is_table(json.decode(("["):rep(deep) .. ("]"):rep(deep)))
  end)

  it("refuses what is no JSON", function()
    for _, text in ipairs({ "", " ", "[", "{", "]", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"", "{\"a\" 1}",
      "{a: 1}", "{1: 2}", "{\"a\": }", "{\"a\": 1,}", "[1}", "{\"a\": 1]", "\"x", "\"\\\"", "\"\\u12\"", "\"\\u12zz\"",
      "nope", "1 2", "[] []", "+", "--1", "\0", "{\"a\": 1} x", ("["):rep(1000) })
    do
      local fine, why = pcall(json.decode, text)
      assert(not fine and theano.error_kind(tostring(why)) == "ValueError", ("%q: %s"):format(text, tostring(why)))
      assert(tostring(why):find("JSON: ", 1, true), why)
    end
  end)
end)
