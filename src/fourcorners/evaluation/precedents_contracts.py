"""The precedents benchmark from whole contracts: clauses are cut by the outline, then ranked.

ACORD's paper takes the clauses as given, and leaves this to later work (its sections 3 and 7). A
judged clause is found with a clause that was cut if that covers most of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fourcorners.evaluation import cuad
from fourcorners.evaluation.benchmark import Json
from fourcorners.evaluation.extracting import COLLECTION, fill
from fourcorners.evaluation.precedents import Ranking, Split, ranked
from fourcorners.evaluation.preceding import wordings
from fourcorners.library.store import Library
from fourcorners.models.encoder import Encoder
from fourcorners.models.reranker import Reranker
from fourcorners.precedents import gather, kept
from fourcorners.precedents.clause import Clause
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.rank import Vectors, rank
from fourcorners.settings import Settings
from fourcorners.text.span import Span, common, covered, union

COVERS = 0.75
"""The share of a judged clause's characters that a clause must have to be a hit."""
_OMITTED = "<omitted>"
_SHORTEST = 20  # characters of a piece that can be placed


class Shelf:
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
class Located:
    """Where a judged clause stands: pieces of one contract, what was left out of it apart."""

    document: str
    spans: tuple[Span, ...]


def locate(clauses: Mapping[str, str], shelf: Shelf) -> dict[str, Located]:
    """Return where judged clauses stand; one whose first piece is nowhere is left out."""
    found = {}
    for name, text in clauses.items():
        pieces = [each for each in text.replace("</omitted>", _OMITTED).split(_OMITTED) if each]
        first = next((hit for each in pieces if (hit := shelf.find(each.strip()))), None)
        if first is None:
            continue
        document = first[0]
        hits = [shelf.find(each.strip(), document=document) for each in pieces]
        found[name] = Located(document, tuple(union([hit[1] for hit in hits if hit])))
    return found


def covering(located: Mapping[str, Located], clauses: Sequence[Clause]) -> dict[str, list[int]]:
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
            if covered(common([span], each.spans)) >= COVERS * covered(each.spans)
        ]
        for name, each in located.items()
    }


@dataclass(frozen=True, slots=True)
class Cut:
    """A run over whole contracts, with what became of the judged clauses.

    Attributes:
        clauses: How many clauses the contracts were cut into.
        judged: How many clauses were judged for a query of the split.
        located: How many of them stand in the contracts.
        hit: How many of those a cut clause covers.
    """

    run: list[Ranking]
    clauses: int
    judged: int
    located: int
    hit: int

    def to_json(self) -> dict[str, Json]:
        """Return the counts."""
        return {
            "clauses": self.clauses,
            "judged": self.judged,
            "located": self.located,
            "hit": self.hit,
        }

    @property
    def told(self) -> str:
        """Return the counts in a sentence."""
        return (
            f"The contracts were cut into {self.clauses:,} clauses. Of {self.judged:,} judged "
            f"clauses {self.located:,} stand in them, of which {self.hit:,} are covered by one."
        )


def from_contracts(
    library: Library,
    folder: Path,
    split: Split,
    wording: str,
    encoder: Encoder,
    *,
    profile: Profile,
    reranker: Reranker | None,
    settings: Settings,
    on_progress: Callable[[str, int, int], None],
) -> Cut:
    """Read the contracts of CUAD into the library, cut them, and rank their clauses."""
    contracts = cuad.load(folder)
    fill(library, contracts, folder, encoder=None, settings=settings, on_progress=on_progress)
    clauses = gather.of_contracts(library, COLLECTION)
    judged = sorted({clause for asked in split.queries for clause in asked.judged})
    shelf = Shelf({each.id: library.text(each.id) for each in library.documents(COLLECTION)})
    located = locate({name: split.clauses[name] for name in judged}, shelf)
    hits = covering(located, clauses)
    answers = run(
        split,
        wording,
        clauses,
        hits,
        encoder,
        profile=profile,
        reranker=reranker,
        vectors=lambda texts: kept.vectors(library, texts, encoder),
        on_progress=on_progress,
    )
    found = sum(bool(each) for each in hits.values())
    return Cut(answers, len(clauses), len(judged), len(located), found)


def run(
    split: Split,
    wording: str,
    clauses: Sequence[Clause],
    hits: Mapping[str, Iterable[int]],
    encoder: Encoder,
    *,
    profile: Profile = Profile.DEFAULT,
    reranker: Reranker | None = None,
    vectors: Vectors | None = None,
    on_progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> list[Ranking]:
    """Rank the clauses of all contracts, and give each judged clause the score of its best hit.

    One without a hit comes after all that have one.
    """
    place = {id(clause): row for row, clause in enumerate(clauses)}
    answers = []
    for done, asked in enumerate(split.queries, start=1):
        said = wordings(asked, wording)
        found = rank(
            said[0],
            clauses,
            encoder,
            longer=said[1] if len(said) > 1 else None,
            profile=profile,
            reranker=reranker,
            vectors=vectors,
        )
        scores = {place[id(each.clause)]: each.score for each in found}
        least = min(scores.values(), default=0.0) - 1.0
        answers.append(
            ranked(
                asked.id,
                {
                    name: max((scores.get(row, least) for row in hits.get(name, ())), default=least)
                    for name in asked.judged
                },
            )
        )
        on_progress("Ranking", done, len(split.queries))
    return answers
