import { forgetDrafts, isTyping, keepDrafts, restoreDrafts } from "./finding.js";
import { openContract } from "./contract_view.js";
import { post } from "./session.js";
import { showLocalTimes } from "./times.js";

// The review grid: one long list out of windows that the server draws; keys; the side panel.
const table = document.querySelector("#grid");
const scroller = document.querySelector("#scroll");
const panel = document.querySelector("#panel");
const said = document.querySelector("#said");
const bulk = document.querySelector("#bulk");
const room = document.querySelector(".grid-room");
const ROWS = 10; // rows of a window; four or five are in the page at once
const BLOCK = 4; // columns come and go by so many
const MARGIN = 2; // columns that are drawn on either side of those in view
const headers = { "HX-Request": "true" };

const picked = new Set(); // rows that are selected; of all that fit, those that are not
let everything = false; // whether all rows that fit are selected, those not drawn among them
const windows = new Map(); // number of the window -> { body, from, to: the columns in it, abort }
let total = Number(table.dataset.total);
let height = 54;
let lefts = []; // where each column begins, and where the last ends
let aside = 0; // how much of the width the names of the contracts take
let headHeight = 0;
let at = null; // the cell that has the focus: { row (from 0), column (from 0) }
let coming = null; // what is done with that cell when it has come: { follow, enter }
let open = null; // "document provision" of the finding in the panel
let drawing = 0;

// ---- One long list, of which only the rows and columns in view are in the page

function spacer(name) {
  const body = document.createElement("tbody");
  body.className = `spacer ${name}`;
  const cell = body.insertRow().insertCell();
  cell.colSpan = columns() + 2;
  body.firstElementChild.setAttribute("aria-hidden", "true");
  return body;
}

function gap(body, rows) {
  const tall = `${rows * height}px`;
  const cell = body.firstElementChild.firstElementChild;
  if (cell.style.height !== tall) cell.style.height = tall;
  body.hidden = rows <= 0;
}

const columns = () => table.tHead.rows[0].cells.length - 2;
const above = spacer("above");
const below = spacer("below");

function begin() {
  const first = table.tBodies[0];
  measure();
  document.querySelector("#pages")?.remove();
  const rows = [...first.rows];
  first.replaceWith(above, below);
  if (rows[0]?.dataset.n === "1") adopt(rows);
  scroller.addEventListener("scroll", ask, { passive: true });
  const watching = new ResizeObserver(() => { measure(); draw(); });
  watching.observe(scroller);
  watching.observe(table.tHead);
  draw();
  arrive();
}

function arrive() { // a column that was just asked for comes into view, and has the focus
  if (!location.hash.startsWith("#column-")) return;
  const head = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!head || !total) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  focus(0, Number(head.getAttribute("aria-colindex")) - 3, false);
}

function adopt(rows) { // what the page came with stands until its windows have come
  for (let start = 0; start < rows.length; start += ROWS) {
    const body = document.createElement("tbody");
    body.append(...rows.slice(start, start + ROWS));
    [...body.rows].forEach(dress);
    body.querySelectorAll("td.c > a").forEach((link) => { link.tabIndex = -1; });
    table.insertBefore(body, below);
    windows.set(start / ROWS, { body, from: 0, to: columns() });
  }
}

function measure() {
  const cells = [...table.tHead.rows[0].cells];
  const row = table.querySelector("tr[data-n]");
  if (row) height = row.getBoundingClientRect().height;
  headHeight = table.tHead.getBoundingClientRect().height;
  aside = (parseFloat(getComputedStyle(cells[1]).left) || 0) + cells[1].offsetWidth;
  lefts = cells.slice(2).map((cell) => cell.offsetLeft - table.offsetLeft);
  lefts.push(lefts.at(-1) + cells.at(-1).offsetWidth);
}

function ask() {
  if (!drawing) drawing = requestAnimationFrame(() => { drawing = 0; draw(); });
}

function wantedWindows() {
  const top = Math.floor(scroller.scrollTop / height);
  const rows = Math.ceil(scroller.clientHeight / height);
  const first = Math.max(0, Math.floor((top - ROWS) / ROWS));
  const last = Math.min(Math.max(0, Math.ceil(total / ROWS) - 1), Math.floor((top + rows + ROWS) / ROWS));
  return [first, last];
}

