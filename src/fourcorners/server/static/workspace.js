// Precedents and playbooks: copying with a source, forms that answer in place, the editor's lines.
const token = document.querySelector("meta[name=csrf-token]")?.content ?? "";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = document.querySelector(`#${button.dataset.copy}`);
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text.value);
    button.textContent = "Copied";
  } catch {
    text.classList.remove("sr");
    text.focus();
    text.select();
    button.textContent = "Select all, then copy";
  }
  setTimeout(() => { button.textContent = before; }, 2500);
});

document.addEventListener("submit", (event) => {
  const button = event.target.matches("[data-draft]") ? event.submitter ?? event.target.querySelector("button") : null;
  if (button) {
    button.textContent = "Reading the clauses…";
    button.setAttribute("aria-disabled", "true");
  }
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-quiet]")) return;
  event.preventDefault();
  const answer = await fetch(form.action, { method: "POST", headers: { "HX-Request": "true", "X-CSRF-Token": token }, body: new URLSearchParams(new FormData(form)) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  form.querySelector(".said")?.remove();
  const message = document.createElement("p");
  message.className = answer.ok ? "said" : "said warn";
  message.setAttribute("role", "status");
  message.textContent = (page.querySelector(".said, main") ?? page.body).textContent.replace(/\s+/g, " ").trim();
  form.append(message);
});

// The editor of a playbook, whose two views are redrawn whenever one of them changes.
function number() {
  const text = document.querySelector("#text");
  const lines = document.querySelector(".lines");
  if (!text || !lines) return;
  const count = text.value.split("\n").length;
  const faulty = new Set([...document.querySelectorAll("[data-line]")].map((each) => Number(each.dataset.line)));
  lines.replaceChildren(...Array.from({ length: count }, (_, at) => {
    const line = document.createElement("span");
    line.textContent = `${at + 1}\n`;
    if (faulty.has(at + 1)) line.className = "fault";
    return line;
  }));
  lines.scrollTop = text.scrollTop;
}

const views = document.querySelector("#views");
if (views) {
  let open = new Set();
  let place = 0;
  document.addEventListener("input", (event) => { if (event.target.id === "text") number(); });
  document.addEventListener("scroll", (event) => {
    if (event.target.id === "text") document.querySelector(".lines").scrollTop = event.target.scrollTop;
  }, { passive: true, capture: true });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target !== views) return;
    open = new Set([...views.querySelectorAll("details")].map((each) => `${each.id} ${each.open}`));
    place = document.querySelector("#text").scrollTop;
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target !== views) return;
    for (const each of views.querySelectorAll("details")) {
      each.open = !open.has(`${each.id} false`);
    }
    document.querySelector("#text").scrollTop = place;
  });
  document.addEventListener("htmx:afterSettle", number);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (!link) return;
    event.preventDefault();
    const text = document.querySelector("#text");
    const before = text.value.split("\n").slice(0, Number(link.dataset.line) - 1);
    const start = before.join("\n").length + (before.length ? 1 : 0);
    const end = text.value.indexOf("\n", start);
    text.focus();
    text.setSelectionRange(start, end < 0 ? text.value.length : end);
    text.scrollTop = before.length * parseFloat(getComputedStyle(text).lineHeight) - text.clientHeight / 3;
  });
  number();
}
