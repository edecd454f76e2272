// Words that are selected in a contract: copied with their source, or put into a cell of a review.
import { isCommand } from "./keys.js";
import { problem } from "./said.js";
import { post } from "./session.js";

const headers = { "HX-Request": "true" };
const HIDDEN = /⟦U\+[0-9A-F]{4,6}⟧/g; // a character that shows nothing, by its name

const counted = (words) => [...words.replace(HIDDEN, "·")].length;

function offsetIn(element, container, offset) {
  const range = document.createRange();
  range.selectNodeContents(element);
  if (element.contains(container)) range.setEnd(container, offset);
  return Number(element.dataset.at) + counted(range.toString());
}

// The selected words as [start, end, words] of the contract's text, or null.
export function selectedPlace(root) {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!root.contains(range.commonAncestorContainer) && !range.intersectsNode(root)) return null;
  const parts = [...root.querySelectorAll("[data-at]")].filter((each) => range.intersectsNode(each) && each.textContent);
  const inside = parts.filter((each) => { // what is only touched at its edge is not selected
    const words = document.createRange();
    words.selectNodeContents(each);
    return range.compareBoundaryPoints(Range.START_TO_END, words) > 0 && range.compareBoundaryPoints(Range.END_TO_START, words) < 0;
  });
  const first = inside[0];
  const last = inside.at(-1);
  if (!first) return null;
  const begins = first.contains(range.startContainer) ? offsetIn(first, range.startContainer, range.startOffset) : Number(first.dataset.at);
  const start = begins - halfWord(first, begins, -1);
  const ends = offsetIn(last, range.endContainer, range.endOffset);
  const end = ends + halfWord(last, ends, 1);
  const words = inside.map((each) => signs(each).slice(Math.max(0, start - Number(each.dataset.at)), end - Number(each.dataset.at)).join("")).join("\n").trim();
  return start < end && words ? { start, end, words } : null;
}

const signs = (element) => element.textContent.match(/⟦U\+[0-9A-F]{4,6}⟧|[^]/gu) ?? [];
const LETTER = /^[\p{L}\p{N}]$/u;

// How many letters of a word that is selected in part lie beyond the selection.
function halfWord(element, offset, way) {
  const all = signs(element);
  const at = offset - Number(element.dataset.at);
  let more = 0;
  if (!LETTER.test(all[at - 1] ?? "") || !LETTER.test(all[at] ?? "")) return 0;
  while (LETTER.test(all[way < 0 ? at - 1 - more : at + more] ?? "")) more += 1;
  return more;
}

