"""Draft in a contract's own names and terms: fill model wording, or adapt a precedent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fourcorners.library.contract import Contract
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Party
from fourcorners.outline.card.party_names import PRONOUNS
from fourcorners.playbooks.playbook import Position, Provision, fill_slots
from fourcorners.precedents.clause import bank_clauses
from fourcorners.precedents.rank import ClauseStock, rank_clauses
from fourcorners.precedents.scoring.vectors import clause_vectors
from fourcorners.redline.proposal import Draft, Source, find_blanks
from fourcorners.review.parties import Side
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.stems import IDLE
from fourcorners.text.values.amounts import find_amounts
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.periods import find_durations

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

LEAST_RELEVANT = 0.5
"""The chance of three stars or more from which a clause is drafted from."""


@dataclass(frozen=True, slots=True)
class BankPrecedent:
    """A clause of a bank, as it is written, with where it comes from."""

    text: str
    source: Source


class PrecedentBank:
    """A clause bank, made ready once and asked for each position."""

    def __init__(self, library: Library, bank: str, encoder: Encoder) -> None:
        self._name = bank
        # Nobody is asked here whether an expired clause may be used all the same.
        clauses = bank_clauses(library, bank, on=datetime.now(UTC).date())
        self._stock = ClauseStock(
            clauses, encoder, vectors=clause_vectors(library, clauses, encoder)
        )

    def best(self, provision: Provision, position: Position) -> BankPrecedent | None:
        """Return the best clause of a position; None if none is good enough to draft from."""
        query = f"{provision.name}: {position.text}"
        found = rank_clauses(query, self._stock, longer=position.example or None, limit=1)
        if not found or (found[0].relevant or 0.0) < LEAST_RELEVANT:
            return None
        clause = found[0].clause
        place = clause.places[0]
        name = place.source or f"the bank {self._name}"
        return BankPrecedent(
            " ".join(clause.text.split()), Source(name, place.path, place.span, clause.stars)
        )


_PATTERNS = load_patterns("fourcorners.redline", "drafting")
_THIS = _PATTERNS["this"]
_PARTY = _PATTERNS["party"]
_SENTENCE = _PATTERNS["sentence"]
_CAPITALISED = _PATTERNS["capitalised"]
_SUBJECT = _PATTERNS["subject"]
_REFERENCE = _PATTERNS["reference"]
_FOR_TWO = _PATTERNS["for_two"]


class ContractTerms:
    """How a contract calls its parties, itself and what it defines.

    `given` are values for slots, by their names; they come before what the contract says.
    """

    def __init__(
        self, contract: Contract, side: Side, given: Mapping[str, str] | None = None
    ) -> None:
        self.contract, self.side = contract, side
        text, outline, card = contract.full_text, contract.outline, contract.card
        self._terms = {term.term.casefold(): term.term for term in outline.terms}
        parties = [fact.value for fact in card.parties]
        self._number_of_parties = len(parties)
        self._apostrophe = "’" if text.count("’") > text.count("'") else "'"
        ours = [each for each in parties if side.whose(each) == "ours"]
        theirs = [each for each in parties if side.whose(each) == "theirs"]
        capitals = sum(match[1][0] == "P" for match in _PARTY.finditer(text))
        plain = sum(match[1][0] == "p" for match in _PARTY.finditer(text))
        party = "Party" if capitals > plain else "party"
        calls = Counter(_lower_first(" ".join(e[0].split())) for e in _THIS.finditer(text))
        called = max(calls, key=lambda each: (calls[each], -len(each)), default="this agreement")
        self._values = {
            "party": party,
            "parties": "Parties" if party == "Party" else "parties",
            "agreement": called,
        }
        for slot, group in (("our party", ours), ("other party", theirs)):
            if len(group) == 1 and (name := self.party_name(group[0])):
                self._values[slot] = name
        if card.governing_law is not None:
            self._values["governing law"] = card.governing_law.value
        self._values |= {name.casefold(): value for name, value in (given or {}).items()}
        self._names = {
            re.sub(r"^the\s+", "", name.casefold()): self.party_name(each)
            for each in parties
            for name in (each.name, each.short, each.role)
            if name
        }

    def party_name(self, party: Party) -> str:
        """Return how the contract calls a party in a sentence; empty where that is a pronoun."""
        for name in (party.short, party.role):
            if not name or name.casefold() in PRONOUNS:
                continue
            bare = re.sub(r"^[Tt]he\s+", "", name)
            whole = rf"(?<!\w){re.escape(bare)}(?!\w)"
            with_article = len(re.findall(rf"\b[Tt]he\s+{whole}", self.contract.full_text))
            uses = len(re.findall(whole, self.contract.full_text))
            return f"the {bare}" if 2 * with_article >= uses else bare
        return party.name

    def fits(self, wording: str) -> bool:
        """Tell whether a wording fits the number of parties: "the other" is one of two."""
        return self._number_of_parties < 3 or not _FOR_TWO.search(wording)

    def fill(self, wording: str) -> Draft:
        """Return a wording with its slots filled; those that cannot be filled are in brackets."""
        blanks: list[str] = []

        def value(name: str, offset: int) -> str:
            *defined, plain = (each.strip() for each in name.split("|"))
            words = self._values.get(name.casefold())
            if words is None and defined:
                known = (self._terms.get(each.casefold()) for each in defined)
                words = next(filter(None, known), plain)
            if words is None:
                blanks.append(name)
                return f"[{name}]"
            return _upper_first(words) if _SENTENCE.search(wording[:offset]) else words

        words = fill_slots(wording.replace("'", self._apostrophe), value)
        return Draft(words, tuple(dict.fromkeys(blanks)))

    def adapt_clause(self, clause: str) -> Draft:
        """Return another contract's clause with what this one does not know in brackets.

        That is its periods, amounts and references, and what it writes with a capital, as names and
        defined terms are; those that this contract has are written as it writes them.
        """
        whole = Span(0, len(clause))
        own = [Span(*each.span()) for each in _REFERENCE.finditer(clause)]
        for find in (find_durations, find_amounts, find_dates):
            own += [each.span for each in find(clause, whole)]
        new = {each: f"[{each.text_in(clause)}]" for each in own}
        for pattern in (_CAPITALISED, _SUBJECT):
            for match in pattern.finditer(clause):
                new.setdefault(Span(*match.span()), self._adapt_name(match))
        words, end = "", 0
        for span, written in sorted(new.items(), key=lambda each: (each[0].start, -len(each[0]))):
            if span.start >= end and clause.count("[", 0, span.start) == clause.count(
                "]", 0, span.start
            ):
                words += clause[end : span.start] + written
                end = span.end
        words += clause[end:]
        return Draft(words, find_blanks(words))

    def _adapt_name(self, match: re.Match[str]) -> str:
        words, article = match["term"], match["article"] or ""
        if (name := self._names.get(words.casefold())) is not None:
            return _upper_first(name) if match.start() == 0 or article[:1] == "T" else name
        if (term := self._terms.get(words.casefold())) is not None:
            return f"{article}{term}"
        text = self.contract.full_text
        is_known = f" {words} " in text or words.casefold() in IDLE or f" {words.lower()} " in text
        return match[0] if is_known else f"{article}[{words}]"


def _upper_first(words: str) -> str:
    return words[:1].upper() + words[1:]


def _lower_first(words: str) -> str:
    return words[:1].lower() + words[1:]
