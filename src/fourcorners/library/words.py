"""The words index: one row of FTS5 a passage, its words and its filter tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fourcorners.library.database import Database, SqlReader, as_bytes
from fourcorners.library.tokens import filter_tokens, heading_token, label_token
from fourcorners.outline.tree import Node, Outline, Passage, View
from fourcorners.text.divided_words import join_words
from fourcorners.text.tokenization import tokenize


@dataclass(frozen=True, slots=True)
class WordTotals:
    """How many rows the index has, and how many words, filter tokens among them, in all."""

    rows: int
    words: int


def word_totals(tables: SqlReader) -> WordTotals:
    """Return the size of the index, from the record that FTS5 keeps of it."""
    found = tables.execute("SELECT block FROM words_data WHERE id = 1")
    rows, *words = [*_numbers(as_bytes(found[0][0]))] or [0] if found else [0]
    return WordTotals(rows, sum(words))


def word_count(tables: SqlReader, row: int) -> int:
    """Return how many words a row has, filter tokens among them, from FTS5's own table."""
    found = tables.execute("SELECT sz FROM words_docsize WHERE id = ?", (row,))
    return sum(_numbers(as_bytes(found[0][0]))) if found else 0


def _numbers(block: bytes) -> Iterator[int]:
    """Yield SQLite's varints: seven bits a byte, the highest first, all eight of a ninth byte."""
    value = length = 0
    for byte in block:
        length += 1
        value = value << 8 | byte if length == 9 else value << 7 | byte & 0x7F
        if byte < 0x80 or length == 9:
            yield value
            value = length = 0


def index_passages(
    database: Database,
    document: str,
    passages: Iterable[tuple[str, str, str]],
    *,
    first: int,
    document_type: str,
    collection: str,
) -> None:
    """Index the passages of a document, whose rowids start at `first`; see `marked_passages`."""
    marked = marked_passages(document, passages, document_type, collection)
    database.execute_many(
        "INSERT INTO words(rowid, body, meta) VALUES (?, ?, ?)",
        (
            (row, joined.text if (joined := join_words(body)) else body, marks)
            for row, (body, marks) in enumerate(marked, first)
        ),
    )


def marked_passages(
    document: str, passages: Iterable[tuple[str, str, str]], document_type: str, collection: str
) -> Iterator[tuple[str, str]]:
    """Yield the text of each passage with its filter tokens.

    Args:
        document: The id.
        passages: Of each its text, its view, and the tokens of its labels.
        document_type: The type of the document.
        collection: The name of the one that it is in.
    """
    shared: dict[str, str] = {}  # what passages of one view have in common
    for body, view, labels in passages:
        if view not in shared:
            shared[view] = filter_tokens(
                document=document,
                collection=collection,
                document_type=document_type,
                labels=(),
                view=View(view),
            )
        yield body, f"{shared[view]} {labels}" if labels else shared[view]


def delete_rows(database: Database, rows: range) -> None:
    database.execute("DELETE FROM words WHERE rowid >= ? AND rowid < ?", (rows.start, rows.stop))


def passage_labels(text: str, outline: Outline, passages: Sequence[Passage]) -> list[str]:
    """Return the filter tokens of each passage's labels and headings: its node's and those above.

    A word in several headings above a passage has its token several times.
    """
    known: dict[int, str] = {}

    def tokens(node: int | None) -> str:
        chain: list[int] = []
        while node is not None and node not in known:
            chain.append(node)
            node = outline.nodes[node].parent
        above = known[node] if node is not None else ""
        for each in reversed(chain):
            above = " ".join(filter(None, (_own_words(text, outline.nodes[each]), above)))
            known[each] = above
        return above

    return [tokens(passage.node) for passage in passages]


def _own_words(text: str, node: Node) -> str:
    own = [label_token(node.label)] if node.label else []
    if node.heading:
        own += [heading_token(word) for word in tokenize(node.heading.text_in(text)).tokens]
    return " ".join(own)
