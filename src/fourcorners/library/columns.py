"""`DocumentColumns`: a document in its stored form, prepared in a worker.

Strings and numbers are sent between processes in a fraction of the time that values take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from fourcorners.documents.document import Document
from fourcorners.errors import InputError
from fourcorners.library import words
from fourcorners.library.catalogue import Catalogue, text_hash
from fourcorners.library.database import SQLiteValue, as_integer, as_string
from fourcorners.library.entries import Entry, Place
from fourcorners.library.listing import storable_path
from fourcorners.library.tables import stored_json
from fourcorners.library.tokens import fold_name
from fourcorners.outline.card.card import Card
from fourcorners.outline.exclusions import Exclusion, document_exclusions
from fourcorners.outline.passages.concordance import Concordance
from fourcorners.outline.tree import Outline, Passage


@dataclass(frozen=True, slots=True)
class DocumentColumns:
    """A document as the columns of its tables.

    Attributes:
        document: The columns of `documents`, except those known only when it is stored.
        path: The path of the file, as given.
        passages: Ordinal, start, end, view, node and context of each.
        labels: The filter tokens of each passage's labels.
        concordance: Its words and sentences, as `Concordance.dump` gives them.
        exclusions: What in its text is not evidence.
    """

    id: str
    sha256: str
    path: str
    text: str
    type: str
    needs_ocr: tuple[int, ...]
    document: Mapping[str, SQLiteValue]
    passages: tuple[tuple[int, int, int, str, int | None, str], ...]
    labels: tuple[str, ...]
    concordance: bytes
    exclusions: tuple[Exclusion, ...] = ()

    def index_rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield of each passage its text, its view, and the filter tokens of its labels."""
        for (_, start, end, view, _, _), labels in zip(self.passages, self.labels, strict=True):
            yield self.text[start:end], view, labels


def document_columns(
    document: Document, outline: Outline, card: Card, passages: Sequence[Passage]
) -> DocumentColumns:
    """Return a document as it is stored.

    Raises:
        ValueError: If passages are not numbered from 0 or are not within the text.
        InputError: If the text contains an unpaired surrogate.
    """
    _require_whole(document, passages)
    exclusions = document_exclusions(document, outline)
    kind = card.type.value if card.type else ""
    return DocumentColumns(
        id=document.id,
        sha256=document.sha256,
        path=document.path,
        text=document.text,
        type=kind,
        needs_ocr=document.pages_needing_ocr,
        document={
            "id": document.id,
            "name": storable_path(document.name),
            "path": storable_path(document.path),
            "media_type": document.media_type,
            "reader": document.reader,
            "text": document.text,
            "text_sha256": text_hash(document.text),
            "pages": stored_json.PAGES.dump(document.pages),
            "marks": stored_json.MARKS.dump(document.marks),
            "warnings": stored_json.WARNINGS.dump(document.warnings),
            "outline": stored_json.OUTLINE.dump(outline),
            "card": stored_json.CARD.dump(card),
            "title": card.title.value if card.title else storable_path(document.name),
            "type": kind,
            "characters": len(document.text),
            "page_count": len(document.pages),
            "needs_ocr": stored_json.NUMBERS.dump(document.pages_needing_ocr),
            "passage_count": len(passages),
            "words": stored_json.WORDS.dump(document.words),
        },
        passages=tuple(map(_passage_columns, passages)),
        labels=tuple(words.passage_labels(document.text, outline, passages)),
        concordance=Concordance.build(document.text, passages, exclusions).dump(),
        exclusions=exclusions,
    )


def load_columns(source: Catalogue, entry: Entry) -> tuple[DocumentColumns, Place]:
    """Return a document as it is stored, and where."""
    names = source.columns("documents")
    sql = f"SELECT {', '.join(names)} FROM documents WHERE id = ?"  # noqa: S608 - columns
    values = dict(zip(names, source.execute(sql, (entry.id,))[0], strict=True))
    number, first = as_integer(values.pop("row")), as_integer(values.pop("first_passage"))
    key = as_string(values.pop("key"))
    place = Place(number, key, first, as_string(values.pop("added")))
    document = {**values, **source.large_columns(entry.id)}
    text, passages = source.text(entry.id), source.passages(entry.id)
    return (
        DocumentColumns(
            id=entry.id,
            sha256=key.partition(":")[2],
            path=entry.path,
            text=text,
            type=entry.type,
            needs_ocr=entry.needs_ocr,
            document=document,
            passages=tuple(map(_passage_columns, passages)),
            labels=tuple(words.passage_labels(text, source.outline(entry.id), passages)),
            concordance=source.concordance(entry.id).dump(),
        ),
        place,
    )


def id_in_collection(content: str, collection: str) -> str:
    """Return the id in a collection of the document with a content's SHA-256."""
    name = f"{fold_name(collection)}\0{content}"
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _passage_columns(passage: Passage) -> tuple[int, int, int, str, int | None, str]:
    span = passage.span
    return passage.ordinal, span.start, span.end, passage.view.value, passage.node, passage.context


def _require_whole(document: Document, passages: Sequence[Passage]) -> None:
    for ordinal, passage in enumerate(passages):
        if passage.ordinal != ordinal or passage.span.end > len(document.text):
            raise ValueError(
                f"passage {ordinal} of {document.path} is numbered {passage.ordinal} and ends at "
                f"{passage.span.end} of {len(document.text)}"
            )
    try:
        document.text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"the text of {storable_path(document.path)} contains an unpaired surrogate "
            f"at {error.start}.",
            remedy="Save the file again with the application that made it.",
        ) from error
