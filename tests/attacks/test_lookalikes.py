"""Letters that look like others: findings are the same where print is forgiven, else reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import CellState
from fourcorners.review.run import review_library
from fourcorners.review.suspicion import SuspicionKind, find_suspicions
from fourcorners.settings import Settings
from tests.attacks.room import CONTRACT

LAW = "governed by and construed in accordance with the laws"
DISGUISES = {
    "soft hyphen": "\u00ad".join("governed"),
    "zero width": "gov\u200ber\u200bned",
    "joiner": "gov\u2060erned",
    "byte order": "gov\ufefferned",
    "cyrillic": "gоvеrnеd",
    "full width": "ｇｏｖｅｒｎｅｄ",
    "turned round": "\u202edenrevog\u202c",
    "hyphen at the line's end": "gov-\nerned",
}
PRINT = ("soft hyphen", "zero width", "joiner", "byte order", "hyphen at the line's end")


@pytest.mark.parametrize("kind", DISGUISES)
def test_a_disguised_key_word_is_found_or_reported(tmp_path: Path, kind: str) -> None:
    text = CONTRACT.replace(LAW, LAW.replace("governed", DISGUISES[kind]))
    text = text.replace("construed in accordance with the laws", "subject to the laws")
    (tmp_path / "deed.txt").write_text(text, encoding="utf-8")
    with Library.open(tmp_path / "deeds.db") as library:
        add_files(library, [tmp_path / "deed.txt"], collection="D", encoder=None,
            settings=Settings(jobs=1))  # fmt: skip
        (entry,) = library.documents("D")
        signs = [each.sign for each in find_suspicions(library.document(entry.id))]
        grid = review_library(library, load_playbook("due-diligence"), encoder=None)
    cell = grid.cell(entry.id, "governing-law")
    if kind in PRINT:
        assert cell.state is CellState.FOUND
        assert signs == []
    else:
        assert signs == [SuspicionKind.DISGUISED]
        assert grid.documents[0].suspicions, "reports tell of it"
    for each in cell.evidence:
        assert each.quote.span is not None
        assert each.quote.span.text_in(grid.documents[0].text) == each.quote.words
