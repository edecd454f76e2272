"""Find where a contract names those it binds: its parties, roles, "each party", pronouns."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from fourcorners.outline.card.card import Card, Party
from fourcorners.outline.card.party_names import ENDS_WITH_FORM, FORM, HAS_FORM, ROLES, is_acting
from fourcorners.outline.tree import DefinedTerm
from fourcorners.review.obligations.obligation import EACH, EITHER, Actor
from fourcorners.review.parties import display_name
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.review.obligations", "actors")
_OF_COMPANY = re.compile(rf"(?<!\w){FORM}[^;]{{0,60}}$")
_BEFORE_TERM = 140  # characters before a term that name the company it means
_MOST_TERMS = 300  # terms of a contract that may mean a party
_NEAR = 80  # characters in which a definition names its party
_JOINED = 30  # characters between two joint actors
_FRONT = 8_000  # characters of a contract that may name groups of its parties in brackets
_PREAMBLE = 800  # characters before the name of a group that name its members


class ActorMentionKind(StrEnum):
    PARTY = "party"
    ALL = "all"
    ONE = "one"
    PRONOUN = "pronoun"


@dataclass(frozen=True, slots=True)
class ActorMention:
    """A place that names an actor.

    Attributes:
        negated: Whether it excludes all ("neither party").
        last: The last of those that it joins; None if it joins none.
    """

    kind: ActorMentionKind
    span: Span
    actor: Actor
    negated: bool = False
    last: ActorMention | None = None


@dataclass(frozen=True)
class Mentions:
    """The mentions of a text, in order."""

    found: Sequence[ActorMention]
    starts: Sequence[int]
    ends: Sequence[int]

    def before(self, offset: int, low: int) -> Iterator[ActorMention]:
        """Yield the mentions that end by an offset and start at `low` or later, the last first."""
        at = bisect_left(self.ends, offset + 1) - 1
        while at >= 0 and self.starts[at] >= low:
            yield self.found[at]
            at -= 1

    def get(self, offset: int) -> ActorMention | None:
        at = bisect_left(self.starts, offset)
        is_there = at < len(self.starts) and self.starts[at] == offset
        return self.found[at] if is_there else None

    def list_within(self, span: Span) -> Iterator[ActorMention]:
        at = bisect_left(self.starts, span.start)
        while at < len(self.found) and self.starts[at] < span.end:
            yield self.found[at]
            at += 1


def find_mentions(text: str, card: Card, terms: Sequence[DefinedTerm]) -> Mentions:
    """Return where a text names its parties, those with a role in it, or each or one of them."""
    return locate_actors(text, find_actors(text, card, terms), card)


def locate_actors(text: str, actors: Mapping[str, Actor], card: Card) -> Mentions:
    """Return where a text, such as a question to a contract, names the contract's actors."""
    everyone = tuple(dict.fromkeys(fact.value.name for fact in card.parties))
    actors = {
        key: Actor(EACH, everyone) if len(set(each.parties)) == len(everyone) > 1 else each
        for key, each in actors.items()
    }
    spans = [*_party_mentions(text, actors, _small_names(text, card)), *_general(text, everyone)]
    chosen: list[ActorMention] = []
    for each in sorted(spans, key=lambda each: (each.span.start, -each.span.end)):
        if not chosen or each.span.start >= chosen[-1].span.end:
            chosen.append(each)
        elif each.kind is ActorMentionKind.PARTY and chosen[-1].kind is ActorMentionKind.ONE:
            chosen[-1] = each  # "the Receiving Party" that the contract defines
    joined = _join(text, chosen, everyone)
    return Mentions(
        joined, [each.span.start for each in joined], [each.span.end for each in joined]
    )


def find_actors(text: str, card: Card, terms: Sequence[DefinedTerm]) -> dict[str, Actor]:
    """Return the actors by the words, in small letters, that name them."""
    found: dict[str, Actor] = {}
    for party in (fact.value for fact in card.parties):
        actor = Actor(display_name(party), (party.name,))
        for alias in _aliases(text, party):
            found.setdefault(_fold(alias), actor)
    _add_groups(text, card, found)
    for term in terms[:_MOST_TERMS]:
        words = term.term
        before = text[max(0, term.span.start - _BEFORE_TERM) : term.span.start]
        opened = _PATTERNS["opened"].search(before)
        is_company = opened is not None and _OF_COMPANY.search(before[: opened.start()])
        if _fold(words) in ("party", "parties") or not is_acting(text, words):
            continue
        meant = _defined_parties(text, term, found)
        if meant is not None:
            found.setdefault(_fold(words), Actor(words, meant))
        elif is_company or _fold(words) in ROLES:
            found.setdefault(_fold(words), Actor(words))
    for role in _PATTERNS["acting"].findall(text):
        if role.casefold() in ROLES and role.casefold() not in ("party", "corporation"):
            found.setdefault(role.casefold(), Actor(role))
    return found


def _add_groups(text: str, card: Card, actors: dict[str, Actor]) -> None:
    """Add the names that a contract gives to several parties: 'each a "Member"', "Borrowers: …"."""
    roles = {fact.value.name: _fold(fact.value.role or "") for fact in card.parties}
    shared = Counter(filter(None, roles.values()))
    for role, count in shared.items():
        if count > 1:
            _add_group(actors, role.title(), [name for name in roles if roles[name] == role])
    start = 0
    for match in _PATTERNS["group_name"].finditer(text):
        if match["these"] and match.start() > _FRONT:
            continue
        if match["these"]:
            within = _fold(text[max(start, match.start() - _PREAMBLE) : match.start()])
            names = [
                name
                for name, role in roles.items()
                if not (role in ROLES and f"{role}s" != _fold(match["these"]))
                and any(alias in within for alias, each in actors.items() if name in each.parties)
            ]
            start = match.end()
            if any(alias in _fold(match["these"]) for alias in actors):
                continue  # what belongs to a party: "the Supplier Services"
        else:
            parts = (
                _fold(each)
                for each in _PATTERNS["joint"].split(match["members"].replace(",", " and "))
            )
            known = [actors.get(each.removeprefix("the ")) for each in parts if each]
            names = [name for each in known if each is not None for name in each.parties]
            names = [] if None in known else names
        _add_group(actors, match["these"] or match["name"], [*dict.fromkeys(names)])


