"""Whose right or duty a query is about, and with what numbers and periods; and a clause's.

A side is recognised by its role in trade: who is paid (a supplier, a landlord) or who pays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.stems import stem_tokens
from fourcorners.text.tokenization import tokenize
from fourcorners.text.values.numbers import any_of
from fourcorners.text.values.quantities import PERCENT, Quantity, find_quantities

PAYING = frozenset(
    [
        *("customer", "client", "buyer", "purchaser", "licensee", "reseller", "distributor"),
        *("dealer", "franchisee", "tenant", "lessee", "borrower", "employer", "shipper"),
    ]
)
PAID = frozenset(
    [
        *("supplier", "seller", "vendor", "provider", "service provider", "licensor", "contractor"),
        *("subcontractor", "consultant", "manufacturer", "franchisor", "landlord", "lessor"),
        *("lender", "employee", "carrier"),
    ]
)
_DAYS = {"hour": 1 / 24, "day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS_A_MONTH = 30.4375  # 365.25 / 12
_TIME, _MONEY = "time", "money"
_PATTERNS = load_patterns("fourcorners.precedents", "terms")
_MUTUAL = _PATTERNS["mutual"]
_NET = _PATTERNS["net"]
_NAMED_ACTS = _PATTERNS["named_acts"]
_ROLES = rf"(?P<paid>{any_of(PAID)})|(?P<paying>{any_of(PAYING)})"
_WHO = rf"(?:{_ROLES}|(?P<each>(?:each|either|neither|both|a)(?: of the)? part(?:y|ies)))"
_WHO_ACTS = _WHO.replace("(?P<each>", "(?P<each>the parties|")
_CAUSE = (
    r"(?:insolven|bankrupt|breach|default|change|consent|approval|fail|negligen|misconduct|fault|"
    r"non-?pay|employee|staff|personnel|data|information|instruction|request|property)"
)
_DOES = (
    r"(?:may|can|must|shall|will|has|not|to|pays?|\w+[^s' ]s|"
    r"is (?:not )?(?:to|entitled|liable|obliged|required))"
)
_ASKED = [
    re.compile(each.replace("ROLE", f"(?:{_ROLES})"))
    for each in (
        r"\b(?:by|binding|binds?|bind(?:s|ing)? on|for) (?:the |an? )?ROLE\b(?!['-])",
        rf"(?<!if )(?<!if the )(?<!when the )(?<!where the )\bROLE {_DOES}\b",
        r"\b(?:liabilit\w+|obligations?|rights?|options?|dut\w+|indemnit\w+) of (?:the )?ROLE\b",
        rf"\bROLEs?'s? (?!(?:\w+ )?{_CAUSE})",
        rf"^(?:the )?ROLE (?!f(?:avou?r|riendly)|{_CAUSE})",
    )
]
"""How a query names who acts, the surest first; not who gives cause for it."""
_ACTS = re.compile(
    rf"\b{_WHO_ACTS}(?:(?:,? \w+)?,? (?:may|shall|will|must|can|cannot|agrees?|warrants?|"
    r"represents?|undertakes?|covenants?|reserves?|has|have|is entitled|are entitled|pays?|"
    r"indemnif\w+|remains?)\b"
    r"|s?'s?(?: \w+){0,3} (?:liabilit|obligation|right|option|responsib))"
)
_ACTS_AFTER = re.compile(
    rf"\b(?:liabilit\w+|obligations?|\w+ed|payable) (?:of|by) (?:the )?{_WHO}\b"
)

_ROLE = re.compile(rf"\b(?:{_ROLES})\b")


class Holder(StrEnum):
    """Whose right or duty it is."""

    PAID = "paid"
    PAYING = "paying"
    EACH = "each"


@dataclass(frozen=True, slots=True)
class WrittenFigure:
    """A number of a kind: a share, a sum, or a time in days."""

    kind: str
    number: float
    text: str

    def is_near(self, other: WrittenFigure) -> bool:
        """Tell whether two are the same; months may be counted in days."""
        return abs(self.number - other.number) <= 0.04 * max(self.number, other.number)


@dataclass(frozen=True)
class QueryTerms:
    """What a query asks for, apart from its subject.

    Attributes:
        holder: None if that is open.
        role: In the query's word for it: "customer".
    """

    query: str
    holder: Holder | None
    role: str
    figures: tuple[WrittenFigure, ...]

    def __bool__(self) -> bool:
        return self.holder is not None or bool(self.figures)

    @property
    def subject(self) -> str:
        """The words that name neither the role nor a figure."""
        named = {self.role, *(word for each in self.figures for word in each.text.lower().split())}
        parts = (each.strip(".,;") for each in _plain(self.query).split())
        return " ".join(each for each in parts if not named & {each, each.rstrip("s'")})

    @cached_property
    def stems(self) -> frozenset[str]:
        return _stems(self.query)


def query_terms(query: str) -> QueryTerms:
    text = _plain(query)
    figures = tuple(_figures(_NET.sub(r"\g<0> days", query)))
    if _MUTUAL.search(text):
        return QueryTerms(query, Holder.EACH, "", figures)
    found = next((match for pattern in _ASKED if (match := pattern.search(text))), None)
    if found is None:
        return QueryTerms(query, None, "", figures)
    holder = _holder(found)
    return QueryTerms(query, holder, found[holder.value], figures)


def _holder(match: re.Match[str]) -> Holder:
    return Holder(str(match.lastgroup))


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem_tokens(tokenize(text).tokens))


def _figures(text: str) -> Iterable[WrittenFigure]:
    for each in find_quantities(text, Span(0, len(text))):
        kind, number = _measure(each)
        if kind:
            words = " ".join(each.span.text_in(text).split()).rstrip(",.")
            yield WrittenFigure(kind, number, words.replace("-", " "))


def _measure(quantity: Quantity) -> tuple[str, float]:
    number = float(quantity.number)
    if quantity.unit in _DAYS:
        return _TIME, number * _DAYS[quantity.unit]
    if quantity.unit in _MONTHS:
        return _TIME, number * _MONTHS[quantity.unit] * _DAYS_A_MONTH
    if quantity.unit == PERCENT:
        return PERCENT, number
    return (_MONEY if quantity.mark else ""), number


class ClauseTerms:
    """Who acts in each sentence of a clause, and its figures; read once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._sentences = [
            (_stems(part), holder)
            for each in split_sentences(text, Span(0, len(text)))
            if (holder := first_holder(part := each.text_in(text)))
        ]

    @cached_property
    def figures(self) -> tuple[WrittenFigure, ...]:
        return tuple(_figures(self._text))

    @property
    def is_mutual(self) -> bool:
        """Whether all that it says is said of both parties, and nothing of somebody else."""
        return self._holders == {Holder.EACH} and not _NAMED_ACTS.search(self._text)

    @property
    def is_of_one(self) -> bool:
        """Whether it names a side, by a role, and says nothing of both."""
        return bool(self._holders) and Holder.EACH not in self._holders

    @property
    def _holders(self) -> set[Holder]:
        return {holder for _, holder in self._sentences}

    @property
    def first_holder(self) -> Holder | None:
        return self._sentences[0][1] if self._sentences else None

    def holder(self, wanted: QueryTerms) -> Holder | None:
        """Return who acts in the sentences that are most about a query; None if unknown."""
        shared = [len(stems & wanted.stems) for stems, _ in self._sentences]
        most = max(shared, default=0)
        found = {
            holder
            for (_, holder), count in zip(self._sentences, shared, strict=True)
            if count == most
        }
        return found.pop() if len(found) == 1 else Holder.EACH if found else None

    def coverage(self, wanted: QueryTerms) -> dict[str, bool]:
        """Return for the side and each figure asked for whether it is met; not what is unknown."""
        found = {}
        holder = self.holder(wanted)
        if wanted.holder and holder:
            whose = f"the {wanted.role}" if wanted.role else "both parties"
            found[f"of {whose}"] = holder is wanted.holder
        return found | {each.text: self.has(each) for each in wanted.figures}

    def side_agreement(self, wanted: QueryTerms) -> float:
        """Return 1 for the holder that is asked for, -1 for another one; 0 if either is open."""
        holder = self.holder(wanted)
        if wanted.holder is None or holder is None:
            return 0.0
        return 1.0 if holder is wanted.holder else -1.0

    def figure_agreement(self, wanted: QueryTerms) -> float:
        """Return the mean over the figures asked for: 1 for one that it has, -1 for another."""
        each = [self._agrees(figure) for figure in wanted.figures]
        return sum(each) / len(each) if each else 0.0

    def _agrees(self, wanted: WrittenFigure) -> float:
        same = [each for each in self.figures if each.kind == wanted.kind]
        return 1.0 if self.has(wanted) else -1.0 if same else -0.5

    def has(self, wanted: WrittenFigure) -> bool:
        return any(each.kind == wanted.kind and wanted.is_near(each) for each in self.figures)


def first_holder(sentence: str) -> Holder | None:
    """Return who acts first in a sentence; None if no role is named as doing so."""
    text = _plain(sentence)
    found = [match for match in (_ACTS.search(text), _ACTS_AFTER.search(text)) if match]
    return _holder(min(found, key=lambda match: match.start())) if found else None


def name_sides(text: str) -> str:
    """Return plain text with each role by its side: a vendor is a supplier."""
    return _ROLE.sub(lambda match: str(match.lastgroup), text)