function wantedColumns() {
  const left = scroller.scrollLeft + aside;
  const right = scroller.scrollLeft + scroller.clientWidth;
  const count = columns();
  let first = 0;
  while (first < count - 1 && lefts[first + 1] <= left) first += 1;
  let last = first;
  while (last < count - 1 && lefts[last + 1] < right) last += 1;
  const from = Math.max(0, Math.floor((first - MARGIN) / BLOCK) * BLOCK);
  return [from, Math.min(count, Math.ceil((last + 1 + MARGIN) / BLOCK) * BLOCK)];
}

function draw() {
  const [first, last] = wantedWindows();
  const [from, to] = wantedColumns();
  for (const [number, each] of windows) {
    if (number < first || number > last) {
      each.abort?.abort();
      each.body.remove();
      windows.delete(number);
    }
  }
  for (let number = first; number <= last; number += 1) {
    const each = windows.get(number) ?? place(number);
    if (each.from !== from || each.to !== to) load(each, number, from, to);
  }
  gap(above, first * ROWS);
  gap(below, total - Math.min(total, (last + 1) * ROWS));
}

function place(number) {
  const body = document.createElement("tbody");
  const after = [...windows.keys()].filter((each) => each > number).sort((a, b) => a - b)[0];
  const cell = body.insertRow().insertCell();
  cell.colSpan = columns() + 2;
  cell.className = "loading";
  cell.style.height = `${Math.max(0, Math.min(ROWS, total - number * ROWS)) * height}px`;
  table.insertBefore(body, after === undefined ? below : windows.get(after).body);
  const each = { body, from: -1, to: -1 };
  windows.set(number, each);
  return each;
}

let turn = Promise.resolve();

function myTurn() { // one window is put into the page a frame
  turn = turn.then(() => new Promise(requestAnimationFrame));
  return turn;
}

