--- What each rewrite lowers, so that rewriting ends: the declaration, and the counting on a graph's text.
-- A rule that is not named in `M.of` lowers the nodes that compute (views and fills left out), or else all nodes. A
-- measure is a word and the operations it is about; where it stays the same, the number of all nodes must go down.
-- @module spec.support.measures
local M = {}

M.of = {
  -- the operation itself goes
  alloc_empty_to_zeros = "number AllocEmpty", crossentropy_to_crossentropy_with_softmax = "number Softmax",
  local_0_dot_x = "number Dot", local_adv_sub1_adv_inc_sub1 = "number AdvancedSubtensor1 AdvancedIncSubtensor1",
  local_dot_to_dot22 = "number Dot", local_dot22_to_dot22scalar = "number Dot22",
  local_dot22_to_ger_or_gemv = "number Dot22", local_gemm_to_gemv = "number Gemm", local_gemm_to_ger = "number Gemm",
  local_hard_sigmoid = "number sigmoid", local_ultra_fast_sigmoid = "number sigmoid",
  logsigm_to_softplus = "number sigmoid", local_log_add = "number log", local_log1p = "number log",
  local_logsoftmax_grad = "number SoftmaxGrad",
  inv_as_solve = "number MatrixInverse", local_solve_structure = "number Solve", local_log_det = "number Det",
  local_det_transposed = "number DimShuffle", local_solve_transposed = "number DimShuffle",
  local_remove_hint = "number Hint", linalg_factors = "number Solve MatrixInverse Det SLogDet",
  local_max_and_argmax = "number MaxAndArgmax", local_merge_switch_same_cond = "number switch",
  local_mul_to_sqr = "number mul", local_neg_to_mul = "number neg", local_opt_alloc = "number Sum Prod",
  local_pow_canonicalize = "number pow", local_pow_specialize = "number pow",
  local_pow_specialize_device = "number pow", local_reduce_join = "number Join MakeVector",
  local_useless_split = "number Split", local_zeros_beside_slices = "number Alloc",
  local_subtensor_merge = "number Subtensor",
  local_useless_inc_subtensor = "number IncSubtensor", local_fill_to_alloc = "number second",
  local_shape_to_shape_i = "number Shape", local_sumsqr2dot = "number sqr mul",
  local_advanced_indexing_crossentropy_onehot = "number AdvancedSubtensor",
  local_abstractconv_gemm = "number AbstractConv",
  local_abstractconv_gradinputs_gemm = "number AbstractConv_gradInputs",
  local_abstractconv_gradweight_gemm = "number AbstractConv_gradWeights",
  local_max_pool_grad_from_input = "number MaxPoolGrad",
  -- it moves to the inputs: nodes that compute what it works on
  local_abs_lift = "below abs_", local_dimshuffle_lift = "below DimShuffle",
  local_lift_transpose_through_dot = "below DimShuffle", local_rebroadcast_lift = "below Rebroadcast",
  local_reshape_lift = "below Reshape", local_subtensor_lift = "under Subtensor",
  local_dimshuffle_alloc = "below DimShuffle", local_sparse_take_lift = "below SparseTake",
  local_subtensor_of_alloc = "below Subtensor", local_subtensor_of_dot = "below Subtensor",
  local_sum_prod_div_dimshuffle = "below Sum Prod", local_sum_prod_mul_by_scalar = "below Sum Prod",
  -- it moves to the outputs: nodes that are computed from it
  local_alloc_unary = "above Alloc", local_fill_sink = "above second", local_mul_switch_sink = "above switch",
  local_div_switch_sink = "above switch", local_inverse_transposed = "above DimShuffle",
  -- the stable form: operations whose argument is not kept in range by one of those after "by"
  local_log_erfc = "bare erfc erf by minimum maximum",
  local_one_plus_erf = "number add sub", local_one_minus_erf = "number add sub",
  local_log_sum_exp = "bare exp by sub", softmax_simplifier = "bare exp by sub",
  -- nodes that an elementwise gradient made
  local_grad_safe = "marked mul true_div",
  -- passes over the whole graph
  merge1 = "lines", scan_merge = "number Scan", scan_merge_inouts = "ports Scan",
  scanOp_remove_constants_and_unused_inputs0 = "ports Scan", scanOp_remove_constants_and_unused_inputs1 = "ports Scan",
  scanOp_remove_constants_and_unused_inputs2 = "ports Scan", scanOp_pushout_seqs_ops = "body Scan",
  scanOp_pushout_output = "body Scan", scanOp_save_mem = "kept Scan", GemmOptimizer = "number Dot22",
  add_mul_fusion = "number add mul", local_elemwise_split = "squares add mul", elemwise_fusion = "nodes",
  inplace_subtensor = "buffers", InplaceBlasOpt = "buffers", inplace_elemwise_opt = "buffers",
  random_make_inplace = "buffers",
  -- factors of a product
  local_crossentropy_1hot_grad_times_p = "factors mul",
  -- smaller arguments of the same operation
  local_add_canonizer = "disorder add sub neg", local_mul_canonizer = "disorder mul true_div inv",
  local_remove_useless_assert = "arguments Assert", local_useless_slice = "arguments Subtensor",
  local_reshape_to_dimshuffle = "rank Reshape", local_sum_prod_all_to_none = "axes Sum Prod",
  local_incsubtensor_of_zeros_to_setsubtensor = "increments IncSubtensor AdvancedIncSubtensor AdvancedIncSubtensor1",
  local_incsubtensor_of_zeros = "number IncSubtensor AdvancedIncSubtensor AdvancedIncSubtensor1",
  local_upcast_elemwise_constant_inputs = "mixed",
}

