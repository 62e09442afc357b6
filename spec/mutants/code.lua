--- Mistakes in the code itself: a few words changed in one file, and a spec that must fail. What once was wrong stands
-- here again, so that its spec stays able to see it.
-- @module spec.mutants.code
local M = { folder = "build/mutants/code", program = "build/mutants/code/theano" }

--- Every mistake: what it is, the file, the text before (once in the file) and after, and the spec that sees it.
M.list = {
  { name = "ties of a sort settled in too little room", file = "core/base/array/sort.c",
    before = "*word = room + 3 * n;", after = "*word = room + n;", spec = "spec/sorting_spec.lua" },
  { name = "a part of a shape taken for one of its lengths", file = "core/opt/passes/shape_feature.c",
    before = "a = v->type.ndim ? NULL : v->owner;", after = "a = v->owner;", spec = "spec/optimizations_spec.lua" },
  { name = "what a user's operation left for a later step, lost", file = "core/runtime/workspace.c",
    before = "Left *l = &w->left[h->number];", after = "Left *l = &w->left[0];",
    spec = "spec/op_spec.lua" },
  { name = "an update in its own storage keeps the old lengths", file = "core/plan/commit.c",
    before = " && v->whole && same_lengths(p, v, r);", after = " && v->whole && (same_lengths(p, v, r) || true);",
    spec = "spec/transactions_spec.lua" },
  { name = "a condition that dies in the first turn of a loop", file = "core/plan/lives.c",
    before = "keep_through(p, g->cond, lo, hi);", after = "(void)keep_through;", spec = "spec/ifelse_spec.lua" },
  { name = "comparisons of removed nodes dropped", file = "core/opt/passes/written.c",
    before = "if (compares(a)) a->flags |= APPLY_CHECKS;", after = "(void)compares;", spec = "spec/lengths_spec.lua" },
  { name = "a pooling takes a part of a convolution's images for all of them", file = "core/plan/kernels/feeds.c",
    before = "sizes_same(&p->sizes, from[CONV_AT_IMAGES], to[POOL_AT_IMAGES]) &&", after = "true &&",
    spec = "spec/conv_spec.lua" },
  { name = "a convolution that may fail in a step that overwrites a shared variable",
    file = "core/plan/kernels/feeds.c",
    before = "if (group_writes_foreign(p, pool->group) && conv->k->can_fail) return false;", after = "",
    spec = "spec/conv_spec.lua" },
  { name = "the value of a row for a block that goes on into the next", file = "core/runtime/interp/flat.c",
    before = "r->same = r->along >= SIMD_BLOCK && r->along + r->len <= each;",
    after = "r->same = r->along >= SIMD_BLOCK;", spec = "spec/conv_spec.lua" },
  { name = "a draw that several kernels read, gone with the first of them", file = "core/plan/kernels/group.c",
    before = "(!group_alone_reads(p, draw, f->group) ||", after = "((group_alone_reads(p, draw, f->group), false) ||",
    spec = "spec/draw_fusion_spec.lua" },
  { name = "states overwritten block by block, each looked at when its turn comes", file = "core/runtime/random/draw.c",
    before = "bool good = m.w.valid || m.w.to != m.w.from || used <= MRG_WIDE;", after = "bool good = true;",
    spec = "spec/draw_fusion_spec.lua" },
}
for _, m in ipairs(require("spec.mutants.choices")) do M.list[#M.list + 1] = m end

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read("a")
end

local function write(path, text)
  local file <close> = assert(io.open(path, "w"))
  file:write(text)
end

local function command(text)
  local pipe = assert(io.popen(text .. " 2>&1"))
  local out = pipe:read("a")
  local ok, _, code = pipe:close()
  return out, ok and 0 or code
end

--- The text of a file with the mistake in it.
function M.broken(m)
  local text = read(m.file)
  local from, to = text:find(m.before, 1, true)
  assert(from, ("%s: %s has no such text any more: %s"):format(m.name, m.file, m.before))
  assert(not text:find(m.before, to + 1, true), ("%s: twice in %s"):format(m.name, m.file))
  return text:sub(1, from - 1) .. m.after .. text:sub(to + 1)
end

-- The compiler's call for a file, and the linker's for the runner, as ninja makes them.
local function compile_command(path)
  for line in command("ninja -C build -t commands runner"):gmatch("[^\n]+") do
    if line:find("/" .. path, 1, true) and line:find(" -c ", 1, true) then return line end
  end
end
local function link_command()
  local last
  for line in command("ninja -C build -t commands runner"):gmatch("[^\n]+") do
    if line:find("%-o theano ") then last = line end
  end
  return assert(last, "ninja knows no runner")
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- Builds a runner with the mistake.
function M.build(m)
  local folder, base = m.file:match("^(.*)/([^/]*)$")
  os.execute("mkdir -p " .. M.folder)
  local here = command("pwd"):match("[^\n]+")
  local made = ("%s/%s/%s"):format(here, M.folder, base)
  write(made, M.broken(m))
  local call = assert(compile_command(m.file), "ninja does not compile " .. m.file)
  local object = assert(call:match(" %-o (%S+)"))
  call = call:gsub(" %-M[DTF] ?%S*%.o%S*", ""):gsub(" %-MD", "")
    :gsub(" %-o %S+", function() return (" -o %s.o"):format(made) end, 1)
    :gsub(" %-c %S+", function() return (" -I%s/%s -c %s"):format(here, folder, made) end, 1)
  local out, code = command("cd build && " .. call)
  assert(code == 0, out)
  local link = link_command():gsub(" " .. object:gsub("%p", "%%%0") .. " ",
    function() return (" %s.o "):format(made) end, 1)
    :gsub("%-o theano ", function() return ("-o %s/%s "):format(here, M.program) end, 1)
  out, code = command("cd build && sh -c " .. quoted(link))
  assert(code == 0, out)
end

--- Runs mistakes (all for an empty list): n, caught, survivors.
function M.run(wanted, say)
  local result, only = { n = 0, caught = 0, survivors = {} }, {}
  for _, n in ipairs(wanted) do only[n] = true end
  for k, m in ipairs(M.list) do
    if #wanted == 0 or only[k] then
      result.n = result.n + 1
      M.build(m)
      local _, code = command(("timeout 600 %s /usr/bin/busted %s"):format(M.program, m.spec))
      if code ~= 0 then
        result.caught = result.caught + 1
      else
        result.survivors[#result.survivors + 1] = m.name
        say(("survived: %s (%s)"):format(m.name, m.spec))
      end
    end
  end
  return result
end

return M