async function load(each, number, from, to) {
  each.abort?.abort();
  const abort = new AbortController();
  Object.assign(each, { from, to, abort });
  try {
    const asked = `${table.dataset.rows}&start=${number * ROWS}&count=${ROWS}&left=${from}&across=${to - from}`;
    const answer = await fetch(asked, { headers, signal: abort.signal });
    if (!answer.ok) throw new Error(String(answer.status));
    if (answer.headers.get("X-Columns") !== table.dataset.columns) { location.reload(); return; } // a column was asked for, or taken out
    const markup = await answer.text();
    await myTurn();
    if (abort.signal.aborted) return;
    put(each.body, markup);
    const rows = Number(answer.headers.get("X-Rows"));
    if (rows !== total) {
      total = rows;
      if (everything) count();
      table.setAttribute("aria-rowcount", total + 1);
      ask();
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    each.body.querySelector(".loading")?.append("These rows could not be loaded. Scroll away and back to try again.");
    if (coming?.enter) tell("The finding could not be opened because its row could not be loaded.", true);
    coming = null;
  }
}

function put(body, markup) {
  const active = document.activeElement;
  const box = body.contains(active) && active.matches("input") ? active.value : null;
  const held = body.contains(active) && active.closest("td.c") !== null;
  body.innerHTML = markup;
  [...body.rows].forEach(dress);
  if (box !== null) body.querySelector(`tr[data-d="${CSS.escape(box)}"] input`)?.focus({ preventScroll: true });
  const cell = current();
  if (cell && body.contains(cell)) {
    if (coming && !busy()) take(cell, coming.follow, coming.enter);
    else if (held || document.activeElement === document.body && panel.hidden) take(cell, false);
  }
  if (open) mark(open);
  if (!table.querySelector("td.c > [tabindex='0']")) reachable(body.querySelector("td.c > a"));
}

function dress(row) {
  const on = isPicked(row.dataset.d);
  const box = row.querySelector("input");
  if (box && box.checked !== on) box.checked = on;
  row.classList.toggle("picked", on);
}

function again() {
  windows.forEach((each, number) => load(each, number, each.from, each.to));
}

addEventListener("beforeprint", () => { // on paper stand the columns that are drawn, and their heads
  const [from, to] = wantedColumns();
  const heads = [...table.tHead.rows[0].cells].slice(2);
  const cols = [...table.querySelectorAll("col")].slice(2);
  [heads, cols].forEach((each) => each.forEach((one, n) => one.classList.toggle("away", n < from || n >= to)));
});

// ---- Moving

const key = (cell) => `${cell.parentElement.dataset.d} ${cell.dataset.v}`;
const busy = () => panel.contains(document.activeElement) || document.activeElement?.closest?.("form, dialog, details");
const rowOf = (cell) => Number(cell.parentElement.dataset.n) - 1;
const columnOf = (cell) => Number(cell.getAttribute("aria-colindex")) - 3;

function cellAt(row, column) {
  const body = windows.get(Math.floor(row / ROWS))?.body;
  return body?.querySelector(`tr[data-n="${row + 1}"] > td.c[aria-colindex="${column + 3}"]`) ?? null;
}

function focus(row, column, follow = true) {
  row = Math.max(0, Math.min(total - 1, row));
  column = Math.max(0, Math.min(columns() - 1, column));
  at = { row, column };
  reveal();
  const cell = current();
  if (cell) take(cell, follow);
  else { // it comes with its window, which takes the focus up
    coming = { follow };
    draw();
  }
}

function reachable(target) {
  table.querySelectorAll("td.c > [tabindex='0'], td.c[tabindex='0']").forEach((each) => { each.tabIndex = -1; });
  if (target) target.tabIndex = 0;
}

function take(cell, follow, enter = false) {
  coming = null;
  const target = cell.querySelector("a") ?? cell;
  reachable(target);
  target.focus({ preventScroll: true });
  if (enter || follow && !panel.hidden) show(cell);
}

function reveal() {
  const top = at.row * height;
  const bottom = top + headHeight + height - scroller.clientHeight;
  const left = lefts[at.column] - aside;
  const right = lefts[at.column + 1] - scroller.clientWidth;
  const { scrollTop, scrollLeft } = scroller;
  if (top < scrollTop) scroller.scrollTop = top;
  else if (bottom > scrollTop) scroller.scrollTop = bottom;
  if (left < scrollLeft) scroller.scrollLeft = left;
  else if (right > scrollLeft) scroller.scrollLeft = Math.min(left, right);
}

function current() {
  return at && cellAt(at.row, at.column);
}

table.addEventListener("focusin", (event) => {
  const cell = event.target.closest("td.c");
  if (cell) at = { row: rowOf(cell), column: columnOf(cell) };
});

async function next() { // the next finding that nobody has checked, in the order of the rows
  const after = at ? `&row=${at.row}&column=${at.column}` : "";
  const was = at;
  const answer = await fetch(`${table.dataset.rows.replace("/rows?", "/next?")}${after}`, { headers });
  if (!answer.ok) { tell(await problem(answer), true); return; }
  const place = await answer.json();
  if (at?.row !== was?.row || at?.column !== was?.column) return; // the reader has gone elsewhere meanwhile
  if (place) focus(place.row, place.column);
  else tell("Every finding after this one has been checked.");
}

// ---- The panel

let asking = null;

async function show(cell) {
  const link = cell.querySelector("a");
  if (!link) { tell("This contract has not been reviewed for this provision yet."); return; }
  open = key(cell);
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
    if (error.name !== "AbortError") panel.textContent = "The finding could not be loaded.";
  }
}

function fill(markup) {
  const top = document.createElement("button");
  top.type = "button";
  top.className = "plain close";
  top.textContent = "Close";
  top.addEventListener("click", close);
  const drawn = document.createElement("template");
  drawn.innerHTML = markup;
  panel.replaceChildren(drawn.content);
  panel.querySelector(".one-finding > header").prepend(top);
  restoreDrafts(panel);
  showLocalTimes(panel);
  panel.removeAttribute("aria-busy");
  panel.scrollTop = 0;
}

