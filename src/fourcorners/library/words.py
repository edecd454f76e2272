"""The words index: one row of FTS5 a passage, its words and its filter tokens."""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.library.database import Database
from fourcorners.library.tokens import filter_tokens
from fourcorners.outline.tree import Outline, Passage


def write(
    database: Database,
    document: str,
    text: str,
    outline: Outline,
    passages: Sequence[Passage],
    *,
    first: int,
    document_type: str,
    collections: Sequence[str],
) -> None:
    """Index the passages of a document, whose rowids start at `first`."""

    def tokens(passage: Passage) -> str:
        return filter_tokens(
            document=document,
            collections=collections,
            document_type=document_type,
            labels=_labels(outline, passage.node),
            view=passage.view,
        )

    database.execute_many(
        "INSERT INTO words(rowid, body, meta) VALUES (?, ?, ?)",
        ((first + each.ordinal, each.span.of(text), tokens(each)) for each in passages),
    )


def delete(database: Database, rows: range) -> None:
    """Take passages out of the index."""
    database.execute("DELETE FROM words WHERE rowid >= ? AND rowid < ?", (rows.start, rows.stop))


def _labels(outline: Outline, node: int | None) -> list[str]:
    labels: list[str] = []
    while node is not None:
        labels.append(outline.nodes[node].label)
        node = outline.nodes[node].parent
    return labels
