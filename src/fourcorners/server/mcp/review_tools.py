"""Tools for reviews: playbooks, findings, starting one, and how far it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field

from fourcorners.operations.reviewing.findings import (
    Coverage,
    FindingsRequest,
    find_finding,
    list_findings,
    review_coverage,
)
from fourcorners.operations.reviewing.reviews import ReviewRequest
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.review.overview.counts import ToDoReason
from fourcorners.server.api import playbooks, reviews, tasks
from fourcorners.server.api.findings import (
    AmendmentValue,
    AnnotationValue,
    FindingValue,
    QuoteValue,
)
from fourcorners.server.api.models import TaskValue
from fourcorners.server.api.playbooks import PlaybookValue
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.library_tools import DocumentId
from fourcorners.server.mcp.summaries import (
    DEFAULT_CHARACTERS,
    FRAME,
    MAX_EXCERPT,
    CharacterBudget,
    CutResult,
    MaxCharacters,
    PageCursor,
    fill_page,
    fit,
)
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.server.tasks.queue import TaskState
from fourcorners.server.to_do import ToDoItem, ToDoRequest, list_to_do
from fourcorners.value import Value

_TITLES = 800  # characters for what the contracts are called, and how many are reviewed
_MAX_TO_DO = 100  # things to do of one answer
_SHORT = 140  # characters of a quote in a list of findings
_Playbook = Annotated[str, Field(max_length=200, description="Its id.")]
_Provision = Annotated[
    str, Field(min_length=1, max_length=200, description="Its id, as `playbooks` lists them.")
]


class PlaybookEntry(Value):
    """A playbook with the ids of its provisions."""

    playbook: str
    name: str
    number: int | None = Field(
        default=None, description="Its saved version, 1 for the first; null if of the package."
    )
    collection: str = Field(default="", description="The one it is for; empty for all.")
    provisions: list[str] = Field(default_factory=list)


class PlaybooksRequest(Value):
    """Which playbooks."""

    playbook: str | None = Field(
        default=None, max_length=200, description="One of them, with the ids of its provisions."
    )
    collection: str = Field(
        default="", max_length=500, description="Only those by which this can be reviewed."
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
        book = playbooks.get_playbook(context, asked.playbook, asked.collection)
        return Playbooks(playbooks=[_entry(book, [each.id for each in book.provisions])])
    listed = playbooks.list_playbooks(context, asked.collection)
    return Playbooks(playbooks=[_entry(each) for each in listed])


def _entry(book: PlaybookValue, provisions: Sequence[str] = ()) -> PlaybookEntry:
    return PlaybookEntry(
        playbook=book.id,
        name=book.name,
        number=book.number,
        collection=book.collection,
        provisions=list(provisions),
    )


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
    """Findings, the gravest first."""

    findings: list[FindingValue]
    reviewed: Coverage
    warning: str = Field(default="", description="That contracts are not reviewed, and the remedy.")
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
        reviewed = review_coverage(access, asked.collection, asked.playbook)
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
    return Findings(
        findings=here,
        counts=dict(counts),
        titles=titles,
        next=after,
        reviewed=reviewed,
        warning=_coverage_warning(reviewed, asked),
    )


def _coverage_warning(reviewed: Coverage, asked: FindingsToolRequest) -> str:
    missing = reviewed.contracts - reviewed.reviewed
    if not missing:
        return ""
    which = "Not" if not reviewed.reviewed else f"{missing} of {reviewed.contracts} contracts not"
    start = f"start_review(collection={asked.collection!r}, playbook={asked.playbook!r})"
    return f"{which} reviewed by {asked.playbook} yet: {start}."


def _summarise(finding: Finding) -> FindingValue:
    """Return what a list of findings shows: what is asserted with its words, or why not."""
    shown, best = finding.state is CellState.FOUND, finding.best
    quotes = [best] if shown and best and best.quote.span else []
    return FindingValue(
        headline=finding.headline if shown else "",
        severity=finding.severity,
        provision=finding.provision,
        document=finding.document,
        state=finding.state,
        review=finding.review,
        value=finding.value,
        reason="" if shown else finding.error or finding.reason,
        amendments=[
            AmendmentValue.from_amendment(finding.document, each, _SHORT)
            for each in finding.amendments
        ],
        quotes=[
            QuoteValue.from_quote(
                finding.document, each.quote, _SHORT, score=each.score, pages=each.pages
            )
            for each in quotes
        ],
    )


def _gravity(finding: FindingValue) -> tuple[str, str, str]:
    return str(-finding.severity.rank + len(Severity)), finding.document, finding.provision


class ToDoToolRequest(ToDoRequest):
    """Which of the things to do."""

    cursor: PageCursor = ""
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class ToDo(Value):
    """Findings that wait for a person, the most urgent first."""

    items: list[ToDoItem]
    count: int = Field(description="How many there are in all.")
    reasons: dict[ToDoReason, int]
    next: str | None = None


@tool(
    "What waits for a person",
    "Lists the findings of all reviews that a person should look at: second looks, high severity, "
    "those that could be high (`possible_high`), others to be read, failed cells, "
    "and what is assigned to someone; each with why.",
)
def _to_do(context: RequestContext, asked: ToDoToolRequest, _: Progress) -> ToDo:
    part = list_to_do(context, asked, asked.cursor, _MAX_TO_DO)
    fitting = max(1, len(CharacterBudget(asked.max_characters - FRAME).take(part.items)))
    more = part.cursors[fitting - 1] if fitting < len(part.items) else part.next
    return ToDo(items=part.items[:fitting], count=part.count, reasons=dict(part.reasons), next=more)


class FindingRequest(Value):
    """Which finding."""

    document: DocumentId
    provision: _Provision
    playbook: _Playbook = "due-diligence"
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class WholeFinding(FindingValue, CutResult):
    """A finding with its answers, its words and what people said of it."""

    annotations: list[AnnotationValue] = Field(default_factory=list)


@tool(
    "One finding",
    "Brings one finding whole: the answers to the playbook's questions with the words for each, "
    "all quotes, what to do about it, and what people said of it.",
)
def _finding(context: RequestContext, asked: FindingRequest, _: Progress) -> WholeFinding:
    with context.access() as access:
        found = find_finding(access, asked.document, asked.provision, asked.playbook)
    whole = FindingValue.from_finding(found, MAX_EXCERPT)
    lists: dict[str, Iterable[Any]] = {
        "answers": whole.answers,
        "quotes": whole.quotes,
        "claims": whole.claims,
        "annotations": map(AnnotationValue.from_annotation, found.remarks),
    }
    rest = {name: value for name, value in dict(whole).items() if name not in lists}
    return fit(WholeFinding, asked.max_characters, lists, **rest)


@tool(
    "Start a review",
    "Starts a review of a collection by a playbook and returns its task; `task` reports its "
    "progress.",
    writes=True,
)
def _start_review(context: RequestContext, asked: ReviewRequest, _: Progress) -> TaskSummary:
    return TaskSummary.from_task(reviews.start_review(context, asked))


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

    @classmethod
    def from_task(cls, task: TaskValue) -> Self:
        return cls.make(task, task=task.id)


@tool("Progress of long work", "Tells how far a task is, and what came of it.")
def _task(context: RequestContext, asked: TaskRequest, _: Progress) -> TaskSummary:
    return TaskSummary.from_task(tasks.get_task(context, asked.task))


TOOLS: tuple[McpTool[Any], ...] = (_playbooks, _findings, _finding, _to_do, _start_review, _task)
