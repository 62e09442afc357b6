--- `theano plot run1 run2 --metric loss`: curves of runs as a picture.
-- @module theano.runner.plot
local plot = require("theano.plot")
local record = require("theano.runner.record")
local util = require("theano.util")

local M = {}

-- What runs are called in a figure: their arguments that are not the same for all, or where they lie.
local function labels_of(paths)
  local args, first, differs, names = {}, {}, {}, {}
  for i, path in ipairs(paths) do
    args[i] = (record.load_json(path, "config.json") or {}).args or {}
    for name, v in pairs(args[i]) do
      if first[name] == nil then first[name] = v
      elseif first[name] ~= v and not differs[name] then
        differs[name] = true
        names[#names + 1] = name
      end
    end
  end
  table.sort(names)
  local labels = {}
  for i, path in ipairs(paths) do
    local words = {}
    for _, name in ipairs(names) do
      local v = args[i][name]
      if type(v) == "number" then v = util.format("%.6g", v) end
      if v ~= nil then words[#words + 1] = name .. "=" .. tostring(v) end
    end
    labels[i] = #words > 0 and table.concat(words, " ") or path:match("([^/]+/[^/]+)$") or path
  end
  return labels
end

--- A figure of a metric of runs, over `x` (by the number of lines when they have none).
-- @tparam table paths folders
-- @tparam string metric
-- @tparam[opt="epoch"] string x
function M.figure(paths, metric, x, o)
  o = o or {}
  local fig = plot.figure { title = metric, xlabel = x or "epoch", ylabel = metric, ylog = o.log, width = o.width,
    height = o.height }
  local drawn, labels = 0, #paths <= 12 and labels_of(paths) or {}
  for k, path in ipairs(paths) do
    local xs, ys = {}, {}
    for i, values in ipairs(record.metrics(path)) do
      if type(values[metric]) == "number" then
        local at = values[x or "epoch"]
        at = type(at) == "number" and at or i
        if not x or x == "epoch" then -- it went on from a checkpoint before
          while xs[#xs] and xs[#xs] >= at do xs[#xs], ys[#ys] = nil, nil end
        end
        xs[#xs + 1], ys[#ys + 1] = at, values[metric]
      end
    end
    if #ys > 0 then
      drawn = drawn + 1
      fig:line(xs, ys, { label = labels[k] })
    end
  end
  return fig, drawn
end

function M.main(...)
  local p = require("theano.runner.words")("theano plot"):description("Draws curves of runs.")
  p:argument("run", "folders of runs"):args("+")
  p:option("--metric", "what is drawn"):default("loss")
  p:option("-x", "over what"):default("epoch")
  p:option("-o --output", ".svg, or .png by librsvg"):default("plot.svg")
  p:flag("--log", "a logarithmic axis")
  local o = p:parse({ ... })
  for _, path in ipairs(o.run) do
    if not record.exists(path .. "/config.json") then
      io.stderr:write(("theano plot: %s is no folder of a run\n"):format(path))
      return 2
    end
  end
  if not o.output:find("%.svg$") and not o.output:find("%.png$") then
    io.stderr:write(("theano plot: %s is neither .svg nor .png\n"):format(o.output))
    return 2
  end
  local fig, drawn = M.figure(o.run, o.metric, o.x, { log = o.log })
  if drawn == 0 then
    io.stderr:write(("theano plot: no run has kept '%s'\n"):format(o.metric))
    return 1
  end
  fig:save(o.output)
  print(o.output)
  return 0
end

return M
