// What people say of findings, in the grid: sent, shown in the cell and counted above.
import { forgetDrafts } from "./finding.js";
import { post } from "./session.js";
import { problem, showProblem, tell } from "./said.js";
import { again, againIfLoading, at, find, focus, headers, panel, reopen, table } from "./grid_table.js";
import { fill, isContract, isFinding, onWords, open } from "./grid_panel.js";

const place = () => {
  const [d, v] = open.split(" ");
  return { c: table.dataset.c, p: table.dataset.p, d, v };
};

async function send(values, form = null) {
  const answer = await post("/reviews/mark", new URLSearchParams(values));
  if (!answer) return false;
  if (!answer.ok) {
    if (form?.isConnected) await showProblem(form, answer);
    else tell(await problem(answer), true);
    return false;
  }
  if (form) forgetDrafts(form);
  const markup = await answer.text();
  const drawn = document.createElement("template");
  drawn.innerHTML = markup;
  const now = drawn.content.querySelector("#finding");
  dressCell(now);
  againIfLoading();
  if (open === `${now.dataset.d} ${now.dataset.v}` && (isFinding() || isContract())) fill(markup);
  tell(now.dataset.label);
  recount();
  return true;
}

// Marks the finding that is open; the caller knows that it is seen.
export const say = (state) => send({ ...place(), says: state }, panel.querySelector(".says"));

onWords(async ({ start, end, words }) => { // returns what went wrong, or nothing
  const saved = await send({ ...place(), says: "corrected", at: `${start}-${end}`, words });
  return saved ? "" : document.querySelector("#said").textContent;
});

panel.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-mark]")) return;
  event.preventDefault();
  const values = new FormData(form, event.submitter);
  if (await send(values, form)) panel.querySelector(".says button")?.focus();
});

panel.addEventListener("click", (event) => { if (event.target.closest("[data-next]")) next(); });

function dressCell(now) {
  const cell = find(now.dataset.d, now.dataset.v);
  if (!cell) return;
  const opened = cell.classList.contains("open");
  cell.className = `c ${now.dataset.look}${opened ? " open" : ""}`;
  const link = cell.querySelector("a");
  link.setAttribute("aria-label", now.dataset.label);
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

export async function next() { // the next finding that nobody has checked, in the order of the rows
  const after = at ? `&row=${at.row}&column=${at.column}` : "";
  const was = at;
  const answer = await fetch(`${table.dataset.rows.replace("/rows?", "/next?")}${after}`, { headers });
  if (!answer.ok) { tell(await problem(answer), true); return; }
  const to = await answer.json();
  if (at?.row !== was?.row || at?.column !== was?.column) return; // the reader has gone elsewhere meanwhile
  if (to?.open) reopen(to.open);
  if (to) focus(to.row, to.column);
  else tell("Every finding after this one has been checked.");
}

// ---- The numbers above the grid

let seen = document.querySelector("#grid-head").dataset.version; // the version of the grid that is shown
let counting = 0;

export function recount() { // once for a burst of marks
  clearTimeout(counting);
  counting = setTimeout(look, 400);
}

// Brings the numbers up to date; tells whether anything has changed.
export async function look() {
  const answer = await fetch(table.dataset.rows.replace("/rows?", "/progress?"), { headers });
  const drawn = document.createElement("template");
  drawn.innerHTML = await answer.text();
  const head = drawn.content.querySelector("#grid-head");
  if (!answer.ok || !head || head.dataset.version === seen) return false;
  seen = head.dataset.version;
  const was = document.querySelector("#grid-head");
  head.querySelector("details").open = was.querySelector("details").open;
  was.replaceWith(head);
  window.htmx?.process(head);
  return true;
}

document.addEventListener("htmx:afterSettle", () => {
  const head = document.querySelector("#grid-head");
  if (head && head.dataset.version !== seen) {
    seen = head.dataset.version;
    again();
  }
});
