"use strict";
// NAMES (names.js) is a list of [name, kind, summary, address], one for each page and each other name of a page.
const field = document.getElementById("query"), list = document.getElementById("found");
const up = document.body.dataset.up;
let chosen = -1;

function rank([name, , summary], query) {
  const low = name.toLowerCase();
  if (low === query) return 0;
  if (low.startsWith(query)) return 1;
  if (low.includes(query)) return 2;
  const words = query.split(/\s+/);
  return words.every((word) => (low + " " + summary.toLowerCase()).includes(word)) ? 3 : 9;
}

function search() {
  const query = field.value.trim().toLowerCase();
  const hits = query ? NAMES.map((entry) => [rank(entry, query), entry]).filter(([r]) => r < 9) : [];
  hits.sort((a, b) => a[0] - b[0] || a[1][0].length - b[1][0].length);
  const seen = new Set();
  list.replaceChildren();
  chosen = -1;
  for (const [, [name, kind, summary, address]] of hits) {
    if (seen.has(address) || seen.size === 12) continue;
    seen.add(address);
    const link = document.createElement("a"), about = document.createElement("small");
    link.href = up + address;
    link.textContent = name + " ";
    about.textContent = kind + ": " + summary;
    link.append(about);
    list.append(document.createElement("li"));
    list.lastChild.append(link);
  }
}

field.addEventListener("input", search);
field.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  if (event.key === "Escape") { field.value = ""; search(); }
  if (event.key === "Enter" && links.length) location.href = links[Math.max(0, chosen)].href;
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  chosen = Math.min(links.length - 1, Math.max(0, chosen + (event.key === "ArrowDown" ? 1 : -1)));
  links.forEach((link, at) => link.classList.toggle("chosen", at === chosen));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
});
