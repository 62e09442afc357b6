--- Loops: `theano.scan`, `map`, `reduce`, `foldl`, `foldr`, and `until_` to end one.
-- @module theano.scan
if not package.loaded["theano"] then require("theano") return require("theano.scan") end -- it loads us
local core = require("theano.core")
local updates_of = require("theano.updates")
local util = require("theano.util")

local M = {}
package.loaded["theano.scan"] = M

local T -- theano.tensor, on first use
local raise = util.raise

-- ---- what the inner function returns
-- ------------------------------------------------------------------------------------------
local Until = { __name = "until" }

--- Returned last by the inner function: the loop ends after the step in which the 0-d condition is true.
function M.until_(condition)
  T = T or require("theano.tensor")
  local c = T.as_tensor_variable(condition)
  if c.ndim ~= 0 then raise("ValueError", "until_: the condition must be a scalar, it has %d dimensions", c.ndim) end
  return setmetatable({ condition = c }, Until)
end

local function is_value(v) return util.is_var(v) or util.is_array(v) or type(v) == "number" or type(v) == "boolean" end

local function is_updates(v)
  if type(v) ~= "table" or getmetatable(v) == Until then return false end
  if getmetatable(v) ~= nil then return true end
  local key, first = next(v)
  if math.type(key) == "integer" then return type(first) == "table" end
  return key ~= nil
end

local ORDER = "the inner function of scan returns its results, then updates, then until_(condition)"

-- Results, updates and condition out of what fn returned.
local function sort_returns(r)
  local out = { results = {}, updates = updates_of.OrderedUpdates() }
  local stage = 1
  local function at(n)
    if n < stage then raise("ValueError", ORDER .. ", in this order") end
    stage = n
  end
  for i = 1, r.n do
    local v = r[i]
    if is_value(v) then
      at(1)
      table.insert(out.results, T.as_tensor_variable(v))
    elseif type(v) == "table" and getmetatable(v) == Until then
      at(3)
      if out.condition then raise("ValueError", ORDER .. "; it returned two conditions") end
      out.condition = v.condition
    elseif is_updates(v) then
      at(2)
      out.updates:update(v)
    elseif type(v) == "table" then
      at(1)
      for _, x in ipairs(util.list("scan: the list of results", v)) do
        if not is_value(x) then raise("ValueError", ORDER .. "; a list of results holds a %s", type(x)) end
        table.insert(out.results, T.as_tensor_variable(x))
      end
    elseif not (v == nil and r.n == 1) then
      raise("ValueError", ORDER .. "; result %d is %s", i, util.kind_of(v))
    end
  end
  return out
end

-- ---- arguments of scan ----------------------------------------------------------------------------------------------
local order = {
  "fn", "sequences", "outputs_info", "non_sequences", "n_steps", "truncate_gradient", "go_backwards", "mode", "name",
  "profile", "allow_gc", "strict", "return_list",
}

-- What the values of some may be; mode, profile and allow_gc are taken and change nothing (docs/loops.md).
local TYPES = {
  fn = "function", sequences = true, outputs_info = true, non_sequences = true, n_steps = true,
  truncate_gradient = true, go_backwards = "boolean",
  mode = "string|object", name = "string", profile = "boolean|object",
  allow_gc = "boolean", strict = "boolean", return_list = "boolean", save_every_N = true, padding = "boolean",
}

local function none(v) return v == nil or v == false end

