"""Improve the heads of the verdict reader with a firm's labelled clauses.

Each head with enough labels is corrected on top of the shipped one, and evaluated on contracts that
it did not learn from. It is kept if it is more accurate there than the shipped head, if the
interval of that gain is above zero for all heads that were tried, and if its assertions are precise
enough; else the shipped head remains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.models.verdict_reader.reader import (
    IS,
    NO_SUCH,
    SUCH,
    ClauseReading,
    Head,
    LinearModel,
    VerdictReader,
    head_odds,
    judge,
)
from fourcorners.precedents.learning.learn import assign_folds
from fourcorners.review.people.labelled_clauses import LabelledClause

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.verdict_reader.correction import HeadExample
    from fourcorners.models.verdict_reader.limits import Line

FOLDS = 5  # of contracts
FEWEST_ANSWERS, FEWEST_CONTRACTS = 20, 5  # labels of a head, for it to be corrected
SAMPLES = 10_000  # of the bootstrap
DOUBT = 0.025  # probability that any head is kept by chance
Corrections: TypeAlias = Mapping[str, LinearModel]
Progress: TypeAlias = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class HeadGain:
    """The effect of the labels on one question, on held-out contracts.

    Attributes:
        answers: Its labels, from `contracts` contracts.
        right: How many answers were right before and after.
        gain: The increase in the log-probability of the right answer, with its interval.
        asserted: How many answers were asserted before, and after by limits of other folds; for the
            question whether the words are such a provision, those of its other questions.
        asserted_right: How many of these were right.
        limit: The probability from which the corrected head asserts; None if it never does.
        is_better: Whether it is in the model.
        reason: Why not.
    """

    head: Head
    answers: int
    contracts: int
    right: tuple[int, int]
    gain: tuple[float, float, float]
    asserted: tuple[int, int] = (0, 0)
    asserted_right: tuple[int, int] = (0, 0)
    limit: float | None = None
    is_better: bool = False
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the figures for the model card and the command."""
        return {
            "question": self.head.name,
            "answers": self.answers,
            "contracts": self.contracts,
            "right": list(self.right),
            "asserted": list(self.asserted),
            "asserted_right": list(self.asserted_right),
            "gain": [round(each, 4) for each in self.gain],
            "limit": self.limit,
            "kept": self.is_better,
            "reason": self.reason or None,
        }


@dataclass(frozen=True, slots=True)
class LearnedVerdicts:
    """What was learned: the heads that are kept with their limits, and the result of each."""

    gains: tuple[HeadGain, ...]
    heads: tuple[Head, ...]
    corrections: Corrections


@dataclass(frozen=True, slots=True)
class _Case:
    own: LabelledClause
    reading: ClauseReading
    fold: int


def learn_verdicts(
    clauses: Sequence[LabelledClause],
    base: VerdictReader,
    *,
    on_progress: Progress = lambda _what, _done, _total: None,
) -> LearnedVerdicts:
    """Learn corrections of the heads that have enough labels, and keep those that help.

    Raises:
        ConfigError: If no head has enough.
    """
    folds = assign_folds([each.contract for each in clauses], FOLDS).tolist()
    cases = [
        _Case(each, base.read_clause(each.provision, each.clause), fold)
        for each, fold in zip(clauses, folds, strict=True)
    ]
    heads = [
        head for own in base.heads.values() for head in own if _teaches(_labelled(head, cases))
    ]
    if not heads:
        raise ConfigError(
            f"there is too little to learn from: no question has {FEWEST_ANSWERS} answers from "
            f"{FEWEST_CONTRACTS} contracts.",
            remedy="Confirm, correct or reject more findings, and export them again.",
        )
    by_fold: dict[int, dict[str, LinearModel]] = {fold: {} for fold in range(FOLDS)}
    done = 0
    for head in heads:
        for fold in by_fold:
            seen = [each for each in cases if each.fold != fold]
            examples = list(_examples(head, base, seen))
            if examples:
                by_fold[fold][head.name] = _correction(head, examples)
            done += 1
            on_progress("Trying", done, FOLDS * len(heads))
    gains = [_gain(head, base, cases, by_fold, len(heads)) for head in heads]
    gains = _assertions(gains, base, cases, by_fold)
    better = [each for each in gains if each.is_better]
    corrections = {
        each.head.name: _correction(each.head, list(_examples(each.head, base, cases)))
        for each in better
    }
    return LearnedVerdicts(
        tuple(gains), tuple(replace(each.head, limit=each.limit) for each in better), corrections
    )


