--- Building, listing and running the mutants of the tables; see scripts/mutants.
-- @module spec.mutants.mutants
local M = { program = "build/mutants/theano", known = "build/mutants/known.txt" }

local function command(text)
  local pipe = assert(io.popen(text .. " 2>&1"))
  local out = pipe:read("a")
  local ok, _, code = pipe:close()
  return out, ok and 0 or code
end

--- Builds the runner with the hook.
function M.prepare()
  if M.ready then return end
  local out, code = command("cmake --build build --target mutants")
  assert(code == 0, out:sub(-2000))
  M.ready = true
end

--- Writes down the checks that never held and makes sure that nothing else is found without a mistake.
local function baseline()
  os.remove(M.known)
  local out, code = command(("%s spec/mutants/check.lua scalar %s"):format(M.program, M.known)) -- writes them
  assert(code == 0, out)
  out, code = command(("%s spec/mutants/check.lua rules %s"):format(M.program, M.known))
  assert(code == 0, "without a mistake: " .. out)
end

--- Every mistake: number, table, line, and its text.
function M.list()
  M.prepare()
  local list = {}
  for line in command("THEANO_MUTANT=list " .. M.program):gmatch("[^\n]+") do
    local n, t, name, rest = line:match("^(%d+)\t([^\t]+)\t([^\t]+)\t(.*)$")
    local key = (t .. " " .. name .. " | " .. rest):gsub("\t+", " | "):gsub("[ |]+$", ""):gsub("| | ", "| ")
    list[#list + 1] = { n = math.tointeger(tonumber(n)), table = t, line = name, text = line, key = key }
  end
  return list
end

--- Mistakes that change no answer, by their text, with the reason.
function M.equivalent()
  local reasons, reason = {}, nil
  for line in assert(io.open("spec/mutants/equivalent.txt")):lines() do
    if line:sub(1, 1) == "#" then
      reason = line:sub(3)
    elseif line ~= "" then
      reasons[line] = assert(reason, "a mistake without a reason: " .. line)
    end
  end
  return reasons
end

--- Numbers of `count` mistakes that are not equivalent, drawn from a seed.
function M.draw(seed, count)
  local list, same, rng = M.list(), M.equivalent(), require("spec.support.fuzz").rng(seed)
  local pool, out = {}, {}
  for _, m in ipairs(list) do
    if not same[m.key] then pool[#pool + 1] = m.n end
  end
  for i = 1, math.min(count, #pool) do out[i] = table.remove(pool, rng:int(1, #pool)) end
  return out
end

--- Runs mistakes (all for an empty list): n, caught, equivalent, survivors (their texts).
function M.run(wanted, say)
  local list, same = M.list(), M.equivalent()
  local result = { n = 0, caught = 0, equivalent = 0, survivors = {} }
  local only = {}
  baseline()
  for _, n in ipairs(wanted) do only[n] = true end
  for _, m in ipairs(list) do
    if #wanted == 0 or only[m.n] then
      result.n = result.n + 1
      if same[m.key] then
        result.equivalent = result.equivalent + 1
      else
        local call = "THEANO_MUTANT=%d timeout 60 %s spec/mutants/check.lua %s %s"
        local out, code = command(call:format(m.n, M.program, m.table, M.known))
        if code == 0 then
          result.survivors[#result.survivors + 1] = m.key
          say("survived: " .. m.key)
        else
          result.caught = result.caught + 1
          if os.getenv("VERBOSE") then say(m.key .. "\n    " .. (out:match("[^\n]*") or "")) end
        end
      end
    end
  end
  return result
end

return M
