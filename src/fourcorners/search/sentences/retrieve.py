"""Retrieval: the sentences that answer a question in natural language, with exact places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError, ModelError, QueryError
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.contract import read_contract
from fourcorners.library.damage import without_damaged
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.reader.reader import RelevanceReader
from fourcorners.models.reranker.protocol import Reranker, ThresholdReranker
from fourcorners.search.concepts import Concept, recognise_concepts
from fourcorners.search.filters import NO_FILTERS, Filters
from fourcorners.search.index import require_same_encoder
from fourcorners.search.scope import QuestionScope
from fourcorners.search.sentences.answer_scores import ReaderScores, combine_scores, read_sentences
from fourcorners.search.sentences.answer_scores import default_weights as fitted_weights
from fourcorners.search.sentences.candidates import leading_documents
from fourcorners.search.sentences.signals import KNOWN, signals
from fourcorners.search.sentences.snippets import ExtensionLimits, Piece, extend_sentences
from fourcorners.search.sentences.units import ExampleVectors, SentenceIndex, sentence_index
from fourcorners.search.sentences.weights import (
    LinearWeights,
    SignalWeights,
    chance_odds,
    default_weights,
    odds_chance,
)
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_SNIPPETS = 1_000  # of one search
MAX_DOCUMENTS = 8
"""How many documents are read where the question names none."""
NAMED_WEIGHT = 3.0
"""What being the document that is meant, if that is not sure, adds to the log-odds."""
RERANKED = 16
"""How many snippets a reranker reads."""
RERANKER = "reranker"
"""The part of a snippet's score that a reranker gave; only what it read has one."""
SHAPE = ExtensionLimits()
_TINY = 1e-6  # keeps a chance off 0 and 1


