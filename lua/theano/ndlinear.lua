--- NumPy's products on arrays: matmul, inner, vdot, kron, cross, einsum. Installed by theano.ndnumpy.
-- @module theano.ndlinear
local core = require("theano.core")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray
  local function result(a) return util.is_array(a) and a.ndim == 0 and a:item() or a end

  -- ---- einsum -------------------------------------------------------------------------------------------------------
  local function parse(text, n)
    local plain = text:gsub("%s", "")
    local left, right = plain:match("^([%a,]*)%->(%a*)$")
    left = left or plain:match("^[%a,]*$")
    if not left then
      util.raise("ValueError", "einsum: '%s' is not of the form 'ij,jk->ik' (letters, no ellipsis)", text)
    end
    local operands, count = {}, {}
    for labels in (left .. ","):gmatch("(%a*),") do
      operands[#operands + 1] = labels
      for l in labels:gmatch(".") do count[l] = (count[l] or 0) + 1 end
    end
    if #operands ~= n then util.raise("ValueError", "einsum: '%s' names %d operands, %d given", text, #operands, n) end
    if not right then -- the labels that stand once, sorted
      local once = {}
      for l, c in pairs(count) do if c == 1 then once[#once + 1] = l end end
      table.sort(once)
      right = table.concat(once)
    end
    local seen = {}
    for l in right:gmatch(".") do
      if not count[l] or seen[l] then
        util.raise("ValueError", "einsum: the output label '%s' stands twice or in no operand", l)
      end
      seen[l] = true
    end
    return operands, right
  end

  -- A label that stands twice in one operand: its diagonal.
  local function diagonals(a, labels)
    for i = 1, #labels do
      local l = labels:sub(i, i)
      local j = labels:find(l, i + 1, true)
      if j then
        if a.shape[i] ~= a.shape[j] then
          util.raise("ValueError", "einsum: label '%s' stands for lengths %d and %d", l, a.shape[i], a.shape[j])
        end
        a = arr(nd.diagonal(a, 0, i - 1, j - 1))
        labels = labels:sub(1, i - 1) .. labels:sub(i + 1, j - 1) .. labels:sub(j + 1) .. l
        return diagonals(a, labels)
      end
    end
    return a, labels
  end

  -- a with its axes in the order of `all` and length 1 where it has no such label.
  local function spread(a, labels, all)
    local perm, shape = {}, {}
    for i = 1, #all do
      local at = labels:find(all:sub(i, i), 1, true)
      if at then perm[#perm + 1] = at - 1 end
      shape[i] = at and a.shape[at] or 1
    end
    if #perm > 1 then a = a:transpose(perm) end
    return a:reshape(shape)
  end

  local function without(a, labels, needed) -- sums what nobody needs any more
    local axes, left = {}, {}
    for i = 1, #labels do
      local l = labels:sub(i, i)
      if needed:find(l, 1, true) then left[#left + 1] = l else axes[#axes + 1] = i - 1 end
    end
    if #axes == 0 then return a, labels end
    return arr(nd.sum(a, { axis = axes })), table.concat(left)
  end

  local function product(a, la, b, lb, needed)
    local both, kept, in_a, in_b = false, false, {}, {}
    for i = 1, #la do
      local l = la:sub(i, i)
      local j = lb:find(l, 1, true)
      if j and a.shape[i] ~= b.shape[j] then
        util.raise("ValueError", "einsum: label '%s' stands for lengths %d and %d", l, a.shape[i], b.shape[j])
      end
      if j and needed:find(l, 1, true) then kept = true end
      if j and not needed:find(l, 1, true) then
        both = true
        in_a[#in_a + 1], in_b[#in_b + 1] = i - 1, j - 1
      end
    end
    if both and not kept then -- a matrix product
      local rest = la .. lb
      for _, i in ipairs(in_a) do rest = rest:gsub(la:sub(i + 1, i + 1), "") end
      return arr(nd.tensordot(a, b, { in_a, in_b })), rest
    end
    local all = la
    for l in lb:gmatch(".") do if not la:find(l, 1, true) then all = all .. l end end
    return arr(spread(a, la, all) * spread(b, lb, all)), all
  end

  --- `einsum("ij,jk->ik", a, b)`: sums of products over the labels that the output lacks. Without `->` the output has
  -- the labels that stand once, in alphabetical order.
  function nd.einsum(text, ...)
    util.expect("einsum", "its first argument", text, "string")
    local operands, out = parse(text, select("#", ...))
    local acc, labels
    for i, a in ipairs({ ... }) do
      a = arr(a)
      if a.ndim ~= #operands[i] then
        util.raise("ValueError", "einsum: operand %d has %d dimensions, '%s' names %d", i, a.ndim, operands[i],
          #operands[i])
      end
      local l
      a, l = diagonals(a, operands[i])
      local needed = out .. table.concat(operands, "", i + 1)
      if acc then acc, labels = product(acc, labels, a, l, needed) else acc, labels = a, l end
      acc, labels = without(acc, labels, needed)
    end
    return result(spread(acc, labels, out))
  end

  -- ---- products -----------------------------------------------------------------------------------------------------
  --- `matmul(a, b)`: matrix products, over broadcast leading axes where there are more than two.
  function nd.matmul(a, b)
    a, b = arr(a), arr(b)
    if a.ndim == 0 or b.ndim == 0 then util.raise("ValueError", "matmul: a number is no operand, use * instead") end
    if a.ndim <= 2 and b.ndim <= 2 then return nd.dot(a, b) end
    local x = a.ndim == 1 and a:reshape({ 1, -1 }) or a
    local y = b.ndim == 1 and b:reshape({ -1, 1 }) or b
    local batch, n = {}, math.max(x.ndim, y.ndim) - 2
    local function lead(v, d) return v.shape[d - (n + 2 - v.ndim)] or 1 end
    for d = 1, n do
      local p = d > n + 2 - x.ndim and lead(x, d) or 1
      local q = d > n + 2 - y.ndim and lead(y, d) or 1
      batch[d] = p == 1 and q or p
    end
    local function stacked(v)
      local shape = table.move(batch, 1, n, 1, {})
      shape[n + 1], shape[n + 2] = v.shape[v.ndim - 1], v.shape[v.ndim]
      return nd.broadcast_to(v, shape):reshape({ -1, shape[n + 1], shape[n + 2] })
    end
    local r = nd.batched_dot(stacked(x), stacked(y))
    if a.ndim > 1 then batch[#batch + 1] = x.shape[x.ndim - 1] end
    if b.ndim > 1 then batch[#batch + 1] = y.shape[y.ndim] end
    return r:reshape(batch)
  end

  --- Sums of products over the last axes of both.
  function nd.inner(a, b)
    a, b = arr(a), arr(b)
    if a.ndim == 0 or b.ndim == 0 then return result(a * b) end
    return nd.tensordot(a, b, { { a.ndim - 1 }, { b.ndim - 1 } })
  end

  --- The sum of products of all elements, the first conjugated.
  function nd.vdot(a, b) return nd.dot(nd.conj(arr(a):reshape({ -1 })), arr(b):reshape({ -1 })) end

  --- The Kronecker product.
  function nd.kron(a, b)
    a, b = arr(a), arr(b)
    local n = math.max(a.ndim, b.ndim)
    local sa, sb, shape = {}, {}, {}
    for d = 1, n do
      local p = d > n - a.ndim and a.shape[d - (n - a.ndim)] or 1
      local q = d > n - b.ndim and b.shape[d - (n - b.ndim)] or 1
      sa[2 * d - 1], sa[2 * d], sb[2 * d - 1], sb[2 * d], shape[d] = p, 1, 1, q, p * q
    end
    return result(arr(a:reshape(sa) * b:reshape(sb)):reshape(shape))
  end

  --- The cross product of vectors of three along the last axis.
  function nd.cross(a, b)
    a, b = arr(a), arr(b)
    if a.shape[a.ndim] ~= 3 or b.shape[b.ndim] ~= 3 then
      util.raise("ValueError", "cross: the last axis of both has length 3")
    end
    local function part(v, i) return v["..., " .. i % 3 .. ":" .. i % 3 + 1] end
    local list = {}
    for i = 0, 2 do list[i + 1] = part(a, i + 1) * part(b, i + 2) - part(a, i + 2) * part(b, i + 1) end
    return nd.concatenate(list, -1)
  end
end
