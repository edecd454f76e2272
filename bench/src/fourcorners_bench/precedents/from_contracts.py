"""The precedents benchmark from whole contracts: clauses are cut by the outline, then ranked.

ACORD's paper takes the clauses as given, and leaves this to later work (its sections 3 and 7). A
judged clause is found with a clause that was cut if that covers most of it. Three things are
measured: what cutting loses; what a ranking loses by it, on the judged clauses in the
contracts; and how high these come among all that was cut, most of which nobody has judged.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean

from fourcorners.library.store import Library
from fourcorners.models.reranker.protocol import Reranker
from fourcorners.precedents import clause as clause_stock
from fourcorners.precedents.clause import Clause
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.rank import ClauseStock, rank_clauses
from fourcorners.precedents.scoring.score import Scoring
from fourcorners.precedents.scoring.vectors import clause_vectors
from fourcorners.settings import Settings
from fourcorners.text.span import Span, covered_length, intersect_spans, merge_spans
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.run import COLLECTION, fill_library, mark_unread
from fourcorners_bench.measures.statistics import bootstrap_interval, wilson_interval
from fourcorners_bench.precedents import run as preceding
from fourcorners_bench.precedents.loader import AcordQuery, Ranking, Split, rank_by_score
from fourcorners_bench.precedents.score import QueryMeasures, score_query
from fourcorners_bench.record import Json, OnProgress, json_figures, with_progress

MIN_COVERAGE = 0.75
"""The share of a judged clause's characters that a clause must have to be a hit."""
_OMITTED = "<omitted>"
_SHORTEST = 20  # characters of a piece that can be placed
MIN_RELEVANT = 2  # the score from which a clause is relevant: 3 stars
DEPTHS = (5, 10, 50, 100, 400)


@dataclass(frozen=True, slots=True)
class CoverageCounts:
    """Judged clauses: how many there are, are in the contracts, and are covered by a cut one."""

    judged: int
    located: int
    hit: int

    def to_json(self) -> dict[str, Json]:
        share = self.hit / self.located if self.located else 0.0
        figures = json_figures((share, *wilson_interval(self.hit, self.located)))
        return {**asdict(self), "covered": figures}


@dataclass(frozen=True, slots=True)
class CutRun:
    """A run over whole contracts, with what became of the judged clauses.

    Attributes:
        run: Every judged clause of every query; what no cut clause covers comes last.
        clauses: How many clauses the contracts were cut into.
        every: The judged clauses, of whatever score.
        relevant: Those of 3 stars and more for some query.
        baseline: The measures of queries over the judged clauses in the contracts, as given.
        as_cut: The same, with the score of the best cut clause that covers each.
        found: By depth and query, the share of its relevant clauses in the contracts that are
            covered by the first so many of all cut clauses.
        unread: Contracts that could not be read, with the reason; their clauses are not found.
    """

    run: list[Ranking]
    clauses: int
    every: CoverageCounts
    relevant: CoverageCounts
    baseline: list[QueryMeasures]
    as_cut: list[QueryMeasures]
    found: dict[int, list[float]]
    unread: dict[str, str]

    def parts(self) -> dict[str, tuple[int, int, int]]:
        named = {"all": self.every, "3 stars and more": self.relevant}
        return {name: (each.judged, each.located, each.hit) for name, each in named.items()}

    def to_json(self) -> dict[str, Json]:
        at = {
            depth: (mean(shares), *bootstrap_interval(shares, mean))
            for depth, shares in self.found.items()
            if shares
        }
        return {
            "clauses": self.clauses,
            "all": self.every.to_json(),
            "relevant": self.relevant.to_json(),
            "queries": len(self.baseline),
            "recall_among_all": json_figures(at),
        }