// The contract beside the grid, at the words of the finding; what is selected there goes into its cell.
async function showContract(href) {
  const at = new URL(href, location.href);
  const answer = await fetch(`${at.pathname}/view${at.search}`, { headers });
  if (!answer.ok) { location.assign(href); return; }
  const drawn = document.createElement("template");
  drawn.innerHTML = await answer.text();
  panel.replaceChildren(drawn.content);
  room.dataset.panel = "contract";
  window.htmx?.process(panel);
  const mark = table.dataset.mark && putWords;
  openContract(panel.querySelector(".contract"), { mark, name: provisionName });
  panel.querySelector("[data-back]").addEventListener("click", () => { const cell = current(); if (cell) { room.dataset.panel = "open"; show(cell); } else close(); });
  panel.querySelector("[data-back]").textContent = `← ${provisionName()}`;
  panel.querySelector("[data-back]").focus();
  const words = panel.querySelector("[id^='s=']");
  panel.querySelector(".sheet img[loading]")?.setAttribute("loading", "eager");
  words?.scrollIntoView({ block: "center" });
}

function provisionName() {
  const head = table.tHead.rows[0].cells[(at?.column ?? 0) + 2];
  return head.querySelector("a").textContent.trim();
}

async function putWords({ start, end, words }) { // returns what went wrong, or nothing
  const [d, v] = open.split(" ");
  const saved = await send({ c: table.dataset.c, p: table.dataset.p, d, v, says: "corrected", at: `${start}-${end}`, words });
  return saved ? "" : said.textContent;
}

panel.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-open], .one-finding blockquote a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  showContract(link.href);
});

function close() {
  panel.hidden = true;
  panel.replaceChildren();
  room.dataset.panel = "closed";
  open = null;
  mark("");
  if (at) focus(at.row, at.column, false);
}

function mark(name) {
  table.querySelectorAll("td.open").forEach((cell) => cell.classList.remove("open"));
  if (!name) return;
  const [d, v] = name.split(" ");
  find(d, v)?.classList.add("open");
}

const find = (d, v) => table.querySelector(`tr[data-d="${CSS.escape(d)}"] > td[data-v="${CSS.escape(v)}"]`);

table.addEventListener("click", (event) => {
  const link = event.target.closest("td.c > a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const cell = link.parentElement;
  focus(rowOf(cell), columnOf(cell), false);
  show(cell);
});

// ---- What people say

function tell(words, bad = false) {
  said.textContent = words;
  said.classList.toggle("warn", bad);
}

async function problem(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = page.querySelector("main");
  return main ? main.textContent.replace(/\s+/g, " ").trim() : `The server answered ${answer.status}.`;
}

async function send(values, form = null) {
  const answer = await post("/reviews/mark", new URLSearchParams(values));
  if (!answer) return false;
  if (!answer.ok) { tell(await problem(answer), true); return false; }
  if (form) forgetDrafts(form);
  const markup = await answer.text();
  const drawn = document.createElement("template");
  drawn.innerHTML = markup;
  const now = drawn.content.querySelector("#finding");
  dressCell(now);
  if (open === `${now.dataset.d} ${now.dataset.v}` && room.dataset.panel === "open") fill(markup);
  tell(now.dataset.label);
  recount();
  return true;
}

let counting = 0;

function recount() { // the numbers above the grid, once for a burst of marks
  clearTimeout(counting);
  counting = setTimeout(look, 400);
}

async function look() {
  const answer = await fetch(table.dataset.rows.replace("/rows?", "/progress?"), { headers });
  const drawn = document.createElement("template");
  drawn.innerHTML = await answer.text();
  const head = drawn.content.querySelector("#grid-head");
  if (!answer.ok || !head || head.dataset.version === seen) return;
  seen = head.dataset.version;
  document.querySelector("#grid-head").replaceWith(head);
  window.htmx?.process(head);
}

function dressCell(now) {
  const cell = find(now.dataset.d, now.dataset.v);
  if (!cell) return;
  const opened = cell.classList.contains("open");
  cell.className = `c ${now.dataset.look}${opened ? " open" : ""}`;
  const link = cell.querySelector("a");
  link.setAttribute("aria-label", now.dataset.label);
  link.title = now.dataset.whole;
  const headline = document.createElement("strong");
  headline.textContent = `${now.dataset.headline}.`;
  link.querySelector("span").replaceChildren(...(now.dataset.headline ? [headline, " "] : []), now.dataset.words);
  link.querySelector("b")?.remove();
  if (now.dataset.more) {
    const more = document.createElement("b");
    more.textContent = now.dataset.more;
    link.append(more);
  }
}

async function say(state) {
  const cell = current();
  if (!cell || !table.dataset.mark) return false;
  return send({ c: table.dataset.c, p: table.dataset.p, d: cell.parentElement.dataset.d, v: cell.dataset.v, says: state });
}

panel.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-mark]")) return;
  event.preventDefault();
  const values = new FormData(form, event.submitter);
  if (await send(values, form)) panel.querySelector(".says button")?.focus();
});

