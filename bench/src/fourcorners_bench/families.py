"""Families of contrasted clauses: what the reader answers, and what it would assert.

A line of the data is a family in the form of `training/lessons`: clauses, questions of yes or no
(`asks`), questions for words (`wh`) and for a party (`whose`). Each question is put to each clause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter

from fourcorners.errors import ConfigError
from fourcorners.models.reader.reader import Answer, Named, Reading
from fourcorners_bench.measures.statistics import wilson_interval
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json, OnProgress, json_figures, with_progress
from fourcorners_bench.run_files import read_answers, read_lines

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.models.reader.reader import QuestionReader

T = TypeVar("T")
EACH = "both"
OVERLAP = 0.8  # of the words that answer: twice what is shared, over both lengths in words


@dataclass(frozen=True, slots=True)
class YesOrNo:
    q: str
    a: list[Answer | None]


@dataclass(frozen=True, slots=True)
class ForWords:
    q: str
    spans: list[str | None]


@dataclass(frozen=True, slots=True)
class ForParty:
    q: str
    parties: list[str | None]


@dataclass(frozen=True, slots=True)
class Family:
    """A line of the data; other fields are left aside. None: silence, or an open dispute."""

    clauses: list[str]
    asks: list[YesOrNo]
    wh: list[ForWords] = field(default_factory=list)
    whose: list[ForParty] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AskLine:
    """What the reader answers; `scores`: the probabilities of the four answers."""

    family: int
    ask: int
    clause: int
    answer: Answer
    asserted: bool
    scores: list[float]


@dataclass(frozen=True, slots=True)
class WordsLine:
    family: int
    wh: int
    clause: int
    span: str | None


@dataclass(frozen=True, slots=True)
class PartyLine:
    family: int
    whose: int
    clause: int
    party: str | None


FamilyLine = AskLine | WordsLine | PartyLine


def load_families(path: Path, *, limit: int | None = None) -> list[Family]:
    """Return the families of a file, the first of them with a limit.

    Raises:
        ConfigError: If it cannot be read, or a question has not an answer for each clause.
    """
    found: list[Family] = read_answers(path, Family, "a family of clauses")[:limit]
    for number, family in enumerate(found, 1):
        answers: list[Sequence[object]] = [each.a for each in family.asks]
        answers += [each.spans for each in family.wh]
        answers += [each.parties for each in family.whose]
        if any(len(each) != len(family.clauses) for each in answers):
            raise ConfigError(
                f"{path}, line {number}: a question has not one answer for each clause."
            )
    return found


def read_families(
    families: Sequence[Family], reader: QuestionReader, *, on_progress: OnProgress | None = None
) -> list[FamilyLine]:
    """Return the lines of a run: the answer to each question for each clause."""
    numbered = list(enumerate(families))
    return [
        line
        for number, family in with_progress(numbered, "Reading families", on_progress)
        for at, clause in enumerate(family.clauses)
        for line in _read_clause(number, at, clause, family, reader)
    ]


def _read_clause(
    number: int, at: int, clause: str, family: Family, reader: QuestionReader
) -> Iterator[FamilyLine]:
    asked = [each.q for each in family.asks]
    asked += [each.q for each in family.wh] + [each.q for each in family.whose]
    readings = iter(reader.read(clause, asked))
    for row, _ in enumerate(family.asks):
        yield _ask_line(number, row, at, next(readings), reader)
    for row, _ in enumerate(family.wh):
        yield WordsLine(number, row, at, _words(next(readings).words, clause))
    for row, _ in enumerate(family.whose):
        yield PartyLine(number, row, at, _words(next(readings).party, clause))


def _ask_line(
    family: int, row: int, clause: int, reading: Reading, reader: QuestionReader
) -> AskLine:
    scores = [round(each, 4) for each in reading.chances]
    return AskLine(family, row, clause, reading.answer, reader.is_asserted(reading), scores)


def _words(named: Named, clause: str) -> str | None:
    if named.is_both:
        return EACH
    return named.span.text_in(clause) if named.span else None


def read_family_run(path: Path) -> list[FamilyLine]:
    parse = TypeAdapter[FamilyLine](FamilyLine).validate_python
    return read_lines(path, parse, "an answer to a question of a family")


def family_measures(
    families: Sequence[Family], run: Sequence[FamilyLine]
) -> dict[str, dict[str, Json]]:
    """Return the shares of right answers and of what is asserted, with intervals.

    Raises:
        ConfigError: If a question has no line in the run.
    """
    asks = {(e.family, e.ask, e.clause): e for e in run if isinstance(e, AskLine)}
    words = {(e.family, e.wh, e.clause): e.span for e in run if isinstance(e, WordsLine)}
    parties = {(e.family, e.whose, e.clause): e.party for e in run if isinstance(e, PartyLine)}
    right = _by_place([[each.a for each in family.asks] for family in families])
    right = {key: answer for key, answer in right.items() if answer is not None}
    spans = _by_place([[each.spans for each in family.wh] for family in families])
    whose = _by_place([[each.parties for each in family.whose] for family in families])
    sides = (right, asks, "ask"), (spans, words, "wh"), (whose, parties, "whose")
    for wanted, given, kind in sides:
        if missing := sorted(wanted.keys() - given.keys()):
            raise ConfigError(f"the run lacks {len(missing)} answers, first {kind} {missing[0]}.")
    answered = [(answer, asks[key]) for key, answer in right.items()]
    asserted = [answer == line.answer for answer, line in answered if line.asserted]
    decided = sum(answer in (Answer.YES, Answer.NO) for answer, _ in answered)
    measures = {"right": _share([answer == line.answer for answer, line in answered])}
    for answer in Answer:
        own = [line.answer == answer for given, line in answered if given == answer]
        measures[f"right where {answer}"] = _share(own)
    return measures | {
        "right of what is asserted": _share(asserted),
        "yes and no asserted rightly": _share(asserted.count(True) * [True], decided),
        "words": _share([is_same(each, words[key]) for key, each in spans.items()]),
        "party": _share([is_same(each, parties[key]) for key, each in whose.items()]),
    }


def _by_place(answers: Sequence[Sequence[Sequence[T]]]) -> dict[tuple[int, int, int], T]:
    """Return answers by the numbers of family, question and clause."""
    return {
        (family, row, clause): answer
        for family, asked in enumerate(answers)
        for row, own in enumerate(asked)
        for clause, answer in enumerate(own)
    }


def is_same(right: str | None, found: str | None) -> bool:
    """Tell whether words overlap by at least `OVERLAP`, articles aside, or both are silent."""
    if right is None or found is None:
        return right is found
    one, other = (_fold_words(each) for each in (right, found))
    shared = sum(min(one.count(word), other.count(word)) for word in set(one))
    return 2 * shared / max(1, len(one) + len(other)) >= OVERLAP


def _fold_words(words: str) -> list[str]:
    return [each for each in words.casefold().split() if each not in ("the", "a", "an")]


def _share(right: Sequence[bool], of: int | None = None) -> dict[str, Json]:
    count, total = sum(right), len(right) if of is None else of
    return {
        "questions": total,
        "share": json_figures(count / total) if total else None,
        "interval": json_figures(wilson_interval(count, total)) if total else None,
    }


def family_table(measures: Mapping[str, Mapping[str, Json]]) -> Table:
    """Return the figures, a row each."""
    table = figure_table("Families of contrasted clauses", "What", "questions", "share", "interval")
    for name, own in measures.items():
        interval = own["interval"]
        shown = "{:.3f} – {:.3f}".format(*interval) if isinstance(interval, list) else ""
        table.add_row(name, f"{own['questions']}", f"{own['share']}", shown)
    return table
