"use strict";
(function () {
  const main = document.querySelector("main");
  const voter = document.getElementById("voter");
  const status = document.getElementById("status");
  const kept = "ballot " + main.dataset.ballot;

  function votes() {
    const found = [];
    for (const section of main.querySelectorAll("section")) {
      for (const set of section.querySelectorAll("fieldset")) {
        const chosen = set.querySelector("input:checked");
        if (chosen) {
          found.push({
            question: section.dataset.question,
            criterion: set.dataset.criterion,
            choice: chosen.value,
            reason: set.querySelector(".reason").value.trim(),
          });
        }
      }
    }
    return found;
  }

  function all() {
    return { ballot: main.dataset.ballot, voter: voter.value.trim(), votes: votes() };
  }

  function keep() {
    const count = main.querySelectorAll("fieldset").length;
    status.textContent = votes().length + " of " + count + " votes given.";
    try {
      localStorage.setItem(kept, JSON.stringify(all()));
    } catch (error) {
      status.textContent += " They are not kept if you close this page.";
    }
  }

  function restore() {
    let before = null;
    try {
      before = JSON.parse(localStorage.getItem(kept));
    } catch (error) {
      return;
    }
    if (!before) {
      return;
    }
    voter.value = before.voter;
    const given = new Map(before.votes.map((v) => [v.question + "\n" + v.criterion, v]));
    for (const section of main.querySelectorAll("section")) {
      for (const set of section.querySelectorAll("fieldset")) {
        const vote = given.get(section.dataset.question + "\n" + set.dataset.criterion);
        for (const input of set.querySelectorAll("input[type=radio]")) {
          input.checked = Boolean(vote) && input.value === vote.choice;
        }
        set.querySelector(".reason").value = (vote && vote.reason) || "";
      }
    }
  }

  document.getElementById("save").addEventListener("click", function () {
    if (!voter.value.trim()) {
      status.textContent = "Please give your name or initials first.";
      voter.focus();
      return;
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(
      new Blob([JSON.stringify(all(), null, 2)], { type: "application/json" })
    );
    link.download = "votes-" + voter.value.trim().replace(/[^\w-]+/g, "_") + ".json";
    link.click();
    URL.revokeObjectURL(link.href);
  });
  main.addEventListener("change", keep);
  restore();
  keep();
})();
