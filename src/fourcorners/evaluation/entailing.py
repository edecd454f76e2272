"""The entailment benchmark, run: every hypothesis is put to every document."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from fourcorners.errors import ConfigError
from fourcorners.evaluation.entailment import Annotated, Judged, Quote, Split
from fourcorners.models.entailment_verdict import Label, Verdict
from fourcorners.search.stems import FRAME, IDLE, stemmed, stems
from fourcorners.text.span import Span
from fourcorners.text.words import words

_FEWEST = 0.55  # of a hypothesis's words by rarity, for a span to speak of it
_DENIALS = frozenset(("not", "no", "nor", "neither", "never", "without"))


class Profile(StrEnum):
    """A named way to answer."""

    WORDS = "words"


class Judge(Protocol):
    """Says what each hypothesis is to a document; spans are what may be evidence, in order."""

    def judge(
        self, text: str, spans: Sequence[Span], hypotheses: Sequence[str]
    ) -> Sequence[Verdict]:
        """Return a verdict for each hypothesis."""
        ...


def profile(name: str) -> Profile:
    """Return a profile by name.

    Raises:
        ConfigError: If there is none of that name.
    """
    try:
        return Profile(name)
    except ValueError:
        raise ConfigError(
            f"there is no profile {name!r}.", remedy=f"There are: {', '.join(Profile)}."
        ) from None


def judge_of(how: Profile) -> Judge:  # noqa: ARG001
    """Return what answers in a profile."""
    return WordJudge()


@dataclass(frozen=True, slots=True)
class WordJudge:
    """Answers by the words that a span shares with a hypothesis: the floor to compare with.

    A span that holds enough of them is evidence: for the hypothesis if both deny or neither does,
    else against it.
    """

    def judge(
        self, text: str, spans: Sequence[Span], hypotheses: Sequence[str]
    ) -> Sequence[Verdict]:
        """Return a verdict for each hypothesis."""
        held = [frozenset(stems(span.of(text))) for span in spans]
        denied = [_denies(span.of(text)) for span in spans]
        return [self._one(held, denied, hypothesis) for hypothesis in hypotheses]

    def _one(
        self, held: Sequence[frozenset[str]], denied: Sequence[bool], hypothesis: str
    ) -> Verdict:
        untold = frozenset(stemmed(sorted(FRAME | IDLE)))
        wanted = sorted(frozenset(stems(hypothesis)) - untold)
        rarity = {
            stem: math.log1p(len(held) / (0.5 + sum(stem in each for each in held)))
            for stem in wanted
        }
        most = sum(rarity.values()) or 1.0
        shares = [sum(rarity[stem] for stem in wanted if stem in each) / most for each in held]
        ranked = sorted(enumerate(shares), key=lambda one: -one[1])
        share = ranked[0][1] if ranked else 0.0
        mentioned = share >= _FEWEST
        against = mentioned and denied[ranked[0][0]] != _denies(hypothesis)
        speaks = Label.CONTRADICTION if against else Label.ENTAILMENT
        scores = (0.0, share, 1 - share) if against else (share, 0.0, 1 - share)
        return Verdict(speaks if mentioned else Label.NOT_MENTIONED, scores, tuple(ranked))


def _denies(text: str) -> bool:
    return not _DENIALS.isdisjoint(words(text).tokens)


def run(
    split: Split,
    judge: Judge,
    *,
    on_progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> list[Judged]:
    """Answer every hypothesis for every document; annotations are never looked at."""
    answers = []
    for done, document in enumerate(split.documents, start=1):
        answers.extend(answer(document, split.hypotheses, judge))
        on_progress("Judging", done, len(split.documents))
    return answers


def answer(document: Annotated, hypotheses: Mapping[str, str], judge: Judge) -> list[Judged]:
    """Answer hypotheses, by their keys, for a document."""
    spans = document.spans
    verdicts = judge.judge(document.text, spans, list(hypotheses.values()))
    return [
        Judged(
            document.id,
            key,
            verdict.label,
            verdict.scores,
            tuple(Quote(spans[at], score) for at, score in verdict.evidence if len(spans[at])),
        )
        for key, verdict in zip(hypotheses, verdicts, strict=True)
    ]