keepDrafts(panel);

async function write(selector) {
  const cell = current();
  if (!cell) return;
  if (open !== key(cell) || panel.hidden) await show(cell);
  const details = panel.querySelector("details[data-edit]");
  if (selector === "#value" && details) details.open = true;
  const field = panel.querySelector(selector);
  field?.focus();
  if (selector === "#value") field?.select();
}

// ---- Rows that are picked

const isPicked = (d) => everything !== picked.has(d);
const pickedRows = () => everything ? total - picked.size : picked.size;

function pick(row, on) {
  if (on === everything) picked.delete(row.dataset.d);
  else picked.add(row.dataset.d);
  dress(row);
  count();
}

function pickAll(on) {
  everything = on;
  picked.clear();
  table.querySelectorAll("tr[data-d]").forEach(dress);
  count();
}

const number = (value) => value.toLocaleString("en");
const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
let tally = null; // how many findings would be marked, as the server counted them
let tallying = 0;
let tallied = null;

function chosen(submitter) {
  const values = new URLSearchParams(new FormData(bulk, submitter));
  values.delete("row");
  values.delete("all");
  picked.forEach((d) => values.append("row", d));
  if (everything) values.set("all", total);
  return values;
}

function count() {
  if (!bulk) return;
  const rows = pickedRows();
  const all = document.querySelector("#all");
  if (all) {
    all.checked = rows > 0 && rows === total;
    all.indeterminate = rows > 0 && rows < total;
  }
  bulk.classList.toggle("on", rows > 0);
  const told = everything && !picked.size ? `All ${counted(rows, "contract")} selected` : `${counted(rows, "contract")} selected`;
  bulk.querySelector("#picked").textContent = told;
  ready(null);
  clearTimeout(tallying);
  tallied?.abort();
  if (rows) tallying = setTimeout(() => reckon(told), 150);
}

function ready(found) { // what is marked at once is only what the visitor was told
  tally = found;
  bulk.querySelectorAll("[name=says]").forEach((button) => { button.disabled = !found; });
}

async function reckon(told) {
  tallied = new AbortController();
  try {
    const mine = tallied;
    const answer = await post(`${bulk.action}/count`, chosen());
    if (!answer || mine.signal.aborted) return;
    if (!answer.ok) { tell(await problem(answer), true); again(); return; }
    const { findings, most } = await answer.json();
    const much = findings > most ? `; at most ${number(most)} are marked at once: choose one column, or filter` : "";
    bulk.querySelector("#picked").textContent = `${told}, ${findings ? counted(findings, "finding") : "no finding"} to mark${much}`;
    ready(findings <= most ? findings : 0);
  } catch (error) {
    if (error.name !== "AbortError") tell("The selection could not be counted.", true);
  }
}

table.addEventListener("change", (event) => {
  if (event.target.id === "all") pickAll(event.target.checked);
  else if (event.target.name === "row") pick(event.target.closest("tr"), event.target.checked);
});

bulk?.addEventListener("change", count);

bulk?.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!tally) return;
  const values = chosen(event.submitter);
  values.set("findings", tally);
  ready(null);
  const answer = await post(bulk.action, values);
  if (!answer) { count(); return; }
  if (!answer.ok) { tell(await problem(answer), true); count(); again(); return; }
  const drawn = document.createElement("template");
  drawn.innerHTML = await answer.text();
  tell(drawn.content.textContent.trim());
  pickAll(false);
  again();
  recount();
});

document.querySelector("#unpick")?.addEventListener("click", () => pickAll(false));

// ---- Keys

const help = document.querySelector("#help");
document.querySelector("#help-button")?.addEventListener("click", () => help.showModal());
const screen = () => Math.max(1, Math.floor(scroller.clientHeight / height) - 2);
const here = () => at ?? { row: Math.floor(scroller.scrollTop / height), column: 0 };

