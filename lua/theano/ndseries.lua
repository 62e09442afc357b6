--- The classes of `nd.polynomial`: a series with a domain, which a line takes to the window where its polynomials lie.
-- `+ - *`, `//`, `%`, `^` by a number, `p / number`; calls are values, of a series the composition.
-- @module theano.ndarray.polynomial.series
local bases = require("theano.ndbases")
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

local FAMILY = {} -- by metatable

return function(nd, H, module, name, F)
  local U = module.polyutils
  local class, methods, meta = {}, {}, { __name = F.class }
  FAMILY[meta] = { F = F, class = class }
  local raise = util.raise

  local function interval(what, v)
    v = v == nil and core.array(F.domain) or help.floats(core.asarray(v))
    if v.ndim ~= 1 or v.size ~= 2 then raise("ValueError", "%s: an interval is two numbers", what) end
    return v
  end
  local function make(coef, domain, window, symbol)
    return setmetatable({ coef = coef, domain = domain, window = window, symbol = symbol or "x" }, meta)
  end
  local function like(p, list, dtype)
    return make(core.array(list, dtype or p.coef.dtype), p.domain, p.window, p.symbol)
  end
  local function is_series(v) return type(v) == "table" and FAMILY[getmetatable(v)] ~= nil end
  local NEW = { "coef", "domain", "window", "symbol", symbol = "string" }
  --- `Class(coef, {domain, window, symbol = "x"})`.
  local function new(_, ...)
    local o = util.bind(F.class, NEW, ...)
    if o.coef == nil then raise("TypeError", "%s: argument 'coef' is missing", F.class) end
    local list, dtype = H.series(F.class, o.coef)
    return make(core.array(list, dtype), interval(F.class, o.domain), interval(F.class, o.window), o.symbol)
  end

  -- ---- operators ----------------------------------------------------------------------------------------------------
  -- Both sides as sequences of coefficients, the one that is a series, and the dtype of both.
  local function pair(p, q, what)
    local self = getmetatable(p) == meta and p or q
    local lists, dtypes = {}, {}
    for i, v in ipairs({ p, q }) do
      if is_series(v) then
        if getmetatable(v) ~= meta then raise("TypeError", "%s: a %s and another kind of series", what, F.class) end
        if not nd.array_equal(v.domain, self.domain) then raise("TypeError", "%s: the domains differ", what) end
        if not nd.array_equal(v.window, self.window) then raise("TypeError", "%s: the windows differ", what) end
        if v.symbol ~= self.symbol then raise("ValueError", "%s: the symbols differ", what) end
        v = v.coef
      end
      lists[i], dtypes[i] = H.series(what, v)
    end
    return lists[1], lists[2], self, nd.result_type(dtypes[1], dtypes[2])
  end
  local function operator(event, what, step)
    meta[event] = function(p, q)
      local a, b, self, dtype = pair(p, q, what)
      return like(self, bases.trimmed(step(a, b)), dtype)
    end
  end
  local function divided(a, b)
    a, b = bases.trimmed(a), bases.trimmed(b)
    if #b == 1 and b[1] == 0 then raise("ZeroDivisionError", "%s: the divisor is zero", F.class) end
    return bases.divided(F, a, b)
  end
  operator("__add", "p + q", bases.plus)
  operator("__sub", "p - q", function(a, b) return bases.plus(a, bases.times(b, -1.0)) end)
  operator("__mul", "p * q", function(a, b) return bases.product(F, a, b) end)
  operator("__idiv", "p // q", function(a, b) return (divided(a, b)) end)
  operator("__mod", "p % q", function(a, b) return (select(2, divided(a, b))) end)
  meta.__unm = function(p) return like(p, bases.times(p.coef:tolist(), -1.0)) end
  meta.__div = function(p, q)
    if not (getmetatable(p) == meta and (type(q) == "number" or core.kind(q) == "complex")) then
      raise("TypeError", "p / q: a series is divided by a number; p // q is the quotient of two")
    end
    return like(p, bases.times(p.coef:tolist(), 1 / q))
  end
  meta.__pow = function(p, n)
    if getmetatable(p) ~= meta then raise("TypeError", "p ^ n: n is an integer, not a series") end
    return make(module[name][F.prefix .. "pow"](p.coef, math.tointeger(n) or n), p.domain, p.window, p.symbol)
  end
  meta.__eq = function(p, q)
    return getmetatable(p) == getmetatable(q) and nd.array_equal(p.coef, q.coef) and p.symbol == q.symbol
      and nd.array_equal(p.domain, q.domain) and nd.array_equal(p.window, q.window)
  end
  meta.__len = function(p) return p.coef.size end
  meta.__call = function(p, x) return H.value(F.class, F, U.mapdomain(x, p.domain, p.window), p.coef) end
  local function number(v) return tostring(v):gsub("%.0$", ".0") end
  meta.__tostring = function(p)
    local off, scale = p:mapparms()
    local x, inner = p.symbol, p.symbol
    if off ~= 0 or scale ~= 1 then
      inner = (off ~= 0 and number(off) .. " + " or "") .. (scale ~= 1 and number(scale) .. " " or "") .. x
    end
    local words = {}
    for i, v in ipairs(p.coef:tolist()) do
      local term = ""
      if i > 1 and F.symbol then term = (" %s_%d(%s)"):format(F.symbol, i - 1, inner)
      elseif i > 1 then term = " " .. (inner == x and x or "(" .. inner .. ")") .. (i > 2 and "**" .. i - 1 or "") end
      local minus = i > 1 and type(v) == "number" and v < 0
      words[#words + 1] = (i == 1 and "" or minus and " - " or " + ") .. number(minus and -v or v) .. term
    end
    return table.concat(words)
  end

  -- ---- methods ------------------------------------------------------------------------------------------------------
  --- The degree; `p.coef` holds one number more.
  function methods.degree(p) return p.coef.size - 1 end
  --- The same again.
  function methods.copy(p) return make(p.coef:copy(), p.domain, p.window, p.symbol) end
  --- `off, scale` of the line from domain to window.
  function methods.mapparms(p) return U.mapparms(p.domain, p.window) end
  --- Without the coefficients at the end that are no larger than tol.
  function methods.trim(p, tol) return make(U.trimcoef(p.coef, tol), p.domain, p.window, p.symbol) end
  --- The first `size` coefficients.
  function methods.truncate(p, size)
    H.order("truncate", "size", size, 1)
    return make(p.coef[":" .. size]:copy(), p.domain, p.window, p.symbol)
  end
  --- The terms up to degree deg.
  function methods.cutdeg(p, deg) return p:truncate(H.order("cutdeg", "deg", deg) + 1) end
  --- Quotient and remainder.
  function methods.divmod(p, q) return p // q, p % q end
  --- The derivative, m times.
  function methods.deriv(p, m)
    local _, scale = p:mapparms()
    return make(module[name][F.prefix .. "der"](p.coef, m or 1, scale), p.domain, p.window, p.symbol)
  end
  --- `integ(m, k, lbnd)`: m times, the integrals having the values k at lbnd (at the domain's point of the window's 0).
  function methods.integ(p, ...)
    local o = util.bind("integ", { "m", "k", "lbnd", m = "integer", lbnd = "number" }, ...)
    local off, scale = p:mapparms()
    local from = o.lbnd and off + scale * o.lbnd or 0.0
    return make(module[name][F.prefix .. "int"](p.coef, { m = o.m or 1, k = o.k, lbnd = from, scl = 1 / scale }),
      p.domain, p.window, p.symbol)
  end
  --- The roots, ascending.
  function methods.roots(p) return U.mapdomain(H.roots("roots", F, p.coef), p.window, p.domain) end
  --- `linspace(n = 100, domain)`: n places over the domain and the values there.
  function methods.linspace(p, n, domain)
    domain = interval("linspace", domain or p.domain)
    local x = nd.linspace(domain[0], domain[1], n or 100)
    return x, p(x)
  end
  --- `convert{kind, domain, window}`: the same function as a series of another class, or on other intervals.
  function methods.convert(p, ...)
    local o = util.bind("convert", { "domain", "kind", "window" }, ...)
    local kind = o.kind or class
    local G = type(kind) == "table" and rawget(kind, "family")
    if not G then raise("TypeError", "convert: kind is a class of nd.polynomial") end
    local domain, window = o.domain or core.array(G.domain), o.window or core.array(G.domain)
    local inner = U.mapdomain(kind.identity { domain = domain, window = window }, p.domain, p.window)
    local list = bases.trimmed(bases.composed(F, p.coef:tolist(), G, inner.coef:tolist()))
    return kind(core.array(list, p.coef.dtype), { domain = domain, window = window, symbol = p.symbol })
  end
  for _, field in ipairs({ "coef", "domain", "window" }) do
    methods["has_same" .. field] = function(p, q)
      return nd.array_equal(p[field], q[field])
    end
  end
  --- Whether q is of the same class.
  function methods.has_sametype(p, q) return getmetatable(p) == getmetatable(q) end
  meta.__index = function(_, key)
    return methods[key] or raise("AttributeError", "a %s has coef, domain, window, symbol and its methods; no '%s'",
      F.class, tostring(key))
  end

  -- ---- makers -------------------------------------------------------------------------------------------------------
  local MADE = { "domain", "window", "symbol", symbol = "string" }
  --- The function x.
  function class.identity(...)
    local o = util.bind("identity", MADE, ...)
    local domain, window = interval("identity", o.domain), interval("identity", o.window)
    local off, scale = U.mapparms(window, domain)
    return make(core.array(bases.line(F, off, scale)), domain, window, o.symbol)
  end
  --- The polynomial of degree deg of the family.
  function class.basis(deg, ...)
    local o = util.bind("basis", MADE, ...)
    local c = nd.zeros(H.order("basis", "deg", deg) + 1)
    c[deg] = 1
    return make(c, interval("basis", o.domain), interval("basis", o.window), o.symbol)
  end
  --- `fromroots(roots, {domain, window})`: the leading coefficient is that of the product of x - r; `domain = nd.none`
  -- takes the smallest one around the roots.
  function class.fromroots(roots, ...)
    local o = util.bind("fromroots", MADE, ...)
    roots = help.floats(nd.atleast_1d(core.asarray(roots)))
    local domain = o.domain == nd.none and U.getdomain(roots) or interval("fromroots", o.domain)
    local window = interval("fromroots", o.window)
    local off, scale = U.mapparms(domain, window)
    local c = module[name][F.prefix .. "fromroots"](roots * scale + off) / scale ^ roots.size
    return make(c, domain, window, o.symbol)
  end
  --- `fit(x, y, deg, {domain, rcond, full, w, window})`: least squares on the smallest domain around x, or another one.
  function class.fit(...)
    local o = util.bind("fit", { "x", "y", "deg", "domain", "rcond", "full", "w", "window", "symbol" }, ...)
    if o.x == nil or o.y == nil or o.deg == nil then raise("TypeError", "fit: x, y and deg are wanted") end
    local domain, window = o.domain, interval("fit", o.window)
    if domain == nil then
      domain = U.getdomain(o.x)
      if domain[0] == domain[1] then domain = core.array { domain[0] - 1, domain[1] + 1 } end
    end
    domain = interval("fit", domain)
    local x = U.mapdomain(help.floats(core.asarray(o.x)), domain, window)
    local c, more = H.fit("fit", F, { x = x, y = o.y, deg = o.deg, rcond = o.rcond, full = o.full, w = o.w })
    return make(c, domain, window, o.symbol), more
  end
  --- The series p as one of this class.
  function class.cast(p, ...)
    if not is_series(p) then raise("TypeError", "cast: a series of nd.polynomial is wanted") end
    local o = util.bind("cast", { "domain", "window" }, ...)
    return p:convert { kind = class, domain = o.domain, window = o.window }
  end
  class.family = F
  for k, f in pairs(methods) do class[k] = class[k] or f end
  return setmetatable(class, { __call = new, __name = F.class, __index = function(_, key)
    return raise("AttributeError", "%s has no '%s'", F.class, tostring(key))
  end })
end
