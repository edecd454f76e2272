"""The law firm's axes: how a language model is asked, beyond what a user of the program chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field

from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.library.contract import Contract
from fourcorners.llm import Port, Prompt
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.review.prompting.dialogue import Dialogue, merge_quotes, run_together
from fourcorners.review.prompting.extraction import CellPrompt, ExtractionResult
from fourcorners.review.prompting.passages import PromptPassage, name_passages
from fourcorners.review.prompting.reviewer import ContractPrompts, ModelReviewer
from fourcorners.review.prompting.settings import PromptProfile, PromptSettings
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span, covered_length, intersect_spans
from fourcorners_bench.experiments.read import Run
from fourcorners_bench.prompts.load import load_prompt, reword_prompt
from fourcorners_bench.record import Json, package_text

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

T = TypeVar("T")
MAX_DEFINITIONS = 6  # of terms that a model is shown
MAX_SAMPLES = 15  # answers to choose the best of
_PROMPTS = {PromptProfile.PAPER: "extract", PromptProfile.CLAUSES: "weigh"}


class PassageOrder(StrEnum):
    """In which order passages are given."""

    SCORE = "score"
    DOCUMENT = "document"
    DEFINITIONS = "definitions-first"  # of the terms used in the passages; then as the document


class SystemPrompt(StrEnum):
    """How much the system's message says."""

    SHORT = "short"
    LONG = "long"


class FollowUp(StrEnum):
    """What the model is asked once it has answered."""

    NONE = "none"
    NEUTRAL = "neutral"
    ACCUSING = "accusing"


class Experiment(Run):
    """One configuration, by default the law firm's best.

    Attributes:
        paper: The rows of the paper's appendix that it is compared with.
        chunks: The fewest and most chunks of the contracts that are asked; None for all contracts.
        local: Whether the local reader extracts, and no model is asked.
        passages: How many are given; None for the whole document in one piece.
        keywords: Whether the playbook's words are named as worth a close look.
        emotive: Whether the prompt says how much depends on it.
        best_of: Answers to each question; what most of them quote counts. The model needs a
            temperature above 0, or a server that heeds the seed.
        hypothetical: Whether a clause that the model drafts joins the search by meaning.
    """

    paper: tuple[str, ...] = ()
    chunks: tuple[int, int] | None = None
    local: bool = False
    profile: PromptProfile = PromptProfile.PAPER
    passages: Annotated[int, Field(ge=1)] | None = 10
    order: PassageOrder = PassageOrder.DOCUMENT
    system: SystemPrompt = SystemPrompt.LONG
    keywords: bool = True
    follow_up: FollowUp = FollowUp.ACCUSING
    emotive: bool = False
    best_of: Annotated[int, Field(ge=1, le=MAX_SAMPLES)] = 1
    hypothetical: bool = False

    @property
    def asking(self) -> PromptSettings:
        follows = self.follow_up is not FollowUp.NONE
        return PromptSettings(self.profile, self.passages, self.keywords, follows, risks=False)

    @property
    def settings(self) -> dict[str, Json]:
        held = self.model_dump(mode="json", exclude={"name", "paper", "chunks", "local"})
        return dict(sorted({**held, "risks": False}.items()))

    @property
    def description(self) -> str:
        size = "whole document" if self.passages is None else f"{self.passages} passages"
        parts = [f"profile {self.profile}", size, f"order {self.order}", f"{self.system} system"]
        parts += ["keywords"] if self.keywords else []
        parts += [f"{self.follow_up} follow-up"] if self.asking.follow_up else []
        parts += ["emotive"] if self.emotive else []
        parts += [f"best of {self.best_of}"] if self.best_of > 1 else []
        parts += ["hypothetical clause"] if self.hypothetical else []
        return ", ".join(parts)

    def reworded_prompts(self, port: Port) -> dict[str, Prompt]:
        """Return the prompts in the experiment's own words."""
        name = _PROMPTS[self.profile]
        system = _wordings()["short_system"][name] if self.system is SystemPrompt.SHORT else ""
        ending = _wordings()["emotive"] if self.emotive else ""
        found = {}
        if system or ending:
            found[name] = reword_prompt(port.load_prompt(name), system=system, ending=ending)
        if self.follow_up is FollowUp.NEUTRAL:
            found["follow_up"] = load_prompt("follow_up")
        return found