def model_card(
    name: str, clauses: Sequence[LabelledClause], learned: LearnedVerdicts, base: VerdictReader
) -> dict[str, object]:
    """Return the card of a learned model, without its files."""
    better = [each for each in learned.gains if each.is_better]
    return {
        "name": name,
        "version": "1",
        "base": base.name,
        "description": f"What a firm's people said of clauses, on top of the shipped heads "
        f"({', '.join(each.head.name for each in better)}).",
        "licence": "the firm's own",
        "source": "corrected findings, by `fourcorners train verdicts`",
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": {
            "clauses": len(clauses),
            "contracts": len({each.contract for each in clauses}),
        },
        "scores": {
            each.head.name: {
                "right of its answers, before and after": list(each.right),
                "right of those asserted": list(each.asserted_right),
                "asserted": list(each.asserted),
            }
            for each in better
        },
        "tried": [each.as_json() for each in learned.gains],
        "limits": "Judged on contracts of the same firm that it did not learn from.",
        "learned_from": sorted({each.hash for each in clauses}),
    }


def _labelled(head: Head, cases: Iterable[_Case]) -> list[_Case]:
    return [
        each
        for each in cases
        if each.own.provision == head.provision and head.question in each.own.answers
    ]


def _teaches(labelled: Sequence[_Case]) -> bool:
    contracts = {each.own.contract for each in labelled}
    return len(labelled) >= FEWEST_ANSWERS and len(contracts) >= FEWEST_CONTRACTS


def _examples(head: Head, base: VerdictReader, cases: Iterable[_Case]) -> Iterator[HeadExample]:
    from fourcorners.models.verdict_reader.correction import HeadExample

    for each in _labelled(head, cases):
        choices, odds = head_odds(head, base.models, each.reading)
        answer = each.own.answers[head.question]
        if answer not in choices:
            continue
        rows: tuple[NDArray[np.int64], ...] = (each.reading.features.row,)
        if head.kind is not None:
            rows = tuple(each.reading.features.choices(head.kind).values())
        yield HeadExample(rows, odds, choices.index(answer))


def _correction(head: Head, examples: Sequence[HeadExample]) -> LinearModel:
    from fourcorners.models.verdict_reader.correction import learn_correction

    return learn_correction(examples, mentions=head.kind is not None)


def _gain(
    head: Head,
    base: VerdictReader,
    cases: Sequence[_Case],
    by_fold: Mapping[int, Corrections],
    tried: int,
) -> HeadGain:
    """Compare a corrected head with the shipped one, giving each contract equal weight."""
    import numpy as np

    right = [0, 0]
    contracts: dict[str, list[float]] = {}
    labelled = _labelled(head, cases)
    for each in labelled:
        answer = each.own.answers[head.question]
        chances = []
        for at, own in enumerate((None, by_fold[each.fold].get(head.name))):
            judged = _judge(head, base, each, own)
            right[at] += bool(judged) and max(judged, key=judged.__getitem__) == answer
            chances.append(np.log(max(judged.get(answer, 0.0), _LEAST)))
        contracts.setdefault(each.own.contract, []).append(chances[1] - chances[0])
    values = np.array([np.mean(own) for own in contracts.values()])
    drawn = np.random.default_rng(0).integers(0, len(values), (SAMPLES, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), (DOUBT / tried, 1 - DOUBT / tried))
    reason = ""
    if low <= 0:
        reason = "it is not surely better"
    elif right[1] < right[0]:
        reason = "fewer of its answers are right"
    return HeadGain(
        head,
        len(labelled),
        len(contracts),
        (right[0], right[1]),
        (float(values.mean()), float(low), float(high)),
        reason=reason,
    )


_LEAST = 1e-4  # probability that an answer has, however wrong it seemed


def _judge(
    head: Head, base: VerdictReader, case: _Case, correction: LinearModel | None
) -> dict[str, float]:
    if correction is None and head.kind is None and head.name not in base.models:
        return {}  # a head that never asserts is not shipped
    return dict(judge(head, base.models, case.reading, correction))


