"""Find the parties of contracts, and for whom they are read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from fourcorners.errors import ConfigError
from fourcorners.library.damage import without_damaged
from fourcorners.library.entries import Entry
from fourcorners.library.memory import VersionedCache
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.outline.card.card import Card, Party
from fourcorners.outline.card.party_names import FORM, party_key

MAX_NAME = 200  # characters of a name that is given for a side
MAX_NAMES = 20  # names given for a side: the members of a group
_LISTED = 12  # parties that an error names
_FORM = re.compile(rf"(?<!\w){FORM}$")
_WORD = re.compile(r"[^\W_][\w&]*")


@dataclass(frozen=True, slots=True)
class Side:
    """For whom one contract is read: some of its parties, by name; empty for nobody."""

    names: tuple[str, ...] = ()

    def whose(self, party: Party) -> Literal["ours", "theirs", ""]:
        """Return to which side a party belongs; empty if the contract is read for nobody."""
        if not self.names:
            return ""
        return "ours" if party.name in self.names else "theirs"

    @property
    def key(self) -> str:
        """Return the key that identifies this side; empty for nobody."""
        return sha256("\n".join(self.names).encode()).hexdigest()[:8] if self.names else ""


UNKNOWN_SIDE = Side()


def find_sides(library: Library, entries: Iterable[Entry]) -> dict[str, Side]:
    """Return for whom each of some documents is read, according to its collection."""
    wanted = list(entries)
    names = {name: library.read_for(name) for name in {entry.collection for entry in wanted}}
    return {
        entry.id: side_for(library.card(entry.id), names[entry.collection])
        if names[entry.collection]
        else UNKNOWN_SIDE
        for entry in wanted
    }


@without_damaged
def collection_sides(library: Library, collection: str) -> dict[str, Side]:
    """Return for whom each document of a collection is read; cached until anything changes."""
    known: VersionedCache[dict[str, Side]] = library.memory.cache("sides")
    return known.get(
        sides_version(library),
        fold_name(collection),
        lambda: find_sides(library, library.documents(collection)),
    )


def sides_version(library: Library) -> str:
    """Return a value that changes whenever some document may be read for another side."""
    sides = [(name, library.read_for(name)) for name in library.collection_names()]
    return f"{library.content_version} {sides}"


@without_damaged
def collection_parties(library: Library, collection: str) -> list[tuple[str, int]]:
    """Count the parties of a collection's contracts; cached until its documents change."""
    known: VersionedCache[list[tuple[str, int]]] = library.memory.cache("parties")
    return known.get(
        library.content_version,
        fold_name(collection),
        lambda: count_parties(library.card(each.id) for each in library.documents(collection)),
    )


def side_for(card: Card, names: Iterable[str]) -> Side:
    """Return the side of the parties of a contract that some name refers to."""
    parties = [fact.value for fact in card.parties]
    meant = {party.name for name in names for party in _find_parties(name, parties)}
    return Side(tuple(sorted(meant)))


def distinct_names(names: Iterable[str]) -> list[str]:
    """Return the names that a person gave, without duplicates and each on one line."""
    return list(dict.fromkeys(filter(None, (" ".join(name.split()) for name in names))))


@without_damaged
def set_side(
    library: Library, collection: str | None, names: Iterable[str], *, by: str = ""
) -> bool:
    """Set for whom the contracts of a collection, or of the only one, are read.

    Without a name it is nobody. Returns whether the side changed; `by` is the person for the audit
    trail.

    Raises:
        ConfigError: If a name matches no party of its contracts, or no collection is named and
            there are several.
    """
    given = distinct_names(names)
    if len(given) > MAX_NAMES or any(len(name) > MAX_NAME for name in given):
        raise ConfigError(
            f"contracts are read for at most {MAX_NAMES} names of up to {MAX_NAME} characters."
        )
    if collection is None:
        known = library.collection_names()
        if len(known) > 1:
            raise ConfigError(
                "the side for which contracts are read is set per collection.",
                remedy=f"Name it with --collection; there are: {', '.join(known)}.",
            )
        collection = next(iter(known), "")
    if given:
        cards = [library.card(entry.id) for entry in library.documents(collection)]
        require_parties(given, cards, f"contract of the collection {collection!r}")
    if set(given) == set(library.read_for(collection)):
        return False
    library.set_read_for(collection, given, by=by)
    return True


def require_parties(names: Iterable[str], cards: Sequence[Card], what: str) -> None:
    """Refuse names that match no party of some contracts.

    Raises:
        ConfigError: If there is such a name; `what` says which contracts, in the singular.
    """
    for name in names:
        if any(side_for(card, [name]).names for card in cards):
            continue
        there = [party for party, _ in count_parties(cards)]
        more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
        raise ConfigError(
            f"no {what} has a party called {name!r}.",
            remedy=f"There are: {'; '.join(there[:_LISTED])}{more}."
            if there
            else "No party was recognised in its contracts.",
        )


def count_parties(cards: Iterable[Card]) -> list[tuple[str, int]]:
    """Return the parties of contracts, with the number of contracts of each, most frequent first.

    A name with several spellings is given in the most frequent one.
    """
    spellings: dict[str, Counter[str]] = {}
    for card in cards:
        for key, name in {party_key(e.value.name): e.value.name for e in card.parties}.items():
            spellings.setdefault(key, Counter())[name] += 1
    counts = [(each.most_common(1)[0][0], each.total()) for each in spellings.values()]
    return sorted(counts, key=lambda pair: (-pair[1], pair[0].casefold()))


def _find_parties(name: str, parties: Sequence[Party]) -> list[Party]:
    """Return the parties that match a name: their own, the contract's for them, or a group's.

    A name without a legal form matches every party whose name begins with its words.
    """
    key, words = party_key(name), _words(name)
    if not words:
        return []
    if same := [party for party in parties if party_key(party.name) == key]:
        return same
    if called := [party for party in parties if words in (_words(party.short), _words(party.role))]:
        return called
    if _FORM.search(name):
        bare = _words(_FORM.sub("", name))
        return [party for party in parties if _words(party.name) == bare]
    return [party for party in parties if _words(party.name)[: len(words)] == words]


def _words(name: str) -> list[str]:
    words = _WORD.findall(name.casefold())
    return words[1:] if words[:1] == ["the"] else words


def party_value(party: Party) -> str:
    """Return a party's identifier in an answer, for programs."""
    return party.short or party.role or party.name


def display_name(party: Party) -> str:
    """Return a party as the contract calls it, with its name if that differs."""
    called = party.short or party.role
    plain = called.casefold() in ("", "you", "us", "we") or _fold(called) == _fold(party.name)
    return party.name if plain else f"{called} ({party.name})"


def _fold(name: str) -> str:
    return " ".join(name.casefold().split())
