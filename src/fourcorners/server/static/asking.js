// A question while it is answered: each turn is drawn as it comes, and the answer is led to.
import { showLocalTimes } from "./app.js";

const asking = document.querySelector("#asking[data-steps]");

function draw({ at, html }) {
  const drawn = Object.assign(document.createElement("template"), { innerHTML: html }).content;
  showLocalTimes(drawn);
  if (at === "head") { asking.querySelector(".head").replaceChildren(drawn); return; }
  const turns = asking.querySelector(".turns");
  const before = turns.children[at];
  if (before) before.replaceWith(drawn); else turns.append(drawn);
}

if (asking) {
  const steps = new EventSource(asking.dataset.steps);
  steps.addEventListener("part", (event) => draw(JSON.parse(event.data)));
  steps.addEventListener("end", () => { steps.close(); location.replace(location.href); });
  steps.addEventListener("error", () => { // where it is not asked for again: signed out, or removed
    if (steps.readyState === EventSource.CLOSED) location.reload();
  });
}
