from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.research.answer import Role
from fourcorners.research.companions import MAX_CHARACTERS, Companion, find_companions
from fourcorners.research.context import ResearchContext, build_context
from fourcorners.settings import Settings
from fourcorners.text.span import Span

DEED = """CARRIAGE AGREEMENT

This Agreement is made on 3 March 2025 between Tern Lines Ltd (the "Carrier") and Oat Mills Ltd \
(the "Shipper").

1. DEFINITIONS
1.1 "Cargo" means the Grain loaded at the Mill Quay.
1.2 "Grain" means oats and barley that the Shipper has grown on the Home Farms.
1.3 "Home Farms" means the four farms listed in the letter of 1 March 2025.

2. CARRIAGE
2.1 The Carrier is not liable for delay caused by weather that it could not foresee.
2.2 Fog and frost are not events of that kind.

3. LIABILITY
3.1 The Carrier shall pay for lost Cargo.
3.2 This does not apply to loss below one per cent of the weight.
3.3 The Carrier shall keep a log.

4. ENDING
4.1 The Shipper may end this Agreement at once if the Carrier:
(a) loses its licence to sail;
(b) sells its last vessel.

5. RULES
5.1 Clauses 3.1 and 3.3 do not apply to trial voyages.
"""
LETTER = """AMENDMENT LETTER

This letter is dated 5 May 2025 and amends the Carriage Agreement dated 3 March 2025 between Tern \
Lines Ltd and Oat Mills Ltd.

1. The amendments in this letter take effect on 1 June 2025.

2. Clause 3.3 of the Carriage Agreement is deleted and replaced with: "3.3 The Carrier shall keep \
two logs."
"""


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResearchContext]:
    folder = tmp_path_factory.mktemp("carriage")
    for name, text in (("deed.txt", DEED), ("letter.txt", LETTER)):
        (folder / name).write_text(text, "utf-8")
    with Library.open(folder / "room.db") as library:
        paths: list[Path] = [folder / "deed.txt", folder / "letter.txt"]
        assert not add_files(
            library, paths, collection="room", encoder=None, settings=Settings(jobs=1)
        ).failed
        yield build_context(library)


def brought(context: ResearchContext, words: str, name: str = "deed.txt") -> dict[str, Role]:
    """Return what is brought along with words, by its own."""
    document = context.library.resolve(name).id
    text = context.library.text(document)
    start = text.index(words)
    span = context.read_contract(document).sentence(Span(start, start + len(words)))
    shown = [Companion(document, span, Role.EVIDENCE, "")]
    found = find_companions(context, shown)
    assert sum(len(one.span) for one in found) <= MAX_CHARACTERS
    return {" ".join(one.span.text_in(context.library.text(one.document)).split()): one.role
            for one in found}  # fmt: skip


def test_a_sentence_that_points_back_brings_the_one_before(context: ResearchContext) -> None:
    found = brought(context, "Fog and frost")
    assert any("could not foresee" in words for words in found)


def test_a_sentence_that_is_taken_back_brings_what_does_so(context: ResearchContext) -> None:
    found = brought(context, "shall pay for lost Cargo")
    taking = [words for words, role in found.items() if role is Role.EXCEPTION]
    assert any("below one per cent" in words for words in taking)
    assert any("do not apply to trial voyages" in words for words in taking)


def test_definitions_are_followed_from_one_to_the_next(context: ResearchContext) -> None:
    found = brought(context, "shall pay for lost Cargo")
    defined = " ".join(words for words, role in found.items() if role is Role.DEFINITION)
    assert "“Cargo”" in defined or '"Cargo" means' in defined
    assert '"Grain" means' in defined
    assert '"Home Farms" means' in defined


def test_an_item_brings_the_words_that_open_its_list(context: ResearchContext) -> None:
    found = brought(context, "sells its last vessel")
    assert any("may end this Agreement at once if the Carrier:" in words for words in found)


@pytest.mark.parametrize(
    ("words", "name"), [("keep a log", "deed.txt"), ("keep two logs", "letter.txt")]
)
def test_an_amendment_comes_with_the_day_from_which_it_holds(
    context: ResearchContext, words: str, name: str
) -> None:
    found = brought(context, words, name)
    assert any("take effect on 1 June 2025" in told for told in found)