@cache
def _wordings() -> Any:  # noqa: ANN401 - the system's words by prompt, and the emotive ones
    from fourcorners.text.patterns import load_yaml

    return load_yaml(package_text("prompts/wordings.yaml"))


class ExperimentReviewer(ModelReviewer):
    """Fills cells as an experiment has it.

    Raises:
        ConfigError: If a hypothetical clause is wanted, and there is no encoder for it.
    """

    def __init__(
        self, port: Port, playbook: Playbook, experiment: Experiment, *, encoder: Encoder | None
    ) -> None:
        own = port.with_prompts(experiment.reworded_prompts(port))
        super().__init__(own, playbook, experiment.asking, encoder=encoder)
        self.experiment = experiment
        if experiment.hypothetical and encoder is None:
            raise ConfigError(
                "a hypothetical clause is compared by meaning, and there is no encoder.",
                remedy="Leave out --profile words, or `hypothetical` of the experiment.",
            )

    def example_texts(self, provision: Provision) -> list[str]:
        texts = super().example_texts(provision)
        if self.experiment.hypothetical:
            values = {"provision": provision.name, "definition": provision.definition}
            asked = self.port.ask(load_prompt("hypothetical"), values, tag=provision.id)
            texts.append(asked.value)
        return texts

    def order_passages(self, ready: ContractPrompts, ranked: Sequence[Span]) -> list[PromptPassage]:
        order = self.experiment.order
        if order is PassageOrder.SCORE and self.asking.passages is not None:
            return name_passages(ready.reading, ranked)
        given = super().order_passages(ready, ranked)
        if order is not PassageOrder.DEFINITIONS or self.asking.passages is None:
            return given
        return [*_definitions(ready.reading, [each.span for each in given]), *given]

    def extract(self, cell: CellPrompt) -> Dialogue[ExtractionResult]:
        if self.experiment.best_of == 1:
            return (yield from super().extract(cell))
        dialogues = [ModelReviewer.extract(self, cell) for _ in range(self.experiment.best_of)]
        drawn: list[ExtractionResult] = []
        for each in (yield from run_together([_sampled(*one) for one in enumerate(dialogues)])):
            if isinstance(each, FourcornersError):
                raise each
            drawn.append(each)
        claims = [claim for each in drawn for claim in dict.fromkeys(each.claims)]
        return ExtractionResult(
            majority_quotes([each.quotes for each in drawn], cell.text),
            tuple(each for each in dict.fromkeys(claims) if 2 * claims.count(each) > len(drawn)),
        )


def _sampled(number: int, dialogue: Dialogue[T]) -> Dialogue[T]:
    """Hold a dialogue in which each answer is a separate sample, by its number."""
    try:
        questions = next(dialogue)
        while True:
            outcomes = yield [replace(each, sample=number) for each in questions]
            questions = dialogue.send(outcomes)
    except StopIteration as end:
        ended: T = end.value
        return ended


def majority_quotes(samples: Sequence[Sequence[Quote]], text: str) -> tuple[Quote, ...]:
    """Return what more than half of several answers quote.

    An answer has a quote if it covers three quarters of its characters.
    """
    spans = [[quote.span for quote in sample if quote.span] for sample in samples]
    shared = []
    for quote in dict.fromkeys(quote for sample in samples for quote in sample):
        if quote.span is None:
            continue
        having = sum(
            4 * covered_length(intersect_spans([quote.span], own)) >= 3 * len(quote.span)
            for own in spans
        )
        if 2 * having > len(samples):
            shared.append(quote)
    return merge_quotes(shared, text)


def _definitions(linked: Contract, spans: Sequence[Span]) -> list[PromptPassage]:
    """Return the definitions of the rarest terms that the passages use and do not define."""
    used = {
        term.term: (times, linked.definition(term))
        for span in spans
        for term, times in linked.uses(span.text_in(linked.text))
    }
    rarest = sorted(used.items(), key=lambda each: (each[1][0], each[1][1]))
    outside = [
        definition
        for _, (_, definition) in rarest
        if definition and not any(span.overlaps(definition) for span in spans)
    ]
    chosen = list(dict.fromkeys(outside))[:MAX_DEFINITIONS]
    return [PromptPassage(span, f"definition {at}") for at, span in enumerate(chosen, start=1)]
