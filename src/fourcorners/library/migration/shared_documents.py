"""Give each collection a separate copy of a document that collections once shared.

Libraries of schema 6 and earlier held a file once, in any number of collections, with one set of
findings, remarks and answers for all. The migration leaves the document to the first of them and
notes the others in `shared_documents`; this makes their copies, each in one transaction with its
note, so that it continues wherever it was stopped. What was shared is copied to each, including
what people said, because all of them could read it.

The shapes of the tables are those of that schema and never change.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Protocol

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.columns import DocumentColumns, id_in_collection, load_columns
from fourcorners.library.database import SQLiteValue, as_integer, as_string
from fourcorners.library.entries import AuditEntry, Entry
from fourcorners.library.tokens import fold_name
from fourcorners.library.vectors.rows import pack_vectors

_ID = re.compile(r'"([0-9a-f]{16})"')
_OF_COLLECTIONS = {
    "server_tasks": ("id", "collection", ("spec", "result")),
    "server_papers": ("fold", "fold", ("found",)),
}
"""Tables with ids of documents in JSON: the key, the column with the collection, the JSON."""
_REMARK = (
    'row, document, playbook, provision, by, author, at, state, value, start, "end", comment, '
    "fingerprint, seen, answers, severity"
)
_REMARK_BEFORE = 14  # columns that count in the hash of a remark without answers and severity


class Writer(Protocol):
    """The methods that change a library."""

    def transaction(self) -> AbstractContextManager[None]: ...

    def execute_many(self, sql: str, bindings: Iterable[Sequence[SQLiteValue]]) -> None: ...

    def record(self, event: str, detail: Mapping[str, str | int]) -> AuditEntry: ...

    def rewrite_words(self, document: str) -> None: ...

    def add_copy(
        self,
        columns: DocumentColumns,
        vectors: bytes | None,
        collection: str,
        paths: Sequence[str],
        added: str,
    ) -> str: ...


def copy_shared(library: Catalogue, writer: Writer) -> None:
    """Make the remaining copies, and delete the notes of what was shared.

    Raises:
        LibraryError: If a document is damaged.
    """
    while _copy_one(library, writer):
        pass


def _copy_one(library: Catalogue, writer: Writer) -> bool:
    """Copy one document to all its other collections; return False if none is left."""
    with writer.transaction():
        waiting = library.execute(
            "SELECT d.row, d.id FROM shared_documents s JOIN documents d ON d.row = s.document "
            "WHERE NOT s.copied ORDER BY d.row LIMIT 1"
        )
        if not waiting:
            library.execute("DELETE FROM shared_documents")
            return False
        row, document = as_integer(waiting[0][0]), as_string(waiting[0][1])
        entry, paths = library.entry(document), library.paths_of(document)
        others = [
            as_string(name)
            for (name,) in library.execute(
                "SELECT c.name FROM shared_documents s JOIN collections c ON c.row = s.collection "
                "WHERE s.document = ? ORDER BY c.row",
                (row,),
            )
        ]
        for collection in others:
            own = _own_paths(library, paths, collection) or paths or [entry.path]
            _copy(library, writer, entry, own, collection)
        own = _own_paths(library, paths, entry.collection)
        for path in set(paths) - set(own) if own else ():
            if path != entry.path:
                library.execute("DELETE FROM sources WHERE path = ? AND document = ?", (path, row))
        writer.rewrite_words(document)
        library.execute("UPDATE shared_documents SET copied = 1 WHERE document = ?", (row,))
    return True


def _own_paths(library: Catalogue, paths: list[str], collection: str) -> list[str]:
    """Return the paths from which a document was added to a collection, by the jobs that did so."""
    roots = {
        as_string(root)
        for (root,) in library.execute(
            "SELECT r.value FROM jobs j, json_each(json_extract(j.spec, '$.paths')) r "
            "WHERE j.kind = 'add' AND json_extract(j.spec, '$.collection') = ?",
            (fold_name(collection),),
        )
    }
    return [path for path in paths if not roots.isdisjoint(_at_and_above(path))]


def _at_and_above(path: str) -> set[str]:
    if "://" not in path:
        path = os.path.abspath(path)  # noqa: PTH100 - it may be no path of this system
    return {path, *(path[:at] for at, letter in enumerate(path) if letter in "/\\")}


def _copy(
    library: Catalogue, writer: Writer, entry: Entry, paths: list[str], collection: str
) -> None:
    columns, _ = load_columns(library, entry)
    if entry.path not in paths:
        name = PurePosixPath(paths[0].replace("\\", "/")).name
        title = name if entry.title == entry.name else entry.title
        columns = columns.with_path(paths[0], name, title)
    matrix = library.vectors(document=entry.id).matrix
    vectors = pack_vectors(matrix) if len(matrix) else None
    copy = writer.add_copy(
        columns, vectors, collection, paths, _joining_time(library, entry, collection)
    )
    tables = {
        as_string(name)
        for (name,) in library.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    }
    names = _names(library, collection)
    if "review_findings" in tables:
        _copy_findings(library, writer, entry.id, names)
    if "remarks" in tables:
        _copy_remarks(library, writer, entry.id, copy)
    if "server_answers" in tables:
        _move_answers(library, entry.id, copy, collection)
    for table in _OF_COLLECTIONS.keys() & tables:
        _rename_in(library, table, names, collection)


def _joining_time(library: Catalogue, entry: Entry, collection: str) -> str:
    """Return when a document joined a collection, by the audit trail."""
    found = library.execute(
        "SELECT at FROM audit WHERE event = 'join' AND json_extract(detail, '$.document') = ?1 "
        "AND json_extract(detail, '$.collection') = ?2 ORDER BY seq DESC LIMIT 1",
        (entry.id, collection),
    )
    return as_string(found[0][0]) if found else entry.added.isoformat()


def _names(library: Catalogue, collection: str) -> dict[str, str]:
    """Return the existing or future id, in a collection, of each document that it shared."""
    return {
        as_string(old): id_in_collection(as_string(content), collection)
        for old, content in library.execute(
            "SELECT o.id, o.sha256 FROM shared_documents s JOIN documents o ON o.row = s.document "
            "JOIN collections c ON c.row = s.collection WHERE c.fold = ?",
            (fold_name(collection),),
        )
    }


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _ID.sub(lambda found: f'"{names.get(found[1], found[1])}"', text)


def _copy_findings(
    library: Catalogue, writer: Writer, document: str, names: Mapping[str, str]
) -> None:
    rows = library.execute(
        "SELECT playbook, provision, engine, state, finding, made FROM review_findings "
        "WHERE document = ?",
        (document,),
    )
    writer.execute_many(
        "INSERT INTO review_findings(document, playbook, provision, engine, state, finding, made) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(names[document], *row[:4], _renamed(as_string(row[4]), names), row[5]) for row in rows],
    )


def _copy_remarks(library: Catalogue, writer: Writer, document: str, copy: str) -> None:
    """Copy the remarks on a document to its copy, and record each in the audit trail."""
    rows = library.execute(
        f"SELECT {_REMARK} FROM remarks WHERE document = ? ORDER BY row",  # noqa: S608
        (document,),
    )
    for row in rows:
        number = as_integer(library.execute("SELECT max(row) + 1 FROM remarks")[0][0])
        values: tuple[SQLiteValue, ...] = (number, copy, *row[2:])
        counted = values if any(values[_REMARK_BEFORE:]) else values[:_REMARK_BEFORE]
        text = json.dumps(list(counted), separators=(",", ":"))
        digest = sha256(text.encode()).hexdigest()
        library.execute(
            f"INSERT INTO remarks({_REMARK}, sha256) VALUES (?{', ?' * len(values)})",  # noqa: S608
            (*values, digest),
        )
        _, _, playbook, provision, by, author, at, state = map(str, values[:8])
        writer.record(
            "remark",
            {
                "remark": number,
                "document": copy,
                "playbook": playbook,
                "provision": provision,
                "by": by,
                "author": author,
                "said_at": at,
                "state": state if values[7] else "",
                "fingerprint": str(values[12]),
                "sha256": digest,
            },
        )


def _move_answers(library: Catalogue, document: str, copy: str, collection: str) -> None:
    """Link the answers of a collection to the document that it has now."""
    for identity, home, answer in library.execute(
        "SELECT a.id, h.collection, a.answer FROM research_answers a "
        "JOIN server_answers h ON h.answer = a.id "
        "JOIN research_sources s ON s.answer = a.id WHERE s.document = ?",
        (document,),
    ):
        if fold_name(as_string(home)) == fold_name(collection):
            library.execute(
                "UPDATE research_answers SET answer = ? WHERE id = ?",
                (_renamed(as_string(answer), {document: copy}), identity),
            )
            library.execute(
                "UPDATE research_sources SET document = ? WHERE document = ? AND answer = ?",
                (copy, document, identity),
            )


def _rename_in(library: Catalogue, table: str, names: Mapping[str, str], collection: str) -> None:
    key, column, texts = _OF_COLLECTIONS[table]
    for row in library.execute(f"SELECT {key}, {column}, {', '.join(texts)} FROM {table}"):  # noqa: S608
        if fold_name(as_string(row[1])) == fold_name(collection):
            changed = [_renamed(as_string(text), names) for text in row[2:]]
            if changed != list(row[2:]):
                places = ", ".join(f"{name} = ?" for name in texts)
                library.execute(
                    f"UPDATE {table} SET {places} WHERE {key} = ?",  # noqa: S608
                    (*changed, row[0]),
                )
