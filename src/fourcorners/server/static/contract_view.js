// A contract that is read: the words over its pages, their size, what is looked for, what is selected.
import { followSelection } from "./selection.js";

const MOVES = ["keydown", "pointerdown", "touchstart", "wheel"];
const FINE = 1500; // points of a screen that a page takes, from which it is drawn with more pixels
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
const headers = { "HX-Request": "true" };
const measure = document.createElement("canvas").getContext("2d");

// Opens a contract that was drawn; `cell` names the cell of a review that is being checked, if any.
export function openContract(root, cell = null) {
  const address = `/d/${encodeURIComponent(root.dataset.contract)}`;
  const pages = root.dataset.view === "print" ? layWords(root, address) : null;
  if (pages) enlarge(root);
  search(root, address, pages);
  followSelection(root, address, cell);
}

// ---- The words of each page, laid over its picture once it is near

function layWords(root, address) {
  const laid = new Map(); // page -> a promise of its words
  const lay = (sheet) => {
    const number = sheet.dataset.page;
    if (!laid.has(number)) laid.set(number, draw(sheet, `${address}/page/${number}.json`).catch(() => laid.delete(number)));
    return laid.get(number);
  };
  const inView = new Set();
  const observer = (margin) => new IntersectionObserver((seen) => seen.forEach(({ isIntersecting, target }) => {
    if (!isIntersecting) { inView.delete(target); return; }
    inView.add(target);
    setTimeout(() => { if (inView.has(target)) { showPicture(target); lay(target); } }, 150); // not what is only scrolled past
  }), { rootMargin: `${margin}% 0px` });
  let near = observer(0);
  const watch = () => root.querySelectorAll(".sheet:not([data-watched])").forEach((sheet) => { sheet.dataset.watched = ""; near.observe(sheet); });
  const readAhead = () => { // from when somebody moves, pages come before they are seen
    near.disconnect();
    near = observer(75);
    root.querySelectorAll(".sheet").forEach((sheet) => near.observe(sheet));
    for (const kind of MOVES) removeEventListener(kind, readAhead);
  };
  for (const kind of MOVES) addEventListener(kind, readAhead, { passive: true });
  watch();
  root.addEventListener("htmx:afterSettle", watch);
  new MutationObserver(watch).observe(root.querySelector(".sheets"), { childList: true });
  addEventListener("beforeprint", () => root.querySelectorAll(".sheet").forEach(showPicture));
  return lay;
}

function showPicture(sheet) {
  const picture = sheet.querySelector("img");
  const address = picture.dataset.src ?? picture.getAttribute("src");
  const isFine = sheet.clientWidth * devicePixelRatio > FINE && !address.includes("?");
  if (picture.dataset.src || isFine) picture.src = isFine ? `${address}?large=true` : address;
  delete picture.dataset.src;
}

async function draw(sheet, address) {
  const answer = await fetch(address, { headers });
  if (!answer.ok) throw new Error(String(answer.status));
  const width = Number(sheet.dataset.width);
  const height = Number(sheet.dataset.height);
  measure.font = "100px Arial, Helvetica, sans-serif";
  const lines = (await answer.json()).map(([start, x0, y0, x1, y1, words]) => {
    const line = document.createElement("span");
    line.textContent = words;
    line.dataset.at = start;
    const tall = Math.max(y1 - y0, 1);
    const upright = tall > 3 * (x1 - x0) && words.length > 3; // set up or down the page
    const size = upright ? Math.max(x1 - x0, 1) : tall;
    line.style.left = `${(100 * x0) / width}%`;
    line.style.top = `${(100 * y0) / height}%`;
    line.style.fontSize = `${(100 * size) / width}cqw`;
    const wide = (measure.measureText(words).width / 100) * size;
    const scale = wide ? (upright ? tall : x1 - x0) / wide : 1;
    line.style.transform = upright ? `translateX(${100 * size / width}cqw) rotate(90deg) scaleX(${scale})` : `scaleX(${scale})`;
    return line;
  });
  sheet.querySelector(".words").replaceChildren(...lines);
}

// ---- Size

function enlarge(root) {
  const output = root.querySelector(".zoom output");
  let at = ZOOMS.indexOf(Number(sessionStorage.getItem("zoom"))) >= 0 ? ZOOMS.indexOf(Number(sessionStorage.getItem("zoom"))) : 2;
  const show = () => {
    const sheets = root.querySelector(".sheets");
    const middle = [...sheets.querySelectorAll(".sheet")].find((sheet) => sheet.getBoundingClientRect().bottom > innerHeight / 3);
    const from = middle?.getBoundingClientRect();
    sheets.style.setProperty("--zoom", ZOOMS[at]);
    output.textContent = `${ZOOMS[at] * 100}%`;
    root.querySelectorAll(".sheet:has(> img[src])").forEach(showPicture);
    if (!from) return;
    const now = middle.getBoundingClientRect(); // what was read stays in view
    const share = (innerHeight / 3 - from.top) / from.height;
    scrollerOf(root).scrollBy(0, now.top + share * now.height - innerHeight / 3);
  };
  root.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
    at = Math.min(Math.max(at + Number(button.dataset.zoom), 0), ZOOMS.length - 1);
    sessionStorage.setItem("zoom", ZOOMS[at]);
    show();
  }));
  if (ZOOMS[at] !== 1) show();
}

