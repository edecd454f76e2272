// What every page does: the search key, uploads with progress, and questions before what is final.
import { showWaiting } from "./busy.js";
import { isCommand } from "./keys.js";
import { showLocalTimes } from "./times.js";
import { upload } from "./upload.js";

const token = document.querySelector("meta[name=csrf-token]")?.content ?? "";
document.documentElement.classList.add("js");

document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["X-CSRF-Token"] = token;
});

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
  if (event.key === "Escape") document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; });
});

document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
});

// Where the navigation is wider than the window, the page one is on is brought into view.
const nav = document.querySelector(".bar nav");
const here = nav?.querySelector("[aria-current]");
if (here) nav.scrollLeft = here.offsetLeft - nav.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2;

showWaiting();
document.querySelectorAll("form[data-upload]").forEach((form) => upload(form, token));
