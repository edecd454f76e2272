"""The playbooks that a server knows: those of the package, and the house's own in the library.

A house playbook may extend one of the package. Every version that was saved is kept; its hash names
the findings that were made by it. One of a collection does not exist for those who may not read
that collection, nor in the reviews of another; so two collections may have one of the same id.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fourcorners.errors import PlaybookError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound, Refusal
from fourcorners.operations.local_models import LocalModels
from fourcorners.operations.principal import Role
from fourcorners.playbooks.load import MAX_BYTES, builtin_names, parse_playbook
from fourcorners.playbooks.load import load_playbook as load_file
from fourcorners.playbooks.load import playbook_text as text_of_file
from fourcorners.playbooks.playbook import Playbook

if TYPE_CHECKING:
    from fourcorners.review.finding import Finding

_MAX_LISTED = 20  # playbooks, where an unknown one is asked for


@dataclass(frozen=True, slots=True)
class PlaybookVersion:
    """A version of a house playbook; the first that was saved has the number 1, and so on.

    Attributes:
        row: Its place among the versions of all playbooks, which the editor's page returns.
        collection: Where it belongs; empty for the whole library.
    """

    row: int
    number: int
    id: str
    text: str
    by: str
    at: str
    collection: str


@dataclass(frozen=True, slots=True)
class ListedPlaybook:
    """A playbook as someone may use it.

    Attributes:
        collection: Where it belongs; empty for the whole library.
        book: None where it does not hold the schema any more; `problem` says why.
        number: Of the version; None for one of the package.
    """

    id: str
    collection: str
    book: Playbook | None
    problem: str = ""
    number: int | None = None

    @property
    def is_own(self) -> bool:
        return self.id not in builtin_names()


def list_playbooks(access: Access, collection: str | None = None) -> list[ListedPlaybook]:
    """Return the playbooks of the package, and those of the house that someone may read.

    With a collection, only those by which it can be reviewed.

    Raises:
        NotFound: If they may not know of the collection.
    """
    found = [ListedPlaybook(name, "", load_builtin(name)) for name in builtin_names()]
    for each in _house_playbooks(access, collection):
        try:
            book, problem = parse_cached(each.text), ""
        except PlaybookError as error:
            book, problem = None, error.message
        found.append(ListedPlaybook(each.id, each.collection, book, problem, each.number))
    return found


def playbook_names(access: Access, collection: str | None = None) -> list[str]:
    own = [each.id for each in _house_playbooks(access, collection)]
    return list(dict.fromkeys([*builtin_names(), *own]))


def usable_playbooks(access: Access, collection: str | None = None) -> list[Playbook]:
    """Return the playbooks that can be reviewed by; one that is broken is no choice."""
    return [each.book for each in list_playbooks(access, collection) if each.book]


def playbooks_of_reviews(access: Access) -> dict[tuple[str, str], Playbook]:
    """Return by which playbook each collection can be reviewed: by its folded name, and by hash."""
    listed = list_playbooks(access)
    return {
        (fold, each.book.hash): each.book
        for fold in [fold_name(one.name) for one in access.collections()]
        for each in listed
        if each.book and fold_name(each.collection) in ("", fold)
    }


def load_playbook(access: Access, name: str, collection: str | None = None) -> Playbook:
    """Return a playbook by its id; a path of this machine is none, whoever asks.

    With a collection, it is one by which that can be reviewed.

    Raises:
        NotFound: If there is none that they may read.
        Conflict: If several collections have one.
        PlaybookError: If a house playbook does not hold the schema any more.
    """
    if name in builtin_names():
        return load_builtin(name)
    return parse_cached(last_version(access, name, collection).text)


def collection_playbook(library: Library, collection: str, name: str) -> Playbook:
    """Return a playbook by which a collection can be reviewed, for work that was allowed before.

    Raises:
        NotFound: If there is none.
        PlaybookError: If a house playbook does not hold the schema any more.
    """
    if name in builtin_names():
        return load_builtin(name)
    for each in _select_versions(library, name):
        if fold_name(each.collection) in ("", fold_name(collection)):
            return parse_cached(each.text)
    raise NotFound(f"playbook {name[:60]!r} not found.")


def playbook_text(access: Access, name: str, collection: str | None = None) -> str:
    """Return a playbook's YAML.

    Raises:
        NotFound: If there is none that they may read.
    """
    if name in builtin_names():
        return text_of_file(name)
    return last_version(access, name, collection).text


@lru_cache(maxsize=64)
def parse_cached(text: str) -> Playbook:
    """Return the playbook that a text holds.

    Raises:
        PlaybookError: If it does not hold the schema; a `PlaybookFileError` names lines and keys.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise PlaybookError(f"a playbook may hold {MAX_BYTES:,} bytes.")
    return parse_playbook(text, "playbook")


