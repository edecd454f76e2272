"""The parties of contracts: whom a room is read for, and who acts in a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card, Party
from fourcorners.outline.card.party_names import ROLES
from fourcorners.playbooks.playbook import Acting
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

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
    known = {
        name: side_of([library.card(each.id) for each in library.documents(name)]) for name in names
    }
    return {
        entry.id: next(
            (known[name] for name in sorted(entry.collections) if known[name].word), UNKNOWN_SIDE
        )
        for entry in wanted
    }


def side_of(cards: Sequence[Card]) -> Side:
    counted: Counter[str] = Counter()
    count = 0
    for card in cards:
        leads = {_lead(fact.value.name) for fact in card.parties} - {""}
        count += len(leads) > 1
        counted.update(leads)
    ranked = counted.most_common(2)
    if not ranked or ranked[0][1] < max(MIN_CONTRACTS, MIN_SHARE * count):
        return UNKNOWN_SIDE
    if len(ranked) > 1 and ranked[1][1] * _LEAD > ranked[0][1]:
        return UNKNOWN_SIDE
    return Side(ranked[0][0])


def _lead(name: str) -> str:
    """Return the first word of a name that tells it from others, in small letters."""
    words = (each.group().casefold() for each in _WORD.finditer(name))
    return next((word for word in words if word not in _NO_NAME), "")


def combine_actors(acting: Iterable[Acting | Literal[""]]) -> Acting | Literal[""]:
    known = {each for each in acting if each}
    if len(known) == 1:
        return next(iter(known))
    return "mutual" if known else ""


def side_names(sides_: Mapping[str, Side]) -> list[str]:
    return sorted({side.word for side in sides_.values()} - {""})


_FAR = 90  # characters between a party and the verb that is its own
_NOT_ROLES = frozenset(("party", "us", "you", "affiliate", "trust", "fund", "bank", "corporation"))
_GROUPS = (
    r"(?:(?:either|each|both|neither|any|a|one|the)(?:\s+of\s+the)?\s+part(?:y|ies)|"
    r"(?:either|each|both|neither|one)\s+of\s+us)"
)
_PATTERNS = load_patterns("fourcorners.review", "parties")
_VERB = _PATTERNS["verb"]
_NEAR = 60  # characters between a party and the liability that is its own
_LIABILITY_OF = _PATTERNS["liability_of"]
_DONE_BY = _PATTERNS["done_by"]
_OWN_LIABILITY = _PATTERNS["own_liability"]
_TO = _PATTERNS["to"]
_WHO = _PATTERNS["who"]
_DOES = _PATTERNS["does"]
_BREAK = _PATTERNS["break"]
_ROLE_WORDS = {
    "either": "either party",
    "any": "either party",
    "a": "either party",
    "one": "either party",
    "each": "each party",
    "both": "both parties",
    "the": "both parties",
    "neither": "neither party",
}


class ActorIndex:
    """The parties of one contract, and the words by which its sentences name them."""

    def __init__(self, card: Card, side: Side = UNKNOWN_SIDE) -> None:
        self._parties = tuple(fact.value for fact in card.parties)
        self._side = side if side.is_party_to(card) else UNKNOWN_SIDE

    def last_actor(self, text: str, sentence: Span, near: int | None = None) -> str:
        """Return who acts in a sentence, the last before `near` or the first; empty if unclear.

        A party is given as the contract calls it, with its name where that is another.
        """
        found = self._pairs(text, sentence)
        before = [who for at, who in found if near is not None and at <= near]
        return before[-1] if before else found[0][1] if found else ""

    def all_actors(self, text: str, sentence: Span) -> list[str]:
        return list(dict.fromkeys(who for _, who in self._pairs(text, sentence)))

    def acting_side(
        self, text: str, sentence: Span, near: int | None = None
    ) -> Acting | Literal[""]:
        """Return whose side acts: the last before `near`, or the first; empty if unclear.

        Whoever's liability is spoken of acts, too, and whoever something is done by.
        """
        if not self._side.word:
            return ""
        places = self._places(text, sentence)
        active = [(at, self._whose(match)) for at, match in places]
        if _reciprocal(text, active):
            return "mutual"
        other = [(at, self._whose(match)) for at, match in self._otherwise(text, sentence)]
        if near is not None:
            before = [who for at, who in sorted([*active, *other]) if who and at <= near]
            return before[-1] if before else ""
        return next((who for _, who in (*active, *other) if who), "")

    def _otherwise(self, text: str, sentence: Span) -> Iterator[tuple[int, re.Match[str]]]:
        """Yield where something is said to be done by a party, or a party's liability is."""
        for match in self._all_names.finditer(text, sentence.start, sentence.end):
            start = max(sentence.start, match.start() - _NEAR)
            after = text[match.end() : min(sentence.end, match.end() + _NEAR)]
            done = _DONE_BY.search(text[start : match.start()])
            if done:
                yield start + done.start(), match
            elif _LIABILITY_OF.search(text[start : match.start()]) or _OWN_LIABILITY.match(after):
                yield match.start(), match

    def _pairs(self, text: str, sentence: Span) -> list[tuple[int, str]]:
        return [(at, self._party_words(match)) for at, match in self._places(text, sentence)]

    def _places(self, text: str, sentence: Span) -> list[tuple[int, re.Match[str]]]:
        mentions = list(self._names.finditer(text, sentence.start, sentence.end))
        places = []
        for verb in _VERB.finditer(text, sentence.start, sentence.end):
            close = [
                match
                for match in mentions
                if verb.start() - _FAR <= match.end() <= verb.start()
                and not self._is_given(text, sentence.start, match, verb.start())
                and not _BREAK.search(text, match.end(), verb.start())
            ]
            if close:
                places.append((verb.start(), close[-1]))
        return places

    @staticmethod
    def _is_given(text: str, start: int, match: re.Match[str], verb: int) -> bool:
        before = _TO.search(text, max(start, match.start() - 4), match.start())
        return before is not None and not _WHO.search(text, match.end(), verb)

    @cached_property
    def _known_parties(self) -> dict[str, Party]:
        names: dict[str, Party] = {}
        for party in self._parties:
            for name in (party.name, party.short, party.role):
                if name and name.casefold() not in _NOT_ROLES:
                    names.setdefault(_fold(name), party)
        for party in self._parties:
            for name in (party.short, party.role):
                if name.casefold() in ("you", "us", "we"):
                    names.setdefault({"us": "we"}.get(name.casefold(), name.casefold()), party)
        return names

    @cached_property
    def _names(self) -> re.Pattern[str]:
        return re.compile(rf"{self._all_names.pattern}(?![’']s?\s)")

    @cached_property
    def _all_names(self) -> re.Pattern[str]:
        """Return what finds the parties, also where something of theirs is spoken of."""
        written = [
            rf"{re.escape(name)}" for name in sorted(self._known_parties, key=len, reverse=True)
        ]
        known = "|".join(name.replace(r"\ ", r"\s+") for name in written) or r"(?!)"
        roles = "|".join(
            re.escape(role.title())
            for role in sorted(ROLES - _NOT_ROLES, key=len, reverse=True)
            if role not in self._known_parties
        )
        return re.compile(
            rf"(?<![\w])(?:(?P<group>(?i:{_GROUPS}))|(?P<known>(?i:(?:the\s+)?(?:{known})))|"
            rf"(?:[Tt]he\s+)?(?P<role>{roles}))(?!\w)"
        )

    def _whose(self, match: re.Match[str]) -> Acting | Literal[""]:
        if match["group"]:
            return "mutual"
        if match["role"]:
            return ""
        return "ours" if self._side.is_member(self._party(match)) else "theirs"

    def _party(self, match: re.Match[str]) -> Party:
        name = _fold(match["known"])
        return self._known_parties.get(name) or self._known_parties[name.removeprefix("the ")]

    def _party_words(self, match: re.Match[str]) -> str:
        if match["group"]:
            return _ROLE_WORDS[match["group"].split()[0].casefold()]
        if match["role"]:
            return match["role"]
        return display_name(self._party(match))


def _reciprocal(text: str, active: Sequence[tuple[int, Acting | Literal[""]]]) -> bool:
    """Tell whether both sides do the same: "A shall indemnify B, and B shall indemnify A"."""
    doing: dict[str, set[str]] = {}
    for at, who in active:
        done = _DOES.match(text, at)
        if done and who:
            doing.setdefault(" ".join(done[0].casefold().split()), set()).add(who)
    return any({"ours", "theirs"} <= sides for sides in doing.values())


def display_name(party: Party) -> str:
    """Return a party as the contract calls it, with its name where that is another."""
    called = party.short or party.role
    plain = called.casefold() in ("", "you", "us", "we") or _fold(called) == _fold(party.name)
    return party.name if plain else f"{called} ({party.name})"


def _fold(name: str) -> str:
    return " ".join(name.casefold().split())
