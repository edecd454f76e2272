"""The entailment benchmark, run: every hypothesis is put to every document."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from fourcorners.models.entailment.model import EntailmentModel, document_digest
from fourcorners.models.entailment.model import load_entailment as load_model
from fourcorners.models.entailment.spans import split_items
from fourcorners.models.entailment.verdict import Label, Verdict
from fourcorners.outline.build import build_outline
from fourcorners.outline.passages.cut import cut_passages, cut_units
from fourcorners.playbooks.load import load_playbook as load_playbook
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.review.risk.rules import rule_guide
from fourcorners.text.span import Span
from fourcorners.text.stems import FRAME, IDLE, stem_tokens, stems
from fourcorners.text.tokenization import tokenize
from fourcorners_bench.entailment.loader import AnnotatedDocument, JudgedHypothesis, Quote, Split
from fourcorners_bench.entailment.score import MAX_CHARACTERS
from fourcorners_bench.outline.references import text_document
from fourcorners_bench.record import Json, OnProgress, with_progress

PLAYBOOK = "nda-review"
_FEWEST = 0.55  # of a hypothesis's words by rarity, for a span to speak of it
MIN_EXCERPT = 40
"""Characters of the beginning of a sentence that are worth reading."""
_WORDS_END = re.compile(r"\s+")
_CLAUSE_ENDS = re.compile(r"[;:,.)](?=\s)")
_MIN_EXCERPT_SHARE = (
    0.95  # of the room, from which the end of a clause is better than that of a word
)
_DENIALS = frozenset(("not", "no", "nor", "neither", "never", "without"))


class Profile(StrEnum):
    """A named way to answer."""

    DEFAULT = "default"
    SENTENCES = "sentences"
    UNSEEN = "unseen"
    ALONE = "alone"
    WORDS = "words"


class Judge(Protocol):
    """Says what each hypothesis is to a document; spans are what may be evidence, in order."""

    def judge(
        self, text: str, spans: Sequence[Span], hypotheses: Sequence[str]
    ) -> Sequence[Verdict]: ...


def judge_for(how: Profile) -> Judge:
    """Return what answers in a profile.

    Raises:
        ModelError: If a file of the model is missing or damaged.
    """
    if how is Profile.WORDS:
        return WordJudge()
    model = load_model()
    if how is Profile.UNSEEN:
        return GuidedJudge(replace(model, hypotheses=()), rule_provisions(load_playbook(PLAYBOOK)))
    return replace(model, hypotheses=()) if how is Profile.ALONE else model


def rule_provisions(playbook: Playbook) -> dict[str, Provision]:
    return {rule.statement: each for each in playbook.provisions for rule in each.rules}


@dataclass(frozen=True, slots=True)
class GuidedJudge:
    """Answers as a review does: what the provision of a rule tells guides the model."""

    model: EntailmentModel
    provisions: Mapping[str, Provision]

    def judge(
        self, text: str, spans: Sequence[Span], hypotheses: Sequence[str]
    ) -> Sequence[Verdict]:
        texts = [span.text_in(text) for span in spans]
        matches = [self.provisions.get(hypothesis) for hypothesis in hypotheses]
        guides = [rule_guide(each, texts) if each else None for each in matches]
        return self.model.judge(text, spans, hypotheses, guides)


@dataclass(frozen=True, slots=True)
class WordJudge:
    """Answers by the words that a span shares with a hypothesis: the floor to compare with.

    A span that holds enough of them is evidence: for the hypothesis if both deny or neither does,
    else against it.
    """

    def judge(
        self, text: str, spans: Sequence[Span], hypotheses: Sequence[str]
    ) -> Sequence[Verdict]:
        held = [frozenset(stems(span.text_in(text))) for span in spans]
        denied = [_denies(span.text_in(text)) for span in spans]
        return [self._one(held, denied, hypothesis) for hypothesis in hypotheses]

    def _one(
        self, held: Sequence[frozenset[str]], denied: Sequence[bool], hypothesis: str
    ) -> Verdict:
        untold = frozenset(stem_tokens(sorted(FRAME | IDLE)))
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
    return not _DENIALS.isdisjoint(tokenize(text).tokens)


def run_entailment(
    split: Split, judge: Judge, *, given: bool = True, on_progress: OnProgress | None = None
) -> list[JudgedHypothesis]:
    """Answer every hypothesis for every document; annotations are never looked at.

    With `given`, evidence is sought among the spans that the data set hands over, as its task
    has it; else among the sentences of the program.
    """
    answers = []
    for document in with_progress(split.documents, "Judging", on_progress):
        spans = document.spans if given else review_spans(document.text)
        answers.extend(answer_document(document, spans, split.hypotheses, judge))
    return answers


def review_spans(text: str) -> list[Span]:
    """Return what a review puts rules to: sentences, cut where a clause or an item ends."""
    document = text_document("", text)
    found = cut_passages(document, build_outline(document))
    units = cut_units(text, sorted(found, key=lambda each: each.span))
    return split_items(text, [unit.span for unit in units])


def answer_document(
    document: AnnotatedDocument, spans: Sequence[Span], hypotheses: Mapping[str, str], judge: Judge
) -> list[JudgedHypothesis]:
    """Answer hypotheses, by their keys, for a document.

    Quotes are whole spans. Of the first that is too long for a reader of so many characters the
    beginning is a quote, too, before the whole: it is what such a reader sees of it.
    """
    verdicts = judge.judge(document.text, spans, list(hypotheses.values()))
    return [
        JudgedHypothesis(
            document.id,
            key,
            verdict.label,
            verdict.scores,
            tuple(_quotes(document, spans, verdict)),
        )
        for key, verdict in zip(hypotheses, verdicts, strict=True)
    ]


def _quotes(
    document: AnnotatedDocument, spans: Sequence[Span], verdict: Verdict
) -> Iterator[Quote]:
    ranked = [(spans[at], score) for at, score in verdict.evidence if len(spans[at])]
    seen = excerpts(document.text, [span for span, _ in ranked], MAX_CHARACTERS)
    for place, (span, score) in enumerate(ranked):
        if place < len(seen) and seen[place] != span:
            yield Quote(seen[place], score)
        yield Quote(span, score)


def excerpts(text: str, ranked: Iterable[Span], room: int) -> list[Span]:
    """Return the best spans that fit in `room` characters, and the start of the next one."""
    shown: list[Span] = []
    for span in ranked:
        if len(span) > room:
            begins = excerpt_start(text, span, room)
            return [*shown, begins] if begins else shown
        shown.append(span)
        room -= len(span)
    return shown


def excerpt_start(text: str, span: Span, room: int) -> Span | None:
    """Return so much of a span as fits, to the end of a word; None if that says nothing."""
    words = Span(span.start, min(span.end, span.start + room)).text_in(text)
    if len(words) == len(span):
        return span
    ends = [each.start() for each in _WORDS_END.finditer(words)]
    clauses = [each.end() for each in _CLAUSE_ENDS.finditer(words)]
    end = max(
        (each for each in clauses if each >= _MIN_EXCERPT_SHARE * room),
        default=max(ends, default=0),
    )
    return Span(span.start, span.start + end) if end >= MIN_EXCERPT else None


def model_names(judge: Judge) -> dict[str, Json]:
    model = _model_of(judge)
    if model is None:
        return {"entailment": None, "encoder": None}
    return {"entailment": model.info.identity, "encoder": model.encoder.name}


def _model_of(judge: Judge) -> EntailmentModel | None:
    if isinstance(judge, GuidedJudge):
        return judge.model
    return judge if isinstance(judge, EntailmentModel) else None


def trained_documents(judge: Judge, split: Split) -> list[str]:
    model = _model_of(judge)
    if model is None:
        return []
    learned = model.learned_from()
    return [each.name for each in split.documents if document_digest(each.text) in learned]


def run_notes(judge: Judge, split: Split) -> list[str]:
    """Return what must be known to read the figures."""
    known = trained_documents(judge, split)
    if not known:
        return []
    count = f"{len(known)} of the {len(split.documents)} documents"
    warning = f"The model has learned from {count}: these figures are not out of fold."
    return [f"{warning} Its card has those that are."]