def last_version(access: Access, name: str, collection: str | None = None) -> PlaybookVersion:
    """Return the last version of a house playbook.

    Raises:
        NotFound: If there is none that they may read.
        Conflict: If several collections have one.
    """
    found = playbook_versions(access, name, collection)
    if not found:
        # The same to every name: the nearest names would disclose ids of hidden columns.
        names = playbook_names(access, collection)
        listed = ", ".join(names[:_MAX_LISTED]) + (" and others" if names[_MAX_LISTED:] else "")
        raise NotFound(f"playbook {name[:60]!r} not found.", remedy=f"There are: {listed}.")
    if len({fold_name(each.collection) for each in found}) > 1:
        raise Conflict(
            f"several collections have a playbook {name[:60]!r}.", remedy="Name the collection."
        )
    return found[0]


def playbook_versions(
    access: Access, name: str, collection: str | None = None
) -> list[PlaybookVersion]:
    if name in builtin_names():
        return []
    reach = _reach(access, collection)
    library = access.common()
    return [each for each in _select_versions(library, name) if reach(each.collection)]


def playbook_version(
    access: Access, name: str, number: int, collection: str | None = None
) -> PlaybookVersion:
    """Return one version of a house playbook.

    Raises:
        NotFound: If there is none that they may read.
    """
    last_version(access, name, collection)  # there is such a playbook
    for each in playbook_versions(access, name, collection):
        if each.number == number:
            return each
    raise NotFound(f"the playbook {name[:60]!r} has no version {number}.")


def restore_version(
    access: Access, name: str, number: int, collection: str | None = None
) -> tuple[Playbook, str]:
    """Keep an earlier version of a house playbook as its last one; return as `save_playbook`.

    Raises:
        NotFound: If there is none that they may read.
        NotAllowed: If they do not edit where it belongs.
        PlaybookError: If it does not hold the schema any more.
    """
    wanted = playbook_version(access, name, number, collection)
    return save_playbook(access, wanted.text, last_version(access, name, collection))


def playbook_homes(access: Access) -> list[str]:
    """Return where someone may save playbooks: collections, and `""` for the whole library.

    Raises:
        NotAllowed: If nowhere.
    """
    may = access.principal.may
    homes = [each.name for each in access.collections() if may(Role.EDITOR, each.name)]
    if not homes or access.principal.may_everywhere(Role.EDITOR):
        access.full_library(Role.EDITOR)
        homes.insert(0, "")
    return homes


def library_at(access: Access, home: str) -> Library:
    """Return the library to someone who may save playbooks of a collection, or (`""`) of all.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they do not edit there.
    """
    return access.library_for(home, Role.EDITOR) if home else access.full_library(Role.EDITOR)


def may_edit(access: Access, home: str) -> bool:
    """Tell whether someone may save a playbook that belongs to a collection, or to the library."""
    principal = access.principal
    return principal.may(Role.EDITOR, home) if home else principal.may_everywhere(Role.EDITOR)


