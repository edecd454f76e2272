"""The parties of contracts: for whom they are read, and who acts in a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal

from fourcorners.errors import ConfigError
from fourcorners.library.entries import Entry
from fourcorners.library.memory import VersionedCache
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.outline.card.card import Card, Party
from fourcorners.outline.card.party_names import FORM, ROLES
from fourcorners.playbooks.playbook import Acting
from fourcorners.search.graph.resolution import party_key
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

MAX_NAME = 200  # characters of a name that is given for a side
MAX_NAMES = 20  # that are given for a side: the members of a group
_LISTED = 12  # parties that an error names
_FORM = re.compile(rf"(?<!\w){FORM}$")
_WORD = re.compile(r"[^\W_][\w&]*")


@dataclass(frozen=True, slots=True)
class Side:
    """For whom one contract is read: some of its parties, by name; nobody if there is none."""

    names: tuple[str, ...] = ()

    def whose(self, party: Party) -> Literal["ours", "theirs", ""]:
        """Tell whose a party of the contract is; empty where it is read for nobody."""
        if not self.names:
            return ""
        return "ours" if party.name in self.names else "theirs"

    @property
    def key(self) -> str:
        """Return what tells this side from others; empty for nobody's."""
        return sha256("\n".join(self.names).encode()).hexdigest()[:8] if self.names else ""


UNKNOWN_SIDE = Side()


def find_sides(library: Library, entries: Iterable[Entry]) -> dict[str, Side]:
    """Return, for each of some documents, for whom it is read: as its collections have it.

    The cells of a document are the same in all collections that it is in. Where these are not all
    read for the same, it is read for nobody: none of them is told of what is said in another.
    """
    wanted = list(entries)
    names = {
        name: library.read_for(name)
        for name in sorted({name for entry in wanted for name in entry.collections})
    }
    sides = {}
    for entry in wanted:
        first, *others = {frozenset(names[name]) for name in entry.collections} or {frozenset()}
        agreed = bool(first) and not others
        sides[entry.id] = side_for(library.card(entry.id), first) if agreed else UNKNOWN_SIDE
    return sides


def collection_sides(library: Library, collection: str) -> dict[str, Side]:
    """Return for whom each document of a collection is read; kept until anything changes."""
    known: VersionedCache[dict[str, Side]] = library.memory.cache("sides")
    return known.get(
        sides_version(library),
        fold_name(collection),
        lambda: find_sides(library, library.documents(collection)),
    )


def sides_version(library: Library) -> str:
    """Return a value that changes whenever some document may be read for others."""
    sides = [(name, library.read_for(name)) for name in library.collection_names()]
    return f"{library.content_version} {sides}"


def collection_parties(library: Library, collection: str) -> list[tuple[str, int]]:
    """Count the parties of a collection's contracts; kept until a document comes or goes."""
    known: VersionedCache[list[tuple[str, int]]] = library.memory.cache("parties")
    return known.get(
        library.content_version,
        fold_name(collection),
        lambda: count_parties(library.card(each.id) for each in library.documents(collection)),
    )


def side_for(card: Card, names: Iterable[str]) -> Side:
    """Return the side of those parties of a contract that some name means."""
    parties = [fact.value for fact in card.parties]
    meant = {party.name for name in names for party in _find_parties(name, parties)}
    return Side(tuple(sorted(meant)))


def set_side(
    library: Library, collection: str | None, names: Iterable[str], *, by: str = ""
) -> bool:
    """Let a collection, or the only one there is, remember for whom its contracts are read.

    Without a name it is nobody. Returns whether that is another side than before; `by` is who says
    so, for the audit trail.

    Raises:
        ConfigError: If a name means no party of any of its contracts, or no collection is named and
            there are several.
    """
    given = list(dict.fromkeys(filter(None, (" ".join(name.split()) for name in names))))
    if len(given) > MAX_NAMES or any(len(name) > MAX_NAME for name in given):
        raise ConfigError(
            f"contracts are read for at most {MAX_NAMES} names of up to {MAX_NAME} characters."
        )
    if collection is None:
        known = library.collection_names()
        if len(known) > 1:
            raise ConfigError(
                "for whom contracts are read belongs to a collection.",
                remedy=f"Name it with --collection; there are: {', '.join(known)}.",
            )
        collection = next(iter(known), "")
    cards = [library.card(entry.id) for entry in library.documents(collection)] if given else []
    for name in given:
        if not any(side_for(card, [name]).names for card in cards):
            there = [party for party, _ in count_parties(cards)]
            more = f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
            raise ConfigError(
                f"no contract of the collection {collection!r} has a party called {name!r}.",
                remedy=f"There are: {'; '.join(there[:_LISTED])}{more}."
                if there
                else "No party was recognised in its contracts.",
            )
    if set(given) == set(library.read_for(collection)):
        return False
    library.set_read_for(collection, given, by=by)
    return True


def count_parties(cards: Iterable[Card]) -> list[tuple[str, int]]:
    """Return the parties of contracts, and how many contracts have each, the most frequent first.

    A name that is written in several ways is given in the most frequent one.
    """
    spellings: dict[str, Counter[str]] = {}
    for card in cards:
        for key, name in {party_key(e.value.name): e.value.name for e in card.parties}.items():
            spellings.setdefault(key, Counter())[name] += 1
    counts = [(each.most_common(1)[0][0], each.total()) for each in spellings.values()]
    return sorted(counts, key=lambda pair: (-pair[1], pair[0].casefold()))


def _find_parties(name: str, parties: Sequence[Party]) -> list[Party]:
    """Return the parties that a name means: by name, else as the contract calls them, else a group.

    A name without a legal form means every party whose name begins with its words.
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


def combine_actors(acting: Iterable[Acting | Literal[""]]) -> Acting | Literal[""]:
    known = {each for each in acting if each}
    if len(known) == 1:
        return next(iter(known))
    return "mutual" if known else ""


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
        within_group = len({side.whose(party) for party in self._parties}) < 2
        self._side = UNKNOWN_SIDE if within_group else side

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
        if not self._side.names:
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
        return self._side.whose(self._party(match))

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
