"""Where words of contracts are: looked for in every table, and in the bytes of files.

It is how a deletion is proved. In tables, runs of six words are looked for, whatever the form in
which a row has them; in files, lines and rare words as they are written. What other contracts of
the library have too is left out, so that whatever has them has them from these.
"""

from __future__ import annotations

import hashlib
import io
import mmap
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.library.database import Row, SQLiteValue, as_integer

if TYPE_CHECKING:
    from fourcorners.library.writer import Writer

_RUN = 6  # words
_MOST_RUNS = 4_000_000  # of all contracts: of more, a part that is the same in every text
_MOST_LINES = 480  # by hand
_MOST_WORDS = 16  # by hand
_SHORTEST, _LONGEST = 24, 90  # characters of a line
_PLAIN = re.compile(r"[A-Za-z0-9 ,.;:()-]+")  # what no format writes otherwise
_WORD = re.compile(r"[a-z0-9]+")
_RARE = re.compile(r"[a-z]{9,24}")
_ESCAPED = re.compile(r"\\(?:u[0-9a-f]{4}|.)")  # in JSON
_TAG = re.compile(rb"<[^>]+>")
_PAGE = 2_000  # rows at once
_NUMBERS = frozenset({"vectors", "passage_vectors", "precedent_vectors", "postings"})
_BY_ID = _NUMBERS | {"documents", "passages", "concordances", "word_lengths"}
"""Tables whose rows are those of one contract, or have numbers alone."""


@dataclass(frozen=True, slots=True)
class ContractWords:
    """What is looked for.

    Attributes:
        runs: Hashes of runs of words.
        step: Of runs, only those with a hash that this divides are among them.
        lines: Parts of lines.
        rare: Single words, in lower case.
        contracts: How many contracts have any of these.
    """

    runs: frozenset[int]
    step: int
    lines: tuple[str, ...]
    rare: tuple[str, ...]
    contracts: int


