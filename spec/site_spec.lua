--- scripts/docs: the pages as HTML: every link leads somewhere, nothing comes from the network, the search knows every
-- function; what the reference says of a function was tried.
local markdown = require("scripts.site.markdown")
local reference = require("scripts.site.reference")
local runner = require("spec.support.runner")
local slurp = require("spec.support.slurp")

local function html(text) return (markdown.page(text, function(target) return target end)) end

describe("Markdown", function()
  it("becomes HTML", function()
    assert.equal('<h2 id="a-b">A <code>b</code></h2>', html("## A `b`"))
    assert.equal("<p>x &lt; <strong>y</strong> <code>a[1] &amp; **b**</code></p>", html("x < **y** `a[1] & **b**`"))
    assert.equal('<p><a href="a.html#b">the <code>x</code></a></p>', html("[the `x`](a.html#b)"))
    assert.equal("<ul>\n<li>one\ntwo</li>\n<li>three</li>\n</ul>", html("* one\n  two\n* three"))
    assert.equal("<pre><code>a &lt; b\n# c</code></pre>", html("```text\na < b\n# c\n```"))
    assert.equal('<div class="wide"><table>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n<tr>\n<td>1</td>\n<td>2|3</td>\n'
      .. "</tr>\n</table></div>", html("| a | b |\n|---|---|\n| 1 | 2\\|3 |"))
    local code = html('```lua\nlocal s = "a" -- b\n--> c\n```')
    assert.truthy(code:find('<span class="key">local</span> s = <span class="str">'
      .. '&quot;a&quot;</span> <span class="com">-- b</span>\n<span class="out">--&gt; c</span>', 1, true))
  end)
end)

describe("the reference", function()
  local function about(name)
    for _, f in ipairs(reference.functions()) do
      if f.name == name then
        local said = {}
        for _, pair in ipairs(reference.about(f)) do said[pair[1]] = pair[2] end
        return said
      end
    end
  end

  it("says what trying gives", function()
    local exp = about("exp")
    assert.equal("bool, int8: float32; int32, int64: float64; float32, float64, complex128: the same", exp.dtypes)
    assert.equal("(gz * exp(m))", exp.gradient)
    assert.equal("T.exp(m)\n[[1.64872127 1.28402542]\n [2.11700002 1.13314845]]", exp.example)
    assert.equal("C99", exp.export)
    assert.truthy(exp.GPU:find("device"))
    assert.equal("none: the result is not of floats", about("lt").gradient)
    assert.truthy(about("nnet.softmax").dtypes:find("refused"))
  end)
end)

describe("scripts/docs", function()
  it("writes pages whose links lead somewhere and that ask nothing of the network", function()
    local folder = runner.folder() .. "/site"
    local text, status = runner.run({ "scripts/docs", "--quick", folder })
    assert.equal(0, status, text)
    local pages, ids, links = 0, {}, {}
    local pipe = assert(io.popen("ls " .. folder .. "/*.html"))
    for path in pipe:lines() do
      local name, page = path:match("[^/]*$"), slurp(path)
      pages, ids[name] = pages + 1, {}
      for id in page:gmatch(' id="([^"]+)"') do ids[name][id] = true end
      for target in page:gmatch(' href="([^"]+)"') do links[#links + 1] = { name, target } end
      for source in page:gmatch(' src="([^"]+)"') do assert.is_nil(source:find("//", 1, true), source) end
    end
    pipe:close()
    for _, link in ipairs(links) do
      local page, anchor = link[2]:match("^([^#]*)#?(.*)$")
      if not link[2]:find("^https?://") and page:find("%.html$") then
        assert.is_truthy(ids[page], link[1] .. " leads to " .. link[2])
        if anchor ~= "" and page ~= "reference.html" then
          assert.is_truthy(ids[page][anchor], link[1] .. " leads to " .. link[2])
        end
      end
    end
    assert.is_true(pages > 50, pages .. " pages")
    assert.is_nil(slurp(folder .. "/index.html"):find("<h2>More</h2>", 1, true), "scripts/docs groups every page")
    local search = slurp(folder .. "/search.js")
    for _, f in ipairs(reference.functions()) do
      assert.is_truthy(search:find('"' .. (f.name == "repeat" and "repeat_" or f.name) .. '"', 1, true), f.name)
    end
    for _, name in ipairs({ "th_context_new", "th_call_args", "th_version" }) do
      assert.is_truthy(search:find('"' .. name .. '"', 1, true), name)
    end
    local rules = slurp(folder .. "/rules.html")
    assert.is_truthy(rules:find("<td><code>local_log1p</code></td>\n<td><code>log(1 + x)</code></td>", 1, true))
    assert.is_true(select(2, rules:gsub("<tr>", "")) > 50)
    runner.remove(folder:match("^(.*)/"))
  end)
end)
