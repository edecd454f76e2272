"""Whom a room of contracts is read for: the group that is a party to nearly all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card, Party
from fourcorners.playbooks.playbook import Acting

MIN_CONTRACTS = 3  # contracts: of two with the same parties nothing tells whose they are
MIN_SHARE = 0.6  # of the contracts with two parties, which ours is a party to
_LEAD = 2.0  # times as many contracts as the next name
_WORD = re.compile(r"[^\W_][\w&]*")
_NO_NAME = frozenset(("the", "a", "an", "first", "bank", "company", "city", "state", "university"))


@dataclass(frozen=True, slots=True)
class Side:
    """A group of companies, by the word that the names of its members begin with.

    Attributes:
        word: In small letters; empty if whose contracts these are is not known.
    """

    word: str = ""

    def is_member(self, party: Party) -> bool:
        """Tell whether a party belongs to the group."""
        return bool(self.word) and _lead(party.name) == self.word

    def is_party_to(self, card: Card) -> bool:
        """Tell whether some party of a contract is ours and some is not."""
        return len({self.is_member(fact.value) for fact in card.parties}) == 2


UNKNOWN_SIDE = Side()


def find_sides(library: Library, entries: Iterable[Entry]) -> dict[str, Side]:
    """Return, for each of some documents, whose it is: by the collections that it is in.

    A collection tells if one name leads a party of most of its contracts and no other name comes
    near; a document takes the first of its collections that tells, in order of their names.
    """
    wanted = list(entries)
    names = sorted({name for entry in wanted for name in entry.collections})
    known = {name: _of_collection(library, name) for name in names}
    return {
        entry.id: next(
            (known[name] for name in sorted(entry.collections) if known[name].word), UNKNOWN_SIDE
        )
        for entry in wanted
    }


def _of_collection(library: Library, name: str) -> Side:
    entries = library.documents(name)
    return side_of([library.card(entry.id) for entry in entries])


def side_of(cards: Sequence[Card]) -> Side:
    """Return whose a room of contracts is, by their cards."""
    counted: Counter[str] = Counter()
    told = 0
    for card in cards:
        leads = {_lead(fact.value.name) for fact in card.parties} - {""}
        told += len(leads) > 1
        counted.update(leads)
    ranked = counted.most_common(2)
    if not ranked or ranked[0][1] < max(MIN_CONTRACTS, MIN_SHARE * told):
        return UNKNOWN_SIDE
    if len(ranked) > 1 and ranked[1][1] * _LEAD > ranked[0][1]:
        return UNKNOWN_SIDE
    return Side(ranked[0][0])


def _lead(name: str) -> str:
    """Return the first word of a name that tells it from others, in small letters."""
    words = (each.group().casefold() for each in _WORD.finditer(name))
    return next((word for word in words if word not in _NO_NAME), "")


def combine_actors(acting: Iterable[Acting | Literal[""]]) -> Acting | Literal[""]:
    """Return who acts in several sentences, of which some may not tell."""
    known = {each for each in acting if each}
    if len(known) == 1:
        return next(iter(known))
    return "mutual" if known else ""


def side_names(sides_: Mapping[str, Side]) -> list[str]:
    """Return the names of the groups, each once, in order."""
    return sorted({side.word for side in sides_.values()} - {""})
