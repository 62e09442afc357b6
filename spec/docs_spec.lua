--- The Lua of docs/*.md runs as it stands: the blocks of a page are one program, and what they print is what the page
-- says, as `--> text` behind the lines of a block or as the ```text block that follows it (numbers of lines in errors
-- are free); the C host of embedding.md too. functions.md is as generated; the names, links, error kinds and flags that
-- pages mention exist.
local runner = require("spec.support.runner")
local slurp = require("spec.support.slurp")

local mark = "\1"

--- The page as a program of the same line numbers, and what each block should print (false: anything).
local function program(page)
  local lines, wanted, state, fresh = {}, {}, "text", false -- fresh: nothing has come behind the Lua block
  for line in page:gmatch("([^\n]*)\n") do
    local out = ""
    if state == "text" then
      if line == "```lua" then
        state = "lua"
        wanted[#wanted + 1] = false
      elseif line == "```text" and fresh then
        state = "output"
        wanted[#wanted] = wanted[#wanted] or ""
      elseif line:find("^```") then
        state = "other"
      end
      if line ~= "" then fresh = false end
    elseif line == "```" then
      fresh = state == "lua"
      if fresh then out = "io.write('" .. mark .. "')" end
      state = "text"
    elseif state == "lua" then
      out = line
      local said = line:match("%-%-> (.*)$")
      if said then wanted[#wanted] = (wanted[#wanted] or "") .. said .. "\n" end
    elseif state == "output" then
      wanted[#wanted] = wanted[#wanted] .. line .. "\n"
    end
    lines[#lines + 1] = out
  end
  return table.concat(lines, "\n"), wanted
end

-- Without numbers of lines and blanks at their ends.
local function plain(text)
  return (text:gsub("(%.lua:)%d+", "%1N"):gsub("[ ]+\n", "\n"))
end

local function pages()
  local pipe = assert(io.popen("ls docs/*.md docs/tutorial/*.md"))
  local list = {}
  for path in pipe:lines() do
    if slurp(path):find("\n```lua\n", 1, true) then list[#list + 1] = path end
  end
  pipe:close()
  return list
end

describe("the programs of", function()
  local folder
  setup(function() folder = runner.folder() end)
  teardown(function() runner.remove(folder) end)

  for _, path in ipairs(pages()) do
    it(path .. " print what it says", function()
      local text, wanted = program(slurp(path))
      local pictures = {}
      text = text:gsub('save%("([%w-]+%.svg)"%)', function(name) -- a spec writes nothing into the tree
        pictures[#pictures + 1] = name
        return ('save("%s/%s")'):format(folder, name)
      end)
      local script = folder .. "/" .. path:match("([^/]+)%.md$") .. ".lua"
      runner.write(script, text)
      local out, status = runner.run({ script })
      assert.equal(0, status, out)
      local i = 0
      for said in out:gmatch("([^" .. mark .. "]*)" .. mark) do
        i = i + 1
        if wanted[i] then assert.equal(plain(wanted[i]), plain(said:gsub(folder .. "/", "")), "block " .. i) end
      end
      assert.equal(#wanted, i)
      for _, name in ipairs(pictures) do -- what the page shows: of other digits at most
        local made, kept = slurp(folder .. "/" .. name), slurp(path:match("^(.*/)") .. name)
        local function words(svg) return svg:gsub("<[^>]*>", "\n"):gsub("[%d.]+", ""):gsub("\n+", "\n") end
        assert.equal(words(kept), words(made), "run `build/theano scripts/make-tutorial`")
        assert.is_true(math.abs(#kept - #made) < 0.1 * #kept, "run `build/theano scripts/make-tutorial`")
      end
      if path:find("tutorial/", 1, true) then assert.equal(1, #pictures, "a lesson ends in a picture") end
    end)
  end
end)

for _, page in ipairs({ "docs/embedding.md", "docs/own-operations.md" }) do describe("the C host", function()
  it("of " .. page .. " compiles and prints what the page says", function()
    local skip = require("spec.support.skip")
    skip.without_program("gcc")
    local build = runner.path:match("^(.*)/[^/]*$") or "."
    skip.unless(not build:find("san", 1, true), "a host built without sanitizers cannot load a library built with them")
    local code, said = slurp(page):match("\n```c\n(.-\n)```\n```text\n(.-)```\n")
    local folder = runner.folder()
    runner.write(folder .. "/host.c", code)
    local command = "{ gcc -std=c11 -Wall -Werror -Icore %s/host.c -L%s -ltheano -lm -Wl,-rpath,$(realpath %s)"
      .. " -o %s/host"
      .. " && %s/host; } 2>&1"
    local pipe = assert(io.popen(command:format(folder, build, build, folder, folder)))
    assert.equal(said, pipe:read("a"))
    pipe:close()
    runner.remove(folder)
  end)
end) end

describe("docs/functions.md", function()
  it("is what scripts/make-reference writes", function()
    local text, status = runner.run({ "scripts/make-reference", "--print" })
    assert.equal(0, status, text)
    assert.is_true(text == slurp("docs/functions.md"),
      "docs/functions.md is older than the tables: run `build/theano scripts/make-reference` and commit what it writes")
  end)
end)

local function every_page()
  local pipe = assert(io.popen("ls *.md docs/*.md docs/tutorial/*.md */README.md */*/README.md"))
  local list = {}
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

describe("the pages", function()
  it("link only to what exists", function()
    for _, path in ipairs(every_page()) do
      local folder = path:match("^(.*/)") or ""
      for target in slurp(path):gsub("`[^`\n]*`", ""):gmatch("%]%(([^)#]+)[^)]*%)") do
        local file = not target:find("^https?:") and io.open(folder .. target)
        assert.is_truthy(target:find("^https?:") or file, path .. " links to " .. target)
        if file then file:close() end
      end
    end
  end)

  it("show commits that exist", function()
    local skip = require("spec.support.skip")
    local pipe = assert(io.popen("git log --format=%s 2>/dev/null"))
    local subjects, all = {}, 0
    for subject in pipe:lines() do subjects[subject], all = true, all + 1 end
    pipe:close()
    skip.unless(all > 1000, "no history: an archive, or a clone of the last commits")
    local n = 0
    for row in slurp("CONTRIBUTING.md"):match("\n## To add\n(.-)\n## "):gmatch("\n|[^\n]*") do
      local subject = row:match("`([%l_, ]+: [^`]*)` |%s*$")
      if subject then
        n = n + 1
        assert.is_true(subjects[subject], subject)
      end
    end
    assert.is_true(n >= 8, n .. " commits")
  end)

  it("date decisions", function()
    for heading in slurp("docs/decisions.md"):gmatch("\n## ([^\n]*)") do
      assert.truthy(heading:find("^%d+ %u%l+ 20%d%d"), heading)
    end
  end)

  it("name only functions that exist", function()
    local theano = require("theano")
    local roots = { T = theano.tensor, nd = theano.ndarray, theano = theano }
    local checked = 0
    for _, path in ipairs(every_page()) do
      for code in slurp(path):gsub("\n```.-\n```", ""):gmatch("`([^`\n]+)`") do
        for root, rest in code:gmatch("%f[%w_.:\"/](%a+)%.([%a_][%w_.]*)%f[^%w_.]") do
          local value = roots[root]
          local other = rest == "h" or rest == "lua" or not value or pcall(require, root .. "." .. rest)
          for name in (other and "" or rest):gmatch("[%w_]+") do
            if type(value) == "table" then value = value[name] end
            assert.is_not_nil(value, path .. " names " .. root .. "." .. rest)
            checked = checked + 1
          end
        end
      end
    end
    assert.is_true(checked > 50, checked .. " names found")
  end)

  it("explain every kind of error", function()
    local text = slurp("docs/errors.md")
    local kinds = slurp("core/theano.h"):match("#define TH_ERROR_MAP%(X%)(.-)typedef")
    for kind in kinds:gmatch("X%((%w+)%)") do
      assert.is_truthy(text:find("| `" .. kind .. "` |", 1, true), "docs/errors.md has no row for " .. kind)
    end
  end)

  it("quote figures that bench/README.md has", function()
    local bench, n = slurp("bench/README.md"), 0
    for row in slurp("docs/performance.md"):match("\n## Beside others\n(.*)$"):gmatch("\n(| [^\n]*%d |)") do
      assert.truthy(bench:find(row, 1, true), row)
      n = n + 1
    end
    assert.is_true(n > 3)
  end)

  it("say which flags have no effect", function()
    local said = slurp("docs/config.md"):match("no effect: ([^.\n]-%b``)")
    local pipe = assert(io.popen("cat $(find core -name '*.c') lua/*.c lua/theano/*.lua"))
    local code = pipe:read("a")
    pipe:close()
    local idle = {}
    for _, flag in ipairs(require("theano.core").config_flags()) do
      local name = flag[1]:gsub("%p", "%%%0")
      local read = code:find("config_%l+%([%w_>%-]+, \"" .. name .. "\"%)")
        or code:find('config_get%("' .. name .. '"%)')
      read = read or code:find("config." .. flag[1] .. "%f[^%w_]")
      if not read and flag[1] ~= "floatX" then idle[#idle + 1] = "`" .. flag[1] .. "`" end
    end
    assert.equal(table.concat(idle, ", "), (said:gsub("%s+", " ")))
  end)
end)
