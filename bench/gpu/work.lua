--- The workloads of scripts/gpu-bench; bench/gpu/peers.py has the same by the peers, with the same numbers. Each is
-- { name, make = function -> f, args, work, last, check }: `work` has the bytes and FLOPs that a call must move and do,
-- `last` waits for all of it, `check` gives a number of its answer.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

return function(small)
  local list = {}
  local N = small and 1000 or 1 << 24
  local SIDE = small and 40 or 4096
  local MLP = small and { 6, 20, 12, 4 } or { 60, 784, 500, 10 }
  local LENET = small and 4 or 128
  local BLOCK = small and { 2, 8, 16, 2 } or { 8, 1024, 512, 8 }
  local LSTM = small and { 5, 3, 8 } or { 100, 64, 256 }
  local ROWS = small and { 5, 24 } or { 8192, 1024 }
  local IMAGES = small and { 2, 3, 9, 4, 3 } or { 64, 64, 56, 64, 3 } -- number, channels, side; filters, their side
  local RATE = 0.01

  local function add(name, make) list[#list + 1] = { name = name, make = make } end

  -- As peers.py's: between -0.1 and 0.1.
  local function numbers(seed, ...)
    local shape, n = { ... }, 1
    for _, d in ipairs(shape) do n = n * d end
    local i = nd.arange(n, nil, nil, "int64")
    return (((i * 7919 + seed * 131) % 1009):astype("float64") / 1009 * 0.2 - 0.1):astype("float32"):reshape(shape)
  end
  local function labels(n, classes) return (nd.arange(n, nil, nil, "int64") * 7) % classes end
  local function shared(...) return theano.shared(numbers(...)) end

  -- ---- training steps ---------------------------------------------------------------------------------------------
  -- A step of gradient descent, and the cost of the third one.
  local function trained(cost, params, x, value, amp)
    local updates = {}
    for i, g in ipairs(T.grad(cost, params)) do
      updates[i] = { params[i], T.cast(params[i] - T.constant(RATE, { dtype = "float32" }) * g, params[i].dtype) }
    end
    local _ <close> = theano.config.change_flags({ optimizer_including = amp and "attention" or "" })
    local f = theano.compile({ inputs = { x }, outputs = T.cast(cost, "float32"), updates = updates, amp = amp })
    local third
    for _ = 1, 3 do third = f(value) end
    return f, { value }, {}, nil, function() return tonumber(third) or third:item() end
  end

  add("MLP, batch 60, a step", function()
    local n, a, b, c = table.unpack(MLP)
    local x = T.fmatrix("x")
    local p = { shared(1, a, b), theano.shared(nd.zeros(b, "float32")), shared(2, b, c),
      theano.shared(nd.zeros(c, "float32")) }
    local out = T.nnet.softmax(T.dot(T.tanh(T.dot(x, p[1]) + p[2]), p[3]) + p[4])
    return trained(T.nnet.categorical_crossentropy(out, T.constant(labels(n, c))):mean(), p, x, numbers(3, n, a))
  end)

  add("LeNet, batch 128, a step", function()
    local x = T.tensor4("x", { dtype = "float32" })
    local p = { shared(1, 20, 1, 5, 5), shared(2, 50, 20, 5, 5), shared(3, 800, 500), shared(4, 500, 10) }
    local function layer(v, w)
      local h = T.nnet.conv2d(v, w, { filter_flip = false })
      return T.tanh(T.signal.pool.pool_2d(h, { ds = { 2, 2 }, ignore_border = true }))
    end
    local h = T.tanh(T.dot(layer(layer(x, p[1]), p[2]):flatten(2), p[3]))
    local out = T.nnet.softmax(T.dot(h, p[4]))
    return trained(T.nnet.categorical_crossentropy(out, T.constant(labels(LENET, 10))):mean(), p, x,
      numbers(5, LENET, 1, 28, 28))
  end)

  -- Attention of some heads, layer norms without weights, a layer of tanh. In bfloat16: what mixed precision rounds.
  local function transformer(dtype)
    local batch, length, width, heads = table.unpack(BLOCK)
    local each = width // heads
    local x = T.tensor3("x", { dtype = "float32" })
    local p = {}
    for i, s in ipairs({ { width, 3 * width }, { width, width }, { width, 4 * width }, { 4 * width, width } }) do
      p[i] = shared(i, s[1], s[2])
    end
    local function norm(d)
      d = d - d:mean({ axis = 2, keepdims = true })
      return d / T.sqrt(T.sqr(d):mean({ axis = 2, keepdims = true }) + 1e-5)
    end
    local function split(v, from)
      return v[(":, :, %d:%d"):format(from * width, (from + 1) * width)]:reshape({ batch, length, heads, each })
        :dimshuffle(0, 2, 1, 3):reshape({ batch * heads, length, each })
    end
    local qkv = T.dot(norm(x), p[1])
    local q, k, v = split(qkv, 0), split(qkv, 1), split(qkv, 2)
    local scores = T.batched_dot(q, k:dimshuffle(0, 2, 1)) / math.sqrt(each)
    local seen = T.batched_dot(T.nnet.softmax(scores, { axis = 2 }), v)
      :reshape({ batch, heads, length, each }):dimshuffle(0, 2, 1, 3):reshape({ batch, length, width })
    local h = x + T.dot(seen, p[2])
    local y = h + T.dot(T.tanh(T.dot(norm(h), p[3])), p[4])
    return trained(T.sqr(y):mean(), p, x, numbers(9, batch, length, width),
      dtype ~= "float32" and dtype or nil)
  end
  -- In bfloat16 beside a peer whose weights are halves, and beside one whose weights are float32, as ours are.
  for _, names in ipairs({ { "float32", "float32" }, { "bfloat16", "bfloat16" }, { "autocast", "bfloat16" } }) do
    local name, dtype = table.unpack(names)
    add(("transformer block, %s, a step"):format(name), function() return transformer(dtype) end)
  end

  add("LSTM, 100 steps, a step", function()
    local steps, n, width = table.unpack(LSTM)
    local x, p = T.tensor3("x", { dtype = "float32" }), { shared(1, width, 4 * width), shared(2, width, 4 * width) }
    local function turn(v, h, c)
      local z = T.dot(v, p[1]) + T.dot(h, p[2])
      local function gate(i) return z[(":, %d:%d"):format(i * width, (i + 1) * width)] end
      c = T.nnet.sigmoid(gate(1)) * c + T.nnet.sigmoid(gate(0)) * T.tanh(gate(2))
      return T.nnet.sigmoid(gate(3)) * T.tanh(c), c
    end
    local zero = T.zeros({ n, width }, "float32")
    local h = theano.scan(turn, { sequences = { x }, outputs_info = { zero, zero } })
    return trained(T.sqr(h[1][-1]):mean(), p, x, numbers(3, steps, n, width))
  end)

  -- ---- functions of what lies on the device -------------------------------------------------------------------------
  -- Shared variables in, shared variables out, so that nothing need leave the device; the call's value is one number.
  -- make() gives a variable and its new value, or pairs of them; what is checked is the first one.
  local function resident(name, bytes, flops, make, unchecked)
    add(name, function()
      local to, value = make()
      local updates = value and { { to, value } } or to
      to = updates[1][1]
      local f = theano.compile({ inputs = {}, outputs = {}, updates = updates })
      local one = theano.compile({ inputs = {}, outputs = to:reshape({ -1 })[0] })
      return f, {}, { bytes = bytes, flops = flops }, one, not unchecked and function()
        return to:get_value():astype("float64"):mean()
      end or nil
    end)
  end
  local function whole(v) return T.unbroadcast(T.cast(v, "float32"):reshape({ 1 }), 0) end
  local function room(...) return theano.shared(nd.zeros({ ... }, "float32")) end

  resident("copy", 8 * N, nil, function() local x = shared(1, N) return room(N), x + 0 * x[0] end)
  resident("x + y", 12 * N, nil, function() return room(N), shared(1, N) + shared(2, N) end)
  resident("tanh(x) * exp(-y)", 12 * N, nil, function() return room(N), T.tanh(shared(1, N)) * T.exp(-shared(2, N)) end)
  resident("log1p(|x|) + sqrt(|y|) * sigmoid(x - y)", 12 * N, nil, function()
    local x, y = shared(1, N), shared(2, N)
    return room(N), T.log1p(T.abs_(x)) + T.sqrt(T.abs_(y)) * T.nnet.sigmoid(x - y)
  end)
  resident("matrix + row", 8 * SIDE * SIDE, nil, function()
    return room(SIDE, SIDE), shared(1, SIDE, SIDE) + shared(2, SIDE)
  end)
  resident("transpose", 8 * SIDE * SIDE, nil, function()
    local x = shared(1, SIDE, SIDE)
    return room(SIDE, SIDE), x.T + 0 * x[{ 0, 0 }]
  end)
  resident("sum of all", 4 * SIDE * SIDE, nil, function() return room(1), whole(shared(1, SIDE, SIDE):sum()) end)
  resident("sum of rows", 4 * SIDE * SIDE, nil, function()
    return room(SIDE), T.cast(shared(1, SIDE, SIDE):sum({ axis = 1 }), "float32")
  end)
  resident("sum of columns", 4 * SIDE * SIDE, nil, function()
    return room(SIDE), T.cast(shared(1, SIDE, SIDE):sum({ axis = 0 }), "float32")
  end)
  resident("softmax", 8 * SIDE * SIDE, nil, function()
    return room(SIDE, SIDE), T.nnet.softmax(shared(1, SIDE, SIDE))
  end)
  resident("softmax of short rows", 8 * N, nil, function()
    local rows = small and 4 or 65536
    return room(rows, N // rows), T.nnet.softmax(shared(1, rows, N // rows))
  end)

  -- ---- what networks are made of: one pass over memory each, with the gradient of a sum weighted by z --------------
  local function part(name, passes, make, unchecked)
    local n, width = table.unpack(ROWS)
    resident(name, 4 * passes * n * width, nil, function() return make(n, width) end, unchecked)
  end
  local function into(values, ...)
    local updates = {}
    for i, to in ipairs({ ... }) do updates[i] = { to, values[i] } end
    return updates
  end
  local function normed(x, scale, offset)
    local d = x - x:mean({ axis = 1, keepdims = true })
    return d / T.sqrt(T.sqr(d):mean({ axis = 1, keepdims = true }) + 1e-5) * scale + offset
  end
  part("layer norm", 2, function(n, width)
    return room(n, width), normed(shared(1, n, width), shared(2, width), shared(3, width))
  end)
  part("layer norm, gradients", 3, function(n, width)
    local p, z = { shared(1, n, width), shared(2, width), shared(3, width) }, shared(4, n, width)
    return into(T.grad(T.sum(normed(p[1], p[2], p[3]) * z), p), room(n, width), room(width), room(width))
  end)
  part("GELU", 2, function(n, width) return room(n, width), theano.layers.gelu(shared(1, n, width)) end)
  part("GELU, gradient", 3, function(n, width)
    local x, z = shared(1, n, width), shared(4, n, width)
    return room(n, width), T.grad(T.sum(theano.layers.gelu(x) * z), x)
  end)
  part("dropout", 2, function(n, width)
    local rng = theano.sandbox.rng_mrg.MRG_RandomStreams(7)
    return room(n, width), T.nnet.dropout(shared(1, n, width), 0.5, rng)
  end, true)
  part("cross-entropy and gradient", 2, function(n, width)
    local x = shared(1, n, width)
    local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(x), T.constant(labels(n, width))):mean()
    return into({ T.grad(cost, x), whole(cost) }, room(n, width), room(1))
  end)
  do
    local n, channels, side, filters, wide = table.unpack(IMAGES)
    local out = side - wide + 1
    resident("convolution", 4 * (n * channels * side * side + n * filters * out * out),
      2 * n * filters * out * out * channels * wide * wide, function()
        return room(n, filters, out, out), T.nnet.conv2d(shared(1, n, channels, side, side),
          shared(2, filters, channels, wide, wide), { filter_flip = false })
      end)
  end

  resident("product", 12 * SIDE * SIDE, 2 * SIDE ^ 3, function()
    return room(SIDE, SIDE), T.dot(shared(1, SIDE, SIDE), shared(2, SIDE, SIDE))
  end)

  for _, which in ipairs({ "uniform", "normal" }) do
    add(which, function()
      local rng = theano.sandbox.rng_mrg.MRG_RandomStreams(7)
      local to = room(N)
      local f = theano.compile({ inputs = {}, outputs = {},
        updates = { { to, rng[which](rng, { size = { N }, dtype = "float32" }) } } })
      return f, {}, { bytes = 4 * N }, theano.compile({ inputs = {}, outputs = to[0] })
    end)
  end

  add("ten numbers", function()
    local x = T.fvector("x")
    local f = theano.compile({ inputs = { x }, outputs = x * 2 + 1 })
    local value = numbers(1, 10)
    if theano.config.device ~= "cpu" then value = value:to_device(theano.config.device) end
    local function last() return f(value)[0] end
    return f, { value }, {}, last, function() return f(value):astype("float64"):mean() end
  end)
  return list
end
