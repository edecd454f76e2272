"""Several versions: what each changed, and which of them brought each change of the last."""

from __future__ import annotations

import pytest

from fourcorners.comparison.comparison import ClauseChange, Comparison
from fourcorners.comparison.versions import Versions, compare_versions
from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError
from tests.comparison.contracts import CLAUSES, contract, differing, document

NEW = "5.4 The Supplier shall insure the Goods against all risks for one year from delivery."


def version(*pairs: tuple[str, str], first: tuple[str, ...] = CLAUSES) -> tuple[str, ...]:
    text = "\n\n".join(first)
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return tuple(each for each in text.split("\n\n") if each)


SECOND = (*version(("thirty (30) days", "sixty (60) days"), (CLAUSES[8], "")), NEW)
THIRD = version(
    ("sixty (60) days", "forty-five (45) days"),
    ("for one year from delivery", "for six months from delivery"),
    ("law of England", "law of Scotland"),
    first=(*SECOND[:10], *SECOND[11:15], SECOND[10].replace("3.1", "4.3"), *SECOND[15:]),
)


@pytest.fixture(scope="module")
def versions() -> Versions:
    return compare_versions([contract(*each) for each in (CLAUSES, SECOND, THIRD)])


def by_words(comparison: Comparison, words: str) -> ClauseChange:
    """Return the one change of clauses that have some words in either version."""
    (found,) = [
        change
        for change in differing(comparison)
        for text, clauses in (
            (comparison.after.text, change.after),
            (comparison.before.text, change.before if not change.after else ()),
        )
        for each in clauses
        if words in each.span.text_in(text)
    ]
    return found


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("forty-five (45) days", (2, 3)),
        ("Risk in the Goods passes", (2,)),
        ("insure the Goods against", (2, 3)),
        ("law of Scotland", (3,)),
        ("price of each pump", (3,)),
    ],
)
def test_each_change_of_the_last_version_has_the_versions_that_brought_it(
    versions: Versions, words: str, numbers: tuple[int, ...]
) -> None:
    assert by_words(versions.against(1), words).versions == numbers


def test_the_versions_that_brought_words_are_known_word_by_word(versions: Versions) -> None:
    found = versions.against(1)
    (days,) = by_words(found, "forty-five (45) days").changes
    assert days.versions == (2, 3)  # thirty went with version 2, forty-five came with version 3
    assert by_words(versions.against(2), "forty-five (45) days").versions == (3,)


def test_of_two_versions_nothing_needs_saying() -> None:
    found = compare_versions([contract(*CLAUSES), contract(*SECOND)]).against(1)
    assert not found.rounds
    assert {each.versions for each in found.clauses} == {()}


def test_versions_keep_their_numbers_where_one_could_not_be_read() -> None:
    read = [contract(*each) for each in (CLAUSES, SECOND, THIRD)]
    found = compare_versions(read, [1, 3, 4]).against(1)
    assert by_words(found, "law of Scotland").versions == (4,)
    found = compare_versions(read[:2], [1, 3]).against(1)
    assert by_words(found, "sixty (60) days").versions == (3,)


def test_the_same_file_twice_is_refused_among_three_and_its_copy_is_not() -> None:
    one, other = (document("\n\n".join(each)) for each in (CLAUSES, SECOND))
    copy = Document(one.id, "copy.txt", "copy.txt", one.sha256, "text/plain", "plain", one.text)
    assert not differing(compare_versions([one, other, copy]).against(1))
    with pytest.raises(ConfigError, match="given twice"):
        compare_versions([one, other, one])
