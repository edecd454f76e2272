// All words of a cell that shows them in short, while the pointer rests on it or the focus is there.
import { headers, panel, table } from "./grid_table.js";

const REST = 500; // milliseconds
const tip = Object.assign(document.createElement("div"), { id: "cell-words", popover: "manual", role: "tooltip" });
document.querySelector("main").append(tip);
let waiting = 0;
let shown = null;

function hide() {
  clearTimeout(waiting);
  shown?.removeAttribute("aria-describedby");
  shown = null;
  if (tip.matches(":popover-open")) tip.hidePopover();
}

function isCut(link) {
  const words = link.querySelector("span");
  return words.scrollHeight > words.clientHeight || words.textContent.length > 100;
}

async function show(link) {
  const to = new URL(link.href);
  const answer = await fetch(`${to.pathname}/words${to.search}`, { headers });
  if (!answer.ok || shown !== link) return;
  const parts = await answer.json();
  if (!parts.length || shown !== link || !link.isConnected) return;
  tip.replaceChildren(...parts.map((each) => Object.assign(document.createElement("p"), { textContent: each })));
  tip.showPopover();
  const cell = link.getBoundingClientRect();
  const below = cell.bottom + tip.offsetHeight + 4 < innerHeight;
  tip.style.left = `${Math.max(8, Math.min(cell.left, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${below ? cell.bottom + 2 : Math.max(8, cell.top - tip.offsetHeight - 2)}px`;
  link.setAttribute("aria-describedby", tip.id);
}

function rest(event) {
  const link = event.target.closest?.("td.c > a");
  if (link === shown) return;
  hide();
  if (!link || !isCut(link) || event.type === "focusin" && !panel.hidden) return; // the panel shows it whole
  shown = link;
  waiting = setTimeout(show, REST, link);
}

table.addEventListener("pointerover", rest);
table.addEventListener("focusin", rest);
table.addEventListener("pointerleave", (event) => { if (!tip.contains(event.relatedTarget)) hide(); });
table.addEventListener("focusout", hide);
tip.addEventListener("pointerleave", hide);
for (const name of ["keydown", "pointerdown"]) addEventListener(name, hide, true);
document.querySelector("#scroll").addEventListener("scroll", hide);
