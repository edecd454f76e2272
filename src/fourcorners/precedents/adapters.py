"""Adapters that were learned from a firm's banks, kept in the library beside its contracts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.database import binary, register, string
from fourcorners.library.store import Library
from fourcorners.models.adapter import Adapter, pack, unpack
from fourcorners.models.encoder import Encoder
from fourcorners.precedents.scoring import ranker_name

_ROOM = "adapters"

register(
    _ROOM,
    (
        """
        CREATE TABLE precedent_adapters(
            row     INTEGER PRIMARY KEY,
            name    TEXT NOT NULL UNIQUE,
            sha256  TEXT NOT NULL,
            encoder TEXT NOT NULL,
            ranker  TEXT NOT NULL,
            card    TEXT NOT NULL,
            data    BLOB NOT NULL
        ) STRICT
        """,
    ),
)


@dataclass(frozen=True, slots=True)
class Installed:
    """An adapter of the library.

    Attributes:
        sha256: Of its file.
        encoder: Whose vectors it was made for.
        ranker: What it is added to.
        card: What it learned from and what it scored; see `docs/commands.md`.
        size: Of its file, in bytes.
    """

    name: str
    sha256: str
    encoder: str
    ranker: str
    card: Mapping[str, object]
    size: int

    @property
    def identity(self) -> str:
        """Return its name with the start of its hash."""
        return f"{self.name}-{self.sha256[:12]}"

    def misfit(self, encoder: Encoder) -> str:
        """Say why it cannot be used with an encoder; empty if it can."""
        if self.encoder != encoder.name:
            return f"it was made for the encoder {self.encoder}, not for {encoder.name}"
        if self.ranker != ranker_name(encoder):
            return f"it was made to go with {self.ranker}, not with {ranker_name(encoder)}"
        return ""


def install(
    library: Library, name: str, adapter: Adapter, encoder: Encoder, card: Mapping[str, object]
) -> Installed:
    """Keep an adapter; one of the same name is replaced, and the newest that fits is used."""
    library.prepare(_ROOM)
    content = pack(adapter)
    digest = sha256(content).hexdigest()
    ranker = ranker_name(encoder)
    with library.transaction():
        library.execute("DELETE FROM precedent_adapters WHERE name = ?", (name,))
        library.execute(
            "INSERT INTO precedent_adapters(name, sha256, encoder, ranker, card, data) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (name, digest, encoder.name, ranker, json.dumps(card, ensure_ascii=True), content),
        )
        library.record("adapter-install", {"name": name, "sha256": digest})
    return Installed(name, digest, encoder.name, ranker, card, len(content))


def installed(library: Library) -> list[Installed]:
    """Return the adapters of the library, the newest first."""
    library.prepare(_ROOM)
    rows = library.execute(
        "SELECT name, sha256, encoder, ranker, card, length(data) FROM precedent_adapters "
        "ORDER BY row DESC"
    )
    return [
        Installed(
            string(name),
            string(digest),
            string(encoder),
            string(ranker),
            _card(string(name), string(card)),
            int(size) if isinstance(size, int) else 0,
        )
        for name, digest, encoder, ranker, card, size in rows
    ]


def _card(name: str, text: str) -> Mapping[str, object]:
    try:
        card = json.loads(text)
    except ValueError:
        card = None
    if not isinstance(card, dict):
        raise LibraryError(
            f"the card of the adapter {name!r} is damaged.", remedy="Restore a copy of the library."
        )
    return card


def load(library: Library, name: str) -> Adapter:
    """Return an adapter, verified by its hash.

    Raises:
        ConfigError: If the library has none of that name.
        ModelError: If it is damaged.
    """
    library.prepare(_ROOM)
    rows = library.execute("SELECT data, sha256 FROM precedent_adapters WHERE name = ?", (name,))
    if not rows:
        raise missing(library, name)
    return unpack(binary(rows[0][0]), string(rows[0][1]), name)


def remove(library: Library, name: str) -> None:
    """Remove an adapter.

    Raises:
        ConfigError: If the library has none of that name.
    """
    library.prepare(_ROOM)
    with library.transaction():
        gone = library.execute(
            "DELETE FROM precedent_adapters WHERE name = ? RETURNING sha256", (name,)
        )
        if not gone:
            raise missing(library, name)
        library.record("adapter-remove", {"name": name, "sha256": string(gone[0][0])})


def missing(library: Library, name: str) -> ConfigError:
    """Return what to say of an adapter that is not there."""
    held = [each.name for each in installed(library)]
    return ConfigError(
        f"the library has no adapter {name!r}.",
        remedy=f"It has: {', '.join(held)}."
        if held
        else "Train one: fourcorners train adapter --from BANK.",
    )


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The adapter to rank with, or none; `told` is what a person should know of it."""

    adapter: Adapter | None
    installed: Installed | None
    told: str = ""


NONE = Chosen(None, None)


def chosen(library: Library, encoder: Encoder) -> Chosen:
    """Return the newest adapter that fits the encoder; where none fits, say why."""
    held = installed(library)
    for each in held:
        if not each.misfit(encoder):
            told = f"With the adapter {each.name!r}; --no-adapter leaves it out."
            return Chosen(load(library, each.name), each, told)
    if not held:
        return NONE
    newest = held[0]
    bank = newest.card.get("bank")
    told = (
        f"The adapter {newest.name!r} is left out: {newest.misfit(encoder)}. Train it again: "
        f"fourcorners train adapter --from {bank if bank else 'BANK'} --name {newest.name}"
    )
    return Chosen(None, None, told)
