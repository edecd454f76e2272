"""Tools to keep a collection in order: tags, families, and files that could not be read."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from fourcorners.operations import documents
from fourcorners.operations.documents import TagsChange
from fourcorners.operations.failures import FailuresRequest
from fourcorners.operations.reviewing import families
from fourcorners.operations.reviewing.families import ContractFamily, FamilyMember, FamilyRequest
from fourcorners.search.graph.family import FamilyRelation
from fourcorners.server.api import collections
from fourcorners.server.api.models import FailureValue, TaskValue
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.library_tools import DocumentId
from fourcorners.server.mcp.review_tools import TaskSummary
from fourcorners.server.mcp.summaries import (
    DEFAULT_CHARACTERS,
    MaxCharacters,
    PageCursor,
    fill_page,
)
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.server.pages.failures import dismiss
from fourcorners.server.tasks.handlers.add import retry_files
from fourcorners.value import Value


class TagsRequest(TagsChange):
    """Which tags a contract is to have."""

    document: DocumentId


@tool(
    "Tag a contract",
    "Gives a contract these tags in place of those that it has: send those to be kept, too. "
    "`documents` lists tags, and finds contracts by one.",
    writes=True,
    destructive=True,
)
def _set_tags(context: RequestContext, asked: TagsRequest, _: Progress) -> TagsChange:
    with context.access() as access:
        return TagsChange(tags=documents.set_tags(access, asked.document, asked.tags))


class FamiliesRequest(Value):
    """Whose families."""

    collection: str = Field(max_length=500)
    cursor: PageCursor = ""
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class FamilyEntry(Value):
    """A document of a family."""

    document: str
    title: str
    head: str = Field(default="", description="The contract to which it belongs.")
    relation: FamilyRelation | None = None
    because: str = ""
    by: str = Field(default="", description="Who said so, if a person did.")


class Families(Value):
    """The documents of families: each contract, then what belongs to it."""

    documents: list[FamilyEntry]
    total: int
    next: str | None = None


@tool(
    "Families of contracts",
    "Lists the contracts of a collection to which others belong, each followed by its amendments, "
    "what it replaced, and its exhibits, with why. A contract that is not listed is alone.",
)
def _families(context: RequestContext, asked: FamiliesRequest, _: Progress) -> Families:
    with context.access() as access:
        found = families.list_families(access, asked.collection)
    entries = [_entry(each, member) for each in found for member in each.members]
    places = {each.document: (f"{at:06}",) for at, each in enumerate(entries)}
    here, after = fill_page(
        context,
        f"mcp families {asked.collection}",
        entries,
        lambda each: places[each.document],
        asked.cursor,
        asked.max_characters,
    )
    return Families(documents=here, total=len(entries), next=after)


def _entry(family: ContractFamily, member: FamilyMember) -> FamilyEntry:
    return FamilyEntry.make(member, head="" if member.relation is None else family.head)


class FamilyToolRequest(FamilyRequest):
    """Which contract belongs to which."""

    document: DocumentId


@tool(
    "Put a contract in a family",
    "Says that a contract belongs to another of its collection (`head`), or to none. This goes "
    "before what the contracts say: call it only where a person says so.",
    writes=True,
    destructive=True,
)
def _set_family(context: RequestContext, asked: FamilyToolRequest, _: Progress) -> FamilyEntry:
    with context.access() as access:
        made = families.set_family(access, asked.document, FamilyRequest(head=asked.head))
    return next(_entry(made, each) for each in made.members if each.document == asked.document)


class FailuresToolRequest(Value):
    """Whose files."""

    collection: str = Field(max_length=500)
    cursor: PageCursor = ""
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class Failures(Value):
    """Files that could not be read: why, and what can be done."""

    failures: list[FailureValue]
    total: int
    next: str | None = None


@tool(
    "Files that could not be read",
    "Lists the files of a collection that could not be read, with why and a remedy. What they say "
    "is in no search, review or answer: tell the person.",
)
def _failures(context: RequestContext, asked: FailuresToolRequest, _: Progress) -> Failures:
    found = sorted(collections.list_failures(context, asked.collection), key=_file_order)
    here, after = fill_page(
        context,
        f"mcp failures {asked.collection}",
        found,
        _file_order,
        asked.cursor,
        asked.max_characters,
    )
    return Failures(failures=here, total=len(found), next=after)


def _file_order(failure: FailureValue) -> tuple[str, str]:
    return failure.file.casefold(), failure.id


@tool(
    "Read files again",
    "Reads files again that could not be read, all of a collection or those named by id, once "
    "their remedy is done; returns the task, which `task` follows.",
    writes=True,
)
def _retry_failures(context: RequestContext, asked: FailuresRequest, _: Progress) -> TaskSummary:
    return TaskSummary.from_task(TaskValue.make(retry_files(context, asked)))


class DismissRequest(FailuresRequest):
    """Which files are to be dismissed."""

    files: list[str] = Field(min_length=1, max_length=5_000, description="Their ids.")


class FailureCounts(Value):
    """How many files were removed from the list, and how many are on it."""

    removed: int
    remaining: int


@tool(
    "Dismiss files",
    "Takes files that could not be read off the list and deletes what was uploaded of them. Ask "
    "the person first: it cannot be undone.",
    writes=True,
    destructive=True,
)
def _dismiss_failures(context: RequestContext, asked: DismissRequest, _: Progress) -> FailureCounts:
    dismiss(context, asked)
    with context.access() as access:
        remaining = len(access.failures(asked.collection))
    return FailureCounts(removed=len(set(asked.files)), remaining=remaining)


TOOLS: tuple[McpTool[Any], ...] = (
    *(_set_tags, _families, _set_family),
    *(_failures, _retry_failures, _dismiss_failures),
)
