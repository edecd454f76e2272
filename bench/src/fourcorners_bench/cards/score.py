"""Titles, parties and types of contract cards against the lawyers' answers of CUAD.

A fact is *right* where it equals the lawyer's answer, or the words the lawyer marked for it, after
the normalisation of `answers`; *missing* where the card has none; else *wrong*. What the contract
leaves blank ("[]/[]/2019", "__________") or does not say is no fact: a card is judged on it only
for inventing one.

Parties are right if each that the lawyer names is named once and nobody else is. An answer was
typed next to the words marked in the contract, with slips, so its names are read as follows:

- A party is one, however it is spelled: as typed, as marked where the marked name is like the typed
  one, holds all of its words, or is given the same short name by the contract. A short name or a
  role alone is no spelling.
- A name with the party's short name and all words of its name, with at most three others, is that
  party ("System Associates, Inc." cut from "Information System Associates, Inc.").
- Names joined in one answer ("A Ltd. and B Ltd.") are parties of their own if each was marked.
- Roles, pronouns, descriptions and blanks ("you", "an individual") ask for no name; a card's party
  counts neither for nor against it if it has that role, or if it is a company that the lawyer
  marked as a party and did not type.
- All else that the card names is surplus, a party named twice too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.card.contract_titles import contract_types
from fourcorners.outline.card.read import read_card
from fourcorners_bench.cards.truth import (
    NamedParty,
    PartiesAnswer,
    expand_to_words,
    named_parties,
    normal_name,
    normal_party,
    title_variants,
)
from fourcorners_bench.extraction.loader import AnnotatedContract
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.outline.references import text_document
from fourcorners_bench.record import Json, OnProgress, with_progress

if TYPE_CHECKING:
    from rich.table import Table

FACTS = ("Document Name", "Parties", "Type")


VERDICTS = ("right", "missing", "wrong", "silent", "invented")
COUNTS = ("found", "named", "common", "shorts", "short_found", "short_right")


@dataclass(slots=True)
class Tally:
    """How a fact was read in many contracts.

    Attributes:
        silent: Contracts that do not state it, and of which the card says nothing either.
        invented: Contracts that do not state it though the card does.
        found, named, common: Of parties: those the cards name, those the lawyers name, and both.
        shorts, short_found, short_right: Of the parties that both name: those to which the lawyers
            give short names, of these those to which the card gives one too, and one of theirs.
    """

    right: int = 0
    missing: int = 0
    wrong: int = 0
    silent: int = 0
    invented: int = 0
    found: int = 0
    named: int = 0
    common: int = 0
    shorts: int = 0
    short_found: int = 0
    short_right: int = 0

    @property
    def stated(self) -> int:
        return self.right + self.missing + self.wrong

    @property
    def exact(self) -> float:
        """Return the share of contracts stating the fact in which it was read exactly."""
        return self.right / self.stated if self.stated else 0.0


@dataclass(frozen=True, slots=True)
class Miss:
    """A fact that was not read exactly: what the lawyer says, and what the card says."""

    name: str
    fact: str
    expected: str
    read: str


@dataclass(frozen=True, slots=True)
class CardScores:
    """The tallies of all facts over all contracts and over each part, and what was missed."""

    parts: Mapping[str, Mapping[str, Tally]]
    misses: Sequence[Miss] = field(repr=False)


def group_part(group: str) -> str:
    """Return the part a group of contracts belongs to: rules are made on `tuning` alone.

    A quarter of the groups is held out.
    """
    return "tuning" if hashlib.sha256(group.encode()).digest()[0] % 4 else "held-out"


def read_cards(
    contracts: Sequence[AnnotatedContract], on_progress: OnProgress | None = None
) -> dict[str, Card]:
    """Read the card of every contract."""
    cards = {}
    for contract in with_progress(contracts, "Reading cards", on_progress):
        document = text_document(contract.name, contract.text)
        cards[contract.name] = read_card(document, build_outline(document))
    return cards


def score_cards(contracts: Sequence[AnnotatedContract], cards: Mapping[str, Card]) -> CardScores:
    """Compare the card of every contract with the lawyers' answers."""
    parts: dict[str, dict[str, Tally]] = {
        part: {fact: Tally() for fact in FACTS} for part in ("all", "tuning", "held-out")
    }
    misses: list[Miss] = []
    for contract in contracts:
        card = cards[contract.name]
        for fact, judged in judge_card(contract, contract.answers, card).items():
            for part in ("all", group_part(contract.group)):
                _count(parts[part][fact], judged)
            if judged.verdict not in ("right", "silent"):
                misses.append(Miss(contract.name, fact, judged.expected, judged.read))
    return CardScores(parts, misses)


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """The verdict on one fact of one card; `counts` are of parties, in the order of `COUNTS`."""

    verdict: str
    expected: str = ""
    read: str = ""
    counts: tuple[int, ...] = ()


def judge_card(
    contract: AnnotatedContract, truth: Mapping[str, str], card: Card
) -> dict[str, JudgedFact]:
    return {
        "Document Name": _judge_title(contract, truth["Document Name"], card),
        "Parties": _judge_parties(contract, truth["Parties"], card),
        "Type": _judge_type(contract.name, truth["Document Name"], card.type),
    }


