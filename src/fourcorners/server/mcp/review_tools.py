"""Tools for reviews: playbooks, findings, starting one, and how far it is."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from fourcorners.operations.findings import FindingsRequest, find_finding, list_findings
from fourcorners.operations.reviews import ReviewRequest
from fourcorners.review.finding import CellState, Finding, ReviewState, RiskAnswer, Severity
from fourcorners.server.api import playbooks, reviews, tasks
from fourcorners.server.api.models import TaskValue
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.library_tools import DocumentId
from fourcorners.server.mcp.summaries import (
    DEFAULT_CHARACTERS,
    CutResult,
    Excerpt,
    MaxCharacters,
    PageCursor,
    excerpt,
    fill_page,
    fit,
)
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.server.tasks.queue import TaskState
from fourcorners.text.quote import Quote
from fourcorners.value import Value

_TITLES = 600  # characters for what the contracts are called
_SHORT = 140  # characters of a quote in a list of findings
_Playbook = Annotated[str, Field(max_length=200, description="Its id.")]
_Provision = Annotated[
    str, Field(min_length=1, max_length=200, description="Its id, as `playbooks` lists them.")
]


class PlaybookEntry(Value):
    """A playbook with the ids of its provisions."""

    playbook: str
    name: str
    provisions: list[str] = Field(default_factory=list)


class PlaybooksRequest(Value):
    """Which playbooks."""

    playbook: str | None = Field(
        default=None, max_length=200, description="One of them, with the ids of its provisions."
    )


class Playbooks(Value):
    """The playbooks that reviews can follow."""

    playbooks: list[PlaybookEntry]


@tool(
    "Playbooks",
    "Lists the playbooks that reviews follow; of one that is named, the ids of its provisions.",
)
def _playbooks(context: RequestContext, asked: PlaybooksRequest, _: Progress) -> Playbooks:
    if asked.playbook is not None:
        book = playbooks.get_playbook(context, asked.playbook)
        provisions = [each.id for each in book.provisions]
        return Playbooks(
            playbooks=[PlaybookEntry(playbook=book.id, name=book.name, provisions=provisions)]
        )
    return Playbooks(
        playbooks=[
            PlaybookEntry(playbook=each.id, name=each.name)
            for each in playbooks.list_playbooks(context)
        ]
    )


class FindingSummary(Value):
    """A provision in a contract: what is asserted, and the likeliest words."""

    headline: str = Field(
        default="", description="What is asserted; empty where it is left to a person."
    )
    severity: Severity = Severity.NONE
    provision: str
    document: str
    state: CellState = CellState.FOUND
    review: ReviewState = Field(default=ReviewState.PROPOSED, description="What people said of it.")
    value: str = Field(default="", description="What a person put there instead.")
    reason: str = ""
    quote: Excerpt | None = None


class FindingsToolRequest(FindingsRequest):
    """Which findings."""

    state: Annotated[
        CellState | None,
        BeforeValidator(lambda given: None if given == "any" else given),
        Field(description="Null for any."),
    ] = CellState.FOUND
    cursor: PageCursor = ""
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class Findings(Value):
    """Findings, the gravest first; a contract without any was not reviewed by that playbook."""

    findings: list[FindingSummary]
    counts: dict[str, int] = Field(
        description="How many cells there are of each state, whatever `state` was asked for."
    )
    titles: dict[str, str] = Field(description="What the contracts shown are called, by id.")
    next: str | None = None


@tool(
    "Findings of a review",
    "Brings what a review found, the gravest first: for each provision and contract a `headline` "
    "of what is asserted, how grave it is, what people said of it, and the likeliest words. "
    "`finding` brings one whole. Assert no more than the headline or the words do.",
)
def _findings(context: RequestContext, asked: FindingsToolRequest, _: Progress) -> Findings:
    with context.access() as access:
        cells = list_findings(access, asked.model_copy(update={"state": None}))
    counts = Counter(each.state.value for each in cells)
    wanted = [each for each in cells if asked.state in (None, each.state)]
    here, after = fill_page(
        context,
        "mcp findings",
        sorted(map(_summarise, wanted), key=_gravity),
        _gravity,
        asked.cursor,
        asked.max_characters - _TITLES,
    )
    with context.access() as access:
        called = access.titles(each.document for each in here)
    titles = {identifier: str(title) for identifier, title in called.items()}
    return Findings(findings=here, counts=dict(counts), titles=titles, next=after)


def _summarise(finding: Finding) -> FindingSummary:
    best = finding.best
    quote = None
    if best is not None and best.quote.span is not None:
        where = "" if best.pages is None else f"page {best.pages[0]}"
        quote = excerpt(
            finding.document, best.quote.words, best.quote.span.start, where, _SHORT, named=False
        )
    shown = finding.state is CellState.FOUND
    return FindingSummary.make(
        finding,
        headline=finding.headline if shown else "",
        reason="" if shown else finding.error or finding.reason,
        quote=quote if shown else None,
    )


def _gravity(finding: FindingSummary) -> tuple[str, str, str]:
    return str(-finding.severity.rank + len(Severity)), finding.document, finding.provision


class FindingRequest(Value):
    """Which finding."""

    document: DocumentId
    provision: _Provision
    playbook: _Playbook = "due-diligence"
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class RiskAnswerSummary(Value):
    """What a question about a provision comes to."""

    answer: str
    question: str
    party: str = Field(default="", description="Whom it concerns; left out if it concerns all.")
    quotes: list[Excerpt] = Field(default_factory=list)
    against: str = Field(default="", description="What in the contract cuts the other way.")
    against_quotes: list[Excerpt] = Field(default_factory=list)


class AnnotationSummary(Value):
    """What somebody said of a finding."""

    by: str
    at: str
    state: ReviewState | None = None
    value: str = ""
    comment: str = ""


class WholeFinding(FindingSummary, CutResult):
    """A finding with its answers, its words and what people said of it."""

    answers: list[RiskAnswerSummary] = Field(default_factory=list)
    left_to_people: list[str] = Field(
        default_factory=list, description="Questions without an answer."
    )
    recommendation: str = ""
    quotes: list[Excerpt] = Field(default_factory=list)
    claims: list[str] = Field(
        default_factory=list,
        description="What a language model gave as the contract's words, and the contract does "
        "not say.",
    )
    annotations: list[AnnotationSummary] = Field(default_factory=list)


@tool(
    "One finding",
    "Brings one finding whole: the answers to the playbook's questions with the words for each, "
    "all quotes, what to do about it, and what people said of it.",
)
def _finding(context: RequestContext, asked: FindingRequest, _: Progress) -> WholeFinding:
    with context.access() as access:
        found = find_finding(access, asked.document, asked.provision, asked.playbook)
    head = _summarise(found).model_copy(update={"quote": None, "reason": found.reason})
    lists = {
        "answers": (_answer(found.document, e) for e in found.answers if not e.is_open),
        "quotes": _excerpts(found.document, [each.quote for each in found.evidence]),
        "claims": found.claims,
        "annotations": map(AnnotationSummary.make, found.remarks),
    }
    rest = {
        **dict(head),
        "left_to_people": [each.question for each in found.answers if each.is_open],
        "recommendation": found.recommendation,
    }
    return fit(WholeFinding, asked.max_characters, lists, **rest)


def _answer(document: str, given: RiskAnswer) -> RiskAnswerSummary:
    return RiskAnswerSummary.make(
        given,
        quotes=_excerpts(document, given.quotes),
        against_quotes=_excerpts(document, given.against_quotes),
    )


def _excerpts(document: str, quotes: tuple[Quote, ...] | list[Quote]) -> list[Excerpt]:
    return [
        excerpt(document, each.words, each.span.start, named=False)
        for each in quotes
        if each.span is not None
    ]


@tool(
    "Start a review",
    "Starts a review of a collection by a playbook and returns its task, which `task` tells "
    "the progress of.",
    writes=True,
)
def _start_review(context: RequestContext, asked: ReviewRequest, _: Progress) -> TaskSummary:
    return _summarise_task(reviews.start_review(context, asked))


class TaskRequest(Value):
    """Which task."""

    task: str = Field(max_length=40, description="Its id, as `start_review` tells it.")


class TaskSummary(Value):
    """Long work, and how far it is."""

    state: TaskState
    done: int
    total: int
    failed: int = 0
    reason: str = ""
    remedy: str = ""
    task: str
    kind: str
    collection: str
    asked_by: str


@tool("Progress of long work", "Tells how far a task is, and what came of it.")
def _task(context: RequestContext, asked: TaskRequest, _: Progress) -> TaskSummary:
    return _summarise_task(tasks.get_task(context, asked.task))


def _summarise_task(task: TaskValue) -> TaskSummary:
    return TaskSummary.make(task, task=task.id)


TOOLS: tuple[McpTool[Any], ...] = (_playbooks, _findings, _finding, _start_review, _task)
