"""The playbooks that a server knows: those of the package, and the house's own in the library.

A house playbook may extend one of the package. Every version that was saved is kept; its hash names
the findings that were made by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fourcorners.errors import PlaybookError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound, Refusal
from fourcorners.operations.local_models import LocalModels
from fourcorners.playbooks.differences import Kind, compare_texts
from fourcorners.playbooks.load import MAX_BYTES, builtin_names, parse_playbook
from fourcorners.playbooks.load import load_playbook as load_file
from fourcorners.playbooks.load import playbook_text as text_of_file
from fourcorners.playbooks.playbook import Playbook
from fourcorners.text.word_differences import EditKind, diff_words
from fourcorners.value import Value

if TYPE_CHECKING:
    from fourcorners.review.finding import Finding

_MAX_LISTED = 20  # playbooks, where an unknown one is asked for


@dataclass(frozen=True, slots=True)
class PlaybookVersion:
    """A version of a house playbook; `number` grows with each that is saved."""

    number: int
    id: str
    text: str
    by: str
    at: str


class WordChange(Value):
    """Words that stay, go or come on the way from one version to another."""

    kind: EditKind
    text: str


class FieldChange(Value):
    """A value of the playbook's file that two versions have differently."""

    field: str
    words: list[WordChange]


class ProvisionChange(Value):
    """A provision that differs; the one without an id is the playbook itself."""

    provision: str
    name: str
    kind: Kind
    fields: list[FieldChange]


class VersionComparison(Value):
    """What differs between two versions of a playbook, which are named by their numbers."""

    playbook: str
    before: int
    after: int
    changes: list[ProvisionChange]


def playbook_names(library: Library) -> list[str]:
    rows = library.execute("SELECT DISTINCT id FROM server_playbooks ORDER BY id")
    own = [as_string(row[0]) for row in rows]
    return [*builtin_names(), *(name for name in own if name not in builtin_names())]


def usable_playbooks(library: Library) -> list[Playbook]:
    """Return the playbooks that can be reviewed by; one that is broken is no choice."""
    found = []
    for name in playbook_names(library):
        try:
            found.append(load_playbook(library, name))
        except PlaybookError:
            continue  # its own page tells what is wrong with it
    return found


def load_playbook(library: Library, name: str) -> Playbook:
    """Return a playbook by its id; a path of this machine is none, whoever asks.

    Raises:
        NotFound: If there is none.
        PlaybookError: If a house playbook does not hold the schema any more.
    """
    if name in builtin_names():
        return load_builtin(name)
    return parse_cached(last_version(library, name).text)


def playbook_text(library: Library, name: str) -> str:
    """Return a playbook's YAML.

    Raises:
        NotFound: If there is none.
    """
    return text_of_file(name) if name in builtin_names() else last_version(library, name).text


@lru_cache(maxsize=64)
def parse_cached(text: str) -> Playbook:
    """Return the playbook that a text holds.

    Raises:
        PlaybookError: If it does not hold the schema; a `PlaybookFileError` names lines and keys.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise PlaybookError(f"a playbook may hold {MAX_BYTES:,} bytes.")
    return parse_playbook(text, "playbook")


def last_version(library: Library, name: str) -> PlaybookVersion:
    """Return the last version of a house playbook.

    Raises:
        NotFound: If there is none.
    """
    found = playbook_versions(library, name)
    if not found:
        # The same to every name: the nearest names would disclose ids of hidden columns.
        names = playbook_names(library)
        listed = ", ".join(names[:_MAX_LISTED]) + (" and others" if names[_MAX_LISTED:] else "")
        raise NotFound(f"playbook {name[:60]!r} not found.", remedy=f"There are: {listed}.")
    return found[0]


def playbook_versions(library: Library, name: str) -> list[PlaybookVersion]:
    return [
        PlaybookVersion(as_integer(row[0]), *(as_string(value) for value in row[1:]))
        for row in library.execute(
            "SELECT row, id, text, by, at FROM server_playbooks WHERE id = ? ORDER BY row DESC",
            (name,),
        )
    ]


def playbook_version(library: Library, name: str, number: int) -> PlaybookVersion:
    """Return one version of a house playbook.

    Raises:
        NotFound: If there is none.
    """
    last_version(library, name)  # there is such a playbook
    for each in playbook_versions(library, name):
        if each.number == number:
            return each
    raise NotFound(f"the playbook {name[:60]!r} has no version {number}.")


def compare_versions(library: Library, name: str, before: int, after: int) -> VersionComparison:
    """Return what differs between two versions of a house playbook.

    Raises:
        NotFound: If there are none.
    """
    old, new = (playbook_version(library, name, each) for each in (before, after))
    changes = [
        ProvisionChange(
            provision=each.provision,
            name=each.name,
            kind=each.kind,
            fields=[
                FieldChange(
                    field=field.field,
                    words=[WordChange.make(w) for w in diff_words(field.before, field.after)],
                )
                for field in each.fields
            ],
        )
        for each in compare_texts(old.text, new.text)
    ]
    return VersionComparison(playbook=name, before=before, after=after, changes=changes)


def restore_version(library: Library, name: str, number: int, *, by: str) -> Playbook:
    """Keep an earlier version of a house playbook as its last one.

    Raises:
        NotFound: If there is none.
        PlaybookError: If it does not hold the schema any more.
    """
    wanted = playbook_version(library, name, number)
    return save_playbook(library, wanted.text, by=by, before=last_version(library, name).number)


def save_playbook(library: Library, text: str, *, by: str, before: int | None = None) -> Playbook:
    """Keep a house playbook under its id, and return it.

    `before` is the number of the version that was edited; None where it is a new playbook. Where
    that has another id, it is a new one too.

    Raises:
        PlaybookError: If it does not hold the schema.
        Conflict: If the package has one of this id, or somebody else saved it meanwhile.
    """
    book = parse_cached(text)
    if book.id in builtin_names():
        raise Conflict(
            f"{book.id!r} is a playbook of the package.", remedy="Give yours another id."
        )
    with library.transaction():
        held = playbook_versions(library, book.id)
        if not held and before is not None and _id_of(library, before):
            before = None
        if (held[0].number if held else None) != before:
            raise Conflict(
                f"the playbook {book.id!r} was saved by someone else meanwhile, or already exists.",
                remedy="Open it again, and make your change there; or give yours another name.",
            )
        library.execute(
            "INSERT INTO server_playbooks(id, text, by, at) VALUES (?, ?, ?, ?)",
            (book.id, text, by, utc_now()),
        )
        library.record("playbook", {"playbook": book.id, "hash": book.hash, "by": by})
    return book


def _id_of(library: Library, number: int) -> str:
    """Return the id of the playbook that a version is of; empty if there is no such version."""
    rows = library.execute("SELECT id FROM server_playbooks WHERE row = ?", (number,))
    return as_string(rows[0][0]) if rows else ""


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