-- Positional arguments and a trailing table of keywords, or one table of keywords, as one table.
local function arguments(what, names, ...)
  local given, a = table.pack(...), {}
  local last = given[given.n]
  if given.n > 0 and util.is_keywords(last) and (given.n == 1 or not (last.input or last.initial or last.taps)) then
    util.check_keywords(what, last, util.set(names))
    for k, v in pairs(last) do a[k] = v end
    given.n = given.n - 1
  end
  if given.n > #names then raise("TypeError", "%s takes at most %d arguments, got %d", what, #names, given.n) end
  for i = 1, given.n do
    if a[names[i]] ~= nil then raise("TypeError", "%s: '%s' is given twice", what, names[i]) end
    a[names[i]] = given[i]
  end
  if type(a.fn) ~= "function" then
    raise("TypeError", "%s: fn is the function of one step, got %s", what, util.kind_of(a.fn))
  end
  util.check_keywords(what, a, TYPES)
  require("theano.mode").get_mode(a.mode) -- a wrong name is an error, whatever becomes of it
  return a
end

local function is_entry(v) return util.is_keywords(v) end

-- nil, one entry, or a list of them, as a list (false entries stay).
local function list_of(what, v)
  if none(v) then return {} end
  if is_value(v) or is_entry(v) then return { v } end
  if type(v) ~= "table" then
    raise("TypeError", "scan: %s is a Variable or a list of them, got %s", what, util.kind_of(v))
  end
  return table.move(v, 1, core.length(v, "scan: " .. what), 1, {}) -- the user's own list stays as it is
end

local function taps_of(v, what)
  if none(v) then return nil end
  local list = type(v) == "table" and util.list("scan: the taps of " .. what, v) or { v }
  for _, k in ipairs(list) do
    if math.type(k) ~= "integer" then
      raise("ValueError", "scan: taps of %s are integers, got %s", what, tostring(k))
    end
  end
  return list
end

local entry_keys = util.set({ "input", "taps" })

local function sequences_of(v)
  local list = {}
  for i, e in ipairs(list_of("sequences", v)) do
    local what = ("sequence %d"):format(i)
    local s = { taps = { 0 } }
    if is_entry(e) then
      util.check_keywords("scan: " .. what, e, entry_keys)
      if none(e.input) then raise("ValueError", "scan: %s has no input", what) end
      s.taps, e = taps_of(e.taps, what) or s.taps, e.input
    elseif none(e) then
      raise("ValueError", "scan: %s is missing", what)
    end
    s.input = T.as_tensor_variable(e)
    if s.input.ndim == 0 then
      raise("ValueError", "scan: %s, %s, is a scalar; there is nothing to step over (non_sequences?)", what,
        tostring(s.input))
    end
    list[i] = s
  end
  return list
end

local info_keys = util.set({ "initial", "taps", "inplace" })

local function check_out_taps(taps, i)
  local seen = {}
  for _, k in ipairs(taps) do
    if k >= 0 then raise("ValueError", "scan: all taps of output %d must be smaller than 0, one is %d", i, k) end
    if seen[k] then raise("ValueError", "scan: taps of output %d are not unique, %d comes twice", i, k) end
    seen[k] = true
  end
end

