"""Made versions: each edit is where it is said to be, and nothing else differs."""

from __future__ import annotations

from collections import Counter

import pytest

from fourcorners.text.span import merge_spans
from fourcorners_bench.comparison.edited_clauses import KnownKind
from fourcorners_bench.comparison.versions import (
    VersionPair,
    eligible,
    make_version,
)

WORDS = (
    "The Supplier shall promptly notify the Buyer of lot {0} in writing. Each notice states "
    "${0},000 as its price. The Buyer may reject the lot within thirty (30) days under Section {1}."
)


def made_contract(articles: int = 12) -> str:
    lines = ['AGREEMENT between Acme (the "Supplier") and Bolt (the "Buyer")']
    for article in range(1, articles + 1):
        lines.append(f"{article}. ARTICLE {article}")
        for at in range(1, 8):
            reference = f"{article % articles + 1}.{at % 7 + 1}"
            lines.append(f"{article}.{at} {WORDS.format(10 * article + at, reference)}")
    return "\n\n".join(lines)


@pytest.fixture(scope="module", params=range(4))
def pair(request: pytest.FixtureRequest) -> VersionPair:
    text = made_contract()
    assert eligible(text)
    donor = made_contract(6).replace("lot", "batch").replace("Buyer", "Client")
    return make_version("made", text, [donor], request.param)


def test_every_kind_of_edit_is_made(pair: VersionPair) -> None:
    kinds = Counter(edit.kind for edit in pair.edits)
    assert set(kinds) == set(KnownKind)
    assert min(kinds.values()) >= 1


def test_the_same_seed_makes_the_same_version() -> None:
    text = made_contract()
    assert make_version("made", text, [text], 1) == make_version("made", text, [text], 1)
    assert make_version("made", text, [text], 1) != make_version("made", text, [text], 2)


def test_words_that_were_replaced_differ_and_are_where_they_are_said_to_be(
    pair: VersionPair,
) -> None:
    for edit in pair.edits:
        before = "".join(span.text_in(pair.before) for span in edit.before)
        after = "".join(span.text_in(pair.after) for span in edit.after)
        assert before != after or edit.kind is KnownKind.MOVED
        if edit.kind in (KnownKind.RENUMBERED, KnownKind.REFERENCE):
            assert before.replace(".", "").isdigit()
            assert after.replace(".", "").isdigit()
        if edit.kind is KnownKind.NEGATION:
            assert {before.strip(), after.strip()} == {"", "not"}
        if edit.kind is KnownKind.SPLIT:
            assert (len(edit.before), len(edit.after)) == (1, 2)
        if edit.kind is KnownKind.MERGED:
            assert (len(edit.before), len(edit.after)) == (2, 1)


def test_without_the_edits_both_versions_have_the_same_words(pair: VersionPair) -> None:
    clauses = {KnownKind.MOVED, KnownKind.SPLIT, KnownKind.MERGED}
    kept = []
    for text, sides in (
        (pair.before, [edit.before for edit in pair.edits]),
        (pair.after, [edit.after for edit in pair.edits]),
    ):
        gone = merge_spans(
            span
            for edit, side in zip(pair.edits, sides, strict=True)
            if edit.kind not in clauses
            for span in side
        )
        rest, at = "", 0
        for span in gone:
            rest, at = rest + text[at : span.start], span.end
        rest = (rest + text[at:]).translate(str.maketrans("“”", '""'))
        kept.append(Counter("".join(rest.split()).replace(".", "")))
    # What begins a clause that was split or merged is in one version alone.
    left, right = kept
    assert all(each.isdigit() for each in (left - right) | (right - left))
