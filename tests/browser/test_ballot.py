"""The ballot in a real browser: votes are kept, saved as a file, and read back."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners_bench.answers import votes
from fourcorners_bench.answers.votes import Choice
from fourcorners_bench.answers.votes import ballot_page as ballot_page
from tests.bench.answers.test_votes import EVIL, run

if TYPE_CHECKING:
    from tests.browser.conftest import Page

FIRST = "document.querySelector('section[data-question={}] fieldset[data-criterion={}]')"
CATCH = """
URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; });
                                  return "#"; };
"""


def test_votes_are_kept_and_saved_as_a_file(page: Page, tmp_path: Path) -> None:
    pairs, key = votes.pair_reports(run("Alpha", "q", "r"), run("Beta", "q", "r", says=EVIL))
    file = tmp_path / "ballot.html"
    file.write_text(ballot_page(pairs, key), "utf-8")
    page.view(1024)
    page.open(file)
    assert page.complaints() == []
    assert page.eval("document.images.length") == 0
    chosen = (("q", "gaps", "left"), ("r", "gaps", "neither"), ("r", "coherence", "unsure"))
    for question, criterion, choice in chosen:
        page.eval(f"{FIRST.format(question, criterion)}.querySelector('[value={choice}]').click()")
    assert page.eval("document.getElementById('told').textContent").startswith("3 of 18 votes")
    page.eval(CATCH + "document.getElementById('save').click()")
    assert "name or initials" in page.eval("document.getElementById('told').textContent")
    page.eval("document.getElementById('voter').value = 'A. B.'")
    page.eval("document.getElementById('save').click()")
    end = time.monotonic() + 90
    while not page.eval("window.saved || ''") and time.monotonic() < end:
        time.sleep(0.05)
    saved = tmp_path / "votes.json"
    saved.write_text(page.eval("window.saved"))
    given = votes.read_votes(saved, key)
    assert {(each.question, each.criterion, each.choice.value) for each in given} == set(chosen)
    assert {each.voter for each in given} == {"A. B."}
    counts = votes.count_votes(given, key)
    assert sum(counts["gaps"].values()) == 2
    assert Choice.UNSURE in {each.choice for each in given}
    assert page.complaints() == []
