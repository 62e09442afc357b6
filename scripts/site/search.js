// A search over PAGES: [heading, address, page, text]. All words must be found; headings count most.
const box = document.getElementById("search"), found = document.getElementById("found");
const menu = document.getElementById("menu"), side = document.getElementById("side");
const lower = PAGES.map(p => [p[0].toLowerCase(), p[2].toLowerCase(), p[3].toLowerCase()]);
let at = -1;

function score(i, words) {
  let sum = 0;
  for (const w of words) {
    const [head, page, text] = lower[i];
    const last = head.split(".").pop();
    if (head === w || last === w) sum += 100;
    else if (head.startsWith(w) || last.startsWith(w)) sum += 30;
    else if (head.includes(w)) sum += 12;
    else if (page.includes(w)) sum += 5;
    else if (text.includes(w)) sum += 1;
    else return 0;
  }
  return sum;
}

function line(p) {
  const a = document.createElement("a"), small = document.createElement("small");
  a.href = p[1];
  a.textContent = p[0];
  small.textContent = p[2] + (p[3] ? ": " + p[3].trim().slice(0, 110) : "");
  a.append(small);
  return a;
}

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  at = -1;
  found.hidden = words.length === 0;
  if (found.hidden) return;
  const hits = PAGES.map((p, i) => [score(i, words), i]).filter(h => h[0]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  found.replaceChildren(...hits.slice(0, 30).map(h => line(PAGES[h[1]])));
  if (!hits.length) found.append(Object.assign(document.createElement("p"), { textContent: "Nothing of that name." }));
}

function key(e) {
  const all = [...found.querySelectorAll("a")];
  if (e.key === "Escape") { box.value = ""; search(); box.blur(); return; }
  if (e.key === "Enter" && all.length) { location.href = all[Math.max(at, 0)].href; found.hidden = true; return; }
  if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
  e.preventDefault();
  at = Math.max(0, Math.min(all.length - 1, at + (e.key === "ArrowDown" ? 1 : -1)));
  all.forEach((a, i) => a.classList.toggle("at", i === at));
  if (all[at]) all[at].scrollIntoView({ block: "nearest" });
}

box.addEventListener("input", search);
box.addEventListener("keydown", key);
found.addEventListener("click", () => { found.hidden = true; });
document.addEventListener("click", e => { if (!found.contains(e.target) && e.target !== box) found.hidden = true; });
document.addEventListener("keydown", e => { if (e.key === "/" && e.target !== box) { e.preventDefault(); box.focus(); } });
menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", side.classList.toggle("open"));
});
const query = new URLSearchParams(location.search).get("q");
if (query) { box.value = query; search(); }
