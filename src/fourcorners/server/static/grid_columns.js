// The columns of the grid: their order and their width, by dragging their heads and by keys.
import { tell } from "./said.js";
import { table } from "./grid_table.js";

const STEP = 40; // pixels by which a key widens a column
const NARROWEST = 60;
const WIDEST = 800;
const heads = [...table.tHead.rows[0].querySelectorAll("th[data-column]")];
const cols = [...table.querySelectorAll("col")].slice(2);
const nameOf = (head) => head.querySelector("a").textContent.trim();
let dragged = null;

// ---- Order

function move(head, to) { // the server draws the columns in their new order
  const ids = heads.map((each) => each.dataset.column);
  const from = heads.indexOf(head);
  if (to < 0 || to >= ids.length || to === from) return;
  ids.splice(to, 0, ...ids.splice(from, 1));
  const address = new URL(location.href);
  address.searchParams.delete("show");
  ids.forEach((each) => address.searchParams.append("show", each));
  address.hash = `head-${head.dataset.column}`;
  location.assign(address);
}

heads.forEach((head) => { head.draggable = true; });
table.tHead.addEventListener("dragstart", (event) => {
  dragged = event.target.closest("th[data-column]");
  if (!dragged) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", nameOf(dragged));
});
table.tHead.addEventListener("dragover", (event) => {
  const head = event.target.closest("th[data-column]");
  heads.forEach((each) => each.classList.toggle("drop", dragged !== null && each === head && each !== dragged));
  if (dragged && head) event.preventDefault();
});
table.tHead.addEventListener("dragend", () => {
  dragged = null;
  heads.forEach((each) => each.classList.remove("drop"));
});
table.tHead.addEventListener("drop", (event) => {
  const head = event.target.closest("th[data-column]");
  if (!dragged || !head) return;
  event.preventDefault();
  move(dragged, heads.indexOf(head));
});

// ---- Width

function widen(head, pixels) {
  const width = Math.round(Math.max(NARROWEST, Math.min(WIDEST, pixels)));
  const col = cols[heads.indexOf(head)];
  col.style.width = `${width}px`;
  col.dataset.width = width;
}

function keepWidths() { // in the address, and in all that leads back here
  const widths = cols.map((col, n) => col.dataset.width && `${heads[n].dataset.column}:${col.dataset.width}`).filter(Boolean);
  const put = (address) => {
    address.searchParams.delete("w");
    widths.forEach((each) => address.searchParams.append("w", each));
    return address;
  };
  history.replaceState(history.state, "", put(new URL(location.href)));
  document.querySelectorAll(".grid-page a[href*='/reviews/grid?']:not([data-view])").forEach((each) => { each.href = put(new URL(each.href)); });
  document.querySelectorAll(".saved-views [name=back]").forEach((each) => { each.value = location.search.slice(1); });
  const filter = document.querySelector("#filter");
  filter.querySelectorAll("[name=w]").forEach((each) => each.remove());
  widths.forEach((each) => filter.append(Object.assign(document.createElement("input"), { type: "hidden", name: "w", value: each })));
}

heads.forEach((head) => {
  const edge = document.createElement("span");
  edge.className = "edge";
  head.append(edge);
  edge.addEventListener("pointerdown", (event) => {
    event.preventDefault(); // it is no drag of the head
    edge.setPointerCapture(event.pointerId);
    const begin = event.clientX;
    const wide = head.offsetWidth;
    const follow = (moved) => widen(head, wide + moved.clientX - begin);
    edge.addEventListener("pointermove", follow);
    edge.addEventListener("lostpointercapture", () => { edge.removeEventListener("pointermove", follow); keepWidths(); }, { once: true });
  });
});

// Alt with an arrow moves the column of a head, and with Shift changes its width.
export function byKey(event) {
  const head = event.target.closest("th[data-column]");
  if (!head) return;
  const step = event.key === "ArrowRight" ? 1 : -1;
  if (!event.shiftKey) { move(head, heads.indexOf(head) + step); return; }
  widen(head, head.offsetWidth + step * STEP);
  keepWidths();
  tell(`${nameOf(head)}: ${cols[heads.indexOf(head)].dataset.width} pixels wide.`);
}