def collect_words(library: Writer, documents: Sequence[str]) -> ContractWords:
    """Return words of contracts that no other contract of the library has, and no name in it."""
    sizes = library.execute("SELECT id, characters FROM documents")
    inside = set(documents)
    step = 1 + sum(as_integer(size) for name, size in sizes if name in inside) // 5 // _MOST_RUNS
    runs, lines, rare = set[int](), list[str](), set[str]()
    most = max(1, _MOST_LINES // max(1, len(documents)))
    for each in documents:
        text = library.text(each)
        runs.update(_runs(text, step))
        rare.update(_RARE.findall(text.casefold()))
        if len(lines) < 2 * _MOST_LINES:
            lines += _spread(list(_lines(text)), 2 * most)
    others = [each for each in library.document_ids() if each not in inside]
    seen = set[str]()
    for text in (_names_in(library), *map(library.text, others)):
        runs.difference_update(_runs(text, step))
        new = set(_WORD.findall(text.casefold())) - seen
        seen |= new
        together = " ".join(new)  # bytes of files have a word within a longer one, too
        rare = {word for word in rare if word not in together}
        lines = [line for line in lines if line not in text]
    known = sum(not runs.isdisjoint(_runs(library.text(each), step)) for each in documents)
    words = sorted(rare, key=lambda word: (-len(word), word))[:_MOST_WORDS]
    return ContractWords(frozenset(runs), step, tuple(lines[:_MOST_LINES]), tuple(words), known)


def _names_in(library: Writer) -> str:
    """Return what the library calls its contracts: the audit trail has it too, and it stays."""
    entries, paths = library.documents(), library.source_paths()
    names = {*library.collection_names(), *(path for path, _ in paths)}
    return "\n".join(sorted(names.union(*((each.name, each.type) for each in entries))))


def searched_tables(library: Writer) -> list[str]:
    """Return the tables that are searched for words; in the others rows go with their contract."""
    return [name for name in library.tables() if name not in _BY_ID]


def search_tables(library: Writer, words: ContractWords) -> dict[str, int]:
    """Return how many rows of each table have some of the words; tables without are left out."""
    with library.snapshot():  # so that no row moves to another page meanwhile
        found = {
            table: sum(1 for _ in matching_rows(library, table, words))
            for table in searched_tables(library)
        }
    return {table: count for table, count in found.items() if count}


def matching_rows(library: Writer, table: str, words: ContractWords) -> Iterator[Row]:
    """Yield the rows of a table that have some of the words."""
    for row in _pages(library, table):
        text = " ".join(map(_words_in, row))
        if not words.runs.isdisjoint(_runs(_ESCAPED.sub(" ", text), words.step)):
            yield row


def _pages(library: Writer, table: str) -> Iterator[Row]:
    """Yield the rows of a table, some at a time."""
    columns = library.columns(table)
    order = ", ".join(str(at + 1) for at in range(min(4, len(columns))))
    names = ", ".join(f'"{name}"' for name in columns)
    sql = f"SELECT {names} FROM {table} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608 - ours
    at = 0
    while rows := library.execute(sql, (_PAGE, at)):
        yield from rows
        at += len(rows)


def without_stored_words(library: Writer, words: ContractWords, *, is_file: bool) -> ContractWords:
    """Leave out the single words that are in rows of what stays, or in how tables are defined.

    Rows are proved by runs of words. A word in them that no other contract has may be a provision's
    identifier or part of a path.
    """
    rare = set(words.rare)
    statements = library.execute("SELECT sql FROM sqlite_schema") if is_file else []
    rest = [name for name in library.tables() if name not in _NUMBERS]
    for rows in (statements, *(_pages(library, table) for table in rest)):
        for row in rows:
            if not rare:
                break
            text = " ".join(map(_words_in, row)).casefold()
            rare = {word for word in rare if word not in text}
    return replace(words, rare=tuple(word for word in words.rare if word in rare))


def delete_matching(
    library: Writer,
    keys: Mapping[str, Sequence[str]],
    words: ContractWords,
    may_delete: Callable[[str, Mapping[str, SQLiteValue]], bool],
) -> None:
    """Delete the rows of some tables that have some of the words; `keys` has each table's key."""
    for table, key in keys.items():
        columns = library.columns(table)
        found = list(matching_rows(library, table, words))
        where = " AND ".join(f"{name} = ?" for name in key)
        for row in found:
            values = dict(zip(columns, row, strict=True))
            if may_delete(table, values):
                sql = f"DELETE FROM {table} WHERE {where}"  # noqa: S608 - names of ours
                library.execute(sql, tuple(values[name] for name in key))


def search_files(
    files: Iterable[Path], words: ContractWords, hashes: Collection[str]
) -> dict[str, int]:
    """Return how many of the lines and rare words are in the bytes of files that have any.

    A file that is one of the contracts, by its SHA-256, has at least one.
    """
    found: dict[str, int] = {}
    wanted = [each.encode() for each in (*words.lines, *words.rare)]
    for path in files:
        if not path.is_file() or not path.stat().st_size:
            continue
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            count = sum(data.find(each) >= 0 for each in wanted)
            count += hashlib.sha256(data).hexdigest() in hashes
        if count:
            found[str(path)] = count
    return found


def _words_in(value: SQLiteValue) -> str:
    """Return what a value of a row says: a file in it, Word's and Excel's included, has words."""
    if not isinstance(value, bytes):
        return value if isinstance(value, str) else ""
    parts = [value]
    if zipfile.is_zipfile(io.BytesIO(value)):
        with zipfile.ZipFile(io.BytesIO(value)) as file:
            parts = [file.read(name) for name in file.namelist()]
    return " ".join(_TAG.sub(b" ", part).decode("utf-8", "ignore") for part in parts)


def _runs(text: str, step: int) -> set[int]:
    """Return the hashes of the runs of words of a text."""
    words = _WORD.findall(text.casefold())
    found = {hash(" ".join(words[at : at + _RUN])) for at in range(len(words) - _RUN + 1)}
    return found if step == 1 else {each for each in found if each % step == 0}


def _lines(text: str) -> Iterator[str]:
    """Yield parts of the lines of a text that are written alike in every format."""
    for line in text.splitlines():
        for part in _PLAIN.findall(line):
            phrase = part.strip()[:_LONGEST]
            if len(phrase) >= _SHORTEST:
                yield phrase


def _spread(found: list[str], most: int) -> list[str]:
    """Return as many of a list, the longest of each stretch."""
    step = max(1, len(found) // most)
    return [max(found[at : at + step], key=len) for at in range(0, len(found), step)][:most]
