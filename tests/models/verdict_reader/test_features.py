"""What a clause and its mentions are known by."""

from __future__ import annotations

import numpy as np
import pytest

from fourcorners.models.verdict_reader.clause import MarkedClause, Mention, MentionKind
from fourcorners.models.verdict_reader.features import (
    EACH_PARTY,
    NO_MENTION,
    WORDS_BEFORE,
    ClauseFeatures,
    copy_features,
    hash_names,
)
from fourcorners.text.span import Span


def clause(
    text: str, marked: str = "", parties: tuple[str, ...] = (), groups: tuple[str, ...] = ()
) -> MarkedClause:
    found = []
    kinds = [*((MentionKind.PARTY, each) for each in parties)]
    kinds += [(MentionKind.GROUP, each) for each in groups]
    for kind, name in kinds:
        start = text.find(name)
        while start >= 0:
            found.append(Mention(kind, name.casefold(), Span(start, start + len(name)), acts=1))
            start = text.find(name, start + 1)
    start = text.index(marked)
    return MarkedClause(
        text,
        Span(0, len(text)),
        Span(start, start + len(marked)) if marked else Span(0, len(text)),
        tuple(sorted(found, key=lambda each: each.span)),
    )


def has(clause: MarkedClause, *names: str) -> bool:
    return bool(np.isin(hash_names(names), ClauseFeatures(clause).row).all())


def test_marked_words_and_those_around_them_are_read_apart() -> None:
    text = "Rent is due. The tenant may not leave early. Fees follow."
    read = clause(text, "The tenant may not leave early.")
    assert has(read, "m:tenant", "m:may_not", "m:may_not_leave", "m:may~leave", "c:rent", "c:fees")
    assert not has(read, "m:rent")
    assert not has(read, "c:tenant")
    assert not has(read, "c:rent_is_due")  # three in a row only of the marked words


def test_who_a_party_is_does_not_matter() -> None:
    one, other = [
        ClauseFeatures(clause(f"{name} shall not assign it.", parties=(name,))).row
        for name in ("Alder Components Limited", "Birch")
    ]
    assert np.array_equal(one, other)
    assert has(clause("Birch shall pay.", parties=("Birch",)), "m:PARTY_shall")
    either = clause("Either party may end it.", groups=("Either party",))
    assert has(either, "m:GROUP_either_may")


@pytest.mark.parametrize(
    "text", ["a nonexclusive right", "a non-exclusive right", "a non exclusive right"]
)
def test_not_exclusive_is_one_word_however_it_is_written(text: str) -> None:
    read = clause(text)
    assert has(read, "m:nonexclusive", "m:a_nonexclusive_right")
    assert not has(read, "m:exclusive")


def test_numbers_are_known_by_their_length() -> None:
    assert has(clause("30 days, 1,000,000 pounds"), "m:00_days", "m:0000_pounds")


def test_the_clause_is_looked_at_no_further_than_it_was_trained_on() -> None:
    text = "far " + "word " * WORDS_BEFORE + "here it is"
    assert not has(clause(text, "here it is"), "c:far")
    assert has(clause(text.replace("word ", "", 1), "here it is"), "c:far")


def test_choices_are_what_is_mentioned_nobody_and_each_party() -> None:
    read = clause(
        "Alder may sue Birch. Cedar waits.", "Alder may sue Birch.", ("Alder", "Birch", "Cedar")
    )
    choices = ClauseFeatures(read).choices(MentionKind.PARTY)
    assert list(choices) == ["alder", "birch", "cedar", NO_MENTION, EACH_PARTY]

    def described(key: str, *names: str) -> bool:
        return bool(np.isin(hash_names(names), choices[key]).all())

    assert described("alder", "in", "rank0", "a0=may", "x=^_may", "unknown", "acts1", "several")
    assert described("birch", "in", "rank1", "b0=sue")
    assert described("cedar", "out", "o:a0=waits")
    assert list(ClauseFeatures(read).choices(MentionKind.DATE)) == [NO_MENTION]


def test_copies_of_features_differ_by_name() -> None:
    plain = hash_names(["a", "b", "a"])
    assert len(plain) == 2
    one, other = (copy_features(plain, name) for name in ("cap.who", "insurance.who"))
    assert np.array_equal(np.intersect1d(one, other), plain)
    assert len(copy_features(plain, "cap.who", "who")) == 6
