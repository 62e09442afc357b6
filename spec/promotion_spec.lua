--- The dtypes of results: every function of one and of two arrays, by every dtype and pair of dtypes, against NumPy's
-- (spec/data/promotion.json, written by scripts/make-promotion-data.py); and those of graphs against those of arrays.
-- What differs is listed here as docs/arrays.md and docs/differences.md say it, and each line of the lists is seen.
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local theano = require("theano")
local T = theano.tensor

local data = oracle.cases("promotion")
local DTYPES, LETTER = data.dtypes, {}
for i, d in ipairs(DTYPES) do LETTER[d] = ("?bhilBHILefdFD"):sub(i, i) end

local function set(names)
  local s = {}
  for name in names:gmatch("%S+") do s[name] = true end
  return s
end
local VECTORS = set("vander trim_zeros unwrap diag gradient ediff1d")
local MATRICES = set("dot matmul inner vecdot tensordot")
local CALLS = {
  hstack = function(M, a, b) return M.hstack({ a, b }) end,
  concatenate = function(M, a, b) return M.concatenate({ a, b }) end,
  stack = function(M, a, b) return M.stack({ a, b }) end,
  where = function(M, a, b) return M.where(nd.array({ true, false, true }), a, b) end,
  einsum = function(M, a, b) return M.einsum("i,j->ij", a, b) end,
  linspace = function(M, a, b) return M.linspace(a, b, 3) end,
  interp = function(M, a, b) return M.interp(a, { 0.0, 1.0, 2.0 }, b) end,
  tensordot = function(M, a, b) return M.tensordot(a, b, 1) end,
  matvec = function(M, a, b) return M.matvec(M.stack({ a, a }), b) end,
  vecmat = function(M, a, b) return M.vecmat(a, M.stack({ b, b, b })) end,
}

local function array(name, dtype)
  local rows = { { 1, 2, 1 }, { 1, 1, 2 }, { 2, 1, 1 } }
  return nd.array(name and rows or { 1, 2, 1 }):astype(dtype)
end
local function letters(v)
  if type(v) == "table" and getmetatable(v) == nil then
    local parts = {}
    for i, e in ipairs(v) do parts[i] = letters(e) end
    return table.concat(parts)
  end
  return LETTER[v.dtype]
end
local function word(f)
  local r = table.pack(pcall(f))
  if not r[1] then
    assert(theano.error_kind(r[2]), r[2]) -- an error of ours, none of Lua's
    return "."
  end
  return letters(table.move(r, 2, r.n, 1, {}))
end