@dataclass(frozen=True, slots=True)
class Snippet:
    """Words of a document that answer.

    Attributes:
        core: Its best sentence, for which the others are shown.
        score: How likely it answers, 0 to 1.
        parts: What each signal added to the log-odds of its best sentence.
        because: The ids of the concepts that the question asks for and that speak for it; empty
            if it was found by the question's words and meaning alone.
    """

    document: str
    name: str
    span: Span
    core: Span
    words: str
    score: float
    parts: Mapping[str, float]
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The answer to a question.

    Attributes:
        asked: The question that was answered, without the words that name a contract.
        searched: The ids of the documents whose sentences were searched.
        odds: Log-odds of the sentences that a reader read, by search and reader together and by the
            id of their document, the likeliest first.
        chances: How likely the best snippet of each document answers, without a reranker.
        left_out: How many snippets a reranker's threshold left out.
        unread: The ids of the documents of whose snippets a reranker read none.
        failure: Why the reranker's order is not used, as a sentence; empty if nothing failed.
    """

    asked: str
    concepts: tuple[tuple[Concept, float], ...]
    searched: tuple[str, ...]
    snippets: tuple[Snippet, ...]
    odds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    chances: Mapping[str, float] = field(default_factory=dict)
    left_out: int = 0
    unread: tuple[str, ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class SentenceRanking:
    """What ranks the sentences of the documents that are read, and how far they are extended.

    Attributes:
        weights: How signals are weighed; by default as fitted.
        reranker: Reads the question and the best snippets together; the log-odds of both count
            alike. The rest stay behind, and what is below its threshold is left out. If it fails,
            the order is that of the search.
        reader: Reads what is asked and the likeliest sentences together, before any is extended.
        read_as: How the reader is asked, if not in the words of the search.
        shape: How far sentences are extended.
    """

    weights: SignalWeights | None = None
    reranker: Reranker | None = None
    reader: RelevanceReader | None = None
    read_as: str = ""
    shape: ExtensionLimits = SHAPE


PLAIN_RANKING = SentenceRanking()


@dataclass(frozen=True, slots=True)
class _Read:
    units: SentenceIndex
    signals: NDArray[np.float32]
    chances: NDArray[np.float64]
    reader_scores: ReaderScores | None = None


@without_damaged
def retrieve_snippets(
    library: Catalogue,
    question: str | QuestionScope,
    *,
    encoder: Encoder | None = None,
    concepts: Sequence[Concept] = (),
    filters: Filters = NO_FILTERS,
    limit: int = 64,
    ranking: SentenceRanking = PLAIN_RANKING,
) -> Retrieval:
    """Return the snippets that answer a question, the best first; they are disjoint.

    Args:
        library: Where to look.
        question: In natural language, or with the documents that it names: one that is sure is the
            only one searched, as are a few that the name fits alike; others are preferred by the
            chance that they are meant. If it names none, the documents that lead a search of the
            whole library are read.
        encoder: The encoder that made the library's vectors; without one only words count.
        concepts: What is known of kinds of clauses.
        filters: What of the library to look at.
        limit: How many snippets at most.
        ranking: What ranks their sentences.

    Raises:
        QueryError: If nothing is asked.
        ConfigError: If the limit is out of range, a filter names what is not there, or the
            encoder is not the library's.
    """
    if not 1 <= limit <= MAX_SNIPPETS:
        raise ConfigError(f"the limit of a search must be from 1 to {MAX_SNIPPETS}, not {limit}.")
    scope = QuestionScope(question) if isinstance(question, str) else question
    asked = scope.question.strip()
    if not asked:
        raise QueryError("there is nothing to search for.", remedy="Ask a question.")
    if encoder is not None:
        require_same_encoder(library, encoder)
    meant = recognise_concepts(asked, concepts)
    vector = None
    if encoder is not None and library.encoder is not None:
        vector = encoder.encode([asked])[0]
        examples = library.memory.get_or_make("example vectors", ExampleVectors)
        meant = [(examples.add_to(concept, encoder), weight) for concept, weight in meant]
    preferred = dict(scope.documents)
    with library.snapshot():
        if scope.is_certain and scope.documents:
            documents = [scope.documents[0][0]]
        elif scope.candidates:
            documents = list(scope.candidates)
        else:
            led = leading_documents(library, asked, vector, meant, filters, MAX_DOCUMENTS)
            documents = list(dict.fromkeys((*preferred, *led)))
        read = [sentence_index(read_contract(library, document)) for document in documents]
    weighing = ranking.weights or default_weights()
    chosen = weighing.known if meant else weighing.unknown
    unsure = len(documents) > 1
    scored = [
        _Read(
            units,
            rows := signals(units, asked, vector, meant),
            chosen.probabilities(rows, NAMED_WEIGHT * preferred.get(units.document, 0.0) * unsure),
        )
        for units in read
    ]
    odds: dict[str, tuple[float, ...]] = {}
    if ranking.reader is not None:
        pairs = [(one.units, one.chances) for one in scored]
        readings = read_sentences(ranking.reader, ranking.read_as or asked, pairs)
        line = fitted_weights().line(known=bool(meant))
        scored = [
            replace(one, chances=combine_scores(one.chances, each, line), reader_scores=each)
            for one, each in zip(scored, readings, strict=True)
        ]
        for one, each in zip(scored, readings, strict=True):
            chances = sorted((float(one.chances[at]) for at in each), reverse=True)
            odds[one.units.document] = tuple(chance_odds(chance, _TINY) for chance in chances)
    found = [
        (one, piece, float(one.chances[piece.core]))
        for one in scored
        for piece in _pieces(one, ranking.shape, limit)
    ]
    found.sort(key=lambda each: -each[2])
    snippets = [_snippet(one, piece, chosen, meant) for one, piece, _ in found[:limit]]
    best = {each.document: each.score for each in reversed(snippets)}
    found_all = Retrieval(asked, tuple(meant), tuple(documents), tuple(snippets), odds, best)
    return found_all if ranking.reranker is None else _rerank(found_all, ranking.reranker)


def _rerank(found: Retrieval, reranker: Reranker) -> Retrieval:
    """Return what was found in a new order, without what is below the reranker's threshold.

    The mean of both log-odds is a snippet's score. The likeliest is returned in any case: an answer
    that nothing was found names the nearest words. So is the best of each document that was not
    read, behind all that was.
    """
    read, rest = found.snippets[:RERANKED], found.snippets[RERANKED:]
    try:
        logits = reranker.scores(found.asked, [snippet.words for snippet in read]).tolist()
    except ModelError as error:
        failure = f"The reranker failed, so passages are in the order of the search alone: {error}"
        return replace(found, failure=failure)
    answers = []
    for snippet, logit in zip(read, logits, strict=True):
        mean = (chance_odds(snippet.score, _TINY) + logit) / 2
        parts = {**snippet.parts, RERANKER: logit}
        answers.append(replace(snippet, score=odds_chance(mean), parts=parts))
    answers.sort(key=lambda snippet: -snippet.score)
    known = {each.document for each in read}
    unread = {each.document: each for each in reversed(rest) if each.document not in known}
    if isinstance(reranker, ThresholdReranker):
        likely = [
            each for each in answers if odds_chance(each.parts[RERANKER]) >= reranker.threshold
        ]
        answers = likely or answers[:1]
        rest = tuple(each for each in rest if unread.get(each.document) is each)
    shown = (*answers, *rest)
    return replace(
        found,
        snippets=shown,
        left_out=len(found.snippets) - len(shown),
        unread=tuple(dict.fromkeys(each.document for each in rest if each.document in unread)),
    )


def _pieces(one: _Read, shape: ExtensionLimits, limit: int) -> list[Piece]:
    import numpy as np

    cores = np.argsort(-one.chances, kind="stable").tolist()
    spans = [unit.span for unit in one.units.units]
    numbers = one.units.clause_of[one.units.passage_of].tolist() if spans else []
    clause = list(zip(numbers, one.units.exclusions_before, strict=True))  # no piece goes over one
    return extend_sentences(spans, clause, one.chances, cores, shape, limit, len(one.units.text))


def _snippet(
    one: _Read, piece: Piece, weighing: LinearWeights, meant: Sequence[tuple[Concept, float]]
) -> Snippet:
    units = one.units.units
    span = Span(units[piece.first].span.start, units[piece.last].span.end)
    parts = weighing.parts(one.signals[piece.core])
    if one.reader_scores is not None:
        line = fitted_weights().line(known=bool(meant))
        parts = {name: line.search * value for name, value in parts.items()}
        parts["reader"] = line.reader * one.reader_scores.get(piece.core, fitted_weights().unread)
    speaks = any(name in KNOWN and value > 0 for name, value in parts.items())
    return Snippet(
        document=one.units.document,
        name=one.units.name,
        span=span,
        core=units[piece.core].span,
        words=span.text_in(one.units.text),
        score=float(one.chances[piece.core]),
        parts=parts,
        because=tuple(concept.id for concept, _ in meant) if speaks else (),
    )
