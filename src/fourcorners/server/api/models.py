"""What the API says and takes, as schemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from fourcorners.library.entries import Entry
from fourcorners.outline.card.card import Card
from fourcorners.server.tasks.queue import Task
from fourcorners.text.invisible_characters import show_invisible
from fourcorners.text.span import Span

T = TypeVar("T")


class Value(BaseModel):
    """A value of the API: no more, and no less, than its schema says."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)


class Paged(Value, Generic[T]):
    """A part of a list; `next` is the cursor of what follows, null at the end."""

    items: list[T]
    next: str | None = Field(default=None, examples=["eyJhIjpbImxlYXNlLnBkZiJdfQ"])


class Problem(Value):
    """What went wrong, as RFC 9457 has it, with what to do about it."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["There is no document '2843aeec286e22ab' that you may read."])
    remedy: str = ""


class SpanValue(Value):
    """A half-open range of a document's text, in code points."""

    start: int = Field(examples=[120])
    end: int = Field(examples=[340])

    @classmethod
    def from_span(cls, span: Span) -> SpanValue:
        """Return a span as the API says it."""
        return cls(start=span.start, end=span.end)


class CollectionValue(Value):
    """A named part of the library."""

    name: str = Field(examples=["Project Larch"])
    documents: int
    characters: int
    passages: int
    unread: int = Field(description="Files that could not be read.")


class FailureValue(Value):
    """A file that could not be read."""

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
    added: str
    collections: list[str]

    @classmethod
    def from_entry(cls, entry: Entry) -> DocumentValue:
        """Return a document as the API says it."""
        return cls(
            id=entry.id,
            name=show_invisible(entry.name),
            title=show_invisible(entry.title),
            type=entry.type,
            media_type=entry.media_type,
            characters=entry.characters,
            pages=entry.pages,
            needs_ocr=list(entry.needs_ocr),
            added=entry.added.isoformat(),
            collections=list(entry.collections),
        )


class TextValue(Value):
    """Words of a document, exactly as they stand there."""

    document: str
    span: SpanValue
    characters: int = Field(description="Of the whole text.")
    text: str


class NodeValue(Value):
    """A part of a contract."""

    id: int
    parent: int | None
    kind: str
    label: str = Field(examples=["7.2(a)"])
    heading: str
    span: SpanValue


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
    span: SpanValue
    confidence: float


class CardValue(Value):
    """What a contract says of itself; what is missing was not found."""

    facts: list[FactValue]

    @classmethod
    def from_card(cls, card: Card, text: str) -> CardValue:
        """Return a card as the API says it."""
        return cls(
            facts=[
                FactValue(
                    name=name,
                    value=value,
                    words=span.text_in(text),
                    span=SpanValue.from_span(span),
                    confidence=confidence,
                )
                for name, value, span, confidence in _facts(card)
            ]
        )


class BoxValue(Value):
    """Where words stand on a page, in points from its top left."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class NeighbourhoodValue(Value):
    """Words with what stands around them."""

    document: str
    span: SpanValue
    words: str
    before: str
    after: str
    path: list[str] = Field(description="Label and heading of each part down to the words.")
    page: int | None
    href: str = Field(examples=["/d/2843aeec286e22ab?s=120-340&h=1f2e3d4c#s=120-340"])
    boxes: list[BoxValue] = Field(description="Empty where the original is not at hand.")


class HitValue(Value):
    """A passage found."""

    document: str
    name: str
    span: SpanValue
    words: str
    page: int | None
    path: list[str]
    matched: list[SpanValue]
    score: float
    href: str


class TaskValue(Value):
    """Long work: what it is, how far, and what came of it."""

    id: str
    kind: str = Field(examples=["add"])
    collection: str
    state: Literal["waiting", "running", "parked", "done", "failed", "cancelled"]
    done: int
    total: int
    failed: int
    result: dict[str, str | int]
    reason: str
    remedy: str
    asked_by: str
    created: str
    finished: str

    @classmethod
    def from_task(cls, task: Task) -> TaskValue:
        """Return a task as the API says it."""
        return cls.model_validate(task)


def _facts(card: Card) -> Iterator[tuple[str, str, Span, float]]:
    for name, words in (
        ("title", card.title),
        ("type", card.type),
        ("governing_law", card.governing_law),
        ("amends", card.amends),
    ):
        if words is not None:
            yield name, words.value, words.span, words.confidence
    for party in card.parties:
        yield "party", party.value.name, party.span, party.confidence
    for name, day in (
        ("agreement_date", card.agreement_date),
        ("effective_date", card.effective_date),
        ("expiry_date", card.expiry_date),
    ):
        if day is not None:
            yield name, day.value.isoformat(), day.span, day.confidence