const MOVES = {
  ArrowDown: () => focus(at ? at.row + 1 : here().row, here().column),
  ArrowUp: () => focus(here().row - 1, here().column),
  ArrowRight: () => focus(here().row, at ? at.column + 1 : 0),
  ArrowLeft: () => focus(here().row, here().column - 1),
  PageDown: () => focus(here().row + screen(), here().column),
  PageUp: () => focus(here().row - screen(), here().column),
  Home: (event) => focus(event.ctrlKey ? 0 : here().row, 0),
  End: (event) => focus(event.ctrlKey ? total - 1 : here().row, columns() - 1),
};
const ACTS = {
  c: async () => { if (await say("confirmed")) next(); },
  r: () => say("rejected"),
  f: () => say("second_look"),
  u: () => say("proposed"),
  e: () => write("#value"),
  m: () => write("#comment"),
  n: next,
  x: () => { const row = current()?.parentElement; if (row) pick(row, !isPicked(row.dataset.d)); },
  a: () => {
    const menu = document.querySelector(".ask-column");
    if (menu) { menu.open = true; menu.querySelector("textarea").focus(); }
  },
  "?": () => help.showModal(),
  "/": () => { const find = document.querySelector("#f-find"); find.focus(); find.select(); },
};

addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey || help.open || document.querySelector(".contract[data-caret], dialog[open]")) return;
  if (event.key === "Escape") {
    const menu = document.querySelector("details.pop[open]");
    if (menu) menu.open = false;
    else if (panel.contains(event.target) && isTyping(event.target)) panel.focus(); // what was typed stays
    else if (room.dataset.panel === "contract") panel.querySelector("[data-back]").click();
    else if (!panel.hidden) close();
    return;
  }
  if (isTyping(event.target)) return;
  const act = event.ctrlKey ? null : ACTS[event.key];
  const inGrid = !event.target.closest("details, form, .finding-panel") || event.target.matches(".pick input");
  if (act) {
    event.preventDefault();
    event.stopImmediatePropagation(); // the page's own search key gives way
    act();
  } else if (MOVES[event.key] && inGrid && total) {
    event.preventDefault();
    MOVES[event.key](event);
  } else if (event.key === "Enter" && inGrid && at && !event.target.closest("thead, th, header, nav")) {
    event.preventDefault();
    const cell = current();
    if (!cell) { // its row is on the way
      coming = { follow: true, enter: true };
      draw();
    } else if (open === key(cell)) panel.querySelector("a[data-open]")?.click();
    else show(cell);
  }
}, true);

// ---- While it is being filled, and filters that need no button

let seen = document.querySelector("#grid-head").dataset.version;
const LOOK = 6_000; // milliseconds between two looks at what colleagues have marked

setInterval(async () => {
  const head = document.querySelector("#grid-head");
  if (document.visibilityState !== "visible" || head.hasAttribute("hx-get")) return; // or htmx looks
  const before = seen;
  await look();
  if (seen === before) return;
  again();
  if (open && room.dataset.panel === "open" && !panel.querySelector(".unsaved") && !isTyping(document.activeElement)) refresh();
}, LOOK);

async function refresh() { // the finding in the panel, as it is by now
  const [d, v] = open.split(" ");
  const was = open;
  const answer = await fetch(`${table.dataset.cell}&d=${encodeURIComponent(d)}&v=${encodeURIComponent(v)}`, { headers });
  if (!answer.ok || open !== was) return;
  const { scrollTop } = panel;
  const markup = await answer.text();
  if (open !== was || isTyping(document.activeElement)) return;
  fill(markup);
  panel.scrollTop = scrollTop;
}

document.addEventListener("htmx:afterSettle", () => {
  const head = document.querySelector("#grid-head");
  if (head && head.dataset.version !== seen) {
    seen = head.dataset.version;
    again();
  }
});

document.querySelector("#filter").addEventListener("change", (event) => {
  if (event.target.matches("select")) event.currentTarget.requestSubmit();
});

document.addEventListener("click", (event) => {
  document.querySelectorAll("details.pop[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
});

begin();
