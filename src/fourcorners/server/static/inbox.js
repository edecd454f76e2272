// The keys of the inbox: j and k move, Enter opens as everywhere, e marks as read.
import { isCommand } from "./keys.js";

document.addEventListener("keydown", (event) => {
  if (!isCommand(event)) return;
  const rows = [...document.querySelectorAll(".notices li")];
  const at = rows.indexOf(document.activeElement.closest(".notices li"));
  if (event.key === "j" || event.key === "k") {
    event.preventDefault();
    const next = rows[at < 0 ? 0 : at + (event.key === "j" ? 1 : -1)];
    next?.querySelector("button").focus();
  }
  if (event.key === "e") rows[at]?.querySelector("form[action='/inbox/read'] button")?.click();
});
