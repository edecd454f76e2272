// The review grid: its keys, and what colleagues do meanwhile.
import { isCommand, isComposing, isTyping, isWithin } from "./keys.js";
import { problem, tell } from "./said.js";
import { post } from "./session.js";
import { again, at, begin, current, currentRow, focus, key, MOVES, openWhenDrawn, panel, reopen, table, total } from "./grid_table.js";
import { close, goBack, isContract, isFinding, isSeen, open, refresh, show, write } from "./grid_panel.js";
import { look, next, say } from "./grid_marks.js";
import { turn } from "./grid_rows.js";
import "./grid_tip.js";

// htmx comes once something asks for it: a review that begins, or a contract that goes on.
window.htmx ??= {
  process: (root) => {
    if (!root.matches("[hx-get]") && !root.querySelector("[hx-get]")) return;
    window.htmx = null; // it finds what is on the page by itself
    document.head.append(Object.assign(document.createElement("script"), { src: new URL("htmx.min.js", import.meta.url) }));
  },
};

const help = document.querySelector("#help");
document.querySelector("#help-button")?.addEventListener("click", () => help.showModal());

const MARKS = {
  c: async () => { if (await say("confirmed")) await next(); },
  r: () => say("rejected"),
  f: () => say("second_look"),
  u: () => say("proposed"),
};
const WRITES = { e: () => write("#value"), m: () => write("#comment") };
const ACTS = {
  n: next,
  x: () => { const row = currentRow(); if (row) turn(row); },
  o: () => { const link = currentRow()?.querySelector("a.family"); if (link) toggleFamily(link); },
  a: () => {
    const menu = document.querySelector(".ask-column");
    if (menu) { menu.open = true; menu.querySelector("textarea").focus(); }
  },
  "?": () => help.showModal(),
  "/": () => { const find = document.querySelector("#f-find"); find.focus(); find.select(); },
};
let isMarking = false; // one mark at a time, and of the finding that is seen

async function mark(act) {
  if (!table.dataset.mark || isMarking || panel.hasAttribute("aria-busy")) return;
  if (!isSeen()) {
    tell(isContract() ? "Press Esc to go back to the finding, then mark it." : "Press Enter to open the finding, then mark it.");
    return;
  }
  isMarking = true;
  try { await act(); } finally { isMarking = false; }
}

function leave(target) {
  if (panel.contains(target) && isTyping(target)) panel.focus(); // what was typed stays
  else if (isContract()) goBack();
  else if (!panel.hidden) close();
}

function enter() {
  const cell = current();
  if (!cell && !currentRow()) openWhenDrawn();
  else if (!cell) return;
  else if (open === key(cell)) panel.querySelector("a[data-open]")?.click();
  else show(cell);
}

addEventListener("keydown", (event) => {
  const { target } = event;
  if (isComposing(event) || event.altKey || event.metaKey || document.querySelector(".contract[data-caret], dialog[open]")) return;
  if (event.key === "Escape") { leave(target); return; }
  if (isTyping(target)) return;
  const inGrid = !target.closest("details, form, .finding-panel") || target.matches(".pick input");
  let act = null;
  if (MOVES[event.key] && inGrid && total) act = () => MOVES[event.key](event);
  else if (!isCommand(event)) return;
  else if (MARKS[event.key] || WRITES[event.key]) {
    if (!isWithin(target, target.closest("td.c, #scroll:focus"), panel)) return;
    act = WRITES[event.key] ?? (() => mark(MARKS[event.key]));
  } else if (event.key === "Enter" && inGrid && at && !target.closest("thead, th, header, nav")) act = enter;
  else act = ACTS[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopImmediatePropagation(); // the page's own search key gives way
  act();
}, true);

document.querySelector(".skip[href='#grid']").addEventListener("click", (event) => {
  event.preventDefault();
  focus(at?.row ?? 0, at?.column ?? 0, false);
});

document.querySelector("[data-cost]")?.addEventListener("click", async (event) => { // what the model would use
  const form = event.target.form;
  if (!form.reportValidity()) return;
  const shown = form.querySelector("[data-costs]");
  shown.textContent = "Estimating…";
  const answer = await post("/reviews/columns/cost", new URLSearchParams(new FormData(form)));
  if (answer?.ok) shown.innerHTML = await answer.text();
  else shown.textContent = answer ? await problem(answer) : "";
});

// ---- The family of a contract, opened and closed in place

function toggleFamily(link) {
  reopen(new URL(link.href).search.slice(1));
}

table.addEventListener("click", (event) => {
  const link = event.target.closest("a.family");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  toggleFamily(link);
});

const room = document.querySelector(".grid-room");
new MutationObserver(() => {
  document.querySelector(".skip[href='#panel']").hidden = room.dataset.panel === "closed";
}).observe(room, { attributeFilter: ["data-panel"] });

// The order and the width of columns: loaded once a head is pointed at, or its keys are pressed.
const columnsOf = () => import("./grid_columns.js");
table.tHead.addEventListener("pointerover", columnsOf, { once: true });
table.tHead.addEventListener("keydown", async (event) => {
  if (!event.altKey || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
  event.preventDefault();
  (await columnsOf()).byKey(event);
});

// ---- While it is being filled, and filters that need no button

const LOOK = 6_000; // milliseconds between two looks at what colleagues have marked

setInterval(async () => {
  const head = document.querySelector("#grid-head");
  if (document.visibilityState !== "visible" || head.hasAttribute("hx-get")) return; // or htmx looks
  if (!await look()) return;
  again();
  if (isFinding() && !panel.querySelector(".unsaved") && !isTyping(document.activeElement)) refresh();
}, LOOK);

document.querySelector("#filter").addEventListener("change", (event) => {
  if (event.target.matches("select")) event.currentTarget.requestSubmit();
});

begin();
