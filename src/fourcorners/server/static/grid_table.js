// The table of a review: one long list out of windows that the server draws, and the way through it.
// It announces `drawn` (rows came), `counted` (their number changed) and `opened` (a cell's finding).
import { tell } from "./said.js";

export const table = document.querySelector("#grid");
export const panel = document.querySelector("#panel");
export const headers = { "HX-Request": "true" };
const scroller = document.querySelector("#scroll");
const ROWS = 10; // rows of a window; four or five are in the page at once
const BLOCK = 4; // columns come and go by so many
const MARGIN = 2; // columns that are drawn on either side of those in view
const WIDE = 24; // columns up to which the rows of the page keep all of them
const HEAD = -1; // the row of the heads
const NAME = -1; // the column of the names of contracts
const PICK = -2; // the column of the boxes that select rows

const windows = new Map(); // number of the window -> { body, from, to: the columns in it, abort }
export let total = Number(table.dataset.total);
let height = 54;
let lefts = []; // where each column begins, and where the last ends
let aside = 0; // how much of the width the names of the contracts take
let headHeight = 0;
export let at = null; // the cell that has the focus: { row, column }, from 0; HEAD, NAME and PICK before them
let stop = null; // the one element of the table that Tab leads to
let coming = null; // what is done with that cell when it has come: { follow, enter }
let drawing = 0;

const announce = (name, detail = {}) => table.dispatchEvent(new CustomEvent(name, { detail }));

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

export const columns = () => table.tHead.rows[0].cells.length - 2;
const above = spacer("above");
const below = spacer("below");

export function begin() {
  const first = table.tBodies[0];
  table.querySelectorAll("col[data-width]").forEach((col) => { col.style.width = `${col.dataset.width}px`; });
  measure();
  document.querySelector("#pages")?.remove();
  const rows = [...first.rows];
  first.replaceWith(above, below);
  if (rows[0]?.dataset.n === "1") adopt(rows);
  table.tHead.querySelectorAll("th > a:first-child, .pick > input").forEach((each) => { each.tabIndex = -1; });
  keepStop();
  scroller.addEventListener("scroll", ask, { passive: true });
  const watching = new ResizeObserver(() => { measure(); draw(); });
  watching.observe(scroller);
  watching.observe(table.tHead);
  draw();
  arrive();
}

function arrive() { // a column that was just asked for or moved comes into view, and has the focus
  const [, part, id] = /^#(column|head)-(.+)$/.exec(decodeURIComponent(location.hash)) ?? [];
  const head = id && table.tHead.querySelector(`th[data-column="${CSS.escape(id)}"]`);
  if (!head || !total) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  focus(part === "head" ? HEAD : 0, columnOf(head), false);
}

function adopt(rows) { // the rows of the page are windows with all columns, until they leave the view
  for (let start = 0; start < rows.length; start += ROWS) {
    const body = document.createElement("tbody");
    body.append(...rows.slice(start, start + ROWS));
    body.querySelectorAll("td.c > a, th a, .pick > input").forEach((each) => { each.tabIndex = -1; });
    table.insertBefore(body, below);
    windows.set(start / ROWS, { body, from: 0, to: columns(), isOfPage: true });
    announce("drawn", { body });
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
    if (each.isOfPage && columns() > WIDE) trim(each, from, to);
    if (each.isOfPage ? each.from > from || each.to < to : each.from !== from || each.to !== to) load(each, number, from, to);
  }
  gap(above, first * ROWS);
  gap(below, total - Math.min(total, (last + 1) * ROWS));
}

