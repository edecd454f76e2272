"""An answer laid out for reading: each sentence with the numbers of the words that support it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fourcorners.research.answer import Answer, Citation, Role, Statement
from fourcorners.server.links import quote_href

_TITLES = {
    Role.EXCEPTION: "Exceptions",
    Role.AMENDMENT: "Amendments",
    Role.DEFINITION: "Definitions of terms that are used",
    Role.REFERENCE: "Clauses that are referred to",
    Role.COMPUTED: "Dates and sums",
    Role.OTHER_READING: "How else it may be read",
}


@dataclass(frozen=True, slots=True)
class NumberedQuote:
    """Words of a contract, with the number that sentences name them by, and their address."""

    number: int
    cited: Citation
    href: str


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A statement with its evidence."""

    statement: Statement
    evidence: tuple[NumberedQuote, ...]


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences under a title; it is empty for those that come first."""

    title: str
    sentences: tuple[CitedSentence, ...]


@dataclass(frozen=True, slots=True)
class AnswerLayout:
    """A report laid out; a sentence stands in it once."""

    answer: tuple[CitedSentence, ...]
    conditions: tuple[CitedSentence, ...]
    readings: tuple[CitedSentence, ...]
    summary: tuple[CitedSentence, ...]
    findings: tuple[SentenceGroup, ...]
    evidence: tuple[NumberedQuote, ...]


def lay_out_answer(answer: Answer) -> AnswerLayout:
    """Lay a report out: the answer first, then what it depends on, then what else was found."""
    layer, told = _Layer(), answer.answer
    parts = (told.sentences, told.conditions, told.readings, answer.summary)
    first, conditions, readings, summary = (layer.sentences(each) for each in parts)
    findings = tuple(_grouped(layer, answer.findings))
    return AnswerLayout(first, conditions, readings, summary, findings, tuple(layer.evidence))


def _grouped(layer: _Layer, findings: Iterable[Statement]) -> Iterable[SentenceGroup]:
    titles: dict[str, list[Statement]] = {}
    parts = list(dict.fromkeys(each.part for each in findings))
    for each in findings:
        title = _TITLES.get(each.role, each.part if len(parts) > 1 else "")
        titles.setdefault(title, []).append(each)
    for title, statements in titles.items():
        if shown := layer.sentences(statements):
            yield SentenceGroup(title, shown)


class _Layer:
    """Numbers words in the order in which they are met, and passes over what stands already."""

    def __init__(self) -> None:
        self.evidence: list[NumberedQuote] = []
        self._known: dict[tuple[str, int, int], NumberedQuote] = {}
        # Whatever part of the question it is of: the same words twice tell nobody more.
        self._told: set[tuple[str, str, tuple[str, ...], tuple[NumberedQuote, ...]]] = set()

    def sentences(self, statements: Iterable[Statement]) -> tuple[CitedSentence, ...]:
        new = []
        for each in statements:
            evidence = tuple(dict.fromkeys(e for q in each.quotes if (e := self._evidence(q))))
            told = (each.text, each.problem, each.claims, evidence)
            if told not in self._told:
                new.append(CitedSentence(each, evidence))
            self._told.add(told)
        return tuple(new)

    def _evidence(self, cited: Citation) -> NumberedQuote | None:
        span = cited.quote.span
        if span is None:
            return None
        key = (cited.document, span.start, span.end)
        if key not in self._known:
            href = quote_href(cited.document, span, cited.quote.words)
            self._known[key] = NumberedQuote(len(self.evidence) + 1, cited, href)
            self.evidence.append(self._known[key])
        return self._known[key]
