"""Asking a language model for the passages of one provision in one contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel

from fourcorners.errors import FourcornersError, LlmError
from fourcorners.llm import PromptRequest, QuotedText, Reply, Value
from fourcorners.playbooks.playbook import Provision
from fourcorners.review.prompting.alignment import (
    AlignedClaim,
    align_claim,
    majority_quotes,
    merge_quotes,
)
from fourcorners.review.prompting.dialogue import Dialogue, Question, ask_question, run_together
from fourcorners.review.prompting.passages import PromptPassage, query_keywords
from fourcorners.review.prompting.schemas import (
    ExtractionAnswer,
    FollowUpAnswer,
    Passage,
    ProposalAnswer,
    ProposalVerdict,
    RequoteAnswer,
)
from fourcorners.review.prompting.settings import FollowUp, Profile, PromptSettings, SystemPrompt
from fourcorners.text import evidence
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span

_SHOWN = 160  # characters of a passage by which a follow-up names it


@dataclass(frozen=True, slots=True)
class CellPrompt:
    """What one dialogue is about.

    Attributes:
        passages: The passages, in the order in which they are given.
        finds: Of the local reader; empty where the model is not to judge any.
        considered: What the reader thought of next; no find unless the model says so.
        tag: What the ledger calls the questions.
    """

    text: str = field(repr=False)
    provision: Provision
    passages: tuple[PromptPassage, ...]
    finds: tuple[Span, ...] = ()
    considered: tuple[Span, ...] = ()
    tag: str = ""

    @property
    def spans(self) -> list[Span]:
        """Return the spans of the passages."""
        return [each.span for each in self.passages]

    @property
    def proposals(self) -> tuple[Span, ...]:
        """Return what the model is to judge, in the order of its numbers."""
        return (*self.finds, *self.considered)


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """What a dialogue came to.

    Attributes:
        claims: What was said to be the contract's words and is not, after it was asked again.
    """

    quotes: tuple[Quote, ...]
    claims: tuple[str, ...] = ()


def extract_passages(cell: CellPrompt, asking: PromptSettings) -> Dialogue[ExtractionResult]:
    """Ask for the passages of a cell, as often as the settings say.

    Raises:
        FourcornersError: If there is no answer that can be used.
    """
    samples = [_sample(cell, asking, sample) for sample in range(asking.best_of)]
    if len(samples) == 1:
        return (yield from samples[0])
    drawn: list[ExtractionResult] = []
    for each in (yield from run_together(samples)):
        if isinstance(each, FourcornersError):
            raise each
        drawn.append(each)
    said = [claim for each in drawn for claim in dict.fromkeys(each.claims)]
    return ExtractionResult(
        majority_quotes([each.quotes for each in drawn], cell.text),
        tuple(claim for claim in dict.fromkeys(said) if 2 * said.count(claim) > len(drawn)),
    )


def first_question(cell: CellPrompt, asking: PromptSettings, sample: int = 0) -> Question:
    """Return the question that a dialogue opens with."""
    provision = cell.provision
    values: dict[str, Value] = {
        "long": asking.system is SystemPrompt.LONG,
        "provision": provision.name,
        "definition": " ".join(provision.definition.split()),
        "instructions": " ".join(provision.instructions.split()),
        "keywords": query_keywords(provision.query) if asking.keywords else [],
        "emotive": asking.emotive,
        "excerpts": [
            QuotedText(each.span.text_in(cell.text), each.label) for each in cell.passages
        ],
    }
    if asking.profile is Profile.PAPER:
        return PromptRequest("extract", values, ExtractionAnswer, sample=sample, tag=cell.tag)
    values["proposals"] = _numbered(
        (number, span.text_in(cell.text), f"proposal {number}")
        for number, span in enumerate(cell.proposals, start=1)
    )
    return PromptRequest("weigh", values, ProposalAnswer, sample=sample, tag=cell.tag)


def _numbered(listed: Iterable[tuple[int, str, str]]) -> list[Value]:
    return [
        {"number": number, "words": QuotedText(words, label)} for number, words, label in listed
    ]


def _sample(cell: CellPrompt, asking: PromptSettings, sample: int) -> Dialogue[ExtractionResult]:
    first = first_question(cell, asking, sample)
    kept: list[Quote] = []
    if asking.profile is Profile.PAPER:
        said, reply = yield from ask_question(first, ExtractionAnswer)
        passages = said.passages
    else:
        weighed, reply = yield from ask_question(first, ProposalAnswer)
        passages = weighed.added
        kept = [evidence.quote_span(cell.text, span) for span in _confirmed(cell, weighed.verdicts)]
    drawn, reply = yield from align_passages(cell, passages, reply, sample)
    drawn = replace(drawn, quotes=merge_quotes((*kept, *drawn.quotes), cell.text))
    if asking.follow_up is FollowUp.NONE:
        return drawn
    return (yield from _followed_up(cell, asking, drawn, reply, sample))


def _confirmed(cell: CellPrompt, verdicts: Sequence[ProposalVerdict]) -> list[Span]:
    """Return the proposals that stand: of the reader's finds those that are not rejected."""
    belongs = {each.proposal for each in verdicts if each.belongs}
    rejected = {each.proposal for each in verdicts if not each.belongs}
    return [
        span
        for number, span in enumerate(cell.proposals, start=1)
        if number not in rejected and (number in belongs or number <= len(cell.finds))
    ]


