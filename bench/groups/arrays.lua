-- One call of each function that arrays share with NumPy, as it is typed: no graph, nothing compiled by hand. The calls
-- stand in arrays.calls, which both sides read.
local theano = require("theano")
local nd = theano.ndarray

local G = { title = "functions of arrays", peers = { "lua", "numpy" }, cases = {}, worst = true, tolerance = 1e-6 }
local CALLS = {}
local function fields(line)
  local list = {}
  for field in (line .. "|"):gmatch("%s*(.-)%s*|") do list[#list + 1] = field end
  return list
end
for line in io.lines("bench/groups/arrays.calls") do
  local f = line:sub(1, 1) ~= "#" and fields(line) or {}
  if f[1] then CALLS[#CALLS + 1], CALLS[f[1]] = { name = f[1], most = tonumber(f[4] or "") or math.huge }, f[2] end
end
for _, n in ipairs({ "10", "1000", "100000", "10000000" }) do
  for _, call in ipairs(CALLS) do
    if tonumber(n) <= call.most then G.cases[#G.cases + 1] = { call.name, n } end
  end
end

local function files(d, n)
  d.path, d.path2 = os.tmpname() .. ".npy", os.tmpname() .. ".npz"
  d.bytes_path, d.text_path, d.text_path2 = os.tmpname(), os.tmpname(), os.tmpname()
  if n <= 100000 then
    nd.save(d.path, d.x)
    nd.tofile(d.x, d.bytes_path)
  end
  if n <= 1000 then nd.savetxt(d.text_path, d.x) end
end

local function operands(n)
  local rng = nd.random.RandomState(1)
  local rows = math.max(1, math.floor(n ^ 0.5))
  local d = { n = n, rows = rows, half = n // 2, x = rng:rand(n), y = rng:rand(n), z = rng:randn(n) }
  d.p, d.p1, d.s, d.few = d.x + 0.5, d.x + 1, d.z:astype("float32"), nd.floor(d.x * 100)
  d.i, d.k, d.r = rng:randint(0, n, { n }), rng:randint(0, 100, { n }), rng:randint(0, rows, { rows })
  d.t, d.c = nd.where(nd.lt(d.y, 0.1), 0 / 0, d.x), d.x + d.y * nd.complex(0, 1)
  d.b, d.d, d.none = nd.gt(d.x, 0.5), nd.gt(d.y, 0.5), nd.gt(d.x, 2)
  d.bits, d.u, d.sorted = d.b:astype("int64"), d.k:astype("uint8"), nd.sort(d.x)
  d.m, d.q, d.row = rng:rand(rows, rows), rng:rand(rows, rows), rng:rand(rows)
  d.mb, d.order = nd.gt(d.m, 0.01), nd.argsort(d.m, { axis = 1 })
  local side = math.max(1, math.floor(n ^ (1 / 3) + 1e-9))
  d.tri, d.three = rng:rand(side, side, side), rng:rand(math.max(1, n // 3), 3)
  d.depth = rng:rand(1, math.max(1, n // 4), 4)
  d.a, d.edges, d.few_places = rng:rand(10), nd.linspace(0, 1, 100), nd.arange(0, 100, 7)
  d.w, d.wm, d.text = d.x:copy(), d.m:copy(), d.x:bytes()
  d.list = n <= 100000 and d.x:tolist() or {}
  d.words = n <= 1000 and table.concat(d.list, " ") or ""
  d.uf, d.starts = {}, nd.arange(0, n, 10)
  for _, name in ipairs({ "add", "divide", "fmax", "fmod", "logaddexp", "maximum", "subtract" }) do
    d.uf[name] = nd.ufunc(name)
  end
  files(d, n)
  function d.set(a, key, value) a[key] = value end
  function d.each(list)
    local at = 0
    return function()
      at = at + 1
      return list[at]
    end
  end
  return d
end

-- What is compared: the sum of all that is finite.
local function amount(v)
  local kind = type(v)
  if kind == "number" then return v - v == 0 and v or 0 end
  if kind == "boolean" then return v and 1 or 0 end
  if kind == "table" then
    local sum = 0
    for _, each in ipairs(v) do sum = sum + amount(each) end
    return sum
  elseif kind ~= "userdata" then
    return 0
  end
  local a = nd.real(nd.asarray(v)):astype("float64")
  return nd.sum(nd.where(nd.isfinite(a), a, 0))
end

local last
function G.prepare(name, n)
  if not last or last.n ~= tonumber(n) then
    last = nil
    collectgarbage()
    last = operands(math.tointeger(tonumber(n)))
  end
  local names = {}
  for k in pairs(last) do names[#names + 1] = k end
  table.sort(names)
  local text = ("local nd, _d = ...\nlocal %s = _d.%s\nreturn function() return %s end"):format(
    table.concat(names, ", "), table.concat(names, ", _d."), CALLS[name])
  local f = assert(load(text))(nd, last)
  return { f = f, args = {} }, amount({ f() })
end

return G
