"""What a review makes of a contract and a known kind of clause, for a question that asks for it.

Two opinions count. The calibrated curve of the playbook's query knows other ways to draft; the
clause reader, where it learned the kind, knows how experts marked American filings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.store import Library
from fourcorners.models.clause_reader.match import match_features, match_probability
from fourcorners.models.registry import default_clause_reader
from fourcorners.playbooks.concepts import EXCLUDED
from fourcorners.playbooks.load import builtin_names, load_playbook
from fourcorners.playbooks.playbook import Provision
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import (
    PreparedProvision,
    default_calibration,
    has_meaning,
    score_segments,
    top_positions,
)
from fourcorners.search.concepts import Concept
from fourcorners.search.sentences.weights import chance_odds

if TYPE_CHECKING:
    from fourcorners.models.clause_reader.reader import ClauseReader, SentenceScores

_TINY = 1e-6  # keeps a chance off 0 and 1
_SURE = 0.999  # weight of the concepts that a question names in full: of a tie all count
_NOTHING = -12.0  # log-odds where nothing was found


@dataclass(frozen=True, slots=True)
class BestSentence:
    """The sentence of a contract that likeliest belongs to a kind of clause.

    Attributes:
        words: The sentence; empty where the contract has none.
        score: Log-odds that it belongs to the kind.
        threshold: Log-odds from which a review finds the kind.
        marked: Log-odds that an expert would mark it by itself.
        alone: Log-odds by its words alone, without headings and neighbours.
    """

    words: str
    score: float
    threshold: float
    marked: float = _NOTHING
    alone: float = _NOTHING

    @property
    def margin(self) -> float:
        return self.score - self.threshold


@dataclass(frozen=True, slots=True)
class ClauseOpinions:
    """What the playbook's query makes of a kind of clause, and the reader if it learned it."""

    kind: str
    by_query: BestSentence
    by_reader: BestSentence | None

    @property
    def margin(self) -> float:
        """How far the surer of the two is above its limit, in log-odds."""
        both = [each for each in (self.by_query, self.by_reader) if each is not None]
        return max(each.margin for each in both)


@cache
def _provisions() -> Mapping[str, Provision]:
    playbooks = [load_playbook(name) for name in builtin_names() if name not in EXCLUDED]
    return {each.id: each for playbook in playbooks for each in playbook.provisions}


def clause_opinions(
    library: Library,
    document: str,
    concepts: Sequence[tuple[Concept, float]],
    *,
    reader: ClauseReader | None = None,
) -> ClauseOpinions | None:
    """Return what a review makes of the likeliest of the kinds that a question names.

    Kinds that it only touches do not count.

    Returns:
        None where no playbook of the package knows the kinds.
    """
    known = [each for each, weight in concepts if weight >= _SURE and each.id in _provisions()]
    if not known:
        return None
    chosen = default_clause_reader() if reader is None else reader
    encoder = library.encoder
    same = encoder is not None and encoder.name == chosen.encoder
    judge = ProvisionReader(chosen, vectors=same)
    reading = read_contract(library, document)
    scores = reading.compute(("clause kinds", chosen.name), lambda: judge.read(reading))
    found = [_of_kind(reading, scores, judge, concept) for concept in known]
    return max(found, key=lambda each: each.margin)


def _of_kind(
    reading: Contract, scores: SentenceScores, judge: ProvisionReader, concept: Concept
) -> ClauseOpinions:
    provision = _provisions()[concept.id]
    examples = concept.examples
    if examples is not None and len(examples) > 1:
        examples = examples[1:]  # the first is of the definition
    prepared = PreparedProvision(provision, examples)
    curve = default_calibration().curve(provision.id, meaning=has_meaning(reading, prepared))
    query = score_segments(reading, prepared)
    by_query = curve.probability(query)
    if not len(by_query):
        return ClauseOpinions(provision.id, BestSentence("", _NOTHING, 0.0), None)
    at = top_positions(by_query, 1)[0]
    asked = BestSentence(
        _words(reading, at),
        chance_odds(float(by_query[at]), _TINY),
        chance_odds(curve.threshold, _TINY),
    )
    if not judge.is_known(provision):
        return ClauseOpinions(provision.id, asked, None)
    belongs = judge.probability(reading, prepared, scores, query)
    at = top_positions(belongs, 1)[0]
    words = _words(reading, at)
    signs = match_features(belongs, scores.layout, by_query, [at], [False])
    marked = match_probability(signs, judge.reader.match_weights(provision.id))[0]
    return ClauseOpinions(
        provision.id,
        asked,
        BestSentence(
            words,
            score=chance_odds(float(belongs[at]), _TINY),
            threshold=chance_odds(judge.reader.limits(provision.id)[0], _TINY),
            marked=chance_odds(float(marked), _TINY),
            alone=judge.reader.score_by_words(words, provision.id),
        ),
    )


def _words(reading: Contract, at: int) -> str:
    return reading.sentences[at].span.text_in(reading.text)