def _count(tally: Tally, judged: JudgedFact) -> None:
    setattr(tally, judged.verdict, getattr(tally, judged.verdict) + 1)
    for name, count in zip(COUNTS, judged.counts, strict=False):
        setattr(tally, name, getattr(tally, name) + count)


def _verdict(stated: bool, read: bool, right: bool) -> str:
    if not stated:
        return "invented" if read else "silent"
    return "right" if right else "wrong" if read else "missing"


def _judge_title(contract: AnnotatedContract, answer: str, card: Card) -> JudgedFact:
    marked = [
        expand_to_words(contract.text, span) for span in contract.annotations["Document Name"]
    ]
    wanted = {
        title
        for words in (*marked, answer, *answer.split("\n\n"))
        for title in title_variants(words)
    }
    read = card.title.value if card.title else ""
    right = bool(title_variants(read) & wanted)
    return JudgedFact(_verdict(bool(answer), bool(read), right), answer, read)


def _judge_parties(contract: AnnotatedContract, answer: str, card: Card) -> JudgedFact:
    wanted = named_parties(answer, contract.text, contract.annotations["Parties"])
    read = [fact.value for fact in card.parties]
    pairs, surplus = _pair(wanted, read)
    common = len(pairs)
    right = common == len(wanted.parties) and not surplus
    called = [
        (own.short_names, normal_name(party.short)) for own, party in pairs if own.short_names
    ]
    counts = (
        *(common + surplus, len(wanted.parties), common),
        *(len(called), sum(bool(short) for _, short in called)),
        sum(short in names for names, short in called),
    )
    return JudgedFact(
        _verdict(bool(wanted.parties), bool(read), right),
        answer,
        "; ".join(party.name for party in read),
        counts if wanted.parties else (),
    )


def _pair(
    wanted: PartiesAnswer, read: Sequence[Party]
) -> tuple[list[tuple[NamedParty, Party]], int]:
    """Return the parties of a card that are the answer's, each once, and how many are not."""
    left = list(wanted.parties)
    pairs = []
    others = []
    for party in read:
        own = next((each for each in left if each.is_named(normal_party(party.name))), None)
        if own is None:
            others.append(party)
        else:
            left.remove(own)
            pairs.append((own, party))
    surplus = 0
    for party in others:
        name = normal_party(party.name)
        own = next((each for each in left if each.is_meant(name, party.short)), None)
        if own is not None:
            left.remove(own)
            pairs.append((own, party))
        elif name not in wanted.marked and not wanted.unnamed & {
            normal_name(party.short),
            party.role.casefold(),
        } - {""}:
            surplus += 1
    return pairs, surplus


def _judge_type(name: str, title: str, fact: Fact[str] | None) -> JudgedFact:
    wanted = named_types(name)
    if wanted and "Amendment" in contract_types(title):  # files are named by what is amended
        wanted |= {"Amendment"}
    read = fact.value if fact else ""
    return JudgedFact(
        _verdict(bool(wanted), bool(read), read in wanted), ", ".join(sorted(wanted)), read
    )


def named_types(name: str) -> frozenset[str]:
    """Return the kinds that the name of a CUAD file tells: what follows its exhibit number."""
    stem = re.sub(r"\.txt$", "", name, flags=re.IGNORECASE)
    tail = re.split(r"EX-[\w.]+[-_]|_\d+_", stem)[-1]
    tail = tail.rpartition(" - ")[2] if " - " in tail else tail
    return contract_types(tail.replace("_", " "))


def card_measures(scores: CardScores) -> dict[str, Json]:
    return {
        part: {fact: _figures(tally) for fact, tally in tallies.items()}
        for part, tallies in scores.parts.items()
    }


def _figures(tally: Tally) -> dict[str, Json]:
    counts: dict[str, Json] = {name: getattr(tally, name) for name in VERDICTS}
    figures: dict[str, Json] = {"exact": round(tally.exact, 4), **counts}
    if tally.named:
        figures["recall"] = round(tally.common / tally.named, 4)
        figures["precision"] = round(tally.common / max(1, tally.found), 4)
        figures["short names, recall"] = round(tally.short_right / max(1, tally.shorts), 4)
        figures["short names, precision"] = round(tally.short_right / max(1, tally.short_found), 4)
    return figures


def card_table(scores: CardScores) -> Table:
    heads = ("Fact", "exact", "tuning", "held out", *VERDICTS)
    shown = figure_table("Contract cards", *heads, wrap_words=True, wrap_figures=True, boxed=True)
    for fact in FACTS:
        whole = scores.parts["all"][fact]
        parts = (scores.parts[part][fact] for part in ("all", "tuning", "held-out"))
        counts = (str(getattr(whole, name)) for name in VERDICTS)
        shown.add_row(fact, *(f"{part.exact:.3f}" for part in parts), *counts)
    parties = scores.parts["all"]["Parties"]
    if parties.named:
        recall, precision = parties.common / parties.named, parties.common / max(1, parties.found)
        known = parties.short_right / max(1, parties.shorts)
        sure = parties.short_right / max(1, parties.short_found)
        shown.caption = (
            f"Parties one by one: recall {recall:.3f}, precision {precision:.3f}; "
            f"their short names: recall {known:.3f}, precision {sure:.3f}"
        )
    return shown
