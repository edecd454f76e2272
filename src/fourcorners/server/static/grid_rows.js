// Rows that are selected, and what is done to all of their findings at once: asked first, and taken back.
import { post } from "./session.js";
import { problem, showProblem, tell } from "./said.js";
import { again, panel, table, total } from "./grid_table.js";
import { isFinding, refresh } from "./grid_panel.js";
import { recount } from "./grid_marks.js";

const bulk = document.querySelector("#bulk");
const sure = document.querySelector("#sure");
const done = document.querySelector("#done");
const picked = new Set(); // rows that are selected; of all that fit, those that are not
let everything = false; // whether all rows that fit are selected, those not drawn among them

const isPicked = (d) => everything !== picked.has(d);
const pickedRows = () => everything ? total - picked.size : picked.size;

function dress(row) {
  const on = isPicked(row.dataset.d);
  const box = row.querySelector("input");
  if (box && box.checked !== on) box.checked = on;
  row.classList.toggle("picked", on);
}

export const turn = (row) => pick(row, !isPicked(row.dataset.d));

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

const number = (value) => value.toLocaleString(navigator.language);
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
  const selection = everything && !picked.size ? `All ${counted(rows, "contract")} selected` : `${counted(rows, "contract")} selected`;
  bulk.querySelector("#picked").textContent = selection;
  ready(null);
  clearTimeout(tallying);
  tallied?.abort();
  if (rows) tallying = setTimeout(() => countFindings(selection), 150);
}

function ready(found) { // only findings that were counted for the visitor are marked at once
  tally = found;
  bulk.querySelectorAll("[name=says]").forEach((button) => { button.disabled = !found; });
}

async function countFindings(selection) {
  tallied = new AbortController();
  try {
    const mine = tallied;
    const answer = await post(`${bulk.action}/count`, chosen());
    if (!answer || mine.signal.aborted) return;
    if (!answer.ok) { tell(await problem(answer), true); again(); return; }
    const { findings, most } = await answer.json();
    const much = findings > most ? `; at most ${number(most)} are marked at once: choose one column, or filter` : "";
    bulk.querySelector("#picked").textContent = `${selection}, ${findings ? counted(findings, "finding") : "no finding"} to mark${much}`;
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

table.addEventListener("drawn", (event) => event.detail.body.querySelectorAll("tr[data-d]").forEach(dress));
table.addEventListener("counted", () => { if (everything) count(); });
document.querySelector("#unpick")?.addEventListener("click", () => pickAll(false));

// ---- All of their findings at once

bulk?.addEventListener("submit", async (event) => { // without a number the server asks, with one
  event.preventDefault();
  const leads = event.submitter.hasAttribute("formaction");
  if (!tally && !leads) return;
  const answer = await post(leads ? event.submitter.formAction : bulk.action, chosen(event.submitter));
  if (!answer) return;
  if (!answer.ok) { tell(await problem(answer), true); count(); again(); return; }
  if (leads) { location.assign((await answer.json()).href); return; }
  sure.innerHTML = await answer.text();
  sure.showModal();
});

sure?.addEventListener("click", (event) => {
  if (!event.target.closest("[data-close]")) return;
  event.preventDefault();
  sure.close();
});

sure?.addEventListener("submit", async (event) => {
  event.preventDefault();
  event.submitter.disabled = true;
  const isDone = await carryOut(event.target);
  event.submitter.disabled = false;
  if (isDone) { sure.close(); pickAll(false); }
});

done.addEventListener("submit", async (event) => {
  event.preventDefault();
  event.submitter.disabled = true;
  if (!await carryOut(event.target)) event.submitter.disabled = false;
  if (pickedRows()) count();
});

async function carryOut(form) { // tells whether it was done
  const answer = await post(form.action, new URLSearchParams(new FormData(form)));
  if (!answer) return false;
  if (answer.ok) {
    done.innerHTML = await answer.text();
    tell("");
    const to = new URL(location.href); // so that a reload does not lose the way back
    to.searchParams.set("done", done.querySelector("[data-number]").dataset.number);
    history.replaceState(history.state, "", to);
  } else await showProblem(form, answer);
  again();
  recount();
  if (isFinding() && !panel.querySelector(".unsaved")) refresh();
  return answer.ok;
}
