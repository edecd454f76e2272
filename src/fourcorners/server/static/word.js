// The pane in Word: its parts come from the server, what they say is done in the open document.
import * as word from "./word_document.js";

const LOOK = 700; // milliseconds between looks at a task
const part = document.querySelector("#pane-part");
const said = document.querySelector("#pane-said");
const connect = document.querySelector("#pane-connect");
const state = { secret: "", form: "", document: "", playbook: "", done: new Set() }; // in memory alone
const PUT = "Put in as a tracked change. To take it back, undo it in Word.";
const framed = window.top !== window;

class NotConnected extends Error {}

function tell(words, bad = false) {
  said.textContent = words;
  said.hidden = !words;
  said.classList.toggle("bad", bad);
}

async function send(address, { body, ...more } = {}) {
  const headers = { Accept: "application/json", "X-CSRF-Token": state.form };
  if (state.secret) headers.Authorization = `Bearer ${state.secret}`;
  const answer = await fetch(address, { method: body ? "POST" : "GET", headers, body, ...more });
  if (answer.status === 401) throw new NotConnected();
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Error([problem.detail ?? "The server did not answer as expected.", problem.remedy].filter(Boolean).join(" "));
  }
  return answer;
}

const fields = (given) => new URLSearchParams(given);
const json = async (address, options) => (await send(address, options)).json();

async function draw(address, options, into = part) {
  into.innerHTML = await (await send(address, options)).text();
  state.form = into.querySelector("[data-form-token]")?.dataset.formToken ?? state.form;
  for (const card of into.querySelectorAll("[data-id]")) {
    const put = card.querySelector("[data-put-in]");
    if (put && state.done.has(card.dataset.id)) put.replaceWith("In the document");
  }
}

async function wait(task) {
  for (;;) {
    const now = await json(`/api/v1/tasks/${task}`);
    if (now.state === "done") return now;
    if (["failed", "cancelled"].includes(now.state)) throw new Error([now.reason || "The task was stopped.", now.remedy].filter(Boolean).join(" "));
    tell(now.total ? `Working: ${now.done} of ${now.total}` : "Working…");
    await new Promise((done) => setTimeout(done, LOOK));
  }
}

// Parts

function askToConnect() {
  connect.hidden = false;
  part.hidden = true;
  document.querySelector("#pane-sign-in").hidden = framed; // a frame gets no cookie
  document.querySelector("#code").focus();
}

async function start() {
  await draw("/word/start");
  connect.hidden = true;
  part.hidden = false;
  tell(word.supports("1.4") ? "" : "This version of Word cannot track changes for an add-in. Findings are shown; use the marked copy for changes.");
}

async function open(form) {
  tell("Reading the document…");
  const body = new FormData(form);
  body.append("files", await word.documentFile(), word.documentName());
  const sent = await json("/word/documents", { body });
  if (sent.task) {
    await wait(sent.task);
    Object.assign(sent, await json(`/word/documents?${fields({ task: sent.task, digest: sent.sha256 })}`));
  }
  state.document = sent.document;
  state.done.clear();
  await draw(`/word/d/${state.document}`);
  tell("");
}

async function review(form) {
  tell("Reviewing the contract…");
  const begun = await json(`/word/d/${state.document}`, { body: new URLSearchParams(new FormData(form)) });
  if (begun.task) await wait(begun.task);
  state.playbook = begun.playbook;
  await draw(`/word/d/${state.document}/cards?${fields({ p: state.playbook })}`);
  tell("");
}

// Cards are drawn again after each decision; the tab and the place in it stay.
async function redraw(address, given) {
  const tab = part.querySelector("[data-tab][aria-current]")?.dataset.tab;
  const top = window.scrollY;
  await draw(`/word/d/${state.document}/${address}`, { body: fields({ p: state.playbook, ...given }) });
  if (tab) choose(tab);
  window.scrollTo({ top, behavior: "instant" });
}

function choose(tab) {
  part.querySelectorAll("[data-tab]").forEach((each) => each.toggleAttribute("aria-current", each.dataset.tab === tab));
  part.querySelectorAll("[data-tab][aria-current]").forEach((each) => each.setAttribute("aria-current", "true"));
  part.querySelectorAll("[data-tab-part]").forEach((each) => { each.hidden = each.dataset.tabPart !== tab; });
}

// Words with a blank are taken on a second click: Word lets no pane ask by a dialog.
function asksFirst(card, button) {
  if (!card.dataset.blanks || button.dataset.asked) return false;
  button.dataset.asked = "yes";
  button.textContent = `${button.textContent} with the blank`;
  tell(`Still to fill in: ${card.dataset.blanks}. Edit the words, or press the button again.`, true);
  return true;
}

async function putIn(card, button = card.querySelector("[data-put-in]")) {
  if (asksFirst(card, button)) return;
  await word.putIn(JSON.parse(card.dataset.change));
  state.done.add(card.dataset.id);
  if (["accepted", "edited"].includes(card.dataset.state)) card.querySelector("[data-put-in]").replaceWith("In the document");
  else await redraw("decide", { change: card.dataset.id, says: "accepted" });
  tell(PUT);
}

