// What a page says of what was just done, in its line for that.
export function tell(words, bad = false) {
  const said = document.querySelector("#said");
  said.textContent = words;
  said.classList.toggle("warn", bad);
}

// Why the server refused something, from its page about it.
export async function problem(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector("main")?.textContent.replace(/\s+/g, " ").trim() || `The server answered ${answer.status}.`;
}
