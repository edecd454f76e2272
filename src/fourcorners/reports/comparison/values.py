"""A comparison as values: every change with its words and places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from fourcorners.comparison.comparison import (
    Aspect,
    Clause,
    ClauseChange,
    Comparison,
    Relation,
    WordChange,
)
from fourcorners.comparison.ranking import Section, change_section, rank_changes
from fourcorners.comparison.versions import Versions
from fourcorners.documents.document import Document, PageLabel
from fourcorners.reports.comparison.phrases import count_changes, describe_words
from fourcorners.text.span import Span
from fourcorners.value import PlacedWords, Value

_VERSIONS = "The numbers of the versions that brought it, where more than two are compared."


class PagedWords(PlacedWords):
    page: PageLabel | None


class ClauseValue(PagedWords):
    label: str
    heading: str
    under: str


class WordsValue(Value):
    """Words that differ; a place is null where nothing came or went."""

    aspect: Aspect
    summary: str
    old: str
    new: str
    before: PagedWords
    after: PagedWords
    versions: list[int] = Field(description=_VERSIONS)


class ChangeValue(Value):
    """A clause that differs, in the version that has it or in both."""

    section: Section
    relation: Relation
    moved: bool
    renumbered: bool
    before: list[ClauseValue]
    after: list[ClauseValue]
    words: list[WordsValue]
    versions: list[int] = Field(description=_VERSIONS)


class VersionValue(Value):
    id: str
    name: str


class RepeatedValue(Value):
    """The same change in several places, such as a term with another name throughout."""

    aspect: Aspect
    gone: str
    come: str
    places: int


class WrittenValue(Value):
    """What a person should know of the files that were written, if any were."""

    untracked: tuple[str, ...] = Field(
        default=(), description="What a Word file that was written has no tracked change for."
    )
    differences: tuple[str, ...] = Field(
        default=(), description="Where such a file does not become what it should; none is right."
    )
    format_changes: int = Field(
        default=0, description="Runs of words and paragraphs in it that stay and look otherwise."
    )
    missing: tuple[str, ...] = Field(
        default=(), description="Which characters of a PDF that was written are empty boxes."
    )


class ComparisonValue(WrittenValue):
    """What differs between two versions, by sections as they are read."""

    before: VersionValue
    after: VersionValue
    counts: dict[str, int]
    spacing: int = Field(description="Clauses that differ in spaces alone, and are not listed.")
    repeated: list[RepeatedValue] = Field(
        description="Changes that are the same in many places; each is in `changes`, too."
    )
    changes: list[ChangeValue]
    warnings: list[str]


class NumberedVersion(VersionValue):
    number: int


class UnreadVersion(Value):
    """A version that could not be read; its changes count to the next one."""

    number: int
    name: str
    error: str
    remedy: str


class VersionsValue(WrittenValue):
    """What differs between more than two versions."""

    versions: list[NumberedVersion]
    unread: list[UnreadVersion]
    rounds: list[ComparisonValue] = Field(description="Each version with the one before it.")
    current: ComparisonValue = Field(
        description="The last version with the first, or with the one that was named; each change "
        "has the versions that brought it."
    )


def versions_value(
    versions: Versions, current: Comparison, unread: Sequence[UnreadVersion] = ()
) -> VersionsValue:
    """Return all that differs between versions, by rounds and from one of them to the last."""
    pairs = zip(versions.numbers, versions.documents, strict=True)
    return VersionsValue(
        versions=[NumberedVersion.make(each, number=number) for number, each in pairs],
        unread=list(unread),
        rounds=[comparison_value(each) for each in versions.rounds],
        current=comparison_value(current),
    )


def comparison_value(comparison: Comparison) -> ComparisonValue:
    """Return all that differs, by sections as they are read; what is only respaced is counted."""
    listed = [
        (section, each)
        for each in comparison.clauses
        if (section := change_section(each)) is not None and section is not Section.SPACING
    ]
    order = list(Section)
    listed.sort(key=lambda pair: order.index(pair[0]))
    return ComparisonValue(
        before=VersionValue.make(comparison.before),
        after=VersionValue.make(comparison.after),
        counts=dict(count_changes(comparison)),
        spacing=sum(each.has_other_spacing for each in comparison.clauses),
        repeated=[RepeatedValue.make(each) for each in rank_changes(comparison).repeated],
        changes=[_change(comparison, section, each) for section, each in listed],
        warnings=list(comparison.warnings),
    )


def _change(comparison: Comparison, section: Section, change: ClauseChange) -> ChangeValue:
    changes = change.changes if change.relation is not Relation.REPLACED else ()
    return ChangeValue(
        section=section,
        relation=change.relation,
        moved=change.is_moved,
        renumbered=change.is_renumbered,
        before=[_clause(comparison.before, each) for each in change.before],
        after=[_clause(comparison.after, each) for each in change.after],
        words=[_words(comparison, each) for each in changes],
        versions=list(change.versions),
    )


def _words(comparison: Comparison, change: WordChange) -> WordsValue:
    return WordsValue.make(
        change,
        summary=describe_words(comparison, change),
        before=PagedWords(**_place(comparison.before, change.before)),
        after=PagedWords(**_place(comparison.after, change.after)),
        versions=list(change.versions),
    )


def _clause(document: Document, clause: Clause) -> ClauseValue:
    return ClauseValue.make(clause, **_place(document, clause.span))


def _place(document: Document, span: Span) -> dict[str, Any]:
    return {
        "start": span.start,
        "end": span.end,
        "page": document.page_of(span.start),
        "text": span.text_in(document.text),
    }
