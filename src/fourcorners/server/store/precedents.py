"""Precedents for a page: found in what a person may see, with how each differs from a draft."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.operations.local_models import LocalModels
from fourcorners.outline.card.contract_titles import ContractTitle, title_contracts
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.server.links import quote_href

if TYPE_CHECKING:
    from fourcorners.precedents.clause import Clause, ClausePlace
    from fourcorners.precedents.difference import DifferencePiece
    from fourcorners.precedents.rank import Ranked
    from fourcorners.precedents.references import ReferencedText

MAX_SOURCES = 3  # of a clause that are named
MIN_DRAFT = 25  # words from which what was pasted is a draft, and not a description
MAX_PRECEDENTS = 12  # of one query


@dataclass(frozen=True, slots=True)
class PrecedentSource:
    name: str
    path: tuple[str, ...]
    href: str

    @property
    def citation(self) -> str:
        return ", ".join(filter(None, (self.name, " › ".join(self.path))))


@dataclass(frozen=True, slots=True)
class Precedent:
    """A clause as a page shows it.

    Attributes:
        more: In how many places it occurs besides those of `sources`.
        pieces: What would change in the draft; empty without one.
        alike: The share of words that are those of the draft, in percent; None without one.
    """

    ranked: Ranked
    id: str
    sources: tuple[PrecedentSource, ...]
    more: int
    referred: tuple[ReferencedText, ...]
    pieces: tuple[DifferencePiece, ...]
    alike: int | None

    @property
    def clause(self) -> Clause:
        return self.ranked.clause

    @property
    def stars(self) -> float | None:
        expected = self.ranked.expected
        return None if expected is None else round(expected * 2) / 2

    @property
    def citation(self) -> str:
        where = self.sources[0].citation if self.sources else ""
        return f"{self.clause.text}\n\n[{where}]" if where else self.clause.text


def find_precedents(
    library: Library,
    engines: LocalModels,
    words: str,
    *,
    entries: Iterable[Entry] = (),
    bank: str = "",
    draft: str = "",
) -> tuple[list[Precedent], str]:
    """Return the best precedents as a page shows them, and a note on how they were ranked.

    Raises:
        ConfigError: If there is no such bank.
    """
    found, message = rank_precedents(library, engines, words, entries=entries, bank=bank)
    against = draft.strip() or (words if len(words.split()) >= MIN_DRAFT else "")
    return [_build_view(library, each, against, bank) for each in found], message


def rank_precedents(
    library: Library,
    engines: LocalModels,
    words: str,
    *,
    entries: Iterable[Entry] = (),
    bank: str = "",
    limit: int = MAX_PRECEDENTS,
) -> tuple[list[Ranked], str]:
    """Return the best clauses of a bank, or of contracts, and a note on how they were ranked.

    Raises:
        ConfigError: If there is no such bank.
    """
    from fourcorners.precedents.clause import bank_clauses, document_clauses
    from fourcorners.precedents.learning import adapters
    from fourcorners.precedents.rank import ClauseStock, rank_clauses
    from fourcorners.precedents.scoring.score import Scoring
    from fourcorners.precedents.scoring.vectors import clause_vectors

    clauses = bank_clauses(library, bank) if bank else document_clauses(library, entries)
    encoder = engines.encoder
    chosen = adapters.choose_adapter(library, encoder)
    stock = ClauseStock(clauses, encoder, vectors=clause_vectors(library, clauses, encoder))
    found = rank_clauses(words, stock, Scoring(adapter=chosen.adapter), limit=limit)
    return list(found), chosen.message or ""


def _build_view(library: Library, ranked: Ranked, draft: str, bank: str) -> Precedent:
    from fourcorners.precedents.difference import similarity, word_difference
    from fourcorners.precedents.references import find_references

    clause = ranked.clause
    pieces = tuple(word_difference(draft, clause.text)) if draft else ()
    places = clause.places[:MAX_SOURCES]
    documents = dict.fromkeys(each.document for each in places if each.document)
    called = title_contracts([library.entry(each) for each in documents], library.card)
    own = BankClause(clause.provision, clause.text).id if bank else ""
    return Precedent(
        ranked,
        own,
        tuple(_source(library, each, called) for each in places),
        max(0, len(clause.places) - MAX_SOURCES),
        tuple(find_references(library, clause.places[0])),
        pieces,
        round(100 * similarity(list(pieces))) if pieces else None,
    )


def _source(
    library: Library, place: ClausePlace, called: Mapping[str, ContractTitle]
) -> PrecedentSource:
    href = ""
    if place.document and place.span is not None:
        text = library.text(place.document)
        href = quote_href(place.document, place.span, place.span.text_in(text))
    name = str(called[place.document]) if place.document else place.source
    return PrecedentSource(name, place.path, href)
