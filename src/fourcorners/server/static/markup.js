// The mark-up of a contract: keys for the changes, and the contract's text kept as they are decided.
import { isCommand, isComposing, isTyping, isWithin } from "./keys.js";

const changes = () => [...document.querySelectorAll("[data-change]")];
const marks = (id) => document.querySelectorAll(`[data-of="${CSS.escape(id)}"]`);
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const behavior = still ? "auto" : "smooth";
let here = ""; // the id of the change that keys are for
let sent = null; // the decision that is on its way

function choose(change, focus = true, reveal = true) {
  if (!change) return;
  here = change.dataset.change;
  document.querySelectorAll(".chosen").forEach((each) => each.classList.remove("chosen"));
  change.classList.add("chosen");
  marks(here).forEach((each) => each.classList.add("chosen"));
  if (focus) change.focus({ preventScroll: true });
  if (!reveal) return;
  change.scrollIntoView({ block: "nearest" }); // at once: the next key is for what is seen
  if (getComputedStyle(document.querySelector(".side")).position === "sticky") marks(here)[0]?.scrollIntoView({ block: "center", behavior });
}

// Whether the reader sees a change: most of it, or as much as there is room for.
function isSeen(change) {
  const own = change.getBoundingClientRect();
  const side = change.closest(".side").getBoundingClientRect();
  const top = Math.max(own.top, side.top, 0);
  const bottom = Math.min(own.bottom, side.bottom, innerHeight);
  return bottom - top >= Math.min(own.height, innerHeight) / 2;
}

const current = () => document.querySelector(`[data-change="${CSS.escape(here)}"]`);

function step(by) {
  const all = changes();
  const at = all.indexOf(current());
  choose(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]);
}

function edit(change) {
  change.querySelector("[data-edit]").open = true;
  change.querySelector("textarea").focus();
}

// What is decided is shown in the contract's words, too; an edited change has other words there.
document.addEventListener("submit", (event) => {
  const change = event.target.matches("[data-decide]") ? event.target.closest("[data-change]") : null;
  if (change) sent = { id: change.dataset.change, was: change.dataset.state, says: event.submitter?.value };
}, true);

document.addEventListener("htmx:afterSettle", () => {
  if (!sent) return;
  const { id, was, says } = sent;
  sent = null;
  if (was === "edited") {
    location.hash = `change-${id}`;
    location.reload();
    return;
  }
  const change = document.querySelector(`[data-change="${CSS.escape(id)}"]`);
  for (const mark of marks(id)) {
    mark.classList.remove("open", "accepted", "edited", "rejected");
    mark.classList.add(change.dataset.state);
  }
  const all = changes();
  choose(says === "open" ? change : all[all.indexOf(change) + 1] ?? change);
});

document.addEventListener("htmx:responseError", () => {
  document.querySelector("#markup-counts [role=status]").textContent = "That could not be saved. Reload the page, and try again.";
});

document.addEventListener("click", (event) => {
  const mark = event.target.closest("[data-of]");
  const change = mark ? document.querySelector(`[data-change="${CSS.escape(mark.dataset.of)}"]`) : event.target.closest("[data-change]");
  if (change && change.dataset.change !== here) choose(change, Boolean(mark));
});

document.addEventListener("focusin", (event) => { // keys are for the change that has the focus
  const change = event.target.closest("[data-change]");
  if (change && change.dataset.change !== here) choose(change, false, false);
});

document.addEventListener("submit", (event) => {
  const button = event.target.matches("[data-wait]") ? event.target.querySelector("button") : null;
  if (!button) return;
  button.textContent = "Reading the contract…";
  button.setAttribute("aria-disabled", "true");
});

const BLANK = /\[(?!\*+\])[^[\]]+\]|_{2,}|\.{4,}|…{2,}/g; // as redline/proposal.py has it

document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-edit] textarea")) return;
  const { form, value } = event.target;
  const blanks = [...new Set(value.match(BLANK))].map((each) => each.replace(/^\[|\]$/g, ""));
  if (blanks.length) form.dataset.confirm = `Still to fill in: ${blanks.join("; ")}. Save the words with the blank?`;
  else delete form.dataset.confirm;
});

addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (isComposing(event)) return;
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.matches?.("[data-edit] textarea")) {
    if (!event.repeat) target.form.requestSubmit();
    return;
  }
  if (key === "Escape" && isTyping(target)) { choose(target.closest("[data-change]")); return; }
  const by = { j: 1, k: -1 }[key];
  if (!isCommand(event, Boolean(by)) || !isWithin(target, document.querySelector(".room"))) return;
  const change = current();
  const button = change?.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (by) step(by);
  else if (!button && (key !== "e" || !change?.querySelector("[data-edit]"))) return;
  else if (!isSeen(change)) choose(change); // what is not seen is shown first
  else if (button) button.click();
  else edit(change);
  event.preventDefault();
});

const isNamed = location.hash.startsWith("#change-");
const first = (isNamed ? document.getElementById(location.hash.slice(1)) : document.querySelector(".proposals [data-state=open]")) ?? changes()[0];
choose(first, isNamed, isNamed);
