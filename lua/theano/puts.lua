--- NumPy's functions that write into an array, for Variables: what the array would be afterwards, which is their
-- result (`T.fill_diagonal` is Theano's own of this kind).
-- @module theano.puts
local util = require("theano.util")

return function(T, K)
  local as = K.as
  -- The elements of v in order, again and again: those at places counted from 0.
  local function again(v, places)
    v = T.flatten(v)
    return v[T.mod(places, v.size)]
  end

  --- `put(a, ind, v, mode)`: a with v (its elements again and again) at positions of the elements in order; positions
  -- beyond the end raise, or count from the other one (mode "wrap"), or are the last ("clip").
  function T.put(a, ind, v, mode)
    a, ind, v = as(a), T.flatten(as(ind)), as(v)
    if mode == "wrap" then ind = T.mod(ind, a.size)
    elseif mode == "clip" then ind = T.clip(ind, 0, a.size - 1)
    elseif mode ~= nil and mode ~= "raise" then
      util.raise("ValueError", "put: mode is 'raise', 'wrap' or 'clip', not %s", util.text(mode))
    end
    if v.ndim > 0 then v = again(v, T.arange(ind.size)) end
    return T.set_subtensor(T.flatten(a)[ind], T.cast(v, a.dtype)):reshape(a.shape, { ndim = a.ndim })
  end

  local function masked(what, a, mask)
    if mask.ndim ~= a.ndim then
      util.raise("ValueError", "%s: a mask of %d dimensions for %d", what, mask.ndim, a.ndim)
    end
    return T.neq(T.flatten(mask), 0)
  end
  local function chosen(a, mask, v)
    return T.switch(mask, T.cast(v, a.dtype), T.flatten(a)):reshape(a.shape, { ndim = a.ndim })
  end

  --- `place(a, mask, vals)`: a with the values in order, again and again, where the mask holds.
  function T.place(a, mask, vals)
    a, mask = as(a), as(mask)
    local flat = masked("place", a, mask)
    return chosen(a, flat, again(as(vals), T.maximum(T.cumsum(T.cast(flat, "int64")) - 1, 0)))
  end

  --- `putmask(a, mask, values)`: a with what stands at the same place of the values (again and again) where the mask
  -- holds.
  function T.putmask(a, mask, values)
    a, mask, values = as(a), as(mask), as(values)
    local flat = masked("putmask", a, mask)
    return chosen(a, flat, values.ndim > 0 and again(values, T.arange(a.size)) or values)
  end

  --- `put_along_axis(a, indices, values, axis)`: a with values where `take_along_axis` would take.
  function T.put_along_axis(a, indices, values, axis)
    a = as(a)
    return T.set_subtensor(a[K.along("put_along_axis", a, indices, axis)], T.cast(as(values), a.dtype))
  end
end