def _followed_up(
    cell: CellPrompt,
    asking: PromptSettings,
    drawn: ExtractionResult,
    reply: Reply[BaseModel],
    sample: int,
) -> Dialogue[ExtractionResult]:
    values: dict[str, Value] = {
        "provision": cell.provision.name,
        "accusing": asking.follow_up is FollowUp.ACCUSING,
        "keywords": query_keywords(cell.provision.query) if asking.keywords else [],
        "given": _numbered(
            (number, quote.words[:_SHOWN], f"passage {number}")
            for number, quote in enumerate(drawn.quotes, start=1)
        ),
    }
    question: Question = PromptRequest(
        "follow_up", values, FollowUpAnswer, after=reply, sample=sample, tag=cell.tag
    )
    said, again = yield from ask_question(question, FollowUpAnswer)
    more, _ = yield from align_passages(cell, said.missed, again, sample)
    wrong = set(said.wrong)
    left = [quote for number, quote in enumerate(drawn.quotes, start=1) if number not in wrong]
    return replace(
        drawn,
        quotes=merge_quotes((*left, *more.quotes), cell.text),
        claims=tuple(dict.fromkeys((*drawn.claims, *more.claims))),
    )


def align_passages(
    cell: CellPrompt, passages: Sequence[Passage], reply: Reply[BaseModel], sample: int
) -> Dialogue[tuple[ExtractionResult, Reply[BaseModel]]]:
    """Bring what a model quoted to its place; what has none it is asked about once.

    What has no place then either is a claim. Returns also the reply that a question can follow.
    """
    placed = [
        found for each in passages if (found := align_claim(each.words, cell.text, cell.spans))
    ]
    quotes = [quote for each in placed for quote in each.quotes]
    wrong = [each for each in placed if not each.quotes]
    if not wrong:
        return ExtractionResult(tuple(quotes)), reply
    try:
        said, again = yield from ask_question(_requote(cell, wrong, reply, sample), RequoteAnswer)
    except LlmError:
        # A second answer that cannot be used mends nothing: the claims stay claims.
        return ExtractionResult(tuple(quotes), tuple(each.claim for each in wrong)), reply
    mended = {each.number: align_claim(each.words, cell.text, cell.spans) for each in said.passages}
    claims = []
    for number, each in enumerate(wrong, start=1):
        second = mended.get(number)
        if second is not None and second.quotes:
            quotes += second.quotes
        else:
            claims.append(each.claim)
    return ExtractionResult(tuple(quotes), tuple(dict.fromkeys(claims))), again


def _requote(
    cell: CellPrompt, wrong: Sequence[AlignedClaim], reply: Reply[BaseModel], sample: int
) -> Question:
    told: list[Value] = [
        {
            "number": number,
            "problem": each.problem,
            "words": QuotedText(each.claim, f"your quotation {number}"),
        }
        for number, each in enumerate(wrong, start=1)
    ]
    role = reply.role
    return PromptRequest(
        "requote",
        {"wrong": told},
        RequoteAnswer,
        role=role,
        after=reply,
        sample=sample,
        tag=cell.tag,
    )