-- Calls visit(name, dtypes, NumPy's word, call) with call(M, arrays or Variables) for everything in the table.
local function each(visit)
  for name, words in pairs(data.one) do
    local i = 0
    for want in words:gmatch("%S+") do
      i = i + 1
      visit(name, { DTYPES[i] }, want, function(M, x) return M[name](x) end, not VECTORS[name])
    end
  end
  for name, words in pairs(data.axis) do
    local i = 0
    for want in words:gmatch("%S+") do
      i = i + 1
      visit(name, { DTYPES[i] }, want, function(M, x) return M[name](x, { axis = 0 }) end, true)
    end
  end
  for name, lines in pairs(data.two) do
    for i, words in ipairs(lines) do
      local j = 0
      for want in words:gmatch("%S+") do
        j = j + 1
        visit(name, { DTYPES[i], DTYPES[j] }, want,
          CALLS[name] or function(M, x, y) return M[name](x, y) end, MATRICES[name])
      end
    end
  end
end

local function any(dtypes, pattern)
  for _, d in ipairs(dtypes) do if d:find(pattern) then return true end end
  return false
end
local function all(dtypes, pattern)
  for _, d in ipairs(dtypes) do if not d:find(pattern) then return false end end
  return true
end
local UNORDERED = set([[greater greater_equal less less_equal fmax fmin max min amax amin argmax argmin nanmax nanmin
  nanargmax nanargmin ptp]])

-- Where arrays differ from NumPy: the word that is right then, or nil.
local ARRAYS = {
  { "bool stays bool where it is rounded or conjugated", function(name, d)
    return set("around round conj conjugate")[name] and d[1] == "bool" and "?" or nil
  end },
  { "functions of bool, int8 and uint8 that give floats give float32, not float16", function(name, d, want)
    return name ~= "ldexp" and not any(d, "float16") and want:find("e") and want:gsub("e", "f") or nil
  end },
  { "complex numbers have no order", function(name, d)
    return UNORDERED[name] and any(d, "complex") and "." or nil
  end },
  { "differences of bool count it as 0 and 1", function(name, d)
    return d[1] == "bool" and ({ ediff1d = "?", gradient = "d" })[name] or nil
  end },
  { "exponents of ldexp are of every dtype of integers", function(name, d, want)
    if name ~= "ldexp" or all(d, "float16") or any(d, "complex") or d[2]:find("float") then return nil end
    if d[1] == "float16" then return want == "." and "e" or nil end
    return want == "e" and "f" or want == "." and (d[1]:find("32$") and d[1]:find("int") and "d"
      or d[1]:find("64$") and "d" or "f") or nil
  end },
}

-- Where graphs differ from arrays, as Theano's do.
local function small(dtypes) -- integers of up to 16 bits
  for _, d in ipairs(dtypes) do if d:find("32") or d:find("64") or d:find("[fc][lo]") then return false end end
  return true
end
local GRAPHS = {
  { "running sums and products keep the dtype", function(name, d)
    return set("cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod")[name] and not d[1]:find("[fc][lo]")
      and LETTER[d[1]] or nil
  end },
  { "floor, ceil, trunc and fix of integers give floats", function(name, d)
    return set("floor ceil trunc fix")[name] and not d[1]:find("[fc][lo]") and (small(d) and "f" or "d") or nil
  end },
  { "what NumPy makes float64 of small integers is float32", function(name, d, want)
    return set("i0 gradient sinc unwrap average median nanmedian trapezoid angle")[name] and small(d)
      and want:gsub("d", "f") or nil
  end },
  { "floats of two integers are those of their common dtype", function(name, d)
    return set("arctan2 atan2 copysign heaviside hypot logaddexp logaddexp2 nextafter")[name] and small(d)
      and T.add(T.vector("x", d[1]), T.vector("y", d[2])).dtype == "int32" and "d" or nil
  end },
  { "polynomials of integers are divided as floats of each", function(name, d, want)
    if name ~= "polydiv" or want == "." then return nil end
    local r = T.promote_types(T.exp(T.vector("x", d[1])).dtype, T.exp(T.vector("y", d[2])).dtype)
    return LETTER[r]:rep(2)
  end },
  { "squares of bool are bool", function(name, d) return name == "square" and d[1] == "bool" and "?" or nil end },
  { "var and std of complex numbers are complex", function(name, d)
    return (name == "var" or name == "std") and any(d, "complex") and LETTER[d[1]] or nil
  end },
  { "literals widen halves", function(name, _, want)
    return name == "trapezoid" and want:find("e") and want:gsub("e", "f") or nil
  end },
}

local function compare(rules, wanted, given)
  local seen, wrong, n = {}, {}, 0
  each(function(name, dtypes, want, call, matrix)
    local arrays = {}
    for i, d in ipairs(dtypes) do arrays[i] = array(matrix, d) end
    want = wanted(want, name, call, arrays)
    if not want then return end
    local got, alike = word(function() return given(call, arrays) end), want
    n = n + 1
    for _, rule in ipairs(rules) do -- the first that has something to say
      local other = rule[2](name, dtypes, want)
      if other then alike, seen[rule[1]] = other, seen[rule[1]] or other ~= want end
      if other then break end
    end
    if got ~= alike then
      wrong[#wrong + 1] = ("%s(%s): %s, not %s"):format(name, table.concat(dtypes, ", "), got, alike)
    end
  end)
  assert(#wrong == 0, #wrong .. " differ:\n" .. table.concat(wrong, "\n", 1, math.min(#wrong, 40)))
  for _, rule in ipairs(rules) do assert(seen[rule[1]], "is no difference: " .. rule[1]) end
  return n
end

describe("dtypes of results", function()
  it("of arrays are NumPy's, but for what is listed", function()
    local n = compare(ARRAYS, function(want) return want end, function(call, arrays)
      return call(nd, table.unpack(arrays))
    end)
    assert.is_true(n > 14000, n)
  end)

  it("of graphs are those of arrays, but for what is Theano's", function()
    local n = compare(GRAPHS, function(_, _, call, arrays)
      return word(function() return call(nd, table.unpack(arrays)) end)
    end, function(call, arrays)
      local variables = {}
      for i, a in ipairs(arrays) do variables[i] = T.constant(a) end
      return call(T, table.unpack(variables))
    end)
    assert.is_true(n > 14000, n)
  end)
end)
