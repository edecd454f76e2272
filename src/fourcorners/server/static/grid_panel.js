// The panel of the grid: a finding, or the contract at its words.
import { keepDrafts, restoreDrafts } from "./finding.js";
import { isTyping } from "./keys.js";
import { tell } from "./said.js";
import { showLocalTimes } from "./app.js";
import { at, current, find, focus, focusOn, headers, isComing, key, panel, reveal, table } from "./grid_table.js";

const room = document.querySelector(".grid-room");
export let open = null; // "document provision" of the finding in the panel
let asking = null;
let held = null; // the finding while its contract is in the panel: { content, top }

export const isContract = () => room.dataset.panel === "contract";
export const isFinding = () => room.dataset.panel === "open" && panel.querySelector("#finding") !== null && !panel.hasAttribute("aria-busy");

// Whether the finding of the cell that is selected is what the reader sees.
export function isSeen() {
  const cell = current();
  return isFinding() && !isComing() && (!cell || key(cell) === open);
}

export async function show(cell) {
  const link = cell.querySelector("a");
  if (!link) { tell("This contract has not been reviewed for this provision yet."); return; }
  open = key(cell);
  held = null;
  mark(open);
  asking?.abort();
  asking = new AbortController();
  panel.hidden = false;
  room.dataset.panel = "open";
  if (at) reveal(); // the panel takes a part of what was in view
  panel.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(link.href, { headers, signal: asking.signal });
    if (!answer.ok) throw new Error(String(answer.status));
    fill(await answer.text());
  } catch (error) {
    if (error.name === "AbortError") return;
    panel.textContent = "The finding could not be loaded.";
    panel.removeAttribute("aria-busy");
  }
}

function drawFinding(markup) {
  const top = document.createElement("button");
  top.type = "button";
  top.className = "plain close";
  top.textContent = "Close";
  top.addEventListener("click", close);
  const { content } = Object.assign(document.createElement("template"), { innerHTML: markup });
  content.querySelector(".one-finding > header").prepend(top);
  restoreDrafts(content);
  showLocalTimes(content);
  return content;
}

// Shows a finding as the server drew it; while the contract is there, once one goes back to it.
export function fill(markup) {
  const content = drawFinding(markup);
  if (isContract()) {
    held = { content, top: 0 };
    drawBar();
    return;
  }
  panel.replaceChildren(content);
  panel.removeAttribute("aria-busy");
  panel.scrollTop = 0;
}

export async function refresh() { // the finding in the panel, as it is by now
  const [d, v] = open.split(" ");
  const was = open;
  const answer = await fetch(`${table.dataset.cell}&d=${encodeURIComponent(d)}&v=${encodeURIComponent(v)}`, { headers });
  if (!answer.ok || open !== was) return;
  const { scrollTop } = panel;
  const markup = await answer.text();
  if (open !== was || !isFinding() || isTyping(document.activeElement)) return;
  fill(markup);
  panel.scrollTop = scrollTop;
}

export function close() {
  panel.hidden = true;
  panel.replaceChildren();
  room.dataset.panel = "closed";
  open = null;
  held = null;
  mark("");
  if (at) focus(at.row, at.column, false);
}

function mark(name) {
  table.querySelectorAll("td.open").forEach((cell) => cell.classList.remove("open"));
  if (!name) return;
  const [d, v] = name.split(" ");
  find(d, v)?.classList.add("open");
}

// ---- The contract next to the grid, at the words of the finding

let useWords = null; // puts words that are selected there into the finding

export function onWords(use) {
  useWords = use;
}

async function showContract(href) {
  const of = open;
  const to = new URL(href, location.href);
  const [answer, { openContract }] = await Promise.all([fetch(`${to.pathname}/view${to.search}`, { headers }), import("./contract_view.js")]);
  if (!answer.ok) { location.assign(href); return; }
  const drawn = document.createElement("template");
  drawn.innerHTML = await answer.text();
  if (open !== of || !isFinding()) return; // the reader has gone on meanwhile
  const name = panel.querySelector("#finding h2").textContent.trim();
  const content = document.createDocumentFragment();
  held = { content, top: panel.scrollTop };
  content.append(...panel.childNodes);
  panel.replaceChildren(drawn.content);
  room.dataset.panel = "contract";
  window.htmx?.process(panel);
  openContract(panel.querySelector(".contract"), { mark: table.dataset.mark && useWords, name: () => name });
  const back = panel.querySelector("[data-back]");
  back.addEventListener("click", goBack);
  back.textContent = `← ${name}`;
  drawBar();
  back.focus();
  const words = panel.querySelector("[id^='s=']");
  panel.querySelector(".sheet img[loading]")?.setAttribute("loading", "eager");
  words?.scrollIntoView({ block: "center" });
}

// What the finding says and how it may be marked, above its contract; the keys act on the finding alone.
function drawBar() {
  const bar = document.createElement("div");
  bar.className = "contract-bar";
  const parts = held.content.querySelectorAll(".headline, blockquote.value, .chips, .says");
  bar.append(...[...parts].map((each) => each.cloneNode(true)));
  bar.querySelectorAll("kbd").forEach((each) => each.remove());
  const acts = bar.querySelector(".says");
  if (acts) {
    const next = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: "Next" });
    next.dataset.next = "";
    acts.append(next);
    bar.append(acts);
  }
  panel.querySelector(".contract-bar")?.remove();
  panel.querySelector(".side-contract > header").append(bar);
}

export function goBack() { // at once, so that the next key is for the finding
  panel.replaceChildren(held.content);
  panel.scrollTop = held.top;
  held = null;
  room.dataset.panel = "open";
  panel.focus();
  refresh();
}

// ---- Writing

// Leads to a field of the finding; what is typed before that has come goes into it, too.
export async function write(selector) {
  if (!table.dataset.mark) return;
  if (isContract()) goBack();
  let typed = "";
  if (!isSeen()) {
    const cell = current();
    if (!cell) return;
    const shown = show(cell);
    if (panel.hasAttribute("aria-busy")) typed = await typedUntil(shown);
    if (open !== key(cell)) return;
  }
  const field = panel.querySelector(selector);
  if (!field) return;
  field.closest("details")?.setAttribute("open", "");
  field.focus();
  const isWhole = selector === "#value"; // what is there is replaced
  if (typed) {
    field.value = isWhole ? typed : field.value + typed;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  } else if (isWhole) field.select();
}

async function typedUntil(shown) {
  const field = document.createElement("textarea");
  field.className = "early";
  field.placeholder = "Loading the finding…";
  field.setAttribute("aria-label", "What you write");
  panel.prepend(field);
  field.focus();
  await shown;
  return field.value;
}

keepDrafts(panel);

panel.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-open], .one-finding blockquote a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  showContract(link.href);
});

table.addEventListener("click", (event) => {
  const link = event.target.closest("td.c > a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  focusOn(link.parentElement);
  show(link.parentElement);
});

table.addEventListener("opened", (event) => show(event.detail.cell));
table.addEventListener("drawn", () => { if (open) mark(open); });