function trim(each, from, to) { // takes the columns out of the page's rows that are not in view
  for (const row of each.body.rows) {
    [...row.querySelectorAll("td.c")].forEach((cell, column) => { if (column < from || column >= to) cell.remove(); });
    if (!from) continue;
    const away = Object.assign(document.createElement("td"), { className: "away", colSpan: from });
    away.setAttribute("aria-hidden", "true");
    row.cells[1].after(away);
  }
  Object.assign(each, { from, to, isOfPage: false });
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
  Object.assign(each, { from, to, abort, isLoading: true });
  try {
    const asked = `${table.dataset.rows}&start=${number * ROWS}&count=${ROWS}&left=${from}&across=${to - from}`;
    const answer = await fetch(asked, { headers, signal: abort.signal });
    if (!answer.ok) throw new Error(String(answer.status));
    if (answer.headers.get("X-Columns") !== table.dataset.columns) { location.reload(); return; } // a column was asked for, or taken out
    const markup = await answer.text();
    await myTurn();
    if (abort.signal.aborted) return;
    each.isLoading = false;
    put(each.body, markup);
    const rows = Number(answer.headers.get("X-Rows"));
    if (rows !== total) {
      total = rows;
      table.setAttribute("aria-rowcount", total + 1);
      announce("counted");
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
  const held = body.contains(active) && active === stop;
  body.innerHTML = markup;
  announce("drawn", { body });
  if (box !== null) body.querySelector(`tr[data-d="${CSS.escape(box)}"] input`)?.focus({ preventScroll: true });
  const cell = spot();
  if (cell && body.contains(cell)) {
    if (coming && !busy()) take(cell, coming.follow, coming.enter);
    else if (held || document.activeElement === document.body && panel.hidden) take(cell, false);
  }
  keepStop();
}

function keepStop() { // Tab leads to a cell, also once the last one has left the page
  if (!stop?.isConnected) reachable(table.querySelector("td.c > a"));
}

export function again() {
  windows.forEach((each, number) => load(each, number, each.from, each.to));
}

// Shows the same grid with other families opened: with other rows, that is.
export function reopen(query) {
  history.replaceState(history.state, "", `/reviews/grid?${query}`);
  table.dataset.rows = `/reviews/rows?${query}`;
  again();
}

export function againIfLoading() { // rows on their way may have been drawn before what was just marked
  windows.forEach((each, number) => { if (each.isLoading) load(each, number, each.from, each.to); });
}

addEventListener("beforeprint", () => { // print the columns that are drawn, and their heads
  const [from, to] = wantedColumns();
  const heads = [...table.tHead.rows[0].cells].slice(2);
  const cols = [...table.querySelectorAll("col")].slice(2);
  [heads, cols].forEach((each) => each.forEach((one, n) => one.classList.toggle("away", n < from || n >= to)));
});

// ---- Moving

export const key = (cell) => `${cell.parentElement.dataset.d} ${cell.dataset.v}`;
const busy = () => document.activeElement?.closest?.("#panel, form, dialog, details");
const rowOf = (cell) => Number(cell.parentElement.dataset.n) - 1;
const columnOf = (cell) => Number(cell.getAttribute("aria-colindex")) - 3;

function cellAt(row, column) {
  const place = `[aria-colindex="${column + 3}"]`;
  if (row === HEAD) return table.tHead.querySelector(place);
  const body = windows.get(Math.floor(row / ROWS))?.body;
  return body?.querySelector(`tr[data-n="${row + 1}"] > ${place}`) ?? null;
}

export function focus(row, column, follow = true) {
  row = Math.max(HEAD, Math.min(total - 1, row));
  column = Math.max(PICK, Math.min(columns() - 1, column));
  at = { row, column };
  reveal();
  const cell = spot();
  if (cell) take(cell, follow);
  else { // it comes with its window, which takes the focus up
    coming = { follow };
    draw();
  }
}

function reachable(target) {
  if (stop) stop.tabIndex = -1;
  stop = target;
  if (stop) stop.tabIndex = 0;
}

function take(cell, follow, enter = false) {
  coming = null;
  const target = cell.querySelector("a, input") ?? cell;
  reachable(target);
  target.focus({ preventScroll: true });
  if (cell.matches("td.c") && (enter || follow && !panel.hidden)) announce("opened", { cell });
}

export function reveal() {
  const top = at.row * height;
  const bottom = top + headHeight + height - scroller.clientHeight;
  const left = lefts[at.column] - aside;
  const right = lefts[at.column + 1] - scroller.clientWidth;
  const { scrollTop, scrollLeft } = scroller;
  if (at.row !== HEAD && top < scrollTop) scroller.scrollTop = top;
  else if (bottom > scrollTop) scroller.scrollTop = bottom;
  if (at.column < 0) return; // it does not leave the view
  if (left < scrollLeft) scroller.scrollLeft = left;
  else if (right > scrollLeft) scroller.scrollLeft = Math.min(left, right);
}

const spot = () => at && cellAt(at.row, at.column);

// The cell of a finding that has the focus.
export function current() {
  const cell = spot();
  return cell?.matches("td.c") ? cell : null;
}

// The row of a contract that has the focus.
export const currentRow = () => spot()?.closest("tr[data-d]") ?? null;

const screen = () => Math.max(1, Math.floor(scroller.clientHeight / height) - 2);
const here = () => at ?? { row: Math.floor(scroller.scrollTop / height), column: 0 };

export const MOVES = {
  ArrowDown: () => focus(at ? at.row + 1 : here().row, here().column),
  ArrowUp: () => focus(here().row - 1, here().column),
  ArrowRight: () => focus(here().row, at ? at.column + 1 : 0),
  ArrowLeft: () => focus(here().row, here().column - 1),
  PageDown: () => focus(here().row + screen(), here().column),
  PageUp: () => focus(Math.max(0, here().row - screen()), here().column),
  Home: (event) => focus(event.ctrlKey ? 0 : here().row, 0),
  End: (event) => focus(event.ctrlKey ? total - 1 : here().row, columns() - 1),
};

// Goes to the cell that is on its way, and opens its finding once it has come.
export function openWhenDrawn() {
  coming = { follow: true, enter: true };
  draw();
}

export const isComing = () => coming !== null;

export function focusOn(cell) {
  focus(rowOf(cell), columnOf(cell), false);
}

table.addEventListener("focusin", (event) => {
  const cell = event.target.closest("[aria-colindex]");
  if (!cell) return;
  at = { row: cell.closest("thead") ? HEAD : rowOf(cell), column: columnOf(cell) };
  reachable(event.target);
});

export const find = (d, v) => table.querySelector(`tr[data-d="${CSS.escape(d)}"] > td[data-v="${CSS.escape(v)}"]`);
