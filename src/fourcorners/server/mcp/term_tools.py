"""Tools for dates, obligations, comparisons and checks of drafting."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from fourcorners.comparison.ranking import Section
from fourcorners.operations.access import SET_APART
from fourcorners.operations.contracts.comparison import CompareRequest, compare_contracts
from fourcorners.operations.contracts.dates import DatesRequest, list_dates
from fourcorners.operations.contracts.lint import LintRequest, lint_document
from fourcorners.operations.contracts.obligations import ObligationsRequest
from fourcorners.reports.comparison.values import ChangeValue, comparison_value
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.summaries import (
    DEFAULT_CHARACTERS,
    CutResult,
    Excerpt,
    MaxCharacters,
    excerpt,
    fit,
    without_orders,
)
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.server.tasks.handlers import obligations as obligations_task
from fourcorners.value import CitedWords, Value

_SHORT = 140  # characters of a quote in a list


class DatesToolRequest(DatesRequest):
    """Which dates."""

    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class DateSummary(Value):
    """A day on which something falls due, or without a day words to be read."""

    day: str = Field(default="", description="Left out where a person must read the words.")
    kind: str = ""
    unless: str = Field(default="", description="What may keep it from happening.")
    title: str
    quote: Excerpt


class DatesSummary(CutResult):
    """What falls due, in order, then what is to be read."""

    dates: list[DateSummary] = Field(default_factory=list)
    to_be_read: list[DateSummary] = Field(default_factory=list)
    contracts: int
    set_apart: list[str] = Field(default_factory=list, description=SET_APART)


@tool(
    "Dates",
    "Lists the ends, renewals and last days for notice that fall due in contracts. What is under "
    "`to_be_read` is not a fact: read its words.",
)
def _dates(context: RequestContext, asked: DatesToolRequest, _: Progress) -> DatesSummary:
    with context.access() as access:
        found = list_dates(access, asked)
    due = (
        DateSummary.make(
            each,
            day=each.day.isoformat(),
            unless=each.unless or "",
            quote=_excerpt(each.words),
        )
        for each in found.dates
    )
    unsure = (
        DateSummary(title=each.title, quote=_excerpt(words))
        for each in found.to_be_read
        for words in each.words
    )
    lists = {"set_apart": found.set_apart, "dates": due, "to_be_read": unsure}
    return fit(DatesSummary, asked.max_characters, lists, contracts=len(found.contracts))


def _excerpt(words: CitedWords) -> Excerpt:
    return excerpt(words.document, words.text, words.start, words.where, _SHORT)


class ObligationsToolRequest(ObligationsRequest):
    """Whose obligations."""

    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class ObligationSummary(Value):
    """What a contract binds a party to."""

    party: str
    whose: str = Field(default="", description="ours or theirs, where the side is known.")
    statement: str
    day: str = ""
    quote: Excerpt


class ObligationsSummary(CutResult):
    """Obligations by party and day."""

    obligations: list[ObligationSummary] = Field(default_factory=list)
    unread: int = Field(description="Contracts that are being read now: ask again in a minute.")
    reliance: str
    set_apart: list[str] = Field(default_factory=list, description=SET_APART)


@tool(
    "Obligations",
    "Lists who must do what by when, and what nobody may do, by party and day. Read by rules: "
    "check each against its words.",
)
def _obligations(
    context: RequestContext, asked: ObligationsToolRequest, _: Progress
) -> ObligationsSummary:
    found = obligations_task.read(context, asked)
    listed = (
        ObligationSummary.make(
            each,
            day=each.day.isoformat() if each.day else "",
            quote=excerpt(each.document, each.quote.text, each.quote.start, each.where, _SHORT),
        )
        for each in found.obligations
    )
    lists = {"set_apart": found.set_apart, "obligations": listed}
    return fit(
        ObligationsSummary,
        asked.max_characters,
        lists,
        reliance=found.reliance,
        unread=found.unread,
    )


class CompareToolRequest(CompareRequest):
    """Which versions."""

    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class ChangeSummary(Value):
    """A clause that differs."""

    section: Section
    relation: str
    clause: str = ""
    words: list[str] = Field(default_factory=list, description="Which words differ.")
    versions: list[int] = Field(default_factory=list, description="Which versions brought it.")
    before: Excerpt | None = None
    after: Excerpt | None = None


class ComparisonSummary(CutResult):
    """What differs between two versions, what matters most first."""

    counts: dict[str, int]
    changes: list[ChangeSummary] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    same: bool = Field(default=False, description="Whether no word differs.")


@tool(
    "Compare two versions",
    "Compares two versions of a contract, clause by clause: amounts, periods, dates, parties and "
    "negations first. It says which words differ, not what follows from it.",
)
def _compare(context: RequestContext, asked: CompareToolRequest, _: Progress) -> ComparisonSummary:
    with context.access() as access:
        found = compare_contracts(access, asked, context.state.engines.encoder)
    value = comparison_value(found)
    changes = {"changes": (_change(asked, each) for each in value.changes)}
    rest = {"counts": value.counts, "warnings": value.warnings, "same": not value.changes}
    return fit(ComparisonSummary, asked.max_characters, changes, **rest)


def _change(asked: CompareRequest, change: ChangeValue) -> ChangeSummary:
    clauses = [*change.after, *change.before]
    quotes = [
        excerpt(document, found[0].text, found[0].start, most=_SHORT) if found else None
        for document, found in ((asked.before, change.before), (asked.after, change.after))
    ]
    return ChangeSummary.make(
        change,
        clause=" ".join(filter(None, (clauses[0].label, clauses[0].heading))) if clauses else "",
        words=[each.summary for each in change.words],
        before=quotes[0],
        after=quotes[1],
    )


_NO_SLIP = "Nothing to look at in references, terms, numbering and contradictions."


class LintToolRequest(LintRequest):
    """Which contract, and which of its slips."""

    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class SlipSummary(Value):
    """One thing that a drafter should look at."""

    severity: str
    message: str
    quote: Excerpt
    places: int = Field(default=1, description="In how many places it is.")


class LintSummary(CutResult):
    """The slips of a contract, the most serious first."""

    found: str = Field(description="How many there are, in words.")
    slips: list[SlipSummary] = Field(default_factory=list)
    unchecked: list[str] = Field(default_factory=list, description="What was not checked, and why.")


@tool(
    "Check the drafting",
    "Checks a contract's drafting: references that lead nowhere, terms that are unused or defined "
    "twice, phrases often used like terms but not defined, gaps in the numbering, contradictions.",
)
def _lint(context: RequestContext, asked: LintToolRequest, _: Progress) -> LintSummary:
    with context.access() as access:
        found = lint_document(access, LintRequest(document=asked.document, least=asked.least))
    slips = (
        SlipSummary.make(
            each,
            severity=each.severity.value,
            quote=excerpt(
                asked.document,
                without_orders(context, asked.document, each.around.text, each.around.start),
                each.around.start,
                most=_SHORT,
                named=False,
            ),
        )
        for each in found.slips
    )
    lists = {"unchecked": found.unchecked, "slips": slips}
    count = len(found.slips)
    words = f"{count} point{'' if count == 1 else 's'} to look at." if count else _NO_SLIP
    return fit(LintSummary, asked.max_characters, lists, found=words)


TOOLS: tuple[McpTool[Any], ...] = (_dates, _obligations, _compare, _lint)
