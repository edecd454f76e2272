"""A language model is asked what contracts say of hypotheses, in the settings of PAKTON's paper.

Every hypothesis of every document is one question, several times over (tries). What a model gives
as the contract's words is aligned with the contract; words that are not there are no evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from fourcorners.errors import BudgetExceeded, ConfigError
from fourcorners.llm import Port, PromptRequest, QuotedText
from fourcorners.llm.prompt import Value
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.entailment.verdict import LABELS, Label
from fourcorners.text import evidence
from fourcorners.text.span import Span
from fourcorners_bench.answers.run_files import Report
from fourcorners_bench.entailment.exemplars import Exemplar, ExemplarSet, evidence_words
from fourcorners_bench.entailment.loader import AnnotatedDocument, JudgedHypothesis, Quote, Split
from fourcorners_bench.experiments.read import Run, read_experiment
from fourcorners_bench.prompts.load import load_prompt
from fourcorners_bench.record import OnProgress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = 1_000
"""Characters of a chunk of plain retrieval (appendix F.2)."""
CHUNKS = 10
"""How many of them are given (appendix G.6)."""
LabelWord = Literal["entailment", "contradiction", "not mentioned"]
LABEL_WORDS: Mapping[Label, LabelWord] = {
    Label.ENTAILMENT: "entailment",
    Label.CONTRADICTION: "contradiction",
    Label.NOT_MENTIONED: "not mentioned",
}
_LABEL = {word: label for label, word in LABEL_WORDS.items()}


class Examples(StrEnum):
    """Which solved examples a prompt shows."""

    NONE = "none"
    WHOLE = "whole contracts"
    SPANS = "spans"
    SAME = "spans of the same hypothesis"
    RETRIEVED = "the nearest spans of each label"


class Premise(StrEnum):
    """What of the contract the model is given; the prompt states the value."""

    WHOLE = "the whole of it"
    PASSAGES = "the passages that a search found"
    GOLD = "the words that bear on the hypothesis, and perhaps others"
    REPORT = "a report"


SEARCHED = (Premise.PASSAGES, Premise.REPORT)
"""What can be reported on."""


class Setting(Run):
    """One way to ask.

    Attributes:
        methods: How the paper's tables call it; their figures are shown, too.
        naive: Whether the labels are left unexplained and no words are asked for.
        reasons: Whether examples and answer go step by step.
    """

    methods: tuple[str, ...] = ()
    premise: Premise = Premise.WHOLE
    examples: Examples = Examples.NONE
    naive: bool = False
    reasons: bool = False

    @property
    def needs_examples(self) -> bool:
        return self.examples is not Examples.NONE

    @property
    def needs_encoder(self) -> bool:
        return self.premise in SEARCHED or self.examples is Examples.RETRIEVED


def read_settings(named: str) -> list[Setting]:
    """Return the settings of an experiment; `paper` has all of the paper's."""
    return read_experiment("entailment", named, Setting)


class LabelAnswer(BaseModel):
    """A label alone."""

    label: LabelWord


class EvidenceAnswer(BaseModel):
    """A label, with the words that decide it."""

    reasoning: str = ""
    quotes: list[str] = Field(default_factory=list)
    label: LabelWord