def run_from_contracts(
    library: Library,
    folder: Path,
    split: Split,
    ranker: preceding.ClauseRanker,
    *,
    settings: Settings,
    on_progress: OnProgress,
    contracts: int | None = None,
) -> CutRun:
    """Read the contracts of CUAD into the library, cut them, and rank their clauses.

    What was read and the vectors made are kept in the library, so a stopped run continues.
    With `contracts`, only so many of them are read.
    """
    encoder = ranker.encoder
    texts = cuad.load_cuad(folder, limit=contracts, keep_unread=True)
    added = fill_library(
        library, texts, folder, encoder=encoder, settings=settings, on_progress=on_progress
    )
    names = {each.name for each in texts}
    entries = [each for each in library.documents(COLLECTION) if each.name in names]
    clauses = clause_stock.document_clauses(library, entries)
    judged = sorted({clause for asked in split.queries for clause in asked.judged})
    contract_texts = ContractTexts({each.id: library.text(each.id) for each in entries})
    located = locate_clauses({name: split.clauses[name] for name in judged}, contract_texts)
    hits = covering_clauses(located, clauses)
    stock = ClauseStock(clauses, encoder, vectors=clause_vectors(library, clauses, encoder))
    placed = located_split(split, located.keys())
    given = preceding.run_precedents(
        placed,
        ranker,
        on_progress=lambda _, done, total: on_progress("Ranking as given", done, total),
    )
    answers = rank_stock(
        split,
        ranker.wording,
        stock,
        hits,
        profile=ranker.profile,
        reranker=ranker.reranker,
        on_progress=on_progress,
    )
    relevant = {
        clause
        for asked in split.queries
        for clause, score in asked.judged.items()
        if score >= MIN_RELEVANT
    }
    ranks = [_ranks(asked, answers.order[asked.id], hits) for asked in placed.queries]
    return CutRun(
        run=answers.run,
        clauses=len(clauses),
        every=_count_coverage(judged, hits),
        relevant=_count_coverage(relevant, hits),
        baseline=_measure_queries(placed, given),
        as_cut=_measure_queries(placed, answers.run),
        found={
            depth: [mean(rank is not None and rank < depth for rank in own) for own in ranks]
            for depth in DEPTHS
        },
        unread=cuad.unread_reasons(mark_unread(texts, added)),
    )


def located_split(split: Split, located: Iterable[str]) -> Split:
    """Return a split with the judged clauses that were located, and queries with relevant ones."""
    there = frozenset(located)
    queries = tuple(
        replace(
            asked, judged={name: score for name, score in asked.judged.items() if name in there}
        )
        for asked in split.queries
    )
    return replace(
        split,
        queries=tuple(
            asked for asked in queries if max(asked.judged.values(), default=0) >= MIN_RELEVANT
        ),
    )


def _count_coverage(names: Iterable[str], hits: Mapping[str, Sequence[int]]) -> CoverageCounts:
    listed = list(names)
    located = [name for name in listed if name in hits]
    return CoverageCounts(len(listed), len(located), sum(bool(hits[name]) for name in located))


def _measure_queries(split: Split, run: Iterable[Ranking]) -> list[QueryMeasures]:
    answers = {each.query: each for each in run}
    return [score_query(asked, answers[asked.id]) for asked in split.queries]


def _ranks(
    asked: AcordQuery, order: Mapping[int, int], hits: Mapping[str, Sequence[int]]
) -> list[int | None]:
    """Return for each relevant clause the place of its first hit among all, from 0."""
    return [
        min((order[row] for row in hits[name] if row in order), default=None)
        for name, score in asked.judged.items()
        if score >= MIN_RELEVANT
    ]


@dataclass(frozen=True, slots=True)
class RankedClauses:
    """A run, and by query the place of each cut clause that was ranked."""

    run: list[Ranking]
    order: dict[str, dict[int, int]]


