"""Run many dialogues with a language model at once; each yields its next question until it ends.

A dialogue is a generator that yields questions and receives their outcomes; so a follow-up question
is written after the answer that it needs, and the port can still process many questions at a time.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar, cast

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from fourcorners.errors import FourcornersError
from fourcorners.llm import Outcome, Port, PromptRequest, Reply
from fourcorners.text import evidence
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
Question: TypeAlias = PromptRequest[BaseModel]
Dialogue: TypeAlias = Generator[list[Question], list[Outcome[BaseModel]], T]


def run_dialogue(port: Port, dialogue: Dialogue[T]) -> T:
    """Ask the questions of a dialogue until it ends, and return its result."""
    try:
        asks = next(dialogue)
        while True:
            outcomes = sorted(port.ask_many(asks), key=lambda outcome: outcome.index)
            asks = dialogue.send(outcomes)
    except StopIteration as end:
        return cast("T", end.value)


def run_together(dialogues: Sequence[Dialogue[T]]) -> Dialogue[list[T | FourcornersError]]:
    """Run several dialogues concurrently; an error affects only the dialogue that raised it."""
    ended: dict[int, T | FourcornersError] = {}
    waiting: dict[int, list[Question]] = {}

    def step(at: int, outcomes: list[Outcome[BaseModel]] | None) -> None:
        dialogue = dialogues[at]
        try:
            waiting[at] = next(dialogue) if outcomes is None else dialogue.send(outcomes)
        except StopIteration as end:
            ended[at] = cast("T", end.value)
        except FourcornersError as error:
            ended[at] = error

    for at in range(len(dialogues)):
        step(at, None)
    while waiting:
        asked = dict(waiting)
        waiting.clear()
        outcomes = yield [ask for asks in asked.values() for ask in asks]
        for at, asks in asked.items():
            step(at, outcomes[: len(asks)])
            outcomes = outcomes[len(asks) :]
    return [ended[at] for at in range(len(dialogues))]


def ask_question(question: Question, answer: type[M]) -> Dialogue[tuple[M, Reply[BaseModel]]]:
    """Ask one question; return the answer with the reply that a further question may follow.

    Raises:
        FourcornersError: If there is no usable answer.
    """
    (outcome,) = yield [question]
    if outcome.error is not None:
        raise outcome.error
    if outcome.reply is None or not isinstance(outcome.reply.value, answer):
        raise TypeError(f"an answer of the form {answer.__name__} was asked for")
    return outcome.reply.value, outcome.reply


class Passage(BaseModel):
    """Words that are said to stand in the contract."""  # of the schema that a model is sent

    where: str = Field(default="", description="the number of the clause, as the contract has it")
    words: str = Field(description="the contract's own words, copied exactly")


class ExtractionAnswer(BaseModel):
    """The passages of a provision, or that there are none."""

    found: bool
    passages: list[Passage]

    @model_validator(mode="after")
    def _found_is_quoted(self) -> ExtractionAnswer:
        """Refuse the one without the other: as wrong as a broken form, and not to be kept."""
        if self.found and not self.passages:
            raise PydanticCustomError(
                "found, and quoted nothing",
                "found is true, and passages is empty: quote them, or say that found is false",
            )
        return self


class ProposalVerdict(BaseModel):
    """Whether a proposal belongs to the provision."""

    proposal: int
    belongs: bool


class ProposalAnswer(BaseModel):
    """What became of the proposals, and the passages that were missing."""

    verdicts: list[ProposalVerdict]
    added: list[Passage]


class FollowUpAnswer(BaseModel):
    """What a second look brought."""

    missed: list[Passage]
    wrong: list[int]


class Requote(BaseModel):
    """A quotation again, by its number."""

    number: int
    words: str


class RequoteAnswer(BaseModel):
    """The quotations that could be mended."""

    passages: list[Requote]


class RiskAnswerClaim(BaseModel):
    """The answer to one risk question."""

    id: str
    answer: str
    party: str = ""
    reasoning: str = ""
    source: list[str] = Field(default_factory=list)
    against: str = ""
    against_source: list[str] = Field(default_factory=list)


class RiskAnswersClaim(BaseModel):
    """The answers to the risk questions of a provision."""

    answers: list[RiskAnswerClaim]
    severity: Literal["high", "medium", "low", "none"] | None = None
    because: str = ""


_ELLIPSIS = re.compile(r"\s*(?:[\[(]\s*)?(?:\.\s?){3,}(?:\s*[\])])?\s*|\s*[\[(]?\s*…\s*[\])]?\s*")
_MARKS = "\"'“”‘’«»`"
_NOTHING = {"", "not found", "none", "n/a", "na", "not applicable", "null", "no provision found"}
_SHORTEST = 3  # letters and digits of a quotation: a shorter one may be anywhere
_PART = 10  # characters of a part next to an ellipsis: a shorter one proves nothing


@dataclass(frozen=True, slots=True)
class AlignedClaim:
    """A claim with the places of all its parts; none if any part has none."""

    claim: str
    quotes: tuple[Quote, ...]
    problem: str = ""


def align_claim(words: str, text: str, given: Sequence[Span]) -> AlignedClaim | None:
    """Find a claim in the contract; None if it claims nothing.

    The passages that the model was given are searched before the rest of the contract. If words are
    left out inside a quotation, each part must be there, in this order.
    """
    claim = words.strip()
    bare = claim.strip(_MARKS).strip()
    if re.sub(r"[^\w/ ]", "", bare).strip().casefold() in _NOTHING:
        return None
    if sum(letter.isalnum() for letter in bare) < _SHORTEST:
        return AlignedClaim(claim, (), "It is too short to be found with certainty.")
    for candidate in dict.fromkeys((claim, bare)):
        quote = _find_quote(candidate, text, given)
        if quote.span is not None:
            return AlignedClaim(claim, (quote,))
    parts = [part.strip() for part in _ELLIPSIS.split(bare) if part.strip()]
    if len(parts) > 1:
        quotes = _in_order(parts, text, given)
        if quotes:
            return AlignedClaim(claim, quotes)
        return AlignedClaim(
            claim, (), "It leaves words out, and its parts are not in the contract in this form."
        )
    return AlignedClaim(claim, (), "These words are not in the contract.")


def _find_quote(words: str, text: str, given: Sequence[Span]) -> Quote:
    for span in given:
        if len(words) <= len(span) and text.find(words, span.start, span.end) >= 0:
            return evidence.align_quote(words, text, within=span)
    return evidence.align_quote(words, text, within=given[0] if len(given) == 1 else None)


def _in_order(parts: Sequence[str], text: str, given: Sequence[Span]) -> tuple[Quote, ...]:
    quotes: list[Quote] = []
    after = 0
    for part in parts:
        if len(part) < _PART:
            return ()
        quote = evidence.align_quote(part, text, within=Span(after, len(text)))
        if quote.span is None or quote.span.start < after:
            quote = _find_quote(part, text, given)
        if quote.span is None or quote.span.start < after:
            return ()
        quotes.append(quote)
        after = quote.span.end
    return tuple(quotes)


def merge_quotes(quotes: Iterable[Quote], text: str) -> tuple[Quote, ...]:
    """Return quotes in order of position; those that overlap, or touch, become one."""
    known = {quote.span: quote for quote in quotes if quote.span is not None}
    joined: list[Span] = []
    for span in sorted(known):
        last = joined[-1] if joined else None
        if last is not None and (span.start <= last.end or not text[last.end : span.start].strip()):
            joined[-1] = Span(last.start, max(last.end, span.end))
        else:
            joined.append(span)
    found = tuple(known.get(span) or evidence.quote_span(text, span) for span in joined)
    for quote in found:
        evidence.verify_quote(quote, text)
    return found