function decide(change, says) {
  state.done.delete(change);
  return redraw("decide", { change, says });
}

async function edit(form, card) {
  const { id } = card.dataset;
  await redraw("decide", { change: id, says: "edited", words: form.elements.words.value });
  const edited = part.querySelector(`[data-id="${id}"]`);
  try {
    await putIn(edited);
  } catch (problem) {
    await redraw("decide", { change: id, says: "open" });
    throw problem;
  }
}

async function respond(card, answer) {
  const place = JSON.parse(card.dataset.where);
  if (answer === "accept") await word.accept(place, card.dataset.author, { before: card.dataset.before, after: card.dataset.after });
  else if (answer === "reject") await word.putIn(JSON.parse(card.dataset.reject));
  else await word.comment(place, card.dataset.comment);
  card.querySelectorAll("[data-answer], [data-counter]").forEach((each) => { each.disabled = true; });
  tell({ accept: "Accepted.", reject: "Rejected: the words before are back as your tracked change.", comment: "Commented." }[answer]);
}

async function ask(form) {
  const into = part.querySelector("[data-answer-part]");
  tell("Reading the contract…");
  const { task } = await json("/word/ask", { body: fields({ document: state.document, question: form.elements.question.value }) });
  const { result } = await wait(task);
  await draw(`/word/answers/${result.answer}?${fields({ document: state.document })}`, {}, into);
  tell("");
}

async function seek(form) {
  tell("Looking for precedents…");
  await draw("/word/precedents", { body: new URLSearchParams(new FormData(form)) }, part.querySelector("[data-precedents-part]"));
  tell("");
}

async function openCopy() {
  tell("Writing the marked copy…");
  await word.openCopy(await (await send(`/word/d/${state.document}/marked?${fields({ p: state.playbook })}`)).blob());
  tell("The marked copy is open in another window.");
}

const FORMS = { open, review, ask, precedents: seek, edit: (form) => edit(form, form.closest("[data-id]")) };
const BUTTONS = [ // the first that fits
  ["[data-go]", start],
  ["[data-tab]", (button) => choose(button.dataset.tab)],
  ["[data-place]", (button) => word.show(JSON.parse(button.dataset.place))],
  ["[data-put-in]", (button) => putIn(button.closest("[data-id]"))],
  ["[data-says]", (button) => {
    const card = button.closest("[data-id]");
    if (button.dataset.says !== "accepted" || !asksFirst(card, button)) return decide(card.dataset.id, button.dataset.says);
  }],
  ["[data-include]", (button) => redraw("include", { provision: button.closest("[data-provision]").dataset.provision })],
  ["[data-counter]", (button) => putIn(part.querySelector(`[data-id="${button.dataset.counter}"]`), button)],
  ["[data-answer]", (button) => respond(button.closest("[data-where]"), button.dataset.answer)],
  ["[data-copy]", openCopy],
  ["[data-selected]", async (button) => { button.form.elements.q.value = await word.selectedWords(); }],
  ["[data-insert]", async (button) => {
    const { clause, source } = button.closest("[data-clause]").dataset;
    await word.insertClause(clause, source);
    tell("Inserted as a tracked change.");
  }],
];

// Does one thing at a time, and says what went wrong with it in place.
let busy = false;
async function act(work) {
  if (busy) return;
  busy = true;
  part.setAttribute("aria-busy", "true");
  tell("");
  try {
    await work();
  } catch (problem) {
    if (problem instanceof NotConnected) askToConnect();
    else tell(problem.message, true);
  } finally {
    busy = false;
    part.removeAttribute("aria-busy");
  }
}

part.addEventListener("submit", (event) => {
  event.preventDefault();
  act(() => FORMS[event.target.dataset.action](event.target));
});

part.addEventListener("click", (event) => {
  const button = event.target.closest("button[type=button]");
  const [, work] = BUTTONS.find(([selector]) => button?.matches(selector)) ?? [];
  if (work) act(() => work(button));
});

document.querySelector("#pane-code").addEventListener("submit", (event) => {
  event.preventDefault();
  act(async () => {
    const { token } = await json("/word/token", { body: new URLSearchParams(new FormData(event.target)) }).catch((problem) => {
      throw problem instanceof NotConnected ? new Error("This code is wrong, or older than five minutes. Get another code.") : problem;
    });
    state.secret = token;
    event.target.reset();
    await start();
  });
});

document.addEventListener("click", (event) => { // a pane has no tabs: other pages open in the browser
  const link = event.target.closest("a[data-browser]");
  if (!link || !globalThis.Office?.context?.requirements || !word.supports("1.1", "OpenBrowserWindowApi")) return;
  event.preventDefault();
  Office.context.ui.openBrowserWindow(link.href);
});

globalThis.Office?.onReady(({ host }) => {
  if (host !== "Word") return;
  word.onMove((isHere) => part.querySelectorAll("[data-paragraph]").forEach((card) => card.toggleAttribute("aria-current", isHere(card.dataset.paragraph))));
  act(start);
});
