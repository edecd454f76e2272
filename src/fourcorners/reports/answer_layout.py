"""The layout of the report to a question: each sentence once, each quote under one number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fourcorners.research.answer import Answer, Citation, Role, Statement

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
    """Words of a contract, with the number that sentences name them by."""

    number: int
    cited: Citation


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A statement with its evidence; `new` is what no sentence before it has shown."""

    statement: Statement
    evidence: tuple[NumberedQuote, ...]
    new: tuple[NumberedQuote, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences under a title; it is empty for those that come first."""

    title: str
    sentences: tuple[CitedSentence, ...]


@dataclass(frozen=True, slots=True)
class AnswerLayout:
    """A report laid out; each sentence occurs in it once.

    Attributes:
        summary: Running text, as `reasoning` is: both only cite what the other parts show.
    """

    answer: tuple[CitedSentence, ...]
    conditions: tuple[CitedSentence, ...]
    readings: tuple[CitedSentence, ...]
    summary: tuple[CitedSentence, ...]
    reasoning: tuple[tuple[CitedSentence, ...], ...]
    findings: tuple[SentenceGroup, ...]
    evidence: tuple[NumberedQuote, ...]


def lay_out_answer(answer: Answer) -> AnswerLayout:
    """Lay a report out: the answer first, then what it depends on, then what else was found."""
    layer, direct = _Layer(), answer.answer
    parts = (direct.sentences, direct.conditions, direct.readings)
    first, conditions, readings = (layer.sentences(each) for each in parts)
    own = [each for each in answer.summary if each not in direct.sentences]  # older answers' were
    summary, *reasoning = (layer.cite(each) for each in (own, *answer.reasoning))
    findings = tuple(_group_findings(layer, (*answer.findings, *answer.beside)))
    return AnswerLayout(
        first, conditions, readings, summary, tuple(reasoning), findings, tuple(layer.evidence)
    )


def _group_findings(layer: _Layer, findings: Iterable[Statement]) -> Iterable[SentenceGroup]:
    titles: dict[str, list[Statement]] = {}
    parts = list(dict.fromkeys(each.part for each in findings))
    for each in findings:
        title = _TITLES.get(each.role, each.part if len(parts) > 1 else "")
        titles.setdefault(title, []).append(each)
    for title, statements in titles.items():
        if shown := layer.sentences(statements):
            yield SentenceGroup(title, shown)


class _Layer:
    """Numbers words in the order in which they are met, each once."""

    def __init__(self) -> None:
        self.evidence: list[NumberedQuote] = []
        self._shown: set[NumberedQuote] = set()
        # Whatever part of the question it is of: the same words twice tell nobody more.
        self._shown_before: set[tuple[str, str, tuple[str, ...], tuple[NumberedQuote, ...]]] = set()

    def sentences(self, statements: Iterable[Statement]) -> tuple[CitedSentence, ...]:
        """Return sentences with the words behind them, without those that were shown before.

        A bare lead ("Clause 7 says:") to words that were shown before is left out, too.
        """
        found = []
        for each in self.cite(statements):
            statement = each.statement
            content = (statement.text, statement.problem, statement.claims, each.evidence)
            new = tuple(one for one in each.evidence if one not in self._shown)
            is_bare = statement.role is Role.EVIDENCE and statement.text.endswith(":")
            if content not in self._shown_before and (new or not (is_bare and each.evidence)):
                found.append(CitedSentence(statement, each.evidence, new))
            self._shown_before.add(content)
            self._shown.update(each.evidence)
        return tuple(found)

    def cite(self, statements: Iterable[Statement]) -> tuple[CitedSentence, ...]:
        """Return sentences that name words by their numbers, and do not show them."""
        return tuple(CitedSentence(each, self._evidence(each)) for each in statements)

    def _evidence(self, statement: Statement) -> tuple[NumberedQuote, ...]:
        return tuple(dict.fromkeys(n for each in statement.quotes for n in self._number(each)))

    def _number(self, cited: Citation) -> list[NumberedQuote]:
        """Return the numbers of words: those of quotes that have all of them, or a new one."""
        span, rest, known = cited.quote.span, cited.quote.words, []
        if span is None:
            return []
        for each in self.evidence:
            place = each.cited.quote.span
            if each.cited.document == cited.document and place and place.overlaps(span):
                start, end = max(place.start - span.start, 0), place.end - span.start
                rest = f"{rest[:start]}{' ' * (min(end, len(rest)) - start)}{rest[end:]}"
                known.append(each)
        if rest.strip():
            known = [NumberedQuote(len(self.evidence) + 1, cited)]
            self.evidence += known
        return known
