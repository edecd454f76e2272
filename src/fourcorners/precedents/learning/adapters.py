"""Store adapters learned from a firm's banks in the library."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.database import as_bytes, as_string
from fourcorners.library.store import Library
from fourcorners.models.encoder.adapter import Adapter, pack_adapter, unpack_adapter
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.precedents.scoring.score import ranker_name


@dataclass(frozen=True, slots=True)
class InstalledAdapter:
    """An adapter of the library.

    Attributes:
        ranker: The ranker to which it is added.
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
        return f"{self.name}-{self.sha256[:12]}"

    def mismatch(self, encoder: Encoder) -> str:
        """Say why it cannot be used with an encoder; empty if it can."""
        if self.encoder != encoder.name:
            return f"it was made for the encoder {self.encoder}, not for {encoder.name}"
        if self.ranker != ranker_name(encoder):
            return f"it was made to go with {self.ranker}, not with {ranker_name(encoder)}"
        return ""


def install_adapter(
    library: Library, name: str, adapter: Adapter, encoder: Encoder, card: Mapping[str, object]
) -> InstalledAdapter:
    """Keep an adapter; one of the same name is replaced, and the newest that fits is used."""
    content = pack_adapter(adapter)
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
    return InstalledAdapter(name, digest, encoder.name, ranker, card, len(content))


def list_adapters(library: Library) -> list[InstalledAdapter]:
    rows = library.execute(
        "SELECT name, sha256, encoder, ranker, card, length(data) FROM precedent_adapters "
        "ORDER BY row DESC"
    )
    return [
        InstalledAdapter(
            as_string(name),
            as_string(digest),
            as_string(encoder),
            as_string(ranker),
            _card(as_string(name), as_string(card)),
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


def load_adapter(library: Library, name: str) -> Adapter:
    """Return an adapter, verified by its hash.

    Raises:
        ConfigError: If the library has none of that name.
        ModelError: If it is damaged.
    """
    rows = library.execute("SELECT data, sha256 FROM precedent_adapters WHERE name = ?", (name,))
    if not rows:
        raise _missing_error(library, name)
    return unpack_adapter(as_bytes(rows[0][0]), as_string(rows[0][1]), name)


def remove_adapter(library: Library, name: str) -> None:
    """Remove an adapter.

    Raises:
        ConfigError: If the library has none of that name.
    """
    with library.transaction():
        gone = library.execute(
            "DELETE FROM precedent_adapters WHERE name = ? RETURNING sha256", (name,)
        )
        if not gone:
            raise _missing_error(library, name)
        library.record("adapter-remove", {"name": name, "sha256": as_string(gone[0][0])})


def _missing_error(library: Library, name: str) -> ConfigError:
    held = [each.name for each in list_adapters(library)]
    return ConfigError(
        f"the library has no adapter {name!r}.",
        remedy=f"It has: {', '.join(held)}."
        if held
        else "Train one: fourcorners train adapter --from BANK.",
    )


@dataclass(frozen=True, slots=True, eq=False)
class AdapterChoice:
    """The adapter to rank with, or none; `told` is a note on it for a person."""

    adapter: Adapter | None
    installed: InstalledAdapter | None
    message: str = ""


NO_ADAPTER = AdapterChoice(None, None)


def choose_adapter(library: Library, encoder: Encoder) -> AdapterChoice:
    """Return the newest adapter that fits the encoder; where none fits, say why."""
    held = list_adapters(library)
    for each in held:
        if not each.mismatch(encoder):
            note = f"With the adapter {each.name!r}; --no-adapter leaves it out."
            return AdapterChoice(load_adapter(library, each.name), each, note)
    if not held:
        return NO_ADAPTER
    newest = held[0]
    bank = newest.card.get("bank")
    note = (
        f"The adapter {newest.name!r} is left out: {newest.mismatch(encoder)}. Train it again: "
        f"fourcorners train adapter --from {bank if bank else 'BANK'} --name {newest.name}"
    )
    return AdapterChoice(None, None, note)
