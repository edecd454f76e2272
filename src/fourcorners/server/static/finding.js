// A finding, in the panel of the grid or on a separate page: what was typed, and the keys for it.
import { isCommand, isComposing, isWithin } from "./keys.js";
import { showProblem } from "./said.js";
import { post } from "./session.js";

const fields = "[data-mark] :is(textarea, select, input:not([type=hidden]))";
const place = (field) => field.closest("#finding")?.dataset;
const first = (field) => field.defaultValue ?? ([...field.options].find((each) => each.defaultSelected)?.value ?? "");

function draftKey(field) {
  const { d, v } = place(field);
  return `draft ${d} ${v} ${field.dataset.of ?? ""} ${field.name}`;
}

// What was typed or chosen and not saved is there when the finding is shown again.
export function keepDrafts(root) {
  root.addEventListener("input", (event) => {
    const field = event.target;
    if (!field.matches(fields) || !place(field)) return;
    if (field.value === first(field)) sessionStorage.removeItem(draftKey(field));
    else sessionStorage.setItem(draftKey(field), field.value);
    noteDrafts(field.form);
  });
  root.addEventListener("keydown", (event) => {
    const form = event.target.form;
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !form?.matches("[data-mark]")) return;
    event.preventDefault();
    if (!event.repeat && !isComposing(event)) form.requestSubmit(form.querySelector("button"));
  });
  restoreDrafts(root);
}

export function restoreDrafts(root) {
  for (const field of root.querySelectorAll(fields)) {
    const draft = sessionStorage.getItem(draftKey(field));
    if (draft === null) continue;
    field.value = draft;
    field.closest("details")?.setAttribute("open", "");
    noteDrafts(field.closest("form"));
  }
}

function noteDrafts(form) {
  const isChanged = [...form.querySelectorAll("textarea, select, input:not([type=hidden])")].some((field) => field.value !== first(field));
  const note = form.querySelector(".unsaved") ?? document.createElement("span");
  note.className = "unsaved";
  note.textContent = "Not saved yet.";
  if (isChanged) form.querySelector(".save")?.append(note);
  else note.remove();
}

export function forgetDrafts(form) {
  form.querySelectorAll("textarea, select, input:not([type=hidden])").forEach((field) => sessionStorage.removeItem(draftKey(field)));
}

// ---- The page of one finding

const page = document.querySelector(".finding-page");

function press(key) {
  const button = page.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (button) button.click();
  return Boolean(button);
}

function edit(selector) {
  const field = page.querySelector(selector);
  field?.closest("details")?.setAttribute("open", "");
  field?.focus();
}

function middle(element) {
  const { top, height } = element.getBoundingClientRect();
  return top + height / 2;
}

// Shows the contract next to the finding where there is room for both.
async function showContract(link) {
  const aside = page.querySelector("#contract");
  const to = new URL(link.href);
  const answer = await fetch(`${to.pathname}/view${to.search}`, { headers: { "HX-Request": "true" } });
  if (!answer.ok) { location.assign(link.href); return; }
  const { openContract } = await import("./contract_view.js");
  aside.innerHTML = await answer.text();
  aside.hidden = false;
  window.htmx?.process(aside);
  openContract(aside.querySelector(".contract"));
  const back = aside.querySelector("[data-back]");
  back.textContent = "Close the contract";
  back.addEventListener("click", () => { aside.hidden = true; link.focus(); });
  back.focus({ preventScroll: true });
  const words = aside.querySelector("[id^='s=']");
  if (words) aside.scrollTop += middle(words) - middle(aside); // the page stays where it is
}

if (page) {
  keepDrafts(page);
  page.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-open], .one-finding blockquote a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !matchMedia("(min-width: 72rem)").matches) return;
    event.preventDefault();
    showContract(link);
  });
  const help = page.querySelector("#help");
  page.querySelector("#help-button").addEventListener("click", () => help.showModal());
  let goesOn = false; // to the next finding, once this one is confirmed by its key
  page.addEventListener("click", (event) => { if (event.isTrusted) goesOn = false; });
  page.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("[data-mark]")) return;
    event.preventDefault();
    const values = new URLSearchParams(new FormData(form, event.submitter));
    const answer = await post(form.action, values);
    if (!answer) return;
    if (!answer.ok) { showProblem(form, answer); return; }
    forgetDrafts(form);
    if (goesOn) location.assign(page.querySelector("#next").href);
    else location.reload();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !isComposing(event)) { if (!help.open) document.activeElement?.blur(); return; }
    if (!isCommand(event)) return;
    if (event.key === "n") page.querySelector("#next")?.click();
    else if (event.key === "?") help.showModal();
    else if (!isWithin(event.target, page.querySelector("#finding"))) return;
    else {
      goesOn = event.key === "c";
      if (event.key === "e") edit("#value");
      else if (event.key === "m") edit("#comment");
      else if (!press(event.key)) return;
    }
    event.preventDefault();
  });
}
