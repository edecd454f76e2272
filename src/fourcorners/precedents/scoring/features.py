"""Features of a clause as a precedent: how it matches a query, and how it is drafted.

Lawyers give stars to what answers the query, is concise and clear, has every element that such a
clause has, and is not one-sided beyond what was asked (ACORD, table A-1).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fourcorners.precedents.clause import OMITTED
from fourcorners.precedents.concepts import (
    MAX_READ,
    DraftingSide,
    QueryConcept,
    QueryConcepts,
    all_concepts,
    find_concept,
    plain_text,
)
from fourcorners.precedents.terms import ClauseTerms
from fourcorners.text.patterns import load_patterns

FEATURE_NAMES = (
    "topics",  # share of the query's topics that the clause speaks of
    "topic_density",
    "topic_early",  # how near to its beginning it does
    "details",  # share of the query's details
    "details_near",  # share of them near a topic
    "details_carved",  # share of them in an exception, where exceptions are asked for
    "carved",  # exceptions that are asked for
    "carved_unasked",  # exceptions where none may be
    "unwanted",
    "whole",  # all topics and details
    "mutual",
    "one_sided",
    "seller",
    "buyer",
    "via_indemnity",
    "length",
    "length_squared",
    "length_for_details",
    "other_topics",
    "omitted",
    "redacted",
    "capitals",
    "enumerated",
    "defined_terms",
)
MAX_DISTANCE = 350  # characters between what belongs together
_TYPICAL = 5.0  # the logarithm of the words of a usual clause: 150
_PATTERNS = load_patterns("fourcorners.precedents.scoring", "features")
_CARVING = _PATTERNS["carving"]
_BOTH = _PATTERNS["both"]
_SELLERS = r"(seller|supplier|vendor|licensor|provider|manufacturer|contractor|developer|company)"
_BUYERS = r"(buyer|customer|purchaser|licensee|client|distributor|reseller|user|end[ -]user|you)"
_NOT_LIABLE = r"('s)?( \w+){0,3} (liab|(shall|will) (not|have no)|makes? no|disclaims?|be liable)"
_SELLER_SAFE = re.compile(rf"\b{_SELLERS}{_NOT_LIABLE}|no .{{0,40}}{_SELLERS} be liable")
_BUYER_SAFE = re.compile(rf"\b{_BUYERS}{_NOT_LIABLE}|{_SELLERS}( \w+){{0,4}} indemnif")
_BUYER_BOUND = re.compile(rf"\b{_BUYERS}( \w+){{0,4}} indemnif")
_REDACTED = _PATTERNS["redacted"]
_ENUMERATED = _PATTERNS["enumerated"]
_DEFINED = _PATTERNS["defined"]


@dataclass(frozen=True)
class ClauseFeatures:
    """A clause read once: what does not depend on the query, and what was asked so far."""

    text: str
    _concept_rows: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def plain(self) -> str:
        return plain_text(self.text)

    @cached_property
    def words(self) -> int:
        return max(1, len(self.text.split()))

    @cached_property
    def exceptions(self) -> tuple[int, ...]:
        return tuple(match.start() for match in _CARVING.finditer(self.plain))

    @cached_property
    def blanks(self) -> int:
        return len(_REDACTED.findall(self.text))

    @cached_property
    def terms(self) -> ClauseTerms:
        return ClauseTerms(self.text[:MAX_READ])

    @cached_property
    def names_both(self) -> bool:
        """Whether it names both parties together, if perhaps not in all that it says."""
        return bool(_BOTH.search(self.plain))

    @cached_property
    def seller(self) -> float:
        """How clearly it favours who sells (1) or who buys (-1)."""
        text = self.plain
        seller = bool(_SELLER_SAFE.search(text)) + bool(_BUYER_BOUND.search(text))
        return (seller - bool(_BUYER_SAFE.search(text))) / 2

    @cached_property
    def topics(self) -> int:
        return sum(bool(self.concept_places(each)) for each in all_concepts() if each.topic)

    def concept_places(self, concept: QueryConcept) -> tuple[int, ...]:
        found = self._concept_rows.get(concept.name)
        if found is None:
            found = self._concept_rows[concept.name] = find_concept(self.plain, concept)
        return found

    def is_near(
        self, these: Sequence[int], those: Sequence[int], reach: int = MAX_DISTANCE
    ) -> bool:
        """Tell whether one of these places is within reach of one of those."""
        for at in these:
            after = bisect_left(those, at - reach)
            if after < len(those) and those[after] <= at + reach:
                return True
        return False


def clause_features(reading: ClauseFeatures, wanted: QueryConcepts) -> list[float]:
    topics = [reading.concept_places(each) for each in wanted.topics]
    details = [reading.concept_places(each) for each in wanted.details]
    about = sorted(at for found in topics for at in found)
    near = [bool(found) and reading.is_near(found, about) for found in details]
    carved = [bool(found) and reading.is_near(found, reading.exceptions) for found in details]
    beside_topic = reading.is_near(reading.exceptions, about, 2 * MAX_DISTANCE) if about else False
    length = math.log(reading.words) - _TYPICAL
    asked = len(wanted.details)
    whole = bool(topics or details) and all(topics) and all(details)
    letters = max(1, sum(map(str.isalpha, reading.text)))
    return [
        _share(map(bool, topics)),
        math.log1p(len(about)) / math.log(2 + reading.words / 50),
        math.exp(-about[0] / 400) if about else 0.0,
        _share(map(bool, details)),
        _share(near),
        _share(carved) if wanted.carved else 0.0,
        float(beside_topic) if wanted.carved else 0.0,
        float(beside_topic) if wanted.carved is False else 0.0,
        _share(bool(reading.concept_places(each)) for each in wanted.unwanted),
        float(whole),
        0.0 if wanted.mutual is not True else 1.0 if reading.names_both else -1.0,
        0.0 if wanted.mutual is not False else -1.0 if reading.names_both else 1.0,
        reading.seller - 0.5 * reading.names_both if wanted.side is DraftingSide.SELLER else 0.0,
        0.5 * bool(reading.exceptions) - reading.seller
        if wanted.side is DraftingSide.BUYER
        else 0.0,
        _via_indemnity(reading, details) if wanted.via_indemnity else 0.0,
        length,
        length * length,
        length * math.log1p(asked),
        math.log1p(max(0, reading.topics - len(wanted.topics))),
        math.log1p(reading.text.count(OMITTED)),
        math.log1p(reading.blanks),
        sum(map(str.isupper, reading.text)) / letters,
        math.log1p(len(_ENUMERATED.findall(reading.text))),
        math.log1p(len(_DEFINED.findall(reading.text))),
    ]


def _via_indemnity(reading: ClauseFeatures, details: Sequence[Sequence[int]]) -> float:
    """Return whether an exception names an indemnity, and the share of details near one."""
    indemnities = [match.start() for match in re.finditer("indemni", reading.plain)]
    named = reading.is_near(reading.exceptions, indemnities)
    return float(named) * (0.5 + 0.5 * _share(bool(found) for found in details))


def _share(flags: Iterable[bool]) -> float:
    listed = list(flags)
    return sum(listed) / len(listed) if listed else 0.0
