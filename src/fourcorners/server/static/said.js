// What a page says of what was just done, in its line for that.
export function tell(words, bad = false) {
  const said = document.querySelector("#said");
  said.textContent = words;
  said.classList.toggle("warn", bad);
}

// Why the server refused something: its sentence about it, as an element.
async function alertOf(answer) {
  const drawn = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[role=alert]");
  const alert = drawn ?? document.createElement("p");
  if (!drawn) alert.textContent = `The server answered ${answer.status}.`;
  return alert;
}

export const problem = async (answer) => (await alertOf(answer)).textContent.trim();

// Shows in the form that was sent why it was refused, and leads to the field that is to blame.
export async function showProblem(form, answer) {
  const alert = await alertOf(answer);
  clearProblem(form);
  form.append(alert);
  const { field } = alert.dataset;
  const blamed = field && [...form.elements].find((each) => each.name === field || each.dataset.of === field);
  if (!blamed) { alert.scrollIntoView({ block: "nearest" }); return; }
  blamed.closest("details")?.setAttribute("open", "");
  alert.id = "problem";
  blamed.setAttribute("aria-invalid", "true");
  blamed.setAttribute("aria-describedby", "problem");
  blamed.closest(".field")?.after(alert);
  blamed.focus();
}

function clearProblem(form) {
  form.querySelectorAll(".problem").forEach((each) => each.remove());
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}
