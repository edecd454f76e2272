"""Why a clause ranks where it does, in words a lawyer can check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fourcorners.precedents.concepts import QueryConcepts
from fourcorners.precedents.scoring.bm25 import query_stems
from fourcorners.precedents.scoring.features import MAX_DISTANCE, ClauseReading

SHORT, LONG = 35, 400
"""Words below which a clause is told to be short, and above which long: a sixth of ACORD's are."""
_CLEAR = 0.5  # of `ClauseReading.seller`, from which a clause favours a side; by hand
_MANY_TOPICS = 4  # from which a clause is said to speak of others; by hand


@dataclass(frozen=True, slots=True)
class Reasons:
    """What speaks for a clause and against it.

    Attributes:
        covers: What the query asks for and the clause speaks of.
        missing: What the query asks for and the clause does not speak of.
        unwanted: What the query refuses and the clause speaks of.
        remarks: One-sidedness, length, exceptions, blanks.
    """

    covers: tuple[str, ...]
    missing: tuple[str, ...]
    unwanted: tuple[str, ...]
    remarks: tuple[str, ...]


def explain_rank(query: str, wanted: QueryConcepts, reading: ClauseReading) -> Reasons:
    """Say how a clause meets a query; where no concept is recognised, by the query's words."""
    found = {each.name: bool(reading.concept_places(each)) for each in wanted.concepts}
    if not found:
        held = set(query_stems(reading.text))
        own = list(dict.fromkeys(query.lower().split()))
        found = {word: set(query_stems(word)) <= held for word in own if len(word) > 3}
    return Reasons(
        covers=_widest(name for name, there in found.items() if there),
        missing=_widest(name for name, there in found.items() if not there),
        unwanted=_widest(each.name for each in wanted.unwanted if reading.concept_places(each)),
        remarks=tuple(_remarks(wanted, reading)),
    )


def _widest(names: Iterable[str]) -> tuple[str, ...]:
    """Return names without those that another one says already, as "fraud" in "fraud or …"."""
    listed = list(names)
    words = [set(each.split()) for each in listed]
    return tuple(
        name
        for name, own in zip(listed, words, strict=True)
        if not any(own < each for each in words)
    )


def _remarks(wanted: QueryConcepts, reading: ClauseReading) -> list[str]:
    told = []
    about = sorted(at for each in wanted.topics for at in reading.concept_places(each))
    carved = (
        reading.is_near(reading.exceptions, about, 2 * MAX_DISTANCE)
        if about
        else bool(reading.exceptions)
    )
    if wanted.carved is True:
        told.append("has exceptions" if carved else "has no exception near the topic")
    elif wanted.carved is False and carved:
        told.append("has exceptions, though none are wanted")
    if reading.is_mutual:
        told.append("speaks of both parties alike")
    elif reading.seller >= _CLEAR:
        told.append("one-sided: favours the seller")
    elif reading.seller <= -_CLEAR:
        told.append("one-sided: favours the buyer")
    elif wanted.mutual:
        told.append("does not speak of both parties")
    if reading.words < SHORT:
        told.append(f"short: {reading.words} words")
    elif reading.words > LONG:
        told.append(f"long: {reading.words:,} words")
    others = reading.topics - len(wanted.topics)
    if others >= _MANY_TOPICS:
        told.append(f"speaks of {others} other topics")
    if reading.blanks:
        told.append("has blanks or redactions")
    return told
