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

const fileCount = (count) => (count === 1 ? "1 file" : `${count.toLocaleString("en")} files`);

export function upload(form, token) {
  const zone = form.querySelector(".zone");
  const chosen = form.querySelector("[data-chosen]");
  const sent = form.querySelector("[data-sent]");
  const says = form.querySelector("[data-status]");
  let files = [];

  const take = (some) => {
    files = files.concat(some);
    const size = files.reduce((sum, each) => sum + each.file.size, 0) / 2 ** 20;
    const names = files.slice(0, 6).map((each) => each.name).join(", ");
    const more = files.length > 6 ? ` and ${(files.length - 6).toLocaleString("en")} more` : "";
    chosen.textContent = files.length ? `${fileCount(files.length)}, ${size.toFixed(1)} MB: ${names}${more}` : "";
  };

  for (const input of form.querySelectorAll("input[type=file]")) {
    input.addEventListener("change", () => {
      take([...input.files].map((file) => ({ file, name: file.webkitRelativePath || file.name })));
      input.value = "";
    });
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
    const fail = (why) => { says.textContent = why; sent.hidden = true; button.disabled = false; };
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRF-Token", token);
    request.upload.addEventListener("progress", (far) => {
      if (far.lengthComputable) sent.value = (100 * far.loaded) / far.total;
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
