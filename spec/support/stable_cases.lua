--- The elementwise forms of spec/stable_forms_spec.lua: how they are written, and which function of
-- spec/data/stable_forms.json they are. F.exp(k) is exp(k * x), with the view before it or behind it in turns; k puts
-- the weight on a factor. `sign`: of the argument, `scale`: of the value, `absolute`: errors that a form cannot avoid,
-- since it subtracts what it is given, `steep`: a second gradient that is the difference of large parts.
-- @module spec.support.stable_cases
local T = require("theano").tensor

local rounding = { 2e-16, 2e-16, 1e-15 } -- of a difference of numbers near 1

local function case(name, truth, more, of)
  more = more or {}
  more.name, more.truth, more.of = name, truth, of
  return more
end

local negative, minus = { sign = -1 }, { scale = -1 }
local function with(...)
  local t = {}
  for _, part in ipairs({ ... }) do for k, v in pairs(part) do t[k] = v end end
  return t
end
local rounded = { absolute = rounding }

return {
  case("1/(1+exp(-x))", "sigmoid", nil, function(F, k) return k(1) / (1 + F.exp(-1)) end),
  case("1/(exp(-x)+1)", "sigmoid", nil, function(F, k) return k(1) / (F.exp(-1) + 1) end),
  case("1/(1+exp(x))", "sigmoid", with(negative), function(F, k) return k(1) / (1 + F.exp()) end),
  case("exp(x)/(1+exp(x))", "sigmoid", nil, function(F, k) return k(F.exp()) / (1 + F.exp()) end),
  case("exp(x)*(1/(1+exp(x)))", "sigmoid", nil, function(F, k) return k(F.exp()) * (1 / (1 + F.exp())) end),
  case("exp(x)/(exp(x)+1)", "sigmoid", nil, function(F, k) return k(F.exp()) / (F.exp() + 1) end),
  case("exp(-x)/(1+exp(-x))", "sigmoid", with(negative), function(F, k) return k(F.exp(-1)) / (1 + F.exp(-1)) end),
  case("1-1/(1+exp(-x))", "sigmoid", with(negative, rounded), function(F, k) return k(1 - 1 / (1 + F.exp(-1))) end),
  case("1-exp(x)/(1+exp(x))", "sigmoid", with(negative, rounded),
    function(F, k) return k(1 - F.exp() / (1 + F.exp())) end),
  case("1-sigmoid(x)", "sigmoid", with(negative, rounded), function(F, k) return k(1 - F.sigmoid()) end),
  case("(-sigmoid(x))+1", "sigmoid", with(negative, rounded), function(F, k) return k((-F.sigmoid()) + 1) end),
  case("sigmoid(x)-1", "sigmoid", with(negative, minus, rounded), function(F, k) return k(F.sigmoid() - 1) end),
  case("sigmoid(-x)*exp(x)", "sigmoid", nil, function(F, k) return k(F.sigmoid(-1)) * F.exp() end),
  case("exp(x)*sigmoid(-x)", "sigmoid", nil, function(F, k) return k(F.exp()) * F.sigmoid(-1) end),
  case("exp(-x)*sigmoid(x)", "sigmoid", with(negative), function(F, k) return k(F.exp(-1)) * F.sigmoid() end),
  case("sigmoid(x)/exp(x)", "sigmoid", with(negative), function(F, k) return k(F.sigmoid()) / F.exp() end),
  case("exp(-x)/(1+exp(-x))^2", "sigmoid_slope", nil, function(F, k) return k(F.exp(-1)) / (1 + F.exp(-1)) ^ 2 end),
  case("exp(x)/sqr(1+exp(x))", "sigmoid_slope", nil, function(F, k) return k(F.exp()) / T.sqr(1 + F.exp()) end),
  case("exp(x)/((1+exp(x))*(1+exp(x)))", "sigmoid_slope", nil,
    function(F, k) return k(F.exp()) / ((1 + F.exp()) * (1 + F.exp())) end),
  case("exp(x)*exp(x)/(1+exp(x))^2", "sigmoid_square", with(rounded),
    function(F, k) return k(F.exp()) * F.exp() / (1 + F.exp()) ^ 2 end),
  case("1/(1+exp(-x))^2", "sigmoid_square", nil, function(F, k) return k(1) / (1 + F.exp(-1)) ^ 2 end),
  case("sigmoid(x)*(1-sigmoid(x))", "sigmoid_slope", with(rounded),
    function(F, k) return k(F.sigmoid()) * (1 - F.sigmoid()) end),
  case("x/(1+exp(-x))", "swish", nil, function(F, k) return k(F.x) / (1 + F.exp(-1)) end),
  case("sigmoid(x)", "sigmoid", nil, function(F, k) return k(F.sigmoid()) end),
  case("log(1+exp(x))", "softplus", nil, function(F, k) return k(T.log(1 + F.exp())) end),
  case("log(exp(x)+1)", "softplus", nil, function(F, k) return k(T.log(F.exp() + 1)) end),
  case("log1p(exp(x))", "softplus", nil, function(F, k) return k(T.log1p(F.exp())) end),
  case("-log(sigmoid(-x))", "softplus", nil, function(F, k) return k(-T.log(F.sigmoid(-1))) end),
  case("-log(1-sigmoid(x))", "softplus", nil, function(F, k) return k(-T.log(1 - F.sigmoid())) end),
  case("-log1p(-sigmoid(x))", "softplus", nil, function(F, k) return k(-T.log1p(-F.sigmoid())) end),
  case("-log(1-1/(1+exp(-x)))", "softplus", nil, function(F, k) return k(-T.log(1 - 1 / (1 + F.exp(-1)))) end),
  case("-log(1/(1+exp(x)))", "softplus", nil, function(F, k) return k(-T.log(1 / (1 + F.exp()))) end),
  case("-log(exp(-x)/(1+exp(-x)))", "softplus", nil, function(F, k) return k(-T.log(F.exp(-1) / (1 + F.exp(-1)))) end),
  case("softplus(x)", "softplus", nil, function(F, k) return k(F.softplus()) end),
  case("log(exp(x)+exp(-x))", "log_cosh2", nil, function(F, k) return k(T.log(F.exp() + F.exp(-1))) end),
  case("log(exp(x))", "identity", nil, function(F, k) return k(T.log(F.exp())) end),
  case("log1p(expm1(x))", "identity", nil, function(F, k) return k(T.log1p(F.expm1())) end),
  case("log(1+expm1(x))", "identity", nil, function(F, k) return k(T.log(1 + F.expm1())) end),
  case("exp(x)-1", "expm1", nil, function(F, k) return k(F.exp() - 1) end),
  case("-1+exp(x)", "expm1", nil, function(F, k) return k(-1 + F.exp()) end),
  case("1-exp(x)", "expm1", with(minus), function(F, k) return k(1 - F.exp()) end),
  case("(-exp(x))+1", "expm1", with(minus), function(F, k) return k((-F.exp()) + 1) end),
  case("1-erf(x)", "erfc", nil, function(F, k) return k(1 - F.erf()) end),
  case("1+erf(x)", "erfc", with(negative), function(F, k) return k(1 + F.erf()) end),
  case("erf(x)+1", "erfc", with(negative), function(F, k) return k(F.erf() + 1) end),
  case("1+(-erf(x))", "erfc", nil, function(F, k) return k(1 + (-F.erf())) end),
  case("(-erf(x))+1", "erfc", nil, function(F, k) return k((-F.erf()) + 1) end),
  case("1+erf(-x)", "erfc", nil, function(F, k) return k(1 + F.erf(-1)) end),
  case("0.5*(1+erf(x))", "erfc", { sign = -1, scale = 0.5 }, function(F, k) return k(0.5 * (1 + F.erf())) end),
  case("0.5+0.5*erf(x)", "erfc", { sign = -1, scale = 0.5 }, function(F, k) return k(0.5 + 0.5 * F.erf()) end),
  case("erf(x)-1", "erfc", with(minus), function(F, k) return k(F.erf() - 1) end),
  case("-1+erf(x)", "erfc", with(minus), function(F, k) return k(-1 + F.erf()) end),
  case("-1-erf(x)", "erfc", with(negative, minus), function(F, k) return k(-1 - F.erf()) end),
  case("1-erfc(x)", "erf", nil, function(F, k) return k(1 - F.erfc()) end),
  case("(-erfc(x))+1", "erf", nil, function(F, k) return k((-F.erfc()) + 1) end),
  case("1+(-erfc(x))", "erf", nil, function(F, k) return k(1 + (-F.erfc())) end),
  case("erfc(x)-1", "erf", with(minus), function(F, k) return k(F.erfc() - 1) end),
  case("-1+erfc(x)", "erf", with(minus), function(F, k) return k(-1 + F.erfc()) end),
  case("log(erfc(x))", "log_erfc", { steep = true }, function(F, k) return k(T.log(F.erfc())) end),
  case("log(1-erf(x))", "log_erfc", { steep = true }, function(F, k) return k(T.log(1 - F.erf())) end),
  case("log(1+erf(x))", "log_erfc", { sign = -1, steep = true }, function(F, k) return k(T.log(1 + F.erf())) end),
  case("log1p(erf(x))", "log_erfc", { sign = -1, steep = true }, function(F, k) return k(T.log1p(F.erf())) end),
  case("log1p(-erf(x))", "log_erfc", { steep = true }, function(F, k) return k(T.log1p(-F.erf())) end),
  case("exp(x*x)*erfc(x)", "erfcx", { orders = 2, absolute = { 1e-307, 1e-13 } },
    function(F, k) return k(T.exp(F.x * F.x)) * F.erfc() end),
  case("erfcx(x)", "erfcx", { orders = 2, absolute = { 1e-307, 1e-13 } }, function(F, k) return k(T.erfcx(F.x)) end),
  case("tanh(x)", "tanh", nil, function(F, k) return k(T.tanh(F.x)) end),
  case("(exp(x)-exp(-x))/(exp(x)+exp(-x))", "tanh", with(rounded),
    function(F, k) return k(F.exp() - F.exp(-1)) / (F.exp() + F.exp(-1)) end),
  case("-(t*log(p)+(1-t)*log(1-p)) of p = 1/(1+exp(-x))", "bce", nil, function(F, k)
    local p = 1 / (1 + F.exp(-1))
    return k(-(0.25 * T.log(p) + (1 - 0.25) * T.log(1 - p)))
  end),
  case("binary_crossentropy(sigmoid(x), t)", "bce", nil,
    function(F, k) return k(T.nnet.binary_crossentropy(F.sigmoid(), 0.25)) end),
  case("sigmoid_binary_crossentropy(x, t)", "bce", nil,
    function(F, k) return k(T.nnet.sigmoid_binary_crossentropy(F.x, 0.25)) end),
  case("-p*log(p)-(1-p)*log(1-p) of p = sigmoid(x)", "entropy", { absolute = { 1e-14, 1e-14, 1e-14 } }, function(F, k)
    local p = F.sigmoid()
    return k(-p * T.log(p) - (1 - p) * T.log(1 - p))
  end),
}
