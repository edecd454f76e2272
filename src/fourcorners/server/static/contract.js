// The page of a contract: links of the form #s=120-340 from anywhere, and what a defined term means.
import { openContract } from "./contract_view.js";

const room = document.querySelector(".room");
const view = document.querySelector(".contract");

function follow() {
  const found = /^#s=(\d{1,12})-(\d{1,12})$/.exec(decodeURIComponent(location.hash));
  if (!found || !view) return;
  const place = `${found[1]}-${found[2]}`;
  if (view.dataset.shown === place) { reveal(place); return; }
  const asked = new URLSearchParams(location.search);
  if (asked.get("s") === place) return; // the server was asked, and shows nothing: there is nothing
  asked.set("s", place);
  asked.delete("h");
  asked.delete("part");
  location.replace(`${location.pathname}?${asked}#s=${place}`);
}

function reveal(place) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  document.getElementById(`s=${place}`)?.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
}

// On a narrow screen the outline is above the text, and folded.
if (matchMedia("(max-width: 72rem)").matches) document.querySelector(".outline details").open = false;

addEventListener("hashchange", follow);
if (view) openContract(view);
follow();

const tip = document.querySelector("#tip");
let shownFor = null;

function explain(link) {
  const meaning = document.querySelector(`#t${CSS.escape(link.dataset.term)} dd`)?.textContent;
  if (!meaning) return;
  tip.textContent = meaning;
  tip.hidden = false;
  link.setAttribute("aria-describedby", "tip");
  shownFor = link;
  const at = link.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - tip.offsetWidth - 8));
  const below = at.bottom + 6 + tip.offsetHeight < innerHeight;
  // The policy forbids style attributes in markup; setting properties from a script is allowed.
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${(below ? at.bottom + 6 : at.top - tip.offsetHeight - 6) + scrollY}px`;
}

function hide() {
  tip.hidden = true;
  shownFor?.removeAttribute("aria-describedby");
  shownFor = null;
}

const term = (event) => event.target.closest?.("a.term");
room?.addEventListener("mouseover", (event) => { const link = term(event); if (link) explain(link); });
room?.addEventListener("mouseout", (event) => { if (term(event)) hide(); });
room?.addEventListener("focusin", (event) => { const link = term(event); if (link) explain(link); });
room?.addEventListener("focusout", (event) => { if (term(event)) hide(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

// A term leads to its meaning in the side panel, which must be open for that.
addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#t']");
  if (link) document.querySelector(link.getAttribute("href"))?.closest("details")?.setAttribute("open", "");
});
