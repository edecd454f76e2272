"""The clauses of a contract that is edited, and edits of their words whose places are known.

Clauses are paragraphs that begin with a number or a letter, found by rules of this module alone, so
that what is measured does not say where the edits are.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners_bench.comparison", "versions")
_BREAK = _PATTERNS["paragraph_break"]
_LABEL = _PATTERNS["label"]
SENTENCE = _PATTERNS["sentence"]
_NEGATION = _PATTERNS["negation"]
_PERIOD = _PATTERNS["period"]
_AMOUNT = _PATTERNS["amount"]
_PERCENTAGE = _PATTERNS["percentage"]
_DATE = _PATTERNS["date"]
_PARTY = _PATTERNS["party"]
_WORD = _PATTERNS["word"]
_INLINE = _PATTERNS["inline"]

_LEAST_LENGTH = 120  # characters of a clause that is edited
_LEAST_USES = 8  # of a party's name, for it to be one that a clause is about
_NO_PARTIES = frozenset({"Agreement", "Term", "Services", "Products", "Territory"})
_APART = 20  # characters between two edits of one clause, at least
_NUMBER_WORDS = {
    "five": 5, "seven": 7, "ten": 10, "fifteen": 15, "twenty": 20, "thirty": 30, "forty-five": 45,
    "sixty": 60, "ninety": 90, "two": 2, "three": 3, "six": 6, "twelve": 12,
}  # fmt: skip
_OPPOSITES = {
    "shall not": "shall", "may not": "may", "will not": "will", "shall": "shall not",
    "may": "may not", "will": "will not", "must": "must not", "is not": "is",
}  # fmt: skip
_WORDS = {
    "promptly": "immediately", "reasonable": "commercially reasonable", "notify": "inform",
    "provide": "supply", "prior": "previous", "obtain": "procure", "material": "substantial",
    "written": "signed", "terminate": "cancel", "sole": "absolute", "costs": "expenses",
    "maintain": "keep", "breach": "default", "delivery": "dispatch", "including": "comprising",
}  # fmt: skip
_PHRASES = (
    "in good faith",
    "at its own expense",
    "upon request",
    "in a timely manner",
    "to the extent practicable",
)


class KnownKind(StrEnum):
    """What was done to a contract."""

    WORD = "word"
    NUMBER = "number"
    NEGATION = "negation"
    PARTY = "party"
    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    SPLIT = "split"
    MERGED = "merged"
    RENUMBERED = "renumbered"
    REFERENCE = "reference"


@dataclass(slots=True)
class EditedClause:
    """A paragraph of the first version, and what is replaced in it, by its own characters."""

    start: int
    text: str
    end: str
    label: str = ""
    label_span: Span = field(default_factory=lambda: Span(0, 0))
    new_label: str = ""
    replaced: list[tuple[Span, str, KnownKind]] = field(default_factory=list)

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text))

    def head(self, label: str) -> str:
        """Return the beginning of a clause with another label, written as this one's."""
        tail = self.text[self.label_span.end : self.label_span.end + 1]
        return f"{self.text[: self.label_span.start]}{label}{tail if tail in ').' else ''} "

    def replace(self, span: Span, text: str, kind: KnownKind) -> None:
        """Replace words; of words that the new ones begin or end with, nothing is replaced."""
        old = span.text_in(self.text)
        if text.startswith(old):
            span, text = Span(span.end, span.end), text[len(old) :]
        elif text.endswith(old):
            span, text = Span(span.start, span.start), text[: -len(old)]
        elif old.startswith(text):
            span, text = Span(span.start + len(text), span.end), ""
        self.replaced.append((span, text, kind))

    def set_label(self, label: str) -> None:
        """Give the clause another label in the second version, in place of any given before."""
        self.replaced = [each for each in self.replaced if each[2] is not KnownKind.RENUMBERED]
        if label != self.label:
            self.replace(self.label_span, label, KnownKind.RENUMBERED)
        self.new_label = label

    def matches(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Return where a pattern matches the words, apart from what is replaced already."""
        return [
            match
            for match in pattern.finditer(self.text, self.label_span.end)
            if all(
                match.start() > span.end + _APART or match.end() + _APART < span.start
                for span, _, kind in self.replaced
                if kind is not KnownKind.RENUMBERED
            )
        ]


def read_clauses(text: str) -> list[EditedClause]:
    clauses = []
    start = 0
    for match in [*_BREAK.finditer(text), None]:
        end = match.start() if match else len(text)
        clause = EditedClause(start, text[start:end], match[0] if match else "")
        if label := _LABEL.match(clause.text):
            clause.label = clause.new_label = label["label"]
            clause.label_span = Span(*label.span("label"))
        clauses.append(clause)
        start = match.end() if match else end
    return clauses


def is_eligible(clause: EditedClause) -> bool:
    """Tell whether a paragraph is a clause, long enough, and whole.

    One that a page's end cuts is not whole; one with further numbers within it is several.
    """
    whole = clause.text.rstrip().endswith((".", ";", ":", "; and", "; or", ".)", '."'))
    alone = not _INLINE.search(clause.text, clause.label_span.end)
    return bool(clause.label) and len(clause.text) >= _LEAST_LENGTH and whole and alone


class WordEdits:
    """Edits of the words of clauses; of parties, the two that are named most."""

    def __init__(self, text: str, chance: random.Random) -> None:
        self.chance = chance
        self.parties = _parties(text)

    @property
    def all(self) -> tuple[Callable[[EditedClause], bool], ...]:
        return self._change_word, self._change_number, self._negate, self._change_party

    def _change_word(self, clause: EditedClause) -> bool:
        found = [match for match in clause.matches(_WORD) if match[0] in _WORDS]
        if found and self.chance.random() < 0.6:
            match = self.chance.choice(found)
            clause.replace(Span(*match.span()), _WORDS[match[0]], KnownKind.WORD)
            return True
        ends = [match.start() for match in clause.matches(SENTENCE)]
        if not ends:
            return False
        at = self.chance.choice(ends)
        clause.replace(Span(at, at), f" {self.chance.choice(_PHRASES)}", KnownKind.WORD)
        return True

    def _change_number(self, clause: EditedClause) -> bool:
        makers = [
            (_PERIOD, self._other_period),
            (_AMOUNT, self._other_amount),
            (_PERCENTAGE, self._other_percentage),
            (_DATE, self._other_date),
        ]
        self.chance.shuffle(makers)
        for pattern, make in makers:
            found = clause.matches(pattern)
            if found:
                match = self.chance.choice(found)
                clause.replace(Span(*match.span("value")), make(match), KnownKind.NUMBER)
                return True
        return False

    def _other_period(self, match: re.Match[str]) -> str:
        word = (match["word"] or "").lower()
        old = int(match["figure"] or _NUMBER_WORDS[word])
        new, value = self.chance.choice(
            [pair for pair in _NUMBER_WORDS.items() if pair[1] not in (old, 1)]
        )
        if word and match["figure"]:
            return match["value"].replace(match["word"], new).replace(match["figure"], str(value))
        return new if word else str(value)

    def _other_amount(self, match: re.Match[str]) -> str:
        figure = int(match["value"].replace(",", ""))
        return f"{figure * self.chance.choice((2, 3, 5)) + 1_000:,}"

    def _other_percentage(self, match: re.Match[str]) -> str:
        old = match["value"]
        return self.chance.choice([each for each in ("5", "12.5", "20", "35", "75") if each != old])

    def _other_date(self, match: re.Match[str]) -> str:
        return str(int(match["value"]) + self.chance.choice((1, 2, 5)))

    def _negate(self, clause: EditedClause) -> bool:
        found = clause.matches(_NEGATION)
        if not found:
            return False
        match = self.chance.choice(found)
        clause.replace(Span(*match.span()), _OPPOSITES[match[0]], KnownKind.NEGATION)
        return True

    def _change_party(self, clause: EditedClause) -> bool:
        if len(self.parties) < 2:
            return False
        one, other = self.parties[:2]
        pattern = re.compile(rf"\b(?:{re.escape(one)}|{re.escape(other)})\b(?!['’])")
        found = clause.matches(pattern)
        if not found:
            return False
        match = self.chance.choice(found)
        new = other if match[0] == one else one
        clause.replace(Span(*match.span()), new, KnownKind.PARTY)
        return True


def next_label(label: str) -> str | None:
    return None if label[-1] in "9z" and not label[-1].isdigit() else shift_label(label, 1)


def shift_label(label: str, by: int) -> str:
    if label[-1].isdigit():
        prefix, dot, last = label.rpartition(".")
        return f"{prefix}{dot}{int(last) + by}"
    return label[:-1] + chr(ord(label[-1]) + by)


def _parties(text: str) -> list[str]:
    """Return the names that a contract gives its parties, the most used first."""
    names = {match["name"] for match in _PARTY.finditer(text[:8_000])} - _NO_PARTIES
    uses = {name: len(re.findall(rf"\b{re.escape(name)}\b", text)) for name in sorted(names)}
    return sorted((name for name in uses if uses[name] >= _LEAST_USES), key=lambda n: -uses[n])