def save_playbook(
    access: Access, text: str, edited: PlaybookVersion | None = None, *, collection: str = ""
) -> tuple[Playbook, str]:
    """Keep a house playbook under its id, and return it, with where it belongs.

    It stays where the version that was `edited` belongs; None where it is a new playbook, of a
    collection or (`""`) the whole library. Where what was edited has another id, it is a new one
    too.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they do not edit where it belongs.
        PlaybookError: If it does not hold the schema.
        Conflict: If the package has one of this id, or somebody else saved it meanwhile.
    """
    home = edited.collection if edited else collection
    library, fold = library_at(access, home), fold_name(home)
    home = next(each for each in playbook_homes(access) if fold_name(each) == fold)
    book = parse_cached(text)
    if book.id in builtin_names():
        raise Conflict(
            f"{book.id!r} is a playbook of the package.", remedy="Give yours another id."
        )
    with library.transaction():
        visible = playbook_versions(access, book.id)
        here = [each for each in visible if fold_name(each.collection) == fold]
        before = edited.row if edited and here else None
        held = visible if before is None else here
        if (held[0].row if held else None) != before:
            raise Conflict(
                f"the playbook {book.id!r} was saved by someone else meanwhile, or already exists.",
                remedy="Open it again, and make your change there; or give yours another name.",
            )
        library.execute(
            "INSERT INTO server_playbooks(id, text, by, at) VALUES (?, ?, ?, ?)",
            (book.id, text, access.principal.name, utc_now()),
        )
        detail: dict[str, str | int] = {"playbook": book.id, "hash": book.hash}
        if home:
            library.execute(
                "INSERT INTO server_playbook_homes(version, collection) "
                "SELECT max(row), ? FROM server_playbooks WHERE id = ?",
                (fold, book.id),
            )
            detail["collection"] = home
        access.record("playbook", detail, always=True)
    return book, home


def save_draft(
    access: Access, text: str, number: int | None, collection: str
) -> tuple[Playbook, str]:
    """Keep a house playbook as `save_playbook`, with the number of the version that was edited.

    Raises:
        NotAllowed: If they edit nowhere, or not where it belongs.
        NotFound: If the playbook has no such version that they may read.
    """
    playbook_homes(access)
    name = parse_cached(text).id
    edited = None if number is None else playbook_version(access, name, number, collection or None)
    return save_playbook(access, text, edited, collection=collection)


def edited_version(access: Access, row: int | None) -> PlaybookVersion | None:
    """Return the version that an editor's page has; None where there is none they may read."""
    if row is None:
        return None
    reach = _reach(access, None)
    found = [each for each in _select_versions(access.common()) if each.row == row]
    return next((each for each in found if reach(each.collection)), None)


def _reach(access: Access, collection: str | None) -> Callable[[str], bool]:
    """Return which playbooks someone may use (in a collection), by where they belong."""
    if not collection:
        return lambda home: not home or access.principal.may(Role.READER, home)
    access.require(Role.READER, collection)
    return lambda home: fold_name(home) in ("", fold_name(collection))


def _house_playbooks(access: Access, collection: str | None) -> list[PlaybookVersion]:
    """Return the last version of each house playbook that someone may use, by id."""
    reach = _reach(access, collection)
    last: dict[tuple[str, str], PlaybookVersion] = {}
    for each in _select_versions(access.common()):
        if each.id not in builtin_names() and reach(each.collection):
            last.setdefault((each.id, each.collection), each)
    return [last[key] for key in sorted(last)]


def _select_versions(library: Library, name: str = "") -> list[PlaybookVersion]:
    """Return the versions of a house playbook or of all, whoever may read them, the last first."""
    return [
        PlaybookVersion(as_integer(row[0]), as_integer(row[1]), *map(as_string, row[2:]))
        for row in library.execute(
            """
            SELECT p.row, row_number() OVER (PARTITION BY p.id, h.collection ORDER BY p.row),
                p.id, p.text, p.by, p.at, coalesce(c.name, h.collection, '')
            FROM server_playbooks p LEFT JOIN server_playbook_homes h ON h.version = p.row
            LEFT JOIN collections c ON c.fold = h.collection
            WHERE ?1 IN ('', p.id) ORDER BY p.row DESC
            """,
            (name,),
        )
    ]


@lru_cache(maxsize=64)
def load_builtin(name: str) -> Playbook:
    return load_file(name)


def try_playbook(
    access: Access, engines: LocalModels, playbook: Playbook, *, document: str = "", text: str = ""
) -> list[Finding]:
    """Return what a playbook finds in a contract, or in a text; nothing is stored.

    Raises:
        Refusal: If both are given, or none.
        NotFound: If they may not know of the contract.
    """
    from fourcorners.review.people.cases import Case, run_cases

    if bool(document) == bool(text.strip()):
        raise Refusal(
            "a playbook is tried on a contract, or on words.", remedy="Give exactly one of them."
        )
    library = access.common()
    if document:
        access.text(document)  # the audit trail records that it was read
    encoder = None if document and library.encoder is None else engines.encoder
    cases = [
        Case(document=document, text="" if document else text, provision=provision.id)
        for provision in playbook.provisions
    ]
    return [each.finding for each in run_cases(library, playbook, cases, encoder=encoder)]
