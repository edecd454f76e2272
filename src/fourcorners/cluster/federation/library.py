"""`FederatedLibrary`: several libraries in PostgreSQL, read as one.

A document's id begins with the name of its library, and the rows of a library come after those of
the libraries before it. What belongs to one document is read from its library. What is written, or
belongs to a library as a whole, such as jobs and findings, is refused: one library has it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from fourcorners.cluster.federation.members import Federation, Member, NoTables
from fourcorners.cluster.federation.processes import MemberProcesses, naming_member
from fourcorners.cluster.postgres.library import PostgresLibrary
from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError, DamagedDocument, name_remedy
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.database import Row, as_integer, as_string
from fourcorners.library.entries import (
    CollectionStats,
    EncoderRecord,
    Entry,
    Failure,
    PassageRow,
    Stats,
    Vectors,
)
from fourcorners.library.listing import Listing
from fourcorners.library.memory import Memory
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.outline.card.card import Card
from fourcorners.outline.passages.concordance import Concordance
from fourcorners.outline.tree import Outline, Passage

T = TypeVar("T")


class FederatedLibrary(Library):
    """Several libraries, to be searched together; use it in one thread at a time.

    Raises:
        LibraryError: If one of them is missing or out of reach: the others alone would give fewer
            hits than there are.
        ConfigError: If their vectors were made by different encoders.
    """

    shared = True
    files_are_shared = False

    def __init__(self, federation: Federation) -> None:
        self.federation = federation
        self._libraries: dict[Member, PostgresLibrary] = {}
        self._version = ""  # while a snapshot lasts
        self.processes = MemberProcesses(federation)
        self._owns_processes = True
        self._tables = NoTables(federation)
        Catalogue.__init__(self, self._tables)
        try:
            for member in federation.members:
                with naming_member(federation, member):
                    self._libraries[member] = PostgresLibrary(member.address, create=False)
            self._require_one_encoder()
        except BaseException:
            self.close()
            raise

    def _require_one_encoder(self) -> None:
        made: dict[EncoderRecord, Member] = {}
        for member, record in self._read_all(lambda library: library.encoder):
            if record is not None:
                made.setdefault(record, member)
        if len(made) > 1:
            (one, first), (other, second), *_ = made.items()
            raise ConfigError(
                f"the vectors of the library {first.name!r} were made by {one.name}, those of "
                f"{second.name!r} by {other.name}.",
                remedy="Make one's vectors again: `fourcorners library encode`.",
            )

    @property
    def url(self) -> str:
        return self.federation.url

    @property
    def path(self) -> Path:
        return self.federation.path

    def owns(self, path: Path) -> bool:
        return path.absolute() == self.path.absolute()

    def share(self, other: Listing) -> None:
        super().share(other)
        if isinstance(other, FederatedLibrary):
            if self._owns_processes:
                self.processes.close()
            self.processes, self._owns_processes = other.processes, False

    def close(self) -> None:
        self.memory = Memory()
        if self._owns_processes:
            self.processes.close()
        for library in self._libraries.values():
            library.close()

    @contextmanager
    def _snapshots(self) -> Iterator[None]:
        if self._version:
            yield
            return
        with ExitStack() as stack:
            for member, library in self._libraries.items():
                with naming_member(self.federation, member):
                    stack.enter_context(library.snapshot())
            try:
                self._version = self._meta("content_version")
                yield
            finally:
                self._version = ""

    def snapshot(self) -> AbstractContextManager[None]:
        """Give all reads inside one state of each library; the states may be of different times."""
        return self._snapshots()

    def _read_all(self, read: Callable[[PostgresLibrary], T]) -> list[tuple[Member, T]]:
        found = []
        for member, library in self._libraries.items():
            with naming_member(self.federation, member):
                found.append((member, read(library)))
        return found

    def _read_one(self, document: str, read: Callable[[PostgresLibrary, str], T]) -> T:
        """Read what belongs to a document from its library, by its id there."""
        found = self.federation.split_id(document)
        if found is None:
            raise ConfigError(
                f"document {document!r} not found in {self.place}.",
                remedy="List the documents with `fourcorners status`.",
            )
        member, identifier = found
        with naming_member(self.federation, member):
            return read(self._libraries[member], identifier)

    # What is said of all

    def _meta(self, key: str) -> str:
        if key == "content_version" and self._version:
            return self._version
        return " ".join(value for _, value in self._read_all(lambda library: library._meta(key)))

    @property
    def encoder(self) -> EncoderRecord | None:
        records = (record for _, record in self._read_all(lambda library: library.encoder))
        return next((record for record in records if record), None)

    def size(self) -> int:
        return sum(size for _, size in self._read_all(lambda library: library.size()))

    def stats(self) -> Stats:
        several = [stats for _, stats in self._read_all(lambda library: library.stats())]
        parts: dict[str, CollectionStats] = {}
        for part in (part for stats in several for part in stats.collections):
            known = parts.setdefault(
                fold_name(part.name), replace(part, documents=0, characters=0, passages=0)
            )
            parts[fold_name(part.name)] = replace(
                known,
                documents=known.documents + part.documents,
                characters=known.characters + part.characters,
                passages=known.passages + part.passages,
                read_for=tuple(dict.fromkeys((*known.read_for, *part.read_for))),
            )
        return Stats(
            documents=sum(each.documents for each in several),
            characters=sum(each.characters for each in several),
            passages=sum(each.passages for each in several),
            vectors=sum(each.vectors for each in several),
            failures=sum(each.failures for each in several),
            bytes=sum(each.bytes for each in several),
            collections=tuple(parts[fold] for fold in sorted(parts)),
        )

    def library_of(self, member: Member) -> PostgresLibrary:
        return self._libraries[member]

    def collections_of(self, member: Member) -> list[str]:
        with naming_member(self.federation, member):
            return self._libraries[member].collection_names()

    def collection_names(self) -> list[str]:
        names = self._read_all(lambda library: library.collection_names())
        known = {fold_name(name): name for _, own in reversed(names) for name in own}
        return [known[fold] for fold in sorted(known)]

    def failures(self, collection: str | None = None) -> list[Failure]:
        return [
            failure
            for _, own in self._read_all(lambda library: library.failures(collection))
            for failure in own
        ]

    def _documents(self, collection: str | None, left_out: Iterable[str] = ()) -> list[Entry]:
        if collection is not None:
            self._require_collection(collection)
        entries = [
            _global_entry(member, entry)
            for member, own in self._read_all(lambda library: _documents_in(library, collection))
            for entry in own
        ]
        excluded = {*left_out}
        return sorted(
            (entry for entry in entries if entry.id not in excluded),
            key=lambda entry: (entry.name.casefold(), entry.path, entry.id),
        )

    def _require_collection(self, collection: str) -> None:
        known = self.collection_names()
        if fold_name(collection) not in map(fold_name, known):
            raise ConfigError(
                f"collection {collection!r} not found in {self.place}.",
                remedy=name_remedy(collection, known),
            )

    def document_ids(self, collection: str | None = None) -> list[str]:
        return [entry.id for entry in self._documents(collection)]

    def source_paths(self) -> list[tuple[str, str]]:
        return [
            (path, member.global_id(document))
            for member, own in self._read_all(lambda library: library.source_paths())
            for path, document in own
        ]

    # What searches ask of all documents

    def passage_ranges(
        self, collections: Iterable[str] | None = None, documents: Iterable[str] | None = None
    ) -> list[range]:
        folds = None if collections is None else [*collections]
        wanted = None if documents is None else [*map(self.federation.split_id, documents)]
        found: list[range] = []
        for member, library in self._libraries.items():
            own = None if wanted is None else [e[1] for e in wanted if e and e[0] == member]
            with naming_member(self.federation, member):
                ranges = library.passage_ranges(folds, own)
            found += [_shift(each, member) for each in ranges]
        return found

    def passages_of_documents(self) -> list[tuple[int, str, range]]:
        return [
            (row + member.first_row, member.global_id(document), _shift(rows, member))
            for member, own in self._read_all(lambda library: library.passages_of_documents())
            for row, document, rows in own
        ]

    def has_document(self, document: str) -> bool:
        if self.federation.split_id(document) is None:
            return False
        return self._read_one(document, lambda library, own: library.has_document(own))

    def has_documents_outside(self, collections: Iterable[str]) -> bool:
        names = [*collections]
        return any(
            found
            for _, found in self._read_all(lambda library: library.has_documents_outside(names))
        )

    def document_types(self, collections: Iterable[str] | None = None) -> list[str]:
        names = None if collections is None else [*collections]
        several = self._read_all(lambda library: library.document_types(names))
        return sorted({kind for _, own in several for kind in own})

    def types_of_documents(self, collections: Iterable[str] | None = None) -> list[tuple[str, str]]:
        names = None if collections is None else [*collections]
        return [
            (member.global_id(document), kind)
            for member, own in self._read_all(lambda library: library.types_of_documents(names))
            for document, kind in own
        ]

    def named_documents(self, collections: Iterable[str] | None = None) -> list[Row]:
        names = None if collections is None else [*collections]
        return [
            (as_integer(row) + member.first_row, member.global_id(as_string(document)), *rest)
            for member, own in self._read_all(lambda library: library.named_documents(names))
            for row, document, *rest in own
        ]

    def count_without_headings(self, collections: Iterable[str] | None = None) -> int:
        names = None if collections is None else [*collections]
        several = self._read_all(lambda library: library.count_without_headings(names))
        return sum(count for _, count in several)

    def passage_rows(self, rows: Iterable[int]) -> dict[int, PassageRow]:
        wanted = self.without_left_out(rows)
        found: dict[int, PassageRow] = {}
        for member, library in self._libraries.items():
            own = [
                row - member.first_row for row in wanted if member.first_row <= row < member.end_row
            ]
            with naming_member(self.federation, member):
                passages = library.passage_rows(own) if own else {}
            for row, passage in passages.items():
                number = row + member.first_row
                document = member.global_id(passage.document)
                found[number] = PassageRow(number, document, passage.passage)
        return found

    def without_left_out(self, passages: Iterable[int]) -> list[int]:
        ranges = [self.entry(document).rows for document in self.damaged]
        return [int(row) for row in passages if not any(row in each for each in ranges)]

    # What belongs to one document

    def entry(self, document: str) -> Entry:
        found = self.federation.split_id(document)
        entry = self._read_one(document, lambda library, own: library.entry(own))
        return _global_entry(found[0], entry) if found else entry

    def document(self, document: str) -> Document:
        return replace(
            self._read_one(document, lambda library, own: library.document(own)), id=document
        )

    def text(self, document: str) -> str:
        return self._read_one(document, lambda library, own: library.text(own))

    def outline(self, document: str) -> Outline:
        return self._read_one(document, lambda library, own: library.outline(own))

    def card(self, document: str) -> Card:
        return self._read_one(document, lambda library, own: library.card(own))

    def passages(self, document: str) -> list[Passage]:
        return self._read_one(document, lambda library, own: library.passages(own))

    def concordance(self, document: str) -> Concordance:
        return self._read_one(document, lambda library, own: library.concordance(own))

    def name_of(self, document: str) -> str:
        return self._read_one(document, lambda library, own: library.name_of(own))

    def path_of(self, document: str) -> str:
        return self._read_one(document, lambda library, own: library.path_of(own))

    def paths_of(self, document: str) -> list[str]:
        return self._read_one(document, lambda library, own: library.paths_of(own))

    def stored_place(self, document: str) -> tuple[str, str, str]:
        return self._read_one(document, lambda library, own: library.stored_place(own))

    def large_columns(self, document: str, names: Sequence[str] = ()) -> Mapping[str, str]:
        return self._read_one(document, lambda library, own: library.large_columns(own, names))

    def state_of(self, document: str) -> Hashable:
        return self._read_one(document, lambda library, own: library.state_of(own))

    def damaged_document(self, document: str, part: str) -> DamagedDocument:
        own = self._read_one(document, lambda library, own: library.damaged_document(own, part))
        return DamagedDocument(document, own.name, own.path, own.collection, part)

    def vectors(self, collection: str | None = None, document: str | None = None) -> Vectors:
        """Return the vectors of a document; those of all libraries exceed the memory."""
        if document is None:
            self._tables.reject()
        own = self._read_one(document, lambda library, own: library.vectors(collection, own))
        found = self.federation.split_id(document)
        first = found[0].first_row if found else 0
        return Vectors(own.rowids + first, own.matrix, (document,) * len(own))


def _documents_in(library: PostgresLibrary, collection: str | None) -> list[Entry]:
    if collection is None or fold_name(collection) in map(fold_name, library.collection_names()):
        return library.documents(collection)
    return []


def _global_entry(member: Member, entry: Entry) -> Entry:
    return replace(entry, id=member.global_id(entry.id), rows=_shift(entry.rows, member))


def _shift(rows: range, member: Member) -> range:
    return range(rows.start + member.first_row, rows.stop + member.first_row)
