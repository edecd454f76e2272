// All words of a cell that shows them in short, while the pointer rests on it or the focus is there.
import { headers, panel, table } from "./grid_table.js";

const REST = 500; // milliseconds
const tip = Object.assign(document.createElement("div"), { id: "cell-words", popover: "manual", role: "tooltip" });
document.querySelector("main").append(tip);
let waiting = 0;
let shown = null;

// ---- Words end with a word: a style sheet would cut in the middle of one.

const whole = new WeakMap(); // what a text that was cut said before

function cutAt(span) { // where the last word ends that is seen, with room for the dots
  const words = span.lastChild;
  if (words?.nodeType !== Node.TEXT_NODE || span.scrollHeight <= span.clientHeight) return null;
  const { bottom } = span.getBoundingClientRect();
  const range = document.createRange();
  let fits = 0;
  for (let over = words.length; over - fits > 1;) {
    const end = (fits + over) >> 1;
    range.setStart(words, end - 1);
    range.setEnd(words, end);
    if (range.getBoundingClientRect().bottom <= bottom + 1) fits = end;
    else over = end;
  }
  const at = words.data.lastIndexOf(" ", fits - 2);
  return at > 0 ? [words, at] : null;
}

function endWithWords() {
  if (table.classList.contains("marks")) return; // shows none
  const spans = [...table.querySelectorAll("td.c > a > span")];
  for (const { lastChild } of spans) if (whole.has(lastChild)) lastChild.data = whole.get(lastChild);
  for (const [words, at] of spans.map(cutAt).filter(Boolean)) { // all are measured before one is cut
    whole.set(words, words.data);
    words.data = `${words.data.slice(0, at).replace(/[\s,;:.]+$/, "")}…`;
  }
}

table.addEventListener("drawn", endWithWords);
new ResizeObserver(endWithWords).observe(table);

function hide() {
  clearTimeout(waiting);
  shown?.removeAttribute("aria-describedby");
  shown = null;
  if (tip.matches(":popover-open")) tip.hidePopover();
}

function isCut(link) {
  const words = link.querySelector("span");
  return whole.has(words.lastChild) || words.scrollHeight > words.clientHeight || words.textContent.length > 100;
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