local function infos_of(v)
  local list = {}
  local given = list_of("outputs_info", v)
  for i = 1, #given do
    local e, o = given[i], {}
    if is_entry(e) then
      util.check_keywords(("scan: output %d"):format(i), e, info_keys)
      o.taps = taps_of(e.taps, ("output %d"):format(i))
      if none(e.initial) and o.taps then
        raise("ValueError", "scan: output %d uses taps of itself, so it needs an initial state", i)
      end
      e = e.initial
    elseif type(e) == "table" and not is_value(e) and #e == 0 then
      e = false
    end
    if not none(e) then
      o.initial = T.as_tensor_variable(e)
      o.taps = o.taps or { -1 }
      check_out_taps(o.taps, i)
      o.back = 0
      for _, k in ipairs(o.taps) do o.back = math.max(o.back, -k) end
      if #o.taps == 0 then o.initial = nil end
      if o.initial and not (#o.taps == 1 and o.taps[1] == -1) and o.initial.ndim == 0 then
        raise("ValueError", "scan: the initial state of output %d is a scalar, its taps need %d rows", i, o.back)
      end
    end
    list[i] = o
  end
  return list
end

-- A Lua number, a Variable, or nil; `fixed` is the number when it is known.
local function steps_of(n)
  if none(n) then return nil end
  if type(n) == "number" then
    if math.type(n) ~= "integer" then raise("ValueError", "scan: n_steps must be an integer, it is %s", tostring(n)) end
    if n < 0 then raise("IndexError", "scan: the number of steps, %d, is negative", n) end
    return T.constant(n, { dtype = "int64" }), n
  end
  local v = T.as_tensor_variable(n)
  if v.ndim ~= 0 then raise("ValueError", "scan: n_steps is a scalar, %s has %d dimensions", tostring(v), v.ndim) end
  if not v.dtype:match("^u?int") then
    raise("ValueError", "scan: n_steps must be of an integer dtype, %s is %s", tostring(v), v.dtype)
  end
  local fixed
  if core.kind(v) == "constant" then fixed = math.tointeger(v.data:item()) end
  if fixed and fixed < 0 then raise("IndexError", "scan: the number of steps, %d, is negative", fixed) end
  return v, fixed
end

-- ---- sequences
-- ----------------------------------------------------------------------------------------------------------------
local function tap_name(v, k)
  if not v.name then return nil end
  return k == 0 and v.name .. "[t]" or ("%s[t%+d]"):format(v.name, k)
end

-- One entry a tap: the rows that tap sees in its steps, in the order of the steps.
local function tap_rows(seqs, backwards)
  local rows = {}
  for _, s in ipairs(seqs) do
    local low, high = 0, 0
    for _, k in ipairs(s.taps) do low, high = math.min(low, k), math.max(high, k) end
    for _, k in ipairs(s.taps) do
      local x, start, stop = s.input, k - low, k - high
      if start ~= 0 or stop ~= 0 then
        x = x:sub({ start = start ~= 0 and start or nil, stop = stop ~= 0 and stop or nil })
      end
      if backwards then x = x:sub({ step = -1 }) end
      table.insert(rows, { outer = x, name = tap_name(s.input, k), source = s.input })
    end
  end
  return rows
end

local function row_type(x)
  local pattern = {}
  for d = 2, x.ndim do pattern[d - 1] = x.broadcastable[d] end
  return T.TensorType(x.dtype, pattern)
end

local function steps_from(rows)
  local n
  for _, r in ipairs(rows) do
    local len = r.outer.shape[0]
    n = n and T.minimum(n, len) or len
  end
  if not n then
    raise("ValueError", "No information about the number of steps: scan needs n_steps or a sequence")
  end
  return n
end

-- ---- the inner graph
-- ----------------------------------------------------------------------------------------------------------
local function states_of(infos)
  for _, o in ipairs(infos) do
    if o.initial then
      local x = o.initial
      if #o.taps == 1 and o.taps[1] == -1 then
        o.rows = T.unbroadcast(T.shape_padleft(x), 0)
        o.type = x.type
      else
        o.rows = T.unbroadcast(x:sub({ stop = o.back }), 0)
        o.type = row_type(x)
      end
      o.inner = {}
      for j, k in ipairs(o.taps) do o.inner[j] = o.type(tap_name(x, k)) end
    end
  end
end

local function values_of(v)
  local list = {}
  for i, e in ipairs(list_of("non_sequences", v)) do
    if not is_value(e) then raise("TypeError", "scan: non_sequences[%d] is a %s, a Variable expected", i, type(e)) end
    list[i] = T.as_tensor_variable(e)
  end
  return list
end

local function call_fn(a, args)
  return sort_returns(table.pack(a.fn(table.unpack(args, 1, #args))))
end

local function check_results(r, infos)
  local n = #r.results
  if #infos > 0 and #infos ~= n then
    raise("ValueError", "scan: the inner function returns %d results but outputs_info has %d entries; please provide "
      .. "false as outputs_info for any output that does not feed back (a map)", n, #infos)
  end
  for i = #infos + 1, n do infos[i] = {} end
end

local DTYPE = "scan: the initial state of output %d, %s, has %s %s, while the result of the inner function has %s %s. "
  .. "This can happen if a step results in an upcast or downcast; cast the one or the other"

-- The result of a step fits the state that it continues.
local function check_state(i, o, v)
  local name = tostring(o.initial)
  if v.dtype ~= o.type.dtype then raise("ValueError", DTYPE, i, name, "dtype", o.type.dtype, "dtype", v.dtype) end
  if v.ndim ~= o.type.ndim then
    raise("ValueError", "scan: the initial state of output %d, %s, has %d dimensions a step, while the result of the "
      .. "inner function has %d; with taps other than -1 the initial state has one dimension more than a step", i, name,
      o.type.ndim, v.ndim)
  end
  for d = 1, v.ndim do
    if o.type.broadcastable[d] and not v.broadcastable[d] then
      raise("TypeError", "scan: the initial state of output %d, %s, promises length 1 in dimension %d, the result of "
        .. "the inner function does not; use T.unbroadcast on the initial state", i, name, d - 1)
    end
  end
  local flags = {}
  for d = 1, v.ndim do flags[d] = o.type.broadcastable[d] end
  return T.patternbroadcast(v, flags)
end

-- Every shared variable that the step reaches and that has a default update gets it, unless the step updates it.
local function default_updates(r)
  local again = true
  while again do
    again = false
    local outs = { table.unpack(r.results) }
    for _, e in pairs(r.updates) do outs[#outs + 1] = e end
    if r.condition then outs[#outs + 1] = r.condition end
    for _, v in ipairs(core.scan_free { outs = outs, given = {} }) do
      if core.kind(v) == "shared" and v.default_update and not r.updates:get(v) then
        r.updates:set(v, v.default_update)
        again = true
      end
    end
  end
end

local function new_value(s, e)
  if s.type == core.random_state_type() then
    if util.is_var(e) and e.type == s.type then return e end
    raise("TypeError", "scan: the update of %s must be a state of a RandomState, it is %s", tostring(s),
      util.is_var(e) and tostring(e.type) or util.kind_of(e))
  end
  if not util.is_var(e) then e = core.constant_typed(core.filter(s, e), s.broadcastable) end
  if e.dtype ~= s.dtype or e.ndim ~= s.ndim then
    raise("TypeError", "scan: the update of %s is a %s with %d dimensions, the shared variable is a %s with %d; a cast "
      .. "may help", tostring(s), e.dtype, e.ndim, s.dtype, s.ndim)
  end
  local flags = {}
  for d = 1, s.ndim do flags[d] = s.broadcastable[d] end
  return T.patternbroadcast(e, flags)
end

-- Everything that the body uses from outside, and what stands for it inside.
local function close(a, r, given, listed)
  local k = { shared = {}, shared_in = {}, shared_out = {}, value = {}, value_in = {}, replace = {} }
  local done = {}
  local function copy_of(v)
    local c = v.type(v.name and v.name .. "_copy" or nil)
    table.insert(k.replace, { v, c })
    done[v] = true
    return c
  end
  for s, e in pairs(r.updates) do
    table.insert(k.shared, s)
    table.insert(k.shared_in, copy_of(s))
    table.insert(k.shared_out, new_value(s, e))
  end
  local function value(v)
    if done[v] or core.kind(v) == "constant" then return end
    table.insert(k.value, v)
    table.insert(k.value_in, copy_of(v))
  end
  for _, v in ipairs(listed) do value(v) end
  local all = { table.unpack(r.results) }
  for _, e in ipairs(k.shared_out) do all[#all + 1] = e end
  if r.condition then all[#all + 1] = r.condition end
  local cut = core.clone(all, k.replace, true, false)
  local inside = { table.unpack(given) }
  for _, p in ipairs(k.replace) do inside[#inside + 1] = p[2] end
  local more = core.scan_free { outs = cut, given = inside }
  if a.strict and #more > 0 then
    raise("MissingInputError", "scan: strict = true, and the inner function uses %s, which is not among non_sequences",
      tostring(more[1]))
  end
  for _, v in ipairs(more) do value(v) end
  all = core.clone(all, k.replace, true, false)
  k.results, k.shared_out = { table.unpack(all, 1, #r.results) }, { table.unpack(all, #r.results + 1,
    #r.results + #k.shared) }
  k.until_ = r.condition and all[#all]
  return k
end

-- ---- one step, applied once
-- ---------------------------------------------------------------------------------------------------
local function single_step(a, rows, infos, listed, whole)
  local args = {}
  for i, s in ipairs(rows) do args[i] = s.outer:sub(0) end
  for _, o in ipairs(infos) do
    if o.initial then
      local one = #o.taps == 1 and o.taps[1] == -1
      for _, t in ipairs(o.taps) do args[#args + 1] = one and o.initial or o.initial:sub(o.back + t) end
    end
  end
  for _, v in ipairs(listed) do args[#args + 1] = v end
  local r = call_fn(a, args)
  check_results(r, infos)
  if r.condition then
    io.stderr:write("warning: scan: n_steps is 1, so the condition of until_ is ignored\n")
  end
  local outs = {}
  for i, v in ipairs(r.results) do
    if infos[i].initial then v = check_state(i, infos[i], v) end
    outs[i] = whole and v or T.unbroadcast(T.shape_padleft(v), 0)
  end
  return outs, r.updates
end

-- ---- scan
-- ------------------------------------------------------------------------------------------------------------------
-- The parts of the loop for states and collected results, and where each result of the user is among the node's.
local function outputs_of(k, infos, room)
  local place, ncollect = {}, 0
  local function add(i, o)
    table.insert(k.state, core.scan_state(o.rows, o.back, room))
    table.insert(k.taps, o.taps)
    for _, v in ipairs(o.inner) do table.insert(k.tap_in, v) end
    table.insert(k.state_out, k.results[i])
    place[i] = #k.state
  end
  for i, o in ipairs(infos) do
    if o.initial and #o.taps > 1 then add(i, o) end
  end
  for i, o in ipairs(infos) do
    if o.initial and #o.taps == 1 then add(i, o) end
  end
  for i, o in ipairs(infos) do
    if not o.initial then
      ncollect = ncollect + 1
      table.insert(k.collect_out, k.results[i])
      place[i] = #k.state + ncollect
    end
  end
  return place
end

-- The steps of one result: all of them, or the last one (of a state also when no step was made).
local function result_of(x, o, turns, whole)
  local back = o.initial and o.back or 0
  if whole then
    if not turns then return x:sub(-1) end
    return x:sub(turns + (back - 1))
  end
  if turns then return x:sub({ start = back > 0 and back or nil, stop = back > 0 and turns + back or turns }) end
  return back > 0 and x:sub({ start = back }) or x
end

local function built_loop(a, whole)
  T = T or require("theano.tensor")
  local rows = tap_rows(sequences_of(a.sequences), a.go_backwards)
  local infos, listed = infos_of(a.outputs_info), values_of(a.non_sequences)
  local steps, fixed = steps_of(a.n_steps)
  local truncate = a.truncate_gradient or -1
  if math.type(truncate) ~= "integer" or (truncate ~= -1 and truncate < 1) then
    raise("ValueError", "scan: truncate_gradient is a positive number of steps, or -1, not %s", tostring(truncate))
  end
  states_of(infos)
  if fixed == 1 then return single_step(a, rows, infos, listed, whole) end
  local room = steps and (fixed and steps or T.maximum(steps, 0)) -- a negative number is the loop's to refuse
  steps = steps or steps_from(rows)
  local k = { seq = {}, seq_in = {}, state = {}, taps = {}, tap_in = {}, state_out = {}, collect_out = {} }
  local args = {}
  for i, s in ipairs(rows) do
    k.seq[i], k.seq_in[i] = s.outer, row_type(s.outer)(s.name)
    args[i] = k.seq_in[i]
  end
  for _, o in ipairs(infos) do
    for _, v in ipairs(o.inner or {}) do args[#args + 1] = v end
  end
  local given = { table.unpack(args) }
  for _, v in ipairs(listed) do args[#args + 1] = v end
  local r = call_fn(a, args)
  check_results(r, infos)
  for i, v in ipairs(r.results) do
    if infos[i].initial then r.results[i] = check_state(i, infos[i], v) end
  end
  default_updates(r)
  local body = close(a, r, given, listed)
  for key, v in pairs(body) do k[key] = v end
  k.steps, k.name, k.truncate = steps, a.name, truncate
  if #k.results + #k.shared == 0 then raise("ValueError", ORDER .. "; it returned nothing") end
  local place = outputs_of(k, infos, room or steps)
  local made, outs = core.scan(k), {}
  local turns = k.until_ and made[#made]
  for i in ipairs(k.results) do outs[i] = result_of(made[place[i]], infos[i], turns, whole) end
  local updates = updates_of.OrderedUpdates()
  for i, s in ipairs(k.shared) do updates:set(s, made[#k.state + #k.collect_out + i]) end
  return outs, updates
end

-- whole: only the last row of every result is wanted (reduce). Rows of sequences and states have no test values.
local function loop(a, whole)
  local test_value = require("theano.test_value")
  local outs, updates = test_value.without(built_loop, a, whole)
  test_value.built(table.unpack(outs))
  return outs, updates
end

local function answer(outs, return_list)
  if return_list or #outs > 1 then return outs end
  return outs[1]
end

--- Repeats a step: `outputs, updates = theano.scan{fn =, sequences =, outputs_info =, non_sequences =, n_steps =}`.
-- The inner function gets, in this order: a row of each sequence (one for each of its taps), earlier results (for each
-- output with an initial state, one for each of its taps), the non_sequences. It returns results, then updates of
-- shared variables, then `theano.until_(condition)`.
--
-- * `sequences`: Variables whose rows are stepped over, or `{input = x, taps = {-1, 0}}`,
-- * `outputs_info`: for every result its initial state (taps {-1}), `{initial = x, taps = {-2, -1}}`, or false for
--   one that does not feed back; nothing at all when none does,
-- * `n_steps`: a number or an integer scalar, else the length of the shortest sequence; 0 gives empty results,
-- * `truncate_gradient`: so many steps back at most; `go_backwards`; `name`; `strict`; `return_list`.
--
-- `mode`, `profile`, `allow_gc` are Theano's and change nothing here: the loop is compiled with the function it is in.
-- @return one Variable, or a sequence when there are several results or with return_list; the updates to pass on
function M.scan(...)
  local a = arguments("scan", order, ...)
  local outs, updates = loop(a, false)
  return answer(outs, a.return_list), updates
end

local map_order = { "fn", "sequences", "non_sequences", "truncate_gradient", "go_backwards", "mode", "name",
  "return_list" }

--- `map(fn, sequences, non_sequences, truncate_gradient, go_backwards, mode, name)`: fn on every row.
function M.map(...)
  local a = arguments("map", map_order, ...)
  local outs, updates = loop(a, false)
  return answer(outs, a.return_list), updates
end

local reduce_order = { "fn", "sequences", "outputs_info", "non_sequences", "go_backwards", "mode", "name",
  "return_list" }

local function reduce(what, backwards, ...)
  local a = arguments(what, reduce_order, ...)
  if backwards ~= nil then a.go_backwards = backwards end
  local outs, updates = loop(a, true)
  return answer(outs, a.return_list), updates
end

--- `reduce(fn, sequences, outputs_info, non_sequences, go_backwards, mode, name)`: the last step of every result; the
-- initial state itself when there are no steps.
function M.reduce(...) return reduce("reduce", nil, ...) end

--- `foldl(fn, sequences, outputs_info, ..)`: reduce from the first row on.
function M.foldl(...) return reduce("foldl", false, ...) end

--- `foldr(fn, sequences, outputs_info, ..)`: reduce from the last row on.
function M.foldr(...) return reduce("foldr", true, ...) end

-- ---- scan_checkpoints
-- --------------------------------------------------------------------------------------------------------
local checkpoint_order = { "fn", "sequences", "outputs_info", "non_sequences", "name", "n_steps", "save_every_N",
  "padding" }

-- x as (chunks, every, ..): cut to `steps` rows, filled up with zeros.
local function chunked(x, steps, chunks, every)
  local rest, pad = {}, { chunks * every - steps }
  for d = 1, x.ndim - 1 do
    rest[d] = x.shape[d]
    pad[d + 1] = x.shape[d]
  end
  local full = T.join(0, x:sub({ stop = steps }), T.zeros(pad, { dtype = x.dtype }))
  return full:reshape(T.stack({ chunks, T.constant(every, { dtype = "int64" }), table.unpack(rest) }),
    { ndim = x.ndim + 1 })
end

--- A scan whose gradient remembers only every `save_every_N`th step and computes the others again: with about the root
-- of the number of steps, memory grows with that root. Options of `scan`: fn, sequences (no taps), outputs_info (no
-- taps), non_sequences, n_steps, name; `save_every_N` (10). `padding` is Theano's: the last stretch may be shorter.
-- @return the results after every `save_every_N`th step and after the last one, as scan returns them, and the updates
function M.scan_checkpoints(...)
  T = T or require("theano.tensor")
  local a = arguments("scan_checkpoints", checkpoint_order, ...)
  local every = a.save_every_N or 10
  if math.type(every) ~= "integer" or every < 1 then
    raise("ValueError", "scan_checkpoints: save_every_N is a positive number of steps, not %s", tostring(every))
  end
  local seqs, infos = list_of("sequences", a.sequences), list_of("outputs_info", a.outputs_info)
  local values = values_of(a.non_sequences)
  for i, s in ipairs(seqs) do
    if is_entry(s) then raise("RuntimeError", "scan_checkpoints: sequence %d has taps, which it cannot cut", i) end
    seqs[i] = T.as_tensor_variable(s)
  end
  for i, o in ipairs(infos) do
    if is_entry(o) then raise("RuntimeError", "scan_checkpoints: output %d has taps, which it cannot keep", i) end
  end
  local rows = {}
  for i, s in ipairs(seqs) do rows[i] = { outer = s } end
  local steps = T.cast(steps_of(a.n_steps) or steps_from(rows), "int64")
  local chunks = (steps + (every - 1)) // every
  local starts = T.arange(chunks) * every
  local outer, states = { T.minimum(steps - starts, every) }, {}
  for i, s in ipairs(seqs) do outer[i + 1] = chunked(s, steps, chunks, every) end
  for i, o in ipairs(infos) do states[i] = none(o) and false or T.as_tensor_variable(o) end
  local function stretch(...)
    local args = { ... }
    local inner, now, at = {}, {}, #outer
    for i = 1, #seqs do inner[i] = args[i + 1] end
    for i, o in ipairs(states) do
      now[i] = false
      if o then
        at = at + 1
        now[i] = args[at]
      end
    end
    local outs, updates = loop({ fn = a.fn, sequences = inner, outputs_info = now, non_sequences = values,
      n_steps = args[1], name = a.name }, true)
    return outs, updates
  end
  local outs, updates = loop({ fn = stretch, sequences = outer, outputs_info = states, non_sequences = values,
    n_steps = chunks, name = a.name or "checkpointscan_fn" }, false)
  return answer(outs), updates
end

return M
