"""Precedents: clauses to draft from, ranked, with how each differs from a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.local_models import LocalModels
from fourcorners.operations.principal import Role
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.value import PlacedWords, Value

if TYPE_CHECKING:
    from fourcorners.precedents.clause import Clause, ClausePlace
    from fourcorners.precedents.difference import DifferencePiece
    from fourcorners.precedents.rank import Ranked
    from fourcorners.precedents.references import ReferencedText

MAX_SOURCES = 3  # of a clause that are named
MIN_DRAFT = 25  # words from which what was pasted is a draft, and not a description
_LONGEST = 20_000  # characters of a query or a draft


class PrecedentsRequest(Value):
    """What a clause should provide, and whose clauses are ranked; all that may be read by default.

    A draft alone is what its precedents are sought by.
    """

    query: str = Field(
        default="", max_length=_LONGEST, examples=["mutual cap on liability, twelve months' fees"]
    )
    draft: str = Field(
        default="", max_length=_LONGEST, description="Each precedent is compared with it."
    )
    collection: str | None = Field(default=None, max_length=500)
    bank: str = Field(default="", max_length=200, description="A clause bank, by its name.")
    limit: int = Field(default=12, ge=1, le=50)


@dataclass(frozen=True, slots=True)
class PrecedentSource:
    """Where a clause is; `words` are those of its place, where that is known."""

    document: str
    name: str
    path: tuple[str, ...]
    words: PlacedWords | None

    @property
    def citation(self) -> str:
        return ", ".join(filter(None, (self.name, " › ".join(self.path))))


@dataclass(frozen=True, slots=True)
class Precedent:
    """A clause to draft from.

    Attributes:
        id: In its bank; empty for a clause of a contract.
        sources: The first of its places.
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


@dataclass(frozen=True, slots=True)
class Precedents:
    """The best clauses, and a note on how they were ranked."""

    found: list[Precedent]
    note: str


def find_precedents(access: Access, asked: PrecedentsRequest, engines: LocalModels) -> Precedents:
    """Find the clauses of a bank, or of contracts, that serve best.

    Raises:
        ConfigError: If nothing is asked, both a bank and a collection are named, or there is no
            such bank.
        NotFound: If they may not know of the collection.
        NotAllowed: If they name a bank, and may not read all that there is.
    """
    words = asked.query.strip() or asked.draft.strip()
    if not words:
        raise ConfigError("describe the clause, or paste your draft of it.")
    if asked.bank and asked.collection:
        raise ConfigError("a bank or a collection, not both.", remedy="Leave one of them out.")
    from fourcorners.precedents.clause import bank_clauses, document_clauses

    if asked.bank:
        library = access.full_library(Role.READER)
        clauses = bank_clauses(library, asked.bank)
    else:
        library = access.common()
        clauses = document_clauses(library, access.documents(asked.collection))
    found, note = _rank(library, engines, words, clauses, asked.limit)
    draft = asked.draft.strip() or (words if len(words.split()) >= MIN_DRAFT else "")
    made = [_build_view(access, library, each, draft, asked.bank) for each in found]
    where = {"collection": asked.collection or "", "bank": asked.bank}
    access.record("precedents", {**where, "found": len(made)})
    return Precedents(made, note)


def _rank(
    library: Library, engines: LocalModels, words: str, clauses: Sequence[Clause], limit: int
) -> tuple[list[Ranked], str]:
    from fourcorners.precedents.learning import adapters
    from fourcorners.precedents.rank import ClauseStock, rank_clauses
    from fourcorners.precedents.scoring.score import Scoring
    from fourcorners.precedents.scoring.vectors import clause_vectors

    encoder = engines.encoder
    chosen = adapters.choose_adapter(library, encoder)
    stock = ClauseStock(clauses, encoder, vectors=clause_vectors(library, clauses, encoder))
    found = rank_clauses(words, stock, Scoring(adapter=chosen.adapter), limit=limit)
    return list(found), chosen.message or ""


def _build_view(
    access: Access, library: Library, ranked: Ranked, draft: str, bank: str
) -> Precedent:
    from fourcorners.precedents.difference import similarity, word_difference
    from fourcorners.precedents.references import find_references

    clause = ranked.clause
    pieces = tuple(word_difference(draft, clause.text)) if draft else ()
    places = clause.places[:MAX_SOURCES]
    called = access.titles(each.document for each in places if each.document)
    return Precedent(
        ranked,
        BankClause(clause.provision, clause.text).id if bank else "",
        tuple(
            PrecedentSource(
                each.document,
                str(called[each.document]) if each.document else each.source,
                each.path,
                _placed_words(library, each),
            )
            for each in places
        ),
        max(0, len(clause.places) - MAX_SOURCES),
        tuple(find_references(library, clause.places[0])),
        pieces,
        round(100 * similarity(list(pieces))) if pieces else None,
    )


def _placed_words(library: Library, place: ClausePlace) -> PlacedWords | None:
    if not place.document or place.span is None:
        return None
    words = place.span.text_in(library.text(place.document))
    return PlacedWords.from_span(words, place.span)
