--- The page that htmlprint fills: one file, no network. `@@NAME@@` marks what is put in. The graph is drawn on a
-- canvas, so that thousands of nodes stay quick; everything else is plain HTML.
-- @module theano.page
return [==[<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>@@TITLE@@</title>
<style>
:root { --bg:#fbfaf7; --fg:#22211e; --dim:#6d6a63; --line:#dcd8cf; --panel:#fff; --accent:#0a58a6; --mark:#f4b400;
  --new:#1d8a4a; --gone:#c0392b; --box:#fff; color-scheme: light; }
:root.dark { --bg:#191a1d; --fg:#e8e6e1; --dim:#9b978f; --line:#3a3b40; --panel:#222327; --accent:#7db8f5;
  --mark:#f4b400;
  --new:#5ccf8a; --gone:#ff7b6b; --box:#2a2b30; color-scheme: dark; }
* { box-sizing: border-box }
html, body { height:100%; margin:0; background:var(--bg); color:var(--fg); font:14px/1.45 system-ui, sans-serif }
body { display:grid; grid-template:auto 1fr auto / 1fr minmax(320px, 30%); height:100vh; height:100dvh }
header { grid-column:1/3; display:flex; flex-wrap:wrap; gap:6px 12px; align-items:center; padding:8px 12px;
  border-bottom:1px solid var(--line); background:var(--panel) }
header h1 { font-size:15px; margin:0 8px 0 0; overflow:hidden; text-overflow:ellipsis; white-space:nowrap;
  max-width:40vw }
input, select, button { font:inherit; color:inherit; background:var(--bg); border:1px solid var(--line);
  border-radius:6px;
  padding:4px 8px; min-height:32px }
button { cursor:pointer } button[aria-selected=true] { border-color:var(--accent); color:var(--accent) }
input[type=range] { padding:0; flex:1; min-width:120px; accent-color:var(--accent) }
input[type=search] { width:190px }
main { position:relative; overflow:hidden; min-height:0; min-width:0 }
canvas { display:block; width:100%; height:100%; touch-action:none; cursor:grab } canvas:active { cursor:grabbing }
#tip { position:absolute; pointer-events:none; background:var(--panel); border:1px solid var(--line); border-radius:6px;
  padding:3px 8px; font-size:12px; max-width:340px; display:none; overflow-wrap:anywhere }
aside { border-left:1px solid var(--line); background:var(--panel); overflow:auto; padding:10px 14px; min-width:0 }
footer { grid-column:1/3; display:flex; flex-wrap:wrap; gap:4px 12px; align-items:center; padding:6px 12px;
  border-top:1px solid var(--line); background:var(--panel) }
nav { display:flex; flex-wrap:wrap; gap:6px; margin-bottom:10px }
h2 { font-size:13px; margin:14px 0 4px; color:var(--dim); font-weight:600 }
pre, code { font:12px/1.5 ui-monospace, monospace } code { overflow-wrap:anywhere }
pre { background:var(--bg); border:1px solid var(--line); border-radius:6px; padding:8px; overflow:auto; margin:4px 0 }
table { border-collapse:collapse; width:100%; font-size:12px } td, th { text-align:left; padding:3px 6px 3px 0;
  border-bottom:1px solid var(--line); vertical-align:top; overflow-wrap:anywhere }
th { color:var(--dim); font-weight:600; position:sticky; top:-10px; background:var(--panel) }
td.n, th.n { text-align:right; white-space:nowrap; font-variant-numeric:tabular-nums }
tr.pick { cursor:pointer } tr.pick:hover td { color:var(--accent) }
a { color:var(--accent); cursor:pointer; text-decoration:none } a:hover { text-decoration:underline }
.check { display:inline-flex; align-items:center; gap:5px } .check input { min-height:0 }
.dim { color:var(--dim) } .src { margin:2px 0 6px } .bar { height:4px; background:var(--accent); border-radius:2px }
svg { width:100%; height:auto; display:block } svg rect:hover { stroke:var(--fg) }
@media (max-width:760px) { body { grid-template:auto minmax(260px, 52vh) auto 1fr / 1fr; height:auto; min-height:100vh }
  header, footer { grid-column:1 } main { height:52vh } footer { order:3 } aside { order:4; border-left:0;
  overflow:visible }
  header h1 { max-width:100%; width:100% } input[type=search] { flex:1; width:auto } }
</style></head><body>
<header><h1 id="title">@@TITLE@@</h1>
<input id="search" type="search" placeholder="search: op, name,
  line" aria-label="search"><span id="found" class="dim"></span>
<select id="color" aria-label="colours"><option value="kind">colour: kind</option><option value="time">colour:
  time</option>
<option value="bytes">colour: bytes</option><option value="new">colour: changed here</option></select>
<button id="unfold">unfold all</button><button id="fit">fit</button><button id="theme">dark</button></header>
<main><canvas id="canvas" tabindex="0" aria-label="graph"></canvas><div id="tip"></div></main>
<aside><nav id="tabs" role="tablist"></nav><div id="panel"></div></aside>
<footer><button id="back" aria-label="pass before">&#9664;</button>
<input id="pass" type="range" min="0" value="0" aria-label="pass"><button id="on" aria-label="next
  pass">&#9654;</button>
<label class="check"><input type="checkbox" id="before"> before</label><span id="where" class="dim"></span></footer>
<script type="application/json" id="history">@@HISTORY@@</script>
<script type="application/json" id="describe">@@DESCRIBE@@</script>
<script type="application/json" id="lines">@@LINES@@</script>
<script>
"use strict";
const $ = id => document.getElementById(id), read = id => JSON.parse($(id).textContent);
const H = read("history"), D = read("describe"), LINES = read("lines"), ROOT = H.graphs[0];
const state = { pass: ROOT.passes.length - 1, before: false, open: new Set(), pick: null, tab: "node", hits: [],
  hit: 0,
  color: "kind", x: 0, y: 0, k: 1 };
const esc = s => String(s).replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c]));
const fmt = (v, unit) => { if (v == null) return "";
  for (const [f, p] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (v >= f) return (v / f).toPrecision(3)
    + " " + p + unit;
  return (Number.isInteger(v) ? v : v.toPrecision(3)) + " " + unit; };
const secs = s => s == null ? "" : s >= 1 ? s.toPrecision(3) + " s" : s >= 1e-3 ? (s * 1e3).toPrecision(3) + " ms"
  : s >= 1e-6 ? (s * 1e6).toPrecision(3) + " \u00b5s" : s > 0 ? (s * 1e9).toPrecision(3) + " ns" : "0";

// ---- graphs ---------------------------------------------------------------------------------------------------------
const KINDS = [[/^(for\{|forall|do_while|Scan)/, "#e3b505"], [/^if\{/, "#c060c0"], [/GpuFromHost|HostFromGpu/,
  "#d04030"],
  [/^Elemwise/, "#d9738c"], [/Subtensor/, "#a77bd8"], [/Alloc/, "#e58f29"], [/Shape|DimShuffle|MakeVector/,
    "#9a7b5a"],
  [/Gem[mv]|Dot22|^dot|BatchedDot|Conv/, "#3f88c5"], [/Sum|Reduce|MaxAndArgmax|Prod|Softmax/, "#3aa17e"]];
const kindColor = op => { for (const [r, c] of KINDS) if (r.test(op)) return c; return "#8a8a8a"; };
const orderAt = (g, p) => { while (p > 0 && !g.passes[p].order) p--; return g.passes[p].order || []; };
const bodyOf = (g, id) => H.graphs.filter(b => b.of === g.index && b.node === id);
H.graphs.forEach((g, i) => { g.index = i; });
const keyOf = (g, r) => g.index + ":" + r.id;
const canOpen = (g, r) => bodyOf(g, r.id).length > 0 || /Composite\{/.test(r.op);
const finalIndex = new Map(orderAt(ROOT, ROOT.passes.length - 1).map((r, i) => [ROOT.records[r].id, i]));
const stepsOf = new Map();
if (D) D.steps.forEach((s, i) => s.nodes.forEach(n => stepsOf.set(n, (stepsOf.get(n) || []).concat(i))));
const cost = (g, r, what) => { if (g !== ROOT || !D) return null; const i = finalIndex.get(r.id);
  if (i == null) return null; let sum = null;
  for (const s of stepsOf.get(i) || []) { const v = what === "time" ? D.steps[s].seconds : D.steps[s].bytes;
    if (v != null && D.steps[s].nodes[D.steps[s].nodes.length - 1] === i) sum = (sum || 0) + v; }
  return sum; };
const most = { time: 0, bytes: 0 };
const label = r => { const m = /^Elemwise\{([\w ]+)(,no_inplace)?\}/.exec(r.op);
  if (m && m[1] !== "Composite") return m[1];
  if (/Composite\{/.test(r.op)) return "Composite"; return r.op.length > 44 ? r.op.slice(0, 42) + "\u2026" : r.op; };
const formula = r => (/Composite\{(.*)\}\}/.exec(r.op) || [, r.op])[1];

const outName = (g, k) => k < g.results ? "output " + k : "new " + (g.updates[k - g.results] || "value");

// Boxes and edges of one graph at a pass; a loop that is open has its body's boxes inside.
function model(g, pass) {
  const order = orderAt(g, pass), boxes = [], byId = new Map(), byLeaf = new Map(), edges = [];
  const add = b => { boxes.push(b); return b; };
  for (const i of order) { const r = g.records[i];
    byId.set(r.id, add({ g, r, text: label(r), name: (r.names || []).find(n => n), rank: 0, ins: [], outs: [] })); }
  const source = ref => { if (Array.isArray(ref)) return byId.get(ref[0]);
    const l = g.leaves[ref]; if (!l || l.kind === "constant") return null;
    if (!byLeaf.has(ref)) byLeaf.set(ref, add({ g, leaf: l, text: l.text, rank: -1, ins: [], outs: [] }));
    return byLeaf.get(ref); };
  const join = (a, b, port, n) => { const e = { a, b, port, n }; edges.push(e); a.outs.push(e); b.ins.push(e); };
  for (const b of boxes.slice()) if (b.r) b.r.in.forEach((ref, k) => { const s = source(ref);
    if (s) join(s, b, k, b.r.in.length); });
  (g.passes[pass].out || []).forEach((ref, k) => { const s = source(ref); if (!s) return;
    join(s, add({ g, out: k, text: outName(g, k), rank: 0, ins: [], outs: [] }), 0, 1); });
  for (const b of boxes) { b.w = Math.max(56, Math.min(360, 7.1 * (b.text.length + (b.name ? b.name.length + 3 : 0))
    + 26));
    b.h = b.r ? 30 : 24;
    if (b.r && state.open.has(keyOf(g, b.r))) unfold(b); }
  arrange(boxes);
  return { boxes, edges };
}

function unfold(b) {
  const bodies = bodyOf(b.g, b.r.id);
  if (!bodies.length) { const t = formula(b.r), lines = t.match(/.{1,46}/g) || [t];
    b.lines = lines.slice(0, 40); b.w = Math.max(b.w, 6.7 * Math.max(...b.lines.map(l => l.length)) + 20);
    b.h = 34 + 15 * b.lines.length; return; }
  let x = 12, h = 0; b.inner = [];
  for (const body of bodies) { const m = model(body, body.passes.length - 1), e = extent(m.boxes);
    for (const q of m.boxes) { q.x += x - e.x; q.y += 34 - e.y; }
    b.inner.push(m); x += e.w + 24; h = Math.max(h, e.h); }
  b.w = Math.max(b.w, x); b.h = h + 52;
}

const extent = boxes => { let x = 1e9, y = 1e9, X = -1e9, Y = -1e9;
  for (const b of boxes) { x = Math.min(x, b.x); y = Math.min(y, b.y); X = Math.max(X, b.x + b.w);
    Y = Math.max(Y, b.y + b.h); }
  return boxes.length ? { x, y, w: X - x, h: Y - y } : { x: 0, y: 0, w: 10, h: 10 }; };

// In layers from the inputs down; within a layer near what they are joined to.
function arrange(boxes) {
  for (const b of boxes) if (b.r) for (const e of b.ins) if (e.a.r) b.rank = Math.max(b.rank, e.a.rank + 1);
  // What has more readers than operands stands by its readers: shorter edges, and a narrow picture of a deep network.
  for (const b of boxes.slice().reverse()) if (b.r && b.outs.length) {
    const own = b.ins.reduce((n, e) => n + (e.a.r ? 1 : 0), 0), last = b.outs.reduce((m, e) =>
      e.b.r ? Math.min(m, e.b.rank) : m, 1e9);
    if (own <= b.outs.length - (own ? 1 : 0) && last < 1e9) b.rank = Math.max(b.rank, last - 1); }
  for (const b of boxes) if (b.out != null) b.rank = b.ins[0].a.rank + 1;
  for (const b of boxes) if (b.leaf) b.rank = b.outs.reduce((m, e) => Math.min(m, e.b.rank), 1e9) - 1;
  const low = boxes.reduce((m, b) => Math.min(m, b.rank), 0), layers = [];
  for (const b of boxes) (layers[b.rank - low] = layers[b.rank - low] || []).push(b);
  for (let i = 0; i < layers.length; i++) layers[i] = layers[i] || [];
  const seat = l => { let x = 0; for (const b of l) { b.x = x; x += b.w + 22; }
    for (const b of l) b.x -= x / 2; };
  layers.forEach(seat);
  const mid = b => b.x + b.w / 2;
  const want = (b, up) => { const es = up ? b.ins : b.outs; if (!es.length) return mid(b);
    let s = 0; for (const e of es) s += mid(up ? e.a : e.b); return s / es.length; };
  for (let turn = 0; turn < 6; turn++) { const up = turn % 2 === 0;
    for (const l of up ? layers : layers.slice().reverse()) {
      for (const b of l) b.want = want(b, up);
      l.sort((a, b) => a.want - b.want);
      let right = -1e15, off = 0;
      for (const b of l) { b.x = Math.max(b.want - b.w / 2, right + 22); right = b.x + b.w; off += mid(b) - b.want; }
      off /= l.length || 1; for (const b of l) b.x -= off; } }
  let y = 0;
  for (const l of layers) { const h = l.reduce((m, b) => Math.max(m, b.h), 0);
    for (const b of l) b.y = y + (h - b.h) / 2; y += h + 40; }
}

// ---- drawing --------------------------------------------------------------------------------------------------------
const canvas = $("canvas"), ctx = canvas.getContext("2d");
let view = { boxes: [], edges: [] }, changed = new Set(), gone = new Set(), asked = false, hitSet = new Set(),
  css = {};
function colors() { const s = getComputedStyle(document.documentElement);
  for (const n of ["bg", "fg", "dim", "line", "panel", "accent", "mark", "new", "gone", "box"])
    css[n] = s.getPropertyValue("--" + n).trim(); }
const draw = () => { if (!asked) { asked = true; requestAnimationFrame(paint); } };
function resize() { const r = canvas.getBoundingClientRect(), d = devicePixelRatio || 1;
  canvas.width = Math.max(1, r.width * d); canvas.height = Math.max(1, r.height * d); draw(); }
function heat(b) {
  if (b.r && state.color !== "kind" && state.color !== "new") { const c = cost(b.g, b.r, state.color);
    if (c == null || !most[state.color]) return css.line;
    const f = Math.sqrt(c / most[state.color]); return `hsl(${Math.round(210 - 205 * f)} 75% ${50 + 8 * f}%)`; }
  if (b.r && state.color === "new") return changed.has(b.r.id) ? css.new : gone.has(b.r.id) ? css.gone : css.line;
  return b.r ? kindColor(b.r.op) : b.leaf ? (b.leaf.kind === "shared" ? "#17a2b8" : "#4caf50") : "#4a6fd4"; }
function paint() {
  asked = false;
  const d = devicePixelRatio || 1, w = canvas.width / d, h = canvas.height / d;
  ctx.setTransform(d, 0, 0, d, 0, 0); ctx.fillStyle = css.bg; ctx.fillRect(0, 0, w, h);
  ctx.setTransform(d * state.k, 0, 0, d * state.k, d * state.x, d * state.y);
  const area = { x: -state.x / state.k, y: -state.y / state.k, w: w / state.k, h: h / state.k };
  layer(view, area, 0, 0);
}
function layer(m, a, dx, dy) {
  const pick = state.pick, fine = state.k > 0.18, faint = fine ? 0.55 : Math.max(0.08, Math.min(0.55,
    500 / (m.edges.length + 1)));
  ctx.lineWidth = Math.max(1, 0.7 / state.k);
  for (const hot of [false, true]) { ctx.beginPath();
    for (const e of m.edges) { const on = pick != null && (e.a === pick || e.b === pick); if (on !== hot) continue;
      const x1 = e.a.x + e.a.w / 2 + dx, y1 = e.a.y + e.a.h + dy, y2 = e.b.y + dy,
        x2 = e.b.x + e.b.w * (e.port + 1) / (e.n + 1) + dx;
      if (Math.max(x1, x2) < a.x || Math.min(x1, x2) > a.x + a.w || Math.max(y1, y2) < a.y || Math.min(y1, y2) > a.y
        + a.h)
        continue;
      ctx.moveTo(x1, y1);
      if (fine) { const c = Math.max(14, Math.min(120, (y2 - y1) / 2));
        ctx.bezierCurveTo(x1, y1 + c, x2, y2 - c, x2, y2); }
      else ctx.lineTo(x2, y2); }
    ctx.strokeStyle = hot ? css.accent : css.dim; ctx.globalAlpha = hot ? 1 : faint; ctx.stroke();
      ctx.globalAlpha = 1; }
  for (const b of m.boxes) { const x = b.x + dx, y = b.y + dy;
    if (x > a.x + a.w || x + b.w < a.x || y > a.y + a.h || y + b.h < a.y) continue;
    box(b, x, y);
    if (b.inner) for (const q of b.inner) layer(q, a, x, y); }
}
function box(b, x, y) {
  const c = heat(b), hit = hitSet.has(b), big = b === state.pick;
  if (state.k < 0.1) { // from afar: a mark of its colour, never smaller than two pixels
    const s = (big || hit ? 4 : 2) / state.k, w = Math.max(b.w, s), h = Math.max(b.h, s);
    ctx.fillStyle = big ? css.accent : hit ? css.mark : b.r && changed.has(b.r.id) ? css.new : c;
    ctx.fillRect(x + (b.w - w) / 2, y + (b.h - h) / 2, w, h);
    return; }
  ctx.fillStyle = css.box; ctx.strokeStyle = big ? css.accent : hit ? css.mark : b.r && changed.has(b.r.id) ? css.new
    : b.r && gone.has(b.r.id) ? css.gone : c;
  ctx.lineWidth = (big || hit ? 3 : b.r && (changed.has(b.r.id) || gone.has(b.r.id)) ? 2.5 : 1.2) / Math.min(1,
    Math.max(0.3, state.k));
  ctx.beginPath();
  if (ctx.roundRect) ctx.roundRect(x, y, b.w, b.h, b.r ? 8 : 2); else ctx.rect(x, y, b.w, b.h);
  ctx.fill(); ctx.globalAlpha = hit ? 0.5 : 0.28; ctx.fillStyle = hit ? css.mark : c; ctx.fill();
    ctx.globalAlpha = 1; ctx.stroke();
  if (state.k * 12 < 4.5) return;
  ctx.fillStyle = css.fg; ctx.textBaseline = "middle"; ctx.textAlign = "center";
    ctx.font = "12px system-ui, sans-serif";
  const top = b.inner || b.lines ? y + 16 : y + b.h / 2;
  ctx.fillText((b.name ? b.name + " = " : "") + b.text, x + b.w / 2, top, b.w - 8);
  if (b.r && canOpen(b.g, b.r)) { ctx.textAlign = "left"; ctx.fillStyle = css.dim;
    ctx.fillText(b.inner || b.lines ? "\u25be" : "\u25b8", x + 5, top); }
  if (b.lines) { ctx.font = "11px ui-monospace, monospace"; ctx.textAlign = "left"; ctx.fillStyle = css.fg;
    b.lines.forEach((l, i) => ctx.fillText(l, x + 10, y + 36 + 15 * i)); }
}
function at(px, py) { let x = (px - state.x) / state.k, y = (py - state.y) / state.k, found = null;
  const look = (m, dx, dy) => { for (const b of m.boxes) { const X = b.x + dx, Y = b.y + dy;
    if (x >= X && x <= X + b.w && y >= Y && y <= Y + b.h) { found = b; if (b.inner) for (const q of b.inner) look(q,
      X, Y); } } };
  look(view, 0, 0); return found; }
function fit(all) { const e = extent(view.boxes), r = canvas.getBoundingClientRect();
  state.k = Math.min(1.4, (r.width - 30) / e.w, (r.height - 30) / e.h) || 1;
  if (!all && state.k < 0.45) state.k = 0.45; // legible first; the button shows all of it
  state.x = r.width / 2 - (e.x + e.w / 2) * state.k;
  state.y = e.h * state.k > r.height ? 15 - e.y * state.k : r.height / 2 - (e.y + e.h / 2) * state.k; draw(); }
function zoom(f, px, py) { const k = Math.min(5, Math.max(0.01, state.k * f)); f = k / state.k;
  state.x = px - (px - state.x) * f; state.y = py - (py - state.y) * f; state.k = k; draw(); }
function center(b) { const r = canvas.getBoundingClientRect(); if (state.k < 0.5) state.k = 0.8;
  state.x = r.width / 2 - (b.x + b.w / 2) * state.k; state.y = r.height / 2 - (b.y + b.h / 2) * state.k; draw(); }

// ---- what is shown --------------------------------------------------------------------------------------------------
function show(keep) {
  const p = state.before ? Math.max(0, state.pass - 1) : state.pass, pass = ROOT.passes[state.pass];
  const ids = q => new Set(orderAt(ROOT, q).map(i => ROOT.records[i].id));
  const now = ids(state.pass), old = ids(Math.max(0, state.pass - 1));
  changed = new Set(); gone = new Set();
  if (state.pass > 0) { for (const i of now) if (!old.has(i)) changed.add(i);
    for (const i of old) if (!now.has(i)) gone.add(i); }
  const was = state.pick && state.pick.r && state.pick.r.id;
  view = model(ROOT, p); state.pick = was == null ? null : view.boxes.find(b => b.r && b.r.id === was) || null;
  most.time = most.bytes = 0;
  for (const b of view.boxes) if (b.r) for (const w of ["time", "bytes"]) most[w] = Math.max(most[w], cost(ROOT,
    b.r, w) || 0);
  $("pass").value = state.pass;
  $("where").textContent = `${state.pass}/${ROOT.passes.length - 1} ${pass.name}: ${pass.events.length} rewrites, `
    + `${now.size} nodes` + (pass.seconds ? ", " + secs(pass.seconds) : "");
  search($("search").value, true);
  if (!keep) fit(); else draw();
  panel();
}
function search(text, quiet) {
  const t = text.trim().toLowerCase(), all = [];
  const look = m => { for (const b of m.boxes) { all.push(b); if (b.inner) b.inner.forEach(look); } };
  look(view);
  state.hits = t ? all.filter(b => (b.text + " " + (b.name || "") + " " + (b.r ? b.r.op + " " + b.r.places + " "
    + (b.r.rule || "") + " " + (b.r.names || []).join(" ") : b.leaf ? b.leaf.places
      : "")).toLowerCase().includes(t)) : [];
  hitSet = new Set(state.hits); state.hit = 0;
  $("found").textContent = t ? `${state.hits.length} found` : "";
  if (!quiet && state.hits.length) center(state.hits[0]); else draw();
  return state.hits.length;
}
const toggle = b => { const key = keyOf(b.g, b.r); state.open.has(key) ? state.open.delete(key) : state.open.add(key);
  show(true); };
function unfoldAll() { if (state.open.size) state.open.clear();
  else for (const g of H.graphs) for (const i of orderAt(g, g.passes.length - 1)) { const r = g.records[i];
    if (canOpen(g, r)) state.open.add(keyOf(g, r)); }
  $("unfold").textContent = state.open.size ? "fold all" : "unfold all"; show(); }

// ---- the panel ------------------------------------------------------------------------------------------------------
const TABS = { node: "Node", passes: "Passes", steps: "Steps", memory: "Memory", kernels: "Kernels" };
function source(places) { if (!places) return "";
  const told = new Set();
  return places.split(/, (?=[^()]*(?:\(|$))/).map(p => { const m = /([^ ]+:\d+)(?: \((.*)\))?$/.exec(p), l = m
    && !told.has(m[1]) && LINES[m[1]];
    if (m) told.add(m[1]);
    return `<div class="src"><code>${esc(p)}</code>${l ? `<pre>${esc(l)}</pre>` : ""}</div>`; }).join(""); }
const link = b => `<a data-box="${view.boxes.indexOf(b)}">${esc((b.name ? b.name + " = " : "") + b.text)}</a>`;
function nodeTab() {
  const b = state.pick;
  if (!b) return `<p class="dim">Click a node. Drag to move, wheel or pinch to zoom, double click to unfold,
    <code>/</code>
    to search, the slider below goes through the passes of the compiler.</p>` + totals();
  const r = b.r || b.leaf || {}, i = b.r ? finalIndex.get(b.r.id) : null;
  let t = `<h2>${b.r ? "node" : b.leaf ? b.leaf.kind : "output"}</h2><code>${esc(r.op || r.text || b.text)}</code>`;
  if (b.name) t += `<h2>name</h2>${esc(b.name)}`;
  if (r.type) t += `<h2>type</h2><code>${esc(r.type)}</code>`;
  if (b.r && canOpen(b.g, b.r)) t += `<p><button id="toggle">${b.inner || b.lines ? "fold" : "unfold"}</button></p>`;
  if (r.rule) t += `<h2>made by</h2><code>${esc(r.rule)}</code>`;
  const events = b.r && b.g === ROOT ? ROOT.passes.flatMap(p => p.events.filter(e => Array.isArray(e[2])
    && e[2][0] === r.id)
    .map(e => `<div>${esc(p.name)}: <code>${esc(e[0])}</code> in place of <code>${esc(refText(ROOT, e[1]))}</code>
      </div>`)) : [];
  if (events.length) t += "<h2>rewrites</h2>" + events.slice(0, 20).join("");
  if (r.places) t += "<h2>written at</h2>" + source(r.places);
  if (b.ins.length) t += "<h2>from</h2>" + b.ins.map(e => `<div>${e.port}: ${link(e.a)}</div>`).join("");
  if (b.r) { const cs = b.r.in.filter(x => !Array.isArray(x) && b.g.leaves[x].kind === "constant");
    if (cs.length) t += "<h2>constants</h2>"
      + cs.map(x => `<div><code>${esc(b.g.leaves[x].text)}</code></div>`).join(""); }
  if (b.outs.length) t += "<h2>to</h2>" + b.outs.slice(0, 60).map(e => `<div>${link(e.b)}</div>`).join("");
  if (D && b.g === ROOT && i != null) for (const s of stepsOf.get(i) || []) t += stepText(s);
  return t;
}
function refText(g, ref) { if (!Array.isArray(ref)) return g.leaves[ref].text;
  if (!g.byId) { g.byId = new Map(); for (const q of g.records) if (!g.byId.has(q.id)) g.byId.set(q.id, q); }
  const r = g.byId.get(ref[0]); return r ? r.op : "?"; }
function stepText(s) { const q = D.steps[s], per = q.calls ? q.seconds / q.calls : null;
  let t = `<h2>step ${s}</h2><div>${esc(q.title || q.kind)}</div><div class="dim">${[per && secs(per) + " a call",
    q.flops > 0 && fmt(q.flops, "operations"), q.bytes > 0 && fmt(q.bytes, "B"), per && q.flops > 0
      && fmt(q.flops / per, "FLOP/s"),
    per && q.bytes > 0 && fmt(q.bytes / per, "B/s")].filter(Boolean).join(", ")}</div>`;
  if (q.kernel >= 0) t += `<details><summary>kernel ${q.kernel}</summary>${kernelText(q.kernel)}</details>`;
  return t; }
const kernelText = k => `<pre>${esc(D.kernels[k].text)}</pre>` + (D.kernels[k].nest
  ? `<pre>${esc(D.kernels[k].nest)}</pre>` : "");
function totals() { if (!D) return "";
  const rows = [["calls", D.calls], ["time in calls", secs(D.call_time)], ["compiled in", secs(D.compile_time)],
    ["steps", D.steps.length], ["temporaries", D.temporaries != null ? fmt(D.temporaries, "B") : null],
    ["results", D.results != null ? fmt(D.results, "B") : null]].filter(r => r[1] != null && r[1] !== "");
  return "<table>" + rows.map(r => `<tr><td>${r[0]}</td><td class="n">${r[1]}</td></tr>`).join("") + "</table>"; }
function passesTab() {
  const p = ROOT.passes[state.pass], shown = p.events.slice(0, 300);
  let t = `<h2>${esc(p.name)}: what fired</h2>` + (shown.length ? "<table>" + shown.map((e, i) =>
    `<tr class="pick" data-event="${i}"><td><code>${esc(e[0])}</code></td>
      <td>${esc(refText(ROOT, e[1]).slice(0, 60))} &rarr; `
    + `${esc(refText(ROOT, e[2]).slice(0, 60))}</td></tr>`).join("") + "</table>" : `<p class="dim">nothing</p>`);
  if (p.events.length > shown.length) t += `<p class="dim">and ${p.events.length - shown.length} more</p>`;
  t += "<h2>passes</h2><table><tr><th>pass</th><th class=n>time</th><th class=n>rewrites</th></tr>"
    + ROOT.passes.map((q, i) =>
    `<tr class="pick" data-pass="${i}"><td>${i === state.pass ? "<b>" + esc(q.name) + "</b>" : esc(q.name)}</td>`
    + `<td class="n">${secs(q.seconds)}</td><td class="n">${q.events.length || ""}</td></tr>`).join("") + "</table>";
  const rules = ROOT.rules.slice().sort((a, b) => b.seconds - a.seconds).slice(0, 25);
  return t + "<h2>rules by time</h2><table><tr><th>rule</th><th class=n>time</th><th class=n>tried</th>"
    + "<th class=n>fired</th></tr>"
    + rules.map(r => `<tr><td><code>${esc(r.name)}</code></td><td class="n">${secs(r.seconds)}</td>
      <td class="n">${r.tried}</td>`
    + `<td class="n">${r.fired}</td></tr>`).join("") + "</table>";
}
function stepsTab() {
  const all = D.steps.map((s, i) => [s, i]).filter(x => x[0].kind !== "sizes");
  const sum = all.reduce((m, x) => m + (x[0].seconds || 0), 0);
  all.sort((a, b) => (b[0].seconds || 0) - (a[0].seconds || 0) || (b[0].bytes || 0) - (a[0].bytes || 0));
  return "<table><tr><th>step</th><th class=n>share</th><th class=n>a call</th><th class=n>FLOP/s</th>"
    + "<th class=n>B/s</th></tr>"
    + all.slice(0, 200).map(([s, i]) => { const per = s.calls ? s.seconds / s.calls : null;
      return `<tr class="pick" data-step="${i}"><td>${i}: ${esc((s.title || s.kind).slice(0, 90))}`
      + (sum ? `<div class="bar" style="width:${(100 * (s.seconds || 0) / sum).toFixed(1)}%"></div>` : "") + "</td>"
      + `<td class="n">${sum ? (100 * s.seconds / sum).toFixed(1) + " %" : ""}</td><td class="n">${secs(per)}</td>`
      + `<td class="n">${per && s.flops > 0 ? fmt(s.flops / per, "") : ""}</td>`
      + `<td class="n">${per && s.bytes > 0 ? fmt(s.bytes / per, "") : s.bytes > 0 ? fmt(s.bytes, "B") : ""}</td>
        </tr>`; }).join("")
    + "</table>";
}
function memoryTab() {
  const bs = D.buffers.map((b, i) => ({ ...b, i })).filter(b => b.kind === "temporary" && b.offset >= 0
    && b.bytes > 0);
  let t = totals();
  if (!bs.length) return t + `<p class="dim">${D.temporaries == null ? "Known after the first call."
    : "No temporaries."}</p>`
    + bufferTable();
  const high = Math.max(...bs.map(b => b.offset + b.bytes)), n = Math.max(1, D.steps.length), W = 600, Hh = 300;
  t += `<h2>temporaries: steps to the right, addresses upwards (${fmt(high, "B")})</h2>
    <svg viewBox="0 0 ${W} ${Hh}" role="img">`
    + bs.map(b => { const x = W * b.first / n, w = Math.max(1, W * (b.last - b.first + 1) / n), h = Math.max(0.5,
      Hh * b.bytes / high);
      const y = Hh - Hh * b.offset / high - h;
      return `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${w.toFixed(1)}" height="${h.toFixed(1)}" `
        + `fill="hsl(${(b.i * 47) % 360} `
        + `55% 60%)" stroke="none"><title>b${b.i} ${esc(b.name || "")} ${fmt(b.bytes, "B")},
          steps ${b.first} to ${b.last}</title></rect>`;
    }).join("") + "</svg>";
  return t + bufferTable();
}
function bufferTable() { const bs = D.buffers.map((b, i) => ({ ...b, i })).filter(b => b.bytes > 0).sort((a,
  b) => b.bytes - a.bytes);
  return "<h2>largest buffers</h2><table><tr><th>buffer</th><th>shape</th><th class=n>bytes</th>"
    + "<th class=n>steps</th></tr>"
    + bs.slice(0, 40).map(b => `<tr${b.node >= 0 ? ` class="pick" data-node="${b.node}"` : ""}>
      <td>b${b.i} ${b.kind} ${esc(b.name || "")}</td>`
    + `<td>${b.dtype} (${(b.shape || []).join(", ")})</td><td class="n">${fmt(b.bytes, "B")}</td>`
    + `<td class="n">${b.first >= 0 ? b.first + ".." + b.last : ""}</td></tr>`).join("") + "</table>"; }
const kernelsTab = () => D.kernels.map((k, i) => `<h2>kernel ${i}</h2>${kernelText(i)}`).join("");
function panel() {
  $("tabs").innerHTML = Object.keys(TABS).filter(k => D || k === "node" || k === "passes").map(k =>
    `<button role="tab" data-tab="${k}" aria-selected="${k === state.tab}">${TABS[k]}</button>`).join("");
  $("panel").innerHTML = { node: nodeTab, passes: passesTab, steps: stepsTab, memory: memoryTab,
    kernels: kernelsTab }[state.tab]();
}
const pickId = id => { const b = view.boxes.find(q => q.r && q.r.id === id); if (b) { state.pick = b;
  state.tab = "node"; center(b); panel(); } };
const pickIndex = n => { const o = orderAt(ROOT, ROOT.passes.length - 1); if (state.pass !== ROOT.passes.length - 1)
  setPass(ROOT.passes.length - 1, true); if (o[n] != null) pickId(ROOT.records[o[n]].id); };
function setPass(p, keep) { state.pass = Math.max(0, Math.min(ROOT.passes.length - 1, p)); show(keep); }

// ---- hands ----------------------------------------------------------------------------------------------------------
const pointers = new Map(); let moved = 0;
canvas.addEventListener("pointerdown", e => { canvas.setPointerCapture(e.pointerId);
  pointers.set(e.pointerId, [e.offsetX, e.offsetY]); if (pointers.size === 1) moved = 0; });
canvas.addEventListener("pointermove", e => {
  const p = pointers.get(e.pointerId), tip = $("tip");
  if (!p) { const b = at(e.offsetX, e.offsetY); tip.style.display = b ? "block" : "none";
    if (b) { tip.textContent = (b.name ? b.name + " = " : "") + (b.r ? b.r.op.slice(0, 200) : b.text) + (b.r
      && b.r.places ? "  " + b.r.places : "");
      tip.style.left = Math.min(e.offsetX + 14, canvas.clientWidth - 200) + "px";
        tip.style.top = e.offsetY + 16 + "px"; } return; }
  tip.style.display = "none";
  const dx = e.offsetX - p[0], dy = e.offsetY - p[1];
  if (pointers.size === 1) { state.x += dx; state.y += dy; moved += Math.abs(dx) + Math.abs(dy); draw(); }
  else { const o = [...pointers].find(q => q[0] !== e.pointerId)[1]; moved = 99;
    const was = Math.hypot(p[0] - o[0], p[1] - o[1]), is = Math.hypot(e.offsetX - o[0], e.offsetY - o[1]);
    zoom(is / (was || 1), (e.offsetX + o[0]) / 2, (e.offsetY + o[1]) / 2); }
  p[0] = e.offsetX; p[1] = e.offsetY; });
const lift = e => { if (pointers.delete(e.pointerId) && e.type === "pointerup" && moved < 6) {
  state.pick = at(e.offsetX, e.offsetY);
  state.tab = "node"; panel(); draw(); } };
canvas.addEventListener("pointerup", lift); canvas.addEventListener("pointercancel", lift);
canvas.addEventListener("dblclick", e => { const b = at(e.offsetX, e.offsetY);
  if (b && b.r && canOpen(b.g, b.r)) toggle(b); });
canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(-e.deltaY * 0.0016), e.offsetX,
  e.offsetY); }, { passive: false });
$("search").addEventListener("input", e => search(e.target.value));
$("search").addEventListener("keydown", e => { if (e.key === "Enter" && state.hits.length) {
  state.hit = (state.hit + (e.shiftKey ? state.hits.length - 1 : 1)) % state.hits.length;
    state.pick = state.hits[state.hit];
  center(state.pick); panel(); } });
$("pass").max = ROOT.passes.length - 1;
$("pass").addEventListener("input", e => setPass(+e.target.value));
$("back").onclick = () => setPass(state.pass - 1); $("on").onclick = () => setPass(state.pass + 1);
$("before").onchange = e => { state.before = e.target.checked; show(true); };
$("color").onchange = e => { state.color = e.target.value; draw(); };
$("fit").onclick = () => fit(true); $("unfold").onclick = unfoldAll;
const theme = dark => { document.documentElement.classList.toggle("dark", dark);
  $("theme").textContent = dark ? "light" : "dark";
  colors(); draw(); };
$("theme").onclick = () => theme(!document.documentElement.classList.contains("dark"));
document.addEventListener("keydown", e => { if (/INPUT|SELECT/.test(e.target.tagName)) return;
  if (e.key === "/") { e.preventDefault(); $("search").focus(); } else if (e.key === "f") fit(true);
  else if (e.key === "ArrowLeft") setPass(state.pass - 1); else if (e.key === "ArrowRight") setPass(state.pass + 1);
    });
document.addEventListener("click", e => {
  const t = e.target.closest("[data-tab],[data-box],[data-pass],[data-event],[data-step],[data-node],#toggle");
  if (!t) return; const d = t.dataset;
  if (d.tab) { state.tab = d.tab; panel(); } else if (d.box) { state.pick = view.boxes[+d.box]; center(state.pick);
    panel(); }
  else if (d.pass) setPass(+d.pass); else if (d.event) { const n = ROOT.passes[state.pass].events[+d.event][2];
    if (Array.isArray(n)) pickId(n[0]); }
  else if (d.step) { const s = D.steps[+d.step]; if (s.nodes.length) pickIndex(s.nodes[s.nodes.length - 1]); }
  else if (d.node) pickIndex(+d.node); else if (t.id === "toggle") toggle(state.pick); });
addEventListener("resize", resize);
theme(matchMedia("(prefers-color-scheme: dark)").matches); resize(); show();
window.app = { state, search, setPass, toggle, unfoldAll, fit, pickId, pickIndex, ROOT, H, D, get view() {
  return view; },
  tab(t) { state.tab = t; panel(); }, theme };
</script></body></html>
]==]
