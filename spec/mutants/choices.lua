--- Mistakes in the chooser of schedules: a threshold moved by one, a condition dropped. Each changes a golden schedule.
-- @module spec.mutants.choices
local list = {}
local function mistake(name, before, after)
  list[#list + 1] = { name = name, file = "core/schedule/choose.c", before = before, after = after,
    spec = "spec/schedule_spec.lua" }
end

mistake("rows by several vectors up to 23 instructions",
  "{ MOST_INS = 24, CHAINS = 4 }", "{ MOST_INS = 23, CHAINS = 4 }")
mistake("rows by several vectors up to 25 instructions",
  "{ MOST_INS = 24, CHAINS = 4 }", "{ MOST_INS = 25, CHAINS = 4 }")
mistake("five chains of positions", "CHAINS = 4 }", "CHAINS = 5 }")
mistake("rows by several vectors however many stay in registers", " && live <= t->target->registers;", ";")
mistake("accumulators in one register less", "live <= t->target->registers;", "live < t->target->registers;")
mistake("seven vectors of columns", "COLUMNS = 8 }", "COLUMNS = 7 }")
mistake("columns together up to 23 instructions", "enum { MOST_INS = 24 };", "enum { MOST_INS = 23 };")
mistake("columns together up to 25 instructions", "enum { MOST_INS = 24 };", "enum { MOST_INS = 25 };")
mistake("columns together however many reductions there are", "return n < COLUMNS ? n : COLUMNS;", "return COLUMNS;")
mistake("vector math at 19 operations", "MATH = 20 }", "MATH = 19 }")
mistake("masks from 159 operations on", "LONG = 160 }", "LONG = 159 }")
mistake("masks from 161 operations on", "LONG = 160 }", "LONG = 161 }")
mistake("masks beside bytes", "if (a && th_dtype_bytes((ThDtype)a->dtype) < 4) return false;", "")
mistake("masks that a target does not have",
  "return t->target->masks && decide(c, IN_MASKS,", "return decide(c, IN_MASKS,")
mistake("memcpy from less on", "LONG = 512 }", "LONG = 256 }")
mistake("memcpy that no one asked whether it may be",
  "if (!copy_may(t, loop)) return 0;", "if (!copy_may(t, loop)) return 1;")
mistake("places sought in rows of three vectors",
  "enum { LONG = 4 }; /* vectors */", "enum { LONG = 3 }; /* vectors */")
mistake("places sought that no one asked whether they may be", "seek_may(t, loop) && decide(c, IN_SEEK",
  "loop->stage && decide(c, IN_SEEK")
mistake("no masks for what is left of a row", "if (t->target->masks && unroll_may_mask(t, loop))", "if (false)")
mistake("what is left of a row under masks that a target does not have",
  "if (t->target->masks && unroll_may_mask(t, loop))", "if (unroll_may_mask(t, loop))")
mistake("reciprocals without fused multiply-adds", "!t->target->fused || bytes < 32 ||", "")
mistake("reciprocals in half a vector", " || bytes < 32 ||", " ||")
mistake("reciprocals of float64 alone",
  "bool pays = i->dtype == TH_FLOAT64 || (by->depth == 0 && !lanes_is_vector(t, w, i->b));",
  "bool pays = i->dtype == TH_FLOAT64;")
mistake("reciprocals of float32 for each row", "(by->depth == 0 && !lanes_is_vector(t, w, i->b))", "true")
mistake("rows side by side at indices of unknown rows", "IN_SIDE, !indices || known,", "IN_SIDE, true,")
mistake("no rows side by side at indices", "IN_SIDE, !indices || known,", "IN_SIDE, !indices,")
mistake("a version that is not known to be one",
  "bool indices = false, known = c->ask.known;", "bool indices = false, known = false;")
mistake("constant lengths taken for unknown", "known |= k->dim[k->st.at[s].d0 + k->st.at[s].nd - 1].n.sym < 0;",
  "known |= false;")
mistake("short rows of positions", "SHORT = SIDE_MOST,", "SHORT = SIDE_MOST - 1,")
mistake("short rows in 16 lanes", "SHORT_16 = 48,", "SHORT_16 = 47,")
mistake("short rows in halves", "SHORT_HALVES = 31,", "SHORT_HALVES = 32,")
mistake("short rows in 8 lanes", "SHORT_8 = 24,", "SHORT_8 = 25,")
mistake("short rows without masks", "SHORT_UNMASKED = 15 }", "SHORT_UNMASKED = 16 }")
mistake("sums taken for positions", "sums |= !red_is_arg(&k->red.at[r]);", "sums |= false;")
mistake("halves not looked for", "halves |= nest_halves(t, w, k->red.at[r].stage, r);", "halves |= false;")
mistake("eight lanes taken for sixteen", "w->lanes[0] < 16 ? SHORT_8", "w->lanes[0] < 8 ? SHORT_8")
mistake("side by side from five rows on", "FEW = 6 }", "FEW = 5 }")
mistake("one run from so many rows on", ".least = 2 * lanes,", ".least = lanes,")
mistake("one run of rows as long as two vectors", ".below = 2 * lanes,", ".below = 2 * lanes + 1,")
mistake("one run of rows as long as a vector", ".but = lanes}", ".but = 0}")
mistake("no look at what fails without points", "if (grid_may_fail(t) && !(t->none", "if (false && !(t->none")
mistake("rows side by side one by one", "w->lanes[0] == 1) return !t->failed;", "false) return !t->failed;")
mistake("no reciprocals side by side", "    quotients(t, w, c);\n    return side_apply", "    return side_apply")
mistake("pieces of few rows of columns",
  "if (k->st.at[s].vec == 0) return CHOOSE_NARROW;", "if (false) return CHOOSE_NARROW;")
mistake("no reciprocals in rows", "    quotients(t, t->way, c);\n", "")
mistake("lines asked for by narrow vectors too",
  "decide(c, IN_FETCH, t->target->masks, 0.9)", "decide(c, IN_FETCH, true, 0.9)")
mistake("no lines asked for", "decide(c, IN_FETCH, t->target->masks, 0.9)", "decide(c, IN_FETCH, false, 0.9)")
mistake("blocks for threads that there are not",
  "blocks_apply(t, threads && blocks_may_share(t))", "blocks_apply(t, blocks_may_share(t))")
mistake("blocks for one thread", "blocks_apply(t, threads && blocks_may_share(t))", "blocks_apply(t, false)")
mistake("pieces for threads that there are not", "return !threads || !split_may(t) ||", "return !split_may(t) ||")
mistake("pieces where rows are not apart", "return !threads || !split_may(t) ||", "return !threads ||")
mistake("no tiles of products on a GPU", "if (grid_may(&like, GRID_TILES, 0)) return", "if (false) return")
mistake("rows by a thread each on a GPU", "if (!tiny && grid_may(&like, GRID_BLOCK, k->nouter))", "if (false)")
mistake("points by blocks alone", "if (!grid_may(&like, GRID_THREAD, depth)) return", "if (true) return")
mistake("no blocks for long reductions", "if (t && grid_folds(&like, depth)) {", "if (false) {")
mistake("blocks for what is no reduction", "if (t && grid_folds(&like, depth)) {", "if (t) {")

return list
