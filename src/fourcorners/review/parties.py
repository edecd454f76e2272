"""Find the parties of contracts, and for whom they are read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from fourcorners.errors import ConfigError
from fourcorners.library.damage import without_damaged
from fourcorners.library.entries import Entry
from fourcorners.library.memory import VersionedCache
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.card.party_names import (
    ENDS_WITH_FORM,
    MAX_PARTIES,
    ROLES,
    is_acting,
    party_key,
)
from fourcorners.text.normalisation import find_phrase
from fourcorners.text.span import Span

MAX_NAME = 200  # characters of a name that is given for a side
MAX_NAMES = 20  # names given for a side: the members of a group
BLANK_NAME = "name left blank"
_LISTED = 12  # parties that an error names
_SHOWN = re.compile(r"(.+?)\s*\(([^()]+)\)\s*")
_WORD = re.compile(r"[^\W_][\w&]*")


@dataclass(frozen=True, slots=True)
class Side:
    """For whom one contract is read: some of its parties, by name; empty for nobody.

    Attributes:
        roles: Those of the names that act in the contract, while the card does not say which party
            they mean.
        given: The parties that a person gave the contract; None for those that were read.
    """

    names: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    given: tuple[Party, ...] | None = None

    def whose(self, party: Party) -> Literal["ours", "theirs", ""]:
        """Return to which side a party belongs; empty if that is not known.

        A party with a name in the contract is not the one that only has another role.
        """
        if party.name in self.names:
            return "ours"
        is_distinct = bool(party.short or party.role) or not self.roles
        return "theirs" if self.names and is_distinct else ""

    @property
    def key(self) -> str:
        """Return the key that identifies this side; empty for nobody among the parties read."""
        if not self.names and self.given is None:
            return ""
        given = () if self.given is None else map(repr, self.given)
        return sha256("\n".join((*self.names, *given)).encode()).hexdigest()[:8]


UNKNOWN_SIDE = Side()


def find_sides(library: Library, entries: Iterable[Entry]) -> dict[str, Side]:
    """Return for whom each of some documents is read, according to its collection."""
    wanted = list(entries)
    names = {name: library.read_for(name) for name in {entry.collection for entry in wanted}}
    given = frozenset(library.documents_with_given_parties())
    return {
        entry.id: side_in(library, entry.id, names[entry.collection])
        if names[entry.collection] or entry.id in given
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
    """Return the side of the parties on a card that some name refers to."""
    parties = tuple(fact.value for fact in card.parties)
    meant = {party.name for name in names for party in _find_parties(name, parties)}
    by_person = any(fact.by for fact in card.parties)
    return Side(tuple(sorted(meant)), given=parties if by_person else None)


def side_in(library: Library, document: str, names: Collection[str]) -> Side:
    """Return the side that some names mean in a contract: parties, their terms, or other roles."""
    card = library.card(document)
    side = side_for(card, names)
    for name in names:
        if not side_for(card, [name]).names and (acting := _find_roles(library, document, name)):
            meant = tuple(sorted({*side.names, acting[0]}))
            side = replace(side, names=meant, roles=(*side.roles, acting[0]))
    return side


def _find_roles(library: Library, document: str, name: str = "") -> list[str]:
    """Return the roles and terms, as written, that act in a contract (by this name)."""
    wanted, text = " ".join(_words(name)), library.evidence_text(document)
    terms = {" ".join(_words(e.term)): e.term for e in library.outline(document).terms}
    names = ROLES - {"party"} | ({wanted} & {*terms})
    return [
        spelled
        for role in ([wanted] if wanted else sorted(names))
        if role in names
        for spelled in (terms.get(role, ""), role.title(), role.upper(), role)
        if spelled and is_acting(text, spelled)
    ]


def give_parties(library: Library, document: str, written: Iterable[str], *, by: str) -> None:
    """Give a contract the parties that a person names, or (none) those that were read again.

    Each is written as `Larch GmbH (Supplier)`, with its term in the contract if it has one, or
    `(Supplier)` where the contract leaves the name blank.

    Raises:
        ConfigError: If they are too many or too long, or two have one name.
    """
    names = distinct_names(written)
    if len(names) > MAX_PARTIES or any(len(name) > MAX_NAME for name in names):
        raise ConfigError(
            f"a contract has at most {MAX_PARTIES} parties, each of up to {MAX_NAME} characters."
        )
    text = library.evidence_text(document)
    facts = tuple(_given_party(text, name, by) for name in names)
    called = [
        _words(each) for fact in facts for each in {fact.value.name, fact.value.short} if each
    ]
    if [] in called or any(called.count(each) > 1 for each in called):
        raise ConfigError("two parties have the same name or term, or one has none.")
    library.set_parties(document, facts, by=by)


def write_party(party: Party) -> str:
    """Return a party as a person writes it for `give_parties`."""
    called = party.short or party.role
    if party.is_blank:
        return f"({called})"
    return f"{party.name} ({called})" if called and called != party.name else party.name


def _given_party(text: str, written: str, by: str) -> Fact[Party]:
    name, _, short = written.removesuffix(")").rpartition("(")
    if not written.endswith(")") or not short.strip():
        name, short = written, ""
    name, short = name.strip(), short.strip().strip("\"“”'")
    place = next(iter(find_phrase(text, name or short, 1)), Span(0, 0))
    role = short if " ".join(_words(short)) in ROLES else ""
    return Fact(Party(name or short, short, role, is_blank=not name), place, 1.0, by)


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
        documents = [entry.id for entry in library.documents(collection)]
        require_parties(library, given, documents, f"contract of the collection {collection!r}")
    if set(given) == set(library.read_for(collection)):
        return False
    library.set_read_for(collection, given, by=by)
    return True


def require_parties(
    library: Library, names: Collection[str], documents: Sequence[str], what: str
) -> None:
    """Refuse names that mean nobody in some contracts.

    Raises:
        ConfigError: If there is such a name; `what` says which contracts, in the singular.
    """
    for name in names:
        if any(side_in(library, document, [name]).names for document in documents):
            continue
        there = _known_names(library, documents)
        more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
        raise ConfigError(
            f"no {what} has a party called {name!r}.",
            remedy=f"There are: {'; '.join(there[:_LISTED])}{more}."
            if there
            else "No party was identified in its contracts. Name them with `fourcorners mark "
            'CONTRACT parties correct --value "NAME (TERM); NAME (TERM)"`.',
        )


def _known_names(library: Library, documents: Sequence[str]) -> list[str]:
    """Return who would be found by a name; of a single contract, its other actors too."""
    cards = [library.card(document) for document in documents]
    called = {party_key(e.value.name): e.value for card in cards for e in card.parties}
    known = [write_party(called[party_key(name)]) for name, _ in count_parties(cards)]
    if len(documents) == 1:
        of_parties = {" ".join(_words(each)) for e in called.values() for each in (e.short, e.role)}
        acting = {each.title() for each in _find_roles(library, documents[0])}
        known += sorted(each for each in acting if each.casefold() not in of_parties)
    return list(dict.fromkeys(known))


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

    A name without a legal form matches every party whose name begins with its words. One that is
    written as parties are shown, `Larch GmbH (Supplier)`, matches by what is before the bracket.
    """
    shown = _SHOWN.fullmatch(name)
    if shown and (found := _find_parties(shown[1], parties) or _find_parties(shown[2], parties)):
        return found
    key, words = party_key(name), _words(name)
    if not words:
        return []
    if same := [party for party in parties if party_key(party.name) == key]:
        return same
    if called := [party for party in parties if words in (_words(party.short), _words(party.role))]:
        return called
    if ENDS_WITH_FORM.search(name):
        bare = _words(ENDS_WITH_FORM.sub("", name))
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
    name = BLANK_NAME if party.is_blank else party.name
    return name if plain and not party.is_blank else f"{called} ({name})"


def _fold(name: str) -> str:
    return " ".join(name.casefold().split())