def _add_group(actors: dict[str, Actor], called: str, names: Sequence[str]) -> None:
    if len(names) > 1:
        one = called.removesuffix("s")
        actor = Actor(f"{one}s ({' and '.join(names)})", tuple(names))
        actors.update({_fold(one): actor, _fold(f"{one}s"): actor})


def _defined_parties(
    text: str, term: DefinedTerm, actors: dict[str, Actor]
) -> tuple[str, ...] | None:
    """Return the parties that a term means ("Group means Supplier and its Affiliates"), if any."""
    means = _PATTERNS["as_party"].match(text, term.span.end)
    if means is None:
        return None
    words = text[means.end() : means.end() + _NEAR]
    if re.match(r"party\b", words, re.IGNORECASE):
        return ()
    begins = _fold(words)
    named = (each for each in actors if re.match(rf"{re.escape(each)}(?![\w’'-])", begins))
    longest = max(named, key=len, default="")
    return actors[longest].parties if longest else None


def _aliases(text: str, party: Party) -> Iterator[str]:
    yield party.name
    yield ENDS_WITH_FORM.sub("", party.name) or party.name
    yield from filter(None, (party.short, party.role))
    first = party.name.split()[0].strip(",.")
    spelled = (first, first.capitalize())
    if (
        len(first) > 3
        and HAS_FORM.search(party.name)
        and first.casefold() not in ROLES
        and any(is_acting(text, each) for each in spelled)
    ):
        yield first


def _small_names(text: str, card: Card) -> frozenset[str]:
    """Return the names of parties that begin with a small letter, as many brands do."""
    names = (name for fact in card.parties for name in _aliases(text, fact.value))
    return frozenset(name for name in names if name[:1].islower())


def _party_mentions(
    text: str, actors: Mapping[str, Actor], small: frozenset[str]
) -> Iterator[ActorMention]:
    names = [each for each in sorted(actors, key=len, reverse=True) if each]
    if not names:
        return
    spelled = "|".join(r"\s+".join(map(re.escape, each.split())) for each in names)
    for match in re.finditer(rf"(?<![\w’'-])(?:{spelled})(?![\w-])", text, re.IGNORECASE):
        words = " ".join(match.group().split())
        actor = actors[_fold(words)]
        if words[0].islower() and not (
            words in small or _fold(words) in ROLES | {"you", "we", "us"}
        ):
            continue
        span = Span(*match.span())
        yield ActorMention(ActorMentionKind.PARTY, span, Actor(actor.name, actor.parties, span))


def _general(text: str, everyone: tuple[str, ...]) -> Iterator[ActorMention]:
    for match in _PATTERNS["general"].finditer(text):
        span = Span(*match.span())
        if match["all"]:
            actor = Actor(EACH, everyone, span)
            yield ActorMention(ActorMentionKind.ALL, span, actor, negated=bool(match["none"]))
        elif match["group"]:
            name = " ".join(match["group"].split()[1:])
            yield ActorMention(ActorMentionKind.PARTY, span, Actor(name, (), span))
        elif match["one"]:
            yield ActorMention(ActorMentionKind.ONE, span, Actor(EITHER, (), span))
        else:
            yield ActorMention(ActorMentionKind.PRONOUN, span, Actor("", (), span))


def _join(
    text: str, found: Sequence[ActorMention], everyone: tuple[str, ...]
) -> list[ActorMention]:
    """Join mentions that act together: "Supplier and Customer", "neither A nor B"."""
    joined: list[ActorMention] = []
    ends: list[ActorMention] = [*found[:1]]
    for last, each in pairwise(found):
        gap = text[last.span.end : each.span.start]
        if (
            len(gap) <= _JOINED
            and last.kind is each.kind is ActorMentionKind.PARTY
            and _PATTERNS["joint"].fullmatch(gap)
            and not _PATTERNS["alone"].match(text, each.span.end)
        ):
            ends.append(each)
            continue
        joined.append(_joint(text, ends, everyone))
        ends = [each]
    return [*joined, _joint(text, ends, everyone)] if ends else []


def _joint(text: str, parts: Sequence[ActorMention], everyone: tuple[str, ...]) -> ActorMention:
    first, span = parts[0], Span(parts[0].span.start, parts[-1].span.end)
    neither = _PATTERNS["neither"].search(text, max(0, span.start - 16), span.start)
    if len(parts) == 1:
        return first
    names = tuple(dict.fromkeys(name for each in parts for name in each.actor.parties))
    called = dict.fromkeys(each.actor.name for each in parts)
    if len(called) == 1:
        name = first.actor.name
    elif len(everyone) > 1 and set(names) == set(everyone):
        name = EACH
    else:
        name = " and ".join(called)
    start = neither.start() if neither else span.start
    span = Span(start, span.end)
    return ActorMention(first.kind, span, Actor(name, names, span), bool(neither), parts[-1])


def _fold(words: str) -> str:
    return " ".join(words.casefold().split())
