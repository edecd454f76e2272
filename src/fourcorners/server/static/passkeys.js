// Forms that a device completes: it makes a passkey, or signs in by one, before they are sent.
const able = window.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined;

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!able) form.remove();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const status = form.querySelector("[data-passkey-status]");
    status.textContent = "Follow your device.";
    try {
      form.elements.credential.value = JSON.stringify(await ask(form));
      form.submit();
    } catch {
      status.textContent = "Your device gave no passkey. Try again.";
    }
  });
}

async function ask(form) {
  const token = form.elements.csrf?.value ?? "";
  const answer = await fetch(`${form.getAttribute("action")}/options`, {
    method: "POST", headers: { "X-CSRF-Token": token },
  });
  if (!answer.ok) throw new Error(answer.status);
  const options = await answer.json();
  const credential = form.dataset.passkey === "create"
    ? await navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    })
    : await navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
    });
  return credential.toJSON();
}
