"""`Access`: what one person may see and do of the library; only here are collections separated.

A document is visible if it is in a collection that the person may read. What is not visible does
not exist: no id, name, count, message or suggestion discloses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError, name_remedy
from fourcorners.library.entries import AuditEntry, CollectionStats, Entry, Failure
from fourcorners.library.memory import VersionedCache
from fourcorners.library.removal.retention import hold_of
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.errors import Conflict, NotAllowed, NotFound
from fourcorners.operations.principal import Principal, Role
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.contract_titles import ContractTitle, title_contracts
from fourcorners.outline.exclusions import ExclusionKind
from fourcorners.outline.tree import Outline
from fourcorners.text.span import Span

SET_APART = "Which clauses were not read because they give orders, by contract."


@dataclass(frozen=True, slots=True)
class VisibleDocument:
    """A document as one person sees it: their role in its collection."""

    entry: Entry
    role: Role


class Access:
    """The library as one principal may use it, while a block lasts.

    Args:
        library: The connection; it must not be reached but through this.
        watched: Whether reading a document is written to the audit trail.
    """

    def __init__(self, library: Library, principal: Principal, *, watched: bool) -> None:
        self._library = library
        self.principal = principal
        self._watched = watched

    # The gate

    def library_for(self, collection: str, role: Role, *, to_come: bool = False) -> Library:
        """Return the library to someone who holds a role in a collection, for use within it.

        The collection must exist unless it is `to_come`, as while its first documents are read.

        Raises:
            NotFound: If they may not know of the collection.
            NotAllowed: If they hold a lesser role there.
        """
        self.require(role, collection, to_come=to_come)
        return self._library

    def library_of(self, document: str, role: Role) -> Library:
        """Return the library to someone who holds a role in the collection of a document.

        Raises:
            NotFound: If they may not know of the document.
            NotAllowed: If they hold a lesser role there.
        """
        found = self.visible(document)
        if found.role < role:
            raise _not_allowed(self.principal, role, found.entry.collection)
        return self._library

    def full_library(self, role: Role) -> Library:
        """Return the library to someone who holds a role in all of it.

        Raises:
            NotAllowed: If they do not.
        """
        if not self.principal.may_everywhere(role):
            raise _not_allowed(self.principal, role, "")
        return self._library

    def common(self) -> Library:
        """Return the library for what belongs to all who sign in, such as playbooks.

        Nothing of a collection or a document may be read from it, but of those that `documents`
        and `collections` list.
        """
        return self._library

    def require(self, role: Role, collection: str, *, to_come: bool = False) -> None:
        """Check a role in a collection, which must exist unless it is `to_come`.

        Raises:
            NotFound: If they may not know of the collection, or there is none.
            NotAllowed: If they hold a lesser role there.
        """
        held = self.principal.role_in(collection)
        known = to_come or fold_name(collection) in self._names()
        if held is None or not known:
            problem = f"collection {collection!r} not found{self._or_hidden()}."
            names = [name for name in self._names().values() if self.principal.role_in(name)]
            raise NotFound(problem, remedy=name_remedy(collection, names))
        if held < role:
            raise _not_allowed(self.principal, role, collection)

    def readable(self) -> tuple[str, ...] | None:
        """Return the names of the collections that they may read; None for all there are."""
        if self.principal.role_everywhere is not None:
            return None
        return tuple(
            name for fold, name in self._names().items() if self.principal.may(Role.READER, fold)
        )

    # What there is

    def collections(self) -> list[CollectionStats]:
        may = self.principal.may
        return [each for each in self._library.stats().collections if may(Role.READER, each.name)]

    def documents(self, collection: str | None = None) -> list[Entry]:
        """List the documents (of a collection) that they may read, by name.

        Raises:
            NotFound: If they may not know of the collection.
        """
        if collection is not None:
            self.require(Role.READER, collection)
        may = self.principal.may
        return [
            entry
            for entry in _entries(self._library, collection)
            if may(Role.READER, entry.collection)
        ]

    def visible(self, document: str) -> VisibleDocument:
        """Return how a document is listed, and the role they hold where it is.

        Raises:
            NotFound: If they may not know of it, or there is none.
        """
        try:
            entry = self._library.entry(document)
        except ConfigError as error:
            raise self._no_document(document) from error
        role = self.principal.role_in(entry.collection)
        if role is None:
            raise self._no_document(document)
        return VisibleDocument(entry, role)

    def find(self, contract: str, collection: str | None = None) -> Entry:
        """Return the contract that is meant by its id, its path or a unique part of its name.

        Raises:
            NotFound: If they may read none of that name.
            ConfigError: If several have it.
        """
        entry = self._library.resolve(contract, collection, among=self.documents(collection))
        return self.visible(entry.id).entry

    def document(self, document: str) -> Document:
        """Return a document as it was read; the audit trail keeps that they read it."""
        self._read(document)
        return self._library.document(document)

    def text(self, document: str) -> str:
        """Return the text of a document; the audit trail keeps that they read it."""
        self._read(document)
        return self._library.text(document)

    def orders(self, document: str) -> list[Span]:
        """Return the places of a document that give orders to whoever reads it."""
        self.visible(document)
        exclusions = self._library.exclusions(document)
        return [each.span for each in exclusions if each.kind is ExclusionKind.ORDERS]

    def outline(self, document: str) -> Outline:
        self.visible(document)
        return self._library.outline(document)

    def card(self, document: str) -> Card:
        self.visible(document)
        from fourcorners.search.graph.in_force import card_in_force

        return card_in_force(self._library, document)

    def cards(self, entries: Sequence[Entry]) -> dict[str, Card]:
        return {entry.id: self.card(entry.id) for entry in entries}

    def titles(self, documents: Iterable[str]) -> dict[str, ContractTitle]:
        """Return what documents that are shown together are called.

        Raises:
            NotFound: If they may not know of one of them.
        """
        entries = [self.visible(document).entry for document in dict.fromkeys(documents)]
        return title_contracts(entries, self._library.card)

    def failures(self, collection: str, *, to_come: bool = False) -> list[Failure]:
        """Return the files of a collection (that may be `to_come`) that could not be read.

        Raises:
            NotFound: If they may not know of the collection.
        """
        self.require(Role.READER, collection, to_come=to_come)
        return self._library.failures(collection)

    def left_out(self, collection: str | None = None) -> list[str]:
        """Say which documents that they may read are left out because they are damaged."""
        inside = (collection,) if collection is not None else self.readable()
        found = self._library.left_out(*((None,) if inside is None else inside))
        return [str(each) for each in found]

    def set_apart(self, documents: Iterable[str]) -> list[str]:
        """Say which clauses of documents were set apart because they give orders, each in turn.

        Raises:
            NotFound: If they may not know of a document.
        """
        from fourcorners.review.set_apart import describe_set_apart

        inside = [self.visible(each).entry.id for each in documents]
        damaged = self._library.damaged
        return describe_set_apart(self._library, [each for each in inside if each not in damaged])

    def require_no_hold(self, collection: str) -> None:
        """Refuse to delete anything of a collection that is under a legal hold.

        Raises:
            Conflict: If it is.
        """
        if hold := hold_of(self._library, collection):
            raise Conflict(
                f"collection {collection!r} is under a legal hold {hold}.",
                remedy="Nothing of it can be deleted until an admin of it releases the hold.",
            )

    def paths(self, document: str) -> list[str]:
        """Return the paths that a document was read from."""
        self.visible(document)
        return self._library.paths_of(document)

    def remove(self, document: str) -> list[str]:
        """Take a document out of the library; return the paths that no document was read from now.

        Raises:
            NotFound: If they may not know of it.
            NotAllowed: If they may not edit its collection.
            Conflict: If that is under a legal hold.
        """
        library = self.library_of(document, Role.EDITOR)
        collection = library.entry(document).collection
        with library.transaction():
            self.require_no_hold(collection)
            paths = library.paths_of(document)
            library.remove(document)
            library.execute(  # reports that may have its words
                "DELETE FROM server_exports WHERE task IN (SELECT id FROM server_tasks WHERE "
                "collection = ? AND (spec LIKE ? OR spec LIKE ?))",
                (collection, f"%{document}%", '%"documents": []%'),
            )
            self.record("taken out", {"document": document, "collection": collection}, always=True)
            return [path for path in paths if not library.is_source(path)]

    # The audit trail

    def record(self, event: str, detail: dict[str, str | int], *, always: bool = False) -> None:
        """Write to the audit trail what they did; what is only read, where reading is watched."""
        if self._watched or always:
            self._library.record(event, {**detail, "by": self.principal.name})

    def audit_trail(self) -> Iterator[AuditEntry]:
        """Yield the audit trail, the oldest entry first.

        Raises:
            NotAllowed: If they are not an admin of the whole library.
        """
        return self.full_library(Role.ADMIN).audit_trail()

    def _read(self, document: str) -> None:
        self.visible(document)
        self.record("read", {"document": document})

    def _no_document(self, document: str) -> NotFound:
        return NotFound(
            f"document {document[:40]!r} not found{self._or_hidden()}.",
            remedy="It may have been removed. The list of documents has their ids.",
        )

    def _or_hidden(self) -> str:
        """Return the other reason why nothing is found, for those who may not read all."""
        return ", or you don't have access" if self.principal.role_everywhere is None else ""

    def _names(self) -> dict[str, str]:
        return {fold_name(name): name for name in self._library.collection_names()}


def _entries(library: Library, collection: str | None) -> tuple[Entry, ...]:
    """Return the documents (of a collection), whoever may read them."""
    known: VersionedCache[tuple[Entry, ...]] = library.memory.cache("entries")
    key = None if collection is None else fold_name(collection)
    return known.get(library.content_version, key, lambda: tuple(library.documents(collection)))


def _not_allowed(principal: Principal, role: Role, collection: str) -> NotAllowed:
    """Say what is lacking in a collection, or in the whole library (`""`): a scope, or the role."""
    if replace(principal, ceiling=Role.ADMIN).may(role, collection):
        return NotAllowed(
            f"you have the role {role.title!r} here, but this token's scope allows less.",
            remedy="Use a token with a wider scope.",
        )
    where = "here" if collection else "in all collections"
    return NotAllowed(
        f"this needs the role {role.title!r} {where}.",
        remedy="Ask whoever administers this library for it.",
    )