const scrollerOf = (root) => root.closest(".finding-panel") ?? document.scrollingElement;

// ---- Finding words

function search(root, address, pages) {
  const form = root.querySelector("[data-find]");
  const output = form.querySelector("output");
  let asked = "";
  let places = [];
  let at = -1;

  async function look(words) {
    asked = words;
    at = -1;
    const answer = await fetch(`${form.dataset.find}&${new URLSearchParams({ q: words })}`, { headers });
    places = answer.ok ? (await answer.json()).places : [];
    if (!answer.ok) output.textContent = "The contract could not be searched.";
  }

  async function step(by) {
    const words = form.elements.q.value.trim();
    if (!words) { output.textContent = ""; paint([], null); return; }
    if (words !== asked) await look(words);
    if (!places.length) { output.textContent = "Not found"; paint([], null); return; }
    at = at < 0 ? firstBelow() : (at + by + places.length) % places.length;
    output.textContent = `${at + 1} of ${places.length}`;
    const [start, end, part, page] = places[at];
    const sheet = pages && root.querySelector(`.sheet[data-page="${page}"]`);
    const here = await rangeOf(root, start, end, pages, sheet);
    if (!here && pages && (sheet || !page)) { // drawn otherwise than in the text
      output.textContent = `${at + 1} of ${places.length}: in the text only`;
      paint([], null);
      return;
    }
    if (!here) { // it is in a part that is not drawn
      const to = new URLSearchParams({ s: `${start}-${end}`, part, find: words });
      if (root.dataset.view === "text") to.set("view", "text");
      location.assign(`${address}?${to}#s=${start}-${end}`);
      return;
    }
    const elements = drawnElements(root);
    const drawn = places.map(([from, to]) => drawnRange(elements, from, to)).filter(Boolean);
    paint(drawn, here);
    const node = here.startContainer.parentElement;
    node.scrollIntoView({ block: "center", inline: "nearest" });
  }

  function firstBelow() { // from where one reads on
    const starts = [...root.querySelectorAll("[data-at]")];
    const top = starts.find((each) => each.getBoundingClientRect().bottom > 120);
    const from = Number(top?.dataset.at ?? 0);
    const found = places.findIndex(([start]) => start >= from);
    return found < 0 ? 0 : found;
  }

  form.addEventListener("submit", (event) => { event.preventDefault(); step(1); });
  form.querySelector("[data-step]").addEventListener("click", () => step(-1));
  form.elements.q.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); step(-1); }
  });
  const before = new URLSearchParams(location.search).get("find");
  if (before && root.closest(".paper")) { form.elements.q.value = before; step(1); }
}

function paint(every, here) {
  if (!globalThis.Highlight) { // an older browser: the place is selected instead
    if (here) { getSelection().removeAllRanges(); getSelection().addRange(here); }
    return;
  }
  CSS.highlights.set("found", new Highlight(...every));
  CSS.highlights.set("here", here ? new Highlight(here) : new Highlight());
}

// The place of a character that is drawn: [text node, offset in it], or null.
function pointOf(elements, offset, isEnd) {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Number(elements[middle].dataset.at) <= offset - (isEnd ? 1 : 0)) low = middle + 1;
    else high = middle;
  }
  const element = elements[low - 1];
  if (!element) return null;
  let rest = offset - Number(element.dataset.at);
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const sign of node.data.matchAll(/⟦U\+[0-9A-F]{4,6}⟧|[^]/gu)) {
      if (!rest) return [node, sign.index];
      rest -= 1;
    }
    if (!rest && isEnd) return [node, node.length];
  }
  return null;
}

function drawnRange(elements, start, end) {
  const from = pointOf(elements, start, false);
  const to = from && pointOf(elements, end, true);
  if (!to) return null;
  const range = document.createRange();
  range.setStart(...from);
  range.setEnd(...to);
  return range;
}

async function rangeOf(root, start, end, pages, sheet) {
  if (pages && !sheet) return null;
  if (pages) await pages(sheet);
  return drawnRange(drawnElements(root), start, end);
}

// What is drawn, in the order of the text: the footnotes of a page are further on in it.
const drawnElements = (root) => [...root.querySelectorAll("[data-at]")].sort((one, other) => one.dataset.at - other.dataset.at);
