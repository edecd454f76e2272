// What takes longer than two seconds says so; a file that is being written is waited for in place.
const PATIENCE = 2000;
let notice = null;

function tell(words) {
  notice ??= document.body.appendChild(document.createElement("p"));
  notice.className = "busy";
  notice.setAttribute("role", "status");
  notice.textContent = words;
}

function quiet() {
  notice?.remove();
  notice = null;
}

async function download(link) {
  const waiting = setTimeout(tell, PATIENCE, "Writing the file…");
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
    quiet();
  }
}

export function showWaiting() {
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented || event.target.closest("[hx-post], [hx-get]")) return;
    setTimeout(tell, PATIENCE, "Still working. This can take a while.");
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href*='/export?'], a[href*='/report.']");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    download(link);
  });
  window.addEventListener("pageshow", quiet);
}
