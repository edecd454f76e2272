// An answer: its words in the contract next to it, and its table, sorted and filtered.
import { openContract } from "./contract_view.js";

const headers = { "HX-Request": "true" };
const report = document.querySelector(".report");
const panel = report.querySelector(":scope > [data-side]");
const wide = matchMedia("(min-width: 60rem)");

// ---- The contract next to the answer, at the words

let from = null; // the link whose contract is there

report.addEventListener("click", async (event) => {
  const link = event.target.closest("a[href^='/d/'][href*='s=']");
  if (!link || !wide.matches || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  from = link;
  const to = new URL(link.href);
  const answer = await fetch(`${to.pathname}/view${to.search}`, { headers });
  if (!answer.ok) { location.assign(link.href); return; }
  if (from !== link) return; // another was opened meanwhile
  panel.innerHTML = await answer.text();
  panel.hidden = false;
  report.dataset.side = "open";
  report.querySelectorAll("tr.open").forEach((row) => row.classList.remove("open"));
  link.closest("tr")?.classList.add("open");
  window.htmx?.process(panel);
  openContract(panel.querySelector(".contract"));
  const back = panel.querySelector("[data-back]");
  back.textContent = "Close";
  back.addEventListener("click", close);
  back.focus();
  panel.querySelector("[id^='s=']")?.scrollIntoView({ block: "center" });
});

report.addEventListener("keydown", (event) => { if (event.key === "Escape" && !panel.hidden) close(); });

function close() {
  panel.hidden = true;
  panel.replaceChildren();
  delete report.dataset.side;
  report.querySelectorAll("tr.open").forEach((row) => row.classList.remove("open"));
  from?.focus();
}

// ---- The table

const table = report.querySelector("table.answers");
if (table) {
  const body = table.tBodies[0];
  const order = new Intl.Collator(navigator.language, { numeric: true });
  const rows = [...body.rows];
  const value = (row, column) => row.cells[column].dataset.sort ?? row.cells[column].textContent.trim();
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const column = head.cellIndex;
      rows.sort((one, other) => order.compare(value(one, column), value(other, column)) * (down ? -1 : 1));
      body.append(...rows);
    });
  }
  const filters = report.querySelector(".table-filter");
  filters.hidden = false;
  const show = () => {
    const words = filters.elements.find.value.trim().toLowerCase();
    const state = filters.elements.state.value;
    let shown = 0;
    for (const row of rows) {
      row.hidden = (state !== "" && row.dataset.state !== state) || !row.textContent.toLowerCase().includes(words);
      shown += row.hidden ? 0 : 1;
    }
    filters.querySelector("output").textContent = `${shown} of ${rows.length}`;
  };
  filters.addEventListener("input", show);
  filters.addEventListener("submit", (event) => event.preventDefault());
  show();
}
