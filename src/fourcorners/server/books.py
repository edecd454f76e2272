"""The playbooks that a server knows: those of the package, and the house's own in the library.

A house playbook may extend one of the package. Every version that was saved is kept; its hash names
the findings that were made by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from fourcorners.errors import PlaybookError
from fourcorners.library.audit import now
from fourcorners.library.database import integer, register, string
from fourcorners.library.store import Library
from fourcorners.playbooks.load import MAX_BYTES, builtin, parse_playbook
from fourcorners.playbooks.load import load as load_file
from fourcorners.playbooks.load import text_of as text_of_file
from fourcorners.playbooks.playbook import Playbook
from fourcorners.server.refusals import Conflict, NotFound

_ROOM = "server_playbooks"

register(
    _ROOM,
    (
        """
        CREATE TABLE server_playbooks(
            row  INTEGER PRIMARY KEY,
            id   TEXT NOT NULL,
            text TEXT NOT NULL,
            by   TEXT NOT NULL,
            at   TEXT NOT NULL
        ) STRICT;
        CREATE INDEX server_playbooks_by_id ON server_playbooks(id, row DESC);
        """,
    ),
)


@dataclass(frozen=True, slots=True)
class Saved:
    """A version of a house playbook; `number` grows with each that is saved."""

    number: int
    id: str
    text: str
    by: str
    at: str


def names(library: Library) -> list[str]:
    """Return the ids of all playbooks: the package's first, each part by name."""
    library.prepare(_ROOM)
    rows = library.execute("SELECT DISTINCT id FROM server_playbooks ORDER BY id")
    own = [string(row[0]) for row in rows]
    return [*builtin(), *(name for name in own if name not in builtin())]


def usable(library: Library) -> list[Playbook]:
    """Return the playbooks that can be reviewed by; one that is broken is no choice."""
    found = []
    for name in names(library):
        try:
            found.append(load(library, name))
        except PlaybookError:
            continue  # its own page tells what is wrong with it
    return found


def load(library: Library, name: str) -> Playbook:
    """Return a playbook by its id; a path of this machine is none, whoever asks.

    Raises:
        NotFound: If there is none.
        PlaybookError: If a house playbook does not hold the schema any more.
    """
    if name in builtin():
        return load_builtin(name)
    return parsed(saved(library, name).text)


def text_of(library: Library, name: str) -> str:
    """Return a playbook's YAML.

    Raises:
        NotFound: If there is none.
    """
    return text_of_file(name) if name in builtin() else saved(library, name).text


@lru_cache(maxsize=64)
def parsed(text: str) -> Playbook:
    """Return the playbook that a text holds.

    Raises:
        PlaybookError: If it does not hold the schema; `PlaybookFaults` names lines and keys.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise PlaybookError(f"a playbook may hold {MAX_BYTES:,} bytes.")
    return parse_playbook(text, "playbook")


def saved(library: Library, name: str) -> Saved:
    """Return the last version of a house playbook.

    Raises:
        NotFound: If there is none.
    """
    found = versions(library, name)
    if not found:
        raise NotFound(f"there is no playbook {name[:60]!r}.", remedy="See Playbooks for all.")
    return found[0]


def versions(library: Library, name: str) -> list[Saved]:
    """Return all that was saved of a house playbook, the last first."""
    library.prepare(_ROOM)
    return [
        Saved(integer(row[0]), *(string(value) for value in row[1:]))
        for row in library.execute(
            "SELECT row, id, text, by, at FROM server_playbooks WHERE id = ? ORDER BY row DESC",
            (name,),
        )
    ]


def save(library: Library, text: str, *, by: str, before: int | None = None) -> Playbook:
    """Keep a house playbook under its id, and return it.

    `before` is the number of the version that was edited; None where it is a new playbook.

    Raises:
        PlaybookError: If it does not hold the schema.
        Conflict: If the package has one of this id, or somebody else saved it meanwhile.
    """
    book = parsed(text)
    if book.id in builtin():
        raise Conflict(
            f"{book.id!r} is a playbook of the package.", remedy="Give yours another id."
        )
    with library.transaction():
        held = versions(library, book.id)
        if (held[0].number if held else None) != before:
            raise Conflict(
                f"the playbook {book.id!r} was saved meanwhile, or is there already.",
                remedy="Open it again, and make your change there; or give yours another id.",
            )
        library.execute(
            "INSERT INTO server_playbooks(id, text, by, at) VALUES (?, ?, ?, ?)",
            (book.id, text, by, now()),
        )
        library.record("playbook", {"playbook": book.id, "hash": book.hash, "by": by})
    return book


@lru_cache(maxsize=64)
def load_builtin(name: str) -> Playbook:
    """Return a playbook of the package."""
    return load_file(name)