@dataclass(frozen=True, slots=True)
class Attempt:
    """The answers of one try.

    Attributes:
        failed: Questions without an answer; they count as not mentioned.
        invented: Quotes that are not in the contract.
        reports: What the agents reported before each label.
    """

    answers: tuple[JudgedHypothesis, ...] = field(repr=False)
    failed: int = 0
    invented: int = 0
    reports: tuple[Report, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class PromptedQuestion:
    document: AnnotatedDocument
    key: str
    hypothesis: str


def split_questions(split: Split) -> list[PromptedQuestion]:
    return [
        PromptedQuestion(document, key, split.hypotheses[key])
        for document in split.documents
        for key in document.truths
    ]


def run_attempt(
    split: Split,
    setting: Setting,
    port: Port,
    exemplars: ExemplarSet,
    *,
    number: int = 0,
    encoder: Encoder | None = None,
    on_progress: OnProgress | None = None,
) -> Attempt:
    """Ask every question of a split once.

    `number` says which try it is: examples are drawn again, and a server's seed is another. The
    encoder finds passages and examples; a setting says whether it `needs_encoder`.

    Raises:
        BudgetExceeded: When the budget has ended; answers so far are kept where the port keeps any.
        ConfigError: If no model is configured, or there are too few examples.
    """
    if setting.needs_encoder and encoder is None:
        raise ConfigError(f"{setting.name} needs an encoder.")
    asked = split_questions(split)
    passages = ChunkRetriever(encoder) if setting.premise is Premise.PASSAGES else None
    found: list[JudgedHypothesis | None] = [None] * len(asked)
    failed = invented = 0
    show = partial(_examples, setting, exemplars, number, encoder)
    asks = (_ask(each, setting, show(each), number, passages) for each in asked)
    for done, outcome in enumerate(port.ask_many(asks), start=1):
        if isinstance(outcome.error, BudgetExceeded):
            raise outcome.error
        one = asked[outcome.index]
        claim = outcome.reply.value if outcome.reply is not None else None
        failed += claim is None
        found[outcome.index], wrong = judge_answer(one, claim)
        invented += wrong
        if on_progress:
            on_progress(f"{setting.name}, try {number + 1}", done, len(asked))
    return Attempt(tuple(each for each in found if each is not None), failed, invented)


def judge_answer(asked: PromptedQuestion, reply: BaseModel | None) -> tuple[JudgedHypothesis, int]:
    """Return the judgement of an answer, and how many of its quotes are not in the contract."""
    label = Label.NOT_MENTIONED
    quotes: list[Quote] = []
    invented = 0
    if isinstance(reply, LabelAnswer | EvidenceAnswer):
        label = _LABEL[reply.label]
    for words in reply.quotes if isinstance(reply, EvidenceAnswer) else ():
        span = evidence.align_quote(words, asked.document.text).span
        invented += span is None
        if span is not None:
            quotes.append(Quote(span, 1.0 / (len(quotes) + 1)))
    entailed, contradicted, neither = (float(each is label) for each in LABELS)
    return (
        JudgedHypothesis(
            asked.document.id, asked.key, label, (entailed, contradicted, neither), tuple(quotes)
        ),
        invented,
    )


def _ask(
    asked: PromptedQuestion,
    setting: Setting,
    shown: Sequence[Exemplar],
    number: int,
    passages: ChunkRetriever | None,
) -> PromptRequest[BaseModel]:
    premise: Sequence[Value] = [
        QuotedText(text, "contract" if setting.premise is Premise.WHOLE else f"passage {at}")
        for at, text in enumerate(_premise(asked, setting, passages), start=1)
    ]
    values: dict[str, Value] = {"hypothesis": asked.hypothesis, "premise": premise}
    tag = f"{asked.document.id} {asked.key}"
    if setting.naive:
        return PromptRequest(load_prompt("nli_naive"), values, LabelAnswer, sample=number, tag=tag)
    values |= {
        "kind": setting.premise.value,
        "exemplars": example_values(shown, whole=setting.examples is Examples.WHOLE),
        "reasons": setting.reasons,
    }
    return PromptRequest(load_prompt("nli"), values, EvidenceAnswer, sample=number, tag=tag)


def _examples(
    setting: Setting,
    exemplars: ExemplarSet,
    number: int,
    encoder: Encoder | None,
    asked: PromptedQuestion,
) -> list[Exemplar]:
    if not setting.needs_examples:
        return []
    if setting.examples is Examples.RETRIEVED and encoder is not None:
        return exemplars.retrieve(asked.document, asked.hypothesis, asked.hypothesis, encoder)
    return exemplars.draw(
        asked.document,
        asked.hypothesis,
        attempt=number,
        same=setting.examples is Examples.SAME,
        whole=setting.examples is Examples.WHOLE,
    )


def example_values(exemplars: Sequence[Exemplar], *, whole: bool = False) -> list[Value]:
    """Return examples as prompts take them: their contracts' words as data."""
    return [
        {
            "premise": QuotedText(
                each.contract if whole else each.words, f"another contract, example {number}"
            ),
            "hypothesis": each.hypothesis,
            "label": LABEL_WORDS[each.label],
        }
        for number, each in enumerate(exemplars, start=1)
    ]


def _premise(
    asked: PromptedQuestion, setting: Setting, passages: ChunkRetriever | None
) -> Iterator[str]:
    if setting.premise is Premise.GOLD:
        yield evidence_words(asked.document, asked.key)
    elif passages is not None:
        for span in passages.nearest_chunks(asked.document, asked.hypothesis):
            yield span.text_in(asked.document.text)
    else:
        yield asked.document.text


class ChunkRetriever:
    """Plain retrieval: chunks of a fixed length, and those whose vectors are nearest."""

    def __init__(self, encoder: Encoder | None) -> None:
        if encoder is None:
            raise ValueError("plain retrieval needs an encoder")
        self._encoder = encoder
        self._last: tuple[int, list[Span], NDArray[np.float32]] | None = None

    def nearest_chunks(self, document: AnnotatedDocument, hypothesis: str) -> list[Span]:
        """Return the nearest chunks of a document, in its order."""
        chunks, vectors = self._chunks(document)
        scores = vectors @ self._encoder.encode([hypothesis])[0]
        best = sorted(range(len(chunks)), key=lambda at: (-float(scores[at]), at))[:CHUNKS]
        return [chunks[at] for at in sorted(best)]

    def _chunks(self, document: AnnotatedDocument) -> tuple[list[Span], NDArray[np.float32]]:
        """Return the chunks of a document with their vectors; those of the last are kept."""
        if self._last is None or self._last[0] != document.id:
            length = len(document.text)
            chunks = [Span(start, min(start + CHUNK, length)) for start in range(0, length, CHUNK)]
            vectors = self._encoder.encode([span.text_in(document.text) for span in chunks])
            self._last = (document.id, chunks, vectors)
        return self._last[1], self._last[2]
