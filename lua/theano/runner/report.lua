--- `theano report`: a page of all runs with their curves: one file without scripts from elsewhere.
-- @module theano.runner.report
local curves = require("theano.runner.plot")
local progress = require("theano.progress")
local record = require("theano.runner.record")
local runs = require("theano.runner.runs")

local M = {}

local STYLE = [[
:root { color-scheme: light dark; --line: #ccc; --soft: #f4f4f4; }
@media (prefers-color-scheme: dark) {
  :root { --line: #444; --soft: #222; }
  svg { filter: invert(0.9) hue-rotate(180deg); }
}
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
th { cursor: pointer; position: sticky; top: 0; background: var(--soft); }
td.number, th.number { text-align: right; }
.failed, .killed { color: #d33; } .running { color: #27c; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }
]]
-- Sorting by a click on a column's head.
local SCRIPT = [[
document.querySelectorAll("th").forEach((th, i) => th.addEventListener("click", () => {
  const body = th.closest("table").tBodies[0], down = th.dataset.down !== "1";
  th.dataset.down = down ? "1" : "";
  const key = r => {
    const t = r.cells[i].dataset.v ?? r.cells[i].textContent, n = parseFloat(t);
    return isNaN(n) ? t : n;
  };
  [...body.rows].sort((a, b) => { const x = key(a), y = key(b);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? 1 : -1); }).forEach(r => body.appendChild(r));
}));
]]

local function escape(s)
  return (tostring(s):gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

--- The page of a list of runs, as text.
function M.page(list, title)
  local names = runs.columns_of(list)
  local out = { "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">",
    "<meta name=\"viewport\" content=\"width=device-width\"><title>", escape(title), "</title><style>", STYLE,
    "</style><h1>", escape(title), "</h1><p>", ("%d runs, %s"):format(#list, os.date("%Y-%m-%d %H:%M")),
    "</p><table><thead><tr><th>run<th>state" }
  for _, name in ipairs(names) do
    local number = false
    for _, run in ipairs(list) do number = number or type(runs.value_of(run, name)) == "number" end
    out[#out + 1] = (number and "<th class=\"number\">" or "<th>") .. escape(name)
  end
  out[#out + 1] = "</thead><tbody>\n"
  for _, run in ipairs(list) do
    out[#out + 1] = ("<tr><td>%s<td class=\"%s\">%s"):format(escape(run.path), escape(run.state), escape(run.state))
    for _, name in ipairs(names) do
      local v = runs.value_of(run, name)
      if type(v) == "number" then
        out[#out + 1] = ("<td class=\"number\" data-v=\"%s\">%s"):format(escape(v), escape(progress.number(v)))
      else out[#out + 1] = "<td>" .. (v == nil and "" or escape(v)) end
    end
    out[#out + 1] = "\n"
  end
  out[#out + 1] = "</tbody></table>\n"
  local metrics, paths = {}, {}
  for i, run in ipairs(list) do
    paths[i] = run.path
    for name, v in pairs(run.metrics) do
      if type(v) == "number" and name ~= "epoch" and name ~= "seconds" then metrics[name] = true end
    end
  end
  local sorted = {}
  for name in pairs(metrics) do sorted[#sorted + 1] = name end
  table.sort(sorted)
  for _, name in ipairs(sorted) do
    local fig, drawn = curves.figure(paths, name, nil, { width = 900, height = 420 })
    if drawn > 0 then out[#out + 1] = "<figure>" .. fig:svg() .. "</figure>\n" end
  end
  out[#out + 1] = "<script>" .. SCRIPT .. "</script></html>\n"
  return table.concat(out)
end

function M.main(...)
  local p = require("theano.runner.words")("theano report"):description("Writes a page about runs.")
  p:argument("folder", "where they are"):args("?")
  p:option("-o --output", "the page"):default("report.html")
  local o = p:parse({ ... })
  o.folder = o.folder or "runs"
  local list = runs.all(o.folder)
  if #list == 0 then
    io.stderr:write(("theano report: there are no runs in %s\n"):format(o.folder))
    return 1
  end
  record.write(o.output, M.page(list, o.folder))
  print(o.output)
  return 0
end

return M
