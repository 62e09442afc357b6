--- C programs around the engine, as docs/embedding.md shows them.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local folder, build
setup(function()
  folder, build = runner.folder(), runner.path:match("^(.*)/[^/]+$") or "build"
end)
teardown(function() runner.remove(folder) end)

local function sh(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1; echo \"status $?\""))
  local text = pipe:read("a")
  pipe:close()
  return (text:gsub("status %d+\n$", "")), tonumber(text:match("status (%d+)\n$"))
end

describe("with_lua", function()
  local head = "local theano = require('theano') local T = theano.tensor\n" ..
    "local m, x, v = T.dmatrix('m'), T.dvector('x'), T.dvector('v')\n"
  local wrong = {
    ["return 1"] = "returns no compiled function",
    [""] = "returns no compiled function",
    ["return io.stdout"] = "returns no compiled function",
    ["return require('theano').shared(1.0)"] = "returns no compiled function",
    ["error({})"] = "an error that is no text",
    ["x = = 1"] = "unexpected symbol",
    [head .. "return theano.compile({ x }, x)"] = "with two results",
    [head .. "return theano.compile({ m, v }, { m, v })"] = "Wrong number of dimensions",
    [head .. "return theano.compile({ x, v }, { x:sum(), v:reshape({ 8, 8 }) })"] = "could not broadcast",
  }
  for script, words in pairs(wrong) do
    it("ends with a message: " .. words .. ": " .. script:gsub(head, "", 1):sub(1, 50), function()
      local program = build .. "/examples/host/with_lua"
      skip.unless(io.open(program), "the host examples are not built")
      runner.write(folder .. "/script.lua", script)
      local text, status = sh(program .. " " .. folder .. "/script.lua")
      assert.equal(1, status)
      assert.truthy(text:find(words, 1, true), text)
    end)
  end
end)

describe("docs/embedding.md", function()
  it("shows a program that compiles as said and prints what is said", function()
    skip.unless((sh("command -v gcc")) ~= "", "no gcc")
    local sanitized = sh("nm -D " .. build .. "/libtheano.so | grep -c __asan_init")
    skip.unless(sanitized:match("^0"), "the library is sanitized")
    local file = assert(io.open("docs/embedding.md"))
    local page = file:read("a")
    file:close()
    local source, printed, command = page:match("```c\n(.-)```\n```text\n(.-)```\n```sh\n(.-)```")
    runner.write(folder .. "/host.c", source)
    command = command:gsub("host%.c", folder .. "/host.c"):gsub("%-o host", "-o " .. folder .. "/host")
    command = command:gsub("build", build):gsub("\n%./host\n", "\n")
    local said, status = sh(command:gsub("%s+$", ""))
    assert.equal("", said)
    assert.equal(0, status)
    assert.equal(printed, (sh(folder .. "/host")))
  end)
end)
