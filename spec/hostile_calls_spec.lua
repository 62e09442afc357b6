--- Functions of nd.optimize, nd.integrate, nd.interpolate, nd.signal and nd.special with arguments of every kind: what
-- is wrong is an error of ours, and no call takes long. Other arguments every day (TH_SEED=n asks for those of day n).
local theano = require("theano")
local nd, T = theano.ndarray, theano.tensor
local seed = require("spec.support.rotate").seed

local MODULES = { optimize = nd.optimize, integrate = nd.integrate, interpolate = nd.interpolate, signal = nd.signal,
  windows = nd.signal.windows, special = nd.special, chebyshev = nd.polynomial.chebyshev,
  laguerre = nd.polynomial.laguerre, polynomial = nd.polynomial.polynomial, polyutils = nd.polynomial.polyutils }
local MOST, LONG = 2, 1.0 -- calls of each function; seconds of one

local function values()
  return {
    0, 1, -1, 2, 0.5, -0.0, 1e300, 0 / 0, math.huge, -math.huge, 1 << 53, math.mininteger, true, false, "", "full",
    "abc",
    nd.zeros(0), nd.array { 1.0 }, nd.array { 1, 2, 3 }, nd.array { 0 / 0, 1 }, nd.ones { 2, 2 }, nd.zeros { 0, 3 },
    nd.array { true, false }, nd.complex(1, 2), nd.array { nd.complex(1, 2) }, nd.array(3.0), {}, { 1, 2, 3 },
    { 1, "a" },
    { { 1, 2 }, { 3 } }, { axis = 9 }, { method = "BFGS" }, { maxiter = -1 }, nd.arange(10) * 1.0, T.dvector("x"),
    function(x) return x end, function() end, function(x) return x * x end, function() return nd.ones(2) end, print,
  }
end

describe("hostile calls", function()
  for module, functions in pairs(MODULES) do
    it("of nd." .. module .. " raise errors of ours, soon", function()
      local names = {}
      for name, f in pairs(functions) do if type(f) == "function" then names[#names + 1] = name end end
      table.sort(names)
      math.randomseed(seed)
      for _, name in ipairs(names) do
        for _ = 1, MOST do
          local all, args, places = values(), {}, {}
          local n = math.random(0, 4)
          for i = 1, n do
            places[i] = math.random(#all)
            args[i] = all[places[i]]
          end
          local what = ("%s.%s, values %s, TH_SEED=%d: "):format(module, name, table.concat(places, " "), seed)
          local start = os.clock()
          local fine, message = pcall(functions[name], table.unpack(args, 1, n))
          assert.is_true(os.clock() - start < LONG, what .. "too long")
          assert.is_truthy(fine or tostring(message):find("%u%w+Error: "), what .. tostring(message))
        end
      end
    end)
  end
end)