def rank_stock(
    split: Split,
    wording: str,
    stock: ClauseStock,
    hits: Mapping[str, Sequence[int]],
    *,
    profile: Profile = Profile.DEFAULT,
    reranker: Reranker | None = None,
    on_progress: OnProgress | None = None,
) -> RankedClauses:
    """Rank the clauses of all contracts, and give each judged clause the score of its best hit.

    One without a hit comes after all that have one.
    """
    answers = RankedClauses([], {})
    for asked in with_progress(split.queries, "Ranking as cut", on_progress):
        formulations = preceding.wordings(asked, wording)
        found = rank_clauses(
            formulations[0],
            stock,
            Scoring(profile=profile, reranker=reranker),
            longer=formulations[1] if len(formulations) > 1 else None,
            every=True,
        )
        scores = {each.row: each.score for each in found}
        least = min(scores.values(), default=0.0) - 1.0
        answers.order[asked.id] = {each.row: place for place, each in enumerate(found)}
        answers.run.append(
            rank_by_score(
                asked.id,
                {
                    name: max((scores.get(row, least) for row in hits.get(name, ())), default=least)
                    for name in asked.judged
                },
            )
        )
    return answers


class ContractTexts:
    """The texts of contracts, searched without regard to white space and case."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._places: list[Sequence[int]] = []
        self._starts: list[int] = []
        self._documents = list(texts)
        squeezed, size = [], 0
        for text in texts.values():
            places = [at for at, character in enumerate(text) if not character.isspace()]
            plain = "".join(_lower(text[at]) for at in places) + "\0"
            self._places.append(places)
            self._starts.append(size)
            squeezed.append(plain)
            size += len(plain)
        self._text = "".join(squeezed)

    def find(self, piece: str, *, document: str | None = None) -> tuple[str, Span] | None:
        """Return the first place of some words, in one document if it is named."""
        plain = "".join(_lower(each) for each in piece if not each.isspace())
        if len(plain) < _SHORTEST:
            return None
        low, high = 0, len(self._text)
        if document is not None:
            at = self._documents.index(document)
            low = self._starts[at]
            high = low + len(self._places[at])
        found = self._text.find(plain, low, high)
        if found < 0:
            return None
        at = bisect_right(self._starts, found) - 1
        first = found - self._starts[at]
        places = self._places[at]
        return self._documents[at], Span(places[first], places[first + len(plain) - 1] + 1)


def _lower(character: str) -> str:
    lower = character.lower()
    return lower if len(lower) == 1 else character


@dataclass(frozen=True, slots=True)
class LocatedClause:
    """Where a judged clause is: pieces of one contract, what was left out of it apart."""

    document: str
    spans: tuple[Span, ...]


def locate_clauses(
    clauses: Mapping[str, str], contract_texts: ContractTexts
) -> dict[str, LocatedClause]:
    """Return the places of judged clauses; one whose first piece is nowhere is left out."""
    found = {}
    for name, text in clauses.items():
        pieces = [each for each in text.replace("</omitted>", _OMITTED).split(_OMITTED) if each]
        first = next((hit for each in pieces if (hit := contract_texts.find(each.strip()))), None)
        if first is None:
            continue
        document = first[0]
        hits = [contract_texts.find(each.strip(), document=document) for each in pieces]
        found[name] = LocatedClause(document, tuple(merge_spans([hit[1] for hit in hits if hit])))
    return found


def covering_clauses(
    located: Mapping[str, LocatedClause], clauses: Sequence[Clause]
) -> dict[str, list[int]]:
    """Return for each judged clause the clauses that cover most of it, by their places."""
    held: dict[str, list[tuple[Span, int]]] = {}
    for row, clause in enumerate(clauses):
        for place in clause.places:
            if place.span is not None:
                held.setdefault(place.document, []).append((place.span, row))
    return {
        name: [
            row
            for span, row in held.get(each.document, ())
            if covered_length(intersect_spans([span], each.spans))
            >= MIN_COVERAGE * covered_length(each.spans)
        ]
        for name, each in located.items()
    }
