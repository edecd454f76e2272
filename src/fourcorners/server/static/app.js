// What every page does: the search key, uploads with progress, and questions before what is final.
import { isCommand } from "./keys.js";

const token = document.querySelector("meta[name=csrf-token]")?.content ?? "";
document.documentElement.classList.add("js");

document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["X-CSRF-Token"] = token;
});

// Times come in UTC and are shown by the clock of whoever looks, days in their language.
const language = navigator.language;
const write = (options) => new Intl.DateTimeFormat(language, options);
const moment = write({ dateStyle: "long", timeStyle: "short" });
const day = write({ dateStyle: "long", timeZone: "UTC" }); // a day is the same everywhere

export function showLocalTimes(root) {
  for (const each of root.querySelectorAll("time[datetime]:not([title])")) {
    const at = new Date(each.dateTime);
    const isDay = each.dateTime.length === 10;
    each.title = each.textContent; // the server's time, so that people in two places can compare
    each.textContent = (isDay ? day : moment).format(at);
    each.lang = language;
  }
}

showLocalTimes(document);
document.addEventListener("htmx:afterSettle", () => showLocalTimes(document));

document.addEventListener("submit", (event) => { // what was typed and not saved is not for who signs in next
  if (event.target.getAttribute("action") === "/sign-out") sessionStorage.clear();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && isCommand(event)) {
    const seek = document.querySelector("#seek");
    if (seek) {
      event.preventDefault();
      seek.focus();
      seek.select();
    }
  }
});

const openMenus = () => [...document.querySelectorAll("details:is(.menu, .pop)[open]")];
document.addEventListener("click", (event) => {
  openMenus().filter((menu) => !menu.contains(event.target)).forEach((menu) => { menu.open = false; });
});
addEventListener("keydown", (event) => {
  const menus = event.key === "Escape" ? openMenus() : [];
  if (!menus.length) return;
  event.stopImmediatePropagation(); // what lies under a menu stays open
  for (const menu of menus) {
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    menu.open = false;
  }
}, true);

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (!question || window.confirm(question)) return;
  event.preventDefault();
  event.stopImmediatePropagation(); // nor by htmx
}, true);

document.addEventListener("click", async (event) => { // what has an address is sent to a colleague
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(new URL(button.dataset.copy, location.href).href);
    button.textContent = "Link copied";
  } catch {
    button.textContent = "The browser did not allow that";
  }
  setTimeout(() => { button.textContent = words; }, 2_000);
});

document.querySelectorAll("form[data-upload]").forEach(async (form) => (await import("./upload.js")).upload(form, token));

// ---- What takes longer than two seconds says so; a file that is being written is waited for in place.
const PATIENCE = 2000;
let notice = null;

function showBusy(words) {
  notice ??= document.body.appendChild(document.createElement("p"));
  notice.className = "busy";
  notice.setAttribute("role", "status");
  notice.textContent = words;
}

function hideBusy() {
  notice?.remove();
  notice = null;
}

async function download(link) {
  const waiting = setTimeout(showBusy, PATIENCE, "Writing the file…");
  link.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(link.href);
    const named = /filename\*?=(?:UTF-8'')?"?([^";]+)/.exec(answer.headers.get("Content-Disposition") ?? "");
    if (!answer.ok || !named) throw new Error();
    const file = document.createElement("a");
    file.href = URL.createObjectURL(await answer.blob());
    file.download = decodeURIComponent(named[1]);
    file.click();
    setTimeout(() => URL.revokeObjectURL(file.href), 60_000);
  } catch {
    location.assign(link.href); // its page says what went wrong
  } finally {
    clearTimeout(waiting);
    link.removeAttribute("aria-busy");
    hideBusy();
  }
}

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.closest("[hx-post], [hx-get]")) return;
  setTimeout(showBusy, PATIENCE, "Still working. This can take a while.");
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href*='/export?'], a[href*='/report.']");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  download(link);
});
window.addEventListener("pageshow", hideBusy);
