--- Loops and branches.
local theano = require("theano")
local T = theano.tensor

return {
  { "scan_single", "a state that is one number stays in a register", function()
    local x, a = T.dvector("x"), T.dscalar("a")
    local y = theano.scan { fn = function(v, s) return s * 0.5 + T.tanh(v) end, sequences = { x },
      outputs_info = { a } }
    return { x, a }, y
  end },
  { "scan_last", "only the last state is kept", function()
    local a, n = T.dscalar("a"), T.lscalar("n")
    local y = theano.scan { fn = function(s) return s * 2 + 1 end, outputs_info = { a }, n_steps = n }
    return { a, n }, y[-1]
  end },
  { "scan_vectors", "a recurrent layer", function()
    local x, h, w = T.dmatrix("x"), T.dvector("h"), T.dmatrix("W")
    local y = theano.scan { fn = function(v, s, u) return T.tanh(T.dot(s, u) + v) end, sequences = { x },
      outputs_info = { h }, non_sequences = { w } }
    return { x, h, w }, { y[-1], T.sum(y) }
  end },
  { "scan_grad", "its gradient", function()
    local x, h, w = T.dmatrix("x"), T.dvector("h"), T.dmatrix("W")
    local y = theano.scan { fn = function(v, s, u) return T.tanh(T.dot(s, u) + v) end, sequences = { x },
      outputs_info = { h }, non_sequences = { w } }
    return { x, h, w }, T.grad(T.sum(T.sqr(y)), w)
  end },
  { "scan_taps", "states some turns back, two of them", function()
    local x, y = T.dvector("x"), T.dvector("y")
    local both = theano.scan { fn = function(p, q, r) return p + q * 0.5, r + p end,
      outputs_info = { { initial = x, taps = { -2, -1 } }, { initial = y[0] } }, n_steps = 7 }
    return { x, y }, both
  end },
  { "scan_until", "ends when a condition holds", function()
    local a = T.dscalar("a")
    local y = theano.scan { fn = function(s) return s * 2, theano.scan_module.until_(T.gt(s, 100)) end,
      outputs_info = { a }, n_steps = 64 }
    return { a }, { y, y[-1] }
  end },
  { "scan_ints", "that can fail, with a place in the loop", function()
    local i = T.lvector("i")
    local y = theano.scan { fn = function(k, s) return s + 100 // k end, sequences = { i },
      outputs_info = { T.constant(0, { dtype = "int64" }) } }
    return { i }, y
  end },
  { "scan_pair", "two states that hand each other on", function()
    local a, b = T.dscalar("a"), T.dscalar("b")
    local y = theano.scan { fn = function(p, q) return q, p + q end, outputs_info = { a, b }, n_steps = 9 }
    return { a, b }, { y[1], y[2][-1] }
  end },
  { "scan_twice", "one value as two states", function()
    local a, b = T.dscalar("a"), T.dscalar("b")
    local y = theano.scan { fn = function(p, q)
      local s = p + q * 0.5
      return s, s
    end, outputs_info = { a, b }, n_steps = 9 }
    return { a, b }, { y[1], y[2] }
  end },
  { "scan_lengths", "a length that each turn tells", function()
    local k = T.lvector("k")
    local y = theano.scan { fn = function(n, s) return s + T.sum(T.arange(n)) end, sequences = { k },
      outputs_info = { T.constant(0, { dtype = "int64" }) } }
    return { k }, y
  end },
  { "scan_nested", "a loop in a loop", function()
    local m = T.dmatrix("m")
    local y = theano.map { fn = function(row)
      return theano.reduce { fn = function(v, s) return s * 0.5 + v, {} end, sequences = { row },
        outputs_info = { T.constant(0.0, { dtype = "float64" }) } }
    end, sequences = { m } }
    return { m }, y
  end },
  { "scan_rows", "a loop that writes rows, backwards", function()
    local m = T.dmatrix("m")
    local y = theano.scan { fn = function(v, s) return T.exp(v) + s end, sequences = { m },
      outputs_info = { m[0] }, go_backwards = true }
    return { m }, y
  end },
  { "ifelse", "only one branch runs", function()
    local c, x = T.bscalar("c"), T.dvector("x")
    return { c, x }, theano.ifelse(c, T.exp(x) + 1, x * 2)
  end },
  { "ifelse_two", "of several values, what can fail in one", function()
    local c, x, i = T.bscalar("c"), T.dvector("x"), T.lscalar("i")
    return { c, x, i }, { theano.ifelse(c, x[i], T.sum(x)), theano.ifelse(T.gt(i, 2), T.dot(x, x), T.max(x)) }
  end },
  { "ifelse_in_scan", "a branch in a loop", function()
    local x, a = T.dvector("x"), T.dscalar("a")
    local y = theano.scan { fn = function(v, s) return theano.ifelse(T.gt(v, 0), s + T.exp(v), s * 0.5) end,
      sequences = { x }, outputs_info = { a } }
    return { x, a }, y
  end },
  { "checked", "lengths and assertions", function()
    local x, y, n = T.dvector("x"), T.dvector("y"), T.lscalar("n")
    return { x, y, n }, { T.opt.Assert("small")(x, T.lt(n, 5)) * 2, x:reshape({ n, -1 }) + 1, x * y }
  end },
  { "own_operation", "a call of Lua between two kernels", function()
    local x = T.dvector("x")
    local op = theano.as_op { itypes = { x.type }, otypes = { x.type }, fn = function(v) return v end,
      infer_shape = function(_, shapes) return { shapes[1] } end }
    return { x }, T.exp(op(x * 2)) + 1
  end },
}