--- Passes over the whole graph that change no node: sizes are gathered, the order is fixed, loops are told that their
-- states may be written where they lie. amp_views and attention_heads work for devices alone, which golden cases are
-- not for (gpu_cores_spec, gpu_heads_spec); each cast goes in front of all views at once, never back.
M.neutral = {
  amp_views = true, attention_heads = true, gemm_apart = true, ShapeOpt = true, schedule = true, hoist = true,
  remat_marks = true, remat = true, scanOp_make_inplace = true,
}

--- The nodes of a graph text, inputs first: {op, attrs, args = names}, and what makes each name.
function M.parse(text)
  local g = { nodes = {}, by = {}, dtype = {}, lines = 0 }
  for line in text:gmatch("[^\n]+") do
    g.lines = g.lines + 1
    local names, op, rest = line:match("^(.-) = ([%w_]+)(.*)$")
    local leaf, dtype = line:match("^(%S+): c?o?n?s?t? ?s?c?a?l?a?r?:?(%w+)")
    if names then
      local attrs = rest:match("^%b{}") or ""
      local n = { op = op == "Elemwise" and attrs:match("^{([%w_]+)") or op, attrs = attrs, args = {} }
      for a in rest:match("^(%b())", #attrs + 1):gmatch("[^%s,()]+") do n.args[#n.args + 1] = a end
      n.outs, n.destroys = 0, line:find(" @destroys", 1, true) ~= nil
      for name in names:gmatch("[^%s,]+") do g.by[name], n.outs = n, n.outs + 1 end
      n.elemwise, n.marked = op == "Elemwise", line:find(" @grad", 1, true) ~= nil
      g.nodes[#g.nodes + 1] = n
    elseif leaf then
      g.dtype[leaf] = dtype
      g.by[leaf] = line:find(": const", 1, true) and { constant = true } or nil
    end
  end
  return g
end

local function computes(n) return n.op ~= "DimShuffle" and n.op ~= "second" end

-- Every node that n is computed from, as a set.
local function below(g, n)
  local set, list = {}, { n }
  for _, m in ipairs(list) do
    for _, a in ipairs(m.args) do
      local from = g.by[a]
      if from and from.args and not set[from] then
        set[from] = true
        list[#list + 1] = from
      end
    end
  end
  return set
end

local function size(set)
  local n = 0
  for m in pairs(set) do n = n + (computes(m) and 1 or 0) end
  return n
end

-- Behind DimShuffles: the node or leaf.
local function core_of(g, name)
  while g.by[name] and g.by[name].op == "DimShuffle" do name = g.by[name].args[1] end
  return g.by[name], name
end

-- word -> function(g, n, which, by): what node n of the operations named adds.
local words = {}
function words.number() return 1 end
function words.below(g, n) return size(below(g, n)) end
-- Elementwise nodes (and promises of lengths) that some of the operations are computed from.
local function under(g, which)
  local met, count = {}, 0
  for _, n in ipairs(g.nodes) do
    for m in pairs(which[n.op] and below(g, n) or {}) do
      count = count + ((m.elemwise or m.op == "Rebroadcast") and not met[m] and 1 or 0)
      met[m] = true
    end
  end
  return count
end
function words.above(g, n)
  local count = 0
  for _, m in ipairs(g.nodes) do count = count + (computes(m) and below(g, m)[n] and 1 or 0) end
  return count
end
function words.bare(g, n, _, by)
  for _, a in ipairs(n.args) do
    local from = g.by[a]
    if from and by[from.op] then return 0 end
  end
  return 1
end
function words.marked(_, n) return n.marked and 1 or 0 end
function words.arguments(_, n) return #n.args end
function words.factors(_, n) return #n.args - 1 end
function words.squares(_, n) return #n.args * #n.args end
function words.ports(_, n) return #n.args + n.outs end
function words.body(_, n) return select(2, n.attrs:gsub("\\n%%%d+ = ", "")) end
-- States whose rows are as many as there are turns.
function words.kept(g, n)
  local count = 0
  for _, a in ipairs(n.args) do
    local m = g.by[a]
    while m and m.op == "IncSubtensor" do m = g.by[m.args[1]] end
    local rows = m and m.op == "AllocEmpty" and g.by[m.args[1]]
    count = count + (rows and not rows.constant and 1 or 0)
  end
  return count
end
function words.rank(_, n) return tonumber(n.attrs:match("ndim=(%d+)")) end
function words.axes(_, n) return n.attrs:find("axis=[", 1, true) and 1 or 0 end
function words.increments(_, n) return n.attrs:find("set=True", 1, true) and 0 or 1 end
-- Terms, each 100, and constants that stand behind a term that is none.
function words.disorder(g, n)
  local late, term = 0, false
  for _, a in ipairs(n.args) do
    local from = core_of(g, a)
    if not (from and from.constant) then term = true elseif term then late = late + 1 end
  end
  return 100 * #n.args + late
end

--- The measure of a rule on a graph.
-- @tparam string measure as in M.of
function M.count(measure, g)
  local word, rest = measure:match("^(%w+) ?(.*)$")
  local first, second = rest:match("^(.-) by (.*)$")
  local which, by = {}, {}
  for op in (first or rest):gmatch("%S+") do which[op] = true end
  for op in (second or ""):gmatch("%S+") do by[op] = true end
  local total = word == "lines" and g.lines or word == "under" and under(g, which) or 0
  for _, n in ipairs(g.nodes) do
    if word == "nodes" then
      total = total + (computes(n) and 1 or 0)
    elseif word == "buffers" then -- results that are written to memory of their own
      total = total + (n.destroys and 0 or n.outs)
    elseif word == "mixed" then -- constants joined with values of another dtype
      local dtype = nil
      for _, a in ipairs(n.elemwise and n.args or {}) do
        local from, name = core_of(g, a)
        local d = not (from and from.args) and g.dtype[name]
        if d and dtype and d ~= dtype then total = total + 1 end
        dtype = dtype or d
      end
    elseif which[n.op] and words[word] then
      total = total + words[word](g, n, which, by)
    end
  end
  return total
end

--- Does the rule's measure go down from one graph text to the other?
-- @treturn boolean|nil nil: not
-- @treturn string what was counted
function M.lowers(rule, before, after)
  local measure = M.of[rule] or "nodes"
  local p, q = M.parse(before), M.parse(after)
  local x, y = M.count(measure, p), M.count(measure, q)
  local text = ("%s of %s: %d to %d, of %d nodes to %d"):format(measure, rule, x, y, #p.nodes, #q.nodes)
  return y < x or (y == x and #q.nodes < #p.nodes), text
end

return M
