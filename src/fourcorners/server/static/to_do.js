// The list of things to do: filters without a button, and keys through it.
import { isCommand } from "./keys.js";

document.querySelector("#filter").addEventListener("change", (event) => event.currentTarget.requestSubmit());

addEventListener("keydown", (event) => {
  const step = { j: 1, k: -1, n: 1 }[event.key];
  if (!step || !isCommand(event, true)) return;
  const links = [...document.querySelectorAll("#waiting :is(a, summary)")]
    .filter((each) => !each.closest("details:not([open]) > :not(summary)"));
  const here = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, here + step))]?.focus();
  event.preventDefault();
});
