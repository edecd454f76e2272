"""Recognise what a query asks of a clause, and what a clause says, by rules in `concepts.yaml`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from fourcorners.text.patterns import load_patterns

MAX_READ = 20_000
"""Characters of a clause that are read: ten times the longest of most contracts."""
_PATTERNS = load_patterns("fourcorners.precedents", "concepts")
_NOT = _PATTERNS["not"]
_CARVED = _PATTERNS["carved"]
_WHOLE = _PATTERNS["whole"]
_MUTUAL = _PATTERNS["mutual"]
_ONE_SIDED = _PATTERNS["one_sided"]
_SELLER = _PATTERNS["seller"]
_BUYER = _PATTERNS["buyer"]
_VIA_INDEMNITY = _PATTERNS["via_indemnity"]


class DraftingSide(StrEnum):
    """The side that the clause should favour."""

    SELLER = "seller"
    BUYER = "buyer"


@dataclass(frozen=True, slots=True)
class QueryConcept:
    """A concept of contract law, with the words in which it is asked for and written.

    Attributes:
        topic: Whether a clause is about it, or only also provides for it.
        words: What is added to a query that asks for it.
    """

    name: str
    topic: bool
    asked: re.Pattern[str]
    written: re.Pattern[str]
    words: str


@dataclass(frozen=True, slots=True)
class QueryConcepts:
    """What a query asks for.

    Attributes:
        details: What the clause should provide for in addition to its topics.
        carved: Whether exceptions are wanted (True), are not (False), or nothing is said of them.
        mutual: Whether it should bind both parties alike (True), one (False), or it is open.
        via_indemnity: Whether the exception is made by way of an indemnity.
    """

    topics: tuple[QueryConcept, ...]
    details: tuple[QueryConcept, ...]
    unwanted: tuple[QueryConcept, ...]
    carved: bool | None = None
    mutual: bool | None = None
    side: DraftingSide | None = None
    via_indemnity: bool = False

    @property
    def concepts(self) -> tuple[QueryConcept, ...]:
        return self.topics + self.details

    @property
    def expansion(self) -> str:
        return " ".join(each.words for each in self.concepts if each.words)


@cache
def all_concepts() -> tuple[QueryConcept, ...]:
    from fourcorners.text.patterns import load_yaml

    text = files("fourcorners.precedents").joinpath("concepts.yaml").read_text("utf-8")
    return tuple(
        QueryConcept(
            name=each["name"],
            topic=each["kind"] == "topic",
            asked=re.compile(each["query"]),
            written=re.compile(each["clause"]),
            words=each.get("words", ""),
        )
        for each in load_yaml(text)
    )


def plain_text(text: str) -> str:
    """Return text as the patterns read it: in lower case, with single spaces, cut if very long."""
    return " ".join(text[:MAX_READ].lower().replace("’", "'").split())


def query_concepts(query: str) -> QueryConcepts:
    text = plain_text(query)
    found: list[QueryConcept] = []
    unwanted: list[QueryConcept] = []
    for concept in all_concepts():
        places = [match.start() for match in concept.asked.finditer(text)]
        if not places:
            continue
        refused = all(_NOT.search(text[max(0, at - 30) : at]) for at in places)
        (unwanted if refused else found).append(concept)
    whole = bool(_WHOLE.search(text))
    mutual = bool(_MUTUAL.search(text))
    one_sided = bool(_ONE_SIDED.search(text))
    return QueryConcepts(
        topics=tuple(each for each in found if each.topic),
        details=tuple(each for each in found if not each.topic),
        unwanted=tuple(unwanted),
        carved=False if whole else True if _CARVED.search(text) else None,
        mutual=None if mutual == one_sided else mutual,
        side=DraftingSide.SELLER
        if _SELLER.search(text)
        else DraftingSide.BUYER
        if _BUYER.search(text)
        else None,
        via_indemnity=bool(_VIA_INDEMNITY.search(text)),
    )


def find_concept(text: str, concept: QueryConcept) -> tuple[int, ...]:
    """Return where plain text mentions a concept: the end of each match."""
    return tuple(match.end() for match in concept.written.finditer(text))
