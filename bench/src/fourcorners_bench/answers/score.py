"""Questions put to contracts, and their answers measured against the words that they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from fourcorners.research.answer import Answer, Verdict, Verification
from fourcorners.text.span import Span, covered_length, intersect_spans, merge_spans
from fourcorners_bench.answers.loader import KINDS, Question, RequiredPlace
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json, OnProgress, json_figures, with_progress

if TYPE_CHECKING:
    from rich.table import Table

MIN_QUOTED_SHARE = 0.75
"""Needed words are quoted when at least this share of their characters is."""


@dataclass(frozen=True, slots=True)
class AnswerMeasures:
    """What an answer to a question came to.

    `recall` is the share of the needed words' characters that statements quote (None where none are
    needed), `shown` the same with the words that gaps show as the nearest, `missed` the places of
    needed passages of which too little is quoted, `is_first` whether the first words quoted
    hold one of them, `verified` the statements with verified words, `seconds` the CPU's.
    """

    question: Question
    ruling: Verdict
    recall: float | None
    shown: float | None
    missed: tuple[int, ...]
    is_first: bool
    characters: int
    sentences: int
    verified: int
    seconds: float = 0.0

    @property
    def has_ruling(self) -> bool:
        """Tell whether the report says yes, no, or that it depends."""
        return self.ruling in (Verdict.YES, Verdict.NO, Verdict.DEPENDS)

    @property
    def is_right(self) -> bool:
        """Tell whether the ruling is one that the question of yes or no allows."""
        return self.ruling in self.question.rulings

    @property
    def is_wrong(self) -> bool:
        """Tell whether a question of yes or no is answered with another ruling."""
        return bool(self.question.rulings) and self.has_ruling and not self.is_right

    @property
    def is_absent(self) -> bool:
        """Tell whether the report says that the contract does not say it."""
        return self.ruling is Verdict.ABSENT

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.question.id,
            "kind": self.question.kind,
            "ruling": self.ruling.value,
            "recall": json_figures(self.recall),
            "shown": json_figures(self.shown),
            "missed": [self.question.needed[at].words for at in self.missed],
            "first": self.is_first,
            "characters": self.characters,
            "sentences": self.sentences,
            "verified": self.verified,
            "seconds": round(self.seconds, 2),
        }


def run_questions(
    questions: Sequence[Question],
    places: Mapping[str, tuple[RequiredPlace, ...]],
    ask: Callable[[Question], Answer],
    *,
    on_progress: OnProgress | None = None,
) -> Iterator[tuple[AnswerMeasures, Answer]]:
    """Put each question that has its places, and yield what its answer came to, with the answer."""
    import time

    asked = [each for each in questions if each.id in places]
    for question in with_progress(asked, "Asking", on_progress):
        began = time.process_time()
        answer = ask(question)
        spent = time.process_time() - began
        yield score_answer(question, places[question.id], answer, spent), answer


def score_answer(
    question: Question, places: Sequence[RequiredPlace], answer: Answer, seconds: float = 0.0
) -> AnswerMeasures:
    quoted = verified_quotes(answer)
    shares = [_share(place, quoted) for place in places]
    statements = answer.statements
    return AnswerMeasures(
        question,
        answer.answer.ruling,
        _recall(places, quoted),
        _recall(places, verified_quotes(answer, nearest=True)),
        tuple(at for at, share in enumerate(shares) if share < MIN_QUOTED_SHARE),
        _is_first(places, answer),
        sum(covered_length(spans) for spans in quoted.values()),
        len(statements),
        sum(each.standing is Verification.VERIFIED and bool(each.quotes) for each in statements),
        seconds,
    )


def verified_quotes(answer: Answer, *, nearest: bool = False) -> dict[str, list[Span]]:
    """Return the verified words of a report by their documents, each place once.

    `nearest` takes in what its gaps show as the nearest that does not answer.
    """
    cited = [each for statement in answer.statements for each in statement.quotes]
    if nearest:
        cited += [gap.nearest for gap in answer.gaps if gap.nearest is not None]
    found: dict[str, list[Span]] = {}
    for each in cited:
        if each.quote.span is not None:
            found.setdefault(each.document, []).append(each.quote.span)
    return {document: merge_spans(spans) for document, spans in found.items()}


def _is_first(places: Sequence[RequiredPlace], answer: Answer) -> bool:
    sentences = answer.answer.sentences
    cited = sentences[0].quotes[:1] if sentences else ()
    quoted = {each.document: [each.quote.span] for each in cited if each.quote.span}
    return any(_share(place, quoted) >= MIN_QUOTED_SHARE for place in places)


def _recall(places: Sequence[RequiredPlace], quoted: Mapping[str, Sequence[Span]]) -> float | None:
    length = sum(len(place.span) for place in places)
    found = sum(_share(place, quoted) * len(place.span) for place in places)
    return found / length if places else None


def _share(place: RequiredPlace, quoted: Mapping[str, Sequence[Span]]) -> float:
    return covered_length(intersect_spans([place.span], quoted.get(place.document, ()))) / len(
        place.span
    )


def answer_measures(measures: Sequence[AnswerMeasures]) -> dict[str, Json]:
    """Return the figures of a run: over all questions, and by kind."""
    kinds = [kind for kind in KINDS if any(each.question.kind == kind for each in measures)]
    return {
        **_figures(measures),
        "kinds": {
            kind: _figures([each for each in measures if each.question.kind == kind])
            for kind in kinds
        },
        "asked": [each.to_json() for each in measures],
    }


def _figures(measures: Sequence[AnswerMeasures]) -> dict[str, Json]:
    answerable = [each for each in measures if each.recall is not None]
    silent = [each for each in measures if each.recall is None]
    sentences = sum(each.sentences for each in measures)
    verified = sum(each.verified for each in measures)
    whether = [each for each in measures if each.question.rulings]
    return {
        "questions": len(measures),
        "evidence_recall": _mean([each.recall or 0.0 for each in answerable]),
        "evidence_first": _mean([float(each.is_first) for each in answerable]),
        "evidence_shown": _mean([each.shown or 0.0 for each in answerable]),
        "all_evidence": _mean([float(not each.missed) for each in answerable]),
        "characters": round(mean([each.characters for each in answerable])) if answerable else None,
        "sentences_verified": round(verified / sentences, 4) if sentences else None,
        "abstained": _mean([float(each.is_absent) for each in silent]),
        "abstained_wrongly": _mean([float(each.is_absent) for each in answerable]),
        "whether": len(whether),
        "ruled_right": sum(each.is_right for each in whether),
        "ruled_wrong": sum(each.is_wrong for each in whether),
        "seconds": round(mean([each.seconds for each in measures]), 3) if measures else None,
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(mean(values), 4) if values else None


def question_table(measures: Sequence[AnswerMeasures]) -> Table:
    heads = ("", "ruling", "recall", "shown", "missed", "chars", "verified")
    table = figure_table("By question", *heads)
    for each in measures:
        missed = f"{len(each.missed)}/{len(each.question.needed)}" if each.missed else ""
        table.add_row(
            each.question.id,
            each.ruling.value,
            "" if each.recall is None else f"{each.recall:.2f}",
            "" if each.shown is None else f"{each.shown:.2f}",
            missed,
            f"{each.characters:,}",
            f"{each.verified}/{each.sentences}",
            style="yellow" if _fails(each) else None,
        )
    return table


def _fails(measures: AnswerMeasures) -> bool:
    return not measures.is_absent if measures.question.silent else bool(measures.missed)


_EVIDENCE = {
    "questions": "asked",
    "evidence_recall": "recall",
    "evidence_first": "first",
    "evidence_shown": "shown",
    "all_evidence": "all of it",
    "characters": "chars",
    "sentences_verified": "verified",
}
_RULINGS = {
    "abstained": "silence said",
    "abstained_wrongly": "said wrongly",
    "whether": "yes or no",
    "ruled_right": "right",
    "ruled_wrong": "wrong",
    "seconds": "CPU s",
}


def kind_tables(figures: Mapping[str, Json]) -> tuple[Table, Table]:
    """Return the figures of each kind of question, and of all: of the evidence, of the rulings."""
    return (
        _by_kind("Evidence and sentences, by kind", _EVIDENCE, figures),
        _by_kind("Silence of the contract, and questions of yes or no", _RULINGS, figures),
    )


def _by_kind(title: str, heads: Mapping[str, str], figures: Mapping[str, Json]) -> Table:
    table = figure_table(title, "", *heads.values())
    kinds = figures["kinds"]
    rows = [*kinds.items(), ("all", figures)] if isinstance(kinds, Mapping) else []
    for name, row in rows:
        if isinstance(row, Mapping):
            cells = (_format_value(row[key]) for key in heads)
            table.add_row(name, *cells, style="bold" if name == "all" else None)
    return table


def _format_value(value: Json) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}"
