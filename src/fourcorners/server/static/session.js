// What is sent to the server, also where the session has ended meanwhile: then it asks in place.
const meta = document.querySelector("meta[name=csrf-token]");
const headers = () => ({ "HX-Request": "true", "X-CSRF-Token": meta?.content ?? "" });
let asking = null; // one question at a time

// Sends a form and returns the answer; null where the visitor did not sign in again.
export async function post(address, body) {
  for (;;) {
    const answer = await fetch(address, { method: "POST", headers: headers(), body });
    if (answer.status === 403 && (await renew()) === "renewed") continue; // signed in again elsewhere
    if (!isSignIn(answer)) return answer;
    asking ??= askToSignIn().finally(() => { asking = null; });
    if (!(await asking)) return null;
  }
}

const isSignIn = (answer) => answer.redirected && new URL(answer.url).pathname === "/sign-in";

async function renew() { // the token of the session that there is now
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (isSignIn(answer)) return "";
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const token = page.querySelector("meta[name=csrf-token]")?.content;
  if (!token || token === meta.content) return ""; // it was refused for another reason
  meta.content = token;
  return "renewed";
}

function askToSignIn() {
  const dialog = document.createElement("dialog");
  dialog.className = "help";
  dialog.setAttribute("aria-labelledby", "signed-out");
  dialog.innerHTML = "<h2 id=\"signed-out\">You have been signed out</h2><p>What you typed is kept. Sign in again in a new tab, then come back here and go on.</p><p class=\"line\"><a class=\"button main\" href=\"/sign-in\" target=\"_blank\">Sign in</a><button class=\"button\" value=\"go\">Go on</button><button class=\"plain\" value=\"\">Cancel</button></p>";
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", async () => {
      const goes = dialog.returnValue === "go";
      dialog.remove();
      if (goes) await renew();
      resolve(goes);
    });
    dialog.querySelectorAll("button").forEach((button) => button.addEventListener("click", () => dialog.close(button.value)));
  });
}
