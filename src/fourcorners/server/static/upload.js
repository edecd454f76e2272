// Files, folders and archives dropped on a form, or chosen in it, and how far they are sent.

async function* walk(entry, path = "") {
  if (entry.isFile) {
    const file = await new Promise((done, fail) => entry.file(done, fail));
    yield { file, name: path + file.name };
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return;
    for (const below of some) yield* walk(below, `${path}${entry.name}/`);
  }
}

async function dropped(transfer) {
  // Entries must be asked for before the event is over: first all of them, then what they hold.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, name: file.name }));
  const found = [];
  for (const entry of entries) for await (const each of walk(entry)) found.push(each);
  return found;
}

const SHOWN = 300; // files of one upload that have a line each

// A line per file, from the moment it is chosen: waiting, sending 40%, sent.
function fileLines(list) {
  let lines = [];
  let size = 0;
  let next = 0; // the first file that is not sent
  const line = (name, state) => {
    const item = document.createElement("li");
    item.className = "waiting";
    item.append(document.createElement("i"), Object.assign(document.createElement("span"), { className: "name", textContent: name }),
      Object.assign(document.createElement("span"), { className: "quiet", textContent: state }));
    item.firstChild.setAttribute("aria-hidden", "true");
    list.append(item);
    return item.lastChild;
  };
  return {
    show(files) {
      list.replaceChildren();
      size = next = 0;
      lines = files.map(({ file, name }, at) => {
        const from = size;
        size += file.size;
        return { from, to: size, state: at < SHOWN ? line(name, "waiting") : null };
      });
      if (files.length > SHOWN) line(`and ${(files.length - SHOWN).toLocaleString(navigator.language)} more`, "");
    },
    sent(share) {
      const far = share * size;
      for (; next < lines.length && (lines[next].to <= far || share === 1); next += 1) {
        const { state } = lines[next];
        if (state) { state.textContent = "sent"; state.parentElement.className = "read"; }
      }
      const now = lines[next];
      if (now?.state && far > now.from) now.state.textContent = `sending ${Math.floor((100 * (far - now.from)) / (now.to - now.from))}%`;
    },
  };
}

const fileCount = (count) => (count === 1 ? "1 file" : `${count.toLocaleString(navigator.language)} files`);

export function upload(form, token) {
  const zone = form.querySelector(".zone");
  const chosen = form.querySelector("[data-chosen]");
  const sent = form.querySelector("[data-sent]");
  const says = form.querySelector("[data-status]");
  const lines = fileLines(form.querySelector("[data-files]"));
  let files = [];

  const take = (some) => {
    files = files.concat(some);
    const size = files.reduce((sum, each) => sum + each.file.size, 0) / 2 ** 20;
    chosen.textContent = files.length ? `${fileCount(files.length)}, ${size.toFixed(1)} MB` : "";
    lines.show(files);
  };

  for (const input of form.querySelectorAll("input[type=file]")) {
    const receive = () => { take([...input.files].map((file) => ({ file, name: file.webkitRelativePath || file.name }))); input.value = ""; };
    input.addEventListener("change", receive);
    if (input.files.length) receive(); // they were chosen before this program came
  }
  for (const kind of ["dragenter", "dragover"]) {
    zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("over"); });
  }
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(event.relatedTarget)) zone.classList.remove("over");
  });
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    take(await dropped(event.dataTransfer));
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!files.length) { says.textContent = "Choose files first."; return; }
    const data = new FormData();
    data.append("csrf", token);
    data.append("collection", form.elements.collection.value);
    for (const each of files) data.append("files", each.file, each.name);
    const request = new XMLHttpRequest();
    const button = form.querySelector("button");
    const fail = (why) => { says.textContent = why; sent.hidden = true; button.disabled = false; lines.show(files); };
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRF-Token", token);
    request.upload.addEventListener("progress", (far) => {
      if (!far.lengthComputable) return;
      sent.value = (100 * far.loaded) / far.total;
      lines.sent(far.loaded / far.total);
    });
    request.addEventListener("load", () => {
      if (request.status === 202) { location.assign(JSON.parse(request.responseText).href); return; }
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      fail(page.querySelector("h1")?.textContent ?? `It was refused (${request.status}).`);
    });
    request.addEventListener("error", () => fail("The server cannot be reached."));
    button.disabled = true;
    sent.hidden = false;
    says.textContent = `Sending ${fileCount(files.length)}…`;
    request.send(data);
  });
}
