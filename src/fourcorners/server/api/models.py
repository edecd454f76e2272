"""What routes take, and what the API and MCP say of documents, tasks and answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Annotated, Any, Generic, Literal, TypeVar

from fastapi import Query
from pydantic import BeforeValidator, Field

from fourcorners.documents.document import Box, PageLabel
from fourcorners.library.entries import Entry
from fourcorners.outline.card.card import Card, Fact
from fourcorners.review.parties import display_name
from fourcorners.server.tasks.queue import TaskState
from fourcorners.text.invisible_characters import show_invisible
from fourcorners.text.span import Span
from fourcorners.value import Value

T = TypeVar("T")
Moment = Annotated[
    str,
    Field(json_schema_extra={"format": "date-time"}, examples=["2026-03-01T09:30:00+00:00"]),
]
"""A point in time, in UTC; as it is stored, since the audit trail's hashes are over its letters."""
Day = Annotated[str, Field(json_schema_extra={"format": "date"}, examples=["2026-03-01"])]
OptionalMoment = Annotated[Moment | None, BeforeValidator(lambda given: given or None)]
CollectionName = Annotated[
    str, Query(max_length=500, description="A collection's name.", examples=["Project Larch"])
]
PlaybookName = Annotated[
    str, Query(max_length=200, description="A playbook's id.", examples=["due-diligence"])
]
DocumentName = Annotated[
    str, Query(max_length=40, description="A document's id.", examples=["2843aeec286e22ab"])
]
Cursor = Annotated[str, Query(max_length=2_000, description="`next` of the part before.")]
Limit = Annotated[int, Query(ge=1, le=200)]


class Paged(Value, Generic[T]):
    """A part of a list; `next` is the cursor of what follows, null at the end."""

    items: list[T]
    next: str | None = Field(default=None, examples=["eyJhIjpbImxlYXNlLnBkZiJdfQ"])


class FieldProblem(Value):
    """What is wrong with one field of a request."""

    location: Literal["body", "query", "path", "header"] = Field(alias="in")
    field: str = Field(
        description="Its name; in a body, the names and places on the way to it.",
        examples=["read_for.0"],
    )
    code: str = Field(description="What is wrong, for programs.", examples=["string_type"])
    detail: str = Field(examples=["read_for.0 must be text"])
    line: int | None = Field(default=None, description="In a text of several lines, which one.")


class Problem(Value):
    """What went wrong, as RFC 9457 has it, with what to do about it."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(
        examples=["Document '2843aeec286e22ab' not found, or you don't have access."]
    )
    code: str = Field(description="What went wrong, for programs.", examples=["not_found"])
    remedy: str = ""
    errors: list[FieldProblem] = Field(
        default_factory=list, description="The fields that are wrong; empty where none is."
    )


class CollectionValue(Value):
    """A named part of the library."""

    name: str = Field(examples=["Project Larch"])
    documents: int
    characters: int
    passages: int
    unread: int = Field(description="Files that could not be read.")
    read_for: list[str] = Field(
        description="The party for whom its contracts are read, or several of a group.",
        examples=[["Larch"]],
    )


class FailureValue(Value):
    """A file that could not be read."""

    id: str = Field(examples=["2843aeec286e22ab"])
    file: str
    reason: str
    remedy: str


class DocumentValue(Value):
    """A document as the library lists it."""

    id: str = Field(examples=["2843aeec286e22ab"])
    name: str = Field(examples=["01-northmere-master-services-agreement.docx"])
    title: str
    type: str
    media_type: str
    characters: int
    pages: int
    needs_ocr: list[int] = Field(description="Pages that show something but gave no text.")
    added: Moment
    collection: str

    @classmethod
    def from_entry(cls, entry: Entry) -> DocumentValue:
        name, title = show_invisible(entry.name), show_invisible(entry.title)
        return cls.make(entry, name=name, title=title, added=entry.added.isoformat())


class TextValue(Value):
    """The exact words of a document."""

    document: str
    span: Span
    characters: int = Field(description="Of the whole text.")
    text: str


class NodeValue(Value):
    """A part of a contract."""

    id: int
    parent: int | None
    kind: str
    label: str = Field(examples=["7.2(a)"])
    heading: str
    span: Span


class OutlineValue(Value):
    """A contract as a tree; where `windows` is true no tree is trusted."""

    confidence: float
    windows: bool
    nodes: list[NodeValue]


class FactValue(Value):
    """Something that a contract says of itself, with the words it goes by."""

    name: str = Field(examples=["governing_law"])
    value: str = Field(examples=["England and Wales"])
    words: str
    span: Span = Field(description="Empty if a person gave it in other words.")
    confidence: float
    by: str = Field(description="The person who gave it; empty if it was read.")


class CardValue(Value):
    """What a contract says of itself; what is missing was not found."""

    facts: list[FactValue]

    @classmethod
    def from_card(cls, card: Card, text: str) -> CardValue:
        return cls(
            facts=[
                FactValue.make(fact, name=name, value=value, words=fact.span.text_in(text))
                for name, value, fact in _facts(card)
            ]
        )


class NeighbourhoodValue(Value):
    """Words in context."""

    document: str
    span: Span
    words: str
    before: str
    after: str
    path: list[str] = Field(description="Label and heading of each part down to the words.")
    page: PageLabel | None
    href: str = Field(examples=["/d/2843aeec286e22ab?s=120-340&h=1f2e3d4c#s=120-340"])
    boxes: list[Box] = Field(description="Empty where the original is not at hand.")
    next: int | None = Field(
        default=None, description="Where the words after these start; null at the end of the text."
    )
    cut: str = Field(
        default="",
        description="Why there are fewer words than were asked for; empty if there are not.",
        examples=["the text ends at 45,604"],
    )


class HitValue(Value):
    """A passage found."""

    document: str
    name: str
    span: Span
    words: str
    page: PageLabel | None
    path: list[str]
    matched: list[Span]
    score: float
    href: str


class TaskValue(Value):
    """Long work: what it is, how far, and what came of it."""

    id: str
    kind: str = Field(examples=["add"])
    collection: str
    state: TaskState
    done: int
    total: int
    failed: int
    result: dict[str, str | int]
    reason: str
    remedy: str
    asked_by: str
    created: Moment
    finished: OptionalMoment


def _facts(card: Card) -> Iterator[tuple[str, str, Fact[Any]]]:
    for name in ("title", "type", "governing_law", "amends"):
        words: Fact[str] | None = getattr(card, name)
        if words is not None:
            yield name, words.value, words
    for party in card.parties:
        named = party.value
        yield "party", display_name(named) if named.is_blank else named.name, party
    for name in ("agreement_date", "effective_date", "expiry_date"):
        day: Fact[date] | None = getattr(card, name)
        if day is not None:
            yield name, day.value.isoformat(), day


def file_responses(media_types: Iterable[str]) -> dict[int | str, dict[str, Any]]:
    """Return how the description says that a route answers with a file of one of these types."""
    binary = {"schema": {"type": "string", "format": "binary"}}
    kinds = [each.partition(";")[0] for each in media_types]
    content = {each: {} if each == "application/json" else binary for each in kinds}
    return {200: {"content": content}}