export function followSelection(root, address, cell) {
  const bar = root.querySelector(".on-words");
  let place = null;

  function offer() {
    place = selectedPlace(root);
    if (!place) { bar.hidden = true; return; }
    const buttons = [["Copy with source", copy], ["Copy link", link]];
    if (cell?.mark) buttons.unshift([`Use for “${cell.name()}”`, () => cell.mark(place).then(tellSaved)]);
    else buttons.unshift(["Use in a review…", choose]);
    bar.replaceChildren(...buttons.map(([title, act], number) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = number ? "button" : "button main";
      button.textContent = title;
      button.addEventListener("click", act);
      return button;
    }));
    bar.hidden = false;
    const around = getSelection().getRangeAt(0).getBoundingClientRect();
    const base = (bar.offsetParent ?? document.body).getBoundingClientRect();
    const below = around.bottom + bar.offsetHeight + 8 < innerHeight;
    bar.style.left = `${Math.max(0, Math.min(around.left, innerWidth - bar.offsetWidth - 8) - base.left)}px`;
    bar.style.top = `${(below ? around.bottom + 6 : Math.max(around.top - bar.offsetHeight - 6, 60)) - base.top + (bar.offsetParent?.scrollTop ?? 0)}px`;
  }

  function tell(words, bad = false) {
    const status = document.createElement("span");
    status.className = bad ? "status warn" : "status";
    status.setAttribute("role", "status");
    status.textContent = words;
    bar.replaceChildren(status);
    bar.hidden = false;
  }

  const tellSaved = (problem) => tell(problem || "Saved.", Boolean(problem));

  async function put(words) {
    try {
      await navigator.clipboard.writeText(words);
      tell("Copied.");
    } catch {
      tell("The browser did not allow that: press Ctrl+C to copy the words.", true);
    }
  }

  const href = () => `${location.origin}${address}?s=${place.start}-${place.end}#s=${place.start}-${place.end}`;
  const copy = () => put(`“${place.words.replace(/\s+/g, " ")}”\n${root.dataset.title}${pageOf()}`);
  const link = () => put(href());

  function pageOf() {
    const node = getSelection().anchorNode?.parentElement?.closest(".sheet");
    return node ? `, page ${node.dataset.page}` : "";
  }

  async function choose() {
    const answer = await fetch(`${address}/cells?start=${place.start}&end=${place.end}`, { headers });
    if (!answer.ok) { tell("The reviews could not be loaded.", true); return; }
    const drawn = document.createElement("template");
    drawn.innerHTML = await answer.text();
    const dialog = drawn.content.querySelector("dialog");
    root.append(dialog);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
    dialog.querySelector("form[data-use]")?.addEventListener("submit", async (event) => {
      event.preventDefault();
      const values = new URLSearchParams(new FormData(event.target));
      const [book, provision] = values.get("cell").split("\n");
      values.delete("cell");
      values.set("p", book);
      values.set("v", provision);
      const problem = await markWords(values);
      dialog.querySelector("[role=status]").textContent = problem || "Saved.";
      if (!problem) { dialog.close(); tell(`Saved: ${event.target.elements.cell.selectedOptions[0].textContent.trim()} now quotes these words.`); }
    });
    dialog.showModal();
  }

  document.addEventListener("selectionchange", () => { if (root.isConnected && !choosing()) offer(); });
  const choosing = () => root.querySelector("dialog[open]") || bar.contains(document.activeElement);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && root.isConnected) bar.hidden = true; });
  byKeys(root, bar);
}

// Sends what was selected to a cell; returns what went wrong, or nothing.
export async function markWords(values) {
  const answer = await post("/reviews/mark", values);
  if (!answer) return "Not saved.";
  return answer.ok ? "" : problem(answer);
}

// ---- By keys: s begins, arrows go on by words and lines, with Shift they select, Enter acts

function byKeys(root, bar) {
  const button = root.querySelector("[data-select]");
  const on = () => "caret" in root.dataset;

  function begin() {
    const from = root.querySelector("mark") ?? inView();
    if (!from) return;
    root.dataset.caret = "";
    button.setAttribute("aria-pressed", "true");
    button.blur();
    const selection = getSelection();
    selection.collapse(from, 0);
    selection.modify("extend", "forward", "word");
  }

  function inView() {
    const top = root.querySelector(".tools").getBoundingClientRect().bottom;
    return [...root.querySelectorAll("[data-at]")].find((each) => each.textContent.trim() && each.getBoundingClientRect().top >= top);
  }

  function end() {
    delete root.dataset.caret;
    button.setAttribute("aria-pressed", "false");
    getSelection().removeAllRanges();
  }

  button.addEventListener("click", () => (on() ? end() : begin()));
  document.addEventListener("keydown", (event) => {
    if (!root.isConnected || !isCommand(event, true)) return;
    if (event.key === "s" && !on()) { event.preventDefault(); event.stopImmediatePropagation(); begin(); return; }
    if (!on()) return;
    const unit = { ArrowLeft: ["backward", "word"], ArrowRight: ["forward", "word"], ArrowUp: ["backward", "line"], ArrowDown: ["forward", "line"] }[event.key];
    if (unit && !bar.contains(event.target)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      const selection = getSelection();
      if (!event.shiftKey) { // the next words alone
        selection[unit[0] === "forward" ? "collapseToEnd" : "collapseToStart"]();
        if (unit[1] === "line") selection.modify("move", ...unit);
        if (unit[0] === "backward" && unit[1] === "word") selection.modify("move", "backward", "word");
        selection.modify("extend", "forward", "word");
      } else selection.modify("extend", ...unit);
      selection.focusNode?.parentElement?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && event.repeat) event.preventDefault(); // what it leads to is not pressed by it, too
    else if (event.key === "Enter" && !bar.hidden && !bar.contains(event.target)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      bar.querySelector("button")?.focus();
    } else if (event.key === "Escape") {
      event.stopImmediatePropagation();
      end();
    }
  }, true);
}