def _assertions(
    gains: Sequence[HeadGain],
    base: VerdictReader,
    cases: Sequence[_Case],
    by_fold: Mapping[int, Corrections],
) -> list[HeadGain]:
    """Return the gains with the assertions before and after, and which heads are kept."""
    from fourcorners.models.verdict_reader.limits import choose_limits, score_verdicts

    none: Mapping[int, Corrections] = {fold: {} for fold in by_fold}
    judged = [
        _gate(gain, base, cases, by_fold) if gain.head.question == IS else gain for gain in gains
    ]
    better = {each.head.name for each in judged if not each.reason}
    own = {
        fold: {name: each for name, each in held.items() if name in better}
        for fold, held in by_fold.items()
    }
    tried = [each.head for each in judged if each.head.question != IS]
    before = list(_lines(tried, base, cases, none))
    after = list(_lines([each for each in tried if each.name in better], base, cases, own))
    limits = choose_limits(after)
    scores = {f"{each.provision}.{each.question}": each for each in score_verdicts(after)}
    found = []
    for gain in judged:
        if gain.head.question == IS:
            found.append(replace(gain, limit=gain.head.limit, is_better=not gain.reason))
            continue
        asserted, right = _count(each for each in before if _name(each) == gain.head.name)
        score = scores.get(gain.head.name)
        limit = limits.get((gain.head.provision, gain.head.question))
        measured = replace(
            gain,
            asserted=(asserted, score.asserted if score else 0),
            asserted_right=(right, score.right if score else 0),
            limit=limit,
        )
        reason = gain.reason or _objection(measured)
        found.append(replace(measured, is_better=not reason, reason=reason))
    return found


def _objection(gain: HeadGain) -> str:
    """Say why the assertions of a corrected head are not good enough; empty if they are."""
    from fourcorners.models.verdict_reader.limits import PRECISION

    (_, asserted), (before, right) = gain.asserted, gain.asserted_right
    if gain.limit is None or not right:
        return "too few of its answers are sure enough to be asserted"
    if right < PRECISION * asserted:
        return f"only {right} of {asserted} asserted answers are right"
    if right < before:
        return f"{right} right answers are asserted, and {before} were"
    return ""


def _gate(
    gain: HeadGain,
    base: VerdictReader,
    cases: Sequence[_Case],
    by_fold: Mapping[int, Corrections],
) -> HeadGain:
    """Evaluate the provision head by what the shipped heads then assert."""
    held = {
        fold: {name: each for name, each in own.items() if name == gain.head.name}
        for fold, own in by_fold.items()
    }
    asking = [each for each in base.heads[gain.head.provision] if each.limit and each != gain.head]
    none: Mapping[int, Corrections] = {fold: {} for fold in by_fold}
    before, was_right = _count(_lines(asking, base, cases, none))
    after, right = _count(_lines(asking, base, cases, held))
    counted = replace(gain, asserted=(before, after), asserted_right=(was_right, right))
    if gain.reason:
        return counted
    if right < was_right or after - right >= before - was_right:
        return replace(counted, reason="with it no fewer answers are asserted wrongly")
    return counted


def _count(lines: Iterable[Line]) -> tuple[int, int]:
    """Return how many answers are asserted by the shipped limits, and how many are right."""
    asserted = [each for each in lines if each["settled"] and each["asserted"]]
    return len(asserted), sum(each["value"] == each["right"] for each in asserted)


def _name(line: Line) -> str:
    return f"{line['provision']}.{line['question']}"


def _lines(
    heads: Iterable[Head],
    base: VerdictReader,
    cases: Sequence[_Case],
    by_fold: Mapping[int, Corrections],
) -> Iterator[Line]:
    """Yield the given and the right answer for each clause of a question's provision.

    `asserted` is by the shipped limit.
    """
    for head in heads:
        is_head = next(each for each in base.heads[head.provision] if each.question == IS)
        for each in cases:
            if each.own.provision != head.provision:
                continue
            held = by_fold[each.fold]
            judged = _judge(head, base, each, held.get(head.name))
            if not judged:
                continue
            such = _judge(is_head, base, each, held.get(is_head.name))[SUCH]
            if head.name not in held:
                such = min(such, _judge(is_head, base, each, None)[SUCH])
            value = max(judged, key=judged.__getitem__)
            probability = judged[value] * such
            silent = value in head.silent
            no_such = each.own.answers.get(IS) == NO_SUCH
            yield {
                "id": each.own.id,
                "provision": head.provision,
                "question": head.question,
                "value": value,
                "probability": probability,
                "silent": silent,
                "silences": sorted(head.silent),
                "right": each.own.answers.get(head.question),
                "settled": head.question in each.own.answers or no_such,
                "asserted": not silent and head.limit is not None and probability >= head.limit,
                "fold": each.fold,
            }
