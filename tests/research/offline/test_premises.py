from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import Encoder
from fourcorners.research.answer import Verdict
from fourcorners.research.context import build_context
from fourcorners.research.offline.premises import find_absent_words
from fourcorners.research.run import ask, final_answer
from fourcorners.search.concepts import Concept
from fourcorners.settings import Settings

DEED = """HAULAGE AGREEMENT

This Agreement is made on 3 March 2025 between Tern Haulage Ltd (the "Carrier") and Oat Mills Ltd \
(the "Shipper").

1. HAULAGE
1.1 The Carrier shall fetch the grain from the quay each Monday.

2. CAPACITY
2.1 The Shipper's right of first refusal over the Carrier's new barges has been waived.

3. LAW
3.1 This Agreement is governed by the laws of Norway.
"""


@pytest.mark.parametrize(
    ("question", "ruling", "words"),
    [
        (
            "How does the Shipper exercise its right of first refusal over new barges?",
            Verdict.SAYS,
            "has been waived",
        ),
        ("What is the expiration date of this contract?", Verdict.ABSENT, ""),
    ],
)
def test_a_denial_of_what_is_taken_for_granted_is_quoted(
    tmp_path: Path,
    encoder: Encoder,
    concepts: Sequence[Concept],
    question: str,
    ruling: Verdict,
    words: str,
) -> None:
    path = tmp_path / "deed.txt"
    path.write_text(DEED, "utf-8")
    with Library.open(tmp_path / "room.db") as library:
        settings = Settings(jobs=1)
        assert not add_files(
            library, [path], collection="room", encoder=encoder, settings=settings
        ).failed
        answer = final_answer(
            ask(library, question, contracts=["deed.txt"], encoder=encoder, concepts=concepts)
        )
    quoted = " ".join(each.quote.words for told in answer.findings for each in told.quotes)
    assert answer.answer.ruling is ruling
    assert words in quoted
    assert bool(quoted) is bool(words)


def test_words_that_no_contract_has_are_told_but_not_those_that_ask_how_much(
    library: Library,
) -> None:
    context = build_context(library, ["lease"])
    assert find_absent_words(context, "How long may the Tenant keep parrots?", ()) == (
        "keep",
        "parrots",
    )
